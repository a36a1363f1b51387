/* spread_folder.c: the folder DB.ranks, from outside: does somebody live there, and what did they leave?
 *
 * A merge may be interrupted anywhere: a row is put whole or not at all, the same row may be put again, and nothing is
 * removed before everything is in DB. */
#define _GNU_SOURCE
#include "job_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

at_status folder_of(const char *db, folder *f, at_err *err)
{
    if (snprintf(f->db, sizeof f->db, "%s", db) >= (int)sizeof f->db)
        return at_fail(err, AT_EINPUT, "the ledger's path has more than %zu bytes", sizeof f->db - 1);
    snprintf(f->path, sizeof f->path, "%s.ranks", f->db);
    return AT_OK;
}

void folder_entry(const folder *f, const char *name, size_t number, char out[FOLDER_PATH])
{
    snprintf(out, FOLDER_PATH, "%s/%s-%zu", f->path, name, number);
}

void folder_wait(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

/* Calls fn for every entry; an absent folder has none. */
typedef at_status entry_fn(void *ctx, const folder *f, const char *name, at_err *err);
static at_status folder_each(const folder *f, entry_fn *fn, void *ctx, at_err *err)
{
    DIR *d = opendir(f->path);
    if (!d)
        return errno == ENOENT ? AT_OK : at_fail(err, AT_EIO, "%s: %s", f->path, strerror(errno));
    at_status s = AT_OK;
    struct dirent *e;
    while (!s && (errno = 0, e = readdir(d)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            s = fn(ctx, f, e->d_name, err);
    if (!s && errno)
        s = at_fail(err, AT_EIO, "%s: %s", f->path, strerror(errno));
    closedir(d);
    return s;
}

/* ---- listening ------------------------------------------------------------------------------------------------------ */

/* A number that changes with every beat of anyone. */
static at_status beat_add(void *ctx, const folder *f, const char *name, at_err *err)
{
    (void)err;
    char path[FOLDER_PATH + 256];
    struct stat st;
    uint64_t *sum = ctx;
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    if (!strncmp(name, "beat-", 5) && stat(path, &st) == 0)
        *sum += 1 + at_hash64(&st.st_mtim, sizeof st.st_mtim, at_hash64(name, strlen(name), 0));
    return AT_OK;
}

static at_status folder_lives(const folder *f, double seconds, bool *lives, at_err *err)
{
    uint64_t before = 0, after = 0;
    at_status s = folder_each(f, beat_add, &before, err);
    for (double until = at_now() + seconds; !s && before && after == 0 && at_now() < until;) {
        folder_wait(seconds / 8);
        uint64_t sum = 0;
        s = folder_each(f, beat_add, &sum, err);
        after = sum == before ? 0 : 1;
    }
    *lives = after != 0;
    return s;
}

/* ---- merging ---------------------------------------------------------------------------------------------------------- */

/* Puts a row that DB lacks or has in an older state; its date goes with it. */
static at_status row_merge(at_ledger *to, const at_row *row, at_arena *a, at_err *err)
{
    at_mark mark = at_arena_mark(a);
    at_row *there;
    at_status s = at_ledger_find(to, &row->key, &there, a, err);
    if (!s && (!there || strcmp(there->rec.when, row->rec.when) < 0))
        s = at_ledger_put(to, &row->key, &row->rec, err);
    at_arena_reset(a, mark);
    return s;
}

static at_status ledger_merge(void *ctx, const folder *f, const char *name, at_err *err)
{
    char path[FOLDER_PATH + 256];
    int64_t rank;
    if (strncmp(name, "ledger-", 7) || !at_parse_i64(name + 7, strlen(name + 7), &rank))
        return AT_OK; /* also SQLite's side files, and copies that were not finished */
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    at_ledger *from;
    at_row *rows;
    size_t n;
    at_arena a;
    at_arena_init(&a);
    at_status s = at_ledger_open(path, AT_LEDGER_READ, &from, err);
    if (!s) {
        s = at_ledger_rows(from, NULL, &rows, &n, &a, err);
        for (size_t i = 0; i < n && !s; i++)
            s = row_merge(ctx, &rows[i], &a, err);
        at_ledger_close(from);
    }
    at_arena_release(&a);
    return s;
}

at_status folder_merge(const folder *f, at_err *err)
{
    at_ledger *to;
    at_status s = at_ledger_open(f->db, AT_LEDGER_WRITE, &to, err);
    if (s)
        return s;
    s = folder_each(f, ledger_merge, to, err);
    at_ledger_close(to);
    return s;
}

static at_status entry_remove(void *ctx, const folder *f, const char *name, at_err *err)
{
    (void)ctx;
    static const char *const ours[] = {"ledger-", "beat-", "cell-", "done-", "closed-"};
    char path[FOLDER_PATH + 256];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!strncmp(name, ours[i], strlen(ours[i])))
            return !unlink(path) || errno == ENOENT ? AT_OK
                                                    : at_fail(err, AT_EIO, "%s: %s", path, strerror(errno));
    return AT_OK; /* not ours: the folder stays, and rmdir says so */
}

at_status folder_remove(const folder *f, at_err *err)
{
    at_status s = folder_each(f, entry_remove, NULL, err);
    if (!s && rmdir(f->path) && errno != ENOENT)
        s = at_fail(err, AT_EIO, "%s: %s", f->path, strerror(errno));
    return s;
}

at_status folder_clear(const folder *f, double seconds, at_err *err)
{
    bool lives = false;
    if (access(f->path, F_OK))
        return AT_OK;
    at_status s = folder_lives(f, seconds, &lives, err);
    if (!s && lives)
        s = at_fail(err, AT_EIO, "%s: another run is at work on this ledger", f->path);
    if (!s)
        s = folder_merge(f, err);
    return s ? s : folder_remove(f, err);
}
