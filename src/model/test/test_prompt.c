/* test_prompt.c: prompts of a decoder: what is one, how it is written, what a refusal says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "../model_internal.h"
#include "sample_model.h"

static void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

static at_stretch stretch(at_model *m, int least, int most, double lo, double hi)
{
    int width = at_model_row_width(m);
    at_stretch s = {least, most, width, at_new(&m->arena, double, width), at_new(&m->arena, double, width)};
    assert_true(s.lo && s.hi);
    s.lo[0] = lo;
    s.hi[0] = hi;
    return s;
}

/* Rows input/state/answer. Prompts, when they are said: two rows of 1..3, one or two rows of 0..9, a bar. */
static void rows_decoder(at_model *m, bool said)
{
    at_err err = {0};
    must(sample_tiny(m, &err), &err);
    m->n_max = 8;
    m->n_fields = 3;
    m->fields = at_new(&m->arena, at_field, 3);
    assert_non_null(m->fields);
    static const char *const names[] = {"input", "state", "answer"};
    for (int k = 0; k < 3; k++) {
        m->fields[k] = (at_field){.kind = AT_FIELD_INT, .size = 1, .lo = -1, .hi = 9, .embed = {0, 2, 0}};
        strcpy(m->fields[k].name, names[k]);
    }
    m->readout.kind = AT_READ_ROUND;
    m->readout.rows = 3;
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_EQUALS,
                            .coordinate = 1,
                            .max_steps = 3,
                            .prompt_min = 4,
                            .prompt_max = 5};
    if (said) {
        m->decode.prompt = at_new(&m->arena, at_stretch, 3);
        assert_non_null(m->decode.prompt);
        m->decode.prompt[0] = stretch(m, 2, 2, 1, 3);
        m->decode.prompt[1] = stretch(m, 1, 2, 0, 9);
        m->decode.prompt[2] = stretch(m, 1, 1, 0, 0);
        m->decode.n_prompt = 3;
    }
    must(at_model_layout(m, &err), &err);
}

static const struct {
    const char *text;
    double row[3];
} words[] = {{"|", {0, 0, 0}},   {"0", {0, 0, 0}},     {"1", {1, 0, 0}},     {"9", {9, 0, 0}},
             {"-1", {-1, 0, 0}}, {"2/0/0", {2, 0, 0}}, {"1/1/0", {1, 1, 0}}, {"0/0/1", {0, 0, 1}}};
#define WORDS (sizeof words / sizeof *words)

/* The definition above, said again. */
static bool is_prompt(const size_t *w, int n)
{
    if (n < 4 || n > 5)
        return false;
    for (int t = 0; t < n; t++) {
        const double *r = words[w[t]].row;
        bool bar = t == n - 1;
        if (r[1] != 0 || r[2] != 0 || (w[t] == 0 && !bar))
            return false;
        if (t < 2 ? r[0] < 1 || r[0] > 3 : bar ? r[0] != 0 : r[0] < 0)
            return false;
    }
    return true;
}

/* Every line of up to five of these words: a prompt exactly when it is one. What is printed reads back as the same
 * rows, and only the bar is printed as one. */
static void every_line(void **state)
{
    (void)state;
    at_model m;
    at_arena a;
    rows_decoder(&m, true);
    at_arena_init(&a);
    int taken = 0;
    for (int n = 0; n <= 6; n++) {
        size_t count = 1;
        for (int t = 0; t < n; t++)
            count *= n > 5 && t > 1 ? 1 : WORDS;
        for (size_t i = 0; i < count; i++) {
            size_t w[6] = {0}, rest = i;
            char line[64] = "";
            for (int t = 0; t < n; t++, rest /= WORDS) {
                w[t] = rest % WORDS;
                strcat(strcat(line, " "), words[w[t]].text);
            }
            at_input x, back;
            at_err err = {0}, again = {0};
            at_status st = at_prompt_parse(&m, line, &a, &x, &err);
            if ((st == AT_OK) != is_prompt(w, n))
                fail_msg("\"%s\": %d %s", line, (int)st, err.text);
            if (st) {
                if (!strstr(err.text, "a prompt is: 2 rows of 1..3, 1..2 rows of 0..9, |"))
                    fail_msg("\"%s\": %s", line, err.text);
                continue;
            }
            taken++;
            assert_int_equal(x.n, n);
            for (int t = 0; t < n; t++)
                assert_memory_equal(x.v + 3 * t, words[w[t]].row, sizeof words[0].row);
            must(at_prompt_check(&m, &x, &again), &again);
            at_text text;
            at_text_init(&text);
            at_input_print(&m, &x, &text);
            assert_ptr_equal(strchr(text.s, '|'), text.s + text.n - 1);
            must(at_prompt_parse(&m, text.s, &a, &back, &again), &again);
            assert_memory_equal(back.v, x.v, (size_t)n * 3 * sizeof *x.v);
            at_text_release(&text);
        }
    }
    assert_int_equal(taken, 2 * 2 * (4 + 4 * 4) * 2); /* 1 2/0/0; 0 1 9 2/0/0; the bar: | 0 */
    at_arena_release(&a);
    at_model_release(&m);
}

