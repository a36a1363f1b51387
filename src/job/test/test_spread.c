/* test_spread.c: cells spread over ranks: the merged ledger is that of one rank, whoever dies and when.
 *
 * Every cell that is computed leaves "did K" in a log, and "put K" once its verdict is in the rank's ledger. So a
 * death may cost: the cells that were under way, one a thread of each rank that was killed; and nothing that was put is done again. */
#define _GNU_SOURCE
#include "ranks_test.h"

#include "../job_internal.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>

enum { CELLS = 24 };

typedef struct {
    place p;
    char one[TEST_PATH], many[TEST_PATH], log[TEST_PATH], ranks[TEST_PATH + 8];
} ground;

static ground ground_new(void)
{
    ground g = {.p = place_new()};
    snprintf(g.one, sizeof g.one, "%s/one.db", g.p.dir);
    snprintf(g.many, sizeof g.many, "%s/many.db", g.p.dir);
    snprintf(g.log, sizeof g.log, "%s/log", g.p.dir);
    snprintf(g.ranks, sizeof g.ranks, "%s.ranks", g.many);
    return g;
}

static void ground_remove(const ground *g)
{
    unlink(g->one);
    unlink(g->many);
    unlink(g->log);
    place_remove(&g->p); /* nothing else was left behind */
}

static int run(const ground *g, const char *db, int ranks, const char *options, const char *how, int rank,
               long when, char **said)
{
    char words[4 * TEST_PATH];
    /* Long, unless a test waits for it: on a busy machine a living rank may be silent for a while. */
    int silence = !strcmp(how, "before") || !strcmp(how, "after") ? 3 : 10;
    snprintf(words, sizeof words, "spread %s %d %s %d %s %d %ld", db, CELLS, g->log, silence, how, rank,
             when);
    return ranks_call(ranks, "", options, words, said);
}

/* How often the log says "WHAT k"; twice: how many k it says it of more than once. */
static int log_count(const ground *g, const char *what, int *twice)
{
    char *all, name[8];
    size_t n;
    int total = 0, seen[CELLS] = {0};
    OK(at_file_read(g->log, 1 << 20, &all, &n, &err));
    for (char *s = strtok(all, "\n"); s; s = strtok(NULL, "\n")) {
        int k;
        if (sscanf(s, "%7s %d", name, &k) == 2 && !strcmp(name, what)) {
            assert_true(k >= 0 && k < CELLS);
            seen[k]++;
            total++;
        }
    }
    at_free(all);
    *twice = 0;
    for (int k = 0; k < CELLS; k++)
        *twice += seen[k] > 1;
    return total;
}

static void same_ledger(const ground *g)
{
    at_text a = ledger_text(g->one), b = ledger_text(g->many);
    assert_string_equal(a.s, b.s);
    at_text_release(&a);
    at_text_release(&b);
}

/* A run that nobody disturbs. */
static void run_whole(const ground *g, const char *db, int ranks)
{
    char *said;
    if (run(g, db, ranks, "", "never", 0, 0, &said))
        fail_msg("%d ranks: %s", ranks, said);
    free(said);
}

/* Ready for a run that begins anew. */
static void ground_clear(const ground *g)
{
    unlink(g->many);
    unlink(g->log);
}

/* With the ledger to compare with, and an empty log. Skips the test where there are no ranks. */
static ground ranks_ground(void)
{
    if (!ranks_ready())
        skip();
    ground g = ground_new();
    run_whole(&g, g.one, 0);
    ground_clear(&g);
    return g;
}

static void ranks_share(void **state)
{
    (void)state;
    ground g = ranks_ground();
    for (int n = 2; n <= 3; n++) {
        int twice;
        for (int again = 0; again < 2; again++) { /* the second run finds everything */
            run_whole(&g, g.many, n);
            assert_int_equal(log_count(&g, "put", &twice), CELLS);
            assert_int_equal(twice, 0);
            assert_int_not_equal(access(g.ranks, F_OK), 0);
        }
        same_ledger(&g);
        ground_clear(&g);
    }
    ground_remove(&g);
}

/* mpirun is told to go on: the others take over the cell of the dead, and the ledger is whole in the same run. */
static void death_costs_a_cell(void **state)
{
    (void)state;
    ground g = ranks_ground();
    for (int after = 0; after < 2; after++) {
        int twice;
        char *said;
        run(&g, g.many, 3, "--enable-recovery", after ? "after" : "before", 1 + after, 3, &said);
        if (access(g.ranks, F_OK) == 0)
            fail_msg("not merged: %s", said);
        free(said);
        same_ledger(&g);
        /* the one cell is done again; killed after putting but before the next, it is put again, too */
        assert_int_equal(log_count(&g, "did", &twice), CELLS + 1);
        assert_int_equal(log_count(&g, "put", &twice), CELLS + after);
        ground_clear(&g);
    }
    ground_remove(&g);
}

