/* test_file.c: model files: round trip, canonical bytes, identity, every way of lying, no memory.
 *
 * With a folder as argument it writes the seeds of the fuzz target there instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../core/test/test_folder.h"
#include "../model_internal.h"
#include "image.h"
#include "sample_model.h"

static char folder[TEST_FOLDER];

static int folder_make(void **state)
{
    (void)state;
    return test_folder_new(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *in_folder(const char *name)
{
    static char path[TEST_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* ---- honest files ---------------------------------------------------------------------------------- */

/* Everything the kinds use, field by field; the image cannot be the judge of itself. */
static void models_equal(const at_model *a, const at_model *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->n_min, b->n_min);
    assert_int_equal(a->n_max, b->n_max);
    assert_int_equal(a->pos_origin, b->pos_origin);
    assert_int_equal(a->f32, b->f32);
    assert_int_equal(a->n_prefix, b->n_prefix);
    assert_int_equal(a->n_suffix, b->n_suffix);
    if (a->n_prefix)
        assert_memory_equal(&a->prefix, &b->prefix, sizeof a->prefix);
    if (a->n_suffix)
        assert_memory_equal(&a->suffix, &b->suffix, sizeof a->suffix);
    assert_int_equal(a->n_fields, b->n_fields);
    for (int k = 0; k < a->n_fields; k++) {
        const at_field *f = &a->fields[k], *g = &b->fields[k];
        assert_string_equal(f->name, g->name);
        assert_int_equal(f->kind, g->kind);
        assert_int_equal(f->size, g->size);
        assert_int_equal(f->pick, g->pick);
        assert_true(f->lo == g->lo && f->hi == g->hi);
        assert_memory_equal(&f->embed, &g->embed, sizeof f->embed);
    }
    assert_int_equal(a->n_pos, b->n_pos);
    for (int k = 0; k < a->n_pos; k++)
        assert_memory_equal(&a->pos[k], &b->pos[k], sizeof *a->pos);
    assert_int_equal(a->n_blocks, b->n_blocks);
    for (int k = 0; k < a->n_blocks; k++) {
        const at_block *p = &a->blocks[k], *q = &b->blocks[k];
        assert_int_equal(p->kind, q->kind);
        assert_int_equal(p->residual, q->residual);
        assert_int_equal(p->norm, q->norm);
        assert_true(p->norm_eps == q->norm_eps);
        assert_int_equal(p->norm_g, q->norm_g);
        assert_int_equal(p->norm_b, q->norm_b);
        assert_int_equal(p->n_groups, q->n_groups);
        for (int g = 0; g < p->n_groups; g++) {
            const at_group *u = &p->groups[g], *v = &q->groups[g];
            assert_true(u->heads == v->heads && u->dk == v->dk && u->dv == v->dv);
            assert_true(u->weighting == v->weighting && u->post == v->post && u->bias == v->bias);
            assert_true(u->scale == v->scale && u->tie == v->tie);
            assert_memory_equal(&u->mask, &v->mask, sizeof u->mask);
            assert_memory_equal(&u->q, &v->q, 12 * sizeof(int));
        }
        if (p->kind == AT_BLOCK_RNN)
            assert_memory_equal(&p->rnn, &q->rnn, sizeof p->rnn);
        assert_int_equal(p->n_dense, q->n_dense);
        if (p->n_dense)
            assert_int_equal(p->act, q->act);
        for (int l = 0; l < p->n_dense; l++)
            assert_memory_equal(&p->dense[l], &q->dense[l], sizeof *p->dense);
    }
    const at_readout *r = &a->readout, *s = &b->readout;
    assert_true(r->kind == s->kind && r->rows == s->rows && r->threshold == s->threshold);
    assert_true(r->last == s->last && r->final_norm == s->final_norm && r->norm_eps == s->norm_eps);
    assert_memory_equal(&r->norm_g, &s->norm_g, 4 * sizeof(int));
    assert_int_equal(a->n_subspaces, b->n_subspaces);
    for (int k = 0; k < a->n_subspaces; k++) {
        assert_string_equal(a->subspaces[k].name, b->subspaces[k].name);
        assert_int_equal(a->subspaces[k].col, b->subspaces[k].col);
        assert_int_equal(a->subspaces[k].width, b->subspaces[k].width);
    }
    assert_int_equal(a->n_tensors, b->n_tensors);
    assert_true(a->n_weights == b->n_weights);
    assert_memory_equal(a->weights, b->weights, a->n_weights * sizeof(double));
}

