/* problem.h: what is to be computed: generators, brute-force answers, enumerators. A task knows no model.
 *
 *     const at_task *t = at_task_find("match2");
 *     at_params p;
 *     at_params_init(&p, t->params, t->n_params);
 *     at_params_set(&p, "N", 6, &err); at_params_set(&p, "M", 11, &err);
 *     at_rng r = at_rng_at(seed, i);
 *     t->sample(&p, &r, x);            // x: (N, row_width)
 *     t->answer(&p, x, y);             // y: (N, out_width), by brute force
 */
#ifndef ATTEST_PROBLEM_H
#define ATTEST_PROBLEM_H

#include <attest/model.h>

/* ---- tasks --------------------------------------------------------------------------------------- */

/* How inputs are enumerated. SEQUENCES: every input of length N. MULTISETS: one representative (sorted)
 * of every orbit under permuting positions; only for tasks with `symmetric`. SUBSETS (qSA): inputs that
 * together use every q-subset as a query; the vectors z are drawn from the index. PAIRS (copy, block-mean; the answers
 * are linear in the reals of one column): questions, which together have every position ask everything it may, and under
 * question k the N + 1 inputs from k (N + 1) on: all reals 0, then the largest real at position 1, ..., N and 0 elsewhere.
 * What may stand for more inputs than it lists is decided by the checker, from the model's weights. CASES: what a file
 * lists; nothing else is known of the problem, so these are samples. */
typedef enum {
    AT_ENUM_SEQUENCES,
    AT_ENUM_MULTISETS,
    AT_ENUM_SUBSETS,
    AT_ENUM_PAIRS,
    AT_ENUM_CASES,
    AT_ENUMS
} at_enum;
extern const char *const at_enum_names[AT_ENUMS];

typedef struct at_task {
    const char *id, *title, *definition; /* definition: one line of mathematics */
    const at_param *params;              /* always contains N, the length */
    int n_params;
    bool symmetric;         /* permuting positions permutes the answers */
    bool last;              /* only the last position is answered: y is (1, out_width) */
    bool real;              /* answers are reals, compared in Euclidean norm per position with a tolerance */
    double tolerance;       /* of reals, unless told; 0: see at_task_tolerance */
    unsigned enums;         /* bit set over at_enum */
    const char *input_help; /* how a person writes an input */
    /* NULL, or the length that the other parameters make: N must be it. */
    int (*length)(const at_params *p);
    /* Where a position is one token: how many tokens there are, 0 .. that - 1. NULL: it is something else. */
    int (*tokens)(const at_params *p);
    /* The letter that a person writes for a token, for models that are made for the task; NULL: its number. */
    void (*word)(const at_params *p, int token, char out[AT_WORD_MAX + 1]);
    /* Where answers are tokens: 0 .. that - 1. NULL, or 0 at these parameters: they are something else. */
    int (*answers)(const at_params *p);
    /* Where a position is no single token: the fields of a model that reads it, at most AT_MAX_FIELDS, their embeddings left open;
     * how many. NULL: nobody says. Ask through at_task_fields. */
    int (*fields)(const at_params *p, at_field *out);
    int (*row_width)(const at_params *p);
    int (*out_width)(const at_params *p);
    at_status (*validate)(const at_params *p,
                          at_err *err); /* ranges that join parameters, e.g. q <= N; may be NULL */
    /* Ask through at_task_answer: a task that lacks memory makes y[0] NAN. */
    void (*answer)(const at_params *p, const double *x, double *y);
    /* NULL, or the same as fractions over / under, (positions, out_width) of both: reals that are asked about with a tolerance
     * of 0 in exact arithmetic must be these. */
    void (*fractions)(const at_params *p, const double *x, uint64_t *over, uint64_t *under);
    void (*sample)(const at_params *p, at_rng *r, double *x);
    /* Inputs near the decision boundary: near misses only, exactly one hit, crowds of near misses. */
    void (*adversarial)(const at_params *p, at_rng *r, double *x);
    uint64_t (*count)(const at_params *p, at_enum e); /* UINT64_MAX when too many to count */
    void (*nth)(const at_params *p, at_enum e, uint64_t index, double *x);
    /* The input after x in the enumeration; NULL: use nth. */
    void (*next)(const at_params *p, at_enum e, uint64_t index, double *x);
    /* A simpler input than x, the k-th candidate, for shrinking; false when there is no k-th. The
     * candidate must have the same length (lengths are shrunk by the checker). NULL: none. */
    bool (*simpler)(const at_params *p, const double *x, int n, int k, double *out);
    /* Is x (N rows) an input of the task? NULL: whatever the fields of its models allow is one. For whoever makes inputs
     * otherwise than by the verbs above: beside an input there may be none, as between the two signs of `selection`. */
    bool (*holds)(const at_params *p, const double *x);
    /* The cases of its definition, NULL-terminated (NULL: it is one formula), and which of them position i of x is.
     * `sample`, `adversarial` and every enumeration reach all of them where the parameters leave room (a test sees to it). */
    const char *const *cases;
    int (*which)(const at_params *p, const double *x, int i);
} at_task;

