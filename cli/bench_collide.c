/* bench_collide.c: `attest bench collide`: states a second of the birthday search.
 *
 * A state is item i mixed to 64 bits, one to one, so that no two are equal; but the last item has the state of another. The
 * table is filled to its end before that pair is found, and the pair is all that may be found: exit 1 otherwise. */
#include "bench.h"

#include <attest/refute.h>

#include <math.h>
#include <string.h>

#define MEMORY ((size_t)8 << 30)

typedef struct {
    uint64_t seed, last, twin;
} bench;

static at_status state_write(void *ctx, int worker, uint64_t i, void *out, at_err *err)
{
    (void)worker, (void)err;
    const bench *b = ctx;
    /* steps that can be undone: adding, multiplying by odd numbers, and high bits xored into low ones */
    uint64_t x = (i == b->last ? b->twin : i) + b->seed;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    memcpy(out, &x, sizeof x);
    return AT_OK;
}

int cli_bench_collide(const cli_args *a)
{
    at_err err = {0};
    int code;
    bench *b = cli_bench_new(a, sizeof *b, &code);
    if (!b)
        return code;
    uint64_t n = ((const cli_bench *)a->own)->states;
    *b = (bench){a->seed, n - 1, n / 3};
    at_collide_job job = {.ctx = b, .count = n, .bytes = 8, .state = state_write};
    at_refute_env env = {.memory = MEMORY, .threads = a->threads, .progress = cli_progress()};
    at_collision c;
    if (at_collide(&job, &env, &c, &err))
        code = cli_fail(a, &err);
    else {
        bool right = c.found && c.first == b->twin && c.second == b->last;
        json_t *j = cli_json_set(json_object(), "states", json_integer((json_int_t)c.states));
        j = cli_json_set(j, "threads", json_integer(a->threads ? a->threads : at_cores()));
        j = cli_json_set(j, "seconds", cli_json_number(round(1e3 * c.seconds) / 1e3));
        j = cli_json_set(j, "states_per_s", cli_json_number(round((double)c.states / fmax(c.seconds, 1e-9))));
        j = cli_json_set(j, "bytes_a_state", cli_json_number(round(1e2 * (double)c.bytes / (double)n) / 1e2));
        j = cli_json_set(j, "peak_rss_mib",
                         cli_json_number(round((double)at_peak_rss_bytes() / 104857.6) / 10));
        j = cli_json_set(j, "found", json_boolean(right));
        code = cli_put_json(a, j, right ? CLI_HOLDS : CLI_FAILS);
    }
    at_free(b);
    return code;
}
