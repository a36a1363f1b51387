/* foreign.c: tensors of other people's files, by name.
 *
 * A safetensors header is JSON that a stranger wrote: every name, type, shape and place is checked against the file before
 * anything is read, so a tensor that is found can be read, and no two are made of the same bytes. Numbers are widened, never rounded: F16 and BF16 are floats, and floats
 * are doubles. What is not finite is refused by name and place. */
#define _GNU_SOURCE
#include "foreign.h"

#include <jansson.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHARDS_MAX 1024
#define PORTION    4096 /* numbers converted at a time */
#define NAME_LONG  256  /* bytes of a name that is asked for */

/* ---- types ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int bytes;
    bool read;
} types[] = {
    [FOREIGN_F64] = {"F64", 8, true},
    [FOREIGN_F32] = {"F32", 4, true},
    [FOREIGN_F16] = {"F16", 2, true},
    [FOREIGN_BF16] = {"BF16", 2, true},
};
static const struct {
    const char *name;
    int bytes;
} others[] = {{"I64", 8}, {"U64", 8}, {"I32", 4},  {"U32", 4},     {"I16", 2},    {"U16", 2},
              {"I8", 1},  {"U8", 1},  {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

static bool type_find(const char *name, foreign_type *out, int *bytes)
{
    for (int k = 0; k < FOREIGN_OTHER; k++)
        if (!strcmp(types[k].name, name)) {
            *out = (foreign_type)k;
            *bytes = types[k].bytes;
            return true;
        }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (!strcmp(others[k].name, name)) {
            *out = FOREIGN_OTHER;
            *bytes = others[k].bytes;
            return true;
        }
    return false;
}

/* Half precision: 1 sign, 5 exponent, 10 fraction; all of it a float. */
static double half(uint64_t u)
{
    int e = (int)(u >> 10 & 31), f = (int)(u & 1023);
    double v = e == 31 ? (f ? NAN : INFINITY) : e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
    return u >> 15 ? -v : v;
}

static double number(const unsigned char *p, foreign_type t)
{
    uint64_t u = at_le_get(p, types[t].bytes);
    if (t == FOREIGN_F64) {
        double v;
        memcpy(&v, &u, sizeof v);
        return v;
    }
    if (t == FOREIGN_F16)
        return half(u);
    uint32_t w = (uint32_t)(t == FOREIGN_BF16 ? u << 16 : u);
    float v;
    memcpy(&v, &w, sizeof v);
    return v;
}

/* ---- headers --------------------------------------------------------------------------------------------- */

/* One entry; NULL or what is wrong with it. */
static const char *entry_read(const json_t *j, size_t data, foreign_tensor *t)
{
    const json_t *shape = json_object_get(j, "shape"), *place = json_object_get(j, "data_offsets");
    const char *type = json_string_value(json_object_get(j, "dtype"));
    int bytes;
    if (!json_is_object(j) || json_object_size(j) != 3 || !json_is_array(shape) || !json_is_array(place) ||
        !type)
        return "is not an object of dtype, shape and data_offsets";
    if (!type_find(type, &t->type, &bytes))
        return "has a dtype that is unknown";
    size_t rank = json_array_size(shape);
    int64_t count = 1, most = INT64_MAX / 16;
    for (size_t k = 0; k < rank; k++) {
        const json_t *side = json_array_get(shape, k);
        int64_t n = json_integer_value(side);
        if (!json_is_integer(side) || n < 0 || (n && count > most / n))
            return "has a shape that no file has";
        count *= n;
        if (k < FOREIGN_RANK)
            t->shape[k] = n;
    }
    t->rank = rank > FOREIGN_RANK ? FOREIGN_RANK + 1 : (int)rank;
    const json_t *begin = json_array_get(place, 0), *end = json_array_get(place, 1);
    t->begin = json_integer_value(begin);
    t->end = json_integer_value(end);
    if (json_array_size(place) != 2 || !json_is_integer(begin) || !json_is_integer(end) || t->begin < 0 ||
        t->end < t->begin)
        return "has data_offsets that are no place";
    if ((uint64_t)t->end > data)
        return "lies beyond the end of the file";
    if (t->end - t->begin != count * bytes)
        return "has another size than its shape and dtype";
    return NULL;
}

