/* rules.c: what the tasks of the catalogue ask, as text that a verifier can read (docs/certificates.md has the grammar).
 *
 * A task is C. A certificate must say what is right without it, so each task that has one gets its definition again, as a rule
 * over the input x[1..N] and the parameters: the answer at position i, or once for the whole input. That the two agree is what
 * every verification of a certificate shows anew. A task without a row here has no certificate. */
#include "cert_internal.h"

#include <string.h>

#define PARTNER2        "(x[i] + x[j]) mod M == 0"
#define PARTNER3        "(x[i] + x[j] + x[k]) mod M == 0"
#define DEPTH(FROM, TO) "(sum l in " FROM ".." TO ": 1 - 2 * (x[l] mod 2))"

static const struct {
    const char *task, *rule;
} rules[] = {
    {"match2", "any j in 1..N: " PARTNER2},
    {"match3", "any j in 1..N: any k in 1..N: " PARTNER3},
    {"match3-bigram", "any j in 1..N-1: (x[i] + x[j] + x[j+1]) mod M == 0"},
    {"match3-local", "any j in max(1, i-K)..min(N, i+K): any k in max(1, i-K)..min(N, i+K): " PARTNER3},
    {"max", "fold v = 0 for j in 1..N: max(v, x[j])"},
    {"majority", "2 * (sum j in 1..N: x[j]) > N"},
    {"parity", "(sum j in 1..N: x[j]) mod 2 == 1"},
    {"dyck",
     DEPTH("1", "N") " == 0"
                     " and (all m in 1..N: " DEPTH("1", "m") " >= 0 and (D == 0 or " DEPTH(
                         "1", "m") " <= D))"
                                   " and (all j in 1..N: x[j] mod 2 == 0 or any h in 1..j-1: x[h] == x[j] - 1"
                                   " and " DEPTH("h+1", "j-1") " == 0 and (all m in h+1..j-1: " DEPTH(
                                       "h+1", "m") " >= 0))"},
    {"shuffle-dyck", "all t in 0..k-1: (sum l in 1..N: (x[l] == 2*t) - (x[l] == 2*t+1)) == 0"
                     " and all m in 1..N: (sum l in 1..m: (x[l] == 2*t) - (x[l] == 2*t+1)) >= 0"},
    {"compose", "fold v = x[N] for t in 1..k: x[(t-1)*n + v + 1]"},
    {"triangle", "any j in 1..N: any k in 1..N: x[i,j] * x[j,k] * x[k,i] == 1"},
};

const char *cert_rule(const char *task)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i].task, task))
            return rules[i].rule;
    return NULL;
}
