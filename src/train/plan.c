/* plan.c: from an architecture to a plan: ranges checked, defaults filled in, every parameter given its place.
 *
 * Parameters lie one after another in the order of the tensor table; q, k and v of a layer are three tensors and, side by
 * side, the one matrix (3 D, D) that the pass multiplies by. */
#include "train_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const at_train_arch at_train_arch_default = {.attention = AT_ATTENTION_STANDARD,
                                             .layers = 3,
                                             .heads = 4,
                                             .width = 64,
                                             .vocabulary = 64,
                                             .length = 128,
                                             .windows = 1,
                                             .ends = 1,
                                             .head_bias = true,
                                             .embed_norm = true,
                                             .norm_eps = 1e-5,
                                             .dropout = 0.1,
                                             .seed = 1};

const at_adamw at_adamw_default = {1e-4, 0.9, 0.999, 1e-8, 0.01, 0};

#define MAX_LAYERS   128
#define SLOT_BYTES   ((size_t)32 << 20)
#define SLOTS_CHOSEN 16
#define SLOPE_BYTES  ((size_t)4 << 20) /* slopes of GeLU kept a sequence; more are computed again ... */
#define LEAN_LENGTH  192 /* ... where sequences are so long that copying weights for each costs little */

static at_status in_range(const char *what, int64_t v, int64_t lo, int64_t hi, at_err *err)
{
    if (v >= lo && v <= hi)
        return AT_OK;
    return at_fail(err, AT_EDOMAIN, "%s is %lld; allowed: %lld..%lld", what, (long long)v, (long long)lo,
                   (long long)hi);
}

