/* tm_problem.c: a Turing machine as a problem: what must be written after an input is its run, one token a step.
 *
 *     1 0 1 1 <start>  1/R/right ... 1/L/done halt <end>        written/move/state, then the verdict, then <end>
 *
 * N is the most letters of an input, T the most steps of a run. Prompts are the inputs of 0..N letters on which the machine stops
 * within T steps; about the others nothing is asked. */
#include <string.h>

#include "../words/words_internal.h"
#include "tm_internal.h"

#define LISTED_MAX ((uint64_t)1 << 20) /* inputs that are listed */
#define LIST_WORK  ((uint64_t)1 << 28) /* steps that listing them may take */
#define TRIES      256                 /* draws until one stops */

typedef struct {
    const at_tm *t;
    int N, T;
    uint64_t inputs;   /* of 0..N letters; UINT64_MAX: too many */
    uint64_t count;    /* of them that stop; UINT64_MAX: not listed */
    uint32_t *stopped; /* (count) their numbers */
    const char *why;   /* not listed: why */
} tm_chain;

const at_tm *at_tm_of(const at_problem *p)
{
    return p && p->lang && !strcmp(p->lang, "tm") ? p->self : NULL;
}

/* ---- inputs ---------------------------------------------------------------------------------------------------------------------- */

/* Input number i, shorter ones first, the last letter fastest; its length. */
static int input_nth(const tm_chain *c, uint64_t i, int *word)
{
    uint64_t all = 1, letters = (uint64_t)c->t->letters;
    int n = 0;
    for (; i >= all; n++) {
        i -= all;
        all *= letters;
    }
    for (int k = n - 1; k >= 0; k--, i /= letters)
        word[k] = 1 + (int)(i % letters);
    return n;
}

static uint64_t inputs_count(const at_tm *t, int N)
{
    uint64_t all = 1, sum = 1;
    for (int k = 0; k < N; k++)
        if (__builtin_mul_overflow(all, (uint64_t)t->letters, &all) || __builtin_add_overflow(sum, all, &sum))
            return UINT64_MAX;
    return sum;
}

static at_status stops(const tm_chain *c, const int *word, int n, at_tm_end *end, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    at_status s = at_tm_run(c->t, word, n, c->T, &a, NULL, NULL, end, err);
    end->tape = NULL;
    at_arena_release(&a);
    return s;
}

/* Runs every input, for the numbers of those that stop. */
static at_status inputs_list(tm_chain *c, at_err *err)
{
    uint64_t work = 0;
    int *word = at_malloc(((size_t)c->N + 1) * sizeof *word);
    c->stopped = at_malloc((size_t)c->inputs * sizeof *c->stopped);
    at_status s = word && c->stopped ? AT_OK : at_oom(err);
    c->count = 0;
    for (uint64_t i = 0; i < c->inputs && !s; i++) {
        at_tm_end end;
        int n = input_nth(c, i, word);
        s = stops(c, word, n, &end, err);
        if (!s && end.verdict != AT_TM_RUNS)
            c->stopped[c->count++] = (uint32_t)i;
        if (!s && (work += (uint64_t)end.steps + 32) > LIST_WORK) {
            c->count = UINT64_MAX;
            c->why = "their runs are too long";
            break;
        }
    }
    at_free(word);
    return s;
}

static void chain_close(void *self)
{
    tm_chain *c = self;
    at_free(c->stopped);
    at_free(c);
}

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    tm_chain *c = at_calloc(1, sizeof *c);
    if (!c)
        return at_oom(err);
    *c = (tm_chain){.t = at_tm_of(p->of), .N = at_params_int(p, "N"), .T = at_params_int(p, "T")};
    c->inputs = inputs_count(c->t, c->t->letters ? c->N : 0);
    c->count = UINT64_MAX;
    c->why = "there are too many inputs of so many letters";
    at_status s = c->inputs <= LISTED_MAX ? inputs_list(c, err) : AT_OK;
    if (s)
        chain_close(c);
    else
        *self = c;
    return s;
}

