/* cmd_eval.c: `attest eval`: how many of a stream's prompts a model completes rightly, and where it goes wrong. */
#include "eval_lengths.h"
#include "question.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Its own options. */
typedef struct {
    uint64_t count;   /* 0: USUAL, or all of a test file */
    at_part split;    /* AT_PARTS: the test part, or all of a test file */
    const char *test; /* NULL, or such a file */
    double enough;
} own;

#define USUAL 1000

static uint64_t count_of(const own *given)
{
    return given->count ? given->count : USUAL;
}

static at_part split_of(const own *given)
{
    return given->split < AT_PARTS ? given->split : given->test ? AT_ALL : AT_TEST;
}

#define SHOWN 3 /* wrong chains */

typedef struct {
    const cli_args *args;
    const at_source *d;
    at_text text;  /* the first wrong chains */
    json_t *wrong; /* the same for machines */
    int n;
    eval_lengths *lengths; /* NULL: not a file of rows */
} teller;

static void words_print(const at_source *d, const int *token, int n, at_text *out)
{
    at_text t;
    at_text_init(&t);
    at_source_print(d, token, n, &t);
    if (t.oom)
        out->oom = true;
    else if (t.s)
        at_text_add_plain(out, t.s);
    at_text_release(&t);
}

/* Prompt, what the model wrote, and what is right. */
static void told(void *ctx, const at_exam_case *c)
{
    teller *t = ctx;
    if (t->lengths)
        eval_lengths_add(t->lengths, c);
    if (!c->asked || c->grade.wrong < 0 || t->n == SHOWN)
        return;
    t->n++;
    int longest = at_source_longest(t->d);
    at_sequence s = {
        .n = c->n_prompt, .prompt = c->n_prompt, .token = at_calloc((size_t)longest, sizeof(int))};
    at_err none = {0};
    at_text prompt, wrote, right;
    at_text_init(&prompt);
    at_text_init(&wrote);
    at_text_init(&right);
    at_text_add(&right, "");
    at_text_add(&wrote, "");
    words_print(t->d, c->prompt, c->n_prompt, &prompt);
    words_print(t->d, c->completion, c->n, &wrote);
    if (s.token) {
        memcpy(s.token, c->prompt, (size_t)c->n_prompt * sizeof(int));
        if (!at_source_complete(t->d, &s, &none))
            words_print(t->d, s.token + s.prompt, s.n - s.prompt, &right);
    }
    if (!s.token || prompt.oom || wrote.oom || right.oom)
        t->text.oom = true;
    else if (t->args->json) {
        json_t *j = cli_json_set(json_object(), "index", json_integer((json_int_t)c->index));
        j = cli_json_set(j, "prompt", cli_json_text(prompt.s));
        j = cli_json_set(j, "wrote", cli_json_text(wrote.s));
        j = cli_json_set(j, "right", cli_json_text(right.s));
        t->wrong = cli_json_add(t->wrong, cli_json_set(j, "first_wrong", json_integer(c->grade.wrong + 1)));
    } else {
        at_text_addf(&t->text, "\nwrong from token %d of %s sample %" PRIu64 "\n", c->grade.wrong + 1,
                     at_part_names[split_of(t->args->own)], c->index);
        cli_row(&t->text, "  prompt", 10, prompt.s, cli_columns());
        cli_row(&t->text, "  wrote", 10, wrote.s, cli_columns());
        cli_row(&t->text, "  right", 10, right.s, cli_columns());
    }
    at_text_release(&prompt);
    at_text_release(&wrote);
    at_text_release(&right);
    at_free(s.token);
}

static json_t *shares_json(const at_shares *h)
{
    json_t *j = cli_json_set(json_object(), "rows", json_integer((json_int_t)h->rows));
    j = cli_json_set(j, "whole", json_boolean(h->whole));
    j = cli_json_set(j, "entropy", cli_json_number(h->entropy));
    j = cli_json_set(j, "cross_entropy", cli_json_number(h->cross));
    j = cli_json_set(j, "kl", cli_json_number(h->kl));
    return cli_json_set(j, "kl_error", cli_json_number(h->error));
}

