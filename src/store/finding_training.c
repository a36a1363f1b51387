/* finding_training.c: the detail of a training.
 *
 * A key that is missing, of another type, or outside its range breaks the finding, with the first reason in words. Whatever
 * this file lets through is finite, in range, and short enough for figures. The table `keys` is the whole contract for
 * numbers, in both directions: those that may be written as integers or reals; counts must be whole; null is
 * allowed only where it means "none" (NaN). */
#include "finding_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 64, WORDS_MOST = 500 };

typedef struct {
    const char *key;
    size_t at; /* in at_training_detail: int64_t for counts, double for the rest */
    double lo, hi;
    bool count, none; /* none: null is allowed */
    bool newer;       /* NaN is written by leaving it out: older rows do not have it */
} number_key;

#define COUNT(k, lo, hi)                                                                                     \
    {                                                                                                        \
#k, offsetof(at_training_detail, k), lo, hi, true, false, false                                      \
    }
#define REAL(k, lo, hi, none)                                                                                \
    {                                                                                                        \
#k, offsetof(at_training_detail, k), lo, hi, false, none, false                                      \
    }
static const number_key keys[] = {
    COUNT(width, 1, 1 << 20),
    COUNT(layers, 1, 1 << 16),
    COUNT(heads, 1, 1 << 16),
    COUNT(parameters, 0, FINDING_COUNT_MOST),
    COUNT(size, 0, 1 << 30),
    COUNT(length, 0, 1 << 30),
    COUNT(steps, 0, 1e12),
    COUNT(batch, 1, 1 << 30),
    COUNT(tokens, 0, FINDING_COUNT_MOST),
    REAL(rate, 0, 1e6, false),
    REAL(answer, 0, 1, false),
    REAL(chain, 0, 1, false),
    REAL(first_wrong, 0, 1 << 30, true),
    REAL(gflops_chain, 0, 1e15, true),
    REAL(gflops_trained, 0, 1e18, true),
    REAL(gflops_to_90, 0, 1e18, true),
    {"twice", offsetof(at_training_detail, twice), 0, 1, false, true, true},
    {"kl", offsetof(at_training_detail, kl), 0, 1e6, false, true, true},
    {"entropy", offsetof(at_training_detail, entropy), 0, 1e6, false, true, true},
};
enum { KEYS = sizeof keys / sizeof *keys };

static bool numbers_read(finding_reader *r, json_t *o)
{
    at_training_detail *t = &r->f->training;
    for (size_t i = 0; i < KEYS; i++) {
        const number_key *k = &keys[i];
        const json_t *v = json_object_get(o, k->key);
        double x = NAN;
        char wanted[96];
        bool none = (k->none && json_is_null(v)) || (k->newer && !v);
        if (!none && (!finding_number(v, k->lo, k->hi, &x) || (k->count && x != floor(x)))) {
            snprintf(wanted, sizeof wanted, "is %s %s in %.6g..%.6g",
                     v ? "no" : "missing:", k->count ? "whole number" : "number", k->lo, k->hi);
            return finding_broken(r, k->key, wanted);
        }
        if (k->count)
            *(int64_t *)((char *)t + k->at) = (int64_t)x;
        else
            *(double *)((char *)t + k->at) = x;
        json_object_del(o, k->key);
    }
    return true;
}

/* A string of 1..most bytes; NULL when it is null and that is allowed. */
static bool text_read(finding_reader *r, json_t *o, const char *key, size_t most, bool none, const char **out)
{
    const json_t *v = json_object_get(o, key);
    *out = NULL;
    if (none && (!v || json_is_null(v))) {
        json_object_del(o, key);
        return true;
    }
    const char *s = json_string_value(v);
    if (!s || (!*s && !none) || strlen(s) > most) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "is no text of 1..%zu bytes", most);
        return finding_broken(r, key, wanted);
    }
    finding_take_text(r, o, key, out);
    return *out != NULL;
}

/* What is special about a run: text, or whatever else a newer writer puts there, as compact JSON. */
static bool flags_read(finding_reader *r, json_t *o)
{
    const json_t *v = json_object_get(o, "flags");
    at_training_detail *t = &r->f->training;
    if (!v || json_is_null(v) || json_is_string(v))
        return text_read(r, o, "flags", WORDS_MOST, true, &t->flags);
    char *compact = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
    bool ok = compact && strlen(compact) <= WORDS_MOST;
    if (compact && !ok)
        finding_broken(r, "flags", "are too long");
    t->flags = ok ? at_arena_strdup(r->a, compact) : NULL;
    r->oom = r->oom || !compact || (ok && !t->flags);
    free(compact);
    json_object_del(o, "flags");
    return t->flags != NULL;
}

