/* core.h: status, memory, random numbers, text, threads, progress, cancellation.
 *
 * Everything else builds on these. Nothing here prints or exits.
 *
 *     at_err err = {0};
 *     at_arena a; at_arena_init(&a);
 *     double *x = at_new(&a, double, n);
 *     if (!x) return at_oom(&err);
 *     ...
 *     at_arena_release(&a);
 */
#ifndef ATTEST_CORE_H
#define ATTEST_CORE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/status.h>

/* ---- status ------------------------------------------------------------------------------- */

/* Records one line in err (err may be NULL; the first failure wins) and returns code. Characters that act
 * (at_text_acts) are replaced in the formatted text, so model strings are harmless in a terminal. */
at_status at_fail(at_err *err, at_status code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
at_status at_oom(at_err *err); /* at_fail(err, AT_ENOMEM, "out of memory") */
int at_exit_code(at_status s); /* 0, 2 or 3 */

/* Mathematical answers are three-valued; AT_UNKNOWN is never a pass. */
typedef enum { AT_FALSE = 0, AT_TRUE = 1, AT_UNKNOWN = 2 } at_tri;
static inline at_tri at_tri_and(at_tri a, at_tri b)
{
    return a == AT_FALSE || b == AT_FALSE ? AT_FALSE : a == AT_TRUE && b == AT_TRUE ? AT_TRUE : AT_UNKNOWN;
}

/* ---- bytes -------------------------------------------------------------------------------- */

/* The low `bytes` (1 to 8) bytes of v, the lowest first, on every machine: files are written and read so. A size_t of 32 bits is
 * widened by the call, so no shift is longer than what it shifts. */
static inline void at_le_put(void *to, uint64_t v, int bytes)
{
    for (int k = 0; k < bytes; k++)
        ((unsigned char *)to)[k] = (unsigned char)(v >> (8 * k));
}
static inline uint64_t at_le_get(const void *from, int bytes)
{
    uint64_t v = 0;
    for (int k = 0; k < bytes; k++)
        v |= (uint64_t)((const unsigned char *)from)[k] << (8 * k);
    return v;
}

/* ---- memory ------------------------------------------------------------------------------- */

/* malloc and friends with injectable failure and a ceiling. Return NULL when out of memory. */
void *at_malloc(size_t bytes);
void *at_calloc(size_t n, size_t size); /* checks n*size */
/* The same of bytes; from 2 MiB on in pages of 2 MiB, where the system has them and the array fills them. */
void *at_calloc_large(size_t bytes);
void *at_realloc(void *p, size_t bytes);
AT_API void at_free(void *p);
/* Tests: the nth allocation from now fails (1 = the next one); 0 switches injection off. */
void at_alloc_inject(long nth);
bool at_alloc_injected(void);        /* did the injected failure fire since the last at_alloc_inject? */
void at_alloc_ceiling(size_t bytes); /* refuse a single allocation larger than this; 0 = no ceiling */
size_t at_alloc_most(void);          /* that ceiling */

/* An arena: results live in the arena that the caller passes. Blocks are zeroed and 64-byte aligned. */
typedef struct at_chunk at_chunk;
typedef struct {
    at_chunk *head;
} at_arena;
typedef struct {
    at_chunk *chunk;
    size_t used;
} at_mark;
void at_arena_init(at_arena *a);
void at_arena_release(at_arena *a);
void *at_arena_alloc(at_arena *a, size_t n, size_t size); /* n*size bytes, NULL when out of memory */
char *at_arena_strdup(at_arena *a, const char *s);
char *at_arena_printf(at_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
at_mark at_arena_mark(const at_arena *a);
void at_arena_reset(at_arena *a, at_mark m); /* frees what was allocated after the mark */
#define at_new(arena, T, n) ((T *)at_arena_alloc((arena), (size_t)(n), sizeof(T)))

/* ---- random numbers: counter-based, so that sample i never depends on threads --------------- */

typedef struct {
    uint64_t key, counter;
} at_rng;
at_rng at_rng_at(uint64_t seed, uint64_t stream);
uint64_t at_rng_u64(at_rng *r);
uint64_t at_rng_below(at_rng *r, uint64_t n); /* uniform in 0..n-1, unbiased; n >= 1 */
double at_rng_unit(at_rng *r);                /* uniform in [0,1) on the 2^-53 grid */
double at_rng_normal(at_rng *r);
uint64_t at_hash64(const void *data, size_t n, uint64_t seed); /* for tables, not for identity */

/* ---- elementary functions ------------------------------------------------------------------- */

/* Correctly rounded to nearest, so the same bits on every machine: the numbers that models are made of come from these, never
 * from the C library, whose last bit differs from machine to machine. Special values are those of C. */
double at_exp(double x);
double at_expm1(double x);
double at_exp2(double x);
double at_log(double x);
double at_log2(double x);
double at_pow(double x, double y);
double at_sin(double x);
double at_cos(double x);

/* ---- text --------------------------------------------------------------------------------- */

typedef struct {
    char *s; /* always NUL-terminated, "" when empty; NULL only before the first append */
    size_t n, cap;
    bool oom; /* sticky: an append failed */
} at_text;
void at_text_init(at_text *t);
void at_text_release(at_text *t);
void at_text_add(at_text *t, const char *s);
void at_text_addn(at_text *t, const char *s, size_t n);
void at_text_add_le(at_text *t, uint64_t v, int bytes); /* as at_le_put writes it */
void at_text_addf(at_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void at_text_add_word(at_text *t, const char *s);  /* in quotes where a shell would take it apart */
void at_text_add_plain(at_text *t, const char *s); /* characters that act, and malformed bytes, become '?' */
/* The next code point of s, which moves on by at least one byte; malformed UTF-8 gives U+FFFD; 0 at the end. */
#define AT_TEXT_REPLACEMENT 0xFFFDu
uint32_t at_text_next(const char **s);
/* Does c act on what stands around it, or on the terminal, instead of being seen? Controls (tab and newline among
 * them), direction, characters without a shape, and code points that are none. */
bool at_text_acts(uint32_t c);
/* Is all of s seen: UTF-8, and no character that acts? U+FFFD itself is, and bytes that stand for nothing are not. */
bool at_text_seen(const char *s);
void at_text_put(at_text *t, uint32_t c); /* one code point as UTF-8 */
/* Ends a text that was written aside: if all went well (s is AT_OK and t is whole) it is appended to out, else out stays as it
 * was. Releases t; returns s, or out of memory. */
at_status at_text_end(at_status s, at_text *t, at_text *out, at_err *err);

/* Foreign text made harmless (clean.c): a string that came from a model, a ledger or a caller reaches a picture or a page
 * only through these; after that it is valid UTF-8 without control characters. NULL is "". */
/* Control characters become their pictures (ESC is shown as U+241B), others that act instead of being seen U+FFFD. */
uint32_t at_text_visible(uint32_t c);
void at_text_add_clean(at_text *t, const char *s); /* one line of clean UTF-8 */
void at_text_add_html(at_text *t, const char *s);  /* the same, escaped for HTML, XML and their attributes */
void at_text_add_html_block(at_text *t, const char *s); /* the same; newline and tab stay */
/* x in at most 4 significant digits; NaN is a dash. */
const char *at_number_text(char out[32], double x);
/* The shortest decimal that reads back as the same double; integers below 1e15 without an exponent. */
const char *at_number_exact(char out[32], double x);
/* 1234567 as 1,234,567. */
const char *at_count_text(char out[32], uint64_t n);

/* Lines for a terminal (pen.c): no line is wider than the pen's columns. */
typedef struct {
    at_text *out;
    int columns, used;
} at_pen;
void at_pen_put(at_pen *p, uint32_t c); /* dropped when it does not fit */
void at_pen_add(at_pen *p, const char *s);
void at_pen_pad(at_pen *p, int to); /* blanks up to column `to` */
void at_pen_end(at_pen *p);         /* the line */
/* At most `most` columns of s, right-aligned in `width`. */
void at_pen_label(at_pen *p, const char *s, int width, int most);
void at_pen_wrap(at_pen *p, const char *s, int indent);
/* Columns that c takes in a terminal: 1 or 2, or 0 when that is not known for sure (draw '?'). */
int at_text_column(uint32_t c);
int at_text_columns(const char *s); /* columns of s when the pen writes it */

/* Does s end so, with something before it? */
bool at_ends_with(const char *s, const char *end);

/* Strict number parsing: the whole of s[0..n) must be the number. */
bool at_parse_i64(const char *s, size_t n, int64_t *out);
bool at_parse_double(const char *s, size_t n, double *out); /* finite only */

/* ---- registries: tables whose rows have a name ------------------------------------------------
 *
 *     at_registry tasks = AT_REGISTRY("task", "attest list tasks", at_tasks, at_n_tasks, id);
 *     const at_task *t = at_registry_need(&tasks, "mtch2", &err);
 *     // NULL, and err: unknown task 'mtch2'; did you mean 'match2'? (attest list tasks)
 *
 * Where none is near: unknown task 'xyz'; see `attest list tasks`. Without a command: unknown task 'xyz' (there are: a, b).
 * The table may be of pointers, of structs, or of names alone. */
typedef struct {
    const char *word; /* what a row is, for messages */
    const char *all;  /* the command that lists them; NULL: messages list them */
    const void *rows;
    int n;
    size_t bytes, at; /* of a row; where its name is in it */
    bool pointers;    /* a row is a pointer to a struct */
} at_registry;
/* member must be a const char *, or does not compile */
#define AT_NAMED(S, member) _Generic(((S *)0)->member, const char * : offsetof(S, member))
#define AT_REGISTRY(word, all, rows, n, member)                                                              \
    {                                                                                                        \
        word, all, rows, n, sizeof *(rows), AT_NAMED(__typeof__(**(rows)), member), true                     \
    }
#define AT_REGISTRY_OF_ROWS(word, all, rows, n, member)                                                      \
    {                                                                                                        \
        word, all, rows, n, sizeof *(rows), AT_NAMED(__typeof__(*(rows)), member), false                     \
    }
#define AT_REGISTRY_OF_NAMES(word, all, names, n)                                                            \
    {                                                                                                        \
        word, all, names, n, sizeof(const char *), 0, false                                                  \
    }

const char *at_registry_name(const at_registry *r, int i);
/* The struct (where the table is of names: the place in it) with this name, or NULL. */
const void *at_registry_find(const at_registry *r, const char *name);
/* The same; NULL means a failure: unknown, what may have been meant, and where to see all. */
const void *at_registry_need(const at_registry *r, const char *name, at_err *err);
const char *at_registry_nearest(const at_registry *r, const char *name); /* NULL when none is near */

/* The nearest of any candidates: at_guess g = {name}; then add them; then ask. The first of equally near ones. */
typedef struct {
    const char *name, *best;
    size_t distance; /* of best */
} at_guess;
void at_guess_add(at_guess *g, const char *candidate);
void at_guess_add_all(at_guess *g, const at_registry *r);
const char *at_guess_found(const at_guess *g); /* NULL when none is near */
/* "; did you mean 'x'?", or nothing where none is near; for the end of a sentence. Returns out. */
#define AT_GUESS_TEXT 80
const char *at_guess_text(const at_guess *g, char out[AT_GUESS_TEXT]);
/* A failure in the words of at_registry_need. all: the command that lists them. */
at_status at_guess_fail(const at_guess *g, const char *word, const char *all, at_err *err);
/* The candidate nearest to name by edit distance, or NULL when none is near. */
const char *at_nearest(const char *name, const char *const *candidates, size_t n);

/* ---- files: whole or not at all ------------------------------------------------------------- */

/* Reads a whole file of at most max bytes; *data is NUL-terminated, freed with at_free. */
at_status at_file_read(const char *path, size_t max, char **data, size_t *n, at_err *err);
/* The same for files from strangers: `look` sees the first 64 KiB (or all) and may refuse before more is read. */
typedef at_status at_file_look(const char *path, const char *first, size_t n, at_err *err);
at_status at_file_read_if(const char *path, size_t max, at_file_look *look, char **data, size_t *n,
                          at_err *err);
/* Writes beside the target, fsyncs, renames: the target is the old file or the new one, never half. Follows symbolic links; an
 * existing file keeps its mode, a new one's is by the umask. Removes what killed writers left in the folder. */
at_status at_file_write(const char *path, const void *data, size_t n, at_err *err);
/* Would at_file_write succeed, as far as can be told without writing? A file without a name is made in the folder, and goes again.
 * For whoever works long before there is something to write. */
at_status at_file_probe(const char *path, at_err *err);
/* Are these one file, or would writing make them one? */
bool at_file_same(const char *a, const char *b);

/* ---- threads ------------------------------------------------------------------------------ */

/* Calls fn(ctx, i, worker) for i = 0..n-1 on `threads` workers (0 = one a core). Order is free; the
 * caller writes result i to slot i and merges slots in order, so results do not depend on threads. */
typedef void at_parallel_fn(void *ctx, size_t i, int worker);
at_status at_parallel(int threads, size_t n, at_parallel_fn *fn, void *ctx, at_err *err);
/* Every thread that at_parallel starts calls fn before it ends: libraries that keep caches for each thread free them so. */
typedef void at_thread_end_fn(void);
void at_thread_on_end(at_thread_end_fn *fn);
int at_cores(void);

/* ---- progress, cancellation, time ----------------------------------------------------------- */

typedef struct {
    void (*tick)(void *ctx, const char *what, double done, double total); /* may be NULL */
    void *ctx;
} at_progress;
void at_progress_tick(const at_progress *p, const char *what, double done, double total); /* p may be NULL */
AT_API void at_cancel_request(void); /* async-signal-safe */
AT_API bool at_cancel_pending(void);
AT_API void at_cancel_clear(void); /* what comes next is not cancelled any more */
double at_now(void);               /* monotonic seconds */
double at_cpu_now(void);           /* CPU seconds of this process so far, over all threads */
size_t at_peak_rss_bytes(void);

/* ---- parameters, shared by problems and claims ----------------------------------------------------- */

typedef struct {
    const char *name, *doc;
    double lo, hi, value; /* allowed range and default */
    bool integer;
    const char *const *names; /* NULL, or the names of lo, lo+1, ..., hi, which are written instead */
} at_param;

#define AT_PARAMS_MAX 48
typedef struct {
    const at_param *schema;
    int n;
    double value[AT_PARAMS_MAX];
    const void *
        of; /* NULL, or the at_problem whose parameters these are: what was read from a file finds itself here */
} at_params;
void at_params_init(at_params *p, const at_param *schema, int n); /* defaults */
bool at_params_has(const at_params *p, const char *name);
double at_params_get(const at_params *p, const char *name); /* the name must exist */
int at_params_int(const at_params *p, const char *name);
/* Unknown names get a suggestion; values outside lo..hi, or fractions for integers, name the range. */
at_status at_params_set(at_params *p, const char *name, double value, at_err *err);
at_status at_params_parse(at_params *p, const char *assignments, at_err *err); /* "N=6 M=11" */
void at_params_print(const at_params *p, at_text *out); /* canonical: schema order, "N=6 M=11" */

/* Parameters of which integers may be ranges, "a=0..4 b=0..4": all points of the box, the last parameter fastest. */
typedef struct {
    at_params first;
    double last[AT_PARAMS_MAX];
} at_sweep;
void at_sweep_init(at_sweep *w, const at_param *schema, int n);
at_status at_sweep_parse(at_sweep *w, const char *assignments, at_err *err);
/* Does one of the assignments "N=6,M=11" set this parameter? assignments may be NULL. */
bool at_assignments_name(const char *assignments, const char *name);
/* The first of the assignments that is a range of integers, "n=4..9": where it begins, the bytes of its name, its ends. NULL:
 * there is none. */
const char *at_assignments_range(const char *assignments, size_t *name, int64_t *lo, int64_t *hi);
/* The assignments with this one put to a value, blanks between. */
void at_assignments_put(const char *assignments, const char *name, size_t n_name, double value, at_text *out);
uint64_t at_sweep_count(const at_sweep *w); /* at most 10^9 */
void at_sweep_nth(const at_sweep *w, uint64_t k, at_params *out);
void at_sweep_print(const at_sweep *w, at_text *out); /* like at_params_print */

#endif
