/* refute_decoder.c: L layers, L functions: which inputs of player L stay unseen?
 *
 * Chen, Peng, Wu 2024 (Theorem 4.1): the prompt z_L, ..., z_1, z_0, w is held by players L, ..., -1. In the autoregressive
 * protocol of a strict-causal decoder, epoch l is attention layer l: player i learns, for each of its tokens, sums over the
 * tokens of players above it. R_{>=l} (inputs of players l..L) and Z_{<l} = Z_{-1} x ... x Z_{l-1} (Z_{-1} everything) are an
 * *indistinguishable decomposition* when for every z in Z_{<l} all members of R_{>=l} send the same messages to
 * players below l in epochs 1..l. With l = L and two members of R_{>=L} that differ at a point (w, i) that Z_{<L} can
 * reach, the answer at w is wrong for one of the two (Lemma 4.3). The proof builds them epoch by epoch (Lemma 4.4), by
 * pigeonhole over transcripts: here with the transcripts of one given decoder.
 *
 * What stands for the messages: the *view* of a player, the p-bit residual rows of its tokens after each attention layer
 * 1..l. Equal messages give equal views, since a view is computed from them and the player's own rows; and equal views in
 * layers 1..l of players below l are all that the proof's conclusion uses, since rows go on by functions of themselves. So
 * every decomposition in the sense of messages is one here, and one here refutes the decoder just as well.
 *
 * How. All prompts are run once; a run leaves one fingerprint a player and layer. Then
 *     level 2     for each Z_0, Z_1 (sets of one first): classes of A_L x ... x A_2 by the fingerprints of players -1..1 in
 *                 layers 1..2, for all z in Z_{<2} at once
 *     level l+1   for each Z_l: those z_{>=l+1} that with every z_l in Z_l are in the class of level l, in classes again
 * until l = L. At L = 2, m = n_1 = 2 that is every decomposition there is. decoder_recheck goes back to the definition.
 *
 * Pairs need less: one z_{<L}, and two z_L whose last rows, or readouts, are equal.
 *
 * Legend: players -1..L are 0..L+1 in arrays; A[i] inputs of one; below[l] = product of A over players below l, so that
 * prompt number k of the task has z_{<l} = k mod below[l] and z_{>=l} = k / below[l]. */
#include "decoder.h"
#include "refute_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROMPTS_MAX 131072
#define NODES_MAX   200000 /* classes that are looked into */
#define DOMAIN_MAX  8      /* n^n <= PROMPTS_MAX */

typedef struct {
    const at_subject *s;
    int L, N, prompts, layers;
    int A[DECODER_PLAYERS];                              /* inputs of a player */
    int below[DECODER_PLAYERS + 1];                      /* by player number (from 0) */
    int first[DECODER_PLAYERS], tokens[DECODER_PLAYERS]; /* positions of a player */
    int domain[DECODER_LEVELS];                          /* N_0..N_{L-1} */
    int block[DECODER_LEVELS + 1];                       /* attention blocks, in order */
    uint64_t *view;                                      /* (prompts, L+1 players, L layers): fingerprints */
    uint64_t *state, *value;                             /* (prompts): last position */
    int *target;                                         /* (prompts) */
    at_status *status;                                   /* (prompts / BATCH) */
    at_err *err;
    at_arena *a, scratch;
    int nodes, found; /* classes looked into; decompositions that were better than those before */
    decoder_study *out;
} study;

/* ---- sizes -------------------------------------------------------------------------------------------------- */

static int64_t power(int64_t base, int n)
{
    int64_t p = 1;
    while (n-- > 0 && p <= PROMPTS_MAX)
        p *= base;
    return p;
}

/* Fills in everything that follows from the task's parameters; false when there are too many prompts. */
static bool sizes_fill(study *t)
{
    static const char *const sides[DECODER_LEVELS] = {NULL, "n1", "n2", "n3", "n4", "n5"};
    const at_params *p = t->s->params;
    int64_t all = 1;
    t->L = at_params_int(p, "L");
    t->N = at_params_int(p, "N");
    t->domain[0] = at_params_int(p, "m");
    for (int l = 1; l < t->L; l++)
        t->domain[l] = t->domain[l - 1] * at_params_int(p, sides[l]);
    int at = t->N;
    for (int i = 0; i <= t->L + 1; i++) {
        t->tokens[i] = i < 2 ? 1 : t->domain[i - 2];
        t->first[i] = at -= t->tokens[i];
        int64_t n =
            i == 0 ? t->domain[t->L - 1] / t->domain[0] : power(t->domain[i < 2 ? 0 : i - 2], t->tokens[i]);
        t->below[i] = (int)all;
        if ((all *= n) > PROMPTS_MAX)
            return false;
        t->A[i] = (int)n;
    }
    t->below[t->L + 2] = t->prompts = (int)all;
    return true;
}

