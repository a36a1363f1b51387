/* test_sparse.c: files with sparse matrices: the same model however it is stored, every way of lying, no memory for nothing.
 *
 * With a folder as argument it writes seeds of the fuzz target there instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model_internal.h"
#include "image.h"
#include "sample_model.h"

/* One token, a block of attention, an MLP; D coordinates, and of a thousand weights `density` are not 0. */
static void sample_wide(at_model *m, int D, int hidden, bool f32, int density, uint64_t seed)
{
    static const double odd[] = {-0.0, 5e-324, 1.7976931348623157e308, -1};
    at_err err = {0};
    at_model_init(m);
    strcpy(m->name, "wide");
    m->width = D;
    m->n_max = 8;
    m->f32 = f32;
    m->fields = at_new(&m->arena, at_field, m->n_fields = 1);
    m->fields[0] = (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = 5, .embed = {.width = D}};
    m->blocks = at_new(&m->arena, at_block, m->n_blocks = 2);
    m->blocks[0] = (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .n_groups = 1};
    m->blocks[0].groups = at_new(&m->arena, at_group, 1);
    m->blocks[0].groups[0] = (at_group){.heads = 2, .dk = 3, .dv = D / 2, .scale = 1, .bias = true};
    m->blocks[1] = (at_block){.kind = AT_BLOCK_MLP, .residual = true, .n_dense = 2};
    m->blocks[1].dense = at_new(&m->arena, at_dense, 2);
    m->blocks[1].dense[0].rows = hidden;
    m->blocks[1].dense[1].rows = D;
    m->readout = (at_readout){.kind = AT_READ_RAW, .rows = 3};
    assert_int_equal(at_model_layout(m, &err), AT_OK);
    at_rng r = at_rng_at(1, seed);
    for (size_t i = 0; i < m->n_weights; i++)
        if ((int)at_rng_below(&r, 1000) < density) {
            double w = at_rng_below(&r, 4) ? at_rng_normal(&r) : odd[at_rng_below(&r, 4)];
            m->weights[i] = !f32 ? w : fabs(w) < 1e30 ? (double)(float)w : -0.0;
        }
}

static bool same(const at_model *a, const at_model *b)
{
    return a->n_weights == b->n_weights && a->f32 == b->f32 &&
           !memcmp(a->weights, b->weights, a->n_weights * sizeof *a->weights);
}

static bool plus_zero(double w)
{
    return w == 0 && !signbit(w);
}

/* Choices: nothing sparse; all, without +0; all, every weight; some, with a part of the zeros. */
static bool keep_none(const at_model *m, int tensor, double w)
{
    (void)m, (void)tensor, (void)w;
    return false;
}
static bool keep_needed(const at_model *m, int tensor, double w)
{
    (void)m, (void)tensor;
    return !plus_zero(w);
}
static bool keep_all(const at_model *m, int tensor, double w)
{
    (void)m, (void)tensor, (void)w;
    return true;
}
static bool keep_odd(const at_model *m, int tensor, double w)
{
    (void)m;
    return tensor % 2 && !plus_zero(w);
}
static image_kept *const choices[] = {keep_none, keep_needed, keep_all, keep_odd};
enum { CHOICES = sizeof choices / sizeof *choices };

static at_status parse(at_model *m, const image *im, at_err *err)
{
    return at_model_parse(m, im->bytes, im->n, "f", err);
}

/* Any way of storing a model gives back its bits, -0 and the smallest number among them, and one hash, that of the dense file. */
static void one_model(void **state)
{
    (void)state;
    static const int densities[] = {0, 5, 200, 1000};
    for (uint64_t s = 0; s < 16; s++) {
        at_model m;
        at_err err = {0};
        sample_wide(&m, s % 3 ? 24 : 7, 40, s & 1, densities[s / 4], s);
        char hash[65], file[65], other[65];
        assert_int_equal(at_model_hash(&m, hash, &err), AT_OK);
        for (int k = 0; k < CHOICES; k++) {
            at_model back;
            image im = image_stored(&m, choices[k]);
            if (parse(&back, &im, &err) != AT_OK)
                fail_msg("%s", err.text);
            assert_true(same(&m, &back));
            assert_int_equal(at_model_hash(&back, other, &err), AT_OK);
            assert_string_equal(hash, other);
            if (choices[k] == keep_none) {
                at_sha256(im.bytes, im.n, file);
                assert_string_equal(hash, file);
            }
            at_model_release(&back);
            free(im.bytes);
        }
        at_model_release(&m);
    }
}