static at_status arch_check(const at_train_arch *a, at_err *err)
{
    const struct {
        const char *what;
        int64_t v, lo, hi;
    } ranges[] = {{"attention", (int64_t)a->attention, 0, AT_TRAINED_ATTENTIONS - 1},
                  {"layers", a->layers, 1, MAX_LAYERS},
                  {"width", a->width, 8, 8192},
                  {"heads", a->heads, 1, a->width},
                  {"hidden", a->hidden, 8, AT_MAX_WIDTH},
                  {"vocabulary", a->vocabulary, 1, AT_MAX_WIDTH},
                  {"length", a->length, 1, 65536},
                  {"slots", a->slots, 1, TRAIN_MAX_SLOTS}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (in_range(ranges[i].what, ranges[i].v, ranges[i].lo, ranges[i].hi, err))
            return AT_EDOMAIN;
    if (a->width % 8 || a->hidden % 8)
        return at_fail(err, AT_EDOMAIN, "width %d and hidden %d must be multiples of 8", a->width, a->hidden);
    if (a->width % a->heads)
        return at_fail(err, AT_EDOMAIN, "width %d is no multiple of %d heads", a->width, a->heads);
    if (a->slots & (a->slots - 1))
        return at_fail(err, AT_EDOMAIN, "slots is %d; it must be a power of 2", a->slots);
    if (!(a->dropout >= 0 && a->dropout < 0.999))
        return at_fail(err, AT_EDOMAIN, "dropout is %g; allowed: 0 to 0.999", a->dropout);
    if (!(a->norm_eps > 0 && a->norm_eps < 1))
        return at_fail(err, AT_EDOMAIN, "norm_eps is %g; allowed: above 0, below 1", a->norm_eps);
    if (a->attention != AT_ATTENTION_SPARSE)
        return AT_OK;
    at_status s = in_range("block", a->block, 1, AT_MAX_LENGTH, err);
    if (!s)
        s = in_range("windows", a->windows, 1, AT_MAX_LENGTH, err);
    return s ? s : in_range("ends", a->ends, 1, a->block, err);
}

int train_ends_before(const train_plan *p, int j)
{
    int B = p->a.block, c = p->a.ends, over = j % B - (B - c);
    return j / B * c + (over > 0 ? over : 0);
}

/* ---- places ----------------------------------------------------------------------------------------------- */

/* One walk over all parameters; the first pass counts tensors, the second names them. */
typedef struct {
    train_plan *p;
    size_t panel; /* NR */
    int tensors;
} walk;

static size_t meet(walk *w, int rows, int cols, const char *name, int layer)
{
    train_plan *p = w->p;
    if (p->tensor) {
        at_train_tensor *t = &p->tensor[w->tensors];
        if (layer >= 0)
            snprintf(t->name, sizeof t->name, "layer.%d.%s", layer, name);
        else
            snprintf(t->name, sizeof t->name, "%s", name);
        t->rows = rows;
        t->cols = cols;
        t->offset = p->n;
    }
    w->tensors++;
    size_t at = p->n;
    p->n += (size_t)rows * (size_t)cols;
    return at;
}

static size_t meet_norm(walk *w, const char *g, const char *b, int layer)
{
    size_t at = meet(w, 1, w->p->D, g, layer);
    meet(w, 1, w->p->D, b, layer);
    return at;
}

static void meet_packed(walk *w, train_linear *m)
{
    size_t NR = w->panel, out = ((size_t)m->out + NR - 1) / NR * NR;
    size_t *at = &w->p->packed;
    m->forward = *at, *at += w->p->lean ? 0 : (out * (size_t)m->in + 15) / 16 * 16;
    m->bias = *at, *at += (out + 15) / 16 * 16;
}

static void meet_linear(walk *w, train_linear *m, int out, int in, const char *name, const char *bias,
                        int layer)
{
    m->out = out;
    m->in = in;
    m->w = meet(w, out, in, name, layer);
    m->b = bias ? meet(w, 1, out, bias, layer) : SIZE_MAX;
    meet_packed(w, m);
}

static int places(train_plan *p, int panel)
{
    walk w = {p, (size_t)panel, 0};
    p->n = p->packed = 0;
    int D = p->D;
    p->token = meet(&w, p->R, D, "token", -1);
    p->position = p->a.learned_positions ? meet(&w, p->T, D, "position", -1) : SIZE_MAX;
    p->norm0 = p->a.embed_norm ? meet_norm(&w, "norm0.g", "norm0.b", -1) : SIZE_MAX;
    for (int l = 0; l < p->a.layers; l++) {
        train_layer *a = &p->layer[l];
        a->norm1 = meet_norm(&w, "norm1.g", "norm1.b", l);
        a->qkv = (train_linear){.out = 3 * D, .in = D};
        a->qkv.w = meet(&w, D, D, "q.w", l);
        meet(&w, D, D, "k.w", l);
        meet(&w, D, D, "v.w", l);
        a->qkv.b = meet(&w, 1, D, "q.b", l);
        meet(&w, 1, D, "k.b", l);
        meet(&w, 1, D, "v.b", l);
        meet_packed(&w, &a->qkv);
        meet_linear(&w, &a->proj, D, D, "proj.w", "proj.b", l);
        a->norm2 = meet_norm(&w, "norm2.g", "norm2.b", l);
        meet_linear(&w, &a->fc1, p->U, D, "fc1.w", "fc1.b", l);
        meet_linear(&w, &a->fc2, D, p->U, "fc2.w", "fc2.b", l);
    }
    p->norm = meet_norm(&w, "norm.g", "norm.b", -1);
    meet_linear(&w, &p->head, p->R, D, "head.w", p->a.head_bias ? "head.b" : NULL, -1);
    return w.tensors;
}

const train_linear *train_matrix(const train_plan *p, int i)
{
    if (i == p->a.layers * 4)
        return &p->head;
    const train_layer *a = &p->layer[i / 4];
    const train_linear *of[] = {&a->qkv, &a->proj, &a->fc1, &a->fc2};
    return of[i % 4];
}

static at_status sinusoids(train_plan *p, at_arena *arena, at_err *err)
{
    if (p->a.learned_positions)
        return AT_OK;
    if (!(p->sinusoid = at_new(arena, double, (size_t)p->T *(size_t)p->D)))
        return at_oom(err);
    for (int k = 0; k < p->D / 2; k++) {
        double slow = at_pow(10000, 2.0 * k / p->D), *to = p->sinusoid + 2 * (size_t)k;
        for (int t = 0; t < p->T; t++, to += p->D) {
            to[0] = at_sin((t + 1) / slow);
            to[1] = at_cos((t + 1) / slow);
        }
    }
    return AT_OK;
}

int train_slots(size_t n)
{
    int slots = 2;
    while (slots < SLOTS_CHOSEN && 2 * (size_t)slots * n * sizeof(float) <= SLOT_BYTES)
        slots *= 2;
    return slots;
}

at_status train_plan_places(const at_train_arch *arch, int panel, at_arena *arena, train_plan *p, at_err *err)
{
    *p = (train_plan){.a = *arch};
    at_train_arch *a = &p->a;
    bool choose = a->slots == 0;
    a->hidden = a->hidden ? a->hidden : a->width > 0 && a->width <= 8192 ? 4 * a->width : 0;
    a->slots = a->slots ? a->slots : 1;
    if (a->attention == AT_ATTENTION_SPARSE && a->block == 0 && a->length > 0)
        for (a->block = 1; 4 * (int64_t)a->block * a->block <= a->length;)
            a->block *= 2;
    at_status s = arch_check(a, err);
    if (s)
        return s;
    p->D = a->width, p->H = a->heads, p->d = a->width / a->heads, p->U = a->hidden;
    p->R = p->V = a->vocabulary, p->T = a->length, p->least = 1;
    p->threshold = (uint32_t)lround(a->dropout * 65536);
    p->n_matrices = a->layers * 4 + 1;
    p->lean =
        p->T >= LEAN_LENGTH && (size_t)a->layers * (size_t)p->T * (size_t)p->U * sizeof(float) > SLOPE_BYTES;
    if (!(p->layer = at_new(arena, train_layer, a->layers)))
        return at_oom(err);
    p->n_tensors = places(p, panel);
    if (p->n > AT_MAX_WEIGHTS)
        return at_fail(err, AT_EDOMAIN, "%zu parameters; at most %zu", p->n, AT_MAX_WEIGHTS);
    if (!(p->tensor = at_new(arena, at_train_tensor, p->n_tensors)))
        return at_oom(err);
    places(p, panel);
    if (choose)
        a->slots = train_slots(p->n);
    return AT_OK;
}

at_status train_plan_make(const at_train_arch *arch, int panel, at_arena *arena, train_plan *p, at_err *err)
{
    at_status s = train_plan_places(arch, panel, arena, p, err);
    if (s)
        return s;
    const at_train_arch *a = &p->a;
    if (a->attention == AT_ATTENTION_SPARSE) {
        p->n_ends = train_ends_before(p, p->T);
        if (!(p->end = at_new(arena, uint8_t, p->T)))
            return at_oom(err);
        for (int j = 0; j < p->T; j++)
            p->end[j] = j % a->block >= a->block - a->ends;
    }
    return sinusoids(p, arena, err);
}