at_status decoder_fits(const at_subject *s, at_err *why)
{
    const at_model *m = s->m;
    study t = {.s = s};
    if (!s->task || strcmp(s->task->id, "funccomp"))
        return at_fail(why, AT_EREFUSED, "it knows inputs for funccomp only");
    if (s->arith.kind != AT_PBIT)
        return at_fail(why, AT_EREFUSED, "what a player sees is compared at p bits: choose p2..p53");
    if (at_params_int(s->params, "L") < 2)
        return at_fail(why, AT_EREFUSED, "L=1: decompositions begin with two functions");
    at_status taken = at_model_takes(m, AT_IN_ANALYSE, "what a player sees", why);
    if (taken)
        return taken;
    if (!sizes_fill(&t))
        return at_fail(why, AT_EREFUSED, "more than %d prompts: all are run, so the sizes must be smaller",
                       PROMPTS_MAX);
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *block = &m->blocks[b];
        if (block->kind != AT_BLOCK_ATTN && block->kind != AT_BLOCK_MLP)
            return at_fail(why, AT_EREFUSED, "block %d is of kind %s: only attention and mlp here", b,
                           at_block_names[block->kind]);
        t.layers += block->kind == AT_BLOCK_ATTN;
        for (int g = 0; block->kind == AT_BLOCK_ATTN && g < block->n_groups; g++)
            if (!(at_mask_parts[block->groups[g].mask.kind].in & AT_IN_TURNS))
                return at_fail(why, AT_EREFUSED,
                               "block %d, group %d has mask %s: only causal and strict here", b, g,
                               at_mask_names[block->groups[g].mask.kind]);
    }
    if (t.layers != t.L)
        return at_fail(why, AT_EREFUSED, "the model has %d attention layers; the theorem is about L = %d",
                       t.layers, t.L);
    if (m->n_suffix || !(m->readout.last || m->n_max == t.N))
        return at_fail(why, AT_EREFUSED, "the answer must stand at the last position");
    return AT_OK;
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

static uint64_t rows_hash(const double *x, size_t n, uint64_t seed)
{
    for (size_t k = 0; k < n; k++) {
        double v = x[k] + 0.0; /* -0 is 0 */
        seed = at_hash64(&v, sizeof v, seed);
    }
    return seed;
}

/* Residual rows of player i after attention block number l (from 1). */
static const double *player_rows(const study *t, const at_trace *trace, int i, int l, size_t *n)
{
    size_t D = (size_t)t->s->m->width;
    *n = (size_t)t->tokens[i] * D;
    return trace->state[t->block[l - 1] + 1] + (size_t)(t->first[i] + t->s->m->n_prefix) * D;
}

static at_status prompt_run(study *t, int k, at_arena *a, at_err *err)
{
    const at_subject *s = t->s;
    at_mark mark = at_arena_mark(a);
    double *x = at_new(a, double, t->N), y;
    at_trace trace;
    at_output out;
    size_t n = 0;
    if (!x)
        return at_oom(err);
    s->task->nth(s->params, AT_ENUM_SEQUENCES, (uint64_t)k, x);
    at_status st = at_task_answer(s->task, s->params, x, &y, err);
    if (!st)
        st = at_run(s->m, s->arith, &(at_input){t->N, x}, &trace, a, &out, err);
    if (!st) {
        t->target[k] = (int)y;
        for (int i = 0; i <= t->L; i++)
            for (int l = 1; l <= t->L; l++) {
                const double *rows = player_rows(t, &trace, i, l, &n);
                t->view[((size_t)k * (size_t)(t->L + 1) + (size_t)i) * (size_t)t->L + (size_t)(l - 1)] =
                    rows_hash(rows, n, 1);
            }
        const double *last =
            player_rows(t, &trace, 0, t->layers, &n); /* sets n: not in the call that reads it */
        t->state[k] = rows_hash(last, n, 2);
        t->value[k] = rows_hash(out.value + (size_t)(out.n - 1) * (size_t)out.rows, (size_t)out.rows, 3);
    }
    at_arena_reset(a, mark);
    return st;
}

