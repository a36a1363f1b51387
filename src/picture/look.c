/* look.c: the attention of a run as a picture.
 *
 *     model name                                     one line of sizes
 *     [colour bar]  masked
 *     layer 1 head 1 · softmax · causal      layer 1 head 2 · ...        one line of panels a layer
 *     q  ┌──────────┐                        q  ┌──────────┐  output   the strip stands beside the last
 *     u  │ (T, T)   │                        u  │          │  margin   panel: the rows are its positions
 *     …  └──────────┘                        …  └──────────┘
 *         keys                                   keys
 *     input  [BOS] [3] [14] [5] ...                                      every token, wrapped
 *
 * A plain one, for a page that says these things itself, has no name and no sizes, and no input where the axes show all
 * of it; lines of panels are shorter, so that its letters are not too small there.
 *
 * Invariants: the layout is a function of the look alone (no font is measured); every head is drawn with
 * one cell a weight, or with one cell for f*f weights (their largest) when T exceeds MOST_CELLS, and then
 * a note says so; all heads share one colour scale, the square root of the weight, because 1/64 and 1
 * must both be visible; a masked cell is grey, not white; a weight that is not a number is red.
 *
 * Legend: T positions, R drawn rows = ceil(T/f), t a position, p an output position. */
#include "picture_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CELLS = 128, MOST_TOKENS = 256 };
static const double edge = 24, panel_gap = 28, head_height = 36, most_width = 1500, page_width = 1000,
                    most_area = 12e6, most_side = 16000;
static const at_draw_rgb masked_rgb = {0xe3, 0xe1, 0xde}, broken_rgb = {0xc6, 0x28, 0x28},
                         unknown_rgb = {0xb2, 0x6a, 0x00}, white_rgb = {0xff, 0xff, 0xff};

typedef struct {
    char *decision, *right; /* labels */
    double margin;
    bool known, wrong;
} answer;

typedef struct {
    const at_look *l;
    int T, f, R;
    double cell, gap, side, font;
    int stride;          /* a label every `stride` rows */
    bool upright;        /* key labels are rotated */
    double left, bottom; /* room for the labels of queries and of keys, axis names included */
    double scale;        /* the weight at the dark end */
    char **token;        /* (T) labels */
    char **tick;         /* (R) axis labels, "" when thinned out */
    char **title;        /* (heads) */
    double *x, *y;       /* (heads) top left of the panels */
    answer *answers;     /* (output n), NULL without output */
    double decision_w, right_w, strip_w, strip_dx, most_margin; /* right_w 0: nothing is known to be right */
    int least;                                                  /* output position of the least margin, -1 */
    double input_y, note_y;
    int tokens; /* shown in the input line */
    double *token_x, *token_y;
    double w, h;
    char name[AT_NAME_MAX * 3 + 1], sizes[160], note[200];
    char *verdict; /* "": there is none */
    double lead;   /* what it takes, less what a plain picture leaves out */
} plan;

static double chip_width(const char *token)
{
    double w = at_draw_width(token, 11) + 12;
    return w < 24 ? 24 : w;
}

/* 1, 2 or 5 times a power of ten, at least x. */
static double nice_above(double x)
{
    double ten = pow(10, floor(log10(x)));
    static const double steps[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++)
        if (steps[i] * ten >= x * (1 - 1e-12))
            return steps[i] * ten;
    return 10 * ten;
}

/* ---- planning ------------------------------------------------------------------------------- */

static bool plan_labels(plan *q, at_arena *a)
{
    const at_look *l = q->l;
    q->token = at_new(a, char *, q->T);
    q->tick = at_new(a, char *, q->R);
    if (!q->token || !q->tick)
        return false;
    for (int t = 0; t < q->T; t++) {
        char index[32];
        snprintf(index, sizeof index, "%d", t + l->model->pos_origin);
        if (!(q->token[t] = at_picture_label(a, l->labels ? l->labels[t] : index, 11, 110)))
            return false;
    }
    double widest = 0;
    for (int r = 0; r < q->R; r++) {
        q->tick[r] = "";
        if (r % q->stride)
            continue;
        int t = r * q->f, i = t + l->model->pos_origin;
        char *s = q->f > 1 ? at_arena_printf(a, "%d", i) : at_picture_label(a, q->token[t], q->font, 80);
        if (s && q->f == 1 && q->stride > 1 && l->labels)
            s = at_arena_printf(a, "%d: %s", i, s);
        if (!(q->tick[r] = s))
            return false;
        double w = at_draw_width(s, q->font);
        widest = w > widest ? w : widest;
    }
    q->upright = widest > q->cell * q->stride - 2;
    q->left = widest + 8 + 16;
    q->bottom = (q->upright ? widest + 6 : q->font + 6) + 18;
    return true;
}

