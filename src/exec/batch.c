/* batch.c: many chains at once: slots, workers, the stop rule. The arithmetic is in batch.inc, the plan in batch_plan.c.
 *
 * A run gives each worker (a thread) some slots. A worker takes the next prompt whenever a slot is free, lets every slot put
 * a row into the step (a slot that still reads its prompt several, while there is room), computes the step, and looks at
 * what was read. So a sequence that ends leaves its place at once, and the weights stream once a step for all rows.
 *
 *     slot   0: prompt p3 p4 p5     1: row 17     2: row 4     3: prompt p0     -> 6 rows, 3 of them read
 *
 * Caches grow with their sequence, to twice what is there, and are kept for the next one. */
#include "batch.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define MORE_ROWS  48 /* rows of prompts in a step beyond one a slot */
#define MOST_SLOTS 4096
#define NEAR       ((size_t)1 << 20) /* bytes that stay near a core */
#define TILE       6                 /* rows that share a weight when it is loaded */
#define SLOTS      64                /* where the caller leaves it to us */

typedef struct {
    batch_cache *cache; /* (n_caches) */
    char *memory;       /* of their stores */
    bool busy;
    size_t place;  /* of the prompt */
    int fed, done; /* rows that went through; rows generated */
    int steps;     /* how many may be */
    double margin;
    double *rows; /* (room) generated */
    int room;
} slot;

typedef struct {
    slot *slots;
    int n_slots;
    batch_work work;
    batch_row *row;   /* (n_slots + MORE_ROWS) */
    slot **reader;    /* (n_slots) whose row is read, in order */
    batch_word *word; /* (n_slots) */
    at_arena results; /* of the last run */
    at_err err;
} worker;

struct at_batch {
    at_arena arena;
    const at_model *m;
    const batch_kernel *kernel;
    batch_plan plan;
    worker *workers;
    int n_workers;
};

/* ---- memory of a sequence ------------------------------------------------------------------------------------ */

static size_t panel_bytes(const at_batch *b, const batch_block *k)
{
    return 2 * (size_t)b->kernel->lanes * (size_t)k->H * (size_t)(k->dk + k->dp) * b->kernel->size;
}

static size_t matrix_bytes(const at_batch *b, const batch_matrix *m)
{
    return (size_t)m->out * (size_t)m->in * b->kernel->size;
}

/* Panels of a store that is to hold n keys: those that it has, or twice as many and more. */
static int panels_for(const at_batch *b, const batch_store *s, int n)
{
    int NR = 2 * b->kernel->lanes, need = (n + NR - 1) / NR;
    return need <= s->cap ? s->cap : need > 2 * s->cap ? need : 2 * s->cap;
}

static size_t store_bytes(const at_batch *b, const batch_block *k, int cap)
{
    return ((size_t)cap * panel_bytes(b, k) + 63) / 64 * 64;
}

/* The store moves to `to`, which is zero, and has `cap` panels there. Returns where it ends. */
static char *store_move(const at_batch *b, const batch_block *k, batch_store *s, int cap, char *to)
{
    size_t z = 2 * (size_t)b->kernel->lanes * b->kernel->size, key = z * (size_t)k->dk,
           value = z * (size_t)k->dp;
    char *to_k = to, *to_v = to + (size_t)k->H * (size_t)cap * key;
    size_t old = (size_t)s->cap;
    for (size_t h = 0; old && h < (size_t)k->H; h++) {
        memcpy(to_k + h * (size_t)cap * key, (char *)s->k + h * old * key, old * key);
        memcpy(to_v + h * (size_t)cap * value, (char *)s->v + h * old * value, old * value);
    }
    *s = (batch_store){to_k, to_v, cap};
    return to + store_bytes(b, k, cap);
}

/* How many keys a block keeps of n positions: in its ring, and ends beyond it. */
static int ring_keys(const batch_block *k, int n)
{
    return n < k->window ? n : k->window;
}

static int end_keys(const batch_block *k, int n)
{
    return n > k->window ? batch_ends_before(k, n - k->window) : 0;
}

/* Room in every cache for n positions. What is there stays; the rest is zero. All caches of a slot are one piece: each by itself would
 * leave most of a large page unused. */
