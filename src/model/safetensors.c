/* safetensors.c: a model as a file that anyone's tools can read.
 *
 * The container is that of tensors.h, with __metadata__ {"attest": ARCHITECTURE, "format": "attest"};
 * ARCHITECTURE is JSON again, as a string (the format wants strings).
 *
 * Writing is canonical, so equal models are equal bytes, and the SHA-256 of the image is the model's identity.
 *
 * Reading trusts nothing. In order: the header's length against the file's; the header as JSON; the
 * architecture; what that architecture must weigh against the bytes that are there; only then is memory
 * taken for weights. Every tensor must be named, typed, shaped and placed as the architecture says,
 * tiling the data exactly; every weight finite. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "model_internal.h"

#define PORTION 4096 /* weights converted at a time */

static void le_put(unsigned char *p, uint64_t v, int bytes)
{
    for (int k = 0; k < bytes; k++)
        p[k] = (unsigned char)(v >> (8 * k));
}

static uint64_t le_get(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int k = 0; k < bytes; k++)
        v |= (uint64_t)p[k] << (8 * k);
    return v;
}

static void weights_encode(unsigned char *p, const double *w, size_t n, bool f32)
{
    for (size_t i = 0; i < n; i++) {
        if (f32) {
            float f = (float)w[i];
            uint32_t u;
            memcpy(&u, &f, 4);
            le_put(p + 4 * i, u, 4);
        } else {
            uint64_t u;
            memcpy(&u, &w[i], 8);
            le_put(p + 8 * i, u, 8);
        }
    }
}

static void weights_decode(double *w, const unsigned char *p, size_t n, bool f32)
{
    for (size_t i = 0; i < n; i++) {
        if (f32) {
            uint32_t u = (uint32_t)le_get(p + 4 * i, 4);
            float f;
            memcpy(&f, &u, 4);
            w[i] = f;
        } else {
            uint64_t u = le_get(p + 8 * i, 8);
            memcpy(&w[i], &u, 8);
        }
    }
}

/* ---- writing ------------------------------------------------------------------------------------ */

static void table_at(const void *ctx, int i, tensors_entry *out)
{
    const at_tensor *t = &((const at_model *)ctx)->tensors[i];
    memcpy(out->name, t->name, sizeof t->name);
    out->rank = t->rank;
    memcpy(out->shape, t->shape, sizeof t->shape);
}

static tensors_table table_of(const at_model *m)
{
    return (tensors_table){m->n_tensors, m->f32, table_at, m};
}

/* Called with the image's portions in order. */
typedef void image_sink(void *ctx, const void *data, size_t n);

/* Validates m, says how long its image is (begin, which may be NULL, and may refuse), then sends it. After
 * begin nothing fails. */
static at_status image_send(const at_model *m, at_status (*begin)(void *ctx, size_t n, at_err *err),
                            image_sink *sink, void *ctx, at_err *err)
{
    at_status st = at_model_validate(m, err);
    if (st != AT_OK)
        return st;
    char *arch = model_arch_print(m, err);
    if (!arch)
        return AT_ENOMEM;
    char *header;
    size_t head, item = m->f32 ? 4 : 8;
    tensors_table table = table_of(m);
    const tensors_meta meta[] = {{"format", "attest"}, {"attest", arch}};
    st = tensors_header_print(&table, meta, 2, &header, &head, err);
    at_free(arch);
    if (st != AT_OK)
        return st;
    if (begin)
        st = begin(ctx, head + item * m->n_weights, err);
    if (st == AT_OK) {
        unsigned char buffer[8 * PORTION];
        sink(ctx, header, head);
        for (size_t i = 0; i < m->n_weights; i += PORTION) {
            size_t n = m->n_weights - i < PORTION ? m->n_weights - i : PORTION;
            weights_encode(buffer, m->weights + i, n, m->f32);
            sink(ctx, buffer, n * item);
        }
    }
    at_free(header);
    return st;
}

typedef struct {
    char *bytes;
    size_t n;
} image;

static at_status image_begin(void *ctx, size_t n, at_err *err)
{
    image *im = ctx;
    im->bytes = at_malloc(n);
    return im->bytes ? AT_OK : at_oom(err);
}

static void image_add(void *ctx, const void *data, size_t n)
{
    image *im = ctx;
    memcpy(im->bytes + im->n, data, n);
    im->n += n;
}

at_status at_model_image(const at_model *m, char **bytes, size_t *n, at_err *err)
{
    image im = {NULL, 0};
    at_status st = image_send(m, image_begin, image_add, &im, err);
    if (st == AT_OK) {
        *bytes = im.bytes;
        *n = im.n;
    }
    return st;
}

at_status at_model_save(const at_model *m, const char *path, at_err *err)
{
    char *bytes;
    size_t n;
    at_status st = at_model_image(m, &bytes, &n, err);
    if (st != AT_OK)
        return st;
    st = at_file_write(path, bytes, n, err);
    at_free(bytes);
    return st;
}

