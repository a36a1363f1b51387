/* refute.h: the failing input of a model that is too small.
 *
 *     at_subject s = {.m = &m, .arith = at_f32, .task = at_task_find("qsa"), .params = &p, .tolerance = 0.1};
 *     at_refutation r;
 *     at_refute(&s, &(at_refute_env){.work = 2e9}, NULL, &arena, &r, &err);
 *     if (r.refuted == AT_TRUE) ... r.wrong ...
 *
 * A refuter looks for a pair: two inputs that the model cannot tell apart, though they must be answered differently. What
 * it finds is run again before it is believed; it never says that a model is right. */
#ifndef ATTEST_REFUTE_H
#define ATTEST_REFUTE_H

#include <attest/exec.h>
#include <attest/problem.h>

/* A model and what it should compute: a task, or a chain (decoders). */
typedef struct {
    const at_model *m;
    at_arith arith; /* f32, f64 or p-bit: the model is what it is in this arithmetic */
    const at_task *task;
    const at_params *params; /* of the task */
    const at_chain *chain;   /* decoders: task is NULL */
    const void *self;        /* of the chain, opened */
    double tolerance;        /* real answers: largest Euclidean distance allowed */
    /* real answers: outputs at most this far apart count as equal; 0: tolerance/2^20, in f32 /2^12 */
    double same;
    /* a file of cases at positions: cases of all its lengths, not of N alone */
    bool any_length;
    /* decoders at p bits: running sums of linear attention are rounded after every token */
    bool rounded_sums;
} at_subject;

typedef struct {
    /* Multiply-adds of the model that may be spent, counted from its shapes (src/refute/work.c); 0: until there is nothing left
     * to try. No clock is looked at: with the same seed the same states are, however busy the machine. */
    double work;
    uint64_t states; /* at most so many are looked at; 0: no such limit */
    size_t memory;   /* bytes of tables; 0: 2^30 */
    uint64_t seed;
    int threads;
    const at_progress *progress;
} at_refute_env;
bool at_refute_over(const at_refute_env *env, uint64_t states,
                    double work); /* so much is spent: over, or cancelled? */

/* Two inputs, (n, row width) each; of decoders: prompts. */
typedef struct {
    at_input x[2];
    uint64_t states;  /* looked at until it was found, or in all */
    double work;      /* multiply-adds that took */
    double bits;      /* of what was found equal (state, message, null space); NaN: no such number */
    const char *note; /* NULL, or one line: what is equal, and why the targets differ */
} at_pair;

typedef struct {
    const char *id, *about;
    /* AT_OK when it can speak of such a model and task; else AT_EREFUSED with the reason. */
    at_status (*fits)(const at_subject *s, at_err *why);
    /* AT_OK: a pair. AT_EBUDGET: none found, and the words say what was tried; out->states is set all the same. */
    at_status (*search)(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out,
                        at_err *err);
    bool single; /* looks for one wrong input, x[0], not for a pair */
} at_refuter;
extern const at_refuter *const at_refuters[]; /* in the order in which they are tried */
extern const int at_n_refuters;
extern const at_registry at_refuter_registry;
const at_refuter *at_refuter_find(const char *id); /* NULL: there is none */

/* What the model says and what is right, for one input, at the positions that both speak of (the last alone, when one of
 * them speaks of it only); of a decoder: the rows it writes. */
typedef struct {
    int n, n_right; /* positions, or rows written and rows to be written */
    int open;       /* of a decoder that is asked for the end alone: rows before it, which are not judged */
    int width;      /* numbers of each in got and right */
    /* (n, width), (n_right, width): decisions, or the values where answers are real; rows */
    const double *got, *right;
    int values; /* numbers of each in value */
    /* (n, values): the readout before a decision; of a decoder (1, 1): the least margin */
    const double *value;
    bool correct;
    int position; /* the first that is wrong, 0-based, counted from the first position of the input; -1: none */
} at_answer;
at_status at_subject_answer(const at_subject *s, const at_input *x, at_arena *a, at_answer *out, at_err *err);

/* Runs both again. TRUE: at some position the outputs are equal (all values, to the bit; real answers: within `same`) and the
 * targets differ (real answers: by more than 2 tolerance + same, so that one of the two must be wrong). Decoders: both times
 * the same rows are written, from the same readouts to the bit, and different chains are right. why (may be NULL) gets the reason when it is FALSE. */
at_status at_pair_verify(const at_subject *s, const at_pair *p, at_arena *a, at_tri *out, at_answer answer[2],
                         at_err *why, at_err *err);

typedef struct {
    uint64_t tried;
    double work;
    bool wrong, pair; /* did it meet a wrong answer; a pair? */
} at_random_search;
/* The rival: inputs at random, kept by their output, until a pair or the budget, which must have an end. */
at_status at_refute_random(const at_subject *s, const at_refute_env *env, at_random_search *out, at_err *err);

