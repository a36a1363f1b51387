/* test_look.c: pictures: what is drawn is what the trace says, nothing overlaps, nothing foreign acts. */
#include "../../core/test/test_folder.h"
#include "picture_test.h"

#include <cairo.h>

/* fontconfig, below cairo, keeps its font cache until the process ends: not ours to free. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

static char *svg_of(fixture *f, at_text *t)
{
    at_err err = {0};
    at_text_init(t);
    assert_int_equal(at_look_svg(&f->l, t, &err), AT_OK);
    assert_null(markup_fault(t->s));
    assert_true(text_clean(t->s));
    return t->s;
}

static void temp_path(char out[TEST_PATH], const char *suffix)
{
    snprintf(out, TEST_PATH, "%.200s/attest-view-%ld%s", test_root(), (long)getpid(), suffix);
}

/* A cell of the picture: its place on the paper, and its colour. */
typedef struct {
    double x, y, side;
    int column, row;
    unsigned long rgb;
} drawn;

/* Cells are squares, or, where nothing is left free between them, runs of a row as lines of their width, the first from a place and
 * others from the end of the one before, on a ground that all cells without a line have. */
static int cells_read(const char *svg, drawn *out, int most)
{
    int n = 0;
    for (const char *s = svg; (s = strstr(s, "<g class=\"at-cells\""));) {
        double x, y, side;
        assert_int_equal(sscanf(strstr(s, "translate"), "translate(%lf %lf) scale(%lf)", &x, &y, &side), 3);
        const char *end = strstr(s, "</g>");
        int from = n, wide = 0, high = 0;
        for (const char *p = s; (p = strstr(p, "<path ")) && p < end; p++) {
            unsigned long rgb = strtoul(strchr(p, '#') + 1, NULL, 16);
            const char *d = strstr(p, " d=\"") + 4;
            int column = 0, row = 0, run = 0;
            char z = 0;
            if (sscanf(d, "M0 0h%dv%dh-%d%c", &wide, &high, &run, &z) == 4 && z == 'z') {
                for (int k = 0; k < wide * high; k++) {
                    assert_true(n < most);
                    out[n++] = (drawn){x, y, side, k % wide, k / wide, rgb};
                }
                continue;
            }
            for (run = 0; *d == 'M' || *d == 'm'; d += strcspn(d + 1, "Mm\"") + 1) {
                int dx, dy;
                bool line = true;
                if (*d == 'm') {
                    assert_int_equal(sscanf(d, "m%d %dh%d", &dx, &dy, &column), 3);
                    int length = column;
                    column = run + dx;
                    row += dy;
                    run = column + length;
                } else if (sscanf(d, "M%d %d.5h%d", &column, &row, &run) == 3)
                    run += column;
                else {
                    assert_int_equal(sscanf(d, "M%d %dh", &column, &row), 2);
                    run = column + 1;
                    line = false;
                }
                for (int k = column; k < run; k++) {
                    assert_true(!line || !wide || (k < wide && row < high));
                    int at = line && wide ? from + row * wide + k : n++;
                    assert_true(at < most);
                    out[at] = (drawn){x, y, side, k, row, rgb};
                }
            }
        }
        s = end;
    }
    return n;
}

static int cells_count(const char *svg, long rgb) /* -1: of any colour */
{
    enum { MOST = 200000 };
    drawn *all = malloc(MOST * sizeof *all);
    int n = cells_read(svg, all, MOST), k = 0;
    for (int i = 0; i < n; i++)
        k += rgb < 0 || (long)all[i].rgb == rgb;
    free(all);
    return k;
}

static void ramp_is_monotone(void **state)
{
    (void)state;
    /* 64 steps: lightness falls by 0.011 a step, at least one grey level in 255 even at the dark end */
    double before = 2;
    for (int i = 0; i <= 64; i++) {
        double y = at_draw_luminance(at_draw_ramp(i / 64.0));
        assert_true(y < before);
        before = y;
    }
    assert_true(at_draw_luminance(at_draw_ramp(0)) > 0.85 && before < 0.05);
    at_draw_rgb a = at_draw_ramp(NAN), b = at_draw_ramp(0), c = at_draw_ramp(7), d = at_draw_ramp(1);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&c, &d, sizeof c);
}

