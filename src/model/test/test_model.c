/* test_model.c: kinds, combinations, masks, the tensor table, validation, copy, size, SHA-256. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model_internal.h"
#include "sample_model.h"

static void names_complete(void **state)
{
    (void)state;
    static const struct {
        const char *const *names;
        int n;
    } tables[] = {
        {at_weighting_names, AT_WEIGHTINGS}, {at_mask_names, AT_MASKS},        {at_post_names, AT_POSTS},
        {at_pos_names, AT_POS_KINDS},        {at_field_names, AT_FIELD_KINDS}, {at_act_names, AT_ACTS},
        {at_block_names, AT_BLOCK_KINDS},    {at_rnn_cell_names, AT_CELLS},    {at_norm_names, AT_NORMS},
        {at_read_names, AT_READS},
    };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (int a = 0; a < tables[t].n; a++) {
            assert_non_null(tables[t].names[a]);
            assert_true(tables[t].names[a][0] != 0);
            for (int b = 0; b < a; b++)
                assert_string_not_equal(tables[t].names[a], tables[t].names[b]);
        }
}

/* Pascal's triangle in 128 bits is the slow twin, up to n = 80 where C(80,40) passes 2^63. */
static void choose_is_pascal(void **state)
{
    (void)state;
    static unsigned __int128 c[81][81];
    for (int n = 0; n <= 80; n++)
        for (int k = 0; k <= n; k++)
            c[n][k] = k == 0 || k == n ? 1 : c[n - 1][k - 1] + c[n - 1][k];
    for (int n = 0; n <= 80; n++)
        for (int k = 0; k <= n; k++)
            assert_true(at_choose(n, k) == (c[n][k] > INT64_MAX ? INT64_MAX : (int64_t)c[n][k]));
    assert_int_equal(at_choose(5, 6), 0);
    assert_int_equal(at_choose(5, -1), 0);
    assert_int_equal(at_choose(-1, 0), 0);
    assert_true(at_choose(INT64_MAX, 1) == INT64_MAX);
    assert_true(at_choose(INT64_MAX, 2) == INT64_MAX);
    assert_true(at_choose(INT64_C(1) << 40, 1 << 30) == INT64_MAX);
}

/* All subsets of 1..8 as bit sets: colexicographic order is the order of the bit sets as numbers. */
static void subsets_in_order(void **state)
{
    (void)state;
    for (int k = 1; k <= 8; k++) {
        int64_t rank = 0;
        for (unsigned set = 0; set < 256; set++) {
            if (__builtin_popcount(set) != k)
                continue;
            double down[8];
            int up[8], got[8], n = 0;
            for (int e = 1; e <= 8; e++)
                if (set >> (e - 1) & 1)
                    up[n++] = e;
            for (int i = 0; i < k; i++)
                down[i] = up[k - 1 - i];
            assert_int_equal(at_subset_rank(down, k), rank);
            at_subset_unrank(rank, k, got);
            assert_memory_equal(got, up, (size_t)k * sizeof(int));
            rank++;
        }
        assert_int_equal(rank, at_choose(8, k));
    }
    int far[3];
    at_subset_unrank(at_choose(60000, 3) - 1, 3, far);
    assert_int_equal(far[0], 59998);
    assert_int_equal(far[2], 60000);
}

/* The definitions in model.h, 1-based and word by word. */
static bool allowed(const at_mask *m, int i, int j)
{
    int B = m->block, k = m->windows, c = m->ends;
    switch (m->kind) {
    case AT_MASK_CAUSAL:
        return j <= i;
    case AT_MASK_STRICT:
        return j < i;
    case AT_MASK_FUTURE:
        return j >= i;
    case AT_MASK_STRICT_FUTURE:
        return j > i;
    case AT_MASK_BLOCK_SPARSE:
        return (i - k * B < j && j <= i) || (j <= i && (j - 1) % B >= B - c);
    case AT_MASK_NONE:
    default:
        return true;
    }
}

static void masks_as_defined(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_MASKS; kind++)
        for (int B = 1; B <= 4; B++)
            for (int k = 1; k <= 3; k++)
                for (int c = 1; c <= B; c++) {
                    at_mask m = {(at_mask_kind)kind, B, k, c};
                    for (int i = 0; i < 20; i++)
                        for (int j = 0; j < 20; j++)
                            assert_int_equal(at_mask_allows(&m, i, j), allowed(&m, i + 1, j + 1));
                }
    at_mask wide = {AT_MASK_BLOCK_SPARSE, AT_MAX_LENGTH, AT_MAX_LENGTH, 1}; /* k*B needs 41 bits */
    assert_true(at_mask_allows(&wide, AT_MAX_LENGTH - 1, 0));
}

