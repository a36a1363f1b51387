/* test_sweep.c: grids are what they say; a sweep gives the same records for any number of threads, after interruption,
 * and again from the ledger; marks follow the sizes of the catalogue's constructions. */
#include "job_test.h"

#include <attest/front.h>

#include <signal.h>
#include <sys/wait.h>

#define SMALL "steps=12 exams=6 prompts=4 count=6 batch=4 layers=1"

static at_err err;

static void must(at_status s)
{
    if (s)
        fail_msg("%s", err.text);
}

static int cells_of(const at_grid *g, at_arena *a, at_grid_cell **cells)
{
    int n;
    err = (at_err){0};
    must(at_grid_make(g, a, cells, &n, &err));
    return n;
}

/* ---- grids ------------------------------------------------------------------------------------------------------ */

static void grids(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_grid_cell *c;
    at_grid g = {.preset = at_preset_find("quick")};
    int n = cells_of(&g, &a, &c), places = 0;
    for (int i = 0; i < n; i++) /* heat map cells: the first seed of each */
        places += c[i].recipe.seed == 1;
    assert_int_equal(n, 2 * places);
    assert_true(places <= 66);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            bool same = c[i].task == c[k].task && c[i].size == c[k].size &&
                        c[i].recipe.arch.attention == c[k].recipe.arch.attention &&
                        c[i].recipe.arch.width == c[k].recipe.arch.width &&
                        c[i].recipe.seed == c[k].recipe.seed;
            assert_false(same);
            /* one recipe for all attentions, widths and seeds of a task */
            if (c[i].task == c[k].task) {
                at_recipe x = c[i].recipe, y = c[k].recipe;
                x.arch.attention = y.arch.attention, x.arch.width = y.arch.width, x.seed = y.seed;
                at_text s, t;
                at_text_init(&s);
                at_text_init(&t);
                at_recipe_print(&x, &s);
                at_recipe_print(&y, &t);
                assert_string_equal(s.s, t.s);
                at_text_release(&s);
                at_text_release(&t);
            }
        }
    g.preset = at_preset_find("paper");
    assert_int_equal(cells_of(&g, &a, &c), 3 * 4 * (6 + 6 + 6 + 5));
    assert_true(c[0].recipe.spared == AT_SPARED_NORMS && c[0].recipe.from_zero && c[0].recipe.distinct);
    assert_string_equal(c[0].params, "n=40 range=209"); /* inputs end at 249 */
    assert_true(c[0].recipe.batch == 512 && c[0].recipe.steps == 195400 && c[0].recipe.arch.dropout == 0.1);
    g = (at_grid){.preset = at_preset_find("quick"),
                  .tasks = (const char *const[]){"arithmetic"},
                  .n_tasks = 1,
                  .attentions = "linear,standard",
                  .widths = "8,24",
                  .seeds = "7",
                  .recipe = "rate=0.5"};
    n = cells_of(&g, &a, &c);
    assert_int_equal(c[0].recipe.arch.attention, AT_ATTENTION_LINEAR);
    assert_int_equal(c[1].recipe.arch.attention, AT_ATTENTION_STANDARD);
    assert_true(n % 4 == 0 && c[0].recipe.arch.width == 8 && c[2].recipe.arch.width == 24);
    assert_true(c[0].recipe.adamw.rate == 0.5 && c[0].recipe.seed == 7);
    const struct {
        at_grid g;
        const char *says;
    } wrong[] = {{{.tasks = (const char *const[]){"zebra"}, .n_tasks = 1}, "no problem 'zebra'"},
                 {{.attentions = "linear,soft"}, "must be standard, sparse, linear"},
                 {{.widths = "16,"}, "widths '16,': must be integers in 8..8192"},
                 {{.seeds = "1;2"}, "seeds '1;2'"},
                 {{.widths = "8,16,8"}, "widths '8,16,8': 8 is there twice"},
                 {{.seeds = "3,3"}, "3 is there twice"},
                 {{.attentions = "linear,linear"}, "linear is there twice"},
                 {{.widths = "8,12"}, "width 12 must be a multiple of 8"},
                 {{.widths = "8", .recipe = "heads=3"}, "and of the heads (3)"},
                 {{.recipe = "rat=1"}, "did you mean 'rate'?"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        at_err why = {0};
        at_grid bad = wrong[k].g;
        bad.preset = at_preset_find("quick");
        assert_int_equal(at_grid_make(&bad, &a, &c, &n, &why), AT_EINPUT);
        if (!strstr(why.text, wrong[k].says))
            fail_msg("%s", why.text);
    }
    at_arena_release(&a);
}

