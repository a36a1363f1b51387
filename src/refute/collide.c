/* collide.c: two items with equal states, among as many as memory holds fingerprints of.
 *
 * Items are taken in order, in batches. A batch goes through three phases:
 *
 *     1. compute  chunks of items, on all threads: state -> 64-bit fingerprint; a chunk sorts its own by part
 *     2. insert   parts of the table, on all threads: a fingerprint that is new goes in, one that is there already makes
 *                 its item a suspect
 *     3. judge    suspects, one thread, in order: states are computed again and compared, then `useful` is asked
 *
 * The table is 256 parts by the highest byte of the fingerprint, each with open addressing of its own:
 *
 *     slot (12 bytes)   56 bits: rest of the fingerprint | twin bit | 39 bits: item + 1 (0: empty)
 *
 * At a load of at most 4/5 that is 15 bytes a state. A part grows by itself, so that there is never more than one of them twice.
 *
 * Invariants:
 *  1. Along the probe sequence the slots of one fingerprint are in ascending order of items: phase 2 puts in only the
 *     first of them, phase 3 the others in order, and growing keeps the order. Hence the smallest first item is met first.
 *  2. A twin has the state of the first slot with its fingerprint (both were compared in full), so that one comparison
 *     with the first settles all its twins.
 *  3. `cut` is the first item that was not looked at: a state failed, memory was over, or somebody cancelled. Nothing at or after it counts.
 *  4. Batches grow by a rule of their own, never by the clock; so what `cut` and the answer are does not depend on threads,
 *     unless somebody cancels.
 *
 * Of items with equal states at most KEPT are kept. Where "of no use" means "the same target" nothing is lost by it: the
 * first of them would do.
 *
 * Legend: B most items a batch, C chunks of it, P parts. */
#include "collide.h"

#include <stdatomic.h>
#include <string.h>

#define B_MOST     ((uint64_t)1 << 20)
#define B_LEAST    64
#define C_MOST     64
#define P          256
#define KEPT       64
#define AHEAD      8  /* items whose slots are fetched before they are needed */
#define ASKED      64 /* items between two questions whether to go on */
#define ITEMS_MOST (((uint64_t)1 << 39) - 2)
#define TWIN       ((uint64_t)1 << 39)
#define LEAST      ((size_t)64 << 10) /* bytes: 21 slots a part */

/* ---- table ---------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t w[3]; /* low 32 of the rest; high 24 of the rest, high 8 of twin and item; low 32 of the item */
} slot;

typedef struct {
    slot *slot; /* (cap) */
    uint64_t cap, used;
} part;

static uint64_t slot_rest(const slot *s)
{
    return (uint64_t)s->w[1] >> 8 << 32 | s->w[0];
}

static uint64_t slot_item(const slot *s) /* with the twin bit */
{
    return (uint64_t)(s->w[1] & 255) << 32 | s->w[2];
}

static slot slot_make(uint64_t rest, uint64_t item)
{
    return (slot){{(uint32_t)rest, (uint32_t)(rest >> 32) << 8 | (uint32_t)(item >> 32), (uint32_t)item}};
}

static uint64_t rest_of(uint64_t print)
{
    return print & (((uint64_t)1 << 56) - 1);
}

/* Where the probe sequence begins: the rest as a fraction of the part. */
static uint64_t part_home(const part *t, uint64_t rest)
{
    return (uint64_t)((unsigned __int128)(rest << 8) * t->cap >> 64);
}

static uint64_t part_next(const part *t, uint64_t at)
{
    return at + 1 == t->cap ? 0 : at + 1;
}

static uint64_t part_room(uint64_t cap)
{
    return cap / 5 * 4 + cap % 5 * 4 / 5;
}

/* A larger part; walking the old one from an empty slot on keeps invariant 1 where a run goes round the end. */
static bool part_grow(part *t, uint64_t cap)
{
    part n = {at_calloc(cap, sizeof(slot)), cap, t->used};
    if (!n.slot)
        return false;
    uint64_t empty = 0;
    while (t->used && slot_item(&t->slot[empty]))
        empty++;
    for (uint64_t k = 0, from = empty; k < t->cap; k++, from = part_next(t, from)) {
        if (!slot_item(&t->slot[from]))
            continue;
        uint64_t at = part_home(&n, slot_rest(&t->slot[from]));
        while (slot_item(&n.slot[at]))
            at = part_next(&n, at);
        n.slot[at] = t->slot[from];
    }
    at_free(t->slot);
    *t = n;
    return true;
}