enum { BATCH = 256 };

static void batch_run(void *ctx, size_t b, int worker)
{
    (void)worker;
    study *t = ctx;
    at_arena a;
    at_arena_init(&a);
    int end = (int)(b + 1) * BATCH < t->prompts ? (int)(b + 1) * BATCH : t->prompts;
    for (int k = (int)b * BATCH; k < end && !t->status[b]; k++)
        t->status[b] = prompt_run(t, k, &a, &t->err[b]);
    at_arena_release(&a);
}

static at_status prompts_run(study *t, int threads, at_err *err)
{
    size_t n = (size_t)t->prompts, batches = (n + BATCH - 1) / BATCH;
    t->view = at_new(t->a, uint64_t, n * (size_t)(t->L + 1) * (size_t)t->L);
    t->state = at_new(t->a, uint64_t, n);
    t->value = at_new(t->a, uint64_t, n);
    t->target = at_new(t->a, int, n);
    t->status = at_new(t->a, at_status, batches);
    t->err = at_new(t->a, at_err, batches);
    if (!t->view || !t->state || !t->value || !t->target || !t->status || !t->err)
        return at_oom(err);
    at_status st = at_parallel(threads, batches, batch_run, t, err);
    for (size_t b = 0; b < batches && !st; b++)
        if (t->status[b])
            st = at_fail(err, t->status[b], "%s", t->err[b].text);
    return st;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

/* What players -1..l-1 (numbers 0..l) see in layers 1..l of prompt k. */
static uint64_t level_view(const study *t, int k, int l)
{
    uint64_t h = 4;
    for (int i = 0; i <= l; i++)
        for (int e = 0; e < l; e++) {
            uint64_t v = t->view[((size_t)k * (size_t)(t->L + 1) + (size_t)i) * (size_t)t->L + (size_t)e];
            h = at_hash64(&v, sizeof v, h);
        }
    return h;
}

/* Two inputs of player L that differ in their targets and not in `kind`, with equal inputs of the others. */
static bool pair_find(study *t, decoder_likeness kind, int out[2])
{
    int others = t->below[t->L + 1], mine = t->A[t->L + 1];
    for (int z = 0; z < others; z++)
        for (int x = 0; x < mine; x++)
            for (int y = 0; y < x; y++) {
                int i = y * others + z, k = x * others + z;
                if (t->target[i] == t->target[k])
                    continue;
                bool equal = kind == DECODER_VALUE   ? t->value[i] == t->value[k]
                             : kind == DECODER_STATE ? t->state[i] == t->state[k]
                                                     : t->state[i] == t->state[k] &&
                                                           level_view(t, i, t->L) == level_view(t, k, t->L);
                if (equal) {
                    out[0] = i, out[1] = k;
                    return true;
                }
            }
    return false;
}

typedef struct {
    uint64_t key;
    int r;
} keyed;

static int keyed_compare(const void *x, const void *y)
{
    const keyed *a = x, *b = y;
    return a->key != b->key ? (a->key < b->key ? -1 : 1) : (a->r > b->r) - (a->r < b->r);
}

/* The same of any two prompts, by their readouts. */
static at_status other_find(study *t, bool *found, int out[2], at_err *err)
{
    at_mark mark = at_arena_mark(t->a);
    keyed *key = at_new(t->a, keyed, t->prompts);
    if (!key)
        return at_oom(err);
    for (int k = 0; k < t->prompts; k++)
        key[k] = (keyed){t->value[k], k};
    qsort(key, (size_t)t->prompts, sizeof *key, keyed_compare);
    for (int k = 1; k < t->prompts && !*found; k++)
        if (key[k].key == key[k - 1].key && t->target[key[k].r] != t->target[key[k - 1].r]) {
            *found = true;
            out[0] = key[k - 1].r, out[1] = key[k].r;
        }
    at_arena_reset(t->a, mark);
    return AT_OK;
}

/* ---- decompositions ----------------------------------------------------------------------------------------------- */

static at_status set_copy(const study *t, const int *at, int n, decoder_set *out, at_err *err)
{
    out->n = n;
    out->at = at_new(t->a, int, n);
    if (!out->at)
        return at_oom(err);
    memcpy(out->at, at, (size_t)n * sizeof *at);
    return AT_OK;
}

/* The prompt of z_{>=l} = r and the q-th tuple of Z_{<l}; false when there is no q-th. */
static bool tuple_prompt(const study *t, int l, const decoder_set *Z, int r, int q, int *prompt)
{
    int k = r * t->below[l + 1];
    for (int i = 0; i <= l; i++) {
        k += Z[i].at[q % Z[i].n] * t->below[i];
        q /= Z[i].n;
    }
    *prompt = k;
    return q == 0;
}

/* i_{L-1} for a tuple of Z_{<L}, by the task's rule: the answer of the prompt whose z_L is the identity. */
static int reached(const study *t, int prompt)
{
    int identity = 0, n = t->domain[t->L - 1], others = t->below[t->L + 1];
    for (int j = 0; j < n; j++)
        identity = identity * n + j;
    return t->target[identity * others + prompt % others];
}

static at_status level_keep(study *t, const decoder_level *level, at_err *err)
{
    decoder_level *kept = &t->out->d.level[level->l - 2];
    at_status st = AT_OK;
    *kept = *level;
    for (int i = 0; i <= level->l && !st; i++)
        st = set_copy(t, level->Z[i].at, level->Z[i].n, &kept->Z[i], err);
    return st ? st : set_copy(t, level->R.at, level->R.n, &kept->R, err);
}

/* Level L is reached: do two members differ where they can be asked? Lemma 4.3's count first, then the larger cover. */
static void level_judge(study *t, const decoder_level *level)
{
    decoder_decomposition *d = &t->out->d;
    int prompt, n = t->domain[t->L - 1], inner = t->domain[t->L - 2], seen = 0;
    bool point[DOMAIN_MAX] = {0};
    for (int q = 0; tuple_prompt(t, t->L, level->Z, 0, q, &prompt); q++) {
        int i = reached(t, prompt) % inner; /* without w_{L-1} */
        seen += !point[i];
        point[i] = true;
    }
    for (int q = 0; tuple_prompt(t, t->L, level->Z, level->R.at[0], q, &prompt); q++)
        for (int x = 1; x < level->R.n; x++) {
            int other = prompt + (level->R.at[x] - level->R.at[0]) * t->below[t->L + 1];
            if (t->target[prompt] == t->target[other])
                continue;
            bool counted = level->R.n > at_pow(n, n - (double)seen * (n / inner));
            if (d->exists && (d->counted > counted || (d->counted == counted && d->reachable >= seen)))
                return;
            d->exists = true;
            d->counted = counted;
            d->reachable = seen;
            d->levels = t->L - 1;
            d->z[0] = level->R.at[0], d->z[1] = level->R.at[x];
            d->prompt[0] = prompt, d->prompt[1] = other;
            t->found++;
            return;
        }
}

static at_status level_classes(study *t, int l, const decoder_set *Z, const int *R, int n, at_err *err);

/* From a class of level l on: every Z_l of one or two inputs, or of all, and what is left of the class above it. */
static at_status level_above(study *t, const decoder_level *level, at_err *err)
{
    int l = level->l, mine = t->A[l + 1], *left = at_new(&t->scratch, int, level->R.n), both[2];
    decoder_set Z[DECODER_PLAYERS];
    if (!left)
        return at_oom(err);
    memcpy(Z, level->Z, sizeof Z);
    for (int x = 0; x < mine; x++)
        for (int y = x; y < mine; y++) {
            both[0] = x, both[1] = y;
            Z[l + 1] = (decoder_set){x == y ? 1 : 2, both};
            int n = 0;
            for (int k = 0; k < level->R.n; k++) {
                if (level->R.at[k] % mine != x)
                    continue;
                bool all = x == y;
                for (int j = k; j < level->R.n && !all; j++)
                    all = level->R.at[j] == level->R.at[k] - x + y;
                if (all)
                    left[n++] = level->R.at[k] / mine;
            }
            at_status st = n < 2 ? AT_OK : level_classes(t, l + 1, Z, left, n, err);
            if (st)
                return st;
        }
    return AT_OK;
}

/* Classes of R (n tuples z_{>=l}) by what players below l see, for all of Z_{<l}. */
static at_status level_classes(study *t, int l, const decoder_set *Z, const int *R, int n, at_err *err)
{
    at_mark mark = at_arena_mark(&t->scratch);
    keyed *key = at_new(&t->scratch, keyed, n);
    int *members = at_new(&t->scratch, int, n);
    at_status st = key && members ? AT_OK : at_oom(err);
    for (int k = 0; k < n && !st; k++) {
        int prompt;
        key[k] = (keyed){5, R[k]};
        for (int q = 0; tuple_prompt(t, l, Z, R[k], q, &prompt); q++) {
            uint64_t v = level_view(t, prompt, l);
            key[k].key = at_hash64(&v, sizeof v, key[k].key);
        }
    }
    if (!st)
        qsort(key, (size_t)n, sizeof *key, keyed_compare);
    for (int from = 0, end; from < n && !st && t->nodes < NODES_MAX; from = end) {
        for (end = from; end < n && key[end].key == key[from].key; end++)
            members[end - from] = key[end].r;
        if (end - from < 2)
            continue;
        decoder_level level = {.l = l, .R = {end - from, members}};
        memcpy(level.Z, Z, (size_t)(l + 1) * sizeof *Z);
        int found = t->found;
        t->nodes++;
        if (l == t->L)
            level_judge(t, &level);
        else
            st = level_above(t, &level, err);
        if (!st && t->found > found)
            st = level_keep(t, &level, err);
    }
    at_arena_reset(&t->scratch, mark);
    return st;
}

/* Every Z_0 and Z_1, sets of one first; in each the classes of level 2. */
static at_status decompositions_find(study *t, at_err *err)
{
    int above = t->prompts / t->below[3], *R = at_new(&t->scratch, int, above);
    int *w = at_new(&t->scratch, int, t->A[0]), member[2][8];
    if (!R || !w)
        return at_oom(err);
    for (int r = 0; r < above; r++)
        R[r] = r;
    for (int k = 0; k < t->A[0]; k++)
        w[k] = k;
    int bits[2] = {t->A[1] < 8 ? t->A[1] : 8, t->A[2] < 8 ? t->A[2] : 8}; /* at most 8 inputs each */
    for (int size = 2; size <= bits[0] + bits[1]; size++)
        for (int z0 = 1; z0 < 1 << bits[0]; z0++)
            for (int z1 = 1; z1 < 1 << bits[1]; z1++) {
                if (__builtin_popcount((unsigned)z0) + __builtin_popcount((unsigned)z1) != size)
                    continue;
                decoder_set Z[DECODER_PLAYERS] = {{t->A[0], w}, {0, member[0]}, {0, member[1]}};
                for (int j = 0; j < 8; j++) {
                    if (z0 >> j & 1)
                        member[0][Z[1].n++] = j;
                    if (z1 >> j & 1)
                        member[1][Z[2].n++] = j;
                }
                at_status st = level_classes(t, 2, Z, R, above, err);
                if (st)
                    return st;
            }
    return AT_OK;
}

at_status decoder_examine(const at_subject *s, int threads, at_arena *a, decoder_study *out, at_err *err)
{
    study t = {.s = s, .a = a, .out = out};
    *out = (decoder_study){.best = DECODER_NONE};
    sizes_fill(&t);
    for (int b = 0; b < s->m->n_blocks; b++)
        if (s->m->blocks[b].kind == AT_BLOCK_ATTN && t.layers <= DECODER_LEVELS)
            t.block[t.layers++] = b;
    out->L = t.L;
    out->prompts = t.prompts;
    memcpy(out->players, t.A, sizeof out->players);
    at_status st = prompts_run(&t, threads, err);
    for (int k = DECODER_VIEWS; !st && k < DECODER_OTHER && out->best == DECODER_NONE; k++)
        if (pair_find(&t, (decoder_likeness)k, out->pair))
            out->best = (decoder_likeness)k;
    bool other = false;
    if (!st && out->best == DECODER_NONE && !(st = other_find(&t, &other, out->pair, err)) && other)
        out->best = DECODER_OTHER;
    /* A decomposition has such a pair in it: without one there is nothing to look for. */
    if (!st && out->best == DECODER_VIEWS) {
        at_arena_init(&t.scratch);
        st = decompositions_find(&t, err);
        at_arena_release(&t.scratch);
    }
    return st;
}

/* ---- the definition again ------------------------------------------------------------------------------------------- */

at_status decoder_recheck(const at_subject *s, const decoder_level *level, at_arena *a, bool *holds,
                          uint64_t *pairs, at_err *err)
{
    study t = {.s = s, .a = a};
    at_mark mark = at_arena_mark(a);
    sizes_fill(&t);
    for (int b = 0; b < s->m->n_blocks; b++)
        if (s->m->blocks[b].kind == AT_BLOCK_ATTN && t.layers <= DECODER_LEVELS)
            t.block[t.layers++] = b;
    int l = level->l, first = t.first[l], prompt; /* positions of players below l: first..N-1 */
    size_t rows = (size_t)(t.N - first) * (size_t)s->m->width, each = rows * (size_t)l;
    double *seen = at_new(a, double, (size_t)level->R.n *each), *x = at_new(a, double, t.N);
    at_status st = seen && x ? AT_OK : at_oom(err);
    *holds = true;
    for (int q = 0; !st && tuple_prompt(&t, l, level->Z, level->R.at[0], q, &prompt); q++) {
        for (int r = 0; r < level->R.n && !st; r++) {
            at_mark run = at_arena_mark(a);
            at_trace trace;
            at_output y;
            tuple_prompt(&t, l, level->Z, level->R.at[r], q, &prompt);
            s->task->nth(s->params, AT_ENUM_SEQUENCES, (uint64_t)prompt, x);
            st = at_run(s->m, s->arith, &(at_input){t.N, x}, &trace, a, &y, err);
            for (int e = 0; e < l && !st; e++)
                memcpy(seen + (size_t)r * each + (size_t)e * rows,
                       trace.state[t.block[e] + 1] + (size_t)(first + s->m->n_prefix) * (size_t)s->m->width,
                       rows * sizeof *seen);
            at_arena_reset(a, run);
        }
        for (int r = 0; r < level->R.n && !st; r++)
            for (int k = 0; k < r; k++, ++*pairs)
                for (size_t j = 0; j < each; j++)
                    *holds = *holds && seen[(size_t)r * each + j] == seen[(size_t)k * each + j];
    }
    at_arena_reset(a, mark);
    return st;
}

/* ---- the refuter ------------------------------------------------------------------------------------------------------ */

static at_status search(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out, at_err *err)
{
    static const char *const equal[DECODER_NONE] = {
        [DECODER_VIEWS] =
            "no state of the other players' positions differs in any layer: no message separates the two z_L",
        [DECODER_STATE] = "the last position's state after the last layer is the same for two z_L",
        [DECODER_VALUE] = "the readout at the last position is the same for two z_L",
        [DECODER_OTHER] = "the readout at the last position is the same for two prompts"};
    decoder_study d;
    *out = (at_pair){.bits = NAN};
    double cost = work_of_input(s);
    uint64_t all = s->task->count(s->params, AT_ENUM_SEQUENCES);
    at_refute_env left = work_left(env, out, cost);
    if (left.states && left.states < all)
        return at_fail(err, AT_EBUDGET, "all %ju prompts must be run, and the budget is for %ju",
                       (uintmax_t)all, (uintmax_t)left.states);
    at_status st = decoder_examine(s, env->threads, a, &d, err);
    if (st)
        return st;
    work_spend(out, (uint64_t)d.prompts, cost);
    if (d.best == DECODER_NONE)
        return at_fail(err, AT_EBUDGET, "all %d prompts: no two have one readout and different answers",
                       d.prompts);
    int N = at_params_int(s->params, "N");
    double *x = at_new(a, double, 2 * N);
    if (!x)
        return at_oom(err);
    for (int k = 0; k < 2; k++) {
        s->task->nth(s->params, AT_ENUM_SEQUENCES, (uint64_t)d.pair[k], x + k * N);
        out->x[k] = (at_input){N, x + k * N};
    }
    int n = d.best < DECODER_VALUE ? s->m->width : s->m->readout.rows;
    out->bits = (double)n * s->arith.bits;
    out->note = d.d.exists
                    ? "an indistinguishable decomposition with two z_L that differ where it can be asked"
                    : equal[d.best];
    return AT_OK;
}

const at_refuter refuter_indistinguishable = {
    .id = "indistinguishable",
    .about = "L-layer decoders on funccomp: inputs of player L that no message, or no output, separates",
    .fits = decoder_fits,
    .search = search,
};
