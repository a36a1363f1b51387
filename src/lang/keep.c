/* keep.c: what a problem was read from. */
#include <attest/lang.h>

at_status at_problem_keep(at_problem *p, const char *text, size_t n, at_err *err)
{
    char *digest = at_new(&p->arena, char, 65);
    if (!digest)
        return at_oom(err);
    at_text both; /* another alphabet is another problem, which no file holds */
    at_text_init(&both);
    if (p->alphabet)
        at_text_addf(&both, "alphabet %s\n", p->alphabet);
    at_text_addn(&both, text, n);
    if (!both.oom)
        at_sha256(both.s, both.n, digest);
    p->digest = digest;
    at_status s = both.oom ? at_oom(err) : AT_OK;
    at_text_release(&both);
    return s;
}
