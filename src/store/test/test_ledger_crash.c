/* test_ledger_crash.c: other processes, missing rights, a full disk and kill -9. What was acknowledged is
 * there afterwards, what was refused left no trace.
 *
 * Children report through a pipe or by their exit code and leave with _exit, so that cmocka runs once. */
#define _GNU_SOURCE
#include "store_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void integrity_ok(const char *path)
{
    sqlite3 *db;
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(q, 0), "ok");
    sqlite3_finalize(q);
    sqlite3_close(db);
}

static int child_exit(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- kill -9 -------------------------------------------------------------------------------- */

enum { VERDICT_EVERY = 8 };

/* Step i: piece i of one cell and, every eighth time, a verdict of its own; then i is acknowledged. */
static void steps_write(const char *path, uint64_t i, int ack)
{
    at_err err = {0};
    at_ledger *l;
    at_cell_key k = key_of("pieces");
    at_record r = record_of("holds");
    char text[32];
    if (at_ledger_open(path, AT_LEDGER_WRITE, &l, &err))
        _exit(2);
    for (;; i++) {
        snprintf(text, sizeof text, "step %llu", (unsigned long long)i);
        at_cell_key v = key_of(text);
        if (at_ledger_piece_put(l, &k, i, text, &err) ||
            (i % VERDICT_EVERY == 0 && at_ledger_put(l, &v, &r, &err)))
            _exit(3);
        if (write(ack, &i, sizeof i) != sizeof i)
            _exit(4);
    }
}

typedef struct {
    uint64_t next;
    bool gap;
} steps_seen;

static at_status step_see(void *ctx, uint64_t piece, const char *payload, at_err *err)
{
    steps_seen *s = ctx;
    char text[32];
    (void)err;
    snprintf(text, sizeof text, "step %llu", (unsigned long long)piece);
    if (piece != s->next++ || !payload || strcmp(payload, text) != 0)
        s->gap = true;
    return AT_OK;
}

/* The number of steps in the ledger, which are 0, 1, 2, ... without a gap. */
static uint64_t steps_read(const char *path, at_ledger_mode mode)
{
    at_err err = {0};
    at_cell_key k = key_of("pieces");
    steps_seen s = {0};
    at_ledger *l = open_ok(path, mode);
    assert_int_equal(at_ledger_pieces(l, &k, step_see, &s, &err), AT_OK);
    assert_false(s.gap);
    /* A verdict of the step that was under way may be missing, no other one. */
    size_t rows = rows_count(l), want = (s.next + VERDICT_EVERY - 1) / VERDICT_EVERY;
    assert_true(rows == want || (rows + 1 == want && s.next % VERDICT_EVERY == 1));
    at_ledger_close(l);
    return s.next;
}

static void test_kill(void **state)
{
    (void)state;
    place p = place_new();
    uint64_t start = 0, acknowledged = 0;
    for (int round = 0; round < 20; round++) {
        int ack[2];
        uint64_t i;
        assert_int_equal(pipe(ack), 0);
        pid_t pid = fork();
        if (pid == 0) {
            close(ack[0]);
            steps_write(p.db, start, ack[1]);
        }
        close(ack[1]);
        at_rng rng = at_rng_at(7, (uint64_t)round);
        if (round > 0) /* in round 0 also while the ledger is being made */
            assert_int_equal(read(ack[0], &i, sizeof i), sizeof i);
        usleep((useconds_t)at_rng_below(&rng, 40000));
        kill(pid, SIGKILL);
        assert_int_equal(child_exit(pid), 1000 + SIGKILL);
        if (round > 0)
            acknowledged = i + 1;
        while (read(ack[0], &i, sizeof i) == sizeof i)
            acknowledged = i + 1;
        close(ack[0]);
        uint64_t there = 0;
        if (round % 2 && acknowledged) /* through the log that the dead writer left */
            there = steps_read(p.db, AT_LEDGER_READ);
        uint64_t again = steps_read(p.db, AT_LEDGER_WRITE);
        assert_true(!there || there == again);
        assert_true(again == acknowledged || again == acknowledged + 1);
        integrity_ok(p.db);
        start = acknowledged; /* so that a verdict that the kill prevented is written after all */
    }
    assert_true(start > 20);
    place_drop(&p);
}

/* ---- other processes ------------------------------------------------------------------------ */

/* A child that holds a lock until it is killed. */
static pid_t lock_hold(const char *path, const char *sql)
{
    int ready[2];
    char c;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        sqlite3 *db;
        if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
            _exit(1);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &c, 1), 1);
    close(ready[0]);
    return pid;
}

