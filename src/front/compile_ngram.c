/* compile_ngram.c: an n-gram language model as attention: at the last position, the probabilities of what comes next.
 *
 * CLAIMS ngram-heads, ngram-layers, ngram-single (Svete and Cotterell 2024). Rows are counted from 1: <s> is row 1, hidden, and word t
 * stands in row t + 1. At the last row s the words of rows s, s-1, ..., s-(n-2) are needed; rows before the first count as <s>.
 * 1. heads: head h = 0 .. n-2 finds row s-h. With e(t) = (sqrt(1/t), sqrt(1-1/t)), a point of the circle whose angle falls as t grows,
 *    the query is e(s) and the key of row j is e(j+h): the score is the cosine of the angle between, largest at j = s-h, and where that
 *    is no row at j = 1, which is <s>. Row t instead of s lowers it by 1 - cos = sin^2/(1+cos), sin = (t-s)/((sqrt(t-1)+sqrt(s-1))
 *    sqrt(s t)): this is the gap of row s.
 *    layers: the same with h = 1 only. Layer l fetches, from the row before, the word that stands l-1 rows before that one. The own word
 *    needs no layer.
 *    single: one head sees the last n-1 rows alike, by the score -relu(s-(n-2)-j), and no others. Row j puts its word into slot j mod
 *    (n-1), so that the mean keeps them apart; an empty slot is a row before the first. Which row a slot is depends on s mod (n-1), a
 *    position feature: one unit a slot, turn and word puts them into the order of 1.
 * 2. A context of k words is there when k words are: one unit, relu(sum - (k-1)). All suffixes of the history that the tables know are
 *    there at once, so a context adds only what it changes: its row less that of its longest shorter context.
 * 3. Read by sparsemax, rows are probabilities, which sparsemax leaves as they are. Read by softmax they are logarithms; a number that is
 *    added to all of a row does not matter, so with back-off only n-grams that the tables list have a weight. A probability of
 *    zero is e^-NGRAM_ZERO of the others, which is 0 in all arithmetics of machines. */
#include "ngram_maker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- step 1: the words of the history ------------------------------------------------------------------------- */

static at_attention head_of(const ngram_maker *k)
{
    return (at_attention){.weighting = k->o->weighting,
                          .mask = {.kind = AT_MASK_CAUSAL},
                          .error = k->o->error,
                          .unique = true,
                          .most = 1};
}

/* 1 - cos of the angle between e(s) and e(t). */
static double apart(double s, double t)
{
    double sine = (t - s) / ((sqrt(t - 1) + sqrt(s - 1)) * sqrt(s * t));
    double cosine = (1 + sqrt(s - 1) * sqrt(t - 1)) / sqrt(s * t);
    return sine * sine / (1 + cosine);
}

/* How far below the best the second best of row s is, h rows back; keys are j = 1 .. s, their t is j + h. */
static double gap_at(int s, int h)
{
    if (s == 1)
        return 1;   /* there is no second */
    if (s <= h + 1) /* best t = h + 1 >= s, then h + 2 */
        return apart(s, h + 2) - (s == h + 1 ? 0 : apart(s, h + 1));
    double below = apart(s, s - 1), above = h ? apart(s, s + 1) : INFINITY;
    return below < above ? below : above;
}

static at_var circle(ngram_maker *k, const char *name, int shift)
{
    double *rows = at_new(k->a, double, 2 * (size_t)k->T);
    for (int i = 0; rows && i < k->T; i++) {
        rows[2 * i] = sqrt(1.0 / (i + 1 + shift));
        rows[2 * i + 1] = sqrt(1 - 1.0 / (i + 1 + shift));
    }
    if (!rows)
        at_program_oom(k->P);
    return rows ? at_position_rows(k->P, name, 2, rows) : at_const(k->P, 0);
}

