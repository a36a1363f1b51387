/* bench_scaling.c: `attest bench scaling`: how the cost of a sequence grows with its length L, for each kind of attention.
 *
 * For L = 64, 128, ... a decoder is trained on (forward and backward of one sequence) and generates L words one by one.
 * Counted: operations, exactly. Measured: processor time of one thread (the least of --rounds passes over all lengths,
 * each of as many runs as fit in --seconds) and memory. Then exponents, by least squares of log cost over log L, over the longer half of the lengths.
 *
 * Theory (attention alone, a sequence): standard L^2, sparse L^1.5 with B = 2^floor(log2 sqrt L), linear L. A whole
 * pass also has matrices that cost L, so its exponent lies between; `attention` below is operations of attention alone and,
 * for time, what is beyond linear attention, (attention + rest) - (linear attention + rest).
 *
 * Every cell runs in a process of its own: its peak of resident memory, less that of the same work at length 8, is
 * what grew with L. */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST   64 /* the shortest L */
#define LENGTHS 11 /* up to 65536 */
#define WIDTH   32
#define LONGEST 4096
#define SHORT   8 /* length of what constant memory is learnt from */

/* What is known of one kind at one length. */
typedef enum {
    TRAIN_OPS, /* of attention alone, then of all */
    TRAIN_ALL_OPS,
    TRAIN_ATTENTION, /* seconds: beyond linear attention, then all */
    TRAIN_SECONDS,
    TRAIN_BYTES,
    MAKE_OPS,
    MAKE_ALL_OPS,
    MAKE_ATTENTION,
    MAKE_SECONDS,
    MAKE_BYTES, /* of caches */
    COSTS
} cost;

static const struct {
    const char *key, *text;
    double theory[AT_TRAINED_ATTENTIONS]; /* 0: nothing to say; NAN: constant */
} costs[COSTS] = {
    [TRAIN_OPS] = {"train_attention_flops", "training: operations, attention", {2, 1.5, 1}},
    [TRAIN_ALL_OPS] = {"train_flops", "training: operations, all", {0, 0, 1}},
    [TRAIN_ATTENTION] = {"train_attention_s", "training: time beyond linear's", {2, 1.5, 0}},
    [TRAIN_SECONDS] = {"train_s", "training: time, all", {0, 0, 1}},
    [TRAIN_BYTES] = {"train_bytes", "training: memory", {1, 1, 1}},
    [MAKE_OPS] = {"generate_attention_flops", "generation: operations, attention", {2, 1.5, 1}},
    [MAKE_ALL_OPS] = {"generate_flops", "generation: operations, all", {0, 0, 1}},
    [MAKE_ATTENTION] = {"generate_attention_s", "generation: time beyond linear's", {2, 1.5, 0}},
    [MAKE_SECONDS] = {"generate_s", "generation: time, all", {0, 0, 1}},
    [MAKE_BYTES] = {"generate_bytes", "generation: caches", {1, 0.5, NAN}},
};

typedef struct {
    double cost[COSTS];
    int block;
    at_err err; /* code 0: measured */
} cell;

typedef struct {
    const cli_args *a;
    int lengths, length[LENGTHS];
    cell at[LENGTHS][AT_TRAINED_ATTENTIONS];
} scaling;

static cli_bench asked(const cli_args *a)
{
    return cli_bench_of(a, WIDTH, LONGEST);
}

/* ---- one cell ---------------------------------------------------------------------------------------------- */

static at_status trainer_make(const cli_args *a, int kind, int L, at_trainer **t, at_err *err)
{
    cli_bench o = asked(a);
    at_train_arch arch = at_train_arch_default;
    arch.attention = (at_attention_kind)kind;
    arch.layers = o.layers, arch.heads = o.heads;
    arch.width = o.width;
    arch.vocabulary = CLI_BENCH_WORDS;
    arch.length = L;
    arch.dropout = o.dropout;
    arch.seed = a->seed;
    arch.slots = 1; /* one sequence at a time */
    return at_trainer_new(&arch, at_f32, 1, t, err);
}

