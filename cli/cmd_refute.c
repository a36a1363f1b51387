/* cmd_refute.c: `attest refute`: the input on which a model is wrong, if one can be found. */
#include "question.h"

#include <attest/job.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Its own options. */
typedef struct {
    const char *task, *by;    /* NULL: not given */
    double budget, tolerance; /* millions of multiply-adds; 0: not given */
} own;

#define SHOWN 12 /* rows of a chain */

/* ---- what was found ------------------------------------------------------------------------------------- */

/* Rows from a little before `at` on. */
static void rows_print(const at_subject *s, const at_answer *y, int side, int at, at_text *t)
{
    int n = side ? y->n_right : y->n, from = at > SHOWN / 2 && n > SHOWN ? at - SHOWN / 2 : 0;
    from = side && from < y->open ? y->open : from;
    at_text_add(t, from ? "... " : "");
    for (int i = from; i < n && i < from + SHOWN; i++) {
        at_text_add(t, i > from ? " " : "");
        at_input_print_row(s->m, at_answer_at(s, y, side, i), -1, t);
    }
    at_text_add(t, n > from + SHOWN ? " ...\n" : n ? "\n" : "nothing\n");
}

/* What came out and what is right, of one input, at a position; of decoders all rows around it. */
static void answer_print(const at_subject *s, const at_answer *y, int at, at_text *t)
{
    at_text_addf(t, s->chain ? "    at     row %d\n" : "    at     position %d\n", at + 1);
    for (int side = 0; side < 2; side++) {
        at_text_add(t, side ? "    right  " : s->chain ? "    wrote  " : "    got    ");
        if (s->chain) {
            rows_print(s, y, side, at, t);
            continue;
        }
        cli_numbers_print(s, at_answer_at(s, y, side, at), y->width, t);
        at_text_add(t, "\n");
    }
}

/* The component in which two vectors differ most. */
static int component_of(const double *x, const double *y, int n)
{
    int most = 0;
    for (int k = 1; k < n; k++)
        if (fabs(x[k] - y[k]) > fabs(x[most] - y[most]))
            most = k;
    return most;
}

/* Where a pair of real answers differs, and where the outputs do not. */
static void apart_print(const at_subject *s, const at_refutation *f, at_text *t)
{
    const double *right[2], *got[2];
    for (int k = 0; k < 2; k++) {
        got[k] = at_answer_at(s, &f->answer[k], 0, f->position);
        right[k] = at_answer_at(s, &f->answer[k], 1, f->position);
    }
    int c = component_of(right[0], right[1], f->answer[0].width);
    at_text_addf(t, "  position %d, number %d of %d: right are %.9g and %.9g, got %.9g and %.9g\n",
                 f->position + 1, c + 1, f->answer[0].width, right[0][c], right[1][c], got[0][c], got[1][c]);
}

static void input_show(const at_subject *s, const at_input *x, const char *name, at_text *t)
{
    at_text in;
    at_text_init(&in);
    at_input_print(s->m, x, &in);
    at_text_add(&in, in.n ? "" : "(empty)");
    cli_row(t, name, 11, in.oom || !in.s ? "" : in.s, cli_columns());
    t->oom |= in.oom;
    at_text_release(&in);
}

static void finding_print(const at_subject *s, const at_refute_report *r, at_text *t)
{
    const at_refutation *f = &r->found;
    bool pair = f->pair.x[1].n > 0, real = s->task && s->task->real;
    if (f->pair.note)
        cli_wrap(t, f->pair.note, 2, cli_columns());
    if (pair)
        cli_wrap(
            t,
            real ? "two inputs with outputs too close to be told apart, that must be answered differently:"
                 : "two inputs with the same output, to the last bit, that must be answered differently:",
            2, cli_columns());
    if (pair && real)
        apart_print(s, f, t);
    for (int k = 0; k < (pair ? 2 : 1); k++) {
        bool right = at_answer_right(s, &f->answer[k], f->position);
        input_show(s, &f->pair.x[k], right ? "  input" : "  WRONG on", t);
        answer_print(s, &f->answer[k], f->position, t);
    }
}

static void random_print(const cli_args *a, const at_random_search *x, bool found, at_text *t)
{
    const own *given = a->own;
    at_text_addf(t, "plain random search, the same work: %" PRIu64 " inputs, %s, %s\n", x->tried,
                 !x->pair ? "no pair"
                 : found  ? "a pair too"
                          : "a pair",
                 x->wrong ? "some wrong answer" : "no wrong answer");
    if (!found && given->by && (x->pair || x->wrong))
        at_text_add(t, "so the model is wrong somewhere: without --by you are shown where\n");
}

