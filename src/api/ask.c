/* ask.c: questions about models, answered as results. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <attest/bound.h>
#include <attest/front.h>
#include <attest/job.h>

#include "api_internal.h"

/* ---- verdicts --------------------------------------------------------------------------------------------- */

/* Rows of a check as they come. */
typedef struct {
    json_t *rows;
    double inputs;
    at_err err; /* memory that ended on the way */
} verdicts;

static json_t *counterexample_json(const at_counterexample_detail *c)
{
    if (!c)
        return json_null();
    json_t *j = result_set(json_object(), "input", result_text(c->input));
    j = result_set(j, "position", c->position ? json_integer(c->position) : json_null());
    j = result_set(j, "expected",
                   c->expected_word ? result_text(c->expected_word) : result_number(c->expected));
    j = result_set(j, "got", c->got_word ? result_text(c->got_word) : result_number(c->got));
    j = result_set(j, "chain", result_text(c->chain));
    return result_set(j, "attention", result_text(c->attention));
}

static json_t *table_json(const at_table_detail *t)
{
    json_t *columns = json_array(), *rows = json_array();
    for (int k = 0; k < t->n_columns; k++)
        columns = result_add(columns, result_text(t->columns[k]));
    for (int i = 0; i < t->n_rows; i++) {
        json_t *row = json_array();
        for (int k = 0; k < t->n_columns; k++) {
            const at_table_entry *e = &t->entries[i * t->n_columns + k];
            row = result_add(row, e->text ? result_text(e->text) : result_number(e->number));
        }
        rows = result_add(rows, row);
    }
    json_t *j = result_set(json_object(), "title", result_text(t->title));
    return result_set(result_set(j, "columns", columns), "rows", rows);
}

/* What stands in the detail of a row. */
static json_t *detail_add(json_t *j, const at_row *r, at_err *err)
{
    at_arena a;
    at_finding f;
    at_arena_init(&a);
    if (at_finding_of_row(r, &a, &f, err)) {
        json_decref(j);
        j = NULL;
    } else if (f.kind == AT_FINDING_TABLE && !f.broken)
        j = result_set(j, "table", table_json(&f.table));
    else if (f.kind == AT_FINDING_VERDICT && !f.broken) {
        j = result_set(j, "control", result_text(f.verdict.control));
        j = result_set(j, "note", result_text(f.verdict.note));
        j = result_set(j, "counterexample", counterexample_json(f.verdict.counterexample));
    }
    at_arena_release(&a);
    return j;
}

static void told(void *ctx, const at_job_event *e)
{
    verdicts *v = ctx;
    const at_row *r = e->row;
    json_t *j = result_set(json_object(), "claim", result_text(r->key.subject));
    j = result_set(j, "role", result_text(r->rec.role));
    j = result_set(j, "parameters", result_text(r->key.params));
    j = result_set(j, "verdict", result_text(r->rec.verdict));
    j = result_set(j, "good", json_boolean(e->good));
    j = result_set(j, "evidence", result_text(r->rec.evidence));
    j = result_set(j, "strength", result_text(at_strength_names[at_row_strength(r)]));
    j = result_set(j, "arithmetic", result_text(r->rec.arithmetic));
    j = result_set(j, "inputs", result_number((double)r->rec.inputs));
    j = result_set(j, "margin", result_number(r->rec.margin));
    j = result_set(j, "seconds", result_number(r->rec.seconds));
    v->rows = result_add(v->rows, detail_add(j, r, &v->err));
    if (!at_row_is_control(r))
        v->inputs += (double)r->rec.inputs;
}

static const char *standing_word(at_standing s)
{
    switch (s) {
    case AT_STANDS:
        return "holds";
    case AT_FALLS:
        return "fails";
    case AT_OPEN:
        return "unknown";
    case AT_ABSENT:
        return "not checked";
    }
    return "unknown";
}

