/* test_ledger.c: what goes in comes out, to whom it belongs and to nobody else. */
#include "store_fixture.h"

static int sleeps; /* of the store, which comes here instead of to SQLite */

int sqlite3_sleep(int ms)
{
    sleeps++;
    usleep((useconds_t)ms * 1000);
    return ms;
}

static void same_text(const char *a, const char *b)
{
    if (!a || !b)
        assert_ptr_equal(a, b);
    else
        assert_string_equal(a, b);
}

static void same_record(const at_record *a, const at_record *b)
{
    same_text(a->role, b->role);
    same_text(a->evidence, b->evidence);
    same_text(a->verdict, b->verdict);
    same_text(a->arithmetic, b->arithmetic);
    same_text(a->detail, b->detail);
    same_text(a->isa, b->isa);
    same_text(a->version, b->version);
    assert_true(a->inputs == b->inputs && a->seed == b->seed);
    assert_true((isnan(a->margin) && isnan(b->margin)) || a->margin == b->margin);
    assert_true(a->seconds == b->seconds);
}

static at_row *find_ok(at_ledger *l, const at_cell_key *k, at_arena *a)
{
    at_err err = {0};
    at_row *row;
    if (at_ledger_find(l, k, &row, a, &err) != AT_OK)
        fail_msg("%s", err.text);
    return row;
}

/* Strings that a stranger may have put into a model; stored as bytes, whatever they are. */
static const char *const strings[] = {"",
                                      "plain",
                                      "it's \"quoted\" `x`; DROP TABLE cell;--",
                                      "\x1b[31mred\a\r\n",
                                      "<script>alert(1)</script>&amp;",
                                      "Grüße 数学 \xf0\x9f\x8c\x8d",
                                      "\xff\xfe\x80 no utf-8",
                                      "%s%n?1",
                                      ":memory:"};
enum { STRINGS = sizeof strings / sizeof strings[0] };

static void test_round_trip(void **state)
{
    (void)state;
    static const double margins[] = {NAN, 0, -0.25, 0x1p-1074, INFINITY, -INFINITY, 1.0 / 3};
    static const uint64_t numbers[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, INT64_MAX};
    place p = place_new();
    at_arena a;
    at_arena_init(&a);
    for (int pass = 0; pass < 3; pass++) { /* write; find in the same handle; reopen in READ */
        at_ledger *l = open_ok(p.db, pass == 2 ? AT_LEDGER_READ : AT_LEDGER_WRITE);
        for (size_t i = 0; i < STRINGS; i++)
            for (size_t j = 0; j < STRINGS; j++) {
                const char *s = strings[i], *t = strings[j], *none = i % 2 ? s : NULL;
                at_cell_key k = {s, t, strings[(i + j) % STRINGS], t, (int)i - 1, s};
                at_record r = {s,
                               t,
                               none,
                               s,
                               numbers[j % 5] & INT64_MAX,
                               margins[(i + j) % 7],
                               numbers[i % 5],
                               none,
                               "a",
                               t,
                               0.125 * (double)j,
                               NULL};
                if (pass == 0)
                    put_ok(l, &k, &r);
                at_row *row = find_ok(l, &k, &a);
                assert_non_null(row);
                same_record(&row->rec, &r);
                same_text(row->key.subject, k.subject);
                same_text(row->key.params, k.params);
                same_text(row->key.question, k.question);
                same_text(row->key.model_hash, k.model_hash);
                same_text(row->key.build, k.build);
                assert_int_equal(row->key.check_version, k.check_version);
                int y, mo, d, h, mi, sec, used = 0; /* filled in, ISO 8601 UTC */
                assert_int_equal(
                    sscanf(row->rec.when, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &y, &mo, &d, &h, &mi, &sec, &used),
                    6);
                assert_int_equal(used, 20);
            }
        assert_int_equal(rows_count(l), STRINGS * STRINGS);
        at_ledger_close(l);
    }
    at_arena_release(&a);
    place_drop(&p);
}

static void test_key_is_all_of_it(void **state)
{
    (void)state;
    place p = place_new();
    at_arena a;
    at_arena_init(&a);
    at_ledger *l = open_ok(p.db, AT_LEDGER_WRITE);
    at_cell_key k = key_of("N=6");
    at_record r = record_of("holds");
    put_ok(l, &k, &r);
    assert_non_null(find_ok(l, &k, &a));
    at_cell_key other[6] = {k, k, k, k, k, k};
    other[0].subject = "match3";
    other[1].params = "N=6 ";
    other[2].question = "sampled";
    other[3].model_hash = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeefe";
    other[4].check_version++;
    other[5].build = "build-2";
    for (int i = 0; i < 6; i++)
        assert_null(find_ok(l, &other[i], &a));
    /* Case and prefix are no equality. */
    other[5].build = "BUILD-1";
    assert_null(find_ok(l, &other[5], &a));
    other[5].build = "build-";
    assert_null(find_ok(l, &other[5], &a));
    /* Pieces of another cell are not served either. */
    piece_ok(l, &k, 1, "x");
    for (int i = 0; i < 6; i++)
        assert_int_equal(pieces_count(l, &other[i]), 0);
    assert_int_equal(pieces_count(l, &k), 1);
    at_ledger_close(l);
    at_arena_release(&a);
    place_drop(&p);
}

