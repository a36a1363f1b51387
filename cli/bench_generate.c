/* bench_generate.c: `attest bench generate`: tokens a second of greedy decoding.
 *
 * The model is that of `bench train`, with the weights a training begins from: 64 words, learned positions, no norm after
 * the embedding. A sequence is a prompt of one random word that is continued to T words; no stop rule ends it earlier. Each
 * round decodes batches of B sequences, as often as fills its time. */
#include "bench.h"

#include <math.h>
#include <time.h>

#define MOST_SLOTS 4096 /* sequences at a time */

typedef struct {
    at_model m;
    at_batch *b;
    at_input *prompt; /* (B) */
    double *word;     /* (B) */
    at_batch_chain *chain;
    int B, T, rounds;
    size_t parameters;
    double rate[CLI_MOST_ROUNDS];
    double tokens, busy; /* generated in all rounds, and seconds of processor time for them */
} bench;

static at_status model_make(bench *b, const cli_args *a, at_arith arith, at_err *err)
{
    at_train_arch arch;
    at_status s = cli_bench_arch(a, &arch, err);
    if (s)
        return s;
    arch.slots = 1; /* gradients are not wanted here */
    arch.length = b->T + 1;
    at_trainer *t = NULL;
    s = at_trainer_new(&arch, arith, 1, &t, err);
    if (s)
        return s;
    b->parameters = at_trainer_parameters(t);
    s = at_trainer_model(t, 1, &b->m, err);
    at_trainer_free(t);
    b->m.decode = (at_decode){
        .enabled = true, .stop = AT_STOP_STEPS, .max_steps = b->T, .prompt_min = 1, .prompt_max = 1};
    return s;
}

static at_status prepare(bench *b, const cli_args *a, at_err *err)
{
    at_arith arith = cli_bench_arith(a);
    at_status s = model_make(b, a, arith, err);
    if (!s)
        s = at_batch_new(&b->m, arith, b->B < MOST_SLOTS ? b->B : MOST_SLOTS, a->threads, &b->b, err);
    if (s)
        return s;
    size_t B = (size_t)b->B;
    b->prompt = at_calloc(B, sizeof *b->prompt);
    b->word = at_calloc(B, sizeof *b->word);
    b->chain = at_calloc(B, sizeof *b->chain);
    if (!b->prompt || !b->word || !b->chain)
        return at_oom(err);
    at_rng r = at_rng_at(a->seed, 0);
    for (size_t i = 0; i < B; i++) {
        b->word[i] = (double)at_rng_below(&r, CLI_BENCH_WORDS);
        b->prompt[i] = (at_input){1, &b->word[i]};
    }
    return AT_OK;
}

static at_status round_run(bench *b, double seconds, double *rate, at_err *err)
{
    double start = at_now(), passed = 0, tokens = 0, busy = (double)clock();
    at_status s = AT_OK;
    do {
        s = at_batch_run(b->b, b->prompt, (size_t)b->B, b->chain, err);
        for (int i = 0; !s && i < b->B; i++) {
            tokens += b->chain[i].n;
            if (b->chain[i].status)
                s = at_fail(err, b->chain[i].status, "%s", b->chain[i].why);
        }
        passed = at_now() - start;
    } while (!s && passed < seconds);
    *rate = tokens / fmax(passed, 1e-9);
    b->tokens += tokens;
    b->busy += ((double)clock() - busy) / CLOCKS_PER_SEC;
    return s;
}

static at_status measure(bench *b, double seconds, at_err *err)
{
    at_status s = round_run(b, 0, &b->rate[0], err); /* warms caches, and lets them grow */
    b->tokens = b->busy = 0;
    for (int r = 0; !s && r < b->rounds; r++) {
        at_progress_tick(cli_progress(), "bench", r, b->rounds);
        s = round_run(b, seconds, &b->rate[r], err);
    }
    return s;
}

static json_t *bench_json(bench *b, const cli_args *a, const at_cost *cost)
{
    json_t *j = cli_bench_json(a, b->parameters, at_exec_isa(), b->rate,
                               2 * ((double)cost->dense + (double)cost->attention) / b->T);
    j = cli_json_set(j, "cpu_us_per_token", cli_json_number(round(1e8 * b->busy / fmax(b->tokens, 1)) / 100));
    return cli_json_set(j, "cache_bytes", json_integer((json_int_t)at_batch_bytes(b->b)));
}

int cli_bench_generate(const cli_args *a)
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
    at_model_init(&b->m);
    at_cost cost = {0};
    at_status s = prepare(b, a, &err);
    if (!s)
        s = measure(b, o.seconds, &err);
    if (!s)
        s = at_generation_cost(&b->m, 1, b->T, &cost, &err);
    code = s ? cli_fail(a, &err) : cli_put_json(a, bench_json(b, a, &cost), CLI_HOLDS);
    at_free(b->chain);
    at_free(b->word);
    at_free(b->prompt);
    at_batch_free(b->b);
    at_model_release(&b->m);
    at_free(b);
    return code;
}
