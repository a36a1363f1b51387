/* judge_train.c: what the trainer does, written down for a judge that shares no code with it (judge_train.py).
 *
 *     judge_train DIR          one DIR/NAME.safetensors for each configuration below; exit 1 when one cannot be made
 *
 * A file holds, of one training without dropout: the batches, the weights before, the gradient of the first batch, the
 * weights after STEPS steps of the loop (AdamW; the rate rises, then falls) and, a tensor, the largest |gradient| that
 * the loop met. Numbers are f64, so those of the f32 trainer are written exactly. What the judge must know besides
 * (architecture, AdamW, schedule) is in the metadata, under the names of attest/train.h.
 *
 * Weights: those that training starts from, but gains and biases are moved off 1 and 0, where they would hide faults.
 * Batches: sequence 0 has the full length, the others any; a quarter of the positions has no target.
 *
 * A new configuration is one row; a new kind of model also one entry of MODELS in judge_train.py. Two tables: the family of
 * decoders that the fast engine trains, and what imported models have beside them, which the plain engine trains. */
#include <attest/train.h>

#include <math.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS   50
#define WARMUP  10
#define BATCHES 4 /* step s takes batch s mod 4 */

enum { LEARNED = 1, NORM = 2, BIAS = 4, EVERY = 8 }; /* EVERY: all eight combinations of the other three */

static const struct {
    const char *name;
    at_attention_kind attention;
    int layers, heads, width, hidden, vocabulary, length, block, windows, ends, batch;
    unsigned flags;
} rows[] = {
    /* name             attention        L  H   D   U   R    T   B  k  c  n  */
    {"standard", AT_ATTENTION_STANDARD, 2, 2, 16, 0, 11, 29, 0, 1, 1, 5, EVERY},
    {"standard-two", AT_ATTENTION_STANDARD, 1, 1, 8, 24, 3, 2, 0, 1, 1, 3, NORM | BIAS},
    {"standard-49", AT_ATTENTION_STANDARD, 1, 8, 24, 40, 7, 49, 0, 1, 1, 3, LEARNED},
    {"standard-odd", AT_ATTENTION_STANDARD, 2, 8, 56, 72, 13, 101, 0, 1, 1, 3, NORM | BIAS},
    {"standard-wide", AT_ATTENTION_STANDARD, 2, 4, 128, 0, 64, 87, 0, 1, 1, 4, LEARNED},
    {"standard-long", AT_ATTENTION_STANDARD, 1, 4, 64, 0, 64, 221, 0, 1, 1, 2, NORM | BIAS},
    {"sparse", AT_ATTENTION_SPARSE, 2, 2, 16, 0, 11, 29, 0, 1, 1, 5, EVERY},
    {"sparse-k2c2", AT_ATTENTION_SPARSE, 2, 1, 24, 40, 7, 53, 5, 2, 2, 3, LEARNED},
    {"sparse-b1", AT_ATTENTION_SPARSE, 1, 2, 16, 0, 7, 30, 1, 3, 1, 3, NORM | BIAS},
    {"sparse-odd", AT_ATTENTION_SPARSE, 2, 8, 56, 72, 13, 101, 7, 3, 2, 3, NORM | BIAS},
    {"sparse-wide", AT_ATTENTION_SPARSE, 2, 4, 128, 0, 64, 87, 0, 1, 1, 4, LEARNED},
    {"sparse-long", AT_ATTENTION_SPARSE, 1, 4, 64, 0, 64, 221, 0, 1, 1, 2, NORM | BIAS},
    {"linear", AT_ATTENTION_LINEAR, 2, 2, 16, 0, 11, 29, 0, 1, 1, 5, EVERY},
    {"linear-49", AT_ATTENTION_LINEAR, 1, 1, 24, 40, 7, 49, 0, 1, 1, 3, LEARNED},
    {"linear-odd", AT_ATTENTION_LINEAR, 2, 8, 56, 72, 13, 101, 0, 1, 1, 3, NORM | BIAS},
    {"linear-wide", AT_ATTENTION_LINEAR, 2, 4, 128, 0, 64, 87, 0, 1, 1, 4, LEARNED},
    {"linear-long", AT_ATTENTION_LINEAR, 1, 4, 64, 0, 64, 221, 0, 1, 1, 2, NORM | BIAS},
};

