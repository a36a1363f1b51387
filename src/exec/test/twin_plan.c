/* twin_plan.c: the plan of the fast executor with dense matrices; for test_sparse.c. */
#define FAST_COMPRESSES(nonzero, all) ((void)(nonzero), (void)(all), false)
#define fast_plan                     dense_plan
#define fast_mask_run                 dense_mask_run
#include "../fast_plan.c"
