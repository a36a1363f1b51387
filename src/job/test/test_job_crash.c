/* test_job_crash.c: twenty times kill -9 at random moments; the ledger that is finished afterwards is that of
 * an uninterrupted run but for times, and little was done twice.
 *
 * How work is counted. A run ticks once for every finished piece, given back or computed. Pieces that were
 * kept are counted in the file before a run starts, so a run has computed (ticks - kept) pieces and, when it
 * was killed, was at most in the middle of one more (one thread). All pieces of a cell are of one size. That kept
 * pieces are not computed again is shown by test_job.c. Moments are counted in pieces too: a busy machine is no
 * reason to fail. */
#include "job_test.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#define KILLS (TEST_SCALE > 1 ? 6 : 20)
#define LARGE (TEST_SCALE > 1 ? "N=7 M=24" : "N=8 M=24") /* 2 or 7.9 million multisets */

static const at_cell pair_cells[] = {
    {"N=5 M=11", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {LARGE, NULL, AT_EV_EXACT, AT_ENUM_MULTISETS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=512 M=2048", NULL, AT_EV_CERTIFIED, 0, "ball", 0, AT_TIER_QUICK, NULL},
    {"N=16 M=1024", NULL, AT_EV_SAMPLED, 0, "p24", 700000, AT_TIER_QUICK, NULL},
    {"N=6 M=11", "c=0.02", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
};
static const at_cell average_cells[] = {
    {"N=31 q=3", NULL, AT_EV_EXACT, AT_ENUM_SUBSETS, "f64", 0, AT_TIER_QUICK, NULL},
    {"N=32 q=2", NULL, AT_EV_SAMPLED, 0, "f32", 20000, AT_TIER_QUICK, NULL},
    {"N=32 q=2", "alpha=0.2", AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},
};

static atomic_long *ticks; /* shared with the child */

static void tick(void *ctx, const char *what, double done, double total)
{
    (void)ctx;
    (void)what;
    (void)done;
    (void)total;
    atomic_fetch_add(ticks, 1);
}

static void work(const char *db)
{
    at_claim pair = claim_with("match2", pair_cells, 5), average = claim_with("qsa-rip", average_cells, 3);
    const at_claim *list[2] = {&pair, &average};
    at_progress progress = {tick, NULL};
    at_job job = {.threads = 1, .seed = 1, .progress = &progress};
    at_job_summary sum;
    at_err err = {0};
    if (at_ledger_open(db, AT_LEDGER_WRITE, &job.ledger, &err) || at_job_check(list, 2, &job, &sum, &err) ||
        sum.held != 2 || sum.rejected != 2)
        _exit(1);
    at_ledger_close(job.ledger);
    _exit(0);
}

/* Pieces in the file that will be given back. */
static long kept(const char *db)
{
    sqlite3 *s;
    sqlite3_stmt *q;
    long n = 0;
    if (access(db, F_OK) != 0)
        return 0;
    assert_int_equal(sqlite3_open(db, &s), SQLITE_OK);
    if (sqlite3_prepare_v2(s, "SELECT count(*) FROM piece", -1, &q, NULL) == SQLITE_OK) {
        assert_int_equal(sqlite3_step(q), SQLITE_ROW);
        n = (long)sqlite3_column_int64(q, 0);
        sqlite3_finalize(q);
    } /* else: killed before the tables were made */
    sqlite3_close(s);
    return n;
}

/* Runs a child, and kills it somewhere in the middle of a piece when it has computed so many (negative: never).
 * Returns the pieces it computed; *done tells whether it got to the end. */
static long child(const char *db, long pieces, at_rng *r, bool *done)
{
    long before = kept(db);
    atomic_store(ticks, 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        work(db);
    int status = 0;
    pid_t over = 0;
    if (pieces >= 0) {
        while (atomic_load(ticks) < before + pieces && !(over = waitpid(pid, &status, WNOHANG)))
            usleep(500);
        usleep((useconds_t)at_rng_below(r, 60000));
        if (!over)
            kill(pid, SIGKILL);
    }
    if (!over)
        over = waitpid(pid, &status, 0);
    assert_int_equal(over, pid);
    *done = WIFEXITED(status);
    if (*done)
        assert_int_equal(WEXITSTATUS(status), 0);
    long computed = atomic_load(ticks) - before;
    return computed > 0 ? computed : 0;
}

static void test_killed_twenty_times(void **state)
{
    (void)state;
    place whole = place_new(), torn = place_new();
    bool done;
    ticks = mmap(NULL, sizeof *ticks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(ticks != MAP_FAILED);
    at_rng r = at_rng_at((uint64_t)getpid(), 0);
    long all = child(whole.db, -1, &r, &done), computed = 0;
    assert_true(done);
    int kills = 0;
    done = false;
    for (int k = 0; k < KILLS && !done; k++) {
        computed += child(torn.db, (long)at_rng_below(&r, (uint64_t)(2 * all / KILLS)), &r, &done);
        kills += !done;
    }
    if (!done)
        computed += child(torn.db, -1, &r, &done);
    assert_true(done);
    at_text a = ledger_text(whole.db), b = ledger_text(torn.db);
    assert_string_equal(a.s, b.s);
    assert_int_equal(kept(torn.db), 0);
    /* computed and finished, plus at most one piece under way at each kill */
    print_message("%d kills: %ld pieces at once, %ld in parts and at most %d begun in vain\n", kills, all,
                  computed, kills);
    assert_true(kills >= KILLS / 2);
    assert_true(computed <=
                all + kills); /* killed between the write and the tick, or just before: once each */
    assert_true((double)(computed + kills) <= 1.3 * (double)all);
    at_text_release(&a);
    at_text_release(&b);
    munmap(ticks, sizeof *ticks);
    place_remove(&whole);
    place_remove(&torn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_killed_twenty_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
