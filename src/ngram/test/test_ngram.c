/* test_ngram.c: tables with back-off against the definition, taken from a plain list of n-grams; full tables against their rows; states
 * and histories against brute force. */
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

/* ---- a random ARPA file, and the same as a list ----------------------------------------------------------------- */

enum { W = 4, EOS = W, BOS = W + 1, ORDER = 4, MOST = 3000 };
static const char *const names[] = {"sun", "rain", "<unk>", "wind", "</s>", "<s>"};

typedef struct {
    int n, word[ORDER];
    double p, backoff;
} gram;
typedef struct {
    int n, order;
    gram g[MOST];
} list;

static const gram *list_find(const list *l, const int *word, int n)
{
    for (int i = 0; i < l->n; i++)
        if (l->g[i].n == n && !memcmp(l->g[i].word, word, (size_t)n * sizeof *word))
            return &l->g[i];
    return NULL;
}

/* The definition: the longest context that is known with the word, and the back-off weights of those before it. */
static double list_next(const list *l, const int *history, int len, int word)
{
    int all[ORDER];
    if (len > l->order - 1)
        return list_next(l, history + len - (l->order - 1), l->order - 1, word);
    memcpy(all, history, (size_t)len * sizeof *all);
    all[len] = word;
    const gram *g = list_find(l, all, len + 1), *context = len ? list_find(l, history, len) : NULL;
    if (g)
        return g->p;
    return (context ? context->backoff : 0) + list_next(l, history + 1, len - 1, word);
}

static double random_log(at_rng *r, double most)
{
    switch (at_rng_below(r, 6)) {
    case 0:
        return -INFINITY;
    case 1:
        return most;
    default:
        return most - 2 * at_rng_unit(r);
    }
}

/* Contexts whose suffixes are missing, zeros, weights of 1 with nothing behind them: all are met. */
static void list_make(list *l, int order, at_rng *r)
{
    l->n = 0;
    l->order = order;
    for (int w = 0; w < W + 2; w++)
        l->g[l->n++] = (gram){1,
                              {w},
                              w == BOS ? -INFINITY : random_log(r, -0.2),
                              w == EOS || order == 1 ? 0 : random_log(r, 0.3)};
    for (int k = 2, from = 0; k <= order; k++) {
        int end = l->n;
        for (int i = from; i < end; i++)
            for (int w = 0; w <= W && l->g[i].word[k - 2] != EOS; w++)
                if (at_rng_below(r, 3) == 0) {
                    gram g = l->g[i];
                    g.word[k - 1] = w;
                    g.n = k;
                    g.p = random_log(r, -0.1);
                    g.backoff = k == order || w == EOS || at_rng_below(r, 2) ? 0 : random_log(r, 0.3);
                    assert_true(l->n < MOST);
                    l->g[l->n++] = g;
                }
        from = end;
    }
}

static void number_add(at_text *t, double x)
{
    at_text_addf(t, "%.17g", x == -INFINITY ? -99 : x);
}

/* In any order of lines: shuffled by stride. */
static void list_print(const list *l, at_text *t)
{
    at_text_add(t, "\\data\\\n");
    for (int k = 1; k <= l->order; k++) {
        int n = 0;
        for (int i = 0; i < l->n; i++)
            n += l->g[i].n == k;
        at_text_addf(t, "ngram %d=%d\n", k, n);
    }
    for (int k = 1; k <= l->order; k++) {
        at_text_addf(t, "\\%d-grams:\n", k);
        for (int i = l->n - 1; i >= 0; i--) {
            const gram *g = &l->g[k == 1 ? l->n - 1 - i : i];
            if (g->n != k)
                continue;
            number_add(t, g->p);
            for (int j = 0; j < k; j++)
                at_text_addf(t, "%s%s", j ? " " : "\t", names[g->word[j]]);
            if (g->backoff != 0) {
                at_text_add(t, "\t");
                number_add(t, g->backoff);
            }
            at_text_add(t, "\n");
        }
    }
    at_text_add(t, "\\end\\\n");
}

