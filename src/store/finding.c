/* finding.c: details of records as structs: the kinds, verdicts, and what was not understood. */
#include "finding_internal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define POSITION_MOST 0x1p30
#define TRAINING_MOST (256 << 10) /* bytes: more than any training writes */

/* ---- reading -------------------------------------------------------------------------------------------------------- */

bool finding_broken(finding_reader *r, const char *key, const char *wanted)
{
    if (!r->f->broken && !r->oom) {
        r->f->broken = at_arena_printf(r->a, "%s %s", key, wanted);
        r->oom = !r->f->broken;
    }
    return false;
}

void *finding_new(finding_reader *r, size_t n, size_t size)
{
    void *p = at_arena_alloc(r->a, n ? n : 1, size);
    r->oom = r->oom || !p;
    return p;
}

const char *finding_text(finding_reader *r, const json_t *v)
{
    const char *s = json_string_value(v), *copy = s ? at_arena_strdup(r->a, s) : NULL;
    r->oom = r->oom || (s && !copy);
    return copy;
}

bool finding_number(const json_t *v, double lo, double hi, double *out)
{
    if (!json_is_number(v))
        return false;
    double x = json_number_value(v);
    if (!(x >= lo && x <= hi))
        return false;
    *out = x;
    return true;
}

bool finding_count(const json_t *v, double hi, double *out)
{
    double x;
    if (!finding_number(v, 0, hi, &x) || x != floor(x))
        return false;
    *out = x;
    return true;
}

void finding_take_text(finding_reader *r, json_t *o, const char *key, const char **out)
{
    const json_t *v = json_object_get(o, key);
    *out = NULL;
    if (json_is_string(v) && (*out = finding_text(r, v)))
        json_object_del(o, key);
}

bool finding_take_number(json_t *o, const char *key, double lo, double hi, double *out)
{
    const json_t *v = json_object_get(o, key);
    *out = NAN;
    bool ok = json_is_null(v) || finding_number(v, lo, hi, out);
    if (ok)
        json_object_del(o, key);
    return ok;
}

bool finding_take_bool(json_t *o, const char *key, bool *out)
{
    const json_t *v = json_object_get(o, key);
    *out = json_is_true(v);
    bool ok = json_is_boolean(v);
    if (ok)
        json_object_del(o, key);
    return ok;
}

/* A part that was understood to the end is gone; what is left of it stays for `more`. */
static void part_done(json_t *o, const char *key)
{
    if (json_object_size(json_object_get(o, key)) == 0)
        json_object_del(o, key);
}

static const char *const size_keys[] = {"layers", "heads",      "width",  "head_dim",
                                        "hidden", "parameters", "nonzero"};
enum { SIZE_KEYS = sizeof size_keys / sizeof *size_keys, SIZE_NEEDED = 6 };

/* All of it or nothing: half a size is none. */
static void size_read(finding_reader *r, json_t *o)
{
    json_t *part = json_object_get(o, "size");
    double v[SIZE_KEYS];
    for (int k = 0; k < SIZE_KEYS; k++) {
        const json_t *e = json_object_get(part, size_keys[k]);
        v[k] = 0;
        if ((e || k < SIZE_NEEDED) && !finding_count(e, k < 5 ? 0x1p30 : FINDING_COUNT_MOST, &v[k]))
            return;
    }
    at_size_detail *z = finding_new(r, 1, sizeof *z);
    if (!z)
        return;
    for (int k = 0; k < SIZE_KEYS; k++)
        json_object_del(part, size_keys[k]);
    *z = (at_size_detail){.layers = (int)v[0],
                          .heads = (int)v[1],
                          .width = (int)v[2],
                          .head_dim = (int)v[3],
                          .hidden = (int)v[4],
                          .parameters = (uint64_t)v[5],
                          .nonzero = (uint64_t)v[6]};
    finding_take_number(part, "largest_weight", 0, INFINITY, &z->largest);
    part_done(o, "size");
    r->f->verdict.size = z;
}

