/* regex.c: regular expressions: read, printed, matched by definition, and turned into the least automaton.
 *
 *     union  = inter { "|" inter }              weakest first
 *     inter  = concat { "&" concat }
 *     concat = part { part }
 *     part   = "~" part | atom { "*" | "+" | "?" | "{m}" | "{m,}" | "{m,n}" }     so ~a* is ~(a*)
 *     atom   = letter | "." | "[abc]" | "[^abc]" | "ε" | "∅" | "(" union ")" | "()" | "\" character
 *
 * A letter is one character; blanks are passed over. The alphabet is the letters that occur, in the order of their code
 * points, unless it is given. Union, intersection and concatenation are lists (first, next), so that a long row of letters is
 * no deep tree. */
#include <attest/lang.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *at, *text, *path;
    int depth;
    bool open;         /* the alphabet is what is met */
    at_alphabet sigma; /* complete in the second reading */
    const char **letter;
    at_arena *arena;
    at_err *err;
    at_status status;
    int line; /* of the text in its file */
    int column;
} parser;

static at_regex *union_read(parser *p);

static void fail_at(parser *p, const char *where, const char *what)
{
    int column = p->column;
    if (p->status)
        return;
    for (const char *c = p->text; c < where; column++)
        at_text_next(&c);
    if (p->path)
        p->status = at_fail(p->err, AT_EINPUT, "%.200s:%d:%d: %s", p->path, p->line, column, what);
    else
        p->status = at_fail(p->err, AT_EINPUT, "regular expression, character %d: %s", column, what);
}

static char peek(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
    return p->status ? 0 : *p->at;
}

static bool take(parser *p, const char *symbol)
{
    peek(p);
    size_t n = strlen(symbol);
    if (p->status || strncmp(p->at, symbol, n) != 0)
        return false;
    p->at += n;
    return true;
}

static at_regex *node(parser *p, at_regex_op op, at_regex *first)
{
    at_regex *e = at_new(p->arena, at_regex, 1);
    if (!e) {
        p->status = p->status ? p->status : at_oom(p->err);
        return NULL;
    }
    e->op = op;
    e->first = first;
    return e;
}

static int order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b); /* of UTF-8: by code point */
}

/* The letter at p->at, which moves on; in the first reading of an open alphabet it is entered, and its number means
 * nothing. */
static int letter_read(parser *p)
{
    const char *begin = p->at;
    uint32_t c = at_text_next(&p->at);
    size_t n = (size_t)(p->at - begin);
    if (at_text_acts(c) || c == AT_TEXT_REPLACEMENT) {
        fail_at(p, begin, "a byte that is no visible character");
        return 0;
    }
    if (c == ' ') { /* behind a backslash; elsewhere blanks mean nothing */
        fail_at(p, begin, "a blank is no letter");
        return 0;
    }
    int k = at_alphabet_find(&p->sigma, begin, n);
    if (k >= 0)
        return k;
    if (!p->open) {
        char text[300];
        at_text all;
        at_text_init(&all);
        for (int i = 0; i < p->sigma.n; i++)
            at_text_addf(&all, " %s", p->sigma.letter[i]);
        snprintf(text, sizeof text, "'%.*s' is not in the alphabet:%.200s", (int)n, begin,
                 all.oom ? "" : all.s);
        at_text_release(&all);
        fail_at(p, begin, text);
        return 0;
    }
    if (p->sigma.n == AT_LETTERS_MAX) {
        fail_at(p, begin, "more than 64 letters");
        return 0;
    }
    if (!(p->letter[p->sigma.n] = at_arena_printf(p->arena, "%.*s", (int)n, begin)))
        p->status = at_oom(p->err);
    else
        p->sigma.n++;
    return 0;
}

static uint64_t all_letters(const parser *p)
{
    return p->sigma.n == 64 ? UINT64_MAX : ((uint64_t)1 << p->sigma.n) - 1;
}

static at_regex *set_node(parser *p, uint64_t set)
{
    at_regex *e = node(p, AT_REGEX_SET, NULL);
    if (e)
        e->set = set;
    return e;
}

