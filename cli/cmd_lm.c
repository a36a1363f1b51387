/* cmd_lm.c: `attest lm`: n-gram language models: fit, score, perplexity, sample, tight. */
#include "lm.h"

#include <attest/check.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MASS_SHOWN 60 /* digits of a fraction that a line holds */

/* ---- fit -------------------------------------------------------------------------------------------------------- */

static json_t *fitted_json(const at_fit *how, const at_ngram *g, const at_fitted *f)
{
    json_t *counts = json_array(), *discounts = json_array();
    for (int k = 1; k <= g->order; k++) {
        counts = cli_json_add(counts, json_integer(at_ngram_count(g, k)));
        json_t *d = json_array();
        for (int i = 0; i < (how->smoothing == AT_SMOOTH_KN ? 3 : 1); i++)
            d = cli_json_add(d, cli_json_number(f->discount[k][i]));
        discounts = cli_json_add(discounts, d);
    }
    json_t *j = cli_json_set(json_object(), "order", json_integer(g->order));
    j = cli_json_set(j, "smoothing", cli_json_text(at_smoothing_names[how->smoothing]));
    j = cli_json_set(j, "tokens_are", cli_json_text(at_tokens_names[how->tokens]));
    j = cli_json_set(j, "sentences", json_integer((json_int_t)f->sentences));
    j = cli_json_set(j, "tokens", json_integer((json_int_t)f->tokens));
    j = cli_json_set(j, "unknown", json_integer((json_int_t)f->unknown));
    j = cli_json_set(j, "words", json_integer(g->words));
    j = cli_json_set(j, "ngrams", counts);
    if (how->smoothing == AT_SMOOTH_KN || how->smoothing == AT_SMOOTH_ABS)
        return cli_json_set(j, "discounts", discounts);
    json_decref(discounts);
    return j;
}

static void fitted_print(const cli_args *a, const at_fit *how, const at_ngram *g, const at_fitted *f,
                         at_text *t)
{
    char n[32];
    at_text_addf(t, "text         %s sentences, ", at_count_text(n, f->sentences));
    at_text_addf(t, "%s tokens (%s)", at_count_text(n, f->tokens), at_tokens_names[how->tokens]);
    if (f->unknown)
        at_text_addf(t, ", %s of them <unk>", at_count_text(n, f->unknown));
    at_text_addf(t, "\nwords        %s\n", at_count_text(n, (uint64_t)g->words));
    for (int k = 1; k <= g->order; k++) {
        at_text_addf(t, "%d-grams      %s", k, at_count_text(n, (uint64_t)at_ngram_count(g, k)));
        const double *d = f->discount[k];
        if (how->smoothing == AT_SMOOTH_KN)
            at_text_addf(t, ", discounts %.4g %.4g %.4g", d[0], d[1], d[2]);
        else if (how->smoothing == AT_SMOOTH_ABS)
            at_text_addf(t, ", discount %.4g", d[0]);
        at_text_add(t, f->assumed[k] ? " (assumed: too few of small counts)\n" : "\n");
    }
    at_text_add(t, "written      ");
    at_text_add_plain(t, a->out);
    at_text_add(t, "\n");
}

static int fit(const cli_args *a)
{
    const cli_lm_options *o = a->own;
    at_fit how = {.order = o->order ? o->order : 3,
                  .smoothing = o->smoothing,
                  .tokens = o->tokens ? (at_tokens)(o->tokens - 1) : AT_TOKENS_WORD,
                  .k = o->k > 0 ? o->k : 1,
                  .vocabulary = o->vocabulary,
                  .min_count = (uint64_t)o->min_count};
    at_err err = {0};
    if (!a->out)
        return cli_usage(a, "where to: -o FILE.arpa is missing");
    if (o->k > 0 && how.smoothing != AT_SMOOTH_ADD)
        return cli_usage(a, "--k is for --smoothing add");
    if (a->n_words > 2)
        return cli_usage(a, "fit takes one text");
    char *text = NULL;
    size_t n = 0;
    at_ngram *g;
    at_fitted said;
    at_arena arena;
    at_text t, printed;
    at_arena_init(&arena);
    at_text_init(&t);
    at_text_init(&printed);
    at_status s = cli_lm_text(a->words[1], how.tokens, &text, &n, &err);
    if (!s)
        s = at_ngram_fit(&how, text, n, a->words[1], cli_progress(), &arena, &g, &said, &err);
    at_free(text);
    if (!s) {
        at_ngram_print(g, cli_progress(), &printed);
        cli_progress_clear();
        s = printed.oom ? at_oom(&err) : at_file_write(a->out, printed.s, printed.n, &err);
    }
    int code;
    if (s)
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, fitted_json(&how, g, &said), CLI_HOLDS);
    else {
        fitted_print(a, &how, g, &said, &t);
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_text_release(&printed);
    at_arena_release(&arena);
    return code;
}

