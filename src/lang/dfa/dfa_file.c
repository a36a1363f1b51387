/* dfa_file.c: deterministic automata as text.
 *
 *     alphabet a b             if it is left out: the letters that occur, in order of appearance
 *     start 0                  states are words
 *     accept 0 2
 *     0 a 1                    from letter to
 *     0 b 2
 *     sink implicit            transitions that are not there go to a state that never accepts
 *
 * or, as users of GAP have them, where each of the states 1, 2, ... goes: letter a: 2 3 3. Statements end with the line or
 * with ";", # begins a comment. A transition that is missing, or there twice, is a fault.
 *
 * JFLAP's files (dfa_jff.c) and Graphviz' (dfa_dot.c) are known by their suffix, or by how they begin; MONA's lines (dfa_mona.c) by how
 * they begin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dfa_internal.h"

typedef struct {
    dfa_reader r;
    dfa_word *w; /* words; an empty one ends a statement */
    size_t n;
    bool numbered;
} lines;

/* ---- words -------------------------------------------------------------------------------------------------------------- */

/* Cuts the text into words. */
static at_status words_cut(lines *x, char *text)
{
    size_t n = 2;
    for (const char *s = text; *s; s++)
        n += *s == ' ' || *s == '\t' || *s == '\n' || *s == ';' || *s == '\r' ? 2 : 1;
    if (!(x->w = at_new(x->r.a, dfa_word, n)))
        return at_oom(x->r.err);
    int line = 1;
    char *from = text;
    for (char *s = text; *s;) {
        char c = *s;
        if (c == '#')
            while (*s && *s != '\n')
                s++;
        else if (c == '\n' || c == ';') {
            x->w[x->n++] = (dfa_word){NULL, line, (int)(s - from) + 1};
            s++;
            if (c == '\n') {
                line++;
                from = s;
            }
            s[-1] = 0;
        } else if (c == ' ' || c == '\t' || c == '\r')
            *s++ = 0;
        else {
            x->w[x->n++] = (dfa_word){s, line, (int)(s - from) + 1};
            const char *begin = s;
            while (*s && !strchr(" \t\r\n;#", *s)) {
                const char *was = s, *next = s;
                uint32_t u = at_text_next(&next);
                if (at_text_acts(u) || u == AT_TEXT_REPLACEMENT)
                    return dfa_fail(&x->r, &(dfa_word){NULL, line, (int)(was - from) + 1},
                                    "a byte that is no visible character");
                s += next - was;
            }
            if (s - begin > 200)
                return dfa_fail(&x->r, &x->w[x->n - 1], "a word of more than 200 bytes");
            if (*s == '#') { /* the word must end before the comment does */
                *s = 0;
                for (s++; *s && *s != '\n'; s++)
                    *s = ' ';
            }
        }
    }
    x->w[x->n++] = (dfa_word){NULL, line, 1};
    return AT_OK;
}

/* ---- statements ----------------------------------------------------------------------------------------------------------- */

/* letter a: 2 3 3 */
static at_status list_read(lines *x, dfa_word *w, size_t n)
{
    dfa_reader *r = &x->r;
    int c, count = (int)n - 2;
    char *colon = n > 1 ? strrchr(w[1].s, ':') : NULL;
    if (!colon || colon[1] || colon == w[1].s || count < 1)
        return dfa_fail(r, w, "a list of images is written letter a: 2 3 3");
    *colon = 0;
    at_status s = dfa_letter(r, &w[1], &c);
    if (s)
        return s;
    if (r->states && (!x->numbered || count != r->states))
        return dfa_fail(r, &w[2], "%d images; the automaton has %d states", count, r->states);
    for (int q = 0; !x->numbered && q < count; q++) {
        char *name = at_arena_printf(r->a, "%d", q + 1);
        if (!name)
            return at_oom(r->err);
        if (dfa_state(r, &(dfa_word){name, w->line, w->column}, true) < 0)
            return dfa_fail(r, w, "more than %d states", AT_STATES_MAX);
    }
    x->numbered = true;
    for (int q = 0; q < count && !s; q++) {
        int to = dfa_state(r, &w[q + 2], false);
        s = to < 0 ? dfa_fail(r, &w[q + 2], "the state '%.40s' is none of 1..%d", w[q + 2].s, count)
                   : dfa_edge_add(r, q, c, to, &w[q + 2]);
    }
    return s;
}

static at_status accept_read(lines *x, dfa_word *w, size_t n)
{
    at_status s = AT_OK;
    if (x->r.accepts)
        return dfa_fail(&x->r, w, "a second accept; name all states in one line");
    x->r.accepts = true;
    for (size_t k = 1; k < n && !s; k++)
        s = dfa_accept(&x->r, &w[k]);
    return s;
}

