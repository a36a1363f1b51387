/* twin_dense_f32.c: the reference and the decoder in f32, with every weight and every input, zeros too; for test_sparse.c. */
#define WEIGHT_COUNTS(w)     ((void)(w), 1)
#define WEIGHT_NEXT(w, i, n) (i)
#define INPUT_COUNTS(x)      ((void)(x), 1)
#define WITHOUT_STAGES
#define ref_forward_f32        dense_f32
#define ref_forward_f32_decode dense_f32_decode
#define ref_forward_f32_recur  dense_f32_recur
#include "../reference_f32.c"
