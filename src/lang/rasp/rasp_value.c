/* rasp_value.c: values and what operations make of them. Numbers are fractions, so means are exact and 0.1 + 0.2 is 0.3. */
#include <string.h>

#include "rasp_internal.h"

static const char too_large[] = "a number leaves the 18 digits that it may have";

static __int128 gcd_of(__int128 a, __int128 b)
{
    while (b) {
        __int128 c = a % b;
        a = b;
        b = c;
    }
    return a < 0 ? -a : a;
}

static const char *fraction(__int128 num, __int128 den, at_rasp_atom *out)
{
    const __int128 most = (__int128)1000000000000000000;
    if (den < 0) {
        num = -num;
        den = -den;
    }
    if (den != 1) {
        __int128 g = gcd_of(num, den);
        num /= g;
        den /= g;
    }
    if (num > most || num < -most || den > most)
        return too_large;
    *out = (at_rasp_atom){AT_RASP_NUMBER, (int64_t)num, (int64_t)den, NULL};
    return NULL;
}

static void truth(bool b, at_rasp_atom *out)
{
    *out = (at_rasp_atom){AT_RASP_BOOL, b, 1, NULL};
}

static bool is_true(const at_rasp_atom *x)
{
    return x->kind == AT_RASP_STRING ? x->s[0] != 0 : x->num != 0;
}

bool at_rasp_equal(const at_rasp_atom *x, const at_rasp_atom *y)
{
    if ((x->kind == AT_RASP_STRING) != (y->kind == AT_RASP_STRING))
        return false;
    return at_rasp_order(x, y) == 0;
}

int at_rasp_order(const at_rasp_atom *x, const at_rasp_atom *y)
{
    if (x->kind == AT_RASP_STRING) {
        int c = x->s == y->s ? 0 : strcmp(x->s, y->s);
        return (c > 0) - (c < 0);
    }
    if (x->den == y->den)
        return (x->num > y->num) - (x->num < y->num);
    __int128 a = (__int128)x->num * y->den, b = (__int128)y->num * x->den;
    return (a > b) - (a < b);
}

static bool of_strings(at_rasp_kind k)
{
    return k == AT_RASP_STRING;
}

const char *rasp_atoms_compare(at_rasp_op op, const at_rasp_atom *x, const at_rasp_atom *y, bool *out)
{
    bool alike = of_strings(x->kind) == of_strings(y->kind);
    if (op == AT_RASP_EQ || op == AT_RASP_NE) {
        *out = (op == AT_RASP_EQ) == at_rasp_equal(x, y);
        return NULL;
    }
    if (!alike)
        return "a string and a number have no order; only == compares them";
    int c = at_rasp_order(x, y);
    *out = op == AT_RASP_LT ? c < 0 : op == AT_RASP_LE ? c <= 0 : op == AT_RASP_GT ? c > 0 : c >= 0;
    return NULL;
}

