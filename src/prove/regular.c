/* regular.c: is a regular language in C-RASP?
 *
 * Take a strongly connected component of the least automaton. A map h of its labels to integers that sums to 0 on every cycle gives each
 * state u a potential p(u): the sum of h along any way from a root to u. A program can count labels, so as long as the run stays in the
 * component it knows p(u) - p(where it came in) by one equation between counts. Labels are letters at first; once the
 * potentials are known, a letter together with the class of the state before it is a finer label, and more maps may sum to 0 on
 * cycles. When nothing gets finer, either every state has a class of its own, in every component: then a program knows the state
 * (regular_program.c writes it, which proves "yes"). Or two states of one component are alike: then no program of C-RASP
 * has the language. That is a theorem (Yang et al. 2026), which is cited here and not proved; its authors walk over all simple
 * cycles, here one null space a round is enough: cycles are spanned by the edges that are not in a tree.
 *
 * At the last letter. L, without the empty word, is accepted at the last letter if and only if for every letter s the language
 * L_s = {u : us in L} is accepted at the end marker. If: Q_s and "the program of L_s, of what stands before", for some s. Only if:
 * in a program at the last letter every count #[f] is (how often f held before) + [f here], and with s for the letter
 * here that is a truth about counts before, as truths.c has it; read at the end marker it is a program for L_s. */
#include "regular.h"

#include "../num/flint_compat.h"

#include <stdlib.h>
#include <string.h>

/* ---- components ----------------------------------------------------------------------------------------------------------------- */

/* reach: (states, states), by search from each; the automata are small. */
static at_status reach_find(const at_dfa *d, at_arena *a, bool **out, at_err *err)
{
    size_t n = (size_t)d->states;
    bool *reach = at_new(a, bool, n *n);
    int *stack = at_new(a, int, n + 1);
    if (!reach || !stack)
        return at_oom(err);
    for (int q = 0; q < d->states; q++) {
        int top = 0;
        reach[(size_t)q * n + (size_t)q] = true;
        stack[top++] = q;
        while (top) {
            int u = stack[--top];
            for (int s = 0; s < d->sigma.n; s++) {
                int v = d->to[u * d->sigma.n + s];
                if (!reach[(size_t)q * n + (size_t)v]) {
                    reach[(size_t)q * n + (size_t)v] = true;
                    stack[top++] = v;
                }
            }
        }
    }
    *out = reach;
    return AT_OK;
}

/* Numbered so that an edge never goes to a smaller number. */
static at_status components_find(const at_dfa *d, at_arena *a, regular_parts *r, at_err *err)
{
    bool *reach = NULL;
    size_t n = (size_t)d->states;
    at_status st = reach_find(d, a, &reach, err);
    r->of = st ? NULL : at_new(a, int, n);
    r->at = st ? NULL : at_new(a, regular_component, n);
    if (st || !r->of || !r->at)
        return st ? st : at_oom(err);
    memset(r->of, -1, n * sizeof *r->of);
    for (int left = d->states; left > 0;)
        for (int q = 0; q < d->states; q++) {
            /* one whose predecessors outside are all numbered */
            bool ready = r->of[q] < 0;
            for (int u = 0; u < d->states && ready; u++)
                ready =
                    r->of[u] >= 0 || !reach[(size_t)u * n + (size_t)q] || reach[(size_t)q * n + (size_t)u];
            if (!ready)
                continue;
            regular_component *c = &r->at[r->n];
            c->state = at_new(a, int, n);
            if (!c->state)
                return at_oom(err);
            for (int u = 0; u < d->states; u++)
                if (reach[(size_t)q * n + (size_t)u] && reach[(size_t)u * n + (size_t)q]) {
                    c->state[c->n++] = u;
                    r->of[u] = r->n;
                    left--;
                }
            r->n++;
        }
    return AT_OK;
}

/* ---- one round --------------------------------------------------------------------------------------------------------------------- */

typedef struct {
    const at_dfa *d;
    const regular_parts *r;
    const regular_component *c;
    int id, labels;
    const int *before; /* (states) */
    int n_before;
    int64_t *along; /* (states, labels): labels on the way of the tree */
    bool *met;      /* (states) */
    int *order, *from, *by;
} walker;

