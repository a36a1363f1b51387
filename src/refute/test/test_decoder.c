/* test_decoder.c: what is said of all prompts of a decoder is what the definitions say, asked of all prompts one by one.
 *
 * At these sizes there are 8 to 192 prompts. Every prompt is run; every pair is looked at, and every decomposition with two functions;
 * decoder_examine must say the same. Players are numbered as in refute_decoder.c: 0 holds w, 1 holds z_0, l + 1 holds z_l. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../decoder.h"
#include "../refute_internal.h"
#include "small_models.h"

enum { MOST = 256, ROWS = 64 };

/* All that the definitions speak of, by prompt. */
typedef struct {
    int L, N, prompts, width, rows;
    int inputs[DECODER_PLAYERS];    /* of a player */
    int first[DECODER_PLAYERS + 1]; /* first position of a player */
    int target[MOST];
    double (*state)[DECODER_LEVELS][ROWS]; /* (prompts): the residual after each attention layer */
    double value[MOST][8];
    int layers;
} facts;

static void facts_make(const at_subject *s, facts *f)
{
    static const char *const sides[] = {NULL, "n1", "n2", "n3", "n4", "n5"};
    int domain[DECODER_LEVELS], at;
    *f =
        (facts){.L = at_params_int(s->params, "L"), .N = at_params_int(s->params, "N"), .width = s->m->width};
    f->prompts = (int)s->task->count(s->params, AT_ENUM_SEQUENCES);
    assert_true(f->prompts <= MOST && f->N * f->width <= ROWS);
    domain[0] = at_params_int(s->params, "m");
    for (int l = 1; l < f->L; l++)
        domain[l] = domain[l - 1] * at_params_int(s->params, sides[l]);
    f->inputs[0] = domain[f->L - 1] / domain[0];
    f->inputs[1] = domain[0];
    f->first[0] = f->N - 1;
    f->first[1] = at = f->N - 2;
    for (int l = 1; l <= f->L; l++) {
        f->inputs[l + 1] = (int)pow(domain[l - 1], domain[l - 1]);
        f->first[l + 1] = at -= domain[l - 1];
    }
    assert_int_equal(at, 0);
    f->state = at_calloc(MOST, sizeof *f->state);
    assert_non_null(f->state);
    for (int k = 0; k < f->prompts; k++) {
        at_arena a;
        at_trace trace;
        at_output y;
        double x[64], right;
        at_arena_init(&a);
        s->task->nth(s->params, AT_ENUM_SEQUENCES, (uint64_t)k, x);
        s->task->answer(s->params, x, &right);
        OK(at_run(s->m, s->arith, &(at_input){f->N, x}, &trace, &a, &y, &err));
        f->target[k] = (int)right;
        f->rows = y.rows;
        memcpy(f->value[k], y.value + (size_t)(y.n - 1) * (size_t)y.rows, (size_t)y.rows * sizeof(double));
        f->layers = 0;
        for (int b = 0; b < s->m->n_blocks; b++)
            if (s->m->blocks[b].kind == AT_BLOCK_ATTN)
                memcpy(f->state[k][f->layers++], trace.state[b + 1] + s->m->n_prefix * f->width,
                       (size_t)(f->N * f->width) * sizeof(double));
        at_arena_release(&a);
    }
}

static bool equal(const double *x, const double *y, int n)
{
    for (int k = 0; k < n; k++)
        if (x[k] != y[k])
            return false;
    return true;
}

/* Do players below l see the same of both, in layers 1..l? */
static bool views_equal(const facts *f, int i, int k, int l)
{
    int from = f->first[l] * f->width, n = f->N * f->width - from;
    for (int e = 0; e < l; e++)
        if (!equal(f->state[i][e] + from, f->state[k][e] + from, n))
            return false;
    return true;
}

static bool alike(const facts *f, decoder_likeness kind, int i, int k)
{
    int last = (f->N - 1) * f->width;
    bool state = equal(f->state[i][f->layers - 1] + last, f->state[k][f->layers - 1] + last, f->width);
    if (kind == DECODER_VIEWS)
        return state && views_equal(f, i, k, f->L);
    return kind == DECODER_STATE ? state : equal(f->value[i], f->value[k], f->rows);
}

