/* sums.c: texts of a decoder, followed and summed by the word that they are. */
#include "claim_sums.h"

#include "../../num/flint_compat.h"

#include <string.h>

typedef struct {
    const claim_sums *k;
    fmpq *sum; /* of every word: those of fewer letters first, then as numbers */
    fmpq_t left;
    uint64_t runs;     /* of the model */
    const char *fault; /* NULL, or why texts cannot be followed */
    at_err *err;
} follower;

/* The place of a word among all. */
static uint64_t place(int letters, const int *word, int n)
{
    uint64_t before = 0, number = 0;
    for (int k = 0; k < n; k++) {
        before = before * (uint64_t)letters + 1;
        number = number * (uint64_t)letters + (uint64_t)word[k];
    }
    return before + number;
}

/* text (n) has the probability `so`, its letters are word (k). */
static at_status follow(follower *f, double *text, int n, int *word, int k, const fmpq_t so)
{
    at_arena a;
    const char *const *row;
    fmpq_t share;
    const claim_sums *of = f->k;
    if (at_cancel_pending())
        return at_fail(f->err, AT_ECANCEL, "interrupted");
    at_arena_init(&a);
    fmpq_init(share);
    at_status s = at_run_fractions(of->m, &(at_input){n, text}, &a, &row, f->err);
    f->runs++;
    for (int t = 0; t <= of->tokens && !s && !f->fault; t++) {
        bool letter = t < of->tokens && of->letter[t] >= 0;
        if (fmpq_set_str(share, row[t], 10) != 0) {
            f->fault = "a probability that is no fraction";
            break;
        }
        if (fmpq_sgn(share) < 0) {
            f->fault = "a probability below 0";
            break;
        }
        if (fmpq_is_zero(share) || (letter && k == of->longest))
            continue;
        fmpq_mul(share, share, so);
        if (t == of->tokens) {
            fmpq *sum = &f->sum[place(of->letters, word, k)];
            fmpq_add(sum, sum, share);
            continue;
        }
        if (n == of->most) {
            fmpq_add(f->left, f->left, share);
            continue;
        }
        text[n] = t;
        if (letter)
            word[k] = of->letter[t];
        s = follow(f, text, n + 1, word, k + letter, share);
    }
    fmpq_clear(share);
    at_arena_release(&a);
    return s;
}

static at_status differ(const claim_sums *of, const int *word, int n, const char *want, const char *got,
                        at_arena *a, const char **note, at_err *err)
{
    at_text t;
    at_text_init(&t);
    for (int k = 0; k < n; k++)
        at_text_addf(&t, "%s%s", k ? " " : "", of->name[word[k]]);
    *note = at_arena_printf(a, "the word '%s' has the probability %s, and in the model %s", n ? t.s : "",
                            want, got);
    at_status s = *note && !t.oom ? AT_OK : at_oom(err);
    at_text_release(&t);
    return s;
}

/* The first word whose sum is another; *note says so. */
static at_status compare(const follower *f, at_arena *a, uint64_t words, uint64_t *right, const char **note)
{
    const claim_sums *of = f->k;
    uint64_t L = (uint64_t)of->letters;
    int word[10];
    at_status s = AT_OK;
    *right = 0;
    for (uint64_t i = 0; i < words && !s && !*note; i++) {
        const char *want;
        int n = 0;
        uint64_t at = i, all = 1;
        for (; at >= all; n++, all *= L)
            at -= all;
        for (int k = n; k-- > 0; at /= L)
            word[k] = (int)(at % L);
        at_mark mark = at_arena_mark(a);
        s = of->want(of->of, i, word, n, a, &want, f->err);
        char *got = fmpq_get_str(NULL, 10, &f->sum[i]);
        if (!s && strcmp(got, want) == 0) {
            ++*right;
            at_arena_reset(a, mark);
        } else if (!s)
            s = differ(of, word, n, want, got, a, note, f->err);
        flint_free(got);
    }
    if (s || *note)
        return s;
    char *left = fmpq_get_str(NULL, 10, f->left);
    if (strcmp(left, of->left) != 0) {
        *note = at_arena_printf(
            a, "what has not ended after %d tokens has the probability %s, and in the model %s", of->most,
            of->left, left);
        s = *note ? AT_OK : at_oom(f->err);
    }
    flint_free(left);
    return s;
}

at_status claim_sums_compare(const claim_sums *k, at_arena *a, at_verdict *out, uint64_t *words,
                             uint64_t *texts, at_err *err)
{
    follower f = {.k = k, .err = err};
    double text[CLAIM_SUMS_TOKENS];
    int word[10];
    uint64_t all = 1, right = 0;
    fmpq_t one;
    *words = 0;
    for (int n = 0; n <= k->longest; n++, all *= (uint64_t)k->letters)
        *words += all;
    f.sum = _fmpq_vec_init((slong)*words);
    fmpq_init(f.left);
    fmpq_init(one);
    fmpq_one(one);
    at_status s = follow(&f, text, 0, word, 0, one);
    const char *note = f.fault;
    if (!s && !note)
        s = compare(&f, a, *words, &right, &note);
    fmpq_clear(one);
    fmpq_clear(f.left);
    _fmpq_vec_clear(f.sum, (slong)*words);
    *texts = f.runs;
    out->inputs = right + (note != NULL);
    out->holds = s ? AT_UNKNOWN : note ? AT_FALSE : AT_TRUE;
    out->note = note;
    return s;
}

at_status claim_sums_show(const at_model *m, const char *language, const void *of,
                          void (*print)(const void *of, at_text *out), int longest, int most,
                          const at_check_env *env, at_err *err)
{
    at_text t;
    if (!env || !env->witness)
        return AT_OK;
    at_text_init(&t);
    print(of, &t);
    at_witness w = {.kind = "sums",
                    .m = m,
                    .arith = {.kind = AT_EXACT},
                    .language = language,
                    .text = t.s,
                    .least = longest,
                    .most = most};
    at_status s = t.oom ? at_oom(err) : env->witness(env->ctx, &w, err);
    at_text_release(&t);
    return s;
}

void claim_sums_sizes(at_model *m, double *out)
{
    at_size z;
    at_model_size(m, &z);
    out[0] = m->n_prefix;
    out[1] = z.layers;
    out[2] = z.width;
    out[3] = z.hidden;
    at_model_release(m);
}
