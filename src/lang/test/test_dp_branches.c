/* test_dp_branches.c: the samplers of a recurrence reach every branch of its definition.
 *
 * At small sizes all inputs are enumerated: that tells which branches there are. Then random draws alone and
 * adversarial draws alone must reach all of them. At large sizes the adversarial draws alone must, with few letters and
 * with many. A sampler that does less is found by the same measurement. */
#include "dp_test.h"

#include <stdlib.h>

enum { DRAWS = 200, SEED = 11, SMALL = 3, LARGE = 3 };

typedef at_status (*sampler)(const void *self, at_rng *r, double *prompt, int *n, at_err *err);

typedef struct {
    const char *sizes; /* NULL: no more */
    int64_t letters;   /* 0: all */
} setting;

typedef struct {
    const char *name, *text; /* text NULL: the example of this name */
    int ways;                /* that the enumerated inputs go, at all sizes */
    /* Small sizes and the edge, where there are fewer branches, are enumerated; they are chosen so that random draws
     * can find the rarest branch. Large sizes must reach what the small ones have. */
    setting small[SMALL], edge, large[LARGE];
} problem;

static const problem examples[] = {
    {"coins",
     NULL,
     33,
     {{"n=2,amount=7", 0}, {"n=3,amount=5", 0}, {"n=3,amount=9", 3}},
     {"n=0,amount=3", 0},
     {{"n=6,amount=25", 0}, {"n=12,amount=40", 0}}},
    {"edit-distance",
     NULL,
     45,
     {{"n1=3,n2=3", 3}, {"n1=2,n2=4", 3}, {"n1=2,n2=2,border=1", 6}},
     {"n1=0,n2=2", 3},
     {{"n1=8,n2=9", 0}, {"n1=15,n2=12", 0}, {"n1=20,n2=20", 4}}},
    {"edit-distance-local",
     NULL,
     80,
     {{"n1=3,n2=3", 3}, {"n1=2,n2=4", 3}, {"n1=2,n2=2,border=1", 6}},
     {"n1=0,n2=2", 3},
     {{"n1=8,n2=9", 0}, {"n1=12,n2=15", 0}, {"n1=18,n2=20", 4}}},
    {"grid",
     NULL,
     24,
     {{"rows=2,cols=2", 0}, {"rows=2,cols=3", 4}, {"rows=3,cols=3", 2}},
     {"rows=1,cols=3", 0},
     {{"rows=5,cols=6", 0}, {"rows=12,cols=10", 0}}},
    {"knapsack",
     NULL,
     38,
     {{"n=2,cap=5", 6}, {"n=2,cap=9", 0}, {"n=3,cap=4", 4}},
     {"n=0,cap=4", 0},
     {{"n=8,cap=20", 0}, {"n=15,cap=40", 0}}},
    {"lcs",
     NULL,
     42,
     {{"n1=3,n2=3", 3}, {"n1=2,n2=4", 3}, {"n1=2,n2=2", 8}},
     {"n1=2,n2=0", 3},
     {{"n1=8,n2=9", 0}, {"n1=15,n2=12", 0}, {"n1=20,n2=20", 4}}},
    {"lis",
     NULL,
     45,
     {{"n=4,top=5", 0}, {"n=3,top=12", 0}, {"n=5,top=3", 0}},
     {"n=0,top=3", 0},
     {{"n=10,top=30", 0}, {"n=20,top=999", 0}}},
    {"palindrome", NULL, 26, {{"n=4", 4}, {"n=3", 12}, {"n=6", 3}}, {"n=0", 0}, {{"n=10", 0}, {"n=20", 0}}},
    {"prefix-sum",
     NULL,
     12,
     {{"n=4,q=5", 0}, {"n=2,q=97", 0}, {"n=8,q=2", 0}},
     {"n=0,q=5", 0},
     {{"n=30,q=97", 0}, {"n=100,q=2", 0}}},
    {"matrix-chain", NULL, 4, {{"n=3", 3}, {"n=2", 4}}, {"n=1", 4}, {{"n=6", 0}, {"n=9", 0}}},
    {"cyk", NULL, 53, {{"n=4", 0}, {"n=5", 0}}, {"n=1", 0}, {{"n=8", 0}, {"n=10", 0}}},
    {"search-tree", NULL, 8, {{"n=2", 4}, {"n=3", 3}}, {"n=1", 0}, {{"n=6", 0}, {"n=9", 0}}},
    {"egg-drop",
     NULL,
     11,
     {{"eggs=2,floors=4", 0}, {"eggs=3,floors=5", 0}},
     {"eggs=1,floors=2", 0},
     {{"eggs=3,floors=9", 0}}},
    {"viterbi", NULL, 4, {{"n=3", 0}, {"n=4", 0}}, {"n=1", 0}, {{"n=12", 0}, {"n=20", 0}}},
    {"bitonic", NULL, 12, {{"n=3", 2}, {"n=3", 2}}, {"n=3", 1}, {{"n=5", 0}, {"n=6", 0}}},
    {"floyd-warshall", NULL, 9, {{"n=2", 3}, {"n=2", 5}}, {"n=1", 0}, {{"n=4", 0}, {"n=5", 0}}},
    {"alignment",
     NULL,
     73,
     {{"n=2,m=2", 3}, {"n=2,m=3", 2}},
     {"n=1,m=1", 3},
     {{"n=6,m=6", 0}, {"n=8,m=9", 4}}},
    {"max-product", NULL, 24, {{"n=3", 0}, {"n=4", 0}}, {"n=1", 0}, {{"n=9", 0}, {"n=10", 0}}},
    {"max-subarray", NULL, 7, {{"n=2", 0}, {"n=3", 6}}, {"n=1", 0}, {{"n=10", 0}, {"n=30", 0}}},
    {"rod-cutting", NULL, 4, {{"n=2", 0}, {"n=3", 5}}, {"n=1", 0}, {{"n=6", 0}, {"n=10", 0}}},
    {"stairs", NULL, 18, {{"n=3", 0}, {"n=5", 0}}, {"n=1", 0}, {{"n=8", 0}, {"n=12", 0}}},
    {"subset-sum",
     NULL,
     31,
     {{"n=2,most=3", 3}, {"n=2,most=4", 4}},
     {"n=1,most=2", 3},
     {{"n=5,most=12", 0}, {"n=6,most=20", 0}}},
    {"common-substring",
     NULL,
     13,
     {{"n=2,m=2", 3}, {"n=3,m=3", 2}},
     {"n=1,m=1", 3},
     {{"n=8,m=9", 0}, {"n=15,m=12", 0}}},
    {"palindrome-cuts", NULL, 21, {{"n=3", 3}, {"n=4", 3}}, {"n=1", 3}, {{"n=8", 0}, {"n=12", 0}}},
    {"interleaving", NULL, 36, {{"n=1,m=2", 3}, {"n=2,m=2", 2}}, {"n=1,m=1", 3}, {{"n=3,m=3", 2}}},
    {"stock", NULL, 14, {{"n=2", 4}, {"n=3", 4}}, {"n=1", 0}, {{"n=10", 0}, {"n=20", 0}}},
    {"dice", NULL, 11, {{"n=1,s=3", 0}, {"n=2,s=4", 0}}, {"n=1,s=1", 0}, {{"n=3,s=8", 0}, {"n=5,s=12", 0}}},
    {"jumps", NULL, 11, {{"n=3", 4}, {"n=4", 3}}, {"n=1", 0}, {{"n=8", 0}, {"n=12", 0}}},
    {"bit-count", NULL, 6, {{"n=3", 0}, {"n=6", 0}}, {"n=0", 0}, {{"n=20", 0}}},
};

