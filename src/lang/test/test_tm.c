/* test_tm.c: Turing machines as text: the three forms, printed and read again, runs whose ends are known, random machines, and what
 * is refused, with its place. */
#include <attest/lang.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"

static at_tm *machine(const char *text)
{
    at_tm *t;
    err = (at_err){0};
    if (at_tm_read(text, "m.tm", &arena, &t, &err))
        fail_msg("%s\n%s", err.text, text);
    return t;
}

/* What stands on the tape in the end, in symbols; v: the verdict that it must be. */
static const char *run(const at_tm *t, const char *input, at_tm_verdict v, int steps)
{
    at_alphabet letters = {t->letters, t->symbol + 1};
    int *word, n, *chain = at_new(&arena, int, 1000002), n_chain;
    at_tm_end end;
    assert_int_equal(at_alphabet_word(&letters, input, &arena, &word, &n, &err), AT_OK);
    for (int k = 0; k < n; k++)
        word[k]++;
    assert_int_equal(at_tm_run(t, word, n, 1000000, &arena, chain, &n_chain, &end, &err), AT_OK);
    assert_int_equal(end.verdict, v);
    assert_int_equal(n_chain, end.steps + 2);
    assert_int_equal(chain[n_chain - 2], at_tm_token(t, v));
    assert_int_equal(chain[n_chain - 1], t->tokens - 1);
    if (steps >= 0)
        assert_int_equal(end.steps, steps);
    at_text out;
    at_text_init(&out);
    at_text_add(&out, "");
    for (int k = 0; k < end.n; k++)
        at_text_add(&out, t->symbol[end.tape[k]]);
    const char *kept = at_arena_strdup(&arena, out.s);
    at_text_release(&out);
    return kept;
}

static const char *printed(const at_tm *t)
{
    at_text out;
    at_text_init(&out);
    at_tm_print(t, &out);
    const char *kept = at_arena_strdup(&arena, out.s);
    at_text_release(&out);
    return kept;
}

static int ones(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += *s == '1';
    return n;
}

/* ---- the forms ------------------------------------------------------------------------------------------------------------ */

static void test_beavers(void **state)
{
    (void)state;
    assert_int_equal(ones(run(machine("1RB1LB_1LA1RZ"), "", AT_TM_HALT, 6)), 4);
    assert_int_equal(ones(run(machine("1RB1RZ_0RC1RB_1LC1LA"), "", AT_TM_HALT, 14)), 6);
    assert_int_equal(ones(run(machine("1RB1RZ_1LB0RC_1LC1LA"), "", AT_TM_HALT, 21)), 5);
    assert_int_equal(
        ones(run(machine("# four\nsteps 107\n1RB1LB_1LA0LC_1RZ1LD_1RD0RA"), "", AT_TM_HALT, 107)), 13);
    const at_tm *t = machine("1RB---_0LA1RB");
    assert_int_equal(t->states, 2);
    assert_int_equal(t->letters, 0);
    assert_int_equal(t->stuck, AT_TM_HALT);
    run(t, "", AT_TM_HALT, 2); /* stuck in A, on a 1 */
}

/* A state without a transition ends a run where it is entered. */
static void test_dead_ends(void **state)
{
    (void)state;
    const at_tm *t = machine("1RB1RB_------");
    assert_int_equal(t->verdict[t->rule[0].next], AT_TM_HALT);
    assert_string_equal(run(t, "", AT_TM_HALT, 1), "1");
}

static const char increment[] = "start right ; blank _ ; halt done   # a header\n"
                                "alphabet 0 1\n"
                                "; a comment, as simulators have them; with anything\n"
                                "right _ _ l carry      ; behind a transition too\n"
                                "right * * r right ; carry 1 0 l carry\n"
                                "carry 0 1 l done\n"
                                "carry _ 1 l done !\n";

static const char increment_yaml[] =
    "# a comment\ninput: '1011'\nblank: ' '\nstart state: right\ntable:\n"
    "  right:\n    [1,0]: R\n    ' '  : {L: carry}\n"
    "  carry:   # then the 1\n    1      : {write: 0, L}\n\n    [0,' ']: {write: 1, L: done}\n"
    "  done:\n";

