/* front_internal.h: what the files of this module share. */
#ifndef ATTEST_FRONT_INTERNAL_H
#define ATTEST_FRONT_INTERNAL_H

#include <attest/front.h>

bool at_is_file(const char *name); /* it has a dot or a slash */
/* The problem of a name, or where l is not NULL the file of that name in language l. */
at_status at_problem_read(const char *name, const at_lang *l, const char *alphabet, at_problem **out,
                          at_err *err);
/* at_front.compile and at_front.show of what has none of its own, for those that add to it. */
at_status front_problem_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                                at_said *said, at_err *err);
at_status front_problem_show(const at_reading *r, const char *set, const at_show_options *o, at_said *said,
                             at_err *err);
/* The model is told what problem it is for; it is released when this fails. */
at_status front_remember(const at_params *p, at_model *m, at_err *err);
/* The model of P, which is freed. Its outputs are whole numbers, truths among them, and one whose error reaches 1/2 could be read
 * as another: such a model is refused. m is initialised by this call. */
at_status front_assemble(at_program *P, at_model *m, at_err *err);
/* The model of P, which is freed, with the letters as the words of its field. m is initialised by this call. */
at_status front_words_assemble(at_program *P, const at_alphabet *sigma, at_model *m, at_err *err);

/* at_front.model of languages of formulas (at_recogniser.formulas). Their rows: {.lang = &at_lang_ltl, AT_FRONT_FORMULAS}. The kind of
 * attention is that of the file's line `attention`. */
at_status at_front_formula_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err);
#define AT_FRONT_FORMULAS                                                                                    \
    .about = "hard attention finds positions, means count", .only = "as-written",                            \
    .model = at_front_formula_model
/* Gives the one field of a recogniser the letters of an alphabet as its words, and its verdicts no and yes; the model is released
 * when this fails. */
at_status at_model_letters(at_model *m, const at_alphabet *sigma, at_err *err);

#endif
