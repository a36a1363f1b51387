/* terms_print.c: truths and linear terms as text: printed, with brackets only where they are needed. */
#include <inttypes.h>
#include <string.h>

#include "terms.h"

enum { LEVEL_ANY, LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARISON, LEVEL_SUM, LEVEL_TERM, LEVEL_ATOM };

static int level_of(const terms_printer *p, const at_formula *x)
{
    if (p->owns && p->owns(p, x))
        return LEVEL_ATOM;
    switch (x->op) {
    case AT_F_OR:
        return LEVEL_OR;
    case AT_F_AND:
        return LEVEL_AND;
    case AT_F_NOT:
        return LEVEL_NOT;
    case AT_F_CLASS:
    case AT_F_LESS:
    case AT_F_LESS_EQUAL:
    case AT_F_EQUAL:
    case AT_F_CONGRUENT:
        return LEVEL_COMPARISON;
    case AT_F_ADD:
    case AT_F_SUB:
        return LEVEL_SUM;
    case AT_F_TIMES:
        return LEVEL_TERM;
    case AT_F_NUMBER:
        return LEVEL_TERM; /* behind a coefficient it would be another one */
    case AT_F_IF:
        return LEVEL_ANY; /* its last part goes as far as it can */
    case AT_F_CONST:
    case AT_F_LETTER:
    case AT_F_NAME:
    case AT_F_COUNT:
    case AT_F_MIN:
    case AT_F_MAX:
    case AT_F_SET: /* from here on: not of these languages */
    case AT_F_IMPLIES:
    case AT_F_IFF:
    case AT_F_PREVIOUS:
    case AT_F_WEAK_PREVIOUS:
    case AT_F_ONCE:
    case AT_F_HENCE:
    case AT_F_SINCE:
    case AT_F_NEXT:
    case AT_F_WEAK_NEXT:
    case AT_F_EVENTUALLY:
    case AT_F_ALWAYS:
    case AT_F_UNTIL:
    case AT_F_WEAK_UNTIL:
    case AT_F_RELEASE:
    case AT_F_FIND:
    case AT_F_OPS:
        break;
    }
    return LEVEL_ATOM;
}

static void print_at(terms_printer *p, const at_formula *x, int level);

static void print_two(terms_printer *p, const at_formula *x, const char *sign, int left, int right)
{
    print_at(p, x->arg[0], left);
    at_text_add(p->out, sign);
    print_at(p, x->arg[1], right);
}

static void print_plain(terms_printer *p, const at_formula *x)
{
    switch ((int)x->op) {
    case AT_F_CONST:
        at_text_add(p->out, x->value ? "true" : "false");
        return;
    case AT_F_CLASS:
        if (p->variable)
            p->variable(p->depth, p->out);
        else
            at_text_add(p->out, "i");
        at_text_addf(p->out, " mod %d = %d", x->modulus, x->index);
        return;
    case AT_F_NOT:
        at_text_add(p->out, "not ");
        print_at(p, x->arg[0], LEVEL_NOT);
        return;
    case AT_F_AND:
        print_two(p, x, " and ", LEVEL_AND, LEVEL_NOT);
        return;
    case AT_F_OR:
        print_two(p, x, " or ", LEVEL_OR, LEVEL_AND);
        return;
    case AT_F_LESS:
        print_two(p, x, " < ", LEVEL_SUM, LEVEL_SUM);
        return;
    case AT_F_LESS_EQUAL:
        print_two(p, x, " <= ", LEVEL_SUM, LEVEL_SUM);
        return;
    case AT_F_EQUAL:
        print_two(p, x, " = ", LEVEL_SUM, LEVEL_SUM);
        return;
    case AT_F_CONGRUENT:
        print_at(p, x->arg[0], LEVEL_SUM);
        at_text_addf(p->out, " mod %d = %d", x->modulus, x->index);
        return;
    case AT_F_NUMBER:
        at_text_addf(p->out, "%" PRId64, x->value);
        return;
    case AT_F_ADD:
        print_two(p, x, " + ", LEVEL_SUM, LEVEL_TERM);
        return;
    case AT_F_SUB:
        print_two(p, x, " - ", LEVEL_SUM, LEVEL_TERM);
        return;
    case AT_F_TIMES:
        at_text_addf(p->out, "%" PRId64 " ", x->value);
        print_at(p, x->arg[0], LEVEL_ATOM);
        return;
    case AT_F_IF:
        at_text_add(p->out, "if ");
        print_at(p, x->arg[0], LEVEL_OR);
        at_text_add(p->out, " then ");
        print_at(p, x->arg[1], LEVEL_SUM);
        at_text_add(p->out, " else ");
        print_at(p, x->arg[2], LEVEL_SUM);
        return;
    case AT_F_MIN:
    case AT_F_MAX:
        at_text_add(p->out, x->op == AT_F_MIN ? "min(" : "max(");
        print_two(p, x, ", ", LEVEL_ANY, LEVEL_ANY);
        at_text_add(p->out, ")");
        return;
    default:
        p->atom(p, x);
    }
}

static void print_at(terms_printer *p, const at_formula *x, int level)
{
    bool brackets = level_of(p, x) < level;
    if (brackets)
        at_text_add(p->out, "(");
    if (p->owns && p->owns(p, x))
        p->atom(p, x);
    else
        print_plain(p, x);
    if (brackets)
        at_text_add(p->out, ")");
}

void terms_print(terms_printer *p, const at_formula *x)
{
    print_at(p, x, LEVEL_ANY);
}

void terms_print_atom(terms_printer *p, const at_formula *x)
{
    print_at(p, x, LEVEL_ATOM);
}

void terms_print_quoted(const char *s, at_text *out)
{
    at_text_add(out, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            at_text_add(out, "\\");
        at_text_addn(out, s, 1);
    }
    at_text_add(out, "\"");
}

void terms_print_letter(const at_formulas *f, int letter, at_text *out)
{
    const char *s = f->sigma.letter[letter];
    if (terms_is_word(s) && strcmp(s, "true") != 0 &&
        strcmp(s, "none") != 0) /* what these languages mean by them */
        at_text_add(out, s);
    else
        terms_print_quoted(s, out);
}
