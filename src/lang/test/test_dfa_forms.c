/* test_dfa_forms.c: one automaton in four forms, lines, lists of images, JFLAP and Graphviz, is one language; what is refused, and
 * where. */
#include <attest/lang.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"

static at_status try(const char *text, at_dfa **d, int *longest)
{
    char *copy = at_arena_strdup(&arena, text);
    assert_non_null(copy);
    err = (at_err){0};
    return at_dfa_read(copy, "x", NULL, &arena, d, longest, &err);
}

static at_dfa *read_over(const char *text)
{
    at_dfa *d;
    int longest;
    if (try(text, &d, &longest))
        fail_msg("%s: %s", text, err.text);
    return d;
}

static void assert_same(const at_dfa *x, const at_dfa *y)
{
    int *word, n;
    assert_int_equal(x->sigma.n, y->sigma.n);
    for (int c = 0; c < x->sigma.n; c++)
        assert_string_equal(x->sigma.letter[c], y->sigma.letter[c]);
    assert_int_equal(at_dfa_differ(x, y, &arena, &word, &n, &err), AT_OK);
    assert_int_equal(n, -1);
}

#define JFF(inside)   "<structure><type>fa</type><automaton>" inside "</automaton></structure>"
#define STATES        "<state id=\"0\"><initial/></state><state id='1'><x>1</x><final/></state>"
#define EDGE(f, t, l) "<transition><from>" #f "</from><to>" #t "</to><read>" l "</read></transition>"

/* Words that end in a. */
static const char lines[] = "alphabet a b\nstart n\naccept y\nn a y; n b n; y a y; y b n\n";
static const char *const others[] = {
    "letter a: 2 2 ; letter b: 1 1 ; accept 2",
    "<?xml version=\"1.0\"?><!--Created with JFLAP 7.1.-->" JFF(STATES EDGE(0, 1, "a") EDGE(0, 0, "b")
                                                                    EDGE(1, 1, "a") EDGE(1, 0, " b ")) "\n",
    "<structure>&#13;<type>fa</type>" STATES "<!--a-->" EDGE(0, 1, "&#97;") EDGE(0, 0, "b") EDGE(1, 1, "a")
        EDGE(1, 0, "b") "<note><text>x</text></note></structure>",
    "digraph MONA_DFA {\n rankdir = LR; size = \"7.5,10.5\";\n node [shape = doublecircle]; 2;\n"
    " node [shape = circle]; 1\n init [shape = plaintext, label = \"\"];\n init -> 1;\n"
    " 1 -> 2 [label=\"a & ~b\"]; 1 -> 1 [label=\"b\"]; 2 -> 2 [label=\"a\"]; 2 -> 1 [label=\"~a\"];\n}\n",
    "// alphabet a b\n/* by hand */ strict digraph { i -> n; n -> n [label=\"!a\"]; n -> y -> y [label=a]\n"
    "y -> n [label=\"b\", color=red] y [shape=doublecircle] }",
    "// alphabet a b\n// sink implicit\ndigraph x { s -> n; node [shape=doublecircle] y; node "
    "[shape=circle]\n"
    "n -> n [label=\"b,false\"] n -> y [label=\"a|a\"] y -> y [label=\"(a)\"] y -> n [label=\"b&true\"] }",
};

static void test_forms(void **state)
{
    (void)state;
    at_dfa *d = read_over(lines);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_same(d, read_over(others[k]));
    /* the control: other languages differ */
    int *word, n;
    at_dfa *not = read_over("alphabet a b\nstart n\naccept n\nn a y; n b n; y a y; y b n\n");
    assert_int_equal(at_dfa_differ(d, not, &arena, &word, &n, &err), AT_OK);
    assert_int_equal(n, 0);
}

