/* exec.h: running a model. The reference runs one sequence in any arithmetic; the fast executor runs
 * batches in f32 or f64 and agrees with it within a derived bound.
 *
 *     at_output y;
 *     at_run(&m, at_f64, &x, NULL, &arena, &y, &err);
 *     for (int i = 0; i < y.n; i++) printf("%g ", y.decision[i * y.width]);
 */
#ifndef ATTEST_EXEC_H
#define ATTEST_EXEC_H

#include <attest/model.h>
#include <attest/num.h>

extern const at_arith at_f32, at_f64; /* for brevity */

/* n positions (n user positions, or 1 when the readout is `last`), each with `width` numbers. */
typedef struct {
    int n;
    int rows;         /* R */
    int width;        /* decisions a position: 1 for argmax, else R */
    double *value;    /* (n, R) readout values; midpoints in ball arithmetic, nearest double in exact */
    double *radius;   /* (n, R) 0 except in ball arithmetic (rounded up) */
    double *decision; /* (n, width) argmax index, 0/1, integer, or the value itself (raw) */
    double *margin;   /* (n, width) distance to the nearest other decision, a lower bound; raw: 0 */
    uint8_t *decided; /* (n, width) at_tri: TRUE, or UNKNOWN when the arithmetic cannot tell */
} at_output;

/* Attention weights for pictures and for messages: per block that is ATTN, group and head, (T, T).
 * For three-wise attention w[i][j] is the weight summed over pairs with j1 = j. */
typedef struct {
    int block, group, head;
    double *w;     /* (T, T) */
    double *score; /* (T, T), masked entries are -INFINITY; three-wise: NULL */
} at_trace_head;
typedef struct {
    int T, D;
    int n_heads;
    at_trace_head *heads;
    int n_states;   /* n_blocks + 1 */
    double **state; /* residual after block k-1 (k = 0: the embedding), (T, D) */
} at_trace;

/* Feature f of p at index i, of T positions, in double; 0 of a table, whose rows are weights. */
double at_pos_value(const at_pos *p, int f, int64_t i, int64_t T);
/* Cosine or sine of a rotary pair at index i, rounded once to double. */
double at_turn_value(const at_rotary *r, int pair, bool sine, int64_t i);
/* The feature at index i, of T positions, as a fraction; false: it is irrational, or a table. */
bool at_pos_ratio(at_pos_kind k, int64_t i, int64_t T, int64_t *num, int64_t *den);
/* Is that the feature rounded once? So it is of fractions of integers below 2^53. */
bool at_pos_rounds_once(at_pos_kind k);
/* After how many positions a feature repeats, for all i and T; 0: never, or a table, whose rows are weights. */
int at_pos_period(at_pos_kind k);
/* Where a feature lies that programs have, for indices first..last among least..most positions. */
typedef struct {
    double first, last, least, most;
} at_pos_span;
void at_pos_range(at_pos_kind k, const at_pos_span *s, double *lo, double *hi);

/* Can the model be run in this arithmetic? The refusal names the part (e.g. softmax in exact). */
at_status at_arith_supports(const at_model *m, at_arith a, at_err *err);
/* Is every weight, every scale and (of a decoder) every position finite in it? The refusal names the first that is not.
 * Runs do not ask this: infinities go through them as in IEEE 754. Checks and the command do. */
at_status at_arith_range(const at_model *m, at_arith a, at_err *err);
/* Is there a reason to doubt what the model says in it? The first that applies: its error bounds were proved for an arithmetic that
 * errs less, or whose numbers go further; or a row may have integers that this one has not (the message names the field): rounded
 * to an integer that is the nearest only among those that the arithmetic has, and its margin says nothing. Who runs a model so says it. */
at_status at_arith_doubts(const at_model *m, at_arith a, at_err *err);
/* Runs x through m. Results live in the arena. trace may be NULL. */
at_status at_run(const at_model *m, at_arith a, const at_input *x, at_trace *trace, at_arena *arena,
                 at_output *y, at_err *err);

