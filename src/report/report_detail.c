/* report_detail.c: the detail of a ledger row, a JSON object, as HTML.
 *
 * Two keys have a form of their own; everything else is shown as a small list of keys and values, so that
 * a newer checker may record more without the report hiding it:
 *     "counterexample": {"input": "3 14 5", "position": 2, "expected": 1, "got": 0, "attention": "..."}
 *     "table": {"title": "...", "columns": ["p", "verdict"], "rows": [[12, "holds"], ...]}   (or a list of tables)
 * Text with newlines keeps them. JSON that does not parse is shown as it is. Nesting deeper than DEEPEST is
 * shown as compact JSON: ledgers are foreign. */
#include "report_internal.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { DEEPEST = 3, ROWS_MOST = 2000 };

static void object_html(at_text *t, json_t *object, int depth);

static void value_html(at_text *t, json_t *v, int depth);

/* An object of numbers only fits on one line: "layers 1 \xC2\xB7 heads 1". */
static bool is_flat(json_t *v)
{
    const char *key;
    json_t *e;
    bool flat = json_object_size(v) > 0; /* 0 for what is no object */
    json_object_foreach(v, key, e) flat = flat && json_is_number(e);
    return flat;
}

static void flat_html(at_text *t, json_t *v, int depth)
{
    const char *key;
    json_t *e;
    bool first = true;
    json_object_foreach(v, key, e)
    {
        at_text_add(t, first ? "" : " \xC2\xB7 ");
        at_text_add_html(t, key);
        at_text_add(t, " ");
        value_html(t, e, depth);
        first = false;
    }
}

/* A string of JSON may contain NUL; at_text_add_html stops there, which shows less but never lies about markup. */
static void value_html(at_text *t, json_t *v, int depth)
{
    const char *s = json_string_value(v);
    char number[32];
    if (s && strchr(s, '\n')) {
        at_text_add(t, "<pre>");
        at_text_add_html_block(t, s);
        at_text_add(t, "</pre>");
    } else if (s) {
        at_text_add_html(t, s);
    } else if (json_is_integer(v)) {
        at_text_addf(t, "%lld", (long long)json_integer_value(v));
    } else if (json_is_real(v)) {
        at_text_add(t, at_number_text(number, json_real_value(v)));
    } else if (json_is_boolean(v)) {
        at_text_add(t, json_is_true(v) ? "yes" : "no");
    } else if (json_is_null(v)) {
        at_text_add(t, "\xE2\x80\x93");
    } else if (is_flat(v)) {
        flat_html(t, v, depth);
    } else if (json_is_object(v) && depth < DEEPEST) {
        object_html(t, v, depth + 1);
    } else {
        char *compact = json_dumps(v, JSON_COMPACT);
        if (!compact) {
            t->oom = true;
            return;
        }
        at_text_add(t, "<code>");
        at_text_add_html(t, compact);
        at_text_add(t, "</code>");
        free(compact);
    }
}

static void pair_html(at_text *t, const char *key, json_t *v, int depth)
{
    at_text_add(t, "<div><dt>");
    at_text_add_html(t, key);
    at_text_add(t, "</dt><dd>");
    value_html(t, v, depth);
    at_text_add(t, "</dd></div>\n");
}

static void object_html(at_text *t, json_t *object, int depth)
{
    const char *key;
    json_t *v;
    at_text_add(t, "<dl>\n");
    json_object_foreach(object, key, v) pair_html(t, key, v, depth);
    at_text_add(t, "</dl>\n");
}

/* Two numbers that look the same and are not: how far apart they are. */
static void difference_html(at_text *t, json_t *expected, json_t *got)
{
    char a[32], b[32];
    double x = json_number_value(expected), y = json_number_value(got);
    if (json_is_number(expected) && json_is_number(got) && x != y &&
        !strcmp(at_number_text(a, x), at_number_text(b, y)))
        at_text_addf(t, "<div><dt>off by</dt><dd>%s</dd></div>\n", at_number_text(a, fabs(x - y)));
}

