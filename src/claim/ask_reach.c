/* ask_reach.c: how far is a compiled language right? Every word to a length, then long words, then other arithmetics.
 *
 *   every word   to the lengths that were asked for, or as far as 2^17 words go (16 of two letters, 10 of three, 8 of four); what is
 *                longer than 2^22 words go is drawn.
 *   long words   drawn, random and near misses by turns, of FAR letters, or of the most that compile.
 *   precision    a table: of one length a row, how many words the model gets wrong in f64 and in f32, and bits p with which
 *                it is right on all while with p - 1 it is not. Words are all of the length where they are few.
 *
 * The first two are cells and decide the verdict. The table is information: a model that is made for f64 owes nothing to f32. Budgets are
 * of work as it is estimated from shapes, not of time, so answers are the same on every machine. */
#include "ask_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "claim_internal.h"

#define USUAL_WORDS  ((uint64_t)1 << 17) /* of the longest length that is asked unless told */
#define FAR          1000                /* letters */
#define LONG_WORK    1e8                 /* of the cell of long words */
#define ROW_WORK     2e7                 /* of a row of the table in f64, and again in f32 */
#define BITS_WORK    2e8                 /* of a row at p bits, for each p */
#define LEAST_WORDS  8                   /* fewer say nothing */
#define MOST_WORDS   200
#define ALL_WORDS    ((uint64_t)1 << 11) /* of a row: all of them, where they are no more */
#define LONGER       4                   /* times as long as asked: inputs of decoders */
#define LONGER_WORDS 20
#define BITS_TRIED   24 /* first; of more or of fewer there are about as many that may be the answer */
#define BITS_MOST    53

static const int lengths[] = {4, 8, 16, 32, 64, 128, 256, 512, FAR};

bool ask_reaches(const asking *k)
{
    const at_problem *p = k->q->problem;
    if (!k->q->reach || k->q->model)
        return false;
    if (k->view == AT_VIEW_CHAIN)
        return p->chain->nested && k->q->how == AT_ASK_ANY;
    return k->view == AT_VIEW_POSITIONS && (k->q->how == AT_ASK_ANY || k->q->how == AT_ASK_EXACT) &&
           p->task->enums >> AT_ENUM_SEQUENCES & 1;
}

/* ---- lengths -------------------------------------------------------------------------------------------------- */

/* Where a parameter stands that the claim has. */
static int param_at(const at_claim *c, const char *name)
{
    int i = 0;
    while (strcmp(c->params[i].name, name) != 0)
        i++;
    return i;
}

/* Has it the parameter LONGEST, its last one? Decoders that take words have not. */
static bool has_longest(const at_sweep *w)
{
    return strcmp(w->first.schema[w->first.n - 1].name, LONGEST) == 0;
}

/* Lengths lo..hi, of a model for words to `longest`. */
static void lengths_set(at_sweep *w, int at, int64_t lo, int64_t hi, int64_t longest)
{
    w->first.value[at] = (double)lo;
    w->last[at] = (double)hi;
    if (has_longest(w))
        w->first.value[w->first.n - 1] = w->last[w->first.n - 1] = (double)longest;
}

/* The sizes of the sweep but its attention and the longest words, which each cell says. */
static void sizes_print(at_sweep *w, at_text *out)
{
    int n = w->first.n;
    w->first.n -= 1 + has_longest(w);
    at_sweep_print(w, out);
    w->first.n = n;
}

static uint64_t words_of(const asking *k, const at_sweep *w, int64_t n)
{
    at_params p;
    at_sweep_nth(w, 0, &p);
    p.of = k->q->problem;
    return at_params_set(&p, "N", (double)n, NULL) ? UINT64_MAX
                                                   : k->q->problem->task->count(&p, AT_ENUM_SEQUENCES);
}

/* The longest of lo..hi that has at most so many words; lo - 1: none. */
static int64_t longest_of(const asking *k, const at_sweep *w, int64_t lo, int64_t hi, uint64_t words)
{
    while (lo <= hi && words_of(k, w, lo) <= words)
        lo++;
    return lo - 1;
}

static void left_out(const asking *k, const char *what, const char *why)
{
    if (k->left_out)
        at_text_addf(k->left_out, "%s: %s\n", what, why);
}

/* Does the wanted kind compile at this length? The model is made where `m` is not NULL. */
static at_status length_tried(const asking *k, at_sweep *w, int at, int64_t n, at_model *m, at_err *why)
{
    at_model own;
    at_params p;
    lengths_set(w, at, n, n, n);
    at_sweep_nth(w, 0, &p);
    p.of = k->q->problem;
    int kind = ask_kind(k);
    at_front_options o = {.attention = (at_attention_kind)(kind < 0 ? 0 : kind)};
    at_status s = at_front_of(k->q->problem)->model(&p, &o, m ? m : &own, why);
    if (!s && !m)
        at_model_release(&own);
    return s;
}

