/* streams.c: what the commands on rows to learn share: a source from the words of a person. */
#include "cli.h"

at_status cli_source_open(const char *set, const char *name, at_source **d, at_err *err)
{
    at_problem *p;
    at_status s = at_problem_open(name, &p, err);
    return s ? s : at_problem_source(p, set, d, err);
}