/* Of a stream whose rows are drawn. */
static void shares_print(const at_shares *h, at_text *t)
{
    char n[32];
    at_text_addf(t, "rows           %s %s\n", at_count_text(n, h->rows),
                 h->whole ? "that there are, each by its probability" : "drawn");
    at_text_addf(t, "entropy        %.6f nats a token\n", h->entropy);
    at_text_addf(t, "cross entropy  %.6f\n", h->cross);
    at_text_addf(t, "KL             %.6f", h->kl);
    if (!h->whole)
        at_text_addf(t, " +- %.6f", h->error);
    at_text_add(t, "\n");
}

json_t *cli_exam_json(const at_exam *e)
{
    if (e->drawn)
        return shares_json(&e->shares);
    json_t *j = cli_json_set(json_object(), "prompts", json_integer((json_int_t)e->count));
    j = cli_json_set(j, "unfit", json_integer((json_int_t)e->unfit));
    j = cli_json_set(j, "seen", json_integer((json_int_t)e->seen));
    j = cli_json_set(j, "several_answers", json_integer((json_int_t)e->several));
    j = cli_json_set(j, "distinct", e->distinct ? json_integer((json_int_t)e->distinct) : json_null());
    j = cli_json_set(j, "whole", json_boolean(e->whole));
    j = cli_json_set(j, "answer_accuracy", cli_json_number(at_exam_answer(e)));
    j = cli_json_set(j, "chain_accuracy", cli_json_number(at_exam_chain(e)));
    j = cli_json_set(j, "unfinished", json_integer((json_int_t)e->unfinished));
    j = cli_json_set(j, "first_wrong", cli_json_number(e->first_wrong));
    j = cli_json_set(j, "tokens", json_integer((json_int_t)e->tokens));
    if (e->positions) {
        j = cli_json_set(j, "positions", json_integer((json_int_t)e->positions));
        j = cli_json_set(j, "positions_right", json_integer((json_int_t)e->right));
    }
    if (e->real) {
        j = cli_json_set(j, "mean_square", cli_json_number(e->square));
        j = cli_json_set(j, "trivial_mean_square", cli_json_number(e->trivial));
        j = cli_json_set(j, "largest_error", cli_json_number(e->worst));
        j = cli_json_set(j, "tolerance", cli_json_number(e->tolerance));
    }
    return cli_json_set(j, "least_margin", cli_json_number(e->margin));
}

/* Of a task's positions. */
static void positions_print(const at_exam *e, at_text *t)
{
    if (!e->real || e->tolerance > 0)
        at_text_addf(t, "positions      %" PRIu64 " of %" PRIu64 " right (%.2f%%)", e->right, e->positions,
                     100 * at_exam_answer(e));
    if (e->real && e->tolerance > 0)
        at_text_addf(t, ", within %.4g", e->tolerance);
    if (!e->real || e->tolerance > 0)
        at_text_addf(t, "\ninputs         %" PRIu64 " of %" PRIu64 " right everywhere (%.2f%%)%s\n",
                     e->answers, e->count, 100 * at_exam_chain(e), e->whole ? "; these are all" : "; drawn");
    if (e->real)
        at_text_addf(t,
                     "mean square    %.4g; always the mean answer: %.4g, so %.2f%% is explained\n"
                     "largest error  %.4g\n",
                     e->square, e->trivial, e->square < e->trivial ? 100 * (1 - e->square / e->trivial) : 0.0,
                     e->worst);
}

