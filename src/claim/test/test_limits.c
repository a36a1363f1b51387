/* test_limits.c: every claim of a limit: its quick cells hold, its controls are rejected with a reason, and it says so whatever the
 * number of threads (asked of every fifth cell).
 *
 * Of each kind of evidence the cell that goes furthest:
 * EVIDENCE disjointness exact 1398100 test_every_trial: part=rank n=1..10, and 7 more
 * EVIDENCE match3-hard exact 4160 test_every_trial: part=gadget n=3 over=0..64, and 2 more
 * EVIDENCE match3-hard simulated 5120 test_every_trial: n=4 H=2 m=4, and 4 more
 * EVIDENCE match3-hard refuted 20 test_every_trial: part=refute n=8 H=1 m=4, and 1 more
 * EVIDENCE match3-sets exact 8192 test_every_trial: part=gadget N=5 M=10..11, and 3 more
 * EVIDENCE match3-sets simulated 5184 test_every_trial: N=6 M=16, and 3 more
 * EVIDENCE match3-sets refuted 4 test_every_trial: part=refute N=33 M=130 m=1
 * EVIDENCE triangle exact 262404 test_every_trial: part=gadget k=1..3, and 2 more
 * EVIDENCE triangle simulated 512 test_every_trial: k=2 D=1 H=1 m=2, and 3 more
 * EVIDENCE triangle sampled 40 test_every_trial: part=right N=24
 * EVIDENCE triangle-row exact 66066 test_every_trial: part=right N=1..4, and 4 more
 * EVIDENCE triangle-row simulated 1024 test_every_trial: N=6, and 4 more
 * EVIDENCE triangle-row refuted 4 test_every_trial: part=refute N=13 m=1, and 1 more
 * EVIDENCE triangle-row sampled 40 test_every_trial: part=right N=24, and 1 more
 * EVIDENCE qsa-attention-hard exact 1364 test_every_trial: part=gadget q=1..5, and 1 more
 * EVIDENCE qsa-attention-hard simulated 1280 test_every_trial: q=3 m=4, and 3 more
 * EVIDENCE qsa-attention-hard refuted 20 test_every_trial: part=refute q=4 m=2, and 1 more
 * EVIDENCE qsa-attention-hard sampled 912 test_every_trial: part=right q=4 R=1..8, and 3 more
 * EVIDENCE qsa-fnn-hard refuted 20 test_every_trial: N=20 d=1 q=1, and 4 more
 * EVIDENCE qsa-fnn-hard sampled 315 test_every_trial: part=right N=2..16, and 2 more
 * EVIDENCE qsa-rnn-hard refuted 20 test_every_trial: N=82 state=4, and 1 more
 * EVIDENCE qsa-rnn-hard sampled 2599 test_every_trial: part=right N=2..24 small=1, and 1 more
 * EVIDENCE compose-bound simulated 4374 test_every_trial: n=3 H=2 d=3, and 4 more
 * EVIDENCE compose-bound refuted 20 test_every_trial: part=refute n=16 H=2 d=2, and 2 more
 * EVIDENCE compose-bound exact 1 test_every_trial: part=binds n=270 H=4 d=16
 * EVIDENCE compose-cot exact 124 test_every_trial: n=1000000 H=1 d=1..4 p=8 T=0..30, and 3 more
 * EVIDENCE funccomp-params exact 3 test_every_trial: L=1..3, and 2 more
 * EVIDENCE arcomm simulated 400 test_every_trial: L=2 m=2 n1=2 prompts=400, and 9 more
 * EVIDENCE indistinguishable refuted 5 test_every_trial: p=3 D=4 steps=20, and 1 more
 * EVIDENCE dp-hard refuted 20 test_every_trial: part=linear a=34 b=2, and 4 more
 * EVIDENCE dp-hard exact 19683 test_every_trial: part=regular a=9 b=3
 * EVIDENCE arith-hard refuted 20 test_every_trial: p=5 operators=10, and 1 more
 * EVIDENCE dp-local-hard refuted 20 test_every_trial: a=40 b=3, and 1 more
 * EVIDENCE dp-local-hard exact 19683 test_every_trial: part=regular a=9 b=3, and 1 more
 * EVIDENCE star-free exact 60 test_every_trial: off=0
 * EVIDENCE hahn refuted 8 test_every_trial: part=pair models=tree, and 11 more
 * EVIDENCE parity-soft certified 3 test_every_trial: N=64, and 4 more
 * EVIDENCE dyck2-soft certified 3 test_every_trial: N=64 mask=causal, and 4 more
 * EVIDENCE ac0 simulated 6144 test_every_trial: L=1 n=8, and 7 more
 * EVIDENCE ac0 exact 2048 test_every_trial: part=compiled n=8
 * EVIDENCE tc0 simulated 3072 test_every_trial: L=1 n=7, and 6 more
 * EVIDENCE tc0 exact 512 test_every_trial: part=compiled n=6, and 1 more
 * EVIDENCE fo-extract exact 20 test_every_trial: part=formulas, and 3 more
 * EVIDENCE fo-extract simulated 50 test_every_trial: part=drawn, and 3 more
 * EVIDENCE foc-upper simulated 24 test_every_trial: part=crasp, and 5 more
 * EVIDENCE fom simulated 24 test_every_trial: weighting=softmax, and 1 more
 * EVIDENCE crasp-equal exact 5 test_every_trial: off=0
 * EVIDENCE pfsa-cot exact 511 test_every_trial: automaton=weather, and 4 more
 * EVIDENCE ptm-cot exact 511 test_every_trial: machine=echo, and 2 more
 * EVIDENCE lm-tight simulated 50 test_every_trial: part=tables, and 4 more
 * EVIDENCE ngram-learn simulated 1 test_every_trial: n=3 symbols=4 N=4 steps=600, and 3 more
 * EVIDENCE qsa-train sampled 400 test_every_trial: N=8 q=2
 * EVIDENCE reasoning-train sampled 1000 test_every_trial: part=needs first=standard second=linear */