static int label_of(const walker *w, int u, int s)
{
    return s * w->n_before + w->before[u];
}

static void tree_walk(walker *w)
{
    int S = w->d->sigma.n, n = 0;
    size_t L = (size_t)w->labels;
    w->order[n++] = w->c->state[0];
    w->met[w->c->state[0]] = true;
    for (int k = 0; k < n; k++)
        for (int s = 0; s < S; s++) {
            int u = w->order[k], v = w->d->to[u * S + s];
            if (w->r->of[v] != w->id || w->met[v])
                continue;
            w->met[v] = true;
            w->from[v] = u;
            w->by[v] = s;
            memcpy(w->along + (size_t)v * L, w->along + (size_t)u * L, L * sizeof *w->along);
            w->along[(size_t)v * L + (size_t)label_of(w, u, s)]++;
            w->order[n++] = v;
        }
}

/* A row an inner edge: what it closes must sum to 0. */
static void cycles_fill(const walker *w, fmpz_mat_t m)
{
    int S = w->d->sigma.n, row = 0;
    size_t L = (size_t)w->labels;
    for (int k = 0; k < w->c->n; k++)
        for (int s = 0; s < S; s++) {
            int u = w->c->state[k], v = w->d->to[u * S + s];
            if (w->r->of[v] != w->id)
                continue;
            for (size_t l = 0; l < L; l++) {
                int64_t x = w->along[(size_t)u * L + l] - w->along[(size_t)v * L + l] +
                            (l == (size_t)label_of(w, u, s));
                fmpz_set_si(fmpz_mat_entry(m, row, (slong)l), x);
            }
            row++;
        }
}

/* Labels that no inner edge has are left out of the maps: they would say nothing while the run is inside. */
static void labels_used(const walker *w, bool *used)
{
    int S = w->d->sigma.n;
    for (int k = 0; k < w->c->n; k++)
        for (int s = 0; s < S; s++)
            if (w->r->of[w->d->to[w->c->state[k] * S + s]] == w->id)
                used[label_of(w, w->c->state[k], s)] = true;
}

static void column_shorten(fmpz_mat_t m, slong k, int rows)
{
    fmpz_t g;
    fmpz_init(g);
    for (int l = 0; l < rows; l++)
        fmpz_gcd(g, g, fmpz_mat_entry(m, l, k));
    for (int l = 0; l < rows && !fmpz_is_zero(g); l++)
        fmpz_divexact(fmpz_mat_entry(m, l, k), fmpz_mat_entry(m, l, k), g);
    fmpz_clear(g);
}

static at_status maps_find(walker *w, regular_round *out, at_arena *a, at_err *err)
{
    int S = w->d->sigma.n;
    size_t L = (size_t)w->labels, n = (size_t)w->d->states;
    bool *used = at_new(a, bool, L);
    if (!used)
        return at_oom(err);
    labels_used(w, used);
    fmpz_mat_t m, null;
    fmpz_mat_init(m, w->c->n * S, w->labels);
    fmpz_mat_init(null, w->labels, w->labels);
    cycles_fill(w, m);
    slong free = fmpz_mat_nullspace(null, m);
    out->map = at_new(a, int64_t, (size_t)free * L + 1);
    out->potential = at_new(a, int64_t, (size_t)free * n + 1);
    at_status st = out->map && out->potential ? AT_OK : at_oom(err);
    for (slong k = 0; k < free && !st; k++) {
        int64_t *map = out->map + (size_t)out->n_maps * L, *p = out->potential + (size_t)out->n_maps * n;
        bool fits = true, some = false;
        column_shorten(null, k, w->labels);
        for (size_t l = 0; l < L && fits; l++) {
            fits = fmpz_bits(fmpz_mat_entry(null, (slong)l, k)) <= 18; /* AT_FORMULA_NUMBER */
            map[l] = fits && used[l] ? fmpz_get_si(fmpz_mat_entry(null, (slong)l, k)) : 0;
        }
        for (int i = 0; i < w->c->n && fits; i++) {
            int u = w->c->state[i];
            p[u] = 0;
            for (size_t l = 0; l < L; l++)
                p[u] += map[l] * w->along[(size_t)u * L + l];
            some = some || p[u] != 0;
        }
        if (!fits)
            st = at_fail(err, AT_EBUDGET, "potentials of its automaton grow too large");
        out->n_maps += some; /* one that is 0 everywhere tells nothing */
    }
    fmpz_mat_clear(m);
    fmpz_mat_clear(null);
    return st;
}

