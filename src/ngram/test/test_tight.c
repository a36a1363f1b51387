/* test_tight.c: tightness decided by the graph, against the sum as a fraction, powers of the matrix, and brute force over states. */
#include <attest/ngram.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    at_arena a;
    at_err err;
} room;

static const char *const three[] = {"a", "b", "c"};
enum { STATES = 64 };

/* The probability of ever ending: P^(2^26) applied to the start, by squaring; row 0 is the end. */
static double mass_by_powers(double P[STATES][STATES], int n, int start)
{
    static double Q[STATES][STATES];
    for (int step = 0; step < 26; step++) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                double sum = 0;
                for (int j = 0; j < n; j++)
                    sum += P[i][j] * P[j][k];
                Q[i][k] = sum;
            }
        memcpy(P, Q, sizeof Q);
    }
    return P[start][0];
}

static at_tight tight_of(room *w, const at_ngram *g)
{
    at_tight t;
    if (at_ngram_tight(g, NULL, &w->a, &t, &w->err))
        fail_msg("%s", w->err.text);
    return t;
}

/* ---- full tables of counts ------------------------------------------------------------------------------------------ */

/* The chain of histories, by number: 1 + i is history i. */
static void table_matrix(const at_ngram *g, const uint64_t *count, double P[STATES][STATES])
{
    uint64_t V = (uint64_t)g->words + 1;
    memset(P, 0, sizeof(double[STATES][STATES]));
    P[0][0] = 1;
    for (uint64_t i = 0; i < at_ngram_histories(g); i++) {
        int history[4], n = at_ngram_history(g, i, history);
        double sum = 0;
        for (uint64_t v = 0; v < V; v++)
            sum += (double)count[i * V + v];
        for (int v = 0; v < g->words; v++) {
            history[n] = v;
            P[1 + i][1 + at_ngram_history_find(g, history, n + 1)] +=
                (double)count[i * V + (uint64_t)v] / sum;
        }
        P[1 + i][0] = (double)count[i * V + V - 1] / sum;
    }
}

static void test_random_tables(void **unused)
{
    (void)unused;
    int tight = 0, not_tight = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        room w = {0};
        at_rng r = at_rng_at(seed, 0);
        int order = 1 + (int)at_rng_below(&r, 3), words = 1 + (int)at_rng_below(&r, 3);
        uint64_t V = (uint64_t)words + 1, count[13 * 4] = {0};
        for (uint64_t i = 0; i < 13; i++) {
            for (uint64_t v = 0; v < V; v++)
                if (at_rng_below(&r, 3) == 0)
                    count[i * V + v] = 1 + at_rng_below(&r, 5);
            count[i * V + at_rng_below(&r, V)] += 1;
        }
        at_ngram *g;
        static double P[STATES][STATES];
        assert_int_equal(at_ngram_of_counts(order, words, three, count, &w.a, &g, &w.err), AT_OK);
        at_tight t = tight_of(&w, g);
        table_matrix(g, count, P);
        double mass = mass_by_powers(P, 1 + (int)at_ngram_histories(g), 1);
        assert_true(t.solved || !strcmp(t.mass, "0"));
        assert_int_equal(t.tight, !strcmp(t.mass, "1"));
        assert_true(fabs(t.mass_near - mass) <= 1e-12);
        assert_int_equal(t.tight, t.dead == 0);
        assert_true(t.off <= 1e-15);
        tight += t.tight;
        not_tight += !t.tight;
        at_arena_release(&w.a);
    }
    assert_true(tight > 40 && not_tight > 40);
}

