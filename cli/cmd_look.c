/* cmd_look.c: `attest look`: the attention of every head on one input, in the terminal or as a picture. */
#define _GNU_SOURCE
#include "question.h"

#include <attest/report.h>

#include <stdio.h>
#include <string.h>

/* Its own options. */
typedef struct {
    const char *problem; /* NULL: not given */
    double tolerance;    /* 0: not given */
    bool film;
    const char *input; /* NULL: not given */
} own;

static at_status look_draw(const void *look, at_picture_kind kind, const char *path, at_err *err)
{
    return at_look_picture(look, kind, path, err);
}

static json_t *head_json(const at_look *l, const at_trace_head *h)
{
    const at_group *g = &l->model->blocks[h->block].groups[h->group];
    int layer, number;
    at_head_number(l->model, h->block, h->group, h->head, &layer, &number);
    json_t *j = cli_json_set(json_object(), "layer", json_integer(layer));
    j = cli_json_set(j, "head", json_integer(number));
    j = cli_json_set(j, "name", cli_json_text(g->name));
    j = cli_json_set(j, "weighting", cli_json_text(at_weighting_names[g->weighting]));
    j = cli_json_set(j, "mask", cli_json_text(at_mask_names[g->mask.kind]));
    return cli_json_set(j, "weights", cli_json_matrix(h->w, l->trace->T, l->trace->T, NULL));
}

static json_t *look_json(const at_look *l)
{
    json_t *positions = json_array(), *heads = json_array();
    for (int t = 0; t < l->trace->T && l->labels; t++)
        positions = cli_json_add(positions, cli_json_text(l->labels[t]));
    for (int k = 0; k < l->trace->n_heads; k++)
        heads = cli_json_add(heads, head_json(l, &l->trace->heads[k]));
    const at_output *y = l->output;
    json_t *j = cli_json_set(json_object(), "model", cli_json_text(l->model->name));
    j = cli_json_set(j, "positions", positions);
    j = cli_json_set(j, "heads", heads);
    j = cli_json_set(j, "outputs",
                     y ? cli_json_matrix(y->decision, y->n, y->width, y->decided) : json_null());
    return cli_json_set(j, "verdict", cli_json_text(l->verdict));
}

/* t: what stands before and behind the picture, released here. */
static int show(const cli_args *a, const at_look *l, at_text *before, const at_text *behind, int code)
{
    at_err err = {0};
    if (a->json) {
        at_text_release(before);
        return cli_put_json(a, look_json(l), code);
    }
    if (!a->out)
        at_look_terminal(l, cli_columns(), cli_color(), before);
    else if (cli_draw(look_draw, l, a->out, &err)) {
        at_text_release(before);
        return cli_fail(a, &err);
    } else {
        at_text_add_plain(before, a->out);
        at_text_addf(before, ": %d head%s, %d positions\n", l->trace->n_heads,
                     l->trace->n_heads == 1 ? "" : "s", l->trace->T);
        if (l->verdict)
            at_text_addf(before, "%s\n", l->verdict);
    }
    if (behind->n)
        at_text_add(before, behind->s);
    before->oom |= behind->oom;
    return cli_put_text(a, before, code);
}

/* ---- with a problem: what is right beside what comes out ------------------------------------------------------ */

/* Output p of the look is this row of what a decoder writes; below 0: it is about the prompt. */
static int written_row(const at_look *l, const at_input *prompt, const at_answer *y, int p)
{
    return l->model->readout.last ? y->n - 1 : p - (prompt->n - 1);
}

static at_status right_add(const cli_question *q, const at_input *x, const at_answer *y, at_look *l,
                           at_arena *arena, at_err *err)
{
    int n = l->output->n;
    const double **right = at_new(arena, const double *, n + 1);
    at_tri *judged = at_new(arena, at_tri, n + 1);
    if (!right || !judged)
        return at_oom(err);
    for (int p = 0; p < n; p++) {
        int i = q->subject.task ? (y->n == 1 ? x->n - 1 : p) : written_row(l, x, y, p);
        bool prompt = !q->subject.task && i < y->open; /* or a row that nothing is asked of */
        right[p] = prompt ? NULL : at_answer_at(&q->subject, y, 1, i);
        judged[p] = prompt ? AT_UNKNOWN : at_answer_right(&q->subject, y, i) ? AT_TRUE : AT_FALSE;
    }
    l->right = right;
    l->judged = judged;
    return AT_OK;
}

