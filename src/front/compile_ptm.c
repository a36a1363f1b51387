/* compile_ptm.c: a probabilistic Turing machine as a decoder that writes its steps, one a token: written/move/state/letter.
 *
 * CLAIM ptm-cot (Nowak, Svete, Butoi and Cotterell 2024). The state is that of the last token. The symbol under the head is what was written
 * last on its cell, and is found as in compile_tm.c, form rational. Rows are counted from 1, u = 1/i; the first P rows are hidden (P the
 * largest denominator), and the last of them stands for the empty text.
 * 1. The mean of all moves is h u, h the head's cell; a step in row j wrote on the cell c_j = h_j - move_j, and c_j u_j = h_j u_j - move_j u_j.
 * 2. Query (h u + u^2/3, -u, u^2/2), key (u_j, c_j u_j, 0), for the last hidden row (0, 0, 1), for other hidden rows (0, 0, 4), and
 *    -|score|: on the head's cell -u_i^2 u_j/3, the last of them largest; the last hidden row, which holds the blank, -u_i^2/2; other cells at
 *    most -(1 - 1/3) u_i u_j <= -2/3 u_i^2; other hidden rows -2 u_i^2. The least gap is that of neighbours on one cell,
 *    u_i^2 u_j u_(j+1)/3.
 * 3. A context is a state and a symbol: one unit. Its probabilities are made exactly: shares_maker.h. The 1/3 in the query is rounded, which
 *    changes no choice: any number between 0 and 1/2 would do. */
#include "shares_maker.h"

#include <math.h>
#include <stdio.h>

typedef struct {
    shares_maker s;
    const at_ptm *p;
    const at_ptm_options *o;
    int L; /* rows */
} maker;

enum { MOVE, LEFT, RIGHT, HIDDEN, BLANK, SYMBOL };

static at_status contexts_list(maker *k)
{
    const at_ptm *p = k->p;
    at_status s = AT_OK;
    for (int at = 0; at < p->states * p->symbols && !s; at++) {
        if (!p->under[at])
            continue;
        shares_context *c = shares_add(&k->s);
        if (!c)
            return k->s.err->code;
        at_ptm_next(p, at / p->symbols, at % p->symbols, c->count, &c->under);
        s = shares_added(&k->s);
    }
    return s;
}

/* What a token says: the first of SYMBOL + symbols + states variables. */
static at_var token_read(maker *k)
{
    const at_ptm *p = k->p;
    at_program *P = k->s.P;
    int columns = SYMBOL + p->symbols + p->states, state = SYMBOL + p->symbols;
    double *rows = at_calloc((size_t)p->steps * (size_t)columns + 1, sizeof *rows);
    if (!rows) {
        at_program_oom(P);
        return -1;
    }
    for (int t = 0; t < p->steps; t++) {
        const at_ptm_rule *r = &p->rule[p->step[t]];
        double *row = rows + (size_t)t * (size_t)columns;
        row[MOVE] = r->move;
        row[LEFT] = r->move < 0;
        row[RIGHT] = r->move > 0;
        row[SYMBOL + r->write] = 1;
        row[state + r->to] = 1;
    }
    at_program_lengths(P, 0);
    at_var token = at_token(P, "token", p->steps);
    at_prefix(P, k->s.rows);
    at_var is = at_lookup_rows(P, "is", token, columns, rows);
    at_free(rows);
    for (int r = 0; is >= 0 && r < k->s.rows; r++) {
        bool last = r == k->s.rows - 1;
        at_hidden_prefix(P, is + HIDDEN, r, 1);
        at_hidden_prefix(P, is + BLANK, r, last ? 1 : 4);
        at_hidden_prefix(P, is + SYMBOL, r, 1);
        if (last)
            at_hidden_prefix(P, is + state + p->start, r, 1);
    }
    return is;
}

