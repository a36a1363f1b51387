/* regions.c: the strongest invariant of a certain shape, by a solver's counterexamples.
 *
 * The comparisons of the programs cut the space of counts into regions: in one region every comparison has one truth. A location is a
 * region together with all that is finite of a state: bits, states of automata, capped counts. In a location each letter
 * does one thing: it adds a constant vector d to the free counts, and bad states are all of it or none.
 *
 * What is said of a location is the affine hull of the points met in it, and lower bounds of some linear forms. It begins with the
 * states that the search has met. Then the solver is asked of each location and letter for a point whose successor is outside of what is
 * said; the successor is added: a hull grows by a dimension, or a bound is lowered, or a location is new. A bound that was lowered
 * three times is given up. So there is an end, and then it is an invariant: the least one of this shape, but for the bounds
 * given up. It shows what is asked when no location in it is bad.
 *
 * The essence is what hulls of regions express without being told: (#a - #b = 1 while nothing was wrong) or (something was wrong). */
#include "prove_internal.h"

#include <string.h>

enum { LOWERED = 3, LOCATIONS = 4000, SEEDS = 20000, FORMS_MOST = 1500 };

typedef struct {
    int *state;  /* (fields) of which the finite part counts */
    int *region; /* (forms): how many cuts lie below */
    prove_hull hull;
    int64_t *lower;   /* (bounds) */
    uint8_t *lowered; /* how often; LOWERED: given up */
    bool dirty;       /* its steps are to be looked at */
    bool bad;
    prove_rows rows; /* what is said of it; made when it is asked for */
    bool stale;
    int key_next; /* of the same finite part */
} location;

typedef struct {
    prove_system *s;
    prove_solver *solver;
    at_arena *a;
    int n_forms;
    int64_t *form; /* (n_forms, n_free): bounded from below */
    PROVE_LIST(location *) at;
    int *head, slots;         /* by the finite part: location + 1 */
    int *next, *from, *point; /* (fields) scratch */
    int64_t *x, *d, *found;   /* (n_free) scratch */
    int64_t *moved;           /* (forms) scratch */
    const prove_rows **to;    /* (LOCATIONS) scratch */
    unsigned steps;
    size_t asked;
} mapper;

/* ---- the forms that are bounded ------------------------------------------------------------------------------------------------- */

static void form_add(mapper *m, const int64_t *row)
{
    size_t n = (size_t)m->s->n_free;
    for (int k = 0; k < m->n_forms; k++)
        if (!memcmp(m->form + (size_t)k * n, row, n * sizeof *row))
            return;
    if (m->n_forms < FORMS_MOST)
        memcpy(m->form + (size_t)m->n_forms++ * n, row, n * sizeof *row);
}

/* x_i - x_j; then x_i + x_j - x_k and its negation; each form of the programs both ways, and x_i from above. */
static at_status forms_make(mapper *m, prove_bounds bounds, at_err *err)
{
    int n = m->s->n_free;
    m->form = at_new(m->a, int64_t, (size_t)FORMS_MOST * (size_t)(n + 1));
    int64_t *row = at_new(m->a, int64_t, n + 1);
    if (!m->form || !row)
        return at_oom(err);
    if (bounds == PROVE_EQUATIONS)
        return AT_OK;
    for (int k = 0; k < m->s->forms.n; k++)
        for (int sign = -1; sign <= 1 && m->s->forms.at[k].n_cuts; sign += 2) {
            const prove_form *f = &m->s->forms.at[k];
            memset(row, 0, (size_t)n * sizeof *row);
            bool free = true;
            for (int i = 0; i < f->n; i++)
                free = free && !m->s->counts.at[f->count[i]].cap;
            for (int i = 0; i < f->n && free; i++)
                for (int j = 0; j < n; j++)
                    if (m->s->free[j] == f->count[i])
                        row[j] = sign * f->coef[i];
            if (free)
                form_add(m, row);
        }
    for (int i = 0; i < n; i++)
        for (int j = -1; j < n; j++) {
            memset(row, 0, (size_t)n * sizeof *row);
            row[i] = j == i ? 1 : -1;
            if (j >= 0 && j != i)
                row[j] = 1;
            form_add(m, row);
        }
    for (int i = 0; i < n && bounds == PROVE_TRIPLES; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = 0; k < n; k++)
                for (int sign = -1; sign <= 1 && k != i && k != j; sign += 2) {
                    memset(row, 0, (size_t)n * sizeof *row);
                    row[i] = row[j] = sign;
                    row[k] = -sign;
                    form_add(m, row);
                }
    return AT_OK;
}

