/* options.c: one table of options; every command takes the rows it names, and help prints those rows.
 *
 * Both `--name value` and `--name=value` are understood, `--` ends the options, and a word like -1.5 is no
 * option. Every fault is one line: unknown (with the nearest that the command knows), value missing or
 * malformed (with the range), given twice. */
#define _GNU_SOURCE
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    OPT_SET,
    OPT_JSON,
    OPT_THREADS,
    OPT_DB,
    OPT_OUT,
    OPT_TIER,
    OPT_SEED,
    OPT_PRECISION,
    OPT_SECONDS,
    OPT_ROUNDS,
    OPT_STEPS,
    OPT_ATTENTION,
    OPT_BESIDE,
    OPT_COUNT,
    OPT_STATES,
    OPT_SPLIT,
    OPT_BALANCE,
    OPT_WIDTH,
    OPT_LENGTH,
    OPT_BATCH,
    OPT_LAYERS,
    OPT_HEADS,
    OPT_DROPOUT,
    OPT_STATE,
    OPT_FROM,
    OPT_PLOT,
    OPT_ENOUGH,
    OPT_PRESET,
    OPT_WIDTHS,
    OPT_SEEDS,
    OPT_ATTENTIONS,
    OPT_TASK,
    OPT_BUDGET,
    OPT_TRIES,
    OPT_WHOLE,
    OPT_BY,
    OPT_TOLERANCE,
    OPT_MEMORY,
    OPT_HELP,
    OPTS
} opt;

typedef struct {
    const char *name, *value; /* value NULL: a flag */
    unsigned bit;             /* 0: every command */
    const char *help;
} row;

static const row rows[OPTS] = {
    [OPT_SET] = {"--set", "K=V", CLI_SET, "a parameter, as in N=6; repeatable, or K=V,K2=V2"},
    [OPT_JSON] = {"--json", NULL, CLI_JSON, "for machines"},
    [OPT_THREADS] = {"--threads", "N", CLI_THREADS, "threads, 1..1024 (default: one a core)"},
    [OPT_DB] = {"--db", "FILE", CLI_DB, "the ledger"},
    [OPT_OUT] = {"-o", "FILE", CLI_OUT, "where to write"},
    [OPT_TIER] = {"--tier", "TIER", CLI_TIER, "quick (default) or full"},
    [OPT_SEED] = {"--seed", "N", CLI_SEED, "of the random inputs (default 1)"},
    [OPT_PRECISION] = {"--precision", "P", CLI_PRECISION, NULL},
    [OPT_SECONDS] = {"--seconds", "S", CLI_SECONDS, "length of a round, 0.01..3600 (default 1)"},
    [OPT_ROUNDS] = {"--rounds", "N", CLI_ROUNDS, "rounds, 1..1000 (default 5)"},
    [OPT_STEPS] = {"--steps", "N", CLI_STEPS, "at most N rows, 1..1048576 (default: what the model allows)"},
    [OPT_ATTENTION] = {"--attention", "KIND", CLI_ATTENTION, "standard (default), linear, sparse or local"},
    [OPT_BESIDE] = {"--beside", "FILE.dp", CLI_BESIDE,
                    "print the interpreter's chain beside (sizes by --set)"},
    [OPT_COUNT] = {"--count", "N", CLI_COUNT, "samples, 1..1000000000 (default 10; eval: 1000)"},
    [OPT_STATES] = {"--states", "N", CLI_STATES, "collide: states, 2..100000000000 (default 10000000)"},
    [OPT_SPLIT] = {"--split", "SPLIT", CLI_SPLIT, "train or test (default train; eval: test)"},
    [OPT_BALANCE] = {"--balance", NULL, CLI_BALANCE, "how often each token is in an answer"},
    [OPT_WIDTH] = {"--width", "D", CLI_SHAPE, "of the model, 8..8192, a multiple of 8 (default 64)"},
    [OPT_LENGTH] = {"--length", "T", CLI_SHAPE, "of a sequence, 1..65536 (default 87)"},
    [OPT_BATCH] = {"--batch", "B", CLI_SHAPE, "sequences a step, 1..65536 (default 64)"},
    [OPT_LAYERS] = {"--layers", "N", CLI_SHAPE, "1..128 (default 3)"},
    [OPT_HEADS] = {"--heads", "N", CLI_SHAPE, "a divisor of the width (default 4)"},
    [OPT_DROPOUT] = {"--dropout", "P", CLI_SHAPE, "0..0.99 (default 0.1)"},
    [OPT_STATE] = {"--state", "FILE", CLI_STATE, "keep the training here; go on when it is there"},
    [OPT_FROM] = {"--from", "MODEL", CLI_FROM, "begin with the weights of a model file"},
    [OPT_PLOT] = {"--plot", "FILE", CLI_PLOT, "a picture of it: FILE.png, FILE.svg or FILE.pdf"},
    [OPT_ENOUGH] = {"--enough", "SHARE", CLI_ENOUGH, "exit 1 when fewer answers are right, 0..1"},
    [OPT_PRESET] = {"--preset", "NAME", CLI_GRID, "quick (default) or paper"},
    [OPT_WIDTHS] = {"--widths", "D,D...", CLI_GRID, "instead of the preset's"},
    [OPT_SEEDS] = {"--seeds", "N,N...", CLI_GRID, "instead of the preset's"},
    [OPT_ATTENTIONS] = {"--attentions", "A,A...", CLI_GRID, "instead of all three"},
    [OPT_TASK] = {"--task", "TASK", CLI_REFUTE, "what the model should compute"},
    [OPT_BUDGET] = {"--budget", "M", CLI_REFUTE, "millions of multiply-adds to spend (default 2000)"},
    [OPT_TRIES] = {"--budget", "M", CLI_TRIES, "recurrences: millions of operations to try (default 2000)"},
    [OPT_WHOLE] = {"--exact", NULL, CLI_WHOLE, "the program alone, whole, with all digits: a FILE.program"},
    [OPT_BY] = {"--by", "REFUTER", CLI_REFUTE, "this refuter only"},
    [OPT_TOLERANCE] = {"--tolerance", "E", CLI_REFUTE, "real answers may be off by E (qsa: 1/(2q))"},
    [OPT_MEMORY] = {"--max-memory", "MIB", 0, "use at most this many MiB; beyond, exit 3"},
    [OPT_HELP] = {"--help", NULL, 0, "this text"},
};

