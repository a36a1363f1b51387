/* pfsa_file.c: probabilistic automata as text, read and printed.
 *
 *     alphabet a b             if it is left out: the letters that occur, in order of appearance
 *     states rain sun          the same of the states
 *     start rain 1/3           where a run begins, and how likely
 *     start sun 2/3
 *     rain a sun 1/2           from letter to probability
 *     end rain 1/2             how likely a run ends there
 *
 * A probability is a fraction, 1/3, or a decimal number, 0.25, more than 0; left out behind start or end it is 1. # begins a comment.
 * Those of a state, its end among them, sum to 1 exactly, as do those of start. */
#include "ngram_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX   ((size_t)1 << 24)
#define STATE_LONG  29 /* bytes of a state's name: a token is 31, with its brackets */
#define LETTER_LONG 31
#define WORDS       (AT_PFSA_STATES + 2) /* of a line: one more than any has */
#define SIDES       65                   /* names of a kind, and none */
_Static_assert(AT_PFSA_STATES < SIDES && AT_PFSA_LETTERS < SIDES, "places of entries");

typedef struct {
    const char *s;
    size_t n;
    int line, column;
} word;

typedef struct {
    uint64_t over, under; /* in lowest terms */
} share;

typedef struct {
    int from, letter, to; /* letter -1: the end; from -1: the start */
    share p;
    word at;
} entry;

typedef struct {
    const char *where;
    word w[WORDS];
    int n, line;
    ngram_lexicon state, letter;
    bool states_said, letters_said;
    word met[AT_PFSA_STATES]; /* where a state is first named */
    entry *e;
    int n_entries, room;
    int *line_of; /* (SIDES^3): by from, letter and to, each + 1: the line of that entry, 0: there is none */
    at_arena *a;
    at_err *err;
} reader;

