/* test_hashes.c: constructions give the same bits on every machine, with every compiler, and tomorrow: the hash of the model of
 * every cell of the quick tier, controls among them, and the bound on its error, against hashes.txt. */
#include "claim_test.h"

#include "../../core/test/test_golden.h"

static const char path[] = "src/claim/test/hashes.txt";

/* The model, and for constructions of one program the bound on its error. */
static at_status model_make(const at_claim *c, const at_params *p, at_model *m, double *error)
{
    at_program *P = NULL;
    *error = 0;
    at_status s = at_claim_has_program(c) ? at_claim_program(c, p, &P, NULL) : AT_OK;
    if (!s)
        s = !c->decoder ? at_assemble(P, m, error, NULL) : at_claim_model(c, p, m, NULL);
    if (!s && c->decoder && P) {
        at_model again;
        s = at_assemble(P, &again, error, NULL);
        if (!s)
            at_model_release(&again);
    }
    at_program_free(P);
    return s;
}

static void cell_add(const at_claim *c, const at_cell *cell, at_text *out)
{
    at_sweep sweep;
    at_model m;
    at_params p;
    at_text head;
    char hash[65];
    double error;
    OK(at_cell_sweep(c, cell, AT_TIER_QUICK, NULL, &sweep, &err));
    at_sweep_nth(&sweep, 0, &p);
    at_text_init(&head);
    at_text_addf(&head, "\n%s %s%s%s: ", c->id, cell->quick ? cell->quick : cell->params,
                 cell->control ? " " : "", cell->control ? cell->control : "");
    if (!strstr(out->s, head.s)) { /* the same model in another arithmetic is no other model */
        assert_int_equal(model_make(c, &p, &m, &error), AT_OK);
        OK(at_model_hash(&m, hash, &err));
        at_text_addf(out, "%s%.16s %.9g", head.s, hash, error);
        at_model_release(&m);
    }
    at_text_release(&head);
}

/* Each parameter alone at its two least values: ends of ranges have cases of their own in some proofs. */
static void ends_add(const at_claim *c, at_text *out)
{
    for (int k = 0; k < 2 * c->n_params; k++) {
        const at_param *row = &c->params[k / 2];
        at_params p;
        at_model m;
        char hash[65];
        double error;
        at_params_init(&p, c->params, c->n_params);
        if (!row->integer || at_params_set(&p, row->name, row->lo + k % 2, NULL))
            continue;
        at_text_addf(out, "\n%s %s=%.0f alone: ", c->id, row->name, row->lo + k % 2);
        if (model_make(c, &p, &m, &error)) {
            at_text_add(out, "refused");
            continue;
        }
        OK(at_model_hash(&m, hash, &err));
        at_text_addf(out, "%.16s %.9g", hash, error);
        at_model_release(&m);
    }
}

static void test_hashes(void **state)
{
    int models = 0;
    at_text made;
    at_text_init(&made);
    at_text_add(&made, "claim, parameters, control: the first 16 digits of the hash, and the error bound");
    for (int k = 0; k < at_n_catalogue; k++) {
        for (int i = 0; i < at_catalogue[k]->n_cells && !at_catalogue[k]->trial; i++)
            if (at_catalogue[k]->cells[i].tier == AT_TIER_QUICK)
                cell_add(at_catalogue[k], &at_catalogue[k]->cells[i], &made);
        if (!at_catalogue[k]->trial)
            ends_add(at_catalogue[k], &made);
    }
    at_text_add(&made, "\n");
    for (const char *s = made.s; (s = strchr(s, '\n')); s++)
        models++;
    assert_true(models > 100);
    golden_check(path, made.s, *state);
    at_text_release(&made);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_hashes, golden_asked(argc, argv) ? (void *)argv : NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
