/* test_dp_errors.c: bad files, bad sizes, bad inputs, no memory: each refused in words, at its place. */
#include "dp_test.h"

#include <stdlib.h>

/* ---- files ------------------------------------------------------------------------------------------ */

/* What an error must begin with, after the path. */
static void parse_fails(const char *text, size_t n, const char *want)
{
    at_err err = {0};
    at_dp *d = NULL;
    char full[256];
    snprintf(full, sizeof full, "t.dp:%s", want);
    at_status s = at_dp_parse(text, n, "t.dp", &d, &err);
    if (s != AT_EINPUT || strncmp(err.text, full, strlen(full)) != 0)
        fail_msg("expected \"%s\"\n   found \"%s\" (status %d)\n      in \"%.200s\"", full, err.text, s,
                 text);
    assert_null(d);
    assert_null(strchr(err.text, '\n'));
    /* and without a place for the words */
    assert_int_equal(at_dp_parse(text, n, "t.dp", &d, NULL), AT_EINPUT);
}

#define HEAD                                                                                                 \
    "problem \"p\"\nsize n in 1..9\ninput a[n] in 0..5\nstate i in 1..n\nvalue v in 0..9\n" /* 5 lines */

static void test_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", "1:1: expected \"problem\" at the beginning"},
        {"# nothing\n\n", "3:1: expected \"problem\""},
        {"problem p", "1:9: expected the title in quotes, found \"p\""},
        {"problem \"p\n\"", "1:9: the text has no closing \""},
        {"problem \"0123456789012345678901234567890123456789012345678901234567890123\"",
         "1:9: the title is too long; at most 63 bytes"},
        {"problem \"p\"\n", "2:1: no state is declared"},
        {"problem \"p\" state i in 1..2", "1:28: no value is declared"},
        {"problem \"p\"\nsiez n in 1..2", "2:1: unexpected \"siez\"; did you mean \"size\"?"},
        {"problem \"p\"\nsize n 1..2", "2:8: expected \"in\" and a range, as in 1..9, found \"1\""},
        {"problem \"p\"\nsize n in 1 2", "2:13: expected \"..\" between the ends of a range, found \"2\""},
        {"problem \"p\"\nsize n in 1..n", "2:14: unknown name \"n\"; the range of a size may use sizes"},
        {"problem \"p\"\nsize n in 1..2, n in 1..3", "2:17: the name n is taken by a size of line 2"},
        {"problem \"p\"\nsize if in 1..2", "2:6: \"if\" is a word of the language"},
        {"problem \"p\"\nsize 3 in 1..2", "2:6: expected the name of a size, found \"3\""},
        {"problem \"p\"\nsize a234567890123456789012345678901b in 1..2",
         "2:6: the name is too long; at most 31 letters"},
        {"problem \"p\"\nsize n in 1..9007199254740993",
         "2:14: number too large; at most 9007199254740992 (2^53)"},
        {"problem \"p\"\nsize n in 1..99999999999999999999999999", "2:14: number too large"},
        {"problem \"p\"\nsize n in 1..2n", "2:14: a name begins with a letter"},
        {"problem \"p\"\nsize n in 1..6/2", "2:15: unexpected /; write div"},
        {"problem \"p\"\nsize n in 1..6%2", "2:15: unexpected %; write mod"},
        {"problem \"p\"\nsize n in 1..\x01", "2:14: unexpected byte 0x01"},
        {"problem \"p\"\nsize n in 1..\x7f", "2:14: unexpected byte 0x7f"},
        {"problem \"a\xe2\x80\xae"
         "b\"",
         "1:9: the title holds what is not seen, or is not UTF-8"},
        {"problem \"a\x7f\"", "1:9: the title holds what is not seen, or is not UTF-8"},
        {"problem \"a\xe2\x80\"", "1:9: the title holds what is not seen, or is not UTF-8"},
        {"problem \"p\"\nsize n in 1..\xc3\xa4", "2:14: unexpected byte 0xc3"},
        {"problem \"p\"\nsize n in 1..$", "2:14: unexpected $; allowed are names"},
        {"problem \"p\"\nsize n in 1..2 default n", "2:24: "},
        {"problem \"p\"\nsize n in 1..2 default 1+1", "2:24: the default of a size is a number"},
        {"problem \"p\"\nsize n in 1..2 default 1, m in 1..2\n",
         "3:1: a size without a default; those with one come last"},
        {"problem \"p\"\ninput a 1..2",
         "2:9: expected \"[\" and the length, as in a[n], or a range, as in 0..9, found \"1\""},
        {"problem \"p\"\nsize n in 1..'a", "2:14: a letter is one character of ASCII in quotes, as in 'a'"},
        {"problem \"p\"\ntable w[0] = 1", "2:9: the length of a table is 0; allowed are 1..4096"},
        {"problem \"p\"\ntable w[2] = 1", "2:15: the table w has 1 numbers, and needs 2"},
        {"problem \"p\"\ntable w[2] = 1, 2, 3", "2:18: too many numbers; the table w has 2"},
        {"problem \"p\"\ntable w[2] = 1, n", "2:17: expected an entry of a table, a number, found \"n\""},
        {"problem \"p\"\nneed u = (1)", "2:10: no state is declared above"},
        {"problem \"p\"\nstate i in 1..2, j in 1..i*i", "2:26: the range of a counter must be linear"},
        {"problem \"p\"\nstate i in 1..2, j in 1..3 + i mod 2",
         "2:30: the range of a counter must be linear"},
        {"problem \"p\"\nstate i in 1..2\nstate i in 1..2\nstate i in 1..2\nstate i in 1..2\nstate i in "
         "1..2\n"
         "state i in 1..2\nstate i in 1..2\nstate i in 1..2\nstate i in 1..2",
         "10:7: too many blocks of states; at most 8"},
        {HEAD "v = 1\nstate j in 1..2\nvalue w in 0..1\nw = i", "9:5: unknown name \"i\""},
        {HEAD "state j in 1..2\nv = 1",
         "7:1: v belongs to other states; its rule stands before the next block"},
        {HEAD "v = 1\nstate j in 1..2\nvalue w in 0..1\nw = v(1, 2)", "9:8: too many numbers; a state has 1"},
        {HEAD "v = 1\nstate j in 1..2\nvalue w in 0..1\nw = 0\nanswer v",
         "10:8: the answer reads values of an earlier block of states; say of which state: at (...)"},
        {HEAD "v = 1\nstate j in 1..2\nvalue w in 0..1\nw = 0\nanswer v + w",
         "10:12: the answer reads values of two blocks of states; it has one state"},
        {HEAD "v = min over k in 1..i of max over l in 1..k of 1",
         "6:27: a fold inside a fold; let the inner one be a value of its own"},
        {HEAD "let w = sum over k in 1..2 of k\nv = min over k in 1..i of w",
         "7:27: w uses a fold; what is folded may use"},
        {HEAD "let w = sum over k in 1..2 of k\nv = if w > 1 then min over k in 1..i of k else 0",
         "7:19: a fold inside an if whose condition uses a fold"},
        {HEAD "v = min over k in 1..i*i of k", "6:22: the range of a counter must be linear"},
        {HEAD "v = min over k in 1..i", "6:23: expected \"of\" and what is folded"},
        {HEAD "v = min over i in 1..2 of i", "6:14: the name i is taken by a counter of line 4"},
        {HEAD "v = (min over k in 1..2 of k) + k", "6:33: unknown name \"k\""},
        {HEAD "take x = a[min over k in 1..2 of k]", "6:12: a fold stands in a rule or a let"},
        {HEAD "v = a[sum over k in 1..2 of k]", "6:7: a fold stands in a rule or a let"},
        {HEAD "v = 1 answer max v over (1..n, 2)", "6:30: too many numbers; a state has 1"},
        {HEAD "v = 1 answer max 3 over (1..n)", "6:18: what is gathered over states must read values"},
        {HEAD "v = 1 answer max v", "6:19: expected \"over\" and states, as in max cost over (1..n)"},
        {HEAD "v = i div i", "6:11: the divisor may use numbers and sizes only"},
        {HEAD "table w[2] = 1, 2\nv = w", "7:6: expected \"[\" and the place, as in a[i]"},
        {HEAD "table w[1, 2] = 1, 2\nv = w[1]", "7:8: expected \",\" (there are two places, as in a[i, j])"},
        {HEAD "table w[2] = 1, 2\nv = w[1, 2]", "7:8: one place too many; it is declared with one length"},
        {HEAD "v = 1", "6:6: no answer is given; write: answer v"},
        {HEAD "answer v", "6:9: the value v of line 5 has no rule"},
        {HEAD "v = 1 v = 2", "6:7: v is given already in line 6"},
        {HEAD "v = 1\nanswer v answer v", "7:17: the answer is given already in line 7"},
        {HEAD "v = m", "6:5: unknown name \"m\"; a rule may use sizes, counters, takes and needs"},
        {HEAD "let count = 1\nv = cuont", "7:5: unknown name \"cuont\"; did you mean \"count\"?"},
        {HEAD "v = v", "6:5: v is a value of this state, known only to the answer; of an earlier state it is "
                       "read as v(...)"},
        {HEAD "v = a", "6:6: expected \"[\" and the place, as in a[i], found the end of the file"},
        {HEAD "v = 1 +", "6:8: expected a number, a name or (, found the end of the file"},
        {HEAD "v = 1 + then", "6:9: expected a number, a name or (, found \"then\""},
        {HEAD "v = (1", "6:7: expected \")\" or an operation, found the end of the file"},
        {HEAD "v = 1 1", "6:7: unexpected \"1\"; expected an operation, or size, input"},
        {HEAD "v = 1 )", "6:7: unexpected \")\""},
        {HEAD "v = 1.5", "6:6: unexpected \".\""},
        {HEAD "v = min(1)", "6:10: min and max need at least two arguments"},
        {HEAD "v = 1 answer max(v)", "6:14: min and max are of two numbers or more, as in min(a, b), or over "
                                     "many states, as in max cost over "
                                     "(1..n)"},
        {HEAD "v = 1 answer max (v + v(1)) over (1..n)",
         "6:24: an answer reads values at the states behind 'at' or 'over', not in place"},
        {HEAD "v = 1 answer v at (a[1])", "6:20: a is an input; the state of the answer may use sizes"},
        {HEAD "v = 1 answer a", "6:14: a is an input; the answer may use"},
        {HEAD "v = max 1", "6:9: expected \"(\" after max"},
        {HEAD "v = abs(1, 2)", "6:10: expected \")\" or an operation, found \",\""},
        {HEAD "v = if i then 1 else 2", "6:8: a condition must be a comparison, as in x != 0"},
        {HEAD "v = if i == 1 then 1", "6:21: expected \"else\" (an if has both branches), found the end"},
        {HEAD "v = if i == 1 1 else 2", "6:15: expected \"then\" after the condition"},
        {HEAD "v = if i == 1 and i then 1 else 2", "6:19: a condition must be a comparison"},
        {HEAD "v = if i or i == 2 then 1 else 2", "6:8: a condition must be a comparison"},
        {HEAD "v = not i", "6:9: a condition must be a comparison"},
        {HEAD "v = if 1 < i < 3 then 1 else 2", "6:14: comparisons do not chain"},
        {HEAD "v = if i = 1 then 1 else 2", "6:10: a comparison for equality is written =="},
        {HEAD "answer n = 1", "6:10: a comparison for equality is written =="},
        {HEAD "take x = a[i]\nv = i mod x", "7:11: the modulus may use numbers and sizes only"},
        {HEAD "take x = b[i]", "6:10: unknown name \"b\"; a take looks up an input"},
        {HEAD "take x = n[i]", "6:10: n is a size; a take looks up an input"},
        {HEAD "take x = 3", "6:10: expected the name of an input, found \"3\""},
        {HEAD "take x = a[i] when i", "6:20: a condition must be a comparison"},
        {HEAD "need u = (i-1, i) v = u.v", "6:14: too many numbers; a state has 1"},
        {HEAD "need u = (i-1)\nv = u", "7:5: u is a need; read one of its values, as in u.v"},
        {HEAD "need u = (i-1)\nv = u.w", "7:7: unknown name \"w\"; after the point of a need stands a value"},
        {HEAD "need u = (i-1)\nv = u.3", "7:7: expected the name of a value, found \"3\""},
        {HEAD "need u = (i-1)\nneed w = (u.v)",
         "7:11: u is a need; a need may use sizes, counters and takes"},
        {HEAD "need u = (i-1)\nlet k = u.v\ntake x = a[k]", "8:12: k uses a need; a look-up may use"},
        {HEAD "v = 1 answer v at (i)", "6:20: i is a counter; the state of the answer may use sizes"},
        {HEAD "v = 1 answer i", "6:14: i is a counter; the answer may use sizes and values"},
        {"problem \"p\" state i in 1..2, j in 1..2 need u = (i-1)",
         "1:53: expected \",\" (a state has one number for each counter)"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        parse_fails(rows[r].text, strlen(rows[r].text), rows[r].want);
    parse_fails("problem \"p\"\n\0", 13, "2:1: unexpected byte 0x00");
}

