/* test_input.c: inputs as text and as rows: round trip, domains, messages, no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model_internal.h"
#include "sample_model.h"

/* A model with a token x (17), a 2-subset s of 1..5, two reals r in [-1, 2], one int i in -2^53..2^53. */
static void four_fields(at_model *m)
{
    at_err err = {0};
    assert_int_equal(sample_tiny(m, &err), AT_OK);
    m->n_fields = 4;
    m->fields = at_new(&m->arena, at_field, 4);
    m->fields[0] = (at_field){"x", AT_FIELD_TOKEN, 17, 0, 0, 0, {0, 1, -1}, NULL};
    m->fields[1] = (at_field){"s", AT_FIELD_SUBSET, 5, 2, 0, 0, {0, 1, -1}, NULL};
    m->fields[2] = (at_field){"r", AT_FIELD_REAL, 2, 0, -1, 2, {0, 1, -1}, NULL};
    m->fields[3] = (at_field){"i", AT_FIELD_INT, 1, 0, -MODEL_MAX_INT, MODEL_MAX_INT, {0, 1, -1}, NULL};
    assert_int_equal(at_model_layout(m, &err), AT_OK);
    assert_int_equal(at_model_row_width(m), 6);
}

/* Where lengths begin at 0 the line without positions is an input. */
static void empty_line(void **state)
{
    (void)state;
    at_model m;
    at_arena a;
    at_err err = {0};
    at_input x;
    at_text t;
    at_arena_init(&a);
    at_text_init(&t);
    four_fields(&m);
    m.n_min = 0;
    assert_int_equal(at_model_validate(&m, &err), AT_OK);
    for (int k = 0; k < 2; k++) {
        x.n = -1;
        assert_int_equal(at_input_parse(&m, k ? " \t\r\n" : "", &a, &x, &err), AT_OK);
        assert_int_equal(x.n, 0);
        assert_int_equal(at_input_check(&m, &x, &err), AT_OK);
        at_input_print(&m, &x, &t);
        assert_string_equal(t.s, "");
    }
    assert_int_equal(at_input_parse(&m, "16/5,1/0.1,-1/3", &a, &x, &err), AT_OK);
    assert_int_equal(x.n, 1);
    char *bytes;
    size_t n;
    at_model back;
    assert_int_equal(at_model_image(&m, &bytes, &n, &err), AT_OK);
    assert_int_equal(at_model_parse(&back, bytes, n, "file", &err), AT_OK);
    assert_int_equal(back.n_min, 0);
    at_free(bytes);
    at_model_release(&back);
    at_text_release(&t);
    at_arena_release(&a);
    at_model_release(&m);
}

static void read_and_written(void **state)
{
    (void)state;
    at_model m;
    at_arena a;
    at_err err = {0};
    at_input x;
    at_text t;
    at_arena_init(&a);
    at_text_init(&t);
    four_fields(&m);
    static const double want[] = {16, 5, 1, 0.1, -1, -9007199254740992.0, 0, 2, 3, 2, 5e-324, 7};
    assert_int_equal(
        at_input_parse(&m, " 16/5,1/0.1,-1/-9007199254740992\t0/2,3/2,5e-324/7\r\n", &a, &x, &err), AT_OK);
    assert_int_equal(x.n, 2);
    assert_memory_equal(x.v, want, sizeof want);
    at_input_print(&m, &x, &t);
    assert_string_equal(t.s, "16/5,1/0.1,-1/-9007199254740992 0/2,3/2,4.94065645841247e-324/7");
    at_text_release(&t);
    at_input_print_row(&m, x.v + 6, 2, &t);
    assert_string_equal(t.s, "0/2,3/2,4.94065645841247e-324/7");
    at_text_release(&t);
    assert_int_equal(at_input_check(&m, &x, &err), AT_OK);
    at_model_release(&m);

    assert_int_equal(sample_tiny(&m, &err), AT_OK);
    assert_int_equal(at_input_parse(&m, "2 0 1", &a, &x, &err), AT_OK);
    assert_int_equal(x.n, 3);
    assert_true(x.v[0] == 2 && x.v[1] == 0 && x.v[2] == 1);
    at_model_release(&m);
    at_arena_release(&a);
}

