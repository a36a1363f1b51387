/* form.h: linear forms in many variables of which few occur: sum_j value_j x_j, plus anything of size `spread`.
 *
 *     form_add(&s, 2, &a);               // 2 a - b, collected in s
 *     form_add(&s, -1, &b);
 *     form_take(&s, arena, &c, err);     // and s is empty again */
#ifndef ATTEST_CHECK_FORM_H
#define ATTEST_CHECK_FORM_H

#include <attest/core.h>

typedef struct {
    int column; /* j */
    double value;
} form_term;

/* Terms that cancelled are kept with value 0: what is computed as 0 may be a rounding away from it. */
typedef struct {
    int n;
    form_term *term; /* (n), columns ascending */
    double spread;
} form;

bool form_live(const form *x); /* does it depend on anything? */
/* The same coefficients as sign * b? */
bool form_equal(const form *a, const form *b, int sign);

typedef struct {
    int columns;
    double *value; /* (columns), 0 where nothing was added */
    uint64_t *has; /* a bit a column: something was */
    double spread;
} form_sum;

at_status form_sum_init(form_sum *s, int columns, at_arena *arena, at_err *err);
void form_add(form_sum *s, double w, const form *x); /* w x; the spread in absolute value */
at_status form_take(form_sum *s, at_arena *arena, form *out, at_err *err);

#endif
