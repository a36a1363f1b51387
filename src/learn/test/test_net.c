/* test_net.c: rivals of the decoder: rows cut into sequences, exams by whole runs, every net learns. */
#include "learn_test.h"
#include "../../core/test/test_scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static at_recipe net_of(int net, const char *settings)
{
    char all[300];
    snprintf(all, sizeof all, "net=%s %s", at_learn_net_names[net], settings);
    return recipe_of(all);
}

/* ---- lessons -------------------------------------------------------------------------------------------------- */

/* Sequences of an ffn are the rows' prefixes in order, padded, one for each target, and tokens are the rows'. */
static void rows_are_cut(void **state)
{
    (void)state;
    at_source *d = source_of("dyck", "n=6 least=2"); /* rows of many lengths */
    at_recipe r = net_of(AT_LEARN_FFN, "width=8 layers=1 hidden=4");
    at_model m;
    at_trainer *t;
    at_lesson *rows, *cut;
    must(at_learn_net_model(d, &r, &m, &err));
    int T = at_source_longest(d) - 1;
    assert_int_equal(m.n_min, T);
    assert_int_equal(m.n_max, T);
    assert_true(m.readout.last);
    must(at_trainer_from_model(&m, at_f32, 1, &at_train_options_default, &t, &err));
    must(at_lesson_new(d, 3, 5, 0, 1, &rows, &err));
    must(at_lesson_new(d, 3, 5, 0, 2, &cut, &err));
    must(at_lesson_suit(cut, t, &err));
    for (uint64_t step = 0; step < 3; step++) {
        const at_train_sequence *row, *part;
        int n_rows, n, k = 0;
        must(at_lesson_batch(rows, step, &row, &n_rows, &err));
        must(at_lesson_batch(cut, step, &part, &n, &err));
        assert_int_equal(at_lesson_tokens(rows), at_lesson_tokens(cut));
        for (int i = 0; i < n_rows; i++)
            for (int j = 0; j < row[i].length; j++) {
                if (row[i].target[j] < 0)
                    continue;
                assert_true(k < n);
                assert_int_equal(part[k].length, T);
                assert_memory_equal(part[k].token, row[i].token, (size_t)(j + 1) * sizeof(int));
                for (int x = 0; x < T; x++) {
                    assert_true(x <= j || part[k].token[x] == AT_TOKEN_PAD);
                    assert_int_equal(part[k].target[x], x + 1 < T ? -1 : row[i].target[j]);
                }
                k++;
            }
        assert_int_equal(k, n);
        assert_true(n > n_rows);
    }
    at_lesson_free(rows);
    at_lesson_free(cut);
    at_trainer_free(t);
    at_model_release(&m);
    at_source_free(d);
}

/* A readout at the last position without one length: prefixes as they are. All positions seen by all, and an answer at each:
 * refused, since it would see the answers. */
static void other_models(void **state)
{
    (void)state;
    at_source *d = source_of("parity", "n=4");
    at_train_net net = at_train_net_default;
    net.vocabulary = at_source_vocabulary(d), net.length = at_source_longest(d), net.width = 8, net.heads = 2;
    for (int last = 0; last < 2; last++) {
        at_model m;
        at_trainer *t;
        at_lesson *l;
        const at_train_sequence *part;
        int n;
        net.last = last;
        must(at_train_net_model(&net, &m, &err));
        must(at_trainer_from_model(&m, at_f32, 1, &at_train_options_default, &t, &err));
        must(at_lesson_new(d, 3, 2, 0, 1, &l, &err));
        if (last) {
            must(at_lesson_suit(l, t, &err));
            must(at_lesson_batch(l, 0, &part, &n, &err));
            /* <sep> and what follows it, 4 of the chain, <sep>, the answer: 7 targets a row, from position 5 on */
            assert_int_equal(n, 2 * 7);
            for (int k = 0; k < n; k++) {
                assert_int_equal(part[k].length, 5 + k % 7);
                for (int x = 0; x + 1 < part[k].length; x++)
                    assert_int_equal(part[k].target[x], -1);
                int word = part[k].target[part[k].length - 1];
                assert_int_equal(word, k % 7 == 6 ? AT_TOKEN_EOS : part[k + 1].token[part[k].length]);
            }
        } else {
            at_err why = {0};
            assert_int_equal(at_lesson_suit(l, t, &why), AT_EREFUSED);
            assert_non_null(strstr(why.text, "may see it there"));
        }
        at_lesson_free(l);
        at_trainer_free(t);
        at_model_release(&m);
    }
    at_source_free(d);
}

