/* random.c: the rival of every refuter: inputs at random, kept by what came out.
 *
 * A table maps (position, output) to the input that gave it first. An output met again with another target is a pair; it is
 * verified before it counts. Real outputs are kept on a grid of `same`, so that equal ones meet nearly always. */
#include "refute_internal.h"

#include <math.h>
#include <string.h>

typedef struct {
    uint64_t output, target; /* hashes; output 0: free */
    uint64_t index;
} slot;

typedef struct {
    slot *slot;
    uint64_t size, used; /* size a power of two */
} table;

static slot *table_find(const table *t, uint64_t output)
{
    uint64_t k = output & (t->size - 1);
    while (t->slot[k].output && t->slot[k].output != output)
        k = (k + 1) & (t->size - 1);
    return &t->slot[k];
}

/* Of a chain: the numbers behind its rows, which say what the rows are. */
static at_status chain_hash(const at_subject *s, const at_input *x, const at_answer *y, at_arena *a,
                            uint64_t *out, at_err *err)
{
    const double *value;
    size_t n;
    at_status bad = subject_readouts(s, x, y, a, &value, &n, err);
    *out = bad ? 1 : at_hash64(value, n * sizeof *value, 1) | 1;
    return bad;
}

static uint64_t output_hash(const at_subject *s, const at_answer *y, int i)
{
    uint64_t h = (uint64_t)i + 1;
    for (int k = 0; k < y->values; k++) {
        double v = y->value[(size_t)i * (size_t)y->values + (size_t)k];
        if (s->task->real)
            v = nearbyint(v / subject_same(s));
        v += 0.0; /* -0 is 0 */
        h = at_hash64(&v, sizeof v, h);
    }
    return h | 1;
}

static uint64_t target_hash(const at_subject *s, const at_answer *y, int i)
{
    size_t w = (size_t)y->width;
    return s->chain ? at_hash64(y->right, (size_t)y->n_right * w * sizeof *y->right, 2)
                    : at_hash64(y->right + (size_t)i * w, w * sizeof *y->right, 2);
}

/* Input `index` of the seed, and what the model says. */
static at_status one_answer(const at_subject *s, const at_refute_env *env, uint64_t index, double *x,
                            at_input *in, at_arena *a, at_answer *out, at_err *err)
{
    int n;
    at_status bad = subject_draw(s, env->seed, index, x, &n, err);
    *in = (at_input){n, x};
    return bad ? bad : at_subject_answer(s, in, a, out, err);
}

static at_status one_try(const at_subject *s, const at_refute_env *env, table *t, uint64_t index, double *x,
                         double *twin, at_random_search *out, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    at_pair p = {0};
    at_answer y;
    at_status bad = one_answer(s, env, index, x, &p.x[0], &a, &y, err);
    int places = bad ? 0 : s->chain ? 1 : y.n;
    out->wrong = out->wrong || (!bad && !y.correct);
    for (int i = 0; i < places && !bad && !out->pair; i++) {
        uint64_t h = 0, target = target_hash(s, &y, i);
        if (!s->chain)
            h = output_hash(s, &y, i);
        else if ((bad = chain_hash(s, &p.x[0], &y, &a, &h, err)))
            break;
        slot *k = table_find(t, h);
        if (!k->output && t->used < t->size / 4 * 3) {
            *k = (slot){h, target, index};
            t->used++;
        } else if (k->output && k->target != target) {
            at_tri is;
            at_answer both[2];
            bad = one_answer(s, env, k->index, twin, &p.x[1], &a, &both[1], err);
            if (!bad)
                bad = at_pair_verify(s, &p, &a, &is, both, NULL, err);
            out->pair = !bad && is == AT_TRUE;
        }
    }
    at_arena_release(&a);
    return bad;
}

at_status at_refute_random(const at_subject *s, const at_refute_env *env, at_random_search *out, at_err *err)
{
    static const at_refute_env none; /* what NULL means */
    env = env ? env : &none;
    *out = (at_random_search){0};
    if (!(env->work > 0) && !env->states)
        return at_fail(err, AT_EINPUT, "random search needs a budget: work or a number of inputs");
    double cost = work_of_input(s);
    at_refute_env left = work_left(env, &(at_pair){0}, cost);
    int length = subject_length_max(s);
    size_t numbers = (size_t)length * (size_t)subject_row(s);
    size_t memory = env->memory ? env->memory : (size_t)1 << 26;
    table t = {.size = 1024};
    while (2 * t.size * sizeof(slot) <= memory && t.size < (uint64_t)1 << 24 &&
           t.size / 4 / (uint64_t)(length ? length : 1) < left.states)
        t.size *= 2;
    t.slot = at_calloc(t.size, sizeof *t.slot);
    double *x = at_calloc(numbers + 1, sizeof *x), *twin = at_calloc(numbers + 1, sizeof *twin);
    at_status bad = t.slot && x && twin ? AT_OK : at_oom(err);
    for (; !bad && !out->pair && !at_refute_over(&left, out->tried, 0); out->tried++) {
        if (out->tried % 256 == 0)
            at_progress_tick(env->progress, "random search", (double)out->tried, (double)left.states);
        bad = one_try(s, env, &t, out->tried, x, twin, out, err);
    }
    out->work = (double)out->tried * cost;
    at_free(t.slot);
    at_free(x);
    at_free(twin);
    return bad;
}
