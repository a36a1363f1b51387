/* check.h: one cell in, one verdict out. A cell is a model, a task and a question.
 *
 *     at_question q = {.evidence = AT_EV_EXACT, .how = AT_ENUM_MULTISETS, .arith = at_f64};
 *     at_check(&m, task, &params, &q, &env, &arena, &verdict, &err);
 */
#ifndef ATTEST_CHECK_H
#define ATTEST_CHECK_H

#include <attest/automaton.h>
#include <attest/exec.h>
#include <attest/ngram.h>
#include <attest/problem.h>

#define AT_CHECK_VERSION 3 /* raise when a check's meaning changes */

/* SIMULATED: a protocol ran beside the model, its bits counted. REFUTED: inputs were found on which given models are
 * wrong. Both are for claims of limits. */
typedef enum {
    AT_EV_EXACT,
    AT_EV_CERTIFIED,
    AT_EV_SAMPLED,
    AT_EV_SIMULATED,
    AT_EV_REFUTED,
    AT_EVIDENCES
} at_evidence;
extern const char *const at_evidence_names[AT_EVIDENCES];

/* CERTIFIED here: every input of an enumeration that stands for all of the size, each in balls, so that what is said is true of
 * real arithmetic over the stored weights. Other certificates have functions of their own, below. */
typedef struct {
    at_evidence evidence;
    at_enum how; /* EXACT, CERTIFIED: what is enumerated */
    at_arith arith;
    uint64_t limit; /* SAMPLED: inputs; EXACT: 0 = all (a limit makes it `sampled`, stratified) */
    uint64_t seed;
    /* Real answers: largest Euclidean distance allowed. 0 in exact arithmetic, where the task has `fractions`: the same
     * fractions. */
    double tolerance;
    /* Go on behind a wrong input: all are run and the wrong ones counted, in place of an end at the first. */
    bool count_all;
    bool
        plain; /* the verdict alone: a counterexample as it was met, not made shorter; no look at hard choices */
} at_question;

typedef struct {
    int n;           /* length */
    const double *x; /* (n, row width), shrunk */
    int position;    /* 0-based user position that is wrong */
    double expected, got, margin;
    /* Decoders: x is the prompt, position the row written (0-based), and these are that row as it must be and as it was
     * written, (row width); expected and got are what differs first. NULL: no such row (the chain is longer, or ended). */
    const double *want, *wrote;
    bool unknown;   /* the arithmetic could not decide */
    uint64_t index; /* where the first one was met, before shrinking */
} at_counterexample;

typedef struct {
    at_tri holds;
    at_evidence evidence; /* what it rests on */
    uint64_t inputs;      /* inputs covered */
    /* Of them not answered rightly, or not known to be, by the executor that ran them; at most 1 without count_all.
     * Certificates do not count. */
    uint64_t wrong;
    double margin; /* least margin over covered inputs that are right (real answers: tolerance - distance) */
    bool has_counterexample;
    at_counterexample cx; /* re-run by the reference before it is reported */
    const char *note;     /* NULL or one line: symmetry used, what was certified, why unknown */
} at_verdict;

/* Pieces: a check runs in pieces with fixed bounds; finished pieces may be kept and given back. */
typedef struct {
    uint64_t inputs;
    double margin;
    int64_t bad;    /* index of the first failing input in it, or -1 */
    uint64_t wrong; /* failing inputs in it */
} at_piece;
/* One thing that the verdict of a trial rests on, for whoever writes it down: certificates (docs/certificates.md). */
typedef struct {
    /* "pair": two inputs that the model does not tell apart, though different answers are right; of one: it is answered wrongly.
     * "right": inputs that are answered rightly. "talk": one that a protocol was run on. "same": on all words of `least` to `most`
     * letters the model says what `text` does; "other": not on the word x. "sums": texts of the model, by their probabilities, are runs
     * of `text`, to `most` tokens. "mass": what the sentences of `text` sum to. "ends": a bound on the end of a language model. "place":
     * is the expression `text` star-free? "equal": two texts, equal on words, or not on x. "learnt", "shares", "exam": a trained model and
     * what it was asked. "moves": words that differ in a letter. docs/certificates.md says what `more` has of each. */
    const char *kind;
    const at_model *m; /* NULL where a text stands alone */
    at_arith arith;
    const at_task *task; /* what is asked; NULL: a chain, or nothing */
    const at_params *params;
    const at_chain *chain;
    const void *self;
    double tolerance, same; /* reals: how far off is right; how near is equal */
    bool rounded_sums;      /* decoders: linear attention rounds its sums after every token */
    const at_input *x;      /* (n) */
    int n;
    const char *language, *text; /* what stands beside the model ("dfa", "ltl", "aag", "pfsa") */
    int least, most;
    const char *more; /* NULL, or more members of a JSON object, each with a comma before it */
} at_witness;
typedef struct {
    int threads; /* 0 = one a core */
    const at_progress *progress;
    /* Both may be NULL. have: was this piece done before? done: it is done now (called in any order,
     * one call at a time). */
    bool (*have)(void *ctx, uint64_t piece, at_piece *out);
    at_status (*done)(void *ctx, uint64_t piece, const at_piece *p, at_err *err);
    /* NULL, or who is shown what a trial rests on: a few things a question, one call at a time. */
    at_status (*witness)(void *ctx, const at_witness *w, at_err *err);
    void *ctx;
} at_check_env;

