/* compile_expr.c: a decoder that evaluates expressions modulo a prime, step by step: three attention layers, five heads.
 *
 *     position   1      2 3 4 5 6 7 8 9     10 11 12 13  14 15
 *     token      BOS    ( 3 + 4 ) * 2 =      7  *  2  =   3 EOS         BOS is hidden and counts as "="
 *                E0                   E1     j = 0 at E1, where the next token is computed
 *
 * At each position the next token is that of the rewritten segment. The segment before (E0..E1) is copied, its
 * leftmost handle replaced by the value: with u = E0+1+j the place to copy from,
 *     u < start: the token at u;     u = start: the value;     u > start: the token at u+2, or u+4 if brackets go.
 * "=" at the end is copied like the rest; after a single number (j = 1) it becomes EOS.
 *
 * Layer 1. Four heads fetch the four tokens before, one the place C of the last "=" up to here. So every position
 *   knows whether a handle `a op b r` ends there, r being its own token: whether brackets go, where it starts, its value.
 * Layer 2. E0 is what C-1 holds as C: where the segment before C begins. And, as needed at "=": the leftmost handle of
 *   the segment that ends here. Let r = 2C - i for a handle that ends at i, not in "=". Within a segment r falls with i.
 *   Segments get shorter, so across segments it rises: with S, S' the beginnings of two, S' later, l' the length of the
 *   later one, and handles at i, i',  r' - r = (S'-S) - (i'-S') + (i-S) >= (l'+3) - l' + 4.
 *   So the largest r is the leftmost handle of the last segment that has one. If it starts after E0, that is it;
 *   else the only handle of this segment ends in this very "=", and is known.
 * Layer 3. From C, the "=" of the segment before: start, brackets, value. And the tokens at u, u+2 and u+4.
 *
 * Where a head's answer means nothing (prompt positions have no segment before) it is still within range, and no
 * position that matters reads it.
 *
 * Sparse: all that is fetched lies within the last 4k positions, this one included, for k operators: an expression has at
 * most n = 4k-1 tokens, and u is n positions back. Block ends that are seen besides lie further back, and lose as
 * they do in full attention. So window and block B = 4k, and nothing in the construction changes.
 *
 * The value. In logarithms to a generator, a*b and a/b are sums and differences; so one table of O(p) entries over
 * a+b, a-b, log a + log b or log a - log b gives all four.
 *
 * Differs from the paper: three layers instead of five; positions i and i^2 alone.
 *
 * Legend: p prime, k operators, n tokens of an expression, i position (BOS is 1), C E0 E1 places of "=". */
#include <attest/front.h>

#include <stdio.h>
#include <math.h>
#include <string.h>

/* Errors of what steers: each is multiplied by positions and by the next scale before it meets a gap of 1, twice for
 * C (which finds E0, which finds tokens). */
#define ERROR_C     0x1p-120
#define ERROR_E0    0x1p-70
#define ERROR_TOKEN 0x1p-30

typedef struct {
    const at_expr_spec *s;
    at_program *P;
    at_mask mask;
    at_var here, here2;
    /* of the own token */
    at_var id, number, residue, log, equals, low, high, inverse, open, close;
    at_var last; /* C */
    /* of a handle that ends here: is there one, one that does not end in "=", where, with brackets, its value */
    at_var handle, inner, start, wide, result;
    at_var before; /* E0 */
} compiler;

/* ---- the token ------------------------------------------------------------------------------------------ */

/* log r to a generator; 0 has one beyond every sum and difference of others. */
static int log_zero(int p)
{
    return 3 * (p - 1);
}

static int power(int g, int e, int p)
{
    int v = 1;
    for (; e > 0; e--)
        v = v * g % p;
    return v;
}

static int generator(int p)
{
    for (int g = 1; g < p; g++) {
        int order = 1;
        for (int v = g; v != 1; v = v * g % p)
            order++;
        if (order == p - 1)
            return g;
    }
    return 1;
}

