/* learn_internal.h: what the files of learn share. */
#ifndef ATTEST_LEARN_INTERNAL_H
#define ATTEST_LEARN_INTERNAL_H

#include <attest/learn.h>

#define LESSON_BATCH_MOST 65536

/* Does the model write tokens, and are its words the source's? */
at_status learn_fits(const at_model *m, const at_source *d, at_err *err);

/* A training under way; the ctx of its loop. */
typedef struct {
    const at_source *d;
    const at_recipe *r;
    const at_learn_options *o;
    at_lesson *lesson;
    at_trainer *t;
    at_outcome *out;
    int most_exams;   /* room in out->exams */
    uint64_t stretch; /* steps in a point of the curve */
    double sum;       /* of the losses of the stretch so far */
    double given;     /* GFLOP of the last batch */
    double begun, last_loss;
    uint64_t tokens_now; /* since begun */
} journal;

/* As the note of a state, and back; damage, or another training's, is refused with the file's name. */
at_status journal_print(const journal *j, at_text *out, at_err *err);
at_status journal_parse(journal *j, const char *path, char *note, at_err *err);

#endif
