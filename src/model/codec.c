/* codec.c: the architecture as JSON, one description for both directions.
 *
 * Every part of an architecture has one function here that lists its keys; run with `write` it builds a
 * JSON object from the part, otherwise it fills the part from the object. So what is written is what is
 * read, and a key exists in one place. Reading is strict: a missing key, a key nobody asked for, a value
 * of the wrong type are refused by name, with the place ("blocks[3].groups[0]").
 *
 * Written JSON is canonical: sorted keys, no blanks, doubles with 17 digits, only the keys a kind uses.
 * Reading leaves what a kind does not use at zero, and leaves ranges to model_check. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "model_internal.h"

#define KEYS_MAX 24 /* of one part */

/* ---- one object, being read or written ---------------------------------------------------------- */

typedef struct codec {
    bool write;
    json_t *o;
    at_arena *arena; /* reading: where arrays go */
    const char *path;
    char where[96]; /* "" or "blocks[3].groups[0]." */
    at_err *err;
    at_status status;           /* once failed, every call is a no-op */
    const char *seen[KEYS_MAX]; /* reading: keys asked for */
    int n_seen;
} codec;

static void refuse(codec *c, const char *key, const char *why)
{
    c->status = at_fail(c->err, AT_EINPUT, "%s: architecture: %s%s %s", c->path, c->where, key, why);
}

static void put(codec *c, const char *key, json_t *v)
{
    if (!v || json_object_set_new(c->o, key, v) < 0)
        c->status = at_oom(c->err);
}

/* The value of a key that must be there; NULL when this call has nothing to do. */
static json_t *get(codec *c, const char *key)
{
    json_t *v = json_object_get(c->o, key);
    c->seen[c->n_seen++] = key;
    if (!v)
        refuse(c, key, "is missing");
    return v;
}

static void io_int(codec *c, const char *key, int *v)
{
    if (c->status != AT_OK)
        return;
    if (c->write) {
        put(c, key, json_integer(*v));
        return;
    }
    json_t *j = get(c, key);
    if (!j)
        return;
    json_int_t k = json_integer_value(j);
    if (!json_is_integer(j) || k < INT_MIN || k > INT_MAX)
        refuse(c, key, "is not an integer of 32 bits");
    else
        *v = (int)k;
}

static void io_double(codec *c, const char *key, double *v)
{
    if (c->status != AT_OK)
        return;
    if (c->write) {
        put(c, key, json_real(*v));
        return;
    }
    json_t *j = get(c, key);
    if (j && !json_is_number(j))
        refuse(c, key, "is not a number");
    else if (j)
        *v = json_number_value(j);
}

static void io_bool(codec *c, const char *key, bool *v)
{
    if (c->status != AT_OK)
        return;
    if (c->write) {
        put(c, key, json_boolean(*v));
        return;
    }
    json_t *j = get(c, key);
    if (j && !json_is_boolean(j))
        refuse(c, key, "is not true or false");
    else if (j)
        *v = json_is_true(j);
}

static void io_name(codec *c, const char *key, char v[AT_NAME_MAX + 1])
{
    if (c->status != AT_OK)
        return;
    if (c->write) {
        put(c, key, json_string(v));
        return;
    }
    json_t *j = get(c, key);
    if (j && (!json_is_string(j) || json_string_length(j) > AT_NAME_MAX))
        refuse(c, key, "is not a string of at most 63 bytes");
    else if (j)
        memcpy(v, json_string_value(j), json_string_length(j) + 1);
}

