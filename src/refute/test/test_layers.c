/* test_layers.c: sums that are looked up are the model's; the refuters of attention find pairs and leave a right model alone.
 *
 * Models are drawn here, small, with and without norms and MLPs, so that every path of the tables is taken.
 * EVIDENCE compose-bound refuted 7 test_pairs_compose: random layers on 1, 2 and 3 functions
 * EVIDENCE match3-hard refuted 3 test_pairs_match3: random layers at N=17 M=66
 * EVIDENCE qsa-attention-hard refuted 4 test_pairs_qsa: random units at N=9 q=4
 * EVIDENCE indistinguishable refuted 4096 test_blind: all prompts of a decoder blind to player 2; one that sees everything has none */
#include "../../core/test/test_evidence.h"
#include "../decoder.h"
#include "../layer.h"
#include "../refute_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "small_models.h"

/* ---- tables ------------------------------------------------------------------------------------------------------- */

enum { N = 7, TOKENS = 5 };

/* O is the identity and there is no skip, so that the readout at the query is the attention's output itself. */
static void identity_set(at_model *m)
{
    at_block *b = &m->blocks[m->n_blocks - 1];
    int D = m->width, V = b->groups[0].heads * b->groups[0].dv;
    for (int g = 0; g < b->n_groups; g++) {
        double *o = at_model_data(m, b->groups[g].o), *ob = at_model_data(m, b->groups[g].ob);
        for (int r = 0; r < D; r++) {
            for (int k = 0; k < V; k++)
                o[r * V + k] = r == g * V + k;
            if (ob)
                ob[r] = 0;
        }
    }
    double *w = at_model_data(m, m->readout.w), *c = at_model_data(m, m->readout.b);
    for (int r = 0; r < D; r++) {
        for (int k = 0; k < D; k++)
            w[r * D + k] = r == k;
        c[r] = 0;
    }
}

/* False: the secret holds the largest score of some head itself, and there is nothing to compare. */
static bool tables_compare(const shape *h, uint64_t seed, int bits, uint64_t most)
{
    at_model m;
    model_draw(h, seed, &m);
    identity_set(&m);
    at_arith arith = {AT_PBIT, bits, 10};
    at_arena a;
    at_arena_init(&a);
    double token[TOKENS] = {0, 1, 2, 3, 4}, x[N], out[16];
    int base[N] = {0}, all[TOKENS] = {0, 1, 2, 3, 4};
    layer_site site[N];
    layer_free free[N - 2];
    for (int i = 0; i < N; i++)
        site[i] = (layer_site){i == N - 1 ? 1 : TOKENS, token};
    base[1] = 3; /* position 2 stays fixed */
    for (int i = 0, n = 0; i < N - 1; i++)
        if (i != 1)
            free[n++] = (layer_free){i, TOKENS, all};
    layer_view view;
    layer_family f;
    OK(layer_fits(&m, arith, &err));
    OK(layer_view_make(&m, arith, N, site, N - 1, &a, &view, &err));
    OK(layer_family_make(&view, base, free, N - 2, most, &a, &f, &err));
    assert_true(f.count <= most);
    bool some = f.count > 1;
    if (some && most > 78125) /* room for all: only a position that a head is pinned to is no digit */
        assert_true(f.n_digits >= N - 2 - view.H && f.n_digits <= N - 2);
    for (uint64_t k = 0; k < 150 && some; k++) {
        uint64_t i = k * 0x9e3779b97f4a7c15u % f.count;
        at_output y;
        layer_family_outputs(&f, i, out);
        layer_family_input(&f, i, x);
        assert_true(x[1] == 3 && x[N - 1] == 0 && x[free[0].position] == token[layer_family_secret(&f, i)]);
        OK(at_run(&m, arith, &(at_input){N, x}, NULL, &a, &y, &err));
        const double *want = y.value + (h->last ? 0 : (N - 1) * y.rows);
        for (int e = 0; e < view.E; e++)
            if (want[e] != out[e])
                fail_msg("seed %d p%d item %d output %d: %.17g, the model has %.17g", (int)seed, bits, (int)i,
                         e, out[e], want[e]);
    }
    at_arena_release(&a);
    at_model_release(&m);
    return some;
}

