/* cli.h: what the commands share. One file a command, one row a command in main.c.
 *
 * A command is data: what it accepts, what it says about itself, what it does. main.c parses the options
 * that `options` names (so help and parser cannot disagree), then calls `run`, whose result is the exit
 * code. A new command is cli/cmd_NAME.c with one `const cli_command cmd_NAME`, its declaration below, and
 * its row in main.c.
 *
 *     static int run(const cli_args *a)
 *     {
 *         at_err err = {0};
 *         if (at_something(a->words[0], &err))
 *             return cli_fail(a, &err);               // one line on stderr, exit 2 or 3
 *         at_text t;
 *         at_text_init(&t);
 *         at_text_addf(&t, "...\n");
 *         return cli_put_text(a, &t, CLI_HOLDS);      // to stdout, releases t
 *     }
 *
 * Output goes through cli_put (stdout; a failed write is noticed and becomes exit 2), errors through
 * cli_fail and cli_usage: exactly one line, `attest CMD: ...`. */
#ifndef ATTEST_CLI_H
#define ATTEST_CLI_H

#include <attest/claim.h>
#include <attest/front.h>
#include <attest/exec.h>
#include <attest/learn.h>
#include <attest/picture.h>

#include <jansson.h>

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZED
#endif
#endif

/* Exit codes. at_exit_code gives them for failures. */
enum { CLI_HOLDS = 0, CLI_FAILS = 1, CLI_USAGE = 2, CLI_UNDECIDED = 3, CLI_INTERRUPTED = 130 };

/* ---- options -------------------------------------------------------------------------------- */

/* Bits of cli_command.options; --help and --max-memory are always there. The rows are in options.c. */
enum {
    CLI_SET = 1 << 0,        /* --set K=V        -> set */
    CLI_JSON = 1 << 1,       /* --json           -> json */
    CLI_THREADS = 1 << 2,    /* --threads N      -> threads */
    CLI_DB = 1 << 3,         /* --db FILE        -> db */
    CLI_OUT = 1 << 4,        /* -o FILE          -> out */
    CLI_TIER = 1 << 5,       /* --tier quick|full-> tier */
    CLI_SEED = 1 << 6,       /* --seed N         -> seed */
    CLI_PRECISION = 1 << 7,  /* --precision ...  -> precision, has_precision */
    CLI_SECONDS = 1 << 8,    /* --seconds S      -> seconds */
    CLI_ROUNDS = 1 << 9,     /* --rounds N       -> rounds */
    CLI_STEPS = 1 << 10,     /* --steps N        -> steps */
    CLI_ATTENTION = 1 << 11, /* --attention KIND -> attention */
    CLI_BESIDE = 1 << 12,    /* --beside FILE.dp -> beside */
    CLI_COUNT = 1 << 13,     /* --count N        -> count */
    CLI_SPLIT = 1 << 14,     /* --split SPLIT    -> split */
    CLI_BALANCE = 1 << 15,   /* --balance        -> balance */
    CLI_SHAPE = 1 << 16,     /* --width, --length, --batch, --layers, --heads, --dropout -> shape */
    CLI_RECIPE = 1 << 17,    /* every setting of a recipe, --rate R -> recipe */
    CLI_STATE = 1 << 18,     /* --state FILE     -> state */
    CLI_FROM = 1 << 19,      /* --from MODEL     -> from */
    CLI_PLOT = 1 << 20,      /* --plot FILE      -> plot */
    CLI_ENOUGH = 1 << 21,    /* --enough SHARE   -> enough */
    CLI_GRID = 1 << 22,      /* --preset, --widths, --seeds, --attentions -> these */
    CLI_REFUTE = 1 << 23,    /* --task, --budget, --by, --tolerance -> these */
    CLI_STATES = 1 << 24,    /* --states N       -> states */
    CLI_TRIES = 1 << 25,     /* --budget M       -> budget */
    CLI_WHOLE = 1 << 26,     /* --exact          -> whole */
};

#define CLI_FLOATS (1 << AT_F32 | 1 << AT_F64 | 1 << AT_PBIT) /* cli_command.arithmetics: what decodes */