/* ---- a search -------------------------------------------------------------------------------------------- */

typedef struct {
    void *state;     /* (bytes) */
    uint64_t *print; /* (chunk) before they are sorted */
    uint64_t failed; /* the first item whose state failed; UINT64_MAX: none */
    at_err err;
} worker;

typedef struct {
    const at_collide_job *job;
    const at_refute_env *env;
    uint64_t mask, count; /* count: that may be looked at */
    int threads;
    worker *worker;         /* (threads) */
    void *other;            /* (bytes) */
    part part[P];           /* the table */
    uint64_t cap[P];        /* that parts are growing to; 0: they are not */
    uint64_t most, planned; /* slots of a part: allowed, and what all items need */
    /* the batch */
    uint64_t from;
    size_t n, chunk, chunks; /* items, items a chunk */
    uint64_t *print;         /* (B) in each chunk sorted by part, then by item */
    uint16_t *who;           /* (B) item of it, counted from the begin of the chunk */
    uint32_t *begin;         /* (C, P + 1) of a part in its chunk */
    uint8_t *suspect;        /* (B) */
    atomic_uint_least64_t cut;
    atomic_bool oom;
} search;

static void cut_lower(search *s, uint64_t item)
{
    uint64_t old = atomic_load(&s->cut);
    while (item < old && !atomic_compare_exchange_weak(&s->cut, &old, item))
        ;
}

static uint64_t fingerprint(const search *s, const void *state)
{
    return at_hash64(state, s->job->bytes, 0x636f6c6c696465) & s->mask;
}

/* ---- phase 1 --------------------------------------------------------------------------------------------- */

static void chunk_sort(search *s, const uint64_t *print, size_t chunk, size_t n)
{
    uint32_t *begin = s->begin + chunk * (P + 1);
    memset(begin, 0, (P + 1) * sizeof *begin);
    for (size_t j = 0; j < n; j++)
        begin[(print[j] >> 56) + 1]++;
    for (int p = 0; p < P; p++)
        begin[p + 1] += begin[p];
    uint32_t put[P];
    memcpy(put, begin, sizeof put);
    for (size_t j = 0; j < n; j++) {
        size_t to = chunk * s->chunk + put[print[j] >> 56]++;
        s->print[to] = print[j];
        s->who[to] = (uint16_t)j;
    }
}

static void chunk_compute(void *ctx, size_t chunk, int id)
{
    search *s = ctx;
    worker *w = &s->worker[id];
    size_t begin = chunk * s->chunk, n = s->n - begin < s->chunk ? s->n - begin : s->chunk, j = 0;
    for (; j < n; j++) {
        uint64_t item = s->from + begin + j;
        if (j % ASKED == 0) {
            if (item >= atomic_load(&s->cut))
                break;
            if (at_cancel_pending()) {
                cut_lower(s, item);
                break;
            }
        }
        at_err err = {0};
        at_status st = s->job->state(s->job->ctx, id, item, w->state, &err);
        if (st) {
            if (item < w->failed) {
                w->failed = item;
                w->err = err;
                w->err.code = st;
            }
            cut_lower(s, item);
            break;
        }
        w->print[j] = fingerprint(s, w->state);
    }
    chunk_sort(s, w->print, chunk, j);
}

/* ---- phase 2 --------------------------------------------------------------------------------------------- */

static uint64_t part_coming(const search *s, size_t p)
{
    uint64_t n = 0;
    for (size_t c = 0; c < s->chunks; c++)
        n += s->begin[c * (P + 1) + p + 1] - s->begin[c * (P + 1) + p];
    return n;
}

/* The last growth goes to what all items need, so that the table ends with the load it was planned for. */
static uint64_t part_plan(const search *s, size_t p)
{
    const part *t = &s->part[p];
    uint64_t need = t->used + part_coming(s, p), cap = 2 * t->cap;
    if (need <= part_room(t->cap) || t->cap == s->most)
        return 0;
    cap = cap < 16 ? 16 : cap;
    if (cap > s->planned / 2)
        cap = s->planned;
    if (part_room(cap) < need)
        cap = need / 4 * 5 + 5;
    return cap < s->most ? cap : s->most;
}

