/* test_circuit.c: gates fold and are shared, all inputs at once are what they are one by one, threshold gates are the same expanded, and
 * files say the same circuit again. */
#include <attest/circuit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "../circuit_internal.h"

static at_circuit *circuit_new(int inputs)
{
    at_circuit *c;
    assert_int_equal(at_circuit_new(inputs, NULL, &c, &err), AT_OK);
    return c;
}

static void test_folding(void **state)
{
    (void)state;
    at_circuit *c = circuit_new(4);
    at_wire x = at_circuit_input(c, 0), y = at_circuit_input(c, 1), z = at_circuit_input(c, 2);
    at_wire xy = at_circuit_and(c, (at_wire[]){x, y}, 2);
    assert_int_equal(at_circuit_and(c, (at_wire[]){y, x, y, AT_WIRE_TRUE}, 4), xy);
    assert_int_equal(at_circuit_and(c, (at_wire[]){x, at_wire_not(x)}, 2), AT_WIRE_FALSE);
    assert_int_equal(at_circuit_or(c, (at_wire[]){x, z, at_wire_not(z)}, 3), AT_WIRE_TRUE);
    assert_int_equal(at_circuit_and(c, NULL, 0), AT_WIRE_TRUE);
    assert_int_equal(at_circuit_or(c, NULL, 0), AT_WIRE_FALSE);
    assert_int_equal(at_circuit_or(c, (at_wire[]){x, AT_WIRE_FALSE}, 2), x);
    /* thresholds that are others */
    at_wire three[] = {x, y, z};
    assert_int_equal(at_circuit_threshold(c, three, NULL, 3, 0), AT_WIRE_TRUE);
    assert_int_equal(at_circuit_threshold(c, three, NULL, 3, 4), AT_WIRE_FALSE);
    assert_int_equal(at_circuit_threshold(c, three, NULL, 3, 1), at_circuit_or(c, three, 3));
    assert_int_equal(at_circuit_threshold(c, three, NULL, 3, 3), at_circuit_and(c, three, 3));
    at_wire two = at_circuit_threshold(c, three, NULL, 3, 2);
    assert_int_equal(at_circuit_threshold(c, three, (int64_t[]){3, 3, 3}, 3, 5),
                     two); /* 5 of threes: two of them */
    /* -x - y - z >= -1: at most one, so not two */
    at_wire most = at_circuit_threshold(c, three, (int64_t[]){-1, -1, -1}, 3, -1);
    at_circuit_output(c, two, "two");
    at_circuit_output(c, most, "most");
    const uint64_t *run;
    assert_int_equal(at_circuit_run(c, &arena, &run, &err), AT_OK);
    assert_int_equal(run[0] & 0xFFFF, 0xE8E8);
    assert_int_equal(run[1] & 0xFFFF, 0x1717);
    at_circuit_free(c);
}

/* A circuit of random gates, and what each is on one input, by definition. */
typedef struct {
    at_wire w[64];
    bool is[64];
    int n;
} drawn;

static bool wire_is(const drawn *d, int k, bool turned)
{
    return d->is[k] != turned;
}

static void gate_draw(at_circuit *c, at_rng *r, drawn *d)
{
    at_wire w[6];
    int64_t weight[6], sum = 0;
    int n = 1 + (int)at_rng_below(r, 6), kind = (int)at_rng_below(r, 3), ones = 0;
    int64_t least = (int64_t)at_rng_below(r, 9) - 3;
    for (int i = 0; i < n; i++) {
        int k = (int)at_rng_below(r, (uint64_t)d->n);
        bool turned = at_rng_below(r, 2);
        weight[i] = (int64_t)at_rng_below(r, 9) - 3;
        w[i] = turned ? at_wire_not(d->w[k]) : d->w[k];
        ones += wire_is(d, k, turned);
        sum += wire_is(d, k, turned) ? weight[i] : 0;
    }
    d->w[d->n] = kind == 0   ? at_circuit_and(c, w, (size_t)n)
                 : kind == 1 ? at_circuit_or(c, w, (size_t)n)
                             : at_circuit_threshold(c, w, weight, (size_t)n, least);
    d->is[d->n++] = kind == 0 ? ones == n : kind == 1 ? ones > 0 : sum >= least;
}

