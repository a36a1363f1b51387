/* copy.c: COPY, the step of all constructions: fetch what stands at a given position.
 *
 * Standard attention (lemma A.11 by index): the score 2 t k - k^2 = t^2 - (t - k)^2 is largest at position k = t, with
 * gap 1. Targets among the last W positions need no more under the block-sparse mask (window).
 *
 * For the others positions are cut into blocks of W, and a row puts its values into slot (i-1) mod W of W slots: width
 * grows like W, that is their price. There are ceil(L/W) blocks; W = ceil(sqrt(L)) makes both numbers small.
 *
 * Linear attention (AGG, lemma A.9):
 *   1. The one-hot vector of the target's block averages over the rows of that block up to here: in each slot
 *      one row of `count` is not zero, so the average is value/count.
 *   2. The target's slot is selected, and multiplied by count = min(W, here - W block): one selection for each
 *      possible count, since both factors vary.
 *
 * Block-sparse attention (lemma A.12): a row sees the last W rows and the last row of every block.
 *   1. The average over the rows of the own block, by the score -(block_j - block_i)^2; at a block's last row
 *      these are all W, and W times the average holds the whole block, slot by slot.
 *   2. A target among the last W rows is copied by index; an earlier one from the last row of its block, which is
 *      seen, taking the target's slot. */
#include <attest/program.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Values that copies fetch, in slots: made once for each vector of values, shared by all copies of it. */
typedef struct {
    at_var of;     /* the first of the values */
    at_var *slot;  /* (n, S) value v in slot k where k is this position's slot, else 0 */
    at_var *block; /* sparse: (n, S) at block ends, what the slots of the whole block hold; NULL before use */
} slotting;
#define SLOTTINGS 4

/* here, here2: the 1-based position and its square. */
struct at_copier {
    at_program *P;
    at_var here, here2;
    at_copying how;
    int W, S, blocks;  /* positions and slots of a block, number of blocks */
    int serial;        /* for names */
    bool prepared;     /* linear and sparse: the rest is made at the first copy */
    at_var block;      /* this position's block, 0-based */
    at_var *key_block; /* (blocks) one-hot of it */
    at_var *key_slot;  /* (S) one-hot of this position's slot */
    slotting kept[SLOTTINGS];
    int n_kept;
    at_arena arena;
};

static const char *fresh(at_copier *c, char out[32])
{
    snprintf(out, 32, "c%d", c->serial++);
    return out;
}

at_copier *at_copier_new(at_program *P, const at_copying *how)
{
    at_copier *c = at_calloc(1, sizeof *c);
    if (!c) {
        at_program_oom(P);
        return NULL;
    }
    int W = how->block ? how->block : (int)ceil(sqrt(how->length));
    *c = (at_copier){.P = P,
                     .how = *how,
                     .W = W,
                     .S = how->slots ? how->slots : W,
                     .blocks = how->blocks ? how->blocks : (how->length - 1) / W + 1,
                     .here = at_position(P, "here", AT_POS_I),
                     .here2 = at_position(P, "here^2", AT_POS_I2)};
    at_arena_init(&c->arena);
    return c;
}

void at_copier_free(at_copier *c)
{
    if (!c)
        return;
    at_arena_release(&c->arena);
    at_free(c);
}

static at_var zero(at_copier *c)
{
    return at_const(c->P, 0);
}

/* By index: what stands at position `target` among the keys that the mask shows. */
static at_var by_index(at_copier *c, const char *name, at_var target, at_vec values, at_mask mask,
                       double error)
{
    at_program *P = c->P;
    return at_attend(P, name,
                     &(at_attention){.query = AT_VEC(at_scaled(P, 2, target), at_const(P, 1)),
                                     .key = AT_VEC(c->here, at_neg(P, c->here2)),
                                     .value = values,
                                     .weighting = AT_SOFTMAX,
                                     .mask = mask,
                                     .gap = 1,
                                     .scale = c->how.scale,
                                     .error = error,
                                     .unique = true,
                                     .most = 1});
}

