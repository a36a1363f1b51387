/* question.c: one model, one problem: opened, given an input, judged. */
#include "question.h"

#include <math.h>
#include <string.h>

/* ---- the model ------------------------------------------------------------------------------------------- */

/* Those of the assignments that the claim knows; the problem says which of them nobody does. */
static void assignments_keep(const char *set, const at_claim *c, at_text *out)
{
    static const char blanks[] = " \t\r\n,";
    at_text_add(out, "");
    for (const char *s = set; *(s += strspn(s, blanks));) {
        size_t n = strcspn(s, blanks), name = strcspn(s, "=");
        for (int k = 0; k < c->n_params; k++)
            if (strlen(c->params[k].name) == name && !memcmp(c->params[k].name, s, name)) {
                at_text_addn(out, s, n);
                at_text_add(out, " ");
            }
        s += n;
    }
}

at_status cli_question_model(const cli_args *a, const char *problem, at_model *m, const char **input,
                             at_err *err)
{
    const at_claim *c = at_claim_find(a->words[0]);
    cli_args some = *a;
    at_text mine;
    at_text_init(&mine);
    if (problem && c && a->set)
        assignments_keep(a->set, c, &mine);
    if (problem)
        some.set = mine.s;
    at_status s = mine.oom ? at_oom(err) : cli_subject_load(problem ? &some : a, m, input, err);
    at_text_release(&mine);
    return s;
}

/* ---- opening ---------------------------------------------------------------------------------------------- */

void cli_question_release(cli_question *q)
{
    at_asked_release(&q->asked);
    at_problem_free(q->problem);
    at_free(q->text);
    cli_recalled_release(&q->known);
    *q = (cli_question){0};
}

static at_status text_keep(cli_question *q, at_err *err)
{
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "");
    at_params_print(&q->asked.params, &t);
    if (t.oom)
        return at_oom(err);
    q->text = t.s;
    return AT_OK;
}

static at_status tolerance_find(double given, cli_question *q, at_err *err)
{
    const at_params *p = &q->asked.params;
    q->subject.tolerance = given;
    if (!q->asked.task || !q->asked.task->real)
        return given > 0 ? at_fail(err, AT_EINPUT,
                                   "answers of %s are no reals: --tolerance says nothing of them", q->name)
                         : AT_OK;
    if (!(given > 0))
        q->subject.tolerance = at_task_tolerance(q->asked.task, p);
    return q->subject.tolerance > 0
               ? AT_OK
               : at_fail(err, AT_EINPUT, "answers of %s are reals: how far off may they be? (--tolerance E)",
                         q->problem->id);
}

/* A decoder that a claim has a chain for is asked by the claim's name, too. */
static at_status claim_ask(const char *set, const at_claim *c, cli_question *q, at_err *err)
{
    q->asked = (at_asked){.view = AT_VIEW_CHAIN, .chain = c->chain};
    at_params_init(&q->asked.params, c->params, c->n_params);
    at_status s = set ? at_params_parse(&q->asked.params, set, err) : AT_OK;
    return s ? s : c->chain->open(&q->asked.params, &q->asked.self, err);
}

static const at_claim *claim_of(const at_model *m, const char *name)
{
    const at_claim *c = at_claim_find(name);
    return m->decode.enabled && c && c->chain ? c : NULL;
}

/* q->problem is open unless the name is a claim's. */
static at_status ask(const cli_args *a, const char *set, double tolerance, const at_model *m, cli_question *q,
                     at_err *err)
{
    const at_claim *c = claim_of(m, q->name);
    q->subject = (at_subject){.m = m, .arith = a->precision};
    at_status s = c ? claim_ask(set, c, q, err) : at_problem_ask(q->problem, m, set, &q->asked, err);
    if (!s && q->asked.view == AT_VIEW_ROWS && at_params_has(&q->asked.params, "order") &&
        at_params_int(&q->asked.params, "order"))
        s = at_fail(err, AT_EREFUSED,
                    "with order=random several completions are right; %s takes order=leftmost", a->command);
    if (!s)
        s = tolerance_find(tolerance, q, err);
    q->subject.task = q->asked.task;
    q->subject.params = q->asked.task ? &q->asked.params : NULL;
    q->subject.chain = q->asked.chain;
    q->subject.self = q->asked.self;
    return s ? s : text_keep(q, err);
}

/* The problem that was named, or else the one that the model remembers. length: is N what it remembers? */
static at_status begin(const cli_args *a, const char *name, bool length, const at_model *m, cli_question *q,
                       at_err *err)
{
    *q = (cli_question){0};
    at_status s = cli_recall(a, a->words[0], name, length, &q->known, err);
    if (s)
        return s;
    q->name = q->known.problem.s;
    q->set = q->known.set.s;
    return claim_of(m, q->name) ? AT_OK : at_problem_open(q->name, &q->problem, err);
}

