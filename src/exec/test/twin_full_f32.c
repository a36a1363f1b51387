/* twin_full_f32.c: the decoder in f32, with all keys of every query; for test_near.c. */
#include <limits.h>
#define NEAR_LEAST       INT_MAX
#define NEAR_REACH(z, e) ((z) + (e))
#define WITHOUT_STAGES
#define ref_forward_f32        full_f32
#define ref_forward_f32_decode full_f32_decode
#define ref_forward_f32_recur  full_f32_recur
#include "../reference_f32.c"
