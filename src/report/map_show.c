/* map_show.c: the map as a table, for a terminal and for the report. */
#include "report_internal.h"

#include <stdio.h>
#include <string.h>

enum { CELLS = 7 };
static const char *const head[CELLS] = {"task",  "architecture", "sizes",  "bound",
                                        "built", "trained",      "verdict"};

static void cells_of(const at_map_place *p, const char *cell[CELLS])
{
    const char *const of[CELLS] = {
        p->panel->task, p->panel->architecture, p->sizes, p->bound, p->built, p->trained, p->words};
    memcpy(cell, of, sizeof of);
}

static const char legend[] = "At the largest size: bound: the least size that is not ruled out (~ up to a "
                             "constant); built: size of the "
                             "construction, * checked in this ledger; trained: least width that reaches 90% "
                             "of answers, > none up to that "
                             "width. Sizes are in the panel's own unit.";

/* ---- terminal ----------------------------------------------------------------------------------------- */

static void line_put(at_pen *p, const char *const *cell, const int *width, int gap)
{
    int end = 0;
    for (int c = 0; c < CELLS; c++) {
        int right = c >= 3 && c < 6 ? width[c] : 0;
        at_pen_label(p, cell[c], right, width[c]);
        end += width[c] + gap;
        if (c < CELLS - 1)
            at_pen_pad(p, end);
    }
    at_pen_end(p);
}

/* Columns as wide as they must be, two apart or, when that is too much, one; after that the widest words give way. Returns how
 * far apart they are. */
static int widths_of(const at_map *m, int columns, int width[CELLS])
{
    int sum = 0;
    for (int c = 0; c < CELLS; c++)
        width[c] = at_text_columns(head[c]);
    for (int k = 0; k < m->n; k++) {
        const char *cell[CELLS];
        cells_of(&m->places[k], cell);
        for (int c = 0; c < CELLS; c++) {
            int n = at_text_columns(cell[c]);
            width[c] = n > width[c] ? n : width[c];
        }
    }
    for (int c = 0; c < CELLS; c++)
        sum += width[c];
    int gap = sum + 2 * (CELLS - 1) <= columns ? 2 : 1;
    while (sum + gap * (CELLS - 1) > columns) {
        int widest = 0;
        for (int c = 1; c < CELLS - 1; c++) /* the verdict stays whole */
            widest = width[c] > width[widest] ? c : widest;
        if (width[widest] <= 3)
            break;
        width[widest]--;
        sum--;
    }
    return gap;
}

static bool same_bits(const at_map_place *a, const at_map_place *b)
{
    return a->bits && b->bits && !strcmp(a->bits, b->bits);
}

/* Which bits the bounds count: each kind once, and the panels that it is of. */
static void bits_put(at_pen *p, const at_map *m)
{
    at_text t;
    for (int k = 0; k < m->n; k++) {
        bool said = !m->places[k].bits;
        for (int i = 0; i < k && !said; i++)
            said = same_bits(&m->places[i], &m->places[k]);
        if (said)
            continue;
        at_text_init(&t);
        at_text_addf(&t, "Bits counted, %s: ", m->places[k].bits);
        const char *task = "", *mark = "";
        for (int i = k; i < m->n; i++) {
            const at_map_panel *w = m->places[i].panel;
            if (!same_bits(&m->places[i], &m->places[k]))
                continue;
            at_text_addf(&t, "%s%s%s%s", mark, strcmp(task, w->task) ? w->task : "",
                         strcmp(task, w->task) ? " " : "", w->architecture);
            task = w->task;
            mark = ", ";
        }
        at_text_add(&t, ".");
        if (t.oom)
            p->out->oom = true;
        else
            at_pen_wrap(p, t.s, 0);
        at_text_release(&t);
    }
}

/* Lines, each wrapped. */
static void lines_put(at_pen *p, const char *s)
{
    while (s && *s) {
        size_t n = strcspn(s, "\n");
        at_text one;
        at_text_init(&one);
        at_text_addn(&one, s, n);
        if (one.oom)
            p->out->oom = true;
        else
            at_pen_wrap(p, one.s, 0);
        at_text_release(&one);
        s += n + (s[n] == '\n');
    }
}

at_status at_map_text(const at_map *m, int columns, at_text *out, at_err *err)
{
    at_text t;
    at_text_init(&t);
    at_pen p = {&t, columns > 0 ? columns : 80, 0};
    int width[CELLS];
    int gap = widths_of(m, p.columns, width);
    if (!m->n) { /* nothing to put into a table */
        lines_put(&p, m->words);
        return at_text_end(AT_OK, &t, out, err);
    }
    line_put(&p, head, width, gap);
    for (int k = 0; k < m->n; k++) {
        const char *cell[CELLS];
        cells_of(&m->places[k], cell);
        line_put(&p, cell, width, gap);
    }
    at_pen_end(&p);
    at_pen_wrap(&p, legend, 0);
    bits_put(&p, m);
    lines_put(&p, m->words);
    for (int k = 0; k < m->n; k++) {
        const at_map_place *place = &m->places[k];
        if (place->verdict != AT_MAP_CONTRADICTS)
            continue;
        at_pen_add(&p, place->panel->task);
        at_pen_add(&p, ", ");
        at_pen_add(&p, place->panel->architecture);
        at_pen_add(&p, ":");
        at_pen_end(&p);
        at_pen_wrap(&p, place->note, 2);
    }
    return at_text_end(AT_OK, &t, out, err);
}