/* What imported models are made of: decoders of two layers, attention and an MLP, softmax, with what a row says. */
static const struct parts {
    const char *name;
    at_norm_kind norm;
    at_act act;
    bool gated, parallel, tied, alibi, bias;
    int turned; /* coordinates of 8 */
    at_pairing pairing;
} parts[] = {
    {.name = "table", .act = AT_ACT_GELU, .bias = true}, /* none of them: what the others are changes of */
    {.name = "gelu-tanh", .act = AT_ACT_GELU_TANH, .bias = true},
    {.name = "silu", .act = AT_ACT_SILU, .bias = true},
    {.name = "gated", .act = AT_ACT_GELU, .bias = true, .gated = true},
    {.name = "rms", .act = AT_ACT_GELU, .bias = true, .norm = AT_NORM_RMS},
    {.name = "parallel", .act = AT_ACT_GELU, .bias = true, .parallel = true},
    {.name = "rotary", .act = AT_ACT_GELU, .bias = true, .turned = 8, .pairing = AT_PAIR_HALVES},
    {.name = "adjacent", .act = AT_ACT_GELU, .turned = 4, .pairing = AT_PAIR_ADJACENT},
    {.name = "alibi", .act = AT_ACT_GELU, .bias = true, .alibi = true},
    {.name = "tied", .act = AT_ACT_GELU, .bias = true, .tied = true},
    {.name = "llama",
     .act = AT_ACT_SILU,
     .gated = true,
     .norm = AT_NORM_RMS,
     .turned = 8,
     .pairing = AT_PAIR_HALVES},
    {.name = "neox",
     .act = AT_ACT_GELU,
     .bias = true,
     .parallel = true,
     .turned = 8,
     .pairing = AT_PAIR_HALVES},
    {.name = "gpt2", .act = AT_ACT_GELU_TANH, .bias = true, .tied = true},
    {.name = "all",
     .act = AT_ACT_GELU_TANH,
     .gated = true,
     .parallel = true,
     .tied = true,
     .alibi = true,
     .norm = AT_NORM_RMS,
     .turned = 4,
     .pairing = AT_PAIR_ADJACENT},
};
enum { LAYERS = 2, HEADS = 2, WIDTH = 16, HIDDEN = 24, WORDS = 11, LENGTH = 29, SEQUENCES = 5 };
#define PARTS_EPS   1e-5
#define PARTS_THETA 100

typedef struct {
    at_trainer *t;
    const struct parts *parts;                 /* NULL: of the fast family */
    int n, T;                                  /* sequences a batch, longest */
    int *token, *target;                       /* (BATCHES, n, T); target -1: none, and beyond the length */
    at_train_sequence *sequence;               /* (BATCHES, n) */
    double *before, *gradient, *after, *other; /* (parameters); other: the gradient of a later step */
    double *largest;                           /* (tensors) */
    int tensors;
    const at_train_tensor *tensor;
    at_train_loop loop;
} record;

static void parts_draw(at_model *m, uint64_t seed)
{
    for (int k = 0; k < m->n_tensors; k++) {
        const at_tensor *t = &m->tensors[k];
        size_t len = strlen(t->name);
        bool gain = !strcmp(t->name + len - 2, ".g"), slope = !strcmp(t->name + len - 5, "slope");
        at_rng g = at_rng_at(seed, (uint64_t)k);
        for (size_t i = 0; i < t->count; i++) {
            double v = at_rng_normal(&g) / sqrt(t->rank == 2 ? (double)t->shape[1] : 4);
            m->weights[t->offset + i] = (float)(slope ? ldexp(1, -3 * (int)i - 2) : gain ? 1 + 0.2 * v : v);
        }
    }
}