/* What the user asked for. Strings belong to argv or live as long as the process. */
typedef struct {
    const char *command; /* its name, for messages */
    int code;            /* of a fault among the options */
    const char **words;  /* the arguments that are no options */
    int n_words;
    const char *set; /* NULL, or "N=6 M=11": every --set, joined by blanks; not checked yet */
    bool json;
    int threads;          /* 0: one a core */
    const char *db, *out; /* NULL: not given */
    at_tier tier;         /* default quick */
    bool has_seed;
    uint64_t seed; /* default 1 */
    bool has_precision;
    at_arith precision;          /* default f64 */
    double seconds;              /* default 1 */
    int rounds;                  /* default 5 */
    int steps;                   /* 0: not given */
    at_attention_kind attention; /* default standard */
    const char *beside;          /* NULL: not given */
    uint64_t count;              /* defaults: the command's */
    uint64_t states;             /* 0: not given */
    at_part split;
    bool balance;
    bool whole;
    const char *recipe;              /* NULL, or "width=32 rate=0.003", joined and not checked yet */
    const char *state, *from, *plot; /* NULL: not given */
    double enough;                   /* default 0 */
    const char *preset, *widths, *seeds, *attentions; /* NULL: not given */
    const char *task, *by;                            /* NULL: not given */
    double budget, tolerance;                         /* defaults: 2000 (millions of multiply-adds), 0 */
    struct {
        int width, length, batch, layers, heads; /* default 64, 87, 64, 3, 4 */
        double dropout;                          /* default 0.1 */
        bool has_width, has_length;              /* given? */
    } shape;
} cli_args;

typedef struct {
    const char *name, *summary; /* summary: one line, no full stop, for `attest --help` */
    const char *usage;          /* what follows "attest NAME ", one line */
    const char *about;          /* a paragraph or two, lines of at most 78 columns */
    const char *examples;       /* lines as typed, each "attest ...\n" */
    unsigned options;           /* CLI_... */
    int least, most;            /* number of words allowed; most < 0: any */
    const char *missing;        /* what is missing below `least`: "a claim id" */
    unsigned arithmetics;       /* bits 1 << AT_F32, ... that --precision may name; 0: all */
    uint64_t count;             /* default of --count; 0: 10 */
    at_part split;              /* default of --split */
    int (*run)(const cli_args *a);
    bool ranks; /* knows of mpirun (at_ranks_open); the others refuse to be started several times over */
} cli_command;

extern const cli_command cmd_bench, cmd_bound, cmd_build, cmd_check, cmd_compile, cmd_data, cmd_eval,
    cmd_generate, cmd_list, cmd_look, cmd_map, cmd_protocol, cmd_refute, cmd_report, cmd_run, cmd_show,
    cmd_sweep, cmd_train;

/* argv[0] is the command's name. False: a message was printed, and out->code is the exit code. *help: --help was given. */
bool cli_args_parse(const cli_command *c, int argc, char **argv, cli_args *out, bool *help);
void cli_args_release(cli_args *a);
int cli_help_print(const cli_command *c); /* the exit code */
const char *cli_command_line(void); /* what was typed, as a shell would take it again; NULL: out of memory */

/* ---- messages and output --------------------------------------------------------------------- */