static const struct {
    const char *line;
    at_status code;
    const char *says;
} bad_lines[] = {
    {"", AT_EDOMAIN, "length 0 out of range 1..4"},
    {" \t\n", AT_EDOMAIN, "length 0 out of range 1..4"},
    {"0/1,2/0,0/0 0/1,2/0,0/0 0/1,2/0,0/0 0/1,2/0,0/0 0/1,2/0,0/0", AT_EDOMAIN, "length 5 out of range 1..4"},
    {"0/1,2/0,0/0 17/1,2/0,0/0", AT_EDOMAIN, "position 2: token 17 out of range 0..16 (field x)"},
    {"-1/1,2/0,0/0", AT_EDOMAIN, "position 1: token -1 out of range 0..16 (field x)"},
    {"a/1,2/0,0/0", AT_EINPUT, "position 1: \"a\" is not an integer (field x)"},
    {"1.5/1,2/0,0/0", AT_EINPUT, "position 1: \"1.5\" is not an integer (field x)"},
    {"/1,2/0,0/0", AT_EINPUT, "position 1: \"\" is not an integer (field x)"},
    {"0/0,2/0,0/0", AT_EDOMAIN, "position 1: element 0 out of range 1..5 (field s)"},
    {"0/6,2/0,0/0", AT_EDOMAIN, "position 1: element 6 out of range 1..5 (field s)"},
    {"0/2,2/0,0/0", AT_EDOMAIN, "position 1: element 2 is repeated (field s)"},
    {"0/2/0,0/0", AT_EINPUT, "position 1: field s takes 2 numbers separated by ','"},
    {"0/1,2,3/0,0/0", AT_EINPUT, "position 1: more than 2 numbers for field s"},
    {"0/1,2", AT_EINPUT, "position 1: 4 fields are separated by '/'; at field s"},
    {"0/1,2/0,0/0/0", AT_EINPUT, "position 1: 4 fields are separated by '/'; at field i"},
    {"0", AT_EINPUT, "position 1: 4 fields are separated by '/'; at field x"},
    {"0/1,2/0,0/", AT_EINPUT, "position 1: \"\" is not an integer (field i)"},
    {"0/1,2/0,2.5/0", AT_EDOMAIN, "position 1: number 2.5 out of range -1..2 (field r)"},
    {"0/1,2/0,nan/0", AT_EINPUT, "position 1: \"nan\" is not a finite number (field r)"},
    {"0/1,2/0,1e999/0", AT_EINPUT, "position 1: \"1e999\" is not a finite number (field r)"},
    {"0/1,2/0,0/9007199254740993", AT_EDOMAIN, "position 1: integer 9007199254740993 out of range"},
    {"0/1,2/0,0/99999999999999999999", AT_EINPUT, "is not an integer (field i)"},
    {"\x1b[2J/1,2/0,0/0", AT_EINPUT, "position 1: \"?[2J\" is not an integer (field x)"},
};

static void bad_lines_refused(void **state)
{
    (void)state;
    at_model m;
    at_arena a;
    at_arena_init(&a);
    four_fields(&m);
    for (size_t k = 0; k < sizeof bad_lines / sizeof *bad_lines; k++) {
        at_err err = {0};
        at_input x = {-1, NULL};
        at_status st = at_input_parse(&m, bad_lines[k].line, &a, &x, &err);
        if (st != bad_lines[k].code || !strstr(err.text, bad_lines[k].says))
            fail_msg("\"%s\": got status %d \"%s\"", bad_lines[k].line, st, err.text);
        assert_int_equal(x.n, -1); /* outputs only on success */
    }
    at_arena_release(&a);
    at_model_release(&m);
}

