/* test_heads.c: names of heads: through a file and a copy, without a part in the identity; what a name may not be, by whoever calls and
 * in a file of a stranger. */
#include "image.h"
#include "sample_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"

static at_group *group(const at_model *m)
{
    for (int b = 0; b < m->n_blocks; b++)
        if (m->blocks[b].kind == AT_BLOCK_ATTN)
            return &m->blocks[b].groups[0];
    fail_msg("no attention");
    return NULL;
}

static void named(at_model *m, const char *name)
{
    int b = 0;
    while (m->blocks[b].kind != AT_BLOCK_ATTN)
        b++;
    assert_int_equal(at_model_name_head(m, b, 0, name, &err), AT_OK);
}

static void test_kept(void **state)
{
    (void)state;
    at_model m, back, copy;
    char plain[65], hash[65];
    assert_int_equal(sample_plain(&m, &err), AT_OK);
    assert_null(group(&m)->name);
    assert_int_equal(at_model_hash(&m, plain, &err), AT_OK);
    image before = image_of(&m);
    assert_null(strstr(before.bytes + 8, "\"heads\""));
    named(&m, "a S <b> & \"c\" \xE2\x88\xA7 \xC3\xA9");
    image im = image_of(&m);
    assert_int_equal(at_model_parse(&back, im.bytes, im.n, "x", &err), AT_OK);
    assert_string_equal(group(&back)->name, "a S <b> & \"c\" \xE2\x88\xA7 \xC3\xA9");
    assert_int_equal(at_model_hash(&back, hash, &err), AT_OK);
    assert_string_equal(hash, plain); /* a note */
    assert_int_equal(at_model_copy(&back, &copy, &err), AT_OK);
    at_model_release(&back);
    assert_string_equal(group(&copy)->name, "a S <b> & \"c\" \xE2\x88\xA7 \xC3\xA9");
    named(&copy, NULL);
    image again = image_of(&copy);
    assert_int_equal(again.n, before.n);
    assert_memory_equal(again.bytes, before.bytes, before.n);
    free(before.bytes);
    free(im.bytes);
    free(again.bytes);
    at_model_release(&copy);
    at_model_release(&m);
}

/* Whatever a program calls its steps, a name can be read again. */
static void test_cleaned(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to; /* to NULL: no name */
    } rows[] = {{"plain", "plain"},
                {"  two words ", "two words"},
                {"", NULL},
                {"   ", NULL},
                {"a\033[31mb\nc", "a?[31mb?c"},
                {"right\xE2\x80\xAEto left", "right?to left"},
                {"bad \xFF byte", "bad ? byte"},
                {"123456789 123456789 123456789 123456789 123456789 123456789 1234",
                 "123456789 123456789 123456789 123456789 123456789 123456789 \xE2\x80\xA6"},
                {"123456789 123456789 123456789 123456789 123456789 12345678\xC3\xA9\xC3\xA9\xC3\xA9",
                 "123456789 123456789 123456789 123456789 123456789 12345678\xC3\xA9\xE2\x80\xA6"},
                {"123456789 123456789 123456789 123456789 123456789 123456789 123",
                 "123456789 123456789 123456789 123456789 123456789 123456789 123"}};
    at_model m, back;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_int_equal(sample_plain(&m, &err), AT_OK);
        named(&m, rows[k].from);
        image im = image_of(&m);
        if (at_model_parse(&back, im.bytes, im.n, "x", &err))
            fail_msg("'%s': %s", rows[k].from, err.text);
        if (rows[k].to)
            assert_string_equal(group(&back)->name, rows[k].to);
        else
            assert_null(group(&back)->name);
        free(im.bytes);
        at_model_release(&back);
        at_model_release(&m);
    }
}

