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
#include "lines.h"

#include <string.h>

#define STATE_LONG  29 /* bytes of a state's name: a token is 31, with its brackets */
#define LETTER_LONG 31
#define SIDES       65 /* names of a kind, and none */
_Static_assert(AT_PFSA_STATES < SIDES && AT_PFSA_LETTERS < SIDES, "places of entries");

typedef struct {
    int from, letter, to; /* letter -1: the end; from -1: the start */
    line_share p;
    line_word at;
} entry;

typedef struct {
    lines in;
    ngram_lexicon state, letter;
    bool states_said, letters_said;
    line_word met[AT_PFSA_STATES]; /* where a state is first named */
    entry *e;
    int n_entries, room;
    int *line_of; /* (SIDES^3): by from, letter and to, each + 1: the line of that entry, 0: there is none */
} reader;
#define fault(r, ...) lines_fault(&(r)->in, __VA_ARGS__)

/* ---- names --------------------------------------------------------------------------------------------------------- */

static at_status state_find(reader *r, const line_word *w, int *out)
{
    static const char *const taken[] = {"alphabet", "states", "start", "end"};
    *out = ngram_lexicon_find(&r->state, w->s, w->n);
    if (*out >= 0)
        return AT_OK;
    if (r->states_said)
        return lines_unknown(&r->in, w, "states", &r->state);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        if (line_word_is(w, taken[k]))
            return fault(r, w, "'%s' begins a line of another kind; a state needs another name", taken[k]);
    if (w->n > STATE_LONG)
        return fault(r, w, "a state's name has at most %d bytes", STATE_LONG);
    if (r->state.n == AT_PFSA_STATES)
        return fault(r, w, "more than %d states", AT_PFSA_STATES);
    *out = ngram_lexicon_add(&r->state, w->s, w->n);
    if (*out >= 0)
        r->met[*out] = *w;
    return *out < 0 ? at_oom(r->in.err) : AT_OK;
}

static at_status letter_find(reader *r, const line_word *w, int *out)
{
    *out = ngram_lexicon_find(&r->letter, w->s, w->n);
    if (*out >= 0)
        return AT_OK;
    if (r->letters_said)
        return lines_unknown(&r->in, w, "letters", &r->letter);
    if (w->n > LETTER_LONG)
        return fault(r, w, "a letter has at most %d bytes", LETTER_LONG);
    if (*w->s == '[' || line_word_is(w, "<s>") || line_word_is(w, "</s>"))
        return fault(r, w,
                     "a letter is not <s> or </s> and does not begin with [, as the tokens of states do");
    if (r->letter.n == AT_PFSA_LETTERS)
        return fault(r, w, "more than %d letters", AT_PFSA_LETTERS);
    *out = ngram_lexicon_add(&r->letter, w->s, w->n);
    return *out < 0 ? at_oom(r->in.err) : AT_OK;
}

/* ---- statements ---------------------------------------------------------------------------------------------------- */

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
            return at_oom(r->in.err);
        r->e = more;
        r->room = room;
    }
    r->e[r->n_entries++] = *e;
    return AT_OK;
}

/* start q [p], end q [p]: one entry whose letter is -1. */
static at_status side_read(reader *r, bool start)
{
    entry e = {.letter = -1, .p = {1, 1}, .at = r->in.w[0]};
    int q;
    if (r->in.n != 2 && r->in.n != 3)
        return fault(r, &r->in.w[0], "%s is followed by a state and its probability, as in %s rain 1/3",
                     start ? "start" : "end", start ? "start" : "end");
    at_status s = state_find(r, &r->in.w[1], &q);
    if (!s && r->in.n == 3)
        s = lines_share(&r->in, &r->in.w[2], &e.p);
    e.from = start ? -1 : q;
    e.to = start ? q : -1;
    return s ? s : entry_add(r, &e);
}

static at_status names_read(reader *r, bool states)
{
    at_status s = AT_OK;
    bool *said = states ? &r->states_said : &r->letters_said;
    if (*said || (states ? r->state.n : r->letter.n))
        return fault(r, &r->in.w[0], *said ? "a second line %s" : "the line %s comes before what it names",
                     states ? "states" : "alphabet");
    if (r->in.n < 2)
        return fault(r, &r->in.w[0], "the %s empty; write %s with blanks between them",
                     states ? "list of states is" : "alphabet is", states ? "their names" : "its letters");
    for (int k = 1; k < r->in.n && !s; k++) {
        int had = states ? r->state.n : r->letter.n, id;
        s = states ? state_find(r, &r->in.w[k], &id) : letter_find(r, &r->in.w[k], &id);
        if (!s && id < had)
            s = fault(r, &r->in.w[k], "the %s '%s' twice",
                      states ? "list has the state" : "alphabet has the letter",
                      states ? r->state.name[id] : r->letter.name[id]);
    }
    *said = true;
    return s;
}

