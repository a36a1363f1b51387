/* test_rivals.c: recurrent and flattening blocks as data: tensor table, size, copy, file; files that lie about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "sample_model.h"

static void must(at_status s, const at_err *err)
{
    if (s)
        fail_msg("status %d: %s", (int)s, err->text);
}

/* Width 2, lengths 4; a GRU of state 3, a tanh cell of state 1, and a net of all 8 numbers. */
static void rivals(at_model *m)
{
    at_err err = {0};
    must(sample_tiny(m, &err), &err);
    m->n_min = m->n_max = 4;
    m->n_blocks = 3;
    m->blocks = at_new(&m->arena, at_block, 3);
    at_dense *d = at_new(&m->arena, at_dense, 2);
    assert_true(m->blocks && d);
    d[0].rows = 5, d[1].rows = 8;
    m->blocks[0] = (at_block){.kind = AT_BLOCK_RNN, .rnn = {.cell = AT_CELL_GRU, .state = 3}};
    m->blocks[1] =
        (at_block){.kind = AT_BLOCK_RNN, .residual = true, .rnn = {.cell = AT_CELL_TANH, .state = 1}};
    m->blocks[2] = (at_block){.kind = AT_BLOCK_FLATTEN, .dense = d, .n_dense = 2};
    must(at_model_layout(m, &err), &err);
    for (size_t i = 0; i < m->n_weights; i++)
        m->weights[i] = 0.25 * (double)(i + 1);
}

static void tensors(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int rank, rows, cols;
    } want[] = {
        {"input.0.embed", 2, 3, 2},       {"block.0.rnn.w", 2, 9, 2},       {"block.0.rnn.u", 2, 9, 3},
        {"block.0.rnn.b", 1, 9, 1},       {"block.0.rnn.ub", 1, 3, 1},      {"block.0.rnn.o", 2, 2, 3},
        {"block.0.rnn.ob", 1, 2, 1},      {"block.1.rnn.w", 2, 1, 2},       {"block.1.rnn.u", 2, 1, 1},
        {"block.1.rnn.b", 1, 1, 1},       {"block.1.rnn.o", 2, 2, 1},       {"block.1.rnn.ob", 1, 2, 1},
        {"block.2.flatten.0.w", 2, 5, 8}, {"block.2.flatten.0.b", 1, 5, 1}, {"block.2.flatten.1.w", 2, 8, 5},
        {"block.2.flatten.1.b", 1, 8, 1}, {"readout.w", 2, 2, 2},           {"readout.b", 1, 2, 1}};
    at_model m;
    rivals(&m);
    assert_int_equal(m.n_tensors, sizeof want / sizeof *want);
    for (int k = 0; k < m.n_tensors; k++) {
        assert_string_equal(m.tensors[k].name, want[k].name);
        assert_int_equal(m.tensors[k].rank, want[k].rank);
        assert_true(m.tensors[k].shape[0] == want[k].rows && m.tensors[k].shape[1] == want[k].cols);
    }
    assert_int_equal(m.blocks[1].rnn.ub, -1);
    assert_int_equal(m.blocks[0].rnn.ob, 6);
    at_size z;
    at_model_size(&m, &z);
    assert_true(z.layers == 0 && z.rnns == 2 && z.mlps == 1 && z.hidden == 5);
    assert_int_equal(z.parameters, m.n_weights);
    at_model_release(&m);
}

static void files(void **state)
{
    (void)state;
    at_err err = {0};
    at_model m, copy, back;
    char *bytes, one[65], two[65], three[65];
    size_t n;
    rivals(&m);
    must(at_model_copy(&m, &copy, &err), &err);
    must(at_model_image(&m, &bytes, &n, &err), &err);
    must(at_model_parse(&back, bytes, n, "f", &err), &err);
    assert_memory_equal(back.weights, m.weights, m.n_weights * sizeof(double));
    for (int b = 0; b < 2; b++)
        assert_memory_equal(&back.blocks[b].rnn, &m.blocks[b].rnn, sizeof m.blocks[b].rnn);
    assert_int_equal(back.blocks[2].dense[1].rows, 8);
    must(at_model_hash(&m, one, &err), &err);
    must(at_model_hash(&copy, two, &err), &err);
    must(at_model_hash(&back, three, &err), &err);
    assert_string_equal(one, two);
    assert_string_equal(one, three);
    copy.blocks[1].rnn.cell = AT_CELL_GRU; /* the table no longer fits */
    assert_int_equal(at_model_validate(&copy, &err), AT_EINPUT);
    at_free(bytes);
    at_model_release(&m);
    at_model_release(&copy);
    at_model_release(&back);
}

