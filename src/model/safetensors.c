/* safetensors.c: a model as a file that anyone's tools can read.
 *
 * The container is that of tensors.h, with __metadata__ {"attest": ARCHITECTURE, "format": "attest"};
 * ARCHITECTURE is JSON again, as a string (the format wants strings). Where matrices are sparse (stored.c),
 * "sparse" names them there, "problem" says what the model is for, "arithmetic" where it was proved right (remember.c), and "heads"
 * what its heads are for (heads.c).
 *
 * Writing is canonical, so equal models are equal bytes. The SHA-256 of the image in which nothing is sparse and that has no
 * notes is the model's identity: it is of the weights, not of how they are stored.
 *
 * Reading trusts nothing. In order: the header's length against the file's; the header as JSON; the
 * architecture; what that architecture must weigh against the bytes that are there; only then is memory
 * taken for weights. Every tensor must be named, typed, shaped and placed as the architecture says,
 * tiling the data exactly; every weight finite.
 *
 * A sparse file stands for more than it holds. So that a short one cannot ask for all the memory there is, a byte of
 * it may stand for at most WEIGHTS_A_BYTE weights, beyond the first WEIGHTS_FREE. What is zero is never written into
 * memory: it takes addresses only, whether the file was sparse or dense. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "model_internal.h"

#define PORTION        4096              /* weights converted at a time */
#define WEIGHTS_FREE   ((size_t)1 << 23) /* 64 MiB, whatever the file */
#define WEIGHTS_A_BYTE ((size_t)1024)    /* of a sparse file */

static void weights_encode(unsigned char *p, const double *w, size_t n, bool f32)
{
    for (size_t i = 0; i < n; i++) {
        if (f32) {
            float f = (float)w[i];
            uint32_t u;
            memcpy(&u, &f, 4);
            at_le_put(p + 4 * i, u, 4);
        } else {
            uint64_t u;
            memcpy(&u, &w[i], 8);
            at_le_put(p + 8 * i, u, 8);
        }
    }
}

static void weights_decode(double *w, const unsigned char *p, size_t n, bool f32)
{
    for (size_t i = 0; i < n; i++) {
        if (f32) {
            uint32_t u = (uint32_t)at_le_get(p + 4 * i, 4);
            float f;
            memcpy(&f, &u, 4);
            w[i] = f;
        } else {
            uint64_t u = at_le_get(p + 8 * i, 8);
            memcpy(&w[i], &u, 8);
        }
    }
}

/* ---- writing ------------------------------------------------------------------------------------ */

/* Called with the image's portions in order. */
typedef void image_sink(void *ctx, const void *data, size_t n);

static void dense_send(const at_model *m, const at_tensor *t, image_sink *sink, void *ctx)
{
    unsigned char buffer[8 * PORTION];
    for (size_t i = 0; i < t->count; i += PORTION) {
        size_t n = t->count - i < PORTION ? t->count - i : PORTION;
        weights_encode(buffer, m->weights + t->offset + i, n, m->f32);
        sink(ctx, buffer, n * (m->f32 ? 4 : 8));
    }
}

/* Numbers on their way to a sink, in portions. */
typedef struct {
    image_sink *sink;
    void *ctx;
    size_t used;
    unsigned char buffer[8 * PORTION];
} outlet;

static void outlet_flush(outlet *o)
{
    o->sink(o->ctx, o->buffer, o->used);
    o->used = 0;
}

/* Room for one number of that many bytes. */
static unsigned char *outlet_room(outlet *o, size_t bytes)
{
    if (o->used + bytes > sizeof o->buffer)
        outlet_flush(o);
    o->used += bytes;
    return o->buffer + o->used - bytes;
}

static void values_send(const at_model *m, const at_tensor *t, image_sink *sink, void *ctx)
{
    const double *w = m->weights + t->offset;
    outlet o = {.sink = sink, .ctx = ctx};
    for (size_t i = 0; (i = at_weights_next(w, i, t->count)) < t->count; i++)
        weights_encode(outlet_room(&o, m->f32 ? 4 : 8), &w[i], 1, m->f32);
    outlet_flush(&o);
}

static void columns_send(const at_model *m, const at_tensor *t, image_sink *sink, void *ctx)
{
    const double *w = m->weights + t->offset;
    outlet o = {.sink = sink, .ctx = ctx};
    for (size_t i = 0; (i = at_weights_next(w, i, t->count)) < t->count; i++)
        at_le_put(outlet_room(&o, 4), i % (size_t)t->shape[1], 4);
    outlet_flush(&o);
}