static void test_locked(void **state)
{
    (void)state;
    place p = place_new();
    at_err err = {0};
    at_cell_key k = key_of("N=6");
    at_record r = record_of("holds");
    at_ledger *l = open_ok(p.db, AT_LEDGER_WRITE);
    put_ok(l, &k, &r);

    pid_t pid = lock_hold(p.db, "BEGIN IMMEDIATE");
    double t = at_now();
    assert_int_equal(at_ledger_piece_put(l, &k, 0, "x", &err), AT_EIO);
    t = at_now() - t;
    assert_true(t > 1.5); /* it has waited for the other; how long at most is a matter of the machine */
    assert_non_null(strstr(err.text, "locked by another process"));
    assert_int_equal(rows_count(l), 1); /* reading goes on meanwhile */
    at_ledger *reader = open_ok(p.db, AT_LEDGER_READ);
    assert_int_equal(rows_count(reader), 1);
    at_ledger_close(reader);
    at_ledger *writer = open_ok(p.db, AT_LEDGER_WRITE); /* nothing is to be made: opening waits for nobody */
    assert_int_equal(rows_count(writer), 1);
    at_ledger_close(writer);
    kill(pid, SIGKILL);
    child_exit(pid);
    piece_ok(l, &k, 0, "x"); /* and writing once the other is gone */
    at_ledger_close(l);

    pid = lock_hold(p.db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    open_fails(p.db, AT_LEDGER_WRITE, AT_EIO, "locked by another process");
    kill(pid, SIGKILL);
    child_exit(pid);
    l = open_ok(p.db, AT_LEDGER_READ);
    assert_int_equal(rows_count(l), 1);
    at_ledger_close(l);
    place_drop(&p);
}

/* Several processes make the same ledger at the same moment and all write to it. */
static void test_many_writers(void **state)
{
    (void)state;
    enum { WRITERS = 4, CELLS = 20 };
    place p = place_new();
    pid_t pid[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        pid[w] = fork();
        if (pid[w] == 0) {
            at_err err = {0};
            at_ledger *l;
            at_record r = record_of("holds");
            if (at_ledger_open(p.db, AT_LEDGER_WRITE, &l, &err))
                _exit(1);
            for (int i = 0; i < CELLS; i++) {
                char params[32];
                snprintf(params, sizeof params, "w=%d i=%d", w, i);
                at_cell_key k = key_of(params);
                if (at_ledger_put(l, &k, &r, &err))
                    _exit(2);
            }
            at_ledger_close(l);
            _exit(0);
        }
    }
    for (int w = 0; w < WRITERS; w++)
        assert_int_equal(child_exit(pid[w]), 0);
    at_ledger *l = open_ok(p.db, AT_LEDGER_READ);
    assert_int_equal(rows_count(l), WRITERS * CELLS);
    at_ledger_close(l);
    integrity_ok(p.db);
    place_drop(&p);
}

static void test_reader_beside_writer(void **state)
{
    (void)state;
    place p = place_new();
    at_err err = {0};
    at_arena a;
    at_row *rows;
    size_t n;
    at_arena_init(&a);
    at_record r = record_of("holds");
    at_cell_key k1 = key_of("N=1"), k2 = key_of("N=2"), k3 = key_of("N=3");
    at_ledger *w = open_ok(p.db, AT_LEDGER_WRITE);
    put_ok(w, &k1, &r);
    at_ledger *reader = open_ok(p.db, AT_LEDGER_READ); /* sees what is only in the log, and what comes */
    assert_int_equal(rows_count(reader), 1);
    put_ok(w, &k2, &r);
    assert_int_equal(rows_count(reader), 2);
    at_ledger_close(reader);
    at_ledger_close(w);

    /* Nobody writes: no lock, no side file. A writer that comes later is noticed. */
    assert_int_equal(place_files(&p, false), 1);
    reader = open_ok(p.db, AT_LEDGER_READ);
    assert_int_equal(rows_count(reader), 2);
    assert_int_equal(place_files(&p, false), 1);
    usleep(20000); /* longer than the grain of a file's time */
    w = open_ok(p.db, AT_LEDGER_WRITE);
    put_ok(w, &k3, &r);
    at_ledger_close(w);
    assert_int_equal(at_ledger_rows(reader, NULL, &rows, &n, &a, &err), AT_EIO);
    assert_non_null(strstr(err.text, "changed while it was being read"));
    at_ledger_close(reader);
    at_arena_release(&a);
    place_drop(&p);
}

/* ---- rights --------------------------------------------------------------------------------- */

/* In a child without rights (root is above them): 0 when opening gives this code and word. */
static int open_as_nobody(const char *path, at_ledger_mode mode, at_status code, const char *word)
{
    pid_t pid = fork();
    if (pid == 0) {
        at_err err = {0};
        at_ledger *l;
        if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0))
            _exit(9);
        at_status s = at_ledger_open(path, mode, &l, &err);
        bool ok = s == code && strstr(err.text, word) && !strchr(err.text, '\n');
        if (!ok)
            fprintf(stderr, "status %d: %s\n", s, err.text);
        at_ledger_close(l);
        _exit(ok ? 0 : 1);
    }
    return child_exit(pid);
}