/* The first pair of a kind: by what the others hold, then by the larger z_L, then by the smaller. */
static bool pair_first(const facts *f, decoder_likeness kind, int out[2])
{
    int mine = f->inputs[f->L + 1], others = f->prompts / mine;
    for (int z = 0; z < others; z++)
        for (int x = 0; x < mine; x++)
            for (int y = 0; y < x; y++) {
                out[0] = y * others + z, out[1] = x * others + z;
                if (f->target[out[0]] != f->target[out[1]] && alike(f, kind, out[0], out[1]))
                    return true;
            }
    return false;
}

/* Any two prompts with one readout and two answers? */
static bool other_exists(const facts *f)
{
    for (int k = 0; k < f->prompts; k++)
        for (int i = 0; i < k; i++)
            if (f->target[i] != f->target[k] && alike(f, DECODER_VALUE, i, k))
                return true;
    return false;
}

/* A decomposition exists when for one z_1..z_{L-1}, z_0 two z_L are not told apart, whatever w, and differ for some w: larger sets only ask
 * for more. */
static bool decomposition_exists(const facts *f)
{
    int mine = f->inputs[f->L + 1], W = f->inputs[0], others = f->prompts / mine;
    for (int z = 0; z < others; z += W)
        for (int x = 0; x < mine; x++)
            for (int y = 0; y < x; y++) {
                bool same = true, differ = false;
                for (int w = 0; w < W; w++) {
                    int i = y * others + z + w, k = x * others + z + w;
                    same = same && views_equal(f, i, k, f->L);
                    differ = differ || f->target[i] != f->target[k];
                }
                if (same && differ)
                    return true;
            }
    return false;
}

/* L = 2: the best over all Z_0, Z_1 and all classes: counted before not counted, then the more points can be reached. */
static void decomposition_best(const facts *f, int domain, int inner, bool *counted, int *reachable)
{
    int mine = f->inputs[3], W = f->inputs[0], A0 = f->inputs[1], A1 = f->inputs[2], others = W * A0 * A1;
    *counted = false;
    *reachable = 0;
    for (int z0 = 1; z0 < 1 << A0; z0++)
        for (int z1 = 1; z1 < 1 << A1; z1++)
            for (int first = 0; first < mine; first++) {
                bool in[MOST] = {0}, point[8] = {0}, differ = false;
                int n = 0, seen = 0;
                for (int r = 0; r < mine; r++) {
                    in[r] = true;
                    for (int t = 0; t < others && in[r]; t++)
                        if (z0 >> t / W % A0 & 1 && z1 >> t / W / A0 & 1)
                            in[r] = views_equal(f, first * others + t, r * others + t, 2);
                    n += in[r];
                }
                for (int t = 0; t < others; t++) {
                    if (!(z0 >> t / W % A0 & 1 && z1 >> t / W / A0 & 1))
                        continue;
                    int i = t / W % A0, table = t / W / A0; /* i_1 = z_1(i_0), and z_1's entry 0 is slowest */
                    for (int j = inner - 1; j > i; j--)
                        table /= inner;
                    point[table % inner] = true;
                    for (int r = 0; r < mine; r++)
                        differ =
                            differ || (in[r] && f->target[r * others + t] != f->target[first * others + t]);
                }
                for (int i = 0; i < inner; i++)
                    seen += point[i];
                if (!differ)
                    continue;
                bool count = n > pow(domain, domain - seen * (domain / inner));
                if (count > *counted || (count == *counted && seen > *reachable))
                    *counted = count, *reachable = seen;
            }
}

/* ---- models --------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *set;
    int L, vocabulary, N;
} sizes[] = {{"L=2 m=2 n1=1 N=6", 2, 2, 6},
             {"L=2 m=1 n1=2 N=5", 2, 2, 5},
             {"L=2 m=1 n1=3 N=6", 2, 3, 6},
             {"L=3 m=2 n1=1 n2=1 N=8", 3, 2, 8},
             {"L=3 m=1 n1=2 n2=1 N=7", 3, 2, 7}};

/* What a decoder is made to be blind to. */
typedef enum { SEES, NO_VALUES, NO_READOUT, SAME_READOUT, BLINDS } blindness;

