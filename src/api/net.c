/* net.c: models by handle: built, compiled, loaded, saved, described. */
#include <string.h>

#include <attest/claim.h>
#include <attest/front.h>

#include "api_internal.h"

at_status api_net(at_model *m, at_net **out, at_err *err)
{
    at_net *net = at_calloc(1, sizeof *net);
    if (!net) {
        at_model_release(m);
        return at_oom(err);
    }
    net->m = *m; /* what it owns hangs on its arena, which moves along */
    *out = net;
    return AT_OK;
}

void at_net_free(at_net *net)
{
    if (!net)
        return;
    at_model_release(&net->m);
    at_free(net->path);
    at_free(net);
}

/* ---- where they come from --------------------------------------------------------------------------------- */

static at_status claim_model(const at_claim *c, const char *set, at_model *m, at_err *err)
{
    const at_task *task;
    at_params p, tp;
    at_params_init(&p, c->params, c->n_params);
    p.of = c->problem;
    at_status s = set ? at_params_parse(&p, set, err) : AT_OK;
    if (!s)
        s = at_claim_task(c, &p, &task, &tp, err);
    return s ? s : at_claim_model(c, &p, m, err);
}

at_status at_net_build(const char *claim, const char *set, at_net **out, at_err *err)
{
    api_begin(err);
    if (api_need("claim", claim, err))
        return AT_EINPUT;
    const at_claim *c = NULL;
    at_claim_file *file = NULL;
    at_model m;
    at_status s =
        at_ends_with(claim, ".claim") ? at_claim_file_load(claim, &file, err) : at_claim_need(claim, &c, err);
    if (!s)
        s = claim_model(file ? at_claim_file_claim(file) : c, set, &m, err);
    at_claim_file_free(file);
    return s ? s : api_net(&m, out, err);
}

/* What the caller wants compiled: a file or a name, or a text in some language. */
static at_status text_open(const char *text, const char *kind, const char *alphabet, at_reading *r,
                           at_err *err)
{
    if (!kind)
        return at_front_open_over(text, alphabet, r, err);
    at_guess g = {kind};
    const at_front *f = NULL;
    for (int k = 0; k < at_n_fronts && !f; k++) {
        f = strcmp(at_fronts[k]->lang->id, kind) == 0 ? at_fronts[k] : NULL;
        at_guess_add(&g, at_fronts[k]->lang->id);
    }
    if (!f)
        return at_guess_fail(&g, "language", "attest compile --help", err);
    if (f->lang->line)
        return at_front_open_line(kind, text, alphabet, r, err);
    if (alphabet)
        return at_fail(err, AT_EREFUSED, "an alphabet beside a text in %s, which says its own", kind);
    *r = (at_reading){.front = f, .word = "text"};
    return at_problem_parse(kind, "text", text, strlen(text), &r->problem, err);
}

at_status at_net_compile(const char *text, const char *set, const char *how, at_net **out, at_err *err)
{
    api_begin(err);
    if (api_need("text", text, err))
        return AT_EINPUT;
    const char *kind = NULL, *alphabet = NULL, *attention = NULL, *precision = NULL;
    const option known[] = {{"kind", OPTION_TEXT, &kind},
                            {"alphabet", OPTION_TEXT, &alphabet},
                            {"attention", OPTION_TEXT, &attention},
                            {"precision", OPTION_TEXT, &precision}};
    at_arena a;
    at_arith arith;
    at_reading r = {0};
    at_said said;
    at_model m;
    at_front_options o = {.arith = NULL};
    at_arena_init(&a);
    at_said_init(&said);
    at_status s = options_read(how, known, OPTIONS(known), &a, err);
    if (!s)
        s = api_precision(precision, &arith, err);
    if (!s)
        s = text_open(text, kind, alphabet, &r, err);
    if (!s)
        s = at_front_kind(r.front, attention, &o.attention, err);
    o.arith = precision ? &arith : NULL;
    if (!s)
        s = at_front_compile(&r, set ? set : "", &o, &m, &said, err);
    if (!s)
        s = api_net(&m, out, err);
    at_said_release(&said);
    at_reading_release(&r);
    at_arena_release(&a);
    return s;
}

