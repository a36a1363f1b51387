/* compile_automaton.c: star-free languages as rightmost-hard attention without positions, and those of FO[<, MOD] with positions
 * modulo a number.
 *
 * CLAIM fo. A star-free language is recognised by H layers of one head each, rightmost-hard under the strict mask, H the height
 * of its cascade of resets (automaton.h).
 * 1. The coordinate of level t before position i is the target of the last reset of level t at a position j < i, or the
 *    initial one where there is none: that is how cascades work.
 * 2. Whether position j resets level t, and to what, is a function of its letter and of the coordinates of the levels
 *    before t there, which earlier layers know: one ReLU unit a row of coordinates and target, 1 where the t coordinates
 *    and the letter are those, else 0.
 * 3. Head t scores 1 where there is a reset and 0 elsewhere, and its values are the targets, one-hot. The last of the
 *    largest scores is the last reset; where there is none it fetches a row without a target, and before the first
 *    letter nothing: 0 either way, which reads as the initial value.
 * 4. A hidden position behind the word has all coordinates after the last letter. Its rows of coordinates stand for states,
 *    and those that accept are summed up. The empty word is decided there like any other.
 * All scores and values are 0 or 1, so nothing is rounded, at any length and at any precision.
 *
 * CLAIM fo-mod. A language of FO[<, MOD] is star-free over letters (a, i mod m) for some m (automaton.h). Position i has
 * [i mod m = r] from its position: as a table of 0 and 1, or from cos and sin of 2 pi i/m, of which cos(2 pi (i - r)/m) is 1
 * where i = r modulo m and at most c = cos(2 pi/m) elsewhere, so that a ramp between the thirds of c..1 tells them apart. One
 * unit a letter and residue makes the letters (a, r); then as above. */
#include "front_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEVELS = 64 };

typedef struct {
    at_program *P;
    const at_dfa *d;
    const at_cascade *c;
    int m;          /* positions modulo this; 1: none */
    int period;     /* of the positions themselves: m, but for controls */
    bool circle;    /* by cos and sin */
    at_var *letter; /* (letters); with positions letter a at residue r is a m + r */
    at_var **is;    /* (levels, size[t]): the coordinate of level t before this position is this */
    at_arena arena;
    at_mask mask;
} cascade;

/* The coordinates of row `node`, and one of the letters of `set` (NULL: none is asked for): 1 where they are, else 0. */
static at_var row_is(cascade *k, const char *name, int node, const bool *set)
{
    const at_cascade *c = k->c;
    at_var v[LEVELS + AT_LETTERS_MAX];
    int n = 0, all = c->depth[node] + (set ? 1 : 0);
    for (int at = node; c->parent[at] >= 0; at = c->parent[at])
        v[n++] = k->is[c->depth[at] - 1][c->value[at]];
    for (int a = 0; set && a < c->letters; a++)
        if (set[a])
            v[n++] = k->letter[a];
    at_var sum = at_sum(k->P, name, (at_vec){n, v}, NULL, 1 - all);
    return all > 1 ? at_relu(k->P, name, sum) : sum;
}

/* What position j resets level t to: a boolean for each value. */
static void resets_make(cascade *k, int t, at_var *to)
{
    const at_cascade *c = k->c;
    char name[64];
    for (int x = 0; x < c->size[t]; x++) {
        at_var sum = at_const(k->P, 0);
        snprintf(name, sizeof name, "reset%d_%d", t + 1, x);
        for (int node = 0; node < c->nodes; node++) {
            bool set[AT_LETTERS_MAX], any = false;
            for (int a = 0; a < c->letters && c->depth[node] == t; a++)
                any |= set[a] = c->reset[node * c->letters + a] == x;
            if (c->depth[node] == t && any)
                sum = at_add(k->P, sum, row_is(k, name, node, set));
        }
        to[x] = at_known(k->P, name, sum, 0, 1, true, -1); /* rows exclude each other */
    }
}

