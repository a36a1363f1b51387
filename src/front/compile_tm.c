/* compile_tm.c: a decoder that runs a Turing machine, one token a step (Pérez, Barceló and Marinković 2021; Merrill and Sabharwal
 * 2024 for decoders that write their own chain).
 *
 *     index    0     1 2 3 4   5         6         7                     j
 *     token    BOS   1 0 1 1   <start>   1/R/right 0/R/right ... 1/L/done halt <end>           BOS is hidden
 *
 * A token of a step says what was written, where the head went and the state it is in now. So the state is that of the last token, and
 * the one thing to find is the symbol under the head: what was written last on the cell on which the head stands.
 *
 * Legend: u = 1/(i+1), i the index of the query; h the head's cell, the sum of all moves so far; c_j the cell that token j wrote: j - 1 for
 * a letter of the input, h_j - move_j for a step; L positions.
 *
 * Integers (positions j and j^2, softmax, three layers)
 *   1. All scores are equal: the mean of the moves is h u, that of [BOS] is u.
 *   2. Query (2|h|u, u), key (j, -j^2): u (2|h|j - j^2) is largest at j = |h|, by u or more. It fetches |h| and h^2. The sign is that
 *      of h u + u/2. Then c = h - move, and c^2 = h^2 - 2 move h + move^2 by selection.
 *   3. Query (2h, 1, h^2), key (c, e j - c^2 - b/2, b), b = 1 for BOS and <start>: of cell c the score is h^2 - (h-c)^2 + e j; of BOS and
 *      <start> h^2 - 1/2 + e j. With e L <= 1/4 the last token that wrote on h wins, by e or more; where there is none it is <start>,
 *      which holds the blank, since other cells have at most h^2 - 1 + e L.
 *   Then one unit for each transition: (state, symbol) gives the next token.
 *
 * Rational (positions u and u^2, average-hard, two layers; here i counts from 1, u = 1/i)
 *   1. As above: h u. Of the cell that j wrote, c_j u_j: 1 - 2 u_j for a letter (cell j - 2), h_j u_j - move_j u_j for a step.
 *   2. Query (h u + u^2/3, -u, u^2/2), key (u_j, c_j u_j, 0), for BOS (0, 0, 1), for <start> (0, 0, 4), and -|score|:
 *      -|(h - c_j) u_i u_j + u_i^2 u_j/3|. On the same cell -u_i^2 u_j/3, the last of them largest; BOS -u_i^2/2, <start> -2 u_i^2; other
 *      cells at most -(1 - 1/3) u_i u_j <= -2/3 u_i^2. The least gap is that of neighbours j, j+1 <= i on one cell: u_i^2 u_j u_(j+1)/3.
 *
 * None (no positions: u_i is the mean of [BOS], u_(i-1) that before the position itself; u_j - u_(j-1) has the mean u_i/i = u_i^2): then
 *   as rational, one layer more.
 *
 * Differs from the papers: a tape without ends, cells found by count look-up, BOS as blank; no layer norm. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front_internal.h"

/* Errors of what steers: |h| and h^2 meet scores of L^2 with a gap of 1/8L. */
#define ERROR_HEAD  0x1p-80
#define ERROR_LOGIT 0x1p-20

typedef struct {
    const at_tm *t;
    const at_tm_options *o;
    at_program *P;
    int L; /* positions */
    /* of the own token */
    at_var state, symbol; /* one-hot: the first of many */
    at_var move, left, right, letter, bare, ended;
    at_var verdict; /* the first of three: its state says yes, no, halt */
    at_var bos;
} compiler;

/* ---- the token -------------------------------------------------------------------------------------------------------------------- */

