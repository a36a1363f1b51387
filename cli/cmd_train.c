/* cmd_train.c: `attest train`: a decoder learns a stream; what comes out is a model file like any other. */
#include "train_log.h"

#include <attest/job.h>
#include <attest/report.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Its own options. */
typedef struct {
    const char *state, *from; /* NULL: not given */
    const char *test;
    const char *log, *best;
    const char *freeze, *free;
    const char *view;
    const char *preset;
    uint64_t keep_every; /* 0: none is kept */
    bool estimate, find_rate;
} own;

typedef struct {
    const cli_args *args;
    bool headed;
    train_log log;
} teller;

static void share_print(char out[16], double share)
{
    if (isnan(share))
        snprintf(out, 16, "-");
    else
        snprintf(out, 16, "%.1f%%", 100 * share);
}

static void told(void *ctx, const at_outcome *o)
{
    teller *t = ctx;
    if (t->args->json || !o->n_exams)
        return;
    const at_exam_point *e = &o->exams[o->n_exams - 1];
    char answer[16], chain[16];
    share_print(answer, e->answer);
    share_print(chain, e->chain);
    at_text line;
    at_text_init(&line);
    if (!t->headed)
        at_text_addf(&line, "%9s %10s %9s %9s %12s\n", "step", "loss", "answers", "chains", "tokens/s");
    t->headed = true;
    at_text_addf(&line, "%9" PRIu64 " %10.4g %9s %9s %12.0f\n", e->step,
                 o->n_loss ? o->loss[o->n_loss - 1].loss : NAN, answer, chain, o->tokens_per_s);
    cli_put_text(t->args, &line, 0);
    cli_flush();
}

static void line_told(void *ctx, const at_learn_line *l)
{
    train_log_line(&((teller *)ctx)->log, l);
}

/* m.safetensors becomes m.500.safetensors. */
static void kept_print(const char *out, uint64_t step, at_text *path)
{
    const char *name = strrchr(out, '/'), *dot = strrchr(name ? name : out, '.');
    int n = (int)(dot && dot > (name ? name + 1 : out) ? (size_t)(dot - out) : strlen(out));
    at_text_addf(path, "%.*s.%" PRIu64 "%s", n, out, step, out + n);
}

/* The models on the way: the best so far, and one every so many steps. */
static at_status model_kept(void *ctx, uint64_t step, bool better, const at_model *m, at_err *err)
{
    const teller *t = ctx;
    const own *given = t->args->own;
    at_status s = t->log.err.code ? at_fail(err, t->log.err.code, "%s", t->log.err.text) : AT_OK;
    if (!s && given->best && better)
        s = at_model_save(m, given->best, err);
    if (!s && given->keep_every && step % given->keep_every == 0) {
        at_text path;
        at_text_init(&path);
        kept_print(t->args->out, step, &path);
        s = path.oom ? at_oom(err) : at_model_save(m, path.s, err);
        at_text_release(&path);
    }
    return s;
}

static json_t *points_json(const at_outcome *o, bool exams)
{
    json_t *all = json_array();
    for (int k = 0; k < (exams ? o->n_exams : o->n_loss); k++) {
        json_t *one = cli_json_add(json_array(),
                                   json_integer((json_int_t)(exams ? o->exams[k].step : o->loss[k].step)));
        one = cli_json_add(one, cli_json_number(exams ? o->exams[k].answer : o->loss[k].loss));
        if (exams)
            one = cli_json_add(one, cli_json_number(o->exams[k].chain));
        all = cli_json_add(all, one);
    }
    return all;
}

