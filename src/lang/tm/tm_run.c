/* tm_run.c: the reference: a machine on its tape, step by step. */
#include <string.h>

#include <attest/lang.h>

static void end_fill(const int *tape, int origin, int lowest, int highest, at_tm_end *out)
{
    while (lowest <= highest && tape[origin + lowest] == 0)
        lowest++;
    while (highest >= lowest && tape[origin + highest] == 0)
        highest--;
    out->first = lowest <= highest ? lowest : 0;
    out->n = highest - lowest + 1;
}

at_status at_tm_run(const at_tm *t, const int *word, int n, int budget, at_arena *a, int *chain, int *n_chain,
                    at_tm_end *out, at_err *err)
{
    /* The tape grows to twice its size where the head leaves it. */
    int room = 2 * n + 64, origin = room / 4, head = 0, lowest = 0, highest = n - 1, q = t->start, steps = 0;
    int *tape = at_calloc((size_t)room, sizeof *tape);
    at_tm_verdict verdict = t->verdict[q];
    if (!tape)
        return at_oom(err);
    if (n)
        memcpy(tape + origin, word, (size_t)n * sizeof *tape);
    for (; verdict == AT_TM_RUNS && steps < budget; steps++) {
        const at_tm_rule *r = &t->rule[q * t->symbols + tape[origin + head]];
        if (r->next < 0) {
            verdict = t->stuck;
            break;
        }
        tape[origin + head] = r->write;
        lowest = head < lowest ? head : lowest;
        highest = head > highest ? head : highest;
        if (chain)
            chain[steps] = r->token;
        head += r->move;
        q = r->next;
        verdict = t->verdict[q];
        if (origin + head >= 0 && origin + head < room)
            continue;
        int *more = at_calloc(2 * (size_t)room, sizeof *more);
        if (!more) {
            at_free(tape);
            return at_oom(err);
        }
        memcpy(more + room / 2, tape, (size_t)room * sizeof *tape);
        at_free(tape);
        tape = more;
        origin += room / 2;
        room *= 2;
    }
    /* A machine that is stuck, or has stopped, when the budget ends has an answer. */
    if (verdict == AT_TM_RUNS && t->rule[q * t->symbols + tape[origin + head]].next < 0)
        verdict = t->stuck;
    *out = (at_tm_end){.verdict = verdict, .steps = steps, .head = head};
    end_fill(tape, origin, lowest, highest, out);
    out->tape = at_new(a, int, out->n + 1);
    if (out->tape && out->n)
        memcpy(out->tape, tape + origin + out->first, (size_t)out->n * sizeof *tape);
    at_free(tape);
    if (n_chain) {
        *n_chain = steps;
        if (chain && verdict != AT_TM_RUNS) {
            chain[(*n_chain)++] = at_tm_token(t, verdict);
            chain[(*n_chain)++] = t->tokens - 1;
        }
    }
    return out->tape ? AT_OK : at_oom(err);
}
