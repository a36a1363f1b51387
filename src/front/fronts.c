/* fronts.c: the table of front ends. */
#include <string.h>

#include <attest/front.h>

const at_front *const at_fronts[] = {&at_front_dp, &at_front_expr};
const int at_n_fronts = sizeof at_fronts / sizeof at_fronts[0];

const at_front *at_front_of(const at_problem *p)
{
    for (int k = 0; p->lang && k < at_n_fronts; k++)
        if (strcmp(at_fronts[k]->lang, p->lang) == 0)
            return at_fronts[k];
    return NULL;
}

at_status at_front_shape(const at_front *f, const at_params *p, const at_front_options *o, at_model *m,
                         at_err *err)
{
    return (f->shape ? f->shape : f->model)(p, o, m, err);
}