static void blind(at_model *m, blindness how)
{
    for (int b = 0; b < m->n_blocks && how == NO_VALUES; b++) {
        const at_group *g = &m->blocks[b].groups[0];
        memset(at_model_data(m, g->o), 0, (size_t)(m->width * g->heads * g->dv) * sizeof(double));
    }
    double *w = at_model_data(m, m->readout.w);
    for (int k = 0; k < m->readout.rows * m->width; k++)
        if (how == NO_READOUT)
            w[k] = 0;
    if (how == SAME_READOUT) /* one number for everything that the position of w holds but its own token */
        for (int r = 0; r < m->readout.rows; r++)
            w[r * m->width] = w[0];
}

static void test_everything(void **state)
{
    (void)state;
    int best[DECODER_NONE + 1] = {0}, exist = 0, counts = 0, larger = 0, models = 0;
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
        for (uint64_t seed = 0; seed < 24; seed++) {
            const at_task *t = at_task_find("funccomp");
            at_params p = params_of(t, sizes[z].set);
            shape h = {.vocabulary = sizes[z].vocabulary,
                       .length = sizes[z].N,
                       .width = 2 + (int)(seed % 3),
                       .layers = sizes[z].L,
                       .heads = 1,
                       .dim = 1,
                       .groups = 1,
                       .last = seed % 4 != 1,
                       .strict = true,
                       .mlp = seed % 5 == 2,
                       .read = AT_READ_ARGMAX,
                       .rows = sizes[z].vocabulary,
                       .prefix = seed % 3 == 1};
            at_model m;
            at_arena a;
            facts f;
            decoder_study d;
            model_draw(&h, seed, &m);
            blind(&m, seed % 6 < BLINDS ? (blindness)(seed % 6) : SEES);
            at_subject s = {.m = &m, .arith = {AT_PBIT, seed % 2 ? 2 : 6, 10}, .task = t, .params = &p};
            at_arena_init(&a);
            OK(at_subject_check(&s, &err));
            OK(decoder_fits(&s, &err));
            facts_make(&s, &f);
            OK(decoder_examine(&s, 1 + (int)(seed % 2), &a, &d, &err));
            models++;
            assert_int_equal(d.L, f.L);
            assert_int_equal(d.prompts, f.prompts);
            assert_memory_equal(d.players, f.inputs, (size_t)(f.L + 2) * sizeof(int));
            int kind = DECODER_VIEWS, pair[2];
            while (kind < DECODER_OTHER && !pair_first(&f, (decoder_likeness)kind, pair))
                kind++;
            if (kind == DECODER_OTHER && !other_exists(&f))
                kind = DECODER_NONE;
            assert_int_equal(d.best, kind);
            best[kind]++;
            if (kind < DECODER_OTHER)
                assert_memory_equal(d.pair, pair, sizeof pair);
            else if (kind == DECODER_OTHER)
                assert_true(f.target[d.pair[0]] != f.target[d.pair[1]] &&
                            alike(&f, DECODER_VALUE, d.pair[0], d.pair[1]));
            assert_int_equal(d.d.exists, decomposition_exists(&f));
            exist += d.d.exists;
            if (d.d.exists) {
                const decoder_level *top = &d.d.level[f.L - 2];
                bool holds, counted, in[2] = {false};
                int reachable, others = f.prompts / f.inputs[f.L + 1];
                uint64_t pairs = 0;
                assert_int_equal(d.d.levels, f.L - 1);
                for (int l = 2; l <= f.L; l++) {
                    assert_int_equal(d.d.level[l - 2].l, l);
                    OK(decoder_recheck(&s, &d.d.level[l - 2], &a, &holds, &pairs, &err));
                    assert_true(holds);
                }
                for (int k = 0; k < 2; k++) {
                    for (int r = 0; r < top->R.n; r++)
                        in[k] = in[k] || top->R.at[r] == d.d.z[k];
                    assert_true(in[k] && d.d.prompt[k] / others == d.d.z[k]);
                }
                assert_int_equal(d.d.prompt[0] % others, d.d.prompt[1] % others);
                assert_true(f.target[d.d.prompt[0]] != f.target[d.d.prompt[1]]);
                if (f.L == 2) {
                    int inner = f.inputs[1], domain = inner * f.inputs[0];
                    decomposition_best(&f, domain, inner, &counted, &reachable);
                    assert_int_equal(d.d.counted, counted);
                    assert_int_equal(d.d.reachable, reachable);
                    counts += counted;
                    larger += reachable > 1;
                }
            }
            /* the refuter says so; with one prompt less than all there is nothing to say */
            at_pair found;
            err = (at_err){0};
            at_refute_env env = {.states = (uint64_t)f.prompts, .threads = 1};
            at_status st = refuter("indistinguishable")->search(&s, &env, &a, &found, &err);
            assert_int_equal(st, kind == DECODER_NONE ? AT_EBUDGET : AT_OK);
            assert_int_equal(found.states, f.prompts);
            assert_true(found.work == f.prompts * work_of_input(&s));
            if (!st) {
                double x[64];
                assert_true(found.bits == (kind < DECODER_VALUE ? m.width : m.readout.rows) * s.arith.bits);
                for (int k = 0; k < 2; k++) {
                    t->nth(&p, AT_ENUM_SEQUENCES, (uint64_t)d.pair[k], x);
                    assert_memory_equal(found.x[k].v, x, (size_t)f.N * sizeof *x);
                }
            }
            env.states--;
            err = (at_err){0};
            assert_int_equal(refuter("indistinguishable")->search(&s, &env, &a, &found, &err), AT_EBUDGET);
            assert_non_null(strstr(err.text, "prompts must be run"));
            at_free(f.state);
            at_arena_release(&a);
            at_model_release(&m);
        }
    for (int k = 0; k <= DECODER_NONE; k++)
        if (!best[k])
            fail_msg("no decoder of kind %d among %d", k, models);
    assert_true(exist >= 10 && counts >= 3 && larger >= 3);
}

