/* print_labels.c: which linear expressions without a name are printed where they are used, and which get a line @k = ...
 *
 * A text is read line by line, and what stands inside a line is made just before the line's own variable, in the order in
 * which it is read. The assembler gives coordinates to sums of several variables, in the order in which they were made. So
 * that reading makes the same model, such a sum stands in place only if it is used once and was made there. Others, the ones
 * about which the author knows more than their parts tell, and those in too many brackets get a label. The rule looks only
 * at what reading keeps; so the same text comes out of what was read. */
#include "text_internal.h"

#include <string.h>

#define DEEPEST 16 /* brackets within brackets */

typedef struct {
    const at_program *P;
    int *nth;    /* as in print_labels */
    int *uses;   /* (n_vars) places where it would be printed; 2: or more */
    int *depth;  /* (n_vars) brackets within an unnamed expression */
    bool *label; /* (n_vars) */
    at_var last; /* of those that are read before: this line's, or the line before */
    bool again;
} marker;

bool linear_is_plain(const at_program *P, const var *x)
{
    double lo, hi;
    bool integer;
    if (x->op != OP_LINEAR || x->known || x->accumulate)
        return false;
    linear_range(P, x, &lo, &hi, &integer);
    return lo == x->lo && hi == x->hi && integer == x->integer;
}

static bool is_inside(const marker *m, at_var v)
{
    return !m->P->vars[v].name && !m->label[v];
}

/* ---- uses --------------------------------------------------------------------------------------------------- */

static void use(const marker *m, at_var v, int times)
{
    m->uses[v] = m->uses[v] + times > 2 ? 2 : m->uses[v] + times;
}

static void use_vec(const marker *m, at_vec v, int times)
{
    for (int k = 0; k < v.n; k++)
        use(m, v.v[k], times);
}

/* Later ones use earlier ones, so one pass backwards counts them all. */
static void uses_count(const marker *m)
{
    const at_program *P = m->P;
    memset(m->uses, 0, (size_t)P->n_vars * sizeof *m->uses);
    use_vec(m, P->out, 1);
    for (at_var v = P->n_vars - 1; v >= 0; v--) {
        const var *x = &P->vars[v];
        int times = is_inside(m, v) ? m->uses[v] : x->name || m->uses[v];
        use_vec(m, (at_vec){x->n_args, x->args}, times);
        if (x->known && x->when >= 0)
            use(m, x->when, times);
        if (x->op != OP_ATTEND || x->component)
            continue;
        const at_attention *a = &P->steps[x->step].a;
        use_vec(m, a->query, 1);
        use_vec(m, a->key, 1);
        use_vec(m, a->value, 1);
        if (at_weighting_is(a->weighting, AT_IS_PAIRS)) {
            use_vec(m, a->key2, 1);
            use_vec(m, a->value2, 1);
        }
        use_vec(m, a->wipe, 1);
    }
}

/* ---- order --------------------------------------------------------------------------------------------------- */

/* What is read for v, in the order of reading. */
static void read_var(marker *m, at_var v)
{
    const var *x = &m->P->vars[v];
    if (!is_inside(m, v))
        return;
    for (int k = 0; k < x->n_args; k++)
        read_var(m, x->args[k]);
    if (x->n_args < 2)
        return;
    if (v <= m->last) {
        m->label[v] = true;
        m->again = true;
    } else
        m->last = v;
}

static void read_vec(marker *m, at_vec v)
{
    for (int k = 0; k < v.n; k++)
        read_var(m, v.v[k]);
}

static void read_line(marker *m, at_var v)
{
    const var *x = &m->P->vars[v];
    if (x->op == OP_ATTEND && !x->component) {
        const at_attention *a = &m->P->steps[x->step].a;
        bool three = at_weighting_is(a->weighting, AT_IS_PAIRS);
        if (a->base_plus)
            read_var(m, a->base);
        read_vec(m, a->query);
        read_vec(m, a->key);
        if (three)
            read_vec(m, a->key2);
        read_vec(m, a->value);
        if (three)
            read_vec(m, a->value2);
        read_vec(m, a->wipe);
    } else if (!x->accumulate) {
        read_vec(m, (at_vec){x->n_args, x->args});
        if (x->known && x->when >= 0)
            read_var(m, x->when);
    }
    m->last = v;
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

static void depth_find(marker *m, at_var v)
{
    const var *x = &m->P->vars[v];
    m->depth[v] = 1;
    for (int k = 0; k < x->n_args; k++)
        if (is_inside(m, x->args[k]) && m->depth[x->args[k]] >= m->depth[v])
            m->depth[v] = m->depth[x->args[k]] + 1;
    bool stays = linear_is_plain(m->P, x) && m->depth[v] <= DEEPEST && (x->n_args < 2 || m->uses[v] < 2);
    if (!stays) {
        m->label[v] = true;
        m->again = true;
    }
}

static void labels_mark(marker *m)
{
    const at_program *P = m->P;
    do { /* a label is never taken back, so it ends */
        m->again = false;
        uses_count(m);
        for (at_var v = 0; v < P->n_vars; v++)
            if (is_inside(m, v) && m->uses[v])
                depth_find(m, v);
        m->last = -1;
        for (at_var v = 0; v < P->n_vars; v++)
            if (P->vars[v].name || (m->label[v] && m->uses[v]))
                read_line(m, v);
        read_vec(m, P->out);
    } while (m->again);
}

int *print_labels(const at_program *P, at_arena *a)
{
    size_t n = (size_t)P->n_vars + 1;
    marker m = {.P = P,
                .nth = at_new(a, int, n),
                .uses = at_new(a, int, n),
                .depth = at_new(a, int, n),
                .label = at_new(a, bool, n)};
    if (!m.nth || !m.uses || !m.depth || !m.label)
        return NULL;
    labels_mark(&m);
    labels l = {0};
    int serial = 0;
    bool ok = true;
    for (at_var v = 0; v < P->n_vars && ok; v++) {
        const char *name = P->vars[v].name;
        if (!name)
            m.nth[v] = m.label[v] && m.uses[v] ? ++serial : 0;
        else if ((ok = labels_add(&l, name, strlen(name), v)))
            m.nth[v] = labels_count(&l, name, strlen(name));
    }
    labels_release(&l);
    return ok ? m.nth : NULL;
}
