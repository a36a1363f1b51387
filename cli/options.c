/* options.c: a command's table of options, read and printed.
 *
 * Both `--name value` and `--name=value` are understood, `--` ends the options, and a word like -1.5 is no
 * option. Every fault is one line: unknown (with the nearest that the command knows), value missing or
 * malformed (with the range), given twice. */
#define _GNU_SOURCE
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cli_take memory_take;

/* What every command has, after its own. */
static const cli_option always[] = {
    {"--max-memory", "MIB", "use at most this many MiB; beyond, exit 3", .take = memory_take, .least = 1,
     .most = (int64_t)1 << 30},
    {"--help", NULL, "this text"},
    {0},
};

/* Row i of a command, those that every command has at the end; NULL past the last. */
static const cli_option *row_at(const cli_command *c, int i)
{
    int n = 0;
    while (c->options[n].name)
        n++;
    const cli_option *o = i < n ? &c->options[i] : &always[i - n];
    return o->name ? o : NULL;
}

/* ---- settings: a row that stands for a table of parameters ------------------------------------------ */

static bool takes_setting(const cli_option *o, const char *name)
{
    for (int i = 0; o->without && o->without[i]; i++)
        if (!strcmp(o->without[i], name))
            return false;
    return true;
}

/* The setting that `--name` means, or NULL. */
static const char *setting_of(const cli_option *o, const char *option)
{
    for (int i = 0; o->settings && !strncmp(option, "--", 2) && i < *o->n_settings; i++)
        if (!strcmp(o->settings[i].name, option + 2) && takes_setting(o, option + 2))
            return o->settings[i].name;
    return NULL;
}

/* ---- help ---------------------------------------------------------------------------------------- */

/* "a, b or c" */
static void listed_add(at_text *t, const char *word, int left)
{
    at_text_add(t, word);
    at_text_add(t, left > 1 ? ", " : left ? " or " : "");
}

static unsigned arithmetics(const cli_option *o)
{
    return o->arithmetics ? o->arithmetics : (1u << AT_ARITH_KINDS) - 1;
}

