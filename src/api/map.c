/* map.c: least size against problem size: bounds, constructions, trained. */
#include <attest/front.h>
#include <attest/report.h>
#include <attest/store.h>

#include "api_internal.h"

static json_t *points_json(const at_map_points *p)
{
    json_t *all = json_array();
    for (int i = 0; i < p->n; i++)
        all = result_add(all, result_numbers((double[]){p->x[i], p->y[i]}, 2));
    return all;
}

static json_t *place_json(const at_map_place *p)
{
    json_t *j = result_set(json_object(), "task", result_text(p->panel->task));
    j = result_set(j, "architecture", result_text(p->panel->architecture));
    j = result_set(j, "size", result_text(p->panel->size));
    j = result_set(j, "unit", result_text(p->panel->unit));
    j = result_set(j, "bound", result_text(p->panel->bound));
    j = result_set(j, "bits", result_text(p->bits));
    j = result_set(j, "construction", result_text(p->panel->construction));
    j = result_set(j, "trained", result_text(p->panel->trained));
    json_t *points = json_object();
    for (int k = 0; k < AT_MAP_KINDS; k++)
        if (p->points[k].n)
            points = result_set(points, at_map_kind_names[k], points_json(&p->points[k]));
    j = result_set(j, "points", points);
    j = result_set(j, "verdict", result_text(p->words));
    j = result_set(j, "gap", result_number(p->gap));
    j = result_set(j, "ratio", result_number(p->ratio));
    j = result_set(j, "ratio_at", result_number(p->ratio_size));
    return result_set(j, "note", result_text(p->note));
}

static at_status problem_map(const char *problem, const char *set, const at_row *rows, size_t n, at_arena *a,
                             at_map *out, at_err *err)
{
    at_problem *p;
    at_text subject;
    at_status s = at_problem_open(problem, &p, err);
    if (s)
        return s;
    at_text_init(&subject);
    at_problem_subject(p, &subject);
    s = subject.oom
            ? at_oom(err)
            : at_map_problem(p, subject.s, set && *set ? set : NULL, rows, n, at_build_id(), a, out, err);
    at_text_release(&subject);
    at_problem_free(p);
    return s;
}

at_status at_map_read(const char *problem, const char *set, const char *ledger, at_result **out, at_err *err)
{
    api_begin(err);
    at_row *rows = NULL;
    size_t n = 0;
    at_map m;
    at_arena a;
    at_arena_init(&a);
    at_status s = AT_OK;
    if (set && *set && !problem)
        s = at_fail(err, AT_EINPUT, "set gives the parameters of a problem, and none is named");
    if (!s && ledger)
        s = at_ledger_read(ledger, &rows, &n, &a, err);
    if (!s)
        s = problem ? problem_map(problem, set, rows, n, &a, &m, err)
                    : at_map_make(at_map_panels, at_n_map_panels, rows, n, at_build_id(), &a, &m, err);
    if (!s) {
        json_t *panels = json_array();
        for (int k = 0; k < m.n; k++)
            panels = result_add(panels, place_json(&m.places[k]));
        json_t *j = result_set(json_object(), "contradictions", json_integer(m.contradictions));
        j = result_set(j, "words", result_text(m.words));
        s = result_end(result_set(j, "panels", panels), out, err);
    }
    at_arena_release(&a);
    return s;
}
