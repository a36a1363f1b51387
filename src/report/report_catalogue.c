/* report_catalogue.c: what the report shows of a claim that has rows, besides these: the proof, the program, the weights, a
 * look at its attention, plots of its tables; and the map of what they are about. */
#include "report_internal.h"

#include <attest/claim.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one claim ---------------------------------------------------------------------------------------------- */

/* A few numbers are shown in full. */
static const char *values_print(const double *w, size_t n, at_arena *a)
{
    enum { MOST = 16 };
    char number[32];
    at_text t;
    if (n > MOST)
        return NULL;
    at_text_init(&t);
    for (size_t i = 0; i < n; i++)
        at_text_addf(&t, "%s%s", i ? " " : "", at_number_text(number, w[i]));
    char *copy = t.oom ? NULL : at_arena_strdup(a, t.s ? t.s : "");
    at_text_release(&t);
    return copy;
}

static at_status weights_show(const at_model *m, at_arena *a, at_report_claim *out, at_err *err)
{
    enum { MOST = 24 };
    int n = m->n_tensors < MOST ? m->n_tensors : MOST;
    at_report_tensor *all = at_new(a, at_report_tensor, n + 1);
    char *hash = at_new(a, char, 65);
    if (!all || !hash)
        return at_oom(err);
    for (int i = 0; i < n; i++) {
        const at_tensor *z = &m->tensors[i];
        const double *w = at_model_data(m, i);
        at_report_tensor *to = &all[i];
        to->name = at_arena_strdup(a, z->name);
        to->shape = z->rank == 2 ? at_arena_printf(a, "%lld \xC3\x97 %lld", (long long)z->shape[0],
                                                   (long long)z->shape[1])
                                 : at_arena_printf(a, "%lld", (long long)z->shape[0]);
        for (size_t k = 0; k < z->count; k++) {
            to->nonzero += w[k] != 0;
            to->largest = fabs(w[k]) > to->largest ? fabs(w[k]) : to->largest;
        }
        to->values = values_print(w, z->count, a);
        if (!to->name || !to->shape)
            return at_oom(err);
    }
    out->tensors = all;
    out->n_tensors = n;
    out->more_tensors = m->n_tensors - n;
    out->hash = hash;
    return at_model_hash(m, hash, err);
}

static at_status size_show(const at_model *m, const char *params, at_arena *a, at_report_claim *out,
                           at_err *err)
{
    at_size z;
    at_model_size(m, &z);
    char heads[64] = "no attention", width[32] = "";
    if (z.layers) {
        snprintf(heads, sizeof heads, "%d attention layer%s, %d head%s", z.layers, z.layers == 1 ? "" : "s",
                 z.heads, z.heads == 1 ? "" : "s");
        snprintf(width, sizeof width, "head width %d, ", z.head_dim);
    }
    out->size =
        at_arena_printf(a, "%s, residual width %d, %sMLP width %d, %zu parameters (%zu not zero) at %s",
                        heads, z.width, width, z.hidden, z.parameters, z.nonzero, params);
    return out->size ? AT_OK : at_oom(err);
}

/* The attention on the claim's input; nothing for a model without any. */
static at_status look_show(const at_claim *c, const at_model *m, at_arena *a, at_report_claim *out,
                           at_err *err)
{
    at_size z;
    at_input x;
    at_look l;
    at_text t;
    at_model_size(m, &z);
    at_status s = at_input_parse(m, c->look, a, &x, err);
    if (s || !z.layers)
        return s;
    at_text_init(&t);
    s = at_look_make(m, at_f64, &x, a, &l, err);
    l.plain = true;
    l.ids = at_arena_printf(a, "%s:axes", c->id); /* no anchor has a colon */
    if (!s)
        s = at_look_svg(&l, &t, err);
    if (!s && !(out->svg = at_arena_strdup(a, t.s)))
        s = at_oom(err);
    out->look = c->look;
    at_text_release(&t);
    return s;
}

static at_status program_show(const at_program *P, at_arena *a, at_report_claim *out, at_err *err)
{
    at_text t;
    at_text_init(&t);
    at_program_print(P, &t);
    out->program = t.oom ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    return out->program ? AT_OK : at_oom(err);
}

/* "N=8 M=17" as --set wants it. */
static char *set_of(const char *params, at_arena *a)
{
    char *set = at_arena_strdup(a, params);
    for (char *s = set; s && *s; s++)
        *s = *s == ' ' ? ',' : *s;
    return set;
}

/* The program, the weights and the attention at the parameters that are worth a look. */
static at_status claim_show(const at_claim *c, at_arena *a, at_report_claim *out, at_err *err)
{
    at_params p;
    at_params_init(&p, c->params, c->n_params);
    at_program *P = NULL;
    at_model m;
    at_status s = at_params_parse(&p, c->look_params, err);
    if (!s)
        s = at_claim_program(c, &p, &P, err);
    if (s)
        return s;
    s = program_show(P, a, out, err);
    at_status made = s ? s : at_claim_model(c, &p, &m, err);
    at_program_free(P);
    if (made)
        return made;
    if (!(out->look_set = set_of(c->look_params, a)))
        s = at_oom(err);
    if (!s)
        s = size_show(&m, c->look_params, a, out, err);
    if (!s)
        s = weights_show(&m, a, out, err);
    if (!s)
        s = look_show(c, &m, a, out, err);
    at_model_release(&m);
    return s;
}

/* ---- films of trainings ------------------------------------------------------------------------------------- */

typedef struct {
    const char *input;
    at_arena *a;
    at_look looks[AT_FILM_FRAMES];
    at_film_frame frames[AT_FILM_FRAMES];
    int n;
} projector;

