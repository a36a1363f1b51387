/* examples.c: the recurrences of examples/, as part of the library (tools/embed.sh makes the table). */
#include "dp_internal.h"

#include <stdio.h>
#include <string.h>

const at_dp_example at_dp_examples[] = {
#include "examples.inc"
};
const int at_n_dp_examples = (int)(sizeof at_dp_examples / sizeof *at_dp_examples);

at_status at_dp_example_load(const char *name, at_dp **out, at_err *err)
{
    static const at_registry all = AT_REGISTRY_OF_ROWS("recurrence", NULL, at_dp_examples,
                                                       sizeof at_dp_examples / sizeof *at_dp_examples, name);
    const at_dp_example *e = at_registry_need(&all, name, err);
    if (!e)
        return AT_EINPUT;
    char path[80];
    snprintf(path, sizeof path, "%s.dp", e->name);
    return at_dp_parse(e->text, strlen(e->text), path, out, err);
}