#include "claim_test.h"
#include "../../core/test/test_golden.h"

#include <ctype.h>

static const char path[] = "src/claim/test/notes.txt";

static at_verdict answer(const at_claim *c, const at_cell *cell, int threads, at_arena *a)
{
    at_sweep w;
    at_verdict v = {.holds = AT_UNKNOWN};
    uint64_t cases = 0;
    OK(at_cell_sweep(c, cell, AT_TIER_QUICK, NULL, &w, &err));
    for (uint64_t k = 0; k < at_sweep_count(&w); k++) { /* all points; the first that does not hold speaks */
        at_params p;
        at_sweep_nth(&w, k, &p);
        if (TEST_SCALE > 1 && !cell->control && at_params_has(&p, "longest") &&
            at_params_int(&p, "longest") > 5)
            OK(at_params_set(&p, "longest", 5, &err));
        uint64_t inputs = (cell->inputs + 9) / 10; /* a control needs them all to be found out */
        OK(at_claim_check(c, cell, &p, NULL, cell->control ? inputs : TEST_SCALED(inputs), 1,
                          &(at_check_env){.threads = threads}, a, &v, &err));
        cases += v.inputs;
        if (v.holds != AT_TRUE)
            break;
    }
    v.inputs = cases;
    return v;
}

/* What a verdict says of counts and protocols. Refuted and trained models are left out: training may differ in its last bits
 * from machine to machine. So are pairs that are proved where there is Z3. */
static void note_add(at_text *t, const at_claim *c, const at_cell *cell, const at_verdict *v)
{
    bool trained =
        strstr(cell->params, "trained") || !strcmp(c->id, "ngram-learn") || !strcmp(c->id, "crasp-equal");
    if ((v->evidence == AT_EV_EXACT || v->evidence == AT_EV_SIMULATED) && !trained)
        at_text_addf(t, "%s %s%s%s: %ju: %s\n", c->id, cell->quick ? cell->quick : cell->params,
                     cell->control ? " control " : "", cell->control ? cell->control : "",
                     (uintmax_t)v->inputs, v->note);
}

