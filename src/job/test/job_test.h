/* job_test.h: a ledger in a fresh directory, and its rows as text, for the tests of jobs. */
#ifndef ATTEST_JOB_TEST_H
#define ATTEST_JOB_TEST_H

#include <attest/job.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../core/test/test_folder.h"
#include "../../core/test/test_scale.h"

#define OK(call)                                                                                             \
    do {                                                                                                     \
        at_err err = {0};                                                                                    \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

typedef struct {
    char dir[TEST_FOLDER], db[TEST_PATH];
} place;

/* In memory where the system has such files: these tests make hundreds of ledgers, and a disk that must sync
 * them would be all that they measure. */
static inline place place_new(void)
{
    place p = {.dir = "/dev/shm/attest-job-XXXXXX"};
    if (!mkdtemp(p.dir))
        assert_non_null(test_folder_new(p.dir));
    snprintf(p.db, sizeof p.db, "%s/ledger.db", p.dir);
    return p;
}

static inline void place_remove(const place *p)
{
    static const char *const tails[] = {"", "-wal", "-shm", "-journal"};
    for (int k = 0; k < 4; k++) {
        char path[TEST_PATH + 16];
        snprintf(path, sizeof path, "%s%s", p->db, tails[k]);
        unlink(path);
    }
    assert_int_equal(rmdir(p->dir), 0);
}

static inline const char *text_or(const char *s)
{
    return s ? s : "(null)";
}

/* Every column but seconds and when. */
static inline void row_print(const at_row *r, at_text *out)
{
    const at_cell_key *k = &r->key;
    const at_record *c = &r->rec;
    at_text_addf(out, "%s|%s|%s|%s|%d|%s|", k->subject, k->params, k->question, k->model_hash,
                 k->check_version, k->build);
    at_text_addf(out, "%s|%s|%s|%s|%" PRIu64 "|%a|%" PRIu64 "|", text_or(c->role), text_or(c->evidence),
                 text_or(c->verdict), text_or(c->arithmetic), c->inputs, c->margin, c->seed);
    at_text_addf(out, "%s|%s|%s\n", text_or(c->detail), text_or(c->isa), text_or(c->version));
}

/* The ledger in the file as text; to be released. */
static inline at_text ledger_text(const char *db)
{
    at_ledger *l;
    at_row *rows;
    size_t n;
    at_arena a;
    at_text t;
    at_text_init(&t);
    at_arena_init(&a);
    OK(at_ledger_open(db, AT_LEDGER_READ, &l, &err));
    OK(at_ledger_rows(l, NULL, &rows, &n, &a, &err));
    for (size_t k = 0; k < n; k++)
        row_print(&rows[k], &t);
    assert_false(t.oom);
    at_ledger_close(l);
    at_arena_release(&a);
    return t;
}

/* A claim of the catalogue with cells of the test's own and no tables. */
static inline at_claim claim_with(const char *id, const at_cell *cells, int n)
{
    at_claim c = *at_claim_find(id);
    c.cells = cells;
    c.n_cells = n;
    c.n_tables = 0;
    return c;
}

#endif
