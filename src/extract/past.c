/* past.c: a model of unique-hard attention as a formula that looks back, layer by layer.
 *
 * CLAIM fo-extract. at_extract_layers (check.h) gives the values that the stream of a position can have before each layer, finitely many
 * for words of all lengths, and the steps from one layer to the next: value v becomes w when the heads choose these keys. Let
 * phi(l, v) say that the position has value v before layer l. Before the first layer it is a matter of the letter, and of the
 * position modulo the period. Then
 *
 *     phi(l + 1, w) = OR over the steps to w, from v by keys k_1 .. k_H, of  phi(l, v) AND chose_1(k_1) AND ... AND chose_H(k_H).
 *
 * Head h of a position with value v has the query q(v), and every earlier position with value u offers the key k(u), so "an earlier
 * position offers a key of this set" is "an earlier position has a value of that set". Keys are in levels by the score that q(v) gives
 * them. Rightmost-hard attention chooses k, of level s, when no better level occurs earlier and the last position of level s offers k:
 *
 *     NOT O(levels better than s)  AND  (NOT other keys of level s) S k,             leftmost: O(k AND NOT O level s),
 *
 * all strict. Hidden positions before the word offer one key that is always there, the best of them; under a causal mask the
 * position offers its own, which its value tells. Both are compared with the levels when the formula is made, not when it is read.
 * Only steps that some word makes are written: where a value always chooses alike nothing is asked. */
#include "extract_internal.h"

#include <limits.h>
#include <string.h>

typedef struct {
    past p;
    const at_layers *l;
    at_arena *a;
    at_formula ***phi[2]; /* (2: of the word, behind it)(layers + 1)(values) */
    bool **word;          /* (layers + 1, values): some position of a word has it */
} maker;

static at_formula *value_make(maker *k, int layer, int value, bool end);

/* ---- sets of values -------------------------------------------------------------------------------------------------------- */

/* The position, one of the word, has a value of this set. Values exclude each other, and a position has one. */
static at_formula *set_make(maker *k, int layer, const bool *in)
{
    const at_layers *l = k->l;
    int of = 0, all = 0;
    for (int v = 0; v < l->layer[layer].values; v++) {
        all += k->word[layer][v];
        of += k->word[layer][v] && in[v];
    }
    bool turned = 2 * of > all;
    at_formula *x = past_const(&k->p, false);
    for (int v = 0; v < l->layer[layer].values; v++)
        if (k->word[layer][v] && in[v] != turned)
            x = past_or(&k->p, x, value_make(k, layer, v, false));
    return turned ? past_not(&k->p, x) : x;
}

/* Which keys of a head are meant: those of some levels of a query, or some of them only. */
typedef struct {
    int layer, head, query, from, to; /* levels from .. to */
    const bool *only;                 /* (keys): NULL, or which */
    bool but;                         /* the others */
} keys;

static at_formula *keys_make(maker *k, const keys *s)
{
    const at_layer *l = &k->l->layer[s->layer];
    const at_layer_head *h = &l->heads[s->head];
    bool *in = at_new(k->a, bool, l->values + 1);
    if (!in) {
        at_oom(&k->p.f->err);
        return NULL;
    }
    for (int v = 0; v < l->values; v++) {
        int key = l->key[v * l->n_heads + s->head], level = h->level[s->query * h->keys + key];
        in[v] = level >= s->from && level <= s->to && (!s->only || s->only[key] != s->but);
    }
    return set_make(k, s->layer, in);
}

/* ---- choices --------------------------------------------------------------------------------------------------------------- */

/* A head at a position with value v, and the keys of it that are asked for. */
typedef struct {
    int layer, head, value;
    const bool *in; /* (keys) */
    bool none;      /* and that there is no key */
} asked;

/* The best key of the word before this position is one of these; nothing else of the same level, or a better one, comes in its way. */
static at_formula *word_choice(maker *k, const asked *q, int query, int level)
{
    const at_layer_head *h = &k->l->layer[q->layer].heads[q->head];
    keys s = {q->layer, q->head, query, 0, level - 1, NULL, false};
    at_formula *better = level ? past_any(&k->p, keys_make(k, &s)) : past_const(&k->p, false);
    s.from = s.to = level;
    at_formula *either = keys_make(k, &s);
    s.only = q->in;
    at_formula *good = keys_make(k, &s);
    s.but = true;
    at_formula *found = past_found(&k->p, !h->last, good, keys_make(k, &s), either);
    return past_and(&k->p, past_not(&k->p, better), found);
}