/* ---- exams ------------------------------------------------------------------------------------------------------ */

static bool same_exam(const at_exam *a, const at_exam *b)
{
    return a->count == b->count && a->answers == b->answers && a->chains == b->chains &&
           a->unfinished == b->unfinished && a->tokens == b->tokens &&
           (a->first_wrong == b->first_wrong || (isnan(a->first_wrong) && isnan(b->first_wrong)));
}

/* A decoder that has learnt half of it, with its rule (at_batch) and without (whole runs): equal marks, token for token. In
 * f64, where sums in another order differ by far less than any margin here: the least margin is asserted. */
static void whole_runs(void **state)
{
    (void)state;
    at_source *d = source_of("majority", "n=6");
    at_recipe r = recipe_of("width=16 layers=1 steps=150 batch=16 rate=0.01 dropout=0 exams=0 count=10");
    at_outcome o;
    at_model m;
    at_exam batch, whole, threads;
    at_arena arena;
    at_arena_init(&arena);
    must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o, &m, &err));
    must(at_exam_run(&m, d, 1, AT_TRAIN, 300, &(at_exam_options){.threads = 1, .arith = at_f64}, &batch,
                     &err));
    assert_true(m.decode.enabled);
    m.decode = (at_decode){0};
    must(at_exam_run(&m, d, 1, AT_TRAIN, 300, &(at_exam_options){.threads = 1, .arith = at_f64}, &whole,
                     &err));
    must(at_exam_run(&m, d, 1, AT_TRAIN, 300, &(at_exam_options){.threads = 3, .arith = at_f64}, &threads,
                     &err));
    assert_true(same_exam(&batch, &whole));
    assert_true(same_exam(&whole, &threads) && whole.margin == threads.margin);
    assert_true(batch.margin > 1e-9 && batch.answers < batch.count && batch.answers > 0);
    at_model_release(&m);
    at_arena_release(&arena);
    at_source_free(d);
}

typedef struct {
    int x, y;
    unsigned kinds; /* of prompts that were met */
} seen;

static void told(void *ctx, const at_exam_case *c)
{
    seen *s = ctx;
    bool two = c->n_prompt == 3; /* x y <sep> */
    assert_int_equal(c->n, two ? 3 : 4);
    assert_int_equal(c->completion[c->n - 1], AT_TOKEN_EOS);
    assert_int_equal(c->completion[c->n - 2], s->y);
    assert_int_equal(c->completion[c->n - 3], AT_TOKEN_SEP);
    assert_true(two || c->completion[0] == s->x);
    s->kinds |= 1u << two;
}

/* A net that says what to write from the number of <pad> it sees, and nothing else: with 4 of its 6 positions padded x, with 3 <sep>, with
 * 2 y, with 1 <eos>. So what it writes tells what it was fed. */
