/* test_state.c: states on disk: what strangers may have done to one, notes, the note of a checkpoint, other writers' order.
 *
 * A forged state is a good one, taken apart with jansson, changed in one place and put together again with a right sum, so that
 * nothing but the check in question can refuse it. The sum is made here from the description in state.c, not by its code. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "../../core/test/test_folder.h"
#include "../train_internal.h"
#include "plain_model.h"
#include "train_test.h"

/* ---- trainings of the three kinds ------------------------------------------------------------------------------- */

typedef enum { FAMILY, FAST, PLAIN, KINDS } kind; /* from an architecture; from a model, by either engine */

static at_trainer *trainer_make(kind k, at_arith arith)
{
    at_err err = {0};
    at_train_arch a = at_train_arch_default;
    a.attention = AT_ATTENTION_SPARSE;
    a.layers = 1, a.heads = 2, a.width = 8, a.hidden = 16, a.vocabulary = PLAIN_ANSWERS, a.length = 9,
    a.dropout = 0.1, a.seed = UINT64_MAX, a.slots = 2;
    at_trainer *t = NULL;
    at_model m;
    if (k == FAMILY)
        must(at_trainer_new(&a, arith, 1, &t, &err), &err);
    if (k == FAST)
        test_family_model(&a, at_f32, &m);
    if (k == PLAIN)
        plain_model_make(&plain_usual, 2, &m);
    if (k != FAMILY) {
        at_train_options o = {.seed = 7, .dropout = 0.3, .slots = 2};
        must(at_trainer_from_model(&m, arith, 1, &o, &t, &err), &err);
        at_model_release(&m);
        assert_true((t->plan.plain != NULL) == (k == PLAIN));
    }
    for (uint64_t step = 0; step < 2; step++) {
        test_batch b;
        double loss;
        test_batch_draw(&b, PLAIN_ANSWERS, PLAIN_ANSWERS, 1, 9, false, step);
        must(at_trainer_step(t, b.s, b.n, &at_adamw_default, &loss, &err), &err);
        test_batch_release(&b);
    }
    return t;
}

/* And the same record. */
static void same_state(const at_trainer *t, const at_trainer *u)
{
    test_same_state(t, u);
    at_text one, two;
    at_text_init(&one);
    at_text_init(&two);
    train_record_print(t, &one);
    train_record_print(u, &two);
    assert_string_equal(one.s, two.s);
    at_text_release(&one);
    at_text_release(&two);
}

/* ---- a state taken apart ------------------------------------------------------------------------------------------ */

typedef struct {
    json_t *root, *meta, *record, *arch; /* record, arch: parsed; they go back into meta */
    char *data;
    size_t n;
} apart;

static apart take_apart(const char *bytes, size_t n)
{
    uint64_t head;
    memcpy(&head, bytes, 8);
    apart p = {.root = json_loadb(bytes + 8, head, 0, NULL), .n = n - 8 - head};
    assert_non_null(p.root);
    assert_int_equal(head % 8, 0);
    p.meta = json_object_get(p.root, "__metadata__");
    p.record = json_loads(json_string_value(json_object_get(p.meta, "attest-training")), 0, NULL);
    assert_non_null(p.record);
    const char *arch = json_string_value(json_object_get(p.meta, "attest"));
    p.arch = arch ? json_loads(arch, 0, NULL) : NULL;
    p.data = malloc(p.n + 1);
    memcpy(p.data, bytes + 8 + head, p.n);
    return p;
}

static void apart_release(apart *p)
{
    json_decref(p->root);
    json_decref(p->record);
    json_decref(p->arch);
    free(p->data);
}

/* Record and architecture back into texts, if they are still there. */
static void texts_renew(apart *p)
{
    json_t *of[] = {p->record, p->arch};
    const char *key[] = {"attest-training", "attest"};
    for (size_t i = 0; i < 2; i++)
        if (of[i] && json_is_string(json_object_get(p->meta, key[i]))) {
            char *text = json_dumps(of[i], JSON_COMPACT | JSON_REAL_PRECISION(17));
            json_object_set_new(p->meta, key[i], json_string(text));
            at_free(text);
        }
}