static void round_trip(void **state)
{
    (void)state;
    bool weightings[AT_WEIGHTINGS] = {0}, masks[AT_MASKS] = {0}, pos[AT_POS_KINDS] = {0},
         reads[AT_READS] = {0};
    bool blocks[AT_BLOCK_KINDS] = {0}, cells[AT_CELLS] = {0}, acts[AT_ACTS] = {0}, norms[AT_NORMS] = {0},
         fields[AT_FIELD_KINDS] = {0}, posts[AT_POSTS] = {0};
    const char *path = in_folder("model.safetensors");
    for (uint64_t s = 0; s < 200; s++) {
        at_model m, back, disk;
        at_err err = {0};
        char *one, *two;
        size_t n_one, n_two;
        assert_int_equal(sample_random(&m, s, &err), AT_OK);
        assert_int_equal(at_model_image(&m, &one, &n_one, &err), AT_OK);
        assert_int_equal(at_model_parse(&back, one, n_one, "one", &err), AT_OK);
        models_equal(&m, &back);
        assert_int_equal(at_model_image(&back, &two, &n_two, &err), AT_OK);
        assert_true(n_one == n_two);
        assert_memory_equal(one, two, n_one);
        if (s < 20) {
            assert_int_equal(at_model_save(&m, path, &err), AT_OK);
            assert_int_equal(at_model_load(&disk, path, &err), AT_OK);
            models_equal(&m, &disk);
            at_model_release(&disk);
        }
        for (int k = 0; k < m.n_fields; k++)
            fields[m.fields[k].kind] = true;
        for (int k = 0; k < m.n_pos; k++)
            pos[m.pos[k].kind] = true;
        for (int b = 0; b < m.n_blocks; b++) {
            norms[m.blocks[b].norm] = true;
            blocks[m.blocks[b].kind] = true;
            if (m.blocks[b].kind == AT_BLOCK_RNN)
                cells[m.blocks[b].rnn.cell] = true;
            if (at_block_dense(&m.blocks[b]))
                acts[m.blocks[b].act] = true;
            for (int g = 0; g < m.blocks[b].n_groups; g++) {
                weightings[m.blocks[b].groups[g].weighting] = true;
                masks[m.blocks[b].groups[g].mask.kind] = true;
                posts[m.blocks[b].groups[g].post] = true;
            }
        }
        reads[m.readout.kind] = true;
        at_free(one);
        at_free(two);
        at_model_release(&m);
        at_model_release(&back);
    }
    unlink(path);
#define ALL(seen)                                                                                            \
    for (size_t k = 0; k < sizeof seen; k++)                                                                 \
    assert_true(seen[k])
    ALL(weightings);
    ALL(masks);
    ALL(pos);
    ALL(reads);
    ALL(acts);
    ALL(blocks);
    ALL(cells);
    ALL(norms);
    ALL(fields);
    ALL(posts);
#undef ALL
}

/* Doubles of the architecture survive exactly, also those that decimal notation treats worst. */
static void doubles_exact(void **state)
{
    (void)state;
    static const double hard[] = {0.1,  5e-324, 2.2250738585072011e-308, 1.7976931348623157e308, -0.0,
                                  1e22, 1.0 / 3};
    for (size_t k = 0; k < sizeof hard / sizeof *hard; k++) {
        at_model m, back;
        at_err err = {0};
        char *bytes;
        size_t n;
        assert_int_equal(sample_plain(&m, &err), AT_OK);
        m.blocks[0].groups[0].scale = m.weights[0] = hard[k];
        assert_int_equal(at_model_image(&m, &bytes, &n, &err), AT_OK);
        assert_int_equal(at_model_parse(&back, bytes, n, "hard", &err), AT_OK);
        assert_memory_equal(&back.blocks[0].groups[0].scale, &hard[k], sizeof(double));
        assert_memory_equal(&back.weights[0], &hard[k], sizeof(double));
        at_free(bytes);
        at_model_release(&m);
        at_model_release(&back);
    }
}