static at_status slot_reserve(const at_batch *b, slot *s, int n, at_err *err)
{
    size_t bytes = 64;
    bool more = false;
    for (int i = 0; i < b->plan.n_blocks; i++) {
        const batch_block *k = &b->plan.block[i];
        if (!k->attention || k->linear)
            continue;
        const batch_cache *c = &s->cache[k->cache];
        int ring = panels_for(b, &c->ring, ring_keys(k, n)), ends = panels_for(b, &c->ends, end_keys(k, n));
        more = more || ring > c->ring.cap || ends > c->ends.cap;
        bytes += store_bytes(b, k, ring) + store_bytes(b, k, ends);
    }
    if (!more)
        return AT_OK;
    char *memory = at_calloc_large(bytes);
    if (!memory)
        return at_oom(err);
    char *to = memory + (64 - (uintptr_t)memory % 64);
    for (int i = 0; i < b->plan.n_blocks; i++) {
        const batch_block *k = &b->plan.block[i];
        if (!k->attention || k->linear)
            continue;
        batch_cache *c = &s->cache[k->cache];
        to = store_move(b, k, &c->ring, panels_for(b, &c->ring, ring_keys(k, n)), to);
        to = store_move(b, k, &c->ends, panels_for(b, &c->ends, end_keys(k, n)), to);
    }
    at_free(s->memory);
    s->memory = memory;
    return AT_OK;
}

static void slot_begin(const at_batch *b, slot *s, size_t place, int steps)
{
    s->busy = true;
    s->place = place;
    s->steps = steps;
    s->fed = s->done = 0;
    s->margin = INFINITY;
    for (int i = 0; i < b->plan.n_blocks; i++) {
        const batch_block *k = &b->plan.block[i];
        if (k->attention && k->linear)
            memset(s->cache[k->cache].sums, 0, batch_sums(k) * b->kernel->size);
    }
}

size_t at_batch_bytes(const at_batch *b)
{
    size_t most = 0;
    for (int w = 0; w < b->n_workers; w++)
        for (int i = 0; i < b->workers[w].n_slots; i++) {
            size_t bytes = 0;
            for (int j = 0; j < b->plan.n_blocks; j++) {
                const batch_block *k = &b->plan.block[j];
                if (!k->attention)
                    continue;
                const batch_cache *c = &b->workers[w].slots[i].cache[k->cache];
                bytes += k->linear ? batch_sums(k) * b->kernel->size
                                   : (size_t)(c->ring.cap + c->ends.cap) * panel_bytes(b, k);
            }
            most = bytes > most ? bytes : most;
        }
    return most;
}

/* ---- making --------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
/* Vectors of 64 bytes pay where values of heads fill them. */
static bool avx512_fits(const at_model *m, bool single)
{
    bool fits = at_exec_avx512();
    for (int b = 0; b < m->n_blocks; b++)
        fits &= m->blocks[b].kind != AT_BLOCK_ATTN || m->blocks[b].groups[0].dv % (single ? 16 : 8) == 0;
    return fits;
}
#endif

static const batch_kernel *kernel_choose(const at_model *m, bool single)
{
#if defined(__x86_64__)
    if (avx512_fits(m, single))
        return single ? &batch_avx512_f : &batch_avx512_d;
    if (!strcmp(at_exec_isa(), "avx2"))
        return single ? &batch_avx2_f : &batch_avx2_d;
#endif
    return single ? &batch_portable_f : &batch_portable_d;
}

static at_status worker_make(at_batch *b, worker *w, int slots, at_err *err)
{
    const batch_plan *p = &b->plan;
    at_arena *a = &b->arena;
    size_t rows = (size_t)slots + MORE_ROWS, z = b->kernel->size;
    at_arena_init(&w->results);
    w->slots = at_new(a, slot, slots);
    w->row = at_new(a, batch_row, rows);
    w->reader = at_new(a, slot *, slots);
    w->word = at_new(a, batch_word, slots);
    batch_cache *cache = at_new(a, batch_cache, (size_t)slots * (size_t)p->n_caches + 1);
    w->work.x = at_arena_alloc(a, rows * p->xs, z);
    w->work.y = at_arena_alloc(a, rows * p->xs, z);
    w->work.wide[0] = at_arena_alloc(a, rows * p->wide, z);
    w->work.wide[1] = at_arena_alloc(a, rows * p->wide, z);
    w->work.wide[2] = at_arena_alloc(a, p->gated ? rows * p->wide : 1, z);
    w->work.kept = at_arena_alloc(a, p->parallel ? rows * p->xs : 1, z);
    w->work.mixed = at_arena_alloc(a, rows * p->mixed, z);
    w->work.scratch = at_arena_alloc(a, p->scratch, z);
    if (!w->slots || !w->row || !w->reader || !w->word || !cache || !w->work.x || !w->work.y ||
        !w->work.kept || !w->work.wide[0] || !w->work.wide[1] || !w->work.wide[2] || !w->work.mixed ||
        !w->work.scratch)
        return at_oom(err);
    for (int i = 0; i < slots; i++, cache += p->n_caches) {
        w->slots[i].cache = cache;
        for (int k = 0; k < p->n_blocks; k++)
            if (p->block[k].attention && p->block[k].linear &&
                !(cache[p->block[k].cache].sums = at_arena_alloc(a, batch_sums(&p->block[k]), z)))
                return at_oom(err);
    }
    w->n_slots = slots; /* from here on at_batch_free looks at them */
    return AT_OK;
}

