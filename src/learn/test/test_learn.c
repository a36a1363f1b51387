/* test_learn.c: lessons say what their source says; exams count what a hand would count; a training is a function of its
 * recipe, whatever the threads; recipes read what they print. */
#define _GNU_SOURCE
#include "learn_test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/test/test_folder.h"

/* ---- lessons -------------------------------------------------------------------------------------------------- */

static int by_print(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void lessons(void **state)
{
    (void)state;
    at_source *d = source_of("lis", "n=6 range=12");
    int longest = at_source_longest(d);
    int token[64];
    assert_true(longest <= 64);
    for (int threads = 1; threads <= 3; threads += 2)
        for (uint64_t samples = 0; samples <= 24; samples += 24) {
            at_lesson *l;
            must(at_lesson_new(d, 5, 4, samples, threads, &l, &err));
            for (uint64_t step = 3; step < 6; step++) {
                const at_train_sequence *batch;
                int n;
                uint64_t tokens = 0;
                must(at_lesson_batch(l, step, &batch, &n, &err));
                assert_int_equal(n, 4);
                for (int k = 0; k < n; k++) {
                    uint64_t index = 4 * step + (uint64_t)k;
                    at_sequence s = {.token = token};
                    must(at_source_sample(d, 5, AT_TRAIN, index, &s, &err));
                    assert_int_equal(batch[k].length, s.n - 1);
                    assert_memory_equal(batch[k].token, token, (size_t)(s.n - 1) * sizeof(int));
                    for (int i = 0; i + 1 < s.n; i++)
                        assert_int_equal(batch[k].target[i], i + 1 >= s.prompt ? token[i + 1] : -1);
                    tokens += (uint64_t)s.n - 1;
                }
                assert_int_equal(at_lesson_tokens(l), tokens);
            }
            at_lesson_free(l);
        }
    at_lesson *none;
    assert_int_equal(at_lesson_new(d, 5, 0, 0, 1, &none, &err), AT_EDOMAIN);
    at_source_free(d);
}

/* In each epoch every one of the samples comes once, and in no two in the same order; distinct: their rows differ. */
static void epochs(void **state)
{
    (void)state;
    enum { SAMPLES = 21, EPOCHS = 5 };
    at_source *d = source_of("parity", "n=5 least=1");
    for (int distinct = 0; distinct < 2; distinct++) {
        uint64_t print[EPOCHS][SAMPLES];
        at_lesson *l;
        int same = 0, twice = 0;
        must(at_lesson_new(d, 3, 1, SAMPLES, 2, &l, &err));
        if (distinct)
            must(at_lesson_distinct(l, &err));
        for (uint64_t step = 0; step < SAMPLES * EPOCHS; step++) {
            const at_train_sequence *batch;
            int n;
            must(at_lesson_batch(l, step, &batch, &n, &err));
            print[step / SAMPLES][step % SAMPLES] =
                at_hash64(batch->token, (size_t)batch->length * sizeof(int), 0);
        }
        for (int e = 0; e < EPOCHS; e++)
            for (int k = 0; k < e; k++)
                same += !memcmp(print[e], print[k], sizeof print[e]);
        for (int e = 0; e < EPOCHS; e++)
            qsort(print[e], SAMPLES, sizeof **print, by_print);
        for (int e = 1; e < EPOCHS; e++)
            assert_memory_equal(print[e], print[0], sizeof print[e]);
        for (int k = 1; k < SAMPLES; k++)
            twice += print[0][k] == print[0][k - 1];
        assert_int_equal(same, 0);
        assert_int_equal(twice == 0,
                         distinct); /* 62 words, some of them for tests: 21 draws meet one twice */
        at_lesson_free(l);
    }
    at_lesson *l;
    at_err why = {0};
    must(at_lesson_new(d, 3, 1, 60, 1, &l, &err));
    assert_int_equal(at_lesson_distinct(l, &why), AT_EREFUSED);
    assert_non_null(strstr(why.text, "samples is 60, but only 5"));
    at_lesson_free(l);
    must(at_lesson_new(d, 3, 1, 0, 1, &l, &err));
    assert_int_equal(at_lesson_distinct(l, &why), AT_EREFUSED);
    at_lesson_free(l);
    at_source_free(d);
}

/* ---- recipes -------------------------------------------------------------------------------------------------- */

static void recipes(void **state)
{
    (void)state;
    at_recipe r = recipe_of("attention=sparse width=32 rate=0.003 positions=learned enough=0.5 seed=9"),
              again;
    assert_int_equal(r.arch.attention, AT_ATTENTION_SPARSE);
    assert_int_equal(r.arch.width, 32);
    assert_true(r.arch.learned_positions);
    assert_true(r.adamw.rate == 0.003 && r.enough == 0.5 && r.seed == 9);
    at_text t, u;
    at_text_init(&t);
    at_text_init(&u);
    at_recipe_print(&r, &t);
    at_recipe_init(&again);
    must(at_recipe_set(&again, t.s, &err));
    at_recipe_print(&again, &u);
    assert_string_equal(t.s, u.s);
    at_text_release(&t);
    at_text_release(&u);
    static const struct {
        const char *set, *says;
    } wrong[] = {{"width=0", "width=0: must be an integer in 1..8192"},
                 {"rat=1", "did you mean 'rate'?"},
                 {"attention=sparze", "sparze"},
                 {"dropout=1", "dropout=1: must be"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        at_err why = {0};
        at_recipe same = r;
        assert_int_equal(at_exit_code(at_recipe_set(&same, wrong[k].set, &why)), 2);
        if (!strstr(why.text, wrong[k].says))
            fail_msg("%s: %s", wrong[k].set, why.text);
    }
}

/* ---- trainings ------------------------------------------------------------------------------------------------- */

static void same_outcome(const at_outcome *a, const at_outcome *b)
{
    assert_int_equal(a->steps, b->steps);
    assert_int_equal(a->tokens, b->tokens);
    assert_int_equal(a->n_loss, b->n_loss);
    for (int k = 0; k < a->n_loss; k++)
        assert_true(a->loss[k].step == b->loss[k].step && a->loss[k].loss == b->loss[k].loss);
    assert_int_equal(a->n_exams, b->n_exams);
    for (int k = 0; k < a->n_exams; k++)
        assert_true(a->exams[k].step == b->exams[k].step && a->exams[k].answer == b->exams[k].answer &&
                    a->exams[k].chain == b->exams[k].chain);
    assert_int_equal(a->exam.answers, b->exam.answers);
    assert_int_equal(a->exam.chains, b->exam.chains);
    assert_true(a->exam.margin == b->exam.margin && a->gflops == b->gflops);
}

/* Parity of few bits, chain and all, is learnt in seconds by every attention; the model that comes out passes an exam of
 * its own with the marks that the training reports. */
static void learns(void **state)
{
    (void)state;
    at_source *d = source_of("parity", "n=8");
    for (int k = 0; k < AT_TRAINED_ATTENTIONS; k++) {
        char settings[200];
        snprintf(settings, sizeof settings,
                 "attention=%s width=16 layers=2 windows=4 steps=600 batch=16 rate=0.01 dropout=0 exams=100 "
                 "prompts=30 count=100 enough=0.99",
                 at_attention_names[k]);
        at_recipe r = recipe_of(settings);
        at_outcome o;
        at_model m;
        at_exam e;
        at_arena arena;
        at_arena_init(&arena);
        must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o, &m, &err));
        must(at_exam_run(&m, d, r.seed + 0x100000000u, AT_TEST, 100, &(at_exam_options){.threads = 2}, &e,
                         &err));
        assert_int_equal(e.answers, o.exam.answers);
        assert_int_equal(e.chains, o.exam.chains);
        assert_true(at_exam_answer(&o.exam) >= 0.9);
        assert_true(o.gflops_to_90 > 0 && o.gflops_to_90 <= o.gflops);
        assert_true(o.loss[0].loss > o.loss[o.n_loss - 1].loss);
        at_model_release(&m);
        at_arena_release(&arena);
    }
    at_source_free(d);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    at_source *d = source_of("arithmetic", "operators=2");
    at_recipe r = recipe_of("width=16 layers=1 steps=40 batch=8 rate=0.01 exams=20 prompts=20 count=20");
    at_outcome o[3];
    char hash[3][65];
    at_arena arena;
    at_arena_init(&arena);
    for (int i = 0; i < 3; i++) {
        at_model m;
        must(at_learn(d, &r, &(at_learn_options){.threads = 1 + i}, &arena, &o[i], &m, &err));
        must(at_model_hash(&m, hash[i], &err));
        at_model_release(&m);
        same_outcome(&o[0], &o[i]);
        assert_string_equal(hash[0], hash[i]);
    }
    at_arena_release(&arena);
    at_source_free(d);
}