static at_status training(const cli_args *a, int kind, int L, cell *c, at_err *err)
{
    at_trainer *t = NULL;
    at_status s = trainer_make(a, kind, L, &t, err);
    if (s)
        return s;
    const at_train_arch *arch = at_trainer_arch(t);
    double *gradient = at_calloc(at_trainer_parameters(t), sizeof *gradient), loss, spent = 0,
           least = INFINITY;
    int *word = at_calloc((size_t)L + 1, sizeof *word);
    at_rng r = at_rng_at(a->seed, 0);
    for (int i = 0; word && i <= L; i++)
        word[i] = (int)at_rng_below(&r, CLI_BENCH_WORDS);
    if (!gradient || !word)
        s = at_oom(err);
    at_train_sequence one = {L, word, word ? word + 1 : NULL};
    while (!s && (spent == 0 || (spent < asked(a).seconds && L > SHORT))) {
        double start = at_cpu_now();
        s = at_trainer_gradient(t, &one, 1, &loss, gradient, err);
        double took = at_cpu_now() - start;
        least = took < least ? took : least;
        spent += fmax(took, 1e-9);
    }
    /* all but attention is what matrices cost: 24 D^2 with U = 4 D, and the head */
    double D = arch->width,
           dense = 3.0 * L * (arch->layers * (8 * D * D + 4 * D * arch->hidden) + 2 * D * CLI_BENCH_WORDS);
    c->block = kind == AT_ATTENTION_SPARSE ? arch->block : 0;
    c->cost[TRAIN_ALL_OPS] = at_trainer_flops(t, L);
    c->cost[TRAIN_OPS] = c->cost[TRAIN_ALL_OPS] - dense;
    c->cost[TRAIN_SECONDS] = least;
    at_free(gradient);
    at_free(word);
    at_trainer_free(t);
    return s;
}

static at_status chain_run(const at_model *m, int rows, double *bytes, at_err *err)
{
    at_decoder *d = NULL;
    double row = 0, margin;
    at_tri decided;
    at_status s = at_decoder_new(m, at_f32, &d, err);
    for (int i = 0; !s && i < rows; i++) {
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted") : at_decoder_push(d, &row, err);
        if (!s)
            s = at_decoder_next(d, &row, &margin, &decided, err);
    }
    *bytes = s ? 0 : (double)at_decoder_bytes(d);
    at_decoder_free(d);
    return s;
}

static at_status generation(const cli_args *a, int kind, int L, cell *c, at_err *err)
{
    at_trainer *t = NULL;
    at_model m;
    at_cost z;
    at_model_init(&m);
    at_status s = trainer_make(a, kind, L, &t, err);
    if (!s)
        s = at_trainer_model(t, 1, &m, err);
    at_trainer_free(t);
    m.decode = (at_decode){
        .enabled = true, .stop = AT_STOP_STEPS, .max_steps = L - 1, .prompt_min = 1, .prompt_max = 1};
    if (!s)
        s = at_generation_cost(&m, 1, L - 1, &z, err);
    double spent = 0, least = INFINITY;
    while (!s && (spent == 0 || spent < asked(a).seconds)) {
        double start = at_cpu_now();
        s = chain_run(&m, L - 1, &c->cost[MAKE_BYTES], err);
        double took = at_cpu_now() - start;
        least = took < least ? took : least;
        spent += fmax(took, 1e-9);
    }
    if (!s) {
        c->cost[MAKE_OPS] = 2.0 * (double)z.attention;
        c->cost[MAKE_ALL_OPS] = 2.0 * (double)z.attention + 2.0 * (double)z.dense;
        c->cost[MAKE_SECONDS] = least;
    }
    at_model_release(&m);
    return s;
}

static void cell_measure(const cli_args *a, int kind, int L, cell *c)
{
    at_err *err = &c->err;
    cell unused = {0};
    at_status s = training(a, kind, SHORT, &unused, err);
    double before = (double)at_peak_rss_bytes();
    if (!s)
        s = training(a, kind, L, c, err);
    c->cost[TRAIN_BYTES] = (double)at_peak_rss_bytes() - before;
    if (!s)
        generation(a, kind, L, c, err);
}