/* The right answers to x; y has room for one at least, also of the empty input. Fails where the task cannot tell for lack of
 * memory: then nothing may be said of a model. */
at_status at_task_answer(const at_task *t, const at_params *p, const double *x, double *y, at_err *err);

/* What a position is, as fields of a model: the task's, or one of tokens; 0: it is not known. out: (AT_MAX_FIELDS). */
int at_task_fields(const at_task *t, const at_params *p, at_field *out);

/* All words of n letters out of so many, one after the other, for those who write languages: how many (UINT64_MAX: too many to
 * count), and the one of this number. at_words_simpler: as at_task.simpler, a letter becomes the first of the alphabet. */
uint64_t at_words_count(int letters, int n);
void at_words_nth(int letters, int n, uint64_t index, double *x);
bool at_words_simpler(const at_params *p, const double *x, int n, int k, double *out);

/* Weights that a task's parameters name, for those who build it: relu-net's w1 (h, d1), b1 (h), w2 (d2, h), b2 (d2),
 * and linear-map's W (d2, d1). All are multiples of M/64 in [-M, M]. */
void at_relu_net_weights(const at_params *p, double *w1, double *b1, double *w2, double *b2);
void at_linear_map_weights(const at_params *p, double *W);

/* The counts (W + 1) that next-word has for a history, by its number: rows of an n-gram language model. */
void at_next_word_counts(const at_params *p, uint64_t history, uint64_t *count);

/* How far real answers may be off unless told: what the task says, or what the theorems on qSA ask for, 1/(2q); 0: nothing is
 * known. */
double at_task_tolerance(const at_task *t, const at_params *p);

extern const at_task *const at_tasks[];
extern const int at_n_tasks;
extern const at_registry at_task_registry;
const at_task *at_task_find(const char *id); /* NULL when unknown */

/* ---- chains: what must be written after a prompt ------------------------------------------------------
 *
 * A chain says which prompts there are and what a decoder must write after each, row by row. `open` makes ready what it
 * needs at these parameters (a bound recurrence, say); the rest only reads that, from several threads at once. */
typedef struct at_chain {
    const char *id, *title, *definition, *input_help;
    const at_param *params; /* what open reads; claims that share a chain may have more */
    int n_params;
    at_status (*open)(const at_params *p, void **self, at_err *err);
    void (*close)(void *self);
    int (*row_width)(const void *self);
    int (*tokens)(const void *self);     /* rows are one token in 0 .. that - 1; NULL: rows of integers */
    int (*prompt_max)(const void *self); /* rows of the longest prompt, and of the longest chain */
    int (*rows_max)(const void *self);
    uint64_t (*count)(const void *self); /* prompts in all; UINT64_MAX when too many to count */
    at_status (*nth)(const void *self, uint64_t i, double *prompt, int *n, at_err *err);
    at_status (*sample)(const void *self, at_rng *r, double *prompt, int *n, at_err *err);
    /* NULL, or prompts near where the definition changes its mind; odd inputs of a sampled check are these. */
    at_status (*adversarial)(const void *self, at_rng *r, double *prompt, int *n, at_err *err);
    /* NULL, or a simpler prompt than this one, of the same length: the k-th candidate; false when there is no k-th. */
    bool (*simpler)(const void *self, const double *prompt, int n, int k, double *out);
    /* By the reference, which knows no weights. */
    at_status (*answer)(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                        at_err *err);
    /* NULL, or: does this prompt ask for the end alone? Then what is written must end in the rows of `answer`. */
    bool (*ending)(const void *self, const double *prompt, int n);
    /* Prompts are a list of some, not all there are: a check of every one of them rests on samples. */
    bool listed;
    /* Its prompts at some sizes are among those at larger ones, so that it is asked at its usual sizes alone unless told; one of the sizes
     * is N, the longest input. */
    bool nested;
    /* Why prompts cannot be listed (count is UINT64_MAX then); NULL, or NULL of it: they can. */
    const char *(*unlisted)(const void *self);
    /* NULL, or what it is as text for those who have no attest (docs/certificates.md), and the language of that text. */
    void (*print)(const void *self, at_text *out);
    const char *language;
} at_chain;

