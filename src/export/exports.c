/* exports.c: the table of formats, and what all of them have in common.
 *
 * Whoever exports gives the model its numbers (a copy in f32, refused where a weight is too large for it), asks whether
 * hard attention is safe in them (sure.c), lets the format write its files into memory, and only then touches the disk: one file
 * beside its target and renamed, or a folder made under another name and renamed when all of it is there. */
#define _GNU_SOURCE
#include "export_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORTS(E)                                                                                           \
    E("onnx", "a graph of operators (opset 17, IR 8) that onnxruntime runs as it is", false, true, true,     \
      false, export_onnx)                                                                                    \
    E("torch", "a folder: a module that PyTorch runs, its weights, its names", true, false, true, false,     \
      export_torch)                                                                                          \
    E("transformerlens", "a folder: weights as TransformerLens names them, its settings, its names", true,   \
      false, false, false, export_transformerlens)                                                           \
    E("gpt2", "a folder: weights as GPT-2 names them, its settings, its names", true, false, false, false,   \
      export_gpt2)                                                                                           \
    E("npz", "arrays of numpy: all tensors by their names, architecture and names as text", false, false,    \
      true, true, export_npz)

#define ROW(name, doc, folder, cache, hard, whole, write) {name, doc, folder, cache, hard, whole, write},
const at_export_kind at_exports[] = {EXPORTS(ROW)};
const int at_n_exports = sizeof at_exports / sizeof *at_exports;
#define NAMED(name, ...) name,
const char *const at_export_names[] = {EXPORTS(NAMED)};
const char *const at_export_dtypes[AT_EXPORT_DTYPES] = {"stored", "f32", "f64"};

const at_export_kind *at_export_find(const char *name, at_err *err)
{
    static const at_registry all =
        AT_REGISTRY_OF_ROWS("format", NULL, at_exports, sizeof at_exports / sizeof *at_exports, name);
    return at_registry_need(&all, name, err);
}

at_text *export_file(export_files *f, const char *name)
{
    f->file[f->n].name = name;
    at_text_init(&f->file[f->n].bytes);
    return &f->file[f->n++].bytes;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static at_status rounded(at_model *m, at_err *err)
{
    for (int t = 0; t < m->n_tensors; t++)
        for (size_t i = 0; i < m->tensors[t].count; i++) {
            double *w = &m->weights[m->tensors[t].offset + i], was = *w;
            *w = (double)(float)was;
            if (!isfinite(*w))
                return at_fail(err, AT_EREFUSED, "tensor %s: weight %zu is %g, too large for f32",
                               m->tensors[t].name, i, was);
        }
    return AT_OK;
}

/* ---- files ----------------------------------------------------------------------------------------------- */

typedef struct {
    at_arena arena;
    char *to, *folder, *path[EXPORT_FILES];
} places;

/* A folder's path without what a shell adds behind it, if nothing is there. */
static at_status target_find(places *p, const char *target, at_err *err)
{
    int n = (int)strlen(target);
    while (n > 1 && target[n - 1] == '/')
        n--;
    struct stat st;
    if (!(p->to = at_arena_printf(&p->arena, "%.*s", n, target)))
        return at_oom(err);
    return lstat(p->to, &st)
               ? AT_OK
               : at_fail(err, AT_EIO, "%s: is there already; this format is a folder, and makes a new one",
                         p->to);
}

at_status at_export_probe(const at_export_kind *to, const char *path, at_err *err)
{
    if (!to->folder)
        return at_file_probe(path, err);
    places p = {.to = NULL};
    at_arena_init(&p.arena);
    at_status s = target_find(&p, path, err);
    if (!s)
        s = at_file_probe(p.to, err);
    at_arena_release(&p.arena);
    return s;
}

/* Where the folder will be, where it is made, and its files there. */
static at_status places_find(places *p, const char *target, const export_files *f, at_err *err)
{
    at_status s = target_find(p, target, err);
    if (s)
        return s;
    if (!(p->folder = at_arena_printf(&p->arena, "%s.XXXXXX", p->to)))
        return at_oom(err);
    if (!mkdtemp(p->folder))
        return at_fail(err, AT_EIO, "%s: cannot make the folder: %s", p->to, strerror(errno));
    for (int k = 0; k < f->n; k++)
        if (!(p->path[k] = at_arena_printf(&p->arena, "%s/%s", p->folder, f->file[k].name))) {
            rmdir(p->folder);
            return at_oom(err);
        }
    return AT_OK;
}

static at_status folder_write(const char *target, const export_files *f, at_err *err)
{
    places p = {.to = NULL};
    at_arena_init(&p.arena);
    at_status s = places_find(&p, target, f, err);
    if (!s) {
        for (int k = 0; k < f->n && !s; k++)
            s = at_file_write(p.path[k], f->file[k].bytes.s, f->file[k].bytes.n, err);
        mode_t mask = umask(0);
        umask(mask);
        if (!s && (chmod(p.folder, 0777 & ~mask) || rename(p.folder, p.to)))
            s = at_fail(err, AT_EIO, "%s: cannot make the folder: %s", p.to, strerror(errno));
        for (int k = 0; k < f->n && s; k++)
            unlink(p.path[k]);
        if (s)
            rmdir(p.folder);
    }
    at_arena_release(&p.arena);
    return s;
}

static at_status files_write(const at_export_kind *to, const char *path, const export_files *f, at_err *err)
{
    for (int k = 0; k < f->n; k++)
        if (f->file[k].bytes.oom)
            return at_oom(err);
    return to->folder ? folder_write(path, f, err)
                      : at_file_write(path, f->file[0].bytes.s, f->file[0].bytes.n, err);
}

at_status at_export_write(const at_model *m, const at_export_kind *to, const at_export_as *as,
                          const char *path, at_err *err)
{
    if (as->cache && (!to->cache || !m->decode.enabled))
        return at_fail(err, AT_EREFUSED, "a cache is for %s",
                       to->cache ? "decoders; this model is none" : "onnx");
    at_model copy;
    at_status s = to->whole ? AT_OK : at_model_takes(m, AT_IN_EXPORT, to->name, err);
    if (!s)
        s = at_model_copy(m, &copy, err);
    if (s)
        return s;
    export_files files = {.n = 0};
    copy.f32 = as->dtype == AT_EXPORT_STORED ? m->f32 : as->dtype == AT_EXPORT_F32;
    if (copy.f32)
        s = rounded(&copy, err);
    /* What holds the model as it is computes nothing: it is asked only when its numbers became others. */
    if (!s && to->hard && (!to->whole || (copy.f32 && !m->f32)))
        s = export_sure(&copy, err);
    if (!s)
        s = to->write(&copy, as, &files, err);
    if (!s)
        s = files_write(to, path, &files, err);
    for (int k = 0; k < files.n; k++)
        at_text_release(&files.file[k].bytes);
    at_model_release(&copy);
    return s;
}
