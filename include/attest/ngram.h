/* ngram.h: n-gram language models: back-off tables, ARPA files, fitting to a text, tightness; and probabilistic automata and machines.
 *
 *     at_ngram *g;
 *     at_ngram_read(text.s, text.n, "weather.arpa", &arena, &g, &err);
 *     int state = at_ngram_start(g), rain = at_ngram_find(g, "rain", 4);
 *     double log10p = rain < 0 ? -INFINITY : at_ngram_step(g, &state, rain); // p(rain | <s>), and on to <s> rain
 *     double *p = at_new(&arena, double, g->words + 1);
 *     at_ngram_state_row(g, state, p);                                       // p(. | <s> rain), </s> among them
 *
 * Legend: n order, W words, V = W + 1. Ids: words are 0 .. W-1 (<unk> is one of them), </s> is W, <s> is W + 1. So a row of
 * probabilities is (V) doubles by id: </s> is in it, <s>, which nothing predicts, is not. Logarithms are to base 10, and that of
 * zero is -INFINITY. Everything lives in the caller's arena. */
#ifndef ATTEST_NGRAM_H
#define ATTEST_NGRAM_H

#include <attest/core.h>

#define AT_NGRAM_ORDER_MAX 8
#define AT_NGRAM_WORDS_MAX 262144   /* W + 2 */
#define AT_NGRAM_MAX       10000000 /* n-grams of all orders */
#define AT_NGRAM_WORD_MAX  256      /* bytes of a word with its NUL */
#define AT_NGRAM_FILE_MAX  ((size_t)2 << 30)
#define AT_NGRAM_ZERO      (-99.0) /* this, or less, is the logarithm of zero in a file */

typedef struct {
    int order, words;                 /* n, W */
    int unk;                          /* the id of <unk>, -1: there is none */
    const char *const *word;          /* (W + 2), different */
    const struct at_ngram_tables *of; /* src/ngram */
} at_ngram;

static inline int at_ngram_eos(const at_ngram *g)
{
    return g->words;
}
static inline int at_ngram_bos(const at_ngram *g)
{
    return g->words + 1;
}
int at_ngram_find(const at_ngram *g, const char *word, size_t n); /* an id, </s> and <s> too; -1: unknown */
int at_ngram_count(const at_ngram *g, int k);                     /* k-grams of the tables, 1 <= k <= n */

/* ---- probabilities ------------------------------------------------------------------------------------------ */

/* A history is ids, the last word last; <s> only first, </s> nowhere; only its last n - 1 count. An unknown word (-1) in it ends what
 * is known: what stands before it does not count. A history of a whole sentence begins with <s>. */
double at_ngram_next(const at_ngram *g, const int *history, int len, int word); /* log10 p(word | history) */
void at_ngram_row(const at_ngram *g, const int *history, int len, double *p);   /* p (V), not logarithms */
/* The same probability as a fraction, where it is known as one (at_ngram_of_counts); false: it is not. */
bool at_ngram_fraction(const at_ngram *g, const int *history, int len, int word, uint64_t *over,
                       uint64_t *under);

/* The state of a history is its longest suffix that the tables tell apart, as a number 0 .. at_ngram_states - 1; 0 is the empty
 * one. Histories with one state have one row, and lead to one state by each word. */
int at_ngram_states(const at_ngram *g);
int at_ngram_start(const at_ngram *g); /* the state of <s> */
int at_ngram_state(const at_ngram *g, const int *history, int len);
int at_ngram_state_words(const at_ngram *g, int state, int *history); /* room for n - 1; how many */
/* The states are numbers of contexts in the tables; not every number is the state of a history. */
bool at_ngram_is_state(const at_ngram *g, int state);
/* log10 p(word | state), and the state after it (</s> leads to state 0). word -1 is unknown: -INFINITY, and state 0. */
double at_ngram_step(const at_ngram *g, int *state, int word);
void at_ngram_state_row(const at_ngram *g, int state, double *p); /* (V) */

