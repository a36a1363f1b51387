/* journal.c: what a training remembers besides its weights: curves, counts, and whose it is. Kept as the note of its state,
 * so that state and journal are always of the same step:
 *
 *     attest-learning 3
 *     source 0123456789abcdef                                  and ` test HASH` where exams are on a file of their own
 *     from -                                                   or the hash of the model that it began with
 *     freeze -                                                 or `freeze NAMES`, or `free NAMES`
 *     recipe attention=standard width=32 ...
 *     tokens 44160 gflops 0x1.8p+3 to90 nan sum 0x1.2p+1 stretch 14
 *     loss 14 0x1.1p+1
 *     exam 280 0x1.8p-1 0x1p-1
 *
 * Reals are hexadecimal: nothing is rounded. A note comes with a stranger's file: every line is checked. */
#include "learn_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLED 16 /* rows that tell a source from others */

static at_status positions_print(const at_source *d, uint64_t *out, at_err *err)
{
    size_t n = positions_numbers(d), answers = positions_answers(d);
    double *x = at_calloc(n + answers, sizeof *x), *y = x ? x + n : NULL;
    at_status s = x ? AT_OK : at_oom(err);
    *out = at_hash64(d->task->id, strlen(d->task->id), *out);
    for (uint64_t i = 0; i < SAMPLED && !s; i++)
        if (!(s = positions_sample(d, 0, i, x, y, err)))
            *out = at_hash64(x, (n + answers) * sizeof *x, *out);
    at_free(x);
    return s;
}