static void attempts_print(const at_refute_report *r, at_text *t)
{
    for (int k = 0; k < r->found.n_attempts; k++) {
        const at_attempt *x = &r->found.attempts[k];
        at_text line;
        at_text_init(&line);
        if (x->status == AT_EREFUSED)
            at_text_addf(&line, "does not apply: %s", x->words);
        else
            at_text_addf(&line, "%" PRIu64 " state%s, %.*f million multiply-adds%s%s", x->states,
                         x->states == 1 ? "" : "s", x->work < 1e7 ? 3 : 0, x->work / 1e6,
                         *x->words ? ": " : "", x->words);
        char left[48];
        snprintf(left, sizeof left, "  %s", x->id);
        cli_row(t, left, 20, line.oom ? "" : line.s, cli_columns());
        at_text_release(&line);
    }
    if (r->runs)
        at_text_addf(t, "with %" PRIu64 " earlier run%s: %" PRIu64 " states\n", r->runs,
                     r->runs == 1 ? "" : "s", r->states);
}

/* The numbers of an answer at the finding's position, or all rows of a chain. */
static json_t *side_json(const at_subject *s, const at_answer *y, int side, int at)
{
    json_t *all = json_array();
    int n = s->chain ? side ? y->n_right : y->n : 1;
    for (int i = side ? y->open : 0; i < n; i++) {
        const double *v = at_answer_at(s, y, side, s->chain ? i : at);
        json_t *row = json_array();
        for (int k = 0; k < y->width; k++)
            row = cli_json_add(row, cli_json_number(v[k]));
        if (!s->chain) {
            json_decref(all);
            return row;
        }
        all = cli_json_add(all, row);
    }
    return all;
}

/* The same as a person reads it. */
static json_t *side_text(const at_subject *s, const at_answer *y, int side, int at)
{
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "");
    if (s->chain && side)
        at_written_print(
            s->m, &(at_input){y->n_right - y->open, y->right + (size_t)y->open * (size_t)y->width}, &t);
    else if (s->chain)
        at_written_print(s->m, &(at_input){y->n, y->got}, &t);
    else
        cli_numbers_print(s, at_answer_at(s, y, side, at), y->width, &t);
    json_t *j = t.oom ? NULL : cli_json_text(t.s);
    at_text_release(&t);
    return j;
}

static json_t *input_json(const at_subject *s, const at_refutation *f, int k)
{
    const at_answer *y = &f->answer[k];
    at_text in;
    at_text_init(&in);
    at_input_print(s->m, &f->pair.x[k], &in);
    json_t *x = cli_json_set(json_object(), "input", in.oom ? NULL : cli_json_text(in.s));
    at_text_release(&in);
    x = cli_json_set(x, "correct", json_boolean(at_answer_right(s, y, f->position)));
    x = cli_json_set(x, "position", json_integer(f->position + 1));
    x = cli_json_set(x, "got", side_json(s, y, 0, f->position));
    x = cli_json_set(x, "right", side_json(s, y, 1, f->position));
    x = cli_json_set(x, "got_text", side_text(s, y, 0, f->position));
    return cli_json_set(x, "right_text", side_text(s, y, 1, f->position));
}

static json_t *report_json(const cli_question *q, const at_refute_report *r)
{
    const at_subject *s = &q->subject;
    const at_refutation *f = &r->found;
    char arith[16];
    at_arith_name(s->arith, arith);
    json_t *j = cli_json_set(json_object(), "refuted", f->refuted == AT_TRUE ? json_true() : json_null());
    json_t *inputs = json_array(), *attempts = json_array();
    j = cli_json_set(j, "problem", cli_json_text(q->name));
    j = cli_json_set(j, "parameters", cli_json_text(q->text));
    j = cli_json_set(j, "arithmetic", cli_json_text(arith));
    j = cli_json_set(j, "tolerance", s->task && s->task->real ? cli_json_number(s->tolerance) : json_null());
    for (int k = 0; f->refuted == AT_TRUE && k < 2 && f->pair.x[k].n; k++)
        inputs = cli_json_add(inputs, input_json(s, f, k));
    for (int k = 0; k < f->n_attempts; k++) {
        json_t *x = cli_json_set(json_object(), "refuter", cli_json_text(f->attempts[k].id));
        x = cli_json_set(x, "applies", json_boolean(f->attempts[k].status != AT_EREFUSED));
        x = cli_json_set(x, "states", json_integer((json_int_t)f->attempts[k].states));
        x = cli_json_set(x, "multiply_adds", cli_json_number(f->attempts[k].work));
        x = cli_json_set(x, "seconds", cli_json_number(f->attempts[k].seconds));
        attempts = cli_json_add(attempts, cli_json_set(x, "words", cli_json_text(f->attempts[k].words)));
    }
    j = cli_json_set(j, "method", cli_json_text(f->method));
    j = cli_json_set(j, "inputs", inputs);
    j = cli_json_set(j, "attempts", attempts);
    j = cli_json_set(j, "states", json_integer((json_int_t)r->states));
    j = cli_json_set(j, "multiply_adds", cli_json_number(f->work));
    j = cli_json_set(j, "runs_before", json_integer((json_int_t)r->runs));
    j = cli_json_set(j, "served", json_boolean(r->served));
    j = cli_json_set(j, "random_inputs", json_integer((json_int_t)f->random.tried));
    j = cli_json_set(j, "random_pair", json_boolean(f->random.pair));
    j = cli_json_set(j, "random_wrong", json_boolean(f->random.wrong));
    return cli_json_set(j, "seconds", cli_json_number(f->seconds));
}