/* ---- tight ------------------------------------------------------------------------------------------------------ */

/* What tightness was decided for, and its names: a trap is words, or one state. */
typedef struct {
    const char *const *word, *const *trap;
    const char *begin; /* of paths */
    bool divided;      /* rows were divided by their sums */
    bool fractions;    /* but these were 1 */
} named;

static json_t *words_json(const char *const *name, const int *word, int n)
{
    json_t *j = json_array();
    for (int i = 0; i < n; i++)
        j = cli_json_add(j, cli_json_text(name[word[i]]));
    return j;
}

static json_t *tight_json(const named *g, const at_tight *r)
{
    json_t *j = cli_json_set(json_object(), "tight", json_boolean(r->tight));
    j = cli_json_set(j, "states", json_integer(r->states));
    j = cli_json_set(j, "dead", json_integer(r->dead));
    j = cli_json_set(j, "off", cli_json_number(r->off));
    j = cli_json_set(j, "trap", r->tight ? json_null() : words_json(g->trap, r->trap, r->n_trap));
    j = cli_json_set(j, "path", r->tight ? json_null() : words_json(g->word, r->path, r->n_path));
    j = cli_json_set(j, "mass", cli_json_text(r->mass));
    j = cli_json_set(j, "mass_near", cli_json_number(r->mass_near));
    return cli_json_set(j, "solved", json_boolean(r->solved));
}

static void words_print(const char *const *name, const char *title, const char *before, const int *word,
                        int n, at_text *t)
{
    at_text_addf(t, "%-12s %s", title, before);
    for (int i = 0; i < n; i++) {
        at_text_add(t, i || *before ? " " : "");
        at_text_add_plain(t, name[word[i]]);
    }
    at_text_add(t, n || *before ? "\n" : "the empty one\n");
}

static void tight_print(const named *g, const at_tight *r, at_text *t)
{
    char n[32];
    at_text_addf(t, "tight        %s\n",
                 !r->tight    ? "no"
                 : g->divided ? "yes: every state that <s> reaches can reach </s>"
                              : "yes: every state that is reached can end");
    at_text_addf(t, "states       %s reached", at_count_text(n, (uint64_t)r->states));
    if (!r->tight) {
        at_text_addf(t, ", %s of them cannot %s\n", at_count_text(n, (uint64_t)r->dead),
                     g->divided ? "reach </s>" : "end");
        words_print(g->trap, "trap", "", r->trap, r->n_trap, t);
        words_print(g->word, "reached by", g->begin, r->path, r->n_path, t);
    } else
        at_text_add(t, "\n");
    if (isnan(r->off))
        at_text_add(t, "rows         too many to add up\n");
    else if (g->divided && !g->fractions)
        at_text_addf(t, "rows         sum to 1 within %.2g; divided by their sums\n", r->off);
    if (!r->mass)
        at_text_addf(t, "mass         less than 1; as a fraction only up to %d states\n", AT_TIGHT_SOLVED);
    else if (strlen(r->mass) <= MASS_SHOWN)
        at_text_addf(t, "mass         %s%s\n", r->mass, r->solved || !r->tight ? "" : " (not solved for)");
    else
        at_text_addf(t, "mass         %.15g, a fraction of %zu digits (--json has it)\n", r->mass_near,
                     strlen(r->mass) - 1);
}

static at_status tight_find(const char *path, at_arena *arena, named *names, at_tight *r, at_err *err)
{
    at_ngram *g;
    at_pfsa *p;
    if (cli_lm_is_pfsa(path)) {
        at_status s = at_pfsa_load(path, arena, &p, err);
        if (s)
            return s;
        *names = (named){.word = p->letter, .trap = p->state, .begin = ""};
        return at_pfsa_tight(p, arena, r, err);
    }
    at_status s = cli_lm_no_machine(path, err);
    if (!s)
        s = at_ngram_load(path, arena, &g, err);
    if (s)
        return s;
    *names = (named){.word = g->word, .trap = g->word, .begin = "<s>", .divided = true};
    return at_ngram_tight(g, cli_progress(), arena, r, err);
}

