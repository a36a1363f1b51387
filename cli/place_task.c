/* place_task.c: `attest place --problem P` and `attest place MODEL`: what is proved of a problem or of a kind of model, class by class, and
 * by which claim. What is not known to be in a class and not known to be outside is open. */
#include "place_task.h"

#include <string.h>

enum { CLAIMS = 16 };

/* unknown: what it means that nothing is known. */
static void lies_print(const at_lies *l, const char *const *names, int n, const char *unknown, at_text *t)
{
    for (int k = 0; k < n && l->least >= 0; k++) {
        at_tri v = at_lies_in(l, k);
        at_text row;
        at_text_init(&row);
        at_text_add(&row, v == AT_TRUE ? "yes" : v == AT_FALSE ? "no" : unknown);
        if (k == l->least)
            at_text_addf(&row, "%s: %s", l->complete ? ", complete for it" : "", l->why_in);
        if (k == l->not_in)
            at_text_addf(&row, ": %s", l->why_not);
        cli_row(t, names[k], 18, row.oom ? "?" : row.s, 110);
        at_text_release(&row);
    }
}

static void both_print(const at_lies *circuit, const at_lies *chomsky, const char *unknown, at_text *t)
{
    /* what is in NC1 needs no row for what is beyond */
    lies_print(circuit, at_class_names, circuit->least == AT_CLASS_BEYOND ? AT_CLASSES : AT_CLASS_BEYOND,
               unknown, t);
    lies_print(chomsky, at_chomsky_names, AT_CHOMSKYS, unknown, t);
}

static json_t *chain_json(const at_lies *l, const char *const *names, int n)
{
    if (l->least < 0)
        return json_null();
    json_t *in = json_object(), *o = json_object();
    for (int k = 0; k < n; k++) {
        at_tri v = at_lies_in(l, k);
        in = cli_json_set(in, names[k], v == AT_UNKNOWN ? json_null() : json_boolean(v == AT_TRUE));
    }
    o = cli_json_set(o, "in", in);
    o = cli_json_set(o, "least", cli_json_text(names[l->least]));
    o = cli_json_set(o, "complete", json_boolean(l->complete));
    o = cli_json_set(o, "because", cli_json_text(l->why_in));
    o = cli_json_set(o, "not_in", l->not_in < 0 ? json_null() : cli_json_text(names[l->not_in]));
    return cli_json_set(o, "because_not", l->why_not ? cli_json_text(l->why_not) : json_null());
}

json_t *cli_lies_json(const at_lies *circuit, const at_lies *chomsky)
{
    json_t *o = cli_json_set(json_object(), "circuit", chain_json(circuit, at_class_names, AT_CLASSES));
    return cli_json_set(o, "chomsky", chain_json(chomsky, at_chomsky_names, AT_CHOMSKYS));
}

static at_status need(const char *problem, const at_task_place **out, at_err *err)
{
    at_guess g = {problem, NULL, 0};
    *out = at_task_place_find(problem);
    if (*out)
        return AT_OK;
    at_text all;
    at_text_init(&all);
    for (int k = 0; at_task_place_at(k); k++) {
        at_guess_add(&g, at_task_place_at(k)->problem);
        at_text_addf(&all, "%s%s", k ? ", " : "", at_task_place_at(k)->problem);
    }
    char near[AT_GUESS_TEXT];
    at_status s = at_fail(err, AT_EINPUT, "of '%.60s' no place is known%s (known: %s)", problem,
                          at_guess_text(&g, near), all.oom ? "?" : all.s);
    at_text_release(&all);
    return s;
}

int cli_place_problem(const cli_args *a, const char *problem)
{
    at_err err = {0};
    const at_task_place *p;
    const at_claim *claims[CLAIMS];
    if (need(problem, &p, &err))
        return cli_fail(a, &err);
    int n = at_task_place_claims(problem, claims, CLAIMS);
    if (a->json) {
        json_t *o = cli_json_set(json_object(), "problem", cli_json_text(p->problem)), *ids = json_array();
        for (int k = 0; k < n; k++)
            ids = cli_json_add(ids, cli_json_text(claims[k]->id));
        o = cli_json_set(o, "about", cli_json_text(p->about));
        o = cli_json_set(o, "lies", cli_lies_json(&p->circuit, &p->chomsky));
        return cli_put_json(a, cli_json_set(o, "claims", ids), CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "%s: %s\n\n", p->problem, p->about);
    both_print(&p->circuit, &p->chomsky, "open", &t);
    at_text_add(&t, n ? "\nclaims of the catalogue (attest show ID, attest check ID)\n" : "");
    for (int k = 0; k < n; k++)
        cli_row(&t, claims[k]->id, 20, claims[k]->title, 110);
    return cli_put_text(a, &t, CLI_HOLDS);
}

int cli_place_model(const cli_args *a, const at_model *m, const char *why)
{
    at_lies circuit = at_model_lies(m), none = {.least = -1};
    if (a->json) {
        json_t *o = cli_json_set(json_object(), "model", cli_json_text(a->words[0]));
        o = cli_json_set(o, "lies", cli_lies_json(&circuit, &none));
        o = cli_json_set(o, "a_step", json_boolean(m->decode.enabled));
        return cli_put_json(a, cli_json_set(o, "no_automaton", cli_json_text(why)), CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    at_text_add_plain(&t, a->words[0]);
    at_text_add(&t, ": what layers like these can have at any length, whatever their weights\n\n");
    both_print(&circuit, &none, "not decided", &t);
    if (m->decode.enabled)
        at_text_add(&t, "\nThis is about one step of the decoder; a chain of polynomially many has all of P "
                        "(Merrill, Sabharwal 2024).\n");
    at_text_add(&t, "\nnot placed more closely: ");
    at_text_add_plain(&t, why);
    at_text_add(&t, "\n");
    return cli_put_text(a, &t, CLI_HOLDS);
}

int cli_place_formulas(const cli_args *a, const at_formulas *f)
{
    bool counts = false, sets = false;
    for (int k = 0; k < f->n_parts; k++) {
        counts = counts || f->parts[k]->op == AT_F_COUNT;
        sets = sets || f->parts[k]->op == AT_F_SET;
    }
    at_lies circuit = {
        counts ? AT_CLASS_TC0 : AT_CLASS_AC0, -1, false,
        counts ? "formulas that count: threshold gates" : "first-order formulas (Immerman 1987)", NULL};
    at_lies chomsky = {counts || sets ? AT_CHOMSKY_SENSITIVE : AT_CHOMSKY_REGULAR, -1, false,
                       counts || sets ? "counters of log n bits, read again for each position"
                                      : "first-order logic of order and of positions modulo numbers",
                       NULL};
    if (a->json) {
        json_t *o = cli_json_set(json_object(), "language", cli_json_text(a->words[0]));
        return cli_put_json(a, cli_json_set(o, "lies", cli_lies_json(&circuit, &chomsky)), CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    at_text_add_plain(&t, a->words[0]);
    at_text_add(&t, ": what formulas like these can have at most\n\n");
    both_print(&circuit, &chomsky, "not decided", &t);
    return cli_put_text(a, &t, CLI_HOLDS);
}