/* A problem of the user's own: a size a value of the range, rows of its own, and a name that has the hash of its text. */
static void grids_of_a_problem(void **state)
{
    (void)state;
    place where = place_new();
    char path[TEST_PATH + 32];
    snprintf(path, sizeof path, "%s/mine.dp", where.dir);
    static const char text[] = "problem \"sums\"\nsize n in 1..6\ninput x[n] in 0..%d\nstate i in 1..n\n"
                               "value s in 0..40\ntake a = x[i]\nneed b = (i-1) when i > 1\n"
                               "s = a + if i > 1 then b.s else 0\nanswer s\n";
    char name[2][64], stamp[2][65];
    uint64_t all[2];
    at_arena a;
    at_arena_init(&a);
    at_grid_cell *c;
    at_grid g = {.preset = at_preset_find("quick"),
                 .tasks = (const char *const[]){path, path},
                 .n_tasks = 2, /* twice is once */
                 .set = "n=4..5",
                 .widths = "8,64",
                 .seeds = "1"};
    for (int k = 0; k < 2; k++) {
        char written[400];
        int n = snprintf(written, sizeof written, text, 3 + k);
        must(at_file_write(path, written, (size_t)n, &err));
        n = cells_of(&g, &a, &c);
        assert_int_equal(n, 2 * 2 * 3);
        for (int i = 0; i < n; i++) {
            at_mark_of mark;
            int width = c[i].recipe.arch.width;
            assert_true(c[i].source && c[i].size == (i < n / 2 ? 4 : 5));
            assert_string_equal(c[i].task->size, "n");
            assert_string_equal(c[i].params, i < n / 2 ? "n=4 letters=0" : "n=5 letters=0");
            must(at_grid_mark(&c[i], &mark, &err)); /* some attention fits into 64, none into 8 */
            assert_true(strstr(mark.why, "compiled, ") && (width > 8 || !strcmp(mark.mark, "silent")));
            assert_true(width < 64 || c[i].recipe.arch.attention != AT_ATTENTION_STANDARD ||
                        !strcmp(mark.mark, "constructible"));
        }
        snprintf(name[k], sizeof name[k], "%s", c[0].task->stream);
        memcpy(stamp[k], c[0].stamp, sizeof stamp[k]);
        all[k] = at_grid_stamp(c, n);
        at_grid_release(c, n);
    }
    assert_true(!strncmp(name[0], "mine.dp#", 8) && !strncmp(name[0] + 8, stamp[0], 8));
    assert_string_not_equal(name[0], name[1]); /* another text under the same name is another problem */
    assert_string_not_equal(stamp[0], stamp[1]);
    assert_true(all[0] != all[1]);
    g = (at_grid){
        .preset = g.preset, .tasks = (const char *const[]){"lis"}, .n_tasks = 1, .set = "n=5 range=9"};
    int n = cells_of(&g, &a, &c);
    assert_true(n == 4 * 3 * 2 && c[0].size == 5 && !strcmp(c[0].task->stream, "lis"));
    at_grid_release(c, n);
    const struct {
        const char *word, *set, *says;
    } wrong[] = {{path, "n=1..9", "n="},
                 {path, "Q=1", "unknown parameter 'Q'"},
                 {"coins", "n=2..3 amount=2..3", "one parameter may be a range"},
                 {"lis", "n=1..80 range=100", "too many sizes"},
                 {"ngram", "rank=1..2 n=2..3", "one parameter may be a range"},
                 {"build", NULL, "no problem 'build'"},
                 {"./build", NULL, "build"},
                 {"product", NULL, "product"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        at_err why = {0};
        at_grid bad = {.preset = g.preset, .tasks = &wrong[k].word, .n_tasks = 1, .set = wrong[k].set};
        if (!at_grid_make(&bad, &a, &c, &n, &why) || n || !strstr(why.text, wrong[k].says))
            fail_msg("%s: %s", wrong[k].word, why.text);
    }
    unlink(path);
    place_remove(&where);
    at_arena_release(&a);
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int told, served, stop_after, counted;
    const at_grid_cell *cells;
} seen;

/* Every cell of the grid comes, in its order. */
static void counted(void *ctx, const at_sweep_event *e)
{
    seen *s = ctx;
    if (!s->counted)
        s->cells = e->cell;
    assert_ptr_equal(e->cell, s->cells + s->counted);
    s->counted++;
    assert_int_equal(e->done, s->counted);
}

static void told(void *ctx, const at_sweep_event *e)
{
    seen *s = ctx;
    s->told++;
    s->served += e->served;
    assert_int_equal(e->done, s->told);
    if (s->stop_after && s->told == s->stop_after)
        raise(SIGKILL);
}

static at_ranks *ranks; /* this process alone */

static at_status sweep(const char *path, const at_grid_cell *cells, int n, int threads, seen *s,
                       at_sweep_summary *sum)
{
    err = (at_err){0};
    return at_job_sweep(
        cells, n,
        &(at_sweep_job){
            .ranks = ranks, .db = path, .threads = threads, .told = told, .counted = counted, .ctx = s},
        sum, &err);
}

/* What a reader of the ledger needs to know of each net. */
static void nets_are_known(const char *db, const at_grid_cell *cells, int n, at_arena *a)
{
    at_ledger *l;
    at_row *rows;
    size_t n_rows;
    must(at_ledger_open(db, AT_LEDGER_READ, &l, &err));
    must(at_ledger_rows(l, NULL, &rows, &n_rows, a, &err));
    at_ledger_close(l);
    for (int k = 0; k < n; k++) {
        const at_train_arch *arch = &cells[k].recipe.arch;
        bool found = false;
        for (size_t i = 0; i < n_rows && !found; i++) {
            at_finding f;
            must(at_finding_of_row(&rows[i], a, &f, &err));
            if (f.kind != AT_FINDING_TRAINING || f.broken)
                fail_msg("%s: %s", rows[i].rec.detail, f.broken ? f.broken : "is no training");
            const at_training_detail *d = &f.training;
            found = !strcmp(d->preset, "quick") &&
                    !strcmp(d->attention, at_attention_names[arch->attention]) && d->width == arch->width &&
                    d->layers == arch->layers && d->heads == arch->heads && d->parameters > 0;
        }
        assert_true(found);
    }
}

static void sweeps(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_grid g = {.preset = at_preset_find("quick"),
                 .tasks = (const char *const[]){"lis", "arithmetic"},
                 .n_tasks = 2,
                 .widths = "8",
                 .seeds = "1,2",
                 .recipe = SMALL};
    at_grid_cell *cells;
    int n = cells_of(&g, &a, &cells);
    at_sweep_summary sum;
    must(at_ranks_open(&ranks, &err));
    place here[2] = {place_new(), place_new()};
    seen first = {0}, again = {0}, cut = {.stop_after = 4}, rest = {0};
    double start = at_now();
    must(sweep(here[0].db, cells, n, 1, &first, &sum));
    assert_true(sum.seconds > 0 && sum.seconds <= at_now() - start);
    assert_int_equal(sum.cells, n);
    assert_int_equal(first.told, n);
    assert_int_equal(first.served, 0);
    assert_int_equal(sum.served, 0);
    assert_int_equal(first.counted, n);
    must(sweep(here[0].db, cells, n, 2, &again, &sum));
    assert_int_equal(again.served, n);
    assert_int_equal(sum.served, n);
    pid_t child = fork();
    if (!child) {
        sweep(here[1].db, cells, n, 2, &cut, &sum);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    must(sweep(here[1].db, cells, n, 3, &rest, &sum));
    assert_true(rest.served >= 4 && rest.served < n); /* the finished ones, and no more */
    assert_int_equal(sum.served, rest.served);
    assert_int_equal(sum.cells, n);
    assert_int_equal(rest.counted, n);
    nets_are_known(here[0].db, cells, n, &a);
    at_text text[2];
    for (int k = 0; k < 2; k++) {
        text[k] = ledger_text(here[k].db);
        place_remove(&here[k]);
    }
    must(at_ranks_close(ranks, AT_OK, &err));
    assert_string_equal(text[0].s, text[1].s);
    at_text_release(&text[0]);
    at_text_release(&text[1]);
    at_arena_release(&a);
}

/* ---- marks -------------------------------------------------------------------------------------------------------- */

static void marks(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_grid g = {.preset = at_preset_find("quick"), .widths = "8,16,32,64,256,1024", .seeds = "1"};
    at_grid_cell *c;
    int n = cells_of(&g, &a, &c), constructible = 0, silent = 0;
    for (int i = 0; i < n; i++) {
        at_mark_of m;
        must(at_grid_mark(&c[i], &m, &err));
        bool can = !strcmp(m.mark, "constructible");
        constructible += can;
        silent += !strcmp(m.mark, "silent");
        for (int k = 0; k < i; k++) { /* what a width can do a larger one can */
            at_mark_of less;
            if (c[k].task != c[i].task || c[k].size != c[i].size ||
                c[k].recipe.arch.attention != c[i].recipe.arch.attention)
                continue;
            must(at_grid_mark(&c[k], &less, &err));
            assert_true(can || strcmp(less.mark, "constructible") ||
                        c[k].recipe.arch.width > c[i].recipe.arch.width);
        }
    }
    assert_int_equal(constructible + silent, n);
    /* edit distance: the catalogue's costs 2 a letter at the border, and a decoder of it has words of one length */
    static const struct {
        const char *params, *mark;
    } costs[] = {{"n=4 border=0 fixed=1", "constructible"},
                 {"n=4 border=1 fixed=1", "silent"},
                 {"n=4 border=0 fixed=0", "silent"}};
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < 3 && !strncmp(c[i].task->stream, "ed", 2); k++) {
            at_grid_cell ed = c[i];
            at_mark_of mark;
            ed.params = costs[k].params;
            ed.recipe.arch.attention = AT_ATTENTION_STANDARD;
            ed.recipe.arch.width = 1024;
            must(at_grid_mark(&ed, &mark, &err));
            assert_string_equal(mark.mark, costs[k].mark);
            assert_true(*mark.why);
        }
    assert_true(constructible > 0 && silent > 0);
    /* the very size: that of the decoder that compiles for expressions */
    at_model m;
    must(at_expr_model(&(at_expr_spec){.p = 11, .operators = 3, .kind = AT_ATTENTION_STANDARD}, &m, &err));
    int least = m.width;
    at_model_release(&m);
    g = (at_grid){.preset = g.preset,
                  .tasks = (const char *const[]){"arithmetic"},
                  .n_tasks = 1,
                  .attentions = "standard",
                  .widths = "32",
                  .seeds = "1"};
    n = cells_of(&g, &a, &c);
    assert_int_equal(n, 2); /* two operators, and three */
    for (int i = 1; i < n; i++)
        for (int more = 0; more < 2; more++) { /* the width itself, and one less */
            at_mark_of mark;
            c[i].recipe.arch.width = least - 1 + more;
            must(at_grid_mark(&c[i], &mark, &err));
            assert_string_equal(mark.mark, more ? "constructible" : "silent");
        }
    at_arena_release(&a);
}

/* The chains of lis with n numbers, counted by trying all of them: those that mark.c counts are among them. */
static int chains_of_lis(int n, int k)
{
    int all = 1, same = 0, of[4096], found = 0;
    for (int i = 0; i < n; i++)
        all *= n;
    for (int x = 0; x < all; x++) {
        int s[8], l[8], code = 0, most = 0;
        bool begins = true;
        for (int i = 0, rest = x; i < n; i++, rest /= n) {
            s[i] = rest % n;
            l[i] = 1;
            for (int j = 0; j < i; j++)
                l[i] = s[j] < s[i] && l[j] >= l[i] ? l[j] + 1 : l[i];
            assert_true(l[i] <= most + 1);
            most = l[i] > most ? l[i] : most;
            begins = begins && (i < k ? l[i] == i + 1 : l[i] <= k);
            code = 8 * code + l[i];
        }
        for (same = 0; same < found && of[same] != code; same++)
            ;
        if (begins && same == found)
            of[found++] = code;
    }
    return found;
}

static void impossible(void **state)
{
    (void)state;
    assert_int_equal(chains_of_lis(5, 2), 8); /* k^(n-k) */
    assert_int_equal(chains_of_lis(5, 3), 9);
    assert_int_equal(chains_of_lis(6, 3), 27);
    at_arena a;
    at_arena_init(&a);
    static const struct {
        const char *attention, *recipe, *mark;
        int n;
    } cases[] = {{"linear", "layers=1 heads=8", "impossible", 250}, /* 512 bits of sums, 65^185 chains */
                 {"linear", "layers=3 heads=8", "silent", 250},     /* 1536 bits */
                 {"linear", "layers=1 heads=8", "silent", 110},
                 {"sparse", "layers=1 heads=8", "silent", 250},
                 {"standard", "layers=1 heads=8", "silent", 250}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at_grid g = {.preset = at_preset_find("paper"),
                     .tasks = (const char *const[]){"lis"},
                     .n_tasks = 1,
                     .attentions = cases[i].attention,
                     .widths = "8",
                     .recipe = cases[i].recipe};
        at_grid_cell *c;
        int n = cells_of(&g, &a, &c);
        for (int k = 0; k < n; k++) {
            at_mark_of m;
            if (c[k].size != cases[i].n)
                continue;
            must(at_grid_mark(&c[k], &m, &err));
            assert_string_equal(m.mark, cases[i].mark);
            assert_true(strcmp(m.mark, "impossible") || strstr(m.why, "dp-hard: at least "));
        }
    }
    at_arena_release(&a);
}

/* What a preset gives a stream, before what is asked for. */
static void presets_give(void **state)
{
    (void)state;
    static const struct {
        const char *preset, *stream, *set, *gives;
        bool ours;
    } rows[] = {
        {"paper", "lis", NULL, "n=40 range=209 ", true},
        {"paper", "lis", "n=110", "range=139 n=110", true},
        {"paper", "lis", "n=11", "n=11", false}, /* no size of the preset shares its range */
        {"paper", "lis", "range=300", "n=40 range=300", true},
        {"paper", "arithmetic", "operators=4..5", "order=random under=1 operators=4..5", false},
        {"paper", "arithmetic", "p=7,operators=16,order=leftmost", "under=1 p=7,operators=16,order=leftmost",
         true},
        {"quick", "ed", "n=6", "fixed=1 n=6", false},
        {"languages", "dyck", "k=2", "n=20 least=2 D=20 chain=0 k=2", true},
        {"quick", "parity", "n=6", "n=6", false},
        {NULL, "lis", "n=6", "n=6", false},
        {NULL, "lis", NULL, "", false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_text t;
        at_text_init(&t);
        const at_preset *p = rows[k].preset ? at_preset_find(rows[k].preset) : NULL;
        assert_int_equal(at_preset_set(p, rows[k].stream, rows[k].set, &t), rows[k].ours);
        assert_string_equal(t.s, rows[k].gives);
        at_text_release(&t);
    }
    at_arena a;
    at_arena_init(&a);
    at_grid_cell *c;
    at_grid g = {.preset = at_preset_find("paper"),
                 .tasks = (const char *const[]){"arithmetic"},
                 .n_tasks = 1,
                 .set = "operators=2..3",
                 .widths = "8",
                 .attentions = "linear"};
    int n = cells_of(&g, &a, &c);
    assert_int_equal(n, 2);
    assert_string_equal(c[1].params, "operators=3 p=11 order=random under=1");
    at_grid_release(c, n);
    at_arena_release(&a);
}

/* The cost grows as the work does: twice the steps, about twice as much; wider, more. What is not tried is counted by GFLOP. */
static void costs(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_grid_cell *c;
    double cpu[2][4];
    for (int k = 0; k < 2; k++) {
        at_grid g = {.preset = at_preset_find("paper"),
                     .tasks = (const char *const[]){"lis"},
                     .n_tasks = 1,
                     .attentions = "linear",
                     .widths = "16",
                     .recipe =
                         k ? "batch=8 steps=2000 exams=0 count=1" : "batch=8 steps=1000 exams=0 count=1"};
        assert_int_equal(cells_of(&g, &a, &c), 4);
        must(at_grid_cost(c, 4, NULL, cpu[k], &err));
        /* one cell is tried; the others have 2.69, 4.25, 6.05 times as many tokens, and more words */
        for (int i = 0; i < 4; i++)
            assert_true(cpu[k][i] > 0 && (!i || cpu[k][i] > 1.2 * cpu[k][i - 1]));
        assert_true(cpu[k][3] > 5 * cpu[k][0] && cpu[k][3] < 12 * cpu[k][0]);
    }
    assert_true(cpu[1][0] > cpu[0][0] && cpu[1][0] < 8 * cpu[0][0]); /* two measurements, on a busy machine */
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids),        cmocka_unit_test(costs), cmocka_unit_test(grids_of_a_problem),
        cmocka_unit_test(sweeps),       cmocka_unit_test(marks), cmocka_unit_test(impossible),
        cmocka_unit_test(presets_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