/* What steers another copy must be nearly exact: its error is multiplied by positions before it meets a gap of 1. */
#define STEERING 0x1p-44

static double error_of(const at_copier *c, bool steers, double usual)
{
    return steers ? STEERING : c->how.error > 0 ? c->how.error : usual;
}

at_var at_copy_standard(at_copier *c, const char *name, at_var target, at_vec values, bool steers)
{
    at_mask mask = {.kind = AT_MASK_CAUSAL};
    return c ? by_index(c, name, target, values, mask, error_of(c, steers, 0)) : -1;
}

/* A square finds positions, whose scores it reaches multiplied by L: so the more exact the longer. */
at_var at_copy_square(at_copier *c, const char *name, at_var x)
{
    char own[32];
    if (!c)
        return -1;
    double hi = fmax(at_program_var(c->P, x).hi, 1);
    at_mask mask = {.kind = AT_MASK_CAUSAL};
    at_var square = by_index(c, name, x, AT_VEC(c->here2), mask, error_of(c, false, 0x1p-30 / c->how.length));
    return at_known(c->P, fresh(c, own), square, 1, hi * hi, true, -1);
}

/* The mask shows the last W rows and block ends. A target before them (a dependency that is absent) is moved to the
 * first of them, so that one key only is the nearest. */
at_var at_copy_window(at_copier *c, const char *name, at_var target, at_vec values, bool steers)
{
    char own[32];
    if (!c)
        return -1;
    at_mask mask = {.kind = AT_MASK_BLOCK_SPARSE, .block = c->W, .windows = 1, .ends = 1};
    at_var later = at_sum(c->P, NULL, AT_VEC(target), NULL, c->W - 1);
    at_var most =
        at_max2(c->P, fresh(c, own), c->here, later); /* of numbers >= 1: one unit carries it, at any size */
    at_var seen = at_sum(c->P, NULL, AT_VEC(most), NULL, 1 - c->W);
    return by_index(c, name, seen, values, mask, error_of(c, steers, 0));
}

/* ---- blocks and slots ------------------------------------------------------------------------------------- */

/* Block and slot (0-based) of a 1-based position. */
static void block_and_slot(at_copier *c, at_var position, at_var *block, at_var *slot)
{
    char name[32];
    at_var from0 = at_sum(c->P, NULL, AT_VEC(position), NULL, -1);
    *block = at_floor_div(c->P, fresh(c, name), from0, c->W);
    *slot = at_sum(c->P, NULL, AT_VEC(from0, *block), (double[]){1, -c->W}, 0);
}

static at_var *room(at_copier *c, int n)
{
    at_var *v = at_new(&c->arena, at_var, n);
    if (!v)
        at_program_oom(c->P);
    return v;
}

static at_var *one_hot(at_copier *c, at_var x, int n)
{
    char name[32];
    at_var *out = room(c, n);
    for (int k = 0; out && k < n; k++)
        out[k] = at_equals(c->P, fresh(c, name), x, k);
    return out;
}

static bool blocks_prepare(at_copier *c)
{
    if (c->prepared)
        return c->key_block && c->key_slot;
    at_var slot;
    c->prepared = true;
    block_and_slot(c, c->here, &c->block, &slot);
    c->key_block = one_hot(c, c->block, c->blocks);
    c->key_slot = one_hot(c, slot, c->S);
    return c->key_block && c->key_slot;
}

/* The slots of a vector of values. */
static slotting *slots_of(at_copier *c, at_vec values)
{
    char name[32];
    for (int k = 0; k < c->n_kept; k++)
        if (c->kept[k].of == values.v[0])
            return &c->kept[k];
    if (c->n_kept == SLOTTINGS)
        return at_program_fail(c->P, "copies of more than %d kinds of values", SLOTTINGS), NULL;
    slotting *s = &c->kept[c->n_kept++];
    *s = (slotting){.of = values.v[0], .slot = room(c, values.n * c->S)};
    for (int v = 0; s->slot && v < values.n; v++)
        for (int k = 0; k < c->S; k++)
            s->slot[v * c->S + k] = at_select(c->P, fresh(c, name), c->key_slot[k], values.v[v], zero(c));
    return s->slot ? s : NULL;
}

