/* fuzz_words.c: the small languages of the command line: assignments (N=6,M=11) and arithmetics (p12e8).
 *
 * Whatever is accepted prints to a text that is accepted again and means the same; whatever is refused is
 * refused in words and changes nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/num.h>
#include <attest/problem.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const at_param schema[] = {
    {"N", "length", 1, 4096, 6, true},
    {"M", "modulus", 2, 65536, 11, true},
    {"eps", "a real", 1e-6, 0.5, 0.01, false},
};

static void assignments_try(const char *text)
{
    at_params p, again;
    at_err err = {0};
    at_params_init(&p, schema, 3);
    again = p;
    if (at_params_parse(&p, text, &err)) {
        if (!err.text[0] || memcmp(p.value, again.value, sizeof p.value) != 0)
            abort();
        return;
    }
    at_text t;
    at_text_init(&t);
    at_params_print(&p, &t);
    if (t.oom || at_params_parse(&again, t.s, &err))
        abort();
    for (int k = 0; k < p.n; k++)
        if (p.value[k] != again.value[k])
            abort();
    at_text_release(&t);
}

static void arithmetic_try(const char *text)
{
    at_arith a, again;
    at_err err = {0};
    char name[16];
    if (at_arith_parse(text, &a, &err)) {
        if (!err.text[0])
            abort();
        return;
    }
    at_arith_name(a, name);
    if (at_arith_parse(name, &again, &err) || a.kind != again.kind || a.bits != again.bits ||
        a.exp_bits != again.exp_bits)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    assignments_try(text);
    arithmetic_try(text);
    free(text);
    return 0;
}
