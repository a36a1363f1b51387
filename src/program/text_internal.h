/* text_internal.h: what printing and reading the text of a program share. docs/program.md has the language. */
#ifndef ATTEST_PROGRAM_TEXT_INTERNAL_H
#define ATTEST_PROGRAM_TEXT_INTERNAL_H

#include "program_internal.h"

/* ---- labels (labels.c): which variable a name means ---------------------------------------------------
 *
 * Builders may use a name twice. In a text the second x is x@2, and the first stays x. Unnamed linear expressions that are
 * used in several places are @1, @2, ... */
typedef struct label label;
typedef struct {
    label *slot;
    size_t cap, n;
} labels;
void labels_release(labels *l);
/* One more variable of this name, which lives as long as l. False: out of memory. */
bool labels_add(labels *l, const char *name, size_t n, at_var v);
int labels_count(const labels *l, const char *name, size_t n);            /* variables that have it */
at_var labels_find(const labels *l, const char *name, size_t n, int nth); /* from 1; -1: there is none */

/* ---- words (words.c) ---------------------------------------------------------------------------------- */

/* May s stand without quotes: letters, digits, _ . ' and a last [k], and no word of the language? */
bool text_is_bare(const char *s);
bool text_is_reserved(const char *s, size_t n);
bool text_letter(char c);
bool text_digit(char c);
/* The bytes of s that one bare name takes, at most n. */
size_t text_bare(const char *s, size_t n);
void text_name_print(const char *s, at_text *t); /* quoted where it must be */
/* The shortest digits that read back as x; or, not exact, six digits. */
void text_number_print(double x, bool exact, at_text *t);

/* The m of floor(x/m) that the table of v is, or 0. */
int table_divisor(const at_program *P, const var *v);

/* Is all about a linear expression told by its parts? */
bool linear_is_plain(const at_program *P, const var *x);
/* The numbers of labels (n_vars): which of those with its name a variable is, from 1; of unnamed ones the k of @k, or 0
 * where the expression stands in place (or nowhere). NULL: out of memory. */
int *print_labels(const at_program *P, at_arena *a);

/* Pointwise steps as they are called, by op. NULL: no such step. */
const char *point_word(op o);

#endif
