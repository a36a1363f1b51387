/* twin_dense_pbit.c: the reference and the decoder in pbit, with every weight and every input, zeros too; for test_sparse.c. */
#define WEIGHT_COUNTS(w)     ((void)(w), 1)
#define WEIGHT_NEXT(w, i, n) (i)
#define INPUT_COUNTS(x)      ((void)(x), 1)
#define WITHOUT_STAGES
#define ref_forward_pbit        dense_pbit
#define ref_forward_pbit_decode dense_pbit_decode
#define ref_forward_pbit_recur  dense_pbit_recur
#include "../reference_pbit.c"