static json_t *outcome_json(const at_recipe *r, const at_outcome *o)
{
    at_text recipe;
    at_text_init(&recipe);
    at_recipe_print(r, &recipe);
    json_t *j = cli_json_set(json_object(), "recipe", recipe.oom ? NULL : cli_json_text(recipe.s));
    at_text_release(&recipe);
    j = cli_json_set(j, "parameters", json_integer((json_int_t)o->parameters));
    j = cli_json_set(j, "steps", json_integer((json_int_t)o->steps));
    j = cli_json_set(j, "ended_soon", json_boolean(o->ended_soon));
    j = cli_json_set(j, "out_of_patience", json_boolean(o->out_of_patience));
    j = cli_json_set(j, "tokens", json_integer((json_int_t)o->tokens));
    j = cli_json_set(j, "gflops", cli_json_number(o->gflops));
    j = cli_json_set(j, "gflops_to_90", cli_json_number(o->gflops_to_90));
    j = cli_json_set(j, "seconds", cli_json_number(o->seconds));
    j = cli_json_set(j, "tokens_per_s", cli_json_number(round(o->tokens_per_s)));
    j = cli_json_set(j, "exam", cli_exam_json(&o->exam));
    j = cli_json_set(j, "loss", points_json(o, false));
    return cli_json_set(j, "exams", points_json(o, true));
}

static int outcome_print(const cli_args *a, const at_recipe *r, const at_outcome *o)
{
    if (a->json)
        return cli_put_json(a, outcome_json(r, o), CLI_HOLDS);
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "%s after %" PRIu64 " of %" PRIu64 " steps, %" PRIu64 " tokens, %.0f GFLOP, %.1f s\n",
                 o->out_of_patience ? "no better"
                 : o->ended_soon    ? "enough"
                                    : "done",
                 o->steps, r->steps, o->tokens, o->gflops, o->seconds);
    cli_exam_print(&o->exam, &t);
    if (a->out)
        at_text_addf(&t, "model %s\n", a->out);
    if (a->plot)
        at_text_addf(&t, "loss %s\n", a->plot);
    return cli_put_text(a, &t, CLI_HOLDS);
}

/* Loss, and shares of right answers and chains, against the steps. The axis is logarithmic: a share of 0 has no point. */
static at_status curve_write(const char *what, const at_outcome *o, const char *path, at_arena *arena,
                             at_err *err)
{
    static const char *const labels[] = {"loss", "answers right, of 1", "chains right, of 1"};
    at_series curve[3];
    for (int c = 0; c < 3; c++) {
        int most = c ? o->n_exams : o->n_loss, n = 0;
        double *x = at_new(arena, double, most), *y = at_new(arena, double, most);
        if (!x || !y)
            return at_oom(err);
        for (int k = 0; k < most; k++) {
            x[n] = (double)(c ? o->exams[k].step : o->loss[k].step);
            y[n] = c == 0 ? o->loss[k].loss : c == 1 ? o->exams[k].answer : o->exams[k].chain;
            n += y[n] > 0;
        }
        curve[c] = (at_series){.label = labels[c], .n = n, .x = x, .y = y};
    }
    at_plot plot = {.title = what,
                    .xlabel = "step",
                    .ylabel = "loss; share right",
                    .logy = true,
                    .series = curve,
                    .n_series = o->n_exams ? 3 : 1};
    return cli_plot_draw(&plot, path, err);
}

/* ---- before it starts ------------------------------------------------------------------------------------------ */

/* Of a preset that says in what it is not what it stands for: the cost in CPU time, which no other work on this machine changes. */
static at_status preset_say(const cli_args *a, const at_preset *p, at_source *d, const at_recipe *r,
                            at_err *err)
{
    const at_grid_task task = {.stream = a->words[0], .size = "size"};
    const at_grid_cell cell = {.preset = p, .task = &task, .params = "", .recipe = *r, .source = d};
    double cpu;
    at_text t;
    at_text_init(&t);
    bool ours = at_preset_set(p, a->words[0], a->set, &t);
    at_text_release(&t);
    at_status s = at_grid_cost(&cell, 1, cli_progress(), &cpu, err);
    cli_progress_clear();
    if (s || a->json)
        return s;
    at_text_init(&t);
    at_text_addf(&t, "preset %s: %s ", p->id, a->words[0]);
    at_params_print(&d->p, &t);
    at_text_add(&t, ", ");
    cli_time_print(cpu, "CPU ", &t);
    at_text_addf(&t, " on this machine\nwhere it is not the benchmark:\n%s", p->differs);
    if (!ours)
        at_text_add(
            &t, "size: none of the preset's; parameters that change with the size are the stream's own\n");
    cli_put_text(a, &t, CLI_HOLDS);
    cli_flush();
    return AT_OK;
}

