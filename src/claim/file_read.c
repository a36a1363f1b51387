/* file_read.c: the text of a claim file into a claim.
 *
 *     claim ID "TITLE"                                              first, once
 *     statement TEXT     source TEXT     proof TEXT                 once each; indented lines go on with it
 *     problem NAME [K=V ...]                                        once; the defaults of its parameters
 *     program { ... }  |  program FILE  |  model FILE               once; of a block the } stands in a line of its own
 *     tolerance NUMBER                                              where answers are reals
 *     look INPUT                                                    an input for the picture of the report
 *     check QUESTION                                                one at least
 *     control CHANGE [check QUESTION]                               one at least; without a question that of the first check
 *     QUESTION = exact [ENUMERATION] | sampled COUNT, then [ARITHMETIC] [K=V ...] [full], in any order
 *     CHANGE   = K=V | arith=ARITHMETIC | replace "TEXT" by "TEXT" | model FILE
 *
 * A statement begins in the first column; # begins a comment line. */
#include "claim_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLAIM, STATEMENT, SOURCE, PROOF, PROBLEM, PROGRAM, MODEL, TOLERANCE, LOOK, CHECK, CONTROL, WORDS };
static const char *const words[WORDS] = {"claim", "statement", "source", "proof", "problem", "program",
                                         "model", "tolerance", "look",   "check", "control"};

typedef struct {
    const char *s;
    size_t n;
    int line, column;
} word;

typedef struct {
    const char *from, *to; /* replace; to NULL: another model */
    const char *model;
    spot at;
    int cell;
} change;

typedef struct {
    at_claim_file *f;
    const char *at, *end, *line_start;
    int line;
    at_status status;
    at_err *err;
    bool said[WORDS];
    const at_task *task;
    char *set; /* of the problem line */
    spot problem_at, source_at;
    change changes[FILE_CELLS];
    int n_changes;
    bool asked; /* is there a first question? */
    at_cell first;
    bool bare[FILE_CELLS]; /* controls that take the first question */
    at_param schema[AT_PARAMS_MAX];
    int n_schema;
} reader;

/* ---- lines and words ---------------------------------------------------------------------------------------- */

