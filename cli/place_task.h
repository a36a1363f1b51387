/* place_task.h: where a problem, a model or a language lies: circuit classes, the Chomsky hierarchy, and claims. */
#ifndef CLI_PLACE_TASK_H
#define CLI_PLACE_TASK_H

#include "cli.h"

#include <attest/report.h>

json_t *cli_lies_json(const at_lies *circuit, const at_lies *chomsky);

int cli_place_problem(const cli_args *a, const char *problem);
/* A model by its parts; `why`: the sentence that says why it is no automaton. */
int cli_place_model(const cli_args *a, const at_model *m, const char *why);
/* A file of formulas that is no automaton. */
int cli_place_formulas(const cli_args *a, const at_formulas *f);

#endif
