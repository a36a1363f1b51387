/* twin_dense_f64.c: the reference and the decoder in f64, with every weight and every input, zeros too; for test_sparse.c. */
#define WEIGHT_COUNTS(w)     ((void)(w), 1)
#define WEIGHT_NEXT(w, i, n) (i)
#define INPUT_COUNTS(x)      ((void)(x), 1)
#define WITHOUT_STAGES
#define ref_forward_f64        dense_f64
#define ref_forward_f64_decode dense_f64_decode
#define ref_forward_f64_recur  dense_f64_recur
#include "../reference_f64.c"
