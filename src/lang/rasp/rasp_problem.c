/* rasp_problem.c: a program as a problem: what an s-op is at every position of a word.
 *
 * Before the program there may be lines of ours, which no program begins with:
 *
 *     alphabet a b c          letters; else those of `set example`, those that are compared with tokens, or a b c
 *     length 1..64            of the words that are asked about
 *     output hist             the s-op that is asked for; else the one that is set last
 *     attention softmax       or average, which is usual */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../words/words_internal.h"
#include "rasp_internal.h"

enum { BYTES = 1 << 22, TRIED = 600 };

/* ---- reading ----------------------------------------------------------------------------------------------------------- */

typedef struct {
    at_alphabet sigma;
    int longest, softmax;
    char output[104];
    int output_line;
} header;

static char *behind(char *s, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(s, word, n) != 0 || !strchr(" \t\r", s[n]))
        return NULL;
    s += n + strspn(s + n, " \t\r");
    if (!*s && strcmp(word, "alphabet") == 0) /* without letters: a fault */
        return s;
    return *s && *s != '=' && *s != '#' && *s != ',' ? s : NULL; /* length = 3; is of the program */
}

/* A # in quotes, which stand around all letters or none, is a letter. */
static void comment_cut(char *s)
{
    bool quotes = *s == '"', quoted = false;
    for (; *s; s++) {
        quoted ^= quotes && *s == '"';
        if (*s == '#' && !quoted)
            *s = 0;
    }
}

/* One line, if it is one of ours. */
static at_status line_read(char *s, at_arena *a, header *h, int line, char **value, bool *is, at_err *err)
{
    char tail;
    int k;
    *is = true;
    if ((*value = behind(s, "alphabet"))) {
        comment_cut(*value);
        return h->sigma.n ? at_fail(err, AT_EINPUT, "a second alphabet")
                          : at_alphabet_parse(*value, a, &h->sigma, err);
    }
    if ((*value = behind(s, "length"))) {
        comment_cut(*value);
        return words_length(*value, &h->longest) && h->longest > 0
                   ? AT_OK
                   : at_fail(err, AT_EINPUT, "a length is written 1..N, N at most %d", AT_WORD_LONGEST);
    }
    if ((*value = behind(s, "output"))) {
        comment_cut(*value);
        h->output_line = line;
        return sscanf(*value, "%100s %c", h->output, &tail) == 1
                   ? AT_OK
                   : at_fail(err, AT_EINPUT, "one s-op is the output, as in output hist");
    }
    if ((*value = behind(s, "attention"))) {
        static const char *const names[] = {"average", "softmax"};
        char word[16] = "";
        comment_cut(*value);
        k = sscanf(*value, "%15s %c", word, &tail) == 1 && strcmp(word, names[1]) == 0;
        h->softmax = k;
        return k || strcmp(word, names[0]) == 0 ? AT_OK
                                                : at_fail(err, AT_EINPUT, "attention is average or softmax");
    }
    *is = false;
    return AT_OK;
}

/* The lines before the program become blanks. */
static at_status header_read(char *text, const char *path, at_arena *a, header *h, at_err *err)
{
    *h = (header){.longest = -1};
    int line = 1;
    for (char *s = text, *end; *s; s = *end ? end + 1 : end, line++) {
        char *at = s + strspn(s, " \t\r"), *value;
        end = s + strcspn(s, "\n");
        if (at == end || *at == '#')
            continue;
        char kept = *end;
        bool is;
        at_err fault = {0};
        char *copy;
        *end = 0;
        copy = at_arena_strdup(a, at);
        at_status st = copy ? line_read(copy, a, h, line, &value, &is, &fault) : at_oom(err);
        *end = kept;
        if (!copy)
            return st;
        if (st)
            return st == AT_ENOMEM ? at_oom(err)
                                   : at_fail(err, st, "%.200s:%d:%d: %s", path, line,
                                             (int)(at - s + (value - copy)) + 1, fault.text);
        if (!is)
            return AT_OK;
        memset(at, ' ', (size_t)(end - at));
    }
    return AT_OK;
}