/* m is to be released in any case. */
static at_status parts_make(const struct parts *p, uint64_t seed, at_model *m, at_err *err)
{
    at_model_init(m);
    strcpy(m->name, p->name);
    m->width = WIDTH, m->n_min = 1, m->n_max = LENGTH, m->n_fields = 1, m->n_blocks = 2 * LAYERS,
    m->f32 = true;
    m->n_pos = !p->turned && !p->alibi;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, 2 * LAYERS);
    at_group *g = at_new(&m->arena, at_group, LAYERS);
    at_dense *d = at_new(&m->arena, at_dense, 2 * LAYERS);
    if (!m->fields || !m->pos || !m->blocks || !g || !d)
        return at_oom(err);
    m->fields[0] =
        (at_field){.name = "token", .kind = AT_FIELD_TOKEN, .size = WORDS, .embed = {.width = WIDTH}};
    m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = LENGTH, .embed = {.width = WIDTH}};
    for (int l = 0; l < LAYERS; l++) {
        at_block usual = {.residual = true, .norm = AT_NORM_PRE, .norm_kind = p->norm, .norm_eps = PARTS_EPS};
        at_block *a = &m->blocks[2 * l], *b = &m->blocks[2 * l + 1];
        *a = *b = usual;
        a->kind = AT_BLOCK_ATTN, a->groups = g + l, a->n_groups = 1;
        g[l] = (at_group){.heads = HEADS,
                          .dk = WIDTH / HEADS,
                          .dv = WIDTH / HEADS,
                          .scale = 1 / sqrt(WIDTH / HEADS),
                          .mask = {.kind = AT_MASK_CAUSAL},
                          .bias = p->bias,
                          .alibi = p->alibi,
                          .rotary = {p->turned, PARTS_THETA, p->pairing}};
        b->kind = AT_BLOCK_MLP, b->dense = d + 2 * l, b->n_dense = 2;
        b->act = p->act, b->gated = p->gated, b->parallel = p->parallel;
        b->dense[0].rows = HIDDEN, b->dense[1].rows = WIDTH;
    }
    m->readout = (at_readout){
        .rows = WORDS, .tied = p->tied, .final_norm = true, .norm_kind = p->norm, .norm_eps = PARTS_EPS};
    at_status s = at_model_layout(m, err);
    if (!s)
        parts_draw(m, seed);
    return s;
}

static at_status trainer_make(record *r, const at_train_arch *a, at_err *err)
{
    if (!r->parts)
        return at_trainer_new(a, at_f32, 0, &r->t, err);
    at_model m;
    at_train_options with = at_train_options_default;
    with.plain = true;
    at_status s = parts_make(r->parts, a->seed, &m, err);
    if (!s)
        s = at_trainer_from_model(&m, at_f32, 0, &with, &r->t, err);
    at_model_release(&m);
    return s;
}

static at_status record_begin(record *r, const at_train_arch *a, int n, at_err *err)
{
    at_status s = trainer_make(r, a, err);
    if (s)
        return s;
    size_t all = (size_t)BATCHES * (size_t)n * (size_t)a->length, p = at_trainer_parameters(r->t);
    r->n = n, r->T = a->length;
    r->tensors = at_trainer_tensors(r->t, &r->tensor);
    r->token = at_calloc(all, sizeof *r->token);
    r->target = at_calloc(all, sizeof *r->target);
    r->sequence = at_calloc((size_t)(BATCHES * n), sizeof *r->sequence);
    r->before = at_calloc(4 * p, sizeof *r->before);
    r->largest = at_calloc((size_t)r->tensors, sizeof *r->largest);
    if (!r->token || !r->target || !r->sequence || !r->before || !r->largest)
        return at_oom(err);
    r->gradient = r->before + p, r->after = r->before + 2 * p, r->other = r->before + 3 * p;
    at_rng g = at_rng_at(a->seed, 1 << 20);
    for (int i = 0; i < BATCHES * n; i++) {
        size_t at = (size_t)i * (size_t)r->T;
        int length = i % n ? 1 + (int)at_rng_below(&g, (uint64_t)r->T) : r->T;
        for (int k = 0; k < r->T; k++) {
            r->token[at + (size_t)k] = (int)at_rng_below(&g, (uint64_t)a->vocabulary);
            bool none = k >= length || (at_rng_below(&g, 4) == 0 && k != length - 1);
            int word = (int)at_rng_below(&g, (uint64_t)a->vocabulary);
            r->target[at + (size_t)k] = none ? -1 : word;
        }
        r->sequence[i] = (at_train_sequence){length, r->token + at, r->target + at};
    }
    at_trainer_read(r->t, r->before);
    for (int i = 0; !r->parts && i < r->tensors; i++) {
        const at_train_tensor *e = &r->tensor[i];
        size_t len = strlen(e->name);
        if (!strcmp(e->name + len - 2, ".g") || !strcmp(e->name + len - 2, ".b"))
            for (size_t k = 0; k < (size_t)e->rows * (size_t)e->cols; k++)
                r->before[e->offset + k] += 0.4 * at_rng_unit(&g) - 0.2;
    }
    if ((s = at_trainer_write(r->t, r->before, err)))
        return s;
    at_trainer_read(r->t, r->before); /* rounded to f32 */
    return AT_OK;
}