static void a_cell_for_every_weight(void **state)
{
    (void)state;
    static const int lengths[] = {1, 2, 4, 17, 64, 128};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int T = lengths[i];
        fixture f;
        at_text t;
        fixture_make(&f, T, 2, 1, NULL);
        svg_of(&f, &t);
        assert_int_equal(cells_count(t.s, -1), 4 * T * T);
        assert_int_equal(occurrences(t.s, "class=\"at-cells\""), 4);
        assert_int_equal(cells_count(t.s, 0xe3e1de), 2 * T * (T - 1) / 2); /* masked: two causal heads */
        assert_null(strstr(t.s, "Reduced"));
        at_text_release(&t);
        fixture_free(&f);
    }
}

/* In a page: every cell is drawn, in a fraction of the bytes; name, sizes and input are the page's, and so are the axes of the
 * second head and on, which are those of the first. */
static void plain_pictures_are_small(void **state)
{
    (void)state;
    for (int T = 4; T <= 16; T *= 2) {
        fixture f;
        at_text t, plain, shared;
        fixture_make(&f, T, 2, 1, NULL);
        svg_of(&f, &t);
        f.l.plain = true;
        svg_of(&f, &plain);
        assert_int_equal(cells_count(plain.s, -1), 4 * T * T);
        assert_int_equal(cells_count(plain.s, 0xe3e1de), 2 * T * (T - 1) / 2);
        const char *bar =
            strstr(plain.s, "<g class=\"at-bar\""); /* which is one for all pictures of a page */
        assert_true(plain.n - (size_t)(strstr(bar, "</g>") - bar) < t.n / 2);
        assert_null(strstr(plain.s, ">toy<"));
        assert_null(strstr(plain.s, ">input<"));
        assert_int_equal(occurrences(plain.s, ">queries<"), 4);
        f.l.ids = "toy:axes";
        svg_of(&f, &shared);
        assert_int_equal(occurrences(shared.s, ">queries<"), 1);
        assert_int_equal(occurrences(shared.s, "<g id=\"toy:axes\">"), 1);
        assert_int_equal(occurrences(shared.s, "<use href=\"#toy:axes\""), 3);
        assert_true(shared.n < plain.n);
        at_text_release(&t);
        at_text_release(&plain);
        at_text_release(&shared);
        fixture_free(&f);
    }
}

static void long_inputs_are_reduced_and_say_so(void **state)
{
    (void)state;
    fixture f;
    at_text t;
    fixture_make(&f, 300, 1, 1, NULL);
    f.tr.heads[0].w[299 * 300 + 150] = 1; /* one spike in a corner of a 3 x 3 square survives */
    svg_of(&f, &t);
    assert_int_equal(cells_count(t.s, -1), 2 * 100 * 100);
    assert_non_null(strstr(t.s, "Reduced: a cell shows the largest of 3 \xC3\x97 3 weights"));
    assert_non_null(strstr(t.s, "44 more tokens are not shown"));
    at_draw_rgb dark = at_draw_ramp(1);
    drawn *all = malloc(20000 * sizeof *all);
    int n = cells_read(t.s, all, 20000), spikes = 0;
    for (int k = 0; k < n; k++)
        spikes += all[k].column == 50 && all[k].row == 99 &&
                  all[k].rgb == ((unsigned long)dark.r << 16 | (unsigned long)dark.g << 8 | dark.b);
    assert_int_equal(spikes, 1);
    free(all);
    at_text_release(&t);
    fixture_free(&f);
}