/* Returns the kind named by key, or kind itself when writing or failing. */
static int io_kind(codec *c, const char *key, int kind, const char *const *names, int n)
{
    if (c->status != AT_OK)
        return kind;
    if (c->write) {
        put(c, key, json_string(names[kind]));
        return kind;
    }
    json_t *j = get(c, key);
    if (!j)
        return kind;
    if (!json_is_string(j)) {
        refuse(c, key, "is not a string");
        return kind;
    }
    for (int k = 0; k < n; k++)
        if (strcmp(json_string_value(j), names[k]) == 0)
            return k;
    const char *near = at_nearest(json_string_value(j), names, (size_t)n);
    c->status =
        at_fail(c->err, AT_EINPUT, "%s: architecture: %s%s \"%s\" is unknown%s%s%s", c->path, c->where, key,
                json_string_value(j), near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return kind;
}
/* Assigns only when reading: models that are written may be shared between threads. */
#define IO_KIND(c, key, lvalue, names)                                                                       \
    do {                                                                                                     \
        int kind_ = io_kind((c), (key), (int)(lvalue), (names), (int)(sizeof(names) / sizeof *(names)));     \
        if (!(c)->write)                                                                                     \
            (lvalue) = kind_;                                                                                \
    } while (0)

static void object_end(codec *c)
{
    const char *key;
    json_t *value;
    if (c->status != AT_OK || c->write || json_object_size(c->o) == (size_t)c->n_seen)
        return;
    json_object_foreach(c->o, key, value)
    {
        bool known = false;
        for (int k = 0; k < c->n_seen && !known; k++)
            known = strcmp(key, c->seen[k]) == 0;
        if (!known) {
            refuse(c, key, "is not a key that is known here");
            return;
        }
    }
}

/* A part in its own object, under key; index >= 0 says which element of an array it is. */
typedef void io_part(codec *c, void *part);
static void io_object(codec *c, json_t *o, const char *key, int index, io_part *io, void *part)
{
    codec child = {.write = c->write, .o = o, .arena = c->arena, .path = c->path, .err = c->err};
    char number[16] = "";
    if (index >= 0)
        snprintf(number, sizeof number, "[%d]", index);
    snprintf(child.where, sizeof child.where, "%.60s%.12s%s.", c->where, key, number);
    if (!json_is_object(o)) {
        refuse(&child, "", "is not an object");
    } else {
        io(&child, part);
        object_end(&child);
    }
    c->status = child.status;
}

static void io_one(codec *c, const char *key, io_part *io, void *part)
{
    if (c->status != AT_OK)
        return;
    json_t *o = c->write ? json_object() : get(c, key);
    if (c->write)
        put(c, key, o);
    if (c->status == AT_OK)
        io_object(c, o, key, -1, io, part);
}

static void array_write(codec *c, const char *key, char *items, int n, size_t size, io_part *io)
{
    json_t *array = json_array();
    put(c, key, array);
    for (int k = 0; k < n && c->status == AT_OK; k++) {
        json_t *o = json_object();
        if (!o || json_array_append_new(array, o) < 0)
            c->status = at_oom(c->err);
        else
            io_object(c, o, key, k, io, items + (size_t)k * size);
    }
}

/* Counts are checked before anything is allocated for them. Returns the items, or items when writing. */
static void *io_array(codec *c, const char *key, void *items, int *n, size_t size, int max, io_part *io)
{
    if (c->status != AT_OK)
        return items;
    if (c->write) {
        array_write(c, key, items, *n, size, io);
        return items;
    }
    json_t *array = get(c, key);
    if (!array)
        return NULL;
    if (!json_is_array(array) || json_array_size(array) > (size_t)max) {
        c->status = at_fail(c->err, AT_EINPUT, "%s: architecture: %s%s is not an array of at most %d",
                            c->path, c->where, key, max);
        return NULL;
    }
    int count = (int)json_array_size(array);
    char *made = count ? at_arena_alloc(c->arena, (size_t)count, size) : NULL;
    if (count && !made) {
        c->status = at_oom(c->err);
        return NULL;
    }
    for (int k = 0; k < count && c->status == AT_OK; k++)
        io_object(c, json_array_get(array, (size_t)k), key, k, io, made + (size_t)k * size);
    *n = count;
    return made;
}
#define IO_ARRAY(c, key, items, n, max, io)                                                                  \
    do {                                                                                                     \
        void *made_ = io_array((c), (key), (items), &(n), sizeof *(items), (max), (io));                     \
        if (!(c)->write)                                                                                     \
            (items) = made_;                                                                                 \
    } while (0)

/* ---- the parts ---------------------------------------------------------------------------------- */

static void io_embed(codec *c, at_embed *e)
{
    io_int(c, "col", &e->col);
    io_int(c, "width", &e->width);
}

/* An array of n strings. Reading leaves it to model_check that they are as many as the tokens. */
static void io_words(codec *c, const char *key, at_word **words, int n)
{
    if (c->status != AT_OK)
        return;
    json_t *array = c->write ? json_array() : get(c, key);
    if (c->write) {
        put(c, key, array);
        for (int k = 0; k < n && c->status == AT_OK; k++)
            if (json_array_append_new(array, json_string((*words)[k].s)) < 0)
                c->status = at_oom(c->err);
        return;
    }
    if (!json_is_array(array) || n < 0 || n > AT_MAX_WORDS || json_array_size(array) != (size_t)n) {
        refuse(c, key, "is not an array of as many strings as there are tokens, or decisions, at most 4096");
        return;
    }
    at_word *made = at_new(c->arena, at_word, n);
    if (!made) {
        c->status = at_oom(c->err);
        return;
    }
    for (int k = 0; k < n; k++) {
        json_t *j = json_array_get(array, (size_t)k);
        if (!json_is_string(j) || json_string_length(j) > AT_WORD_MAX) {
            refuse(c, key, "holds something that is not a string of at most 31 bytes");
            return;
        }
        memcpy(made[k].s, json_string_value(j), json_string_length(j) + 1);
    }
    *words = made;
}

static void io_field(codec *c, void *part)
{
    at_field *f = part;
    io_name(c, "name", f->name);
    IO_KIND(c, "kind", f->kind, at_field_names);
    io_int(c, "size", &f->size);
    if (f->kind == AT_FIELD_SUBSET)
        io_int(c, "pick", &f->pick);
    if (f->kind == AT_FIELD_REAL || f->kind == AT_FIELD_INT) {
        io_double(c, "lo", &f->lo);
        io_double(c, "hi", &f->hi);
    }
    io_embed(c, &f->embed);
    /* A key that may be missing: then tokens are numbers. */
    if (f->kind == AT_FIELD_TOKEN && (c->write ? f->words != NULL : json_object_get(c->o, "words") != NULL))
        io_words(c, "words", &f->words, f->size);
}

static void io_pos(codec *c, void *part)
{
    at_pos *p = part;
    IO_KIND(c, "kind", p->kind, at_pos_names);
    if (at_pos_is(p->kind, AT_IS_SIZED))
        io_int(c, "size", &p->size);
    if (at_pos_is(p->kind, AT_IS_SHIFTED))
        io_int(c, "shift", &p->shift);
    io_embed(c, &p->embed);
}

typedef struct {
    int *count;
    at_embed *embed;
} extra; /* prefix or suffix rows */

static void io_extra(codec *c, void *part)
{
    extra *x = part;
    io_int(c, "count", x->count);
    if (*x->count)
        io_embed(c, x->embed);
}

static void io_mask(codec *c, void *part)
{
    at_mask *k = part;
    IO_KIND(c, "kind", k->kind, at_mask_names);
    if (at_mask_is(k->kind, AT_IS_BLOCKS)) {
        io_int(c, "block", &k->block);
        io_int(c, "windows", &k->windows);
        io_int(c, "ends", &k->ends);
    }
}

/* Is a key there that may be missing? When writing: where the model has it. */
static bool may(const codec *c, const char *key, bool has)
{
    return c->write ? has : json_object_get(c->o, key) != NULL;
}

/* A boolean that is written only where it is true. */
static void io_flag(codec *c, const char *key, bool *v)
{
    if (may(c, key, *v))
        io_bool(c, key, v);
}

static void io_rotary(codec *c, void *part)
{
    at_rotary *r = part;
    io_int(c, "width", &r->width);
    io_double(c, "theta", &r->theta);
    IO_KIND(c, "pairing", r->pairing, at_pairing_names);
}

static void io_norm_kind(codec *c, at_norm_kind *k)
{
    if (may(c, "norm_kind", *k != AT_NORM_LAYER))
        IO_KIND(c, "norm_kind", *k, at_norm_kind_names);
}

static void io_group(codec *c, void *part)
{
    at_group *g = part;
    io_int(c, "heads", &g->heads);
    io_int(c, "dk", &g->dk);
    io_int(c, "dv", &g->dv);
    IO_KIND(c, "weighting", g->weighting, at_weighting_names);
    IO_KIND(c, "post", g->post, at_post_names);
    io_double(c, "scale", &g->scale);
    /* those that choose one key may leave it out: then it is 0 */
    bool one = at_weighting_is(g->weighting, AT_IS_ONE);
    if ((at_weighting_hard(g->weighting) && !one) ||
        (one && (c->write ? g->tie != 0 : json_object_get(c->o, "tie") != NULL)))
        io_double(c, "tie", &g->tie);
    io_one(c, "mask", io_mask, &g->mask);
    io_bool(c, "bias", &g->bias);
    if (may(c, "rotary", g->rotary.width != 0))
        io_one(c, "rotary", io_rotary, &g->rotary);
    if (c->status == AT_OK && !c->write && !g->rotary.width && json_object_get(c->o, "rotary") != NULL)
        refuse(c, "rotary", "has width 0");
    io_flag(c, "alibi", &g->alibi);
    if (may(c, "rounded", g->rounded != 0))
        io_int(c, "rounded", &g->rounded);
    if (c->status == AT_OK && !c->write && !g->rounded && json_object_get(c->o, "rounded") != NULL)
        refuse(c, "rounded", "is 0");
}

static void io_dense(codec *c, void *part)
{
    at_dense *d = part;
    io_int(c, "rows", &d->rows);
}

static void io_block(codec *c, void *part)
{
    at_block *b = part;
    IO_KIND(c, "kind", b->kind, at_block_names);
    io_bool(c, "residual", &b->residual);
    IO_KIND(c, "norm", b->norm, at_norm_names);
    if (b->norm != AT_NORM_NONE) {
        io_double(c, "norm_eps", &b->norm_eps);
        io_norm_kind(c, &b->norm_kind);
    }
    io_flag(c, "parallel", &b->parallel);
    if (b->kind == AT_BLOCK_MLP)
        io_flag(c, "gated", &b->gated);
    if (b->kind == AT_BLOCK_ATTN) {
        IO_ARRAY(c, "groups", b->groups, b->n_groups, AT_MAX_GROUPS, io_group);
    } else if (b->kind == AT_BLOCK_RNN) {
        IO_KIND(c, "cell", b->rnn.cell, at_rnn_cell_names);
        io_int(c, "state", &b->rnn.state);
    } else {
        IO_KIND(c, "act", b->act, at_act_names);
        IO_ARRAY(c, "layers", b->dense, b->n_dense, MODEL_MAX_DENSE, io_dense);
    }
}

static void io_readout(codec *c, void *part)
{
    at_readout *r = part;
    IO_KIND(c, "kind", r->kind, at_read_names);
    io_int(c, "rows", &r->rows);
    if (r->kind == AT_READ_THRESHOLD)
        io_double(c, "threshold", &r->threshold);
    io_bool(c, "last", &r->last);
    io_bool(c, "final_norm", &r->final_norm);
    if (r->final_norm) {
        io_double(c, "norm_eps", &r->norm_eps);
        io_norm_kind(c, &r->norm_kind);
    }
    io_flag(c, "tied", &r->tied);
    /* A key that may be missing: then decisions are numbers, or tokens. */
    if (at_readout_words(r) && (c->write ? r->words != NULL : json_object_get(c->o, "words") != NULL))
        io_words(c, "words", &r->words, at_readout_words(r));
}

/* An array of n numbers. Reading leaves it to model_check that they are as many as a row has. */
static void io_numbers(codec *c, const char *key, double **v, int *n)
{
    if (c->status != AT_OK)
        return;
    json_t *array = c->write ? json_array() : get(c, key);
    if (c->write) {
        put(c, key, array);
        for (int k = 0; k < *n && c->status == AT_OK; k++)
            if (json_array_append_new(array, json_real((*v)[k])) < 0)
                c->status = at_oom(c->err);
        return;
    }
    if (!array)
        return;
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count < 1 || count > AT_MAX_WIDTH) {
        refuse(c, key, "is not an array of 1..65536 numbers");
        return;
    }
    double *made = at_new(c->arena, double, count);
    if (!made) {
        c->status = at_oom(c->err);
        return;
    }
    for (size_t k = 0; k < count && c->status == AT_OK; k++) {
        json_t *j = json_array_get(array, k);
        made[k] = json_number_value(j);
        if (!json_is_number(j))
            refuse(c, key, "holds something that is not a number");
    }
    *v = made;
    *n = (int)count;
}

