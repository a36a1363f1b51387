/* train_log.c: the log of a training, for plots and for `tail -f`.
 *
 * A line is written when it is there, with all before it. A training that is gone on with says some lines again: those in the
 * file are cut off first, so that every line is there once. Of a step with an exam the loss comes first. */
#include "train_log.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD     "step,loss,rate,tokens_per_s,answers,chains\n"
#define FIRST    "{\"step\": "
#define LOG_MOST ((size_t)64 << 20)

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), k = strlen(ending);
    return n > k && !strcmp(path + n - k, ending);
}

/* What is in the file; *data is NULL when there is none, or nothing in it. */
static at_status log_read(const train_log *l, char **data, size_t *n, at_err *err)
{
    at_err none = {0};
    *data = NULL;
    *n = 0;
    if (at_file_read(l->path, LOG_MOST, data, n, &none) || !*n)
        return AT_OK;
    const char *begins = l->csv ? HEAD : FIRST;
    if (*n >= strlen(begins) && !memcmp(*data, begins, strlen(begins)))
        return AT_OK;
    at_free(*data);
    *data = NULL;
    return at_fail(err, AT_EINPUT, "%.200s is there already, and is no log of a training", l->path);
}

at_status train_log_open(train_log *l, const char *path, bool goes_on, at_err *err)
{
    char *data;
    size_t n;
    *l = (train_log){.path = path, .goes_on = goes_on, .csv = path && ends_in(path, ".csv")};
    if (!path)
        return AT_OK;
    if (!l->csv && !ends_in(path, ".jsonl"))
        return at_fail(err, AT_EINPUT, "--log '%.200s': must be FILE.jsonl or FILE.csv", path);
    at_status s = log_read(l, &data, &n, err);
    at_free(data);
    return s;
}

/* A line of an exam has no loss. */
static bool is_exam(const train_log *l, const char *after)
{
    const char *none = l->csv ? ",," : ", \"loss\": null";
    return !strncmp(after, none, strlen(none));
}

/* How much of the file was said before this line. */
static size_t part_before(const train_log *l, const char *data, size_t n, const at_learn_line *now)
{
    size_t at = l->csv ? strlen(HEAD) : 0;
    while (at < n) {
        const char *line = data + at, *end = memchr(line, '\n', n - at);
        char *after;
        size_t skip = l->csv ? 0 : strlen(FIRST);
        if (!end || (size_t)(end - line) <= skip)
            break;
        uint64_t step = strtoull(line + skip, &after, 10);
        if (after == line + skip || step > now->step ||
            (step == now->step && (is_exam(l, after) || !isnan(now->loss))))
            break;
        at = (size_t)(end - data) + 1;
    }
    return at < n ? at : n;
}

static at_status log_begin(const train_log *l, const at_learn_line *now, at_err *err)
{
    char *data;
    size_t n, keep;
    at_status s = log_read(l, &data, &n, err);
    if (s)
        return s;
    keep = l->goes_on && data ? part_before(l, data, n, now) : 0;
    s = keep ? at_file_write(l->path, data, keep, err)
             : at_file_write(l->path, HEAD, l->csv ? strlen(HEAD) : 0, err);
    at_free(data);
    return s;
}

static void number_print(const train_log *l, const char *key, double v, at_text *t)
{
    at_text_add(t, l->csv ? "," : ", ");
    if (!l->csv)
        at_text_addf(t, "\"%s\": ", key);
    if (isfinite(v))
        at_text_addf(t, "%.9g", v);
    else if (!l->csv)
        at_text_add(t, "null");
}

void train_log_line(train_log *l, const at_learn_line *line)
{
    if (!l->path || l->err.code || (!l->begun && log_begin(l, line, &l->err)))
        return;
    l->begun = true;
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "%s%" PRIu64, l->csv ? "" : FIRST, line->step);
    number_print(l, "loss", line->loss, &t);
    number_print(l, "rate", line->rate, &t);
    number_print(l, "tokens_per_s", round(line->tokens_per_s), &t);
    number_print(l, "answers", line->answer, &t);
    number_print(l, "chains", line->chain, &t);
    at_text_add(&t, l->csv ? "\n" : "}\n");
    FILE *f = t.oom ? NULL : fopen(l->path, "a");
    bool good = f && fwrite(t.s, 1, t.n, f) == t.n;
    if ((f && fclose(f)) || !good)
        at_fail(&l->err, AT_EIO, "%.200s cannot be written", l->path);
    at_text_release(&t);
}