static void token_read(compiler *c)
{
    at_program *P = c->P;
    int p = c->s->p, g = generator(p);
    enum { ID, NUMBER, RESIDUE, LOG, EQUALS, LOW, HIGH, INVERSE, OPEN, CLOSE, COLUMNS };
    double rows[(AT_EXPR_NUMBER + AT_EXPR_PRIME_MAX) * COLUMNS] = {0};
    for (int t = 0; t < at_expr_vocabulary(p); t++) {
        double *row = rows + t * COLUMNS;
        row[ID] = t;
        row[NUMBER] = t >= AT_EXPR_NUMBER;
        row[RESIDUE] = t >= AT_EXPR_NUMBER ? t - AT_EXPR_NUMBER : 0;
        row[EQUALS] = t == AT_EXPR_EQUALS;
        row[LOW] = t == AT_EXPR_ADD || t == AT_EXPR_SUB;
        row[HIGH] = t == AT_EXPR_MUL || t == AT_EXPR_DIV;
        row[INVERSE] = t == AT_EXPR_SUB || t == AT_EXPR_DIV;
        row[OPEN] = t == AT_EXPR_OPEN;
        row[CLOSE] = t == AT_EXPR_CLOSE;
    }
    rows[AT_EXPR_NUMBER * COLUMNS + LOG] = log_zero(p);
    for (int e = 0; e < p - 1; e++)
        rows[(AT_EXPR_NUMBER + power(g, e, p)) * COLUMNS + LOG] = e;
    at_var field = at_token(P, "token", at_expr_vocabulary(p));
    at_var *const to[COLUMNS] = {
        [ID] = &c->id,         [NUMBER] = &c->number, [RESIDUE] = &c->residue, [LOG] = &c->log,
        [EQUALS] = &c->equals, [LOW] = &c->low,       [HIGH] = &c->high,       [INVERSE] = &c->inverse,
        [OPEN] = &c->open,     [CLOSE] = &c->close};
    at_var first = at_lookup_rows(P, "is", field, COLUMNS, rows);
    for (int k = 0; k < COLUMNS; k++)
        *to[k] = first < 0 ? -1 : first + k;
    at_hidden_prefix(P, c->equals, 0, 1); /* BOS */
}

/* ---- attention ------------------------------------------------------------------------------------------- */

/* What stands at position `target`: score 2 t j - j^2, largest at j = t, or at the nearest that is seen. */
static at_var fetch(compiler *c, const char *name, at_var target, at_vec values, double error)
{
    at_program *P = c->P;
    return at_attend(P, name,
                     &(at_attention){.query = AT_VEC(at_scaled(P, 2, target), at_const(P, 1)),
                                     .key = AT_VEC(c->here, at_neg(P, c->here2)),
                                     .value = values,
                                     .weighting = AT_SOFTMAX,
                                     .mask = c->mask,
                                     .gap = 1,
                                     .error = error,
                                     .unique = true,
                                     .most = 1});
}

/* The values where `key` is largest. */
static at_var largest(compiler *c, const char *name, at_var key, at_vec values, double error)
{
    return at_attend(c->P, name,
                     &(at_attention){.query = AT_VEC(at_const(c->P, 1)),
                                     .key = AT_VEC(key),
                                     .value = values,
                                     .weighting = AT_SOFTMAX,
                                     .mask = c->mask,
                                     .gap = 2,
                                     .error = error,
                                     .unique = true,
                                     .most = 1});
}

static at_var fetch_back(compiler *c, const char *name, int back, at_vec values)
{
    return fetch(c, name, at_sum(c->P, NULL, AT_VEC(c->here), NULL, -back), values, ERROR_TOKEN);
}

/* ---- layer 1: handles -------------------------------------------------------------------------------------- */

