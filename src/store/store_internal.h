/* store_internal.h: what the files of the ledger share.
 *
 *     ledger_open.c     a path becomes a hardened, checked, migrated connection
 *     ledger_schema.c   the schema as a list of migrations, and the comparison with what a file holds
 *     ledger.c          the columns, the statements, and the verbs of store.h
 *
 * Invariants
 *  1. A handle that exists has passed every check in at_store_adopt; the verbs rely on it.
 *  2. Between two calls of the API no transaction is open and every statement is reset.
 *  3. Whatever is written can be read back: the same limits hold in both directions.
 */
#ifndef ATTEST_STORE_INTERNAL_H
#define ATTEST_STORE_INTERNAL_H

#include <attest/store.h>

#include <sqlite3.h>
#include <time.h>

enum {
    STORE_TEXT_MAX = 16 << 10,     /* bytes of a key or of a label                                    */
    STORE_DETAIL_MAX = 1 << 20,    /* bytes of a detail or of a piece's payload                       */
    STORE_ROW_MAX = 2 << 20,       /* bytes of a whole row: SQLite refuses more in a foreign file      */
    STORE_WAIT_MS = 2000,          /* how long to wait for another process's lock                     */
    STORE_APPLICATION = 0x61747374 /* "atst", in the file's header                                  */
};

typedef enum {
    STMT_BEGIN,
    STMT_COMMIT,
    STMT_ROLLBACK,
    STMT_CELL_ADD,
    STMT_CELL_ID,
    STMT_VERDICT_PUT,
    STMT_FIND,
    STMT_ROWS,
    STMT_PIECE_PUT,
    STMT_PIECES,
    STMT_PIECES_DROP,
    STMT_COUNT
} store_stmt;

struct at_ledger {
    sqlite3 *db;
    sqlite3_stmt *stmt[STMT_COUNT];
    at_ledger_mode mode;
    at_arena arena;   /* path */
    const char *path; /* for messages and for the stamp */
    uint64_t ticks;   /* thousands of virtual-machine steps that opening may still take */
    bool settled;     /* no log lay beside the file: nobody was writing when it was opened */
    bool frozen;      /* settled, and read without locks */
    struct {
        uint64_t device, inode, bytes;
        struct timespec changed;
    } stamp; /* of the file just before it was opened */
};

/* The one place where SQLite's last error becomes our line; `doing` completes "ledger PATH: ". */
at_status at_store_fail(at_ledger *l, int rc, at_err *err, const char *doing);

/* Hardens, identifies, migrates (WRITE), checks and prepares an open connection, l->db. */
at_status at_store_adopt(at_ledger *l, at_err *err);
/* The statements of ledger.c, compiled. */
at_status at_store_prepare(at_ledger *l, at_err *err);
/* Fails when a frozen file is no longer the file that was opened. */
at_status at_store_still(at_ledger *l, at_err *err);

/* The newest schema version that this build knows. */
int at_store_version(void);
/* Runs the migrations after `from` on a raw connection, up to and including `to`; an SQLite code. */
int at_store_migrate(sqlite3 *db, int from, int to);
/* Fails unless the file's schema is, letter by letter, what the migrations up to `version` produce. */
at_status at_store_schema_check(at_ledger *l, int version, at_err *err);

#endif
