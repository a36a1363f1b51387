/* test_near.c: a decoder that leaves out keys of weight 0 gives the bits of one that does not.
 *
 * Rows bring query, key and value themselves, so that keys can be anything: indices, indices that were rounded, ties, noise, numbers at
 * which scores are mostly rounding errors, infinities. Every row of the decoder is compared with a twin that uses all keys (and with the
 * whole pass, at_run). Twins of which the hull is too narrow must be told apart by the same comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../core/test/test_scale.h"
#include "../decode.h"
#include "random_decoder.h"

extern const decode_ops full_f32_decode, full_f64_decode, hasty_f32_decode, hasty_f64_decode,
    blind_f32_decode, blind_f64_decode;
static const decode_ops *const full[] = {&full_f32_decode, &full_f64_decode};
static const decode_ops *const hasty[] = {&hasty_f32_decode, &hasty_f64_decode};
static const decode_ops *const blind[] = {&blind_f32_decode, &blind_f64_decode};

/* A row: the query (2), the key x and y = 2^26 high + low, the value. */
enum { Q0, Q1, X, Y_HIGH, Y_LOW, VALUE, NUMBERS, GROUPS = 6, WIDTH = NUMBERS + GROUPS, LENGTH = 260 };

/* What a group of the model is; all read the same query, key and value. */
static const struct {
    at_weighting weighting;
    int dk;
    double tie;
} groups[GROUPS] = {{AT_SOFTMAX, 2, 0},        {AT_LEFTMOST_HARD, 2, 0.5}, {AT_RIGHTMOST_HARD, 2, 0},
                    {AT_AVERAGE_HARD, 2, 3.5}, {AT_SOFTMAX, 3, 0},         {AT_SPARSEMAX, 2, 0}};

/* The first n groups; scores times scale, y times by, values times v_by. */
static void model_make(at_model *m, int n, at_mask mask, double scale, double by, double v_by)
{
    at_err err = {0};
    at_model_init(m);
    strcpy(m->name, "near");
    m->width = WIDTH;
    m->n_max = 8192;
    m->n_fields = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->fields[0] = (at_field){.name = "row",
                              .kind = AT_FIELD_INT,
                              .size = NUMBERS,
                              .lo = -0x1p53,
                              .hi = 0x1p53,
                              .embed = {0, NUMBERS, 0}};
    m->n_blocks = 1;
    m->blocks = at_new(&m->arena, at_block, 1);
    m->blocks[0] = (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .n_groups = n};
    at_group *g = m->blocks[0].groups = at_new(&m->arena, at_group, n);
    for (int k = 0; k < n; k++)
        g[k] = (at_group){.heads = k == 3 ? 2 : 1,
                          .dk = groups[k].dk,
                          .dv = 1,
                          .weighting = groups[k].weighting,
                          .scale = scale,
                          .tie = groups[k].tie,
                          .mask = mask};
    m->readout = (at_readout){.kind = AT_READ_ROUND, .rows = NUMBERS, .last = true};
    m->decode = (at_decode){
        .enabled = true, .stop = AT_STOP_STEPS, .max_steps = 1, .prompt_min = 1, .prompt_max = LENGTH};
    must(at_model_layout(m, &err), &err);
    for (int k = 0; k < NUMBERS; k++) {
        at_model_data(m, m->fields[0].embed.tensor)[k * NUMBERS + k] = 1;
        at_model_data(m, m->readout.w)[k * WIDTH + NUMBERS + k] = 1;
    }
    for (int k = 0; k < n; k++) {
        double *q = at_model_data(m, g[k].q), *key = at_model_data(m, g[k].k), *v = at_model_data(m, g[k].v),
               *o = at_model_data(m, g[k].o);
        for (int h = 0; h < g[k].heads; h++) {
            int row = h * g[k].dk * WIDTH;
            q[row + Q0] = key[row + X] = 1;
            q[row + WIDTH + Q1] = 1;
            key[row + WIDTH + Y_HIGH] = 0x1p26 * by;
            key[row + WIDTH + Y_LOW] = by;
            v[h * WIDTH + VALUE] = v_by;
            o[(NUMBERS + k) * g[k].heads + h] = h ? 0.25 : 1;
        }
    }
}

