/* learn_internal.h: what the files of learn share. */
#ifndef ATTEST_LEARN_INTERNAL_H
#define ATTEST_LEARN_INTERNAL_H

#include <attest/learn.h>

#define LESSON_BATCH_MOST 65536

/* Does the model write tokens, and are its words the source's? */
at_status learn_fits(const at_model *m, const at_source *d, at_err *err);

#endif