static void exam_print(const at_exam *e, bool seen_too, at_text *t)
{
    if (e->drawn) {
        shares_print(&e->shares, t);
        return;
    }
    if (e->unfit)
        at_text_addf(t, "not asked      %" PRIu64 " prompts whose rows do not fit into the model\n",
                     e->unfit);
    if (e->seen && !seen_too)
        at_text_addf(t, "not asked      %" PRIu64 " prompts that are trained on\n", e->seen);
    if (!e->count)
        return;
    if (e->positions) {
        positions_print(e, t);
        return;
    }
    at_text_addf(t, "answers right  %" PRIu64 " of %" PRIu64 " (%.2f%%)\n", e->answers, e->count,
                 100 * at_exam_answer(e));
    at_text_addf(t, "chains right   %" PRIu64 " of %" PRIu64 " (%.2f%%)\n", e->chains, e->count,
                 100 * at_exam_chain(e));
    if (e->whole)
        at_text_add(t, "prompts        all that there are in this part, each once\n");
    else if (e->distinct && e->distinct < e->count)
        at_text_addf(t, "prompts        %" PRIu64 " different ones\n", e->distinct);
    if (e->seen && seen_too)
        at_text_addf(t, "trained on     %" PRIu64 " of them, by the file that it learnt from\n", e->seen);
    if (e->several)
        at_text_addf(t,
                     "several right  %" PRIu64 " have more than one right answer, and any of them counts\n",
                     e->several);
    if (!isnan(e->first_wrong))
        at_text_addf(t, "first wrong    token %.1f on average, where a chain is wrong\n", e->first_wrong);
    if (e->unfinished)
        at_text_addf(t, "unfinished     %" PRIu64 " without <eos>\n", e->unfinished);
}

void cli_exam_print(const at_exam *e, at_text *t)
{
    exam_print(e, false, t);
}

/* ---- models that write no tokens: compiled decoders, and those that answer at positions ------------------------- */

typedef struct {
    uint64_t count, right;
    int n;
    at_text text;  /* the first wrong ones */
    json_t *wrong; /* the same for machines */
} sheet;

static void answer_text(const at_subject *s, const at_answer *y, int side, at_text *t)
{
    int from = side ? y->open : 0, n = side ? y->n_right : y->n;
    at_text_add(t, from ? "... " : "");
    for (int i = from; i < n; i++) {
        const double *v = (side ? y->right : y->got) + (size_t)i * (size_t)y->width;
        at_text_add(t, i > from ? " " : "");
        if (s->chain)
            at_input_print_row(s->m, v, -1, t);
        else
            cli_numbers_print(s, v, y->width, t);
    }
}

/* One that is wrong: the input, what came out, what is right. */
static void sheet_add(const cli_args *a, const at_subject *s, const at_input *x, const at_answer *y, sheet *k)
{
    at_text t[3];
    for (int i = 0; i < 3; i++) {
        at_text_init(&t[i]);
        at_text_add(&t[i], "");
    }
    at_input_print(s->m, x, &t[0]);
    answer_text(s, y, 0, &t[1]);
    answer_text(s, y, 1, &t[2]);
    static const char *const names[] = {"prompt", "wrote", "right", "input", "got", "right"};
    if (t[0].oom || t[1].oom || t[2].oom)
        k->text.oom = true;
    else if (a->json) {
        json_t *j = json_object();
        for (int i = 0; i < 3; i++)
            j = cli_json_set(j, names[(s->chain ? 0 : 3) + i], cli_json_text(t[i].s));
        k->wrong = cli_json_add(k->wrong, cli_json_set(j, "first_wrong", json_integer(y->position + 1)));
    } else {
        at_text_addf(&k->text, "\nwrong at %s %d\n", s->chain ? "row" : "position", y->position + 1);
        for (int i = 0; i < 3; i++) {
            char left[16];
            snprintf(left, sizeof left, "  %s", names[(s->chain ? 0 : 3) + i]);
            cli_row(&k->text, left, 10, t[i].s, cli_columns());
        }
    }
    for (int i = 0; i < 3; i++)
        at_text_release(&t[i]);
}

/* Inputs of the problem, half of them near where its definition changes its mind, each run and judged. */
static at_status sheet_fill(const cli_args *a, const cli_question *q, sheet *k, at_err *err)
{
    const at_subject *s = &q->subject;
    int n = s->task ? at_params_int(s->params, "N") : s->chain->prompt_max(s->self);
    int width = s->task ? s->task->row_width(s->params) : s->chain->row_width(s->self);
    double *v = at_calloc((size_t)n * (size_t)width + 1, sizeof *v);
    at_status st = v ? AT_OK : at_oom(err);
    for (uint64_t i = 0; i < k->count && !st; i++) {
        at_rng r = at_rng_at(a->seed, i);
        at_arena run;
        at_answer y;
        at_arena_init(&run);
        if (s->task)
            (i % 2 ? s->task->adversarial : s->task->sample)(s->params, &r, v);
        else
            st = (i % 2 && s->chain->adversarial ? s->chain->adversarial : s->chain->sample)(s->self, &r, v,
                                                                                             &n, err);
        at_input x = {n, v};
        if (!st)
            st = at_subject_answer(s, &x, &run, &y, err);
        k->right += !st && y.correct;
        if (!st && !y.correct && k->n++ < SHOWN)
            sheet_add(a, s, &x, &y, k);
        at_arena_release(&run);
        at_progress_tick(cli_progress(), "eval", (double)i, (double)k->count);
        if (!st && at_cancel_pending())
            st = at_fail(err, AT_ECANCEL, "interrupted");
    }
    at_free(v);
    return st;
}

