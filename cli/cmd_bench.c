/* cmd_bench.c: `attest bench check`: how many sequences a second the generic executor checks. (`attest bench train`,
 * `generate`, `scaling`, `chain` and `collide` are in files of their own.)
 *
 * The model is the claim's own; inputs are drawn from its task. On the clock: embedding, attention, MLPs,
 * readout values, for batches handed to threads as a check does. Off the clock: making inputs, and brute
 * force against the decisions on a part of them.
 *
 * Legend: N length, B sequences a batch, S slots (different batches; a round goes through them in turn). */
#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <string.h>

#define BATCH_SCORES  100000. /* a batch computes about this many scores: well below a millisecond */
#define BATCH_LANES   16      /* sequences go side by side in vectors: no lane stays empty */
#define SLOT_BYTES    ((size_t)2 << 20) /* of inputs in all slots together */
#define BRUTE_SECONDS 1.0

typedef struct {
    const at_claim *claim;
    const at_task *task;
    at_params p, tp;
    at_model m;
    at_exec *exec;
    int N, width, positions, rows; /* width: numbers a position; rows: R */
    int B, S, threads;
    double *x;            /* (S, B, N, width) */
    at_scratch **scratch; /* one a thread */
    double *value;        /* (threads, B, positions, R) */
    double seconds;       /* a round */
    int rounds;
    double rate[CLI_MOST_ROUNDS];
    uint64_t checked, correct;
} bench;

/* A modulus at which f32 is right, when the user names none. A score has magnitude c = M^2 ln(6 keys), and a hit must
 * equal the blank up to less than ln 2: about c 2^-24 a rounding leaves room for one product of two factors at M = 1000, and
 * for one of three at half of that. */
static at_status modulus_default(bench *b, const char *set, at_err *err)
{
    static const struct {
        const char *task;
        double factor, power, most; /* factor N^power, at most `most` */
    } rules[] = {{"match2", 2, 1, 1000}, {"match3", 0.5, 2, 500}};
    for (const char *s = set; s && (s = strstr(s, "M=")); s++)
        if (s == set || s[-1] == ' ' || s[-1] == ',')
            return AT_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(b->claim->task, rules[i].task)) {
            double M = 1 + floor(rules[i].factor * at_pow(at_params_get(&b->p, "N"), rules[i].power) - 1e-9);
            return at_params_set(&b->p, "M", fmax(2, fmin(M, rules[i].most)), err);
        }
    return AT_OK;
}

static at_status prepare(bench *b, const cli_args *a, at_err *err)
{
    if (!b->claim->task)
        return at_fail(err, AT_EINPUT,
                       at_claim_is_limit(b->claim) ? "claim %s is a limit: it has no model of its own"
                       : b->claim->trial
                           ? "claim %s is checked by trials: it has no model that answers a task"
                           : "%s is a decoder; this measures models that run once (make bench has both)",
                       b->claim->id);
    at_status s = cli_claim_params(a, b->claim, NULL, &b->p, &b->task, &b->tp, err);
    if (!s && at_params_has(&b->p, "M"))
        s = modulus_default(b, a->set, err);
    if (!s)
        s = at_claim_task(b->claim, &b->p, &b->task, &b->tp, err);
    if (!s)
        s = at_claim_model(b->claim, &b->p, &b->m, err);
    if (s)
        return s;
    b->N = at_params_int(&b->tp, "N");
    b->width = at_model_row_width(&b->m);
    b->rows = b->m.readout.rows;
    if ((s = at_exec_new(&b->m, cli_bench_arith(a), b->N, &b->exec, err)))
        return s;
    b->positions = at_exec_positions(b->exec);
    double B = BATCH_LANES * floor(BATCH_SCORES / BATCH_LANES / fmax(at_exec_scores(b->exec), 1));
    b->B = B < BATCH_LANES ? BATCH_LANES : B > 1024 ? 1024 : (int)B;
    size_t batch = (size_t)b->B * (size_t)b->N * (size_t)b->width;
    b->S = (int)fmin(256, fmax(1, floor((double)SLOT_BYTES / (double)(batch * sizeof(double)))));
    b->threads = a->threads ? a->threads : at_cores();
    size_t values = (size_t)b->B * (size_t)b->positions * (size_t)b->rows;
    b->x = at_calloc((size_t)b->S * batch, sizeof(double));
    b->value = at_calloc((size_t)b->threads * values, sizeof(double));
    b->scratch = at_calloc((size_t)b->threads, sizeof *b->scratch);
    if (!b->x || !b->value || !b->scratch)
        return at_oom(err);
    for (int i = 0; !s && i < b->threads; i++)
        s = at_scratch_new(b->exec, &b->scratch[i], err);
    size_t one = (size_t)b->N * (size_t)b->width;
    for (size_t i = 0; !s && i < (size_t)b->S * (size_t)b->B; i++) {
        at_rng r = at_rng_at(a->seed, i);
        b->task->sample(&b->tp, &r, b->x + i * one);
    }
    return s;
}

