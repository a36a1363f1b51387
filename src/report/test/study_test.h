/* study_test.h: trained rows as a sweep would write them, for the tests of studies and of the report. */
#ifndef ATTEST_STUDY_TEST_H
#define ATTEST_STUDY_TEST_H

#include "../../picture/test/picture_test.h"
#include "../report_internal.h"

typedef struct {
    at_arena a;
    at_row *rows;
    size_t n, cap;
} sweep;

__attribute__((unused)) static void sweep_begin(sweep *s, size_t cap)
{
    *s = (sweep){.cap = cap};
    at_arena_init(&s->a);
    s->rows = at_new(&s->a, at_row, cap);
    assert_non_null(s->rows);
}

__attribute__((unused)) static void sweep_end(sweep *s)
{
    at_arena_release(&s->a);
}

__attribute__((unused)) static at_row *row_add(sweep *s, const char *task, const char *params,
                                               const char *question, uint64_t seed, const char *verdict,
                                               const char *detail)
{
    assert_true(s->n < s->cap);
    at_row *r = &s->rows[s->n++];
    *r = (at_row){{at_arena_strdup(&s->a, task), at_arena_strdup(&s->a, params),
                   at_arena_strdup(&s->a, question), "0123", 1, "this"},
                  {"trained", "sampled", verdict, "f32", 1000, NAN, seed, at_arena_strdup(&s->a, detail),
                   "avx2", "1", 12.5, "2026-01-01"}};
    return r;
}

/* One run whose loss falls and whose accuracy rises to `answer`. */
__attribute__((unused)) static at_row *run_add(sweep *s, const char *task, int attention, int size, int width,
                                               int seed, double answer, const char *mark)
{
    char params[64], question[160];
    snprintf(params, sizeof params, "n=%d", size);
    snprintf(question, sizeof question, "train attention=%s width=%d seed=%d", at_attention_names[attention],
             width, seed);
    at_text t;
    at_text_init(&t);
    at_text_addf(
        &t,
        "{\"preset\":\"quick\",\"attention\":\"%s\",\"width\":%d,\"layers\":3,\"heads\":4,"
        "\"parameters\":%d,\"size\":%d,\"size_name\":\"n\",\"length\":%d,\"steps\":2000,\"batch\":64,"
        "\"rate\":0.001,\"tokens\":2944000,\"loss\":[",
        at_attention_names[attention], width, 48 * width * width, size, 2 * size + 3);
    for (int i = 0; i < 40; i++)
        at_text_addf(&t, "%s[%d,%.6g]", i ? "," : "", 50 * (i + 1),
                     3 * at_exp(-0.1 * i * answer) * (1 + 0.15 * at_sin(3 * i + seed)) + 1e-3);
    at_text_add(&t, "],\"accuracy\":[");
    for (int i = 0; i < 8; i++)
        at_text_addf(&t, "%s[%d,%.6g,%.6g]", i ? "," : "", 250 * (i + 1), answer * (i + 1) / 8,
                     answer * answer * (i + 1) / 8);
    at_text_addf(
        &t,
        "],\"answer\":%.17g,\"chain\":%.17g,\"first_wrong\":null,\"gflops_chain\":%.6g,"
        "\"gflops_trained\":512.0,\"gflops_to_90\":%s,\"mark\":\"%s\",\"why\":\"dp-standard: width 29 <= "
        "32\",\"flags\":null}",
        answer, answer * answer, 72e-9 * width * width * (2 * size + 3), answer >= 0.9 ? "300.5" : "null",
        mark);
    assert_false(t.oom);
    at_row *r = row_add(s, task, params, question, (uint64_t)seed, answer >= 0.9 ? "holds" : "fails", t.s);
    at_text_release(&t);
    return r;
}

static const char *const sweep_tasks[] __attribute__((unused)) = {"lis", "ed", "ed-local", "arithmetic"};
static const int sweep_sizes[4][3]
    __attribute__((unused)) = {{10, 20, 30}, {6, 9, 12}, {6, 9, 12}, {4, 6, 8}};

/* log2(least width / 16) by task, attention (standard, sparse, linear) and size; 4: above the largest, 128. */
typedef struct {
    int v[4][3][3];
} plan_widths;
static const plan_widths paper_widths __attribute__((unused)) = {{{{0, 0, 0}, {1, 2, 3}, {2, 3, 4}},
                                                                  {{0, 0, 0}, {1, 1, 2}, {1, 2, 3}},
                                                                  {{0, 0, 0}, {1, 1, 1}, {1, 1, 2}},
                                                                  {{0, 0, 0}, {1, 1, 1}, {1, 1, 1}}}};

/* 4 tasks x 3 attentions x 3 sizes x 4 widths, one seed: 95% from the least width on, 50% below. */
__attribute__((unused)) static void sweep_plan(sweep *s, const plan_widths *p)
{
    sweep_begin(s, 200);
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < 3; m++)
            for (int z = 0; z < 3; z++)
                for (int w = 0; w < 4 && p->v[k][m][z] >= 0; w++)
                    run_add(s, sweep_tasks[k], m, sweep_sizes[k][z], 16 << w, 1,
                            w >= p->v[k][m][z] ? 0.95 : 0.5, "silent");
}

/* The same with three seeds and all marks, as pretty as a paper's. */
__attribute__((unused)) static void sweep_paper(sweep *s)
{
    sweep_begin(s, 1000);
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < 3; m++)
            for (int z = 0; z < 3; z++)
                for (int w = 0; w < 4; w++)
                    for (int seed = 1; seed <= 3; seed++) {
                        double gap = w - paper_widths.v[k][m][z];
                        double answer = 0.94 + 0.06 * (1 - at_exp(-gap)) - (gap < 0 ? 0.1 - 0.17 * gap : 0);
                        answer += 0.012 * at_sin(7 * seed + 3 * z + w) - 0.012;
                        answer = answer < 0.02 ? 0.02 : answer > 1 ? 1 : answer;
                        const char *mark = m == 0 && w >= 1  ? "constructible"
                                           : m == 2 && w < z ? "impossible"
                                                             : "silent";
                        if (k == 3 && m == 2 && z == 2 && w == 3)
                            continue; /* not run */
                        run_add(s, sweep_tasks[k], m, sweep_sizes[k][z], 16 << w, seed, answer, mark);
                    }
}

#endif
