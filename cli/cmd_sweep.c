/* cmd_sweep.c: `attest sweep`: a grid of trainings into the ledger, heat maps, tables and a report. */
#include "cli.h"

#include <attest/job.h>
#include <attest/report.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its own options. */
typedef struct {
    const char *preset, *widths, *seeds, *attentions, *problem; /* NULL: not given */
    bool estimate;
} own;

#define LEDGER "attest-sweep.db"
#define REPORT "attest-sweep.html"

typedef struct {
    const cli_args *args;
    json_t *rows; /* --json */
} teller;

static json_t *row_json(const at_sweep_event *e)
{
    json_t *o = cli_json_set(json_object(), "task", cli_json_text(e->row->key.subject));
    o = cli_json_set(o, "params", cli_json_text(e->row->key.params));
    o = cli_json_set(o, "seed", json_integer((json_int_t)e->row->rec.seed));
    o = cli_json_set(o, "verdict", cli_json_text(e->row->rec.verdict));
    o = cli_json_set(o, "seconds", cli_json_number(e->row->rec.seconds));
    o = cli_json_set(o, "served", json_boolean(e->served));
    json_t *detail = e->row->rec.detail ? json_loads(e->row->rec.detail, 0, NULL) : NULL;
    return cli_json_set(o, "detail", detail ? detail : json_null());
}

/* Every cell, whoever ran it, when all is done. */
static void counted(void *ctx, const at_sweep_event *e)
{
    teller *t = ctx;
    if (t->args->json)
        t->rows = cli_json_add(t->rows, row_json(e));
}

static void told(void *ctx, const at_sweep_event *e)
{
    teller *t = ctx;
    if (t->args->json)
        return;
    const at_recipe *r = &e->cell->recipe;
    at_arena arena;
    at_finding f;
    at_arena_init(&arena);
    bool read = !at_finding_of_row(e->row, &arena, &f, NULL) && !f.broken;
    at_text line;
    at_text_init(&line);
    at_text_addf(&line, "%3d/%-3d %-10s %s=%-3g %-8s D=%-4d seed %d  ", e->done, e->of, e->row->key.subject,
                 e->cell->task->size, e->cell->size, at_attention_names[r->arch.attention], r->arch.width,
                 (int)r->seed);
    if (read && f.training.kl >= 0)
        at_text_addf(&line, "KL %.4f of %.4f nats  e^-KL %5.1f%%", f.training.kl, f.training.entropy,
                     100 * f.training.answer);
    else
        at_text_addf(&line, "answers %5.1f%%  chains %5.1f%%", read ? 100 * f.training.answer : 0,
                     read ? 100 * f.training.chain : 0);
    at_text_addf(&line, "  %4.0f s%s%s\n", e->row->rec.seconds,
                 read && f.training.flags && !strcmp(f.training.flags, "diverged") ? "  diverged" : "",
                 e->served ? "  (ledger)" : "");
    at_arena_release(&arena);
    cli_put_text(t->args, &line, 0);
    cli_flush();
}

/* Cells of streams that have probabilities in place of answers. */
static int drawn_count(const at_grid_cell *cells, int n)
{
    int drawn = 0;
    for (int i = 0; i < n; i++)
        drawn += cells[i].source && at_source_is_drawn(cells[i].source);
    return drawn;
}

static int summary_print(const cli_args *a, const at_sweep_summary *sum, const at_row *rows, size_t n,
                         const char *db, const char *report, int drawn, json_t *cells)
{
    if (a->json) {
        json_t *o = cli_json_set(json_object(), "build", cli_json_text(at_build_id()));
        o = cli_json_set(o, "trainings", json_integer(sum->cells));
        o = cli_json_set(o, "good", json_integer(sum->good));
        o = cli_json_set(o, "served", json_integer(sum->served));
        o = cli_json_set(o, "seconds", cli_json_number(sum->seconds));
        return cli_put_json(a, cli_json_set(o, "cells", cells), CLI_HOLDS);
    }
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    at_text_add(&t, "\n");
    if (at_trained_text(rows, n, cli_columns(), cli_color(), &t, &err)) {
        at_text_release(&t);
        return cli_fail(a, &err);
    }
    at_text_addf(&t, "\n%d of %d trainings reach 90%% of %s (%.0f s%s)\nledger %s\nreport %s\n", sum->good,
                 sum->cells,
                 drawn == sum->cells ? "e^-KL"
                 : drawn             ? "answers, or of e^-KL"
                                     : "answers",
                 sum->seconds, sum->served ? ", some from the ledger" : "", db, report);
    return cli_put_text(a, &t, CLI_HOLDS);
}