static bool plan_answers(plan *q, at_arena *a)
{
    const at_output *o = q->l->output;
    q->least = -1;
    if (!o)
        return true;
    q->answers = at_new(a, answer, o->n > 0 ? o->n : 1);
    at_text t;
    at_text_init(&t);
    bool ok = q->answers != NULL;
    for (int p = 0; ok && p < o->n; p++) {
        answer *s = &q->answers[p];
        t.n = 0;
        at_look_decision(q->l, p, &t, &s->margin, &s->known);
        ok = !t.oom && (s->decision = at_picture_label(a, t.s, 11, 90));
        if (!ok)
            break;
        t.n = 0;
        at_look_right(q->l, p, &t);
        s->wrong = at_look_wrong(q->l, p);
        ok = !t.oom && (s->right = t.n ? at_picture_label(a, t.s, 11, 90) : "");
        if (!ok)
            break;
        double w = at_draw_width(s->decision, 11), r = at_draw_width(s->right, 11);
        q->decision_w = w > q->decision_w ? w : q->decision_w;
        q->right_w = r > q->right_w ? r : q->right_w;
        if (isfinite(s->margin)) {
            q->most_margin = s->margin > q->most_margin ? s->margin : q->most_margin;
            if (q->least < 0 || s->margin < q->answers[q->least].margin)
                q->least = p;
        }
    }
    at_text_release(&t);
    double least_w = at_draw_width("output", 10);
    q->decision_w = q->decision_w > least_w ? q->decision_w : least_w;
    double right_w = at_draw_width("right", 10);
    q->right_w = !q->l->right ? 0 : (q->right_w > right_w ? q->right_w : right_w) + 14;
    q->strip_w = 14 + q->decision_w + q->right_w + 18 + (q->least >= 0 ? 64 + 46 : 0);
    return ok;
}

/* Places the panels: a layer starts a new line, and so does a panel that would pass most_width. */
static bool plan_panels(plan *q, at_arena *a, double top)
{
    const at_look *l = q->l;
    int n = l->trace->n_heads;
    q->title = at_new(a, char *, n > 0 ? n : 1);
    q->x = at_new(a, double, n > 0 ? n : 1);
    q->y = at_new(a, double, n > 0 ? n : 1);
    if (!q->title || !q->x || !q->y)
        return false;
    double wide = q->left + q->side > 170 ? q->left + q->side : 170;
    at_text t;
    at_text_init(&t);
    bool ok = true;
    for (int k = 0; ok && k < n; k++) {
        t.n = 0;
        at_look_head_title(l, &l->trace->heads[k], &t);
        ok = !t.oom && (q->title[k] = at_arena_strdup(a, t.s));
        double w = ok ? at_draw_width(t.s, 12) + 8 : 0;
        wide = w > wide ? w : wide;
    }
    at_text_release(&t);
    double high = head_height + q->side + q->bottom + 22, right = 0;
    double most = l->plain ? page_width : most_width;
    q->strip_dx = q->left + q->side > 170 ? q->left + q->side : 170;
    for (int k = 0; ok && k < n; k++) {
        bool last = k == n - 1, first = k == 0;
        double here = last && q->answers && wide < q->strip_dx + q->strip_w ? q->strip_dx + q->strip_w : wide;
        double x = first ? edge : q->x[k - 1] + wide + panel_gap, y = first ? top : q->y[k - 1];
        if (!first && (l->trace->heads[k].block != l->trace->heads[k - 1].block || x + here + edge > most)) {
            x = edge;
            y += high;
        }
        q->x[k] = x;
        q->y[k] = y;
        right = x + here > right ? x + here : right;
    }
    double least = l->plain ? 0 : at_draw_width(q->name, 20);
    double sizes = l->plain ? 0 : at_draw_width(q->sizes, 12), note = at_draw_width(q->note, 10);
    double verdict = at_draw_width(q->verdict, 12);
    least = verdict > least ? verdict : least;
    least = sizes > least ? sizes : least;
    least = note > least ? note : least;
    least = least < 400 ? 400 : least;
    q->w = (right > edge + least ? right : edge + least) + edge;
    q->h = n ? q->y[n - 1] + high : top;
    return ok;
}