static at_status frame_add(void *ctx, uint64_t step, const at_model *m, at_err *err)
{
    projector *j = ctx;
    at_input x;
    if (j->n == AT_FILM_FRAMES)
        return AT_OK;
    at_model *kept = at_new(j->a, at_model, 1);
    char *caption = at_arena_printf(j->a, "step %ju", (uintmax_t)step);
    at_status s = kept && caption ? at_input_parse(m, j->input, j->a, &x, err) : at_oom(err);
    if (!s)
        s = at_model_copy(m, kept, err); /* its shape is looked at when the film is drawn */
    if (s)
        return s;
    j->frames[j->n] = (at_film_frame){.look = &j->looks[j->n], .caption = caption};
    return at_look_rows(kept, at_f64, &x, j->a, &j->looks[j->n++], err);
}

static at_status film_show(const at_claim *c, at_arena *a, at_report_claim *out, at_err *err)
{
    at_params p;
    at_text t;
    projector *j = at_new(a, projector, 1);
    at_params_init(&p, c->params, c->n_params);
    at_text_init(&t);
    at_status s = j ? at_params_parse(&p, c->look_params, err) : at_oom(err);
    if (!s) {
        *j = (projector){.input = c->look, .a = a};
        s = c->film(&p, frame_add, j, err);
    }
    if (!s)
        s = at_film_svg(&(at_film){.title = c->title, .frames = j->frames, .n = j->n, .plain = true}, &t,
                        err);
    if (!s && (!(out->svg = at_arena_strdup(a, t.s)) || !(out->look_set = set_of(c->look_params, a))))
        s = at_oom(err);
    out->look = c->look;
    out->film = true;
    for (int k = 0; j && k < j->n; k++)
        at_model_release((at_model *)j->looks[k].model);
    at_text_release(&t);
    return s;
}

/* What claims with the same first word are about. */
static const char *group_of(const at_claim *c)
{
    static const char *const groups[][2] = {
        {"match", "Pairs and triples"},
        {"qsa", "Sparse averaging"},
        {"lemma", "Lemmas: products, masks, averages, look-ups"},
        {"dp", "Recurrences: decoders that write their table"},
        {"arith", "Expressions modulo a prime"},
        {"compose", "Function composition"},
        {"funccomp", "Function composition"},
    };
    if (c->group)
        return c->group;
    if (c->trial)
        return "Limits: what small models cannot do";
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        if (strncmp(c->id, groups[k][0], strlen(groups[k][0])) == 0)
            return groups[k][1];
    return "Others";
}

/* Without the verdicts of other builds: they are not this one's. NULL: out of memory. */
static const at_row *rows_of(const at_row *rows, size_t *n, const char *build, at_arena *a)
{
    at_row *kept = at_new(a, at_row, *n + 1);
    size_t k = 0;
    for (size_t i = 0; kept && i < *n; i++)
        if (at_row_is_trained(&rows[i]) || !build || !rows[i].key.build || !strcmp(rows[i].key.build, build))
            kept[k++] = rows[i];
    *n = k;
    return kept;
}

static bool has_rows(const at_claim *c, const at_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].key.subject && strcmp(rows[i].key.subject, c->id) == 0 && !at_row_is_trained(&rows[i]) &&
            !at_row_is_refutation(&rows[i]))
            return true;
    return false;
}

/* Is a panel of the map about something in the rows: a construction or a refuter that was checked, a stream that was learnt? */
static bool is_about(const at_map_panel *p, const at_row *rows, size_t n)
{
    const char *const names[] = {p->construction, p->refuted, p->trained};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++)
            if (names[j] && rows[i].key.subject && !strcmp(rows[i].key.subject, names[j]) &&
                at_row_is_trained(&rows[i]) == (j == 2))
                return true;
    return false;
}

/* The map, as far as it is about the rows. Panels are chosen first: each compiles what it draws. */
static at_status map_make(const at_row *rows, size_t n, const char *build, at_arena *a, at_map *out,
                          at_err *err)
{
    at_map_panel *kept = at_new(a, at_map_panel, at_n_map_panels + 1);
    int k = 0;
    if (!kept)
        return at_oom(err);
    for (int i = 0; i < at_n_map_panels; i++)
        if (is_about(&at_map_panels[i], rows, n))
            kept[k++] = at_map_panels[i];
    return at_map_make(kept, k, rows, n, build, a, out, err);
}

at_status at_report_catalogue(const at_report_about *about, const at_row *rows, size_t n, at_text *html,
                              at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    rows = rows_of(rows, &n, about->build, &a);
    at_report_claim *claims = rows ? at_new(&a, at_report_claim, (size_t)at_n_catalogue + n) : NULL;
    at_status s = claims ? AT_OK : at_oom(err);
    int k = 0;
    for (int i = 0; i < at_n_catalogue && !s; i++) {
        const at_claim *c = at_catalogue[i];
        if (!has_rows(c, rows, n))
            continue;
        claims[k] = (at_report_claim){.id = c->id,
                                      .title = c->title,
                                      .source = c->source,
                                      .statement = c->statement,
                                      .proof = c->proof,
                                      .group = group_of(c),
                                      .trial = c->trial != NULL,
                                      .limit = at_claim_is_limit(c)};
        s = c->film    ? film_show(c, &a, &claims[k], err)
            : c->trial ? AT_OK
                       : claim_show(c, &a, &claims[k], err);
        if (!s)
            s = at_report_plots(c, rows, n, &a, &claims[k], err);
        k++;
    }
    at_map map;
    if (!s)
        s = at_report_files(rows, n, &a, claims, &k, err);
    if (!s)
        s = map_make(rows, n, about->build, &a, &map, err);
    if (!s)
        s = at_report_with_map(about, claims, k, &map, rows, n, html, err);
    at_arena_release(&a);
    return s;
}