/* Slots of a worker. A step reads the weights once and every cache. Where the weights stay near the core, as many slots as
 * leave their caches there too, when they are long; where not, so many that caches are read as much as weights are,
 * no more: they lie far too, and the farther the more there are. In whole tiles of rows, up to the number that was asked for. */
static int slots_near(const at_batch *b, int slots)
{
    size_t caches = 1, weights = matrix_bytes(b, &b->plan.head);
    int NR = 2 * b->kernel->lanes, T = b->plan.T;
    for (int i = 0; i < b->plan.n_blocks; i++) {
        const batch_block *k = &b->plan.block[i];
        for (int l = 0; l < k->n_dense; l++)
            weights += matrix_bytes(b, &k->dense[l]) * (k->gate && l + 1 < k->n_dense ? 2 : 1);
        if (!k->attention)
            continue;
        int keys = k->window + end_keys(k, T);
        weights += matrix_bytes(b, &k->qkv) + matrix_bytes(b, &k->mix);
        caches +=
            k->linear ? batch_sums(k) * b->kernel->size : (size_t)((keys + NR - 1) / NR) * panel_bytes(b, k);
    }
    size_t fit = weights <= NEAR ? NEAR / caches : weights / caches + TILE;
    fit = fit < TILE ? TILE : fit / TILE * TILE;
    return fit < (size_t)slots ? (int)fit : slots;
}

at_status at_batch_new(const at_model *m, at_arith a, int batch, int threads, at_batch **out, at_err *err)
{
    if (a.kind != AT_F32 && a.kind != AT_F64)
        return at_fail(err, AT_EREFUSED, "batched decoding is done in f32 and f64 only");
    if (batch < 0 || batch > MOST_SLOTS)
        return at_fail(err, AT_EDOMAIN, "batch of %d sequences out of range 0..%d", batch, MOST_SLOTS);
    if (!m->decode.enabled)
        return at_fail(err, AT_EREFUSED, "the model is no decoder: it has no stop rule");
    at_status st = at_model_validate(m, err);
    if (st)
        return st;
    at_batch *b = at_calloc(1, sizeof *b);
    if (!b)
        return at_oom(err);
    at_arena_init(&b->arena);
    b->m = m;
    b->kernel = kernel_choose(m, a.kind == AT_F32);
    st = batch_plan_make(m, a, b->kernel, &b->arena, &b->plan, err);
    int slots = batch ? batch : SLOTS, workers = threads > 0 ? threads : at_cores();
    workers = workers < slots ? workers : slots;
    if (!st && !(b->workers = at_new(&b->arena, worker, workers)))
        st = at_oom(err);
    for (b->n_workers = 0; !st && b->n_workers < workers; b->n_workers++) /* as even as can be */
        st = worker_make(b, &b->workers[b->n_workers], slots_near(b, (slots + b->n_workers) / workers), err);
    if (st)
        at_batch_free(b);
    else
        *out = b;
    return st;
}

void at_batch_free(at_batch *b)
{
    if (!b)
        return;
    for (int w = 0; b->workers && w < b->n_workers; w++) {
        worker *k = &b->workers[w];
        for (int i = 0; i < k->n_slots; i++) {
            at_free(k->slots[i].memory);
            at_free(k->slots[i].rows);
        }
        at_arena_release(&k->results);
    }
    at_free(b->plan.weights);
    at_arena_release(&b->arena);
    at_free(b);
}

/* ---- running -------------------------------------------------------------------------------------------------- */

typedef struct {
    at_batch *b;
    const at_input *prompt;
    at_batch_chain *out;
    size_t count;
    int slots; /* a worker uses at most */
    atomic_size_t next;
    atomic_bool failed;
} run;

/* The words of a chain without an answer. */
static at_status chain_fail(worker *w, at_batch_chain *c, const at_err *why)
{
    c->status = why->code;
    c->why = at_arena_strdup(&w->results, why->text);
    return c->why ? AT_OK : at_oom(&w->err);
}

/* A free slot takes the next prompt that is one, if there is any. */
static at_status slot_fill(run *r, worker *w, slot *s)
{
    const at_model *m = r->b->m;
    at_status st = AT_OK;
    while (!st && !s->busy) {
        size_t i = atomic_fetch_add(&r->next, 1);
        if (i >= r->count)
            return AT_OK;
        const at_input *x = &r->prompt[i];
        at_err why = {0};
        r->out[i] = (at_batch_chain){0};
        if (at_prompt_check(m, x, &why)) {
            st = chain_fail(w, &r->out[i], &why);
            continue;
        }
        int room = m->n_max - x->n;
        slot_begin(r->b, s, i, m->decode.max_steps < room ? m->decode.max_steps : room);
    }
    return st;
}