/* The prompt and the rows that were written, but for the last, which is not fed back. */
static at_status rows_join(const at_model *m, const at_input *x, const at_answer *y, at_arena *arena,
                           at_input *out, at_err *err)
{
    size_t width = (size_t)at_model_row_width(m), fed = y->n > 0 ? (size_t)y->n - 1 : 0;
    double *all = at_new(arena, double, ((size_t)x->n + fed) * width + 1);
    if (!all)
        return at_oom(err);
    memcpy(all, x->v, (size_t)x->n * width * sizeof *all);
    if (fed)
        memcpy(all + (size_t)x->n * width, y->got, fed * width * sizeof *all);
    *out = (at_input){x->n + (int)fed, all};
    return AT_OK;
}

static void asked_print(const cli_args *a, const cli_question *q, const at_input *x, at_text *t)
{
    at_text line;
    at_text_init(&line);
    cli_question_print(q, &line);
    if (q->drawn)
        at_text_addf(&line, ", an input drawn with --seed %llu", (unsigned long long)a->seed);
    cli_wrap(t, line.oom ? "" : line.s, 0, cli_columns());
    line.n = 0;
    at_input_print(q->subject.m, x, &line);
    cli_row(t, q->subject.chain ? "prompt" : "input", 8, line.oom ? "" : line.s, cli_columns());
    at_text_add(t, "\n");
    t->oom |= line.oom;
    at_text_release(&line);
}

static int look_asked(const cli_args *a, const at_model *m, const char *line, at_arena *arena)
{
    const own *given = a->own;
    at_err err = {0};
    cli_question q;
    at_input x, whole;
    at_answer y;
    at_look look;
    at_text verdict, before, behind;
    at_text_init(&verdict);
    at_text_init(&before);
    at_text_init(&behind);
    at_status s = cli_question_input(a, given->problem, given->tolerance, m, line, -1, arena, &q, &x, &err);
    if (!s)
        s = at_subject_answer(&q.subject, &x, arena, &y, &err);
    if (!s && q.subject.chain)
        s = rows_join(m, &x, &y, arena, &whole, &err);
    if (!s)
        s = at_look_rows(m, a->precision, q.subject.chain ? &whole : &x, arena, &look, &err);
    if (!s)
        s = right_add(&q, &x, &y, &look, arena, &err);
    int code = CLI_USAGE;
    if (!s) {
        asked_print(a, &q, &x, &before);
        if (a->out)
            at_text_addf(&verdict, "%s %s: ", q.name, q.text);
        cli_right_print(&q.subject, &y, &x, &verdict);
        look.verdict = verdict.oom ? NULL : verdict.s;
        if (q.subject.chain)
            cli_rows_print(&q.subject, &y, &behind);
        before.oom |= verdict.oom;
        code = show(a, &look, &before, &behind, y.correct ? CLI_HOLDS : CLI_FAILS);
    } else
        code = cli_fail(a, &err);
    at_text_release(&verdict);
    at_text_release(&behind);
    cli_question_release(&q);
    return code;
}

/* ---- without ---------------------------------------------------------------------------------------------------- */

static int look_plain(const cli_args *a, const at_model *m, const char *line, at_arena *arena)
{
    at_err err = {0};
    at_input x;
    at_look look;
    at_text before, behind = {0};
    if (!line)
        at_fail(&err, AT_EINPUT, "an input is missing: attest look %.60s INPUT", a->words[0]);
    else if (!at_input_parse(m, line, arena, &x, &err))
        at_look_make(m, a->precision, &x, arena, &look, &err);
    if (err.code)
        return cli_fail(a, &err);
    at_text_init(&before);
    return show(a, &look, &before, &behind, CLI_HOLDS);
}

/* ---- films: several models, one input ------------------------------------------------------------------------ */