static void test_lines_and_yaml(void **state)
{
    (void)state;
    const at_tm *t[] = {
        machine(increment), machine(increment_yaml),
        machine(
            "start state: right\nblank: _\ntable: {right: {[1,0]: R, _: {L: carry}},\n carry: {1: {write: 0, "
            "L}, [0, _]: {write: 1, L: done}}, done: {}}\n")};
    for (size_t k = 0; k < 3; k++) {
        assert_string_equal(run(t[k], "1011", AT_TM_HALT, -1), "1100");
        assert_string_equal(run(t[k], "111", AT_TM_HALT, -1), "1000");
        assert_string_equal(run(t[k], "", AT_TM_HALT, 2), "1");
        assert_string_equal(t[k]->symbol[0], "_");
        assert_int_equal(t[k]->letters, 2);
    }
    /* a simulator's file: starts in 0, the blank is _, states named halt stop */
    const at_tm *parity = machine("0 1 1 r 1\n1 1 1 r 0\n0 _ _ * halt-accept\n1 _ _ * halt-reject\n");
    assert_int_equal(parity->verdict[parity->rule[0].next], AT_TM_YES);
    run(parity, "11", AT_TM_YES, 3);
    run(parity, "1", AT_TM_NO, 2);
}

/* Of several transitions the one that names more counts, of those that name one the state's. */
static void test_any(void **state)
{
    (void)state;
    const at_tm *t = machine("start q\nalphabet a b\nhalt z\n* * * l z\n* b a r q\nq a b r q\n");
    assert_string_equal(run(t, "ab", AT_TM_HALT, 3), "ba");
    t = machine("start q\nalphabet a b\nhalt z\n* b a r q\nq * * l z\nq a b r q\n");
    assert_string_equal(run(t, "ab", AT_TM_HALT, 2), "bb");
}

/* ---- printed, and read again ------------------------------------------------------------------------------------------------ */

static const char *random_text(at_rng *r)
{
    static const char *const names[] = {"_", "0", "1", "#", "\"", "/", "ab", "\\", "ε"};
    at_text t;
    at_text_init(&t);
    int states = 1 + (int)at_rng_below(r, 5), symbols = 2 + (int)at_rng_below(r, 8);
    if (symbols > 9)
        symbols = 9;
    at_text_addf(&t, "start q%d\nblank _\n", (int)at_rng_below(r, (uint64_t)states));
    if (at_rng_below(r, 2))
        at_text_addf(&t, "alphabet%s\n", at_rng_below(r, 2) ? " 0 1" : "");
    for (int q = 0; q < states; q++)
        for (int a = 0; a < symbols; a++)
            if (a == 0 || at_rng_below(r, 4)) {
                uint64_t to = at_rng_below(r, (uint64_t)states + 3);
                at_text_addf(&t, "q%d %s %s %c ", q, names[a], names[at_rng_below(r, (uint64_t)symbols)],
                             "lLrR*S"[at_rng_below(r, 6)]);
                if (to < (uint64_t)states)
                    at_text_addf(&t, "q%d\n", (int)to);
                else
                    at_text_add(&t, to == (uint64_t)states       ? "halt\n"
                                    : to == (uint64_t)states + 1 ? "halt-accept\n"
                                                                 : "reject\n");
            }
    const char *kept = at_arena_strdup(&arena, t.s);
    at_text_release(&t);
    return kept;
}

static void test_printed(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 2000; k++) {
        at_mark mark = at_arena_mark(&arena);
        at_rng r = at_rng_at(12, k);
        const at_tm *t = machine(random_text(&r));
        const char *text = printed(t);
        const at_tm *again = machine(text);
        if (!at_tm_equal(t, again))
            fail_msg("printed and read, another machine:\n%s", text);
        assert_string_equal(printed(again), text);
        char w[AT_WORD_MAX + 1], x[AT_WORD_MAX + 1];
        for (int i = 0; i < t->tokens; i++)
            for (int j = 0; j < i; j++) {
                at_tm_word(t, i, w);
                at_tm_word(t, j, x);
                if (!strcmp(w, x))
                    fail_msg("two tokens are %s:\n%s", w, text);
            }
        at_arena_reset(&arena, mark);
    }
    const at_tm *yaml = machine(increment_yaml), *again = machine(printed(yaml));
    assert_true(at_tm_equal(yaml, again));
    /* the symbol # beside a state that is named like a line */
    const at_tm *sign = machine("start start\nalphabet \\# a\nstart \\# \\# r start\nstart a \\# l halt\n");
    assert_true(at_tm_equal(sign, machine(printed(sign))));
    assert_true(at_tm_equal(machine("start q\nalphabet \\# a\nq \\# a r q\nq a \\# l halt\n"),
                            machine("start q\nalphabet \\# a\nq # a r q\nq a # l halt # turns back\n")));
}

/* ---- the reference --------------------------------------------------------------------------------------------------------- */