/* ---- strangers ---------------------------------------------------------------------------------------------- */

/* \" is how a quote of the architecture looks inside the header. */
static const image_lie edits[] = {
    {"\\\"cell\\\":\\\"gru\\\"", "\\\"cell\\\":\\\"grue\\\"",
     "blocks[0].cell \"grue\" is unknown; did you mean \"gru\"?"},
    {"\\\"cell\\\":\\\"gru\\\"", "\\\"cell\\\":7", "blocks[0].cell is not a string"},
    {"\\\"cell\\\":\\\"gru\\\",", "", "blocks[0].cell is missing"},
    {"\\\"cell\\\":\\\"gru\\\"", "\\\"act\\\":\\\"relu\\\",\\\"cell\\\":\\\"gru\\\"",
     "blocks[0].act is not a key"},
    {"\\\"cell\\\":\\\"gru\\\"", "\\\"cell\\\":\\\"gru\\\",\\\"layers\\\":[]",
     "blocks[0].layers is not a key"},
    {"\\\"cell\\\":\\\"gru\\\"", "\\\"cell\\\":\\\"tanh\\\"", "bytes of data; the architecture needs"},
    {",\\\"state\\\":3", "", "blocks[0].state is missing"},
    {"\\\"state\\\":3", "\\\"state\\\":-3", "block 0: state -3 out of range 1..21845"},
    {"\\\"state\\\":3", "\\\"state\\\":0", "block 0: state 0 out of range"},
    {"\\\"state\\\":3", "\\\"state\\\":21846", "block 0: state 21846 out of range"},
    {"\\\"state\\\":3", "\\\"state\\\":99999999999", "state is not an integer of 32 bits"},
    {"\\\"state\\\":3", "\\\"state\\\":3.5", "state is not an integer"},
    {"\\\"state\\\":3", "\\\"state\\\":21845", "bytes of data; the architecture needs"},
    {"\\\"kind\\\":\\\"flatten\\\"", "\\\"kind\\\":\\\"flat\\\"", "kind \"flat\" is unknown"},
    {"\\\"kind\\\":\\\"flatten\\\"", "\\\"kind\\\":\\\"mlp\\\"",
     "block 2: rows of the last layer 8 out of range 2..2"},
    {"\\\"kind\\\":\\\"flatten\\\"", "\\\"kind\\\":\\\"rnn\\\"", "blocks[2].cell is missing"},
    {"\\\"n_min\\\":4", "\\\"n_min\\\":1",
     "block 2: n_min, of a model that flattens its input, 1 out of range 4..4"},
    {"\\\"n_max\\\":4,\\\"n_min\\\":4", "\\\"n_max\\\":1048576,\\\"n_min\\\":1048576",
     "block 2: numbers of all positions 2097152 out of range 1..65536"},
    {"\\\"n_max\\\":4,\\\"n_min\\\":4", "\\\"n_max\\\":5,\\\"n_min\\\":5",
     "rows of the last layer 8 out of range 10..10"},
    {"{\\\"rows\\\":5},{\\\"rows\\\":8}", "", "block 2: layers 0 out of range"},
    {"\\\"rows\\\":5", "\\\"rows\\\":65536", "bytes of data; the architecture needs"},
    {"\"block.2.flatten.0.b\":{", "\"block.2.mlp.0.b\":{", "tensor block.2.flatten.0.b is missing"},
    {"\"shape\":[9,3]", "\"shape\":[3,9]", "tensor block.0.rnn.u: shape must be [9,3]"},
};

static void lies(void **state)
{
    (void)state;
    at_model m;
    rivals(&m);
    image im = image_of(&m);
    at_alloc_ceiling(1 << 20); /* a promise of more must not cost memory first */
    image_lies(&im, edits, sizeof edits / sizeof *edits);
    at_alloc_ceiling(0);
    free(im.bytes);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tensors), cmocka_unit_test(files),
                                       cmocka_unit_test(lies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