typedef struct {
    const char *id;
    at_status status; /* AT_OK found, AT_EBUDGET not found, AT_EREFUSED does not fit */
    uint64_t states;
    double work;
    double seconds;    /* it took; nothing depends on it */
    const char *words; /* what was tried, or why it does not fit */
} at_attempt;

typedef struct {
    at_tri refuted;     /* TRUE, or UNKNOWN: never FALSE */
    const char *method; /* id of the refuter; NULL */
    at_pair pair;       /* shrunk; with a single refuter x[1].n is 0 */
    int wrong;          /* which of the two is answered wrongly there (the first that is) */
    /* Where: the first position at which the outputs of the pair are equal and the targets are not, or the single input is
     * answered wrongly; of decoders the first row (counted behind the prompt) at which the right chains differ, or that is
     * wrong. 0-based. */
    int position;
    at_answer answer[2];
    at_attempt *attempts;
    int n_attempts;
    at_random_search random; /* the same work of plain random search */
    double work, seconds;
} at_refutation;
/* Is the answer right at a position (from the first of the input), or is row `position` of a decoder? */
bool at_answer_right(const at_subject *s, const at_answer *y, int position);
/* The numbers of got (side 0) or right (1) there; NULL: there is no such row, or nothing is asked of it (`open`; such a row
 * counts as right). */
const double *at_answer_at(const at_subject *s, const at_answer *y, int side, int position);
/* Fills in position and wrong from the answers, for a pair or (x[1].n is 0) a single input that was run again. */
void at_refutation_place(const at_subject *s, at_refutation *r);
/* Can the model be asked this at all: arithmetic, lengths, rows, outputs? Else AT_EREFUSED or AT_EINPUT, in words. */
at_status at_subject_check(const at_subject *s, at_err *err);
/* only: id of the one refuter to use, or NULL. Fails where at_subject_check does, and with AT_EINPUT when there is no such
 * refuter. */
at_status at_refute(const at_subject *s, const at_refute_env *env, const char *only, at_arena *a,
                    at_refutation *out, at_err *err);

/* ---- restrictions: few letters fixed, and the answer depends on few others -------------------------------------------------
 *
 * For models of words whose attention is leftmost- or rightmost-hard (others, and layer norms before the last attention, are refused in
 * words): letters are fixed to 0 or 1, the first two of the alphabet, until the answer (at the last position) of a word whose other
 * letters are 0 or 1 depends on few of the free ones, or at least not on all. Two words that agree on the fixed and on the seen letters have the
 * same readout, in f64 and over the reals: that is proved from the weights. brackets: -1, or the letters that are fixed leave a balanced word of
 * depth at most this (0: any), 0 opening and 1 closing.
 *
 * AT_OK: found, seen_free < free. AT_EBUDGET: not found; AT_EREFUSED also where rounding decides what a head fetches. */
typedef struct {
    int n;
    signed char *letter; /* (n): 0, 1, or -1: free */
    bool *seen;          /* (n): the answer may depend on it */
    int free, seen_free; /* letters that are free, and of these seen */
    int cap,
        few; /* letters that a state before the last layer may depend on; that the answer should depend on at most */
    int passes;  /* rounds */
    double work; /* multiply-adds */
} at_restriction;
at_status at_restriction_fits(const at_model *m, at_err *err);
at_status at_restrict(const at_model *m, int n, int brackets, const at_refute_env *env, at_arena *a,
                      at_restriction *out, at_err *err);

/* ---- collisions -----------------------------------------------------------------------------------------
 *
 * Items 0..count-1 have states; which two have equal ones? `state` writes the state of item i (bytes) and may run on several
 * threads. Fingerprints are kept in a table of at most `memory` bytes; two items whose fingerprints agree are
 * compared in full. The answer does not depend on threads: the smallest second item, and the smallest first of it. Of
 * items with equal states the first 64 are kept: where pairs of no use are pairs of equal targets, one would do.
 *
 * AT_OK: found, or not found among `states` items (all of them, or what the budget and the table allow). AT_ECANCEL:
 * interrupted; also what `state` fails with. */
typedef struct {
    void *ctx;
    uint64_t count; /* items there are; the search may look at fewer */
    size_t bytes;   /* of a state */
    at_status (*state)(void *ctx, int worker, uint64_t i, void *out, at_err *err);
    /* NULL, or: is this pair of equal states of use? A pair that is not is passed over. Asked by one thread. */
    bool (*useful)(void *ctx, uint64_t i, uint64_t k);
} at_collide_job;
typedef struct {
    bool found;
    uint64_t first, second; /* first < second */
    uint64_t states;        /* looked at */
    uint64_t useless;       /* pairs of equal states passed over */
    size_t bytes;           /* of the table */
    double seconds;
} at_collision;
at_status at_collide(const at_collide_job *job, const at_refute_env *env, at_collision *out, at_err *err);

#endif
