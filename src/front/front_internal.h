/* front_internal.h: what the files of this module share. */
#ifndef ATTEST_FRONT_INTERNAL_H
#define ATTEST_FRONT_INTERNAL_H

#include <attest/front.h>

bool at_is_file(const char *name); /* it has a dot or a slash */
/* The problem of a name, or where l is not NULL the file of that name in language l. */
at_status at_problem_read(const char *name, const at_lang *l, at_problem **out, at_err *err);

#endif