/* The token of a op b, a and b given by residue and logarithm: a table over low ? a +- b : shift + log a +- log b. */
static at_var value_of(compiler *c, at_var a, at_var log_a, at_var b, at_var log_b, at_var low,
                       at_var inverse)
{
    at_program *P = c->P;
    int p = c->s->p, zero = log_zero(p), g = generator(p);
    at_var sum = at_select(P, "a+-b", inverse, at_sub(P, a, b), at_add(P, a, b));
    at_var logs = at_select(P, "log a+-log b", inverse, at_sub(P, log_a, log_b), at_add(P, log_a, log_b));
    int shift = 2 * p - 1 + zero; /* sums lie in -(p-1)..2p-2, logarithms of the result in -zero..2 zero */
    at_var where = at_select(P, "where", low, sum, at_sum(P, NULL, AT_VEC(logs), NULL, shift));
    at_var_info range = at_program_var(P, where);
    double table[3 * AT_EXPR_PRIME_MAX + 3 * 3 * AT_EXPR_PRIME_MAX];
    for (int w = (int)range.lo; where >= 0 && w <= (int)range.hi; w++) {
        int e = w - shift, value = 0; /* 0 also where a factor is 0, and where nobody looks */
        if (w < 2 * p - 1)
            value = (w + p) % p;
        else if (e >= -(p - 2) && e <= 2 * (p - 2))
            value = power(g, (e + p - 1) % (p - 1), p);
        table[w - (int)range.lo] = AT_EXPR_NUMBER + value;
    }
    return where < 0 ? -1 : at_table(P, "result", where, table);
}

static void handles_find(compiler *c)
{
    at_program *P = c->P;
    double k = c->s->operators;
    at_var b = fetch_back(c, "b", 1, AT_VEC(c->number, c->residue, c->log));
    at_var op = fetch_back(c, "op", 2, AT_VEC(c->low, c->high, c->inverse));
    at_var a = fetch_back(c, "a", 3, AT_VEC(c->number, c->residue, c->log));
    at_var l = fetch_back(c, "l", 4, AT_VEC(c->open));
    /* The last "=": of two places, i with "=" and i' > i without, i is preferred up to a distance of 4k. */
    at_var late = at_sum(P, NULL, AT_VEC(c->equals, c->here), (double[]){4 * k + 1, 1}, 0);
    c->last = largest(c, "C", late, AT_VEC(c->here), ERROR_C);
    if (c->last < 0)
        return;
    /* a, b numbers, op low (1) or high (2), and not op low with r high: the sum is 5 or 6, else at most 4. */
    at_var parts[] = {a, b, op, op + 1, c->high, c->equals};
    double coef[] = {2, 2, 1, 2, -1, 0};
    if (c->s->any_handle)
        coef[2] = 2, coef[4] = 0;
    c->handle = at_at_least(P, "handle", at_sum(P, NULL, (at_vec){6, parts}, coef, 0), 5);
    coef[5] = -2; /* and r is not "=" */
    c->inner = at_at_least(P, "inner", at_sum(P, NULL, (at_vec){6, parts}, coef, 0), 5);
    c->wide = at_and(P, "wide", l, c->close);
    c->start = at_sum(P, NULL, AT_VEC(c->here, c->wide), (double[]){1, -1}, -3);
    c->result = value_of(c, a + 1, a + 2, b + 1, b + 2, op, op + 2);
}

/* ---- layer 2: the handle of the segment that ends here ------------------------------------------------------- */

/* At "=": where it starts, whether brackets go with it, its value. Elsewhere something that nobody reads. */
static void handle_choose(compiler *c, at_var chosen[3])
{
    at_program *P = c->P;
    at_var zero = at_const(P, 0);
    at_var back = at_sum(P, NULL, AT_VEC(c->last), NULL, -1);
    c->before = fetch(c, "E0", back, AT_VEC(c->last), ERROR_E0);
    /* r is at least 2 - 4k where it is meant: C >= 1, i <= C + 4k - 1. Without any such handle all keys are equal, and
     * the mean of their starts is 0. */
    at_var r = at_sum(P, NULL, AT_VEC(c->last, c->here), (double[]){2, -1}, 0);
    at_var key = at_select(P, "r", c->inner, r, at_const(P, -4.0 * c->s->operators));
    at_var start = at_select(P, "start", c->inner, c->start, zero);
    at_var best = largest(c, "best", key, AT_VEC(start, c->wide, c->result), ERROR_TOKEN);
    /* The handle that ends in this "="; a single number has none: copying then goes on beyond the end. */
    at_var own = at_select(P, "own", c->handle, at_sum(P, NULL, AT_VEC(c->here), NULL, -3),
                           at_sum(P, NULL, AT_VEC(c->here), NULL, 1));
    if (best < 0)
        return;
    at_var in = at_at_least(P, "in", at_sub(P, best, c->before), 1);
    chosen[0] = at_select(P, "start'", in, best, own);
    chosen[1] = at_and(P, "wide'", in, best + 1);
    chosen[2] = at_select(P, "result'", in, best + 2, c->result);
}

