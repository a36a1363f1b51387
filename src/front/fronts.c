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