/* m.500.st is step 500; else the last name of the file. */
static char *caption_of(const char *path, at_arena *arena)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = strrchr(name, '.');
    const char *at = end;
    while (at && at > name && at[-1] >= '0' && at[-1] <= '9')
        at--;
    if (at && at < end && at > name && at[-1] == '.')
        return at_arena_printf(arena, "step %.*s", (int)(end - at), at);
    return at_arena_printf(arena, "%s", name);
}

/* The rows that all models are looked at with: the input, and of decoders what the last model writes behind it. */
static at_status film_rows(const cli_args *a, const at_model *m, int n, at_arena *arena, at_input *x,
                           at_err *err)
{
    const own *given = a->own;
    const at_model *last = &m[n - 1];
    at_status s;
    if (given->problem || (!given->input && last->problem)) {
        cli_question q;
        s = cli_question_input(a, given->problem, given->tolerance, last, given->input, -1, arena, &q, x,
                               err);
        cli_question_release(&q);
    } else if (given->input)
        s = at_input_parse(last, given->input, arena, x, err);
    else
        s = at_fail(err, AT_EINPUT, "an input is missing: --input INPUT, or --problem P to draw one from");
    return s ? s : at_look_whole(last, a->precision, x, arena, x, err);
}

static at_status film_draw(const void *film, at_picture_kind kind, const char *path, at_err *err)
{
    return at_film_picture(film, kind, path, err);
}

static bool is_page(const char *path)
{
    size_t n = strlen(path);
    return n > 5 && !strcmp(path + n - 5, ".html");
}

static at_status page_write(const at_film *film, const char *path, at_err *err)
{
    at_text html;
    at_text_init(&html);
    at_status s = at_film_html(film, &html, err);
    if (!s)
        s = at_file_write(path, html.s, html.n, err);
    at_text_release(&html);
    return s;
}

static at_status film_make(const cli_args *a, const at_model *m, int n, at_arena *arena, at_err *err)
{
    at_input x;
    at_film_frame *frames = at_new(arena, at_film_frame, n);
    at_look *looks = at_new(arena, at_look, n);
    at_text line;
    at_text_init(&line);
    at_status s = frames && looks ? film_rows(a, m, n, arena, &x, err) : at_oom(err);
    for (int k = 0; k < n && !s; k++) {
        frames[k] = (at_film_frame){.look = &looks[k], .caption = caption_of(a->words[k], arena)};
        s = !frames[k].caption ? at_oom(err) : at_look_rows(&m[k], a->precision, &x, arena, &looks[k], err);
    }
    if (!s) {
        at_text_addf(&line, "%s: ", m[n - 1].problem ? m[n - 1].problem : m[n - 1].name);
        at_input_print(&m[n - 1], &x, &line);
        const at_film film = {.title = line.oom ? "" : line.s, .frames = frames, .n = n};
        s = is_page(a->out) ? page_write(&film, a->out, err) : cli_draw(film_draw, &film, a->out, err);
    }
    at_text_release(&line);
    return s;
}

