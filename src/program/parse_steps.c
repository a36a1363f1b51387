/* parse_steps.c: the right side of NAME = ... : inputs, attention, expressions. */
#include "parse_internal.h"

#include <math.h>
#include <string.h>

/* ---- inputs ------------------------------------------------------------------------------------------------- */

static int columns_read(parser *p)
{
    if (!text_is(p, ","))
        return 1;
    text_next(p);
    int m = integer_read(p, "the number of columns", 1, AT_MAX_WIDTH);
    text_expect(p, "columns", "after their number");
    return p->status ? 1 : m;
}

/* , before (...) and , after (...): a row a hidden position, a column a component. */
static void hidden_read(parser *p, at_var first, int m)
{
    at_program *P = p->P;
    while (!p->status && text_accept(p, ",")) {
        bool after = text_is(p, "after");
        int n = after ? P->n_suffix : P->n_prefix;
        if (!after && !text_is(p, "before"))
            text_fail_here(p, "expected before or after: values at hidden positions");
        else if (!n)
            text_fail_here(p, "the program has no hidden positions %s", after ? "after" : "before");
        text_next(p);
        const double *x = p->status ? NULL : list_read(p, "values", n, m, 1, false);
        for (int k = 0; x && k < n; k++)
            for (int c = 0; c < m; c++)
                (after ? at_hidden_suffix : at_hidden_prefix)(P, first + c, k, x[k * m + c]);
        if (p->status || program_failed(p))
            return;
    }
}

static void lookup_read(parser *p, const char *name, bool number)
{
    at_program *P = p->P;
    token at = p->t;
    text_expect(p, "of", "and the input that it is of");
    at_var f = p->status ? -1 : name_read(p);
    if (p->status)
        return;
    if (P->vars[f].op != OP_FIELD) {
        text_fail(p, at.line, at.column,
                  "a table is of a token or a subset; of an integer variable write table(x; ...)");
        return;
    }
    int m = number ? 1 : columns_read(p);
    int64_t rows = field_rows(&P->fields[P->vars[f].field]);
    const double *table = number || p->status ? NULL : list_read(p, "values", rows, m, 0, false);
    if (p->status || !numbers_spend(p, P->n_prefix + P->n_suffix + 2, m))
        return;
    at_var v = number ? at_number(P, name, f) : at_lookup_rows(P, name, f, m, table);
    if (!program_failed(p))
        hidden_read(p, v, m);
}

static void mark_read(parser *p, const char *name)
{
    at_program *P = p->P;
    if (!text_is(p, ",")) {
        text_fail_here(p, "a mark says where it is not 0, as in mark, after (1)");
        return;
    }
    if (!numbers_spend(p, P->n_prefix + P->n_suffix + 2, 1))
        return;
    at_var v = mark_new(P, name);
    if (!program_failed(p))
        hidden_read(p, v, 1);
}

static void position_read(parser *p, const char *name)
{
    at_program *P = p->P;
    if (text_accept(p, "table")) {
        int m = columns_read(p);
        const double *rows =
            p->status ? NULL : list_read(p, "values", program_longest(P), m, P->origin, false);
        if (!p->status)
            at_position_rows(P, name, m, rows);
    } else {
        int kind = text_kind(p, "a position feature or table", at_pos_names, AT_POS_KINDS);
        if (!p->status)
            at_position(P, name, kind);
    }
    program_failed(p);
}

/* ---- attention -------------------------------------------------------------------------------------------------- */

static void mask_read(parser *p, at_mask *m)
{
    int kind = text_kind(p, "a mask", at_mask_names, AT_MASKS);
    if (p->status)
        return;
    m->kind = kind;
    if (!at_mask_is(m->kind, AT_IS_BLOCKS))
        return;
    text_expect(p, "(", "and block, windows and ends, as in block-sparse(4, 1, 1)");
    m->block = integer_read(p, "the block", 1, AT_MAX_LENGTH);
    text_expect(p, ",", "before the number of windows");
    m->windows = integer_read(p, "the number of windows", 1, AT_MAX_LENGTH);
    text_expect(p, ",", "before the number of ends");
    m->ends = integer_read(p, "the number of ends", 1, m->block ? m->block : 1);
    text_expect(p, ")", "after block, windows and ends");
}

static bool integers(const at_program *P, at_vec v)
{
    for (int k = 0; k < v.n; k++)
        if (!P->vars[v.v[k]].integer)
            return false;
    return true;
}