static void table_tiles_weights(void **state)
{
    (void)state;
    for (uint64_t s = 0; s < 60; s++) {
        at_model m;
        at_err err = {0};
        assert_int_equal(sample_random(&m, s, &err), AT_OK);
        size_t used = 0;
        for (int t = 0; t < m.n_tensors; t++) {
            assert_true(m.tensors[t].offset == used);
            assert_true(m.tensors[t].count == (size_t)(m.tensors[t].shape[0] * m.tensors[t].shape[1]));
            assert_ptr_equal(at_model_data(&m, t), m.weights + used);
            used += m.tensors[t].count;
            for (int b = 0; b < t; b++)
                assert_string_not_equal(m.tensors[t].name, m.tensors[b].name);
        }
        assert_true(used == m.n_weights);
        assert_null(at_model_data(&m, -1));
        assert_null(at_model_data(&m, m.n_tensors));
        assert_int_equal(at_model_validate(&m, &err), AT_OK);
        at_model_release(&m);
        at_model_release(&m);
    }
}

/* Names and shapes of a three-wise group with biases, written out. */
static void table_named(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    assert_int_equal(sample_plain(&m, &err), AT_OK);
    at_group *g = &m.blocks[0].groups[0];
    *g = (at_group){.heads = 3, .dk = 2, .dv = 5, .weighting = AT_THREEWISE, .bias = true, .scale = 1};
    m.blocks[0].norm = AT_NORM_POST;
    assert_int_equal(at_model_layout(&m, &err), AT_OK);
    const struct {
        int id;
        const char *name;
        int rank, rows, cols;
    } want[] = {
        {m.fields[0].embed.tensor, "input.0.embed", 2, 3, 2},
        {m.blocks[0].norm_g, "block.0.norm.g", 1, 2, 1},
        {m.blocks[0].norm_b, "block.0.norm.b", 1, 2, 1},
        {g->q, "block.0.attn.0.q", 2, 6, 2},
        {g->k, "block.0.attn.0.k", 2, 6, 2},
        {g->v, "block.0.attn.0.v", 2, 15, 2},
        {g->o, "block.0.attn.0.o", 2, 2, 15},
        {g->qb, "block.0.attn.0.qb", 1, 6, 1},
        {g->kb, "block.0.attn.0.kb", 1, 6, 1},
        {g->vb, "block.0.attn.0.vb", 1, 15, 1},
        {g->ob, "block.0.attn.0.ob", 1, 2, 1},
        {g->k2, "block.0.attn.0.k2", 2, 6, 2},
        {g->v2, "block.0.attn.0.v2", 2, 15, 2},
        {g->k2b, "block.0.attn.0.k2b", 1, 6, 1},
        {g->v2b, "block.0.attn.0.v2b", 1, 15, 1},
        {m.readout.w, "readout.w", 2, 2, 2},
        {m.readout.b, "readout.b", 1, 2, 1},
    };
    assert_int_equal(m.n_tensors, sizeof want / sizeof *want);
    for (int t = 0; t < m.n_tensors; t++) {
        assert_int_equal(want[t].id, t);
        assert_string_equal(m.tensors[t].name, want[t].name);
        assert_int_equal(m.tensors[t].rank, want[t].rank);
        assert_int_equal(m.tensors[t].shape[0], want[t].rows);
        assert_int_equal(m.tensors[t].shape[1], want[t].cols);
    }
    assert_int_equal(m.prefix.tensor, -1);
    assert_int_equal(m.readout.norm_g, -1);
    at_model_release(&m);
}

/* ---- validation: one lie at a time ------------------------------------------------------------------ */

