/* list.c: what there is. */
#include <string.h>

#include <attest/bound.h>
#include <attest/claim.h>
#include <attest/front.h>
#include <attest/learn.h>
#include <attest/refute.h>

#include "api_internal.h"

/* Row i of a list; NULL with *s set: it failed, without: memory ended. */
typedef json_t *row_make(int i, at_status *s, at_err *err);

static json_t *row(const char *id, const char *title)
{
    return result_set(result_set(json_object(), "id", result_text(id)), "title", result_text(title));
}

static json_t *claim_row(int i, at_status *s, at_err *err)
{
    (void)s, (void)err;
    const at_claim *c = at_catalogue[i];
    json_t *j = row(c->id, c->title);
    j = result_set(j, "source", result_text(c->source));
    j = result_set(j, "statement", result_text(c->statement));
    j = result_set(j, "model", json_boolean(c->film || !c->trial));
    return result_set(j, "parameters", result_params(c->params, c->n_params));
}

static json_t *bound_row(int i, at_status *s, at_err *err)
{
    (void)s, (void)err;
    const at_bound *b = at_bounds[i];
    json_t *j = row(b->id, b->title);
    j = result_set(j, "source", result_text(b->source));
    j = result_set(j, "statement", result_text(b->statement));
    return result_set(j, "parameters", result_params(b->params, b->n_params));
}

static json_t *problem_row(int i, at_status *s, at_err *err)
{
    at_problem *p;
    *s = at_problem_open(at_problem_listed(i), &p, err);
    if (*s)
        return NULL;
    json_t *j = row(p->id, p->title);
    j = result_set(j, "definition", result_text(p->definition));
    for (int v = 0; v < AT_VIEWS; v++) {
        const at_param *schema;
        if (!at_problem_has(p, (at_view)v))
            continue;
        int n = at_problem_schema(p, (at_view)v, &schema);
        j = result_set(j, at_view_names[v], result_params(schema, n));
    }
    at_problem_free(p);
    return j;
}

static json_t *language_row(int i, at_status *s, at_err *err)
{
    (void)s, (void)err;
    const at_front *f = at_fronts[i];
    json_t *j = row(f->lang->id, f->lang->about);
    j = result_set(j, "suffix", result_text(f->lang->suffix));
    j = result_set(j, "text", json_boolean(f->lang->line || f->lang->parse));
    return result_set(j, "compiled", result_text(f->about));
}

static json_t *refuter_row(int i, at_status *s, at_err *err)
{
    (void)s, (void)err;
    return row(at_refuters[i]->id, at_refuters[i]->about);
}

static json_t *setting_row(int i, at_status *s, at_err *err)
{
    (void)s, (void)err;
    json_t *one = result_params(&at_recipe_params[i], 1);
    json_t *j = row(at_recipe_params[i].name, at_recipe_params[i].doc);
    return result_set(j, "parameters", one);
}

static int problems(void)
{
    int n = 0;
    while (at_problem_listed(n))
        n++;
    return n;
}

at_status at_list(const char *what, at_result **out, at_err *err)
{
    api_begin(err);
    if (api_need("what", what, err))
        return AT_EINPUT;
    const struct {
        const char *name;
        row_make *make;
        int n;
    } lists[] = {{"claims", claim_row, at_n_catalogue},    {"bounds", bound_row, at_n_bounds},
                 {"problems", problem_row, problems()},    {"languages", language_row, at_n_fronts},
                 {"refuters", refuter_row, at_n_refuters}, {"settings", setting_row, at_n_recipe_params}};
    const int n_lists = sizeof lists / sizeof *lists;
    for (int k = 0; k < n_lists; k++) {
        if (strcmp(lists[k].name, what) != 0)
            continue;
        at_status s = AT_OK;
        json_t *rows = json_array();
        for (int i = 0; i < lists[k].n && !s; i++)
            rows = result_add(rows, lists[k].make(i, &s, err));
        if (s) {
            json_decref(rows);
            return s;
        }
        return result_end(result_set(json_object(), "rows", rows), out, err);
    }
    return at_fail(err, AT_EINPUT,
                   "list '%.40s': must be claims, bounds, problems, languages, refuters or settings", what);
}
