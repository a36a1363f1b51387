/* report_math.c: the formulas in a sentence as MathML.
 *
 * Statements and proofs are written in plain text, "one head of width O(sqrt L) finds x_i + x_j = 0 mod M". A formula is found by trying to
 * read one wherever a word begins:
 *
 *     relation   sum, then = < > <= >= .. mod in -> and another sum
 *     sum        [-] product, then + - +- and another product
 *     product    factor, then * / . or nothing and another factor; a blank may stand between, "n log2 n"
 *     factor     atom, then _ and ^
 *     atom       number, letter, greek name, function, ( ), [ ], { }, | |, ...
 *
 * A letter is a variable; letters without a vowel that are written as one word are a product of them ("Hdp"). A word is none, and ends the
 * formula. A lone number stays text, as do a, A and I, which are words. What is not understood stays text: nothing is lost,
 * it only looks plainer.
 *
 * Invariant: what is written is the text's own letters and digits, names from the tables here, and markup; all else goes
 * through at_text_add_html. */
#include "report_internal.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 12 };

typedef struct {
    const char *s; /* where reading goes on */
    at_text *t;
    int depth;
    bool worth;  /* more than a number or a word */
    int factors; /* read so far */
} reader;

/* ---- tools ------------------------------------------------------------------------------------------- */

/* Where one may go back to. */
typedef struct {
    const char *s;
    size_t n;
    bool worth;
    int factors;
} spot;

static spot here(const reader *r)
{
    return (spot){r->s, r->t->n, r->worth, r->factors};
}

static bool back(reader *r, spot p)
{
    r->s = p.s;
    r->worth = p.worth;
    r->factors = p.factors;
    if (r->t->s) {
        r->t->n = p.n;
        r->t->s[p.n] = '\0';
    }
    return false;
}

/* Puts `what` in front of what was written since `from`. */
static void insert(at_text *t, size_t from, const char *what)
{
    size_t n = strlen(what), old = t->n;
    at_text_add(t, what);
    if (t->oom)
        return;
    memmove(t->s + from + n, t->s + from, old - from);
    memcpy(t->s + from, what, n);
}

static size_t letters(const char *s)
{
    size_t n = 0;
    while (isalpha((unsigned char)s[n]))
        n++;
    return n;
}

static bool is_word(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && !strncmp(s, word, n);
}

static void tagged(at_text *t, const char *tag, const char *s, size_t n)
{
    at_text_addf(t, "<%s>", tag);
    at_text_addn(t, s, n);
    at_text_addf(t, "</%s>", tag);
}

static void operator_add(reader *r, const char *sign)
{
    tagged(r->t, "mo", sign, strlen(sign));
}

/* A sign behind which a line may end: the blank between the lines is the space on its right. */
static void breaking_add(reader *r, const char *sign)
{
    at_text_addf(r->t, "<mo rspace=\"0\">%s</mo></math> <math>", sign);
}

/* A bracket as tall as the text, whatever stands in it: a sentence keeps its lines. Brackets around what is no taller need not
 * be told. */
static const char rigid[] = " stretchy=\"false\"";
static void fence_add(reader *r, const char *sign, bool tall)
{
    at_text_addf(r->t, "<mo%s>%s</mo>", tall ? rigid : "", sign);
}

static bool relation(reader *r);
static bool factor(reader *r);

/* ---- atoms --------------------------------------------------------------------------------------------- */

static const char *const greek[][2] = {
    {"eps", "\xCE\xB5"},    {"alpha", "\xCE\xB1"}, {"beta", "\xCE\xB2"}, {"delta", "\xCE\xB4"},
    {"lambda", "\xCE\xBB"}, {"mu", "\xCE\xBC"},    {"rho", "\xCF\x81"},  {"phi", "\xCF\x86"},
    {"Phi", "\xCE\xA6"},    {"pi", "\xCF\x80"},    {"tau", "\xCF\x84"},  {"theta", "\xCE\xB8"},
    {"Theta", "\xCE\x98"},  {"sigma", "\xCF\x83"},
};
static const char *const functions[] = {"log", "ln",   "min",  "max", "exp", "cos",
                                        "sin", "relu", "poly", "erf", "sum", "prod"};

/* What stands between brackets: relations apart by commas and colons. Inside braces words may stand too. */
static bool list(reader *r, char close, bool words)
{
    while (*r->s && *r->s != close) {
        size_t n;
        spot p = here(r);
        while (*r->s == ' ')
            r->s++;
        if (*r->s == ',' || *r->s == ':') {
            tagged(r->t, "mo", r->s++, 1);
            continue;
        }
        if (relation(r))
            continue;
        if (!words || !(n = letters(r->s)))
            return back(r, p);
        if (is_word(r->s, n, "exists"))
            operator_add(r, "\xE2\x88\x83");
        else {
            at_text_add(r->t, "<mtext>\xC2\xA0");
            at_text_addn(r->t, r->s, n);
            at_text_add(r->t, "\xC2\xA0</mtext>");
        }
        r->s += n;
    }
    return *r->s == close;
}