static const double *slot_input(const bench *b, size_t i)
{
    return b->x + i % (size_t)b->S * (size_t)b->B * (size_t)b->N * (size_t)b->width;
}

static void batch_run(void *ctx, size_t i, int worker)
{
    bench *b = ctx;
    if (at_cancel_pending())
        return;
    double *value = b->value + (size_t)worker * (size_t)b->B * (size_t)b->positions * (size_t)b->rows;
    at_exec_run(b->exec, b->scratch[worker], slot_input(b, i), b->B, value);
}

/* Seconds for n batches. */
static at_status batches_time(bench *b, size_t n, double *seconds, at_err *err)
{
    double start = at_now();
    at_status s = at_parallel(b->threads, n, batch_run, b, err);
    *seconds = at_now() - start;
    if (!s && at_cancel_pending())
        s = at_fail(err, AT_ECANCEL, "interrupted");
    return s;
}

static at_status measure(bench *b, at_err *err)
{
    /* Double until a tenth of a round is reached; that also warms caches and clocks. */
    size_t n = (size_t)b->threads;
    double t = 0;
    at_status s = AT_OK;
    for (; !s && t < b->seconds / 10; n *= 2)
        s = batches_time(b, n, &t, err);
    double batches = (double)(n / 2) * b->seconds / fmax(t, 1e-9);
    n = (size_t)fmax(batches, b->threads);
    for (int r = 0; !s && r < b->rounds; r++) {
        at_progress_tick(cli_progress(), "bench", r, b->rounds);
        s = batches_time(b, n, &t, err);
        b->rate[r] = (double)n * b->B / t;
    }
    return s;
}

/* ---- brute force, off the clock ------------------------------------------------------------------------ */

/* Is one sequence right? value: (positions, R) of the executor; y: (N, width) of the task. */
static bool sequence_right(const bench *b, const double *value, const double *decision, const double *y)
{
    int w = b->task->out_width(&b->tp);
    bool last = b->m.readout.last && !b->task->last; /* of all that the task answers */
    double tolerance = at_claim_tolerance(b->claim, &b->p);
    for (int i = 0; i < b->positions; i++) {
        const double *want = y + (size_t)(last ? b->N - 1 : i) * (size_t)w;
        double d2 = 0;
        for (int k = 0; k < w; k++) {
            double got = b->task->real ? value[i * b->rows + k] : decision[i * w + k];
            d2 += (got - want[k]) * (got - want[k]);
        }
        if (!(b->task->real ? sqrt(d2) <= tolerance : d2 == 0))
            return false;
    }
    return true;
}

static at_status judge(bench *b, at_err *err)
{
    size_t one = (size_t)b->N * (size_t)b->width, out = (size_t)b->positions * (size_t)b->rows;
    double *y = at_calloc((size_t)b->N * (size_t)b->task->out_width(&b->tp), sizeof *y);
    double *decision = at_calloc(2 * out, sizeof *decision);
    if (!y || !decision) {
        at_free(y);
        at_free(decision);
        return at_oom(err);
    }
    double start = at_now();
    for (int slot = 0; slot < b->S && at_now() - start < BRUTE_SECONDS; slot++) {
        const double *x = slot_input(b, (size_t)slot);
        at_exec_run(b->exec, b->scratch[0], x, b->B, b->value);
        for (int k = 0; k < b->B && (k == 0 || at_now() - start < BRUTE_SECONDS); k++) {
            const double *value = b->value + (size_t)k * out;
            b->task->answer(&b->tp, x + (size_t)k * one, y);
            at_decide(&b->m.readout, b->positions, value, decision, decision + out);
            b->checked++;
            b->correct += sequence_right(b, value, decision, y);
        }
    }
    at_free(y);
    at_free(decision);
    return AT_OK;
}

