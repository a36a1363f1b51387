/* stored.c: which matrices of a file are sparse, and what tensors the file has.
 *
 * The weights of constructed models are mostly zeros. A matrix of them is stored by rows (CSR), as three vectors that any
 * reader of safetensors opens and that scipy.sparse.csr_matrix takes as they are. What is not stored is +0; -0 is stored.
 *
 *     1 0 2        values   1 2 3      columns  0 2 2
 *     0 0 0        starts   0 2 2 3
 *     0 0 3
 *
 * The canonical choice depends on the weights alone: a matrix is sparse when it takes at least LEAST_BYTES dense and at most half of
 * them sparse. So files of small models stay as they were, and readers of older versions read them. */
#include <stdio.h>
#include <string.h>

#include "model_internal.h"

#define LEAST_BYTES ((size_t)4096)
#define INDEX_BYTES ((size_t)4)
#define META_VALUES ((size_t)16) /* in the header's JSON, beside those of the tensors */

at_status stored_dense(model_stored *s, const at_model *m, at_err *err)
{
    size_t n = (size_t)m->n_tensors + 1;
    *s = (model_stored){m, at_calloc(n, sizeof *s->kept), at_calloc(n, sizeof *s->sparse), 0};
    if (!s->kept || !s->sparse)
        return at_oom(err);
    for (int i = 0; i < m->n_tensors; i++)
        s->kept[i] = -1;
    return AT_OK;
}

void stored_free(model_stored *s)
{
    at_free(s->kept);
    at_free(s->sparse);
    *s = (model_stored){0};
}

static void stored_add(model_stored *s, int tensor, int64_t kept)
{
    s->kept[tensor] = kept;
    s->sparse[s->n_sparse++] = tensor;
}

static size_t sparse_bytes(const at_model *m, const at_tensor *t, size_t kept)
{
    return kept * ((m->f32 ? 4 : 8) + INDEX_BYTES) + ((size_t)t->shape[0] + 1) * INDEX_BYTES;
}

at_status stored_choose(model_stored *s, const at_model *m, at_err *err)
{
    at_status st = stored_dense(s, m, err);
    /* A header with too many tensors to be read back stays as short as it can be. */
    if (st != AT_OK || 3 * (size_t)m->n_tensors > (MODEL_JSON_VALUES - META_VALUES) / MODEL_TENSOR_VALUES)
        return st;
    for (int i = 0; i < m->n_tensors; i++) {
        const at_tensor *t = &m->tensors[i];
        const double *w = m->weights + t->offset;
        size_t dense = t->count * (m->f32 ? 4 : 8), kept = 0;
        if (t->rank != 2 || dense < LEAST_BYTES)
            continue;
        for (size_t k = 0; (k = at_weights_next(w, k, t->count)) < t->count; k++)
            kept++;
        if (sparse_bytes(m, t, kept) <= dense / 2)
            stored_add(s, i, (int64_t)kept);
    }
    return AT_OK;
}

/* ---- what a header says ----------------------------------------------------------------------------- */

/* The matrix with this name among those from tensor `from` on; -1: there is none. */
static int matrix_find(const at_model *m, int from, const char *name, size_t n)
{
    for (int i = from; i < m->n_tensors; i++)
        if (strlen(m->tensors[i].name) == n && !memcmp(m->tensors[i].name, name, n))
            return m->tensors[i].rank == 2 ? i : -1;
    return -1;
}

/* Names are in the order of the tensors, so that one pass finds them all and none stands twice. */
at_status stored_read(model_stored *s, const at_model *m, const struct json_t *root, const char *path,
                      at_err *err)
{
    size_t length;
    const char *names = tensors_meta_get(root, "sparse", &length);
    at_status st = stored_dense(s, m, err);
    for (int from = 0; st == AT_OK && names; from++) {
        size_t n = strcspn(names, " ");
        char values[sizeof m->tensors->name + 8];
        from = matrix_find(m, from, names, n);
        if (from < 0)
            return at_fail(
                err, AT_EINPUT,
                "%s: __metadata__: sparse names \"%.*s\", which is no matrix of the architecture, or "
                "not in the order of its tensors",
                path, (int)(n < AT_NAME_MAX ? n : AT_NAME_MAX), names);
        const at_tensor *t = &m->tensors[from];
        snprintf(values, sizeof values, "%s.values", t->name);
        int64_t kept = tensors_length(root, values);
        if (kept < 0)
            return at_fail(err, AT_EINPUT, "%s: tensor %s is missing, or no vector", path, values);
        if ((uint64_t)kept > t->count)
            return at_fail(err, AT_EINPUT, "%s: tensor %s has %lld values; the matrix has %zu", path, values,
                           (long long)kept, t->count);
        stored_add(s, from, kept);
        names = names[n] ? names + n + 1 : NULL;
    }
    return st;
}

void stored_names(const model_stored *s, at_text *out)
{
    for (int k = 0; k < s->n_sparse; k++)
        at_text_addf(out, "%s%s", k ? " " : "", s->m->tensors[s->sparse[k]].name);
}

/* ---- the tensors of the file ------------------------------------------------------------------------ */

int stored_index(const model_stored *s, int sparse, stored_part part)
{
    switch (part) {
    case STORED_WEIGHTS:
        return s->sparse[sparse];
    case STORED_COLUMNS:
        break;
    case STORED_STARTS:
        return s->m->n_tensors + 2 * sparse + 1;
    }
    return s->m->n_tensors + 2 * sparse;
}

static void stored_at(const void *ctx, int i, tensors_entry *out)
{
    const model_stored *s = ctx;
    int beyond = i - s->m->n_tensors, tensor = beyond < 0 ? i : s->sparse[beyond / 2];
    const at_tensor *t = &s->m->tensors[tensor];
    if (s->kept[tensor] < 0) {
        memcpy(out->name, t->name, sizeof t->name);
        out->rank = t->rank;
        memcpy(out->shape, t->shape, sizeof t->shape);
        return;
    }
    const char *part = beyond < 0 ? "values" : beyond % 2 ? "starts" : "columns";
    snprintf(out->name, sizeof out->name, "%s.%s", t->name, part);
    out->rank = 1;
    out->index = beyond >= 0;
    out->shape[0] = beyond >= 0 && beyond % 2 ? t->shape[0] + 1 : s->kept[tensor];
    out->shape[1] = 1;
}

tensors_table stored_table(const model_stored *s)
{
    return (tensors_table){s->m->n_tensors + 2 * s->n_sparse, s->m->f32, stored_at, s};
}

size_t stored_bytes(const model_stored *s)
{
    size_t bytes = 0;
    for (int i = 0; i < s->m->n_tensors; i++) {
        const at_tensor *t = &s->m->tensors[i];
        bytes += s->kept[i] < 0 ? t->count * (s->m->f32 ? 4 : 8) : sparse_bytes(s->m, t, (size_t)s->kept[i]);
    }
    return bytes;
}