static void titles_come_from_the_model(void **state)
{
    (void)state;
    fixture f;
    at_text t;
    fixture_make(&f, 4, 2, 2, NULL);
    svg_of(&f, &t);
    assert_non_null(strstr(t.s, ">layer 1 head 1 \xC2\xB7 softmax \xC2\xB7 causal<"));
    assert_non_null(strstr(t.s, ">layer 1 head 3 \xC2\xB7 softmax \xC2\xB7 causal<")); /* second group */
    assert_non_null(strstr(t.s, ">layer 2 head 2 \xC2\xB7 average-hard \xC2\xB7 no mask<"));
    assert_int_equal(occurrences(t.s, ">output<"), 1);
    assert_non_null(strstr(t.s, ">least margin 0.0625<"));
    at_text_release(&t);
    f.m.n_blocks = 3; /* the last MLP is gone: layers of attention are counted, not blocks */
    svg_of(&f, &t);
    assert_non_null(strstr(t.s, " \xC2\xB7 2 attention layers \xC2\xB7 "));
    at_text_release(&t);
    fixture_free(&f);
}

/* What is right is drawn beside what comes out, and what is wrong in the colour of refuted models. */
static void wrong_outputs_are_drawn_as_such(void **state)
{
    (void)state;
    static const double one = 1, zero = 0;
    const double *right[3] = {&one, &one, &zero}; /* come out: 1 0 0 */
    at_tri judged[3] = {AT_TRUE, AT_FALSE, AT_TRUE};
    fixture f;
    at_text svg;
    at_err err = {0};
    fixture_make(&f, 4, 1, 0, NULL);
    at_draw_rgb c = at_draw_role(AT_ROLE_REFUTED, 0).rgb;
    char color[16];
    snprintf(color, sizeof color, "#%02x%02x%02x", c.r, c.g, c.b);
    for (int wrong = 0; wrong < 2; wrong++) {
        f.l.right = right;
        f.l.judged = judged;
        f.l.verdict = wrong ? "right at 2 of 3 positions" : "right at 3 of 3 positions";
        judged[1] = wrong ? AT_FALSE : AT_TRUE;
        at_text_init(&svg);
        assert_int_equal(at_look_svg(&f.l, &svg, &err), AT_OK);
        assert_non_null(strstr(svg.s, ">right<"));
        assert_non_null(strstr(svg.s, f.l.verdict));
        assert_int_equal(strstr(svg.s, color) != NULL, wrong);
        at_text_release(&svg);
    }
    fixture_free(&f);
}

static void undecided_outputs_are_never_shown_as_decided(void **state)
{
    (void)state;
    fixture f;
    at_text t;
    fixture_make(&f, 7, 1, 1, NULL); /* outputs 0..5; 5 is undecided */
    for (int i = 0; i < 6; i++)
        f.y.decision[i] = 77;
    svg_of(&f, &t);
    assert_int_equal(occurrences(t.s, ">77<"), 5);
    assert_int_equal(occurrences(t.s, ">?<"), 1);
    assert_int_equal(occurrences(t.s, ">undecided<"), 1);
    at_text_release(&t);
    memset(f.y.decided, AT_UNKNOWN, 6);
    svg_of(&f, &t);
    assert_int_equal(occurrences(t.s, ">77<"), 0);
    assert_int_equal(occurrences(t.s, ">?<"), 6);
    at_text_release(&t);
    f.l.output = NULL;
    svg_of(&f, &t);
    assert_null(strstr(t.s, ">output<"));
    at_text_release(&t);
    fixture_free(&f);
}

static void broken_weights_are_red(void **state)
{
    (void)state;
    fixture f;
    at_text t;
    fixture_make(&f, 5, 1, 1, NULL);
    f.tr.heads[0].w[7] = NAN;
    f.tr.heads[1].w[24] = INFINITY;
    svg_of(&f, &t);
    assert_int_equal(occurrences(t.s, "<path fill=\"#c62828\""), 2);
    assert_null(strstr(t.s, ">nan"));
    at_text_release(&t);
    fixture_free(&f);
}