static at_formula *no_word_key(maker *k, const asked *q, int query, int to)
{
    keys s = {q->layer, q->head, query, 0, to, NULL, false};
    return to < 0 ? past_const(&k->p, true) : past_not(&k->p, past_any(&k->p, keys_make(k, &s)));
}

/* The head chooses one of the keys that are asked for. */
static at_formula *choice_make(maker *k, const asked *q)
{
    past *p = &k->p;
    const at_layer *l = &k->l->layer[q->layer];
    const at_layer_head *h = &l->heads[q->head];
    int query = l->query[q->value * l->n_heads + q->head];
    const int *level = h->level + (size_t)query * (size_t)h->keys;
    int before = h->before[query], own = h->strict ? -1 : l->key[q->value * l->n_heads + q->head];
    int hidden = before < 0 ? INT_MAX : level[before], mine = own < 0 ? INT_MAX : level[own], worst = 0;
    at_formula *x = past_const(p, false);
    for (int c = 0; c < h->keys; c++)
        worst = level[c] > worst ? level[c] : worst;
    /* of equal ones the last: hidden, word, own; or the first */
    for (int s = 0; s <= worst; s++)
        if (h->last ? s <= hidden && s < mine : s < hidden && s <= mine)
            x = past_or(p, x, word_choice(k, q, query, s));
    if (own >= 0 && q->in[own] && (h->last ? mine <= hidden : mine < hidden))
        x = past_or(p, x, no_word_key(k, q, query, h->last ? mine - 1 : mine));
    if (before >= 0 && q->in[before] && (h->last ? hidden < mine : hidden <= mine))
        x = past_or(p, x, no_word_key(k, q, query, h->last ? hidden : hidden - 1));
    if (q->none && own < 0 && before < 0)
        x = past_or(p, x, no_word_key(k, q, query, worst));
    return x;
}

/* What is asked of one head: of the keys that a value is seen to choose, those of some steps. */
static at_formula *head_make(maker *k, int layer, int head, int value, bool end, const bool *wanted)
{
    const at_layer *l = &k->l->layer[layer];
    int K = l->heads[head].keys, of = 0, all = 0;
    bool *met = at_new(k->a, bool, K + 1), *in = at_new(k->a, bool, K + 1); /* [K]: no key */
    if (!met || !in) {
        at_oom(&k->p.f->err);
        return NULL;
    }
    for (int n = 0; n < l->n_steps; n++) {
        const at_layer_step *s = &l->steps[n];
        int key = s->chosen[head] < 0 ? K : s->chosen[head];
        met[key] |= s->value == value && s->end == end;
        in[key] |= wanted[n];
    }
    for (int c = 0; c <= K; c++) {
        of += in[c];
        all += met[c];
    }
    if (of == all)
        return past_const(&k->p, true);
    bool turned = 2 * of > all;
    for (int c = 0; turned && c <= K; c++)
        in[c] = met[c] && !in[c];
    at_formula *x = choice_make(k, &(asked){layer, head, value, in, in[K]});
    return turned ? past_not(&k->p, x) : x;
}

/* ---- values ---------------------------------------------------------------------------------------------------------------- */

/* Steps that differ in what the first head chooses only are one question. */
static bool alike(const at_layer *l, const at_layer_step *s, const at_layer_step *t)
{
    return s->value == t->value && s->next == t->next && s->end == t->end &&
           (l->n_heads < 2 ||
            memcmp(s->chosen + 1, t->chosen + 1, (size_t)(l->n_heads - 1) * sizeof *s->chosen) == 0);
}