static void test_budget(void **state)
{
    (void)state;
    const at_tm *t = machine(
        "start a\nalphabet 1\na 1 1 r a\na _ 1 l b\nb 1 1 l b\nb _ 1 r a\n"); /* sweeps, and never stops */
    int chain[402], n;
    at_tm_end end;
    for (int budget = 1; budget <= 400; budget++) {
        assert_int_equal(at_tm_run(t, (int[]){1, 1}, 2, budget, &arena, chain, &n, &end, &err), AT_OK);
        assert_int_equal(end.verdict, AT_TM_RUNS);
        assert_int_equal(end.steps, budget);
        assert_int_equal(n, budget);
        for (int k = 0; k < end.n; k++) /* what was done so far stands */
            assert_int_equal(end.tape[k], 1);
    }
    assert_true(end.n > 20 && end.first < -10);
    /* a machine that stops in its last step has an answer */
    const at_tm *two = machine("1RB1LB_1LA1RZ");
    assert_int_equal(at_tm_run(two, NULL, 0, 6, &arena, chain, &n, &end, &err), AT_OK);
    assert_int_equal(end.verdict, AT_TM_HALT);
    assert_int_equal(at_tm_run(two, NULL, 0, 5, &arena, chain, &n, &end, &err), AT_OK);
    assert_int_equal(end.verdict, AT_TM_RUNS);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text, *says;
} faults[] = {
    {"", "m.tm: no transitions"},
    {"# nothing\n; nothing\n", "m.tm: no transitions"},
    {"---", "m.tm: no transitions"},
    {"q a b r q\n", "m.tm: no state starts; add a line as in start q"},
    {"start cary\ncarry a b r carry\n", "m.tm:1:7: the state 'cary' has no transitions, and no line accept, "
                                        "reject or halt names it; did you mean 'carry'?"},
    {"start q\nq a b r q\nq a a l q\n",
     "m.tm:3:1: state 'q' has two transitions for 'a'; the other one is in line 2"},
    {"start q\nq * b r q\nq * a l q\n",
     "m.tm:3:1: state 'q' has two transitions for '_'; the other one is in line 2"},
    {"start q\nq a b x q\n", "m.tm:2:7: 'x' is no move; moves are l, r and * (none), or L, R, S"},
    {"start q\nq a b r\n", "m.tm:2:1: 4 words; a transition is written state read write move next"},
    {"strat q\nq a b r q\n", "did you mean 'start'?"},
    {"start q\nstart q\nq a b r q\n", "m.tm:2:1: a second start"},
    {"start q p\nq a b r q\n", "m.tm:1:1: it is written start q0, with one state"},
    {"start q\nq a b r carry\ncary a a l q\n", "m.tm:2:9: the state 'carry' has no transitions, and no line "
                                               "accept, reject or halt names it; did you mean 'cary'?"},
    {"start q\naccept yess\nq a b r yes\n", "m.tm:3:9: the state 'yes' has no transitions, and no line "
                                            "accept, reject or halt names it; did you mean 'yess'?"},
    {"start q\naccept yess yes\nq a b r yes\n",
     "m.tm:2:8: no transition goes to the state 'yess'; did you mean 'yes'?"},
    {"start q\naccept q\nq a b r q\n", "m.tm:2:8: the state 'q' stops and has transitions"},
    {"start q\naccept z\nreject z\nq a b r z\n", "m.tm:3:8: the state 'z' stops twice"},
    {"start q\nalphabet a a\nq a b r q\n", "m.tm:2:12: the alphabet has the letter 'a' twice"},
    {"start q\nalphabet a _\nq a b r q\n", "m.tm:2:12: '_' is the blank, and no letter of inputs"},
    {"start q\nlength x\nq a b r q\n", "m.tm:2:1: a length is written 0..N, N at most 4096"},
    {"start q\nsteps 0\nq a b r q\n", "m.tm:2:1: steps are written steps 1000, 1..1000000 of them"},
    {"start q\nq yes b r q\n", "m.tm:2:3: 'yes' is no symbol"},
    {"start q\nq <a> b r q\n", "m.tm:2:3: '<a>' is no symbol"},
    {"start q\nq abcdefghi b r q\n", "m.tm:2:3: a symbol has at most 8 bytes"},
    {"start q\nq a b r a-state-of-many-bytes\na-state-of-many-bytes a a l q\n",
     "the name of a state has at most 20 bytes"},
    {"start q\nq a \x01 r q\n", "m.tm:2:5: a character that is not visible"},
    {"1RB1LB_1LA1RZ\nA 0 1 r A\n", "m.tm:2:1: state 'A' has two transitions for '0'"},
    {"start A\n1RB1LB_1LA1RZ\n", "m.tm:2:1: a busy beaver in one word beside other transitions"},
    {"1RB1LB_1LA\n", "m.tm:1:1: 1 words"},
    {"start state: q\ntable:\n  q:\n    1: {write: 0, X}\n", "m.tm:4:19: 'X' is none of write, L and R"},
    {"start state: q\ntable:\n  q:\n    1: {write: 0}\n",
     "m.tm:4:18: expected a move, L or R, in these braces"},
    {"start state: q\ntable:\n  q:\n    1: R\n   0: L\n",
     "m.tm:5:4: expected a transition, indented like the one before"},
    {"start state: q\ntable:\n  q:\n    [1,0: R\n", "m.tm:4:9: expected , or ] in a list of symbols"},
    {"start state: q\nblnk: ' '\ntable:\n  q:\n    1: R\n", "m.tm:2:1: the key 'blnk' is none of"},
    {"start state: q\ntable:\n", "expected the states of the table, indented"},
    {"start state: q\ntable:\n  q:\n    1: {R: p}\n", "m.tm:4:12: the state 'p' has no transitions"},
    {"start state: q\ntable:\n  q:\n    '1: R\n", "expected a closing quote on this line"},
    {"start state: q\ntable: {q: {1: R}\n", "expected , or }"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        at_tm *t;
        err = (at_err){0};
        at_status s = at_tm_read(faults[k].text, "m.tm", &arena, &t, &err);
        if (s != AT_EINPUT || !strstr(err.text, faults[k].says))
            fail_msg("%s\nsays: %s\nexpected: %s", faults[k].text, err.text, faults[k].says);
    }
}