static void test_lies(void **state)
{
    (void)state;
    at_model m;
    char text[40], name[80];
    assert_int_equal(sample_plain(&m, &err), AT_OK);
    named(&m, "step");
    image im = image_of(&m);
    int b = (int)(strstr(im.bytes + 8, "\"heads\":\"") - im.bytes) + 9;
    snprintf(text, sizeof text, "\"heads\":\"%.*s", 8, im.bytes + b); /* "heads":"0.0 step */
    snprintf(name, sizeof name, "\"heads\":\"0.0 %064d", 7);
    const image_lie lies[] = {
        {text, "\"heads\":\"0.0 \\u001b[2J", "characters that act"},
        {text, "\"heads\":\"0.0 \\u202estep", "characters that act"},
        {text, "\"heads\":\"0.0 \\u200bstep", "characters that act"},
        {text, "\"heads\":\"0.0 step ", "characters that act"},
        {text, name, "more than 63 bytes"},
        {text, "\"heads\":\"0.0 ", "a line is BLOCK.GROUP"},
        {text, "\"heads\":\"", "a line is BLOCK.GROUP"},
        {text, "\"heads\":\"step", "a line is BLOCK.GROUP"},
        {text, "\"heads\":\"00.0 step", "a line is BLOCK.GROUP"},
        {text, "\"heads\":\"0.-1 step", "a line is BLOCK.GROUP"},
        {text, "\"heads\":\"99999999999999999999.0 step", "heads: "},
        {text, "\"heads\":\"0.1 step", "there is no group 0.1"},
        {text, "\"heads\":\"1.0 step", "there is no group 1.0"},
        {text, "\"heads\":\"0.0 step\\n0.0 step", "0.0 is out of order"},
        {text, "\"heads\":\"0.0 step\\n", "a line is BLOCK.GROUP"},
        {"\"heads\":", "\"head\":", "unknown key \"head\""},
    };
    image_lies(&im, lies, sizeof lies / sizeof *lies);
    image fine = image_edit(&im, text, "\"heads\":\"0.0 <script>alert(1)</script>");
    at_model back;
    assert_int_equal(at_model_parse(&back, fine.bytes, fine.n, "x", &err),
                     AT_OK); /* escaped where it is shown */
    assert_string_equal(group(&back)->name, "<script>alert(1)</script>");
    at_model_release(&back);
    free(fine.bytes);
    free(im.bytes);
    at_model_release(&m);
}

static void test_numbers(void **state)
{
    (void)state;
    at_model m;
    int layer, number;
    assert_int_equal(sample_plain(&m, &err), AT_OK);
    at_head_number(&m, 0, 0, 0, &layer, &number);
    assert_int_equal(layer, 1);
    assert_int_equal(number, 1);
    at_model_release(&m);
}

/* The arithmetic of its bounds goes with a model, too; of a file it is asked to be a name. */
static void test_arithmetic(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "p12 e8", "F64", "p12e8\n", "../x", "abcdefghijklmnop"};
    at_model m, back, copy;
    char plain[65], hash[65];
    assert_int_equal(sample_plain(&m, &err), AT_OK);
    assert_int_equal(at_model_hash(&m, plain, &err), AT_OK);
    image before = image_of(&m);
    assert_null(strstr(before.bytes + 8, "\"arithmetic\""));
    assert_int_equal(at_model_made_for(&m, "p12e8", &err), AT_OK);
    image im = image_of(&m);
    assert_int_equal(at_model_parse(&back, im.bytes, im.n, "x", &err), AT_OK);
    assert_string_equal(back.arithmetic, "p12e8");
    assert_int_equal(at_model_hash(&back, hash, &err), AT_OK);
    assert_string_equal(hash, plain); /* a note */
    assert_int_equal(at_model_copy(&back, &copy, &err), AT_OK);
    at_model_release(&back);
    assert_string_equal(copy.arithmetic, "p12e8");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(at_model_made_for(&copy, bad[k], &err), AT_EINPUT);
        assert_string_equal(copy.arithmetic, "p12e8");
    }
    char *at = strstr(im.bytes + 8, "p12e8");
    assert_non_null(at);
    at[0] = 'P';
    err = (at_err){0};
    assert_int_equal(at_model_parse(&back, im.bytes, im.n, "x", &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "x: the arithmetic of a model is a name"));
    assert_int_equal(at_model_made_for(&copy, NULL, &err), AT_OK);
    image again = image_of(&copy);
    assert_int_equal(again.n, before.n);
    assert_memory_equal(again.bytes, before.bytes, before.n);
    free(before.bytes);
    free(im.bytes);
    free(again.bytes);
    at_model_release(&copy);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kept, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_cleaned, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_lies, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_arithmetic, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_numbers, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
