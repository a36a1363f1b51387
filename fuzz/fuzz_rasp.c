/* fuzz_rasp.c: any bytes as a program in RASP.
 *
 * Beyond not crashing: a refusal has words, in one line. What is read prints to a text that is read as the same text; both say the
 * same of short words, errors included. What compiles is what the interpreter says, on every word to length 3 where it has
 * an answer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/front.h>

#include "fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SHORT = 3, NODES = 120 };

static void words_of(at_status s, const at_err *err)
{
    check((s == AT_OK) == (err->text[0] == 0) && !strchr(err->text, '\n'),
          "a failure without words, or in two lines");
}

static bool same(const at_rasp_atom *x, const at_rasp_atom *y)
{
    return x->kind == y->kind && at_rasp_equal(x, y);
}

/* Both on one word. */
static bool word_try(const at_rasp *r, const at_rasp *again, const int *w, int n, at_arena *a,
                     at_rasp_atom *out)
{
    at_err err = {0}, other = {0};
    at_rasp_atom v[SHORT];
    at_status s = at_rasp_run(r, r->output_node[r->usual], w, n, a, out, &err);
    words_of(s, &err);
    at_status t = at_rasp_run(again, again->output_node[again->usual], w, n, a, v, &other);
    if (s == AT_ENOMEM || t == AT_ENOMEM)
        return false;
    check(!s == !t, "printed and read: fails on another word");
    for (int i = 0; i < n && !s; i++)
        check(same(&out[i], &v[i]), "printed and read: another program");
    return !s;
}

static void words_try(at_rasp *r, const at_rasp *again, const at_model *m, at_arena *a)
{
    int node = r->output_node[r->usual], all = 1;
    for (int n = 1; n <= SHORT && r->sigma.n <= 4; n++) {
        all *= r->sigma.n;
        for (int k = 0; k < all; k++) {
            int w[SHORT];
            double x[SHORT];
            at_rasp_atom v[SHORT];
            at_output y;
            at_err err = {0};
            at_mark mark = at_arena_mark(a);
            for (int i = 0, d = k; i < n; i++, d /= r->sigma.n)
                x[i] = w[i] = d % r->sigma.n;
            if (word_try(r, again, w, n, a, v) && m &&
                !at_run(m, at_f64, &(at_input){n, x}, NULL, a, &y, &err))
                for (int i = 0; i < n; i++)
                    check(y.decided[i] == AT_TRUE &&
                              y.decision[i] == at_rasp_answer(r, &r->range[node], &v[i]),
                          "compiled: another answer");
            at_arena_reset(a, mark);
        }
    }
}

/* Does every word to length SHORT have an answer? Models of programs that fail on some promise nothing. */
static bool total(const at_rasp *r, at_arena *a)
{
    int all = 1;
    for (int n = 1; n <= SHORT; n++) {
        all *= r->sigma.n;
        for (int k = 0; k < all; k++) {
            int w[SHORT];
            at_rasp_atom v[SHORT];
            for (int i = 0, d = k; i < n; i++, d /= r->sigma.n)
                w[i] = d % r->sigma.n;
            at_mark mark = at_arena_mark(a);
            at_status s = at_rasp_run(r, r->output_node[r->usual], w, n, a, v, NULL);
            at_arena_reset(a, mark);
            if (s)
                return false;
        }
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1024)
        return 0;
    char *text = malloc(size + 1);
    at_arena a;
    at_err err = {0};
    at_rasp *r, *again;
    at_rasp_range *g;
    at_text t, u;
    at_arena_init(&a);
    at_text_init(&t);
    at_text_init(&u);
    if (text) {
        memcpy(text, data, size);
        text[size] = 0;
        at_status s = at_rasp_read(text, "x", NULL, &a, &r, &err);
        words_of(s, &err);
        if (!s)
            at_rasp_print(r, &t);
        char *copy = !s && !t.oom ? at_arena_strdup(&a, t.s) : NULL;
        if (copy) {
            s = at_rasp_read(copy, "printed", NULL, &a, &again, &err);
            check(!s || s == AT_ENOMEM, err.text);
            if (!s)
                at_rasp_print(again, &u);
            check(s || u.oom || strcmp(t.s, u.s) == 0, "printed and read: another text");
            if (!s && r->n_nodes <= NODES && r->sigma.n <= 4 && !at_rasp_ranges(r, SHORT, &a, &g, &err)) {
                at_model m;
                err = (at_err){0};
                r->range = g;
                bool made =
                    total(r, &a) && !at_rasp_model(r, r->output_node[r->usual], SHORT, NULL, &m, &err);
                words_try(r, again, made ? &m : NULL, &a);
                if (made)
                    at_model_release(&m);
            }
        }
    }
    at_text_release(&t);
    at_text_release(&u);
    at_arena_release(&a);
    free(text);
    return 0;
}
