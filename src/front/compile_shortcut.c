/* compile_shortcut.c: any automaton in ceil(log2 N) layers.
 *
 * CLAIM automaton-shortcut. Words of at most N letters are recognised by R = ceil(log2 N) layers of one head each.
 * 1. A hidden position 0 before the word holds the identity, position i the map of its letter.
 * 2. Round r = 0, ..., R-1: position i fetches what position max(0, i - 2^r) holds, by the score 2tj - j^2, which is largest at
 *    j = t with gap 1, and composes it with its own. If each held the map of its last 2^r letters (of all, where there are
 *    fewer), each now holds that of the last 2^(r+1): both parts lie side by side, and the identity adds nothing.
 * 3. After R rounds the last position holds the map of the whole word; the state that it takes the start to decides. The empty
 *    word is position 0 itself.
 * A map is written as bits: [x goes to y] for all pairs of states, composed by two units a triple of states; or, where that
 * is less, as one bit an element of the monoid, by two units a pair of elements. */
#include "front_internal.h"

#include <stdio.h>
#include <string.h>

enum { PAIRS_MAX = 1 << 16 }; /* that a round composes */

typedef struct {
    int first, second; /* bits: of the earlier map, of the later one */
    int to;            /* the bit that both make */
} pair;

typedef struct {
    const at_place *place;
    at_arena arena;
    int bits;
    int n;
    pair *pair;     /* (n) */
    double *letter; /* (letters, bits) */
    bool *one;      /* (bits) the identity */
    bool *accepts;  /* (bits) */
} maps;

static at_status maps_room(maps *w, int bits, int n, at_err *err)
{
    w->bits = bits;
    w->pair = at_new(&w->arena, pair, n);
    w->letter = at_new(&w->arena, double, (size_t)bits *(size_t)w->place->least->sigma.n);
    w->one = at_new(&w->arena, bool, bits);
    w->accepts = at_new(&w->arena, bool, bits);
    return w->pair && w->letter && w->one && w->accepts ? AT_OK : at_oom(err);
}

/* Bit x Q + y: x goes to y. */
static at_status by_states(maps *w, at_err *err)
{
    const at_dfa *d = w->place->least;
    int Q = d->states, L = d->sigma.n;
    at_status s = maps_room(w, Q * Q, Q * Q * Q, err);
    for (int x = 0; x < Q && !s; x++) {
        w->one[x * Q + x] = true;
        for (int y = 0; y < Q; y++) {
            w->accepts[x * Q + y] = x == d->start && d->accept[y];
            for (int z = 0; z < Q; z++)
                w->pair[w->n++] = (pair){x * Q + z, z * Q + y, x * Q + y};
        }
        for (int a = 0; a < L; a++)
            w->letter[a * w->bits + x * Q + d->to[x * L + a]] = 1;
    }
    return s;
}

/* Bit f: the map is element f. */
static at_status by_elements(maps *w, at_err *err)
{
    const at_monoid *m = w->place->m;
    const at_dfa *d = w->place->least;
    at_status s = maps_room(w, m->n, m->n * m->n, err);
    for (int f = 0; f < m->n && !s; f++) {
        w->accepts[f] = d->accept[m->image[(size_t)f * (size_t)d->states + (size_t)d->start]];
        for (int g = 0; g < m->n; g++)
            w->pair[w->n++] = (pair){f, g, at_monoid_times(m, f, g)};
    }
    if (!s)
        w->one[0] = true;
    for (int a = 0; a < d->sigma.n && !s; a++)
        w->letter[a * w->bits + m->right[a]] = 1;
    return s;
}

static at_status maps_make(maps *w, at_err *err)
{
    int64_t Q = w->place->states, M = w->place->m ? w->place->monoid : INT32_MAX;
    bool elements = M * M <= Q * Q * Q;
    if ((elements ? M * M : Q * Q * Q) > PAIRS_MAX)
        return at_fail(
            err, AT_EBUDGET,
            "an automaton of %d states: maps of at most 40 states, or of 256 elements, are composed",
            w->place->states);
    return elements ? by_elements(w, err) : by_states(w, err);
}

static int rounds_of(int N)
{
    int R = 0;
    while (1 << R < N)
        R++;
    return R;
}

/* Columns r: max(0, i - 2^r), i = 0 .. N. */
static at_var targets_make(at_program *P, int N, int R, at_arena *a)
{
    double *rows = at_new(a, double, (size_t)(N + 1) * (size_t)(R + 1));
    if (!rows)
        return at_program_oom(P), -1;
    for (int i = 0; i <= N; i++)
        for (int r = 0; r < R; r++)
            rows[i * R + r] = i > 1 << r ? i - (1 << r) : 0;
    return at_position_rows(P, "target", R, rows);
}

