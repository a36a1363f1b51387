/* words.c: names and numbers as the text of a program writes them. */
#include "text_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *point_word(op o)
{
    static const char *const words[] = {
        [OP_RAMP] = "ramp",     [OP_MAX] = "max",     [OP_MIN] = "min",         [OP_ABS] = "abs",
        [OP_SELECT] = "select", [OP_AND] = "and",     [OP_OR] = "or",           [OP_AT_LEAST] = "at_least",
        [OP_EQUALS] = "equals", [OP_TABLE] = "table", [OP_PRODUCT] = "product", [OP_NEAR] = "near",
        [OP_RELU] = "relu",     [OP_PASS] = "pass",   [OP_TIMES] = "times",     [OP_COMPARE] = "compare"};
    return (size_t)o < sizeof words / sizeof *words ? words[o] : NULL;
}

/* Words that mean something where a variable may stand, or a line begin; a variable of this name is written in quotes.
 * Names of functions are none of them: a function is followed by a bracket. */
static const char *const reserved[] = {"program",  "parameter", "input",  "output", "number", "mark",
                                       "position", "table",     "attend", "for",    "pi"};

bool text_is_reserved(const char *s, size_t n)
{
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
        if (strlen(reserved[k]) == n && memcmp(reserved[k], s, n) == 0)
            return true;
    return false;
}

bool text_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool text_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool tail(const char *s, const char *end) /* inside a name; a dot only between two of the others */
{
    return text_letter(*s) || text_digit(*s) || *s == '\'' ||
           (*s == '.' && end - s > 1 && (text_letter(s[1]) || text_digit(s[1])));
}

size_t text_bare(const char *s, size_t n)
{
    const char *c = s, *end = s + n;
    if (!n || !text_letter(*c))
        return 0;
    while (c < end && tail(c, end))
        c++;
    if (c < end && *c == '[') { /* one component: [12], at the end */
        const char *d = c + 1;
        while (d < end && text_digit(*d))
            d++;
        if (d < end && *d == ']' && d > c + 1)
            c = d + 1;
    }
    return (size_t)(c - s);
}

bool text_is_bare(const char *s)
{
    size_t n = strlen(s);
    return n && text_bare(s, n) == n && !text_is_reserved(s, n);
}

void text_name_print(const char *s, at_text *t)
{
    if (text_is_bare(s)) {
        at_text_add(t, s);
        return;
    }
    at_text_add(t, "\"");
    while (*s) {
        const char *from = s;
        uint32_t c = at_text_next(&s);
        bool plain = c != AT_TEXT_REPLACEMENT && !at_text_acts(c) && c != '"' && c != '\\';
        if (plain)
            at_text_addn(t, from, (size_t)(s - from));
        for (; !plain && from < s; from++)
            at_text_addf(t, "\\x%02x", (unsigned char)*from);
    }
    at_text_add(t, "\"");
}

void text_number_print(double x, bool exact, at_text *t)
{
    char s[32];
    if (x == floor(x) && fabs(x) < 1e15)
        snprintf(s, sizeof s, "%.0f", x);
    else
        for (int digits = exact ? 15 : 6; digits <= 17; digits++) {
            snprintf(s, sizeof s, "%.*g", digits, x);
            if (!exact || strtod(s, NULL) == x)
                break;
        }
    at_text_add(t, s);
}

int table_divisor(const at_program *P, const var *v)
{
    double lo = P->vars[v->args[0]].lo;
    int run = 0, last = 0; /* the first full run of equal values is m long */
    for (int k = 1; k < v->n_table && run < 2; k++)
        if (v->table[k] != v->table[k - 1]) {
            if (++run == 2)
                last = k - last;
            else
                last = k;
        }
    if (run < 2)
        return 0;
    for (int k = 0; k < v->n_table; k++)
        if (v->table[k] != floor((lo + k) / last) || signbit(v->table[k]) != signbit(floor((lo + k) / last)))
            return 0;
    return last;
}