/* A decoder of 6 bits: two layers of one head, which see what stands before them. */
static shape two_layers(int width)
{
    return (shape){.vocabulary = 2,
                   .length = 6,
                   .width = width,
                   .layers = 2,
                   .heads = 1,
                   .dim = 2,
                   .groups = 1,
                   .last = true,
                   .strict = true,
                   .read = AT_READ_ARGMAX,
                   .rows = 2};
}

/* A level that holds but for one number: entry 1 of z_2 moves coordinate 0 of the first row that is looked at, after the first layer, and
 * nothing else. Coordinates: what is written | is this the row? | is it another? | is this entry 1? | is it entry 0? | the token. */
static void test_one_number(void **state)
{
    (void)state;
    enum { WRITTEN, ROW, OTHER, ONE, ZERO, TOKEN, D };
    const at_task *t = at_task_find("funccomp");
    at_params p = params_of(t, "L=2 m=2 n1=1 N=6"); /* z_2: 0 1, z_1: 2 3, z_0: 4, w: 5 */
    shape h = two_layers(D);
    at_model m;
    model_draw(&h, 1, &m);
    memset(m.weights, 0, m.n_weights * sizeof *m.weights);
    m.blocks[1].residual = false; /* the second layer forgets it */
    const at_group *g = &m.blocks[0].groups[0];
    double *pos = at_model_data(&m, m.pos[0].embed.tensor);
    for (int i = 0; i < 6; i++)
        pos[i * D + (i == 2 ? ROW : OTHER)] = 1;
    pos[1 * D + ONE] = pos[0 * D + ZERO] = 1;
    at_model_data(&m, m.fields[0].embed.tensor)[1 * D + TOKEN] = 1;
    at_model_data(&m, g->q)[0 * D + ROW] = at_model_data(&m, g->q)[1 * D + OTHER] = 1000;
    at_model_data(&m, g->k)[0 * D + ONE] = at_model_data(&m, g->k)[1 * D + ZERO] = 1000;
    at_model_data(&m, g->v)[0 * D + TOKEN] = 1;
    at_model_data(&m, g->o)[WRITTEN * 2 + 0] = 1;
    at_subject s = {.m = &m, .arith = {AT_PBIT, 8, 10}, .task = t, .params = &p};
    int nothing[] = {0}, one[] = {1};
    decoder_level level = {.l = 2, .Z = {{1, nothing}, {1, nothing}, {1, one}}};
    for (int move = 0; move < 4; move++) { /* z_2 = (0, 0) beside (move / 2, move mod 2) */
        int R[] = {0, move};
        bool holds;
        uint64_t pairs = 0;
        at_arena a;
        at_arena_init(&a);
        level.R = (decoder_set){2, R};
        OK(decoder_recheck(&s, &level, &a, &holds, &pairs, &err));
        assert_true(holds == (move == 0) && pairs == 1);
        at_arena_release(&a);
    }
    at_model_data(&m, g->o)[WRITTEN * 2 + 0] = 0;
    for (int move = 0; move < 4; move++) {
        int R[] = {0, move};
        bool holds;
        uint64_t pairs = 0;
        at_arena a;
        at_arena_init(&a);
        level.R = (decoder_set){2, R};
        OK(decoder_recheck(&s, &level, &a, &holds, &pairs, &err));
        assert_true(holds); /* nothing is written */
        at_arena_release(&a);
    }
    at_model_release(&m);
}

