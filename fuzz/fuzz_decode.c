/* fuzz_decode.c: bytes choose a small decoder (model_of_bytes.h), and what continues a sequence row by row is held against whole passes.
 *
 * What must hold for rows pushed one by one, after each of them, and in f32, f64 and a p-bit format:
 *   - values, decisions and margins of a decoder that keeps keys are those of at_run on the rows so far, bit for bit;
 *   - f32, f64: those from running sums (linear attention) lie in the ball of at_run_bound(any_order), see `reordered_judge`.
 * And for chains that continue a prompt:
 *   - a generator gives the rows, margin, status and words of at_generate, bit for bit, whatever it ran before: prompts that
 *     begin alike, so that it goes back a part of the way, and others;
 *   - the rows are the decisions of whole passes, and the chain ends where the stop rule says (not from running sums);
 *   - batches (f32, f64, where they do not refuse the model; both instruction sets): the words that balls tell apart, and margins
 *     that they allow; to the bit the same at other places of the batch.
 *
 * A whole pass reads out every position, and no position sees a later one. So one pass over all rows stands for the passes over
 * their beginnings; for one input in FULL, drawn by its bytes, and for replayed files each beginning is run for itself, in all
 * arithmetics, with all of the above. For other inputs one arithmetic (p-bit, where erf is slow, for one in PBIT), and one of
 * generators and batches, are drawn. */
#include "../src/exec/decode.h"
#include "model_of_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FULL = 512, PBIT = 32, LENGTH = 40, WIDTH = 3 };

typedef struct {
    const at_model *m; /* as the bytes say */
    at_model every;    /* the same, read out at every position */
    at_arith a;
    const at_input *x;
    at_arena *arena;
    bool sums;     /* some attention is linear and keeps sums */
    bool prefixes; /* each beginning is run for itself */
} decode_case;

static void whole(const decode_case *c, const double *rows, int n, at_output *y)
{
    at_err err = {0};
    if (at_run(&c->every, c->a, &(at_input){n, rows}, NULL, c->arena, y, &err))
        broken(err.text, c->m, 0, 0, 0);
}

/* What a decoder says after row i, against position `at` of a whole pass. */
static void position_compare(const decode_case *c, const at_decoder *d, const double *next, double margin,
                             at_tri decided, const at_output *y, int at)
{
    double least = INFINITY;
    at_tri all = AT_TRUE;
    for (int r = 0; r < y->rows; r++)
        if (!same(d->y.value[r], y->value[at * y->rows + r]))
            broken("a value of the decoder", c->m, d->y.value[r], y->value[at * y->rows + r], 0);
    for (int k = 0; k < y->width; k++) {
        int i = at * y->width + k;
        least = fmin(least, y->margin[i]);
        all = at_tri_and(all, y->decided[i]);
        if (!same(next[k], y->decision[i]))
            broken("a decision of the decoder", c->m, next[k], y->decision[i], 0);
    }
    if (!same(margin, least) || decided != all)
        broken("the margin of the decoder", c->m, margin, least, 0);
}

static void keys_check(const decode_case *c)
{
    at_decoder *d;
    at_output y;
    at_err err = {0};
    double next[WIDTH], margin;
    at_tri decided;
    int width = at_model_row_width(c->m);
    if (at_decoder_new_keys(c->m, c->a, &d, &err))
        broken(err.text, c->m, 0, 0, 0);
    if (!c->prefixes)
        whole(c, c->x->v, c->x->n, &y);
    for (int i = 0; i < c->x->n; i++) {
        if (at_decoder_push(d, c->x->v + i * width, &err) ||
            at_decoder_next(d, next, &margin, &decided, &err))
            broken(err.text, c->m, 0, 0, 0);
        if (c->prefixes)
            whole(c, c->x->v, i + 1, &y);
        position_compare(c, d, next, margin, decided, &y, i);
    }
    at_decoder_free(d);
}