/* A position with value v has `next` before the next layer. */
static at_formula *steps_make(maker *k, int layer, int value, int next, bool end)
{
    past *p = &k->p;
    const at_layer *l = &k->l->layer[layer];
    at_formula *any = past_const(p, false);
    bool only = true, *done = at_new(k->a, bool, l->n_steps + 1),
         *wanted = at_new(k->a, bool, l->n_steps + 1);
    if (!done || !wanted) {
        at_oom(&p->f->err);
        return NULL;
    }
    for (int n = 0; n < l->n_steps; n++)
        only &= l->steps[n].value != value || l->steps[n].end != end || l->steps[n].next == next;
    if (only)
        return past_const(p, true);
    for (int n = 0; n < l->n_steps; n++) {
        const at_layer_step *s = &l->steps[n];
        if (done[n] || s->value != value || s->end != end || s->next != next)
            continue;
        for (int m = 0; m < l->n_steps; m++) {
            wanted[m] = alike(l, s, &l->steps[m]);
            done[m] |= wanted[m];
        }
        at_formula *all = past_const(p, true);
        for (int h = 0; h < l->n_heads; h++)
            all = past_and(p, all, head_make(k, layer, h, value, end, wanted));
        any = past_or(p, any, all);
    }
    return any;
}

static at_formula *class_make(maker *k, int r)
{
    return at_formula_make(k->p.f, (at_formula){.op = AT_F_CLASS, .index = r, .modulus = k->l->period});
}

/* The rows of the period where in is true, as classes of the position; what never occurs does not matter. */
static at_formula *rows_make(maker *k, const bool *in, const bool *never, int shift)
{
    int P = k->l->period, of = 0, all = 0;
    for (int r = 0; r < P; r++) {
        of += in[r];
        all += !never[r];
    }
    bool turned = 2 * of > all;
    at_formula *x = past_const(&k->p, false);
    for (int r = 0; r < P; r++)
        if (!never[r] && in[r] != turned)
            x = past_or(&k->p, x, class_make(k, (r + shift) % P));
    return turned ? past_not(&k->p, x) : x;
}

/* Before the first layer: by its letter, and by the position. */
static at_formula *first_make(maker *k, int value)
{
    const at_layers *l = k->l;
    int P = l->period, S = l->sigma.n, full = 0;
    bool *in = at_new(k->a, bool, P), *never = at_new(k->a, bool, P);
    at_formula *x = past_const(&k->p, false), *others = x;
    if (!in || !never) {
        at_oom(&k->p.f->err);
        return NULL;
    }
    for (int a = 0; a < S; a++) {
        bool some = false, all = true;
        for (int r = 0; r < P; r++) {
            int v = l->first[r * S + a];
            in[r] = v == value;
            never[r] = v < 0;
            some |= in[r];
            all &= in[r] || never[r];
        }
        at_formula *letter = at_formula_letter(k->p.f, a);
        full += some && all;
        if (!some)
            others = past_or(&k->p, others, letter);
        else
            x = past_or(&k->p, x, past_and(&k->p, letter, rows_make(k, in, never, 1)));
    }
    return full == S ? past_const(&k->p, true) : P == 1 && 2 * full > S ? past_not(&k->p, others) : x;
}

/* The same behind the word: by how many letters there are, modulo the period. */
static at_formula *first_end_make(maker *k, int value)
{
    const at_layers *l = k->l;
    int P = l->period;
    bool *in = at_new(k->a, bool, P), *never = at_new(k->a, bool, P), all = true;
    if (!in || !never) {
        at_oom(&k->p.f->err);
        return NULL;
    }
    for (int r = 0; r < P; r++) {
        in[r] = l->first_end[r] == value;
        never[r] = l->first_end[r] < 0;
        all &= in[r] || never[r];
    }
    return all ? past_const(&k->p, true) : past_previous(&k->p, rows_make(k, in, never, 0), in[0]);
}

static at_formula *value_make(maker *k, int layer, int value, bool end)
{
    at_formula **kept = &k->phi[end][layer][value], *x;
    if (*kept || k->p.f->err.code)
        return *kept;
    if (!layer)
        x = end ? first_end_make(k, value) : first_make(k, value);
    else {
        x = past_const(&k->p, false);
        for (int v = 0; v < k->l->layer[layer - 1].values; v++) {
            bool leads = false;
            for (int n = 0; n < k->l->layer[layer - 1].n_steps && !leads; n++) {
                const at_layer_step *s = &k->l->layer[layer - 1].steps[n];
                leads = s->value == v && s->next == value && s->end == end;
            }
            if (leads)
                x = past_or(&k->p, x,
                            past_and(&k->p, value_make(k, layer - 1, v, end),
                                     steps_make(k, layer - 1, v, value, end)));
        }
    }
    return *kept = past_name(&k->p, "value", x);
}