static at_status slot_end(run *r, worker *w, slot *s, at_status code, const char *text, int number)
{
    at_batch_chain *c = &r->out[s->place];
    double *rows = at_new(&w->results, double, (size_t)s->done + 1);
    if (!rows)
        return at_oom(&w->err);
    memcpy(rows, s->rows, (size_t)s->done * sizeof *rows);
    *c = (at_batch_chain){.n = s->done, .rows = rows, .margin = s->margin};
    s->busy = false;
    if (!code)
        return AT_OK;
    at_err why = {0};
    at_fail(&why, code, text, number);
    return chain_fail(w, c, &why);
}

/* What was read after the last row of a slot: as in generate.c. */
static at_status slot_take(run *r, worker *w, slot *s, const batch_word *word)
{
    const at_decode *rule = &r->b->m->decode;
    s->margin = fmin(s->margin, word->margin);
    if (!word->decided)
        return slot_end(r, w, s, AT_EBUDGET, "step %d: the row is undecided", s->done + 1);
    s->rows[s->done++] = word->token;
    if (rule->stop == AT_STOP_STEPS ? s->done == rule->max_steps : word->token == rule->value)
        return slot_end(r, w, s, AT_OK, NULL, 0);
    return s->done == s->steps ? slot_end(r, w, s, AT_EBUDGET, "no stop after %d steps", s->steps) : AT_OK;
}

/* Rows of a slot for the next step, up to `room`; memory for them and for what is read. */
static at_status slot_rows(run *r, worker *w, slot *s, int room, int *n, int *read)
{
    const at_input *x = &r->prompt[s->place];
    int all = x->n + s->done - s->fed, take = all < room ? all : room;
    at_status st = slot_reserve(r->b, s, s->fed + take, &w->err);
    if (!st && s->done == s->room) {
        int more = 2 * s->room + 64;
        double *rows = at_realloc(s->rows, (size_t)more * sizeof *rows);
        if (!rows)
            return at_oom(&w->err);
        s->rows = rows;
        s->room = more;
    }
    for (int i = 0; i < take && !st; i++, s->fed++) {
        double token = s->fed < x->n ? x->v[s->fed] : s->rows[s->fed - x->n];
        w->row[(*n)++] = (batch_row){s->cache, s->fed, (int)token, i == all - 1};
    }
    if (take == all)
        w->reader[(*read)++] = s;
    return st;
}

static at_status worker_step(run *r, worker *w, bool *idle)
{
    int n = 0, read = 0, more = MORE_ROWS, slots = r->slots < w->n_slots ? r->slots : w->n_slots;
    at_status st = AT_OK;
    for (int i = 0; i < slots && !st; i++) {
        slot *s = &w->slots[i];
        st = slot_fill(r, w, s);
        if (st || !s->busy)
            continue;
        int before = n;
        st = slot_rows(r, w, s, 1 + more, &n, &read);
        more -= n - before - 1;
    }
    *idle = n == 0;
    if (st || n == 0)
        return st;
    r->b->kernel->step(&r->b->plan, &w->work, w->row, n, w->word);
    for (int i = 0; i < read && !st; i++)
        st = slot_take(r, w, w->reader[i], &w->word[i]);
    return st;
}

static void worker_run(void *ctx, size_t i, int id)
{
    (void)id;
    run *r = ctx;
    worker *w = &r->b->workers[i];
    bool idle = false;
    at_status st = AT_OK;
    while (!st && !idle && !atomic_load_explicit(&r->failed, memory_order_relaxed))
        st = at_cancel_pending() ? at_fail(&w->err, AT_ECANCEL, "interrupted") : worker_step(r, w, &idle);
    if (st)
        atomic_store(&r->failed, true);
}

at_status at_batch_run(at_batch *b, const at_input *prompt, size_t count, at_batch_chain *out, at_err *err)
{
    size_t n = (size_t)b->n_workers, each = (count + n - 1) / n;
    run r = {.b = b, .prompt = prompt, .out = out, .count = count};
    r.slots = each < MOST_SLOTS ? (int)each : MOST_SLOTS;
    for (size_t i = 0; i < n; i++) {
        worker *w = &b->workers[i];
        at_arena_release(&w->results);
        w->err = (at_err){0};
        for (int k = 0; k < w->n_slots; k++)
            w->slots[k].busy = false; /* a run that failed may have left some */
    }
    at_status st = at_parallel(b->n_workers, n, worker_run, &r, err);
    for (size_t i = 0; i < n && !st; i++)
        if (b->workers[i].err.code)
            st = at_fail(err, b->workers[i].err.code, "%s", b->workers[i].err.text);
    return st;
}
