/* recall.c: what the file of a model says that it is for, and at which sizes. */
#include "cli.h"

#include <string.h>

/* A model takes several lengths, so that of the problem it was made at says little; unless it follows from the rest. */
static at_status length_keep(const char *problem, bool *keep, at_err *err)
{
    at_problem *p;
    at_status s = at_problem_open(problem, &p, err);
    if (s)
        return s;
    *keep = !p->task || p->task->length;
    at_problem_free(p);
    return AT_OK;
}

/* The remembered parameters but for those that --set gives, then these. */
static at_status set_join(const cli_args *a, const char *remembered, bool length, at_text *out, at_err *err)
{
    at_text_add(out, "");
    for (const char *s = remembered; *s;) {
        size_t n = strcspn(s, " "), name = strcspn(s, "=");
        char word[AT_NAME_MAX + 1] = "";
        memcpy(word, s, name <= AT_NAME_MAX ? name : 0);
        if (!at_assignments_name(a->set, word) && (length || strcmp(word, "N") != 0)) {
            at_text_add(out, out->n ? " " : "");
            at_text_addn(out, s, n);
        }
        s += n + (s[n] == ' ');
    }
    if (a->set)
        at_text_addf(out, "%s%s", out->n ? " " : "", a->set);
    return out->oom ? at_oom(err) : AT_OK;
}

/* Of the problem that is named: what the file remembers of it, if it was made for that one. */
static at_status named_recall(const cli_args *a, const char *remembered, bool length, cli_recalled *out,
                              at_err *err)
{
    const char *mine;
    if (!remembered || !at_problem_remembered(out->problem.s, remembered, &mine))
        mine = "";
    at_status s = *mine && !length ? length_keep(out->problem.s, &length, err) : AT_OK;
    return s ? s : set_join(a, mine, length, &out->set, err);
}

at_status cli_recall(const cli_args *a, const char *model, const char *named, bool length, cli_recalled *out,
                     at_err *err)
{
    char *remembered = NULL;
    *out = (cli_recalled){0};
    at_text_init(&out->problem);
    at_text_init(&out->set);
    at_status s = at_claim_find(model) ? AT_OK : at_model_load_problem(model, &remembered, err);
    if (s)
        return s;
    if (named) {
        at_text_add(&out->problem, named);
        s = out->problem.oom ? at_oom(err) : named_recall(a, remembered, length, out, err);
        at_free(remembered);
        return s;
    }
    if (!remembered)
        return at_fail(
            err, AT_EINPUT,
            "'%.60s' is a model, then: which problem should it solve? (--problem NAME|FILE; it says none)",
            model);
    at_text set;
    at_text_init(&set);
    s = at_problem_recall(remembered, model, &out->problem, &set, err);
    at_free(remembered);
    if (!s && !length)
        s = length_keep(out->problem.s, &length, err);
    if (!s)
        s = set_join(a, set.s, length, &out->set, err);
    at_text_release(&set);
    return s;
}

void cli_recalled_release(cli_recalled *r)
{
    at_text_release(&r->problem);
    at_text_release(&r->set);
}
