/* job_internal.h: what the files of this module share. */
#ifndef ATTEST_JOB_INTERNAL_H
#define ATTEST_JOB_INTERNAL_H

#include <attest/job.h>

/* One cell on its way from the catalogue to the ledger. */
typedef struct {
    const at_claim *claim;
    const at_cell *cell;         /* NULL for a table */
    at_cell asked;               /* the cell as the job wants it */
    const at_claim_table *table; /* NULL for a cell */
    at_sweep sweep;              /* a cell's parameters, with control and --set applied */
    const at_job *job;
    at_arena *arena;
    at_cell_key key;
    at_record rec;
    const char *idle; /* NULL, or why a control is not asked */
    char *counterexample;
} unit;

/* Pieces of a cell in the ledger: read once, written as they finish. */
typedef struct {
    at_ledger *ledger; /* NULL: nothing is kept */
    const at_cell_key *key;
    at_arena *arena;
    size_t n, cap;
    uint64_t *index;
    char **payload;
} shelf;
at_status shelf_load(shelf *s, at_err *err);
const char *shelf_find(const shelf *s, uint64_t piece); /* NULL: not there */
at_status shelf_put(shelf *s, uint64_t piece, const char *payload, at_err *err);

at_status detail_finish(unit *u, const at_finding *f, at_err *err); /* becomes the record's detail */
/* The verdict, the model's size and the counterexample, into the record. m: NULL of a limit; point: the one the model is of, when
 * the cell has many. */
at_status detail_verdict(unit *u, const at_model *m, const at_params *point, at_arith a, const at_verdict *v,
                         at_err *err);

/* grid_problem.c: the rows of every size of a problem, handed to `add` with its task and the hash of its file. */
typedef at_status grid_point(void *ctx, const at_grid_task *t, at_source *d, const char *stamp, at_err *err);
at_status grid_problem(const at_grid *g, const char *name, at_arena *arena, grid_point *add, void *ctx,
                       at_err *err);

at_status unit_check(unit *u, at_err *err); /* an exact, certified or sampled cell */
at_status unit_table(unit *u, at_err *err); /* a table of numbers */

/* ---- ranks */

/* The last word between the ranks; from now on they are apart. */
at_status ranks_part(at_ranks *r, at_err *err);

/* The folder DB.ranks of a job that is spread over ranks; spread.c says what is in it. */
enum { FOLDER_PATH = 4096 };
typedef struct {
    char db[FOLDER_PATH - 128], path[FOLDER_PATH - 64];
} folder;
at_status folder_of(const char *db, folder *f, at_err *err);
/* path of FOLDER/NAME-NUMBER */
void folder_entry(const folder *f, const char *name, size_t number, char out[FOLDER_PATH]);
at_status folder_merge(const folder *f, at_err *err);  /* every rank's ledger into DB */
at_status folder_remove(const folder *f, at_err *err); /* no folder: AT_OK */
/* Both, when there is a folder and nobody lives in it: listens for `seconds`. */
at_status folder_clear(const folder *f, double seconds, at_err *err);
void folder_wait(double seconds);

#endif
