/* cmd_list.c: `attest list`: what there is, one table a kind. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* One entry: a name and a line about it. */
typedef struct {
    char name[64];
    at_text text;
} entry;

static const char *const read_docs[AT_READS] = {
    [AT_READ_ARGMAX] = "index of the largest value",
    [AT_READ_SIGN] = "1 if > 0, 0 if < 0",
    [AT_READ_THRESHOLD] = "1 if > threshold, else 0",
    [AT_READ_ROUND] = "nearest integer",
    [AT_READ_RAW] = "the values themselves",
    [AT_READ_SOFTMAX] = "probabilities: exp(value) over their sum",
    [AT_READ_SPARSEMAX] = "probabilities: the nearest point of the simplex",
};

static at_status claim_entry(int i, entry *e, at_err *err)
{
    (void)err;
    snprintf(e->name, sizeof e->name, "%s", at_catalogue[i]->id);
    at_text_add(&e->text, at_catalogue[i]->title);
    return AT_OK;
}

static at_status task_entry(int i, entry *e, at_err *err)
{
    (void)err;
    snprintf(e->name, sizeof e->name, "%s", at_tasks[i]->id);
    at_text_add(&e->text, at_tasks[i]->definition);
    return AT_OK;
}

static at_status stream_entry(int i, entry *e, at_err *err)
{
    (void)err;
    snprintf(e->name, sizeof e->name, "%s", at_streams[i]->id);
    at_text_add(&e->text, at_streams[i]->title);
    return AT_OK;
}

static int n_problems; /* known when a run begins */

static void problems_count(void)
{
    n_problems = 0;
    while (at_problem_listed(n_problems))
        n_problems++;
}

static at_status problem_entry(int i, entry *e, at_err *err)
{
    const char *name = at_problem_listed(i);
    at_problem *p;
    at_status s = at_problem_open(name, &p, err);
    if (s)
        return s;
    snprintf(e->name, sizeof e->name, "%s", name);
    at_text_add(&e->text, p->title);
    at_text_add(&e->text, " (");
    for (int v = 0, n = 0; v < AT_VIEWS; v++)
        if (at_problem_has(p, v))
            at_text_addf(&e->text, "%s%s", n++ ? ", " : "", at_view_names[v]);
    at_text_add(&e->text, ")");
    at_problem_free(p);
    return AT_OK;
}

/* A claim's program at its default parameters, and what it assembles to. */
static at_status program_entry(int i, entry *e, at_err *err)
{
    const at_claim *c = at_catalogue[i];
    at_params p;
    at_params_init(&p, c->params, c->n_params);
    snprintf(e->name, sizeof e->name, "%s", c->id);
    if (c->trial) {
        at_text_add(&e->text, at_claim_is_limit(c) ? "a limit: no program" : "checked by trials: no program");
        return AT_OK;
    }
    at_program *P = NULL;
    at_model m;
    at_status s = at_claim_program(c, &p, &P, err);
    if (!s && !(s = at_assemble(P, &m, NULL, err))) {
        at_size z;
        at_model_size(&m, &z);
        at_params_print(&p, &e->text);
        at_text_addf(&e->text, ": %d variables; ", at_program_vars(P));
        cli_size_print(&z, &e->text);
        at_model_release(&m);
    }
    at_program_free(P);
    return s;
}

static at_status language_entry(int i, entry *e, at_err *err)
{
    (void)err;
    cli_front_say(at_fronts[i], e->name, &e->text);
    return AT_OK;
}

static at_status named_entry(const char *name, const char *doc, entry *e)
{
    snprintf(e->name, sizeof e->name, "%s", name);
    at_text_add(&e->text, doc);
    return AT_OK;
}

static at_status weighting_entry(int i, entry *e, at_err *err)
{
    (void)err;
    return named_entry(at_weighting_parts[i].name, at_weighting_parts[i].doc, e);
}

static at_status mask_entry(int i, entry *e, at_err *err)
{
    (void)err;
    return named_entry(at_mask_parts[i].name, at_mask_parts[i].doc, e);
}

static at_status pos_entry(int i, entry *e, at_err *err)
{
    (void)err;
    return named_entry(at_pos_parts[i].name, at_pos_parts[i].doc, e);
}

static at_status act_entry(int i, entry *e, at_err *err)
{
    (void)err;
    return named_entry(at_act_parts[i].name, at_act_parts[i].doc, e);
}

static at_status trait_entry(int i, entry *e, at_err *err)
{
    (void)err;
    return named_entry(at_trait_parts[i].name, at_trait_parts[i].doc, e);
}

static at_status read_entry(int i, entry *e, at_err *err)
{
    (void)err;
    return named_entry(at_read_names[i], read_docs[i], e);
}

static at_status arith_entry(int i, entry *e, at_err *err)
{
    static const char *const docs[][2] = {
        {"f32", "IEEE single precision"},
        {"f64", "IEEE double precision"},
        {"pN, pNeE", "N mantissa bits (2..53), E exponent bits (3..10, default 10), round to even"},
        {"ball, ballN", "intervals that contain the exact result (N bits, default 128)"},
        {"exact", "rationals; for models without exp, erf or roots"},
        {"qN, qNeE", "as pN, but of a mean of attention only the quotient is rounded, and not its sums"},
    };
    (void)err;
    return named_entry(docs[i][0], docs[i][1], e);
}