/* The same domain for rows that did not come from text. */
static void bad_rows_refused(void **state)
{
    (void)state;
    at_model m;
    four_fields(&m);
    static const double row[6] = {0, 1, 2, 0, 0, 0};
    static const struct {
        int at;
        double v;
        const char *says;
    } cases[] = {
        {0, 17, "position 2: token 17 out of range 0..16 (field x)"},
        {0, 0.5, "position 2: token 0.5 is not an integer (field x)"},
        {0, NAN, "position 2: token nan out of range"},
        {1, 2, "position 2: element 2 is repeated (field s)"},
        {2, 6, "position 2: element 6 out of range 1..5 (field s)"},
        {3, -1.5, "position 2: number -1.5 out of range -1..2 (field r)"},
        {4, INFINITY, "position 2: number inf out of range -1..2 (field r)"},
        {5, 0.25, "position 2: integer 0.25 is not an integer (field i)"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double v[12];
        at_err err = {0};
        memcpy(v, row, sizeof row);
        memcpy(v + 6, row, sizeof row);
        assert_int_equal(at_input_check(&m, &(at_input){2, v}, &err), AT_OK);
        v[6 + cases[k].at] = cases[k].v;
        assert_int_equal(at_input_check(&m, &(at_input){2, v}, &err), AT_EDOMAIN);
        if (!strstr(err.text, cases[k].says))
            fail_msg("case %zu: got \"%s\"", k, err.text);
    }
    at_err err = {0};
    assert_int_equal(at_input_check(&m, &(at_input){0, NULL}, &err), AT_EDOMAIN);
    at_model_release(&m);
}

/* Random inputs of random models: print, parse, the same rows. */
static void round_trip(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    for (uint64_t s = 0; s < 300; s++) {
        at_model m;
        at_err err = {0};
        at_text t;
        at_input back;
        at_rng r = at_rng_at(2, s);
        assert_int_equal(sample_random(&m, s, &err), AT_OK);
        int n = m.n_min + (int)at_rng_below(&r, (uint64_t)(m.n_max - m.n_min + 1)),
            width = at_model_row_width(&m);
        double *v = at_new(&a, double, n *width), *p = v;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < m.n_fields; k++) {
                const at_field *f = &m.fields[k];
                int subset[8];
                if (f->kind == AT_FIELD_SUBSET)
                    at_subset_unrank((int64_t)at_rng_below(&r, (uint64_t)at_choose(f->size, f->pick)),
                                     f->pick, subset);
                for (int c = 0; c < at_field_width(f); c++)
                    *p++ = f->kind == AT_FIELD_SUBSET  ? subset[c]
                           : f->kind == AT_FIELD_TOKEN ? (double)at_rng_below(&r, (uint64_t)f->size)
                           : f->kind == AT_FIELD_INT
                               ? f->lo + (double)at_rng_below(&r, (uint64_t)(f->hi - f->lo + 1))
                               : f->lo + (f->hi - f->lo) * at_rng_unit(&r);
            }
        at_input x = {n, v};
        assert_int_equal(at_input_check(&m, &x, &err), AT_OK);
        at_text_init(&t);
        at_input_print(&m, &x, &t);
        if (at_input_parse(&m, t.s, &a, &back, &err) != AT_OK)
            fail_msg("model %d: \"%s\": %s", (int)s, t.s, err.text);
        assert_int_equal(back.n, n);
        for (int i = 0; i < n * width; i++)
            assert_true(back.v[i] == v[i]);
        at_text_release(&t);
        at_model_release(&m);
    }
    at_arena_release(&a);
}

/* A line of few numbers for a model of very wide rows must not cost n * width. */
static void line_bounds_memory(void **state)
{
    (void)state;
    at_model m;
    at_arena a;
    at_err err = {0};
    at_input x;
    at_arena_init(&a);
    assert_int_equal(sample_tiny(&m, &err), AT_OK);
    m.n_max = AT_MAX_LENGTH;
    m.fields[0] = (at_field){"w", AT_FIELD_REAL, AT_MAX_WIDTH, 0, 0, 1, {0, 1, -1}};
    assert_int_equal(at_model_layout(&m, &err), AT_OK);
    char *line = malloc(200001);
    for (int i = 0; i < 200000; i += 2)
        memcpy(line + i, "0 ", 2);
    line[200000] = 0;
    at_alloc_ceiling((size_t)4 << 20);
    assert_int_equal(at_input_parse(&m, line, &a, &x, &err), AT_EINPUT);
    at_alloc_ceiling(0);
    assert_non_null(strstr(err.text, "position 1: field w takes 65536 numbers"));
    free(line);
    at_arena_release(&a);
    at_model_release(&m);
}

static void without_memory(void **state)
{
    (void)state;
    at_model m;
    at_arena a;
    at_err err = {0};
    at_input x = {0};
    at_arena_init(&a);
    four_fields(&m);
    at_alloc_inject(1);
    assert_int_equal(at_input_parse(&m, "0/1,2/0,0/0", &a, &x, &err), AT_ENOMEM);
    assert_true(at_alloc_injected());
    at_text t;
    at_text_init(&t);
    at_alloc_inject(1);
    at_input_print(&m, &(at_input){1, (const double[]){0, 1, 2, 0, 0, 0}}, &t);
    at_alloc_inject(0);
    assert_true(t.oom);
    at_text_release(&t);
    at_arena_release(&a);
    at_model_release(&m);
}

