/* ledger_open.c: from a path to a connection that can be relied upon.
 *
 * A ledger may come from a stranger, also when it is opened for writing (`--db FILE`), so both modes
 * go through the same gate:
 *
 *     path      a regular file, empty or SQLite's by its first bytes; percent-encoded into a URI, so that no name has a meaning to SQLite
 *     harden    defensive, untrusted schema, no triggers, views or extensions, small limits, cells checked
 *     identify  application_id and user_version in the header; newer ones are refused
 *     schema    equal to ours letter by letter (ledger_schema.c)
 *     pages     quick_check: every page belongs to one tree, so that reading ends
 *     migrate   WRITE only, the first change to the file: WAL, then the missing migrations in one transaction
 *
 * Until the schema is known to be ours SQLite may spend a million steps, and for quick_check a number
 * proportional to the file: pages that are shared between trees otherwise spell out exponentially many rows.
 *
 * READ changes nothing in the file. Where no log lies beside it (nobody writes, the last writer closed it)
 * it is opened `immutable`: no locks, no side files, works on read-only media; every read then
 * verifies that the file is still the one that was opened. Where a log lies beside it (a writer is at work,
 * or was killed) it is opened through the log, so that what was finished before a kill is seen; SQLite
 * then keeps its index of the log in PATH-shm.
 *
 * Durability. In WAL a commit is in the kernel before it is acknowledged, so a killed process loses nothing;
 * synchronous=FULL adds an fsync for each commit, so that a power cut loses nothing either. docs/ledger.md
 * has the measurement behind that choice.
 */
#define _GNU_SOURCE
#include "store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SQLITE_MAGIC "SQLite format 3" /* and its zero: the first sixteen bytes of every database */

/* ---- failures in words ---------------------------------------------------------------------- */

at_status at_store_fail(at_ledger *l, int rc, at_err *err, const char *doing)
{
    int last = errno, os = l->db ? sqlite3_system_errno(l->db) : 0;
    if (!os &&
        (rc == SQLITE_IOERR_WRITE || rc == SQLITE_IOERR_FSYNC)) /* a failed COMMIT does not record it */
        os = last;
    const char *why = l->db ? sqlite3_errmsg(l->db) : sqlite3_errstr(rc);
    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return at_oom(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return at_fail(err, AT_EIO, "ledger %s: %s: locked by another process (waited %d s)", l->path, doing,
                       STORE_WAIT_MS / 1000);
    case SQLITE_READONLY:
        return at_fail(err, AT_EIO, "ledger %s: %s: the file or its directory is read-only", l->path, doing);
    case SQLITE_NOTADB:
        return at_fail(err, AT_EINPUT, "ledger %s: not a ledger (no SQLite file)", l->path);
    case SQLITE_INTERRUPT:
        return at_fail(err, AT_EINPUT, "ledger %s: malformed: checking it takes longer than its size allows",
                       l->path);
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
    case SQLITE_ERROR:
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
        return at_fail(err, AT_EINPUT, "ledger %s: damaged: %s: %s", l->path, doing, why);
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        if ((rc & 0xff) == SQLITE_FULL || os == ENOSPC || os == EDQUOT || os == EFBIG)
            return at_fail(err, AT_EIO, "ledger %s: %s: no space left for it", l->path, doing);
        return at_fail(err, AT_EIO, "ledger %s: %s: %s", l->path, doing, os ? strerror(os) : why);
    default:
        return at_fail(err, AT_EIO, "ledger %s: %s: %s", l->path, doing, why);
    }
}

/* ---- hardening ------------------------------------------------------------------------------ */

static int budget_spent(void *ctx)
{
    at_ledger *l = ctx;
    return l->ticks-- == 0;
}

static void budget_set(at_ledger *l, uint64_t steps)
{
    enum { STEPS_A_TICK = 1000 };
    l->ticks = steps / STEPS_A_TICK;
    sqlite3_progress_handler(l->db, steps ? STEPS_A_TICK : 0, steps ? budget_spent : NULL, l);
}

