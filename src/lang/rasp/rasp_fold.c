/* rasp_fold.c: a program made flat: names looked up, functions inlined, loops unrolled, lists and dicts worked out, so that only
 * s-ops and selectors remain. A function sees what its surroundings are when it is called, as in the public interpreter, and what
 * it sets ends with it. */
#include <stdio.h>
#include <string.h>

#include "rasp_fold.h"

/* ---- statements ------------------------------------------------------------------------------------------------------------ */

static at_status assign(folder *f, scope *s, const rasp_statement *d)
{
    value v;
    at_status st = fold_values(f, s, d->value, &v);
    if (st)
        return st;
    if (d->names->next)
        return fold_iterate(f, s, d->value, d->names, &v);
    if (v.kind == V_NONE)
        return fold_fail(f, d->value, "nothing comes out of this that could be set");
    if ((v.kind == V_SOP || v.kind == V_SELECTOR) && !f->k.v[v.node].name && !s->library && s->of)
        f->k.v[v.node].name = f->r->sym.s[d->names->symbol];
    if (v.kind == V_SOP && s->of && !s->library)
        f->last = v;
    return fold_bind(f, s, d->names->symbol, &v);
}

/* set example "abc", or a list of values: these are letters. */
static at_status example(folder *f, scope *s, const rasp_statement *d)
{
    value v;
    at_status st = fold_eval(f, s, d->value, &v);
    if (!st && v.kind == V_ATOM && v.atom.kind == AT_RASP_STRING)
        st = fold_letters(f, d->value, v.atom.s, &v);
    if (!st && v.kind != V_LIST)
        st = fold_fail(f, d->value, "an example is a string or a list of values");
    for (int k = 0; !st && k < v.n; k++)
        if (v.part[k].kind == V_ATOM && v.part[k].atom.kind == AT_RASP_STRING)
            at_text_addf(&f->letters, "%s ", v.part[k].atom.s);
        else if (v.part[k].kind == V_ATOM) {
            at_rasp_atom_print(&v.part[k].atom, &f->letters);
            at_text_add(&f->letters, " ");
        }
    return st;
}

static at_status run_one(folder *f, scope *s, const rasp_statement *d)
{
    at_status st;
    value v;
    switch (d->sort) {
    case S_NOTHING:
        return AT_OK;
    case S_EXPR:
        st = fold_eval(f, s, d->value, &v);
        if (!st && v.kind == V_SOP && s->of)
            f->last = v;
        return st;
    case S_ASSIGN:
        return assign(f, s, d);
    case S_EXAMPLE:
        return example(f, s, d);
    case S_DEF:
        v = (value){.kind = V_FUNCTION, .def = d, .home = s};
        return fold_bind(f, s, d->names->symbol, &v);
    case S_FOR:
        st = fold_eval(f, s, d->value, &v);
        if (!st)
            st = fold_over(f, d->value, &v);
        for (int k = 0; !st && k < v.n; k++) {
            st = fold_iterate(f, s, d->value, d->names, &v.part[v.kind == V_DICT ? 2 * k : k]);
            if (!st)
                st = fold_run(f, s, d->body);
        }
        return st;
    }
    return AT_OK;
}