/* The one of S variables from `first` on whose slot is picked; each lies in `factor` times the range of `like`. */
static at_var slot_pick(at_copier *c, const at_var *pick, at_var first, at_var like, double factor)
{
    char name[32];
    at_var *terms = room(c, c->S);
    if (!terms || first < 0)
        return -1;
    for (int k = 0; k < c->S; k++)
        terms[k] = at_select(c->P, fresh(c, name), pick[k], first + k, zero(c));
    at_var_info i = at_program_var(c->P, like);
    at_var sum = at_sum(c->P, NULL, (at_vec){c->S, terms}, NULL, 0);
    return at_known(c->P, fresh(c, name), sum, factor * fmin(i.lo, 0), factor * fmax(i.hi, 0), false, -1);
}

/* Consecutive variables, one a value. Integers: in the value's range, and where the target exists integers again;
 * elsewhere (a dependency that is absent, a row of the prompt) something that nobody reads, but in range, since
 * selections rely on that. Reals: as they came, so that they stay linear in the values. */
static at_var results(at_copier *c, at_vec values, at_var target, const at_var *x)
{
    char name[32];
    at_program *P = c->P;
    at_var *in = room(c, values.n), first = -1;
    at_var exists = at_and(P, fresh(c, name), at_at_least(P, "from1", target, 1),
                           at_at_least(P, "seen", at_sub(P, c->here, target), 0));
    for (int v = 0; in && v < values.n; v++) {
        at_var_info i = at_program_var(P, values.v[v]);
        in[v] = x[v];
        if (!i.integer)
            continue;
        at_var low = at_max2(P, fresh(c, name), x[v], at_const(P, fmin(i.lo, 0)));
        in[v] = at_min2(P, fresh(c, name), low, at_const(P, fmax(i.hi, 0)));
    }
    for (int v = 0; in && v < values.n; v++) {
        at_var_info i = at_program_var(P, values.v[v]), j = at_program_var(P, in[v]);
        double lo = i.integer ? fmin(i.lo, 0) : j.lo, hi = i.integer ? fmax(i.hi, 0) : j.hi;
        at_var out = at_known(P, fresh(c, name), in[v], lo, hi, i.integer, exists);
        first = v == 0 ? out : first;
    }
    return first;
}

/* ---- linear --------------------------------------------------------------------------------------------------- */

/* x * count for count in 1..W: one of W selections is not 0. */
static at_var times_count(at_copier *c, at_var x, const at_var *is_count)
{
    char name[32];
    at_var *terms = room(c, c->W);
    for (int k = 0; terms && k < c->W; k++)
        terms[k] = at_select(c->P, fresh(c, name), is_count[k], at_scaled(c->P, k + 1, x), zero(c));
    return terms ? at_sum(c->P, NULL, (at_vec){c->W, terms}, NULL, 0) : -1;
}

at_var at_copy_linear(at_copier *c, const char *name, at_var target, at_vec values, bool steers)
{
    (void)steers; /* results are integers again */
    char own[32];
    slotting *s = c && blocks_prepare(c) ? slots_of(c, values) : NULL;
    if (!s)
        return -1;
    at_program *P = c->P;
    int W = c->W, S = c->S, n = values.n;
    at_var block, slot;
    block_and_slot(c, target, &block, &slot);
    at_var *query = one_hot(c, block, c->blocks), *pick = one_hot(c, slot, S), *is_count = room(c, W),
           *out = room(c, n);
    if (!query || !pick || !is_count || !out)
        return -1;
    at_var mean = at_attend(P, name, /* step 1; W times its error must stay small */
                            &(at_attention){.query = {c->blocks, query},
                                            .key = {c->blocks, c->key_block},
                                            .value = {S * n, s->slot},
                                            .weighting = AT_LINEAR,
                                            .mask = {.kind = AT_MASK_CAUSAL},
                                            .gap = 1,
                                            .most = W,
                                            .error = error_of(c, false, 0x1p-30) / W});
    at_var rest = at_sum(P, NULL, AT_VEC(c->here, block), (double[]){1, -W}, 0); /* step 2 */
    at_var count = at_min2(P, fresh(c, own), rest, at_const(P, W));
    for (int k = 0; k < W; k++)
        is_count[k] = at_equals(P, fresh(c, own), count, k + 1);
    for (int v = 0; v < n && mean >= 0; v++)
        out[v] = times_count(c, slot_pick(c, pick, mean + v * S, values.v[v], 1), is_count);
    return mean < 0 ? -1 : results(c, values, target, out);
}