/* ---- report ---------------------------------------------------------------------------------------------- */

static json_t *bench_json(bench *b, at_arith arith)
{
    int n = b->rounds;
    double spread, median = cli_median(b->rate, n, &spread);
    char name[16];
    at_arith_name(arith, name);
    at_text params;
    at_text_init(&params);
    at_params_print(&b->p, &params);
    json_t *j = cli_json_set(json_object(), "claim", cli_json_text(b->claim->id));
    j = cli_json_set(j, "params", params.oom ? NULL : cli_json_text(params.s));
    at_text_release(&params);
    j = cli_json_set(j, "precision", cli_json_text(name));
    j = cli_json_set(j, "isa", cli_json_text(at_exec_isa()));
    j = cli_json_set(j, "threads", json_integer(b->threads));
    j = cli_json_set(j, "batch", json_integer(b->B));
    j = cli_json_set(j, "rounds", json_integer(n));
    j = cli_json_set(j, "sequences_per_s", cli_json_number(round(median)));
    j = cli_json_set(j, "spread", cli_json_number(spread));
    j = cli_json_set(j, "scores_per_s", cli_json_number(round(median * at_exec_scores(b->exec))));
    j = cli_json_set(j, "peak_rss_mib", cli_json_number(round((double)at_peak_rss_bytes() / 104857.6) / 10));
    j = cli_json_set(j, "checked", json_integer((json_int_t)b->checked));
    return cli_json_set(j, "correct", json_integer((json_int_t)b->correct));
}

static int check(const cli_args *a)
{
    at_err err = {0};
    if (a->n_words < 2)
        return cli_usage(a, "missing: a claim id");
    bench *b = at_calloc(1, sizeof *b);
    if (!b) {
        at_oom(&err);
        return cli_fail(a, &err);
    }
    const cli_bench *o = a->own;
    b->seconds = o->seconds;
    b->rounds = o->rounds;
    at_model_init(&b->m);
    if (!at_claim_need(a->words[1], &b->claim, &err) && !prepare(b, a, &err) && !measure(b, &err))
        judge(b, &err);
    int code;
    if (err.code)
        code = cli_fail(a, &err);
    else
        code = cli_put_json(a, bench_json(b, cli_bench_arith(a)),
                            b->correct == b->checked ? CLI_HOLDS : CLI_FAILS);
    for (int i = 0; b->scratch && i < b->threads; i++)
        at_scratch_free(b->scratch[i]);
    at_free(b->scratch);
    at_free(b->value);
    at_free(b->x);
    at_exec_free(b->exec);
    at_model_release(&b->m);
    at_free(b);
    return code;
}

typedef struct {
    const char *name;
    int (*run)(const cli_args *a);
} benchmark;
static const benchmark benchmarks[] = {{"check", check},
                                       {"train", cli_bench_train},
                                       {"generate", cli_bench_generate},
                                       {"scaling", cli_bench_scaling},
                                       {"chain", cli_bench_chain},
                                       {"collide", cli_bench_collide}};

static int run(const cli_args *a)
{
    at_err err = {0};
    static const at_registry all =
        AT_REGISTRY_OF_ROWS("benchmark", NULL, benchmarks, sizeof benchmarks / sizeof *benchmarks, name);
    const benchmark *b = at_registry_need(&all, a->words[0], &err);
    return b ? b->run(a) : cli_fail(a, &err);
}

