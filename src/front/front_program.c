/* front_program.c: texts of programs as a front end: what program.h reads and assembles. */
#include "front_internal.h"

/* The program of the file, and its model: assembly derives what the print shows. */
static at_status program_open(const at_reading *r, const char *set, const at_arith *arith, at_program **P,
                              at_model *m, double *error, at_err *err)
{
    at_status s = at_program_load(r->word, set, P, err);
    if (s)
        return s;
    if (arith)
        at_program_arithmetic(*P, *arith);
    s = at_assemble(*P, m, error, err);
    if (s)
        at_program_free(*P);
    return s;
}

static at_status front_params(const at_reading *r, at_arena *a, const at_param **schema, int *n, at_err *err)
{
    char *s;
    size_t length;
    at_param *rows;
    at_status st = at_file_read(r->word, AT_PROGRAM_TEXT_MAX, &s, &length, err);
    if (st)
        return st;
    st = at_program_params(&(at_program_text){.path = r->word, .s = s, .n = length}, a, &rows, n, err);
    *schema = rows;
    at_free(s);
    return st;
}

static at_status front_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                               at_said *said, at_err *err)
{
    at_program *P;
    double error;
    at_status s = program_open(r, set, o->arith, &P, m, &error, err);
    if (s)
        return s;
    at_program_free(P);
    at_text name;
    at_text_init(&name);
    at_text_add(&name, "");
    at_text_add_plain(&name, m->name);
    said->oom |= name.oom;
    at_text_addf(&said->line, "program %s, outputs within %.2g of what it means", name.oom ? "" : name.s,
                 error);
    at_fact_text(said, "program", name.oom ? "" : name.s);
    at_fact_number(said, "error", error);
    at_text_release(&name);
    return AT_OK;
}

static at_status front_show(const at_reading *r, const char *set, const at_show_options *o, at_said *said,
                            at_err *err)
{
    at_program *P;
    at_model m;
    double error;
    at_status s = program_open(r, set, NULL, &P, &m, &error, err);
    if (s)
        return s;
    at_model_size(&m, &said->size);
    said->sized = true;
    at_model_release(&m);
    if ((o->exact ? at_program_print_exact : at_program_print)(P, &said->lines))
        said->oom = true;
    at_program_free(P);
    at_fact_text(said, "program", said->lines.s && !said->lines.oom ? said->lines.s : "");
    at_fact_number(said, "error", error);
    return AT_OK;
}

static const at_lang lang = {
    .id = "program", .suffix = ".program", .about = "the text of a program, docs/program.md"};

const at_front at_front_program = {.lang = &lang,
                                   .about = "compiled with the attention that it says",
                                   .params = front_params,
                                   .compile = front_compile,
                                   .show = front_show,
                                   .exact = true};