static void starts_send(const at_model *m, const at_tensor *t, image_sink *sink, void *ctx)
{
    size_t rows = (size_t)t->shape[0], cols = (size_t)t->shape[1], kept = 0;
    outlet o = {.sink = sink, .ctx = ctx};
    for (size_t r = 0; r <= rows; r++) {
        const double *w = m->weights + t->offset + r * cols;
        at_le_put(outlet_room(&o, 4), kept, 4);
        for (size_t k = 0; r < rows && (k = at_weights_next(w, k, cols)) < cols; k++)
            kept++;
    }
    outlet_flush(&o);
}

/* All data, in the order of stored_table. */
static void stored_send(const model_stored *s, image_sink *sink, void *ctx)
{
    for (int i = 0; i < s->m->n_tensors; i++)
        (s->kept[i] < 0 ? dense_send : values_send)(s->m, &s->m->tensors[i], sink, ctx);
    for (int k = 0; k < s->n_sparse; k++) {
        columns_send(s->m, &s->m->tensors[s->sparse[k]], sink, ctx);
        starts_send(s->m, &s->m->tensors[s->sparse[k]], sink, ctx);
    }
}

/* notes: what the model and its heads are for, and its arithmetic, too. */
static at_status header_print(const model_stored *s, bool notes, char **header, size_t *n, at_err *err)
{
    at_text names, heads;
    char *arch = model_arch_print(s->m, err);
    if (!arch)
        return AT_ENOMEM;
    at_text_init(&names);
    at_text_init(&heads);
    stored_names(s, &names);
    if (notes)
        model_heads_print(s->m, &heads);
    tensors_table table = stored_table(s);
    const tensors_meta meta[] = {{"format", "attest"},
                                 {"attest", arch},
                                 {"sparse", s->n_sparse ? names.s : NULL},
                                 {"problem", notes ? s->m->problem : NULL},
                                 {"arithmetic", notes ? s->m->arithmetic : NULL},
                                 {"heads", heads.n ? heads.s : NULL}};
    at_status st = names.oom || heads.oom
                       ? at_oom(err)
                       : tensors_header_print(&table, meta, sizeof meta / sizeof *meta, header, n, err);
    at_text_release(&names);
    at_text_release(&heads);
    at_free(arch);
    return st;
}

/* How a model is stored: stored_choose, or stored_dense for its identity. */
typedef at_status image_form(model_stored *s, const at_model *m, at_err *err);

/* Validates m, says how long its image is (begin, which may be NULL, and may refuse), then sends it. After
 * begin nothing fails. */
static at_status image_send(const at_model *m, image_form *form,
                            at_status (*begin)(void *ctx, size_t n, at_err *err), image_sink *sink, void *ctx,
                            at_err *err)
{
    at_status st = at_model_validate(m, err);
    if (st != AT_OK)
        return st;
    model_stored stored;
    char *header = NULL;
    size_t head = 0;
    st = form(&stored, m, err);
    if (st == AT_OK)
        st = header_print(&stored, form != stored_dense, &header, &head, err);
    if (st == AT_OK && begin)
        st = begin(ctx, head + stored_bytes(&stored), err);
    if (st == AT_OK) {
        sink(ctx, header, head);
        stored_send(&stored, sink, ctx);
    }
    at_free(header);
    stored_free(&stored);
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
    at_status st = image_send(m, stored_choose, image_begin, image_add, &im, err);
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
    at_status st = image_send(m, stored_dense, NULL, hash_add, &s, err);
    if (st == AT_OK)
        model_sha256_hex(&s, out);
    return st;
}

/* ---- reading ------------------------------------------------------------------------------------ */

#define PAGE 512 /* weights; where all of them are zero, the page they would lie on is not touched */

static at_status dense_read(at_model *m, const tensors_source *s, const at_tensor *t, size_t at, at_err *err)
{
    size_t item = m->f32 ? 4 : 8;
    unsigned char buffer[8 * PORTION];
    double some[PAGE];
    for (size_t i = 0; i < t->count; i += PORTION) {
        size_t n = t->count - i < PORTION ? t->count - i : PORTION;
        at_status st = tensors_source_read(s, at + i * item, buffer, n * item, err);
        if (st != AT_OK)
            return st;
        for (size_t k = 0; k < n; k += PAGE) {
            size_t page = n - k < PAGE ? n - k : PAGE;
            weights_decode(some, buffer + k * item, page, m->f32);
            if (at_weights_next(some, 0, page) < page)
                memcpy(m->weights + t->offset + i + k, some, page * sizeof *some);
        }
    }
    return AT_OK;
}

