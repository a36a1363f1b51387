/* stream_ngram.c: strings of a random n-gram model.
 *
 *     <bos> w_1 ... w_N <eos>
 *
 * The n-1 symbols before decide about the next one; before the first stands <bos>, as often as needed. The logits of
 * history h and symbol w are sqrt(1/r) sum_k A[h][k] B[k][w] with normal A (H, r) and B (r, S), drawn from the parameter
 * `model`: a matrix of rank r or less (rank=0: independent normal logits). Every symbol is possible after every history,
 * so there is no right answer; at_source_probability gives what a learner is compared with. All strings have N
 * symbols. Rows are not split: both parts have the same distribution.
 *
 * Tokens: <pad> <bos> <eos>, then the symbols 0..S-1, written as integers. Legend: S symbols, H = (S+1)^(n-1) histories,
 * whose number has base S+1, digit 0 <bos>, the latest symbol last. */
#include <math.h>
#include <stdio.h>

#include "../stream.h"

#define BOS       AT_TOKEN_SEP
#define CELLS_MAX (1 << 22) /* H S doubles: 32 MiB */

static const at_param schema[] = {
    {"n", "order: n-1 symbols decide about the next", 1, 12, 3, true},
    {"symbols", "size of the alphabet", 2, 256, 8, true},
    {"rank", "of the logits; 0: no bound", 0, 256, 0, true},
    {"N", "symbols in a string", 1, 4096, 32, true},
    {"model", "names the random model", 0, 1e9, 1, true},
};

static double histories(const at_params *p)
{
    return at_pow(at_params_get(p, "symbols") + 1, at_params_get(p, "n") - 1);
}

static at_status validate(const at_params *p, at_err *err)
{
    double cells = histories(p) * at_params_get(p, "symbols");
    if (cells > CELLS_MAX)
        return at_fail(err, AT_EDOMAIN, "n=%d symbols=%d: %.4g probabilities, more than %d",
                       at_params_int(p, "n"), at_params_int(p, "symbols"), cells, CELLS_MAX);
    return AT_OK;
}

static at_status source_open(at_source *d, at_err *err)
{
    int S = source_int(d, "symbols"), rank = source_int(d, "rank");
    size_t H = (size_t)histories(&d->p);
    uint64_t model = (uint64_t)at_params_get(&d->p, "model");
    double *p = at_calloc(H * (size_t)S, sizeof *p);                  /* (H, S), probabilities summed up */
    double *B = at_calloc((size_t)(rank + 1) * (size_t)S, sizeof *B); /* (rank, S) */
    if (!p || !B) {
        at_free(p);
        at_free(B);
        return at_oom(err);
    }
    at_rng r = at_rng_at(model, UINT64_MAX);
    for (int i = 0; i < rank * S; i++)
        B[i] = at_rng_normal(&r);
    for (size_t h = 0; h < H; h++) {
        double *row = p + h * (size_t)S, all = 0;
        r = at_rng_at(model, h);
        for (int w = 0; !rank && w < S; w++)
            row[w] = at_rng_normal(&r);
        for (int k = 0; k < rank; k++) {
            double A = at_rng_normal(&r) / sqrt(rank);
            for (int w = 0; w < S; w++)
                row[w] += A * B[k * S + w];
        }
        for (int w = 0; w < S; w++)
            all += row[w] = at_exp(row[w]);
        for (int w = 0; w < S; w++)
            row[w] /= all;
        for (int w = 1; w < S; w++)
            row[w] += row[w - 1];
    }
    at_free(B);
    d->more = p;
    return AT_OK;
}

static void source_close(at_source *d)
{
    at_free(d->more);
}

static int vocabulary(const at_source *d)
{
    return AT_TOKEN_FIRST + source_int(d, "symbols");
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    (void)d;
    if (token == BOS)
        snprintf(out, AT_STREAM_WORD, "<bos>");
    else if (token >= AT_TOKEN_FIRST)
        snprintf(out, AT_STREAM_WORD, "%d", token - AT_TOKEN_FIRST);
}

static int longest(const at_source *d)
{
    return source_int(d, "N") + 2;
}

/* The summed probabilities (S) after token[0..i-1]. */
static const double *row_after(const at_source *d, const int *token, int i)
{
    size_t S = (size_t)source_int(d, "symbols"), h = 0;
    for (int k = source_int(d, "n") - 1; k >= 1; k--)
        h = h * (S + 1) + (i - k >= 1 ? (size_t)(token[i - k] - AT_TOKEN_FIRST) + 1 : 0);
    return (const double *)d->more + h * S;
}

static void draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int S = source_int(d, "symbols"), N = source_int(d, "N");
    sequence_add(s, BOS);
    s->prompt = s->answer = 1;
    for (int i = 1; i <= N; i++) {
        const double *row = row_after(d, s->token, i);
        double u = at_rng_unit(r) * row[S - 1];
        int w = 0;
        while (w < S - 1 && row[w] <= u)
            w++;
        sequence_add(s, AT_TOKEN_FIRST + w);
    }
    sequence_add(s, AT_TOKEN_EOS);
}

static double probability(const at_source *d, const int *token, int i)
{
    int S = source_int(d, "symbols"), N = source_int(d, "N"), w = token[i] - AT_TOKEN_FIRST;
    if (i < 1 || i > N + 1 || token[0] != BOS ||
        !tokens_within(token + 1, i - 1, AT_TOKEN_FIRST, AT_TOKEN_FIRST + S - 1))
        return 0;
    if (i == N + 1)
        return token[i] == AT_TOKEN_EOS;
    const double *row = row_after(d, token, i);
    return w < 0 || w >= S ? 0 : w ? row[w] - row[w - 1] : row[0];
}

/* Symbols are all possible; what is not a symbol where one is due, or no <eos> at the end, is wrong. */
static void steps(const at_source *d, const int *prompt, int n_prompt, const int *completion, int n,
                  at_grade *g)
{
    int S = source_int(d, "symbols"), N = source_int(d, "N"), at = 0;
    if (n_prompt != 1 || prompt[0] != BOS) { /* a longer prompt is a string's beginning */
        N -= n_prompt - 1;
        if (N < 0 || prompt[0] != BOS ||
            !tokens_within(prompt + 1, n_prompt - 1, AT_TOKEN_FIRST, AT_TOKEN_FIRST + S - 1))
            return;
    }
    while (at < n && at < N && tokens_within(completion + at, 1, AT_TOKEN_FIRST, AT_TOKEN_FIRST + S - 1))
        at++;
    bool whole = at == N && n == N + 1 && completion[at] == AT_TOKEN_EOS;
    g->chain = whole ? AT_UNKNOWN : AT_FALSE;
    g->answer = g->chain;
    g->wrong = whole ? -1 : at == N && at < n && completion[at] == AT_TOKEN_EOS ? at + 1 : at;
}

static const at_stream_verbs verbs = {
    .validate = validate,
    .open = source_open,
    .close = source_close,
    .vocabulary = vocabulary,
    .word = word,
    .longest = longest,
    .draw = draw,
    .unlisted = "text is drawn; there is no prompt with one right answer",
    .steps = steps,
    .probability = probability,
    .before_answer = -1,
};

const at_stream at_stream_ngram = {
    .id = "ngram",
    .title = "Strings of a random n-gram model",
    .format = "<bos> w_1 ... w_N <eos>",
    .params = schema,
    .n_params = STREAM_PARAMS(schema),
    .verbs = &verbs,
};