static void part_insert(void *ctx, size_t p, int id)
{
    (void)id;
    search *s = ctx;
    part *t = &s->part[p];
    if (s->cap[p] && !part_grow(t, s->cap[p])) {
        atomic_store(&s->oom, true);
        return;
    }
    for (size_t c = 0; c < s->chunks; c++) {
        size_t base = c * s->chunk, end = base + s->begin[c * (P + 1) + p + 1];
        for (size_t j = base + s->begin[c * (P + 1) + p]; j < end; j++) {
            uint64_t item = s->from + base + s->who[j], rest = rest_of(s->print[j]);
            if (j + AHEAD < end)
                __builtin_prefetch(&t->slot[part_home(t, rest_of(s->print[j + AHEAD]))], 1);
            if (t->used >= part_room(t->cap)) { /* only where it may not grow */
                cut_lower(s, item);
                return;
            }
            uint64_t at = part_home(t, rest);
            while (slot_item(&t->slot[at]) && slot_rest(&t->slot[at]) != rest)
                at = part_next(t, at);
            if (slot_item(&t->slot[at]))
                s->suspect[base + s->who[j]] = 1;
            else {
                t->slot[at] = slot_make(rest, item + 1);
                t->used++;
            }
        }
    }
}

/* ---- phase 3 --------------------------------------------------------------------------------------------- */

/* Item k shares its fingerprint with others; they are met in ascending order. */
static at_status suspect_judge(search *s, uint64_t k, at_collision *out, at_err *err)
{
    const at_collide_job *job = s->job;
    void *mine = s->worker[0].state;
    at_status st = job->state(job->ctx, 0, k, mine, err);
    if (st)
        return st;
    uint64_t print = fingerprint(s, mine), rest = rest_of(print), at;
    part *t = &s->part[print >> 56];
    int kept = 0;
    bool head = true, twin = false; /* is this the first slot; does k have its state? */
    for (at = part_home(t, rest); slot_item(&t->slot[at]); at = part_next(t, at)) {
        if (slot_rest(&t->slot[at]) != rest)
            continue;
        uint64_t other = slot_item(&t->slot[at]), i = (other & ~TWIN) - 1;
        bool equal = twin;
        if (!(other & TWIN)) {
            if ((st = job->state(job->ctx, 0, i, s->other, err)))
                return st;
            equal = !memcmp(mine, s->other, job->bytes);
            twin = head ? equal : twin;
            head = false;
        }
        if (!equal)
            continue;
        if (!job->useful || job->useful(job->ctx, i, k)) {
            out->found = true;
            out->first = i;
            out->second = k;
            return AT_OK;
        }
        out->useless++;
        kept++;
    }
    if (kept >= KEPT)
        return AT_OK;
    if (t->used >= part_room(t->cap)) {
        cut_lower(s, k);
        return AT_OK;
    }
    t->slot[at] = slot_make(rest, (k + 1) | (twin ? TWIN : 0));
    t->used++;
    return AT_OK;
}

static at_status suspects_judge(search *s, at_collision *out, at_err *err)
{
    const uint8_t *next = s->suspect, *end = next + s->n;
    while (!out->found && (next = memchr(next, 1, (size_t)(end - next)))) {
        uint64_t k = s->from + (uint64_t)(next++ - s->suspect);
        if (k >= atomic_load(&s->cut))
            break;
        if (at_cancel_pending()) {
            cut_lower(s, k);
            break;
        }
        at_status st = suspect_judge(s, k, out, err);
        if (st)
            return st;
    }
    return AT_OK;
}

/* ---- batches --------------------------------------------------------------------------------------------- */

/* A quarter of what is done already, so that little is computed in vain after a pair. */
static void batch_begin(search *s, uint64_t done)
{
    uint64_t n = done / 4 < B_LEAST ? B_LEAST : done / 4 > B_MOST ? B_MOST : done / 4;
    s->from = done;
    s->n = (size_t)(n < s->count - done ? n : s->count - done);
    s->chunk = (s->n + C_MOST - 1) / C_MOST;
    s->chunks = (s->n + s->chunk - 1) / s->chunk;
    atomic_store(&s->cut, done + s->n);
    memset(s->suspect, 0, s->n);
}