extern const at_chain at_chain_compose; /* f_1, ..., f_k and x, then x_1 = f_1(x), ..., x_k */

/* ---- expressions modulo a prime, and their chains ------------------------------------------------------
 *
 * An expression is a row of tokens without redundant brackets; its chain rewrites the leftmost handle, step by step:
 *
 *     ( 3 + 4 ) * 2 =  7 * 2 = 3 <eos>              modulo 11; what stands after the first = is the chain
 *
 * A handle is `a op b` that may be evaluated: numbers a and b, and not (op is + or - and * or / follows). With ( before
 * and ) behind it takes these along: 5 tokens become 1, else 3. So the chain is a function of the expression.
 * Brackets are redundant when the operators would be evaluated on the same operands without them: none in
 * a + ( b + c ), but those of a + ( b * c ), ( a + b ) + c and ( a ). docs/expressions.md has more. */
enum {
    AT_EXPR_PAD,
    AT_EXPR_CLS,
    AT_EXPR_EOS,
    AT_EXPR_ADD,
    AT_EXPR_SUB,
    AT_EXPR_MUL,
    AT_EXPR_DIV,
    AT_EXPR_OPEN,
    AT_EXPR_CLOSE,
    AT_EXPR_EQUALS,
    AT_EXPR_NUMBER /* residue r is AT_EXPR_NUMBER + r */
};
#define AT_EXPR_PRIME_MAX     251
#define AT_EXPR_OPERATORS_MAX 720 /* chains of about a million tokens */
/* With k operators: tokens of an expression, and of a chain with its end token. */
#define AT_EXPR_TOKENS(k) ((k) ? 4 * (k)-1 : 1)
#define AT_EXPR_CHAIN(k)  ((k) ? 2 * (k) * ((k)-1) + 2 : 2)

int at_expr_vocabulary(int p); /* number of tokens */
/* The word of a token: "<eos>", "+", "7". */
const char *at_expr_word(int token, char out[8]);
void at_expr_print(const int *token, int n, at_text *out); /* words with blanks between them */
/* p must be a prime of at most AT_EXPR_PRIME_MAX. */
at_status at_expr_prime(int p, at_err *err);
/* The expression that a text says, with or without a last "=", blanks where one likes; at most `most` operators.
 * Tokens (without "=") live in the arena. Everything that at_expr_value refuses is refused. */
at_status at_expr_parse(int p, const char *text, int most, at_arena *a, int **token, int *n, at_err *err);
/* By recursive descent: the value and the number of operators. What is no expression, redundant brackets, and division
 * by zero are refused with the position (from 1). */
at_status at_expr_value(int p, const int *token, int n, int *value, int *operators, at_err *err);
/* The chain of an expression that at_expr_value accepts, by rewriting: what follows its "=", ending with AT_EXPR_EOS;
 * returns its length. chain has room for AT_EXPR_CHAIN(operators). */
int at_expr_chain(int p, const int *token, int n, int *chain);

/* After the expression and =: its chain. */
extern const at_chain at_chain_expr;

/* A random expression with k operators, built backwards: the answer is drawn, then k times a number is split into
 * `a op b` (number, operator, operands uniform), with brackets where its value needs them. Returns the number of
 * tokens; token has room for AT_EXPR_TOKENS(k). Sample i of a seed: at_rng_at(seed, i). */