static bool alike(const regular_round *r, int n, int u, int v)
{
    bool same = r->before[u] == r->before[v];
    for (int k = 0; k < r->n_maps && same; k++)
        same = r->potential[(size_t)k * (size_t)n + (size_t)u] ==
               r->potential[(size_t)k * (size_t)n + (size_t)v];
    return same;
}

static at_status round_make(const regular_parts *r, int id, const int *before, int n_before, at_arena *a,
                            regular_round *out, at_err *err)
{
    const at_dfa *d = r->d;
    size_t n = (size_t)d->states, L = (size_t)d->sigma.n * (size_t)n_before;
    walker w = {.d = d,
                .r = r,
                .c = &r->at[id],
                .id = id,
                .labels = (int)L,
                .before = before,
                .n_before = n_before,
                .along = at_new(a, int64_t, n * L),
                .met = at_new(a, bool, n),
                .order = at_new(a, int, n),
                .from = at_new(a, int, n),
                .by = at_new(a, int, n)};
    int *copy = at_new(a, int, n), *class = at_new(a, int, n);
    if (!w.along || !w.met || !w.order || !w.from || !w.by || !copy || !class)
        return at_oom(err);
    memcpy(copy, before, n * sizeof *copy);
    *out = (regular_round){.n_before = n_before, .before = copy, .class = class};
    tree_walk(&w);
    at_status st = maps_find(&w, out, a, err);
    for (int k = 0; k < w.c->n && !st; k++) {
        int u = w.c->state[k];
        class[u] = -1;
        for (int i = 0; i < k && class[u] < 0; i++)
            if (alike(out, d->states, w.c->state[i], u))
                class[u] = class[w.c->state[i]];
        if (class[u] < 0)
            class[u] = out->n_classes++;
    }
    return st;
}

at_status regular_parts_find(const at_dfa *least, at_arena *a, regular_parts *out, at_err *err)
{
    *out = (regular_parts){.d = least};
    at_status st = components_find(least, a, out, err);
    for (int k = 0; k < out->n && !st; k++) {
        regular_component *c = &out->at[k];
        c->round = at_new(a, regular_round, c->n + 1);
        int *before = at_new(a, int, least->states), classes = 1;
        if (!c->round || !before)
            return at_oom(err);
        while (!st && classes < c->n) {
            regular_round *now = &c->round[c->n_rounds];
            st = round_make(out, k, before, classes, a, now, err);
            if (st || now->n_classes == classes)
                break;
            before = now->class;
            classes = now->n_classes;
            c->n_rounds++;
            if (at_cancel_pending())
                st = at_fail(err, AT_ECANCEL, "interrupted");
        }
    }
    return st;
}

bool regular_alike(const regular_parts *r, int *component, int *one, int *two)
{
    for (int k = 0; k < r->n; k++) {
        const regular_component *c = &r->at[k];
        const int *class = c->n_rounds ? c->round[c->n_rounds - 1].class : NULL;
        for (int i = 0; i < c->n; i++)
            for (int j = i + 1; j < c->n; j++)
                if (!class || class[c->state[i]] == class[c->state[j]]) {
                    *component = k;
                    *one = c->state[i];
                    *two = c->state[j];
                    return true;
                }
    }
    return false;
}

/* ---- the answer -------------------------------------------------------------------------------------------------------------------- */

