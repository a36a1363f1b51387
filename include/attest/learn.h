/* learn.h: a stream learnt: batches from a source, trainings from beginning to end, exams.
 *
 *     at_recipe r;
 *     at_recipe_init(&r);
 *     at_recipe_set(&r, "width=32 steps=2000", &err);
 *     at_outcome o;
 *     at_learn(source, &r, &(at_learn_options){.threads = 2}, &arena, &o, &m, &err);
 *     printf("%.1f%% of answers right\n", 100 * at_exam_answer(&o.exam));
 *
 * Everything depends on the recipe and the source alone: not on threads, not on interruptions. */
#ifndef ATTEST_LEARN_H
#define ATTEST_LEARN_H

#include <attest/problem.h>
#include <attest/train.h>

/* ---- lessons: batches of a source --------------------------------------------------------------------- */

typedef struct at_lesson at_lesson;
/* Batch k of a seed has the training samples k*batch, ..., counted modulo `samples` (0: none ever comes again). The loss
 * is on what follows the prompt. From the second time on the samples come in another order each time. d is borrowed. */
at_status at_lesson_new(const at_source *d, uint64_t seed, int batch, uint64_t samples, int threads,
                        at_lesson **out, at_err *err);
void at_lesson_free(at_lesson *l); /* NULL is allowed */
/* From now on the samples are the first `samples` whose rows differ. AT_EREFUSED: there are fewer, or samples is 0. */
at_status at_lesson_distinct(at_lesson *l, at_err *err);
/* An at_train_source; ctx is the lesson. */
at_status at_lesson_batch(void *ctx, uint64_t step, const at_train_sequence **batch, int *n, at_err *err);
uint64_t at_lesson_tokens(const at_lesson *l); /* tokens of the last batch's rows */
/* From now on batches are such as the trainer takes: where the model answers at the last position only, every target of a row is a
 * sequence, the row so far, with <pad> behind it where the model takes one length only. Refused: a model that says at every position
 * what follows but may see it there. Rows of labels stay as they are; refused: a model that answers elsewhere. */
at_status at_lesson_suit(at_lesson *l, const at_trainer *t, at_err *err);

/* The trained weights as a model of the source's labels, of the one length that these rows have; or as a decoder of
 * its rows: its words, and the stop at <eos>. What began as a decoder with words keeps its own; what cannot be a
 * decoder (an ffn) gets the words alone. */
at_status at_lesson_model(const at_trainer *t, const at_source *d, at_model *m, at_err *err);

/* ---- probabilities of streams whose rows are drawn (shares.c says what is summed) ------------------------------------- */

#define AT_SHARES_WHOLE 16384 /* rows up to which all are summed over, each by its probability */
typedef struct {
    double entropy, cross,
        kl; /* nats a token, <eos> among them: of the stream, of the model under it, and what is between */
    double error; /* standard error of the KL; 0: all rows */
    bool whole;
    uint64_t rows;
} at_shares;
bool at_source_is_drawn(const at_source *d);
/* Every row of positive probability, with it; row NULL: they are counted. Ends behind more than `most`, *count is most + 1 then. */
typedef at_status at_source_row(void *ctx, const int *token, int n, double probability, at_err *err);
at_status at_source_rows(const at_source *d, uint64_t most, at_source_row *row, void *ctx, uint64_t *count,
                         at_err *err);
/* The readouts value (rows, n - 1, vocabulary) whose softmax is q behind the first 1 .. n-1 tokens of rows of n tokens; row r begins at
 * token[r * stride]. */
typedef at_status at_shares_give(void *ctx, const int *token, int rows, int n, int stride, double *value,
                                 at_err *err);
/* count, seed: of drawn rows (AT_TEST), where there are too many. */
at_status at_shares_mark(const at_source *d, at_shares_give *give, void *ctx, uint64_t count, uint64_t seed,
                         at_shares *out, at_err *err);
/* Of a model that says at every position what follows. */
at_status at_shares_exam(const at_model *m, const at_source *d, uint64_t count, uint64_t seed, at_arith arith,
                         at_shares *out, at_err *err);