/* Problems of a user, with branches that hardly any input takes: among random inputs of the large sizes less than one
 * in 10^8 is a palindrome, rises, or says the same word twice. */
#define WORDS(first, second, rule)                                                                           \
    "size n in 1..99 input a[n] in 1..26 input b[n] in 1..26 state i in 1..n value v in 0..99\n"             \
    "take x = " first " take y = " second " need last = (i-1) when i > 1\n"                                  \
    "let p = if i > 1 then last.v else 0\n" rule
#define WORD(index, hi, from, rule)                                                                          \
    "size n in 1..99 input s[n] in 0.." hi " state i in 1..n value v in 0..99\n"                             \
    "take x = s[i] take y = s[" index "] when i > " from " take z = s[1] need last = (i-1) when i > 1\n"     \
    "let p = if i > 1 then last.v else 0\n" rule

static const problem users[] = {
    {"the same word, but for one or two letters",
     WORDS("a[i]", "b[i]",
           "v = p + if x == y then 0 else 1 answer if v == 0 then 7 else if v == 1 then 8 else if v == 2 "
           "then 9 else 0"),
     22,
     {{"n=3", 3}, {"n=4", 2}},
     {"n=1", 3},
     {{"n=10", 0}, {"n=30", 0}}},
    {"the same word backwards",
     WORDS("a[i]", "b[n + 1 - i]", "v = p + if x == y then 0 else 1 answer if v == 0 then 1 else 0"),
     14,
     {{"n=3", 3}, {"n=4", 2}},
     {"n=1", 3},
     {{"n=10", 0}, {"n=30", 0}}},
    {"the same word, moved",
     WORDS("a[i]", "b[if i == n then 1 else i + 1]",
           "v = p + if x == y or i == n then 0 else 1 answer if v == 0 then 1 else 0"),
     23,
     {{"n=3", 3}, {"n=4", 2}},
     {"n=1", 3},
     {{"n=10", 0}, {"n=30", 0}}},
    {"a palindrome, or nearly",
     WORD("n + 1 - i", "25", "0",
          "v = p + (if x == y then 0 else 1) + (if i == 2 and x == z then 9 else 0)\n"
          "answer if v == 0 then 1 else if v == 2 then 2 else 0"),
     28,
     {{"n=4", 3}, {"n=5", 3}},
     {"n=1", 3},
     {{"n=12", 0}, {"n=30", 0}}},
    {"rises",
     WORD("i - 1", "99", "1",
          "v = p + if i == 1 then 0 else if y < x then 0 else 1 answer if v == 0 then 1 else if v == n - 1 "
          "then 2 else 0"),
     25,
     {{"n=3", 4}, {"n=3", 6}},
     {"n=1", 3},
     {{"n=12", 0}, {"n=30", 0}}},
    {"every second letter the same",
     WORD("i - 2", "25", "2",
          "v = p + (if i <= 2 then 0 else if x == y then 0 else 1) + (if i == 2 and x == z then 9 else 0)\n"
          "answer if v == 0 then 1 else 0"),
     31,
     {{"n=4", 3}, {"n=5", 3}},
     {"n=1", 3},
     {{"n=12", 0}, {"n=30", 0}}},
    {"a number of the definition",
     "size n in 1..99, limit in 0..999 input s[n] in 0..999 state i in 1..n value v in 0..9\n"
     "take x = s[i] v = (if x == 3 then 1 else 0) + (if x <= limit then 2 else 4) answer max(v, 3)",
     12,
     {{"n=2,limit=5", 8}, {"n=3,limit=2", 6}},
     {"n=1,limit=2", 8},
     {{"n=4,limit=700", 0}, {"n=30,limit=500", 0}}},
    {"the least and the largest sum",
     "size n in 1..99 input s[n] in 0..4 state i in 1..n value sum in 0..4*n\n"
     "take x = s[i] need last = (i-1) when i > 1\n"
     "sum = min(4*n, x + if i > 1 then last.sum else 0)\n"
     "answer if sum == 0 then 1 else if sum == 4*n then 2 else 3",
     16,
     {{"n=2", 0}},
     {"n=1", 0},
     {{"n=12", 0}, {"n=30", 0}}},
};