/* The input line: chips with the tokens, wrapped to the width of the picture. */
static bool plan_input(plan *q, at_arena *a)
{
    if (q->l->plain && q->stride == 1 && q->f == 1 && q->l->trace->n_heads) /* it is on the axes */
        return true;
    q->tokens = q->T < MOST_TOKENS ? q->T : MOST_TOKENS;
    q->token_x = at_new(a, double, q->tokens);
    q->token_y = at_new(a, double, q->tokens);
    if (!q->token_x || !q->token_y)
        return false;
    q->input_y = q->h + 14;
    double x = edge, y = q->input_y + 10;
    for (int t = 0; t < q->tokens; t++) {
        double w = chip_width(q->token[t]);
        if (x > edge && x + w > q->w - edge) {
            x = edge;
            y += 38;
        }
        q->token_x[t] = x;
        q->token_y[t] = y;
        x += w + 4;
    }
    q->note_y = y + 34 + 18;
    int notes = (q->note[0] != 0) + (q->T > q->tokens);
    q->h = y + 34 + (notes ? 10 + 16 * notes : 0) + edge - 8;
    return true;
}

static at_status plan_make(plan *q, const at_look *l, at_arena *a, at_err *err)
{
    at_status s = at_look_check(l, err);
    if (s)
        return s;
    const at_trace *tr = l->trace;
    int T = tr->T, n = tr->n_heads;
    *q = (plan){.l = l, .T = T, .f = (T + MOST_CELLS - 1) / MOST_CELLS};
    q->R = (T + q->f - 1) / q->f;
    bool small = n > 6 || (l->plain && n > 1 && q->R > 12); /* two fit into the width of a page */
    q->cell = floor((small ? 280.0 : 400.0) / q->R);
    q->cell = q->cell > 44 ? 44 : q->cell < 3 ? 3 : q->cell;
    q->gap = q->cell >= 12 && !l->plain ? 1 : 0;
    q->side = q->cell * q->R;
    q->font = q->cell >= 14 ? 11 : q->cell >= 11 ? 9 : 8;
    static const int strides[] = {1, 2, 4, 5, 8, 10};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        q->stride = strides[i];
        if (q->stride * q->cell >= q->font + 2)
            break;
    }
    double peak = 0;
    for (int k = 0; k < n; k++) {
        double p = at_look_peak(l, &tr->heads[k]);
        peak = p > peak ? p : peak;
    }
    q->scale = peak > 0.5 || !(peak > 1e-300) ? 1 : nice_above(peak);
    int layers = 0;
    for (int b = 0; b < l->model->n_blocks; b++)
        layers += l->model->blocks[b].kind == AT_BLOCK_ATTN;
    char *name = at_picture_label(a, l->model->name, 20, 900);
    q->verdict = l->verdict ? at_picture_label(a, l->verdict, 12, 900) : "";
    if (!name || !q->verdict)
        return at_oom(err);
    q->lead = (q->verdict[0] ? 16 : 0) - (l->plain ? 66 : 0);
    snprintf(q->name, sizeof q->name, "%s", name);
    snprintf(q->sizes, sizeof q->sizes,
             "%d position%s \xC2\xB7 %d attention layer%s \xC2\xB7 %d head%s \xC2\xB7 width %d \xC2\xB7 "
             "reads %s%s",
             T, T == 1 ? "" : "s", layers, layers == 1 ? "" : "s", n, n == 1 ? "" : "s", l->model->width,
             at_read_names[l->model->readout.kind], l->model->readout.last ? " at the last position" : "");
    if (q->f > 1)
        snprintf(q->note, sizeof q->note,
                 "Reduced: a cell shows the largest of %d \xC3\x97 %d weights; an output row shows its "
                 "least certain position.",
                 q->f, q->f);
    if (!plan_labels(q, a) || !plan_answers(q, a) || !plan_panels(q, a, (n ? 140 : 96) + q->lead) ||
        !plan_input(q, a))
        return at_oom(err);
    if (q->w > most_side || q->h > most_side || q->w * q->h > most_area)
        return at_fail(err, AT_EDOMAIN,
                       "a picture of %d heads over %d positions would be %.0f x %.0f: allowed are %.0f a "
                       "side and %.0f in "
                       "all; use a shorter input",
                       n, T, q->w, q->h, most_side, most_area);
    return AT_OK;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static at_draw_rgb weight_color(const plan *q, double w)
{
    double t = sqrt(w / q->scale);
    return at_draw_ramp(q->l->plain ? round(24 * t) / 24 : t); /* few colours, few paths */
}

