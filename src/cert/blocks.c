/* blocks.c: the decisions of a model on a domain, a digest a block, and inputs of a sample.
 *
 * A line is what comes out of one input: of positions all decisions with blanks between them; of a decoder the rows it writes,
 * numbers of a row with commas. The digest of a block is the SHA-256 of its lines, each with its newline. */
#include "cert_internal.h"

#include <inttypes.h>
#include <string.h>

#define BLOCK_POSITIONS 256 /* inputs of a block */
#define BLOCK_BITS      16  /* in other arithmetics than f64: a reader takes its time to round */
#define BLOCK_CHAINS    8
#define SAMPLE_NUMBERS  4096 /* of all inputs of a sample together, about */
#define SAMPLE_MOST     32
#define SAMPLE_BITS     4 /* in other arithmetics */

typedef struct {
    const cert_point *k;
    at_exec *exec; /* NULL: the reference */
    at_scratch *scratch;
    double *x, *decision, *margin;
    int n, row, out; /* positions, numbers a row, decisions of an input */
} runner;

/* Reals differ in their last digits from machine to machine: they have no digest, and are compared with what is right. */
static bool is_real(const cert_point *k)
{
    return k->task && k->task->real;
}

static void line_put(at_text *t, const double *v, int rows, int width)
{
    for (int i = 0; i < rows * width; i++) {
        char mark = width > 1 && i % width ? ',' : ' ';
        bool digit = v[i] >= 0 && v[i] <= 9 && v[i] == (int)v[i];
        char two[2] = {mark, (char)('0' + (digit ? (int)v[i] : 0))};
        if (digit) /* nearly all of them are */
            at_text_addn(t, i ? two : two + 1, i ? 2 : 1);
        else
            at_text_addf(t, "%s%.17g", !i ? "" : mark == ',' ? "," : " ", v[i]);
    }
    at_text_add(t, "\n");
}

static at_status runner_open(const cert_point *k, runner *r, at_err *err)
{
    *r = (runner){.k = k};
    size_t rows = k->task ? (size_t)at_params_int(&k->tp, "N") : (size_t)k->chain->prompt_max(k->self);
    r->row = k->task ? k->task->row_width(&k->tp) : k->chain->row_width(k->self);
    r->n = (int)rows;
    size_t batch = k->task ? BLOCK_POSITIONS : 1;
    r->x = at_new(k->a, double, (rows * (size_t)r->row + 1) * batch);
    if (!r->x)
        return at_oom(err);
    at_err refused = {0};
    if (!k->task || at_exec_new(k->m, k->arith, r->n, &r->exec, &refused))
        return refused.code && refused.code != AT_EREFUSED ? at_fail(err, refused.code, "%s", refused.text)
                                                           : AT_OK;
    r->out = at_exec_positions(r->exec) * k->task->out_width(&k->tp);
    r->decision = at_new(k->a, double, ((size_t)r->out + 1) * batch);
    r->margin = at_new(k->a, double, ((size_t)r->out + 1) * batch);
    return r->decision && r->margin ? at_scratch_new(r->exec, &r->scratch, err) : at_oom(err);
}

static void runner_close(runner *r)
{
    at_scratch_free(r->scratch);
    at_exec_free(r->exec);
}

/* The line of one input. */
static at_status run_one(runner *r, const at_input *x, at_text *t, at_err *err)
{
    const cert_point *k = r->k;
    at_arena a;
    at_output y;
    at_status s = at_input_check(k->m, x, err);
    if (s)
        return s;
    at_arena_init(&a);
    if (!k->task) {
        double *rows, margin;
        int n;
        s = at_generate(k->m, k->arith, x, &a, &rows, &n, &margin, err);
        if (!s)
            line_put(t, rows, n, r->row);
    } else if (r->exec) {
        at_exec_decide(r->exec, r->scratch, x->v, 1, r->decision, r->margin);
        line_put(t, r->decision, r->out, 1);
    } else if (!(s = at_run(k->m, k->arith, x, NULL, &a, &y, err)))
        line_put(t, y.decision, y.n * k->task->out_width(&k->tp), 1);
    at_arena_release(&a);
    return s;
}

static at_status input_nth(const runner *r, uint64_t i, double *x, int *n, at_err *err)
{
    const cert_point *k = r->k;
    *n = r->n;
    if (!k->task)
        return k->chain->nth(k->self, i, x, n, err);
    k->task->nth(&k->tp, k->cell->how, i, x);
    return AT_OK;
}

