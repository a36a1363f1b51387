/* fuzz_input.c: an input line from a stranger, for one of a few small models (chosen by the first byte).
 *
 * A line is refused in words, or it is in the domain; then it prints to a line that parses to the same
 * numbers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/model.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MODELS 5
static const struct {
    int n_fields;
    at_field fields[4];
} shapes[MODELS] = {
    {1, {{.name = "x", .kind = AT_FIELD_TOKEN, .size = 17}}},
    {1, {{.name = "s", .kind = AT_FIELD_SUBSET, .size = 5, .pick = 3}}},
    {2, {{.name = "x", .size = 3}, {.name = "r", .kind = AT_FIELD_REAL, .size = 2, .lo = -1, .hi = 1e300}}},
    {1,
     {{.name = "i", .kind = AT_FIELD_INT, .size = 3, .lo = -9007199254740992.0, .hi = 9007199254740992.0}}},
    {4,
     {{.name = "\x1b[1m", .size = 2},
      {.name = "s", .kind = AT_FIELD_SUBSET, .size = 4, .pick = 2},
      {.name = "r", .kind = AT_FIELD_REAL, .size = 1, .lo = 0, .hi = 1},
      {.name = "i", .kind = AT_FIELD_INT, .size = 1, .lo = -3, .hi = 3}}},
};

static void shape_build(at_model *m, int which)
{
    at_err err = {0};
    at_model_init(m);
    m->width = 1;
    m->n_max = 12;
    m->n_fields = shapes[which].n_fields;
    m->fields = at_new(&m->arena, at_field, m->n_fields);
    if (!m->fields)
        abort();
    for (int k = 0; k < m->n_fields; k++) {
        m->fields[k] = shapes[which].fields[k];
        m->fields[k].embed.width = 1;
    }
    m->readout.rows = 1;
    if (at_model_layout(m, &err) != AT_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    at_model m;
    at_arena a;
    at_err err = {0};
    at_input x, back;
    at_text t;
    shape_build(&m, data[0] % MODELS);
    at_arena_init(&a);
    at_text_init(&t);
    char *line = malloc(size);
    if (!line)
        abort();
    memcpy(line, data + 1, size - 1);
    line[size - 1] = 0;
    at_status st = at_input_parse(&m, line, &a, &x, &err);
    if (st != err.code || (st != AT_OK && !err.text[0]))
        abort();
    if (st == AT_OK) {
        if (at_input_check(&m, &x, &err) != AT_OK)
            abort();
        at_input_print(&m, &x, &t);
        if (at_input_parse(&m, t.s, &a, &back, &err) != AT_OK || back.n != x.n)
            abort();
        for (int i = 0; i < x.n * at_model_row_width(&m); i++)
            if (x.v[i] != back.v[i])
                abort();
    }
    free(line);
    at_text_release(&t);
    at_arena_release(&a);
    at_model_release(&m);
    return 0;
}
