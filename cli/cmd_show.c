/* cmd_show.c: `attest show`: all about one claim, task, stream, recurrence or model file. */
#define _GNU_SOURCE
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Its own options. */
typedef struct {
    const char *alphabet, *output; /* of a text */
    double budget;                 /* millions of operations */
    bool exact;
} own;

#define COLUMNS 80

static void heading(at_text *t, const char *s)
{
    at_text_addf(t, "\n%s\n", s);
}

static void param_row(at_text *t, const at_param *q, double now)
{
    char right[160];
    snprintf(right, sizeof right, "%s %s in %.15g..%.15g, default %.15g", q->doc,
             q->integer ? "(integer)" : "(real)", q->lo, q->hi, q->value);
    char left[64];
    char number[32];
    snprintf(left, sizeof left, "  %s = %s", q->name, at_number_exact(number, now));
    if (q->names) {
        at_text all;
        at_text_init(&all);
        at_text_addf(&all, "%s: ", q->doc);
        for (int i = 0; i <= (int)(q->hi - q->lo); i++)
            at_text_addf(&all, "%s%s", i ? ", " : "", q->names[i]);
        snprintf(left, sizeof left, "  %s = %s", q->name, q->names[(int)(now - q->lo)]);
        cli_row(t, left, 16, all.oom ? "" : all.s, COLUMNS);
        t->oom |= all.oom;
        at_text_release(&all);
        return;
    }
    cli_row(t, left, 16, right, COLUMNS);
}

static json_t *params_json(const at_params *p)
{
    json_t *all = json_array();
    for (int i = 0; i < p->n; i++) {
        const at_param *q = &p->schema[i];
        json_t *j = cli_json_set(json_object(), "name", cli_json_text(q->name));
        j = cli_json_set(j, "doc", cli_json_text(q->doc));
        j = cli_json_set(j, "least", cli_json_number(q->lo));
        j = cli_json_set(j, "most", cli_json_number(q->hi));
        j = cli_json_set(j, "default", cli_json_number(q->value));
        j = cli_json_set(j, "integer", json_boolean(q->integer));
        j = cli_json_set(j, "value",
                         q->names ? cli_json_text(q->names[(int)(p->value[i] - q->lo)])
                                  : cli_json_number(p->value[i]));
        all = cli_json_add(all, j);
    }
    return all;
}

/* ---- tasks ----------------------------------------------------------------------------------------- */

static void task_print(const at_task *k, at_text *t)
{
    cli_row(t, "  title", 16, k->title, COLUMNS);
    cli_row(t, "  definition", 16, k->definition, COLUMNS);
    cli_row(t, "  an input", 16, k->input_help, COLUMNS);
}

static json_t *task_json(const at_task *k)
{
    json_t *j = cli_json_set(json_object(), "id", cli_json_text(k->id));
    j = cli_json_set(j, "title", cli_json_text(k->title));
    j = cli_json_set(j, "definition", cli_json_text(k->definition));
    j = cli_json_set(j, "input", cli_json_text(k->input_help));
    j = cli_json_set(j, "symmetric", json_boolean(k->symmetric));
    return cli_json_set(j, "real", json_boolean(k->real));
}

static int task_show(const cli_args *a, const at_task *k)
{
    at_err err = {0};
    at_params p;
    at_params_init(&p, k->params, k->n_params);
    if ((a->set && at_params_parse(&p, a->set, &err)) || (k->validate && k->validate(&p, &err)))
        return cli_fail(a, &err);
    if (a->json)
        return cli_put_json(a, cli_json_set(task_json(k), "params", params_json(&p)), CLI_HOLDS);
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "task %s\n", k->id);
    task_print(k, &t);
    heading(&t, "parameters");
    for (int i = 0; i < p.n; i++)
        param_row(&t, &p.schema[i], p.value[i]);
    heading(&t, "solved by");
    int found = 0;
    for (int i = 0; i < at_n_catalogue; i++)
        if (at_catalogue[i]->task && !strcmp(at_catalogue[i]->task, k->id)) {
            char left[64];
            snprintf(left, sizeof left, "  %s", at_catalogue[i]->id);
            cli_row(&t, left, 20, at_catalogue[i]->title, COLUMNS);
            found++;
        }
    if (!found)
        at_text_add(&t, "  no claim yet\n");
    return cli_put_text(a, &t, CLI_HOLDS);
}

