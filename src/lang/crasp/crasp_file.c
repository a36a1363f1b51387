/* crasp_file.c: files of C-RASP as problems: .crasp, and .cr of the public interpreter. */
#include "../formulas/terms.h"

static const char ask[] = "does the C-RASP program accept the word?";

static at_status crasp_read(at_problem *p, char *text, at_err *err)
{
    return terms_problem(p, text, at_crasp_read, at_crasp_print, "a C-RASP program", "definition", ask, err);
}

static at_status cr_read(at_problem *p, char *text, at_err *err)
{
    return terms_problem(p, text, at_cr_read, at_crasp_print, "a C-RASP program", "definition", ask, err);
}

static at_status open_crasp(at_problem *p, at_err *err)
{
    return words_open(p, crasp_read, err);
}

static at_status parse_crasp(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, crasp_read, err);
}

static at_status open_cr(at_problem *p, at_err *err)
{
    return words_open(p, cr_read, err);
}

static at_status parse_cr(at_problem *p, const char *text, size_t n, at_err *err)
{
    return words_parse(p, text, n, cr_read, err);
}

const at_lang at_lang_crasp = {.id = "crasp",
                               .suffix = ".crasp",
                               .about = "a C-RASP program or a formula of K_t[#], docs/languages.md",
                               .open = open_crasp,
                               .parse = parse_crasp};
const at_lang at_lang_cr = {.id = "cr",
                            .suffix = ".cr",
                            .about = "a C-RASP program as the public interpreter has it, docs/languages.md",
                            .open = open_cr,
                            .parse = parse_cr};