static at_status line_read(void *ctx)
{
    reader *r = ctx;
    entry e = {.at = r->in.w[0]};
    if (line_word_is(&r->in.w[0], "alphabet") || line_word_is(&r->in.w[0], "states"))
        return names_read(r, line_word_is(&r->in.w[0], "states"));
    if (line_word_is(&r->in.w[0], "start") || line_word_is(&r->in.w[0], "end"))
        return side_read(r, line_word_is(&r->in.w[0], "start"));
    if (r->in.n != 4)
        return fault(r, &r->in.w[0],
                     "%d word%s; a transition is written from letter to probability; other lines begin with "
                     "alphabet, states, start or end",
                     r->in.n, r->in.n == 1 ? "" : "s");
    at_status s = state_find(r, &r->in.w[0], &e.from);
    if (!s)
        s = letter_find(r, &r->in.w[1], &e.letter);
    if (!s)
        s = state_find(r, &r->in.w[2], &e.to);
    if (!s)
        s = lines_share(&r->in, &r->in.w[3], &e.p);
    return s ? s : entry_add(r, &e);
}

/* ---- the automaton --------------------------------------------------------------------------------------------------- */

/* What goes out of a state (-1: what starts) over its common denominator. */
static at_status row_make(const reader *r, int from, uint32_t *under)
{
    uint64_t common = 1, sum = 0;
    const line_word *at = from < 0 ? NULL : &r->met[from];
    for (int k = 0; k < r->n_entries; k++)
        if (r->e[k].from == from) {
            if (from < 0 && !at)
                at = &r->e[k].at;
            common = common / lines_divisor(common, r->e[k].p.under) * r->e[k].p.under;
            if (common > AT_PFSA_UNDER)
                return fault(r, &r->e[k].at, "a common denominator of %ju; at most %d", (uintmax_t)common,
                             AT_PFSA_UNDER);
        }
    for (int k = 0; k < r->n_entries; k++)
        if (r->e[k].from == from)
            sum += r->e[k].p.over * (common / r->e[k].p.under);
    uint64_t d = lines_divisor(sum, common);
    if (from < 0 && !at)
        return fault(r, &(line_word){.line = r->in.line, .column = 1}, "no start; add a line as in start %s",
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

static at_status automaton_make(reader *r, at_pfsa **out)
{
    int Q = r->state.n, arcs = 0;
    at_pfsa like = {.states = Q, .letters = r->letter.n};
    at_pfsa_arc *arc = at_new(r->in.a, at_pfsa_arc, r->n_entries + 1);
    uint32_t *under = at_new(r->in.a, uint32_t, Q + 1), *end = at_new(r->in.a, uint32_t, Q + 1),
             *start = at_new(r->in.a, uint32_t, Q + 1);
    if (!arc || !under || !end || !start)
        return at_oom(r->in.err);
    at_status s = row_make(r, -1, &like.start_under);
    for (int q = 0; q < Q && !s; q++)
        s = row_make(r, q, &under[q]);
    if (!s)
        s = lines_names(&r->state, r->in.a, &like.state, r->in.err);
    if (!s)
        s = lines_names(&r->letter, r->in.a, &like.letter, r->in.err);
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
    return s ? s : at_pfsa_make(&like, r->in.a, out, r->in.err);
}

at_status at_pfsa_read(const char *text, size_t n, const char *where, at_arena *a, at_pfsa **out, at_err *err)
{
    reader r = {.in = {.where = where, .a = a, .err = err}};
    *out = NULL;
    if (!(r.line_of = at_calloc((size_t)SIDES * SIDES * SIDES, sizeof *r.line_of)))
        return at_oom(err);
    ngram_lexicon_init(&r.state, a);
    ngram_lexicon_init(&r.letter, a);
    at_status s = lines_each(&r.in, text, n, line_read, &r);
    if (!s)
        s = automaton_make(&r, out);
    ngram_lexicon_release(&r.state);
    ngram_lexicon_release(&r.letter);
    at_free(r.e);
    at_free(r.line_of);
    return s;
}

static at_status file_read(const char *text, size_t n, const char *where, at_arena *a, void *out, at_err *err)
{
    return at_pfsa_read(text, n, where, a, out, err);
}

at_status at_pfsa_load(const char *path, at_arena *a, at_pfsa **out, at_err *err)
{
    return lines_load(path, file_read, a, out, err);
}

/* ---- printing ---------------------------------------------------------------------------------------------------------- */

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
            lines_share_print(p->start[q], p->start_under, out);
        }
    for (int q = 0; q < p->states; q++) {
        for (int k = p->first[q]; k < p->first[q + 1]; k++) {
            at_text_addf(out, "%s %s %s ", p->state[q], p->letter[p->arc[k].letter], p->state[p->arc[k].to]);
            lines_share_print(p->arc[k].count, p->under[q], out);
        }
        if (p->end[q]) {
            at_text_addf(out, "end %s ", p->state[q]);
            lines_share_print(p->end[q], p->under[q], out);
        }
    }
}
