/* dfa_build.c: what all forms of automata as text end in: names become numbers, and every state has one transition a letter. */
#include "dfa_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

at_status dfa_fail(const dfa_reader *r, const dfa_word *w, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return at_fail(r->err, AT_EINPUT, "%.150s:%d:%d: %s", r->path, w->line, w->column, text);
}

at_status dfa_reader_init(dfa_reader *r, const char *path, const char *hint, at_arena *a, at_err *err)
{
    *r = (dfa_reader){.path = path, .a = a, .err = err, .hint = hint, .open = true, .longest = -1};
    r->slots = 1 << 16; /* AT_STATES_MAX names, less than half full */
    r->slot = at_new(a, int, r->slots);
    r->state = at_new(a, dfa_word, AT_STATES_MAX);
    r->letter = at_new(a, const char *, AT_LETTERS_MAX);
    if (!r->slot || !r->state || !r->letter)
        return at_oom(err);
    r->sigma.letter = r->letter;
    memset(r->slot, -1, r->slots * sizeof *r->slot);
    return AT_OK;
}

/* ---- states and letters --------------------------------------------------------------------------------------------------- */

int dfa_state(dfa_reader *r, const dfa_word *w, bool add)
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

static at_status letter_unknown(const dfa_reader *r, const dfa_word *w)
{
    at_guess g = {.name = w->s};
    at_text others;
    at_text_init(&others);
    at_alphabet_others(&r->sigma, &g, &others);
    at_status s = others.oom ? at_oom(r->err)
                             : dfa_fail(r, w, "the letter '%.40s' is not in the alphabet:%s", w->s, others.s);
    at_text_release(&others);
    return s;
}

at_status dfa_letter(dfa_reader *r, const dfa_word *w, int *out)
{
    *out = at_alphabet_find(&r->sigma, w->s, strlen(w->s));
    if (*out >= 0)
        return AT_OK;
    if (!r->open)
        return letter_unknown(r, w);
    if (r->sigma.n == AT_LETTERS_MAX)
        return dfa_fail(r, w, "more than %d letters", AT_LETTERS_MAX);
    if (strlen(w->s) >= AT_LETTER_MAX)
        return dfa_fail(r, w, "a letter has at most %d bytes", AT_LETTER_MAX - 1);
    if (!(r->letter[r->sigma.n] = at_arena_strdup(r->a, w->s)))
        return at_oom(r->err);
    *out = r->sigma.n++;
    return AT_OK;
}

at_status dfa_edge_add(dfa_reader *r, int from, int letter, int to, const dfa_word *at)
{
    if (from < 0 || to < 0)
        return dfa_fail(r, at, "more than %d states", AT_STATES_MAX);
    if (r->n_edges == r->edge_room) {
        size_t room = r->edge_room ? 2 * r->edge_room : 64;
        dfa_edge *more = at_new(r->a, dfa_edge, room);
        if (!more)
            return at_oom(r->err);
        if (r->n_edges)
            memcpy(more, r->edge, r->n_edges * sizeof *more);
        r->edge = more;
        r->edge_room = room;
    }
    r->edge[r->n_edges++] = (dfa_edge){from, letter, to, at};
    return AT_OK;
}

at_status dfa_start(dfa_reader *r, const dfa_word *w)
{
    if (r->start.s)
        return dfa_fail(r, w, "a second start");
    r->start = *w;
    return AT_OK;
}

at_status dfa_accept(dfa_reader *r, const dfa_word *w)
{
    if (r->n_accept == r->accept_room) {
        size_t room = r->accept_room ? 2 * r->accept_room : 16;
        dfa_word *more = at_new(r->a, dfa_word, room);
        if (!more)
            return at_oom(r->err);
        if (r->n_accept)
            memcpy(more, r->accept, r->n_accept * sizeof *more);
        r->accept = more;
        r->accept_room = room;
    }
    r->accept[r->n_accept++] = *w;
    return AT_OK;
}

/* ---- statements that all forms have ------------------------------------------------------------------------------------------ */

