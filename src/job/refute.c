/* refute.c: one model against one task, kept in the ledger.
 *
 * A finding is kept as text and served again after it was run again. Without one, the record counts the runs and what they
 * looked at; the next run takes the next seed, so that it draws other inputs. */
#include "job_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *input_text(const at_subject *s, const at_input *x, at_arena *a)
{
    at_text t;
    at_text_init(&t);
    at_input_print(s->m, x, &t);
    const char *line = t.oom || !t.s ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    return line;
}

static at_status report_finding(const at_refute_job *job, const at_refute_report *r, at_arena *a,
                                at_finding *out, at_err *err)
{
    const at_refutation *f = &r->found;
    at_attempt_detail *tried = at_new(a, at_attempt_detail, f->n_attempts + 1);
    if (!tried)
        return at_oom(err);
    for (int k = 0; k < f->n_attempts; k++) {
        const at_attempt *x = &f->attempts[k];
        tried[k] = (at_attempt_detail){x->id, x->states, x->work, x->words && *x->words ? x->words : "found"};
    }
    *out = (at_finding){.kind = AT_FINDING_REFUTATION,
                        .refutation = {.runs = r->runs + 1,
                                       .states = r->states,
                                       .random_inputs = f->random.tried,
                                       .random_pair = f->random.pair,
                                       .random_wrong = f->random.wrong,
                                       .n_attempts = f->n_attempts,
                                       .attempts = tried}};
    if (f->refuted != AT_TRUE)
        return AT_OK;
    at_refutation_detail *d = &out->refutation;
    d->method = f->method;
    d->wrong = input_text(job->subject, &f->pair.x[f->wrong], a);
    bool ok = d->wrong != NULL;
    for (; d->n_pair < 2 && f->pair.x[d->n_pair].n && ok; d->n_pair++)
        ok = (d->pair[d->n_pair] = input_text(job->subject, &f->pair.x[d->n_pair], a)) != NULL;
    return ok ? AT_OK : at_oom(err);
}

/* The finding of an earlier run, if it holds up: *held. One that cannot be asked is damaged, and looked for again. */
static at_status finding_serve(const at_refute_job *job, const at_refutation_detail *d, at_arena *a,
                               at_refutation *f, bool *held, at_err *err)
{
    const at_refuter *by = d->method ? at_refuter_find(d->method) : NULL;
    at_tri is = AT_FALSE;
    at_err quiet = {0};
    *held = false;
    if (!by || d->n_pair < 1)
        return AT_OK;
    for (int k = 0; k < d->n_pair; k++)
        if (at_input_parse(job->subject->m, d->pair[k], a, &f->pair.x[k], &quiet))
            return AT_OK;
    at_status s = AT_OK;
    if (d->n_pair == 2)
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
    f->random.tried = d->random_inputs;
    f->random.pair = d->random_pair;
    f->random.wrong = d->random_wrong;
    return AT_OK;
}

static at_status report_put(const at_refute_job *job, const at_cell_key *key, const at_refute_report *r,
                            double margin, at_arena *a, at_err *err)
{
    at_finding f;
    const char *text = NULL;
    char arith[16];
    at_status s = report_finding(job, r, a, &f, err);
    if (!s)
        s = at_finding_write(&f, a, &text, err);
    if (s)
        return s;
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
    return at_ledger_put(job->ledger, key, &rec, err);
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
    at_finding f = {.kind = AT_FINDING_REFUTATION};
    if (!s && old)
        s = at_finding_read(f.kind, old->rec.detail, a, &f, err);
    if (!s && old && !f.broken) {
        out->runs = f.refutation.runs;
        out->states = f.refutation.states;
        s = finding_serve(job, &f.refutation, a, &out->found, &out->served, err);
    }
    if (s || out->served)
        return s;
    at_refute_env env = job->env;
    env.seed += out->runs;
    s = at_refute(job->subject, &env, job->only, a, &out->found, err);
    for (int k = 0; k < out->found.n_attempts; k++)
        out->states += out->found.attempts[k].states;
    at_err kept = {0};
    if (job->ledger && (!s || s == AT_ECANCEL) && report_put(job, &key, out, NAN, a, &kept) && !s)
        s = at_fail(err, kept.code, "%s", kept.text);
    return s;
}