static at_status claim_check(const at_claim *c, const at_job *how, at_result **out, at_err *err)
{
    at_job job = *how;
    at_job_summary sum;
    verdicts v = {.rows = json_array()};
    job.told = told;
    job.ctx = &v;
    at_status s = at_job_check(&c, 1, &job, &sum, err);
    if (!s && v.err.code)
        s = at_fail(err, v.err.code, "%s", v.err.text);
    if (s) {
        json_decref(v.rows);
        return s;
    }
    json_t *j = result_set(json_object(), "verdict", result_text(standing_word(sum.standing)));
    j = result_set(j, "claim", result_text(c->id));
    j = result_set(j, "title", result_text(c->title));
    j = result_set(j, "statement", result_text(c->statement));
    j = result_set(j, "inputs", result_number(v.inputs));
    j = result_set(j, "controls", json_integer(sum.controls));
    j = result_set(j, "rejected", json_integer(sum.rejected));
    j = result_set(j, "seconds", result_number(sum.seconds));
    return result_end(result_set(j, "rows", v.rows), out, err);
}

at_status at_claim_verdict(const char *claim, const char *set, const char *how, const at_env *env,
                           at_result **out, at_err *err)
{
    api_begin(err);
    if (api_need("claim", claim, err))
        return AT_EINPUT;
    env = api_env(env);
    const char *tier = "quick", *precision = NULL;
    const option known[] = {{"tier", OPTION_TEXT, &tier}, {"precision", OPTION_TEXT, &precision}};
    at_arena a;
    at_arena_init(&a);
    at_arith arith;
    const at_claim *c = NULL;
    at_claim_file *file = NULL;
    at_status s = options_read(how, known, OPTIONS(known), &a, err);
    bool full = strcmp(tier, "full") == 0;
    if (!s && !full && strcmp(tier, "quick") != 0)
        s = at_fail(err, AT_EINPUT, "tier=%.40s: must be quick or full", tier);
    if (!s)
        s = api_precision(precision, &arith, err);
    if (!s)
        s = at_ends_with(claim, ".claim") ? at_claim_file_load(claim, &file, err)
                                          : at_claim_need(claim, &c, err);
    if (!s)
        s = claim_check(file ? at_claim_file_claim(file) : c,
                        &(at_job){.tier = full ? AT_TIER_FULL : AT_TIER_QUICK,
                                  .threads = env->threads,
                                  .seed = env->seed,
                                  .set = set && *set ? set : NULL,
                                  .arith = precision,
                                  .progress = &env->progress},
                        out, err);
    at_claim_file_free(file);
    at_arena_release(&a);
    return s;
}

/* ---- a model and a problem ----------------------------------------------------------------------------------- */

static const char *net_name(const at_net *net)
{
    return net->path ? net->path : *net->m.name ? net->m.name : "the model";
}

at_status question_open(const at_net *net, const char *problem, const char *set, bool length, question *q,
                        at_err *err)
{
    *q = (question){0};
    at_text_init(&q->name);
    at_text_init(&q->set);
    if (!problem && !net->m.problem)
        return at_fail(err, AT_EINPUT, "which problem should %.100s solve? It remembers none", net_name(net));
    at_status s = at_problem_known(net->m.problem, net->path ? net->path : "", problem, set, length, &q->name,
                                   &q->set, err);
    return s ? s : at_problem_open(q->name.s, &q->problem, err);
}

void question_release(question *q)
{
    at_problem_free(q->problem);
    at_text_release(&q->name);
    at_text_release(&q->set);
}

/* What the questions about a model may say. */
typedef struct {
    bool exact, certify;
    uint64_t sampled;
    const char *lengths, *precision, *by;
    double tolerance, budget;
} manner;

static at_status how_read(const char *how, bool check, manner *w, at_arith *arith, at_arena *a, at_err *err)
{
    const option checks[] = {
        {"exact", OPTION_FLAG, &w->exact},         {"sampled", OPTION_COUNT, &w->sampled},
        {"certify", OPTION_FLAG, &w->certify},     {"lengths", OPTION_TEXT, &w->lengths},
        {"precision", OPTION_TEXT, &w->precision}, {"tolerance", OPTION_NUMBER, &w->tolerance}};
    const option refutes[] = {{"by", OPTION_TEXT, &w->by},
                              {"budget", OPTION_NUMBER, &w->budget},
                              {"precision", OPTION_TEXT, &w->precision},
                              {"tolerance", OPTION_NUMBER, &w->tolerance}};
    at_status s = check ? options_read(how, checks, OPTIONS(checks), a, err)
                        : options_read(how, refutes, OPTIONS(refutes), a, err);
    if (!s && w->exact + w->certify + (w->sampled > 0) > 1)
        s = at_fail(err, AT_EINPUT, "exact, sampled and certify exclude each other");
    return s ? s : api_precision(w->precision, arith, err);
}