/* order: the data of the sum, in table order (NULL: as the file has it). */
static void sum_renew(apart *p, const char *order)
{
    const char *keys[] = {"attest-training", "attest", "note"};
    size_t n = 0;
    char *all = malloc(p->n + ((size_t)4 << 20)), sum[65];
    for (size_t i = 0; i < 3; i++) {
        const char *text = json_string_value(json_object_get(p->meta, keys[i]));
        n += (size_t)sprintf(all + n, "%s\n", text ? text : "");
    }
    memcpy(all + n, order ? order : p->data, p->n);
    at_sha256(all, n + p->n, sum);
    json_object_set_new(p->meta, "sha256", json_string(sum));
    free(all);
}

static char *put_together(const apart *p, size_t flags, size_t *n)
{
    char *text = json_dumps(p->root, flags);
    uint64_t head = strlen(text);
    char *all = malloc(8 + head + p->n);
    memcpy(all, &head, 8);
    memcpy(all + 8, text, head);
    memcpy(all + 8 + head, p->data, p->n);
    *n = 8 + head + p->n;
    at_free(text);
    return all;
}

static void refused(const char *bytes, size_t n, const char *words)
{
    at_err err = {0};
    at_trainer *t = NULL;
    char *note = NULL;
    at_status s = train_state_parse("some.state", bytes, n, 1, &t, &note, &err);
    if (s != AT_EINPUT || !strstr(err.text, words) || strncmp(err.text, "some.state: ", 12))
        fail_msg("\"%s\" expected, but status %d: %s", words, (int)s, err.text);
    assert_true(!t && !note);
}

/* ---- forgeries ---------------------------------------------------------------------------------------------------- */

typedef enum { HEADER, META, RECORD, ARCH } where;
typedef struct {
    where in;
    const char *key, *sub; /* sub may be NULL */
    const char *json;      /* NULL: taken away */
    const char *words;
} forgery;

static const forgery any[] = {
    {META, "format", NULL, NULL, "not of a training"},
    {META, "format", NULL, "\"attest\"", "not of a training"},
    {META, "format", NULL, "3", "not of a training"},
    {META, "attest-training", NULL, NULL, "not of a training"},
    {META, "attest-training", NULL, "[]", "not of a training"},
    {META, "other", NULL, "\"x\"", "unknown key \"other\""},
    {META, "note", NULL, "{}", "note is not a string"},
    {HEADER, "__metadata__", NULL, "[]", "not of a training"},
    {RECORD, "version", NULL, "2", "version must be 3"},
    {RECORD, "version", NULL, "\"3\"", "version must be 3"},
    {RECORD, "version", NULL, NULL, "version must be 3"},
    {RECORD, "arithmetic", NULL, "\"f16\"", "arithmetic \"f16\" is unknown"},
    {RECORD, "arithmetic", NULL, NULL, "arithmetic"},
    {RECORD, "arithmetic", NULL, "\"f64\"", "bytes of tensors"},
    {RECORD, "steps", NULL, "-1", "steps must be"},
    {RECORD, "steps", NULL, "2.0", "steps must be"},
    {RECORD, "steps", NULL, "9223372036854775808", "attest-training is not JSON"},
    {RECORD, "dropout", NULL, "\"0x1p+0\"", "dropout is 1"},
    {RECORD, "dropout", NULL, "\"-0x1p-3\"", "dropout must be"},
    {RECORD, "dropout", NULL, "\"0x1p+9999\"", "dropout must be"},
    {RECORD, "dropout", NULL, "\"0x1p-3 \"", "dropout must be"},
    {RECORD, "dropout", NULL, "0.125", "dropout must be"},
    {RECORD, "seed", NULL, "\"-1\"", "seed must be"},
    {RECORD, "seed", NULL, "\"\"", "seed must be"},
    {RECORD, "seed", NULL, "1", "seed must be"},
    {RECORD, "seed", NULL, "\"18446744073709551616\"", "seed must be"},
    {RECORD, "slots", NULL, "3", "slots is 3"},
    {RECORD, "slots", NULL, "0", "slots must be"},
    {RECORD, "slots", NULL, "512", "slots is 512"},
    {RECORD, "slots", NULL, NULL, "slots must be"},
    {RECORD, "length", NULL, "2147483648", "length must be"},
    {RECORD, "length", NULL, "0", "length must be"},
    {RECORD, "other", NULL, "1", "keys instead of"},
    {HEADER, "weights.other", NULL, "{\"dtype\":\"F32\",\"shape\":[0,1],\"data_offsets\":[0,0]}",
     "weights.other is not part"},
};

