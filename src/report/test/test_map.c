/* test_map.c: panels become points of the right kind; what the ledger does not say is not shown as checked; a bound above a
 * construction is never drawn and always said. */
#include "map_test.h"

#include <attest/claim.h>

static at_map map_of(sweep *s, const at_map_panel *panels, int n)
{
    at_map m;
    at_err err = {0};
    at_status st = at_map_make(panels, n, s->rows, s->n, "this", &s->a, &m, &err);
    if (st)
        fail_msg("%s", err.text);
    return m;
}

/* The map of the catalogue beside an empty ledger: several tests look at it, and it takes seconds. */
static sweep nothing;
static at_map whole;

static int whole_make(void **state)
{
    (void)state;
    sweep_begin(&nothing, 1);
    whole = map_of(&nothing, at_map_panels, at_n_map_panels);
    return 0;
}

static int whole_release(void **state)
{
    (void)state;
    sweep_end(&nothing);
    return 0;
}

static const at_map_panel lis = {.task = "lis",
                                 .architecture = "linear",
                                 .size = "n",
                                 .sizes = "5 10 20",
                                 .unit = "width",
                                 .construction = "dp-linear",
                                 .construction_params = "problem=lis a=$; b=99",
                                 .trained = "lis",
                                 .attention = AT_ATTENTION_LINEAR};

/* ---- templates ----------------------------------------------------------------------------------------- */

static void templates_are_filled(void **state)
{
    (void)state;
    static const struct {
        const char *template, *wanted;
    } cases[] = {{"N=$", "N=12"},
                 {"N=$ M=$*8+2", "N=12 M=98"},
                 {"M=$^2-1 q=$/5 p=$~+3", "M=143 q=2 p=7"},
                 {"problem=lis a=$; b=99", "problem=lis a=12  b=99"},
                 {"layers=@layers H=@heads D=@width w=@head_dim", "layers=2 H=3 D=4 w=5"},
                 {"B=@block k=@windows c=@ends", "B=6 k=7 c=8"},
                 {"", ""}};
    const at_map_model z = {{.layers = 2, .heads = 3, .width = 4, .head_dim = 5}, {0, 6, 7, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_text t;
        at_text_init(&t);
        assert_true(at_map_fill(&t, cases[i].template, 12, &z));
        assert_string_equal(t.s ? t.s : "", cases[i].wanted);
        at_text_release(&t);
    }
    at_text t;
    at_text_init(&t);
    assert_false(at_map_fill(&t, "H=@heads", 12, NULL));
    at_text_release(&t);
}

/* ---- points ---------------------------------------------------------------------------------------------- */

/* What holds on samples is another kind of point, with the number in its tip; at one place the strongest row counts. */
static void samples_are_not_checks(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    claim_add(&s, "dp-linear", "problem=lis a=4 b=5 letters=5", "holds", 96);
    claim_add(&s, "dp-linear", "problem=lis a=4 b=5 letters=5", "holds", 96)->rec.evidence = "sampled";
    for (int k = 0; k < 2; k++) {
        at_row *r =
            claim_add(&s, "dp-linear", k ? "problem=lis a=40" : "problem=lis a=20", "holds", k ? 600 : 300);
        r->rec.evidence = "sampled";
        r->rec.inputs = k ? 1 : 4000;
    }
    claim_add(&s, "dp-linear", "problem=lis a=20", "holds", 300)->rec.evidence = "sampled"; /* 12 of them */
    at_map m = map_of(&s, &lis, 1);
    const at_map_place *p = &m.places[0];
    POINTS(p, AT_MAP_CHECKED, 4, 96);
    POINTS(p, AT_MAP_SAMPLED, 20, 300, 40, 600);
    assert_string_equal(p->points[AT_MAP_CHECKED].what[0], "exact, 12 inputs");
    assert_string_equal(p->points[AT_MAP_SAMPLED].what[0], "sampled, 4000 inputs");
    assert_string_equal(p->points[AT_MAP_SAMPLED].what[1], "sampled, 1 input");
    assert_null(p->points[AT_MAP_BUILT].what);
    assert_non_null(strstr(p->built, " *"));
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_map_svg(&m, &t, &err), AT_OK);
    assert_non_null(strstr(t.s, "n = 40: 600 (sampled, 1 input)"));
    assert_non_null(strstr(t.s, "construction, sampled"));
    assert_int_equal(occurrences(t.s, "h.01"), 1 + 1); /* a disc: what was checked; with the legend */
    assert_int_equal(occurrences(t.s, "fill=\"none\" stroke-width=\"1.6\""),
                     2 + 1); /* rings: what was sampled */
    at_text_release(&t);
    sweep_end(&s);
}

