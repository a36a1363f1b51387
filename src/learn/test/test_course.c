/* test_course.c: what belongs to a training beside its steps: plans that grow, patience, models on the way, lines of a log, parts
 * that keep their weights, exams of small spaces, the cost beforehand, rates. */
#define _GNU_SOURCE
#include "learn_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../core/test/test_folder.h"

#define STILL  "width=16 layers=1 batch=8 exams=20 prompts=10 count=10 dropout=0.1 warmup=10 rate=0 "
#define RECIPE "width=16 layers=1 batch=8 exams=20 prompts=10 count=10 dropout=0.1 warmup=10 rate=0.01 "

/* What was told, in order. */
typedef struct {
    int shown, better, lines, exams;
    uint64_t step[64], last_line;
    double best;
    int fail_at; /* shown: the call that fails; 0: none */
} diary;

static at_status diary_shown(void *ctx, uint64_t step, bool better, const at_model *m, at_err *e)
{
    diary *d = ctx;
    assert_true(m->n_blocks > 0);
    d->step[d->shown++] = step;
    d->better += better;
    return d->fail_at == d->shown ? at_fail(e, AT_EIO, "the disk is full") : AT_OK;
}

static void diary_line(void *ctx, const at_learn_line *l)
{
    diary *d = ctx;
    bool exam = isnan(l->loss);
    assert_true(exam == isnan(l->rate) && exam != isnan(l->answer) && exam != isnan(l->chain));
    assert_true(l->step >= d->last_line);
    d->last_line = l->step;
    d->lines += !exam;
    d->exams += exam;
}

static void learn(const at_source *d, const char *settings, const at_learn_options *o, at_arena *arena,
                  at_outcome *out, char hash[65])
{
    at_recipe r = recipe_of(settings);
    at_model m;
    must(at_learn(d, &r, o, arena, out, &m, &err));
    must(at_model_hash(&m, hash, &err));
    at_model_release(&m);
}

/* A kept training that is asked for more steps goes on; where the rate does not fall, to the bits of one that had them from the
 * beginning. Its curve covers all steps, in at most AT_LOSS_POINTS points of equal length. Anything else that differs, and fewer
 * steps, are refused. */
