/* lemma.h: what the lemmas on GeLU networks (lemma-a1 to lemma-a7) share. */
#ifndef ATTEST_CLAIM_LEMMA_H
#define ATTEST_CLAIM_LEMMA_H

#include "../claim_internal.h"

#define LEMMA_SOURCE "Yang et al. 2024 (Do Efficient Transformers Really Save Computation?), appendix A"

/* The fields of a claim that come from the names `params`, `program`, `cells`, `tables`, `certificate` of its file. */
#define LEMMA_FIELDS CLAIM_FIELDS, CLAIM_TABLES, .tolerance = claim_eps, .box = &certificate

/* Parameters that all of them have; the arguments are defaults. */
#define LEMMA_LENGTH                                                                                         \
    {                                                                                                        \
        "N", "length (every position is answered for itself)", 1, 4096, 1, true                              \
    }
#define LEMMA_EPS(eps)                                                                                       \
    {                                                                                                        \
        "eps", "wanted error", 1e-9, 1, eps, false                                                           \
    }
#define LEMMA_LAMBDA                                                                                         \
    {                                                                                                        \
        "lambda", "sharpness of the units, in units of what the proof asks for", 1e-4, 1e4, 1, false         \
    }

/* The power of two at or above `least` times the parameter lambda: a scaling that rounds nothing. */
double lemma_lambda(const at_params *p, double least);

/* The table `size` of a lemma. Columns: the two parameters named x1 and x2, then units, stated units, largest
 * weight, poly bound, certified error. The last is certified for smaller and smaller tolerances, down to where the
 * certificate no longer closes. */
#define LEMMA_COLUMNS(x1, x2)                                                                                \
    (const char *const[])                                                                                    \
    {                                                                                                        \
        x1, x2, "units", "stated units", "largest weight", "poly bound", "certified error", NULL             \
    }
at_status lemma_size_row(const at_claim *c, const at_params *p, int threads, const char *x1, const char *x2,
                         double stated, double poly, double *out, at_err *err);

/* "m3": the name of the k-th of some variables. */
typedef struct {
    char s[24];
} lemma_label;
lemma_label lemma_name(const char *name, int k);

/* Boxes |x - i| <= spread around integers, rounded outward. */
void lemma_integer_box(const at_params *p, double i, double *lo, double *hi);

#endif
