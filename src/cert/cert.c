/* cert.c: a claim's cells, asked and written down.
 *
 * The file is one JSON object. Its first line ends with the digest of all that follows it, so that a file that was damaged is
 * known at once; who changes a file on purpose can seal it again, and is found out by what it says.
 *
 * A cell is written at each of its points: role, evidence, parameters, the model by its hash, the problem, then what the verdict
 * rests on. Cells in balls or more than 25 bits are left out: a verifier without attest has none of them. So are problems
 * that have no text. The file says which and why. */
#include "cert_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS_MOST 4096
#define POINTS_MOST 4096 /* of a cell */
#define BITS_MOST   25   /* of numbers that a verifier works with */

typedef struct {
    const at_cert_question *q;
    at_arena *a;
    at_text cells, left;
    at_cert_model *models;
    int n_models, n_cells, n_left;
    at_tri holds;
    const char *why;
} maker;

static at_status model_keep(void *made, const at_model *m, char hash[65], at_err *err)
{
    maker *k = made;
    char *bytes;
    size_t n;
    at_status s = at_model_image(m, &bytes, &n, err);
    if (s)
        return s;
    at_sha256(bytes, n, hash);
    for (int i = 0; i < k->n_models; i++)
        if (!strcmp(k->models[i].hash, hash)) {
            at_free(bytes);
            return AT_OK;
        }
    char *own = at_new(k->a, char, n);
    if (own)
        memcpy(own, bytes, n);
    at_free(bytes);
    if (!own || k->n_models == MODELS_MOST)
        return at_oom(err);
    at_cert_model *here = &k->models[k->n_models++];
    memcpy(here->hash, hash, 65);
    here->bytes = own;
    here->n = n;
    return AT_OK;
}

/* ---- one point --------------------------------------------------------------------------------------------------- */

static void counterexample_put(const cert_point *k, at_text *t)
{
    const at_counterexample *x = &k->v->cx;
    int width = at_model_row_width(k->m);
    at_text_add(t, "\"input\": ");
    cert_rows(t, x->x, x->n, width);
    at_text_addf(t, ", \"position\": %d, \"expected\": ", x->position + 1);
    cert_number(t, x->expected);
    at_text_add(t, ", \"got\": ");
    cert_number(t, x->got);
}

/* Of a shorter counterexample the problem is that of its own length. */
static void length_set(cert_point *k)
{
    if (k->task && k->v->has_counterexample && at_params_has(&k->tp, "N") && !k->task->length)
        for (int i = 0; i < k->tp.n; i++)
            if (!strcmp(k->tp.schema[i].name, "N"))
                k->tp.value[i] = k->v->cx.n;
}

static at_status evidence_put(cert_point *k, at_text *t, at_err *err)
{
    const at_verdict *v = k->v;
    if (v->has_counterexample && v->holds == AT_FALSE)
        counterexample_put(k, t);
    else if (v->holds != AT_TRUE)
        return at_fail(err, AT_EREFUSED, "not decided");
    else if (v->evidence == AT_EV_CERTIFIED)
        return cert_cases(k, t, err);
    else
        return v->evidence == AT_EV_EXACT ? cert_blocks(k, t, err) : cert_sample(k, t, err);
    return AT_OK;
}

/* "exact", or what stands in its place: a counterexample refutes whatever was asked. */
static const char *evidence_of(const at_verdict *v)
{
    return v->has_counterexample && v->holds == AT_FALSE ? at_evidence_names[AT_EV_REFUTED]
                                                         : at_evidence_names[v->evidence];
}

static at_status point_put(maker *k, cert_point *x, at_err *err)
{
    at_text t;
    char hash[65];
    at_text_init(&t);
    at_status s = model_keep(k, x->m, hash, err);
    at_text_addf(&t, "{\"role\": \"%s\", \"evidence\": \"%s\", \"holds\": %s, \"arithmetic\": ",
                 x->cell->control ? "control" : "claim", evidence_of(x->v),
                 x->v->holds == AT_TRUE ? "true" : "false");
    cert_string(&t, x->v->evidence == AT_EV_CERTIFIED ? "balls" : at_cell_arith(x->cell));
    at_text_addf(&t, ", \"model\": \"%s\", \"parameters\": ", s ? "" : hash);
    cert_params(&t, &x->p);
    at_text_addf(&t, ", \"inputs\": %llu, \"wrong\": %llu, \"margin\": ", (unsigned long long)x->v->inputs,
                 (unsigned long long)x->v->wrong);
    /* Where an enumeration was sampled the inputs that are written are others than those whose least margin is known. */
    bool others = x->cell->evidence == AT_EV_EXACT && x->v->evidence == AT_EV_SAMPLED;
    cert_number(&t, others ? NAN : x->v->margin);
    if (x->task && x->task->real) {
        at_text_add(&t, ", \"tolerance\": ");
        cert_number(&t, at_claim_tolerance(x->c, &x->p));
    }
    at_text_add(&t, ",\n");
    if (!s) {
        length_set(x);
        s = cert_problem(x, &t, err);
    }
    at_text_add(&t, ",\n");
    if (!s)
        s = evidence_put(x, &t, err);
    at_text_add(&t, "}");
    if (!s) {
        at_text_add(&k->cells, k->n_cells ? ",\n" : "");
        k->n_cells++;
        if (t.oom)
            s = at_oom(err);
        else
            at_text_addn(&k->cells, t.s, t.n);
        if (!x->cell->control && x->v->holds != AT_TRUE)
            k->holds = AT_FALSE;
    }
    at_text_release(&t);
    return s;
}

