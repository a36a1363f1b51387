/* stream_match.c: the tasks match2, match3 and qsa as rows of tokens with a label a position, no chain.
 *
 *     3 8 5 <sep> 1 1 0 <eos>                                 match2, match3: labels of x_1, x_2, x_3
 *     1 2 3 , 0 1 3 , 1 1 2 , <sep> 1 2 1 <eos>               qsa: z_i, the q-subset S_i, a comma; sums of z over S_i
 *
 * Answers come from the tasks (match2.c, match3.c). With uniform tokens a label of match2 is 1 with probability
 * about 1 - exp(-N/M), one of match3 about 1 - exp(-N^2/2M): M=0 stands for the M that makes it one half. qsa has bits
 * z_i, so that q times the mean is one of the integers 0..q.
 *
 * Tokens: <pad> <sep> <eos> , then integers from 0. */
#include <math.h>
#include <stdio.h>

#include "../stream.h"

#define N_MAX 1024
#define M_MAX 65536
#define Q_MAX 64
enum { COMMA = AT_TOKEN_FIRST, NUMBER };

static const at_param match_schema[] = {
    {"N", "tokens in a prompt", 1, N_MAX, 16, true},
    {"M", "modulus; 0: the one at which about half of the labels are 1", 0, M_MAX, 0, true},
};
static const at_param qsa_schema[] = {
    {"N", "positions", 1, N_MAX, 20, true},
    {"q", "subset size, at most N", 1, Q_MAX, 3, true},
};

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    (void)d;
    if (token >= AT_TOKEN_FIRST)
        snprintf(out, AT_STREAM_WORD, token == COMMA ? "," : "%d", token - NUMBER);
}

/* ---- match2, match3 ----------------------------------------------------------------------------------- */

extern const at_stream at_stream_match2; /* below */

static int modulus(const at_source *d)
{
    double N = source_int(d, "N");
    int M = source_int(d, "M");
    bool two = d->stream == &at_stream_match2;
    M = M ? M : (int)lround((two ? N : N * N / 2) / at_log(2));
    return M < 2 ? 2 : M > M_MAX ? M_MAX : M; /* 0 and 1 are labels too */
}

static at_status match_validate(const at_params *p, at_err *err)
{
    return at_params_int(p, "M") == 1
               ? at_fail(err, AT_EDOMAIN, "M=1: must be 0 or an integer in 2..%d", M_MAX)
               : AT_OK;
}

static int match_vocabulary(const at_source *d)
{
    return NUMBER + modulus(d);
}

static int match_longest(const at_source *d)
{
    return 2 * source_int(d, "N") + 2;
}

static void match_draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int N = source_int(d, "N"), M = modulus(d);
    for (int i = 0; i < N; i++)
        sequence_add(s, NUMBER + draw_within(r, 0, M - 1));
    prompt_end(s);
}

static words_all match_prompts(const at_source *d)
{
    int N = source_int(d, "N");
    return (words_all){N, N, 1, NUMBER, modulus(d)};
}

static uint64_t match_count(const at_source *d)
{
    words_all w = match_prompts(d);
    return words_count(&w);
}

static void match_nth(const at_source *d, uint64_t i, at_sequence *s)
{
    words_all w = match_prompts(d);
    words_nth(&w, i, s);
}

static bool match_complete(const at_source *d, at_sequence *s)
{
    int N = source_int(d, "N"), M = modulus(d);
    double x[N_MAX], y[N_MAX];
    if (s->n != N + 1 || !tokens_within(s->token, N, NUMBER, NUMBER + M - 1) || s->token[N] != AT_TOKEN_SEP)
        return false;
    const at_task *t = at_task_find(d->stream->id);
    at_params p;
    at_params_init(&p, t->params, t->n_params);
    if (at_params_set(&p, "N", N, NULL) || at_params_set(&p, "M", M, NULL))
        return false;
    for (int i = 0; i < N; i++)
        x[i] = s->token[i] - NUMBER;
    t->answer(&p, x, y);
    s->answer = s->n;
    for (int i = 0; i < N; i++)
        sequence_add(s, NUMBER + (int)y[i]);
    sequence_add(s, AT_TOKEN_EOS);
    return true;
}

