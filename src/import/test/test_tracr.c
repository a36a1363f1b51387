/* test_tracr.c: a file as tracr writes it, small enough to be known by heart, and what is wrong with others.
 *
 * Tokens 0, 1, 2; one layer. Attention takes the mean, over every position, of "is the token 2"; the MLP turns it round. So
 * `out` is the coordinate of 1 where fewer than half of the tokens are 2, else that of 0. A label that only begins like the
 * output (`outer`) is not read. Controls: the causal mask, and the output called `outer`, give other answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/exec.h>
#include <attest/import.h>

enum { V = 3, D = 7, N = 4, TENSORS = 14 };
enum { TWOS = 3, OUTER, OUT_0, OUT_1 }; /* coordinates behind the three of the token */

#define LABELS "[\"tokens:0\",\"tokens:1\",\"tokens:2\",\"twos\",\"outer:9\",\"out:0\",\"out:1\"]"
#define CONFIG(more, output)                                                                                 \
    "{\"num_layers\":1,\"num_heads\":1,\"key_size\":1,\"mlp_hidden_size\":2,\"residual_labels\":" LABELS     \
    ",\"output\":\"" output "\"" more "}"

typedef struct {
    const char *name;
    int rows, columns; /* 0: a vector */
    struct {
        int at;
        float by;
    } ones[3]; /* by 0: no more */
} tensor;

static const tensor tensors[TENSORS] = {
    {"token_embed/embeddings", V, D, {{0, 1}, {D + 1, 1}, {2 * D + 2, 1}}},
    {"pos_embed/embeddings", N, D, {{0}}},
    {"transformer/layer_0/attn/query/w", D, 1, {{0}}},
    {"transformer/layer_0/attn/query/b", 1, 0, {{0}}},
    {"transformer/layer_0/attn/key/w", D, 1, {{0}}},
    {"transformer/layer_0/attn/key/b", 1, 0, {{0}}},
    {"transformer/layer_0/attn/value/w", D, 1, {{2, 1}}},
    {"transformer/layer_0/attn/value/b", 1, 0, {{0}}},
    {"transformer/layer_0/attn/linear/w", 1, D, {{TWOS, 1}}},
    {"transformer/layer_0/attn/linear/b", D, 0, {{0}}},
    {"transformer/layer_0/mlp/linear_1/w", D, 2, {{TWOS * 2, 1}, {TWOS * 2 + 1, -1}}},
    {"transformer/layer_0/mlp/linear_1/b", 2, 0, {{1, 1}}},
    {"transformer/layer_0/mlp/linear_2/w", 2, D, {{OUT_0, 1}, {D + OUT_1, 1}}},
    {"transformer/layer_0/mlp/linear_2/b", D, 0, {{OUTER, 3}, {OUT_1, -0.01f}}},
};

/* The file; `odd` gets three sides of 1 more, `left_out` is not in it, names begin with `prefix`. */
static char *image(int odd, int left_out, const char *prefix, size_t *n)
{
    size_t at = 8, room = 8192, data = 0;
    char *s = calloc(1, room);
    assert_non_null(s);
    at += (size_t)snprintf(s + at, room - at, "{");
    for (int k = 0, first = 1; k < TENSORS; k++) {
        const tensor *t = &tensors[k];
        size_t bytes = 4 * (size_t)t->rows * (size_t)(t->columns ? t->columns : 1);
        if (k == left_out)
            continue;
        at += (size_t)snprintf(s + at, room - at, "%s\"%s%s\":{\"dtype\":\"F32\",\"shape\":[%d",
                               first ? "" : ",", prefix, t->name, t->rows);
        if (t->columns)
            at += (size_t)snprintf(s + at, room - at, ",%d", t->columns);
        at += (size_t)snprintf(s + at, room - at, "%s],\"data_offsets\":[%zu,%zu]}", k == odd ? ",1,1,1" : "",
                               data, data + bytes);
        data += bytes;
        first = 0;
    }
    at += (size_t)snprintf(s + at, room - at, "}");
    at_le_put(s, at - 8, 8);
    for (int k = 0; k < TENSORS; k++) {
        const tensor *t = &tensors[k];
        for (int i = 0; k != left_out && i < 3 && t->ones[i].by != 0; i++)
            memcpy(s + at + 4 * (size_t)t->ones[i].at, &t->ones[i].by, 4);
        at += k == left_out ? 0 : 4 * (size_t)t->rows * (size_t)(t->columns ? t->columns : 1);
        assert_true(at < room);
    }
    *n = at;
    return s;
}