static void cost_print(const at_recipe *r, const at_learn_cost *c, at_text *t)
{
    at_text_add(t, "about ");
    cli_time_print(c->seconds, "", t);
    at_text_addf(t, ": %" PRIu64 " steps of %.3g s, %.3g s a prompt of an exam; %zu parameters, %.3g GFLOP\n",
                 r->steps, c->step, c->prompt, c->parameters, c->gflop);
}

static int estimate_run(const cli_args *a, const at_source *d, const at_recipe *r,
                        const at_learn_options *learn)
{
    at_err err = {0};
    at_learn_cost c;
    if (at_learn_estimate(d, r, learn, &c, &err))
        return cli_fail(a, &err);
    if (a->json) {
        json_t *j = cli_json_set(json_object(), "seconds", cli_json_number(c.seconds));
        j = cli_json_set(j, "seconds_per_step", cli_json_number(c.step));
        j = cli_json_set(j, "seconds_per_prompt", cli_json_number(c.prompt));
        j = cli_json_set(j, "steps", json_integer((json_int_t)r->steps));
        j = cli_json_set(j, "parameters", json_integer((json_int_t)c.parameters));
        return cli_put_json(a, cli_json_set(j, "gflops", cli_json_number(c.gflop)), CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    cost_print(r, &c, &t);
    return cli_put_text(a, &t, CLI_HOLDS);
}

static at_status rates_draw(const at_rate_scan *scan, const char *path, at_err *err)
{
    double x[AT_RATE_STEPS], y[AT_RATE_STEPS];
    for (int k = 0; k < scan->n; k++) {
        x[k] = scan->point[k].rate;
        y[k] = scan->point[k].loss;
    }
    at_series loss = {.label = "loss, smoothed", .n = scan->n, .x = x, .y = y};
    at_plot plot = {.title = "loss while the rate rises",
                    .xlabel = "rate",
                    .ylabel = "loss",
                    .logx = true,
                    .series = &loss,
                    .n_series = 1};
    return cli_plot_draw(&plot, path, err);
}

static int rates_run(const cli_args *a, const at_source *d, const at_recipe *r, const at_learn_options *learn)
{
    at_err err = {0};
    at_rate_scan scan;
    at_status s = at_learn_rates(d, r, learn, &scan, &err);
    cli_progress_clear();
    if (!s && a->plot)
        s = rates_draw(&scan, a->plot, &err);
    if (s)
        return cli_fail(a, &err);
    int code = isnan(scan.suggest) ? CLI_UNDECIDED : CLI_HOLDS;
    if (a->json) {
        json_t *points = json_array();
        for (int k = 0; k < scan.n; k++)
            points = cli_json_add(
                points, cli_json_add(cli_json_add(json_array(), cli_json_number(scan.point[k].rate)),
                                     cli_json_number(scan.point[k].loss)));
        json_t *j = cli_json_set(json_object(), "suggest", cli_json_number(scan.suggest));
        j = cli_json_set(j, "diverged", json_boolean(scan.diverged));
        return cli_put_json(a, cli_json_set(j, "points", points), code);
    }
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "%10s %10s\n", "rate", "loss");
    for (int k = 0; k < scan.n; k += 10)
        at_text_addf(&t, "%10.2e %10.4g\n", scan.point[k].rate, scan.point[k].loss);
    if (scan.diverged)
        at_text_addf(&t, "the loss grew without end behind rate %.2g\n",
                     scan.point[scan.n ? scan.n - 1 : 0].rate);
    if (isnan(scan.suggest))
        at_text_add(&t, "the loss never fell; no rate to suggest\n");
    else
        at_text_addf(&t, "it fell most steeply at --rate %.1g\n", scan.suggest);
    return cli_put_text(a, &t, code);
}

/* A problem's rows of tokens, by these words, or its positions in their own numbers. A file of rows is trained on whole where tests
 * are in another one. */
static at_status source_open(const cli_args *a, const at_recipe *r, const at_vocabulary *words, at_source **d,
                             at_err *err)
{
    const own *given = a->own;
    at_problem *p;
    at_text set;
    bool positions = given->view && !strcmp(given->view, at_view_names[AT_VIEW_POSITIONS]);
    if (given->view && !positions && strcmp(given->view, at_view_names[AT_VIEW_ROWS]))
        return at_fail(err, AT_EINPUT, "--view %.40s: must be %s or %s", given->view,
                       at_view_names[AT_VIEW_POSITIONS], at_view_names[AT_VIEW_ROWS]);
    at_status s = at_problem_open(a->words[0], &p, err);
    if (s)
        return s;
    if (!given->view)
        positions = p->task && (at_learn_net_pure(r->net) || !at_problem_rows(p));
    if (positions && given->test) {
        at_problem_free(p);
        return at_fail(err, AT_EINPUT, "--test is a file of rows; here a task is learnt at its positions");
    }
    if (positions)
        return at_problem_positions(p, a->set, d, err);
    bool whole = given->test && at_problem_is_rows(p) && !at_assignments_name(a->set, "whole");
    at_text_init(&set);
    at_preset_set(given->preset ? at_preset_find(given->preset) : NULL, a->words[0], a->set, &set);
    at_text_add(&set, whole ? " whole=1" : "");
    s = set.oom ? at_oom(err) : at_problem_words(p, words, err);
    if (s)
        at_problem_free(p);
    else
        s = at_problem_source(p, set.s, d, err);
    at_text_release(&set);
    return s;
}

static at_status sources_open(const cli_args *a, const at_recipe *r, at_source **d, at_source **test,
                              const at_model *from, at_err *err)
{
    const own *given = a->own;
    at_vocabulary words = {0};
    at_arena arena;
    at_arena_init(&arena);
    at_status s = given->from ? at_vocabulary_of_model(from, given->from, &arena, &words, err) : AT_OK;
    if (!s)
        s = source_open(a, r, &words, d, err);
    if (!s && given->test) {
        s = at_vocabulary_of_source(*d, a->words[0], &arena, &words, err);
        if (!s)
            s = cli_rows_open(NULL, given->test, &words, test, err);
        if (s)
            at_source_free(*d);
    }
    at_arena_release(&arena);
    return s;
}

/* What the user asked for, found out before anything is begun. */
static at_status asked(const cli_args *a, at_recipe *r, at_source **d, at_source **test, at_model *from,
                       at_err *err)
{
    const own *given = a->own;
    at_picture_kind kind;
    const at_preset *preset =
        given->preset ? at_registry_need(&at_preset_registry, given->preset, err) : NULL;
    if (given->preset && !preset)
        return err->code;
    at_recipe_init(r);
    if (preset && at_recipe_set(r, preset->recipe, err))
        return err->code;
    for (int k = 0; preset && k < preset->n_tasks; k++)
        if (!strcmp(preset->tasks[k].stream, a->words[0]) && preset->tasks[k].recipe &&
            at_recipe_set(r, preset->tasks[k].recipe, err))
            return err->code;
    at_status s = a->recipe ? at_recipe_set(r, a->recipe, err) : AT_OK;
    if (!s && a->plot)
        s = at_picture_kind_of(a->plot, &kind, err);
    const char *const paths[] = {a->out, a->plot, given->state, given->log, given->best};
    for (int k = 0; k < 5 && !s; k++) {
        if (paths[k])
            s = at_file_probe(paths[k], err);
        for (int i = 0; i < k && !s; i++)
            if (!cli_apart(paths[k], paths[i], err))
                s = err->code;
    }
    if (!s && given->freeze && given->free)
        s = at_fail(err, AT_EINPUT, "--freeze and --free exclude each other");
    if (!s && given->estimate && given->find_rate)
        s = at_fail(err, AT_EINPUT, "--estimate and --find-rate exclude each other");
    if (!s && given->keep_every && !a->out)
        s = at_fail(err, AT_EINPUT, "--keep-every needs -o MODEL: what is kept is named after it");
    if (!s && given->best && !r->exam_every)
        s = at_fail(err, AT_EINPUT, "--best needs exams on the way; --exams 0 has none");
    if (!s && r->patience && !r->exam_every)
        s = at_fail(err, AT_EINPUT, "--patience needs exams on the way; --exams 0 has none");
    if (!s && !cli_kept(a, err))
        s = err->code;
    if (!s && given->from)
        s = at_model_load(from, given->from, err);
    if (!s && (s = sources_open(a, r, d, test, from, err)) && given->from)
        at_model_release(from);
    return s;
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    at_source *d, *test = NULL;
    at_recipe r;
    at_model from, m;
    at_outcome o;
    at_ranks *ranks = NULL;
    if (at_ranks_open(&ranks, &err))
        return cli_fail(a, &err);
    bool first = at_ranks_rank(ranks) == 0;
    at_status s = asked(a, &r, &d, &test, &from, &err);
    bool begun = !s, learnt = false;
    at_arena arena;
    at_arena_init(&arena);
    at_train_ranks together = at_ranks_training(ranks);
    teller t = {.args = a};
    if (!s)
        s = train_log_open(&t.log, first ? given->log : NULL, given->state && !access(given->state, F_OK),
                           &err);
    at_learn_options learn = {.threads = a->threads,
                              .test = test,
                              .from = given->from ? &from : NULL,
                              .freeze = given->freeze ? given->freeze : given->free,
                              .freeze_others = !given->freeze,
                              .state = given->state,
                              .keep_every = given->keep_every,
                              .line = first ? line_told : NULL,
                              .shown = first ? model_kept : NULL,
                              .ranks = at_ranks_count(ranks) > 1 ? &together : NULL,
                              .progress = cli_progress(),
                              .told = first ? told : NULL,
                              .ctx = &t};
    s = at_ranks_agree(ranks, s, NULL, 0, &err);
    bool only_asks = given->estimate || given->find_rate;
    const at_preset *preset = given->preset ? at_preset_find(given->preset) : NULL;
    if (!s && !only_asks && preset && preset->differs)
        s = at_ranks_agree(ranks, first ? preset_say(a, preset, d, &r, &err) : AT_OK, NULL, 0, &err);
    if (!s && !only_asks) {
        s = at_learn(d, &r, &learn, &arena, &o, &m, &err);
        learnt = !s;
        cli_progress_clear();
        if (!s && first && a->out)
            s = at_model_save(&m, a->out, &err);
        if (!s && first && a->plot)
            s = curve_write(a->words[0], &o, a->plot, &arena, &err);
    }
    int code =
        !s && first && only_asks ? (given->estimate ? estimate_run : rates_run)(a, d, &r, &learn) : CLI_HOLDS;
    s = at_ranks_close(ranks, s, &err);
    if (s)
        code = cli_fail(a, &err);
    else if (first && !only_asks)
        code = outcome_print(a, &r, &o);
    if (learnt)
        at_model_release(&m);
    if (begun && given->from)
        at_model_release(&from);
    if (begun) {
        at_source_free(test);
        at_source_free(d);
    }
    at_arena_release(&arena);
    return code;
}

static const own usual = {0};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_THREADS},
    {CLI_OUT},
    {CLI_PROBLEM},
    {"--view", "V", "positions (any task, in its own numbers) or rows (of tokens)", CLI_TEXT(own, view)},
    {"--state", "FILE", "keep the training here; go on when it is there", CLI_WRITTEN(own, state)},
    {"--test", "FILE", "examine on the lines of a file, by the same words", CLI_READ(own, test)},
    {"--from", "MODEL", "begin with the weights of a model file", CLI_READ(own, from)},
    {"--freeze", "NAMES", "tensors (block.0.*) or heads that keep their weights", CLI_TEXT(own, freeze)},
    {"--free", "NAMES", "all others keep theirs", CLI_TEXT(own, free)},
    {"--log", "FILE", "loss, rate, speed, exams by line: FILE.jsonl or FILE.csv", CLI_WRITTEN(own, log)},
    {"--best", "FILE", "the model of the best exam so far", CLI_WRITTEN(own, best)},
    {"--keep-every", "N", "also the model of every N steps, named after -o: m.500.st",
     CLI_WHOLE(own, keep_every, 1, 1000000000)},
    {"--preset", "NAME", "begin with the recipe of a sweep: quick, paper", CLI_TEXT(own, preset)},
    {"--estimate", NULL, "only say how long it would take on this machine", CLI_FLAG(own, estimate)},
    {"--find-rate", NULL, "only scan rates: where does the loss fall, where grow", CLI_FLAG(own, find_rate)},
    {CLI_PLOT},
    {CLI_RECIPE},
    {0},
};

