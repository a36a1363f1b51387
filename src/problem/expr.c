/* expr.c: expressions modulo a prime: words, parser, judge, chain. Drawing and listing them is expr_draw.c.
 *
 * Two ways to the value that share no code. The judge reads an expression by recursive descent,
 *
 *     sum = term {(+|-) term}      term = factor {(*|/) factor}      factor = NUMBER | ( sum )
 *
 * and also says what is wrong with it. The chain knows no grammar: it rewrites the leftmost handle in the row of
 * tokens until one number is left.
 *
 * Legend: p the prime, n tokens, k operators. Positions in messages count from 1. */
#include <stdio.h>
#include <string.h>

#include "expr.h"

int at_expr_vocabulary(int p)
{
    return AT_EXPR_NUMBER + p;
}

static const char *const words[AT_EXPR_NUMBER] = {"<pad>", "<cls>", "<eos>", "+", "-",
                                                  "*",     "/",     "(",     ")", "="};

const char *at_expr_word(int token, char out[8])
{
    if (token < AT_EXPR_NUMBER)
        snprintf(out, 8, "%s", token < 0 ? "?" : words[token]);
    else
        snprintf(out, 8, "%d", (token - AT_EXPR_NUMBER) % 1000000);
    return out;
}

void at_expr_print(const int *token, int n, at_text *out)
{
    char word[8];
    for (int i = 0; i < n; i++)
        at_text_addf(out, "%s%s", i ? " " : "", at_expr_word(token[i], word));
}

at_status at_expr_prime(int p, at_err *err)
{
    bool prime = p >= 2 && p <= AT_EXPR_PRIME_MAX;
    for (int d = 2; prime && d * d <= p; d++)
        prime = p % d != 0;
    return prime ? AT_OK : at_fail(err, AT_EDOMAIN, "p=%d: must be a prime in 2..%d", p, AT_EXPR_PRIME_MAX);
}

int expr_apply(int p, int op, int a, int b)
{
    switch (op) {
    case AT_EXPR_ADD:
        return (a + b) % p;
    case AT_EXPR_SUB:
        return (a - b + p) % p;
    case AT_EXPR_MUL:
        return a * b % p;
    default: /* a b^(p-2), by Fermat */
        for (int e = p - 2; e; e /= 2, b = b * b % p)
            a = e % 2 ? a * b % p : a;
        return a;
    }
}

/* ---- the judge --------------------------------------------------------------------------------------- */

typedef enum { NO_OPERATOR, LOW, HIGH } rank; /* of the operator that is evaluated last */

typedef struct {
    int p, n, at; /* at: the next token */
    const int *t;
    int operators;
    at_err *err;
    at_status status;
} reader;

static int reader_peek(const reader *r)
{
    return r->at < r->n ? r->t[r->at] : AT_EXPR_EOS;
}

static const char *described(int token, char out[8])
{
    return token == AT_EXPR_EOS ? "the end" : at_expr_word(token, out);
}

static int read_sum(reader *r, rank *main);

/* The brackets at positions from..to hold an expression whose last operator is `inner`. */
static void brackets_check(reader *r, int from, int to, rank inner)
{
    int left = from > 0 ? r->t[from - 1] : AT_EXPR_EOS, right = to + 1 < r->n ? r->t[to + 1] : AT_EXPR_EOS;
    bool needed = inner != NO_OPERATOR &&
                  (expr_is_high(left) || (inner == LOW && (expr_is_low(left) || expr_is_high(right))));
    if (!needed && !r->status)
        r->status = at_fail(r->err, AT_EINPUT, "position %d: redundant brackets, closed at position %d",
                            from + 1, to + 1);
}

static int read_factor(reader *r, rank *main)
{
    char word[8];
    int token = reader_peek(r), from = r->at;
    *main = NO_OPERATOR;
    if (r->status)
        return 0;
    if (token >= AT_EXPR_NUMBER) {
        r->at++;
        return token - AT_EXPR_NUMBER;
    }
    if (token != AT_EXPR_OPEN) {
        r->status = at_fail(r->err, AT_EINPUT, "position %d: a number or ( is expected, not %s", from + 1,
                            described(token, word));
        return 0;
    }
    r->at++;
    rank inner;
    int value = read_sum(r, &inner);
    if (!r->status && reader_peek(r) != AT_EXPR_CLOSE)
        r->status = at_fail(r->err, AT_EINPUT, "position %d: an operator or ) is expected, not %s", r->at + 1,
                            described(reader_peek(r), word));
    brackets_check(r, from, r->at++, inner);
    return value;
}

/* What the operators of one rank join. */
static int read_row(reader *r, rank own, rank *main)
{
    int value = own == LOW ? read_row(r, HIGH, main) : read_factor(r, main);
    while (!r->status && (own == LOW ? expr_is_low(reader_peek(r)) : expr_is_high(reader_peek(r)))) {
        int op = r->t[r->at++], where = r->at;
        rank inside;
        int b = own == LOW ? read_row(r, HIGH, &inside) : read_factor(r, &inside);
        r->operators++;
        *main = own;
        if (!r->status && op == AT_EXPR_DIV && b == 0)
            r->status = at_fail(r->err, AT_EINPUT, "position %d: division by zero", where);
        value = r->status ? 0 : expr_apply(r->p, op, value, b);
    }
    return value;
}

static int read_sum(reader *r, rank *main)
{
    return read_row(r, LOW, main);
}

