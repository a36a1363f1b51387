/* test_registry.c: names found in tables of any kind, and "did you mean". */
#include <attest/core.h>

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"softmax", "sparsemax", "leftmost-hard", "N", "c", "ab"};
    assert_string_equal(at_nearest("sotfmax", names, 6), "softmax");
    assert_string_equal(at_nearest("softmx", names, 6), "softmax");
    assert_string_equal(at_nearest("left", names, 6), "leftmost-hard"); /* an abbreviation */
    assert_string_equal(at_nearest("abc", names, 6), "ab");
    assert_string_equal(at_nearest("n", names, 6), "N"); /* the wrong case */
    assert_string_equal(at_nearest("Softmax", names, 6), "softmax");
    assert_null(at_nearest("transformer", names, 6));
    /* nothing of the name would be left */
    assert_null(at_nearest("M", names, 6));
    assert_null(at_nearest("x", names, 6));
    assert_null(at_nearest("xy", (const char *const[]){"cd"}, 1));
    assert_null(at_nearest("", names, 6));
    assert_null(at_nearest("softmax", NULL, 0));
    char longer[200];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_null(at_nearest(longer, names, 6));
}

typedef struct {
    int legs;
    const char *id;
} animal;
static const animal cat = {4, "cat"}, spider = {8, "spider"}, snake = {0, "snake"};
static const animal *const pointers[] = {&cat, &spider, &snake};
static const animal rows[] = {{4, "cat"}, {8, "spider"}, {0, "snake"}};
static const char *const names[] = {"cat", "spider", "snake"};

static const at_registry registries[] = {
    AT_REGISTRY("animal", "attest list animals", pointers, 3, id),
    AT_REGISTRY_OF_ROWS("animal", "attest list animals", rows, 3, id),
    AT_REGISTRY_OF_NAMES("animal", "attest list animals", names, 3),
};

static void test_find(void **state)
{
    (void)state;
    assert_ptr_equal(at_registry_find(&registries[0], "spider"), &spider);
    assert_ptr_equal(at_registry_find(&registries[1], "spider"), &rows[1]);
    assert_ptr_equal(at_registry_find(&registries[2], "spider"), &names[1]);
    for (int k = 0; k < 3; k++) {
        const at_registry *r = &registries[k];
        at_err err = {0};
        for (int i = 0; i < 3; i++) {
            assert_string_equal(at_registry_name(r, i), names[i]);
            assert_non_null(at_registry_find(r, names[i]));
            assert_non_null(at_registry_need(r, names[i], &err));
        }
        assert_int_equal(err.code, AT_OK);
        assert_null(at_registry_find(r, "Cat"));
        assert_null(at_registry_find(r, ""));
        assert_string_equal(at_registry_nearest(r, "sanke"), "snake");
        assert_null(at_registry_nearest(r, "elephant"));
    }
}

static void test_need(void **state)
{
    (void)state;
    at_registry listed = registries[0], none = registries[0];
    listed.all = NULL;
    none.all = NULL, none.n = 0;
    const struct {
        const at_registry *r;
        const char *name, *words;
    } lines[] = {
        {&registries[1], "spidre", "unknown animal 'spidre'; did you mean 'spider'? (attest list animals)"},
        {&registries[1], "elephant", "unknown animal 'elephant'; see `attest list animals`"},
        {&listed, "spidre",
         "unknown animal 'spidre'; did you mean 'spider'? (there are: cat, spider, snake)"},
        {&listed, "elephant", "unknown animal 'elephant' (there are: cat, spider, snake)"},
        {&none, "cat", "unknown animal 'cat' (there are: none)"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        at_err err = {0};
        assert_null(at_registry_need(lines[i].r, lines[i].name, &err));
        assert_int_equal(err.code, AT_EINPUT);
        assert_string_equal(err.text, lines[i].words);
    }
}

/* Candidates of several tables, and the first of equally near ones. */
static void test_near(void **state)
{
    (void)state;
    at_guess n = {"snape"};
    assert_null(at_guess_found(&n));
    at_guess_add(&n, "elephant");
    assert_null(at_guess_found(&n));
    at_guess_add_all(&n, &registries[2]);
    assert_string_equal(at_guess_found(&n), "snake");
    at_guess_add(&n, "shape");
    assert_string_equal(at_guess_found(&n), "snake");
    at_guess_add(&n, "Snape");
    assert_string_equal(at_guess_found(&n), "Snape");
}

/* What the words of a failure need may not be there. */
static void test_memory(void **state)
{
    (void)state;
    at_registry listed = registries[0];
    listed.all = NULL;
    at_err err = {0};
    at_alloc_inject(1);
    assert_null(at_registry_need(&listed, "elephant", &err));
    at_alloc_inject(0);
    assert_string_equal(err.text, "unknown animal 'elephant' (there are: ...)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest), cmocka_unit_test(test_find),   cmocka_unit_test(test_need),
        cmocka_unit_test(test_near),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
