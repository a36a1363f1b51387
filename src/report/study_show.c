/* study_show.c: trained rows straight to what a command shows: text for a terminal, a picture in a file. */
#include "report_internal.h"

#include <attest/job.h>

#include <string.h>

/* What is not in the groups, counted. */
static void rest_add(const at_study *st, at_pen *p)
{
    at_text w;
    at_text_init(&w);
    if (st->n_other)
        at_text_addf(&w, "%zu of %zu runs were trained by another build. ", st->n_other, st->n_runs);
    if (st->n_superseded)
        at_text_addf(&w, "%zu superseded by later ones and not counted. ", st->n_superseded);
    if (st->n_broken)
        at_text_addf(&w, "%zu broken and not counted. ", st->n_broken);
    if (w.oom)
        p->out->oom = true;
    else if (w.n)
        at_pen_wrap(p, w.s, 0);
    at_text_release(&w);
}

at_status at_trained_text(const at_row *rows, size_t n, int columns, bool color, at_text *out, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    at_text t;
    at_text_init(&t);
    at_study st;
    at_status s = at_study_make(rows, n, at_build_id(), &a, &st, err);
    at_pen p = {&t, columns > 0 ? columns : 80, 0};
    if (!s && !st.n_runs)
        at_pen_wrap(&p, "No model was trained.", 0);
    for (int k = 0; !s && k < st.n_groups; k++) {
        at_heat h;
        s = at_study_heat(&st.groups[k], &a, &h, err);
        if (s)
            break;
        at_text_add(&t, k ? "\n" : "");
        at_heat_terminal(&h, columns, color, &t);
        at_text_add(&t, "\n");
        s = at_study_text(&st.groups[k], columns, &t, err);
    }
    if (!s)
        rest_add(&st, &p);
    s = at_text_end(s, &t, out, err);
    at_arena_release(&a);
    return s;
}

/* The group of the run that was finished last. */
static const at_study_group *latest(const at_study *st)
{
    const at_trained *last = NULL;
    for (size_t i = 0; i < st->n_runs; i++) {
        const at_trained *r = &st->runs[i];
        const char *when = r->row->rec.when, *before = last ? last->row->rec.when : NULL;
        if (!r->broken && !r->superseded && (!last || strcmp(when ? when : "", before ? before : "") > 0))
            last = r;
    }
    for (int k = 0; last && k < st->n_groups; k++)
        if (!strcmp(st->groups[k].preset, last->d.preset))
            return &st->groups[k];
    return NULL;
}

at_status at_trained_picture(const at_row *rows, size_t n, const char *path, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    at_study st;
    at_heat h;
    at_picture_kind kind;
    at_status s = at_picture_kind_of(path, &kind, err);
    if (!s)
        s = at_study_make(rows, n, at_build_id(), &a, &st, err);
    const at_study_group *g = s ? NULL : latest(&st);
    if (!s && !g)
        s = at_fail(err, AT_EINPUT, "%s: there are no trained models to draw", path);
    if (!s)
        s = at_study_heat(g, &a, &h, err);
    if (!s)
        s = at_heat_picture(&h, kind, path, err);
    at_arena_release(&a);
    return s;
}