at_status cli_question_open(const cli_args *a, const char *name, double tolerance, const at_model *m,
                            cli_question *q, at_err *err)
{
    at_status s = begin(a, name, true, m, q, err);
    return s ? s : ask(a, q->set, tolerance, m, q, err);
}

/* ---- an input ------------------------------------------------------------------------------------------------ */

/* How many cases of a file have this length. */
static uint64_t cases_count(const at_problem *p, int n)
{
    at_params q;
    at_err none = {0};
    at_params_init(&q, p->task->params, p->task->n_params);
    q.of = p;
    return at_params_set(&q, "N", n, &none) ? 0 : p->task->count(&q, AT_ENUM_CASES);
}

/* The length of one of the cases, each as likely as any other. */
static int case_length(const at_problem *p, int lo, int hi, uint64_t seed)
{
    uint64_t all = 0;
    for (int n = lo; n <= hi; n++)
        all += cases_count(p, n);
    at_rng r = at_rng_at(seed, 1); /* 0 draws the input itself */
    uint64_t which = all ? at_rng_below(&r, all) : 0;
    for (int n = lo; n <= hi; n++) {
        uint64_t here = cases_count(p, n);
        if (which < here)
            return n;
        which -= here;
    }
    return lo;
}

/* A length that the user did not set: see question.h. */
static at_status length_choose(const cli_args *a, const at_model *m, const at_problem *p, int *n, at_err *err)
{
    const at_task *t = p->task;
    int row = 0;
    while (strcmp(t->params[row].name, "N") != 0) /* every task has it */
        row++;
    int lo = (int)t->params[row].lo, hi = (int)t->params[row].hi, usual = (int)t->params[row].value;
    lo = m->n_min > lo ? m->n_min : lo;
    hi = m->n_max < hi ? m->n_max : hi;
    if (hi < lo)
        return at_fail(err, AT_EDOMAIN, "%s has lengths %.0f..%.0f, the model takes %d..%d", p->id,
                       t->params[row].lo, t->params[row].hi, m->n_min, m->n_max);
    *n = t->enums >> AT_ENUM_CASES & 1 ? case_length(p, lo, hi, a->seed)
         : usual < lo                  ? lo
         : usual > hi                  ? hi
                                       : usual;
    return AT_OK;
}

static at_status input_draw(const cli_args *a, const cli_question *q, at_arena *arena, at_input *x,
                            at_err *err)
{
    const at_asked *k = &q->asked;
    at_rng r = at_rng_at(a->seed, 0);
    int n = k->task ? at_params_int(&k->params, "N") : k->chain->prompt_max(k->self);
    int width = k->task ? k->task->row_width(&k->params) : k->chain->row_width(k->self);
    double *v = at_new(arena, double, (size_t)n *(size_t)width + 1);
    if (!v)
        return at_oom(err);
    if (k->task)
        k->task->sample(&k->params, &r, v);
    else if (k->chain->sample(k->self, &r, v, &n, err))
        return err->code;
    *x = (at_input){n, v};
    return at_input_check(q->subject.m, x, err);
}

at_status cli_question_input(const cli_args *a, const char *name, double tolerance, const at_model *m,
                             const char *line, int length, at_arena *arena, cli_question *q, at_input *x,
                             at_err *err)
{
    *q = (cli_question){.name = name};
    if (!(1u << a->precision.kind & CLI_FLOATS))
        return at_fail(err, AT_EREFUSED, "a problem is asked in f32, f64 or p bits");
    at_status s = begin(a, name, !name, m, q, err);
    q->drawn = !line;
    if (!s && line)
        s = (m->decode.enabled ? at_prompt_parse : at_input_parse)(m, line, arena, x, err);
    const at_problem *p = q->problem;
    if (!s && p && p->suit)
        s = p->suit(q->problem, m, err);
    at_text set;
    at_text_init(&set);
    at_text_add(&set, q->set ? q->set : "");
    if (!s && p && p->task && !m->decode.enabled && !p->task->length && !at_assignments_name(q->set, "N")) {
        int n = line ? x->n : length;
        s = n < 0 ? length_choose(a, m, p, &n, err) : AT_OK;
        at_text_addf(&set, " N=%d", n);
    }
    if (!s)
        s = set.oom ? at_oom(err) : ask(a, set.s, tolerance, m, q, err);
    if (!s)
        s = at_subject_check(&q->subject, err);
    if (!s && !line)
        s = input_draw(a, q, arena, x, err);
    at_text_release(&set);
    return s;
}