/* About what an input of n positions costs the fast executor: some 3e8 of these are a second. The reference takes about
 * AT_REFERENCE_COST times as long. */
double at_input_cost(const at_model *m, int n);
#define AT_REFERENCE_COST  60
#define AT_BALL_COST       600  /* times as long, in balls, where no weight is 0 */
#define AT_COST_SECOND     3e8  /* the fast executor's, of a core */
#define AT_CERTIFY_SECONDS 3600 /* of a core that a certificate by enumeration may take, by that estimate */

at_status at_check(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                   const at_check_env *env, at_arena *a, at_verdict *out, at_err *err);

/* Is the model equivariant under permuting user positions, by its structure (no position features, no
 * mask, no left/right tie-breaking)? That is what licenses AT_ENUM_MULTISETS. */
bool at_model_symmetric(const at_model *m);

/* ---- decoders ----------------------------------------------------------------------------------------- */

/* Generates from every prompt (EXACT; a limit makes it sampled, in strata) or from drawn ones (SAMPLED) and
 * compares row by row. The margin is the least distance from a rounding boundary. */
at_status at_check_chain(const at_model *m, const at_chain *c, const void *self, const at_question *q,
                         const at_check_env *env, at_arena *a, at_verdict *out, at_err *err);

/* ---- two models: are they the same function? ----------------------------------------------------------
 *
 *     at_equal_question q = {.arith = at_f64};
 *     at_equality e;
 *     at_equal(&m1, &m2, &q, &env, &arena, &e, &err);
 *     if (e.equal == AT_FALSE)
 *         printf("%d positions differ\n", e.x.n);                  // and e.output[0], e.output[1]
 *
 * Asked on every input in the ranges of the fields, which both must have alike, or on those of a problem. Decoders are asked what
 * they write after every prompt. Decisions are compared as they come out in the arithmetic; reals are equal when no
 * position is further apart than the tolerance (0: the same numbers, by the reference). */
typedef struct {
    at_arith arith;
    /* Lengths of the inputs; without, those that both take, from the shortest as far as enumerating is quick. */
    bool has_lengths;
    int least, most;
    bool exact;       /* enumerate however long it takes */
    uint64_t sampled; /* 0, or so many inputs drawn at each length, in place of all */
    uint64_t seed;
    double tolerance;
    const at_asked
        *asked; /* NULL, or the problem whose inputs are taken, as it was asked of the first model */
} at_equal_question;

typedef struct {
    at_tri equal;                  /* AT_UNKNOWN: nothing differs, but not all inputs were run or decided */
    at_evidence evidence;          /* EXACT: every input of these lengths; SAMPLED: a witness, or nothing */
    uint64_t inputs;               /* run on both, up to the first that differs */
    uint64_t undecided;            /* of them not decided by the arithmetic */
    uint64_t endless;              /* decoders: of them without an answer from either, after the same rows */
    int least, most;               /* lengths asked; -1: as long as the prompts of the problem are */
    int common_least, common_most; /* that could be asked */
    double margin;                 /* the least of both models; reals: tolerance - distance; NaN: none */
    /* The first input that differs, shrunk, and run again by the reference: what comes out, (rows, width) each. Of decoders
     * rows are those written. position: the first row that differs. Where equal is unknown: the first undecided input. */
    bool has_witness;
    at_input x;
    int position, width, rows[2];
    const double *output[2];
    const uint8_t *decided[2]; /* (rows, width) at_tri; NULL: everything */
    bool ended[2];             /* decoders: by their stop rule */
    uint64_t index;            /* of the first one among the inputs of its length, before shrinking */
    const char *note;          /* NULL, or one line: why not exact */
} at_equality;