static void sums_check(const decode_case *c)
{
    at_decoder *d;
    at_output y, ball;
    at_err err = {0};
    double next[WIDTH], margin;
    at_tri decided;
    bool bounded = false;
    int width = at_model_row_width(c->m), R = c->m->readout.rows;
    if (at_decoder_new(c->m, c->a, &d, &err))
        broken(err.text, c->m, 0, 0, 0);
    whole(c, c->x->v, c->x->n, &y);
    for (int i = 0; i < c->x->n; i++) {
        if (at_decoder_push(d, c->x->v + i * width, &err) ||
            at_decoder_next(d, next, &margin, &decided, &err))
            broken(err.text, c->m, 0, 0, 0);
        for (int r = 0; r < R; r++) {
            if (!c->prefixes && near(c->a, d->y.value[r], y.value[i * R + r]))
                continue;
            if (!bounded && at_run_bound(&c->every, c->a, c->x, true, c->arena, &ball, &err))
                broken(err.text, c->m, 0, 0, 0);
            bounded = true;
            reordered_judge(&c->every, c->a, c->x, &ball, i * R + r, d->y.value[r], "running sums", c->arena);
        }
    }
    at_decoder_free(d);
}

/* ---- chains ---------------------------------------------------------------------------------------------- */

typedef struct {
    at_status status;
    int n;
    const double *rows; /* (n, row width) */
    double margin;
    at_err err;
} chain;

static void fresh_chain(const decode_case *c, int prompt, chain *out)
{
    double *rows = NULL;
    *out = (chain){.n = 0};
    out->status = at_generate(c->m, c->a, &(at_input){prompt, c->x->v}, c->arena, &rows, &out->n,
                              &out->margin, &out->err);
    if (out->status && out->status != AT_EBUDGET)
        broken(out->err.text, c->m, 0, 0, 0);
    out->rows = rows;
}

/* Rows of a prompt and of its chain, one after the other. */
static void chain_rows(const decode_case *c, int prompt, const chain *t, double *rows)
{
    size_t width = (size_t)at_model_row_width(c->m);
    memcpy(rows, c->x->v, (size_t)prompt * width * sizeof *rows);
    if (t->n)
        memcpy(rows + (size_t)prompt * width, t->rows, (size_t)t->n * width * sizeof *rows);
}

/* Every row of the chain is the decision of a whole pass over those before it, only the last one may stop it, and without a
 * stop there is a reason. */
static void chain_follow(const decode_case *c, int prompt, const chain *t)
{
    double rows[LENGTH * WIDTH], least = INFINITY;
    int width = at_model_row_width(c->m), room = c->m->n_max - prompt, n = prompt + t->n;
    at_output y;
    chain_rows(c, prompt, t, rows);
    whole(c, rows, n < c->m->n_max ? n : c->m->n_max, &y);
    for (int k = 0; k < t->n; k++) {
        for (int j = 0; j < width; j++) {
            int at = (prompt + k - 1) * y.width + j;
            least = fmin(least, y.margin[at]);
            if (!same(t->rows[k * width + j], y.decision[at]) || y.decided[at] != AT_TRUE)
                broken("a row of the chain", c->m, t->rows[k * width + j], y.decision[at], 0);
        }
        bool end = t->rows[k * width] == c->m->decode.value;
        if (end != (k == t->n - 1 && t->status == AT_OK))
            broken("the stop of the chain", c->m, k, t->n, 0);
    }
    if (t->status == AT_OK && (t->n == 0 || !same(least, t->margin)))
        broken("the margin of the chain", c->m, t->margin, least, 0);
    if (t->status == AT_OK || t->n == room)
        return;
    bool possible = true; /* the row that was not made: all of it decided, and in the range of its field */
    for (int j = 0, f = 0, of = 0; j < width; j++, of++) {
        if (of == at_field_width(&c->m->fields[f]))
            f++, of = 0;
        const at_field *field = &c->m->fields[f];
        double v = y.decision[(n - 1) * y.width + j];
        bool token = field->kind == AT_FIELD_TOKEN;
        possible = possible && y.decided[(n - 1) * y.width + j] == AT_TRUE && v >= (token ? 0 : field->lo) &&
                   v <= (token ? field->size - 1 : field->hi);
    }
    if (possible)
        broken("a chain without its next row", c->m, t->n, room, 0);
}

