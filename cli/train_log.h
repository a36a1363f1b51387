/* train_log.h: what `attest train` writes while it trains: a log, a line a stretch of steps or exam. */
#ifndef ATTEST_CLI_TRAIN_LOG_H
#define ATTEST_CLI_TRAIN_LOG_H

#include "cli.h"

#include <attest/learn.h>

typedef struct {
    const char *path; /* NULL: none is written */
    bool csv;         /* else a JSON object a line */
    bool goes_on;     /* of a training that is gone on with: its lines so far stay */
    bool begun;
    at_err err; /* what went wrong; nothing is written after that */
} train_log;

/* Is it NAME.csv or NAME.jsonl, and no other file that is there already? */
at_status train_log_open(train_log *l, const char *path, bool goes_on, at_err *err);
void train_log_line(train_log *l, const at_learn_line *line);

#endif
