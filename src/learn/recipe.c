/* recipe.c: recipes as text: one table of names, ranges and defaults, by which they are read, printed and explained.
 *
 * A new setting is a field of at_recipe, a row here, and its line in `value`. */
#include "learn_internal.h"

enum {
    NET,
    ATTENTION,
    WIDTH,
    LAYERS,
    HEADS,
    HIDDEN,
    BLOCK,
    WINDOWS,
    ENDS,
    POSITIONS,
    LENGTH,
    WORDS,
    NORM0,
    BIAS,
    DROPOUT,
    BATCH,
    STEPS,
    RATE,
    BETA1,
    BETA2,
    DECAY,
    SPARED,
    CLIP,
    WARMUP,
    FALL,
    HOLD,
    ZERO,
    SAMPLES,
    DISTINCT,
    EXAMS,
    EXAM_COUNT,
    COUNT,
    ENOUGH,
    PATIENCE,
    SEED,
    SETTINGS
};

static const char *const positions[] = {"sinusoidal", "learned", NULL};
#define MANY 9007199254740992.0 /* 2^53: what a double counts to */

const at_param at_recipe_params[] = {
    [NET] = {"net", "decoder, or another net: see `attest help train`", 0, AT_LEARN_NETS - 1, 0, true,
             at_learn_net_names},
    [ATTENTION] = {"attention", "standard, sparse or linear", 0, AT_TRAINED_ATTENTIONS - 1, 0, true,
                   at_attention_names},
    [WIDTH] = {"width", "D, of decoders a multiple of 8, and of the heads", 1, 8192, 64, true, NULL},
    [LAYERS] = {"layers", "pairs of attention and MLP; cells; hidden layers (ffn)", 1, 64, 3, true, NULL},
    [HEADS] = {"heads", "of each layer", 1, 256, 4, true, NULL},
    [HIDDEN] = {"hidden", "units of an MLP; 0: 4 D. tanh, gru: of the state; 0: D", 0, 65536, 0, true, NULL},
    [BLOCK] = {"block", "sparse: B; 0: 2^floor(log2 sqrt(length))", 0, 65536, 0, true, NULL},
    [WINDOWS] = {"windows", "sparse: k, blocks in the window", 1, 65536, 1, true, NULL},
    [ENDS] = {"ends", "sparse: c, last positions of a block that all may see", 1, 65536, 1, true, NULL},
    [POSITIONS] = {"positions", "sinusoidal or learned", 0, 1, 0, true, positions},
    [LENGTH] = {"length", "the longest row it has room for; 0: that of the stream", 0, 65536, 0, true, NULL},
    [WORDS] = {"words", "their embeddings begin uniform in +- this; 0: Xavier", 0, 100, 0, false, NULL},
    [NORM0] = {"norm0", "LayerNorm after the embedding", 0, 1, 1, true, NULL},
    [BIAS] = {"bias", "of the output head", 0, 1, 1, true, NULL},
    [DROPOUT] = {"dropout", "share that is dropped", 0, 0.9, 0.1, false, NULL},
    [BATCH] = {"batch", "rows of a step", 1, LESSON_BATCH_MOST, 64, true, NULL},
    [STEPS] = {"steps", "of AdamW", 1, 1e9, 10000, true, NULL},
    [RATE] = {"rate", "the largest step size", 0, 1, 1e-3, false, NULL},
    [BETA1] = {"beta1", "of AdamW", 0, 0.9999, 0.9, false, NULL},
    [BETA2] = {"beta2", "of AdamW", 0, 0.999999, 0.999, false, NULL},
    [DECAY] = {"decay", "of weights", 0, 1, 0.01, false, NULL},
    [SPARED] = {"spared", "from decay: none, biases, or norms and biases", 0, AT_SPARED_NORMS, 0, true,
                at_spared_names},
    [CLIP] = {"clip", "the largest norm of a gradient; 0: as it is", 0, 1e9, 0, false, NULL},
    [WARMUP] = {"warmup", "steps over which the rate rises", 0, 1e9, 200, true, NULL},
    [FALL] = {"fall", "1: then the rate falls linearly to 0", 0, 1, 1, true, NULL},
    [HOLD] = {"hold", "steps between changes of the rate", 1, 1e9, 1, true, NULL},
    [ZERO] = {"zero", "1: the rate rises from 0, a stretch of `hold` later", 0, 1, 0, true, NULL},
    [SAMPLES] = {"samples", "of an epoch; 0: no sample comes twice", 0, MANY, 0, true, NULL},
    [DISTINCT] = {"distinct", "1: rows of an epoch differ, and prompts of an exam", 0, 1, 0, true, NULL},
    [EXAMS] = {"exams", "steps between exams; 0: one, at the end", 0, 1e9, 500, true, NULL},
    [EXAM_COUNT] = {"prompts", "of an exam on the way", 1, 1e6, 200, true, NULL},
    [COUNT] = {"count", "prompts of the last exam", 1, 1e8, 1000, true, NULL},
    [ENOUGH] = {"enough", "share of right answers that ends it; 2: none does", 0, 2, 2, false, NULL},
    [PATIENCE] = {"patience", "exams without a better one that end it; 0: never", 0, 1e6, 0, true, NULL},
    [SEED] = {"seed", "of weights, dropout and samples", 0, MANY, 1, true, NULL},
};
const int at_n_recipe_params = SETTINGS;
_Static_assert(SETTINGS <= AT_PARAMS_MAX, "a recipe has too many settings");

