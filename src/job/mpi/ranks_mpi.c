/* ranks_mpi.c: attest_mpi.so, the only file that knows MPI.
 *
 * One collective is enough: a gather of parts of any size, in place. Counts and displacements of MPI are ints; a gather that
 * might exceed them goes rank by rank, in broadcasts of at most LARGE bytes. Errors come back as words. */
#include "../ranks_plugin.h"
#include "build_id.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#define LARGE ((size_t)1 << 25)

static int n, self;
static int *count, *place; /* (n) each */

static bool failed(int rc, const char *what, char why[RANKS_WHY])
{
    if (rc == MPI_SUCCESS)
        return false;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(rc, text, &length);
    snprintf(why, RANKS_WHY, "%s: %.200s", what, text);
    return true;
}

/* Open MPI ends the process with a page of its own when plain srun started it, before any handler of errors is asked. Processes
 * that srun started meet by a PMI; these are the words by which it, or mpirun, says that there is one. */
static bool has_meeting(char why[RANKS_WHY])
{
#ifdef OPEN_MPI
    static const char *const words[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMIX_NAMESPACE", "PMI_FD",
                                        "PMI_RANK"};
    bool any = !getenv("SLURM_STEP_NUM_TASKS");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        any = any || getenv(words[k]);
    if (!any)
        snprintf(why, RANKS_WHY,
                 "srun offers no PMI; start it by `srun --mpi=pmix` (`srun --mpi=list` names what there is) "
                 "or by mpirun, or set ATTEST_RANKS=1 to run alone");
    return any;
#else
    (void)why;
    return true;
#endif
}

static bool mpi_open(int *rank, int *ranks, char why[RANKS_WHY])
{
    int level;
    if (!has_meeting(why))
        return false;
    if (failed(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level), "MPI_Init_thread", why))
        return false;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (failed(MPI_Comm_rank(MPI_COMM_WORLD, &self), "MPI_Comm_rank", why) ||
        failed(MPI_Comm_size(MPI_COMM_WORLD, &n), "MPI_Comm_size", why))
        return false;
    count = calloc((size_t)n, sizeof *count);
    place = calloc((size_t)n, sizeof *place);
    if (!count || !place) {
        snprintf(why, RANKS_WHY, "out of memory");
        return false;
    }
    *rank = self;
    *ranks = n;
    return true;
}

static bool gather_large(char *data, const size_t *begin, char why[RANKS_WHY])
{
    for (int r = 0; r < n; r++)
        for (size_t at = begin[r], some; at < begin[r + 1]; at += some) {
            some = begin[r + 1] - at < LARGE ? begin[r + 1] - at : LARGE;
            if (failed(MPI_Bcast(data + at, (int)some, MPI_BYTE, r, MPI_COMM_WORLD), "MPI_Bcast", why))
                return false;
        }
    return true;
}

static bool mpi_gather(void *data, const size_t *begin, char why[RANKS_WHY])
{
    if (begin[n] > LARGE)
        return gather_large(data, begin, why);
    for (int r = 0; r < n; r++) {
        count[r] = (int)(begin[r + 1] - begin[r]);
        place[r] = (int)begin[r];
    }
    return !failed(
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, count, place, MPI_BYTE, MPI_COMM_WORLD),
        "MPI_Allgatherv", why);
}

static bool mpi_close(char why[RANKS_WHY])
{
    free(count);
    free(place);
    count = place = NULL;
    return !failed(MPI_Finalize(), "MPI_Finalize", why);
}

extern const ranks_plugin attest_ranks_plugin;
const ranks_plugin attest_ranks_plugin = {AT_BUILD_ID, mpi_open, mpi_gather, mpi_close};
