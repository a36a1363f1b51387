/* combine.c: combinations, and the colexicographic order of k-subsets of 1..n.
 *
 * The rank of e_1 < ... < e_k is C(e_1 - 1, 1) + ... + C(e_k - 1, k). It does not depend on n: the
 * subsets of 1..n are the first C(n,k) ranks, so a table for n is a prefix of the table for n + 1. */
#include <assert.h>
#include <limits.h>

#include "model_internal.h"

int64_t at_choose(int64_t n, int k)
{
    if (k < 0 || n < k)
        return 0;
    if (k > n - k)
        k = (int)(n - k);
    /* After step i, c = C(n-k+i, i), which never falls; since k <= n-k it is at least 2^i, so the loop
     * saturates within 63 steps. */
    int64_t c = 1;
    for (int i = 1; i <= k; i++) {
        __int128 next = (__int128)c * (n - k + i) / i;
        if (next >= INT64_MAX)
            return INT64_MAX;
        c = (int64_t)next;
    }
    return c;
}

int64_t at_subset_rank(const double *elements, int k)
{
    int64_t rank = 0;
    for (int a = 0; a < k; a++) {
        int place = 1; /* of this element in ascending order */
        for (int b = 0; b < k; b++)
            place += elements[b] < elements[a];
        rank += at_choose((int64_t)elements[a] - 1, place);
    }
    return rank;
}

void at_subset_unrank(int64_t rank, int k, int *elements)
{
    assert(rank >= 0);
    for (int i = k; i >= 1; i--) {
        /* The largest e with C(e, i) <= rank lies in [lo, hi). */
        int64_t lo = i - 1, hi = INT_MAX;
        while (hi - lo > 1) {
            int64_t mid = lo + (hi - lo) / 2;
            if (at_choose(mid, i) <= rank)
                lo = mid;
            else
                hi = mid;
        }
        elements[i - 1] = (int)lo + 1;
        rank -= at_choose(lo, i);
    }
}
