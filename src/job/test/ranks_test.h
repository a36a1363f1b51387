/* ranks_test.h: tests that start themselves again under mpirun. A test program that is called with arguments is one rank:
 *
 *     int main(int argc, char **argv)
 *     {
 *         if (argc > 1)
 *             return rank_main(argc, argv);
 *         ...
 */
#ifndef ATTEST_RANKS_TEST_H
#define ATTEST_RANKS_TEST_H

#include "job_test.h"

/* talk | open | train FILE SLOTS WHAT RANK | spread DB CELLS LOG SILENCE HOW RANK WHEN (see ranks_test.c); the exit code. */
int rank_main(int argc, char **argv);

/* Is there an mpirun, and the plugin? Otherwise the tests that need them are skipped. */
bool ranks_ready(void);
/* Runs `mpirun OPTIONS -n RANKS this-program WORDS`, or the program alone with 0 ranks, under `env` settings; the exit
 * code, -signal when it was killed. What was said is in *said (to be freed with free) unless that is NULL. */
int ranks_call(int ranks, const char *env, const char *options, const char *words, char **said);

#endif
