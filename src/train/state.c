/* state.c: a training on disk.
 *
 * The file is safetensors (src/model/tensors.h), so anyone's tools can look into a training. Its tensors are, for every tensor NAME
 * of the trainer, weights.NAME, moment1.NAME and moment2.NAME, shaped (rows, cols), F32 or F64 as they lie in memory. Its metadata:
 *
 *     format            "attest-training"
 *     attest-training   JSON: {"version":3,"arithmetic":"f32","steps":7,"attention":"sparse","layers":2,...,
 *                       "norm_eps":"0x1.4f8b588e368f1p-17",...,"seed":"1"}; reals are C's hexadecimals, so that nothing is
 *                       rounded, and the seed is digits, because not every JSON has 64 bits
 *     attest            only of a training that started from a model: that model's architecture, as in a model's file.
 *                       The record then has "engine" and what at_train_options says in place of an architecture
 *     note              what the caller wants to stay beside exactly this state; may be missing
 *     sha256            of the three texts above, each followed by a line feed (a missing one: the line feed alone), then
 *                       weights, first and second moments, each in the order of the tensor table
 *
 * That is everything a later step depends on. There is no state of random numbers: dropout is a function of seed, step and
 * place, and batches are the caller's, from the step.
 *
 * The sum is of contents, not of the file: tools may sort tensors and keys otherwise. A stranger's file is a stranger's:
 * header, record, architecture, then the size that these ask for are checked before memory is taken for it; then names, types,
 * shapes and places of tensors, every number, and the sum. */
#include "train_internal.h"

#include "../model/tensors.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define VERSION     3
#define FORMAT      "attest-training"
#define PARTS       3
#define META_VALUES 16 /* of the header beside its tensors */

static const uint16_t byte_order = 1;
static const char *const part_names[PARTS] = {"weights", "moment1", "moment2"};

static const void *part_of(const at_trainer *t, int part)
{
    const void *of[PARTS] = {t->weights, t->moment1, t->moment2};
    return of[part];
}

static size_t part_bytes(const at_trainer *t)
{
    return t->plan.n * t->kernel->size;
}

/* ---- the record ------------------------------------------------------------------------------------------------- */

typedef enum { FIELD_INT, FIELD_BOOL, FIELD_REAL, FIELD_SEED } field_kind;

static const struct {
    const char *key;
    field_kind kind;
    size_t at; /* in at_train_arch */
    int least;
    bool option; /* also of a training that started from a model */
} fields[] = {
    {"layers", FIELD_INT, offsetof(at_train_arch, layers), 1, false},
    {"heads", FIELD_INT, offsetof(at_train_arch, heads), 1, false},
    {"width", FIELD_INT, offsetof(at_train_arch, width), 1, false},
    {"hidden", FIELD_INT, offsetof(at_train_arch, hidden), 1, false},
    {"vocabulary", FIELD_INT, offsetof(at_train_arch, vocabulary), 1, false},
    {"length", FIELD_INT, offsetof(at_train_arch, length), 1, true},
    {"block", FIELD_INT, offsetof(at_train_arch, block), 0, false},
    {"windows", FIELD_INT, offsetof(at_train_arch, windows), 0, false},
    {"ends", FIELD_INT, offsetof(at_train_arch, ends), 0, false},
    {"learned_positions", FIELD_BOOL, offsetof(at_train_arch, learned_positions), 0, false},
    {"embed_norm", FIELD_BOOL, offsetof(at_train_arch, embed_norm), 0, false},
    {"head_bias", FIELD_BOOL, offsetof(at_train_arch, head_bias), 0, false},
    {"norm_eps", FIELD_REAL, offsetof(at_train_arch, norm_eps), 0, false},
    {"dropout", FIELD_REAL, offsetof(at_train_arch, dropout), 0, true},
    {"seed", FIELD_SEED, offsetof(at_train_arch, seed), 0, true},
    {"slots", FIELD_INT, offsetof(at_train_arch, slots), 1, true},
};
#define N_FIELDS (sizeof fields / sizeof *fields)

typedef struct {
    at_train_arch a; /* based: the options among it */
    at_arith arith;
    uint64_t steps;
    bool based, plain;
} record;