static int64_t form_value(const mapper *m, int k, const int64_t *x)
{
    int64_t v = 0;
    for (int i = 0; i < m->s->n_free; i++)
        v += m->form[(size_t)k * (size_t)m->s->n_free + (size_t)i] * x[i];
    return v;
}

/* ---- locations ------------------------------------------------------------------------------------------------------------------ */

static bool is_free(const prove_system *s, int count)
{
    return s->counts.at[count].live && !s->counts.at[count].cap;
}

static int region_of(const prove_form *f, const int *state)
{
    int r = 0;
    int64_t v = prove_form_value(f, state);
    while (r < f->n_cuts && v > f->cut[r])
        r++;
    return r;
}

static uint64_t finite_hash(const prove_system *s, const int *state)
{
    uint64_t h = at_hash64(state + s->counts.n, (size_t)(s->bits.n + s->parts.n) * sizeof *state, 3);
    for (int c = 0; c < s->counts.n; c++)
        if (!is_free(s, c))
            h = at_hash64(&state[c], sizeof state[c], h);
    return h;
}

static bool finite_same(const prove_system *s, const int *x, const int *y)
{
    bool same = !memcmp(x + s->counts.n, y + s->counts.n, (size_t)(s->bits.n + s->parts.n) * sizeof *x);
    for (int c = 0; c < s->counts.n && same; c++)
        same = is_free(s, c) || x[c] == y[c];
    return same;
}

static int *head_of(mapper *m, const int *state)
{
    return &m->head[finite_hash(m->s, state) & (uint64_t)(m->slots - 1)];
}

/* The location of a state; *out NULL: there is none yet. */
static void location_find(mapper *m, const int *state, location **out)
{
    *out = NULL;
    for (int k = *head_of(m, state); k && !*out; k = m->at.at[k - 1]->key_next) {
        location *l = m->at.at[k - 1];
        bool same = finite_same(m->s, l->state, state);
        for (int f = 0; f < m->s->forms.n && same; f++)
            same = l->region[f] == region_of(&m->s->forms.at[f], state);
        if (same)
            *out = l;
    }
}

static at_status location_make(mapper *m, const int *state, location **out, at_err *err)
{
    prove_system *s = m->s;
    if (m->at.n == LOCATIONS)
        return at_fail(err, AT_EBUDGET, "more than %d regions", LOCATIONS);
    location *l = at_new(m->a, location, 1), **slot = NULL;
    if (l) {
        l->state = at_new(m->a, int, s->fields + 1);
        l->region = at_new(m->a, int, s->forms.n + 1);
        l->lower = at_new(m->a, int64_t, m->n_forms + 1);
        l->lowered = at_new(m->a, uint8_t, m->n_forms + 1);
        slot = prove_push(s, &m->at);
    }
    if (!slot || !l->state || !l->region || !l->lower || !l->lowered)
        return at_oom(err);
    at_status st = prove_hull_init(&l->hull, s->n_free, m->a, err);
    memcpy(l->state, state, (size_t)s->fields * sizeof *state);
    for (int f = 0; f < s->forms.n; f++)
        l->region[f] = region_of(&s->forms.at[f], state);
    prove_state_look(s);
    for (int a = 0; a <= s->S; a++)
        l->bad = l->bad || prove_value(s, s->bad[a], state);
    int *head = head_of(m, state);
    l->key_next = *head;
    *slot = l;
    *head = m->at.n;
    *out = l;
    return st;
}

static void free_of(const prove_system *s, const int *state, int64_t *x)
{
    for (int i = 0; i < s->n_free; i++)
        x[i] = state[s->free[i]];
}

/* A state is reached. *grown: it was not said to be. */
static at_status state_join(mapper *m, const int *state, bool seed, bool *grown, at_err *err)
{
    location *l;
    location_find(m, state, &l);
    at_status st = AT_OK;
    *grown = !l;
    if (!l)
        st = location_make(m, state, &l, err);
    if (st)
        return st;
    free_of(m->s, state, m->x);
    bool first = !l->hull.points;
    for (int k = 0; k < m->n_forms; k++) {
        int64_t v = form_value(m, k, m->x);
        if (first || (v < l->lower[k] && l->lowered[k] < LOWERED)) {
            *grown = *grown || !first;
            l->lowered[k] += !first && !seed;
            l->lower[k] = v;
        }
    }
    if (!prove_hull_has(&l->hull, m->x)) {
        *grown = true;
        st = prove_hull_join(&l->hull, m->x, err);
    }
    if (*grown)
        l->dirty = l->stale = true;
    return st;
}

/* ---- what is said of a location ---------------------------------------------------------------------------------------------------- */