static const at_stream_verbs match_verbs = {
    .validate = match_validate,
    .vocabulary = match_vocabulary,
    .word = word,
    .longest = match_longest,
    .draw = match_draw,
    .complete = match_complete,
    .count = match_count,
    .nth = match_nth,
    .before_answer = -1,
};

const at_stream at_stream_match2 = {
    .id = "match2",
    .title = "Pairs that sum to zero modulo M, a label a position",
    .format = "x_1 ... x_N <sep> y_1 ... y_N <eos>",
    .params = match_schema,
    .n_params = STREAM_PARAMS(match_schema),
    .verbs = &match_verbs,
};

const at_stream at_stream_match3 = {
    .id = "match3",
    .title = "Triples that sum to zero modulo M, a label a position",
    .format = "x_1 ... x_N <sep> y_1 ... y_N <eos>",
    .params = match_schema,
    .n_params = STREAM_PARAMS(match_schema),
    .verbs = &match_verbs,
};

/* ---- qsa ------------------------------------------------------------------------------------------------- */

static at_status qsa_validate(const at_params *p, at_err *err)
{
    int N = at_params_int(p, "N"), q = at_params_int(p, "q");
    return q > N ? at_fail(err, AT_EDOMAIN, "q=%d: must be an integer in 1..N, and N is %d", q, N) : AT_OK;
}

static int qsa_vocabulary(const at_source *d)
{
    return NUMBER + source_int(d, "N") + 1; /* q <= N */
}

static int qsa_longest(const at_source *d)
{
    return source_int(d, "N") * (source_int(d, "q") + 3) + 2;
}

static void qsa_draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int N = source_int(d, "N"), q = source_int(d, "q");
    for (int i = 0; i < N; i++) {
        sequence_add(s, NUMBER + draw_within(r, 0, 1));
        draw_ascending(r, NUMBER + 1, NUMBER + N, q, s->token + s->n);
        s->n += q;
        sequence_add(s, COMMA);
    }
    prompt_end(s);
}

static bool qsa_complete(const at_source *d, at_sequence *s)
{
    int N = source_int(d, "N"), q = source_int(d, "q"), W = q + 2; /* W: tokens a position */
    if (s->n != N * W + 1 || s->token[s->n - 1] != AT_TOKEN_SEP)
        return false;
    for (int i = 0; i < N; i++) {
        const int *row = s->token + i * W;
        if (!tokens_within(row, 1, NUMBER, NUMBER + 1) ||
            !tokens_within(row + 1, q, NUMBER + 1, NUMBER + N) || row[W - 1] != COMMA)
            return false;
        for (int k = 1; k < q; k++)
            if (row[k] >= row[k + 1])
                return false;
    }
    s->answer = s->n;
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int k = 1; k <= q; k++)
            sum += s->token[(s->token[i * W + k] - NUMBER - 1) * W] - NUMBER;
        sequence_add(s, NUMBER + sum);
    }
    sequence_add(s, AT_TOKEN_EOS);
    return true;
}

static const at_stream_verbs qsa_verbs = {
    .validate = qsa_validate,
    .vocabulary = qsa_vocabulary,
    .word = word,
    .longest = qsa_longest,
    .draw = qsa_draw,
    .complete = qsa_complete,
    .unlisted = "bits and q-subsets together are more than can be run; the positions of qsa list all subsets",
    .before_answer = -1,
};

const at_stream at_stream_qsa = {
    .id = "qsa",
    .title = "Sparse averaging of bits: q times the mean over a q-subset, a label a position",
    .format = "z_1 S_1 , ... z_N S_N , <sep> y_1 ... y_N <eos>",
    .params = qsa_schema,
    .n_params = STREAM_PARAMS(qsa_schema),
    .verbs = &qsa_verbs,
};
