/* learn_internal.h: what the files of learn share. */
#ifndef ATTEST_LEARN_INTERNAL_H
#define ATTEST_LEARN_INTERNAL_H

#include <attest/learn.h>

#define LESSON_BATCH_MOST 65536
#define LESSON_CUT_MOST   (1 << 20) /* sequences that a batch of rows is cut into */

/* Does the model write tokens, and are its words the source's? */
at_status learn_fits(const at_model *m, const at_source *d, at_err *err);
/* Rows that are drawn are asked about at every position. */
at_status learn_shared(const at_model *m, const at_source *d, at_err *err);
/* Tokens of the longest row that are read: all but the last, or, of rows of labels, the input. */
int learn_reads(const at_source *d);
/* Are there prompts in this part, and right answers to them? Asked before any work. */
at_status learn_examinable(const at_source *d, uint64_t seed, at_part part, at_err *err);

/* Can any prompt of the part be asked? Of prompts that are tokens and can be listed. */
at_status learn_askable(const at_model *m, const at_source *d, at_part part, const at_exam_options *o,
                        at_err *err);

/* What exams are on. */
typedef struct {
    const at_source *d;
    at_part part;
} learn_exams;
learn_exams learn_exams_of(const at_source *d, const at_learn_options *o);

/* A training under way; the ctx of its loop. */
typedef struct {
    const at_source *d;
    const at_recipe *r;
    const at_learn_options *o;
    at_lesson *lesson;
    at_trainer *t;
    at_outcome *out;
    char from[65];    /* hash of the model that it began with; "-": none */
    int most_exams;   /* room in out->exams */
    uint64_t stretch; /* steps in a point of the curve; doubled as often as a plan that grew asks for */
    double sum;       /* of the losses of the stretch so far */
    double given;     /* GFLOP of the last batch */
    double begun, last_loss;
    uint64_t tokens_now; /* since begun */
} journal;

/* The recipe's loop without a checkpoint: steps, AdamW, and how its rate moves. */
at_train_loop learn_loop(const at_recipe *r);
/* A trainer that has done nothing yet: of the recipe, or of the model to begin with; what is frozen is frozen. */
at_status learn_trainer(const at_source *d, const at_recipe *r, const at_learn_options *o, at_trainer **t,
                        at_err *err);
/* What keeps its weights, and what decay does not reach. */
at_status learn_keep(const at_recipe *r, const at_learn_options *o, at_trainer *t, at_err *err);

/* As the note of a state, and back; damage, or another training's, is refused with the file's name. */
at_status journal_print(const journal *j, at_text *out, at_err *err);
at_status journal_parse(journal *j, const char *path, char *note, at_err *err);

/* ---- positions.c: sources of a task's positions (at_source_positions) ---- */

at_status positions_net(const at_source *d, const at_recipe *r, at_model *m, at_err *err);
/* Numbers of an input, and room for its answers. */
size_t positions_numbers(const at_source *d);
size_t positions_answers(const at_source *d);
/* Input number `index` to learn from, and its answers. */
at_status positions_sample(const at_source *d, uint64_t seed, uint64_t index, double *x, double *y,
                           at_err *err);
at_status positions_exam(const at_model *m, const at_source *d, uint64_t seed, uint64_t count,
                         const at_exam_options *o, at_exam *out, at_err *err);

/* ---- net.c ---- */

/* Does the model take inputs of one length only, so that shorter ones are padded? */
bool learn_one_length(const at_model *m);
/* How a model of a source's rows writes: its own rule, or until <eos>. */
at_decode learn_rule(const at_model *m);
/* A trainer of the recipe's net, which is not the decoder. */
at_status learn_net_trainer(const at_source *d, const at_recipe *r, int threads, at_trainer **t, at_err *err);

/* For models that answer at the last position: rows in, a sequence for each of their targets out. */
typedef struct learn_cut learn_cut;
/* padded: the one length of all sequences, or 0; words: targets are 0..words-1. */
at_status learn_cut_new(int longest, int words, int padded, learn_cut **out, at_err *err);
void learn_cut_free(learn_cut *c); /* NULL is allowed */
/* In place of the batch; what it points to lives until the next call, and as long as the rows. */
at_status learn_cut_rows(learn_cut *c, const at_train_sequence **batch, int *n, at_err *err);

#endif
