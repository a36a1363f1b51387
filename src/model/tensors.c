/* tensors.c: the container of tensors.h, between a header's JSON and a table of tensors. */
#include "tensors.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* ---- writing ------------------------------------------------------------------------------------ */

static int64_t entry_bytes(const tensors_entry *e, bool f32)
{
    return e->shape[0] * (e->rank == 1 ? 1 : e->shape[1]) * (e->index || f32 ? 4 : 8);
}

static const char *entry_type(const tensors_entry *e, bool f32)
{
    return e->index ? "I32" : f32 ? "F32" : "F64";
}

static json_t *entry_print(const tensors_entry *e, int64_t begin, bool f32)
{
    json_t *shape = e->rank == 1 ? json_pack("[I]", (json_int_t)e->shape[0])
                                 : json_pack("[I,I]", (json_int_t)e->shape[0], (json_int_t)e->shape[1]);
    return json_pack("{s:s, s:o, s:[I,I]}", "dtype", entry_type(e, f32), "shape", shape, "data_offsets",
                     (json_int_t)begin, (json_int_t)(begin + entry_bytes(e, f32)));
}

/* The header's JSON, freed with at_free; NULL when out of memory. */
static char *json_print(const tensors_table *t, const tensors_meta *meta, int n_meta)
{
    json_t *texts = json_object(), *root = json_pack("{s:o}", "__metadata__", texts);
    char *text = NULL;
    bool ok = root != NULL;
    for (int i = 0; ok && i < n_meta; i++)
        ok = !meta[i].text || json_object_set_new(texts, meta[i].key, json_string(meta[i].text)) == 0;
    int64_t begin = 0;
    for (int i = 0; ok && i < t->n; i++) {
        tensors_entry e = {.rank = 0};
        t->at(t->ctx, i, &e);
        ok = json_object_set_new(root, e.name, entry_print(&e, begin, t->f32)) == 0;
        begin += entry_bytes(&e, t->f32);
    }
    if (ok)
        text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(root);
    return text;
}

at_status tensors_header_print(const tensors_table *t, const tensors_meta *meta, int n_meta, char **bytes,
                               size_t *n, at_err *err)
{
    model_json_begin();
    char *json = json_print(t, meta, n_meta), *out = NULL;
    at_status s = AT_OK;
    size_t text = json ? strlen(json) : 0, all = (text + 7) / 8 * 8;
    if (model_json_oom() || !json)
        s = at_oom(err);
    else if (all > TENSORS_HEADER_MAX)
        s = at_fail(err, AT_EDOMAIN, "the file's header would take %zu bytes, at most %zu are allowed", text,
                    TENSORS_HEADER_MAX);
    else if (!(out = at_malloc(8 + all)))
        s = at_oom(err);
    if (out) {
        at_le_put(out, all, 8);
        memcpy(out + 8, json, text);
        memset(out + 8 + text, ' ', all - text);
        *bytes = out;
        *n = 8 + all;
    }
    at_free(json);
    return s;
}

/* ---- reading ------------------------------------------------------------------------------------ */

at_status tensors_header_length(const char first[8], size_t file, const char *path, size_t *n, at_err *err)
{
    uint64_t v = at_le_get(first, 8);
    size_t most = file - 8 < TENSORS_HEADER_MAX ? file - 8 : TENSORS_HEADER_MAX;
    if (v > most)
        return at_fail(err, AT_EINPUT,
                       "%s: header of %llu bytes; at most %zu fit (is this a safetensors file?)", path,
                       (unsigned long long)v, most);
    *n = (size_t)v;
    return AT_OK;
}

at_status tensors_meta_check(const json_t *root, const char *const *keys, int n, const char *path,
                             at_err *err)
{
    json_t *meta = json_object_get(root, "__metadata__");
    for (void *i = json_object_iter(meta); i; i = json_object_iter_next(meta, i)) {
        const char *key = json_object_iter_key(i);
        int k = 0;
        while (k < n && strcmp(key, keys[k]))
            k++;
        if (k == n)
            return at_fail(err, AT_EINPUT, "%s: __metadata__: unknown key \"%s\"", path, key);
        if (!json_is_string(json_object_iter_value(i)))
            return at_fail(err, AT_EINPUT, "%s: __metadata__: %s is not a string", path, key);
    }
    return AT_OK;
}

const char *tensors_meta_get(const json_t *root, const char *key, size_t *n)
{
    const json_t *v = json_object_get(json_object_get(root, "__metadata__"), key);
    *n = json_string_length(v);
    return json_string_value(v);
}

