/* bench_exec.c: sequences a second of the fast executor on two constructed models, checked off the clock.
 *
 * match2: is there a j with x_i + x_j = 0 mod M? One softmax head of width 3 against a blank key.
 * match3: are there j, k with x_i + x_j + x_k = 0 mod M? One three-wise head of width 5.
 * Scores are c cos(sum of angles), the blank scores c (1 - gap/2) with gap = 1 - cos(2 pi / M), so a match
 * outweighs the blank by exp(c gap/2) and all others together stay below it; c = 2 ln(6 keys) / gap makes
 * that 6 N. Then two ReLUs ramp the weight from [1/4, 3/4] to [0, 1] and the readout is a threshold at 1/2.
 *
 * Prints one JSON line a case: medians of ROUNDS rounds. Exit 1 when a decision is wrong.
 *
 *     bench_exec [threads] [match2|match3] [n] [f32|f64]         default: 2 threads, every case, f32 */
#include <attest/exec.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS        5
#define ROUND_SECONDS 0.3
#define SLICE         64 /* sequences a work item */

typedef struct {
    bool three;
    int n, modulus;
} bench_case;

static void die(const at_err *err)
{
    fprintf(stderr, "bench_exec: %s\n", err->text);
    exit(2);
}

/* Residual coordinates: 0 cos, 1 sin, 2 blank (later: the matched weight), 3 not blank (later: the
 * answer). */
enum { COS, SIN, BLANK, USER, WIDTH };

static void architecture(at_model *m, const bench_case *b)
{
    at_model_init(m);
    strcpy(m->name, b->three ? "match3" : "match2");
    m->width = WIDTH;
    m->n_min = m->n_max = b->n;
    m->pos_origin = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->blocks = at_new(&m->arena, at_block, 2);
    at_group *g = at_new(&m->arena, at_group, 1);
    at_dense *d = at_new(&m->arena, at_dense, 2);
    if (!m->fields || !m->blocks || !g || !d)
        die(&(at_err){.text = "out of memory"});
    m->n_fields = 1;
    strcpy(m->fields[0].name, "x");
    m->fields[0].kind = AT_FIELD_TOKEN;
    m->fields[0].size = b->modulus;
    m->fields[0].embed.width = WIDTH;
    m->n_suffix = 1;
    m->suffix.width = WIDTH;
    m->n_blocks = 2;
    m->blocks[0] = (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .groups = g, .n_groups = 1};
    *g = (at_group){.heads = 1,
                    .dk = b->three ? 5 : 3,
                    .dv = 1,
                    .scale = 1,
                    .weighting = b->three ? AT_THREEWISE : AT_SOFTMAX};
    m->blocks[1] = (at_block){.kind = AT_BLOCK_MLP, .act = AT_ACT_RELU, .dense = d, .n_dense = 2};
    d[0].rows = 2;
    d[1].rows = WIDTH;
    m->readout = (at_readout){.kind = AT_READ_THRESHOLD, .rows = 1, .threshold = 0.5};
}

static void row_set(at_model *m, int tensor, int row, int col, double x)
{
    at_model_data(m, tensor)[row * WIDTH + col] = x;
}

static void model_build(at_model *m, const bench_case *b)
{
    at_err err = {0};
    architecture(m, b);
    if (at_model_layout(m, &err))
        die(&err);
    double turn = 2 * acos(-1) / b->modulus, gap = 1 - cos(turn), N = b->n;
    double c = 2 * log(6 * (b->three ? N * N : N)) / gap, blank = 1 - gap / 2;
    double *table = at_model_data(m, m->fields[0].embed.tensor);
    for (int x = 0; x < b->modulus; x++, table += WIDTH) {
        table[COS] = cos(turn * x);
        table[SIN] = sin(turn * x);
        table[USER] = 1;
    }
    at_model_data(m, m->suffix.tensor)[BLANK] = 1;
    at_group *g = &m->blocks[0].groups[0];
    row_set(m, g->v, 0, USER, 1);
    if (b->three) { /* cos(a+b+c) = CCC - CSS - SCS - SSC */
        const int q[4] = {COS, COS, SIN, SIN}, k1[4] = {COS, SIN, COS, SIN}, k2[4] = {COS, SIN, SIN, COS};
        for (int r = 0; r < 4; r++) {
            row_set(m, g->q, r, q[r], r ? -c : c);
            row_set(m, g->k, r, k1[r], 1);
            row_set(m, g->k2, r, k2[r], 1);
        }
        row_set(m, g->q, 4, USER, c);
        row_set(m, g->k, 4, BLANK, 1);
        row_set(m, g->k2, 4, BLANK, blank);
        row_set(m, g->v2, 0, USER, 1);
    } else { /* cos(a+b) = CC - SS */
        row_set(m, g->q, 0, COS, c);
        row_set(m, g->q, 1, SIN, c);
        row_set(m, g->q, 2, USER, c);
        row_set(m, g->k, 0, COS, 1);
        row_set(m, g->k, 1, SIN, -1);
        row_set(m, g->k, 2, BLANK, blank);
    }
    at_model_data(m, g->o)[BLANK] = 1; /* (D, 1) */
    const at_dense *d = m->blocks[1].dense;
    for (int u = 0; u < 2; u++) {
        row_set(m, d[0].w, u, BLANK, 2);
        at_model_data(m, d[0].b)[u] = u ? -1.5 : -0.5;
        at_model_data(m, d[1].w)[USER * 2 + u] = u ? -1 : 1;
    }
    row_set(m, m->readout.w, 0, USER, 1);
}

