/* brackets.c: balanced words with some letters given.
 *
 * From the right: after i letters h brackets may be open when what is left can close them all. From the left a word is then drawn, a
 * step that keeps this true wherever there is one. O(n^2). */
#include "restrict.h"

at_status brackets_complete(int n, int depth, const signed char *letter, at_rng *r, double *x, bool *is,
                            at_err *err)
{
    int most = depth && depth < n ? depth : n;
    size_t row = (size_t)most + 2; /* a height more, which never can */
    unsigned char *can = at_calloc((size_t)(n + 1) * row, 1);
    *is = false;
    if (!can)
        return at_oom(err);
    can[(size_t)n * row] = 1;
    for (int i = n - 1; i >= 0; i--)
        for (int h = 0; h <= most; h++) {
            const unsigned char *next = can + (size_t)(i + 1) * row;
            can[(size_t)i * row + (size_t)h] =
                (letter[i] != 1 && h < most && next[h + 1]) || (letter[i] != 0 && h > 0 && next[h - 1]);
        }
    *is = can[0];
    for (int i = 0, h = 0; *is && x && i < n; i++) {
        const unsigned char *next = can + (size_t)(i + 1) * row;
        bool up = letter[i] != 1 && h < most && next[h + 1], down = letter[i] != 0 && h > 0 && next[h - 1];
        x[i] = up && down ? (double)at_rng_below(r, 2) : !up;
        h += x[i] == 0 ? 1 : -1;
    }
    at_free(can);
    return AT_OK;
}
