/* tm_lines.c: Turing machines as lines, the form that most simulators share, and busy beavers in one word.
 *
 *     start q0 ; blank _ ; accept yes ; reject no     the head begins on the first letter of the input
 *     alphabet 0 1                                    letters of inputs; left out: what is read, but for the blank
 *     q0 1 X r q1                                     state read write move next
 *     tape X Y                                        other symbols; need not be said
 *     q1 * * r q1                                     * read: any symbol; written: what was there; as a move: none
 *     1RB1LB_1LA0LC_1RZ1LD_1RD0RA                     states A, B, ...; of each what it does on 0, on 1, ...
 *
 * Statements end with the line or with ";". Simulators begin comments with ";", so a line that begins with it is one, and what stands
 * behind the ";" of a transition is read only if it is a transition, too. # begins a comment, but for a # alone that is read, written,
 * or the blank. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../words/words_internal.h"
#include "tm_internal.h"

enum { WORDS = AT_TM_STATES + 2 };

at_status tm_fail(const tm_draft *d, const tm_word *w, const char *fmt, ...)
{
    char text[320];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return at_fail(d->err, AT_EINPUT, "%.150s:%d:%d: %s", d->path, w->line, w->column, text);
}

at_status tm_line_add(tm_draft *d, const tm_line *l)
{
    if (d->n == d->room) {
        size_t room = d->room ? 2 * d->room : 64;
        tm_line *more = at_new(d->a, tm_line, room);
        if (!more)
            return at_oom(d->err);
        if (d->n)
            memcpy(more, d->line, d->n * sizeof *more);
        d->line = more;
        d->room = room;
    }
    d->line[d->n++] = *l;
    return AT_OK;
}

at_status tm_named_add(tm_draft *d, const tm_word *w)
{
    if (d->n_named == d->named_room) {
        size_t room = d->named_room ? 2 * d->named_room : 64;
        tm_word *more = at_new(d->a, tm_word, room);
        if (!more)
            return at_oom(d->err);
        if (d->n_named)
            memcpy(more, d->named, d->n_named * sizeof *more);
        d->named = more;
        d->named_room = room;
    }
    d->named[d->n_named++] = *w;
    return AT_OK;
}

bool tm_move(const char *s, int *out)
{
    static const char names[] = "lLrR*sSnN-";
    static const int moves[] = {-1, -1, 1, 1, 0, 0, 0, 0, 0, 0};
    const char *at = *s && !s[1] ? strchr(names, *s) : NULL;
    if (at)
        *out = moves[at - names];
    return at != NULL;
}

/* ---- busy beavers ----------------------------------------------------------------------------------------------------------- */

/* Triples of a digit, L or R, and a capital letter, or ---, in groups of one size. */
bool tm_is_beaver(const char *s)
{
    size_t n = strlen(s), group = strcspn(s, "_");
    if (!group || group % 3 || group > 30 || (n + 1) % (group + 1))
        return false;
    for (size_t k = 0; k < n; k++) {
        size_t in = k % (group + 1), part = in % 3;
        if (in == group ? s[k] != '_'
                        : s[k] != '-' && !(part == 0   ? s[k] >= '0' && s[k] <= '9'
                                           : part == 1 ? s[k] == 'L' || s[k] == 'R'
                                                       : s[k] >= 'A' && s[k] <= 'Z'))
            return false;
        if (in < group && (s[k] == '-') != (s[k - part] == '-'))
            return false;
    }
    return (n + 1) / (group + 1) <= 26;
}

static at_status letter_word(const tm_draft *d, const tm_word *at, size_t byte, char c, tm_word *out)
{
    char *s = at_arena_printf(d->a, "%c", c);
    *out = (tm_word){s, at->line, at->column + (int)byte};
    return s ? AT_OK : at_oom(d->err);
}

at_status tm_beaver_read(tm_draft *d, const tm_word *w)
{
    size_t n = strlen(w->s), group = strcspn(w->s, "_"), states = (n + 1) / (group + 1);
    at_status s = letter_word(d, w, 0, 'A', &d->start);
    if (!s && !d->blank.s)
        s = letter_word(d, w, 0, '0', &d->blank);
    d->letters.said = true; /* they begin on an empty tape, unless somebody says letters */
    for (size_t k = 0; k < n && !s; k += 3, k += k < n && w->s[k] == '_') {
        size_t q = k / (group + 1), read = k % (group + 1) / 3;
        tm_line l = {.move = w->s[k + 1] == 'L' ? -1 : 1};
        s = letter_word(d, w, k, (char)('A' + q), &l.state);
        if (!s)
            s = letter_word(d, w, k, (char)('0' + read), &l.read);
        if (!s && w->s[k] != '-') {
            s = letter_word(d, w, k, w->s[k], &l.write);
            if (!s)
                s = letter_word(d, w, k + 2, w->s[k + 2], &l.next);
            if (!s && w->s[k + 2] >= (char)('A' + states)) /* a letter beyond the states stops */
                s = tm_named_add(d, &l.next);
        }
        if (!s)
            s = tm_line_add(d, &l);
    }
    return s;
}

