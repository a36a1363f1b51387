/* train_internal.h: what the files of the trainer share.
 *
 * A plan says where each parameter lies and how large everything is. The pass over one sequence is a template over
 * the number type (train_pass.inc and what it includes) that is compiled for f32 and f64, for AVX2 and in plain C; a
 * train_kernel is one such instance. train.c owns memory, threads and steps; it never looks at a number.
 * A second engine (plain.h) walks any plain model: its plan has `plain` set, and its kernel is the first one's with another pass.
 *
 * Legend: T positions, D width, H heads, d = D/H, U hidden units, R vocabulary, E block ends (sparse). */
#ifndef ATTEST_TRAIN_INTERNAL_H
#define ATTEST_TRAIN_INTERNAL_H

#include <attest/train.h>

/* A matrix (out, in) with its bias (out), and where its packed form lies: panels of NR outputs for the forward pass (none
 * when the plan is lean). */
typedef struct {
    int out, in;
    size_t w, b; /* b: SIZE_MAX when absent */
    size_t forward;
    size_t bias; /* padded copy among the packed */
} train_linear;

typedef struct {
    size_t norm1, norm2; /* (2, D): gain, then shift */
    train_linear qkv, proj, fc1, fc2;
} train_layer;

typedef struct {
    at_train_arch a; /* defaults filled in */
    int D, H, d, U, R, T;
    size_t token, position, norm0, norm; /* position, norm0: SIZE_MAX when absent */
    train_layer *layer;
    train_linear head;
    size_t n;       /* parameters */
    size_t packed;  /* numbers in packed form */
    int n_matrices; /* layers * 4 + 1 */
    at_train_tensor *tensor;
    int n_tensors;
    double *sinusoid;   /* (T, D), or NULL */
    int n_ends;         /* E: block ends among T positions */
    uint8_t *end;       /* (T) is it one? sparse only */
    uint32_t threshold; /* of 2^16: dropped when below */
    bool lean; /* little memory: GeLU is computed again in the backward pass, weights are not packed ahead */

    int V;     /* words of an input; the fast family: R. 0: inputs are no words */
    int least; /* the shortest sequence; the longest is T */
    bool last; /* only the last position is read */
    const at_model
        *plain;      /* the plain engine: what it walks. NULL: the fast one; then the rest is not used */
    double *feature; /* (positions, n_features) position features, those that do not move with the length */
    int n_features;
    struct plain_turn *turn; /* (n_turns) of rotary positions, no two alike */
    int n_turns;
} train_plan;

/* One sequence in its place. */
typedef struct {
    const at_train_sequence *s;
    uint64_t stream; /* of dropout: a hash of seed, step and place in the batch */
    bool drop;
    double weight; /* of each position's loss in the gradient */
} train_item;

typedef struct {
    const char *isa;
    size_t size;                              /* bytes of a number */
    int panel;                                /* NR */
    size_t (*work_size)(const train_plan *p); /* numbers of scratch a worker needs */
    void (*pack)(const train_plan *p, const void *weights, void *packed, int matrix);
    /* Loss (a sum) of one sequence. gradient (NULL: forward only) is added to; logits (T, R) may be NULL. */
    double (*sequence)(const train_plan *p, const void *weights, const void *packed, void *work,
                       const train_item *item, void *gradient, double *logits);
    /* Slots are `n` numbers apart; their sum over lo..hi goes to slot 0. */
    void (*reduce)(void *gradient, size_t n, int slots, size_t lo, size_t hi);
    /* The gradient times `scale`, then a step of AdamW. */
    void (*update)(const at_adamw *o, double scale, uint64_t step, void *w, void *m, void *v, const void *g,
                   size_t lo, size_t hi);
    void (*read)(const void *from, size_t n, double *to);
    void (*write)(const double *from, size_t n, void *to);
    double (*peak)(int rounds); /* multiply-adds that wait for nothing; how many operations they were */
} train_kernel;
extern const train_kernel train_portable_f, train_portable_d;
#if defined(__x86_64__)
extern const train_kernel train_avx2_f, train_avx2_d, train_avx512_f, train_avx512_d;
#endif

struct at_trainer {
    at_arena arena;
    train_plan plan;
    const train_kernel *kernel;
    train_kernel own; /* the plain engine: what kernel points to */
    at_model base;    /* what it started from: names, words, decode rule of the model it gives back */
    bool based;       /* is there one? */
    at_arith arith;
    int threads;
    uint64_t steps;
    void *weights, *moment1, *moment2; /* (n) */
    void *gradient;                    /* (S, n) */
    void *packed;
    bool stale;     /* packed is older than weights */
    bool diverged;  /* the last loss was not finite */
    void **work;    /* (threads) */
    double *loss;   /* (S) */
    double *square; /* (stretches) of the gradient, for clipping */
    bool *frozen;   /* (n_tensors); NULL: none is */
    void *kept;     /* (n) the weights of frozen tensors */
    size_t *spared; /* (n_tensors) where those that are not decayed lie in aside, or SIZE_MAX; NULL: none */
    void *aside[3]; /* their weights and moments behind a step */
    at_train_ranks ranks; /* ranks.ranks <= 1: alone */
    size_t *begin;        /* (ranks + 1) */
};