/* A valid model with one of everything; each case of the table below spoils one thing. */
static void rich_model(at_model *m)
{
    at_err err = {0};
    assert_int_equal(sample_tiny(m, &err), AT_OK);
    m->n_prefix = m->n_suffix = 1;
    m->prefix.width = m->suffix.width = 1;
    m->n_pos = 3;
    m->pos = at_new(&m->arena, at_pos, 3);
    m->pos[0] = (at_pos){.kind = AT_POS_SQRT_PAIR, .embed = {.width = 2}};
    m->pos[1] = (at_pos){.kind = AT_POS_SINUSOIDAL, .size = 4, .embed = {.width = 2}};
    m->pos[2] = (at_pos){.kind = AT_POS_TABLE, .size = 6, .embed = {.width = 2}};
    m->n_blocks = 2;
    m->blocks = at_new(&m->arena, at_block, 2);
    m->blocks[0] = (at_block){.n_groups = 1, .groups = at_new(&m->arena, at_group, 1)};
    m->blocks[0].groups[0] =
        (at_group){.heads = 1, .dk = 1, .dv = 1, .scale = 1, .weighting = AT_AVERAGE_HARD};
    m->blocks[1] = (at_block){.kind = AT_BLOCK_MLP, .n_dense = 2, .dense = at_new(&m->arena, at_dense, 2)};
    m->blocks[1].dense[0].rows = 3;
    m->blocks[1].dense[1].rows = 2;
    m->n_subspaces = 1;
    m->subspaces = at_new(&m->arena, at_subspace, 1);
    m->subspaces[0].width = 1;
    assert_int_equal(at_model_layout(m, &err), AT_OK);
}

