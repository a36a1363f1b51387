/* spread.c: independent cells, handed out over a shared folder.
 *
 * Ranks that work on cells do not talk: with MPI the death of one would be the death of all. What they share is a
 * folder DB.ranks beside the ledger, with files that are made by calls which are atomic on network file systems, too:
 *
 *     ledger-R     rank R's own ledger; nobody else opens it while R lives, so SQLite's locks never cross machines
 *     beat-R       touched by a thread of R as long as it lives
 *     cell-K.G     a symbolic link to "R": R has taken cell K, after G others that died over it
 *     done-K       cell K is finished
 *     closed-R     R has left in order
 *
 * Invariants: a link is made by one rank only, and it is there whole or not at all; done-K is made after the verdict is on
 * disk; the folder is removed after everything in it was merged. Whether a rank lives is told by changes of its beat on the
 * listener's own clock: clocks of machines are never compared. A wrong guess costs a cell done twice. */
#define _GNU_SOURCE
#include "job_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SILENCE      30.0 /* seconds */
#define BEATS        30   /* a beat is silence / BEATS */
#define LISTEN_BEATS 3.5  /* to tell that nobody lives in a folder */
#define LEDGER_MOST  (SIZE_MAX / 4)

typedef struct {
    struct timespec beat; /* the last one seen */
    double when;          /* on our clock; 0: never looked */
} watch;

struct at_spread {
    int rank, n;
    folder at;
    at_ledger *ledger;
    double silence, beat;
    size_t cells;
    pthread_mutex_t hand; /* of what follows: several threads may ask */
    size_t cursor;        /* cells below it are taken by someone */
    bool given_up;        /* a cell failed: this rank takes no more */
    uint8_t *done;        /* (cells) known to be finished, or given up */
    watch *watch;         /* (n) */
    pthread_t heart;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool beating, stop;
    int beat_fd;
};

/* ---- the heart -------------------------------------------------------------------------------------------------- */

static void *heart_run(void *arg)
{
    at_spread *w = arg;
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        futimens(w->beat_fd, NULL);
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        double next = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec + w->beat;
        t.tv_sec = (time_t)next;
        t.tv_nsec = (long)((next - (double)t.tv_sec) * 1e9);
        pthread_cond_timedwait(&w->wake, &w->lock, &t);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static at_status heart_start(at_spread *w, at_err *err)
{
    char path[FOLDER_PATH];
    folder_entry(&w->at, "beat", (size_t)w->rank, path);
    w->beat_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (w->beat_fd < 0)
        return at_fail(err, AT_EIO, "%s: %s", path, strerror(errno));
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, &clock);
    pthread_condattr_destroy(&clock);
    int rc = pthread_create(&w->heart, NULL, heart_run, w);
    w->beating = rc == 0;
    return rc ? at_fail(err, AT_ENOMEM, "no thread: %s", strerror(rc)) : AT_OK;
}

static void heart_stop(at_spread *w)
{
    if (w->beating) {
        pthread_mutex_lock(&w->lock);
        w->stop = true;
        pthread_cond_signal(&w->wake);
        pthread_mutex_unlock(&w->lock);
        pthread_join(w->heart, NULL);
    }
    if (w->beat_fd >= 0) {
        close(w->beat_fd);
        pthread_cond_destroy(&w->wake);
        pthread_mutex_destroy(&w->lock);
    }
}

/* ---- the others --------------------------------------------------------------------------------------------------- */

static bool entry_is(const at_spread *w, const char *name, size_t number)
{
    char path[FOLDER_PATH];
    struct stat st;
    folder_entry(&w->at, name, number, path);
    return lstat(path, &st) == 0;
}

static bool is_silent(at_spread *w, int rank)
{
    char path[FOLDER_PATH];
    struct stat st = {0};
    if (rank == w->rank)
        return false;
    folder_entry(&w->at, "beat", (size_t)rank, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC); /* opening asks the server, stat may answer from a cache */
    if (fd >= 0) {
        if (fstat(fd, &st))
            st = (struct stat){0};
        close(fd);
    }
    watch *o = &w->watch[rank];
    double now = at_now();
    if (o->when == 0 || st.st_mtim.tv_sec != o->beat.tv_sec || st.st_mtim.tv_nsec != o->beat.tv_nsec)
        *o = (watch){st.st_mtim, now};
    return now - o->when > w->silence;
}

