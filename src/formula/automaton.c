/* automaton.c: a formula that looks back, as the least automaton of its words.
 *
 * A part is a truth of the letter and of what was before, and of what was before it needs to know little: PREVIOUS whether its argument
 * held at the last position, ONCE and SINCE whether they hold strictly before the next position, FIND what it found so far. These are the
 * memory of a part, one number; the state is the memories of all parts, and the position modulo the moduli that are spoken of. A letter
 * is gone through part by part, arguments first, as the reference does (run.c). At `end` the parts are gone through once more without
 * a letter.
 *
 * A formula that looks ahead only, read at the first position or before the word, is one that looks back on the word turned round: its
 * automaton is turned round. What looks both ways, counts, or searches by facts of i is refused. */
#include <string.h>

#include <attest/formula.h>

typedef struct {
    const at_formulas *f;
    bool ahead;  /* the word is read from its end */
    bool hidden; /* it is read at a hidden position */
    int modulus; /* of positions */
    int slots; /* numbers of a state: the memory of each part, letters so far modulo the modulus, the answer */
    bool *used;      /* (parts) */
    int *value;      /* (parts) at this position */
    int n, room;     /* states */
    int *state, *to; /* (n, slots), (n, letters) */
    at_arena *a;
} machine;

enum { NONE, NO, YES }; /* memories: of FIND nothing found; of PREVIOUS no position; of others NONE is no */

static const at_formula *body(const at_formulas *f, const at_formula *x)
{
    while (x->op == AT_F_NAME)
        x = f->names[x->index].body;
    return x;
}

static bool is_past(at_formula_op op)
{
    return op >= AT_F_PREVIOUS && op <= AT_F_SINCE;
}

static at_status part_fits(machine *m, const at_formula *x, at_err *err)
{
    bool ahead = x->op >= AT_F_NEXT && x->op <= AT_F_RELEASE;
    if (x->op == AT_F_FIND && x->see != AT_SEE_ALL)
        ahead = x->see >= AT_SEE_FROM;
    if (x->op >= AT_F_LESS || x->op == AT_F_SET || x->op == AT_F_WEAK_UNTIL || x->op == AT_F_RELEASE)
        return at_fail(err, AT_EREFUSED, "%s, so no automaton is made of the formula",
                       x->op == AT_F_SET    ? "it speaks of a set of positions"
                       : x->op >= AT_F_LESS ? "it counts"
                                            : "it has W or R");
    if (x->op == AT_F_FIND && x->see == AT_SEE_ALL)
        return at_fail(err, AT_EREFUSED,
                       "a search that looks both ways, so no automaton is made of the formula");
    bool looks = is_past(x->op) || ahead || x->op == AT_F_FIND;
    if (looks && ahead != m->ahead)
        return at_fail(
            err, AT_EREFUSED,
            "it looks %s, so no automaton is made of the formula: read at the last position or behind the "
            "word one must look back, read at the first or before it ahead",
            ahead ? "ahead" : "back");
    if (x->op == AT_F_CLASS && m->ahead)
        return at_fail(err, AT_EREFUSED,
                       "it looks ahead and speaks of positions, so no automaton is made of the formula");
    if (x->op == AT_F_CLASS) {
        int a = m->modulus, b = x->modulus;
        for (int rest; b; a = b, b = rest)
            rest = a % b;
        if ((int64_t)m->modulus / a * x->modulus > AT_STATES_MAX)
            return at_fail(err, AT_EBUDGET, "its moduli together are more than %d", AT_STATES_MAX);
        m->modulus = m->modulus / a * x->modulus;
    }
    return AT_OK;
}

/* Says a score or value of j alone, or nothing of a position? */
static bool of_j(const at_formula *x)
{
    if (x->op == AT_F_CONST || x->other)
        return true;
    if (!x->two)
        return false;
    return of_j(x->arg[0]) && (!x->arg[1] || of_j(x->arg[1]));
}

static at_status parts_use(machine *m, const at_formula *x, at_err *err)
{
    at_status s = AT_OK;
    if (x->op == AT_F_NAME) /* also of j: its value at every position is what the body's is */
        return parts_use(m, m->f->names[x->index].body, err);
    if (x->op == AT_F_FIND && (!of_j(x->arg[0]) || !of_j(x->arg[1])))
        return at_fail(err, AT_EREFUSED,
                       "a search that depends on i, so no automaton is made of the formula");
    if (m->used[x->id])
        return AT_OK;
    m->used[x->id] = true;
    for (int k = 0; k < 3 && !s; k++)
        if (x->arg[k])
            s = parts_use(m, x->arg[k], err);
    return s ? s : part_fits(m, x, err);
}

