/* test_math.c: formulas in sentences become MathML, and everything else stays what it was. */
#include "../../picture/test/picture_test.h"
#include "../report_internal.h"

#include <ctype.h>

static char *math_of(const char *s, at_text *t)
{
    at_text_init(t);
    at_report_math(t, s);
    const char *fault = markup_fault(t->s);
    if (fault)
        fail_msg("%s: not well formed at %s", s, fault);
    assert_true(text_clean(t->s));
    return t->s;
}

static void formulas(void **state)
{
    (void)state;
    static const struct {
        const char *text, *math;
    } cases[] = {
        {"width x_i here", "width <math><msub><mi>x</mi><mi>i</mi></msub></math> here"},
        {"2^p", "<math><msup><mn>2</mn><mi>p</mi></msup></math>"},
        {"sqrt L.", "<math><msqrt><mi>L</mi></msqrt></math>."},
        {"k <= n", "<math><mi>k</mi><mo rspace=\"0\">\xE2\x89\xA4</mo></math> <math><mi>n</mi></math>"},
        {"n_{L-1}",
         "<math><msub><mi>n</mi><mrow><mi>L</mi><mo>\xE2\x88\x92</mo><mn>1</mn></mrow></msub></math>"},
        {"ceil(i/n)", "<math><mrow><mo>\xE2\x8C\x88</mo><mi>i</mi><mo>/</mo><mi>n</mi><mo>\xE2\x8C\x89</mo>"
                      "</mrow></math>"},
        {"(x^2)", "<math><mrow><mo stretchy=\"false\">(</mo><msup><mi>x</mi><mn>2</mn></msup><mo "
                  "stretchy=\"false\">)</mo></mrow></math>"},
        {"log2 n", "<math><msub><mi>log</mi><mn>2</mn></msub><mspace width=\"0.17em\"/><mi>n</mi></math>"},
        {"e^-mu", "<math><msup><mi>e</mi><mrow><mo>\xE2\x88\x92</mo><mi>\xCE\xBC</mi></mrow></msup></math>"},
        {"for all N, M and K",
         "for all <math><mi>N</mi></math>, <math><mi>M</mi></math> and <math><mi>K</mi></math>"},
        {"a q-subset", "a <math><mi>q</mi></math>-subset"},
        {"programs of C-RASP", "programs of C-RASP"},
        {"sum_i x_i", "<math><msub><mo>\xE2\x88\x91</mo><mi>i</mi></msub><mspace "
                      "width=\"0.17em\"/><msub><mi>x</mi><mi>i</mi></msub></math>"},
        {"log_b n", "<math><msub><mi>log</mi><mi>b</mi></msub><mspace width=\"0.17em\"/><mi>n</mi></math>"},
        {"x_1...x_n", "<math><msub><mi>x</mi><mn>1</mn></msub><mo>\xE2\x80\xA6</mo><msub><mi>x</mi><mi>n</mi>"
                      "</msub></math>"},
        {"2n(m+1)",
         "<math><mn>2</mn><mi>n</mi><mrow><mo>(</mo><mi>m</mi><mo>+</mo><mn>1</mn><mo>)</mo></mrow>"
         "</math>"},
        {"q_i.k_j",
         "<math><msub><mi>q</mi><mi>i</mi></msub><mo>\xC2\xB7</mo><msub><mi>k</mi><mi>j</mi></msub>"
         "</math>"},
        {"x_{kl}.y", "<math><msub><mi>x</mi><mrow><mi>k</mi><mi>l</mi></mrow></msub><mo>\xC2\xB7</mo>"
                     "<mi>y</mi></math>"},
        {"x_i y", "<math><msub><mi>x</mi><mi>i</mi></msub><mspace width=\"0.17em\"/><mi>y</mi></math>"},
        {"x.y", "x.y"},
        {"x_j1", "<math><msub><mi>x</mi><msub><mi>j</mi><mn>1</mn></msub></msub></math>"},
        {"b_jl", "<math><msub><mi>b</mi><mrow><mi>j</mi><mi>l</mi></mrow></msub></math>"},
        {"k_max", "<math><msub><mi>k</mi><mi>max</mi></msub></math>"},
        {"m' here", "<math><msup><mi>m</mi><mo>\xE2\x80\xB2</mo></msup></math> here"},
        {"N's own", "N&#39;s own"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_text t;
        assert_string_equal(math_of(cases[i].text, &t), cases[i].math);
        at_text_release(&t);
    }
}

/* A sentence may begin with a formula, and nothing before it is read: the text is a block of its own. */
static void nothing_is_read_before_the_text(void **state)
{
    (void)state;
    static const char *const first[] = {"x.y", "2.x", "i.e. x", "_.x", ").x", "x"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        for (int under = 0; under < 2; under++) {
            char *s = at_malloc(strlen(first[i]) + 2);
            s[0] = under ? '_' : ' ';
            strcpy(s + 1, first[i]);
            at_text t, alone;
            char *own = at_malloc(strlen(first[i]) + 1);
            strcpy(own, first[i]);
            assert_string_equal(math_of(s + 1, &t), math_of(own, &alone));
            at_text_release(&t);
            at_text_release(&alone);
            at_free(s);
            at_free(own);
        }
}

static void words_stay_words(void **state)
{
    (void)state;
    static const char *const plain[] = {
        "one softmax head of width 3",
        "A decoder that is a model",
        "two-layer MLPs, 12 of them",
        "the sum over keys",
        "in 2023",
        "I am, e.g., here",
        "see page 4 (and 5); 1.5 more",
        "f32 and p12e8",
        "x_",
        "^",
        "x^",
        "(",
        "((((((((((((((((((((((((",
        "{",
        "|",
        "\xE2\x88\x9A"
        "2",
        "",
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        at_text t, html;
        at_text_init(&html);
        at_text_add_html(&html, plain[i]);
        char *s = math_of(plain[i], &t);
        if (strstr(s, "<math>") && !strstr(plain[i], "x"))
            fail_msg("%s: %s", plain[i], s);
        if (!strstr(s, "<math>"))
            assert_string_equal(s, html.s);
        at_text_release(&t);
        at_text_release(&html);
    }
}

/* Letters and digits are never lost: without markup and signs the text is that of before. */
static void nothing_is_lost(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_catalogue; i++)
        for (int k = 0; k < 2; k++) {
            const char *from = k ? at_catalogue[i]->proof : at_catalogue[i]->statement;
            at_text t;
            char *s = math_of(from, &t), digits[2][4096];
            size_t n[2] = {0};
            for (const char *p = from; *p && n[0] < 4000; p++)
                if (isdigit((unsigned char)*p))
                    digits[0][n[0]++] = *p;
            bool tag = false;
            for (const char *p = s; *p && n[1] < 4000; p++) {
                tag = *p == '<' || (tag && *p != '>');
                if (!strncmp(p, "&#39;", 5))
                    p += 4;
                else if (!tag && isdigit((unsigned char)*p))
                    digits[1][n[1]++] = *p;
            }
            digits[0][n[0]] = digits[1][n[1]] = '\0';
            assert_string_equal(digits[0], digits[1]);
            at_text_release(&t);
        }
}

static void hostile_text_is_harmless(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOSTILE; i++) {
        at_text t;
        char *s = math_of(hostile[i], &t);
        assert_null(strstr(s, "<script"));
        assert_null(strstr(s, "<img"));
        at_text_release(&t);
    }
    char deep[4000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    at_text t;
    math_of(deep, &t);
    at_text_release(&t);
    for (size_t k = 0; k + 2 < sizeof deep; k += 2)
        memcpy(deep + k, "x^", 2);
    math_of(deep, &t);
    at_text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas),
        cmocka_unit_test(nothing_is_read_before_the_text),
        cmocka_unit_test(words_stay_words),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(hostile_text_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