static at_regex *class_read(parser *p, const char *begin)
{
    uint64_t set = 0;
    bool not = take(p, "^"), any = false;
    while (peek(p) && *p->at != ']') {
        if (*p->at == '\\' && p->at[1])
            p->at++;
        else if (*p->at == '-' || *p->at == '[') {
            fail_at(p, p->at, "a set lists its letters, [abc]; write \\- or \\[ for these themselves");
            break;
        }
        set |= (uint64_t)1 << letter_read(p);
        any = true;
    }
    if (!take(p, "]"))
        fail_at(p, begin, "[ without ]");
    else if (!any)
        fail_at(p, begin, "an empty set; write ∅, or . for any letter");
    return set_node(p, not ? all_letters(p) & ~set : set);
}

static at_regex *atom_read(parser *p)
{
    char c = peek(p);
    const char *begin = p->at;
    if (take(p, "(")) {
        if (take(p, ")"))
            return node(p, AT_REGEX_CONCAT, NULL);
        if (++p->depth > AT_REGEX_DEPTH) {
            fail_at(p, begin, "brackets nested more than 200 deep");
            return NULL;
        }
        at_regex *e = union_read(p);
        p->depth--;
        if (!take(p, ")"))
            fail_at(p, begin, "( without )");
        return e;
    }
    if (take(p, "ε"))
        return node(p, AT_REGEX_CONCAT, NULL);
    if (take(p, "∅"))
        return set_node(p, 0);
    if (take(p, "."))
        return set_node(p, all_letters(p));
    if (take(p, "["))
        return class_read(p, begin);
    if (take(p, "\\")) {
        if (!*p->at) {
            fail_at(p, begin, "\\ without a character behind it");
            return NULL;
        }
        return set_node(p, (uint64_t)1 << letter_read(p));
    }
    if (!c || strchr("|&)", c)) {
        fail_at(p, begin, "an expression is missing; the empty word is ε or ()");
        return NULL;
    }
    if (strchr("*+?{}]", c)) {
        char text[100];
        snprintf(text, sizeof text, "nothing before %c that it could apply to; write \\%c for the letter", c,
                 c);
        fail_at(p, begin, text);
        return NULL;
    }
    return set_node(p, (uint64_t)1 << letter_read(p));
}

static int number_read(parser *p, int missing)
{
    int n = 0;
    const char *begin = (peek(p), p->at);
    if (*p->at < '0' || *p->at > '9')
        return missing;
    for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
        n = n * 10 + (*p->at - '0');
        if (n > AT_REGEX_TIMES) {
            fail_at(p, begin, "repeated too often; at most 1000 times");
            return 0;
        }
    }
    return n;
}

static at_regex *repeat_node(parser *p, at_regex *e, int lo, int hi)
{
    at_regex *r = node(p, AT_REGEX_REPEAT, e);
    if (r) {
        r->lo = lo;
        r->hi = hi;
    }
    return r;
}

static at_regex *part_read(parser *p)
{
    int nots = 0;
    const char *begin = (peek(p), p->at);
    while (take(p, "~"))
        nots++;
    if (nots > AT_REGEX_DEPTH)
        fail_at(p, begin, "more than 200 times ~");
    at_regex *e = atom_read(p);
    int repeats = 0;
    for (;;) {
        begin = (peek(p), p->at);
        if (take(p, "*"))
            e = repeat_node(p, e, 0, -1);
        else if (take(p, "+"))
            e = repeat_node(p, e, 1, -1);
        else if (take(p, "?"))
            e = repeat_node(p, e, 0, 1);
        else if (take(p, "{")) {
            int lo = number_read(p, -1), hi = take(p, ",") ? number_read(p, -1) : lo;
            if (!take(p, "}") || lo < 0 || (hi >= 0 && hi < lo)) {
                fail_at(p, begin, "a repetition is {m}, {m,} or {m,n} with m <= n");
                return NULL;
            }
            e = repeat_node(p, e, lo, hi);
        } else
            break;
        if (++repeats > AT_REGEX_DEPTH)
            fail_at(p, begin, "more than 200 repetitions of repetitions");
    }
    for (; nots && !p->status; nots--)
        e = node(p, AT_REGEX_NOT, e);
    return e;
}