/* Those of a decoder; the last as local attention has it: a window of many rows. */
static const at_mask masks[] = {{.kind = AT_MASK_CAUSAL},
                                {.kind = AT_MASK_STRICT},
                                {AT_MASK_BLOCK_SPARSE, 8, 2, 1},
                                {AT_MASK_BLOCK_SPARSE, 100, 1, 1}};
enum { CAUSAL, STRICT, SPARSE, LOCAL, MASKS };

/* ---- keys ------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    double scale;   /* of scores */
    double by[2];   /* f32, f64: y is multiplied by it; 0: 1 */
    bool descends;  /* x does, so there is no hull */
    bool overflows; /* some keys or scores do: there need not be one */
    bool values;    /* some values do */
} family;
enum {
    INDEX,
    SOFT,
    ROUNDED,
    PROMPT,
    TIES,
    UPSIDE_DOWN,
    NOISE,
    LINES,
    FAR,
    COARSE,
    TINY,
    HUGE_Y,
    UNSORTED,
    WILD,
    WILD_VALUES,
    FAMILIES
};
static const family families[FAMILIES] = {
    [INDEX] = {"indices", 24.5},
    [SOFT] = {"indices, soft", 0.01},
    [ROUNDED] = {"indices, rounded", 24.5, {1 / 3.0, 1 / 3.0}},
    [PROMPT] = {"a prompt of zeros, then indices", 24.5},
    [TIES] = {"every index seven times", 24.5},
    [UPSIDE_DOWN] = {"queries (2t, -1), keys (k, k^2)", 24.5},
    [NOISE] = {"ascending x, any y", 1, {1e-3, 1e-3}},
    [LINES] = {"nearly on a line", 3, {1 / 7.0, 1 / 7.0}},
    [FAR] = {"indices from 2^31 on: scores are rounding errors", 0.5},
    [COARSE] = {"indices from 2^15 on: the same in f32", 0.5},
    [TINY] = {"subnormal scores", 0.3, {0x1p-146, 0x1p-1071}},
    [HUGE_Y] = {"scores overflow", 0x1p20, {0x1p95, 0x1p990}, .overflows = true},
    [UNSORTED] = {"any x, any y", 1, {1e-3, 1e-3}, .descends = true},
    [WILD] = {"some keys overflow", 1, {0x1p80, 0x1p980}, .overflows = true},
    [WILD_VALUES] = {"some values overflow", 24.5, .values = true},
};

static void family_model(at_model *m, int f, int arith, int n, at_mask mask)
{
    double by = families[f].by[arith], v_by = arith ? 0x1p980 : 0x1p80;
    model_make(m, n, mask, families[f].scale, by > 0 ? by : 1, families[f].values ? v_by : 1);
}

/* Row t of a family, into row. */
static void row_make(int f, at_rng *r, int t, double *row)
{
    double i = t,
           far = f == FAR      ? 0x1p31
                 : f == COARSE ? 0x1p15
                               : 0,
           target = (double)at_rng_below(r, (uint64_t)t + 3);
    double y, sign = f == UPSIDE_DOWN ? -1 : 1;
    if (f == TIES)
        i = floor(i / 7), target = floor(target / 7);
    if (f == PROMPT && t < 40)
        i = 0;
    if (f == UNSORTED)
        i = (double)at_rng_below(r, 50);
    i += far, target += far;
    y = -i * i * sign;
    if (f == NOISE || f == UNSORTED)
        y = (double)at_rng_below(r, 20000) - 10000;
    if (f == LINES)
        y = 5 * i + (double)at_rng_below(r, 2);
    memset(row, 0, NUMBERS * sizeof *row);
    row[Q0] = 2 * target;
    row[Q1] = sign;
    if (f == NOISE || f == UNSORTED)
        row[Q0] = (double)at_rng_below(r, 60) - 30;
    if (f == LINES) /* along the line, or nearly so */
        row[Q0] = -35 + (double)at_rng_below(r, 3) - 1, row[Q1] = 49;
    if (at_rng_below(r, 9) == 0) /* queries that look elsewhere */
        row[Q1] = (double)at_rng_below(r, 3) - 1;
    row[X] = i;
    if (f == WILD)
        y = t < 100 || at_rng_below(r, 40) ? 1 : 0x1p50; /* infinite after scaling */
    if (f == TINY)                                       /* scores of some units of the least number */
        row[Q0] = 0, row[Q1] *= 1 + (double)at_rng_below(r, 9);
    row[Y_HIGH] = trunc(y * 0x1p-26);
    row[Y_LOW] = y - 0x1p26 * row[Y_HIGH];
    row[VALUE] = (double)at_rng_below(r, 2001) - 1000;
    if (f == WILD_VALUES && t > 100 && at_rng_below(r, 20) == 0)
        row[VALUE] = 0x1p50;
}

