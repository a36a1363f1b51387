/* test_stage.c: a model run stage by stage, the keys dealt to three holders, against the whole pass, bit for bit.
 *
 * Here one function walks the stages and merges sums in memory; parties that send messages are tested in protocol. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "../exec_internal.h"
#include "random_model.h"

enum { MOST = 16, WIDE = 64, HOLDERS = 3 };

static void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

/* One head of one query: out (dv). Key j is held by holder j mod 3. */
static void head_split(at_stage *s, const at_group *g, int b, int a, int h, int i, int T, const double *q,
                       const double *k, const double *v, double *out)
{
    at_acc sum[HOLDERS][WIDE];
    double score[MOST], w[MOST], peak = NAN;
    int key[HOLDERS][MOST], n[HOLDERS] = {0}, seen = 0, best = -1, place[MOST];
    for (int j = 0; j < T; j++)
        place[j] = j;
    memset(out, 0, (size_t)g->dv * sizeof *out);
    for (int j = 0; j < T; j++)
        if (at_mask_allows(&g->mask, i, j))
            key[j % HOLDERS][n[j % HOLDERS]++] = j;
    for (int p = 0; p < HOLDERS; p++) {
        if (!n[p])
            continue;
        at_stage_scores(s, b, a, h, q, i, k, place, key[p], n[p], score);
        double mine = at_stage_peak(score, n[p]);
        peak = !seen || mine > peak || isnan(mine) ? (seen && isnan(peak) ? peak : mine) : peak;
        seen += n[p];
    }
    if (!seen)
        return;
    if (g->weighting == AT_LEFTMOST_HARD || g->weighting == AT_RIGHTMOST_HARD) {
        for (int p = 0; p < HOLDERS; p++) {
            at_stage_scores(s, b, a, h, q, i, k, place, key[p], n[p], score);
            int c = at_stage_choose(s, b, a, score, n[p], peak);
            if (c >= 0 &&
                (best < 0 || (g->weighting == AT_RIGHTMOST_HARD ? key[p][c] > best : key[p][c] < best)))
                best = key[p][c];
        }
        for (int e = 0; e < g->dv; e++)
            out[e] =
                isnan(peak) ? NAN : v[(size_t)best * (size_t)(g->heads * g->dv) + (size_t)(h * g->dv + e)];
        return;
    }
    for (int p = 0; p < HOLDERS; p++) {
        for (int e = 0; e <= g->dv; e++)
            at_acc_zero(&sum[p][e]);
        at_stage_scores(s, b, a, h, q, i, k, place, key[p], n[p], score);
        at_stage_weigh(s, b, a, score, n[p], peak, w);
        at_stage_add(s, b, a, h, w, n[p], v, key[p], sum[p]);
        for (int e = 0; e <= g->dv && p; e++)
            at_acc_merge(&sum[0][e], &sum[p][e]);
    }
    at_stage_finish(s, b, a, sum[0], out);
}

static void stages_run(const at_model *m, at_arith a, const at_input *x, double *value)
{
    at_err err = {0};
    at_stage *s;
    int T = m->n_prefix + x->n + m->n_suffix, D = m->width, width = at_model_row_width(m);
    double row[MOST * WIDE], y[MOST * WIDE], result[MOST * WIDE], q[MOST * WIDE], k[MOST * WIDE],
        v[MOST * WIDE], mixed[MOST * WIDE], before[MOST * WIDE];
    int place[MOST];
    must(at_stage_new(m, a, &s, &err), &err);
    for (int t = 0; t < T; t++) {
        int u = t - m->n_prefix;
        at_stage_embed(s, u >= 0 && u < x->n ? x->v + (size_t)(u * width) : NULL, t, T, row + t * D);
        place[t] = t;
    }
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *block = &m->blocks[b];
        if (!block->parallel)
            memcpy(before, row, sizeof before);
        at_stage_read(s, b, before, T, y);
        memset(result, 0, sizeof result);
        if (block->kind == AT_BLOCK_MLP)
            must(at_stage_mlp(s, b, y, T, result, &err), &err);
        for (int g = 0; block->kind == AT_BLOCK_ATTN && g < block->n_groups; g++) {
            const at_group *group = &block->groups[g];
            at_stage_project(s, b, g, y, place, T, q, k, v);
            for (int i = 0; i < T; i++)
                for (int h = 0; h < group->heads; h++)
                    head_split(s, group, b, g, h, i, T, q + i * group->heads * group->dk, k, v,
                               mixed + (i * group->heads + h) * group->dv);
            must(at_stage_output(s, b, g, mixed, T, result, &err), &err);
        }
        at_stage_close(s, b, result, T, row);
    }
    must(at_stage_readout(s, row + m->n_prefix * D, x->n, value, &err), &err);
    at_stage_free(s);
}

static void test_stages(void **state)
{
    (void)state;
    static const at_weighting splits[] = {AT_SOFTMAX, AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD, AT_AVERAGE_HARD,
                                          AT_LINEAR};
    static const at_arith ariths[] = {
        {AT_PBIT, 5, 5}, {AT_PBIT, 25, 8}, {AT_PBIT, 26, 10}, {AT_PBIT, 53, 10}};
    for (size_t w = 0; w < sizeof splits / sizeof *splits; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (uint64_t seed = 0; seed < 8; seed++) {
                random_spec spec = {.weighting = splits[w],
                                    .mask = (at_mask_kind)mask,
                                    .pos = AT_POS_INV_I,
                                    .layers = 2,
                                    .norm = (at_norm)(seed % 3),
                                    .tie = at_weighting_hard(splits[w]) && seed % 2 ? 0.5 : 0,
                                    .integers = seed % 4 == 0,
                                    .final_norm = seed % 2,
                                    .act = (at_act)(seed % AT_ACTS),
                                    .traits = seed < 4 ? 0 : 1u << (seed + w + (size_t)mask) % AT_TRAITS,
                                    .tokens_only = seed % 2,
                                    .read = (at_read_kind)(AT_READ_RAW + seed % 3),
                                    .seed = seed};
                at_model m;
                at_err err = {0};
                at_arena arena;
                at_input x;
                at_output y;
                double value[MOST * WIDE];
                at_arena_init(&arena);
                must(random_model(&spec, &m, &err), &err);
                must(random_input(&m, m.n_max, seed, false, &arena, &x, &err), &err);
                must(at_run(&m, ariths[seed % 4], &x, NULL, &arena, &y, &err), &err);
                stages_run(&m, ariths[seed % 4], &x, value);
                for (int k = 0; k < y.n * y.rows; k++)
                    if (memcmp(&value[k], &y.value[k], sizeof *value) &&
                        !(isnan(value[k]) && isnan(y.value[k])))
                        fail_msg("%s, %s, seed %d: value %d is %a, not %a", at_weighting_names[splits[w]],
                                 at_mask_names[mask], (int)seed, k, value[k], y.value[k]);
                at_arena_release(&arena);
                at_model_release(&m);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
