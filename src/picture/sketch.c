/* sketch.c: the attention of a run for a terminal.
 *
 *     layer 1 head 1 · softmax · causal
 *             B
 *             O
 *             S 3 5
 *         BOS ████· ·           rows: queries, columns: keys; · masked
 *           3 ▒▒▓▓· ·
 *
 * Invariant: no line is wider than `columns`. It holds by construction: all text goes through a pen that
 * counts the columns of every code point it writes and drops what does not fit; code points whose width
 * terminals disagree on are written as '?'. Colour sequences are ours, take no columns and are closed at
 * the end of every line.
 *
 * Legend: T positions, f the reduction factor, R = ceil(T/f) drawn rows, k columns a cell. */
#include "picture_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_MOST = 10, KEY_LINES = 6 };

typedef struct {
    const at_look *l;
    bool color;
    int T, f, R, k, left;
    double scale; /* the weight that is drawn full */
    at_pen p;
} sketch;

static const char *label_of(const sketch *s, int t, char buffer[16])
{
    if (s->l->labels && s->l->labels[t] && s->l->labels[t][0])
        return s->l->labels[t];
    snprintf(buffer, 16, "%d", t + s->l->model->pos_origin);
    return buffer;
}

static void cell_draw(sketch *s, at_look_cell kind, double w)
{
    static const uint32_t shades[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
    /* near-white to deep blue in the 256-colour cube */
    static const int blues[] = {231, 195, 153, 117, 75, 33, 26, 19, 17};
    if (s->p.used + s->k > s->p.columns)
        return;
    double t = sqrt(w / s->scale);
    t = t > 1 ? 1 : t;
    uint32_t c = kind == AT_LOOK_MASKED ? 0xB7 : kind == AT_LOOK_BROKEN ? '!' : ' ';
    if (!s->color && kind == AT_LOOK_WEIGHT)
        c = shades[(int)(4 * t + 0.5)];
    if (s->color && kind == AT_LOOK_WEIGHT)
        at_text_addf(s->p.out, "\033[48;5;%dm", blues[(int)(8 * t + 0.5)]);
    else if (s->color)
        at_text_add(s->p.out, kind == AT_LOOK_MASKED ? "\033[38;5;244m" : "\033[48;5;160m");
    for (int i = 0; i < s->k; i++)
        at_pen_put(&s->p, i && kind != AT_LOOK_WEIGHT ? ' ' : c);
    if (s->color)
        at_text_add(s->p.out, "\033[0m");
}

/* The labels of the keys, one character a line, read from top to bottom. */
static void keys_draw(sketch *s)
{
    char buffer[16];
    int lines = 0;
    for (int r = 0; r < s->R; r++) {
        const char *label = label_of(s, r * s->f, buffer);
        int n = 0;
        while (at_text_next(&label))
            n++;
        lines = n > lines ? n : lines;
    }
    lines = lines > KEY_LINES ? KEY_LINES : lines;
    for (int line = 0; line < lines; line++) {
        at_pen_pad(&s->p, s->left);
        for (int r = 0; r < s->R; r++) {
            const char *label = label_of(s, r * s->f, buffer), *rest = label;
            int n = 0;
            while (at_text_next(&rest))
                n++;
            int shown = n > lines ? lines : n,
                skip = lines - shown; /* the last characters stand on the matrix */
            uint32_t c = ' ';
            for (int i = 0; i <= line - skip; i++)
                c = at_text_next(&label);
            if (n > lines && line == lines - 1)
                c = 0x2026;
            int to = s->left + (r + 1) * s->k;
            if (at_text_column(at_text_visible(c)) > s->k)
                c = '?';
            if (s->p.used + s->k <= s->p.columns) {
                at_pen_put(&s->p, c);
                at_pen_pad(&s->p, to);
            }
        }
        at_pen_end(&s->p);
    }
}

static void head_draw(sketch *s, const at_trace_head *h)
{
    at_text title;
    at_text_init(&title);
    at_look_head_title(s->l, h, &title);
    if (title.oom)
        s->p.out->oom = true;
    else
        at_pen_add(&s->p, title.s);
    at_text_release(&title);
    at_pen_end(&s->p);
    keys_draw(s);
    char buffer[16];
    for (int r = 0; r < s->R; r++) {
        at_pen_label(&s->p, label_of(s, r * s->f, buffer), s->left - 1, s->left - 1);
        at_pen_put(&s->p, ' ');
        for (int j = 0; j < s->R; j++) {
            double w;
            at_look_cell kind = at_look_pool(s->l, h, s->f, r, j, &w);
            cell_draw(s, kind, w);
        }
        at_pen_end(&s->p);
    }
    at_pen_end(&s->p);
}

enum { INPUT, OUTPUT, RIGHT, WRONG, MARGIN, LINES };

/* The cells of output position p, a line each; those of lines that are not drawn are empty. */
static bool cells_make(sketch *s, int p, at_text cell[LINES])
{
    char buffer[16], number[32];
    double margin;
    bool known, oom = false;
    for (int k = 0; k < LINES; k++) {
        cell[k].n = 0;
        at_text_add(&cell[k], "");
    }
    at_text_add(&cell[INPUT], label_of(s, at_look_output_row(s->l, p), buffer));
    at_look_decision(s->l, p, &cell[OUTPUT], &margin, &known);
    at_text_add(&cell[MARGIN], at_number_text(number, margin));
    if (s->l->right)
        at_look_right(s->l, p, &cell[RIGHT]);
    if (at_look_wrong(s->l, p))
        at_text_add(&cell[WRONG], "^");
    for (int k = 0; k < LINES; k++)
        oom |= cell[k].oom;
    s->p.out->oom |= oom;
    return !oom;
}

/* Input, output and margin as aligned columns, wrapped; where it is known, what is right, and a mark below what is not. */
static void outputs_draw(sketch *s)
{
    static const char *const names[LINES] = {"input", "output", "right", "wrong", "margin"};
    const at_output *y = s->l->output;
    const int most = 8, indent = 6;
    at_text cell[LINES];
    for (int k = 0; k < LINES; k++)
        at_text_init(&cell[k]);
    for (int from = 0, p = 0; from < y->n; from = p) {
        bool wrong = false;
        for (int line = 0; line < LINES; line++) {
            if ((line == RIGHT && !s->l->right) || (line == WRONG && !wrong))
                continue;
            at_pen_add(&s->p, names[line]);
            at_pen_pad(&s->p, indent);
            for (p = from; p < y->n; p++) {
                if (!cells_make(s, p, cell))
                    goto out;
                int w = 0;
                for (int k = 0; k < LINES; k++) {
                    int n = at_text_columns(cell[k].s);
                    w = n > w ? n : w;
                }
                w = w > most ? most : w;
                if (p > from && s->p.used + 1 + w > s->p.columns)
                    break; /* the same place on all lines: it depends on all of them together */
                at_pen_put(&s->p, ' ');
                at_pen_label(&s->p, cell[line].s, w, most);
                wrong |= at_look_wrong(s->l, p);
            }
            at_pen_end(&s->p);
        }
    }
out:
    for (int k = 0; k < LINES; k++)
        at_text_release(&cell[k]);
}

void at_look_terminal(const at_look *l, int columns, bool color, at_text *out)
{
    at_text_add(out, "");
    sketch s = {.l = l, .color = color, .p = {.out = out, .columns = columns > 0 ? columns : 80}};
    at_err err = {0};
    if (at_look_check(l, &err)) {
        at_pen_add(&s.p, err.text);
        at_pen_end(&s.p);
        return;
    }
    s.T = l->trace->T;
    char buffer[16];
    for (int t = 0; t < s.T; t++) {
        int n = at_text_columns(label_of(&s, t, buffer)) + 1;
        s.left = n > s.left ? n : s.left;
    }
    s.left = s.left > LABEL_MOST + 1 ? LABEL_MOST + 1 : s.left;
    int room = s.p.columns - s.left;
    s.k = room >= 2 * s.T ? 2 : 1;
    s.f = room > 0 ? (s.T + room - 1) / room : s.T; /* with no room at all, one cell that the pen drops */
    s.R = (s.T + s.f - 1) / s.f;
    double peak = 0;
    for (int k = 0; k < l->trace->n_heads; k++) {
        double w = at_look_peak(l, &l->trace->heads[k]);
        peak = w > peak ? w : peak;
    }
    s.scale = peak > 0 ? peak : 1;

    at_pen_add(&s.p, l->model->name[0] ? l->model->name : "model");
    at_pen_end(&s.p);
    if (l->trace->n_heads && s.f > 1) {
        char note[64];
        snprintf(note, sizeof note, "a cell is the largest of %d x %d weights", s.f, s.f);
        at_pen_add(&s.p, note);
        at_pen_end(&s.p);
    }
    at_pen_end(&s.p);
    for (int k = 0; k < l->trace->n_heads; k++)
        head_draw(&s, &l->trace->heads[k]);
    if (l->trace->n_heads) {
        char number[32], note[96];
        snprintf(note, sizeof note, "rows: queries  columns: keys  strongest: %s  \xC2\xB7 masked",
                 at_number_text(number, s.scale));
        at_pen_add(&s.p, note);
        at_pen_end(&s.p);
    }
    if (!l->trace->n_heads) {
        at_pen_add(&s.p, "no attention: every position is answered for itself");
        at_pen_end(&s.p);
    }
    if (l->output)
        outputs_draw(&s);
    if (l->verdict) {
        at_pen_add(&s.p, l->verdict);
        at_pen_end(&s.p);
    }
}