static int ledger_harden(at_ledger *l)
{
    static const struct {
        int option, value;
    } configs[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},  {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},     {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},         {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    static const struct {
        int limit, value;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, STORE_ROW_MAX},
        {SQLITE_LIMIT_SQL_LENGTH, 64 << 10},
        {SQLITE_LIMIT_COLUMN, 64},
        {SQLITE_LIMIT_EXPR_DEPTH, 32},
        {SQLITE_LIMIT_COMPOUND_SELECT, 4},
        {SQLITE_LIMIT_VDBE_OP, 25000},
        {SQLITE_LIMIT_FUNCTION_ARG, 8},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 32},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        int rc = sqlite3_db_config(l->db, configs[i].option, configs[i].value, NULL);
        if (rc != SQLITE_OK)
            return rc;
    }
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        sqlite3_limit(l->db, limits[i].limit, limits[i].value);
    sqlite3_extended_result_codes(l->db, 1);
    int rc = sqlite3_busy_timeout(l->db, STORE_WAIT_MS);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(l->db,
                          "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0",
                          NULL, NULL, NULL);
    if (rc == SQLITE_OK && l->mode == AT_LEDGER_READ)
        rc = sqlite3_exec(l->db, "PRAGMA query_only = ON", NULL, NULL, NULL);
    return rc;
}

/* ---- identity and migration ----------------------------------------------------------------- */

static at_status ask_int(at_ledger *l, const char *sql, int64_t *v, at_err *err)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(l->db, sql, -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(q);
    bool found = rc == SQLITE_ROW;
    if (found)
        *v = sqlite3_column_int64(q, 0);
    at_status s =
        found ? AT_OK : at_store_fail(l, rc == SQLITE_DONE ? SQLITE_CORRUPT : rc, err, "cannot be read");
    sqlite3_finalize(q);
    return s;
}

/* *version: 0 for an empty file, which WRITE turns into a ledger. */
static at_status ledger_identify(at_ledger *l, int *version, at_err *err)
{
    int64_t application, user, objects;
    at_status s;
    if ((s = ask_int(l, "PRAGMA application_id", &application, err)) ||
        (s = ask_int(l, "PRAGMA user_version", &user, err)))
        return s;
    if (application == STORE_APPLICATION && user > at_store_version())
        return at_fail(err, AT_EINPUT,
                       "ledger %s: schema version %d is newer than %d, the newest that this build knows",
                       l->path, (int)user, at_store_version());
    if (application == STORE_APPLICATION && user >= 1) {
        *version = (int)user;
        return AT_OK;
    }
    if ((s = ask_int(l, "SELECT count(*) FROM sqlite_schema", &objects, err)))
        return s;
    if (application || user || objects || l->mode == AT_LEDGER_READ)
        return at_fail(err, AT_EINPUT, "ledger %s: not a ledger (%s)", l->path,
                       application || user || objects ? "an SQLite file of another program"
                                                      : "an empty file");
    *version = 0;
    return AT_OK;
}

/* The switch to WAL needs the file for itself, and SQLite does not wait for that by its busy handler. */
#define WAL_WAIT 2.0 /* seconds */

static at_status wal_begin(at_ledger *l, at_err *err)
{
    sqlite3_stmt *q = NULL;
    int rc;
    for (double until = at_now() + WAL_WAIT;;) {
        rc = sqlite3_prepare_v2(l->db, "PRAGMA journal_mode = WAL", -1, &q, NULL);
        if (rc == SQLITE_OK)
            rc = sqlite3_step(q);
        if ((rc & 0xff) != SQLITE_BUSY || at_now() > until)
            break;
        sqlite3_finalize(q);
        q = NULL;
        sqlite3_sleep(5);
    }
    const char *got = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    at_status s = AT_OK;
    if (rc != SQLITE_ROW)
        s = at_store_fail(l, rc, err, "cannot be opened for writing");
    else if (!got || strcmp(got, "wal") != 0)
        s = at_fail(err, AT_EIO, "ledger %s: this file system cannot hold a write-ahead log", l->path);
    sqlite3_finalize(q);
    if (s)
        return s;
    rc = sqlite3_exec(l->db, "PRAGMA synchronous = FULL", NULL, NULL, NULL);
    return rc == SQLITE_OK ? AT_OK : at_store_fail(l, rc, err, "cannot be opened for writing");
}

/* Another process may create or migrate the same file: the version is read again under the lock. */
static at_status ledger_migrate(at_ledger *l, int *version, at_err *err)
{
    at_status s = wal_begin(l, err);
    if (s || *version == at_store_version())
        return s;
    int rc = sqlite3_exec(l->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return at_store_fail(l, rc, err, "cannot be opened for writing");
    s = ledger_identify(l, version, err);
    if (!s)
        s = at_store_schema_check(l, *version, err);
    if (!s) {
        rc = at_store_migrate(l->db, *version, at_store_version());
        if (rc == SQLITE_OK)
            rc = sqlite3_exec(l->db, "COMMIT", NULL, NULL, NULL);
        if (rc != SQLITE_OK)
            s = at_store_fail(l, rc, err, "cannot be written");
    }
    if (!sqlite3_get_autocommit(l->db))
        sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL); /* the first failure is the one to report */
    if (!s)
        *version = at_store_version();
    return s;
}