static void bar_draw(const plan *q, at_draw_canvas *c)
{
    const double x = edge, y = 90 + q->lead, w = 220, h = 12;
    static const double ticks[] = {0, 0.05, 0.25, 0.5, 1};
    const int slices = 110;                 /* adjoining */
    at_draw_class_begin(c, "at-bar", x, y); /* the same in all pictures */
    at_draw_text(c, 0, -6, 10, AT_DRAW_LEFT, false, false, at_draw_faint,
                 "attention weight (square-root scale)");
    for (int i = 0; i < slices; i++)
        at_draw_rect(c, i * w / slices, 0, w / slices + (i < slices - 1 ? 0.5 : 0), h,
                     at_draw_solid(at_draw_ramp((i + 0.5) / slices)));
    for (int i = 0; i < 5; i++)
        at_draw_line(c, w * sqrt(ticks[i]), h, w * sqrt(ticks[i]), h + 3, 1, at_draw_faint);
    at_draw_rect(c, w + 28, 0, h, h, at_draw_solid(masked_rgb));
    at_draw_text(c, w + 28 + h + 6, 10, 10, AT_DRAW_LEFT, false, false, at_draw_faint, "masked");
    at_draw_class_end(c);
    for (int i = 0; i < 5; i++) {
        char number[32];
        at_draw_text(c, x + w * sqrt(ticks[i]), y + h + 13, 9, i == 0 ? AT_DRAW_LEFT : AT_DRAW_MIDDLE, false,
                     false, at_draw_faint, at_number_text(number, ticks[i] * q->scale));
    }
    bool undecided = false;
    for (int p = 0; q->answers && p < q->l->output->n; p++)
        undecided = undecided || !q->answers[p].known;
    if (undecided) {
        at_draw_rect(c, x + w + 102, y, h, h, at_draw_solid(unknown_rgb));
        at_draw_text(c, x + w + 120, y + 10, 10, AT_DRAW_LEFT, false, false, at_draw_faint, "undecided");
    }
}