static int report_put(const cli_args *a, const cli_question *q, const at_refute_report *r)
{
    bool found = r->found.refuted == AT_TRUE;
    int code = found ? CLI_FAILS : CLI_UNDECIDED;
    if (a->json)
        return cli_put_json(a, report_json(q, r), code);
    at_text t;
    at_text_init(&t);
    if (found)
        at_text_addf(&t, "refuted by %s%s\n", r->found.method,
                     r->served ? " (from the ledger, run again)" : "");
    else
        at_text_add(&t, "not refuted; that proves nothing\n");
    at_text asked;
    at_text_init(&asked);
    cli_question_print(q, &asked);
    cli_wrap(&t, asked.oom ? "" : asked.s, 2, cli_columns());
    t.oom |= asked.oom;
    at_text_release(&asked);
    if (found)
        finding_print(&q->subject, r, &t);
    else
        attempts_print(r, &t);
    if (r->found.random.tried)
        random_print(a, &r->found.random, found, &t);
    return cli_put_text(a, &t, code);
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    at_model m;
    cli_question q;
    at_ledger *l = NULL;
    at_refute_report r;
    at_arena arena;
    if (at_model_load(&m, a->words[0], &err))
        return cli_fail(a, &err);
    at_arena_init(&arena);
    int code = CLI_USAGE;
    at_status s = cli_question_open(a, given->task, given->tolerance, &m, &q, &err);
    q.subject.any_length =
        !s && q.asked.task && q.asked.task->enums >> AT_ENUM_CASES & 1 && !at_assignments_name(q.set, "N");
    q.subject.rounded_sums = m.decode.enabled && a->precision.kind == AT_PBIT;
    if (!s && a->db)
        s = at_ledger_open(a->db, AT_LEDGER_WRITE, &l, &err);
    if (!s) {
        at_refute_job job = {.subject = &q.subject,
                             .task = q.name,
                             .params = q.text,
                             .ledger = l,
                             .env = {.work = 1e6 * given->budget,
                                     .seed = a->seed,
                                     .threads = a->threads,
                                     .progress = cli_progress()},
                             .only = given->by};
        s = at_job_refute(&job, &arena, &r, &err);
        cli_progress_clear();
    }
    code = s ? cli_fail(a, &err) : report_put(a, &q, &r);
    at_ledger_close(l);
    cli_question_release(&q);
    at_arena_release(&arena);
    at_model_release(&m);
    return code;
}

static const own usual = {.budget = 2000};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_THREADS},
    {CLI_DB},
    {CLI_SEED},
    {CLI_PRECISION, .arithmetics = CLI_FLOATS},
    {"--problem", "P", "what the model should compute: a name or a file", CLI_TEXT(own, task),
     .alias = "--task"},
    {"--budget", "M", "millions of multiply-adds to spend (default 2000)",
     CLI_NUMBER(own, budget, 0.001, 1e12)},
    {"--by", "REFUTER", "this refuter only", CLI_TEXT(own, by)},
    {"--tolerance", "E", "real answers may be off by E (qsa: 1/(2q))",
     CLI_NUMBER(own, tolerance, 1e-12, 1e12)},
    {0},
};

const cli_command cmd_refute = {
    .name = "refute",
    .summary = "find an input on which a model is wrong",
    .usage = "MODEL [--problem P] [--set K=V]... [--budget M]",
    .about =
        "Looks for two inputs that the model cannot tell apart though they must be answered differently:\n"
        "by the null space of a feed-forward net, equal states of a recurrent one, equal running sums or\n"
        "block ends of a decoder, equal messages through one attention layer, a letter that hard attention\n"
        "does not see; and, where none of these applies, near the decision boundary. What is found is run "
        "again, made simpler and printed, beside\n"
        "plain random search of the same work.\n"
        "\n"
        "P is a problem (`attest list problems`), a .dp file, a file of cases, or a claim that writes "
        "chains;\n"
        "its parameters are set by --set; without it, what the file of the model says that it was made for. "
        "The model is what it is in the arithmetic of --precision (default "
        "f64): the fewer bits,\n"
        "the less it can tell apart. At p bits a decoder's running sums are rounded after every token.\n"
        "\n"
        "--budget counts work, not time: millions of multiply-adds of the model, from its shapes, and 0.001\n"
        "for every input besides. So what is found depends on --seed and not on how busy the machine is.\n"
        "\n"
        "Exit code: 1 the model is refuted, 3 nothing was found, which proves nothing. With --db what was\n"
        "tried is kept, and the next run tries other inputs.",
    .examples = "attest refute model.safetensors --problem match3 --set N=9,M=40 --precision p6\n"
                "attest refute rnn.safetensors --problem qsa --set N=20,q=1 --precision p6e4\n"
                "attest refute lis.safetensors --problem lis --set n=10,range=25 --budget 500\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 1,
    .missing = "a model file",
    .run = run,
};
