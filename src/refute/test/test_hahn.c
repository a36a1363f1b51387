/* test_hahn.c: what a restriction says is so on every word; pairs are found where trying everything finds some; brackets; refusals. */
#include "../restrict.h"
#include "../../core/test/test_scale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "small_models.h"

/* A drawn model of two letters whose attention chooses one key. */
static void hard_draw(int k, int n, int layers, at_model *m)
{
    static const at_mask_kind masks[] = {AT_MASK_NONE, AT_MASK_CAUSAL, AT_MASK_STRICT, AT_MASK_STRICT_FUTURE};
    shape h = {.vocabulary = 2,
               .length = n,
               .width = 4,
               .layers = layers,
               .heads = 1 + k % 2,
               .dim = 2,
               .groups = 1 + k / 2 % 2,
               .last = k % 3 != 0,
               .mlp = k & 4,
               .read = AT_READ_ARGMAX,
               .rows = 2,
               .prefix = k % 3 == 1,
               .suffix = k % 5 == 1};
    model_draw(&h, (uint64_t)k + 1, m);
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            at_group *x = &m->blocks[b].groups[g];
            x->weighting = (k + g) % 2 ? AT_RIGHTMOST_HARD : AT_LEFTMOST_HARD;
            x->mask.kind = masks[(k + b) % 4];
            x->post = (at_post)(k % 7 == 3 ? AT_POST_NEG_ABS : AT_POST_ID);
            x->tie = k % 4 == 3 ? 0.25 : 0;
        }
}

/* The readout that answers, of every word of n letters 0 and 1: (2^n, 2). */
static double *readouts(const at_model *m, int n, at_arena *a)
{
    double *all = at_new(a, double, (size_t)2 << n), x[16];
    assert_non_null(all);
    for (int w = 0; w < 1 << n; w++) {
        at_output y;
        at_mark mark = at_arena_mark(a);
        for (int i = 0; i < n; i++)
            x[i] = w >> i & 1;
        OK(at_run(m, at_f64, &(at_input){n, x}, NULL, a, &y, &err));
        memcpy(all + 2 * w, y.value + (size_t)(y.n - 1) * 2, 2 * sizeof *all);
        at_arena_reset(a, mark);
    }
    return all;
}

/* Is the readout the same on all words that have the fixed letters and agree on the seen ones? */
static bool restriction_right(const at_restriction *r, const double *all)
{
    for (int w = 0; w < 1 << r->n; w++) {
        bool inside = true;
        int first = w;
        for (int i = 0; i < r->n; i++) {
            inside = inside && (r->letter[i] < 0 || r->letter[i] == (w >> i & 1));
            if (r->letter[i] < 0 && !r->seen[i])
                first &= ~(1 << i);
        }
        if (inside && memcmp(all + 2 * w, all + 2 * first, 2 * sizeof *all) != 0)
            return false;
    }
    return true;
}

/* Is there a word and a letter that the readout does not see? */
static bool some_unseen(const double *all, int n)
{
    for (int w = 0; w < 1 << n; w++)
        for (int i = 0; i < n; i++)
            if (!memcmp(all + 2 * w, all + 2 * (w ^ 1 << i), 2 * sizeof *all))
                return true;
    return false;
}

static void test_restrictions(void **state)
{
    (void)state;
    int found = 0, broken = 0, fixed = 0, deep = 0, tried = 0;
    for (int k = 0; k < (int)TEST_SCALED(60); k++) {
        int layers = 1 + k % 3, n = layers > 2 ? 6 : 6 + k % 2;
        at_model m;
        at_restriction r;
        at_arena a;
        at_arena_init(&a);
        hard_draw(k, n, layers, &m);
        double *all = readouts(&m, n, &a);
        err = (at_err){0};
        at_status s = at_restrict(&m, n, k % 2 ? -1 : 0, &(at_refute_env){0}, &a, &r, &err);
        if (s && s != AT_EBUDGET)
            fail_msg("model %d: %s", k, err.text);
        tried++;
        if (!s) {
            assert_true(r.seen_free < r.free && r.free <= n);
            if (!restriction_right(&r, all))
                fail_msg("model %d: %d fixed, %d seen", k, n - r.free, r.seen_free);
            assert_true(some_unseen(all, n));
            found++;
            deep += layers > 1;
            fixed += n - r.free;
            /* The same check rejects a restriction that leaves out a letter. */
            for (int i = 0; i < n; i++)
                if (r.letter[i] < 0 && r.seen[i]) {
                    r.seen[i] = false;
                    broken += !restriction_right(&r, all);
                    r.seen[i] = true;
                }
            bool is = true;
            if (k % 2 == 0)
                OK(brackets_complete(n, 0, r.letter, NULL, NULL, &is, &err));
            assert_true(is);
        }
        at_arena_release(&a);
        at_model_release(&m);
    }
    print_message(
        "%d of %d restricted (%d of more than one layer), %d letters fixed, %d broken ones rejected\n", found,
        tried, deep, fixed, broken);
    assert_true(2 * found > tried && broken > found / 4 && deep > 10 / TEST_SCALE);
}

