/* tm_examples.c: the machines of examples/, as part of the library (tools/embed.sh makes the table). */
#include <stdio.h>

#include "tm_internal.h"

const at_tm_example at_tm_examples[] = {
#include "machines.inc"
};
const int at_n_tm_examples = (int)(sizeof at_tm_examples / sizeof *at_tm_examples);

at_status at_tm_example_load(const char *name, at_arena *a, at_tm **out, at_err *err)
{
    static const at_registry all = AT_REGISTRY_OF_ROWS("machine", NULL, at_tm_examples,
                                                       sizeof at_tm_examples / sizeof *at_tm_examples, name);
    const at_tm_example *e = at_registry_need(&all, name, err);
    char path[80];
    if (!e)
        return AT_EINPUT;
    snprintf(path, sizeof path, "%s.tm", e->name);
    return at_tm_read(e->text, path, a, out, err);
}