/* ---- block-sparse --------------------------------------------------------------------------------------------- */

/* Step 1: W times the average over the own block, (n, S) variables. */
static at_var *block_of(at_copier *c, slotting *s, int n, at_mask mask)
{
    char own[32];
    at_program *P = c->P;
    int W = c->W, S = c->S;
    if (s->block)
        return s->block;
    at_var_info b = at_program_var(P, c->block);
    double *square = at_new(&c->arena, double, (size_t)(b.hi - b.lo) + 1);
    s->block = room(c, n * S);
    if (!square || !s->block)
        return at_program_oom(P), NULL;
    for (double v = b.lo; v <= b.hi; v++)
        square[(int)(v - b.lo)] = v * v;
    at_var block2 = at_table(P, fresh(c, own), c->block, square);
    at_var mean = at_attend(P, fresh(c, own),
                            &(at_attention){.query = AT_VEC(at_scaled(P, c->how.uniform ? 0 : 2, c->block),
                                                            at_const(P, !c->how.uniform)),
                                            .key = AT_VEC(c->block, at_neg(P, block2)),
                                            .value = {n * S, s->slot},
                                            .weighting = AT_SOFTMAX,
                                            .mask = mask,
                                            .gap = 1,
                                            .most = c->how.uniform ? 0 : W,
                                            .error = (c->how.error > 0 ? c->how.error / 2 : STEERING) / W});
    for (int k = 0; k < n * S && mean >= 0; k++)
        s->block[k] = at_scaled(P, W, mean + k);
    return mean < 0 ? NULL : s->block;
}

at_var at_copy_sparse(at_copier *c, const char *name, at_var target, at_vec values, bool steers)
{
    char own[32];
    slotting *s = c && blocks_prepare(c) ? slots_of(c, values) : NULL;
    if (!s)
        return -1;
    at_program *P = c->P;
    int W = c->W, S = c->S, n = values.n;
    at_mask mask = {.kind = AT_MASK_BLOCK_SPARSE, .block = W, .windows = 1, .ends = 1};
    at_var *block = block_of(c, s, n, mask);
    at_var *all = block ? room(c, n * (S + 1)) : NULL, *out = all ? room(c, n) : NULL;
    if (!out)
        return -1;
    at_var at, slot;
    block_and_slot(c, target, &at, &slot);
    at_var *pick = one_hot(c, slot, S);
    if (!pick)
        return -1;
    /* Step 2. Within the last W rows: directly; else the last row of its block, at W (block + 1). */
    at_var recent =
        c->how.ends ? at_const(P, 0) : at_at_least(P, fresh(c, own), at_sub(P, target, c->here), 1 - W);
    at_var end = at_sum(P, NULL, AT_VEC(at), (double[]){W}, W);
    at_var where = at_select(P, fresh(c, own), recent, target, end);
    for (int v = 0; v < n; v++) {
        all[v] = values.v[v];
        memcpy(all + n + v * S, block + v * S, (size_t)S * sizeof *all);
    }
    /* picking sums S slots, so S of these errors must stay far below 1/2 */
    double error = error_of(c, steers, fmin(0x1p-7, 0x1p-3 / S));
    at_var got = by_index(c, name, where, (at_vec){n * (S + 1), all}, mask, error);
    for (int v = 0; v < n && got >= 0; v++) {
        at_var far = slot_pick(c, pick, got + n + v * S, values.v[v], W);
        out[v] = at_select(P, fresh(c, own), recent, got + v, far);
    }
    return got < 0 ? -1 : results(c, values, target, out);
}