/* Adds what the draws of a sampler reach, or, without one, all inputs. */
static void reach(const at_dp *d, setting at, sampler draw, at_dp_branch *seen)
{
    at_err err = {0};
    int64_t size[AT_DP_MAX];
    void *self;
    if (at_dp_sizes_parse(d, at.sizes, size, &err) ||
        at_dp_chain_open((at_dp *)d, false, size, at.letters, &self, &err))
        fail_msg("%s", err.text);
    const at_dp_instance *x = at_dp_chain_instance(self);
    int row = at_dp_chain_row_width(self), n;
    double *prompt = malloc((size_t)(x->n_input + 1) * (size_t)row * sizeof *prompt);
    int64_t *input = malloc((size_t)(x->n_input + 1) * sizeof *input);
    uint64_t count = draw ? DRAWS : at_dp_chain_count(self);
    assert_true(prompt && input && count <= 20000);
    for (uint64_t i = 0; i < count; i++) {
        at_rng r = at_rng_at(SEED, i);
        at_status s = draw ? draw(self, &r, prompt, &n, &err) : at_dp_chain_nth(self, i, prompt, &n, &err);
        for (int64_t k = 0; k < x->n_input; k++)
            input[k] = (int64_t)prompt[k * row];
        for (int f = 0; f < d->n_inputs; f++)
            for (int64_t k = 0; at.letters && k < x->input_len[f]; k++)
                assert_true(input[x->input_first[f] + k] < x->input_lo[f] + at.letters);
        if (s || at_dp_branches(x, input, seen, &err))
            fail_msg("%s", err.text);
    }
    free(prompt);
    free(input);
    at_dp_chain_close(self);
}

static at_dp_branch *branches_new(const at_dp *d)
{
    at_dp_branch *b = calloc((size_t)d->n_nodes, sizeof *b);
    assert_non_null(b);
    return b;
}

