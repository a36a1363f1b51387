/* token_table.h: a model that is a table: task match2, answered from each position's own token. At length 1 that can be right.
 *
 *     fixture f;
 *     fixture_init(&f, 1, 6, (double[]){1, -2, -3, 4, -5, -6});     // 2x = 0 mod 6: tokens 0 and 3
 *     ...
 *     at_model_release(&f.m); */
#ifndef ATTEST_TEST_TOKEN_TABLE_H
#define ATTEST_TEST_TOKEN_TABLE_H

#include "../refute_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "small_models.h"

typedef struct {
    at_model m;
    at_params p;
    at_subject s;
} fixture;

/* N positions, M tokens; value[x] > 0: says yes to token x. */
static inline void fixture_init(fixture *f, int N, int M, const double *value)
{
    const at_task *t = at_task_find("match2");
    at_model_init(&f->m);
    f->m.width = 1;
    f->m.n_min = f->m.n_max = N;
    f->m.pos_origin = 1;
    f->m.fields = at_new(&f->m.arena, at_field, 1);
    f->m.n_fields = 1;
    f->m.fields[0] = (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = M, .embed = {0, 1, -1}};
    f->m.readout = (at_readout){.kind = AT_READ_THRESHOLD, .rows = 1};
    OK(at_model_layout(&f->m, &err));
    memcpy(at_model_data(&f->m, f->m.fields[0].embed.tensor), value, (size_t)M * sizeof *value);
    *at_model_data(&f->m, f->m.readout.w) = 1;
    at_params_init(&f->p, t->params, t->n_params);
    OK(at_params_set(&f->p, "N", N, &err));
    OK(at_params_set(&f->p, "M", M, &err));
    f->s = (at_subject){.m = &f->m, .arith = at_f64, .task = t, .params = &f->p};
    OK(at_subject_check(&f->s, &err));
}

#endif