static at_ngram *read_text(room *w, const char *text)
{
    at_ngram *g;
    if (at_ngram_read(text, strlen(text), "x", &w->a, &g, &w->err))
        fail_msg("%s", w->err.text);
    return g;
}

static at_ngram *list_read(room *w, const list *l)
{
    at_text t;
    at_text_init(&t);
    list_print(l, &t);
    at_ngram *g = read_text(w, t.s);
    at_text_release(&t);
    return g;
}

static void close_to(double x, double y)
{
    if (isinf(x) || isinf(y))
        assert_true(x == y);
    else
        assert_true(fabs(x - y) <= 1e-12);
}

/* History number i of exactly n ids, <s> perhaps first. */
static bool history_nth(int *history, int n, int i)
{
    for (int at = n - 1; at >= 0; at--, i /= W + 1)
        if ((history[at] = i % (W + 1)) == W) {
            if (at)
                return false;
            history[at] = BOS;
        }
    return true;
}

static int count_of(int n)
{
    int c = 1;
    while (n--)
        c *= W + 1;
    return c;
}

static void against_list(const at_ngram *g, const list *l)
{
    for (int n = 0; n <= ORDER; n++)
        for (int i = 0; i < count_of(n); i++) {
            int history[ORDER + 1], suffix[ORDER];
            double row[W + 1], state_row[W + 1], sum_row[W + 1];
            if (!history_nth(history, n, i))
                continue;
            at_ngram_row(g, history, n, row);
            int state = at_ngram_state(g, history, n);
            assert_true(at_ngram_is_state(g, state));
            at_ngram_state_row(g, state, state_row);
            int len = at_ngram_state_words(g, state, suffix);
            assert_true(len <= n && len < l->order);
            assert_memory_equal(suffix, history + n - len, (size_t)len * sizeof *suffix);
            at_ngram_row(g, suffix, len, sum_row);
            assert_memory_equal(row, state_row, sizeof row);
            assert_memory_equal(row, sum_row, sizeof row);
            for (int w = 0; w <= W; w++) {
                double want = list_next(l, history, n, w);
                int next = state;
                close_to(at_ngram_next(g, history, n, w), want);
                close_to(at_ngram_step(g, &next, w), want);
                assert_true(fabs(row[w] - (want == -INFINITY ? 0 : pow(10, want))) <= 1e-12);
                history[n] = w;
                assert_int_equal(next, w == EOS ? 0 : at_ngram_state(g, history, n + 1));
            }
        }
}

static void test_backoff(void **unused)
{
    (void)unused;
    static list l;
    for (uint64_t seed = 0; seed < 12; seed++) {
        room w = {0};
        at_rng r = at_rng_at(seed, 0);
        list_make(&l, 1 + (int)(seed % ORDER), &r);
        at_ngram *g = list_read(&w, &l);
        assert_int_equal(g->words, W);
        assert_int_equal(g->unk, 2);
        against_list(g, &l);
        at_arena_release(&w.a);
    }
}

/* The comparison notices one wrong number. */
static void test_control(void **unused)
{
    (void)unused;
    static list l;
    room w = {0};
    at_rng r = at_rng_at(7, 1);
    list_make(&l, 3, &r);
    at_ngram *g = list_read(&w, &l);
    int n = 0, history[ORDER];
    for (int i = 0; i < l.n; i++)
        if (l.g[i].n == 2 && l.g[i].backoff != 0 && l.g[i].backoff > -5)
            l.g[n = i].backoff += 1e-9;
    assert_true(n > 0);
    int different = 0;
    for (int i = 0; i < count_of(2); i++)
        for (int v = 0; v <= W && history_nth(history, 2, i); v++) {
            double x = at_ngram_next(g, history, 2, v), y = list_next(&l, history, 2, v);
            different += !isinf(x) && fabs(x - y) > 1e-12;
        }
    assert_true(different > 0);
    at_arena_release(&w.a);
}