/* ---- layer 3: the next token ---------------------------------------------------------------------------------- */

static at_var next_token(compiler *c, const at_var chosen[3])
{
    at_program *P = c->P;
    at_var written = at_sub(P, c->here, c->last); /* j */
    at_var u = at_sum(P, NULL, AT_VEC(c->before, written), NULL, 1);
    at_var h = fetch(c, "h", c->last, (at_vec){3, chosen}, ERROR_TOKEN);
    at_var at[3];
    static const char *const names[3] = {"at u", "at u+2", "at u+4"};
    for (int m = 0; m < 3; m++)
        at[m] = fetch(c, names[m], at_sum(P, NULL, AT_VEC(u), NULL, 2 * m), AT_VEC(c->id), ERROR_TOKEN);
    if (h < 0)
        return -1;
    at_var before = at_at_least(P, "u<start", at_sub(P, h, u), 1);
    at_var after = at_at_least(P, "u>start", at_sub(P, u, h), 1);
    at_var rest = at_select(P, "rest", h + 1, at[2], at[1]);
    at_var later = at_select(P, "later", after, rest, h + 2);
    at_var token = at_select(P, "copied", before, at[0], later);
    at_var end = at_and(P, "end", at_equals(P, "one", written, 1), at_equals(P, "=", token, AT_EXPR_EQUALS));
    return at_sum(P, "next", AT_VEC(token, end), (double[]){1, AT_EXPR_EOS - AT_EXPR_EQUALS}, 0);
}

/* ---- the program ------------------------------------------------------------------------------------------------ */

static void build(compiler *c)
{
    at_program *P = c->P;
    int V = at_expr_vocabulary(c->s->p);
    at_var chosen[3] = {-1, -1, -1}, logit[AT_EXPR_NUMBER + AT_EXPR_PRIME_MAX];
    at_prefix(P, 1);
    token_read(c);
    c->here = at_position(P, "i", AT_POS_I);
    c->here2 = at_position(P, "i^2", AT_POS_I2);
    handles_find(c);
    handle_choose(c, chosen);
    at_var next = next_token(c, chosen);
    for (int v = 0; v < V; v++) /* 2 v x - v^2 is largest at v = x, by 1 */
        logit[v] = at_sum(P, NULL, AT_VEC(next), (double[]){2.0 * v}, -(double)v * v);
    at_emit(P, (at_vec){V, logit}, AT_READ_ARGMAX, 0);
}

static at_status spec_check(const at_expr_spec *s, at_err *err)
{
    at_status st = at_expr_prime(s->p, err);
    if (!st && (s->operators < 1 || s->operators > AT_EXPR_OPERATORS_MAX))
        st = at_fail(err, AT_EDOMAIN, "operators=%d: must be in 1..%d", s->operators, AT_EXPR_OPERATORS_MAX);
    if (!st && s->kind != AT_ATTENTION_STANDARD && s->kind != AT_ATTENTION_SPARSE)
        st = at_fail(err, AT_EREFUSED, "expressions are compiled with standard or sparse attention; %s",
                     s->kind == AT_ATTENTION_LINEAR
                         ? "with linear attention no constant width serves all lengths"
                         : "local attention is for recurrences that look back a bounded number of rows");
    if (!st && s->block < 0)
        st = at_fail(err, AT_EDOMAIN, "block=%d: must be at least 1, or 0 for 4 operators", s->block);
    return st;
}