/* ---- states ------------------------------------------------------------------------------------------------------- */

typedef struct {
    int exams, kill_at;
} witness;

static void witness_told(void *ctx, const at_outcome *o)
{
    witness *w = ctx;
    (void)o;
    if (++w->exams == w->kill_at)
        raise(SIGKILL);
}

/* Killed after each of its exams in turn, and gone on with, a training ends with the bits of one that was never killed: the
 * curves too. */
static void goes_on(void **state)
{
    (void)state;
    at_source *d = source_of("majority", "n=9");
    at_recipe r =
        recipe_of("width=16 layers=1 steps=50 batch=8 rate=0.01 exams=10 prompts=20 count=20 dropout=0.1");
    char folder[TEST_FOLDER], path[TEST_PATH], hash[2][65];
    assert_non_null(test_folder_new(folder));
    snprintf(path, sizeof path, "%s/run.state", folder);
    at_outcome o[2];
    at_model m;
    at_arena arena;
    at_arena_init(&arena);
    must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o[0], &m, &err));
    must(at_model_hash(&m, hash[0], &err));
    at_model_release(&m);
    for (int k = 0; k < 5; k++) {
        pid_t child = fork();
        if (!child) {
            witness w = {.kill_at = 1};
            at_learn(d, &r, &(at_learn_options){.threads = 2, .state = path, .told = witness_told, .ctx = &w},
                     &arena, &o[1], NULL, &err);
            _exit(1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        assert_int_equal(access(path, F_OK), 0);
    }
    must(at_learn(d, &r, &(at_learn_options){.threads = 2, .state = path}, &arena, &o[1], &m, &err));
    must(at_model_hash(&m, hash[1], &err));
    at_model_release(&m);
    same_outcome(&o[0], &o[1]);
    assert_string_equal(hash[0], hash[1]);

    /* whose it is */
    at_recipe other =
        recipe_of("width=32 layers=1 steps=50 batch=8 rate=0.01 exams=10 prompts=20 count=20 dropout=0.1");
    at_err why = {0};
    assert_int_equal(at_learn(d, &other, &(at_learn_options){.state = path}, &arena, &o[1], NULL, &why),
                     AT_EINPUT);
    assert_non_null(strstr(why.text, "is of another training: width=16 there, width=32 here"));
    at_source *longer = source_of("majority", "n=10");
    why = (at_err){0};
    assert_int_equal(at_learn(longer, &r, &(at_learn_options){.state = path}, &arena, &o[1], NULL, &why),
                     AT_EINPUT);
    assert_non_null(strstr(why.text, "of another stream or test file, or of other sizes"));
    at_source_free(longer);
    unlink(path);
    rmdir(folder);
    at_arena_release(&arena);
    at_source_free(d);
}

/* Interrupted within an exam, it says after how many steps, and goes on to the same end. */
static void cancel_told(void *ctx, const char *what, double done, double total)
{
    (void)done, (void)total;
    if (!strcmp(what, ctx))
        at_cancel_request();
}

static void interrupted_exam(void **state)
{
    (void)state;
    at_source *d = source_of("majority", "n=9");
    at_recipe r = recipe_of("width=8 layers=1 steps=6 batch=4 exams=4 prompts=20 count=20 dropout=0");
    char folder[TEST_FOLDER], path[TEST_PATH];
    assert_non_null(test_folder_new(folder));
    snprintf(path, sizeof path, "%s/run.state", folder);
    at_outcome o[2];
    at_arena arena;
    at_arena_init(&arena);
    must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o[0], NULL, &err));
    at_progress stop = {cancel_told, "exam"};
    at_learn_options kept = {.threads = 1, .state = path, .progress = &stop};
    pid_t child = fork(); /* a request stays */
    if (!child) {
        at_err why = {0};
        bool said = at_learn(d, &r, &kept, &arena, &o[1], NULL, &why) == AT_ECANCEL &&
                    !strcmp(why.text, "interrupted after 6 of 6 steps, in the last exam");
        _exit(said ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    kept.progress = NULL;
    must(at_learn(d, &r, &kept, &arena, &o[1], NULL, &err));
    same_outcome(&o[0], &o[1]);
    unlink(path);
    rmdir(folder);
    at_arena_release(&arena);
    at_source_free(d);
}

/* A model may allow lengths that no row has: memory and work are by the rows, not by n_max. A table of n_max numbers would not be
 * allocated here. */
static void long_models(void **state)
{
    (void)state;
    static const char *const nets[] = {"net=decoder", "net=decoder attention=linear", "net=tanh", "net=gru"};
    at_source *d = source_of("majority", "n=5");
    at_arena arena;
    at_arena_init(&arena);
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
        char settings[200];
        snprintf(settings, sizeof settings,
                 "%s width=8 layers=1 steps=3 batch=4 exams=1 prompts=4 count=4 dropout=0", nets[k]);
        at_recipe r = recipe_of(settings);
        at_outcome o[2];
        at_model m;
        must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o[0], &m, &err));
        static const int longest[] = {AT_MAX_LENGTH / 8, AT_MAX_LENGTH};
        for (int i = 0; i < 2; i++) {
            at_err why = {0};
            m.n_max = longest[i];
            if (m.decode.enabled) /* as far as it may go on */
                m.decode.prompt_max = m.decode.max_steps = m.n_max - 1;
            at_alloc_ceiling((size_t)5 << 20); /* a chunk of an arena has 4 */
            at_status s =
                at_learn(d, &r, &(at_learn_options){.threads = 2, .from = &m}, &arena, &o[i], NULL, &why);
            at_alloc_ceiling(0);
            if (s)
                fail_msg("%s, n_max %d: %s", nets[k], m.n_max, why.text);
        }
        same_outcome(&o[0], &o[1]);
        at_model_release(&m);
    }
    at_arena_release(&arena);
    at_source_free(d);
}