/* The identity of one model is written down: if it changes, every ledger's cells are orphaned, so a change
 * of format must be noticed. And any one weight or number changes it. */
static void identity(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    char first[65], next[65];
    assert_int_equal(sample_plain(&m, &err), AT_OK);
    assert_int_equal(at_model_hash(&m, first, &err), AT_OK);
    assert_string_equal(first, "657c61238d5df9c2ec3a3a12ccfd121444f7b19b718c841321fb43b91cc90de3");
    for (size_t i = 0; i < m.n_weights; i++) {
        double w = m.weights[i];
        m.weights[i] = nextafter(w, 1e9);
        assert_int_equal(at_model_hash(&m, next, &err), AT_OK);
        assert_string_not_equal(first, next);
        m.weights[i] = w;
    }
    m.blocks[0].groups[0].scale = nextafter(0.1, 1);
    assert_int_equal(at_model_hash(&m, next, &err), AT_OK);
    assert_string_not_equal(first, next);
    m.blocks[0].groups[0].scale = 0.1;
    /* What a kind does not use is not part of the identity. */
    m.blocks[0].groups[0].tie = 3;
    m.blocks[0].groups[0].mask.block = 7;
    assert_int_equal(at_model_hash(&m, next, &err), AT_OK);
    assert_string_equal(first, next);
    at_model_release(&m);
}

/* A tie of leftmost- and rightmost-hard is a key only where it is not 0: files without it are what they were. */
static void tie_optional(void **state)
{
    (void)state;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int tied = 0; tied < 2; tied++) {
            at_model m, back;
            at_err err = {0};
            assert_int_equal(sample_plain(&m, &err), AT_OK);
            at_group *g = &m.blocks[0].groups[0];
            g->weighting = (at_weighting)w;
            g->tie = tied ? 0.125 : 0;
            assert_int_equal(at_model_layout(&m, &err), AT_OK);
            image im = image_of(&m);
            char *text = model_arch_print(&m, &err);
            assert_non_null(text);
            bool key = strstr(text, "\"tie\":") != NULL;
            at_free(text);
            assert_int_equal(key, w == AT_AVERAGE_HARD || (tied && at_weighting_hard(g->weighting)));
            assert_int_equal(at_model_parse(&back, im.bytes, im.n, "f", &err), AT_OK);
            assert_true(back.blocks[0].groups[0].tie == (at_weighting_hard(g->weighting) ? g->tie : 0));
            at_model_release(&back);
            if (tied && key) { /* a tie below 0 is refused; one of 0 that another writer put there is 0 */
                image wrong = image_edit(&im, "\\\"tie\\\":0.125", "\\\"tie\\\":-0.125");
                image_refused(&wrong, "tie", "block 0, group 0: tie -0.125 must be finite and at least 0");
                image zero = image_edit(&im, "\\\"tie\\\":0.125", "\\\"tie\\\":0");
                char one[65], other[65];
                assert_int_equal(at_model_parse(&back, zero.bytes, zero.n, "f", &err), AT_OK);
                g->tie = 0;
                assert_int_equal(at_model_hash(&m, one, &err), AT_OK);
                assert_int_equal(at_model_hash(&back, other, &err), AT_OK);
                assert_string_equal(one, other);
                at_model_release(&back);
                free(wrong.bytes);
                free(zero.bytes);
            }
            free(im.bytes);
            at_model_release(&m);
        }
}

/* ---- lying files ------------------------------------------------------------------------------------- */

static image image_plain(void)
{
    at_model m;
    at_err err = {0};
    assert_int_equal(sample_plain(&m, &err), AT_OK);
    image im = image_of(&m);
    at_model_release(&m);
    return im;
}