static const char *spoil(at_model *m, int which)
{
    at_field *f = m->fields;
    at_group *g = m->blocks[0].groups;
    at_block *mlp = &m->blocks[1];
    int k = 0;
#define CASE(change, says)                                                                                   \
    if (which == k++) {                                                                                      \
        change;                                                                                              \
        return says;                                                                                         \
    }
    CASE(m->width = 0, "model: width 0 out of range 1..65536")
    CASE(m->width = AT_MAX_WIDTH + 1, "model: width 65537")
    CASE(m->n_min = -1, "model: n_min -1 out of range 0..4")
    CASE(m->n_min = 5, "model: n_min 5 out of range 0..4")
    CASE((m->n_min = m->n_prefix = m->n_suffix = 0, m->readout.last = true),
         "readout: n_min is 0 and there are no hidden rows: the empty input has no last position")
    CASE(m->n_max = AT_MAX_LENGTH + 1, "model: n_max")
    CASE(m->pos_origin = -AT_MAX_LENGTH - 1, "model: pos_origin")
    CASE(m->n_prefix = -1, "model: n_prefix -1")
    CASE(m->n_suffix = AT_MAX_WIDTH + 1, "model: n_suffix")
    CASE(m->prefix.col = 2, "prefix: col 2 out of range 0..1")
    CASE(m->suffix.width = 3, "suffix: width 3 out of range 1..2")
    CASE(memset(m->name, 'a', sizeof m->name), "model: name is longer than 63 bytes")
    CASE(strcpy(m->name, "\xff"), "model: name is not UTF-8")
    CASE(m->n_fields = 0, "model: n_fields 0 out of range 1..16")
    CASE(m->fields = NULL, "there is no array")
    CASE(strcpy(f->name, "\xc0\x80"), "field 0: name is not UTF-8")
    CASE(f->kind = AT_FIELD_KINDS, "field 0: kind number 4 out of range 0..3")
    CASE(f->size = 0, "field 0: size 0")
    CASE(f->embed.col = -1, "field 0: col -1 out of range 0..1")
    CASE((f->embed.col = 1, f->embed.width = 2), "field 0: width 2 out of range 1..1")
    CASE((f->kind = AT_FIELD_SUBSET, f->pick = 4), "field 0: pick 4 out of range 1..3")
    CASE((f->kind = AT_FIELD_SUBSET, f->size = 60000, f->pick = 64),
         "tensor input.0.embed of 9223372036854775807")
    CASE((f->kind = AT_FIELD_REAL, f->lo = 1), "field 0: lo 1 exceeds hi 0")
    CASE((f->kind = AT_FIELD_REAL, f->hi = NAN), "field 0: hi nan is not finite")
    CASE((f->kind = AT_FIELD_INT, f->hi = 0.5), "must be integers")
    CASE((f->kind = AT_FIELD_INT, f->hi = 1e16), "must be integers")
    CASE(f->size = INT32_MAX, "tensor input.0.embed of 2147483647 x 2: the model would exceed")
    CASE(m->n_pos = MODEL_MAX_POS + 1, "model: n_pos 257 out of range 0..256")
    CASE(m->pos[0].kind = AT_POS_KINDS, "position feature: kind number 11")
    CASE((m->pos_origin = 0, m->pos[0].kind = AT_POS_INV_I), "position feature 0 (1/i): pos_origin 0")
    CASE((m->pos_origin = 0, m->pos[0].kind = AT_POS_INV_I2), "position feature 0 (1/i^2): pos_origin 0")
    CASE(m->pos[0].shift = -1, "position feature 0 (sqrt-pair): pos_origin + shift 0")
    CASE(m->pos[0].shift = INT32_MAX, "position feature 0 (sqrt-pair): shift")
    CASE(m->pos[1].size = 3, "position feature 1 (sinusoidal): size 3 must be even")
    CASE(m->pos[1].size = 0, "position feature 1 (sinusoidal): size 0 out of range 2..65536")
    CASE(m->pos[2].size = 5, "position feature 2 (table): rows 5 out of range 6..")
    CASE(m->n_blocks = AT_MAX_BLOCKS + 1, "model: n_blocks 513 out of range 0..512")
    CASE(m->blocks[0].kind = AT_BLOCK_KINDS, "block 0: kind number 4")
    CASE(m->blocks[0].norm = AT_NORMS, "block 0: norm number 3")
    CASE((mlp->norm = AT_NORM_PRE, mlp->norm_eps = -1), "block 1: norm_eps -1 must be finite and at least 0")
    CASE(m->blocks[0].n_groups = 0, "block 0: groups 0 out of range 1..4096")
    CASE(g->heads = 0, "block 0, group 0: heads 0")
    CASE(g->dk = -1, "block 0, group 0: dk -1")
    CASE((g->heads = 65536, g->dv = 65536), "block 0, group 0: heads * dv 4294967296 out of range 1..65536")
    CASE(g->weighting = AT_WEIGHTINGS, "block 0, group 0: weighting number 7")
    CASE(g->post = AT_POSTS, "block 0, group 0: post number 3")
    CASE(g->mask.kind = AT_MASKS, "block 0, group 0: mask number 6")
    CASE(g->scale = INFINITY, "block 0, group 0: scale inf is not finite")
    CASE(g->tie = -0.5, "block 0, group 0: tie -0.5")
    CASE((g->weighting = AT_LEFTMOST_HARD, g->tie = -0.5), "block 0, group 0: tie -0.5")
    CASE((g->weighting = AT_RIGHTMOST_HARD, g->tie = INFINITY), "block 0, group 0: tie inf")
    CASE(g->tie = NAN, "block 0, group 0: tie nan")
    CASE(g->mask = ((at_mask){AT_MASK_BLOCK_SPARSE, 0, 1, 1}), "block 0, group 0: mask block 0")
    CASE(g->mask = ((at_mask){AT_MASK_BLOCK_SPARSE, 2, 0, 1}), "block 0, group 0: mask windows 0")
    CASE(g->mask = ((at_mask){AT_MASK_BLOCK_SPARSE, 2, 1, 3}),
         "block 0, group 0: mask ends 3 out of range 1..2")
    CASE((g->weighting = AT_LINEAR, g->post = AT_POST_NEG_ABS),
         "linear weighting with post neg-abs is refused")
    CASE((g->weighting = AT_LINEAR, g->post = AT_POST_NEG_RELU),
         "linear weighting with post neg-relu is refused")
    CASE(mlp->act = AT_ACTS, "block 1: act number 4")
    CASE(mlp->n_dense = 0, "block 1: layers 0 out of range 1..64")
    CASE(mlp->dense[0].rows = 0, "block 1: rows of a layer 0")
    CASE(mlp->dense[1].rows = 3, "block 1: rows of the last layer 3 out of range 2..2")
    CASE((mlp->kind = AT_BLOCK_RNN, mlp->rnn.cell = AT_CELLS), "block 1: cell number 2")
    CASE((mlp->kind = AT_BLOCK_RNN, mlp->rnn.state = 0), "block 1: state 0 out of range 1..65536")
    CASE((mlp->kind = AT_BLOCK_RNN, mlp->rnn.cell = AT_CELL_GRU, mlp->rnn.state = 30000),
         "block 1: state 30000 out of range 1..21845")
    CASE(mlp->kind = AT_BLOCK_FLATTEN,
         "block 1: n_min, of a model that flattens its input, 1 out of range 4..4")
    CASE((mlp->kind = AT_BLOCK_FLATTEN, m->n_min = 4), "rows of the last layer 2 out of range 12..12")
    CASE((mlp->kind = AT_BLOCK_FLATTEN, m->n_min = m->n_max = 40000, m->pos[2].size = 40002),
         "block 1: numbers of all positions")
    CASE(m->readout.kind = AT_READS, "readout: kind number 7")
    CASE(m->readout.rows = 0, "readout: rows 0 out of range 1..262144")
    CASE((m->readout.kind = AT_READ_THRESHOLD, m->readout.threshold = NAN), "readout: threshold nan")
    CASE((m->readout.final_norm = true, m->readout.norm_eps = NAN), "readout: norm_eps nan")
    CASE(m->n_subspaces = -1, "model: n_subspaces -1")
    CASE(m->subspaces[0].width = 3, "subspace 0: width 3 out of range 1..2")
    CASE(strcpy(m->subspaces[0].name, "\xed\xa0\x80"), "subspace 0: name is not UTF-8")
#undef CASE
    return NULL;
}

