/* version.c: what this build is. The id changes with every source file, so that verdicts of older code are
 * never served again. */
#include <attest/job.h>

#include "build_id.h"

const char *at_version(void)
{
    return AT_VERSION;
}

const char *at_build_id(void)
{
    return AT_BUILD_ID;
}
