/* front.h: languages (lang.h) and their compilers in one table: recurrences and expressions modulo a prime become transformers
 * that reason step by step, texts of programs become models.
 *
 *     at_dp_model(x, &(at_dp_options){AT_ATTENTION_LINEAR}, &m, &err);   // the decoder that writes the chain of instance x
 */
#ifndef ATTEST_FRONT_H
#define ATTEST_FRONT_H

#include <attest/lang.h>
#include <attest/ngram.h>
#include <attest/program.h>

/* ---- compiling --------------------------------------------------------------------------------------- */

/* scale and fewer break a model on purpose, for controls: 0 and 0 is as it should be. */
typedef struct {
    at_attention_kind attention;
    double scale;          /* factor on the scales of attention; 0: 1 */
    int fewer;             /* blocks (linear), slots (sparse) or rows of the window (local) left out */
    const at_arith *arith; /* that the decoder will run in, for its error bounds; NULL: f64 */
    bool pack;  /* linear: fewer and smaller heads, sparse: fewer coordinates; or a refusal (docs/pack.md) */
    bool clear; /* packed: places are cleared by rounding and used again; only decoders run it that round sums
                   to the bits of `arith` after every token */
    bool keep;  /* cleared, for controls: nothing is cleared, and the places are used again all the same */
    int more; /* packed, for controls: digits more in a number than it holds; below 0: fewer, for small tests */
    int block;  /* packed sparse, for controls: rows of a block; 0: a power of two, about sqrt(L) */
    int less;   /* packed linear, for controls: values that are kept modulo m are kept modulo m - less */
    bool reals; /* at_dp_shape: of the construction over the reals, whether or not an arithmetic can run it */
} at_dp_options;

/* The program of a decoder that writes the chain, one row a state: rows are (input, state, value, answer), see
 * docs/dp.md. One program serves one size. local: block-sparse with blocks of m rows, m the locality, which must be
 * known. */
at_status at_dp_program(const at_dp_instance *x, const at_dp_options *o, at_program **out, at_err *err);
/* The decoder itself: assembled, with its stop rule. m is initialised by this call. */
at_status at_dp_model(const at_dp_instance *x, const at_dp_options *o, at_model *m, at_err *err);
/* Its shapes and stop rule, without weights: seconds where the model would take all memory. */
at_status at_dp_shape(const at_dp_instance *x, const at_dp_options *o, at_model *m, at_err *err);

/* ---- expressions modulo a prime (problem.h) --------------------------------------------------------------- */

/* A decoder that evaluates expressions with at most `operators` operators, one token a step:
 *
 *     ( 3 + 4 ) * 2 =  ->  7 * 2 = 3 <eos>
 *
 * Prompts are tokens of at_expr_parse and a last AT_EXPR_EQUALS. The shapes of its tensors depend on p alone. */
typedef struct {
    int p;                  /* the prime */
    int operators;          /* 1..AT_EXPR_OPERATORS_MAX */
    at_attention_kind kind; /* standard or sparse */
    int block; /* sparse: B, the window and the block; 0: 4 operators, the least that serves all */
    /* For controls, wrong on purpose: */
    bool any_handle;       /* a + b is taken for a handle also before * and / */
    double scale;          /* factor on the scales of attention; 0: 1 */
    const at_arith *arith; /* as in at_dp_options */
} at_expr_spec;
at_status at_expr_program(const at_expr_spec *s, at_program **out, at_err *err);
/* The decoder itself: assembled, with its stop rule and its words. m is initialised by this call. */
at_status at_expr_model(const at_expr_spec *s, at_model *m, at_err *err);
/* Does a decoder speak of expressions, by its words? Then for which prime, and how many operators a prompt may have. */
bool at_expr_model_is(const at_model *m, int *p, int *operators);

/* ---- star-free languages (automaton.h) -------------------------------------------------------------------------- */

typedef struct {
    const at_arith *arith; /* as in at_dp_options */
    bool positions;        /* positions modulo a number, where that makes the language star-free */
    bool circle;           /* these as cos and sin, and not as a table of 0 and 1 */
    /* For controls: */
    bool causal; /* a position sees its own letter */
    int off;     /* how much the period of the positions is off */
} at_dfa_options;
/* A model of words of length 0..N: rightmost-hard attention without positions, or with positions modulo a number, one layer a level
 * of the cascade; answered once, behind the word. The place must be that of a star-free language, or with positions of one in
 * FO[<, MOD], with its monoid; else it is refused. */
at_status at_dfa_program(const at_place *place, int N, const at_dfa_options *o, at_program **out,
                         at_err *err);