/* ---- prompts --------------------------------------------------------------------------------------------------------------------- */

static int row_width(const void *self)
{
    (void)self;
    return 1;
}

static int tokens(const void *self)
{
    return ((const tm_chain *)self)->t->tokens;
}

static int prompt_max(const void *self)
{
    return ((const tm_chain *)self)->N + 1;
}

static int rows_max(const void *self)
{
    return ((const tm_chain *)self)->T + 2;
}

static uint64_t count(const void *self)
{
    return ((const tm_chain *)self)->count;
}

static const char *unlisted(const void *self)
{
    const tm_chain *c = self;
    return c->count == UINT64_MAX ? c->why : NULL;
}

static void prompt_put(const tm_chain *c, const int *word, int n, double *prompt, int *n_prompt)
{
    for (int k = 0; k < n; k++)
        prompt[k] = word[k];
    prompt[n] = c->t->begin;
    *n_prompt = n + 1;
}

static at_status word_room(const tm_chain *c, int **word, at_err *err)
{
    *word = at_malloc(((size_t)c->N + 1) * sizeof **word);
    return *word ? AT_OK : at_oom(err);
}

static at_status nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
{
    const tm_chain *c = self;
    int *word;
    at_status s = word_room(c, &word, err);
    if (!s)
        prompt_put(c, word, input_nth(c, c->stopped[i], word), prompt, n);
    at_free(word);
    return s;
}

/* Any word; or, where runs are long and go wrong late, one of a pattern: blocks, a period, a mirror, with a change or without. */
static int word_draw(const tm_chain *c, at_rng *r, bool pattern, int *word)
{
    uint64_t letters = (uint64_t)c->t->letters;
    int n = letters ? (int)at_rng_below(r, (uint64_t)c->N + 1) : 0;
    if (pattern && letters && at_rng_below(r, 2))
        n = c->N;
    for (int k = 0; k < n; k++)
        word[k] = 1 + (int)at_rng_below(r, letters);
    if (!pattern || !n)
        return n;
    uint64_t kind = at_rng_below(r, 3);
    int period = kind == 0 ? n : 1 + (int)at_rng_below(r, 3);
    for (int k = 1; k < n; k++)
        word[k] = kind == 2            ? word[n - 1 - k < k ? n - 1 - k : k]
                  : kind == 1          ? word[k % period]
                  : at_rng_below(r, 4) ? word[k - 1]
                                       : word[k];
    if (at_rng_below(r, 2))
        word[at_rng_below(r, (uint64_t)n)] = 1 + (int)at_rng_below(r, letters);
    return n;
}

static at_status draw(const tm_chain *c, at_rng *r, bool pattern, double *prompt, int *n, at_err *err)
{
    int *word;
    at_status s = word_room(c, &word, err);
    for (int k = 0; k < TRIES && !s; k++) {
        at_tm_end end;
        int letters = word_draw(c, r, pattern, word);
        s = stops(c, word, letters, &end, err);
        if (!s && end.verdict != AT_TM_RUNS) {
            prompt_put(c, word, letters, prompt, n);
            at_free(word);
            return AT_OK;
        }
    }
    at_free(word);
    return s ? s
             : at_fail(err, AT_EBUDGET, "of %d inputs at random the machine stops on none within %d steps",
                       TRIES, c->T);
}

static at_status sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    return draw(self, r, false, prompt, n, err);
}

static at_status adversarial(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    return draw(self, r, true, prompt, n, err);
}

