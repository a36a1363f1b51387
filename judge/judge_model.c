/* judge_model.c: models, inputs and what attest makes of them, written down for a reader that shares no code with it
 * (tools/reference.py, asked by judge_model.py).
 *
 *     judge_model DIR [RANDOM]     DIR/NAME.safetensors and DIR/cases.jsonl; RANDOM models over all parts (2000)
 *
 * Models: every claim of the catalogue that has one, at its default sizes and at those of its picture; every shipped recurrence in
 * every attention; arithmetic; small trainings of every net; random models. Inputs come from the claim's task or chain, and from
 * the model's own domain.
 *
 * A line of cases.jsonl is one case: model, from (where it is from), input (a line of text), and either values, decisions and margins
 * of at_run in f64, or rows, least_margin and stopped of at_generate, or refused for a prompt that is none, or, for a line that may
 * be none, taken and what is read from it. Beside values stand two bounds of at_run_bound: radii of balls around the
 * values of all f64 runs that add in any order, where large ones say that rounding decides a hard choice; and errors, the radii for
 * the order of at_run, where 0 says that nothing was rounded. values_f32 and radii_f32 are the balls of all f32 runs in any order, for
 * exported models (judge_export.py). The first line lists the names of all parts, so that the judge can ask
 * for every one of them. */
#include "random_any.h"

#include <attest/claim.h>
#include <attest/front.h>
#include <attest/learn.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/exec/exec_internal.h"
#include "../src/model/tensors.h"

typedef struct {
    const char *dir;
    FILE *cases;
    char file[64];  /* of the model at hand */
    char from[160]; /* where it is from */
    int models, runs, chains, refused, lines;
    at_err err;
} judge;

static json_t *numbers(const double *v, int rows, int width, const uint8_t *decided)
{
    json_t *all = json_array();
    for (int i = 0; i < rows; i++) {
        json_t *one = json_array();
        for (int k = 0; k < width; k++) {
            double x = v[i * width + k];
            bool known = isfinite(x) && (!decided || decided[i * width + k] == AT_TRUE);
            json_array_append_new(one, known ? json_real(x) : json_null());
        }
        json_array_append_new(all, one);
    }
    return all;
}

static at_status line_write(judge *j, json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
    at_status s =
        text && fprintf(j->cases, "%s\n", text) > 0 ? AT_OK : at_fail(&j->err, AT_EIO, "cannot write");
    free(text);
    json_decref(o);
    return s;
}

static json_t *case_begin(const judge *j, const at_model *m, const at_input *x)
{
    at_text line;
    at_text_init(&line);
    at_input_print(m, x, &line);
    json_t *o =
        json_pack("{s:s, s:s, s:s}", "model", j->file, "from", j->from, "input", line.s ? line.s : "");
    at_text_release(&line);
    return o;
}

static at_status run_write(judge *j, const at_model *m, const at_input *x)
{
    at_arena a;
    at_arena_init(&a);
    at_output y, bound, ordered, single;
    at_status s = at_run(m, at_f64, x, NULL, &a, &y, &j->err);
    if (!s)
        s = at_run_bound(m, at_f64, x, true, &a, &bound, &j->err);
    if (!s)
        s = at_run_bound(m, at_f64, x, false, &a, &ordered, &j->err);
    if (!s)
        s = at_run_bound(m, at_f32, x, true, &a, &single, &j->err);
    if (!s) {
        json_t *o = case_begin(j, m, x);
        json_object_set_new(o, "values", numbers(y.value, y.n, y.rows, NULL));
        json_object_set_new(o, "decisions", numbers(y.decision, y.n, y.width, y.decided));
        json_object_set_new(o, "margins", numbers(y.margin, y.n, y.width, NULL));
        json_object_set_new(o, "radii", numbers(bound.radius, y.n, y.rows, NULL));
        json_object_set_new(o, "errors", numbers(ordered.radius, y.n, y.rows, NULL));
        json_object_set_new(o, "values_f32", numbers(single.value, y.n, y.rows, NULL));
        json_object_set_new(o, "radii_f32", numbers(single.radius, y.n, y.rows, NULL));
        s = line_write(j, o);
        j->runs++;
    }
    at_arena_release(&a);
    return s;
}

/* The chain, and the values at every position of prompt and chain together. A decoder that attest does not continue (it has no step
 * for recurrent blocks) is run only. */
