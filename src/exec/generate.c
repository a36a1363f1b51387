/* generate.c: chains: the loop of push and next under the stop rule. Generation sees only the model.
 *
 * A generator is a decoder that goes back to its beginning before each prompt, or to where the prompt leaves the one
 * before, and room for the longest chain. A chain depends on nothing that ran before: caches are empty or hold what
 * the same rows put there, and weights never change. */
#include <math.h>
#include <string.h>

#include "decode.h"

/* One row after what was pushed; *end: the stop rule holds after it. */
static at_status generate_row(at_decoder *d, int step, double *row, double *least, bool *end, at_err *err)
{
    const at_model *m = d->c.m;
    const at_decode *rule = &m->decode;
    double margin;
    at_tri decided;
    at_status st = at_decoder_next(d, row, &margin, &decided, err);
    if (st)
        return st;
    *least = fmin(*least, margin);
    if (decided != AT_TRUE)
        return at_fail(err, AT_EBUDGET, "step %d: the row is undecided", step);
    at_err why = {0};
    if (at_input_check_row(m, row, d->t - m->n_prefix + 1, &why))
        return at_fail(err, AT_EBUDGET, "step %d leaves the domain: %s", step, why.text);
    *end = rule->stop == AT_STOP_STEPS ? step == rule->max_steps : row[rule->coordinate] == rule->value;
    return AT_OK;
}

/* Up to `steps` rows; *n of them stand in rows also when there is no answer. */
static at_status generate_rows(at_decoder *d, int steps, double *rows, int *n, double *least, at_err *err)
{
    size_t width = (size_t)at_model_row_width(d->c.m);
    bool end = false;
    at_status st = AT_OK;
    while (*n < steps && !end && !st) {
        double *row = rows + (size_t)*n * width;
        if (*n > 0) /* it was checked when it was made */
            st = decoder_advance(d, row - width, err);
        if (!st)
            st = generate_row(d, *n + 1, row, least, &end, err);
        *n += !st;
    }
    return st || end ? st : at_fail(err, AT_EBUDGET, "no stop after %d steps", steps);
}

struct at_generator {
    at_decoder *d;
    int width;    /* of a row */
    double *rows; /* (room, width) */
    int room;
    double *prompt; /* (prompt_max, width) of the last run */
    int known;      /* rows of it that the decoder went through */
};

void at_generator_free(at_generator *g)
{
    if (!g)
        return;
    at_decoder_free(g->d);
    at_free(g->rows);
    at_free(g->prompt);
    at_free(g);
}

static at_status generator_make(const at_model *m, at_arith a, bool rounded, at_generator **out, at_err *err)
{
    at_generator *g = at_calloc(1, sizeof *g);
    if (!g)
        return at_oom(err);
    g->width = at_model_row_width(m);
    at_status st = (rounded ? at_decoder_new_rounded : at_decoder_new)(m, a, &g->d, err);
    if (!st)
        st = decoder_save_room(g->d, m->n_prefix + m->decode.prompt_max, err);
    size_t numbers = st ? 0 : (size_t)m->decode.prompt_max * (size_t)g->width;
    if (!st && !(g->prompt = at_malloc(numbers * sizeof *g->prompt)))
        st = at_oom(err);
    if (st)
        at_generator_free(g);
    else
        *out = g;
    return st;
}

at_status at_generator_new(const at_model *m, at_arith a, at_generator **out, at_err *err)
{
    return generator_make(m, a, false, out, err);
}

at_status at_generator_new_rounded(const at_model *m, at_arith a, at_generator **out, at_err *err)
{
    return generator_make(m, a, true, out, err);
}

static at_status generator_reserve(at_generator *g, int steps, at_err *err)
{
    if (steps <= g->room)
        return AT_OK;
    size_t bytes = (size_t)steps * (size_t)g->width * sizeof *g->rows;
    double *rows = at_realloc(g->rows, bytes);
    if (!rows)
        return at_oom(err);
    g->rows = rows;
    g->room = steps;
    return AT_OK;
}