static void readouts_of_every_kind(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_READS; kind++)
        for (int last = 0; last < 2; last++) {
            fixture f;
            at_text t;
            double value[60], margin[60];
            for (int i = 0; i < 60; i++)
                value[i] = i % 2, margin[i] = 1 + i;
            fixture_make(&f, 4, 1, 1, NULL);
            f.m.readout.kind = (at_read_kind)kind;
            f.m.readout.last = last;
            f.y = (at_output){.n = last ? 1 : 3, .rows = 20, .width = kind == AT_READ_ARGMAX ? 1 : 20};
            f.y.decision = value;
            f.y.margin = margin;
            svg_of(&f, &t);
            assert_int_equal(occurrences(t.s, ">margin<"),
                             !at_read_numbers((at_read_kind)kind)); /* numbers have none */
            const char *few = kind == AT_READ_SIGN || kind == AT_READ_THRESHOLD ? ">01010101010\u2026<"
                              : at_read_numbers((at_read_kind)kind)             ? ">0 1\u2026<"
                              : kind == AT_READ_ARGMAX                          ? ">margin<"
                                                                                : ">0 1 0 1 0 1\u2026<";
            if (!strstr(t.s, few))
                fail_msg("kind %d: no \"%s\"", kind, few);
            at_text_release(&t);
            fixture_free(&f);
        }
}

/* ---- nothing overlaps --------------------------------------------------------------------------- */

static void texts_do_not_overlap(void **state)
{
    (void)state;
    static const struct {
        int T, blocks, heads;
        const char *label;
    } cases[] = {{1, 1, 1, NULL},     {2, 1, 1, NULL},           {4, 1, 1, NULL},
                 {4, 3, 5, NULL},     {9, 1, 1, "reading"},      {16, 2, 1, "MMMMMMMMMMMMMMMMMMMMMMMMMMM"},
                 {33, 1, 1, "word"},  {36, 1, 1, "a"},           {64, 1, 1, NULL},
                 {64, 2, 8, "token"}, {100, 1, 1, NULL},         {128, 1, 1, "x"},
                 {1000, 1, 1, NULL},  {4096, 1, 0, "long label"}};
    enum { MOST = 4000 };
    box *b = malloc(MOST * sizeof *b);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        at_text t;
        fixture_make(&f, cases[i].T, cases[i].blocks, cases[i].heads, cases[i].label);
        svg_of(&f, &t);
        double w = attribute(t.s, " width=\""), h = attribute(t.s, " height=\"");
        int n = boxes(t.s, b, MOST);
        assert_true(n > 5);
        for (int p = 0; p < n; p++) {
            if (b[p].x0 < 0 || b[p].y0 < 0 || b[p].x1 > w || b[p].y1 > h)
                fail_msg("T=%d: outside the paper: %.30s", cases[i].T, b[p].s);
            for (int q = 0; q < p; q++)
                if (b[p].x0 < b[q].x1 && b[q].x0 < b[p].x1 && b[p].y0 < b[q].y1 && b[q].y0 < b[p].y1)
                    fail_msg("T=%d: overlap of %.30s and %.30s", cases[i].T, b[p].s, b[q].s);
        }
        at_text_release(&t);
        fixture_free(&f);
    }
    free(b);
}

/* ---- foreign text --------------------------------------------------------------------------------- */

static void hostile_text_is_harmless(void **state)
{
    (void)state;
    fixture f;
    at_text t;
    at_err err = {0};
    char path[TEST_PATH];
    temp_path(path, "-hostile.pdf");
    for (size_t i = 0; i < HOSTILE; i++) {
        fixture_make(&f, 12, 1, 1, hostile[i]);
        snprintf(f.m.name, sizeof f.m.name, "%s", hostile[i]);
        svg_of(&f, &t); /* well formed and clean */
        assert_null(strstr(t.s, "<script"));
        assert_null(strstr(t.s, "<img"));
        at_text_release(&t);
        /* cairo refuses malformed text */
        assert_int_equal(at_look_picture(&f.l, AT_PICTURE_PDF, path, &err), AT_OK);
        assert_int_equal(unlink(path), 0);
        fixture_free(&f);
    }
}

/* ---- files ------------------------------------------------------------------------------------------ */