static at_status alphabet_read(dfa_reader *r, const dfa_word *w, size_t n)
{
    if (r->states || !r->open)
        return dfa_fail(r, w, r->open ? "the alphabet comes before transitions" : "a second alphabet");
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "");
    for (size_t k = 1; k < n; k++)
        at_text_addf(&t, "%s ", w[k].s);
    at_err fault = {0};
    at_status s = t.oom ? at_oom(r->err) : at_alphabet_parse(t.s, r->a, &r->sigma, &fault);
    if (s && !t.oom)
        s = dfa_fail(r, n > 1 ? &w[1] : w, "%s", fault.text);
    r->open = false;
    at_text_release(&t);
    return s;
}

at_status dfa_statement(dfa_reader *r, const dfa_word *w, size_t n, bool *is)
{
    *is = true;
    if (strcmp(w->s, "alphabet") == 0)
        return alphabet_read(r, w, n);
    if (strcmp(w->s, "length") == 0) {
        if (n != 2 || !words_length(w[1].s, &r->longest))
            return dfa_fail(r, w, "a length is written 0..N, N at most %d", AT_WORD_LONGEST);
        return AT_OK;
    }
    if (strcmp(w->s, "sink") == 0) {
        if (n != 2 || strcmp(w[1].s, "implicit") != 0)
            return dfa_fail(r, w, "it is written sink implicit");
        r->sink = true;
        return AT_OK;
    }
    *is = false;
    return AT_OK;
}

at_status dfa_comment(dfa_reader *r, char *text, int line, int column)
{
    static const char *const said[] = {"alphabet", "length", "sink"};
    dfa_word w[AT_LETTERS_MAX + 2];
    size_t n = 0, first = strspn(text, " \t\r\n");
    bool is = false;
    for (size_t k = 0; k < sizeof said / sizeof *said; k++)
        is |= strncmp(text + first, said[k], strlen(said[k])) == 0;
    if (!is) /* it is for people */
        return AT_OK;
    for (char *s = text; *s && n < AT_LETTERS_MAX + 2;) {
        char *begin = s += strspn(s, " \t\r\n");
        s += strcspn(s, " \t\r\n");
        if (s > begin)
            w[n++] = (dfa_word){begin, line, column};
        if (*s)
            *s++ = 0;
    }
    return dfa_statement(r, w, n, &is);
}

/* ---- the automaton --------------------------------------------------------------------------------------------------------- */

static at_status state_unknown(const dfa_reader *r, const dfa_word *w)
{
    at_guess g = {.name = w->s};
    char near[AT_GUESS_TEXT];
    for (int k = 0; k < r->states; k++)
        at_guess_add(&g, r->state[k].s);
    return dfa_fail(r, w, "the state '%.40s' has no transitions%s", w->s, at_guess_text(&g, near));
}

static at_status ends_read(dfa_reader *r, at_dfa *d)
{
    d->start = r->start.s ? dfa_state(r, &r->start, false) : 0;
    if (d->start < 0)
        return state_unknown(r, &r->start);
    for (size_t k = 0; k < r->n_accept; k++) {
        int q = dfa_state(r, &r->accept[k], false);
        if (q < 0)
            return state_unknown(r, &r->accept[k]);
        d->accept[q] = true;
    }
    return AT_OK;
}

at_status dfa_make(dfa_reader *r, at_dfa **out)
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
        const dfa_edge *e = &r->edge[k];
        if (d->to[e->from * L + e->letter] >= 0)
            s = dfa_fail(r, e->at, "state '%.40s' has two transitions for '%s'", r->state[e->from].s,
                         r->sigma.letter[e->letter]);
        else
            d->to[e->from * L + e->letter] = e->to;
    }
    for (int k = 0; !s && k < d->states * L; k++)
        if (d->to[k] < 0 && r->sink)
            d->to[k] = sink;
        else if (d->to[k] < 0)
            s = dfa_fail(r, &r->state[k / L], "state '%.40s' has no transition for '%s'; add it, or %s",
                         r->state[k / L].s, r->sigma.letter[k % L], r->hint);
    if (!s)
        s = ends_read(r, d);
    *out = d;
    return s;
}
