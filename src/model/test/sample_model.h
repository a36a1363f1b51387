/* sample_model.h: small random models over every kind, for tests. */
#ifndef ATTEST_SAMPLE_MODEL_H
#define ATTEST_SAMPLE_MODEL_H

#include <attest/model.h>

/* A valid model with random weights (floats when m->f32). Model `stream` is the same model for ever; the
 * kinds rotate with the stream, so that a few dozen streams meet every kind. */
at_status sample_random(at_model *m, uint64_t stream, at_err *err);
/* The least model there is: one token field of size 3, width 2, no blocks, two readout rows. */
at_status sample_tiny(at_model *m, at_err *err);
/* One block of attention over one token: what the tests of lying files start from. */
at_status sample_plain(at_model *m, at_err *err);

#endif