static void names_of(char out[64], const char *what, int r, int k)
{
    snprintf(out, 64, "%s%d_%d", what, r + 1, k);
}

/* The maps after round r: `to` from `f`, those of the letters so far. last: only whether one of them accepts, in to[0]. */
static void round_make(at_program *P, const maps *w, int r, bool last, const at_vec *copy, const at_var *f,
                       const at_shortcut_options *o, at_var *to)
{
    char name[64];
    names_of(name, "earlier", r, 0);
    at_var back = at_attend(P, name,
                            &(at_attention){.query = {2, copy[0].v},
                                            .key = {2, copy[1].v},
                                            .value = {w->bits, f},
                                            .weighting = o && o->hard ? AT_RIGHTMOST_HARD : AT_SOFTMAX,
                                            .mask = {.kind = AT_MASK_CAUSAL},
                                            .gap = 1,
                                            .unique = true,
                                            .most = 1});
    for (int k = 0; k < (last ? 1 : w->bits); k++)
        to[k] = at_const(P, 0);
    for (int k = 0; k < w->n; k++) {
        const pair *p = &w->pair[k];
        if (last && !w->accepts[p->to])
            continue;
        names_of(name, "both", r, k);
        at_var both = at_at_least(P, name, at_add(P, back + p->first, f[p->second]), 2);
        at_var *sum = &to[last ? 0 : p->to];
        *sum = at_add(P, *sum, both);
    }
    for (int k = 0; k < (last ? 1 : w->bits); k++) {
        names_of(name, "map", r, k);
        to[k] = at_known(P, name, to[k], 0, 1, true, -1); /* a map is one map */
    }
}

static at_status shortcut_make(at_program *P, maps *w, int N, const at_shortcut_options *o, at_err *err)
{
    int R = rounds_of(N) - (o ? o->fewer : 0), B = w->bits;
    at_var *f = at_new(&w->arena, at_var, B), *to = at_new(&w->arena, at_var, B);
    if (!f || !to)
        return at_oom(err);
    if (R < 0)
        return at_fail(err, AT_EDOMAIN, "%d rounds fewer than none", -R);
    at_prefix(P, 1);
    at_origin(P, 0);
    at_program_lengths(P, 0);
    at_var x = at_token(P, "letter", w->place->least->sigma.n);
    at_var first = at_lookup_rows(P, "map", x, B, w->letter);
    for (int k = 0; k < B; k++) {
        f[k] = first + k;
        at_hidden_prefix(P, f[k], 0, w->one[k]);
    }
    at_var here = at_position(P, "here", AT_POS_I), here2 = at_position(P, "here^2", AT_POS_I2);
    at_var target = R ? targets_make(P, N, R, &w->arena) : -1;
    at_var yes = at_const(P, 0);
    for (int k = 0; k < B && !R; k++)
        yes = w->accepts[k] ? at_add(P, yes, f[k]) : yes;
    for (int r = 0; r < R; r++) {
        at_var query[] = {at_scaled(P, 2, target + r), at_const(P, -1)}, key[] = {here, here2};
        const at_vec copy[] = {{2, query}, {2, key}};
        round_make(P, w, r, r == R - 1, copy, f, o, to);
        yes = to[0];
        memcpy(f, to, (size_t)B * sizeof *f);
    }
    at_emit_last(P, AT_VEC(yes), AT_READ_THRESHOLD, 0.5);
    return AT_OK;
}

at_status at_shortcut_program(const at_place *place, int N, const at_shortcut_options *o, at_program **out,
                              at_err *err)
{
    maps w = {.place = place};
    at_arena_init(&w.arena);
    *out = NULL;
    at_program *P = NULL;
    at_status s = maps_make(&w, err);
    if (!s && !(P = at_program_new("shortcut", N)))
        s = at_oom(err);
    if (!s && o && o->arith)
        at_program_arithmetic(P, *o->arith);
    if (!s)
        s = shortcut_make(P, &w, N, o, err);
    if (!s)
        s = at_program_status(P, err);
    if (s)
        at_program_free(P);
    else
        *out = P;
    at_arena_release(&w.arena);
    return s;
}

at_status at_shortcut_model(const at_place *place, int N, const at_shortcut_options *o, at_model *m,
                            at_err *err)
{
    at_program *P;
    at_status s = at_shortcut_program(place, N, o, &P, err);
    return s ? s : front_words_assemble(P, &place->least->sigma, m, err);
}