/* The readout values (n, R) of a run in exact arithmetic as fractions in lowest terms, "3/8"; models that exact arithmetic has
 * no functions for are refused. */
at_status at_run_fractions(const at_model *m, const at_input *x, at_arena *arena, const char *const **out,
                           at_err *err);

/* Choices of hard attention, one a head and query that sees a key. */
typedef struct {
    uint64_t choices, unsure; /* unsure: of all choices */
    int block, group, head,
        query; /* the first that is unsure; query: position t from 0, hidden ones included */
} at_ties;
/* Could rounding have turned a hard choice of at_run(m, a, x)? Every operation of that run is enclosed, from its rounding errors
 * alone, as in balls; a choice is sure when all scores in their intervals choose the same keys, or keys of one and the same value. With
 * e the radius of the scores of a row and gap the distance of the others from the largest, it is sure where
 * 2e < tie < gap - 2e, or tie = 0 and 2e < gap, or tied scores come out exact. In f64 a sure choice is also that of the model
 * over the reals. balls: unsure is what at_run could not decide; exact: everything is sure. */
at_status at_run_ties(const at_model *m, at_arith a, const at_input *x, at_ties *out, at_err *err);

/* ---- fast: prepared once, then batches of equal-length sequences ------------------------------ */

typedef struct at_exec at_exec;
/* Prepared for sequences of exactly n positions. a must be f32 or f64; weightings and masks it does
 * not have a kernel for are refused with AT_EREFUSED (use at_run). */
at_status at_exec_new(const at_model *m, at_arith a, int n, at_exec **out, at_err *err);
void at_exec_free(at_exec *e);
/* One scratch per thread. */
typedef struct at_scratch at_scratch;
at_status at_scratch_new(const at_exec *e, at_scratch **out, at_err *err);
void at_scratch_free(at_scratch *s);
/* v: (batch, n, row width) inputs already known to be in the domain. value: (batch, positions, R)
 * readout values. Deterministic: a sequence's values do not depend on its place in the batch. */
void at_exec_run(const at_exec *e, at_scratch *s, const double *v, int batch, double *value);
/* From readout values (positions, R) to decisions and margins (positions, width), as in at_output. */
void at_decide(const at_readout *r, int positions, const double *value, double *decision, double *margin);
/* Both at once: decisions and margins (batch, positions, width) are those that at_decide makes of at_exec_run's
 * values. */
void at_exec_decide(const at_exec *e, at_scratch *s, const double *v, int batch, double *decision,
                    double *margin);
int at_exec_positions(const at_exec *e); /* outputs a sequence */
const char *at_exec_isa(void);           /* "avx2" or "portable"; ATTEST_ISA=portable forces the latter */
bool at_exec_avx512(void); /* vectors of 64 bytes, too, in batches and trainings; not with ATTEST_ISA=avx2 */
double at_exec_scores(const at_exec *e); /* attention scores computed a sequence */

/* ---- decoding: a model that continues its own input (m.decode), one row at a time ----------------
 *
 *     at_decoder *d;
 *     at_decoder_new(&m, at_f64, &d, &err);
 *     for (...) at_decoder_push(d, row, &err);              // the prompt
 *     at_decoder_next(d, row, &margin, &decided, &err);     // what the model says comes next
 *
 * A push computes one position through all blocks from caches alone: keys and values (standard), those of
 * the window and of the block ends (block-sparse), running sums (linear, causal or strict). Values equal
 * those of at_run on the whole prefix bit for bit, except linear attention from running sums, which is another order
 * of the same sum (docs/decode.md). */

typedef struct at_decoder at_decoder;
/* a is f32, f64 or p-bit. m is borrowed until at_decoder_free. */
at_status at_decoder_new(const at_model *m, at_arith a, at_decoder **out, at_err *err);
/* The same, but linear attention keeps keys and values too: O(T) a row, and bit for bit at_run. */
at_status at_decoder_new_keys(const at_model *m, at_arith a, at_decoder **out, at_err *err);
/* The same, but at p bits the running sums of linear attention are p-bit numbers, rounded after every token (without it they are
 * exact): then they take heads * dk * (dv + 1) numbers a group, whatever was read. f32 and f64 are so anyway. */