/* ( ), [ ], { } with other signs drawn where they mean ceil and floor. */
static bool bracket(reader *r, const char *left, const char *right)
{
    static const char open[] = "([{|", close[] = ")]}|";
    const char *k = *r->s ? strchr(open, *r->s) : NULL;
    if (!k || r->depth == DEEPEST)
        return false;
    spot p = here(r);
    char end = close[k - open], own[2] = {*k, '\0'}, own_end[2] = {end, '\0'};
    r->depth++;
    r->s++;
    at_text_add(r->t, "<mrow>");
    size_t from = r->t->n;
    fence_add(r, left ? left : own, false);
    bool ok = end == '|' ? relation(r) && *r->s == '|' : list(r, end, end == '}');
    r->depth--;
    if (!ok)
        return back(r, p);
    r->s++;
    bool tall = !r->t->oom && strstr(r->t->s + from, "<ms"); /* raised, lowered, under a root */
    if (tall)
        insert(r->t, from + strlen("<mo"), rigid);
    fence_add(r, right ? right : own_end, tall);
    at_text_add(r->t, "</mrow>");
    return true;
}

/* sqrt L, sqrt(2/pi), ceil(i/n), floor(x) */
static bool special(reader *r, size_t n)
{
    spot p = here(r);
    bool root = is_word(r->s, n, "sqrt"), up = is_word(r->s, n, "ceil"), down = is_word(r->s, n, "floor");
    if (!root && !up && !down)
        return false;
    r->s += n;
    bool ok;
    if (root) {
        at_text_add(r->t, "<msqrt>");
        r->s += *r->s == ' ';
        ok = factor(r);
        at_text_add(r->t, "</msqrt>");
    } else
        ok = *r->s == '(' &&
             bracket(r, up ? "\xE2\x8C\x88" : "\xE2\x8C\x8A", up ? "\xE2\x8C\x89" : "\xE2\x8C\x8B");
    r->worth = true;
    return ok || back(r, p);
}

/* log, log2: followed by what they are of. */
static bool function(reader *r, size_t n)
{
    bool known = false;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        known = known || is_word(r->s, n, functions[k]);
    const char *after = r->s + n;
    bool two = is_word(r->s, n, "log") && *after == '2';
    after += two;
    if (!known || !(*after == '(' || *after == '_' ||
                    (*after == ' ' && (isalnum((unsigned char)after[1]) || after[1] == '(') &&
                     letters(after + 1) <= 1)))
        return false;
    if (is_word(r->s, n, "sum") || is_word(r->s, n, "prod")) {
        if (*after == ' ')
            return false;
        operator_add(r, *r->s == 's' ? "\xE2\x88\x91" : "\xE2\x88\x8F");
    } else if (two)
        at_text_add(r->t, "<msub><mi>log</mi><mn>2</mn></msub>");
    else
        tagged(r->t, "mi", r->s, n);
    r->s = after;
    r->worth = true;
    return true;
}

/* One variable, or several written together. */
static bool variables(reader *r, size_t n)
{
    const char *s = r->s;
    bool named = s[n] == '_'; /* DISJ_n */
    for (size_t i = 0; n > 1 && !named && i < n; i++)
        if (strchr("aeiouyAEIOUY", s[i]) || n > 4)
            return false;
    if (named || n == 1) {
        tagged(r->t, "mi", s, n);
        r->s += n;
        if (n == 1 && isdigit((unsigned char)r->s[0]) &&
            !isalnum((unsigned char)r->s[1])) { /* j1, but not f32 */
            insert(r->t, r->t->n - strlen("<mi>j</mi>"), "<msub>");
            tagged(r->t, "mn", r->s++, 1);
            at_text_add(r->t, "</msub>");
            r->worth = true;
        } else if (n == 1 && r->s[0] == '\'' && !isalnum((unsigned char)r->s[1])) { /* m', but not N's */
            insert(r->t, r->t->n - strlen("<mi>m</mi>"), "<msup>");
            at_text_add(r->t, "<mo>\xE2\x80\xB2</mo></msup>");
            r->s++;
            r->worth = true;
        }
        return true;
    }
    for (size_t i = 0; i < n; i++)
        tagged(r->t, "mi", s + i, 1);
    r->s += n;
    return true;
}