static bool is_listed(const at_subject *s)
{
    return s->task ? s->task->enums >> AT_ENUM_CASES & 1 : s->chain->listed;
}

static int asked_run(const cli_args *a, const at_model *m)
{
    const own *given = a->own;
    at_err err = {0};
    cli_question q;
    at_input x;
    at_arena arena;
    at_arena_init(&arena);
    sheet k = {.count = count_of(given), .wrong = a->json ? json_array() : NULL};
    at_text_init(&k.text);
    at_status s =
        cli_question_input(a, a->n_words > 1 ? a->words[1] : NULL, 0, m, NULL, -1, &arena, &q, &x, &err);
    if (!s && is_listed(&q.subject))
        s = at_fail(&err, AT_EREFUSED, "a file of cases is run whole: attest check MODEL --problem %.100s",
                    q.name);
    if (!s)
        s = sheet_fill(a, &q, &k, &err);
    cli_progress_clear();
    double share = (double)k.right / (double)k.count;
    int code = share < given->enough ? CLI_FAILS : CLI_HOLDS;
    if (s) {
        json_decref(k.wrong);
        code = cli_fail(a, &err);
    } else if (a->json) {
        json_t *j = cli_json_set(json_object(), "problem", cli_json_text(q.name));
        j = cli_json_set(j, "parameters", cli_json_text(q.text));
        j = cli_json_set(j, "inputs", json_integer((json_int_t)k.count));
        j = cli_json_set(j, "right", json_integer((json_int_t)k.right));
        j = cli_json_set(j, "wrong", k.text.oom ? NULL : k.wrong);
        code = cli_put_json(a, j, code);
    } else {
        at_text out;
        at_text_init(&out);
        cli_question_print(&q, &out);
        at_text_addf(&out, "\n%s right  %" PRIu64 " of %" PRIu64 " (%.2f%%)\n",
                     q.subject.chain ? "chains" : "inputs", k.right, k.count, 100 * share);
        out.oom = out.oom || k.text.oom;
        at_text_add(&out, k.text.s ? k.text.s : "");
        code = cli_put_text(a, &out, code);
    }
    at_text_release(&k.text);
    cli_question_release(&q);
    at_arena_release(&arena);
    return code;
}

/* ---- one parameter as a range: how far does it generalise? ------------------------------------------------------ */

#define SIZES_MOST 64

typedef struct {
    int64_t size;
    at_exam e;
    at_err refused; /* why it was not asked */
} curve_point;

static at_status point_ask(const cli_args *a, const at_model *m, const char *set, const char *problem,
                           curve_point *p, at_err *err)
{
    const own *given = a->own;
    at_source *d;
    at_exam_options o = {.threads = a->threads, .arith = a->has_precision ? a->precision : at_f32};
    at_status s = cli_source_open(set, problem, &d, err);
    if (s)
        return s;
    s = at_exam_run(m, d, a->seed, split_of(given), count_of(given), &o, &p->e, &p->refused);
    at_source_free(d);
    if (s == AT_EREFUSED) /* other words: larger sizes may have more of them */
        return AT_OK;
    return s ? at_fail(err, s, "%s", p->refused.text) : AT_OK;
}