/* What is printed is read as the same, and prints as the same. */
static void test_print(void **unused)
{
    (void)unused;
    static list l;
    for (uint64_t seed = 0; seed < 8; seed++) {
        room w = {0};
        at_text one, two;
        at_text_init(&one);
        at_text_init(&two);
        at_rng r = at_rng_at(seed, 2);
        list_make(&l, 1 + (int)(seed % ORDER), &r);
        at_ngram *g = list_read(&w, &l);
        at_ngram_print(g, NULL, &one);
        at_ngram *again = read_text(&w, one.s);
        at_ngram_print(again, NULL, &two);
        assert_string_equal(one.s, two.s);
        for (int state = 0; state < at_ngram_states(g); state++)
            for (int v = 0; v <= W; v++) {
                int x = state, y = state;
                assert_true(at_ngram_step(g, &x, v) == at_ngram_step(again, &y, v) && x == y);
            }
        at_text_release(&one);
        at_text_release(&two);
        at_arena_release(&w.a);
    }
}

/* ---- full tables ------------------------------------------------------------------------------------------------- */

static const char *const three[] = {"a", "b", "c"};

static void counts_make(uint64_t *count, uint64_t rows, int V, at_rng *r)
{
    for (uint64_t i = 0; i < rows; i++) {
        for (int w = 0; w < V; w++)
            count[i * (uint64_t)V + (uint64_t)w] = at_rng_below(r, 3) ? at_rng_below(r, 9) : 0;
        count[i * (uint64_t)V + at_rng_below(r, (uint64_t)V)] += 1;
    }
}

static void test_counts(void **unused)
{
    (void)unused;
    static const uint64_t rows_of[] = {0, 1, 4, 13, 40};
    for (int order = 1; order <= 4; order++) {
        room w = {0};
        uint64_t count[40 * 4], rows = rows_of[order];
        double p[40 * 4];
        at_rng r = at_rng_at((uint64_t)order, 3);
        counts_make(count, rows, 4, &r);
        for (uint64_t i = 0; i < rows; i++) {
            double sum = 0;
            for (int v = 0; v < 4; v++)
                sum += (double)count[4 * i + (uint64_t)v];
            for (int v = 0; v < 4; v++)
                p[4 * i + (uint64_t)v] = (double)count[4 * i + (uint64_t)v] / sum;
        }
        at_ngram *g, *h;
        assert_int_equal(at_ngram_of_counts(order, 3, three, count, &w.a, &g, &w.err), AT_OK);
        assert_int_equal(at_ngram_of_table(order, 3, three, p, &w.a, &h, &w.err), AT_OK);
        assert_int_equal(at_ngram_histories(g), rows);
        for (uint64_t i = 0; i < rows; i++) {
            int history[3];
            uint64_t over, under;
            double row[4], other[4];
            int n = at_ngram_history(g, i, history);
            assert_int_equal(at_ngram_history_find(g, history, n), i);
            at_ngram_row(g, history, n, row);
            at_ngram_row(h, history, n, other);
            for (int v = 0; v < 4; v++) {
                assert_true(fabs(row[v] - p[4 * i + (uint64_t)v]) <= 1e-15);
                assert_true(row[v] == other[v] && (row[v] == 0) == !count[4 * i + (uint64_t)v]);
                assert_true(at_ngram_fraction(g, history, n, v, &over, &under));
                assert_int_equal(over, count[4 * i + (uint64_t)v]);
                assert_true(fabs((double)over / (double)under - row[v]) <= 1e-15);
                assert_false(at_ngram_fraction(h, history, n, v, &over, &under));
            }
        }
        at_arena_release(&w.a);
    }
}