/* A model whose numbers overflow: the loss is not finite, which is said with the step; nothing is kept, nor said to be. */
static void not_finite(void **state)
{
    (void)state;
    at_source *d = source_of("majority", "n=5");
    at_recipe r = recipe_of("width=8 layers=1 steps=4 batch=4 exams=2 prompts=4 count=4 dropout=0");
    char folder[TEST_FOLDER], path[TEST_PATH];
    assert_non_null(test_folder_new(folder));
    snprintf(path, sizeof path, "%s/run.state", folder);
    at_outcome o;
    at_model m;
    at_arena arena;
    at_arena_init(&arena);
    must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o, &m, &err));
    double *w = at_model_data(&m, m.readout.w);
    for (size_t i = 0; i < m.tensors[m.readout.w].count; i++)
        w[i] = (double)(i % 2 ? 3e38f : -3e38f);
    at_err why = {0};
    assert_int_equal(
        at_learn(d, &r, &(at_learn_options){.threads = 1, .from = &m, .state = path}, &arena, &o, NULL, &why),
        AT_EDOMAIN);
    if (!strstr(why.text, "the loss is not finite after 0 steps"))
        fail_msg("%s", why.text);
    assert_null(strstr(why.text, "keeps the last good state"));
    assert_int_not_equal(access(path, F_OK), 0);
    /* or it ends there, and what there was is examined: the record of a sweep */
    at_model last;
    at_learn_options ends = {.threads = 1, .from = &m, .diverged_ends = true};
    must(at_learn(d, &r, &ends, &arena, &o, &last, &err));
    assert_true(o.diverged && o.steps == 0 && o.exam.count > 0);
    assert_memory_equal(last.weights, m.weights, m.n_weights * sizeof *m.weights);
    at_model_release(&last);
    at_model_release(&m);
    unlink(path);
    rmdir(folder);
    at_arena_release(&arena);
    at_source_free(d);
}