static const forgery family[] = {
    {META, "attest", NULL, "\"{}\"", "__metadata__ has attest"},
    {RECORD, "attention", NULL, "\"dense\"", "attention \"dense\" is unknown"},
    {RECORD, "attention", NULL, NULL, "attention"},
    {RECORD, "engine", NULL, "\"fast\"", "keys instead of"},
    {RECORD, "layers", NULL, "0", "layers must be"},
    {RECORD, "layers", NULL, "2", "bytes of tensors"},
    {RECORD, "layers", NULL, "true", "layers must be"},
    {RECORD, "layers", NULL, "1000000000", "layers is 1000000000"},
    {RECORD, "width", NULL, "8192", "bytes of tensors"},
    {RECORD, "heads", NULL, "3", "multiple of 3 heads"},
    {RECORD, "hidden", NULL, "0", "hidden must be"},
    {RECORD, "hidden", NULL, "17", "multiples of 8"},
    {RECORD, "vocabulary", NULL, "5", "bytes of tensors"},
    {RECORD, "length", NULL, "65537", "length is 65537"},
    {RECORD, "block", NULL, "0", "block must be"},
    {RECORD, "ends", NULL, "99", "ends is 99"},
    {RECORD, "head_bias", NULL, "1", "head_bias must be"},
    {RECORD, "head_bias", NULL, "false", "bytes of tensors"},
    {RECORD, "norm_eps", NULL, "\"0x0p+0\"", "norm_eps is 0"},
    {HEADER, "weights.token", NULL, NULL, "weights.token is missing"},
    {HEADER, "moment1.token", NULL, "7", "moment1.token is not an object"},
    {HEADER, "moment2.token", NULL, NULL, "moment2.token is missing"},
    {HEADER, "moment2.token", "dtype", "\"F64\"", "dtype must be F32"},
    {HEADER, "moment2.token", "other", "1", "unknown key \"other\""},
    {HEADER, "moment2.token", "shape", "[8,4]", "shape must be [4,8]"},
    {HEADER, "moment2.token", "shape", "[32]", "shape must be [4,8]"},
    {HEADER, "moment2.token", "shape", "[4,8.0]", "shape must be [4,8]"},
    {HEADER, "moment1.token", "data_offsets", "[0,128]", "begins at byte 0"},
    {HEADER, "moment1.token", "data_offsets", "[1,129]", "begins at byte 1"},
    {HEADER, "moment1.token", "data_offsets", "[-128,0]", "must span 128 bytes"},
    {HEADER, "moment1.token", "data_offsets", "[0,124]", "must span 128 bytes"},
    {HEADER, "moment1.token", "data_offsets", "[9223372036854775679,9223372036854775807]", "begins at byte"},
};

static const forgery based[] = {
    {META, "attest", NULL, NULL, "__metadata__ lacks attest"},
    {META, "attest", NULL, "5", "attest is not a string"},
    {RECORD, "engine", NULL, "\"slow\"", "engine \"slow\" is unknown"},
    {RECORD, "engine", NULL, NULL, "attention"},
    {RECORD, "attention", NULL, "\"linear\"", "keys instead of"},
    {RECORD, "length", NULL, "10", "length is 10"},
    {ARCH, "width", NULL, "\"8\"", "width"},
    {ARCH, "width", NULL, "65536", ""},
    {ARCH, "other", NULL, "8", "other"},
    {ARCH, "blocks", NULL, "[]", "some.state"},
    {ARCH, "n_max", NULL, "0", "some.state"},
};