void train_record_print(const at_trainer *t, at_text *out)
{
    const char *a = (const char *)&t->plan.a;
    at_text_addf(out, "{\"version\":%d,\"arithmetic\":\"%s\",\"steps\":%" PRIu64 ",\"%s\":\"%s\"", VERSION,
                 t->arith.kind == AT_F32 ? "f32" : "f64", t->steps, t->based ? "engine" : "attention",
                 !t->based       ? at_attention_names[t->plan.a.attention]
                 : t->plan.plain ? "plain"
                                 : "fast");
    for (size_t i = 0; i < N_FIELDS; i++) {
        if (t->based && !fields[i].option)
            continue;
        const void *v = a + fields[i].at;
        at_text_addf(out, ",\"%s\":", fields[i].key);
        if (fields[i].kind == FIELD_INT)
            at_text_addf(out, "%d", *(const int *)v);
        else if (fields[i].kind == FIELD_BOOL)
            at_text_add(out, *(const bool *)v ? "true" : "false");
        else if (fields[i].kind == FIELD_REAL)
            at_text_addf(out, "\"%a\"", *(const double *)v);
        else
            at_text_addf(out, "\"%" PRIu64 "\"", *(const uint64_t *)v);
    }
    at_text_add(out, "}");
}

static bool real_parse(const char *s, double *out)
{
    char *end;
    if (!s || strncmp(s, "0x", 2))
        return false;
    *out = strtod(s, &end);
    return !*end && isfinite(*out);
}

static bool seed_parse(const char *s, uint64_t *out)
{
    if (!s || !*s || s[strspn(s, "0123456789")])
        return false;
    errno = 0;
    *out = strtoull(s, NULL, 10);
    return errno == 0;
}

static at_status field_parse(const json_t *v, size_t i, at_train_arch *a, const char *path, at_err *err)
{
    void *to = (char *)a + fields[i].at;
    json_int_t k = json_integer_value(v);
    bool ok = true;
    const char *must = NULL;
    switch (fields[i].kind) {
    case FIELD_INT:
        must = fields[i].least ? "a positive integer" : "an integer that is not negative";
        if ((ok = json_is_integer(v) && k >= fields[i].least && k <= INT_MAX))
            *(int *)to = (int)k;
        break;
    case FIELD_BOOL:
        must = "true or false";
        ok = json_is_boolean(v);
        *(bool *)to = json_is_true(v);
        break;
    case FIELD_REAL:
        must = "a string with a hexadecimal real (0x1p-3)";
        ok = real_parse(json_string_value(v), to);
        break;
    case FIELD_SEED:
        must = "a string of digits, below 2^64";
        ok = seed_parse(json_string_value(v), to);
        break;
    }
    return ok ? AT_OK : at_fail(err, AT_EINPUT, "%s: " FORMAT ": %s must be %s", path, fields[i].key, must);
}

/* One of n names; -1: none, which is said. */
static int name_parse(const json_t *o, const char *key, const char *const *names, int n, const char *path,
                      at_err *err)
{
    const char *s = json_string_value(json_object_get(o, key));
    for (int k = 0; s && k < n; k++)
        if (!strcmp(s, names[k]))
            return k;
    at_fail(err, AT_EINPUT, "%s: " FORMAT ": %s \"%s\" is unknown", path, key, s ? s : "");
    return -1;
}

static at_status record_read(const json_t *o, record *r, const char *path, at_err *err)
{
    static const char *const numbers[] = {"f32", "f64"}, *const engines[] = {"fast", "plain"};
    const json_t *version = json_object_get(o, "version"), *steps = json_object_get(o, "steps");
    *r = (record){.based = json_object_get(o, "engine") != NULL};
    if (json_integer_value(version) != VERSION)
        return at_fail(err, AT_EINPUT, "%s: " FORMAT ": version must be %d", path, VERSION);
    if (!json_is_integer(steps) || json_integer_value(steps) < 0)
        return at_fail(err, AT_EINPUT, "%s: " FORMAT ": steps must be an integer that is not negative", path);
    r->steps = (uint64_t)json_integer_value(steps);
    int number = name_parse(o, "arithmetic", numbers, 2, path, err);
    int kind = number < 0 ? -1
               : r->based ? name_parse(o, "engine", engines, 2, path, err)
                          : name_parse(o, "attention", at_attention_names, AT_TRAINED_ATTENTIONS, path, err);
    if (kind < 0)
        return AT_EINPUT;
    r->arith = number ? at_f64 : at_f32;
    r->plain = r->based && kind;
    r->a.attention = r->based ? 0 : (at_attention_kind)kind;
    size_t keys = 4; /* version, arithmetic, steps, and engine or attention */
    for (size_t i = 0; i < N_FIELDS; i++) {
        if (r->based && !fields[i].option)
            continue;
        at_status s = field_parse(json_object_get(o, fields[i].key), i, &r->a, path, err);
        if (s)
            return s;
        keys++;
    }
    if (json_object_size(o) != keys)
        return at_fail(err, AT_EINPUT, "%s: " FORMAT ": %zu keys instead of %zu", path, json_object_size(o),
                       keys);
    if (!r->based && r->a.attention == AT_ATTENTION_SPARSE && !r->a.block)
        return at_fail(err, AT_EINPUT, "%s: " FORMAT ": block must be a positive integer", path);
    return AT_OK;
}