static uint64_t limit_of(const maker *k, const at_cell *cell)
{
    uint64_t tenth = cell->inputs / 10 ? cell->inputs / 10 : 1;
    bool all = k->q->tier == AT_TIER_FULL || cell->evidence == AT_EV_EXACT;
    return !cell->inputs ? 0 : all ? cell->inputs : tenth;
}

/* A question of a trial: what it says, and what it shows. */
static at_status trial_ask(maker *k, const at_cell *cell, const at_params *p, bool *rejected, at_err *err)
{
    at_verdict v;
    cert_trial x = {.c = k->q->claim,
                    .cell = cell,
                    .p = p,
                    .seed = k->q->seed,
                    .a = k->a,
                    .model = model_keep,
                    .maker = k};
    at_arena own;
    at_arena_init(&own);
    at_status s = cert_trial_ask(&x, limit_of(k, cell), k->q->env, &own, &v, err);
    *rejected = !s && cell->control && v.holds == AT_FALSE;
    bool pass = !s && cell->control && v.holds == AT_TRUE;
    if (!s && !pass && v.holds != AT_UNKNOWN && x.n) {
        at_text *t = &k->cells;
        at_text_addf(t, "%s{\"role\": \"%s\", \"evidence\": \"trial\", \"holds\": %s, \"arithmetic\": ",
                     k->n_cells++ ? ",\n" : "", cell->control ? "control" : "claim",
                     v.holds == AT_TRUE ? "true" : "false");
        cert_string(t, at_cell_arith(cell));
        at_text_add(t, ", \"parameters\": ");
        cert_params(t, p);
        at_text_addf(t, ", \"inputs\": %llu, \"note\": ", (unsigned long long)v.inputs);
        cert_string(t, v.note ? v.note : "");
        at_text_addf(t, ",\n\"shown\": [%s]}", x.shown.s ? x.shown.s : "");
        k->cells.oom |= x.shown.oom;
    } else if (!s && !pass)
        s = at_fail(err, AT_EREFUSED, "%s",
                    x.why                   ? x.why
                    : v.holds == AT_UNKNOWN ? "not decided"
                                            : "it shows nothing that could be computed again");
    if (!s && !cell->control && v.holds != AT_TRUE)
        k->holds = AT_FALSE;
    at_text_release(&x.shown);
    at_arena_release(&own);
    return s;
}

/* The model, the verdict, and what both are about. A control is one question over all its points, and what rejects it is the first at
 * which the model is wrong: the others are passed over. */
static at_status point_ask(maker *k, const at_cell *cell, const at_params *p, bool *rejected, at_err *err)
{
    const at_claim *c = k->q->claim;
    at_model m;
    at_verdict v;
    cert_point x = {.c = c,
                    .cell = cell,
                    .p = *p,
                    .m = &m,
                    .v = &v,
                    .chain = c->chain,
                    .arith = at_f64,
                    .seed = k->q->seed,
                    .a = k->a};
    const at_check_env none = {0};
    x.limit = limit_of(k, cell);
    at_status s =
        strcmp(at_cell_arith(cell), "ball") ? at_arith_parse(at_cell_arith(cell), &x.arith, err) : AT_OK;
    if (!s)
        s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    s = at_claim_check(c, cell, p, &m, x.limit, k->q->seed, k->q->env ? k->q->env : &none, k->a, &v, err);
    *rejected = !s && cell->control && v.holds == AT_FALSE;
    bool pass = !s && cell->control && v.holds == AT_TRUE;
    if (!s && !pass)
        s = c->chain ? at_claim_chain_open(c, p, &x.self, err) : at_claim_task(c, p, &x.task, &x.tp, err);
    if (!s && !pass)
        s = point_put(k, &x, err);
    if (c->chain && x.self)
        c->chain->close(x.self);
    at_model_release(&m);
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

static const char arithmetic_is[] = "the arithmetic ";

static void leave_out(maker *k, const at_cell *cell, at_tier tier, const char *why)
{
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "%s%s%s: %s", tier == AT_TIER_QUICK && cell->quick ? cell->quick : cell->params,
                 cell->control ? ", control " : "", cell->control ? cell->control : "", why);
    at_text_add(&k->left, k->n_left++ ? ",\n" : "");
    cert_string(&k->left, t.oom ? "?" : t.s);
    k->left.oom |= t.oom;
    if (!k->why || !strncmp(k->why, arithmetic_is, sizeof arithmetic_is - 1))
        k->why = at_arena_strdup(k->a, why); /* of several reasons one that says more */
    at_text_release(&t);
}