/* Pushes the prompt, but for the rows with which the last run's began too; those are many when prompts come in order. The
 * decoder's state after a row is a function of the rows until there. The last row is pushed always: it is read. */
static at_status prompt_push(at_generator *g, const double *prompt, int n, at_err *err)
{
    size_t width = (size_t)g->width, bytes = width * sizeof *prompt;
    int same = 0, prefix = g->d->c.m->n_prefix;
    while (same < g->known && same < n - 1 &&
           !memcmp(prompt + (size_t)same * width, g->prompt + (size_t)same * width, bytes))
        same++;
    at_status st = AT_OK;
    if (same == 0 || !decoder_rewind(g->d, prefix + same)) {
        same = 0;
        st = decoder_reset(g->d, err);
    }
    for (g->known = same; g->known < n && !st; g->known += !st) {
        const double *row = prompt + (size_t)g->known * width;
        st = at_decoder_push(g->d, row, err);
        if (!st) {
            decoder_save(g->d);
            memcpy(g->prompt + (size_t)g->known * width, row, bytes);
        }
    }
    return st;
}

at_status at_generator_state(at_generator *g, const double *rows, int n, void *state, size_t *bytes,
                             at_err *err)
{
    const at_decode *rule = &g->d->c.m->decode;
    if (n < 0 || n > rule->prompt_max)
        return at_fail(err, AT_EDOMAIN, "%d rows of a prompt out of range 0..%d", n, rule->prompt_max);
    at_status st = prompt_push(g, rows, n, err);
    return st ? st : decoder_state(g->d, state, bytes, err);
}

at_status at_generator_run(at_generator *g, const double *prompt, int n, const double **rows, int *n_rows,
                           double *margin, at_err *err)
{
    const at_model *m = g->d->c.m;
    const at_decode *rule = &m->decode;
    at_status st = at_prompt_check(m, &(at_input){n, prompt}, err);
    if (st)
        return st;
    int steps = rule->max_steps < m->n_max - n ? rule->max_steps : m->n_max - n, done = 0;
    st = prompt_push(g, prompt, n, err);
    if (!st)
        st = generator_reserve(g, steps, err);
    double least = INFINITY;
    if (!st)
        st = generate_rows(g->d, steps, g->rows, &done, &least, err);
    if (st && st != AT_EBUDGET)
        return st;
    *rows = g->rows;
    *n_rows = done;
    *margin = least;
    return st;
}

static at_status generate(const at_model *m, at_arith a, bool rounded, const at_input *prompt,
                          at_arena *arena, double **rows, int *n, double *least_margin, at_err *err)
{
    at_generator *g;
    at_status st = generator_make(m, a, rounded, &g, err);
    if (st)
        return st;
    const double *made;
    int done = 0;
    double least;
    st = at_generator_run(g, prompt->v, prompt->n, &made, &done, &least, err);
    if (!st || st == AT_EBUDGET) {
        size_t count = (size_t)done * (size_t)g->width;
        double *copy = at_new(arena, double, count + 1);
        if (copy) {
            memcpy(copy, made, count * sizeof *copy);
            *rows = copy;
            *n = done;
            *least_margin = least;
        } else
            st = at_oom(err);
    }
    at_generator_free(g);
    return st;
}

at_status at_generate(const at_model *m, at_arith a, const at_input *prompt, at_arena *arena, double **rows,
                      int *n, double *least_margin, at_err *err)
{
    return generate(m, a, false, prompt, arena, rows, n, least_margin, err);
}

at_status at_generate_rounded(const at_model *m, at_arith a, const at_input *prompt, at_arena *arena,
                              double **rows, int *n, double *least_margin, at_err *err)
{
    return generate(m, a, true, prompt, arena, rows, n, least_margin, err);
}