static void padded_by_hand(void **state)
{
    (void)state;
    static const char text[] = "x <sep> x <sep> y\nz <sep> x <sep> y\nx y <sep> x <sep> y\n";
    at_source *d;
    must(at_source_parse(text, sizeof text - 1, "by hand", &d, &err));
    int R = at_source_vocabulary(d), T = at_source_longest(d) - 1, x = at_source_token(d, "x", 1),
        y = at_source_token(d, "y", 1);
    assert_int_equal(T, 6); /* x y <sep> x <sep> y, without <eos> */
    at_train_net n = at_train_net_default;
    n.kind = AT_NET_FFN, n.vocabulary = R, n.length = T, n.width = 1, n.layers = 1, n.hidden = 1,
    n.last = true;
    at_model m;
    must(at_train_net_model(&n, &m, &err));
    /* The residual's one column is 1 for <pad>, 0 for other words; the hidden unit counts, the last position gets the count c. */
    memset(m.weights, 0, m.n_weights * sizeof *m.weights);
    at_model_data(&m, m.fields[0].embed.tensor)[AT_TOKEN_PAD] = 1;
    for (int i = 0; i < T; i++)
        at_model_data(&m, m.blocks[0].dense[0].w)[i] = 1;
    at_model_data(&m, m.blocks[0].dense[1].w)[T - 1] = 1;
    /* Logit of word w: the tangent 2 a c - a^2 of c^2 at a, largest for the a nearest to c. The rows x and z have the prompt `. <sep>`,
     * so 4 are padded, then 3, 2, 1: x, <sep>, y, <eos>. The row x y begins at 3: <sep>, y, <eos>. */
    double *w = at_model_data(&m, m.readout.w), *b = at_model_data(&m, m.readout.b);
    const int says[] = {[1] = AT_TOKEN_EOS, [2] = y, [3] = AT_TOKEN_SEP, [4] = x};
    for (int k = 0; k < R; k++)
        b[k] = -100;
    for (int c = 1; c <= 4; c++) {
        w[says[c]] = 2 * c;
        b[says[c]] = -c * c;
    }
    seen got = {.x = x, .y = y};
    for (at_part part = 0; part < AT_PARTS; part++)
        for (uint64_t i = 0; i < 12; i++) {
            at_sequence s = {.token = (int[16]){0}};
            at_err why = {0};
            if (at_source_sample(d, 1, part, i, &s, &why))
                continue; /* no line belongs to this part */
            at_exam e;
            must(at_exam_run(&m, d, 1, part, i + 1,
                             &(at_exam_options){.threads = 1, .told = told, .ctx = &got}, &e, &err));
            assert_int_equal(e.count, e.whole ? e.distinct : i + 1);
            assert_true(e.margin == 1); /* at c the tangent there is c^2, that beside it c^2 - 1 */
        }
    assert_int_equal(got.kinds, 3); /* both kinds of prompts were met */
    at_model_release(&m);
    at_source_free(d);
}

/* ---- trainings --------------------------------------------------------------------------------------------------- */

/* Parity of 5 bits with its chain: every net learns what it is shown, so that the exam is on the training part (of 32 prompts too few
 * are left to speak of the rest), and its model passes the last exam with the training's marks. The same training with more threads
 * gives the same bits. */
static void every_net_learns(void **state)
{
    (void)state;
    at_source *d = source_of("parity", "n=5");
    for (int net = AT_LEARN_DECODER + 1; net < AT_LEARN_ATTENTION; net++) { /* attention: test_labels.c */
        if (TEST_SCALE > 1 && net == AT_LEARN_GRU) /* the longest; recurrent as tanh is */
            continue;
        at_recipe r =
            net_of(net, "width=16 layers=1 steps=240 batch=16 rate=0.02 dropout=0 exams=120 prompts=30 "
                        "count=60");
        if (net == AT_LEARN_TANH || net == AT_LEARN_GRU) /* learn in more steps, which cost less */
            must(at_recipe_set(&r, "steps=1500 rate=0.01 exams=500", &err));
        char hash[2][65];
        at_outcome o[2];
        at_arena arena;
        at_arena_init(&arena);
        for (int k = 0; k < 2; k++) {
            at_model m;
            at_exam e, train;
            must(at_learn(d, &r, &(at_learn_options){.threads = 1 + 2 * k}, &arena, &o[k], &m, &err));
            must(at_model_hash(&m, hash[k], &err));
            must(at_exam_run(&m, d, r.seed + 0x100000000u, AT_TEST, 60, &(at_exam_options){.threads = 2}, &e,
                             &err));
            must(at_exam_run(&m, d, 1, AT_TRAIN, 60, &(at_exam_options){.threads = 2}, &train, &err));
            if (at_exam_chain(&train) < 0.9)
                fail_msg("%s: %g of chains", at_learn_net_names[net], at_exam_chain(&train));
            assert_true(same_exam(&e, &o[k].exam) && e.margin == o[k].exam.margin);
            assert_true(m.decode.enabled == (net != AT_LEARN_FFN));
            at_model_release(&m);
        }
        assert_string_equal(hash[0], hash[1]);
        assert_true(o[0].exam.margin == o[1].exam.margin && o[0].steps == o[1].steps);
        at_arena_release(&arena);
    }
    at_source_free(d);
}

