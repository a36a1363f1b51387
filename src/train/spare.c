/* spare.c: vectors (biases, norms) that are trained but not decayed.
 *
 * The step of AdamW walks all parameters in whole vectors of the machine, and tensors do not begin where those do. So what is
 * spared takes its step aside, without decay, before the walk, and is put in its place behind it. */
#include "train_internal.h"

#include <string.h>

#define SOME 64 /* numbers that take their step at a time; a multiple of every machine's vector */

typedef struct {
    size_t from, to; /* among the parameters */
    size_t at;       /* among what is spared */
} piece;

/* Tensor k within lo..hi; false: it is not there, or not spared. */
static bool piece_of(const at_trainer *t, int k, size_t lo, size_t hi, piece *out)
{
    const at_train_tensor *e = &t->plan.tensor[k];
    size_t end = e->offset + (size_t)e->rows * (size_t)e->cols;
    out->from = e->offset > lo ? e->offset : lo;
    out->to = end < hi ? end : hi;
    if (t->spared[k] == SIZE_MAX || out->from >= out->to)
        return false;
    out->at = t->spared[k] + (out->from - e->offset);
    return true;
}

static void piece_step(const at_trainer *t, const at_adamw *o, double scale, const piece *p)
{
    size_t z = t->kernel->size;
    const void *of[4] = {t->weights, t->moment1, t->moment2, t->gradient};
    for (size_t i = p->from, n; i < p->to; i += n) {
        _Alignas(64) char x[4][SOME * sizeof(double)] = {0};
        n = p->to - i < SOME ? p->to - i : SOME;
        for (int k = 0; k < 4; k++)
            memcpy(x[k], (const char *)of[k] + i * z, n * z);
        t->kernel->update(o, scale, t->steps + 1, x[0], x[1], x[2], x[3], 0, n);
        for (int k = 0; k < 3; k++)
            memcpy((char *)t->aside[k] + (p->at + (i - p->from)) * z, x[k], n * z);
    }
}

void train_spared_step(const at_trainer *t, const at_adamw *o, double scale, size_t lo, size_t hi)
{
    at_adamw still = *o;
    piece p;
    still.decay = 0;
    for (int k = 0; t->spared && k < t->plan.n_tensors; k++)
        if (piece_of(t, k, lo, hi, &p))
            piece_step(t, &still, scale, &p);
}

void train_spared_place(const at_trainer *t, size_t lo, size_t hi)
{
    size_t z = t->kernel->size;
    void *of[3] = {t->weights, t->moment1, t->moment2};
    piece p;
    for (int k = 0; t->spared && k < t->plan.n_tensors; k++)
        for (int i = 0; piece_of(t, k, lo, hi, &p) && i < 3; i++)
            memcpy((char *)of[i] + p.from * z, (const char *)t->aside[i] + p.at * z, (p.to - p.from) * z);
}

const char *const at_spared_names[] = {"none", "biases", "norms", NULL};

static bool is_spared(const at_train_tensor *e, at_spared which)
{
    size_t n = strlen(e->name);
    bool gain = n > 2 && !strcmp(e->name + n - 2, ".g");
    return e->rows == 1 && (which == AT_SPARED_NORMS || (which == AT_SPARED_BIASES && !gain));
}

at_status at_trainer_spare(at_trainer *t, at_spared which, at_err *err)
{
    size_t all = 0, *spared = at_new(&t->arena, size_t, t->plan.n_tensors);
    if (!spared)
        return at_oom(err);
    for (int k = 0; k < t->plan.n_tensors; k++) {
        bool here = is_spared(&t->plan.tensor[k], which);
        spared[k] = here ? all : SIZE_MAX;
        all += here ? (size_t)t->plan.tensor[k].cols : 0;
    }
    for (int k = 0; k < 3 && all; k++)
        if (!(t->aside[k] = at_arena_alloc(&t->arena, all, t->kernel->size)))
            return at_oom(err);
    t->spared = all ? spared : NULL;
    return AT_OK;
}
