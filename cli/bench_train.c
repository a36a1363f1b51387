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
    double share[CLI_MOST_ROUNDS]; /* of the peak, and both in operations a second of processor time */
    double speed[CLI_MOST_ROUNDS], peak[CLI_MOST_ROUNDS];
    double loss;
} bench;

const char *const cli_bench_nets[CLI_BENCH_NETS] = {[CLI_BENCH_DECODER] = "decoder",
                                                    [CLI_BENCH_PLAIN] = "plain",
                                                    [CLI_BENCH_LABELS] = "labels",
                                                    [CLI_BENCH_TANH] = "tanh",
                                                    [CLI_BENCH_GRU] = "gru"};
#define PEAK_SECONDS                                                                                         \
    0.05 /* before and after each round: the machine may do other things, too, and its clock changes */

/* The plain engine, with the model that is asked for. */
static at_status plain_make(const cli_args *a, const at_train_arch *arch, at_trainer **out, at_err *err)
{
    cli_bench o = cli_bench_of(a, CLI_BENCH_WIDTH, CLI_BENCH_LENGTH);
    at_model m;
    at_train_options begin = at_train_options_default;
    begin.plain = true;
    begin.dropout = o.dropout;
    begin.seed = a->seed;
    at_status s;
    if (o.net == CLI_BENCH_PLAIN) {
        at_trainer *fast;
        if ((s = at_trainer_new(arch, cli_bench_arith(a), a->threads, &fast, err)))
            return s;
        s = at_trainer_model(fast, 1, &m, err);
        at_trainer_free(fast);
    } else if (o.net == CLI_BENCH_LABELS) {
        const at_train_net n = {.kind = AT_NET_ATTENTION,
                                .vocabulary = CLI_BENCH_WORDS,
                                .length = arch->length,
                                .width = arch->width,
                                .layers = arch->layers,
                                .heads = arch->heads,
                                .seed = arch->seed};
        s = arch->attention == AT_ATTENTION_STANDARD
                ? at_train_net_model(&n, &m, err)
                : at_fail(err, AT_EINPUT, "--net labels goes with standard attention, without a mask");
    } else {
        at_train_net n = at_train_net_default;
        n.kind = AT_NET_RNN;
        n.cell = o.net == CLI_BENCH_GRU ? AT_CELL_GRU : AT_CELL_TANH;
        n.vocabulary = CLI_BENCH_WORDS;
        n.length = o.length;
        n.width = o.width;
        n.layers = o.layers;
        n.hidden = 0;
        n.last = false;
        n.seed = a->seed;
        s = at_train_net_model(&n, &m, err);
    }
    if (s)
        return s;
    s = at_trainer_from_model(&m, cli_bench_arith(a), a->threads, &begin, out, err);
    at_model_release(&m);
    return s;
}

static at_status prepare(bench *b, const cli_args *a, at_err *err)
{
    at_train_arch arch;
    at_status s = cli_bench_arch(a, &arch, err);
    if (s)
        return s;
    s = ((const cli_bench *)a->own)->net == CLI_BENCH_DECODER
            ? at_trainer_new(&arch, cli_bench_arith(a), a->threads, &b->t, err)
            : plain_make(a, &arch, &b->t, err);
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

/* rate: tokens a second; busy: tokens a second of processor time. */
static at_status steps_run(bench *b, double seconds, int least, double *rate, double *busy, at_err *err)
{
    double start = at_now(), passed = 0, used = at_cpu_now();
    int steps = 0;
    at_status s = AT_OK;
    for (; !s && (steps < least || passed < seconds); steps++) {
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                : at_trainer_step(b->t, b->batch, b->B, &at_adamw_default, &b->loss, err);
        passed = at_now() - start;
    }
    *rate = (double)steps * b->B * b->T / fmax(passed, 1e-9);
    *busy = (double)steps * b->B * b->T / fmax(at_cpu_now() - used, 1e-9);
    return s;
}

static at_status measure(bench *b, double seconds, at_err *err)
{
    at_status s = steps_run(b, 0, WARM_UP, &b->rate[0], &b->speed[0], err);
    double peak = at_trainer_peak(b->t, PEAK_SECONDS), each = at_trainer_flops(b->t, b->T) / b->T;
    for (int r = 0; !s && r < b->rounds; r++) {
        at_progress_tick(cli_progress(), "bench", r, b->rounds);
        s = steps_run(b, seconds, 1, &b->rate[r], &b->speed[r], err);
        double after = at_trainer_peak(b->t, PEAK_SECONDS);
        b->speed[r] *= each;
        b->peak[r] = (peak + after) / 2;
        b->share[r] = b->speed[r] / b->peak[r];
        peak = after;
    }
    return s;
}

static double rounded(double x)
{
    return round(10 * x) / 10;
}

static json_t *bench_json(bench *b, const cli_args *a)
{
    double spread;
    json_t *j = cli_bench_json(a, at_trainer_parameters(b->t), at_trainer_isa(b->t), b->rate,
                               at_trainer_flops(b->t, b->T) / b->T);
    j = cli_json_set(j, "dropout",
                     cli_json_number(cli_bench_of(a, CLI_BENCH_WIDTH, CLI_BENCH_LENGTH).dropout));
    j = cli_json_set(j, "net", cli_json_text(cli_bench_nets[((const cli_bench *)a->own)->net]));
    j = cli_json_set(j, "gflops_per_cpu_s",
                     cli_json_number(rounded(cli_median(b->speed, b->rounds, &spread) / 1e9)));
    j = cli_json_set(j, "fma_gflops_per_cpu_s",
                     cli_json_number(rounded(cli_median(b->peak, b->rounds, &spread) / 1e9)));
    j = cli_json_set(j, "share_of_peak",
                     cli_json_number(round(1e3 * cli_median(b->share, b->rounds, &spread)) / 1e3));
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
