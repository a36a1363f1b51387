/* safetensors.c: a model as a file that anyone's tools can read.
 *
 *   8 bytes   length of the header, little-endian
 *   header    JSON: {"__metadata__": {"attest": ARCHITECTURE, "format": "attest"},
 *                    "block.0.attn.0.q": {"data_offsets": [0, 96], "dtype": "F64", "shape": [3, 4]}, ...}
 *             ARCHITECTURE is JSON again, as a string (the format wants strings); blanks up to 8 bytes
 *   data      the tensors, F64 or F32, little-endian, tiling the rest of the file
 *
 * Writing is canonical: sorted keys, table order of data, so equal models are equal bytes, and the
 * SHA-256 of the image is the model's identity.
 *
 * Reading trusts nothing. In order: the header's length against the file's; the header as JSON; the
 * architecture; what that architecture must weigh against the bytes that are there; only then is memory
 * taken for weights. Every tensor must be named, typed, shaped and placed as the architecture says (any
 * order of data is accepted, since other writers sort), tiling the data exactly; every weight finite. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "model_internal.h"

#define HEADER_MAX ((size_t)64 << 20)
#define FILE_MAX   (8 + HEADER_MAX + 8 * AT_MAX_WEIGHTS)
#define PORTION    4096 /* weights converted at a time */

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

static json_t *tensor_entry(const at_tensor *t, size_t item, const char *dtype)
{
    json_int_t begin = (json_int_t)(t->offset * item), end = (json_int_t)((t->offset + t->count) * item);
    json_t *shape = t->rank == 1 ? json_pack("[I]", (json_int_t)t->shape[0])
                                 : json_pack("[I,I]", (json_int_t)t->shape[0], (json_int_t)t->shape[1]);
    return json_pack("{s:s, s:o, s:[I,I]}", "dtype", dtype, "shape", shape, "data_offsets", begin, end);
}

