/* foreign.h: files of other people: their tensors by name, their configuration by key (private to import).
 *
 * Tensors may lie in one safetensors file or in several, which an index names. Each is known by its name, type, shape and place;
 * numbers are read when they are asked for, and become doubles. Every tensor that a layout understands is taken once; in the end
 * nobody may be left over. The same holds for the keys of a configuration: taken, harmless, or refused by name. */
#ifndef ATTEST_IMPORT_FOREIGN_H
#define ATTEST_IMPORT_FOREIGN_H

#include <attest/import.h>

#include "../model/tensors.h"

#define FOREIGN_RANK 4 /* of tensors that are read */

typedef enum { FOREIGN_F64, FOREIGN_F32, FOREIGN_F16, FOREIGN_BF16, FOREIGN_OTHER } foreign_type;

typedef struct {
    const char *name;
    foreign_type type;
    int rank; /* FOREIGN_RANK + 1: more */
    int64_t shape[FOREIGN_RANK];
    int64_t begin, end; /* bytes in the data of its file */
    int file;
    bool taken;
} foreign_tensor;

typedef struct {
    at_arena *arena;
    at_err *err;
    tensors_source *files;
    int n_files;
    foreign_tensor *tensors; /* by name, ascending */
    int n, cap;
    const char *prefix; /* that all names have and nobody says: "transformer." */
    bool double_wide;   /* some tensor is F64 */
    bool strange;       /* what failed: a tensor that this layout has not, or has in another shape */
} foreign;

/* Opens FILE.safetensors, or in a folder model.safetensors or what model.safetensors.index.json names. foreign_close in any case. */
at_status foreign_open(foreign *f, const char *path, at_arena *arena, at_err *err);
at_status foreign_memory(foreign *f, const char *bytes, size_t n, at_arena *arena,
                         at_err *err); /* one file */
void foreign_close(foreign *f);

