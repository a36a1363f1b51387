/* expr_draw.c: expressions drawn at random, and all of them listed.
 *
 * Drawn: backwards from the answer, as the public benchmark of Feng et al. 2023 does. A number v becomes `a op b` with
 * a op b = v: a and op are uniform, and drawn anew as long as there is no b. What stands beside v decides about brackets, and nothing later changes that, because every operator stays where it is. Brackets come only where the
 * value needs them: x + v becomes x + a + b, x - v becomes x - ( a + b ).
 *
 * Listed: the trees. C(k, v) is the number of trees with k operators and value v that never divide by zero,
 *
 *     C(0, v) = 1,   C(k, v) = sum over l + r = k-1, op, a op b = v of C(l, a) C(r, b),
 *
 * and a number below the sum names the summand it falls into: first k, then v, then l, op and a, and what is left
 * names the two subtrees. A tree has one way to be written without redundant brackets, so trees are expressions. */
#include <string.h>

#include "expr.h"

/* ---- drawn ----------------------------------------------------------------------------------------------- */

/* Uniform among the pairs with a op b = v. */
static void split(int p, int op, int v, at_rng *r, int *a, int *b)
{
    uint64_t q = (uint64_t)p;
    switch (op) {
    case AT_EXPR_ADD:
        *a = (int)at_rng_below(r, q);
        *b = expr_apply(p, AT_EXPR_SUB, v, *a);
        break;
    case AT_EXPR_SUB:
        *a = (int)at_rng_below(r, q);
        *b = expr_apply(p, AT_EXPR_SUB, *a, v);
        break;
    case AT_EXPR_MUL:
        if (v) {
            *a = 1 + (int)at_rng_below(r, q - 1);
            *b = expr_apply(p, AT_EXPR_DIV, v, *a);
        } else { /* (0, 0), p-1 times (0, b), p-1 times (a, 0) */
            int k = (int)at_rng_below(r, 2 * q - 1);
            *a = k < p ? 0 : k - p + 1;
            *b = k < p ? k : 0;
        }
        break;
    default:
        *b = 1 + (int)at_rng_below(r, q - 1);
        *a = expr_apply(p, AT_EXPR_MUL, v, *b);
    }
}

/* The b with a op b = v are lo..hi: none, one, or (0 b = 0, 0 / b = 0) all that are allowed. */
static void partners(int p, int op, int a, int v, int *lo, int *hi)
{
    if (expr_is_high(op) && a == 0) { /* 0 op b is 0 */
        *lo = op == AT_EXPR_DIV;
        *hi = v == 0 ? p - 1 : -1;
    } else if (op == AT_EXPR_DIV && v == 0) { /* a / b is not */
        *lo = 0;
        *hi = -1;
    } else
        *lo = *hi = op == AT_EXPR_ADD   ? expr_apply(p, AT_EXPR_SUB, v, a)
                    : op == AT_EXPR_SUB ? expr_apply(p, AT_EXPR_SUB, a, v)
                    : op == AT_EXPR_MUL ? expr_apply(p, AT_EXPR_DIV, v, a)
                                        : expr_apply(p, AT_EXPR_DIV, a, v);
}

/* a and op, uniform among those for which there is a b; and b, uniform where it is free. */
static int draw_pair(int p, int v, at_rng *r, int *a, int *b)
{
    for (;;) {
        int op = AT_EXPR_ADD + (int)at_rng_below(r, 4), lo, hi;
        *a = (int)at_rng_below(r, (uint64_t)p);
        partners(p, op, *a, v, &lo, &hi);
        if (lo <= hi) {
            *b = lo + (int)at_rng_below(r, (uint64_t)(hi - lo) + 1);
            return op;
        }
    }
}

int at_expr_sample(int p, int k, at_rng *r, int *token)
{
    return expr_sample_undo(p, k, r, token, NULL);
}

int expr_sample_undo(int p, int k, at_rng *r, int *token, expr_split *undo)
{
    int n = 1;
    token[0] = AT_EXPR_NUMBER + (int)at_rng_below(r, (uint64_t)p);
    for (int made = 0; made < k; made++) {
        int which = (int)at_rng_below(r, (uint64_t)made + 1), i = 0, a, b; /* made + 1 numbers so far */
        while (token[i] < AT_EXPR_NUMBER || which-- > 0)
            i++;
        int op = draw_pair(p, token[i] - AT_EXPR_NUMBER, r, &a, &b);
        int left = i > 0 ? token[i - 1] : AT_EXPR_EOS, right = i + 1 < n ? token[i + 1] : AT_EXPR_EOS;
        bool brackets = expr_is_low(op) ? left == AT_EXPR_SUB || expr_is_high(left) || expr_is_high(right)
                                        : left == AT_EXPR_DIV;
        int group[5] = {AT_EXPR_OPEN, AT_EXPR_NUMBER + a, op, AT_EXPR_NUMBER + b, AT_EXPR_CLOSE};
        int size = brackets ? 5 : 3;
        if (undo)
            undo[made] = (expr_split){i, size, token[i]};
        memmove(token + i + size, token + i + 1, (size_t)(n - i - 1) * sizeof *token);
        memcpy(token + i, group + !brackets, (size_t)size * sizeof *token);
        n += size - 1;
    }
    return n;
}

