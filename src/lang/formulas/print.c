/* print.c: formulas as they are read (parse.c), with as few brackets as that allows. */
#include <string.h>

#include "formulas.h"

/* How tight a part holds; what is asked for by its place is at most that, or brackets are written. */
enum { IFF, IMPLIES, OR, AND, SINCE, PREFIX, COMPARE, SUM, TERM, ATOM };

typedef struct {
    const at_formulas *f;
    ftext_style style;
    at_text *out;
} printer;

static void part_print(const printer *p, const at_formula *x, int tight, char at);

/* ---- letters --------------------------------------------------------------------------------------------------------------------- */

static void quoted_print(const char *s, at_text *out)
{
    at_text_add(out, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            at_text_add(out, "\\");
        at_text_addn(out, s, 1);
    }
    at_text_add(out, "\"");
}

/* Is it read as one token, and as a letter? */
static bool plain(const char *letter)
{
    at_arena none;
    at_err unsaid = {0};
    ftext x;
    at_arena_init(&none);
    ftext_begin(&x, letter, "", 1, 1, true, &none, &unsaid);
    bool is = (ftext_is(&x, FT_WORD) || ftext_is(&x, FT_NUMBER)) && x.now.n == strlen(letter) &&
              !ftext_reserved(x.now.s, x.now.n);
    at_arena_release(&none);
    return is;
}

static void letter_print(const printer *p, const at_formula *x, char at)
{
    const char *s = p->f->sigma.letter[x->index];
    if (p->style == FT_BARE) {
        if (plain(s))
            at_text_add(p->out, s);
        else
            quoted_print(s, p->out);
        return;
    }
    char name[AT_LETTER_MAX + 3] = "Q_";
    strcat(name, s);
    bool word = at_alphabet_find(&p->f->sigma, name, strlen(name)) < 0;
    for (const char *c = s; *c; c++)
        word &= (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    if (word)
        at_text_add(p->out, name);
    else {
        at_text_add(p->out, "Q[");
        quoted_print(s, p->out);
        at_text_add(p->out, "]");
    }
    at_text_addf(p->out, "(%c)", x->other ? 'j' : at);
}

/* ---- parts ----------------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *sign; /* before its argument, or between both */
    int tight;
    int left, right; /* what the arguments must be at least; of one before its argument `right` */
} how[AT_F_OPS] = {
    [AT_F_NOT] = {"!", PREFIX, 0, PREFIX},
    [AT_F_PREVIOUS] = {"Y ", PREFIX, 0, PREFIX},
    [AT_F_WEAK_PREVIOUS] = {"Z ", PREFIX, 0, PREFIX},
    [AT_F_ONCE] = {"O ", PREFIX, 0, PREFIX},
    [AT_F_HENCE] = {"H ", PREFIX, 0, PREFIX},
    [AT_F_NEXT] = {"X ", PREFIX, 0, PREFIX},
    [AT_F_WEAK_NEXT] = {"N ", PREFIX, 0, PREFIX},
    [AT_F_EVENTUALLY] = {"F ", PREFIX, 0, PREFIX},
    [AT_F_ALWAYS] = {"G ", PREFIX, 0, PREFIX},
    [AT_F_SINCE] = {" S ", SINCE, PREFIX, SINCE},
    [AT_F_UNTIL] = {" U ", SINCE, PREFIX, SINCE},
    [AT_F_WEAK_UNTIL] = {" W ", SINCE, PREFIX, SINCE},
    [AT_F_RELEASE] = {" R ", SINCE, PREFIX, SINCE},
    [AT_F_AND] = {" & ", AND, AND, SINCE},
    [AT_F_OR] = {" | ", OR, OR, AND},
    [AT_F_IMPLIES] = {" -> ", IMPLIES, OR, IMPLIES},
    [AT_F_IFF] = {" <-> ", IFF, IFF, IMPLIES},
    [AT_F_LESS] = {" < ", COMPARE, SUM, SUM},
    [AT_F_LESS_EQUAL] = {" <= ", COMPARE, SUM, SUM},
    [AT_F_EQUAL] = {" = ", COMPARE, SUM, SUM},
    [AT_F_ADD] = {" + ", SUM, SUM, TERM},
    [AT_F_SUB] = {" - ", SUM, SUM, TERM},
};

