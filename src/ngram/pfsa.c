/* pfsa.c: probabilistic automata: rows of what comes next, the probability of a word, tightness.
 *
 * The reference is the definition: the probability of being in a state behind some letters is summed over the transitions that lead
 * there, letter by letter, in fractions. */
#include "lines.h"

#include "../num/flint_compat.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int by_place(const void *x, const void *y)
{
    const at_pfsa_arc *a = x, *b = y;
    return a->from != b->from       ? (a->from > b->from) - (a->from < b->from)
           : a->letter != b->letter ? (a->letter > b->letter) - (a->letter < b->letter)
                                    : (a->to > b->to) - (a->to < b->to);
}

static at_status names_make(const char *first, int n, bool letters, at_arena *a, const char *const **out,
                            at_err *err)
{
    const char **name = at_new(a, const char *, n + 1);
    for (int k = 0; name && k < n; k++) {
        name[k] =
            letters && n <= 26 ? at_arena_printf(a, "%c", 'a' + k) : at_arena_printf(a, "%s%d", first, k);
        if (!name[k])
            return at_oom(err);
    }
    *out = name;
    return name ? AT_OK : at_oom(err);
}

at_status at_pfsa_make(const at_pfsa *like, at_arena *a, at_pfsa **out, at_err *err)
{
    at_pfsa *p = at_new(a, at_pfsa, 1);
    at_pfsa_arc *arc = at_new(a, at_pfsa_arc, like->arcs + 1);
    int *first = at_new(a, int, like->states + 1);
    at_status s = AT_OK;
    *out = NULL;
    if (!p || !arc || !first)
        return at_oom(err);
    *p = *like;
    if (like->arcs)
        memcpy(arc, like->arc, (size_t)like->arcs * sizeof *arc);
    qsort(arc, (size_t)like->arcs, sizeof *arc, by_place);
    uint64_t start = 0;
    for (int q = 0, k = 0; q < p->states; q++) {
        uint64_t sum = p->end[q];
        first[q] = k;
        for (; k < p->arcs && arc[k].from == q; k++)
            sum += arc[k].count;
        first[q + 1] = k;
        start += p->start[q];
        if (sum != p->under[q])
            return at_fail(err, AT_EINPUT, "what goes out of state %d sums to %ju/%u, and not to 1", q,
                           (uintmax_t)sum, p->under[q]);
    }
    if (start != p->start_under)
        return at_fail(err, AT_EINPUT, "what starts sums to %ju/%u, and not to 1", (uintmax_t)start,
                       p->start_under);
    p->arc = arc;
    p->first = first;
    if (!p->state)
        s = names_make("q", p->states, false, a, &p->state, err);
    if (!s && !p->letter)
        s = names_make("l", p->letters, true, a, &p->letter, err);
    if (!s)
        *out = p;
    return s;
}

/* ---- what a decoder writes -------------------------------------------------------------------------------------------- */

int at_pfsa_tokens(const at_pfsa *p)
{
    return p->letters + p->states + 1;
}

void at_pfsa_next(const at_pfsa *p, int state, int letter, uint32_t *count, uint32_t *under)
{
    int V = at_pfsa_tokens(p);
    uint32_t common = 0;
    memset(count, 0, (size_t)V * sizeof *count);
    *under = 0;
    if (state < 0 && letter < 0)
        for (int q = 0; q < p->states; q++)
            count[p->letters + q] = p->start[q];
    for (int k = state < 0 ? 0 : p->first[state]; state >= 0 && k < p->first[state + 1]; k++) {
        const at_pfsa_arc *t = &p->arc[k];
        if (letter < 0)
            count[t->letter] += t->count;
        else if (t->letter == letter)
            count[p->letters + t->to] = t->count;
    }
    if (state >= 0 && letter < 0)
        count[V - 1] = p->end[state];
    for (int k = 0; k < V; k++) {
        common = (uint32_t)lines_divisor(common, count[k]);
        *under += count[k];
    }
    if (!*under) /* no run writes this */
        count[V - 1] = *under = common = 1;
    for (int k = 0; k < V; k++)
        count[k] /= common;
    *under /= common;
}