static at_status level_make(cascade *k, int t, at_err *err)
{
    const at_cascade *c = k->c;
    at_program *P = k->P;
    char name[64];
    at_var *to = at_new(&k->arena, at_var, c->size[t]);
    k->is[t] = at_new(&k->arena, at_var, c->size[t]);
    if (!to || !k->is[t])
        return at_oom(err);
    resets_make(k, t, to);
    snprintf(name, sizeof name, "last reset of level %d", t + 1);
    at_program_label(P, name);
    snprintf(name, sizeof name, "level%d", t + 1);
    at_var last = at_attend(P, name,
                            &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                            .key = AT_VEC(at_sum(P, name, (at_vec){c->size[t], to}, NULL, 0)),
                                            .value = {c->size[t], to},
                                            .weighting = AT_RIGHTMOST_HARD,
                                            .mask = k->mask,
                                            .gap = 1});
    at_program_label(P, NULL);
    at_var none = at_const(P, 1);
    for (int x = 0; x < c->size[t]; x++)
        none = at_sub(P, none, last + x);
    for (int x = 0; x < c->size[t]; x++) {
        at_var v = x == c->initial[t] ? at_add(P, last + x, none) : last + x;
        snprintf(name, sizeof name, "c%d_%d", t + 1, x);
        v = at_known(P, name, v, 0, 1, true, -1);
        /* with cos and sin numbers are rounded: each level makes 0 and 1 of them again, or the bound on errors grows by a large
         * factor a level */
        k->is[t][x] = k->circle && k->m > 1 ? at_at_least(P, name, v, 1) : v;
    }
    return AT_OK;
}

/* [i mod period = r], r = 0 .. m-1: a boolean each. */
static at_status residues_make(cascade *k, int N, at_var *out, at_err *err)
{
    at_program *P = k->P;
    int T = N + 1, columns = k->circle ? 2 : k->m, p = k->period;
    double *rows = at_new(&k->arena, double, (size_t)T *(size_t)columns);
    char name[64];
    if (!rows)
        return at_oom(err);
    for (int i = 0; i < T; i++)
        for (int r = 0; r < columns; r++)
            rows[i * columns + r] = !k->circle ? i % p == r
                                    : r        ? at_sin(2 * M_PI * (i % p) / p)
                                               : at_cos(2 * M_PI * (i % p) / p);
    at_var at = at_position_rows(P, k->circle ? "circle" : "residue", columns, rows);
    double c = at_cos(2 * M_PI / p), third = (1 - c) / 3;
    for (int r = 0; r < k->m; r++) {
        snprintf(name, sizeof name, "i_is_%d", r);
        double turn[2] = {at_cos(2 * M_PI * r / p), at_sin(2 * M_PI * r / p)};
        if (k->circle) {
            at_var near = at_sum(P, name, AT_VEC(at, at + 1), turn, 0);
            out[r] = at_known(P, name, at_ramp(P, name, near, c + third, 1 - third), 0, 1, true, -1);
        } else
            out[r] = at + r;
    }
    return AT_OK;
}

/* The letters, one-hot; with positions a unit a letter and residue. */
static at_status letters_make(cascade *k, int N, at_err *err)
{
    at_program *P = k->P;
    int L = k->c->letters / k->m;
    char name[64];
    at_var x = at_token(P, "letter", L);
    at_var *residue = at_new(&k->arena, at_var, k->m);
    k->letter = at_new(&k->arena, at_var, k->c->letters);
    if (!k->letter || !residue)
        return at_oom(err);
    at_status s = k->m > 1 ? residues_make(k, N, residue, err) : AT_OK;
    for (int a = 0; a < L && !s; a++) {
        double table[AT_LETTERS_MAX] = {0};
        table[a] = 1;
        snprintf(name, sizeof name, "is_%d", a);
        at_var is = at_lookup(P, name, x, table);
        if (k->m == 1)
            k->letter[a] = is;
        for (int r = 0; r < k->m && k->m > 1; r++) {
            snprintf(name, sizeof name, "is_%d_at_%d", a, r);
            k->letter[a * k->m + r] = at_and(P, name, is, residue[r]);
        }
    }
    return s;
}

static at_status cascade_make(cascade *k, int N, at_err *err)
{
    const at_cascade *c = k->c;
    at_program *P = k->P;
    at_suffix(P, 1);
    at_program_lengths(P, 0);
    at_status s = letters_make(k, N, err);
    if (!s && !(k->is = at_new(&k->arena, at_var *, c->levels + 1)))
        s = at_oom(err);
    for (int t = 0; t < c->levels && !s; t++)
        s = level_make(k, t, err);
    at_var yes = at_const(P, 0);
    for (int node = 0; node < c->nodes && !s; node++)
        if (c->depth[node] == c->levels && k->d->accept[c->state[node]])
            yes = at_add(P, yes, c->levels ? row_is(k, "accepts", node, NULL) : at_const(P, 1));
    if (!s)
        at_emit_last(P, AT_VEC(yes), AT_READ_THRESHOLD, 0.5);
    return s;
}