static void forge(const char *bytes, size_t n, const forgery *f)
{
    apart p = take_apart(bytes, n);
    json_t *to = f->in == HEADER ? p.root : f->in == META ? p.meta : f->in == RECORD ? p.record : p.arch;
    const char *key = f->sub ? f->sub : f->key;
    if (f->sub)
        to = json_object_get(to, f->key);
    assert_non_null(to);
    bool big = f->json && strlen(f->json) > 18 && f->in == RECORD && f->json[0] != '"';
    if (!f->json)
        assert_int_equal(json_object_del(to, key), 0);
    else /* a number that jansson cannot hold is put in by hand */
        json_object_set_new(to, key, big ? json_string("BIG") : json_loads(f->json, JSON_DECODE_ANY, NULL));
    texts_renew(&p);
    if (big) {
        const char *text = json_string_value(json_object_get(p.meta, "attest-training"));
        const char *at = strstr(text, "\"BIG\"");
        char other[2048];
        snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, f->json, at + 5);
        json_object_set_new(p.meta, "attest-training", json_string(other));
    }
    if (json_is_object(json_object_get(p.root, "__metadata__")))
        sum_renew(&p, NULL);
    size_t out;
    char *all = put_together(&p, JSON_COMPACT, &out);
    refused(all, out, f->words);
    free(all);
    apart_release(&p);
}

static void forgeries(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        at_err err = {0};
        at_trainer *t = trainer_make((kind)k, at_f32);
        char *bytes;
        size_t n;
        must(train_state_image(t, "a note", &bytes, &n, &err), &err);
        for (size_t i = 0; i < sizeof any / sizeof *any; i++)
            forge(bytes, n, &any[i]);
        for (size_t i = 0; k == FAMILY && i < sizeof family / sizeof *family; i++)
            forge(bytes, n, &family[i]);
        for (size_t i = 0; k != FAMILY && i < sizeof based / sizeof *based; i++)
            forge(bytes, n, &based[i]);
        at_free(bytes);
        at_trainer_free(t);
    }
}

/* One number of a tensor; renew: with a right sum. */
static void number_forge(const char *bytes, size_t n, const char *name, double v, bool renew,
                         const char *words)
{
    apart p = take_apart(bytes, n);
    json_t *e = json_object_get(p.root, name);
    size_t at = (size_t)json_integer_value(json_array_get(json_object_get(e, "data_offsets"), 0)), out;
    if (strcmp(json_string_value(json_object_get(e, "dtype")), "F32"))
        memcpy(p.data + at + 3 * sizeof v, &v, sizeof v);
    else
        memcpy(p.data + at + 3 * sizeof(float), &(float){(float)v}, sizeof(float));
    if (renew)
        sum_renew(&p, NULL);
    char *all = put_together(&p, JSON_COMPACT, &out);
    refused(all, out, words);
    free(all);
    apart_release(&p);
}

static void numbers(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        at_err err = {0};
        at_trainer *t = trainer_make(FAMILY, wide ? at_f64 : at_f32);
        char *bytes;
        size_t n;
        must(train_state_image(t, NULL, &bytes, &n, &err), &err);
        number_forge(bytes, n, "weights.head.w", NAN, true, "tensor weights.head.w: number 3 is not finite");
        number_forge(bytes, n, "moment1.head.w", -INFINITY, true, "tensor moment1.head.w: number 3 is not");
        number_forge(bytes, n, "moment2.head.w", -1, true, "tensor moment2.head.w: number 3 is negative");
        number_forge(bytes, n, "moment1.head.w", -1, false, "sha256 is not that");
        at_free(bytes);
        at_trainer_free(t);
    }
}