static void branches_add(const at_dp *d, at_dp_branch *to, const at_dp_branch *from)
{
    for (int i = 0; i < d->n_nodes; i++) {
        to[i].at = from[i].at ? from[i].at : to[i].at;
        to[i].ways |= from[i].ways;
    }
}

static at_dp *dp_text(const problem *p)
{
    char text[1024];
    snprintf(text, sizeof text, "problem \"%s\"\n%s", p->name, p->text);
    return dp_of(text);
}

/* How many ways of `all` are not among `seen`; their places in words. */
static int missed(const at_dp *d, const at_dp_branch *all, const at_dp_branch *seen, at_text *out)
{
    int n = 0;
    const char *way;
    for (int i = 0; i < d->n_nodes; i++)
        for (int k = 0; all[i].at && (way = at_dp_way(all[i].at->op, k)); k++)
            if (all[i].ways & ~seen[i].ways & 1u << k) {
                at_text_addf(out, "%s%d:%d ", n++ ? "; " : "", all[i].at->line, all[i].at->column);
                at_dpx_print(d, all[i].at, out);
                at_text_addf(out, ": %s", way);
            }
    return n;
}

static int ways_count(const at_dp *d, const at_dp_branch *all)
{
    int n = 0;
    for (int i = 0; i < d->n_nodes; i++)
        n += __builtin_popcount(all[i].ways);
    return n;
}

static void reach_check(const at_dp *d, setting at, const at_dp_branch *all, const at_dp_branch *seen,
                        const char *what)
{
    at_text t;
    at_text_init(&t);
    if (missed(d, all, seen, &t))
        fail_msg("%s at %s, %lld letters: %d %s draws miss %s", d->title, at.sizes, (long long)at.letters,
                 DRAWS, what, t.s);
    at_text_release(&t);
}

static void problem_check(const problem *p)
{
    at_dp *d = p->text ? dp_text(p) : dp_example(p->name);
    at_dp_branch *wanted = branches_new(d), *total = branches_new(d);
    for (int k = 0; k <= SMALL; k++) {
        setting at = k < SMALL ? p->small[k] : p->edge;
        if (!at.sizes)
            continue;
        at_dp_branch *all = branches_new(d), *random = branches_new(d), *hard = branches_new(d);
        reach(d, at, NULL, all);
        reach(d, at, at_dp_chain_sample, random);
        reach(d, at, at_dp_chain_adversarial, hard);
        reach_check(d, at, all, random, "random");
        reach_check(d, at, all, hard, "adversarial");
        branches_add(d, total, all);
        if (k < SMALL)
            branches_add(d, wanted, all);
        free(all);
        free(random);
        free(hard);
    }
    for (int k = 0; k < LARGE && p->large[k].sizes; k++) {
        at_dp_branch *seen = branches_new(d);
        reach(d, p->large[k], at_dp_chain_adversarial, seen);
        reach_check(d, p->large[k], wanted, seen, "adversarial");
        free(seen);
    }
    assert_int_equal(ways_count(d, total), p->ways);
    free(wanted);
    free(total);
    at_dp_free(d);
}

static void test_examples(void **state)
{
    (void)state;
    assert_int_equal(sizeof examples / sizeof *examples, at_n_dp_examples);
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++)
        problem_check(&examples[k]);
}

static void test_users(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof users / sizeof *users; k++)
        problem_check(&users[k]);
}

/* Ranges as wide as they may be, of one value, and an input that has no element: every draw can be run. */
static void test_ranges(void **state)
{
    (void)state;
    at_dp *d = dp_of(
        "problem \"wide\" size n in 0..9\n"
        "input a[9] in -9007199254740992..9007199254740992 input b[n] in 3..3 input c[5] in -2..9\n"
        "state i in 1..5 value v in 0..1 take x = a[i] take y = c[i] v = if x < y then 1 else 0 answer v");
    at_dp_branch *seen = branches_new(d), *all = branches_new(d);
    reach(d, (setting){"n=1", 2}, NULL, all);
    for (int n = 0; n < 2; n++)
        reach(d, (setting){n ? "n=4" : "n=0", 0}, at_dp_chain_adversarial, seen);
    reach_check(d, (setting){"n=4", 0}, all, seen, "adversarial");
    reach(d, (setting){"n=4", 0}, at_dp_chain_sample, seen);
    free(all);
    free(seen);
    at_dp_free(d);
}

/* ---- controls: samplers that do not reach every branch -------------------------------------------------------- */

static at_status first_draw(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    (void)r;
    return at_dp_chain_nth(self, 0, prompt, n, err);
}