static at_status fault(const reader *r, const word *w, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static at_status fault(const reader *r, const word *w, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return at_fail(r->err, AT_EINPUT, "%.150s:%d:%d: %s", r->where, w->line, w->column, text);
}

static uint64_t divisor(uint64_t x, uint64_t y)
{
    while (y) {
        uint64_t t = x % y;
        x = y;
        y = t;
    }
    return x;
}

/* ---- words of a line --------------------------------------------------------------------------------------------- */

static at_status line_cut(reader *r, const char *s, const char *end)
{
    const char *from = s;
    r->n = 0;
    while (s < end && *s != '#') {
        if (*s == ' ' || *s == '\t' || *s == '\r') {
            s++;
            continue;
        }
        word w = {s, 0, r->line, (int)(s - from) + 1};
        while (s < end && !strchr(" \t\r#", *s)) {
            const char *next = s;
            uint32_t u = at_text_next(&next);
            if (at_text_acts(u) || u == AT_TEXT_REPLACEMENT || next > end)
                return fault(r, &(word){.line = r->line, .column = (int)(s - from) + 1},
                             "a byte that is no visible character");
            s = next;
        }
        w.n = (size_t)(s - w.s);
        if (r->n == WORDS)
            return fault(r, &w, "more than %d words in a line", WORDS);
        r->w[r->n++] = w;
    }
    return AT_OK;
}

static bool word_is(const word *w, const char *text)
{
    return w->n == strlen(text) && memcmp(w->s, text, w->n) == 0;
}

/* ---- names --------------------------------------------------------------------------------------------------------- */

static at_status name_unknown(const reader *r, const word *w, const char *what, const ngram_lexicon *of)
{
    char name[64], near[AT_GUESS_TEXT];
    snprintf(name, sizeof name, "%.*s", (int)(w->n < 40 ? w->n : 40), w->s);
    at_guess g = {.name = name};
    for (int k = 0; k < of->n; k++)
        at_guess_add(&g, of->name[k]);
    return fault(r, w, "'%s' is none of the %s%s", name, what, at_guess_text(&g, near));
}

static at_status state_find(reader *r, const word *w, int *out)
{
    static const char *const taken[] = {"alphabet", "states", "start", "end"};
    *out = ngram_lexicon_find(&r->state, w->s, w->n);
    if (*out >= 0)
        return AT_OK;
    if (r->states_said)
        return name_unknown(r, w, "states", &r->state);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        if (word_is(w, taken[k]))
            return fault(r, w, "'%s' begins a line of another kind; a state needs another name", taken[k]);
    if (w->n > STATE_LONG)
        return fault(r, w, "a state's name has at most %d bytes", STATE_LONG);
    if (r->state.n == AT_PFSA_STATES)
        return fault(r, w, "more than %d states", AT_PFSA_STATES);
    *out = ngram_lexicon_add(&r->state, w->s, w->n);
    if (*out >= 0)
        r->met[*out] = *w;
    return *out < 0 ? at_oom(r->err) : AT_OK;
}

static at_status letter_find(reader *r, const word *w, int *out)
{
    *out = ngram_lexicon_find(&r->letter, w->s, w->n);
    if (*out >= 0)
        return AT_OK;
    if (r->letters_said)
        return name_unknown(r, w, "letters", &r->letter);
    if (w->n > LETTER_LONG)
        return fault(r, w, "a letter has at most %d bytes", LETTER_LONG);
    if (*w->s == '[' || word_is(w, "<s>") || word_is(w, "</s>"))
        return fault(r, w,
                     "a letter is not <s> or </s> and does not begin with [, as the tokens of states do");
    if (r->letter.n == AT_PFSA_LETTERS)
        return fault(r, w, "more than %d letters", AT_PFSA_LETTERS);
    *out = ngram_lexicon_add(&r->letter, w->s, w->n);
    return *out < 0 ? at_oom(r->err) : AT_OK;
}

/* ---- statements ---------------------------------------------------------------------------------------------------- */

/* Digits at *s, no more than fit; false: there are none, or too many. */
static bool digits_read(const char **s, const char *end, uint64_t *out, int *count)
{
    const char *begin = *s;
    for (*out = 0; *s < end && **s >= '0' && **s <= '9'; ++*s) {
        if (*s - begin == 9)
            return false;
        *out = 10 * *out + (uint64_t)(**s - '0');
    }
    *count = (int)(*s - begin);
    return *count > 0;
}

static at_status share_read(const reader *r, const word *w, share *out)
{
    const char *s = w->s, *end = w->s + w->n;
    uint64_t part;
    int n;
    bool ok = digits_read(&s, end, &out->over, &n);
    out->under = 1;
    if (ok && s < end && *s == '/') {
        s++;
        ok = digits_read(&s, end, &out->under, &n);
    } else if (ok && s < end && *s == '.') {
        s++;
        ok = digits_read(&s, end, &part, &n) && n <= 6;
        for (int k = 0; ok && k < n; k++)
            out->under *= 10;
        if (ok)
            out->over = out->over * out->under + part;
    }
    if (!ok || s < end || !out->under || !out->over || out->over > out->under)
        return fault(r, w, "'%.*s' is no probability; write 1/3 or 0.25, more than 0 and at most 1",
                     (int)(w->n < 40 ? w->n : 40), w->s);
    uint64_t d = divisor(out->over, out->under);
    out->over /= d;
    out->under /= d;
    if (out->under > AT_PFSA_UNDER)
        return fault(r, w, "a denominator of %ju; at most %d", (uintmax_t)out->under, AT_PFSA_UNDER);
    return AT_OK;
}

static at_status entry_add(reader *r, const entry *e)
{
    int *line = &r->line_of[((e->from + 1) * SIDES + e->letter + 1) * SIDES + e->to + 1];
    if (*line)
        return fault(r, &e->at, "this is here twice; the other one is in line %d", *line);
    *line = e->at.line;
    if (r->n_entries == r->room) {
        int room = r->room ? 2 * r->room : 64;
        entry *more = at_realloc(r->e, (size_t)room * sizeof *more);
        if (!more)
            return at_oom(r->err);
        r->e = more;
        r->room = room;
    }
    r->e[r->n_entries++] = *e;
    return AT_OK;
}

/* start q [p], end q [p]: one entry whose letter is -1. */
static at_status side_read(reader *r, bool start)
{
    entry e = {.letter = -1, .p = {1, 1}, .at = r->w[0]};
    int q;
    if (r->n != 2 && r->n != 3)
        return fault(r, &r->w[0], "%s is followed by a state and its probability, as in %s rain 1/3",
                     start ? "start" : "end", start ? "start" : "end");
    at_status s = state_find(r, &r->w[1], &q);
    if (!s && r->n == 3)
        s = share_read(r, &r->w[2], &e.p);
    e.from = start ? -1 : q;
    e.to = start ? q : -1;
    return s ? s : entry_add(r, &e);
}

static at_status names_read(reader *r, bool states)
{
    at_status s = AT_OK;
    bool *said = states ? &r->states_said : &r->letters_said;
    if (*said || (states ? r->state.n : r->letter.n))
        return fault(r, &r->w[0], *said ? "a second line %s" : "the line %s comes before what it names",
                     states ? "states" : "alphabet");
    if (r->n < 2)
        return fault(r, &r->w[0], "the %s empty; write %s with blanks between them",
                     states ? "list of states is" : "alphabet is", states ? "their names" : "its letters");
    for (int k = 1; k < r->n && !s; k++) {
        int had = states ? r->state.n : r->letter.n, id;
        s = states ? state_find(r, &r->w[k], &id) : letter_find(r, &r->w[k], &id);
        if (!s && id < had)
            s = fault(r, &r->w[k], "the %s '%s' twice",
                      states ? "list has the state" : "alphabet has the letter",
                      states ? r->state.name[id] : r->letter.name[id]);
    }
    *said = true;
    return s;
}

static at_status line_read(reader *r)
{
    entry e = {.at = r->w[0]};
    if (word_is(&r->w[0], "alphabet") || word_is(&r->w[0], "states"))
        return names_read(r, word_is(&r->w[0], "states"));
    if (word_is(&r->w[0], "start") || word_is(&r->w[0], "end"))
        return side_read(r, word_is(&r->w[0], "start"));
    if (r->n != 4)
        return fault(r, &r->w[0],
                     "%d word%s; a transition is written from letter to probability; other lines begin with "
                     "alphabet, states, start or end",
                     r->n, r->n == 1 ? "" : "s");
    at_status s = state_find(r, &r->w[0], &e.from);
    if (!s)
        s = letter_find(r, &r->w[1], &e.letter);
    if (!s)
        s = state_find(r, &r->w[2], &e.to);
    if (!s)
        s = share_read(r, &r->w[3], &e.p);
    return s ? s : entry_add(r, &e);
}

/* ---- the automaton --------------------------------------------------------------------------------------------------- */

/* What goes out of a state (-1: what starts) over its common denominator. */
static at_status row_make(const reader *r, int from, uint32_t *under)
{
    uint64_t common = 1, sum = 0;
    const word *at = from < 0 ? NULL : &r->met[from];
    for (int k = 0; k < r->n_entries; k++)
        if (r->e[k].from == from) {
            if (from < 0 && !at)
                at = &r->e[k].at;
            common = common / divisor(common, r->e[k].p.under) * r->e[k].p.under;
            if (common > AT_PFSA_UNDER)
                return fault(r, &r->e[k].at, "a common denominator of %ju; at most %d", (uintmax_t)common,
                             AT_PFSA_UNDER);
        }
    for (int k = 0; k < r->n_entries; k++)
        if (r->e[k].from == from)
            sum += r->e[k].p.over * (common / r->e[k].p.under);
    uint64_t d = divisor(sum, common);
    if (from < 0 && !at)
        return fault(r, &(word){.line = r->line, .column = 1}, "no start; add a line as in start %s",
                     r->state.n ? r->state.name[0] : "rain");
    if (!sum)
        return fault(r, at, "nothing goes out of the state '%s'; add a transition, or end %s",
                     r->state.name[from], r->state.name[from]);
    if (sum != common)
        return fault(r, at, "the probabilities of %s%s%s sum to %ju/%ju, and not to 1",
                     from < 0 ? "start" : "the state '", from < 0 ? "" : r->state.name[from],
                     from < 0 ? "" : "'", (uintmax_t)(sum / d), (uintmax_t)(common / d));
    *under = (uint32_t)common;
    return AT_OK;
}

static at_status names_keep(const ngram_lexicon *x, at_arena *a, const char *const **out, at_err *err)
{
    const char **name = at_new(a, const char *, x->n + 1);
    for (int k = 0; name && k < x->n; k++)
        name[k] = x->name[k];
    *out = name;
    return name ? AT_OK : at_oom(err);
}

static at_status automaton_make(reader *r, at_pfsa **out)
{
    int Q = r->state.n, arcs = 0;
    at_pfsa like = {.states = Q, .letters = r->letter.n};
    at_pfsa_arc *arc = at_new(r->a, at_pfsa_arc, r->n_entries + 1);
    uint32_t *under = at_new(r->a, uint32_t, Q + 1), *end = at_new(r->a, uint32_t, Q + 1),
             *start = at_new(r->a, uint32_t, Q + 1);
    if (!arc || !under || !end || !start)
        return at_oom(r->err);
    at_status s = row_make(r, -1, &like.start_under);
    for (int q = 0; q < Q && !s; q++)
        s = row_make(r, q, &under[q]);
    if (!s)
        s = names_keep(&r->state, r->a, &like.state, r->err);
    if (!s)
        s = names_keep(&r->letter, r->a, &like.letter, r->err);
    for (int k = 0; k < r->n_entries && !s; k++) {
        const entry *e = &r->e[k];
        uint32_t of = e->from < 0 ? like.start_under : under[e->from];
        uint32_t count = (uint32_t)(e->p.over * (of / e->p.under));
        if (e->from < 0)
            start[e->to] = count;
        else if (e->letter < 0)
            end[e->from] = count;
        else
            arc[arcs++] = (at_pfsa_arc){e->from, e->letter, e->to, count};
    }
    like.arcs = arcs;
    like.arc = arc;
    like.under = under;
    like.end = end;
    like.start = start;
    return s ? s : at_pfsa_make(&like, r->a, out, r->err);
}

at_status at_pfsa_read(const char *text, size_t n, const char *where, at_arena *a, at_pfsa **out, at_err *err)
{
    reader r = {.where = where, .a = a, .err = err};
    const char *s = text, *end = text + n;
    at_status status = AT_OK;
    *out = NULL;
    if (memchr(text, 0, n))
        return at_fail(err, AT_EINPUT, "%.200s: a zero byte; this is no text", where);
    if (!(r.line_of = at_calloc((size_t)SIDES * SIDES * SIDES, sizeof *r.line_of)))
        return at_oom(err);
    ngram_lexicon_init(&r.state, a);
    ngram_lexicon_init(&r.letter, a);
    if (n >= 3 && memcmp(s, "\xEF\xBB\xBF", 3) == 0) /* some editors put this before a text */
        s += 3;
    for (r.line = 1; s < end && !status; r.line++) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        stop = stop ? stop : end;
        status = line_cut(&r, s, stop);
        if (!status && r.n)
            status = line_read(&r);
        s = stop < end ? stop + 1 : end;
    }
    if (!status)
        status = automaton_make(&r, out);
    ngram_lexicon_release(&r.state);
    ngram_lexicon_release(&r.letter);
    at_free(r.e);
    at_free(r.line_of);
    return status;
}