/* The PNG decodes, has two pixels a unit, and shows the colours of the SVG's cells in the same places. */
static void png_shows_what_svg_shows(void **state)
{
    (void)state;
    char path[TEST_PATH];
    temp_path(path, ".png");
    static const int lengths[] = {4, 64};
    for (int k = 0; k < 2; k++) {
        fixture f;
        at_text t;
        at_err err = {0};
        fixture_make(&f, lengths[k], 2, 1, NULL);
        svg_of(&f, &t);
        assert_int_equal(at_look_picture(&f.l, AT_PICTURE_PNG, path, &err), AT_OK);
        char *data;
        size_t n;
        assert_int_equal(at_file_read(path, 1 << 26, &data, &n, &err), AT_OK);
        assert_memory_equal(data, "\x89PNG\r\n\x1a\n", 8);
        at_free(data);
        cairo_surface_t *png = cairo_image_surface_create_from_png(path);
        assert_int_equal(cairo_surface_status(png), CAIRO_STATUS_SUCCESS);
        assert_int_equal(cairo_image_surface_get_width(png), 2 * (int)attribute(t.s, " width=\""));
        assert_int_equal(cairo_image_surface_get_height(png), 2 * (int)attribute(t.s, " height=\""));
        const unsigned char *pixels = cairo_image_surface_get_data(png);
        int stride = cairo_image_surface_get_stride(png);
        enum { MOST = 20000 };
        drawn *all = malloc(MOST * sizeof *all);
        int seen = cells_read(t.s, all, MOST);
        for (int i = 0; i < seen; i++) {
            /* a pixel inside the cell, away from the number in its middle */
            int px = (int)(2 * (all[i].x + (all[i].column + 0.15) * all[i].side));
            int py = (int)(2 * (all[i].y + (all[i].row + 0.15) * all[i].side));
            uint32_t got;
            memcpy(&got, pixels + (size_t)py * (size_t)stride + 4 * (size_t)px, 4);
            assert_int_equal(got & 0xFFFFFF, all[i].rgb);
        }
        free(all);
        assert_int_equal(seen, 4 * lengths[k] * lengths[k]);
        cairo_surface_destroy(png);
        at_text_release(&t);
        fixture_free(&f);
        unlink(path);
    }
}

static void pdf_and_svg_files(void **state)
{
    (void)state;
    char path[TEST_PATH], *data;
    size_t n;
    at_err err = {0};
    fixture f;
    fixture_make(&f, 16, 2, 1, "tok");
    temp_path(path, ".pdf");
    assert_int_equal(at_look_picture(&f.l, AT_PICTURE_PDF, path, &err), AT_OK);
    assert_int_equal(at_file_read(path, 1 << 26, &data, &n, &err), AT_OK);
    assert_memory_equal(data, "%PDF-", 5);
    assert_memory_equal(data + n - 6, "%%EOF\n", 6);
    at_free(data);
    unlink(path);
    temp_path(path, ".svg");
    assert_int_equal(at_look_picture(&f.l, AT_PICTURE_SVG, path, &err), AT_OK);
    assert_int_equal(at_file_read(path, 1 << 26, &data, &n, &err), AT_OK);
    assert_memory_equal(data, "<svg ", 5);
    assert_null(markup_fault(data));
    at_free(data);
    unlink(path);
    fixture_free(&f);
}

static void kinds_by_suffix(void **state)
{
    (void)state;
    at_err err = {0};
    at_picture_kind k;
    assert_int_equal(at_picture_kind_of("a.b/c.png", &k, &err), AT_OK);
    assert_int_equal(k, AT_PICTURE_PNG);
    assert_int_equal(at_picture_kind_of("c.svg", &k, &err), AT_OK);
    assert_int_equal(k, AT_PICTURE_SVG);
    assert_int_equal(at_picture_kind_of(".pdf", &k, &err), AT_OK);
    assert_int_equal(k, AT_PICTURE_PDF);
    assert_int_equal(at_picture_kind_of("png", &k, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, ".png, .svg or .pdf"));
    err = (at_err){0};
    assert_int_equal(at_picture_kind_of("x.jpeg", &k, &err), AT_EINPUT);
}

