/* options.c: text in: settings of a call, and the env. */
#include <math.h>
#include <string.h>

#include "api_internal.h"

void api_begin(at_err *err)
{
    if (err) {
        err->code = AT_OK;
        *err->text = 0;
    }
}

at_status api_need(const char *what, const char *text, at_err *err)
{
    return text ? AT_OK : at_fail(err, AT_EINPUT, "%s is missing: it must be a text, and is NULL", what);
}

at_err *at_err_new(void)
{
    return at_calloc(1, sizeof(at_err));
}

const char *at_err_text(const at_err *err)
{
    return err->text;
}

/* ---- names and values ----------------------------------------------------------------------------------- */

static at_status value_take(const option *o, const char *value, at_err *err)
{
    int64_t whole;
    double real;
    switch (o->kind) {
    case OPTION_TEXT:
        *(const char **)o->to = value;
        return AT_OK;
    case OPTION_FLAG:
        if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
            return at_fail(err, AT_EINPUT, "%s=%.40s: must be 0 or 1", o->name, value);
        *(bool *)o->to = *value == '1';
        return AT_OK;
    case OPTION_COUNT:
        if (!at_parse_i64(value, strlen(value), &whole) || whole < 0)
            return at_fail(err, AT_EINPUT, "%s=%.40s: must be a whole number from 0 on", o->name, value);
        *(uint64_t *)o->to = (uint64_t)whole;
        return AT_OK;
    case OPTION_NUMBER:
        if (!at_parse_double(value, strlen(value), &real) || real < 0)
            return at_fail(err, AT_EINPUT, "%s=%.40s: must be a number from 0 on", o->name, value);
        *(double *)o->to = real;
        return AT_OK;
    }
    return AT_OK;
}

static at_status option_take(const char *name, const char *value, const option *known, int n, at_err *err)
{
    at_guess g = {name};
    for (int k = 0; k < n; k++) {
        if (strcmp(known[k].name, name) == 0)
            return value_take(&known[k], value, err);
        at_guess_add(&g, known[k].name);
    }
    char near[AT_GUESS_TEXT];
    at_text all;
    at_text_init(&all);
    for (int k = 0; k < n; k++)
        at_text_addf(&all, "%s%s", k ? ", " : "", known[k].name);
    at_status s = at_fail(err, AT_EINPUT, "unknown setting '%.40s'%s (there are: %s)", name,
                          at_guess_text(&g, near), all.oom ? "" : all.s);
    at_text_release(&all);
    return s;
}

at_status options_read(const char *text, const option *known, int n, at_arena *a, at_err *err)
{
    static const char blanks[] = " \t\r\n,";
    at_status status = AT_OK;
    for (const char *s = text ? text : ""; !status && *(s += strspn(s, blanks));) {
        size_t name = strcspn(s, "= \t\r\n,");
        if (s[name] != '=')
            return at_fail(err, AT_EINPUT, "'%.*s': must be NAME=VALUE", (int)(name < 40 ? name : 40), s);
        const char *value = s + name + 1;
        char quote = *value == '"' || *value == '\'' ? *value++ : 0;
        const char *end = quote ? strchr(value, quote) : value + strcspn(value, blanks);
        if (!end)
            return at_fail(err, AT_EINPUT, "'%.40s': a quote that does not end", s);
        char *key = at_arena_printf(a, "%.*s", (int)name, s);
        char *copy = at_arena_printf(a, "%.*s", (int)(end - value), value);
        status = key && copy ? option_take(key, copy, known, n, err) : at_oom(err);
        s = end + (quote != 0);
    }
    return status;
}

/* ---- the env --------------------------------------------------------------------------------------------- */

static const at_env usual = {.seed = 1};

const at_env *api_env(const at_env *env)
{
    return env ? env : &usual;
}

at_status at_env_new(at_env **out, at_err *err)
{
    api_begin(err);
    at_env *env = at_calloc(1, sizeof *env);
    if (!env)
        return at_oom(err);
    *env = usual;
    *out = env;
    return AT_OK;
}

at_status at_env_set(at_env *env, const char *set, at_err *err)
{
    api_begin(err);
    uint64_t threads = (uint64_t)env->threads, seed = env->seed;
    const option known[] = {{"threads", OPTION_COUNT, &threads}, {"seed", OPTION_COUNT, &seed}};
    at_arena a;
    at_arena_init(&a);
    at_status s = options_read(set, known, OPTIONS(known), &a, err);
    at_arena_release(&a);
    if (!s && threads > 1024)
        s = at_fail(err, AT_EDOMAIN, "threads=%llu: must be in 0..1024", (unsigned long long)threads);
    if (s)
        return s;
    env->threads = (int)threads;
    env->seed = seed;
    return AT_OK;
}

void at_env_progress(at_env *env, at_told *told, void *ctx)
{
    env->progress = (at_progress){told, ctx};
}

void at_env_free(at_env *env)
{
    at_free(env);
}

at_status api_precision(const char *name, at_arith *out, at_err *err)
{
    *out = at_f64;
    return name && *name ? at_arith_parse(name, out, err) : AT_OK;
}