static void three_kinds_of_evidence(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 64);
    claim_add(&s, "dp-linear", "problem=lis a=0..4 b=5 letters=5", "holds", 96);
    claim_add(&s, "dp-linear", "problem=lis a=40", "holds", 600);
    claim_add(&s, "dp-linear", "problem=edit-distance a=20 b=20", "holds", 500); /* another problem */
    claim_add(&s, "dp-standard", "problem=lis a=30", "holds", 20);               /* another attention */
    claim_add(&s, "dp-linear", "problem=lis a=50", "unknown", 700);              /* never a pass */
    claim_add(&s, "dp-linear", "problem=lis a=60", "holds", 800)->key.build = "other";
    claim_add(&s, "dp-linear", "problem=lis a=70", "holds", 900)->rec.role = "control";
    claim_add(&s, "dp-linear", "problem=nosuch a=70", "holds", 900); /* foreign */
    claim_add(&s, "dp-linear", "problem=lis a=80", "holds", 900)->rec.detail = "{\"size\":{\"width\":9}}";
    run_add(&s, "lis", AT_ATTENTION_LINEAR, 10, 32, 1, 0.95, "silent");
    run_add(&s, "lis", AT_ATTENTION_LINEAR, 20, 32, 1, 0.5, "silent");
    run_add(&s, "lis", AT_ATTENTION_LINEAR, 20, 64, 1, 0.95, "silent");
    run_add(&s, "lis", AT_ATTENTION_LINEAR, 30, 32, 1, 0.5, "silent");
    run_add(&s, "lis", AT_ATTENTION_LINEAR, 30, 64, 1, 0.6, "silent");
    run_add(&s, "lis", AT_ATTENTION_STANDARD, 30, 32, 1, 0.99, "silent"); /* another attention */
    run_add(&s, "ed", AT_ATTENTION_LINEAR, 30, 32, 1, 0.99, "silent");    /* another task */
    at_map m = map_of(&s, &lis, 1);
    const at_map_place *p = &m.places[0];
    POINTS(p, AT_MAP_CHECKED, 4, 96, 40, 600);
    POINTS(p, AT_MAP_TRAINED, 10, 32, 20, 64);
    POINTS(p, AT_MAP_IN_VAIN, 30, 64);
    /* what was shaped is what would be assembled */
    const at_claim *c = at_claim_find("dp-linear");
    at_params at;
    at_err err = {0};
    at_model model;
    at_size z;
    at_params_init(&at, c->params, c->n_params);
    assert_int_equal(at_params_parse(&at, "problem=lis a=10 b=99", &err), AT_OK);
    assert_int_equal(at_claim_model(c, &at, &model, &err), AT_OK);
    at_model_size(&model, &z);
    at_model_release(&model);
    assert_int_equal(p->points[AT_MAP_BUILT].n, 3);
    assert_true(p->points[AT_MAP_BUILT].x[1] == 10 && p->points[AT_MAP_BUILT].y[1] == z.width);
    assert_string_equal(p->trained, "> 64@30");
    assert_string_equal(p->sizes, "n 5..20");
    assert_string_equal(p->words, "open");
    assert_non_null(strstr(p->built, " *"));
    at_text t;
    at_text_init(&t);
    assert_int_equal(at_map_svg(&m, &t, &err), AT_OK);
    assert_null(markup_fault(t.s));
    assert_true(text_clean(t.s));
    assert_null(strstr(t.s, "nan"));
    assert_int_equal(occurrences(t.s, "h.01"), 2 + 1);   /* checked, and the legend */
    assert_int_equal(closed_shapes(t.s), 2 + 1 + 1 + 1); /* trained, in vain, and theirs */
    assert_non_null(strstr(t.s, "n = 20: 64 (trained: least width that reaches 90%)"));
    assert_non_null(strstr(t.s, "lis \xC2\xB7 linear"));
    assert_null(strstr(t.s, at_map_kind_names[AT_MAP_PROVED])); /* what is not there is not in the legend */
    at_text_release(&t);
    sweep_end(&s);
}

