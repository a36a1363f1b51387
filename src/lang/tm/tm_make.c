/* tm_make.c: the machine that a text says: names become numbers, * becomes what it stands for, and what is missing, double or
 * unknown is refused.
 *
 * Of several transitions for a state and a symbol the one that names both counts, then that of the state (with *), then that of the
 * symbol, then that of all: as in simulators. Two of one kind are a fault. */
#include <string.h>

#include "tm_internal.h"

const char *const at_tm_verdict_names[AT_TM_VERDICTS] = {"runs", "yes", "no", "halt"};

typedef struct {
    tm_draft *d;
    at_tm *t;
    const char **state, **symbol;
    bool *own; /* (states) it has transitions */
    int states, symbols;
    struct slot {
        int rank; /* 1: names both, ... 4: all; 0: there is none */
        int line;
    } * slot; /* (states, symbols) */
} maker;

static bool is_any(const tm_word *w)
{
    return w->s && !strcmp(w->s, "*");
}

static int find(const char *const *names, int n, const char *s)
{
    for (int k = 0; k < n; k++)
        if (!strcmp(names[k], s))
            return k;
    return -1;
}

static at_status visible(const maker *m, const tm_word *w)
{
    if (!at_text_seen(w->s) || strpbrk(w->s, " ;"))
        return tm_fail(m->d, w, "a character that is not visible, or a ;");
    return AT_OK;
}

static at_status state_add(maker *m, const tm_word *w, bool own)
{
    int q = find(m->state, m->states, w->s);
    if (q < 0) {
        at_status s = visible(m, w);
        if (s)
            return s;
        if (is_any(w) || w->s[0] == '#' || !w->s[0])
            return tm_fail(m->d, w, "'%.40s' is no name of a state: it is empty, *, or begins with #", w->s);
        if (strlen(w->s) > AT_TM_NAME)
            return tm_fail(m->d, w, "the name of a state has at most %d bytes, '%.40s' has %zu", AT_TM_NAME,
                           w->s, strlen(w->s));
        if (m->states == AT_TM_STATES)
            return tm_fail(m->d, w, "more than %d states", AT_TM_STATES);
        q = m->states++;
        m->state[q] = w->s;
    }
    m->own[q] |= own;
    return AT_OK;
}

static at_status symbol_add(maker *m, const tm_word *w)
{
    if (find(m->symbol, m->symbols, w->s) >= 0)
        return AT_OK;
    at_status s = visible(m, w);
    if (s)
        return s;
    const char *c = w->s;
    at_text_next(&c);
    bool one = !*c;
    if (strlen(w->s) > AT_TM_SYMBOL)
        return tm_fail(m->d, w, "a symbol has at most %d bytes, '%.40s' has %zu", AT_TM_SYMBOL, w->s,
                       strlen(w->s));
    if (is_any(w) || !w->s[0] || (!one && (strchr(w->s, '/') || strchr("<#\"\\", w->s[0]))) ||
        find(at_tm_verdict_names, AT_TM_VERDICTS, w->s) >= 0)
        return tm_fail(
            m->d, w,
            "'%s' is no symbol: not *, yes, no, halt, nor words with / or that begin with <, # or a quote",
            w->s);
    if (m->symbols == AT_TM_SYMBOLS)
        return tm_fail(m->d, w, "more than %d symbols, the blank among them", AT_TM_SYMBOLS);
    m->symbol[m->symbols++] = w->s;
    return AT_OK;
}

/* ---- names -------------------------------------------------------------------------------------------------------------------- */

/* Is it said to be no letter of inputs? */
static bool is_other(const tm_draft *d, const char *s)
{
    for (int k = 0; k < d->others.n; k++)
        if (!strcmp(d->others.w[k].s, s))
            return true;
    return false;
}