static int place_order(const void *a, const void *b)
{
    const tensors_place *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) /* empty ones first: they end where they begin */
        return x->end < y->end ? -1 : 1;
    return x->tensor - y->tensor;
}

/* An array of n integers that are not negative. */
static bool integers(const json_t *j, int64_t *out, size_t n)
{
    if (!json_is_array(j) || json_array_size(j) != n)
        return false;
    for (size_t k = 0; k < n; k++) {
        const json_t *v = json_array_get(j, k);
        out[k] = json_integer_value(v);
        if (!json_is_integer(v) || out[k] < 0)
            return false;
    }
    return true;
}

static at_status entry_read(const tensors_entry *t, bool f32, json_t *e, const char *path, tensors_place *out,
                            at_err *err)
{
    const char *dtype = entry_type(t, f32), *key;
    int64_t shape[2] = {0, 0}, offsets[2];
    json_t *value;
    if (!e)
        return at_fail(err, AT_EINPUT, "%s: tensor %s is missing", path, t->name);
    if (!json_is_object(e))
        return at_fail(err, AT_EINPUT, "%s: tensor %s is not an object", path, t->name);
    json_object_foreach(
        e, key, value) if (strcmp(key, "dtype") && strcmp(key, "shape") &&
                           strcmp(key, "data_offsets")) return at_fail(err, AT_EINPUT,
                                                                       "%s: tensor %s: unknown key \"%s\"",
                                                                       path, t->name, key);
    const char *says = json_string_value(json_object_get(e, "dtype"));
    if (!says || strcmp(says, dtype))
        return at_fail(err, AT_EINPUT, "%s: tensor %s: dtype must be %s%s", path, t->name, dtype,
                       t->index ? "" : ", as the architecture says");
    if (!integers(json_object_get(e, "shape"), shape, (size_t)t->rank) || shape[0] != t->shape[0] ||
        (t->rank == 2 && shape[1] != t->shape[1]))
        return at_fail(err, AT_EINPUT,
                       t->rank == 1 ? "%s: tensor %s: shape must be [%lld]"
                                    : "%s: tensor %s: shape must be [%lld,%lld]",
                       path, t->name, (long long)t->shape[0], (long long)t->shape[1]);
    int64_t bytes = entry_bytes(t, f32);
    if (!integers(json_object_get(e, "data_offsets"), offsets, 2) || offsets[1] < offsets[0] ||
        offsets[1] - offsets[0] != bytes)
        return at_fail(err, AT_EINPUT, "%s: tensor %s: data_offsets must span %lld bytes", path, t->name,
                       (long long)bytes);
    out->begin = offsets[0];
    out->end = offsets[1];
    return AT_OK;
}

int64_t tensors_length(const json_t *root, const char *name)
{
    int64_t n;
    return integers(json_object_get(json_object_get(root, name), "shape"), &n, 1) ? n : -1;
}

int tensors_tile(tensors_place *places, int n, int64_t *end)
{
    int k = 0;
    if (n)
        qsort(places, (size_t)n, sizeof *places, place_order);
    for (*end = 0; k < n && places[k].begin == *end; k++)
        *end = places[k].end;
    return k;
}

at_status tensors_places(const tensors_table *t, json_t *root, const char *path, tensors_place *places,
                         at_err *err)
{
    tensors_entry e = {.rank = 0};
    for (int i = 0; i < t->n; i++) {
        e.index = false;
        t->at(t->ctx, i, &e);
        places[i].tensor = i;
        at_status s = entry_read(&e, t->f32, json_object_get(root, e.name), path, &places[i], err);
        if (s)
            return s;
    }
    if (json_object_size(root) != (size_t)t->n + 1) {
        /* Strike out what is known; linear, however many strangers there are. */
        for (int i = 0; i < t->n; i++) {
            t->at(t->ctx, i, &e);
            json_object_del(root, e.name);
        }
        json_object_del(root, "__metadata__");
        return at_fail(err, AT_EINPUT, "%s: tensor %s is not part of the architecture", path,
                       json_object_iter_key(json_object_iter(root)));
    }
    int64_t end;
    int wrong = tensors_tile(places, t->n, &end);
    if (wrong == t->n)
        return AT_OK;
    t->at(t->ctx, places[wrong].tensor, &e);
    return at_fail(err, AT_EINPUT, "%s: tensor %s begins at byte %lld of the data instead of %lld", path,
                   e.name, (long long)places[wrong].begin, (long long)end);
}