/* The pair is found exactly where there is one among all words: for PARITY every change counts. */
static void test_pairs(void **state)
{
    (void)state;
    const at_task *t = at_task_find("parity");
    at_params p = params_of(t, "N=6");
    int some = 0, none = 0;
    for (int k = 0; k < 40; k++) {
        at_model m;
        at_pair pair;
        at_arena a;
        at_arena_init(&a);
        hard_draw(k, 6, 1 + k % 2, &m);
        for (int b = 0; b < m.n_blocks && k % 4 == 0;
             b++) /* and some that see everything: their values are mixed */
            for (int g = 0; m.blocks[b].kind == AT_BLOCK_ATTN && g < m.blocks[b].n_groups; g++)
                m.blocks[b].groups[g].weighting = AT_SOFTMAX;
        at_subject s = {.m = &m, .arith = at_f64, .task = t, .params = &p};
        bool unseen = some_unseen(readouts(&m, 6, &a), 6);
        err = (at_err){0};
        at_status st = refuter("hahn-pair")->search(&s, &(at_refute_env){.seed = 3}, &a, &pair, &err);
        assert_int_equal(st, unseen ? AT_OK : AT_EBUDGET);
        if (unseen) {
            at_tri is;
            at_answer y[2];
            OK(at_pair_verify(&s, &pair, &a, &is, y, NULL, &err));
            assert_int_equal(is, AT_TRUE);
        } else
            assert_non_null(strstr(err.text, "is seen"));
        some += unseen;
        none += !unseen;
        at_arena_release(&a);
        at_model_release(&m);
    }
    assert_true(some > 20 && none > 3);
}

static bool is_balanced(int w, int n, int depth)
{
    int h = 0;
    for (int i = 0; i < n; i++) {
        h += w >> i & 1 ? -1 : 1;
        if (h < 0 || (depth && h > depth))
            return false;
    }
    return h == 0;
}

/* Against all words: every set of fixed letters of 6, some of 8. */
static void test_brackets(void **state)
{
    (void)state;
    for (int n = 2; n <= 8; n += 2)
        for (int code = 0; code < 729; code++) {
            signed char letter[8];
            double x[8];
            bool is, any = false;
            int depth = code % 4, c = code;
            for (int i = 0; i < n; i++, c /= 3)
                letter[i] = (signed char)(c % 3 - 1);
            for (int w = 0; w < 1 << n && !any; w++) {
                any = is_balanced(w, n, depth);
                for (int i = 0; i < n; i++)
                    any = any && (letter[i] < 0 || letter[i] == (w >> i & 1));
            }
            at_rng r = at_rng_at(1, (uint64_t)code);
            OK(brackets_complete(n, depth, letter, &r, x, &is, &err));
            assert_int_equal(is, any);
            if (!is)
                continue;
            int w = 0;
            for (int i = 0; i < n; i++) {
                assert_true(letter[i] < 0 || letter[i] == (int)x[i]);
                w |= (int)x[i] << i;
            }
            assert_true(is_balanced(w, n, depth));
        }
}

static at_status fits(const at_subject *s, const char *id)
{
    err = (at_err){0};
    return refuter(id)->fits(s, &err);
}