static at_status tensors_grow(foreign *f, size_t more)
{
    if ((size_t)f->n + more <= (size_t)f->cap)
        return AT_OK;
    size_t cap = 2 * (size_t)f->n + more;
    foreign_tensor *all = at_new(f->arena, foreign_tensor, cap);
    if (!all)
        return at_oom(f->err);
    if (f->n)
        memcpy(all, f->tensors, (size_t)f->n * sizeof *all);
    f->tensors = all;
    f->cap = (int)cap;
    return AT_OK;
}

/* The tensors of a file, from `first` on, tile its data: the format has no bytes that are of two tensors, or of none. */
static at_status tiling_check(foreign *f, int file, int first)
{
    const tensors_source *s = &f->files[file];
    int n = f->n - first;
    int64_t end;
    at_mark mark = at_arena_mark(f->arena);
    tensors_place *places = at_new(f->arena, tensors_place, n + 1);
    if (!places)
        return at_oom(f->err);
    for (int k = 0; k < n; k++)
        places[k] = (tensors_place){f->tensors[first + k].begin, f->tensors[first + k].end, first + k};
    int wrong = tensors_tile(places, n, &end);
    at_status st = AT_OK;
    if (wrong < n)
        st = at_fail(f->err, AT_EINPUT, "%s: tensor %.200s begins at byte %lld of the data instead of %lld",
                     s->path, f->tensors[places[wrong].tensor].name, (long long)places[wrong].begin,
                     (long long)end);
    else if ((uint64_t)end != s->n - s->data)
        st = at_fail(f->err, AT_EINPUT, "%s: %zu bytes of data %s%.200s", s->path,
                     s->n - s->data - (size_t)end, n ? "follow the last tensor, " : "are of no tensor",
                     n ? f->tensors[places[n - 1].tensor].name : "");
    at_arena_reset(f->arena, mark);
    return st;
}

static at_status header_take(foreign *f, int file, json_t *root)
{
    const tensors_source *s = &f->files[file];
    int first = f->n;
    at_status st = tensors_grow(f, json_object_size(root));
    for (void *i = json_object_iter(root); i && !st; i = json_object_iter_next(root, i)) {
        const char *name = json_object_iter_key(i), *wrong;
        if (!strcmp(name, "__metadata__"))
            continue;
        foreign_tensor *t = &f->tensors[f->n];
        *t = (foreign_tensor){.file = file, .name = at_arena_strdup(f->arena, name)};
        if (!t->name)
            return at_oom(f->err);
        if ((wrong = entry_read(json_object_iter_value(i), s->n - s->data, t)))
            return at_fail(f->err, AT_EINPUT, "%s: tensor %.200s %s", s->path, name, wrong);
        f->double_wide |= t->type == FOREIGN_F64;
        f->n++;
    }
    return st ? st : tiling_check(f, file, first);
}

/* A file begins as a pickle or its zip does: what torch.save writes. */
static at_status pickle_refuse(const char *path, at_err *err)
{
    return at_fail(err, AT_EINPUT,
                   "%.100s: a pickle runs programs when it is read: refused. In Python: import torch, "
                   "safetensors.torch as st; s = torch.load(FILE, 'cpu', weights_only=True); "
                   "st.save_file({k: v.clone().contiguous() for k, v in s.get('model', s).items()}, "
                   "'model.safetensors')",
                   path);
}

static bool named_pickle(const char *path)
{
    static const char *const tails[] = {".pt", ".pth", ".bin", ".pkl", ".ckpt"};
    size_t n = strlen(path);
    for (size_t k = 0; k < sizeof tails / sizeof *tails; k++)
        if (n > strlen(tails[k]) && !strcmp(path + n - strlen(tails[k]), tails[k]))
            return true;
    return false;
}

