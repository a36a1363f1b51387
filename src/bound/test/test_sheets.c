/* test_sheets.c: every word and number that bounds print, at the settings in sheets.txt.
 *
 * test_bounds.c and test_counts.c find the numbers that decide by other means; here nothing of what a reader sees changes
 * unnoticed. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../core/test/test_golden.h"
#include "../bound_internal.h"

#include <stdio.h>
#include <string.h>

static const char path[] = "src/bound/test/sheets.txt";

static void sheet_add(at_text *t, const char *id, const char *set)
{
    const at_bound *b = at_bound_find(id);
    assert_non_null(b);
    at_params p;
    at_arena a;
    at_bound_result r;
    at_err err = {0};
    at_params_init(&p, b->params, b->n_params);
    at_arena_init(&a);
    if (at_params_parse(&p, set, &err) || at_bound_compute(b, &p, &a, &r, &err))
        fail_msg("%s %s: %s", id, set, err.text);
    at_text_addf(t, "# %s %s\n%s; %s\n%s\n%s\n", id, set, at_bound_verdict_names[r.verdict],
                 at_bound_bits_names[r.bits], r.inequality, r.meaning);
    at_text_addf(t, "least: %s (%.17g)\n", r.least_text ? r.least_text : "none", r.least);
    for (int i = 0; i < r.n_lines; i++)
        at_text_addf(t, "%s: %s\n", r.lines[i].name, r.lines[i].text);
    for (int i = 0; i < r.n_starts; i++)
        at_text_addf(t, "binds %s: %s (%.17g)\n", r.starts[i].param, r.starts[i].text, r.starts[i].at);
    at_text_add(t, "\n");
    at_arena_release(&a);
}

/* The sheets of all settings in the file. */
static void sheets_make(const char *file, at_text *out, int *n)
{
    char id[64], set[256];
    for (const char *s = strncmp(file, "# ", 2) ? strstr(file, "\n# ") : file; s; s = strstr(s, "\n# ")) {
        s += *s == '\n';
        assert_int_equal(sscanf(s, "# %63s%255[^\n]", id, set), 2);
        sheet_add(out, id, set + 1);
        (*n)++;
    }
}

static void test_sheets(void **state)
{
    char *file;
    size_t size;
    int n = 0;
    at_err err = {0};
    at_text made;
    at_text_init(&made);
    if (at_file_read(path, 1 << 20, &file, &size, &err))
        fail_msg("%s", err.text);
    sheets_make(file, &made, &n);
    golden_check(path, made.s, *state);
    for (int i = 0; i < at_n_bounds; i++) {
        char head[80];
        snprintf(head, sizeof head, "# %s ", at_bounds[i]->id);
        const char *one = strstr(file, head);
        assert_non_null(one);
        assert_non_null(strstr(one + 1, head)); /* two settings of each */
    }
    assert_true(n >= 2 * at_n_bounds);
    at_text_release(&made);
    at_free(file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_sheets, golden_asked(argc, argv) ? (void *)argv : NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
