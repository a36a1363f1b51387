/* problem_internal.h: what the files of this module share; nothing here is public.
 *
 * A token task has one residue x_i in 0..M-1 at each of N positions and answers one bit a position. The
 * four of the match family differ in their answer and in their adversarial inputs only; the rest (reading,
 * drawing, enumerating, shrinking) is tokens.c, in the very shape that at_task asks for.
 *
 * Legend: N length, M modulus, K window, i and j positions counted from 0. */
#ifndef ATTEST_PROBLEM_INTERNAL_H
#define ATTEST_PROBLEM_INTERNAL_H

#include <string.h>

#include <attest/problem.h>

#define AT_MAX_PARAMS 2
extern const at_param at_max_params[AT_MAX_PARAMS]; /* the stream's, too */

#define AT_LENGTH_MAX  4096
#define AT_MODULUS_MAX 65536

/* The rows that the schemas share; the argument is the default. */
#define AT_PARAM_LENGTH(n)                                                                                   \
    {                                                                                                        \
        "N", "length", 1, AT_LENGTH_MAX, n, true                                                             \
    }
#define AT_PARAM_MODULUS(m)                                                                                  \
    {                                                                                                        \
        "M", "modulus: tokens are 0..M-1", 1, AT_MODULUS_MAX, m, true                                        \
    }
#define AT_PARAM_BOUND(m)                                                                                    \
    {                                                                                                        \
        "M", "bound: reals lie in -M..M", 0.001, 1000000, m, false                                           \
    }
#define AT_PARAMS_COUNT(schema) ((int)(sizeof(schema) / sizeof((schema)[0])))

/* ---- cases of definitions ----------------------------------------------------------------------------- */

/* Yes or no, from the file's `answer`. */
#define AT_DECISION_DEFINE                                                                                   \
    static const char *const cases[] = {"there is none", "there is one", NULL};                              \
    static int which(const at_params *p, const double *x, int i)                                             \
    {                                                                                                        \
        double y[AT_LENGTH_MAX];                                                                             \
        answer(p, x, y);                                                                                     \
        return y[i] != 0;                                                                                    \
    }
#define AT_CASES .cases = cases, .which = which
/* Answers that are yes or no. */
int at_decision_answers(const at_params *p);

/* ---- residues --------------------------------------------------------------------------------------- */

static inline int at_mod_neg(int a, int M)
{
    return a ? M - a : 0;
}

static inline int at_mod_add(int a, int b, int M)
{
    int s = a + b;
    return s >= M ? s - M : s;
}

/* a mod M in 0..M-1 for any sign of a. */
static inline int at_mod(int64_t a, int M)
{
    int64_t r = a % M;
    return (int)(r < 0 ? r + M : r);
}

/* A set of residues on the stack: 8 KiB at most, of which only the first M bits are ever touched. */
typedef struct {
    uint64_t word[AT_MODULUS_MAX / 64];
} at_residues;

static inline void at_residues_clear(at_residues *s, int M)
{
    memset(s->word, 0, (size_t)(M + 63) / 64 * sizeof(uint64_t));
}

static inline void at_residues_add(at_residues *s, int a)
{
    s->word[a >> 6] |= (uint64_t)1 << (a & 63);
}

static inline void at_residues_remove(at_residues *s, int a)
{
    s->word[a >> 6] &= ~((uint64_t)1 << (a & 63));
}

static inline bool at_residues_has(const at_residues *s, int a)
{
    return s->word[a >> 6] >> (a & 63) & 1;
}

/* ---- tasks that fetch reals (rows.c) ---------------------------------------------------------------------- */

/* The k-th simpler input: one number set to the plain value of its column, plain (width); AT_STAYS: never. */
#define AT_STAYS (-0x1p60)
bool at_columns_simpler(const double *x, int n, int width, const double *plain, int k, double *out);

/* ---- token tasks ------------------------------------------------------------------------------------ */

/* The input x (N) as residues v (N) modulo M. Integers outside 0..M-1 are reduced: the tasks are
 * congruences, so that is what they mean, and no input can reach outside a residue set. */
void at_tokens_read(const double *x, int N, int M, uint16_t *v);
/* Is there a pair j1, j2 among v[0..n-1] with a + v[j1] + v[j2] = 0 mod M? s must hold exactly those v. */
bool at_tokens_pair(const at_residues *s, const uint16_t *v, int n, int a, int M);

/* Tokens are 0..that-1: the parameter V, the modulus M, or the letters of words: k pairs of brackets, else bits. */
int at_tokens_size(const at_params *p);

/* Draws for adversarial inputs. */
int at_tokens_draw(at_rng *r, int M);           /* uniform in 0..M-1 */
int at_tokens_miss(at_rng *r);                  /* -1 or +1, for a near miss */
int at_tokens_low(at_rng *r, int M, int terms); /* a residue so small that `terms` of them never sum to 0 */
/* A residue a near t*M/terms for some t: terms*a is within terms-1 of 0 mod M, often 0 or +-1. */
int at_tokens_fold(at_rng *r, int M, int terms);