at_status at_pfsa_load(const char *path, at_arena *a, at_pfsa **out, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read(path, BYTES_MAX, &text, &n, err);
    if (s)
        return s;
    s = at_pfsa_read(text, n, path, a, out, err);
    at_free(text);
    return s;
}

/* ---- printing ---------------------------------------------------------------------------------------------------------- */

static void share_print(uint32_t over, uint32_t under, at_text *out)
{
    uint32_t d = (uint32_t)divisor(over, under);
    if (over == under)
        at_text_add(out, "1\n");
    else
        at_text_addf(out, "%u/%u\n", over / d, under / d);
}

void at_pfsa_print(const at_pfsa *p, at_text *out)
{
    if (p->letters) {
        at_text_add(out, "alphabet");
        for (int k = 0; k < p->letters; k++)
            at_text_addf(out, " %s", p->letter[k]);
        at_text_add(out, "\n");
    }
    at_text_add(out, "states");
    for (int q = 0; q < p->states; q++)
        at_text_addf(out, " %s", p->state[q]);
    at_text_add(out, "\n");
    for (int q = 0; q < p->states; q++)
        if (p->start[q]) {
            at_text_addf(out, "start %s ", p->state[q]);
            share_print(p->start[q], p->start_under, out);
        }
    for (int q = 0; q < p->states; q++) {
        for (int k = p->first[q]; k < p->first[q + 1]; k++) {
            at_text_addf(out, "%s %s %s ", p->state[q], p->letter[p->arc[k].letter], p->state[p->arc[k].to]);
            share_print(p->arc[k].count, p->under[q], out);
        }
        if (p->end[q]) {
            at_text_addf(out, "end %s ", p->state[q]);
            share_print(p->end[q], p->under[q], out);
        }
    }
}