/* A thousand times the same piece, between a beginning and an end. */
static void bomb_check(const char *begin, const char *piece, int times, const char *end, const char *want)
{
    at_text t;
    at_text_init(&t);
    at_text_add(&t, HEAD);
    at_text_add(&t, begin);
    for (int i = 0; i < times; i++)
        at_text_add(&t, piece);
    at_text_add(&t, end);
    if (want)
        parse_fails(t.s, t.n, want);
    else {
        at_dp *d = dp_of(t.s);
        at_dp_instance *x = dp_bound(d, "n=3");
        at_text p;
        at_text_init(&p);
        assert_int_equal(at_dp_print(d, &p), AT_OK);
        at_text_release(&p);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
    at_text_release(&t);
}

static void test_bombs(void **state)
{
    (void)state;
    bomb_check("v = ", "(", 20000, "1", "6:69: nested too deeply; at most 64 levels");
    bomb_check("v = ", "-", 20000, "1", "6:69: nested too deeply");
    bomb_check("v = ", "not ", 10000, "1", "6:");
    bomb_check("v = ", "if i == 1 then 1 else ", 2000, "1", "6:");
    bomb_check("v = ", "min(1, ", 5000, "1", "6:");
    bomb_check("v = 0", " + 0", 512, " answer v", NULL);
    bomb_check("v = 0", " + 0", 513, " answer v", "6:5: the expression is too deep; at most 512");
    bomb_check("v = 0", " + 0", 10000, " answer v", "6:5: the expression is too deep; at most 512");
    bomb_check("v = ", "(", 63, "1", "6:69: expected \")\""); /* the number is the 64th level */
    bomb_check("v = 1 let k = ", "0*0 let k = ", 9, "1", "6:23: the name k is taken by a let of line 6");
    bomb_check("", "v = 1 + 1 ", 1, "answer v", NULL);
    char *large = malloc(70000);
    memset(large, ' ', 70000);
    parse_fails(large, 70000, "1:1: the file has 70000 bytes; at most 65536");
    free(large);
    /* lets that double: 8 of them are read 2^8 times, not evaluated so often */
    bomb_check("let a1 = min(1, i)+0*i let a2 = a1*a1*a1*a1 let a3 = a2*a2*a2*a2 let a4 = a3*a3*a3*a3 "
               "let a5 = a4*a4*a4*a4 let a6 = a5*a5*a5*a5 let a7 = a6*a6*a6*a6 ",
               "", 0, "v = a7*a7*a7*a7 answer v", NULL);
}

/* 32 of each kind, and no more. */
static void test_many_names(void **state)
{
    (void)state;
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "problem \"p\"\nstate i in 1..2\nvalue v in 0..1\n");
    for (int k = 0; k < AT_DP_MAX; k++)
        at_text_addf(&t, "let x%d = %d\n", k, k);
    size_t n = t.n;
    at_text_add(&t, "v = 1 answer v");
    at_dp_free(dp_of(t.s));
    t.s[t.n = n] = 0;
    at_text_add(&t, "let y = 1");
    parse_fails(t.s, t.n, "36:5: too many: a let is number 33 of its kind; at most 32");
    at_text_release(&t);
}

