/* brasp_test.h: programs in B-RASP as a test draws them, and what they mean by definition, apart from the library: for the tests of its
 * reader and of its compiler. */
#ifndef ATTEST_BRASP_TEST_H
#define ATTEST_BRASP_TEST_H

#include <stdlib.h>
#include <string.h>

#include <attest/lang.h>

enum { STEPS_MAX = 8, BRASP_LONGEST = 8 };

typedef struct truth {
    char op; /* 0, 1, a (letter), p (definition), ! & | */
    int k;
    bool j;
    const struct truth *arg[2];
} truth;

typedef struct {
    bool search, first;
    int mask; /* as at_see */
    const truth *score, *value, *other;
} brasp_step;

typedef struct {
    at_rng r;
    int letters, steps;
    brasp_step step[STEPS_MAX];
    truth pool[2000];
    int used;
} program;

static inline int program_below(program *p, int n)
{
    return (int)at_rng_below(&p->r, (uint64_t)n);
}

/* Of i, and where `two` of j; definitions before `steps`. */
static inline const truth *truth_draw(program *p, int depth, int steps, bool two)
{
    truth *x = &p->pool[p->used++];
    *x = (truth){0};
    if (depth && program_below(p, 4)) {
        static const char ops[] = "!&|";
        x->op = ops[program_below(p, 3)];
        x->arg[0] = truth_draw(p, depth - 1, steps, two);
        if (x->op != '!')
            x->arg[1] = truth_draw(p, depth - 1, steps, two);
        return x;
    }
    x->j = two && program_below(p, 3);
    if (!program_below(p, 6))
        x->op = program_below(p, 2) ? '1' : '0';
    else if (steps && program_below(p, 2)) {
        x->op = 'p';
        x->k = program_below(p, steps);
    } else {
        x->op = 'a';
        x->k = program_below(p, p->letters);
    }
    return x;
}

static inline void program_draw(program *p, uint64_t seed, int letters)
{
    *p = (program){.r = at_rng_at(seed, 3), .letters = letters};
    p->steps = 1 + program_below(p, 5);
    for (int k = 0; k < p->steps; k++) {
        brasp_step *s = &p->step[k];
        s->search = program_below(p, 4) > 0;
        s->first = program_below(p, 2);
        s->mask = program_below(p, AT_SEES);
        s->score = truth_draw(p, 2, k, true);
        s->value = truth_draw(p, 2, k, true);
        s->other = truth_draw(p, 2, k, false);
    }
}

/* ---- what it means: value[k][i] of step k at positions 0 .. n + 1, 1 .. n those of the word ------------------------------ */

typedef struct {
    const program *p;
    const int *word;
    int n;
    bool value[STEPS_MAX][BRASP_LONGEST + 2];
} meaning;

static inline bool truth_at(const meaning *m, const truth *x, int i, int j)
{
    int at = x->j ? j : i;
    switch (x->op) {
    case '0':
        return false;
    case '1':
        return true;
    case 'a':
        return at >= 1 && at <= m->n && m->word[at - 1] == x->k;
    case 'p':
        return m->value[x->k][at];
    case '!':
        return !truth_at(m, x->arg[0], i, j);
    case '&':
        return truth_at(m, x->arg[0], i, j) && truth_at(m, x->arg[1], i, j);
    default:
        return truth_at(m, x->arg[0], i, j) || truth_at(m, x->arg[1], i, j);
    }
}

