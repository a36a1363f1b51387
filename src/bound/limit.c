/* limit.c: from a predicate to an answer: verdict, where it starts to bind, the least size that is left.
 *
 * Starts are found by bisection on integers of any size, in one parameter, the others fixed. A parameter that FALLS has one
 * last value that binds. One that RISES may do so in pieces, cut where a rounded logarithm jumps:
 *
 *     binds      ....|..######|.#######|########        lo ... breaks ... top
 *
 * The run of binding values that is reported is the last one: it is followed down from the top, piece by piece, and up from
 * there when the bound falls again. So the value that is reported binds and the one before it does not, always. */
#include "bound_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define BITS_MOST 4096 /* no start is looked for above 2^BITS_MOST */

/* ---- the sheet ---------------------------------------------------------------------------------------------------- */

static const char *format(sheet *s, const char *fmt, va_list ap)
{
    char small[1024];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    char *out = NULL;
    if (n >= 0 && (size_t)n < sizeof small)
        out = at_arena_strdup(s->a, small);
    else if (n >= 0 && (out = at_new(s->a, char, n + 1)))
        vsnprintf(out, (size_t)n + 1, fmt, again);
    va_end(again);
    s->oom |= !out;
    return out ? out : "";
}

const char *sheet_text(sheet *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *out = format(s, fmt, ap);
    va_end(ap);
    return out;
}

void sheet_line(sheet *s, const char *name, const char *fmt, ...)
{
    assert(s->n_lines < SHEET_LINES);
    va_list ap;
    va_start(ap, fmt);
    s->line[s->n_lines++] = (at_bound_line){name, format(s, fmt, ap)};
    va_end(ap);
}

/* ---- starts --------------------------------------------------------------------------------------------------------- */

typedef struct {
    const limit *l;
    mpz_t *v;
    int i;
    mpz_t lo; /* the least that the parameter's row allows */
} probe;

static bool binds_at(probe *q, const mpz_t x)
{
    mpz_t keep;
    mpz_init_set(keep, q->v[q->i]);
    mpz_set(q->v[q->i], x);
    bool out = q->l->binds((const mpz_t *)q->v);
    mpz_set(q->v[q->i], keep);
    mpz_clear(keep);
    return out;
}

/* yes binds (or not, as `want` says), no does not; narrows until they are neighbours. */
static void bisect(probe *q, mpz_t no, mpz_t yes, bool want)
{
    mpz_t mid, gap;
    mpz_inits(mid, gap, NULL);
    for (;;) {
        mpz_sub(gap, yes, no);
        if (mpz_cmpabs_ui(gap, 1) <= 0)
            break;
        mpz_add(mid, no, yes);
        mpz_fdiv_q_2exp(mid, mid, 1);
        mpz_set(binds_at(q, mid) == want ? yes : no, mid);
    }
    mpz_clears(mid, gap, NULL);
}

/* The largest x >= from that binds, when from does and more of it only ever harms; false: beyond 2^BITS_MOST. */
static bool last_find(probe *q, const mpz_t from, mpz_t out)
{
    mpz_t no;
    mpz_init_set(no, from);
    mpz_set(out, from);
    bool found = false;
    while (!found && mpz_sizeinbase(no, 2) <= BITS_MOST) {
        mpz_mul_2exp(no, no, 1);
        mpz_add_ui(no, no, 1);
        if (!(found = !binds_at(q, no)))
            mpz_set(out, no);
    }
    if (found)
        bisect(q, no, out, true);
    mpz_clear(no);
    return found;
}

/* The largest break below x: the largest floor(2^j/k) < x, or lo - 1 when that is larger, or when there are none. */
static void break_below(const probe *q, int k, const mpz_t x, mpz_t out)
{
    mpz_t least;
    mpz_init(least);
    mpz_sub_ui(least, q->lo, 1);
    mpz_set(out, least);
    if (k) {
        for (size_t j = mpz_sizeinbase(x, 2) + 8; j-- > 0;) {
            mpz_set_ui(out, 1);
            mpz_mul_2exp(out, out, j);
            mpz_fdiv_q_ui(out, out, (unsigned long)k);
            if (mpz_cmp(out, x) < 0)
                break;
        }
        if (mpz_cmp(out, least) < 0 || mpz_cmp(out, x) >= 0)
            mpz_set(out, least);
    }
    mpz_clear(least);
}