/* \" is how a quote of the architecture looks inside the header. */
static const image_lie edits[] = {
    /* tensors */
    {"\"data_offsets\":[64,80]", "\"data_offsets\":[-8,8]", "tensor block.0.attn.0.k: data_offsets"},
    {"\"data_offsets\":[64,80]", "\"data_offsets\":[80,64]", "tensor block.0.attn.0.k: data_offsets"},
    {"\"data_offsets\":[64,80]", "\"data_offsets\":[64,88]",
     "tensor block.0.attn.0.k: data_offsets must span 16"},
    {"\"data_offsets\":[64,80]", "\"data_offsets\":[64]", "tensor block.0.attn.0.k: data_offsets"},
    {"\"data_offsets\":[64,80]", "\"data_offsets\":[64.0,80.0]", "tensor block.0.attn.0.k: data_offsets"},
    {"\"data_offsets\":[64,80]", "\"data_offsets\":[48,64]", "begins at byte 48 of the data instead of 64"},
    {"\"data_offsets\":[64,80]", "\"data_offsets\":[56,72]", "begins at byte 56 of the data instead of 64"},
    {"\"data_offsets\":[176,192]", "\"data_offsets\":[184,200]",
     "begins at byte 184 of the data instead of 176"},
    {"\"data_offsets\":[176,192]", "\"data_offsets\":[9223372036854775791,9223372036854775807]",
     "begins at byte"},
    {"\"data_offsets\":[176,192]", "\"data_offsets\":[176,99999999999999999999]", "header is not JSON"},
    {"\"data_offsets\":[64,80],", "", "tensor block.0.attn.0.k: data_offsets"},
    {"\"dtype\":\"F64\",\"shape\":[3,2]", "\"dtype\":\"F32\",\"shape\":[3,2]",
     "tensor input.0.embed: dtype must be F64"},
    {"\"dtype\":\"F64\",\"shape\":[3,2]", "\"dtype\":64,\"shape\":[3,2]",
     "tensor input.0.embed: dtype must be F64"},
    {"\"shape\":[3,2]", "\"shape\":[2,3]", "tensor input.0.embed: shape must be [3,2]"},
    {"\"shape\":[3,2]", "\"shape\":[3,4]", "tensor input.0.embed: shape must be [3,2]"},
    {"\"shape\":[3,2]", "\"shape\":[6]", "tensor input.0.embed: shape must be [3,2]"},
    {"\"shape\":[3,2]", "\"shape\":[3,2,1]", "tensor input.0.embed: shape must be [3,2]"},
    {"\"shape\":[3,2]", "\"shape\":[-3,-2]", "tensor input.0.embed: shape must be [3,2]"},
    {"\"shape\":[3,2]", "\"shape\":\"3,2\"", "tensor input.0.embed: shape must be [3,2]"},
    {"\"shape\":[3,2]", "\"shape\":[3,2],\"note\":1", "tensor input.0.embed: unknown key \"note\""},
    {"\"shape\":[3,2]", "\"shape\":[3,2],\"shape\":[3,2]", "duplicate"},
    {"\"readout.b\":{", "\"readout.c\":{", "tensor readout.b is missing"},
    {"\"readout.b\":{", "\"evil\x1b[2J\":{\"dtype\":\"F64\"},\"readout.b\":{", "not JSON"},
    {"\"readout.b\":{", "\"evil\\u001b[2J\":{\"dtype\":\"F64\"},\"readout.b\":{",
     "tensor evil?[2J is not part of"},
    {"\"readout.b\":{", "\"readout.b\":3,\"x\":{", "tensor readout.b is not an object"},
    /* metadata */
    {"\"__metadata__\":", "\"__meta__\":", "without an architecture"},
    {",\"format\":\"attest\"", "", "__metadata__ format"},
    {"\"format\":\"attest\"", "\"format\":\"pt\"", "__metadata__ format"},
    {"\"format\":\"attest\"", "\"format\":\"attest\",\"by\":\"x\"", "__metadata__: unknown key \"by\""},
    {"{\"__metadata__\":", "{\"a\":[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]],\"__metadata__\":",
     "nests deeper than 16"},
    {"{\"__metadata__\":", "[{\"__metadata__\":", "header is not JSON"},
    {"\"__metadata__\":{\"attest\":\"{", "\"__metadata__\":{\"attest\":\"[{", "architecture is not JSON"},
    /* architecture */
    {"\\\"version\\\":1", "\\\"version\\\":2",
     "format version 2; this build reads version 1 (the file is newer)"},
    {"\\\"version\\\":1", "\\\"version\\\":0", "format version 0; this build reads version 1"},
    {"\\\"version\\\":1", "\\\"version\\\":1.5", "version is not an integer"},
    {"\\\"version\\\":1", "\\\"version\\\":1,\\\"color\\\":2", "color is not a key that is known here"},
    {"\\\"version\\\":1", "\\\"version\\\":1,\\\"version\\\":1", "duplicate"},
    {"\\\"version\\\":1", "\\\"version\\\":1,\\\"x\\\":[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]",
     "architecture nests deeper"},
    {",\\\"n_max\\\":4", "", "n_max is missing"},
    {"\\\"n_max\\\":4", "\\\"n_max\\\":4294967297", "n_max is not an integer of 32 bits"},
    {"\\\"n_max\\\":4", "\\\"n_max\\\":0", "f: model: n_max 0 out of range"},
    {"\\\"scale\\\":0.10000000000000001", "\\\"scale\\\":1e999", "architecture is not JSON"},
    {"\\\"scale\\\":0.10000000000000001", "\\\"scale\\\":NaN", "architecture is not JSON"},
    {"\\\"scale\\\":0.10000000000000001", "\\\"scale\\\":\\\"1\\\"",
     "blocks[0].groups[0].scale is not a number"},
    {"\\\"bias\\\":false", "\\\"bias\\\":0", "blocks[0].groups[0].bias is not true or false"},
    {"\\\"bias\\\":false", "\\\"bias\\\":true", "192 bytes of data; the architecture needs 240"},
    {"\\\"weighting\\\":\\\"softmax\\\"", "\\\"weighting\\\":\\\"sofmax\\\"",
     "weighting \"sofmax\" is unknown; did you mean \"softmax\"?"},
    {"\\\"weighting\\\":\\\"softmax\\\"", "\\\"weighting\\\":null", "weighting is not a string"},
    {"\\\"weighting\\\":\\\"softmax\\\"", "\\\"weighting\\\":\\\"average-hard\\\"",
     "blocks[0].groups[0].tie is missing"},
    {"\\\"mask\\\":{\\\"kind\\\":\\\"none\\\"}", "\\\"mask\\\":3",
     "blocks[0].groups[0].mask. is not an object"},
    {"\\\"mask\\\":{\\\"kind\\\":\\\"none\\\"}", "\\\"mask\\\":{\\\"kind\\\":\\\"none\\\",\\\"block\\\":2}",
     "mask.block is not a key"},
    {"\\\"positions\\\":[]", "\\\"positions\\\":{}", "positions is not an array of at most 256"},
    {"\\\"positions\\\":[]", "\\\"positions\\\":[7]", "positions[0]. is not an object"},
    {"\\\"positions\\\":[]",
     "\\\"fields\\\":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}],\\\"positions\\\":[]", "duplicate"},
    {"\\\"name\\\":\\\"plain\\\"", "\\\"name\\\":\\\"a\\\\u0000b\\\"", "architecture is not JSON"},
    {"\\\"name\\\":\\\"plain\\\"",
     "\\\"name\\\":\\\"0123456789012345678901234567890123456789012345678901234567890123\\\"",
     "name is not a string of"},
    {"\\\"name\\\":\\\"plain\\\"", "\\\"name\\\":5", "name is not a string of"},
    {"\\\"size\\\":3", "\\\"size\\\":2147483647", "the model would exceed"},
    {"\\\"size\\\":3", "\\\"size\\\":1000000000", "bytes of data; the architecture needs 16000000144"},
    {"\\\"heads\\\":1", "\\\"heads\\\":-1", "f: block 0, group 0: heads -1"},
    {"\\\"post\\\":\\\"id\\\",\\\"scale\\\":0.10000000000000001,\\\"weighting\\\":\\\"softmax\\\"",
     "\\\"post\\\":\\\"neg-abs\\\",\\\"scale\\\":1,\\\"weighting\\\":\\\"linear\\\"", "is refused"},
};

