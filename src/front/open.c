/* open.c: problems by name and by file. */
#include <string.h>
#include <sys/stat.h>

#include "front_internal.h"

/* Streams and recurrences that are one problem under two names: the table by its chain, and as rows to learn. */
static const struct {
    const char *problem, *example;
} same[] = {{"lis", "lis"}, {"ed", "edit-distance"}, {"ed-local", "edit-distance-local"}};

bool at_is_file(const char *name)
{
    return strpbrk(name, "./") != NULL;
}

/* ---- files -------------------------------------------------------------------------------------------------- */

/* How the file begins decides, and nobody waits for the rest of it. */
static _Thread_local const at_lang *looked;

static at_status begin_look(const char *path, const char *first, size_t n, at_err *err)
{
    looked = NULL;
    for (int k = 0; k < at_n_fronts && !looked; k++)
        if (at_fronts[k]->lang->like && at_fronts[k]->lang->like(first, n))
            looked = at_fronts[k]->lang;
    return at_fail(err, AT_EREFUSED, "%.200s: seen", path); /* enough */
}

static at_status lang_find(const char *path, const at_lang **out, at_err *err)
{
    const at_front *f = at_front_of_file(path);
    if (f && at_front_is_problem(f)) {
        *out = f->lang;
        return AT_OK;
    }
    struct stat info;
    if (!stat(path, &info) && S_ISFIFO(info.st_mode)) { /* a pipe is read once: rows to learn, as ever */
        *out = &at_lang_lines;
        return AT_OK;
    }
    char *text;
    size_t n;
    at_err seen = {0};
    at_status s = at_file_read_if(path, (size_t)1 << 28, begin_look, &text, &n, &seen);
    if (s != AT_EREFUSED)
        return at_fail(err, s, "%s", seen.text);
    *out = looked;
    if (*out)
        return AT_OK;
    at_text all;
    at_text_init(&all);
    for (int k = 0; k < at_n_fronts; k++)
        if (at_front_is_problem(at_fronts[k]))
            at_text_addf(&all, "%s%s (%s)", all.n ? ", " : "", at_fronts[k]->lang->suffix,
                         at_fronts[k]->lang->about);
    s = at_fail(err, AT_EINPUT, "%.200s: no problem in a language that is known: %s", path,
                all.oom ? "" : all.s);
    at_text_release(&all);
    return s;
}

static at_status file_open(at_problem *p, const char *path, const at_lang *l, at_err *err)
{
    at_status s = l ? AT_OK : lang_find(path, &l, err);
    if (s)
        return s;
    p->path = p->id = at_arena_strdup(&p->arena, path);
    p->lang = l->id;
    return p->path ? l->open(p, err) : at_oom(err);
}

/* ---- names -------------------------------------------------------------------------------------------------- */

static bool is_example(const char *name)
{
    for (int k = 0; k < at_n_dp_examples; k++)
        if (strcmp(at_dp_examples[k].name, name) == 0)
            return true;
    return false;
}

static at_status name_unknown(const char *name, at_err *err)
{
    const char *names[256];
    size_t n = 0;
    for (int k = 0; k < at_n_streams && n < 256; k++) /* of names equally near the first counts */
        names[n++] = at_streams[k]->id;
    for (int k = 0; at_problem_name(k) && n < 256; k++)
        names[n++] = at_problem_name(k);
    for (int k = 0; k < at_n_dp_examples && n < 256; k++)
        names[n++] = at_dp_examples[k].name;
    const char *near = at_nearest(name, names, n);
    if (near)
        return at_fail(
            err, AT_EINPUT,
            "no problem '%.60s'; did you mean '%s'? (`attest list problems`; a file has a dot or a slash)",
            name, near);
    return at_fail(err, AT_EINPUT,
                   "no problem '%.60s'; `attest list problems` shows all, a file has a dot or a slash", name);
}

static at_status example_open(at_problem *p, const char *example, at_err *err)
{
    at_dp *d;
    at_status s = at_dp_example_load(example, &d, err);
    return s ? s : at_dp_problem(d, p, err);
}

static at_status name_open(at_problem *p, const char *name, at_err *err)
{
    const char *example = is_example(name) ? name : NULL, *problem = name;
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        if (strcmp(name, same[k].problem) == 0 || strcmp(name, same[k].example) == 0) {
            example = same[k].example;
            problem = same[k].problem;
        }
    at_problem b = {0};
    bool found = at_problem_find(problem, &b);
    if (!found && !example)
        return name_unknown(name, err);
    at_status s = example ? example_open(p, example, err) : AT_OK;
    if (s)
        return s;
    p->id = found ? b.id : example;
    if (!found)
        return AT_OK;
    p->title = b.title;
    p->definition = b.definition;
    p->lang = b.lang ? b.lang : p->lang;
    p->task = b.task;
    p->chain = b.chain ? b.chain : p->chain;
    p->stream = b.stream ? b.stream : p->stream;
    return AT_OK;
}

at_status at_problem_read(const char *name, const at_lang *l, at_problem **out, at_err *err)
{
    at_problem *p = at_calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return at_oom(err);
    at_arena_init(&p->arena);
    p->made = true;
    at_status s = l || at_is_file(name) ? file_open(p, name, l, err) : name_open(p, name, err);
    if (s) {
        at_arena_release(&p->arena);
        at_free(p);
    } else
        *out = p;
    return s;
}

at_status at_problem_open(const char *name, at_problem **out, at_err *err)
{
    return at_problem_read(name, NULL, out, err);
}
