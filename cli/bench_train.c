/* bench_train.c: `attest bench train`: tokens a second of forward, backward and AdamW.
 *
 * The model is the one that rivals are measured with: learned positions, no norm after the embedding, a head without
 * bias, 64 words. The words are random; the clock sees whole steps, as a training would do them. */
#include "cli.h"

#include <math.h>

#define WORDS       64
#define WARM_UP     2
#define MOST_ROUNDS 1000

typedef struct {
    at_trainer *t;
    at_train_sequence *batch;
    int *words; /* (B, T + 1): a sequence and the word after it */
    int B, T, rounds;
    double rate[MOST_ROUNDS];
    double loss;
} bench;

at_status cli_bench_arch(const cli_args *a, at_train_arch *arch, at_err *err)
{
    static const at_train_attention kinds[AT_DP_ATTENTIONS] = {[AT_DP_STANDARD] = AT_TRAIN_STANDARD,
                                                               [AT_DP_LINEAR] = AT_TRAIN_LINEAR,
                                                               [AT_DP_SPARSE] = AT_TRAIN_SPARSE};
    if (a->attention == AT_DP_LOCAL)
        return at_fail(err, AT_EINPUT, "--attention local: must be standard, sparse or linear");
    *arch = at_train_arch_default;
    arch->attention = kinds[a->attention];
    arch->layers = a->shape.layers;
    arch->heads = a->shape.heads;
    arch->width = a->shape.width;
    arch->length = a->shape.length;
    arch->vocabulary = WORDS;
    arch->dropout = a->shape.dropout;
    arch->learned_positions = true;
    arch->embed_norm = arch->head_bias = false;
    arch->seed = a->seed;
    return AT_OK;
}

static at_status prepare(bench *b, const cli_args *a, at_err *err)
{
    at_train_arch arch;
    at_status s = cli_bench_arch(a, &arch, err);
    if (s)
        return s;
    s = at_trainer_new(&arch, a->has_precision ? a->precision : at_f32, a->threads, &b->t, err);
    if (s)
        return s;
    size_t row = (size_t)b->T + 1, n = (size_t)b->B * row;
    b->words = at_calloc(n, sizeof *b->words);
    b->batch = at_calloc((size_t)b->B, sizeof *b->batch);
    if (!b->words || !b->batch)
        return at_oom(err);
    at_rng r = at_rng_at(a->seed, 0);
    for (size_t i = 0; i < n; i++)
        b->words[i] = (int)at_rng_below(&r, WORDS);
    for (size_t i = 0; i < (size_t)b->B; i++)
        b->batch[i] = (at_train_sequence){b->T, b->words + i * row, b->words + i * row + 1};
    return AT_OK;
}

static at_status steps_run(bench *b, double seconds, int least, double *rate, at_err *err)
{
    double start = at_now(), passed = 0;
    int steps = 0;
    at_status s = AT_OK;
    for (; !s && (steps < least || passed < seconds); steps++) {
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                : at_trainer_step(b->t, b->batch, b->B, &at_adamw_default, &b->loss, err);
        passed = at_now() - start;
    }
    *rate = (double)steps * b->B * b->T / fmax(passed, 1e-9);
    return s;
}

static at_status measure(bench *b, double seconds, at_err *err)
{
    at_status s = steps_run(b, 0, WARM_UP, &b->rate[0], err);
    for (int r = 0; !s && r < b->rounds; r++) {
        at_progress_tick(cli_progress(), "bench", r, b->rounds);
        s = steps_run(b, seconds, 1, &b->rate[r], err);
    }
    return s;
}

static json_t *bench_json(bench *b, const cli_args *a)
{
    const at_train_arch *arch = at_trainer_arch(b->t);
    double spread, median = cli_median(b->rate, b->rounds, &spread);
    char name[16];
    at_arith_name(a->has_precision ? a->precision : at_f32, name);
    json_t *j =
        cli_json_set(json_object(), "attention", cli_json_text(at_train_attention_names[arch->attention]));
    j = cli_json_set(j, "width", json_integer(arch->width));
    j = cli_json_set(j, "length", json_integer(b->T));
    j = cli_json_set(j, "batch", json_integer(b->B));
    j = cli_json_set(j, "layers", json_integer(arch->layers));
    j = cli_json_set(j, "heads", json_integer(arch->heads));
    j = cli_json_set(j, "dropout", cli_json_number(arch->dropout));
    j = cli_json_set(j, "parameters", json_integer((json_int_t)at_trainer_parameters(b->t)));
    j = cli_json_set(j, "precision", cli_json_text(name));
    j = cli_json_set(j, "isa", cli_json_text(at_trainer_isa(b->t)));
    j = cli_json_set(j, "threads", json_integer(a->threads ? a->threads : at_cores()));
    j = cli_json_set(j, "rounds", json_integer(b->rounds));
    j = cli_json_set(j, "tokens_per_s", cli_json_number(round(median)));
    j = cli_json_set(j, "spread", cli_json_number(spread));
    double flops = at_trainer_flops(b->t, b->T) / b->T * median;
    j = cli_json_set(j, "gflops", cli_json_number(round(flops / 1e8) / 10));
    j = cli_json_set(j, "peak_rss_mib", cli_json_number(round((double)at_peak_rss_bytes() / 104857.6) / 10));
    return cli_json_set(j, "loss", cli_json_number(b->loss));
}

int cli_bench_train(const cli_args *a)
{
    at_err err = {0};
    if (a->n_words > 1)
        return cli_usage(a, "train takes no '%.60s'", a->words[1]);
    bench *b = at_calloc(1, sizeof *b);
    if (!b) {
        at_oom(&err);
        return cli_fail(a, &err);
    }
    b->B = a->shape.batch;
    b->T = a->shape.length;
    b->rounds = a->rounds;
    at_status s = prepare(b, a, &err);
    if (!s)
        s = measure(b, a->seconds, &err);
    int code = s ? cli_fail(a, &err) : cli_put_json(a, bench_json(b, a), CLI_HOLDS);
    at_free(b->batch);
    at_free(b->words);
    at_trainer_free(b->t);
    at_free(b);
    return code;
}