static at_status cell_ask(maker *k, const at_cell *cell, at_err *err)
{
    const at_claim *c = k->q->claim;
    at_sweep w;
    const char *arith = at_cell_arith(cell);
    bool balls = cell->evidence == AT_EV_CERTIFIED && c->split && !strcmp(arith, "ball");
    at_arith bits = {0};
    bool known = !at_arith_parse(arith, &bits, &(at_err){0}); /* of decoders the verifier knows f64 alone */
    bool floats =
        known && (bits.kind == AT_F64 || (!c->chain && (bits.kind == AT_F32 || bits.kind == AT_EXACT ||
                                                        (bits.kind == AT_PBIT && bits.bits <= BITS_MOST))));
    if (!balls && !floats && !c->trial) {
        char why[80];
        snprintf(why, sizeof why, "%s%.40s", arithmetic_is, arith);
        leave_out(k, cell, k->q->tier, why);
        return AT_OK;
    }
    at_status s = at_cell_sweep(c, cell, k->q->tier, k->q->set, &w, err);
    uint64_t n = s ? 0 : at_sweep_count(&w);
    if (!s && n > POINTS_MOST)
        return at_fail(err, AT_EBUDGET, "%llu sizes; at most %d are certified", (unsigned long long)n,
                       POINTS_MOST);
    bool rejected = false;
    for (uint64_t i = 0; i < n && !s && !rejected; i++) {
        at_params p;
        at_err why = {0};
        at_sweep_nth(&w, i, &p);
        s = (c->trial ? trial_ask : point_ask)(k, cell, &p, &rejected, &why);
        if (s == AT_EREFUSED) {
            leave_out(k, cell, k->q->tier, why.text);
            return AT_OK;
        }
        if (s)
            return at_fail(err, s, "%s", why.text);
    }
    if (!s && cell->control && !rejected) {
        k->holds = AT_FALSE;
        leave_out(k, cell, k->q->tier, "the control is not rejected");
    }
    return s;
}

static void head_put(const maker *k, at_text *t)
{
    const at_cert_question *q = k->q;
    const struct {
        const char *key, *value;
    } of[] = {{"claim", q->claim->id},
              {"title", q->claim->title},
              {"statement", q->claim->statement},
              {"source", q->claim->source},
              {"version", q->version},
              {"build", q->build},
              {"date", q->date},
              {"tier", q->tier == AT_TIER_FULL ? "full" : "quick"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        at_text_addf(t, "\"%s\": ", of[i].key);
        cert_string(t, of[i].value ? of[i].value : "");
        at_text_add(t, ",\n");
    }
    at_text_addf(t, "\"seed\": %llu,\n\"models\": {", (unsigned long long)q->seed);
    for (int i = 0; i < k->n_models; i++) {
        at_text_addf(t, "%s\"%s\": ", i ? ",\n" : "", k->models[i].hash);
        if (q->beside)
            at_text_add(t, "null");
        else {
            at_text_add(t, "\"");
            cert_base64(t, k->models[i].bytes, k->models[i].n);
            at_text_add(t, "\"");
        }
    }
    at_text_add(t, "},\n\"cells\": [\n");
}

at_status at_cert_make(const at_cert_question *q, at_arena *a, at_cert_made *out, at_err *err)
{
    maker *k = at_new(a, maker, 1);
    at_cert_model *models = at_new(a, at_cert_model, MODELS_MOST);
    *out = (at_cert_made){.holds = AT_UNKNOWN};
    at_text_init(&out->text);
    if (!k || !models)
        return at_oom(err);
    *k = (maker){.q = q, .a = a, .models = models, .holds = AT_TRUE};
    at_text_init(&k->cells);
    at_text_init(&k->left);
    at_status s = AT_OK;
    for (int i = 0; i < q->claim->n_cells && !s; i++)
        if (q->claim->cells[i].tier == AT_TIER_QUICK || q->tier == AT_TIER_FULL)
            s = cell_ask(k, &q->claim->cells[i], err);
    if (!s && !k->n_cells)
        s = at_fail(err, AT_EREFUSED, "no cell of %s can be certified: %s", q->claim->id,
                    k->why ? k->why : "there is none");
    at_text body;
    at_text_init(&body);
    if (!s) {
        char digest[65];
        head_put(k, &body);
        at_text_addn(&body, k->cells.s, k->cells.n);
        at_text_addf(&body, "\n],\n\"left_out\": [%s]\n}\n", k->n_left ? k->left.s : "");
        if (body.oom || k->cells.oom || k->left.oom)
            s = at_oom(err);
        else {
            at_sha256(body.s, body.n, digest);
            at_text_addf(&out->text, "{\"attest-certificate\": \"%s\", \"digest\": \"%s\",\n",
                         AT_CERT_VERSION, digest);
            at_text_addn(&out->text, body.s, body.n);
        }
    }
    if (!s && out->text.oom)
        s = at_oom(err);
    at_text_release(&body);
    at_text_release(&k->cells);
    at_text_release(&k->left);
    out->cells = k->n_cells;
    out->left_out = k->n_left;
    out->holds = k->holds;
    out->why = k->why;
    out->models = models;
    out->n_models = k->n_models;
    return s;
}
