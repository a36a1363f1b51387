/* net.c: rivals of the decoder: random nets of other kinds that learn the same stream, and how a row is cut for them.
 *
 *     three-wise, tanh, gru   read a row from the left and say at every position what follows, as the decoder does
 *     ffn                     sees inputs of one length only and answers at the last position
 *     attention               of rows of labels only: every position sees all, and answers where it is asked
 *
 * For a model that answers at the last position every target of a row is a sequence of its own, the row so far; where the
 * model takes one length only, <pad> follows up to it:
 *
 *     0 1 <sep> 1 1 <eos>  ->   0 1 <sep> <pad> <pad> : 1      0 1 <sep> 1 <pad> : 1      0 1 <sep> 1 1 : <eos>
 *
 * So a batch of rows is a larger batch of sequences, with the same targets and the same loss: their mean. Targets of such sequences
 * differ in one place; there is one row of them for every word, and a shorter sequence uses its end. */
#include "learn_internal.h"

#include <string.h>

const char *const at_learn_net_names[AT_LEARN_NETS] = {
    [AT_LEARN_DECODER] = "decoder", [AT_LEARN_THREEWISE] = "three-wise",
    [AT_LEARN_TANH] = "tanh",       [AT_LEARN_GRU] = "gru",
    [AT_LEARN_FFN] = "ffn",         [AT_LEARN_ATTENTION] = "attention",
    [AT_LEARN_SOFTMAX] = "softmax", [AT_LEARN_TRIPLES] = "threewise",
    [AT_LEARN_UNIT] = "unit"};

bool at_learn_net_pure(at_learn_net n)
{
    return n == AT_LEARN_SOFTMAX || n == AT_LEARN_TRIPLES || n == AT_LEARN_UNIT;
}

bool learn_one_length(const at_model *m)
{
    return m->n_min == m->n_max;
}

at_decode learn_rule(const at_model *m)
{
    if (m->decode.enabled)
        return m->decode;
    bool one = learn_one_length(m); /* its room is for what is read; a decoder's for what is written, too */
    return (at_decode){.enabled = true,
                       .stop = AT_STOP_EQUALS,
                       .value = AT_TOKEN_EOS,
                       .max_steps = m->n_max - !one,
                       .prompt_min = one || !m->n_min ? 1 : m->n_min,
                       .prompt_max = m->n_max - !one};
}

/* ---- random nets ------------------------------------------------------------------------------------------- */

/* Words that begin uniform in +- range, as the decoder's may. */
static void words_draw(const at_model *m, double range, uint64_t seed)
{
    const at_tensor *t = &m->tensors[m->fields[0].embed.tensor];
    at_rng g = at_rng_at(seed, (uint64_t)m->n_tensors); /* numbers below are those of the tensors */
    for (size_t k = 0; k < t->count; k++)
        m->weights[t->offset + k] = range * (2 * at_rng_unit(&g) - 1);
}

at_status at_learn_net_model(const at_source *d, const at_recipe *r, at_model *m, at_err *err)
{
    const at_train_arch *a = &r->arch;
    bool ffn = r->net == AT_LEARN_FFN;
    at_labels labels = at_source_labels(d);
    if ((r->net <= AT_LEARN_DECODER && !at_source_positions(d)) || r->net >= AT_LEARN_NETS)
        return at_fail(err, AT_EDOMAIN, "net %d; allowed: %d..%d", (int)r->net, AT_LEARN_DECODER + 1,
                       AT_LEARN_NETS - 1);
    if (a->attention != AT_ATTENTION_STANDARD)
        return at_fail(err, AT_EREFUSED,
                       "attention is %s, but the net is %s: only the decoder has kinds of it",
                       at_attention_names[a->attention], at_learn_net_names[r->net]);
    if (at_source_positions(d))
        return positions_net(d, r, m, err);
    if (at_learn_net_pure(r->net))
        return at_fail(err, AT_EREFUSED, "the net is %s, which learns at positions; these are rows of tokens",
                       at_learn_net_names[r->net]);
    if (r->net == AT_LEARN_ATTENTION && !labels)
        return at_fail(
            err, AT_EREFUSED,
            "the net is attention, whose positions see all others: rows that are written one token "
            "after the other need a decoder");
    if (ffn && labels == AT_LABELS_ALL)
        return at_fail(
            err, AT_EREFUSED,
            "the net is ffn, which answers at the last position only; the stream asks at every position");
    const at_train_net n = {.kind = ffn                            ? AT_NET_FFN
                                    : r->net == AT_LEARN_THREEWISE ? AT_NET_THREEWISE
                                    : r->net == AT_LEARN_ATTENTION ? AT_NET_ATTENTION
                                                                   : AT_NET_RNN,
                            .vocabulary = at_source_vocabulary(d),
                            .length = ffn || labels ? learn_reads(d) : at_source_longest(d),
                            .width = a->width,
                            .layers = a->layers,
                            .hidden = a->hidden,
                            .heads = a->heads,
                            .causal = !labels,
                            .last = labels ? labels == AT_LABELS_LAST : ffn,
                            .cell = r->net == AT_LEARN_GRU ? AT_CELL_GRU : AT_CELL_TANH,
                            .seed = r->seed};
    at_status s = at_train_net_model(&n, m, err);
    if (!s && a->token_range > 0)
        words_draw(m, a->token_range, r->seed);
    if (!s && labels)
        m->n_min = m->n_max; /* no other length was asked */
    return s;
}

