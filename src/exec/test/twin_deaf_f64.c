/* twin_deaf_f64.c: the reference and the decoder in f64, wrong on purpose: small weights are skipped; for test_sparse.c. */
#define WEIGHT_COUNTS(w)     ((w) > 0.01 || (w) < -0.01)
#define WEIGHT_NEXT(w, i, n) (i)
#define INPUT_COUNTS(x)      ((x) != 0)
#define WITHOUT_STAGES
#define ref_forward_f64        deaf_f64
#define ref_forward_f64_decode deaf_f64_decode
#define ref_forward_f64_recur  deaf_f64_recur
#include "../reference_f64.c"
