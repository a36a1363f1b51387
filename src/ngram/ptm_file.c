/* ptm_file.c: probabilistic Turing machines as text, read and printed.
 *
 *     alphabet a b             letters that it puts out; if it is left out: those that occur, in order of appearance
 *     states write back        the same of the states
 *     tape _ A B               the symbols; the first is the blank. If it is left out: _ , then those that occur
 *     start write              where a run begins; if it is left out: in the first state
 *     write _ A r write a 2/5  in write, on _: write A, go right, be in write, put out a; and how likely that is
 *     write _ _ l back - 1/5   l, r or *, the head stays; - puts out nothing
 *     end write A 1/5          in write, on A, a run ends so likely
 *
 * The first five words of a transition are those of a .tm file. A probability is a fraction or a decimal number, more than 0; left out it is
 * 1. Those of a state and a symbol sum to 1, exactly. A state and a symbol of which nothing is said end. # begins a comment. */
#include "lines.h"

#include <string.h>

#define NAME_LONG  7  /* bytes of a symbol and of a letter: */
#define STATE_LONG 12 /* a token, written/move/state/letter, is at most 31 */

typedef struct {
    at_ptm_rule r; /* step -1: the end */
    line_share p;
    line_word at;
} entry;

enum { STATE, SYMBOL, LETTER, KINDS };
static const struct {
    const char *line, *all, *one;
    int most, bytes;
} kinds[KINDS] = {{"states", "states", "state", AT_PTM_STATES, STATE_LONG},
                  {"tape", "symbols of the tape", "symbol", AT_PTM_SYMBOLS, NAME_LONG},
                  {"alphabet", "letters", "letter", AT_PTM_LETTERS, NAME_LONG}};

typedef struct {
    lines in;
    ngram_lexicon name[KINDS];
    bool said[KINDS], started;
    int start;
    entry *e;
    int n_entries, room;
} reader;
#define fault(r, ...) lines_fault(&(r)->in, __VA_ARGS__)

static at_status name_find(reader *r, int kind, const line_word *w, int *out)
{
    static const char *const taken[] = {"alphabet", "states", "tape", "start", "end"};
    ngram_lexicon *of = &r->name[kind];
    *out = ngram_lexicon_find(of, w->s, w->n);
    if (*out >= 0)
        return AT_OK;
    if (r->said[kind])
        return lines_unknown(&r->in, w, kinds[kind].all, of);
    for (size_t k = 0; kind == STATE && k < sizeof taken / sizeof *taken; k++)
        if (line_word_is(w, taken[k]))
            return fault(r, w, "'%s' begins a line of another kind; a state needs another name", taken[k]);
    if (w->n > (size_t)kinds[kind].bytes)
        return fault(r, w, "a %s has at most %d bytes", kinds[kind].one, kinds[kind].bytes);
    if (memchr(w->s, '/', w->n) || (kind == LETTER && line_word_is(w, "-")) || line_word_is(w, "*") ||
        line_word_is(w, "<s>") || line_word_is(w, "</s>"))
        return fault(r, w, "a name has no / and is none of *, - (of letters), <s> and </s>");
    if (of->n == kinds[kind].most)
        return fault(r, w, "more than %d %s", kinds[kind].most, kinds[kind].all);
    *out = ngram_lexicon_add(of, w->s, w->n);
    return *out < 0 ? at_oom(r->in.err) : AT_OK;
}

static at_status names_read(reader *r, int kind)
{
    at_status s = AT_OK;
    ngram_lexicon *of = &r->name[kind];
    if (r->said[kind] || (of->n && !(kind == SYMBOL && !r->n_entries)))
        return fault(r, &r->in.w[0],
                     r->said[kind] ? "a second line %s" : "the line %s comes before what it names",
                     kinds[kind].line);
    if (r->in.n < 2)
        return fault(r, &r->in.w[0], "%s is followed by names, with blanks between them", kinds[kind].line);
    if (kind == SYMBOL) { /* the blank is among those that the line names */
        ngram_lexicon_release(of);
        ngram_lexicon_init(of, r->in.a);
    }
    for (int k = 1; k < r->in.n && !s; k++) {
        int had = of->n, id;
        s = name_find(r, kind, &r->in.w[k], &id);
        if (!s && id < had)
            s = fault(r, &r->in.w[k], "the %s '%s' twice", kinds[kind].one, of->name[id]);
    }
    r->said[kind] = true;
    return s;
}

