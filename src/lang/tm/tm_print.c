/* tm_print.c: Turing machines in the first form, and the words of their chains. */
#include <stdio.h>
#include <string.h>

#include <attest/lang.h>

static const char moves[] = "LSR";

static void symbol_print(const at_tm *t, int a, at_text *out)
{
    at_text_addf(out, " %s%s", strcmp(t->symbol[a], "#") ? "" : "\\", t->symbol[a]);
}

static void stops_print(const at_tm *t, const char *name, at_tm_verdict v, at_text *out)
{
    for (int q = 0; q < t->states; q++)
        if (t->verdict[q] == v)
            at_text_addf(out, "%s %s\n", name, t->state[q]);
}

void at_tm_print(const at_tm *t, at_text *out)
{
    at_text_addf(out, "start %s\nblank %s\nalphabet", t->state[t->start], t->symbol[0]);
    for (int a = 1; a <= t->letters; a++)
        symbol_print(t, a, out);
    if (t->letters + 1 < t->symbols)
        at_text_add(out, "\ntape");
    for (int a = t->letters + 1; a < t->symbols; a++)
        symbol_print(t, a, out);
    at_text_add(out, "\n");
    stops_print(t, "accept", AT_TM_YES, out);
    stops_print(t, "reject", AT_TM_NO, out);
    stops_print(t, "halt", AT_TM_HALT, out);
    at_text_addf(out, "length 0..%d\nsteps %d\n", t->longest, t->budget);
    for (int q = 0; q < t->states; q++)
        for (int a = 0; a < t->symbols; a++) {
            const at_tm_rule *r = &t->rule[q * t->symbols + a];
            if (r->next >= 0) {
                at_text_add(out, t->state[q]);
                symbol_print(t, a, out);
                symbol_print(t, r->write, out);
                at_text_addf(out, " %c %s\n", moves[r->move + 1], t->state[r->next]);
            }
        }
}

bool at_tm_equal(const at_tm *x, const at_tm *y)
{
    bool same = x->states == y->states && x->symbols == y->symbols && x->letters == y->letters &&
                x->start == y->start && x->stuck == y->stuck && x->longest == y->longest &&
                x->budget == y->budget && x->tokens == y->tokens;
    for (int q = 0; same && q < x->states; q++)
        same = !strcmp(x->state[q], y->state[q]) && x->verdict[q] == y->verdict[q];
    for (int a = 0; same && a < x->symbols; a++)
        same = !strcmp(x->symbol[a], y->symbol[a]);
    for (int k = 0; same && k < x->states * x->symbols; k++) {
        const at_tm_rule *r = &x->rule[k], *s = &y->rule[k];
        same = r->next == s->next &&
               (r->next < 0 || (r->write == s->write && r->move == s->move && r->token == s->token));
    }
    return same;
}

int at_tm_token(const at_tm *t, at_tm_verdict v)
{
    return t->begin + t->steps + (int)v;
}

void at_tm_word(const at_tm *t, int token, char out[AT_WORD_MAX + 1])
{
    int step = token - t->begin - 1, end = t->tokens - 1;
    if (token < t->begin)
        snprintf(out, AT_WORD_MAX + 1, "%s", t->symbol[token]);
    else if (token == t->begin)
        snprintf(out, AT_WORD_MAX + 1, "<start>");
    else if (step < t->steps)
        snprintf(out, AT_WORD_MAX + 1, "%s/%c/%s", t->symbol[t->step[step]->write],
                 moves[t->step[step]->move + 1], t->state[t->step[step]->next]);
    else
        snprintf(out, AT_WORD_MAX + 1, "%s",
                 token == end ? "<end>" : at_tm_verdict_names[token - t->begin - t->steps]);
}
