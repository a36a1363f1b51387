/* api_internal.h: what the files of the promised calls share. */
#ifndef ATTEST_API_INTERNAL_H
#define ATTEST_API_INTERNAL_H

#include <jansson.h>

#include <attest.h>
#include <attest/exec.h>
#include <attest/learn.h>

struct at_net {
    at_model m;
    char *path; /* where it was loaded from; NULL */
};

struct at_env {
    int threads;
    uint64_t seed;
    at_progress progress;
};
/* Of what the caller gave, or the defaults. */
const at_env *api_env(const at_env *env);

/* Every call that can fail begins so: err, which the caller may have used before, says nothing. */
void api_begin(at_err *err);
/* A text that there is no call without: is it there? */
at_status api_need(const char *what, const char *text, at_err *err);
/* The arithmetic of this name; NULL: f64. */
at_status api_precision(const char *name, at_arith *out, at_err *err);
/* A net around a model, which it owns from now on, also when this fails. */
at_status api_net(at_model *m, at_net **out, at_err *err);

/* Its model as it stands, borrowed: its weights must be finite, and where one is no float any more it is a model of f64. */
at_status api_model(const at_net *net, at_model *out, at_err *err);

/* ---- a model and a problem: the one that is named, or that the model was made for (problem NULL) ----------- */

typedef struct {
    at_text name, set;
    at_problem *problem;
} question;
/* length: also at the length that it was made for. Released also when this fails. */
at_status question_open(const at_net *net, const char *problem, const char *set, bool length, question *q,
                        at_err *err);
void question_release(question *q);

/* ---- settings: text in --------------------------------------------------------------------------- */

typedef enum { OPTION_TEXT, OPTION_FLAG, OPTION_COUNT, OPTION_NUMBER } option_kind;
typedef struct {
    const char *name;
    option_kind kind;
    void *to; /* const char *, bool, uint64_t, double; stays as it is where the text does not name it */
} option;
/* Reads "exact=1 lengths=0..6"; what it does not know is refused, with the nearest name. Texts live in the arena. */
at_status options_read(const char *text, const option *known, int n, at_arena *a, at_err *err);
#define OPTIONS(o) (int)(sizeof(o) / sizeof *(o))

/* ---- results: JSON out ---------------------------------------------------------------------------------
 *
 * Each of these may be given NULL (memory ended), which comes through to result_end. */
json_t *result_set(json_t *object, const char *key, json_t *value);
json_t *result_add(json_t *array, json_t *value);
json_t *result_text(const char *s); /* NULL: null */
json_t *result_number(double x);    /* not finite: null */
json_t *result_numbers(const double *x, int n);
json_t *result_taken(at_text *t);                         /* releases t */
json_t *result_params(const at_param *schema, int n);     /* name, doc, range, default */
json_t *result_set_params(json_t *j, const at_params *p); /* "parameters": those of an answer */
json_t *result_exam(const at_exam *e);
/* Makes the result of j, which is taken. */
at_status result_end(json_t *j, at_result **out, at_err *err);

#endif
