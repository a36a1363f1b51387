/* lm.c: language models from files: n-grams and probabilistic automata. Models with weights are in lm_model.c. */
#include "lm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int ngram_find(const void *of, const char *s, size_t n)
{
    return at_ngram_find(of, s, n);
}

static at_status ngram_sentence(void *of, const int *word, int n, double *log10p, at_err *err)
{
    const at_ngram *g = of;
    (void)err;
    int state = at_ngram_start(g);
    for (int i = 0; i < n; i++)
        log10p[i] = at_ngram_step(g, &state, word[i]);
    log10p[n] = at_ngram_step(g, &state, at_ngram_eos(g));
    return AT_OK;
}

static at_status ngram_row(void *of, const int *word, int n, double *p, at_err *err)
{
    const at_ngram *g = of;
    (void)err;
    int history[AT_NGRAM_ORDER_MAX], len = 0;
    if (n < g->order - 1)
        history[len++] = at_ngram_bos(g);
    for (int i = n < g->order - 1 ? 0 : n - (g->order - 1); i < n; i++)
        history[len++] = word[i];
    at_ngram_row(g, history, len, p);
    return AT_OK;
}

static void ngram_say(const void *of, at_tokens tokens, const int *word, int n, at_text *out)
{
    at_ngram_say(of, tokens, word, n, out);
}

/* ---- probabilistic automata: their states are summed over ------------------------------------------------------------ */

static int pfsa_find(const void *of, const char *s, size_t n)
{
    const at_pfsa *p = of;
    for (int k = 0; k < p->letters; k++)
        if (strlen(p->letter[k]) == n && memcmp(p->letter[k], s, n) == 0)
            return k;
    return -1;
}

static at_status pfsa_sentence(void *of, const int *word, int n, double *log10p, at_err *err)
{
    const at_pfsa *p = of;
    double belief[AT_PFSA_STATES], row[AT_PFSA_LETTERS + 1];
    (void)err;
    at_pfsa_begin(p, belief);
    for (int i = 0; i <= n; i++) {
        int next = i < n ? word[i] : p->letters;
        at_pfsa_row(p, belief, row);
        log10p[i] = next >= 0 && row[next] > 0 ? at_log(row[next]) / at_log(10) : -INFINITY;
        if (i < n)
            at_pfsa_step(p, belief, next);
    }
    return AT_OK;
}

static at_status pfsa_row(void *of, const int *word, int n, double *row, at_err *err)
{
    const at_pfsa *p = of;
    double belief[AT_PFSA_STATES];
    (void)err;
    at_pfsa_begin(p, belief);
    for (int i = 0; i < n; i++)
        at_pfsa_step(p, belief, word[i]);
    at_pfsa_row(p, belief, row);
    return AT_OK;
}

static void pfsa_say(const void *of, at_tokens tokens, const int *word, int n, at_text *out)
{
    const at_pfsa *p = of;
    (void)tokens;
    for (int i = 0; i < n; i++)
        at_text_addf(out, "%s%s", i ? " " : "", p->letter[word[i]]);
}

static at_status pfsa_open(const char *path, cli_lm *out, at_err *err)
{
    at_pfsa *p;
    *out = (cli_lm){.arena = out->arena,
                    .unk = -1,
                    .longest = -1,
                    .tokens = AT_TOKENS_WORD,
                    .find = pfsa_find,
                    .sentence = pfsa_sentence,
                    .row = pfsa_row,
                    .say = pfsa_say};
    at_status s = at_pfsa_load(path, &out->arena, &p, err);
    if (s)
        return s;
    out->words = p->letters;
    out->of = p;
    return AT_OK;
}

/* A safetensors file begins with the length of its header, 8 bytes, and the header is JSON. What is no regular file is read once. */
bool cli_lm_is_model(const char *path)
{
    struct stat at;
    char first[9];
    FILE *f = stat(path, &at) == 0 && S_ISREG(at.st_mode) ? fopen(path, "rb") : NULL;
    bool yes = f && fread(first, 1, sizeof first, f) == sizeof first && first[8] == '{';
    if (f)
        fclose(f);
    return yes;
}

bool cli_lm_is_pfsa(const char *path)
{
    return at_ends_with(path, ".pfsa");
}

at_status cli_lm_no_machine(const char *path, at_err *err)
{
    return at_ends_with(path, ".ptm") ? at_fail(err, AT_EREFUSED,
                                                "%.200s: a machine, of which no bound on the steps of a word "
                                                "is known; compile it, and ask the "
                                                "model about its steps",
                                                path)
                                      : AT_OK;
}

at_status cli_lm_open(const char *path, cli_lm *out, at_err *err)
{
    at_ngram *g;
    *out = (cli_lm){
        .longest = -1, .find = ngram_find, .sentence = ngram_sentence, .row = ngram_row, .say = ngram_say};
    at_arena_init(&out->arena);
    if (cli_lm_is_model(path))
        return cli_lm_open_model(path, out, err);
    if (cli_lm_is_pfsa(path))
        return pfsa_open(path, out, err);
    at_status s = cli_lm_no_machine(path, err);
    if (!s)
        s = at_ngram_load(path, &out->arena, &g, err);
    if (s)
        return s;
    out->words = g->words;
    out->unk = g->unk;
    out->tokens = at_ngram_tokens(g);
    out->of = g;
    return AT_OK;
}

void cli_lm_close(cli_lm *m)
{
    if (m->close && m->of)
        m->close(m->of);
    at_arena_release(&m->arena);
}

static at_status text_look(const char *path, const char *first, size_t n, at_err *err)
{
    if (!memchr(first, 0, n))
        return AT_OK;
    return at_fail(err, AT_EINPUT, "%.200s: a byte is 0: no text of words or characters (--tokens byte)",
                   path);
}

at_status cli_lm_text(const char *path, at_tokens tokens, char **text, size_t *n, at_err *err)
{
    static const char mark[] =
        "\xEF\xBB\xBF"; /* some editors put it before a text: it is no part of the first word */
    bool bytes = tokens == AT_TOKENS_BYTE;
    at_status s = at_file_read_if(strcmp(path, "-") ? path : "/dev/stdin", AT_NGRAM_FILE_MAX,
                                  bytes ? NULL : text_look, text, n, err);
    if (!s && !bytes && *n >= 3 && !memcmp(*text, mark, 3))
        memmove(*text, *text + 3, *n -= 3);
    return s;
}