/* What attest writes: sparse where that is at most half of at least 4096 bytes, else the bytes of older versions. */
static void canonical(void **state)
{
    (void)state;
    int met[2] = {0};
    for (uint64_t s = 0; s < 40; s++) {
        at_model m, back;
        at_err err = {0};
        sample_wide(&m, 24, 20 + 4 * (int)s, s & 1, 20 * (int)s, s);
        image im = image_of(&m);
        char header[1 << 14];
        snprintf(header, sizeof header, "%.*s", (int)im.header, im.bytes + 8);
        for (int i = 0; i < m.n_tensors; i++) {
            const at_tensor *t = &m.tensors[i];
            size_t item = m.f32 ? 4 : 8, kept = 0;
            for (size_t k = 0; k < t->count; k++)
                kept += !plus_zero(m.weights[t->offset + k]);
            bool sparse = t->rank == 2 && t->count * item >= 4096 &&
                          2 * (kept * (item + 4) + 4 * ((size_t)t->shape[0] + 1)) <= t->count * item;
            char dense[96], values[96];
            snprintf(dense, sizeof dense, "\"%s\":{", t->name);
            snprintf(values, sizeof values, "\"%s.values\":{", t->name);
            assert_int_equal(strstr(header, dense) != NULL, !sparse);
            assert_int_equal(strstr(header, values) != NULL, sparse);
            met[sparse]++;
        }
        assert_int_equal(parse(&back, &im, &err), AT_OK);
        assert_true(same(&m, &back));
        image again = image_of(&back);
        assert_true(again.n == im.n);
        assert_memory_equal(again.bytes, im.bytes, im.n);
        free(again.bytes);
        free(im.bytes);
        at_model_release(&back);
        at_model_release(&m);
    }
    assert_true(met[0] > 40 && met[1] > 20);
}

/* ---- lies ------------------------------------------------------------------------------------------- */

/* A model of which block.1.mlp.0.w alone is sparse, 4 x 2:
 *     1 2
 *     0 0        values 1 2 3, columns 0 1 1, starts 0 2 2 3 3
 *     0 3
 *     0 0 */
static bool keep_mlp(const at_model *m, int tensor, double w)
{
    return tensor == m->blocks[1].dense[0].w && !plus_zero(w);
}

static void sample_small(at_model *m)
{
    sample_wide(m, 2, 4, false, 0, 0);
    double *w = at_model_data(m, m->blocks[1].dense[0].w);
    w[0] = 1;
    w[1] = 2;
    w[5] = 3;
}

#define NAME    "block.1.mlp.0.w"
#define DENSE   672 /* bytes of data before the columns: of the weights */
#define COLUMNS "\"" NAME ".columns\":{\"data_offsets\":[672,684],\"dtype\":\"I32\",\"shape\":[3]}"
#define STARTS  "\"" NAME ".starts\":{\"data_offsets\":[684,704],\"dtype\":\"I32\",\"shape\":[5]}"
#define SPARSE  "\"sparse\":\"" NAME "\""