static at_status chain_write(judge *j, const at_model *m, const at_input *prompt)
{
    at_arena a;
    at_arena_init(&a);
    double *rows = NULL, margin = 0;
    int n = 0;
    size_t width = (size_t)at_model_row_width(m);
    at_status s = at_generate(m, at_f64, prompt, &a, &rows, &n, &margin, &j->err);
    if (s == AT_EREFUSED) {
        at_arena_release(&a);
        return run_write(j, m, prompt);
    }
    if (!s || s == AT_EBUDGET) {
        json_t *o = case_begin(j, m, prompt);
        json_object_set_new(o, "rows", numbers(rows, n, (int)width, NULL));
        json_object_set_new(o, "least_margin", isfinite(margin) ? json_real(margin) : json_null());
        json_object_set_new(o, "stopped", json_boolean(!s));
        s = line_write(j, o);
        j->chains++;
    }
    double *all = s ? NULL : at_new(&a, double, ((size_t)prompt->n + (size_t)n) * width);
    if (!s && !all)
        s = at_oom(&j->err);
    if (!s) {
        memcpy(all, prompt->v, (size_t)prompt->n * width * sizeof *all);
        memcpy(all + (size_t)prompt->n * width, rows, (size_t)n * width * sizeof *all);
        s = run_write(j, m, &(at_input){prompt->n + n, all});
    }
    at_arena_release(&a);
    return s;
}

static at_status input_write(judge *j, const at_model *m, const at_input *x)
{
    return m->decode.enabled ? chain_write(j, m, x) : run_write(j, m, x);
}

/* Rows of the domain that are no prompt of the model; or nothing, where they are one. */
static at_status refusal_write(judge *j, const at_model *m, const at_input *x)
{
    if (at_prompt_check(m, x, &j->err) != AT_EDOMAIN)
        return AT_OK;
    json_t *o = case_begin(j, m, x);
    json_object_set_new(o, "refused", json_true());
    j->refused++;
    return line_write(j, o);
}

/* A line with some bytes changed: what is read from it, or that it is refused. Where a bar may stand is attest's own business. */
static at_status line_case_write(judge *j, const at_model *m, const at_input *x, at_rng *r)
{
    static const char bytes[] = "0123456789 ,/-+.e|\tw";
    at_text line;
    at_text_init(&line);
    at_input_print(m, x, &line);
    for (uint64_t edits = at_rng_below(r, 3); line.n > 0; edits--) {
        line.s[at_rng_below(r, line.n)] = bytes[at_rng_below(r, sizeof bytes - 1)];
        if (!edits)
            break;
    }
    at_status s = AT_OK;
    at_arena a;
    at_arena_init(&a);
    at_input back;
    if (line.oom)
        s = at_oom(&j->err);
    else if (model_utf8(line.s, line.n) && !(m->decode.prompt && strchr(line.s, '|'))) {
        bool taken = at_input_parse(m, line.s, &a, &back, &j->err) == AT_OK;
        json_t *o = json_pack("{s:s, s:s, s:s, s:b}", "model", j->file, "from", j->from, "input", line.s,
                              "taken", taken);
        if (taken)
            json_object_set_new(o, "read", numbers(back.v, back.n, at_model_row_width(m), NULL));
        s = line_write(j, o);
        j->lines++;
    }
    at_arena_release(&a);
    at_text_release(&line);
    return s;
}

/* `count` inputs of the model's own domain, the shortest and the longest among them. */
static at_status domain_write(judge *j, const at_model *m, int count, uint64_t seed)
{
    int lo = m->decode.enabled ? m->decode.prompt_min : m->n_min,
        hi = m->decode.enabled ? m->decode.prompt_max : m->n_max;
    at_rng r = at_rng_at(seed, 11);
    at_status s = AT_OK;
    for (int i = 0; i < count && !s; i++) {
        int n = i == 0 ? hi : i == 1 ? lo : lo + (int)at_rng_below(&r, (uint64_t)(hi - lo) + 1);
        double *v = at_calloc((size_t)n * (size_t)at_model_row_width(m), sizeof *v);
        if (!v)
            return at_oom(&j->err);
        random_prompt(m, &r, n, v);
        s = input_write(j, m, &(at_input){n, v});
        if (!s)
            s = line_case_write(j, m, &(at_input){n, v}, &r);
        for (int t = 0; t < n; t++)
            random_row(m, &r, v + t * at_model_row_width(m));
        if (!s && m->decode.prompt)
            s = refusal_write(j, m, &(at_input){n, v});
        at_free(v);
    }
    return s;
}

