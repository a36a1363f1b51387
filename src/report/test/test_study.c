/* test_study.c: trained rows become cells, medians, least widths and verdicts on the paper's order; what is not known
 * is not told; foreign details break their own row and nothing else. */
#include "../../core/test/test_folder.h"
#include "../../picture/test/heat_test.h"
#include "study_test.h"

#include <jansson.h>

static at_study study_of(sweep *s)
{
    at_study st;
    at_err err = {0};
    assert_int_equal(at_study_make(s->rows, s->n, "this", &s->a, &st, &err), AT_OK);
    return st;
}

static const at_study_least *least_at(const at_study_group *g, int task, int attention, int size)
{
    return &g->tasks[task].least[attention * g->tasks[task].n_sizes + size];
}

static void assert_least(const at_study_least *l, const char *wanted)
{
    char text[48];
    assert_string_equal(at_study_least_text(text, l), wanted);
}

/* ---- medians ------------------------------------------------------------------------------------------ */

static void medians_are_exact(void **state)
{
    (void)state;
    assert_true(at_study_median((double[]){3, 1, 2}, 3) == 2);
    assert_true(at_study_median((double[]){4, 1, 3, 2}, 4) == 2.5);
    assert_true(at_study_median((double[]){7}, 1) == 7);
    assert_true(isnan(at_study_median(NULL, 0)));
    sweep s;
    sweep_begin(&s, 16);
    static const double odd[] = {0.5, 0.96875, 0.9375}, even[] = {0.875, 0.9375};
    for (int i = 0; i < 3; i++)
        run_add(&s, "lis", 0, 10, 32, 3 - i, odd[i], "constructible");
    for (int i = 0; i < 2; i++)
        run_add(&s, "lis", 2, 10, 32, i, even[i], i ? "silent" : "impossible");
    at_study st = study_of(&s);
    assert_int_equal(st.n_runs, 5);
    assert_int_equal(st.n_groups, 1);
    const at_study_task *t = &st.groups[0].tasks[0];
    assert_int_equal(t->n_cells, 2);
    const at_study_cell *e = at_study_find(t, AT_ATTENTION_STANDARD, 10, 32);
    assert_true(e->median == 0.9375 && e->least == 0.5 && e->most == 0.96875 && e->n == 3);
    assert_true(e->chain == 0.9375 * 0.9375);
    assert_true(e->gflops_to_90 == 300.5); /* two of three got there */
    assert_int_equal(e->mark, AT_THEORY_CONSTRUCTIBLE);
    assert_false(e->mixed);
    for (int i = 0; i < 3; i++)
        assert_int_equal(e->runs[i]->row->rec.seed, i + 1);
    e = at_study_find(t, AT_ATTENTION_LINEAR, 10, 32);
    assert_true(e->median == 0.90625);
    assert_true(isnan(e->gflops_to_90)); /* one of two */
    assert_int_equal(e->mark, AT_THEORY_SILENT);
    assert_null(at_study_find(t, AT_ATTENTION_SPARSE, 10, 32));
    assert_false(e->mixed);
    run_add(&s, "lis", 2, 10, 32, 7, 0.5, "silent")->key.params =
        "n=10 alphabet=3"; /* another task, in truth */
    st = study_of(&s);
    t = &st.groups[0].tasks[0];
    assert_true(at_study_find(t, AT_ATTENTION_LINEAR, 10, 32)->mixed);
    at_heat h;
    at_err err = {0};
    assert_int_equal(at_study_heat(&st.groups[0], &s.a, &h, &err), AT_OK);
    assert_non_null(strstr(h.note, "1 cell holds runs that differ in more than the seed"));
    assert_non_null(strstr(h.note, "3 runs a cell"));
    assert_null(at_study_find(t, AT_ATTENTION_LINEAR, 11, 32));
    sweep_end(&s);
}