static void test_tables(void **state)
{
    (void)state;
    shape h = {
        .vocabulary = TOKENS, .length = N, .layers = 1, .last = true, .plain = true, .read = AT_READ_RAW};
    int compared = 0, all = 0;
    for (int k = 0; k < 12; k++) {
        h.heads = 1 + k % 2;
        h.groups = 1 + k / 2 % 2;
        h.dim = 2;
        h.norm = k & 1;
        h.prefix = k % 3;
        h.suffix = k % 4 == 3;
        h.last = !h.suffix; /* else what is read last is hidden */
        h.mlp = k & 4;
        h.width = h.rows = h.heads * h.dim * h.groups;
        for (int p = 3; p <= 24; p += 7, all += 2) {
            compared += tables_compare(&h, (uint64_t)(100 * k + p), p, 100000);
            compared += tables_compare(&h, (uint64_t)(100 * k + p), p, 30); /* some positions have no room */
        }
    }
    assert_true(4 * compared >= 3 * all);
}

static void test_tables_refuse(void **state)
{
    (void)state;
    shape h = {5, 7, 4, 2, 1, 2, 1, true, false, false, false, false, AT_READ_ARGMAX, 5};
    at_model m;
    model_draw(&h, 1, &m);
    err = (at_err){0};
    assert_int_equal(layer_fits(&m, (at_arith){AT_PBIT, 8, 10}, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "2 attention layers"));
    m.blocks[1].groups[0].weighting = AT_AVERAGE_HARD;
    err = (at_err){0};
    assert_int_equal(layer_fits(&m, (at_arith){AT_PBIT, 8, 10}, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "only softmax"));
    err = (at_err){0};
    assert_int_equal(layer_fits(&m, at_f64, &err), AT_EREFUSED);
    at_model_release(&m);
}

/* ---- pairs --------------------------------------------------------------------------------------------------------- */

/* Draws models until `models` were refuted by this refuter; all must be. */
static void pairs_find(const char *id, const char *task, const char *assignments, const shape *shape_,
                       int bits, int models)
{
    const at_task *t = at_task_find(task);
    at_params p = params_of(t, assignments);
    for (int k = 0; k < models; k++) {
        at_model m;
        at_arena a;
        at_pair pair = {0}, again = {0};
        at_answer y[2];
        at_tri is;
        at_arena_init(&a);
        model_draw(shape_, (uint64_t)k + 1, &m);
        at_subject s = {.m = &m, .arith = {AT_PBIT, bits, 10}, .task = t, .params = &p};
        at_refute_env env = {.states = 1 << 22, .seed = 1, .threads = 2};
        OK(at_subject_check(&s, &err));
        OK(refuter(id)->fits(&s, &err));
        OK(refuter(id)->search(&s, &env, &a, &pair, &err));
        OK(at_pair_verify(&s, &pair, &a, &is, y, NULL, &err));
        assert_int_equal(is, AT_TRUE);
        assert_true(pair.states > 0 && pair.states <= env.states + (1 << 20) && pair.bits > 0 && pair.note);
        env.threads = 1;
        OK(refuter(id)->search(&s, &env, &a, &again, &err));
        assert_true(again.states == pair.states);
        size_t bytes = (size_t)pair.x[0].n * sizeof(double);
        for (int j = 0; j < 2; j++)
            assert_memory_equal(pair.x[j].v, again.x[j].v, bytes);
        at_arena_release(&a);
        at_model_release(&m);
    }
}

static void test_pairs_compose(void **state)
{
    (void)state;
    shape h = {8, 17, 6, 1, 2, 2, 1, true, false, false, true, false, AT_READ_ARGMAX, 8};
    pairs_find("one-layer", "compose", "n=8 N=17", &h, 6, 3);
    shape three = {4, 13, 6, 1, 1, 2, 1, true, false, false, false, false, AT_READ_ARGMAX, 4};
    pairs_find("one-layer", "compose", "n=4 k=3 N=13", &three, 6, 2);
    shape one = {6, 7, 6, 1, 1, 2, 1, true, false, true, false, false, AT_READ_ARGMAX, 6};
    pairs_find("one-layer", "compose", "n=6 k=1 N=7", &one, 4, 2);
    evidence_say("test_pairs_compose", "compose-bound", "refuted", 3 + 2 + 2, "layers");
}