int at_expr_sample(int p, int k, at_rng *r, int *token);
/* The same with a pair of brackets for every operator but one: the longest there are, AT_EXPR_TOKENS(k) tokens. */
int at_expr_sample_long(int p, int k, at_rng *r, int *token);

/* Every expression with least..most operators, those that divide by zero excluded. */
typedef struct {
    int p, least, most;
    uint64_t count;  /* UINT64_MAX: too many to count, and none can be asked for */
    uint64_t *value; /* (most+1, p): how many with k operators have this value */
} at_expr_space;
at_status at_expr_space_init(at_expr_space *s, int p, int least, int most, at_err *err);
void at_expr_space_release(at_expr_space *s);
/* Expression number i < count, fewer operators first; returns the number of tokens. */
int at_expr_nth(const at_expr_space *s, uint64_t i, int *token);

/* ---- streams: sequences to learn from ------------------------------------------------------------------
 *
 * A stream draws rows of tokens, `prompt chain answer <eos>`, as a language model reads them. Opened with parameters
 * (or from a user's file) it is a source, which never changes and may be shared by threads: sample i of a seed is a
 * function of (seed, split, i) alone.
 *
 *     const at_stream *t = at_stream_find("lis");
 *     at_params p; at_params_init(&p, t->params, t->n_params);
 *     at_source *d; at_source_open(t, &p, &d, &err);
 *     at_sequence s = {.token = room};                     // for at_source_longest(d) of them
 *     at_source_sample(d, seed, AT_TRAIN, i, &s, &err);    // loss: on s.token[s.prompt .. s.n-1]
 *     at_source_free(d);
 *
 * Train and test are disjoint for all seeds together: a hash of the prompt (of the whole row where prompts are all
 * alike) says which split it belongs to, one in AT_TEST_SHARE is test, and draws from the other split are thrown away. Where
 * the rest of a row is random (ngram) nothing is thrown away: both parts draw from the same distribution.
 * docs/data.md has the formats. */
typedef enum { AT_TRAIN, AT_TEST, AT_ALL, AT_PARTS } at_part; /* ALL: both */
extern const char *const at_part_names[AT_PARTS];
#define AT_TEST_SHARE  10
#define AT_STREAM_WORD 32 /* bytes of a word with its NUL */
enum {
    AT_TOKEN_PAD,
    AT_TOKEN_SEP,
    AT_TOKEN_EOS,
    AT_TOKEN_FIRST
}; /* 1 is <cls> in arithmetic, <bos> in ngram */

typedef struct at_stream {
    const char *id, *title;
    const char *format; /* one row, in words */
    const at_param *params;
    int n_params;
    const struct at_stream_verbs *verbs;
} at_stream;
extern const at_stream *const at_streams[];
extern const int at_n_streams;
extern const at_registry at_stream_registry;
const at_stream *at_stream_find(const char *id); /* NULL when unknown */

typedef struct {
    int n;      /* tokens, the end token included */
    int prompt; /* of them the prompt's, its separator included */
    int answer; /* the answer is token[answer .. n-2]; of labels token[answer .. n-1] */
    int *token; /* the caller's */
} at_sequence;

typedef struct at_source at_source;
/* Sizes that do not go together are refused with both numbers. */
at_status at_source_open(const at_stream *t, const at_params *p, at_source **out, at_err *err);
/* A user's lines `prompt <sep> chain <sep> answer` of words between blanks; the words are the vocabulary, in order of
 * appearance (at_problem_words: as others have them). A prompt may stand on several lines: each of their chains and answers is
 * right. Faults are named `name:line: ...`. name is for messages. */
at_status at_source_parse(const char *text, size_t n, const char *name, at_source **out, at_err *err);
at_status at_source_load(const char *path, at_source **out, at_err *err);
/* The positions of a task as rows to learn, `x_1 ... x_N y_1 ... y_k`: tokens are the task's own integers, and y are
 * the answers at the last k positions of x, at one or at all. Tasks without `tokens` or `answers` are refused. */