/* The arithmetics that a command takes, as its help and its refusal list them. */
static void arithmetics_print(const cli_option *o, at_text *t)
{
    unsigned kinds = arithmetics(o);
    static const char *const names[AT_ARITH_KINDS] = {
        [AT_F32] = "f32",   [AT_F64] = "f64",     [AT_PBIT] = "pN, pNeE (N-bit floats)",
        [AT_BALL] = "ball", [AT_EXACT] = "exact", [AT_QUOTIENT] = "qN, qNeE"};
    int left = __builtin_popcount(kinds);
    for (int k = 0; k < AT_ARITH_KINDS; k++)
        if (kinds >> k & 1)
            listed_add(t, names[k], --left);
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

static void row_print(const cli_option *o, at_text *t)
{
    char left[64];
    snprintf(left, sizeof left, "%s%s%s%s%s", o->name, o->alias ? ", " : "", o->alias ? o->alias : "",
             o->value ? " " : "", o->value ? o->value : "");
    at_text_addf(t, "  %-17s ", left);
    if (o->take == cli_take_precision)
        arithmetics_print(o, t);
    else
        at_text_add(t, o->help);
    at_text_add(t, "\n");
}

static void settings_print(const cli_option *o, at_text *t)
{
    at_text_addf(t, "\n%s:\n", o->help);
    for (int i = 0; i < *o->n_settings; i++) {
        const at_param *p = &o->settings[i];
        char left[40];
        if (!takes_setting(o, p->name))
            continue;
        if (p->names)
            snprintf(left, sizeof left, "--%s (%s)", p->name, p->names[(int)p->value]);
        else
            snprintf(left, sizeof left, "--%s (%.10g)", p->name, p->value);
        at_text_addf(t, "  %-23s %s\n", left, p->doc);
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
    if (c->more) {
        c->more(&t);
        at_text_add(&t, "\n");
    }
    at_text_add(&t, "Options:\n");
    const cli_option *o;
    for (int i = 0; (o = row_at(c, i)); i++)
        if (!o->settings)
            row_print(o, &t);
    for (int i = 0; (o = row_at(c, i)); i++)
        if (o->settings)
            settings_print(o, &t);
    at_text_add(&t, "\nExamples:\n");
    for (const char *s = c->examples; *s;) {
        size_t n = strcspn(s, "\n");
        at_text_addf(&t, "  %.*s\n", (int)n, s);
        s += n + (s[n] == '\n');
    }
    return cli_put_text(&(cli_args){.command = c->name}, &t, CLI_HOLDS);
}

/* ---- values ------------------------------------------------------------------------------------ */

static bool whole(const cli_args *a, const cli_option *o, const char *s, int64_t *out)
{
    if (at_parse_i64(s, strlen(s), out) && *out >= o->least && *out <= o->most)
        return true;
    cli_usage(a, "%s '%.40s': must be an integer in %lld..%lld", o->name, s, (long long)o->least,
              (long long)o->most);
    return false;
}

static bool number(const cli_args *a, const cli_option *o, const char *s, double *out)
{
    if (at_parse_double(s, strlen(s), out) && *out >= o->low && *out <= o->high)
        return true;
    cli_usage(a, "%s '%.40s': must be a number in %g..%g", o->name, s, o->low, o->high);
    return false;
}

static bool choice(const cli_args *a, const cli_option *o, const char *s, unsigned *out)
{
    for (int i = 0; i < o->n_choice; i++)
        if (!strcmp(s, o->choice[i])) {
            *out = (unsigned)i;
            return true;
        }
    at_text t;
    at_text_init(&t);
    for (int i = 0; i < o->n_choice; i++)
        listed_add(&t, o->choice[i], o->n_choice - 1 - i);
    cli_usage(a, "%s '%.40s': must be %s", o->name, s, t.oom ? "another" : t.s);
    at_text_release(&t);
    return false;
}

static bool value_take(cli_args *a, const cli_option *o, void *to, const char *s)
{
    int64_t i = 0;
    switch (o->type) {
    case CLI_IS_FLAG:
        *(bool *)to = true;
        return true;
    case CLI_IS_INT:
        if (!whole(a, o, s, &i))
            return false;
        *(int *)to = (int)i;
        return true;
    case CLI_IS_U64:
        if (!whole(a, o, s, &i))
            return false;
        *(uint64_t *)to = (uint64_t)i;
        return true;
    case CLI_IS_REAL:
        return number(a, o, s, to);
    case CLI_IS_CHOICE:
        return choice(a, o, s, to);
    case CLI_IS_TEXT:
        *(const char **)to = s;
        return true;
    }
    return true;
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

bool cli_take_set(cli_args *a, const cli_option *o, void *to, const char *s)
{
    if (strchr(s, '='))
        return assignment_add(a, to, "", s);
    cli_usage(a, "%s '%.60s': expected NAME=VALUE, as in N=6", o->name, s);
    return false;
}

bool cli_take_read(cli_args *a, const cli_option *o, void *to, const char *s)
{
    *(const char **)to = s;
    if (!*s)
        cli_usage(a, "%s: the name of the file is empty", o->name);
    return *s != 0;
}

bool cli_take_written(cli_args *a, const cli_option *o, void *to, const char *s)
{
    a->written[a->n_written++] = s;
    return cli_take_read(a, o, to, s);
}

bool cli_take_precision(cli_args *a, const cli_option *o, void *to, const char *s)
{
    at_err err = {0};
    if (at_arith_parse(s, &a->precision, &err)) {
        cli_usage(a, "%s %s", o->name, err.text);
        return false;
    }
    *(bool *)to = true;
    if (arithmetics(o) >> a->precision.kind & 1)
        return true;
    at_text t;
    at_text_init(&t);
    arithmetics_print(o, &t);
    cli_usage(a, "%s '%.40s': must be %s", o->name, s, t.oom ? "another" : t.s);
    at_text_release(&t);
    return false;
}

static bool memory_take(cli_args *a, const cli_option *o, void *to, const char *s)
{
    (void)to; /* it is the system that keeps it */
    int64_t i = 0;
    if (!whole(a, o, s, &i))
        return false;
    if (!cli_memory_limit((uint64_t)i)) {
        cli_usage(a, "%s %s: the system does not allow it", o->name, s);
        return false;
    }
    return true;
}

/* ---- the command line ---------------------------------------------------------------------------- */

/* -x and --xyz, but not -, -1 or -.5 */
static bool looks_like_option(const char *s)
{
    return s[0] == '-' && s[1] && !strchr("0123456789.", s[1]);
}

static bool named(const cli_option *o, const char *name)
{
    return !o->settings && (!strcmp(o->name, name) || (o->alias && !strcmp(o->alias, name)));
}

static bool of_another(const char *name)
{
    const cli_command *c;
    const cli_option *o;
    for (int k = 0; (c = cli_command_at(k)); k++)
        for (int i = 0; (o = row_at(c, i)); i++)
            if (!strcmp(o->name, name))
                return true;
    return false;
}

static bool unknown(const cli_args *a, const cli_command *c, const char *name)
{
    at_guess g = {name};
    char settings[AT_PARAMS_MAX][32], all[64];
    const cli_option *o;
    bool out = false;
    for (int i = 0; (o = row_at(c, i)); i++) {
        if (!o->settings) {
            at_guess_add(&g, o->name);
            at_guess_add(&g, o->alias ? o->alias : o->name);
        }
        for (int k = 0; o->settings && k < *o->n_settings && k < AT_PARAMS_MAX; k++)
            if (takes_setting(o, o->settings[k].name)) {
                snprintf(settings[k], sizeof settings[k], "--%s", o->settings[k].name);
                at_guess_add(&g, settings[k]);
            }
        out |= !strcmp(o->name, "-o");
    }
    bool written =
        out && (!strcmp(name, "--output") || !strcmp(name, "--out")); /* not near, but what is meant */
    if (written)
        g.best = "-o", g.distance = 0;
    else if (of_another(name)) {
        cli_usage(a, "option %s does not apply here; see `attest %s --help`", name, c->name);
        return false;
    }
    at_err err = {0};
    snprintf(all, sizeof all, "attest %s --help", c->name);
    at_guess_fail(&g, "option", all, &err);
    cli_fail(a, &err);
    return false;
}

/* The row that name means, or NULL; *setting: its setting, where it is a row of settings. */
static const cli_option *row_find(const cli_command *c, const char *name, int *i, const char **setting)
{
    const cli_option *o;
    *setting = NULL;
    for (*i = 0; (o = row_at(c, *i)); ++*i)
        if (named(o, name))
            return o;
    for (*i = 0; (o = row_at(c, *i)); ++*i)
        if ((*setting = setting_of(o, name)))
            return o;
    return NULL;
}

/* Takes the option argv[*i], and its value, which may be the next word. seen: which rows were given. */
static bool option_take(const cli_command *c, cli_args *a, int argc, char **argv, int *i, bool *seen)
{
    char name[64];
    const char *s = argv[*i], *eq = strchr(s, '='), *value = eq ? eq + 1 : NULL, *setting;
    size_t n = eq ? (size_t)(eq - s) : strlen(s);
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), s);
    int k;
    const cli_option *o = row_find(c, name, &k, &setting);
    if (!o)
        return unknown(a, c, name);
    if (seen[k] && !o->repeatable && !setting) {
        cli_usage(a, "%s is given twice", o->name);
        return false;
    }
    seen[k] = true;
    if (o->value && !value && *i + 1 < argc)
        value = argv[++*i];
    if (setting && !value)
        cli_usage(a, "%s needs a value", name);
    else if (o->value && !value)
        cli_usage(a, "%s needs a value: %s %s", o->name, o->name, o->value);
    else if (!o->value && value)
        cli_usage(a, "%s takes no value", o->name);
    else {
        void *to = (char *)(o->shared ? (void *)a : (void *)a->own) + o->at;
        return setting ? assignment_add(a, to, setting, value)
                       : (o->take ? o->take : value_take)(a, o, to, value);
    }
    return false;
}

bool cli_args_parse(const cli_command *c, int argc, char **argv, cli_args *a, bool *help)
{
    *a = (cli_args){.command = c->name, .code = CLI_USAGE, .seed = 1, .precision = at_f64};
    *help = false;
    for (int i = 1; i < argc && !*help; i++) /* asking for help excuses every fault */
        *help = !strcmp(argv[i], "--help") || !strcmp(argv[i], "-h");
    if (*help)
        return true;
    int rows = 0;
    while (row_at(c, rows))
        rows++;
    bool *seen = calloc((size_t)rows, sizeof *seen), ended = false, good = true;
    a->words = calloc((size_t)argc, sizeof *a->words);
    a->written = calloc((size_t)argc, sizeof *a->written);
    void *own = calloc(1, c->own_bytes + 1);
    a->own = own;
    if (!seen || !a->words || !a->written || !own) {
        free(seen);
        return !(a->code = cli_oom(a));
    }
    if (c->own)
        memcpy(own, c->own, c->own_bytes);
    for (int i = 1; i < argc && good; i++)
        if (ended || !looks_like_option(argv[i]))
            a->words[a->n_words++] = argv[i];
        else if (!strcmp(argv[i], "--"))
            ended = true;
        else
            good = option_take(c, a, argc, argv, &i, seen);
    free(seen);
    if (!good)
        return false;
    if (a->problem)
        a->words[a->n_words++] = a->problem;
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
    free(a->written);
    free((void *)a->own);
    free((char *)a->set);
    free((char *)a->recipe);
}

at_status cli_output_set(const char *set, const char *output, at_text *out, at_err *err)
{
    if (set)
        at_text_addf(out, "%s%s", set, output && *set ? "," : "");
    if (output)
        at_text_addf(out, "output=%s", output);
    return out->oom ? at_oom(err) : AT_OK;
}
