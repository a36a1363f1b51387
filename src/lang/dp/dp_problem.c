/* dp_problem.c: a recurrence as a problem: its chain, and the rows that a language model learns it from.
 *
 * The sizes are the parameters, and `letters` where prompts should use only the lowest values. Rows to learn are derived
 * from the chain:
 *
 *     11 9 20 | 19 9 <sep> 3 5 5 3 ... <sep> 5 <eos>       the inputs, the values of the states in order, the answer
 *
 * Numbers are words, one word a number wherever it stands. Instances that are not proved have no rows: a prompt may be
 * none of the recurrence's. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp_internal.h"

#define LETTERS   "letters"
#define WORDS_MAX 4000 /* as many as a model may have, and room for the separators */
#define BAR       AT_TOKEN_FIRST
#define NUMBERS   (AT_TOKEN_FIRST + 1)

/* ---- parameters -------------------------------------------------------------------------------------------- */

/* Bounds that earlier sizes decide are looked at when all are known. */
static double end_of(const at_dpx *e, double otherwise)
{
    return e && e->op == AT_DPX_CONST ? (double)e->value : otherwise;
}

/* Unless a size has that name. */
static bool has_letters(const at_dp *d)
{
    for (int k = 0; k < d->n_sizes; k++)
        if (strcmp(d->sizes[k].name, LETTERS) == 0)
            return false;
    return true;
}

static at_param *schema_make(const at_dp *d, at_arena *a, int *n)
{
    at_param *rows = at_new(a, at_param, d->n_sizes + 1);
    *n = 0;
    for (int k = 0; rows && k < d->n_sizes; k++) {
        double lo = end_of(d->size_lo[k], -0x1p40), hi = end_of(d->size_hi[k], 0x1p40);
        double usual = fmin(fmax(end_of(d->size_usual[k], 3), lo), hi);
        rows[(*n)++] = (at_param){d->sizes[k].name, "a size of the recurrence", lo, hi, usual, true, NULL};
    }
    if (rows && has_letters(d))
        rows[(*n)++] = (at_param){
            LETTERS, "prompts use so many of the lowest values of each input; 0: all", 0, 0x1p40, 0, true,
            NULL};
    return rows;
}

static at_dp *recurrence_of(const at_params *p, int64_t size[AT_DP_MAX], int64_t *letters)
{
    const at_problem *q = p->of;
    at_dp *d = (at_dp *)q->self;
    for (int k = 0; k < d->n_sizes; k++)
        size[k] = (int64_t)at_params_get(p, d->sizes[k].name);
    *letters = has_letters(d) ? (int64_t)at_params_get(p, LETTERS) : 0;
    return d;
}

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    int64_t size[AT_DP_MAX], letters;
    at_dp *d = recurrence_of(p, size, &letters);
    return at_dp_chain_open(d, false, size, letters, self, err);
}

/* ---- rows to learn ------------------------------------------------------------------------------------------- */

typedef struct {
    void *chain;
    const at_dp_instance *x;
    int64_t lo, hi; /* numbers that occur */
    int width;      /* of the chain's rows */
    double *nothing;
} rows;

static const rows *rows_of(const at_source *d)
{
    return d->more;
}

static void range_take(rows *w, int64_t lo, int64_t hi)
{
    w->lo = lo < w->lo ? lo : w->lo;
    w->hi = hi > w->hi ? hi : w->hi;
}