/* What cannot be examined is refused before a step is done, not when all are: no prompt in the test part. */
static void not_examinable(void **state)
{
    (void)state;
    static const char one[] = "a b <sep> c <sep> d\n";
    at_source *d;
    must(at_source_parse(one, sizeof one - 1, "one", &d, &err));
    at_recipe r = recipe_of("width=8 layers=1 steps=3 batch=2 exams=0 prompts=4 count=4 dropout=0");
    at_arena arena;
    at_arena_init(&arena);
    at_outcome o;
    at_err why = {0};
    assert_int_equal(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o, NULL, &why), AT_EREFUSED);
    assert_non_null(strstr(why.text, "test split"));
    assert_int_equal(o.steps, 0);
    r.steps = 1000000, r.exam_every = 1;
    at_source *bits = source_of("majority", "n=5");
    why = (at_err){0};
    assert_int_equal(at_learn(bits, &r, &(at_learn_options){.threads = 1}, &arena, &o, NULL, &why),
                     AT_EDOMAIN);
    assert_non_null(strstr(why.text, "at most 10000 exams"));
    at_source_free(bits);
    at_arena_release(&arena);
    at_source_free(d);
}

/* The note of a state with one text in the place of another. */
static void note_change(const char *path, const char *from, const char *to)
{
    at_trainer *t;
    char *note, *all;
    must(at_trainer_load(path, 1, &t, &note, &err));
    char *at = strstr(note, from);
    assert_non_null(at);
    assert_true(asprintf(&all, "%.*s%s%s", (int)(at - note), note, to, at + strlen(from)) > 0);
    must(at_trainer_save(t, all, path, &err));
    free(all);
    at_free(note);
    at_trainer_free(t);
}

