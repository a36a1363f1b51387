/* test_json.c: the bound that json.c puts on jansson's memory, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../model_internal.h"

/* The pool of json.c is a bound, not a guess: texts that make jansson spend most for a byte or a value are
 * parsed with one allocation, the pool. One more would be the second, which fails here. */
static void pool_suffices(void **state)
{
    (void)state;
    static const struct {
        const char *first, *item, *last;
    } shapes[] = {
        {"{\"a\":[0", ",{}", "]}"},
        {"{\"a\":[0", ",[]", "]}"},
        {"{\"a\":[0", ",0", "]}"},
        {"{\"a\":[0", ",\"\"", "]}"},
        {"{\"a\":[0", ",{\"\":{}}", "]}"},
        {"{\"a\":[0", ",{\"abcdefghijklmnopq\":[1]}", "]}"},
        {"{\"a\":[0", ",1.5e-300", "]}"},
        {"{\"a\":[0", ",\"abcdefghijklmnopqrstuvwxyz\"", "]}"},
        {"{\"a\":0", ",\"#\":{}", "}"},
        {"{\"a\":0", ",\"#\":[]", "}"},
        {"{\"a\":0", ",\"#\":{\"k\":\"v\"}", "}"},
        {"{\"a\":\"", "abcdefgh", "\"}"},
        {"{\"", "\\u20ac", "\":1}"},
    };
    static const int counts[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 1025, 4097, 20000};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            at_text t;
            at_err err = {0};
            at_text_init(&t);
            at_text_add(&t, shapes[s].first);
            for (int k = 0; k < counts[c]; k++) {
                const char *mark = strchr(shapes[s].item, '#'); /* the item's number, to make keys differ */
                int before = mark ? (int)(mark - shapes[s].item) : 0;
                if (mark)
                    at_text_addf(&t, "%.*s%06d", before, shapes[s].item, k);
                at_text_add(&t, mark ? mark + 1 : shapes[s].item);
            }
            at_text_add(&t, shapes[s].last);
            at_alloc_inject(2);
            struct json_t *j = model_json_parse(t.s, t.n, "f", "text", &err);
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            if (!j || fired)
                fail_msg("shape %zu, %d items: %s", s, counts[c], err.text);
            model_json_free(j);
            at_text_release(&t);
        }
}

/* Values are counted before anything is built for them. */
static void branching_refused(void **state)
{
    (void)state;
    size_t n = 3000000;
    at_err err = {0};
    char *s = malloc(n);
    assert_non_null(s);
    memset(s, ',', n);
    s[0] = '[';
    at_alloc_inject(1);
    assert_null(model_json_parse(s, n, "f", "text", &err));
    assert_false(at_alloc_injected());
    at_alloc_inject(0);
    assert_int_equal(err.code, AT_EINPUT);
    assert_non_null(strstr(err.text, "holds more than 1048576 values"));
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pool_suffices), cmocka_unit_test(branching_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