/* ---- statements ------------------------------------------------------------------------------------------------------------- */

/* Those from ACCEPT to TAPE have any number of words behind them. */
static const char *const headers[] = {"start",  "blank", "length",   "steps", "accept",
                                      "reject", "halt",  "alphabet", "tape"};
enum { START, BLANK, LENGTH, STEPS, ACCEPT, REJECT, HALT, ALPHABET, TAPE, HEADERS };

static int header_of(const char *s)
{
    for (int k = 0; k < HEADERS; k++)
        if (!strcmp(s, headers[k]))
            return k;
    return -1;
}

/* A state may have the name of a header with one word. */
static bool is_transition(const tm_word *w, int n)
{
    int move;
    return header_of(w->s) < ACCEPT && (n == 5 || (n == 6 && !strcmp(w[5].s, "!"))) &&
           tm_move(w[3].s, &move); /* !: a breakpoint */
}

/* \# is the symbol, where a # alone would begin a comment. */
static tm_word symbol_of(tm_word w)
{
    if (!strcmp(w.s, "\\#"))
        w.s = "#";
    return w;
}

static at_status list_read(tm_draft *d, tm_list *to, const tm_word *w, int n)
{
    to->said = true;
    if (!to->w && !(to->w = at_new(d->a, tm_word, WORDS)))
        return at_oom(d->err);
    for (int k = 1; k < n; k++) {
        if (to->n == WORDS)
            return tm_fail(d, &w[k], "more than %d words after %s", WORDS, w->s);
        to->w[to->n++] = symbol_of(w[k]);
    }
    return AT_OK;
}

static at_status one_read(tm_draft *d, tm_word *to, const tm_word *w, int n, const char *like)
{
    if (n != 2)
        return tm_fail(d, w, "it is written %s", like);
    if (to->s)
        return tm_fail(d, w, "a second %s", w->s);
    *to = symbol_of(w[1]);
    return AT_OK;
}

/* Letters between blanks, or one word in quotes, letter by letter. */
static at_status alphabet_read(tm_draft *d, const tm_word *w, int n)
{
    if (n != 2 || w[1].s[0] != '"' || strlen(w[1].s) < 2)
        return list_read(d, &d->letters, w, n);
    tm_word *all = at_new(d->a, tm_word, strlen(w[1].s) + 1);
    if (!all)
        return at_oom(d->err);
    int k = 0;
    all[k++] = *w;
    for (const char *c = w[1].s + 1, *from = c; *c && (*c != '"' || c[1]); from = c) {
        at_text_next(&c);
        char *s = at_arena_printf(d->a, "%.*s", (int)(c - from), from);
        if (!s)
            return at_oom(d->err);
        all[k++] = (tm_word){s, w[1].line, w[1].column + (int)(from - w[1].s)};
    }
    return list_read(d, &d->letters, all, k);
}

static at_status header_read(tm_draft *d, int header, const tm_word *w, int n)
{
    int64_t steps;
    switch (header) {
    case START:
        return one_read(d, &d->start, w, n, "start q0, with one state");
    case BLANK:
        return one_read(d, &d->blank, w, n, "blank _, with one symbol");
    case ACCEPT:
        return list_read(d, &d->stops[AT_TM_YES], w, n);
    case REJECT:
        return list_read(d, &d->stops[AT_TM_NO], w, n);
    case HALT:
        return list_read(d, &d->stops[AT_TM_HALT], w, n);
    case ALPHABET:
        return alphabet_read(d, w, n);
    case TAPE:
        return list_read(d, &d->others, w, n);
    case LENGTH:
        if (n != 2 || !words_length(w[1].s, &d->longest))
            return tm_fail(d, w, "a length is written 0..N, N at most %d", AT_TM_WORD);
        return AT_OK;
    default: /* STEPS */
        if (n != 2 || !at_parse_i64(w[1].s, strlen(w[1].s), &steps) || steps < 1 || steps > AT_TM_STEPS)
            return tm_fail(d, w, "steps are written steps 1000, 1..%d of them", AT_TM_STEPS);
        d->budget = (int)steps;
        return AT_OK;
    }
}

