/* test_texts.c: the program of every claim, at the sizes of its cells and at its least ones, is what its text says. */
#include "claim_test.h"

#include "../../program/test/text_test.h"

/* Whether there is such a program, and it assembles. */
static bool claim_text(const at_claim *c, const at_params *p)
{
    at_program *P = NULL;
    at_text what;
    at_text_init(&what);
    at_text_addf(&what, "%s ", c->id);
    at_params_print(p, &what);
    bool assembled = !at_claim_program(c, p, &P, NULL) && !at_program_status(P, NULL) && text_same(P, what.s);
    at_program_free(P);
    at_text_release(&what);
    return assembled;
}

static void test_catalogue(void **state)
{
    (void)state;
    int programs = 0;
    for (int i = 0; i < at_n_catalogue; i++) {
        const at_claim *c = at_catalogue[i];
        int of_this = 0;
        if (c->trial)
            continue;
        for (int k = 0; k < c->n_cells; k++) {
            at_sweep sweep;
            at_params p;
            if (c->cells[k].tier != AT_TIER_QUICK)
                continue;
            OK(at_cell_sweep(c, &c->cells[k], AT_TIER_QUICK, NULL, &sweep, &err));
            at_sweep_nth(&sweep, 0, &p);
            of_this += claim_text(c, &p);
            if (at_sweep_count(&sweep) > 1) {
                at_sweep_nth(&sweep, at_sweep_count(&sweep) - 1, &p);
                of_this += claim_text(c, &p);
            }
        }
        for (int k = 0;
             k<2 * c->n_params; k += TEST_SCALE> 1 ? 3 : 1) { /* each parameter alone at its least values */
            const at_param *row = &c->params[k / 2];
            at_params p;
            at_params_init(&p, c->params, c->n_params);
            if (row->integer && !at_params_set(&p, row->name, row->lo + k % 2, NULL))
                of_this += claim_text(c, &p);
        }
        assert_true(of_this >= 2);
        programs += of_this;
    }
    print_message("%d programs\n", programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_catalogue)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
