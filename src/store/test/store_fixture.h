/* store_fixture.h: a fresh directory, a key, and shorthands for the tests of the ledger. */
#ifndef ATTEST_STORE_FIXTURE_H
#define ATTEST_STORE_FIXTURE_H

#include <attest/store.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

typedef struct {
    char dir[64];
    char db[96]; /* dir/ledger.db */
} place;

static inline place place_under(const char *root)
{
    place p;
    snprintf(p.dir, sizeof p.dir, "%s/attest-store-XXXXXX", root);
    assert_non_null(mkdtemp(p.dir));
    snprintf(p.db, sizeof p.db, "%s/ledger.db", p.dir);
    return p;
}

/* Under /tmp, whatever TMPDIR says: some tests give up their rights and must still reach it. */
static inline place place_new(void)
{
    return place_under("/tmp");
}

static inline size_t place_files(const place *p, bool remove)
{
    DIR *d = opendir(p->dir);
    size_t n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[400];
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        n++;
        snprintf(path, sizeof path, "%s/%s", p->dir, e->d_name);
        if (remove && unlink(path) != 0)
            rmdir(path);
    }
    closedir(d);
    return n;
}

static inline void place_drop(const place *p)
{
    chmod(p->dir, 0700);
    place_files(p, true);
    assert_int_equal(rmdir(p->dir), 0);
}

static inline at_cell_key key_of(const char *params)
{
    return (at_cell_key){"match2", params, "exact all f64 claim", HASH, 3, "build-1"};
}

static inline at_record record_of(const char *verdict)
{
    return (at_record){.role = "claim", .evidence = "exact", .verdict = verdict, .inputs = 1, .margin = 0.5};
}

static inline at_ledger *open_ok(const char *path, at_ledger_mode mode)
{
    at_err err = {0};
    at_ledger *l = NULL;
    if (at_ledger_open(path, mode, &l, &err) != AT_OK)
        fail_msg("%s", err.text);
    assert_non_null(l);
    return l;
}

/* Opening fails with this code, one line that contains `word`, and no handle. */
static inline void open_fails(const char *path, at_ledger_mode mode, at_status code, const char *word)
{
    at_err err = {0};
    at_ledger *l = (at_ledger *)1;
    at_status s = at_ledger_open(path, mode, &l, &err);
    if (s != code || !strstr(err.text, word) || strchr(err.text, '\n'))
        fail_msg("%s: status %d (wanted %d), \"%s\" (wanted \"%s\")", path ? path : "", s, code, err.text,
                 word);
    assert_null(l);
}

static inline void put_ok(at_ledger *l, const at_cell_key *k, const at_record *r)
{
    at_err err = {0};
    if (at_ledger_put(l, k, r, &err) != AT_OK)
        fail_msg("%s", err.text);
}

static inline void piece_ok(at_ledger *l, const at_cell_key *k, uint64_t piece, const char *payload)
{
    at_err err = {0};
    if (at_ledger_piece_put(l, k, piece, payload, &err) != AT_OK)
        fail_msg("%s", err.text);
}

static inline size_t rows_count(at_ledger *l)
{
    at_err err = {0};
    at_arena a;
    at_row *rows;
    size_t n;
    at_arena_init(&a);
    if (at_ledger_rows(l, NULL, &rows, &n, &a, &err) != AT_OK)
        fail_msg("%s", err.text);
    at_arena_release(&a);
    return n;
}

static inline at_status piece_tally(void *ctx, uint64_t piece, const char *payload, at_err *err)
{
    (void)piece, (void)payload, (void)err;
    ++*(size_t *)ctx;
    return AT_OK;
}

static inline size_t pieces_count(at_ledger *l, const at_cell_key *k)
{
    at_err err = {0};
    size_t n = 0;
    if (at_ledger_pieces(l, k, piece_tally, &n, &err) != AT_OK)
        fail_msg("%s", err.text);
    return n;
}

/* Runs SQL past the library, as another program would. */
static inline void raw_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}

#endif