/* The next input after x, which is number i - 1. */
static void input_next(const runner *r, uint64_t i, const double *before, double *x)
{
    const cert_point *k = r->k;
    memcpy(x, before, (size_t)r->n * (size_t)r->row * sizeof *x);
    k->task->next(&k->tp, k->cell->how, i, x);
}

/* The lines of inputs first..end-1: by the fast executor all at once. */
static at_status block_run(runner *r, uint64_t first, uint64_t end, at_text *lines, at_err *err)
{
    size_t one = (size_t)r->n * (size_t)r->row;
    int n = 0;
    at_status s = AT_OK;
    for (uint64_t i = first; i < end && !s; i++) {
        double *x = r->x + (r->exec ? (size_t)(i - first) * one : 0);
        if (r->exec && i > first && r->k->task->next)
            input_next(r, i, x - one, x);
        else
            s = input_nth(r, i, x, &n, err);
        if (!s && r->exec)
            s = at_input_check(r->k->m, &(at_input){n, x}, err);
        else if (!s)
            s = run_one(r, &(at_input){n, x}, lines, err);
    }
    if (s || !r->exec)
        return s;
    at_exec_decide(r->exec, r->scratch, r->x, (int)(end - first), r->decision, r->margin);
    for (uint64_t i = 0; i < end - first; i++)
        line_put(lines, r->decision + i * (size_t)r->out, r->out, 1);
    return AT_OK;
}

at_status cert_blocks(const cert_point *k, at_text *t, at_err *err)
{
    runner r;
    at_text lines;
    uint64_t count = k->task ? k->task->count(&k->tp, k->cell->how) : k->chain->count(k->self);
    uint64_t block = !k->task ? BLOCK_CHAINS : k->arith.kind == AT_F64 ? BLOCK_POSITIONS : BLOCK_BITS;
    at_status s = runner_open(k, &r, err);
    at_text_init(&lines);
    at_text_addf(t, "\"block\": %" PRIu64 ", \"digests\": [", block);
    for (uint64_t i = 0; i < count && !s && !is_real(k); i += block) {
        uint64_t end = count - i < block ? count : i + block;
        char digest[65];
        lines.n = 0;
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                : block_run(&r, i, end, &lines, err);
        if (!s && lines.oom)
            s = at_oom(err);
        if (s)
            break;
        at_sha256(lines.s, lines.n, digest);
        at_text_addf(t, "%s\"%s\"", i ? ",\n" : "", digest);
    }
    at_text_add(t, "]");
    at_text_release(&lines);
    runner_close(&r);
    return s;
}

/* The first inputs of a sampled check, as many as are not too long, and what comes out of them. */
at_status cert_sample(const cert_point *k, at_text *t, at_err *err)
{
    runner r;
    at_text lines;
    at_status s = runner_open(k, &r, err);
    at_text_init(&lines);
    size_t length = (size_t)r.n * (size_t)r.row + 1;
    uint64_t all = k->arith.kind == AT_F64 ? SAMPLE_NUMBERS : SAMPLE_NUMBERS / 32, n = k->v->inputs;
    uint64_t most = all / length < 2 ? 1 + (k->arith.kind == AT_F64) : all / length;
    n = n < most ? n : most;
    uint64_t few = k->arith.kind == AT_F64 ? SAMPLE_MOST : SAMPLE_BITS;
    n = n < few ? n : few;
    if (!k->task) /* a reader that begins anew for every row takes its time */
        n = k->chain->rows_max(k->self) > 64 ? 1 : n < 8 ? n : 8;
    at_text_add(t, "\"sample\": [");
    for (uint64_t i = 0; i < n && !s; i++) {
        at_input x = {r.n, r.x};
        at_rng g = at_rng_at(k->seed, i);
        const at_chain *c = k->chain;
        if (k->task)
            (i % 2 && k->task->adversarial ? k->task->adversarial : k->task->sample)(&k->tp, &g, r.x);
        else
            s = (i % 2 && c->adversarial ? c->adversarial : c->sample)(k->self, &g, r.x, &x.n, err);
        at_text_add(t, i ? ",\n" : "");
        if (!s)
            cert_rows(t, r.x, x.n, r.row);
        if (!s && !is_real(k))
            s = run_one(&r, &x, &lines, err);
    }
    char digest[65] = "";
    if (!s && lines.oom)
        s = at_oom(err);
    else if (!s && !is_real(k))
        at_sha256(lines.s ? lines.s : "", lines.n, digest);
    at_text_addf(t, is_real(k) ? "], \"digests\": []" : "], \"digests\": [\"%s\"]", digest);
    at_text_release(&lines);
    runner_close(&r);
    return s;
}