/* The same with the letters as its words. m is initialised by this call. */
at_status at_dfa_model(const at_place *place, int N, const at_dfa_options *o, at_model *m, at_err *err);

/* ---- formulas (formula.h) ---------------------------------------------------------------------------------- */

typedef struct {
    const at_arith *arith; /* as in at_dp_options */
    /* Constructions that fail, for controls: */
    bool causal;  /* strict masks let a position see itself */
    double slope; /* of comparisons of counts, times this; 0: 1 */
    bool
        unsorted; /* where attention is not of a FIND's own side: without the term that makes its j the best */
} at_formulas_options;
/* A model of words to length N, from length 0 where the empty word has a verdict; answered once, at the last position. */
at_status at_formulas_program(const at_formulas *f, int N, const at_formulas_options *o, at_program **out,
                              at_err *err);
at_status at_formulas_model(const at_formulas *f, int N, const at_formulas_options *o, at_model *m,
                            at_err *err);

/* ---- Turing machines (lang.h) ------------------------------------------------------------------------------------- */

typedef struct {
    int letters, steps; /* of an input, of a run, at most */
    at_tm_form form;
    const at_arith *arith; /* as in at_dp_options */
    /* For controls, wrong on purpose: */
    bool forgets; /* of several tokens that wrote on a cell none is preferred */
    double blank; /* factor on the weight that makes BOS and <start> the blank; 0: 1 */
    double scale; /* factor on the scales of attention; 0: 1 */
} at_tm_options;
/* A decoder that writes the run of a machine: see lang.h for its tokens. */
at_status at_tm_program(const at_tm *t, const at_tm_options *o, at_program **out, at_err *err);
/* The decoder itself: assembled, with its stop rule, its prompts and its words. m is initialised by this call. */
at_status at_tm_model(const at_tm *t, const at_tm_options *o, at_model *m, at_err *err);
/* Any automaton, in ceil(log2 N) layers of one head: position i composes what 2^r letters did, round by round. */
typedef struct {
    const at_arith *arith;
    bool hard; /* rightmost-hard attention, and not softmax */
    int fewer; /* for controls: so many rounds less */
} at_shortcut_options;
at_status at_shortcut_program(const at_place *place, int N, const at_shortcut_options *o, at_program **out,
                              at_err *err);
at_status at_shortcut_model(const at_place *place, int N, const at_shortcut_options *o, at_model *m,
                            at_err *err);

/* Calls the two decisions of a recogniser's readout no and yes. */
at_status at_model_verdicts(at_model *m, at_err *err);

/* An automaton of permutations and resets, at a depth that depends on its group alone, which must be solvable: two layers a step
 * of the derived series, and one for resets. */
typedef struct {
    const at_arith *arith;
    bool hard; /* average-hard attention, and not softmax */
    /* For controls: */
    bool
        straight; /* what a letter adds to an exponent does not depend on the exponents above it: nothing is conjugated */
    int off;      /* how much the order of the first factor is off */
    bool forgets; /* resets are not read */
} at_solvable_options;
/* AT_OK where each letter permutes the states of the least automaton or takes all of them to one, and the group is solvable; else
 * why not, and what serves instead. */
at_status at_solvable_serves(const at_place *p, at_err *err);
at_status at_solvable_program(const at_place *place, int N, const at_solvable_options *o, at_program **out,
                              at_err *err);
at_status at_solvable_model(const at_place *place, int N, const at_solvable_options *o, at_model *m,
                            at_err *err);

/* Any automaton by a chain of thought: after a word of at most N letters and |, a decoder of two layers writes the state after
 * each letter, then yes or no, then <eos>. */
#define AT_COT_STATES 200
typedef struct {
    const at_arith *arith;
    bool stuck; /* for controls: every step reads the first letter */
} at_cot_options;
typedef enum { AT_COT_STATE, AT_COT_YES, AT_COT_NO, AT_COT_EOS, AT_COT_SEP, AT_COT_LETTER } at_cot_kind;
int at_cot_token(const at_dfa *d, at_cot_kind kind, int k); /* k: which state, or which letter */
at_status at_cot_program(const at_dfa *d, int N, const at_cot_options *o, at_program **out, at_err *err);
at_status at_cot_model(const at_dfa *d, int N, const at_cot_options *o, at_model *m, at_err *err);

/* What compiles a regular language, by its place: the claim that it is an instance of, and in a few words how. The last two on
 * demand. */