/* ---- before it starts ------------------------------------------------------------------------------------------ */

static json_t *costs_json(const at_grid_cell *cells, const double *cpu, int n, double all)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        const at_recipe *r = &cells[i].recipe;
        json_t *o = cli_json_set(json_object(), "task", cli_json_text(cells[i].task->stream));
        o = cli_json_set(o, "params", cli_json_text(cells[i].params));
        o = cli_json_set(o, "attention", cli_json_text(at_attention_names[r->arch.attention]));
        o = cli_json_set(o, "width", json_integer(r->arch.width));
        o = cli_json_set(o, "seed", json_integer((json_int_t)r->seed));
        list = cli_json_add(list, cli_json_set(o, "cpu_seconds", cli_json_number(cpu[i])));
    }
    json_t *o = cli_json_set(json_object(), "trainings", json_integer(n));
    o = cli_json_set(o, "cpu_hours", cli_json_number(all / 3600));
    return cli_json_set(o, "cells", list);
}

/* A line for each task, size and attention: what a training of each width costs. */
static void costs_table(const at_grid_cell *cells, const double *cpu, int n, at_text *t)
{
    for (int i = 0; i < n; i++) {
        const at_grid_cell *c = &cells[i], *seen = NULL;
        for (int k = 0; k < i && !seen; k++)
            if (cells[k].task == c->task && cells[k].size == c->size &&
                cells[k].recipe.arch.attention == c->recipe.arch.attention)
                seen = &cells[k];
        if (seen)
            continue;
        at_text_addf(t, "  %-10s %s=%-4g %-8s", c->task->stream, c->task->size, c->size,
                     at_attention_names[c->recipe.arch.attention]);
        for (int k = i, last = -1; k < n; k++)
            if (cells[k].task == c->task && cells[k].size == c->size &&
                cells[k].recipe.arch.attention == c->recipe.arch.attention &&
                cells[k].recipe.arch.width != last) {
                last = cells[k].recipe.arch.width;
                at_text_addf(t, "  D=%d ", last);
                cli_time_print(cpu[k], "CPU ", t);
            }
        at_text_add(t, "\n");
    }
}

/* What it would cost; with --estimate a line for each kind of training, too. */
static at_status costs_say(const cli_args *a, const at_preset *p, const at_grid_cell *cells, int n,
                           at_err *err)
{
    const own *given = a->own;
    double *cpu = calloc((size_t)n + 1, sizeof *cpu), all = 0;
    at_status s = cpu ? at_grid_cost(cells, n, cli_progress(), cpu, err) : at_oom(err);
    cli_progress_clear();
    for (int i = 0; i < n && !s; i++)
        all += cpu[i];
    if (!s && a->json && given->estimate)
        cli_put_json(a, costs_json(cells, cpu, n, all), CLI_HOLDS);
    if (!s && !a->json) {
        at_text t;
        at_text_init(&t);
        if (given->estimate)
            costs_table(cells, cpu, n, &t);
        at_text_addf(&t, "preset %s: %d trainings, ", p->id, n);
        cli_time_print(all, "CPU ", &t);
        at_text_addf(&t, " on this machine in all, ");
        cli_time_print(n ? all / n : 0, "CPU ", &t);
        at_text_add(&t, " a training on average, if none ends soon\n");
        if (p->differs)
            at_text_addf(&t, "where it is not the benchmark:\n%s", p->differs);
        cli_put_text(a, &t, CLI_HOLDS);
        cli_flush();
    }
    free(cpu);
    return s;
}

typedef struct {
    const at_row *rows;
    size_t n;
} trained;

