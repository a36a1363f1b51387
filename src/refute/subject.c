/* subject.c: a model beside what it should compute: one input, what comes out, what is right.
 *
 * A pair is judged by values, not by decisions: two inputs that both come out as "no" collide every other time, two whose
 * readouts agree to the last bit do not. */
#include "refute_internal.h"

#include <math.h>
#include <string.h>

int subject_row(const at_subject *s)
{
    return s->task ? s->task->row_width(s->params) : s->chain->row_width(s->self);
}

int subject_length_max(const at_subject *s)
{
    return s->task ? at_params_int(s->params, "N") : s->chain->prompt_max(s->self);
}

double subject_same(const at_subject *s)
{
    /* Rounding keeps outputs apart that are equal in the reals; whatever this is, a pair proves that one is wrong. */
    return s->same > 0 ? s->same : ldexp(s->tolerance, s->arith.kind == AT_F32 ? -12 : -20);
}

static bool subject_real(const at_subject *s)
{
    return s->task && s->task->real;
}

at_status subject_draw(const at_subject *s, uint64_t seed, uint64_t i, double *x, int *n, at_err *err)
{
    at_rng r = at_rng_at(seed, i);
    if (s->chain)
        return s->chain->sample(s->self, &r, x, n, err);
    *n = at_params_int(s->params, "N");
    if (i % 2 && s->task->adversarial)
        s->task->adversarial(s->params, &r, x);
    else
        s->task->sample(s->params, &r, x);
    return AT_OK;
}

/* Does the model take a prompt of the chain? One stands for all. */
static at_status prompt_check(const at_subject *s, at_err *err)
{
    const at_decode *d = &s->m->decode;
    int n = 0;
    double *x = at_calloc((size_t)subject_length_max(s) * (size_t)subject_row(s), sizeof *x);
    at_status bad = x ? subject_draw(s, 1, 0, x, &n, err) : at_oom(err);
    if (!bad && (n < d->prompt_min || n > d->prompt_max))
        bad = at_fail(err, AT_EINPUT, "a prompt of %s has %d rows; the model takes %d..%d", s->chain->id, n,
                      d->prompt_min, d->prompt_max);
    for (int i = 0; i < n && !bad; i++)
        bad = at_input_check_row(s->m, x + (size_t)i * (size_t)subject_row(s), i + 1, err);
    at_free(x);
    return bad;
}

at_status at_subject_check(const at_subject *s, at_err *err)
{
    const at_model *m = s->m;
    at_status bad = AT_OK;
    if (s->arith.kind != AT_F32 && s->arith.kind != AT_F64 && s->arith.kind != AT_PBIT)
        return at_fail(err, AT_EREFUSED, "a model is refuted in f32, f64 or p bits");
    if (!s->task == !s->chain)
        return at_fail(err, AT_EINPUT, "one task or one chain, not both");
    if (s->task && s->task->validate)
        bad = s->task->validate(s->params, err);
    if (!bad)
        bad = at_arith_supports(m, s->arith, err);
    if (bad)
        return bad;
    if (at_model_row_width(m) != subject_row(s))
        return at_fail(err, AT_EINPUT, "the model takes %d number%s a position, %s has %d",
                       at_model_row_width(m), at_model_row_width(m) == 1 ? "" : "s",
                       s->task ? s->task->id : s->chain->id, subject_row(s));
    if (s->chain) {
        if (!m->decode.enabled)
            return at_fail(err, AT_EINPUT, "the model is no decoder, and %s is a chain", s->chain->id);
        return prompt_check(s, err);
    }
    int n = at_params_int(s->params, "N"), width = m->readout.kind == AT_READ_ARGMAX ? 1 : m->readout.rows;
    if (n < m->n_min || n > m->n_max)
        return at_fail(err, AT_EINPUT, "N=%d: the model takes lengths %d..%d", n, m->n_min, m->n_max);
    if (width != s->task->out_width(s->params))
        return at_fail(err, AT_EINPUT, "the model answers with %d numbers a position, task %s has %d", width,
                       s->task->id, s->task->out_width(s->params));
    if (s->task->real && m->readout.kind != AT_READ_RAW)
        return at_fail(err, AT_EINPUT, "answers of task %s are reals, those of the model (%s) are not",
                       s->task->id, at_read_names[m->readout.kind]);
    if (s->task->real && !(s->tolerance > 0 && isfinite(s->tolerance)))
        return at_fail(err, AT_EDOMAIN, "answers of task %s are reals: the tolerance must be above 0",
                       s->task->id);
    return AT_OK;
}

/* ---- answers ----------------------------------------------------------------------------------------------- */

static double distance(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(sum);
}

const double *at_answer_at(const at_subject *s, const at_answer *y, int side, int position)
{
    int n = side ? y->n_right : y->n, i = s->task && n == 1 ? 0 : position; /* one: the last position */
    return i >= 0 && i < n ? (side ? y->right : y->got) + (size_t)i * (size_t)y->width : NULL;
}