/* Fields of a position, for at_task.fields: `size` reals in -most..most, a token below `size`. */
at_field at_field_real(const char *name, int size, double most);
at_field at_field_token(const char *name, int size);

/* Slots of at_task. */
void at_bits_word(const at_params *p, int token, char out[AT_WORD_MAX + 1]); /* 0 and 1 */
int at_tokens_width(const at_params *p);                                     /* 1 */
void at_tokens_sample(const at_params *p, at_rng *r, double *x);
uint64_t at_tokens_count(const at_params *p, at_enum e);
void at_tokens_nth(const at_params *p, at_enum e, uint64_t index, double *x);
void at_tokens_next(const at_params *p, at_enum e, uint64_t index, double *x);
bool at_tokens_simpler(const at_params *p, const double *x, int n, int k, double *out);

/* ---- pointwise tasks over reals ---------------------------------------------------------------------
 *
 * Every position is a row of reals that is answered for itself. A task gives, for one row,
 *     static void answer_row(const at_params *p, const double *x, double *y);
 *     static void sample_row(const at_params *p, at_rng *r, double *x);
 *     static void adversarial_row(const at_params *p, at_rng *r, double *x);
 *     static bool inside(const at_params *p, const double *x);      is x a row of the task?
 * and row_width, out_width, fields. AT_ROWS_VERBS_DEFINE makes the verbs of at_task from them. */
double at_real_draw(at_rng *r, double lo, double hi); /* uniform */
double at_real_small(at_rng *r, double most); /* of any sign and of any size from most 2^-30 to most */
double at_real_weight(at_rng *r, double M);   /* a multiple of M/64 in [-M, M] */
double at_real_clip(double x, double lo, double hi);
/* The k-th simpler input of n rows of W reals: a number becomes 0, an integer, a multiple of 1/8, of 1/1024, if
 * the row stays inside. Each step makes fewer numbers that are not so simple, so greedy descent ends. */
bool at_rows_simpler(const at_params *p, const double *x, int n, int W, int k,
                     bool (*inside)(const at_params *p, const double *row), double *out);
/* A real within `spread` of one of the integers first..last, mostly at the far end when hard. */
double at_near_integer(at_rng *r, int first, int last, double spread, bool hard);

/* Enumeration of sequences of the integers first..last, when the parameter `spread` is 0; else there are none. */
uint64_t at_integers_count(const at_params *p, at_enum e, int first, int last);
void at_integers_nth(const at_params *p, uint64_t index, int first, int last, double *x);

#define AT_ROWS_VERBS_DEFINE                                                                                 \
    static void answer(const at_params *p, const double *x, double *y)                                       \
    {                                                                                                        \
        for (int i = 0; i < at_params_int(p, "N"); i++)                                                      \
            answer_row(p, x + i * row_width(p), y + i * out_width(p));                                       \
    }                                                                                                        \
    static void sample(const at_params *p, at_rng *r, double *x)                                             \
    {                                                                                                        \
        for (int i = 0; i < at_params_int(p, "N"); i++)                                                      \
            sample_row(p, r, x + i * row_width(p));                                                          \
    }                                                                                                        \
    static void adversarial(const at_params *p, at_rng *r, double *x)                                        \
    {                                                                                                        \
        for (int i = 0; i < at_params_int(p, "N"); i++)                                                      \
            adversarial_row(p, r, x + i * row_width(p));                                                     \
    }                                                                                                        \
    static bool simpler(const at_params *p, const double *x, int n, int k, double *out)                      \
    {                                                                                                        \
        return at_rows_simpler(p, x, n, row_width(p), k, inside, out);                                       \
    }                                                                                                        \
    static bool holds(const at_params *p, const double *x)                                                   \
    {                                                                                                        \
        for (int i = 0; i < at_params_int(p, "N"); i++)                                                      \
            if (!inside(p, x + i * row_width(p)))                                                            \
                return false;                                                                                \
        return true;                                                                                         \
    }
/* The verbs of a task over reals, for its row: made as above, or written by the task under the same names. */
#define AT_ROWS_VERBS                                                                                        \
    .real = true, .fields = fields, .row_width = row_width, .out_width = out_width, .answer = answer,        \
    .sample = sample, .adversarial = adversarial, .simpler = simpler

/* What all tasks over tokens share, for their rows of verbs. */
#define AT_TOKENS_VERBS                                                                                      \
    .tokens = at_tokens_size, .row_width = at_tokens_width, .out_width = at_tokens_width,                    \
    .sample = at_tokens_sample, .count = at_tokens_count, .nth = at_tokens_nth, .next = at_tokens_next,      \
    .simpler = at_tokens_simpler

/* Tasks that ask whether a word is in a language: one answer for all of it, of the empty word, too. Such a task says how it
 * draws words, for the answer of a uniform one is nearly always no in most languages. */
#define AT_PARAM_WORD(n)                                                                                     \
    {                                                                                                        \
        "N", "length", 0, AT_LENGTH_MAX, n, true                                                             \
    }