at_status at_expr_value(int p, const int *token, int n, int *value, int *operators, at_err *err)
{
    char word[8];
    int most = AT_EXPR_TOKENS(AT_EXPR_OPERATORS_MAX); /* bounds the depth of the recursion too */
    if (n > most)
        return at_fail(err, AT_EINPUT, "%d tokens; an expression has at most %d", n, most);
    for (int i = 0; i < n; i++)
        if (token[i] < 0 || token[i] >= at_expr_vocabulary(p))
            return at_fail(err, AT_EINPUT, "position %d: token %d out of range 0..%d", i + 1, token[i],
                           at_expr_vocabulary(p) - 1);
    reader r = {.p = p, .n = n, .t = token, .err = err};
    rank main;
    int v = read_sum(&r, &main);
    if (!r.status && r.at < n)
        r.status = at_fail(err, AT_EINPUT, "position %d: an operator is expected, not %s", r.at + 1,
                           at_expr_word(token[r.at], word));
    if (!r.status && r.operators > AT_EXPR_OPERATORS_MAX)
        r.status = at_fail(err, AT_EINPUT, "%d operators; at most %d are allowed", r.operators,
                           AT_EXPR_OPERATORS_MAX);
    if (!r.status) {
        *value = v;
        *operators = r.operators;
    }
    return r.status;
}

/* ---- from text ----------------------------------------------------------------------------------------- */

/* One token at s; returns the bytes it takes, 0 when there is none. Residues are read as they are written. */
static size_t word_read(const char *s, int64_t *number, int *token)
{
    *number = -1;
    if (*s >= '0' && *s <= '9') {
        size_t n = strspn(s, "0123456789");
        if (!at_parse_i64(s, n, number))
            *number = INT64_MAX;
        return n;
    }
    for (*token = AT_EXPR_ADD; *token < AT_EXPR_NUMBER; ++*token)
        if (words[*token][0] == *s)
            return 1;
    static const struct {
        const char *s;
        int token;
    } others[] = {{"×", AT_EXPR_MUL}, {"÷", AT_EXPR_DIV}, {"−", AT_EXPR_SUB}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (!strncmp(s, others[k].s, strlen(others[k].s))) {
            *token = others[k].token;
            return strlen(others[k].s);
        }
    return 0;
}

static size_t blanks(const char *s)
{
    return strspn(s, " \t\r\n\v\f");
}

at_status at_expr_parse(int p, const char *text, int most, at_arena *a, int **token, int *n, at_err *err)
{
    at_mark before = at_arena_mark(a);
    int room = AT_EXPR_TOKENS(AT_EXPR_OPERATORS_MAX) + 1, count = 0, value, operators = 0;
    int *t = at_new(a, int, room);
    if (!t)
        return at_oom(err);
    at_status s = AT_OK;
    for (text += blanks(text); *text && !s; text += blanks(text)) {
        int64_t number;
        int one = 0;
        size_t bytes = word_read(text, &number, &one);
        if (count == room)
            s = at_fail(err, AT_EINPUT, "more than %d tokens", room - 1);
        else if (!bytes)
            s = at_fail(err, AT_EINPUT, "position %d: '%.*s' is no token; allowed are 0..%d + - * / ( )",
                        count + 1, (int)strcspn(text, " \t\r\n\v\f"), text, p - 1);
        else if (number >= p)
            s = at_fail(err, AT_EDOMAIN, "position %d: %.*s is no residue modulo %d; allowed are 0..%d",
                        count + 1, bytes < 20 ? (int)bytes : 20, text, p, p - 1);
        else
            t[count++] = number >= 0 ? AT_EXPR_NUMBER + (int)number : one;
        text += bytes;
    }
    count -= !s && count > 1 && t[count - 1] == AT_EXPR_EQUALS;
    if (!s)
        s = at_expr_value(p, t, count, &value, &operators, err);
    if (!s && operators > most)
        s = at_fail(err, AT_EDOMAIN, "%d operators; at most %d are allowed here", operators, most);
    if (s) {
        at_arena_reset(a, before);
        return s;
    }
    *token = t;
    *n = count;
    return AT_OK;
}

/* ---- the chain ------------------------------------------------------------------------------------------ */

static bool is_handle(const int *t, int n, int i)
{
    int next = i + 3 < n ? t[i + 3] : AT_EXPR_EQUALS;
    return t[i] >= AT_EXPR_NUMBER && (expr_is_low(t[i + 1]) || expr_is_high(t[i + 1])) &&
           t[i + 2] >= AT_EXPR_NUMBER && !(expr_is_low(t[i + 1]) && expr_is_high(next));
}

int expr_rewrite(int p, const int *t, int n, int *out)
{
    int i = 0;
    while (i + 2 < n && !is_handle(t, n, i))
        i++;
    if (i + 2 >= n)
        return 0;
    int result = AT_EXPR_NUMBER + expr_apply(p, t[i + 1], t[i] - AT_EXPR_NUMBER, t[i + 2] - AT_EXPR_NUMBER);
    bool wide = i > 0 && t[i - 1] == AT_EXPR_OPEN && i + 3 < n && t[i + 3] == AT_EXPR_CLOSE;
    int from = i - wide, to = i + 3 + wide; /* the tokens that go */
    memmove(out, t, (size_t)from * sizeof *t);
    out[from] = result;
    memmove(out + from + 1, t + to, (size_t)(n - to) * sizeof *t);
    return n - (to - from) + 1;
}

int at_expr_chain(int p, const int *token, int n, int *chain)
{
    int at = 0;
    if (n == 1)
        chain[at++] = token[0]; /* nothing to do: said once more */
    while (n > 1) {
        int *segment = chain + at;
        if (!(n = expr_rewrite(p, token, n, segment)))
            return 0;
        token = segment;
        at += n;
        if (n > 1)
            chain[at++] = AT_EXPR_EQUALS;
    }
    chain[at++] = AT_EXPR_EOS;
    return at;
}
