/* test_limit_start.c: a bound that says wrongly where it starts to bind is noticed. No bound of ours does, so the check of
 * starts is taken by itself and given starts that are off. */
#include "../shared/limit.c"
#include "claim_test.h"

static void test_starts_that_are_off(void **state)
{
    (void)state;
    static const struct {
        const char *bound, *params;
    } cases[] = {
        {"compose-bound", "n=270 H=4 d=16"}, {"match3-hard", ""}, {"qsa-attention-hard", "q=512 m=16"}};
    int from = 0, upto = 0;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const at_bound *b = at_bound_find(cases[k].bound);
        at_params p;
        at_bound_result r;
        at_arena a;
        at_arena_init(&a);
        assert_non_null(b);
        at_params_init(&p, b->params, b->n_params);
        OK(at_params_parse(&p, cases[k].params, &err));
        OK(at_bound_compute(b, &p, &a, &r, &err));
        for (int i = 0; i < r.n_starts; i++) {
            bool right, can, binds, up = !strncmp(r.starts[i].text, "up to ", 6);
            if ((!up && strncmp(r.starts[i].text, "from ", 5)) || isnan(r.starts[i].at))
                continue;
            OK(start_check(b, &p, &r.starts[i], &right, &err));
            assert_true(right);
            for (int off = -1; off <= 1; off += 2) {
                at_bound_start s = r.starts[i];
                s.at += off;
                OK(verdict_at(b, &p, s.param, s.at, &can, &binds, &err));
                if (!can)
                    continue;
                OK(start_check(b, &p, &s, &right, &err));
                if (right)
                    fail_msg("%s: \"%s\" may be off by %d", b->id, s.text, off);
                *(up ? &upto : &from) += 1;
            }
        }
        at_arena_release(&a);
    }
    assert_true(from >= 2 && upto >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_starts_that_are_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