static void percentages_are_rounded_down(void **state)
{
    (void)state;
    char out[16];
    static const struct {
        double v;
        const char *whole, *tenth;
    } cases[] = {{0, "0", "0.0"},        {1, "100", "100.0"},    {0.29, "29", "29.0"},
                 {0.8996, "89", "89.9"}, {0.9999, "99", "99.9"}, {0.9, "90", "90.0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_percent_text(out, cases[i].v, 0);
        assert_string_equal(out, cases[i].whole);
        at_percent_text(out, cases[i].v, 1);
        assert_string_equal(out, cases[i].tenth);
    }
}

static void least_widths(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 64);
    /* standard: 0.5 0.9 0.5 1; sparse: all run, in vain; linear: 32 was not run, 64 gets there */
    static const double standard[] = {0.5, 0.9, 0.5, 1};
    for (int w = 0; w < 4; w++)
        run_add(&s, "lis", 0, 10, 16 << w, 1, standard[w], "silent");
    for (int w = 0; w < 4; w++)
        run_add(&s, "lis", 1, 10, 16 << w, 1, 0.8999, "silent");
    for (int w = 0; w < 4; w++)
        if (w != 1)
            run_add(&s, "lis", 2, 10, 16 << w, 1, w < 2 ? 0.1 : 0.95, "silent");
    run_add(&s, "lis", 0, 20, 16, 1, 0.2, "silent"); /* wider ones were not run */
    run_add(&s, "lis", 1, 20, 128, 1, 0.2, "silent");
    at_study st = study_of(&s);
    const at_study_group *g = &st.groups[0];
    assert_least(least_at(g, 0, 0, 0), "32");
    assert_least(least_at(g, 0, 1, 0), "> 128");
    assert_least(least_at(g, 0, 2, 0), "\xE2\x89\xA4 64");
    assert_true(least_at(g, 0, 2, 0)->lo == 32);
    assert_least(least_at(g, 0, 0, 1), "\xE2\x89\xA5 32");
    assert_least(least_at(g, 0, 1, 1), "\xE2\x89\xA5 16");
    assert_least(least_at(g, 0, 2, 1), "not run");
    double gflops =
        72e-9 * 32 * 32 * 23; /* printed with six digits: off by half a unit of the last at most */
    assert_true(fabs(least_at(g, 0, 0, 0)->gflops - gflops) <= 5e-6 * gflops);
    assert_true(isnan(least_at(g, 0, 1, 0)->gflops));
    at_text t;
    at_text_init(&t);
    at_err err = {0};
    assert_int_equal(at_study_text(g, 80, &t, &err), AT_OK);
    assert_non_null(strstr(t.s, "  lis   n=10             23        32   > 128     \xE2\x89\xA4 64\n"));
    assert_null(strstr(t.s, "0.027")); /* the paper's table stands beside arithmetic only */
    at_text_release(&t);
    sweep_end(&s);
}

/* ---- the paper's order -------------------------------------------------------------------------------------- */

/* task, attention, size -> another least width (-1: not run); what becomes of the seven statements. + agrees, - disagrees,
 * ? cannot tell */