/* What stands h rows before: out (V) of value (V). */
static void rows_back(ngram_maker *k, const char *name, at_var query, at_var key, int h, const at_var *value,
                      at_var *out)
{
    int V = k->g->words + 1;
    double *gaps = at_new(k->a, double, k->T), least = INFINITY;
    if (!gaps) {
        at_program_oom(k->P);
        return;
    }
    for (int s = 1; s <= k->T; s++) {
        gaps[s - 1] = 0.999 * gap_at(s, h); /* less than it is, however sqrt rounds here */
        least = gaps[s - 1] < least ? gaps[s - 1] : least;
    }
    at_attention a = head_of(k);
    a.query = AT_VEC(query, query + 1);
    a.key = AT_VEC(key, key + 1);
    a.value = (at_vec){V, value};
    a.gap = least;
    a.gaps = gaps;
    at_var first = at_attend(k->P, name, &a);
    for (int w = 0; w < V; w++)
        out[w] = first + w;
}

static void history_heads(ngram_maker *k, const at_var *own, at_var *word)
{
    int V = k->g->words + 1;
    at_var query = circle(k, "row", 0);
    for (int h = 0; h < k->places; h++) {
        char name[32], at[32];
        snprintf(name, sizeof name, "back_%d", h);
        snprintf(at, sizeof at, "row+%d", h);
        int shift =
            h - (k->o->broken && h && h == k->places - 1); /* the control: the furthest is not so far */
        at_var key = shift ? circle(k, at, shift) : query;
        rows_back(k, name, query, key, shift, own, word + h * V);
    }
}

static void history_layers(ngram_maker *k, const at_var *own, at_var *word)
{
    int V = k->g->words + 1, n = k->places;
    at_var query = circle(k, "row", 0), key = n > 1 ? circle(k, "row+1", 1) : query;
    memcpy(word, own, (size_t)V * sizeof *own);
    for (int l = 1; l < n; l++) {
        char name[32];
        snprintf(name, sizeof name, "back_%d", l);
        if (k->o->broken && l == n - 1) /* the control: a layer less */
            memcpy(word + l * V, word + (l - 1) * V, (size_t)V * sizeof *word);
        else
            rows_back(k, name, query, key, 1, word + (l - 1) * V, word + l * V);
    }
}

/* The mean over c rows, min(s, m) of them, is 1/c >= 1/m of a word that is there, else 0. */
static void history_single(ngram_maker *k, const at_var *own, at_var *word)
{
    at_program *P = k->P;
    int V = k->g->words + 1, m = k->places;
    double *turn = at_new(k->a, double, (size_t)k->T *(size_t)m);
    at_var *slot = at_new(k->a, at_var, (size_t)m * (size_t)V),
           *seen = at_new(k->a, at_var, (size_t)m * (size_t)V);
    at_var *each = at_new(k->a, at_var, m);
    if (!turn || !slot || !seen || !each) {
        at_program_oom(P);
        return;
    }
    for (int i = 0; i < k->T; i++)
        for (int t = 0; t < m; t++)
            turn[i * m + t] = (i + 1) % m == t;
    at_var is_turn = at_position_rows(P, "turn", m, turn), here = at_position(P, "here", AT_POS_I);
    char name[64];
    for (int t = 0; t < m; t++)
        for (int w = 0; w < V; w++) {
            snprintf(name, sizeof name, "slot_%d_%d", t, w);
            slot[t * V + w] = m > 1 ? at_and(P, name, is_turn + t, own[w]) : own[w];
        }
    at_attention a = head_of(k);
    a.query = AT_VEC(here, at_const(P, 1)); /* -relu(s - (n-2) - j) */
    a.key = AT_VEC(at_const(P, 1), at_sum(P, "last", AT_VEC(here), (double[]){-1}, 1 - m));
    a.value = (at_vec){m * V, slot};
    a.post = AT_POST_NEG_RELU;
    a.gap = 1;
    a.unique = false;
    a.most = m;
    at_var mean = at_attend(P, "window", &a);
    for (int t = 0; t < m; t++)
        for (int w = 0; w < V; w++) {
            snprintf(name, sizeof name, "seen_%d_%d", t, w);
            at_var over = at_sum(P, NULL, AT_VEC(mean + t * V + w), NULL, -0.5 / m);
            seen[t * V + w] = at_compare(P, name, over, 0.5 / m);
        }
    for (int h = 0; h < m; h++)
        for (int w = 0; w < V; w++) {
            for (int t = 0; t < m; t++) { /* at turn t, row s - h is in slot (t - h) mod m */
                int from = k->o->broken ? h : (t - h + m) % m; /* the control: slots are not turned */
                snprintf(name, sizeof name, "back_%d_%d_%d", h, w, t);
                each[t] = at_and(P, name, is_turn + t, seen[from * V + w]);
            }
            snprintf(name, sizeof name, "back_%d_%d", h, w);
            word[h * V + w] = at_sum(P, name, (at_vec){m, each}, NULL, 0);
        }
}

