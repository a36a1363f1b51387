/* fuzz_ledger.c: any bytes as a foreign ledger: opened for reading, every row and every piece read.
 *
 * The bytes become a database in memory and then take the same way as a file, at_store_adopt. A log needs a
 * file, so the two header bytes that ask for one are set to "no log". The seeds are ledgers with pages of
 * 512 bytes, to be small. */
#include "../src/store/store_internal.h"

#include <stdlib.h>
#include <string.h>

static volatile uint64_t sink; /* so that every byte is really read */

static at_status piece_touch(void *ctx, uint64_t piece, const char *payload, at_err *err)
{
    (void)err;
    *(uint64_t *)ctx += piece + (payload ? strlen(payload) : 0);
    return AT_OK;
}

static bool bytes_open(at_ledger *l, const uint8_t *data, size_t size)
{
    enum { WRITE_VERSION = 18, READ_VERSION = 19, ROLLBACK = 1 };
    unsigned char *copy = sqlite3_malloc64(size + 1);
    if (!copy)
        return false;
    memcpy(copy, data, size);
    if (size > READ_VERSION)
        copy[WRITE_VERSION] = copy[READ_VERSION] = ROLLBACK;
    if (sqlite3_open_v2(":memory:", &l->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        sqlite3_free(copy);
        return false;
    }
    return sqlite3_deserialize(l->db, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                               SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) == SQLITE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_err err = {0};
    at_row *rows = NULL, *row;
    size_t n = 0;
    uint64_t sum = 0;
    at_ledger *l = at_calloc(1, sizeof *l);
    if (!l)
        return 0;
    at_arena a;
    at_arena_init(&a);
    at_arena_init(&l->arena);
    l->mode = AT_LEDGER_READ;
    l->path = "bytes";
    if (bytes_open(l, data, size) && at_store_adopt(l, &err) == AT_OK &&
        at_ledger_rows(l, NULL, &rows, &n, &a, &err) == AT_OK)
        for (size_t i = 0; i < n; i++) {
            at_err each = {0};
            /* an index that disagrees with its table may hide a row or show another, never crash */
            if (at_ledger_find(l, &rows[i].key, &row, &a, &each) == AT_OK && row)
                sum += strlen(row->key.subject) + row->rec.inputs;
            at_ledger_pieces(l, &rows[i].key, piece_touch, &sum, &each);
        }
    if (err.code != AT_OK && !err.text[0])
        abort(); /* a failure without words */
    at_ledger_close(l);
    at_arena_release(&a);
    sink = sum;
    return 0;
}