/* ---- words ------------------------------------------------------------------------------------------- */

/* A model of one token field whose three tokens are written a / and 7. */
static void with_words(at_model *m)
{
    at_err err = {0};
    assert_int_equal(sample_tiny(m, &err), AT_OK);
    m->fields[0].words = at_new(&m->arena, at_word, 3);
    strcpy(m->fields[0].words[0].s, "a");
    strcpy(m->fields[0].words[1].s, "/");
    strcpy(m->fields[0].words[2].s, "7");
    assert_int_equal(at_model_validate(m, &err), AT_OK);
}

static void words_read_and_written(void **state)
{
    (void)state;
    at_model m, again;
    at_arena a;
    at_err err = {0};
    at_input x;
    at_text t;
    char *bytes, hash[65], plain[65];
    size_t n;
    at_arena_init(&a);
    at_text_init(&t);
    with_words(&m);
    assert_int_equal(at_input_parse(&m, "7 / a", &a, &x, &err), AT_OK);
    assert_true(x.n == 3 && x.v[0] == 2 && x.v[1] == 1 && x.v[2] == 0);
    at_input_print(&m, &x, &t);
    assert_string_equal(t.s, "7 / a");
    assert_int_equal(at_input_parse(&m, "7 2", &a, &x, &err), AT_EINPUT); /* no numbers beside words */
    assert_string_equal(err.text, "position 2: \"2\" is not a word of field x: a / 7");
    /* The file keeps them, and a copy has its own. */
    err = (at_err){0};
    assert_int_equal(at_model_hash(&m, hash, &err), AT_OK);
    assert_int_equal(at_model_image(&m, &bytes, &n, &err), AT_OK);
    assert_int_equal(at_model_parse(&again, bytes, n, "file", &err), AT_OK);
    assert_string_equal(again.fields[0].words[1].s, "/");
    at_model_release(&again);
    assert_int_equal(at_model_copy(&m, &again, &err), AT_OK);
    strcpy(m.fields[0].words[1].s, "b");
    assert_string_equal(again.fields[0].words[1].s, "/");
    at_model_release(&again);
    m.fields[0].words = NULL; /* and a model without words is what it always was */
    assert_int_equal(at_model_hash(&m, plain, &err), AT_OK);
    assert_string_not_equal(hash, plain);
    at_free(bytes);
    at_text_release(&t);
    at_model_release(&m);
    at_arena_release(&a);
}

/* Decisions have words of their own: no and yes instead of 0 and 1. */
static void decisions_have_words(void **state)
{
    (void)state;
    at_model m, again;
    at_err err = {0};
    at_text t;
    char *bytes;
    size_t n;
    at_text_init(&t);
    assert_int_equal(sample_tiny(&m, &err), AT_OK);
    m.readout.kind = AT_READ_THRESHOLD;
    m.readout.threshold = 0.5;
    assert_null(at_decision_word(&m, 1));
    m.readout.words = at_new(&m.arena, at_word, 2);
    strcpy(m.readout.words[0].s, "no");
    strcpy(m.readout.words[1].s, "yes");
    assert_int_equal(at_model_validate(&m, &err), AT_OK);
    assert_string_equal(at_decision_word(&m, 0), "no");
    assert_null(at_decision_word(&m, 2));
    assert_null(at_decision_word(&m, 0.5));
    assert_int_equal(at_model_image(&m, &bytes, &n, &err), AT_OK);
    assert_int_equal(at_model_parse(&again, bytes, n, "file", &err), AT_OK);
    at_decision_print(&again, 1, &t);
    assert_string_equal(t.s, "yes");
    at_model_release(&again);
    assert_int_equal(at_model_copy(&m, &again, &err), AT_OK);
    strcpy(m.readout.words[1].s, "no");
    assert_string_equal(at_decision_word(&again, 1), "yes");
    at_model_release(&again);
    assert_int_equal(at_model_validate(&m, &err), AT_EDOMAIN);
    assert_string_equal(err.text, "readout: decisions 0 and 1 have the same word");
    strcpy(m.readout.words[1].s, "y,s");
    assert_int_equal(at_model_validate(&m, &err), AT_EDOMAIN);
    strcpy(m.readout.words[1].s, "yes");
    m.readout.kind = AT_READ_ROUND; /* any integer may come out */
    assert_int_equal(at_model_validate(&m, &err), AT_EREFUSED);
    at_free(bytes);
    at_text_release(&t);
    at_model_release(&m);
}

