/* detail.c: a verdict in words, and as a finding for the ledger. */
#include "job_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW_SHOWN 12 /* attention entries printed with a counterexample */

/* ---- a counterexample in words -------------------------------------------------------------------------- */

static void label_of(const at_model *m, const at_input *x, int t, at_text *out)
{
    int u = t - m->n_prefix;
    if (u >= 0 && u < x->n)
        at_input_print_row(m, x->v + (size_t)u * (size_t)at_model_row_width(m), u, out);
    else
        at_text_add(out, "blank");
}

/* The largest entries of one row of attention weights, in the order of positions; of equal ones the first. */
static void row_print(const at_model *m, const at_input *x, const double *w, int T, at_text *out)
{
    int best[ROW_SHOWN], n = 0; /* falling */
    for (int j = 0; j < T; j++) {
        int at = n < ROW_SHOWN ? n++ : ROW_SHOWN;
        for (; at > 0 && w[j] > w[best[at - 1]]; at--)
            if (at < ROW_SHOWN)
                best[at] = best[at - 1];
        if (at < ROW_SHOWN)
            best[at] = j;
    }
    for (int j = 0; j < T; j++) {
        bool shown = false;
        for (int k = 0; k < n; k++)
            shown = shown || best[k] == j;
        if (shown) {
            at_text_add(out, " ");
            label_of(m, x, j, out);
            at_text_addf(out, ":%.3g", w[j]);
        }
    }
    if (T > n)
        at_text_add(out, " ...");
}

/* A row of a chain as people write it, or that there is none. */
static void chain_row(const at_model *m, const char *what, const double *row, at_text *out)
{
    at_text_add(out, what);
    if (row)
        at_input_print_row(m, row, -1, out);
    else
        at_text_add(out, "nothing");
    at_text_add(out, "\n");
}

static at_status decoder_text(const at_model *m, const at_counterexample *cx, at_text *out, at_err *err)
{
    at_input x = {cx->n, cx->x};
    at_text_add(out, "prompt     ");
    at_input_print(m, &x, out);
    at_text_addf(out, "\nrow        %d after the prompt\n", cx->position + 1);
    chain_row(m, "expected   ", cx->want, out);
    chain_row(m, "written    ", cx->wrote, out);
    if (cx->want && cx->wrote && isnan(cx->expected)) /* the rows are equal */
        at_text_add(out, "margin     0: a tie, right by luck if at all\n");
    return out->oom ? at_oom(err) : AT_OK;
}

/* A number short enough to read, or the word that it stands for. */
static void decision_print(const at_model *m, double v, at_text *out)
{
    if (at_decision_word(m, v))
        at_decision_print(m, v, out);
    else
        at_text_addf(out, "%.10g", v);
}

at_status at_counterexample_text(const at_model *m, at_arith a, const at_counterexample *cx, at_text *out,
                                 at_err *err)
{
    if (m->decode.enabled)
        return decoder_text(m, cx, out, err);
    at_input x = {cx->n, cx->x};
    at_text_add(out, "input      ");
    at_input_print(m, &x, out);
    if (cx->n)
        at_text_addf(out, "\nposition   %d of %d: expected ", cx->position + 1, cx->n);
    else
        at_text_add(out, "(empty)\nanswer     expected ");
    decision_print(m, cx->expected, out);
    at_text_add(out, cx->unknown ? ", got undecided " : ", got ");
    decision_print(m, cx->got, out);
    char want[32], got[32]; /* numbers that look the same: what is between them */
    snprintf(want, sizeof want, "%.10g", cx->expected);
    snprintf(got, sizeof got, "%.10g", cx->got);
    if (cx->got != cx->expected && !strcmp(want, got))
        at_text_addf(out, ", off by %.3g", fabs(cx->got - cx->expected));
    at_text_add(out, "\n");
    at_arena arena;
    at_arena_init(&arena);
    at_trace trace;
    at_output y;
    at_status s = at_run(m, a, &x, &trace, &arena, &y, err);
    for (int h = 0; !s && h < trace.n_heads; h++) {
        const at_trace_head *t = &trace.heads[h];
        int layer, head;
        at_head_number(m, t->block, t->group, t->head, &layer, &head);
        int row = cx->n ? cx->position + m->n_prefix
                        : trace.T - 1; /* the empty input is read at a hidden position */
        const char *name = m->blocks[t->block].groups[t->group].name;
        at_text_addf(out, "attention  layer %d head %d", layer, head);
        if (name) {
            at_text_add(out, " (");
            at_text_add_plain(out, name);
            at_text_add(out, ")");
        }
        at_text_addf(out, ", row %d:", row - m->n_prefix + 1);
        row_print(m, &x, t->w + (size_t)row * (size_t)trace.T, trace.T, out);
        at_text_add(out, "\n");
    }
    at_arena_release(&arena);
    return s ? s : out->oom ? at_oom(err) : AT_OK;
}

