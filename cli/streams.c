/* streams.c: what the commands on rows to learn share: a source from the words of a person. */
#include "cli.h"

at_status cli_source_open_over(const char *set, const char *name, const at_vocabulary *v, at_source **d,
                               at_err *err)
{
    at_problem *p;
    at_status s = at_problem_open(name, &p, err);
    if (s)
        return s;
    if ((s = at_problem_words(p, v, err))) {
        at_problem_free(p);
        return s;
    }
    return at_problem_source(p, set, d, err);
}

at_status cli_source_open(const char *set, const char *name, at_source **d, at_err *err)
{
    return cli_source_open_over(set, name, &(at_vocabulary){0}, d, err);
}

at_status cli_rows_open(const char *set, const char *path, const at_vocabulary *v, at_source **d, at_err *err)
{
    at_source *made;
    at_status s = cli_source_open_over(set, path, v, &made, err);
    if (!s && at_problem_is_rows(made->problem))
        *d = made;
    else if (!s) {
        at_source_free(made);
        s = at_fail(err, AT_EINPUT,
                    "--test %.200s: must be a file of lines `prompt <sep> chain <sep> answer`", path);
    }
    return s;
}