/* The arithmetics that a command takes, as its help and its refusal list them. */
static void arithmetics_print(unsigned kinds, at_text *t)
{
    static const char *const names[AT_ARITH_KINDS] = {[AT_F32] = "f32",
                                                      [AT_F64] = "f64",
                                                      [AT_PBIT] = "pN, pNeE (N-bit floats)",
                                                      [AT_BALL] = "ball",
                                                      [AT_EXACT] = "exact"};
    int left = __builtin_popcount(kinds);
    for (int k = 0; k < AT_ARITH_KINDS; k++)
        if (kinds >> k & 1) {
            at_text_add(t, names[k]);
            left--;
            at_text_add(t, left > 1 ? ", " : left ? " or " : "");
        }
}

static unsigned arithmetics(const cli_command *c)
{
    return c->arithmetics ? c->arithmetics : (1u << AT_ARITH_KINDS) - 1;
}

static bool precision_take(cli_args *a, unsigned kinds, const char *s)
{
    at_err err = {0};
    if (at_arith_parse(s, &a->precision, &err)) {
        cli_usage(a, "--precision %s", err.text);
        return false;
    }
    a->has_precision = true;
    if (kinds >> a->precision.kind & 1)
        return true;
    at_text t;
    at_text_init(&t);
    arithmetics_print(kinds, &t);
    cli_usage(a, "--precision '%.40s': must be %s", s, t.oom ? "another" : t.s);
    at_text_release(&t);
    return false;
}

static bool takes(const cli_command *c, opt o)
{
    return !rows[o].bit || (rows[o].bit & c->options);
}

/* Setting i of a recipe is an option of this command. What a grid has a list of (--widths) is not set for all its cells. */
static bool takes_setting(const cli_command *c, int i)
{
    static const char *const listed[] = {"attention", "width", "seed"};
    bool own = c->options & CLI_RECIPE;
    for (size_t k = 0; own && (c->options & CLI_GRID) && k < sizeof listed / sizeof *listed; k++)
        own = strcmp(at_recipe_params[i].name, listed[k]) != 0;
    return own;
}

/* The setting of a recipe that an option names, or NULL. */
static const char *setting_of(const cli_command *c, const char *name)
{
    for (int i = 0; !strncmp(name, "--", 2) && i < at_n_recipe_params; i++)
        if (takes_setting(c, i) && !strcmp(at_recipe_params[i].name, name + 2))
            return at_recipe_params[i].name;
    return NULL;
}