static void record_end(record *r)
{
    at_trainer_free(r->t);
    at_free(r->token);
    at_free(r->target);
    at_free(r->sequence);
    at_free(r->before);
    at_free(r->largest);
}

/* The batch of a step; on the way, the gradient that the step will see. */
static at_status source(void *ctx, uint64_t step, const at_train_sequence **batch, int *n, at_err *err)
{
    record *r = ctx;
    double loss;
    *batch = r->sequence + step % BATCHES * (size_t)r->n;
    *n = r->n;
    at_status s = at_trainer_gradient(r->t, *batch, *n, &loss, r->other, err);
    for (int i = 0; !s && i < r->tensors; i++)
        for (size_t k = 0; k < (size_t)r->tensor[i].rows * (size_t)r->tensor[i].cols; k++) {
            double v = r->other[r->tensor[i].offset + k];
            v = v < 0 ? -v : v;
            r->largest[i] = v > r->largest[i] ? v : r->largest[i];
        }
    return s;
}

/* ---- the file ------------------------------------------------------------------------------------------------- */

static size_t entry(json_t *head, const char *kind, const char *name, const char *type, int rows_, int cols,
                    size_t at)
{
    char full[AT_NAME_MAX + 32];
    size_t n = (size_t)rows_ * (size_t)cols * (strcmp(type, "F64") ? 4 : 8);
    snprintf(full, sizeof full, "%s%s%s", kind, *name ? "." : "", name);
    json_object_set_new(head, full,
                        json_pack("{s:s, s:[i,i], s:[I,I]}", "dtype", type, "shape", rows_, cols,
                                  "data_offsets", (json_int_t)at, (json_int_t)(at + n)));
    return at + n;
}

/* Metadata of safetensors are strings; reals in hexadecimal. */
static void real(json_t *meta, const char *key, double v)
{
    char text[40];
    snprintf(text, sizeof text, "%a", v);
    json_object_set_new(meta, key, json_string(text));
}

