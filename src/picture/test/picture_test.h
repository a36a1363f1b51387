/* picture_test.h: what the tests of this module share: a look built by hand, a check that markup is well
 * formed, a check that text is clean UTF-8, and every allocation failing once. */
#ifndef ATTEST_PICTURE_TEST_H
#define ATTEST_PICTURE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../picture_internal.h"

/* A model of `blocks` attention blocks (softmax causal, then average-hard unmasked, ...), an MLP after
 * each, two groups a block: one of `heads` heads and one of one head; one prefix token; its made-up
 * trace of T positions; outputs of which every seventh is undecided. */
typedef struct {
    at_model m;
    at_trace tr;
    at_output y;
    at_look l;
    const char **labels;
    at_arena a;
} fixture;

__attribute__((unused)) static void fixture_make(fixture *f, int T, int blocks, int heads, const char *label)
{
    memset(f, 0, sizeof *f);
    at_arena_init(&f->a);
    at_model *m = &f->m;
    snprintf(m->name, sizeof m->name, "toy");
    m->width = 4;
    m->pos_origin = 1;
    m->n_prefix = T > 1;
    m->n_blocks = 2 * blocks;
    m->blocks = at_new(&f->a, at_block, 2 * blocks + 1);
    m->readout.kind = AT_READ_THRESHOLD;
    m->readout.rows = 1;
    f->tr = (at_trace){.T = T, .D = 4, .n_heads = blocks * (heads + 1)};
    f->tr.heads = at_new(&f->a, at_trace_head, f->tr.n_heads + 1);
    for (int b = 0, k = 0; b < blocks; b++) {
        at_block *block = &m->blocks[2 * b];
        block->kind = AT_BLOCK_ATTN;
        m->blocks[2 * b + 1].kind = AT_BLOCK_MLP;
        block->n_groups = 2;
        block->groups = at_new(&f->a, at_group, 2);
        for (int g = 0; g < 2; g++) {
            at_group *group = &block->groups[g];
            group->heads = g ? 1 : heads;
            group->dk = 3;
            group->dv = 1;
            group->weighting = b % 2 ? AT_AVERAGE_HARD : AT_SOFTMAX;
            group->mask.kind = b % 2 ? AT_MASK_NONE : AT_MASK_CAUSAL;
            for (int h = 0; h < group->heads; h++, k++) {
                double *w = at_new(&f->a, double, (size_t)T *(size_t)T);
                for (int i = 0; i < T; i++) {
                    double sum = 0;
                    for (int j = 0; j < T; j++)
                        if (at_mask_allows(&group->mask, i, j))
                            sum += w[i * T + j] = at_exp(3 * at_cos(i * (h + 1) + 3 * j));
                    for (int j = 0; j < T; j++)
                        w[i * T + j] /= sum;
                }
                f->tr.heads[k] = (at_trace_head){2 * b, g, h, w, NULL};
            }
        }
    }
    int n = T - m->n_prefix;
    f->y = (at_output){.n = n, .rows = 1, .width = 1};
    f->y.decision = at_new(&f->a, double, n + 1);
    f->y.margin = at_new(&f->a, double, n + 1);
    f->y.decided = at_new(&f->a, uint8_t, n + 1);
    f->labels = at_new(&f->a, const char *, T);
    for (int i = 0; i < n; i++) {
        f->y.decision[i] = i % 3 == 0;
        f->y.margin[i] = 0.0625 * (1 + i % 5);
        f->y.decided[i] = i % 7 == 5 ? AT_UNKNOWN : AT_TRUE;
    }
    for (int t = 0; t < T; t++)
        f->labels[t] = label ? label : at_arena_printf(&f->a, "%d", t * 7 % 11);
    f->l = (at_look){m, &f->tr, &f->y, f->labels};
}

__attribute__((unused)) static void fixture_free(fixture *f)
{
    at_arena_release(&f->a);
}

__attribute__((unused)) static int occurrences(const char *s, const char *what)
{
    int n = 0;
    for (size_t k = strlen(what); (s = strstr(s, what)); s += k)
        n++;
    return n;
}

/* ---- texts of an SVG ------------------------------------------------------------------------------- */

typedef struct {
    double x0, y0, x1, y1;
    const char *s;
} box;

__attribute__((unused)) static double attribute(const char *tag, const char *name)
{
    const char *at = strstr(tag, name);
    const char *end = strchr(tag, '>');
    return at && at < end ? atof(at + strlen(name)) : NAN;
}

/* Boxes of all texts, from the widths the layout itself is made with: those are upper estimates, so boxes
 * that do not meet here do not meet on paper. 0.75 em is the height of a capital. A text has its style itself, or from its group, which
 * may be moved. */