/* Paragraphs as they were written in the source, each wrapped anew. */
static void paragraphs_print(at_text *t, const char *s)
{
    while (*s) {
        const char *end = strstr(s, "\n\n");
        char *one = strndup(s, end ? (size_t)(end - s) : strlen(s));
        if (!one) {
            t->oom = true;
            return;
        }
        for (char *c = one; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        cli_wrap(t, one, 0, 80);
        at_text_add(t, "\n");
        free(one);
        s = end ? end + 2 : s + strlen(s);
    }
}

int cli_help_print(const cli_command *c)
{
    at_text t;
    at_text_init(&t);
    char usage[256];
    snprintf(usage, sizeof usage, "attest %s %s", c->name, c->usage);
    at_text_addf(&t, "%s: %s\n\n", c->name, c->summary);
    cli_row(&t, "Usage:", 7, usage, 80);
    at_text_add(&t, "\n");
    paragraphs_print(&t, c->about);
    at_text_add(&t, "Options:\n");
    for (int o = 0; o < OPTS; o++)
        if (takes(c, o)) {
            char left[32];
            snprintf(left, sizeof left, "%s%s%s", rows[o].name, rows[o].value ? " " : "",
                     rows[o].value ? rows[o].value : "");
            at_text_addf(&t, "  %-17s ", left);
            if (o == OPT_PRECISION)
                arithmetics_print(arithmetics(c), &t);
            else
                at_text_add(&t, rows[o].help);
            at_text_add(&t, "\n");
        }
    if (c->options & CLI_RECIPE) {
        at_text_add(&t, "\nSettings of the recipe:\n");
        for (int i = 0; i < at_n_recipe_params; i++) {
            const at_param *p = &at_recipe_params[i];
            char left[40];
            if (!takes_setting(c, i))
                continue;
            if (p->names)
                snprintf(left, sizeof left, "--%s (%s)", p->name, p->names[(int)p->value]);
            else
                snprintf(left, sizeof left, "--%s (%.10g)", p->name, p->value);
            at_text_addf(&t, "  %-23s %s\n", left, p->doc);
        }
    }
    at_text_add(&t, "\nExamples:\n");
    for (const char *s = c->examples; *s;) {
        size_t n = strcspn(s, "\n");
        at_text_addf(&t, "  %.*s\n", (int)n, s);
        s += n + (s[n] == '\n');
    }
    return cli_put_text(&(cli_args){.command = c->name}, &t, CLI_HOLDS);
}

/* ---- values ------------------------------------------------------------------------------------ */

static bool whole(const cli_args *a, const char *name, const char *s, int64_t lo, int64_t hi, int64_t *out)
{
    if (at_parse_i64(s, strlen(s), out) && *out >= lo && *out <= hi)
        return true;
    cli_usage(a, "%s '%.40s': must be an integer in %lld..%lld", name, s, (long long)lo, (long long)hi);
    return false;
}

static bool number(const cli_args *a, const char *name, const char *s, double lo, double hi, double *out)
{
    if (at_parse_double(s, strlen(s), out) && *out >= lo && *out <= hi)
        return true;
    cli_usage(a, "%s '%.40s': must be a number in %g..%g", name, s, lo, hi);
    return false;
}

/* Assignments, joined by blanks: to = to + name + "=" + s, without the first part where name is empty. */
static bool assignment_add(cli_args *a, const char **to, const char *name, const char *s)
{
    char *joined = NULL;
    if (asprintf(&joined, "%s%s%s%s%s", *to ? *to : "", *to ? " " : "", name, *name ? "=" : "", s) < 0)
        return !(a->code = cli_oom(a));
    free((char *)*to);
    *to = joined;
    return true;
}

static bool set_add(cli_args *a, const char *s)
{
    if (strchr(s, '='))
        return assignment_add(a, &a->set, "", s);
    cli_usage(a, "--set '%.60s': expected NAME=VALUE, as in N=6", s);
    return false;
}

static bool path_take(const cli_args *a, const char *name, const char *s, const char **out)
{
    *out = s;
    if (!*s)
        cli_usage(a, "%s: the name of the file is empty", name);
    return *s != 0;
}

static bool whole_take(const cli_args *a, const char *name, const char *s, int64_t hi, int *out)
{
    int64_t i = 0;
    if (!whole(a, name, s, 1, hi, &i))
        return false;
    *out = (int)i;
    return true;
}

static bool value_take(cli_args *a, opt o, const char *s)
{
    const char *name = rows[o].name;
    int64_t i = 0;
    switch (o) {
    case OPT_SET:
        return set_add(a, s);
    case OPT_JSON:
        a->json = true;
        return true;
    case OPT_THREADS:
        if (!whole(a, name, s, 1, 1024, &i))
            return false;
        a->threads = (int)i;
        return true;
    case OPT_DB:
        return path_take(a, name, s, &a->db);
    case OPT_OUT:
        return path_take(a, name, s, &a->out);
    case OPT_TIER:
        a->tier = strcmp(s, "full") ? AT_TIER_QUICK : AT_TIER_FULL;
        if (!a->tier && strcmp(s, "quick")) {
            cli_usage(a, "--tier '%.40s': must be quick or full", s);
            return false;
        }
        return true;
    case OPT_ATTENTION:
        for (int k = 0; k < AT_ATTENTIONS; k++)
            if (strcmp(s, at_attention_names[k]) == 0) {
                a->attention = (at_attention_kind)k;
                return true;
            }
        cli_usage(a, "--attention '%.40s': must be standard, linear, sparse or local", s);
        return false;
    case OPT_BESIDE:
        a->beside = s;
        return true;
    case OPT_SEED:
        if (!whole(a, name, s, 0, INT64_MAX, &i))
            return false;
        a->seed = (uint64_t)i;
        a->has_seed = true;
        return true;
    case OPT_PRECISION: /* what is allowed depends on the command: precision_take */
        return false;
    case OPT_SECONDS:
        return number(a, name, s, 0.01, 3600, &a->seconds);
    case OPT_ROUNDS:
        if (!whole(a, name, s, 1, CLI_MOST_ROUNDS, &i))
            return false;
        a->rounds = (int)i;
        return true;
    case OPT_STEPS:
        if (!whole(a, name, s, 1, AT_MAX_LENGTH, &i))
            return false;
        a->steps = (int)i;
        return true;
    case OPT_COUNT:
        if (!whole(a, name, s, 1, 1000000000, &i))
            return false;
        a->count = (uint64_t)i;
        return true;
    case OPT_STATES:
        if (!whole(a, name, s, 2, 100000000000, &i))
            return false;
        a->states = (uint64_t)i;
        return true;
    case OPT_SPLIT:
        a->split = strcmp(s, "test") ? AT_TRAIN : AT_TEST;
        if (a->split == AT_TRAIN && strcmp(s, "train")) {
            cli_usage(a, "--split '%.40s': must be train or test", s);
            return false;
        }
        return true;
    case OPT_BALANCE:
        a->balance = true;
        return true;
    case OPT_WHOLE:
        a->whole = true;
        return true;
    case OPT_WIDTH:
        a->shape.has_width = true;
        return whole_take(a, name, s, 8192, &a->shape.width);
    case OPT_LENGTH:
        a->shape.has_length = true;
        return whole_take(a, name, s, 65536, &a->shape.length);
    case OPT_BATCH:
        return whole_take(a, name, s, 65536, &a->shape.batch);
    case OPT_LAYERS:
        return whole_take(a, name, s, 128, &a->shape.layers);
    case OPT_HEADS:
        return whole_take(a, name, s, 8192, &a->shape.heads);
    case OPT_DROPOUT:
        return number(a, name, s, 0, 0.99, &a->shape.dropout);
    case OPT_STATE:
        return path_take(a, name, s, &a->state);
    case OPT_FROM:
        return path_take(a, name, s, &a->from);
    case OPT_PLOT:
        return path_take(a, name, s, &a->plot);
    case OPT_TASK:
        a->task = s;
        return true;
    case OPT_BY:
        a->by = s;
        return true;
    case OPT_BUDGET:
    case OPT_TRIES:
        return number(a, name, s, 0.001, 1e12, &a->budget);
    case OPT_TOLERANCE:
        return number(a, name, s, 1e-12, 1e12, &a->tolerance);
    case OPT_PRESET:
        a->preset = s;
        return true;
    case OPT_WIDTHS:
        a->widths = s;
        return true;
    case OPT_SEEDS:
        a->seeds = s;
        return true;
    case OPT_ATTENTIONS:
        a->attentions = s;
        return true;
    case OPT_ENOUGH:
        return number(a, name, s, 0, 1, &a->enough);
    case OPT_MEMORY:
        if (!whole(a, name, s, 1, (int64_t)1 << 30, &i))
            return false;
        if (!cli_memory_limit((uint64_t)i)) {
            cli_usage(a, "--max-memory %s: the system does not allow it", s);
            return false;
        }
        return true;
    case OPT_HELP:
    case OPTS:
    default:
        return true;
    }
}

/* ---- the command line ---------------------------------------------------------------------------- */

/* -x and --xyz, but not -, -1 or -.5 */
static bool looks_like_option(const char *s)
{
    return s[0] == '-' && s[1] && !strchr("0123456789.", s[1]);
}

static bool unknown(const cli_args *a, const cli_command *c, const char *name)
{
    const char *known[OPTS + AT_PARAMS_MAX];
    char settings[AT_PARAMS_MAX][32];
    size_t n = 0;
    for (int o = 0; o < OPTS; o++)
        if (takes(c, o))
            known[n++] = rows[o].name;
    for (int i = 0; i < at_n_recipe_params; i++)
        if (takes_setting(c, i)) {
            snprintf(settings[i], sizeof settings[i], "--%s", at_recipe_params[i].name);
            known[n++] = settings[i];
        }
    const char *near = strcmp(name, "--output") && strcmp(name, "--out") ? at_nearest(name, known, n) : "-o";
    for (int o = 0; o < OPTS; o++)
        if (!strcmp(rows[o].name, name)) { /* an option, but another command's */
            cli_usage(a, "option %s does not apply here; see `attest %s --help`", name, c->name);
            return false;
        }
    if (near && (strcmp(near, "-o") || takes(c, OPT_OUT)))
        cli_usage(a, "unknown option '%.60s'; did you mean '%s'?", name, near);
    else
        cli_usage(a, "unknown option '%.60s'; see `attest %s --help`", name, c->name);
    return false;
}

bool cli_args_parse(const cli_command *c, int argc, char **argv, cli_args *a, bool *help)
{
    *a = (cli_args){.command = c->name,
                    .code = CLI_USAGE,
                    .seed = 1,
                    .precision = at_f64,
                    .seconds = 1,
                    .budget = 2000,
                    .rounds = 5,
                    .count = c->count ? c->count : 10,
                    .split = c->split};
    a->shape.width = a->shape.batch = 64;
    a->shape.length = 87;
    a->shape.layers = 3;
    a->shape.heads = 4;
    a->shape.dropout = 0.1;
    bool seen[OPTS] = {false}, ended = false;
    *help = false;
    for (int i = 1; i < argc && !*help; i++) /* asking for help excuses every fault */
        *help = !strcmp(argv[i], "--help") || !strcmp(argv[i], "-h");
    if (*help)
        return true;
    if (!(a->words = calloc((size_t)argc, sizeof *a->words)))
        return !(a->code = cli_oom(a));
    for (int i = 1; i < argc; i++) {
        const char *s = argv[i];
        if (ended || !looks_like_option(s)) {
            a->words[a->n_words++] = s;
            continue;
        }
        if (!strcmp(s, "--")) {
            ended = true;
            continue;
        }
        char name[64];
        const char *eq = strchr(s, '=');
        size_t n = eq ? (size_t)(eq - s) : strlen(s);
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), s);
        if (!strcmp(name, "--size") && takes(c, OPT_ATTENTION)) /* of a recurrence: another word for --set */
            snprintf(name, sizeof name, "--set");
        opt o = 0;
        while (o < OPTS && (strcmp(rows[o].name, name) || !takes(c, o)))
            o++;
        const char *setting = o == OPTS ? setting_of(c, name) : NULL;
        if (setting) {
            if (!eq && i + 1 == argc) {
                cli_usage(a, "%s needs a value", name);
                return false;
            }
            if (!assignment_add(a, &a->recipe, setting, eq ? eq + 1 : argv[++i]))
                return false;
            continue;
        }
        if (o == OPTS)
            return unknown(a, c, name);
        if (seen[o] && o != OPT_SET) {
            cli_usage(a, "%s is given twice", name);
            return false;
        }
        seen[o] = true;
        const char *value = eq ? eq + 1 : NULL;
        if (rows[o].value && !value && i + 1 < argc)
            value = argv[++i];
        if (!rows[o].value != !value) {
            cli_usage(a, rows[o].value ? "%s needs a value: %s %s" : "%s takes no value", name, name,
                      rows[o].value);
            return false;
        }
        if (!(o == OPT_PRECISION ? precision_take(a, arithmetics(c), value) : value_take(a, o, value)))
            return false;
    }
    if (a->n_words < c->least) {
        cli_usage(a, "%s is missing; usage: attest %s %s", c->missing, c->name, c->usage);
        return false;
    }
    if (c->most >= 0 && a->n_words > c->most) {
        cli_usage(a, "'%.60s' is one argument too many; usage: attest %s %s", a->words[c->most], c->name,
                  c->usage);
        return false;
    }
    return true;
}

void cli_args_release(cli_args *a)
{
    free(a->words);
    free((char *)a->set);
    free((char *)a->recipe);
}
