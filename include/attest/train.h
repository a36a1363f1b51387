/* train.h: training: forward, backward, AdamW, loop, checkpoints. Knows no task: it is given sequences.
 *
 * Two engines. A fast one for one family of decoders (below), and a plain one that walks any model, constructed or trained: of any fields,
 * with decisions or reals as answers; at_trainer_from_model chooses.
 *
 *     at_train_arch a = at_train_arch_default;          // 3 layers, 4 heads, width 64, dropout 0.1, ...
 *     a.vocabulary = 20, a.length = 87;
 *     at_trainer *t;
 *     at_trainer_new(&a, at_f32, 2, &t, &err);          // Xavier weights from a.seed; 2 threads
 *     at_trainer_step(t, batch, n, &at_adamw_default, &loss, &err);
 *     at_trainer_model(t, n_min, &m, &err);             // the plain model, for at_run, at_generate, ...
 *     at_trainer_free(t);
 *
 * Legend: T positions of a sequence, D width, H heads, d = D/H, U hidden units, R words of the vocabulary.
 *
 *     x = drop(norm0?(token[x] + position))
 *     layer: x += drop(proj(attention(norm1(x))))            softmax weights are dropped too
 *            x += drop(fc2(gelu(fc1(norm2(x)))))
 *     logits = head(norm(x));  loss = mean cross entropy over the positions that have a target
 *
 * The same calls give the same bits whatever the number of threads: sequence i of a batch is added to gradient slot
 * i mod S, slots are added as a tree, and dropout is a function of (seed, step, sequence, layer, place). Nor do they depend
 * on the number of ranks (at_trainer_ranks). */
#ifndef ATTEST_TRAIN_H
#define ATTEST_TRAIN_H

#include <attest/exec.h>

typedef struct {
    at_attention_kind attention; /* not LOCAL. LINEAR: no dropout inside */
    int layers, heads, width;    /* width a multiple of heads */
    int hidden;                  /* U; 0: 4 width */
    int vocabulary;              /* R */
    int length;                  /* the longest T */
    int block, windows, ends;    /* SPARSE: B (0: 2^floor(log2 sqrt(length))), k, c */
    bool
        learned_positions; /* a trained row for each position; else sinusoids of index 1, 2, ..., width even */
    bool embed_norm;       /* LayerNorm after the embedding */
    bool head_bias;
    double norm_eps;
    double dropout; /* 0 <= p < 1, rounded to a multiple of 2^-16 */
    double
        token_range; /* words begin uniform in +- this; 0: Xavier. Of the beginning only: no state keeps it */
    uint64_t seed;   /* of weights and dropout */
    int slots; /* S, a power of 2 up to 256: the most threads that help, and as many gradients in memory.
                       0: the most up to 16 that fit in 32 MiB, at least 2. Results depend on it, by rounding. */
} at_train_arch;
extern const at_train_arch at_train_arch_default;

typedef struct {
    double rate, beta1, beta2, eps, decay; /* decay: of every parameter (but at_trainer_spare) */
    double clip; /* a gradient whose norm over all parameters is larger is scaled down to it; 0: none is */
} at_adamw;
extern const at_adamw at_adamw_default; /* 1e-4, 0.9, 0.999, 1e-8, 0.01, 0 */

/* length <= arch.length positions; target[i] is the word that should follow position i, or -1: no loss there.
 *
 * The plain engine also takes what is no word. x in place of token: the numbers of the fields, as at_input has them. y in place of target,
 * where the readout decides each of R (sign, threshold: 0 or 1, logistic loss) or gives numbers (raw, round: squared error, summed over R);
 * its rows are the positions, or with a `last` readout the last alone. A row that begins with NAN: no loss there. */
typedef struct {
    int length;
    const int *token, *target; /* (length) */
    const double *x;           /* NULL, or (length, row width) */
    const double *y;           /* NULL, or (length, R), `last`: (1, R) */
} at_train_sequence;

typedef struct {
    char name[AT_NAME_MAX + 1];
    int rows, cols;
    size_t offset; /* into all parameters; (rows, cols), row-major */
} at_train_tensor;

typedef struct at_trainer at_trainer;

/* a must be f32 or f64 (many times slower, for judging). threads 0: one a core. */
at_status at_trainer_new(const at_train_arch *arch, at_arith a, int threads, at_trainer **out, at_err *err);
void at_trainer_free(at_trainer *t); /* NULL is allowed */

typedef struct {
    double dropout; /* of the embedding and of what blocks add; the fast engine: as at_train_arch */
    uint64_t seed;  /* of dropout */
    int slots;      /* as in at_train_arch */
    int length;     /* plain engine: the longest sequence, for which memory is taken; 0: the model's n_max */
    bool plain;     /* never the fast engine */
} at_train_options;
extern const at_train_options at_train_options_default; /* no dropout, seed 1 */