/* ---- comparing -------------------------------------------------------------------------------------- */

static const at_arith ariths[] = {{AT_F32, 0, 0}, {AT_F64, 0, 0}};

/* Equal bits, but for the sign and the payload of NaN. */
static bool same(const double *a, const double *b, int n)
{
    for (int k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) && !(isnan(a[k]) && isnan(b[k])))
            return false;
    return true;
}

static const double *values_after(at_decoder *d, const double *row)
{
    double next[NUMBERS], margin;
    at_tri decided;
    at_err err = {0};
    int n;
    must(at_decoder_push(d, row, &err), &err);
    must(at_decoder_next(d, next, &margin, &decided, &err), &err);
    return at_decoder_values(d, &n);
}

typedef struct {
    uint64_t looked, all; /* keys, by the decoder and by its twin */
    int hulls;            /* heads that ended with one */
    int differ;           /* rows */
} result;

/* The decoder with steps `ops` (NULL: its own) against the twin that uses all keys. */
static result compare(int f, int arith, at_mask mask, const decode_ops *ops, uint64_t seed)
{
    at_model m;
    at_err err = {0};
    at_decoder *d, *e;
    at_rng r = at_rng_at(seed, (uint64_t)f);
    result out = {0};
    family_model(&m, f, arith, GROUPS, mask);
    must(at_decoder_new(&m, ariths[arith], &d, &err), &err);
    must(at_decoder_new(&m, ariths[arith], &e, &err), &err);
    d->ops = ops ? ops : d->ops;
    e->ops = full[arith];
    for (int t = 0; t < LENGTH; t++) {
        double row[NUMBERS], values[NUMBERS];
        row_make(f, &r, t, row);
        memcpy(values, values_after(d, row), sizeof values);
        out.differ += !same(values, values_after(e, row), NUMBERS);
    }
    for (int g = 0; g < GROUPS; g++)
        out.hulls += d->blocks[0].groups[g].hull && d->blocks[0].groups[g].hull[0].done > 0 &&
                     !d->blocks[0].groups[g].hull[0].off;
    out.looked = d->looked, out.all = e->looked;
    at_decoder_free(d);
    at_decoder_free(e);
    at_model_release(&m);
    return out;
}

static void all_keys(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++)
        for (int a = 0; a < 2; a++)
            for (int k = 0; k < MASKS; k++) {
                result z = {0};
                for (uint64_t seed = 0; seed < TEST_SCALED(4); seed++) {
                    result one = compare(f, a, masks[k], NULL, seed);
                    if (one.differ)
                        fail_msg("%s, %s, %s: %d rows differ", families[f].name, a ? "f64" : "f32",
                                 at_mask_names[masks[k].kind], one.differ);
                    z.looked += one.looked, z.all += one.all, z.hulls += one.hulls;
                }
                if (a)
                    printf("%-50s %-13s %.2f of the keys\n", families[f].name, at_mask_names[masks[k].kind],
                           (double)z.looked / (double)z.all);
                assert_true(z.looked <= z.all);
                assert_true(families[f].descends
                                ? !z.hulls
                                : z.hulls > 0 || families[f].overflows || families[f].values);
            }
}

/* A hull that is too narrow is seen: one that cuts off small weights, and one that trusts rounded scores. */
static void controls(void **state)
{
    (void)state;
    for (int a = 0; a < 2; a++) {
        int cut = 0, trusting = 0;
        for (uint64_t seed = 0; seed < 4; seed++) {
            cut += compare(SOFT, a, masks[seed % 2 ? CAUSAL : LOCAL], hasty[a], seed).differ;
            trusting += compare(a ? FAR : COARSE, a, masks[seed % 2 ? CAUSAL : LOCAL], blind[a], seed).differ;
        }
        printf("%s: rows told apart: %d of small weights, %d of rounding errors\n", a ? "f64" : "f32", cut,
               trusting);
        assert_true(cut > 20 && trusting > 0);
    }
}