static at_status model_write(judge *j, const at_model *m, const char *kind)
{
    char path[4096];
    snprintf(j->file, sizeof j->file, "%s-%d.safetensors", kind, j->models++);
    snprintf(path, sizeof path, "%s/%s", j->dir, j->file);
    return at_model_save(m, path, &j->err);
}

/* ---- claims -------------------------------------------------------------------------------------------------------- */

static at_status task_write(judge *j, const at_claim *c, const at_params *p, const at_model *m)
{
    const at_task *t;
    at_params tp;
    at_status s = at_claim_task(c, p, &t, &tp, &j->err);
    if (s)
        return s;
    int n = at_params_int(&tp, "N");
    double *x = at_calloc((size_t)n * (size_t)t->row_width(&tp), sizeof *x);
    if (!x)
        return at_oom(&j->err);
    for (int i = 0; i < 4 && !s; i++) {
        at_rng r = at_rng_at(3, (uint64_t)i);
        (i % 2 && t->adversarial ? t->adversarial : t->sample)(&tp, &r, x);
        s = run_write(j, m, &(at_input){n, x});
    }
    at_free(x);
    return s;
}

static at_status prompts_write(judge *j, const at_claim *c, const at_params *p, const at_model *m)
{
    void *self;
    at_status s = c->chain->open(p, &self, &j->err);
    if (s)
        return s;
    double *x = at_calloc((size_t)c->chain->prompt_max(self) * (size_t)c->chain->row_width(self), sizeof *x);
    if (!x)
        s = at_oom(&j->err);
    for (int i = 0; i < 3 && !s; i++) {
        at_rng r = at_rng_at(5, (uint64_t)i);
        int n;
        s = c->chain->sample(self, &r, x, &n, &j->err);
        if (!s)
            s = input_write(j, m, &(at_input){n, x});
    }
    at_free(x);
    c->chain->close(self);
    return s;
}

/* kind: claim or program. */
static at_status claim_write(judge *j, const at_claim *c, const char *kind, const char *set)
{
    at_params p;
    at_model m;
    at_params_init(&p, c->params, c->n_params);
    at_status s = set ? at_params_parse(&p, set, &j->err) : AT_OK;
    if (!s)
        s = at_claim_model(c, &p, &m, &j->err);
    if (s)
        return s;
    snprintf(j->from, sizeof j->from, "%s %s%s%s", kind, c->id, set ? " " : "", set ? set : "");
    s = model_write(j, &m, c->id);
    if (!s)
        s = c->chain ? prompts_write(j, c, &p, &m) : task_write(j, c, &p, &m);
    at_model_release(&m);
    return s;
}

static at_status claims_write(judge *j)
{
    at_status s = AT_OK;
    for (int k = 0; k < at_n_catalogue && !s; k++) {
        const at_claim *c = at_catalogue[k];
        if (c->trial)
            continue;
        s = claim_write(j, c, "claim", NULL);
        if (!s && c->look_params)
            s = claim_write(j, c, "claim", c->look_params);
    }
    return s;
}

/* ---- programs: every recurrence of the claims in every attention, arithmetic --------------------------------------- */

/* The values of a claim's parameter `problem`, ended by NULL. */
static const char *const *problems_of(const at_claim *c)
{
    static const char *const none[] = {NULL};
    for (int k = 0; k < c->n_params; k++)
        if (strcmp(c->params[k].name, "problem") == 0)
            return c->params[k].names;
    return none;
}

static at_status programs_write(judge *j)
{
    static const char *const ids[] = {"dp-standard", "dp-linear", "dp-sparse", "dp-local"};
    at_status s = AT_OK;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        for (const char *const *name = problems_of(at_claim_find(ids[i])); *name && !s; name++) {
            char set[96];
            snprintf(set, sizeof set, "problem=%s a=3 b=4", *name);
            s = claim_write(j, at_claim_find(ids[i]), "program", set);
        }
    if (!s)
        s = claim_write(j, at_claim_find("arith-standard"), "program", "p=7");
    return s ? s : claim_write(j, at_claim_find("arith-sparse"), "program", "p=5");
}

/* ---- trained nets ---------------------------------------------------------------------------------------------------- */

