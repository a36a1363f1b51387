/* import.c: a model of other people's, made whole or refused.
 *
 * In this order: the headers of all files; the configuration; which layout the names of the tensors are of; the architecture, from
 * configuration and shapes; how much memory it takes, before any is taken; the weights, tensor by tensor; what is left over of
 * tensors and keys. Whoever fails says which tensor or key, and nothing is written.
 *
 * All layouts are the same transformer: L layers of attention and an MLP over one residual stream,
 *
 *     x = table of tokens (+ table of positions);  x += attn(norm(x));  x += mlp(norm(x));  out = readout(norm(x))
 *
 * so a layout says sizes (`shape`) and where its tensors are (`fill`). Grouped keys are written out: the rows of a key that serves
 * g queries are copied g times, which is the same function at the price of memory. */
#define _GNU_SOURCE
#include "foreign.h"

#include <assert.h>
#include <jansson.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define CONFIG_MOST ((size_t)16 << 20) /* bytes */

static const import_layout *const layouts[AT_LAYOUTS] = {
    [AT_LAYOUT_GPT2] = &layout_gpt2,       [AT_LAYOUT_NEOX] = &layout_neox, [AT_LAYOUT_LLAMA] = &layout_llama,
    [AT_LAYOUT_NANOGPT] = &layout_nanogpt, [AT_LAYOUT_LENS] = &layout_lens, [AT_LAYOUT_TRACR] = &layout_tracr,
};
const char *const at_layout_names[AT_LAYOUTS] = {
    [AT_LAYOUT_GPT2] = "gpt2",
    [AT_LAYOUT_NEOX] = "neox",
    [AT_LAYOUT_LLAMA] = "llama",
    [AT_LAYOUT_NANOGPT] = "nanogpt",
    [AT_LAYOUT_LENS] = "transformerlens",
    [AT_LAYOUT_TRACR] = "tracr",
};
const char *const at_import_read_names[AT_IMPORT_READS] = {
    [AT_IMPORT_NEXT] = "next", [AT_IMPORT_LAST] = "last", [AT_IMPORT_EVERY] = "every"};
const at_import_options at_import_defaults = {.layout = AT_LAYOUT_GUESS, .read = AT_IMPORT_USUAL};

void import_fail(import *p, at_status code, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!p->status)
        p->status = at_fail(p->err, code, "%s: %s", p->c.path, text);
}

/* ---- taking ------------------------------------------------------------------------------------------------ */

