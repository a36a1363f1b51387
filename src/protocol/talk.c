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

/* ---- who holds what ---------------------------------------------------------------------------------------- */

enum { PARTIES = 26 };

static at_status letters_read(const char *word, int n, int *owner, int *parties, at_err *err)
{
    bool seen[PARTIES] = {false};
    if (strlen(word) != (size_t)n)
        return at_fail(err, AT_EINPUT, "'%.60s' names the parties of %zu positions; the input has %d", word,
                       strlen(word), n);
    *parties = 0;
    for (int i = 0; i < n; i++) {
        owner[i] = word[i] - 'A';
        if (owner[i] < 0 || owner[i] >= PARTIES)
            return at_fail(err, AT_EINPUT, "party %d is '%c'; parties are letters A to Z", i + 1, word[i]);
        seen[owner[i]] = true;
        *parties = owner[i] + 1 > *parties ? owner[i] + 1 : *parties;
    }
    for (int p = 0; p < *parties; p++)
        if (!seen[p])
            return at_fail(err, AT_EINPUT, "there is a party %c but none %c", 'A' + *parties - 1, 'A' + p);
    return AT_OK;
}

at_status at_parties_read(const char *word, int n, at_arena *arena, char **all, int **owner, int *parties,
                          at_err *err)
{
    int64_t count = 0;
    bool dealt = at_parse_i64(word, strlen(word), &count);
    *all = at_new(arena, char, (dealt ? (size_t)n : strlen(word)) + 1);
    *owner = at_new(arena, int, (size_t)n + 1);
    if (!*all || !*owner)
        return at_oom(err);
    if (dealt && (count < 2 || count > PARTIES))
        return at_fail(err, AT_EDOMAIN, "%.40s parties; allowed: 2..%d", word, PARTIES);
    if (dealt && n < count)
        return at_fail(err, AT_EINPUT, "%d positions cannot be dealt to %d parties", n, (int)count);
    for (int i = 0; dealt && i < n; i++)
        (*all)[i] = (char)('A' + i % (int)count);
    if (!dealt)
        strcpy(*all, word);
    return letters_read(*all, n, *owner, parties, err);
}