/* A value from which on all bind, when there is no top; false: none up to 2^BITS_MOST. In pieces it is one just after a break. */
static bool high_find(probe *q, int k, mpz_t out)
{
    mpz_set(out, q->lo);
    bool found = !k && binds_at(q, out);
    for (size_t j = 0; !found && j <= BITS_MOST; j++) {
        mpz_set_ui(out, 1);
        mpz_mul_2exp(out, out, j);
        if (k)
            mpz_fdiv_q_ui(out, out, (unsigned long)k);
        mpz_add_ui(out, out, 1);
        found = mpz_cmp(out, q->lo) >= 0 && binds_at(q, out);
    }
    return found;
}

/* The last run of binding values: from..to. false: there is none. ever: it has no end. */
static bool run_find(probe *q, mpz_t from, mpz_t to, bool *ever)
{
    int k = q->l->pieces ? q->l->pieces((const mpz_t *)q->v, q->i) : 0;
    bool peak = q->l->top && q->l->top((const mpz_t *)q->v, q->i, to);
    if (peak && mpz_cmp(to, q->lo) < 0)
        mpz_set(to, q->lo);
    if (!peak && !high_find(q, k, to))
        return false;
    mpz_t below;
    mpz_init(below);
    bool found = binds_at(q, to), top = true;
    while (!found && mpz_cmp(to, q->lo) > 0) { /* the highest piece that binds at its upper end */
        break_below(q, k, to, below);
        if (mpz_cmp(below, q->lo) < 0)
            break;
        mpz_set(to, below);
        top = false;
        found = binds_at(q, to);
    }
    if (found) {
        mpz_set(from, to);
        for (;;) {
            break_below(q, k, from, below);
            bool low = mpz_cmp(below, q->lo) < 0;
            bool joined = !low && binds_at(q, below);
            if (joined) { /* the piece must bind from its first value on, or the run ends in it */
                mpz_t first;
                mpz_init(first);
                mpz_add_ui(first, below, 1);
                joined = binds_at(q, first);
                mpz_clear(first);
            }
            if (!joined) {
                bisect(q, below, from,
                       true); /* below is under lo, or does not bind, or the jump is in between */
                break;
            }
            mpz_set(from, below);
        }
        *ever = top && (!peak || !last_find(q, to, below));
        if (top && peak && !*ever)
            mpz_set(to, below);
    }
    mpz_clear(below);
    return found;
}

static double exact_double(const mpz_t x)
{
    return mpz_sizeinbase(x, 2) <= 53 ? mpz_get_d(x) : NAN;
}

static void start_rising(sheet *s, probe *q, at_bound_start *out)
{
    mpz_t from, to;
    mpz_inits(from, to, NULL);
    bool ever = false;
    if (!run_find(q, from, to, &ever))
        out->text = "never";
    else {
        out->at = exact_double(from);
        if (ever && mpz_cmp(from, q->lo) == 0)
            out->text = sheet_text(s, "for every %s", out->param);
        else if (ever)
            out->text = sheet_text(s, "from %s = %s", out->param, sheet_int(s, from));
        else if (mpz_cmp(from, to) == 0)
            out->text = sheet_text(s, "at %s = %s only", out->param, sheet_int(s, from));
        else
            out->text = sheet_text(s, "from %s = %s to %s", out->param, sheet_int(s, from), sheet_int(s, to));
    }
    mpz_clears(from, to, NULL);
}

static void start_falling(sheet *s, probe *q, at_bound_start *out)
{
    mpz_t last;
    mpz_init(last);
    if (!binds_at(q, q->lo))
        out->text = "never";
    else if (!last_find(q, q->lo, last))
        out->text = sheet_text(s, "at least up to %s = 2^%d", out->param, BITS_MOST);
    else {
        out->at = exact_double(last);
        out->text = sheet_text(s, "up to %s = %s", out->param, sheet_int(s, last));
    }
    mpz_clear(last);
}

/* Primes of the row's range, from above: as long as they bind. */
static void start_primes(sheet *s, probe *q, const at_param *row, at_bound_start *out)
{
    mpz_t x;
    mpz_init(x);
    for (int k = (int)row->hi; k >= (int)row->lo; k--) {
        mpz_set_si(x, k);
        if (!mpz_probab_prime_p(x, 25))
            continue;
        if (!binds_at(q, x))
            break;
        out->at = k;
    }
    out->text = isnan(out->at) ? sheet_text(s, "for no %s up to %.0f", out->param, row->hi)
                               : sheet_text(s, "from %s = %.0f", out->param, out->at);
    mpz_clear(x);
}