/* ---- one position -------------------------------------------------------------------------------------------------------- */

static int of(const machine *m, const at_formula *x)
{
    return m->value[body(m->f, x)->id];
}

/* The value of a part at a position with this letter (-1: a hidden one), where `was` is its memory. */
static int part_value(const machine *m, const at_formula *x, int letter, int at, int was)
{
    bool now = !m->f->strict;
    int a = x->arg[0] && !(x->op == AT_F_FIND) ? of(m, x->arg[0]) : 0,
        b = x->arg[1] && !(x->op == AT_F_FIND) ? of(m, x->arg[1]) : 0;
    switch ((int)x->op) {
    case AT_F_CONST:
        return (int)x->value;
    case AT_F_LETTER:
        return letter == x->index;
    case AT_F_CLASS:
        return letter >= 0 && (at + 1) % x->modulus == x->index;
    case AT_F_NOT:
        return !a;
    case AT_F_AND:
        return a && b;
    case AT_F_OR:
        return a || b;
    case AT_F_IMPLIES:
        return !a || b;
    case AT_F_IFF:
        return !a == !b;
    case AT_F_PREVIOUS:
    case AT_F_NEXT:
        return was == YES;
    case AT_F_WEAK_PREVIOUS:
    case AT_F_WEAK_NEXT:
        return was != NO;
    case AT_F_ONCE:
    case AT_F_EVENTUALLY:
        return was == YES || (now && a);
    case AT_F_HENCE:
    case AT_F_ALWAYS:
        return was != YES && (!now || a); /* YES: it failed somewhere */
    case AT_F_SINCE:
    case AT_F_UNTIL:
        return now ? b || (a && was == YES) : was == YES;
    case AT_F_FIND:
        if (x->see == AT_SEE_UPTO || x->see == AT_SEE_FROM) { /* its own position is seen, too */
            bool first = x->first != m->ahead;
            if (letter >= 0 && of(m, x->arg[0]) && !(first && was != NONE))
                was = of(m, x->arg[1]) ? YES : NO;
        }
        return was == NONE ? of(m, x->arg[2]) : was == YES;
    default:
        return 0;
    }
}

/* The memory of a part after a position of the word. */
static int part_memory(const machine *m, const at_formula *x, int was)
{
    switch ((int)x->op) {
    case AT_F_PREVIOUS:
    case AT_F_NEXT:
    case AT_F_WEAK_PREVIOUS:
    case AT_F_WEAK_NEXT:
        return of(m, x->arg[0]) ? YES : NO;
    case AT_F_ONCE:
    case AT_F_EVENTUALLY:
        return was == YES || of(m, x->arg[0]) ? YES : NONE;
    case AT_F_HENCE:
    case AT_F_ALWAYS:
        return was == YES || !of(m, x->arg[0]) ? YES : NONE;
    case AT_F_SINCE:
    case AT_F_UNTIL:
        return of(m, x->arg[1]) || (of(m, x->arg[0]) && was == YES) ? YES : NONE;
    case AT_F_FIND:
        if (of(m, x->arg[0]) && !(x->first != m->ahead && was != NONE))
            return of(m, x->arg[1]) ? YES : NO;
        return was;
    default:
        return NONE;
    }
}

/* A position after a state; to NULL: only values, at a hidden position. */
static void position_run(const machine *m, const int *from, int letter, int *to)
{
    int P = m->f->n_parts;
    for (int k = 0; k < P; k++)
        if (m->used[k]) /* what is said of j is gone through as if said of i */
            m->value[k] = part_value(m, m->f->parts[k], letter, from[P], from[k]);
    for (int k = 0; k < P && to; k++)
        to[k] = m->used[k] ? part_memory(m, m->f->parts[k], from[k]) : NONE;
    if (to) {
        to[P] = (from[P] + 1) % m->modulus;
        to[P + 1] = m->hidden ? 0 : of(m, m->f->accept);
    }
}

/* ---- states ----------------------------------------------------------------------------------------------------------------- */