/* Not an equation is one of another sign. */
static bool differs(const at_formula *x)
{
    return x->op == AT_F_NOT &&
           (x->arg[0]->op == AT_F_EQUAL || x->arg[0]->op == AT_F_CONGRUENT || x->arg[0]->op == AT_F_CLASS);
}

static void equation_print(const printer *p, const at_formula *x, const char *sign, char at)
{
    if (x->op == AT_F_CLASS)
        at_text_addf(p->out, "mod(%c, %d)%s%d", x->other ? 'j' : at, x->modulus, sign, x->index);
    else {
        part_print(p, x->arg[0], SUM, at);
        if (x->op == AT_F_CONGRUENT)
            at_text_addf(p->out, " mod %d%s%d", x->modulus, sign, x->index);
        else {
            at_text_add(p->out, sign);
            part_print(p, x->arg[1], SUM, at);
        }
    }
}

/* What stands behind #[mask]. */
static void counted_print(const printer *p, const at_formula *x)
{
    if (how[x->op].tight == PREFIX && how[x->op].sign && !differs(x)) {
        at_text_add(p->out, how[x->op].sign);
        counted_print(p, x->arg[0]);
    } else
        part_print(p, x, ATOM, 'i');
}

static void count_print(const printer *p, const at_formula *x)
{
    const at_formula *a = x->arg[0];
    if (x->see != AT_SEE_UPTO) {
        at_text_addf(p->out, "#[%s] ", at_see_names[x->see]);
        counted_print(p, a);
        return;
    }
    at_text_add(p->out, "#[");
    if (a->op == AT_F_LETTER && strcmp(p->f->sigma.letter[a->index], "1") == 0)
        at_text_add(p->out, "\"1\""); /* no mask */
    else
        part_print(p, a, IFF, 'i');
    at_text_add(p->out, "]");
}

static int tight_of(const at_formula *x)
{
    if (differs(x) || x->op == AT_F_CLASS || x->op == AT_F_CONGRUENT)
        return COMPARE;
    if (x->op == AT_F_TIMES || x->op == AT_F_NUMBER)
        return TERM;
    return how[x->op].sign ? how[x->op].tight : x->op == AT_F_FIND || x->op == AT_F_IF ? IFF - 1 : ATOM;
}

