/* check_ask.h: `attest check MODEL --problem P` and `attest check FILE.dp`: the user's own questions. */
#ifndef ATTEST_CLI_CHECK_ASK_H
#define ATTEST_CLI_CHECK_ASK_H

#include "cli.h"

typedef struct {
    const char *problem, *lengths; /* NULL: not given */
    bool exact, certify;
    uint64_t sampled; /* 0: not given */
    double tolerance;
    const char *attention;         /* NULL: all that apply */
    const char *alphabet, *output; /* of the problem; NULL: not given */
} cli_asked;

/* Is the word no claim but a model, or a problem that can be compiled? */
bool cli_is_asked(const char *word, const cli_asked *q);
/* Of what was given the first option that says how to ask, which claims are not asked by; NULL: none. */
const char *cli_asked_idle(const cli_asked *q);
/* The words as claims; some: (a->n_words). 0, or the exit code after a message. */
int cli_ask_words(const cli_args *a, const cli_asked *q, cli_claims *held, const at_claim **some);

#endif