static void a_failing_construction_is_not_checked(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    claim_add(&s, "dp-linear", "problem=lis a=40", "holds", 600);
    claim_add(&s, "dp-linear", "problem=edit-distance a=2 b=2", "fails", 600);
    at_map m = map_of(&s, &lis, 1);
    assert_int_equal(m.places[0].points[AT_MAP_CHECKED].n, 0);
    assert_int_equal(m.places[0].points[AT_MAP_BUILT].n, 3);
    assert_non_null(strstr(m.places[0].note, "FAILS in this ledger"));
    assert_null(strstr(m.places[0].built, "*"));
    sweep_end(&s);
}

static void several_presets_count_together(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 16);
    static const struct {
        int size, width;
        double answer;
        bool paper;
    } runs[] = {{10, 64, 0.95, false}, {10, 32, 0.95, true}, {20, 64, 0.5, false},
                {20, 128, 0.95, true}, {30, 64, 0.5, false}, {30, 128, 0.5, true}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        at_row *r =
            run_add(&s, "lis", AT_ATTENTION_LINEAR, runs[i].size, runs[i].width, 1, runs[i].answer, "silent");
        char *at = strstr((char *)(uintptr_t)r->rec.detail, "quick");
        if (runs[i].paper)
            memcpy(at, "paper", 5);
    }
    at_map m = map_of(&s, &lis, 1);
    POINTS(&m.places[0], AT_MAP_TRAINED, 10, 32, 20, 128);
    POINTS(&m.places[0], AT_MAP_IN_VAIN, 30, 128);
    sweep_end(&s);
}

static void refutations_have_sizes(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 16);
    static const struct {
        const char *params, *evidence, *verdict, *arith;
    } rows[] = {
        {"N=4..8 M=11", "refuted", "holds", "p6e4"}, /* all points of a box: the largest */
        {"N=16 M=11", "refuted", "holds", "f32"},    {"N=17 M=11", "simulated", "holds", "f32"},
        {"N=18 M=11", "refuted", "unknown", "f32"},  {"N=19 M=12", "refuted", "holds", "f32"}, /* another M */
        {"N=20 M=11", "refuted", "holds", "no"}};
    /* First what is not asked for: another claim of the same sizes, and another build. */
    claim_add(&s, "match3", "N=12 M=11", "holds", 1)->rec.evidence = "refuted";
    at_row *old = claim_add(&s, "match2", "N=13 M=11", "holds", 1);
    old->rec.evidence = "refuted";
    old->key.build = "older";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        at_row *r = claim_add(&s, "match2", rows[i].params, rows[i].verdict, 1);
        r->rec.evidence = rows[i].evidence;
        r->rec.arithmetic = rows[i].arith;
    }
    at_map_panel p = lis;
    p.refuted = "match2"; /* only its parameters matter here */
    p.refuted_params = "N=$ M=11";
    p.refuted_unit = "N*2-1";
    at_map m = map_of(&s, &p, 1);
    POINTS(&m.places[0], AT_MAP_REFUTED, 8, 15, 16, 31, 20, 39);
    p.refuted_size = "N*2+1";
    m = map_of(&s, &p, 1);
    POINTS(&m.places[0], AT_MAP_REFUTED, 17, 15, 33, 31, 41, 39);
    p.refuted_size = NULL;
    p.refuted_unit = "M*bits";
    m = map_of(&s, &p, 1);
    POINTS(&m.places[0], AT_MAP_REFUTED, 8, 110, 16, 352);
    p.refuted_unit = "nosuch*2";
    m = map_of(&s, &p, 1);
    assert_int_equal(m.places[0].points[AT_MAP_REFUTED].n, 0);
    sweep_end(&s);
}

/* ---- bounds ------------------------------------------------------------------------------------------------ */

/* A bound of N (feed-forward nets, one number a position) beside L+1 layers. */
static const at_map_panel layers = {.task = "funccomp",
                                    .architecture = "L+1 layers",
                                    .size = "L",
                                    .sizes = "2 3 4",
                                    .unit = "layers",
                                    .measure = AT_MAP_LAYERS,
                                    .construction = "funccomp",
                                    .construction_params = "L=$",
                                    .bound = "qsa-fnn-hard",
                                    .bound_params = "N=$+1 d=1 q=1 width=1",
                                    .bits = AT_BITS_REALS};

