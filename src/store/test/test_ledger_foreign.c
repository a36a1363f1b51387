/* test_ledger_foreign.c: files that are no ledger, are newer, altered, damaged or malicious: one line, never
 * a crash, never a change to the file. */
#include "store_fixture.h"

#include <fcntl.h>

static char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*n + 1);
    assert_int_equal(fread(data, 1, *n, f), *n);
    fclose(f);
    return data;
}

static void spill(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* A closed ledger with `cells` verdicts and some pieces of 2 KB. */
static void ledger_make(const char *path, int cells, int pieces)
{
    char payload[2048];
    memset(payload, 'p', sizeof payload - 1);
    payload[sizeof payload - 1] = 0;
    at_ledger *l = open_ok(path, AT_LEDGER_WRITE);
    at_record r = record_of("holds");
    char params[32];
    r.detail = "{\"n\": 1}";
    for (int i = 0; i < cells; i++) {
        snprintf(params, sizeof params, "N=%d", i);
        at_cell_key k = key_of(params);
        put_ok(l, &k, &r);
    }
    at_cell_key k = key_of("N=0");
    for (int i = 0; i < pieces; i++)
        piece_ok(l, &k, (uint64_t)i, payload);
    at_ledger_close(l);
}

/* Opens in both modes, expects the refusal, and expects the file's bytes untouched by it. */
static void both_refuse(const place *p, at_status code, const char *word)
{
    size_t n, m;
    char *before = slurp(p->db, &n);
    open_fails(p->db, AT_LEDGER_READ, code, word);
    open_fails(p->db, AT_LEDGER_WRITE, code, word);
    char *after = slurp(p->db, &m);
    assert_int_equal(n, m);
    assert_memory_equal(before, after, n);
    free(before);
    free(after);
}

static void test_not_a_ledger(void **state)
{
    (void)state;
    place p = place_new();
    open_fails(p.dir, AT_LEDGER_READ, AT_EINPUT, "a directory");
    open_fails(p.dir, AT_LEDGER_WRITE, AT_EINPUT, "a directory");
    open_fails("/dev/full", AT_LEDGER_WRITE, AT_EINPUT, "no regular file");
    open_fails(p.db, AT_LEDGER_READ, AT_EIO, "No such file");
    assert_int_equal(place_files(&p, false), 0); /* READ makes no file */
    char nested[160];
    snprintf(nested, sizeof nested, "%s/no/such.db", p.dir);
    open_fails(nested, AT_LEDGER_WRITE, AT_EIO, "No such file");

    assert_int_equal(mkfifo(p.db, 0600), 0); /* and does not wait for its other end */
    open_fails(p.db, AT_LEDGER_READ, AT_EINPUT, "no regular file");
    unlink(p.db);

    char text[3000];
    memset(text, '#', sizeof text);
    spill(p.db, text, sizeof text);
    both_refuse(&p, AT_EINPUT, "not a ledger");
    for (size_t n = 1; n <= sizeof text; n += n < 20 ? 1 : n) { /* one byte is an empty file to SQLite */
        spill(p.db, text, n);
        both_refuse(&p, AT_EINPUT, "not a ledger");
    }
    memset(text, 0, sizeof text);
    for (size_t n = 1; n <= sizeof text; n += n < 20 ? 1 : n) {
        spill(p.db, text, n);
        both_refuse(&p, AT_EINPUT, "not a ledger");
    }
    for (size_t n = 1; n <= 16; n++) {
        spill(p.db, "SQLite format 3", n); /* the magic alone, or the beginning of it */
        both_refuse(&p, AT_EINPUT, "ledger");
    }
    unlink(p.db);
    raw_sql(p.db, "CREATE TABLE cell (id INTEGER PRIMARY KEY)");
    both_refuse(&p, AT_EINPUT, "another program");
    unlink(p.db);
    raw_sql(p.db, "PRAGMA application_id = 1; VACUUM");
    both_refuse(&p, AT_EINPUT, "another program");

    /* An empty file is nothing yet: READ refuses it, WRITE makes it a ledger (as a killed creation leaves it). */
    spill(p.db, "", 0);
    open_fails(p.db, AT_LEDGER_READ, AT_EINPUT, "an empty file");
    at_ledger_close(open_ok(p.db, AT_LEDGER_WRITE));
    at_ledger_close(open_ok(p.db, AT_LEDGER_READ));
    place_drop(&p);
}

static void test_versions_and_schema(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *word;
    } cases[] = {
        {"PRAGMA user_version = 2", "newer than 1"},
        {"PRAGMA user_version = 0", "not a ledger"},
        {"PRAGMA user_version = -5", "not a ledger"},
        {"PRAGMA application_id = 7", "another program"},
        {"CREATE TRIGGER t AFTER INSERT ON cell BEGIN DELETE FROM verdict; END", "trigger 't'"},
        {"CREATE VIEW v AS SELECT * FROM cell", "view 'v'"},
        {"CREATE TABLE more (x)", "table 'more'"},
        {"CREATE INDEX i ON verdict (abs(inputs))", "index 'i'"},
        {"CREATE VIRTUAL TABLE f USING fts5(x)", "unexpected"},
        {"ALTER TABLE verdict ADD COLUMN x TEXT", "table 'verdict'"},
        {"ALTER TABLE verdict RENAME COLUMN isa TO cpu", "table 'verdict'"},
        {"DROP TABLE piece", "'piece' is missing"},
        {"DROP TABLE verdict; CREATE VIEW verdict AS SELECT 1 AS cell", "schema is not ours"},
        {"CREATE TABLE \"\x1b[31m<b>\" (x)", "schema is not ours"},
        {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = CAST(sql AS BLOB) WHERE name = 'cell'",
         "table 'cell' is altered"},
        /* SQLite would read this blob as the text of a trigger. */
        {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = CAST('CREATE TRIGGER t AFTER INSERT ON "
         "cell "
         "BEGIN DELETE FROM verdict; END' AS BLOB) WHERE name = 'sqlite_autoindex_cell_1'",
         "ledger"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        place p = place_new();
        ledger_make(p.db, 1, 1);
        raw_sql(p.db, cases[i].sql);
        both_refuse(&p, AT_EINPUT, cases[i].word);
        place_drop(&p);
    }
}

/* Values that STRICT columns admit but at_row does not. */
static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *word;
    } cases[] = {
        {"UPDATE verdict SET inputs = -1", "inputs"},
        {"UPDATE verdict SET seconds = -1.0", "seconds"},
        {"UPDATE verdict SET seconds = 9e999", "seconds"},
        {"UPDATE cell SET check_version = 4294967296", "check_version"},
        {"UPDATE verdict SET detail = CAST(zeroblob(1048577) AS TEXT)", "detail"},
        {"UPDATE verdict SET detail = 'a' || char(0) || 'b'", "NUL"},
        {"UPDATE verdict SET role = printf('%.20000c', 'x')", "role"},
        {"UPDATE verdict SET detail = printf('%.*c', 9000000, 'x')", "damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        place p = place_new();
        at_err err = {0};
        at_arena a;
        at_row *rows = NULL;
        size_t n = 1;
        at_ledger *l = NULL;
        at_arena_init(&a);
        ledger_make(p.db, 1, 1);
        raw_sql(p.db, cases[i].sql);
        at_status s = at_ledger_open(p.db, AT_LEDGER_READ, &l, &err);
        if (!s)
            s = at_ledger_rows(l, NULL, &rows, &n, &a, &err);
        if (s != AT_EINPUT || !strstr(err.text, cases[i].word))
            fail_msg("%s: status %d, \"%s\"", cases[i].sql, s, err.text);
        at_ledger_close(l);
        at_arena_release(&a);
        place_drop(&p);
    }
    /* Pieces, and text in another encoding. */
    place p = place_new();
    at_err err = {0};
    at_cell_key k = key_of("N=0");
    size_t tally = 0;
    ledger_make(p.db, 1, 1);
    raw_sql(p.db, "UPDATE piece SET piece = -1");
    at_ledger *l = open_ok(p.db, AT_LEDGER_READ);
    assert_int_equal(at_ledger_pieces(l, &k, piece_tally, &tally, &err), AT_EINPUT);
    assert_int_equal(tally, 0);
    at_ledger_close(l);
    place_drop(&p);
}

/* Reads everything there is; the status is the caller's to judge. */
static at_status read_all(const char *path, at_err *err)
{
    at_ledger *l;
    at_arena a;
    at_row *rows;
    size_t n, tally = 0;
    at_cell_key k = key_of("N=0");
    at_status s = at_ledger_open(path, AT_LEDGER_READ, &l, err);
    if (s)
        return s;
    at_arena_init(&a);
    s = at_ledger_rows(l, NULL, &rows, &n, &a, err);
    if (!s)
        s = at_ledger_pieces(l, &k, piece_tally, &tally, err);
    at_arena_release(&a);
    at_ledger_close(l);
    return s;
}

static void test_damage(void **state)
{
    (void)state;
    place p = place_new();
    size_t n;
    ledger_make(p.db, 15, 6);
    char *good = slurp(p.db, &n), *bad = malloc(n);
    unlink(p.db);
    /* Cut anywhere: a file that lacks a page is refused. */
    for (size_t cut = 1; cut < n; cut += 1021) {
        at_err err = {0};
        spill(p.db, good, cut);
        assert_int_equal(read_all(p.db, &err), AT_EINPUT);
    }
    at_rng rng = at_rng_at(1, 0);
    int refused = 0;
    for (int i = 0; i < 500; i++) {
        at_err err = {0};
        memcpy(bad, good, n);
        for (uint64_t flips = 1 + at_rng_below(&rng, 8); flips; flips--) {
            /* half of them in the header and the first bytes of a page, where the structure is */
            size_t at = at_rng_below(&rng, n);
            if (flips & 1)
                at = at / 4096 * 4096 + at_rng_below(&rng, 128);
            bad[at < n ? at : 0] ^= (char)(1 + at_rng_below(&rng, 255));
        }
        spill(p.db, bad, n);
        at_status s = read_all(p.db, &err);
        assert_true(s == AT_OK || s == AT_EINPUT || s == AT_EIO);
        assert_true(s == AT_OK || err.text[0]);
        refused += s != AT_OK;
    }
    assert_true(refused > 0 && refused < 500); /* flips inside a string are not damage that can be seen */
    free(good);
    free(bad);
    place_drop(&p);
}

/* Every child pointer of a tree leads to the same page: with depth this would be exponentially many rows. */
static void test_shared_pages(void **state)
{
    (void)state;
    enum { PAGE = 4096, INTERIOR_INDEX = 2 };
    place p = place_new();
    size_t n, hits = 0;
    ledger_make(p.db, 1, 60);
    unsigned char *d = (unsigned char *)slurp(p.db, &n);
    for (size_t page = PAGE; page + PAGE <= n; page += PAGE) {
        unsigned char *h = d + page;
        if (h[0] != INTERIOR_INDEX)
            continue;
        for (int c = 0; c < h[3] * 256 + h[4]; c++) {
            size_t cell = (size_t)h[12 + 2 * c] * 256 + h[13 + 2 * c];
            memcpy(h + cell, h + 8, 4); /* the rightmost child's number */
            hits++;
        }
    }
    assert_true(hits > 5);
    spill(p.db, d, n);
    free(d);
    both_refuse(&p, AT_EINPUT, "damaged");
    place_drop(&p);
}

/* A schema that takes more steps to read than any ledger's. */
static void test_schema_bomb(void **state)
{
    (void)state;
    place p = place_new();
    ledger_make(p.db, 1, 1);
    raw_sql(p.db, "PRAGMA writable_schema = ON; "
                  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
                  "INSERT INTO sqlite_schema SELECT 'index', 'sqlite_autoindex_cell_1', 'cell', "
                  "(SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_cell_1'), NULL FROM n");
    both_refuse(&p, AT_EINPUT, "takes longer");
    place_drop(&p);
}

static void test_utf16(void **state)
{
    (void)state;
    place p = place_new(), q = place_new();
    char sql[5000] =
        "PRAGMA encoding = 'UTF-16le'; PRAGMA application_id = 1635021684; PRAGMA user_version = 1;";
    sqlite3 *db;
    sqlite3_stmt *s;
    ledger_make(p.db, 1, 1);
    assert_int_equal(sqlite3_open(p.db, &db), SQLITE_OK);
    sqlite3_prepare_v2(db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", -1, &s, NULL);
    while (sqlite3_step(s) == SQLITE_ROW)
        strcat(strcat(sql, (const char *)sqlite3_column_text(s, 0)), ";");
    sqlite3_finalize(s);
    sqlite3_close(db);
    raw_sql(q.db, sql);
    open_fails(q.db, AT_LEDGER_READ, AT_EINPUT, "UTF-8");
    place_drop(&p);
    place_drop(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_a_ledger), cmocka_unit_test(test_versions_and_schema),
        cmocka_unit_test(test_values),       cmocka_unit_test(test_damage),
        cmocka_unit_test(test_shared_pages), cmocka_unit_test(test_schema_bomb),
        cmocka_unit_test(test_utf16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