static at_status curve_draw(const char *name, const curve_point *p, int n, const char *path, at_err *err)
{
    static const char *const labels[] = {"answers", "chains"};
    double x[SIZES_MOST], y[2][SIZES_MOST];
    int asked = 0;
    for (int k = 0; k < n; k++)
        if (!p[k].refused.code && p[k].e.count) {
            x[asked] = (double)p[k].size;
            y[0][asked] = at_exam_answer(&p[k].e);
            y[1][asked++] = at_exam_chain(&p[k].e);
        }
    at_series series[2];
    for (int c = 0; c < 2; c++)
        series[c] = (at_series){.label = labels[c], .n = asked, .x = x, .y = y[c]};
    at_plot plot = {
        .title = "right, by size", .xlabel = name, .ylabel = "share right", .series = series, .n_series = 2};
    return cli_plot_draw(&plot, path, err);
}

static json_t *curve_json(const char *name, const curve_point *p, int n)
{
    json_t *all = json_array();
    for (int k = 0; k < n; k++) {
        json_t *one = p[k].refused.code
                          ? cli_json_set(json_object(), "refused", cli_json_text(p[k].refused.text))
                          : cli_exam_json(&p[k].e);
        all = cli_json_add(all, cli_json_set(one, name, json_integer(p[k].size)));
    }
    return cli_json_set(json_object(), "sizes", all);
}

static void curve_print(const char *name, const curve_point *p, int n, at_text *t)
{
    at_text_addf(t, "%8s %9s %9s %9s\n", name, "prompts", "answers", "chains");
    for (int k = 0; k < n; k++) {
        const at_exam *e = &p[k].e;
        at_text_addf(t, "%8" PRId64, p[k].size);
        if (p[k].refused.code) {
            at_text_add(t, " not asked: ");
            at_text_add_plain(t, p[k].refused.text);
        } else if (!e->count)
            at_text_add(t, " not asked: its rows do not fit into the model");
        else
            at_text_addf(t, " %9" PRIu64 " %8.1f%% %8.1f%%%s", e->count, 100 * at_exam_answer(e),
                         100 * at_exam_chain(e), e->unfit ? "  (longer rows were not asked)" : "");
        at_text_add(t, "\n");
    }
}

static int curve_run(const cli_args *a, const at_model *m, const char *set, const char *problem,
                     const char *range, size_t n_name, int64_t lo, int64_t hi)
{
    const own *given = a->own;
    at_err err = {0};
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)n_name, range);
    if (hi < lo || hi - lo >= SIZES_MOST) {
        at_fail(&err, AT_EINPUT, "--set %s=%" PRId64 "..%" PRId64 ": must be 1 to %d sizes", name, lo, hi,
                SIZES_MOST);
        return cli_fail(a, &err);
    }
    int n = (int)(hi - lo + 1);
    curve_point *p = at_calloc((size_t)n, sizeof *p);
    at_status s = p ? AT_OK : at_oom(&err);
    bool enough = true;
    for (int k = 0; k < n && !s; k++) {
        at_text one;
        at_text_init(&one);
        p[k].size = lo + k;
        at_assignments_put(set, range, n_name, (double)p[k].size, &one);
        at_progress_tick(cli_progress(), "eval", k, n);
        s = one.oom ? at_oom(&err) : point_ask(a, m, one.s, problem, &p[k], &err);
        at_text_release(&one);
        enough = enough && !s && !p[k].refused.code && at_exam_answer(&p[k].e) >= given->enough;
    }
    cli_progress_clear();
    if (!s && a->plot)
        s = curve_draw(name, p, n, a->plot, &err);
    int code = enough || given->enough <= 0 ? CLI_HOLDS : CLI_FAILS;
    at_text t;
    at_text_init(&t);
    if (s)
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, curve_json(name, p, n), code);
    else {
        curve_print(name, p, n, &t);
        code = cli_put_text(a, &t, code);
    }
    at_free(p);
    return code;
}

/* ---- a stream, or a file of rows ------------------------------------------------------------------------------- */

