/* extract.h: models turned back into formulas (docs/logic.md): unique-hard attention into temporal logic and B-RASP, softmax that
 * rounds the quotient alone into programs that count.
 *
 *     at_extracted_past x;
 *     at_extract_past(&m, &(at_extract_options){.logic = AT_LOGIC_LTL}, &arena, &x, &err);
 *     at_ltl_print(x.formulas, &text);
 *
 * What comes out holds for words of all lengths, the model's own longest set aside, and by construction: nothing is sampled. A model outside
 * the class is AT_EREFUSED with the reason and what works instead; AT_EBUDGET says what was reached. */
#ifndef ATTEST_EXTRACT_H
#define ATTEST_EXTRACT_H

#include <attest/check.h>
#include <attest/formula.h>

#define AT_EXTRACT_VALUES 400 /* of a stream before one layer, unless said */

typedef enum { AT_LOGIC_LTL, AT_LOGIC_BRASP } at_logic;

typedef struct {
    at_logic logic;
    int values;     /* 0: AT_EXTRACT_VALUES */
    bool automaton; /* from the least automaton, and not layer by layer */
} at_extract_options;

typedef struct {
    at_formulas *formulas; /* read at the end: the empty word has a verdict */
    int layers, values; /* of the model: attention layers; values before one, at most. 0: by the automaton */
    int period;         /* of its positions; 1: none */
    bool rounded;       /* as in at_extracted */
    const char *why;    /* NULL, or why not layer by layer */
} at_extracted_past;

/* Layer by layer (src/extract/past.c): a formula for each value that the stream can have before a layer, made of those of the layer before. Where
 * that does not go, from the least automaton as a cascade of resets (src/extract/cascade.c), and `why` says so. */
at_status at_extract_past(const at_model *m, const at_extract_options *o, at_arena *a, at_extracted_past *out,
                          at_err *err);

/* The same, where a formula of temporal logic that would be written with more than AT_EXTRACT_WRITTEN parts is made from the automaton
 * instead; AT_EBUDGET where that is as long. (In B-RASP parts have names.) */
#define AT_EXTRACT_WRITTEN 100000
at_status at_extract_past_written(const at_model *m, const at_extract_options *o, at_arena *a,
                                  at_extracted_past *out, at_err *err);

/* ---- softmax ------------------------------------------------------------------------------------------------------------------
 *
 * Softmax and average-hard attention in the arithmetic qNeE (AT_QUOTIENT), without positions or with ones that repeat. A stream has finitely
 * many values there, and which one a mean has is a matter of linear inequalities between numbers of positions: under causal or
 * strict masks C-RASP, without masks FOC[MOD;+], where all positions of a letter have one stream. */
typedef struct {
    at_formulas *formulas; /* read at the end */
    int layers,
        values; /* attention layers; values of a stream before one (FOC: of all streams together), at most */
    int inequalities;
    int period;
} at_extracted_count;
at_status at_extract_crasp(const at_model *m, at_arith arith, int values, at_arena *a,
                           at_extracted_count *out, at_err *err);
at_status at_extract_foc(const at_model *m, at_arith arith, int values, at_arena *a, at_extracted_count *out,
                         at_err *err);

/* ---- softmax at log n bits -------------------------------------------------------------------------------------------------------
 *
 * One sentence of first-order logic with majority and BIT for all lengths n: what a model says in the arithmetic qNeE with N = ceil(c log2 n)
 * bits, 2 at least (src/extract/fom_model.c). One layer of one softmax or average-hard head, no positions, the mean itself read. */
typedef struct at_fom at_fom;
typedef struct {
    at_fom *sentence;
    size_t parts;     /* of the sentence, whatever n is */
    int exponentials; /* different differences of scores below the largest */
    int variables;    /* at once */
} at_extracted_fom;
typedef struct {
    int c;          /* bits for a doubling of n */
    int exp_bits;   /* of the arithmetic */
    int off;        /* the sentence is of so many bits more: a wrong one */
    bool unrounded; /* the mean is compared as it is: a wrong one, too */
} at_fom_options;
at_status at_extract_fom(const at_model *m, const at_fom_options *o, at_arena *a, at_extracted_fom *out,
                         at_err *err);
/* The arithmetic in which words of n letters are run. */
at_arith at_fom_arith(const at_fom_options *o, int n);
void at_fom_print(const at_fom *f, at_text *out);
/* Runs sentences; what names mean at some n is kept from word to word. One a thread. */
typedef struct at_fom_runner at_fom_runner;
at_status at_fom_runner_new(at_fom_runner **out, at_err *err);
void at_fom_runner_free(at_fom_runner *r); /* NULL is allowed */
at_status at_fom_holds(at_fom_runner *r, const at_fom *f, const int *word, int n, bool *out, at_err *err);

/* Parts of a formula as it is written, where what is shared is written again. */
double at_formula_written(const at_formulas *f, const at_formula *x);

#endif
