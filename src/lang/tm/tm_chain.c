/* tm_chain.c: a Turing machine as a chain: what must be written after an input is its run, one token a step.
 *
 *     1 0 1 1 <start>  1/R/right ... 1/L/done halt <end>        written/move/state, then the verdict, then <end>
 *
 * N is the most letters of an input, T the most steps of a run. Prompts are the inputs of 0..N letters on which the machine stops
 * within T steps; about the others nothing is asked. */
#include <string.h>

#include <attest/lang.h>

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
    at_arena arena;    /* of the machine, if it is the chain's own */
} tm_chain;

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

void at_tm_chain_close(void *self)
{
    tm_chain *c = self;
    at_free(c->stopped);
    at_arena_release(&c->arena);
    at_free(c);
}

at_status at_tm_chain_open(const at_tm *t, at_arena *own, int N, int T, void **self, at_err *err)
{
    tm_chain *c = at_calloc(1, sizeof *c);
    if (!c) {
        if (own)
            at_arena_release(own);
        return at_oom(err);
    }
    *c = (tm_chain){
        .t = t, .N = N, .T = T, .count = UINT64_MAX, .why = "there are too many inputs of so many letters"};
    if (own)
        c->arena = *own;
    else
        at_arena_init(&c->arena);
    c->inputs = inputs_count(t, t->letters ? N : 0);
    at_status s = c->inputs <= LISTED_MAX ? inputs_list(c, err) : AT_OK;
    if (s)
        at_tm_chain_close(c);
    else
        *self = c;
    return s;
}

/* ---- prompts --------------------------------------------------------------------------------------------------------------------- */

int at_tm_chain_row_width(const void *self)
{
    (void)self;
    return 1;
}

int at_tm_chain_tokens(const void *self)
{
    return ((const tm_chain *)self)->t->tokens;
}

int at_tm_chain_prompt_max(const void *self)
{
    return ((const tm_chain *)self)->N + 1;
}

int at_tm_chain_rows_max(const void *self)
{
    return ((const tm_chain *)self)->T + 2;
}

uint64_t at_tm_chain_count(const void *self)
{
    return ((const tm_chain *)self)->count;
}

const char *at_tm_chain_unlisted(const void *self)
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

at_status at_tm_chain_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
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

at_status at_tm_chain_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    return draw(self, r, false, prompt, n, err);
}

at_status at_tm_chain_adversarial(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    return draw(self, r, true, prompt, n, err);
}

at_status at_tm_chain_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                             at_err *err)
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

void at_tm_chain_print(const void *self, at_text *out)
{
    at_tm_print(((const tm_chain *)self)->t, out);
}

/* A letter becomes the first of the alphabet, if the machine still stops. */
bool at_tm_chain_simpler(const void *self, const double *prompt, int n, int k, double *out)
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
