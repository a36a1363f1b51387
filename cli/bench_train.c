/* bench_train.c: `attest bench train`: tokens a second of forward, backward and AdamW.
 *
 * The model is the one that rivals are measured with: learned positions, no norm after the embedding, a head without
 * bias, 64 words. The words are random; the clock sees whole steps, as a training would do them.
 *
 * With labels it is a net of the same shape that answers at positions: no mask, so the plain engine trains it. */
#include "bench.h"

#include <math.h>

#define WARM_UP 2

typedef struct {
    at_trainer *t;
    at_train_sequence *batch;
    int *words; /* (B, T + 1): a sequence and the word after it */
    int B, T, rounds;
    double rate[CLI_MOST_ROUNDS];
    double loss;
} bench;

static at_status labels_open(const cli_args *a, const at_train_arch *arch, at_trainer **t, at_err *err)
{
    const at_train_net n = {.kind = AT_NET_ATTENTION,
                            .vocabulary = CLI_BENCH_WORDS,
                            .length = arch->length,
                            .width = arch->width,
                            .layers = arch->layers,
                            .heads = arch->heads,
                            .seed = arch->seed};
    const at_train_options o = {.dropout = arch->dropout, .seed = arch->seed};
    at_model m;
    at_status s = arch->attention == AT_ATTENTION_STANDARD
                      ? at_train_net_model(&n, &m, err)
                      : at_fail(err, AT_EINPUT, "--labels goes with standard attention, without a mask");
    if (s)
        return s;
    s = at_trainer_from_model(&m, cli_bench_arith(a), a->threads, &o, t, err);
    at_model_release(&m);
    return s;
}

static at_status prepare(bench *b, const cli_args *a, at_err *err)
{
    at_train_arch arch;
    at_status s = cli_bench_arch(a, &arch, err);
    if (s)
        return s;
    s = cli_bench_of(a, 0, 0).labels ? labels_open(a, &arch, &b->t, err)
                                     : at_trainer_new(&arch, cli_bench_arith(a), a->threads, &b->t, err);
    if (s)
        return s;
    size_t row = (size_t)b->T + 1, n = (size_t)b->B * row;
    b->words = at_calloc(n, sizeof *b->words);
    b->batch = at_calloc((size_t)b->B, sizeof *b->batch);
    if (!b->words || !b->batch)
        return at_oom(err);
    at_rng r = at_rng_at(a->seed, 0);
    for (size_t i = 0; i < n; i++)
        b->words[i] = (int)at_rng_below(&r, CLI_BENCH_WORDS);
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
    json_t *j = cli_bench_json(a, at_trainer_parameters(b->t), at_trainer_isa(b->t), b->rate,
                               at_trainer_flops(b->t, b->T) / b->T);
    j = cli_json_set(j, "dropout",
                     cli_json_number(cli_bench_of(a, CLI_BENCH_WIDTH, CLI_BENCH_LENGTH).dropout));
    return cli_json_set(j, "loss", cli_json_number(b->loss));
}

int cli_bench_train(const cli_args *a)
{
    at_err err = {0};
    int code;
    bench *b = cli_bench_new(a, sizeof *b, &code);
    if (!b)
        return code;
    cli_bench o = cli_bench_of(a, CLI_BENCH_WIDTH, CLI_BENCH_LENGTH);
    b->B = o.batch;
    b->T = o.length;
    b->rounds = o.rounds;
    at_status s = prepare(b, a, &err);
    if (!s)
        s = measure(b, o.seconds, &err);
    code = s ? cli_fail(a, &err) : cli_put_json(a, bench_json(b, a), CLI_HOLDS);
    at_free(b->batch);
    at_free(b->words);
    at_trainer_free(b->t);
    at_free(b);
    return code;
}
