/* test_traits.c: rotary and alibi positions, rms norms, gates, parallel blocks and tied readouts in files, and what they do not go
 * with. What they compute is asked in src/exec/test/test_traits.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <attest/model.h>

/* Tokens of 5, width 6, attention and an MLP with everything. */
static void full_model(at_model *m)
{
    at_model_init(m);
    strcpy(m->name, "traits");
    m->width = 6;
    m->n_max = 8;
    m->n_fields = 1;
    m->n_blocks = 2;
    m->fields = at_new(&m->arena, at_field, 1);
    m->blocks = at_new(&m->arena, at_block, 2);
    assert_non_null(m->fields);
    assert_non_null(m->blocks);
    m->fields[0] = (at_field){.name = "token", .kind = AT_FIELD_TOKEN, .size = 5, .embed = {.width = 6}};
    at_block *a = &m->blocks[0], *b = &m->blocks[1];
    *a = (at_block){.kind = AT_BLOCK_ATTN,
                    .residual = true,
                    .norm = AT_NORM_PRE,
                    .norm_kind = AT_NORM_RMS,
                    .norm_eps = 1e-6,
                    .n_groups = 1,
                    .groups = at_new(&m->arena, at_group, 1)};
    *b = (at_block){.kind = AT_BLOCK_MLP,
                    .residual = true,
                    .parallel = true,
                    .gated = true,
                    .act = AT_ACT_SILU,
                    .n_dense = 2,
                    .dense = at_new(&m->arena, at_dense, 2)};
    assert_non_null(a->groups);
    assert_non_null(b->dense);
    a->groups[0] = (at_group){.heads = 2,
                              .dk = 4,
                              .dv = 3,
                              .scale = 0.5,
                              .mask = {.kind = AT_MASK_CAUSAL},
                              .rotary = {4, 10000, AT_PAIR_ADJACENT},
                              .alibi = true};
    b->dense[0].rows = 7;
    b->dense[1].rows = 6;
    m->readout = (at_readout){.kind = AT_READ_ARGMAX,
                              .rows = 5,
                              .tied = true,
                              .final_norm = true,
                              .norm_kind = AT_NORM_RMS,
                              .norm_eps = 1e-6};
}

static const at_tensor *tensor_named(const at_model *m, const char *name)
{
    for (int k = 0; k < m->n_tensors; k++)
        if (!strcmp(m->tensors[k].name, name))
            return &m->tensors[k];
    return NULL;
}

static void round_trip(void **state)
{
    (void)state;
    at_model m, back;
    at_err err = {0};
    char *bytes, *again, one[65], two[65];
    size_t n, n_again;
    full_model(&m);
    assert_int_equal(at_model_layout(&m, &err), AT_OK);
    assert_int_equal(tensor_named(&m, "block.0.attn.0.slope")->count, 2);
    assert_int_equal(tensor_named(&m, "block.1.mlp.0.gw")->count, 42);
    assert_int_equal(tensor_named(&m, "block.1.mlp.0.gb")->count, 7);
    assert_null(tensor_named(&m, "block.1.mlp.1.gw"));
    assert_null(tensor_named(&m, "readout.w"));
    assert_int_equal(m.readout.w, m.fields[0].embed.tensor);
    for (size_t i = 0; i < m.n_weights; i++)
        m.weights[i] = (double)i / 8;
    assert_int_equal(at_model_image(&m, &bytes, &n, &err), AT_OK);
    if (at_model_parse(&back, bytes, n, "file", &err))
        fail_msg("%s", err.text);
    assert_int_equal(back.readout.w, back.fields[0].embed.tensor);
    assert_int_equal(back.blocks[0].groups[0].rotary.width, 4);
    assert_int_equal(back.blocks[0].groups[0].rotary.pairing, AT_PAIR_ADJACENT);
    assert_true(back.blocks[0].groups[0].alibi && back.blocks[1].gated && back.blocks[1].parallel);
    assert_int_equal(back.blocks[0].norm_kind, AT_NORM_RMS);
    assert_int_equal(back.readout.norm_kind, AT_NORM_RMS);
    assert_int_equal(back.blocks[1].act, AT_ACT_SILU);
    assert_int_equal(at_model_image(&back, &again, &n_again, &err), AT_OK);
    assert_true(n == n_again && !memcmp(bytes, again, n));
    assert_int_equal(at_model_hash(&m, one, &err), AT_OK);
    assert_int_equal(at_model_hash(&back, two, &err), AT_OK);
    assert_string_equal(one, two);
    at_model_release(&back);
    assert_int_equal(at_model_copy(&m, &back, &err), AT_OK);
    assert_int_equal(at_model_validate(&back, &err), AT_OK);
    at_model_release(&back);
    at_free(bytes);
    at_free(again);
    at_model_release(&m);
}

