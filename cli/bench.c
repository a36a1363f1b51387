/* bench.c: what the benchmarks share: how they begin, the decoder that is measured, and the JSON they end with. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

void *cli_bench_new(const cli_args *a, size_t bytes, int *code)
{
    at_err err = {0};
    if (a->n_words > 1) {
        *code = cli_usage(a, "%s takes no '%.60s'", a->words[0], a->words[1]);
        return NULL;
    }
    void *b = at_calloc(1, bytes);
    if (!b) {
        at_oom(&err);
        *code = cli_fail(a, &err);
    }
    return b;
}

cli_bench cli_bench_of(const cli_args *a, int width, int length)
{
    cli_bench o = *(const cli_bench *)a->own;
    o.width = o.width ? o.width : width;
    o.length = o.length ? o.length : length;
    return o;
}

at_arith cli_bench_arith(const cli_args *a)
{
    return a->has_precision ? a->precision : at_f32;
}

at_status cli_bench_arch(const cli_args *a, at_train_arch *arch, at_err *err)
{
    if (!(at_attention_parts[a->attention].in & AT_IN_FAMILY))
        return at_fail(err, AT_EINPUT, "--attention %s: must be standard, sparse or linear",
                       at_attention_names[a->attention]);
    cli_bench o = cli_bench_of(a, CLI_BENCH_WIDTH, CLI_BENCH_LENGTH);
    *arch = at_train_arch_default;
    arch->attention = a->attention;
    arch->layers = o.layers;
    arch->heads = o.heads;
    arch->width = o.width;
    arch->length = o.length;
    arch->vocabulary = CLI_BENCH_WORDS;
    arch->dropout = o.dropout;
    arch->learned_positions = true;
    arch->embed_norm = arch->head_bias = false;
    arch->seed = a->seed;
    return AT_OK;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

double cli_median(double *rate, int n, double *spread)
{
    qsort(rate, (size_t)n, sizeof *rate, ascending);
    double median = n % 2 ? rate[n / 2] : (rate[n / 2 - 1] + rate[n / 2]) / 2;
    *spread = round(1e4 * (rate[n - 1] - rate[0]) / median) / 1e4;
    return median;
}

json_t *cli_bench_json(const cli_args *a, size_t parameters, const char *isa, double *rate, double flops)
{
    cli_bench o = cli_bench_of(a, CLI_BENCH_WIDTH, CLI_BENCH_LENGTH);
    double spread, median = cli_median(rate, o.rounds, &spread);
    char name[16];
    at_arith_name(cli_bench_arith(a), name);
    json_t *j = cli_json_set(json_object(), "attention", cli_json_text(at_attention_names[a->attention]));
    j = cli_json_set(j, "width", json_integer(o.width));
    j = cli_json_set(j, "length", json_integer(o.length));
    j = cli_json_set(j, "batch", json_integer(o.batch));
    j = cli_json_set(j, "layers", json_integer(o.layers));
    j = cli_json_set(j, "heads", json_integer(o.heads));
    j = cli_json_set(j, "parameters", json_integer((json_int_t)parameters));
    j = cli_json_set(j, "precision", cli_json_text(name));
    j = cli_json_set(j, "isa", cli_json_text(isa));
    j = cli_json_set(j, "threads", json_integer(a->threads ? a->threads : at_cores()));
    j = cli_json_set(j, "rounds", json_integer(o.rounds));
    j = cli_json_set(j, "tokens_per_s", cli_json_number(round(median)));
    j = cli_json_set(j, "spread", cli_json_number(spread));
    j = cli_json_set(j, "gflops", cli_json_number(round(flops * median / 1e8) / 10));
    return cli_json_set(j, "peak_rss_mib",
                        cli_json_number(round((double)at_peak_rss_bytes() / 104857.6) / 10));
}