/* ---- picture -------------------------------------------------------------------------------------------- */

/* "N, length": the letter, and what it counts. */
static const char *axis_of(const at_map_panel *p, at_arena *a)
{
    const at_claim *c = p->construction ? at_claim_find(p->construction) : NULL;
    const at_bound *b = p->bound ? at_bound_find(p->bound) : NULL;
    const char *words = p->words;
    for (int i = 0; c && !words && i < c->n_params; i++)
        words = !strcmp(c->params[i].name, p->size) ? c->params[i].doc : NULL;
    for (int i = 0; b && !words && i < b->n_params; i++)
        words = !strcmp(b->params[i].name, p->size) ? b->params[i].doc : NULL;
    return words ? at_arena_printf(a, "%s, %s", p->size, words) : p->size;
}

static bool figure_of(const at_map *m, at_arena *a, at_map_figure *out)
{
    at_map_tile *tiles = at_new(a, at_map_tile, m->n + 1);
    for (int k = 0; tiles && k < m->n; k++) {
        const at_map_place *p = &m->places[k];
        tiles[k] = (at_map_tile){.task = p->panel->task,
                                 .architecture = p->panel->architecture,
                                 .unit = p->panel->unit,
                                 .size = p->panel->size,
                                 .axis = axis_of(p->panel, a),
                                 .verdict = p->words,
                                 .bits = p->bits,
                                 .words = p->note ? p->note : at_arena_printf(a, "bound: %s", p->bound),
                                 .wrong = p->verdict == AT_MAP_CONTRADICTS,
                                 .own_labels = !p->panel->bound_sizes,
                                 .points = p->points};
        if (!tiles[k].words || !tiles[k].axis)
            return false;
    }
    *out = (at_map_figure){m->n, tiles};
    return tiles != NULL;
}

at_status at_map_svg(const at_map *m, at_text *svg, at_err *err)
{
    at_arena a;
    at_map_figure f;
    at_arena_init(&a);
    at_status s = figure_of(m, &a, &f) ? at_map_figure_svg(&f, svg, err) : at_oom(err);
    at_arena_release(&a);
    return s;
}

at_status at_map_picture(const at_map *m, at_picture_kind kind, const char *path, at_err *err)
{
    at_arena a;
    at_map_figure f;
    at_arena_init(&a);
    at_status s = figure_of(m, &a, &f) ? at_map_figure_picture(&f, kind, path, err) : at_oom(err);
    at_arena_release(&a);
    return s;
}

/* ---- report --------------------------------------------------------------------------------------------- */

static void td(at_text *t, const char *s)
{
    at_text_add(t, "<td>");
    at_text_add_html(t, s);
    at_text_add(t, "</td>");
}

/* Columns and their names on a narrow screen are those of the class "places" (report_style.c). */
static void place_html(at_text *t, const at_map_place *p)
{
    const char *cell[CELLS];
    cells_of(p, cell);
    bool wrong = p->verdict == AT_MAP_CONTRADICTS;
    at_text_add(t, "<tr><td><b>");
    at_text_add_html(t, cell[0]);
    at_text_add(t, "</b></td>");
    for (int c = 1; c < CELLS - 1; c++)
        td(t, cell[c]);
    td(t, p->panel->unit);
    at_text_add(t, wrong ? "<td class=\"fails\">" : "<td>");
    at_text_add(t, wrong ? "<b class=\"fails\">\xE2\x9C\x97 " : "");
    at_text_add_html(t, p->words);
    at_text_add(t, wrong ? "</b>" : "");
    if (p->bits) {
        at_text_add(t, "<small>Bits counted, ");
        at_text_add_html(t, p->bits);
        at_text_add(t, ".</small>");
    }
    if (p->note) {
        at_text_add(t, wrong ? "<div>" : "<small>");
        at_text_add_html(t, p->note);
        at_text_add(t, wrong ? "</div>" : "</small>");
    }
    at_text_add(t, "</td></tr>\n");
}

