/* run.c: inputs through a model: one, many, a chain; and what is seen on the way. */
#include <math.h>
#include <string.h>

#include <attest/front.h>
#include <attest/picture.h>

#include "api_internal.h"

/* ---- shapes and words ---------------------------------------------------------------------------------------- */

static void put(int *to, int value)
{
    if (to)
        *to = value;
}

static int positions_of(const at_model *m, int n)
{
    return m->readout.last ? 1 : n;
}

static int decisions_of(const at_model *m)
{
    return m->readout.kind == AT_READ_ARGMAX ? 1 : m->readout.rows;
}

void at_net_shape(const at_net *net, int n, int *width, int *positions, int *decisions, int *values)
{
    put(width, at_model_row_width(&net->m));
    put(positions, positions_of(&net->m, n));
    put(decisions, decisions_of(&net->m));
    put(values, net->m.readout.rows);
}

/* A prompt as its language writes it, as rows, or any input. */
static at_status line_read(const at_model *m, const char *line, at_arena *a, at_input *x, at_err *err)
{
    at_err other = {0};
    at_input right;
    const at_front *f = m->decode.enabled ? at_front_speaking(m) : NULL;
    if (f && f->prompt && !f->prompt(m, line, a, x, &right, &other))
        return AT_OK;
    other = (at_err){0};
    if (m->decode.enabled && !at_prompt_parse(m, line, a, x, &other))
        return AT_OK;
    if (!m->decode.enabled)
        return at_input_parse(m, line, a, x, err);
    at_err third = {0};
    return at_input_parse(m, line, a, x, &third) ? at_fail(err, other.code, "%s", other.text) : AT_OK;
}

/* Numbers that the caller frees; never NULL. */
static double *numbers_copy(const double *x, size_t n)
{
    double *out = at_malloc((n + 1) * sizeof *out);
    if (out && n)
        memcpy(out, x, n * sizeof *out);
    return out;
}

at_status at_net_read(const at_net *net, const char *line, double **x, int *n, at_err *err)
{
    api_begin(err);
    if (api_need("line", line, err))
        return AT_EINPUT;
    at_arena a;
    at_input in;
    at_arena_init(&a);
    at_status s = line_read(&net->m, line, &a, &in, err);
    if (!s) {
        double *copy = numbers_copy(in.v, (size_t)in.n * (size_t)at_model_row_width(&net->m));
        s = copy ? AT_OK : at_oom(err);
        if (copy) {
            *x = copy;
            *n = in.n;
        }
    }
    at_arena_release(&a);
    return s;
}

at_status at_net_say(const at_net *net, const double *x, int n, bool written, char **line, at_err *err)
{
    api_begin(err);
    at_status s = AT_OK;
    for (int i = 0; i < n && !s; i++)
        s = at_input_check_row(&net->m, x + (size_t)i * (size_t)at_model_row_width(&net->m), i + 1, err);
    if (s)
        return s;
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "");
    (written ? at_written_print : at_input_print)(&net->m, &(at_input){n, x}, &t);
    if (t.oom)
        return at_oom(err);
    *line = t.s;
    return AT_OK;
}

const char *at_net_word(const at_net *net, double decision)
{
    return at_decision_word(&net->m, decision);
}

/* ---- one, and many ---------------------------------------------------------------------------------------------- */

static void output_copy(const at_output *y, double *decision, double *margin, double *value)
{
    size_t k = (size_t)y->n * (size_t)y->width, v = (size_t)y->n * (size_t)y->rows;
    for (size_t i = 0; decision && i < k; i++)
        decision[i] = y->decided[i] == AT_TRUE ? y->decision[i] : (double)NAN;
    if (margin && k)
        memcpy(margin, y->margin, k * sizeof *margin);
    if (value && v)
        memcpy(value, y->value, v * sizeof *value);
}