/* ---- streams --------------------------------------------------------------------------------------- */

static int stream_show(const cli_args *a, const at_stream *k)
{
    at_err err = {0};
    at_params p;
    at_source *d;
    at_params_init(&p, k->params, k->n_params);
    if ((a->set && at_params_parse(&p, a->set, &err)) || at_source_open(k, &p, &d, &err))
        return cli_fail(a, &err);
    int words = at_source_vocabulary(d), longest = at_source_longest(d);
    char all[32];
    uint64_t prompts = k->verbs->count ? k->verbs->count(d) : UINT64_MAX;
    const char *listed = !k->verbs->count      ? k->verbs->unlisted
                         : prompts > INT64_MAX ? "too many at these sizes"
                                               : at_count_text(all, prompts);
    at_source_free(d);
    if (a->json) {
        json_t *j = cli_json_set(json_object(), "id", cli_json_text(k->id));
        j = cli_json_set(j, "title", cli_json_text(k->title));
        j = cli_json_set(j, "format", cli_json_text(k->format));
        j = cli_json_set(j, "vocabulary", json_integer(words));
        j = cli_json_set(j, "longest", json_integer(longest));
        j = cli_json_set(j, "prompts", cli_json_text(listed));
        return cli_put_json(a, cli_json_set(j, "params", params_json(&p)), CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "stream %s\n", k->id);
    cli_row(&t, "  title", 16, k->title, COLUMNS);
    cli_row(&t, "  a row", 16, k->format, COLUMNS);
    at_text_addf(&t, "  size          %d tokens, rows of at most %d\n", words, longest);
    at_text said;
    at_text_init(&said);
    at_text_addf(&said, "%s%s", k->verbs->count ? "" : "not listed: ", listed);
    cli_row(&t, "  all prompts", 16, said.oom ? "" : said.s, COLUMNS);
    t.oom |= said.oom;
    at_text_release(&said);
    heading(&t, "parameters");
    for (int i = 0; i < p.n; i++)
        param_row(&t, &p.schema[i], p.value[i]);
    return cli_put_text(a, &t, CLI_HOLDS);
}

/* ---- claims ----------------------------------------------------------------------------------------- */

static const char *tier_name(const at_cell *c)
{
    return c->tier == AT_TIER_FULL ? "full tier" : "both tiers";
}

/* "every sequence", "12000 inputs", "all inputs, by a case split" */
static void cell_how(const at_claim *claim, const at_cell *c, at_text *t)
{
    if (claim->trial && c->inputs)
        at_text_addf(t, "%llu trials", (unsigned long long)c->inputs);
    else if (claim->trial)
        at_text_add(t, "every case");
    else if (c->evidence == AT_EV_EXACT)
        at_text_addf(t, "all %s", at_enum_names[c->how]);
    else if (c->evidence == AT_EV_SAMPLED)
        at_text_addf(t, "%llu inputs", (unsigned long long)c->inputs);
    else
        at_text_addf(t, "all inputs, by %s", claim->box ? "boxes of reals" : "a case split");
}

static void cell_print(const at_claim *claim, const at_cell *c, at_text *t)
{
    at_text right;
    at_text_init(&right);
    at_text_addf(&right, "%s, ", at_evidence_names[c->evidence]);
    cell_how(claim, c, &right);
    at_text_addf(&right, ", %s, %s", c->arith, tier_name(c));
    if (c->quick)
        at_text_addf(&right, " (quick: %s)", c->quick);
    if (c->control)
        at_text_addf(&right, "; control: with %s it must fail", c->control);
    char left[80];
    snprintf(left, sizeof left, "  %s", c->params);
    cli_row(t, left, 20, right.oom ? "" : right.s, COLUMNS);
    t->oom |= right.oom;
    at_text_release(&right);
}

static json_t *cell_json(const at_claim *claim, const at_cell *c)
{
    json_t *j = cli_json_set(json_object(), "params", cli_json_text(c->params));
    j = cli_json_set(j, "control", cli_json_text(c->control));
    j = cli_json_set(j, "evidence", cli_json_text(at_evidence_names[c->evidence]));
    if (c->evidence == AT_EV_EXACT && !claim->trial)
        j = cli_json_set(j, "enumeration", cli_json_text(at_enum_names[c->how]));
    if (c->inputs)
        j = cli_json_set(j, "inputs", json_integer((json_int_t)c->inputs));
    j = cli_json_set(j, "arithmetic", cli_json_text(c->arith));
    j = cli_json_set(j, "tier", cli_json_text(c->tier == AT_TIER_FULL ? "full" : "quick"));
    return cli_json_set(j, "quick", cli_json_text(c->quick));
}

static void size_print(const at_size *z, int columns, at_text *t)
{
    heading(t, "size");
    at_text size;
    at_text_init(&size);
    cli_size_print(z, &size);
    cli_wrap(t, size.oom ? "" : size.s, 2, columns);
    t->oom |= size.oom;
    at_text_release(&size);
}

/* A program (NULL: there is none) and the size it assembles to. */
static void program_print(const char *program, const at_size *z, at_text *t)
{
    if (program)
        heading(t, "program");
    for (const char *s = program ? program : ""; *s;) {
        size_t n = strcspn(s, "\n");
        at_text_add(t, "  ");
        at_text_addn(t, s, n);
        at_text_add(t, "\n");
        s += n + (s[n] == '\n');
    }
    size_print(z, COLUMNS, t);
}

/* program: NULL of a model and of a limit, z of a limit. */
static void claim_print(const at_claim *c, const at_task *task, const at_params *p, const char *program,
                        const at_size *z, at_text *t)
{
    at_text_addf(t, "claim %s\n", c->id);
    cli_wrap(t, c->title, 2, COLUMNS);
    heading(t, "statement");
    cli_wrap(t, c->statement, 2, COLUMNS);
    heading(t, "source");
    cli_wrap(t, c->source, 2, COLUMNS);
    if (*c->proof) {
        heading(t, "proof");
        cli_wrap(t, c->proof, 2, COLUMNS);
    }
    if (c->digest)
        at_text_addf(t, "\nfile\n  sha-256 %s\n", c->digest);
    heading(t, "parameters");
    for (int i = 0; i < p->n; i++)
        param_row(t, &p->schema[i], p->value[i]);
    if (task) {
        at_text_addf(t, "\ntask %s\n", task->id);
        task_print(task, t);
    } else if (c->chain) {
        heading(t, "writes");
        cli_wrap(t, c->chain->title, 2, COLUMNS);
        cli_wrap(t, c->chain->definition, 2, COLUMNS);
        at_text_addf(t, "  prompt: %s\n", c->chain->input_help);
    }
    if (z)
        program_print(program, z, t);
    heading(t, "checked by `attest check`");
    for (int i = 0; i < c->n_cells; i++)
        cell_print(c, &c->cells[i], t);
    if (c->split)
        cli_wrap(t, c->split->text, 2, COLUMNS);
    if (c->box)
        cli_wrap(t, c->box->text, 2, COLUMNS);
    for (int i = 0; i < c->n_tables; i++)
        cli_row(t, "  table", 20, c->tables[i].title, COLUMNS);
}

static json_t *claim_json(const at_claim *c, const at_task *task, const at_params *p, const char *program,
                          const at_size *z)
{
    json_t *cells = json_array(), *tables = json_array();
    for (int i = 0; i < c->n_cells; i++)
        cells = cli_json_add(cells, cell_json(c, &c->cells[i]));
    for (int i = 0; i < c->n_tables; i++)
        tables = cli_json_add(tables, cli_json_text(c->tables[i].title));
    json_t *j = cli_json_set(json_object(), "id", cli_json_text(c->id));
    j = cli_json_set(j, "title", cli_json_text(c->title));
    j = cli_json_set(j, "statement", cli_json_text(c->statement));
    j = cli_json_set(j, "source", cli_json_text(c->source));
    j = cli_json_set(j, "proof", cli_json_text(c->proof));
    j = cli_json_set(j, "params", params_json(p));
    if (task)
        j = cli_json_set(j, "task", task_json(task));
    else if (c->chain)
        j = cli_json_set(j, "writes", cli_json_text(c->chain->definition));
    if (program)
        j = cli_json_set(j, "program", cli_json_text(program));
    if (z)
        j = cli_json_set(j, "size", cli_size_json(z));
    if (c->digest)
        j = cli_json_set(j, "sha256", cli_json_text(c->digest));
    j = cli_json_set(j, "cells", cells);
    return cli_json_set(j, "tables", tables);
}

/* The model of a claim: its size, and, where it has a program, the program with what assembly derived. */
static at_status claim_make(const at_claim *c, const at_params *p, at_program **P, at_size *z, at_err *err)
{
    at_model m;
    *P = NULL;
    at_status s = at_claim_has_program(c) ? at_claim_program(c, p, P, err) : AT_OK;
    if (!s)
        s = *P ? at_assemble(*P, &m, NULL, err) : at_claim_model(c, p, &m, err);
    if (s)
        return s;
    at_model_size(&m, z);
    at_model_release(&m);
    return AT_OK;
}

static int claim_show(const cli_args *a, const at_claim *c)
{
    const own *given = a->own;
    at_err err = {0};
    const at_task *task;
    at_params p, tp;
    at_program *P = NULL;
    at_size z = {0};
    at_text program, t;
    at_text_init(&program);
    at_text_init(&t);
    if (given->exact && !at_claim_has_program(c))
        return cli_usage(a, "--exact is for programs, and %s has none",
                         at_claim_is_limit(c) ? "a limit" : "this claim");
    at_status s = cli_claim_params(a, c, NULL, &p, &task, &tp, &err);
    if (!s && !c->trial)
        s = claim_make(c, &p, &P, &z, &err);
    if (!s && P && ((given->exact ? at_program_print_exact : at_program_print)(P, &program) || program.oom))
        s = at_oom(&err);
    int code;
    const at_size *size = c->trial ? NULL : &z;
    if (s)
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, claim_json(c, task, &p, program.s, size), CLI_HOLDS);
    else if (given->exact)
        code = cli_put_text(a, &program, CLI_HOLDS);
    else {
        claim_print(c, task, &p, program.s, size, &t);
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_program_free(P);
    at_text_release(&program);
    return code;
}

/* ---- model files ---------------------------------------------------------------------------------------- */

static void field_print(const at_field *f, at_text *t)
{
    char left[AT_NAME_MAX + 8], right[160] = "";
    switch (f->kind) {
    case AT_FIELD_TOKEN:
        snprintf(right, sizeof right, "token 0..%d%s%.31s%s%.31s", f->size - 1, f->words ? ", written " : "",
                 f->words ? f->words[0].s : "", f->words ? " to " : "",
                 f->words ? f->words[f->size - 1].s : "");
        break;
    case AT_FIELD_SUBSET:
        snprintf(right, sizeof right, "%d of 1..%d", f->pick, f->size);
        break;
    case AT_FIELD_REAL:
        snprintf(right, sizeof right, "%d reals in %.6g..%.6g", f->size, f->lo, f->hi);
        break;
    case AT_FIELD_INT:
        snprintf(right, sizeof right, "%d integers in %.17g..%.17g", f->size, f->lo, f->hi);
        break;
    }
    snprintf(left, sizeof left, "  %s", f->name);
    cli_row(t, left, 16, right, COLUMNS);
}

static void block_print(const at_block *b, at_text *t)
{
    at_text right;
    at_text_init(&right);
    for (int g = 0; b->kind == AT_BLOCK_ATTN && g < b->n_groups; g++) {
        const at_group *q = &b->groups[g];
        at_text_addf(&right, "%s%d %s head%s, mask %s, score %s, widths %d and %d", g ? "; " : "", q->heads,
                     at_weighting_names[q->weighting], q->heads == 1 ? "" : "s", at_mask_names[q->mask.kind],
                     at_post_names[q->post], q->dk, q->dv);
        if (at_weighting_hard(q->weighting) && q->tie > 0)
            at_text_addf(&right, ", tie %.6g", q->tie);
        if (q->rotary.width)
            at_text_addf(&right, ", rotary positions on %d of %d coordinates (%s, theta %.6g)",
                         q->rotary.width, q->dk, at_pairing_names[q->rotary.pairing], q->rotary.theta);
        if (q->alibi)
            at_text_add(&right, ", alibi");
        if (q->rounded)
            at_text_addf(&right, ", sums rounded to %d bits after every token", q->rounded);
        if (q->name) {
            at_text_add(&right, ", for ");
            at_text_add_plain(&right, q->name);
        }
    }
    for (int d = 0; at_block_dense(b) && d < b->n_dense; d++)
        at_text_addf(&right, "%s%d", d ? " -> " : "", b->dense[d].rows);
    at_text_addf(&right, "%s%s%s", at_block_dense(b) ? " units, " : "",
                 at_block_dense(b) ? at_act_names[b->act] : "", at_block_gated(b) ? ", gated" : "");
    if (b->kind == AT_BLOCK_RNN)
        at_text_addf(&right, "%s cell, state of %d", at_rnn_cell_names[b->rnn.cell], b->rnn.state);
    at_text_addf(&right, "%s%s", b->residual ? ", residual" : "", b->parallel ? ", parallel" : "");
    if (b->norm)
        at_text_addf(&right, ", %s-norm%s", at_norm_names[b->norm],
                     b->norm_kind == AT_NORM_RMS ? " (rms)" : "");
    char left[32];
    snprintf(left, sizeof left, "  %s", at_block_names[b->kind]);
    cli_row(t, left, 16, right.oom ? "" : right.s, COLUMNS);
    t->oom |= right.oom;
    at_text_release(&right);
}

/* What makes it a decoder. */
static void decode_print(const at_model *m, at_text *t)
{
    const at_decode *d = &m->decode;
    if (!d->enabled)
        return;
    at_text_addf(t, "\ndecoder\n  prompts of %d", d->prompt_min);
    if (d->prompt_max > d->prompt_min)
        at_text_addf(t, "..%d", d->prompt_max);
    at_text_addf(t, " rows; then at most %d rows, until ", d->max_steps);
    if (d->stop == AT_STOP_EQUALS)
        at_text_addf(t, "number %d of a row is %.17g\n", d->coordinate + 1, d->value);
    else
        at_text_add(t, "there are as many\n");
    if (!d->prompt)
        return;
    at_text all;
    at_text_init(&all);
    at_text_add(&all, "a prompt is: ");
    at_prompt_print(m, &all);
    cli_wrap(t, all.oom ? "" : all.s, 2, COLUMNS);
    t->oom |= all.oom;
    at_text_release(&all);
}

static void model_print(const at_model *m, const char *hash, const at_size *z, at_text *t)
{
    at_text_add(t, "model ");
    at_text_add_plain(t, m->name[0] ? m->name : "(no name)");
    at_text_addf(t, "\n  sha-256 %s\n", hash);
    if (m->problem)
        at_text_addf(t, "  made for %s\n", m->problem);
    if (m->arithmetic)
        at_text_addf(t, "  error bounds for %s\n", m->arithmetic);
    at_text_addf(t, "  lengths %d..%d", m->n_min, m->n_max);
    if (m->n_prefix + m->n_suffix)
        at_text_addf(t, ", with %d hidden positions before and %d after", m->n_prefix, m->n_suffix);
    at_text_add(t, "\n");
    heading(t, "fields of a position");
    for (int k = 0; k < m->n_fields; k++)
        field_print(&m->fields[k], t);
    if (m->n_pos)
        heading(t, "position features");
    for (int k = 0; k < m->n_pos; k++)
        at_text_addf(t, "  %s\n", at_pos_names[m->pos[k].kind]);
    heading(t, "blocks");
    for (int k = 0; k < m->n_blocks; k++)
        block_print(&m->blocks[k], t);
    at_text_addf(t, "\nreadout\n  %s of %d, at %s\n", at_read_names[m->readout.kind], m->readout.rows,
                 m->readout.last ? "the last position" : "every position");
    decode_print(m, t);
    size_print(z, COLUMNS, t);
}

static json_t *model_json(const at_model *m, const char *hash, const at_size *z)
{
    json_t *fields = json_array(), *blocks = json_array();
    for (int k = 0; k < m->n_fields; k++) {
        json_t *f = cli_json_set(json_object(), "name", cli_json_text(m->fields[k].name));
        f = cli_json_set(f, "kind", cli_json_text(at_field_names[m->fields[k].kind]));
        fields = cli_json_add(fields, cli_json_set(f, "size", json_integer(m->fields[k].size)));
    }
    for (int k = 0; k < m->n_blocks; k++)
        blocks = cli_json_add(blocks, cli_json_text(at_block_names[m->blocks[k].kind]));
    json_t *j = cli_json_set(json_object(), "name", cli_json_text(m->name));
    j = cli_json_set(j, "sha256", cli_json_text(hash));
    j = cli_json_set(j, "problem", cli_json_text(m->problem));
    j = cli_json_set(j, "arithmetic", cli_json_text(m->arithmetic));
    j = cli_json_set(j, "least_length", json_integer(m->n_min));
    j = cli_json_set(j, "most_length", json_integer(m->n_max));
    j = cli_json_set(j, "hidden", json_integer(m->n_prefix + m->n_suffix));
    j = cli_json_set(j, "fields", fields);
    j = cli_json_set(j, "blocks", blocks);
    j = cli_json_set(j, "readout", cli_json_text(at_read_names[m->readout.kind]));
    if (m->decode.enabled) {
        json_t *d = cli_json_set(json_object(), "prompt_least", json_integer(m->decode.prompt_min));
        d = cli_json_set(d, "prompt_most", json_integer(m->decode.prompt_max));
        d = cli_json_set(d, "max_steps", json_integer(m->decode.max_steps));
        if (m->decode.prompt) {
            at_text all;
            at_text_init(&all);
            at_prompt_print(m, &all);
            d = cli_json_set(d, "prompt", all.oom ? NULL : cli_json_text(all.s));
            at_text_release(&all);
        }
        j = cli_json_set(j, "decoder", d);
    }
    return cli_json_set(j, "size", cli_size_json(z));
}

static int model_show(const cli_args *a)
{
    at_err err = {0};
    at_model m;
    if (a->set)
        return cli_usage(a, "--set is for claims, tasks and .dp files, and '%.60s' is neither", a->words[0]);
    if (at_model_load(&m, a->words[0], &err))
        return cli_fail(a, &err);
    char hash[65];
    int code;
    at_size z;
    at_model_size(&m, &z);
    if (at_model_hash(&m, hash, &err))
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, model_json(&m, hash, &z), CLI_HOLDS);
    else {
        at_text t;
        at_text_init(&t);
        model_print(&m, hash, &z, &t);
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_model_release(&m);
    return code;
}

/* ---- texts in some language (front.h) -------------------------------------------------------------------- */

static int text_show(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    at_reading r;
    at_said said;
    if (at_front_open_over(a->words[0], given->alphabet, &r, &err))
        return cli_fail(a, &err);
    at_text set;
    at_text_init(&set);
    at_said_init(&said);
    at_show_options o = {.budget = given->budget, .exact = given->exact};
    at_status s = cli_output_set(a->set, given->output, &set, &err);
    if (!s)
        s = at_front_show(&r, set.s, &o, &said, &err);
    int code;
    if (s)
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, cli_said_json(&said, NULL), CLI_HOLDS);
    else {
        at_text t;
        at_text_init(&t);
        cli_said_print(&said, &t);
        if (said.sized && !given->exact)
            size_print(&said.size, cli_columns(), &t);
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_text_release(&set);
    at_said_release(&said);
    at_reading_release(&r);
    return code;
}

/* Has it parameters of all these names? */
static bool takes(const at_param *schema, int n, const char *set)
{
    static const char between[] = " \t\r\n,";
    for (const char *s = set ? set : ""; *(s += strspn(s, between)); s += strcspn(s, between)) {
        size_t name = strcspn(s, "= \t\r\n,");
        bool known = false;
        for (int k = 0; k < n; k++)
            known |= strlen(schema[k].name) == name && !memcmp(schema[k].name, s, name);
        if (!known)
            return false;
    }
    return true;
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    const char *id = a->words[0];
    const at_claim *c = at_claim_find(id);
    const at_task *t = at_task_find(id);
    const at_stream *k = at_stream_find(id);
    bool stream = k && a->set && takes(k->params, k->n_params, a->set); /* where others of its name do not */
    if (c && (takes(c->params, c->n_params, a->set) || !stream))
        return claim_show(a, c);
    if (cli_is_claim(id)) {
        at_err err = {0};
        cli_claims held = {.n = 0};
        int code = cli_claim_open(&held, id, &c, &err) ? cli_fail(a, &err) : claim_show(a, c);
        cli_claims_release(&held);
        return code;
    }
    const at_front *f = at_front_of_file(id);
    if (!f && (given->alphabet || given->output))
        return cli_usage(a, "--alphabet and --output are for files of languages, and '%.60s' is none", id);
    if (given->exact && !(f && f->exact))
        return cli_usage(a, "--exact is for claims and FILE.program, and '%.60s' is neither", id);
    if (f)
        return text_show(a);
    if (t && (takes(t->params, t->n_params, a->set) || !stream))
        return task_show(a, t);
    if (k)
        return stream_show(a, k);
    if (strpbrk(id, "./") || access(id, F_OK) == 0)
        return model_show(a);
    if (at_front_of_word(id)) /* a recurrence that attest brings along */
        return text_show(a);
    at_err err = {0};
    at_guess g = {id};
    at_guess_add_all(&g, &at_claim_registry);
    at_guess_add_all(&g, &at_task_registry);
    at_guess_add_all(&g, &at_stream_registry);
    at_guess_fail(&g, "claim, task or stream", "attest list", &err);
    return cli_fail(a, &err);
}

static const own usual = {.budget = 2000};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_ALPHABET(own)},
    {CLI_OUTPUT(own)},
    {"--budget", "M", "recurrences: millions of operations to try (default 2000)",
     CLI_NUMBER(own, budget, 0.001, 1e12)},
    {"--exact", NULL, "the program alone, whole, with all digits: a FILE.program", CLI_FLAG(own, exact)},
    {0},
};

const cli_command cmd_show = {
    .name = "show",
    .summary = "all about one claim, task, stream, recurrence, program or model file",
    .usage = "ID|FILE.claim|FILE.dp|FILE.program|MODEL [--set K=V]... [--exact]",
    .about =
        "A claim: statement, source, proof, parameters with their ranges, task and how to write\n"
        "an input, the program at these parameters, the size it assembles to, and what\n"
        "`attest check` asks of it. A task or stream: definition and parameters (a claim goes\n"
        "first where one has the same name, unless --set names what only the stream has). A .dp file: the\n"
        "recurrence and, at sizes given by --set, its length, its locality and whether it is regular\n"
        "(with two inputs that have the same chain where it is not). A .program file (docs/program.md): the\n"
        "program and its size. Another file: its architecture. With --exact the program alone, as a file\n"
        "that `attest compile` reads back.\n",
    .examples = "attest show match2\nattest show match2 --set N=64,M=1024\nattest show qsa --json\n"
                "attest show match2.safetensors\nattest show examples/lis.dp --set n=5,top=5\n"
                "attest show match2 --set N=4,M=5 --exact\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 1,
    .missing = "the id of a claim, task or stream, a .claim, .dp or .program file or a model file",
    .run = run,
};