static void grows(void **state)
{
    (void)state;
    at_source *d = source_of("majority", "n=9");
    char folder[TEST_FOLDER], path[TEST_PATH], hash[2][65];
    assert_non_null(test_folder_new(folder));
    snprintf(path, sizeof path, "%s/run.state", folder);
    at_learn_options o = {.threads = 1, .state = path}, alone = {.threads = 2};
    at_outcome out[2];
    at_arena arena;
    at_arena_init(&arena);
    static const int steps[] = {30, 50, 450};
    for (int k = 0; k < 3; k++) {
        char settings[300];
        snprintf(settings, sizeof settings, RECIPE "fall=0 steps=%d", steps[k]);
        learn(d, settings, &o, &arena, &out[0], hash[0]);
        learn(d, settings, &alone, &arena, &out[1], hash[1]);
        assert_string_equal(hash[0], hash[1]);
        assert_int_equal(out[0].tokens, out[1].tokens);
        assert_int_equal(out[0].exam.answers, out[1].exam.answers);
        const at_outcome *c = &out[0];
        assert_true(c->n_loss <= AT_LOSS_POINTS && c->n_loss >= AT_LOSS_POINTS / 10);
        uint64_t stretch = c->loss[0].step;
        for (int i = 0; i < c->n_loss; i++)
            assert_int_equal(c->loss[i].step, (uint64_t)(i + 1) * stretch);
        assert_true(c->loss[c->n_loss - 1].step + stretch > (uint64_t)steps[k]);
    }
    /* 4 is a common stretch: the curve of the one that grew is that of the other, its points in pairs (450 steps: 3, and 1 doubled twice) */
    double grown = 0, straight = 0;
    assert_int_equal(out[0].loss[0].step, 4);
    assert_int_equal(out[1].loss[0].step, 3);
    for (int i = 0; i < 111; i++) /* 444 steps */
        grown += 4 * out[0].loss[i].loss;
    for (int i = 0; i < 148; i++)
        straight += 3 * out[1].loss[i].loss;
    assert_true(fabs(grown - straight) < 1e-9 * straight);
    static const struct {
        const char *settings, *says;
    } wrong[] = {{RECIPE "fall=0 steps=400", "steps=450 there, steps=400 here"},
                 {RECIPE "fall=1 steps=500", "another training"},
                 {RECIPE "fall=0 steps=500 clip=1", "clip=0 there, clip=1 here"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        at_recipe r = recipe_of(wrong[k].settings);
        at_err why = {0};
        assert_int_equal(at_learn(d, &r, &o, &arena, &out[0], NULL, &why), AT_EINPUT);
        if (!strstr(why.text, wrong[k].says))
            fail_msg("%s: %s", wrong[k].settings, why.text);
    }
    at_recipe r = recipe_of(RECIPE "fall=0 steps=450");
    at_err why = {0};
    o.freeze = "layer.0.*";
    assert_int_equal(at_learn(d, &r, &o, &arena, &out[0], NULL, &why), AT_EINPUT);
    assert_non_null(strstr(why.text, "freeze - there, freeze layer.0.* here"));
    unlink(path);
    rmdir(folder);
    at_arena_release(&arena);
    at_source_free(d);
}

/* At rate 0 no exam is better than the first: patience 3 ends it after the fourth, and only the first model is the best. */
static void patience(void **state)
{
    (void)state;
    at_source *d = source_of("majority", "n=9");
    diary y = {0};
    at_learn_options o = {.threads = 1, .shown = diary_shown, .line = diary_line, .ctx = &y};
    at_outcome out;
    at_arena arena;
    char hash[65];
    at_arena_init(&arena);
    learn(d, STILL "steps=400 patience=3", &o, &arena, &out, hash);
    assert_true(out.ended_soon && out.out_of_patience);
    assert_int_equal(out.steps, 80);
    assert_int_equal(out.n_exams, 4);
    assert_int_equal(y.shown, 4);
    assert_int_equal(y.better, 1);
    assert_int_equal(y.exams, 4);
    assert_int_equal(y.lines, 40);
    y = (diary){0};
    learn(d, STILL "steps=80", &o, &arena, &out, hash);
    assert_true(!out.ended_soon && !out.out_of_patience);
    at_arena_release(&arena);
    at_source_free(d);
}

/* Models on the way come at exams and at multiples, each step once; showing them changes nothing; what cannot be kept ends it. */
static void kept(void **state)
{
    (void)state;
    at_source *d = source_of("majority", "n=9");
    diary y = {0};
    at_learn_options o = {.threads = 1, .shown = diary_shown, .keep_every = 15, .ctx = &y},
                     none = {.threads = 1};
    at_outcome out[2];
    at_arena arena;
    char hash[2][65];
    at_arena_init(&arena);
    learn(d, RECIPE "steps=70", &o, &arena, &out[0], hash[0]);
    learn(d, RECIPE "steps=70", &none, &arena, &out[1], hash[1]);
    assert_string_equal(hash[0], hash[1]);
    static const uint64_t steps[] = {15, 20, 30, 40, 45, 60, 70};
    assert_int_equal(y.shown, 7);
    assert_memory_equal(y.step, steps, sizeof steps);
    y = (diary){.fail_at = 2};
    at_recipe r = recipe_of(RECIPE "steps=70");
    at_err why = {0};
    assert_int_equal(at_learn(d, &r, &o, &arena, &out[0], NULL, &why), AT_EIO);
    assert_string_equal(why.text, "the disk is full");
    at_arena_release(&arena);
    at_source_free(d);
}

/* Small spaces are examined whole: of the 64 prompts of six bits those of the test part, each once, whatever the seed. Of more
 * prompts than are asked for, so many are drawn, and the different ones counted. */
static void whole(void **state)
{
    (void)state;
    at_source *d = source_of("parity", "n=6");
    at_recipe r = recipe_of(RECIPE "steps=1");
    at_outcome out;
    at_model m;
    at_exam e, again;
    at_arena arena;
    at_arena_init(&arena);
    int token[32], test = 0;
    for (uint64_t i = 0; i < 64; i++) {
        at_sequence s = {.token = token};
        d->verbs->nth(d, i, &s);
        test += at_source_part(d, &s) == AT_TEST;
    }
    assert_true(test > 1);
    must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &out, &m, &err));
    at_exam_options o = {.threads = 2};
    must(at_exam_run(&m, d, 1, AT_TEST, 1000, &o, &e, &err));
    assert_true(e.whole && e.count == (uint64_t)test && e.distinct == e.count);
    must(at_exam_run(&m, d, 2, AT_TEST, 1000, &o, &again, &err));
    assert_true(again.answers == e.answers && again.chains == e.chains && again.margin == e.margin);
    must(at_exam_run(&m, d, 1, AT_TRAIN, 1000, &o, &e, &err));
    assert_true(e.whole && e.count == (uint64_t)(64 - test));
    must(at_exam_run(&m, d, 1, AT_TRAIN, 64 - (uint64_t)test - 1, &o, &e, &err));
    assert_true(!e.whole && e.count == 63 - (uint64_t)test && e.distinct < e.count && e.distinct > 10);
    at_model_release(&m);
    at_arena_release(&arena);
    at_source_free(d);
}