/* Every history that a sentence can have before its next word, as far as it counts: k < n - 1 words behind <s>, or n - 1 words
 * without it. They are numbered by k, then as numbers of k digits to base W: at_ngram_histories = 1 + W + .. + W^(n-1);
 * UINT64_MAX: that, or more. */
uint64_t at_ngram_histories(const at_ngram *g);
int at_ngram_history(const at_ngram *g, uint64_t i, int *history); /* room for n - 1; how many ids */
uint64_t at_ngram_history_find(const at_ngram *g, const int *history, int len); /* the other way round */

/* ---- making them ---------------------------------------------------------------------------------------------- */

/* Full tables without back-off: row i is that of history i, p (histories, V) or counts of which each row is divided by its sum.
 * Zeros are allowed; a row of p must sum to 1 within 1e-9, one of counts to at least 1 and less than 2^63. word (W): without <s> and
 * </s>; one of them may be <unk>. */
at_status at_ngram_of_table(int order, int words, const char *const *word, const double *p, at_arena *a,
                            at_ngram **out, at_err *err);
at_status at_ngram_of_counts(int order, int words, const char *const *word, const uint64_t *count,
                             at_arena *a, at_ngram **out, at_err *err);

/* An ARPA file: text[0..n), where: its name for messages "where:line:column: ...". n-grams that no sentence has (<s> behind another
 * word, </s> before one) are read over. Words are numbered as they stand in the file. */
at_status at_ngram_read(const char *text, size_t n, const char *where, at_arena *a, at_ngram **out,
                        at_err *err);
at_status at_ngram_load(const char *path, at_arena *a, at_ngram **out, at_err *err);
at_file_look at_ngram_look; /* may these be the first bytes of an ARPA file? */
/* Numbers in the fewest digits that are read as the same double; what is read from this prints as this. */
void at_ngram_print(const at_ngram *g, const at_progress *progress, at_text *out); /* progress may be NULL */

/* ---- tokens of a text -------------------------------------------------------------------------------------------- */

typedef enum { AT_TOKENS_WORD, AT_TOKENS_CHAR, AT_TOKENS_BYTE, AT_TOKENS } at_tokens;
extern const char *const at_tokens_names[AT_TOKENS]; /* "word", "char", "byte" */
/* How a token is spelt: words as they are; a character, or a byte of ASCII, as it is; a character that is not seen (the blank
 * too) as <U+0020>, any other byte as <0x20>. */
typedef struct {
    const char *s;
    size_t n;
    char own[16]; /* s may be this */
} at_ngram_token;
/* The next token of *s .. end, which is one line; false: there is none. Of words: blanks and tabs stand between them. Malformed UTF-8 is
 * U+FFFD. */
bool at_ngram_token_next(at_tokens kind, const char **s, const char *end, at_ngram_token *t);
/* The tokens that the model was fitted to: its words say it (<U+0020> is always one of characters, <0x20> of bytes). */
at_tokens at_ngram_tokens(const at_ngram *g);
/* A sentence as text again. */
void at_ngram_say(const at_ngram *g, at_tokens kind, const int *word, int n, at_text *out);

/* ---- fitting ------------------------------------------------------------------------------------------------------ */