/* The header's JSON, freed with at_free; NULL when out of memory. */
static char *header_print(const at_model *m, const char *arch)
{
    json_t *meta = json_pack("{s:s, s:s}", "format", "attest", "attest", arch);
    json_t *root = json_pack("{s:o}", "__metadata__", meta);
    char *text = NULL;
    bool ok = root != NULL;
    for (int t = 0; ok && t < m->n_tensors; t++)
        ok = json_object_set_new(root, m->tensors[t].name,
                                 tensor_entry(&m->tensors[t], m->f32 ? 4 : 8, m->f32 ? "F32" : "F64")) == 0;
    if (ok)
        text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(root);
    return text;
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
    model_json_begin();
    char *header = header_print(m, arch);
    at_free(arch);
    if (model_json_oom() || !header) {
        at_free(header);
        return at_oom(err);
    }
    size_t text = strlen(header), blanks = (8 - text % 8) % 8, item = m->f32 ? 4 : 8;
    if (text + blanks > HEADER_MAX)
        st = at_fail(err, AT_EDOMAIN, "the model's header would take %zu bytes, at most %zu are allowed",
                     text, HEADER_MAX);
    else if (begin)
        st = begin(ctx, 8 + text + blanks + item * m->n_weights, err);
    if (st == AT_OK) {
        unsigned char buffer[8 * PORTION];
        le_put(buffer, text + blanks, 8);
        sink(ctx, buffer, 8);
        sink(ctx, header, text);
        sink(ctx, "       ", blanks);
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

/* Where bytes come from: memory, or an open file, so that a file is never held twice. */
typedef struct {
    const char *path;
    const char *bytes; /* NULL: use fd */
    int fd;
    size_t n;
} source;

static at_status source_read(const source *s, size_t at, void *to, size_t n, at_err *err)
{
    if (s->bytes) {
        memcpy(to, s->bytes + at, n);
        return AT_OK;
    }
    for (size_t got = 0; got < n;) {
        ssize_t k = pread(s->fd, (char *)to + got, n - got, (off_t)(at + got));
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return at_fail(err, AT_EIO, "%s: %s", s->path, strerror(errno));
        if (k == 0)
            return at_fail(err, AT_EIO, "%s: the file became shorter while it was read", s->path);
        got += (size_t)k;
    }
    return AT_OK;
}

/* Where a tensor's bytes are, relative to the data. */
typedef struct {
    int64_t begin, end;
    int tensor;
} place;

static int place_order(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin ? 1 : x->tensor - y->tensor;
}

/* A two-element array of integers that are not negative. */
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

static at_status entry_read(const at_model *m, int tensor, const json_t *e, const char *path, place *out,
                            at_err *err)
{
    const at_tensor *t = &m->tensors[tensor];
    const char *dtype = m->f32 ? "F32" : "F64";
    int64_t shape[2] = {0, 1}, offsets[2];
    if (!e)
        return at_fail(err, AT_EINPUT, "%s: tensor %s is missing", path, t->name);
    if (!json_is_object(e))
        return at_fail(err, AT_EINPUT, "%s: tensor %s is not an object", path, t->name);
    const char *key;
    json_t *value;
    json_object_foreach(
        (json_t *)e, key,
        value) if (strcmp(key, "dtype") && strcmp(key, "shape") &&
                   strcmp(key, "data_offsets")) return at_fail(err, AT_EINPUT,
                                                               "%s: tensor %s: unknown key \"%s\"", path,
                                                               t->name, key);
    const char *says = json_string_value(json_object_get(e, "dtype"));
    if (!says || strcmp(says, dtype))
        return at_fail(err, AT_EINPUT, "%s: tensor %s: dtype must be %s, as the architecture says", path,
                       t->name, dtype);
    if (!integers(json_object_get(e, "shape"), shape, (size_t)t->rank) || shape[0] != t->shape[0] ||
        shape[1] != t->shape[1])
        return at_fail(err, AT_EINPUT,
                       t->rank == 1 ? "%s: tensor %s: shape must be [%lld]"
                                    : "%s: tensor %s: shape must be [%lld,%lld]",
                       path, t->name, (long long)t->shape[0], (long long)t->shape[1]);
    int64_t bytes = (int64_t)t->count * (m->f32 ? 4 : 8);
    if (!integers(json_object_get(e, "data_offsets"), offsets, 2) || offsets[1] < offsets[0] ||
        offsets[1] - offsets[0] != bytes)
        return at_fail(err, AT_EINPUT, "%s: tensor %s: data_offsets must span %lld bytes", path, t->name,
                       (long long)bytes);
    *out = (place){offsets[0], offsets[1], tensor};
    return AT_OK;
}

/* Places of all tensors in file order; refuses extra tensors, overlaps and holes. */
static at_status places_read(const at_model *m, json_t *root, const char *path, place *places, at_err *err)
{
    for (int t = 0; t < m->n_tensors; t++) {
        at_status st = entry_read(m, t, json_object_get(root, m->tensors[t].name), path, &places[t], err);
        if (st != AT_OK)
            return st;
    }
    if (json_object_size(root) != (size_t)m->n_tensors + 1) {
        /* Strike out what is known; linear, however many strangers there are. */
        for (int t = 0; t < m->n_tensors; t++)
            json_object_del(root, m->tensors[t].name);
        json_object_del(root, "__metadata__");
        return at_fail(err, AT_EINPUT, "%s: tensor %s is not part of the architecture", path,
                       json_object_iter_key(json_object_iter(root)));
    }
    qsort(places, (size_t)m->n_tensors, sizeof *places, place_order);
    int64_t end = 0;
    for (int t = 0; t < m->n_tensors; t++) {
        if (places[t].begin != end)
            return at_fail(err, AT_EINPUT, "%s: tensor %s begins at byte %lld of the data instead of %lld",
                           path, m->tensors[places[t].tensor].name, (long long)places[t].begin,
                           (long long)end);
        end = places[t].end;
    }
    return AT_OK;
}

static at_status weights_read(at_model *m, const source *s, size_t data, const place *places, at_err *err)
{
    size_t item = m->f32 ? 4 : 8;
    unsigned char buffer[8 * PORTION];
    for (int p = 0; p < m->n_tensors; p++) {
        const at_tensor *t = &m->tensors[places[p].tensor];
        for (size_t i = 0; i < t->count; i += PORTION) {
            size_t n = t->count - i < PORTION ? t->count - i : PORTION;
            at_status st = source_read(s, data + (size_t)places[p].begin + i * item, buffer, n * item, err);
            if (st != AT_OK)
                return st;
            weights_decode(m->weights + t->offset + i, buffer, n, m->f32);
        }
    }
    return AT_OK;
}

/* The architecture's text in the header, or NULL. */
static const json_t *arch_find(const json_t *root, const char *path, at_err *err)
{
    const json_t *meta = json_object_get(root, "__metadata__");
    const char *format = json_string_value(json_object_get(meta, "format"));
    const json_t *arch = json_object_get(meta, "attest");
    const char *key;
    json_t *value;
    if (!json_is_string(arch)) {
        at_fail(err, AT_EINPUT, "%s: a safetensors file without an architecture in __metadata__ (key attest)",
                path);
        return NULL;
    }
    if (!format || strcmp(format, "attest")) {
        at_fail(err, AT_EINPUT, "%s: __metadata__ format must be \"attest\"", path);
        return NULL;
    }
    json_object_foreach((json_t *)meta, key, value) if (strcmp(key, "format") && strcmp(key, "attest"))
    {
        at_fail(err, AT_EINPUT, "%s: __metadata__: unknown key \"%s\"", path, key);
        return NULL;
    }
    return arch;
}

/* From the header's JSON to a model with weights. data: where the tensors' bytes begin. */
static at_status root_read(at_model *m, const source *s, json_t *root, size_t data, at_err *err)
{
    at_err mine = {0};
    const json_t *arch = arch_find(root, s->path, err);
    if (!arch)
        return AT_EINPUT;
    at_status st = model_arch_parse(m, json_string_value(arch), json_string_length(arch), s->path, err);
    if (st != AT_OK)
        return st;
    int n_tensors = 0;
    size_t n_weights = 0, item = m->f32 ? 4 : 8;
    st = model_measure(m, &n_tensors, &n_weights, &mine);
    if (st != AT_OK)
        return at_fail(err, st, "%s: %s", s->path, mine.text);
    if (s->n - data != n_weights * item)
        return at_fail(err, AT_EINPUT, "%s: %zu bytes of data; the architecture needs %zu", s->path,
                       s->n - data, n_weights * item);
    st = at_model_layout(m, err);
    if (st != AT_OK)
        return st;
    place *places = at_calloc((size_t)n_tensors, sizeof *places);
    if (!places)
        return at_oom(err);
    st = places_read(m, root, s->path, places, err);
    if (st == AT_OK)
        st = weights_read(m, s, data, places, err);
    at_free(places);
    if (st != AT_OK)
        return st;
    st = at_model_validate(m, &mine);
    return st == AT_OK ? AT_OK : at_fail(err, st, "%s: %s", s->path, mine.text);
}

static at_status source_parse(at_model *m, const source *s, at_err *err)
{
    at_model_init(m);
    unsigned char length[8];
    if (s->n < 8)
        return at_fail(err, AT_EINPUT, "%s: %zu bytes, too short for a safetensors file", s->path, s->n);
    at_status st = source_read(s, 0, length, 8, err);
    if (st != AT_OK)
        return st;
    uint64_t n = le_get(length, 8);
    if (n > HEADER_MAX || n > s->n - 8)
        return at_fail(err, AT_EINPUT,
                       "%s: header of %llu bytes; at most %zu fit (is this a safetensors file?)", s->path,
                       (unsigned long long)n, s->n - 8 < HEADER_MAX ? s->n - 8 : HEADER_MAX);
    char *header = at_malloc((size_t)n + 1);
    if (!header)
        return at_oom(err);
    st = source_read(s, 8, header, (size_t)n, err);
    if (st == AT_OK) {
        at_err mine = {0};
        json_t *root = model_json_parse(header, (size_t)n, s->path, "header", &mine);
        st = root ? root_read(m, s, root, 8 + (size_t)n, err) : at_fail(err, mine.code, "%s", mine.text);
        model_json_free(root);
    }
    at_free(header);
    if (st != AT_OK)
        at_model_release(m);
    return st;
}

at_status at_model_parse(at_model *m, const char *bytes, size_t n, const char *path, at_err *err)
{
    return source_parse(m, &(source){.path = path ? path : "model", .bytes = bytes, .fd = -1, .n = n}, err);
}

at_status at_model_load(at_model *m, const char *path, at_err *err)
{
    at_model_init(m);
    struct stat info;
    if (stat(path, &info) < 0)
        return at_fail(err, AT_EIO, "%s: %s", path, strerror(errno));
    if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) /* /dev/zero has no end */
        return at_fail(err, AT_EIO, "%s: a device, not a model file", path);
    if (!S_ISREG(info.st_mode)) { /* a pipe has no size to check against: it is read whole first */
        char *bytes;
        size_t n;
        at_status st = at_file_read(path, FILE_MAX, &bytes, &n, err);
        if (st == AT_OK) {
            st = at_model_parse(m, bytes, n, path, err);
            at_free(bytes);
        }
        return st;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) < 0) {
        int e = errno;
        if (fd >= 0)
            close(fd);
        return at_fail(err, AT_EIO, "%s: %s", path, strerror(e));
    }
    at_status st = source_parse(m, &(source){.path = path, .fd = fd, .n = (size_t)info.st_size}, err);
    close(fd);
    return st;
}