static void bad_words_refused(void **state)
{
    (void)state;
    static const struct {
        const char *word, *says;
    } rows[] = {
        {"a", "field 0: tokens 0 and 1 have the same word"},
        {"", "field 0: the word of token 1 must be UTF-8 of 1..31 bytes without blanks, control and "
             "invisible characters"},
        {"x y", "field 0: the word of token 1 must be UTF-8 of 1..31 bytes without blanks, control and "
                "invisible characters"},
        {"x\n", "field 0: the word of token 1 must be UTF-8 of 1..31 bytes without blanks, control and "
                "invisible characters"},
        {"\x1b[31m", "field 0: the word of token 1 must be UTF-8 of 1..31 bytes without blanks, control and "
                     "invisible characters"},
        {"x\x7f", "field 0: the word of token 1 must be UTF-8 of 1..31 bytes without blanks, control and "
                  "invisible characters"},
        {"\xc2\x9b", "field 0: the word of token 1 must be UTF-8 of 1..31 bytes without blanks, control and "
                     "invisible characters"},
        {"a\xe2\x80\xae"
         "b",
         "field 0: the word of token 1 must be UTF-8 of 1..31 bytes without blanks, control and invisible "
         "characters"},
        {"a\xd8\x9c", "field 0: the word of token 1 must be UTF-8 of 1..31 bytes without blanks, control and "
                      "invisible characters"},
        {"\xff", "field 0: the word of token 1 must be UTF-8 of 1..31 bytes without blanks, control and "
                 "invisible characters"},
    };
    at_model m;
    at_err err = {0};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        with_words(&m);
        strcpy(m.fields[0].words[1].s, rows[k].word);
        err = (at_err){0};
        assert_int_equal(at_model_validate(&m, &err), AT_EDOMAIN);
        assert_string_equal(err.text, rows[k].says);
        at_model_release(&m);
    }
    with_words(&m);
    memset(m.fields[0].words[1].s, 'x', sizeof m.fields[0].words[1].s); /* without an end */
    assert_int_equal(at_model_validate(&m, &err), AT_EDOMAIN);
    at_model_release(&m);
    /* With a second field '/' separates. */
    four_fields(&m);
    m.fields[0].words = at_new(&m.arena, at_word, 17);
    for (int k = 0; k < 17; k++)
        snprintf(m.fields[0].words[k].s, sizeof m.fields[0].words[k].s, "w%d", k);
    err = (at_err){0};
    assert_int_equal(at_model_validate(&m, &err), AT_OK);
    at_arena a;
    at_arena_init(&a);
    at_input x;
    assert_int_equal(at_input_parse(&m, "w16/1,2/0,0/0", &a, &x, &err), AT_OK);
    assert_true(x.v[0] == 16);
    at_arena_release(&a);
    strcpy(m.fields[0].words[1].s, "/");
    assert_int_equal(at_model_validate(&m, &err), AT_EDOMAIN);
    at_model_release(&m);
}

/* Files that lie about their words. */
static void lying_words_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } lies[] = {
        {"[\\\"a\\\",", "[\\\"7\\\","}, /* a word twice */
        {"[\\\"a\\\",", "[1234,"},      /* no string */
        {",\\\"/\\\"", "      "},       /* too few; the header keeps its length */
        {"[\\\"a\\\",", "[\\\" \\\","}, /* a blank */
    };
    at_model m, again;
    at_err err = {0};
    with_words(&m);
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        char *bytes;
        size_t n, at = 8;
        assert_int_equal(at_model_image(&m, &bytes, &n, &err), AT_OK);
        while (memcmp(bytes + at, lies[k].from, strlen(lies[k].from)) != 0)
            assert_true(++at < n);
        memset(bytes + at, ' ', strlen(lies[k].from));
        memcpy(bytes + at, lies[k].to, strlen(lies[k].to));
        at_err why = {0};
        assert_int_equal(at_exit_code(at_model_parse(&again, bytes, n, "file", &why)), 2);
        assert_non_null(strstr(why.text, "word"));
        at_free(bytes);
    }
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_and_written),
        cmocka_unit_test(bad_lines_refused),
        cmocka_unit_test(bad_rows_refused),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(line_bounds_memory),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(words_read_and_written),
        cmocka_unit_test(decisions_have_words),
        cmocka_unit_test(bad_words_refused),
        cmocka_unit_test(lying_words_refused),
        cmocka_unit_test(empty_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