at_status fold_run(folder *f, scope *s, const rasp_statement *d)
{
    at_status st = AT_OK;
    for (; d && !st; d = d->next)
        st = run_one(f, s, d);
    return st;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------------------- */

static at_status outputs_find(folder *f, scope *s, at_rasp *out)
{
    int n = 0, symbols = f->r->sym.n;
    out->output = at_new(f->r->a, const char *, symbols + 2);
    out->output_node = at_new(f->r->a, int, symbols + 2);
    long *order = at_new(f->r->a, long, symbols + 2);
    if (!out->output || !out->output_node || !order)
        return at_oom(f->r->err);
    for (int k = W_RESERVED; k < symbols; k++) {
        const binding *b = s->of[k];
        if (!b || b->v.kind != V_SOP || f->r->sym.s[k][0] == '_') /* names with _ are the program's own */
            continue;
        int at = n++;
        for (; at > 0 && order[at - 1] > b->order; at--) {
            order[at] = order[at - 1];
            out->output[at] = out->output[at - 1];
            out->output_node[at] = out->output_node[at - 1];
        }
        order[at] = b->order;
        out->output[at] = f->r->sym.s[k];
        out->output_node[at] = b->v.node;
    }
    if (!n && f->last.kind == V_SOP) {
        out->output[n] = "out";
        out->output_node[n++] = f->last.node;
    }
    if (!n)
        return at_fail(f->r->err, AT_EINPUT,
                       "%.150s: no s-op is set; a program ends as in hist = selector_width(s);", f->r->path);
    out->n_outputs = n;
    out->usual = n - 1;
    out->n_nodes = f->k.n;
    out->node = f->k.v;
    return AT_OK;
}

static void letter_add(at_text *t, const at_rasp_atom *x)
{
    if (x->kind == AT_RASP_STRING && x->s[0] && !strpbrk(x->s, " \t"))
        at_text_addf(t, "%s ", x->s);
}

/* Letters that are compared with tokens, where there were no examples. */
static void letters_compared(const folder *f, at_text *t)
{
    for (int k = 0; k < f->k.n; k++) {
        const at_rasp_node *v = &f->k.v[k];
        bool pair = v->op == AT_RASP_EQ || v->op == AT_RASP_SELECT;
        for (int i = 0; pair && i < 2; i++)
            if (f->k.v[v->arg[i]].op == AT_RASP_TOKENS && f->k.v[v->arg[1 - i]].op == AT_RASP_CONST)
                letter_add(t, &f->k.v[v->arg[1 - i]].atom);
        if ((v->op == AT_RASP_IN || v->op == AT_RASP_LOOKUP) && f->k.v[v->arg[0]].op == AT_RASP_TOKENS)
            for (int i = 0; i < v->table->n; i++)
                letter_add(t, &v->table->key[i]);
    }
}

/* Every letter of f->letters once; n: how many. */
static void once_each(const folder *f, at_text *once, int *n)
{
    at_text_release(once);
    at_text_init(once);
    at_text_add(once, " ");
    *n = 0;
    bool single = true; /* then they can be written in quotes */
    for (const char *s = f->letters.s; s && *s;) {
        const char *next = s;
        at_text_next(&next);
        single &= *next == ' ' || *s == ' ';
        s = strchr(s, ' ') + 1;
    }
    for (const char *s = f->letters.s, *end; s && !f->letters.oom && !once->oom && *s && *n <= AT_LETTERS_MAX;
         s = end + 1) {
        end = strchr(s, ' ');
        char *word = at_arena_printf(f->r->a, " %.*s ", (int)(end - s), s);
        if (!word)
            once->oom = true;
        else if (!strstr(once->s, word) && end > s && (single || !rasp_quoted(word + 1))) {
            at_text_add(once, word + 1);
            ++*n;
        }
    }
}

static at_status letters_find(folder *f, at_rasp *out)
{
    at_text once;
    at_text_init(&once);
    bool ints = false, told = f->letters.n > 0;
    int n = 0;
    if (!told)
        letters_compared(f, &f->letters);
    for (int k = 0; k < f->k.n; k++)
        ints |= f->k.v[k].op == AT_RASP_INTS;
    for (;;) {
        once_each(f, &once, &n);
        if (told || n > 1)
            break;
        told = true; /* one letter makes no words: some more */
        at_text_add(&f->letters, ints ? "0 1 2 " : "a b c ");
    }
    at_err fault = {0};
    at_status s = f->letters.oom || once.oom ? at_oom(f->r->err)
                                             : at_alphabet_parse(once.s, f->r->a, &out->sigma, &fault);
    if (s && s != AT_ENOMEM)
        s = at_fail(f->r->err, s, "%.150s: the letters of its examples: %s", f->r->path, fault.text);
    at_text_release(&once);
    return s;
}

at_status rasp_fold(rasp_reader *r, const rasp_statement *library, const rasp_statement *program,
                    at_rasp *out)
{
    folder f = {.r = r, .k = {.a = r->a}};
    scope lib = {.library = true, .of = at_new(r->a, binding *, r->sym.n)},
          all = {.parent = &lib, .of = at_new(r->a, binding *, r->sym.n)};
    if (!lib.of || !all.of)
        return at_oom(r->err);
    at_text_init(&f.letters);
    value tokens = fold_leaf(&f, AT_RASP_TOKENS), width = {.kind = V_WIDTH}, length;
    rasp_expr nowhere = {.line = 1, .column = 1};
    at_rasp_node any = NODE(AT_RASP_ALL, .line = 0), n = NODE(AT_RASP_WIDTH, .line = 0);
    any.atom = (at_rasp_atom){AT_RASP_BOOL, 1, 1, NULL};
    at_status s = tokens.node < 0 ? at_oom(r->err) : fold_node(&f, &nowhere, any, &length);
    n.arg[0] = length.node;
    if (!s)
        s = fold_node(&f, &nowhere, n, &length);
    if (!s)
        s = fold_bind(&f, &lib, W_TOKENS, &tokens);
    if (!s)
        s = fold_bind(&f, &lib, W_LENGTH, &length);
    if (!s)
        s = fold_bind(&f, &lib, W_SELECTOR_WIDTH, &width);
    if (!s)
        s = fold_run(&f, &lib, library);
    if (!s)
        s = fold_run(&f, &all, program);
    if (!s)
        s = outputs_find(&f, &all, out);
    if (!s && !out->sigma.n)
        s = letters_find(&f, out);
    at_text_release(&f.letters);
    return s;
}
