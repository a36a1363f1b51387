/* ptm.c: probabilistic Turing machines: rows of what comes next, and the probabilities of words by running them.
 *
 * The reference is the definition: every run is followed, its tape written and taken back, its probability a product of fractions. */
#include "lines.h"

#include "../num/flint_compat.h"

#include <stdlib.h>
#include <string.h>

#define RUNS_MOST 1000000 /* steps that are followed, of all runs */

static int by_place(const void *x, const void *y)
{
    const at_ptm_rule *a = x, *b = y;
    const int of[2][6] = {{a->from, a->read, a->write, a->move, a->to, a->letter},
                          {b->from, b->read, b->write, b->move, b->to, b->letter}};
    for (int k = 0; k < 6; k++)
        if (of[0][k] != of[1][k])
            return of[0][k] < of[1][k] ? -1 : 1;
    return 0;
}

static bool same_step(const at_ptm_rule *a, const at_ptm_rule *b)
{
    return a->write == b->write && a->move == b->move && a->to == b->to && a->letter == b->letter;
}

at_status at_ptm_make(const at_ptm *like, at_arena *a, at_ptm **out, at_err *err)
{
    int pairs = like->states * like->symbols;
    at_ptm *p = at_new(a, at_ptm, 1);
    at_ptm_rule *rule = at_new(a, at_ptm_rule, like->rules + 1);
    int *first = at_new(a, int, pairs + 1), *step = at_new(a, int, like->rules + 1);
    *out = NULL;
    if (!p || !rule || !first || !step)
        return at_oom(err);
    *p = *like;
    if (p->rules)
        memcpy(rule, like->rule, (size_t)p->rules * sizeof *rule);
    qsort(rule, (size_t)p->rules, sizeof *rule, by_place);
    p->steps = 0;
    for (int k = 0; k < p->rules; k++) {
        int s = 0;
        while (s < p->steps && !same_step(&rule[step[s]], &rule[k]))
            s++;
        if (s == AT_PTM_STEPS)
            return at_fail(err, AT_EBUDGET, "more than %d different steps", AT_PTM_STEPS);
        if (s == p->steps)
            step[p->steps++] = k;
        rule[k].step = s;
    }
    for (int at = 0, k = 0; at < pairs; at++) {
        uint64_t sum = p->end[at];
        first[at] = k;
        for (; k < p->rules && rule[k].from * p->symbols + rule[k].read == at; k++)
            sum += rule[k].count;
        first[at + 1] = k;
        if (sum != p->under[at])
            return at_fail(err, AT_EINPUT,
                           "what goes out of state %d on symbol %d sums to %ju/%u, and not to 1",
                           at / p->symbols, at % p->symbols, (uintmax_t)sum, p->under[at]);
    }
    p->rule = rule;
    p->first = first;
    p->step = step;
    *out = p;
    return AT_OK;
}

void at_ptm_next(const at_ptm *p, int state, int symbol, uint32_t *count, uint32_t *under)
{
    int at = state * p->symbols + symbol;
    uint32_t common = p->end[at];
    memset(count, 0, ((size_t)p->steps + 1) * sizeof *count);
    for (int k = p->first[at]; k < p->first[at + 1]; k++) {
        count[p->rule[k].step] = p->rule[k].count;
        common = (uint32_t)lines_divisor(common, p->rule[k].count);
    }
    count[p->steps] = p->end[at];
    *under = p->under[at];
    if (!*under)
        count[p->steps] = *under = common = 1;
    for (int k = 0; k <= p->steps; k++)
        count[k] /= common;
    *under /= common;
}

void at_ptm_after(const at_ptm *p, const double *token, int n, int *tape, uint32_t *count, uint32_t *under)
{
    int head = n, state = p->start;
    memset(tape, 0, (2 * (size_t)n + 1) * sizeof *tape);
    for (int i = 0; i < n; i++) {
        const at_ptm_rule *r = &p->rule[p->step[(int)token[i]]];
        tape[head] = r->write;
        head += r->move;
        state = r->to;
    }
    at_ptm_next(p, state, tape[head], count, under);
}

/* ---- words by running ---------------------------------------------------------------------------------------------------- */

typedef struct {
    const at_ptm *p;
    int longest, steps;
    int *tape;
    fmpq *sum;
    fmpq_t left;
    uint64_t followed;
    at_err *err;
} runner;

/* The place of a word of n letters whose number is `number`. */
static uint64_t place(const at_ptm *p, int n, uint64_t number)
{
    uint64_t before = 0;
    for (int k = 0; k < n; k++)
        before = before * (uint64_t)p->letters + 1;
    return before + number;
}

static at_status run(runner *r, int state, int head, int done, int n, uint64_t number, const fmpq_t so)
{
    const at_ptm *p = r->p;
    int at = state * p->symbols + r->tape[head], was = r->tape[head];
    at_status s = AT_OK;
    if (r->followed++ == RUNS_MOST)
        return at_fail(r->err, AT_EBUDGET, "more than %d steps of runs; ask for shorter words or fewer steps",
                       RUNS_MOST);
    fmpq_t share;
    fmpq_init(share);
    if (!p->under[at] || p->end[at]) {
        fmpq_set_ui(share, p->under[at] ? p->end[at] : 1, p->under[at] ? p->under[at] : 1);
        fmpq *sum = &r->sum[place(p, n, number)];
        fmpq_addmul(sum, share, so);
    }
    for (int k = p->first[at]; k < p->first[at + 1] && !s; k++) {
        const at_ptm_rule *t = &p->rule[k];
        fmpq_set_ui(share, t->count, p->under[at]);
        fmpq_mul(share, share, so);
        if (t->letter >= 0 && n == r->longest)
            continue;
        if (done == r->steps) {
            fmpq_add(r->left, r->left, share);
            continue;
        }
        r->tape[head] = t->write;
        s = run(r, t->to, head + t->move, done + 1, n + (t->letter >= 0),
                t->letter >= 0 ? number * (uint64_t)p->letters + (uint64_t)t->letter : number, share);
        r->tape[head] = was;
    }
    fmpq_clear(share);
    return s;
}

at_status at_ptm_words(const at_ptm *p, int longest, int steps, at_arena *a, const char *const **out,
                       const char **left, at_err *err)
{
    uint64_t words = 0, all = 1;
    for (int n = 0; n <= longest; n++, all *= (uint64_t)p->letters)
        words += all;
    runner r = {.p = p, .longest = longest, .steps = steps, .err = err};
    const char **said = words <= RUNS_MOST ? at_new(a, const char *, words) : NULL;
    if (!(r.tape = at_new(a, int, 2 * (size_t)steps + 3)) || !said)
        return at_oom(err);
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    fmpq_init(r.left);
    r.sum = _fmpq_vec_init((slong)words);
    at_status s = run(&r, p->start, steps + 1, 0, 0, 0, one);
    for (uint64_t k = 0; k <= words && !s; k++) {
        char *text = fmpq_get_str(NULL, 10, k < words ? &r.sum[k] : r.left);
        const char *kept = at_arena_strdup(a, text);
        flint_free(text);
        if (k < words)
            said[k] = kept;
        else
            *left = kept;
        s = kept ? AT_OK : at_oom(err);
    }
    _fmpq_vec_clear(r.sum, (slong)words);
    fmpq_clear(r.left);
    fmpq_clear(one);
    *out = said;
    return s;
}