static void token_read(compiler *c)
{
    const at_tm *t = c->t;
    at_program *P = c->P;
    enum { MOVE, LEFT, RIGHT, LETTER, BARE, ENDED, VERDICT, SYMBOL = VERDICT + 3 };
    int columns = SYMBOL + t->symbols + t->states, state = SYMBOL + t->symbols;
    double *rows = at_calloc((size_t)t->tokens * (size_t)columns, sizeof *rows);
    if (!rows) {
        at_program_oom(P);
        return;
    }
    for (int k = 0; k < t->tokens; k++) {
        double *row = rows + (size_t)k * (size_t)columns;
        int step = k - t->begin - 1, q = k == t->begin ? t->start : -1;
        if (k < t->begin) {
            row[LETTER] = 1;
            row[SYMBOL + k] = 1;
        } else if (k == t->begin) {
            row[BARE] = row[SYMBOL] = 1;
        } else if (step < t->steps) {
            const at_tm_rule *r = t->step[step];
            row[MOVE] = r->move;
            row[LEFT] = r->move < 0;
            row[RIGHT] = r->move > 0;
            row[SYMBOL + r->write] = 1;
            q = r->next;
        } else
            row[ENDED] = 1;
        if (q >= 0 && t->verdict[q] == AT_TM_RUNS)
            row[state + q] = 1;
        else if (q >= 0)
            row[VERDICT + (int)t->verdict[q] - 1] = 1;
    }
    at_var field = at_token(P, "token", t->tokens), first = at_lookup_rows(P, "is", field, columns, rows);
    at_free(rows);
    c->bos = at_mark_prefix(P, "bos", 0);
    if (first < 0)
        return;
    c->move = first + MOVE;
    c->left = first + LEFT;
    c->right = first + RIGHT;
    c->letter = first + LETTER;
    c->bare = first + BARE;
    c->ended = first + ENDED;
    c->verdict = first + VERDICT;
    c->symbol = first + SYMBOL;
    c->state = first + state;
    at_hidden_prefix(P, c->bare, 0, 1);
    at_hidden_prefix(P, c->symbol, 0, 1);
}

/* ---- heads ------------------------------------------------------------------------------------------------------------------------- */

/* Over all keys that the mask shows: their mean. */
static at_var mean(compiler *c, const char *name, at_vec values, at_mask_kind mask)
{
    at_weighting w = c->o->form == AT_TM_INTEGERS ? AT_SOFTMAX : AT_AVERAGE_HARD;
    return at_mean(c->P, name, values, w, (at_mask){.kind = mask});
}

static double blank_of(const compiler *c)
{
    return c->o->blank > 0 ? c->o->blank : 1;
}

/* The symbol of the key with the largest score: one-hot, the first of `symbols` variables. */
static at_vec symbols(compiler *c, at_var *room)
{
    for (int a = 0; a < c->t->symbols; a++)
        room[a] = c->symbol < 0 ? -1 : c->symbol + a;
    return (at_vec){c->t->symbols, room};
}

/* ---- integers ----------------------------------------------------------------------------------------------------------------------- */

static at_var read_integers(compiler *c)
{
    at_program *P = c->P;
    at_var room[AT_TM_SYMBOLS], zero = at_const(P, 0);
    double L = c->L, e = ldexp(1, -(int)ceil(at_log2(4 * L)));
    at_var here = at_position(P, "j", AT_POS_I), here2 = at_position(P, "j^2", AT_POS_I2);
    /* 1 */
    at_var hu = mean(c, "hu", AT_VEC(c->move, c->bos), AT_MASK_CAUSAL);
    if (hu < 0)
        return -1;
    at_var u = hu + 1, size = at_absolute(P, "|h|u", hu);
    at_var half = at_sum(P, NULL, AT_VEC(hu, u), (double[]){1, 0.5}, 0); /* u/2 or more, -u/2 or less */
    /* Two units of size L make the comparison, whose rounding meets numbers of size L, twice: it is made one unit, and rounded. */
    at_var about = at_relu(P, "about", at_compare(P, "sign", half, 0.5 / L));
    at_var positive = at_at_least(P, "h>=0", about, 1);
    /* 2 */
    at_counting by_count = {.weighting = AT_SOFTMAX,
                            .mask = {.kind = AT_MASK_CAUSAL},
                            .here = here,
                            .here2 = here2,
                            .least = 1 / L,
                            .error = ERROR_HEAD};
    at_var found = at_at_count(P, "h", size, u, AT_VEC(here, here2), &by_count);
    if (found < 0)
        return -1;
    at_var h2 = found + 1, h = at_select(P, "head", positive, found, at_neg(P, found));
    at_var before = at_sub(P, h, c->move);
    at_var cell = at_select(P, "cell", c->letter, at_sum(P, NULL, AT_VEC(here), NULL, -1), before);
    at_var back = at_select(P, "-2h", c->right, at_scaled(P, -2, h),
                            at_select(P, "2h", c->left, at_scaled(P, 2, h), zero));
    at_var square = at_sum(P, NULL, AT_VEC(h2, back, c->left, c->right), NULL, 0);
    at_var first = at_sum(P, NULL, AT_VEC(here2, here), (double[]){1, -2}, 1);
    at_var cell2 = at_select(P, "cell^2", c->letter, first, square);
    /* 3 */
    at_var late = at_sum(P, NULL, AT_VEC(here, cell2, c->bare),
                         (double[]){c->o->forgets ? 0 : e, -1, -0.5 * blank_of(c)}, 0);
    return at_attend(P, "under the head",
                     &(at_attention){.query = AT_VEC(at_scaled(P, 2, h), at_const(P, 1), h2),
                                     .key = AT_VEC(cell, late, c->bare),
                                     .value = symbols(c, room),
                                     .weighting = AT_SOFTMAX,
                                     .mask = {.kind = AT_MASK_CAUSAL},
                                     .gap = e,
                                     .error = ERROR_LOGIT,
                                     .unique = true,
                                     .most = 1});
}

