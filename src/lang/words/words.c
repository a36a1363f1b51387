/* words.c: a language of words as a problem: is the word in it? Answered at the last position, yes = 1, no = 0; the empty word
 * has an answer, too.
 *
 * Of a random word the answer is nearly always the same. So half of the random words are members, drawn letter by letter among
 * those from which a member of that length can still be reached, and the adversarial ones are members with one letter
 * changed, two letters exchanged, or none. */
#include <math.h>
#include <string.h>

#include <attest/lang.h>

enum {
    TABLE_MAX = 1 << 24, /* bytes of the table for one draw */
    TRIES = 64           /* draws until a member is met */
};

static const at_recogniser *words_of(const at_params *p)
{
    return ((const at_problem *)p->of)->self;
}

static int length_of(const at_params *p)
{
    return at_params_int(p, "N");
}

static int one(const at_params *p)
{
    (void)p;
    return 1;
}

static int two(const at_params *p)
{
    (void)p;
    return 2;
}

static int letters(const at_params *p)
{
    return words_of(p)->sigma.n;
}

/* By formulas. Without memory no answer is known (at_task_answer). */
static void answer_formulas(const at_recogniser *w, int n, const double *x, double *y)
{
    int *word = at_malloc(((size_t)n + 1) * sizeof *word);
    at_tri v = AT_UNKNOWN;
    for (int i = 0; word && i < n; i++)
        word[i] = (int)x[i];
    if (!word || at_formulas_run(w->formulas, word, n, &v, NULL))
        v = AT_UNKNOWN;
    at_free(word);
    *y = v == AT_UNKNOWN ? NAN : v == AT_TRUE;
}

static void answer(const at_params *p, const double *x, double *y)
{
    const at_dfa *d = words_of(p)->dfa;
    int n = length_of(p);
    if (!d) {
        answer_formulas(words_of(p), n, x, y);
        return;
    }
    int q = d->start;
    for (int i = 0; i < n; i++)
        q = d->to[q * d->sigma.n + (int)x[i]];
    *y = d->accept[q];
}

static void draw_any(const at_params *p, at_rng *r, double *x)
{
    for (int i = 0; i < length_of(p); i++)
        x[i] = (double)at_rng_below(r, (uint64_t)letters(p));
}

/* ---- members ------------------------------------------------------------------------------------------------- */

/* A word of a shape that languages like: letters by chance with some letters rarer, a block again and again, equal runs of
 * different letters, a word and its mirror image through a change of letters, pairs of letters put inside each other. */
static void draw_shape(const at_params *p, at_rng *r, double *x)
{
    uint64_t n = (uint64_t)length_of(p), L = (uint64_t)letters(p), kind = at_rng_below(r, 5);
    uint64_t a = at_rng_below(r, L), b = at_rng_below(r, L), size = 1 + at_rng_below(r, 4);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t c = at_rng_below(r, L);
        if (kind == 0)
            c = at_rng_below(r, 4) ? a : c;
        else if (kind == 1)
            c = i < size ? c : (uint64_t)x[i - size];
        else if (kind == 2) /* runs of n/size letters */
            c = (a + i * size / n) % L;
        else if (kind == 3)
            c = 2 * i < n ? c : (b + (uint64_t)x[n - 1 - i]) % L;
        else /* a run to and fro: up, then down again */
            c = i / size % 2 ? b : a;
        x[i] = (double)c;
    }
}

/* Of a language that formulas say: by trying. */
static bool draw_member_tried(const at_params *p, at_rng *r, double *x)
{
    for (int k = 0; k < TRIES; k++) {
        double y;
        if (k % 2)
            draw_any(p, r, x);
        else
            draw_shape(p, r, x);
        answer(p, x, &y);
        if (y == 1)
            return true;
    }
    return false;
}

