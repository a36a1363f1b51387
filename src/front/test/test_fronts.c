/* test_fronts.c: the table of front ends: what a word names, what is said of what was compiled, and by whom prompts are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <attest/front.h>

#define OK(x) assert_int_equal((x), AT_OK)

static at_err err;

static const at_fact *fact(const at_said *s, const char *name)
{
    for (int k = 0; k < s->n_facts; k++)
        if (!strcmp(s->facts[k].name, name))
            return &s->facts[k];
    fail_msg("no fact '%s'", name);
    return NULL;
}

/* Every row names its language once, and by a suffix or a problem of its own. */
static void test_rows(void **state)
{
    (void)state;
    for (int k = 0; k < at_n_fronts; k++) {
        const at_front *f = at_fronts[k];
        assert_true(f->lang && f->lang->id && f->lang->about);
        assert_int_equal(f->about != NULL, f->model || f->compile);
        assert_int_equal(f->speaks != NULL, f->prompt != NULL);
        assert_true(!f->exact || f->show);
        for (int i = 0; i < k; i++) {
            assert_string_not_equal(f->lang->id, at_fronts[i]->lang->id);
            if (f->lang->suffix && at_fronts[i]->lang->suffix)
                assert_string_not_equal(f->lang->suffix, at_fronts[i]->lang->suffix);
        }
        at_problem p = {0};
        if (!f->lang->suffix) {
            assert_true(at_problem_find(f->lang->id, &p));
            assert_ptr_equal(at_front_of(&p), f);
        }
    }
}

static void test_words(void **state)
{
    (void)state;
    at_reading r;
    static const char *const words[][2] = {
        {"lis", "dp"}, {"edit-distance", "dp"}, {"arithmetic", "arithmetic"}, {"examples/lis.dp", "dp"}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        OK(at_front_open(words[k][0], &r, &err));
        assert_string_equal(r.front->lang->id, words[k][1]);
        assert_non_null(r.problem);
        at_reading_release(&r);
    }
    OK(at_front_open("x.program", &r, &err)); /* read when it is compiled */
    assert_string_equal(r.front->lang->id, "program");
    assert_null(r.problem);
    assert_null(at_front_of_file(".dp")); /* a suffix alone is none */
    assert_null(at_front_of_file("x.safetensors"));
    assert_int_equal(at_front_open("match2", &r, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "match2 cannot be compiled"));
    assert_int_equal(at_front_open("nothing.dp", &r, &err), AT_EIO);
    assert_int_equal(at_front_open("nothing", &r, &err), AT_EIO); /* a file, then */
}

static void compiled(const char *word, const char *set, at_model *m, at_said *said)
{
    at_reading r;
    OK(at_front_open(word, &r, &err));
    at_said_init(said);
    if (at_front_compile(&r, set, &(at_front_options){0}, m, said, &err))
        fail_msg("%s: %s", word, err.text);
    assert_true(said->sized);
    at_reading_release(&r);
}

static void test_said(void **state)
{
    (void)state;
    at_model m;
    at_said said;
    compiled("lis", "n=3,top=4", &m, &said);
    assert_string_equal(said.facts[0].name, "problem");
    assert_int_equal((int)fact(&said, "states")->number, 9);
    assert_int_equal(fact(&said, "proved")->kind, AT_FACT_BOOL);
    assert_null(at_front_speaking(&m));
    at_model_release(&m);
    at_said_release(&said);

    compiled("arithmetic", "p=5,operators=2", &m, &said);
    assert_int_equal((int)fact(&said, "p")->number, 5);
    const at_front *f = at_front_speaking(&m);
    assert_non_null(f);
    at_arena a;
    at_arena_init(&a);
    at_input prompt, right;
    OK(f->prompt(&m, "2 * 3", &a, &prompt, &right, &err));
    assert_int_equal(prompt.n, 4); /* with = */
    assert_int_equal(right.n, 2);  /* 1 <eos> */
    assert_int_equal((int)right.v[0], AT_EXPR_NUMBER + 1);
    assert_int_not_equal(f->prompt(&m, "2 *", &a, &prompt, &right, &err), AT_OK);
    at_arena_release(&a);
    at_model_release(&m);
    at_said_release(&said);
}

/* A group of facts, a list among them, and where nothing is asked none. */
static void test_show(void **state)
{
    (void)state;
    at_reading r;
    at_said said;
    OK(at_front_open("lis", &r, &err));
    at_said_init(&said);
    OK(at_front_show(&r, "n=5,top=5", &(at_show_options){.budget = 2000}, &said, &err));
    assert_string_equal(fact(&said, "chains")->of, "analysis");
    assert_int_equal((int)fact(&said, "chains")->number, 120);
    assert_int_equal(fact(&said, "first")->n, 5);
    at_said_release(&said);
    at_said_init(&said);
    OK(at_front_show(&r, NULL, &(at_show_options){0}, &said, &err));
    assert_int_equal(said.n_facts, 2);
    at_said_release(&said);
    at_reading_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_said),
        cmocka_unit_test(test_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