static void lies_refused(void **state)
{
    (void)state;
    int n = 0;
    for (;; n++) {
        at_model m;
        at_err err = {0}, again = {0};
        rich_model(&m);
        const char *says = spoil(&m, n);
        if (!says) {
            at_model_release(&m);
            break;
        }
        at_status st = at_model_layout(&m, &err);
        if (!strstr(err.text, says) || at_exit_code(st) != 2)
            fail_msg("case %d: wanted \"%s\", got status %d \"%s\"", n, says, st, err.text);
        assert_int_equal(st == AT_EREFUSED, strstr(says, "refused") != NULL);
        assert_int_equal(at_model_validate(&m, &again), st);
        at_model_release(&m);
    }
    assert_true(n >= 60);
}

/* A tensor table or weights that do not fit the architecture. */
static void stale_tables_refused(void **state)
{
    (void)state;
    at_model m;
    for (int k = 0; k < 8; k++) {
        at_err err = {0};
        rich_model(&m);
        if (k == 0)
            m.blocks[0].groups[0].bias = true;
        else if (k == 1)
            m.tensors[2].offset++;
        else if (k == 2)
            m.readout.norm_g = 0;
        else if (k == 3)
            m.weights[5] = NAN;
        else if (k == 4)
            m.weights[m.tensors[1].offset + 1] = -INFINITY;
        else if (k == 5) {
            m.f32 = true;
            m.weights[0] = 0.1;
        } else if (k == 6) /* the name alone, and the number alone */
            m.tensors[2].name[0] = 'X';
        else
            m.blocks[0].groups[0].q++;
        static const char *const says[] = {"its architecture needs",
                                           "does not match the tensor table",
                                           "id 0 of an absent tensor",
                                           "tensor input.0.embed: weight 5 is nan, not finite",
                                           "tensor pos.0.embed: weight 1 is -inf, not finite",
                                           "not a float",
                                           "does not match the tensor table",
                                           "does not match the tensor table"};
        assert_true(at_model_validate(&m, &err) != AT_OK);
        if (!strstr(err.text, says[k]))
            fail_msg("case %d: wanted \"%s\", got \"%s\"", k, says[k], err.text);
        at_model_release(&m);
    }
}

/* ---- copy, size -------------------------------------------------------------------------------------- */

static void copy_is_deep(void **state)
{
    (void)state;
    for (uint64_t s = 0; s < 30; s++) {
        at_model m, c;
        at_err err = {0};
        char before[65], after[65];
        assert_int_equal(sample_random(&m, s, &err), AT_OK);
        assert_int_equal(at_model_hash(&m, before, &err), AT_OK);
        assert_int_equal(at_model_copy(&m, &c, &err), AT_OK);
        /* Spoil the original, then free it: the copy must not notice. */
        memset(m.weights, 0xff, m.n_weights * sizeof(double));
        for (int b = 0; b < m.n_blocks; b++) {
            if (m.blocks[b].n_groups)
                m.blocks[b].groups[0].heads = -1;
            if (m.blocks[b].n_dense)
                m.blocks[b].dense[0].rows = -1;
        }
        m.fields[0].size = -1;
        at_model_release(&m);
        assert_int_equal(at_model_validate(&c, &err), AT_OK);
        assert_int_equal(at_model_hash(&c, after, &err), AT_OK);
        assert_string_equal(before, after);
        at_model_release(&c);
    }
}

