/* exchange.c: models of other tools in, models for other tools out. */
#include <attest/export.h>
#include <attest/import.h>

#include <string.h>

#include "api_internal.h"

/* The place of a name in a table; `none` where nothing is said. */
static at_status named(const char *what, const char *name, const char *const *names, int n, int none,
                       int *out, at_err *err)
{
    *out = none;
    if (!name)
        return AT_OK;
    at_text all;
    at_text_init(&all);
    for (int k = 0; k < n; k++) {
        if (!strcmp(name, names[k])) {
            at_text_release(&all);
            *out = k;
            return AT_OK;
        }
        at_text_addf(&all, "%s%s", k ? ", " : "", names[k]);
    }
    at_status s = at_fail(err, AT_EINPUT, "%s=%.40s: must be one of %s", what, name, all.oom ? "" : all.s);
    at_text_release(&all);
    return s;
}

static at_status import_how(const char *how, at_arena *a, at_import_options *o, at_err *err)
{
    const char *layout = NULL, *read = NULL;
    uint64_t steps = 0;
    int as, where;
    *o = at_import_defaults;
    const option known[] = {{"as", OPTION_TEXT, &layout},
                            {"config", OPTION_TEXT, &o->config},
                            {"read", OPTION_TEXT, &read},
                            {"steps", OPTION_COUNT, &steps},
                            {"ignore", OPTION_TEXT, &o->ignore}};
    at_status s = options_read(how, known, OPTIONS(known), a, err);
    if (!s)
        s = named("as", layout, at_layout_names, AT_LAYOUTS, o->layout, &as, err);
    if (!s)
        s = named("read", read, at_import_read_names, AT_IMPORT_READS, o->read, &where, err);
    if (!s && steps > AT_MAX_LENGTH)
        s = at_fail(err, AT_EDOMAIN, "steps=%ju: must be in 0..%d", (uintmax_t)steps, AT_MAX_LENGTH);
    if (s)
        return s;
    o->layout = (at_layout)as;
    o->read = (at_import_read)where;
    o->steps = (int)steps;
    return AT_OK;
}

at_status at_net_import(const char *path, const char *how, at_net **out, at_err *err)
{
    api_begin(err);
    if (api_need("path", path, err))
        return AT_EINPUT;
    at_arena a;
    at_import_options o;
    at_model m;
    at_arena_init(&a);
    at_status s = import_how(how, &a, &o, err);
    if (!s)
        s = at_import(&m, path, &o, NULL, err);
    if (!s)
        s = api_net(&m, out, err);
    at_arena_release(&a);
    return s;
}

at_status at_net_adopt(const void *bytes, size_t n, const char *config, const char *how, at_net **out,
                       at_err *err)
{
    api_begin(err);
    at_arena a;
    at_import_options o;
    at_model m;
    at_arena_init(&a);
    at_status s = import_how(how, &a, &o, err);
    if (!s && o.config)
        s = at_fail(err, AT_EINPUT, "config=%.40s: the configuration is given beside the bytes", o.config);
    if (!s)
        s = at_import_bytes(&m, bytes, n, config, config ? strlen(config) : 0, &o, NULL, err);
    if (!s)
        s = api_net(&m, out, err);
    at_arena_release(&a);
    return s;
}

at_status at_net_export(const at_net *net, const char *to, const char *how, const char *path, at_err *err)
{
    api_begin(err);
    if (api_need("to", to, err) || api_need("path", path, err))
        return AT_EINPUT;
    const char *dtype = NULL;
    bool cache = false;
    int number;
    const option known[] = {{"dtype", OPTION_TEXT, &dtype}, {"cache", OPTION_FLAG, &cache}};
    at_arena a;
    at_model m;
    at_arena_init(&a);
    const at_export_kind *kind = at_export_find(to, err);
    at_status s = kind ? options_read(how, known, OPTIONS(known), &a, err) : AT_EINPUT;
    if (!s)
        s = named("dtype", dtype, at_export_dtypes, AT_EXPORT_DTYPES, AT_EXPORT_STORED, &number, err);
    if (!s)
        s = api_model(net, &m, err);
    if (!s)
        s = at_export_write(&m, kind, &(at_export_as){(at_export_dtype)number, cache}, path, err);
    at_arena_release(&a);
    return s;
}
