/* film.c: one head after the other, the same input in several models side by side: how attention came to be, from checkpoint to
 * checkpoint.
 *
 *     title
 *     [colour bar]
 *     layer 1 head 1 · softmax · none
 *     ┌────┐ ┌────┐ ┌────┐ ┌────┐      one frame a model; rows are queries, columns keys
 *     └────┘ └────┘ └────┘ └────┘
 *     step 0  step 50 ...              and below it what else its caption says
 *     layer 1 head 2 ...
 *
 * Invariants: as in look.c the layout is a function of the film alone, all frames share one colour scale, 0 to 1, the square root of the
 * weight, and more than MOST_CELLS positions are reduced.
 *
 * Legend: T positions, R drawn rows = ceil(T/f), n frames. */
#include "picture_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CELLS = 64 };
static const double edge = 20, gap = 14, most_width = 1040, text_height = 30, title_height = 22,
                    most_side = 16000;
static const at_draw_rgb masked_rgb = {0xe3, 0xe1, 0xde}, broken_rgb = {0xc6, 0x28, 0x28};

typedef struct {
    const at_film *film;
    int f, R, across, lines; /* frames of a line, lines of a head */
    double cell, side, step, w, h, top;
    char *title;
    char **head;            /* (heads) */
    char **first, **second; /* (n) captions */
} plan;

at_status at_film_check(const at_film *film, at_err *err)
{
    if (film->n < 1 || film->n > AT_FILM_FRAMES)
        return at_fail(err, AT_EDOMAIN, "a film of %d frames; allowed: 1..%d", film->n, AT_FILM_FRAMES);
    for (int k = 0; k < film->n; k++) {
        const at_trace *here = film->frames[k].look->trace, *one = film->frames[0].look->trace;
        at_status s = at_look_check(film->frames[k].look, err);
        if (s)
            return s;
        bool same = here->T == one->T && here->n_heads == one->n_heads;
        for (int h = 0; same && h < one->n_heads; h++)
            same = here->heads[h].block == one->heads[h].block && here->heads[h].group == one->heads[h].group;
        if (!same)
            return at_fail(
                err, AT_EINPUT,
                "frame %d has other heads or positions than the first: a film is of models of one shape",
                k + 1);
    }
    return film->frames[0].look->trace->n_heads
               ? AT_OK
               : at_fail(err, AT_EINPUT, "the models have no attention to look at");
}

static bool plan_texts(plan *q, at_arena *a)
{
    const at_film *film = q->film;
    const at_look *one = film->frames[0].look;
    q->title = at_picture_label(a, film->title, 15, 0.8 * (most_width - 2 * edge)); /* it is bold */
    q->head = at_new(a, char *, one->trace->n_heads);
    q->first = at_new(a, char *, film->n);
    q->second = at_new(a, char *, film->n);
    bool ok = q->title && q->head && q->first && q->second;
    at_text t;
    at_text_init(&t);
    for (int k = 0; ok && k < one->trace->n_heads; k++) {
        t.n = 0;
        at_look_head_title(one, &one->trace->heads[k], &t);
        ok = !t.oom && (q->head[k] = at_picture_label(a, t.s, 11, most_width - 2 * edge));
    }
    at_text_release(&t);
    for (int k = 0; ok && k < film->n; k++) {
        const char *below = film->frames[k].below;
        q->first[k] = at_picture_label(a, film->frames[k].caption, 10, q->step - 4);
        q->second[k] = below ? at_picture_label(a, below, 10, q->step - 4) : "";
        ok = q->first[k] && q->second[k];
    }
    return ok;
}