static at_status maker_init(maker *k, at_err *err)
{
    const at_layers *l = k->l;
    k->word = at_new(k->a, bool *, l->n + 1);
    for (int end = 0; end < 2; end++)
        if (!(k->phi[end] = at_new(k->a, at_formula **, l->n + 1)))
            return at_oom(err);
    if (!k->word)
        return at_oom(err);
    for (int n = 0; n <= l->n; n++) {
        int V = l->layer[n].values + 1;
        k->word[n] = at_new(k->a, bool, V);
        for (int end = 0; end < 2; end++)
            if (!(k->phi[end][n] = at_new(k->a, at_formula *, V)))
                return at_oom(err);
        if (!k->word[n])
            return at_oom(err);
        for (int c = 0; n && c < l->layer[n - 1].n_steps; c++)
            k->word[n][l->layer[n - 1].steps[c].next] |= !l->layer[n - 1].steps[c].end;
    }
    for (int c = 0; c < l->period * l->sigma.n; c++)
        if (l->first[c] >= 0)
            k->word[0][l->first[c]] = true;
    return AT_OK;
}

static at_formula *accept_make(maker *k)
{
    const at_layers *l = k->l;
    at_formula *x = past_const(&k->p, false);
    if (!l->has_end)
        return past_previous(&k->p, set_make(k, l->n, l->accepts), l->empty);
    bool all = true;
    for (int v = 0; v < l->layer[l->n].values; v++) {
        bool is = !l->n;
        for (int n = 0; l->n && n < l->layer[l->n - 1].n_steps; n++)
            is |= l->layer[l->n - 1].steps[n].end && l->layer[l->n - 1].steps[n].next == v;
        if (is && l->accepts[v])
            x = past_or(&k->p, x, value_make(k, l->n, v, true));
        all &= !is || l->accepts[v];
    }
    return all ? past_const(&k->p, true) : x;
}

static at_status layers_past(const at_model *m, const at_extract_options *o, at_arena *a,
                             at_extracted_past *out, at_err *err)
{
    at_layers l;
    at_arena scratch;
    at_status s = at_extract_layers(m, o->values ? o->values : AT_EXTRACT_VALUES, a, &l, err);
    if (!s && l.period > 1 && o->logic == AT_LOGIC_BRASP)
        s = at_fail(
            err, AT_EREFUSED,
            "its positions repeat every %d, and B-RASP knows no positions; temporal logic has mod(i, %d): "
            "--to ltl",
            l.period, l.period);
    if (s)
        return s;
    *out = (at_extracted_past){.layers = l.n, .period = l.period, .rounded = l.rounded};
    for (int k = 0; k <= l.n; k++)
        out->values = l.layer[k].values > out->values ? l.layer[k].values : out->values;
    at_arena_init(&scratch);
    maker k = {.l = &l, .a = &scratch, .p.named = o->logic == AT_LOGIC_BRASP};
    s = at_formulas_new(&l.sigma, a, &k.p.f, err);
    if (!s)
        s = maker_init(&k, err);
    if (!s)
        s = past_accept(&k.p, accept_make(&k), err);
    out->formulas = k.p.f;
    at_arena_release(&scratch);
    return s;
}

at_status at_extract_past(const at_model *m, const at_extract_options *o, at_arena *a, at_extracted_past *out,
                          at_err *err)
{
    at_err why = {0};
    at_extracted d;
    *out = (at_extracted_past){0};
    at_status s = o->automaton ? AT_EREFUSED : layers_past(m, o, a, out, &why);
    if (!s || s == AT_ENOMEM || s == AT_ECANCEL) {
        if (s && err)
            *err = why;
        return s;
    }
    /* what has no automaton either is refused in the words of that */
    bool asked_for = o->automaton;
    s = at_extract_dfa(m, a, &d, err);
    if (!s && why.code == AT_EBUDGET && o->values) /* a budget that was said is kept */
        return at_fail(err, AT_EBUDGET, "%s", why.text);
    if (!s)
        s = cascade_past(&d, o->logic, a, out, err);
    if (!s && !asked_for && !(out->why = at_arena_strdup(a, why.text)))
        return at_oom(err);
    return s;
}
