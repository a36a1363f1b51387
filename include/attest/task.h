/* task.h: what is to be computed: generators, brute-force answers, enumerators. A task knows no model.
 *
 *     const at_task *t = at_task_find("match2");
 *     at_params p;
 *     at_params_init(&p, t->params, t->n_params);
 *     at_params_set(&p, "N", 6, &err); at_params_set(&p, "M", 11, &err);
 *     at_rng r = at_rng_at(seed, i);
 *     t->sample(&p, &r, x);            // x: (N, row_width)
 *     t->answer(&p, x, y);             // y: (N, out_width), by brute force
 */
#ifndef ATTEST_TASK_H
#define ATTEST_TASK_H

#include <attest/core.h>

/* ---- parameters, shared by tasks and claims ----------------------------------------------------- */

typedef struct {
    const char *name, *doc;
    double lo, hi, value; /* allowed range and default */
    bool integer;
    const char *const *names; /* NULL, or the names of lo, lo+1, ..., hi, which are written instead */
} at_param;

#define AT_PARAMS_MAX 12
typedef struct {
    const at_param *schema;
    int n;
    double value[AT_PARAMS_MAX];
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
uint64_t at_sweep_count(const at_sweep *w); /* at most 10^9 */
void at_sweep_nth(const at_sweep *w, uint64_t k, at_params *out);
void at_sweep_print(const at_sweep *w, at_text *out); /* like at_params_print */

/* ---- tasks --------------------------------------------------------------------------------------- */

/* How inputs are enumerated. SEQUENCES: every input of length N. MULTISETS: one representative (sorted)
 * of every orbit under permuting positions; only for tasks with `symmetric`. SUBSETS (qSA): inputs that
 * together use every q-subset as a query; the vectors z are drawn from the index. PAIRS (copy, block-mean): every
 * position with everything it may ask for, and the values that are worst for an output that is linear in them. */
typedef enum { AT_ENUM_SEQUENCES, AT_ENUM_MULTISETS, AT_ENUM_SUBSETS, AT_ENUM_PAIRS, AT_ENUMS } at_enum;
extern const char *const at_enum_names[AT_ENUMS];

typedef struct at_task {
    const char *id, *title, *definition; /* definition: one line of mathematics */
    const at_param *params;              /* always contains N, the length */
    int n_params;
    bool symmetric;         /* permuting positions permutes the answers */
    bool real;              /* answers are reals, compared in Euclidean norm per position with a tolerance */
    unsigned enums;         /* bit set over at_enum */
    const char *input_help; /* how a person writes an input */
    int (*row_width)(const at_params *p);
    int (*out_width)(const at_params *p);
    at_status (*validate)(const at_params *p,
                          at_err *err); /* ranges that join parameters, e.g. q <= N; may be NULL */
    void (*answer)(const at_params *p, const double *x, double *y);
    void (*sample)(const at_params *p, at_rng *r, double *x);
    /* Inputs near the decision boundary: near misses only, exactly one hit, crowds of near misses. */
    void (*adversarial)(const at_params *p, at_rng *r, double *x);
    uint64_t (*count)(const at_params *p, at_enum e); /* UINT64_MAX when too many to count */
    void (*nth)(const at_params *p, at_enum e, uint64_t index, double *x);
    /* The input after x in the enumeration; NULL: use nth. */
    void (*next)(const at_params *p, at_enum e, uint64_t index, double *x);
    /* A simpler input than x, the k-th candidate, for shrinking; false when there is no k-th. The
     * candidate must have the same length (lengths are shrunk by the checker). NULL: none. */
    bool (*simpler)(const at_params *p, const double *x, int n, int k, double *out);
} at_task;

/* Weights that a task's parameters name, for those who build it: relu-net's w1 (h, d1), b1 (h), w2 (d2, h), b2 (d2),
 * and linear-map's W (d2, d1). All are multiples of M/64 in [-M, M]. */
void at_relu_net_weights(const at_params *p, double *w1, double *b1, double *w2, double *b2);
void at_linear_map_weights(const at_params *p, double *W);

extern const at_task *const at_tasks[];
extern const int at_n_tasks;
const at_task *at_task_find(const char *id); /* NULL when unknown */

#endif