static at_status statement_read(tm_draft *d, const tm_word *w, int n)
{
    int header = header_of(w->s), move;
    if (is_transition(w, n)) {
        tm_line l = {w[0], symbol_of(w[1]), symbol_of(w[2]), w[4], 0};
        tm_move(w[3].s, &l.move);
        return tm_line_add(d, &l);
    }
    if (header >= 0)
        return header_read(d, header, w, n);
    if (n == 1 && tm_is_beaver(w->s)) {
        if (d->n || d->start.s)
            return tm_fail(d, w, "a busy beaver in one word beside other transitions");
        return tm_beaver_read(d, w);
    }
    if (n == 5 && !tm_move(w[3].s, &move))
        return tm_fail(d, &w[3], "'%.20s' is no move; moves are l, r and * (none), or L, R, S", w[3].s);
    const char *near = at_nearest(w->s, headers, HEADERS);
    return tm_fail(d, w,
                   "%d words; a transition is written state read write move next, other lines begin with "
                   "start, blank, accept, reject, halt, alphabet, tape, length or steps%s%s%s",
                   n, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- words ------------------------------------------------------------------------------------------------------------------ */

/* May a # alone be a symbol here? */
static bool symbol_place(const tm_word *w, int n)
{
    int header = n ? header_of(w->s) : -1;
    return n == 1 ? header < 0 || header == BLANK : n == 2 && header < 0;
}

typedef struct {
    const char *at, *line; /* where we are, where its line begins */
    int number;
    tm_word w[WORDS];
    int n;
} cursor;

static bool is_end(char c)
{
    return c == 0 || c == '\n' || c == ';';
}

/* The words up to the end of a statement; the cursor then stands on what ended it. */
static at_status words_take(tm_draft *d, cursor *c)
{
    c->n = 0;
    for (;;) {
        while (*c->at == ' ' || *c->at == '\t' || *c->at == '\r')
            c->at++;
        if (is_end(*c->at))
            return AT_OK;
        size_t n = 0;
        while (!is_end(c->at[n]) && !strchr(" \t\r", c->at[n]))
            n++;
        if (*c->at == '#' && !(n == 1 && symbol_place(c->w, c->n))) {
            while (*c->at && *c->at != '\n')
                c->at++;
            return AT_OK;
        }
        tm_word w = {NULL, c->number, (int)(c->at - c->line) + 1};
        if (c->n == WORDS)
            return tm_fail(d, &w, "more than %d words in one statement", WORDS);
        if (n > 200)
            return tm_fail(d, &w, "a word of more than 200 bytes");
        if (!(w.s = at_arena_printf(d->a, "%.*s", (int)n, c->at)))
            return at_oom(d->err);
        c->w[c->n++] = w;
        c->at += n;
    }
}

static void line_skip(cursor *c)
{
    while (*c->at && *c->at != '\n')
        c->at++;
}

at_status tm_lines_read(tm_draft *d, const char *text)
{
    cursor *c = at_new(d->a, cursor, 1);
    if (!c)
        return at_oom(d->err);
    c->number = 1;
    c->at = text;
    for (;; c->number++, c->at++) {
        bool transition = false; /* begins the line */
        c->line = c->at;
        c->at += strspn(c->at, " \t\r");
        if (*c->at == ';')
            line_skip(c);
        while (*c->at && *c->at != '\n') {
            const char *from = c->at;
            at_mark before = at_arena_mark(d->a);
            at_status s = AT_OK;
            if (transition) { /* a comment may have any words */
                tm_draft quiet = *d;
                at_err ignored = {0};
                quiet.err = &ignored;
                s = words_take(&quiet, c);
                if (s == AT_ENOMEM)
                    return at_oom(d->err);
                if (s || !is_transition(c->w, c->n)) {
                    at_arena_reset(d->a, before);
                    c->at = from;
                    line_skip(c);
                    break;
                }
            } else
                s = words_take(d, c);
            if (!s && c->n) {
                s = statement_read(d, c->w, c->n);
                transition |= is_transition(c->w, c->n);
            }
            if (s)
                return s;
            c->at += *c->at == ';';
        }
        if (!*c->at)
            return AT_OK;
    }
}

at_status at_tm_read(const char *text, const char *path, at_arena *a, at_tm **out, at_err *err)
{
    tm_draft d = {.path = path, .a = a, .err = err, .longest = -1, .budget = -1};
    at_status s = tm_is_yaml(text) ? tm_yaml_read(&d, text) : tm_lines_read(&d, text);
    return s ? s : tm_make(&d, out);
}