static void lies_in_header(void **state)
{
    (void)state;
    image im = image_plain();
    image_lies(&im, edits, sizeof edits / sizeof *edits);
    /* Blanks and another order of keys and data are no lies. */
    image other = image_edit(&im, "{\"__metadata__\"", " {\n\"__metadata__\" ");
    image swapped = image_edit(&other, "\"data_offsets\":[64,80]", "\"data_offsets\":[48,64]");
    image both = image_edit(&swapped, "\"block.0.attn.0.q\":{\"data_offsets\":[48,64]",
                            "\"block.0.attn.0.q\":{\"data_offsets\":[64,80]");
    at_model m;
    at_err err = {0};
    assert_int_equal(at_model_parse(&m, both.bytes, both.n, "f", &err), AT_OK);
    const at_group *g = &m.blocks[0].groups[0];
    assert_true(at_model_data(&m, g->k)[0] == 0.5 * 6 && at_model_data(&m, g->q)[0] == 0.5 * 8);
    at_model_release(&m);
    free(other.bytes);
    free(swapped.bytes);
    free(both.bytes);
    free(im.bytes);
}

static void lies_in_bytes(void **state)
{
    (void)state;
    image im = image_plain();
    for (size_t n = 0; n < im.n; n++) { /* every truncation */
        image cut = {im.bytes, n, 0};
        image_refused(&cut, "truncated", "");
    }
    image longer = image_make(im.bytes + 8, im.header, im.bytes + 8 + im.header, im.n - 8 - im.header);
    longer.bytes = realloc(longer.bytes, im.n + 1);
    longer.bytes[longer.n++] = 0;
    image_refused(&longer, "one byte more", "193 bytes of data; the architecture needs 192");
    longer.n--;
    /* the header's length */
    static const uint64_t lengths[] = {
        0, 1, UINT64_MAX, UINT64_MAX - 7, (uint64_t)1 << 63, (64u << 20) + 1, 1u << 31};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        at_le_put(longer.bytes, lengths[k], 8);
        image_refused(&longer, "header length", k < 2 ? "not JSON" : "header of");
    }
    free(longer.bytes);
    /* weights: the last one of the q tensor becomes NaN, then infinite */
    static const struct {
        uint64_t bits;
        const char *says;
    } values[] = {{0x7ff8000000000000, "f: tensor block.0.attn.0.q: weight 1 is nan, not finite"},
                  {0x7ff0000000000001, "f: tensor block.0.attn.0.q: weight 1 is nan, not finite"},
                  {0xfff0000000000000, "f: tensor block.0.attn.0.q: weight 1 is -inf, not finite"}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        at_le_put(im.bytes + 8 + im.header + 56, values[k].bits, 8);
        image_refused(&im, "weight", values[k].says);
    }
    free(im.bytes);
}