typedef enum {
    AT_COMPILER_FO,
    AT_COMPILER_FO_MOD,
    AT_COMPILER_SOLVABLE,
    AT_COMPILER_SHORTCUT
} at_dfa_compiler;
at_dfa_compiler at_place_compiler(const at_place *p);
extern const char *const at_dfa_compilers[][2];
/* ---- n-gram language models (ngram.h) ---------------------------------------------------------------------------
 *
 * At the last position, the probabilities of the W words and, last, of the end; texts of at most N words, the empty one too. */
#define AT_NGRAM_COMPILED_WORDS    4096
#define AT_NGRAM_COMPILED_CONTEXTS 20000
typedef enum { AT_NGRAM_HEADS, AT_NGRAM_LAYERS, AT_NGRAM_SINGLE, AT_NGRAM_FORMS } at_ngram_form;
extern const char *const at_ngram_forms[AT_NGRAM_FORMS];
typedef struct {
    const at_arith *arith; /* as in at_dp_options */
    at_ngram_form form;
    at_weighting
        weighting; /* softmax, sparsemax, leftmost-hard, rightmost-hard; of single, average-hard for these two */
    at_read_kind read; /* AT_READ_SOFTMAX or AT_READ_SPARSEMAX */
    double error;      /* of what a head fetches; 0: as the assembler has it */
    bool broken;       /* for controls: the furthest word is not found; single: slots are not turned */
} at_ngram_options;
at_status at_ngram_program(const at_ngram *g, int N, const at_ngram_options *o, at_program **out,
                           at_err *err);
at_status at_ngram_model(const at_ngram *g, int N, const at_ngram_options *o, at_model *m, at_err *err);
/* A recogniser: 1 where a text, with its end, has at least the probability `least` (1e-300..1); o->read does not matter. */
at_status at_ngram_accepter(const at_ngram *g, int N, double least, const at_ngram_options *o, at_model *m,
                            at_err *err);

/* ---- probabilistic automata (ngram.h) ---------------------------------------------------------------------------
 *
 * At the last position, the probabilities of the letters, the states and, last, the end (at_pfsa_next); texts of at most N tokens. */
#define AT_PFSA_COMPILED_UNDER    1000 /* denominators: hidden rows */
#define AT_PFSA_COMPILED_CONTEXTS 1000
typedef struct {
    const at_arith *arith;  /* as in at_dp_options */
    at_weighting weighting; /* average-hard or sparsemax */
    bool blind;             /* for controls: the state before a letter is not found */
} at_pfsa_options;
at_status at_pfsa_program(const at_pfsa *p, int N, const at_pfsa_options *o, at_program **out, at_err *err);
at_status at_pfsa_model(const at_pfsa *p, int N, const at_pfsa_options *o, at_model *m, at_err *err);

/* ---- probabilistic Turing machines (ngram.h) -------------------------------------------------------------------------
 *
 * At the last position, the probabilities of the steps and, last, of the end (at_ptm_after); texts of at most N steps. Denominators
 * and contexts (a state on a symbol) as of automata. */
typedef struct {
    const at_arith *arith; /* NULL: f64 */
    bool blind;            /* the control: the symbol under the head is not found */
} at_ptm_options;
at_status at_ptm_program(const at_ptm *p, int N, const at_ptm_options *o, at_program **out, at_err *err);
at_status at_ptm_model(const at_ptm *p, int N, const at_ptm_options *o, at_model *m, at_err *err);

/* ---- RASP (lang.h) -------------------------------------------------------------------------------------------- */

typedef struct {
    const at_arith *arith; /* as in at_dp_options */
    bool softmax;          /* instead of average-hard attention */
    /* For controls: */
    double none;  /* the score of the key that stands for "nothing is selected"; 0: 1, of 0 and 2 */
    double scale; /* factor on the scales of attention; 0: 1 */
} at_rasp_options;
/* A model of words of length 1..N: at every position what a node of the program is there (at_rasp_answer). */
at_status at_rasp_program(const at_rasp *r, int node, int N, const at_rasp_options *o, at_program **out,
                          at_err *err);
at_status at_rasp_model(const at_rasp *r, int node, int N, const at_rasp_options *o, at_model *m,
                        at_err *err);

/* ---- the table of front ends ---------------------------------------------------------------------------------
 *
 * A front end is a language (lang.h: what is read, and the problem that comes out) and what compiles it. All that the
 * command knows of a language is its row in fronts.c:
 *
 *     at_reading r;
 *     at_front_open("examples/lis.dp", &r, &err);                      // a file, or a problem by name
 *     at_said said;
 *     at_said_init(&said);
 *     at_front_compile(&r, "n=4,top=9", &(at_front_options){0}, &m, &said, &err);
 *     ... said.line, said.facts ...
 *     at_said_release(&said);
 *     at_reading_release(&r);
 *
 * A new one is a file compile_LANG.c and its row; a large language has a folder in src/lang too. */