static void claim_read(finding_reader *r, json_t *o)
{
    json_t *part = json_object_get(o, "claim");
    at_claim_detail *c = json_is_object(part) ? finding_new(r, 1, sizeof *c) : NULL;
    if (!c)
        return;
    finding_take_text(r, part, "title", &c->title);
    finding_take_text(r, part, "source", &c->source);
    finding_take_text(r, part, "statement", &c->statement);
    finding_take_text(r, part, "proof", &c->proof);
    finding_take_text(r, part, "sha256", &c->sha256);
    finding_take_text(r, part, "text", &c->text);
    finding_take_text(r, part, "repeat", &c->repeat);
    part_done(o, "claim");
    r->f->verdict.claim = c;
}

static void counterexample_read(finding_reader *r, json_t *o)
{
    json_t *part = json_object_get(o, "counterexample");
    if (!json_is_string(json_object_get(part, "input")) && !json_is_string(json_object_get(part, "chain")))
        return;
    at_counterexample_detail *c = finding_new(r, 1, sizeof *c);
    double position = 0;
    if (!c)
        return;
    if (finding_count(json_object_get(part, "position"), POSITION_MOST, &position))
        json_object_del(part, "position");
    c->position = (int)position;
    finding_take_text(r, part, "input", &c->input);
    finding_take_number(part, "expected", -INFINITY, INFINITY, &c->expected);
    finding_take_number(part, "got", -INFINITY, INFINITY, &c->got);
    finding_take_text(r, part, "expected_word", &c->expected_word);
    finding_take_text(r, part, "got_word", &c->got_word);
    finding_take_text(r, part, "chain", &c->chain);
    finding_take_text(r, part, "attention", &c->attention);
    if (c->attention && !*c->attention)
        c->attention = NULL;
    part_done(o, "counterexample");
    r->f->verdict.counterexample = c;
}

static void verdict_read(finding_reader *r, json_t *o)
{
    at_verdict_detail *v = &r->f->verdict;
    size_read(r, o);
    claim_read(r, o);
    finding_take_text(r, o, "control", &v->control);
    finding_take_text(r, o, "note", &v->note);
    counterexample_read(r, o);
}

/* What is left in the object, as text. */
static void more_read(finding_reader *r, json_t *o)
{
    const char *key;
    json_t *v;
    at_detail_pair *more = finding_new(r, json_object_size(o), sizeof *more);
    if (!more)
        return;
    r->f->more = more;
    json_object_foreach(o, key, v)
    {
        at_detail_pair *p = &more[r->f->n_more];
        char *text =
            json_is_string(v) ? NULL : json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        p->list = json_is_array(v) || json_is_object(v);
        p->key = at_arena_strdup(r->a, key);
        p->value = json_is_string(v) ? finding_text(r, v) : text ? at_arena_strdup(r->a, text) : NULL;
        free(text);
        r->oom = r->oom || !p->key || !p->value;
        r->f->n_more += !r->oom;
    }
}