static void test_pairs_match3(void **state)
{
    (void)state;
    shape h = {66, 17, 6, 1, 1, 3, 1, false, false, false, false, false, AT_READ_ARGMAX, 2};
    pairs_find("one-layer", "match3", "N=17 M=66", &h, 8, 3);
    evidence_say("test_pairs_match3", "match3-hard", "refuted", 3, "layers");
}

/* A layer that passes nothing on is refuted at every size that fits, the smallest ones included, and whatever is asked for first. */
static void test_pairs_blind(void **state)
{
    (void)state;
    static const struct {
        const char *task, *set;
        int vocabulary, N, rows;
    } sizes[] = {{"match3", "N=3 M=10", 10, 3, 2},     {"match3", "N=4 M=18", 18, 4, 2},
                 {"match3", "N=5 M=18", 18, 5, 2},     {"match3", "N=9 M=26", 26, 9, 2},
                 {"compose", "n=2 N=5", 2, 5, 2},      {"compose", "n=2 k=1 N=3", 2, 3, 2},
                 {"compose", "n=3 k=3 N=10", 3, 10, 3}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const at_task *t = at_task_find(sizes[k].task);
        at_params p = params_of(t, sizes[k].set);
        shape h = {.vocabulary = sizes[k].vocabulary,
                   .length = sizes[k].N,
                   .width = 3,
                   .layers = 1,
                   .heads = 1,
                   .dim = 1,
                   .groups = 1,
                   .last = t->last,
                   .read = AT_READ_ARGMAX,
                   .rows = sizes[k].rows,
                   .prefix = (int)k % 2};
        at_model m;
        at_arena a;
        at_pair pair = {0};
        at_answer y[2];
        at_tri is;
        at_arena_init(&a);
        model_draw(&h, k + 1, &m);
        memset(at_model_data(&m, m.blocks[0].groups[0].v), 0, 3 * sizeof(double));
        /* scores too, so that no position is pinned */
        memset(at_model_data(&m, m.blocks[0].groups[0].q), 0, 3 * sizeof(double));
        memset(at_model_data(&m, m.blocks[0].groups[0].qb), 0, sizeof(double));
        at_subject s = {.m = &m, .arith = {AT_PBIT, 8, 8}, .task = t, .params = &p};
        OK(at_subject_check(&s, &err));
        OK(refuter("one-layer")->fits(&s, &err));
        OK(refuter("one-layer")->search(&s, &(at_refute_env){.states = 2, .threads = 1}, &a, &pair, &err));
        OK(at_pair_verify(&s, &pair, &a, &is, y, NULL, &err));
        assert_int_equal(is, AT_TRUE);
        assert_int_equal(pair.states, 2); /* the secret moves first */
        at_arena_release(&a);
        at_model_release(&m);
    }
}

/* One head of width 2 over (z, y, position), no skip. */
static void unit_draw(int n, int q, int d, uint64_t seed, at_model *m)
{
    at_model_init(m);
    int D = 4;
    m->width = D;
    m->n_min = m->n_max = n;
    m->pos_origin = 1;
    m->n_fields = 2;
    m->n_pos = m->n_blocks = 1;
    m->fields = at_new(&m->arena, at_field, 2);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, 1);
    m->fields[0] =
        (at_field){.name = "z", .kind = AT_FIELD_REAL, .size = d, .lo = -1, .hi = 1, .embed = {0, D, -1}};
    m->fields[1] =
        (at_field){.name = "y", .kind = AT_FIELD_SUBSET, .size = n, .pick = q, .embed = {0, D, -1}};
    m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = n, .embed = {0, D, -1}};
    m->blocks[0] = (at_block){.kind = AT_BLOCK_ATTN, .n_groups = 1};
    m->blocks[0].groups = at_new(&m->arena, at_group, 1);
    m->blocks[0].groups[0] = (at_group){.heads = 1, .dk = 2, .dv = 2, .weighting = AT_SOFTMAX, .scale = 0.7};
    m->readout = (at_readout){.kind = AT_READ_RAW, .rows = d};
    OK(at_model_layout(m, &err));
    at_rng r = at_rng_at(seed, 2);
    for (size_t k = 0; k < m->n_weights; k++)
        m->weights[k] = at_rng_normal(&r);
}