at_status at_decoder_new_rounded(const at_model *m, at_arith a, at_decoder **out, at_err *err);
void at_decoder_free(at_decoder *d); /* NULL is allowed */
/* Feeds one row. A row outside the domain, or one more than n_max, is refused; a push that fails leaves
 * the decoder as it was. */
at_status at_decoder_push(at_decoder *d, const double *row, at_err *err);
/* The row that follows the last one pushed (a prefix row of the model also counts), its least margin, and
 * whether all of it is decided; where it is not, the numbers are NaN and the margin is 0. */
at_status at_decoder_next(at_decoder *d, double *row, double *margin, at_tri *decided, at_err *err);
/* The readout before a decision that at_decoder_next read last, (*n); valid until the next call on d. */
const double *at_decoder_values(const at_decoder *d, int *n);
size_t at_decoder_bytes(const at_decoder *d); /* of caches now: all that grows with the sequence, and sums */

/* Multiply-adds, exactly, by where they are done; UINT64_MAX stands for that many or more. Counted as if no weight
 * were zero (docs/decode.md says what counts). FLOPs are twice as many. */
typedef struct {
    uint64_t positions, readouts;                         /* pushed, the model's prefix included; read */
    uint64_t embedding, projections, mlp, readout, dense; /* dense: the sum of the four */
    uint64_t scores, values, states, attention;           /* attention: the sum of the three */
} at_cost;
at_cost at_decoder_cost(const at_decoder *d); /* of what this decoder has done */
/* Of generating `rows` rows after a prompt of `prompt` rows, from the shapes alone: m needs no weights. Refused
 * unless the masks are those of a decoder and the rows fit in n_max. */
at_status at_generation_cost(const at_model *m, int prompt, int rows, at_cost *out, at_err *err);
/* How many numbers its decoder keeps before it makes the last of these rows: keys and values that a later row may see, running
 * sums, states. */
at_status at_generation_kept(const at_model *m, int prompt, int rows, uint64_t *out, at_err *err);
/* The same cost of one run over n rows of input, under any mask. */
at_status at_run_cost(const at_model *m, int n, at_cost *out, at_err *err);

/* Continues prompt until the stop rule holds: *rows (n, row width) in the arena, without the prompt.
 * AT_EBUDGET: there is no answer (a row undecided or out of range, or max_steps or n_max reached
 * first); the rows generated so far and their least margin are given all the same. */
at_status at_generate(const at_model *m, at_arith a, const at_input *prompt, at_arena *arena, double **rows,
                      int *n, double *least_margin, at_err *err);
/* By at_decoder_new_rounded. */
at_status at_generate_rounded(const at_model *m, at_arith a, const at_input *prompt, at_arena *arena,
                              double **rows, int *n, double *least_margin, at_err *err);

/* The same chains, many of them: what depends on the model alone is done once, and memory is used again. Every
 * run gives the rows, the margin, the status and the words of at_generate, bit for bit, whatever ran before. One
 * generator a thread; m is borrowed until at_generator_free.
 *
 *     at_generator *g;
 *     at_generator_new(&m, at_f64, &g, &err);
 *     for (...) at_generator_run(g, prompt, n, &rows, &n_rows, &margin, &err);
 *     at_generator_free(g); */
typedef struct at_generator at_generator;
at_status at_generator_new(const at_model *m, at_arith a, at_generator **out, at_err *err);
/* prompt: (n, row width). *rows: (*n_rows, row width), valid until the next run; given also with AT_EBUDGET. */
at_status at_generator_run(at_generator *g, const double *prompt, int n, const double **rows, int *n_rows,
                           double *margin, at_err *err);