static void test_many_nodes(void **state)
{
    (void)state;
    at_text t;
    at_text_init(&t);
    at_text_add(&t, HEAD "v = ");
    for (int i = 0; i < 40; i++) {
        at_text_add(&t, "(0");
        for (int k = 0; k < 100; k++)
            at_text_add(&t, "+0");
        at_text_add(&t, ") + ");
    }
    at_text_add(&t, "0 answer v");
    parse_fails(t.s, t.n, "6:");
    assert_non_null(t.s);
    at_err err = {0};
    at_dp *d;
    at_dp_parse(t.s, t.n, "t.dp", &d, &err);
    assert_non_null(strstr(err.text, "the file is too long; at most 4096"));
    at_text_release(&t);
}

static void test_missing_file(void **state)
{
    (void)state;
    at_err err = {0};
    at_dp *d = NULL;
    assert_int_equal(at_dp_load("examples/no-such.dp", &d, &err), AT_EIO);
    assert_non_null(strstr(err.text, "no-such.dp"));
}

/* ---- sizes and what they bring to light --------------------------------------------------------------- */

static void bind_fails(const char *text, const char *sizes, at_status status, const char *want)
{
    at_err err = {0};
    at_dp *d = dp_of(text);
    at_dp_instance *x = NULL;
    int64_t size[AT_DP_MAX];
    at_status s = at_dp_sizes_parse(d, sizes, size, &err);
    if (s == AT_OK)
        s = at_dp_bind(d, size, &x, &err);
    if (s != status || strcmp(err.text, want) != 0)
        fail_msg("expected \"%s\"\n   found \"%s\" (status %d)\n      in \"%s\"", want, err.text, s, text);
    assert_null(x);
    at_dp_free(d);
}

