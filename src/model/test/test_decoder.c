/* test_decoder.c: the stop rule of a model: what can be a decoder, its place in the file, its part in the hash.
 *
 * Files and hashes of models that are no decoders are what they were before there were decoders: the
 * hashes below were taken from that version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "../model_internal.h"
#include "sample_model.h"

static void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

/* Tokens 0..2, a causal head and a sparse one, argmax over all three; stops after token 2. */
static void token_decoder(at_model *m)
{
    at_err err = {0};
    must(sample_plain(m, &err), &err);
    at_group *g = at_new(&m->arena, at_group, 2);
    assert_non_null(g);
    g[0] = g[1] = m->blocks[0].groups[0];
    g[0].mask = (at_mask){.kind = AT_MASK_CAUSAL};
    g[1].mask = (at_mask){AT_MASK_BLOCK_SPARSE, 2, 1, 1};
    m->blocks[0].groups = g;
    m->blocks[0].n_groups = 2;
    m->n_pos = 1;
    m->pos = at_new(&m->arena, at_pos, 1);
    assert_non_null(m->pos);
    m->pos[0] = (at_pos){.kind = AT_POS_I, .embed = {0, 1, 0}};
    m->readout.rows = 3;
    m->decode = (at_decode){true, AT_STOP_EQUALS, 0, 2, 3, 1, 2};
    must(at_model_layout(m, &err), &err);
}

/* Two integers of [0,5] and one of [-1,1]; all three are rounded. */
static void row_decoder(at_model *m)
{
    at_err err = {0};
    must(sample_tiny(m, &err), &err);
    m->fields = at_new(&m->arena, at_field, 2);
    assert_non_null(m->fields);
    m->n_fields = 2;
    m->fields[0] = (at_field){.name = "a", .kind = AT_FIELD_INT, .size = 2, .hi = 5, .embed = {0, 2, 0}};
    m->fields[1] =
        (at_field){.name = "b", .kind = AT_FIELD_INT, .size = 1, .lo = -1, .hi = 1, .embed = {0, 2, 0}};
    m->readout.kind = AT_READ_ROUND;
    m->readout.rows = 3;
    m->decode = (at_decode){true, AT_STOP_EQUALS, 2, -1, 3, 1, 2};
    must(at_model_layout(m, &err), &err);
}

/* ---- what can be a decoder ----------------------------------------------------------------------------- */

static void suffix(at_model *m)
{
    m->n_suffix = 1;
    m->suffix.width = 1;
}
static void over_n(at_model *m)
{
    m->pos[0].kind = AT_POS_I_OVER_N;
}
static void over_n3(at_model *m)
{
    m->pos[0].kind = AT_POS_I_OVER_N3;
}
static void length(at_model *m)
{
    m->pos[0].kind = AT_POS_N;
}
static void no_mask(at_model *m)
{
    m->blocks[0].groups[1].mask.kind = AT_MASK_NONE;
}
static void future(at_model *m)
{
    m->blocks[0].groups[1].mask.kind = AT_MASK_FUTURE;
}
static void strict_future(at_model *m)
{
    m->blocks[0].groups[0].mask.kind = AT_MASK_STRICT_FUTURE;
}
static void sign(at_model *m)
{
    m->readout.kind = AT_READ_SIGN;
}
static void raw(at_model *m)
{
    m->readout.kind = AT_READ_RAW;
}
static void threshold(at_model *m)
{
    m->readout.kind = AT_READ_THRESHOLD;
}
static void many_rows(at_model *m)
{
    m->readout.rows = 4;
}
static void argmax(at_model *m)
{
    m->readout.kind = AT_READ_ARGMAX;
}
static void rounded(at_model *m)
{
    m->readout.kind = AT_READ_ROUND;
}
static void real(at_model *m)
{
    m->fields[1].kind = AT_FIELD_REAL;
}
static void few_rows(at_model *m)
{
    m->readout.rows = 2;
}
static void stop_kind(at_model *m)
{
    m->decode.stop = AT_STOPS;
}
static void no_steps(at_model *m)
{
    m->decode.max_steps = 0;
}
static void many_steps(at_model *m)
{
    m->decode.max_steps = 5;
}
static void no_prompt(at_model *m)
{
    m->decode.prompt_min = 0;
}
static void empty_prompt(at_model *m)
{
    m->n_min = m->decode.prompt_min = 0;
}
static void prompt_below(at_model *m)
{
    m->n_min = 2;
}
static void prompt_order(at_model *m)
{
    m->decode.prompt_min = 2;
    m->decode.prompt_max = 1;
}
static void prompt_long(at_model *m)
{
    m->decode.prompt_max = 4;
}
static void steps_fit(at_model *m)
{
    m->decode.stop = AT_STOP_STEPS;
}
static void coordinate(at_model *m)
{
    m->decode.coordinate = 3;
}
static void coordinate_negative(at_model *m)
{
    m->decode.coordinate = -1;
}
static void value_large(at_model *m)
{
    m->decode.value = 3;
}
static void value_fraction(at_model *m)
{
    m->decode.value = 0.5;
}
static void value_nan(at_model *m)
{
    m->decode.value = __builtin_nan("");
}
static void value_unsaid(at_model *m) /* a token of the input that argmax never gives */
{
    m->readout.rows = 2;
}