static int64_t *row_add(prove_rows *r, int n_free, bool equal)
{
    r->equal[r->n] = equal;
    int64_t *row = r->a + (size_t)r->n++ * (size_t)(n_free + 1);
    memset(row, 0, (size_t)(n_free + 1) * sizeof *row);
    return row;
}

/* The form of the programs in region r: cut[r-1] < form <= cut[r]. */
static void region_rows(const mapper *m, int f, int r, prove_rows *out)
{
    const prove_form *x = &m->s->forms.at[f];
    int n = m->s->n_free;
    for (int i = 0; i < x->n; i++)
        if (!is_free(m->s, x->count[i]))
            return; /* one capped count alone: it is part of the state */
    for (int side = 0; side < 2; side++) {
        if (side ? r == x->n_cuts : r == 0)
            continue;
        int64_t *row = row_add(out, n, false);
        for (int i = 0; i < x->n; i++)
            for (int j = 0; j < n; j++)
                if (m->s->free[j] == x->count[i])
                    row[j] = side ? -x->coef[i] : x->coef[i];
        row[n] = side ? x->cut[r] : -x->cut[r - 1] - 1;
    }
}

/* Is a row the same everywhere in the hull? Then its equations say it already: all of them, as long as none was too large. */
static bool row_constant(const prove_hull *h, const int64_t *row)
{
    int64_t first = 0;
    for (int p = 0; p < h->points; p++) {
        int64_t v = 0;
        for (int i = 0; i < h->n; i++)
            v += row[i] * h->point[(size_t)p * (size_t)h->n + (size_t)i];
        first = p ? first : v;
        if (v != first)
            return false;
    }
    return h->points + h->equations == h->n + 1;
}

/* Without the inequalities that the equations imply. */
static void rows_shorten(const prove_hull *h, prove_rows *r)
{
    size_t width = (size_t)h->n + 1;
    int n = 0;
    for (int k = 0; k < r->n; k++) {
        const int64_t *row = r->a + (size_t)k * width;
        if (!r->equal[k] && row_constant(h, row))
            continue;
        r->equal[n] = r->equal[k];
        memmove(r->a + (size_t)n++ * width, row, width * sizeof *row);
    }
    r->n = n;
}

static at_status rows_make(mapper *m, location *l, at_err *err)
{
    int n = m->s->n_free;
    size_t most = (size_t)(l->hull.n + 1 + 2 * m->s->forms.n + m->n_forms + n);
    if (!l->rows.a) {
        l->rows.a = at_new(m->a, int64_t, most * (size_t)(n + 1));
        l->rows.equal = at_new(m->a, bool, most + 1);
        if (!l->rows.a || !l->rows.equal)
            return at_oom(err);
    }
    l->stale = false;
    l->rows.n = 0;
    for (int e = 0; e < l->hull.equations; e++)
        memcpy(row_add(&l->rows, n, true), l->hull.equation + (size_t)e * (size_t)(n + 1),
               (size_t)(n + 1) * sizeof(int64_t));
    for (int f = 0; f < m->s->forms.n; f++)
        region_rows(m, f, l->region[f], &l->rows);
    for (int k = 0; k < m->n_forms; k++)
        if (l->lowered[k] < LOWERED) {
            int64_t *row = row_add(&l->rows, n, false);
            memcpy(row, m->form + (size_t)k * (size_t)n, (size_t)n * sizeof *row);
            row[n] = -l->lower[k];
        }
    for (int i = 0; i < n; i++)
        row_add(&l->rows, n, false)[i] = 1;
    rows_shorten(&l->hull, &l->rows);
    return AT_OK;
}

static at_status rows_fresh(mapper *m, location *l, at_err *err)
{
    return l->stale || !l->rows.a ? rows_make(m, l, err) : AT_OK;
}

/* ---- the fixed point ------------------------------------------------------------------------------------------------------------- */

/* The solver's point as a state of the location. False: too large for us. */
static bool point_state(const mapper *m, const location *l, const int64_t *x, int *state)
{
    memcpy(state, l->state, (size_t)m->s->fields * sizeof *state);
    for (int i = 0; i < m->s->n_free; i++) {
        if (x[i] < 0 || x[i] > 1000000000)
            return false;
        state[m->s->free[i]] = (int)x[i];
    }
    return true;
}

