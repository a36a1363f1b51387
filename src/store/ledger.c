/* ledger.c: the columns, the statements, and the verbs of store.h.
 *
 * One table of columns says where each lives in an at_row and what it may hold; binding, reading and the limits
 * follow it, and the two lists of names beside it are the only ones in the SQL. The order of the table is
 * the order of the names.
 *
 * Every change is one transaction that takes the write lock at its start, so that it waits for another
 * process at one place and never has to be replayed in the middle. What is read is copied into the caller's
 * arena, and on failure the arena is put back.
 */
#define _GNU_SOURCE
#include "store_internal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- columns -------------------------------------------------------------------------------- */

typedef enum {
    COL_KEY,    /* text that must be there                                          */
    COL_LABEL,  /* text or NULL                                                     */
    COL_DETAIL, /* long text or NULL                                                */
    COL_INT,    /* int                                                              */
    COL_COUNT,  /* uint64_t up to INT64_MAX, so that SQL sees the number            */
    COL_BITS,   /* uint64_t, any: the same bits as a signed number                  */
    COL_MARGIN, /* double; NaN is NULL                                              */
    COL_SPAN    /* double, finite and not negative                                  */
} column_kind;

typedef struct {
    const char *name;
    column_kind kind;
    size_t at; /* offset in at_row */
} column;

#define KEY_NAMES "subject, params, question, model_hash, check_version, build"
#define RECORD_NAMES                                                                                         \
    "role, evidence, verdict, arithmetic, inputs, margin, seed, detail, isa, version, seconds, decided"
static const column columns[] = {
    {"subject", COL_KEY, offsetof(at_row, key.subject)},
    {"params", COL_KEY, offsetof(at_row, key.params)},
    {"question", COL_KEY, offsetof(at_row, key.question)},
    {"model_hash", COL_KEY, offsetof(at_row, key.model_hash)},
    {"check_version", COL_INT, offsetof(at_row, key.check_version)},
    {"build", COL_KEY, offsetof(at_row, key.build)},
    {"role", COL_LABEL, offsetof(at_row, rec.role)},
    {"evidence", COL_LABEL, offsetof(at_row, rec.evidence)},
    {"verdict", COL_LABEL, offsetof(at_row, rec.verdict)},
    {"arithmetic", COL_LABEL, offsetof(at_row, rec.arithmetic)},
    {"inputs", COL_COUNT, offsetof(at_row, rec.inputs)},
    {"margin", COL_MARGIN, offsetof(at_row, rec.margin)},
    {"seed", COL_BITS, offsetof(at_row, rec.seed)},
    {"detail", COL_DETAIL, offsetof(at_row, rec.detail)},
    {"isa", COL_LABEL, offsetof(at_row, rec.isa)},
    {"version", COL_LABEL, offsetof(at_row, rec.version)},
    {"seconds", COL_SPAN, offsetof(at_row, rec.seconds)},
    {"decided", COL_KEY, offsetof(at_row, rec.when)},
};
enum { COLUMNS = sizeof columns / sizeof columns[0], KEY_COLUMNS = 6 };

/* ---- statements ----------------------------------------------------------------------------- */

#define SAME_CELL                                                                                            \
    "subject = ?1 AND params = ?2 AND question = ?3"                                                         \
    " AND model_hash = ?4 AND check_version = ?5 AND build = ?6"
static const char *const statements[STMT_COUNT] = {
    [STMT_BEGIN] = "BEGIN IMMEDIATE",
    [STMT_COMMIT] = "COMMIT",
    [STMT_ROLLBACK] = "ROLLBACK",
    [STMT_CELL_ADD] =
        "INSERT INTO cell (" KEY_NAMES ") VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
    [STMT_CELL_ID] = "SELECT id FROM cell WHERE " SAME_CELL,
    [STMT_VERDICT_PUT] = "INSERT OR REPLACE INTO verdict (" RECORD_NAMES ", cell)"
                         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    [STMT_FIND] =
        "SELECT " KEY_NAMES ", " RECORD_NAMES " FROM cell JOIN verdict ON cell = id WHERE " SAME_CELL,
    [STMT_ROWS] = "SELECT " KEY_NAMES ", " RECORD_NAMES " FROM cell JOIN verdict ON cell = id"
                  " WHERE ?1 IS NULL OR build = ?1"
                  " ORDER BY subject, params, question, role, model_hash, check_version, build",
    [STMT_PIECE_PUT] = "INSERT OR REPLACE INTO piece (cell, piece, payload) VALUES (?1, ?2, ?3)",
    [STMT_PIECES] =
        "SELECT piece, payload FROM cell JOIN piece ON cell = id WHERE " SAME_CELL " ORDER BY piece",
    [STMT_PIECES_DROP] = "DELETE FROM piece WHERE cell = ?1",
};

