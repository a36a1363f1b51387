/* terms.h: truths and linear terms, which C-RASP, FOC[MOD;+] and counter machines share when they are read and printed. Weakest first:
 *
 *     truth      = both { "or" both }          both = not { "and" not }          not = "not" not | comparison
 *     comparison = sum [ ("<" | "<=" | "=" | ">=" | ">" | "!=") sum  |  "mod" m ("=" | "!=") r ]
 *     sum        = term { ("+" | "-") term }
 *     term       = "-" term | number [ "*" ] atom | number | atom [ "*" number ]
 *     atom       = "(" truth ")" | "true" | "false" | min(sum, sum) | max(sum, sum)
 *                | "if" truth "then" sum "else" sum | what the language has
 *
 * An end of a line ends a statement only where an operator may stand, outside brackets, and unless the next line begins with
 * `and` or `or`. */
#ifndef ATTEST_TERMS_H
#define ATTEST_TERMS_H

#include "formulas.h"
#include "../words/words_internal.h"

typedef struct terms {
    ftext x;
    at_formulas *f;
    int brackets;
    bool linear;        /* no min, max and if */
    const char *no_mod; /* NULL: sums have congruences; else why not */
    bool infix_if;      /* a if truth else b, instead of the prefix form */
    /* An atom of the language at x.now: NULL where there is none, or after a failure. It may read a whole truth (a quantifier). */
    at_formula *(*atom)(struct terms *t);
    void *own;
} terms;

at_formula *terms_truth(terms *t); /* fails where a number stands */
at_formula *terms_value(terms *t); /* a truth or a number */
at_formula *terms_sum(terms *t);   /* a number */
/* What is counted: an atom, or `not` and such. */
at_formula *terms_counted(terms *t);
/* A number with its sign, as a coefficient or remainder. */
int64_t terms_integer(terms *t);
void terms_line_skip(terms *t);  /* ends of lines, where none ends a statement */
bool terms_ends(const terms *t); /* the statement ends here */
/* A part that was made, or its failure at a place of the text. */
at_formula *terms_made(terms *t, at_formula *made, const char *from);

/* An alphabet of the letters that were met, by code point; blanks, doubles and too many are seen to. */
typedef struct {
    int n;
    const char *letter[AT_LETTERS_MAX];
} terms_letters;
void terms_letter_add(ftext *x, terms_letters *all, const char *s, size_t n, const char *from);
/* hint: what one writes to have some. */
at_status terms_letters_end(terms_letters *all, const char *path, const char *hint, at_arena *a,
                            at_alphabet *out, at_err *err);
/* What the header lines say, for formulas that are read at `usual` unless said; letters with quotes are refused. */
at_status terms_begin(terms *t, const words_header *h, const char *path, at_read_at usual, at_arena *a,
                      at_err *err);
/* The longest letter of the alphabet that stands at s, whole where it ends in what a word is made of; -1: none. */
int terms_letter_at(const at_alphabet *sigma, const char *s, size_t *n);

/* Makes p the problem of a text in a language of formulas; its title is `what` of so many `part`s where it has definitions, else what
 * it says. */
typedef at_status terms_reader(char *text, const char *path, at_arena *a, at_formulas **out, int *longest,
                               at_err *err);
typedef void terms_writer(const at_formulas *f, at_text *out);
at_status terms_problem(at_problem *p, char *text, terms_reader *read, terms_writer *print, const char *what,
                        const char *part, const char *ask, at_err *err);

/* ---- printing ----------------------------------------------------------------------------------------------------------- */

typedef struct terms_printer {
    const at_formulas *f;
    at_text *out;
    int depth; /* counts around what is printed */
    /* Prints an atom: letters, names, counts, and what `owns` says is one. */
    void (*atom)(struct terms_printer *p, const at_formula *x);
    bool (*owns)(const struct terms_printer *p, const at_formula *x);
    void (*variable)(int depth, at_text *out); /* of positions; NULL: i */
} terms_printer;
void terms_print(terms_printer *p, const at_formula *x);
void terms_print_atom(terms_printer *p, const at_formula *x); /* in brackets where it is none */
void terms_print_quoted(const char *s, at_text *out);
void terms_print_letter(const at_formulas *f, int letter, at_text *out); /* in quotes where it is no word */
bool terms_is_word(const char *s);                                       /* letters, digits and _ only */

#endif
