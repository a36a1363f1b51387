/* file_read.c: the text of a claim file into a claim.
 *
 *     claim ID "TITLE"                                              first, once
 *     statement TEXT     source TEXT     proof TEXT                 once each; indented lines go on with it
 *     problem NAME|FILE [K=V ...]                                   once; the defaults of its parameters
 *     program { ... }  |  program FILE  |  model FILE               once; of a block the } stands in a line of its own
 *       |  compile [NAME|FILE] [--attention KIND]                   without a source the problem itself
 *     tolerance NUMBER                                              where answers are reals
 *     look INPUT                                                    an input for the picture of the report
 *     check QUESTION                                                one at least
 *     control CHANGE [check QUESTION]                               one at least; without a question that of the first check
 *     QUESTION = exact [ENUMERATION] | sampled COUNT | certified, then [ARITHMETIC] [K=V ...] [full], in any order
 *     CHANGE   = K=V | arith=ARITHMETIC | replace "TEXT" by "TEXT" | model FILE | weight TENSOR[I] by VALUE
 *
 * A statement begins in the first column; # begins a comment line. */
#include "file_reader.h"

#include <stdio.h>
#include <string.h>

#include <attest/front.h>

static const char *const words[WORDS] = {"claim", "statement", "source",    "proof", "problem", "program",
                                         "model", "compile",   "tolerance", "look",  "check",   "control"};

typedef struct {
    const char *s;
    size_t n;
    int line, column;
} word;

/* ---- lines and words ---------------------------------------------------------------------------------------- */

void file_fail(reader *r, int line, int column, const char *fmt, ...)
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

void file_oom(reader *r)
{
    if (!r->status)
        r->status = at_oom(r->err);
    r->at = r->end;
}