/* ---- words --------------------------------------------------------------------------------------------------------------- */

at_status at_pfsa_probability(const at_pfsa *p, const int *word, int n, at_arena *a, const char **out,
                              at_err *err)
{
    fmpq *now = _fmpq_vec_init(p->states), *then = _fmpq_vec_init(p->states);
    fmpq_t share, sum;
    fmpq_init(share);
    fmpq_init(sum);
    for (int q = 0; q < p->states; q++)
        fmpq_set_ui(&now[q], p->start[q], p->start_under);
    for (int i = 0; i < n; i++) {
        for (int q = 0; q < p->states; q++)
            fmpq_zero(&then[q]);
        for (int k = 0; k < p->arcs; k++)
            if (p->arc[k].letter == word[i]) {
                fmpq_set_ui(share, p->arc[k].count, p->under[p->arc[k].from]);
                fmpq_addmul(&then[p->arc[k].to], &now[p->arc[k].from], share);
            }
        fmpq *t = now;
        now = then;
        then = t;
    }
    for (int q = 0; q < p->states; q++) {
        fmpq_set_ui(share, p->end[q], p->under[q]);
        fmpq_addmul(sum, &now[q], share);
    }
    char *text = fmpq_get_str(NULL, 10, sum);
    *out = at_arena_strdup(a, text);
    flint_free(text);
    fmpq_clear(share);
    fmpq_clear(sum);
    _fmpq_vec_clear(now, p->states);
    _fmpq_vec_clear(then, p->states);
    return *out ? AT_OK : at_oom(err);
}

void at_pfsa_begin(const at_pfsa *p, double *belief)
{
    for (int q = 0; q < p->states; q++)
        belief[q] = (double)p->start[q] / p->start_under;
}

void at_pfsa_row(const at_pfsa *p, const double *belief, double *row)
{
    for (int k = 0; k <= p->letters; k++)
        row[k] = 0;
    for (int k = 0; k < p->arcs; k++)
        row[p->arc[k].letter] += belief[p->arc[k].from] * p->arc[k].count / p->under[p->arc[k].from];
    for (int q = 0; q < p->states; q++)
        row[p->letters] += belief[q] * p->end[q] / p->under[q];
}

void at_pfsa_step(const at_pfsa *p, double *belief, int letter)
{
    double then[AT_PFSA_STATES] = {0}, sum = 0;
    for (int k = 0; k < p->arcs; k++)
        if (p->arc[k].letter == letter)
            then[p->arc[k].to] += belief[p->arc[k].from] * p->arc[k].count / p->under[p->arc[k].from];
    for (int q = 0; q < p->states; q++)
        sum += then[q];
    for (int q = 0; q < p->states; q++)
        belief[q] = sum > 0 ? then[q] / sum : 0;
}

/* ---- tightness -------------------------------------------------------------------------------------------------------------- */

typedef struct {
    const at_pfsa *p;
    bool reached[AT_PFSA_STATES], good[AT_PFSA_STATES];
    int before[AT_PFSA_STATES],
        by[AT_PFSA_STATES];       /* the state and letter that led here first; -1: it starts */
    int order[AT_PFSA_STATES], n; /* reached, in the order of reaching */
} search;

static void search_run(search *x)
{
    const at_pfsa *p = x->p;
    for (int q = 0; q < p->states; q++)
        if (p->start[q]) {
            x->reached[q] = true;
            x->before[q] = -1;
            x->order[x->n++] = q;
        }
    for (int i = 0; i < x->n; i++)
        for (int q = x->order[i], k = p->first[q]; k < p->first[q + 1]; k++) {
            int to = p->arc[k].to;
            if (x->reached[to])
                continue;
            x->reached[to] = true;
            x->before[to] = q;
            x->by[to] = p->arc[k].letter;
            x->order[x->n++] = to;
        }
    for (int q = 0; q < p->states; q++)
        x->good[q] = p->end[q] > 0;
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < p->arcs; k++)
            if (x->good[p->arc[k].to] && !x->good[p->arc[k].from])
                more = x->good[p->arc[k].from] = true;
    }
}