/* A trainer that starts from the weights of m, which is copied. A model of the fast family (as at_trainer_model writes
 * them, whatever its name, words, lengths, stop rule and subspaces) goes to the fast engine: sinusoids stay what they are. In any other
 * model every tensor is a parameter, named as in the model, in its order, whatever its values. Refused (AT_EREFUSED): readouts of
 * probabilities, and hard attention, by block and group. With a `last` readout only the
 * last position of a sequence may have a target, and logits are (1, R). */
at_status at_trainer_from_model(const at_model *m, at_arith a, int threads, const at_train_options *o,
                                at_trainer **out, at_err *err);

/* Some tensors keep their weights from now on: their gradient counts as 0, and no decay reaches them. names, with commas
 * between: tensors ("block.0.attn.0.q"), how they begin ("block.0.*"), or heads of the model that it started from, by the
 * names that `show` gives them. others: all but these are kept. A name that is none, and keeping everything, are
 * AT_EINPUT. A state does not hold it: it is asked for again after at_trainer_load. */
at_status at_trainer_freeze(at_trainer *t, const char *names, bool others, at_err *err);
/* Decay does not reach some vectors from now on: biases (and shifts of norms), or these and the gains of norms. No state keeps
 * it: whoever goes on with a training says it again. */
typedef enum { AT_SPARED_NONE, AT_SPARED_BIASES, AT_SPARED_NORMS } at_spared;
extern const char *const at_spared_names[];
at_status at_trainer_spare(at_trainer *t, at_spared which, at_err *err);

/* One step of AdamW on a batch; *loss is the mean before it. A batch without targets, a word outside the
 * vocabulary or a length outside 1..arch.length is refused; a loss that is not finite is AT_EDOMAIN. What fails
 * changes nothing. */
at_status at_trainer_step(at_trainer *t, const at_train_sequence *batch, int n, const at_adamw *o,
                          double *loss, at_err *err);
/* The loss alone, without dropout. */
at_status at_trainer_loss(at_trainer *t, const at_train_sequence *batch, int n, double *loss, at_err *err);
/* Loss and its gradient as the next step would see them (with its dropout); gradient (parameters). */
at_status at_trainer_gradient(at_trainer *t, const at_train_sequence *batch, int n, double *loss,
                              double *gradient, at_err *err);
/* Logits (length, R) of one sequence, without dropout; targets may be NULL. A `last` readout: (1, R). */
at_status at_trainer_logits(at_trainer *t, const at_train_sequence *s, double *logits, at_err *err);

/* With defaults filled in. The plain engine: width, vocabulary (R), length, dropout, seed and slots only. */
const at_train_arch *at_trainer_arch(const at_trainer *t);
uint64_t at_trainer_steps(const at_trainer *t); /* done so far */
bool at_trainer_diverged(const at_trainer *t);  /* was the loss of the last batch not finite? */
const char *at_trainer_isa(const at_trainer *t);
/* Operations a second of processor time that one core does at most with these instructions, measured for so long. The caller is
 * the only thread of the process that works. */
double at_trainer_peak(const at_trainer *t, double seconds);
size_t at_trainer_parameters(const at_trainer *t);
int at_trainer_tensors(const at_trainer *t, const at_train_tensor **out);
/* All parameters as doubles, and back (rounded to f32 in an f32 trainer; they must be finite). */
void at_trainer_read(const at_trainer *t, double *out);
at_status at_trainer_write(at_trainer *t, const double *in, at_err *err);
/* Floating-point operations of forward and backward a sequence of T positions: multiply-adds count 2, attention
 * counts allowed pairs only (linear: 4 D d a token and layer), elementwise work counts nothing. */
double at_trainer_flops(const at_trainer *t, int T);
/* The same of an architecture, without a trainer. */
at_status at_train_arch_flops(const at_train_arch *arch, int T, double *flops, at_err *err);

/* Everything a later step depends on: architecture, parameters, moments, steps. A resumed training gives the bits of one
 * that was never interrupted, on the same instruction set. The file is safetensors (docs/train.md), written whole or not at all.
 * note: what else belongs to this state, UTF-8, at most AT_TRAIN_NOTE_MAX bytes; NULL: none. */
#define AT_TRAIN_NOTE_MAX ((size_t)1 << 20)
at_status at_trainer_save(const at_trainer *t, const char *note, const char *path, at_err *err);
/* *note: NULL when the state has none, freed with at_free; note may be NULL. A file that is no such state is AT_EINPUT. */
at_status at_trainer_load(const char *path, int threads, at_trainer **out, char **note, at_err *err);

/* The plain model of these parameters: one token field, argmax readout at every position, lengths n_min..length. The
 * decode rule is left to the caller (m->decode). Of a trainer that started from a model: that model with these weights (n_min 0: and
 * its own n_min). */
at_status at_trainer_model(const at_trainer *t, int n_min, at_model *m, at_err *err);

/* ---- random models to start from ----------------------------------------------------------------------
 *
 *     at_train_net n = at_train_net_default;
 *     n.kind = AT_NET_RNN, n.cell = AT_CELL_GRU, n.vocabulary = 3, n.length = 20;
 *     at_train_net_model(&n, &m, &err);
 *     at_trainer_from_model(&m, at_f32, 2, &at_train_options_default, &t, &err); */

