/* streams.c: what the commands on streams share: a source from the words of a person. */
#include "cli.h"

#include <string.h>

at_status cli_source_open(const cli_args *a, const char *name, at_source **d, at_err *err)
{
    const at_stream *t = at_stream_find(name);
    if (t) {
        at_params p;
        at_params_init(&p, t->params, t->n_params);
        at_status s = a->set ? at_params_parse(&p, a->set, err) : AT_OK;
        return s ? s : at_source_open(t, &p, d, err);
    }
    if (!strpbrk(name, "./")) {
        if (!at_registry_nearest(&at_stream_registry, name))
            return at_fail(err, AT_EINPUT, "unknown stream '%.60s'; see `%s`, a file is ./NAME", name,
                           at_stream_registry.all);
        at_registry_need(&at_stream_registry, name, err);
        return AT_EINPUT;
    }
    if (a->set)
        return at_fail(err, AT_EINPUT, "--set: a file has no parameters");
    return at_source_load(name, d, err);
}