/* `words` changes the embedding, all of it and nothing else. */
static void words_begin(void **state)
{
    (void)state;
    at_source *d = source_of("lis", "n=6 range=12");
    at_recipe r = net_of(AT_LEARN_TANH, "width=16"), wide = net_of(AT_LEARN_TANH, "width=16 words=3");
    at_model a, b;
    double most = 0;
    must(at_learn_net_model(d, &r, &a, &err));
    must(at_learn_net_model(d, &wide, &b, &err));
    const at_tensor *t = &a.tensors[a.fields[0].embed.tensor];
    for (size_t k = 0; k < a.n_weights; k++) {
        bool word = k >= t->offset && k < t->offset + t->count;
        assert_true((a.weights[k] != b.weights[k]) == word);
        if (word)
            most = fmax(most, fabs(b.weights[k]));
    }
    assert_true(most <= 3 && most > 2.9); /* of more than 200 draws */
    assert_true(t->count > 200);
    at_model_release(&a);
    at_model_release(&b);
    at_source_free(d);
}

static void refusals(void **state)
{
    (void)state;
    at_source *d = source_of("parity", "n=4");
    at_recipe r = net_of(AT_LEARN_GRU, "attention=sparse");
    at_outcome o;
    at_err why = {0};
    at_arena arena;
    at_arena_init(&arena);
    assert_int_equal(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o, NULL, &why), AT_EREFUSED);
    assert_non_null(strstr(why.text, "the net is gru"));
    why = (at_err){0};
    at_recipe same = r;
    assert_int_equal(at_exit_code(at_recipe_set(&same, "net=lstm", &why)), 2);
    at_arena_release(&arena);
    at_source_free(d);
}

/* Every allocation fails once, on the way of a padded net and its exam; nothing leaks (under a sanitizer). */
static void allocations_fail(void **state)
{
    (void)state;
    at_source *d = source_of("parity", "n=5");
    at_recipe r = net_of(AT_LEARN_FFN, "width=8 layers=1 hidden=2 steps=1 batch=2 exams=0 count=2");
    bool done = false;
    for (long nth = 1; !done; nth++) {
        at_arena arena;
        at_outcome o;
        at_model m;
        at_err why = {0};
        at_arena_init(&arena);
        at_alloc_inject(nth);
        at_status s = at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o, &m, &why);
        done = !at_alloc_injected();
        at_alloc_inject(0);
        if (s != (done ? AT_OK : AT_ENOMEM))
            fail_msg("allocation %ld: status %d: %s", nth, (int)s, why.text);
        if (!s)
            at_model_release(&m);
        at_arena_release(&arena);
    }
    at_source_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_cut),   cmocka_unit_test(other_models),     cmocka_unit_test(whole_runs),
        cmocka_unit_test(padded_by_hand), cmocka_unit_test(every_net_learns), cmocka_unit_test(words_begin),
        cmocka_unit_test(refusals),       cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
