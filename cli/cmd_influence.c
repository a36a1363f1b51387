/* cmd_influence.c: `attest influence`: how far one letter moves the answer of a softmax model, bounded and measured. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *between; /* NULL: every pair of rows */
    int length, words;
} own;

enum { ROWS = 5 }; /* lengths: N, N/2, ... */

typedef struct {
    int n, worst, least;
    bool says; /* not vacuous */
    double bound, least_bound, range, measured, nats;
} row;

typedef struct {
    const at_model *m;
    int a, b; /* rows of the readout */
    row at[ROWS];
    int n_rows;
    double exponent; /* of n, by least squares over the rows; NaN: one row */
    int from; /* the least length of a bound below the range, next to one that is not; 0: there is none */
} influence;

/* "1,0": two rows, or one. */
static at_status between_parse(const char *text, const at_model *m, int *a, int *b, at_err *err)
{
    char *end;
    long first = strtol(text, &end, 10), second = -1;
    bool fine = end != text;
    if (fine && *end == ',') {
        const char *from = end + 1;
        second = strtol(from, &end, 10);
        fine = end != from && second >= 0;
    }
    if (!fine || *end || first < 0 || first >= m->readout.rows || second >= m->readout.rows ||
        first == second)
        return at_fail(err, AT_EINPUT,
                       "--between '%s': two different rows of the readout, 0..%d, as in 1,0; or one", text,
                       m->readout.rows - 1);
    *a = (int)first;
    *b = (int)second;
    return AT_OK;
}

/* Of a pair of rows, what follows for cross entropy: by the letter that moves the answer least. */
static at_status row_ask(const influence *q, int n, int words, uint64_t seed, row *out, at_err *err)
{
    at_arena a;
    at_influence f;
    at_read_kind read = q->m->readout.kind;
    bool logits = read == AT_READ_ARGMAX || read == AT_READ_SOFTMAX || read == AT_READ_SIGN;
    at_arena_init(&a);
    double *most = at_new(&a, double, n);
    at_status s = most ? at_influence_bound(q->m, n, q->a, q->b, &a, &f, err) : at_oom(err);
    if (!s && f.worst < 0)
        s = at_fail(err, AT_EDOMAIN, "of one letter there is no other that could move the answer");
    if (!s && words)
        s = at_influence_measure(q->m, n, q->a, q->b, words, seed, most, err);
    if (!s) {
        *out = (row){.n = n,
                     .worst = f.worst,
                     .least = f.least,
                     .bound = f.most[f.worst],
                     .least_bound = f.most[f.least],
                     .range = f.range,
                     .says = at_influence_says(&f, f.worst),
                     .nats = logits ? at_influence_loss(f.most[f.least]) : NAN};
        for (int u = 0; u < n; u++)
            if (u != f.own)
                out->measured = fmax(out->measured, most[u]);
    }
    at_arena_release(&a);
    return s;
}

static bool binds(const row *r)
{
    return r->says;
}

/* Between a length whose bound is vacuous and a longer one whose bound is not: where it changes. */
static at_status from_find(influence *q, at_err *err)
{
    int low = 0, high = 0;
    for (int k = 0; k < q->n_rows; k++)
        if (binds(&q->at[k]))
            high = q->at[k].n; /* rows are in order of falling length */
        else
            break;
    for (int k = 0; k < q->n_rows; k++)
        if (q->at[k].n < high && !binds(&q->at[k])) {
            low = q->at[k].n;
            break;
        }
    at_status s = AT_OK;
    while (!s && high && low && high - low > 1) {
        row r;
        int middle = low + (high - low) / 2;
        s = row_ask(q, middle, 0, 0, &r, err);
        if (!s && binds(&r))
            high = middle;
        else
            low = middle;
    }
    q->from = high;
    return s;
}

static void exponent_fit(influence *q)
{
    double x = 0, y = 0, xx = 0, xy = 0, k = q->n_rows;
    for (int i = 0; i < q->n_rows; i++) {
        double a = at_log(q->at[i].n), b = at_log(q->at[i].bound);
        x += a / k;
        y += b / k;
        xx += a * a / k;
        xy += a * b / k;
    }
    q->exponent = q->n_rows > 1 ? (xy - x * y) / (xx - x * x) : NAN;
}

static at_status ask(const cli_args *a, influence *q, at_err *err)
{
    const own *o = a->own;
    const at_model *m = q->m;
    int N = o->length ? o->length : m->n_max < 64 ? m->n_max : 64, least = m->n_min > 4 ? m->n_min : 4;
    q->a = q->b = -1;
    at_status s = o->between ? between_parse(o->between, m, &q->a, &q->b, err) : AT_OK;
    for (int n = N; !s && q->n_rows < ROWS && (n >= least || n == N); n /= 2) {
        s = row_ask(q, n, o->words, a->seed, &q->at[q->n_rows], err);
        q->n_rows += !s;
    }
    if (!s)
        s = from_find(q, err);
    if (!s)
        exponent_fit(q);
    return s;
}