static at_status plan_make(plan *q, const at_film *film, at_arena *a, at_err *err)
{
    at_status s = at_film_check(film, err);
    if (s)
        return s;
    const at_trace *tr = film->frames[0].look->trace;
    *q = (plan){.film = film, .f = (tr->T + MOST_CELLS - 1) / MOST_CELLS};
    q->R = (tr->T + q->f - 1) / q->f;
    q->cell = floor(132.0 / q->R);
    q->cell = q->cell > 14 ? 14 : q->cell < 2 ? 2 : q->cell;
    q->side = q->cell * q->R;
    q->step = (q->side > 84 ? q->side : 84) + gap;
    q->across = (int)((most_width - 2 * edge + gap) / q->step);
    q->across = q->across < film->n ? q->across : film->n;
    q->lines = (film->n + q->across - 1) / q->across;
    q->across = (film->n + q->lines - 1) / q->lines; /* lines of about one length */
    q->top = film->plain ? 6 : 74;
    if (!plan_texts(q, a))
        return at_oom(err);
    double across = q->across * q->step - gap, least = film->plain ? 0 : 1.2 * at_draw_width(q->title, 15);
    least = least < 300 ? 300 : least;
    if (film->plain && film->n == 1) { /* one picture of many on a page: no wider than its words */
        least = 0;
        for (int k = 0; k < tr->n_heads; k++)
            least = fmax(least, at_draw_width(q->head[k], 11));
    }
    q->w = 2 * edge + (across > least ? across : least);
    q->h = q->top + tr->n_heads * (title_height + q->lines * (q->side + text_height)) + 6;
    return q->h <= most_side ? AT_OK
                             : at_fail(err, AT_EDOMAIN,
                                       "a film of %d heads and %d frames would be %.0f high; allowed: %.0f",
                                       tr->n_heads, film->n, q->h, most_side);
}

static at_draw_rgb color_of(const plan *q, const at_look *l, const at_trace_head *h, int i, int j)
{
    double w;
    switch (at_look_pool(l, h, q->f, i, j, &w)) {
    case AT_LOOK_MASKED:
        return masked_rgb;
    case AT_LOOK_BROKEN:
        return broken_rgb;
    case AT_LOOK_WEIGHT:
        break;
    }
    return at_draw_ramp(round(16 * sqrt(w < 1 ? w : 1)) / 16); /* few colours, few paths */
}

static void bar_draw(at_draw_canvas *c)
{
    const double x = edge, y = 44, w = 160, h = 9;
    for (int i = 0; i < 16; i++)
        at_draw_rect(c, x + i * w / 16, y, w / 16 + (i < 15 ? 0.5 : 0), h,
                     at_draw_solid(at_draw_ramp((i + 0.5) / 16)));
    static const double ticks[] = {0, 0.1, 0.25, 0.5, 1};
    for (int i = 0; i < 5; i++) {
        char number[32];
        at_draw_text(c, x + w * sqrt(ticks[i]), y + h + 11, 9, i ? AT_DRAW_MIDDLE : AT_DRAW_LEFT, false,
                     false, at_draw_faint, at_number_text(number, ticks[i]));
    }
    at_draw_text(c, x + w + 16, y + h, 10, AT_DRAW_LEFT, false, false, at_draw_faint,
                 "attention weight; rows: queries, columns: keys");
}

static void film_draw(const void *ctx, at_draw_canvas *c)
{
    const plan *q = ctx;
    const at_film *film = q->film;
    double y = q->top;
    if (!film->plain) {
        at_draw_text(c, edge, 28, 15, AT_DRAW_LEFT, false, true, at_draw_ink, q->title);
        bar_draw(c);
    }
    for (int k = 0; k < film->frames[0].look->trace->n_heads; k++) {
        at_draw_text(c, edge, y + 13, 11, AT_DRAW_LEFT, false, false, at_draw_ink, q->head[k]);
        y += title_height;
        for (int n = 0; n < film->n; n++) {
            const at_look *l = film->frames[n].look;
            double x = edge + n % q->across * q->step, top = y + n / q->across * (q->side + text_height);
            at_draw_cells_begin(c, x, top, q->cell, 0);
            for (int i = 0; i < q->R; i++)
                for (int j = 0; j < q->R; j++)
                    at_draw_cell(c, j, i, color_of(q, l, &l->trace->heads[k], i, j), NULL);
            at_draw_cells_end(c);
            at_draw_text(c, x, top + q->side + 11, 10, AT_DRAW_LEFT, false, false, at_draw_ink, q->first[n]);
            if (q->second[n][0])
                at_draw_text(c, x, top + q->side + 23, 10, AT_DRAW_LEFT, false, false, at_draw_faint,
                             q->second[n]);
        }
        y += q->lines * (q->side + text_height);
    }
}

static at_status film_render(const void *what, at_picture_kind kind, at_text *out, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    plan q;
    at_status s = plan_make(&q, what, &a, err);
    if (!s)
        s = at_draw_render(kind, q.w, q.h, q.title, film_draw, &q, out, err);
    at_arena_release(&a);
    return s;
}

at_status at_film_svg(const at_film *film, at_text *svg, at_err *err)
{
    return film_render(film, AT_PICTURE_SVG, svg, err);
}

at_status at_film_picture(const at_film *film, at_picture_kind kind, const char *path, at_err *err)
{
    return at_draw_picture(film_render, film, kind, path, err);
}