typedef struct {
    const char *name;
    int count;
    const int *counted; /* instead of count, where it is only known to the linker */
    at_status (*entry)(int i, entry *e, at_err *err);
    bool plain; /* part of `attest list` without an argument */
} kind;

static const kind kinds[] = {
    {"claims", 0, &at_n_catalogue, claim_entry, true},
    {"problems", 0, &n_problems, problem_entry, false},
    {"tasks", 0, &at_n_tasks, task_entry, true},
    {"streams", 0, &at_n_streams, stream_entry, true},
    {"languages", 0, &at_n_fronts, language_entry, false},
    {"programs", 0, &at_n_catalogue, program_entry, false},
    {"weightings", AT_WEIGHTINGS, NULL, weighting_entry, false},
    {"masks", AT_MASKS, NULL, mask_entry, false},
    {"positions", AT_POS_KINDS, NULL, pos_entry, false},
    {"activations", AT_ACTS, NULL, act_entry, false},
    {"traits", AT_TRAITS, NULL, trait_entry, false},
    {"readouts", AT_READS, NULL, read_entry, false},
    {"arithmetics", AT_ARITH_KINDS, NULL, arith_entry, false},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static int kind_count(const kind *k)
{
    return k->counted ? *k->counted : k->count;
}

static at_status kind_print(const kind *k, at_text *t, at_err *err)
{
    int width = 0, n = kind_count(k);
    for (int pass = 0; pass < 2; pass++) /* first the widest name, then the rows */
        for (int i = 0; i < n; i++) {
            entry e = {.name = ""};
            at_text_init(&e.text);
            at_status s = k->entry(i, &e, err);
            if (!s && (e.text.oom || !e.text.s))
                s = at_oom(err);
            if (!s && pass)
                cli_row(t, e.name, width + 2, e.text.s, 80);
            width = cli_width(e.name) > width ? cli_width(e.name) : width;
            at_text_release(&e.text);
            if (s)
                return s;
        }
    return AT_OK;
}

static json_t *kind_json(const kind *k, at_err *err)
{
    json_t *all = json_array();
    for (int i = 0; i < kind_count(k); i++) {
        entry e = {.name = ""};
        at_text_init(&e.text);
        json_t *j = NULL;
        if (!k->entry(i, &e, err) && !e.text.oom) {
            j = cli_json_set(json_object(), "id", cli_json_text(e.name));
            j = cli_json_set(j, "text", cli_json_text(e.text.s));
        }
        at_text_release(&e.text);
        all = cli_json_add(all, j);
    }
    return all;
}

static int run(const cli_args *a)
{
    static const at_registry all = AT_REGISTRY_OF_ROWS("kind", "attest list --help", kinds, N_KINDS, name);
    at_err err = {0};
    problems_count();
    const kind *only = a->n_words ? at_registry_need(&all, a->words[0], &err) : NULL;
    if (err.code)
        return cli_fail(a, &err);
    if (a->json) {
        json_t *j = only ? kind_json(only, &err) : json_object();
        for (int i = 0; !only && i < N_KINDS; i++)
            j = cli_json_set(j, kinds[i].name, kind_json(&kinds[i], &err));
        if (err.code) {
            json_decref(j);
            return cli_fail(a, &err);
        }
        return cli_put_json(a, j, CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    for (int i = 0; i < N_KINDS && !err.code; i++) {
        if (only ? only != &kinds[i] : !kinds[i].plain)
            continue;
        if (!only)
            at_text_addf(&t, "%s%s\n", t.n ? "\n" : "", kinds[i].name);
        kind_print(&kinds[i], &t, &err);
    }
    if (!only) {
        const char *before = "\nmore: attest list [";
        for (int i = 0; i < N_KINDS; i++)
            if (!kinds[i].plain) {
                at_text_addf(&t, "%s%s", before, kinds[i].name);
                before = "|";
            }
        at_text_add(&t, "]\n");
    }
    if (err.code) {
        at_text_release(&t);
        return cli_fail(a, &err);
    }
    return cli_put_text(a, &t, CLI_HOLDS);
}

static const cli_option options[] = {
    {CLI_JSON},
    {0},
};

const cli_command cmd_list = {
    .name = "list",
    .summary = "what there is: claims, tasks, streams, weightings, masks, ...",
    .usage = "[KIND]",
    .about =
        "KIND is one of claims, problems (of check, refute, train, ...), tasks, streams (sequences to learn "
        "from), languages (that problems and programs are written in), programs (those of the\n"
        "claims, with the size they assemble to), weightings, masks, positions, activations, traits,\n"
        "readouts, arithmetics. Without it: claims, tasks and streams.\n",
    .examples = "attest list\nattest list weightings\nattest list claims --json\n",
    .options = options,
    .most = 1,
    .run = run,
};