static void test_bind(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sizes;
        at_status status;
        const char *want;
    } rows[] = {
        {HEAD "v = 1 answer v", "n=10", AT_EDOMAIN, "t.dp:2:6: size n is 10; allowed are 1..9"},
        {"problem \"p\"\nsize n in 1..9\nstate i in n..1\nvalue v in 0..9\nv = 1 answer v", "n=3", AT_EINPUT,
         "t.dp:3:12: counter i has the empty range 3..1, so that there is no state; ranges go upwards, as in "
         "1..n"},
        {"problem \"p\"\nsize n in 1..9\nstate i in n..1\nvalue v in 0..9\nv = 1 answer v", "n=2", AT_EINPUT,
         "t.dp:3:12: counter i has the empty range 2..1, so that there is no state; ranges go upwards, as in "
         "1..n"},
        {HEAD "v = 1 answer v", "n=-1", AT_EDOMAIN, "t.dp:2:6: size n is -1; allowed are 1..9"},
        {HEAD "v = 1 answer v", "", AT_EINPUT, "size n is missing; expected n=number"},
        {HEAD "v = 1 answer v", "n=3,n=3", AT_EINPUT, "size n is given twice"},
        {HEAD "v = 1 answer v", "n=3,m=3", AT_EINPUT, "unknown size 'm' (there are: n)"},
        {"problem \"p\" size rows in 1..2, cols in 1..2 state i in 1..2 value v in 0..1 v = 0 answer v",
         "rws=2", AT_EINPUT, "unknown size 'rws'; did you mean 'rows'? (there are: rows, cols)"},
        {HEAD "v = 1 answer v", "n=", AT_EINPUT, "size n: \"\" is not an integer"},
        {HEAD "v = 1 answer v", "n=3x", AT_EINPUT, "size n: \"3x\" is not an integer"},
        {HEAD "v = 1 answer v", "3", AT_EINPUT, "size \"3\": expected name=number"},
        {HEAD "v = 1 answer v", "=3", AT_EINPUT, "size \"=3\": expected name=number"},
        {"problem \"p\"\nsize n in 0..9, m in n..9 state i in 1..2 value v in 0..1 v = 0 answer v", "n=3,m=2",
         AT_EDOMAIN, "t.dp:2:17: size m is 2; allowed are 3..9"},
        {HEAD "need u = (i+1) when i < n\nv = if i < n then u.v else 1 answer v", "n=3", AT_EINPUT,
         "t.dp:6:11: state (i=1): need u: (i=2) comes later in the order; allowed are earlier states"},
        {HEAD "need u = (i)\nv = u.v answer v", "n=3", AT_EINPUT,
         "t.dp:6:11: state (i=1): need u: (i=1) is the state itself; allowed are earlier states"},
        {HEAD "need u = (i-1)\nv = u.v answer v", "n=3", AT_EINPUT,
         "t.dp:6:11: state (i=1): need u: (i=0) is not a state; allowed are earlier states"},
        {"problem \"p\"\nstate i in 1..3, j in 1..3\nvalue v in 0..1\nneed u = (i-1, j+1) when i > 1\nv = 0 "
         "answer v",
         "", AT_EINPUT,
         "t.dp:4:11: state (i=2, j=3): need u: (i=1, j=4) is not a state; allowed are earlier states"},
        /* a cycle: (1,2) needs (2,1), (2,1) needs (1,2) */
        {"problem \"p\"\nstate i in 1..2, j in 1..2\nvalue v in 0..1\nneed u = (j, i) when i != j\nv = if i "
         "!= j then u.v else 0 answer v",
         "", AT_EINPUT,
         "t.dp:4:11: state (i=1, j=2): need u: (i=2, j=1) comes later in the order; allowed are earlier "
         "states"},
        {HEAD "take x = a[i+1]\nv = x answer v", "n=3", AT_EINPUT,
         "t.dp:6:12: state (i=3): position 4 of a; allowed are 1..3"},
        {HEAD "take x = a[i] when i > 1\nv = x answer v", "n=3", AT_EINPUT,
         "t.dp:7:5: state (i=1): x is absent here; read it only inside an if, where its when holds"},
        {HEAD "need u = (i-1) when i > 1\nv = u.v answer v", "n=3", AT_EINPUT,
         "t.dp:7:5: state (i=1): u is absent here; read it only inside an if, where its when holds"},
        /* and, or evaluate the second side only where the first leaves it open */
        {HEAD "need u = (i-1) when i > 1\nv = if i > 0 and u.v > 0 then 1 else 0 answer v", "n=3", AT_EINPUT,
         "t.dp:7:18: state (i=1): u is absent here; read it only inside an if, where its when holds"},
        {HEAD "need u = (i-1) when i > 1\nv = if i > 1 or u.v > 0 then 1 else 0 answer v", "n=3", AT_EINPUT,
         "t.dp:7:17: state (i=1): u is absent here; read it only inside an if, where its when holds"},
        /* what is read in place */
        {HEAD "v = v(i - 1) answer v", "n=3", AT_EINPUT,
         "t.dp:6:5: state (i=1): (i=0) is not a state; read are earlier states"},
        {HEAD "v = v(i) answer v", "n=3", AT_EINPUT,
         "t.dp:6:5: state (i=1): (i=1) is the state itself; read are earlier states"},
        {HEAD "v = a[i + 1] answer v", "n=3", AT_EINPUT,
         "t.dp:6:7: state (i=3): position 4 of a; allowed are 1..3"},
        {HEAD "v = min over k in 2..i of k answer v", "n=3", AT_EINPUT,
         "t.dp:6:5: state (i=1, k=2): min over the empty range 2..1; read it only inside an if"},
        {HEAD "v = sum over k in 1..i of v(k) answer v", "n=3", AT_EINPUT,
         "t.dp:6:27: state (i=1, k=1): (i=1, k=1) is the state itself; read are earlier states"},
        {HEAD "v = 1 answer max v over (n+1..n+2)", "n=3", AT_EINPUT,
         "t.dp:6:14: the answer is gathered from states that do not exist at these sizes; use if"},
        {HEAD "table w[2] = 1, 2\nv = w[i] answer v", "n=3", AT_EINPUT,
         "t.dp:7:5: state (i=3): place 3..3 of w may be outside; it has 2 entries"},
        {"problem \"p\"\nsize n in 1..9\ninput a[n, n] in 0..5\nstate i in 1..n\nvalue v in 0..9\nv = a[i - "
         "1, i + 1] answer v",
         "n=3", AT_EINPUT, "t.dp:6:7: state (i=1): position -1 of a; allowed are 1..9"},
        {"problem \"p\"\nsize n in 1..9\ninput a[n, n] in 0..5\nstate i in 1..n\nvalue v in 0..9\nv = a[1, i "
         "+ 1] answer v",
         "n=3", AT_EINPUT, "t.dp:6:10: state (i=3): this column of a may be outside"},
        {HEAD "v = i div (n - 3) answer v", "n=3", AT_EINPUT,
         "t.dp:6:12: state (i=1): the divisor is 0; allowed are 1, 2, ..."},
        {HEAD "take x = a[i] need u = (i-1) when i > 1\nv = x + if i > 1 then u.v else 0 answer v", "n=3",
         AT_EINPUT, "t.dp:7:5: state (i=2): v can be 0..10; declared is 0..9"},
        {HEAD "v = 1 - i answer v", "n=3", AT_EINPUT,
         "t.dp:6:5: state (i=2): v can be -1..-1; declared is 0..9"},
        {HEAD "take x = a[i]\nv = if x == 3 then 10 else 0 answer v", "n=1", AT_EINPUT,
         "t.dp:7:5: state (i=1): v can be 0..10; declared is 0..9"},
        {HEAD "v = i mod (n - 3) answer v", "n=3", AT_EINPUT,
         "t.dp:6:12: state (i=1): the modulus is 0; allowed are 1, 2, ..."},
        {HEAD "v = min(1, 9007199254740992 + i) answer v", "n=3", AT_EINPUT,
         "t.dp:6:12: state (i=1): a number may leave -2^53..2^53"},
        {HEAD "v = min(1, 9007199254740992*9007199254740992) answer v", "n=3", AT_EINPUT,
         "t.dp:6:12: state (i=1): a number may leave -2^53..2^53"},
        {HEAD "v = 1 answer v at (n+1)", "n=3", AT_EINPUT,
         "t.dp:6:14: the answer reads v, but its state does not exist at these sizes; use if"},
        {"problem \"p\"\nsize n in 0..3 state i in 1..n value v in 1..n v = 1 answer v", "n=0", AT_EINPUT,
         "t.dp:2:61: the answer reads v, but its state does not exist at these sizes; use if"},
        {"problem \"p\" size n in 0..3\nstate i in n..3 value v in 0..1 v = 0 answer v", "n=0", AT_EINPUT,
         "t.dp:2:12: counter i begins at 0; a first counter that begins below 1 begins with a number, as in "
         "0..n"},
        {"problem \"p\"\nstate i in 1..3, j in i+1..3 value v in 0..1 v = 0 answer v", "", AT_EINPUT,
         "t.dp:2:23: counter j has the empty range 4..3 at i=3; allowed only if there is no state at all"},
        {"problem \"p\"\nstate i in 1..3 value v in 1..0 v = 0 answer v", "", AT_EINPUT,
         "t.dp:2:28: value v has the empty range 1..0"},
        {"problem \"p\"\nsize n in 0..3 input a[n] in 1..0 state i in 1..3 value v in 0..0 v = 0 answer v",
         "n=1", AT_EINPUT, "t.dp:2:30: input a has the empty range 1..0"},
        {"problem \"p\"\nsize n in 0..3 input a[n-2] in 1..2 state i in 1..3 value v in 0..0 v = 0 answer v",
         "n=1", AT_EINPUT, "t.dp:2:24: input a has length -1; allowed are 0, 1, ..."},
        /* steered: one value of x is enough */
        {HEAD "take x = a[i]\nneed u = (i - x) when i > 1\nv = 1 answer v", "n=3", AT_EINPUT,
         "t.dp:7:11: state (i=2): need u: (i=2) is the state itself; allowed are earlier states"},
        {HEAD "take x = a[i]\ntake y = a[x]\nv = y answer v", "n=9", AT_EINPUT,
         "t.dp:7:12: state (i=1): position 0 of a; allowed are 1..9"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        bind_fails(rows[r].text, rows[r].sizes, rows[r].status, rows[r].want);
}

/* Too large is said before memory is taken: the ceiling would refuse a larger block with AT_ENOMEM. */
static void test_huge(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"problem \"p\"\nstate i in 1..4194305 value v in 0..1 v = 0 answer v",
         "t.dp:2:7: more than 4194304 states at these sizes; that is the most allowed"},
        {"problem \"p\"\nstate i in 1..9007199254740992, j in 1..9007199254740992 value v in 0..1 v = 0 "
         "answer v",
         "t.dp:2:7: more than 4194304 states at these sizes; that is the most allowed"},
        {"problem \"p\"\nstate i in 1..3000, j in 1..3000 value v in 0..1 v = 0 answer v",
         "t.dp:2:7: more than 4194304 states at these sizes; that is the most allowed"},
        {"problem \"p\"\ninput a[4194305] in 0..1 state i in 1..1 value v in 0..1 v = 0 answer v",
         "t.dp:2:9: input a has length 4194305; at most 4194304 in all inputs"},
        {"problem \"p\"\ninput a[4194304] in 0..1 input b[1] in 0..1 state i in 1..1 value v in 0..1 v = 0 "
         "answer v",
         "t.dp:2:34: input b has length 1; at most 4194304 in all inputs"},
    };
    at_alloc_ceiling((size_t)1 << 16);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        bind_fails(rows[r].text, "", AT_EREFUSED, rows[r].want);
    /* long loops without a state end too */
    bind_fails("problem \"p\"\nstate i in 1..4000000, j in 1..0 value v in 0..1 v = 0 answer v", "",
               AT_EINPUT,
               "t.dp:2:63: the answer reads v, but its state does not exist at these sizes; use if");
    at_alloc_ceiling(0);
    at_text t; /* few states, but each is long work */
    at_text_init(&t);
    at_text_add(&t, "problem \"p\"\nstate i in 1..4000000 value v in 0..1 v = 0*(0");
    for (int i = 0; i < 200; i++)
        at_text_add(&t, "+0");
    at_text_add(&t, ") answer v");
    bind_fails(t.s, "", AT_EREFUSED,
               "t.dp:2:7: 4000000 states and 408 operations; at most 2^30 for their product");
    at_text_release(&t);
}