/* Models that cannot be compared are refused with what differs: a field, the outputs, the prompts. */
at_status at_equal(const at_model *a, const at_model *b, const at_equal_question *q, const at_check_env *env,
                   at_arena *arena, at_equality *out, at_err *err);

/* ---- models as automata: words of all lengths ----------------------------------------------------------
 *
 * The least automaton of what a model of words accepts, whatever their length, its own n_max set aside: for unique-hard attention under
 * strict or causal masks, without positions or with ones that repeat. A table of positions ends with n_max; it is continued with its
 * least period, which it must show twice. Where numbers are rounded, each comparison must come out the same whatever the rounding
 * of f64 does. Everything else is refused by name; never is anything sampled. AT_EBUDGET where it would have more than AT_STATES_MAX
 * states. */
typedef struct {
    at_dfa *dfa;
    int period; /* of the positions; 1: there are none, or all are alike */
    /* Some numbers are: it holds in the reals and in f64. Else in every arithmetic that represents those of the model. */
    bool rounded;
} at_extracted;
at_status at_extract_dfa(const at_model *m, at_arena *a, at_extracted *out, at_err *err);

/* The period of all position features together; 1: there are none. Refused by name where one does not repeat. */
at_status at_model_period(const at_model *m, int *out, at_err *err);

/* The same model layer by layer. A value is what a position can hold in its stream before an attention layer, a class of equal vectors; of
 * letters and period alone in the first layer, and after the last one it says yes or no. What is not met by any word is not here. Steps
 * of positions of the word and of the hidden position behind it (`end`) are kept apart. */
typedef struct {
    bool last,
        strict; /* the last of the best keys is chosen, else the first; only keys of earlier positions are seen */
    int queries, keys;
    int *level; /* (queries, keys): 0 the best; keys of one level tie */
    int *
        before; /* (queries): the key that is chosen among the hidden positions before the word; -1: there is none */
} at_layer_head;
typedef struct {
    int value, next; /* before this layer, and before the next one */
    bool end;
    const int *chosen; /* (n_heads): a key; -1: nothing was seen */
} at_layer_step;
typedef struct {
    int values, n_heads, n_steps;
    int *query, *key; /* (values, n_heads) */
    at_layer_head *heads;
    at_layer_step *steps;
} at_layer;
typedef struct {
    at_alphabet sigma;
    int period;
    bool rounded;    /* as in at_extracted */
    int n;           /* attention layers */
    at_layer *layer; /* (n + 1); of the last one only the number of values */
    int *
        first; /* (period, letters): the value of a letter in the first layer, at position i = row + 1 modulo the period; -1: never */
    bool has_end; /* it is read behind the word, else at the last letter */
    int *
        first_end; /* (period): the value of the hidden position behind a word of row letters modulo the period */
    bool *accepts; /* (values after the last layer) */
    bool empty;    /* the answer for the empty word */
} at_layers;
/* AT_EBUDGET: a layer has more than `most` values. AT_EREFUSED also where at_extract_dfa succeeds: with more than one hidden position behind
 * the word, and where scores of keys that never meet are not told apart. */
at_status at_extract_layers(const at_model *m, int most, at_arena *a, at_layers *out, at_err *err);

/* ---- certificates: all inputs of a size, by a case split --------------------------------------------
 *
 * For models with one softmax or three-wise layer over tokens (no positions, no mask, one value): a case
 * is a query token and an interval for the number of hits among its keys (none, or some), the keys being hits (by the
 * claim's predicate) or misses; hidden positions are classes of their own. Scores and values of a class
 * are hulls of balls over the stored weights; a softmax mean is linear-fractional in the counts and in
 * each exp(score), so its hull is reached at the vertices; the hull then runs through the rest of the
 * model in balls, bisected until the readout is decided. */