/* Scores of integers differ by 1: then the gap need not be said. */
static void gap_find(parser *p, const token *at, at_attention *a)
{
    bool three = at_weighting_is(a->weighting, AT_IS_PAIRS);
    if (p->status || a->kernel || a->gaps)
        return;
    if (integers(p->P, a->query) && integers(p->P, a->key) && (!three || integers(p->P, a->key2)))
        a->gap = 1;
    else
        text_fail(
            p, at->line, at->column,
            "the gap is missing: by how much all other scores are below the largest (1, where query and key "
            "are integers)");
}

static void attend_read(parser *p, const char *name)
{
    enum {
        QUERY,
        KEY,
        KEY2,
        VALUE,
        VALUE2,
        MASK,
        SCORE,
        BASE,
        GAP,
        GAPS,
        SCALE,
        ERROR,
        UNIQUE,
        MOST,
        ADDS,
        TOTAL,
        WIPE,
        KERNEL,
        WORDS
    };
    static const char *const words[WORDS] = {"query",  "key",  "key2", "value", "value2", "mask",
                                             "score",  "base", "gap",  "gaps",  "scale",  "error",
                                             "unique", "most", "adds", "total", "wipe",   "kernel"};
    at_program *P = p->P;
    at_attention a = {0};
    bool said[WORDS] = {0};
    token at = p->t;
    int weighting = text_kind(p, "a weighting", at_weighting_names, AT_WEIGHTINGS);
    while (!p->status) {
        bool comma = text_accept(p, ",");
        int w = 0;
        while (w < WORDS && !text_is(p, words[w]))
            w++;
        if (w == WORDS || text_followed_by(p, '=')) {
            if (comma)
                text_fail_here(
                    p, "expected query, key, value, mask, score, base, gap, gaps, scale, error, unique, "
                       "most, adds, total, wipe or kernel");
            break;
        }
        if (said[w])
            text_fail_here(p, "%s is said twice", words[w]);
        said[w] = true;
        text_next(p);
        if (p->status)
            break;
        if (w == QUERY)
            a.query = vec_read(p);
        else if (w == KEY)
            a.key = vec_read(p);
        else if (w == KEY2)
            a.key2 = vec_read(p);
        else if (w == VALUE)
            a.value = vec_read(p);
        else if (w == VALUE2)
            a.value2 = vec_read(p);
        else if (w == MASK)
            mask_read(p, &a.mask);
        else if (w == SCORE) {
            int post = text_kind(p, "what is done to a score", at_post_names, AT_POSTS);
            a.post = post < 0 ? AT_POST_ID : (at_post)post;
        } else if (w == BASE) {
            a.base = var_read(p, NULL);
            a.base_plus = true;
        } else if (w == GAP)
            a.gap = number_read(p, "the gap");
        else if (w == GAPS)
            a.gaps = list_read(p, "gaps", program_longest(P), 1, P->origin, false);
        else if (w == SCALE)
            a.scale = number_read(p, "the scale");
        else if (w == ERROR)
            a.error = number_read(p, "the error");
        else if (w == UNIQUE)
            a.unique = true;
        else if (w == MOST)
            a.most = integer_read(p, "the number of keys", 0, INT32_MAX);
        else if (w == ADDS)
            a.adds = number_read(p, "the largest sum");
        else if (w == TOTAL)
            a.total = number_read(p, "the largest total");
        else if (w == WIPE)
            a.wipe = vec_read(p);
        else
            a.kernel = true;
    }
    if (p->status)
        return;
    a.weighting = (at_weighting)weighting;
    bool three = at_weighting_is(a.weighting, AT_IS_PAIRS);
    for (int w = QUERY; w <= VALUE2; w++) {
        bool second = w == KEY2 || w == VALUE2;
        if (!said[w] && (!second || three))
            text_fail(p, at.line, at.column, "the %s of this attention is missing", words[w]);
        if (said[w] && second && !three)
            text_fail(p, at.line, at.column, "%s is for threewise attention only", words[w]);
    }
    if (!said[GAP])
        gap_find(p, &at, &a);
    if (p->status)
        return;
    at_attend(P, name, &a);
    program_failed(p);
}

void line_read(parser *p, const char *name)
{
    if (text_is(p, "table") && !text_followed_by(p, '(')) {
        text_next(p);
        lookup_read(p, name, false);
    } else if (text_accept(p, "number"))
        lookup_read(p, name, true);
    else if (text_accept(p, "mark"))
        mark_read(p, name);
    else if (text_accept(p, "position"))
        position_read(p, name);
    else if (text_accept(p, "attend"))
        attend_read(p, name);
    else
        var_read(p, name);
}
