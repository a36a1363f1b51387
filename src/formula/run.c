/* run.c: what formulas mean, by definition: part by part, position by position.
 *
 * Legend: n letters, T = n + 2 positions, 0 the hidden one before the word, n + 1 the one behind it. value: (parts, T). */
#include <string.h>

#include <attest/formula.h>

typedef struct {
    const at_formulas *f;
    const int *word;
    int n, T;
    int64_t *value; /* (n_parts, T); of parts that are said of j nothing */
} machine;

static int64_t *row(const machine *m, const at_formula *x)
{
    while (x->op == AT_F_NAME)
        x = m->f->names[x->index].body;
    return m->value + (size_t)x->id * (size_t)m->T;
}

static bool real(const machine *m, int i)
{
    return i >= 1 && i <= m->n;
}

/* The positions *lo..*hi of the word that i sees. */
static void sees(const machine *m, at_see see, int i, int *lo, int *hi)
{
    *lo = 1;
    *hi = m->n;
    switch (see) {
    case AT_SEE_BEFORE:
        *hi = i - 1 < m->n ? i - 1 : m->n;
        break;
    case AT_SEE_UPTO:
        *hi = i < m->n ? i : m->n;
        break;
    case AT_SEE_FROM:
        *lo = i > 1 ? i : 1;
        break;
    case AT_SEE_AFTER:
        *lo = i + 1;
        break;
    case AT_SEE_ALL:
    case AT_SEES:
        break;
    }
}

static int64_t modulo(int64_t x, int64_t m)
{
    return (x % m + m) % m;
}

static int64_t leaf_at(const machine *m, const at_formula *x, int i)
{
    if (x->op == AT_F_CONST || x->op == AT_F_NUMBER)
        return x->value;
    if (!real(m, i))
        return 0;
    if (x->op == AT_F_SET)
        return i <= AT_FORMULA_LONGEST && m->f->sets[x->index].in[i];
    return x->op == AT_F_LETTER ? m->word[i - 1] == x->index : modulo(i, x->modulus) == x->index;
}

/* A truth of i and j: letters, names and connectives. */
static bool pair_at(const machine *m, const at_formula *x, int i, int j)
{
    if (!x->two)
        return row(m, x)[i] != 0;
    if (x->op == AT_F_NAME)
        return row(m, x)[j] != 0;
    if (x->other)
        return leaf_at(m, x, j) != 0;
    bool a = pair_at(m, x->arg[0], i, j), b = x->arg[1] ? pair_at(m, x->arg[1], i, j) : false;
    return x->op == AT_F_NOT       ? !a
           : x->op == AT_F_AND     ? a && b
           : x->op == AT_F_OR      ? a || b
           : x->op == AT_F_IMPLIES ? !a || b
                                   : a == b;
}

static int64_t find_at(const machine *m, const at_formula *x, int i)
{
    int lo, hi;
    sees(m, x->see, i, &lo, &hi);
    for (; lo <= hi; x->first ? lo++ : hi--)
        if (pair_at(m, x->arg[0], i, x->first ? lo : hi))
            return pair_at(m, x->arg[1], i, x->first ? lo : hi);
    return row(m, x->arg[2])[i];
}

static int64_t count_at(const machine *m, const at_formula *x, int i)
{
    const int64_t *a = row(m, x->arg[0]);
    int64_t c = 0;
    int lo, hi;
    sees(m, x->see, i, &lo, &hi);
    for (int j = lo; j <= hi; j++)
        c += a[j] != 0;
    return c;
}

/* There is a j on the one side of i, in the word, with g there and f at all positions of the word between i and j. `now`: j may be i,
 * and then f is asked for there unless j is. A missing f is true. */
static bool reaches(const machine *m, const int64_t *f, const int64_t *g, int i, bool back, bool now)
{
    int step = back ? -1 : 1;
    if (now && g[i])
        return true;
    if (now && f && !f[i])
        return false;
    for (int j = i + step; j >= 0 && j < m->T; j += step) {
        if (!real(m, j))
            continue;
        if (g[j])
            return true;
        if (f && !f[j])
            return false;
    }
    return false;
}

/* f at all positions of the word on the one side of i. */
static bool holds_all(const machine *m, const int64_t *f, int i, bool back, bool now)
{
    bool all = !now || f[i];
    for (int j = 1; j <= m->n && all; j++)
        all = (back ? j >= i : j <= i) || f[j];
    return all;
}

static bool release_at(const machine *m, const int64_t *f, const int64_t *g, int i, bool now)
{
    /* g up to and with the first position where f holds, or g for ever */
    for (int j = now ? i : i + 1; j < m->T; j++) {
        if (!real(m, j) && !(now && j == i))
            continue;
        if (!g[j])
            return false;
        if (f[j])
            return true;
    }
    return true;
}