/* The file of rows that the model learnt from, if it is there and as it was, in the model's words. NULL: nothing is known of it. */
static at_source *learnt_from(const char *model, const at_vocabulary *words)
{
    char *remembered = NULL;
    at_text name, set;
    at_err none = {0};
    at_source *d = NULL; /* stays so where it cannot be opened */
    at_text_init(&name);
    at_text_init(&set);
    if (!at_model_load_problem(model, &remembered, &none) && remembered &&
        !at_problem_recall(remembered, model, &name, &set, &none) && strchr(name.s, '.'))
        cli_rows_open(set.s, name.s, words, &d, &none);
    at_free(remembered);
    at_text_release(&name);
    at_text_release(&set);
    return d;
}

static int exam_tell(const cli_args *a, const teller *t, const at_exam *e, bool learnt, int code)
{
    const eval_lengths *l = t->lengths;
    if (a->json) {
        json_t *j = cli_json_set(cli_exam_json(e), "split", cli_json_text(at_part_names[split_of(a->own)]));
        if (l)
            j = cli_json_set(j, "lengths", eval_lengths_json(l));
        if (l && !learnt)
            j = cli_json_set(j, "seen", json_null());
        return cli_put_json(a, cli_json_set(j, "wrong", t->text.oom ? NULL : t->wrong), code);
    }
    at_text out;
    at_text_init(&out);
    exam_print(e, true, &out);
    if (l && eval_lengths_several(l))
        eval_lengths_print(l, &out);
    out.oom = out.oom || t->text.oom;
    if (t->text.s)
        at_text_add(&out, t->text.s);
    return cli_put_text(a, &out, code);
}

static int exam_run(const cli_args *a, const at_model *m, const at_vocabulary *words, const at_source *d)
{
    const own *given = a->own;
    at_err err = {0};
    at_exam e;
    eval_lengths lengths = {0};
    bool rows = d->problem && at_problem_is_rows(d->problem);
    at_source *learnt = rows && split_of(given) == AT_ALL ? learnt_from(a->words[0], words) : NULL;
    teller t = {.args = a, .d = d, .wrong = a->json ? json_array() : NULL, .lengths = rows ? &lengths : NULL};
    at_text_init(&t.text);
    at_exam_options o = {.threads = a->threads,
                         .arith = a->has_precision ? a->precision : at_f32,
                         .progress = cli_progress(),
                         .told = told,
                         .ctx = &t,
                         .trained = learnt,
                         .seen_too = true};
    uint64_t count = given->test && !given->count ? at_exam_prompts(d) : count_of(given);
    at_status s = rows ? eval_lengths_init(&lengths, d, &err) : AT_OK;
    if (!s)
        s = at_exam_run(m, d, a->seed, split_of(given), count, &o, &e, &err);
    cli_progress_clear();
    if (!s && a->plot)
        s = eval_lengths_draw(&lengths, a->plot, &err);
    int code = !s && !(at_exam_answer(&e) >= given->enough) && given->enough > 0 ? CLI_FAILS : CLI_HOLDS;
    if (s) {
        json_decref(t.wrong);
        code = cli_fail(a, &err);
    } else
        code = exam_tell(a, &t, &e, learnt != NULL, code);
    at_text_release(&t.text);
    eval_lengths_release(&lengths);
    at_source_free(learnt);
    return code;
}

