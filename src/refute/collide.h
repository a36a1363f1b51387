/* collide.h: at_collide with what its tests want to change. */
#ifndef ATTEST_COLLIDE_H
#define ATTEST_COLLIDE_H

#include <attest/refute.h>

/* Fingerprints and-ed with `mask`: with few bits left, different states agree. at_collide keeps all of them. */
at_status at_collide_masked(const at_collide_job *job, const at_refute_env *env, uint64_t mask,
                            at_collision *out, at_err *err);

#endif