at_status at_finding_read(at_finding_kind kind, const char *json, at_arena *a, at_finding *out, at_err *err)
{
    *out = (at_finding){.kind = kind};
    finding_reader r = {.a = a, .f = out};
    if ((!json || !*json) && kind == AT_FINDING_VERDICT)
        return AT_OK;
    bool longer = json && kind == AT_FINDING_TRAINING && strlen(json) > TRAINING_MOST;
    json_t *o = json && !longer ? json_loads(json, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (longer)
        finding_broken(&r, "detail", "is longer than 256 KiB");
    else if (!json_is_object(o))
        finding_broken(&r, "detail", "is no JSON object");
    else
        switch (kind) {
        case AT_FINDING_VERDICT:
            verdict_read(&r, o);
            break;
        case AT_FINDING_TABLE:
            finding_read_table(&r, o);
            break;
        case AT_FINDING_TRAINING:
            finding_read_training(&r, o);
            break;
        case AT_FINDING_REFUTATION:
            finding_read_refutation(&r, o);
            break;
        }
    if (json_is_object(o) && !out->broken && !r.oom)
        more_read(&r, o);
    json_decref(o);
    if (out->broken) { /* half of it is nothing */
        at_finding empty = {.kind = kind, .broken = out->broken};
        *out = empty;
    }
    return r.oom ? at_oom(err) : AT_OK;
}

at_status at_finding_of_row(const at_row *r, at_arena *a, at_finding *out, at_err *err)
{
    static const struct {
        const char *role;
        at_finding_kind kind;
    } kinds[] = {
        {"table", AT_FINDING_TABLE}, {"trained", AT_FINDING_TRAINING}, {"refutation", AT_FINDING_REFUTATION}};
    at_finding_kind kind = AT_FINDING_VERDICT;
    for (size_t k = 0; r->rec.role && k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(r->rec.role, kinds[k].role))
            kind = kinds[k].kind;
    return at_finding_read(kind, r->rec.detail, a, out, err);
}

/* ---- writing -------------------------------------------------------------------------------------------------------- */

json_t *finding_set(json_t *o, const char *key, json_t *value)
{
    if (o && value && json_object_set_new(o, key, value) == 0)
        return o;
    if (!o)
        json_decref(value);
    json_decref(o);
    return NULL;
}

json_t *finding_add(json_t *array, json_t *value)
{
    if (array && value && json_array_append_new(array, value) == 0)
        return array;
    if (!array)
        json_decref(value);
    json_decref(array);
    return NULL;
}

json_t *finding_string(const char *s)
{
    json_t *v = json_string(s);
    if (v)
        return v;
    at_text t;
    at_text_init(&t);
    at_text_add_clean(&t, s);
    v = t.oom ? NULL : json_string(t.s ? t.s : "");
    at_text_release(&t);
    return v;
}

json_t *finding_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *finding_whole(double x)
{
    return json_integer((json_int_t)x);
}

json_t *finding_set_text(json_t *o, const char *key, const char *s)
{
    return s ? finding_set(o, key, finding_string(s)) : o;
}

static json_t *size_json(const at_size_detail *z)
{
    const double v[SIZE_KEYS] = {
        z->layers, z->heads, z->width, z->head_dim, z->hidden, (double)z->parameters, (double)z->nonzero};
    json_t *o = json_object();
    for (int k = 0; k < SIZE_KEYS; k++)
        o = finding_set(o, size_keys[k], finding_whole(v[k]));
    return finding_set(o, "largest_weight", finding_real(z->largest));
}

static json_t *claim_json(const at_claim_detail *c)
{
    json_t *o = finding_set_text(json_object(), "title", c->title);
    o = finding_set_text(o, "source", c->source);
    o = finding_set_text(o, "statement", c->statement);
    o = finding_set_text(o, "proof", c->proof);
    o = finding_set_text(o, "sha256", c->sha256);
    o = finding_set_text(o, "text", c->text);
    return finding_set_text(o, "repeat", c->repeat);
}

static json_t *counterexample_json(const at_counterexample_detail *c)
{
    json_t *o = finding_set_text(json_object(), "input", c->input);
    o = finding_set(o, "position", json_integer(c->position));
    o = finding_set(o, "expected", finding_real(c->expected));
    o = finding_set(o, "got", finding_real(c->got));
    o = finding_set_text(o, "expected_word", c->expected_word);
    o = finding_set_text(o, "got_word", c->got_word);
    o = finding_set_text(o, "chain", c->chain);
    return finding_set_text(o, "attention", c->attention);
}

static json_t *verdict_json(const at_verdict_detail *v)
{
    json_t *o = json_object();
    if (v->size)
        o = finding_set(o, "size", size_json(v->size));
    if (v->claim)
        o = finding_set(o, "claim", claim_json(v->claim));
    o = finding_set_text(o, "control", v->control);
    o = finding_set_text(o, "note", v->note);
    if (v->counterexample)
        o = finding_set(o, "counterexample", counterexample_json(v->counterexample));
    return o;
}

at_status at_finding_write(const at_finding *f, at_arena *a, const char **json, at_err *err)
{
    json_t *o = NULL;
    switch (f->kind) {
    case AT_FINDING_VERDICT:
        o = verdict_json(&f->verdict);
        break;
    case AT_FINDING_TABLE:
        o = finding_table_json(&f->table);
        break;
    case AT_FINDING_TRAINING:
        o = finding_training_json(&f->training);
        break;
    case AT_FINDING_REFUTATION:
        o = finding_refutation_json(&f->refutation);
        break;
    }
    char *text = o ? json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(o);
    *json = text ? at_arena_strdup(a, text) : NULL;
    free(text);
    return *json ? AT_OK : at_oom(err);
}