typedef enum {
    AT_NET_ATTENTION, /* softmax over keys */
    AT_NET_THREEWISE, /* softmax over pairs of keys */
    AT_NET_RNN,
    AT_NET_FFN, /* sees all positions at once: inputs of one length */
    AT_NETS
} at_net_kind;
extern const char *const at_net_names[AT_NETS];
typedef enum { AT_NET_NORMED, AT_NET_PURE, AT_NET_BARE } at_net_form;

typedef struct {
    at_net_kind kind;
    int vocabulary; /* words of the input */
    int answers;    /* R; 0: vocabulary */
    int length;     /* the longest input; FFN: of every input */
    int width;      /* D */
    int layers;     /* FFN: hidden layers */
    int hidden;     /* units of an MLP's or FFN's hidden layer (0: 4 D), or state of an RNN (0: D) */
    int heads;      /* attention: D a multiple of them */
    bool causal;    /* attention: a decoder; else every position sees all */
    bool last;      /* an answer at the last position only */
    at_rnn_cell cell;
    uint64_t seed;
    /* Other inputs than words: fields, every one of which is embedded in all of the width (but see `form`), subsets of few elements as a token
     * for each of these; what is read out, and of how many rows (`answers`). */
    const at_field *fields; /* NULL: one of `vocabulary` words */
    int n_fields;
    at_read_kind read;
    bool nowhere; /* attention: without positions */
    /* Attention as theorems have it: no norms, heads as wide as the residual each, a blank position behind the input, and embeddings side
     * by side where there is room. BARE: and nothing but that, neither MLP nor skip. */
    at_net_form form;
    double range; /* embeddings (fields, positions, blank) begin uniform in +- this; 0: Xavier */
} at_train_net;
/* Attention, 2 words, 16 positions, D 32, 1 layer, 4 heads, seed 1. */
extern const at_train_net at_train_net_default;
/* Xavier weights. What is outside its range is refused by name. */
at_status at_train_net_model(const at_train_net *n, at_model *m, at_err *err);

/* ---- the loop --------------------------------------------------------------------------------------- */

/* Gives the batch of a step (from 0); what it points to lives until the next call. It must depend on step alone for a
 * resumed training to equal an uninterrupted one. */
typedef at_status at_train_source(void *ctx, uint64_t step, const at_train_sequence **batch, int *n,
                                  at_err *err);
typedef struct {
    uint64_t steps;         /* of the whole training: the rate follows it */
    uint64_t until;         /* stop when this many are done; 0: steps */
    at_adamw adamw;         /* rate: the largest */
    uint64_t warmup;        /* the rate rises over so many steps, ... */
    bool decay_rate;        /* ... then falls linearly to 0 at the end */
    uint64_t hold;          /* it changes every so many steps only; 0: at each */
    bool from_zero;         /* the first of these stretches has rate 0, and the rise ends one later */
    const char *checkpoint; /* NULL, or a file written every `every` steps, at the end and when interrupted */
    uint64_t every;         /* 0: at the end only */
    const at_progress *report;                           /* may be NULL */
    void (*seen)(void *ctx, uint64_t step, double loss); /* may be NULL; ctx is the source's */
    /* May be NULL: the note of a checkpoint, asked for right before it is written; ctx is the source's. */
    at_status (*note)(void *ctx, at_text *out, at_err *err);
} at_train_loop;
double at_train_rate(const at_train_loop *l, uint64_t step);
at_status at_train_run(at_trainer *t, const at_train_loop *l, at_train_source *source, void *ctx,
                       double *last_loss, at_err *err);

/* ---- several ranks ----------------------------------------------------------------------------------- */

/* How the ranks of one training talk; at_ranks_training (job.h) fills it in. Both calls are made by all ranks. */
typedef struct {
    int rank, ranks;
    /* Bytes begin[r]..begin[r+1]-1 of data are rank r's; afterwards everyone has all. begin: (ranks + 1), ascending. */
    at_status (*gather)(void *ctx, void *data, const size_t *begin, at_err *err);
    /* AT_OK when `mine` is AT_OK on every rank, else the failure of the first rank that has one, on all. *stop becomes true
     * on all when it is on one. When none fails, `same` must be one number on all. */
    at_status (*agree)(void *ctx, at_status mine, bool *stop, uint64_t same, at_err *err);
    void *ctx;
} at_train_ranks;

/* From now on a rank computes its share of the slots only, and every rank ends each step with the bits that one rank alone would
 * have. All ranks have an equal trainer (state, instruction set: AT_EINPUT otherwise), and call step, loss,
 * gradient and at_train_run together, with equal batches (AT_EINPUT otherwise). What one rank fails in, all fail in. Slots limit
 * how much ranks help: arch.slots >= ranks * threads. at_train_run writes the checkpoint on rank 0 only and stops everywhere
 * when one rank is cancelled. */
at_status at_trainer_ranks(at_trainer *t, const at_train_ranks *r, at_err *err);

#endif