/* At most one row of 1,0/0..3,0/0, then 0,0/0. */
static void stretches(at_model *m)
{
    static double lo[3] = {1}, hi[3] = {3}, zero[3];
    lo[0] = 1, hi[0] = 3;
    m->decode.prompt = at_new(&m->arena, at_stretch, 2);
    assert_non_null(m->decode.prompt);
    m->decode.prompt[0] = (at_stretch){0, 1, 3, lo, hi};
    m->decode.prompt[1] = (at_stretch){1, 1, 3, zero, zero};
    m->decode.n_prompt = 2;
}
static void stretch_few(at_model *m)
{
    stretches(m);
    m->decode.prompt += 1;
    m->decode.n_prompt = 1;
}
static void stretch_loose(at_model *m)
{
    stretches(m);
    m->decode.prompt[1].rows_min = 0;
}
static void stretch_wide(at_model *m)
{
    stretches(m);
    m->decode.prompt[1].width = 2;
}
static void stretch_outside(at_model *m)
{
    stretches(m);
    m->decode.prompt[0].lo[0] = 0;
    m->decode.prompt[0].hi[0] = 6;
}
static void stretch_fraction(at_model *m)
{
    stretches(m);
    m->decode.prompt[0].lo[0] = 0.5;
}
static void stretch_nan(at_model *m)
{
    stretches(m);
    m->decode.prompt[0].lo[0] = __builtin_nan("");
}
static void stretch_empty(at_model *m)
{
    stretches(m);
    m->decode.prompt[0].lo[0] = 4;
}
static void stretch_rows(at_model *m)
{
    stretches(m);
    m->decode.prompt[1].rows_min = 2;
}
static void stretch_none(at_model *m)
{
    stretches(m);
    m->decode.n_prompt = 0;
}