static void test_put_replaces(void **state)
{
    (void)state;
    place p = place_new();
    at_arena a;
    at_arena_init(&a);
    at_ledger *l = open_ok(p.db, AT_LEDGER_WRITE);
    at_cell_key k = key_of("N=6");
    at_record r = record_of("unknown");
    r.when = "2024-02-29T12:00:00Z";
    put_ok(l, &k, &r);
    same_text(find_ok(l, &k, &a)->rec.when, r.when);
    r.verdict = "fails";
    put_ok(l, &k, &r);
    same_text(find_ok(l, &k, &a)->rec.verdict, "fails");
    assert_int_equal(rows_count(l), 1);
    at_ledger_close(l);
    at_arena_release(&a);
    place_drop(&p);
}

static int row_order(const at_row *a, const at_row *b)
{
    int c = strcmp(a->key.subject, b->key.subject);
    c = c ? c : strcmp(a->key.params, b->key.params);
    c = c ? c : strcmp(a->key.question, b->key.question);
    return c ? c : strcmp(a->rec.role, b->rec.role);
}

static void test_rows_order_and_build(void **state)
{
    (void)state;
    static const char *const words[] = {"b", "a", "ab", "B", "\xc3\xa9"};
    static const char *const builds[] = {"new", "old"};
    place p = place_new();
    at_err err = {0};
    at_arena a;
    at_arena_init(&a);
    at_ledger *l = open_ok(p.db, AT_LEDGER_WRITE);
    for (int i = 0; i < 250; i++) {
        at_cell_key k = {words[i % 5],   words[i / 5 % 5], words[i / 25 % 5], i % 3 ? "h1" : "h2", 1,
                         builds[i / 125]};
        at_record r = record_of("holds");
        r.role = i % 2 ? "control" : "claim";
        put_ok(l, &k, &r);
    }
    at_row *rows;
    size_t n;
    for (int b = 0; b < 2; b++) {
        assert_int_equal(at_ledger_rows(l, builds[b], &rows, &n, &a, &err), AT_OK);
        assert_int_equal(n, 125);
        for (size_t i = 0; i < n; i++)
            same_text(rows[i].key.build, builds[b]);
    }
    assert_int_equal(at_ledger_rows(l, "none", &rows, &n, &a, &err), AT_OK);
    assert_int_equal(n, 0);
    assert_int_equal(at_ledger_rows(l, NULL, &rows, &n, &a, &err), AT_OK);
    assert_int_equal(n, 250);
    for (size_t i = 1; i < n; i++)
        assert_true(row_order(&rows[i - 1], &rows[i]) <= 0);
    at_ledger_close(l);
    at_arena_release(&a);
    place_drop(&p);
}

typedef struct {
    uint64_t last;
    size_t n, stop;
    char payload[40];
} seen;

static at_status piece_see(void *ctx, uint64_t piece, const char *payload, at_err *err)
{
    seen *s = ctx;
    assert_true(s->n == 0 || piece > s->last); /* ascending */
    s->last = piece;
    snprintf(s->payload, sizeof s->payload, "%s", payload ? payload : "(null)");
    if (++s->n == s->stop)
        return at_fail(err, AT_ECANCEL, "enough");
    return AT_OK;
}

static void test_pieces(void **state)
{
    (void)state;
    place p = place_new();
    at_err err = {0};
    at_cell_key k = key_of("N=6"), k2 = key_of("N=7");
    at_ledger *l = open_ok(p.db, AT_LEDGER_WRITE);
    for (int i = 99; i >= 0; i--)
        piece_ok(l, &k, (uint64_t)i * 7, "first");
    piece_ok(l, &k, 14, "again"); /* replaces */
    piece_ok(l, &k, INT64_MAX, NULL);
    piece_ok(l, &k2, 5, "other");
    assert_int_equal(rows_count(l), 0); /* a cell with pieces alone has no verdict */
    at_ledger_close(l);

    l = open_ok(p.db, AT_LEDGER_WRITE);
    seen s = {0};
    assert_int_equal(at_ledger_pieces(l, &k, piece_see, &s, &err), AT_OK);
    assert_int_equal(s.n, 101);
    assert_true(s.last == INT64_MAX);
    assert_string_equal(s.payload, "(null)");
    s = (seen){.stop = 3};
    assert_int_equal(at_ledger_pieces(l, &k, piece_see, &s, &err), AT_ECANCEL);
    assert_string_equal(err.text, "enough");
    assert_string_equal(s.payload, "again"); /* the third is piece 14 */

    at_record r = record_of("holds");
    put_ok(l, &k, &r);
    assert_int_equal(pieces_count(l, &k), 0);
    assert_int_equal(pieces_count(l, &k2), 1);
    at_ledger_close(l);
    place_drop(&p);
}