static at_status symbols_collect(maker *m)
{
    tm_draft *d = m->d;
    const tm_word usual = {"_", 1, 1}, *blank = d->blank.s ? &d->blank : &usual;
    at_status s = symbol_add(m, blank);
    for (int k = 0; k < d->letters.n && !s; k++) {
        const tm_word *w = &d->letters.w[k];
        if (find(m->symbol, m->symbols, w->s) >= 0)
            return tm_fail(d, w,
                           find(m->symbol, 1, w->s) >= 0 ? "'%s' is the blank, and no letter of inputs"
                                                         : "the alphabet has the letter '%s' twice",
                           w->s);
        s = symbol_add(m, w);
    }
    for (size_t k = 0; !d->letters.said && k < d->n && !s; k++)
        if (!is_any(&d->line[k].read) && !is_other(d, d->line[k].read.s))
            s = symbol_add(m, &d->line[k].read);
    m->t->letters = m->symbols - 1;
    for (int k = 0; k < d->others.n && !s; k++)
        s = symbol_add(m, &d->others.w[k]);
    for (size_t k = 0; k < d->n && !s; k++)
        if (!is_any(&d->line[k].read))
            s = symbol_add(m, &d->line[k].read);
    for (size_t k = 0; k < d->n && !s; k++)
        if (d->line[k].write.s && !is_any(&d->line[k].write))
            s = symbol_add(m, &d->line[k].write);
    return s;
}

static at_status states_collect(maker *m)
{
    tm_draft *d = m->d;
    at_status s = AT_OK;
    for (size_t k = 0; k < d->n && !s; k++)
        if (!is_any(&d->line[k].state))
            s = state_add(m, &d->line[k].state, true);
    return s;
}

/* A state without transitions: what its name says. */
static at_tm_verdict by_name(const char *s)
{
    return !strcmp(s, "accept") || !strcmp(s, "halt-accept")   ? AT_TM_YES
           : !strcmp(s, "reject") || !strcmp(s, "halt-reject") ? AT_TM_NO
           : !strncmp(s, "halt", 4)                            ? AT_TM_HALT
                                                               : AT_TM_RUNS;
}