/* `attest CMD: text` on stderr; returns the exit code of err. */
int cli_fail(const cli_args *a, const at_err *err);
/* The same for a fault that the command found itself; returns CLI_USAGE. */
int cli_usage(const cli_args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int cli_oom(const cli_args *a); /* says so; returns CLI_UNDECIDED */

/* Bytes to stdout. False once stdout cannot be written: stop early, main says so and exits 2. */
bool cli_put(const char *s, size_t n);
bool cli_flush(void);
bool cli_out_interrupted(void); /* stdout failed because a signal came while it waited: exit 3, not 2 */
/* Writes and releases t; `code`, or 3 when t ran out of memory. */
int cli_put_text(const cli_args *a, at_text *t, int code);
/* Writes a JSON value and a newline and drops the reference; NULL means it could not be built. */
int cli_put_json(const cli_args *a, json_t *j, int code);

bool cli_color(void);  /* may stdout be coloured? (a terminal, no NO_COLOR, no TERM=dumb) */
int cli_columns(void); /* width of stdout's terminal, 80 when it is none */

/* Words of s wrapped to `columns`, every line indented; ends with a newline. Control characters become '?'. */
void cli_wrap(at_text *t, const char *s, int indent, int columns);
/* A row of two columns: left padded to `width`, right wrapped beside it. */
void cli_row(at_text *t, const char *left, int width, const char *right, int columns);
/* Columns that a UTF-8 string takes, wide characters not considered. */
int cli_width(const char *s);
void cli_pad(at_text *t, const char *s, int width); /* s, then blanks up to width */

/* ---- JSON: NULL is sticky, so that one test at the end is enough ------------------------------- */

json_t *cli_json_number(double v);    /* null for NaN and infinities, an integer where v is one */
json_t *cli_json_text(const char *s); /* null for NULL; bytes that are no UTF-8 become '?' */
/* Adds and returns object/array; on any NULL drops both and returns NULL. */
json_t *cli_json_set(json_t *object, const char *key, json_t *value);
json_t *cli_json_add(json_t *array, json_t *value);

/* ---- claims ------------------------------------------------------------------------------------ */

/* The claim that a word names: an id of the catalogue, or FILE.claim, which is read and held until the release. */
#define CLI_MOST_CLAIMS 256
typedef struct {
    at_claim_file *files[CLI_MOST_CLAIMS];
    int n;
} cli_claims;
bool cli_is_claim(const char *word); /* FILE.claim */
at_status cli_claim_open(cli_claims *held, const char *word, const at_claim **out, at_err *err);
void cli_claims_release(cli_claims *held);

/* Parameters of a claim: defaults, then `base` (may be NULL), then a->set; also what its task demands of
 * them together, e.g. q <= N. tp: the task's own. */
at_status cli_claim_params(const cli_args *a, const at_claim *c, const char *base, at_params *p,
                           const at_task **t, at_params *tp, at_err *err);
/* The model that the first word means: a file, or a claim's own with a->set; *input: then its example, else left alone. */
at_status cli_subject_load(const cli_args *a, at_model *m, const char **input, at_err *err);
/* "1 layer, 1 head, width 4, 57 parameters, largest weight 3.1e+02" */
int cli_dp_show(const cli_args *a); /* `show FILE.dp` */
/* `show FILE.program` and `compile FILE.program -o MODEL` */
bool cli_is_program(const char *path);
int cli_program_show(const cli_args *a);
int cli_program_compile(const cli_args *a);
int cli_program_put(const cli_args *a, const at_program *P); /* its text, whole; the exit code */
/* Nothing, or a line: what of a recurrence could not be proved at these sizes, where, and how to try it. */
void cli_unproved_print(const at_dp *d, const at_dp_instance *x, at_text *t);
void cli_size_print(const at_size *z, at_text *out);
json_t *cli_size_json(const at_size *z);

/* ---- streams --------------------------------------------------------------------------------------- */

/* The stream `name` with the parameters a->set, or the user's file of that name (it has a dot or slash). */
at_status cli_source_open(const cli_args *a, const char *name, at_source **d, at_err *err);

/* Exams, as `eval` prints them. */
void cli_exam_print(const at_exam *e, at_text *t);
json_t *cli_exam_json(const at_exam *e);

/* ---- benchmarks (bench.c): each is in a file of its own -------------------------------------------- */

#define CLI_MOST_ROUNDS 1000
#define CLI_BENCH_WORDS 64 /* vocabulary of the decoder */

int cli_bench_train(const cli_args *a);
int cli_bench_generate(const cli_args *a);
int cli_bench_scaling(const cli_args *a);
int cli_bench_collide(const cli_args *a);
/* Zeroed, to be freed by the caller; NULL, and the exit code, when there is a word too many or no memory. */
void *cli_bench_new(const cli_args *a, size_t bytes, int *code);
at_arith cli_bench_arith(const cli_args *a); /* f32 unless --precision says other */
/* The decoder that train and generate measure; length is that of a sequence. */
at_status cli_bench_arch(const cli_args *a, at_train_arch *arch, at_err *err);
/* What both report: shape, machine, tokens a second (sorts rate) and, with `flops` operations a token, gflops. */
json_t *cli_bench_json(const cli_args *a, size_t parameters, const char *isa, double *rate, double flops);
/* Sorts the rates of n rounds; *spread is largest minus smallest, over the median. */
double cli_median(double *rate, int n, double *spread);

/* ---- long work ----------------------------------------------------------------------------------- */

/* A bar on stderr, only when that is a terminal; the result may be given to several threads. cli_put and
 * cli_fail take the bar away before they write; the next tick draws it again. */
const at_progress *cli_progress(void);
void cli_progress_clear(void);

/* Draws `what` into a picture file. cli_draw lets another process call it when cairo is needed, so that a lack of memory
 * ends in one line and exit 3; the kind is by the suffix of path. */
typedef at_status cli_drawing(const void *what, at_picture_kind kind, const char *path, at_err *err);
at_status cli_draw(cli_drawing *draw, const void *what, const char *path, at_err *err);
at_status cli_plot_draw(const at_plot *p, const char *path, at_err *err); /* that of at_plot_picture */

/* Are these two files, or would one be written over the other? NULL is none. */
bool cli_apart(const char *a, const char *b, at_err *err);
/* Is no file that the words name one of those to be written? */
bool cli_kept(const cli_args *a, at_err *err);

/* ---- what main sets up --------------------------------------------------------------------------- */

void cli_memory_install(void);             /* GMP, MPFR, FLINT and Arb end with one line and exit 3 */
bool cli_memory_limit(uint64_t mebibytes); /* --max-memory; false: the system refuses */
void cli_signals_install(void);            /* Ctrl-C: finish what is begun; twice: leave */

#endif