/* Numbers of a tensor, one after the other, each of `item` bytes. */
typedef struct {
    const tensors_source *s;
    size_t at, left, item; /* at: in the data; left: bytes not yet in the buffer */
    size_t used, have;     /* of the buffer */
    unsigned char buffer[8 * PORTION];
} inlet;

static at_status inlet_next(inlet *i, const unsigned char **p, at_err *err)
{
    if (i->used == i->have) {
        i->used = 0;
        i->have = i->left < sizeof i->buffer ? i->left : sizeof i->buffer;
        at_status st = tensors_source_read(i->s, i->at, i->buffer, i->have, err);
        if (st != AT_OK)
            return st;
        i->at += i->have;
        i->left -= i->have;
    }
    *p = i->buffer + i->used;
    i->used += i->item;
    return AT_OK;
}

static inlet inlet_at(const tensors_source *s, const tensors_place *p, size_t item)
{
    return (inlet){.s = s, .at = (size_t)p->begin, .left = (size_t)(p->end - p->begin), .item = item};
}

static at_status index_next(inlet *i, int32_t *v, at_err *err)
{
    const unsigned char *p;
    at_status st = inlet_next(i, &p, err);
    if (st == AT_OK)
        *v = (int32_t)(uint32_t)at_le_get(p, 4);
    return st;
}

/* One row of a sparse matrix, which has the values from..to-1 of all. */
static at_status row_read(at_model *m, const at_tensor *t, size_t r, int64_t from, int64_t to, inlet *values,
                          inlet *columns, at_err *err)
{
    const unsigned char *p;
    int32_t last = -1, column;
    for (int64_t k = from; k < to; k++) {
        at_status st = index_next(columns, &column, err);
        if (st == AT_OK)
            st = inlet_next(values, &p, err);
        if (st != AT_OK)
            return st;
        if (column < 0 || column >= t->shape[1])
            return at_fail(err, AT_EINPUT, "%s: tensor %s.columns: number %lld is %d, out of range 0..%lld",
                           columns->s->path, t->name, (long long)k, (int)column, (long long)t->shape[1] - 1);
        if (column <= last)
            return at_fail(err, AT_EINPUT,
                           "%s: tensor %s.columns: number %lld is %d, but columns of a row ascend",
                           columns->s->path, t->name, (long long)k, (int)column);
        weights_decode(m->weights + t->offset + r * (size_t)t->shape[1] + (size_t)column, p, 1, m->f32);
        last = column;
    }
    return AT_OK;
}

/* places: of the values, the columns and the starts. */
static at_status sparse_read(at_model *m, const tensors_source *s, const at_tensor *t, int64_t kept,
                             const tensors_place *const places[3], at_err *err)
{
    inlet values = inlet_at(s, places[STORED_WEIGHTS], m->f32 ? 4 : 8),
          columns = inlet_at(s, places[STORED_COLUMNS], 4), starts = inlet_at(s, places[STORED_STARTS], 4);
    int32_t from = 0, to = 0;
    at_status st = AT_OK;
    for (int64_t r = 0; r <= t->shape[0] && st == AT_OK; r++) {
        st = index_next(&starts, &to, err);
        int64_t least = r == t->shape[0] ? kept : from, most = r ? kept : 0; /* from 0 up to all of them */
        if (st == AT_OK && (to < least || to > most))
            st = at_fail(err, AT_EINPUT, "%s: tensor %s.starts: number %lld is %d, out of range %lld..%lld",
                         s->path, t->name, (long long)r, (int)to, (long long)least, (long long)most);
        if (st == AT_OK && r)
            st = row_read(m, t, (size_t)r - 1, from, to, &values, &columns, err);
        from = to;
    }
    return st;
}

/* place: of every tensor of the file, in the order of its table. */
static at_status weights_read(at_model *m, const model_stored *d, const tensors_source *s,
                              const tensors_place *place, at_err *err)
{
    at_status st = AT_OK;
    for (int i = 0; i < m->n_tensors && st == AT_OK; i++)
        if (d->kept[i] < 0)
            st = dense_read(m, s, &m->tensors[i], (size_t)place[i].begin, err);
    for (int k = 0; k < d->n_sparse && st == AT_OK; k++) {
        const tensors_place *parts[3];
        for (stored_part p = STORED_WEIGHTS; p <= STORED_STARTS; p++)
            parts[p] = &place[stored_index(d, k, p)];
        st = sparse_read(m, s, &m->tensors[d->sparse[k]], d->kept[d->sparse[k]], parts, err);
    }
    return st;
}