static void verdicts(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 1);
    at_map_panel p[] = {layers, layers, layers, layers, layers, layers};
    p[1].bound_params = "N=$ d=1 q=1 width=1";      /* 4 beside 5, at L = 4 */
    p[2].bound_params = "N=$+1 d=1 q=1 width=1000"; /* rules nothing out */
    p[3].bound_params = "N=$+1 d=1 q=1000 width=1"; /* outside of the hypotheses */
    p[4].bound_sizes = "100 200";                   /* no size in common */
    p[5].bound = NULL;
    at_map m = map_of(&s, p, 6);
    static const char *const words[] = {"tight", "gap x1.2", "open", "open", "open", "open"};
    static const char *const bounds[] = {"\xE2\x89\xA5 5", "\xE2\x89\xA5 4",       "vacuous",
                                         "vacuous",        "\xE2\x89\xA5 201@200", "\xE2\x80\x93"};
    for (int k = 0; k < 6; k++) {
        assert_string_equal(m.places[k].words, words[k]);
        assert_string_equal(m.places[k].bound, bounds[k]);
    }
    POINTS(&m.places[0], AT_MAP_PROVED, 2, 3, 3, 4, 4, 5);
    POINTS(&m.places[0], AT_MAP_BUILT, 2, 3, 3, 4, 4, 5);
    assert_true(m.places[1].gap == 1.25);
    assert_int_equal(m.places[2].points[AT_MAP_PROVED].n, 0);
    assert_string_equal(m.places[4].sizes, "L 2..200");
    assert_int_equal(m.contradictions, 0);
    sweep_end(&s);
}

/* Planted: a bound that asks for more layers than the construction has, from L = 3 on. */
static void contradictions_are_loud_and_never_drawn(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 1);
    at_map_panel p[] = {layers, layers};
    p[1].bound_params = "N=$*2-1 d=1 q=1 width=1"; /* 3, 5, 7 beside 3, 4, 5 */
    at_map m = map_of(&s, p, 2);
    assert_int_equal(m.contradictions, 1);
    const at_map_place *bad = &m.places[1];
    assert_int_equal(bad->verdict, AT_MAP_CONTRADICTS);
    assert_string_equal(bad->words, "CONTRADICTS");
    assert_int_equal(bad->points[AT_MAP_PROVED].n, 0);
    assert_int_equal(bad->points[AT_MAP_BUILT].n, 3);
    assert_non_null(strstr(bad->note,
                           "CONTRADICTION at L = 3: bound qsa-fnn-hard says at least 5, construction "
                           "funccomp has 4 (layers)"));
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_map_svg(&m, &t, &err), AT_OK);
    assert_int_equal(occurrences(t.s, "<path fill=\"#d55e00\""),
                     3 + 1); /* the good panel's, and the legend */
    t.n = 0;
    assert_int_equal(at_map_text(&m, 80, &t, &err), AT_OK);
    assert_non_null(strstr(t.s, "CONTRADICTION at L = 3"));
    t.n = 0;
    assert_int_equal(at_report_with_map(&(at_report_about){.build = "this"}, NULL, 0, &m, NULL, 0, &t, &err),
                     AT_OK);
    assert_non_null(strstr(t.s, "1 contradiction: a proved bound lies above a construction."));
    assert_non_null(strstr(t.s, "CONTRADICTION at L = 3"));
    assert_null(markup_fault(t.s));
    at_text_release(&t);
    sweep_end(&s);
}

static void astronomical_bounds_are_words(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 1);
    at_map_panel p = {.task = "funccomp",
                      .architecture = "L layers",
                      .size = "L",
                      .sizes = "1 2",
                      .unit = "prompts",
                      .bound = "funccomp-params",
                      .bound_params = "L=$ H=1 d=2 n=1000000 zeros=0",
                      .numbers = "p=2",
                      .bits = AT_BITS_SOURCE,
                      .bound_start = "n"};
    at_map m = map_of(&s, &p, 1);
    assert_non_null(strstr(m.places[0].bound, "10^"));
    assert_non_null(strstr(m.places[0].note, "L = 1: from n = 10^"));
    assert_non_null(strstr(m.places[0].note, "L = 2: from n = 10^"));
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_map_svg(&m, &t, &err), AT_OK); /* words in place of axes */
    assert_null(strstr(t.s, "<path"));
    assert_non_null(strstr(t.s, "L = 1: from n = 10^"));
    at_text_release(&t);
    sweep_end(&s);
}