/* Does it begin like a zip archive ("PK"), or like a pickle of protocol 2 and more? */
static bool begins_pickle(const tensors_source *s)
{
    unsigned char first[2] = {0};
    return s->n >= 2 && !tensors_source_read(s, 0, first, 2, NULL) &&
           ((first[0] == 'P' && first[1] == 'K') || (first[0] == 0x80 && first[1] >= 2 && first[1] <= 5));
}

static at_status header_open(foreign *f, int file)
{
    tensors_source *s = &f->files[file];
    char *text = NULL;
    size_t n = 0;
    at_err own = {0};
    if (begins_pickle(s) && (s->bytes || named_pickle(s->path)))
        return pickle_refuse(s->path, f->err);
    at_status st = tensors_source_header(s, &text, &n, &own);
    if (st)
        return begins_pickle(s) ? pickle_refuse(s->path, f->err) : at_fail(f->err, st, "%s", own.text);
    json_t *root = model_json_parse(text, n, s->path, "header", f->err);
    st = root ? header_take(f, file, root) : f->err->code ? f->err->code : AT_EINPUT;
    model_json_free(root);
    at_free(text);
    return st;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const foreign_tensor *)a)->name, ((const foreign_tensor *)b)->name);
}

static at_status names_sort(foreign *f)
{
    if (f->n)
        qsort(f->tensors, (size_t)f->n, sizeof *f->tensors, by_name);
    for (int k = 1; k < f->n; k++)
        if (!strcmp(f->tensors[k - 1].name, f->tensors[k].name))
            return at_fail(f->err, AT_EINPUT, "%s: tensor %.200s is in two files",
                           f->files[f->tensors[k].file].path, f->tensors[k].name);
    return AT_OK;
}

/* ---- files ------------------------------------------------------------------------------------------------ */