/* What cannot be made by changing JSON: bytes that are none, headers that are too much, and sums that are wrong. */
static void headers(void **state)
{
    (void)state;
    at_err err = {0};
    at_trainer *t = trainer_make(FAMILY, at_f32);
    char *bytes, *at;
    size_t n;
    must(train_state_image(t, "a note", &bytes, &n, &err), &err);
    at_trainer_free(t);
    char *all = malloc(n);
    const struct {
        const char *from, *to, *words;
    } swaps[] = {{"weights.token", "moment1.token", "duplicate"},
                 {"a note", "A note", "sha256 is not that"},
                 {"a note", "\\u0000", "header is not JSON"},
                 {"a note", "\xff note", "header is not JSON"},
                 {"\"seed\\\":\\\"1", "\"seed\\\":\\\"0", "sha256 is not that"},
                 {"\"sha256\":\"", "\"sha256\":\"x", "is not"},
                 {"\"format\"", "\"formas\"", "not of a training"}};
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
        memcpy(all, bytes, n);
        at = memmem(all, n, swaps[i].from, strlen(swaps[i].from));
        assert_non_null(at);
        memcpy(at, swaps[i].to, strlen(swaps[i].to));
        refused(all, n, swaps[i].words);
    }
    memcpy(all, bytes, n);
    memset(all, 0xff, 8); /* 2^64 - 1 bytes of header */
    refused(all, n, "header of 18446744073709551615 bytes");
    memset(all, 0, 8);
    refused(all, n, "header is not JSON");
    refused(all, 7, "too short");
    for (size_t cut = 8; cut < n; cut += n / 13)
        refused(bytes, cut, "");
    char *more = malloc(n + 8);
    memcpy(more, bytes, n);
    refused(more, n + 8, "bytes of tensors");
    free(more);
    size_t bomb = (size_t)3 << 20; /* values, then depth */
    for (int deep = 0; deep < 2; deep++) {
        char *big = malloc(8 + bomb);
        memcpy(big, &(uint64_t){bomb}, 8);
        memset(big + 8, deep ? '[' : ',', bomb);
        big[8] = '{';
        refused(big, 8 + bomb, deep ? "nests deeper" : "holds more than");
        free(big);
    }
    apart p = take_apart(bytes, n);
    char *note = calloc(1, AT_TRAIN_NOTE_MAX + 2);
    memset(note, 'x', AT_TRAIN_NOTE_MAX + 1);
    json_object_set_new(p.meta, "note", json_string(note));
    sum_renew(&p, NULL);
    size_t out;
    char *big = put_together(&p, JSON_COMPACT, &out);
    refused(big, out, "a note of 1048577 bytes");
    apart_release(&p);
    free(big);
    free(note);
    free(all);
    at_free(bytes);
}

/* ---- what must be accepted ---------------------------------------------------------------------------------------- */

/* Another writer: indented header, tensors back to front. */
static void reordered(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int wide = 0; wide < 2; wide++) {
            at_err err = {0};
            at_trainer *t = trainer_make((kind)k, wide ? at_f64 : at_f32), *u;
            char *bytes, *note;
            size_t n, out;
            must(train_state_image(t, NULL, &bytes, &n, &err), &err);
            apart p = take_apart(bytes, n);
            if (p.arch) /* says of its numbers what the tensors are */
                assert_int_equal(json_is_true(json_object_get(p.arch, "f32")), !wide);
            char *data = malloc(p.n);
            const char *name;
            json_t *e;
            json_object_foreach(p.root, name, e)
            {
                json_t *offsets = json_object_get(e, "data_offsets");
                if (!offsets)
                    continue;
                size_t begin = (size_t)json_integer_value(json_array_get(offsets, 0)),
                       end = (size_t)json_integer_value(json_array_get(offsets, 1));
                memcpy(data + p.n - end, p.data + begin, end - begin);
                json_object_set_new(e, "data_offsets",
                                    json_pack("[I,I]", (json_int_t)(p.n - end), (json_int_t)(p.n - begin)));
            }
            sum_renew(&p, NULL); /* of the table's order, which the first writer's data has: the same sum */
            memcpy(p.data, data, p.n);
            char *all = put_together(&p, JSON_INDENT(3), &out);
            must(train_state_parse("other", all, out, 1, &u, &note, &err), &err);
            same_state(t, u);
            assert_null(note);
            at_trainer_free(u);
            at_trainer_free(t);
            apart_release(&p);
            free(all);
            free(data);
            at_free(bytes);
        }
}