/* ---- exams ---------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t count;           /* prompts that fit: the rest is about these */
    uint64_t unfit;           /* others, whose rows are longer or shorter than the model takes */
    uint64_t seen;            /* others, which were trained on; with `seen_too` not others, but of them */
    uint64_t several;         /* of them with more than one right answer */
    uint64_t distinct;        /* of them; 0: more than are counted */
    bool whole;               /* every prompt of the part, each once */
    uint64_t answers, chains; /* of them right; whole chains right */
    uint64_t unfinished;      /* without <eos> where the longest row ends */
    uint64_t tokens;          /* generated, up to there */
    double first_wrong; /* mean place of the first wrong token, from 1, where a chain is wrong; NaN: none */
    double margin;      /* the least of all decisions */
    /* Of positions (at_source_of_positions) in place of prompts: count are inputs, answers and chains those that are right at every
     * position, and `whole` means all inputs of the size. */
    uint64_t positions, right; /* asked, and right by the task: reals within the tolerance */
    bool real;                 /* answers are numbers: */
    double square, worst,
        trivial; /* mean squared distance, largest distance; mean square when always the mean answer is said */
    double tolerance; /* 0: the task has none */
    /* Streams whose rows are drawn (ngram) have no answers: instead of them this, and the shares below are e^-KL. */
    bool drawn;
    at_shares shares; /* whole: of all rows */
} at_exam;
/* Shares of right answers (positions), and of right chains (inputs). Of reals without a tolerance answers are the share of their variance
 * that is explained, 1 - square / trivial, and no less than 0. */
double at_exam_answer(const at_exam *e);
double at_exam_chain(const at_exam *e);

/* One prompt and what became of it, in order of the samples. */
typedef struct {
    uint64_t index;
    const int *prompt, *completion;
    int n_prompt, n;
    bool asked; /* else it does not fit, or was trained on, and there is no completion */
    at_grade grade;
} at_exam_case;
typedef struct {
    int threads;
    at_arith arith; /* zero: f32 */
    bool distinct;  /* no prompt twice: of drawn ones the first `count` that differ, or all that are found */
    const at_progress *progress;
    void (*told)(void *ctx, const at_exam_case *c); /* may be NULL */
    void *ctx;
    /* NULL, or what the model was trained on, with tokens that mean the same: prompts of its training part are not asked, unless
     * seen_too; then they are only counted. */
    const at_source *trained;
    bool seen_too;
} at_exam_options;
/* Does the model read and write tokens, so that an exam can ask it at all? */
bool at_exam_takes(const at_model *m);
/* How many prompts of a source can be listed, so that an exam of as many asks each of them once; UINT64_MAX: they cannot be. */
uint64_t at_exam_prompts(const at_source *d);
/* Greedy completions of samples 0..count-1 of a part, graded; where the part has no more prompts than that, and they can be
 * listed, of each of them once. The model must be a token decoder with the source's
 * vocabulary, or one without a rule that reads and answers with it: then the answer at the last position is the next token, until
 * <eos>, and rows are padded with <pad> where it takes one length only. Where rows are
 * drawn (ngram) `drawn` and `shares` are all that is found. */
at_status at_exam_run(const at_model *m, const at_source *d, uint64_t seed, at_part part, uint64_t count,
                      const at_exam_options *o, at_exam *out, at_err *err);

/* ---- trainings -------------------------------------------------------------------------------------------- */

typedef enum {
    AT_LEARN_DECODER,   /* the fast family (at_train_arch) */
    AT_LEARN_THREEWISE, /* rivals, of at_train_net: causal three-wise attention, */
    AT_LEARN_TANH,      /* recurrent, */
    AT_LEARN_GRU,
    AT_LEARN_FFN,       /* feed-forward, of the row so far padded to at_source_longest - 1 tokens */
    AT_LEARN_ATTENTION, /* rows of labels only: every position sees all */
    AT_LEARN_SOFTMAX,   /* positions only, without norms (AT_NET_PURE): attention to all keys, */
    AT_LEARN_TRIPLES,   /* to all pairs of keys, */
    AT_LEARN_UNIT,      /* and nothing but attention to all keys (AT_NET_BARE) */
    AT_LEARN_NETS
} at_learn_net;
extern const char *const at_learn_net_names[AT_LEARN_NETS];
bool at_learn_net_pure(at_learn_net n); /* softmax, threewise, unit: those that learn at positions only */

typedef struct {
    at_learn_net net;   /* of a rival's architecture width, layers, heads, hidden, words and dropout count */
    at_train_arch arch; /* vocabulary comes from the source, seed from below; length 0: that of the source */
    int batch;          /* rows of the stream */
    uint64_t steps;
    at_adamw adamw;
    at_spared spared; /* from decay */
    uint64_t warmup;  /* steps */
    bool decay_rate;
    uint64_t hold;              /* steps between changes of the rate */
    bool from_zero;             /* the rate rises from 0 */
    uint64_t samples;           /* in an epoch; 0: every sample is new */
    bool distinct;              /* rows of an epoch are pairwise different, and prompts of an exam */
    uint64_t exam_every;        /* steps between exams; 0: one at the end */
    uint64_t exam_count, count; /* prompts of an exam on the way, and of the last */
    double enough;              /* an exam with so many answers right ends the training; above 1: none does */
    uint64_t
        patience;  /* so many exams in a row that are no better than the best before end it, too; 0: never */
    uint64_t seed; /* of weights, dropout and samples */
} at_recipe;
extern const at_param at_recipe_params[]; /* names, ranges, defaults */
extern const int at_n_recipe_params;
void at_recipe_init(at_recipe *r); /* defaults */
/* "width=32 rate=0.003". Whoever sets the net to softmax, threewise or unit sets layers=1 heads=1 dropout=0 words=1, too, but for what the
 * same text says of these. */