/* The circuit of a seed; is: the values on one input. */
static at_circuit *circuit_draw(uint64_t seed, int inputs, uint64_t input, drawn *d)
{
    at_rng r = at_rng_at(seed, 5);
    at_circuit *c = circuit_new(inputs);
    d->n = 0;
    for (int k = 0; k < inputs; k++) {
        d->w[d->n] = at_circuit_input(c, k);
        d->is[d->n++] = input >> k & 1;
    }
    while (d->n < 40)
        gate_draw(c, &r, d);
    for (int k = 36; k < 40; k++) {
        char name[8];
        snprintf(name, sizeof name, "y%d", k - 36);
        at_circuit_output(c, d->w[k], name);
    }
    return c;
}

static void test_all_inputs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        drawn d;
        const uint64_t *run, *plain;
        int inputs = 3 + (int)(seed % 7);
        size_t words = inputs > 6 ? (size_t)1 << (inputs - 6) : 1;
        at_circuit *c = circuit_draw(seed, inputs, 0, &d), *e;
        assert_int_equal(at_circuit_run(c, &arena, &run, &err), AT_OK);
        assert_int_equal(at_circuit_expand(c, &e, &err), AT_OK);
        assert_int_equal(at_circuit_run(e, &arena, &plain, &err), AT_OK);
        at_circuit_size z;
        assert_int_equal(at_circuit_measure(e, &z, &err), AT_OK);
        assert_int_equal(z.thresholds, 0);
        at_circuit_free(e);
        at_circuit_free(c);
        for (uint64_t x = 0; x < (uint64_t)1 << inputs; x++) {
            at_circuit_free(circuit_draw(seed, inputs, x, &d));
            for (size_t k = 0; k < 4; k++) {
                bool all = run[k * words + x / 64] >> (x % 64) & 1,
                     expanded = plain[k * words + x / 64] >> (x % 64) & 1;
                if (all != d.is[36 + k] || expanded != all)
                    fail_msg("seed %ju, input %ju, output %zu: %d, expanded %d, by definition %d",
                             (uintmax_t)seed, (uintmax_t)x, k, all, expanded, d.is[36 + k]);
            }
        }
    }
}

