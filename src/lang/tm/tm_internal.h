/* tm_internal.h: what the readers of Turing machines share. */
#ifndef ATTEST_TM_INTERNAL_H
#define ATTEST_TM_INTERNAL_H

#include <attest/lang.h>

typedef struct {
    const char *s; /* NULL: not said */
    int line, column;
} tm_word;

/* A transition as it is written: "*" is any (state, read), or what it was (write, next). */
typedef struct {
    tm_word state, read, write, next; /* next.s NULL: it is named, but there is none (--- in busy beavers) */
    int move;
} tm_line;

typedef struct {
    tm_word *w;
    int n;
    bool said;
} tm_list;

/* What a text says, before names are looked up. */
typedef struct {
    const char *path;
    at_arena *a;
    at_err *err;
    tm_word start, blank;
    tm_list letters, others, stops[AT_TM_VERDICTS]; /* of inputs; other symbols; accept, reject, halt */
    tm_word *named; /* states that stop if they have no transitions: headings in YAML, letters of beavers */
    size_t n_named, named_room;
    tm_line *line;
    size_t n, room;
    int longest, budget; /* -1: not said */
} tm_draft;

at_status tm_fail(const tm_draft *d, const tm_word *w, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
at_status tm_line_add(tm_draft *d, const tm_line *l);
at_status tm_named_add(tm_draft *d, const tm_word *w);
bool tm_move(const char *s, int *out); /* l r * and their like */

/* The readers. */
bool tm_is_yaml(const char *text);
at_status tm_yaml_read(tm_draft *d, const char *text);
bool tm_is_beaver(const char *s);
at_status tm_beaver_read(tm_draft *d, const tm_word *w);
at_status tm_lines_read(tm_draft *d, const char *text);

/* The machine that a draft says. */
at_status tm_make(tm_draft *d, at_tm **out);

/* Rows to learn. */
extern const at_stream_verbs tm_rows;

#endif