/* At few bits Alice's side has a pair, at many Bob's. */
static void test_pairs_qsa(void **state)
{
    (void)state;
    const at_task *t = at_task_find("qsa");
    at_params p = params_of(t, "N=9 q=4 d=2");
    bool alice = false, bob = false;
    uint64_t refuted = 0;
    for (uint64_t k = 0; k < 4; k++) {
        at_model m;
        at_arena a;
        at_pair pair = {0};
        at_answer y[2];
        at_tri is;
        at_arena_init(&a);
        unit_draw(9, 4, 2, k + 1, &m);
        at_subject s = {
            .m = &m, .arith = {AT_PBIT, k < 2 ? 3 : 10, 10}, .task = t, .params = &p, .tolerance = 0.125};
        at_refute_env env = {.states = 1 << 22, .seed = 1, .threads = 2};
        OK(at_subject_check(&s, &err));
        OK(refuter("one-layer")->fits(&s, &err));
        OK(refuter("one-layer")->search(&s, &env, &a, &pair, &err));
        OK(at_pair_verify(&s, &pair, &a, &is, y, NULL, &err));
        assert_int_equal(is, AT_TRUE);
        refuted++;
        alice = alice || strstr(pair.note, "Alice");
        bob = bob || strstr(pair.note, "e_1");
        at_arena_release(&a);
        at_model_release(&m);
    }
    assert_true(alice && bob);
    evidence_say("test_pairs_qsa", "qsa-attention-hard", "refuted", refuted, "units");
}

static void test_fits(void **state)
{
    (void)state;
    const at_task *t = at_task_find("match3");
    at_params p = params_of(t, "N=5 M=9");
    shape h = {9, 5, 4, 1, 1, 2, 1, false, false, false, false, false, AT_READ_ARGMAX, 2};
    at_model m;
    model_draw(&h, 1, &m);
    at_subject s = {.m = &m, .arith = {AT_PBIT, 8, 10}, .task = t, .params = &p};
    err = (at_err){0};
    assert_int_equal(refuter("one-layer")->fits(&s, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "M >= 10"));
    err = (at_err){0};
    assert_int_equal(refuter("indistinguishable")->fits(&s, &err), AT_EREFUSED);
    s.task = at_task_find("match2");
    err = (at_err){0};
    assert_int_equal(refuter("one-layer")->fits(&s, &err), AT_EREFUSED);
    at_model_release(&m);
}

/* ---- decoders --------------------------------------------------------------------------------------------------------- */

static const shape two = {4, 8, 8, 2, 1, 2, 1, true, true, false, false, false, AT_READ_ARGMAX, 4};

/* Values 0: nothing is sent, and everything is indistinguishable. R is all of A_2, Z all there is. */
static void test_blind(void **state)
{
    (void)state;
    at_model m;
    at_arena a;
    decoder_study d;
    bool holds;
    uint64_t pairs = 0;
    const at_task *t = at_task_find("funccomp");
    at_params p = params_of(t, "L=2 m=2 n1=2 N=8");
    at_arena_init(&a);
    model_draw(&two, 1, &m);
    for (int b = 0; b < 2; b++) {
        const at_group *g = &m.blocks[b].groups[0];
        memset(at_model_data(&m, g->o), 0, 2 * 8 * sizeof(double));
    }
    at_subject s = {.m = &m, .arith = {AT_PBIT, 8, 10}, .task = t, .params = &p};
    OK(decoder_fits(&s, &err));
    OK(decoder_examine(&s, 2, &a, &d, &err));
    assert_int_equal(d.prompts, 4096);
    assert_int_equal(d.best, DECODER_VIEWS);
    assert_true(d.d.exists && d.d.counted);
    assert_int_equal(d.d.reachable, 2);
    decoder_level *level = &d.d.level[0];
    assert_int_equal(level->l, 2);
    assert_int_equal(level->R.n, 256);
    assert_int_equal(level->Z[0].n, 2); /* all of A_{-1} */
    OK(decoder_recheck(&s, level, &a, &holds, &pairs, &err));
    assert_true(holds);
    assert_int_equal(pairs, 256 * 255 / 2 * level->Z[0].n * level->Z[1].n * level->Z[2].n);
    evidence_say("test_blind", "indistinguishable", "refuted", d.prompts, "prompts");
    at_arena_release(&a);
    at_model_release(&m);
}