static const struct {
    void (*begin)(at_model *m), (*spoil)(at_model *m);
    at_status code;
    const char *says;
} bad[] = {
    {token_decoder, suffix, AT_EREFUSED, "decoder: 1 suffix rows"},
    {token_decoder, over_n, AT_EREFUSED, "decoder: position feature 0 is i/n, which changes with the length"},
    {token_decoder, over_n3, AT_EREFUSED, "decoder: position feature 0 is i/n^3"},
    {token_decoder, length, AT_EREFUSED, "decoder: position feature 0 is n,"},
    {token_decoder, no_mask, AT_EREFUSED, "decoder: block 0, group 1 has mask none"},
    {token_decoder, future, AT_EREFUSED, "decoder: block 0, group 1 has mask future"},
    {token_decoder, strict_future, AT_EREFUSED, "decoder: block 0, group 0 has mask strict-future"},
    {token_decoder, sign, AT_EREFUSED, "decoder: readout sign gives no row"},
    {token_decoder, raw, AT_EREFUSED, "decoder: readout raw gives no row"},
    {row_decoder, threshold, AT_EREFUSED, "decoder: readout threshold gives no row"},
    {token_decoder, many_rows, AT_EREFUSED, "decoder: argmax over 4 rows, but there are only 3 tokens"},
    {token_decoder, rounded, AT_EREFUSED, "decoder: rounding gives integers, but field 0 is of kind token"},
    {row_decoder, argmax, AT_EREFUSED,
     "decoder: argmax gives one token, but the input is not one token field"},
    {row_decoder, real, AT_EREFUSED, "decoder: rounding gives integers, but field 1 is of kind real"},
    {row_decoder, few_rows, AT_EREFUSED, "decoder: 2 rows are read, but a row of input has 3 numbers"},
    {token_decoder, stop_kind, AT_EDOMAIN, "decoder: stop number 2 out of range 0..1"},
    {token_decoder, no_steps, AT_EDOMAIN, "decoder: max_steps 0 out of range 1..4"},
    {token_decoder, many_steps, AT_EDOMAIN, "decoder: max_steps 5 out of range 1..4"},
    {token_decoder, no_prompt, AT_EDOMAIN, "decoder: prompt_min 0 out of range 1..3"},
    {token_decoder, empty_prompt, AT_EDOMAIN,
     "decoder: prompt_min is 0 and there is no prefix: the empty prompt has no last position"},
    {token_decoder, prompt_below, AT_EDOMAIN, "decoder: prompt_min 1 out of range 2..3"},
    {token_decoder, prompt_order, AT_EDOMAIN, "decoder: prompt_max 1 out of range 2..3"},
    {token_decoder, prompt_long, AT_EDOMAIN, "decoder: prompt_max 4 out of range 1..3"},
    {token_decoder, steps_fit, AT_EDOMAIN, "decoder: prompt_max + max_steps 5 out of range 1..4"},
    {row_decoder, coordinate, AT_EDOMAIN, "decoder: coordinate 3 out of range 0..2"},
    {row_decoder, coordinate_negative, AT_EDOMAIN, "decoder: coordinate -1 out of range 0..2"},
    {row_decoder, value_large, AT_EDOMAIN, "decoder: value 3 must be an integer in -1..1"},
    {row_decoder, value_fraction, AT_EDOMAIN, "decoder: value 0.5 must be an integer in -1..1"},
    {row_decoder, value_nan, AT_EDOMAIN, "decoder: value nan must be"},
    {token_decoder, value_unsaid, AT_EDOMAIN, "decoder: value 2 must be an integer in 0..1"},
    {row_decoder, stretch_few, AT_EDOMAIN, "decoder: rows_max of all stretches 1 out of range 2..2"},
    {row_decoder, stretch_loose, AT_EDOMAIN, "decoder: stretches of several lengths 2 out of range 0..1"},
    {row_decoder, stretch_wide, AT_EDOMAIN, "decoder: prompt[1]: numbers of lo and hi 2 out of range 3..3"},
    {row_decoder, stretch_outside, AT_EDOMAIN, "decoder: prompt[0]: 0..6 must be integers in 0..5"},
    {row_decoder, stretch_fraction, AT_EDOMAIN, "decoder: prompt[0]: 0.5..3 must be integers in 0..5"},
    {row_decoder, stretch_nan, AT_EDOMAIN, "decoder: prompt[0]: nan..3 must be integers in 0..5"},
    {row_decoder, stretch_empty, AT_EDOMAIN, "decoder: prompt[0]: 4..3 must be integers in 0..5"},
    {row_decoder, stretch_rows, AT_EDOMAIN, "decoder: prompt[1]: rows_min 2 out of range 0..1"},
    {row_decoder, stretch_none, AT_EDOMAIN, "decoder: stretches of the prompt 0 out of range 1..64"},
};

static void refusals(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_model m;
        at_err err = {0};
        bad[k].begin(&m);
        bad[k].spoil(&m);
        at_status st = at_model_layout(&m, &err);
        if (st != bad[k].code || !strstr(err.text, bad[k].says))
            fail_msg("\"%s\": %d, %s", bad[k].says, (int)st, err.text);
        /* the same architecture is a model, when it need not decode (an enumerator that is none aside) */
        m.decode.enabled = false;
        err = (at_err){0};
        must(at_model_layout(&m, &err), &err);
        at_model_release(&m);
    }
}

