/* twin_full_f64.c: the decoder in f64, with all keys of every query; for test_near.c. */
#include <limits.h>
#define NEAR_LEAST       INT_MAX
#define NEAR_REACH(z, e) ((z) + (e))
#define WITHOUT_STAGES
#define ref_forward_f64        full_f64
#define ref_forward_f64_decode full_f64_decode
#define ref_forward_f64_recur  full_f64_recur
#include "../reference_f64.c"