/* ---- rational ------------------------------------------------------------------------------------------------------------------------ */

/* u = 1/i and u^2, i from 1: position features, or made of means of [BOS]. */
static void inverses(compiler *c, at_var *u, at_var *u2)
{
    at_program *P = c->P;
    if (c->o->form == AT_TM_RATIONAL) {
        *u = at_position(P, "u", AT_POS_INV_I);
        *u2 = at_position(P, "u^2", AT_POS_INV_I2);
        return;
    }
    *u = mean(c, "u", AT_VEC(c->bos), AT_MASK_CAUSAL);
    at_var before = mean(c, "u'", AT_VEC(c->bos), AT_MASK_STRICT); /* 0 at BOS, which sees nothing */
    *u2 = mean(c, "u^2", AT_VEC(at_sub(P, *u, before)), AT_MASK_CAUSAL);
}

static at_var read_rational(compiler *c)
{
    at_program *P = c->P;
    at_var room[AT_TM_SYMBOLS], zero = at_const(P, 0), u, u2;
    inverses(c, &u, &u2);
    at_var hu = mean(c, "hu", AT_VEC(c->move), AT_MASK_CAUSAL);
    at_var moved =
        at_sub(P, at_select(P, "right", c->right, u, zero), at_select(P, "left", c->left, u, zero));
    at_var first = at_sum(P, NULL, AT_VEC(u), (double[]){-2}, 1);
    at_var cell = at_select(P, "cu", c->letter, first, at_sub(P, hu, moved));
    at_var own = at_select(P, "own", c->bare, zero, u), wrote = at_select(P, "wrote", c->bare, zero, cell);
    at_var blank = at_scaled(
        P, blank_of(c),
        at_sum(P, NULL, AT_VEC(c->bare, c->bos), (double[]){4, -3}, 0)); /* 4 at <start>, 1 at BOS */
    double *gaps = at_calloc((size_t)c->L, sizeof *gaps);
    if (!gaps) {
        at_program_oom(P);
        return -1;
    }
    for (int i = 1; i <= c->L;
         i++) /* of tokens i - 1 and i on one cell; of BOS and a letter 1/6 i^2, at least */
        gaps[i - 1] = 1.0 / (3.0 * i * i * i * fmax(i - 1, 2));
    at_var under =
        at_attend(P, "under the head",
                  &(at_attention){.query = AT_VEC(at_sum(P, NULL, AT_VEC(hu, u2),
                                                         (double[]){1, c->o->forgets ? 0 : 1.0 / 3}, 0),
                                                  at_neg(P, u), at_scaled(P, 0.5, u2)),
                                  .key = AT_VEC(own, wrote, blank),
                                  .value = symbols(c, room),
                                  .weighting = AT_AVERAGE_HARD,
                                  .mask = {.kind = AT_MASK_CAUSAL},
                                  .post = AT_POST_NEG_ABS,
                                  .gap = gaps[c->L - 1],
                                  .gaps = gaps,
                                  .unique = true,
                                  .most = 1});
    at_free(gaps);
    return under;
}

/* ---- the next token ------------------------------------------------------------------------------------------------------------------ */

static void next_emit(compiler *c, at_var under)
{
    const at_tm *t = c->t;
    at_program *P = c->P;
    at_arena arena;
    at_arena_init(&arena);
    int most = t->states * t->symbols + 1;
    at_var *logit = at_new(&arena, at_var, t->tokens), *unit = at_new(&arena, at_var, most),
           *of = at_new(&arena, at_var, most);
    char name[2 * AT_WORD_MAX];
    if (!logit || !unit || !of) {
        at_program_oom(P);
        at_arena_release(&arena);
        return;
    }
    for (int k = 0; k < t->states * t->symbols;
         k++) { /* one unit a transition; without one the machine is stuck */
        int q = k / t->symbols, a = k % t->symbols;
        unit[k] = -1;
        if (t->verdict[q] != AT_TM_RUNS)
            continue;
        snprintf(name, sizeof name, "%s %s", t->state[q], t->symbol[a]);
        unit[k] = at_and(P, name, c->state + q, under + a);
    }
    for (int token = 0; token < t->tokens; token++) {
        int n = 0;
        int verdict = token - at_tm_token(t, AT_TM_YES); /* 0, 1, 2: yes, no, halt; 3: <end> */
        for (int k = 0; k < t->states * t->symbols; k++)
            if (t->verdict[k / t->symbols] == AT_TM_RUNS &&
                (t->rule[k].next >= 0 ? t->rule[k].token == token : token == at_tm_token(t, t->stuck)))
                of[n++] = unit[k];
        if (verdict >= 0 && verdict < 3)
            of[n++] = c->verdict + verdict;
        else if (verdict == 3)
            of[n++] = c->ended;
        logit[token] = at_sum(P, NULL, (at_vec){n, of}, NULL, 0);
    }
    at_emit(P, (at_vec){t->tokens, logit}, AT_READ_ARGMAX, 0);
    at_arena_release(&arena);
}