/* Can a step by d lead from the region of l into that of `to`? Form by form, an interval moved against an interval. */
static bool regions_meet(const mapper *m, const location *l, const location *to)
{
    for (int k = 0; k < m->s->forms.n; k++) {
        const prove_form *f = &m->s->forms.at[k];
        int from = l->region[k], at = to->region[k];
        int64_t moved = m->moved[k];
        if (!f->n_cuts || !is_free(m->s, f->count[0]))
            continue; /* a capped count: the finite part has it */
        if (at > 0 && from < f->n_cuts && f->cut[from] + moved <= f->cut[at - 1])
            return false;
        if (at < f->n_cuts && from > 0 && f->cut[from - 1] + moved >= f->cut[at])
            return false;
    }
    return true;
}

/* By how much a step moves each form of free counts. */
static void moves_find(mapper *m)
{
    for (int k = 0; k < m->s->forms.n; k++) {
        const prove_form *f = &m->s->forms.at[k];
        m->moved[k] = 0;
        for (int i = 0; i < f->n; i++)
            for (int j = 0; j < m->s->n_free; j++)
                if (m->s->free[j] == f->count[i])
                    m->moved[k] += f->coef[i] * m->d[j];
    }
}

/* One letter from one location, until nothing escapes. *open: the solver gave up. */
static at_status letter_close(mapper *m, location *l, int letter, bool *open, at_err *err)
{
    prove_system *s = m->s;
    prove_state_look(s);
    prove_state_step(s, l->state, letter, m->from);
    for (int i = 0; i < s->n_free; i++)
        m->d[i] = m->from[s->free[i]] - l->state[s->free[i]];
    moves_find(m);
    while (!*open) {
        at_status st = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted") : AT_OK;
        int n = 0;
        for (int k = *head_of(m, m->from); k && !st; k = m->at.at[k - 1]->key_next)
            if (finite_same(s, m->at.at[k - 1]->state, m->from) && regions_meet(m, l, m->at.at[k - 1])) {
                st = rows_fresh(m, m->at.at[k - 1], err);
                m->to[n++] = &m->at.at[k - 1]->rows;
            }
        if (!st)
            st = rows_fresh(m, l, err);
        if (st)
            return st;
        m->asked++;
        at_tri v = prove_solver_escape(m->solver, &l->rows, m->d, m->to, n, m->found);
        if (v == AT_FALSE)
            return AT_OK;
        bool grown = false;
        if (v == AT_UNKNOWN || (m->asked % 16 == 0 && prove_solver_spent(m->solver) > m->steps) ||
            !point_state(m, l, m->found, m->point)) {
            *open = true;
            return AT_OK;
        }
        /* the evaluator, not the solver, says where it goes */
        prove_state_look(s);
        prove_state_step(s, m->point, letter, m->next);
        st = state_join(m, m->next, false, &grown, err);
        if (!st && !grown)
            st = at_fail(err, AT_EREFUSED, "the solver and the evaluator differ; this is a fault of attest");
        if (st)
            return st;
    }
    return AT_OK;
}

static at_status close_all(mapper *m, bool *open, at_err *err)
{
    for (bool any = true; any && !*open;) {
        any = false;
        for (int k = 0; k < m->at.n && !*open; k++) {
            location *l = m->at.at[k];
            if (!l->dirty)
                continue;
            any = true;
            l->dirty = false;
            for (int letter = 0; letter < m->s->S && !*open; letter++) {
                at_status st = letter_close(m, l, letter, open, err);
                if (st)
                    return st;
            }
        }
    }
    return AT_OK;
}

/* ---- the invariant as text --------------------------------------------------------------------------------------------------------- */

static void number_add(at_text *t, int64_t v)
{
    if (v < 0)
        at_text_addf(t, "(- %lld)", (long long)-v);
    else
        at_text_addf(t, "%lld", (long long)v);
}

static void row_print(const prove_system *s, const int64_t *row, bool equal, at_text *t)
{
    int n = s->n_free, some = 0, only = 0;
    for (int i = 0; i < n; i++)
        if (row[i]) {
            some++;
            only = i;
        }
    if (some == 1 && row[only] == 1) { /* c >= k */
        at_text_addf(t, " (%s c%d ", equal ? "=" : ">=", s->free[only]);
        number_add(t, -row[n]);
        at_text_add(t, ")");
        return;
    }
    at_text_addf(t, " (%s", equal ? "=" : ">=");
    for (int side = 1; side >= -1;
         side -= 2) { /* what is added to the left, what is taken away to the right */
        int terms = 0;
        for (int i = 0; i < n; i++)
            terms += side * row[i] > 0;
        terms += side * row[n] > 0;
        at_text_add(t, terms > 1 ? " (+" : terms ? "" : " 0");
        for (int i = 0; i < n; i++)
            if (side * row[i] == 1)
                at_text_addf(t, " c%d", s->free[i]);
            else if (side * row[i] > 1)
                at_text_addf(t, " (* %lld c%d)", (long long)(side * row[i]), s->free[i]);
        if (side * row[n] > 0)
            at_text_addf(t, " %lld", (long long)(side * row[n]));
        at_text_add(t, terms > 1 ? ")" : "");
    }
    at_text_add(t, ")");
}

