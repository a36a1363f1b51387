/* cli.h: what the commands share. One file a command, one row a command in main.c.
 *
 * A command is data: what it accepts, what it says about itself, what it does. main.c parses the options
 * by the table of its file (options.h; so help and parser cannot disagree), then calls `run`, whose result is the
 * exit code. A new command is cli/cmd_NAME.c with one `const cli_command cmd_NAME`, and its row in main.c.
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

#include "options.h"

#include <attest/exec.h>
#include <attest/front.h>
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

const char *cli_command_line(void); /* what was typed, as a shell would take it again; NULL: out of memory */

/* ---- messages and output --------------------------------------------------------------------- */

/* `attest CMD: text` on stderr; returns the exit code of err. */
int cli_fail(const cli_args *a, const at_err *err);
/* The same line about something that ends nothing. */
void cli_tell(const cli_args *a, const at_err *err);
/* The same for a fault that the command found itself; returns CLI_USAGE. */
int cli_usage(const cli_args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int cli_oom(const cli_args *a); /* says so; returns CLI_UNDECIDED */

/* Bytes to stdout. False once stdout cannot be written: stop early, main says so and exits 2. */
bool cli_put(const char *s, size_t n);
bool cli_flush(void);
/* "90 s", "35 CPU min": kind is "" or "CPU ". */
void cli_time_print(double seconds, const char *kind, at_text *t);
/* Assignments (NULL: none) and, where an output is named, output=NAME; out->s stays NULL where there are none. */
at_status cli_output_set(const char *set, const char *output, at_text *out, at_err *err);
/* The next line of standard input without its newline. False at the end, or with a failure in err. */
bool cli_line_read(at_text *line, at_err *err);
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

json_t *cli_json_number(double v); /* null for NaN and infinities, an integer where v is one */
/* rows x width numbers as an array of arrays; null where it is not decided (decided NULL: everything is). */
json_t *cli_json_matrix(const double *v, int rows, int width, const uint8_t *decided);
json_t *cli_json_text(const char *s); /* null for NULL; bytes that are no UTF-8 become '?' */
/* Adds and returns object/array; on any NULL drops both and returns NULL. */
json_t *cli_json_set(json_t *object, const char *key, json_t *value);
json_t *cli_json_add(json_t *array, json_t *value);
void cli_json_line(json_t *j, at_text *out); /* takes j: a line of ASCII; NULL: out of memory */

/* ---- claims ------------------------------------------------------------------------------------ */

/* The claim that a word names: an id of the catalogue, or FILE.claim, which is read and held until the release. */
#define CLI_MOST_CLAIMS 256
typedef struct {
    at_claim_file *files[CLI_MOST_CLAIMS];
    at_problem *problems[CLI_MOST_CLAIMS];
    int n, n_problems;
    at_text left_out; /* what could not be asked, a line each */
} cli_claims;
bool cli_is_claim(const char *word); /* FILE.claim */
at_status cli_claim_open(cli_claims *held, const char *word, const at_claim **out, at_err *err);
void cli_claims_release(cli_claims *held);
/* A question of the user's own as a claim, held likewise. problem: a name or a file. left_out: kinds of attention that do not
 * apply, a line each. */
at_status cli_claim_ask(cli_claims *held, const char *problem, const char *alphabet, at_ask *q,
                        const at_claim **out, at_text *left_out, at_err *err);

/* What a model is asked about: the problem that is named (NULL: the one that its file was made for), and its parameters. Those that
 * the file remembers of that very problem come first, those of --set replace them; without the length N, where the question is
 * asked at all that the model takes, unless `length`. model: a file, or a claim, which remembers nothing. Released in any case. */
typedef struct {
    at_text problem, set;
} cli_recalled;
at_status cli_recall(const cli_args *a, const char *model, const char *named, bool length, cli_recalled *out,
                     at_err *err);
void cli_recalled_release(cli_recalled *r);

/* Parameters of a claim: defaults, then `base` (may be NULL), then a->set; also what its task demands of
 * them together, e.g. q <= N. tp: the task's own. */
at_status cli_claim_params(const cli_args *a, const at_claim *c, const char *base, at_params *p,
                           const at_task **t, at_params *tp, at_err *err);
/* The model that the first word means: a file, or a claim's own with a->set; *input: then its example, else left alone, and
 * the claim's parameters are those of the example where they are not set. input NULL: the defaults, as `build` has them. */
at_status cli_subject_load(const cli_args *a, at_model *m, const char **input, at_err *err);
/* "1 layer, 1 head, width 4, 57 parameters, largest weight 3.1e+02" */
void cli_size_print(const at_size *z, at_text *out);
json_t *cli_size_json(const at_size *z);

/* What a front end says: its facts, with the file of the model (NULL: none) after the first and the size after the last; its
 * lines and its note. */
json_t *cli_said_json(const at_said *s, const char *model);
void cli_said_print(const at_said *s, at_text *t);
/* What is typed for it ("FILE.dp", or a name), and a line about it. */
void cli_front_say(const at_front *f, char name[64], at_text *about);

/* ---- streams --------------------------------------------------------------------------------------- */

/* The stream `name` with the parameters a->set, or the user's file of that name (it has a dot or slash). */
at_status cli_source_open(const char *set, const char *name, at_source **d, at_err *err);
/* The same, where the words of a user's file are those of v, by name; and such a file alone, for --test. */
at_status cli_source_open_over(const char *set, const char *name, const at_vocabulary *v, at_source **d,
                               at_err *err);
at_status cli_rows_open(const char *set, const char *path, const at_vocabulary *v, at_source **d,
                        at_err *err);

/* Exams, as `eval` prints them. */
void cli_exam_print(const at_exam *e, at_text *t);
json_t *cli_exam_json(const at_exam *e);

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