static void cells_draw(const plan *q, at_draw_canvas *c, const at_trace_head *h, double x, double y)
{
    bool numbers = q->cell >= 34, tips = q->R <= 16 && q->f == 1 && !q->l->plain;
    at_draw_cells_begin(c, x, y, q->cell, q->gap);
    for (int i = 0; i < q->R; i++)
        for (int j = 0; j < q->R; j++) {
            double w;
            at_look_cell kind = at_look_pool(q->l, h, q->f, i, j, &w);
            char tip[400], number[32];
            if (tips)
                snprintf(tip, sizeof tip, "query %d (%s), key %d (%s): %s", i + q->l->model->pos_origin,
                         q->token[i], j + q->l->model->pos_origin, q->token[j],
                         kind == AT_LOOK_MASKED   ? "masked"
                         : kind == AT_LOOK_BROKEN ? "not a number"
                                                  : at_number_text(number, w));
            at_draw_cell(c, j, i,
                         kind == AT_LOOK_MASKED   ? masked_rgb
                         : kind == AT_LOOK_BROKEN ? broken_rgb
                                                  : weight_color(q, w),
                         tips ? tip : NULL);
        }
    at_draw_cells_end(c);
    for (int pass = 0; pass < 2; pass++) /* on pale cells, then on dark ones */
        for (int i = 0; numbers && i < q->R; i++)
            for (int j = 0; j < q->R; j++) {
                double w;
                char number[32];
                if (at_look_pool(q->l, h, q->f, i, j, &w) != AT_LOOK_WEIGHT || (q->l->plain && w < 0.005))
                    continue;
                bool dark = at_draw_luminance(weight_color(q, w)) < 0.3;
                if (dark != (pass == 1))
                    continue;
                snprintf(number, sizeof number,
                         w > 0 && w < 0.005                        ? "<.01"
                         : w == 0 || w == 1                        ? "%.0f"
                         : q->l->plain && w >= 0.995 && w <= 1.005 ? "%.0f"
                                                                   : "%.2f",
                         w);
                at_draw_text(c, x + (j + 0.5) * q->cell - 0.5, y + (i + 0.5) * q->cell + 3.5, 10,
                             AT_DRAW_MIDDLE, false, false, at_draw_solid(dark ? white_rgb : at_draw_ink.rgb),
                             number);
            }
}

/* The labels of queries and keys. */
static void ticks_draw(const plan *q, at_draw_canvas *c, double x, double y)
{
    for (int r = 0; r < q->R; r++) {
        if (!q->tick[r][0])
            continue;
        double mid = (r + 0.5) * q->cell;
        at_draw_text(c, x - 6, y + mid + q->font * 0.35, q->font, AT_DRAW_RIGHT, false, false, at_draw_ink,
                     q->tick[r]);
    }
    for (int r = 0; r < q->R; r++) {
        if (!q->tick[r][0])
            continue;
        double mid = (r + 0.5) * q->cell;
        if (q->upright)
            at_draw_text(c, x + mid + q->font * 0.35, y + q->side + 6, q->font, AT_DRAW_RIGHT, true, false,
                         at_draw_ink, q->tick[r]);
        else
            at_draw_text(c, x + mid, y + q->side + q->font + 4, q->font, AT_DRAW_MIDDLE, false, false,
                         at_draw_ink, q->tick[r]);
    }
    for (int r = 0; r < q->R && q->stride > 1; r++) {
        if (!q->tick[r][0])
            continue;
        double mid = (r + 0.5) * q->cell;
        at_draw_line(c, x - 4, y + mid, x - 1, y + mid, 1, at_draw_hair);
        at_draw_line(c, x + mid, y + q->side + 1, x + mid, y + q->side + 4, 1, at_draw_hair);
    }
    at_draw_text(c, x + q->side / 2, y + q->side + q->bottom - 4, 10, AT_DRAW_MIDDLE, false, false,
                 at_draw_faint, "keys");
    at_draw_text(c, x - q->left + 9, y + q->side / 2, 10, AT_DRAW_MIDDLE, true, false, at_draw_faint,
                 "queries");
}

static void panel_draw(const plan *q, at_draw_canvas *c, int k)
{
    const at_trace_head *h = &q->l->trace->heads[k];
    const at_group *g = &q->l->model->blocks[h->block].groups[h->group];
    double x = q->x[k] + q->left, y = q->y[k] + head_height;
    char line[96], number[32];
    at_draw_text(c, q->x[k], q->y[k] + 12, 12, AT_DRAW_LEFT, false, true, at_draw_ink, q->title[k]);
    snprintf(line, sizeof line, "largest %s \xC2\xB7 dk %d \xC2\xB7 dv %d",
             at_number_text(number, at_look_peak(q->l, h)), g->dk, g->dv);
    at_draw_text(c, q->x[k], q->y[k] + 27, 10, AT_DRAW_LEFT, false, false, at_draw_faint, line);
    cells_draw(q, c, h, x, y);
    if (at_draw_share_begin(c, x, y)) { /* heads have the same positions */
        ticks_draw(q, c, x, y);
        at_draw_share_end(c);
    }
}