static void size_counted(void **state)
{
    (void)state;
    at_model m;
    at_size s;
    rich_model(&m);
    m.blocks[0].groups[0] = (at_group){.heads = 3, .dk = 2, .dv = 5, .scale = -7};
    at_err err = {0};
    assert_int_equal(at_model_layout(&m, &err), AT_OK);
    m.weights[3] = -6.5;
    at_model_size(&m, &s);
    assert_int_equal(s.layers, 1);
    assert_int_equal(s.mlps, 1);
    assert_int_equal(s.heads, 3);
    assert_int_equal(s.width, 2);
    assert_int_equal(s.head_dim, 5);
    assert_int_equal(s.hidden, 3);
    assert_int_equal(s.parameters, m.n_weights);
    assert_int_equal(s.nonzero, 1);
    assert_true(s.largest == 7);
    m.weights[3] = -8.5;
    at_model_size(&m, &s);
    assert_true(s.largest == 8.5);
    at_model_release(&m);
}

static void layout_without_memory(void **state)
{
    (void)state;
    at_model m, c;
    at_err err = {0};
    long k = 1;
    for (;; k++) {
        err.code = AT_OK;
        at_alloc_inject(k);
        at_status st = sample_random(&m, 3, &err);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        if (!fired) {
            assert_int_equal(st, AT_OK);
            break;
        }
        assert_int_equal(st, AT_ENOMEM);
    }
    assert_true(k > 1);
    for (k = 1;; k++) {
        err.code = AT_OK;
        at_alloc_inject(k);
        at_status st = at_model_copy(&m, &c, &err);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        at_model_release(&c);
        if (!fired)
            break;
        assert_int_equal(st, AT_ENOMEM);
    }
    assert_true(k > 1);
    at_model_release(&m);
}

/* FIPS 180-4's examples (one block, two blocks), the empty message, and a million 'a' in odd portions. */
static void sha256_examples(void **state)
{
    (void)state;
    static const struct {
        const char *message, *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmno"
         "pqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    model_sha256 s;
    char hex[65];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        model_sha256_init(&s);
        model_sha256_add(&s, cases[k].message, strlen(cases[k].message));
        model_sha256_hex(&s, hex);
        assert_string_equal(hex, cases[k].digest);
    }
    char portion[97];
    memset(portion, 'a', sizeof portion);
    model_sha256_init(&s);
    for (size_t left = 1000000, n; left > 0; left -= n) {
        n = left < sizeof portion ? left : sizeof portion;
        model_sha256_add(&s, portion, n);
    }
    model_sha256_hex(&s, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void utf8_strict(void **state)
{
    (void)state;
    static const char *const good[] = {
        "", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\x1b[0m", "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",
                                      "\xc3",
                                      "\xc1\xbf",
                                      "\xe0\x80\x80",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xe2\x82",
                                      "a\xff"};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        assert_true(model_utf8(good[k], strlen(good[k])));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(model_utf8(bad[k], strlen(bad[k])));
}

/* How many numbers a position adds: a table and sines as many as asked for, a pair two, all others one. */
static void positions_have_features(void **state)
{
    (void)state;
    for (int k = 0; k < AT_POS_KINDS; k++) {
        at_pos p = {.kind = (at_pos_kind)k, .size = 6};
        bool sized = k == AT_POS_SINUSOIDAL || k == AT_POS_TABLE;
        assert_int_equal(at_pos_features(&p), sized ? 6 : k == AT_POS_SQRT_PAIR ? 2 : 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_have_features),
        cmocka_unit_test(names_complete),
        cmocka_unit_test(choose_is_pascal),
        cmocka_unit_test(subsets_in_order),
        cmocka_unit_test(masks_as_defined),
        cmocka_unit_test(table_tiles_weights),
        cmocka_unit_test(table_named),
        cmocka_unit_test(lies_refused),
        cmocka_unit_test(stale_tables_refused),
        cmocka_unit_test(copy_is_deep),
        cmocka_unit_test(size_counted),
        cmocka_unit_test(layout_without_memory),
        cmocka_unit_test(sha256_examples),
        cmocka_unit_test(utf8_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