static void start_find(sheet *s, const limit *l, mpz_t *v, int i, at_bound_start *out)
{
    const at_param *row = &s->p->schema[i];
    *out = (at_bound_start){.param = row->name, .at = NAN};
    probe q = {.l = l, .v = v, .i = i};
    mpz_init_set_d(q.lo, row->lo);
    if (l->solve)
        out->text = l->solve(s, (const mpz_t *)v, i, &out->at);
    if (!out->text)
        switch (l->way((const mpz_t *)v, i)) {
        case LIMIT_RISES:
            start_rising(s, &q, out);
            break;
        case LIMIT_FALLS:
            start_falling(s, &q, out);
            break;
        case LIMIT_PRIMES:
            start_primes(s, &q, row, out);
            break;
        case LIMIT_CHOICE:
        case LIMIT_STILL:
        default:
            out->text = l->binds((const mpz_t *)v) ? sheet_text(s, "for every %s", out->param) : "never";
        }
    mpz_clear(q.lo);
}

/* The first value that is not ruled out, in the parameter that FALLS, times another. */
static void least_find(sheet *s, const limit *l, mpz_t *v)
{
    s->out->least = NAN;
    if (l->least < 0)
        return;
    probe q = {.l = l, .v = v, .i = l->least};
    mpz_t x;
    mpz_init_set_d(q.lo, s->p->schema[l->least].lo);
    mpz_init_set(x, q.lo);
    if (!binds_at(&q, q.lo) || last_find(&q, q.lo, x)) {
        if (binds_at(&q, q.lo))
            mpz_add_ui(x, x, 1);
        if (l->least_times >= 0)
            mpz_mul(x, x, v[l->least_times]);
        s->out->least = exact_double(x);
        s->out->least_text = sheet_int(s, x);
    }
    mpz_clears(q.lo, x, NULL);
}

static at_status answer(const limit *l, sheet *s, mpz_t *v, at_err *err)
{
    at_bound_result *out = s->out;
    at_bound_start *starts = at_new(s->a, at_bound_start, s->p->n);
    if (!starts)
        return at_oom(err);
    out->verdict = l->binds((const mpz_t *)v) ? AT_BOUND_BINDS : AT_BOUND_VACUOUS;
    out->bits = l->counts((const mpz_t *)v);
    l->report(s, (const mpz_t *)v);
    for (int i = 0; i < s->p->n; i++)
        if (l->way((const mpz_t *)v, i) != LIMIT_CHOICE)
            start_find(s, l, v, i, &starts[out->n_starts++]);
    least_find(s, l, v);
    at_bound_line *lines = at_new(s->a, at_bound_line, s->n_lines ? s->n_lines : 1);
    if (s->oom || !lines)
        return at_oom(err);
    for (int k = 0; k < s->n_lines; k++)
        lines[k] = s->line[k];
    out->starts = starts;
    out->lines = lines;
    out->n_lines = s->n_lines;
    return AT_OK;
}

static at_status answer_only(const limit *l, mpz_t *v, bool *out)
{
    *out = l->binds((const mpz_t *)v);
    return AT_OK;
}

/* s NULL: only whether it binds. */
static at_status at_values(const limit *l, const at_params *p, sheet *s, bool *binds, at_err *err)
{
    mpz_t v[AT_PARAMS_MAX];
    for (int i = 0; i < p->n; i++)
        mpz_init_set_d(v[i], p->value[i]);
    at_status status = l->check ? l->check(p, (const mpz_t *)v, err) : AT_OK;
    if (!status)
        status = s ? answer(l, s, v, err) : answer_only(l, v, binds);
    for (int i = 0; i < p->n; i++)
        mpz_clear(v[i]);
    return status;
}

at_status limit_compute(const limit *l, const at_params *p, at_arena *a, at_bound_result *out, at_err *err)
{
    at_bound_result r = {.least = NAN};
    sheet s = {.a = a, .p = p, .out = &r};
    at_status status = at_values(l, p, &s, NULL, err);
    if (!status)
        *out = r;
    return status;
}

at_status limit_decide(const limit *l, const at_params *p, bool *out, at_err *err)
{
    return at_values(l, p, NULL, out, err);
}