/* Appends a tree with k operators and value v that needs brackets as an operand of `around`, on its left or right. */
static int long_write(int p, int v, int k, int around, bool left, at_rng *r, int *token, int n)
{
    if (k == 0) {
        token[n] = AT_EXPR_NUMBER + v;
        return n + 1;
    }
    bool low = left ? expr_is_high(around) : expr_is_low(around); /* x - ( a + b ), ( a + b ) * x */
    int op = AT_EXPR_ADD + (int)at_rng_below(r, low ? 2 : 4), a, b;
    int l = expr_is_low(op) ? 0 : (int)at_rng_below(r, (uint64_t)k); /* a left operand of + or - needs none */
    split(p, op, v, r, &a, &b);
    if (around != AT_EXPR_EOS)
        token[n++] = AT_EXPR_OPEN;
    n = long_write(p, a, l, op, true, r, token, n);
    token[n++] = op;
    n = long_write(p, b, k - 1 - l, op, false, r, token, n);
    if (around != AT_EXPR_EOS)
        token[n++] = AT_EXPR_CLOSE;
    return n;
}

int at_expr_sample_long(int p, int k, at_rng *r, int *token)
{
    int v = (int)at_rng_below(r, (uint64_t)p);
    return long_write(p, v, k, AT_EXPR_EOS, true, r, token, 0);
}

/* ---- listed ---------------------------------------------------------------------------------------------- */

static uint64_t plus(uint64_t a, uint64_t b) /* saturating, as UINT64_MAX means too many */
{
    uint64_t c;
    return __builtin_add_overflow(a, b, &c) ? UINT64_MAX : c;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t c;
    return __builtin_mul_overflow(a, b, &c) ? UINT64_MAX : c;
}

static uint64_t count_of(const at_expr_space *s, int k, int v)
{
    return s->value[(size_t)k * (size_t)s->p + (size_t)v];
}

/* One term C(l, a) C(k-1-l, b) of the sum. */
typedef struct {
    int l, op, a, b;
} summand;

/* Finds the summand that number *i falls into and leaves in *i the number within it; sum: the total, when i is NULL. */
static bool summand_find(const at_expr_space *s, int k, int v, uint64_t *i, summand *out, uint64_t *sum)
{
    for (int l = 0; l < k; l++)
        for (int op = AT_EXPR_ADD; op <= AT_EXPR_DIV; op++)
            for (int a = 0; a < s->p; a++) {
                int lo, hi;
                partners(s->p, op, a, v, &lo, &hi);
                for (int b = lo; b <= hi; b++) {
                    uint64_t here = times(count_of(s, l, a), count_of(s, k - 1 - l, b));
                    *out = (summand){l, op, a, b};
                    if (i && *i < here)
                        return true;
                    if (i)
                        *i -= here;
                    *sum = plus(*sum, here);
                }
            }
    return false;
}

at_status at_expr_space_init(at_expr_space *s, int p, int least, int most, at_err *err)
{
    *s = (at_expr_space){.p = p, .least = least, .most = most};
    at_status st = at_expr_prime(p, err);
    if (st)
        return st;
    if (least < 0 || least > most || most > AT_EXPR_OPERATORS_MAX)
        return at_fail(err, AT_EDOMAIN, "%d to %d operators: must be ascending in 0..%d", least, most,
                       AT_EXPR_OPERATORS_MAX);
    if (!(s->value = at_calloc((size_t)(most + 1) * (size_t)p, sizeof *s->value)))
        return at_oom(err);
    for (int k = 0; k <= most; k++) {
        uint64_t all = 0;
        for (int v = 0; v < p; v++) {
            uint64_t *count = &s->value[(size_t)k * (size_t)p + (size_t)v];
            summand unused;
            if (k == 0)
                *count = 1;
            else
                summand_find(s, k, v, NULL, &unused, count);
            all = plus(all, *count);
        }
        s->count = k >= least ? plus(s->count, all) : 0;
        if (all == UINT64_MAX) { /* and so for all that follow */
            s->count = UINT64_MAX;
            break;
        }
    }
    return AT_OK;
}

void at_expr_space_release(at_expr_space *s)
{
    at_free(s->value);
    s->value = NULL;
}

/* Appends tree number i of C(k, v) and returns the new length. left: it is a left operand; around: the operator. */
static int tree_write(const at_expr_space *s, int k, int v, uint64_t i, int around, bool left, int *token,
                      int n)
{
    if (k == 0) {
        token[n] = AT_EXPR_NUMBER + v;
        return n + 1;
    }
    summand t = {0};
    uint64_t unused = 0;
    summand_find(s, k, v, &i, &t, &unused);
    bool brackets = left ? expr_is_high(around) && expr_is_low(t.op)
                         : expr_is_high(around) || (expr_is_low(around) && expr_is_low(t.op));
    uint64_t rights = count_of(s, k - 1 - t.l, t.b);
    if (brackets)
        token[n++] = AT_EXPR_OPEN;
    n = tree_write(s, t.l, t.a, i / rights, t.op, true, token, n);
    token[n++] = t.op;
    n = tree_write(s, k - 1 - t.l, t.b, i % rights, t.op, false, token, n);
    if (brackets)
        token[n++] = AT_EXPR_CLOSE;
    return n;
}

int at_expr_nth(const at_expr_space *s, uint64_t i, int *token)
{
    for (int k = s->least; k <= s->most; k++)
        for (int v = 0; v < s->p; v++) {
            if (i < count_of(s, k, v))
                return tree_write(s, k, v, i, AT_EXPR_EOS, true, token, 0);
            i -= count_of(s, k, v);
        }
    return 0;
}