typedef struct {
    at_attention_kind attention; /* of a front end with kinds of its own: the number of one of them */
    const at_arith *arith;       /* NULL: f64, or what the text says */
    bool pack, clear;            /* of recurrences: at_dp_options.pack and .clear */
} at_front_options;

/* What is known of something read or compiled: a name and a value. */
typedef enum { AT_FACT_UNKNOWN, AT_FACT_TEXT, AT_FACT_NUMBER, AT_FACT_BOOL, AT_FACT_LIST } at_fact_kind;
typedef struct {
    const char *of; /* NULL, or the group that it belongs to; facts of one group follow each other */
    const char *name;
    at_fact_kind kind;
    const char *text;
    double number;       /* also of a BOOL: 0 or 1 */
    const int64_t *list; /* (n) */
    int64_t n;
} at_fact;
/* All that a front end has to say, for people (line, lines, note) and for machines (facts, of which the first names what was
 * read). Filling it in cannot fail; at_said_status says afterwards whether there was memory. */
#define AT_FACTS_MAX 128 /* three views of AT_PARAMS_MAX parameters, and more */
typedef struct {
    at_text line;  /* about what was read, no newline */
    at_text lines; /* more of it, each with its newline */
    at_text note;  /* a sentence to be wrapped, often none */
    at_fact facts[AT_FACTS_MAX];
    int n_facts;
    at_size size; /* of the model, where one was made */
    bool sized;
    const char *of; /* the group of the facts that follow */
    bool oom;
    at_arena arena; /* of names, texts and lists */
} at_said;
void at_said_init(at_said *s);
void at_said_release(at_said *s);
at_status at_said_status(const at_said *s, at_err *err);
void at_fact_text(at_said *s, const char *name, const char *value);
void at_fact_number(at_said *s, const char *name, double value);
void at_fact_bool(at_said *s, const char *name, at_tri value); /* AT_UNKNOWN is a fact, too */
void at_fact_list(at_said *s, const char *name, const int64_t *v, int64_t n);

struct at_front;
/* What a word of the command line names. */
typedef struct {
    const struct at_front *front;
    const char *word;    /* as typed: a path or a name */
    at_problem *problem; /* NULL: the language has none (programs) */
} at_reading;

typedef struct {
    double budget; /* millions of operations that an analysis may take */
    bool exact;    /* said.lines is the text alone, whole, such that it can be read again */
} at_show_options;

typedef struct at_front {
    const at_lang *lang; /* what is read; its id is at_problem.lang */
    const char *about;   /* one line: how it is compiled; NULL: it is not */
    const char
        *only; /* NULL: into the kind of attention that is asked for; else the one kind that it makes */
    /* NULL, or kinds of its own instead, NULL at the end: the first, unless another is asked for by name. */
    const char *const *kinds;
    /* The model at these parameters, which are of the problem's view (at_front_view). m is initialised by this call. NULL: there is no
     * compiler. */
    at_status (*model)(const at_params *p, const at_front_options *o, at_model *m, at_err *err);
    /* The rest may be NULL; then it is made of the problem and `model`. */
    at_status (*params)(const at_reading *r, at_arena *a, const at_param **schema, int *n, at_err *err);
    at_status (*compile)(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                         at_said *said, at_err *err);
    at_status (*show)(const at_reading *r, const char *set, const at_show_options *o, at_said *said,
                      at_err *err);
    /* Its shapes without weights, where weights would take long. */
    at_status (*shape)(const at_params *p, const at_front_options *o, at_model *m, at_err *err);
    /* One text for all sizes of the ranges in `set` (n=0..6), in the same language, and in said.line what it is. */
    at_status (*every)(const at_reading *r, const char *set, at_text *out, at_said *said, at_err *err);
    bool exact; /* show knows at_show_options.exact */
    bool packs; /* it knows at_front_options.pack */
    /* Does this model speak the language, by its words? Then how a prompt is read, and what is right after it. */
    bool (*speaks)(const at_model *m);
    at_status (*prompt)(const at_model *m, const char *line, at_arena *a, at_input *prompt, at_input *right,
                        at_err *err);
    /* What the rows that a model wrote end with, in words; false: it does not speak the language. */
    bool (*answer)(const at_model *m, const at_input *prompt, const at_input *rows, at_text *out);
} at_front;
extern const at_front *const at_fronts[];
extern const int at_n_fronts;
at_view
at_front_view(const at_problem *p); /* that compiled models answer: the chain, or without one the positions */
const at_front *at_front_of(const at_problem *p);     /* that compiles it; NULL: it cannot be compiled */
const at_front *at_front_of_file(const char *path);   /* by the suffix; NULL: it has none that is known */
const at_front *at_front_of_word(const char *word);   /* the same, or of a built-in problem, by its name */
const at_front *at_front_speaking(const at_model *m); /* that reads its prompts; NULL: none */
bool at_front_is_problem(const at_front *f);          /* its files are problems */
/* What the rows that a decoder wrote after a prompt end with: what a front end says (a tape, a verdict); else the last token before the
 * one that stops it, or of rows of integers the last number. */
