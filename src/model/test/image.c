/* image.c: see image.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../model_internal.h"
#include "image.h"

image image_make(const char *header, size_t n_header, const char *data, size_t n_data)
{
    image im = {malloc(8 + n_header + n_data), 8 + n_header + n_data, n_header};
    at_le_put(im.bytes, n_header, 8);
    memcpy(im.bytes + 8, header, n_header);
    if (n_data)
        memcpy(im.bytes + 8 + n_header, data, n_data);
    return im;
}

image image_of(const at_model *m)
{
    at_err err = {0};
    char *bytes;
    size_t n;
    assert_int_equal(at_model_image(m, &bytes, &n, &err), AT_OK);
    size_t header = (size_t)at_le_get(bytes, 8);
    image im = image_make(bytes + 8, header, bytes + 8 + header, n - 8 - header);
    assert_memory_equal(im.bytes, bytes, n);
    at_free(bytes);
    return im;
}

/* Appends a number as the machine has it, which is little-endian where tests run. */
static void data_add(char **at, const void *number, size_t bytes)
{
    memcpy(*at, number, bytes);
    *at += bytes;
}

static void weight_add(char **at, const at_model *m, double w)
{
    float f = (float)w;
    data_add(at, m->f32 ? (const void *)&f : &w, m->f32 ? 4 : 8);
}

image image_stored(const at_model *m, image_kept *kept)
{
    at_err err = {0};
    model_stored s;
    at_text names;
    assert_int_equal(stored_dense(&s, m, &err), AT_OK);
    for (int i = 0; i < m->n_tensors; i++) {
        const at_tensor *t = &m->tensors[i];
        int64_t n = 0;
        for (size_t k = 0; k < t->count; k++)
            n += kept(m, i, m->weights[t->offset + k]);
        if (t->rank == 2 && kept(m, i, NAN)) {
            s.kept[i] = n;
            s.sparse[s.n_sparse++] = i;
        }
    }
    char *arch = model_arch_print(m, &err), *header, *data = malloc(stored_bytes(&s) + 1), *at = data;
    size_t n;
    at_text_init(&names);
    stored_names(&s, &names);
    tensors_table table = stored_table(&s);
    const tensors_meta meta[] = {
        {"format", "attest"}, {"attest", arch}, {"sparse", s.n_sparse ? names.s : NULL}};
    assert_int_equal(tensors_header_print(&table, meta, 3, &header, &n, &err), AT_OK);
    for (int i = 0; i < m->n_tensors; i++)
        for (size_t k = 0; k < m->tensors[i].count; k++) {
            double w = m->weights[m->tensors[i].offset + k];
            if (s.kept[i] < 0 || kept(m, i, w))
                weight_add(&at, m, w);
        }
    for (int k = 0; k < s.n_sparse; k++) {
        const at_tensor *t = &m->tensors[s.sparse[k]];
        const double *w = m->weights + t->offset;
        int32_t start = 0;
        for (int32_t e = 0; e < (int32_t)t->count; e++) {
            int32_t column = e % (int32_t)t->shape[1];
            if (kept(m, s.sparse[k], w[e]))
                data_add(&at, &column, 4);
        }
        for (int64_t r = 0; r <= t->shape[0]; r++) {
            data_add(&at, &start, 4);
            for (int64_t c = 0; r < t->shape[0] && c < t->shape[1]; c++)
                start += kept(m, s.sparse[k], w[r * t->shape[1] + c]);
        }
    }
    assert_true((size_t)(at - data) == stored_bytes(&s));
    image im = image_make(header + 8, n - 8, data, (size_t)(at - data));
    at_text_release(&names);
    at_free(arch);
    at_free(header);
    free(data);
    stored_free(&s);
    return im;
}

image image_edit(const image *im, const char *from, const char *to)
{
    char *header = calloc(im->header + strlen(to) + 1, 1);
    memcpy(header, im->bytes + 8, im->header);
    char *at = strstr(header, from);
    if (!at)
        fail_msg("the header has no %s", from);
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
    image out = image_make(header, strlen(header), im->bytes + 8 + im->header, im->n - 8 - im->header);
    free(header);
    return out;
}

void image_refused(const image *im, const char *what, const char *says)
{
    at_model m;
    at_err err = {0};
    /* An exact copy on the heap, so that a read beyond it is seen by the sanitizer. */
    char *bytes = malloc(im->n ? im->n : 1);
    memcpy(bytes, im->bytes, im->n);
    at_status st = at_model_parse(&m, bytes, im->n, "f", &err);
    free(bytes);
    if (at_exit_code(st) != 2 || err.code != st || !strstr(err.text, says))
        fail_msg("%s: wanted \"%s\", got status %d \"%s\"", what, says, st, err.text);
    assert_null(m.arena.head);
    at_model_release(&m);
}

void image_lies(const image *im, const image_lie *lies, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        image lie = image_edit(im, lies[k].from, lies[k].to);
        image_refused(&lie, lies[k].to, lies[k].says);
        free(lie.bytes);
    }
}