/* kn: modified Kneser-Ney, interpolated. abs: absolute discounting, interpolated. add: k more of everything. none: as often as seen. */
typedef enum { AT_SMOOTH_KN, AT_SMOOTH_ABS, AT_SMOOTH_ADD, AT_SMOOTH_NONE, AT_SMOOTHINGS } at_smoothing;
extern const char *const at_smoothing_names[AT_SMOOTHINGS];
typedef struct {
    int order;
    at_smoothing smoothing;
    at_tokens tokens;
    double k;           /* of add, > 0 */
    int vocabulary;     /* > 0: only so many words, the most frequent */
    uint64_t min_count; /* only words seen so often; the others are <unk> */
} at_fit;
typedef struct {
    uint64_t sentences, tokens,
        unknown; /* tokens: words of the text, without </s>; unknown: that became <unk> */
    double discount[AT_NGRAM_ORDER_MAX + 1][3]; /* by order: of kn for counts 1, 2, >= 3; of abs the first */
    bool assumed[AT_NGRAM_ORDER_MAX + 1]; /* too few n-grams of small counts to find them: 1/2, 1, 3/2 */
} at_fitted;
/* One sentence a line, text[0..n). progress may be NULL. */
at_status at_ngram_fit(const at_fit *how, const char *text, size_t n, const char *where,
                       const at_progress *progress, at_arena *a, at_ngram **out, at_fitted *said,
                       at_err *err);

/* ---- tightness ------------------------------------------------------------------------------------------------------ */

/* Do the probabilities of all finite sentences sum to 1? Exactly when every state that <s> reaches can reach </s>, by words of
 * positive probability. Each row is first divided by its sum, as fractions; at_ngram_of_counts has its own. */
#define AT_TIGHT_SOLVED 200 /* states up to which the sum is found as a fraction */
typedef struct {
    bool tight;
    int states, dead; /* that <s> reaches; of them, those that cannot reach </s> */
    double off; /* the largest distance of the sum of such a state's row from 1; NAN: too much to add up */
    int *trap, n_trap; /* not tight: a state that cannot reach </s>, as words, */
    int *path, n_path; /* and fewest words that lead to it from <s> */
    bool solved; /* the sum was found by solving equations; else it is known only where the model is tight */
    const char *mass; /* the sum as a fraction, "1/2"; NULL: too many states */
    double mass_near; /* the same, rounded towards 0; NAN: too many states */
} at_tight;
at_status at_ngram_tight(const at_ngram *g, const at_progress *progress, at_arena *a, at_tight *out,
                         at_err *err);

/* ---- probabilistic automata (.pfsa) -----------------------------------------------------------------------------------
 *
 * A run begins in a state, and in each state takes one of its transitions, which writes a letter, or ends. The probability of a word is
 * the sum over the runs that write it. Several transitions of a state may have one letter: the automaton may be nondeterministic.
 * Probabilities are fractions: those of a state are whole numbers over its `under`. */
#define AT_PFSA_STATES  64
#define AT_PFSA_LETTERS 64
#define AT_PFSA_UNDER   1000000 /* no common denominator is larger */
typedef struct {
    int from, letter, to;
    uint32_t count; /* > 0; over under[from] */
} at_pfsa_arc;
typedef struct {
    int states, letters, arcs;
    const char *const *state, *const *letter; /* names, different */
    const at_pfsa_arc *arc;                   /* by from, then letter, then to */
    const int *first;                         /* (states + 1): arcs of a state begin here */
    const uint32_t *under, *end;              /* (states) */
    uint32_t start_under;
    const uint32_t *start; /* (states) */
} at_pfsa;
/* text[n] is 0. where: its name for messages "where:line:column: ...". */
at_status at_pfsa_read(const char *text, size_t n, const char *where, at_arena *a, at_pfsa **out,
                       at_err *err);
at_status at_pfsa_load(const char *path, at_arena *a, at_pfsa **out, at_err *err);
/* What is read from this prints as this. */
void at_pfsa_print(const at_pfsa *p, at_text *out);
/* The automaton of these arcs, in any order; what does not sum to 1 is refused. Names may be NULL: q0, q1, .. and a, b, .. */
at_status at_pfsa_make(const at_pfsa *like, at_arena *a, at_pfsa **out, at_err *err);

/* Texts of letters and states, as a decoder writes them: [q] a [r] b [r] </s>. Tokens: letters 0 .. L-1, then the states, then
 * </s>, which is L + Q. What comes next depends on the last two tokens: behind nothing a state to start in; behind a state a letter or
 * </s>; behind a state and a letter the next state. Behind anything else, which no run writes, comes </s>. */
