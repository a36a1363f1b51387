/* twin_blind_f64.c: the decoder in f64, wrong on purpose: the hull takes rounded scores for exact ones; for test_near.c. */
#define NEAR_LEAST       32
#define NEAR_REACH(z, e) ((void)(e), (z))
#define WITHOUT_STAGES
#define ref_forward_f64        blind_f64
#define ref_forward_f64_decode blind_f64_decode
#define ref_forward_f64_recur  blind_f64_recur
#include "../reference_f64.c"