static at_status batch_run(search *s, at_collision *out, at_err *err)
{
    at_status st = at_parallel(s->threads, s->chunks, chunk_compute, s, err);
    if (st)
        return st;
    for (size_t p = 0; p < P; p++)
        s->cap[p] = part_plan(s, p);
    st = at_parallel(s->n < 4096 ? 1 : s->threads, P, part_insert, s, err);
    if (!st && atomic_load(&s->oom))
        st = at_oom(err);
    return st ? st : suspects_judge(s, out, err);
}

/* The words of the state that failed, when that is why the search stands still. */
static at_status failure(const search *s, at_err *err)
{
    for (int i = 0; i < s->threads; i++)
        if (s->worker[i].failed == atomic_load(&s->cut))
            return at_fail(err, s->worker[i].err.code, "%s",
                           s->worker[i].err.text[0] ? s->worker[i].err.text : "a state cannot be computed");
    return at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted") : AT_OK;
}

static at_status batches_run(search *s, at_collision *out, at_err *err)
{
    while (out->states < s->count) {
        batch_begin(s, out->states);
        at_status st = batch_run(s, out, err);
        if (st)
            return st;
        out->states = out->found ? out->second + 1 : atomic_load(&s->cut);
        at_progress_tick(s->env->progress, "states", (double)out->states, (double)s->count);
        if (out->found)
            return AT_OK;
        if (out->states < s->from + s->n)
            return failure(s, err);
    }
    return AT_OK;
}

static bool search_prepare(search *s, size_t memory)
{
    uint64_t B = s->count < B_MOST ? s->count : B_MOST, chunk = (B + C_MOST - 1) / C_MOST;
    s->most = memory / sizeof(slot) / P;
    /* a hundredth more than the mean, and what few items vary by */
    s->planned = s->count / P / 80 * 101 + 64;
    s->planned = s->planned < s->most ? s->planned : s->most;
    s->print = at_malloc(B * sizeof *s->print);
    s->who = at_malloc(B * sizeof *s->who);
    s->suspect = at_malloc(B);
    s->begin = at_malloc(C_MOST * (P + 1) * sizeof *s->begin);
    s->other = at_malloc(s->job->bytes);
    s->worker = at_calloc((size_t)s->threads, sizeof *s->worker);
    bool ok = s->print && s->who && s->suspect && s->begin && s->other && s->worker;
    for (int i = 0; ok && i < s->threads; i++) {
        s->worker[i].failed = UINT64_MAX;
        ok = (s->worker[i].state = at_malloc(s->job->bytes)) &&
             (s->worker[i].print = at_malloc(chunk * sizeof(uint64_t)));
    }
    return ok;
}

static void search_release(search *s)
{
    for (int i = 0; s->worker && i < s->threads; i++) {
        at_free(s->worker[i].state);
        at_free(s->worker[i].print);
    }
    for (int p = 0; p < P; p++)
        at_free(s->part[p].slot);
    at_free(s->worker);
    at_free(s->other);
    at_free(s->begin);
    at_free(s->suspect);
    at_free(s->who);
    at_free(s->print);
    at_free(s);
}

at_status at_collide_masked(const at_collide_job *job, const at_refute_env *env, uint64_t mask,
                            at_collision *out, at_err *err)
{
    static const at_refute_env none; /* what NULL means */
    env = env ? env : &none;
    *out = (at_collision){0};
    size_t memory = env->memory ? env->memory : (size_t)1 << 30;
    if (!job->bytes)
        return at_fail(err, AT_EDOMAIN, "a state of 0 bytes: all are equal");
    if (memory < LEAST)
        return at_fail(err, AT_EDOMAIN, "a table of %zu bytes: must be %zu or more", memory, LEAST);
    search *s = at_calloc(1, sizeof *s);
    if (!s)
        return at_oom(err);
    s->job = job;
    s->env = env;
    s->mask = mask;
    double start = at_now();
    s->threads = env->threads > 0 ? env->threads : at_cores();
    s->count = job->count < ITEMS_MOST ? job->count : ITEMS_MOST;
    if (env->states && env->states < s->count)
        s->count = env->states;
    at_status st = search_prepare(s, memory) ? batches_run(s, out, err) : at_oom(err);
    for (int p = 0; p < P; p++)
        out->bytes += s->part[p].cap * sizeof(slot);
    out->seconds = at_now() - start;
    search_release(s);
    return st;
}

at_status at_collide(const at_collide_job *job, const at_refute_env *env, at_collision *out, at_err *err)
{
    return at_collide_masked(job, env, UINT64_MAX, out, err);
}
