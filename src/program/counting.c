/* counting.c: steps on counts: uniform means, and what stands at the position that a count names.
 *
 * A count look-up makes the integer itself, or any table of it, from a ratio: u (2 c j - j^2) = u (c^2 - (j - c)^2), so the best
 * key is j = c, and the next is lower by u. Its inverse form takes 1/(c + 1): -|(j + 1) v - 1| = -|j - c| v. */
#include "program_internal.h"

#include <math.h>

at_var at_all(at_program *P, const char *name, at_vec b)
{
    return b.n == 1 ? b.v[0] : at_relu(P, name, at_sum(P, NULL, b, NULL, 1 - b.n));
}

at_var at_any(at_program *P, const char *name, at_vec b)
{
    at_var *less = at_new(&P->arena, at_var, b.n + 1);
    if (!less)
        return fail_oom(P);
    if (b.n == 1)
        return b.v[0];
    for (int k = 0; k < b.n; k++)
        less[k] = at_neg(P, b.v[k]);
    return at_not(P, at_relu(P, name, at_sum(P, NULL, (at_vec){b.n, less}, NULL, 1)));
}

at_var at_mean(at_program *P, const char *name, at_vec values, at_weighting w, at_mask mask)
{
    at_var zero = at_const(P, 0);
    return at_attend(P, name,
                     &(at_attention){.query = AT_VEC(zero),
                                     .key = AT_VEC(zero),
                                     .value = values,
                                     .weighting = w,
                                     .mask = mask,
                                     .gap = 1});
}

static double least_of(const at_program *P, const at_counting *how)
{
    return how->least > 0 ? how->least : 1.0 / program_longest(P);
}

at_var at_at_count(at_program *P, const char *name, at_var cu, at_var u, at_vec values,
                   const at_counting *how)
{
    return at_attend(P, name,
                     &(at_attention){.query = AT_VEC(at_scaled(P, 2, cu), at_neg(P, u)),
                                     .key = AT_VEC(how->here, how->here2),
                                     .value = values,
                                     .weighting = how->weighting,
                                     .mask = how->mask,
                                     .gap = least_of(P, how),
                                     .error = how->error,
                                     .unique = true,
                                     .most = 1});
}

at_var at_at_share(at_program *P, const char *name, at_var v, at_vec values, const at_counting *how)
{
    at_var next = at_sum(P, NULL, AT_VEC(how->here), NULL, 1);
    return at_attend(P, name,
                     &(at_attention){.query = AT_VEC(v, at_const(P, -1)),
                                     .key = AT_VEC(next, at_const(P, 1)),
                                     .value = values,
                                     .weighting = how->weighting,
                                     .mask = how->mask,
                                     .post = AT_POST_NEG_ABS,
                                     .gap = least_of(P, how),
                                     .error = how->error,
                                     .unique = true,
                                     .most = 1});
}