static at_status state_meet(machine *m, const int *state, int *out, at_err *err)
{
    size_t bytes = (size_t)m->slots * sizeof *state;
    for (int k = 0; k < m->n; k++)
        if (memcmp(m->state + (size_t)k * (size_t)m->slots, state, bytes) == 0) {
            *out = k;
            return AT_OK;
        }
    if (m->n == AT_STATES_MAX)
        return at_fail(err, AT_EBUDGET, "the automaton of the formula has more than %d states",
                       AT_STATES_MAX);
    if (m->n == m->room) {
        int room = m->room ? 2 * m->room : 64;
        int *more = at_new(m->a, int, (size_t)room *(size_t)m->slots),
            *to = at_new(m->a, int, (size_t)room *(size_t)m->f->sigma.n);
        if (!more || !to)
            return at_oom(err);
        if (m->n) {
            memcpy(more, m->state, (size_t)m->n * bytes);
            memcpy(to, m->to, (size_t)m->n * (size_t)m->f->sigma.n * sizeof *to);
        }
        m->state = more;
        m->to = to;
        m->room = room;
    }
    memcpy(m->state + (size_t)m->n * (size_t)m->slots, state, bytes);
    *out = m->n++;
    return AT_OK;
}

static at_status states_find(machine *m, at_err *err)
{
    int S = m->f->sigma.n, first;
    int *from = at_new(m->a, int, m->slots), *to = at_new(m->a, int, m->slots);
    if (!from || !to)
        return at_oom(err);
    from[m->slots - 1] = m->hidden ? 0 : 2; /* no word: like no other state */
    at_status s = state_meet(m, from, &first, err);
    for (int k = 0; k < m->n && !s; k++)
        for (int a = 0; a < S && !s; a++) {
            if (at_cancel_pending())
                return at_fail(err, AT_ECANCEL, "interrupted");
            int next;
            memcpy(from, m->state + (size_t)k * (size_t)m->slots, (size_t)m->slots * sizeof *from);
            position_run(m, from, a, to);
            s = state_meet(m, to, &next, err);
            if (!s)
                m->to[k * S + a] = next;
        }
    return s;
}

/* The automaton of the words turned round. */
static at_status turned(const at_dfa *d, at_arena *a, at_dfa **out, at_err *err)
{
    at_nfa x;
    at_nfa_init(&x, &d->sigma);
    for (int k = 0; k < d->states; k++)
        at_nfa_state(&x);
    int from = at_nfa_state(&x), to = at_nfa_state(&x);
    for (int k = 0; k < d->states; k++) {
        for (int c = 0; c < d->sigma.n; c++)
            at_nfa_edge(&x, d->to[k * d->sigma.n + c], c, k);
        if (d->accept[k])
            at_nfa_edge(&x, from, -1, k);
    }
    at_nfa_edge(&x, d->start, -1, to);
    at_status s = at_nfa_determinize(&x, from, to, a, out, err);
    at_nfa_release(&x);
    return s;
}

at_status at_formulas_dfa(const at_formulas *f, bool empty, at_arena *a, at_dfa **out, at_err *err)
{
    at_arena scratch;
    at_dfa *d = NULL, *least = NULL;
    at_arena_init(&scratch);
    machine m = {.f = f,
                 .ahead = f->at == AT_AT_FIRST || f->at == AT_AT_BEGIN,
                 .hidden = f->at == AT_AT_END || f->at == AT_AT_BEGIN,
                 .modulus = 1,
                 .slots = f->n_parts + 2,
                 .a = &scratch};
    m.used = at_new(&scratch, bool, f->n_parts + 1);
    m.value = at_new(&scratch, int, f->n_parts + 1);
    at_status s = m.used && m.value ? parts_use(&m, f->accept, err) : at_oom(err);
    if (!s)
        s = states_find(&m, err);
    if (!s)
        s = at_dfa_new(&f->sigma, m.n, &scratch, &d, err);
    if (!s) {
        memcpy(d->to, m.to, (size_t)m.n * (size_t)f->sigma.n * sizeof *d->to);
        for (int k = 0; k < m.n; k++) {
            const int *state = m.state + (size_t)k * (size_t)m.slots;
            if (m.hidden) {
                position_run(&m, state, -1, NULL);
                d->accept[k] = of(&m, f->accept);
            } else
                d->accept[k] = k ? state[m.slots - 1] == 1 : empty;
        }
        s = m.ahead ? at_dfa_minimize(d, &scratch, &least, err) : at_dfa_minimize(d, a, out, err);
    }
    if (!s && m.ahead)
        s = turned(least, a, out, err);
    at_arena_release(&scratch);
    return s;
}
