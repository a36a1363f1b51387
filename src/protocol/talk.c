/* talk.c: messages counted and held against their budgets, and the answer held against the model's. */
#include "protocol_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void message_print(at_text *t, const message *m, const at_bits *b)
{
    at_text_addf(t,
                 "%s{\"block\": %d, \"from\": %d, \"to\": %d, \"query\": %zu, \"peak\": %zu, \"sum\": %zu, "
                 "\"bits\": \"",
                 t->n ? ",\n" : "", m->layer, m->from, m->to, m->query, m->peak, m->sum);
    for (size_t i = 0; i < (b->n + 7) / 8; i++)
        at_text_addf(t, "%02x", b->byte[i]);
    at_text_add(t, "\"}");
}

at_status talk_count(at_talk *t, const message *m, const at_bits *b, at_err *err)
{
    if (b->oom)
        return at_oom(err);
    assert(m->query + m->peak + m->sum == b->n);
    t->messages++;
    t->bits += b->n;
    t->query_bits += m->query;
    t->peak_bits += m->peak;
    t->sum_bits += m->sum;
    t->budget += m->budget;
    t->sent[m->from] += b->n;
    if (t->transcript)
        message_print(t->transcript, m, b);
    t->said[m->from] = at_hash64(b->byte, (b->n + 7) / 8, t->said[m->from] ^ b->n);
    if (b->n > m->budget)
        return at_fail(
            err, AT_EBUDGET,
            "attention block %d: the message of party %d to party %d has %zu bits (queries %zu, maxima %zu, "
            "sums %zu); its budget is %ju",
            m->layer + 1, m->from, m->to, b->n, m->query, m->peak, m->sum, (uintmax_t)m->budget);
    return AT_OK;
}

void talk_read_all(const at_bits_reader *r)
{
    assert(!r->over && r->at == r->from->n);
    (void)r;
}

at_status talk_open(at_talk *t, int parties, at_arena *arena, at_err *err)
{
    t->sent = at_new(arena, uint64_t, parties);
    t->said = at_new(arena, uint64_t, parties);
    t->answered = at_new(arena, uint64_t, parties);
    return t->sent && t->said && t->answered ? AT_OK : at_oom(err);
}

at_status at_talk_agrees(const at_model *m, at_arith a, const at_input *x, const at_talk *t, at_arena *arena,
                         bool *same, at_err *err)
{
    at_mark mark = at_arena_mark(arena);
    at_output y;
    at_status s = at_run(m, a, x, NULL, arena, &y, err);
    if (s)
        return s;
    const double *value = y.value + (size_t)t->first * (size_t)y.rows;
    *same = t->first + t->n <= y.n && t->rows == y.rows;
    for (size_t k = 0; *same && k < (size_t)t->n * (size_t)t->rows; k++)
        *same =
            memcmp(&value[k], &t->value[k], sizeof *value) == 0 || (isnan(value[k]) && isnan(t->value[k]));
    at_arena_reset(arena, mark);
    return AT_OK;
}
