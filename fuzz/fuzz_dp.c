/* fuzz_dp.c: any bytes as a dynamic programme: parsed, printed, bound at small sizes, run, tested for regularity.
 *
 * Beyond not crashing: what was printed reads back to the same text; a failure has words, in one line; an instance
 * that is proved runs on every input (tried: the lowest, the highest, some in between); the recurrence of two sizes says at the
 * smaller one what the problem says there. The ceiling on a single allocation keeps the number of states small, so that an input takes milliseconds. */
#include <attest/front.h>

#include <string.h>

#include "fuzz_check.h"

static void words_check(at_status s, const at_err *err)
{
    check((s == AT_OK) == (err->text[0] == 0), "a failure without words, or words without a failure");
    check(!strchr(err->text, '\n'), "more than one line of words");
}

static void print_check(const at_dp *d)
{
    at_text one, two;
    at_err err = {0};
    at_dp *again = NULL;
    at_text_init(&one);
    at_text_init(&two);
    at_status s = at_dp_print(d, &one);
    if (s == AT_OK && one.n <= 1 << 16) /* brackets and blanks may make a large file too large */
        s = at_dp_parse(one.s, one.n, "printed", &again, &err);
    if (again && at_dp_print(again, &two) == AT_OK)
        check(strcmp(one.s, two.s) == 0, "printed twice, two texts");
    if (s == AT_EINPUT)
        check(false, err.text);
    at_text_release(&one);
    at_text_release(&two);
    at_dp_free(again);
}

static void runs_check(const at_dp_instance *x, const uint8_t *data, size_t size)
{
    at_arena a;
    at_arena_init(&a);
    int64_t *input = at_new(&a, int64_t, x->n_input + 1);
    for (int round = 0; round < 3 && input; round++) {
        at_err err = {0};
        at_dp_chain chain = {0};
        for (int k = 0; k < x->d->n_inputs; k++)
            for (int64_t i = 0; i < x->input_len[k]; i++) {
                int64_t lo = x->input_lo[k], hi = x->input_hi[k];
                int64_t between = lo + data[(size_t)(i + k) % size] % (hi - lo + 1);
                input[x->input_first[k] + i] = round == 0 ? lo : round == 1 ? hi : between;
            }
        at_status s = at_dp_run(x, input, &a, &chain, &err);
        words_check(s, &err);
        if (x->proved == AT_TRUE && s != AT_ENOMEM) {
            check(s == AT_OK, err.text);
            check(chain.answer >= x->answer_lo && chain.answer <= x->answer_hi,
                  "the answer leaves its range");
        }
    }
    at_arena_release(&a);
}

static void regular_check(const at_dp_instance *x)
{
    at_arena a;
    at_err err = {0};
    at_tri regular;
    int64_t *first, *second;
    uint64_t distinct;
    at_arena_init(&a);
    if (x->n_states < 200)
        words_check(at_dp_regular(x, 64, &a, &regular, &first, &second, &distinct, &err), &err);
    at_arena_release(&a);
}

/* The lowest inputs everywhere; those of `all` begin with the sizes, if they are of both. */
static bool lowest_run(const at_dp_instance *x, const int64_t *size, int64_t *answer)
{
    at_arena a;
    at_arena_init(&a);
    at_dp_chain chain = {0};
    int64_t *input = at_new(&a, int64_t, x->n_input + 1);
    for (int k = 0; k < x->d->n_inputs && input; k++)
        for (int64_t i = 0; i < x->input_len[k]; i++)
            input[x->input_first[k] + i] = size && k < (int)size[0] ? size[1 + k] : x->input_lo[k];
    bool ran = input && at_dp_run(x, input, &a, &chain, NULL) == AT_OK;
    *answer = chain.answer;
    at_arena_release(&a);
    return ran;
}

static void every_check(const at_dp *d, const int64_t *least)
{
    int64_t most[AT_DP_MAX], told[AT_DP_MAX + 1] = {d->n_sizes}, own, of_all;
    at_text text;
    at_err err = {0};
    at_dp *all = NULL;
    at_dp_instance *x = NULL, *y = NULL;
    if (!d->n_sizes || d->n_sizes > 4)
        return;
    for (int k = 0; k < d->n_sizes; k++)
        most[k] = (told[1 + k] = least[k]) + 1;
    at_text_init(&text);
    at_status s = at_dp_every(d, least, most, &text, &err);
    words_check(s, &err);
    if (s == AT_OK && at_dp_parse(text.s, text.n, "every", &all, NULL) == AT_OK &&
        at_dp_bind(all, NULL, &y, NULL) == AT_OK && at_dp_bind_all(d, least, &x, NULL) == AT_OK &&
        x->proved == AT_TRUE && y->proved == AT_TRUE && lowest_run(x, NULL, &own) &&
        lowest_run(y, told, &of_all))
        check(own == of_all, "of two sizes, the smaller has another answer");
    at_dp_instance_free(x);
    at_dp_instance_free(y);
    at_dp_free(all);
    at_text_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_err err = {0};
    at_dp *d = NULL;
    at_alloc_ceiling((size_t)1 << 18);
    at_status s = at_dp_parse((const char *)data, size, "fuzz", &d, &err);
    words_check(s, &err);
    if (s != AT_OK)
        return 0;
    print_check(d);
    for (int64_t n = 0; n < 4; n++) {
        int64_t sizes[AT_DP_MAX];
        at_dp_instance *x = NULL;
        for (int k = 0; k < AT_DP_MAX; k++)
            sizes[k] = n + (k == data[0] % AT_DP_MAX);
        every_check(d, sizes);
        err = (at_err){0};
        s = at_dp_bind(d, sizes, &x, &err);
        words_check(s, &err);
        if (s != AT_OK)
            continue;
        runs_check(x, data, size);
        regular_check(x);
        at_dp_instance_free(x);
    }
    at_dp_free(d);
    return 0;
}
