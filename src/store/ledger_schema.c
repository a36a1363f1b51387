/* ledger_schema.c: the schema, as a list of migrations.
 *
 * A new ledger is made by running every migration on an empty file, an old one by running those it
 * lacks; so there is one description of the schema and no second one to drift. The next version is
 * one more row in `migrations`; rows that have shipped are never edited.
 *
 *     cell     one row for each at_cell_key; the small integer `id` stands for its long strings
 *     verdict  at most one a cell
 *     piece    finished parts of a cell without a verdict, clustered by (cell, piece)
 *
 * The check of a foreign file uses the same list: the migrations are run in memory and the text of
 * every table and index must be equal. A trigger, a view, a virtual table, a generated column, an
 * index on an expression or a changed column is thus refused before any of it can be evaluated.
 *
 * NULL margin: there is none (NaN). seed: the 64 bits of the unsigned number, as a signed one.
 */
#include "store_internal.h"

#include <stdio.h>
#include <string.h>

static const struct {
    int version; /* the user_version that the file has afterwards */
    const char *sql;
} migrations[] = {
    {1, "CREATE TABLE cell (\n"
        "  id INTEGER PRIMARY KEY,\n"
        "  subject TEXT NOT NULL,\n"
        "  params TEXT NOT NULL,\n"
        "  question TEXT NOT NULL,\n"
        "  model_hash TEXT NOT NULL,\n"
        "  check_version INTEGER NOT NULL,\n"
        "  build TEXT NOT NULL,\n"
        "  UNIQUE (subject, params, question, model_hash, check_version, build)\n"
        ") STRICT;\n"
        "CREATE TABLE verdict (\n"
        "  cell INTEGER PRIMARY KEY REFERENCES cell (id),\n"
        "  role TEXT,\n"
        "  evidence TEXT,\n"
        "  verdict TEXT,\n"
        "  arithmetic TEXT,\n"
        "  inputs INTEGER NOT NULL,\n"
        "  margin REAL,\n"
        "  seed INTEGER NOT NULL,\n"
        "  detail TEXT,\n"
        "  isa TEXT,\n"
        "  version TEXT,\n"
        "  seconds REAL NOT NULL,\n"
        "  decided TEXT NOT NULL\n"
        ") STRICT;\n"
        "CREATE TABLE piece (\n"
        "  cell INTEGER NOT NULL REFERENCES cell (id),\n"
        "  piece INTEGER NOT NULL,\n"
        "  payload TEXT,\n"
        "  PRIMARY KEY (cell, piece)\n"
        ") STRICT, WITHOUT ROWID;\n"},
};
enum { MIGRATIONS = sizeof migrations / sizeof migrations[0] };

int at_store_version(void)
{
    return migrations[MIGRATIONS - 1].version;
}

int at_store_migrate(sqlite3 *db, int from, int to)
{
    char mark[96];
    for (size_t i = 0; i < MIGRATIONS; i++) {
        if (migrations[i].version <= from || migrations[i].version > to)
            continue;
        snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %d", STORE_APPLICATION,
                 migrations[i].version);
        int rc = sqlite3_exec(db, migrations[i].sql, NULL, NULL, NULL);
        if (rc == SQLITE_OK)
            rc = sqlite3_exec(db, mark, NULL, NULL, NULL);
        if (rc != SQLITE_OK)
            return rc;
    }
    return SQLITE_OK;
}

#define SCHEMA_SQL "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"

/* Storage class first, then bytes: a blob or a number that reads like our text is not our text. */
static int column_compare(sqlite3_stmt *a, sqlite3_stmt *b, int i)
{
    int c = sqlite3_column_type(a, i) - sqlite3_column_type(b, i);
    const void *x = sqlite3_column_blob(a, i), *y = sqlite3_column_blob(b, i);
    int n = sqlite3_column_bytes(a, i), m = sqlite3_column_bytes(b, i), least = n < m ? n : m;
    if (!c && least > 0)
        c = x && y ? memcmp(x, y, (size_t)least) : 1;
    return c ? c : n - m;
}

static at_status schema_compare(at_ledger *l, sqlite3_stmt *have, sqlite3_stmt *want, at_err *err)
{
    for (;;) {
        int h = sqlite3_step(have), w = sqlite3_step(want);
        if (h != SQLITE_ROW && h != SQLITE_DONE)
            return at_store_fail(l, h, err, "its schema cannot be read");
        if (w != SQLITE_ROW && w != SQLITE_DONE)
            return w == SQLITE_NOMEM
                       ? at_oom(err)
                       : at_fail(err, AT_EIO, "ledger %s: SQLite fails in memory (code %d)", l->path, w);
        if (h == SQLITE_DONE && w == SQLITE_DONE)
            return AT_OK;
        int order = h == SQLITE_DONE ? 1 : w == SQLITE_DONE ? -1 : column_compare(have, want, 0);
        if (!order && h == SQLITE_ROW)
            order = column_compare(have, want, 1);
        if (order > 0)
            return at_fail(err, AT_EINPUT, "ledger %s: its schema is not ours: %s '%s' is missing", l->path,
                           (const char *)sqlite3_column_text(want, 0),
                           (const char *)sqlite3_column_text(want, 1));
        if (order < 0 || column_compare(have, want, 2) || column_compare(have, want, 3)) {
            const char *type = (const char *)sqlite3_column_text(have, 0);
            const char *name = (const char *)sqlite3_column_text(have, 1);
            return at_fail(err, AT_EINPUT, "ledger %s: its schema is not ours: %.16s '%.64s' is %s", l->path,
                           type ? type : "object", name ? name : "", order < 0 ? "unexpected" : "altered");
        }
    }
}

at_status at_store_schema_check(at_ledger *l, int version, at_err *err)
{
    sqlite3 *ours = NULL;
    sqlite3_stmt *have = NULL, *want = NULL;
    at_status s = AT_OK;
    int rc = sqlite3_prepare_v2(l->db, SCHEMA_SQL, -1, &have, NULL);
    if (rc != SQLITE_OK)
        return at_store_fail(l, rc, err, "its schema cannot be read");
    rc = sqlite3_open_v2(":memory:", &ours, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = at_store_migrate(ours, 0, version);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(ours, SCHEMA_SQL, -1, &want, NULL);
    if (rc == SQLITE_OK)
        s = schema_compare(l, have, want, err);
    else
        s = rc == SQLITE_NOMEM
                ? at_oom(err)
                : at_fail(err, AT_EIO, "ledger %s: SQLite fails in memory (code %d)", l->path, rc);
    sqlite3_finalize(have);
    sqlite3_finalize(want);
    sqlite3_close(ours);
    return s;
}
