/* twin_hasty_f32.c: the decoder in f32, wrong on purpose: the hull stops where weights are small, not 0; for test_near.c. */
#define NEAR_LEAST       32
#define NEAR_REACH(z, e) ((z) / 4 + 2 * (e))
#define WITHOUT_STAGES
#define ref_forward_f32        hasty_f32
#define ref_forward_f32_decode hasty_f32_decode
#define ref_forward_f32_recur  hasty_f32_recur
#include "../reference_f32.c"
