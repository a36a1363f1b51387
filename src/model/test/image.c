/* image.c: see image.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "image.h"

image image_make(const char *header, size_t n_header, const char *data, size_t n_data)
{
    image im = {malloc(8 + n_header + n_data), 8 + n_header + n_data, n_header};
    for (int k = 0; k < 8; k++)
        im.bytes[k] = (char)(n_header >> (8 * k));
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
    size_t header = n - 8 - 8 * m->n_weights;
    image im = image_make(bytes + 8, header, bytes + 8 + header, n - 8 - header);
    assert_memory_equal(im.bytes, bytes, n);
    at_free(bytes);
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