static void file_fail(reader *r, int line, int column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static void file_fail(reader *r, int line, int column, const char *fmt, ...)
{
    if (r->status)
        return;
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    r->status = at_fail(r->err, AT_EINPUT, "%.100s:%d:%d: %s", r->f->path, line, column, text);
    r->at = r->end;
}

static void file_oom(reader *r)
{
    if (!r->status)
        r->status = at_oom(r->err);
    r->at = r->end;
}

static int column(const reader *r)
{
    return (int)(r->at - r->line_start) + 1;
}

static bool at_line_end(const reader *r)
{
    return r->at == r->end || *r->at == '\n' || *r->at == '\r';
}

static void line_skip(reader *r)
{
    while (r->at < r->end && *r->at != '\n')
        r->at++;
    if (r->at < r->end)
        r->at++;
    r->line++;
    r->line_start = r->at;
}

static void blanks_skip(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
}

/* The next word of this line; n is 0 at its end. */
static word word_read(reader *r)
{
    blanks_skip(r);
    word w = {r->at, 0, r->line, column(r)};
    while (!at_line_end(r) && *r->at != ' ' && *r->at != '\t') {
        r->at++;
        w.n++;
    }
    return w;
}

static bool word_is(word w, const char *s)
{
    return strlen(s) == w.n && memcmp(s, w.s, w.n) == 0;
}

static char *copy(reader *r, const char *s, size_t n)
{
    char *c = at_new(&r->f->arena, char, n + 1);
    if (!c) {
        file_oom(r);
        return NULL;
    }
    memcpy(c, s, n);
    return c;
}

static char *word_copy(reader *r, word w)
{
    return copy(r, w.s, w.n);
}

/* "..." in this line; \" and \\ stand for " and \. */
static const char *quoted_read(reader *r, const char *what)
{
    blanks_skip(r);
    int from = column(r);
    if (at_line_end(r) || *r->at != '"') {
        file_fail(r, r->line, from, "expected %s in double quotes", what);
        return NULL;
    }
    r->at++;
    char *out = copy(r, r->at, (size_t)(r->end - r->at) < 4096 ? (size_t)(r->end - r->at) : 4096);
    size_t n = 0;
    while (out && !at_line_end(r) && *r->at != '"' && n < 4096) {
        if (*r->at == '\\' && r->end - r->at > 1 && (r->at[1] == '"' || r->at[1] == '\\'))
            r->at++;
        out[n++] = *r->at++;
    }
    if (!out)
        return NULL;
    out[n] = 0;
    if (at_line_end(r) || *r->at != '"')
        file_fail(r, r->line, from, "no closing \" in this line (texts have at most 4096 bytes)");
    else
        r->at++;
    return out;
}

/* The rest of the line, and the indented lines after it, with one blank between words. */
static const char *text_read(reader *r, word at)
{
    at_text t;
    at_text_init(&t);
    for (;;) {
        for (word w = word_read(r); w.n; w = word_read(r)) {
            at_text_add(&t, t.n ? " " : "");
            at_text_addn(&t, w.s, w.n);
        }
        const char *next = r->at;
        while (next < r->end && *next != '\n')
            next++;
        if (r->end - next < 2 || (next[1] != ' ' && next[1] != '\t'))
            break;
        line_skip(r);
    }
    char *s = t.oom ? NULL : copy(r, t.n ? t.s : "", t.n);
    if (t.oom)
        file_oom(r);
    if (!r->status && !t.n)
        file_fail(r, at.line, at.column, "%.*s without a text", (int)at.n, at.s);
    at_text_release(&t);
    return s;
}

static void end_expect(reader *r)
{
    blanks_skip(r);
    if (!r->status && !at_line_end(r))
        file_fail(r, r->line, column(r), "expected the end of the line");
}

/* A path is meant from where the file is. */
static const char *path_read(reader *r, const char *what)
{
    word w = word_read(r);
    if (!w.n) {
        file_fail(r, w.line, w.column, "expected %s", what);
        return NULL;
    }
    const char *slash = strrchr(r->f->path, '/');
    char *path = w.s[0] == '/' || !slash
                     ? word_copy(r, w)
                     : at_arena_printf(&r->f->arena, "%.*s/%.*s", (int)(slash - r->f->path), r->f->path,
                                       (int)w.n, w.s);
    if (!path)
        file_oom(r);
    return path;
}

/* ---- statements ----------------------------------------------------------------------------------------------- */

#define ID_MAX 40

static void claim_read(reader *r)
{
    at_claim *c = &r->f->claim;
    word w = word_read(r);
    bool good = w.n > 0 && w.n <= ID_MAX;
    for (size_t k = 0; k < w.n && good; k++)
        good = (w.s[k] >= 'a' && w.s[k] <= 'z') || (w.s[k] >= '0' && w.s[k] <= '9') || (w.s[k] == '-' && k);
    if (!good) {
        file_fail(r, w.line, w.column, "expected the id of the claim: at most %d of a-z, 0-9 and -", ID_MAX);
        return;
    }
    c->id = word_copy(r, w);
    if (c->id && at_claim_find(c->id))
        file_fail(r, w.line, w.column, "the catalogue has a claim %s; choose another id", c->id);
    c->title = r->status ? NULL : quoted_read(r, "the title");
    end_expect(r);
}

static void problem_read(reader *r)
{
    word w = word_read(r);
    r->problem_at = (spot){w.line, w.column};
    char *id = word_copy(r, w);
    if (!id)
        return;
    at_registry problems = at_task_registry;
    at_err err = {0};
    problems.word = "problem";
    r->task = at_registry_need(&problems, id, &err);
    if (!r->task) {
        file_fail(r, w.line, w.column, "%s", err.text);
        return;
    }
    blanks_skip(r);
    const char *from = r->at;
    while (!at_line_end(r))
        r->at++;
    r->set = copy(r, from, (size_t)(r->at - from));
}

/* program { ... } */
static void block_read(reader *r, word brace)
{
    end_expect(r);
    line_skip(r);
    const char *from = r->at;
    int line = r->line;
    for (;;) {
        if (r->status)
            return;
        if (r->at == r->end) {
            file_fail(r, brace.line, brace.column, "the program has no closing } in a line of its own");
            return;
        }
        const char *start = r->at;
        word w = word_read(r);
        if (word_is(w, "}")) {
            size_t n = (size_t)(start - from);
            r->f->variants[0].text = (at_program_text){r->f->path, copy(r, from, n), n, line};
            end_expect(r);
            return;
        }
        line_skip(r);
    }
}

static void program_read(reader *r)
{
    blanks_skip(r);
    r->source_at = (spot){r->line, column(r)};
    const char *start = r->at;
    word w = word_read(r);
    if (word_is(w, "{")) {
        block_read(r, w);
        return;
    }
    r->at = start;
    const char *path = path_read(r, "{ or the file of a program");
    char *text = NULL;
    size_t n = 0;
    at_err why = {0};
    if (r->status)
        return;
    at_status s = at_file_read(path, AT_PROGRAM_TEXT_MAX, &text, &n, &why);
    if (s == AT_ENOMEM)
        file_oom(r);
    else if (s)
        file_fail(r, w.line, w.column, "%s", why.text);
    else
        r->f->variants[0].text = (at_program_text){path, copy(r, text, n), n, 1};
    at_free(text);
    end_expect(r);
}

static void model_read(reader *r)
{
    blanks_skip(r);
    r->source_at = (spot){r->line, column(r)};
    r->f->variants[0].model = path_read(r, "the file of a model");
    end_expect(r);
}

static void tolerance_read(reader *r)
{
    word w = word_read(r);
    if (!at_parse_double(w.s, w.n, &r->f->tolerance) || !(r->f->tolerance > 0))
        file_fail(r, w.line, w.column, "expected how far an answer may be off, a number above 0");
    end_expect(r);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

#define SAMPLES_MAX 1000000000000

static void assignment_add(reader *r, at_text *t, word w)
{
    at_text_add(t, t->n ? " " : "");
    at_text_addn(t, w.s, w.n);
    if (t->oom)
        file_oom(r);
}

/* The words after exact or sampled. */
static void question_rest(reader *r, at_cell *c)
{
    at_text set;
    at_text_init(&set);
    for (word w = word_read(r); w.n && !r->status; w = word_read(r)) {
        int how = 0;
        at_arith a;
        char *s = word_copy(r, w);
        while (s && how < AT_ENUMS && strcmp(at_enum_names[how], s) != 0)
            how++;
        if (!s)
            break;
        if (strchr(s, '='))
            assignment_add(r, &set, w);
        else if (how < AT_ENUMS && c->evidence == AT_EV_EXACT)
            c->how = (at_enum)how;
        else if (word_is(w, "full"))
            c->tier = AT_TIER_FULL;
        else if (!at_arith_parse(s, &a, NULL))
            c->arith = s;
        else
            file_fail(r, w.line, w.column,
                      "'%.40s': expected an arithmetic (f64, f32, p12, ball, exact), K=V, full%s", s,
                      c->evidence == AT_EV_EXACT ? ", or sequences, multisets, subsets, pairs" : "");
    }
    c->params = copy(r, set.n ? set.s : "", set.n);
    at_text_release(&set);
}

static void question_read(reader *r, at_cell *c)
{
    word w = word_read(r);
    *c = (at_cell){.arith = "f64", .tier = AT_TIER_QUICK};
    if (word_is(w, "exact"))
        c->evidence = AT_EV_EXACT;
    else if (word_is(w, "sampled")) {
        int64_t count;
        word number = word_read(r);
        c->evidence = AT_EV_SAMPLED;
        if (!at_parse_i64(number.s, number.n, &count) || count < 1 || count > SAMPLES_MAX) {
            file_fail(r, number.line, number.column, "expected how many inputs, 1..%lld, as in sampled 1000",
                      (long long)SAMPLES_MAX);
            return;
        }
        c->inputs = 10 * (uint64_t)count; /* of which the quick tier takes a tenth */
    } else {
        file_fail(r, w.line, w.column, "expected exact or sampled%s",
                  word_is(w, "certified") ? "; certificates need a case split, which files have not" : "");
        return;
    }
    question_rest(r, c);
}

static at_cell *cell_new(reader *r, word at)
{
    at_claim_file *f = r->f;
    if (f->n_cells == FILE_CELLS) {
        file_fail(r, at.line, at.column, "more than %d checks and controls", FILE_CELLS);
        return NULL;
    }
    f->spots[f->n_cells] = (spot){at.line, at.column};
    return &f->cells[f->n_cells++];
}

static void check_read(reader *r, word at)
{
    at_cell *c = cell_new(r, at);
    if (!c)
        return;
    question_read(r, c);
    if (!r->asked)
        r->first = *c;
    r->asked = true;
}

/* What a control changes; its cell's `control` is known now, or, of another text or model, once all are counted. */
static const char *change_read(reader *r, word at)
{
    word w = word_read(r);
    bool replace = word_is(w, "replace"), model = word_is(w, "model");
    if (!replace && !model) {
        if (!memchr(w.s, '=', w.n))
            file_fail(r, w.line, w.column,
                      "expected what is changed: K=V, arith=p8, replace \"TEXT\" by \"TEXT\", or model FILE");
        return word_copy(r, w);
    }
    change *k = &r->changes[r->n_changes++]; /* as many as there are cells, at most */
    *k = (change){.at = {at.line, at.column}, .cell = r->f->n_cells - 1};
    if (model) {
        k->model = path_read(r, "the file of a model");
        return NULL;
    }
    k->from = quoted_read(r, "the text that is replaced");
    word by = word_read(r);
    if (!r->status && !word_is(by, "by"))
        file_fail(r, by.line, by.column, "expected by, as in replace \"scale 9\" by \"scale 1\"");
    k->to = r->status ? NULL : quoted_read(r, "the text that comes instead");
    return NULL;
}

static void control_read(reader *r, word at)
{
    at_cell *c = cell_new(r, at);
    if (!c)
        return;
    int k = r->f->n_cells - 1;
    const char *control = change_read(r, at);
    word w = r->status ? (word){0} : word_read(r);
    if (w.n && !word_is(w, "check"))
        file_fail(r, w.line, w.column, "expected check and a question, or the end of the line");
    else if (w.n)
        question_read(r, c);
    r->bare[k] = !w.n;
    c->control = control;
}

/* ---- what is said as a whole ------------------------------------------------------------------------------------- */

static void param_add(reader *r, const at_param *q)
{
    if (r->n_schema == AT_PARAMS_MAX)
        file_fail(r, r->source_at.line, r->source_at.column, "more than %d parameters", AT_PARAMS_MAX);
    else
        r->schema[r->n_schema++] = *q;
}

static at_param *param_find(reader *r, const char *name)
{
    for (int k = 0; k < r->n_schema; k++)
        if (!strcmp(r->schema[k].name, name))
            return &r->schema[k];
    return NULL;
}

/* Those of the problem, then those of the program that the problem does not have. Of those that both have, ranges are met. */
static void schema_make(reader *r)
{
    at_claim_file *f = r->f;
    at_param *own = NULL;
    int n_own = 0;
    at_err why = {0};
    at_params p;
    for (int k = 0; k < r->task->n_params; k++)
        param_add(r, &r->task->params[k]);
    at_status s = f->variants[0].model
                      ? AT_OK
                      : at_program_params(&f->variants[0].text, &f->arena, &own, &n_own, r->err);
    if (s && !r->status)
        r->status = s;
    for (int k = 0; k < n_own && !r->status; k++) {
        at_param *both = param_find(r, own[k].name);
        if (!strcmp(own[k].name, VARIANT))
            file_fail(r, r->source_at.line, r->source_at.column,
                      "a parameter " VARIANT "; controls need this name");
        else if (!both)
            param_add(r, &own[k]);
        else {
            both->lo = fmax(both->lo, own[k].lo);
            both->hi = fmin(both->hi, own[k].hi);
            both->value = fmax(both->lo, fmin(both->hi, own[k].value));
            both->integer = both->integer || own[k].integer;
            if (both->lo > both->hi)
                file_fail(r, r->source_at.line, r->source_at.column,
                          "parameter %s: the program's range and the problem's have nothing in common",
                          own[k].name);
        }
    }
    if (r->status)
        return;
    at_params_init(&p, r->schema, r->n_schema); /* the problem's line has the defaults */
    if (at_params_parse(&p, r->set, &why))
        file_fail(r, r->problem_at.line, r->problem_at.column, "%s", why.text);
    for (int k = 0; k < r->n_schema; k++)
        r->schema[k].value = p.value[k];
}

/* The program with one text replaced. */
static void variant_text(reader *r, const change *k, variant *v)
{
    const at_program_text *t = &r->f->variants[0].text;
    size_t n = strlen(k->from), found = 0, at = 0;
    for (size_t i = 0; n && i + n <= t->n; i++)
        if (memcmp(t->s + i, k->from, n) == 0) {
            found++;
            at = i;
        }
    if (found != 1) {
        file_fail(r, k->at.line, k->at.column, "\"%.60s\" stands %zu times in the program; it must be once",
                  k->from, found);
        return;
    }
    char *s = at_arena_printf(&r->f->arena, "%.*s%s%.*s", (int)at, t->s, k->to, (int)(t->n - at - n),
                              t->s + at + n);
    if (!s) {
        file_oom(r);
        return;
    }
    v->text = (at_program_text){t->path, s, strlen(s), t->line};
    v->what = at_arena_printf(&r->f->arena, "\"%s\" becomes \"%s\"", k->from, k->to);
}

static void variants_make(reader *r)
{
    at_claim_file *f = r->f;
    const char **names = at_new(&f->arena, const char *, r->n_changes + 2);
    at_text doc;
    f->n_variants = 1;
    if (!r->n_changes)
        return;
    at_text_init(&doc);
    at_text_add(&doc, "what the model is made of");
    for (int k = 0; k < r->n_changes && names && !r->status; k++) {
        const change *c = &r->changes[k];
        variant *v = &f->variants[f->n_variants++];
        *v = (variant){.line = c->at.line, .column = c->at.column, .model = c->model};
        names[k + 1] = at_arena_printf(&f->arena, "control-%d", k + 1);
        f->cells[c->cell].control = at_arena_printf(&f->arena, VARIANT "=control-%d", k + 1);
        if (!c->model && f->variants[0].model)
            file_fail(r, c->at.line, c->at.column,
                      "there is no program to replace a text of; control model FILE");
        else if (!c->model)
            variant_text(r, c, v);
        else
            v->what = at_arena_printf(&f->arena, "the model %s", c->model);
        if (!r->status && (!names[k + 1] || !f->cells[c->cell].control || !v->what))
            file_oom(r);
        at_text_addf(&doc, "; control-%d: %s", k + 1, v->what ? v->what : "");
    }
    at_param q = {.name = VARIANT, .hi = r->n_changes, .integer = true, .names = names};
    q.doc = doc.oom || !names ? NULL : copy(r, doc.s, doc.n);
    at_text_release(&doc);
    if (!q.doc) {
        file_oom(r);
        return;
    }
    names[0] = "as-written";
    param_add(r, &q);
}

/* Every cell has parameters that exist and an enumeration that the problem has. */
static void cells_check(reader *r)
{
    at_claim_file *f = r->f;
    for (int k = 0; k < f->n_cells && !r->status; k++) {
        at_cell *c = &f->cells[k];
        at_err why = {0};
        at_sweep sweep;
        at_arith a;
        spot at = f->spots[k];
        if (at_cell_sweep(&f->claim, c, AT_TIER_FULL, NULL, &sweep, &why) ||
            at_arith_parse(at_cell_arith(c), &a, &why))
            file_fail(r, at.line, at.column, "%s", why.text);
        else if (c->evidence == AT_EV_EXACT && !(r->task->enums >> c->how & 1))
            file_fail(r, at.line, at.column, "problem %s has no enumeration of %s", r->task->id,
                      at_enum_names[c->how]);
    }
}

/* Every text is a program, every model file can be read, before anything is run. */
static void variants_check(reader *r)
{
    at_claim_file *f = r->f;
    at_params p;
    at_params_init(&p, r->schema, r->n_schema);
    for (int k = 0; k < f->n_variants && !r->status; k++) {
        const variant *v = &f->variants[k];
        at_err why = {0};
        at_program *P = NULL;
        at_model m;
        at_status s = v->model ? at_model_load(&m, v->model, &why) : at_program_parse(&v->text, &p, &P, &why);
        if (v->model && !s)
            at_model_release(&m);
        at_program_free(P);
        if (s == AT_ENOMEM)
            file_oom(r);
        else if (s && k)
            file_fail(r, v->line, v->column, "the control cannot be built: %.300s", why.text);
        else if (s && v->model)
            file_fail(r, r->source_at.line, r->source_at.column, "%.300s", why.text);
        else if (s)
            r->status = at_fail(r->err, s, "%s", why.text); /* it begins with its own place */
    }
}

static void whole_check(reader *r)
{
    static const struct {
        int word;
        const char *why;
    } needed[] = {
        {CLAIM, "a file begins with claim ID \"TITLE\""},
        {PROBLEM, "problem NAME says what is to be computed"},
        {CHECK, "check says what is asked, as in check exact sequences"},
        {CONTROL, "control says what must make the claim fail: a check that rejects nothing says nothing"}};
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
        if (!r->said[needed[k].word])
            file_fail(r, r->line, 1, "%s is missing: %s", words[needed[k].word], needed[k].why);
    if (!r->said[PROGRAM] && !r->said[MODEL])
        file_fail(r, r->line, 1, "program or model is missing: what is to be checked");
    if (!r->status && r->task->real && !r->said[TOLERANCE])
        file_fail(r, r->problem_at.line, r->problem_at.column,
                  "answers of %s are reals; tolerance NUMBER says how far they may be off", r->task->id);
    if (!r->status && !r->task->real && r->said[TOLERANCE])
        file_fail(r, r->problem_at.line, r->problem_at.column,
                  "answers of %s are integers; there is no tolerance", r->task->id);
}

static void claim_make(reader *r)
{
    at_claim_file *f = r->f;
    at_claim *c = &f->claim;
    for (int k = 0; k < f->n_cells; k++)
        if (r->bare[k]) {
            const char *control = f->cells[k].control;
            f->cells[k] = r->first;
            f->cells[k].control = control;
        }
    if (!r->status)
        schema_make(r);
    if (!r->status)
        variants_make(r);
    if (r->status)
        return;
    at_param *schema = at_new(&f->arena, at_param, r->n_schema + 1);
    if (!schema) {
        file_oom(r);
        return;
    }
    memcpy(schema, r->schema, (size_t)r->n_schema * sizeof *schema);
    c->params = schema;
    c->n_params = r->n_schema;
    c->task = r->task->id;
    c->cells = f->cells;
    c->n_cells = f->n_cells;
    c->statement = c->statement ? c->statement : c->title;
    c->source = c->source ? c->source : f->path;
    c->proof = c->proof ? c->proof : "";
    c->look_params = "";
    c->file = f;
    c->digest = f->digest;
    cells_check(r);
    variants_check(r);
}

/* ---- the file ------------------------------------------------------------------------------------------------------ */

/* Text, and nothing that acts on a terminal: names and titles are printed. */
static void text_check(reader *r)
{
    const char *s = r->at, *start = s;
    int line = 1;
    while (s < r->end && !r->status) {
        const char *here = s;
        if (!*s) {
            file_fail(r, line, (int)(here - start) + 1, "a zero byte; a claim is a text file");
            return;
        }
        uint32_t c = at_text_next(&s);
        if (c == '\n') {
            line++;
            start = s;
        } else if (c == AT_TEXT_REPLACEMENT || (at_text_acts(c) && c != '\t' && c != '\r'))
            file_fail(r, line, (int)(here - start) + 1,
                      "not a character that can be seen; a claim is UTF-8 text");
    }
}

static void statement_read(reader *r)
{
    at_claim *c = &r->f->claim;
    word w = word_read(r);
    int k = 0;
    while (k < WORDS && !word_is(w, words[k]))
        k++;
    if (k == WORDS) {
        static const at_registry all = AT_REGISTRY_OF_NAMES("word", NULL, words, WORDS);
        const char *s = word_copy(r, w);
        at_err err = {0};
        if (s)
            at_registry_need(&all, s, &err);
        file_fail(r, w.line, w.column, "%s", err.text);
        return;
    }
    if (k != CLAIM && !r->said[CLAIM])
        file_fail(r, w.line, w.column, "a file begins with claim ID \"TITLE\"");
    if (r->said[k] && k != CHECK && k != CONTROL)
        file_fail(r, w.line, w.column, "a second %s", words[k]);
    if ((k == PROGRAM && r->said[MODEL]) || (k == MODEL && r->said[PROGRAM]))
        file_fail(r, w.line, w.column, "a program and a model; a claim is about one of them");
    if (r->status)
        return;
    r->said[k] = true;
    switch (k) {
    case CLAIM:
        claim_read(r);
        break;
    case STATEMENT:
        c->statement = text_read(r, w);
        break;
    case SOURCE:
        c->source = text_read(r, w);
        break;
    case PROOF:
        c->proof = text_read(r, w);
        break;
    case LOOK:
        c->look = text_read(r, w);
        break;
    case PROBLEM:
        problem_read(r);
        break;
    case PROGRAM:
        program_read(r);
        break;
    case MODEL:
        model_read(r);
        break;
    case TOLERANCE:
        tolerance_read(r);
        break;
    case CHECK:
        check_read(r, w);
        break;
    default:
        control_read(r, w);
    }
}

at_status claim_file_read(at_claim_file *f, const char *text, size_t n, at_err *err)
{
    reader *r = at_calloc(1, sizeof *r);
    at_err own = {0};
    if (!r)
        return at_oom(err);
    *r =
        (reader){.f = f, .at = text, .end = text + n, .line_start = text, .line = 1, .err = err ? err : &own};
    text_check(r);
    while (!r->status && r->at < r->end) {
        if (*r->at == ' ' || *r->at == '\t') {
            blanks_skip(r);
            if (!at_line_end(r) && *r->at != '#')
                file_fail(r, r->line, column(r), "a line that begins with a blank goes on with nothing");
        } else if (!at_line_end(r) && *r->at != '#')
            statement_read(r);
        if (!r->status)
            line_skip(r);
    }
    if (!r->status)
        whole_check(r);
    if (!r->status)
        claim_make(r);
    at_status s = r->status;
    at_free(r);
    return s;
}