/* The bits that a panel's numbers have are said once, for bound and construction alike; a bound that counts others is not drawn. */
static void bits_are_the_same_on_both_sides(void **state)
{
    (void)state;
    for (int k = 0; k < at_n_map_panels; k++) {
        const at_map_panel *p = &at_map_panels[k];
        static const char *const own[] = {" p=", " e=", " sums="};
        for (size_t i = 0; p->bound && i < sizeof own / sizeof *own; i++)
            if (strstr(p->bound_params, own[i]))
                fail_msg("%s, %s: its bound has numbers of its own:%s", p->task, p->architecture, own[i]);
    }
    sweep s;
    sweep_begin(&s, 1);
    at_map m = whole;
    for (int k = 0; k < m.n; k++) {
        const at_map_panel *p = m.places[k].panel;
        assert_true(!p->bound == !m.places[k].bits);
        if (p->bound && (!strcmp(m.places[k].bound, "not drawn") || p->bits == AT_BITS_UNSAID))
            fail_msg("%s, %s: %s", p->task, p->architecture, m.places[k].note);
    }
    /* and the picture says them in full */
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_map_svg(&m, &t, &err), AT_OK);
    for (int k = 0; k < m.n; k++)
        if (m.places[k].bits && !strstr(t.s, m.places[k].bits))
            fail_msg("%s, %s: '%s' is cut", m.places[k].panel->task, m.places[k].panel->architecture,
                     m.places[k].bits);
    at_text_release(&t);
    /* planted: a panel of floats whose bound counts as its source does, and the other way round; rounded sums for exact ones */
    at_map_panel few = {.task = "composition",
                        .architecture = "one layer",
                        .size = "n",
                        .sizes = "64 128 256",
                        .unit = "head width",
                        .measure = AT_MAP_HEADS_DIM,
                        .construction = "compose-one",
                        .construction_params = "n=$",
                        .bound = "compose-bound",
                        .bound_params = "n=$ H=1 d=1",
                        .numbers = "p=$~+3 e=8",
                        .bits = AT_BITS_EXACT};
    at_map_panel p[] = {few, few, few, few};
    p[1].bits = AT_BITS_SOURCE;
    p[2].bits = AT_BITS_ROUNDED;
    p[3].bits = AT_BITS_UNSAID;
    m = map_of(&s, p, 4);
    assert_int_equal(m.places[0].points[AT_MAP_PROVED].n, 3);
    assert_string_equal(m.places[0].bits, "p=11 e=8 at n = 256: floats, exact sums");
    for (int k = 1; k < 4; k++) {
        assert_int_equal(m.places[k].points[AT_MAP_PROVED].n, 0);
        assert_string_equal(m.places[k].bound, "not drawn");
        assert_string_equal(m.places[k].words, "open");
        assert_non_null(strstr(m.places[k].note, "Bound compose-bound counts "));
    }
    sweep_end(&s);
}

/* One softmax head that composes, with g in slots: the n log2 n bits of g are cut into pieces of p+1 bits, a piece is an integer from
 * -2^p to 2^p - 1, exact at p bits, and each is the sum of the tokens that reach into it. Every token of g has weight 1, and f(x) has the weight e^-20 and two more
 * slots. At f32 the sign is left out: floor(24/log2 n) values a slot, and one slot for f(x). Sums are exact, the largest score is always 0. */
static double slots(double n, double p)
{
    return ceil(n * log2(n) / (p + 1)) + 2;
}