static void test_rights(void **state)
{
    (void)state;
    place p = place_new();
    at_cell_key k = key_of("N=6");
    at_record r = record_of("holds");
    char fresh[120], log[120];
    at_ledger *l = open_ok(p.db, AT_LEDGER_WRITE);
    put_ok(l, &k, &r);
    at_ledger_close(l);
    snprintf(fresh, sizeof fresh, "%s/fresh.db", p.dir);
    snprintf(log, sizeof log, "%s-wal", p.db);

    chmod(p.dir, 0777);
    chmod(p.db, 0444);
    assert_int_equal(open_as_nobody(p.db, AT_LEDGER_WRITE, AT_EIO, "read-only"), 0);
    assert_int_equal(open_as_nobody(p.db, AT_LEDGER_READ, AT_OK, ""), 0);
    chmod(p.db, 0666);
    chmod(p.dir, 0555);
    assert_int_equal(open_as_nobody(p.db, AT_LEDGER_WRITE, AT_EIO, "ledger.db: "), 0);
    assert_int_equal(open_as_nobody(p.db, AT_LEDGER_READ, AT_OK, ""), 0);
    assert_int_equal(open_as_nobody(fresh, AT_LEDGER_WRITE, AT_EIO, "Permission denied"), 0);
    chmod(p.db, 0000);
    assert_int_equal(open_as_nobody(p.db, AT_LEDGER_READ, AT_EIO, "Permission denied"), 0);
    chmod(p.db, 0444);
    /* A log without its index in a directory that cannot hold one: not read as if the log were not there. */
    chmod(p.dir, 0777);
    FILE *f = fopen(log, "wb");
    assert_non_null(f);
    fputs("anything", f);
    fclose(f);
    chmod(p.dir, 0555);
    assert_int_equal(open_as_nobody(p.db, AT_LEDGER_READ, AT_EIO, "ledger.db: "), 0);
    assert_int_equal(geteuid() == 0 || access(fresh, F_OK) != 0, 1);
    place_drop(&p);
}

/* ---- a full disk ---------------------------------------------------------------------------- */

/* Files may not grow beyond `bytes`; the child's verdicts until the first refusal are its exit code. */
static int fill(const char *path, rlim_t bytes)
{
    pid_t pid = fork();
    if (pid == 0) {
        at_err err = {0};
        at_ledger *l;
        at_record r = record_of("holds");
        char params[32], detail[4000];
        memset(detail, 'd', sizeof detail - 1);
        detail[sizeof detail - 1] = 0;
        r.detail = detail;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes});
        at_status s = at_ledger_open(path, AT_LEDGER_WRITE, &l, &err);
        int n = 0;
        while (!s && n < 200) {
            snprintf(params, sizeof params, "N=%d", n);
            at_cell_key k = key_of(params);
            s = at_ledger_piece_put(l, &k, 0, "x", &err);
            if (!s)
                s = at_ledger_put(l, &k, &r, &err);
            n += !s;
        }
        at_ledger_close(l);
        if (s != AT_EIO || !strstr(err.text, "no space left"))
            fprintf(stderr, "status %d: %s\n", s, err.text), _exit(250);
        _exit(n);
    }
    return child_exit(pid);
}

static void test_disk_full(void **state)
{
    (void)state;
    place p = place_new();
    assert_int_equal(fill(p.db, 0), 0); /* not even a header */
    assert_int_equal(fill(p.db, 10000), 0);
    at_ledger *l = open_ok(p.db, AT_LEDGER_WRITE); /* the remains are taken up, not refused */
    assert_int_equal(rows_count(l), 0);
    at_ledger_close(l);
    int n = fill(p.db, 400000);
    assert_in_range(n, 1, 199);
    l = open_ok(p.db, AT_LEDGER_WRITE);
    assert_int_equal(rows_count(l), n); /* what was acknowledged, and nothing of what was refused */
    at_cell_key k = key_of("after");
    at_record r = record_of("holds");
    put_ok(l, &k, &r);
    at_ledger_close(l);
    integrity_ok(p.db);
    place_drop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill),         cmocka_unit_test(test_locked),
        cmocka_unit_test(test_many_writers), cmocka_unit_test(test_reader_beside_writer),
        cmocka_unit_test(test_rights),       cmocka_unit_test(test_disk_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