static at_status cell_run(const cli_args *a, int kind, int L, cell *c, at_err *err)
{
    int end[2];
    if (pipe(end))
        return at_fail(err, AT_EIO, "no pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        cell mine = {0};
        cell_measure(a, kind, L, &mine);
        _exit(write(end[1], &mine, sizeof mine) == (ssize_t)sizeof mine ? 0 : 1);
    }
    close(end[1]);
    size_t got = 0;
    ssize_t n = 1;
    while (child > 0 && got < sizeof *c && (n > 0 || (n < 0 && errno == EINTR))) {
        n = read(end[0], (char *)c + got, sizeof *c - got);
        got += n > 0 ? (size_t)n : 0;
    }
    close(end[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (got != sizeof *c)
        return at_fail(err, AT_EBUDGET, "the process that measured %s at length %d ended early",
                       at_attention_names[kind], L);
    if (c->err.code)
        *err = c->err;
    return c->err.code;
}

/* ---- exponents ---------------------------------------------------------------------------------------------- */

static int fit_first(const scaling *z)
{
    return z->lengths / 2 > z->lengths - 2 ? z->lengths - 2 : z->lengths / 2;
}

/* The slope of log cost over log L over the longer half; NAN where a cost is not positive. */
static double exponent(const scaling *z, int kind, cost k)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = fit_first(z); i < z->lengths; i++) {
        double u = at_log(z->length[i]), v = at_log(z->at[i][kind].cost[k]);
        n++, x += u, y += v, xx += u * u, xy += u * v;
    }
    double slope = (n * xy - x * y) / (n * xx - x * x);
    return isfinite(slope) ? slope : NAN;
}

/* A word costs linear attention the same at every length, so its least time a word is the steadiest. */
static void beyond_linear(scaling *z, cost all, cost beyond)
{
    double word = INFINITY;
    for (int i = 0; i < z->lengths; i++)
        word = fmin(word, z->at[i][AT_ATTENTION_LINEAR].cost[all] / z->length[i]);
    for (int i = 0; i < z->lengths; i++)
        for (int k = 0; k < AT_TRAINED_ATTENTIONS; k++) {
            double *c = z->at[i][k].cost;
            c[beyond] = k == AT_ATTENTION_LINEAR ? 0 : c[all] - word * z->length[i];
        }
}

static at_status scaling_measure(scaling *z, at_err *err)
{
    int most = asked(z->a).length;
    if (most < 2 * FIRST)
        return at_fail(err, AT_EINPUT, "--length %d: an exponent needs lengths up to %d or more", most,
                       2 * FIRST);
    for (int L = FIRST; L <= most; L *= 2)
        z->length[z->lengths++] = L;
    at_status s = AT_OK;
    int rounds = asked(z->a).rounds, done = 0, cells = rounds * z->lengths * AT_TRAINED_ATTENTIONS;
    cell one;
    for (int round = 0; !s && round < rounds; round++)
        for (int i = 0; !s && i < z->lengths; i++)
            for (int k = 0; !s && k < AT_TRAINED_ATTENTIONS; k++) {
                at_progress_tick(cli_progress(), "bench", done++, cells);
                s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                        : cell_run(z->a, k, z->length[i], &one, err);
                cell *c = &z->at[i][k];
                one.cost[TRAIN_SECONDS] =
                    fmin(one.cost[TRAIN_SECONDS], round ? c->cost[TRAIN_SECONDS] : INFINITY);
                one.cost[MAKE_SECONDS] =
                    fmin(one.cost[MAKE_SECONDS], round ? c->cost[MAKE_SECONDS] : INFINITY);
                *c = one;
            }
    if (!s) {
        beyond_linear(z, TRAIN_SECONDS, TRAIN_ATTENTION);
        beyond_linear(z, MAKE_SECONDS, MAKE_ATTENTION);
    }
    return s;
}

/* ---- report -------------------------------------------------------------------------------------------------- */

static const int order[AT_TRAINED_ATTENTIONS] = {AT_ATTENTION_STANDARD, AT_ATTENTION_SPARSE,
                                                 AT_ATTENTION_LINEAR};

