/* bench_chain.c: `attest bench chain`: what a chain of thought of a constructed decoder costs, as it grows.
 *
 * Edit distance of two random words of n letters, n = 16, 32, ... and last the n that was asked for: compiled, generated row by row, every row
 * compared with the interpreter's. Measured: processor time of compiling and of generating (the least of --rounds runs). Then the exponent
 * of time over rows, by least squares of the logarithms over the longer half of the sizes. Theory, a chain of L rows: standard L log L where
 * heads look up in a hull of keys (docs/decode.md), sparse L^1.5. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 16, USUAL = 128, MOST = 1000, SIZES = 8, RUNS = 3 };

typedef struct {
    int n, length, rows; /* letters a word, positions, rows that were written */
    double compile, generate;
    bool right; /* every row */
} point;

typedef struct {
    int points;
    point at[SIZES];
} bench;

static at_status chain_time(const at_model *m, at_arith arith, const at_input *prompt, const double *want,
                            int rows, int rounds, point *p, at_err *err)
{
    at_arena arena;
    at_status s = AT_OK;
    p->generate = INFINITY;
    p->right = true;
    for (int r = 0; r < rounds && !s; r++) {
        double *made, margin, start = at_cpu_now();
        at_arena_init(&arena);
        s = at_generate(m, arith, prompt, &arena, &made, &p->rows, &margin, err);
        p->generate = fmin(p->generate, at_cpu_now() - start);
        size_t bytes = (size_t)rows * (size_t)at_model_row_width(m) * sizeof *want;
        if (s == AT_EBUDGET) /* no answer is a wrong one */
            s = AT_OK, p->right = false, *err = (at_err){0};
        else if (!s)
            p->right = p->right && p->rows == rows && !memcmp(made, want, bytes);
        at_arena_release(&arena);
    }
    return s;
}

/* The model, a prompt and the rows of the interpreter, then its time. */
static at_status point_fill(const cli_args *a, const at_problem *q, const at_params *at, const void *chain,
                            at_arith arith, int rounds, at_arena *arena, point *p, at_err *err)
{
    at_model m;
    at_rng r = at_rng_at(a->seed, (uint64_t)p->n);
    size_t width = (size_t)q->chain->row_width(chain);
    double *prompt = at_new(arena, double, (size_t)q->chain->prompt_max(chain) * width);
    double *want = at_new(arena, double, (size_t)q->chain->rows_max(chain) * width);
    int given = 0, rows = 0;
    at_status s = prompt && want ? q->chain->sample(chain, &r, prompt, &given, err) : at_oom(err);
    if (!s)
        s = q->chain->answer(chain, prompt, given, want, &rows, err);
    double start = at_cpu_now();
    at_model_init(&m);
    if (!s)
        s = at_front_of(q)->model(at, &(at_front_options){.attention = a->attention}, &m, err);
    p->compile = at_cpu_now() - start;
    p->length = given + rows;
    if (!s)
        s = chain_time(&m, arith, &(at_input){given, prompt}, want, rows, rounds, p, err);
    at_model_release(&m);
    return s;
}

static at_status point_measure(const cli_args *a, at_arith arith, int rounds, point *p, at_err *err)
{
    at_problem *q = NULL;
    at_params at;
    void *chain = NULL;
    at_arena arena;
    char set[40];
    at_arena_init(&arena);
    snprintf(set, sizeof set, "n1=%d n2=%d", p->n, p->n);
    at_status s = at_problem_open("edit-distance", &q, err);
    if (!s)
        s = at_problem_params(q, AT_VIEW_CHAIN, set, &at, err);
    if (!s)
        s = q->chain->open(&at, &chain, err);
    if (!s) {
        s = point_fill(a, q, &at, chain, arith, rounds, &arena, p, err);
        q->chain->close(chain);
    }
    at_problem_free(q);
    at_arena_release(&arena);
    return s;
}

/* The slope of log time over log rows, from point `from` on. */
static double exponent(const bench *b, int from)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = from; i < b->points; i++) {
        double u = at_log(b->at[i].rows), v = at_log(b->at[i].generate);
        n++, x += u, y += v, xx += u * u, xy += u * v;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

static double digits(double v, double unit)
{
    return round(v / unit) * unit;
}

static json_t *bench_json(const cli_args *a, const bench *b, at_arith arith)
{
    int from = b->points / 2 > b->points - 2 ? b->points - 2 : b->points / 2;
    char name[16];
    json_t *points = json_array();
    for (int i = 0; i < b->points; i++) {
        const point *p = &b->at[i];
        json_t *j = cli_json_set(json_object(), "n", json_integer(p->n));
        j = cli_json_set(j, "length", json_integer(p->length));
        j = cli_json_set(j, "rows", json_integer(p->rows));
        j = cli_json_set(j, "compile_s", cli_json_number(digits(p->compile, 1e-4)));
        j = cli_json_set(j, "generate_s", cli_json_number(digits(p->generate, 1e-4)));
        j = cli_json_set(j, "us_per_row", cli_json_number(digits(1e6 * p->generate / p->rows, 1e-2)));
        points = cli_json_add(points, cli_json_set(j, "correct", json_boolean(p->right)));
    }
    at_arith_name(arith, name);
    json_t *j = cli_json_set(json_object(), "problem", cli_json_text("edit-distance"));
    j = cli_json_set(j, "attention", cli_json_text(at_attention_names[a->attention]));
    j = cli_json_set(j, "precision", cli_json_text(name));
    j = cli_json_set(j, "points", points);
    j = cli_json_set(j, "fitted_from", json_integer(b->at[from].n));
    j = cli_json_set(j, "exponent", cli_json_number(digits(exponent(b, from), 1e-3)));
    return cli_json_set(j, "peak_rss_mib",
                        cli_json_number(digits((double)at_peak_rss_bytes() / 1048576, 0.1)));
}

int cli_bench_chain(const cli_args *a)
{
    at_err err = {0};
    long n = USUAL;
    if (a->n_words > 1) {
        char *end;
        n = strtol(a->words[1], &end, 10);
        if (*end || n < 2 * FIRST || n > MOST)
            return cli_usage(a, "chain '%.60s': letters a word, %d..%d", a->words[1], 2 * FIRST, MOST);
    }
    at_arith arith = a->has_precision ? a->precision : at_f64;
    const cli_bench *o = a->own;
    bench b = {0};
    for (long k = FIRST; k < n; k *= 2)
        b.at[b.points++].n = (int)k;
    b.at[b.points++].n = (int)n;
    bool right = true;
    at_status s = AT_OK;
    for (int i = 0; i < b.points && !s; i++) {
        at_progress_tick(cli_progress(), "bench", i, b.points);
        s = point_measure(a, arith, o->rounds < RUNS ? o->rounds : RUNS, &b.at[i], &err);
        right = right && b.at[i].right;
    }
    return s ? cli_fail(a, &err) : cli_put_json(a, bench_json(a, &b, arith), right ? CLI_HOLDS : CLI_FAILS);
}