/* Makes a link to our rank; *made is false when it is there already. */
static at_status link_make(const at_spread *w, const char *path, bool *made, at_err *err)
{
    char me[16];
    snprintf(me, sizeof me, "%d", w->rank);
    *made = symlink(me, path) == 0;
    return *made || errno == EEXIST ? AT_OK : at_fail(err, AT_EIO, "%s: %s", path, strerror(errno));
}

static void cell_path(const at_spread *w, size_t k, int g, char out[FOLDER_PATH])
{
    snprintf(out, FOLDER_PATH, "%s/cell-%zu.%d", w->at.path, k, g);
}

/* Takes cell k when nobody has it, or when all who took it are dead. *gone: its owner left in order, without it. */
static at_status cell_take(at_spread *w, size_t k, bool *mine, bool *gone, at_err *err)
{
    char path[FOLDER_PATH], owner[16];
    *mine = *gone = false;
    for (int g = 0; g <= w->n; g++) {
        cell_path(w, k, g, path);
        at_status s = link_make(w, path, mine, err);
        if (s || *mine)
            return s;
        ssize_t len = readlink(path, owner, sizeof owner);
        int64_t r;
        if (len < 0 || !at_parse_i64(owner, (size_t)len, &r) || r < 0 || r >= w->n)
            return at_fail(err, AT_EIO, "%s is no link to a rank", path);
        *gone = entry_is(w, "closed", (size_t)r);
        if (*gone || !is_silent(w, (int)r))
            return AT_OK;
    }
    return AT_OK;
}

/* ---- handing out ---------------------------------------------------------------------------------------------------- */

/* Cells that nobody has touched yet. */
static at_status fresh_take(at_spread *w, size_t *cell, bool *mine, at_err *err)
{
    while (!*mine && w->cursor < w->cells) {
        char path[FOLDER_PATH];
        cell_path(w, w->cursor, 0, path);
        at_status s = AT_OK;
        if (w->n == 1)
            *mine = true;
        else
            s = link_make(w, path, mine, err);
        if (s)
            return s;
        if (*mine)
            *cell = w->cursor;
        w->cursor++;
    }
    return AT_OK;
}

/* Cells whose ranks died. *left: some are still under way. */
static at_status orphan_take(at_spread *w, size_t *cell, bool *mine, bool *left, at_err *err)
{
    for (size_t k = 0; k < w->cells && !*mine; k++) {
        bool gone = false;
        if (w->done[k] || (w->done[k] = entry_is(w, "done", k)))
            continue;
        at_status s = cell_take(w, k, mine, &gone, err);
        if (s)
            return s;
        if (*mine)
            *cell = k;
        else if (gone) /* it may have been finished just before */
            w->done[k] = true;
        else
            *left = true;
    }
    return AT_OK;
}

at_status at_spread_next(at_spread *w, size_t *cell, at_err *err)
{
    for (;;) {
        bool mine = false, left = false;
        at_status s = AT_OK;
        if (at_cancel_pending())
            return at_fail(err, AT_ECANCEL, "interrupted; the next run goes on from here");
        pthread_mutex_lock(&w->hand);
        *cell = w->cells;
        if (!w->given_up)
            s = fresh_take(w, cell, &mine, err);
        if (!s && !mine && !w->given_up && w->n > 1)
            s = orphan_take(w, cell, &mine, &left, err);
        pthread_mutex_unlock(&w->hand);
        if (s || mine || !left)
            return s;
        folder_wait(w->beat);
    }
}

at_status at_spread_done(at_spread *w, size_t cell, bool finished, at_err *err)
{
    char path[FOLDER_PATH];
    bool made;
    at_status s = AT_OK;
    pthread_mutex_lock(&w->hand);
    folder_entry(&w->at, "done", cell, path);
    if (finished && w->n > 1)
        s = link_make(w, path, &made, err);
    w->done[cell] = finished;
    w->given_up = w->given_up || !finished;
    pthread_mutex_unlock(&w->hand);
    return s;
}

/* ---- opening and closing ---------------------------------------------------------------------------------------------- */

/* What rank 0 does before the others come: leftovers into DB, and an empty folder. */
static at_status ground_prepare(at_spread *w, at_err *err)
{
    at_status s = folder_clear(&w->at, LISTEN_BEATS * w->beat, err);
    at_ledger *l = NULL;
    if (!s && !(s = at_ledger_open(w->at.db, AT_LEDGER_WRITE, &l, err)))
        at_ledger_close(l); /* a single file now, and there */
    if (!s && mkdir(w->at.path, 0777))
        s = at_fail(err, AT_EIO, "%s: %s%s", w->at.path, strerror(errno),
                    errno == EEXIST ? "; another run is at work on this ledger" : "");
    return s;
}