static at_status trained_write(judge *j, const at_source *d, const char *set)
{
    at_recipe r;
    at_arena a;
    at_outcome o;
    at_model m;
    at_recipe_init(&r);
    at_arena_init(&a);
    at_status s =
        at_recipe_set(&r, "width=16 layers=2 batch=8 rate=0.01 steps=60 exams=0 count=10 warmup=10", &j->err);
    if (!s)
        s = at_recipe_set(&r, set, &j->err);
    if (!s)
        s = at_learn(d, &r, &(at_learn_options){.threads = 1}, &a, &o, &m, &j->err);
    if (!s) {
        snprintf(j->from, sizeof j->from, "trained %s", set);
        s = model_write(j, &m, "trained");
        if (!s)
            s = domain_write(j, &m, 3, 2);
        at_model_release(&m);
    }
    at_arena_release(&a);
    return s;
}

static at_status nets_write(judge *j)
{
    static const char *const sets[] = {"net=decoder attention=standard",
                                       "net=decoder attention=standard positions=learned",
                                       "net=decoder attention=sparse",
                                       "net=decoder attention=linear norm0=0",
                                       "net=three-wise",
                                       "net=tanh",
                                       "net=gru",
                                       "net=ffn"};
    const at_stream *t = at_stream_find("parity");
    at_params p;
    at_source *d;
    at_params_init(&p, t->params, t->n_params);
    at_status s = at_params_parse(&p, "n=6", &j->err);
    if (!s)
        s = at_source_open(t, &p, &d, &j->err);
    if (s)
        return s;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !s; i++)
        s = trained_write(j, d, sets[i]);
    at_source_free(d);
    return s;
}

static at_status randoms_write(judge *j, int count)
{
    at_status s = AT_OK;
    for (int i = 0; i < count && !s; i++) {
        at_model m;
        s = random_any((uint64_t)i, &m, &j->err);
        if (s)
            return s;
        snprintf(j->from, sizeof j->from, "random %d", i);
        s = model_write(j, &m, "random");
        if (!s)
            s = domain_write(j, &m, 2, (uint64_t)i);
        at_model_release(&m);
    }
    return s;
}

static void names_add(json_t *o, const char *part, const char *const *names, int n)
{
    json_t *all = json_array();
    for (int k = 0; k < n; k++)
        json_array_append_new(all, json_string(names[k]));
    json_object_set_new(o, part, all);
}

static at_status parts_write(judge *j)
{
    json_t *o = json_object();
    names_add(o, "weighting", at_weighting_names, AT_WEIGHTINGS);
    names_add(o, "mask", at_mask_names, AT_MASKS);
    names_add(o, "post", at_post_names, AT_POSTS);
    names_add(o, "position", at_pos_names, AT_POS_KINDS);
    names_add(o, "field", at_field_names, AT_FIELD_KINDS);
    names_add(o, "act", at_act_names, AT_ACTS);
    names_add(o, "block", at_block_names, AT_BLOCK_KINDS);
    names_add(o, "cell", at_rnn_cell_names, AT_CELLS);
    names_add(o, "norm", at_norm_names, AT_NORMS);
    names_add(o, "norm_kind", at_norm_kind_names, AT_NORM_KINDS);
    names_add(o, "pairing", at_pairing_names, AT_PAIRINGS);
    const char *traits[AT_TRAITS];
    int n = 0;
    for (int t = 0; t < AT_TRAITS; t++)
        if (t != AT_TRAIT_ROUNDED) /* whole passes, which are asked about here, refuse it */
            traits[n++] = at_trait_parts[t].name;
    names_add(o, "trait", traits, n);
    names_add(o, "readout", at_read_names, AT_READS);
    names_add(o, "stop", at_stop_names, AT_STOPS);
    return line_write(j, o);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: judge_model DIR [RANDOM]\n");
        return 2;
    }
    char path[4096];
    judge j = {.dir = argv[1]};
    snprintf(path, sizeof path, "%s/cases.jsonl", j.dir);
    if (!(j.cases = fopen(path, "w"))) {
        perror(path);
        return 2;
    }
    at_status s = parts_write(&j);
    if (!s)
        s = claims_write(&j);
    if (!s)
        s = programs_write(&j);
    if (!s)
        s = nets_write(&j);
    if (!s)
        s = randoms_write(&j, argc > 2 ? atoi(argv[2]) : 2000);
    if (fclose(j.cases) && !s)
        s = at_fail(&j.err, AT_EIO, "%s: cannot write", path);
    if (s) {
        fprintf(stderr, "judge_model: %s: %s\n", j.from, j.err.text);
        return 1;
    }
    printf("%d models, %d runs, %d chains, %d refused prompts, %d lines\n", j.models, j.runs, j.chains,
           j.refused, j.lines);
    return 0;
}