static bool chains_equal(const chain *s, const chain *t, int width)
{
    bool equal = s->status == t->status && s->n == t->n && same(s->margin, t->margin) &&
                 !strcmp(s->err.text, t->err.text);
    for (int i = 0; equal && i < s->n * width; i++)
        equal = same(s->rows[i], t->rows[i]);
    return equal;
}

/* A generator goes from prompt to prompt: the rows, half of them, and all of them again. */
static void generator_check(const decode_case *c)
{
    at_generator *g;
    at_err err = {0};
    int most = c->x->n < c->m->decode.prompt_max ? c->x->n : c->m->decode.prompt_max;
    const int prompts[] = {most, 1 + most / 2, most};
    chain fresh[3], t;
    if (at_generator_new(c->m, c->a, &g, &err))
        broken(err.text, c->m, 0, 0, 0);
    for (int k = 0; k < 3; k++) {
        t = (chain){.n = 0};
        if (k < 2)
            fresh_chain(c, prompts[k], &fresh[k]);
        else
            fresh[k] = fresh[0];
        t.status = at_generator_run(g, c->x->v, prompts[k], &t.rows, &t.n, &t.margin, &t.err);
        if (!chains_equal(&t, &fresh[k], at_model_row_width(c->m)))
            broken("a generator that ran before", c->m, t.margin, fresh[k].margin, 0);
        if (!c->sums && k < 2)
            chain_follow(c, prompts[k], &fresh[k]);
    }
    at_generator_free(g);
}

/* The margins that balls allow at position i: lo..hi; the word, or -1 where they cannot tell. */
static int ball_word(const at_output *y, int i, double *lo, double *hi)
{
    const double *v = y->value + i * y->rows, *r = y->radius + i * y->rows;
    int best = 0;
    double above = -INFINITY, below = -INFINITY; /* the others, at most and at least */
    for (int k = 0; k < y->rows; k++) {
        if (!isfinite(r[k]))
            return -1;
        best = v[k] > v[best] ? k : best;
    }
    for (int k = 0; k < y->rows; k++)
        if (k != best) {
            above = fmax(above, v[k] + r[k]);
            below = fmax(below, v[k] - r[k]);
        }
    *lo = fmax(0, v[best] - r[best] - above);
    *hi = v[best] + r[best] - below;
    return v[best] - r[best] > above ? best : -1;
}

/* A chain of a batch before balls. They say nothing after the first word that they cannot tell; a margin is asked for where they
 * told all words, and the chain ended: what could not be decided counts in it too. */
static void batch_judge(const decode_case *c, int prompt, const chain *t)
{
    double rows[LENGTH * WIDTH], lo, hi, least_lo = INFINITY, least_hi = INFINITY;
    at_output ball;
    at_err err = {0};
    int n = prompt + t->n;
    chain_rows(c, prompt, t, rows);
    if (at_run_bound(&c->every, c->a, &(at_input){n < c->m->n_max ? n : c->m->n_max, rows}, true, c->arena,
                     &ball, &err))
        broken(err.text, c->m, 0, 0, 0);
    for (int k = 0; k < t->n; k++) {
        int want = ball_word(&ball, prompt + k - 1, &lo, &hi);
        if (want < 0)
            return;
        if (rows[prompt + k] != want)
            broken("a word of the batch", c->m, rows[prompt + k], want, 0);
        least_lo = fmin(least_lo, lo);
        least_hi = fmin(least_hi, hi);
    }
    double slack = DBL_EPSILON * fabs(least_hi); /* midpoints are rounded */
    if (t->status == AT_OK && !(t->margin >= least_lo - slack && t->margin <= least_hi + slack))
        broken("the margin of the batch", c->m, t->margin, (least_lo + least_hi) / 2,
               (least_hi - least_lo) / 2);
    if (t->status != AT_EBUDGET || n == c->m->n_max || overflow_allowed(c->m, c->a))
        return;
    bound_dense(&c->every, c->a, &(at_input){n, rows}, c->arena, &ball); /* as in `reordered_judge` */
    if (ball_word(&ball, n - 1, &lo, &hi) >= 0)
        broken("a batch without its next word", c->m, t->n, c->m->n_max - prompt, 0);
}