static json_t *scaling_json(const scaling *z)
{
    json_t *points = json_array(), *exponents = json_array();
    for (int i = 0; i < z->lengths; i++)
        for (int k = 0; k < AT_TRAINED_ATTENTIONS; k++) {
            const cell *c = &z->at[i][k];
            json_t *p = cli_json_set(json_object(), "attention", cli_json_text(at_attention_names[k]));
            p = cli_json_set(p, "length", json_integer(z->length[i]));
            if (k == AT_ATTENTION_SPARSE)
                p = cli_json_set(p, "block", json_integer(c->block));
            for (int j = 0; j < COSTS; j++)
                p = cli_json_set(p, costs[j].key, cli_json_number(c->cost[j]));
            points = cli_json_add(points, p);
        }
    for (int k = 0; k < AT_TRAINED_ATTENTIONS; k++) {
        json_t *e = cli_json_set(json_object(), "attention", cli_json_text(at_attention_names[k]));
        for (int j = 0; j < COSTS; j++)
            e = cli_json_set(e, costs[j].key, cli_json_number(round(1e3 * exponent(z, k, (cost)j)) / 1e3));
        exponents = cli_json_add(exponents, e);
    }
    cli_bench o = asked(z->a);
    json_t *j = cli_json_set(json_object(), "width", json_integer(o.width));
    j = cli_json_set(j, "layers", json_integer(o.layers));
    j = cli_json_set(j, "heads", json_integer(o.heads));
    j = cli_json_set(j, "fitted_from", json_integer(z->length[fit_first(z)]));
    j = cli_json_set(j, "exponents", exponents);
    return cli_json_set(j, "points", points);
}

static void exponent_print(at_text *t, double fitted, double theory)
{
    char left[16] = "-", right[16] = "";
    if (isfinite(fitted))
        snprintf(left, sizeof left, "%.2f", fabs(fitted) < 0.005 ? 0 : fitted);
    if (isnan(theory))
        snprintf(right, sizeof right, "(0)");
    else if (theory > 0)
        snprintf(right, sizeof right, "(%g)", theory);
    at_text_addf(t, " %7s %-6s", left, right);
}

static void heads_print(at_text *t, const char *left, const char *cells)
{
    at_text_addf(t, "%-34s", left);
    for (int k = 0; k < AT_TRAINED_ATTENTIONS; k++)
        at_text_addf(t, cells, at_attention_names[order[k]]);
    at_text_add(t, "\n");
}

static void scaling_print(const scaling *z, at_text *t)
{
    static const struct {
        const char *title;
        cost k;
        double unit; /* 0: microseconds a word */
    } tables[] = {{"training, microseconds a word", TRAIN_SECONDS, 0},
                  {"training, MiB beyond length 8", TRAIN_BYTES, 1048576},
                  {"generation, microseconds a word", MAKE_SECONDS, 0},
                  {"generation, KiB of caches", MAKE_BYTES, 1024}};
    cli_bench o = asked(z->a);
    at_text_addf(t, "width %d, %d layers, %d heads, one sequence, one thread\n\n", o.width, o.layers,
                 o.heads);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        heads_print(t, tables[i].title, " %14s");
        for (int l = 0; l < z->lengths; l++) {
            at_text_addf(t, "%34d", z->length[l]);
            for (int k = 0; k < AT_TRAINED_ATTENTIONS; k++) {
                double v = z->at[l][order[k]].cost[tables[i].k];
                at_text_addf(t, " %14.2f", tables[i].unit > 0 ? v / tables[i].unit : 1e6 * v / z->length[l]);
            }
            at_text_add(t, "\n");
        }
        at_text_add(t, "\n");
    }
    char left[64];
    snprintf(left, sizeof left, "exponents, L = %d..%d", z->length[fit_first(z)], z->length[z->lengths - 1]);
    heads_print(t, left, " %8s      ");
    for (int j = 0; j < COSTS; j++) {
        at_text_addf(t, "%-34s", costs[j].text);
        for (int k = 0; k < AT_TRAINED_ATTENTIONS; k++)
            exponent_print(t, exponent(z, order[k], (cost)j), costs[j].theory[order[k]]);
        at_text_add(t, "\n");
    }
    at_text_add(t, "in brackets: theory, of a sequence; of a whole pass it says nothing but linear's 1\n");
}

int cli_bench_scaling(const cli_args *a)
{
    at_err err = {0};
    int code;
    scaling *z = cli_bench_new(a, sizeof *z, &code);
    if (!z)
        return code;
    z->a = a;
    if (scaling_measure(z, &err))
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, scaling_json(z), CLI_HOLDS);
    else {
        at_text t;
        at_text_init(&t);
        scaling_print(z, &t);
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_free(z);
    return code;
}