static int64_t part_at(const machine *m, const at_formula *x, int i)
{
    const int64_t *a = x->arg[0] && !x->arg[0]->two ? row(m, x->arg[0]) : NULL,
                  *b = x->arg[1] && !x->arg[1]->two ? row(m, x->arg[1]) : NULL,
                  *c = x->arg[2] ? row(m, x->arg[2]) : NULL;
    bool now = !m->f->strict;
    int other;
    switch (x->op) {
    case AT_F_CONST:
    case AT_F_LETTER:
    case AT_F_CLASS:
    case AT_F_SET:
    case AT_F_NUMBER:
        return leaf_at(m, x, i);
    case AT_F_NAME:
        return row(m, x)[i];
    case AT_F_NOT:
        return !a[i];
    case AT_F_AND:
        return a[i] && b[i];
    case AT_F_OR:
        return a[i] || b[i];
    case AT_F_IMPLIES:
        return !a[i] || b[i];
    case AT_F_IFF:
        return !a[i] == !b[i];
    case AT_F_PREVIOUS:
    case AT_F_WEAK_PREVIOUS:
    case AT_F_NEXT:
    case AT_F_WEAK_NEXT:
        other = i + (x->op <= AT_F_WEAK_PREVIOUS ? -1 : 1);
        return real(m, other) ? a[other] : x->op == AT_F_WEAK_PREVIOUS || x->op == AT_F_WEAK_NEXT;
    case AT_F_ONCE:
        return reaches(m, NULL, a, i, true, now);
    case AT_F_HENCE:
        return holds_all(m, a, i, true, now);
    case AT_F_SINCE:
        return reaches(m, a, b, i, true, now);
    case AT_F_EVENTUALLY:
        return reaches(m, NULL, a, i, false, now);
    case AT_F_ALWAYS:
        return holds_all(m, a, i, false, now);
    case AT_F_UNTIL:
        return reaches(m, a, b, i, false, now);
    case AT_F_WEAK_UNTIL:
        return reaches(m, a, b, i, false, now) || holds_all(m, a, i, false, now);
    case AT_F_RELEASE:
        return release_at(m, a, b, i, now);
    case AT_F_FIND:
        return find_at(m, x, i);
    case AT_F_LESS:
        return a[i] < b[i];
    case AT_F_LESS_EQUAL:
        return a[i] <= b[i];
    case AT_F_EQUAL:
        return a[i] == b[i];
    case AT_F_CONGRUENT:
        return modulo(a[i], x->modulus) == x->index;
    case AT_F_COUNT:
        return count_at(m, x, i);
    case AT_F_ADD:
        return a[i] + b[i];
    case AT_F_SUB:
        return a[i] - b[i];
    case AT_F_TIMES:
        return x->value * a[i];
    case AT_F_IF:
        return a[i] ? b[i] : c[i];
    case AT_F_MIN:
        return a[i] < b[i] ? a[i] : b[i];
    case AT_F_MAX:
        return a[i] > b[i] ? a[i] : b[i];
    case AT_F_OPS:
        break;
    }
    return 0;
}

/* Parts stand behind what they are made of, names included: a definition is made before its name is used. */
static at_status run(const at_formulas *f, const int *word, int n, machine *m, at_err *err)
{
    *m = (machine){f, word, n, n + 2, at_malloc((size_t)f->n_parts * (size_t)(n + 2) * sizeof *m->value)};
    if (!m->value)
        return at_oom(err);
    for (int k = 0; k < f->n_parts; k++)
        for (int i = 0; i < m->T && !f->parts[k]->two; i++)
            m->value[(size_t)k * (size_t)m->T + (size_t)i] = part_at(m, f->parts[k], i);
    return AT_OK;
}

at_status at_formulas_run(const at_formulas *f, const int *word, int n, at_tri *out, at_err *err)
{
    machine m;
    *out = AT_UNKNOWN;
    if (!n && (f->at == AT_AT_LAST || f->at == AT_AT_FIRST))
        return AT_OK;
    at_status s = run(f, word, n, &m, err);
    if (s)
        return s;
    int at = f->at == AT_AT_LAST ? n : f->at == AT_AT_FIRST ? 1 : f->at == AT_AT_END ? n + 1 : 0;
    *out = row(&m, f->accept)[at] ? AT_TRUE : AT_FALSE;
    at_free(m.value);
    return AT_OK;
}

at_status at_formulas_values(const at_formulas *f, const at_formula *x, const int *word, int n, at_arena *a,
                             int64_t **out, at_err *err)
{
    machine m;
    at_status s = run(f, word, n, &m, err);
    if (s)
        return s;
    *out = at_new(a, int64_t, m.T);
    if (*out)
        memcpy(*out, row(&m, x), (size_t)m.T * sizeof **out);
    at_free(m.value);
    return *out ? AT_OK : at_oom(err);
}