/* ---- train.c: the stages of making a trainer; what fails is freed by the caller with at_trainer_free */
at_status train_begin(at_arith a, int threads, at_trainer **out, at_err *err); /* a kernel, no plan */
at_status train_plan_fast(at_trainer *t, const at_train_arch *arch,
                          at_err *err);             /* and the kernel that suits it */
at_status train_memory(at_trainer *t, at_err *err); /* as the plan says; all zero */

/* ---- freeze.c: what is frozen, over lo..hi */
void train_frozen_clear(const at_trainer *t, size_t lo, size_t hi);   /* their gradient is 0 */
void train_frozen_restore(const at_trainer *t, size_t lo, size_t hi); /* their weights are what they were */

/* ---- spare.c: what is not decayed, over lo..hi */
void train_spared_step(const at_trainer *t, const at_adamw *o, double scale, size_t lo,
                       size_t hi);                                  /* aside */
void train_spared_place(const at_trainer *t, size_t lo, size_t hi); /* and into its place */

/* ---- plain.c */
/* The plan and the kernel of a trainer that walks t->base. */
at_status plain_plan_make(at_trainer *t, const at_train_options *o, at_err *err);
double plain_flops(const at_model *m, int n);

/* ---- plan.c */
#define TRAIN_MAX_SLOTS 256
int train_slots(size_t n); /* as many as are chosen for n parameters */
/* Parameters only: nothing that grows with the length is allocated. */
at_status train_plan_places(const at_train_arch *arch, int panel, at_arena *arena, train_plan *p,
                            at_err *err);
at_status train_plan_make(const at_train_arch *arch, int panel, at_arena *arena, train_plan *p, at_err *err);
const train_linear *train_matrix(const train_plan *p, int i); /* of n_matrices */
int train_ends_before(const train_plan *p, int j);

/* ---- convert.c */
/* m is an architecture of the fast family (measured, not laid out): how many parameters it has. EINPUT: it is none. */
at_status train_family_parameters(const at_model *m, const at_train_options *o, size_t *n, at_err *err);
/* m is laid out, all zero: what the family never trains gets its values, so that m is recognised. */
at_status train_family_fill(at_model *m, const at_train_options *o, at_err *err);

/* ---- state.c */
/* Architecture, number type and steps, as a state keeps them: {"version":3,...}. */
void train_record_print(const at_trainer *t, at_text *out);
/* The architecture of the model that a training started from, freed with at_free; NULL when out of memory. */
char *train_base_print(const at_trainer *t, at_err *err);
/* A state as bytes, freed with at_free, and back. path is for words. */
at_status train_state_image(const at_trainer *t, const char *note, char **bytes, size_t *n, at_err *err);
at_status train_state_parse(const char *path, const char *bytes, size_t n, int threads, at_trainer **out,
                            char **note, at_err *err);

/* ---- ranks.c: which slots are whose */
typedef struct {
    int slots;                   /* of the batch */
    int block, blocks;           /* B, and how many of them; 1 block when alone */
    int first_block, last_block; /* this rank's, last excluded */
    int first, last;             /* its slots, last excluded */
} train_share;
train_share train_share_of(const at_trainer *t, int slots);
/* Adds up the blocks of this rank over lo..hi, heads to the front; slots are n numbers apart. */
void train_share_reduce(const at_trainer *t, const train_share *h, size_t n, size_t lo, size_t hi);
/* Everyone gets all losses and, with back, all heads. */
at_status train_share_gather(const at_trainer *t, const train_share *h, bool back, size_t n, at_err *err);
/* at_train_ranks.agree; alone it is `mine`. stop may be NULL. */
at_status train_agree(const at_trainer *t, at_status mine, bool *stop, uint64_t same, at_err *err);

/* ---- dropout: the same for every number type ------------------------------------------------------- */

static inline uint64_t train_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Places where something is dropped. */
enum { TRAIN_DROP_EMBED, TRAIN_DROP_WEIGHTS, TRAIN_DROP_PROJ, TRAIN_DROP_FC2, TRAIN_DROPS };
static inline uint64_t train_drop_key(uint64_t stream, int layer, int place, int head, int row)
{
    uint64_t where =
        (((uint64_t)layer * TRAIN_DROPS + (uint64_t)place) << 48) ^ ((uint64_t)head << 32) ^ (uint64_t)row;
    return train_mix(stream + train_mix(where + 0x9e3779b97f4a7c15u));
}

#endif