/* Where prompts have one length, the bar at their end need not be typed; a prompt that lacks another row is none. */
static void bar_left_out(void **state)
{
    (void)state;
    at_model m;
    at_arena a;
    at_input x;
    rows_decoder(&m, true);
    m.decode.prompt_max = 4;
    m.decode.prompt[1].rows_max = 1;
    at_arena_init(&a);
    static const struct {
        const char *line;
        bool taken;
    } cases[] = {{"1 2 0", true}, {"1 2 0 |", true}, {"1 2 |", false}, {"1 2", false}, {"1 2 0 0 0", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static const double want[12] = {1, 0, 0, 2};
        at_err err = {0};
        size_t place;
        assert_int_equal(!at_prompt_parse(&m, cases[k].line, &a, &x, &err), cases[k].taken);
        if (cases[k].taken) {
            assert_int_equal(x.n, 4);
            assert_memory_equal(x.v, want, sizeof want);
        } else {
            assert_non_null(strstr(err.text, "prompt of length"));
            assert_int_equal(at_line_parse(&m, true, cases[k].line, &a, &x, &place, &err), AT_EDOMAIN);
            assert_int_equal(place, 0); /* the line as a whole */
        }
    }
    at_err err = {0};
    size_t place;
    assert_int_equal(at_line_parse(&m, true, "1  7 0", &a, &x, &place, &err), AT_EDOMAIN);
    assert_int_equal(place, 3);
    at_arena_release(&a);
    at_model_release(&m);
}

/* Rows that did not come from a line are judged alike. */
static void rows_alike(void **state)
{
    (void)state;
    at_model m;
    rows_decoder(&m, true);
    static const struct {
        int row, number;
        double v;
        const char *says;
    } cases[] = {
        {0, 0, 0, "position 1: 0 where a prompt has 1..3; a prompt is: 2 rows of 1..3"},
        {1, 0, 4, "position 2: 4 where a prompt has 1..3;"},
        {2, 1, 1, "position 3: 5/1/0 where a prompt has 0..9;"},
        {3, 0, 2, "position 4: 2 where a prompt has |;"},
        {3, 2, 1, "position 4: 0/0/1 where a prompt has |;"},
        {0, 0, 10, "position 1: integer 10 out of range -1..9 (field input)"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double v[12] = {1, 0, 0, 3, 0, 0, 5, 0, 0, 0, 0, 0};
        at_err err = {0};
        must(at_prompt_check(&m, &(at_input){4, v}, &err), &err);
        v[3 * cases[k].row + cases[k].number] = cases[k].v;
        assert_int_equal(at_prompt_check(&m, &(at_input){4, v}, &err), AT_EDOMAIN);
        if (!strstr(err.text, cases[k].says))
            fail_msg("%s", err.text);
    }
    at_model_release(&m);
}

/* A file that does not say it is read as before: any rows, and a bar is any row of zeros. */
static void unsaid(void **state)
{
    (void)state;
    at_model m;
    at_arena a;
    at_input x;
    at_err err = {0};
    at_text t;
    rows_decoder(&m, false);
    at_arena_init(&a);
    at_text_init(&t);
    must(at_prompt_parse(&m, "1 | 9 0/1/0", &a, &x, &err), &err);
    at_input_print(&m, &x, &t);
    assert_string_equal(t.s, "1 0 9 0/1/0");
    at_text_release(&t);
    assert_int_equal(at_prompt_parse(&m, "1 2 3", &a, &x, &err), AT_EDOMAIN);
    assert_string_equal(err.text, "prompt of length 3 out of range 4..5");
    m.decode.prompt_max = 4; /* one length: its last row is the bar */
    must(at_prompt_parse(&m, "1 0 9 |", &a, &x, &err), &err);
    at_input_print(&m, &x, &t);
    assert_string_equal(t.s, "1 0 9 |");
    at_text_release(&t);
    err = (at_err){0};
    assert_int_equal(at_prompt_parse(&m, "1 2 3", &a, &x, &err), AT_EDOMAIN);
    assert_string_equal(err.text, "prompt of length 3, must be 4");
    at_arena_release(&a);
    at_model_release(&m);
}

/* What the model writes is printed in full: an answer of 0 is not a bar. */
static void written(void **state)
{
    (void)state;
    at_model m;
    at_text t;
    at_text_init(&t);
    for (int said = 0; said < 2; said++) {
        rows_decoder(&m, said);
        static const double rows[6] = {0, 2, 0, 0, 0, 0};
        at_written_print(&m, &(at_input){2, rows}, &t);
        assert_string_equal(t.s, "0/2/0 0/0/0");
        at_text_release(&t);
        at_input_print_row(&m, rows + 3, -1, &t);
        assert_string_equal(t.s, "0/0/0");
        at_text_release(&t);
        at_model_release(&m);
    }
}

/* Tokens with words: prompts and decisions are said in them. */
static void tokens(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    at_arena a;
    at_input x;
    at_text t;
    must(sample_tiny(&m, &err), &err);
    int V = m.fields[0].size;
    m.fields[0].words = at_new(&m.arena, at_word, V);
    assert_non_null(m.fields[0].words);
    for (int k = 0; k < V; k++)
        snprintf(m.fields[0].words[k].s, sizeof m.fields[0].words[k].s, "w%d", k);
    at_text_init(&t);
    at_decision_print(&m, 1, &t); /* no decoder: what is read is not a token of the input */
    assert_string_equal(t.s, "1");
    at_text_release(&t);
    assert_null(at_decision_word(&m, 1));
    m.readout.kind = AT_READ_ARGMAX;
    m.readout.rows = V;
    m.decode = (at_decode){.enabled = true,
                           .stop = AT_STOP_EQUALS,
                           .value = 1,
                           .max_steps = 2,
                           .prompt_min = 1,
                           .prompt_max = 2};
    m.decode.prompt = at_new(&m.arena, at_stretch, 2);
    assert_non_null(m.decode.prompt);
    m.decode.prompt[0] = stretch(&m, 0, 1, 1, V - 1);
    m.decode.prompt[1] = stretch(&m, 1, 1, 0, 0);
    m.decode.n_prompt = 2;
    must(at_model_layout(&m, &err), &err);
    at_arena_init(&a);
    must(at_prompt_parse(&m, "w1 w0", &a, &x, &err), &err);
    must(at_prompt_parse(&m, "w0", &a, &x, &err), &err);
    must(at_prompt_parse(&m, "w1", &a, &x, &err),
         &err); /* the last row has no choice: it need not be typed */
    assert_true(x.n == 2 && x.v[0] == 1 && x.v[1] == 0);
    must(at_prompt_parse(&m, " ", &a, &x, &err), &err);
    assert_true(x.n == 1 && x.v[0] == 0);
    assert_int_equal(at_prompt_parse(&m, "w1w2", &a, &x, &err),
                     AT_EINPUT); /* words of two characters need blanks */
    err = (at_err){0};
    assert_int_equal(at_input_parse(&m, "", &a, &x, &err), AT_EDOMAIN); /* an input is what it says */
    err = (at_err){0};
    for (int k = 1; k < V; k++)
        snprintf(m.fields[0].words[k].s, sizeof m.fields[0].words[k].s, "%c", 'a' + k);
    strcpy(m.fields[0].words[0].s, "<go>"); /* is no letter, and the letters need none */
    m.decode.prompt[0].rows_max = m.decode.prompt_max - 1;
    must(at_prompt_parse(&m, "b", &a, &x, &err), &err);
    assert_true(x.n == 2 && x.v[0] == 1 && x.v[1] == 0);
    must(at_prompt_parse(&m, "b<go>", &a, &x, &err), &err);
    assert_true(x.n == 2 && x.v[0] == 1 && x.v[1] == 0);
    must(at_prompt_parse(&m, "<go>", &a, &x, &err), &err);
    assert_int_equal(x.n, 1);
    assert_int_equal(at_prompt_parse(&m, "<", &a, &x, &err), AT_EINPUT);
    err = (at_err){0};
    for (int k = 0; k < V; k++)
        snprintf(m.fields[0].words[k].s, sizeof m.fields[0].words[k].s, "w%d", k);
    assert_int_equal(at_prompt_parse(&m, "w0 w0", &a, &x, &err), AT_EDOMAIN);
    char want[160];
    snprintf(want, sizeof want,
             "position 1: w0 where a prompt has w1..w%d; a prompt is: at most 1 row of w1..w%d, w0", V - 1,
             V - 1);
    assert_string_equal(err.text, want);
    at_decision_print(&m, 1, &t);
    assert_string_equal(t.s, "w1");
    at_text_release(&t);
    at_decision_print(&m, V, &t); /* nothing that could be read */
    assert_null(strchr(t.s, 'w'));
    at_text_release(&t);
    at_arena_release(&a);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line), cmocka_unit_test(bar_left_out), cmocka_unit_test(rows_alike),
        cmocka_unit_test(unsaid),     cmocka_unit_test(written),      cmocka_unit_test(tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