/* Rank 0 dies: the rest is done by the others, and merged by whoever comes next. */
static void first_dies(void **state)
{
    (void)state;
    ground g = ranks_ground();
    int twice;
    run(&g, g.many, 2, "--enable-recovery", "before", 0, 2, NULL);
    assert_int_equal(log_count(&g, "put", &twice), CELLS);
    assert_int_equal(access(g.ranks, F_OK), 0);
    folder f;
    OK(folder_of(g.many, &f, &err));
    OK(folder_clear(&f, 0.5, &err));
    assert_int_not_equal(access(g.ranks, F_OK), 0);
    same_ledger(&g);
    ground_remove(&g);
}

/* mpirun as it comes: the death of one ends all, at any moment, start and merge included. The next run loses no cell that was
 * put, whatever its number of ranks. */
static void killed_any_time(void **state)
{
    (void)state;
    ground g = ranks_ground();
    at_rng r = at_rng_at((uint64_t)time(NULL), 0);
    for (int round = 0; round < 2; round++) {
        int killed = 0, rc = 1, twice;
        for (int k = 0; k < 2 && rc; k++) {
            int n = 2 + (int)at_rng_below(&r, 2);
            rc = run(&g, g.many, n, "", "time", (int)at_rng_below(&r, (uint64_t)n),
                     (long)at_rng_below(&r, 300000), NULL);
            killed += 2 * n; /* two threads each */
        }
        run_whole(&g, g.many, round ? 0 : 2);
        same_ledger(&g);
        int did = log_count(&g, "did", &twice), puts = log_count(&g, "put", &twice);
        /* a kill may fall between the put and its line in the log: those cells are found later, not done */
        assert_in_range(did, CELLS, CELLS + killed);
        assert_in_range(puts, CELLS - killed, CELLS);
        assert_int_equal(twice, 0);
        ground_clear(&g);
    }
    ground_remove(&g);
}

/* A cell that fails, or Ctrl-C, on one rank: it is not tried again by the others; the next run does it. */
static void failure_waits_for_the_next_run(void **state)
{
    (void)state;
    ground g = ranks_ground();
    char *said;
    int twice;
    assert_int_equal(run(&g, g.many, 3, "", "fail", 2, 2, &said), 3);
    assert_non_null(strstr(said, "takes too long"));
    free(said);
    assert_int_not_equal(access(g.ranks, F_OK), 0);
    assert_int_equal(log_count(&g, "did", &twice), CELLS); /* this cell's failure came after its work */
    same_ledger(&g);
    ground_clear(&g);

    assert_int_equal(run(&g, g.many, 2, "", "stop", 1, 2, &said), 3);
    assert_non_null(strstr(said, "interrupted"));
    free(said);
    run_whole(&g, g.many, 2);
    same_ledger(&g);
    ground_remove(&g);
}

/* ---- merging, without ranks ------------------------------------------------------------------------------------------------ */

static void row_put(const char *db, int k, const char *verdict, const char *when)
{
    char params[16], hash[65] = "";
    memset(hash, 'b', 64);
    snprintf(params, sizeof params, "k=%d", k);
    at_ledger *l;
    at_cell_key key = {"merge", params, "?", hash, 1, "build"};
    at_record rec = {.verdict = verdict, .margin = 1, .when = when};
    OK(at_ledger_open(db, AT_LEDGER_WRITE, &l, &err));
    OK(at_ledger_put(l, &key, &rec, &err));
    at_ledger_close(l);
}

static void leftovers_make(const ground *g)
{
    char path[TEST_PATH + 32];
    row_put(g->many, 0, "old", "2026-01-01T00:00:00Z");
    row_put(g->many, 1, "new", "2026-01-03T00:00:00Z");
    mkdir(g->ranks, 0777);
    for (int r = 0; r < 3; r++) {
        snprintf(path, sizeof path, "%s/ledger-%d", g->ranks, r);
        row_put(path, r, "middle", "2026-01-02T00:00:00Z"); /* newer than row 0, older than row 1 */
        row_put(path, 10 + r, "more", "2026-01-02T00:00:00Z");
        snprintf(path, sizeof path, "%s/beat-%d", g->ranks, r);
        OK(at_file_write(path, "", 0, &err));
    }
    snprintf(path, sizeof path, "%s/ledger-7.Ab12cd", g->ranks); /* a copy that was not finished */
    OK(at_file_write(path, "half", 4, &err));
    snprintf(path, sizeof path, "%s/cell-3.0", g->ranks);
    assert_int_equal(symlink("1", path), 0);
}