at_status at_dfa_program(const at_place *place, int N, const at_dfa_options *o, at_program **out, at_err *err)
{
    at_cascade *c;
    at_place modular;
    cascade k = {.m = 1, .mask = {.kind = o && o->causal ? AT_MASK_CAUSAL : AT_MASK_STRICT}};
    at_arena_init(&k.arena);
    *out = NULL;
    at_status s = AT_OK;
    if (o && o->positions && place->star_free != AT_TRUE) {
        s = at_place_modular(place, &k.arena, &k.m, &modular, err);
        place = &modular;
    }
    if (!s) {
        k.d = place->least;
        k.period = k.m + (o ? o->off : 0);
        k.circle = o && o->circle;
        s = at_cascade_make(place->m, &k.arena, &c, err);
    }
    if (!s && c->levels > LEVELS)
        s = at_fail(err, AT_EBUDGET, "a cascade of %d levels; at most %d are compiled", c->levels, LEVELS);
    if (!s) {
        k.c = c;
        k.P = at_program_new(k.m > 1 ? "modular" : "cascade", N);
        s = k.P ? AT_OK : at_oom(err);
    }
    if (!s) {
        if (o && o->arith)
            at_program_arithmetic(k.P, *o->arith);
        s = cascade_make(&k, N, err);
    }
    if (!s)
        s = at_program_status(k.P, err);
    if (s)
        at_program_free(k.P);
    else
        *out = k.P;
    at_arena_release(&k.arena);
    return s;
}

at_status front_assemble(at_program *P, at_model *m, at_err *err)
{
    double off;
    at_status s = at_assemble(P, m, &off, err);
    at_program_free(P);
    if (s || off < 0.5)
        return s;
    char name[sizeof m->name];
    memcpy(name, m->name, sizeof name);
    at_model_release(m);
    return at_fail(
        err, AT_EDOMAIN,
        "program %s: its output has an error of up to %.3g in the arithmetic that it is for, and is told "
        "apart from another below 1/2",
        name, off);
}

at_status front_words_assemble(at_program *P, const at_alphabet *sigma, at_model *m, at_err *err)
{
    at_status s = front_assemble(P, m, err);
    return s ? s : at_model_letters(m, sigma, err);
}

at_status at_dfa_model(const at_place *place, int N, const at_dfa_options *o, at_model *m, at_err *err)
{
    at_program *P;
    at_status s = at_dfa_program(place, N, o, &P, err);
    return s ? s : front_words_assemble(P, &place->least->sigma, m, err);
}

/* ---- regular expressions and automata as front ends ------------------------------------------------------------------------------------ */

enum { HARD, SHORTCUT, SOLVABLE };
static const char *const kinds[] = {"rightmost-hard", "shortcut", "solvable", NULL};

static at_status not_hard(const at_recogniser *w, const at_place *p, at_err *err)
{
    const char *other = at_place_compiler(p) == AT_COMPILER_SOLVABLE
                            ? "--attention solvable compiles it, at constant depth"
                            : "--attention shortcut compiles any automaton, in log2 N layers";
    if (p->monoid < 0)
        return at_fail(
            err, AT_EBUDGET,
            "the monoid of %.100s has more than %d elements: whether it is star-free is not known; %s",
            w->text, AT_MONOID_MAX, other);
    at_text t;
    at_text_init(&t);
    at_alphabet_print(&w->sigma, p->witness, p->n_witness, &t);
    at_status s =
        at_fail(err, AT_EREFUSED,
                "%.100s is not star-free, nor with positions modulo a number, so hard attention cannot: "
                "the powers of %.60s repeat with period %d; %s",
                w->text, t.oom ? "?" : t.s, p->period, other);
    at_text_release(&t);
    return s;
}

at_dfa_compiler at_place_compiler(const at_place *p)
{
    return p->star_free == AT_TRUE        ? AT_COMPILER_FO
           : p->fo_mod == AT_TRUE         ? AT_COMPILER_FO_MOD
           : !at_solvable_serves(p, NULL) ? AT_COMPILER_SOLVABLE
                                          : AT_COMPILER_SHORTCUT;
}