/* A shortest word from the start to a state. */
static at_status word_to(const at_dfa *d, int state, at_arena *a, int **word, int *n, at_err *err)
{
    int *from = at_new(a, int, d->states), *by = at_new(a, int, d->states),
        *queue = at_new(a, int, d->states);
    if (!from || !by || !queue)
        return at_oom(err);
    memset(from, -1, (size_t)d->states * sizeof *from);
    int last = 0;
    queue[last++] = d->start;
    for (int k = 0; k < last; k++)
        for (int s = 0; s < d->sigma.n; s++) {
            int v = d->to[queue[k] * d->sigma.n + s];
            if (from[v] >= 0 || v == d->start)
                continue;
            from[v] = queue[k];
            by[v] = s;
            queue[last++] = v;
        }
    *n = 0;
    for (int q = state; q != d->start; q = from[q])
        ++*n;
    *word = at_new(a, int, *n + 1);
    if (!*word)
        return at_oom(err);
    for (int q = state, k = *n; q != d->start; q = from[q])
        (*word)[--k] = by[q];
    return AT_OK;
}

/* At the end marker. *truth: in f, that what stands before is accepted; NULL where it is not in C-RASP or too large. */
static at_status end_decide(const at_dfa *d, at_formulas *f, int tag, at_arena *a, at_crasp_place *out,
                            at_formula **truth, at_err *err)
{
    at_dfa *least;
    regular_parts r;
    int component, one, two;
    *truth = NULL;
    at_status st = at_dfa_minimize(d, a, &least, err);
    if (st)
        return st;
    if (least->states > AT_CRASP_STATES)
        return at_fail(err, AT_EBUDGET, "more than %d states", AT_CRASP_STATES);
    st = regular_parts_find(least, a, &r, err);
    if (st)
        return st;
    for (int k = 0; k < r.n; k++)
        out->rounds = r.at[k].n_rounds > out->rounds ? r.at[k].n_rounds : out->rounds;
    if (!regular_alike(&r, &component, &one, &two)) {
        *truth = regular_program(&r, f, tag, a);
        return AT_OK;
    }
    out->in = AT_FALSE;
    out->component = r.at[component].n;
    st = word_to(least, one, a, &out->word[0], &out->n[0], err);
    return st ? st : word_to(least, two, a, &out->word[1], &out->n[1], err);
}

/* L_s: all u with us in it. */
static at_status quotient(const at_dfa *d, int s, at_arena *a, at_dfa **out, at_err *err)
{
    at_status st = at_dfa_new(&d->sigma, d->states, a, out, err);
    if (st)
        return st;
    (*out)->start = d->start;
    memcpy((*out)->to, d->to, (size_t)d->states * (size_t)d->sigma.n * sizeof *d->to);
    for (int q = 0; q < d->states; q++)
        (*out)->accept[q] = d->accept[d->to[q * d->sigma.n + s]];
    return AT_OK;
}

static at_status last_decide(const at_dfa *d, at_formulas *f, at_arena *a, at_crasp_place *out,
                             at_formula **truth, at_err *err)
{
    at_formula *any = at_formula_const(f, false);
    for (int s = 0; s < d->sigma.n; s++) {
        at_dfa *of;
        at_formula *here;
        at_status st = quotient(d, s, a, &of, err);
        if (!st)
            st = end_decide(of, f, s, a, out, &here, err);
        if (st)
            return st;
        if (out->in == AT_FALSE) {
            out->letter = s;
            *truth = NULL;
            return AT_OK;
        }
        any = at_formula_two(f, AT_F_OR, any, at_formula_two(f, AT_F_AND, at_formula_letter(f, s), here));
    }
    *truth = any;
    return AT_OK;
}

at_status at_crasp_place_find(const at_dfa *d, at_read_at at, at_arena *a, at_crasp_place *out, at_err *err)
{
    at_formulas *f;
    at_formula *truth = NULL;
    at_err why = {0};
    *out = (at_crasp_place){.in = AT_TRUE, .letter = -1};
    at_status st = at_formulas_new(&d->sigma, a, &f, err);
    if (st)
        return st;
    f->at = at;
    st =
        at == AT_AT_END ? end_decide(d, f, 0, a, out, &truth, &why) : last_decide(d, f, a, out, &truth, &why);
    if (st == AT_EBUDGET) {
        *out = (at_crasp_place){.in = AT_UNKNOWN, .letter = -1};
        return AT_OK;
    }
    if (st)
        return at_fail(err, st, "%s", why.text);
    f->accept = truth;
    if (f->err.code == AT_ENOMEM)
        return at_oom(err);
    out->program = out->in == AT_TRUE && truth && !f->err.code ? f : NULL;
    return AT_OK;
}