/* A list of what `read` gives; one alone is itself. */
static at_regex *list_read(parser *p, at_regex_op op, const char *between, at_regex *(*read)(parser *))
{
    at_regex *first = read(p), *last = first;
    bool many = false;
    while (!p->status && (between ? take(p, between) : peek(p) && !strchr("|&)", *p->at))) {
        at_regex *e = read(p);
        if (p->status)
            return NULL;
        if (!many) { /* a list has its parts linked, and a part may be a list itself */
            first = node(p, AT_REGEX_PART, first);
            last = first;
            many = true;
        }
        at_regex *next = node(p, AT_REGEX_PART, e);
        if (!next || !last)
            return NULL;
        last->next = next;
        last = next;
    }
    return many ? node(p, op, first) : first;
}

static at_regex *concat_read(parser *p)
{
    return list_read(p, AT_REGEX_CONCAT, NULL, part_read);
}

static at_regex *inter_read(parser *p)
{
    return list_read(p, AT_REGEX_AND, "&", concat_read);
}

static at_regex *union_read(parser *p)
{
    return list_read(p, AT_REGEX_OR, "|", inter_read);
}

at_status at_regex_parse(const char *text, const at_alphabet *sigma, const char *path, int line, int column,
                         at_arena *a, at_regex **out, at_alphabet *used, at_err *err)
{
    parser p = {.at = text,
                .text = text,
                .path = path,
                .line = line,
                .column = column,
                .open = !sigma,
                .arena = a,
                .err = err};
    if (sigma) {
        p.sigma = *sigma;
        for (int k = 0; k < sigma->n; k++) {
            const char *c = sigma->letter[k];
            at_text_next(&c);
            if (*c)
                return at_fail(
                    err, AT_EINPUT,
                    "the letter '%s' has several characters; a regular expression has letters of one",
                    sigma->letter[k]);
        }
    } else {
        p.letter = at_new(a, const char *, AT_LETTERS_MAX);
        if (!p.letter)
            return at_oom(err);
        p.sigma.letter = p.letter;
        union_read(&p);
        if (!p.status && p.sigma.n == 0)
            return at_fail(err, AT_EINPUT, "the expression names no letter, so its alphabet must be given");
        qsort(p.letter, (size_t)p.sigma.n, sizeof *p.letter, order);
        p.open = false;
        p.at = text;
    }
    *out = p.status ? NULL : union_read(&p);
    if (!p.status && peek(&p))
        fail_at(&p, p.at, ") without (");
    *used = p.sigma;
    return p.status;
}

/* ---- printing -------------------------------------------------------------------------------------------------------- */

static void letter_print(const char *letter, at_text *out)
{
    if (strchr("|&()*+?{}[]^.~\\-", *letter) || strcmp(letter, "ε") == 0 || strcmp(letter, "∅") == 0)
        at_text_add(out, "\\");
    at_text_add(out, letter);
}

static void set_print(const at_regex *e, const at_alphabet *sigma, at_text *out)
{
    uint64_t all = sigma->n == 64 ? UINT64_MAX : ((uint64_t)1 << sigma->n) - 1;
    int n = __builtin_popcountll(e->set);
    if (n == 0)
        at_text_add(out, "∅");
    else if (n == 1)
        letter_print(sigma->letter[__builtin_ctzll(e->set)], out);
    else if (e->set == all)
        at_text_add(out, ".");
    else {
        at_text_add(out, "[");
        for (int k = 0; k < sigma->n; k++)
            if (e->set >> k & 1)
                letter_print(sigma->letter[k], out);
        at_text_add(out, "]");
    }
}

/* How tightly it binds: union 0, intersection 1, concatenation 2, complement 3, repetition 4, an atom 5. */
static int strength(const at_regex *e)
{
    switch (e->op) {
    case AT_REGEX_OR:
        return 0;
    case AT_REGEX_AND:
        return 1;
    case AT_REGEX_CONCAT:
        return e->first ? 2 : 5;
    case AT_REGEX_NOT:
        return 3;
    case AT_REGEX_REPEAT:
        return 4;
    case AT_REGEX_SET:
    case AT_REGEX_PART:
        return 5;
    }
    return 5;
}