void file_why(reader *r, spot at, at_status s, const at_err *why)
{
    if (s == AT_ENOMEM)
        file_oom(r);
    else if (s)
        file_fail(r, at.line, at.column, "%.360s", why->text);
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

char *file_copy(reader *r, const char *s, size_t n)
{
    char *c = at_new(&r->f->arena, char, n + 1);
    if (!c) {
        file_oom(r);
        return NULL;
    }
    memcpy(c, s, n);
    return c;
}

void file_hold(reader *r, at_problem *p)
{
    r->f->problems[r->f->n_problems++] = p; /* one a control at most, and two */
}

static char *word_copy(reader *r, word w)
{
    return file_copy(r, w.s, w.n);
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
    char *out = file_copy(r, r->at, (size_t)(r->end - r->at) < 4096 ? (size_t)(r->end - r->at) : 4096);
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
    char *s = t.oom ? NULL : file_copy(r, t.n ? t.s : "", t.n);
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
static const char *path_of(reader *r, word w)
{
    const char *slash = strrchr(r->f->path, '/');
    char *path = w.s[0] == '/' || !slash
                     ? word_copy(r, w)
                     : at_arena_printf(&r->f->arena, "%.*s/%.*s", (int)(slash - r->f->path), r->f->path,
                                       (int)w.n, w.s);
    if (!path)
        file_oom(r);
    return path;
}

static const char *path_read(reader *r, const char *what)
{
    word w = word_read(r);
    if (w.n)
        return path_of(r, w);
    file_fail(r, w.line, w.column, "expected %s", what);
    return NULL;
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

/* A name, or a file. */
static at_problem *problem_open(reader *r, word w)
{
    at_problem *p = NULL;
    at_err why = {0};
    bool is_file = memchr(w.s, '.', w.n) || memchr(w.s, '/', w.n);
    const char *name = is_file ? path_of(r, w) : word_copy(r, w);
    if (r->status)
        return NULL;
    file_why(r, (spot){w.line, w.column}, at_problem_open(name, &p, &why), &why);
    if (p)
        file_hold(r, p);
    return p;
}

static void problem_read(reader *r)
{
    word w = word_read(r);
    r->problem_at = (spot){w.line, w.column};
    if (!w.n)
        file_fail(r, w.line, w.column, "expected what is to be computed, a name or a file");
    r->problem = r->status ? NULL : problem_open(r, w);
    blanks_skip(r);
    const char *from = r->at;
    while (!at_line_end(r))
        r->at++;
    r->set = file_copy(r, from, (size_t)(r->at - from));
}

static void attention_read(reader *r)
{
    word w = word_read(r);
    r->attention_at = (spot){w.line, w.column};
    r->attention = word_copy(r, w);
}

/* compile [NAME|FILE] [--attention KIND]; without a source the problem itself, which may be said later. */
static void compile_read(reader *r)
{
    static const char option[] = "--attention";
    word w = word_read(r);
    r->source_at = (spot){w.line, w.n ? w.column : 1};
    if (w.n && *w.s != '-') {
        r->f->variants[0].source = problem_open(r, w);
        w = word_read(r);
    }
    if (r->status)
        return;
    if (word_is(w, option))
        attention_read(r);
    else if (w.n)
        file_fail(r, w.line, w.column, "expected --attention and a kind, or the end of the line");
    end_expect(r);
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
            r->f->variants[0].text = (at_program_text){r->f->path, file_copy(r, from, n), n, line};
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
        r->f->variants[0].text = (at_program_text){path, file_copy(r, text, n), n, 1};
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
                      c->evidence == AT_EV_EXACT ? ", or sequences, multisets, subsets, pairs, cases" : "");
    }
    c->params = file_copy(r, set.n ? set.s : "", set.n);
    at_text_release(&set);
}

static void question_read(reader *r, at_cell *c)
{
    word w = word_read(r);
    *c = (at_cell){.arith = "f64", .tier = AT_TIER_QUICK};
    if (word_is(w, "exact")) {
        c->evidence = AT_EV_EXACT;
        c->how = ENUM_UNSAID;
    } else if (word_is(w, at_evidence_names[AT_EV_CERTIFIED])) {
        c->evidence = AT_EV_CERTIFIED;
        c->arith = "ball";
    } else if (word_is(w, "sampled")) {
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
        file_fail(r, w.line, w.column, "expected exact, sampled or certified");
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

/* TENSOR[I] by VALUE, or TENSOR[ROW,COLUMN] */
static void weight_read(reader *r, mutation *m)
{
    word w = word_read(r), by = r->status ? w : word_read(r);
    const char *open = memchr(w.s, '[', w.n),
               *comma = open ? memchr(open, ',', (size_t)(w.s + w.n - open)) : NULL;
    const char *close = w.n && w.s[w.n - 1] == ']' ? w.s + w.n - 1 : NULL;
    m->column = -1;
    bool good =
        open && close && open > w.s &&
        at_parse_i64(open + 1, (size_t)((comma ? comma : close) - open - 1), &m->at) && m->at >= 0 &&
        (!comma || (at_parse_i64(comma + 1, (size_t)(close - comma - 1), &m->column) && m->column >= 0));
    if (!good)
        file_fail(r, w.line, w.column, "expected which weight, as in readout.b[2] or readout.w[0,3]");
    else if (!word_is(by, "by"))
        file_fail(r, by.line, by.column, "expected by, as in weight readout.b[2] by 0.5");
    if (r->status)
        return;
    word value = word_read(r);
    if (!at_parse_double(value.s, value.n, &m->value))
        file_fail(r, value.line, value.column, "expected what the weight becomes, a number");
    m->tensor = r->status ? NULL : file_copy(r, w.s, (size_t)(open - w.s));
}

static void replace_read(reader *r, change *k)
{
    k->from = quoted_read(r, "the text that is replaced");
    word by = word_read(r);
    if (!r->status && !word_is(by, "by"))
        file_fail(r, by.line, by.column, "expected by, as in replace \"scale 9\" by \"scale 1\"");
    k->to = r->status ? NULL : quoted_read(r, "the text that comes instead");
}

/* What a control changes; its cell's `control` is known now, or, of another text or model, once all are counted. */
static const char *change_read(reader *r, word at)
{
    word w = word_read(r);
    bool replace = word_is(w, "replace"), model = word_is(w, "model"), weight = word_is(w, "weight");
    if (!replace && !model && !weight) {
        if (!memchr(w.s, '=', w.n))
            file_fail(r, w.line, w.column,
                      "expected what is changed: K=V, arith=p8, replace \"TEXT\" by \"TEXT\", model FILE, or "
                      "weight TENSOR[I] by VALUE");
        return word_copy(r, w);
    }
    change *k = &r->changes[r->n_changes++]; /* as many as there are cells, at most */
    *k = (change){.at = {at.line, at.column}, .cell = r->f->n_cells - 1};
    if (model)
        k->model = path_read(r, "the file of a model");
    else if (weight)
        weight_read(r, &k->weight);
    else
        replace_read(r, k);
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
    for (int other = PROGRAM; other <= COMPILE && k >= PROGRAM && k <= COMPILE; other++)
        if (other != k && r->said[other])
            file_fail(r, w.line, w.column, "%s and %s; a claim is about one of them", words[other], words[k]);
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
    case COMPILE:
        compile_read(r);
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
                file_fail(r, r->line, column(r),
                          "a line that begins with a blank continues a statement, a source or a proof, and "
                          "none stands before it");
        } else if (!at_line_end(r) && *r->at != '#')
            statement_read(r);
        if (!r->status)
            line_skip(r);
    }
    if (!r->status)
        file_make(r);
    at_status s = r->status;
    at_free(r);
    return s;
}