static void io_stretch(codec *c, void *part)
{
    at_stretch *s = part;
    int highs = s->width;
    io_int(c, "rows_min", &s->rows_min);
    io_int(c, "rows_max", &s->rows_max);
    io_numbers(c, "lo", &s->lo, &s->width);
    io_numbers(c, "hi", &s->hi, &highs);
    if (c->status == AT_OK && highs != s->width)
        refuse(c, "hi", "has another length than lo");
}

static void io_decode(codec *c, void *part)
{
    at_decode *d = part;
    IO_KIND(c, "stop", d->stop, at_stop_names);
    if (d->stop == AT_STOP_EQUALS) {
        io_int(c, "coordinate", &d->coordinate);
        io_double(c, "value", &d->value);
    }
    io_int(c, "max_steps", &d->max_steps);
    io_int(c, "prompt_min", &d->prompt_min);
    io_int(c, "prompt_max", &d->prompt_max);
    /* A key that may be missing: then rows of prompts are any rows. */
    if (c->write ? d->prompt != NULL : json_object_get(c->o, "prompt") != NULL)
        IO_ARRAY(c, "prompt", d->prompt, d->n_prompt, AT_MAX_STRETCHES, io_stretch);
    if (c->status == AT_OK && !c->write && !d->prompt && json_object_get(c->o, "prompt") != NULL)
        refuse(c, "prompt", "is empty");
}