static int decided_put(const cli_args *a, const named *names, const at_histories *h, const at_tight *r)
{
    int code = r->tight ? CLI_HOLDS : r->mass ? CLI_FAILS : CLI_UNDECIDED;
    if (a->json) {
        json_t *j = tight_json(names, r);
        if (h) {
            j = cli_json_set(j, "words_seen", json_integer(h->seen));
            j = cli_json_set(j, "texts_run", json_integer((json_int_t)h->texts));
            j = cli_json_set(j, "longest_run", json_integer(h->longest));
        }
        return cli_put_json(a, j, code);
    }
    at_text t;
    char n[32];
    at_text_init(&t);
    tight_print(names, r, &t);
    if (h)
        at_text_addf(&t,
                     "histories    the last %d word%s decide%s, in exact arithmetic, on all %s texts to "
                     "length %d; longer "
                     "ones are taken to go on so\n",
                     h->seen, h->seen == 1 ? "" : "s", h->seen == 1 ? "s" : "", at_count_text(n, h->texts),
                     h->longest);
    return cli_put_text(a, &t, code);
}

/* Of weights that are read by sparsemax: the n-gram model that they are. */
static int tight_histories(const cli_args *a, const at_model *m)
{
    at_err err = {0};
    at_arena arena;
    at_ngram *g;
    at_histories h;
    at_tight r;
    at_arena_init(&arena);
    at_status s = at_ngram_of_model(m, cli_progress(), &arena, &g, &h, &err);
    if (!s)
        s = at_ngram_tight(g, cli_progress(), &arena, &r, &err);
    cli_progress_clear();
    named names = {.begin = "<s>", .divided = true};
    if (!s) {
        names.word = names.trap = g->word;
        names.fractions = h.fractions;
    }
    int code = s ? cli_fail(a, &err) : decided_put(a, &names, &h, &r);
    at_arena_release(&arena);
    return code;
}

