/* cert_internal.h: what the files of this module share: JSON as text, problems as text. */
#ifndef ATTEST_CERT_INTERNAL_H
#define ATTEST_CERT_INTERNAL_H

#include <attest/cert.h>

/* rules.c: the rule of a task of the catalogue; NULL: it has none. What a trial's question is about, where that is a matter of
 * arithmetic alone; NULL: it is not. */
const char *cert_rule(const char *task);
const char *cert_bound_rule(const char *claim, const at_params *p);

/* json.c. A string in quotes; a number that reads back as the same double; "a": 3 with a comma before unless it is the first. */
void cert_string(at_text *t, const char *s);
void cert_number(at_text *t, double v);
void cert_fraction(at_text *t, double v); /* "3/8", exactly */
void cert_params(at_text *t, const at_params *p);
void cert_members(at_text *t, const at_params *p,
                  const at_params *but); /* those that `but` lacks; NULL: all */
void cert_base64(at_text *t, const void *data, size_t n);

/* One question at one point: a model, what it should compute, the verdict. */
typedef struct {
    const at_claim *c;
    const at_cell *cell;
    at_params p;
    const at_task *task; /* NULL: a chain */
    at_params tp;
    const at_chain *chain;
    void *self; /* of the chain, opened */
    at_arith arith;
    const at_model *m;
    const at_verdict *v;
    uint64_t limit, seed;
    at_arena *a;
} cert_point;

/* problem.c: "problem": {...}, "domain": {...}; AT_EREFUSED in words where it cannot be written down. */
at_status cert_problem(const cert_point *k, at_text *t, at_err *err);
at_status cert_definition(const cert_point *k, at_text *t, at_err *err); /* "problem" alone */
void cert_beside(const at_witness *w, at_text *t); /* the same, of a text beside a model of words */
/* blocks.c: "block": 256, "digests": [...]; and "sample": inputs. */
at_status cert_blocks(const cert_point *k, at_text *t, at_err *err);
at_status cert_sample(const cert_point *k, at_text *t, at_err *err);
void cert_rows(at_text *t, const double *v, int rows, int width); /* [[1,2],[3,4]] */
/* data.c: ", "data": {...}", for the tasks that have some. */
at_status cert_data(const cert_point *k, at_text *t, at_err *err);
/* split.c: "cases": [...] */
at_status cert_cases(const cert_point *k, at_text *t, at_err *err);

/* trial.c: one question of a trial, and what it shows. */
typedef struct {
    const at_claim *c;
    const at_cell *cell;
    const at_params *p;
    uint64_t seed;
    at_arena *a;
    at_status (*model)(void *maker, const at_model *m, char hash[65], at_err *err); /* keeps the model */
    void *maker;
    at_text shown; /* the objects, with commas between them; at_text_release */
    int n;
    const char *why; /* something was not shown */
} cert_trial;
/* own: the trial's, which may go back to a mark in it; the verdict's note lives there. */
at_status cert_trial_ask(cert_trial *k, uint64_t limit, const at_check_env *env, at_arena *own, at_verdict *v,
                         at_err *err);

#endif
