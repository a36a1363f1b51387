/* options.h: what a command takes, as a table in its own file, from which it is parsed and its help printed.
 *
 * A row is a name, the word for its value (NULL: a flag), a line of help, and where the value goes: a field of the
 * command's own struct, whose type says how the value is read. Rows that many commands have are ready to be put into
 * a table by name: CLI_SET, CLI_JSON, ...; they go to cli_args.
 *
 *     typedef struct {
 *         uint64_t count;
 *         bool balance;
 *     } own;
 *     static const own usual = {.count = 10};
 *     static const cli_option options[] = {
 *         {CLI_SET},
 *         {CLI_JSON},
 *         {"--count", "N", "samples, 1..1000 (default 10)", CLI_WHOLE(own, count, 1, 1000)},
 *         {"--balance", NULL, "how often each token is in an answer", CLI_FLAG(own, balance)},
 *         {0}};
 *     const cli_command cmd_data = {..., .options = options, CLI_OWN(usual), ...};
 *
 * and in the command `const own *o = a->own;`. A field of another type than the row wants does not compile. Help prints the
 * rows in the order of the table, then --max-memory and --help, which every command has. */
#ifndef ATTEST_CLI_OPTIONS_H
#define ATTEST_CLI_OPTIONS_H

#include <attest/claim.h>
#include <attest/learn.h>

#include <stddef.h>

typedef enum { CLI_IS_FLAG, CLI_IS_INT, CLI_IS_U64, CLI_IS_REAL, CLI_IS_CHOICE, CLI_IS_TEXT } cli_type;

typedef struct cli_args cli_args;
typedef struct cli_option cli_option;

/* Takes a value, NULL for a flag; to: the field of the row. False: a message was printed, a->code is the exit code. */
typedef bool cli_take(cli_args *a, const cli_option *o, void *to, const char *value);

struct cli_option {
    const char *name, *value, *help;
    const char *alias; /* NULL, or another word for name; messages say name */
    cli_type type;
    bool shared, repeatable;   /* shared: a field of cli_args, not of the command's own struct */
    size_t at;                 /* offset of the field */
    int64_t least, most;       /* of integers */
    double low, high;          /* of numbers */
    const char *const *choice; /* of n_choice words; what is stored is which */
    int n_choice;
    cli_take *take;       /* NULL: by type and range */
    unsigned arithmetics; /* that --precision may name: bits 1 << AT_F32, ...; 0: all */
    /* A row for each of a table of parameters, all kept as text "width=32 rate=0.003"; help has a section for them. */
    const at_param *settings;
    const int *n_settings;
    const char *const *without; /* NULL, or names of settings that are no options, then NULL */
};

/* ---- where a value goes: fields of the struct S ------------------------------------------------- */

#define CLI_TYPE(S, field, ...) .type = _Generic(((S *)0)->field, __VA_ARGS__), .at = offsetof(S, field)

#define CLI_FLAG(S, field) CLI_TYPE(S, field, bool : CLI_IS_FLAG)
#define CLI_TEXT(S, field) CLI_TYPE(S, field, const char * : CLI_IS_TEXT)
#define CLI_WHOLE(S, field, lo, hi)                                                                          \
    CLI_TYPE(S, field, int : CLI_IS_INT, uint64_t : CLI_IS_U64), .least = (lo), .most = (hi)
#define CLI_NUMBER(S, field, lo, hi) CLI_TYPE(S, field, double : CLI_IS_REAL), .low = (lo), .high = (hi)
/* An enum that counts from 0 (gcc and clang make it unsigned), and a word for each. */
#define CLI_CHOICE(S, field, words, n)                                                                       \
    CLI_TYPE(S, field, unsigned : CLI_IS_CHOICE), .choice = (words), .n_choice = (n)
#define CLI_READ(S, field)    CLI_TEXT(S, field), .take = cli_take_read    /* the name of a file to read */
#define CLI_WRITTEN(S, field) CLI_TEXT(S, field), .take = cli_take_written /* and of one to write: cli_kept */

cli_take cli_take_set, cli_take_read, cli_take_written, cli_take_precision;

/* ---- rows that many commands have, and what may follow: {CLI_SET, .alias = "--size"} ------------- */

#define CLI_SET                                                                                              \
    "--set", "K=V", "a parameter, as in N=6; repeatable, or K=V,K2=V2", CLI_TEXT(cli_args, set),             \
        .shared = true, .repeatable = true, .take = cli_take_set
#define CLI_JSON "--json", NULL, "for machines", CLI_FLAG(cli_args, json), .shared = true
#define CLI_THREADS                                                                                          \
    "--threads", "N", "threads, 1..1024 (default: one a core)", CLI_WHOLE(cli_args, threads, 1, 1024),       \
        .shared = true
