/* fuzz_import.c: a model of other people's, from a stranger.
 *
 * Input is a configuration, a zero byte, and a safetensors file; its first byte chooses the layout (a digit; else it is guessed). It is
 * refused in words, or a model is made, and then the model is valid and its image parses back to the same bytes. */
#include <stdint.h>
#include <string.h>

#include <attest/import.h>

#define LARGE 100000 /* weights */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(const at_model *m)
{
    at_model back;
    at_err err = {0};
    char *one, *two;
    size_t n_one, n_two;
    if (at_model_image(m, &one, &n_one, &err) != AT_OK ||
        at_model_parse(&back, one, n_one, "one", &err) != AT_OK ||
        at_model_image(&back, &two, &n_two, &err) != AT_OK || n_one != n_two || memcmp(one, two, n_one))
        __builtin_trap();
    at_free(one);
    at_free(two);
    at_model_release(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_import_options o = at_import_defaults;
    at_import_said said;
    at_model m;
    at_err err = {0};
    if (!size)
        return 0;
    if (data[0] >= '0' && data[0] < '0' + AT_LAYOUTS)
        o.layout = (at_layout)(data[0] - '0');
    const char *config = (const char *)data + 1;
    const char *end = memchr(config, 0, size - 1);
    if (!end)
        return 0;
    size_t n = (size_t)(end - config);
    at_status st = at_import_bytes(&m, end + 1, size - n - 2, config, n, &o, &said, &err);
    if (st != err.code || (st != AT_OK && !err.text[0]))
        __builtin_trap();
    if (st == AT_OK && m.n_weights <= LARGE)
        round_trip(&m);
    at_model_release(&m);
    return 0;
}