/* What is frozen is the same before and after, and the rest learns. */
static void freezes(void **state)
{
    (void)state;
    at_source *d = source_of("majority", "n=9");
    at_outcome out;
    at_model m[2];
    at_arena arena;
    at_arena_init(&arena);
    for (int k = 0; k < 2; k++) {
        at_recipe r = recipe_of(k ? RECIPE "steps=40" : STILL "steps=1");
        at_learn_options o = {.threads = 1, .freeze = k ? "layer.0.fc1.w,token" : NULL};
        must(at_learn(d, &r, &o, &arena, &out, &m[k], &err));
    }
    int same = 0, other = 0;
    for (int t = 0; t < m[0].n_tensors; t++) {
        const at_tensor *x = &m[0].tensors[t];
        bool is = !memcmp(m[0].weights + x->offset, m[1].weights + x->offset, x->count * sizeof(double));
        bool frozen = !strcmp(x->name, "block.2.mlp.0.w") || !strcmp(x->name, "input.0.embed");
        if (frozen)
            assert_true(is);
        same += is;
        other += !is;
    }
    assert_true(same >= 2 && other > 5);
    at_model_release(&m[0]);
    at_model_release(&m[1]);
    at_recipe r = recipe_of(RECIPE "steps=10");
    at_err why = {0};
    at_learn_options o = {.threads = 1, .freeze = "layers.*"};
    assert_int_equal(at_learn(d, &r, &o, &arena, &out, NULL, &why), AT_EINPUT);
    assert_non_null(strstr(why.text, "'layers.*'"));
    at_arena_release(&arena);
    at_source_free(d);
}

/* Costs are positive and grow with the plan; rates rise to 1 or to where the loss explodes, and the one suggested lies between. */
static void prepares(void **state)
{
    (void)state;
    at_source *d = source_of("majority", "n=9");
    at_recipe r = recipe_of(RECIPE "steps=100"), longer = recipe_of(RECIPE "steps=100000");
    at_learn_options o = {.threads = 1};
    at_learn_cost c, more;
    must(at_learn_estimate(d, &r, &o, &c, &err));
    must(at_learn_estimate(d, &longer, &o, &more, &err));
    assert_true(c.step > 0 && c.prompt > 0 && c.parameters > 100 && c.gflop > 0);
    assert_true(fabs(c.seconds - 100 * c.step - 60 * c.prompt) < 1e-9 * c.seconds);
    assert_true(fabs(more.gflop - 1000 * c.gflop) < 1e-6 * more.gflop);
    at_rate_scan scan;
    must(at_learn_rates(d, &r, &o, &scan, &err));
    assert_true(scan.n > 40 && scan.n <= AT_RATE_STEPS);
    for (int k = 1; k < scan.n; k++)
        assert_true(scan.point[k].rate > scan.point[k - 1].rate && isfinite(scan.point[k].loss));
    assert_true(scan.suggest > 1e-5 && scan.suggest < 1);
    at_source_free(d);
}

/* A model knows the words of its stream, unless there are more than a field may have. */
static void words_of_the_stream(void **state)
{
    (void)state;
    for (int many = 0; many < 2; many++) {
        at_arena arena;
        at_outcome out;
        at_model m;
        at_source *d = source_of("lis", many ? "n=3 range=5000" : "n=3 range=50");
        at_recipe r = recipe_of("width=8 layers=1 heads=1 steps=1 batch=1 exams=0 prompts=1 count=1");
        at_arena_init(&arena);
        must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &out, &m, &err));
        assert_int_equal(m.fields[0].size, at_source_vocabulary(d));
        if (many)
            assert_null(m.fields[0].words);
        else
            assert_string_equal(m.fields[0].words[AT_TOKEN_FIRST + 5].s, "5");
        at_model_release(&m);
        at_source_free(d);
        at_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_the_stream),
        cmocka_unit_test(grows),
        cmocka_unit_test(patience),
        cmocka_unit_test(kept),
        cmocka_unit_test(whole),
        cmocka_unit_test(freezes),
        cmocka_unit_test(prepares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