/* ---- file and hash ---------------------------------------------------------------------------------------- */

static void decode_equal(const at_decode *a, const at_decode *b)
{
    assert_int_equal(a->enabled, b->enabled);
    assert_int_equal(a->stop, b->stop);
    assert_int_equal(a->coordinate, b->coordinate);
    assert_true(a->value == b->value);
    assert_int_equal(a->max_steps, b->max_steps);
    assert_int_equal(a->prompt_min, b->prompt_min);
    assert_int_equal(a->prompt_max, b->prompt_max);
    assert_int_equal(a->n_prompt, b->n_prompt);
    for (int k = 0; k < a->n_prompt; k++) {
        const at_stretch *s = &a->prompt[k], *r = &b->prompt[k];
        assert_true(s != r && s->lo != r->lo && s->hi != r->hi); /* nothing is shared */
        assert_int_equal(s->rows_min, r->rows_min);
        assert_int_equal(s->rows_max, r->rows_max);
        assert_int_equal(s->width, r->width);
        assert_memory_equal(s->lo, r->lo, (size_t)s->width * sizeof *s->lo);
        assert_memory_equal(s->hi, r->hi, (size_t)s->width * sizeof *s->hi);
    }
}

static void round_trip(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        at_model m, back, copy;
        at_err err = {0};
        char *bytes, one[65], two[65];
        size_t n;
        if (k % 2)
            row_decoder(&m);
        else
            token_decoder(&m);
        if (k == 3)
            stretches(&m);
        if (k == 2)
            m.decode = (at_decode){true, AT_STOP_STEPS, 0, 0, 2, 1, 2};
        must(at_model_image(&m, &bytes, &n, &err), &err);
        must(at_model_parse(&back, bytes, n, "f", &err), &err);
        decode_equal(&m.decode, &back.decode);
        must(at_model_copy(&m, &copy, &err), &err);
        decode_equal(&m.decode, &copy.decode);
        must(at_model_hash(&m, one, &err), &err);
        must(at_model_hash(&back, two, &err), &err);
        assert_string_equal(one, two);
        if (k == 3) { /* every part counts */
            back.decode.prompt[0].hi[0]--;
            must(at_model_hash(&back, two, &err), &err);
            assert_string_not_equal(one, two);
        }
        back.decode.max_steps--;
        must(at_model_hash(&back, two, &err), &err);
        assert_string_not_equal(one, two);
        back.decode.enabled = false;
        must(at_model_hash(&back, two, &err), &err);
        assert_string_not_equal(one, two);
        at_free(bytes);
        at_model_release(&m);
        at_model_release(&back);
        at_model_release(&copy);
    }
}

static void before_decoders(void **state)
{
    (void)state;
    static const struct {
        at_status (*make)(at_model *m, at_err *err);
        const char *hash;
    } samples[] = {
        {sample_tiny, "db7f70c335a0aa07d926975eaaf8cd6ff7f5d499a727a9a6d2d31afd85b456fd"},
        {sample_plain, "657c61238d5df9c2ec3a3a12ccfd121444f7b19b718c841321fb43b91cc90de3"},
    };
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        at_model one;
        at_err mine = {0};
        char hash[65];
        must(samples[k].make(&one, &mine), &mine);
        must(at_model_hash(&one, hash, &mine), &mine);
        assert_string_equal(hash, samples[k].hash);
        at_model_release(&one);
    }
    /* an architecture as it was written then */
    static const char old[] =
        "{\"blocks\":[],\"f32\":false,\"fields\":[{\"col\":0,\"kind\":\"token\",\"name\":\"x\",\"size\":3,"
        "\"width\":2}],\"n_max\":4,\"n_min\":1,\"name\":\"old\",\"pos_origin\":1,\"positions\":[],"
        "\"prefix\":{\"count\":0},\"readout\":{\"final_norm\":false,\"kind\":\"argmax\",\"last\":false,"
        "\"rows\":2},\"subspaces\":[],\"suffix\":{\"count\":0},\"version\":1,\"width\":2}";
    at_model m;
    at_err err = {0};
    at_model_init(&m);
    must(model_arch_parse(&m, old, sizeof old - 1, "old", &err), &err);
    assert_false(m.decode.enabled);
    must(at_model_layout(&m, &err), &err);
    char *again = model_arch_print(&m, &err);
    assert_string_equal(again, old);
    at_free(again);
    at_model_release(&m);
}