/* Of weights: a bound on the end behind every text. */
static int tight_model(const cli_args *a)
{
    at_model m;
    at_err err = {0};
    double least;
    at_status s = at_model_load(&m, a->words[1], &err);
    if (s)
        return cli_fail(a, &err);
    if (m.readout.kind == AT_READ_SPARSEMAX) {
        int code = tight_histories(a, &m);
        at_model_release(&m);
        return code;
    }
    int rows = 0;
    for (int k = 0; k < m.n_pos; k++)
        if (at_pos_is(m.pos[k].kind, AT_IS_ROWS))
            rows = m.pos[k].size;
    s = at_end_least(&m, &least, &err);
    at_model_release(&m);
    if (s)
        return cli_fail(a, &err);
    if (a->json) {
        json_t *j = cli_json_set(json_object(), "tight", json_true());
        j = cli_json_set(j, "log10_end_least", cli_json_number(least));
        return cli_put_json(a, cli_json_set(j, "mass", cli_json_text("1")), CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "tight        yes: behind every text, of any length, </s> has at least 10^%.6g\n",
                 least);
    at_text_add(&t, "over         the reals, bounded in balls");
    at_text_add(&t, least < -300 ? "; in f64 so small a probability may be 0\n" : "\n");
    if (rows)
        at_text_addf(
            &t,
            "positions    a table of %d rows; longer texts have any rows between its least and largest "
            "numbers\n",
            rows);
    at_text_add(&t, "mass         1\n");
    return cli_put_text(a, &t, CLI_HOLDS);
}

static int tight(const cli_args *a)
{
    at_err err = {0};
    at_arena arena;
    named names;
    at_tight r;
    if (a->n_words > 2)
        return cli_usage(a, "tight takes one file");
    if (cli_lm_is_model(a->words[1]))
        return tight_model(a);
    at_arena_init(&arena);
    at_status s = tight_find(a->words[1], &arena, &names, &r, &err);
    int code = s ? cli_fail(a, &err) : decided_put(a, &names, NULL, &r);
    at_arena_release(&arena);
    return code;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *name, *missing;
    int (*run)(const cli_args *a);
    bool fits, draws; /* takes the options of fit, of sample */
} deed;
static const deed deeds[] = {
    {"fit", "a text file, or - for standard input", fit, true, false},
    {"score", "an ARPA file or another model", cli_lm_score, false, false},
    {"perplexity", "an ARPA file or another model", cli_lm_perplexity, false, false},
    {"sample", "an ARPA file or another model", cli_lm_sample, false, true},
    {"tight", "an ARPA file or another model", tight, false, false},
};

static const cli_lm_options usual = {.count = 10, .max_length = 1000};

static int run(const cli_args *a)
{
    at_err err = {0};
    const cli_lm_options *o = a->own;
    static const at_registry all =
        AT_REGISTRY_OF_ROWS("part of lm", NULL, deeds, sizeof deeds / sizeof *deeds, name);
    const deed *d = at_registry_need(&all, a->words[0], &err);
    if (!d)
        return cli_fail(a, &err);
    if (!d->fits && (o->order || o->smoothing || o->k > 0 || o->vocabulary || o->min_count || a->out))
        return cli_usage(a, "%s takes none of the options of fit", d->name);
    if (!d->draws && (o->count != usual.count || o->max_length != usual.max_length))
        return cli_usage(a, "%s takes none of the options of sample", d->name);
    if (a->n_words < 2)
        return cli_usage(a, "missing: %s", d->missing);
    return d->run(a);
}

static const char *const tokens_words[] = {"auto", "word", "char", "byte"};
static const cli_option options[] = {
    {CLI_JSON},
    {CLI_OUT},
    {"--order", "N", "fit: of the model, 1..8 (default 3)",
     CLI_WHOLE(cli_lm_options, order, 1, AT_NGRAM_ORDER_MAX)},
    {"--smoothing", "S", "fit: kn (default), abs, add or none",
     CLI_CHOICE(cli_lm_options, smoothing, at_smoothing_names, AT_SMOOTHINGS)},
    {"--k", "K", "fit: how much add adds to each count (default 1)",
     CLI_NUMBER(cli_lm_options, k, 1e-9, 1e9)},
    {"--vocabulary", "N", "fit: only the N most frequent words; others are <unk>",
     CLI_WHOLE(cli_lm_options, vocabulary, 1, AT_NGRAM_WORDS_MAX)},
    {"--min-count", "N", "fit: only words seen so often; others are <unk>",
     CLI_WHOLE(cli_lm_options, min_count, 1, 1000000000)},
    {"--tokens", "KIND", "word, char, byte, or auto: as the model says (fit: word)",
     CLI_CHOICE(cli_lm_options, tokens, tokens_words, 4)},
    {"--count", "N", "sample: sentences, 1..1000000000 (default 10)",
     CLI_WHOLE(cli_lm_options, count, 1, 1000000000)},
    {"--max-length", "N", "sample: words of a sentence at most (default 1000)",
     CLI_WHOLE(cli_lm_options, max_length, 0, 1000000)},
    {CLI_SEED},
    {0},
};

const cli_command cmd_lm = {
    .name = "lm",
    .summary = "language models: fit, score, sample, perplexity, tightness",
    .usage = "fit TEXT -o ARPA | score|perplexity LM TEXT | sample LM | tight LM [OPTIONS]",
    .about =
        "A text has one sentence a line; - is standard input. LM is an ARPA file, a probabilistic\n"
        "automaton (.pfsa), or a model file that answers with probabilities.\n\n"
        "fit: counts the n-grams of a text and writes an ARPA file with back-off. kn is modified\n"
        "Kneser-Ney, abs absolute discounting, both interpolated; add adds K to every count and lists\n"
        "every word behind every context; none takes frequencies as they are. <unk> is always a word.\n\n"
        "score: a line a sentence: log10 of its probability, </s> included, and how many of its words\n"
        "the model does not know (OOVs). perplexity: 10^(-log10prob / tokens), over words and </s>. An\n"
        "OOV is <unk> where that has a probability; else it is left out of both, as SRILM does.\n"
        "\"without OOVs\" leaves all of them out, as KenLM also prints. A known word without\n"
        "probability makes the perplexity infinite.\n\n"
        "sample: sentences drawn from the model; one cut at --max-length ends in \" ...\".\n\n"
        "tight: do the probabilities of all finite sentences sum to 1? Decided by a search, and the sum\n"
        "as a fraction up to 200 states that can end. Of a model file with a softmax readout: a lower\n"
        "bound on the probability of the end, for texts of all lengths. With a sparsemax readout: the\n"
        "same search, over the histories that all short texts, run in exact arithmetic, show to decide.\n"
        "Others are refused. Exit 0 tight, 1 not, 3 not and the sum too large to solve for.\n",
    .examples = "attest lm fit examples/village.txt --order 3 -o village.arpa\n"
                "attest lm perplexity village.arpa examples/village.txt\n"
                "echo 'the baker opens the shop' | attest lm score village.arpa -\n"
                "attest lm sample village.arpa --count 5 --seed 7\n"
                "attest lm fit examples/village.txt --tokens char --order 6 -o letters.arpa\n"
                "attest lm tight examples/trap.arpa\n"
                "attest lm score examples/weather.pfsa days.txt\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 3,
    .missing = "`fit`, `score`, `perplexity`, `sample` or `tight`",
    .run = run,
};