at_status at_net_load(const char *path, at_net **out, at_err *err)
{
    api_begin(err);
    if (api_need("path", path, err))
        return AT_EINPUT;
    at_model m;
    at_net *net;
    at_status s = at_model_load(&m, path, err);
    if (!s)
        s = api_net(&m, &net, err);
    if (s)
        return s;
    net->path = at_malloc(strlen(path) + 1);
    if (!net->path) {
        at_net_free(net);
        return at_oom(err);
    }
    strcpy(net->path, path);
    *out = net;
    return AT_OK;
}

at_status at_net_parse(const void *bytes, size_t n, at_net **out, at_err *err)
{
    api_begin(err);
    at_model m;
    at_status s = at_model_parse(&m, bytes, n, "bytes", err);
    return s ? s : api_net(&m, out, err);
}

at_status at_net_copy(const at_net *net, at_net **out, at_err *err)
{
    api_begin(err);
    at_model m;
    at_status s = at_model_copy(&net->m, &m, err);
    return s ? s : api_net(&m, out, err);
}

/* ---- where they go ------------------------------------------------------------------------------------------ */

at_status api_model(const at_net *net, at_model *out, at_err *err)
{
    *out = net->m;
    for (size_t k = 0; out->f32 && k < out->n_weights; k++)
        out->f32 = (double)(float)out->weights[k] == out->weights[k];
    return at_model_validate(out, err);
}

at_status at_net_save(const at_net *net, const char *path, at_err *err)
{
    api_begin(err);
    if (api_need("path", path, err))
        return AT_EINPUT;
    at_model m;
    at_status s = api_model(net, &m, err);
    return s ? s : at_model_save(&m, path, err);
}

at_status at_net_image(const at_net *net, void **bytes, size_t *n, at_err *err)
{
    api_begin(err);
    at_model m;
    char *image;
    at_status s = api_model(net, &m, err);
    if (!s)
        s = at_model_image(&m, &image, n, err);
    if (!s)
        *bytes = image;
    return s;
}

/* ---- what they are ---------------------------------------------------------------------------------------------- */

static json_t *size_json(const at_model *m)
{
    at_size z;
    at_model_size(m, &z);
    json_t *j = result_set(json_object(), "layers", json_integer(z.layers));
    j = result_set(j, "heads", json_integer(z.heads));
    j = result_set(j, "head_width", json_integer(z.head_dim));
    j = result_set(j, "mlps", json_integer(z.mlps));
    j = result_set(j, "rnns", json_integer(z.rnns));
    j = result_set(j, "hidden", json_integer(z.hidden));
    j = result_set(j, "width", json_integer(z.width));
    j = result_set(j, "parameters", json_integer((json_int_t)z.parameters));
    j = result_set(j, "nonzero", json_integer((json_int_t)z.nonzero));
    return result_set(j, "largest", result_number(z.largest));
}

static json_t *words_json(const at_word *words, int n)
{
    json_t *all = words ? json_array() : json_null();
    for (int k = 0; words && k < n; k++)
        all = result_add(all, result_text(words[k].s));
    return all;
}

static json_t *fields_json(const at_model *m)
{
    json_t *all = json_array();
    for (int k = 0; k < m->n_fields; k++) {
        const at_field *f = &m->fields[k];
        bool numbers = f->kind == AT_FIELD_REAL || f->kind == AT_FIELD_INT;
        json_t *j = result_set(json_object(), "name", result_text(f->name));
        j = result_set(j, "kind", result_text(at_field_names[f->kind]));
        j = result_set(j, "size", json_integer(f->size));
        j = result_set(j, "numbers", json_integer(at_field_width(f)));
        j = result_set(j, "least", numbers ? result_number(f->lo) : json_null());
        j = result_set(j, "most", numbers ? result_number(f->hi) : json_null());
        all = result_add(all, result_set(j, "words", words_json(f->words, f->size)));
    }
    return all;
}