static void no_line_lies_above_a_possible_construction(void **state)
{
    (void)state;
    static const double n[] = {64, 128, 256}, wide[] = {41, 84, 173};
    at_map m = whole;
    int asked = 0;
    for (int k = 0; k < m.n; k++) {
        const at_map_panel *w = m.places[k].panel;
        const at_map_points *line = &m.places[k].points[AT_MAP_PROVED];
        if (strcmp(w->task, "composition") || !w->bound || strcmp(w->bound, "compose-bound"))
            continue;
        for (int i = 0; i < line->n; i++)
            for (int j = 0; j < 3; j++) {
                if (line->x[i] != n[j])
                    continue;
                double p = strchr(w->numbers, '$') ? ceil(log2(n[j])) + 3 : 24, built = slots(n[j], p);
                if (p < 24)
                    assert_true(built == wide[j]);
                else
                    built = fmin(built, ceil(n[j] / floor(24 / log2(n[j]))) + 1);
                if (line->y[i] > built)
                    fail_msg("%s: %g is printed at n = %g, and %g is enough", w->architecture, line->y[i],
                             n[j], built);
                asked++;
            }
    }
    assert_int_equal(asked, 6);
}

/* ---- bad panels, hostile rows --------------------------------------------------------------------------------- */

/* Every panel of the map, how far its construction may be from what is proved to be needed, at the largest size that both have; and which
 * panels have no such ratio, and why. */
static const struct {
    const char *task, *architecture;
    double most;     /* 0: there is no ratio */
    const char *why; /* there is none */
} ratios[] = {
    {"match2", "one softmax layer", 0, "constant"},
    {"match3", "one softmax layer", 23.6, NULL},
    {"match3", "three-wise unit", 0, "constant"},
    {"qsa", "self-attention", 6.12, NULL},
    {"qsa", "exact self-attn.", 1, NULL},
    {"qsa", "feed-forward net", 1, NULL},
    {"qsa", "recurrent net", 6, NULL},
    {"composition", "one layer", 1.71, NULL},
    {"composition", "1 layer, few bits", 3.43, NULL},
    {"composition", "one layer, chain", 1, NULL},
    {"composition", "two layers", 0, "constant"},
    {"funccomp", "L layers", 0, "open by Chen, Peng, Wu 2024, Theorem 1.1: silent below 10^52 tokens"},
    {"funccomp", "L+1 layers", 0, "constant"},
    {"triangle", "1 layer, few bits", 7.63, NULL},
    {"triangle", "two layers", 192, NULL},
    {"match3-local", "one softmax layer", 0, "constant"},
    {"prefix-sum", "standard", 0, "constant"},
    {"prefix-sum", "sparse", 3.48, NULL},
    {"prefix-sum", "linear", 1.19, NULL},
    {"lis", "standard", 0, "constant"},
    {"lis", "sparse", 4.67, NULL},
    {"lis", "linear", 2.8, NULL},
    {"ed", "standard", 0, "constant"},
    {"ed", "sparse", 5.96, NULL},
    {"ed", "linear", 2.5, NULL},
    {"ed-local", "standard", 0, "constant"},
    {"ed-local", "sparse", 0, "constant"},
    {"ed-local", "linear", 3.4, NULL},
    {"arithmetic", "standard", 0, "constant"},
    {"arithmetic", "sparse", 0, "constant"},
    {"arithmetic", "linear", 0, "no construction"},
};

static void ratios_of_every_panel(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 1);
    at_map m = whole;
    assert_int_equal(m.n, sizeof ratios / sizeof *ratios);
    for (int k = 0; k < m.n; k++) {
        const at_map_place *p = &m.places[k];
        size_t i = 0, n = sizeof ratios / sizeof *ratios;
        while (i < n && (strcmp(ratios[i].task, p->panel->task) != 0 ||
                         strcmp(ratios[i].architecture, p->panel->architecture) != 0))
            i++;
        if (i == n)
            fail_msg("%s, %s: say which ratio it may have", p->panel->task, p->panel->architecture);
        if (ratios[i].most > 0 ? !(p->ratio >= 1 && p->ratio <= ratios[i].most) : !isnan(p->ratio))
            fail_msg("%s, %s: ratio %g, at most %g was said", p->panel->task, p->panel->architecture,
                     p->ratio, ratios[i].most);
        if (ratios[i].why)
            assert_int_equal(!strcmp(ratios[i].why, "constant"), p->verdict == AT_MAP_CONSTANT);
        assert_true(ratios[i].most == 0 ||
                    p->ratio_size == p->points[AT_MAP_PROVED].x[p->points[AT_MAP_PROVED].n - 1]);
    }
    /* control: a construction that is twice as wide has twice the ratio, and is rejected */
    at_map_panel wide = at_map_panels[0];
    for (int k = 0; k < at_n_map_panels; k++)
        if (!strcmp(at_map_panels[k].architecture, "exact self-attn."))
            wide = at_map_panels[k];
    wide.times = 2;
    m = map_of(&s, &wide, 1);
    assert_true(m.places[0].ratio == 2 && m.places[0].verdict == AT_MAP_GAP);
    sweep_end(&s);
}