static void text_add(const cli_args *a, const influence *q, at_text *t)
{
    const own *o = a->own;
    const row *r = &q->at[0];
    at_text_addf(t, "%s: of %d letters one moves the answer by at most %.4g\n",
                 binds(r) ? "binding" : "vacuous", r->n, r->bound);
    if (!binds(r))
        at_text_addf(t,
                     "  which is no less than what all of them do by the same balls, %.4g: it says nothing\n",
                     r->range);
    if (q->from)
        at_text_addf(t, "  it is less than what all letters do from %d letters on\n", q->from);
    at_text_addf(t, "\n%6s %11s %11s %11s %11s %9s\n", "n", "bound", "n bound", "range", "measured", "nats");
    for (int k = 0; k < q->n_rows; k++) {
        const row *x = &q->at[k];
        at_text_addf(t, "%6d %11.4g %11.4g %11.4g %11.4g ", x->n, x->bound, x->n * x->bound, x->range,
                     x->measured);
        at_text_addf(t, isnan(x->nats) ? "        -\n" : "%9.5f\n", x->nats);
    }
    if (!isnan(q->exponent))
        at_text_addf(t, "the bound falls like n^%.2f over these lengths\n", q->exponent);
    at_text_addf(t,
                 "\nbound: certified over all words and all letters but that of the position that answers;\n"
                 "measured: %d drawn words, every letter changed, in f64; nats: two words that one letter\n"
                 "tells apart have at least this cross entropy on average, where the number is a logit or a\n"
                 "difference of two (a coin has 0.69315)\n",
                 o->words);
}

static json_t *number_or_null(double x)
{
    return isfinite(x) ? cli_json_number(x) : json_null();
}

static json_t *json_make(const influence *q)
{
    json_t *j = cli_json_set(json_object(), "binding", json_boolean(binds(&q->at[0]))), *rows = json_array();
    for (int k = 0; k < q->n_rows; k++) {
        const row *r = &q->at[k];
        json_t *x = cli_json_set(json_object(), "n", json_integer(r->n));
        x = cli_json_set(x, "bound", number_or_null(r->bound));
        x = cli_json_set(x, "letter", json_integer(r->worst + 1));
        x = cli_json_set(x, "least_bound", number_or_null(r->least_bound));
        x = cli_json_set(x, "least_letter", json_integer(r->least + 1));
        x = cli_json_set(x, "range", number_or_null(r->range));
        x = cli_json_set(x, "measured", number_or_null(r->measured));
        rows = cli_json_add(rows, cli_json_set(x, "nats", number_or_null(r->nats)));
    }
    j = cli_json_set(j, "lengths", rows);
    j = cli_json_set(j, "exponent", number_or_null(q->exponent));
    return cli_json_set(j, "binds_from", q->from ? json_integer(q->from) : json_null());
}

static int run(const cli_args *a)
{
    at_err err = {0};
    at_model m;
    if (at_model_load(&m, a->words[0], &err))
        return cli_fail(a, &err);
    influence q = {.m = &m};
    at_status s = ask(a, &q, &err);
    int code;
    if (s)
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, json_make(&q), CLI_HOLDS);
    else {
        at_text t;
        at_text_init(&t);
        text_add(a, &q, &t);
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_model_release(&m);
    return code;
}

static const own usual = {.words = 6};
static const cli_option options[] = {
    {"--length", "N", "letters of a word (default 64, or the most it takes)",
     CLI_WHOLE(own, length, 1, 4096)},
    {"--between", "A,B", "rows of the readout whose difference is meant", CLI_TEXT(own, between)},
    {"--words", "W", "words on which it is measured (default 6)", CLI_WHOLE(own, words, 1, 100000)},
    {CLI_SEED},
    {CLI_JSON},
    {0},
};

const cli_command cmd_influence = {
    .name = "influence",
    .summary = "how far one letter moves the answer of a softmax model",
    .usage = "MODEL [--length N] [--between A,B] [--words W] [--seed N] [--json]",
    .about = "Bounds how far changing one letter moves the answer of a model of softmax attention: the\n"
             "difference of two rows of its readout at the last position, over all words of N letters and\n"
             "all changes of one letter, certified from the weights. Beside it what is measured, what all\n"
             "letters together can do (a bound that is no less is vacuous), the same at N/2, N/4, ..., the\n"
             "power of n with which the bound falls, and from which length on it says something.\n"
             "\n"
             "Without --between every pair of rows is meant. Two words that must be told apart by one\n"
             "letter have at least the cross entropy that is printed: no training helps.\n"
             "\n"
             "Exit code: 0 computed, 2 a model outside the class (hard attention: `attest refute`), 3 too\n"
             "long or too wide a model.",
    .examples = "attest influence m.safetensors --length 128\n"
                "attest influence m.safetensors --length 128 --between 3,1 --json\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 1,
    .missing = "a model file",
    .run = run,
};