static void import(at_model *m, const char *config)
{
    size_t n;
    at_err err = {0};
    at_import_said said;
    char *bytes = image(-1, -1, "", &n);
    if (at_import_bytes(m, bytes, n, config, strlen(config), &at_import_defaults, &said, &err))
        fail_msg("%s", err.text);
    assert_int_equal(said.layout, AT_LAYOUT_TRACR);
    free(bytes);
}

/* Positions at which the model answers otherwise than the program, of all words of N letters. */
static int wrong(const at_model *m)
{
    at_arena a;
    int differ = 0;
    at_arena_init(&a);
    for (int word = 0; word < V * V * V * V; word++) {
        double x[N], twos = 0;
        at_output y;
        at_err err = {0};
        for (int t = 0, rest = word; t < N; t++, rest /= V) {
            x[t] = rest % V;
            twos += x[t] == 2;
        }
        if (at_run(m, at_f64, &(at_input){N, x}, NULL, &a, &y, &err))
            fail_msg("%s", err.text);
        for (int t = 0; t < N; t++)
            differ += y.decision[t] != (2 * twos < N);
    }
    at_arena_release(&a);
    return differ;
}

static void imported(void **state)
{
    (void)state;
    at_model m;
    import(&m, CONFIG("", "out"));
    assert_int_equal(m.readout.rows, 2);
    assert_int_equal(m.n_subspaces, D);
    assert_string_equal(m.subspaces[OUT_1].name, "out:1");
    assert_int_equal(m.subspaces[OUT_1].col, OUT_1);
    assert_int_equal(wrong(&m), 0);
    at_model_release(&m);
    import(&m, CONFIG(",\"causal\":true", "out"));
    assert_true(wrong(&m) > 0);
    at_model_release(&m);
    import(&m, CONFIG("", "outer"));
    assert_int_equal(m.readout.rows, 1);
    at_model_release(&m);
    import(&m, CONFIG("", "twos")); /* a label without a colon */
    assert_int_equal(m.readout.rows, 1);
    at_model_release(&m);
}

static void refuse(int odd, int left_out, const char *prefix, const char *config, at_import_read read,
                   const char *words)
{
    at_model m;
    size_t n;
    at_err err = {0};
    at_import_options o = at_import_defaults;
    o.read = read;
    char *bytes = image(odd, left_out, prefix, &n);
    at_status st = at_import_bytes(&m, bytes, n, config, strlen(config), &o, NULL, &err);
    if (!st || at_exit_code(st) != 2 || !strstr(err.text, words))
        fail_msg("\"%s\" (%d) does not say \"%s\"", err.text, (int)st, words);
    assert_int_equal(m.n_tensors, 0);
    at_model_release(&m);
    free(bytes);
}

static void refusals(void **state)
{
    (void)state;
    const char *good = CONFIG("", "out");
    refuse(-1, -1, "", good, AT_IMPORT_NEXT, "a decoder has causal attention");
    refuse(-1, -1, "", CONFIG("", "ou"), AT_IMPORT_USUAL, "output \"ou\": no label");
    refuse(-1, -1, "", CONFIG(",\"layer_norm\":true", "out"), AT_IMPORT_USUAL, "layer_norm is on");
    refuse(10, -1, "", good, AT_IMPORT_USUAL, "linear_1/w has the shape (7, 2, 1, 1, ...); needed: (7, 2)");
    refuse(-1, 8, "", good, AT_IMPORT_USUAL, "transformer/layer_0/attn/linear/w is missing");
    refuse(-1, -1, "my_", good, AT_IMPORT_USUAL,
           "model.safetensors: the names of its tensors (my_pos_embed/embeddings, ...) are of no layout that "
           "is known");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(imported), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