const cli_command cmd_train = {
    .name = "train",
    .summary = "a net learns a stream or a task; a model file comes out",
    .usage = "STREAM|TASK|FILE [--set K=V]... [--SETTING V]... [-o MODEL] [--state FILE]",
    .about =
        "Trains a decoder on a stream (`attest list streams`) or on your own file of lines, with AdamW, on\n"
        "fresh samples, and examines it on prompts of the test part, which are never trained on: greedy\n"
        "completion, token by token. With --test they are those of a file of lines of your own, of which\n"
        "every word must be one of the stream's, or of your training file, which is then trained on whole;\n"
        "prompts that are trained on are not asked, and counted. Answers: what stands before <eos> is\n"
        "right; chains: every token before it too. The model (-o) is a plain model: run, generate, look,\n"
        "eval take it (that of an ffn, which has no step for one more row: run and eval).\n"
        "\n"
        "A task (`attest list tasks`) is learnt at positions, in its own numbers: tokens, subsets, reals.\n"
        "Answers that are tokens are learnt by cross entropy, numbers by squared error, from the task's\n"
        "samples; the exam is the task's own judgement, of all inputs where these are few, else of\n"
        "draws, every other one adversarial.\n"
        "The nets softmax, threewise (attention to pairs of keys) and unit (attention alone) are as\n"
        "theorems have them: no mask, no norms, heads as wide as the residual, 1 layer unless told;\n"
        "attention, three-wise, tanh, gru and ffn are other nets, which learn rows, too.\n"
        "Where a problem has both, these learn at positions, others its rows, unless --view is given.\n"
        "\n"
        "With --state the training is kept at every exam and when interrupted, and goes on from there; the\n"
        "result is the same, bit for bit, as without interruption, and for any number of threads. A loss\n"
        "that is not finite stops it with exit 2; what was kept stays. --from begins with the weights of\n"
        "a model file, trained or constructed; --freeze keeps parts of it as they are, say the heads of a\n"
        "compiled program, by the names that `attest show` gives them. A kept training may be asked for\n"
        "more --steps than before: the rate then follows the new plan.",
    .examples = "attest train lis --set n=10,range=25 --width 32 --rate 0.006 -o lis.st\n"
                "attest train arithmetic --attention linear --state run.state\n"
                "attest train ./mine.txt --width 64 --layers 2 --enough 0.99\n"
                "attest train ./mine.txt --test ./longer.txt --length 40 -o mine.st\n"
                "attest train match2 --set N=6,M=9 --net softmax --width 3 --rate 0.01 -o m.st\n"
                "attest train qsa --set N=8,q=2,d=2 --net unit --width 16 --rate 0.01 -o q.st\n"
                "attest train lis --set n=10 --find-rate --plot rates.svg\n"
                "attest train parity --log run.jsonl --best best.st --patience 5 --clip 1\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 1,
    .missing = "the name of a stream or a task",
    .ranks = true,
    .run = run,
};