static void verdicts_on_the_order(void **state)
{
    (void)state;
    enum { LIS, ED, LOCAL, ARITH, STD = 0, SPARSE, LINEAR };
    static const struct {
        int n, change[4][4];
        const char *wanted, *words;
    } cases[] = {
        {0, {{0}}, "+++++++", "24 for it, 0 against it, 0 open"},
        {1, {{LIS, SPARSE, 0, 0}}, "?++++++", "lis n=10: standard 16, sparse 16"}, /* a tie */
        {1, {{LIS, STD, 0, 2}}, "-++++++", "lis n=10: standard 64, sparse 32"},    /* sparse 32 is less */
        {1, {{ARITH, STD, 2, 1}}, "?-+++++", "arithmetic n=6 to 8: 16, then 32"},  /* it grows; 32 is a tie */
        {1, {{LIS, STD, 1, -1}}, "??+++++", "standard not run"},
        {1, {{LIS, STD, 2, 4}}, "--++--+", "lis n=30: standard > 128, sparse 128"},
        {3,
         {{ED, LINEAR, 0, 0}, {ED, LINEAR, 1, 0}, {ED, LINEAR, 2, 0}},
         "?++++--",
         "linear n=6: ed 16, ed-local 32"},
        {3,
         {{ARITH, SPARSE, 0, 3}, {ARITH, SPARSE, 1, 3}, {ARITH, SPARSE, 2, 3}},
         "++++?-+",
         "arithmetic (n=8) 128 to 16"},
        {1, {{LOCAL, LINEAR, 1, 3}}, "++++++-", "linear n=9: ed 64, ed-local 128"},
        {1, {{LOCAL, SPARSE, 1, -1}}, "?+++++?", "sparse n=9: ed 32, ed-local not run"},
        {2, {{ED, SPARSE, 2, 4}, {LOCAL, SPARSE, 2, 4}}, "++++-+?", "sparse n=12: ed > 128, ed-local > 128"},
        /* what would decide it is of its own tasks and attentions: nothing of lis */
        {3,
         {{LIS, SPARSE, 2, 4}, {ED, SPARSE, 2, 4}, {LOCAL, SPARSE, 2, 4}},
         "++++?+?",
         "ed-local > 128. Deciding it takes more than the widest, or longer trainings: ed sparse n=12, "
         "ed-local "
         "sparse n=12."},
        {3,
         {{LIS, SPARSE, 0, -1}, {LIS, SPARSE, 1, -1}, {LIS, SPARSE, 2, -1}},
         "?++???+",
         "sparse not run, not run"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan_widths p = paper_widths;
        for (int k = 0; k < cases[i].n; k++)
            p.v[cases[i].change[k][0]][cases[i].change[k][1]][cases[i].change[k][2]] = cases[i].change[k][3];
        sweep s;
        sweep_plan(&s, &p);
        at_study st = study_of(&s);
        at_study_order o[AT_STUDY_ORDERS];
        at_err err = {0};
        assert_int_equal(at_study_orders(&st.groups[0], &s.a, o, &err), AT_OK);
        char got[AT_STUDY_ORDERS + 1] = "";
        bool told = false;
        for (int k = 0; k < AT_STUDY_ORDERS; k++) {
            got[k] = "-+?"[o[k].verdict];
            told = told || strstr(o[k].why, cases[i].words);
        }
        if (strcmp(got, cases[i].wanted) || !told)
            fail_msg("case %zu: %s, wanted %s; '%s' %s; i: %s; v: %s", i, got, cases[i].wanted,
                     cases[i].words, told ? "told" : "not told", o[0].why, o[4].why);
        sweep_end(&s);
    }
}

static void linear_can_disagree(void **state)
{
    (void)state;
    sweep s; /* narrower than standard at every size, and flat */
    sweep_begin(&s, 64);
    for (int z = 10; z <= 20; z += 10)
        for (int w = 0; w < 3; w++) {
            run_add(&s, "lis", 0, z, 16 << w, 1, w >= 1 ? 0.95 : 0.5, "silent");
            run_add(&s, "lis", 2, z, 16 << w, 1, 0.95, "silent");
        }
    run_add(&s, "a file.txt", 2, 5, 16, 1, 0.95, "silent"); /* not the paper's task: nothing is said of it */
    at_study st = study_of(&s);
    at_study_order o[AT_STUDY_ORDERS];
    at_err err = {0};
    assert_int_equal(at_study_orders(&st.groups[0], &s.a, o, &err), AT_OK);
    static const at_tri wanted[] = {AT_FALSE,   AT_TRUE,    AT_FALSE,  AT_UNKNOWN,
                                    AT_UNKNOWN, AT_UNKNOWN, AT_UNKNOWN};
    for (int k = 0; k < AT_STUDY_ORDERS; k++) {
        assert_int_equal(o[k].verdict, wanted[k]);
        assert_null(strstr(o[k].why, "file"));
    }
    assert_non_null(strstr(o[4].why, "ed not trained"));
    assert_non_null(strstr(o[6].why, "not both trained. Deciding it takes trainings of ed, ed-local."));
    assert_non_null(strstr(o[4].why, "Deciding it takes trainings of ed, arithmetic."));
    sweep_end(&s);
    sweep_begin(&s, 4); /* least on one task: of every task nothing is known */
    for (int m = 0; m < 3; m++)
        run_add(&s, "lis", m, 10, 16, 1, m ? 0.5 : 0.95, "silent");
    st = study_of(&s);
    assert_int_equal(at_study_orders(&st.groups[0], &s.a, o, &err), AT_OK);
    assert_int_equal(o[0].verdict, AT_UNKNOWN);
    assert_non_null(strstr(o[0].why, "2 for it, 0 against it, 3 open. Open: ed not trained; ed-local not"));
    sweep_end(&s);
    sweep_begin(&s, 4);
    run_add(&s, "mine", 2, 5, 16, 1, 0.95, "silent");
    st = study_of(&s);
    assert_int_equal(at_study_orders(&st.groups[0], &s.a, o, &err), AT_OK);
    for (int k = 0; k < AT_STUDY_ORDERS; k++)
        assert_int_equal(o[k].verdict, AT_UNKNOWN);
    sweep_end(&s);
}

/* ---- builds ------------------------------------------------------------------------------------------------- */

static void one_answer_a_question(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 16);
    run_add(&s, "lis", 0, 10, 32, 1, 0.25, "silent")->key.build = "old";
    run_add(&s, "lis", 0, 10, 32, 1, 0.75, "silent");
    at_row *r = run_add(&s, "lis", 0, 10, 32, 1, 0.5, "silent"); /* later, but another build's */
    r->key.build = "newer";
    r->rec.when = "2027-01-01";
    run_add(&s, "ed", 0, 10, 32, 1, 0.25, "silent")->key.build = "old"; /* nobody's here: the latest counts */
    r = run_add(&s, "ed", 0, 10, 32, 1, 0.5, "silent");
    r->key.build = "newer";
    r->rec.when = "2027-01-01";
    run_add(&s, "ed", 0, 10, 64, 1, 0.5, "silent")->rec.role = "claim"; /* no training at all */
    at_study st = study_of(&s);
    assert_int_equal(st.n_runs, 5);
    assert_int_equal(st.n_superseded, 3);
    assert_int_equal(st.n_other, 4);
    const at_study_group *g = &st.groups[0];
    assert_string_equal(g->tasks[0].id, "lis");
    assert_int_equal(g->tasks[0].cells[0].n, 1);
    assert_true(g->tasks[0].cells[0].median == 0.75);
    assert_true(g->tasks[1].cells[0].median == 0.5);
    sweep_end(&s);
}