/* Where a formula stands for a shape, it is that of shapes which can be made. */
static void formulas_are_shapes(void **state)
{
    (void)state;
    static const char *const sizes = "2 3 4 6 9";
    sweep s;
    int found = 0;
    sweep_begin(&s, 1);
    for (int k = 0; k < at_n_map_panels; k++) {
        if (!at_map_panels[k].grows)
            continue;
        at_map_panel p[2] = {at_map_panels[k], at_map_panels[k]};
        p[0].sizes = p[1].sizes = sizes;
        p[0].bound = p[1].bound = NULL;
        p[1].grows = NULL;
        at_map m = map_of(&s, p, 2);
        const at_map_points *a = &m.places[0].points[AT_MAP_BUILT], *b = &m.places[1].points[AT_MAP_BUILT];
        assert_true(a->n == 5 && b->n == 5);
        for (int i = 0; i < 5; i++)
            assert_true(a->y[i] == b->y[i]);
        found++;
    }
    assert_int_equal(found, 5);
    sweep_end(&s);
}

static void panels_that_cannot_be_are_refused(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_map_panel bad[] = {lis, lis, lis, lis, layers, layers, lis};
    bad[0].construction = "dp-liner";
    bad[1].sizes = "5 x";
    bad[2].sizes = "";
    bad[3].construction_params = "problem=lis a=-$";
    bad[4].bound = "qsa-hard";
    bad[5].bound_params = "N=$ nosuch=1";
    bad[6].construction = "disjointness"; /* a limit: nothing is built */
    bad[6].construction_params = "";
    static const char *const words[] = {
        "dp-liner",
        "its sizes",
        "its sizes",
        "a",
        "no bound 'qsa-hard'",
        "nosuch",
        "claim disjointness has no program: it cannot be on the map",
    };
    for (int k = 0; k < 7; k++) {
        at_map m;
        at_err err = {0};
        assert_int_not_equal(at_map_make(&bad[k], 1, NULL, 0, NULL, &a, &m, &err), AT_OK);
        assert_non_null(strstr(err.text, words[k]));
    }
    at_arena_release(&a);
}

static void hostile_rows_are_harmless(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 128);
    at_map_panel panel = lis;
    for (size_t i = 0; i < HOSTILE; i++) {
        claim_add(&s, "dp-linear", hostile[i], "holds", 5);
        claim_add(&s, hostile[i], "problem=lis a=5", "holds", 5);
        claim_add(&s, "dp-linear", "problem=lis a=5", "holds", 5)->rec.detail = hostile[i];
        claim_add(&s, "dp-linear", "problem=lis a=5", hostile[i], 5);
    }
    at_row *empty = claim_add(&s, "dp-linear", "", "holds", 5);
    empty->key.params = NULL;
    empty->rec.detail = NULL;
    claim_add(&s, "dp-linear", "problem=lis a=0", "holds", 5); /* no place on a logarithmic axis */
    at_map m = map_of(&s, &panel, 1);
    assert_int_equal(m.places[0].points[AT_MAP_CHECKED].n, 0);
    sweep_end(&s);
}

/* ---- what is shown ------------------------------------------------------------------------------------------------ */

static int longest_line(const char *s)
{
    int most = 0;
    while (*s) {
        char line[400] = "";
        size_t n = strcspn(s, "\n");
        assert_true(n < sizeof line);
        memcpy(line, s, n);
        int w = at_text_columns(line);
        most = w > most ? w : most;
        s += n + (s[n] == '\n');
    }
    return most;
}