static void print_within(const at_regex *e, const at_alphabet *sigma, int least, at_text *out)
{
    bool brackets = strength(e) < least;
    if (brackets)
        at_text_add(out, "(");
    switch (e->op) {
    case AT_REGEX_SET:
        set_print(e, sigma, out);
        break;
    case AT_REGEX_CONCAT:
        if (!e->first)
            at_text_add(out, "ε");
        for (const at_regex *k = e->first; k; k = k->next)
            print_within(k->first, sigma, 3, out);
        break;
    case AT_REGEX_AND:
    case AT_REGEX_OR:
        for (const at_regex *k = e->first; k; k = k->next) {
            if (k != e->first)
                at_text_add(out, e->op == AT_REGEX_AND ? "&" : "|");
            print_within(k->first, sigma, e->op == AT_REGEX_AND ? 2 : 1, out);
        }
        break;
    case AT_REGEX_NOT:
        at_text_add(out, "~");
        print_within(e->first, sigma, 3, out);
        break;
    case AT_REGEX_REPEAT:
        print_within(e->first, sigma, 4, out);
        if (e->lo == 0 && e->hi == 1)
            at_text_add(out, "?");
        else if (e->hi < 0 && e->lo < 2)
            at_text_add(out, e->lo ? "+" : "*");
        else if (e->hi < 0)
            at_text_addf(out, "{%d,}", e->lo);
        else if (e->hi == e->lo)
            at_text_addf(out, "{%d}", e->lo);
        else
            at_text_addf(out, "{%d,%d}", e->lo, e->hi);
        break;
    case AT_REGEX_PART:
        break;
    }
    if (brackets)
        at_text_add(out, ")");
}

void at_regex_print(const at_regex *e, const at_alphabet *sigma, at_text *out)
{
    print_within(e, sigma, 0, out);
}

/* ---- the reference: by definition ------------------------------------------------------------------------------------- */

static bool matches(const at_regex *e, const int *w, int n);

/* Do the parts from k on match w, one after the other? */
static bool row_matches(const at_regex *k, const int *w, int n)
{
    if (!k)
        return n == 0;
    for (int i = 0; i <= n; i++)
        if (matches(k->first, w, i) && row_matches(k->next, w + i, n - i))
            return true;
    return false;
}

/* lo to hi (-1: any number of) words of e, one after the other. Of the ones not needed none is empty. */
static bool times_match(const at_regex *e, int lo, int hi, const int *w, int n)
{
    if (n == 0 && (lo == 0 || matches(e, w, 0)))
        return true;
    if (hi == 0)
        return false;
    if (lo > 0 && matches(e, w, 0) && times_match(e, 0, hi, w, n))
        return true;
    for (int i = 1; i <= n; i++)
        if (matches(e, w, i) && times_match(e, lo ? lo - 1 : 0, hi < 0 ? hi : hi - 1, w + i, n - i))
            return true;
    return false;
}

static bool matches(const at_regex *e, const int *w, int n)
{
    switch (e->op) {
    case AT_REGEX_SET:
        return n == 1 && (e->set >> w[0] & 1);
    case AT_REGEX_CONCAT:
        return row_matches(e->first, w, n);
    case AT_REGEX_OR:
        for (const at_regex *k = e->first; k; k = k->next)
            if (matches(k->first, w, n))
                return true;
        return false;
    case AT_REGEX_AND:
        for (const at_regex *k = e->first; k; k = k->next)
            if (!matches(k->first, w, n))
                return false;
        return true;
    case AT_REGEX_NOT:
        return !matches(e->first, w, n);
    case AT_REGEX_REPEAT:
        return times_match(e->first, e->lo, e->hi, w, n);
    case AT_REGEX_PART:
        break;
    }
    return false;
}

bool at_regex_matches(const at_regex *e, const int *word, int n)
{
    return matches(e, word, n);
}

/* ---- the automaton ------------------------------------------------------------------------------------------------------ */

static at_status build(const at_regex *e, at_nfa *x, int from, int to, at_err *err);

