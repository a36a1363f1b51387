/* triangle.c: TriIDGraph: position i holds row i of the adjacency matrix of a directed graph on N nodes; the answer is 1 iff node i lies
 * in a directed triangle x[i][j] x[j][k] x[k][i] = 1 (nodes may coincide, as in the definition: a loop is one).
 *
 * A row is N integers 0 or 1. The adversarial inputs are graphs in three parts with edges only from part to part, where a triangle
 * needs one edge of each kind; most of them have none, or one that is planted. */
#include "../problem_internal.h"

#define NODES_MAX 256

static const at_param schema[] = {{"N", "nodes", 1, NODES_MAX, 6, true}};

static int row_width(const at_params *p)
{
    return at_params_int(p, "N");
}

static int out_width(const at_params *p)
{
    (void)p;
    return 1;
}

static int fields(const at_params *p, at_field *out)
{
    out[0] = (at_field){.name = "edges", .kind = AT_FIELD_INT, .size = at_params_int(p, "N"), .hi = 1};
    return 1;
}

static bool edge(const double *x, int N, int i, int j)
{
    return x[(size_t)i * (size_t)N + (size_t)j] != 0;
}

static void answer(const at_params *p, const double *x, double *y)
{
    int N = at_params_int(p, "N");
    for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int j = 0; j < N && y[i] == 0; j++)
            for (int k = 0; k < N && y[i] == 0 && edge(x, N, i, j); k++)
                y[i] = edge(x, N, j, k) && edge(x, N, k, i);
    }
}

/* Each edge with one probability for the graph, so that few and many triangles both occur. */
static void sample(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N");
    uint64_t share = 1 + at_rng_below(r, 16);
    for (int e = 0; e < N * N; e++)
        x[e] = at_rng_below(r, 16) < share / 2;
}

static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N");
    uint64_t shift = at_rng_below(r, 3);
    bool two =
        at_rng_below(r, 2); /* edges from the last part to the first are missing, but for one perhaps */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int from = (int)(((uint64_t)i + shift) % 3), to = (int)(((uint64_t)j + shift) % 3);
            x[(size_t)i * (size_t)N + (size_t)j] =
                (from + 1) % 3 == to && !(two && to == 0) && at_rng_below(r, 2);
        }
    if (two && at_rng_below(r, 2))
        x[at_rng_below(r, (uint64_t)N) * (uint64_t)N + at_rng_below(r, (uint64_t)N)] = 1;
}

static uint64_t count(const at_params *p, at_enum e)
{
    int N = at_params_int(p, "N");
    if (e != AT_ENUM_SEQUENCES)
        return 0;
    return N * N < 63 ? (uint64_t)1 << (N * N) : UINT64_MAX;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    int N = at_params_int(p, "N");
    (void)e;
    for (int k = 0; k < N * N; k++)
        x[k] = (double)(index >> k & 1);
}

/* One edge less. */
static bool simpler(const at_params *p, const double *x, int n, int k, double *out)
{
    int N = at_params_int(p, "N");
    for (int e = 0; e < n * N; e++)
        if (x[e] != 0 && k-- == 0) {
            memcpy(out, x, (size_t)(n * N) * sizeof *x);
            out[e] = 0;
            return true;
        }
    return false;
}

AT_DECISION_DEFINE

const at_task at_task_triangle = {
    .id = "triangle",
    .title = "Nodes in a directed triangle",
    .definition = "y_i = 1 iff there are j, k with x_ij x_jk x_ki = 1 (i, j, k may coincide)",
    .params = schema,
    .n_params = AT_PARAMS_COUNT(schema),
    .enums = 1u << AT_ENUM_SEQUENCES,
    .input_help = "N rows of N numbers 0 or 1, as in \"0,1,0 0,0,1 1,0,0\"",
    .fields = fields,
    .row_width = row_width,
    .out_width = out_width,
    .answer = answer,
    .sample = sample,
    .adversarial = adversarial,
    .count = count,
    .nth = nth,
    .simpler = simpler,
    AT_CASES,
};