at_status at_source_of_task(const at_task *t, const at_params *p, at_source **out, at_err *err);
/* The positions of any task whose fields are known (at_task_fields), in its own numbers, to be learnt as they are asked: there are no
 * tokens and no rows, so of the verbs below none has anything to say; its task and parameters do. */
at_status at_source_of_positions(const at_task *t, const at_params *p, at_source **out, at_err *err);
bool at_source_positions(const at_source *d); /* is it one of these? */
void at_source_free(at_source *d);            /* NULL is fine */
/* Rows of labels, as those of a task's positions (and the stream max) are, are read, not written: there is no <sep>
 * and no <eos>, the prompt is x, and the completion the answer at its last position, or those at all. */
typedef enum { AT_LABELS_NONE, AT_LABELS_LAST, AT_LABELS_ALL } at_labels;
at_labels at_source_labels(const at_source *d); /* NONE: rows are written, up to <eos> */

int at_source_vocabulary(const at_source *d); /* tokens are 0 .. that - 1 */
/* The word of a token; "?" for what is none. */
const char *at_source_word(const at_source *d, int token, char out[AT_STREAM_WORD]);
int at_source_token(const at_source *d, const char *word, size_t n); /* -1 when there is no such word */
int at_source_longest(const at_source *d); /* no sequence has more tokens, <eos> included */
void at_source_print(const at_source *d, const int *token, int n, at_text *out); /* words, blanks between */

/* Fails where nearly no prompt, or none, belongs to the split (tiny sizes), in words. */
at_status at_source_sample(const at_source *d, uint64_t seed, at_part split, uint64_t index, at_sequence *s,
                           at_err *err);
/* Which samples of a part make a set: index[0..*found-1] are the first `count` whose rows (of_prompts: whose prompts) differ from
 * those of all before. Fewer are found where 64 times as many samples, and 10,000, do not have them. */
at_status at_source_distinct(const at_source *d, uint64_t seed, at_part split, uint64_t count,
                             bool of_prompts, int threads, uint64_t *index, uint64_t *found, at_err *err);
/* The split that a sequence (its prompt) belongs to. */
at_part at_source_part(const at_source *d, const at_sequence *s);
/* The reference: s holds a prompt with its separator (n = prompt tokens) and gets the rest. What is no prompt is
 * refused; so is a stream whose rest is random (ngram). */
at_status at_source_complete(const at_source *d, at_sequence *s, at_err *err);

/* What a completion (all after the prompt, <eos> included) is worth. Its answer is what stands between its last
 * separator and <eos>; without <eos> there is none. answer: equal to the reference's? chain: is all of it right, that
 * is, equal to the reference, or where several chains are right (order=random) one of them? AT_UNKNOWN where the
 * stream has no right answer (ngram). wrong: the first token of the first wrong step, counted in the completion from 0,
 * -1 when there is none. */
typedef struct {
    at_tri answer, chain;
    int wrong;
} at_grade;
at_status at_source_grade(const at_source *d, const int *prompt, int n_prompt, const int *completion, int n,
                          at_grade *out, at_err *err);

/* How many completions, and how many answers, are right after this prompt: 1, unless a user's file has more (2: two or more); 0:
 * it is no prompt of the file. */
typedef struct {
    int chains, answers;
} at_rights;
at_rights at_source_rights(const at_source *d, const int *prompt, int n);
/* May samples of this part have this prompt? */
at_status at_source_draws(const at_source *d, at_part part, const int *prompt, int n, bool *out, at_err *err);

/* How often each token occurs in the answers of samples 0..count-1: tally (vocabulary). */
at_status at_source_balance(const at_source *d, uint64_t seed, at_part split, uint64_t count, uint64_t *tally,
                            at_err *err);
/* Language models (ngram): the probability of token[i] after token[0..i-1], i >= 1; NaN for other streams. */
double at_source_probability(const at_source *d, const int *token, int i);

/* ---- for those who write streams ------------------------------------------------------------------------
 *
 * A stream gives verbs; everything above is made of them. A prompt is drawn first; only when its split is right the rest is
 * written, so that throwing draws away is cheap. */