void at_generator_free(at_generator *g); /* NULL is allowed */
/* Of at_decoder_new_rounded. */
at_status at_generator_new_rounded(const at_model *m, at_arith a, at_generator **out, at_err *err);
/* Reads n rows and gives all that later rows depend on but the rows themselves: how many rows there were, running sums, and the
 * keys and values that a later query may see, with their positions. *bytes is a function of n. state NULL: only *bytes.
 * Exact sums (p-bit, not rounded) are refused: they have no fixed size. */
at_status at_generator_state(at_generator *g, const double *rows, int n, void *state, size_t *bytes,
                             at_err *err);

/* ---- recurrent nets, position by position -------------------------------------------------------------
 *
 * For models whose blocks are rnn and mlp only; others are refused by name. The state of all rnn blocks is an array of doubles that
 * the caller keeps (and may copy, and come back to); values are those of at_run, bit for bit.
 *
 *     at_recurrence *r;
 *     at_recurrence_new(&m, a, n, &r, &err);           // for inputs of n positions
 *     double state[at_recurrence_numbers(r)];
 *     at_recurrence_begin(r, state);
 *     for (int i = 0; i < n; i++) at_recurrence_step(r, i, row + i * width, state, value, &err);
 *     at_recurrence_free(r); */
typedef struct at_recurrence at_recurrence;
/* a is f32, f64 or p-bit. m is borrowed until at_recurrence_free. One for each thread. */
at_status at_recurrence_new(const at_model *m, at_arith a, int n, at_recurrence **out, at_err *err);
void at_recurrence_free(at_recurrence *r);         /* NULL is allowed */
int at_recurrence_numbers(const at_recurrence *r); /* of a state */
void at_recurrence_begin(const at_recurrence *r,
                         double *state); /* before position 0; after the model's prefix */
/* Position i (0-based) reads a row known to be in the domain. value: NULL, or the readout there (R). */
at_status at_recurrence_step(at_recurrence *r, int i, const double *row, double *state, double *value,
                             at_err *err);

/* Batches: many prompts at once, over several threads, for the decoders that training gives: one token field, no prefix, one
 * group a block of causal or block-sparse softmax or of causal linear attention, argmax. Others are refused with
 * AT_EREFUSED, naming the part; use at_generator. Values are those of another order of the same sums as at_run's; those of a
 * chain do not depend, to the bit, on what else is in the batch, on its order or on threads (docs/decode.md).
 *
 *     at_batch *b;
 *     at_batch_new(&m, at_f32, 64, 0, &b, &err);
 *     at_batch_run(b, prompts, count, chains, &err);
 *     for (...) if (!chains[i].status) ... chains[i].rows ...;
 *     at_batch_free(b); */
typedef struct {
    at_status status;   /* AT_OK, or as at_generator_run: AT_EBUDGET no answer, AT_EDOMAIN no such prompt */
    int n;              /* rows generated; with AT_EDOMAIN 0 */
    const double *rows; /* (n) tokens, valid until the next run */
    double margin;      /* the least */
    const char *why;    /* NULL, or the words of at_generator_run; valid as long */
} at_batch_chain;
typedef struct at_batch at_batch;
/* a is f32 or f64. batch sequences at a time, all threads together, up to 4096 (0: 64); threads 0: one a core. m is borrowed
 * until at_batch_free. */
at_status at_batch_new(const at_model *m, at_arith a, int batch, int threads, at_batch **out, at_err *err);
void at_batch_free(at_batch *b); /* NULL is allowed */
/* Continues every prompt; out: (count). Fails, as a whole, only when out of memory or interrupted; b can be used again. */
at_status at_batch_run(at_batch *b, const at_input *prompt, size_t count, at_batch_chain *out, at_err *err);
size_t at_batch_bytes(const at_batch *b); /* of caches, of the sequence that has most */

