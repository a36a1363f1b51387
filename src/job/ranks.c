/* ranks.c: how many we are, which one this is, and how we talk.
 *
 * A launcher (mpirun, srun) says in the environment that it has started several of us; without one we are alone, and nothing
 * here costs anything. Otherwise attest_mpi.so is loaded. When it is missing or sees other ranks than the launcher
 * started, that is a failure: several processes that each believe to be alone would write the same files.
 *
 * What a meeting needs is allocated when we meet for the first time, so that a rank that runs out of memory later can still
 * say so. */
#define _GNU_SOURCE
#include "job_internal.h"
#include "ranks_plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUM_MOST 64

typedef struct {
    int32_t status;
    int32_t stop;
    uint64_t same;
    char text[sizeof((at_err *)0)->text];
} note;

struct at_ranks {
    int rank, n;
    const ranks_plugin *plugin; /* NULL: alone, or apart */
    bool broken;                /* a collective failed: the others cannot be reached */
    note *notes;                /* (n) */
    size_t *begin;              /* (n + 1) */
    double *sums;               /* (n, SUM_MOST) */
};

/* ---- the launcher ----------------------------------------------------------------------------------------- */

/* Its words, the most certain first: mpirun inside a step of srun is mpirun's. */
static const struct {
    const char *ranks, *rank;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, /* mpirun of Open MPI */
    {"PMI_SIZE", "PMI_RANK"},                         /* mpiexec of MPICH, srun --mpi=pmi2 */
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},         /* srun */
};

static bool number_of(const char *name, int *out)
{
    const char *s = getenv(name);
    int64_t v;
    if (!s || !at_parse_i64(s, strlen(s), &v) || v < 0 || v > INT_MAX)
        return false;
    *out = (int)v;
    return true;
}

int at_ranks_started(int *rank)
{
    int n, unused;
    rank = rank ? rank : &unused;
    *rank = 0;
    if (number_of("ATTEST_RANKS", &n) && n == 1)
        return 1;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (number_of(launchers[i].ranks, &n) && number_of(launchers[i].rank, rank) && n > 0)
            return n;
    return number_of("PMIX_RANK", rank) ? 0 : 1;
}

/* ---- the plugin --------------------------------------------------------------------------------------------- */

/* Beside the executable, or where `make install` puts it; ATTEST_MPI names another place. */
static bool plugin_path(char out[PATH_MAX])
{
    static const char *const places[] = {"", "../lib/attest/"};
    const char *given = getenv("ATTEST_MPI");
    if (given && *given)
        return snprintf(out, PATH_MAX, "%s", given) < PATH_MAX;
    char exe[PATH_MAX];
    ssize_t k = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (k < 0)
        return false;
    exe[k] = 0;
    char *slash = strrchr(exe, '/');
    if (slash)
        slash[1] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(out, PATH_MAX, "%s%sattest_mpi.so", exe, places[i]) < PATH_MAX && !access(out, F_OK))
            return true;
    return snprintf(out, PATH_MAX, "%sattest_mpi.so", exe) < PATH_MAX;
}

static at_status plugin_load(const char *who, const ranks_plugin **out, at_err *err)
{
    char path[PATH_MAX];
    if (!plugin_path(path) || access(path, F_OK))
        return at_fail(err, AT_EREFUSED,
                       "%s, but %.200s is not there: build attest where MPI is, or set ATTEST_RANKS=1 to "
                       "run alone",
                       who, path);
    /* Global: parts of Open MPI that are loaded later look for its symbols. Never closed: MPI leaves things behind. */
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    const ranks_plugin *p = library ? dlsym(library, RANKS_PLUGIN_SYMBOL) : NULL;
    if (!p) {
        const char *why = dlerror();
        return at_fail(err, AT_EREFUSED, "%s, but MPI cannot be loaded: %.300s", who, why ? why : path);
    }
    if (strcmp(p->build, at_build_id()))
        return at_fail(err, AT_EREFUSED, "%s, but %.200s belongs to build %.16s, this is %s", who, path,
                       p->build, at_build_id());
    *out = p;
    return AT_OK;
}

static at_status ranks_meet(at_ranks *r, int rank, int n, at_err *err)
{
    char who[96] = "a launcher has started several ranks", why[RANKS_WHY];
    if (n)
        snprintf(who, sizeof who, "this is rank %d of %d", rank, n);
    const ranks_plugin *p;
    at_status s = plugin_load(who, &p, err);
    if (s)
        return s;
    if (!p->open(&r->rank, &r->n, why))
        return at_fail(err, AT_EREFUSED, "%s, but MPI does not start: %s", who, why);
    r->plugin = p;
    if (n && r->n != n)
        return at_fail(err, AT_EREFUSED,
                       "%s, but MPI sees %d: another MPI than the launcher's (srun needs --mpi=pmix)", who,
                       r->n);
    r->notes = at_calloc((size_t)r->n, sizeof *r->notes);
    r->begin = at_calloc((size_t)r->n + 1, sizeof *r->begin);
    r->sums = at_calloc((size_t)r->n, SUM_MOST * sizeof *r->sums);
    return r->notes && r->begin && r->sums ? AT_OK : at_oom(err);
}