/* Sums of 2^k: the comparison of a binary number with a constant. */
static void test_weights(void **state)
{
    (void)state;
    at_wire w[10];
    int64_t weight[10];
    const uint64_t *run;
    at_circuit *c = circuit_new(10);
    for (int k = 0; k < 10; k++) {
        w[k] = at_circuit_input(c, k);
        weight[k] = (int64_t)1 << (k + 40);
    }
    for (int64_t least = 0; least <= 1024; least += 31)
        at_circuit_output(c, at_circuit_threshold(c, w, weight, 10, least << 40), "y");
    assert_int_equal(at_circuit_run(c, &arena, &run, &err), AT_OK);
    for (int64_t x = 0; x < 1024; x++)
        for (int64_t least = 0; least <= 1024; least += 31)
            assert_int_equal(run[(size_t)(least / 31) * 16 + (size_t)x / 64] >> (x % 64) & 1, x >= least);
    at_circuit_free(c);
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

/* AIGER, ascii, read by its definition: outputs on one input. */
static void aag_run(const char *text, uint64_t input, bool *out)
{
    unsigned M, I, L, O, A;
    int at;
    assert_int_equal(sscanf(text, "aag %u %u %u %u %u%n", &M, &I, &L, &O, &A, &at), 5);
    assert_int_equal(M, I + A);
    bool *is = at_new(&arena, bool, 2 * (M + 1));
    unsigned *read = at_new(&arena, unsigned, O + 1);
    text += at;
    is[1] = true;
    for (unsigned k = 0; k < I; k++) {
        unsigned x;
        assert_int_equal(sscanf(text, "%u%n", &x, &at), 1);
        text += at;
        is[x] = input >> k & 1;
        is[x + 1] = !is[x];
    }
    for (unsigned k = 0; k < O; k++, text += at)
        assert_int_equal(sscanf(text, "%u%n", &read[k], &at), 1);
    for (unsigned k = 0; k < A; k++, text += at) {
        unsigned x, y, z;
        assert_int_equal(sscanf(text, "%u %u %u%n", &x, &y, &z, &at), 3);
        assert_true(x > y && y > z && x % 2 == 0);
        is[x] = is[y] && is[z];
        is[x + 1] = !is[x];
    }
    for (unsigned k = 0; k < O; k++)
        out[k] = is[read[k]];
}

/* The binary form, made from the ascii one by its definition. */
static void aig_of(const char *aag, at_text *out)
{
    unsigned M, I, L, O, A;
    int at;
    assert_int_equal(sscanf(aag, "aag %u %u %u %u %u\n%n", &M, &I, &L, &O, &A, &at), 5);
    at_text_addf(out, "aig %u %u %u %u %u\n", M, I, L, O, A);
    for (unsigned k = 0; k < I; k++)
        at += (int)(strchr(aag + at, '\n') + 1 - (aag + at));
    for (unsigned k = 0; k < O; k++) {
        int n = (int)(strchr(aag + at, '\n') + 1 - (aag + at));
        at_text_addn(out, aag + at, (size_t)n);
        at += n;
    }
    for (unsigned k = 0; k < A; k++) {
        unsigned x, y, z, delta[2];
        int n;
        assert_int_equal(sscanf(aag + at, "%u %u %u\n%n", &x, &y, &z, &n), 3);
        at += n;
        delta[0] = x - y;
        delta[1] = y - z;
        for (int i = 0; i < 2; i++) {
            for (; delta[i] >> 7; delta[i] >>= 7)
                at_text_addn(out, &(char){(char)(delta[i] | 128)}, 1);
            at_text_addn(out, &(char){(char)delta[i]}, 1);
        }
    }
    at_text_add(out, aag + at);
}

/* BLIF, as it is written here: gates of one row, in an order in which they can be run. */
typedef struct {
    char name[4000][24];
    bool is[4000];
    int n;
} signals;

static int signal_of(signals *s, const char *name)
{
    for (int k = 0; k < s->n; k++)
        if (!strcmp(s->name[k], name))
            return k;
    snprintf(s->name[s->n], sizeof s->name[0], "%s", name);
    return s->n++;
}

static void names_run(signals *s, const char *line, const char *row)
{
    char word[24];
    int reads[64], n = 0, at;
    for (line += strlen(".names"); sscanf(line, " %23s%n", word, &at) == 1; line += at)
        reads[n++] = signal_of(s, word);
    int to = reads[--n];
    if (n == 0) { /* a constant */
        s->is[to] = row[0] == '1';
        return;
    }
    bool all = true;
    for (int k = 0; k < n; k++)
        all &= s->is[reads[k]] == (row[k] == '1');
    assert_true(row[n] == ' ');
    s->is[to] = all == (row[n + 1] == '1');
}

static void blif_run(const char *text, int inputs, int outputs, uint64_t input, bool *out)
{
    signals *s = at_new(&arena, signals, 1);
    char *copy = at_arena_strdup(&arena, text), *to = copy;
    for (const char *from = copy; *from; from++) { /* lines that go on */
        if (from[0] == '\\' && from[1] == '\n')
            from++;
        else
            *to++ = *from;
    }
    *to = 0;
    for (int k = 0; k < inputs; k++) {
        char name[24];
        snprintf(name, sizeof name, "x%d", k);
        s->is[signal_of(s, name)] = input >> k & 1;
    }
    for (char *line = strtok(copy, "\n"); line;) {
        char *next = strtok(NULL, "\n");
        if (!strncmp(line, ".names", 6))
            names_run(s, line, next[0] == '.' ? "" : next);
        line = next;
    }
    for (int k = 0; k < outputs; k++) {
        char name[24];
        snprintf(name, sizeof name, "y%d", k);
        out[k] = s->is[signal_of(s, name)];
    }
}

static void test_files(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < 112; seed++) {
        drawn d;
        at_text blif, aag, aig, again;
        at_circuit_file said;
        at_circuit *c = circuit_draw(seed, 4, 0, &d);
        at_text_init(&blif);
        at_text_init(&aag);
        at_text_init(&aig);
        at_text_init(&again);
        assert_int_equal(at_circuit_write(c, AT_CIRCUIT_BLIF, &blif, NULL, &err), AT_OK);
        assert_int_equal(at_circuit_write(c, AT_CIRCUIT_AAG, &aag, &said, &err), AT_OK);
        assert_int_equal(at_circuit_write(c, AT_CIRCUIT_AIG, &aig, NULL, &err), AT_OK);
        assert_null(strstr(blif.s, " \\\n")); /* four names fit into a line */
        aig_of(aag.s, &again);
        assert_int_equal(again.n, aig.n);
        assert_memory_equal(again.s, aig.s, aig.n);
        at_circuit_free(c);
        for (uint64_t x = 0; x < 16; x++) {
            bool out[4], out2[4];
            at_circuit_free(circuit_draw(seed, 4, x, &d));
            aag_run(aag.s, x, out);
            blif_run(blif.s, 4, 4, x, out2);
            for (int k = 0; k < 4; k++)
                if (out[k] != d.is[36 + k] || out2[k] != out[k])
                    fail_msg("seed %ju, input %ju, output %d: aag %d, blif %d, by definition %d",
                             (uintmax_t)seed, (uintmax_t)x, k, out[k], out2[k], d.is[36 + k]);
        }
        at_text_release(&blif);
        at_text_release(&aag);
        at_text_release(&aig);
        at_text_release(&again);
    }
}

