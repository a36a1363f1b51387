/* restrict.c: a few letters are fixed, and the answer of a unique-hard model no longer depends on some of those that are free.
 *
 * Hahn 2020: fix letters so that every position of every layer depends on few free ones; then so does the answer, while many stay
 * free. His proof draws the letters that are fixed; here they are chosen. States are followed layer by layer
 * (restrict_states.c). In the first layer where one would depend on more than `cap` letters, every head of such a state
 * wishes for the key that scores highest: with its letters fixed to that setting it is a sure choice, and brings no letter
 * with it. The 1 + n/50 keys that most heads wish for are fixed, and all begins again. The last layer is asked for its
 * answer alone: done is when that depends on no more letters than heads can bring together, one each, through all layers, and not on all that
 * are free. Where it does not come to that, the last restriction that left a letter unseen is what is found.
 *
 * For words of brackets the letters that are fixed must have a balanced completion: a wish that leaves none is passed over (of
 * every free letter one of its two values leaves one). Every round fixes a letter, so there are at most n.
 *
 * What comes out is a fact about this model at this length: any two words that agree on the fixed letters and on those that are
 * seen have the same answer, to the bit. It was not sampled. */
#include "restrict.h"

#include <string.h>

enum { CAP_LEAST = 5, CAP_MOST = 10 };
#define SCORES_MOST 5e8 /* of a layer: queries, settings of these, keys, settings of those, heads */

/* Heads of an attention block; 0 of others. */
static double heads_of(const at_block *b)
{
    double heads = 0;
    for (int g = 0; b->kind == AT_BLOCK_ATTN && g < b->n_groups; g++)
        heads += b->groups[g].heads;
    return heads;
}

/* Letters that a state may depend on: as many as heads can bring together, one each, in all layers but the last, where that can be gone
 * through: of the last layer there is one query, of layers between it and the first there are T. */
static int cap_of(const at_model *m, int n)
{
    double all = 1, most = 1, T = (double)m->n_prefix + n + m->n_suffix, last = 1;
    int layers = 0, cap;
    for (int b = 0; b < m->n_blocks; b++) {
        double heads = heads_of(&m->blocks[b]);
        if (heads == 0)
            continue;
        layers++;
        most = fmax(most, heads);
        all *= last;
        last = heads + 1;
    }
    cap = all < CAP_LEAST ? CAP_LEAST : all > CAP_MOST ? CAP_MOST : (int)all;
    while (cap > 2 && ldexp(T * most * (layers > 2 ? T : 1), 2 * cap) > SCORES_MOST)
        cap--;
    return cap;
}

/* Letters that the heads of all layers can bring together, one each; at most n. */
static int few_of(const at_model *m, int n)
{
    double all = 1;
    for (int b = 0; b < m->n_blocks; b++)
        all *= 1 + heads_of(&m->blocks[b]);
    return all < n ? (int)all : n;
}

/* The letters of a wish are fixed; false, and nothing is, where one of them is fixed otherwise or no balanced word is left. */
static at_status wish_grant(const restricting *c, const wish *w, int brackets, signed char *letter,
                            bool *granted, at_err *err)
{
    const holding *s = &c->at[w->key];
    *granted = true;
    for (int k = 0; k < s->s; k++)
        *granted = *granted && (letter[s->in[k]] < 0 || letter[s->in[k]] == (w->setting >> k & 1));
    if (!*granted)
        return AT_OK;
    unsigned was = 0; /* bits: it was free */
    for (int k = 0; k < s->s; k++) {
        was |= (unsigned)(letter[s->in[k]] < 0) << k;
        letter[s->in[k]] = (signed char)(w->setting >> k & 1);
    }
    at_status bad = AT_OK;
    if (brackets >= 0)
        bad = brackets_complete(c->n, brackets, letter, NULL, NULL, granted, err);
    for (int k = 0; k < s->s && !*granted; k++)
        if (was >> k & 1)
            letter[s->in[k]] = -1;
    return bad;
}

