/* recall.c: which problem is asked of a model, and at which sizes: what is said, and what the model remembers. */
#include <string.h>

#include <attest/front.h>

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

/* The remembered parameters but for those that are said, then these. */
static at_status set_join(const char *said, const char *remembered, bool length, at_text *out, at_err *err)
{
    at_text_add(out, "");
    for (const char *s = remembered; *s;) {
        size_t n = strcspn(s, " "), name = strcspn(s, "=");
        char word[AT_NAME_MAX + 1] = "";
        memcpy(word, s, name <= AT_NAME_MAX ? name : 0);
        if (!at_assignments_name(said, word) && (length || strcmp(word, "N") != 0)) {
            at_text_add(out, out->n ? " " : "");
            at_text_addn(out, s, n);
        }
        s += n + (s[n] == ' ');
    }
    if (said)
        at_text_addf(out, "%s%s", out->n ? " " : "", said);
    return out->oom ? at_oom(err) : AT_OK;
}

/* Of the problem that is named: what the model remembers of it, if it was made for that one. */
static at_status named_recall(const char *named, const char *remembered, const char *said, bool length,
                              at_text *set, at_err *err)
{
    const char *mine;
    if (!remembered || !at_problem_remembered(named, remembered, &mine))
        mine = "";
    at_status s = *mine && !length ? length_keep(named, &length, err) : AT_OK;
    return s ? s : set_join(said, mine, length, set, err);
}

at_status at_problem_known(const char *remembered, const char *model, const char *named, const char *said,
                           bool length, at_text *name, at_text *set, at_err *err)
{
    if (named) {
        at_text_add(name, named);
        return name->oom ? at_oom(err) : named_recall(named, remembered, said, length, set, err);
    }
    if (!remembered)
        return at_fail(
            err, AT_EINPUT,
            "'%.60s' is a model, then: which problem should it solve? (--problem NAME|FILE; it says none)",
            model);
    at_text mine;
    at_text_init(&mine);
    at_status s = at_problem_recall(remembered, model, name, &mine, err);
    if (!s && !length)
        s = length_keep(name->s, &length, err);
    if (!s)
        s = set_join(said, mine.s, length, set, err);
    at_text_release(&mine);
    return s;
}