/* ---- curves ---------------------------------------------------------------------------------------------------- */

static const char *const good_detail =
    "{\"preset\":\"p\",\"attention\":\"linear\",\"width\":8,\"layers\":1,\"heads\":1,\"parameters\":9,"
    "\"size\":3,"
    "\"size_name\":\"n\",\"length\":9,\"steps\":30,\"batch\":4,\"rate\":0.001,\"tokens\":99,"
    "\"loss\":[[10,4],[20,2],[30,1]],\"accuracy\":[[30,0.5,0.25]],\"answer\":0.5,\"chain\":0.25,"
    "\"first_wrong\":2.5,\"gflops_chain\":0.1,\"gflops_trained\":1,\"gflops_to_90\":null,\"mark\":\"silent\","
    "\"why\":null,\"flags\":\"--x\"}";

static char *with(at_arena *a, const char *from, const char *to)
{
    const char *at = strstr(good_detail, from);
    assert_non_null(at);
    return at_arena_printf(a, "%.*s%s%s", (int)(at - good_detail), good_detail, to, at + strlen(from));
}

/* Seeds of one recipe may end after different steps, when enough is learnt; another recipe is another training, though all
 * that is told of it is equal. */
static void mixed_recipes(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    row_add(&s, "lis", "n=3", "train steps=40 seed=1", 1, "fails", good_detail);
    row_add(&s, "lis", "n=3", "train steps=40 seed=22", 22, "fails",
            with(&s.a, "\"steps\":30", "\"steps\":40"));
    at_study st = study_of(&s);
    assert_int_equal(st.groups[0].tasks[0].cells[0].n, 2);
    assert_false(st.groups[0].tasks[0].cells[0].mixed);
    row_add(&s, "lis", "n=3", "train steps=50 seed=3", 3, "fails", good_detail);
    st = study_of(&s);
    assert_true(st.groups[0].tasks[0].cells[0].mixed);
    sweep_end(&s);
}