static bool atom(reader *r)
{
    size_t digits = strspn(r->s, "0123456789");
    if (digits) {
        if (r->s[digits] == '.' && isdigit((unsigned char)r->s[digits + 1]))
            digits += 1 + strspn(r->s + digits + 1, "0123456789");
        tagged(r->t, "mn", r->s, digits);
        r->s += digits;
        return true;
    }
    if (!strncmp(r->s, "...", 3)) {
        operator_add(r, "\xE2\x80\xA6");
        r->s += 3;
        return true;
    }
    size_t n = letters(r->s);
    if (!n)
        return bracket(r, NULL, NULL);
    for (size_t k = 0; k < sizeof greek / sizeof *greek; k++)
        if (is_word(r->s, n, greek[k][0])) {
            tagged(r->t, "mi", greek[k][1], strlen(greek[k][1]));
            r->s += n;
            r->worth = true;
            return true;
        }
    return special(r, n) || function(r, n) || variables(r, n);
}

/* ---- factors, products, sums, relations ------------------------------------------------------------------ */

/* x_i, x_3; x_j1, whose index has one itself; b_jl, two letters; k_max, a word. */
static bool index_read(reader *r)
{
    const char *s = r->s;
    size_t n = 0, head = letters(s);
    while (isalnum((unsigned char)s[n]))
        n++;
    if (head == 1 && n > 1 && strspn(s + 1, "0123456789") == n - 1) {
        at_text_add(r->t, "<msub>");
        tagged(r->t, "mi", s, 1);
        tagged(r->t, "mn", s + 1, n - 1);
        at_text_add(r->t, "</msub>");
    } else if (head == 2 && n == 2) {
        at_text_add(r->t, "<mrow>");
        tagged(r->t, "mi", s, 1);
        tagged(r->t, "mi", s + 1, 1);
        at_text_add(r->t, "</mrow>");
    } else if (n)
        tagged(r->t, isdigit((unsigned char)*s) ? "mn" : "mi", s, n);
    r->s += n;
    return n > 0;
}

/* What stands below or above: in brackets that are not drawn, or one token. */
static bool script(reader *r, bool above)
{
    char close = *r->s == '{' ? '}' : *r->s == '(' ? ')' : '\0';
    spot p = here(r);
    bool ok, row = close || *r->s == '-'; /* more than one element */
    at_text_add(r->t, row ? "<mrow>" : "");
    if (close && r->depth < DEEPEST) {
        r->depth++;
        r->s++;
        ok = list(r, close, false);
        r->s += ok;
        r->depth--;
    } else if (above) {
        if (*r->s == '-') {
            operator_add(r, "\xE2\x88\x92");
            r->s++;
        }
        ok = atom(r);
    } else
        ok = index_read(r);
    at_text_add(r->t, row ? "</mrow>" : "");
    return ok || back(r, p);
}

static bool factor(reader *r)
{
    spot p = here(r);
    if (!atom(r))
        return back(r, p);
    static const struct {
        char sign;
        const char *open, *close;
    } scripts[] = {{'_', "<msub>", "</msub>"}, {'^', "<msup>", "</msup>"}};
    for (int again = 0; again < 4; again++)
        for (int k = 0; k < 2; k++) {
            if (*r->s != scripts[k].sign)
                continue;
            spot before = here(r);
            r->s++;
            if (!script(r, k == 1)) {
                back(r, before);
                r->factors++;
                return true;
            }
            insert(r->t, p.n, scripts[k].open);
            at_text_add(r->t, scripts[k].close);
            r->worth = true;
        }
    r->factors++;
    return true;
}

/* May the next factor stand here without a sign? Behind a blank only what cannot be a word. */
static bool joins(const char *s, bool blank)
{
    size_t n = letters(s);
    if (!blank)
        return n || *s == '(' || *s == '{' || !strncmp(s, "...", 3);
    for (size_t k = 0; k < sizeof greek / sizeof *greek; k++)
        if (n && is_word(s, n, greek[k][0]))
            return true;
    if (n > 1)
        return (is_word(s, n, "log") || is_word(s, n, "ln") || is_word(s, n, "sqrt")) && s[n] != '-';
    return n == 1 && *s != 'a' && *s != 'I' && s[1] != '\'';
}

