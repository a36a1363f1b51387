/* judge_circuit.c: circuits of models, written down for Berkeley's ABC, which judge_circuit.py asks.
 *
 *     judge_circuit FOLDER     a .blif, an .aag and an .aig file a model, and cases.jsonl
 *
 * A line of cases.jsonl is one model: name (of its files), about, inputs, and values: its answers by the executor, a digit for each input,
 * input k being bit k. The judge makes a circuit of these answers in its own way. */
#include <attest/circuit.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *folder;
    FILE *file;
    int models;
    at_err err;
} judge;

static const struct {
    at_weighting weighting;
    const char *arith;
    int layers, heads, letters, n, models;
} kinds[] = {
    {AT_LEFTMOST_HARD, "exact", 1, 1, 2, 10, 8}, {AT_LEFTMOST_HARD, "exact", 2, 2, 2, 7, 8},
    {AT_RIGHTMOST_HARD, "exact", 2, 1, 4, 4, 8}, {AT_AVERAGE_HARD, "exact", 1, 1, 2, 9, 8},
    {AT_AVERAGE_HARD, "exact", 2, 1, 2, 4, 8},   {AT_SOFTMAX, "p4e5", 1, 1, 2, 8, 8},
    {AT_SOFTMAX, "p3e5", 2, 1, 2, 4, 8},
};

static at_status files_write(judge *j, const at_circuit *c, const char *name)
{
    static const char *const ends[] = {"blif", "aag", "aig"};
    at_status s = AT_OK;
    for (int f = 0; f < 3 && !s; f++) {
        char path[4096];
        at_text t;
        at_text_init(&t);
        snprintf(path, sizeof path, "%s/%s.%s", j->folder, name, ends[f]);
        s = at_circuit_write(c, (at_circuit_format)f, &t, NULL, &j->err);
        if (!s)
            s = at_file_write(path, t.s, t.n, &j->err);
        at_text_release(&t);
    }
    return s;
}

/* The letters are a power of two: every input is a word. */
static at_status values_run(judge *j, const at_model *m, at_arith a, int n, int bits, char *out)
{
    at_arena arena;
    at_status s = AT_OK;
    double x[32];
    at_arena_init(&arena);
    for (int input = 0; input < 1 << (n * bits) && !s; input++) {
        at_output y;
        at_mark mark = at_arena_mark(&arena);
        for (int i = 0; i < n; i++)
            x[i] = input >> (i * bits) & ((1 << bits) - 1);
        s = at_run(m, a, &(at_input){n, x}, NULL, &arena, &y, &j->err);
        *out++ = !s && y.decision[0] != 0 ? '1' : '0';
        at_arena_reset(&arena, mark);
    }
    *out = 0;
    at_arena_release(&arena);
    return s;
}

static at_status model_write(judge *j, int kind, uint64_t index)
{
    char name[32], about[128], *values = NULL;
    at_arith a;
    at_model m;
    at_circuit *c = NULL;
    int n = kinds[kind].n, bits = kinds[kind].letters == 4 ? 2 : 1;
    at_circuit_drawing d = {kinds[kind].layers, kinds[kind].heads, kinds[kind].letters, n,
                            kinds[kind].weighting};
    at_status s = at_arith_parse(kinds[kind].arith, &a, &j->err);
    if (!s)
        s = at_circuit_draw(&d, 19, index, &m, &j->err);
    if (s)
        return s;
    snprintf(name, sizeof name, "c%d_%d", kind, (int)index);
    snprintf(about, sizeof about, "%s %s", at_weighting_names[d.weighting], kinds[kind].arith);
    s = at_circuit_of_model(&m, a, n, NULL, &c, &j->err);
    if (!s)
        s = (values = malloc(((size_t)1 << (n * bits)) + 1)) ? AT_OK : at_oom(&j->err);
    if (!s)
        s = values_run(j, &m, a, n, bits, values);
    if (!s)
        s = files_write(j, c, name);
    if (!s) {
        json_t *o = json_pack("{s:s, s:s, s:i, s:s}", "name", name, "about", about, "inputs", n * bits,
                              "values", values);
        char *line = json_dumps(o, JSON_COMPACT);
        s = line && fprintf(j->file, "%s\n", line) > 0 ? AT_OK : at_fail(&j->err, AT_EIO, "cannot write");
        free(line);
        json_decref(o);
        j->models++;
    }
    free(values);
    at_circuit_free(c);
    at_model_release(&m);
    return s;
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 2) {
        fprintf(stderr, "usage: judge_circuit FOLDER\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/cases.jsonl", argv[1]);
    judge j = {.folder = argv[1], .file = fopen(path, "w")};
    if (!j.file) {
        perror(path);
        return 2;
    }
    at_status s = AT_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int i = 0; i < kinds[k].models && !s; i++)
            s = model_write(&j, (int)k, (uint64_t)i);
    if (fclose(j.file) && !s)
        s = at_fail(&j.err, AT_EIO, "%s: cannot write", path);
    if (s) {
        fprintf(stderr, "judge_circuit: %s\n", j.err.text);
        return 1;
    }
    printf("%d circuits\n", j.models);
    return 0;
}