static void curves_have_medians(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    const char *loss = "[[10,4],[20,2],[30,1]]";
    row_add(&s, "lis", "n=3", "q1", 1, "fails", with(&s.a, loss, "[[10,9],[20,2],[25,2],[30,2.5]]"));
    row_add(&s, "lis", "n=3", "q2", 2, "fails", with(&s.a, loss, "[[10,5],[20,null],[30,3]]"));
    row_add(&s, "lis", "n=3", "q3", 3, "fails", good_detail);
    at_study st = study_of(&s);
    assert_int_equal(st.n_broken, 0);
    at_plot p;
    at_err err = {0};
    assert_int_equal(
        at_study_curves(&st.groups[0].tasks[0], AT_ATTENTION_LINEAR, 3, AT_CURVE_LOSS, &s.a, &p, &err),
        AT_OK);
    assert_int_equal(p.n_series, 4);
    assert_true(p.logy);
    const at_series *m = &p.series[3];
    assert_int_equal(m->line, AT_LINE_BOLD);
    assert_int_equal(p.series[0].line, AT_LINE_THIN);
    assert_int_equal(m->n, 3);
    assert_true(m->x[0] == 10 && m->y[0] == 5);
    assert_true(m->x[1] == 20 && isnan(m->y[1]));
    assert_true(m->x[2] == 30 && m->y[2] == 2.5);
    at_text t;
    at_text_init(&t);
    assert_int_equal(at_plot_svg(&p, &t, &err), AT_OK);
    assert_null(markup_fault(t.s));
    assert_int_equal(occurrences(t.s, ">width 8<"), 1);
    assert_int_equal(occurrences(t.s, "stroke-opacity=\"0.45\""),
                     3 - 1); /* seed 2 is left with two single points */
    at_text_release(&t);
    assert_int_equal(
        at_study_curves(&st.groups[0].tasks[0], AT_ATTENTION_LINEAR, 3, AT_CURVE_CHAIN, &s.a, &p, &err),
        AT_OK);
    assert_true(p.series[3].n == 1 && p.series[3].y[0] == 0.25);
    assert_int_equal(
        at_study_curves(&st.groups[0].tasks[0], AT_ATTENTION_SPARSE, 3, AT_CURVE_LOSS, &s.a, &p, &err),
        AT_OK);
    assert_int_equal(p.n_series, 0);
    sweep_end(&s);
}

/* ---- strangers -------------------------------------------------------------------------------------------------- */

static const char *fault_of(const char *detail, const char *verdict)
{
    static char fault[200];
    sweep s;
    sweep_begin(&s, 1);
    row_add(&s, "lis", "n=3", "q", 1, verdict, detail);
    at_study st = study_of(&s);
    assert_int_equal(st.n_runs, 1);
    assert_int_equal(st.n_broken, st.runs[0].broken != NULL);
    assert_int_equal(st.n_groups, !st.runs[0].broken);
    snprintf(fault, sizeof fault, "%s", st.runs[0].broken ? st.runs[0].broken : "");
    sweep_end(&s);
    return fault;
}

/* Every key, missing or of every other type or out of range: the row is broken and the fault names the key. */
static void details_are_checked_key_by_key(void **state)
{
    (void)state;
    assert_string_equal(fault_of(good_detail, "fails"), "");
    assert_non_null(strstr(fault_of(good_detail, "holds"), "verdict"));
    assert_non_null(strstr(fault_of(good_detail, "unknown"), "verdict"));
    static const char *const values[] = {NULL,   "null", "true",  "\"\"",          "\"x\"",
                                         "[]",   "{}",   "-1",    "0.5",           "1e300",
                                         "-0.1", "[[]]", "[[1]]", "[[2,1],[1,1]]", "[[0,\"a\",1]]"};
    json_t *good = json_loads(good_detail, 0, NULL), *v;
    const char *key;
    int broken = 0, all = 0;
    json_object_foreach(good, key, v)
    {
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            json_t *o = json_copy(good);
            if (values[i])
                json_object_set_new(o, key, json_loads(values[i], JSON_DECODE_ANY, NULL));
            else
                json_object_del(o, key);
            char *detail = json_dumps(o, 0);
            const char *fault = fault_of(detail, "fails");
            if (*fault && strncmp(fault, key, strlen(key)))
                fail_msg("%s = %s: '%s'", key, values[i] ? values[i] : "missing", fault);
            broken += *fault != '\0';
            all++;
            free(detail);
            json_decref(o);
        }
    }
    json_decref(good);
    /* 24 keys x 15 values. Let through: x as preset and size_name (2); "", x, null, missing as why (4); all as flags (15);
     * null as first_wrong and the three GFLOPs (4); [] as loss and accuracy (2); 0.5 as rate, answer, chain, first_wrong and
     * the three GFLOPs (7). */
    assert_int_equal(all, 360);
    assert_int_equal(all - broken, 34);
}