static bool right_at(const at_subject *s, const at_answer *y, int i)
{
    const double *got = y->got + (size_t)i * (size_t)y->width;
    const double *want = y->right + (size_t)i * (size_t)y->width;
    if (subject_real(s))
        return distance(got, want, y->width) <= s->tolerance;
    for (int k = 0; k < y->width; k++)
        if (!(got[k] == want[k]))
            return false;
    return true;
}

bool at_answer_right(const at_subject *s, const at_answer *y, int position)
{
    const double *got = at_answer_at(s, y, 0, position), *right = at_answer_at(s, y, 1, position);
    return got && right ? right_at(s, y, s->task && y->n == 1 ? 0 : position) : got == right;
}

static at_status task_answer(const at_subject *s, const at_input *x, at_arena *a, at_answer *out, at_err *err)
{
    const at_task *t = s->task;
    size_t w = (size_t)t->out_width(s->params), n = (size_t)x->n;
    if (x->n != at_params_int(s->params, "N"))
        return at_fail(err, AT_EINPUT, "%d positions; task %s has %d", x->n, t->id,
                       at_params_int(s->params, "N"));
    if (t->holds && !t->holds(s->params, x->v))
        return at_fail(err, AT_EINPUT, "this is no input of task %s: %s", t->id, t->definition);
    double *right = at_new(a, double, (n ? n : 1) * w); /* the empty word has one */
    at_output y;
    at_status bad = right ? at_run(s->m, s->arith, x, NULL, a, &y, err) : at_oom(err);
    if (!bad)
        bad = at_task_answer(t, s->params, x->v, right, err);
    if (bad)
        return bad;
    /* Both may speak of all positions or of the last one; what both speak of is compared. */
    bool one = t->last || s->m->readout.last;
    size_t end = n ? n - 1 : 0, from_right = one && !t->last ? end : 0;
    size_t from = one && !s->m->readout.last ? end : 0;
    *out = (at_answer){.n = one ? 1 : x->n,
                       .n_right = one ? 1 : x->n,
                       .width = (int)w,
                       .got = (t->real ? y.value : y.decision) + from * w,
                       .right = right + from_right * w,
                       .values = y.rows,
                       .value = y.value + from * (size_t)y.rows,
                       .position = -1};
    for (int i = out->n - 1; i >= 0; i--)
        if (!right_at(s, out, i))
            out->position = one ? (int)end : i; /* 0 of the empty word: below 0 means that all is right */
    out->correct = out->position < 0;
    return AT_OK;
}

static at_status chain_answer(const at_subject *s, const at_input *x, at_arena *a, at_answer *out,
                              at_err *err)
{
    size_t w = (size_t)subject_row(s);
    double *right = at_new(a, double, (size_t)s->chain->rows_max(s->self) * w), *got;
    double *margin = at_new(a, double, 1);
    *out = (at_answer){.width = (int)w, .right = right, .values = 1, .value = margin, .position = -1};
    if (!right || !margin)
        return at_oom(err);
    at_status bad = s->chain->answer(s->self, x->v, x->n, right, &out->n_right, err);
    if (bad)
        return bad;
    at_err given_up = {0};
    at_model m =
        *s->m; /* one row more than any right chain has is wrong already: a run ends, whatever the file says */
    if (m.decode.max_steps > s->chain->rows_max(s->self))
        m.decode.max_steps = s->chain->rows_max(s->self) + 1;
    at_status ended = (s->rounded_sums ? at_generate_rounded : at_generate)(&m, s->arith, x, a, &got, &out->n,
                                                                            margin, &given_up);
    if (ended && ended != AT_EBUDGET)
        return at_fail(err, ended, "%s", given_up.text);
    out->got = got;
    int both = out->n < out->n_right ? out->n : out->n_right;
    for (int i = both - 1; i >= 0; i--)
        if (!right_at(s, out, i))
            out->position = i;
    if (out->position < 0 && (ended || out->n != out->n_right))
        out->position = both;
    out->correct = out->position < 0;
    return AT_OK;
}

/* Once more over the prompt and the rows that were written, which are all that a decoder reads. */
at_status subject_readouts(const at_subject *s, const at_input *x, const at_answer *y, at_arena *a,
                           const double **value, size_t *count, at_err *err)
{
    at_decoder *d = NULL;
    size_t w = (size_t)y->width, R = (size_t)s->m->readout.rows;
    double *row = at_new(a, double, w), *all = at_new(a, double, (size_t)(y->n + 1) * R), margin;
    at_tri decided;
    at_status bad = row && all ? AT_OK : at_oom(err);
    if (!bad)
        bad = (s->rounded_sums ? at_decoder_new_rounded : at_decoder_new)(s->m, s->arith, &d, err);
    for (int i = 0; i < x->n && !bad; i++)
        bad = at_decoder_push(d, x->v + (size_t)i * w, err);
    for (int i = 0; i <= y->n && !bad; i++) {
        int n;
        if (i)
            bad = at_decoder_push(d, y->got + (size_t)(i - 1) * w, err);
        if (!bad)
            bad = at_decoder_next(d, row, &margin, &decided, err);
        const double *v = at_decoder_values(d, &n);
        for (size_t r = 0; r < R && !bad; r++)
            all[(size_t)i * R + r] = isnan(v[r]) ? NAN : v[r] + 0.0; /* one NaN, one zero */
    }
    at_decoder_free(d);
    *value = all;
    *count = (size_t)(y->n + 1) * R;
    return bad;
}