static at_status rows_open(at_source *d, at_err *err)
{
    rows *w = at_calloc(1, sizeof *w);
    if (!w)
        return at_oom(err);
    at_status s = chain_open(&d->p, &w->chain, err);
    if (s) {
        at_free(w);
        return s;
    }
    const at_dp_instance *x = w->x = at_dp_chain_instance(w->chain);
    w->width = at_dp_chain_row_width(w->chain);
    w->lo = INT64_MAX;
    w->hi = INT64_MIN;
    for (int k = 0; k < x->d->n_inputs; k++)
        range_take(w, x->input_lo[k], x->input_hi[k]);
    for (int k = 0; k < x->d->n_values; k++) {
        range_take(w, x->value_lo[k], x->value_hi[k]);
        if (x->d->values[k].own)
            range_take(w, 0, 0); /* in rows that it is not of */
    }
    if (x->proved == AT_TRUE)
        range_take(w, x->answer_lo, x->answer_hi);
    if (x->proved != AT_TRUE)
        s = at_fail(
            err, AT_EREFUSED,
            "%s:%d:%d: not proved at these sizes that every input has a chain, so there are no rows to learn",
            x->d->path, x->doubt_line, x->doubt_column);
    else if (w->hi - w->lo >= WORDS_MAX)
        s = at_fail(err, AT_EDOMAIN,
                    "%s: numbers %" PRId64 "..%" PRId64 " make %" PRId64 " words; at most %d are allowed",
                    x->d->path, w->lo, w->hi, w->hi - w->lo + 1, WORDS_MAX);
    else if (!x->n_input)
        s = at_fail(err, AT_EDOMAIN, "%s: there is nothing to read at these sizes", x->d->path);
    if (s) {
        at_dp_chain_close(w->chain);
        at_free(w);
        return s;
    }
    d->more = w;
    return AT_OK;
}

static void rows_close(at_source *d)
{
    rows *w = d->more;
    at_dp_chain_close(w->chain);
    at_free(w);
}

static int vocabulary(const at_source *d)
{
    return NUMBERS + (int)(rows_of(d)->hi - rows_of(d)->lo) + 1;
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    if (token == BAR)
        snprintf(out, AT_STREAM_WORD, "|");
    else if (token >= NUMBERS)
        snprintf(out, AT_STREAM_WORD, "%" PRId64, rows_of(d)->lo + token - NUMBERS);
}

/* Tokens of a prompt, <sep> included: numbers, and a bar between inputs. */
static int prompt_length(const rows *w)
{
    int inputs = 0;
    for (int k = 0; k < w->x->d->n_inputs; k++)
        inputs += w->x->input_len[k] > 0;
    return (int)w->x->n_input + inputs - 1 + 1;
}

static int longest(const at_source *d)
{
    const rows *w = rows_of(d);
    return prompt_length(w) + (int)w->x->n_states * w->x->d->n_values + 3;
}

static int token_of(const rows *w, int64_t number)
{
    return NUMBERS + (int)(number - w->lo);
}

/* The chain's prompt (rows of numbers) as tokens. */
static void prompt_write(const rows *w, const double *prompt, at_sequence *s)
{
    const at_dp_instance *x = w->x;
    s->n = 0;
    for (int k = 0; k < x->d->n_inputs; k++) {
        if (x->input_len[k] > 0 && s->n)
            s->token[s->n++] = BAR;
        for (int64_t i = 0; i < x->input_len[k]; i++)
            s->token[s->n++] = token_of(w, (int64_t)prompt[(x->input_first[k] + i) * w->width]);
    }
    s->token[s->n++] = AT_TOKEN_SEP;
    s->prompt = s->n;
}

static void prompt_make(const at_source *d, uint64_t index, at_rng *r, at_sequence *s)
{
    const rows *w = rows_of(d);
    int n;
    double *prompt = at_malloc((size_t)(w->x->n_input + 1) * (size_t)w->width * sizeof *prompt);
    s->n = s->prompt = 0;
    if (!prompt)
        return; /* no prompt: completing it says so */
    if (!r)
        at_dp_chain_nth(w->chain, index, prompt, &n, NULL);
    else if (at_rng_below(r, 2))
        at_dp_chain_adversarial(w->chain, r, prompt, &n, NULL);
    else
        at_dp_chain_sample(w->chain, r, prompt, &n, NULL);
    prompt_write(w, prompt, s);
    at_free(prompt);
}

static void draw(const at_source *d, at_rng *r, at_sequence *s)
{
    prompt_make(d, 0, r, s);
}

static uint64_t count(const at_source *d)
{
    return at_dp_chain_count(rows_of(d)->chain);
}

static void nth(const at_source *d, uint64_t i, at_sequence *s)
{
    prompt_make(d, i, NULL, s);
}