#define AT_WORD_VERBS                                                                                        \
    .last = true, .enums = 1u << AT_ENUM_SEQUENCES, .tokens = at_tokens_size,                                \
    .answers = at_decision_answers, .row_width = at_tokens_width, .out_width = at_tokens_width,              \
    .count = at_tokens_count, .nth = at_tokens_nth, .next = at_tokens_next, .simpler = at_tokens_simpler

/* ---- tasks over tables of functions (tables.c) --------------------------------------------------------- */

#define AT_TABLES_MAX 64
/* A prompt of tables, in order of application. Table t is the positions first[t] .. first[t] + size[t] - 1, with tokens
 * 0..size[t]-1. The path starts with the token at position `start`, in 0..size[0]-1; table t > 0 is read at entry
 * digit_t size[t-1] + value so far, where digit_t of 0..radix[t]-1 are those of the token at position `digits`, digit_1
 * the lowest (digits = -1, all radix 1: there are none). radix[0] is 1. */
typedef struct {
    int n, length;
    int first[AT_TABLES_MAX], size[AT_TABLES_MAX], radix[AT_TABLES_MAX];
    int start, digits;
} at_tables;
/* The value at the end of the path; at (n), may be NULL: its positions. */
int at_tables_path(const at_tables *f, const double *x, int *at);
void at_tables_sample(const at_tables *f, at_rng *r, double *x);
void at_tables_adversarial(const at_tables *f, at_rng *r, double *x);
uint64_t at_tables_count(const at_tables *f, at_enum e);
void at_tables_nth(const at_tables *f, uint64_t index, double *x);
void at_tables_next(const at_tables *f, double *x);
bool at_tables_holds(const at_tables *f, const double *x);
int at_tables_tokens(const at_tables *f); /* no position has more */
/* Is N the length? formula: how it is computed, for the message. */
at_status at_tables_validate(const at_params *p, int64_t length, const char *formula, at_err *err);

/* The verbs, from the task's `static void tables(const at_params *p, at_tables *f)`. */
#define AT_TABLES_VERBS_DEFINE                                                                               \
    static void answer(const at_params *p, const double *x, double *y)                                       \
    {                                                                                                        \
        at_tables f;                                                                                         \
        tables(p, &f);                                                                                       \
        *y = at_tables_path(&f, x, NULL);                                                                    \
    }                                                                                                        \
    static void sample(const at_params *p, at_rng *r, double *x)                                             \
    {                                                                                                        \
        at_tables f;                                                                                         \
        tables(p, &f);                                                                                       \
        at_tables_sample(&f, r, x);                                                                          \
    }                                                                                                        \
    static void adversarial(const at_params *p, at_rng *r, double *x)                                        \
    {                                                                                                        \
        at_tables f;                                                                                         \
        tables(p, &f);                                                                                       \
        at_tables_adversarial(&f, r, x);                                                                     \
    }                                                                                                        \
    static uint64_t count(const at_params *p, at_enum e)                                                     \
    {                                                                                                        \
        at_tables f;                                                                                         \
        tables(p, &f);                                                                                       \
        return at_tables_count(&f, e);                                                                       \
    }                                                                                                        \
    static void nth(const at_params *p, at_enum e, uint64_t index, double *x)                                \
    {                                                                                                        \
        (void)e;                                                                                             \
        at_tables f;                                                                                         \
        tables(p, &f);                                                                                       \
        at_tables_nth(&f, index, x);                                                                         \
    }                                                                                                        \
    static void next(const at_params *p, at_enum e, uint64_t index, double *x)                               \
    {                                                                                                        \
        (void)e;                                                                                             \
        (void)index;                                                                                         \
        at_tables f;                                                                                         \
        tables(p, &f);                                                                                       \
        at_tables_next(&f, x);                                                                               \
    }                                                                                                        \
    static bool holds(const at_params *p, const double *x)                                                   \
    {                                                                                                        \
        at_tables f;                                                                                         \
        tables(p, &f);                                                                                       \
        return at_tables_holds(&f, x);                                                                       \
    }                                                                                                        \
    static int tokens(const at_params *p)                                                                    \
    {                                                                                                        \
        at_tables f;                                                                                         \
        tables(p, &f);                                                                                       \
        return at_tables_tokens(&f);                                                                         \
    }                                                                                                        \
    static int answers(const at_params *p)                                                                   \
    {                                                                                                        \
        at_tables f;                                                                                         \
        tables(p, &f);                                                                                       \
        return f.size[f.n - 1];                                                                              \
    }
#define AT_TABLES_VERBS                                                                                      \
    .last = true, .enums = 1u << AT_ENUM_SEQUENCES, .length = length, .row_width = at_tokens_width,          \
    .out_width = at_tokens_width, .answer = answer, .sample = sample, .adversarial = adversarial,            \
    .count = count, .nth = nth, .next = next, .simpler = at_tokens_simpler, .holds = holds,                  \
    .tokens = tokens, .answers = answers

#endif
