/* equal_counts.h: counting programs against each other, for all lengths. */
#ifndef CLI_EQUAL_COUNTS_H
#define CLI_EQUAL_COUNTS_H

#include "equal_words.h"

typedef struct {
    bool include, empty;
} cli_counts;

/* FILE.crasp or FILE.cr */
bool cli_is_counts(const char *word);
/* The first word and the second, or the language, or nothing: proves or refutes it, prints the answer, and returns the exit code. */
int cli_equal_counts(const cli_args *a, const cli_language *l, const cli_counts *c);

#endif