/* Is there a partner (a pair of partners) for x_i? */
static bool truth(const bench_case *b, const double *x, int i)
{
    for (int j = 0; j < b->n; j++) {
        int two = (int)x[i] + (int)x[j];
        if (!b->three && two % b->modulus == 0)
            return true;
        for (int k = 0; b->three && k < b->n; k++)
            if ((two + (int)x[k]) % b->modulus == 0)
                return true;
    }
    return false;
}

typedef struct {
    const at_exec *e;
    at_scratch **scratch;
    const double *x;
    double *value;
    int batch, n;
} work;

static void work_run(void *ctx, size_t i, int worker)
{
    work *w = ctx;
    int from = (int)i * SLICE, count = w->batch - from < SLICE ? w->batch - from : SLICE;
    at_exec_run(w->e, w->scratch[worker], w->x + (size_t)from * (size_t)w->n, count,
                w->value + (size_t)from * (size_t)w->n);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool case_run(const bench_case *b, int threads, bool single)
{
    at_err err = {0};
    at_model m;
    at_exec *e;
    at_arena arena;
    model_build(&m, b);
    at_arena_init(&arena);
    if (at_exec_new(&m, single ? at_f32 : at_f64, b->n, &e, &err))
        die(&err);
    double scores = at_exec_scores(e);
    int batch = (int)(2e8 / scores);
    batch = batch < 4 * SLICE ? 4 * SLICE : batch > 65536 ? 65536 : batch;
    batch = batch > (1 << 18) / b->n ? (1 << 18) / b->n : batch; /* inputs and values in 4 MiB */
    batch = b->three && b->n > 64 ? 2 * SLICE * threads : batch;
    size_t count = (size_t)batch * (size_t)b->n;
    double *x = at_new(&arena, double, count), *value = at_new(&arena, double, count);
    at_scratch **scratch = at_new(&arena, at_scratch *, threads);
    if (!x || !value || !scratch)
        die(&(at_err){.text = "out of memory"});
    at_rng rng = at_rng_at(1, 0);
    for (size_t i = 0; i < count; i++)
        x[i] = 1 + (double)at_rng_below(&rng, (uint64_t)b->modulus - 1);
    for (int t = 0; t < threads; t++)
        if (at_scratch_new(e, &scratch[t], &err))
            die(&err);
    work w = {e, scratch, x, value, batch, b->n};
    double rate[ROUNDS];
    for (int r = -1; r < ROUNDS; r++) {
        double start = at_now(), seconds;
        long done = 0;
        do {
            if (at_parallel(threads, (size_t)((batch + SLICE - 1) / SLICE), work_run, &w, &err))
                die(&err);
            done += batch;
            seconds = at_now() - start;
        } while (r >= 0 && seconds < ROUND_SECONDS);
        if (r >= 0)
            rate[r] = (double)done / seconds;
    }
    qsort(rate, ROUNDS, sizeof *rate, by_size);
    long checked = 0, correct = 0;
    int sample = b->three ? 64 : 2048;
    for (int s = 0; s < (batch < sample ? batch : sample); s++)
        for (int i = 0; i < b->n; i++, checked++) {
            size_t at = (size_t)s * (size_t)b->n;
            correct += truth(b, x + at, i) == (value[at + (size_t)i] > 0.5);
        }
    double median = rate[ROUNDS / 2];
    printf("{\"bench\": \"%s\", \"n\": %d, \"precision\": \"%s\", \"isa\": \"%s\", \"threads\": %d, "
           "\"sequences_per_s\": %.0f, \"least\": %.0f, \"most\": %.0f, \"scores_per_s\": %.3g, "
           "\"peak_rss_mib\": %.1f, \"checked\": %ld, \"correct\": %ld}\n",
           b->three ? "match3" : "match2", b->n, single ? "f32" : "f64", at_exec_isa(), threads, median,
           rate[0], rate[ROUNDS - 1], median * scores, (double)at_peak_rss_bytes() / (1 << 20), checked,
           correct);
    fflush(stdout);
    for (int t = 0; t < threads; t++)
        at_scratch_free(scratch[t]);
    at_exec_free(e);
    at_arena_release(&arena);
    at_model_release(&m);
    return checked == correct;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2, only = argc > 3 ? atoi(argv[3]) : 0;
    const char *task = argc > 2 ? argv[2] : "";
    bool single = !(argc > 4 && strcmp(argv[4], "f64") == 0), good = true;
    if (threads < 1 || threads > 1024) {
        fprintf(stderr, "bench_exec: threads must be 1..1024\n");
        return 2;
    }
    const bench_case all[] = {
        {false, 20, 40}, {false, 64, 128}, {false, 512, 1000}, {true, 32, 513}, {true, 128, 1000}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        bench_case b = all[k];
        if ((*task && strcmp(task, b.three ? "match3" : "match2")) || (only && only != b.n))
            continue;
        good &= case_run(&b, threads, single);
    }
    return good ? 0 : 1;
}