static void io_subspace(codec *c, void *part)
{
    at_subspace *s = part;
    io_name(c, "name", s->name);
    io_int(c, "col", &s->col);
    io_int(c, "width", &s->width);
}

static void io_model(codec *c, at_model *m)
{
    int version = MODEL_FORMAT;
    io_int(c, "version", &version);
    if (c->status == AT_OK && version != MODEL_FORMAT) {
        c->status =
            at_fail(c->err, AT_EINPUT, "%s: format version %d; this build reads version %d%s", c->path,
                    version, MODEL_FORMAT, version > MODEL_FORMAT ? " (the file is newer)" : "");
        return;
    }
    io_name(c, "name", m->name);
    io_int(c, "width", &m->width);
    io_int(c, "n_min", &m->n_min);
    io_int(c, "n_max", &m->n_max);
    io_int(c, "pos_origin", &m->pos_origin);
    IO_ARRAY(c, "fields", m->fields, m->n_fields, AT_MAX_FIELDS, io_field);
    IO_ARRAY(c, "positions", m->pos, m->n_pos, MODEL_MAX_POS, io_pos);
    io_one(c, "prefix", io_extra, &(extra){&m->n_prefix, &m->prefix});
    io_one(c, "suffix", io_extra, &(extra){&m->n_suffix, &m->suffix});
    IO_ARRAY(c, "blocks", m->blocks, m->n_blocks, AT_MAX_BLOCKS, io_block);
    io_one(c, "readout", io_readout, &m->readout);
    if (!c->write) /* a key that may be missing: then the model is no decoder */
        m->decode.enabled = json_object_get(c->o, "decode") != NULL;
    if (m->decode.enabled)
        io_one(c, "decode", io_decode, &m->decode);
    IO_ARRAY(c, "subspaces", m->subspaces, m->n_subspaces, AT_MAX_WIDTH, io_subspace);
    io_bool(c, "f32", &m->f32);
}

char *model_arch_print(const at_model *m, at_err *err)
{
    model_json_begin();
    codec c = {.write = true, .o = json_object(), .path = "model", .err = err};
    char *text = NULL;
    if (c.o) {
        io_model(&c, (at_model *)m); /* writing only reads the model */
        if (c.status == AT_OK)
            text = json_dumps(c.o, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
        json_decref(c.o);
    }
    /* A checked model has finite numbers and UTF-8 names: only memory can fail. */
    if (model_json_oom() || !text) {
        at_oom(err);
        at_free(text);
        return NULL;
    }
    return text;
}

at_status model_arch_parse(at_model *m, const char *s, size_t n, const char *path, at_err *err)
{
    at_err mine = {0};
    json_t *o = model_json_parse(s, n, path, "architecture", &mine);
    if (!o)
        return at_fail(err, mine.code, "%s", mine.text);
    codec c = {.o = o, .arena = &m->arena, .path = path, .err = err};
    io_model(&c, m);
    object_end(&c);
    model_json_free(o);
    return c.status;
}