static void test_limits(void **state)
{
    (void)state;
    at_text t;
    at_tm *m;
    at_text_init(&t);
    at_text_add(&t, "start q0\n");
    for (int k = 0; k < 300; k++)
        at_text_addf(&t, "q%d 1 1 r q%d\n", k, k + 1);
    assert_int_equal(at_tm_read(t.s, "m.tm", &arena, &m, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "m.tm:258:1: more than 256 states"));
    t.n = 0;
    err = (at_err){0};
    at_text_add(&t, "start q\n");
    for (int k = 0; k < 70; k++)
        at_text_addf(&t, "q s%d s%d r q\n", k, k);
    assert_int_equal(at_tm_read(t.s, "m.tm", &arena, &m, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "m.tm:65:3: more than 64 symbols"));
    t.n = 0;
    err = (at_err){0};
    at_text_add(&t, "start q0\nalphabet s0\n");
    for (int k = 0; k < 200; k++)
        for (int j = 0; j < 30; j++)
            at_text_addf(&t, "q%d s%d s%d r q%d\n", k, j, j, j || k == 199 ? k : k + 1);
    assert_int_equal(at_tm_read(t.s, "m.tm", &arena, &m, &err), AT_EINPUT);
    assert_string_equal(err.text,
                        "m.tm: more than 4089 different steps"); /* 4096 tokens but a letter, begin and 5 */
    /* A megabyte of brackets is one line. */
    t.n = 0;
    err = (at_err){0};
    at_text_add(&t, "table: ");
    for (int k = 0; k < 1 << 20; k++)
        at_text_add(&t, "{");
    assert_int_equal(at_tm_read(t.s, "m.tm", &arena, &m, &err), AT_EINPUT);
    t.n = 0;
    err = (at_err){0};
    for (int k = 0; k < 1 << 20; k++)
        at_text_add(&t, "(");
    assert_int_equal(at_tm_read(t.s, "m.tm", &arena, &m, &err), AT_EINPUT);
    assert_null(strchr(err.text, '\n'));
    at_text_release(&t);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (long k = 1;; k++) {
        at_arena own;
        at_err why = {0};
        at_tm *t;
        at_tm_end end;
        at_arena_init(&own);
        at_alloc_inject(k);
        at_status s = at_tm_read(increment_yaml, "m.tm", &own, &t, &why);
        if (!s)
            s = at_tm_run(t, (int[]){1}, 1, 100, &own, NULL, NULL, &end, &why);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        at_arena_release(&own);
        assert_int_equal(s, fired ? AT_ENOMEM : AT_OK);
        if (!fired)
            return;
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, arena_setup, arena_teardown)
    const struct CMUnitTest tests[] = {T(test_beavers), T(test_dead_ends), T(test_lines_and_yaml),
                                       T(test_any),     T(test_printed),   T(test_budget),
                                       T(test_refused), T(test_limits),    T(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