#define CLI_DB "--db", "FILE", "the ledger", CLI_WRITTEN(cli_args, db), .shared = true
/* Of commands that read files of languages: fields `alphabet` and `output` of their own options. */
#define CLI_ALPHABET(own)                                                                                    \
    "--alphabet", "LETTERS", "of a text that has none: 'a b c' (default: what occurs)",                      \
        CLI_TEXT(own, alphabet)
#define CLI_OUTPUT(own)                                                                                      \
    "--output", "NAME", "of a .rasp file: the s-op that is asked for", CLI_TEXT(own, output)
#define CLI_OUT "-o", "FILE", "where to write", CLI_WRITTEN(cli_args, out), .shared = true
#define CLI_PLOT                                                                                             \
    "--plot", "FILE", "a picture of it: FILE.png, FILE.svg or FILE.pdf", CLI_WRITTEN(cli_args, plot),        \
        .shared = true
#define CLI_SEED                                                                                             \
    "--seed", "N", "of the random inputs (default 1)", CLI_WHOLE(cli_args, seed, 0, INT64_MAX), .shared = true
#define CLI_ATTENTION                                                                                        \
    "--attention", "KIND", "standard (default), linear, sparse or local",                                    \
        CLI_CHOICE(cli_args, attention, at_attention_names, AT_ATTENTIONS), .shared = true
/* Perhaps followed by .arithmetics. */
#define CLI_PRECISION                                                                                        \
    "--precision", "P", NULL, CLI_FLAG(cli_args, has_precision), .shared = true, .take = cli_take_precision
/* Every setting of a recipe of training, perhaps followed by .without. */
#define CLI_RECIPE                                                                                           \
    "--SETTING", "V", "Settings of the recipe", CLI_TEXT(cli_args, recipe),                                  \
        .shared = true, .settings = at_recipe_params, .n_settings = &at_n_recipe_params

/* The last word of a command by another way. */
#define CLI_PROBLEM                                                                                          \
    "--problem", "P", "the same as a word P: a name or a file", CLI_TEXT(cli_args, problem),                 \
        .shared = true, .alias = "--task"

#define CLI_FLOATS (1u << AT_F32 | 1u << AT_F64 | 1u << AT_PBIT) /* .arithmetics: what decodes */

/* What the user asked for. Strings belong to argv or live as long as the process. */
struct cli_args {
    const char *command; /* its name, for messages */
    int code;            /* of a fault among the options */
    const char **words;  /* the arguments that are no options */
    int n_words;
    const void *own; /* the command's own struct */
    const char *set; /* NULL, or "N=6 M=11": every --set, joined by blanks; not checked yet */
    bool json;
    int threads;                 /* 0: one a core */
    const char *db, *out, *plot; /* NULL: not given */
    uint64_t seed;               /* default 1 */
    bool has_precision;
    at_arith precision;          /* default f64 */
    at_attention_kind attention; /* default standard */
    const char *recipe;          /* NULL, or "width=32 rate=0.003", joined and not checked yet */
    const char *problem;         /* NULL, or of CLI_PROBLEM; it is the last of the words, too */
    const char **written;        /* the files that options name to be written, the ledger among them */
    int n_written;
};

typedef struct {
    const char *name, *summary; /* summary: one line, no full stop, for `attest --help` */
    const char *usage;          /* what follows "attest NAME ", one line */
    const char *about;          /* a paragraph or two, lines of at most 78 columns */
    void (*more)(
        at_text *t); /* NULL, or adds rows to the help that a table of the library has, with their heading */
    const char *examples;      /* lines as typed, each "attest ...\n" */
    const cli_option *options; /* then a row without a name */
    const void *own;           /* NULL, or what cli_args.own is when no option is given ... */
    size_t own_bytes;          /* ... CLI_OWN */
    int least, most;           /* number of words allowed; most < 0: any */
    const char *missing;       /* what is missing below `least`: "a claim id" */
    int (*run)(const cli_args *a);
    bool ranks;   /* knows of mpirun (at_ranks_open); the others refuse to be started several times over */
    bool folders; /* -o may be a new folder: whether it can be made, the command finds out itself */
} cli_command;

#define CLI_OWN(usual) .own = &(usual), .own_bytes = sizeof(usual)

const cli_command *cli_command_at(int i); /* of all commands, in the order of help; NULL past the last */

/* argv[0] is the command's name. False: a message was printed, and out->code is the exit code. *help: --help was given. */
bool cli_args_parse(const cli_command *c, int argc, char **argv, cli_args *out, bool *help);
void cli_args_release(cli_args *a);
int cli_help_print(const cli_command *c); /* the exit code */

#endif