/* ---- steps 2 and 3: contexts, and what each adds --------------------------------------------------------------------- */

typedef struct {
    int outcome;
    at_var unit;
    double weight;
} term;

typedef struct {
    term *t;
    size_t n, room;
} terms;

static bool terms_add(ngram_maker *k, terms *t, int outcome, at_var unit, double weight)
{
    if (t->n == t->room) {
        size_t room = t->room ? 2 * t->room : 1024;
        term *more = at_new(k->a, term, room);
        if (!more) {
            at_oom(k->err);
            return false;
        }
        if (t->n)
            memcpy(more, t->t, t->n * sizeof *more);
        t->t = more;
        t->room = room;
    }
    t->t[t->n++] = (term){outcome, unit, weight};
    return true;
}

static double score_of(const ngram_maker *k, double p)
{
    return k->o->read == AT_READ_SPARSEMAX ? p : p > 0 ? at_log(p) : -NGRAM_ZERO;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ngram_most_common(const double *x, int V, double *copy)
{
    memcpy(copy, x, (size_t)V * sizeof *copy);
    qsort(copy, (size_t)V, sizeof *copy, ascending);
    double best = copy[0];
    int most = 0;
    for (int i = 0, j = 0; i < V; i++) {
        for (; j < V && copy[j] - copy[i] <= NGRAM_SAME; j++)
            ;
        if (j - i > most) {
            most = j - i;
            best = copy[i + (j - i) / 2];
        }
    }
    return best;
}

static at_var context_unit(ngram_maker *k, const int *history, int len, const at_var *word, int state)
{
    at_var v[AT_NGRAM_ORDER_MAX];
    int V = k->g->words + 1;
    char name[32];
    for (int h = 0; h < len; h++) {
        int id = history[len - 1 - h];
        v[h] = word[h * V + (id == at_ngram_bos(k->g) ? V - 1 : id)];
    }
    snprintf(name, sizeof name, "context_%d", state);
    return at_all(k->P, name, (at_vec){len, v});
}

static at_status contexts_add(ngram_maker *k, const at_var *word, terms *out)
{
    const at_ngram *g = k->g;
    int V = g->words + 1, history[AT_NGRAM_ORDER_MAX];
    double *row = at_new(k->a, double, V), *before = at_new(k->a, double, V), *copy = at_new(k->a, double, V);
    if (!row || !before || !copy)
        return at_oom(k->err);
    for (int c = 1; c < at_ngram_states(g); c++) {
        if (!at_ngram_is_state(g, c))
            continue;
        int len = at_ngram_state_words(g, c, history);
        at_ngram_shares(g, c, row);
        at_ngram_shares(g, at_ngram_state(g, history + 1, len - 1), before);
        for (int w = 0; w < V; w++)
            row[w] = score_of(k, row[w]) - score_of(k, before[w]);
        double shift = k->o->read == AT_READ_SPARSEMAX ? 0 : ngram_most_common(row, V, copy);
        double same = k->o->read == AT_READ_SPARSEMAX ? 0 : NGRAM_SAME;
        at_var unit = -1;
        for (int w = 0; w < V; w++) {
            if (fabs(row[w] - shift) <= same)
                continue;
            if (unit < 0)
                unit = context_unit(k, history, len, word, c);
            if (!terms_add(k, out, w, unit, row[w] - shift))
                return AT_ENOMEM;
        }
    }
    return AT_OK;
}

static at_status outcomes_emit(ngram_maker *k, const terms *t)
{
    int V = k->g->words + 1;
    double *first = at_new(k->a, double, V), *weight = at_new(k->a, double, t->n + 1);
    at_var *unit = at_new(k->a, at_var, t->n + 1), *out = at_new(k->a, at_var, V);
    size_t *end = at_new(k->a, size_t, (size_t)V + 1);
    if (!first || !weight || !unit || !out || !end)
        return at_oom(k->err);
    at_ngram_shares(k->g, 0, first);
    memset(end, 0, ((size_t)V + 1) * sizeof *end);
    for (size_t i = 0; i < t->n; i++)
        end[t->t[i].outcome + 1]++;
    for (int w = 0; w < V; w++)
        end[w + 1] += end[w];
    for (size_t i = 0; i < t->n; i++) { /* end[w] goes from the begin of w to that of w + 1 */
        size_t at = end[t->t[i].outcome]++;
        unit[at] = t->t[i].unit;
        weight[at] = t->t[i].weight;
    }
    for (int w = 0; w < V; w++) {
        size_t from = w ? end[w - 1] : 0;
        char name[32];
        snprintf(name, sizeof name, "next_%d", w);
        out[w] = at_sum(k->P, name, (at_vec){(int)(end[w] - from), unit + from}, weight + from,
                        score_of(k, first[w]));
    }
    at_emit_last(k->P, (at_vec){V, out}, k->o->read, 0);
    return AT_OK;
}

at_status ngram_history(ngram_maker *k, at_var *own, at_var *word)
{
    at_program *P = k->P;
    int W = k->g->words;
    double *is = at_calloc((size_t)W * (size_t)W, sizeof *is);
    if (!is)
        return at_oom(k->err);
    at_program_lengths(P, 0);
    at_var token = at_token(P, "word", W);
    at_prefix(P, 1);
    for (int w = 0; w < W; w++)
        is[w * W + w] = 1;
    at_var first = at_lookup_rows(P, "is", token, W, is);
    at_free(is);
    for (int w = 0; w < W; w++)
        own[w] = first + w;
    own[W] = at_mark_prefix(P, "begin", 0);
    if (k->places > 0 && k->o->form == AT_NGRAM_HEADS)
        history_heads(k, own, word);
    else if (k->places > 0 && k->o->form == AT_NGRAM_LAYERS)
        history_layers(k, own, word);
    else if (k->places > 0)
        history_single(k, own, word);
    return at_program_status(P, k->err);
}

static at_status ngram_make(ngram_maker *k)
{
    int V = k->g->words + 1;
    at_var *own = at_new(k->a, at_var, V), *word = at_new(k->a, at_var, (size_t)V * (size_t)(k->places + 1));
    terms t = {0};
    if (!own || !word)
        return at_oom(k->err);
    at_status s = ngram_history(k, own, word);
    if (!s)
        s = contexts_add(k, word, &t);
    return s ? s : outcomes_emit(k, &t);
}

/* Equal scores share, so that one head sees all of a window. */
at_status ngram_check(const at_ngram *g, const at_ngram_options *o, at_err *err)
{
    int contexts = 0;
    for (int c = 0; c < at_ngram_states(g); c++)
        contexts += at_ngram_is_state(g, c);
    if (g->words > AT_NGRAM_COMPILED_WORDS || contexts > AT_NGRAM_COMPILED_CONTEXTS)
        return at_fail(err, AT_EBUDGET, "%d words and %d contexts; models of at most %d and %d are compiled",
                       g->words, contexts, AT_NGRAM_COMPILED_WORDS, AT_NGRAM_COMPILED_CONTEXTS);
    if (o->form == AT_NGRAM_SINGLE && at_weighting_is(o->weighting, AT_IS_ONE))
        return at_fail(err, AT_EREFUSED,
                       "one head sees %s only; the form single needs average-hard, sparsemax or softmax",
                       "one word of several with equal scores");
    return AT_OK;
}

const char *const at_ngram_forms[AT_NGRAM_FORMS] = {"heads", "layers", "single"};

at_status at_ngram_program(const at_ngram *g, int N, const at_ngram_options *o, at_program **out, at_err *err)
{
    at_arena a;
    *out = NULL;
    at_status s = ngram_check(g, o, err);
    if (s)
        return s;
    at_arena_init(&a);
    ngram_maker k = {.g = g, .o = o, .T = N + 1, .places = g->order - 1, .a = &a, .err = err};
    k.P = at_program_new("ngram", N);
    s = k.P ? AT_OK : at_oom(err);
    if (!s && o->arith)
        at_program_arithmetic(k.P, *o->arith);
    if (!s)
        s = ngram_make(&k);
    if (!s)
        s = at_program_status(k.P, err);
    if (s)
        at_program_free(k.P);
    else
        *out = k.P;
    at_arena_release(&a);
    return s;
}

at_status ngram_words(const at_ngram *g, at_model *m, at_err *err)
{
    at_status s = AT_OK;
    at_word *words = at_new(&m->arena, at_word, g->words);
    for (int w = 0; words && w < g->words; w++)
        if (strlen(g->word[w]) > AT_WORD_MAX)
            s = at_fail(err, AT_EREFUSED, "the word '%.40s...' has more than %d bytes", g->word[w],
                        AT_WORD_MAX);
        else
            memcpy(words[w].s, g->word[w], strlen(g->word[w]) + 1);
    if (!words)
        s = at_oom(err);
    m->fields[0].words = words;
    if (!s)
        s = at_model_validate(m, err);
    if (s)
        at_model_release(m);
    return s;
}

at_status at_ngram_model(const at_ngram *g, int N, const at_ngram_options *o, at_model *m, at_err *err)
{
    at_program *P;
    at_status s = at_ngram_program(g, N, o, &P, err);
    if (s)
        return s;
    s = at_assemble(P, m, NULL, err);
    at_program_free(P);
    if (s)
        return s;
    return ngram_words(g, m, err);
}

/* ---- the front end ------------------------------------------------------------------------------------------------------ */

static const char *const kinds[] = {"hard", "sparsemax", "softmax", NULL};

#define NEAR 1e-13 /* error of what softmax heads fetch: logarithms down to -800 are multiplied by it */

static at_status front_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    static const at_weighting by[] = {AT_AVERAGE_HARD, AT_SPARSEMAX, AT_SOFTMAX};
    const at_problem *of = p->of;
    double accept = at_params_get(p, "accept");
    at_ngram_options how = {.arith = o->arith,
                            .form = (at_ngram_form)at_params_int(p, "form"),
                            .weighting = by[o->attention],
                            .read = at_params_int(p, "read") ? AT_READ_SPARSEMAX : AT_READ_SOFTMAX,
                            .error = at_weighting_is(by[o->attention], AT_IS_EXP) ? NEAR : 0};
    at_status s = accept > 0 ? at_ngram_accepter(at_ngram_of(of), at_params_int(p, "N"), accept, &how, m, err)
                             : at_ngram_model(at_ngram_of(of), at_params_int(p, "N"), &how, m, err);
    return s ? s : front_remember(p, m, err);
}

const at_front at_front_arpa = {.lang = &at_lang_arpa,
                                .about = "a head, or a layer, finds each word of the history",
                                .kinds = kinds,
                                .model = front_model};