static at_status run(const at_model *m, at_arith a, const at_input *x, double *decision, double *margin,
                     double *value, at_err *err)
{
    at_arena arena;
    at_output y;
    at_arena_init(&arena);
    at_status s = at_run(m, a, x, NULL, &arena, &y, err);
    if (!s)
        output_copy(&y, decision, margin, value);
    at_arena_release(&arena);
    return s;
}

static at_status input_check(int n, at_err *err)
{
    return n < 0 ? at_fail(err, AT_EDOMAIN, "an input of %d positions", n) : AT_OK;
}

at_status at_net_run(const at_net *net, const double *x, int n, const char *precision, double *decision,
                     double *margin, double *value, at_err *err)
{
    api_begin(err);
    at_arith a;
    at_status s = api_precision(precision, &a, err);
    if (!s)
        s = input_check(n, err);
    return s ? s : run(&net->m, a, &(at_input){n, x}, decision, margin, value, err);
}

#define TOGETHER 64 /* sequences that a worker takes at a time */

typedef struct {
    const at_model *m;
    at_arith arith;
    const double *x;
    int n;
    size_t count, in, out, values; /* numbers of one: of its input, of its decisions, of its values */
    double *decision, *margin, *value;
    const at_exec *exec; /* NULL: by the reference */
    at_scratch **scratch;
    double **room;  /* (workers): values of TOGETHER sequences and their decisions and margins */
    at_err *failed; /* (pieces) */
} many;

/* A worker's own, made when it first comes. */
static at_status worker_ready(many *k, int worker, at_err *err)
{
    if (k->scratch[worker])
        return AT_OK;
    k->room[worker] = at_malloc((TOGETHER * (k->values + 2 * k->out) + 1) * sizeof(double));
    return k->room[worker] ? at_scratch_new(k->exec, &k->scratch[worker], err) : at_oom(err);
}

static at_status piece_fast(many *k, int worker, size_t first, int batch, at_err *err)
{
    at_status s = worker_ready(k, worker, err);
    if (s)
        return s;
    double *value = k->room[worker], *decision = value + TOGETHER * k->values,
           *margin = decision + TOGETHER * k->out;
    at_exec_run(k->exec, k->scratch[worker], k->x + first * k->in, batch, value);
    int positions = at_exec_positions(k->exec);
    for (int i = 0; i < batch; i++)
        at_decide(&k->m->readout, positions, value + (size_t)i * k->values, decision + (size_t)i * k->out,
                  margin + (size_t)i * k->out);
    /* A sign of 0 is none; the fast executor calls it 0 with margin 0. */
    for (size_t i = 0; k->m->readout.kind == AT_READ_SIGN && i < (size_t)batch * k->out; i++)
        decision[i] = value[i] == 0 ? (double)NAN : decision[i];
    if (k->decision)
        memcpy(k->decision + first * k->out, decision, (size_t)batch * k->out * sizeof *decision);
    if (k->margin)
        memcpy(k->margin + first * k->out, margin, (size_t)batch * k->out * sizeof *margin);
    if (k->value)
        memcpy(k->value + first * k->values, value, (size_t)batch * k->values * sizeof *value);
    return AT_OK;
}

static void piece_run(void *ctx, size_t i, int worker)
{
    many *k = ctx;
    at_err *err = &k->failed[i];
    size_t first = i * TOGETHER, end = first + TOGETHER < k->count ? first + TOGETHER : k->count;
    if (at_cancel_pending()) {
        at_fail(err, AT_ECANCEL, "interrupted");
        return;
    }
    for (size_t j = first; j < end && !err->code; j++) {
        at_input x = {k->n, k->x + j * k->in};
        if (at_input_check(k->m, &x, err) || k->exec)
            continue;
        run(k->m, k->arith, &x, k->decision ? k->decision + j * k->out : NULL,
            k->margin ? k->margin + j * k->out : NULL, k->value ? k->value + j * k->values : NULL, err);
    }
    if (k->exec && !err->code)
        piece_fast(k, worker, first, (int)(end - first), err);
}