static inline bool program_accepts(const program *p, const int *word, int n, int at)
{
    meaning m = {.p = p, .word = word, .n = n};
    for (int k = 0; k < p->steps; k++) {
        const brasp_step *s = &p->step[k];
        for (int i = 0; i <= n + 1; i++) {
            int found = 0;
            for (int j = 1; j <= n && s->search; j++) {
                bool seen = s->mask == AT_SEE_ALL      ? true
                            : s->mask == AT_SEE_BEFORE ? j < i
                            : s->mask == AT_SEE_UPTO   ? j <= i
                            : s->mask == AT_SEE_FROM   ? j >= i
                                                       : j > i;
                if (seen && truth_at(&m, s->score, i, j) && (!found || !s->first))
                    found = j;
            }
            m.value[k][i] = found ? truth_at(&m, s->value, i, found) : truth_at(&m, s->other, i, 0);
        }
    }
    return m.value[p->steps - 1][at];
}

/* ---- how it is written -------------------------------------------------------------------------------------------------------- */

static inline void truth_write(program *p, const truth *x, at_text *t)
{
    static const char *const nots[] = {"!", "¬", "not ", "~"}, *const ands[] = {" & ", " ∧ ", " and ", "&&"},
                             *const ors[] = {" | ", " ∨ ", " or ", "||"};
    static const char *const letters[] = {"Q_%c(%c)", "Q%c(%c)", "%c(%c)", "Q[\"%c\"](%c)", "Q_%c (%c)"};
    char at = x->j ? 'j' : 'i';
    if (x->op == '0' || x->op == '1')
        at_text_add(t, program_below(p, 2) ? x->op == '1' ? "1" : "0" : x->op == '1' ? "true" : "false");
    else if (x->op == 'a') {
        char text[32];
        const char *shape = letters[program_below(p, 5)];
        int n = 0;
        for (const char *c = shape, *v = (const char[]){(char)('a' + x->k), at}; *c; c++)
            if (*c == '%') {
                text[n++] = *v++;
                c++;
            } else
                text[n++] = *c;
        at_text_addn(t, text, (size_t)n);
    } else if (x->op == 'p')
        at_text_addf(t, "P%d(%c)", x->k, at);
    else {
        at_text_add(t, "(");
        if (x->op == '!')
            at_text_add(t, nots[program_below(p, 4)]);
        truth_write(p, x->arg[0], t);
        if (x->arg[1]) {
            at_text_add(t, (x->op == '&' ? ands : ors)[program_below(p, 4)]);
            truth_write(p, x->arg[1], t);
        }
        at_text_add(t, ")");
    }
}

/* shift: for controls, the masks are those that follow in at_see. */
static inline void program_write(program *p, at_read_at at, int shift, at_text *t)
{
    static const char *const masks[AT_SEES][2] = {
        {"1", "1"}, {"j < i", "i > j"}, {"j <= i", "j ≤ i"}, {"j >= i", "i<=j"}, {"j > i", "j>i"}};
    static const char *const lefts[] = {"leftmost j", "◁_j", "⊲ j", "◀ j"}, *const rights[] = {"rightmost j",
                                                                                               "▷_j", "⊳ j",
                                                                                               "▶j"};
    at_text_addf(t, "alphabet %s\n", p->letters == 2 ? "a b" : "a b c");
    if (at != AT_AT_LAST && program_below(p, 2))
        at_text_addf(t, "accept %s\n", at_read_at_names[at]);
    for (int k = 0; k < p->steps; k++) {
        const brasp_step *s = &p->step[k];
        at_text_addf(t, "P%d(i) %s ", k, program_below(p, 2) ? "=" : ":=");
        if (s->search) {
            at_text_addf(t, "%s [%s, ", (s->first ? lefts : rights)[program_below(p, 4)],
                         masks[(s->mask + shift) % AT_SEES][program_below(p, 2)]);
            truth_write(p, s->score, t);
            at_text_add(t, "] ");
            truth_write(p, s->value, t);
            at_text_add(t, " : ");
        }
        truth_write(p, s->other, t);
        at_text_add(t, program_below(p, 4) ? "\n" : "; ");
    }
    at_text_addf(t, "accept P%d\n", p->steps - 1);
    if (at != AT_AT_LAST)
        at_text_addf(t, "accept %s", at_read_at_names[at]);
}

#endif