/* A header that promises far more than the file holds must not cost memory first. */
static void cost_before_memory(void **state)
{
    (void)state;
    image im = image_plain();
    image lie = image_edit(&im, "\\\"size\\\":3", "\\\"size\\\":1000000000");
    at_alloc_ceiling(1 << 20);
    image_refused(&lie, "promises 16 GB", "the architecture needs");
    at_alloc_ceiling(0);
    free(lie.bytes);
    free(im.bytes);
}

static void not_files(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    assert_int_equal(at_model_load(&m, in_folder("absent"), &err), AT_EIO);
    assert_non_null(strstr(err.text, "No such file"));
    at_model_release(&m);
    err.code = AT_OK;
    assert_int_equal(at_model_load(&m, folder, &err), AT_EIO);
    assert_non_null(strstr(err.text, "directory"));
    at_model_release(&m);
    err.code = AT_OK;
    assert_int_equal(at_model_load(&m, "/dev/zero", &err), AT_EIO); /* a device has no end */
    at_model_release(&m);
    const char *path = in_folder("sparse");
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    /* 64 GiB of nothing, with a header that would fit into the file but is longer than 64 MiB */
    assert_int_equal(fwrite("\1\0\0\4\0\0\0", 8, 1, f), 1);
    fclose(f);
    assert_int_equal(truncate(path, (off_t)1 << 36), 0);
    err.code = AT_OK;
    assert_int_equal(at_model_load(&m, path, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "header of 67108865 bytes; at most 67108864 fit"));
    unlink(path);
    at_model_release(&m);
    err.code = AT_OK;
    assert_int_equal(sample_plain(&m, &err), AT_OK);
    assert_int_equal(at_model_save(&m, in_folder("absent/model"), &err), AT_EIO);
    err.code = AT_OK;
    m.weights[0] = NAN;
    assert_int_equal(at_model_save(&m, in_folder("nan"), &err), AT_EDOMAIN);
    assert_int_equal(access(in_folder("nan"), F_OK), -1);
    at_model_release(&m);
}