void prove_location_print(const prove_system *s, const int *state, const prove_rows *rows, at_text *t)
{
    at_text_add(t, "(and true");
    for (int c = 0; c < s->counts.n; c++)
        if (s->counts.at[c].live && s->counts.at[c].cap)
            at_text_addf(t, " (%s c%d %d)", state[c] < s->counts.at[c].cap ? "=" : ">=", c, state[c]);
    for (int b = 0; b < s->bits.n; b++)
        if (s->bits.at[b].live)
            at_text_addf(t, state[s->counts.n + b] ? " b%d" : " (not b%d)", b);
    for (int p = 0; p < s->parts.n; p++)
        if (s->parts.at[p].live)
            at_text_addf(t, " (= q%d %d)", p, state[s->counts.n + s->bits.n + p]);
    for (int r = 0; rows && r < rows->n; r++)
        row_print(s, rows->a + (size_t)r * (size_t)(s->n_free + 1), rows->equal[r], t);
    at_text_add(t, ")");
}

static at_status part_keep(at_invariant *v, at_text *t, at_arena *a, at_err *err)
{
    char *copy = t->oom ? NULL : at_arena_strdup(a, t->s);
    at_text_release(t);
    if (!copy)
        return at_oom(err);
    v->part[v->n++] = copy;
    return AT_OK;
}

static at_status invariant_make(mapper *m, at_invariant *out, at_err *err)
{
    *out = (at_invariant){.any = true, .k = 1, .part = at_new(m->a, const char *, m->at.n + 1)};
    at_status st = out->part ? AT_OK : at_oom(err);
    for (int k = 0; k < m->at.n && !st; k++) {
        at_text t;
        at_text_init(&t);
        st = rows_fresh(m, m->at.at[k], err);
        if (!st)
            prove_location_print(m->s, m->at.at[k]->state, &m->at.at[k]->rows, &t);
        if (!st)
            st = part_keep(out, &t, m->a, err);
        else
            at_text_release(&t);
    }
    return st;
}

at_status prove_states_print(const prove_system *s, const prove_search *seen, at_arena *a, at_invariant *out,
                             at_err *err)
{
    *out = (at_invariant){.any = true, .k = 1, .part = at_new(a, const char *, seen->n + 1)};
    at_status st = out->part ? AT_OK : at_oom(err);
    for (size_t k = 0; k < seen->n && !st; k++) {
        at_text t;
        at_text_init(&t);
        prove_location_print(s, seen->states + k * (size_t)s->fields, NULL, &t);
        st = part_keep(out, &t, a, err);
    }
    return st;
}

at_status prove_regions_run(prove_system *s, prove_solver *v, const prove_search *seen, prove_bounds bounds,
                            unsigned steps, at_arena *a, prove_regions *out, at_err *err)
{
    *out = (prove_regions){0};
    mapper m = {.s = s,
                .solver = v,
                .a = a,
                .slots = 1 << 12,
                .head = at_new(a, int, 1 << 12),
                .next = at_new(a, int, s->fields + 1),
                .from = at_new(a, int, s->fields + 1),
                .point = at_new(a, int, s->fields + 1),
                .x = at_new(a, int64_t, s->n_free + 1),
                .d = at_new(a, int64_t, s->n_free + 1),
                .found = at_new(a, int64_t, s->n_free + 1),
                .moved = at_new(a, int64_t, s->forms.n + 1),
                .to = at_new(a, const prove_rows *, LOCATIONS),
                .steps = prove_solver_spent(v) + steps};
    bool all = m.head && m.next && m.from && m.point && m.x && m.d && m.found && m.moved && m.to;
    at_status st = all ? forms_make(&m, bounds, err) : at_oom(err);
    bool grown, open = false;
    for (size_t k = 0; k < seen->n && k < SEEDS && !st; k++)
        st = state_join(&m, seen->states + k * (size_t)s->fields, true, &grown, err);
    if (!st)
        st = close_all(&m, &open, err);
    if (st == AT_EBUDGET) { /* too many regions: this way leads nowhere */
        *err = (at_err){0};
        return AT_OK;
    }
    if (st || open)
        return st;
    out->closed = out->safe = true;
    out->locations = m.at.n;
    for (int k = 0; k < m.at.n; k++)
        out->safe = out->safe && !m.at.at[k]->bad;
    return invariant_make(&m, &out->invariant, err);
}