static void hostile_details_break_their_row_only(void **state)
{
    (void)state;
    enum { DEEP = 5000, LONG = 300000 };
    char *deep = malloc(2 * DEEP + 16), *p = deep, *longer = malloc(LONG + 1);
    p += sprintf(p, "{\"a\":");
    memset(p, '[', DEEP);
    memset(p + DEEP, ']', DEEP);
    strcpy(p + 2 * DEEP, "}");
    memset(longer, ' ', LONG);
    memcpy(longer + LONG - strlen(good_detail), good_detail, strlen(good_detail));
    longer[LONG] = '\0';
    sweep s;
    sweep_begin(&s, 64);
    static const char *const details[] = {"",
                                          "{",
                                          "[]",
                                          "null",
                                          "\"<script>alert(1)</script>\"",
                                          "{\"preset\":1e999}",
                                          "{\"preset\":\"\\u0000\"}",
                                          "{\"preset\":\"\xFF\"}"};
    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        row_add(&s, "lis", "n=3", "q", i, "fails", details[i]);
    row_add(&s, "lis", "n=3", "q", 100, "fails", deep);
    row_add(&s, "lis", "n=3", "q", 101, "fails", longer);
    row_add(&s, "lis", "n=3", "q", 102, "fails", "")->rec.detail = NULL;
    size_t bad = s.n;
    row_add(&s, "lis", "n=3", "q", 103, "fails", good_detail);
    at_study st = study_of(&s);
    assert_int_equal(st.n_runs, bad + 1);
    assert_int_equal(st.n_broken, bad);
    assert_int_equal(st.n_groups, 1);
    assert_null(st.runs[0].broken); /* what is whole stands first */
    free(deep);
    free(longer);
    sweep_end(&s);
}

static void lines_fit(const at_study_group *g)
{
    for (int w = 1; w <= 120; w += w < 40 ? 3 : 20) {
        at_text t;
        at_err err = {0};
        at_text_init(&t);
        assert_int_equal(at_study_text(g, w, &t, &err), AT_OK);
        assert_true(text_clean(t.s));
        for (char *line = strtok(t.s, "\n"); line; line = strtok(NULL, "\n"))
            assert_true(at_text_columns(line) <= w);
        at_text_release(&t);
    }
}

static void hostile_names_are_harmless(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOSTILE; i++) {
        sweep s;
        sweep_begin(&s, 4);
        json_t *o = json_loads(good_detail, 0, NULL), *h = json_string_nocheck(hostile[i]);
        static const char *const keys[] = {"preset", "size_name", "why", "flags"};
        for (int k = 0; k < 4; k++)
            json_object_set_nocheck(o, keys[k], h);
        char *detail = json_dumps(o, 0);
        at_row *r = row_add(&s, hostile[i], hostile[i], hostile[i], 1, "fails", detail ? detail : hostile[i]);
        r->key.build = hostile[i];
        at_study st = study_of(&s);
        at_text t;
        at_err err = {0};
        at_text_init(&t);
        assert_int_equal(at_report_html(&(at_report_about){.build = "this"}, NULL, 0, s.rows, s.n, &t, &err),
                         AT_OK);
        const char *fault = markup_fault(t.s);
        if (fault)
            fail_msg("not well formed at %s", fault);
        assert_true(text_clean(t.s));
        assert_int_equal(occurrences(t.s, "<script"), 1); /* the page's own */
        assert_null(strstr(t.s, "<img"));
        for (int k = 0; k < st.n_groups; k++)
            lines_fit(&st.groups[k]);
        at_text_release(&t);
        free(detail);
        json_decref(o);
        json_decref(h);
        sweep_end(&s);
    }
}