static at_status unknown(const maker *m, const tm_word *w, const char *what)
{
    const char *near = at_nearest(w->s, m->state, (size_t)m->states);
    return tm_fail(m->d, w,
                   "%s '%.40s' has no transitions, and no line accept, reject or halt names it%s%s%s", what,
                   w->s, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* States that stop: those that a line names, and those whose name or heading says so. */
static at_status stops_collect(maker *m)
{
    tm_draft *d = m->d;
    int running = m->states;
    at_status s = AT_OK;
    for (int v = AT_TM_YES; v < AT_TM_VERDICTS && !s; v++)
        for (int k = 0; k < d->stops[v].n && !s; k++) {
            const tm_word *w = &d->stops[v].w[k];
            int q = find(m->state, m->states, w->s);
            if (q >= 0 && q < running)
                return tm_fail(d, w, "the state '%.40s' stops and has transitions", w->s);
            if (q >= 0)
                return tm_fail(d, w, "the state '%.40s' stops twice", w->s);
            s = state_add(m, w, false);
            if (!s)
                m->t->verdict[m->states - 1] = (at_tm_verdict)v;
        }
    for (size_t k = 0; k < d->n_named && !s; k++) {
        const tm_word *w = &d->named[k];
        if (find(m->state, m->states, w->s) >= 0)
            continue;
        s = state_add(m, w, false);
        if (!s)
            m->t->verdict[m->states - 1] = by_name(w->s) ? by_name(w->s) : AT_TM_HALT;
    }
    return s;
}

/* A line that names a state to stop in where no transition goes is a slip. */
static at_status stops_meet(const maker *m)
{
    const tm_draft *d = m->d;
    for (int v = AT_TM_YES; v < AT_TM_VERDICTS; v++)
        for (int k = 0; k < d->stops[v].n; k++) {
            const tm_word *w = &d->stops[v].w[k];
            bool met = d->start.s && !strcmp(d->start.s, w->s);
            at_guess near = {.name = w->s};
            for (size_t j = 0; j < d->n && !met; j++)
                if (d->line[j].next.s) {
                    met = !strcmp(d->line[j].next.s, w->s);
                    at_guess_add(&near, d->line[j].next.s);
                }
            const char *found = met ? NULL : at_guess_found(&near);
            if (!met)
                return tm_fail(d, w, "no transition goes to the state '%.40s'%s%s%s", w->s,
                               found ? "; did you mean '" : "", found ? found : "", found ? "'?" : "");
        }
    return AT_OK;
}

static at_status target_find(maker *m, const tm_word *w, const char *what, int *out)
{
    *out = find(m->state, m->states, w->s);
    if (*out >= 0)
        return AT_OK;
    if (by_name(w->s) == AT_TM_RUNS)
        return unknown(m, w, what);
    at_status s = state_add(m, w, false);
    if (s)
        return s;
    *out = m->states - 1;
    m->t->verdict[*out] = by_name(w->s);
    return AT_OK;
}

static at_status start_find(maker *m)
{
    tm_draft *d = m->d;
    const tm_word zero = {"0", 1, 1}; /* as in simulators */
    if (d->start.s)
        return target_find(m, &d->start, "the state", &m->t->start);
    m->t->start = find(m->state, m->states, zero.s);
    return m->t->start >= 0
               ? AT_OK
               : at_fail(d->err, AT_EINPUT, "%.150s: no state starts; add a line as in start %.40s", d->path,
                         m->states ? m->state[0] : "q0");
}

/* ---- transitions ---------------------------------------------------------------------------------------------------------------- */

static at_status rule_set(maker *m, const tm_line *l, int q, int a, int next, int rank)
{
    at_tm *t = m->t;
    struct slot *slot = &m->slot[q * AT_TM_SYMBOLS + a];
    if (slot->rank == rank)
        return tm_fail(m->d, &l->state,
                       "state '%.40s' has two transitions for '%s'; the other one is in line %d", m->state[q],
                       m->symbol[a], slot->line);
    if (slot->rank && slot->rank < rank)
        return AT_OK;
    *slot = (struct slot){rank, l->state.line};
    t->rule[q * t->symbols + a] =
        (at_tm_rule){.write = is_any(&l->write) || !l->write.s ? a : find(m->symbol, m->symbols, l->write.s),
                     .move = l->move,
                     .next = !l->next.s ? -1
                             : next < 0 ? q
                                        : next};
    return AT_OK;
}

static at_status rules_make(maker *m)
{
    tm_draft *d = m->d;
    at_tm *t = m->t;
    at_status s = AT_OK;
    int running = t->states; /* states with transitions come first; targets may add ones that stop */
    for (size_t k = 0; k < d->n && !s; k++) {
        const tm_line *l = &d->line[k];
        int next = -1, q = is_any(&l->state) ? -1 : find(m->state, m->states, l->state.s),
            a = is_any(&l->read) ? -1 : find(m->symbol, m->symbols, l->read.s);
        if (l->next.s && !is_any(&l->next))
            s = target_find(m, &l->next, "the state", &next);
        int rank = 1 + (a < 0) + 2 * (q < 0);
        for (int i = q < 0 ? 0 : q; i < (q < 0 ? running : q + 1) && !s; i++)
            for (int j = a < 0 ? 0 : a; j < (a < 0 ? t->symbols : a + 1) && !s; j++)
                s = rule_set(m, l, i, j, next, rank);
    }
    return s;
}

/* States in the order in which they are printed: those with transitions, then those that accept, reject and halt. What no
 * transition goes to any more (it was hidden by one that counts more) goes. */
static at_status states_sort(maker *m)
{
    at_tm *t = m->t;
    int n = m->states, *to = at_new(m->d->a, int, n);
    bool *met = at_new(m->d->a, bool, n);
    const char **name = at_new(m->d->a, const char *, n);
    at_tm_verdict *verdict = at_new(m->d->a, at_tm_verdict, n);
    at_tm_rule *rule = at_new(m->d->a, at_tm_rule, n * t->symbols);
    if (!to || !met || !name || !verdict || !rule)
        return at_oom(m->d->err);
    met[t->start] = true;
    for (int k = 0; k < n * t->symbols; k++)
        if (t->rule[k].next >= 0)
            met[k / t->symbols] = met[t->rule[k].next] = true;
    for (int q = 0; q < n; q++) { /* without a transition: it stops at once */
        bool any = false;
        for (int a = 0; a < t->symbols; a++)
            any |= t->rule[q * t->symbols + a].next >= 0;
        if (!any && t->verdict[q] == AT_TM_RUNS)
            t->verdict[q] = t->stuck;
    }
    t->states = 0;
    for (int v = AT_TM_RUNS; v < AT_TM_VERDICTS; v++)
        for (int q = 0; q < n; q++)
            if (met[q] && t->verdict[q] == (at_tm_verdict)v) {
                to[q] = t->states;
                name[t->states] = m->state[q];
                verdict[t->states] = (at_tm_verdict)v;
                memcpy(rule + t->states * t->symbols, t->rule + q * t->symbols,
                       (size_t)t->symbols * sizeof *rule);
                t->states++;
            }
    for (int k = 0; k < t->states * t->symbols; k++)
        if (rule[k].next >= 0)
            rule[k].next = to[rule[k].next];
    t->start = to[t->start];
    t->state = name;
    t->verdict = verdict;
    t->rule = rule;
    return AT_OK;
}

/* The different steps, in the order of states and symbols. */
static at_status steps_number(maker *m)
{
    at_tm *t = m->t;
    t->begin = t->letters + 1;
    t->step = at_new(m->d->a, const at_tm_rule *, t->states * t->symbols + 1);
    if (!t->step)
        return at_oom(m->d->err);
    for (int k = 0; k < t->states * t->symbols; k++) {
        at_tm_rule *r = &t->rule[k];
        int same = -1;
        for (int j = 0; r->next >= 0 && j < t->steps && same < 0; j++)
            if (t->step[j]->write == r->write && t->step[j]->move == r->move && t->step[j]->next == r->next)
                same = j;
        if (r->next >= 0 && same < 0) {
            same = t->steps++;
            t->step[same] = r;
        }
        r->token = r->next < 0 ? -1 : t->begin + 1 + same;
        if (t->begin + t->steps + 5 > AT_TM_TOKENS)
            return at_fail(m->d->err, AT_EINPUT, "%.150s: more than %d different steps", m->d->path,
                           AT_TM_TOKENS - t->begin - 5);
    }
    t->tokens = t->begin + t->steps + 5;
    return AT_OK;
}

static at_status maker_room(maker *m)
{
    at_arena *a = m->d->a;
    m->t = at_new(a, at_tm, 1);
    m->state = at_new(a, const char *, AT_TM_STATES);
    m->symbol = at_new(a, const char *, AT_TM_SYMBOLS);
    m->own = at_new(a, bool, AT_TM_STATES);
    m->slot = at_new(a, struct slot, AT_TM_STATES * AT_TM_SYMBOLS);
    if (m->t)
        m->t->verdict = at_new(a, at_tm_verdict, AT_TM_STATES);
    return m->t && m->state && m->symbol && m->own && m->slot && m->t->verdict ? AT_OK : at_oom(m->d->err);
}

at_status tm_make(tm_draft *d, at_tm **out)
{
    maker m = {.d = d};
    at_status s = maker_room(&m);
    bool any = false; /* --- in busy beavers is none */
    for (size_t k = 0; k < d->n; k++)
        any |= d->line[k].next.s != NULL;
    if (!s && !any)
        s = at_fail(d->err, AT_EINPUT, "%.150s: no transitions; one is written state read write move next",
                    d->path);
    if (!s)
        s = symbols_collect(&m);
    if (!s)
        s = states_collect(&m);
    if (s)
        return s;
    at_tm *t = m.t;
    t->state = m.state;
    t->symbol = m.symbol;
    t->symbols = m.symbols;
    t->states = m.states;
    t->rule = at_new(d->a, at_tm_rule, AT_TM_STATES * t->symbols);
    if (!t->rule)
        return at_oom(d->err);
    for (int k = 0; k < AT_TM_STATES * t->symbols; k++)
        t->rule[k].next = -1;
    s = stops_collect(&m);
    if (!s)
        s = rules_make(&m);
    if (!s)
        s = stops_meet(&m);
    if (!s)
        s = start_find(&m);
    if (s)
        return s;
    t->stuck = AT_TM_HALT;
    for (int k = 0; k < m.states * t->symbols; k++)
        if (t->rule[k].next >= 0 && t->verdict[t->rule[k].next] == AT_TM_YES)
            t->stuck = AT_TM_NO;
    s = states_sort(&m);
    if (!s)
        s = steps_number(&m);
    t->longest = t->letters == 0 ? 0 : d->longest >= 0 ? d->longest : 8;
    t->budget = d->budget > 0 ? d->budget : 200;
    *out = t;
    return s;
}