/* The tensor of this name behind the prefix, or NULL. */
foreign_tensor *foreign_find(const foreign *f, const char *name);
bool foreign_has(const foreign *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Its numbers, if it is there and has that shape (sizes of 0 end it); it is taken. */
at_status foreign_read(foreign *f, const char *name, const int64_t shape[FOREIGN_RANK], double *to);
/* Marks what nobody needs: names that end in `tail` (mask buffers). */
void foreign_pass(foreign *f, const char *tail);
/* Refuses what is left over, by name. */
at_status foreign_end(foreign *f);

/* ---- configuration ------------------------------------------------------------------------------------- */

#define CONFIG_KEYS 96

typedef struct {
    struct json_t *o; /* NULL: there is none */
    const char *path;
    const char *ignore; /* NULL, or keys separated by commas */
    at_err *err;
    at_status status; /* once failed, every call is a no-op */
    bool strange;     /* what failed: a key that this layout has not, or needs */
    const char *seen[CONFIG_KEYS];
    int n_seen;
} import_config;

/* Numbers, by the first of `keys` (words of a text) that is there; they are names of one thing, and refused when they differ. What is missing and has no default (def < least) is refused. */
int config_int(import_config *c, const char *keys, int def, int least, int most);
double config_real(import_config *c, const char *keys, double def, double least, double most);
bool config_bool(import_config *c, const char *keys, bool def);
const char *config_text(import_config *c, const char *keys,
                        const char *def);           /* NULL: null, or missing with def NULL */
bool config_has(import_config *c, const char *key); /* and it is not null */
/* Names of one thing, refused when they differ; what they say is read by another call. */
void config_alike(import_config *c, const char *keys);
/* The token that ends a text, or -1; *many: how many do, of which this is the first. */
int config_ends(import_config *c, int *many);
/* A key whose value must be this one where it is there: false, null, 0 and numbers below it are alike. */
void config_must(import_config *c, const char *key, bool on);
/* A key that says whether some tensors are there, where it is there. */
void config_agree(import_config *c, const char *key, bool there, const char *tensors);
/* What rotary positions are: theta, and the part of a head that turns (NULL: all of it); stretched angles are refused. Newer writers
 * have them in rope_parameters. */
void config_rope(import_config *c, const char *keys, double *theta, double *part);
/* model_type is one of these words, where it is there: another family may have the same names and compute something else. */
void config_family(import_config *c, const char *families);
struct json_t *config_get(import_config *c, const char *key); /* any value, or NULL */
/* Refuses keys that nobody took and that are not known to be harmless. */
at_status config_end(import_config *c);

/* ---- layouts --------------------------------------------------------------------------------------------- */

/* What all these transformers are: layers of attention and an MLP over one residual stream. */
typedef struct {
    const char *name;
    int D, layers, heads, kv_heads, dk, hidden, vocab, out; /* out: rows of the readout */
    const char *out_of, *vocab_of;                          /* what says these, where they may differ */
    int length, table;  /* positions; rows of a table of positions, 0: none */
    bool norms, folded; /* folded: their gains and shifts are in what follows */
    at_norm_kind norm_kind;
    double eps;
    at_act act;
    bool gated, parallel, no_mlp, bias, tied, causal, every;
    at_rotary rotary;
    bool alibi;
    double scale;               /* of scores */
    int end;                    /* the token that ends a text, or -1 */
    int ends;                   /* so many do; `end` is the first */
    bool final_norm, final_rms; /* final_rms: the last norm is RMS, whatever the others are */
} import_shape;

enum { IMPORT_SETS = 8 };

typedef struct import {
    foreign f;
    import_config c;
    import_shape z;
    at_model *m;
    const at_import_options *o;
    at_err *err;
    at_arena *arena;  /* scratch */
    at_status status; /* once failed, taking is a no-op */
    /* What may be missing is missing together: of each such set the first tensor that was asked for, and was it there. */
    struct {
        const char *with;
        bool there;
        char name[256];
    } sets[IMPORT_SETS];
    int n_sets;
} import;

typedef struct {
    const char *name, *about;
    bool (*is)(const foreign *f); /* by the names of its tensors */
    void (*shape)(import *p);     /* p->z from p->c and shapes */
    void (*fill)(import *p);      /* p->m's weights */
} import_layout;
extern const import_layout layout_gpt2, layout_neox, layout_llama, layout_nanogpt, layout_lens, layout_tracr;

/* ---- taking: a tensor of theirs becomes a part of one of ours; NULL `to` is passed over --------------------- */

/* Ours (rows, cols) = theirs (rows, cols), or (cols, rows) when `turned`. cols 0: a vector. */
void import_take(import *p, int tensor, int rows, int cols, bool turned, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Is it there? Fails by name when another one `with` it (a constant text) is there and it is not, or the other way round. */
bool import_there(import *p, const char *with, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same, where all `with` it may be missing: then ours stays as it is. */
void import_take_if(import *p, const char *with, int tensor, int rows, int cols, bool turned, const char *fmt,
                    ...) __attribute__((format(printf, 7, 8)));
/* Numbers of theirs (sizes of 0 end the shape) as scratch; NULL when something failed, or when it may be missing and is. */
const double *import_numbers(import *p, bool may, const int64_t shape[FOREIGN_RANK], const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Row `row` of ours, count rows of `cols` numbers, from `from`. */
void import_rows(import *p, int tensor, int row, int count, int cols, const double *from);
/* The readout (out, D), whose name has no prefix; tied: it may be missing. */
void import_head(import *p, const char *name);
void import_ones(import *p, int tensor); /* the gain of a norm without one */
/* The tensors of layer l in ours. */
const at_block *import_attention(const import *p, int l), *import_mlp(const import *p, int l);
/* The activation of this name in their world; fails by name. */
at_act import_act(import *p, const char *key, const char *name);
void import_fail(import *p, at_status code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