/* 5000 rows that share nothing: nothing may grow with sizes x widths. */
static void many_rows_are_no_trouble(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    sweep s;
    sweep_begin(&s, MANY);
    for (int i = 0; i < MANY; i++) {
        char numbers[96];
        snprintf(numbers, sizeof numbers,
                 "\"width\":%d,\"layers\":1,\"heads\":1,\"parameters\":9,\"size\":%d,", i + 1,
                 i % 2 ? i : 7 * i);
        row_add(&s, "lis", "n=3", "q", (uint64_t)i, "fails",
                with(&s.a, "\"width\":8,\"layers\":1,\"heads\":1,\"parameters\":9,\"size\":3,", numbers));
    }
    at_study st = study_of(&s);
    assert_int_equal(st.n_broken, 0);
    assert_int_equal(st.groups[0].tasks[0].n_cells, MANY);
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_report_html(&(at_report_about){.build = "this"}, NULL, 0, s.rows, s.n, &t, &err),
                     AT_OK);
    assert_non_null(strstr(t.s, "not drawn in full"));
    assert_null(markup_fault(t.s));
    at_text_release(&t);
    sweep_end(&s);
}

static void nothing_and_one(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 1);
    at_study st = study_of(&s);
    assert_true(!st.n_runs && !st.n_groups);
    run_add(&s, "lis", 0, 10, 32, 1, 0.95, "constructible");
    st = study_of(&s);
    assert_int_equal(st.n_groups, 1);
    at_heat h;
    at_err err = {0};
    assert_int_equal(at_study_heat(&st.groups[0], &s.a, &h, &err), AT_OK);
    assert_true(h.rows == 1 && h.columns == 1 && h.panels[0].nx == 1 && h.panels[0].ny == 1);
    assert_true(h.panels[0].cells[0].value == 0.95);
    assert_string_equal(h.panels[0].cells[0].text, "95");
    assert_string_equal(h.panels[0].cells[0].tiny, "");
    assert_int_equal(h.panels[0].cells[0].mark, AT_MARK_DOT);
    assert_null(h.tiny);
    lines_fit(&st.groups[0]);
    sweep_end(&s);
}

static void what_commands_show(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_trained_text(s.rows, 0, 80, false, &t, &err), AT_OK);
    assert_string_equal(t.s, "No model was trained.\n");
    char folder[TEST_FOLDER], path[TEST_PATH];
    assert_non_null(test_folder_new(folder));
    snprintf(path, sizeof path, "%s/heat.svg", folder);
    assert_int_equal(at_trained_picture(s.rows, 0, path, &err), AT_EINPUT);
    assert_int_not_equal(access(path, F_OK), 0);
    run_add(&s, "lis", 0, 10, 32, 1, 0.95, "silent");
    row_add(&s, "lis", "n=3", "q", 1, "fails", good_detail)->rec.when =
        "2027-01-01"; /* preset p, the latest */
    row_add(&s, "lis", "n=3", "q", 1, "fails", "{}")->rec.when = "2028-01-01";
    t.n = 0;
    assert_int_equal(at_trained_text(s.rows, s.n, 80, false, &t, &err), AT_OK);
    assert_non_null(strstr(t.s, "(preset quick)"));
    assert_non_null(strstr(t.s, "(preset p)"));
    assert_non_null(strstr(t.s, "3 of 3 runs were trained by another build. 1 broken and not counted."));
    at_text_release(&t);
    err = (at_err){0};
    assert_int_equal(at_trained_picture(s.rows, s.n, path, &err), AT_OK);
    char *svg;
    size_t n;
    assert_int_equal(at_file_read(path, 1 << 20, &svg, &n, &err), AT_OK);
    assert_non_null(strstr(svg, "(preset p)"));
    at_free(svg);
    unlink(path);
    snprintf(path, sizeof path, "%s/heat.doc", folder);
    assert_int_equal(at_trained_picture(s.rows, s.n, path, &err), AT_EINPUT);
    rmdir(folder);
    sweep_end(&s);
}

