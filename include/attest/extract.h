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

/* Parts of a formula as it is written, where what is shared is written again. */
double at_formula_written(const at_formulas *f, const at_formula *x);

#endif