static const image_lie lies[] = {
    {SPARSE, "\"sparse\":\"\"", "__metadata__: sparse names \"\", which is no matrix"},
    {SPARSE, "\"sparse\":\"" NAME " \"", "sparse names \"\", which is no matrix"},
    {SPARSE, "\"sparse\":\" " NAME "\"", "sparse names \"\", which is no matrix"},
    {SPARSE, "\"sparse\":\"" NAME " " NAME "\"", "or not in the order of its tensors"},
    {SPARSE, "\"sparse\":\"block.1.mlp.0.b\"", "sparse names \"block.1.mlp.0.b\", which is no matrix"},
    {SPARSE, "\"sparse\":\"block.1.mlp.0\"", "sparse names \"block.1.mlp.0\", which is no matrix"},
    {SPARSE, "\"sparse\":\"block.9\\u001b[2J\"", "sparse names \"block.9?[2J\", which is no matrix"},
    {SPARSE, "\"sparse\":\"" NAME " block.0.attn.0.q\"", "not in the order"},
    {SPARSE, "\"sparse\":\"" NAME " readout.w\"", "tensor readout.w.values is missing, or no vector"},
    {SPARSE, "\"sparse\":[\"" NAME "\"]", "__metadata__: sparse is not a string"},
    {"," SPARSE, "", "704 bytes of data; the architecture needs 712"},
    {"\"" NAME ".values\":", "\"" NAME ".valuer\":", "tensor " NAME ".values is missing, or no vector"},
    {"\"" NAME ".columns\":", "\"" NAME ".column\":", "tensor " NAME ".columns is missing"},
    {"\"" NAME ".starts\":", "\"" NAME ".start\":", "tensor " NAME ".starts is missing"},
    {COLUMNS, "\"" NAME "\":{\"data_offsets\":[672,684],\"dtype\":\"I32\",\"shape\":[3]}",
     "tensor " NAME ".columns is missing"},
    {COLUMNS, COLUMNS ",\"" NAME "\":{}", "tensor " NAME " is not part of the architecture"},
    {"\"dtype\":\"F64\",\"shape\":[3]}", "\"dtype\":\"F32\",\"shape\":[3]}", "dtype must be F64"},
    {COLUMNS, "\"" NAME ".columns\":{\"data_offsets\":[672,684],\"dtype\":\"U32\",\"shape\":[3]}",
     "tensor " NAME ".columns: dtype must be I32"},
    {STARTS, "\"" NAME ".starts\":{\"data_offsets\":[684,704],\"dtype\":\"F64\",\"shape\":[5]}",
     "tensor " NAME ".starts: dtype must be I32"},
    {COLUMNS, "\"" NAME ".columns\":{\"data_offsets\":[672,680],\"dtype\":\"I32\",\"shape\":[2]}",
     "tensor " NAME ".columns: shape must be [3]"},
    {STARTS, "\"" NAME ".starts\":{\"data_offsets\":[684,700],\"dtype\":\"I32\",\"shape\":[4]}",
     "tensor " NAME ".starts: shape must be [5]"},
    {STARTS, "\"" NAME ".starts\":{\"data_offsets\":[684,704],\"dtype\":\"I32\",\"shape\":[5,1]}",
     "tensor " NAME ".starts: shape must be [5]"},
    {"\"dtype\":\"F64\",\"shape\":[3]}", "\"dtype\":\"F64\",\"shape\":[9]}",
     "has 9 values; the matrix has 8"},
    {"\"dtype\":\"F64\",\"shape\":[3]}", "\"dtype\":\"F64\",\"shape\":[-3]}", "is missing, or no vector"},
    {"\"dtype\":\"F64\",\"shape\":[3]}", "\"dtype\":\"F64\",\"shape\":[3,1]}", "is missing, or no vector"},
    {"\"dtype\":\"F64\",\"shape\":[3]}", "\"dtype\":\"F64\",\"shape\":[9223372036854775807]}",
     "has 9223372036854775807 values; the matrix has 8"},
    {"\"dtype\":\"F64\",\"shape\":[3]}", "\"dtype\":\"F64\",\"shape\":[2]}",
     "bytes of data; the architecture"},
    {STARTS, "\"" NAME ".starts\":{\"data_offsets\":[672,692],\"dtype\":\"I32\",\"shape\":[5]}",
     "begins at byte 672 of the data instead of 684"},
};

static const struct {
    size_t at; /* byte of the data */
    int32_t v;
    const char *says;
} numbers[] = {
    {DENSE, -1, "f: tensor " NAME ".columns: number 0 is -1, out of range 0..1"},
    {DENSE, 2, "f: tensor " NAME ".columns: number 0 is 2, out of range 0..1"},
    {DENSE, INT32_MIN, "number 0 is -2147483648, out of range"},
    {DENSE + 8, INT32_MAX, "number 2 is 2147483647, out of range 0..1"},
    {DENSE, 1, "f: tensor " NAME ".columns: number 1 is 1, but columns of a row ascend"},
    {DENSE + 4, 0, "f: tensor " NAME ".columns: number 1 is 0, but columns of a row ascend"},
    {DENSE + 12, 1, "f: tensor " NAME ".starts: number 0 is 1, out of range 0..0"},
    {DENSE + 12, -1, "f: tensor " NAME ".starts: number 0 is -1, out of range 0..0"},
    {DENSE + 16, -1, "f: tensor " NAME ".starts: number 1 is -1, out of range 0..3"},
    {DENSE + 16, 4, "f: tensor " NAME ".starts: number 1 is 4, out of range 0..3"},
    {DENSE + 20, 1, "f: tensor " NAME ".starts: number 2 is 1, out of range 2..3"},
    {DENSE + 24, INT32_MIN, "f: tensor " NAME ".starts: number 3 is -2147483648, out of range 2..3"},
    {DENSE + 28, 2, "f: tensor " NAME ".starts: number 4 is 2, out of range 3..3"},
    {DENSE + 28, 4, "f: tensor " NAME ".starts: number 4 is 4, out of range 3..3"},
};