static void counterexample_html(at_text *t, json_t *cx)
{
    static const char *const first[] = {"input", "position", "expected",
                                        "got"}; /* in this order, then the rest */
    const char *key, *chain = json_string_value(json_object_get(cx, "chain"));
    json_t *v;
    if (chain) { /* a decoder's: prompt, row, expected, written stand in it */
        at_text_add(t, "<div class=\"cx\"><strong>Counterexample</strong>\n<pre>");
        at_text_add_html_block(t, chain);
        at_text_add(t, "</pre></div>\n");
        return;
    }
    at_text_add(t, "<div class=\"cx\"><strong>Counterexample</strong>\n<dl>\n");
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if ((v = json_object_get(cx, first[i])))
            pair_html(t, first[i], v, 1);
    difference_html(t, json_object_get(cx, "expected"), json_object_get(cx, "got"));
    json_object_foreach(cx, key, v)
    {
        bool shown = false;
        for (size_t i = 0; i < sizeof first / sizeof *first; i++)
            shown = shown || !strcmp(key, first[i]);
        const char *s = json_string_value(v);
        if (!shown && !(s && !*s))
            pair_html(t, key, v, 1);
    }
    at_text_add(t, "</dl></div>\n");
}

static void table_html(at_text *t, json_t *table)
{
    json_t *title = json_object_get(table, "title"), *columns = json_object_get(table, "columns"),
           *rows = json_object_get(table, "rows"), *row, *v;
    size_t i, j;
    if (json_is_string(title)) { /* no caption: that would be as narrow as the table */
        at_text_add(t, "<p class=\"caption\">");
        at_text_add_html(t, json_string_value(title));
        at_text_add(t, "</p>\n");
    }
    at_text_add(t, "<div class=\"scroll\"><table class=\"data nums\"><thead><tr>");
    json_t *top = json_array_get(rows, 0);
    json_array_foreach(columns, j, v)
    {
        json_t *below = json_array_get(top, j);
        at_text_add(t, below && !json_is_string(below) ? "<th>" : "<th class=\"t\">");
        value_html(t, v, 1);
        at_text_add(t, "</th>");
    }
    at_text_add(t, "</tr></thead>\n<tbody>\n");
    json_array_foreach(rows, i, row)
    {
        if (i == ROWS_MOST) {
            at_text_addf(t, "<tr><td>%zu more rows are not shown</td></tr>\n", json_array_size(rows) - i);
            break;
        }
        at_text_add(t, "<tr>");
        if (!json_is_array(row)) {
            at_text_add(t, "<td>");
            value_html(t, row, 1);
            at_text_add(t, "</td>");
        }
        json_array_foreach(row, j, v)
        {
            const char *s = json_string_value(v);
            const char *class = !s                      ? ""
                                : !strcmp(s, "holds")   ? " class=\"t holds\""
                                : !strcmp(s, "fails")   ? " class=\"t fails\""
                                : !strcmp(s, "unknown") ? " class=\"t unknown\""
                                                        : " class=\"t\"";
            at_text_addf(t, "<td%s>", class);
            value_html(t, v, 1);
            at_text_add(t, "</td>");
        }
        at_text_add(t, "</tr>\n");
    }
    at_text_add(t, "</tbody></table></div>\n");
}

static bool is_table(json_t *v)
{
    return json_is_object(v) && json_is_array(json_object_get(v, "columns")) &&
           json_is_array(json_object_get(v, "rows"));
}

/* Has v a form of its own? Draws it when asked. */
static bool form_html(at_text *t, const char *key, json_t *v, bool draw)
{
    size_t i;
    json_t *e;
    if (!strcmp(key, "claim") && json_is_object(v)) /* stands above all rows of the claim (report_files.c) */
        return true;
    if (!strcmp(key, "counterexample") && json_is_object(v)) {
        if (draw)
            counterexample_html(t, v);
        return true;
    }
    if (is_table(v)) {
        if (draw)
            table_html(t, v);
        return true;
    }
    bool tables = json_array_size(v) > 0; /* 0 for what is no array */
    json_array_foreach(v, i, e) tables = tables && is_table(e);
    if (tables && draw)
        json_array_foreach(v, i, e) table_html(t, e);
    return tables;
}

void at_report_detail(at_text *t, const char *text)
{
    if (!text || !*text)
        return;
    json_t *root = json_loads(text, 0, NULL);
    if (!json_is_object(root)) {
        at_text_add(t, "<pre>");
        at_text_add_html_block(t, text);
        at_text_add(t, "</pre>\n");
        json_decref(root);
        return;
    }
    const char *key;
    json_t *v;
    bool rest = false;
    json_object_foreach(root, key, v) rest = !form_html(t, key, v, true) || rest;
    if (rest) {
        at_text_add(t, "<dl class=\"small\">\n");
        json_object_foreach(root, key, v) if (!form_html(t, key, v, false)) pair_html(t, key, v, 1);
        at_text_add(t, "</dl>\n");
    }
    json_decref(root);
}
