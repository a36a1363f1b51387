/* weights.c: mutants of weights through the checks of the catalogue (docs/mutants.md).
 *
 *     mutants_weights [--claim ID] [--count N] [--threads N] [--out FILE] [--weak] [--summary]
 *
 * Mutant k of a claim is one change, drawn from k alone, of the model of one of the claim's quick cells (cell k mod
 * cells, at its largest point). Cells that draw only a handful of inputs tell that a construction runs at a size, and cannot see
 * every weight: they are asked with --weak, which asks no others. The cell's own question is asked of the mutant. Then,
 * without the checker:
 *
 *     rejected    the check does not pass it, and it is wrong: the check's counterexample is one, or the search finds one
 *     survived    the check passes it, and the search finds an input on which it is wrong
 *     equivalent  the check passes it, and it is right on every input of the domain
 *     alike       the check passes it, and it is right on all inputs that the search drew; the domain is too large to run
 *     careful     the check does not pass it (it says that it does not know), and the search finds nothing wrong
 *     false       the check's counterexample is none
 *
 * Each is a line of FILE at once. A later run of the same build skips what is there. Before the mutants of a cell the model itself must be
 * right in the same search. Exit 1: fewer than 99.5% of those that are wrong were rejected, or there was a `false`. */
#include "weights.h"

#include <attest/job.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED        10 /* of the changes */
#define SEARCH_SEED 77 /* of the inputs searched; the checks' own is 1 */
#define CHECK_SEED  1
#define COUNT       200
#define MOST_CELLS  64
#define HANDFUL     1000 /* inputs drawn: a cell with fewer is weak */
#define PART        0.995

typedef enum { REJECTED, SURVIVED, EQUIVALENT, ALIKE, CAREFUL, FALSE_ALARM, OUTCOMES } outcome;
static const char *const outcome_names[OUTCOMES] = {"rejected", "survived", "equivalent",
                                                    "alike",    "careful",  "false"};

typedef struct {
    uint64_t n[OUTCOMES];
} counts;

typedef struct {
    question q;
    at_model m;
} place;

typedef struct {
    const at_claim *claim;
    const char *mark; /* of its lines, behind the claim's id: "" or "+weak" */
    place places[MOST_CELLS];
    int n_places;
    bool *known; /* mutants with a line in the file */
    FILE *out;
    counts *counts;
    pthread_mutex_t lock;
    at_err err; /* the first */
} run;

/* ---- one mutant ------------------------------------------------------------------------------------------- */

/* What the check said; rejected, for now, means "not passed". */
static at_status mutant_judge(const place *at, const at_model *mutant, at_arena *a, outcome *out,
                              at_text *how, at_err *err)
{
    const question *q = &at->q;
    at_verdict v = {0};
    at_err refused = {0};
    at_status s = at_claim_check(q->claim, q->cell, &q->p, mutant, q->limit, CHECK_SEED,
                                 &(at_check_env){.threads = 1}, a, &v, &refused);
    if (s == AT_ENOMEM)
        return at_fail(err, s, "%s", refused.text);
    bool passed = !s && v.holds == AT_TRUE;
    if (!s && v.holds == AT_FALSE && v.has_counterexample) {
        bool wrong, right;
        s = question_wrong(q, mutant, v.cx.x, v.cx.n, &wrong, err);
        if (!s)
            s = question_wrong(q, &at->m, v.cx.x, v.cx.n, &right, err);
        *out = wrong && !right ? REJECTED : FALSE_ALARM;
        at_text_addf(how, "counterexample at input %ju", (uintmax_t)v.cx.index);
        return s;
    }
    found f;
    s = search_run(q, mutant, SEARCH_SEED, &f, err);
    *out = f.wrong ? passed ? SURVIVED : REJECTED : !passed ? CAREFUL : f.whole ? EQUIVALENT : ALIKE;
    if (f.wrong)
        at_text_addf(how, "wrong on %.200s", f.input.s);
    else
        at_text_addf(how, "%ju inputs", (uintmax_t)f.inputs);
    if (!passed)
        at_text_addf(how, "; check: %s", refused.code ? refused.text : v.note ? v.note : "unknown");
    at_text_release(&f.input);
    return s;
}

