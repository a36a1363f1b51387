/* test_cases.c: every case of every definition is met by both samplers and by every enumeration. What nobody asks, no check
 * would ever find wrong. */
#include "task_test.h"

#define DRAWS  2000
#define LISTED 200000
#define MOST   8 /* cases */

/* Sizes with room for every case, small enough to be listed. A task whose definition is one formula has no case. */
static const struct {
    const char *id, *size;
    int cases;
} rows[] = {
    {"match2", "N=4 M=5", 2},
    {"match2", "N=6 M=11", 2},
    {"match3", "N=4 M=5", 2},
    {"match3-bigram", "N=5 M=5", 2},
    {"match3-local", "N=5 M=5 K=1", 2},
    {"qsa", "", 0},
    {"product", "", 0},
    {"relu-net", "", 0},
    {"linear-map", "", 0},
    {"selection", "", 2},
    {"prefix-mask", "N=2 n=8 spread=0", 3},
    {"prefix-mask", "N=2 n=8", 3},
    {"suffix-mask", "N=2 n=8 spread=0", 2},
    {"suffix-mask", "N=2 n=8", 2},
    {"block-index", "N=2 n=4 spread=0", 2},
    {"block-index", "N=2 n=4", 2},
    {"copy", "N=12", 2},
    {"copy-rating", "N=8", 3},
    {"block-mean", "N=16 m=4", 3},
    {"block-mean", "N=9 m=4", 3},
    {"linear-recurrence", "", 0},
    {"compose", "", 0},
    {"funccomp", "", 0},
    {"triangle", "N=4", 2},
    {"max", "", 0},
    {"majority", "N=4", 3},
    {"parity", "N=5", 2},
    {"dyck", "N=4 k=2 D=2", 4},
    {"dyck", "N=6 k=1 D=2", 4},
    {"next-word", "", 0},
    {"shuffle-dyck", "N=4 k=2", 3},
    {"shuffle-dyck", "N=6 k=1", 3},
};
#define ROWS (sizeof rows / sizeof rows[0])

static void see(const at_task *t, const at_params *p, const double *x, uint64_t seen[MOST])
{
    for (int i = 0; i < at_params_int(p, "N"); i++) {
        int c = t->which(p, x, i);
        assert_true(c >= 0 && c < MOST);
        seen[c]++;
    }
}

static void all_seen(const at_task *t, const char *size, const char *who, const uint64_t seen[MOST], int n)
{
    for (int c = 0; c < MOST; c++)
        if ((seen[c] > 0) != (c < n))
            fail_msg("%s %s: %s %s case %d%s%s", t->id, size, who, c < n ? "never meets" : "meets", c,
                     c < n ? ": " : "", c < n ? t->cases[c] : "");
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t k = 0; k < ROWS; k++) {
        at_params p;
        const at_task *t = task_with(rows[k].id, rows[k].size, &p);
        int n = 0;
        while (t->cases && t->cases[n])
            n++;
        if (n != rows[k].cases)
            fail_msg("%s: %d cases, not %d", t->id, n, rows[k].cases);
        if (!n)
            continue;
        double *x = task_input(t, &p);
        for (int hard = 0; hard < 2; hard++) {
            uint64_t seen[MOST] = {0};
            for (uint64_t i = 0; i < DRAWS; i++) {
                at_rng r = at_rng_at(17, i);
                (hard ? t->adversarial : t->sample)(&p, &r, x);
                see(t, &p, x, seen);
            }
            all_seen(t, rows[k].size, hard ? "adversarial" : "sample", seen, n);
        }
        for (int e = 0; e < AT_ENUMS; e++) {
            uint64_t seen[MOST] = {0}, count = t->enums & 1u << e ? t->count(&p, (at_enum)e) : 0;
            for (uint64_t i = 0; i < count && i < LISTED; i++) {
                t->nth(&p, (at_enum)e, i, x);
                see(t, &p, x, seen);
            }
            if (count)
                all_seen(t, rows[k].size, at_enum_names[e], seen, n);
        }
        free(x);
    }
}

/* The table above knows every task, and lists every enumeration of each. */
static void test_every_task(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_tasks; i++) {
        unsigned listed = 0;
        bool known = false;
        for (size_t k = 0; k < ROWS; k++)
            if (!strcmp(rows[k].id, at_tasks[i]->id)) {
                at_params p;
                const at_task *t = task_with(rows[k].id, rows[k].size, &p);
                known = true;
                for (int e = 0; e < AT_ENUMS; e++)
                    if (!rows[k].cases || (t->enums & 1u << e && t->count(&p, (at_enum)e) > 0))
                        listed |= 1u << e;
            }
        if (!known || (at_tasks[i]->enums & ~listed))
            fail_msg("%s: its cases are not asked for", at_tasks[i]->id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_every_task)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