static json_t *groups_json(const at_block *b)
{
    json_t *all = json_array();
    for (int k = 0; k < b->n_groups; k++) {
        const at_group *g = &b->groups[k];
        json_t *j = result_set(json_object(), "heads", json_integer(g->heads));
        j = result_set(j, "key_width", json_integer(g->dk));
        j = result_set(j, "value_width", json_integer(g->dv));
        j = result_set(j, "weighting", result_text(at_weighting_names[g->weighting]));
        j = result_set(j, "mask", result_text(at_mask_names[g->mask.kind]));
        j = result_set(j, "post", result_text(at_post_names[g->post]));
        j = result_set(j, "scale", result_number(g->scale));
        all = result_add(all, result_set(j, "name", result_text(g->name)));
    }
    return all;
}

static json_t *blocks_json(const at_model *m)
{
    json_t *all = json_array();
    for (int k = 0; k < m->n_blocks; k++) {
        const at_block *b = &m->blocks[k];
        json_t *j = result_set(json_object(), "kind", result_text(at_block_names[b->kind]));
        j = result_set(j, "residual", json_boolean(b->residual));
        j = result_set(j, "norm", result_text(at_norm_names[b->norm]));
        if (b->kind == AT_BLOCK_ATTN)
            j = result_set(j, "groups", groups_json(b));
        all = result_add(all, j);
    }
    return all;
}

static json_t *readout_json(const at_readout *r)
{
    json_t *j = result_set(json_object(), "kind", result_text(at_read_names[r->kind]));
    j = result_set(j, "rows", json_integer(r->rows));
    j = result_set(j, "last", json_boolean(r->last));
    return result_set(j, "words", words_json(r->words, at_readout_words(r)));
}

static json_t *decode_json(const at_decode *d)
{
    if (!d->enabled)
        return json_null();
    json_t *j = result_set(json_object(), "stop", result_text(at_stop_names[d->stop]));
    j = result_set(j, "max_steps", json_integer(d->max_steps));
    j = result_set(j, "prompt_min", json_integer(d->prompt_min));
    return result_set(j, "prompt_max", json_integer(d->prompt_max));
}

static json_t *subspaces_json(const at_model *m)
{
    json_t *all = json_array();
    for (int k = 0; k < m->n_subspaces; k++) {
        json_t *j = result_set(json_object(), "name", result_text(m->subspaces[k].name));
        j = result_set(j, "column", json_integer(m->subspaces[k].col));
        all = result_add(all, result_set(j, "width", json_integer(m->subspaces[k].width)));
    }
    return all;
}

at_status at_net_about(const at_net *net, at_result **out, at_err *err)
{
    api_begin(err);
    const at_model *m = &net->m;
    char hash[65];
    at_status s = at_model_hash(m, hash, err);
    if (s)
        return s;
    json_t *j = result_set(json_object(), "name", result_text(m->name));
    j = result_set(j, "problem", result_text(m->problem));
    j = result_set(j, "arithmetic", result_text(m->arithmetic));
    j = result_set(j, "hash", result_text(hash));
    j = result_set(j, "decoder", json_boolean(m->decode.enabled));
    j = result_set(j, "least_length", json_integer(m->n_min));
    j = result_set(j, "most_length", json_integer(m->n_max));
    j = result_set(j, "prefix", json_integer(m->n_prefix));
    j = result_set(j, "suffix", json_integer(m->n_suffix));
    j = result_set(j, "size", size_json(m));
    j = result_set(j, "fields", fields_json(m));
    j = result_set(j, "blocks", blocks_json(m));
    j = result_set(j, "readout", readout_json(&m->readout));
    j = result_set(j, "decode", decode_json(&m->decode));
    return result_end(result_set(j, "subspaces", subspaces_json(m)), out, err);
}

int at_net_tensors(const at_net *net)
{
    return net->m.n_tensors;
}

double *at_net_tensor(const at_net *net, int i, const char **name, size_t *rows, size_t *columns)
{
    if (i < 0 || i >= net->m.n_tensors)
        return NULL;
    const at_tensor *t = &net->m.tensors[i];
    if (name)
        *name = t->name;
    if (rows)
        *rows = (size_t)t->shape[0];
    if (columns)
        *columns = t->rank > 1 ? (size_t)t->shape[1] : 0;
    return at_model_data(&net->m, i);
}