static const char *joined(foreign *f, const char *folder, const char *name)
{
    size_t n = strlen(folder);
    char *path = at_new(f->arena, char, n + strlen(name) + 2);
    if (path)
        snprintf(path, n + strlen(name) + 2, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
    else
        at_oom(f->err);
    return path;
}

static bool there(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0;
}

static at_status file_add(foreign *f, const char *path)
{
    f->n_files++;
    at_status st = tensors_source_open(&f->files[f->n_files - 1], path, f->err);
    if (!st && f->files[f->n_files - 1].pipe)
        st = at_fail(f->err, AT_EINPUT, "%s: a pipe; a file is needed, whose tensors are read by name", path);
    return st ? st : header_open(f, f->n_files - 1);
}

static at_status one_open(foreign *f, const char *path)
{
    at_status st = file_add(f, path);
    return st ? st : names_sort(f);
}

/* A name that leads out of the folder is none of a shard. */
static bool plain_name(const char *name)
{
    return name && name[0] && !strchr(name, '/') && strcmp(name, "..") && strcmp(name, ".");
}

static at_status shards_add(foreign *f, const char *folder, const json_t *map, const char *index)
{
    const char *name;
    for (void *i = json_object_iter((json_t *)map); i; i = json_object_iter_next((json_t *)map, i)) {
        name = json_string_value(json_object_iter_value(i));
        if (!plain_name(name))
            return at_fail(f->err, AT_EINPUT, "%s: weight_map: %.100s is in no file of this folder", index,
                           json_object_iter_key(i));
        const char *path = joined(f, folder, name);
        if (!path)
            return AT_ENOMEM;
        int k = 0;
        while (k < f->n_files && strcmp(f->files[k].path, path))
            k++;
        if (k < f->n_files)
            continue;
        if (k == SHARDS_MAX)
            return at_fail(f->err, AT_EINPUT, "%s: more than %d files", index, SHARDS_MAX);
        at_status st = file_add(f, path);
        if (st)
            return st;
    }
    return f->n_files ? AT_OK : at_fail(f->err, AT_EINPUT, "%s: weight_map names no file", index);
}

static foreign_tensor *tensor_find(const foreign *f, const char *full)
{
    foreign_tensor key = {.name = full};
    return f->n ? bsearch(&key, f->tensors, (size_t)f->n, sizeof *f->tensors, by_name) : NULL;
}

/* Is each tensor where the index says that it is? */
static at_status map_check(foreign *f, const json_t *map, const char *index)
{
    for (void *i = json_object_iter((json_t *)map); i; i = json_object_iter_next((json_t *)map, i)) {
        const char *name = json_object_iter_key(i), *file = json_string_value(json_object_iter_value(i));
        const foreign_tensor *t = tensor_find(f, name);
        if (!t || strcmp(strrchr(f->files[t->file].path, '/') + 1, file) != 0)
            return at_fail(f->err, AT_EINPUT, "%s: weight_map: tensor %.150s is not in %.100s", index, name,
                           file);
    }
    return AT_OK;
}

static at_status index_open(foreign *f, const char *folder, const char *index)
{
    char *text;
    size_t n;
    at_status st = at_file_read(index, TENSORS_HEADER_MAX, &text, &n, f->err);
    if (st)
        return st;
    json_t *root = model_json_parse(text, n, index, "index", f->err);
    json_t *map = json_object_get(root, "weight_map");
    st = !root                 ? AT_EINPUT
         : json_is_object(map) ? shards_add(f, folder, map, index)
                               : at_fail(f->err, AT_EINPUT, "%s: weight_map is missing", index);
    if (!st)
        st = names_sort(f);
    if (!st)
        st = map_check(f, map, index);
    model_json_free(root);
    at_free(text);
    return st;
}

static at_status folder_open(foreign *f, const char *folder)
{
    static const char *const pickles[] = {"pytorch_model.bin", "ckpt.pt", "model.pt",
                                          "pytorch_model.bin.index.json"};
    const char *one = joined(f, folder, "model.safetensors");
    const char *index = joined(f, folder, "model.safetensors.index.json");
    if (!one || !index)
        return AT_ENOMEM;
    if (there(index))
        return index_open(f, folder, index);
    if (there(one))
        return one_open(f, one);
    for (size_t k = 0; k < sizeof pickles / sizeof *pickles; k++) {
        const char *path = joined(f, folder, pickles[k]);
        if (!path)
            return AT_ENOMEM;
        if (there(path))
            return pickle_refuse(path, f->err);
    }
    return at_fail(f->err, AT_EINPUT,
                   "%s: neither model.safetensors nor model.safetensors.index.json is there", folder);
}

at_status foreign_open(foreign *f, const char *path, at_arena *arena, at_err *err)
{
    struct stat info;
    *f = (foreign){.arena = arena, .err = err, .prefix = ""};
    if (!(f->files = at_new(arena, tensors_source, SHARDS_MAX)))
        return at_oom(err);
    bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return folder                              ? folder_open(f, path)
           : there(path) && named_pickle(path) ? pickle_refuse(path, err)
                                               : one_open(f, path);
}

at_status foreign_memory(foreign *f, const char *bytes, size_t n, at_arena *arena, at_err *err)
{
    *f = (foreign){.arena = arena, .err = err, .prefix = ""};
    if (!(f->files = at_new(arena, tensors_source, 1)))
        return at_oom(err);
    f->n_files = 1;
    tensors_source_memory(&f->files[0], "model.safetensors", bytes, n);
    at_status st = header_open(f, 0);
    return st ? st : names_sort(f);
}

void foreign_close(foreign *f)
{
    for (int k = 0; k < f->n_files; k++)
        tensors_source_close(&f->files[k]);
    f->n_files = 0;
}

/* ---- tensors ---------------------------------------------------------------------------------------------- */

foreign_tensor *foreign_find(const foreign *f, const char *name)
{
    char full[NAME_LONG];
    int n = snprintf(full, sizeof full, "%s%s", f->prefix, name);
    return n < 0 || n >= NAME_LONG ? NULL : tensor_find(f, full);
}

bool foreign_has(const foreign *f, const char *fmt, ...)
{
    char name[NAME_LONG];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    return foreign_find(f, name) != NULL;
}

static void shape_print(char *to, size_t n, int rank, const int64_t *shape)
{
    size_t at = 0;
    at += (size_t)snprintf(to, n, "(");
    for (int k = 0; k < rank && k < FOREIGN_RANK && at < n; k++)
        at += (size_t)snprintf(to + at, n - at, "%s%lld", k ? ", " : "", (long long)shape[k]);
    if (at < n)
        snprintf(to + at, n - at, "%s)", rank > FOREIGN_RANK ? ", ..." : "");
}

static at_status shape_compare(foreign *f, const foreign_tensor *t, const int64_t *shape)
{
    char have[96], want[96];
    int rank = 0;
    while (rank < FOREIGN_RANK && shape[rank])
        rank++;
    bool same = rank == t->rank;
    for (int k = 0; same && k < rank; k++)
        same = shape[k] == t->shape[k];
    if (same)
        return AT_OK;
    shape_print(have, sizeof have, t->rank, t->shape);
    shape_print(want, sizeof want, rank, shape);
    f->strange = true;
    return at_fail(f->err, AT_EINPUT, "%s: tensor %.150s has the shape %s; needed: %s",
                   f->files[t->file].path, t->name, have, want);
}

at_status foreign_read(foreign *f, const char *name, const int64_t shape[FOREIGN_RANK], double *to)
{
    foreign_tensor *t = foreign_find(f, name);
    const char *path = f->n_files ? f->files[0].path : "";
    unsigned char buffer[8 * PORTION];
    if (!t) {
        f->strange = true;
        return at_fail(f->err, AT_EINPUT, "%s: tensor %s%.150s is missing", path, f->prefix, name);
    }
    path = f->files[t->file].path;
    at_status st = shape_compare(f, t, shape);
    if (st)
        return st;
    if (t->type == FOREIGN_OTHER)
        return at_fail(f->err, AT_EINPUT, "%s: tensor %.150s: its dtype is none of F64, F32, F16 and BF16",
                       path, t->name);
    size_t bytes = (size_t)types[t->type].bytes, n = (size_t)(t->end - t->begin) / bytes;
    t->taken = true;
    for (size_t i = 0; i < n && !st; i += PORTION) {
        size_t k = n - i < PORTION ? n - i : PORTION;
        if (at_cancel_pending())
            return at_fail(f->err, AT_ECANCEL, "interrupted");
        st = tensors_source_read(&f->files[t->file], (size_t)t->begin + i * bytes, buffer, k * bytes, f->err);
        for (size_t e = 0; e < k && !st; e++) {
            to[i + e] = number(buffer + e * bytes, t->type);
            if (!isfinite(to[i + e]))
                st = at_fail(f->err, AT_EINPUT, "%s: tensor %.150s: number %zu is %g, not finite", path,
                             t->name, i + e, to[i + e]);
        }
    }
    return st;
}

void foreign_pass(foreign *f, const char *tail)
{
    for (int k = 0; k < f->n; k++) {
        size_t n = strlen(f->tensors[k].name), m = strlen(tail);
        if (n >= m && !strcmp(f->tensors[k].name + n - m, tail))
            f->tensors[k].taken = true;
    }
}

at_status foreign_end(foreign *f)
{
    int left = 0;
    const foreign_tensor *first = NULL;
    for (int k = 0; k < f->n; k++)
        if (!f->tensors[k].taken) {
            first = first ? first : &f->tensors[k];
            left++;
        }
    f->strange |= left > 0;
    return !left ? AT_OK
                 : at_fail(f->err, AT_EINPUT, "%s: tensor %.150s%s: unknown in this layout",
                           f->files[first->file].path, first->name, left > 1 ? ", and others" : "");
}
