/* keep.c: what a problem was read from. */
#include <attest/lang.h>

at_status at_problem_keep(at_problem *p, const char *text, size_t n, at_err *err)
{
    char *digest = at_new(&p->arena, char, 65);
    if (!digest)
        return at_oom(err);
    at_sha256(text, n, digest);
    p->digest = digest;
    return AT_OK;
}