static const struct {
    const char *decode, *says;
} lies[] = {
    {"7", "decode. is not an object"},
    {"null", "decode. is not an object"},
    {"{}", "decode.stop is missing"},
    {"{\"stop\":\"equal\"}", "decode.stop \"equal\" is unknown; did you mean \"equals\"?"},
    {"{\"stop\":\"equals\",\"value\":1,\"max_steps\":1,\"prompt_min\":1,\"prompt_max\":1}",
     "decode.coordinate is missing"},
    {"{\"stop\":\"equals\",\"coordinate\":0,\"value\":\"1\",\"max_steps\":1,\"prompt_min\":1,\"prompt_max\":"
     "1}",
     "decode.value is not a number"},
    {"{\"stop\":\"steps\",\"coordinate\":0,\"max_steps\":1,\"prompt_min\":1,\"prompt_max\":1}",
     "decode.coordinate is not a key that is known here"},
    {"{\"stop\":\"steps\",\"max_steps\":1.5,\"prompt_min\":1,\"prompt_max\":1}",
     "decode.max_steps is not an integer"},
    {"{\"stop\":\"steps\",\"max_steps\":1,\"prompt_min\":1}", "decode.prompt_max is missing"},
#define STEPS "{\"stop\":\"steps\",\"max_steps\":1,\"prompt_min\":1,\"prompt_max\":1,\"prompt\":"
    {STEPS "7}", "decode.prompt is not an array of at most 64"},
    {STEPS "[]}", "decode.prompt is empty"},
    {STEPS "[7]}", "decode.prompt[0]. is not an object"},
    {STEPS "[{\"rows_min\":1,\"rows_max\":1,\"lo\":[0]}]}", "decode.prompt[0].hi is missing"},
    {STEPS "[{\"rows_min\":1,\"rows_max\":1,\"lo\":0,\"hi\":[1]}]}",
     "decode.prompt[0].lo is not an array of 1..65536 numbers"},
    {STEPS "[{\"rows_min\":1,\"rows_max\":1,\"lo\":[\"a\"],\"hi\":[1]}]}",
     "decode.prompt[0].lo holds something that is not a number"},
    {STEPS "[{\"rows_min\":1,\"rows_max\":1,\"lo\":[0],\"hi\":[1,1]}]}",
     "decode.prompt[0].hi has another length than lo"},
#undef STEPS
};

static void lying_files(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        at_model m;
        at_err err = {0};
        char text[1024];
        int n =
            snprintf(text, sizeof text,
                     "{\"blocks\":[],\"decode\":%s,\"f32\":false,\"fields\":[{\"col\":0,\"kind\":\"token\","
                     "\"name\":\"x\",\"size\":3,\"width\":2}],\"n_max\":4,\"n_min\":1,\"name\":\"old\","
                     "\"pos_origin\":1,\"positions\":[],\"prefix\":{\"count\":0},\"readout\":{"
                     "\"final_norm\":false,\"kind\":\"argmax\",\"last\":false,\"rows\":2},"
                     "\"subspaces\":[],\"suffix\":{\"count\":0},\"version\":1,\"width\":2}",
                     lies[k].decode);
        at_model_init(&m);
        at_status st = model_arch_parse(&m, text, (size_t)n, "lie", &err);
        if (st != AT_EINPUT || !strstr(err.text, lies[k].says))
            fail_msg("%s: %d, %s", lies[k].decode, (int)st, err.text);
        at_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(before_decoders),
        cmocka_unit_test(lying_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