/* The fast executor where it takes the model, else the reference. */
static at_status exec_make(const many *k, at_exec **out, at_err *err)
{
    *out = NULL;
    if ((k->arith.kind != AT_F32 && k->arith.kind != AT_F64) || k->n == 0)
        return AT_OK;
    at_err why = {0};
    at_status s = at_exec_new(k->m, k->arith, k->n, out, &why);
    return !s || s == AT_EREFUSED ? AT_OK : at_fail(err, s, "%s", why.text);
}

static at_status many_run(many *k, int threads, at_err *err)
{
    size_t pieces = (k->count + TOGETHER - 1) / TOGETHER;
    at_exec *exec = NULL;
    int workers = threads > 0 ? threads : at_cores();
    at_status s = exec_make(k, &exec, err);
    k->exec = exec;
    k->scratch = at_calloc((size_t)workers, sizeof *k->scratch);
    k->room = at_calloc((size_t)workers, sizeof *k->room);
    k->failed = at_calloc(pieces + 1, sizeof *k->failed);
    if (!s)
        s = k->scratch && k->room && k->failed ? at_parallel(workers, pieces, piece_run, k, err)
                                               : at_oom(err);
    for (size_t i = 0; i < pieces && !s; i++) /* of several faults the first */
        if (k->failed[i].code)
            s = at_fail(err, k->failed[i].code, "%s", k->failed[i].text);
    for (int w = 0; w < workers; w++) {
        if (k->scratch && k->scratch[w])
            at_scratch_free(k->scratch[w]);
        if (k->room)
            at_free(k->room[w]);
    }
    at_free(k->scratch);
    at_free(k->room);
    at_free(k->failed);
    if (exec)
        at_exec_free(exec);
    return s;
}

at_status at_net_runs(const at_net *net, const double *x, int n, size_t count, const char *precision,
                      const at_env *env, double *decision, double *margin, double *value, at_err *err)
{
    api_begin(err);
    const at_model *m = &net->m;
    many k = {.m = m, .x = x, .n = n, .count = count, .decision = decision, .margin = margin, .value = value};
    at_status s = api_precision(precision, &k.arith, err);
    if (!s)
        s = input_check(n, err);
    if (!s)
        s = at_arith_supports(m, k.arith, err);
    if (s)
        return s;
    size_t positions = (size_t)positions_of(m, n);
    k.in = (size_t)n * (size_t)at_model_row_width(m);
    k.out = positions * (size_t)decisions_of(m);
    k.values = positions * (size_t)m->readout.rows;
    return many_run(&k, api_env(env)->threads, err);
}

at_status at_net_generate(const at_net *net, const double *x, int n, const char *precision, double **rows,
                          int *n_rows, double *margin, at_err *err)
{
    api_begin(err);
    at_arith a;
    at_arena arena;
    double *all = NULL, least = (double)NAN;
    int count = 0;
    at_status s = api_precision(precision, &a, err);
    if (!s)
        s = input_check(n, err);
    if (s)
        return s;
    at_arena_init(&arena);
    s = at_generate(&net->m, a, &(at_input){n, x}, &arena, &all, &count, &least, err);
    if (!s || s == AT_EBUDGET) {
        double *copy = numbers_copy(all, (size_t)count * (size_t)at_model_row_width(&net->m));
        if (copy) {
            *rows = copy;
            *n_rows = count;
            if (margin)
                *margin = least;
        } else {
            api_begin(err);
            s = at_oom(err);
        }
    }
    at_arena_release(&arena);
    return s;
}

/* ---- inside a run -------------------------------------------------------------------------------------------------- */

struct at_tracing {
    at_arena arena;
    at_trace trace;
    int *layer, *number; /* of heads */
    const char **name;
};

