/* test_imported.c: circuits at p bits of models as other people train them: norms, gates, turned queries, scores that fall with the
 * distance, parallel blocks, a tied readout. Each circuit says on all words what the executor does; and the circuit of a model that lacks one of
 * these, or has another angle or slope, does not. */
#include <attest/circuit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "../../exec/test/random_model.h"

enum { LENGTH = 3, MODELS = 24 };
#define HAS(t) (1u << AT_TRAIT_##t)

/* In how many of all words the circuit of `read` differs from the model m. */
static uint64_t differ(const at_model *read, const at_model *m, const char *arith, uint64_t *yes)
{
    at_circuit *c;
    at_circuit_compared r;
    at_arith a;
    err = (at_err){0};
    assert_int_equal(at_arith_parse(arith, &a, &err), AT_OK);
    if (at_circuit_of_model(read, a, LENGTH, NULL, &c, &err))
        fail_msg("%s", err.text);
    assert_int_equal(at_circuit_compare(c, m, a, LENGTH, 1, &r, &err), AT_OK);
    assert_int_equal(r.words, 125);
    *yes = r.yes;
    at_circuit_free(c);
    return r.differ;
}

typedef struct {
    const char *name;
    unsigned traits;
    at_act act;
    at_norm norm;
    at_mask_kind mask;
    at_pos_kind pos;
} family;

static const family families[] = {
    {"gpt2", HAS(TIED), AT_ACT_GELU_TANH, AT_NORM_PRE, AT_MASK_CAUSAL, AT_POS_TABLE},
    {"neox", HAS(ROTARY) | HAS(PARALLEL), AT_ACT_GELU, AT_NORM_PRE, AT_MASK_CAUSAL, RANDOM_NO_POS},
    {"llama", HAS(ROTARY) | HAS(RMS) | HAS(GATED), AT_ACT_SILU, AT_NORM_PRE, AT_MASK_CAUSAL, RANDOM_NO_POS},
    {"alibi", HAS(ALIBI), AT_ACT_GELU_TANH, AT_NORM_PRE, AT_MASK_NONE, RANDOM_NO_POS},
    {"all", HAS(ROTARY) | HAS(ALIBI) | HAS(RMS) | HAS(GATED) | HAS(PARALLEL) | HAS(TIED), AT_ACT_SILU,
     AT_NORM_POST, AT_MASK_NONE, RANDOM_NO_POS},
};

static void model_of(const family *f, uint64_t seed, at_model *m)
{
    random_spec s = {.weighting = AT_SOFTMAX,
                     .mask = f->mask,
                     .pos = f->pos,
                     .seed = seed,
                     .length = LENGTH + 1,
                     .layers = 1,
                     .heads = 1,
                     .dk = 4,
                     .one_group = true,
                     .act = f->act,
                     .norm = f->norm,
                     .final_norm = true,
                     .tokens_only = true,
                     .no_prefix = true,
                     .read = AT_READ_ARGMAX,
                     .rows = 5,
                     .last = true,
                     .traits = f->traits};
    if (random_model(&s, m, &err))
        fail_msg("%s", err.text);
}

static void test_families(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
        int varied = 0;
        for (uint64_t seed = 1; seed <= MODELS; seed++) {
            at_model m;
            uint64_t yes;
            model_of(&families[k], seed, &m);
            uint64_t wrong = differ(&m, &m, "p8e6", &yes);
            if (wrong)
                fail_msg("%s, model %ju: %ju words differ", families[k].name, (uintmax_t)seed,
                         (uintmax_t)wrong);
            varied += yes && yes < 125;
            at_model_release(&m);
        }
        print_message("# %s: %d models, %d not constant\n", families[k].name, MODELS, varied);
        assert_true(varied >= 2); /* as in test_make.c */
    }
}

/* One thing in the model that the circuit is made of is another. */
enum { NO_PARALLEL, OTHER_ANGLE, OTHER_SLOPE, OTHER_ACT, OTHER_NORM, CHANGES };

static bool change(int what, at_model *m)
{
    at_block *mlp = &m->blocks[1];
    at_group *g = &m->blocks[0].groups[0];
    switch (what) {
    case NO_PARALLEL:
        mlp->parallel = false;
        return true;
    case OTHER_ANGLE:
        if (g->rotary.width)
            g->rotary.theta = 2;
        return g->rotary.width > 0;
    case OTHER_SLOPE:
        if (g->alibi)
            at_model_data(m, g->slope)[0] += 2;
        return g->alibi;
    case OTHER_ACT:
        mlp->act = AT_ACT_RELU;
        return true;
    default:
        mlp->norm_kind = mlp->norm_kind == AT_NORM_RMS ? AT_NORM_LAYER : AT_NORM_RMS;
        return true;
    }
}

static void test_controls(void **state)
{
    (void)state;
    static const size_t of[CHANGES] = {
        [NO_PARALLEL] = 1, [OTHER_ANGLE] = 2, [OTHER_SLOPE] = 3, [OTHER_NORM] = 2};
    for (int what = 0; what < CHANGES; what++) {
        uint64_t all = 0, yes;
        for (uint64_t seed = 1; seed <= MODELS; seed++) {
            at_model m, other;
            model_of(&families[of[what]], seed, &m);
            model_of(&families[of[what]], seed, &other);
            assert_true(change(what, &other));
            all += differ(&other, &m, "p8e6", &yes);
            at_model_release(&other);
            at_model_release(&m);
        }
        print_message("# change %d: %ju words differ\n", what, (uintmax_t)all);
        assert_true(all > 0);
    }
}

/* In exact arithmetic their steps are not there. */
static void test_refused(void **state)
{
    (void)state;
    at_model m;
    at_circuit *c;
    model_of(&families[3], 1, &m);
    m.blocks[0].groups[0].weighting = AT_AVERAGE_HARD;
    assert_int_equal(at_circuit_of_model(&m, (at_arith){.kind = AT_EXACT}, LENGTH, NULL, &c, &err),
                     AT_EREFUSED);
    assert_non_null(strstr(err.text, "exact circuits: not for models with alibi"));
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_families, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_controls, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