static at_status legend_html(at_text *t, const at_map *m, at_err *err)
{
    at_status s = AT_OK;
    at_text_add(t, "<ul class=\"marks\">\n");
    for (int kind = 0; kind < AT_MAP_KINDS && !s; kind++) {
        bool used = false;
        for (int k = 0; k < m->n; k++)
            used = used || m->places[k].points[kind].n;
        if (!used)
            continue;
        at_text svg;
        at_text_init(&svg);
        at_text_add(t, "<li>");
        s = at_map_mark_svg((at_map_kind)kind, &svg, err);
        at_report_svg(t, s ? "" : svg.s);
        at_text_release(&svg);
        at_text_addf(t, " %s</li>\n", at_map_kind_names[kind]);
    }
    at_text_add(t, "</ul>\n");
    return s;
}

static at_status tile_html(at_text *t, const at_map_place *p, const at_map_tile *tile, at_err *err)
{
    at_text_add(t, "<figure><figcaption><span><b>");
    at_text_add_html(t, tile->task);
    at_text_add(t, "</b> ");
    at_text_add_html(t, tile->architecture);
    at_text_addf(t, "</span> <b class=\"%s\">", tile->wrong ? "fails" : "gap");
    at_text_add_html(t, tile->verdict);
    at_text_add(t, "</b>");
    if (p->bits) {
        at_text_add(t, "<small>");
        at_text_add_html(t, p->bits);
        at_text_add(t, "</small>");
    }
    at_text_add(t, "</figcaption>\n");
    at_text svg;
    at_text_init(&svg);
    at_status s = at_map_tile_svg(tile, &svg, err);
    at_report_svg(t, s ? "" : svg.s);
    at_text_release(&svg);
    at_text_add(t, "</figure>\n");
    return s;
}

/* What the words of the tiles mean, as far as they are there. */
static void map_words_html(at_text *t, const at_map *m)
{
    bool trained = false, gap = false, constant = false, open = false, bits = false;
    for (int k = 0; k < m->n; k++) {
        const at_map_place *p = &m->places[k];
        trained = trained || p->points[AT_MAP_TRAINED].n;
        gap = gap || p->verdict == AT_MAP_GAP || p->verdict == AT_MAP_GROWING;
        constant = constant || p->verdict == AT_MAP_CONSTANT;
        open = open || p->verdict == AT_MAP_OPEN;
        bits = bits || p->bits;
    }
    const struct {
        bool said;
        const char *words;
    } all[] = {
        {gap, "<b>Gap</b>: by how much the construction is larger than what is proved to be needed, at the "
              "largest size. "},
        {constant, "<b>Constant</b>: the construction does not grow with the size of the problem. "},
        {open, "<b>Open</b>: only one of the two is known. "},
        {bits,
         "In grey, below a title: which numbers, and which of their bits, the bound is about; p bits of "
         "mantissa, e of exponent. "},
        {trained,
         "A trained model that reaches 90% may be smaller than a proved bound: the bound is about models "
         "that are always right."}};
    at_text_add(t, "<p class=\"tiny\">");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        at_text_add(t, all[k].said ? all[k].words : "");
    at_text_add(t, "</p>\n");
}

static void map_table_html(at_text *t, const at_map *m)
{
    at_text_add(t,
                "<details><summary>The numbers</summary>\n<div class=\"scroll\"><table class=\"wide places\">"
                "<thead><tr>");
    for (int c = 0; c < CELLS - 1; c++)
        at_text_addf(t, "<th>%s</th>", head[c]);
    at_text_addf(t, "<th>unit</th><th class=\"mid\">%s</th></tr></thead>\n<tbody>\n", head[CELLS - 1]);
    for (int k = 0; k < m->n; k++)
        place_html(t, &m->places[k]);
    at_text_add(t, "</tbody></table></div>\n<p class=\"tiny\">");
    at_text_add_html(t, legend);
    at_text_add(t, "</p></details>\n");
}

at_status at_report_map(at_text *t, const at_map *m, at_err *err)
{
    enum { FEW = 2 }; /* so few are drawn large */
    at_arena a;
    at_map_figure f;
    at_arena_init(&a);
    at_text_add(t, "<section id=\"map\">\n<h2>The map</h2>\n");
    if (m->contradictions)
        at_text_addf(
            t,
            "<div class=\"cx\"><b>%d contradiction%s: a proved bound lies above a construction.</b> One "
            "of them is wrong; the table below has the numbers.</div>\n",
            m->contradictions, m->contradictions == 1 ? "" : "s");
    at_text_add(t,
                "<p>How large must a model be? For every task and architecture: what is proved to be needed, "
                "what a construction has, and what trained models needed. Both axes are logarithmic.</p>\n");
    at_status s = figure_of(m, &a, &f) ? legend_html(t, m, err) : at_oom(err);
    at_text_add(t, m->n <= FEW ? "<div class=\"tiles few\">\n" : "<div class=\"tiles\">\n");
    for (int k = 0; k < m->n && !s; k++)
        s = tile_html(t, &m->places[k], &f.tiles[k], err);
    at_text_add(t, "</div>\n");
    map_words_html(t, m);
    map_table_html(t, m);
    at_text_add(t, "</section>\n");
    at_arena_release(&a);
    return s;
}