at_status learn_net_trainer(const at_source *d, const at_recipe *r, int threads, at_trainer **t, at_err *err)
{
    at_model m;
    at_train_options begin = at_train_options_default;
    begin.dropout = r->arch.dropout;
    begin.seed = r->seed;
    at_status s = at_learn_net_model(d, r, &m, err);
    if (s)
        return s;
    s = at_trainer_from_model(&m, at_f32, threads, &begin, t, err);
    at_model_release(&m);
    return s;
}

/* ---- rows cut into sequences ------------------------------------------------------------------------------- */

struct learn_cut {
    int padded;                  /* length of every sequence; 0: as long as the row so far */
    int longest;                 /* of the sequences */
    int *answer;                 /* (R, longest): row w is -1, ..., -1, w */
    size_t room;                 /* sequences that there is memory for */
    int *token;                  /* padded: (room, longest) */
    at_train_sequence *sequence; /* (room) */
};

void learn_cut_free(learn_cut *c)
{
    if (!c)
        return;
    at_free(c->answer);
    at_free(c->token);
    at_free(c->sequence);
    at_free(c);
}

at_status learn_cut_new(int longest, int words, int padded, learn_cut **out, at_err *err)
{
    learn_cut *c = at_calloc(1, sizeof *c);
    if (!c)
        return at_oom(err);
    *c = (learn_cut){.padded = padded, .longest = padded ? padded : longest};
    size_t n = (size_t)c->longest;
    if (!(c->answer = at_malloc((size_t)words * n * sizeof *c->answer))) {
        learn_cut_free(c);
        return at_oom(err);
    }
    for (int w = 0; w < words; w++)
        for (size_t i = 0; i < n; i++)
            c->answer[(size_t)w * n + i] = i + 1 < n ? -1 : w;
    *out = c;
    return AT_OK;
}

static at_status cut_reserve(learn_cut *c, size_t n, at_err *err)
{
    if (n <= c->room)
        return AT_OK;
    at_train_sequence *sequence = at_realloc(c->sequence, n * sizeof *sequence);
    if (!sequence)
        return at_oom(err);
    c->sequence = sequence;
    if (c->padded) {
        int *token = at_realloc(c->token, n * (size_t)c->longest * sizeof *token);
        if (!token)
            return at_oom(err);
        c->token = token;
    }
    c->room = n;
    return AT_OK;
}

/* The sequence of position i of a row; it is number k. */
static void cut_one(learn_cut *c, const at_train_sequence *row, int i, size_t k)
{
    size_t most = (size_t)c->longest, so_far = (size_t)i + 1, length = c->padded ? most : so_far;
    const int *token = row->token;
    if (c->padded) {
        int *copy = c->token + k * most;
        memcpy(copy, token, so_far * sizeof *copy);
        for (size_t j = so_far; j < most; j++)
            copy[j] = AT_TOKEN_PAD;
        token = copy;
    }
    c->sequence[k] =
        (at_train_sequence){(int)length, token, c->answer + (size_t)row->target[i] * most + (most - length)};
}

at_status learn_cut_rows(learn_cut *c, const at_train_sequence **batch, int *n, at_err *err)
{
    size_t count = 0, k = 0;
    for (int r = 0; r < *n; r++) {
        const at_train_sequence *row = &(*batch)[r];
        if (row->length > c->longest)
            return at_fail(err, AT_EDOMAIN, "a row has %d tokens to read; the model reads %d", row->length,
                           c->longest);
        for (int i = 0; i < row->length; i++)
            count += row->target[i] >= 0;
    }
    if (count > LESSON_CUT_MOST)
        return at_fail(
            err, AT_EREFUSED,
            "%d rows have %zu targets, each a sequence for this net; at most %d: take a smaller batch", *n,
            count, LESSON_CUT_MOST);
    at_status s = cut_reserve(c, count, err);
    if (s)
        return s;
    for (int r = 0; r < *n; r++)
        for (int i = 0; i < (*batch)[r].length; i++)
            if ((*batch)[r].target[i] >= 0)
                cut_one(c, &(*batch)[r], i, k++);
    *batch = c->sequence;
    *n = (int)count;
    return AT_OK;
}