static void test_comments(void **state)
{
    (void)state;
    at_dfa *d;
    int longest;
    assert_int_equal(try("<structure><!-- length 0..7 --><!-- sink implicit --><type>fa</type>" STATES EDGE(
                             0, 1, "a") EDGE(1, 0, "b") "</structure>",
                         &d, &longest),
                     AT_OK);
    assert_int_equal(longest, 7);
    assert_int_equal(d->states, 3);
    assert_int_equal(
        try("//length 0..9\ndigraph{i->1;1->1[label=\"true\"];/* alphabet p q */}", &d, &longest), AT_OK);
    assert_int_equal(longest, 9);
    assert_int_equal(d->sigma.n, 2);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {JFF(STATES EDGE(0, 1, "a") EDGE(1, 0, "b")), "x:1:49: state '0' has no transition for 'b'; add it, "
                                                      "or the comment <!-- sink implicit -->"},
        {JFF("<state id=\"0\"><initial/></state>\n" EDGE(0, 0, "a") "\n" EDGE(0, 0, "a")),
         "x:3:1: state '0' has two transitions for 'a'"},
        {JFF("<state id=\"0\"><initial/></state>" EDGE(0, 1, "a")), "there is no state with the id 1"},
        {JFF("<state id=\"0\"><initial/></state>" EDGE(0, 0, "")), "reads nothing"},
        {JFF("<state id=\"0\"><initial/></state>" EDGE(0, 0, "ab")), "'ab' is several letters"},
        {JFF("<state id=\"0\"/><state id=\"0\"/>"), "a second state with the id 0"},
        {JFF("<state id=\"0\"><initial/></state><state id=\"1\"><initial/></state>"), "a second start"},
        {JFF("<state name=\"q\"/>"), "a state has an id"},
        {JFF("<state id=\"0\"/>" EDGE(0, 0, "a")), "no state is <initial/>"},
        {JFF("<transition><from>0</from></transition>"), "a transition has <from>, <to> and <read>"},
        {"<structure><type>turing</type></structure>", "<type>turing</type>: finite automata (fa) are read"},
        {"<structure><type>fa</typo></structure>", "</typo> closes nothing"},
        {"<structure><type>fa", "the end, and <type> is not closed"},
        {"<structure>\n<state id=0/></structure>", "x:2:10: an attribute is written name=\"value\""},
        {"<structure><!DOCTYPE x></structure>", "declarations and CDATA are not read"},
        {"<structure>&copy;</structure>", "an entity that is not known"},
        {"<structure>&#128;</structure>", "an entity that is not known"},
        {"<structure>&#0;</structure>", "an entity that is not known"},
        {"letter a 1", "a list of images is written letter a: 2 3 3"},
        {"letter a:b 1", "a list of images is written letter a: 2 3 3"},
        {"letter : 1", "a list of images is written letter a: 2 3 3"},
        {"letter a:", "a list of images is written letter a: 2 3 3"},
        {"<structure></structure><structure></structure>", "something behind </structure>"},
        {"<?xml version=\"1.0\"?><svg/>", "a file of JFLAP begins with <structure>"},
        {"<structure><!-- x </structure>", "a comment that is not closed"},
        {"<structure></structure>", "no transitions"},
        {"digraph { i -> 1; 1 -> 2 [label=\"a\"];\n2 -> 1 [label=\"b\"]; }",
         "state '1' has no transition for 'b'; add it, or the comment // sink implicit"},
        {"digraph { i -> 1;\n 1 -> 1 [label=\"a\"]; 1 -> 1 [label=\"true\"]; }",
         "x:2:22: state '1' has two transitions for 'a'"},
        {"digraph { 1 -> 1 [label=\"a\"]; }", "no state starts; add an edge without a label"},
        {"digraph { i -> 1; j -> 1; 1 -> 1 [label=\"a\"]; }", "a second start"},
        {"digraph { i -> 1; i -> 1 [label=\"a\"]; }", "it is no state, and one with a label"},
        {"digraph { i -> 1; 1 -> i [label=\"a\"]; }", "an edge to 'i'"},
        {"digraph { i -> 1; 1 -> 1 [label=\"(a\"]; }", "the label \"(a\": ( without )"},
        {"digraph { i -> 1; 1 -> 1 [label=\"a b\"]; }", "something behind its end"},
        {"digraph { i -> 1; 1 -> 1 [label=\"~\"]; }", "a letter, ~ or ( is wanted"},
        {"digraph { i -> 1; 1 -> 1 [label=\"0\\n1\"]; }", "a letter is a word of visible characters"},
        {"digraph { i -> ; }", "a node is wanted behind ->"},
        {"digraph { i -> 1", "the end, and { is not closed"},
        {"digraph { } }", "something behind }"},
        {"digraph { subgraph x { } }", "subgraphs are not read"},
        {"digraph { a [label=<b>] }", "texts of HTML are not read"},
        {"digraph { \"a }", "a quote that is not closed"},
        {"// alphabet a\ndigraph { i -> 1; 1 -> 1 [label=\"b\"]; }", "the letter 'b' is not in the alphabet"},
        {"digraph { }", "no transitions"},
    };
    at_dfa *d;
    int longest;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        if (try(bad[k].text, &d, &longest) != AT_EINPUT)
            fail_msg("accepted: %s", bad[k].text);
        if (!strstr(err.text, bad[k].says) || strchr(err.text, '\n'))
            fail_msg("%s: %s", bad[k].text, err.text);
    }
}

