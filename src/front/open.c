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

static at_status file_open(at_problem *p, const char *path, const at_lang *l, const char *alphabet,
                           at_err *err)
{
    at_status s = l ? AT_OK : lang_find(path, &l, err);
    if (s)
        return s;
    if (alphabet && !l->given)
        return at_fail(err, AT_EREFUSED,
                       "%.150s is %s: its letters stand in the file itself, and no alphabet beside it", path,
                       l->about);
    if (alphabet && !(p->alphabet = at_arena_strdup(&p->arena, alphabet)))
        return at_oom(err);
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

const char *at_problem_listed(int i)
{
    int n = 0;
    for (; at_problem_name(n); n++)
        if (n == i)
            return at_problem_name(n);
    for (int k = 0; k < at_n_dp_examples; k++) {
        const char *name = at_dp_examples[k].name;
        for (size_t j = 0; j < sizeof same / sizeof *same; j++)
            if (strcmp(name, same[j].example) == 0)
                name = same[j].problem;
        at_problem known = {0};
        if (!at_problem_find(name, &known) && n++ == i)
            return name;
    }
    return NULL;
}

static at_status example_open(at_problem *p, const char *example, at_err *err)
{
    at_dp *d;
    at_status s = at_dp_example_load(example, &d, err);
    for (int k = 0; k < at_n_dp_examples; k++)
        if (strcmp(at_dp_examples[k].name, example) == 0)
            p->text = at_dp_examples[k].text;
    return s ? s : at_dp_problem(d, p, err);
}

/* A parameter that two views have, in the same range, is one of the problem: it has one default, that of the view whose name was
 * used. The other view gets parameters of its own. */
static at_status defaults_join(at_problem *p, bool by_chain, at_err *err)
{
    const at_param *from = by_chain ? p->chain->params : p->stream->params,
                   *to = by_chain ? p->stream->params : p->chain->params;
    int n_from = by_chain ? p->chain->n_params : p->stream->n_params,
        n = by_chain ? p->stream->n_params : p->chain->n_params;
    at_param *own = at_new(&p->arena, at_param, n + 1);
    at_chain *chain = at_new(&p->arena, at_chain, 1);
    at_stream *stream = at_new(&p->arena, at_stream, 1);
    if (!own || !chain || !stream)
        return at_oom(err);
    for (int i = 0; i < n; i++) {
        own[i] = to[i];
        for (int k = 0; k < n_from; k++)
            if (strcmp(from[k].name, to[i].name) == 0 && from[k].lo == to[i].lo && from[k].hi == to[i].hi)
                own[i].value = from[k].value;
    }
    *chain = *p->chain;
    *stream = *p->stream;
    chain->params = by_chain ? p->chain->params : own;
    stream->params = by_chain ? own : p->stream->params;
    p->chain = chain;
    p->stream = stream;
    return AT_OK;
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
    if (!example || !b.stream || b.chain)
        return AT_OK;
    s = defaults_join(p, strcmp(name, example) == 0, err);
    if (s)
        p->close(p);
    return s;
}

static at_problem *problem_new(void)
{
    at_problem *p = at_calloc(1, sizeof *p);
    if (p) {
        at_arena_init(&p->arena);
        p->made = true;
    }
    return p;
}

/* s: of what filled p in. */
static at_status problem_end(at_problem *p, at_status s, at_problem **out)
{
    if (s) {
        at_arena_release(&p->arena);
        at_free(p);
    } else
        *out = p;
    return s;
}

at_status at_problem_read(const char *name, const at_lang *l, const char *alphabet, at_problem **out,
                          at_err *err)
{
    at_problem *p = problem_new();
    *out = NULL;
    if (!p)
        return at_oom(err);
    at_status s;
    if (l || at_is_file(name))
        s = file_open(p, name, l, alphabet, err);
    else if (alphabet)
        s = at_fail(err, AT_EREFUSED, "an alphabet beside '%.60s', which is no file", name);
    else
        s = name_open(p, name, err);
    return problem_end(p, s, out);
}

at_status at_problem_open(const char *name, at_problem **out, at_err *err)
{
    return at_problem_read(name, NULL, NULL, out, err);
}

at_status at_problem_open_over(const char *name, const char *alphabet, at_problem **out, at_err *err)
{
    return at_problem_read(name, NULL, alphabet, out, err);
}

at_status at_problem_line(const at_lang *l, const char *text, const char *alphabet, at_problem **out,
                          at_err *err)
{
    at_problem *p = problem_new();
    *out = NULL;
    if (!p)
        return at_oom(err);
    p->id = p->lang = l->id;
    return problem_end(p, l->line(p, text, alphabet, err), out);
}

at_status at_problem_parse(const char *lang, const char *path, const char *text, size_t n, at_problem **out,
                           at_err *err)
{
    const at_lang *l = NULL;
    *out = NULL;
    for (int k = 0; k < at_n_fronts && !l; k++)
        l = lang && strcmp(at_fronts[k]->lang->id, lang) == 0 && at_fronts[k]->lang->parse
                ? at_fronts[k]->lang
                : NULL;
    if (!l)
        return at_fail(err, AT_EREFUSED, "%.200s: %s is no language of texts that can be changed", path,
                       lang ? lang : "this");
    at_problem *p = problem_new();
    if (!p)
        return at_oom(err);
    p->path = p->id = at_arena_strdup(&p->arena, path);
    p->lang = l->id;
    return problem_end(p, p->path ? l->parse(p, text, n, err) : at_oom(err), out);
}

/* ---- what a model remembers ---------------------------------------------------------------------------------- */

#define RECALLED_MAX ((size_t)1 << 28) /* bytes of a problem's file */

/* Is there such a file, and has it this text? FALSE: another; UNKNOWN: there is none. */
static at_tri text_is(const char *path, const char *digest)
{
    struct stat info;
    char *text, found[65];
    size_t n;
    if (stat(path, &info) || !S_ISREG(info.st_mode) || at_file_read(path, RECALLED_MAX, &text, &n, NULL))
        return AT_UNKNOWN;
    at_sha256(text, n, found);
    at_free(text);
    return memcmp(found, digest, 64) == 0 ? AT_TRUE : AT_FALSE;
}

/* The shipped recurrence of a built-in name; NULL: it has none. */
static const at_dp_example *example_of(const char *name)
{
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        if (strcmp(name, same[k].problem) == 0)
            name = same[k].example;
    for (int k = 0; k < at_n_dp_examples; k++)
        if (strcmp(at_dp_examples[k].name, name) == 0)
            return &at_dp_examples[k];
    return NULL;
}

/* The shipped recurrence of this text, if its name is that of nothing else: rows of `lis` are others than those of its recurrence. */
static const char *shipped_name(const char *digest)
{
    for (int k = 0; k < at_n_dp_examples; k++) {
        const at_dp_example *x = &at_dp_examples[k];
        char mine[65];
        at_problem other = {0};
        at_sha256(x->text, strlen(x->text), mine);
        bool only = !at_problem_find(x->name, &other);
        for (size_t i = 0; i < sizeof same / sizeof *same; i++)
            only = only && strcmp(x->name, same[i].example) != 0;
        if (only && memcmp(mine, digest, 64) == 0)
            return x->name;
    }
    return NULL;
}

static at_status file_recall(const char *file, const char *digest, const char *model, at_text *name,
                             at_err *err)
{
    const char *slash = strrchr(model, '/');
    at_tri found = AT_UNKNOWN;
    for (int here = !slash; here < 2 && found != AT_TRUE; here++) {
        at_text path;
        at_text_init(&path);
        at_text_addf(&path, "%.*s%s", here ? 0 : (int)(slash - model + 1), model, file);
        at_tri is = path.oom ? AT_UNKNOWN : text_is(path.s, digest);
        found = is == AT_UNKNOWN ? found : is;
        if (is == AT_TRUE) /* a file by its dot or slash */
            at_text_addf(name, "%s%s", strpbrk(path.s, "./") ? "" : "./", path.s);
        at_text_release(&path);
    }
    const char *shipped = found == AT_TRUE ? NULL : shipped_name(digest);
    if (shipped)
        at_text_add(name, shipped);
    if (found == AT_TRUE || shipped)
        return name->oom ? at_oom(err) : AT_OK;
    return at_fail(err, AT_EINPUT,
                   "%.100s was made for %.100s, which is %s; say which problem (--problem NAME|FILE)", model,
                   file, found == AT_FALSE ? "another text now" : "neither beside it nor here");
}

static const char digest_is[] = " sha256=";

at_status at_problem_recall(const char *remembered, const char *model, at_text *name, at_text *set,
                            at_err *err)
{
    size_t n = strcspn(remembered, " ");
    const char *rest = remembered + n;
    at_text first;
    at_text_init(&first);
    at_text_addn(&first, remembered, n);
    at_status s = first.oom ? at_oom(err) : AT_OK;
    if (!s && strncmp(rest, digest_is, sizeof digest_is - 1) == 0) {
        s = file_recall(first.s, rest + sizeof digest_is - 1, model, name, err);
        rest += sizeof digest_is - 1 + 64;
    } else if (!s) {
        at_problem *p;
        if (at_is_file(first.s) || at_problem_open(first.s, &p, NULL))
            s = at_fail(err, AT_EINPUT,
                        "%.100s was made for '%.60s', which is no problem here; say which "
                        "(--problem NAME|FILE)",
                        model, first.s);
        else {
            at_problem_free(p);
            at_text_add(name, first.s);
        }
    }
    at_text_add(set, *rest ? rest + 1 : "");
    at_text_release(&first);
    return s ? s : name->oom || set->oom ? at_oom(err) : AT_OK;
}

bool at_problem_remembered(const char *name, const char *remembered, const char **set)
{
    size_t n = strcspn(remembered, " ");
    const char *rest = remembered + n;
    char first[AT_PROBLEM_TEXT + 1] = "", digest[65];
    memcpy(first, remembered, n <= AT_PROBLEM_TEXT ? n : 0);
    bool is;
    if (strncmp(rest, digest_is, sizeof digest_is - 1) == 0) {
        rest += sizeof digest_is - 1;
        const char *shipped = shipped_name(rest);
        is = at_is_file(name) ? text_is(name, rest) == AT_TRUE : shipped && strcmp(shipped, name) == 0;
        rest += 64;
    } else {
        const at_dp_example *mine = example_of(first);
        is = strcmp(name, first) == 0 || (mine && example_of(name) == mine);
        if (mine && at_is_file(name)) {
            at_sha256(mine->text, strlen(mine->text), digest);
            is = text_is(name, digest) == AT_TRUE;
        }
    }
    *set = is ? rest + (*rest == ' ') : NULL;
    return is;
}

/* ---- in a ledger -------------------------------------------------------------------------------------------- */

const char *at_problem_stamp(const at_problem *p)
{
    return p->path && p->digest ? p->digest
                                : "0000000000000000000000000000000000000000000000000000000000000000";
}

const char *at_problem_short(const at_problem *p)
{
    const char *slash = p->path ? strrchr(p->path, '/') : NULL;
    return slash ? slash + 1 : p->id;
}

void at_problem_subject(const at_problem *p, at_text *out)
{
    at_text_add(out, at_problem_short(p));
    if (p->path)
        at_text_addf(out, "#%.8s", at_problem_stamp(p));
}
