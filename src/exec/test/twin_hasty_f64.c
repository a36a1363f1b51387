/* twin_hasty_f64.c: the decoder in f64, wrong on purpose: the hull stops where weights are small, not 0; for test_near.c. */
#define NEAR_LEAST       32
#define NEAR_REACH(z, e) ((z) / 4 + 2 * (e))
#define WITHOUT_STAGES
#define ref_forward_f64        hasty_f64
#define ref_forward_f64_decode hasty_f64_decode
#define ref_forward_f64_recur  hasty_f64_recur
#include "../reference_f64.c"