/* ---- stages: a model run position by position, its sums over keys split between parties -----------------
 *
 * The steps of at_run at p bits, one by one, on the rows (positions) that the caller holds: whoever holds some of the
 * keys adds up exact partial sums, and whoever merges them all gets the bits of at_run. For one query row q:
 *
 *     at_stage_scores(s, b, g, h, q, t, k, pos, key, n, score); // each party, over its own n keys
 *     peaks[party] = at_stage_peak(score, n);                   // linear attention needs none
 *     at_stage_weigh(s, b, g, score, n, at_stage_peak(peaks, parties), w);
 *     at_stage_add(s, b, g, h, w, n, v, key, sum);              // sum: (dv + 1) at_acc, the denominator first
 *     for (int c = 0; c <= dv; c++) at_acc_merge(&all[c], &sum[c]);       // of all parties, then at_stage_finish
 *
 * Letters: D width, H heads, dk, dv head widths, n rows, b block, g group, h head; T positions, t one of them from 0.
 * Only p-bit arithmetic (elsewhere sums are not exact), and only what a sum or a choice over keys makes: sparsemax and
 * three-wise attention, recurrent and flattening blocks are refused by name. A stage is scratch too: one a thread. m is borrowed. */
typedef struct at_stage at_stage;
at_status at_stage_new(const at_model *m, at_arith a, at_stage **out, at_err *err);
void at_stage_free(at_stage *s); /* NULL is allowed */
const at_model *at_stage_model(const at_stage *s);
const at_pfmt *at_stage_format(const at_stage *s);
/* x (D) = the embedding of position t of T; row: its numbers in the input, NULL at a hidden position. */
void at_stage_embed(at_stage *s, const double *row, int t, int T, double *x);
/* y (n, D) = what block b reads of x (n, D): its norm, or x. Of a parallel block x is what the block before it read. */
void at_stage_read(at_stage *s, int b, const double *x, int n, double *y);
/* q, k (n, H*dk), v (n, H*dv) of y (n, D), the rows of positions t (n); each may be NULL, t where nothing is turned. Queries and keys
 * are turned already, and in linear attention phi is applied. */
void at_stage_project(at_stage *s, int b, int g, const double *y, const int *t, int n, double *q, double *k,
                      double *v);
/* score (n) of q (H*dk), head h, of position t, against rows key[0..n-1] (ascending) of k, which are of positions pos[key]. Without
 * alibi t is not asked, and pos may be NULL. */
void at_stage_scores(at_stage *s, int b, int g, int h, const double *q, int t, const double *k,
                     const int *pos, const int *key, int n, double *score);
double at_stage_peak(const double *score, int n); /* the largest, or NaN when one is; n >= 1 */
/* w (n): weights relative to the peak of all keys (softmax, average-hard), or the scores themselves (linear). */
void at_stage_weigh(at_stage *s, int b, int g, const double *score, int n, double peak, double *w);
void at_stage_add(at_stage *s, int b, int g, int h, const double *w, int n, const double *v, const int *key,
                  at_acc *sum);
/* out (dv) = numerators over denominator, each sum rounded once; AT_QUOTIENT: the quotient alone. */
void at_stage_finish(at_stage *s, int b, int g, at_acc *sum, double *out);
/* Leftmost, rightmost: the first or last of 0..n-1 that is within tie of the peak of all keys; -1 when none is, or the peak is NaN. */
int at_stage_choose(at_stage *s, int b, int g, const double *score, int n, double peak);
/* result (n, D) += what group g makes of the heads' values mixed (n, H*dv). */
at_status at_stage_output(at_stage *s, int b, int g, const double *mixed, int n, double *result, at_err *err);
/* result (n, D) = the MLP of y (n, D). */
at_status at_stage_mlp(at_stage *s, int b, const double *y, int n, double *result, at_err *err);
void at_stage_close(at_stage *s, int b, const double *result, int n, double *x); /* x = x + result, norm */
at_status at_stage_readout(at_stage *s, const double *x, int n, double *value, at_err *err); /* (n, R) */

#endif
