/* result.c: what was found, as a tree of JSON that is read by name. */
#include <math.h>
#include <string.h>

#include "api_internal.h"

struct at_result {
    json_t *root;
    char *text;
};

/* ---- making one -------------------------------------------------------------------------------------- */

json_t *result_set(json_t *object, const char *key, json_t *value)
{
    if (object && json_object_set_new(object, key, value) == 0)
        return object;
    if (!object)
        json_decref(value);
    json_decref(object);
    return NULL;
}

json_t *result_add(json_t *array, json_t *value)
{
    if (array && json_array_append_new(array, value) == 0)
        return array;
    if (!array)
        json_decref(value);
    json_decref(array);
    return NULL;
}

json_t *result_taken(at_text *t)
{
    json_t *j = t->oom ? NULL : json_string(t->s ? t->s : "");
    at_text_release(t);
    return j;
}

json_t *result_text(const char *s)
{
    if (!s)
        return json_null();
    at_text clean; /* strings of models come from anywhere */
    at_text_init(&clean);
    for (const char *p = s; *p;) {
        uint32_t c = at_text_next(&p);
        at_text_put(&clean, c == '\n' || c == '\t' ? c : at_text_visible(c));
    }
    return result_taken(&clean);
}

json_t *result_number(double x)
{
    if (!isfinite(x))
        return json_null();
    return x == floor(x) && fabs(x) < 9007199254740992. ? json_integer((json_int_t)x) : json_real(x);
}

json_t *result_numbers(const double *x, int n)
{
    json_t *all = x ? json_array() : json_null();
    for (int k = 0; x && k < n; k++)
        all = result_add(all, result_number(x[k]));
    return all;
}

json_t *result_params(const at_param *schema, int n)
{
    json_t *all = json_array();
    for (int i = 0; i < n; i++) {
        const at_param *q = &schema[i];
        json_t *j = result_set(json_object(), "name", result_text(q->name));
        j = result_set(j, "doc", result_text(q->doc));
        j = result_set(j, "integer", json_boolean(q->integer));
        if (q->names) {
            json_t *names = json_array();
            for (int k = 0; k <= (int)(q->hi - q->lo); k++)
                names = result_add(names, result_text(q->names[k]));
            j = result_set(j, "names", names);
            j = result_set(j, "default", result_text(q->names[(int)(q->value - q->lo)]));
        } else {
            j = result_set(j, "least", result_number(q->lo));
            j = result_set(j, "most", result_number(q->hi));
            j = result_set(j, "default", result_number(q->value));
        }
        all = result_add(all, j);
    }
    return all;
}

json_t *result_set_params(json_t *j, const at_params *p)
{
    json_t *all = json_object();
    for (int i = 0; i < p->n; i++) {
        const at_param *q = &p->schema[i];
        all = result_set(all, q->name,
                         q->names ? result_text(q->names[(int)(p->value[i] - q->lo)])
                                  : result_number(p->value[i]));
    }
    return result_set(j, "parameters", all);
}

static int dumped(const char *s, size_t n, void *ctx)
{
    at_text_addn(ctx, s, n);
    return ((at_text *)ctx)->oom ? -1 : 0;
}

at_status result_end(json_t *j, at_result **out, at_err *err)
{
    at_text t;
    at_text_init(&t);
    at_result *r = at_calloc(1, sizeof *r);
    if (!j || !r || json_dump_callback(j, dumped, &t, JSON_ENSURE_ASCII) || t.oom) {
        at_text_release(&t);
        json_decref(j);
        at_free(r);
        return at_oom(err);
    }
    *r = (at_result){j, t.s}; /* the text is the result's now */
    *out = r;
    return AT_OK;
}

/* ---- reading one --------------------------------------------------------------------------------------- */

static const json_t *value_at(const json_t *j, const char *name)
{
    while (j && *name) {
        size_t n = strcspn(name, ".");
        char key[64];
        int64_t index;
        if (n >= sizeof key)
            return NULL;
        memcpy(key, name, n);
        key[n] = 0;
        if (json_is_array(j))
            j = at_parse_i64(key, n, &index) && index >= 0 ? json_array_get(j, (size_t)index) : NULL;
        else
            j = json_object_get(j, key);
        name += n + (name[n] == '.');
    }
    return j;
}

const char *at_result_text(const at_result *r, const char *name)
{
    return json_string_value(value_at(r->root, name));
}

double at_result_number(const at_result *r, const char *name)
{
    const json_t *j = value_at(r->root, name);
    return json_is_number(j) ? json_number_value(j) : json_is_boolean(j) ? json_is_true(j) : (double)NAN;
}

const char *at_result_json(const at_result *r)
{
    return r->text;
}

void at_result_free(at_result *r)
{
    if (!r)
        return;
    json_decref(r->root);
    at_free(r->text);
    at_free(r);
}