static void test_trap(void **unused)
{
    (void)unused;
    room w = {0};
    at_ngram *g;
    /* behind <s>: a or b; behind a: the end; behind b: b */
    uint64_t count[] = {1, 1, 0, 0, 0, 1, 0, 1, 0};
    assert_int_equal(at_ngram_of_counts(2, 2, three, count, &w.a, &g, &w.err), AT_OK);
    at_tight t = tight_of(&w, g);
    assert_false(t.tight);
    assert_string_equal(t.mass, "1/2");
    assert_int_equal(t.states, 3);
    assert_int_equal(t.dead, 1);
    assert_int_equal(t.n_trap, 1);
    assert_int_equal(t.trap[0], 1);
    assert_int_equal(t.n_path, 1);
    assert_int_equal(t.path[0], 1);
    /* the control: out of the trap once in a million times */
    count[7] = 999999;
    count[8] = 1;
    assert_int_equal(at_ngram_of_counts(2, 2, three, count, &w.a, &g, &w.err), AT_OK);
    t = tight_of(&w, g);
    assert_true(t.tight && t.solved);
    assert_string_equal(t.mass, "1");
    /* the trap from the first word on */
    count[0] = 0;
    count[8] = 0;
    assert_int_equal(at_ngram_of_counts(2, 2, three, count, &w.a, &g, &w.err), AT_OK);
    t = tight_of(&w, g);
    assert_false(t.tight);
    assert_string_equal(t.mass, "0");
    assert_int_equal(t.n_path, 0);
    /* fractions that no double is: 1/3 of 2/7 */
    assert_int_equal(
        at_ngram_of_counts(2, 2, three, (uint64_t[]){2, 5, 0, 0, 2, 1, 0, 3, 0}, &w.a, &g, &w.err), AT_OK);
    t = tight_of(&w, g);
    assert_string_equal(t.mass, "2/21");
    at_arena_release(&w.a);
}

/* ---- files with back-off -------------------------------------------------------------------------------------------- */

static void line_add(at_text *t, at_rng *r, const char *words, bool weight)
{
    at_text_addf(t, "%.6f\t%s", at_rng_below(r, 3) ? -at_rng_unit(r) : -99, words);
    if (weight)
        at_text_addf(t, "\t%.6f", at_rng_below(r, 3) == 0 ? -at_rng_unit(r) : -99);
    at_text_add(t, "\n");
}

static at_ngram *random_file(room *w, uint64_t seed)
{
    static const char *const names[] = {"a", "b", "</s>", "<s>"};
    at_text t, level[4];
    at_rng r = at_rng_at(seed, 1);
    int n[4] = {0};
    bool has[4][4] = {{false}};
    for (int k = 1; k <= 3; k++)
        at_text_init(&level[k]);
    at_text_init(&t);
    for (int i = 0; i < 4; i++, n[1]++)
        line_add(&level[1], &r, names[i], i != 2);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            if (i != 2 && at_rng_below(&r, 2)) {
                char words[32];
                snprintf(words, sizeof words, "%s %s", names[i], names[k]);
                line_add(&level[2], &r, words, k != 2);
                has[i][k] = k != 2;
                n[2]++;
            }
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < 3 && has[i][k]; j++)
                if (at_rng_below(&r, 2)) {
                    char words[32];
                    snprintf(words, sizeof words, "%s %s %s", names[i], names[k], names[j]);
                    line_add(&level[3], &r, words, false);
                    n[3]++;
                }
    at_text_addf(&t, "\\data\\\nngram 1=%d\nngram 2=%d\nngram 3=%d\n", n[1], n[2], n[3]);
    for (int k = 1; k <= 3; k++) {
        at_text_addf(&t, "\\%d-grams:\n", k);
        at_text_add(&t, level[k].s ? level[k].s : "");
        at_text_release(&level[k]);
    }
    at_text_add(&t, "\\end\\\n");
    at_ngram *g;
    if (at_ngram_read(t.s, t.n, "x", &w->a, &g, &w->err))
        fail_msg("%s", w->err.text);
    at_text_release(&t);
    return g;
}

/* Behind b the words of the empty context remain, but for a, of which it says itself that it never comes; and a alone can end. */
static void test_hidden(void **unused)
{
    (void)unused;
    room w = {0};
    at_ngram *g;
    const char text[] = "\\data\\\nngram 1=4\nngram 2=2\n\\1-grams:\n-0.3 a\n-0.3 b -0.1\n-99 </s>\n-99 <s>\n"
                        "\\2-grams:\n-0.5 a </s>\n-99 b a\n\\end\\\n";
    assert_int_equal(at_ngram_read(text, strlen(text), "x", &w.a, &g, &w.err), AT_OK);
    at_tight t = tight_of(&w, g);
    assert_false(t.tight);
    assert_int_equal(t.trap[0], 1);
    at_arena_release(&w.a);
}