/* Every field beside its row: `value` to params when out is false, back when it is true. */
static void value(at_recipe *r, double *v, bool out)
{
    at_train_arch *a = &r->arch;
#define MOVE(ROW, FIELD, TYPE)                                                                               \
    do {                                                                                                     \
        if (out)                                                                                             \
            FIELD = (TYPE)v[ROW];                                                                            \
        else                                                                                                 \
            v[ROW] = (double)FIELD;                                                                          \
    } while (0)
    MOVE(NET, r->net, at_learn_net);
    MOVE(ATTENTION, a->attention, at_attention_kind);
    MOVE(WIDTH, a->width, int);
    MOVE(LAYERS, a->layers, int);
    MOVE(HEADS, a->heads, int);
    MOVE(HIDDEN, a->hidden, int);
    MOVE(BLOCK, a->block, int);
    MOVE(WINDOWS, a->windows, int);
    MOVE(ENDS, a->ends, int);
    MOVE(POSITIONS, a->learned_positions, bool);
    MOVE(LENGTH, a->length, int);
    MOVE(WORDS, a->token_range, double);
    MOVE(NORM0, a->embed_norm, bool);
    MOVE(BIAS, a->head_bias, bool);
    MOVE(DROPOUT, a->dropout, double);
    MOVE(BATCH, r->batch, int);
    MOVE(STEPS, r->steps, uint64_t);
    MOVE(RATE, r->adamw.rate, double);
    MOVE(BETA1, r->adamw.beta1, double);
    MOVE(BETA2, r->adamw.beta2, double);
    MOVE(DECAY, r->adamw.decay, double);
    MOVE(SPARED, r->spared, at_spared);
    MOVE(CLIP, r->adamw.clip, double);
    MOVE(WARMUP, r->warmup, uint64_t);
    MOVE(FALL, r->decay_rate, bool);
    MOVE(HOLD, r->hold, uint64_t);
    MOVE(ZERO, r->from_zero, bool);
    MOVE(SAMPLES, r->samples, uint64_t);
    MOVE(DISTINCT, r->distinct, bool);
    MOVE(EXAMS, r->exam_every, uint64_t);
    MOVE(EXAM_COUNT, r->exam_count, uint64_t);
    MOVE(COUNT, r->count, uint64_t);
    MOVE(ENOUGH, r->enough, double);
    MOVE(PATIENCE, r->patience, uint64_t);
    MOVE(SEED, r->seed, uint64_t);
#undef MOVE
}

/* What nets as theorems have them begin with, unless told. */
static const struct {
    int row;
    double value;
} units[] = {{LAYERS, 1}, {HEADS, 1}, {DROPOUT, 0}, {WORDS, 1}};

void at_recipe_init(at_recipe *r)
{
    at_params p;
    at_params_init(&p, at_recipe_params, SETTINGS);
    *r = (at_recipe){.arch = at_train_arch_default, .adamw = at_adamw_default};
    value(r, p.value, true);
}

at_status at_recipe_set(at_recipe *r, const char *assignments, at_err *err)
{
    at_params p;
    at_params_init(&p, at_recipe_params, SETTINGS);
    value(r, p.value, false);
    at_status s = at_params_parse(&p, assignments, err);
    bool pure =
        !s && at_assignments_name(assignments, "net") && at_learn_net_pure((at_learn_net)p.value[NET]);
    for (size_t k = 0; pure && k < sizeof units / sizeof *units; k++)
        if (!at_assignments_name(assignments, at_recipe_params[units[k].row].name))
            p.value[units[k].row] = units[k].value;
    if (!s)
        value(r, p.value, true);
    return s;
}

void at_recipe_print(const at_recipe *r, at_text *out)
{
    at_params p;
    at_recipe same = *r;
    at_params_init(&p, at_recipe_params, SETTINGS);
    value(&same, p.value, false);
    at_params_print(&p, out);
}