static void notes(void **state)
{
    (void)state;
    at_err err = {0};
    at_trainer *t = trainer_make(FAMILY, at_f32), *u;
    char *path = test_file_new(), *back;
    char *large = calloc(1, AT_TRAIN_NOTE_MAX + 2);
    memset(large, '\n', AT_TRAIN_NOTE_MAX); /* escaped: two bytes each */
    const char *some[] = {NULL, "", "{\"seen\": [1, 2]}\n\t\\ \"x\" \xc3\xa4 \xf0\x9f\x8e\x93 \x01", large};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        must(at_trainer_save(t, some[i], path, &err), &err);
        must(at_trainer_load(path, 1, &u, &back, &err), &err);
        same_state(t, u);
        assert_int_equal(back == NULL, some[i] == NULL);
        if (back)
            assert_string_equal(back, some[i]);
        at_free(back);
        at_trainer_free(u);
        must(at_trainer_load(path, 1, &u, NULL, &err), &err);
        at_trainer_free(u);
    }
    large[AT_TRAIN_NOTE_MAX] = 'x';
    assert_int_equal(at_trainer_save(t, large, path, &err), AT_EDOMAIN);
    err = (at_err){0};
    assert_int_equal(at_trainer_save(t, "\xc3", path, &err), AT_EINPUT);
    free(large);
    at_trainer_free(t);
    unlink(path);
}

/* ---- the loop's notes --------------------------------------------------------------------------------------------- */

typedef struct {
    test_batch b;
    uint64_t steps; /* seen */
    int asked;
    bool fails;
} diary;

static at_status diary_batch(void *ctx, uint64_t step, const at_train_sequence **batch, int *n, at_err *err)
{
    (void)step;
    (void)err;
    *batch = ((diary *)ctx)->b.s;
    *n = ((diary *)ctx)->b.n;
    return AT_OK;
}

static void diary_seen(void *ctx, uint64_t step, double loss)
{
    (void)loss;
    ((diary *)ctx)->steps = step + 1;
}

static at_status diary_note(void *ctx, at_text *out, at_err *err)
{
    diary *d = ctx;
    d->asked++;
    at_text_addf(out, "%d", (int)d->steps);
    return d->fails ? at_fail(err, AT_EDOMAIN, "no note") : AT_OK;
}

static void loop_notes(void **state)
{
    (void)state;
    at_err err = {0};
    at_trainer *t = trainer_make(FAMILY, at_f32), *u;
    char *path = test_file_new(), *note;
    diary d = {0};
    double loss;
    test_batch_draw(&d.b, PLAIN_ANSWERS, PLAIN_ANSWERS, 1, 9, false, 3);
    at_train_loop l = {.steps = 9,
                       .until = 7,
                       .adamw = at_adamw_default,
                       .checkpoint = path,
                       .every = 3,
                       .seen = diary_seen,
                       .note = diary_note};
    must(at_train_run(t, &l, diary_batch, &d, &loss, &err), &err);
    assert_int_equal(d.asked, 3); /* after 3, 6 and, at the end, 7 steps; 2 were done before */
    must(at_trainer_load(path, 1, &u, &note, &err), &err);
    same_state(t, u);
    assert_string_equal(note, "7");
    at_free(note);
    at_trainer_free(u);
    d.fails = true;
    l.until = 9;
    assert_int_equal(at_train_run(t, &l, diary_batch, &d, &loss, &err), AT_EDOMAIN);
    assert_string_equal(err.text, "no note");
    err = (at_err){0};
    must(at_trainer_load(path, 1, &u, NULL, &err), &err); /* the state before is still there */
    assert_int_equal(at_trainer_steps(u), 7);
    at_trainer_free(u);
    at_trainer_free(t);
    test_batch_release(&d.b);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forgeries), cmocka_unit_test(numbers),
                                       cmocka_unit_test(headers),   cmocka_unit_test(reordered),
                                       cmocka_unit_test(notes),     cmocka_unit_test(loop_notes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