static void test_names(void **state)
{
    (void)state;
    at_circuit_format f;
    assert_int_equal(at_circuit_format_of("a.b/m.aig", &f, &err), AT_OK);
    assert_int_equal(f, AT_CIRCUIT_AIG);
    assert_int_equal(at_circuit_format_of("m.txt", &f, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "m.txt: a circuit is written as .blif, .aag or .aig"));
}

static void test_budget(void **state)
{
    (void)state;
    at_circuit *c;
    assert_int_equal(at_circuit_new(8, &(at_circuit_budget){.gates = 12}, &c, &err), AT_OK);
    for (int k = 0; k < 7; k++)
        at_circuit_and(c, (at_wire[]){at_circuit_input(c, k), at_circuit_input(c, k + 1)}, 2);
    assert_int_equal(at_circuit_status(c, &err), AT_EBUDGET);
    assert_non_null(strstr(err.text, "more than 12 gates"));
    at_circuit_free(c);
    /* 27 inputs are not gone through */
    c = circuit_new(27);
    const uint64_t *run;
    err = (at_err){0};
    assert_int_equal(at_circuit_run(c, &arena, &run, &err), AT_EBUDGET);
    at_circuit_free(c);
}

/* Whatever allocation fails, nothing is lost and the failure is said. */
static void test_memory(void **state)
{
    (void)state;
    for (long nth = 1;; nth++) {
        at_circuit *c = NULL;
        at_text t;
        at_text_init(&t);
        err = (at_err){0};
        at_alloc_inject(nth);
        at_status s = at_circuit_new(3, NULL, &c, &err);
        if (!s) {
            at_wire w[3];
            for (int k = 0; k < 3; k++)
                w[k] = at_circuit_input(c, k);
            at_circuit_output(c, at_circuit_threshold(c, w, (int64_t[]){1, 2, 2}, 3, 3), "y0");
            s = at_circuit_status(c, &err);
            if (!s)
                s = at_circuit_write(c, AT_CIRCUIT_AAG, &t, NULL, &err);
            at_circuit_free(c);
        }
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        at_text_release(&t);
        if (!fired) {
            assert_int_equal(s, AT_OK);
            break;
        }
        assert_int_equal(s, AT_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_folding, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_all_inputs, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_weights, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_files, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_names, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_budget, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_memory, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
