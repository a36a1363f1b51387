/* copy_rating.c: COPY in its general form: among the keys that match, the one with the highest rating.
 *
 * A row is (x_i: a real in -M..M | e_i: how imperfectly key i matches, a real in -1..1 | k_i: its key, a token 0..K-1 |
 * q_i: the key that position i asks for | r_i: its rating, an integer of 0..N-1, no two equal). The answer is x_j for the
 * j <= i with k_j = q_i of the highest rating, and 0 where no key matches. e_i is no part of the answer: it is the slack
 * that assumption A.10 leaves to a match, and an answer must not depend on it.
 *
 * The hardest inputs let many keys match with ratings just below the best one's, e = -1 at the best and 1 elsewhere, and
 * give the highest ratings to keys next to the wanted one that do not match. Or all match, and ratings rise with the position: then
 * every rating in turn is the best, with the one below it just before. */
#include "../problem_internal.h"

enum { X, E, KEY, QUERY, RATING, WIDTH };

static const at_param schema[] = {AT_PARAM_LENGTH(8), {"K", "keys", 2, 64, 5, true}, AT_PARAM_BOUND(1)};

static int row_width(const at_params *p)
{
    (void)p;
    return WIDTH;
}

static int out_width(const at_params *p)
{
    (void)p;
    return 1;
}

static int fields(const at_params *p, at_field *out)
{
    out[0] = at_field_real("x", 1, at_params_get(p, "M"));
    out[1] = at_field_real("e", 1, 1);
    out[2] = at_field_token("key", at_params_int(p, "K"));
    out[3] = at_field_token("query", at_params_int(p, "K"));
    out[4] = at_field_token("rating", at_params_int(p, "N"));
    return 5;
}

static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N");
    for (int i = 0; i < N; i++) {
        double best = -1;
        y[i] = 0;
        for (int j = 0; j <= i; j++) {
            const double *row = x + WIDTH * j;
            if (row[KEY] == x[WIDTH * i + QUERY] && row[RATING] > best) {
                best = row[RATING];
                y[i] = row[X];
            }
        }
    }
}

/* Ratings lo..hi-1 in random order to the rows that are listed. */
static void ratings_deal(at_rng *r, double *x, const int *row, int n, int lo)
{
    for (int k = 0; k < n; k++) { /* inside-out shuffle */
        int j = (int)at_rng_below(r, (uint64_t)k + 1);
        if (j != k)
            x[WIDTH * row[k] + RATING] = x[WIDTH * row[j] + RATING];
        x[WIDTH * row[j] + RATING] = lo + k;
    }
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), all[AT_LENGTH_MAX];
    uint64_t K = (uint64_t)at_params_int(p, "K");
    for (int i = 0; i < N; i++) {
        double *row = x + WIDTH * i;
        all[i] = i;
        row[X] = at_real_draw(r, -at_params_get(p, "M"), at_params_get(p, "M"));
        row[E] = at_real_draw(r, -1, 1);
        row[KEY] = (double)at_rng_below(r, K);
        row[QUERY] = (double)at_rng_below(r, K);
    }
    ratings_deal(r, x, all, N, 0);
}

/* Rating i at position i, values and slacks of neighbours opposite. */
static void ladder(const at_params *p, at_rng *r, double *x)
{
    int key = (int)at_rng_below(r, (uint64_t)at_params_int(p, "K")), phase = (int)at_rng_below(r, 2);
    double M = at_rng_below(r, 2) ? at_params_get(p, "M") : -at_params_get(p, "M");
    for (int i = 0; i < at_params_int(p, "N"); i++) {
        double *row = x + WIDTH * i;
        bool even = (i + phase) % 2 == 0;
        row[X] = even ? M : -M;
        row[E] = even ? -1 : 1;
        row[KEY] = row[QUERY] = key;
        row[RATING] = i;
    }
}

static void adversarial(const at_params *p, at_rng *r, double *x)
{
    if (at_rng_below(r, 4) == 0) {
        ladder(p, r, x);
        return;
    }
    int N = at_params_int(p, "N"), K = at_params_int(p, "K"), near[AT_LENGTH_MAX], miss[AT_LENGTH_MAX];
    int t = (int)at_rng_below(r, (uint64_t)N), key = (int)at_rng_below(r, (uint64_t)K);
    int n_near = 0, n_miss = 0, misses = (int)at_rng_below(r, 3); /* none, half or most of the others */
    double M = at_rng_below(r, 2) ? at_params_get(p, "M") : -at_params_get(p, "M");
    for (int i = 0; i < N; i++) {
        double *row = x + WIDTH * i;
        bool missed = i != t && at_rng_below(r, 4) < (uint64_t)(misses == 2 ? 3 : misses * 2);
        row[X] = i == t ? M : -M;
        row[E] = i == t ? -1 : 1;
        row[KEY] = missed ? at_mod(key + (at_rng_below(r, 2) ? 1 : -1), K) : key;
        row[QUERY] = key;
        if (missed)
            miss[n_miss++] = i;
        else if (i != t)
            near[n_near++] = i;
    }
    ratings_deal(r, x, near, n_near, 0);
    x[WIDTH * t + RATING] = n_near;
    ratings_deal(r, x, miss, n_miss, n_near + 1);
}

/* A value or a slack to 0, a key or a query to the first; ratings stay, so that they stay different. */
static bool simpler(const at_params *p, const double *x, int n, int k, double *out)
{
    (void)p;
    static const double plain[WIDTH] = {0, 0, 0, 0, AT_STAYS};
    return at_columns_simpler(x, n, WIDTH, plain, k, out);
}

/* Ratings are integers of 0..N-1, no two equal. */
static bool holds(const at_params *p, const double *x)
{
    int N = at_params_int(p, "N");
    bool seen[AT_LENGTH_MAX] = {false};
    for (int i = 0; i < N; i++) {
        double r = x[WIDTH * i + RATING];
        if (!(r >= 0 && r < N) || r != (int)r || seen[(int)r])
            return false;
        seen[(int)r] = true;
    }
    return true;
}

static const char *const cases[] = {"no key matches", "one matches", "the best of several", NULL};

static int which(const at_params *p, const double *x, int i)
{
    (void)p;
    int matches = 0;
    for (int j = 0; j <= i && matches < 2; j++)
        matches += x[WIDTH * j + KEY] == x[WIDTH * i + QUERY];
    return matches;
}

const at_task at_task_copy_rating = {
    .id = "copy-rating",
    .title = "Fetching the best match",
    .definition = "y_i = x_j for the j <= i with k_j = q_i whose rating r_j is highest (0 if no key "
                  "matches), |x_j| <= M",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .input_help =
        "a position is value, slack, key, query and rating (ratings all different), as in \"0.5/0/1/1/0 "
        "-1/1/0/1/2\"",
    AT_ROWS_VERBS,
    .holds = holds,
    AT_CASES,
};
