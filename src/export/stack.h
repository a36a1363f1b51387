/* stack.h: the plain transformer that a model may be: one table of tokens, one of positions, layers of softmax attention and an MLP with
 * one hidden layer, an unembedding. What TransformerLens and GPT-2 have names for. */
#ifndef ATTEST_EXPORT_STACK_H
#define ATTEST_EXPORT_STACK_H

#include "export_internal.h"

typedef struct {
    int attention, mlp; /* blocks; -1: none, zeros stand there and add nothing */
} stack_layer;

/* Which D of the columns a block reads and writes: a block without residual writes into fresh ones, and what comes after it reads those. */
typedef struct {
    int from, to;
} stack_columns;

typedef struct {
    const at_model *m;
    at_arena *arena;
    at_err *err;
    const char *format;     /* for messages */
    int tokens;             /* of the vocabulary: the field's, then a token for every hidden row */
    int rows;               /* positions, the most */
    int width;              /* of its stream: D, and D more for every block without residual */
    stack_columns *columns; /* of the blocks */
    int end;                /* what the readout reads */
    int heads, dh;          /* the most of any layer; others are filled up with zeros */
    int hidden;             /* units of the widest MLP; 0: there are none */
    bool norms, causal;
    at_act act; /* of its MLPs */
    double eps;
    stack_layer *layers;
    int n_layers;
    archive_tensor *tensors;
    int n_tensors;
    bool oom;
} stack;

/* Is m one? A part that does not fit is refused by name. s->m, arena, err and format are set before. */
at_status stack_read(stack *s);
/* A new tensor of zeros; sizes of 0 are left out. Its name may hold one %d, for the layer. NULL: out of memory. */
double *stack_tensor(stack *s, const char *name, int layer, int64_t a, int64_t b, int64_t c);
const char *stack_act(const stack *s);                               /* as the others call it */
void stack_embed(const stack *s, double *tokens, double *positions); /* (tokens, width), (rows, width) */
/* One head of a layer by number: where it is; false: it is one of zeros. */
typedef struct {
    const at_group *g;
    int h; /* of g->heads */
} stack_head;
bool stack_head_find(const stack *s, int layer, int head, stack_head *out);
/* Adds up biases of what a layer's groups write, (width). */
void stack_out_bias(const stack *s, int layer, double *to);
/* Gain and bias of the norm before a block, (D) each; ones and zeros where the block is -1. */
void stack_norm(const stack *s, int block, double *gain, double *bias);
/* The three files: config, weights, names. */
at_status stack_write(stack *s, const at_text *config, export_files *out);

#endif