/* Some wishes are granted, at least one letter is fixed unless none is free. */
static at_status letters_fix(const restricting *c, int brackets, signed char *letter, at_err *err)
{
    int most = 1 + c->n / 50, granted = 0;
    at_status s = AT_OK;
    for (int k = 0; k < c->n_wishes && granted < most && !s; k++) {
        bool is;
        s = wish_grant(c, &c->wishes[k], brackets, letter, &is, err);
        granted += !s && is;
    }
    if (s || granted)
        return s;
    int at = c->n_wishes ? c->at[c->wishes[0].key].in[0] : 0;
    while (at < c->n && letter[at] >= 0) /* nobody wishes for anything that can be had: any free letter */
        at++;
    for (int v = 0; v < 2 && at < c->n && !s; v++) {
        bool is = true;
        letter[at] = (signed char)v;
        if (brackets >= 0)
            s = brackets_complete(c->n, brackets, letter, NULL, NULL, &is, err);
        if (is)
            break;
    }
    return s;
}

static void letters_count(at_restriction *r)
{
    r->free = r->seen_free = 0;
    for (int i = 0; i < r->n; i++) {
        r->free += r->letter[i] < 0;
        r->seen_free += r->letter[i] < 0 && r->seen[i];
    }
}

/* Letters and what is seen of them, kept. */
static void letters_keep(const at_restriction *from, at_restriction *to)
{
    memcpy(to->letter, from->letter, (size_t)from->n);
    memcpy(to->seen, from->seen, (size_t)from->n * sizeof *to->seen);
    to->free = from->free;
    to->seen_free = from->seen_free;
}

at_status at_restriction_fits(const at_model *m, at_err *err)
{
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN || m->fields[0].size < 2)
        return at_fail(err, AT_EREFUSED, "it does not read words of letters");
    at_status s = unique_hard_fits(m, err);
    return s ? s : states_fit(m, err);
}

static at_status restriction_new(const at_model *m, int n, at_arena *a, at_restriction *out, at_err *err)
{
    *out = (at_restriction){.n = n,
                            .letter = at_new(a, signed char, n + 1),
                            .seen = at_new(a, bool, n + 1),
                            .cap = cap_of(m, n),
                            .few = few_of(m, n)};
    if (!out->letter || !out->seen)
        return at_oom(err);
    memset(out->letter, -1, (size_t)n);
    return AT_OK;
}

/* One round. *done: nothing is left to be done, or to be had. */
static at_status round_run(const at_model *m, int brackets, const at_refute_env *env, at_restriction *r,
                           at_restriction *best, bool *done, at_err *err)
{
    at_arena pass;
    at_arena_init(&pass);
    restricting c = {
        .m = m, .n = r->n, .cap = r->cap, .letter = r->letter, .a = &pass, .err = err, .seen = r->seen};
    at_status s = states_pass(&c);
    r->passes++;
    r->work += c.work;
    letters_count(r);
    if (!s && !c.blocked && r->seen_free < r->free)
        letters_keep(r, best);
    *done = !s && best->free && (!r->free || r->seen_free <= r->few) && !c.blocked;
    bool over = at_refute_over(env, (uint64_t)r->passes, r->work);
    if (!s && !*done && best->free && (over || !r->free))
        *done = true;
    else if (!s && !*done && !r->free)
        s = at_fail(err, AT_EBUDGET, "after %d rounds no letter is free that the answer does not see",
                    r->passes);
    else if (!s && !*done && over)
        s = at_fail(err, AT_EBUDGET, "%d of %d letters fixed in %d rounds, and the budget is spent",
                    r->n - r->free, r->n, r->passes);
    if (!s && !*done)
        s = letters_fix(&c, brackets, r->letter, err);
    at_arena_release(&pass);
    return s;
}

at_status at_restrict(const at_model *m, int n, int brackets, const at_refute_env *env, at_arena *a,
                      at_restriction *out, at_err *err)
{
    at_restriction now = {0};
    at_status s = restriction_new(m, n, a, out, err);
    if (!s)
        s = restriction_new(m, n, a, &now, err);
    if (!s)
        s = at_restriction_fits(m, err);
    if (!s && (n < m->n_min || n > m->n_max))
        s = at_fail(err, AT_EINPUT, "%d letters: the model takes lengths %d..%d", n, m->n_min, m->n_max);
    bool some = true, done = false;
    if (!s && brackets >= 0)
        s = brackets_complete(n, brackets, now.letter, NULL, NULL, &some, err);
    if (!s && !some)
        s = at_fail(err, AT_EREFUSED, "no word of %d brackets is balanced", n);
    while (!s && !done)
        s = round_run(m, brackets, env, &now, out, &done, err);
    out->passes = now.passes;
    out->work = now.work;
    return s;
}
