/* bench_whole.c: a model file against every input of a task: how many inputs a second, and on how many it is wrong.
 *
 *     bench_whole MODEL [task] [parameters] [f32|f64] [threads] [inputs]        default: max, its own, f32, 2, all
 *
 * Prints one JSON line. Inputs below all: one from each of equal strata, so that a short run times the same work. The
 * clock is processor time of all threads, beside that of the wall: on a busy machine only the first says much. */
#include <attest/check.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static double cpu_now(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    at_err err = {0};
    at_model m;
    at_params p;
    at_arena a;
    at_verdict v;
    const at_task *t = at_task_find(argc > 2 ? argv[2] : "max");
    at_question q = {.evidence = AT_EV_EXACT, .how = AT_ENUM_SEQUENCES, .count_all = true, .seed = 1};
    at_arena_init(&a);
    if (argc < 2 || !t) {
        fprintf(stderr, "bench_whole MODEL [task] [parameters] [f32|f64] [threads] [inputs]\n");
        return 2;
    }
    at_params_init(&p, t->params, t->n_params);
    int threads = argc > 5 ? atoi(argv[5]) : 2;
    q.limit = argc > 6 ? strtoull(argv[6], NULL, 10) : 0;
    at_status s = at_params_parse(&p, argc > 3 ? argv[3] : "", &err);
    s = s ? s : at_arith_parse(argc > 4 ? argv[4] : "f32", &q.arith, &err);
    s = s ? s : at_model_load(&m, argv[1], &err);
    double wall = at_now(), cpu = cpu_now();
    s = s ? s : at_check(&m, t, &p, &q, &(at_check_env){.threads = threads}, &a, &v, &err);
    wall = at_now() - wall;
    cpu = cpu_now() - cpu;
    if (s) {
        fprintf(stderr, "bench_whole: %s\n", err.text);
        return 2;
    }
    printf("{\"task\": \"%s\", \"arithmetic\": \"%s\", \"threads\": %d, ", t->id, argc > 4 ? argv[4] : "f32",
           threads);
    printf("\"inputs\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"margin\": %.17g, ", v.inputs, v.wrong,
           v.margin);
    if (v.has_counterexample)
        printf("\"first_wrong\": %" PRIu64 ", ", v.cx.index);
    printf("\"seconds\": %.2f, \"processor_seconds\": %.2f, \"sequences_per_processor_s\": %.0f}\n", wall,
           cpu, (double)v.inputs / cpu);
    at_model_release(&m);
    at_arena_release(&a);
    return 0;
}