static void inner_print(const printer *p, const at_formula *x, char at)
{
    at_text *out = p->out;
    switch (x->op) {
    case AT_F_CONST:
        at_text_add(out, p->style == FT_SAID ? (x->value ? "1" : "0") : x->value ? "true" : "false");
        break;
    case AT_F_LETTER:
        letter_print(p, x, at);
        break;
    case AT_F_NAME:
        at_text_add(out, p->f->names[x->index].name);
        if (p->style == FT_SAID)
            at_text_addf(out, "(%c)", x->other ? 'j' : at);
        break;
    case AT_F_CLASS:
    case AT_F_CONGRUENT:
        equation_print(p, x, " = ", at);
        break;
    case AT_F_SET:
        at_text_add(out, p->f->sets[x->index].name);
        break;
    case AT_F_NUMBER:
        at_text_addf(out, "%lld", (long long)x->value);
        break;
    case AT_F_TIMES:
        at_text_addf(out, "%lld%s", (long long)x->value, x->arg[0]->op == AT_F_COUNT ? " " : " * ");
        part_print(p, x->arg[0], TERM, at);
        break;
    case AT_F_COUNT:
        count_print(p, x);
        break;
    case AT_F_MIN:
    case AT_F_MAX:
        at_text_add(out, x->op == AT_F_MIN ? "min(" : "max(");
        part_print(p, x->arg[0], SUM, at);
        at_text_add(out, ", ");
        part_print(p, x->arg[1], SUM, at);
        at_text_add(out, ")");
        break;
    case AT_F_IF:
        at_text_add(out, "if ");
        part_print(p, x->arg[0], IFF, at);
        at_text_add(out, " then ");
        part_print(p, x->arg[1], SUM, at);
        at_text_add(out, " else ");
        part_print(p, x->arg[2], SUM, at);
        break;
    case AT_F_FIND:
        at_text_addf(out, "%s j [%s, ", x->first ? "leftmost" : "rightmost", at_see_names[x->see]);
        part_print(p, x->arg[0], IFF, at);
        at_text_add(out, "] ");
        part_print(p, x->arg[1], IFF, at);
        at_text_add(out, " : ");
        part_print(p, x->arg[2], IFF, at);
        break;
    case AT_F_NOT:
        if (differs(x)) {
            equation_print(p, x->arg[0], " != ", at);
            break;
        }
        /* fallthrough */
    case AT_F_PREVIOUS:
    case AT_F_WEAK_PREVIOUS:
    case AT_F_ONCE:
    case AT_F_HENCE:
    case AT_F_NEXT:
    case AT_F_WEAK_NEXT:
    case AT_F_EVENTUALLY:
    case AT_F_ALWAYS:
        at_text_add(out, how[x->op].sign);
        part_print(p, x->arg[0], how[x->op].right, at);
        break;
    case AT_F_AND:
    case AT_F_OR:
    case AT_F_IMPLIES:
    case AT_F_IFF:
    case AT_F_SINCE:
    case AT_F_UNTIL:
    case AT_F_WEAK_UNTIL:
    case AT_F_RELEASE:
    case AT_F_LESS:
    case AT_F_LESS_EQUAL:
    case AT_F_EQUAL:
    case AT_F_ADD:
    case AT_F_SUB:
        part_print(p, x->arg[0], how[x->op].left, at);
        at_text_add(out, how[x->op].sign);
        part_print(p, x->arg[1], how[x->op].right, at);
        break;
    case AT_F_OPS:
        break;
    }
}

static void part_print(const printer *p, const at_formula *x, int tight, char at)
{
    bool brackets = tight_of(x) < tight;
    at_text_add(p->out, brackets ? "(" : "");
    inner_print(p, x, at);
    at_text_add(p->out, brackets ? ")" : "");
}

void ftext_print(const at_formulas *f, const at_formula *x, ftext_style style, at_text *out)
{
    inner_print(&(printer){f, style, out}, x, 'i');
}

void at_formula_print(const at_formulas *f, const at_formula *x, at_text *out)
{
    ftext_print(f, x, x->op == AT_F_FIND || x->two ? FT_SAID : FT_BARE, out);
}

void ftext_print_header(const at_formulas *f, at_text *out)
{
    bool short_ones = true, kept = false; /* "#;" letter by letter, where a letter would end the line */
    for (int c = 0; c < f->sigma.n; c++) {
        const char *s = f->sigma.letter[c];
        at_text_next(&s);
        short_ones &= !*s;
        kept |= strpbrk(f->sigma.letter[c], ";#") != NULL;
    }
    kept &= short_ones;
    at_text_add(out, kept ? "alphabet \"" : "alphabet");
    for (int c = 0; c < f->sigma.n; c++)
        at_text_addf(out, kept ? "%s" : " %s", f->sigma.letter[c]);
    if (kept && f->sigma.letter[f->sigma.n - 1][0] == '\\')
        at_text_add(out, " "); /* \" would be the quote itself */
    at_text_addf(out, "%s\naccept %s\n", kept ? "\"" : "", at_read_at_names[f->at]);
    for (int k = 0; k < f->n_sets; k++) {
        const bool *in = f->sets[k].in;
        at_text_addf(out, "predicate %s", f->sets[k].name);
        for (int i = 1, to; i <= AT_FORMULA_LONGEST; i = to + 1) {
            for (to = i; in[i] && to < AT_FORMULA_LONGEST && in[to + 1]; to++)
                ;
            if (in[i])
                at_text_addf(out, to > i ? " %d..%d" : " %d", i, to);
        }
        at_text_add(out, "\n");
    }
    if (f->attend != AT_ATTEND_OWN)
        at_text_addf(out, "attention %s\n", at_formula_attend_names[f->attend]);
}