/* Every element has a value that no other has: uniform but for the equal letters. */
static at_status unequal_draw(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    int row = at_dp_chain_row_width(self);
    bool again = true;
    at_status s = AT_OK;
    while (again && !s) {
        s = at_dp_chain_sample(self, r, prompt, n, err);
        again = false;
        for (int i = 0; i < *n - 1; i++)
            for (int j = 0; j < i; j++)
                again = again || prompt[i * row] == prompt[j * row];
    }
    return s;
}

/* The measurement finds so many branches missed, among them this one. */
static void control(const char *name, setting at, sampler draw, int misses, const char *words)
{
    at_dp *d = dp_example(name);
    at_dp_branch *all = branches_new(d), *seen = branches_new(d);
    at_text t;
    at_text_init(&t);
    reach(d, at, NULL, all);
    reach(d, at, draw, seen);
    int n = missed(d, all, seen, &t);
    if (n != misses || !strstr(t.s, words))
        fail_msg("%s: %d missed: %s", name, n, t.s);
    at_text_release(&t);
    free(all);
    free(seen);
    at_dp_free(d);
}

static void test_controls(void **state)
{
    (void)state;
    control("coins", examples[0].small[0], first_draw, 8, "c < w: first above");
    control("edit-distance", examples[1].small[0], first_draw, 3, "x == y: unequal");
    control("edit-distance-local", examples[2].small[0], first_draw, 3, "p == q: unequal");
    control("grid", examples[3].small[0], first_draw, 2, "min(up.sum, left.sum): first below");
    control("knapsack", examples[4].small[0], first_draw, 5, "x <= w: first above");
    control("lcs", examples[5].small[0], first_draw, 13, "x == y: unequal");
    control("lis", examples[6].small[0], first_draw, 4, "y < x: first below");
    control("palindrome", examples[7].small[0], first_draw, 5, "x == y: unequal");
    control("prefix-sum", examples[8].small[0], first_draw, 1, "mod q: wraps");
    control("lcs", (setting){"n1=2,n2=2", 8}, unequal_draw, 13, "x == y: equal");
    control("lis", (setting){"n=3,top=12", 0}, unequal_draw, 1, "y < x: equal");
}

/* ---- the measurement itself, by hand ---------------------------------------------------------------------------- */

static void test_ways(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        int64_t input[2];
        const char *ways; /* of all operations, arguments first */
    } cases[] = {
        {"if x == 1 then 5 else 6", {1, 2}, "unequal; equal; else; then"},
        {"if x != 1 then 5 else 6", {1, 1}, "equal; else"},
        {"if x < 2 then abs(x - 2) else 0", {1, 2}, "first below; equal; negative; else; then"},
        {"max(x, 2)", {1, 3}, "first below; first above"},
        {"min(x, 2)", {2, 2}, "equal"},
        {"(x + 1) mod 3", {1, 3}, "inside; wraps"},
        {"-x mod 3", {0, 0}, "inside"},
        {"abs(x - 2)", {2, 3}, "zero; positive"},
        {"if x == 1 and i == 1 then 1 else 0",
         {1, 1},
         "equal; unequal; equal; yes, no; yes, yes; else; then"},
        {"if not (x == 1 or i == 1) then 1 else 0",
         {2, 2},
         "unequal; unequal; equal; no, no; no, yes; else; then"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[256], got[512] = "";
        snprintf(
            text, sizeof text,
            "problem \"p\" input s[2] in 0..3 state i in 1..2 value v in 0..9 take x = s[i] v = %s answer v",
            cases[c].rule);
        at_dp *d = dp_of(text);
        at_dp_instance *x = dp_bound(d, "");
        at_dp_branch *seen = branches_new(d);
        const char *way;
        assert_int_equal(at_dp_branches(x, cases[c].input, seen, NULL), AT_OK);
        for (int i = 0; i < d->n_nodes; i++)
            for (int k = 0; seen[i].at && (way = at_dp_way(seen[i].at->op, k)); k++)
                if (seen[i].ways >> k & 1)
                    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", *got ? "; " : "", way);
        assert_string_equal(got, cases[c].ways);
        /* an input that is none adds nothing */
        at_dp_branch *none = branches_new(d), *empty = branches_new(d);
        assert_int_equal(at_dp_branches(x, (int64_t[]){1, 4}, none, NULL), AT_EDOMAIN);
        assert_memory_equal(none, empty, (size_t)d->n_nodes * sizeof *none);
        free(none);
        free(empty);
        free(seen);
        at_dp_instance_free(x);
        at_dp_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples), cmocka_unit_test(test_users), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_controls), cmocka_unit_test(test_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
