/* fuzz_state.c: the state of a training from a stranger.
 *
 * Input that begins with '{' is a record alone, and after a line feed a model's architecture, since the fuzzer seldom keeps
 * lengths right: a header is made around them, and what they ask for is refused at the latest because there are no tensors. Anything
 * else is a file, whose sum is checked last, so that wrong ones get far. It is refused in words, or it is a training, and then its
 * state is read back and written as the same bytes. Memory has a ceiling: a long training is slow rather than wrong. */
#include <stdint.h>
#include <string.h>

#include "../src/model/tensors.h"
#include "../src/train/train_internal.h"

#define CEILING ((size_t)8 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(const at_trainer *t, const char *note)
{
    at_err err = {0};
    at_trainer *back;
    char *one, *two, *again;
    size_t n_one, n_two;
    if (train_state_image(t, note, &one, &n_one, &err) != AT_OK)
        __builtin_trap();
    if (train_state_parse("one", one, n_one, 1, &back, &again, &err) != AT_OK)
        __builtin_trap();
    if (train_state_image(back, again, &two, &n_two, &err) != AT_OK || n_one != n_two ||
        memcmp(one, two, n_one))
        __builtin_trap();
    at_free(one);
    at_free(two);
    at_free(again);
    at_trainer_free(back);
}

static void no_tensor(const void *ctx, int i, tensors_entry *out)
{
    (void)ctx;
    (void)i;
    *out = (tensors_entry){.rank = 1};
}

/* A file without tensors; NULL when the texts are not UTF-8. */
static char *around(const uint8_t *data, size_t size, size_t *n, at_err *err)
{
    char *text = at_malloc(size + 1), *header = NULL;
    if (!text)
        return NULL;
    memcpy(text, data, size);
    text[size] = 0;
    char *arch = strchr(text, '\n');
    if (arch)
        *arch++ = 0;
    const tensors_meta meta[] = {
        {"format", "attest-training"}, {"attest-training", text}, {"attest", arch}, {"sha256", "0"}};
    tensors_table table = {0, true, no_tensor, NULL};
    if (model_utf8((char *)data, size))
        tensors_header_print(&table, meta, 4, &header, n, err);
    at_free(text);
    return header;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_err err = {0};
    at_trainer *t = NULL;
    char *note = NULL, *made = NULL;
    size_t n = size;
    at_alloc_ceiling(CEILING);
    if (size > 0 && data[0] == '{') {
        if (!(made = around(data, size, &n, &err)))
            return 0;
    }
    at_status s = train_state_parse("fuzz", made ? made : (const char *)data, n, 1, &t, &note, &err);
    if (s != err.code || (s != AT_OK && !err.text[0]) || (s == AT_OK && !t))
        __builtin_trap();
    if (s == AT_OK)
        round_trip(t, note);
    at_free(made);
    at_free(note);
    at_trainer_free(t);
    return 0;
}