static at_status answer(const void *self, const double *prompt, int n, double *rows, int *n_rows, at_err *err)
{
    const tm_chain *c = self;
    at_arena a;
    at_arena_init(&a);
    int *word = at_new(&a, int, n), *chain = at_new(&a, int, c->T + 2);
    at_tm_end end = {0};
    at_status s = word && chain ? AT_OK : at_oom(err);
    for (int k = 0; !s && k < n - 1; k++) {
        word[k] = (int)prompt[k];
        if (word[k] < 1 || word[k] > c->t->letters)
            s = at_fail(err, AT_EDOMAIN, "position %d of the prompt is no letter of the input", k + 1);
    }
    if (!s && (n < 1 || prompt[n - 1] != c->t->begin))
        s = at_fail(err, AT_EDOMAIN, "a prompt ends with <start>");
    if (!s)
        s = at_tm_run(c->t, word, n - 1, c->T, &a, chain, n_rows, &end, err);
    if (!s && end.verdict == AT_TM_RUNS)
        s = at_fail(err, AT_EBUDGET, "the machine does not stop within T=%d steps", c->T);
    for (int k = 0; !s && k < *n_rows; k++)
        rows[k] = chain[k];
    at_arena_release(&a);
    return s;
}

/* A letter becomes the first of the alphabet, if the machine still stops. */
static bool simpler(const void *self, const double *prompt, int n, int k, double *out)
{
    const tm_chain *c = self;
    int *word;
    bool found = false;
    if (word_room(c, &word, NULL))
        return false;
    for (int i = 0; i < n - 1 && !found; i++) {
        at_tm_end end;
        if (prompt[i] == 1)
            continue;
        for (int j = 0; j < n - 1; j++)
            word[j] = j == i ? 1 : (int)prompt[j];
        if (stops(c, word, n - 1, &end, NULL) || end.verdict == AT_TM_RUNS || k-- > 0)
            continue;
        prompt_put(c, word, n - 1, out, &(int){0});
        found = true;
    }
    at_free(word);
    return found;
}

/* ---- the problem ------------------------------------------------------------------------------------------------------------------ */

static const char *const forms[] = {"integers", "rational", "none", NULL};

static at_status problem_read(at_problem *p, char *text, at_err *err)
{
    at_tm *t;
    at_status s = at_tm_read(text, p->path, &p->arena, &t, err);
    if (s)
        return s;
    at_param *schema = at_new(&p->arena, at_param, 3);
    at_chain *chain = at_new(&p->arena, at_chain, 1);
    char *title =
        at_arena_printf(&p->arena, "a Turing machine of %d states and %d symbols", t->states, t->symbols);
    if (!schema || !chain || !title)
        return at_oom(err);
    schema[0] = (at_param){
        "N", "the most letters of an input", 0, t->letters ? AT_TM_WORD : 0, t->longest, true, NULL};
    schema[1] = (at_param){"T", "the most steps of a run", 1, AT_TM_STEPS, t->budget, true, NULL};
    schema[2] = (at_param){
        "form", "how it is compiled: with positions i and i^2; 1/i and 1/i^2; without", 0, 2, 0, true, forms};
    *chain = (at_chain){
        .id = "run",
        .title = title,
        .definition =
            "after the input and <start>: one token written/move/state a step, then yes, no or halt, "
            "then <end>",
        .input_help = "letters of the input, as in 1011; the empty one is ''",
        .params = schema,
        .n_params = 3,
        .open = chain_open,
        .close = chain_close,
        .row_width = row_width,
        .tokens = tokens,
        .prompt_max = prompt_max,
        .rows_max = rows_max,
        .count = count,
        .nth = nth,
        .sample = sample,
        .adversarial = adversarial,
        .simpler = simpler,
        .answer = answer,
                        .nested = true,
        .unlisted = unlisted};
    p->lang = "tm";
    p->self = t;
    p->title = title;
    p->definition = chain->definition;
    p->chain = chain;
    return AT_OK;
}

static at_status open_tm(at_problem *p, at_err *err)
{
    return words_open(p, problem_read, err);
}

static at_status parse_tm(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, problem_read, err);
}

const at_lang at_lang_tm = {.id = "tm",
                            .suffix = ".tm",
                            .about = "a Turing machine, docs/languages.md",
                            .open = open_tm,
                            .parse = parse_tm};
