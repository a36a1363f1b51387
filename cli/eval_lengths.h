/* eval_lengths.h: how many of a file's rows are right, by the length of their prompts (private to eval). */
#ifndef ATTEST_CLI_EVAL_LENGTHS_H
#define ATTEST_CLI_EVAL_LENGTHS_H

#include "cli.h"

typedef struct {
    uint64_t asked, answers, chains; /* of them right */
    uint64_t left;                   /* not asked: they do not fit into the model */
} eval_length;
/* Words before <sep>; neighbours share a row where there would be more than EVAL_ROWS of them. */
#define EVAL_ROWS 24
typedef struct {
    eval_length *of; /* (most + 1), by length */
    int most;
} eval_lengths;

at_status eval_lengths_init(eval_lengths *l, const at_source *d, at_err *err);
void eval_lengths_release(eval_lengths *l);
void eval_lengths_add(eval_lengths *l, const at_exam_case *c);
bool eval_lengths_several(const eval_lengths *l); /* is there more than one? */
void eval_lengths_print(const eval_lengths *l, at_text *t);
json_t *eval_lengths_json(const eval_lengths *l);
at_status eval_lengths_draw(const eval_lengths *l, const char *path, at_err *err);

#endif
