/* twin_kept_pbit.c: the reference and the decoder in pbit, with every input, zeros too; for test_sparse.c. */
#define WEIGHT_COUNTS(w)     ((w) != 0)
#define WEIGHT_NEXT(w, i, n) (i)
#define INPUT_COUNTS(x)      ((void)(x), 1)
#define WITHOUT_STAGES
#define ref_forward_pbit        kept_pbit
#define ref_forward_pbit_decode kept_pbit_decode
#define ref_forward_pbit_recur  kept_pbit_recur
#include "../reference_pbit.c"
