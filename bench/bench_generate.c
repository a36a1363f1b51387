/* bench_generate.c: chains a second of one generator, and of at_generate for each chain anew.
 *
 *     bench_generate [n [seconds]]
 *
 * Edit distance of two words of n letters (4), prompts drawn from 26 letters, for each kind of attention and arithmetic,
 * `seconds` (1) for each number. They are processor time of one core, so that other programs do not count. */
#define _GNU_SOURCE
#include <attest/front.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static at_err err;
static double seconds = 1;

static void must(at_status st)
{
    if (st) {
        fprintf(stderr, "bench_generate: %s\n", err.text);
        exit(1);
    }
}

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double chains_per_second(const at_model *m, at_arith a, int prompt, bool anew)
{
    int row = at_model_row_width(m), n_rows, chains = 0;
    double *p = calloc((size_t)(prompt * row), sizeof *p), margin, *made, begin = cpu_now(), took = 0;
    const double *rows;
    at_arena arena;
    at_generator *g;
    at_arena_init(&arena);
    must(at_generator_new(m, a, &g, &err));
    for (; took < seconds; took = cpu_now() - begin, chains++) {
        at_rng r = at_rng_at(1, (uint64_t)chains);
        for (int k = 0; k + 1 < prompt; k++)
            p[k * row] = 1 + (double)at_rng_below(&r, 26);
        at_mark mark = at_arena_mark(&arena);
        if (anew)
            must(at_generate(m, a, &(at_input){prompt, p}, &arena, &made, &n_rows, &margin, &err));
        else
            must(at_generator_run(g, p, prompt, &rows, &n_rows, &margin, &err));
        at_arena_reset(&arena, mark);
    }
    at_generator_free(g);
    at_arena_release(&arena);
    free(p);
    return chains / took;
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoi(argv[1]) : 4, size[] = {n, n};
    at_dp *d;
    at_dp_instance *x;
    seconds = argc > 2 ? atof(argv[2]) : seconds;
    must(at_dp_example_load("edit-distance", &d, &err));
    must(at_dp_bind(d, size, &x, &err));
    const at_arith ariths[] = {at_f64, at_f32, {AT_PBIT, 22, 10}};
    const char *names[] = {"f64", "f32", "p22"};
    for (int kind = 0; kind < AT_ATTENTIONS; kind++) {
        at_model m;
        at_size z;
        must(at_dp_model(x, &(at_dp_options){(at_attention_kind)kind}, &m, &err));
        at_model_size(&m, &z);
        for (int a = 0; a < 3; a++) {
            if (kind != AT_ATTENTION_STANDARD && a == 2)
                continue; /* too few bits for their scores */
            printf("edit distance %dx%d, %-8s %s: D %d, %zu weights, %zu not 0: %.0f chains/s, anew %.0f\n",
                   (int)n, (int)n, at_attention_names[kind], names[a], m.width, z.parameters, z.nonzero,
                   chains_per_second(&m, ariths[a], (int)x->n_input + 1, false),
                   chains_per_second(&m, ariths[a], (int)x->n_input + 1, true));
        }
        at_model_release(&m);
    }
    at_dp_instance_free(x);
    at_dp_free(d);
    return 0;
}