/* ---- no memory ---------------------------------------------------------------------------------------- */

typedef struct {
    at_model m, out;
    char *bytes;
    size_t n;
    char hash[65];
} bench;

static at_status do_save(bench *b, at_err *err)
{
    return at_model_save(&b->m, in_folder("oom"), err);
}
static at_status do_load(bench *b, at_err *err)
{
    at_status st = at_model_load(&b->out, in_folder("oom"), err);
    at_model_release(&b->out);
    return st;
}
static at_status do_parse(bench *b, at_err *err)
{
    at_status st = at_model_parse(&b->out, b->bytes, b->n, "f", err);
    at_model_release(&b->out);
    return st;
}
static at_status do_hash(bench *b, at_err *err)
{
    return at_model_hash(&b->m, b->hash, err);
}

/* Every allocation of every operation fails once: the answer is AT_ENOMEM, nothing leaks, and the next
 * try works. A file that was there before a failed save is still whole. */
static void without_memory(void **state)
{
    (void)state;
    at_status (*const operations[])(bench *, at_err *) = {do_save, do_load, do_parse, do_hash};
    static const uint64_t streams[] = {0, 6, 9};
    for (size_t s = 0; s < 3; s++) {
        bench b;
        at_err err = {0};
        assert_int_equal(sample_random(&b.m, streams[s], &err), AT_OK);
        assert_int_equal(at_model_image(&b.m, &b.bytes, &b.n, &err), AT_OK);
        assert_int_equal(do_save(&b, &err), AT_OK);
        for (size_t op = 0; op < 4; op++) {
            long k = 1;
            for (bool fired = true; fired; k++) {
                at_err mine = {0};
                at_alloc_inject(k);
                at_status st = operations[op](&b, &mine);
                fired = at_alloc_injected();
                at_alloc_inject(0);
                if (st != (fired ? AT_ENOMEM : AT_OK))
                    fail_msg("operation %zu, allocation %ld: status %d \"%s\"", op, k, st, mine.text);
                if (op == 0)
                    assert_int_equal(do_load(&b, &mine), AT_OK);
            }
            assert_true(k > 5);
        }
        at_free(b.bytes);
        at_model_release(&b.m);
        unlink(in_folder("oom"));
    }
}

/* ---- seeds --------------------------------------------------------------------------------------------- */

/* Each model as a file, and its architecture alone. */
static at_status seed_write(const at_model *m, const char *to, size_t k, at_err *err)
{
    char path[512];
    snprintf(path, sizeof path, "%s/file%zu", to, k);
    at_status st = at_model_save(m, path, err);
    char *arch = st == AT_OK ? model_arch_print(m, err) : NULL;
    if (!arch)
        return err->code;
    snprintf(path, sizeof path, "%s/arch%zu", to, k);
    st = at_file_write(path, arch, strlen(arch), err);
    at_free(arch);
    return st;
}

static int seeds_write(const char *to)
{
    static const uint64_t streams[] = {3, 12, 17, 29};
    at_err err = {0};
    for (size_t k = 0; k < sizeof streams / sizeof *streams + 2; k++) {
        at_model m;
        at_status st = k == 0   ? sample_tiny(&m, &err)
                       : k == 1 ? sample_plain(&m, &err)
                                : sample_random(&m, streams[k - 2], &err);
        if (st == AT_OK)
            st = seed_write(&m, to, k, &err);
        at_model_release(&m);
        if (st != AT_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return seeds_write(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),         cmocka_unit_test(doubles_exact),
        cmocka_unit_test(identity),           cmocka_unit_test(tie_optional),
        cmocka_unit_test(lies_in_header),     cmocka_unit_test(lies_in_bytes),
        cmocka_unit_test(cost_before_memory), cmocka_unit_test(not_files),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