/* ---- the record's finding -------------------------------------------------------------------------------------- */

at_status detail_finish(unit *u, const at_finding *f, at_err *err)
{
    return at_finding_write(f, u->arena, &u->rec.detail, err);
}

static at_size_detail size_of(const at_model *m)
{
    at_size z;
    at_model_size(m, &z);
    return (at_size_detail){z.layers, z.heads,      z.width,   z.head_dim,
                            z.hidden, z.parameters, z.nonzero, z.largest};
}

#define TEXT_KEPT 65536 /* bytes of a claim file that go with its verdicts */

/* What the catalogue does not know: a claim from a file goes with its verdicts, so that a ledger can be read without it. */
static at_claim_detail claim_of(const at_claim *c)
{
    const char *text = at_claim_file_text(c->file);
    return (at_claim_detail){.title = c->title,
                             .source = c->source,
                             .statement = c->statement,
                             .proof = c->proof,
                             .sha256 = c->digest,
                             .text = strlen(text) <= TEXT_KEPT ? text : NULL,
                             .repeat = at_claim_file_words(c->file)};
}

/* text: the counterexample in words. */
static at_status counterexample_of(unit *u, const at_model *m, const at_counterexample *cx, const char *text,
                                   at_counterexample_detail *out, at_err *err)
{
    at_text in;
    at_text_init(&in);
    at_input x = {cx->n, cx->x};
    at_input_print(m, &x, &in);
    const char *input = in.oom ? NULL : at_arena_strdup(u->arena, in.s ? in.s : "");
    const char *row = strstr(text, "attention  ");
    at_text_release(&in);
    *out = (at_counterexample_detail){.input = input,
                                      .position = cx->position + 1,
                                      .expected = cx->expected,
                                      .got = cx->got,
                                      .expected_word = at_decision_word(m, cx->expected),
                                      .got_word = at_decision_word(m, cx->got),
                                      .chain = m->decode.enabled ? text : NULL,
                                      .attention = row ? row + strlen("attention  ") : NULL};
    return input ? AT_OK : at_oom(err);
}

/* point: of a cell with many, the one the model is of. */
at_status detail_verdict(unit *u, const at_model *m, const at_params *point, at_arith a, const at_verdict *v,
                         at_err *err)
{
    bool control = u->cell->control != NULL;
    /* A control is rejected only by a counterexample that was run again; one of a limit, which has no model, by what its
     * trial found, in words. */
    bool shown = m ? v->has_counterexample : v->note != NULL;
    u->rec.evidence = at_evidence_names[v->evidence];
    if (m && v->holds == AT_FALSE)
        u->rec.evidence = "refuted";
    if (!m && v->holds != AT_TRUE && v->evidence == AT_EV_REFUTED)
        u->rec.evidence = "not refuted"; /* of a limit: the model stood */
    u->rec.verdict = u->idle                                       ? "idle"
                     : v->holds == AT_TRUE                         ? "holds"
                     : v->holds == AT_FALSE && (shown || !control) ? "fails"
                                                                   : "unknown";
    u->rec.inputs = v->inputs;
    u->rec.margin = v->margin;
    at_size_detail size;
    at_claim_detail claim;
    at_counterexample_detail cx;
    at_finding f = {.kind = AT_FINDING_VERDICT,
                    .verdict = {.control = u->cell->control, .note = u->idle ? u->idle : v->note}};
    if (m) {
        size = size_of(m);
        f.verdict.size = &size;
    }
    if (u->claim->file) {
        claim = claim_of(u->claim);
        f.verdict.claim = &claim;
    }
    if (m && v->has_counterexample) {
        at_text t;
        at_text_init(&t);
        if (point) {
            at_text_add(&t, "at         ");
            at_params_print(point, &t);
            at_text_add(&t, "\n");
        }
        at_status s = at_counterexample_text(m, a, &v->cx, &t, err);
        u->counterexample = s ? NULL : at_arena_strdup(u->arena, t.s);
        at_text_release(&t);
        if (!s)
            s = u->counterexample ? counterexample_of(u, m, &v->cx, u->counterexample, &cx, err)
                                  : at_oom(err);
        if (s)
            return s;
        f.verdict.counterexample = &cx;
    }
    return detail_finish(u, &f, err);
}