static void test_fits(void **state)
{
    (void)state;
    const at_task *t = at_task_find("parity");
    at_params p = params_of(t, "N=6");
    at_model m;
    hard_draw(2, 6, 2, &m);
    at_subject s = {.m = &m, .arith = at_f64, .task = t, .params = &p};
    assert_int_equal(fits(&s, "hahn-pair"), AT_OK);
    assert_int_equal(fits(&s, "hahn-restriction"), AT_OK);
    s.arith = at_f32;
    assert_int_equal(fits(&s, "hahn-pair"), AT_OK);
    assert_int_equal(fits(&s, "hahn-restriction"), AT_EREFUSED);
    assert_non_null(strstr(err.text, "hahn-pair of every arithmetic"));
    s.arith = at_f64;
    m.blocks[0].norm = AT_NORM_PRE;
    assert_int_equal(fits(&s, "hahn-restriction"), AT_EREFUSED);
    assert_non_null(strstr(err.text, "block 1 has a layer norm"));
    m.blocks[0].norm = AT_NORM_NONE;
    m.blocks[1].groups[0].weighting = AT_SOFTMAX;
    assert_int_equal(fits(&s, "hahn-pair"), AT_EREFUSED);
    assert_non_null(strstr(err.text, "`attest influence`"));
    m.blocks[1].groups[0].weighting = AT_AVERAGE_HARD;
    assert_int_equal(fits(&s, "hahn-restriction"), AT_EREFUSED);
    assert_non_null(strstr(err.text, "average-hard attention mixes keys"));
    s.task = at_task_find("match2");
    assert_int_equal(fits(&s, "hahn-pair"), AT_EREFUSED);
    assert_non_null(strstr(err.text, "words with one answer"));
    m.blocks[1].groups[0].weighting = AT_LEFTMOST_HARD;
    at_params odd = params_of(at_task_find("dyck"), "N=5 k=1");
    s.task = at_task_find("dyck");
    s.params = &odd;
    at_pair pair;
    at_arena a;
    at_arena_init(&a);
    m.n_min = 5;
    assert_int_equal(refuter("hahn-restriction")->search(&s, &(at_refute_env){0}, &a, &pair, &err),
                     AT_EREFUSED);
    assert_non_null(strstr(err.text, "no word of 5 brackets is balanced"));
    at_arena_release(&a);
    at_model_release(&m);
}

/* Two keys whose scores differ by less than rounding, and whose values are not the same: nobody can say what is fetched. */
static void test_rounded_ties(void **state)
{
    (void)state;
    shape h = {.vocabulary = 2,
               .length = 4,
               .width = 4,
               .layers = 2,
               .heads = 1,
               .dim = 1,
               .groups = 1,
               .last = true,
               .read = AT_READ_ARGMAX,
               .rows = 2};
    at_model m;
    at_restriction r;
    at_arena a;
    at_arena_init(&a);
    model_draw(&h, 5, &m);
    for (int b = 0; b < 2; b++)
        m.blocks[b].groups[0].weighting = AT_LEFTMOST_HARD;
    memset(at_model_data(&m, m.blocks[0].groups[0].q), 0,
           4 * sizeof(double));                           /* all scores of layer 1 are equal, up to */
    at_model_data(&m, m.blocks[0].groups[0].qb)[0] = 0.1; /* the last bit of each key: 0.3, or 0.1 + 0.2 */
    memset(at_model_data(&m, m.blocks[0].groups[0].k), 0, 4 * sizeof(double));
    double *place = at_model_data(&m, m.pos[0].embed.tensor),
           *letter = at_model_data(&m, m.fields[0].embed.tensor);
    at_model_data(&m, m.blocks[0].groups[0].k)[0] = 1;
    at_model_data(&m, m.blocks[0].groups[0].kb)[0] = 0;
    for (int i = 0; i < 4; i++)
        place[4 * i] = i % 2 ? 0.2 : 0.3;
    letter[0] = letter[4] = 0.1;
    for (int i = 0; i < 4; i += 2)
        place[4 * i] = 0.2 + (i ? 0x1p-55 : 0);
    place[4] = place[12] = 0.2 - 0x1p-55;
    err = (at_err){0};
    assert_int_equal(at_restrict(&m, 4, -1, NULL, &a, &r, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "rounding decides"));
    /* With integers the same ties are exact, and the first key is chosen. */
    for (int i = 0; i < 4; i++)
        place[4 * i] = 2;
    letter[0] = letter[4] = 1;
    for (size_t k = 0; k < m.n_weights; k++)
        m.weights[k] = nearbyint(4 * m.weights[k]) / 4;
    at_status s = at_restrict(&m, 4, -1, NULL, &a, &r, &err);
    assert_true(s == AT_OK || s == AT_EBUDGET);
    at_arena_release(&a);
    at_model_release(&m);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    at_model m;
    int failed = 0;
    hard_draw(6, 4, 2, &m);
    for (long nth = 1;; nth++) {
        at_restriction r;
        at_arena a;
        at_err said = {0};
        at_arena_init(&a);
        at_alloc_inject(nth);
        at_status s = at_restrict(&m, 4, 0, NULL, &a, &r, &said);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        at_arena_release(&a);
        if (!fired) {
            assert_true(s == AT_OK || s == AT_EBUDGET);
            break;
        }
        assert_int_equal(s, AT_ENOMEM);
        failed++;
    }
    assert_true(failed > 5);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restrictions), cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_brackets),     cmocka_unit_test(test_fits),
        cmocka_unit_test(test_rounded_ties), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