const double *import_numbers(import *p, bool may, const int64_t shape[FOREIGN_RANK], const char *fmt, ...)
{
    char name[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    size_t n = 1;
    for (int k = 0; k < FOREIGN_RANK && shape[k]; k++)
        n *= (size_t)shape[k];
    if (p->status || (may && !foreign_find(&p->f, name)))
        return NULL;
    double *to = at_new(p->arena, double, n);
    p->status = to ? foreign_read(&p->f, name, shape, to) : at_oom(p->err);
    return p->status ? NULL : to;
}

static void move(import *p, int tensor, int rows, int cols, bool turned, const char *name)
{
    double *to = at_model_data(p->m, tensor);
    at_mark mark = at_arena_mark(p->arena);
    if (p->status || !to)
        return;
    if (!turned || !cols) {
        p->status = foreign_read(&p->f, name, (int64_t[FOREIGN_RANK]){rows, cols}, to);
        return;
    }
    const double *from = import_numbers(p, false, (int64_t[FOREIGN_RANK]){cols, rows}, "%s", name);
    for (size_t r = 0; from && r < (size_t)rows; r++)
        for (size_t c = 0; c < (size_t)cols; c++)
            to[r * (size_t)cols + c] = from[c * (size_t)rows + r];
    at_arena_reset(p->arena, mark);
}

void import_take(import *p, int tensor, int rows, int cols, bool turned, const char *fmt, ...)
{
    char name[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    move(p, tensor, rows, cols, turned, name);
}

static bool there(import *p, const char *with, const char *name)
{
    bool is = foreign_find(&p->f, name) != NULL;
    int k = 0;
    while (k < p->n_sets && strcmp(p->sets[k].with, with))
        k++;
    assert(k < IMPORT_SETS);
    if (k == p->n_sets) {
        p->n_sets++;
        p->sets[k].with = with;
        p->sets[k].there = is;
        snprintf(p->sets[k].name, sizeof p->sets[k].name, "%s", name);
    }
    if (is != p->sets[k].there && !p->status)
        p->status = at_fail(p->err, AT_EINPUT,
                            "%s: tensor %s%.150s is missing, and %.150s is there: all of them, or none",
                            p->f.n_files ? p->f.files[0].path : "", p->f.prefix, is ? p->sets[k].name : name,
                            is ? name : p->sets[k].name);
    return is;
}

bool import_there(import *p, const char *with, const char *fmt, ...)
{
    char name[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    return there(p, with, name);
}

void import_take_if(import *p, const char *with, int tensor, int rows, int cols, bool turned, const char *fmt,
                    ...)
{
    char name[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    if (there(p, with, name))
        move(p, tensor, rows, cols, turned, name);
}

void import_rows(import *p, int tensor, int row, int count, int cols, const double *from)
{
    double *to = at_model_data(p->m, tensor);
    if (!p->status && to && from)
        memcpy(to + (size_t)row * (size_t)cols, from, (size_t)count * (size_t)cols * sizeof *to);
}

/* A saved head that is tied must be the table. */
void import_head(import *p, const char *name)
{
    const import_shape *z = &p->z;
    const char *prefix = p->f.prefix;
    const double *table = at_model_data(p->m, p->m->fields[0].embed.tensor);
    at_mark mark = at_arena_mark(p->arena);
    p->f.prefix = "";
    if (!z->tied)
        import_take(p, p->m->readout.w, z->out, z->D, false, "%s", name);
    else {
        const double *w = import_numbers(p, true, (int64_t[FOREIGN_RANK]){z->out, z->D}, "%s", name);
        if (w && memcmp(w, table, (size_t)z->out * (size_t)z->D * sizeof *w))
            import_fail(p, AT_EINPUT, "tie_word_embeddings is on, but %s is not the table of tokens", name);
    }
    p->f.prefix = prefix;
    at_arena_reset(p->arena, mark);
}

void import_ones(import *p, int tensor)
{
    double *to = at_model_data(p->m, tensor);
    for (size_t k = 0; !p->status && to && k < p->m->tensors[tensor].count; k++)
        to[k] = 1;
}

const at_block *import_attention(const import *p, int l)
{
    return &p->m->blocks[p->z.no_mlp ? l : 2 * l];
}

const at_block *import_mlp(const import *p, int l)
{
    return &p->m->blocks[2 * l + 1];
}

at_act import_act(import *p, const char *key, const char *name)
{
    static const struct {
        const char *name;
        at_act act;
    } acts[] = {{"relu", AT_ACT_RELU},
                {"gelu", AT_ACT_GELU},
                {"gelu_new", AT_ACT_GELU_TANH},
                {"gelu_fast", AT_ACT_GELU_TANH},
                {"gelu_pytorch_tanh", AT_ACT_GELU_TANH},
                {"silu", AT_ACT_SILU},
                {"swish", AT_ACT_SILU}};
    for (size_t k = 0; name && k < sizeof acts / sizeof *acts; k++)
        if (!strcmp(acts[k].name, name))
            return acts[k].act;
    import_fail(p, AT_EINPUT, "%s \"%.60s\" is unknown; known: relu, gelu, gelu_new, silu", key,
                name ? name : "");
    return AT_ACT_RELU;
}

/* ---- the architecture ---------------------------------------------------------------------------------------- */

static bool attention_make(import *p, at_block *b)
{
    const import_shape *z = &p->z;
    *b = (at_block){.kind = AT_BLOCK_ATTN,
                    .residual = true,
                    .norm = z->norms ? AT_NORM_PRE : AT_NORM_NONE,
                    .norm_kind = z->norm_kind,
                    .norm_eps = z->eps,
                    .n_groups = 1};
    if (!(b->groups = at_new(&p->m->arena, at_group, 1)))
        return false;
    b->groups[0] = (at_group){.heads = z->heads,
                              .dk = z->dk,
                              .dv = z->dk,
                              .weighting = AT_SOFTMAX,
                              .post = AT_POST_ID,
                              .scale = z->scale,
                              .mask = {.kind = z->causal ? AT_MASK_CAUSAL : AT_MASK_NONE},
                              .bias = z->bias,
                              .rotary = z->rotary,
                              .alibi = z->alibi};
    return true;
}

static bool mlp_make(import *p, at_block *b)
{
    const import_shape *z = &p->z;
    *b = (at_block){.kind = AT_BLOCK_MLP,
                    .residual = true,
                    .parallel = z->parallel,
                    .gated = z->gated,
                    .norm = z->norms ? AT_NORM_PRE : AT_NORM_NONE,
                    .norm_kind = z->norm_kind,
                    .norm_eps = z->eps,
                    .act = z->act,
                    .n_dense = 2};
    if (!(b->dense = at_new(&p->m->arena, at_dense, 2)))
        return false;
    b->dense[0].rows = z->hidden;
    b->dense[1].rows = z->D;
    return true;
}

/* How it is read: a decoder continues a text. */
static void reading_make(import *p)
{
    const import_shape *z = &p->z;
    at_model *m = p->m;
    at_import_read read = p->o->read != AT_IMPORT_USUAL             ? p->o->read
                          : z->causal && !z->every && z->length > 1 ? AT_IMPORT_NEXT
                                                                    : AT_IMPORT_EVERY;
    m->readout.last = read == AT_IMPORT_LAST;
    if (read != AT_IMPORT_NEXT && p->o->steps)
        import_fail(p, AT_EINPUT, "--steps %d: a decoder makes rows, and --read %s is none", p->o->steps,
                    at_import_read_names[read]);
    if (read != AT_IMPORT_NEXT)
        return;
    if (!z->causal || z->length < 2)
        import_fail(p, AT_EREFUSED,
                    "a decoder has causal attention and at least 2 positions: --read last, or every");
    if (z->out > z->vocab)
        import_fail(p, AT_EREFUSED,
                    "%s is %d, more than the %d of %s: a decoder reads what it writes; --read last, or every",
                    z->out_of, z->out, z->vocab, z->vocab_of);
    int steps = p->o->steps ? p->o->steps : z->length / 2 ? z->length / 2 : 1;
    if (steps >= z->length)
        import_fail(p, AT_EDOMAIN, "--steps %d: the model takes %d positions, and a prompt needs one", steps,
                    z->length);
    bool ends = !p->o->steps && z->end >= 0 && z->end < z->out;
    m->decode = (at_decode){.enabled = true,
                            .stop = ends ? AT_STOP_EQUALS : AT_STOP_STEPS,
                            .value = ends ? z->end : 0,
                            .max_steps = steps,
                            .prompt_min = 1,
                            .prompt_max = z->length - (ends ? 1 : steps)};
}

static void architecture_make(import *p)
{
    const import_shape *z = &p->z;
    at_model *m = p->m;
    snprintf(m->name, sizeof m->name, "%s", z->name);
    m->width = z->D;
    m->n_min = 1;
    m->n_max = z->length;
    m->pos_origin = 0;
    m->n_fields = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->n_pos = z->table > 0;
    m->pos = at_new(&m->arena, at_pos, 1);
    m->n_blocks = z->layers * (z->no_mlp ? 1 : 2);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks + 1);
    if (!m->fields || !m->pos || !m->blocks) {
        p->status = at_oom(p->err);
        return;
    }
    m->fields[0] =
        (at_field){.name = "token", .kind = AT_FIELD_TOKEN, .size = z->vocab, .embed = {.width = z->D}};
    m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = z->table, .embed = {.width = z->D}};
    for (int l = 0; l < z->layers; l++)
        if (!attention_make(p, &m->blocks[z->no_mlp ? l : 2 * l]) ||
            (!z->no_mlp && !mlp_make(p, &m->blocks[2 * l + 1]))) {
            p->status = at_oom(p->err);
            return;
        }
    m->readout = (at_readout){.kind = AT_READ_ARGMAX,
                              .rows = z->out,
                              .tied = z->tied,
                              .final_norm = z->final_norm,
                              .norm_kind = z->final_rms ? AT_NORM_RMS : z->norm_kind,
                              .norm_eps = z->eps};
    m->f32 = !p->f.double_wide;
    reading_make(p);
}

/* The weights, the file that is made of them, and a copy of the largest tensor on its way: does that fit? */
static at_status memory_check(const import *p, at_err *err)
{
    const at_model *m = p->m;
    size_t most = at_alloc_most(), largest = 0;
    for (int k = 0; k < m->n_tensors; k++)
        largest = m->tensors[k].count > largest ? m->tensors[k].count : largest;
    if (m->n_weights > AT_MAX_WEIGHTS)
        return at_fail(err, AT_EDOMAIN, "%s: %zu weights; at most %zu", p->c.path, m->n_weights,
                       (size_t)AT_MAX_WEIGHTS);
    /* Whatever is made of them (keys written out, zeros for what is missing), it is not many times what there is. */
    size_t there = 0;
    for (int k = 0; k < p->f.n; k++)
        there += (size_t)(p->f.tensors[k].end - p->f.tensors[k].begin);
    if (m->n_weights > ((size_t)1 << 23) + 64 * there)
        return at_fail(err, AT_EINPUT, "%s: %zu weights, but the tensors have %zu bytes in all", p->c.path,
                       m->n_weights, there);
    size_t need = m->n_weights * (m->f32 ? 12 : 16) + 8 * largest;
    return !most || need <= most
               ? AT_OK
               : at_fail(err, AT_EDOMAIN,
                         "%s: %zu weights take %zu MiB with the file that is made; allowed: %zu MiB",
                         p->c.path, m->n_weights, (need >> 20) + 1, most >> 20);
}

static void alibi_fill(import *p)
{
    int H = p->z.heads, whole = 1;
    while (2 * whole <= H)
        whole *= 2;
    for (int l = 0; p->z.alibi && !p->status && l < p->z.layers; l++) {
        double *to = at_model_data(p->m, import_attention(p, l)->groups[0].slope);
        for (int h = 0; h < H; h++) {
            /* powers of 2^(-8/whole), then those of its square root that lie between them */
            double e = h < whole ? 8.0 * (h + 1) / whole : 4.0 * (2 * (h - whole) + 1) / whole;
            to[h] = at_pow(2, -e);
            if (p->m->f32)
                to[h] = (float)to[h];
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

static const import_layout *layout_find(import *p, at_layout *which)
{
    *which = p->o->layout;
    for (int k = 0; *which == AT_LAYOUT_GUESS && k < AT_LAYOUTS; k++)
        if (layouts[k]->is(&p->f))
            *which = (at_layout)k;
    if (*which != AT_LAYOUT_GUESS)
        return layouts[*which];
    p->status = at_fail(
        p->err, AT_EINPUT,
        "%s: the names of its tensors (%.60s, ...) are of no layout that is known; --as gpt2, neox, llama, "
        "nanogpt, transformerlens or tracr",
        p->f.files[0].path, p->f.n ? p->f.tensors[0].name : "none");
    return NULL;
}

/* What is wrong may be that the names, of which several layouts have some, were taken for those of another one. */
static void guess_say(import *p, const import_layout *y)
{
    at_err was = *p->err;
    if (p->o->layout != AT_LAYOUT_GUESS || !(p->f.strange || p->c.strange))
        return;
    p->err->code = AT_OK;
    at_fail(p->err, was.code, "%.440s (taken for %s; --as names another)", was.text, y->name);
}

static void model_make(import *p, at_import_said *said)
{
    at_layout which;
    const import_layout *y = layout_find(p, &which);
    if (!y)
        return;
    p->z = (import_shape){.end = -1, .causal = true, .name = y->name};
    y->shape(p);
    if (!p->status)
        p->status = config_end(&p->c);
    if (!p->status)
        architecture_make(p);
    if (!p->status)
        p->status = at_model_shape(p->m, p->err);
    if (!p->status)
        p->status = memory_check(p, p->err);
    if (!p->status)
        p->status = at_model_layout(p->m, p->err);
    if (!p->status)
        y->fill(p);
    alibi_fill(p);
    if (!p->status)
        p->status = foreign_end(&p->f);
    if (!p->status)
        p->status = at_model_validate(p->m, p->err);
    if (p->status)
        guess_say(p, y);
    if (!p->status && said)
        *said = (at_import_said){
            .layout = which,
            .files = p->f.n_files,
            .expanded = p->z.kv_heads ? p->z.heads / p->z.kv_heads : 1,
            .tied = p->z.tied,
            .ends = p->m->decode.stop == AT_STOP_EQUALS && p->m->decode.enabled ? p->z.ends : 0};
}

static at_status run(import *p, at_model *m, const at_import_options *o, const char *text, size_t n,
                     at_import_said *said, at_err *err)
{
    p->m = m;
    p->o = o;
    p->err = err;
    p->c.ignore = o->ignore;
    p->c.err = err;
    if (text && !(p->c.o = model_json_parse(text, n, p->c.path, "configuration", err)))
        return err->code ? err->code : AT_EINPUT;
    model_make(p, said);
    model_json_free(p->c.o);
    return p->status;
}

/* config.json in the folder, or beside the file; NULL where there is none. */
static const char *config_beside(const char *path, at_arena *arena, at_err *err)
{
    struct stat info;
    const char *slash = strrchr(path, '/');
    bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    int n = folder ? (int)strlen(path) : slash ? (int)(slash - path) + 1 : 0;
    size_t room = (size_t)n + sizeof "/config.json";
    char *out = at_new(arena, char, room);
    if (out)
        snprintf(out, room, "%.*s%sconfig.json", n, path, folder && (!n || path[n - 1] != '/') ? "/" : "");
    else
        at_oom(err);
    return out;
}

/* A folder is not the files in it: what is read of it, or beside a file, must not be written over. */
static at_status target_check(const import *p, at_err *err)
{
    const char *target = p->o->target;
    struct stat info;
    bool read = target && stat(target, &info) == 0 && at_file_same(p->c.path, target);
    for (int k = 0; target && k < p->f.n_files && !read; k++)
        read = at_file_same(p->f.files[k].path, target);
    return read ? at_fail(err, AT_EINPUT, "%s: is read, and would be written over", target) : AT_OK;
}

at_status at_import(at_model *m, const char *path, const at_import_options *o, at_import_said *said,
                    at_err *err)
{
    at_arena arena;
    at_err own = {0}, *e = err ? err : &own;
import p = {.arena = & arena };
    const char *beside = NULL;
    char *text = NULL;
    size_t n = 0;
    struct stat info;
    at_model_init(m);
    at_arena_init(&arena);
    at_status st = foreign_open(&p.f, path, &arena, e);
    if (!st && !o->config && !(beside = config_beside(path, &arena, e)))
        st = AT_ENOMEM;
    p.c.path = o->config ? o->config : beside;
    if (!st && (o->config || stat(beside, &info) == 0))
        st = at_file_read(p.c.path, CONFIG_MOST, &text, &n, e);
    if (!st && !text)
        st = at_fail(e, AT_EINPUT, "%s: no config.json beside it; --config FILE names one", path);
    p.o = o;
    if (!st)
        st = target_check(&p, e);
    if (!st)
        st = run(&p, m, o, text, n, said, e);
    foreign_close(&p.f);
    at_arena_release(&arena);
    at_free(text);
    if (st)
        at_model_release(m);
    return st;
}

at_status at_import_bytes(at_model *m, const char *bytes, size_t n, const char *config, size_t n_config,
                          const at_import_options *o, at_import_said *said, at_err *err)
{
    at_arena arena;
    at_err own = {0}, *e = err ? err : &own;
import p = {.arena = & arena, .c.path = "config.json" };
    at_model_init(m);
    at_arena_init(&arena);
    at_status st = foreign_memory(&p.f, bytes, n, &arena, e);
    if (!st && !config)
        st = at_fail(e, AT_EINPUT, "there is no configuration");
    if (!st)
        st = run(&p, m, o, config, n_config, said, e);
    foreign_close(&p.f);
    at_arena_release(&arena);
    if (st)
        at_model_release(m);
    return st;
}