static at_status heads_name(at_tracing *t, const at_model *m, at_err *err)
{
    int n = t->trace.n_heads;
    t->layer = at_new(&t->arena, int, n + 1);
    t->number = at_new(&t->arena, int, n + 1);
    t->name = at_new(&t->arena, const char *, n + 1);
    if (!t->layer || !t->number || !t->name)
        return at_oom(err);
    for (int k = 0; k < n; k++) {
        const at_trace_head *h = &t->trace.heads[k];
        at_head_number(m, h->block, h->group, h->head, &t->layer[k], &t->number[k]);
        const char *name = m->blocks[h->block].groups[h->group].name;
        t->name[k] = name ? at_arena_strdup(&t->arena, name) : NULL;
        if (name && !t->name[k])
            return at_oom(err);
    }
    return AT_OK;
}

at_status at_net_trace(const at_net *net, const double *x, int n, const char *precision, at_tracing **out,
                       at_err *err)
{
    api_begin(err);
    at_arith a;
    at_output y;
    at_status s = api_precision(precision, &a, err);
    if (!s)
        s = input_check(n, err);
    if (s)
        return s;
    at_tracing *t = at_calloc(1, sizeof *t);
    if (!t)
        return at_oom(err);
    at_arena_init(&t->arena);
    s = at_run(&net->m, a, &(at_input){n, x}, &t->trace, &t->arena, &y, err);
    if (!s)
        s = heads_name(t, &net->m, err);
    if (s)
        at_tracing_free(t);
    else
        *out = t;
    return s;
}

int at_tracing_positions(const at_tracing *t)
{
    return t->trace.T;
}

int at_tracing_heads(const at_tracing *t)
{
    return t->trace.n_heads;
}

const double *at_tracing_weights(const at_tracing *t, int k, int *layer, int *number, const char **name)
{
    if (k < 0 || k >= t->trace.n_heads)
        return NULL;
    put(layer, t->layer[k]);
    put(number, t->number[k]);
    if (name)
        *name = t->name[k];
    return t->trace.heads[k].w;
}

const double *at_tracing_scores(const at_tracing *t, int k)
{
    return k < 0 || k >= t->trace.n_heads ? NULL : t->trace.heads[k].score;
}

int at_tracing_states(const at_tracing *t, int *D)
{
    put(D, t->trace.D);
    return t->trace.n_states;
}

const double *at_tracing_state(const at_tracing *t, int k)
{
    return k < 0 || k >= t->trace.n_states ? NULL : t->trace.state[k];
}

void at_tracing_free(at_tracing *t)
{
    if (!t)
        return;
    at_arena_release(&t->arena);
    at_free(t);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------------- */

static at_status look(const at_net *net, const double *x, int n, const char *precision, at_arena *arena,
                      at_look *out, at_err *err)
{
    at_arith a;
    at_status s = api_precision(precision, &a, err);
    if (!s)
        s = input_check(n, err);
    return s ? s : at_look_make(&net->m, a, &(at_input){n, x}, arena, out, err);
}

at_status at_net_svg(const at_net *net, const double *x, int n, const char *precision, char **svg,
                     at_err *err)
{
    api_begin(err);
    at_arena arena;
    at_look l;
    at_text t;
    at_arena_init(&arena);
    at_text_init(&t);
    at_status s = look(net, x, n, precision, &arena, &l, err);
    if (!s)
        s = at_look_svg(&l, &t, err);
    if (s)
        at_text_release(&t);
    else
        *svg = t.s;
    at_arena_release(&arena);
    return s;
}

at_status at_net_look(const at_net *net, const double *x, int n, const char *precision, const char *path,
                      at_err *err)
{
    api_begin(err);
    if (api_need("path", path, err))
        return AT_EINPUT;
    at_arena arena;
    at_look l;
    at_picture_kind kind;
    at_arena_init(&arena);
    at_status s = at_picture_kind_of(path, &kind, err);
    if (!s)
        s = look(net, x, n, precision, &arena, &l, err);
    if (!s)
        s = at_look_picture(&l, kind, path, err);
    at_arena_release(&arena);
    return s;
}
