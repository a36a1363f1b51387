/* test_ledger_memory.c: the allocations of a ledger's life fail, one at a time: all of ours, then a sample of ours
 * and SQLite's together.
 *
 * For the second part SQLite is given an allocator that asks at_malloc, so that one counter covers both. After
 * each failure: either the call says "out of memory", or SQLite could do without; what was acknowledged is
 * there, nothing else is, and the next attempt succeeds. LeakSanitizer sees the rest. */
#include "store_fixture.h"

/* The size in front of the block, because SQLite asks for it; 16 bytes keep the alignment. */
enum { FRONT = 16 };

static void *mem_malloc(int n)
{
    char *p = at_malloc((size_t)n + FRONT);
    if (!p)
        return NULL;
    memcpy(p, &n, sizeof n);
    return p + FRONT;
}

static void mem_free(void *p)
{
    at_free(p ? (char *)p - FRONT : NULL);
}

static void *mem_realloc(void *p, int n)
{
    char *q = at_realloc((char *)p - FRONT, (size_t)n + FRONT);
    if (!q)
        return NULL;
    memcpy(q, &n, sizeof n);
    return q + FRONT;
}

static int mem_size(void *p)
{
    int n = 0;
    if (p)
        memcpy(&n, (char *)p - FRONT, sizeof n);
    return n;
}

static int mem_roundup(int n)
{
    return (n + 7) & ~7;
}

static int mem_init(void *ctx)
{
    (void)ctx;
    return SQLITE_OK;
}

static void mem_shutdown(void *ctx)
{
    (void)ctx;
}

typedef struct {
    size_t verdicts, pieces; /* acknowledged */
} done;

/* A whole life; stops at the first failure. */
static at_status life(const char *path, done *d, at_err *err)
{
    at_ledger *l = NULL;
    at_arena a;
    at_row *row, *rows;
    size_t n, tally = 0;
    at_record r = record_of("holds");
    at_cell_key k = key_of("N=6"), k2 = key_of("N=7");
    r.detail = "{\"x\": [1, 2, 3]}";
    at_arena_init(&a);
    at_status s = at_ledger_open(path, AT_LEDGER_WRITE, &l, err);
    if (!s && !(s = at_ledger_piece_put(l, &k2, 1, "one", err)))
        d->pieces = 1;
    if (!s && !(s = at_ledger_put(l, &k, &r, err)))
        d->verdicts = 1;
    if (!s && !(s = at_ledger_find(l, &k, &row, &a, err)))
        assert_string_equal(row->rec.detail, r.detail);
    if (!s && !(s = at_ledger_rows(l, NULL, &rows, &n, &a, err)))
        assert_int_equal(n, 1);
    if (!s && !(s = at_ledger_pieces(l, &k2, piece_tally, &tally, err)))
        assert_int_equal(tally, 1);
    at_ledger_close(l);
    l = NULL;
    if (!s && !(s = at_ledger_open(path, AT_LEDGER_READ, &l, err)) &&
        !(s = at_ledger_rows(l, "build-1", &rows, &n, &a, err)))
        assert_int_equal(n, 1);
    at_ledger_close(l);
    at_arena_release(&a);
    return s;
}

/* Fails allocation 1, 1 + stride, 1 + 2 stride, ... of a life, until a life has fewer; how many were noticed. */
static long lives(long stride)
{
    /* thousands of ledgers: in memory where there is such a place, because each waits for its disk */
    place p = place_under(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    at_cell_key k2 = key_of("N=7");
    long failed = 0;
    bool fired = true;
    for (long nth = 1; fired; nth += stride) {
        at_err err = {0};
        done d = {0};
        place_files(&p, true);
        at_alloc_inject(nth);
        at_status s = life(p.db, &d, &err);
        fired = at_alloc_injected();
        at_alloc_inject(0);
        if (s != AT_OK && s != AT_ENOMEM)
            fail_msg("allocation %ld: status %d, %s", nth, s, err.text);
        assert_true(fired || s == AT_OK);
        failed += s == AT_ENOMEM;
        at_ledger *l = open_ok(p.db, AT_LEDGER_WRITE);
        assert_int_equal(rows_count(l), d.verdicts);
        assert_int_equal(pieces_count(l, &k2), d.pieces);
        at_ledger_close(l);
    }
    place_drop(&p);
    return failed;
}

static void test_ours(void **state)
{
    (void)state;
    assert_true(lives(1) > 5);
}

static void test_with_sqlite(void **state)
{
    (void)state;
    static const sqlite3_mem_methods methods = {mem_malloc,  mem_free, mem_realloc,  mem_size,
                                                mem_roundup, mem_init, mem_shutdown, NULL};
    assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
    assert_true(lives(7) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ours), cmocka_unit_test(test_with_sqlite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