static void every_panel_of_the_map(void **state)
{
    (void)state;
    at_map m = whole;
    assert_int_equal(m.n, at_n_map_panels);
    assert_int_equal(m.contradictions, 0);
    for (int k = 0; k < m.n; k++) {
        const at_map_panel *p = m.places[k].panel;
        assert_ptr_equal(p, &at_map_panels[k]);
        if (p->trained && !at_stream_find(p->trained))
            fail_msg("%s: no stream %s", p->task, p->trained);
        if (p->trained && p->measure != AT_MAP_WIDTH && p->measure != AT_MAP_HEADS_DIM)
            fail_msg("%s, %s: what was trained has a width", p->task, p->architecture);
        const at_claim *refuting = p->refuted ? at_claim_find(p->refuted) : NULL;
        if (p->refuted && !(refuting && refuting->trial && p->refuted_params && p->refuted_unit))
            fail_msg("%s, %s: %s refutes nothing", p->task, p->architecture, p->refuted);
        if (!p->construction && !p->bound)
            fail_msg("%s, %s: nothing to show", p->task, p->architecture);
        for (int i = 0; i < k; i++)
            if (!strcmp(p->task, m.places[i].panel->task) &&
                !strcmp(p->architecture, m.places[i].panel->architecture))
                fail_msg("%s, %s is there twice", p->task, p->architecture);
    }
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    assert_int_equal(at_map_text(&m, 80, &t, &err), AT_OK);
    assert_true(text_clean(t.s));
    assert_true(longest_line(t.s) <= 80);
    for (int k = 0; k < m.n; k++) /* verdicts are whole */
        assert_non_null(strstr(t.s, m.places[k].words));
    at_text_release(&t);
    at_text_init(&t);
    assert_int_equal(at_report_map(&t, &m, &err), AT_OK);
    assert_null(markup_fault(t.s));
    assert_true(text_clean(t.s));
    assert_null(strstr(t.s, "contradiction"));
    at_text_release(&t);
}

static at_status shown(const void *of, at_text *t, at_err *err)
{
    const sweep *s = of;
    at_arena a;
    at_arena_init(&a);
    at_map m;
    at_status st = at_map_make(&lis, 1, s->rows, s->n, "this", &a, &m, err);
    if (!st)
        st = at_map_text(&m, 80, t, err);
    at_arena_release(&a);
    return st;
}

static at_status bounded(const void *of, at_text *t, at_err *err)
{
    const sweep *s = of;
    at_arena a;
    at_arena_init(&a);
    at_map_panel p = layers;
    p.bound_params = "N=$*2-1 d=1 q=1 width=1"; /* contradicts: the words are long */
    at_map m;
    at_status st = at_map_make(&p, 1, s->rows, s->n, "this", &a, &m, err);
    if (!st)
        st = at_map_text(&m, 80, t, err);
    at_arena_release(&a);
    return st;
}

static at_status drawn(const void *of, at_text *t, at_err *err)
{
    return at_map_svg(of, t, err);
}

static at_status reported(const void *of, at_text *t, at_err *err)
{
    return at_report_with_map(&(at_report_about){.build = "this"}, NULL, 0, of, NULL, 0, t, err);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    sweep s;
    sweep_begin(&s, 8);
    claim_add(&s, "dp-linear", "problem=lis a=40", "holds", 600);
    run_add(&s, "lis", AT_ATTENTION_LINEAR, 30, 32, 1, 0.5, "silent");
    assert_true(starve(shown, &s, false) > 10);
    at_map m = map_of(&s, &lis, 1);
    assert_true(starve(drawn, &m, false) > 3);
    assert_true(starve(reported, &m, false) > 3);
    m = map_of(&s, &layers, 1);
    assert_true(starve(drawn, &m, false) > 3);
    assert_true(starve(bounded, &s, false) > 10);
    sweep_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_are_filled),
        cmocka_unit_test(samples_are_not_checks),
        cmocka_unit_test(three_kinds_of_evidence),
        cmocka_unit_test(a_failing_construction_is_not_checked),
        cmocka_unit_test(several_presets_count_together),
        cmocka_unit_test(refutations_have_sizes),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(contradictions_are_loud_and_never_drawn),
        cmocka_unit_test(astronomical_bounds_are_words),
        cmocka_unit_test(bits_are_the_same_on_both_sides),
        cmocka_unit_test(no_line_lies_above_a_possible_construction),
        cmocka_unit_test(panels_that_cannot_be_are_refused),
        cmocka_unit_test(ratios_of_every_panel),
        cmocka_unit_test(formulas_are_shapes),
        cmocka_unit_test(hostile_rows_are_harmless),
        cmocka_unit_test(every_panel_of_the_map),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, whole_make, whole_release);
}