at_status at_net_check(const at_net *net, const char *problem, const char *set, const char *how,
                       const at_env *env, at_result **out, at_err *err)
{
    api_begin(err);
    env = api_env(env);
    manner w = {0};
    question q = {0};
    at_claim_file *f = NULL;
    at_model m;
    at_arith arith;
    at_arena a;
    at_arena_init(&a);
    at_status s = how_read(how, true, &w, &arith, &a, err);
    if (!s && w.certify && w.precision && arith.kind != AT_BALL)
        s = at_fail(err, AT_EINPUT,
                    "certify speaks of real arithmetic over the stored weights; precision=%.40s says another",
                    w.precision);
    if (!s)
        s = api_model(net, &m, err);
    if (!s)
        s = question_open(net, problem, set, false, &q, err);
    if (!s) {
        at_ask ask = {.problem = q.problem,
                      .model = net_name(net),
                      .given = &m,
                      .set = q.set.s,
                      .lengths = w.lengths,
                      .how = w.exact     ? AT_ASK_EXACT
                             : w.certify ? AT_ASK_CERTIFIED
                             : w.sampled ? AT_ASK_SAMPLED
                                         : AT_ASK_ANY,
                      .inputs = w.sampled,
                      .arith = w.precision,
                      .tolerance = w.tolerance,
                      .attention = -1};
        s = at_claim_ask(&ask, &f, NULL, err);
    }
    if (!s)
        s = claim_check(at_claim_file_claim(f),
                        &(at_job){.threads = env->threads, .seed = env->seed, .progress = &env->progress},
                        out, err);
    at_claim_file_free(f);
    question_release(&q);
    at_arena_release(&a);
    return s;
}

/* ---- refutations ------------------------------------------------------------------------------------------------- */

static at_status tolerance_find(double given, const question *q, const at_asked *x, double *out, at_err *err)
{
    bool real = x->task && x->task->real;
    if (!real && given > 0)
        return at_fail(err, AT_EINPUT, "answers of %s are no reals: tolerance says nothing of them",
                       q->name.s);
    *out = given > 0 ? given : real ? at_task_tolerance(x->task, &x->params) : 0;
    return !real || *out > 0
               ? AT_OK
               : at_fail(err, AT_EINPUT, "answers of %s are reals: how far off may they be? (tolerance=E)",
                         q->name.s);
}

static at_status subject_make(const question *q, at_asked *x, double tolerance, at_subject *out, at_err *err)
{
    const at_model *m = out->m;
    at_status s = AT_OK;
    if (x->view == AT_VIEW_POSITIONS && at_params_has(&x->params, "N") &&
        !at_assignments_name(q->set.s, "N")) {
        out->any_length = x->task->enums >> AT_ENUM_CASES & 1;
        if (at_params_int(&x->params, "N") > m->n_max) /* the usual length is more than the model takes */
            s = at_params_set(&x->params, "N", m->n_max, err);
    }
    if (!s && x->view == AT_VIEW_ROWS && at_params_has(&x->params, "order") &&
        at_params_int(&x->params, "order"))
        s = at_fail(err, AT_EREFUSED,
                    "with order=random several completions are right; refuting takes order=leftmost");
    if (!s)
        s = tolerance_find(tolerance, q, x, &out->tolerance, err);
    out->task = x->task;
    out->params = x->task ? &x->params : NULL;
    out->chain = x->chain;
    out->self = x->self;
    out->rounded_sums = m->decode.enabled && out->arith.kind == AT_PBIT;
    return s;
}

/* The numbers at a position, or rows of a chain. */
static json_t *side_json(const at_subject *s, const at_answer *y, int side, int at)
{
    if (!s->chain)
        return result_numbers(at_answer_at(s, y, side, at), y->width);
    json_t *all = json_array();
    for (int i = side ? y->open : 0; i < (side ? y->n_right : y->n); i++)
        all = result_add(all, result_numbers(at_answer_at(s, y, side, i), y->width));
    return all;
}

static json_t *wrong_json(const at_subject *s, const at_refutation *f, int k)
{
    at_text in;
    at_text_init(&in);
    at_input_print(s->m, &f->pair.x[k], &in);
    json_t *j = result_set(json_object(), "input", in.oom ? NULL : result_text(in.s ? in.s : ""));
    at_text_release(&in);
    j = result_set(j, "correct", json_boolean(at_answer_right(s, &f->answer[k], f->position)));
    j = result_set(j, "position", json_integer(f->position + 1));
    j = result_set(j, "got", side_json(s, &f->answer[k], 0, f->position));
    return result_set(j, "right", side_json(s, &f->answer[k], 1, f->position));
}

