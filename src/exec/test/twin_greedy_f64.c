/* twin_greedy_f64.c: the reference and the decoder in f64, wrong on purpose: inputs below 0 are skipped; for test_sparse.c. */
#define WEIGHT_COUNTS(w)     ((w) != 0)
#define WEIGHT_NEXT(w, i, n) (i)
#define INPUT_COUNTS(x)      ((x) > 0)
#define WITHOUT_STAGES
#define ref_forward_f64        greedy_f64
#define ref_forward_f64_decode greedy_f64_decode
#define ref_forward_f64_recur  greedy_f64_recur
#include "../reference_f64.c"