/* What `mona -gw` and `mona -w` print of: m2l-str; var2 A, B; all1 p: (p in A => ex1 q: q > p & q in B); */
#define MONA_HEAD                                                                                            \
    "digraph MONA_DFA {\n rankdir = LR;\n center = true;\n size = \"7.5,10.5\";\n edge [fontname = "         \
    "Courier];\n"                                                                                            \
    " node [height = .5, width = .5];\n"
#define MONA_DOT                                                                                             \
    MONA_HEAD " node [shape = doublecircle]; 2;\n node [shape = circle]; 3;\n node [shape = box]; 0; 1;\n"   \
              " init [shape = plaintext, label = \"\"];\n init -> 0;\n 0 -> 1 [label=\"X\\nX\"];\n"          \
              " 1 -> 2 [label=\"0\\nX\"];\n 1 -> 3 [label=\"1\\nX\"];\n 2 -> 2 [label=\"0\\nX\"];\n"         \
              " 2 -> 3 [label=\"1\\nX\"];\n 3 -> 2 [label=\"0\\n1\"];\n 3 -> 3 [label=\"0 1\\n0,X\"];\n}\n"
#define MONA_LINES                                                                                           \
    "DFA for formula with free variables: A B \nInitial state: 0\nAccepting states: 2 \nRejecting states: "  \
    "3 \n"                                                                                                   \
    "Don't-care states: 0 1 \n\nAutomaton has 4 states and 6 BDD-nodes\nTransitions:\nState 0: XX -> state " \
    "1\n"                                                                                                    \
    "State 1: 0X -> state 2\nState 1: 1X -> state 3\nState 2: 0X -> state 2\nState 2: 1X -> state 3\n"       \
    "State 3: 00 -> state 3\nState 3: 01 -> state 2\nState 3: 1X -> state 3\n"                               \
    "A counter-example of least length (1) is:\nA               X 1\nB               X X\n"

/* Words on which the automaton is not "every A is followed by a B": letter c has the tracks of[c], 2 for A and 1 for B. */
static int mona_wrong(const at_dfa *d, const int *of)
{
    int bad = 0;
    for (int n = 1; n <= 5; n++) {
        int all = 1;
        for (int i = 0; i < n; i++)
            all *= d->sigma.n;
        for (int k = 0; k < all; k++) {
            int q = d->start, open = 0;
            for (int i = 0, v = k; i < n; i++, v /= d->sigma.n) {
                int c = v % d->sigma.n;
                q = d->to[q * d->sigma.n + c];
                open = of[c] & 2 ? 1 : of[c] & 1 ? 0 : open;
            }
            bad += d->accept[q] != !open;
        }
    }
    return bad;
}