static void damage(void **state)
{
    (void)state;
    at_model m, back;
    at_err err = {0};
    sample_small(&m);
    image im = image_stored(&m, keep_mlp);
    assert_true(im.n == 8 + im.header + DENSE + 12 + 20);
    assert_int_equal(parse(&back, &im, &err), AT_OK);
    assert_true(same(&m, &back));
    at_model_release(&back);
    image_lies(&im, lies, sizeof lies / sizeof *lies);
    for (size_t n = 0; n < im.n; n++) { /* every truncation */
        image cut = {im.bytes, n, 0};
        image_refused(&cut, "truncated", "");
    }
    char *data = im.bytes + 8 + im.header;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        int32_t was;
        memcpy(&was, data + numbers[k].at, 4);
        memcpy(data + numbers[k].at, &numbers[k].v, 4);
        image_refused(&im, "index", numbers[k].says);
        memcpy(data + numbers[k].at, &was, 4);
    }
    /* A value that is not finite, wherever the values lie: 3.0 is the only one of its kind. */
    const double three = 3, nan = NAN;
    char *at = data;
    while (memcmp(at, &three, 8))
        at += 8;
    memcpy(at, &nan, 8);
    image_refused(&im, "value", "f: tensor " NAME ": weight 5 is nan, not finite");
    memcpy(at, &three, 8);
    /* Every single byte of the indices changed in every bit: refused, or another model, never a crash. */
    for (size_t k = DENSE; k < DENSE + 32; k++)
        for (int bit = 0; bit < 8; bit++) {
            data[k] ^= (char)(1 << bit);
            at_err mine = {0};
            if (parse(&back, &im, &mine) == AT_OK)
                assert_false(same(&m, &back));
            at_model_release(&back);
            data[k] ^= (char)(1 << bit);
        }
    free(im.bytes);
    at_model_release(&m);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

/* A short file may stand for 2^23 weights and 1024 more a byte; what stands for more costs no memory before it is refused. */
static void short_file(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    sample_small(&m);
    image im = image_stored(&m, keep_mlp), all = image_stored(&m, keep_needed);
    image lie = image_edit(&im, "\\\"size\\\":5", "\\\"size\\\":1000000000");
    at_alloc_ceiling(1 << 20);
    image_refused(&lie, "a dense matrix that is not there", "the architecture needs");
    free(lie.bytes);
    /* Everything sparse: nothing of D x D is in the file but starts. */
    lie = image_edit(&all, "\\\"size\\\":5", "\\\"size\\\":100000000");
    image_refused(&lie, "starts that are not there", "the architecture needs");
    free(lie.bytes);
    at_alloc_ceiling(0);
    free(all.bytes);
    free(im.bytes);
    at_model_release(&m);

    sample_wide(&m, 4096, 4096, true, 0, 0); /* 2^25 weights and some, all zero, in less than half a MiB */
    im = image_of(&m);
    at_model_release(&m);
    assert_true(im.n < 1 << 19);
    assert_int_equal(parse(&m, &im, &err), AT_OK);
    assert_true(m.n_weights > 1 << 25);
    at_model_release(&m);
    free(im.bytes);
}

/* 1000 rows of D zeros. */
static image image_zeros(int D)
{
    at_model m;
    at_err err = {0};
    at_model_init(&m);
    m.width = D;
    m.n_max = 8;
    m.fields = at_new(&m.arena, at_field, m.n_fields = 1);
    m.fields[0] = (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = 5, .embed = {.width = 1}};
    m.readout = (at_readout){.kind = AT_READ_RAW, .rows = 1000};
    assert_int_equal(at_model_layout(&m, &err), AT_OK);
    image im = image_of(&m);
    at_model_release(&m);
    return im;
}

static void limits(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    image im = image_zeros(65536), less = image_zeros(8192);
    assert_true(im.n < 16384);
    at_alloc_ceiling(1 << 20);
    image_refused(&im, "many", "bytes for 65537005 weights; as many bytes stand for at most ");
    at_alloc_ceiling(0);
    assert_int_equal(parse(&m, &less, &err), AT_OK);
    at_model_release(&m);
    /* Where the user allows less, that is what counts. */
    at_alloc_ceiling(1 << 24);
    at_status st = parse(&m, &less, &err);
    at_alloc_ceiling(0);
    assert_int_equal(st, AT_ENOMEM);
    assert_non_null(strstr(err.text, "out of memory: the model has 8193005 weights, which take 63 MiB"));
    at_model_release(&m);
    free(im.bytes);
    free(less.bytes);
}

