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
        const char *names[64];
        for (int i = 0; i < at_n_streams; i++)
            names[i] = at_streams[i]->id;
        const char *near = at_nearest(name, names, (size_t)at_n_streams);
        if (near)
            return at_fail(err, AT_EINPUT, "no stream '%.60s'; did you mean '%s'?", name, near);
        return at_fail(err, AT_EINPUT, "no stream '%.60s'; `attest list streams` shows all, a file is ./NAME",
                       name);
    }
    if (a->set)
        return at_fail(err, AT_EINPUT, "--set: a file has no parameters");
    return at_source_load(name, d, err);
}
