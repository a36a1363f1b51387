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
 * with ";", # begins a comment. A transition that is missing, or there twice, is a fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../words/words_internal.h"

typedef struct {
    const char *s; /* in the text */
    int line, column;
} word;

typedef struct {
    const char *path;
    at_arena *a;
    at_err *err;
    word *w; /* words; an empty one ends a statement */
    size_t n;
    /* names of states */
    word *state;
    int states, *slot;
    size_t slots;
    /* letters */
    at_alphabet sigma;
    const char **letter;
    bool open; /* letters are those that occur */
    bool numbered, sink;
    word start;
    size_t accept, accept_end; /* words */
    int longest;
    struct edge {
        int from, letter, to;
        word *at;
    } * edge;
    size_t n_edges;
} reader;

static at_status fail_at(const reader *r, const word *w, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static at_status fail_at(const reader *r, const word *w, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return at_fail(r->err, AT_EINPUT, "%.150s:%d:%d: %s", r->path, w->line, w->column, text);
}

/* ---- words -------------------------------------------------------------------------------------------------------------- */

/* Cuts the text into words. */
static at_status words_cut(reader *r, char *text)
{
    size_t n = 2;
    for (const char *s = text; *s; s++)
        n += *s == ' ' || *s == '\t' || *s == '\n' || *s == ';' || *s == '\r' ? 2 : 1;
    if (!(r->w = at_new(r->a, word, n)))
        return at_oom(r->err);
    int line = 1;
    char *from = text;
    for (char *s = text; *s;) {
        char c = *s;
        if (c == '#')
            while (*s && *s != '\n')
                s++;
        else if (c == '\n' || c == ';') {
            r->w[r->n++] = (word){NULL, line, (int)(s - from) + 1};
            s++;
            if (c == '\n') {
                line++;
                from = s;
            }
            s[-1] = 0;
        } else if (c == ' ' || c == '\t' || c == '\r')
            *s++ = 0;
        else {
            r->w[r->n++] = (word){s, line, (int)(s - from) + 1};
            const char *begin = s;
            while (*s && !strchr(" \t\r\n;#", *s)) {
                const char *was = s, *next = s;
                uint32_t u = at_text_next(&next);
                if (at_text_acts(u) || u == AT_TEXT_REPLACEMENT)
                    return fail_at(r, &(word){NULL, line, (int)(was - from) + 1},
                                   "a byte that is no visible character");
                s += next - was;
            }
            if (s - begin > 200)
                return fail_at(r, &r->w[r->n - 1], "a word of more than 200 bytes");
            if (*s == '#') { /* the word must end before the comment does */
                *s = 0;
                for (s++; *s && *s != '\n'; s++)
                    *s = ' ';
            }
        }
    }
    r->w[r->n++] = (word){NULL, line, 1};
    return AT_OK;
}

/* ---- states and letters --------------------------------------------------------------------------------------------------- */

static int state_find(reader *r, const word *w, bool add)
{
    size_t k = at_hash64(w->s, strlen(w->s), 5) & (r->slots - 1);
    while (r->slot[k] >= 0 && strcmp(r->state[r->slot[k]].s, w->s) != 0)
        k = (k + 1) & (r->slots - 1);
    if (r->slot[k] < 0 && add && r->states < AT_STATES_MAX) {
        r->state[r->states] = *w;
        r->slot[k] = r->states++;
    }
    return r->slot[k];
}

static at_status letter_find(reader *r, const word *w, int *out)
{
    *out = at_alphabet_find(&r->sigma, w->s, strlen(w->s));
    if (*out >= 0)
        return AT_OK;
    if (!r->open)
        return fail_at(r, w, "the letter '%.40s' is not in the alphabet", w->s);
    if (r->sigma.n == AT_LETTERS_MAX)
        return fail_at(r, w, "more than %d letters", AT_LETTERS_MAX);
    if (strlen(w->s) >= AT_LETTER_MAX)
        return fail_at(r, w, "a letter has at most %d bytes", AT_LETTER_MAX - 1);
    if (!(r->letter[r->sigma.n] = at_arena_strdup(r->a, w->s)))
        return at_oom(r->err);
    *out = r->sigma.n++;
    return AT_OK;
}

static at_status edge_add(reader *r, int from, int letter, int to, word *at)
{
    if (from < 0 || to < 0)
        return fail_at(r, at, "more than %d states", AT_STATES_MAX);
    r->edge[r->n_edges++] = (struct edge){from, letter, to, at};
    return AT_OK;
}

/* ---- statements ----------------------------------------------------------------------------------------------------------- */

static at_status alphabet_read(reader *r, word *w, size_t n)
{
    at_text t;
    at_text_init(&t);
    for (size_t k = 1; k < n; k++)
        at_text_addf(&t, "%s ", w[k].s);
    at_err fault = {0};
    at_status s = t.oom || n == 1 ? AT_OK : at_alphabet_parse(t.s, r->a, &r->sigma, &fault);
    if (n == 1 || r->states)
        s = fail_at(r, w, n == 1 ? "an alphabet without letters" : "the alphabet comes before transitions");
    else if (t.oom)
        s = at_oom(r->err);
    else if (s)
        s = fail_at(r, &w[1], "%s", fault.text);
    r->open = false;
    at_text_release(&t);
    return s;
}

/* letter a: 2 3 3 */
static at_status list_read(reader *r, word *w, size_t n)
{
    int c, count = (int)n - 2;
    char *colon = n > 1 ? strrchr(w[1].s, ':') : NULL;
    if (!colon || colon[1] || colon == w[1].s || count < 1)
        return fail_at(r, w, "a list of images is written letter a: 2 3 3");
    *colon = 0;
    at_status s = letter_find(r, &w[1], &c);
    if (s)
        return s;
    if (r->states && (!r->numbered || count != r->states))
        return fail_at(r, &w[2], "%d images; the automaton has %d states", count, r->states);
    for (int q = 0; !r->numbered && q < count; q++) {
        char *name = at_arena_printf(r->a, "%d", q + 1);
        if (!name)
            return at_oom(r->err);
        if (state_find(r, &(word){name, w->line, w->column}, true) < 0)
            return fail_at(r, w, "more than %d states", AT_STATES_MAX);
    }
    r->numbered = true;
    for (int q = 0; q < count && !s; q++) {
        int to = state_find(r, &w[q + 2], false);
        s = to < 0 ? fail_at(r, &w[q + 2], "the state '%.40s' is none of 1..%d", w[q + 2].s, count)
                   : edge_add(r, q, c, to, &w[q + 2]);
    }
    return s;
}

static at_status statement_read(reader *r, word *w, size_t n)
{
    int c;
    if (strcmp(w->s, "alphabet") == 0)
        return alphabet_read(r, w, n);
    if (strcmp(w->s, "letter") == 0)
        return list_read(r, w, n);
    if (strcmp(w->s, "length") == 0) {
        if (n != 2 || !words_length(w[1].s, &r->longest))
            return fail_at(r, w, "a length is written 0..N, N at most %d", AT_WORD_LONGEST);
        return AT_OK;
    }
    if (strcmp(w->s, "start") == 0) {
        if (n != 2 || r->start.s)
            return fail_at(r, w, n != 2 ? "one state starts, as in start 0" : "a second start");
        r->start = w[1];
        return AT_OK;
    }
    if (strcmp(w->s, "accept") == 0) {
        if (r->accept_end)
            return fail_at(r, w, "a second accept; name all states in one line");
        r->accept = (size_t)(w + 1 - r->w);
        r->accept_end = r->accept + n - 1;
        return AT_OK;
    }
    if (strcmp(w->s, "sink") == 0) {
        if (n != 2 || strcmp(w[1].s, "implicit") != 0)
            return fail_at(r, w, "it is written sink implicit");
        r->sink = true;
        return AT_OK;
    }
    if (n != 3)
        return fail_at(
            r, w,
            "a transition is written from letter to; other lines begin with alphabet, start, accept, "
            "letter, sink or length");
    if (r->numbered)
        return fail_at(r, w, "transitions and lists of images in one automaton");
    at_status s = letter_find(r, &w[1], &c);
    if (s)
        return s;
    int from = state_find(r, w, true), to = state_find(r, &w[2], true);
    return edge_add(r, from, c, to, w);
}

/* ---- the automaton --------------------------------------------------------------------------------------------------------- */

static at_status ends_read(reader *r, at_dfa *d)
{
    if (!r->start.s && !r->numbered)
        return at_fail(r->err, AT_EINPUT, "%.150s: no state starts; add a line as in start 0", r->path);
    d->start = r->start.s ? state_find(r, &r->start, false) : 0;
    if (d->start < 0)
        return fail_at(r, &r->start, "the state '%.40s' has no transitions", r->start.s);
    if (!r->accept_end)
        return at_fail(r->err, AT_EINPUT,
                       "%.150s: no line accept; an automaton that accepts nothing has one without states",
                       r->path);
    for (size_t k = r->accept; k < r->accept_end; k++) {
        int q = state_find(r, &r->w[k], false);
        if (q < 0)
            return fail_at(r, &r->w[k], "the state '%.40s' has no transitions", r->w[k].s);
        d->accept[q] = true;
    }
    return AT_OK;
}

static at_status dfa_make(reader *r, at_dfa **out)
{
    int L = r->sigma.n, sink = r->states;
    if (!r->states || !L)
        return at_fail(r->err, AT_EINPUT, "%.150s: no transitions", r->path);
    if (r->sink && r->states == AT_STATES_MAX)
        return at_fail(r->err, AT_EINPUT, "%.150s: more than %d states", r->path, AT_STATES_MAX);
    at_dfa *d;
    at_status s = at_dfa_new(&r->sigma, r->states + r->sink, r->a, &d, r->err);
    for (int k = 0; !s && k < d->states * L; k++)
        d->to[k] = -1;
    for (size_t k = 0; !s && k < r->n_edges; k++) {
        const struct edge *e = &r->edge[k];
        if (d->to[e->from * L + e->letter] >= 0)
            s = fail_at(r, e->at, "state '%.40s' has two transitions for '%s'", r->state[e->from].s,
                        r->sigma.letter[e->letter]);
        else
            d->to[e->from * L + e->letter] = e->to;
    }
    for (int k = 0; !s && k < d->states * L; k++)
        if (d->to[k] < 0 && r->sink)
            d->to[k] = sink;
        else if (d->to[k] < 0)
            s = fail_at(r, &r->state[k / L],
                        "state '%.40s' has no transition for '%s'; add it, or the line sink implicit",
                        r->state[k / L].s, r->sigma.letter[k % L]);
    if (!s)
        s = ends_read(r, d);
    *out = d;
    return s;
}

at_status at_dfa_read(char *text, const char *path, at_arena *a, at_dfa **out, int *longest, at_err *err)
{
    reader r = {.path = path, .a = a, .err = err, .open = true, .longest = -1};
    at_status s = words_cut(&r, text);
    if (s)
        return s;
    for (r.slots = 64; r.slots < 2 * (r.n + AT_LETTERS_MAX); r.slots *= 2)
        ;
    r.slot = at_new(a, int, r.slots);
    r.state = at_new(a, word, AT_STATES_MAX);
    r.letter = at_new(a, const char *, AT_LETTERS_MAX);
    r.edge = at_new(a, struct edge, r.n);
    if (!r.slot || !r.state || !r.letter || !r.edge)
        return at_oom(err);
    r.sigma.letter = r.letter;
    memset(r.slot, -1, r.slots * sizeof *r.slot);
    for (size_t k = 0, end; k < r.n && !s; k = end + 1) {
        for (end = k; r.w[end].s; end++)
            ;
        if (end > k)
            s = statement_read(&r, r.w + k, end - k);
    }
    *longest = r.longest;
    return s ? s : dfa_make(&r, out);
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
    at_status s = at_dfa_read(text, p->path, &p->arena, &d, &longest, err);
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

const at_lang at_lang_dfa = {.id = "dfa",
                             .suffix = ".dfa",
                             .about = "a deterministic automaton, docs/languages.md",
                             .open = open_dfa,
                             .parse = parse_dfa};