static at_status rank_prepare(at_spread *w, at_err *err)
{
    char path[FOLDER_PATH], *all;
    size_t size;
    at_status s = at_file_read(w->at.db, LEDGER_MOST, &all, &size, err);
    if (s)
        return s;
    folder_entry(&w->at, "ledger", (size_t)w->rank, path);
    s = at_file_write(path, all, size, err);
    at_free(all);
    if (!s)
        s = at_ledger_open(path, AT_LEDGER_WRITE, &w->ledger, err);
    return s ? s : heart_start(w, err);
}

static void spread_free(at_spread *w)
{
    heart_stop(w);
    at_ledger_close(w->ledger);
    pthread_mutex_destroy(&w->hand);
    at_free(w->done);
    at_free(w->watch);
    at_free(w);
}

static at_status spread_make(at_ranks *r, const char *db, size_t cells, double silence, at_spread **out,
                             at_err *err)
{
    at_spread *w = at_calloc(1, sizeof *w);
    if (!w)
        return at_oom(err);
    *w = (at_spread){.rank = at_ranks_rank(r), .n = at_ranks_count(r), .cells = cells, .beat_fd = -1};
    w->silence = silence > 0 ? silence : SILENCE;
    w->beat = w->silence / BEATS;
    pthread_mutex_init(&w->hand, NULL);
    w->done = at_calloc(cells ? cells : 1, 1);
    w->watch = at_calloc((size_t)w->n, sizeof *w->watch);
    at_status s = w->done && w->watch ? folder_of(db, &w->at, err) : at_oom(err);
    if (s)
        spread_free(w);
    else
        *out = w;
    return s;
}

at_status at_spread_open(at_ranks *r, const char *db, size_t cells, double silence, at_spread **out,
                         at_err *err)
{
    at_spread *w = NULL;
    bool alone = at_ranks_count(r) == 1;
    at_status s = spread_make(r, db, cells, silence, &w, err);
    if (!s && alone && !(s = folder_clear(&w->at, LISTEN_BEATS * w->beat, err)))
        s = at_ledger_open(db, AT_LEDGER_WRITE, &w->ledger, err);
    if (!s && !alone && w->rank == 0)
        s = ground_prepare(w, err);
    bool made = !s && !alone && w->rank == 0;
    s = at_ranks_agree(r, s, NULL, cells, err);
    if (!s && !alone)
        s = rank_prepare(w, err);
    s = at_ranks_agree(r, s, NULL, 0, err);
    if (!s)
        s = ranks_part(r, err);
    if (s && w)
        spread_free(w);
    if (s && made) {
        folder f;
        if (!folder_of(db, &f, NULL))
            folder_remove(&f, NULL);
    }
    if (!s)
        *out = w;
    return s;
}

at_status at_spread_merge(const char *db, at_err *err)
{
    folder f;
    at_status s = folder_of(db, &f, err);
    return s ? s : folder_clear(&f, LISTEN_BEATS * SILENCE / BEATS, err);
}

at_ledger *at_spread_ledger(at_spread *w)
{
    return w->ledger;
}

/* Has every other rank left, in order or not? */
static bool all_left(at_spread *w)
{
    bool left = true;
    for (int r = 0; r < w->n; r++)
        left = (r == w->rank || entry_is(w, "closed", (size_t)r) || is_silent(w, r)) && left;
    return left;
}

/* Nobody leaves before all is merged: a launcher may end the others when one ends badly. */
static at_status crew_close(at_spread *w, at_err *err)
{
    char path[FOLDER_PATH];
    bool made;
    folder_entry(&w->at, "closed", (size_t)w->rank, path);
    at_status s = link_make(w, path, &made, err);
    while (!s && !at_cancel_pending() &&
           (w->rank == 0 ? !all_left(w) : access(w->at.path, F_OK) == 0 && !is_silent(w, 0)))
        folder_wait(w->beat);
    if (!s && !at_cancel_pending() && w->rank == 0 && !(s = folder_merge(&w->at, err)))
        s = folder_remove(&w->at, err);
    return s;
}

at_status at_spread_close(at_spread *w, at_status mine, at_err *err)
{
    if (!w)
        return mine;
    at_ledger_close(w->ledger);
    w->ledger = NULL;
    at_status s = w->n > 1 ? crew_close(w, err) : AT_OK;
    spread_free(w);
    return mine ? mine : s;
}