static void mutant_do(void *ctx, size_t k, int worker)
{
    run *r = ctx;
    (void)worker;
    if (r->known[k] || r->err.code || at_cancel_pending())
        return;
    const place *at = &r->places[k % (size_t)r->n_places];
    at_rng rng = at_rng_at(at_hash64(r->claim->id, strlen(r->claim->id), SEED), k);
    at_text what, how, asked;
    at_text_init(&what);
    at_text_init(&how);
    at_text_init(&asked);
    at_arena a;
    at_arena_init(&a);
    at_err err = {0};
    at_model mutant;
    at_model_init(&mutant);
    change c;
    outcome o = CAREFUL;
    double start = at_now();
    at_status s = change_draw(&at->m, &rng, &c) ? at_model_copy(&at->m, &mutant, &err)
                                                : at_fail(&err, AT_EINPUT, "no change changes this model");
    if (!s) {
        change_apply(&mutant, &c);
        change_print(&mutant, &c, &what);
        question_print(&at->q, &asked);
        s = mutant_judge(at, &mutant, &a, &o, &how, &err);
    }
    pthread_mutex_lock(&r->lock);
    if (s && !r->err.code)
        at_fail(&r->err, s, "claim %s, mutant %zu (%s): %s", r->claim->id, k, what.s ? what.s : "", err.text);
    if (!s) {
        for (char *p = how.s; p && *p; p++)
            *p = *p == '\t' || *p == '\n' ? ' ' : *p;
        fprintf(r->out, "%s\t%s%s\t%zu\t%s\t%s\t%s\t%s\t%.2f\n", at_build_id(), r->claim->id, r->mark, k,
                outcome_names[o], asked.s, what.s, how.s, at_now() - start);
        fflush(r->out);
        r->counts->n[o]++;
    }
    pthread_mutex_unlock(&r->lock);
    at_model_release(&mutant);
    at_arena_release(&a);
    at_text_release(&what);
    at_text_release(&how);
    at_text_release(&asked);
}

/* ---- one claim -------------------------------------------------------------------------------------------- */

static bool cell_weak(const at_cell *cell)
{
    return cell->evidence == AT_EV_SAMPLED && (cell->inputs + 9) / 10 < HANDFUL;
}

static at_status places_open(run *r, at_err *err)
{
    at_status s = AT_OK;
    for (int i = 0; i < r->claim->n_cells && r->n_places < MOST_CELLS && !s; i++) {
        const at_cell *cell = &r->claim->cells[i];
        if (cell->control || cell->tier != AT_TIER_QUICK || cell_weak(cell) != (*r->mark != 0))
            continue;
        place *at = &r->places[r->n_places++];
        at_model_init(&at->m);
        s = question_open(r->claim, cell, &at->q, err);
        if (!s)
            s = at_claim_model(r->claim, &at->q.p, &at->m, err);
        at_rng any = at_rng_at(SEED, 0);
        /* A constant (the language of all words) has no weight but 0, so nothing to change. */
        if (!s && !change_draw(&at->m, &any, &(change){0})) {
            r->n_places--;
            question_close(&at->q);
            at_model_release(&at->m);
            continue;
        }
        found f = {0};
        if (!s)
            s = search_run(&at->q, &at->m, SEARCH_SEED, &f, err);
        if (!s && f.wrong) {
            at_text t;
            at_text_init(&t);
            question_print(&at->q, &t);
            s = at_fail(err, AT_EINPUT, "claim %s, %s: the model itself is wrong on %.300s", r->claim->id,
                        t.s, f.input.s);
            at_text_release(&t);
        }
        at_text_release(&f.input);
    }
    return s;
}

static void places_close(run *r)
{
    for (int i = 0; i < r->n_places; i++) {
        question_close(&r->places[i].q);
        at_model_release(&r->places[i].m);
    }
}

/* Lines of this build and claim in the file: what they say is counted, and not done again. */
static at_status known_read(run *r, const char *path, size_t count, at_err *err)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return AT_OK;
    char *line = NULL;
    size_t room = 0;
    char name[80];
    snprintf(name, sizeof name, "%s%s", r->claim->id, r->mark);
    while (getline(&line, &room, f) > 0) {
        char build[64], id[80], word[32];
        size_t k;
        if (sscanf(line, "%63s %79s %zu %31s", build, id, &k, word) != 4 || strcmp(build, at_build_id()) ||
            strcmp(id, name) || k >= count || r->known[k] || !strchr(line, '\n'))
            continue;
        for (int o = 0; o < OUTCOMES; o++)
            if (!strcmp(word, outcome_names[o])) {
                r->known[k] = true;
                r->counts->n[o]++;
            }
    }
    free(line);
    fclose(f);
    return r->known ? AT_OK : at_oom(err);
}