static json_t *refutation_json(const question *q, const at_subject *s, const at_params *p,
                               const at_refutation *f)
{
    bool found = f->refuted == AT_TRUE;
    json_t *inputs = json_array(), *attempts = json_array();
    for (int k = 0; found && k < 2 && f->pair.x[k].n; k++)
        inputs = result_add(inputs, wrong_json(s, f, k));
    for (int k = 0; k < f->n_attempts; k++) {
        const at_attempt *t = &f->attempts[k];
        json_t *j = result_set(json_object(), "refuter", result_text(t->id));
        j = result_set(j, "applies", json_boolean(t->status != AT_EREFUSED));
        j = result_set(j, "states", result_number((double)t->states));
        attempts = result_add(attempts, result_set(j, "words", result_text(t->words)));
    }
    const json_t *one = found ? json_array_get(inputs, (size_t)f->wrong) : NULL;
    json_t *wrong = found ? json_incref(json_object_get(one, "input")) : json_null();
    json_t *j = result_set(json_object(), "refuted", found ? json_true() : json_null());
    j = result_set(j, "problem", result_text(q->name.s));
    j = result_set_params(j, p);
    j = result_set(j, "method", result_text(f->method));
    j = result_set(j, "note", found ? result_text(f->pair.note) : json_null());
    j = result_set(j, "inputs", inputs);
    j = result_set(j, "wrong", wrong);
    j = result_set(j, "attempts", attempts);
    j = result_set(j, "multiply_adds", result_number(f->work));
    j = result_set(j, "random_inputs", result_number((double)f->random.tried));
    j = result_set(j, "random_wrong", json_boolean(f->random.wrong));
    return result_set(j, "seconds", result_number(f->seconds));
}

at_status at_net_refute(const at_net *net, const char *problem, const char *set, const char *how,
                        const at_env *env, at_result **out, at_err *err)
{
    api_begin(err);
    env = api_env(env);
    manner w = {.budget = 2000};
    question q = {0};
    at_asked x = {0};
    at_subject subject;
    at_refutation f;
    at_model m;
    at_arena a;
    at_arena_init(&a);
    subject = (at_subject){.m = &m};
    at_status s = how_read(how, false, &w, &subject.arith, &a, err);
    if (!s)
        s = api_model(net, &m, err);
    if (!s)
        s = question_open(net, problem, set, true, &q, err);
    if (!s)
        s = at_problem_ask(q.problem, &m, q.set.s, &x, err);
    bool asked = !s;
    if (!s)
        s = subject_make(&q, &x, w.tolerance, &subject, err);
    if (!s)
        s = at_refute(&subject,
                      &(at_refute_env){.work = 1e6 * w.budget,
                                       .seed = env->seed,
                                       .threads = env->threads,
                                       .progress = &env->progress},
                      w.by, &a, &f, err);
    if (!s)
        s = result_end(refutation_json(&q, &subject, &x.params, &f), out, err);
    if (asked)
        at_asked_release(&x);
    question_release(&q);
    at_arena_release(&a);
    return s;
}

/* ---- two models ------------------------------------------------------------------------------------------------------ */

static at_status lengths_read(const char *s, at_equal_question *q, at_err *err)
{
    const char *dots = s ? strstr(s, "..") : NULL;
    int64_t lo, hi;
    if (!s)
        return AT_OK;
    if (!at_parse_i64(s, dots ? (size_t)(dots - s) : strlen(s), &lo) ||
        !at_parse_i64(dots ? dots + 2 : s, strlen(dots ? dots + 2 : s), &hi) || lo < 0 || hi < lo ||
        hi > AT_MAX_LENGTH)
        return at_fail(err, AT_EINPUT, "lengths=%.40s: must be as in 0..6, or one number", s);
    q->has_lengths = true;
    q->least = (int)lo;
    q->most = (int)hi;
    return AT_OK;
}

static json_t *witness_json(const at_model *m, const at_equality *e)
{
    at_text in;
    at_text_init(&in);
    at_input_print(m, &e->x, &in);
    json_t *j = result_set(json_object(), "input", in.oom ? NULL : result_text(in.s ? in.s : "")),
           *outputs = json_array();
    at_text_release(&in);
    j = result_set(j, "position", json_integer(e->position + 1));
    for (int k = 0; k < 2; k++)
        outputs = result_add(outputs, result_numbers(e->output[k], e->rows[k] * e->width));
    return result_set(j, "outputs", outputs);
}