__attribute__((unused)) static int boxes(const char *svg, box *out, int most)
{
    int n = 0;
    char head[300] = "";
    for (const char *s = svg; (s = strchr(s, '<')); s++) {
        bool text = !strncmp(s, "<text ", 6), bar = !strncmp(s, "<g class=\"at-bar\"", 17);
        bool group = bar || !strncmp(s, "<g font-size", 12);
        char tag[300];
        snprintf(tag, sizeof tag, "%.*s", (int)strcspn(s, ">") + 1, s);
        if (group || !strncmp(s, "</g>", 4))
            snprintf(head, sizeof head, "%s", group ? tag : "");
        if (!text)
            continue;
        const char *style = strstr(tag, "font-size") ? tag : head, *moved = strstr(head, "translate(");
        bool upright = strstr(style, "rotate(-90)") != NULL;
        double dx = 0, dy = 0, size = attribute(style, "font-size=\"");
        if (moved)
            sscanf(moved, "translate(%lf %lf", &dx, &dy);
        double u = attribute(tag, " x=\""), v = attribute(tag, " y=\"");
        u = dx + (isnan(u) ? 0 : u);
        v = dy + (isnan(v) ? 0 : v);
        double x = upright ? v : u, y = upright ? -u : v;
        const char *end = strchr(s, '>'), *stop = strstr(end, "</text>");
        char word[600];
        snprintf(word, sizeof word, "%.*s", (int)(stop - end - 1), end + 1);
        double w = at_draw_width(word, size), left = strstr(style, "middle")    ? w / 2
                                                     : strstr(style, "\"end\"") ? w
                                                                                : 0;
        assert_true(n < most);
        out[n++] = upright ? (box){x - 0.75 * size, y - (w - left), x, y + left, end + 1}
                           : (box){x - left, y - 0.75 * size, x - left + w, y, end + 1};
    }
    return n;
}

/* Shapes with corners that paths close. */
__attribute__((unused)) static int closed_shapes(const char *svg)
{
    int n = 0;
    for (const char *s = svg; (s = strstr(s, " d=\"")); s++)
        for (const char *d = s + 4; *d && *d != '"'; d++)
            n += *d == 'z';
    return n;
}

/* Markup is well formed when every tag is closed in order (void elements of HTML aside), attributes are
 * quoted, and & starts one of the five references we write. Returns NULL, or where it is not. */
__attribute__((unused)) static const char *markup_fault(const char *s)
{
    static char at[80];
    char stack[64][24];
    int depth = 0;
    static const char *const open[] = {"meta", "br", "!DOCTYPE"};
    for (; *s; s++) {
        const char *here = s;
        bool fault = false;
        if (*s == '&') {
            fault = strncmp(s, "&amp;", 5) && strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) &&
                    strncmp(s, "&quot;", 6) && strncmp(s, "&#39;", 5);
        } else if (*s == '<') {
            bool closing = s[1] == '/';
            s += 1 + closing;
            size_t n = strcspn(s, " />\n");
            char name[24] = "";
            fault = n == 0 || n >= sizeof name;
            if (!fault)
                memcpy(name, s, n);
            char quote = 0, last = 0;
            for (s += n; *s && (quote || *s != '>'); s++) {
                if (quote && *s == quote)
                    quote = 0;
                else if (!quote && *s == '"')
                    quote = *s;
                else if (!quote && *s == '<')
                    fault = true;
                last = *s;
            }
            fault = fault || *s != '>';
            bool empty = last == '/';
            for (size_t i = 0; i < sizeof open / sizeof *open; i++)
                empty = empty || !strcmp(name, open[i]);
            if (closing)
                fault = fault || depth == 0 || strcmp(stack[--depth], name);
            else if (!empty && depth < 64)
                snprintf(stack[depth++], sizeof stack[0], "%s", name);
            bool style = !strcmp(name, "style"), script = !strcmp(name, "script");
            if ((style || script) && !closing) /* its content is not markup */
                while (s[1] && strncmp(s + 1, style ? "</style" : "</script", 7))
                    s++;
        } else if (*s == '>') {
            fault = true;
        }
        if (fault) {
            snprintf(at, sizeof at, "%.70s", here);
            return at;
        }
    }
    return depth ? "the end: a tag is open" : NULL;
}

/* No control character but newline and tab, no malformed UTF-8. */
__attribute__((unused)) static bool text_clean(const char *s)
{
    while (*s) {
        const char *before = s;
        uint32_t c = at_text_next(&s);
        if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0))
            return false;
        if (c == 0xFFFD && strncmp(before, "\xEF\xBF\xBD", 3))
            return false; /* decoding had to replace something */
    }
    return true;
}

/* Makes a text of `what`. */
typedef at_status text_maker(const void *what, at_text *t, at_err *err);

/* Calls `make` with its first, second, ... allocation failing, until it needs no more: each failure is reported, and leaves the
 * text empty unless what was written before may stay (partial). Returns how many failed. */
__attribute__((unused)) static int starve(text_maker *make, const void *what, bool partial)
{
    for (int failures = 0;; failures++) {
        at_text t;
        at_err err = {0};
        at_text_init(&t);
        at_alloc_inject(failures + 1);
        at_status s = make(what, &t, &err);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(s, fired ? AT_ENOMEM : AT_OK);
        if (fired && !partial)
            assert_int_equal(t.n, 0);
        at_text_release(&t);
        if (!fired)
            return failures;
    }
}

/* Tokens and names as an attacker would choose them. */
static const char *const hostile[] __attribute__((unused)) = {"<script>alert(1)</script>",
                                                              "\"><img src=x onerror=alert(1)>",
                                                              "' onload='x",
                                                              "\033[31mred\033[0m",
                                                              "\xFF\xFE\xC0\x80\xED\xA0\x80",
                                                              "\xE2\x80\xAE!evil",
                                                              "a\nb\rc\td\be",
                                                              "]]>&amp;<!--",
                                                              "\xF0\x9F\x92\xA9\xCC\x81",
                                                              "\xE4\xB8\xAD\xE6\x96\x87",
                                                              "",
                                                              "   "};
#define HOSTILE (sizeof hostile / sizeof *hostile)

#endif