/* A state belongs to the model that its training began with; one whose note lies, or whose weights are not of the source's
 * words and lengths, is refused, not believed. */
static void lying_states(void **state)
{
    (void)state;
    at_source *d = source_of("parity", "n=5"), *longer = source_of("parity", "n=9");
    const char *settings =
        "width=8 layers=1 steps=4 batch=4 exams=2 prompts=4 count=4 dropout=0 warmup=1 rate=0.01";
    at_recipe r = recipe_of(settings);
    char folder[TEST_FOLDER], path[TEST_PATH];
    assert_non_null(test_folder_new(folder));
    snprintf(path, sizeof path, "%s/run.state", folder);
    at_outcome o;
    at_model m[2];
    at_arena arena;
    at_arena_init(&arena);
    for (int k = 0; k < 2; k++) {
        r.seed = 7 + (uint64_t)k;
        must(at_learn(d, &r, &(at_learn_options){.threads = 1}, &arena, &o, &m[k], &err));
    }
    at_learn_options from = {.threads = 1, .from = &m[0], .state = path}, other = from, none = from;
    other.from = &m[1];
    none.from = NULL;
    must(at_learn(d, &r, &from, &arena, &o, NULL, &err));
    must(at_learn(d, &r, &from, &arena, &o, NULL, &err)); /* finished already */
    at_err why = {0};
    assert_int_equal(at_learn(d, &r, &other, &arena, &o, NULL, &why), AT_EINPUT);
    assert_non_null(strstr(why.text, "from a model there, from another model here"));
    why = (at_err){0};
    assert_int_equal(at_learn(d, &r, &none, &arena, &o, NULL, &why), AT_EINPUT);
    assert_non_null(strstr(why.text, "from a model there, from random weights here"));
    why = (at_err){0};
    from.state = NULL;
    assert_int_equal(at_learn(longer, &r, &from, &arena, &o, NULL, &why), AT_EREFUSED);
    assert_non_null(strstr(why.text, "reads rows of"));
    static const struct {
        const char *from, *to, *says;
    } lies[] = {{"exam 2 ", "exam 5 ", "is damaged"},
                {"loss 3 ", "loss 1 ", "is damaged"},
                {"tokens ", "loss ", "is damaged"},
                {"attest-learning 3", "attest-learning 1", "is not that of a training"},
                {"attest-learning 3", "attest-learning 2", "kept by an older attest"},
                {"stretch 1", "stretch 0", "is damaged"},
                {"stretch 1", "stretch 99", "is damaged"},
                {"freeze -", "freeze token", "freeze token there, freeze - here"},
                {"recipe ", "recipe width=8\nrecipe ", "another training"}};
    for (size_t k = 0; k <= sizeof lies / sizeof *lies; k++) {
        unlink(path);
        must(at_learn(d, &r, &none, &arena, &o, NULL, &err));
        const char *says;
        if (k < sizeof lies / sizeof *lies) {
            says = lies[k].says;
            note_change(path, lies[k].from, lies[k].to);
        } else { /* the true note beside weights for three more words */
            at_trainer *t;
            char *note;
            must(at_trainer_load(path, 1, &t, &note, &err));
            at_train_arch a = *at_trainer_arch(t);
            at_trainer_free(t);
            a.vocabulary += 3;
            must(at_trainer_new(&a, at_f32, 1, &t, &err));
            char *end = strstr(note, "loss 1");
            *end = 0;
            must(at_trainer_save(t, note, path, &err));
            at_free(note);
            at_trainer_free(t);
            says = "words and reads rows of";
        }
        why = (at_err){0};
        at_status s = at_learn(d, &r, &none, &arena, &o, NULL, &why);
        assert_int_equal(at_exit_code(s), 2);
        if (!strstr(why.text, says))
            fail_msg("%zu: %s", k, why.text);
    }
    unlink(path);
    rmdir(folder);
    at_model_release(&m[0]);
    at_model_release(&m[1]);
    at_arena_release(&arena);
    at_source_free(longer);
    at_source_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lessons),
        cmocka_unit_test(epochs),
        cmocka_unit_test(recipes),
        cmocka_unit_test(learns),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(long_models),
        cmocka_unit_test(interrupted_exam),
        cmocka_unit_test(not_examinable),
        cmocka_unit_test(lying_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