/* What the tables say is what brute force over all sets says: a pair of z_2 that no player's row tells apart, for one z_1 and z_0. */
static void test_views(void **state)
{
    (void)state;
    const at_task *t = at_task_find("funccomp");
    at_params p = params_of(t, "L=2 m=2 n1=2 N=8");
    int found = 0, levels = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        at_model m;
        at_arena a;
        decoder_study d;
        shape narrow = two;
        narrow.width = 2, narrow.dim = 1;
        at_arena_init(&a);
        model_draw(&narrow, seed, &m);
        at_subject s = {.m = &m, .arith = {AT_PBIT, 2, 10}, .task = t, .params = &p};
        OK(decoder_examine(&s, 1, &a, &d, &err));
        if (d.d.exists) {
            bool holds;
            uint64_t pairs = 0;
            decoder_level *level = &d.d.level[0];
            OK(decoder_recheck(&s, level, &a, &holds, &pairs, &err));
            assert_true(holds);
            found++;
            levels += level->R.n < 256;
            for (int r = 0; r < 256; r++) { /* R is the whole class: whoever else is added spoils it */
                bool in = false;
                for (int k = 0; k < level->R.n; k++)
                    in = in || level->R.at[k] == r;
                if (in)
                    continue;
                int keep = level->R.at[0];
                level->R.at[0] = r;
                OK(decoder_recheck(&s, level, &a, &holds, &pairs, &err));
                level->R.at[0] = keep;
                assert_false(holds);
                break;
            }
        }
        at_arena_release(&a);
        at_model_release(&m);
    }
    assert_true(found >= 2 && levels >= 1);
}

static void test_decoders(void **state)
{
    (void)state;
    pairs_find("indistinguishable", "funccomp", "L=2 m=2 n1=2 N=8", &two, 3, 2);
}

/* ---- the search for anything -------------------------------------------------------------------------------------------- */

/* match2 of one token, answered from a table: right for all tokens, or for all but one of 64. */
static void table_model(at_model *m, int wrong)
{
    enum { M = 64 };
    at_model_init(m);
    m->width = 1;
    m->n_min = m->n_max = 1;
    m->pos_origin = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->n_fields = 1;
    m->fields[0] = (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = M, .embed = {0, 1, -1}};
    m->readout = (at_readout){.kind = AT_READ_THRESHOLD, .rows = 1};
    OK(at_model_layout(m, &err));
    double *v = at_model_data(m, m->fields[0].embed.tensor);
    for (int x = 0; x < M; x++)
        v[x] = (x % 32 == 0 ? 1 : -1) * (1 + x / 100.0);
    if (wrong >= 0)
        v[wrong] = -v[wrong] / 100;
    *at_model_data(m, m->readout.w) = 1;
}

static void test_search(void **state)
{
    (void)state;
    const at_task *t = at_task_find("match2");
    at_params p = params_of(t, "N=1 M=64");
    for (int wrong = -1; wrong < 64; wrong += 13) {
        at_model m;
        at_arena a;
        at_pair pair = {0};
        at_arena_init(&a);
        table_model(&m, wrong);
        at_subject s = {.m = &m, .arith = at_f64, .task = t, .params = &p};
        err = (at_err){0};
        at_status st =
            refuter("search")->search(&s, &(at_refute_env){.states = 3000, .seed = 5}, &a, &pair, &err);
        if (wrong < 0) {
            assert_int_equal(st, AT_EBUDGET);
            assert_non_null(strstr(err.text, "walks"));
        } else {
            assert_int_equal(st, AT_OK);
            assert_true(pair.x[0].n == 1 && pair.x[0].v[0] == wrong);
        }
        assert_true(pair.states > 0 && pair.states <= 3001);
        err = (at_err){0};
        assert_int_equal(refuter("search")->search(&s, &(at_refute_env){0}, &a, &pair, &err), AT_EBUDGET);
        at_arena_release(&a);
        at_model_release(&m);
    }
}