static void merged_check(const ground *g)
{
    static const char *const want[] = {"k=0 middle\n", "k=1 new\n",   "k=10 more\n",
                                       "k=11 more\n",  "k=12 more\n", "k=2 middle\n"};
    at_ledger *l;
    at_row *rows;
    size_t n;
    at_arena a;
    at_arena_init(&a);
    OK(at_ledger_open(g->many, AT_LEDGER_READ, &l, &err));
    OK(at_ledger_rows(l, NULL, &rows, &n, &a, &err));
    assert_int_equal(n, 6);
    for (size_t i = 0; i < n; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s %s\n", rows[i].key.params, rows[i].rec.verdict);
        assert_string_equal(line, want[i]);
    }
    at_ledger_close(l);
    at_arena_release(&a);
    assert_int_not_equal(access(g->ranks, F_OK), 0);
}

/* Interrupted by each allocation in turn: the next merge makes it whole. */
static void merge_is_harmless(void **state)
{
    (void)state;
    ground g = ground_new();
    OK(at_spread_merge(g.many, &err)); /* nothing there: nothing made */
    assert_int_not_equal(access(g.many, F_OK), 0);
    folder f;
    OK(folder_of(g.many, &f, &err));
    leftovers_make(&g);
    bool fired = true;
    int whole = 0;
    for (long k = 1; fired; k++) {
        at_err err = {0};
        at_alloc_inject(k);
        at_status s = folder_clear(&f, 0.001, &err);
        fired = at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(s, fired ? AT_ENOMEM : AT_OK);
        whole += !s;
    }
    assert_int_equal(whole, 1);
    merged_check(&g);
    ground_remove(&g);
}

static atomic_bool quiet;

static void *beater(void *path)
{
    while (!atomic_load(&quiet)) {
        utimensat(AT_FDCWD, path, NULL, 0);
        usleep(20000);
    }
    return NULL;
}

static void living_are_left_alone(void **state)
{
    (void)state;
    ground g = ground_new();
    at_err fault = {0};
    char path[TEST_PATH + 32];
    leftovers_make(&g);
    at_text before = ledger_text(g.many);
    pthread_t thread;
    snprintf(path, sizeof path, "%s/beat-1", g.ranks);
    assert_int_equal(pthread_create(&thread, NULL, beater, path), 0);
    assert_int_equal(at_spread_merge(g.many, &fault), AT_EIO);
    assert_non_null(strstr(fault.text, "another run is at work"));
    at_ranks *r;
    at_spread *w;
    fault = (at_err){0};
    OK(at_ranks_open(&r, &err));
    assert_int_equal(at_spread_open(r, g.many, 3, 6, &w, &fault), AT_EIO);
    at_text after = ledger_text(g.many);
    assert_string_equal(before.s, after.s);
    at_text_release(&before);
    at_text_release(&after);
    atomic_store(&quiet, true);
    pthread_join(thread, NULL);

    /* a file of somebody else's is not removed, and what was merged stays merged */
    snprintf(path, sizeof path, "%s/notes.txt", g.ranks);
    OK(at_file_write(path, "x", 1, &err));
    fault = (at_err){0};
    assert_int_equal(at_spread_open(r, g.many, 3, 0.5, &w, &fault), AT_EIO);
    assert_int_equal(access(path, F_OK), 0);
    unlink(path);
    OK(at_spread_open(r, g.many, 3, 0.5, &w, &err));
    size_t k;
    for (size_t want = 0; want <= 3; want++) {
        OK(at_spread_next(w, &k, &err));
        assert_int_equal(k, want);
        if (k < 3)
            OK(at_spread_done(w, k, true, &err));
    }
    OK(at_spread_close(w, AT_OK, &err));
    OK(at_ranks_close(r, AT_OK, &err));
    merged_check(&g);
    ground_remove(&g);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return rank_main(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge_is_harmless),
        cmocka_unit_test(living_are_left_alone),
        cmocka_unit_test(ranks_share),
        cmocka_unit_test(death_costs_a_cell),
        cmocka_unit_test(first_dies),
        cmocka_unit_test(killed_any_time),
        cmocka_unit_test(failure_waits_for_the_next_run),
    };
    return cmocka_run_group_tests_name("cells spread over ranks", tests, NULL, NULL);
}