static at_status trap_say(const search *x, at_arena *a, at_tight *out, at_err *err)
{
    int trap = -1;
    for (int i = x->n - 1; i >= 0; i--)
        if (!x->good[x->order[i]]) {
            trap = x->order[i];
            out->dead++;
        }
    out->states = x->n;
    out->tight = trap < 0;
    if (out->tight)
        return AT_OK;
    for (int q = trap; x->before[q] >= 0; q = x->before[q])
        out->n_path++;
    out->trap = at_new(a, int, 1);
    out->path = at_new(a, int, out->n_path + 1);
    if (!out->trap || !out->path)
        return at_oom(err);
    out->n_trap = 1;
    *out->trap = trap;
    for (int q = trap, k = out->n_path; x->before[q] >= 0; q = x->before[q])
        out->path[--k] = x->by[q];
    return AT_OK;
}

/* x(q) = end(q) + sum of transitions times x, over the states that can reach the end. */
static at_status mass_solve(const search *x, at_arena *a, at_tight *out, at_err *err)
{
    const at_pfsa *p = x->p;
    int live[AT_PFSA_STATES], n = 0;
    for (int q = 0; q < p->states; q++)
        live[q] = x->good[q] ? n++ : -1;
    fmpq_mat_t A, end, X;
    fmpq_t share, mass;
    mpq_t near;
    fmpq_init(share);
    fmpq_init(mass);
    fmpq_mat_init(A, n, n);
    fmpq_mat_init(end, n, 1);
    fmpq_mat_init(X, n, 1);
    fmpq_mat_one(A);
    for (int k = 0; k < p->arcs; k++) {
        int from = live[p->arc[k].from], to = live[p->arc[k].to];
        if (from < 0 || to < 0)
            continue;
        fmpq_set_ui(share, p->arc[k].count, p->under[p->arc[k].from]);
        fmpq_sub(fmpq_mat_entry(A, from, to), fmpq_mat_entry(A, from, to), share);
    }
    for (int q = 0; q < p->states; q++)
        if (live[q] >= 0)
            fmpq_set_ui(fmpq_mat_entry(end, live[q], 0), p->end[q], p->under[q]);
    int solved = fmpq_mat_solve(X, A, end);
    assert(solved); /* every state here reaches the end, so the powers of the transitions vanish */
    (void)solved;
    for (int q = 0; q < p->states; q++)
        if (live[q] >= 0) {
            fmpq_set_ui(share, p->start[q], p->start_under);
            fmpq_addmul(mass, share, fmpq_mat_entry(X, live[q], 0));
        }
    char *text = fmpq_get_str(NULL, 10, mass);
    out->mass = at_arena_strdup(a, text);
    flint_free(text);
    mpq_init(near);
    fmpq_get_mpq(near, mass);
    out->mass_near = mpq_get_d(near);
    out->solved = true;
    mpq_clear(near);
    fmpq_clear(share);
    fmpq_clear(mass);
    fmpq_mat_clear(A);
    fmpq_mat_clear(end);
    fmpq_mat_clear(X);
    return out->mass ? AT_OK : at_oom(err);
}

at_status at_pfsa_tight(const at_pfsa *p, at_arena *a, at_tight *out, at_err *err)
{
    search x = {.p = p};
    *out = (at_tight){0};
    search_run(&x);
    at_status s = trap_say(&x, a, out, err);
    if (!s)
        s = mass_solve(&x, a, out, err);
    assert(s || out->tight == (strcmp(out->mass, "1") == 0));
    return s;
}