static void refused(at_ledger *l, const at_cell_key *k, const at_record *r, at_status code, const char *word)
{
    at_err err = {0};
    assert_int_equal(at_ledger_put(l, k, r, &err), code);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static void test_limits(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    place p = place_new();
    at_err err = {0};
    at_arena a;
    at_arena_init(&a);
    at_ledger *l = open_ok(p.db, AT_LEDGER_WRITE);
    at_cell_key k = key_of("N=6"), bad = k;
    at_record r = record_of("holds");
    char *big = malloc(MIB + 2);
    memset(big, 'x', MIB + 1);
    big[MIB + 1] = 0;

    bad.params = NULL;
    refused(l, &bad, &r, AT_EINPUT, "params is missing");
    bad.params = big;
    refused(l, &bad, &r, AT_EDOMAIN, "params is longer than 16384");
    at_record q = r;
    q.inputs = UINT64_MAX;
    refused(l, &k, &q, AT_EDOMAIN, "inputs = 18446744073709551615");
    q = r, q.seconds = NAN;
    refused(l, &k, &q, AT_EDOMAIN, "seconds");
    q = r, q.seconds = -1;
    refused(l, &k, &q, AT_EDOMAIN, "seconds");
    q = r, q.detail = big;
    refused(l, &k, &q, AT_EDOMAIN, "detail is longer than 1048576");
    assert_int_equal(at_ledger_piece_put(l, &k, 0, big, &err), AT_EDOMAIN);
    err = (at_err){0};
    assert_int_equal(at_ledger_piece_put(l, &k, UINT64_MAX, "x", &err), AT_EDOMAIN);
    assert_int_equal(rows_count(l), 0); /* nothing half written by any of these */

    /* The largest row of all: what can be written can be read. */
    big[MIB] = 0;
    char *label = malloc((16 << 10) + 1);
    memset(label, 'y', 16 << 10);
    label[16 << 10] = 0;
    at_cell_key most = {label, label, label, label, 1, label};
    at_record full = {label, label, label, label, INT64_MAX, 1, UINT64_MAX, big, label, label, 1, label};
    put_ok(l, &most, &full);
    piece_ok(l, &most, 0, big);
    at_ledger_close(l);
    l = open_ok(p.db, AT_LEDGER_READ);
    same_record(&find_ok(l, &most, &a)->rec, &full);
    assert_int_equal(pieces_count(l, &most), 1);
    /* A handle for reading does not write. */
    refused(l, &k, &r, AT_EIO, "opened for reading");
    err = (at_err){0};
    assert_int_equal(at_ledger_piece_put(l, &k, 0, "x", &err), AT_EIO);
    at_ledger_close(l);
    free(big);
    free(label);
    at_arena_release(&a);
    place_drop(&p);
}

/* No file name means anything to SQLite. */
static void test_odd_names(void **state)
{
    (void)state;
    static const char *const names[] = {":memory:", "file:x.db?mode=memory", "a b%20#?.db", "\xff\xfe", "-",
                                        "ü\x1b[m"};
    place p = place_new();
    char here[512], path[200];
    at_cell_key k = key_of("N=6");
    at_record r = record_of("holds");
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(p.dir), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int absolute = 0; absolute < 2; absolute++) {
            snprintf(path, sizeof path, "%s%s%s", absolute ? p.dir : "", absolute ? "//" : "", names[i]);
            at_ledger *l = open_ok(path, AT_LEDGER_WRITE);
            put_ok(l, &k, &r);
            at_ledger_close(l);
            assert_int_equal(access(path, F_OK), 0);
            l = open_ok(path, AT_LEDGER_READ);
            assert_int_equal(rows_count(l), 1);
            at_ledger_close(l);
        }
    assert_int_equal(place_files(&p, false), sizeof names / sizeof names[0]); /* and no side files are left */
    assert_int_equal(chdir(here), 0);
    open_fails("", AT_LEDGER_WRITE, AT_EINPUT, "needs a file name");
    open_fails(NULL, AT_LEDGER_READ, AT_EINPUT, "needs a file name");
    place_drop(&p);
}

/* A file that nobody else has is opened at once, whether it is new or not; one that cannot be made says why. */
static void test_opened_at_once(void **state)
{
    (void)state;
    place p = place_new();
    char path[160];
    sleeps = 0;
    for (int k = 0; k < 3; k++)
        at_ledger_close(open_ok(p.db, AT_LEDGER_WRITE));
    assert_int_equal(sleeps, 0);
    snprintf(path, sizeof path, "%s/none/ledger.db", p.dir);
    open_fails(path, AT_LEDGER_WRITE, AT_EIO, "cannot be made: No such file or directory");
    place_drop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opened_at_once),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_key_is_all_of_it),
        cmocka_unit_test(test_put_replaces),
        cmocka_unit_test(test_rows_order_and_build),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