static int tokens_run(const cli_args *a, const at_model *m, const char *range, size_t n_name, int64_t lo,
                      int64_t hi)
{
    const own *given = a->own;
    at_err err = {0};
    at_source *d;
    at_vocabulary words;
    at_arena arena;
    at_arena_init(&arena);
    cli_recalled known = {0};
    at_status s = at_vocabulary_of_model(m, a->words[0], &arena, &words, &err);
    if (!s && !given->test)
        s = cli_recall(a, a->words[0], a->n_words > 1 ? a->words[1] : NULL, true, &known, &err);
    int code = CLI_USAGE;
    if (!s && range)
        code = curve_run(a, m, known.set.s, known.problem.s, range, n_name, lo, hi);
    else {
        if (!s)
            s = given->test ? cli_rows_open(NULL, given->test, &words, &d, &err)
                            : cli_source_open_over(known.set.s, known.problem.s, &words, &d, &err);
        if (!s && a->plot && !at_problem_is_rows(d->problem)) {
            s = at_fail(&err, AT_EINPUT, "--plot draws a curve over sizes, as in --set n=4..12");
            at_source_free(d);
        }
        if (s)
            code = cli_fail(a, &err);
        else {
            code = exam_run(a, m, &words, d);
            at_source_free(d);
        }
    }
    cli_recalled_release(&known);
    at_arena_release(&arena);
    return code;
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    at_model m;
    at_picture_kind kind;
    size_t n_name;
    int64_t lo, hi;
    const char *range = at_assignments_range(a->set, &n_name, &lo, &hi);
    if (given->test && (a->n_words > 1 || a->set))
        at_fail(&err, AT_EINPUT, "--test is the problem; %s beside it says another",
                a->n_words > 1 ? a->words[1] : "--set");
    if (err.code || (a->plot && (at_picture_kind_of(a->plot, &kind, &err) || at_file_probe(a->plot, &err) ||
                                 !cli_kept(a, &err))))
        return cli_fail(a, &err);
    if (at_model_load(&m, a->words[0], &err))
        return cli_fail(a, &err);
    int code;
    if (at_exam_takes(&m))
        code = tokens_run(a, &m, range, n_name, lo, hi);
    else if (given->test || a->plot) {
        at_fail(&err, AT_EREFUSED, "%s wants a model that writes tokens", given->test ? "--test" : "--plot");
        code = cli_fail(a, &err);
    } else
        code = asked_run(a, &m);
    at_model_release(&m);
    return code;
}

static const own usual = {.split = AT_PARTS};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_THREADS},
    {CLI_SEED},
    {CLI_PRECISION},
    {CLI_PROBLEM},
    {CLI_PLOT},
    {"--test", "FILE", "all lines of a file of your own, by the model's words", CLI_READ(own, test)},
    {"--count", "N", "samples, 1..1000000000 (default 10; eval: 1000)", CLI_WHOLE(own, count, 1, 1000000000)},
    {"--split", "SPLIT", "train, test or all (default train; eval: test)",
     CLI_CHOICE(own, split, at_part_names, AT_PARTS)},
    {"--enough", "SHARE", "exit 1 when fewer answers are right, 0..1", CLI_NUMBER(own, enough, 0, 1)},
    {0},
};

const cli_command cmd_eval = {
    .name = "eval",
    .summary = "examine a model on a problem: answers, chains, first wrong step",
    .usage = "MODEL [P] [--set K=V]... [--test FILE] [--count N] [--split SPLIT] [--enough SHARE]",
    .about =
        "Completes prompts of a problem greedily, token by token, and grades them: is the answer right, is\n"
        "the whole chain right, and where is the first wrong token. The first wrong chains are printed\n"
        "beside the right ones. Any token decoder with the problem's words can be examined, trained or\n"
        "constructed. Without P it is the problem that the model was trained on, or made for, if its\n"
        "file says so. By default prompts are of the test part, which training never sees.\n"
        "One parameter may be a range, --set n=4..20: a line a size, and a curve (--plot).\n"
        "\n"
        "The words of a file of lines of your own mean what they mean in the model, in whatever order they\n"
        "appear; one that the model has not is named with its line. --test FILE asks all prompts of FILE,\n"
        "each once. Right answers are counted by length, too (--plot draws it); rows that do not fit into\n"
        "the model are not asked, and said; so are prompts that stand in the file it was trained on.\n"
        "\n"
        "A model that writes no tokens (a compiled recurrence, a model that answers at positions) is run\n"
        "on --count inputs of P, random and adversarial, and it is said on how many all of its answer is\n"
        "right. There is no split then: nobody trained on them. A real answer counts by the tolerance that\n"
        "the problem has.\n"
        "\n"
        "Exit code: 0 at least --enough of the answers are right (by default any number), 1 fewer are.",
    .examples = "attest eval lis.safetensors lis --set n=10,range=25 --count 1000\n"
                "attest eval lis.safetensors lis --set n=10,range=25 --precision p10 --json\n"
                "attest eval ar.safetensors arithmetic --set operators=3 --enough 0.99\n"
                "attest eval p.safetensors parity --set n=2..18,least=0 --plot lengths.svg\n"
                "attest eval mine.safetensors --test ./longer.txt --plot lengths.svg\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 2,
    .missing = "a model file",
    .run = run,
};