static void hash_add(void *ctx, const void *data, size_t n)
{
    model_sha256_add(ctx, data, n);
}

at_status at_model_hash(const at_model *m, char out[65], at_err *err)
{
    model_sha256 s;
    model_sha256_init(&s);
    at_status st = image_send(m, NULL, hash_add, &s, err);
    if (st == AT_OK)
        model_sha256_hex(&s, out);
    return st;
}

/* ---- reading ------------------------------------------------------------------------------------ */

static at_status weights_read(at_model *m, const tensors_source *s, const tensors_place *places, at_err *err)
{
    size_t item = m->f32 ? 4 : 8;
    unsigned char buffer[8 * PORTION];
    for (int p = 0; p < m->n_tensors; p++) {
        const at_tensor *t = &m->tensors[places[p].tensor];
        for (size_t i = 0; i < t->count; i += PORTION) {
            size_t n = t->count - i < PORTION ? t->count - i : PORTION;
            at_status st = tensors_source_read(s, (size_t)places[p].begin + i * item, buffer, n * item, err);
            if (st != AT_OK)
                return st;
            weights_decode(m->weights + t->offset + i, buffer, n, m->f32);
        }
    }
    return AT_OK;
}

/* The architecture's text in the header, or NULL. */
static const char *arch_find(const json_t *root, const char *path, size_t *n, at_err *err)
{
    static const char *const keys[] = {"format", "attest"};
    size_t length;
    const char *format = tensors_meta_get(root, "format", &length),
               *arch = tensors_meta_get(root, "attest", n);
    if (format && !strcmp(format, "attest-training"))
        at_fail(err, AT_EINPUT, "%s: the state of a training, not a model", path);
    else if (!arch)
        at_fail(err, AT_EINPUT, "%s: a safetensors file without an architecture in __metadata__ (key attest)",
                path);
    else if (!format || strcmp(format, "attest"))
        at_fail(err, AT_EINPUT, "%s: __metadata__ format must be \"attest\"", path);
    else if (!tensors_meta_check(root, keys, 2, path, err))
        return arch;
    return NULL;
}

/* From the header's JSON to a model with weights. */
static at_status root_read(at_model *m, tensors_source *s, json_t *root, at_err *err)
{
    at_err mine = {0};
    size_t length;
    const char *arch = arch_find(root, s->path, &length, err);
    if (!arch)
        return AT_EINPUT;
    at_status st = model_arch_parse(m, arch, length, s->path, err);
    if (st != AT_OK)
        return st;
    int n_tensors = 0;
    size_t n_weights = 0, item = m->f32 ? 4 : 8, have;
    st = model_measure(m, &n_tensors, &n_weights, &mine);
    if (st != AT_OK)
        return at_fail(err, st, "%s: %s", s->path, mine.text);
    st = tensors_source_expect(s, n_weights * item, &have, err);
    if (st == AT_OK && have != n_weights * item)
        st = at_fail(err, AT_EINPUT, "%s: %zu bytes of data; the architecture needs %zu", s->path, have,
                     n_weights * item);
    if (st == AT_OK)
        st = at_model_layout(m, err);
    if (st != AT_OK)
        return st;
    tensors_place *places = at_calloc((size_t)n_tensors, sizeof *places);
    if (!places)
        return at_oom(err);
    tensors_table table = table_of(m);
    st = tensors_places(&table, root, s->path, places, err);
    if (st == AT_OK)
        st = weights_read(m, s, places, err);
    at_free(places);
    if (st != AT_OK)
        return st;
    st = at_model_validate(m, &mine);
    return st == AT_OK ? AT_OK : at_fail(err, st, "%s: %s", s->path, mine.text);
}

static at_status source_parse(at_model *m, tensors_source *s, at_err *err)
{
    char *header;
    size_t n;
    at_status st = tensors_source_header(s, &header, &n, err);
    if (st != AT_OK)
        return st;
    at_err mine = {0};
    json_t *root = model_json_parse(header, n, s->path, "header", &mine);
    st = root ? root_read(m, s, root, err) : at_fail(err, mine.code, "%s", mine.text);
    model_json_free(root);
    at_free(header);
    if (st != AT_OK)
        at_model_release(m);
    return st;
}

at_status at_model_parse(at_model *m, const char *bytes, size_t n, const char *path, at_err *err)
{
    tensors_source s;
    at_model_init(m);
    tensors_source_memory(&s, path ? path : "model", bytes, n);
    return source_parse(m, &s, err);
}

at_status at_model_load(at_model *m, const char *path, at_err *err)
{
    tensors_source s;
    at_model_init(m);
    at_status st = tensors_source_open(&s, path, err);
    if (st == AT_OK)
        st = source_parse(m, &s, err);
    tensors_source_close(&s);
    return st;
}