static at_status trained_draw(const void *of, at_picture_kind kind, const char *path, at_err *err)
{
    const trained *t = of;
    (void)kind; /* the same, by the suffix */
    return at_trained_picture(t->rows, t->n, path, err);
}

static at_status report_write(const char *db, const cli_args *a, const char *report, at_arena *arena,
                              at_row **rows, size_t *n, at_err *err)
{
    at_text html;
    at_ledger *l;
    at_status s = at_ledger_open(db, AT_LEDGER_READ, &l, err);
    if (s)
        return s;
    s = at_ledger_rows(l, NULL, rows, n, arena, err);
    at_ledger_close(l);
    if (s)
        return s;
    size_t kept = 0; /* what else is in the ledger was not asked */
    for (size_t i = 0; i < *n; i++)
        if (at_row_is_trained(&(*rows)[i]))
            (*rows)[kept++] = (*rows)[i];
    *n = kept;
    at_text_init(&html);
    at_report_about about = {.command = cli_command_line(), .build = at_build_id()};
    s = at_report_catalogue(&about, *rows, *n, &html, err);
    if (!s)
        s = at_file_write(report, html.s, html.n, err);
    at_text_release(&html);
    if (!s && a->plot)
        s = cli_draw(trained_draw, &(trained){*rows, *n}, a->plot, err);
    return s;
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    const char *db = a->db ? a->db : LEDGER, *report = a->out ? a->out : REPORT;
    at_picture_kind kind;
    const char **words = malloc((size_t)(a->n_words + 1) * sizeof *words); /* and --problem is one more */
    if (!words)
        return cli_oom(a);
    for (int i = 0; i < a->n_words; i++)
        words[i] = a->words[i];
    words[a->n_words] = given->problem;
    at_grid g = {.preset =
                     at_registry_need(&at_preset_registry, given->preset ? given->preset : "quick", &err),
                 .tasks = words,
                 .n_tasks = a->n_words + (given->problem != NULL),
                 .set = a->set,
                 .attentions = given->attentions,
                 .widths = given->widths,
                 .seeds = given->seeds,
                 .recipe = a->recipe};
    cli_args named = *a; /* a file is not written over, whichever way it is named */
    named.words = words;
    named.n_words = g.n_tasks;
    at_ranks *ranks = NULL;
    if (!g.preset || at_ranks_open(&ranks, &err)) {
        free(words);
        return cli_fail(a, &err);
    }
    bool first = at_ranks_rank(ranks) == 0;
    at_arena arena;
    at_arena_init(&arena);
    at_grid_cell *cells = NULL;
    at_row *rows = NULL;
    size_t n_rows = 0;
    int n = 0;
    at_status s = at_grid_make(&g, &arena, &cells, &n, &err);
    if (!s && a->plot)
        s = at_picture_kind_of(a->plot, &kind, &err);
    if (!s && (at_file_probe(report, &err) || (a->plot && at_file_probe(a->plot, &err))))
        s = err.code;
    if (!s && !(cli_apart(db, report, &err) && cli_apart(db, a->plot, &err) &&
                cli_apart(report, a->plot, &err) && cli_kept(&named, &err)))
        s = err.code;
    s = at_ranks_agree(ranks, s, NULL, at_grid_stamp(cells, n), &err); /* all of them read the same files */
    teller t = {.args = a, .rows = a->json ? json_array() : NULL};
    at_sweep_summary sum;
    at_sweep_job job = {.ranks = ranks,
                        .db = db,
                        .threads = a->threads,
                        .progress = cli_progress(),
                        .told = told,
                        .counted = counted,
                        .ctx = &t};
    if (!s && (given->estimate || g.preset->differs))
        s = at_ranks_agree(ranks, first ? costs_say(a, g.preset, cells, n, &err) : AT_OK, NULL, 0, &err);
    if (!s && !given->estimate)
        s = at_job_sweep(cells, n, &job, &sum, &err);
    cli_progress_clear();
    if (!s && first && !given->estimate)
        s = report_write(db, a, report, &arena, &rows, &n_rows, &err);
    s = at_ranks_close(ranks, s, &err);
    int code = CLI_HOLDS;
    if (s || given->estimate) {
        json_decref(t.rows);
        code = s ? cli_fail(a, &err) : CLI_HOLDS;
    } else if (first)
        code = summary_print(a, &sum, rows, n_rows, db, report, drawn_count(cells, n), t.rows);
    else
        json_decref(t.rows);
    at_grid_release(cells, n);
    at_arena_release(&arena);
    free(words);
    return code;
}