struct at_source {
    const at_stream *stream; /* NULL: a file, or derived from a task */
    const at_task *task;     /* whose positions these rows are; NULL: no task's */
    const struct at_stream_verbs *verbs;
    at_params p;
    void *more;                 /* the stream's own, made by open */
    struct at_problem *problem; /* NULL, or freed with it */
};

typedef struct at_stream_verbs {
    at_status (*validate)(const at_params *p, at_err *err); /* may be NULL */
    at_status (*open)(at_source *d, at_err *err);           /* makes d->more; may be NULL */
    void (*close)(at_source *d);                            /* may be NULL */
    int (*vocabulary)(const at_source *d);
    void (*word)(const at_source *d, int token, char out[AT_STREAM_WORD]); /* of a token in the vocabulary */
    int (*longest)(const at_source *d);
    at_labels (*labels)(const at_source *d); /* NULL: none, rows are written */
    /* Writes a prompt with its separator (s->n = s->prompt), or the whole row. */
    void (*draw)(const at_source *d, at_rng *r, at_sequence *s);
    /* Appends what follows the prompt; false when it is no prompt. NULL: the rest is random, rows are drawn whole. */
    bool (*complete)(const at_source *d, at_sequence *s);
    /* Right completions other than the reference; NULL: none. Sets chain and wrong, and answer where that has others, too. */
    void (*steps)(const at_source *d, const int *prompt, int n_prompt, const int *completion, int n,
                  at_grade *g);
    at_rights (*rights)(const at_source *d, const int *prompt, int n);  /* NULL: always one */
    double (*probability)(const at_source *d, const int *token, int i); /* NULL: no language model */
    /* All prompts, where they can be listed: how many (UINT64_MAX: too many), and the i-th, with its separator. */
    uint64_t (*count)(const at_source *d);
    void (*nth)(const at_source *d, uint64_t i, at_sequence *s);
    const char *unlisted; /* why a check has not all of them: there are none, or they are not all there is */
    /* NULL, or: is this row (its prompt) for training alone, whatever its hash says? */
    bool (*no_test)(const at_source *d, const at_sequence *s);
    int before_answer; /* the token before an answer; -1: all that follows the prompt is the answer */
} at_stream_verbs;

/* Words by their numbers: word[k] is that of token k. */
typedef struct {
    const char *of; /* whose they are, for messages */
    const char *const *word;
    int n; /* 0: there are none */
} at_vocabulary;
/* Those of a source, and of the tokens that a model reads (none where it has no names for them). They live in the arena. */
at_status at_vocabulary_of_source(const at_source *d, const char *of, at_arena *a, at_vocabulary *out,
                                  at_err *err);
at_status at_vocabulary_of_model(const at_model *m, const char *of, at_arena *a, at_vocabulary *out,
                                 at_err *err);

/* Lines `prompt <sep> chain <sep> answer` that a problem was read from; its self is an at_lines, or begins with one. */
typedef struct {
    const char *text, *name;
    size_t n;
    at_vocabulary words; /* none: those of the lines */
} at_lines;
/* _whole: nothing of them is kept for tests. A set of assignments says so, whole=1, where a problem's rows are opened. */
extern const at_stream at_stream_lines, at_stream_lines_whole;

/* A stream as a chain: prompts are its samples, or (verbs->count) all of them; what is right is its reference. self is an
 * at_source; open makes one of the stream of the problem whose parameters it is given. Streams without one right completion
 * (ngram, order=random) say so when asked. */
extern const at_chain at_chain_stream;

/* ---- problems: all of this under one name --------------------------------------------------------------
 *
 * What is right is data: a problem has views, and a model is asked in the view that it fits.
 *
 *     at_problem *q;
 *     at_problem_open("match2", &q, &err);                   // lang.h: a name, or a file
 *     at_asked x;
 *     at_problem_ask(q, &m, "N=6 M=11", &x, &err);           // one line says why it does not fit
 *     ... x.task and x.params, or x.chain and x.self ...
 *     at_asked_release(&x);
 *     at_problem_free(q);                                    // after all that was opened from it
 *
 * Views may have different parameters. An assignment that one of them knows is passed over by the others, but a model is
 * asked in a view that knows them all where there is one. */