#ifndef __SANITIZE_ADDRESS__
/* Memory of this process that is its own, in KiB. */
static long own_memory(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;
    while (f && kib < 0 && fgets(line, sizeof line, f))
        sscanf(line, "RssAnon: %ld", &kib);
    if (f)
        fclose(f);
    return kib;
}

/* What is zero takes no memory: 134 MB of weights, 64 of them not 0, from a sparse file, a dense one, and copied. */
static void zeros_free(void **state)
{
    (void)state;
    at_model m, back, copy;
    at_err err = {0};
    sample_wide(&m, 2048, 2048, false, 0, 0);
    for (size_t k = 0; k < 64; k++)
        m.weights[k * (m.n_weights / 64)] = 1;
    image sparse = image_of(&m), dense = image_stored(&m, keep_none);
    long before = own_memory();
    if (before < 0)
        skip();
    assert_int_equal(parse(&back, &sparse, &err), AT_OK);
    long loaded = own_memory();
    assert_int_equal(at_model_copy(&back, &copy, &err), AT_OK);
    long copied = own_memory();
    assert_true(same(&m, &copy));
    at_model_release(&copy);
    at_model_release(&back);
    long after = own_memory();
    assert_int_equal(parse(&back, &dense, &err), AT_OK);
    long from_dense = own_memory();
    assert_true(same(&m, &back));
    printf("of %zu KiB: %ld KiB loaded, %ld copied, %ld from a dense file\n", m.n_weights / 128,
           loaded - before, copied - loaded, from_dense - after);
    assert_true(loaded - before < 8192 && copied - loaded < 8192 && from_dense - after < 8192);
    at_model_release(&back);
    at_model_release(&m);
    free(sparse.bytes);
    free(dense.bytes);
}
#else
static void zeros_free(void **state)
{
    (void)state;
    skip(); /* its shadow counts too */
}
#endif

/* Every allocation of reading and writing fails once. */
static void without_memory(void **state)
{
    (void)state;
    at_model m, back;
    sample_wide(&m, 24, 40, false, 20, 3);
    image im = image_of(&m);
    assert_non_null(strstr(im.bytes + 8, ".starts"));
    for (int op = 0; op < 2; op++)
        for (bool fired = true, first = true; fired; first = false) {
            static long k;
            at_err mine = {0};
            char *bytes = NULL;
            size_t n;
            k = first ? 1 : k + 1;
            at_alloc_inject(k);
            at_status st = op ? parse(&back, &im, &mine) : at_model_image(&m, &bytes, &n, &mine);
            fired = at_alloc_injected();
            at_alloc_inject(0);
            assert_int_equal(st, fired ? AT_ENOMEM : AT_OK);
            if (op)
                at_model_release(&back);
            at_free(bytes);
        }
    free(im.bytes);
    at_model_release(&m);
}

/* ---- seeds ------------------------------------------------------------------------------------------- */

static int seeds_write(const char *to)
{
    static const char *const names[] = {"sparse0", "sparse1", "sparse2", "sparse_columns", "sparse_starts"};
    at_err err = {0};
    for (size_t k = 0; k < 5; k++) {
        at_model m;
        char path[512];
        sample_wide(&m, 3, 4, k == 2, 300, k);
        image im = image_stored(&m, k == 1 ? keep_odd : keep_needed);
        const at_tensor *last =
            &m.tensors[m.readout.w]; /* its starts are the end of the file, its columns before them */
        if (k == 3)
            im.bytes[im.n - 4 * ((size_t)last->shape[0] + 1) - 4] = 127;
        if (k == 4)
            im.bytes[im.n - 4] ^= 2;
        snprintf(path, sizeof path, "%s/%s", to, names[k]);
        at_status st = at_file_write(path, im.bytes, im.n, &err);
        free(im.bytes);
        at_model_release(&m);
        if (st != AT_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return seeds_write(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_model),      cmocka_unit_test(canonical), cmocka_unit_test(damage),
        cmocka_unit_test(short_file),     cmocka_unit_test(limits),    cmocka_unit_test(zeros_free),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