/* A number for what the source says; equal sources have equal ones. */
static at_status source_hash(const at_source *d, at_part part, uint64_t *out, at_err *err)
{
    int size[] = {at_source_vocabulary(d), at_source_longest(d)};
    *out = at_hash64(size, sizeof size, 1);
    if (at_source_positions(d))
        return positions_print(d, out, err);
    at_sequence s = {.token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
    at_status st = s.token ? AT_OK : at_oom(err);
    for (uint64_t i = 0; i < SAMPLED && !st; i++)
        if (!(st = at_source_sample(d, 0, part, i, &s, err)))
            *out = at_hash64(s.token, (size_t)s.n * sizeof(int), *out);
    at_free(s.token);
    return st;
}

/* `source HASH`, and with a user's own rows to examine on ` test HASH`. */
static at_status source_print(const journal *j, char out[64], at_err *err)
{
    learn_exams x = learn_exams_of(j->d, j->o);
    uint64_t source, test = 0;
    at_status s = source_hash(j->d, AT_TRAIN, &source, err);
    if (!s && j->o->test)
        s = source_hash(x.d, x.part, &test, err);
    if (!s && j->o->test)
        snprintf(out, 64, "source %016" PRIx64 " test %016" PRIx64, source, test);
    else if (!s)
        snprintf(out, 64, "source %016" PRIx64, source);
    return s;
}

static void freeze_print(const journal *j, at_text *out)
{
    at_text_addf(out, "%s %s", j->o->freeze && j->o->freeze_others ? "free" : "freeze",
                 j->o->freeze ? j->o->freeze : "-");
}

at_status journal_print(const journal *j, at_text *out, at_err *err)
{
    const at_outcome *o = j->out;
    char source[64];
    at_status s = source_print(j, source, err);
    if (s)
        return s;
    at_text_addf(out, "attest-learning 3\n%s\nfrom %s\n", source, j->from);
    freeze_print(j, out);
    at_text_add(out, "\nrecipe ");
    at_recipe_print(j->r, out);
    at_text_addf(out, "\ntokens %" PRIu64 " gflops %a to90 %a sum %a stretch %" PRIu64 "\n", o->tokens,
                 o->gflops, o->gflops_to_90, j->sum, j->stretch);
    for (int k = 0; k < o->n_loss; k++)
        at_text_addf(out, "loss %" PRIu64 " %a\n", o->loss[k].step, o->loss[k].loss);
    for (int k = 0; k < o->n_exams; k++)
        at_text_addf(out, "exam %" PRIu64 " %a %a\n", o->exams[k].step, o->exams[k].answer,
                     o->exams[k].chain);
    return out->oom ? at_oom(err) : AT_OK;
}

/* The first setting in which two recipes differ, theirs and ours; steps, which may grow, only when nothing else does. */
static at_status recipes_differ(const char *path, const char *theirs, const char *ours, at_err *err)
{
    const char *there = NULL, *here = NULL;
    while (*theirs && *ours && (!here || !strncmp(here, "steps=", 6))) {
        size_t n = strcspn(theirs, " "), k = strcspn(ours, " ");
        if (n != k || strncmp(theirs, ours, n)) {
            there = theirs;
            here = ours;
        }
        theirs += n + (theirs[n] == ' ');
        ours += k + (ours[k] == ' ');
    }
    if (!here)
        return at_fail(err, AT_EINPUT, "%.200s is of another training", path);
    return at_fail(err, AT_EINPUT, "%.200s is of another training: %.*s there, %.*s here", path,
                   (int)strcspn(there, " "), there, (int)strcspn(here, " "), here);
}

/* Is it this recipe, with fewer steps? */
static bool grew(const char *theirs, const char *ours, uint64_t steps)
{
    at_recipe r;
    at_err none = {0};
    at_text t;
    at_text_init(&t);
    at_recipe_init(&r);
    bool same = !at_recipe_set(&r, theirs, &none) && r.steps < steps;
    r.steps = steps;
    at_recipe_print(&r, &t);
    same = same && !t.oom && !strcmp(t.s, ours);
    at_text_release(&t);
    return same;
}

static at_status recipe_check(const journal *j, const char *path, const char *line, at_err *err)
{
    at_text ours;
    at_text_init(&ours);
    at_recipe_print(j->r, &ours);
    at_status s = ours.oom ? at_oom(err)
                  : strcmp(line, ours.s) && !grew(line, ours.s, j->r->steps)
                      ? recipes_differ(path, line, ours.s, err)
                      : AT_OK;
    at_text_release(&ours);
    return s;
}

static at_status freeze_check(const journal *j, const char *path, const char *line, at_err *err)
{
    at_text ours;
    at_text_init(&ours);
    freeze_print(j, &ours);
    at_status s = ours.oom ? at_oom(err)
                  : strcmp(line, ours.s)
                      ? at_fail(err, AT_EINPUT, "%.200s is of another training: %.100s there, %.100s here",
                                path, line, ours.s)
                      : AT_OK;
    at_text_release(&ours);
    return s;
}

/* A plan that grew has more steps than points of the old length can tell: neighbours become one, as often as it takes. What is
 * left over of a pair goes back to the sum of the stretch under way. */
static void stretch_double(journal *j)
{
    at_outcome *o = j->out;
    int pairs = o->n_loss / 2;
    if (o->n_loss % 2)
        j->sum += o->loss[o->n_loss - 1].loss * (double)j->stretch;
    for (int k = 0; k < pairs; k++)
        o->loss[k] =
            (at_loss_point){o->loss[2 * k + 1].step, (o->loss[2 * k].loss + o->loss[2 * k + 1].loss) / 2};
    o->n_loss = pairs;
    j->stretch *= 2;
}

static bool counts_parse(journal *j, const char *line)
{
    at_outcome *o = j->out;
    int read = 0;
    return sscanf(line, "tokens %" SCNu64 " gflops %la to90 %la sum %la stretch %" SCNu64 "%n", &o->tokens,
                  &o->gflops, &o->gflops_to_90, &j->sum, &j->stretch, &read) == 5 &&
           !line[read] && isfinite(o->gflops) && isfinite(j->sum) && j->stretch >= 1 &&
           j->stretch <= j->r->steps;
}

/* One point of a curve; false: it is not as it should be. Steps rise, up to those that the state has done. */
static bool point_parse(journal *j, const char *line)
{
    at_outcome *o = j->out;
    at_loss_point l;
    at_exam_point e;
    uint64_t done = at_trainer_steps(j->t);
    int read = 0;
    if (sscanf(line, "loss %" SCNu64 " %la%n", &l.step, &l.loss, &read) == 2 && !line[read] &&
        o->n_loss < AT_LOSS_POINTS) {
        uint64_t before = o->n_loss ? o->loss[o->n_loss - 1].step : 0;
        o->loss[o->n_loss++] = l;
        return isfinite(l.loss) && l.step == before + j->stretch && l.step <= done;
    }
    if (sscanf(line, "exam %" SCNu64 " %la %la%n", &e.step, &e.answer, &e.chain, &read) == 3 && !line[read] &&
        o->n_exams < j->most_exams) {
        uint64_t before = o->n_exams ? o->exams[o->n_exams - 1].step : 0;
        o->exams[o->n_exams++] = e;
        bool none = isnan(e.answer) && isnan(e.chain); /* no row of the sample did fit */
        return (none || (e.answer >= 0 && e.answer <= 1 && e.chain >= 0 && e.chain <= 1)) &&
               e.step > before && e.step <= done;
    }
    return false;
}

at_status journal_parse(journal *j, const char *path, char *note, at_err *err)
{
    char ours[64];
    at_status s = source_print(j, ours, err);
    char *line = note, *next;
    int k = 0;
    for (; line && *line && !s; line = next, k++) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end)
            *end = 0;
        if (k == 0 && !strcmp(line, "attest-learning 2"))
            s = at_fail(err, AT_EINPUT,
                        "%.200s was kept by an older attest, and recipes have other settings now; begin anew",
                        path);
        else if (k == 0 && strcmp(line, "attest-learning 3"))
            s = at_fail(err, AT_EINPUT, "%.200s: its note is not that of a training of a stream", path);
        else if (k == 1 && strcmp(line, ours))
            s = at_fail(err, AT_EINPUT,
                        "%.200s is of another training: of another stream or test file, or of other sizes",
                        path);
        else if (k == 2 && (strncmp(line, "from ", 5) || strcmp(line + 5, j->from)))
            s = at_fail(err, AT_EINPUT, "%.200s is of another training: %s there, %s here", path,
                        strcmp(line, "from -") ? "from a model" : "from random weights",
                        strcmp(j->from, "-") ? "from another model" : "from random weights");
        else if (k == 3)
            s = freeze_check(j, path, line, err);
        else if (k == 4)
            s = strncmp(line, "recipe ", 7) ? at_fail(err, AT_EINPUT, "%.200s: no recipe in its note", path)
                                            : recipe_check(j, path, line + 7, err);
        else if ((k == 5 && !counts_parse(j, line)) || (k > 5 && !point_parse(j, line)))
            s = at_fail(err, AT_EINPUT, "%.200s: line %d of its note is damaged", path, k + 1);
    }
    if (!s && k < 6)
        s = at_fail(err, AT_EINPUT, "%.200s: no whole note, so not of a training of a stream", path);
    if (!s && at_trainer_steps(j->t) > j->r->steps)
        s = at_fail(err, AT_EINPUT, "%.200s has done %" PRIu64 " steps of %" PRIu64, path,
                    at_trainer_steps(j->t), j->r->steps);
    while (!s && j->stretch * AT_LOSS_POINTS < j->r->steps)
        stretch_double(j);
    return s;
}