typedef struct {
    int query;       /* token of the query */
    uint64_t lo, hi; /* number of hits */
    double expected; /* decision that must come out */
} at_case;
typedef struct {
    const char *text; /* one line: what the cases are, and why these are all */
    int (*tokens)(const at_params *p);
    bool (*hit)(const at_params *p, int a, int b1, int b2); /* b2 only for three-wise */
    /* Numbers of hits that can occur for query token a (a superset will do). */
    void (*hits)(const at_params *p, int a, uint64_t *lo, uint64_t *hi);
    /* The number of hits of position i of input x. */
    uint64_t (*hits_of)(const at_params *p, const double *x, int i);
} at_split;

/* The cases of "1 iff there is a hit": per query no hit and at least one, where they can occur. Returns
 * their number; out NULL: only count. */
size_t at_split_cases(const at_params *p, const at_split *s, at_case *out);

/* One class of keys: count interval, rigorous bounds on scaled score and value. */
typedef struct {
    uint64_t lo, hi;
    double score_lo, score_hi, value_lo, value_hi;
} at_key_class;
#define AT_KEY_CLASSES_MAX 6
/* Rigorous hull of sum n_k e^{s_k} v_k / sum n_k e^{s_k} over lo <= n <= hi, sum n = total, s and v in
 * their intervals. FALSE: no such n exists. */
at_tri at_softmax_hull(const at_key_class *k, int n, uint64_t total, double *lo, double *hi);

/* Bounds of a case: what the attention and the readout value can be. */
typedef struct {
    double mean_lo, mean_hi; /* the attention's value */
    double out_lo, out_hi;   /* the readout */
    at_tri holds;            /* the decision is `expected` on all of it */
    double margin;
} at_case_bounds;
/* Certifies cases[i] for i in [first, end); bounds has end-first slots. */
at_status at_certify(const at_model *m, const at_params *p, const at_split *s, const at_case *cases,
                     size_t first, size_t end, at_case_bounds *bounds, at_err *err);
/* Do the cases tile everything that can occur? The message names what is missing. */
at_status at_cases_complete(const at_params *p, const at_split *s, const at_case *cases, size_t n,
                            at_err *err);
/* The whole certificate as a verdict, in pieces like at_check. */
at_status at_check_certified(const at_model *m, const at_params *p, const at_split *s,
                             const at_check_env *env, at_arena *a, at_verdict *out, at_err *err);

/* ---- certificates over boxes: real inputs --------------------------------------------------------------
 *
 * For models that are one MLP with one hidden layer, ReLU or GeLU, at every position (no attention, no position
 * features): what holds at one position holds at all. The domain is a list of boxes, with ends that may be infinite;
 * on each of them every answer is a polynomial of degree at most 2. On a box each unit is a polynomial of degree at
 * most 2 in its argument plus a rigorous remainder (Taylor's, or the distance of GeLU from ReLU), so model minus
 * answer is one too, and its largest size is bounded term by term. Boxes are halved until the bound is small enough,
 * a point is found where the error is too large, or the budget ends. */
#define AT_BOX_INPUTS 64 /* numbers a position takes, at most */
typedef struct {
    int units;             /* h */
    const double *w1, *b1; /* (h, d), (h) */
    const double *w2, *b2; /* (R, h), (R) */
} at_twin;
typedef struct {
    const char *text; /* one line: what the boxes are, and why these are all */
    size_t (*boxes)(const at_params *p);
    /* Box i: d numbers each. */
    void (*box)(const at_params *p, size_t i, double *lo, double *hi);
    /* Answer r on box i is c + g.x + x'Hx/2; all are 0 when this is called, g (d), H (d, d) symmetric. */
    void (*answer)(const at_params *p, size_t i, int r, double *c, double *g, double *H);
    /* Instead of these three: the answer is a ReLU network, on all of R^d (lemma A.2). The model must have its units,
     * unit k scaled by any lambda_k > 0 that leaves no rounding. The arrays live in the arena. */
    at_status (*twin)(const at_params *p, at_arena *a, at_twin *out, at_err *err);
} at_box;