typedef enum {
    AT_VIEW_POSITIONS, /* task: an answer at every position, or at the last */
    AT_VIEW_CHAIN,     /* chain: what must be written after a prompt */
    AT_VIEW_ROWS,      /* stream: token rows to learn, and what is right after their prompts */
    AT_VIEWS
} at_view;
extern const char *const at_view_names[AT_VIEWS];

typedef struct at_problem {
    const char *id, *title, *definition;
    const char *path; /* NULL: built in */
    const char *lang; /* NULL, or the language it is written in (front.h compiles it) */
    const char *
        text; /* NULL, or what it was read from, where a changed text is a problem again (at_problem_parse) */
    const char *digest;   /* NULL: built in; the SHA-256 of its file */
    const char *alphabet; /* NULL, or the letters that were said beside its file (at_problem_open_over) */
    const at_task *task;
    const at_chain *chain;
    const at_stream *stream;
    const void *self;                    /* NULL, or what was read */
    void (*close)(struct at_problem *p); /* may be NULL */
    /* NULL, or reads what only a model tells (how words are written, for one), and may change the views. */
    at_status (*suit)(struct at_problem *p, const at_model *m, at_err *err);
    at_arena arena;
    bool made; /* by an open, and to be freed */
} at_problem;
/* The built-in ones that are no language's: every task and every stream, those of one name together, with a chain where there is
 * one. Name i, NULL past the last; and its views filled in, false when there is none. */
const char *at_problem_name(int i);
bool at_problem_find(const char *name, at_problem *out);
void at_problem_free(at_problem *p); /* NULL is fine; built-in ones stay */

bool at_problem_has(const at_problem *p, at_view v);
/* The parameters that a view has: how many, and their rows. */
int at_problem_schema(const at_problem *p, at_view v, const at_param **schema);
/* A view's parameters: defaults, then the assignments (NULL: none) that it knows. Fails when no view knows one. A length that
 * follows from the others is filled in unless it is set; of one that nobody set, opening a model's question takes one of the model's. */
at_status at_problem_params(const at_problem *p, at_view v, const char *set, at_params *out, at_err *err);
/* Those of the assignments that the view knows, as text; fails when no view knows one. */
at_status at_problem_assignments(const at_problem *p, at_view v, const char *set, at_text *out, at_err *err);
/* From now on words in a user's file of rows are those of v, by name; a word that is none of them is a fault of its line, found
 * where rows are opened. Other problems, and no words, change nothing. */
at_status at_problem_words(at_problem *p, const at_vocabulary *v, at_err *err);
bool at_problem_is_rows(const at_problem *p); /* is it a user's file of rows? */
/* Its rows to learn: of its stream, or where it has none of its task's positions. p is the source's from now on, also when this
 * fails. */
at_status at_problem_source(at_problem *p, const char *set, at_source **out, at_err *err);

/* The same of its positions, in their own numbers (at_source_of_positions). */
at_status at_problem_positions(at_problem *p, const char *set, at_source **out, at_err *err);
/* Can its rows be tokens: has it a stream, or a task with tokens and tokens as answers? Else it has positions alone. */
bool at_problem_rows(const at_problem *p);
/* Does the model read and answer what the task asks at these parameters? In words when it does not. */
at_status at_task_fits(const at_task *t, const at_params *p, const at_model *m, at_err *err);

/* Tells the model what it is for: the problem and these parameters. digest: of its file, of which the last name counts; NULL: it is
 * built in. A name that cannot be written down is not remembered. */
at_status at_problem_remember(const char *name, const char *digest, const at_params *p, at_model *m,
                              at_err *err);
/* The same of rows that a model learnt. */
at_status at_source_remember(const at_source *d, at_model *m, at_err *err);

typedef struct {
    at_view view;
    at_params params;
    const at_task *task;   /* positions */
    const at_chain *chain; /* chain and rows */
    void *self;            /* of the chain, opened */
} at_asked;
/* The view that fits the model, opened. A user's rows are read with the model's words. */
at_status at_problem_ask(at_problem *p, const at_model *m, const char *set, at_asked *out, at_err *err);
/* The view alone. */
at_status at_problem_view(at_problem *p, const at_model *m, const char *set, at_view *out, at_err *err);
void at_asked_release(at_asked *a);

#endif