static const own usual = {0};
/* What a grid has a list of is not set for all its cells. */
static const char *const listed[] = {"attention", "width", "seed", NULL};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_THREADS},
    {CLI_DB},
    {CLI_OUT},
    {CLI_PLOT},
    {"--problem", "P", "the same as a word P: a name or a file", CLI_TEXT(own, problem), .alias = "--task"},
    {"--preset", "NAME", "quick (default), paper or languages", CLI_TEXT(own, preset)},
    {"--widths", "D,D...", "instead of the preset's", CLI_TEXT(own, widths)},
    {"--seeds", "N,N...", "instead of the preset's", CLI_TEXT(own, seeds)},
    {"--attentions", "A,A...", "instead of all three", CLI_TEXT(own, attentions)},
    {"--estimate", NULL, "only say what it would cost on this machine", CLI_FLAG(own, estimate),
     .alias = "--dry-run"},
    {CLI_RECIPE, .without = listed},
    {0},
};

const cli_command cmd_sweep = {
    .name = "sweep",
    .summary = "a grid of trainings: task x attention x width x size x seed",
    .usage = "[P...] [--set K=V]... [--preset quick|paper|languages] [--attentions A,..] [--widths D,..] "
             "[--seeds N,..] "
             "[--SETTING V]...",
    .about =
        "Trains every cell of a grid and draws what share of answers is right over width and size, with\n"
        "the least width that suffices and what the theory of the catalogue says of each cell. The\n"
        "preset quick (lis, ed, ed-local, arithmetic; 60 cells, two seeds each) takes about an hour on\n"
        "two cores; paper is the protocol of the paper, for a cluster: before it starts it says what it "
        "would\n"
        "cost on this machine, tried for some seconds (--estimate: for any sweep, and nothing else), and "
        "where\n"
        "it is not the public benchmark. languages: is a word in the language, at its length and at twice "
        "that?\n"
        "A task of it, --widths, --seeds,\n"
        "--attentions and the settings of `attest train` narrow or change it.\n"
        "\n"
        "P may be any problem that `attest train` takes: a name, a .dp file, a file of cases or of rows. "
        "Its\n"
        "parameters are set by --set; one of them may be a range, as in n=4..6: the sizes of the sweep. The\n"
        "preset gives recipe, widths and seeds. A file is kept in the ledger by its name and its sha-256: "
        "when\n"
        "its text changes, the sweep is another one.\n"
        "\n"
        "Strings of a random n-gram model (ngram) have no right answer: instead of right answers a cell has\n"
        "e^-KL, KL a token from the model's probabilities to the stream's. --set n=2..4, symbols=3..6 or\n"
        "rank=1..4 are its sizes.\n"
        "\n"
        "Finished trainings are in the ledger at once (--db, by default attest-sweep.db): what was killed "
        "or\n"
        "interrupted goes on where it stopped. Cells run side by side, one a thread, and do not depend on\n"
        "their number. -o names the report, by default attest-sweep.html; --plot the heat maps alone.",
    .examples = "attest sweep\n"
                "attest sweep lis --widths 16,32 --seeds 1 --steps 2000\n"
                "attest sweep my.dp --set n=4..6 --widths 16,32 --seeds 1\n"
                "attest sweep ngram --set n=2,symbols=4,N=8,rank=1..3 --widths 8,16 --seeds 1\n"
                "attest sweep --preset paper --estimate\n"
                "attest sweep --preset paper --db paper.db --plot figure1.pdf\n",
    .options = options,
    CLI_OWN(usual),
    .least = 0,
    .most = -1,
    .ranks = true,
    .run = run,
};