/* A chain of one row: the token again. The decoder says so, except after one token, or after none. */
enum { WORDS = 40 };

static int one(const void *self)
{
    (void)self;
    return 1;
}

static at_status echo_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *e)
{
    (void)self, (void)e;
    prompt[0] = (double)at_rng_below(r, WORDS);
    *n = 1;
    return AT_OK;
}

static at_status echo_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                             at_err *e)
{
    (void)self, (void)n, (void)e;
    rows[0] = prompt[0];
    *n_rows = 1;
    return AT_OK;
}

static void test_search_chain(void **state)
{
    (void)state;
    static const at_chain echo = {.id = "echo",
                                  .row_width = one,
                                  .prompt_max = one,
                                  .rows_max = one,
                                  .sample = echo_sample,
                                  .answer = echo_answer};
    for (int wrong = -1; wrong < WORDS; wrong += 20) {
        at_model m;
        at_arena a;
        at_pair pair = {0};
        at_arena_init(&a);
        at_model_init(&m);
        m.width = WORDS;
        m.n_min = 1, m.n_max = 2;
        m.pos_origin = 1;
        m.n_fields = 1;
        m.fields = at_new(&m.arena, at_field, 1);
        m.fields[0] = (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = WORDS, .embed = {0, WORDS, -1}};
        m.readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = WORDS};
        m.decode = (at_decode){
            .enabled = true, .stop = AT_STOP_STEPS, .max_steps = 1, .prompt_min = 1, .prompt_max = 1};
        OK(at_model_layout(&m, &err));
        for (int x = 0; x < WORDS; x++) {
            at_model_data(&m, m.fields[0].embed.tensor)[x * WORDS + x] = 1;
            at_model_data(&m, m.readout.w)[x * WORDS + (x == wrong ? 0 : x)] = 1;
        }
        at_subject s = {.m = &m, .arith = at_f64, .chain = &echo};
        OK(at_subject_check(&s, &err));
        err = (at_err){0};
        at_status st =
            refuter("search")->search(&s, &(at_refute_env){.states = 2000, .seed = 5}, &a, &pair, &err);
        assert_int_equal(st, wrong < 0 ? AT_EBUDGET : AT_OK);
        if (wrong >= 0)
            assert_true(pair.x[0].n == 1 && pair.x[0].v[0] == wrong);
        at_arena_release(&a);
        at_model_release(&m);
    }
}

/* Every allocation fails once; nothing is lost and nothing is believed. */
static void test_out_of_memory(void **state)
{
    (void)state;
    const at_task *t = at_task_find("compose");
    at_params p = params_of(t, "n=3 N=7");
    shape h = {3, 7, 2, 1, 1, 1, 1, true, false, false, false, false, AT_READ_ARGMAX, 3};
    at_model m;
    model_draw(&h, 1, &m);
    at_subject s = {.m = &m, .arith = {AT_PBIT, 3, 10}, .task = t, .params = &p};
    for (long n = 1, hit = 1; hit; n++) {
        at_arena a;
        at_pair pair;
        at_arena_init(&a);
        err = (at_err){0};
        at_alloc_inject(n);
        at_status st =
            refuter("one-layer")->search(&s, &(at_refute_env){.states = 5000, .threads = 1}, &a, &pair, &err);
        hit = at_alloc_injected();
        at_alloc_inject(0);
        if (hit)
            assert_int_equal(st, AT_ENOMEM);
        else
            assert_int_equal(st, AT_OK);
        at_arena_release(&a);
    }
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),        cmocka_unit_test(test_tables_refuse),
        cmocka_unit_test(test_pairs_compose), cmocka_unit_test(test_pairs_match3),
        cmocka_unit_test(test_pairs_blind),   cmocka_unit_test(test_pairs_qsa),
        cmocka_unit_test(test_fits),          cmocka_unit_test(test_blind),
        cmocka_unit_test(test_views),         cmocka_unit_test(test_decoders),
        cmocka_unit_test(test_search),        cmocka_unit_test(test_search_chain),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