static void batch_check(const decode_case *c, int isa)
{
    enum { COUNT = 5 };
    at_batch *b;
    at_batch_chain out[COUNT];
    at_input prompts[COUNT];
    at_err err = {0};
    int most = c->x->n < c->m->decode.prompt_max ? c->x->n : c->m->decode.prompt_max;
    for (int k = 0; k < COUNT; k++)
        prompts[k] = (at_input){k % 2 ? 1 + most / 2 : most, c->x->v};
    isa_set(isa);
    at_status st = at_batch_new(c->m, c->a, 3, 1, &b, &err);
    if (st == AT_EREFUSED)
        return;
    if (st || at_batch_run(b, prompts, COUNT, out, &err))
        broken(err.text, c->m, 0, 0, 0);
    for (int k = 0; k < COUNT; k++) {
        chain first = {out[k % 2].status, out[k % 2].n, out[k % 2].rows, out[k % 2].margin, {0}};
        chain t = {out[k].status, out[k].n, out[k].rows, out[k].margin, {0}}, want;
        if (t.status && t.status != AT_EBUDGET)
            broken(out[k].why ? out[k].why : "a batch", c->m, 0, 0, 0);
        if (!chains_equal(&t, &first, 1))
            broken("another place in the batch", c->m, t.margin, first.margin, 0);
        if (k > 1)
            continue;
        fresh_chain(c, prompts[k].n, &want);
        bool alike = t.status == want.status && t.n == want.n && near(c->a, t.margin, want.margin);
        for (int i = 0; alike && i < t.n; i++)
            alike = t.rows[i] == want.rows[i];
        if (!alike || c->prefixes)
            batch_judge(c, prompts[k].n, &t);
    }
    at_batch_free(b);
}

/* ------------------------------------------------------------------------------------------------------------ */

static void arith_check(decode_case *c, uint64_t draw)
{
    bool full = c->prefixes, floats = c->a.kind != AT_PBIT, chains = draw & 1;
    keys_check(c);
    if (c->sums && floats)
        sums_check(c);
    if (full || chains)
        generator_check(c);
    for (int isa = 0; isa < 2 && floats; isa++)
        if (full || (!chains && (draw >> 1 & 1) == (uint64_t)isa))
            batch_check(c, isa);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size, .decoder = true};
    at_model *m = model_of(&b);
    at_arena *arena = scratch_open();
    at_input x;
    at_err err = {0};
    uint64_t draw = at_hash64(data, size, 0);
    bool full = REPLAY || draw % FULL == 0;
    if (full && at_model_validate(m, &err))
        broken(err.text, m, 0, 0, 0);
    input_of(&b, m, arena, &x);
    decode_case c = {.m = m, .every = *m, .x = &x, .arena = arena, .prefixes = full};
    c.every.readout.last = false;
    c.sums = b.spec.weighting == AT_LINEAR && b.spec.mask != AT_MASK_BLOCK_SPARSE;
    const at_arith ariths[] = {at_f32, at_f64, b.pbit};
    draw /= FULL;
    unsigned drawn = draw % PBIT == 0 ? 2 : draw / PBIT % 2;
    for (unsigned k = 0; k < 3; k++)
        if (full || k == drawn) {
            c.a = ariths[k];
            arith_check(&c, draw / PBIT / 2);
        }
    return 0;
}
