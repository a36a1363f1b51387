/* program_file.c: the text of a program as `show` and `compile` treat it. */
#include "cli.h"

#include <string.h>

bool cli_is_program(const char *path)
{
    static const char end[] = ".program";
    size_t n = strlen(path), m = sizeof end - 1;
    return n > m && !strcmp(path + n - m, end);
}

/* The program of the file, and its model. */
static at_status program_open(const cli_args *a, at_program **P, at_model *m, double *error, at_err *err)
{
    at_status s = at_program_load(a->words[0], a->set, P, err);
    if (!s && a->has_precision)
        at_program_arithmetic(*P, a->precision);
    if (!s)
        s = at_assemble(*P, m, error, err); /* it derives what the print shows */
    if (s) {
        at_program_free(*P);
        *P = NULL;
    }
    return s;
}

int cli_program_put(const cli_args *a, const at_program *P)
{
    at_text t;
    at_text_init(&t);
    if (at_program_print_exact(P, &t))
        t.oom = true;
    return cli_put_text(a, &t, CLI_HOLDS);
}

int cli_program_show(const cli_args *a, bool exact)
{
    at_err err = {0};
    at_program *P;
    at_model m;
    at_size z;
    double error;
    if (program_open(a, &P, &m, &error, &err))
        return cli_fail(a, &err);
    at_model_size(&m, &z);
    at_model_release(&m);
    if (exact && !a->json) {
        int code = cli_program_put(a, P);
        at_program_free(P);
        return code;
    }
    at_text t;
    at_text_init(&t);
    if (exact ? at_program_print_exact(P, &t) : at_program_print(P, &t))
        t.oom = true;
    at_program_free(P);
    if (a->json) {
        json_t *j = cli_json_set(json_object(), "program", t.oom ? NULL : cli_json_text(t.s));
        at_text_release(&t);
        j = cli_json_set(j, "error", cli_json_number(error));
        return cli_put_json(a, cli_json_set(j, "size", cli_size_json(&z)), CLI_HOLDS);
    }
    at_text_add(&t, "\nsize\n");
    at_text size;
    at_text_init(&size);
    cli_size_print(&z, &size);
    cli_wrap(&t, size.oom ? "" : size.s, 2, cli_columns());
    t.oom |= size.oom;
    at_text_release(&size);
    return cli_put_text(a, &t, CLI_HOLDS);
}

int cli_program_compile(const cli_args *a)
{
    at_err err = {0};
    at_program *P;
    at_model m;
    at_size z;
    double error;
    if (program_open(a, &P, &m, &error, &err))
        return cli_fail(a, &err);
    at_program_free(P);
    at_model_size(&m, &z);
    at_text name;
    at_text_init(&name);
    at_text_add_plain(&name, m.name);
    at_status s = at_model_save(&m, a->out, &err);
    at_model_release(&m);
    int code;
    if (s)
        code = cli_fail(a, &err);
    else if (a->json) {
        json_t *j = cli_json_set(json_object(), "program", name.oom ? NULL : cli_json_text(name.s));
        j = cli_json_set(j, "model", cli_json_text(a->out));
        j = cli_json_set(j, "error", cli_json_number(error));
        code = cli_put_json(a, cli_json_set(j, "size", cli_size_json(&z)), CLI_HOLDS);
    } else {
        at_text t;
        at_text_init(&t);
        at_text_addf(&t, "program %s, outputs within %.2g of what it means\n", name.oom ? "" : name.s, error);
        at_text_add_plain(&t, a->out);
        at_text_add(&t, ": ");
        cli_size_print(&z, &t);
        at_text_add(&t, "\n");
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_text_release(&name);
    return code;
}