int at_pfsa_tokens(const at_pfsa *p); /* L + Q + 1 */
/* Whole numbers (L + Q + 1) over *under, without a common divisor. state, letter: -1 where there is none. */
void at_pfsa_next(const at_pfsa *p, int state, int letter, uint32_t *count, uint32_t *under);

/* The probability of a word as a fraction in lowest terms, "3/8". */
at_status at_pfsa_probability(const at_pfsa *p, const int *word, int n, at_arena *a, const char **out,
                              at_err *err);
/* The same letter by letter, in doubles: belief (Q) is the probability of each state behind what was read. */
void at_pfsa_begin(const at_pfsa *p, double *belief);
void at_pfsa_row(const at_pfsa *p, const double *belief, double *row); /* (L + 1), the end last */
void at_pfsa_step(const at_pfsa *p, double *belief, int letter);

/* Do the probabilities of all words sum to 1? trap: one state; path: letters. */
at_status at_pfsa_tight(const at_pfsa *p, at_arena *a, at_tight *out, at_err *err);

/* ---- probabilistic Turing machines (.ptm) -------------------------------------------------------------------------------
 *
 * One tape without ends, blank at first. In its state, on the symbol under its head, a machine takes one of its transitions, which
 * writes a symbol, moves the head, leads to a state and puts out a letter, or none; or it ends. Its word is the letters in turn.
 * A run is a text of steps, one a token: what was written, the move, the state, the letter. What comes next depends on the state of
 * the last step and on the symbol that was written last where the head is. Probabilities are fractions. */
#define AT_PTM_STATES  64
#define AT_PTM_SYMBOLS 64
#define AT_PTM_LETTERS 64
#define AT_PTM_STEPS   1000 /* different ones */
typedef struct {
    int from, read, write, move, to; /* move: -1, 0, 1 */
    int letter;                      /* -1: none */
    int step;                        /* its token */
    uint32_t count;                  /* > 0; over under[from, read] */
} at_ptm_rule;
typedef struct {
    int states, symbols, letters, rules, steps;
    const char *const *state, *const *symbol, *const *letter; /* names, different; symbol 0 is the blank */
    int start;
    const at_ptm_rule *rule;     /* by from, then read, then step */
    const int *first;            /* (states * symbols + 1): rules of a pair begin here */
    const uint32_t *under, *end; /* (states, symbols); a pair of which nothing is said ends */
    const int *step;             /* (steps): a rule that makes it */
} at_ptm;
/* As at_pfsa_read, at_pfsa_load and at_pfsa_print. */
at_status at_ptm_read(const char *text, size_t n, const char *where, at_arena *a, at_ptm **out, at_err *err);
at_status at_ptm_load(const char *path, at_arena *a, at_ptm **out, at_err *err);
void at_ptm_print(const at_ptm *p, at_text *out);
/* The machine of these rules, in any order and with any step; what does not sum to 1 is refused. Names are kept. */
at_status at_ptm_make(const at_ptm *like, at_arena *a, at_ptm **out, at_err *err);
/* Whole numbers (steps + 1), the end last, over *under, without a common divisor. */
void at_ptm_next(const at_ptm *p, int state, int symbol, uint32_t *count, uint32_t *under);
/* The same behind any text of steps; tape (2 n + 1) is scratch. */
void at_ptm_after(const at_ptm *p, const double *token, int n, int *tape, uint32_t *count, uint32_t *under);
/* By running it: the probability, as a fraction in lowest terms, that a run of at most `steps` steps ends with this word, for every word to
 * `longest` letters (those of fewer letters first, then as numbers to base `letters`); *left: that it has not ended by then. Runs
 * with a longer word are followed no further, and are in neither. More than a million steps are refused. */
at_status at_ptm_words(const at_ptm *p, int longest, int steps, at_arena *a, const char *const **out,
                       const char **left, at_err *err);

#endif
