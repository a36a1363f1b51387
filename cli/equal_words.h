/* equal_words.h: models against languages of words. */
#ifndef CLI_EQUAL_WORDS_H
#define CLI_EQUAL_WORDS_H

#include "cli.h"

typedef struct {
    const char *regex, *alphabet; /* alphabet NULL: the model's letters */
    bool textbook;
} cli_language;

/* Decides for words of all lengths, prints the answer, and returns the exit code. */
int cli_equal_words(const cli_args *a, const at_model *m, const cli_language *l);
/* The same against the language of a file, a->words[1]. false: the model or the file has no automaton, or other letters; nothing is said. */
bool cli_equal_language(const cli_args *a, const at_model *m, const at_recogniser *r, int *code);

#endif