static void test_mona(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *letters; /* with blanks between them */
        int of[4];
    } rows[] = {
        {MONA_DOT, "00 01 10 11", {0, 1, 2, 3}},
        {MONA_LINES, "00 01 10 11", {0, 1, 2, 3}},
        {"// alphabet a b\n" MONA_DOT, "a b", {2, 1}},
        {"alphabet a b\nMONA v1.4-18 for WS1S/WS2S\n\n" MONA_LINES, "a b", {2, 1}},
        {"// alphabet p q r s\n// length 0..9\n" MONA_DOT, "p q r s", {0, 1, 2, 3}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_dfa *d = read_over(rows[k].text);
        at_text t;
        at_text_init(&t);
        for (int c = 0; c < d->sigma.n; c++)
            at_text_addf(&t, "%s%s", c ? " " : "", d->sigma.letter[c]);
        assert_string_equal(t.s, rows[k].letters);
        at_text_release(&t);
        assert_int_equal(mona_wrong(d, rows[k].of), 0);
        assert_false(d->accept[d->start]); /* MONA does not care */
        if (d->sigma.n == 4)               /* a control: the tracks the other way round */
            assert_true(mona_wrong(d, (const int[]){0, 2, 1, 3}) > 100);
    }
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"// alphabet a b c\n" MONA_DOT,
         "3 letters for 2 tracks: a letter a track is wanted, or one a column"},
        {MONA_HEAD "init -> 0; 0 -> 1 [label=\"0\\nX\"]; 0 -> 2 [label=\"1\\nX\"]; 1 -> 1 [label=\"X\\nX\"];"
                   "2 -> 2 [label=\"X\\nX\"]; }",
         "Boolean variables (var0)"},
        {MONA_HEAD "init -> 0; 0 -> 1 [label=\"X\\nX\\nX\\nX\\nX\\nX\\nX\"]; 1 -> 1 "
                   "[label=\"X\\nX\\nX\\nX\\nX\\nX\\nX\"]; }",
         "7 tracks have more than 64 columns"},
        {"DFA for formula with free variables: A\nInitial state: 0\nTransitions:\nState 0: XX state 1\n",
         "x:4:1: a transition of MONA is written State 0: 01X -> state 1"},
        {"DFA for formula with free variables: A\nInitial state: 0\nTransitions:\nState 0: X -> state 1\n"
         "State 1: 01 -> state 1\n",
         "x:5:10: 2 tracks, and 1 above"},
        {"DFA for formula with free variables: A\nInitial state: 0\n", "no transitions of MONA"},
        {"DFA for formula with free variables: A\nInitial state: 0\nTransitions:\nState 0: X -> state 1\n"
         "State 1: 0 -> state 1\n",
         "state '1' has no transition for '1'"},
    };
    at_dfa *d;
    int longest;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        if (try(bad[k].text, &d, &longest) != AT_EINPUT)
            fail_msg("accepted: %s", bad[k].text);
        if (!strstr(err.text, bad[k].says) || strchr(err.text, '\n'))
            fail_msg("%s: %s", bad[k].text, err.text);
    }
}

/* Half a megabyte of elements in elements, of brackets, of nothing. */
static void test_deep(void **state)
{
    (void)state;
    static const struct {
        const char *head, *again, *says;
    } rows[] = {
        {"<structure>", "<a>", "elements more than 32 deep"},
        {"digraph { i -> 1; 1 -> 1 [label=\"a", "(", "100,000 bytes"},
        {"digraph { i -> 1; 1 -> 1 [label=\"", "((((((((", "the end, and"},
        {"digraph { ", "a ", "the end, and { is not closed"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_text t;
        at_dfa *d;
        int longest;
        at_text_init(&t);
        at_text_add(&t, rows[k].head);
        for (int i = 0; i < (k == 2 ? 1000 : 120000); i++)
            at_text_add(&t, rows[k].again);
        at_text_add(&t, k == 1 || k == 2 ? "\"]" : "");
        assert_int_equal(try(t.s, &d, &longest), AT_EINPUT);
        if (!strstr(err.text, rows[k].says))
            fail_msg("%zu: %s", k, err.text);
        at_text_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_forms, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_comments, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_mona, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_deep, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
