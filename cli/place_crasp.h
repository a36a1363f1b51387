/* place_crasp.h: is a regular language in C-RASP, by both ways of accepting. */
#ifndef CLI_PLACE_CRASP_H
#define CLI_PLACE_CRASP_H

#include "cli.h"

#include <attest/prove.h>

/* [0] accepting at the end marker, [1] at the last letter. */
typedef struct {
    at_crasp_place by[2];
} cli_place_crasp;

at_status cli_place_crasp_find(const at_dfa *d, at_arena *a, cli_place_crasp *out, at_err *err);
void cli_place_crasp_print(const at_alphabet *sigma, const cli_place_crasp *c, at_text *t);
json_t *cli_place_crasp_json(const at_alphabet *sigma, const cli_place_crasp *c);
/* Writes the program of one way. */
at_status cli_place_crasp_write(const cli_place_crasp *c, bool last, const char *path, at_err *err);

#endif
