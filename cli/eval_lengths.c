/* eval_lengths.c: a file's rows by the length of their prompts: how far does a model generalise?
 *
 * Rows that do not fit into the model are said beside those that do, and are no wrong ones. */
#include "eval_lengths.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct {
    int from, to;
    eval_length sum;
} row;

at_status eval_lengths_init(eval_lengths *l, const at_source *d, at_err *err)
{
    *l = (eval_lengths){.most = at_source_longest(d)};
    l->of = at_calloc((size_t)l->most + 1, sizeof *l->of);
    return l->of ? AT_OK : at_oom(err);
}

void eval_lengths_release(eval_lengths *l)
{
    at_free(l->of);
}

void eval_lengths_add(eval_lengths *l, const at_exam_case *c)
{
    int n = c->n_prompt - 1; /* without <sep> */
    eval_length *k = &l->of[n < 0 ? 0 : n];
    k->left += !c->asked;
    k->asked += c->asked;
    k->answers += c->asked && c->grade.answer == AT_TRUE;
    k->chains += c->asked && c->grade.chain == AT_TRUE;
}

static bool is_there(const eval_length *k)
{
    return k->asked || k->left;
}

/* Rows of the table, those with nothing in them left out; how many. */
static int rows_make(const eval_lengths *l, row out[EVAL_ROWS])
{
    int first = l->most, last = 0, n = 0, different = 0;
    for (int k = 0; k <= l->most; k++)
        if (is_there(&l->of[k])) {
            first = k < first ? k : first;
            last = k;
            different++;
        }
    int wide = different <= EVAL_ROWS ? 1 : (last - first) / EVAL_ROWS + 1;
    for (int from = first; from <= last; from += wide) {
        row r = {.from = l->most, .to = 0};
        for (int k = from; k < from + wide && k <= last; k++)
            if (is_there(&l->of[k])) {
                r.from = k < r.from ? k : r.from;
                r.to = k;
                r.sum.asked += l->of[k].asked;
                r.sum.left += l->of[k].left;
                r.sum.answers += l->of[k].answers;
                r.sum.chains += l->of[k].chains;
            }
        if (is_there(&r.sum))
            out[n++] = r;
    }
    return n;
}

bool eval_lengths_several(const eval_lengths *l)
{
    row r[EVAL_ROWS];
    return rows_make(l, r) > 1;
}

void eval_lengths_print(const eval_lengths *l, at_text *t)
{
    row r[EVAL_ROWS];
    int n = rows_make(l, r);
    at_text_addf(t, "\n%10s %9s %9s %9s\n", "length", "prompts", "answers", "chains");
    for (int k = 0; k < n; k++) {
        const eval_length *s = &r[k].sum;
        char length[32];
        snprintf(length, sizeof length, r[k].from < r[k].to ? "%d-%d" : "%d", r[k].from, r[k].to);
        at_text_addf(t, "%10s", length);
        if (s->asked)
            at_text_addf(t, " %9" PRIu64 " %8.1f%% %8.1f%%", s->asked,
                         100 * (double)s->answers / (double)s->asked,
                         100 * (double)s->chains / (double)s->asked);
        if (s->left)
            at_text_addf(t, "%snot asked: %" PRIu64, s->asked ? "  " : " ", s->left);
        at_text_add(t, "\n");
    }
}

json_t *eval_lengths_json(const eval_lengths *l)
{
    row r[EVAL_ROWS];
    int n = rows_make(l, r);
    json_t *all = json_array();
    for (int k = 0; k < n; k++) {
        const eval_length *s = &r[k].sum;
        json_t *j = cli_json_set(json_object(), "from", json_integer(r[k].from));
        j = cli_json_set(j, "to", json_integer(r[k].to));
        j = cli_json_set(j, "prompts", json_integer((json_int_t)s->asked));
        j = cli_json_set(j, "answers", json_integer((json_int_t)s->answers));
        j = cli_json_set(j, "chains", json_integer((json_int_t)s->chains));
        all = cli_json_add(all, cli_json_set(j, "not_asked", json_integer((json_int_t)s->left)));
    }
    return all;
}

at_status eval_lengths_draw(const eval_lengths *l, const char *path, at_err *err)
{
    row r[EVAL_ROWS];
    double x[EVAL_ROWS], y[2][EVAL_ROWS];
    int n = rows_make(l, r), asked = 0;
    for (int k = 0; k < n; k++)
        if (r[k].sum.asked) {
            x[asked] = (r[k].from + r[k].to) / 2.0;
            y[0][asked] = (double)r[k].sum.answers / (double)r[k].sum.asked;
            y[1][asked++] = (double)r[k].sum.chains / (double)r[k].sum.asked;
        }
    const at_series series[2] = {{.label = "answers", .n = asked, .x = x, .y = y[0]},
                                 {.label = "chains", .n = asked, .x = x, .y = y[1]}};
    const at_plot plot = {.title = "right, by length",
                          .xlabel = "words of the prompt",
                          .ylabel = "share right",
                          .series = series,
                          .n_series = 2};
    return cli_plot_draw(&plot, path, err);
}
