/* trained.c: one ledger row of role "trained", its detail checked.
 *
 * Ledgers are foreign. A key that is missing, of another type, or outside its range makes the row broken, with the
 * first reason in words; nothing of a broken row is used, it is only shown. Whatever this file lets through is
 * finite, in range, and short enough for the figures. The table `keys` below is the whole contract for numbers.
 *
 * Numbers may be written as integers or reals; counts must be whole. null is allowed only where it means
 * "none" (NaN here). */
#include "report_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 400, NAME_MOST = 64, WORDS_MOST = 500, DETAIL_MOST = 1 << 18 };
static const double count_most = 9007199254740992.0; /* 2^53: exact in a double */

typedef struct {
    json_t *o;
    at_trained *t;
    at_arena *a;
    bool oom;
} reader;

/* The first fault is kept. False, so that callers may return it. */
static bool broken(reader *r, const char *key, const char *wanted)
{
    if (!r->t->broken && !r->oom) {
        r->t->broken = at_arena_printf(r->a, "%s %s", key, wanted);
        r->oom = !r->t->broken;
    }
    return false;
}

static bool number_get(json_t *v, double lo, double hi, double *out)
{
    if (!json_is_number(v))
        return false;
    double x = json_number_value(v);
    if (!(x >= lo && x <= hi))
        return false;
    *out = x;
    return true;
}

typedef struct {
    const char *key;
    size_t at; /* in at_trained: int64_t for counts, double for the rest */
    double lo, hi;
    bool count, none; /* none: null is allowed */
} number_key;

#define COUNT(k, lo, hi)                                                                                     \
    {                                                                                                        \
#k, offsetof(at_trained, k), lo, hi, true, false                                                     \
    }
#define REAL(k, lo, hi, none)                                                                                \
    {                                                                                                        \
#k, offsetof(at_trained, k), lo, hi, false, none                                                     \
    }
static const number_key keys[] = {
    COUNT(width, 1, 1 << 20),
    COUNT(layers, 1, 1 << 16),
    COUNT(heads, 1, 1 << 16),
    COUNT(parameters, 0, 9007199254740992.0),
    COUNT(size, 0, 1 << 30),
    COUNT(length, 0, 1 << 30),
    COUNT(steps, 0, 1e12),
    COUNT(batch, 1, 1 << 30),
    COUNT(tokens, 0, 9007199254740992.0),
    REAL(rate, 0, 1e6, false),
    REAL(answer, 0, 1, false),
    REAL(chain, 0, 1, false),
    REAL(first_wrong, 0, 1 << 30, true),
    REAL(gflops_chain, 0, 1e15, true),
    REAL(gflops_trained, 0, 1e18, true),
    REAL(gflops_to_90, 0, 1e18, true),
};

static bool numbers_read(reader *r)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const number_key *k = &keys[i];
        json_t *v = json_object_get(r->o, k->key);
        double x = NAN;
        char wanted[96];
        bool none = k->none && json_is_null(v);
        if (!none && (!number_get(v, k->lo, k->hi, &x) || (k->count && x != floor(x)))) {
            snprintf(wanted, sizeof wanted, "is %s %s in %.6g..%.6g",
                     v ? "no" : "missing:", k->count ? "whole number" : "number", k->lo, k->hi);
            return broken(r, k->key, wanted);
        }
        if (k->count)
            *(int64_t *)((char *)r->t + k->at) = (int64_t)x;
        else
            *(double *)((char *)r->t + k->at) = x;
    }
    return true;
}

/* A string of 1..most bytes; NULL when it is null and that is allowed. JSON strings with NUL end there. */
static bool text_read(reader *r, const char *key, size_t most, bool none, const char **out)
{
    json_t *v = json_object_get(r->o, key);
    *out = NULL;
    if (none && (!v || json_is_null(v)))
        return true;
    const char *s = json_string_value(v);
    if (!s || (!*s && !none) || strlen(s) > most) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "is no text of 1..%zu bytes", most);
        return broken(r, key, wanted);
    }
    *out = at_arena_strdup(r->a, s);
    r->oom = r->oom || !*out;
    return *out != NULL;
}

/* What is special about a run: text, or whatever else a newer writer puts there, as compact JSON. */
static bool flags_read(reader *r)
{
    json_t *v = json_object_get(r->o, "flags");
    if (!v || json_is_null(v) || json_is_string(v))
        return text_read(r, "flags", WORDS_MOST, true, &r->t->flags);
    char *compact = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
    bool ok = compact && strlen(compact) <= WORDS_MOST;
    if (compact && !ok)
        broken(r, "flags", "are too long");
    r->t->flags = ok ? at_arena_strdup(r->a, compact) : NULL;
    r->oom = r->oom || !compact || (ok && !r->t->flags);
    free(compact);
    return r->t->flags != NULL;
}

