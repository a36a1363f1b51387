/* look_plan.c: what the picture and the terminal sketch both need to know about a look.
 *
 * Legend: T positions (prefix and suffix included), t a position 0..T-1, p an output position,
 *         f the factor by which a long sequence is reduced: one drawn cell stands for f*f weights. */
#include "picture_internal.h"

#include <math.h>
#include <string.h>

static const char middle_dot[] = " \xC2\xB7 ";

static const at_group *group_of(const at_look *l, const at_trace_head *h)
{
    return &l->model->blocks[h->block].groups[h->group];
}

at_status at_look_check(const at_look *l, at_err *err)
{
    if (!l || !l->model || !l->trace)
        return at_fail(err, AT_EINPUT, "a look needs a model and a trace of its run");
    const at_model *m = l->model;
    const at_trace *tr = l->trace;
    if (tr->T < 1 || tr->T > AT_LOOK_MAX_LENGTH)
        return at_fail(err, AT_EDOMAIN, "%d positions cannot be drawn: allowed are 1..%d", tr->T,
                       AT_LOOK_MAX_LENGTH);
    if (tr->n_heads < 0 || tr->n_heads > AT_LOOK_MAX_HEADS)
        return at_fail(err, AT_EDOMAIN, "%d heads cannot be drawn: allowed are 0..%d", tr->n_heads,
                       AT_LOOK_MAX_HEADS);
    for (int k = 0; k < tr->n_heads; k++) {
        const at_trace_head *h = &tr->heads[k];
        bool block = h->block >= 0 && h->block < m->n_blocks && m->blocks[h->block].kind == AT_BLOCK_ATTN;
        if (!block || h->group < 0 || h->group >= m->blocks[h->block].n_groups || h->head < 0 ||
            h->head >= group_of(l, h)->heads || !h->w)
            return at_fail(err, AT_EINPUT,
                           "head %d of the trace (block %d, group %d, head %d) is not in the model", k,
                           h->block, h->group, h->head);
        if (k && h->block < tr->heads[k - 1].block)
            return at_fail(err, AT_EINPUT, "head %d of the trace is out of order: block %d after block %d", k,
                           h->block, tr->heads[k - 1].block);
    }
    if (l->output) {
        int n = m->readout.last ? 1 : tr->T - m->n_prefix - m->n_suffix;
        if (l->output->n != n || l->output->width < 1)
            return at_fail(err, AT_EINPUT,
                           "the output has %d positions of %d decisions: the trace wants %d of at least 1",
                           l->output->n, l->output->width, n);
    }
    return AT_OK;
}

/* At most so many characters of a name, so that a long formula does not push panels apart; --json has all of it. */
enum { NAME_SHOWN = 36 };

static void name_add(const char *name, at_text *out)
{
    const char *at = name;
    at_text clean;
    at_text_init(&clean);
    for (int k = 0; *at && k < NAME_SHOWN; k++)
        at_text_next(&at);
    at_text_addn(&clean, name, (size_t)(at - name));
    at_text_add_clean(out, clean.oom ? "" : clean.s);
    out->oom |= clean.oom;
    at_text_release(&clean);
    if (*at)
        at_text_add(out, "\xE2\x80\xA6");
}

void at_look_head_title(const at_look *l, const at_trace_head *h, at_text *out)
{
    const at_group *g = group_of(l, h);
    int layer, number;
    at_head_number(l->model, h->block, h->group, h->head, &layer, &number);
    at_text_addf(out, "layer %d head %d", layer, number);
    if (g->name) {
        at_text_add(out, middle_dot);
        name_add(g->name, out);
    }
    at_text_addf(out, "%s%s%s%s", middle_dot, at_weighting_names[g->weighting], middle_dot,
                 at_mask_is(g->mask.kind, AT_IS_ALL) ? "no mask" : at_mask_names[g->mask.kind]);
}

int at_look_output_row(const at_look *l, int p)
{
    return l->model->readout.last ? l->trace->T - 1 : l->model->n_prefix + p;
}

/* The decisions of a position, short. */
static void decisions_print(const at_look *l, const double *decision, at_text *out)
{
    at_read_kind kind = l->model->readout.kind;
    bool bits = kind == AT_READ_SIGN || kind == AT_READ_THRESHOLD;
    int width = l->output->width;
    int most = bits ? 16 : at_read_numbers(kind) ? 2 : 6; /* the rest is left out with an ellipsis */
    for (int k = 0; k < width && k < most; k++) {
        char number[32];
        at_text_add(out, k && !bits ? " " : "");
        if (at_read_numbers(kind))
            at_text_add(out, at_number_text(number, decision[k]));
        else
            at_decision_print(l->model, decision[k], out);
    }
    if (width > most)
        at_text_add(out, "\xE2\x80\xA6");
}

bool at_look_wrong(const at_look *l, int p)
{
    return l->judged && l->judged[p] == AT_FALSE;
}

void at_look_right(const at_look *l, int p, at_text *out)
{
    at_text_add(out, "");
    if (l->right && l->right[p])
        decisions_print(l, l->right[p], out);
    else if (at_look_wrong(l, p))
        at_text_add(out, "\xE2\x80\x93"); /* nothing should be there */
}

void at_look_decision(const at_look *l, int p, at_text *out, double *margin, bool *known)
{
    const at_output *y = l->output;
    at_read_kind kind = l->model->readout.kind;
    *margin = NAN;
    *known = true;
    for (int k = 0; k < y->width; k++) {
        size_t i = (size_t)p * (size_t)y->width + (size_t)k;
        if (y->decided && y->decided[i] != AT_TRUE)
            *known = false;
        if (!at_read_numbers(kind) && y->margin && (isnan(*margin) || y->margin[i] < *margin))
            *margin = y->margin[i];
    }
    if (!*known) {
        at_text_add(out, "?");
        return;
    }
    decisions_print(l, y->decision + (size_t)p * (size_t)y->width, out);
}

at_look_cell at_look_pool(const at_look *l, const at_trace_head *h, int f, int row, int column, double *w)
{
    const at_mask *mask = &group_of(l, h)->mask;
    int T = l->trace->T;
    bool allowed = false, broken = false;
    *w = 0;
    for (int i = row * f; i < T && i < (row + 1) * f; i++)
        for (int j = column * f; j < T && j < (column + 1) * f; j++) {
            double x = h->w[(size_t)i * (size_t)T + (size_t)j];
            allowed = allowed || at_mask_allows(mask, i, j);
            broken = broken || !isfinite(x);
            if (x > *w)
                *w = x;
        }
    return broken              ? AT_LOOK_BROKEN
           : allowed || *w > 0 ? AT_LOOK_WEIGHT
                               : AT_LOOK_MASKED; /* a weight is never hidden */
}

double at_look_peak(const at_look *l, const at_trace_head *h)
{
    size_t n = (size_t)l->trace->T * (size_t)l->trace->T;
    double peak = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(h->w[i]) && h->w[i] > peak)
            peak = h->w[i];
    return peak;
}