const char *const at_dfa_compilers[][2] = {
    [AT_COMPILER_FO] = {"fo", "a cascade of resets, rightmost-hard, without positions"},
    [AT_COMPILER_FO_MOD] = {"fo-mod", "a cascade of resets, rightmost-hard, with positions modulo a number"},
    [AT_COMPILER_SOLVABLE] = {"automaton-solvable",
                              "on demand (--attention solvable): softmax, constant depth"},
    [AT_COMPILER_SHORTCUT] = {"automaton-shortcut",
                              "on demand (--attention shortcut): softmax, log2 N layers"},
};

static int length_of(const at_params *p)
{
    int N = at_params_int(p, "N");
    return N < 1 ? 1 : N; /* a model of the empty word takes one letter, too */
}

static at_status regular_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    const at_recogniser *w = at_recogniser_of(p->of);
    at_arena arena;
    at_arena_init(&arena);
    at_place place;
    at_status s = at_place_find(w->dfa, &arena, &place, err);
    int kind = (int)o->attention, N = length_of(p);
    if (!s && kind == HARD && at_place_compiler(&place) >= AT_COMPILER_SOLVABLE)
        s = not_hard(w, &place, err);
    if (!s)
        s = kind == HARD
                ? at_dfa_model(&place, N, &(at_dfa_options){.arith = o->arith, .positions = true}, m, err)
            : kind == SOLVABLE
                ? at_solvable_model(&place, N, &(at_solvable_options){.arith = o->arith}, m, err)
                : at_shortcut_model(&place, N, &(at_shortcut_options){.arith = o->arith}, m, err);
    at_arena_release(&arena);
    if (s)
        return s;
    const at_problem *of = p->of;
    s = at_problem_remember(of->id, of->digest, p, m, err);
    if (s)
        at_model_release(m);
    return s;
}

/* Where it lies, and what compiles it. */
static at_status place_say(const at_problem *p, int kind, at_said *said, at_err *err)
{
    at_arena arena;
    at_arena_init(&arena);
    at_place place;
    at_status s = at_place_find(at_recogniser_of(p)->dfa, &arena, &place, err);
    if (!s) {
        at_dfa_compiler c = kind == SHORTCUT   ? AT_COMPILER_SHORTCUT
                            : kind == SOLVABLE ? AT_COMPILER_SOLVABLE
                                               : at_place_compiler(&place);
        at_fact_number(said, "states", place.states);
        if (place.monoid < 0)
            at_fact_bool(said, "monoid", AT_UNKNOWN);
        else
            at_fact_number(said, "monoid", place.monoid);
        at_fact_bool(said, "star_free", place.star_free);
        at_fact_bool(said, "fo_mod", place.fo_mod);
        at_fact_bool(said, "solvable", place.solvable);
        at_fact_text(said, "compiler", at_dfa_compilers[c][0]);
        at_text_addf(&said->lines, "%d state%s, ", place.states, place.states == 1 ? "" : "s");
        if (place.monoid < 0)
            at_text_add(&said->lines, "a monoid of more than 20,000 elements");
        else
            at_text_addf(&said->lines, "a monoid of %d element%s", place.monoid,
                         place.monoid == 1 ? "" : "s");
        at_text_addf(&said->lines, "; compiled by claim %s, %s\n", at_dfa_compilers[c][0],
                     at_dfa_compilers[c][1]);
    }
    at_arena_release(&arena);
    return s;
}

static at_status regular_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                                 at_said *said, at_err *err)
{
    at_status s = front_problem_compile(r, set, o, m, said, err);
    if (!s && (s = place_say(r->problem, (int)o->attention, said, err)))
        at_model_release(m);
    return s;
}

static at_status regular_show(const at_reading *r, const char *set, const at_show_options *o, at_said *said,
                              at_err *err)
{
    at_status s = front_problem_show(r, set, o, said, err);
    said->of = NULL;
    at_text_add(&said->lines, "  ");
    return s ? s : place_say(r->problem, HARD, said, err);
}

#define HOW                                                                                                  \
    .about = "hard attention where it can; constant depth where groups are solvable, or log2 N layers",      \
    .kinds = kinds, .model = regular_model, .compile = regular_compile, .show = regular_show
const at_front at_front_regex = {.lang = &at_lang_regex, HOW};
const at_front at_front_dfa = {.lang = &at_lang_dfa, HOW};
const at_front at_front_jff = {.lang = &at_lang_jff, HOW};
const at_front at_front_dot = {.lang = &at_lang_dot, HOW};
const at_front at_front_gv = {.lang = &at_lang_gv, HOW};