/* ---- texts, tensors, sum ------------------------------------------------------------------------------------------ */

typedef struct {
    const char *record, *arch, *note; /* NULL when missing; never record */
} texts;

static void state_sum(const at_trainer *t, const texts *x, char out[65])
{
    const char *text[] = {x->record, x->arch, x->note};
    model_sha256 sum;
    model_sha256_init(&sum);
    for (size_t i = 0; i < 3; i++) {
        model_sha256_add(&sum, text[i], text[i] ? strlen(text[i]) : 0);
        model_sha256_add(&sum, "\n", 1);
    }
    for (int part = 0; part < PARTS; part++)
        model_sha256_add(&sum, part_of(t, part), part_bytes(t));
    model_sha256_hex(&sum, out);
}

static void table_at(const void *ctx, int i, tensors_entry *out)
{
    const train_plan *p = ctx;
    const at_train_tensor *e = &p->tensor[i % p->n_tensors];
    snprintf(out->name, sizeof out->name, "%s.%s", part_names[i / p->n_tensors], e->name);
    out->rank = 2;
    out->shape[0] = e->rows;
    out->shape[1] = e->cols;
}

static tensors_table table_of(const at_trainer *t)
{
    return (tensors_table){PARTS * t->plan.n_tensors, t->arith.kind == AT_F32, table_at, &t->plan};
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static at_status image_make(const at_trainer *t, const texts *x, char **bytes, size_t *n, at_err *err)
{
    char sum[65], *header, *all;
    size_t head, part = part_bytes(t);
    tensors_table table = table_of(t);
    state_sum(t, x, sum);
    const tensors_meta meta[] = {
        {"format", FORMAT}, {FORMAT, x->record}, {"attest", x->arch}, {"note", x->note}, {"sha256", sum}};
    at_status s = tensors_header_print(&table, meta, sizeof meta / sizeof *meta, &header, &head, err);
    if (s)
        return s;
    if ((all = at_malloc(head + PARTS * part))) {
        memcpy(all, header, head);
        for (int i = 0; i < PARTS; i++)
            memcpy(all + head + (size_t)i * part, part_of(t, i), part);
        *bytes = all;
        *n = head + PARTS * part;
    }
    at_free(header);
    return all ? AT_OK : at_oom(err);
}

static at_status note_check(const char *note, at_err *err)
{
    size_t n = note ? strlen(note) : 0;
    if (n > AT_TRAIN_NOTE_MAX)
        return at_fail(err, AT_EDOMAIN, "a note of %zu bytes; at most %zu are allowed", n, AT_TRAIN_NOTE_MAX);
    if (n && !model_utf8(note, n))
        return at_fail(err, AT_EINPUT, "the note is not UTF-8");
    return AT_OK;
}

char *train_base_print(const at_trainer *t, at_err *err)
{
    at_model m = t->base; /* with the numbers that its weights are now kept in */
    m.f32 = t->arith.kind == AT_F32;
    return model_arch_print(&m, err);
}

at_status train_state_image(const at_trainer *t, const char *note, char **bytes, size_t *n, at_err *err)
{
    if (*(const uint8_t *)&byte_order != 1)
        return at_fail(err, AT_EREFUSED, "states of trainings are written on little-endian machines only");
    size_t most = (MODEL_JSON_VALUES - META_VALUES) / MODEL_TENSOR_VALUES / PARTS;
    if ((size_t)t->plan.n_tensors > most)
        return at_fail(err, AT_EREFUSED, "a training of %d tensors; states hold at most %zu",
                       t->plan.n_tensors, most);
    at_status s = note_check(note, err);
    if (s)
        return s;
    at_text says;
    char *arch = NULL;
    at_text_init(&says);
    train_record_print(t, &says);
    if (says.oom)
        s = at_oom(err);
    if (!s && t->based) {
        arch = train_base_print(t, err);
        s = arch ? AT_OK : AT_ENOMEM;
    }
    if (!s)
        s = image_make(t, &(texts){says.s, arch, note}, bytes, n, err);
    at_free(arch);
    at_text_release(&says);
    return s;
}

at_status at_trainer_save(const at_trainer *t, const char *note, const char *path, at_err *err)
{
    char *bytes;
    size_t n;
    at_status s = train_state_image(t, note, &bytes, &n, err);
    if (s)
        return s;
    s = at_file_write(path, bytes, n, err);
    at_free(bytes);
    return s;
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *path;
    tensors_source *from;
    json_t *root;
    texts text;
    size_t n_arch;
    record r;
} state;

/* What other parts say of wrong values is a fault of the file; that it cannot be read is none. */
static at_status blame(const state *f, at_status s, const at_err *why, at_err *err)
{
    bool other = s == AT_ENOMEM || s == AT_EIO || s == AT_ECANCEL;
    return !s      ? AT_OK
           : other ? at_fail(err, s, "%s", why->text)
                   : at_fail(err, AT_EINPUT, "%s: %s", f->path, why->text);
}

static at_status size_check(const state *f, size_t parameters, at_err *err)
{
    size_t need = PARTS * parameters * (f->r.arith.kind == AT_F32 ? sizeof(float) : sizeof(double)), have;
    at_status s = tensors_source_expect(f->from, need, &have, err);
    if (!s && have != need)
        s = at_fail(err, AT_EINPUT, "%zu bytes of tensors where %zu parameters need %zu", have, parameters,
                    need);
    return s;
}

static at_status family_make(const state *f, int threads, at_trainer **out, at_err *err)
{
    train_plan plan;
    at_arena arena;
    at_arena_init(&arena);
    at_status s = train_plan_places(&f->r.a, 1, &arena, &plan, err);
    at_arena_release(&arena);
    if (!s)
        s = size_check(f, plan.n, err);
    return s ? s : at_trainer_new(&f->r.a, f->r.arith, threads, out, err);
}

/* m: an architecture, nothing more yet. */
static at_status based_make(const state *f, at_model *m, int threads, at_trainer **out, at_err *err)
{
    const record *r = &f->r;
    at_train_options o = {r->a.dropout, r->a.seed, r->a.slots, r->a.length, r->plain};
    int tensors;
    size_t weights, parameters = 0;
    at_status s = model_measure(m, &tensors, &weights, err);
    if (!s && r->plain)
        parameters = weights;
    else if (!s)
        s = train_family_parameters(m, &o, &parameters, err);
    if (!s)
        s = size_check(f, parameters, err);
    /* What the fast engine does not train are two matrices (D, D) and two rows, less than the first layer has. */
    if (!s && weights / 2 > parameters)
        s = at_fail(err, AT_EINPUT, "not an architecture of the fast engine");
    if (!s)
        s = at_model_layout(m, err);
    if (!s && !r->plain)
        s = train_family_fill(m, &o, err);
    if (!s)
        s = at_trainer_from_model(m, r->arith, threads, &o, out, err);
    if (!s && ((*out)->plan.plain != NULL) != r->plain)
        s = at_fail(err, AT_EINPUT, "not an architecture of the fast engine");
    if (!s && (*out)->plan.a.length != r->a.length)
        s = at_fail(err, AT_EINPUT, "length is %d, but that of the architecture %d", r->a.length,
                    (*out)->plan.a.length);
    return s;
}

static at_status trainer_make(const state *f, int threads, at_trainer **out, at_err *err)
{
    at_err why = {0};
    if (!f->r.based)
        return blame(f, family_make(f, threads, out, &why), &why, err);
    at_model m;
    at_model_init(&m);
    at_status s = model_arch_parse(&m, f->text.arch, f->n_arch, f->path, err);
    if (!s)
        s = blame(f, based_make(f, &m, threads, out, &why), &why, err);
    at_model_release(&m);
    return s;
}

/* One tensor of one part into memory, checked. */
static at_status tensor_read(const state *f, at_trainer *t, const tensors_place *p, at_err *err)
{
    int part = p->tensor / t->plan.n_tensors;
    const at_train_tensor *e = &t->plan.tensor[p->tensor % t->plan.n_tensors];
    size_t n = (size_t)e->rows * (size_t)e->cols, size = t->kernel->size;
    char *to = (char *)part_of(t, part) + e->offset * size;
    at_status s = tensors_source_read(f->from, (size_t)p->begin, to, n * size, err);
    if (s)
        return s;
    for (size_t k = 0; k < n; k++) {
        double v = size == sizeof(float) ? (double)((float *)to)[k] : ((double *)to)[k];
        if (!isfinite(v))
            return at_fail(err, AT_EINPUT, "%s: tensor %s.%s: number %zu is not finite", f->path,
                           part_names[part], e->name, k);
        if (part == 2 && v < 0)
            return at_fail(err, AT_EINPUT, "%s: tensor %s.%s: number %zu is negative, a mean of squares",
                           f->path, part_names[part], e->name, k);
    }
    return AT_OK;
}

static at_status tensors_read(const state *f, at_trainer *t, at_err *err)
{
    tensors_table table = table_of(t);
    tensors_place *places = at_calloc((size_t)table.n, sizeof *places);
    if (!places)
        return at_oom(err);
    at_status s = tensors_places(&table, f->root, f->path, places, err);
    for (int i = 0; !s && i < table.n; i++)
        s = tensor_read(f, t, &places[i], err);
    at_free(places);
    return s;
}

/* The texts of the header, and the record read. */
static at_status texts_read(state *f, at_err *err)
{
    static const char *const keys[] = {"format", FORMAT, "attest", "note", "sha256"};
    size_t n, n_record, n_note;
    const char *format = tensors_meta_get(f->root, "format", &n);
    f->text.record = tensors_meta_get(f->root, FORMAT, &n_record);
    f->text.arch = tensors_meta_get(f->root, "attest", &f->n_arch);
    f->text.note = tensors_meta_get(f->root, "note", &n_note);
    if (!format || strcmp(format, FORMAT) || !f->text.record)
        return at_fail(err, AT_EINPUT,
                       "%s: a safetensors file, but not of a training (__metadata__ format, " FORMAT ")",
                       f->path);
    at_status s = tensors_meta_check(f->root, keys, sizeof keys / sizeof *keys, f->path, err);
    if (s)
        return s;
    if (n_note > AT_TRAIN_NOTE_MAX)
        return at_fail(err, AT_EINPUT, "%s: a note of %zu bytes; at most %zu are allowed", f->path, n_note,
                       AT_TRAIN_NOTE_MAX);
    at_err why = {0};
    json_t *o = model_json_parse(f->text.record, n_record, f->path, FORMAT, &why);
    s = o ? record_read(o, &f->r, f->path, err) : at_fail(err, why.code, "%s", why.text);
    model_json_free(o);
    if (!s && f->r.based != (f->text.arch != NULL))
        s = at_fail(err, AT_EINPUT, "%s: a training %s a model, but __metadata__ %s attest", f->path,
                    f->r.based ? "from" : "without", f->r.based ? "lacks" : "has");
    return s;
}

static at_status note_copy(const char *from, char **to, at_err *err)
{
    *to = NULL;
    if (!from)
        return AT_OK;
    size_t n = strlen(from) + 1;
    if (!(*to = at_malloc(n)))
        return at_oom(err);
    memcpy(*to, from, n);
    return AT_OK;
}

static at_status state_read(state *f, int threads, at_trainer **out, char **note, at_err *err)
{
    char sum[65];
    size_t n;
    at_status s = texts_read(f, err);
    if (!s)
        s = trainer_make(f, threads, out, err);
    if (!s)
        s = tensors_read(f, *out, err);
    if (s)
        return s;
    const char *says = tensors_meta_get(f->root, "sha256", &n);
    state_sum(*out, &f->text, sum);
    if (!says || strcmp(says, sum))
        return at_fail(err, AT_EINPUT, "%s: damaged: sha256 is not that of the contents", f->path);
    (*out)->steps = f->r.steps;
    (*out)->stale = true;
    return note ? note_copy(f->text.note, note, err) : AT_OK;
}

static at_status source_parse(tensors_source *from, int threads, at_trainer **out, char **note, at_err *err)
{
    char *header;
    size_t n;
    at_err why = {0};
    at_trainer *t = NULL;
    if (*(const uint8_t *)&byte_order != 1)
        return at_fail(err, AT_EREFUSED, "states of trainings are read on little-endian machines only");
    at_status s = tensors_source_header(from, &header, &n, err);
    if (s)
        return s;
    state f = {.path = from->path, .from = from};
    f.root = model_json_parse(header, n, f.path, "header", &why);
    s = f.root ? state_read(&f, threads, &t, note, err) : at_fail(err, why.code, "%s", why.text);
    model_json_free(f.root);
    at_free(header);
    if (s)
        at_trainer_free(t);
    else
        *out = t;
    return s;
}

at_status train_state_parse(const char *path, const char *bytes, size_t n, int threads, at_trainer **out,
                            char **note, at_err *err)
{
    tensors_source from;
    tensors_source_memory(&from, path, bytes, n);
    return source_parse(&from, threads, out, note, err);
}

at_status at_trainer_load(const char *path, int threads, at_trainer **out, char **note, at_err *err)
{
    tensors_source from;
    at_status s = tensors_source_open(&from, path, err);
    if (!s)
        s = source_parse(&from, threads, out, note, err);
    tensors_source_close(&from);
    return s;
}