static void refusals_name_the_limit_and_leave_no_file(void **state)
{
    (void)state;
    at_err err = {0};
    at_text t;
    at_text_init(&t);
    fixture f;
    fixture_make(&f, 4, 1, 1, NULL);
    static const at_picture_kind kinds[] = {AT_PICTURE_PNG, AT_PICTURE_SVG, AT_PICTURE_PDF};
    for (int k = 0; k < 3; k++) {
        err = (at_err){0};
        assert_int_equal(at_look_picture(&f.l, kinds[k], "/nonexistent-attest/x.png", &err), AT_EIO);
        assert_true(err.text[0]);
        assert_int_equal(access("/nonexistent-attest/x.png", F_OK), -1);
    }
    err = (at_err){0};
    f.tr.T = AT_LOOK_MAX_LENGTH + 1;
    assert_int_equal(at_look_svg(&f.l, &t, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "4096"));
    f.tr.T = 4;
    err = (at_err){0};
    f.y.n = 2;
    assert_int_equal(at_look_svg(&f.l, &t, &err), AT_EINPUT);
    f.y.n = 3;
    err = (at_err){0};
    f.l.model = NULL;
    assert_int_equal(at_look_svg(&f.l, &t, &err), AT_EINPUT);
    assert_int_equal(at_look_svg(NULL, &t, NULL), AT_EINPUT);
    f.l.model = &f.m;
    err = (at_err){0};
    f.tr.heads[1].block = 1; /* the MLP */
    assert_int_equal(at_look_svg(&f.l, &t, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "block 1"));
    fixture_free(&f);
    err = (at_err){0};
    fixture_make(&f, 100, 25, 39, NULL); /* 1000 heads of 280 x 280: too large a sheet */
    assert_int_equal(at_look_svg(&f.l, &t, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "16000"));
    assert_int_equal(t.n, 0);
    fixture_free(&f);
}

static void no_attention_is_said(void **state)
{
    (void)state;
    fixture f;
    at_text t;
    fixture_make(&f, 5, 0, 0, NULL);
    svg_of(&f, &t);
    assert_non_null(strstr(t.s, "no attention"));
    at_text_release(&t);
    f.l.labels = NULL;
    svg_of(&f, &t);
    at_text_release(&t);
    fixture_free(&f);
}

typedef struct {
    const at_look *l;
    at_picture_kind kind;
    const char *path;
} file;

static at_status file_make(const void *what, at_text *t, at_err *err)
{
    (void)t; /* the picture is in a file, and that is whole or not there */
    const file *p = what;
    at_status s = at_look_picture(p->l, p->kind, p->path, err);
    assert_int_equal(access(p->path, F_OK), s ? -1 : 0);
    return s;
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    char path[TEST_PATH];
    temp_path(path, "-oom.png");
    fixture f;
    fixture_make(&f, 2, 1, 0, NULL);
    for (int kind = 0; kind < 3; kind++) {
        file p = {&f.l, (at_picture_kind)kind, path};
        assert_true(starve(file_make, &p, false) > 5);
        unlink(path);
    }
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ramp_is_monotone),
        cmocka_unit_test(a_cell_for_every_weight),
        cmocka_unit_test(plain_pictures_are_small),
        cmocka_unit_test(long_inputs_are_reduced_and_say_so),
        cmocka_unit_test(titles_come_from_the_model),
        cmocka_unit_test(undecided_outputs_are_never_shown_as_decided),
        cmocka_unit_test(wrong_outputs_are_drawn_as_such),
        cmocka_unit_test(broken_weights_are_red),
        cmocka_unit_test(readouts_of_every_kind),
        cmocka_unit_test(texts_do_not_overlap),
        cmocka_unit_test(hostile_text_is_harmless),
        cmocka_unit_test(png_shows_what_svg_shows),
        cmocka_unit_test(pdf_and_svg_files),
        cmocka_unit_test(kinds_by_suffix),
        cmocka_unit_test(refusals_name_the_limit_and_leave_no_file),
        cmocka_unit_test(no_attention_is_said),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