at_status at_subject_answer(const at_subject *s, const at_input *x, at_arena *a, at_answer *out, at_err *err)
{
    at_status bad = at_input_check(s->m, x, err);
    if (bad)
        return bad;
    return s->task ? task_answer(s, x, a, out, err) : chain_answer(s, x, a, out, err);
}

/* ---- pairs ---------------------------------------------------------------------------------------------------- */

static bool rows_equal(const double *x, const double *y, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!(x[k] == y[k] || (isnan(x[k]) && isnan(y[k]))))
            return false;
    return true;
}

bool answers_collide(const at_subject *s, const at_answer *x, const at_answer *y, int i)
{
    size_t w = (size_t)x->width, v = (size_t)x->values, at = (size_t)i;
    if (subject_real(s))
        return distance(x->got + at * w, y->got + at * w, x->width) <= subject_same(s) &&
               distance(x->right + at * w, y->right + at * w, x->width) > 2 * s->tolerance + subject_same(s);
    return rows_equal(x->value + at * v, y->value + at * v, v) &&
           !rows_equal(x->right + at * w, y->right + at * w, w);
}

static at_status chains_collide(const at_subject *s, const at_pair *p, const at_answer *x, const at_answer *y,
                                at_arena *a, at_tri *out, at_err *why, at_err *err)
{
    size_t w = (size_t)x->width;
    bool equal =
        x->n == y->n && rows_equal(x->got, y->got, (size_t)x->n * w) && rows_equal(x->value, y->value, 1);
    bool same = x->n_right == y->n_right && rows_equal(x->right, y->right, (size_t)x->n_right * w);
    at_status bad = AT_OK;
    const double *value[2];
    size_t n[2] = {0, 0};
    for (int k = 0; k < 2 && equal && !same && !bad; k++)
        bad = subject_readouts(s, &p->x[k], x, a, &value[k], &n[k], err);
    equal = equal && !bad && (same || rows_equal(value[0], value[1], n[0]));
    if (!bad && (!equal || same))
        at_fail(why, AT_EDOMAIN,
                equal ? "the right chains are the same" : "the two prompts are continued differently");
    *out = !bad && equal && !same ? AT_TRUE : AT_FALSE;
    return bad;
}

at_status at_pair_verify(const at_subject *s, const at_pair *p, at_arena *a, at_tri *out, at_answer answer[2],
                         at_err *why, at_err *err)
{
    *out = AT_FALSE;
    for (int k = 0; k < 2; k++) {
        at_status bad = at_subject_answer(s, &p->x[k], a, &answer[k], err);
        if (bad)
            return bad;
    }
    at_status bad = s->chain ? chains_collide(s, p, &answer[0], &answer[1], a, out, why, err) : AT_OK;
    if (bad)
        return bad;
    for (int i = 0; s->task && i < answer[0].n; i++)
        if (answers_collide(s, &answer[0], &answer[1], i))
            *out = AT_TRUE;
    if (s->task && *out != AT_TRUE)
        at_fail(why, AT_EDOMAIN, "at no position are the outputs equal and the targets different");
    if (*out == AT_TRUE && answer[0].correct &&
        answer[1].correct) /* cannot be: equal outputs, different targets */
        return at_fail(err, AT_EDOMAIN, "both inputs of a colliding pair are answered rightly");
    return AT_OK;
}

/* The first row at which two chains are not the same. */
static int rows_differ(const at_answer *x, const at_answer *y)
{
    size_t w = (size_t)x->width;
    int i = 0;
    while (i < x->n_right && i < y->n_right &&
           rows_equal(x->right + (size_t)i * w, y->right + (size_t)i * w, w))
        i++;
    return i;
}

void at_refutation_place(const at_subject *s, at_refutation *r)
{
    const at_answer *x = &r->answer[0], *y = &r->answer[1];
    r->position = x->position;
    r->wrong = 0;
    if (!r->pair.x[1].n)
        return;
    int i = 0;
    while (s->task && i < x->n - 1 && !answers_collide(s, x, y, i))
        i++;
    r->position = s->chain ? rows_differ(x, y) : x->n == 1 ? r->pair.x[0].n - 1 : i;
    r->wrong = at_answer_right(s, x, r->position);
}
