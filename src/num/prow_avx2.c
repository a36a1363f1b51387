/* prow_avx2.c: rows of p-bit operations (prow.inc) compiled for AVX2; called only where prow.c finds it. */

#if defined(__AVX2__)
#define ROW(name) at_p_row_##name##_avx2
#include "prow.inc"
#endif
