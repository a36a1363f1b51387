/* histories.c: the n-gram model that weights are, as far as they were run.
 *
 * A model with a sparsemax readout gives fractions, zeros among them, and exact arithmetic has them as they are. Every text up to a length is
 * run. Where the row of probabilities is the same for all texts with the same last k words, the model is, on these texts, an n-gram model
 * of order k + 1 whose rows are fractions; at least one word more than k is run, so that its not mattering was seen. */
#include <attest/check.h>

#include "../num/flint_compat.h"

#include <stdio.h>
#include <string.h>

#define COUNT_BITS 62 /* of a row's common denominator */

typedef struct {
    const at_model *m;
    int W, V, longest;
    uint64_t texts;
    uint64_t *before;  /* (longest + 2): texts that are shorter */
    const char **rows; /* (texts): the fractions of a text, blanks between */
    at_arena *a;
    at_err *err;
} histories;

static at_status takes(const at_model *m, at_err *err)
{
    if (!at_model_is_lm(m))
        return at_fail(err, AT_EREFUSED,
                       "no language model: words come in, and the probabilities of words and of the end out");
    if (m->readout.kind != AT_READ_SPARSEMAX)
        return at_fail(err, AT_EREFUSED, "its readout is %s, whose probabilities are no fractions",
                       at_read_names[m->readout.kind]);
    if (m->n_min > 0)
        return at_fail(err, AT_EREFUSED, "it takes texts of %d words and more, and a text begins with none",
                       m->n_min);
    return at_arith_supports(m, (at_arith){.kind = AT_EXACT}, err);
}

static at_status text_run(histories *h, uint64_t i, int n)
{
    double x[64];
    const char *const *said;
    at_arena a;
    at_text row;
    at_arena_init(&a);
    at_text_init(&row);
    at_words_nth(h->W, n, i - h->before[n], x);
    at_status s = at_run_fractions(h->m, &(at_input){n, x}, &a, &said, h->err);
    for (int k = 0; k < h->V && !s; k++)
        at_text_addf(&row, "%s%s", k ? " " : "", said[k]);
    if (!s && (row.oom || !(h->rows[i] = at_arena_strdup(h->a, row.s))))
        s = at_oom(h->err);
    at_text_release(&row);
    at_arena_release(&a);
    return s;
}

static at_status texts_run(histories *h, const at_progress *progress)
{
    uint64_t all = 1, texts = 0;
    int most = h->m->n_max < 62 ? h->m->n_max : 62;
    for (h->longest = -1; h->longest < most && texts + all <= AT_HISTORIES_TEXTS; all *= (uint64_t)h->W) {
        texts += all;
        h->longest++;
    }
    h->before = at_new(h->a, uint64_t, h->longest + 2);
    h->rows = at_new(h->a, const char *, texts);
    if (!h->before || !h->rows)
        return at_oom(h->err);
    h->texts = texts;
    all = 1;
    for (int n = 0; n <= h->longest; n++, all *= (uint64_t)h->W)
        h->before[n + 1] = h->before[n] + all;
    at_status s = AT_OK;
    for (int n = 0; n <= h->longest; n++)
        for (uint64_t i = h->before[n]; i < h->before[n + 1] && !s; i++) {
            at_progress_tick(progress, "texts", (double)i, (double)texts);
            s = at_cancel_pending() ? at_fail(h->err, AT_ECANCEL, "interrupted") : text_run(h, i, n);
        }
    return s;
}

/* Do the last k words decide? The number of a text's last k words is its own modulo W^k. */
static bool decide(const histories *h, int k)
{
    uint64_t all = h->before[k + 1] - h->before[k];
    for (int n = k + 1; n <= h->longest; n++)
        for (uint64_t i = h->before[n]; i < h->before[n + 1]; i++)
            if (strcmp(h->rows[i], h->rows[h->before[k] + (i - h->before[n]) % all]) != 0)
                return false;
    return true;
}

/* count (V) over a common denominator; false: it has too many digits. */
static bool row_counts(const char *text, int V, uint64_t *count, double *p)
{
    fmpz_t common;
    fmpq *x = _fmpq_vec_init(V);
    char part[4096];
    bool fits = true;
    fmpz_init(common);
    fmpz_one(common);
    for (int w = 0; w < V; w++) {
        size_t n = strcspn(text, " ");
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        fits = n < sizeof part && fmpq_set_str(&x[w], part, 10) == 0 && fits;
        p[w] = fmpq_get_d(&x[w]);
        fmpz_lcm(common, common, fmpq_denref(&x[w]));
        text += n + (text[n] == ' ');
    }
    fits = fits && fmpz_bits(common) <= COUNT_BITS;
    for (int w = 0; w < V && fits; w++) {
        fmpz_t t;
        fmpz_init(t);
        fmpz_divexact(t, common, fmpq_denref(&x[w]));
        fmpz_mul(t, t, fmpq_numref(&x[w]));
        count[w] = fmpz_get_ui(t);
        fmpz_clear(t);
    }
    fmpz_clear(common);
    _fmpq_vec_clear(x, V);
    return fits;
}

static at_status names_make(const histories *h, const char *const **out)
{
    const char **name = at_new(h->a, const char *, h->W);
    const at_word *words = h->m->fields[0].words;
    for (int w = 0; name && w < h->W; w++)
        if (!(name[w] = words ? words[w].s : at_arena_printf(h->a, "%d", w)))
            return at_oom(h->err);
    *out = name;
    return name ? AT_OK : at_oom(h->err);
}

static at_status tables_make(const histories *h, int k, at_ngram **out, bool *fractions)
{
    uint64_t n = h->before[k + 1];
    const char *const *name;
    uint64_t *count = at_new(h->a, uint64_t, n * (uint64_t)h->V);
    double *p = at_new(h->a, double, n *(uint64_t)h->V);
    at_status s = count && p ? names_make(h, &name) : at_oom(h->err);
    *fractions = true;
    for (uint64_t i = 0; i < n && !s; i++)
        *fractions =
            row_counts(h->rows[i], h->V, count + i * (uint64_t)h->V, p + i * (uint64_t)h->V) && *fractions;
    if (s)
        return s;
    return *fractions ? at_ngram_of_counts(k + 1, h->W, name, count, h->a, out, h->err)
                      : at_ngram_of_table(k + 1, h->W, name, p, h->a, out, h->err);
}

at_status at_ngram_of_model(const at_model *m, const at_progress *progress, at_arena *a, at_ngram **out,
                            at_histories *said, at_err *err)
{
    *out = NULL;
    at_status s = takes(m, err);
    if (s)
        return s;
    histories h = {.m = m, .W = m->fields[0].size, .V = m->readout.rows, .a = a, .err = err};
    s = texts_run(&h, progress);
    if (s)
        return s;
    int k = 0;
    while (k < h.longest && k < AT_NGRAM_ORDER_MAX && !decide(&h, k))
        k++;
    if (k >= h.longest || k == AT_NGRAM_ORDER_MAX)
        return at_fail(
            err, AT_EREFUSED,
            "on the %ju texts to length %d that were run, what comes next depends on more than the last "
            "%d words: no finite history is known to decide",
            (uintmax_t)h.texts, h.longest, k - 1 < 0 ? 0 : k - 1);
    *said = (at_histories){.seen = k, .longest = h.longest, .texts = h.texts};
    return tables_make(&h, k, out, &said->fractions);
}