static json_t *header(const record *r, double loss)
{
    const at_train_arch *a = at_trainer_arch(r->t);
    json_t *head = json_object(), *meta = json_object();
    const struct parts *p = r->parts, none = {0};
    json_object_set_new(meta, "model", json_string(p ? "parts" : at_attention_names[a->attention]));
    json_object_set_new(meta, "act", json_string(at_act_parts[p ? p->act : AT_ACT_GELU].name));
    p = p ? p : &none;
    json_object_set_new(meta, "isa", json_string(at_trainer_isa(r->t)));
    const struct {
        const char *key;
        double v;
    } numbers[] = {{"layers", r->parts ? LAYERS : a->layers},
                   {"heads", r->parts ? HEADS : a->heads},
                   {"rms", p->norm == AT_NORM_RMS},
                   {"gated", p->gated},
                   {"parallel", p->parallel},
                   {"tied", p->tied},
                   {"alibi", p->alibi},
                   {"bias", p->bias},
                   {"turned", p->turned},
                   {"adjacent", p->pairing == AT_PAIR_ADJACENT},
                   {"theta", PARTS_THETA},
                   {"width", a->width},
                   {"block", a->block},
                   {"windows", a->windows},
                   {"ends", a->ends},
                   {"length", a->length},
                   {"learned_positions", a->learned_positions},
                   {"embed_norm", a->embed_norm},
                   {"head_bias", a->head_bias},
                   {"norm_eps", r->parts ? PARTS_EPS : a->norm_eps},
                   {"rate", r->loop.adamw.rate},
                   {"beta1", r->loop.adamw.beta1},
                   {"beta2", r->loop.adamw.beta2},
                   {"eps", r->loop.adamw.eps},
                   {"decay", r->loop.adamw.decay},
                   {"steps", (double)r->loop.steps},
                   {"warmup", (double)r->loop.warmup},
                   {"loss", loss}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        real(meta, numbers[i].key, numbers[i].v);
    json_object_set_new(head, "__metadata__", meta);
    static const char *const kinds[] = {"before", "gradient", "after"};
    size_t at = 0;
    for (size_t k = 0; k < 3; k++)
        for (int i = 0; i < r->tensors; i++)
            at = entry(head, kinds[k], r->tensor[i].name, "F64", r->tensor[i].rows, r->tensor[i].cols, at);
    for (int i = 0; i < r->tensors; i++)
        at = entry(head, "largest", r->tensor[i].name, "F64", 1, 1, at);
    at = entry(head, "token", "", "I32", BATCHES * r->n, r->T, at);
    entry(head, "target", "", "I32", BATCHES * r->n, r->T, at);
    return head;
}

static bool record_write(const record *r, double loss, const char *path)
{
    json_t *head = header(r, loss);
    char *text = json_dumps(head, JSON_COMPACT);
    json_decref(head);
    FILE *f = text ? fopen(path, "wb") : NULL;
    if (!f) {
        free(text);
        return false;
    }
    uint64_t n = strlen(text);
    size_t p = at_trainer_parameters(r->t), words = (size_t)(BATCHES * r->n) * (size_t)r->T;
    bool good = fwrite(&n, 8, 1, f) == 1 && fwrite(text, 1, n, f) == n && fwrite(r->before, 8, p, f) == p &&
                fwrite(r->gradient, 8, p, f) == p && fwrite(r->after, 8, p, f) == p &&
                fwrite(r->largest, 8, (size_t)r->tensors, f) == (size_t)r->tensors &&
                fwrite(r->token, 4, words, f) == words && fwrite(r->target, 4, words, f) == words;
    free(text);
    return !fclose(f) && good;
}

static bool configuration(const char *dir, const char *name, const at_train_arch *a, const struct parts *p,
                          int n)
{
    at_err err = {0};
    record r = {.parts = p};
    double loss = 0, last;
    char path[4096];
    snprintf(path, sizeof path, "%.4000s/%s.safetensors", dir, name);
    /* a rate and a decay that move every weight well above the tolerance */
    r.loop = (at_train_loop){.steps = STEPS, .adamw = at_adamw_default, .warmup = WARMUP, .decay_rate = true};
    r.loop.adamw.rate = 1e-3;
    r.loop.adamw.decay = 0.1;
    at_status s = record_begin(&r, a, n, &err);
    if (!s)
        s = at_trainer_gradient(r.t, r.sequence, n, &loss, r.gradient, &err);
    if (!s)
        s = at_train_run(r.t, &r.loop, source, &r, &last, &err);
    if (!s) {
        at_trainer_read(r.t, r.after);
        if (!record_write(&r, loss, path))
            s = at_fail(&err, AT_EIO, "cannot write %.200s", path);
    }
    record_end(&r);
    if (s)
        fprintf(stderr, "judge_train: %s: %s\n", name, err.text);
    return !s;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: judge_train DIR\n");
        return 2;
    }
    bool good = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned f = 0; f < (rows[i].flags == EVERY ? EVERY : 1); f++) {
            unsigned flags = rows[i].flags == EVERY ? f : rows[i].flags;
            at_train_arch a = at_train_arch_default;
            a.attention = rows[i].attention;
            a.layers = rows[i].layers, a.heads = rows[i].heads, a.width = rows[i].width;
            a.hidden = rows[i].hidden, a.vocabulary = rows[i].vocabulary, a.length = rows[i].length;
            a.block = rows[i].block, a.windows = rows[i].windows, a.ends = rows[i].ends;
            a.learned_positions = flags & LEARNED, a.embed_norm = flags & NORM, a.head_bias = flags & BIAS;
            a.dropout = 0;
            a.seed = i + 1;
            char name[64];
            snprintf(name, sizeof name, "%02zu%u %s", i, flags, rows[i].name);
            *strchr(name, ' ') = '-';
            good &= configuration(argv[1], name, &a, NULL, rows[i].batch);
        }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        at_train_arch a = {.vocabulary = WORDS, .length = LENGTH, .seed = i + 1};
        char name[64];
        snprintf(name, sizeof name, "parts%02zu-%s", i, parts[i].name);
        good &= configuration(argv[1], name, &a, &parts[i], SEQUENCES);
    }
    return good ? 0 : 1;
}