static at_status pages_check(at_ledger *l, at_err *err)
{
    /* A row takes at least some ten bytes and quick_check some sixty steps for it. */
    enum { STEPS_A_BYTE = 64 };
    int64_t pages, bytes;
    at_status s;
    if ((s = ask_int(l, "PRAGMA page_count", &pages, err)) ||
        (s = ask_int(l, "PRAGMA page_size", &bytes, err)))
        return s;
    if (l->settled && l->stamp.bytes % (uint64_t)bytes) /* SQLite would read zeros for the rest */
        return at_fail(err, AT_EINPUT, "ledger %s: damaged: its last page is cut short", l->path);
    budget_set(l, 1000000 + (uint64_t)pages * (uint64_t)bytes * STEPS_A_BYTE);
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(l->db, "PRAGMA quick_check(1)", -1, &q, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(q);
    const char *got = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    if (rc != SQLITE_ROW)
        s = at_store_fail(l, rc, err, "its pages cannot be checked");
    else if (!got)
        s = at_oom(err);
    else if (strcmp(got, "ok") != 0) {
        const char *line = strrchr(got, '\n'); /* "*** in database main ***\nTree 2 page 2: ..." */
        s = at_fail(err, AT_EINPUT, "ledger %s: damaged: %.200s", l->path, line && line[1] ? line + 1 : got);
    }
    sqlite3_finalize(q);
    return s;
}

/* Everything that can be wrong with a file that says it is a ledger. */
static at_status ledger_check(at_ledger *l, int version, at_err *err)
{
    int64_t utf8;
    at_status s = ask_int(l, "SELECT encoding = 'UTF-8' FROM pragma_encoding", &utf8, err);
    if (!s && !utf8)
        s = at_fail(err, AT_EINPUT, "ledger %s: its text is not stored as UTF-8", l->path);
    if (!s)
        s = at_store_schema_check(l, version, err);
    return s ? s : pages_check(l, err);
}

at_status at_store_adopt(at_ledger *l, at_err *err)
{
    int version = 0;
    at_status s;
    int rc = ledger_harden(l);
    if (rc != SQLITE_OK)
        return at_store_fail(l, rc, err, "cannot be opened");
    budget_set(l, 1000000);
    /* One transaction, so that all questions are about the same moment: another process may be making it. */
    rc = sqlite3_exec(l->db, "BEGIN", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return at_store_fail(l, rc, err, "cannot be opened");
    s = ledger_identify(l, &version, err);
    if (!s && version > 0)
        s = ledger_check(l, version, err);
    budget_set(l, 0);
    sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL); /* nothing was changed */
    if (s)
        return s;
    if (l->mode == AT_LEDGER_WRITE && (s = ledger_migrate(l, &version, err)))
        return s;
    if (version < at_store_version())
        return at_fail(err, AT_EINPUT,
                       "ledger %s: schema version %d is older than %d: open it once for writing", l->path,
                       version, at_store_version());
    return at_store_prepare(l, err);
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* Size of path+suffix, or -1 when there is no such file. */
static int64_t beside_bytes(const char *path, const char *suffix, at_text *scratch)
{
    struct stat st;
    scratch->n = 0;
    at_text_add(scratch, path);
    at_text_add(scratch, suffix);
    return !scratch->oom && stat(scratch->s, &st) == 0 ? (int64_t)st.st_size : -1;
}

static void stamp_set(at_ledger *l, const struct stat *st)
{
    l->stamp.device = (uint64_t)st->st_dev;
    l->stamp.inode = (uint64_t)st->st_ino;
    l->stamp.bytes = (uint64_t)st->st_size;
    l->stamp.changed = st->st_mtim;
}

at_status at_store_still(at_ledger *l, at_err *err)
{
    struct stat st;
    if (!l->frozen)
        return AT_OK;
    if (stat(l->path, &st) == 0 && l->stamp.device == (uint64_t)st.st_dev &&
        l->stamp.inode == (uint64_t)st.st_ino && l->stamp.bytes == (uint64_t)st.st_size &&
        l->stamp.changed.tv_sec == st.st_mtim.tv_sec && l->stamp.changed.tv_nsec == st.st_mtim.tv_nsec)
        return AT_OK;
    return at_fail(err, AT_EIO, "ledger %s: changed while it was being read: open it again", l->path);
}

/* An absolute path gets an empty authority, a relative one "./", so that neither "//host" nor ":memory:" nor
 * "file:" is special; everything but letters, digits and /.-_ is escaped. */
static void uri_make(at_text *t, const char *path, const char *query)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/.-_";
    t->n = 0;
    at_text_add(t, path[0] == '/' ? "file://" : "file:./");
    for (const char *p = path; *p; p++)
        if (strchr(plain, *p))
            at_text_addn(t, p, 1);
        else
            at_text_addf(t, "%%%02X", (unsigned)(unsigned char)*p);
    at_text_add(t, query);
}

/* What is neither empty nor SQLite's is never given to SQLite, which takes a file of one byte for an empty one. A journal beside
 * it may be about to undo a half-made file: then SQLite decides. */
static at_status magic_check(const at_ledger *l, at_err *err)
{
    char first[sizeof SQLITE_MAGIC];
    int fd = open(l->path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, first, sizeof first, 0);
    int e = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return at_fail(err, AT_EIO, "ledger %s: cannot be opened: %s", l->path, strerror(e));
    if (n == 0 || (n == sizeof first && !memcmp(first, SQLITE_MAGIC, sizeof first)))
        return AT_OK;
    return at_fail(err, AT_EINPUT, "ledger %s: not a ledger (no SQLite file)", l->path);
}

static at_status path_open(at_ledger *l, at_text *t, at_err *err)
{
    struct stat st;
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    bool exists = stat(l->path, &st) == 0;
    if (!exists && (l->mode == AT_LEDGER_READ || errno != ENOENT))
        return at_fail(err, AT_EIO, "ledger %s: cannot be opened: %s", l->path, strerror(errno));
    if (exists && !S_ISREG(st.st_mode))
        return at_fail(err, AT_EINPUT, "ledger %s: not a ledger (%s)", l->path,
                       S_ISDIR(st.st_mode) ? "a directory" : "no regular file");
    if (!exists) { /* made here, because SQLite's own attempt does not keep the reason when it fails */
        int fd = open(l->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0 || fstat(fd, &st) != 0)
            return at_fail(err, AT_EIO, "ledger %s: cannot be made: %s", l->path, strerror(errno));
        close(fd);
    }
    int64_t wal = beside_bytes(l->path, "-wal", t), shm = beside_bytes(l->path, "-shm", t);
    int64_t journal = beside_bytes(l->path, "-journal", t);
    l->settled = !(wal > 0 || (wal == 0 && shm >= 0) || journal > 0);
    l->frozen = l->settled && l->mode == AT_LEDGER_READ;
    at_status s = exists && journal <= 0 ? magic_check(l, err) : AT_OK;
    if (s)
        return s;
    stamp_set(l, &st);
    flags |= l->mode == AT_LEDGER_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    uri_make(t, l->path, l->frozen ? "?immutable=1" : "");
    if (t->oom)
        return at_oom(err);
    int rc = sqlite3_open_v2(t->s, &l->db, flags, NULL);
    if (rc != SQLITE_OK)
        return at_store_fail(l, rc, err, "cannot be opened");
    if (l->mode == AT_LEDGER_WRITE && sqlite3_db_readonly(l->db, "main") == 1)
        return at_fail(err, AT_EIO, "ledger %s: cannot be opened for writing: the file is read-only",
                       l->path);
    return AT_OK;
}

at_status at_ledger_open(const char *path, at_ledger_mode mode, at_ledger **out, at_err *err)
{
    *out = NULL;
    if (!path || !*path)
        return at_fail(err, AT_EINPUT, "a ledger needs a file name");
    at_ledger *l = at_calloc(1, sizeof *l);
    if (!l)
        return at_oom(err);
    at_arena_init(&l->arena);
    l->mode = mode;
    l->path = at_arena_strdup(&l->arena, path);
    at_text t;
    at_text_init(&t);
    at_status s = l->path ? path_open(l, &t, err) : at_oom(err);
    at_text_release(&t);
    if (!s)
        s = at_store_adopt(l, err);
    if (!s)
        s = at_store_still(l, err);
    if (s)
        at_ledger_close(l);
    else
        *out = l;
    return s;
}

void at_ledger_close(at_ledger *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < STMT_COUNT; i++)
        sqlite3_finalize(l->stmt[i]);
    sqlite3_close(l->db); /* the last writer to close moves the log into the file */
    at_arena_release(&l->arena);
    at_free(l);
}