static void a_sweep_in_all_formats(void **state)
{
    (void)state;
    sweep s;
    sweep_paper(&s);
    at_study st;
    at_heat h;
    at_err err = {0};
    assert_int_equal(at_study_make(s.rows, s.n, "this", &s.a, &st, &err), AT_OK);
    assert_int_equal(at_study_heat(&st.groups[0], &s.a, &h, &err), AT_OK);
    assert_int_equal(h.rows, 3);
    assert_int_equal(h.columns, 4);
    at_text t;
    char *svg = heat_svg_of(&h, &t);
    assert_int_equal(occurrences(svg, "stroke=\"#009e73\""), 12 + 1);
    assert_int_equal(occurrences(svg, "<title>"), 143 + 1); /* a tip a cell that was run, and the picture's */
    at_text_release(&t);
    heat_lines_fit(&h);
    static const char *const start[] = {"\x89PNG\r\n", "<svg ", "%PDF-"};
    char folder[TEST_FOLDER], path[TEST_PATH];
    assert_non_null(test_folder_new(folder));
    snprintf(path, sizeof path, "%s/picture", folder);
    for (int kind = 0; kind < 3; kind++) {
        char *data;
        size_t n;
        assert_int_equal(at_heat_picture(&h, (at_picture_kind)kind, path, &err), AT_OK);
        assert_int_equal(at_file_read(path, 1 << 24, &data, &n, &err), AT_OK);
        assert_memory_equal(data, start[kind], strlen(start[kind]));
        at_free(data);
        at_plot p;
        assert_int_equal(
            at_study_curves(&st.groups[0].tasks[0], AT_ATTENTION_LINEAR, 30, AT_CURVE_LOSS, &s.a, &p, &err),
            AT_OK);
        assert_int_equal(at_plot_picture(&p, (at_picture_kind)kind, path, &err), AT_OK);
        assert_int_equal(at_file_read(path, 1 << 24, &data, &n, &err), AT_OK);
        assert_memory_equal(data, start[kind], strlen(start[kind]));
        at_free(data);
    }
    unlink(path);
    rmdir(folder);
    sweep_end(&s);
}

static at_status all_of_it(const void *of, at_text *t, at_err *err)
{
    const sweep *s = of;
    at_arena a;
    at_arena_init(&a);
    at_study st;
    at_heat h;
    at_plot p;
    at_status status = at_study_make(s->rows, s->n, "this", &a, &st, err);
    if (!status)
        status = at_study_heat(&st.groups[0], &a, &h, err);
    if (!status)
        status =
            at_study_curves(&st.groups[0].tasks[0], AT_ATTENTION_STANDARD, 10, AT_CURVE_LOSS, &a, &p, err);
    if (!status)
        status = at_study_text(&st.groups[0], 80, t, err);
    at_arena_release(&a);
    return status;
}

static at_status report(const void *of, at_text *t, at_err *err)
{
    const sweep *s = of;
    return at_report_html(&(at_report_about){.build = "this"}, NULL, 0, s->rows, s->n, t, err);
}

static at_status shown(const void *of, at_text *t, at_err *err)
{
    const sweep *s = of;
    return at_trained_text(s->rows, s->n, 80, true, t, err);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    for (int seed = 1; seed <= 2; seed++)
        run_add(&s, "lis", 0, 10, 32, seed, 0.95, "silent");
    row_add(&s, "lis", "n=3", "q", 1, "fails", "{}");
    text_maker *const makers[] = {all_of_it, report, shown};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        assert_true(starve(makers[i], &s, false) > 0);
    sweep_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_are_exact),
        cmocka_unit_test(percentages_are_rounded_down),
        cmocka_unit_test(least_widths),
        cmocka_unit_test(verdicts_on_the_order),
        cmocka_unit_test(linear_can_disagree),
        cmocka_unit_test(one_answer_a_question),
        cmocka_unit_test(mixed_recipes),
        cmocka_unit_test(curves_have_medians),
        cmocka_unit_test(details_are_checked_key_by_key),
        cmocka_unit_test(hostile_details_break_their_row_only),
        cmocka_unit_test(hostile_names_are_harmless),
        cmocka_unit_test(many_rows_are_no_trouble),
        cmocka_unit_test(nothing_and_one),
        cmocka_unit_test(what_commands_show),
        cmocka_unit_test(a_sweep_in_all_formats),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