at_status at_net_equal(const at_net *a, const at_net *b, const char *how, const at_env *env, at_result **out,
                       at_err *err)
{
    api_begin(err);
    env = api_env(env);
    manner w = {0};
    at_equal_question q = {.seed = env->seed};
    at_equality e;
    at_model m[2];
    at_arena arena;
    at_arena_init(&arena);
    at_status s = how_read(how, true, &w, &q.arith, &arena, err);
    if (!s && w.certify)
        s = at_fail(err, AT_EREFUSED, "two models are compared on inputs; nothing is certified");
    if (!s)
        s = lengths_read(w.lengths, &q, err);
    if (!s)
        s = api_model(a, &m[0], err);
    if (!s)
        s = api_model(b, &m[1], err);
    q.exact = w.exact;
    q.sampled = w.sampled;
    q.tolerance = w.tolerance;
    if (!s)
        s = at_equal(&m[0], &m[1], &q, &(at_check_env){.threads = env->threads, .progress = &env->progress},
                     &arena, &e, err);
    if (!s) {
        json_t *j = result_set(json_object(), "equal",
                               e.equal == AT_UNKNOWN ? json_null() : json_boolean(e.equal == AT_TRUE));
        j = result_set(j, "evidence", result_text(at_evidence_names[e.evidence]));
        j = result_set(j, "inputs", result_number((double)e.inputs));
        j = result_set(j, "undecided", result_number((double)e.undecided));
        j = result_set(j, "least_length", json_integer(e.least));
        j = result_set(j, "most_length", json_integer(e.most));
        j = result_set(j, "margin", result_number(e.margin));
        j = result_set(j, "witness", e.has_witness ? witness_json(&m[0], &e) : json_null());
        s = result_end(result_set(j, "note", result_text(e.note)), out, err);
    }
    at_arena_release(&arena);
    return s;
}

/* ---- bounds -------------------------------------------------------------------------------------------------------------- */

static json_t *bound_json(const at_bound *b, const at_params *p, const at_bound_result *r)
{
    json_t *lines = json_object(), *starts = json_array();
    for (int i = 0; i < r->n_lines; i++)
        lines = result_set(lines, r->lines[i].name, result_text(r->lines[i].text));
    for (int i = 0; i < r->n_starts; i++) {
        json_t *one = result_set(json_object(), "parameter", result_text(r->starts[i].param));
        one = result_set(one, "text", result_text(r->starts[i].text));
        starts = result_add(starts, result_set(one, "at", result_number(r->starts[i].at)));
    }
    json_t *j = result_set(json_object(), "id", result_text(b->id));
    j = result_set_params(j, p);
    j = result_set(j, "verdict", result_text(at_bound_verdict_names[r->verdict]));
    j = result_set(j, "bits", result_text(at_bound_bits_names[r->bits]));
    j = result_set(j, "inequality", result_text(r->inequality));
    j = result_set(j, "meaning", result_text(r->meaning));
    j = result_set(j, "statement", result_text(b->statement));
    j = result_set(j, "source", result_text(b->source));
    j = result_set(j, "lines", lines);
    j = result_set(j, "starts", starts);
    j = result_set(j, "unit", result_text(b->unit));
    j = result_set(j, "least", result_number(r->least));
    return result_set(j, "least_text", result_text(r->least_text));
}

at_status at_bound_at(const char *bound, const char *set, at_result **out, at_err *err)
{
    api_begin(err);
    if (api_need("bound", bound, err))
        return AT_EINPUT;
    at_err own = {0};
    const at_bound *b = at_registry_need(&at_bound_registry, bound, &own);
    if (!b)
        return at_fail(err, own.code, "%s", own.text);
    at_params p;
    at_bound_result r;
    at_arena arena;
    at_params_init(&p, b->params, b->n_params);
    at_arena_init(&arena);
    at_status s = set ? at_params_parse(&p, set, err) : AT_OK;
    if (!s)
        s = at_bound_compute(b, &p, &arena, &r, err);
    if (!s)
        s = result_end(bound_json(b, &p, &r), out, err);
    at_arena_release(&arena);
    return s;
}