/* Every state and every word, one by one. */
static void test_random_files(void **unused)
{
    (void)unused;
    int tight = 0, not_tight = 0, off = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        room w = {0};
        at_ngram *g = random_file(&w, seed);
        at_tight t = tight_of(&w, g);
        static double P[STATES][STATES];
        bool reached[STATES] = {false};
        int S = at_ngram_states(g), n = 0;
        assert_true(S < STATES - 1);
        memset(P, 0, sizeof P);
        P[0][0] = 1;
        reached[at_ngram_start(g)] = true;
        for (int round = 0; round < S; round++)
            for (int s = 0; s < S; s++) {
                double row[3], sum = 0;
                if (!reached[s])
                    continue;
                at_ngram_state_row(g, s, row);
                for (int v = 0; v < 3; v++)
                    sum += row[v];
                memset(P[1 + s], 0, sizeof P[0]);
                for (int v = 0; v < 3 && sum > 0; v++) {
                    int to = s;
                    at_ngram_step(g, &to, v);
                    P[1 + s][v == 2 ? 0 : 1 + to] += row[v] / sum;
                    if (v < 2 && row[v] > 0)
                        reached[to] = true;
                }
            }
        for (int s = 0; s < S; s++)
            n += reached[s];
        double mass = mass_by_powers(P, 1 + S, 1 + at_ngram_start(g));
        assert_int_equal(t.states, n);
        assert_true(fabs(t.mass_near - mass) <= 1e-12);
        assert_int_equal(t.tight, !strcmp(t.mass, "1"));
        assert_int_equal(t.tight, mass > 1 - 1e-9);
        off += t.off > 0.01;
        tight += t.tight;
        not_tight += !t.tight;
        at_arena_release(&w.a);
    }
    assert_true(tight > 40 && not_tight > 40 && off > 100);
}

/* Too many states to solve: the decision stands, and where it is "tight" the sum is 1 all the same. */
static void test_many(void **unused)
{
    (void)unused;
    enum { W = 300 };
    room w = {0};
    static uint64_t count[(W + 1) * (W + 1)];
    static char name[W][16];
    const char *names[W];
    memset(count, 0, sizeof count);
    for (int i = 0; i < W; i++) {
        snprintf(name[i], sizeof name[i], "w%d", i);
        names[i] = name[i];
        count[(size_t)(1 + i) * (W + 1) + (size_t)((i + 1) % W)] = 1; /* a ring */
    }
    count[0] = 1;
    count[(size_t)W * (W + 1) + W] = 1; /* and out of it behind the last word */
    at_ngram *g;
    assert_int_equal(at_ngram_of_counts(2, W, names, count, &w.a, &g, &w.err), AT_OK);
    at_tight t = tight_of(&w, g);
    assert_true(t.tight && !t.solved && !strcmp(t.mass, "1") && t.states == W + 1);
    memset(count + (size_t)7 * (W + 1), 0, (W + 1) * sizeof *count);
    count[(size_t)7 * (W + 1) + 6] = count[(size_t)7 * (W + 1) + 7] =
        1; /* w6 may stay where it is: still no trap */
    assert_int_equal(at_ngram_of_counts(2, W, names, count, &w.a, &g, &w.err), AT_OK);
    assert_true(tight_of(&w, g).tight);
    count[3] = 1; /* <s> w3, and w3 only leads to itself */
    memset(count + (size_t)4 * (W + 1), 0, (W + 1) * sizeof *count);
    count[(size_t)4 * (W + 1) + 3] = 1;
    count[200] = 1;
    assert_int_equal(at_ngram_of_counts(2, W, names, count, &w.a, &g, &w.err), AT_OK);
    t = tight_of(&w, g);
    assert_false(t.tight);
    assert_int_equal(t.trap[0], 0); /* w0 leads to w3 and nowhere else */
    /* Few states are left: w200 .. w299, which goes on to w0 every other time, and <s>. */
    assert_true(t.solved);
    assert_string_equal(t.mass, "1/6");
    count[200] = 0;
    count[5] = 1;
    assert_int_equal(at_ngram_of_counts(2, W, names, count, &w.a, &g, &w.err), AT_OK);
    t = tight_of(&w, g);
    assert_true(!t.tight && !t.solved && !t.mass && isnan(t.mass_near) && t.states - t.dead == 296);
    at_arena_release(&w.a);
}

static void test_memory(void **unused)
{
    (void)unused;
    room w = {0};
    at_ngram *g = random_file(&w, 5);
    bool done = false;
    for (long nth = 1; !done; nth++) {
        at_arena a;
        at_tight t;
        at_err err = {0};
        at_arena_init(&a);
        at_alloc_inject(nth);
        at_status s = at_ngram_tight(g, NULL, &a, &t, &err);
        done = !at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(s, done ? AT_OK : AT_ENOMEM);
        at_arena_release(&a);
    }
    at_arena_release(&w.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_tables), cmocka_unit_test(test_trap),
        cmocka_unit_test(test_random_files),  cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
