/* stream_arithmetic.c: expressions modulo a prime, evaluated one operation a step (docs/expressions.md).
 *
 *     1 * 6 * 9 * 8 * 2 = 6 * 9 * 8 * 2 = 10 * 8 * 2 = 3 * 2 = 6 <eos>      order=leftmost
 *     1 * 6 * 9 * 8 * 2 = 1 * 6 * 9 * 5 = 6 * 9 * 5 = 6 * 1 = 6 <eos>       order=random
 *
 * The prompt goes up to its `=`. leftmost: the chain is a function of the prompt. random, as in the public benchmark: the
 * steps undo those of the construction, last first, so a prompt has many right chains; each step of them is
 *
 *     `a op b` becomes its value, with brackets right around it gone, where that changes no value: within brackets of
 *     its own always; else not (op is + or -, and - * / stands before or * / behind), not (op is * or /, and / before).
 *
 * Both orders have the same prompts. under=1, as in the public benchmark: expressions to learn from have 1 .. k operators, j of
 * them with a probability proportional to j; those of tests have k. Tokens are those of at_expr_word. */
#include "../expr.h"
#include "../stream.h"

#define OPERATORS_MAX 64

static const char *const orders[] = {"leftmost", "random"};
static const at_param schema[] = {
    {"operators", "operators of an expression", 1, OPERATORS_MAX, 6, true},
    {"p", "the prime", 2, AT_EXPR_PRIME_MAX, 11, true},
    {"order", "which operation comes next", 0, 1, 0, true, orders},
    {"under", "1: expressions of the training part may have fewer operators", 0, 1, 0, true},
};

static at_status validate(const at_params *p, at_err *err)
{
    return at_expr_prime(at_params_int(p, "p"), err);
}

static int vocabulary(const at_source *d)
{
    return at_expr_vocabulary(source_int(d, "p"));
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    (void)d;
    at_expr_word(token, out);
}

static int longest(const at_source *d)
{
    int k = source_int(d, "operators");
    return AT_EXPR_TOKENS(k) + 1 + AT_EXPR_CHAIN(k);
}

static void draw(const at_source *d, at_rng *r, at_sequence *s)
{
    int p = source_int(d, "p"), k = source_int(d, "operators");
    expr_split undo[OPERATORS_MAX];
    if (source_int(d, "under")) { /* the j with j(j-1)/2 <= x < j(j+1)/2 */
        int x = (int)at_rng_below(r, (uint64_t)(k * (k + 1) / 2));
        for (k = 1; x >= k; k++)
            x -= k;
    }
    s->n = expr_sample_undo(p, k, r, s->token, undo);
    sequence_add(s, AT_EXPR_EQUALS);
    s->prompt = s->n;
    if (!source_int(d, "order"))
        return;
    for (int step = k - 1, from = 0; step >= 0;
         step--) { /* the segment at from, undone, becomes the next one */
        const expr_split *u = &undo[step];
        int to = s->n, length = to - 1 - from;
        for (int i = 0; i < length; i++)
            if (i < u->at || i >= u->at + u->size)
                sequence_add(s, s->token[from + i]);
            else if (i == u->at)
                sequence_add(s, u->token);
        sequence_add(s, step ? AT_EXPR_EQUALS : AT_EXPR_EOS);
        from = to;
    }
    s->answer = s->n - 2;
}

static bool complete(const at_source *d, at_sequence *s)
{
    int p = source_int(d, "p"), value, operators;
    if (s->token[s->n - 1] != AT_EXPR_EQUALS ||
        at_expr_value(p, s->token, s->n - 1, &value, &operators, NULL) ||
        operators > source_int(d, "operators") || operators < 1 ||
        (operators < source_int(d, "operators") && !source_int(d, "under")))
        return false;
    s->n += at_expr_chain(p, s->token, s->n - 1, s->token + s->n);
    s->answer = s->n - 2;
    return true;
}

/* What has fewer operators than the longest is for training alone. */
static bool no_test(const at_source *d, const at_sequence *s)
{
    int operators = 0;
    for (int i = 0; i < s->n && s->token[i] != AT_EXPR_EQUALS; i++)
        operators += expr_is_low(s->token[i]) || expr_is_high(s->token[i]);
    return operators < source_int(d, "operators");
}

/* Does evaluating `a op b` at t[i], if it may be, give the row next (m)? */
static bool step_is(int p, const int *t, int n, int i, const int *next, int m)
{
    int left = i > 0 ? t[i - 1] : AT_EXPR_EOS, right = i + 3 < n ? t[i + 3] : AT_EXPR_EOS, op = t[i + 1];
    bool wide = left == AT_EXPR_OPEN && right == AT_EXPR_CLOSE;
    if (t[i] < AT_EXPR_NUMBER || !(expr_is_low(op) || expr_is_high(op)) || t[i + 2] < AT_EXPR_NUMBER ||
        (op == AT_EXPR_DIV && t[i + 2] == AT_EXPR_NUMBER))
        return false;
    if (!wide && (expr_is_low(op) ? left == AT_EXPR_SUB || expr_is_high(left) || expr_is_high(right)
                                  : left == AT_EXPR_DIV))
        return false;
    int from = i - wide, to = i + 3 + wide;
    return m == n - (to - from) + 1 && memcmp(next, t, (size_t)from * sizeof *t) == 0 &&
           next[from] ==
               AT_EXPR_NUMBER + expr_apply(p, op, t[i] - AT_EXPR_NUMBER, t[i + 2] - AT_EXPR_NUMBER) &&
           memcmp(next + from + 1, t + to, (size_t)(n - to) * sizeof *t) == 0;
}

/* order=random: every segment follows from the one before by a step, and the last is one number. */
static void steps(const at_source *d, const int *prompt, int n_prompt, const int *completion, int n,
                  at_grade *g)
{
    if (!source_int(d, "order"))
        return;
    const int *t = prompt;
    int length = n_prompt - 1, from = 0;
    while (length > 1) {
        int to = from;
        bool ok = false;
        while (to < n && completion[to] != AT_EXPR_EQUALS && completion[to] != AT_EXPR_EOS)
            to++;
        for (int i = 0; to < n && i + 2 < length && !ok; i++)
            ok = step_is(source_int(d, "p"), t, length, i, completion + from, to - from);
        if (!ok || completion[to] != (to - from > 1 ? AT_EXPR_EQUALS : AT_EXPR_EOS)) {
            g->chain = AT_FALSE;
            g->wrong = from;
            return;
        }
        t = completion + from;
        length = to - from;
        from = to + 1;
    }
    g->chain = from == n;
    g->wrong = g->chain ? -1 : from;
}

static const at_stream_verbs verbs = {
    .validate = validate,
    STREAM_VERBS,
    .unlisted = "its rows are drawn; the chain of arithmetic lists all expressions",
    .steps = steps,
    .no_test = no_test,
    .before_answer = AT_EXPR_EQUALS,
};

const at_stream at_stream_arithmetic = {
    .id = "arithmetic",
    .title = "Expressions modulo a prime, evaluated one operation a step",
    .format = "( 3 + 4 ) * 2 = 7 * 2 = 3 <eos>",
    .params = schema,
    .n_params = STREAM_PARAMS(schema),
    .verbs = &verbs,
};