static bool product(reader *r)
{
    const char *from = r->s;
    if (!factor(r))
        return false;
    for (;;) {
        spot p = here(r);
        bool blank = *r->s == ' ';
        const char *s = r->s + blank;
        const char *sign = *s == '*' ? "\xC2\xB7" : *s == '/' ? "/" : NULL;
        bool closed = strchr(")}", s[-1]) || (s - from > 2 && s[-2] == '_');
        if (!blank && *s == '.' && isalpha((unsigned char)s[1]) && closed)
            sign = "\xC2\xB7"; /* q_i.k_j, but not e.g. */
        if (sign) {
            r->s = s + 1 + (blank && s[1] == ' ');
            operator_add(r, sign);
            r->worth = true;
        } else if (joins(s, blank)) {
            bool call = !blank && *s == '(';
            r->s = s;
            if (blank)
                at_text_add(r->t, "<mspace width=\"0.17em\"/>");
            r->worth = r->worth || call;
        } else
            return true;
        if (!factor(r)) {
            back(r, p);
            return true;
        }
    }
}

/* Reads a sign, with a blank on both sides or on none. */
static const char *sign_read(reader *r, const char *const signs[][2], size_t n)
{
    bool blank = *r->s == ' ';
    const char *s = r->s + blank;
    for (size_t k = 0; k < n; k++) {
        size_t len = strlen(signs[k][0]);
        if (strncmp(s, signs[k][0], len) || (isalpha((unsigned char)*s) && !blank) ||
            blank != (s[len] == ' '))
            continue;
        r->s = s + len + blank;
        return signs[k][1];
    }
    return NULL;
}

static bool sum(reader *r)
{
    static const char *const signs[][2] = {{"+-", "\xC2\xB1"}, {"+", "+"}, {"-", "\xE2\x88\x92"}};
    spot start = here(r);
    if (*r->s == '-' && r->s[1] != ' ') {
        operator_add(r, "\xE2\x88\x92");
        r->s++;
    }
    if (!product(r))
        return back(r, start);
    for (;;) {
        spot p = here(r);
        const char *sign = strncmp(r->s, "->", 2) ? sign_read(r, signs, sizeof signs / sizeof *signs) : NULL;
        if (!sign)
            return true;
        operator_add(r, sign);
        r->worth = true;
        if (!product(r)) {
            back(r, p);
            return true;
        }
    }
}

static bool relation(reader *r)
{
    static const char *const signs[][2] = {
        {"<=", "\xE2\x89\xA4"}, {">=", "\xE2\x89\xA5"}, {"->", "\xE2\x86\x92"}, {"=", "="},
        {"<", "&lt;"},          {">", "&gt;"},          {"..", ".."},           {"mod", "mod"},
        {"in", "\xE2\x88\x88"},
    };
    if (!sum(r))
        return false;
    for (;;) {
        spot p = here(r);
        const char *sign = sign_read(r, signs, sizeof signs / sizeof *signs);
        if (!sign)
            return true;
        if (!r->depth && strcmp(sign, ".."))
            breaking_add(r, sign);
        else
            operator_add(r, sign);
        r->worth = true;
        if (!sum(r)) {
            back(r, p);
            return true;
        }
    }
}

/* ---- sentences --------------------------------------------------------------------------------------------- */

/* A formula at r->s that ends where a word does. */
static bool formula(reader *r)
{
    spot p = here(r);
    const char *s = r->s;
    bool article = (*s == 'a' || *s == 'A' || *s == 'I') && s[1] == ' ' &&
                   (letters(s + 2) != 1 || (s[3] == '-' && isalpha((unsigned char)s[4])));
    bool name = isupper((unsigned char)*s) && s[1] == '-' && isupper((unsigned char)s[2]) &&
                isupper((unsigned char)s[3]); /* C-RASP */
    if (article || name || *s == '|' || !strncmp(s, "...", 3))
        return false;
    r->worth = letters(s) == 1;
    r->factors = 0;
    at_text_add(r->t, "<math>");
    if (!relation(r))
        return back(r, p);
    at_text_add(r->t, "</math>");
    bool ends = !isalnum((unsigned char)*r->s) && *r->s != '_' && *r->s != '^' && *r->s != '\'' &&
                !(*r->s == '.' && isalpha((unsigned char)r->s[1]));
    return (r->worth && ends) || back(r, p);
}

void at_report_math(at_text *t, const char *s)
{
    char one[8];
    at_text_add(t, "");
    reader r = {.s = s ? s : "", .t = t};
    bool begins = true; /* a word does */
    while (*r.s && !t->oom) {
        if (begins && formula(&r)) {
            begins = false;
            continue;
        }
        const char *from = r.s;
        uint32_t c = at_text_next(&r.s);
        size_t n = (size_t)(r.s - from);
        memcpy(one, from, n);
        one[n] = '\0';
        if (c == '\n')
            at_text_add(t, "\n");
        else
            at_text_add_html(t, one);
        begins = c == ' ' || c == '\n' || c == '(' || c == '[';
    }
}
