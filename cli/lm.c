/* lm.c: language models from files: n-grams. Models with weights are in lm_model.c. */
#include "lm.h"

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

/* A safetensors file begins with the length of its header, 8 bytes, and the header is JSON. What is no regular file is read once. */
static bool is_model(const char *path)
{
    struct stat at;
    char first[9];
    FILE *f = stat(path, &at) == 0 && S_ISREG(at.st_mode) ? fopen(path, "rb") : NULL;
    bool yes = f && fread(first, 1, sizeof first, f) == sizeof first && first[8] == '{';
    if (f)
        fclose(f);
    return yes;
}

at_status cli_lm_open(const char *path, cli_lm *out, at_err *err)
{
    at_ngram *g;
    *out = (cli_lm){.find = ngram_find, .sentence = ngram_sentence, .row = ngram_row, .say = ngram_say};
    at_arena_init(&out->arena);
    if (is_model(path))
        return cli_lm_open_model(path, out, err);
    at_status s = at_ngram_load(path, &out->arena, &g, err);
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

at_status cli_lm_text(const char *path, char **text, size_t *n, at_err *err)
{
    return at_file_read(strcmp(path, "-") ? path : "/dev/stdin", AT_NGRAM_FILE_MAX, text, n, err);
}