/* Row by row what the whole pass gives for the last position. */
static void whole_pass(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++)
        for (int a = 0; a < 2; a++) {
            at_model m;
            at_err err = {0};
            at_decoder *d;
            at_arena arena;
            at_output y;
            at_rng r = at_rng_at(9, (uint64_t)f);
            static double rows[LENGTH * NUMBERS];
            at_arena_init(&arena);
            family_model(&m, f, a, GROUPS, masks[f % MASKS]);
            must(at_decoder_new(&m, ariths[a], &d, &err), &err);
            for (int t = 0; t < LENGTH; t++) {
                double *row = rows + t * NUMBERS, values[NUMBERS];
                row_make(f, &r, t, row);
                memcpy(values, values_after(d, row), sizeof values);
                if (t % 50 != 9 && t + 1 < LENGTH)
                    continue;
                must(at_run(&m, ariths[a], &(at_input){t + 1, rows}, NULL, &arena, &y, &err), &err);
                if (!same(values, y.value, NUMBERS))
                    fail_msg("%s, %s: row %d differs from the whole pass", families[f].name,
                             a ? "f64" : "f32", t);
            }
            at_decoder_free(d);
            at_arena_release(&arena);
            at_model_release(&m);
        }
}

/* A decoder that goes back forgets what came after, hulls and infinities too. */
static void rewound(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++)
        for (int a = 0; a < 2; a++) {
            at_model m;
            at_err err = {0};
            at_decoder *d, *e;
            at_rng r = at_rng_at(3, (uint64_t)f), other = at_rng_at(4, (uint64_t)f);
            family_model(&m, f, a, GROUPS, masks[CAUSAL]);
            must(at_decoder_new(&m, ariths[a], &d, &err), &err);
            must(at_decoder_new(&m, ariths[a], &e, &err), &err);
            double row[NUMBERS], values[NUMBERS];
            for (int t = 0; t < 90; t++) {
                row_make(f == WILD && t < 60 ? INDEX : f, &r, t, row);
                values_after(d, row);
                if (t < 60)
                    values_after(e, row);
            }
            assert_true(decoder_rewind(d, 60));
            for (int t = 60; t < 150; t++) {
                row_make(f == UNSORTED || f == WILD ? INDEX : f, &other, t, row);
                memcpy(values, values_after(d, row), sizeof values);
                if (!same(values, values_after(e, row), NUMBERS))
                    fail_msg("%s, %s: row %d remembers", families[f].name, a ? "f64" : "f32", t);
            }
            at_decoder_free(d);
            at_decoder_free(e);
            at_model_release(&m);
        }
}

/* How many keys a query looks at does not grow with their number. (In f32 it does, as rounding errors do.) */
static void flat(void **state)
{
    (void)state;
    enum { HEADS = 5, FIRST = 1024, SECOND = 2048, THIRD = 4096 };
    at_model m;
    at_err err = {0};
    at_decoder *d;
    at_rng r = at_rng_at(1, 1);
    uint64_t at[3] = {0};
    family_model(&m, INDEX, 1, 4, masks[CAUSAL]); /* the groups with a hull */
    must(at_decoder_new(&m, at_f64, &d, &err), &err);
    for (int t = 0; t < THIRD; t++) {
        double row[NUMBERS];
        row_make(INDEX, &r, t, row);
        row[Q1] = 1;
        must(at_decoder_push(d, row, &err), &err);
        for (int k = 0; k < 3; k++)
            at[k] = t < (int[]){FIRST, SECOND, THIRD}[k] ? d->looked : at[k];
    }
    double early = (double)(at[1] - at[0]) / (SECOND - FIRST) / HEADS,
           late = (double)(at[2] - at[1]) / (THIRD - SECOND) / HEADS;
    printf("keys that a head looks at: %.2f at %d..%d, %.2f from there to %d\n", early, FIRST, SECOND, late,
           THIRD);
    assert_true(early < 12 && late < 1.05 * early);
    at_decoder_free(d);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keys), cmocka_unit_test(controls), cmocka_unit_test(whole_pass),
        cmocka_unit_test(rewound),  cmocka_unit_test(flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