at_status at_expr_program(const at_expr_spec *s, at_program **out, at_err *err)
{
    at_status st = spec_check(s, err);
    if (st)
        return st;
    int k = s->operators;
    char name[48];
    snprintf(name, sizeof name, "arithmetic mod %d, up to %d operators", s->p, k);
    compiler c = {.s = s, .mask = {.kind = AT_MASK_CAUSAL}};
    if (s->kind == AT_ATTENTION_SPARSE)
        c.mask = (at_mask){
            .kind = AT_MASK_BLOCK_SPARSE, .block = s->block ? s->block : 4 * k, .windows = 1, .ends = 1};
    if (!(c.P = at_program_new(name, AT_EXPR_TOKENS(k) + 1 + AT_EXPR_CHAIN(k))))
        return at_oom(err);
    build(&c);
    if (s->arith)
        at_program_arithmetic(c.P, *s->arith);
    if (s->scale != 0)
        at_program_weaken(c.P, s->scale);
    st = at_program_status(c.P, err);
    if (st)
        at_program_free(c.P);
    else
        *out = c.P;
    return st;
}

/* The scores 2 v x - v^2 of all tokens v come from one x. If it is off by e, the right one is larger than its neighbours by
 * 1 - 2 e at least, and than others by more: with e below 1/4 there is room for the rounding of the scores. */
#define NEXT_MOST 0.25

static double next_error(const at_program *P)
{
    for (at_var v = at_program_vars(P) - 1; v >= 0; v--) {
        at_var_info i = at_program_var(P, v);
        if (i.name && !strcmp(i.name, "next"))
            return i.err;
    }
    return INFINITY; /* no such step: nothing is known of it */
}

at_status at_expr_model(const at_expr_spec *s, at_model *m, at_err *err)
{
    at_program *P;
    at_status st = at_expr_program(s, &P, err);
    if (st)
        return st;
    st = at_assemble(P, m, NULL, err);
    double off = st ? 0 : next_error(P);
    at_program_free(P);
    if (!st && !(off < NEXT_MOST)) {
        at_model_release(m);
        st = at_fail(
            err, AT_EDOMAIN,
            "arithmetic mod %d, up to %d operators: the next token has an error of up to %.3g, and %g is the "
            "most that is told apart",
            s->p, s->operators, off, NEXT_MOST);
    }
    if (st)
        return st;
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_EQUALS,
                            .coordinate = 0,
                            .value = AT_EXPR_EOS,
                            .max_steps = AT_EXPR_CHAIN(s->operators),
                            .prompt_min = 2,
                            .prompt_max = AT_EXPR_TOKENS(s->operators) + 1};
    /* A prompt is an expression (at_expr_parse reads it) and "=". */
    int V = at_expr_vocabulary(s->p);
    char word[8];
    at_stretch *prompt = at_new(&m->arena, at_stretch, 2);
    double *bound = at_new(&m->arena, double, 4);
    if (prompt && bound) {
        memcpy(bound, (double[]){AT_EXPR_ADD, V - 1, AT_EXPR_EQUALS, AT_EXPR_EQUALS}, 4 * sizeof *bound);
        prompt[0] = (at_stretch){1, AT_EXPR_TOKENS(s->operators), 1, &bound[0], &bound[1]};
        prompt[1] = (at_stretch){1, 1, 1, &bound[2], &bound[3]};
        m->decode.prompt = prompt;
        m->decode.n_prompt = 2;
    }
    at_word *words = at_new(&m->arena, at_word, V);
    for (int t = 0; words && t < V; t++)
        snprintf(words[t].s, sizeof words[t].s, "%s", at_expr_word(t, word));
    m->fields[0].words = words;
    st = words && prompt && bound ? at_model_validate(m, err) : at_oom(err);
    if (st)
        at_model_release(m);
    return st;
}