static at_status entry_add(reader *r, const entry *e)
{
    for (int k = 0; k < r->n_entries; k++) {
        const at_ptm_rule *x = &r->e[k].r, *y = &e->r;
        if (x->from == y->from && x->read == y->read && x->step == y->step &&
            (x->step < 0 ||
             (x->write == y->write && x->move == y->move && x->to == y->to && x->letter == y->letter)))
            return fault(r, &e->at, "this is here twice; the other one is in line %d", r->e[k].at.line);
    }
    if (r->n_entries == AT_PTM_STEPS * 4)
        return fault(r, &e->at, "more than %d transitions", AT_PTM_STEPS * 4);
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

static at_status move_read(const reader *r, const line_word *w, int *out)
{
    static const char *const moves[] = {"l", "*", "r"}, *const large[] = {"L", "*", "R"};
    for (int k = 0; k < 3; k++)
        if (line_word_is(w, moves[k]) || line_word_is(w, large[k])) {
            *out = k - 1;
            return AT_OK;
        }
    return fault(r, w, "'%.*s' is no move; write l, r or *", (int)(w->n < 40 ? w->n : 40), w->s);
}

static at_status rule_read(reader *r)
{
    entry e = {.p = {1, 1}, .at = r->in.w[0]};
    const line_word *w = r->in.w;
    if (r->in.n != 6 && r->in.n != 7)
        return fault(r, w,
                     "%d word%s; a transition is state, symbol, written, l or r, state, letter or -, "
                     "probability; other "
                     "lines begin with alphabet, states, tape, start or end",
                     r->in.n, r->in.n == 1 ? "" : "s");
    at_status s = name_find(r, STATE, &w[0], &e.r.from);
    if (!s)
        s = name_find(r, SYMBOL, &w[1], &e.r.read);
    if (!s)
        s = name_find(r, SYMBOL, &w[2], &e.r.write);
    if (!s)
        s = move_read(r, &w[3], &e.r.move);
    if (!s)
        s = name_find(r, STATE, &w[4], &e.r.to);
    e.r.letter = -1;
    if (!s && !line_word_is(&w[5], "-"))
        s = name_find(r, LETTER, &w[5], &e.r.letter);
    if (!s && r->in.n == 7)
        s = lines_share(&r->in, &w[6], &e.p);
    return s ? s : entry_add(r, &e);
}

static at_status line_read(void *ctx)
{
    reader *r = ctx;
    const line_word *w = r->in.w;
    for (int k = 0; k < KINDS; k++)
        if (line_word_is(&w[0], kinds[k].line))
            return names_read(r, k);
    if (line_word_is(&w[0], "start")) {
        if (r->started || r->in.n != 2)
            return fault(r, w, r->started ? "a second start" : "start is followed by one state");
        r->started = true;
        return name_find(r, STATE, &w[1], &r->start);
    }
    if (line_word_is(&w[0], "end")) {
        entry e = {.r = {.step = -1, .letter = -1}, .p = {1, 1}, .at = w[0]};
        if (r->in.n != 3 && r->in.n != 4)
            return fault(r, w,
                         "end is followed by a state, a symbol and a probability, as in end back _ 1/3");
        at_status s = name_find(r, STATE, &w[1], &e.r.from);
        if (!s)
            s = name_find(r, SYMBOL, &w[2], &e.r.read);
        if (!s && r->in.n == 4)
            s = lines_share(&r->in, &w[3], &e.p);
        return s ? s : entry_add(r, &e);
    }
    return rule_read(r);
}

/* What is said of a state and a symbol over its common denominator; 0: nothing. */
static at_status pair_make(const reader *r, int from, int read, uint32_t *under)
{
    uint64_t common = 1, sum = 0;
    const line_word *at = NULL;
    for (int k = 0; k < r->n_entries; k++) {
        const entry *e = &r->e[k];
        if (e->r.from != from || e->r.read != read)
            continue;
        at = at ? at : &e->at;
        common = common / lines_divisor(common, e->p.under) * e->p.under;
        if (common > AT_PFSA_UNDER)
            return fault(r, &e->at, "a common denominator of %ju; at most %d", (uintmax_t)common,
                         AT_PFSA_UNDER);
    }
    for (int k = 0; k < r->n_entries; k++)
        if (r->e[k].r.from == from && r->e[k].r.read == read)
            sum += r->e[k].p.over * (common / r->e[k].p.under);
    *under = at ? (uint32_t)common : 0;
    uint64_t d = lines_divisor(sum, common);
    return !at || sum == common
               ? AT_OK
               : fault(r, at, "the probabilities of the state '%s' on '%s' sum to %ju/%ju, and not to 1",
                       r->name[STATE].name[from], r->name[SYMBOL].name[read], (uintmax_t)(sum / d),
                       (uintmax_t)(common / d));
}

static at_status machine_make(reader *r, at_ptm **out)
{
    at_arena *a = r->in.a;
    int Q = r->name[STATE].n, S = r->name[SYMBOL].n;
    at_ptm like = {.states = Q, .symbols = S, .letters = r->name[LETTER].n, .start = r->start};
    at_ptm_rule *rule = at_new(a, at_ptm_rule, r->n_entries + 1);
    uint32_t *under = at_new(a, uint32_t, Q * S + 1), *end = at_new(a, uint32_t, Q * S + 1);
    if (!rule || !under || !end)
        return at_oom(r->in.err);
    if (!Q)
        return fault(r, &(line_word){.line = r->in.line, .column = 1}, "no states; add a transition");
    at_status s = lines_names(&r->name[STATE], a, &like.state, r->in.err);
    if (!s)
        s = lines_names(&r->name[SYMBOL], a, &like.symbol, r->in.err);
    if (!s)
        s = lines_names(&r->name[LETTER], a, &like.letter, r->in.err);
    for (int k = 0; k < Q * S && !s; k++)
        s = pair_make(r, k / S, k % S, &under[k]);
    for (int k = 0; k < r->n_entries && !s; k++) {
        const entry *e = &r->e[k];
        int at = e->r.from * S + e->r.read;
        uint32_t count = (uint32_t)(e->p.over * (under[at] / e->p.under));
        if (e->r.step < 0)
            end[at] = count;
        else {
            rule[like.rules] = e->r;
            rule[like.rules++].count = count;
        }
    }
    like.rule = rule;
    like.under = under;
    like.end = end;
    return s ? s : at_ptm_make(&like, a, out, r->in.err);
}

at_status at_ptm_read(const char *text, size_t n, const char *where, at_arena *a, at_ptm **out, at_err *err)
{
    reader r = {.in = {.where = where, .a = a, .err = err}};
    at_status s = AT_OK;
    *out = NULL;
    for (int k = 0; k < KINDS; k++)
        ngram_lexicon_init(&r.name[k], a);
    if (ngram_lexicon_add(&r.name[SYMBOL], "_", 1) < 0)
        s = at_oom(err);
    if (!s)
        s = lines_each(&r.in, text, n, line_read, &r);
    if (!s)
        s = machine_make(&r, out);
    for (int k = 0; k < KINDS; k++)
        ngram_lexicon_release(&r.name[k]);
    at_free(r.e);
    return s;
}

static at_status file_read(const char *text, size_t n, const char *where, at_arena *a, void *out, at_err *err)
{
    return at_ptm_read(text, n, where, a, out, err);
}

at_status at_ptm_load(const char *path, at_arena *a, at_ptm **out, at_err *err)
{
    return lines_load(path, file_read, a, out, err);
}

/* ---- printing ---------------------------------------------------------------------------------------------------------- */

static void names_print(const char *line, const char *const *name, int n, at_text *out)
{
    if (!n)
        return;
    at_text_add(out, line);
    for (int k = 0; k < n; k++)
        at_text_addf(out, " %s", name[k]);
    at_text_add(out, "\n");
}

void at_ptm_print(const at_ptm *p, at_text *out)
{
    names_print("alphabet", p->letter, p->letters, out);
    names_print("states", p->state, p->states, out);
    names_print("tape", p->symbol, p->symbols, out);
    at_text_addf(out, "start %s\n", p->state[p->start]);
    for (int at = 0; at < p->states * p->symbols; at++) {
        for (int k = p->first[at]; k < p->first[at + 1]; k++) {
            const at_ptm_rule *r = &p->rule[k];
            at_text_addf(out, "%s %s %s %c %s %s ", p->state[r->from], p->symbol[r->read],
                         p->symbol[r->write], "l*r"[r->move + 1], p -> state[r->to],
                         r -> letter < 0 ? "-" : p->letter[r->letter]);
            lines_share_print(r->count, p->under[at], out);
        }
        if (p->end[at]) {
            at_text_addf(out, "end %s %s ", p->state[at / p->symbols], p->symbol[at % p->symbols]);
            lines_share_print(p->end[at], p->under[at], out);
        }
    }
}