at_status at_recipe_set(at_recipe *r, const char *assignments, at_err *err);
void at_recipe_print(const at_recipe *r, at_text *out); /* canonical: every setting */

/* The random model that a training of a rival (not AT_LEARN_DECODER) begins with. */
at_status at_learn_net_model(const at_source *d, const at_recipe *r, at_model *m, at_err *err);

typedef struct {
    uint64_t step;
    double loss;
} at_loss_point;
typedef struct {
    uint64_t step;
    double answer, chain;
} at_exam_point;
typedef struct {
    uint64_t steps;  /* done */
    bool ended_soon; /* by `enough`, or out of patience */
    bool out_of_patience;
    bool diverged;   /* the loss was not finite any more; what is examined and given back is from before */
    uint64_t tokens; /* trained on */
    double gflops;   /* of the training */
    double gflops_to_90; /* until the first exam with 90% of answers; NaN: never */
    size_t parameters;
    at_loss_point *loss; /* means over stretches of steps, at most AT_LOSS_POINTS */
    int n_loss;
    at_exam_point *exams;
    int n_exams;
    at_exam exam; /* the last: samples of the test part with another seed than those on the way */
    double seconds, tokens_per_s; /* since it was begun, or taken up again */
} at_outcome;
#define AT_LOSS_POINTS 200

/* A line of a training's log: the mean loss of a stretch of steps, or an exam; what is not of this line is NaN. */
typedef struct {
    uint64_t step;
    double loss, rate, tokens_per_s;
    double answer, chain;
} at_learn_line;

typedef struct {
    int threads;
    /* NULL, or a user's rows with the tokens of the source: exams are on them, the last on all of them. Prompts that may be trained
     * on are not asked. */
    const at_source *test;
    /* NULL, or a model to begin with, as an exam takes it. Of the recipe's net and architecture only dropout and seed
     * count then. */
    const at_model *from;
    /* NULL, or tensors and heads that keep their weights, as at_trainer_freeze takes them. */
    const char *freeze;
    bool freeze_others;
    /* NULL, or a file: the state at every exam and when interrupted; gone on with when it is there, and refused when it
     * is of another recipe, source, `test`, `from` or `freeze`. Steps alone may be more than before: the rate then follows the new
     * plan from there on. */
    const char *state;
    const at_train_ranks *ranks; /* NULL, or those who train together */
    const at_progress *progress;
    void (*told)(void *ctx, const at_outcome *so_far); /* at every exam; may be NULL */
    void (*line)(void *ctx, const at_learn_line *l);   /* may be NULL */
    /* The model at every exam (better: more answers right than at all before), and every keep_every steps (0: at exams
     * only). May be NULL. A failure ends the training. */
    at_status (*shown)(void *ctx, uint64_t step, bool better, const at_model *m, at_err *err);
    uint64_t keep_every;
    bool
        diverged_ends; /* a loss that is not finite ends the training as its steps would; else it is AT_EDOMAIN */
    void *ctx;
} at_learn_options;
/* m may be NULL. A source without test prompts is refused before any step. A loss that is not
 * finite ends it with AT_EDOMAIN and the place; the last good state stays on disk. Arrays of out live in the arena. */
at_status at_learn(const at_source *d, const at_recipe *r, const at_learn_options *o, at_arena *arena,
                   at_outcome *out, at_model *m, at_err *err);

/* ---- before a training ------------------------------------------------------------------------------------ */

/* What a training would cost on this machine, by a few steps and prompts of one that is thrown away. */
typedef struct {
    double step, prompt;   /* seconds */
    double seconds, gflop; /* of all steps and exams */
    double cpu_step, cpu_prompt,
        cpu; /* the same in CPU seconds, which do not depend on what else the machine does */
    size_t parameters;
} at_learn_cost;
at_status at_learn_estimate(const at_source *d, const at_recipe *r, const at_learn_options *o,
                            at_learn_cost *out, at_err *err);

/* The rate rises from one ten-millionth to 1, by the same factor a step, over AT_RATE_STEPS steps of a training that is
 * thrown away, up to where the loss is four times its least. */
#define AT_RATE_STEPS 140
typedef struct {
    double rate, loss; /* the loss before this step; smoothed */
} at_rate_point;
typedef struct {
    at_rate_point point[AT_RATE_STEPS];
    int n;
    bool diverged;  /* before the largest rate was reached */
    double suggest; /* where the loss fell most steeply, over a factor of about 3; NaN: it never fell */
} at_rate_scan;
at_status at_learn_rates(const at_source *d, const at_recipe *r, const at_learn_options *o, at_rate_scan *out,
                         at_err *err);

#endif