void at_front_answer(const at_model *m, const at_input *prompt, const at_input *rows, at_text *out);
/* The kinds of attention that it may be asked for, n of them; and the number of one by name (NULL: the first). */
const char *const *at_front_kinds(const at_front *f, int *n);
at_status at_front_kind(const at_front *f, const char *name, at_attention_kind *out, at_err *err);
at_status at_front_shape(const at_front *f, const at_params *p, const at_front_options *o, at_model *m,
                         at_err *err); /* its `shape`, or its `model` */

/* Reads a word: a file by its suffix, a built-in problem by its name; another file is a recurrence. */
at_status at_front_open(const char *word, at_reading *out, at_err *err);
/* The same of a file over an alphabet that stands beside it, where it has none of its own (at_lang.given); NULL: none does. */
at_status at_front_open_over(const char *word, const char *alphabet, at_reading *out, at_err *err);
/* The same of a text on the command line, in the language of that id (at_lang.line). */
at_status at_front_open_line(const char *lang, const char *text, const char *alphabet, at_reading *out,
                             at_err *err);
void at_reading_release(at_reading *r);
/* The parameters that --set may give. What is not static lives in the arena, or as long as r. */
at_status at_front_params(const at_reading *r, at_arena *a, const at_param **schema, int *n, at_err *err);
/* Compiles, and says what a person needs to know to use the model. m is initialised by this call. */
at_status at_front_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                           at_said *said, at_err *err);
/* All about what was read; set: NULL, or the sizes at which it is analysed. */
at_status at_front_show(const at_reading *r, const char *set, const at_show_options *o, at_said *said,
                        at_err *err);

/* The problem of this name: a built-in one, a shipped recurrence (at_dp_examples), or a file, which is what a name with a
 * dot or a slash means. Faults of a file are `path:line:column: ...`. */
at_status at_problem_open(const char *name, at_problem **out, at_err *err);
at_status at_problem_open_over(const char *name, const char *alphabet, at_problem **out, at_err *err);
/* The problem of a text on the command line; alphabet: "a b", NULL: as the text says. l must have at_lang.line. */
at_status at_problem_line(const at_lang *l, const char *text, const char *alphabet, at_problem **out,
                          at_err *err);
/* Name i of those that it knows, each problem once; NULL past the last. */
const char *at_problem_listed(int i);

/* The problem that a model remembers (at_model.problem): a name or a path for at_problem_open, and its parameters. The file of one is
 * looked for beside the model and in the folder one is in, by its name, and must have the text that it had; else one line says so
 * and asks for --problem. */
at_status at_problem_recall(const char *remembered, const char *model, at_text *name, at_text *set,
                            at_err *err);
/* Is `name`, as for at_problem_open, the problem that a model remembers? Then *set is its parameters there, within `remembered`. A
 * pipe is not read, and is no such problem. */
bool at_problem_remembered(const char *name, const char *remembered, const char **set);
/* The problem that is asked of a model, and its parameters: the one that is named (NULL: the one that the model remembers), what it
 * remembers of that problem's sizes, then what is said (NULL: nothing). length: also the length N that it was made at, where other
 * lengths would do. remembered: NULL, or at_model.problem; model: what it is called. */
at_status at_problem_known(const char *remembered, const char *model, const char *named, const char *said,
                           bool length, at_text *name, at_text *set, at_err *err);
/* The problem that a text says in this language; path is for messages. Languages without `parse` are refused. */
at_status at_problem_parse(const char *lang, const char *path, const char *text, size_t n, at_problem **out,
                           at_err *err);
/* What stands in a ledger for a problem. stamp: the digest of its file; of one without a file 64 zeros. */
const char *at_problem_stamp(const at_problem *p);
/* Its name there: the id, or "my.dp#1a2b3c4d", so that trainings of a file do not mix with those of another of that name. */
void at_problem_subject(const at_problem *p, at_text *out);
const char *at_problem_short(const at_problem *p); /* the id; of a file its name without folders */

#endif
