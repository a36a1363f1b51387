/* learn_internal.h: what the files of learn share. */
#ifndef ATTEST_LEARN_INTERNAL_H
#define ATTEST_LEARN_INTERNAL_H

#include <attest/learn.h>

#define LESSON_BATCH_MOST 65536

#endif