static const cli_bench usual = {
    .seconds = 1, .rounds = 5, .batch = 64, .layers = 3, .heads = 4, .dropout = 0.1, .states = 10000000};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_THREADS},
    {CLI_SEED},
    {CLI_PRECISION, .arithmetics = 1u << AT_F32 | 1u << AT_F64},
    {"--seconds", "S", "length of a round, 0.01..3600 (default 1)",
     CLI_NUMBER(cli_bench, seconds, 0.01, 3600)},
    {"--rounds", "N", "rounds, 1..1000 (default 5)", CLI_WHOLE(cli_bench, rounds, 1, CLI_MOST_ROUNDS)},
    {CLI_ATTENTION},
    {"--states", "N", "collide: states, 2..100000000000 (default 10000000)",
     CLI_WHOLE(cli_bench, states, 2, 100000000000)},
    {"--width", "D", "of the model, 8..8192, a multiple of 8 (default 64)",
     CLI_WHOLE(cli_bench, width, 1, 8192)},
    {"--length", "T", "of a sequence, 1..65536 (default 87)", CLI_WHOLE(cli_bench, length, 1, 65536)},
    {"--batch", "B", "sequences a step, 1..65536 (default 64)", CLI_WHOLE(cli_bench, batch, 1, 65536)},
    {"--layers", "N", "1..128 (default 3)", CLI_WHOLE(cli_bench, layers, 1, 128)},
    {"--heads", "N", "a divisor of the width (default 4)", CLI_WHOLE(cli_bench, heads, 1, 8192)},
    {"--net", "NET", "train: decoder, plain (its other engine), labels, tanh, gru",
     CLI_CHOICE(cli_bench, net, cli_bench_nets, CLI_BENCH_NETS)},
    {"--dropout", "P", "0..0.99 (default 0.1)", CLI_NUMBER(cli_bench, dropout, 0, 0.99)},
    {0},
};

const cli_command cmd_bench = {
    .name = "bench",
    .summary = "measure: checking, training, generating, growth, chains, collisions",
    .usage =
        "check ID [--set K=V]... | train|generate [--attention KIND] [--width D]... | scaling [--length L] | "
        "chain [N] [--attention KIND] | collide [--states N]",
    .about = "check: builds the model of claim ID, runs random inputs of its task through the generic\n"
             "executor in rounds, and prints one JSON object: the median of sequences_per_s, its\n"
             "spread (largest minus smallest, over the median), scores_per_s, peak_rss_mib, and how\n"
             "many sequences were checked against brute force and how many were correct (off the\n"
             "clock; exit 1 unless all are). Without M, match2 and match3 take one at which f32 is\n"
             "right.\n\n"
             "train: forward, backward and AdamW of a decoder on random words (vocabulary 64,\n"
             "learned positions, GeLU, norm before each block), in rounds after two steps of\n"
             "warm-up; prints the median of tokens_per_s, its spread, gflops (useful operations:\n"
             "allowed pairs only), peak_rss_mib and the loss.\n\n"
             "generate: greedy decoding with the same decoder before training: B sequences, each\n"
             "from one word to T more; prints the median of tokens_per_s, its spread,\n"
             "cpu_us_per_token (processor time of all threads), gflops, cache_bytes (of one\n"
             "sequence) and peak_rss_mib.\n\n"
             "scaling: time, operations and memory of training on one sequence and of generating\n"
             "one, at L = 64, 128, ... up to --length (default 4096), --width (default 32), for\n"
             "each kind of attention, and fitted exponents beside theory; a table, or --json.\n"
             "Times are processor time, the least of --rounds passes of --seconds a cell.\n\n"
             "chain: edit distance of two words of N letters (32..1000, default 128) by the\n"
             "decoder that compile makes of it, and of 16, 32, ... letters: processor time of\n"
             "compiling and generating (the least of up to 3 rounds), and the exponent fitted to\n"
             "generating over the rows; f64 unless --precision says other; exit 1 unless every row\n"
             "is the interpreter's.\n\n"
             "collide: the birthday search of refuters over --states cheap states, of which the\n"
             "last is equal to another, so that the table (of 8 GiB at most) is filled; prints\n"
             "states_per_s, seconds, bytes_a_state (of the table) and peak_rss_mib; exit 1 unless\n"
             "that pair is found.\n",
    .examples = "attest bench check match2 --set N=64\n"
                "attest bench check match3-threewise --set N=32 --precision f64 --threads 1\n"
                "attest bench train --attention sparse --width 64 --length 505 --batch 16\n"
                "attest bench generate --attention linear --width 64 --length 505 --batch 64\n"
                "attest bench scaling --length 1024 --seconds 0.1 --rounds 3\n"
                "attest bench chain 256 --rounds 1\n"
                "attest bench collide --states 100000000\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 2,
    .missing = "`check`, `train`, `generate`, `scaling`, `chain` or `collide`",
    .run = run,
};