static void counts_print(const char *name, const counts *c)
{
    uint64_t differ = c->n[REJECTED] + c->n[SURVIVED];
    printf("%-18s", name);
    for (int o = 0; o < OUTCOMES; o++)
        printf(" %10ju", (uintmax_t)c->n[o]);
    if (differ)
        printf("  %6.2f%%", 100. * (double)c->n[REJECTED] / (double)differ);
    printf("\n");
    fflush(stdout);
}

static at_status claim_run(const at_claim *c, bool weak, size_t count, int threads, const char *path,
                           bool summary, counts *sum, at_err *err)
{
    run r = {.claim = c,
             .mark = weak ? "+weak" : "",
             .counts = &(counts){{0}},
             .known = at_calloc(count, sizeof *r.known)};
    if (!r.known)
        return at_oom(err);
    at_status s = known_read(&r, path, count, err);
    uint64_t left = 0;
    for (size_t k = 0; k < count; k++)
        left += !r.known[k];
    if (!s && left && !summary) {
        pthread_mutex_init(&r.lock, NULL);
        r.out = fopen(path, "a");
        s = r.out ? places_open(&r, err) : at_fail(err, AT_EIO, "%s cannot be written", path);
        if (!s && r.n_places)
            s = at_parallel(threads, count, mutant_do, &r, err);
        if (!s && r.err.code) {
            *err = r.err;
            s = err->code;
        }
        if (r.out)
            fclose(r.out);
        places_close(&r);
        pthread_mutex_destroy(&r.lock);
    }
    if (!s)
        counts_print(c->id, r.counts);
    for (int o = 0; o < OUTCOMES; o++)
        sum->n[o] += r.counts->n[o];
    at_free(r.known);
    return s;
}

int main(int argc, char **argv)
{
    const char *only = NULL, *path = "build/mutants/weights.tsv";
    int64_t count = COUNT, threads = 0;
    bool summary = false, weak = false;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--summary"))
            summary = true;
        else if (!strcmp(argv[i], "--weak"))
            weak = true;
        else if (!strcmp(argv[i], "--claim") && *value)
            only = argv[++i];
        else if (!strcmp(argv[i], "--out") && *value)
            path = argv[++i];
        else if (!strcmp(argv[i], "--count") && at_parse_i64(value, strlen(value), &count) && count > 0)
            i++;
        else if (!strcmp(argv[i], "--threads") && at_parse_i64(value, strlen(value), &threads) &&
                 threads >= 0)
            i++;
        else {
            fprintf(stderr, "usage: mutants_weights [--claim ID] [--count N] [--threads N] [--out FILE] "
                            "[--weak] [--summary]\n");
            return 2;
        }
    }
    at_err err = {0};
    const at_claim *one = NULL;
    if (only && at_claim_need(only, &one, &err)) {
        fprintf(stderr, "mutants_weights: %s\n", err.text);
        return 2;
    }
    printf("%-18s", "claim");
    for (int o = 0; o < OUTCOMES; o++)
        printf(" %10s", outcome_names[o]);
    printf("\n");
    counts sum = {{0}};
    int without = 0, failed = 0;
    for (int i = 0; i < at_n_catalogue; i++) {
        const at_claim *c = at_catalogue[i];
        without += c->trial != NULL;
        if (c->trial || (one && c != one))
            continue;
        if (claim_run(c, weak, (size_t)count, (int)threads, path, summary, &sum, &err)) {
            fprintf(stderr, "mutants_weights: %s\n", err.text);
            err = (at_err){0};
            failed++;
        }
    }
    counts_print("all", &sum);
    if (!one) {
        printf("%d limits have no model:", without);
        for (int i = 0; i < at_n_catalogue; i++)
            if (at_catalogue[i]->trial)
                printf(" %s", at_catalogue[i]->id);
        printf("\n");
    }
    double differ = (double)(sum.n[REJECTED] + sum.n[SURVIVED]);
    return failed || sum.n[FALSE_ALARM] || (double)sum.n[REJECTED] < PART * differ;
}