/* A member of this length, if there is one. */
static bool draw_member(const at_params *p, at_rng *r, double *x)
{
    const at_dfa *d = words_of(p)->dfa;
    if (!d)
        return draw_member_tried(p, r, x);
    size_t n = (size_t)length_of(p), Q = (size_t)d->states, L = (size_t)d->sigma.n;
    bool *can =
        (n + 1) * Q <= TABLE_MAX ? at_malloc((n + 1) * Q) : NULL; /* (n + 1, Q): after k more letters */
    if (!can)
        return false;
    memcpy(can, d->accept, Q);
    for (size_t k = 1; k <= n; k++)
        for (size_t q = 0; q < Q; q++) {
            bool any = false;
            for (size_t c = 0; c < L && !any; c++)
                any = can[(k - 1) * Q + (size_t)d->to[q * L + c]];
            can[k * Q + q] = any;
        }
    size_t q = (size_t)d->start;
    bool is = can[n * Q + q];
    for (size_t i = 0; is && i < n; i++) {
        const bool *next = can + (n - 1 - i) * Q;
        uint64_t choices = 0, chosen;
        for (size_t c = 0; c < L; c++)
            choices += next[d->to[q * L + c]];
        chosen = at_rng_below(r, choices);
        size_t c = 0;
        for (; !next[d->to[q * L + c]] || chosen--; c++)
            ;
        x[i] = (double)c;
        q = (size_t)d->to[q * L + c];
    }
    at_free(can);
    return is;
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    if (at_rng_below(r, 2) || !draw_member(p, r, x))
        draw_any(p, r, x);
}

static void adversarial(const at_params *p, at_rng *r, double *x)
{
    uint64_t n = (uint64_t)length_of(p), kind = at_rng_below(r, 3);
    if (!draw_member(p, r, x))
        draw_any(p, r, x);
    if (!n || !kind)
        return;
    uint64_t i = at_rng_below(r, n), j = kind == 1 ? i : at_rng_below(r, n);
    double was = x[i];
    x[i] = kind == 1 ? (double)at_rng_below(r, (uint64_t)letters(p)) : x[j];
    if (kind == 2)
        x[j] = was;
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

static const char *const cases[] = {"the word is in the language", "it is not", NULL};

static int which(const at_params *p, const double *x, int i)
{
    double y;
    (void)i;
    answer(p, x, &y);
    return y == 0;
}

static at_recogniser *words_make(at_problem *p, int least_length, const char *text, int longest)
{
    at_recogniser *w = at_new(&p->arena, at_recogniser, 1);
    if (!w)
        return NULL;
    w->longest = longest < 0 ? 16 : longest;
    w->text = text;
    w->length = (at_param){"N", "length", least_length, AT_WORD_LONGEST, w->longest, true, NULL};
    w->task = (at_task){.id = p->id,
                        .title = p->title,
                        .definition = p->definition,
                        .params = &w->length,
                        .n_params = 1,
                        .last = true,
                        .enums = 1u << AT_ENUM_SEQUENCES,
                        .input_help = "letters of the alphabet, as in abba; the empty word is ''",
                        .tokens = letters,
                        .answers = two,
                        .row_width = one,
                        .out_width = one,
                        .answer = answer,
                        .sample = sample,
                        .adversarial = adversarial,
                        .count = count,
                        .nth = nth,
                        .simpler = at_words_simpler,
                        .cases = cases,
                        .which = which};
    p->self = w;
    p->task = &w->task;
    return w;
}

at_status at_recogniser_make(at_problem *p, const at_dfa *least, const char *text, int longest, at_err *err)
{
    at_recogniser *w = words_make(p, 0, text, longest);
    if (!w)
        return at_oom(err);
    w->sigma = least->sigma;
    w->dfa = least;
    return AT_OK;
}

at_status at_recogniser_formulas(at_problem *p, const at_formulas *f, const char *text, int longest,
                                 at_err *err)
{
    bool inside = f->at == AT_AT_LAST || f->at == AT_AT_FIRST;
    at_recogniser *w = words_make(p, inside, text, inside && !longest ? 1 : longest);
    if (!w)
        return at_oom(err);
    w->sigma = f->sigma;
    w->formulas = f;
    return AT_OK;
}

const at_recogniser *at_recogniser_of(const at_problem *p)
{
    return p->task && p->task->answer == answer ? p->self : NULL;
}