static bool word_read(reader *r, const char *key, const char *const *words, int n, int *out)
{
    const char *s = json_string_value(json_object_get(r->o, key));
    for (int i = 0; s && i < n; i++)
        if (!strcmp(s, words[i])) {
            *out = i;
            return true;
        }
    char wanted[96] = "is none of";
    size_t used = strlen(wanted);
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s %s", i ? "," : "", words[i]);
    return broken(r, key, wanted);
}

/* [[step, v1, .., vk], ...] into arrays of their own; steps rise; v in 0..hi, or null (NaN). */
static bool points_read(reader *r, const char *key, int k, double hi, int *n, double *out[3])
{
    json_t *list = json_object_get(r->o, key), *point;
    size_t i, size = json_array_size(list);
    char wanted[120];
    if (!json_is_array(list) || size > POINTS_MOST) {
        snprintf(wanted, sizeof wanted, "is no list of at most %d points", POINTS_MOST);
        return broken(r, key, wanted);
    }
    for (int j = 0; j <= k; j++)
        if (!(out[j] = at_new(r->a, double, size + 1))) {
            r->oom = true;
            return false;
        }
    json_array_foreach(list, i, point)
    {
        bool ok = json_is_array(point) && json_array_size(point) == (size_t)k + 1;
        ok = ok && number_get(json_array_get(point, 0), 0, count_most, &out[0][i]);
        ok = ok && (!i || out[0][i] > out[0][i - 1]);
        for (int j = 1; ok && j <= k; j++) {
            json_t *v = json_array_get(point, (size_t)j);
            if (json_is_null(v))
                out[j][i] = NAN;
            else
                ok = number_get(v, 0, hi, &out[j][i]);
        }
        if (!ok) {
            snprintf(wanted, sizeof wanted,
                     "has a point %zu that is not [a step above the last, %s in 0..%g]", i,
                     k == 1 ? "a value" : "two values", hi);
            return broken(r, key, wanted);
        }
    }
    *n = (int)size;
    return true;
}

static bool detail_read(reader *r)
{
    at_trained *t = r->t;
    static const char *const marks[] = {"silent", "constructible", "impossible"};
    int attention = 0, mark = 0;
    double *loss[3], *accuracy[3];
    bool ok = text_read(r, "preset", NAME_MOST, false, &t->preset) &&
              word_read(r, "attention", at_attention_names, AT_TRAINED_ATTENTIONS, &attention) &&
              numbers_read(r) && text_read(r, "size_name", NAME_MOST, false, &t->size_name) &&
              word_read(r, "mark", marks, 3, &mark) && text_read(r, "why", WORDS_MOST, true, &t->why) &&
              flags_read(r) && points_read(r, "loss", 1, 1e15, &t->n_loss, loss) &&
              points_read(r, "accuracy", 2, 1, &t->n_accuracy, accuracy);
    if (!ok)
        return false;
    t->attention = (at_attention_kind)attention;
    t->mark = (at_theory)mark;
    t->loss_step = loss[0];
    t->loss = loss[1];
    t->accuracy_step = accuracy[0];
    t->answer_at = accuracy[1];
    t->chain_at = accuracy[2];
    const char *v = t->row->rec.verdict;
    bool reached = t->answer >= AT_STUDY_REACHED;
    if (!v || strcmp(v, reached ? "holds" : "fails"))
        return broken(r, "verdict",
                      reached ? "is not holds, yet the answers reach 90%"
                              : "is not fails, yet the answers do not reach 90%");
    return true;
}

bool at_trained_read(const at_row *row, const char *build, at_arena *a, at_trained *out)
{
    *out = (at_trained){.row = row, .task = row->key.subject ? row->key.subject : ""};
    out->other_build = !build || !row->key.build || strcmp(build, row->key.build);
    reader r = {.t = out, .a = a};
    const char *detail = row->rec.detail ? row->rec.detail : "";
    size_t n = strlen(detail);
    if (n <= DETAIL_MOST) /* more than any training writes */
        r.o = json_loadb(detail, n, 0, NULL);
    if (!json_is_object(r.o))
        broken(&r, "detail", n > DETAIL_MOST ? "is longer than 256 KiB" : "is no JSON object");
    else
        detail_read(&r);
    json_decref(r.o);
    return !r.oom;
}