/* The symbol under the head, one-hot: the first of `symbols` variables. */
static at_var under_head(maker *k, at_var is)
{
    at_program *P = k->s.P;
    at_var u = at_position(P, "u", AT_POS_INV_I), u2 = at_position(P, "u^2", AT_POS_INV_I2),
           zero = at_const(P, 0);
    at_var hu = at_mean(P, "hu", AT_VEC(is + MOVE), AT_AVERAGE_HARD, (at_mask){.kind = AT_MASK_CAUSAL});
    at_var moved =
        at_sub(P, at_select(P, "right", is + RIGHT, u, zero), at_select(P, "left", is + LEFT, u, zero));
    at_var own = at_select(P, "own", is + HIDDEN, zero, u);
    at_var wrote = at_select(P, "wrote", is + HIDDEN, zero, at_sub(P, hu, moved));
    at_var *symbol = at_new(k->s.a, at_var, k->p->symbols);
    double *gaps = at_new(k->s.a, double, k->L);
    if (!symbol || !gaps) {
        at_program_oom(P);
        return -1;
    }
    for (int x = 0; x < k->p->symbols; x++)
        symbol[x] = is + SYMBOL + x;
    for (int i = 1; i <= k->L; i++)
        gaps[i - 1] = 1.0 / (3.0 * i * i * i * fmax(i - 1, 2));
    at_var head = at_sum(P, "head", AT_VEC(hu, u2), (double[]){k->o->blind ? 0 : 1, 1.0 / 3}, 0);
    return at_attend(P, "under the head",
                     &(at_attention){.query = AT_VEC(head, at_neg(P, u), at_scaled(P, 0.5, u2)),
                                     .key = AT_VEC(own, wrote, is + BLANK),
                                     .value = (at_vec){k->p->symbols, symbol},
                                     .weighting = AT_AVERAGE_HARD,
                                     .mask = {.kind = AT_MASK_CAUSAL},
                                     .post = AT_POST_NEG_ABS,
                                     .gap = gaps[k->L - 1],
                                     .gaps = gaps,
                                     .unique = true,
                                     .most = 1});
}

static at_status ptm_make(maker *k)
{
    const at_ptm *p = k->p;
    at_program *P = k->s.P;
    at_origin(P, 1);
    at_var is = token_read(k), under = is < 0 ? -1 : under_head(k, is);
    at_status s = at_program_status(P, k->s.err);
    if (s)
        return s;
    at_var begin = at_mark_prefix(P, "begin", k->s.rows - 1),
           first = k->s.rows > 1 ? at_mark_prefix(P, "first", 0) : begin;
    for (int at = 0, n = 0; at < p->states * p->symbols; at++) {
        char name[64];
        if (!p->under[at])
            continue;
        int q = at / p->symbols, x = at % p->symbols;
        snprintf(name, sizeof name, "%s on %s", p->state[q], p->symbol[x]);
        k->s.c[n++].in = at_and(P, name, is + SYMBOL + p->symbols + q, under + x);
    }
    s = at_program_status(P, k->s.err);
    return s ? s : shares_emit(&k->s, first, at_position(P, "here", AT_POS_I));
}

at_status at_ptm_program(const at_ptm *p, int N, const at_ptm_options *o, at_program **out, at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    maker k = {.s = {.weighting = AT_AVERAGE_HARD, .V = p->steps + 1, .rows = 1, .a = &a, .err = err},
               .p = p,
               .o = o};
    at_status s = p->steps ? contexts_list(&k)
                           : at_fail(err, AT_EREFUSED, "a machine without a transition writes nothing");
    k.L = N + k.s.rows;
    if (!s)
        s = shares_program(&k.s, "ptm", N, o->arith);
    if (!s)
        s = shares_end(&k.s, ptm_make(&k), out);
    at_arena_release(&a);
    return s;
}

static void word(const void *of, int token, char out[AT_WORD_MAX + 1])
{
    at_ptm_word(of, token, out);
}

at_status at_ptm_model(const at_ptm *p, int N, const at_ptm_options *o, at_model *m, at_err *err)
{
    at_program *P;
    at_status s = at_ptm_program(p, N, o, &P, err);
    return s ? s : shares_model(P, p->steps, word, p, m, err);
}

/* ---- the front end ------------------------------------------------------------------------------------------------------ */

static const char *const kinds[] = {"hard", NULL};

static at_status front_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    at_ptm_options how = {.arith = o->arith};
    at_status s = at_ptm_model(at_ptm_of(p->of), at_params_int(p, "N"), &how, m, err);
    return s ? s : front_remember(p, m, err);
}

static at_status front_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                               at_said *said, at_err *err)
{
    const at_ptm *p = at_ptm_of(r->problem);
    return shares_compile(r, set, o, p->steps, "a step each", p->letters, m, said, err);
}

const at_front at_front_ptm = {.lang = &at_lang_ptm,
                               .about = "a head finds the symbol under the head, another divides",
                               .kinds = kinds,
                               .model = front_model,
                               .compile = front_compile};