/* The inputs that a prompt says; false: it is none. */
static bool prompt_read(const rows *w, const at_sequence *s, int64_t *input)
{
    const at_dp_instance *x = w->x;
    int at = 0;
    for (int k = 0; k < x->d->n_inputs; k++) {
        if (x->input_len[k] > 0 && at && (at >= s->n || s->token[at++] != BAR))
            return false;
        for (int64_t i = 0; i < x->input_len[k]; i++) {
            int64_t v = at < s->n && s->token[at] >= NUMBERS ? w->lo + s->token[at] - NUMBERS : INT64_MIN;
            if (v < x->input_lo[k] || v > x->input_hi[k])
                return false;
            input[x->input_first[k] + i] = v;
            at++;
        }
    }
    return at + 1 == s->n && s->token[at] == AT_TOKEN_SEP;
}

static bool complete(const at_source *d, at_sequence *s)
{
    const rows *w = rows_of(d);
    const at_dp_instance *x = w->x;
    at_arena a;
    at_arena_init(&a);
    int64_t *input = at_new(&a, int64_t, x->n_input);
    at_dp_chain y;
    bool good = input && prompt_read(w, s, input) && !at_dp_run(x, input, &a, &y, NULL);
    s->prompt = s->n;
    for (int64_t k = 0; good && k < x->n_states * x->d->n_values; k++)
        s->token[s->n++] = token_of(w, y.value[k]);
    if (good) {
        s->token[s->n++] = AT_TOKEN_SEP;
        s->answer = s->n;
        s->token[s->n++] = token_of(w, y.answer);
        s->token[s->n++] = AT_TOKEN_EOS;
    }
    at_arena_release(&a);
    return good;
}

static const at_stream_verbs verbs = {
    .open = rows_open,
    .close = rows_close,
    .vocabulary = vocabulary,
    .word = word,
    .longest = longest,
    .draw = draw,
    .complete = complete,
    .count = count,
    .nth = nth,
    .before_answer = AT_TOKEN_SEP,
};

/* ---- the problem ------------------------------------------------------------------------------------------------ */

static void problem_close(at_problem *p)
{
    at_dp_free((at_dp *)p->self);
}

at_status at_dp_problem(at_dp *d, at_problem *p, at_err *err)
{
    int n = 0;
    at_param *schema = schema_make(d, &p->arena, &n);
    at_chain *chain = at_new(&p->arena, at_chain, 1);
    at_stream *stream = at_new(&p->arena, at_stream, 1);
    if (!schema || !chain || !stream) {
        at_dp_free(d);
        return at_oom(err);
    }
    at_chain c = {
        .id = "recurrence", .params = schema, .n_params = n, .open = chain_open, AT_DP_CHAIN_FIELDS};
    c.title = d->title;
    *chain = c;
    *stream = (at_stream){.id = "recurrence",
                          .title = d->title,
                          .format = "inputs <sep> values of the states <sep> answer <eos>",
                          .params = schema,
                          .n_params = n,
                          .verbs = &verbs};
    p->lang = "dp";
    p->self = d;
    p->title = d->title;
    p->definition = chain->definition;
    p->chain = chain;
    p->stream = stream;
    p->close = problem_close;
    return AT_OK;
}

static at_status text_open(at_problem *p, const char *text, size_t n, at_err *err)
{
    at_dp *d;
    at_status s = at_dp_parse(text, n, p->path, &d, err);
    if (s)
        return s;
    char *kept = at_new(&p->arena, char, n + 1); /* a parsed text has no zero byte */
    if (!kept) {
        at_dp_free(d);
        return at_oom(err);
    }
    memcpy(kept, text, n);
    p->text = kept;
    return at_dp_problem(d, p, err);
}

static at_status file_open(at_problem *p, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read(p->path, DP_TEXT, &text, &n, err);
    if (s)
        return s;
    s = at_problem_keep(p, text, n, err);
    if (!s)
        s = text_open(p, text, n, err);
    at_free(text);
    return s;
}

const at_lang at_lang_dp = {
    .id = "dp", .suffix = ".dp", .about = "a recurrence, docs/dp.md", .open = file_open, .parse = text_open};