/* The position that row r of the strip stands for: a wrong one, else an undecided one, else that of least margin; -1: none. */
static int strip_position(const plan *q, int r)
{
    int best = -1;
    for (int p = 0; p < q->l->output->n; p++) {
        if (at_look_output_row(q->l, p) / q->f != r)
            continue;
        const answer *s = &q->answers[p], *b = best < 0 ? NULL : &q->answers[best];
        if (!b || s->wrong > b->wrong ||
            (s->wrong == b->wrong && b->known && (!s->known || s->margin < b->margin)))
            best = p;
    }
    return best;
}

static void strip_draw(const plan *q, at_draw_canvas *c, double x, double y)
{
    const at_draw_rgb bar = {0x2a, 0x9d, 0x8f};
    double rx = x + 14 + q->decision_w + 14;              /* where what is right starts */
    double mx = x + 14 + q->decision_w + q->right_w + 18; /* and the margins */
    char number[32], line[96];
    bool alike = q->l->plain && q->least >= 0 && q->l->output->n > 1 &&
                 q->answers[q->least].margin == q->most_margin; /* then the line below says it */
    at_draw_text(c, x + 14, y - 9, 10, AT_DRAW_LEFT, false, true, at_draw_ink, "output");
    if (q->right_w > 0)
        at_draw_text(c, rx, y - 9, 10, AT_DRAW_LEFT, false, true, at_draw_ink, "right");
    if (q->least >= 0)
        at_draw_text(c, mx, y - 9, 10, AT_DRAW_LEFT, false, true, at_draw_ink, "margin");
    for (int pass = 0; pass < 5; pass++) /* boxes, margins, decisions, what is right, numbers: a style each */
        for (int r = 0; r < q->R; r++) {
            int p = strip_position(q, r);
            if (p < 0)
                continue;
            const answer *s = &q->answers[p];
            double mid = y + (r + 0.5) * q->cell;
            double high = q->cell > 14 ? 8 : q->cell >= 6 ? q->cell - 2 : q->cell;
            at_draw_paint color = s->wrong   ? at_draw_role(AT_ROLE_REFUTED, 0)
                                  : s->known ? at_draw_ink
                                             : at_draw_solid(unknown_rgb);
            bool zero = s->known && !strcmp(s->decision, "0"), margin = !isnan(s->margin) && q->least >= 0;
            bool labelled = q->tick[r][0] || q->l->output->n == 1;
            double font = q->font > 9 || q->l->output->n == 1 ? 11 : 8;
            double w = s->margin > 0 && q->most_margin > 0 ? 60 * s->margin / q->most_margin : 0;
            w = w > 60 ? 60 : w < 1 ? 1 : w;
            if (pass == 0)
                at_draw_rect(c, x + 4, mid - high / 2, 6, high,
                             s->known && !s->wrong ? zero ? at_draw_hair : at_draw_ink : color);
            if (pass == 1 && margin)
                at_draw_rect(c, mx, mid - high / 2, w, high, at_draw_solid(s->known ? bar : unknown_rgb));
            if (pass == 2 && labelled)
                at_draw_text(c, x + 14, mid + font * 0.35, font, AT_DRAW_LEFT, false, font > 9, color,
                             s->decision);
            if (pass == 3 && labelled && *s->right)
                at_draw_text(c, rx, mid + font * 0.35, font, AT_DRAW_LEFT, false, false, at_draw_ink,
                             s->right);
            if (pass == 4 && labelled && margin && !alike)
                at_draw_text(c, mx + 66, mid + font * 0.35, font < 10 ? font : 10, AT_DRAW_LEFT, false, false,
                             at_draw_faint, at_number_text(number, s->margin));
        }
    if (q->least >= 0 && q->l->output->n > 1) {
        snprintf(line, sizeof line, "least margin %s", at_number_text(number, q->answers[q->least].margin));
        at_draw_text(c, x + 14, y + q->side + 16, 10, AT_DRAW_LEFT, false, false, at_draw_faint, line);
    }
}