/* Every history, once, as a sentence has it before its next word. */
static void test_histories(void **unused)
{
    (void)unused;
    room w = {0};
    uint64_t count[13 * 4];
    for (int i = 0; i < 13 * 4; i++)
        count[i] = 1;
    at_ngram *g;
    assert_int_equal(at_ngram_of_counts(3, 3, three, count, &w.a, &g, &w.err), AT_OK);
    bool met[13] = {false};
    for (int i = 0; i < 27; i++) {
        int sentence[] = {4, i / 9, i / 3 % 3, i % 3};
        for (int n = 1; n <= 4; n++) {
            uint64_t k = at_ngram_history_find(g, sentence, n);
            int history[2], len;
            assert_true(k < 13);
            met[k] = true;
            len = at_ngram_history(g, k, history);
            assert_int_equal(len, n == 1 ? 1 : 2);
            assert_memory_equal(history, sentence + n - len, (size_t)len * sizeof *history);
        }
    }
    for (int i = 0; i < 13; i++)
        assert_true(met[i]);
    assert_true(at_ngram_history_find(g, (int[]){1}, 1) == UINT64_MAX);    /* no sentence has it */
    assert_true(at_ngram_history_find(g, (int[]){1, 3}, 2) == UINT64_MAX); /* </s> */
    at_arena_release(&w.a);
}

static void test_tables_refused(void **unused)
{
    (void)unused;
    room w = {0};
    at_ngram *g;
    double p[] = {0.5, 0.25, 0.25, 0};
    uint64_t none[] = {0, 0, 0, 0}, much[] = {INT64_MAX, 1, 0, 0};
    const char *twice[] = {"a", "b", "a"}, *blank[] = {"a", "b c", "d"}, *end[] = {"a", "</s>", "b"};
    assert_int_equal(at_ngram_of_table(1, 3, three, p, &w.a, &g, &w.err), AT_OK);
    p[0] = 0.5 + 2e-9;
    assert_int_equal(at_ngram_of_table(1, 3, three, p, &w.a, &g, &w.err), AT_EDOMAIN);
    p[0] = NAN;
    assert_int_equal(at_ngram_of_table(1, 3, three, p, &w.a, &g, &w.err), AT_EDOMAIN);
    assert_int_equal(at_ngram_of_counts(1, 3, three, none, &w.a, &g, &w.err), AT_EDOMAIN);
    assert_int_equal(at_ngram_of_counts(1, 3, three, much, &w.a, &g, &w.err), AT_EDOMAIN);
    none[0] = 1;
    assert_int_equal(at_ngram_of_counts(1, 3, twice, none, &w.a, &g, &w.err), AT_EINPUT);
    assert_int_equal(at_ngram_of_counts(1, 3, blank, none, &w.a, &g, &w.err), AT_EINPUT);
    assert_int_equal(at_ngram_of_counts(1, 3, end, none, &w.a, &g, &w.err), AT_EINPUT);
    assert_int_equal(at_ngram_of_counts(9, 3, three, none, &w.a, &g, &w.err), AT_EDOMAIN);
    assert_int_equal(at_ngram_of_counts(0, 3, three, none, &w.a, &g, &w.err), AT_EDOMAIN);
    assert_int_equal(at_ngram_of_counts(8, 1000, three, none, &w.a, &g, &w.err), AT_EBUDGET);
    at_arena_release(&w.a);
}

static void test_memory(void **unused)
{
    (void)unused;
    static list l;
    at_text t;
    at_text_init(&t);
    at_rng r = at_rng_at(3, 4);
    list_make(&l, 3, &r);
    list_print(&l, &t);
    bool done = false;
    for (long nth = 1; !done; nth++) {
        room w = {0};
        at_ngram *g;
        uint64_t count[4 * 4] = {1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
        at_alloc_inject(nth);
        at_status s = at_ngram_read(t.s, t.n, "x", &w.a, &g, &w.err);
        if (!s)
            s = at_ngram_of_counts(2, 3, three, count, &w.a, &g, &w.err);
        done = !at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(s, done ? AT_OK : AT_ENOMEM);
        at_arena_release(&w.a);
    }
    at_text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backoff),   cmocka_unit_test(test_control),
        cmocka_unit_test(test_print),     cmocka_unit_test(test_counts),
        cmocka_unit_test(test_histories), cmocka_unit_test(test_tables_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