bool at_expr_model_is(const at_model *m, int *p, int *operators)
{
    int V = m->n_fields == 1 && m->fields[0].words ? m->fields[0].size : 0;
    char word[8];
    for (int t = 0; t < V; t++)
        if (strcmp(m->fields[0].words[t].s, at_expr_word(t, word)))
            return false;
    *p = V - AT_EXPR_NUMBER;
    *operators = m->decode.enabled ? m->decode.prompt_max / 4 : 0; /* AT_EXPR_TOKENS(k) + 1 = 4 k */
    return V > 0 && *operators > 0 && *operators <= AT_EXPR_OPERATORS_MAX && m->decode.prompt_max % 4 == 0 &&
           !at_expr_prime(*p, NULL);
}

/* ---- the front end -------------------------------------------------------------------------------------------- */

static at_status front_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    at_expr_spec s = {.p = at_params_int(p, "p"),
                      .operators = at_params_int(p, "operators"),
                      .kind = o->attention,
                      .arith = o->arith};
    return at_expr_model(&s, m, err);
}

/* Of the compiler: a decoder serves all expressions up to `operators`, so many are usual. */
static const at_param compiled[] = {
    {"p", "the prime", 2, AT_EXPR_PRIME_MAX, 11, true, NULL},
    {"operators", "the most that a prompt has", 1, AT_EXPR_OPERATORS_MAX, 16, true, NULL},
};

static at_status front_params(const at_reading *r, at_arena *a, const at_param **schema, int *n, at_err *err)
{
    (void)r;
    (void)a;
    (void)err;
    *schema = compiled;
    *n = 2;
    return AT_OK;
}

static at_status front_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                               at_said *said, at_err *err)
{
    (void)r;
    at_params q;
    at_params_init(&q, compiled, 2);
    at_status s = set ? at_params_parse(&q, set, err) : AT_OK;
    if (!s)
        s = front_model(&q, o, m, err);
    if (s)
        return s;
    int p = at_params_int(&q, "p"), operators = at_params_int(&q, "operators");
    at_text_addf(&said->line, "arithmetic: p=%d operators=%d, L = %d", p, operators, m->n_max);
    at_text_addf(&said->lines, "prompt: an expression over 0..%d with + - * / ( ), at most %d operators\n",
                 p - 1, operators);
    at_fact_text(said, "problem", "arithmetic");
    at_fact_number(said, "p", p);
    at_fact_number(said, "operators", operators);
    at_fact_number(said, "length", m->n_max);
    return AT_OK;
}

static bool front_speaks(const at_model *m)
{
    int p, operators;
    return at_expr_model_is(m, &p, &operators);
}

/* The prompt from an expression, with or without "=", and what the reference writes after it. */
static at_status front_prompt(const at_model *m, const char *line, at_arena *arena, at_input *prompt,
                              at_input *right, at_err *err)
{
    int p, operators, *token, n;
    at_expr_model_is(m, &p, &operators);
    at_status s = at_expr_parse(p, line, operators, arena, &token, &n, err);
    if (s)
        return s;
    int *row = at_new(arena, int, AT_EXPR_CHAIN(operators));
    double *v = at_new(arena, double, n + 1 + AT_EXPR_CHAIN(operators));
    if (!row || !v)
        return at_oom(err);
    int rows = at_expr_chain(p, token, n, row);
    for (int k = 0; k < n; k++)
        v[k] = token[k];
    v[n] = AT_EXPR_EQUALS;
    for (int k = 0; k < rows; k++)
        v[n + 1 + k] = row[k];
    *prompt = (at_input){n + 1, v};
    *right = (at_input){rows, v + n + 1};
    return AT_OK;
}

static const at_lang lang = {.id = "arithmetic", .about = "expressions modulo a prime, docs/expressions.md"};

const at_front at_front_expr = {.lang = &lang,
                                .about = "compiled with standard or sparse attention",
                                .model = front_model,
                                .params = front_params,
                                .compile = front_compile,
                                .speaks = front_speaks,
                                .prompt = front_prompt};
