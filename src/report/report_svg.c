/* report_svg.c: a picture on the page. An SVG of at_picture stands alone; on a page that has a hundred of them, what all of them
 * say is said once: attributes become classes of the style sheet (report_style.c), the colour bar is drawn by
 * at_report_bar and referred to, and what a page decides itself (paper, fonts, heights) is left out.
 *
 * A quote in a text is escaped there, so attributes end at the next quote, and a tag at the next '>'. */
#include "report_internal.h"

#include <string.h>

/* What becomes a class, "" nothing: the style sheet, or SVG, has it so anyway. */
static const char *const classes[][2] = {
    {"xmlns=\"http://www.w3.org/2000/svg\"", ""},
    {"font-family=\"system-ui, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\"", ""},
    {"color=\"#1b1f24\"", ""},
    {"fill=\"currentColor\"", ""},
    {"stroke-width=\"1\"", ""},
    {"stroke-linejoin=\"round\"", ""},
    {"shape-rendering=\"crispEdges\"", ""},
    {"class=\"at-cells\"", "c"},
    {"fill=\"none\"", "n"},
    {"fill-opacity=\"0.66\"", "f"},
    {"stroke=\"currentColor\"", "k"},
    {"stroke-opacity=\"0.22\"", "h"},
    {"stroke-opacity=\"0.66\"", "x"},
    {"stroke-width=\"1.2\"", "y"},
    {"stroke-width=\"2\"", "w"},
    {"stroke-width=\"7\"", "w7"},
    {"stroke-width=\"6.8\"", "w7"},
    {"stroke-linecap=\"round\"", "o"},
    {"stroke-dasharray=\"6 4\"", "d"},
    {"font-size=\"8\"", "t8"},
    {"font-size=\"9\"", "t9"},
    {"font-size=\"10\"", "t10"},
    {"font-size=\"11\"", "t11"},
    {"font-size=\"12\"", "t12"},
    {"text-anchor=\"middle\"", "m"},
    {"text-anchor=\"end\"", "e"},
    {"font-weight=\"600\"", "b"},
    {"transform=\"rotate(-90)\"", "v"},
    {"fill=\"#0072b2\"", "fB"},
    {"fill=\"#d55e00\"", "fO"},
    {"fill=\"#cc79a7\"", "fP"},
    {"fill=\"#ffffff\"", "fW"},
    {"stroke=\"#0072b2\"", "sB"},
    {"stroke=\"#d55e00\"", "sO"},
};

static const char bar[] = "<g class=\"at-bar\" transform=\"", bar_end[] = "</g>";

static bool starts(const char *s, const char *with)
{
    return !strncmp(s, with, strlen(with));
}

/* An attribute at s: its length. */
static size_t attribute(const char *s)
{
    size_t n = strcspn(s, "\">");
    if (s[n] != '"')
        return n;
    n += 1 + strcspn(s + n + 1, "\"");
    return n + (s[n] == '"');
}

/* A tag at s, shortened; returns what is behind it. */
static const char *tag(at_text *t, const char *s)
{
    char class[64] = "";
    bool svg = starts(s, "<svg ");
    size_t n = 2 + strcspn(s + 2, " />"); /* "</g" or "<g" */
    at_text_addn(t, s, n);
    s += n;
    while (*s == ' ') {
        s++;
        n = attribute(s);
        const char *is = svg && starts(s, "height=") ? "" : NULL;
        for (size_t k = 0; !is && k < sizeof classes / sizeof *classes; k++)
            if (starts(s, classes[k][0]))
                is = classes[k][1];
        if (!is) {
            at_text_add(t, " ");
            at_text_addn(t, s, n);
        } else if (*is && strlen(class) + strlen(is) + 2 < sizeof class) {
            strcat(class, *class ? " " : "");
            strcat(class, is);
        }
        s += n;
    }
    if (*class)
        at_text_addf(t, " class=\"%s\"", class);
    n = strcspn(s, ">");
    n += s[n] == '>';
    at_text_addn(t, s, n);
    return s + n;
}

void at_report_svg(at_text *t, const char *svg)
{
    while (*svg) {
        size_t n = strcspn(svg, "<\n");
        at_text_addn(t, svg, n);
        svg += n;
        if (*svg == '\n')
            svg++;
        else if (starts(svg, "<rect class=\"at-paper\""))
            svg += strcspn(svg, ">") + 1;
        else if (starts(svg, bar)) {
            const char *place = svg + sizeof bar - 1, *end = strstr(svg, bar_end);
            at_text_add(t, "<use href=\"#bar\" transform=\"");
            at_text_addn(t, place, strcspn(place, "\""));
            at_text_add(t, "\"/>");
            svg = end ? end + sizeof bar_end - 1 : svg + strlen(svg);
        } else if (*svg)
            svg = tag(t, svg);
    }
}

void at_report_bar(at_text *t, const char *svg)
{
    const char *from = svg ? strstr(svg, bar) : NULL, *end = from ? strstr(from, bar_end) : NULL;
    if (!end)
        return;
    from += strcspn(from, ">") + 1;
    at_text_add(t, "<svg class=\"defs\" aria-hidden=\"true\"><defs><g id=\"bar\">");
    for (; from < end; from++)
        if (*from != '\n')
            at_text_addn(t, from, 1);
    at_text_add(t, "</g></defs></svg>\n");
}