static int film_run(const cli_args *a)
{
    at_err err = {0};
    at_arena arena;
    at_arena_init(&arena);
    int loaded = 0, n = a->n_words;
    at_model *m = n <= AT_FILM_FRAMES ? at_new(&arena, at_model, n) : NULL;
    at_status s = n > AT_FILM_FRAMES
                      ? at_fail(&err, AT_EDOMAIN, "a film of %d models; allowed: 1..%d", n, AT_FILM_FRAMES)
                  : !a->out
                      ? at_fail(&err, AT_EINPUT, "--film needs -o PICTURE.png, .svg or .pdf, or PAGE.html")
                  : m ? AT_OK
                      : at_oom(&err);
    for (; loaded < n && !s; loaded += !s)
        s = at_model_load(&m[loaded], a->words[loaded], &err);
    if (!s)
        s = film_make(a, m, n, &arena, &err);
    for (int k = 0; k < loaded; k++)
        at_model_release(&m[k]);
    at_arena_release(&arena);
    if (s)
        return cli_fail(a, &err);
    at_text t;
    at_text_init(&t);
    at_text_add_plain(&t, a->out);
    at_text_addf(&t, ": %d frame%s\n", n, n == 1 ? "" : "s");
    return cli_put_text(a, &t, CLI_HOLDS);
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    at_picture_kind kind;
    at_model m;
    const char *own_input = NULL;
    if (a->out && a->json)
        at_fail(&err, AT_EINPUT, "--json and -o: it is written for machines, or drawn");
    if (err.code || (a->out && !(given->film && is_page(a->out)) &&
                     at_picture_kind_of(a->out, &kind, &err))) /* before the work, not after it */
        return cli_fail(a, &err);
    if (given->film)
        return film_run(a);
    if (given->input)
        at_fail(&err, AT_EINPUT, "--input is for --film; otherwise INPUT stands behind the model");
    if (err.code)
        return cli_fail(a, &err);
    if (cli_question_model(a, given->problem, &m, &own_input, &err))
        return cli_fail(a, &err);
    at_text line;
    at_text_init(&line);
    for (int i = 1; i < a->n_words; i++)
        at_text_addf(&line, "%s%s", i > 1 ? " " : "", a->words[i]);
    if (a->n_words == 1 && own_input && !given->problem)
        at_text_add(&line, own_input);

    at_arena arena;
    at_arena_init(&arena);
    /* Without an input one is drawn from the problem that the model remembers. */
    bool asked = given->problem || (!line.s && !line.oom && m.problem);
    int code = line.oom ? cli_oom(a)
               : asked  ? look_asked(a, &m, line.s, &arena)
                        : look_plain(a, &m, line.s, &arena);
    at_arena_release(&arena);
    at_text_release(&line);
    at_model_release(&m);
    return code;
}

static const own usual = {0};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_OUT},
    {CLI_SEED},
    {CLI_PRECISION},
    {CLI_JSON},
    {"--problem", "P", "what is right: a name or a file; INPUT may be left out", CLI_TEXT(own, problem),
     .alias = "--task"},
    {"--tolerance", "E", "real answers may be off by E (qsa: 1/(2q))",
     CLI_NUMBER(own, tolerance, 1e-12, 1e12)},
    {"--film", NULL, "several models, one input: a frame for each, with -o", CLI_FLAG(own, film)},
    {"--input", "INPUT", "of a film; without, one of the problem", CLI_TEXT(own, input)},
    {0},
};

const cli_command cmd_look = {
    .name = "look",
    .summary = "see where a model attends, in the terminal or as a picture",
    .usage = "MODEL|ID [INPUT] [--problem P [--set K=V]...] [-o PICTURE.png|svg|pdf]",
    .about = "Runs one input and draws the attention of every head: rows are queries, columns keys,\n"
             "hidden positions are named blank, and a head that was made from a step of a program has its\n"
             "name. Without -o as a sketch in the terminal. Without INPUT it is\n"
             "one of the problem that the file of the model says it was made for. With a claim\n"
             "id instead of a file its model is built at once, and INPUT has a default. (A file that\n"
             "is named like a claim is written ./NAME.)\n\n"
             "With --problem what is right stands beside what the model says, and what differs is\n"
             "marked; of a decoder all rows that it writes stand beside those of the reference. P is\n"
             "a problem (`attest list problems`), a .dp file or a file of cases, set by --set. INPUT\n"
             "may be left out: one is drawn from the problem, by --seed. Exit 1 where they differ.\n\n"
             "With --film all words are model files of one shape, say what `attest train --keep-every`\n"
             "left, and the picture has the same heads on the same input in each of them, side by side;\n"
             "of decoders, behind the prompt stands what the last of them writes. With -o PAGE.html it is a\n"
             "page with a slider over the models.\n",
    .examples = "attest look match2\n"
                "attest look match2 3 14 5 --set M=17\n"
                "attest look match2.safetensors 3 14 5 12 -o match2.svg\n"
                "attest look match2.safetensors --problem match2 --set M=17 --seed 2\n"
                "attest look lis.st '3 1 2 |' --problem examples/lis.dp --set n=3,top=9\n"
                "attest look q.100.st q.200.st q.300.st --film -o film.svg\n"
                "attest look q.100.st q.200.st q.300.st --film -o film.html\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = -1,
    .missing = "a model file or a claim id",
    .run = run,
};