/* The architecture's text in the header, or NULL. */
static const char *arch_find(const json_t *root, const char *path, size_t *n, at_err *err)
{
    static const char *const keys[] = {"format", "attest", "sparse", "problem", "arithmetic", "heads"};
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
    else if (!tensors_meta_check(root, keys, sizeof keys / sizeof *keys, path, err))
        return arch;
    return NULL;
}

/* Are there as many bytes as the tensors take, and do they stand for no more weights than they may? */
static at_status size_check(const at_model *m, const model_stored *d, tensors_source *s, at_err *err)
{
    size_t need = stored_bytes(d), have;
    at_status st = tensors_source_expect(s, need, &have, err);
    if (st == AT_OK && have != need)
        return at_fail(err, AT_EINPUT, "%s: %zu bytes of data; the architecture needs %zu", s->path, have,
                       need);
    size_t most = WEIGHTS_FREE + WEIGHTS_A_BYTE * (s->data + need);
    if (st == AT_OK && d->n_sparse && m->n_weights > most)
        return at_fail(err, AT_EDOMAIN,
                       "%s: a sparse file of %zu bytes for %zu weights; as many bytes stand for at most %zu",
                       s->path, s->data + need, m->n_weights, most);
    return st;
}

/* The weights of a model that has its shapes. */
static at_status tensors_read(at_model *m, const model_stored *d, tensors_source *s, json_t *root,
                              at_err *err)
{
    tensors_table table = stored_table(d);
    tensors_place *sorted = at_calloc((size_t)table.n, 2 * sizeof *sorted), *place = sorted + table.n;
    if (!sorted)
        return at_oom(err);
    at_status st = tensors_places(&table, root, s->path, sorted, err);
    for (int i = 0; i < table.n && st == AT_OK; i++)
        place[sorted[i].tensor] = sorted[i];
    if (st == AT_OK)
        st = weights_read(m, d, s, place, err);
    at_free(sorted);
    return st;
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
    size_t n_weights = 0;
    st = model_measure(m, &n_tensors, &n_weights, &mine);
    if (st == AT_OK)
        st = at_model_shape(m, &mine);
    if (st != AT_OK)
        return at_fail(err, st, "%s: %s", s->path, mine.text);
    model_stored stored;
    st = stored_read(&stored, m, root, s->path, err);
    if (st == AT_OK)
        st = size_check(m, &stored, s, err);
    if (st == AT_OK)
        st = model_weights_make(m, err);
    if (st == AT_OK)
        st = tensors_read(m, &stored, s, root, err);
    stored_free(&stored);
    if (st != AT_OK)
        return st;
    st = at_model_validate(m, &mine);
    if (st == AT_OK)
        st = at_model_remember(m, tensors_meta_get(root, "problem", &length), &mine);
    if (st == AT_OK)
        st = at_model_made_for(m, tensors_meta_get(root, "arithmetic", &length), &mine);
    if (st == AT_OK)
        st = model_heads_read(m, tensors_meta_get(root, "heads", &length), &mine);
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

static at_status problem_read(tensors_source *s, char **problem, at_err *err)
{
    char *header;
    size_t n, length;
    at_status st = tensors_source_header(s, &header, &n, err);
    if (st != AT_OK)
        return st;
    at_err mine = {0};
    at_model m; /* for its check */
    json_t *root = model_json_parse(header, n, s->path, "header", &mine);
    st = root ? AT_OK : at_fail(err, mine.code, "%s", mine.text);
    if (root && !arch_find(root, s->path, &length, err))
        st = AT_EINPUT;
    at_model_init(&m);
    if (st == AT_OK && at_model_remember(&m, tensors_meta_get(root, "problem", &length), &mine))
        st = at_fail(err, mine.code, "%s: %s", s->path, mine.text);
    if (st == AT_OK && m.problem && !(*problem = at_calloc(strlen(m.problem) + 1, 1)))
        st = at_oom(err);
    if (*problem)
        strcpy(*problem, m.problem);
    at_model_release(&m);
    model_json_free(root);
    at_free(header);
    return st;
}

at_status at_model_load_problem(const char *path, char **problem, at_err *err)
{
    struct stat info;
    tensors_source s;
    *problem = NULL;
    if (!stat(path, &info) && !S_ISREG(info.st_mode))
        return AT_OK;
    at_status st = tensors_source_open(&s, path, err);
    if (st == AT_OK)
        st = problem_read(&s, problem, err);
    tensors_source_close(&s);
    return st;
}