/* Rows that hold 0 see the mean of the two entries of z_2, rows that hold 1 see its entry 0. So (0,1) and (1,0) are one only where z_1 is
 * (0,0) and z_0 is 0: one point is reached, and two inputs are no more than 2^(2-1), so that the count alone does not tell them apart. */
static void test_not_counted(void **state)
{
    (void)state;
    enum { WRITTEN, TOKEN, ALWAYS, ZERO, FIRST, D }; /* FIRST: is this a row of z_2, ZERO: its entry 0? */
    const at_task *t = at_task_find("funccomp");
    at_params p = params_of(t, "L=2 m=2 n1=1 N=6");
    shape h = two_layers(D);
    at_model m;
    at_arena a;
    facts f;
    decoder_study d;
    bool counted;
    int reachable;
    model_draw(&h, 1, &m);
    memset(m.weights, 0, m.n_weights * sizeof *m.weights);
    const at_group *g = &m.blocks[0].groups[0];
    double *pos = at_model_data(&m, m.pos[0].embed.tensor), *q = at_model_data(&m, g->q),
           *k = at_model_data(&m, g->k);
    for (int i = 0; i < 6; i++)
        pos[i * D + ALWAYS] = 1;
    pos[ZERO] = pos[FIRST] = pos[D + FIRST] = 1;
    at_model_data(&m, m.fields[0].embed.tensor)[D + TOKEN] = 1;
    q[TOKEN] = q[D + ALWAYS] = 1000;
    q[D + TOKEN] = -1000;
    k[ZERO] = k[D + FIRST] = 1000;
    at_model_data(&m, g->v)[TOKEN] = 1;
    at_model_data(&m, g->o)[WRITTEN * 2] = 1;
    at_subject s = {.m = &m, .arith = {AT_PBIT, 8, 10}, .task = t, .params = &p};
    at_arena_init(&a);
    facts_make(&s, &f);
    OK(decoder_examine(&s, 1, &a, &d, &err));
    decomposition_best(&f, 2, 2, &counted, &reachable);
    assert_true(d.d.exists && !counted && reachable == 1);
    assert_true(!d.d.counted && d.d.reachable == 1 && d.d.z[0] == 1 && d.d.z[1] == 2);
    assert_true(d.d.level[0].R.n == 2 && d.d.level[0].Z[1].n == 1 && d.d.level[0].Z[2].n == 1);
    at_free(f.state);
    at_arena_release(&a);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_one_number),
        cmocka_unit_test(test_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