static at_status alone(const at_regex *e, const at_alphabet *sigma, at_arena *a, at_dfa **out, at_err *err)
{
    at_nfa x;
    at_nfa_init(&x, sigma);
    int from = at_nfa_state(&x), to = at_nfa_state(&x);
    at_status s = build(e, &x, from, to, err);
    if (!s)
        s = at_nfa_determinize(&x, from, to, a, out, err);
    at_nfa_release(&x);
    return s;
}

/* Complement and intersection need automata without choices: their parts are made such, and the least automaton of the outcome
 * is put in. */
static at_status closed_build(const at_regex *e, at_nfa *x, int from, int to, at_err *err)
{
    at_arena scratch;
    at_arena_init(&scratch);
    const at_regex *k = e->op == AT_REGEX_NOT ? NULL : e->first->next;
    at_dfa *d = NULL, *other;
    at_status s = alone(e->op == AT_REGEX_NOT ? e->first : e->first->first, &x->sigma, &scratch, &d, err);
    if (!s && e->op == AT_REGEX_NOT)
        s = at_dfa_complement(d, &scratch, &d, err);
    for (; !s && k; k = k->next) {
        s = alone(k->first, &x->sigma, &scratch, &other, err);
        if (!s)
            s = at_dfa_intersect(d, other, &scratch, &d, err);
    }
    if (!s)
        at_nfa_embed(x, d, from, to);
    at_arena_release(&scratch);
    return s;
}

static at_status repeat_build(const at_regex *e, at_nfa *x, int from, int to, at_err *err)
{
    at_status s = AT_OK;
    int at = from;
    for (int k = 0; !s && k < e->lo; k++) {
        int next = at_nfa_state(x);
        s = build(e->first, x, at, next, err);
        at = next;
    }
    if (e->hi < 0) {
        int loop = at_nfa_state(x);
        at_nfa_edge(x, at, -1, loop);
        if (!s)
            s = build(e->first, x, loop, loop, err);
        at = loop;
    }
    for (int k = e->lo; !s && k < e->hi; k++) {
        int next = at_nfa_state(x);
        at_nfa_edge(x, at, -1, to);
        s = build(e->first, x, at, next, err);
        at = next;
    }
    at_nfa_edge(x, at, -1, to);
    return s;
}

/* Edges from `from` to `to` for the words of e. `from` may be entered and `to` left by others: parts that could run into one
 * another get states of their own. */
static at_status build(const at_regex *e, at_nfa *x, int from, int to, at_err *err)
{
    at_status s = AT_OK;
    if (x->failed)
        return AT_OK; /* at_nfa_determinize says it */
    switch (e->op) {
    case AT_REGEX_SET:
        for (int c = 0; c < x->sigma.n; c++)
            if (e->set >> c & 1)
                at_nfa_edge(x, from, c, to);
        return AT_OK;
    case AT_REGEX_CONCAT:
        for (const at_regex *k = e->first; !s && k; k = k->next) {
            int next = k->next ? at_nfa_state(x) : to;
            s = build(k->first, x, from, next, err);
            from = next;
        }
        if (!e->first)
            at_nfa_edge(x, from, -1, to);
        return s;
    case AT_REGEX_OR:
        for (const at_regex *k = e->first; !s && k; k = k->next) {
            int begin = at_nfa_state(x);
            at_nfa_edge(x, from, -1, begin);
            s = build(k->first, x, begin, to, err);
        }
        return s;
    case AT_REGEX_REPEAT: {
        int begin = at_nfa_state(x), end = at_nfa_state(x);
        at_nfa_edge(x, from, -1, begin);
        s = repeat_build(e, x, begin, end, err);
        at_nfa_edge(x, end, -1, to);
        return s;
    }
    case AT_REGEX_AND:
    case AT_REGEX_NOT:
        return closed_build(e, x, from, to, err);
    case AT_REGEX_PART:
        break;
    }
    return s;
}

at_status at_regex_dfa(const at_regex *e, const at_alphabet *sigma, at_arena *a, at_dfa **out, at_err *err)
{
    return alone(e, sigma, a, out, err);
}