static at_status output_choose(at_rasp *r, const header *h, at_err *err)
{
    if (!h->output[0])
        return AT_OK;
    at_guess g = {h->output, NULL, 0};
    for (int k = 0; k < r->n_outputs; k++) {
        at_guess_add(&g, r->output[k]);
        if (strcmp(r->output[k], h->output) == 0) {
            r->usual = k;
            return AT_OK;
        }
    }
    const char *near = at_guess_found(&g);
    return at_fail(
        err, AT_EINPUT, "%.150s:%d:1: the output '%.60s' is no s-op that the program sets%s%.60s%s", r->path,
        h->output_line, h->output, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

at_status at_rasp_read(char *text, const char *path, const at_alphabet *given, at_arena *a, at_rasp **out,
                       at_err *err)
{
    header h;
    rasp_statement *library, *program;
    rasp_reader r = {.path = "rasplib", .a = a, .err = err};
    if (strlen(text) > BYTES)
        return at_fail(err, AT_EINPUT, "%.150s: a program of more than 4 MiB", path);
    at_rasp *x = *out = at_new(a, at_rasp, 1);
    char *lib = at_arena_strdup(a, rasp_library);
    if (!x || !lib)
        return at_oom(err);
    x->path = at_arena_strdup(a, path);
    at_status s = x->path ? header_read(text, path, a, &h, err) : at_oom(err);
    if (!s && given && h.sigma.n)
        s = at_fail(err, AT_EINPUT, "%.150s: a line alphabet, and another alphabet beside it", path);
    if (!s && given)
        h.sigma = *given;
    if (!s)
        s = rasp_lex(&r, lib, 1);
    if (!s)
        s = rasp_parse(&r, &library);
    r.path = x->path;
    if (!s)
        s = rasp_lex(&r, text, 1);
    if (!s)
        s = rasp_parse(&r, &program);
    if (s)
        return s;
    x->sigma = h.sigma;
    x->longest = h.longest;
    x->softmax = h.softmax;
    s = rasp_fold(&r, library, program, x);
    return s ? s : output_choose(x, &h, err);
}

/* ---- the problem ---------------------------------------------------------------------------------------------------------- */

static const at_rasp *rasp_of(const at_params *p)
{
    return ((const at_problem *)p->of)->self;
}

static int length_of(const at_params *p)
{
    return at_params_int(p, "N");
}

static int output_of(const at_params *p)
{
    return rasp_of(p)->output_node[at_params_int(p, "output")];
}

static int one(const at_params *p)
{
    (void)p;
    return 1;
}

static int letters(const at_params *p)
{
    return rasp_of(p)->sigma.n;
}

/* 0: answers are no tokens. */
static int answers(const at_params *p)
{
    const at_rasp *r = rasp_of(p);
    at_arena a;
    at_rasp_range *g;
    int n = 0;
    at_arena_init(&a);
    if (!at_rasp_ranges(r, length_of(p), &a, &g, NULL)) {
        const at_rasp_range *x = &g[output_of(p)];
        n = x->kind == AT_RASP_STRING    ? (at_rasp_letters(r, x) ? r->sigma.n : x->n)
            : x->lo >= 0 && x->hi < 4096 ? (int)x->hi + 1
                                         : 0;
    }
    at_arena_release(&a);
    return n == 1 ? 2 : n;
}

/* Where the program has no answer, none is known, which no model gives. */
static void answer(const at_params *p, const double *x, double *y)
{
    const at_rasp *r = rasp_of(p);
    int n = length_of(p), node = output_of(p);
    at_arena a;
    at_arena_init(&a);
    int *word = at_new(&a, int, n);
    at_rasp_atom *v = at_new(&a, at_rasp_atom, n);
    for (int i = 0; word && i < n; i++)
        word[i] = (int)x[i];
    bool known = word && v && !at_rasp_run(r, node, word, n, &a, v, NULL);
    for (int i = 0; i < n; i++)
        y[i] = known ? at_rasp_answer(r, &r->range[node], &v[i]) : NAN;
    at_arena_release(&a);
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    for (int i = 0; i < length_of(p); i++)
        x[i] = (double)at_rng_below(r, (uint64_t)letters(p));
}

/* Few letters, long runs, blocks that come again, one letter among many of another: where counts are equal or differ by one. */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    uint64_t n = (uint64_t)length_of(p), L = (uint64_t)letters(p), kind = at_rng_below(r, 4);
    uint64_t a = at_rng_below(r, L), b = at_rng_below(r, L), size = 1 + at_rng_below(r, n);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t c = at_rng_below(r, L);
        if (kind == 0)
            c = i == size - 1 ? b : a;
        else if (kind == 1)
            c = at_rng_below(r, 2) ? a : b;
        else if (kind == 2)
            c = (a + i * size / n) % L;
        else
            c = i < size ? c : (uint64_t)x[i - size];
        x[i] = (double)c;
    }
}

