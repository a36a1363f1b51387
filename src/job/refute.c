/* refute.c: one model against one task, kept in the ledger.
 *
 * A finding is kept as text and served again after it was run again. Without one, the record counts the runs and what they
 * looked at; the next run takes the next seed, so that it draws other inputs. */
#include "job_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *input_json(const at_subject *s, const at_input *x)
{
    at_text t;
    at_text_init(&t);
    at_input_print(s->m, x, &t);
    json_t *j = t.oom || !t.s ? NULL : json_string(t.s);
    at_text_release(&t);
    return j;
}

static json_t *report_json(const at_refute_job *job, const at_refute_report *r)
{
    const at_refutation *f = &r->found;
    json_t *o = json_object(), *tried = json_object(), *rows = json_array();
    detail_add(o, "runs", json_integer((json_int_t)r->runs + 1));
    detail_add(o, "states", json_integer((json_int_t)r->states));
    detail_add(o, "random_inputs", json_integer((json_int_t)f->random.tried));
    detail_add(o, "random_pair", json_boolean(f->random.pair));
    detail_add(o, "random_wrong", json_boolean(f->random.wrong));
    for (int k = 0; k < f->n_attempts; k++) {
        const at_attempt *x = &f->attempts[k];
        json_array_append_new(rows, json_pack("[s, I, f, s]", x->id, (json_int_t)x->states, x->work,
                                              x->words && *x->words ? x->words : "found"));
    }
    detail_add(tried, "columns",
               json_pack("[s, s, s, s]", "refuter", "states", "multiply-adds", "what came of it"));
    detail_add(tried, "rows", rows);
    detail_add(o, "attempts", tried);
    if (f->refuted == AT_TRUE) {
        json_t *x = json_array();
        for (int k = 0; k < 2 && f->pair.x[k].n; k++)
            json_array_append_new(x, input_json(job->subject, &f->pair.x[k]));
        detail_add(o, "method", json_string(f->method));
        detail_add(o, "wrong", input_json(job->subject, &f->pair.x[f->wrong]));
        detail_add(o, "pair", x);
    }
    return o;
}

/* A count of a record that may be damaged. */
static uint64_t count_of(const json_t *o, const char *name)
{
    json_int_t n = json_integer_value(json_object_get(o, name));
    return n < 0 ? 0 : n > (1LL << 53) ? 1ULL << 53 : (uint64_t)n;
}

/* The finding of an earlier run, if it holds up: *held. One that cannot be asked is damaged, and looked for again. */
static at_status finding_serve(const at_refute_job *job, const json_t *o, at_arena *a, at_refutation *f,
                               bool *held, at_err *err)
{
    const json_t *x = json_object_get(o, "pair");
    const char *method = json_string_value(json_object_get(o, "method"));
    const at_refuter *by = method ? at_refuter_find(method) : NULL;
    size_t n = json_array_size(x);
    at_tri is = AT_FALSE;
    at_err quiet = {0};
    *held = false;
    if (!by || n < 1 || n > 2)
        return AT_OK;
    for (size_t k = 0; k < n; k++) {
        const char *line = json_string_value(json_array_get(x, k));
        if (!line || at_input_parse(job->subject->m, line, a, &f->pair.x[k], &quiet))
            return AT_OK;
    }
    at_status s = AT_OK;
    if (n == 2)
        s = at_pair_verify(job->subject, &f->pair, a, &is, f->answer, NULL, err);
    else if (!(s = at_subject_answer(job->subject, &f->pair.x[0], a, &f->answer[0], err)))
        is = f->answer[0].correct ? AT_FALSE : AT_TRUE;
    if (s == AT_EINPUT || s == AT_EDOMAIN) {
        *err = (at_err){0};
        return AT_OK;
    }
    if (s || is != AT_TRUE)
        return s;
    *held = true;
    f->refuted = AT_TRUE;
    at_refutation_place(job->subject, f);
    f->method = by->id;
    f->random.tried = count_of(o, "random_inputs");
    f->random.pair = json_is_true(json_object_get(o, "random_pair"));
    f->random.wrong = json_is_true(json_object_get(o, "random_wrong"));
    return AT_OK;
}

static at_status report_put(const at_refute_job *job, const at_cell_key *key, const at_refute_report *r,
                            double margin, at_err *err)
{
    json_t *o = report_json(job, r);
    char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    char arith[16];
    json_decref(o);
    if (!text)
        return at_oom(err);
    at_arith_name(job->subject->arith, arith);
    bool found = r->found.refuted == AT_TRUE;
    at_record rec = {.role = "refutation",
                     .evidence = found ? "refuted" : "not refuted",
                     .verdict = found ? "fails" : "unknown",
                     .arithmetic = arith,
                     .inputs = r->states,
                     .margin = margin,
                     .seed = job->env.seed,
                     .detail = text,
                     .isa = at_exec_isa(),
                     .version = at_version(),
                     .seconds = r->found.seconds};
    at_status s = at_ledger_put(job->ledger, key, &rec, err);
    free(text);
    return s;
}

static at_status key_make(const at_refute_job *job, at_arena *a, at_cell_key *key, at_err *err)
{
    char *hash = at_new(a, char, 65), arith[16];
    at_arith_name(job->subject->arith, arith);
    char *question = at_arena_printf(a, "refute %s tolerance=%.17g by %s", arith, job->subject->tolerance,
                                     job->only ? job->only : "any");
    at_status s = hash && question ? at_model_hash(job->subject->m, hash, err) : at_oom(err);
    *key = (at_cell_key){job->task, job->params, question, hash, AT_CHECK_VERSION, at_build_id()};
    return s;
}

at_status at_job_refute(const at_refute_job *job, at_arena *a, at_refute_report *out, at_err *err)
{
    at_cell_key key;
    at_row *old = NULL;
    *out = (at_refute_report){.found = {.refuted = AT_UNKNOWN}};
    at_status s = key_make(job, a, &key, err);
    if (!s)
        s = at_subject_check(job->subject, err);
    if (!s && job->ledger)
        s = at_ledger_find(job->ledger, &key, &old, a, err);
    json_t *o = !s && old && old->rec.detail ? json_loads(old->rec.detail, 0, NULL) : NULL;
    if (o) {
        out->runs = count_of(o, "runs");
        out->states = count_of(o, "states");
        s = finding_serve(job, o, a, &out->found, &out->served, err);
        json_decref(o);
    }
    if (s || out->served)
        return s;
    at_refute_env env = job->env;
    env.seed += out->runs;
    s = at_refute(job->subject, &env, job->only, a, &out->found, err);
    for (int k = 0; k < out->found.n_attempts; k++)
        out->states += out->found.attempts[k].states;
    at_err kept = {0};
    if (job->ledger && (!s || s == AT_ECANCEL) && report_put(job, &key, out, NAN, &kept) && !s)
        s = at_fail(err, kept.code, "%s", kept.text);
    return s;
}