static bool mark_read(finding_reader *r, json_t *o)
{
    static const char *const marks[] = {"silent", "constructible", "impossible"};
    const char *s = json_string_value(json_object_get(o, "mark"));
    for (int i = 0; s && i < 3; i++)
        if (!strcmp(s, marks[i])) {
            r->f->training.mark = marks[i];
            json_object_del(o, "mark");
            return true;
        }
    return finding_broken(r, "mark", "is none of silent, constructible, impossible");
}

/* [[step, v1, .., vk], ...] into arrays of their own; steps rise; v in 0..hi, or null (NaN). */
static bool points_read(finding_reader *r, json_t *o, const char *key, int k, double hi, int *n,
                        double *out[3])
{
    const json_t *list = json_object_get(o, key);
    size_t i, size = json_array_size(list);
    json_t *point;
    char wanted[120];
    if (!json_is_array(list) || size > AT_TRAINING_POINTS) {
        snprintf(wanted, sizeof wanted, "is no list of at most %d points", AT_TRAINING_POINTS);
        return finding_broken(r, key, wanted);
    }
    for (int j = 0; j <= k; j++)
        if (!(out[j] = finding_new(r, size, sizeof *out[j])))
            return false;
    json_array_foreach(list, i, point)
    {
        bool ok = json_is_array(point) && json_array_size(point) == (size_t)k + 1;
        ok = ok && finding_number(json_array_get(point, 0), 0, FINDING_COUNT_MOST, &out[0][i]);
        ok = ok && (!i || out[0][i] > out[0][i - 1]);
        for (int j = 1; ok && j <= k; j++) {
            const json_t *v = json_array_get(point, (size_t)j);
            out[j][i] = NAN;
            ok = json_is_null(v) || finding_number(v, 0, hi, &out[j][i]);
        }
        if (!ok) {
            snprintf(wanted, sizeof wanted,
                     "has a point %zu that is not [a step above the last, %s in 0..%g]", i,
                     k == 1 ? "a value" : "two values", hi);
            return finding_broken(r, key, wanted);
        }
    }
    *n = (int)size;
    json_object_del(o, key);
    return true;
}

void finding_read_training(finding_reader *r, json_t *o)
{
    at_training_detail *t = &r->f->training;
    double *loss[3], *accuracy[3];
    bool ok = text_read(r, o, "preset", NAME_MOST, false, &t->preset) &&
              text_read(r, o, "attention", NAME_MOST, false, &t->attention) && numbers_read(r, o) &&
              text_read(r, o, "size_name", NAME_MOST, false, &t->size_name) && mark_read(r, o) &&
              text_read(r, o, "why", WORDS_MOST, true, &t->why) && flags_read(r, o) &&
              points_read(r, o, "loss", 1, 1e15, &t->n_loss, loss) &&
              points_read(r, o, "accuracy", 2, 1, &t->n_accuracy, accuracy);
    if (!ok)
        return;
    t->loss_step = loss[0];
    t->loss = loss[1];
    t->accuracy_step = accuracy[0];
    t->answer_at = accuracy[1];
    t->chain_at = accuracy[2];
}

static json_t *points_json(int n, const double *step, const double *v1, const double *v2)
{
    json_t *all = json_array();
    for (int k = 0; k < n; k++) {
        json_t *one = finding_add(json_array(), finding_whole(step[k]));
        one = finding_add(one, finding_real(v1[k]));
        all = finding_add(all, v2 ? finding_add(one, finding_real(v2[k])) : one);
    }
    return all;
}

json_t *finding_training_json(const at_training_detail *t)
{
    json_t *o = finding_set_text(json_object(), "preset", t->preset);
    o = finding_set_text(o, "attention", t->attention);
    o = finding_set_text(o, "size_name", t->size_name);
    for (size_t i = 0; i < KEYS; i++) {
        const char *at = (const char *)t + keys[i].at;
        if (keys[i].newer && isnan(*(const double *)at))
            continue;
        o = finding_set(o, keys[i].key,
                        keys[i].count ? json_integer((json_int_t) * (const int64_t *)at)
                                      : finding_real(*(const double *)at));
    }
    o = finding_set(o, "loss", points_json(t->n_loss, t->loss_step, t->loss, NULL));
    o = finding_set(o, "accuracy", points_json(t->n_accuracy, t->accuracy_step, t->answer_at, t->chain_at));
    o = finding_set_text(o, "mark", t->mark);
    o = finding_set_text(o, "why", t->why);
    return finding_set_text(o, "flags", t->flags);
}
