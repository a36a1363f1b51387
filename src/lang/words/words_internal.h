/* words_internal.h: what languages of words share when they read files. */
#ifndef ATTEST_WORDS_INTERNAL_H
#define ATTEST_WORDS_INTERNAL_H

#include <attest/lang.h>

/* Makes p the problem that a text says, which it may change and which is gone afterwards. */
typedef at_status words_read(at_problem *p, char *text, at_err *err);
/* at_lang.open and at_lang.parse of a language that is read so. */
at_status words_open(at_problem *p, words_read *read, at_err *err);
at_status words_parse(at_problem *p, const char *text, size_t n, words_read *read, at_err *err);

/* The lines before the text itself, which the files of such languages share; # begins a comment:
 *
 *     alphabet a b c           words, or "abc" letter by letter
 *     length 0..64             of the words that are asked about; the last counts
 *     accept end               where formulas are read: last, first, end, begin
 *     attention softmax        how they find positions: own, softmax, average, rightmost, leftmost
 *     semantics strict         of temporal operators: reflexive or strict
 *     predicate square 1 4 9   a set of positions, with ranges as in 16..20; several lines
 *
 * The last four are of languages of formulas; others refuse them. `accept` with anything else is no header line. Where formulas
 * are read, ";" ends a header line, too, # before [ counts instead of beginning a comment, and quotes keep both. */
typedef struct {
    const char *name;
    bool *in; /* (AT_FORMULA_LONGEST + 1) */
} words_set;

typedef struct {
    at_alphabet sigma; /* n = 0: not said */
    int longest;       /* -1: not said */
    int at, attend;    /* at_read_at, at_formula_attend; -1: not said */
    int strict;        /* 0 reflexive, 1 strict; -1: not said */
    int n_sets;
    words_set sets[AT_FORMULA_SETS];
    const char *rest; /* what follows, in the text; comments have become blanks */
    int line, column; /* where it begins, from 1; of columns in bytes */
} words_header;
at_status words_header_read(char *text, const char *path, bool formulas, at_arena *a, words_header *out,
                            at_err *err);

/* Of languages that accept what their one formula says: a line `accept` that says something else is a fault. */
at_status words_accept_none(const words_header *h, const char *path, at_err *err);

/* The alphabet of the command line, where the text has none of its own. given: NULL, there is none. */
at_status words_given(words_header *h, const at_alphabet *given, const char *path, at_err *err);
/* The one that is said beside the file; *out is NULL where there is none. */
at_status words_beside(at_problem *p, const at_alphabet **out, at_err *err);
/* at_lang.line: reads a text of the command line. */
at_status words_line(at_problem *p, const char *text, const char *alphabet,
                     at_status (*read)(at_problem *p, char *text, const at_alphabet *given, at_err *err),
                     at_err *err);

/* "0..16" or "16" after the word `length`; false: it is no length. */
bool words_length(const char *s, int *out);

#endif