static at_status statement_read(lines *x, dfa_word *w, size_t n)
{
    dfa_reader *r = &x->r;
    bool is;
    int c;
    at_status s = dfa_statement(r, w, n, &is);
    if (s || is)
        return s;
    if (strcmp(w->s, "letter") == 0)
        return list_read(x, w, n);
    if (strcmp(w->s, "start") == 0)
        return n != 2       ? dfa_fail(r, w, "one state starts, as in start 0")
               : r->start.s ? dfa_fail(r, w, "a second start")
                            : dfa_start(r, &w[1]);
    if (strcmp(w->s, "accept") == 0)
        return accept_read(x, w, n);
    if (n != 3) {
        static const char *const words[] = {"alphabet", "start", "accept", "letter", "sink", "length"};
        at_guess g = {.name = w->s};
        char near[AT_GUESS_TEXT];
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            at_guess_add(&g, words[k]);
        return dfa_fail(r, w,
                        "a transition is written from letter to; other lines begin with alphabet, start, "
                        "accept, letter, sink or length%s",
                        at_guess_text(&g, near));
    }
    if (x->numbered)
        return dfa_fail(r, w, "transitions and lists of images in one automaton");
    s = dfa_letter(r, &w[1], &c);
    if (s)
        return s;
    int from = dfa_state(r, w, true), to = dfa_state(r, &w[2], true);
    return dfa_edge_add(r, from, c, to, w);
}

static at_status lines_read(char *text, lines *x)
{
    dfa_reader *r = &x->r;
    at_status s = words_cut(x, text);
    if (s)
        return s;
    for (size_t k = 0, end; k < x->n && !s; k = end + 1) {
        for (end = k; x->w[end].s; end++)
            ;
        if (end > k)
            s = statement_read(x, x->w + k, end - k);
    }
    if (s || !r->states || !r->sigma.n)
        return s;
    if (!r->start.s && !x->numbered)
        return at_fail(r->err, AT_EINPUT, "%.150s: no state starts; add a line as in start 0", r->path);
    if (!r->accepts)
        return at_fail(r->err, AT_EINPUT,
                       "%.150s: no line accept; an automaton that accepts nothing has one without states",
                       r->path);
    return AT_OK;
}

at_status at_dfa_read(char *text, const char *path, const at_alphabet *given, at_arena *a, at_dfa **out,
                      int *longest, at_err *err)
{
    bool jff = dfa_is_jff(text) || at_ends_with(path, ".jff");
    bool dot = !jff && (dfa_is_dot(text) || at_ends_with(path, ".dot") || at_ends_with(path, ".gv"));
    const char *hint = jff   ? "the comment <!-- sink implicit -->"
                       : dot ? "the comment // sink implicit"
                             : "the line sink implicit";
    bool mona = !jff && !dot && dfa_is_mona(text);
    lines x = {0};
    at_status s = dfa_reader_init(&x.r, path, hint, a, err);
    if (!s && given) {
        x.r.sigma = *given;
        x.r.open = false;
    }
    if (!s)
        s = jff    ? dfa_jff_read(text, &x.r)
            : dot  ? dfa_dot_read(text, &x.r)
            : mona ? dfa_mona_read(text, &x.r)
                   : lines_read(text, &x);
    *longest = x.r.longest;
    return s ? s : dfa_make(&x.r, out);
}

void at_dfa_print(const at_dfa *d, at_text *out)
{
    at_text_add(out, "alphabet");
    for (int c = 0; c < d->sigma.n; c++)
        at_text_addf(out, " %s", d->sigma.letter[c]);
    at_text_addf(out, "\nstart %d\naccept", d->start);
    for (int q = 0; q < d->states; q++)
        if (d->accept[q])
            at_text_addf(out, " %d", q);
    at_text_add(out, "\n");
    for (int q = 0; q < d->states; q++)
        for (int c = 0; c < d->sigma.n; c++)
            at_text_addf(out, "%d %s %d\n", q, d->sigma.letter[c], d->to[q * d->sigma.n + c]);
}

static at_status dfa_read(at_problem *p, char *text, at_err *err)
{
    int longest;
    at_dfa *d, *least;
    const at_alphabet *given;
    at_status s = words_beside(p, &given, err);
    if (!s)
        s = at_dfa_read(text, p->path, given, &p->arena, &d, &longest, err);
    if (!s)
        s = at_dfa_minimize(d, &p->arena, &least, err);
    if (s)
        return s;
    p->title = at_arena_printf(&p->arena, "an automaton of %d states", d->states);
    p->definition = "does the automaton accept the word?";
    return p->title ? at_recogniser_make(p, least, p->title, longest, err) : at_oom(err);
}

static at_status open_dfa(at_problem *p, at_err *err)
{
    return words_open(p, dfa_read, err);
}

static at_status parse_dfa(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, dfa_read, err);
}

/* Files without a suffix that is known: the others begin as nothing else does. */
static bool like_dfa(const char *text, size_t n)
{
    char first[256];
    size_t k = n < sizeof first - 1 ? n : sizeof first - 1;
    memcpy(first, text, k);
    first[k] = 0;
    return dfa_is_jff(first) || dfa_is_dot(first) || dfa_is_mona(first) || strncmp(first, "MONA v", 6) == 0;
}

#define AUTOMATON                                                                                            \
    .about = "a deterministic automaton, docs/languages.md", .open = open_dfa, .parse = parse_dfa,           \
    .given = true
const at_lang at_lang_dfa = {.id = "dfa", .suffix = ".dfa", .like = like_dfa, AUTOMATON};
const at_lang at_lang_jff = {.id = "jff", .suffix = ".jff", AUTOMATON};
const at_lang at_lang_dot = {.id = "dot", .suffix = ".dot", AUTOMATON};
const at_lang at_lang_gv = {.id = "gv", .suffix = ".gv", AUTOMATON};