/* ---- the program ---------------------------------------------------------------------------------------------------------------------- */

at_status at_tm_program(const at_tm *t, const at_tm_options *o, at_program **out, at_err *err)
{
    char name[64];
    if (o->letters < 0 || o->letters > (t->letters ? AT_TM_WORD : 0) || o->steps < 1 ||
        o->steps > AT_TM_STEPS)
        return at_fail(err, AT_EDOMAIN, "%d letters and %d steps: 0..%d and 1..%d are compiled", o->letters,
                       o->steps, t->letters ? AT_TM_WORD : 0, AT_TM_STEPS);
    int N = o->letters + 1 + o->steps + 2;
    snprintf(name, sizeof name, "a machine of %d states, %d steps", t->states, o->steps);
    compiler c = {.t = t, .o = o, .P = at_program_new(name, N), .L = N + 1};
    c.state = c.symbol = c.move = c.left = c.right = c.letter = c.bare = c.ended = c.verdict = -1;
    if (!c.P)
        return at_oom(err);
    if (o->arith)
        at_program_arithmetic(c.P, *o->arith);
    if (o->scale != 0)
        at_program_weaken(c.P, o->scale);
    at_prefix(c.P, 1);
    at_origin(c.P, o->form == AT_TM_INTEGERS ? 0 : 1);
    token_read(&c);
    at_var under = o->form == AT_TM_INTEGERS ? read_integers(&c) : read_rational(&c);
    if (under >= 0)
        next_emit(&c, under);
    at_status s = at_program_status(c.P, err);
    if (s)
        at_program_free(c.P);
    else
        *out = c.P;
    return s;
}

/* ---- the decoder ---------------------------------------------------------------------------------------------------------------------- */

#define LOGIT_MOST 0.25 /* one logit is 1, the others 0 */

static at_status words_say(const at_tm *t, int letters, at_model *m, at_err *err)
{
    at_word *words = at_new(&m->arena, at_word, t->tokens);
    at_stretch *prompt = at_new(&m->arena, at_stretch, 2);
    double *bound = at_new(&m->arena, double, 4);
    if (!words || !prompt || !bound)
        return at_oom(err);
    for (int k = 0; k < t->tokens; k++)
        at_tm_word(t, k, words[k].s);
    m->fields[0].words = words;
    memcpy(bound, (double[]){1, t->letters, t->begin, t->begin}, 4 * sizeof *bound);
    int n = 0;
    if (letters)
        prompt[n++] = (at_stretch){0, letters, 1, &bound[0], &bound[1]};
    prompt[n++] = (at_stretch){1, 1, 1, &bound[2], &bound[3]};
    m->decode.prompt = prompt;
    m->decode.n_prompt = n;
    return AT_OK;
}

at_status at_tm_model(const at_tm *t, const at_tm_options *o, at_model *m, at_err *err)
{
    at_program *P;
    double off = 0;
    at_status s = at_tm_program(t, o, &P, err);
    if (s)
        return s;
    s = at_assemble(P, m, &off, err);
    at_program_free(P);
    if (s)
        return s;
    if (!(off < LOGIT_MOST))
        s = at_fail(
            err, AT_EDOMAIN,
            "a machine of %d states, %d steps: the next token has an error of up to %.3g; %g is the most",
            t->states, o->steps, off, LOGIT_MOST);
    /* <end> is one token, behind three verdicts, and is not fed back. */
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_EQUALS,
                            .coordinate = 0,
                            .value = t->tokens - 1,
                            .max_steps = o->steps + 2,
                            .prompt_min = 1,
                            .prompt_max = o->letters + 1};
    if (!s)
        s = words_say(t, o->letters, m, err);
    if (!s)
        s = at_model_validate(m, err);
    if (s)
        at_model_release(m);
    return s;
}
