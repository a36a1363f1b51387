/* bench.h: what the benchmarks of `attest bench` share; each is in a file of its own. */
#ifndef ATTEST_CLI_BENCH_H
#define ATTEST_CLI_BENCH_H

#include "cli.h"

#define CLI_MOST_ROUNDS 1000
/* Of the decoder that train and generate measure: vocabulary, and width and length unless the user says other. */
#define CLI_BENCH_WORDS  64
#define CLI_BENCH_WIDTH  64
#define CLI_BENCH_LENGTH 87

/* The options of `attest bench` alone. A width or length of 0 was not given: each benchmark has its own. */
typedef struct {
    double seconds; /* of a round */
    int rounds;
    int width, length, batch, layers, heads;
    double dropout;
    uint64_t states;
    unsigned net;
} cli_bench;
/* What `train` measures: the decoder, by its own engine or by the plain one; what only that one has: a net that answers at
 * positions, without a mask, and recurrent nets. */
enum { CLI_BENCH_DECODER, CLI_BENCH_PLAIN, CLI_BENCH_LABELS, CLI_BENCH_TANH, CLI_BENCH_GRU, CLI_BENCH_NETS };
extern const char *const cli_bench_nets[CLI_BENCH_NETS];

cli_bench cli_bench_of(const cli_args *a, int width, int length); /* with these, where not given */

int cli_bench_train(const cli_args *a);
int cli_bench_generate(const cli_args *a);
int cli_bench_scaling(const cli_args *a);
int cli_bench_chain(const cli_args *a);
int cli_bench_collide(const cli_args *a);
/* Zeroed, to be freed by the caller; NULL, and the exit code, when there is a word too many or no memory. */
void *cli_bench_new(const cli_args *a, size_t bytes, int *code);
at_arith cli_bench_arith(const cli_args *a); /* f32 unless --precision says other */
/* The decoder that train and generate measure; length is that of a sequence. */
at_status cli_bench_arch(const cli_args *a, at_train_arch *arch, at_err *err);
/* What both report: shape, machine, tokens a second (sorts rate) and, with `flops` operations a token, gflops. */
json_t *cli_bench_json(const cli_args *a, size_t parameters, const char *isa, double *rate, double flops);
/* Sorts the rates of n rounds; *spread is largest minus smallest, over the median. */
double cli_median(double *rate, int n, double *spread);

#endif
