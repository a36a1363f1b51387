/* stream_compose.c: functions given as tables, one after the other.
 *
 *     compose    f_1 | ... | f_k | x <sep> x_1 ... x_k <sep> x_k <eos>               x_l = f_l(x_{l-1}), x_0 = x
 *     funccomp   z_L | ... | z_1 | z_0 | w_1 ... w_{L-1} <sep> i_1 ... i_L <sep> i_L <eos>
 *                i_1 = z_1(z_0), i_{l+1} = z_{l+1}(w_l, i_l)
 *
 * f_l and z_1 are n values, f(0) .. f(n-1); z_l for l > 1 is m n values, z(0,0) z(0,1) .. z(m-1,n-1). Values are uniform in
 * 0..n-1, w_l in 0..m-1. (Chen, Peng, Wu 2024 let the domains grow with l; here they are equal. The prompt order is
 * theirs: the function that is applied last stands first.)
 *
 * Tokens: <pad> <sep> <eos> | then the integers from 0. */
#include <stdio.h>

#include "../stream.h"

#define N_MAX 256
#define K_MAX 64
enum { BAR = AT_TOKEN_FIRST, NUMBER };

static const at_param compose_schema[] = {
    {"n", "functions are from 0..n-1 to 0..n-1", 1, N_MAX, 8, true},
    {"k", "functions", 1, K_MAX, 3, true},
};
static const at_param funccomp_schema[] = {
    {"n", "values are 0..n-1", 1, N_MAX, 4, true},
    {"m", "the w are 0..m-1", 1, 64, 2, true},
    {"L", "functions", 1, 16, 3, true},
};

extern const at_stream at_stream_compose; /* below */

static bool is_compose(const at_source *d)
{
    return d->stream == &at_stream_compose;
}

/* Functions, and the values of function number l in order of use, from 0. */
static int functions(const at_source *d)
{
    return source_int(d, is_compose(d) ? "k" : "L");
}

static int table_size(const at_source *d, int l)
{
    return source_int(d, "n") * (is_compose(d) || l == 0 ? 1 : source_int(d, "m"));
}

static int vocabulary(const at_source *d)
{
    int n = source_int(d, "n"), m = is_compose(d) ? 1 : source_int(d, "m");
    return NUMBER + (n > m ? n : m);
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    (void)d;
    if (token >= AT_TOKEN_FIRST)
        snprintf(out, AT_STREAM_WORD, token == BAR ? "|" : "%d", token - NUMBER);
}

static int prompt_length(const at_source *d)
{
    int k = functions(d), tokens = k + 2; /* bars, x, <sep> */
    for (int l = 0; l < k; l++)
        tokens += table_size(d, l);
    return is_compose(d) ? tokens : tokens + 1 + k - 1; /* bar and w */
}

static int longest(const at_source *d)
{
    return prompt_length(d) + functions(d) + 3;
}

/* Walks over a prompt: drawn when r is given, else read; false when a token is no value of its place. table[l] is
 * where function l starts, *x and *w where the argument and the w do. */
static bool prompt_walk(const at_source *d, at_rng *r, int *token, int *table, int *x, int *w)
{
    int k = functions(d), n = source_int(d, "n"), at = 0;
    bool ok = true;
    for (int part = 0; part < k + (is_compose(d) ? 1 : 2); part++) {
        int l = is_compose(d) ? part : k - 1 - part, size = part < k    ? table_size(d, l)
                                                            : part == k ? 1
                                                                        : k - 1;
        int top = part <= k ? n : source_int(d, "m");
        if (part)
            token[at] = r ? BAR : token[at], ok &= token[at++] == BAR;
        *(part < k ? &table[l] : part == k ? x : w) = at;
        for (int i = 0; i < size; i++, at++) {
            token[at] = r ? NUMBER + draw_within(r, 0, top - 1) : token[at];
            ok &= token[at] >= NUMBER && token[at] < NUMBER + top;
        }
    }
    return ok;
}

static void draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int table[K_MAX], x, w;
    prompt_walk(d, r, s->token, table, &x, &w);
    s->n = prompt_length(d) - 1;
    prompt_end(s);
}

static bool complete(const at_source *d, at_sequence *s)
{
    int table[K_MAX], x, w = 0, k = functions(d), n = source_int(d, "n");
    if (s->n != prompt_length(d) || s->token[s->n - 1] != AT_TOKEN_SEP ||
        !prompt_walk(d, NULL, s->token, table, &x, &w))
        return false;
    int i = s->token[x] - NUMBER;
    for (int l = 0; l < k; l++) {
        int block = is_compose(d) || l == 0 ? 0 : s->token[w + l - 1] - NUMBER;
        i = s->token[table[l] + block * n + i] - NUMBER;
        sequence_add(s, NUMBER + i);
    }
    answer_end(s, NUMBER + i);
    return true;
}

static const at_stream_verbs verbs = {
    STREAM_VERBS,
    .unlisted = "its rows are drawn; the positions of the task of its name list all tables",
    .before_answer = AT_TOKEN_SEP,
};

const at_stream at_stream_compose = {
    .id = "compose",
    .title = "k-fold composition of functions given as tables",
    .format = "f_1 | ... | f_k | x <sep> x_1 ... x_k <sep> x_k <eos>",
    .params = compose_schema,
    .n_params = STREAM_PARAMS(compose_schema),
    .verbs = &verbs,
};

const at_stream at_stream_funccomp = {
    .id = "funccomp",
    .title = "L-sequential composition: i_1 = z_1(z_0), i_{l+1} = z_{l+1}(w_l, i_l)",
    .format = "z_L | ... | z_1 | z_0 | w <sep> i_1 ... i_L <sep> i_L <eos>",
    .params = funccomp_schema,
    .n_params = STREAM_PARAMS(funccomp_schema),
    .verbs = &verbs,
};