static bool is_refusal(at_status s)
{
    return s == AT_EREFUSED || s == AT_EDOMAIN || s == AT_EBUDGET || s == AT_EINPUT;
}

/* The longest that compiles, from lo on, which does: FAR, or by bisection one whose next length is refused, and why. */
static at_status longest_find(const asking *k, at_sweep *w, int at, int64_t lo, int64_t far, int64_t *out,
                              at_err *why)
{
    at_status s = length_tried(k, w, at, far, NULL, why);
    *out = far;
    if (!is_refusal(s))
        return s;
    *out = lo;
    while (far - *out > 1) {
        int64_t mid = *out + (far - *out) / 2;
        at_err here = {0};
        s = length_tried(k, w, at, mid, NULL, &here);
        if (!s)
            *out = mid;
        else if (!is_refusal(s))
            return at_fail(why, s, "%s", here.text);
        else {
            far = mid;
            *why = here;
        }
    }
    return AT_OK;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

static const char *const columns[] = {"N",    "words", "wrong in f64", "wrong in f32", "words at p",
                                      "bits", NULL};
static const char *const plots[] = {"bits", NULL};
enum { LENGTH, WORDS, WRONG_F64, WRONG_F32, WORDS_BITS, BITS };

typedef struct {
    const at_claim *c;
    const at_params *p;
    const at_model *m;
    const at_check_env *env;
} subject;

static uint64_t words_within(double work, double cost)
{
    double n = floor(work / cost);
    return n > MOST_WORDS ? MOST_WORDS : n < LEAST_WORDS ? 0 : (uint64_t)n;
}

/* What a word costs, as at_input_cost has it; of decoders from its longest run. */
static double cost_of(const subject *x)
{
    int n = at_params_int(x->p, "N");
    at_cost cost;
    if (!x->c->chain)
        return at_input_cost(x->m, n);
    if (at_generation_cost(x->m, n + 1, at_params_int(x->p, "T"), &cost, NULL))
        return INFINITY;
    return (double)cost.dense + (double)cost.attention;
}

/* How many of the words are wrong; NAN where the arithmetic cannot run the model. words: 0, or so many drawn ones. */
static at_status wrong_count(const subject *x, const char *arith, uint64_t words, bool count_all, double *out,
                             at_err *err)
{
    at_cell cell = {.evidence = words ? AT_EV_SAMPLED : AT_EV_EXACT,
                    .how = AT_ENUM_SEQUENCES,
                    .arith = arith,
                    .count_all = count_all,
                    .plain = true};
    at_arena a;
    at_verdict v;
    at_err why = {0};
    at_arena_init(&a);
    at_status s = at_claim_check(x->c, &cell, x->p, x->m, words, 1, x->env, &a, &v, &why);
    *out = s ? NAN : v.holds == AT_TRUE ? 0 : fmax(1, (double)v.wrong);
    at_arena_release(&a);
    return is_refusal(s) ? AT_OK : s ? at_fail(err, s, "%s", why.text) : AT_OK;
}

static at_status bits_hold(const subject *x, int p, uint64_t words, bool *holds, at_err *err)
{
    char arith[16];
    double wrong;
    snprintf(arith, sizeof arith, "p%d", p);
    at_status s = wrong_count(x, arith, words, false, &wrong, err);
    *holds = wrong == 0; /* NAN is not */
    return s;
}

/* Bits with which all words are right, while with one less they are not: between `fails` and `holds`. NAN: there are none. */
static at_status bits_find(const subject *x, uint64_t words, double *out, at_err *err)
{
    int fails = 1, holds = BITS_MOST + 1;
    at_status s = AT_OK;
    for (int p = BITS_TRIED; !s && holds - fails > 1; p = fails + (holds - fails) / 2) {
        bool right;
        s = bits_hold(x, p, words, &right, err);
        if (right)
            holds = p;
        else
            fails = p;
    }
    *out = holds > BITS_MOST ? NAN : holds;
    return s;
}

static at_status precision_row(const at_claim *c, const at_params *given, int threads, double *out,
                               at_err *err)
{
    at_params p = *given;
    at_model m;
    at_err why = {0};
    at_check_env env = {.threads = threads};
    p.of = c->problem;
    out[LENGTH] = at_params_get(&p, "N");
    at_status s = at_claim_model(c, &p, &m, &why);
    if (s)
        return is_refusal(s) ? AT_OK : at_fail(err, s, "%s", why.text);
    subject x = {c, &p, &m, &env};
    double cost = cost_of(&x);
    uint64_t all = c->chain ? UINT64_MAX : c->problem->task->count(&p, AT_ENUM_SEQUENCES);
    double slow =
        cost * AT_REFERENCE_COST; /* at p bits; the least number of words may take a few times the work */
    uint64_t bits = words_within(BITS_WORK, slow), drawn = words_within(ROW_WORK, cost);
    bits = bits ? bits : LEAST_WORDS * slow <= 9 * BITS_WORK ? LEAST_WORDS : 0;
    drawn = all <= ALL_WORDS ? 0 : drawn < LEAST_WORDS ? LEAST_WORDS : drawn;
    out[WORDS] = (double)(drawn ? drawn : all);
    s = wrong_count(&x, "f64", drawn, true, &out[WRONG_F64], err);
    if (!s)
        s = wrong_count(&x, "f32", drawn, true, &out[WRONG_F32], err);
    if (!s && bits) {
        bool few = all <= bits;
        out[WORDS_BITS] = (double)(few ? all : bits);
        s = bits_find(&x, few ? 0 : bits, &out[BITS], err);
    }
    at_model_release(&m);
    return s;
}

/* Rows at the lengths from lo to hi, and hi itself. */
static at_status table_add(asking *k, at_sweep *w, int at, int64_t lo, int64_t hi)
{
    at_arena *a = &k->f->arena;
    at_claim_table *t = at_new(a, at_claim_table, 1);
    const char **rows = at_new(a, const char *, COUNT(lengths) + 2);
    int n = 0, kinds, kind = ask_kind(k);
    const char *name = at_front_kinds(at_front_of(k->q->problem), &kinds)[kind < 0 ? 0 : kind];
    if (!t || !rows)
        return at_oom(k->err);
    for (int i = 0; i <= COUNT(lengths); i++) {
        int64_t length = i < COUNT(lengths) && lengths[i] < hi ? lengths[i] : hi;
        if (length < lo)
            continue;
        at_text line;
        at_text_init(&line);
        lengths_set(w, at, length, length, length);
        sizes_print(w, &line);
        at_text_addf(&line, "%s" ATTENTION "=%s", line.n ? " " : "", name);
        if (has_longest(w))
            at_text_addf(&line, " " LONGEST "=%" PRId64, length);
        rows[n++] = line.oom ? NULL : at_arena_strdup(a, line.s);
        at_text_release(&line);
        if (!rows[n - 1])
            return at_oom(k->err);
        if (length == hi)
            break;
    }
    rows[n] = NULL;
    *t = (at_claim_table){
        .id = "precision",
        .title =
            "words of length N that the model of that length gets wrong in f64 and in f32 (all of the length "
            "where "
            "they are few, else drawn, random and near misses), and bits p with which it is right on all, "
            "while with p - 1 it is not",
        .columns = columns,
        .x = "N",
        .logx = true,
        .plots = plots,
        .rows = rows,
        .quick_rows = n,
        .row = precision_row};
    k->f->claim.tables = t;
    k->f->claim.n_tables = 1;
    return AT_OK;
}

/* ---- cells ---------------------------------------------------------------------------------------------------- */

/* Words of lengths lo..hi, of the model for words to `longest`. */
static at_status cell_of(asking *k, at_sweep *w, int at, int64_t lo, int64_t hi, int64_t longest,
                         uint64_t inputs)
{
    at_text line;
    at_text_init(&line);
    lengths_set(w, at, lo, hi, longest);
    sizes_print(w, &line);
    k->longest = (int)longest;
    k->inputs = inputs;
    at_status s = line.oom ? at_oom(k->err) : ask_kinds(k, w, line.s);
    k->inputs = 0;
    at_text_release(&line);
    return s;
}

/* The lengths that are enumerated: as asked, without those at which nothing is defined. */
static at_status lengths_choose(asking *k, const at_sweep *w, const char *set, int at, int64_t *lo,
                                int64_t *hi)
{
    const at_param *row = &k->f->claim.params[at];
    int64_t least = (int64_t)row->lo, most = (int64_t)row->hi;
    *lo = least;
    *hi = longest_of(k, w, least, (int64_t)row->value, USUAL_WORDS);
    if (at_assignments_name(set, "N")) {
        *lo = (int64_t)w->first.value[at];
        *hi = (int64_t)w->last[at];
    }
    at_status s = k->q->lengths ? ask_lengths(k, lo, hi) : AT_OK;
    if (s)
        return s;
    if (*hi > most || *hi < least)
        return at_fail(k->err, AT_EDOMAIN,
                       "lengths to %" PRId64 ": %s has words of lengths %" PRId64 "..%" PRId64, *hi,
                       k->q->problem->id, least, most);
    bool told = k->q->lengths || at_assignments_name(set, "N");
    if (least == 1 && (!told || *lo == 0))
        left_out(k, "the empty word", "undefined: the program has no position at which it could answer");
    *lo = *lo < least ? least : *lo;
    return AT_OK;
}

/* Long words: FAR letters, or the most that compile; *hi is how far it goes. */
static at_status long_ask(asking *k, at_sweep *w, int at, int64_t *hi)
{
    int64_t far = (int64_t)fmin(FAR, k->f->claim.params[at].hi), found = *hi;
    at_err why = {0};
    at_model m;
    if (*hi >= far)
        return AT_OK;
    at_status s = longest_find(k, w, at, *hi, far, &found, &why);
    if (s)
        return at_fail(k->err, s, "%s", why.text);
    if (found < far) {
        char what[64];
        snprintf(what, sizeof what, "length %" PRId64, found + 1);
        left_out(k, what, why.text);
    }
    if (found == *hi)
        return AT_OK;
    s = length_tried(k, w, at, found, &m, k->err);
    if (s)
        return s;
    uint64_t words = words_within(LONG_WORK, at_input_cost(&m, (int)found));
    at_model_release(&m);
    *hi = found;
    return cell_of(k, w, at, found, found, found, words < LEAST_WORDS ? LEAST_WORDS : words);
}

static at_status sweep_of(asking *k, const char *set, at_sweep *w)
{
    at_sweep_init(w, k->f->claim.params, k->f->claim.n_params);
    w->first.of = k->q->problem;
    return at_sweep_parse(w, set, k->err);
}

at_status ask_words(asking *k, const char *set)
{
    at_sweep w;
    int64_t lo, hi;
    int at = param_at(&k->f->claim, "N");
    at_status s = sweep_of(k, set, &w);
    if (!s && k->q->lengths && at_assignments_name(set, "N"))
        s = at_fail(k->err, AT_EINPUT, "lengths are given twice, by --lengths and by N");
    if (!s)
        s = lengths_choose(k, &w, set, at, &lo, &hi);
    if (s)
        return s;
    if (k->q->how == AT_ASK_EXACT)
        return cell_of(k, &w, at, lo, hi, hi, 0);
    int64_t all = longest_of(k, &w, lo, hi, QUICK_INPUTS);
    if (all >= lo)
        s = cell_of(k, &w, at, lo, all, hi, 0);
    if (!s && all < hi)
        s = cell_of(k, &w, at, all < lo ? lo : all + 1, hi, hi, 0);
    if (!s)
        s = long_ask(k, &w, at, &hi);
    return s || k->q->arith ? s : table_add(k, &w, at, lo > 1 ? lo : 1, hi);
}

/* Inputs LONGER times as long, with that many times as many steps, squared. */
static at_status longer_ask(asking *k, at_sweep *w, int at, int64_t n)
{
    const at_param *row = &k->f->claim.params[at];
    at_sweep far = *w;
    int steps = param_at(&k->f->claim, "T");
    int64_t most = (int64_t)fmin((double)n * LONGER, row->hi);
    double T = fmin(w->last[steps] * LONGER * LONGER, k->f->claim.params[steps].hi);
    at_err why = {0};
    if (most <= n)
        return AT_OK;
    far.first.value[steps] = far.last[steps] = T;
    at_status s = length_tried(k, &far, at, most, NULL, &why);
    if (!s)
        return cell_of(k, &far, at, most, most, most, LONGER_WORDS);
    if (!is_refusal(s))
        return at_fail(k->err, s, "%s", why.text);
    char what[64];
    snprintf(what, sizeof what, "inputs of %" PRId64 " letters", most);
    left_out(k, what, why.text);
    return AT_OK;
}

at_status ask_chains(asking *k, const char *set)
{
    at_sweep w;
    int at = param_at(&k->f->claim, "N");
    int64_t least = 0, n = 0;
    at_status s = sweep_of(k, set, &w);
    if (!s && k->q->lengths)
        s = ask_lengths(k, &least, &n);
    n = k->q->lengths ? n : (int64_t)w.last[at];
    if (!s)
        s = longer_ask(k, &w, at, n);
    return s || k->q->arith ? s : table_add(k, &w, at, n, n);
}
