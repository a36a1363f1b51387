/* twin_blind_f32.c: the decoder in f32, wrong on purpose: the hull takes rounded scores for exact ones; for test_near.c. */
#define NEAR_LEAST       32
#define NEAR_REACH(z, e) ((void)(e), (z))
#define WITHOUT_STAGES
#define ref_forward_f32        blind_f32
#define ref_forward_f32_decode blind_f32_decode
#define ref_forward_f32_recur  blind_f32_recur
#include "../reference_f32.c"