static uint64_t count(const at_params *p, at_enum e)
{
    return e == AT_ENUM_SEQUENCES ? at_words_count(letters(p), length_of(p)) : 0;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    at_words_nth(letters(p), length_of(p), index, x);
}

/* Does the output fail on a short word? Then the program is refused, with the place and the word. */
static at_status words_try(const at_rasp *r, at_err *err)
{
    int node = r->output_node[r->usual], word[4];
    at_status s = AT_OK;
    for (int n = 1, tried = 0; n <= 4 && !s; n++) {
        int all = 1;
        for (int i = 0; i < n; i++)
            all *= r->sigma.n;
        if (tried + all > TRIED && n > 1)
            break;
        for (int k = 0; k < all && !s; k++, tried++) {
            at_arena a;
            at_rasp_atom v[4];
            at_arena_init(&a);
            for (int i = 0, x = k; i < n; i++, x /= r->sigma.n)
                word[i] = x % r->sigma.n;
            s = at_rasp_run(r, node, word, n, &a, v, err);
            at_arena_release(&a);
        }
    }
    return s;
}

/* Means are no outputs; the others keep their order. */
static at_status outputs_keep(at_rasp *r, const at_rasp_range *g, at_err *err)
{
    int n = 0, usual = -1;
    for (int k = 0; k < r->n_outputs; k++) {
        int v = r->output_node[k];
        if (g[v].kind == AT_RASP_NUMBER && !g[v].whole) {
            if (k == r->usual)
                return at_fail(err, AT_EREFUSED,
                               "%.150s:%d:%d: the output '%.60s' can be a fraction; compare or round it, or "
                               "name another "
                               "in a line: output NAME",
                               r->path, r->node[v].line, r->node[v].column, r->output[k]);
            continue;
        }
        if (k == r->usual)
            usual = n;
        r->output_node[n] = v;
        r->output[n++] = r->output[k];
    }
    r->output[n] = NULL;
    r->n_outputs = n;
    r->usual = usual;
    return AT_OK;
}

static at_status rasp_read(at_problem *p, char *text, at_err *err)
{
    at_rasp *r;
    at_rasp_range *g;
    const at_alphabet *given;
    at_status s = words_beside(p, &given, err);
    if (!s)
        s = at_rasp_read(text, p->path, given, &p->arena, &r, err);
    if (!s)
        s = at_rasp_ranges(r, AT_WORD_LONGEST, &p->arena, &g, err);
    if (!s)
        s = outputs_keep(r, g, err);
    if (s)
        return s;
    r->range = g;
    s = words_try(r, err);
    if (s)
        return s;
    p->title = "a program in RASP";
    p->definition = "what the s-op is at every position of the word";
    r->params[0] =
        (at_param){"N", "length", 1, AT_WORD_LONGEST, r->longest > 0 ? r->longest : 16, true, NULL};
    r->params[1] =
        (at_param){"output", "the s-op that is asked for", 0, r->n_outputs - 1, r->usual, true, r->output};
    r->task = (at_task){.id = p->id,
                        .title = p->title,
                        .definition = p->definition,
                        .params = r->params,
                        .n_params = 2,
                        .enums = 1u << AT_ENUM_SEQUENCES,
                        .input_help = "letters of the alphabet, as in abba",
                        .tokens = letters,
                        .answers = answers,
                        .row_width = one,
                        .out_width = one,
                        .answer = answer,
                        .sample = sample,
                        .adversarial = adversarial,
                        .count = count,
                        .nth = nth,
                        .simpler = at_words_simpler};
    p->self = r;
    p->task = &r->task;
    return AT_OK;
}

const at_rasp *at_rasp_of(const at_problem *p)
{
    return p->task && p->task->answer == answer ? p->self : NULL;
}

static at_status open_rasp(at_problem *p, at_err *err)
{
    return words_open(p, rasp_read, err);
}

static at_status parse_rasp(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, rasp_read, err);
}

const at_lang at_lang_rasp = {.id = "rasp",
                              .suffix = ".rasp",
                              .about = "a program in RASP, docs/languages.md",
                              .open = open_rasp,
                              .parse = parse_rasp,
                              .given = true};