/* Is the distance of model and answer (Euclidean over the outputs, as in at_check) at most the tolerance, for all inputs of
 * the boxes? Pieces as in at_check. p: the claim's
 * parameters; t, tp: the task that a counterexample is re-run on. A verdict that holds is about all inputs
 * (INT64_MAX), the note says how many boxes it took; the margin is tolerance minus the largest bound. */
at_status at_check_box(const at_model *m, const at_params *p, const at_box *b, const at_task *t,
                       const at_params *tp, double tolerance, const at_check_env *env, at_arena *a,
                       at_verdict *out, at_err *err);

/* Bounds of output r of m over one box (ends may be infinite), without halving it. */
at_status at_box_range(const at_model *m, const double *lo, const double *hi, int r, double *out_lo,
                       double *out_hi, at_err *err);

/* Rigorous bounds of sup |relu(u) - gelu(u)| over all u. */
void at_gelu_gap(double *lo, double *hi);

/* ---- influence: how far one letter moves the answer of a softmax model ------------------------------------------------------
 *
 *     at_influence f;
 *     at_influence_bound(&m, 128, 1, 0, &arena, &f, &err);               // of the difference of rows 1 and 0 of the readout
 *     if (at_influence_says(&f, f.worst)) ...                            // else it says nothing: vacuous
 *
 * For models of words with softmax attention (any mask), MLPs and layer norms; the answer is that of the last position. Over all words of
 * n letters and all changes of letter u alone, in real arithmetic over the stored weights: certified, by balls that are rounded outwards.
 * a, b: rows of the readout whose difference is meant, b = -1: row a alone; a = b = -1: every pair of rows (of one row: itself). Other
 * models are refused in words; AT_EBUDGET where it would take more than 128 MiB for a table. */
typedef struct {
    int n;
    double *most; /* (n): letter u moves the answer's number by at most this */
    int own; /* the letter of the position that answers, which is no neighbour of itself; -1: it is hidden */
    double
        range; /* what all other letters together can do, by the same boxes: where `most` is no smaller it is vacuous */
    int worst, least; /* letters but `own` with the largest and the least bound; -1: there is none */
} at_influence;
at_status at_influence_bound(const at_model *m, int n, int a, int b, at_arena *arena, at_influence *out,
                             at_err *err);
/* Is the bound of letter u less than the range? Both are rounded outwards, each in its own way: equal up to 2^-20 is not less. */
bool at_influence_says(const at_influence *f, int u);
/* What it is on words that are drawn: every letter of each is changed into every other, in f64; most (n). Any model of words. */
at_status at_influence_measure(const at_model *m, int n, int a, int b, int words, uint64_t seed, double *most,
                               at_err *err);
/* Two words that are to be told apart (by the sign of a difference of two logits), and a difference that moves by at most `move` between
 * them: their mean cross entropy is at least ln(1 + exp(-move/2)), in nats. That, from below; ln 2 at 0. */
double at_influence_loss(double move);

/* ---- language models: does every text end? ----------------------------------------------------------------------------
 *
 * A bound e > 0 on the probability of the end, which is the last outcome, behind every text of every length, over the reals: then the model
 * is tight. log10 e, from below, in balls. Positions in a table go on as any rows between its least and largest numbers. Refused, in words:
 * readouts other than softmax, and what grows with the length where it reaches the readout. */
at_status at_end_least(const at_model *m, double *log10_least, at_err *err);
bool at_model_is_lm(const at_model *m); /* words in, probabilities of words and, last, of the end out */

/* A model with a sparsemax readout as the n-gram model that it is: every text to a length is run in exact arithmetic (as long ones as there
 * are at most AT_HISTORIES_TEXTS of), and the fewest last words are looked for that decide what comes next on all of them, one word fewer
 * than the longest at most. That longer texts go on so is not shown. at_ngram_tight then decides. Refused, in words: other readouts,
 * what exact arithmetic has no functions for, and models of which no such number of words is found. */
#define AT_HISTORIES_TEXTS 20000
typedef struct {
    int seen, longest; /* words that decide; of the longest texts that were run */
    uint64_t texts;
    bool fractions; /* rows are the model's own; else rounded to doubles, zeros exactly */
} at_histories;
at_status at_ngram_of_model(const at_model *m, const at_progress *progress, at_arena *a, at_ngram **out,
                            at_histories *said, at_err *err);

#endif
