/* dfa_internal.h: deterministic automata as they are read, in whatever form: states by their names, letters, transitions, with the
 * place of each in its file. */
#ifndef ATTEST_DFA_INTERNAL_H
#define ATTEST_DFA_INTERNAL_H

#include "../words/words_internal.h"

typedef struct {
    const char *s; /* NUL-terminated */
    int line, column;
} dfa_word;

typedef struct {
    int from, letter, to;
    const dfa_word *at; /* where it is said; its line and column */
} dfa_edge;

typedef struct {
    const char *path;
    at_arena *a;
    at_err *err;
    const char *hint; /* what one adds to have missing transitions go to a sink */
    /* names of states */
    dfa_word *state;
    int states, *slot;
    size_t slots;
    /* letters */
    at_alphabet sigma;
    const char **letter;
    bool open; /* letters are those that occur */
    bool sink;
    dfa_word start; /* s NULL: none yet */
    bool accepts;   /* it was said which states accept */
    dfa_word *accept;
    size_t n_accept, accept_room;
    int longest; /* -1: not said */
    dfa_edge *edge;
    size_t n_edges, edge_room;
} dfa_reader;

at_status dfa_reader_init(dfa_reader *r, const char *path, const char *hint, at_arena *a, at_err *err);
at_status dfa_fail(const dfa_reader *r, const dfa_word *w, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The number of a state, -1: there is none of that name (and, where it is to be added, there are too many). */
int dfa_state(dfa_reader *r, const dfa_word *w, bool add);
at_status dfa_letter(dfa_reader *r, const dfa_word *w, int *out);
at_status dfa_edge_add(dfa_reader *r, int from, int letter, int to, const dfa_word *at);
at_status dfa_start(dfa_reader *r, const dfa_word *w);
at_status dfa_accept(dfa_reader *r, const dfa_word *w);
/* alphabet, length and sink: lines of a file, or comments where a form has nothing of that kind. *is: it is one of them. */
at_status dfa_statement(dfa_reader *r, const dfa_word *w, size_t n, bool *is);
/* The same of a comment's text, which is changed. */
at_status dfa_comment(dfa_reader *r, char *text, int line, int column);
at_status dfa_make(dfa_reader *r, at_dfa **out);

/* Columns of MONA (dfa_mona.c): how many tracks a label has, 0: it is none of MONA's; is a column among those of a label; are all? */
int dfa_tracks(const char *label);
bool dfa_column_in(const char *label, const bool *ones);
bool dfa_any_column(const char *label);
/* The letters of so many tracks, and the column that a letter is: ones (tracks). */
at_status dfa_tracks_letters(dfa_reader *r, int tracks, const dfa_word *at);
void dfa_letter_column(const dfa_reader *r, int tracks, int letter, bool *ones);

/* Other forms than lines; text is changed. */
bool dfa_is_jff(const char *text);
bool dfa_is_dot(const char *text);
bool dfa_is_mona(const char *text);
at_status dfa_mona_read(char *text, dfa_reader *r);
at_status dfa_jff_read(char *text, dfa_reader *r);
at_status dfa_dot_read(char *text, dfa_reader *r);

#endif