static void ranks_free(at_ranks *r)
{
    at_free(r->notes);
    at_free(r->begin);
    at_free(r->sums);
    at_free(r);
}

at_status at_ranks_open(at_ranks **out, at_err *err)
{
    int rank, n = at_ranks_started(&rank);
    at_ranks *r = at_calloc(1, sizeof *r);
    if (!r)
        return at_oom(err);
    r->n = 1;
    at_status s = n == 1 ? AT_OK : ranks_meet(r, rank, n, err);
    if (s)
        ranks_free(r); /* MPI stays open: a process that leaves without closing it ends the others */
    else
        *out = r;
    return s;
}

at_status ranks_part(at_ranks *r, at_err *err)
{
    char why[RANKS_WHY];
    const ranks_plugin *p = r->plugin;
    r->plugin = NULL;
    return !p || p->close(why) ? AT_OK : at_fail(err, AT_EIO, "rank %d: %s", r->rank, why);
}

at_status at_ranks_close(at_ranks *r, at_status mine, at_err *err)
{
    if (!r)
        return mine;
    at_status s = at_ranks_agree(r, mine, NULL, 0, err);
    if (!r->broken) {
        at_status parted = ranks_part(r, err);
        s = s ? s : parted;
    }
    ranks_free(r);
    return s;
}

int at_ranks_rank(const at_ranks *r)
{
    return r->rank;
}

int at_ranks_count(const at_ranks *r)
{
    return r->n;
}

/* ---- talking -------------------------------------------------------------------------------------------------- */

at_status at_ranks_gather(at_ranks *r, void *data, const size_t *begin, at_err *err)
{
    char why[RANKS_WHY];
    if (r->n == 1)
        return AT_OK;
    if (!r->plugin)
        return at_fail(err, AT_EREFUSED, "rank %d: the ranks work apart and do not talk any more", r->rank);
    if (!r->broken && r->plugin->gather(data, begin, why))
        return AT_OK;
    at_status s = at_fail(err, AT_EIO, "rank %d: %s", r->rank, r->broken ? "the others are lost" : why);
    r->broken = true;
    return s;
}

at_status at_ranks_broadcast(at_ranks *r, void *data, size_t bytes, int from, at_err *err)
{
    if (r->n == 1)
        return AT_OK;
    for (int k = 0; k <= r->n; k++)
        r->begin[k] = k <= from ? 0 : bytes;
    return at_ranks_gather(r, data, r->begin, err);
}

at_status at_ranks_sum(at_ranks *r, double *x, size_t n, at_err *err)
{
    at_status s = AT_OK;
    if (r->n == 1)
        return s;
    for (size_t lo = 0, some; lo < n && !s; lo += some) {
        some = n - lo < SUM_MOST ? n - lo : SUM_MOST;
        for (int k = 0; k <= r->n; k++)
            r->begin[k] = (size_t)k * some * sizeof *x;
        memcpy(r->sums + (size_t)r->rank * some, x + lo, some * sizeof *x);
        s = at_ranks_gather(r, r->sums, r->begin, err);
        for (size_t i = 0; i < some && !s; i++) {
            x[lo + i] = r->sums[i];
            for (int k = 1; k < r->n; k++)
                x[lo + i] += r->sums[(size_t)k * some + i];
        }
    }
    return s;
}

at_status at_ranks_agree(at_ranks *r, at_status mine, bool *stop, uint64_t same, at_err *err)
{
    if (!r->plugin) /* alone, or apart: nobody to ask */
        return mine;
    note *me = &r->notes[r->rank];
    *me = (note){.status = (int32_t)mine, .stop = stop && *stop, .same = same};
    if (mine)
        snprintf(me->text, sizeof me->text, "%s", err && err->code ? err->text : "failed");
    for (int k = 0; k <= r->n; k++)
        r->begin[k] = (size_t)k * sizeof *me;
    at_status s = at_ranks_gather(r, r->notes, r->begin, err);
    if (s)
        return mine ? mine : s;
    for (int k = 0; k < r->n; k++) {
        if (stop)
            *stop = *stop || r->notes[k].stop;
        if (!s && r->notes[k].status)
            s = at_fail(err, (at_status)r->notes[k].status, "rank %d: %.480s", k, r->notes[k].text);
    }
    for (int k = 1; k < r->n && !s; k++)
        if (r->notes[k].same != r->notes[0].same)
            s = at_fail(err, AT_EINPUT,
                        "ranks 0 and %d were given different work, or run different instruction sets", k);
    return s;
}

static at_status training_gather(void *ctx, void *data, const size_t *begin, at_err *err)
{
    return at_ranks_gather(ctx, data, begin, err);
}

static at_status training_agree(void *ctx, at_status mine, bool *stop, uint64_t same, at_err *err)
{
    return at_ranks_agree(ctx, mine, stop, same, err);
}

at_train_ranks at_ranks_training(at_ranks *r)
{
    return (at_train_ranks){r->rank, r->n, training_gather, training_agree, r};
}