static __int128 floor_div(__int128 a, __int128 b)
{
    __int128 q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static const char *power(const at_rasp_atom *x, const at_rasp_atom *y, at_rasp_atom *out)
{
    at_rasp_atom z = {AT_RASP_NUMBER, 1, 1, NULL}, b = *x;
    if (y->den != 1 || y->num > 64 || y->num < -64)
        return "an exponent is an integer in -64..64";
    if (y->num < 0) {
        if (!x->num)
            return "a division by zero";
        b.num = x->num < 0 ? -x->den : x->den;
        b.den = x->num < 0 ? -x->num : x->num;
    }
    const char *bad = NULL;
    for (int64_t k = y->num < 0 ? -y->num : y->num; k > 0 && !bad; k--)
        bad = fraction((__int128)z.num * b.num, (__int128)z.den * b.den, &z);
    *out = z;
    return bad;
}

static const char *arithmetic(at_rasp_op op, const at_rasp_atom *x, const at_rasp_atom *y, at_rasp_atom *out)
{
    __int128 a = (__int128)x->num * y->den, b = (__int128)y->num * x->den, d = (__int128)x->den * y->den;
    if ((op == AT_RASP_DIV || op == AT_RASP_MOD) && !y->num)
        return "a division by zero";
    if (op == AT_RASP_ADD)
        return fraction(a + b, d, out);
    if (op == AT_RASP_SUB)
        return fraction(a - b, d, out);
    if (op == AT_RASP_MUL)
        return fraction((__int128)x->num * y->num, d, out);
    if (op == AT_RASP_DIV)
        return fraction(a, b, out);
    if (op == AT_RASP_POW)
        return power(x, y, out);
    __int128 q = floor_div(a, b);
    if (q > ((__int128)1 << 62) || q < -((__int128)1 << 62))
        return too_large;
    return fraction(a - q * b, d, out);
}

static const char *rounded(const at_rasp_atom *x, at_rasp_atom *out)
{
    __int128 twice = 2 * (__int128)x->num + x->den, d = 2 * (__int128)x->den, q = floor_div(twice, d);
    if (twice % d == 0 && q % 2 != 0) /* a half: to the even side */
        q--;
    return fraction(q, 1, out);
}

static const char *joined(const at_rasp_atom *x, const at_rasp_atom *y, at_arena *a, at_rasp_atom *out)
{
    if (strlen(x->s) + strlen(y->s) > 1000)
        return "a string of more than 1,000 bytes";
    char *s = at_arena_printf(a, "%s%s", x->s, y->s);
    *out = (at_rasp_atom){AT_RASP_STRING, 0, 1, s ? s : ""};
    return s ? NULL : "out of memory";
}

static const char *looked_up(const at_rasp_node *v, const at_rasp_atom *x, at_rasp_atom *out)
{
    for (int k = 0; k < v->table->n; k++)
        if (at_rasp_equal(&v->table->key[k], x)) {
            if (v->op == AT_RASP_IN)
                truth(true, out);
            else
                *out = v->table->value[k];
            return NULL;
        }
    if (v->op == AT_RASP_LOOKUP)
        return "a value that the list or dict does not have as an index";
    truth(false, out);
    return NULL;
}

const char *at_rasp_apply(const at_rasp_node *v, const at_rasp_atom *x, at_arena *a, at_rasp_atom *out)
{
    at_rasp_op op = v->op;
    bool numbers = !of_strings(x[0].kind), is = false;
    const char *bad;
    switch (op) {
    case AT_RASP_NOT:
        truth(!is_true(x), out);
        return NULL;
    case AT_RASP_AND:
    case AT_RASP_OR:
        truth(op == AT_RASP_AND ? is_true(x) && is_true(x + 1) : is_true(x) || is_true(x + 1), out);
        return NULL;
    case AT_RASP_INDICATOR:
        *out = (at_rasp_atom){AT_RASP_NUMBER, is_true(x), 1, NULL};
        return NULL;
    case AT_RASP_IF:
        *out = is_true(x) ? x[1] : x[2];
        return NULL;
    case AT_RASP_LOOKUP:
    case AT_RASP_IN:
        return looked_up(v, x, out);
    case AT_RASP_NEG:
    case AT_RASP_ROUND:
        if (!numbers)
            return op == AT_RASP_NEG ? "a sign before a string; numbers have one"
                                     : "a string cannot be rounded";
        return op == AT_RASP_NEG ? fraction(-(__int128)x->num, x->den, out) : rounded(x, out);
    case AT_RASP_EQ:
    case AT_RASP_NE:
    case AT_RASP_LT:
    case AT_RASP_LE:
    case AT_RASP_GT:
    case AT_RASP_GE:
        bad = rasp_atoms_compare(op, x, x + 1, &is);
        if (!bad)
            truth(is, out);
        return bad;
    case AT_RASP_ADD:
    case AT_RASP_SUB:
    case AT_RASP_MUL:
    case AT_RASP_DIV:
    case AT_RASP_MOD:
    case AT_RASP_POW:
        if (op == AT_RASP_ADD && !numbers && of_strings(x[1].kind))
            return joined(x, x + 1, a, out);
        if (!numbers || of_strings(x[1].kind))
            return "arithmetic on a string; only + joins two of them, and tokens_int are numbers";
        return arithmetic(op, x, x + 1, out);
    case AT_RASP_CONST:
    case AT_RASP_TOKENS:
    case AT_RASP_INTS:
    case AT_RASP_INDICES:
    case AT_RASP_SELECT:
    case AT_RASP_ALL:
    case AT_RASP_BOTH:
    case AT_RASP_EITHER:
    case AT_RASP_NEITHER:
    case AT_RASP_AGGREGATE:
    case AT_RASP_WIDTH:
    case AT_RASP_OPS:
        break;
    }
    return "no pointwise operation";
}

bool at_rasp_selects(at_rasp_op op)
{
    return op == AT_RASP_SELECT || op == AT_RASP_ALL || op == AT_RASP_BOTH || op == AT_RASP_EITHER ||
           op == AT_RASP_NEITHER;
}

void at_rasp_atom_print(const at_rasp_atom *x, at_text *out)
{
    if (x->kind == AT_RASP_BOOL)
        at_text_add(out, x->num ? "True" : "False");
    else if (x->kind == AT_RASP_STRING)
        at_text_addf(out, "\"%s\"", x->s);
    else if (x->den == 1)
        at_text_addf(out, "%lld", (long long)x->num);
    else
        at_text_addf(out, "(%lld/%lld)", (long long)x->num, (long long)x->den);
}
