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
    const char *names[sizeof at_dp_examples / sizeof *at_dp_examples];
    for (int k = 0; k < at_n_dp_examples; k++) {
        const at_dp_example *e = &at_dp_examples[k];
        names[k] = e->name;
        if (strcmp(e->name, name) == 0) {
            char path[80];
            snprintf(path, sizeof path, "%s.dp", e->name);
            return at_dp_parse(e->text, strlen(e->text), path, out, err);
        }
    }
    const char *near = at_nearest(name, names, (size_t)at_n_dp_examples);
    return at_fail(err, AT_EINPUT, "no recurrence is called '%.60s'%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