/* ---- in words ----------------------------------------------------------------------------------------------- */

void cli_question_print(const cli_question *q, at_text *t)
{
    char arith[16];
    at_arith_name(q->subject.arith, arith);
    at_text_addf(t, "%s%s%s, in %s", q->name, *q->text && !q->subject.any_length ? " " : "",
                 q->subject.any_length ? "" : q->text, arith);
    if (q->subject.task && q->subject.task->real)
        at_text_addf(t, ", tolerance %.6g", q->subject.tolerance);
}

void cli_numbers_print(const at_subject *s, const double *x, int n, at_text *t)
{
    for (int k = 0; k < n; k++) {
        at_text_add(t, k ? "," : "");
        if (s->task->real)
            at_text_addf(t, "%.9g", x[k]);
        else
            at_decision_print(s->m, x[k], t);
    }
}

/* Tokens: two lines, and a third that points at what differs. */
static void tokens_print(const at_subject *s, const at_answer *y, at_text *t)
{
    static const char *const names[] = {"written", "right", ""};
    int rows = y->n > y->n_right ? y->n : y->n_right, columns = cli_columns();
    for (int from = 0, to = 0; from < rows; from = to)
        for (int line = 0; line < 3; line++) {
            at_text all;
            at_text_init(&all);
            cli_pad(&all, names[line], 8);
            int used = 8;
            for (to = from; to < rows; to++) {
                at_text cell[3];
                int w = 1;
                for (int k = 0; k < 3; k++) {
                    at_text_init(&cell[k]);
                    at_text_add(&cell[k], "");
                    const double *v = k < 2 ? at_answer_at(s, y, k, to) : NULL;
                    if (v)
                        at_input_print_row(s->m, v, -1, &cell[k]);
                    else if (k == 2)
                        at_text_add(&cell[k], at_answer_right(s, y, to) ? "" : "^");
                    int n = cell[k].oom ? 0 : cli_width(cell[k].s);
                    w = n > w ? n : w;
                }
                bool fits = to == from || used + 1 + w <= columns;
                used += 1 + w;
                if (fits) {
                    at_text_add(&all, " ");
                    cli_pad(&all, cell[line].oom ? "" : cell[line].s, w);
                }
                for (int k = 0; k < 3; k++) {
                    t->oom |= cell[k].oom;
                    at_text_release(&cell[k]);
                }
                if (!fits)
                    break;
            }
            while (all.n && all.s[all.n - 1] == ' ')
                all.s[--all.n] = 0;
            if (all.n)
                at_text_addf(t, "%s\n", all.s);
            t->oom |= all.oom;
            at_text_release(&all);
        }
}

void cli_rows_print(const at_subject *s, const at_answer *y, at_text *t)
{
    if (y->width == 1) {
        tokens_print(s, y, t);
        return;
    }
    cli_pad(t, "written", 28);
    at_text_add(t, "right\n");
    for (int k = 0; k < y->n || k < y->n_right; k++) {
        at_text one;
        at_text_init(&one);
        at_text_add(&one, "");
        if (k < y->n)
            at_input_print_row(s->m, at_answer_at(s, y, 0, k), -1, &one);
        cli_pad(t, one.oom ? "" : one.s, 28);
        t->oom |= one.oom;
        at_text_release(&one);
        if (k >= y->open && k < y->n_right)
            at_input_print_row(s->m, at_answer_at(s, y, 1, k), -1, t);
        at_text_add(t, at_answer_right(s, y, k) ? "\n" : "   <- differs\n");
    }
}

int cli_right_count(const at_subject *s, const at_answer *y, const at_input *x, int *of)
{
    int right = 0, rows = y->n > y->n_right ? y->n : y->n_right;
    *of = rows - y->open;
    for (int k = y->open; k < rows; k++)
        right += at_answer_right(s, y, s->task && rows == 1 ? x->n - 1 : k);
    return right;
}

void cli_right_print(const at_subject *s, const at_answer *y, const at_input *x, at_text *t)
{
    int of, right = cli_right_count(s, y, x, &of);
    const char *noun = s->chain ? "row" : "position";
    if (s->chain && y->open && right == of)
        at_text_add(t, "the end is right; nothing is asked of the rows before it");
    else if (s->chain && right < of)
        at_text_addf(t, "%d of %d rows are right, the first that is not is row %d", right, of,
                     y->position + 1);
    else if (s->chain)
        at_text_addf(t, "all %d %ss are right", of, noun);
    else
        at_text_addf(t, "right at %d of %d %s%s", right, of, noun, of == 1 ? "" : "s");
}