at_status at_store_prepare(at_ledger *l, at_err *err)
{
    for (size_t i = 0; i < STMT_COUNT; i++) {
        int rc = sqlite3_prepare_v3(l->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT, &l->stmt[i], NULL);
        if (rc != SQLITE_OK)
            return at_store_fail(l, rc, err, "a statement does not fit it");
    }
    return AT_OK;
}

/* Strings were bound without a copy and do not outlive the call: forget them. */
static void stmt_done(sqlite3_stmt *q)
{
    sqlite3_reset(q);
    sqlite3_clear_bindings(q);
}

/* Runs a statement that returns no row; an SQLite code. */
static int stmt_run(sqlite3_stmt *q)
{
    int rc = sqlite3_step(q);
    stmt_done(q);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* ---- columns: bind and read ------------------------------------------------------------------- */

static at_status text_check(at_ledger *l, const char *name, const char *s, size_t max, bool needed,
                            at_err *err)
{
    if (!s)
        return needed ? at_fail(err, AT_EINPUT, "ledger %s: %s is missing", l->path, name) : AT_OK;
    if (strnlen(s, max + 1) > max)
        return at_fail(err, AT_EDOMAIN, "ledger %s: %s is longer than %zu bytes", l->path, name, max);
    return AT_OK;
}

static at_status value_check(at_ledger *l, const column *c, const void *v, at_err *err)
{
    switch (c->kind) {
    case COL_KEY:
    case COL_LABEL:
        return text_check(l, c->name, *(const char *const *)v, STORE_TEXT_MAX, c->kind == COL_KEY, err);
    case COL_DETAIL:
        return text_check(l, c->name, *(const char *const *)v, STORE_DETAIL_MAX, false, err);
    case COL_COUNT:
        if (*(const uint64_t *)v > INT64_MAX)
            return at_fail(err, AT_EDOMAIN, "ledger %s: %s = %llu exceeds 2^63-1", l->path, c->name,
                           (unsigned long long)*(const uint64_t *)v);
        return AT_OK;
    case COL_SPAN:
        if (!isfinite(*(const double *)v) || *(const double *)v < 0)
            return at_fail(err, AT_EDOMAIN, "ledger %s: %s = %g is not in 0..inf", l->path, c->name,
                           *(const double *)v);
        return AT_OK;
    case COL_INT:
    case COL_BITS:
    case COL_MARGIN:
        break;
    }
    return AT_OK;
}

static int value_bind(sqlite3_stmt *q, int slot, const column *c, const void *v)
{
    switch (c->kind) {
    case COL_KEY:
    case COL_LABEL:
    case COL_DETAIL:
        return sqlite3_bind_text(q, slot, *(const char *const *)v, -1, SQLITE_STATIC); /* NULL binds NULL */
    case COL_INT:
        return sqlite3_bind_int(q, slot, *(const int *)v);
    case COL_COUNT:
    case COL_BITS: {
        int64_t bits;
        memcpy(&bits, v, sizeof bits);
        return sqlite3_bind_int64(q, slot, bits);
    }
    case COL_MARGIN: /* SQLite makes NaN a NULL */
    case COL_SPAN:
        return sqlite3_bind_double(q, slot, *(const double *)v);
    }
    return SQLITE_MISUSE;
}

/* Checks, then binds, columns from..to-1 of a row to slots 1.. */
static at_status columns_bind(at_ledger *l, sqlite3_stmt *q, size_t from, size_t to, const at_row *row,
                              at_err *err)
{
    for (size_t i = from; i < to; i++) {
        const void *v = (const char *)row + columns[i].at;
        at_status s = value_check(l, &columns[i], v, err);
        if (s)
            return s;
        int rc = value_bind(q, (int)(i - from) + 1, &columns[i], v);
        if (rc != SQLITE_OK)
            return at_store_fail(l, rc, err, "a value cannot be bound");
    }
    return AT_OK;
}

static at_status key_bind(at_ledger *l, sqlite3_stmt *q, const at_cell_key *k, at_err *err)
{
    at_row row = {.key = *k};
    return columns_bind(l, q, 0, KEY_COLUMNS, &row, err);
}

/* The file's bytes as a C string, copied unless a is NULL (then valid until the next step). */
static at_status text_read(at_ledger *l, sqlite3_stmt *q, int i, const column *c, size_t max, at_arena *a,
                           const char **out, at_err *err)
{
    *out = NULL;
    int type = sqlite3_column_type(q, i);
    if (type == SQLITE_NULL && c->kind != COL_KEY)
        return AT_OK;
    if (type != SQLITE_TEXT)
        return at_fail(err, AT_EINPUT, "ledger %s: damaged: %s is no text", l->path, c->name);
    const char *s = (const char *)sqlite3_column_text(q, i);
    if (!s)
        return at_oom(err);
    size_t n = (size_t)sqlite3_column_bytes(q, i);
    if (n > max)
        return at_fail(err, AT_EINPUT, "ledger %s: damaged: %s has %zu bytes, at most %zu are allowed",
                       l->path, c->name, n, max);
    if (memchr(s, '\0', n))
        return at_fail(err, AT_EINPUT, "ledger %s: damaged: %s contains a NUL byte", l->path, c->name);
    *out = a ? at_arena_strdup(a, s) : s;
    return *out ? AT_OK : at_oom(err);
}

static at_status value_read(at_ledger *l, sqlite3_stmt *q, int i, void *v, at_arena *a, at_err *err)
{
    const column *c = &columns[i];
    int type = sqlite3_column_type(q, i);
    switch (c->kind) {
    case COL_KEY:
    case COL_LABEL:
    case COL_DETAIL:
        return text_read(l, q, i, c, c->kind == COL_DETAIL ? STORE_DETAIL_MAX : STORE_TEXT_MAX, a, v, err);
    case COL_INT:
    case COL_COUNT:
    case COL_BITS: {
        int64_t n = sqlite3_column_int64(q, i);
        if (type != SQLITE_INTEGER || (c->kind == COL_INT && (n < INT_MIN || n > INT_MAX)) ||
            (c->kind == COL_COUNT && n < 0))
            break;
        if (c->kind == COL_INT)
            *(int *)v = (int)n;
        else
            *(uint64_t *)v = (uint64_t)n;
        return AT_OK;
    }
    case COL_MARGIN:
    case COL_SPAN: {
        double x = type == SQLITE_NULL ? NAN : sqlite3_column_double(q, i);
        if ((type != SQLITE_FLOAT && type != SQLITE_NULL) ||
            (c->kind == COL_SPAN && !(isfinite(x) && x >= 0)))
            break;
        *(double *)v = x;
        return AT_OK;
    }
    }
    return at_fail(err, AT_EINPUT, "ledger %s: damaged: %s is out of range", l->path, c->name);
}

static at_status row_read(at_ledger *l, sqlite3_stmt *q, at_row *row, at_arena *a, at_err *err)
{
    for (int i = 0; i < COLUMNS; i++) {
        at_status s = value_read(l, q, i, (char *)row + columns[i].at, a, err);
        if (s)
            return s;
    }
    return AT_OK;
}

/* ---- transactions --------------------------------------------------------------------------- */

static at_status change_begin(at_ledger *l, at_err *err)
{
    if (l->mode != AT_LEDGER_WRITE)
        return at_fail(err, AT_EIO, "ledger %s: was opened for reading", l->path);
    int rc = stmt_run(l->stmt[STMT_BEGIN]);
    return rc == SQLITE_OK ? AT_OK : at_store_fail(l, rc, err, "cannot be written");
}

/* Commits when s is AT_OK; whatever does not commit is rolled back whole. */
static at_status change_end(at_ledger *l, at_status s, at_err *err)
{
    if (!s) {
        int rc = stmt_run(l->stmt[STMT_COMMIT]);
        if (rc != SQLITE_OK)
            s = at_store_fail(l, rc, err, "cannot be written");
    }
    if (!sqlite3_get_autocommit(l->db))
        stmt_run(l->stmt[STMT_ROLLBACK]); /* the first failure is the one to report */
    return s;
}

/* The id of the key's cell, made when there is none. Inside a transaction. */
static at_status cell_id(at_ledger *l, const at_cell_key *k, int64_t *id, at_err *err)
{
    sqlite3_stmt *q = l->stmt[STMT_CELL_ADD];
    at_status s = key_bind(l, q, k, err);
    int rc = s ? SQLITE_OK : sqlite3_step(q);
    if (!s && rc != SQLITE_DONE)
        s = at_store_fail(l, rc, err, "a cell cannot be written");
    stmt_done(q);
    if (s)
        return s;
    q = l->stmt[STMT_CELL_ID];
    if (!(s = key_bind(l, q, k, err))) {
        rc = sqlite3_step(q);
        if (rc == SQLITE_ROW)
            *id = sqlite3_column_int64(q, 0);
        else
            s = at_store_fail(l, rc == SQLITE_DONE ? SQLITE_CORRUPT : rc, err, "a cell cannot be found");
    }
    stmt_done(q);
    return s;
}

/* ---- verdicts ------------------------------------------------------------------------------- */

at_status at_ledger_find(at_ledger *l, const at_cell_key *k, at_row **out, at_arena *a, at_err *err)
{
    sqlite3_stmt *q = l->stmt[STMT_FIND];
    at_mark mark = at_arena_mark(a);
    at_row *row = NULL;
    *out = NULL;
    at_status s = key_bind(l, q, k, err);
    if (!s) {
        int rc = sqlite3_step(q);
        if (rc == SQLITE_ROW) {
            row = at_new(a, at_row, 1);
            s = row ? row_read(l, q, row, a, err) : at_oom(err);
        } else if (rc != SQLITE_DONE) {
            s = at_store_fail(l, rc, err, "cannot be read");
        }
    }
    stmt_done(q);
    if (!s)
        s = at_store_still(l, err);
    if (s)
        at_arena_reset(a, mark);
    else
        *out = row;
    return s;
}

static at_status verdict_put(at_ledger *l, const at_row *row, at_err *err)
{
    int64_t id = 0;
    at_status s = cell_id(l, &row->key, &id, err);
    if (s)
        return s;
    sqlite3_stmt *q = l->stmt[STMT_VERDICT_PUT];
    s = columns_bind(l, q, KEY_COLUMNS, COLUMNS, row, err);
    if (!s) {
        int rc = sqlite3_bind_int64(q, COLUMNS - KEY_COLUMNS + 1, id);
        if (rc == SQLITE_OK)
            rc = stmt_run(q);
        if (rc == SQLITE_OK)
            rc = sqlite3_bind_int64(l->stmt[STMT_PIECES_DROP], 1, id);
        if (rc == SQLITE_OK)
            rc = stmt_run(l->stmt[STMT_PIECES_DROP]);
        if (rc != SQLITE_OK)
            s = at_store_fail(l, rc, err, "a verdict cannot be written");
    }
    stmt_done(q);
    return s;
}

bool at_ledger_now(char out[32])
{
    struct tm utc;
    time_t t = time(NULL);
    return gmtime_r(&t, &utc) && strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

at_status at_ledger_put(at_ledger *l, const at_cell_key *k, const at_record *r, at_err *err)
{
    at_row row = {*k, *r};
    char now[32];
    if (!row.rec.when) {
        if (!at_ledger_now(now))
            return at_fail(err, AT_EIO, "ledger %s: the clock gives no date", l->path);
        row.rec.when = now;
    }
    at_status s = change_begin(l, err);
    return s ? s : change_end(l, verdict_put(l, &row, err), err);
}

/* The rows so far, outside the arena because their number is not known before. */
typedef struct {
    at_row *at;
    size_t n, cap;
} row_list;

static at_status rows_add(at_ledger *l, sqlite3_stmt *q, row_list *rows, at_arena *a, at_err *err)
{
    if (rows->n == rows->cap) {
        size_t cap = rows->cap ? 2 * rows->cap : 64;
        at_row *grown = cap <= SIZE_MAX / sizeof *grown ? at_realloc(rows->at, cap * sizeof *grown) : NULL;
        if (!grown)
            return at_oom(err);
        rows->at = grown;
        rows->cap = cap;
    }
    return row_read(l, q, &rows->at[rows->n++], a, err);
}

at_status at_ledger_rows(at_ledger *l, const char *build, at_row **rows, size_t *n, at_arena *a, at_err *err)
{
    sqlite3_stmt *q = l->stmt[STMT_ROWS];
    at_mark mark = at_arena_mark(a);
    row_list list = {0};
    at_row *copy = NULL;
    int rc = sqlite3_bind_text(q, 1, build, -1, SQLITE_STATIC);
    at_status s = AT_OK;
    while (!s && rc != SQLITE_DONE) {
        if (rc != SQLITE_OK && rc != SQLITE_ROW)
            s = at_store_fail(l, rc, err, "cannot be read");
        else if ((rc = sqlite3_step(q)) == SQLITE_ROW)
            s = rows_add(l, q, &list, a, err);
    }
    stmt_done(q);
    if (!s)
        s = at_store_still(l, err);
    if (!s && list.n > 0) {
        copy = at_new(a, at_row, list.n);
        if (copy)
            memcpy(copy, list.at, list.n * sizeof *copy);
        else
            s = at_oom(err);
    }
    at_free(list.at);
    *rows = s ? NULL : copy;
    *n = s ? 0 : list.n;
    if (s)
        at_arena_reset(a, mark);
    return s;
}

at_status at_ledger_read(const char *path, at_row **rows, size_t *n, at_arena *a, at_err *err)
{
    at_ledger *l;
    at_status s = at_ledger_open(path, AT_LEDGER_READ, &l, err);
    if (s)
        return s;
    s = at_ledger_rows(l, NULL, rows, n, a, err);
    at_ledger_close(l);
    return s;
}

/* ---- pieces --------------------------------------------------------------------------------- */

static const column piece_column = {"piece", COL_COUNT, 0}, payload_column = {"payload", COL_DETAIL, 0};

static at_status piece_put(at_ledger *l, const at_cell_key *k, uint64_t piece, const char *payload,
                           at_err *err)
{
    int64_t id = 0;
    at_status s;
    if ((s = value_check(l, &piece_column, &piece, err)) ||
        (s = value_check(l, &payload_column, &payload, err)) || (s = cell_id(l, k, &id, err)))
        return s;
    sqlite3_stmt *q = l->stmt[STMT_PIECE_PUT];
    int rc = sqlite3_bind_int64(q, 1, id);
    if (rc == SQLITE_OK)
        rc = value_bind(q, 2, &piece_column, &piece);
    if (rc == SQLITE_OK)
        rc = value_bind(q, 3, &payload_column, &payload);
    if (rc == SQLITE_OK)
        rc = stmt_run(q);
    if (rc != SQLITE_OK)
        s = at_store_fail(l, rc, err, "a piece cannot be written");
    stmt_done(q);
    return s;
}

at_status at_ledger_piece_put(at_ledger *l, const at_cell_key *k, uint64_t piece, const char *payload,
                              at_err *err)
{
    at_status s = change_begin(l, err);
    return s ? s : change_end(l, piece_put(l, k, piece, payload, err), err);
}

at_status at_ledger_pieces(at_ledger *l, const at_cell_key *k, at_piece_fn *fn, void *ctx, at_err *err)
{
    sqlite3_stmt *q = l->stmt[STMT_PIECES];
    int rc = SQLITE_OK;
    at_status s = key_bind(l, q, k, err);
    while (!s && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        const char *payload;
        int64_t piece = sqlite3_column_int64(q, 0);
        if (piece < 0)
            s = at_fail(err, AT_EINPUT, "ledger %s: damaged: piece %lld is negative", l->path,
                        (long long)piece);
        if (!s)
            s = text_read(l, q, 1, &payload_column, STORE_DETAIL_MAX, NULL, &payload, err);
        if (!s)
            s = fn(ctx, (uint64_t)piece, payload, err);
    }
    if (!s && rc != SQLITE_DONE)
        s = at_store_fail(l, rc, err, "cannot be read");
    stmt_done(q);
    return s ? s : at_store_still(l, err);
}
