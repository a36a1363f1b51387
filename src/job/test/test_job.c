/* test_job.c: cells become rows of the ledger: the same rows for every number of threads, served again by the
 * same build only, with counterexamples in words. */
#include "job_test.h"

#include <attest/front.h>

static const at_cell pair_cells[] = {
    {"N=4 M=7", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=7 M=20", NULL, AT_EV_EXACT, AT_ENUM_MULTISETS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=16 M=900", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"N=8 M=64", NULL, AT_EV_SAMPLED, 0, "p20", 20000, AT_TIER_QUICK, NULL},
    {"N=6 M=11", "c=0.02", AT_EV_EXACT, AT_ENUM_MULTISETS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=8 M=64", "c=0.02", AT_EV_SAMPLED, 0, "p20", 20000, AT_TIER_FULL, NULL},
};
static const at_cell average_cells[] = {
    {"N=20 q=2", NULL, AT_EV_EXACT, AT_ENUM_SUBSETS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=16 q=2", "alpha=0.2", AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
};

typedef struct {
    at_claim claim[2];
    const at_claim *list[2];
} catalogue;

static void catalogue_init(catalogue *c)
{
    c->claim[0] = claim_with("match2", pair_cells, 6);
    c->claim[1] = claim_with("qsa-rip", average_cells, 2);
    c->list[0] = &c->claim[0];
    c->list[1] = &c->claim[1];
}

static at_job_summary run(const char *db, at_job job)
{
    catalogue c;
    at_job_summary sum;
    catalogue_init(&c);
    if (db)
        OK(at_ledger_open(db, AT_LEDGER_WRITE, &job.ledger, &err));
    OK(at_job_check(c.list, 2, &job, &sum, &err));
    at_ledger_close(job.ledger);
    return sum;
}

static void test_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    at_text first;
    at_text_init(&first);
    int step = TEST_SCALE > 1 ? 2 : 1;
    for (int k = 0; k < 4; k += step) {
        place p = place_new();
        at_job_summary sum = run(p.db, (at_job){.threads = threads[k], .seed = 1});
        assert_int_equal(sum.claims, 2);
        assert_int_equal(sum.held, 2);
        assert_int_equal(sum.cells, 7); /* one is for the full tier */
        assert_int_equal(sum.controls, 2);
        assert_int_equal(sum.rejected, 2);
        assert_int_equal(sum.bad + sum.unknown + sum.served, 0);
        at_text t = ledger_text(p.db);
        if (k)
            assert_string_equal(t.s, first.s);
        else
            at_text_add(&first, t.s);
        at_text_release(&t);
        place_remove(&p);
    }
    /* every subset is asked, but vectors are drawn: ceil(C(20,2)/20) inputs, and they are samples */
    assert_non_null(strstr(first.s, "|claim|sampled|holds|f64|10|"));
    at_text_release(&first);
}

/* ---- served ----------------------------------------------------------------------------------------------- */

typedef struct {
    int told, served, texts;
    char last[2000];
} ear;

static void hear(void *ctx, const at_job_event *e)
{
    ear *h = ctx;
    h->told++;
    h->served += e->served;
    assert_true(e->good);
    if (e->counterexample) {
        h->texts++;
        snprintf(h->last, sizeof h->last, "%s", e->counterexample);
    }
}

static void test_served_by_the_same_build_only(void **state)
{
    (void)state;
    place p = place_new();
    ear h = {0};
    at_job job = {.threads = 2, .seed = 1, .told = hear, .ctx = &h};
    run(p.db, job);
    assert_int_equal(h.told, 7);
    assert_int_equal(h.served, 0);
    assert_int_equal(h.texts, 2);
    assert_non_null(strstr(h.last, "attention  layer 1 head 1"));
    assert_int_equal(run(p.db, job).served, 7);
    assert_int_equal(h.served, 7);

    /* The same rows under another build, check version or model are history, and not served. */
    at_ledger *l;
    at_row *rows;
    size_t n;
    at_arena a;
    for (int change = 0; change < 3; change++) {
        place q = place_new();
        at_ledger *old;
        at_arena_init(&a);
        OK(at_ledger_open(p.db, AT_LEDGER_READ, &old, &err));
        OK(at_ledger_rows(old, NULL, &rows, &n, &a, &err));
        assert_int_equal(n, 7);
        OK(at_ledger_open(q.db, AT_LEDGER_WRITE, &l, &err));
        for (size_t k = 0; k < n; k++) {
            at_cell_key key = rows[k].key;
            if (change == 0)
                key.build = "0000000000000000";
            else if (change == 1)
                key.check_version++;
            else
                key.model_hash = "0011";
            OK(at_ledger_put(l, &key, &rows[k].rec, &err));
            OK(at_ledger_piece_put(l, &key, 0, "1 0x1p-1 -1 0", &err));
        }
        at_ledger_close(l);
        at_ledger_close(old);
        at_arena_release(&a);
        assert_int_equal(run(q.db, job).served, 0);
        assert_int_equal(run(q.db, job).served, 7);
        place_remove(&q);
    }
    job.seed = 2; /* another question: exact and certified cells carry the seed as well */
    assert_int_equal(run(p.db, job).served, 0);
    place_remove(&p);
}

/* Kept pieces are given back and not computed again: they are forged here, and the verdict shows the forgery. */
static void test_pieces_are_given_back(void **state)
{
    (void)state;
    static const at_cell cell = {"N=8 M=16", NULL, AT_EV_EXACT,   AT_ENUM_MULTISETS,
                                 "f64",      0,    AT_TIER_QUICK, NULL};
    at_claim c = claim_with("match2", &cell, 1);
    const at_claim *list = &c;
    at_job job = {.threads = 2};
    at_job_summary sum;
    at_arena a;
    at_row *rows, *forged;
    size_t n;
    at_arena_init(&a);
    place p = place_new(), q = place_new();
    OK(at_ledger_open(p.db, AT_LEDGER_WRITE, &job.ledger, &err));
    OK(at_job_check(&list, 1, &job, &sum, &err));
    OK(at_ledger_rows(job.ledger, NULL, &rows, &n, &a, &err));
    at_ledger_close(job.ledger);
    assert_int_equal(n, 1);
    for (int all = 0; all < 2; all++) {
        OK(at_ledger_open(q.db, AT_LEDGER_WRITE, &job.ledger, &err));
        for (uint64_t k = 0; k < (all ? 100 : 1); k++)
            OK(at_ledger_piece_put(job.ledger, &rows[0].key, k, "7 0x1p-3 -1 0", &err));
        OK(at_job_check(&list, 1, &job, &sum, &err));
        OK(at_ledger_find(job.ledger, &rows[0].key, &forged, &a, &err));
        assert_non_null(forged);
        assert_true(forged->rec.margin == 0.125 && rows[0].rec.margin > 0.49);
        if (all) /* every piece is the forged one: nothing was run */
            assert_true(forged->rec.inputs % 7 == 0 && forged->rec.inputs < 700);
        else
            assert_true(forged->rec.inputs > 7 && forged->rec.inputs < rows[0].rec.inputs);
        at_ledger_close(job.ledger);
        place_remove(&q);
        q = place_new();
    }
    place_remove(&p);
    place_remove(&q);
    at_arena_release(&a);
}

/* ---- verdicts that are no good ------------------------------------------------------------------------------ */

static void test_bad_and_unknown(void **state)
{
    (void)state;
    static const at_cell cells[] = {
        {"N=4 M=7 c=0.02", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
         NULL}, /* does not hold */
        {"N=4 M=7 c=0.02", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK,
         NULL}, /* not certified: unknown */
        {"N=4 M=7", "c=2", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
         NULL}, /* a control that holds */
        {"N=4 M=7", "c=0.02", AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK,
         NULL}, /* no counterexample: no control */
    };
    at_claim c = claim_with("match2", cells, 4);
    const at_claim *list = &c;
    place p = place_new();
    for (int again = 0; again < 2; again++) {
        at_job job = {.threads = 1};
        at_job_summary sum;
        OK(at_ledger_open(p.db, AT_LEDGER_WRITE, &job.ledger, &err));
        OK(at_job_check(&list, 1, &job, &sum, &err));
        at_ledger_close(job.ledger);
        assert_int_equal(sum.held, 0);
        assert_int_equal(sum.cells, 4);
        assert_int_equal(sum.bad, 2);
        assert_int_equal(sum.unknown, 2);
        assert_int_equal(sum.controls, 2);
        assert_int_equal(sum.rejected, 0);
        assert_int_equal(sum.served, again ? 4 : 0);
    }
    place_remove(&p);
}

static void test_set(void **state)
{
    (void)state;
    place p = place_new();
    ear h = {0};
    catalogue c;
    catalogue_init(&c);
    at_job job = {.threads = 1, .set = "N=3", .told = hear, .ctx = &h};
    at_job_summary sum;
    at_err said = {0};
    OK(at_ledger_open(p.db, AT_LEDGER_WRITE, &job.ledger, &err));
    OK(at_job_check(c.list, 1, &job, &sum, &err));
    at_text t;
    at_ledger_close(job.ledger);
    t = ledger_text(p.db);
    assert_non_null(strstr(t.s, "match2|N=3 M=900 c=1|"));
    at_text_release(&t);
    job = (at_job){.set = "Q=3"};
    assert_int_equal(at_job_check(c.list, 1, &job, &sum, &said), AT_EINPUT);
    job.set = "N=0";
    said = (at_err){0};
    assert_int_equal(at_job_check(c.list, 1, &job, &sum, &said), AT_EDOMAIN);
    place_remove(&p);
}

/* --set makes one question of cells that differed in what it sets; a control that takes bits away is one of the cell's
 * own sizes. */
static void test_set_once(void **state)
{
    (void)state;
    static const at_cell cells[] = {
        {"N=3 M=5", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
        {"N=4 M=5", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
        {"N=4 M=5", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, NULL},
        {"N=4 M=5", NULL, AT_EV_EXACT, AT_ENUM_MULTISETS, "f64", 0, AT_TIER_QUICK, NULL},
        {"N=4 M=5", "arith=p2", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
        {"N=4 M=7", "c=0.02", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    };
    static const struct {
        const char *set, *arith;
        int cells, controls;
    } rows[] = {{NULL, NULL, 6, 2},  {"N=3,M=5", NULL, 4, 1},  {"N=3", NULL, 4, 1},
                {"M=5", NULL, 5, 1}, {"N=3,M=5", "f64", 3, 1}, {"N=2..3", NULL, 4, 1}};
    at_claim c = claim_with("match2", cells, 6);
    const at_claim *list = &c;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_job job = {.threads = 1, .set = rows[k].set, .arith = rows[k].arith};
        at_job_summary sum;
        OK(at_job_check(&list, 1, &job, &sum, &err));
        assert_int_equal(sum.cells, rows[k].cells);
        assert_int_equal(sum.controls, rows[k].controls);
    }
}

typedef struct {
    char words[1024];
} words;

static void hear_controls(void *ctx, const at_job_event *e)
{
    words *w = ctx;
    size_t n = strlen(w->words);
    if (at_row_is_control(e->row))
        snprintf(w->words + n, sizeof w->words - n, "%s %s: %.200s\n", e->row->key.params,
                 e->row->rec.verdict, e->row->rec.detail);
}

/* Controls that can say nothing at the size asked for are told as idle, with the reason, and count for nothing; one that
 * is not rejected at its own size either is a defect. */
static void test_idle_controls(void **state)
{
    (void)state;
    static const at_cell cells[] = {
        {"N=4 M=7", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
        {"N=4 M=7", "arith=p2", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
        {"N=4 M=7", "c=0.02", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
        {"N=4 M=7", "c=2", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    };
    static const struct {
        const char *set;
        int cells, controls, rejected;
        at_standing standing;
        const char *says;
    } rows[] = {
        {NULL, 3, 2, 2, AT_STANDS, "N=4 M=7 c=0.02 fails"},
        {"M=2", 3, 0, 0, AT_STANDS,
         "N=4 M=2 c=0.02 idle: {\"control\":\"c=0.02\",\"note\":\"not rejected at this size; the same check "
         "rejects it at N=4 M=7 c=0.02\""},
        {"M=2", 3, 0, 0, AT_STANDS, "left out: how many bits"},
        {"c=2", 3, 0, 0, AT_STANDS, "left out: it changes a parameter that --set fixes"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_claim c = claim_with("match2", cells, 3);
        const at_claim *list = &c;
        words heard = {{0}};
        at_job job = {.threads = 1, .set = rows[k].set, .told = hear_controls, .ctx = &heard};
        at_job_summary sum;
        OK(at_job_check(&list, 1, &job, &sum, &err));
        assert_int_equal(sum.controls, rows[k].controls);
        assert_int_equal(sum.rejected, rows[k].rejected);
        assert_int_equal(sum.standing, rows[k].standing);
        if (!strstr(heard.words, rows[k].says))
            fail_msg("%s: %s", rows[k].set ? rows[k].set : "", heard.words);
    }
    at_claim c = claim_with("match2", cells, 4);
    const at_claim *list = &c;
    at_job job = {.threads = 1, .set = "M=2"};
    at_job_summary sum;
    OK(at_job_check(&list, 1, &job, &sum, &err));
    assert_int_equal(sum.standing, AT_FALLS);
    assert_int_equal(sum.held, 0);
}

/* ---- counterexamples in words -------------------------------------------------------------------------------- */

/* Many equal weights and one large at the end: it is shown, with the first of the others. */
static void test_counterexample_text(void **state)
{
    (void)state;
    const at_claim *c = at_claim_find("match2");
    at_params p;
    at_model m;
    at_params_init(&p, c->params, c->n_params);
    OK(at_params_parse(&p, "N=60 M=50", &err));
    OK(at_claim_model(c, &p, &m, &err));
    double x[60] = {0};
    for (int k = 0; k < 60; k++)
        x[k] = k < 59 ? 7 : 49;
    at_counterexample cx = {.n = 60, .x = x, .position = 58, .expected = 1, .got = 0};
    x[58] = 1; /* its partner is the last token: weight 1/2, as the blank's; all the others tie */
    at_text t;
    at_text_init(&t);
    OK(at_counterexample_text(&m, at_f64, &cx, &t, &err));
    assert_non_null(strstr(t.s, "position   59 of 60: expected 1, got 0\n"));
    assert_non_null(strstr(t.s, " 49:0.5 "));
    assert_non_null(strstr(t.s, " blank:0.5 ..."));
    int shown = 0;
    for (const char *s = strstr(t.s, "attention"); (s = strstr(s, " 7:")); s++)
        shown++;
    assert_int_equal(shown, 9); /* 12 with 1 (nearer to -1 than 7 is), 49 and the blank */
    at_text_release(&t);
    at_model_release(&m);
}

/* Heads of a layer have numbers of their own, also where groups have several; and what looks equal says how far off it
 * is. */
static void test_heads_and_errors(void **state)
{
    (void)state;
    at_model m;
    at_model_init(&m);
    at_group *g = at_new(&m.arena, at_group, 2);
    m.fields = at_new(&m.arena, at_field, m.n_fields = 1);
    m.blocks = at_new(&m.arena, at_block, m.n_blocks = 2);
    assert_true(g && m.fields && m.blocks);
    m.width = m.n_min = 1;
    m.n_max = 4;
    m.pos_origin = 1;
    m.fields[0] =
        (at_field){.name = "x", .kind = AT_FIELD_REAL, .size = 1, .lo = -1, .hi = 1, .embed = {0, 1, 0}};
    for (int k = 0; k < 2; k++) {
        g[k] = (at_group){.heads = 2 + k, .dk = 1, .dv = 1, .scale = 1};
        m.blocks[k] = (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .groups = g, .n_groups = 2};
    }
    m.blocks[1].groups = at_new(&m.arena, at_group, 2);
    assert_non_null(m.blocks[1].groups);
    memcpy(m.blocks[1].groups, g, 2 * sizeof *g);
    m.readout = (at_readout){.kind = AT_READ_RAW, .rows = 1};
    OK(at_model_layout(&m, &err));
    double x[1] = {0.5};
    at_counterexample cx = {.n = 1, .x = x, .position = 0, .expected = 907016, .got = 907016.000001};
    at_text t;
    at_text_init(&t);
    OK(at_counterexample_text(&m, at_f64, &cx, &t, &err));
    assert_non_null(strstr(t.s, "expected 907016, got 907016, off by 1e-06\n"));
    for (int layer = 1; layer <= 2; layer++)
        for (int head = 1; head <= 6; head++) {
            char line[64];
            snprintf(line, sizeof line, "layer %d head %d,", layer, head);
            const char *first = strstr(t.s, line);
            assert_int_equal(first != NULL, head <= 5);
            assert_true(!first || !strstr(first + 1, line)); /* once */
        }
    cx.got = 907017;
    t.n = 0;
    OK(at_counterexample_text(&m, at_f64, &cx, &t, &err));
    assert_non_null(strstr(t.s, "expected 907016, got 907017\n"));
    at_text_release(&t);
    at_model_release(&m);
}

/* ---- out of memory ------------------------------------------------------------------------------------------- */

static void test_out_of_memory(void **state)
{
    (void)state;
    static const at_cell cells[] = {
        {"N=2 M=4", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
        {"N=3 M=5", "c=0.005", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
        {"N=2 M=4", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    };
    at_claim c = claim_with("match2", cells, 3);
    const at_claim *list = &c;
    int failed = 0;
    for (long nth = 1;; nth += TEST_SCALE > 1 ? 4 : 1) {
        place p = place_new();
        at_job job = {.threads = 2};
        at_job_summary sum;
        at_err said = {0};
        OK(at_ledger_open(p.db, AT_LEDGER_WRITE, &job.ledger, &err));
        at_alloc_inject(nth);
        at_status s = at_job_check(&list, 1, &job, &sum, &said);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        if (s) {
            assert_true(fired);
            if (s != AT_ENOMEM || strcmp(said.text, "out of memory"))
                fail_msg("allocation %ld: status %d, %s", nth, s, said.text);
            failed++;
            OK(at_job_check(&list, 1, &job, &sum, &err)); /* and it goes on from there */
        }
        assert_int_equal(sum.held, 1);
        assert_int_equal(sum.rejected, 1);
        at_ledger_close(job.ledger);
        place_remove(&p);
        if (!fired)
            break;
    }
    assert_true(failed > (TEST_SCALE > 1 ? 25 : 100));
}

/* A token that has a word is said in it. */
static void test_counterexample_words(void **state)
{
    (void)state;
    at_model m;
    OK(at_expr_model(&(at_expr_spec){.p = 5, .operators = 1}, &m, &err));
    m.decode.enabled = false; /* a model that answers at positions, over the same words */
    double x[] = {AT_EXPR_NUMBER + 1, AT_EXPR_ADD, AT_EXPR_NUMBER + 2};
    at_counterexample cx = {
        .n = 3, .x = x, .position = 1, .expected = AT_EXPR_NUMBER + 4, .got = AT_EXPR_EQUALS};
    at_text t;
    at_text_init(&t);
    OK(at_counterexample_text(&m, at_f64, &cx, &t, &err));
    assert_non_null(strstr(t.s, "input      1 + 2\n"));
    assert_non_null(strstr(t.s, "position   2 of 3: expected 4, got =\n"));
    at_text_release(&t);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_served_by_the_same_build_only),
        cmocka_unit_test(test_pieces_are_given_back),
        cmocka_unit_test(test_bad_and_unknown),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_set_once),
        cmocka_unit_test(test_idle_controls),
        cmocka_unit_test(test_counterexample_text),
        cmocka_unit_test(test_heads_and_errors),
        cmocka_unit_test(test_counterexample_words),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