static void input_draw(const plan *q, at_draw_canvas *c)
{
    if (!q->tokens)
        return;
    const at_draw_rgb chip = {0xdb, 0xea, 0xf7}, marker = {0xec, 0xea, 0xe6};
    const at_model *m = q->l->model;
    at_draw_text(c, edge, q->input_y, 12, AT_DRAW_LEFT, false, true, at_draw_ink, "input");
    for (int pass = 0; pass < 3; pass++) /* chips, tokens, indices: a style each */
        for (int t = 0; t < q->tokens; t++) {
            double x = q->token_x[t], y = q->token_y[t], w = chip_width(q->token[t]);
            bool own = t < m->n_prefix || t >= q->T - m->n_suffix; /* belongs to the model */
            char number[32];
            snprintf(number, sizeof number, "%d", t + m->pos_origin);
            if (pass == 0)
                at_draw_rect(c, x, y, w, 20, at_draw_solid(own ? marker : chip));
            else if (pass == 1)
                at_draw_text(c, x + w / 2, y + 14, 11, AT_DRAW_MIDDLE, false, false,
                             at_draw_solid(at_draw_ink.rgb), q->token[t]);
            else
                at_draw_text(c, x + w / 2, y + 30, 8, AT_DRAW_MIDDLE, false, false, at_draw_faint, number);
        }
    double y = q->note_y;
    if (q->T > q->tokens) {
        char more[64];
        snprintf(more, sizeof more, "%d more tokens are not shown.", q->T - q->tokens);
        at_draw_text(c, edge, y, 10, AT_DRAW_LEFT, false, false, at_draw_faint, more);
        y += 16;
    }
    if (q->note[0])
        at_draw_text(c, edge, y, 10, AT_DRAW_LEFT, false, false, at_draw_faint, q->note);
}

static void plan_draw(const void *ctx, at_draw_canvas *c)
{
    const plan *q = ctx;
    int n = q->l->trace->n_heads;
    at_draw_ids(c, q->l->ids);
    if (!q->l->plain) {
        at_draw_text(c, edge, 38, 20, AT_DRAW_LEFT, false, true, at_draw_ink, q->name);
        at_draw_text(c, edge, 57, 12, AT_DRAW_LEFT, false, false, at_draw_faint, q->sizes);
    }
    if (q->verdict[0])
        at_draw_text(c, edge, 58 + q->lead, 12, AT_DRAW_LEFT, false, false, at_draw_ink, q->verdict);
    if (n)
        bar_draw(q, c);
    else
        at_draw_text(c, edge, 82 + q->lead, 12, AT_DRAW_LEFT, false, false, at_draw_faint,
                     "This model has no attention to draw.");
    for (int k = 0; k < n; k++)
        panel_draw(q, c, k);
    if (n && q->answers && q->l->output->n > 0)
        strip_draw(q, c, q->x[n - 1] + q->strip_dx, q->y[n - 1] + head_height);
    input_draw(q, c);
}

static at_status look_render(const void *what, at_picture_kind kind, at_text *out, at_err *err)
{
    const at_look *l = what;
    at_arena a;
    at_arena_init(&a);
    plan q;
    at_status s = plan_make(&q, l, &a, err);
    if (!s) {
        char title[AT_NAME_MAX * 3 + 32];
        snprintf(title, sizeof title, "Attention of %s", q.name);
        s = at_draw_render(kind, ceil(q.w), ceil(q.h), title, plan_draw, &q, out, err);
    }
    at_arena_release(&a);
    return s;
}

at_status at_look_svg(const at_look *l, at_text *svg, at_err *err)
{
    return look_render(l, AT_PICTURE_SVG, svg, err);
}

at_status at_look_picture(const at_look *l, at_picture_kind kind, const char *path, at_err *err)
{
    return at_draw_picture(look_render, l, kind, path, err);
}

at_status at_picture_kind_of(const char *path, at_picture_kind *out, at_err *err)
{
    static const struct {
        const char *suffix;
        at_picture_kind kind;
    } kinds[] = {{".png", AT_PICTURE_PNG}, {".svg", AT_PICTURE_SVG}, {".pdf", AT_PICTURE_PDF}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(dot, kinds[i].suffix)) {
            *out = kinds[i].kind;
            return AT_OK;
        }
    return at_fail(err, AT_EINPUT, "%s: a picture's name ends in .png, .svg or .pdf", path);
}