/* ---- runs ------------------------------------------------------------------------------------------- */

static void run_fails(const at_dp_instance *x, const int64_t *input, at_status status, const char *want)
{
    at_err err = {0};
    at_arena a;
    at_arena_init(&a);
    at_dp_chain chain = {0};
    at_status s = at_dp_run(x, input, &a, &chain, &err);
    if (s != status || strcmp(err.text, want) != 0)
        fail_msg("expected \"%s\"\n   found \"%s\" (status %d)", want, err.text, s);
    assert_null(chain.value);
    at_arena_release(&a);
}

/* So many values steer that bind cannot try them: it says so, and the run finds what is wrong. */
static void test_unproved(void **state)
{
    (void)state;
    at_dp *d =
        dp_of("problem \"p\"\nsize n in 1..9\ninput a[n] in 0..1000000000\nstate i in 1..n\nvalue v in 0..9\n"
              "take x = a[i]\n"
              "take y = a[x] when x != 0\n"
              "need u = (i - x) when x < i\n"
              "v = if x > 1000 then 0 else if x != 0 then u.v + y else 3\n"
              "answer v");
    at_dp_instance *x = dp_bound(d, "n=3");
    assert_int_equal(x->proved, AT_UNKNOWN);
    assert_int_equal(x->doubt_line, 7); /* which element of a is y? */
    assert_int_equal(x->doubt_column, 12);
    assert_int_equal(x->locality, -1);
    run_fails(x, (int64_t[]){4, 0, 0}, AT_EINPUT,
              "t.dp:7:12: state (i=1): position 4 of a; allowed are 1..3");
    run_fails(x, (int64_t[]){0, 0, 0}, AT_EINPUT,
              "t.dp:8:11: state (i=1): need u: (i=1) is the state itself; allowed are earlier states");
    run_fails(x, (int64_t[]){1, 1, 1}, AT_EINPUT,
              "t.dp:9:44: state (i=1): u is absent; read it only where its when holds");
    run_fails(x, (int64_t[]){1, 1, -1}, AT_EDOMAIN, "input a[3] is -1; allowed are 0..1000000000");
    at_dp_instance_free(x);
    at_dp_free(d);
    d = dp_of("problem \"p\"\nsize n in 1..9\ninput a[n] in 1..1000000000\nstate i in 1..n\nvalue v in 0..9\n"
              "take x = a[i]\n"
              "need u = (i - x) when x < i\n"
              "v = (if x < i then u.v else 0) + 4\n"
              "answer v");
    x = dp_bound(d, "n=3");
    assert_int_equal(x->proved, AT_UNKNOWN);
    run_fails(x, (int64_t[]){1, 1, 1}, AT_EINPUT, "t.dp:8:5: state (i=3): v is 12; declared is 0..9");
    at_arena a;
    at_arena_init(&a);
    at_dp_chain chain;
    assert_int_equal(at_dp_run(x, (int64_t[]){1, 77, 2}, &a, &chain, NULL), AT_OK);
    assert_int_equal(chain.answer, 8);
    at_arena_release(&a);
    at_dp_instance_free(x);
    at_dp_free(d);
    /* a product that leaves 64 bits, and one that leaves 53 */
    d = dp_of("problem \"p\"\ninput a[2] in 0..9007199254740992\nstate i in 1..1\nvalue v in 0..1\n"
              "take x = a[1]\ntake y = a[2]\nneed u = (x) when x == 5\nv = min(1, x*y) answer v");
    x = dp_bound(d, "");
    assert_int_equal(x->proved, AT_UNKNOWN);
    run_fails(x, (int64_t[]){INT64_C(9007199254740992), INT64_C(9007199254740992)}, AT_EINPUT,
              "t.dp:8:12: state (i=1): a number leaves -2^53..2^53");
    run_fails(x, (int64_t[]){INT64_C(9007199254740992), 2}, AT_EINPUT,
              "t.dp:8:12: state (i=1): a number leaves -2^53..2^53");
    at_dp_instance_free(x);
    at_dp_free(d);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

/* The largest of the examples: its tree does not fit into the first chunk of an arena. */
static at_status everything(at_err *err)
{
    static const int64_t s[] = {2, 1};
    at_dp *d = NULL;
    at_dp_instance *x = NULL;
    at_dp_chain chain;
    at_tri regular;
    int64_t *first, *second;
    uint64_t distinct;
    at_text t;
    at_arena a;
    at_arena_init(&a);
    at_text_init(&t);
    at_status r = at_dp_load("examples/edit-distance-local.dp", &d, err);
    if (r == AT_OK)
        r = at_dp_bind(d, (int64_t[]){1, 1}, &x, err);
    if (r == AT_OK)
        r = at_dp_run(x, s, &a, &chain, err);
    if (r == AT_OK)
        r = at_dp_regular(x, 1000, &a, &regular, &first, &second, &distinct, err);
    if (r == AT_OK)
        r = at_dp_print(d, &t);
    at_text_release(&t);
    at_arena_release(&a);
    at_dp_instance_free(x);
    at_dp_free(d);
    return r;
}

/* An error needs memory for its words; without it the words are "out of memory". */
static at_status faulty(at_err *err)
{
    const char *text = HEAD "need u = (i+1) when i < n\nv = 1 answer v";
    at_dp *d = NULL;
    at_dp_instance *x = NULL;
    at_status r = at_dp_parse(text, strlen(text), "t.dp", &d, err);
    if (r == AT_OK)
        r = at_dp_bind(d, (int64_t[]){3}, &x, err);
    at_dp_free(d);
    return r;
}

static long injected(at_status (*job)(at_err *err), at_status last)
{
    for (long n = 1;; n++) {
        at_err err = {0};
        at_alloc_inject(n);
        at_status s = job(&err);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        if (!fired) {
            assert_int_equal(s, last);
            return n - 1;
        }
        assert_int_equal(s, AT_ENOMEM);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    assert_true(injected(everything, AT_OK) >= 10);
    assert_true(injected(faulty, AT_EINPUT) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_many_names),   cmocka_unit_test(test_many_nodes),
        cmocka_unit_test(test_missing_file), cmocka_unit_test(test_bind),
        cmocka_unit_test(test_huge),         cmocka_unit_test(test_unproved),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