/* Whatever the models are: a decomposition is shown with all its sets, R last, and what is not refuted has a reason. */
static void note_check(const char *id, const char *note)
{
    const char *first = strstr(note, "first: Z_0 = {"), *why = strstr(note, "; not refuted: ");
    if (first && !(strstr(first, "}, Z_1 = {") && strstr(first, "}, R = {")))
        fail_msg("%s: %s", id, note);
    if (why && !isalnum((unsigned char)why[strlen("; not refuted: ")]))
        fail_msg("%s: %s", id, note);
}

static void test_every_trial(void **state)
{
    at_text whole, *notes = test_calloc((size_t)at_n_catalogue, sizeof *notes);
    at_text_init(&whole);
    for (int i = 0; i < at_n_catalogue; i++) {
        const at_claim *c = at_catalogue[claim_order(i)];
        at_text *said = &notes[claim_order(i)];
        int held = 0, rejected = 0;
        at_text_init(said);
        for (int k = 0; c->trial && k < c->n_cells; k++) {
            const at_cell *cell = &c->cells[k];
            if (cell->tier != AT_TIER_QUICK)
                continue;
            if (is_too_long(c)) {
                held = rejected = 1;
                continue;
            }
            at_arena a;
            at_arena_init(&a);
            at_verdict v = answer(c, cell, 2, &a),
                       w = TEST_SCALE > 1 || is_long(c) || (i + k) % 5 ? v : answer(c, cell, 1, &a);
            if (v.holds != (cell->control ? AT_FALSE : AT_TRUE) || !v.note)
                fail_msg("%s %s%s%s: %d, %s", c->id, cell->params, cell->control ? " control " : "",
                         cell->control ? cell->control : "", v.holds, v.note ? v.note : "without a word");
            assert_int_equal(w.holds, v.holds);
            assert_int_equal(w.inputs, v.inputs);
            assert_string_equal(w.note, v.note);
            note_add(said, c, cell, &v);
            note_check(c->id, v.note);
            if (!cell->control)
                evidence_say("test_every_trial", c->id, at_evidence_names[v.evidence], v.inputs,
                             cell->quick ? cell->quick : cell->params);
            held += !cell->control;
            rejected += !!cell->control;
            at_arena_release(&a);
        }
        if (c->trial && (!held || !rejected))
            fail_msg("%s: %d quick cells, %d quick controls", c->id, held, rejected);
    }
    for (int i = 0; i < at_n_catalogue; i++) {
        at_text_addn(&whole, notes[i].s ? notes[i].s : "", notes[i].n);
        at_text_release(&notes[i]);
    }
    if (TEST_SCALED(1000) == 1000) /* else fewer were looked at, and notes say how many */
        golden_check(path, whole.s, *state);
    at_text_release(&whole);
    test_free(notes);
}

/* What the full tier asks of `fom` can be asked: its longest words are few enough to be compared, all of them. */
static void test_full_tier_begins(void **state)
{
    (void)state;
    const at_claim *c = at_claim_find("fom");
    at_err said = {0};
    at_params p;
    at_arena a;
    at_verdict v;
    int full = 0;
    at_arena_init(&a);
    for (int k = 0; k < c->n_cells; k++) {
        at_sweep w;
        if (c->cells[k].tier != AT_TIER_FULL)
            continue;
        OK(at_cell_sweep(c, &c->cells[k], AT_TIER_FULL, NULL, &w, &err));
        at_sweep_nth(&w, 0, &p);
        OK(c->trial(&p, &c->cells[k], 0, 1, NULL, &a, &v, &err)); /* of no models */
        full++;
    }
    assert_true(full >= 3);
    OK(at_params_parse(&p, "V=3 circuit=14", &err));
    assert_int_equal(c->trial(&p, &c->cells[0], 0, 1, NULL, &a, &v, &said), AT_EDOMAIN);
    assert_string_equal(said.text, "circuit=14: these words have 28 input bits, and all are compared to 26");
    at_arena_release(&a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_tier_begins),
        cmocka_unit_test_prestate(test_every_trial, golden_asked(argc, argv) ? (void *)argv : NULL)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
