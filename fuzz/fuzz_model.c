/* fuzz_model.c: a model file from a stranger.
 *
 * Input that begins with '{' is an architecture alone, since the fuzzer seldom keeps the lengths and offsets
 * of a whole file right; anything else is a file. Either is refused in words, or it is a model, and then it
 * is valid, its image parses back, and the image of that is the same bytes. A sparse file of few bytes may be a large
 * model; then that it was read is enough. */
#include <stdint.h>
#include <string.h>

#include "../src/model/model_internal.h"

#define LARGE 100000 /* weights */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(const at_model *m)
{
    at_model back;
    at_err err = {0};
    char *one, *two;
    size_t n_one, n_two;
    if (at_model_image(m, &one, &n_one, &err) != AT_OK)
        __builtin_trap();
    if (at_model_parse(&back, one, n_one, "one", &err) != AT_OK)
        __builtin_trap();
    if (at_model_image(&back, &two, &n_two, &err) != AT_OK || n_one != n_two || memcmp(one, two, n_one))
        __builtin_trap();
    at_size s;
    at_model_size(&back, &s);
    at_free(one);
    at_free(two);
    at_model_release(&back);
}

/* m holds an architecture: lay it out unless it is large, which is slow rather than wrong. */
static at_status finish(at_model *m, at_err *err)
{
    int tensors;
    size_t weights;
    at_status st = model_measure(m, &tensors, &weights, err);
    if (st != AT_OK)
        return st;
    if (weights > LARGE)
        return at_fail(err, AT_EDOMAIN, "large");
    return at_model_layout(m, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_model m;
    at_err err = {0};
    at_status st;
    if (size > 0 && data[0] == '{') {
        at_model_init(&m);
        st = model_arch_parse(&m, (const char *)data, size, "fuzz", &err);
        if (st == AT_OK)
            st = finish(&m, &err);
    } else
        st = at_model_parse(&m, (const char *)data, size, "fuzz", &err);
    if (st != err.code || (st != AT_OK && !err.text[0]))
        __builtin_trap();
    if (st == AT_OK && m.n_weights <= LARGE)
        round_trip(&m);
    at_model_release(&m);
    return 0;
}
