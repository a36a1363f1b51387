/* image.h: files of models as bytes, for tests of files that lie. */
#ifndef ATTEST_MODEL_IMAGE_H
#define ATTEST_MODEL_IMAGE_H

#include <attest/model.h>

typedef struct {
    char *bytes;      /* to be freed with free */
    size_t n, header; /* header: bytes of JSON after the first 8 */
} image;

image image_make(const char *header, size_t n_header, const char *data, size_t n_data);
image image_of(const at_model *m);
/* Is this weight of a tensor stored? Asked of NaN: is the tensor, a matrix, sparse at all? */
typedef bool image_kept(const at_model *m, int tensor, double w);
/* The file of m with any choice of sparse matrices and of the weights that they store, by a writer of its own. */
image image_stored(const at_model *m, image_kept *kept);
/* The image with `from` in its header replaced by `to`. */
image image_edit(const image *im, const char *from, const char *to);
/* Reading it fails as bad input, in words that hold `says`, and keeps nothing. */
void image_refused(const image *im, const char *what, const char *says);

typedef struct {
    const char *from, *to, *says;
} image_lie;
/* Each edit by itself is refused. */
void image_lies(const image *im, const image_lie *lies, size_t n);

#endif