/* Every trait is found where it is, and its absence too. */
static void found(void **state)
{
    (void)state;
    static const int where[AT_TRAITS] = {
        [AT_TRAIT_ROTARY] = 0,   [AT_TRAIT_ALIBI] = 0, [AT_TRAIT_RMS] = 0,     [AT_TRAIT_GATED] = 1,
        [AT_TRAIT_PARALLEL] = 1, [AT_TRAIT_TIED] = 2,  [AT_TRAIT_ROUNDED] = -1};
    at_model m;
    full_model(&m);
    for (int t = 0; t < AT_TRAITS; t++)
        assert_int_equal(at_model_trait(&m, (at_trait)t), where[t]);
    m.blocks[0].groups[0].rounded = 24;
    assert_int_equal(at_model_trait(&m, AT_TRAIT_ROUNDED), 0);
    m.blocks[0].norm_kind = AT_NORM_LAYER;
    assert_int_equal(at_model_trait(&m, AT_TRAIT_RMS), 2);
    m.readout.norm_kind = AT_NORM_LAYER;
    assert_int_equal(at_model_trait(&m, AT_TRAIT_RMS), -1);
    at_model_release(&m);
}

/* Linear attention whose sums are rounded, which does not go with alibi. */
static void rounded(void **state)
{
    (void)state;
    at_model m, back;
    at_err err = {0};
    char *bytes, one[65], two[65];
    size_t n;
    full_model(&m);
    at_group *g = &m.blocks[0].groups[0];
    g->weighting = AT_LINEAR;
    g->alibi = false;
    assert_int_equal(at_model_layout(&m, &err), AT_OK);
    assert_int_equal(at_model_hash(&m, one, &err), AT_OK);
    g->rounded = 24;
    assert_int_equal(at_model_hash(&m, two, &err), AT_OK);
    assert_string_not_equal(one, two);
    assert_int_equal(at_model_image(&m, &bytes, &n, &err), AT_OK);
    if (at_model_parse(&back, bytes, n, "file", &err))
        fail_msg("%s", err.text);
    assert_int_equal(back.blocks[0].groups[0].rounded, 24);
    at_model_release(&back);
    at_free(bytes);
    at_model_release(&m);
}

#define REFUSED(words, ...)                                                                                  \
    do {                                                                                                     \
        at_model m;                                                                                          \
        at_err err = {0};                                                                                    \
        full_model(&m);                                                                                      \
        __VA_ARGS__;                                                                                         \
        at_status st = at_model_layout(&m, &err);                                                            \
        if (!st || !strstr(err.text, words))                                                                 \
            fail_msg("\"%s\" does not say \"%s\"", err.text, words);                                         \
        at_model_release(&m);                                                                                \
    } while (0)

static void refusals(void **state)
{
    (void)state;
    REFUSED("rotary width 3 must be even", m.blocks[0].groups[0].rotary.width = 3);
    REFUSED("rotary width 6 out of range 2..4", m.blocks[0].groups[0].rotary.width = 6);
    REFUSED("rotary width -2 out of range", m.blocks[0].groups[0].rotary.width = -2);
    REFUSED("rotary theta 0.5", m.blocks[0].groups[0].rotary.theta = 0.5);
    REFUSED("rotary theta", m.blocks[0].groups[0].rotary.theta = 0.0 / 0.0);
    REFUSED("pairing number 2", m.blocks[0].groups[0].rotary.pairing = (at_pairing)2);
    REFUSED("threewise weighting with alibi", m.blocks[0].groups[0].weighting = AT_THREEWISE);
    REFUSED("linear weighting with alibi", m.blocks[0].groups[0].weighting = AT_LINEAR);
    REFUSED("rounded is for linear attention", m.blocks[0].groups[0].rounded = 24);
    REFUSED("rounded 54 out of range 2..53", m.blocks[0].groups[0].rounded = 54);
    REFUSED("norm_kind number 2", m.blocks[0].norm_kind = (at_norm_kind)2);
    REFUSED("parallel, but there is no block before it", m.blocks[0].parallel = true);
    REFUSED("block 0 has no residual", m.blocks[0].residual = false);
    REFUSED("block 0 has norm post", m.blocks[0].norm = AT_NORM_POST);
    REFUSED("layers 1 out of range 2..64", m.blocks[1].n_dense = 1);
    REFUSED("rows, tied to field 0, 4 out of range 5..5", m.readout.rows = 4);
    REFUSED("width of field 0, tied, 5 out of range 6..6", m.fields[0].embed.width = 5);
    REFUSED("rows 262145 out of range 1..262144", m.readout.rows = 262145);
    REFUSED("which is no token but int", m.fields[0].kind = AT_FIELD_INT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(found),
                                       cmocka_unit_test(rounded), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
