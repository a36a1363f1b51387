/* cases.c: a file of cases: lines `input<TAB>answer`.
 *
 *     3 8 5 0<TAB>0 1 1 0          an answer at every position, as `attest run` prints it
 *     3 8 5 0<TAB>8                or one, where the model answers at the last position
 *     3 8 |<TAB>... 8              of a decoder: all that it writes, or, behind dots, what it ends in
 *
 * An input is written as `attest run` takes it, so what the words mean only a model tells: positions are read when one is
 * known (suit). Rows to learn need none: `input <sep> <sep> answer`, with the words as vocabulary. Empty lines are passed
 * over. What is not in the file is not asked, so a verdict rests on samples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/lang.h>

#define BYTES_MAX ((size_t)1 << 28)

typedef struct {
    const char *input, *answer; /* as written */
    int line, column;           /* column: of the answer */
    int n;                      /* positions */
    double *x, *y;              /* (n, row), (answers, out); of a decoder y is (rows, row) */
    int rows;                   /* of a decoder: what it must write */
    bool ending;                /* at the end, whatever comes before */
} a_case;

typedef struct {
    at_lines lines; /* first: the stream finds it here */
    a_case *c;      /* by length, then by input */
    size_t n;
    int row, out;
    bool last;
    at_task task;
    at_param length;
    at_chain chain;
} cases;

static const cases *cases_of(const at_params *p)
{
    return ((const at_problem *)p->of)->self;
}

/* ---- the lines ------------------------------------------------------------------------------------------------- */

static bool is_blank(const char *s, const char *end)
{
    while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
        s++;
    return s == end;
}

/* One line, s..end, without its end. */
static at_status line_read(cases *k, at_problem *p, char *s, char *end, int line, at_text *rows, at_err *err)
{
    if (end > s && end[-1] == '\r')
        end--;
    char *tab = memchr(s, '\t', (size_t)(end - s));
    if (!tab)
        return at_fail(err, AT_EINPUT, "%.200s:%d:%d: no tab; a line is input<TAB>answer", p->path, line,
                       (int)(end - s) + 1);
    char *more = memchr(tab + 1, '\t', (size_t)(end - tab - 1));
    if (more)
        return at_fail(err, AT_EINPUT, "%.200s:%d:%d: a second tab; a line is input<TAB>answer", p->path,
                       line, (int)(more - s) + 1);
    if (is_blank(tab + 1, end))
        return at_fail(err, AT_EINPUT, "%.200s:%d:%d: no answer stands behind the tab", p->path, line,
                       (int)(tab - s) + 2);
    *tab = *end = 0;
    for (const char *at = s; at < end;) {
        const char *from = at;
        uint32_t c = *at ? at_text_next(&at) : (uint32_t)*at++;
        if (c && (at_text_acts(c) || c == AT_TEXT_REPLACEMENT))
            return at_fail(err, AT_EINPUT, "%.200s:%d:%d: U+%04X is not seen in a word, or no text", p->path,
                           line, (int)(from - s) + 1, c);
    }
    a_case *c = &k->c[k->n++];
    *c = (a_case){.line = line, .column = (int)(tab - s) + 2};
    c->input = at_arena_strdup(&p->arena, s);
    c->answer = at_arena_strdup(&p->arena, tab + 1);
    at_text_addf(rows, "%s <sep> <sep> %s\n", s, tab + 1);
    return c->input && c->answer && !rows->oom ? AT_OK : at_oom(err);
}

static at_status lines_read(cases *k, at_problem *p, char *text, size_t n, at_err *err)
{
    size_t lines = 1;
    for (size_t i = 0; i < n; i++) {
        lines += text[i] == '\n';
        if (!text[i])
            return at_fail(err, AT_EINPUT, "%.200s:%zu: a zero byte; this is no text", p->path, lines);
    }
    if (!(k->c = at_new(&p->arena, a_case, lines)))
        return at_oom(err);
    at_text rows;
    at_text_init(&rows);
    at_text_add(&rows, "");
    at_status s = AT_OK;
    int line = 1;
    for (char *at = text, *end; at < text + n && !s; at = end + 1, line++) {
        end = memchr(at, '\n', (size_t)(text + n - at));
        end = end ? end : text + n; /* there is a zero behind the text */
        if (!is_blank(at, end))
            s = line_read(k, p, at, end, line, &rows, err);
        else { /* blanks alone may be the empty input, but an answer would stand behind the tab */
            for (char *c = at; c < end; c++)
                *c = ' ';
            at_text_add(&rows, "\n"); /* lines keep their numbers */
        }
    }
    if (!s && !k->n)
        s = at_fail(err, AT_EINPUT, "%.200s: no line input<TAB>answer", p->path);
    char *kept = s ? NULL : at_arena_strdup(&p->arena, rows.s);
    if (!s && !kept)
        s = at_oom(err);
    if (!s)
        k->lines = (at_lines){.text = kept, .name = p->path, .n = rows.n};
    at_text_release(&rows);
    return s;
}

/* ---- positions: what a model makes of the lines ------------------------------------------------------------------- */

/* The number that a word of an answer says: a word of the readout, or a number. */
static bool decision_read(const at_model *m, const char *s, size_t n, double *out)
{
    if (!at_decision_word(m, 0))
        return at_parse_double(s, n, out);
    for (int k = 0; k < m->readout.rows; k++) {
        const char *w = at_decision_word(m, k);
        if (w && strlen(w) == n && memcmp(w, s, n) == 0) {
            *out = k;
            return true;
        }
    }
    return false;
}

static at_status answer_read(const cases *k, at_problem *p, const at_model *m, a_case *c, at_err *err)
{
    int positions = k->last ? 1 : c->n, got = 0;
    c->y = at_new(&p->arena, double, positions * k->out);
    if (!c->y)
        return at_oom(err);
    for (const char *s = c->answer; *s;) {
        s += strspn(s, " ");
        size_t n = strcspn(s, " ");
        if (!n)
            break;
        const char *word = s;
        for (int o = 0; got < positions && o < k->out; o++) {
            size_t w = o + 1 < k->out ? strcspn(word, ", ") : (size_t)(s + n - word);
            if (word > s + n || !decision_read(m, word, w, &c->y[got * k->out + o]))
                return at_fail(err, AT_EINPUT, "%.200s:%d:%d: '%.*s' is no answer of the model%s", p->path,
                               c->line, c->column + (int)(s - c->answer), (int)(n < 40 ? n : 40), s,
                               k->out > 1 ? "; numbers of a position stand between commas" : "");
            word += w + 1;
        }
        got++;
        s += n;
    }
    if (got != positions)
        return at_fail(err, AT_EINPUT, "%.200s:%d:%d: %d answer%s, and the model gives %d: one %s", p->path,
                       c->line, c->column, got, got == 1 ? "" : "s", positions,
                       k->last ? "for the last position" : "for every position");
    return AT_OK;
}

static int input_compare(const cases *k, int n, const double *x, const a_case *c)
{
    if (n != c->n)
        return n < c->n ? -1 : 1;
    for (int i = 0; i < n * k->row; i++)
        if (x[i] != c->x[i])
            return x[i] < c->x[i] ? -1 : 1;
    return 0;
}

static _Thread_local const cases *sorting; /* qsort hands no context on */

static int case_compare(const void *a, const void *b)
{
    const a_case *x = a, *y = b;
    int order = input_compare(sorting, x->n, x->x, y);
    return order ? order : x->line - y->line;
}

/* The first case of at least this input; n: how many positions. */
static size_t case_bound(const cases *k, int n, const double *x)
{
    size_t from = 0, to = k->n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        int order = x ? input_compare(k, n, x, &k->c[mid]) : n <= k->c[mid].n ? -1 : 1;
        if (order > 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

static int row_width(const at_params *p)
{
    return cases_of(p)->row;
}

static int out_width(const at_params *p)
{
    return cases_of(p)->out;
}

static const a_case *case_find(const at_params *p, const double *x)
{
    const cases *k = cases_of(p);
    int n = at_params_int(p, "N");
    size_t i = case_bound(k, n, x);
    return i < k->n && input_compare(k, n, x, &k->c[i]) == 0 ? &k->c[i] : NULL;
}

static void answer(const at_params *p, const double *x, double *y)
{
    const cases *k = cases_of(p);
    const a_case *c = case_find(p, x);
    size_t n = (size_t)(k->last ? 1 : at_params_int(p, "N")) * (size_t)k->out;
    if (c)
        memcpy(y, c->y, n * sizeof *y);
    else
        memset(y, 0, n * sizeof *y); /* `holds` keeps others away */
}

static bool holds(const at_params *p, const double *x)
{
    return case_find(p, x) != NULL;
}

static uint64_t count(const at_params *p, at_enum e)
{
    const cases *k = cases_of(p);
    int n = at_params_int(p, "N");
    return e == AT_ENUM_CASES ? case_bound(k, n + 1, NULL) - case_bound(k, n, NULL) : 0;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    const cases *k = cases_of(p);
    int n = at_params_int(p, "N");
    memcpy(x, k->c[case_bound(k, n, NULL) + index].x, (size_t)n * (size_t)k->row * sizeof *x);
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    uint64_t n = count(p, AT_ENUM_CASES);
    if (n)
        nth(p, AT_ENUM_CASES, at_rng_below(r, n), x);
}

static at_status validate(const at_params *p, at_err *err)
{
    if (count(p, AT_ENUM_CASES))
        return AT_OK;
    return at_fail(err, AT_EDOMAIN, "%.200s: no case has length %d", ((const at_problem *)p->of)->path,
                   at_params_int(p, "N"));
}

/* By input; one input has one answer. */
static at_status cases_sort(cases *k, const at_problem *p, at_err *err)
{
    sorting = k;
    qsort(k->c, k->n, sizeof *k->c, case_compare);
    for (size_t i = 1; i < k->n; i++) {
        const a_case *a = &k->c[i - 1], *b = &k->c[i];
        size_t n = (size_t)(a->rows ? a->rows * k->row : (k->last ? 1 : a->n) * k->out) * sizeof *a->y;
        if (input_compare(k, a->n, a->x, b) == 0 &&
            (a->rows != b->rows || a->ending != b->ending || memcmp(a->y, b->y, n) != 0))
            return at_fail(err, AT_EINPUT, "%.200s:%d:%d: the input of line %d with another answer", p->path,
                           b->line, b->column, a->line);
    }
    return AT_OK;
}

/* ---- chains: what a decoder makes of the lines ------------------------------------------------------------------------ */

static const char sep[] = "<sep>", dots[] = "...";

static bool has_word(const char *s, const char *word)
{
    size_t n = strlen(word);
    for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
        size_t length = strcspn(s, " ");
        if (length == n && memcmp(s, word, n) == 0)
            return true;
        s += length;
    }
    return false;
}

/* Does the model have the word that ends prompts and chains of rows to learn? */
static bool model_says_sep(const at_model *m)
{
    for (int t = 0; m->n_fields == 1 && m->fields[0].words && t < m->fields[0].size; t++)
        if (strcmp(m->fields[0].words[t].s, sep) == 0)
            return true;
    return false;
}

/* One number where rows have several: it is the last of the last row. */
static bool number_alone(const cases *k, const char *s, double *out)
{
    s += strspn(s, " ");
    size_t n = strcspn(s, " ");
    return k->row > 1 && !s[n + strspn(s + n, " ")] && at_parse_double(s, n, out);
}

static at_status completion_read(cases *k, at_problem *p, const at_model *m, a_case *c, at_err *err)
{
    const char *text = c->answer + strspn(c->answer, " ");
    bool dotted = strncmp(text, dots, sizeof dots - 1) == 0, says = model_says_sep(m);
    double number = 0;
    at_input y = {0, NULL};
    at_err fault = {0};
    at_model reads = *m; /* rows by themselves, of any number */
    reads.n_min = 0;
    reads.n_max = AT_MAX_LENGTH;
    reads.decode.enabled = false;
    text += dotted ? sizeof dots - 1 : 0;
    bool number_only = number_alone(k, text, &number);
    at_text line; /* of rows to learn the answer is what stands behind the last separator */
    at_text_init(&line);
    const char *before = says && !has_word(text, sep) ? "<sep> " : "";
    size_t place = 0, lead = strlen(before);
    at_text_addf(&line, "%s%s", before, text);
    at_status s = line.oom      ? at_oom(&fault)
                  : number_only ? AT_OK
                                : at_line_parse(&reads, false, line.s, &p->arena, &y, &place, &fault);
    at_text_release(&line);
    if (s)
        return s == AT_ENOMEM
                   ? at_oom(err)
                   : at_fail(err, s, "%.200s:%d:%d: %s", p->path, c->line,
                             c->column + (int)(text - c->answer) + (int)(place > lead ? place - lead : 0),
                             fault.text);
    bool token = k->row == 1 && m->decode.stop == AT_STOP_EQUALS;
    c->rows = number_only ? 1 : y.n;
    c->y = at_new(&p->arena, double, (c->rows + 1) * k->row);
    if (!c->y)
        return at_oom(err);
    if (number_only)
        c->y[k->row - 1] = number;
    else
        memcpy(c->y, y.v, (size_t)(y.n * k->row) * sizeof *c->y);
    c->ending = dotted || (says ? !has_word(text, sep) : c->rows == 1);
    if (token && c->y[c->rows - 1] != m->decode.value)
        c->y[c->rows++] = m->decode.value; /* where it stops */
    return AT_OK;
}

/* A prompt of rows to learn ends in <sep>, which nobody writes. */
static at_status prompt_read(const cases *k, at_problem *p, const at_model *m, a_case *c, at_err *err)
{
    (void)k;
    at_text line;
    at_input x;
    at_err fault = {0};
    at_text_init(&line);
    at_text_addf(&line, "%s%s", c->input, model_says_sep(m) && !has_word(c->input, sep) ? " <sep>" : "");
    size_t place = 0;
    at_status s = line.oom ? at_oom(&fault) : at_line_parse(m, true, line.s, &p->arena, &x, &place, &fault);
    at_text_release(&line);
    if (s)
        return s == AT_ENOMEM
                   ? at_oom(err)
                   : at_fail(err, s, "%.200s:%d:%d: %s", p->path, c->line, (int)place + 1, fault.text);
    c->n = x.n;
    c->x = (double *)x.v;
    return AT_OK;
}

static at_status chain_open(const at_params *p, void **self, at_err *err)
{
    (void)err;
    *self = (void *)cases_of(p);
    return AT_OK;
}

static void chain_close(void *self)
{
    (void)self;
}

static int chain_row(const void *self)
{
    return ((const cases *)self)->row;
}

static int chain_prompt(const void *self)
{
    const cases *k = self;
    return k->c[k->n - 1].n; /* they are in order */
}

static int chain_rows(const void *self)
{
    const cases *k = self;
    int most = 0;
    for (size_t i = 0; i < k->n; i++)
        most = k->c[i].rows > most ? k->c[i].rows : most;
    return most;
}

static uint64_t chain_count(const void *self)
{
    return ((const cases *)self)->n;
}

static at_status chain_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err)
{
    (void)err;
    const cases *k = self;
    *n = k->c[i].n;
    memcpy(prompt, k->c[i].x, (size_t)(*n * k->row) * sizeof *prompt);
    return AT_OK;
}

static at_status chain_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err)
{
    return chain_nth(self, at_rng_below(r, chain_count(self)), prompt, n, err);
}

static const a_case *prompt_find(const cases *k, const double *prompt, int n)
{
    size_t i = case_bound(k, n, prompt);
    return i < k->n && input_compare(k, n, prompt, &k->c[i]) == 0 ? &k->c[i] : NULL;
}

static at_status chain_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                              at_err *err)
{
    const cases *k = self;
    const a_case *c = prompt_find(k, prompt, n);
    if (!c)
        return at_fail(err, AT_EDOMAIN, "the file has no case of this prompt");
    *n_rows = c->rows;
    memcpy(rows, c->y, (size_t)(c->rows * k->row) * sizeof *rows);
    return AT_OK;
}

static bool chain_ending(const void *self, const double *prompt, int n)
{
    const a_case *c = prompt_find(self, prompt, n);
    return c && c->ending;
}

static at_status decoder_suit(cases *k, at_problem *p, const at_model *m, at_err *err)
{
    k->row = at_model_row_width(m);
    at_status s = AT_OK;
    for (size_t i = 0; i < k->n && !s; i++) {
        s = prompt_read(k, p, m, &k->c[i], err);
        if (!s)
            s = completion_read(k, p, m, &k->c[i], err);
    }
    if (!s)
        s = cases_sort(k, p, err);
    k->chain = (at_chain){.id = p->id,
                          .title = p->title,
                          .definition = p->definition,
                          .input_help = "as `attest generate` takes it",
                          .open = chain_open,
                          .close = chain_close,
                          .row_width = chain_row,
                          .prompt_max = chain_prompt,
                          .rows_max = chain_rows,
                          .count = chain_count,
                          .nth = chain_nth,
                          .sample = chain_sample,
                          .answer = chain_answer,
                          .ending = chain_ending,
                          .listed = true};
    p->chain = s ? NULL : &k->chain;
    return s;
}

static at_status suit(at_problem *p, const at_model *m, at_err *err)
{
    cases *k = (cases *)p->self;
    if (m->decode.enabled ? p->chain != NULL : p->task != NULL) /* read before */
        return AT_OK;
    if (p->task || p->chain)
        return at_fail(err, AT_EREFUSED, "%.200s: read for %s before; one file, one kind of model", p->path,
                       p->task ? "positions" : "a decoder");
    if (m->decode.enabled)
        return decoder_suit(k, p, m, err);
    k->row = at_model_row_width(m);
    k->out = m->readout.kind == AT_READ_ARGMAX ? 1 : m->readout.rows;
    k->last = m->readout.last;
    for (size_t i = 0; i < k->n; i++) {
        a_case *c = &k->c[i];
        at_input x;
        at_err fault = {0};
        size_t place;
        at_status s = at_line_parse(m, false, c->input, &p->arena, &x, &place, &fault);
        if (s)
            return at_fail(err, s, "%.200s:%d:%d: %s", p->path, c->line, (int)place + 1, fault.text);
        c->n = x.n;
        c->x = (double *)x.v;
        if ((s = answer_read(k, p, m, c, err)))
            return s;
    }
    at_status sorted = cases_sort(k, p, err);
    if (sorted)
        return sorted;
    k->length = (at_param){"N", "length", k->c[0].n, k->c[k->n - 1].n, k->c[0].n, true, NULL};
    k->task = (at_task){.id = p->id,
                        .title = p->title,
                        .definition = p->definition,
                        .input_help = "as `attest run` takes it",
                        .params = &k->length,
                        .n_params = 1,
                        .last = k->last,
                        .real = at_read_numbers(m->readout.kind),
                        .enums = 1u << AT_ENUM_CASES,
                        .row_width = row_width,
                        .out_width = out_width,
                        .validate = validate,
                        .answer = answer,
                        .sample = sample,
                        .adversarial = sample,
                        .count = count,
                        .nth = nth,
                        .holds = holds};
    p->task = &k->task;
    return AT_OK;
}

/* A file that does not begin with text is not read any further. */
static at_status text_look(const char *path, const char *first, size_t n, at_err *err)
{
    return memchr(first, 0, n) ? at_fail(err, AT_EINPUT, "%.200s: a zero byte; this is no text", path)
                               : AT_OK;
}

/* ---- the problem --------------------------------------------------------------------------------------------------- */

static at_status open_cases(at_problem *p, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read_if(p->path, BYTES_MAX, text_look, &text, &n, err);
    if (s)
        return s;
    cases *k = at_new(&p->arena, cases, 1);
    s = k ? at_problem_keep(p, text, n, err) : at_oom(err);
    if (!s)
        s = lines_read(k, p, text, n, err);
    at_free(text);
    if (s)
        return s;
    p->self = k;
    p->title = "cases of a file";
    p->definition = "what the file says";
    p->suit = suit;
    p->stream = &at_stream_lines;
    return AT_OK;
}

/* The first line that says anything decides between tabs and <sep>. */
static bool has_tab(const char *text, size_t n)
{
    while (n && (*text == '\n' || *text == '\r'))
        text++, n--;
    const char *end = memchr(text, '\n', n);
    return n && memchr(text, '\t', end ? (size_t)(end - text) : n) != NULL;
}

const at_lang at_lang_cases = {.id = "cases",
                               .suffix = ".tsv",
                               .about = "cases, input<TAB>answer a line",
                               .like = has_tab,
                               .open = open_cases};

/* ---- lines to learn from: prompt <sep> chain <sep> answer ------------------------------------------------------------ */

/* The first line that says anything must be one of ours; otherwise nobody waits for the rest of the file. */
static at_status lines_look(const char *path, const char *first, size_t n, at_err *err)
{
    const char *end = NULL, *at = first;
    at_status s = text_look(path, first, n, err);
    while (at < first + n && (end = memchr(at, '\n', (size_t)(first + n - at))) && is_blank(at, end))
        at = end + 1;
    at_source *d = NULL;
    if (!s && at < first + n && end)
        s = at_source_parse(first, (size_t)(end - first), path, &d, err);
    at_source_free(d);
    return s;
}

static at_status open_lines(at_problem *p, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read_if(p->path, BYTES_MAX, lines_look, &text, &n, err);
    if (s)
        return s;
    at_lines *l = at_new(&p->arena, at_lines, 1);
    char *kept = l ? at_new(&p->arena, char, n + 1) : NULL;
    if (kept) {
        memcpy(kept, text, n);
        *l = (at_lines){.text = kept, .name = p->path, .n = n};
    }
    at_free(text);
    if (!kept)
        return at_oom(err);
    at_source *d; /* faults are found now */
    s = at_problem_keep(p, kept, n, err);
    if (!s)
        s = at_source_parse(kept, n, p->path, &d, err);
    if (s)
        return s;
    at_source_free(d);
    p->self = l;
    p->title = "rows of a file";
    p->definition = "prompt <sep> chain <sep> answer";
    p->stream = &at_stream_lines;
    return AT_OK;
}

static bool has_sep(const char *text, size_t n)
{
    for (size_t i = 0; i + sizeof sep - 1 <= n; i++)
        if (memcmp(text + i, sep, sizeof sep - 1) == 0)
            return true;
    return false;
}

const at_lang at_lang_lines = {.id = "lines",
                               .suffix = ".rows",
                               .about = "rows to learn, prompt <sep> chain <sep> answer a line",
                               .like = has_sep,
                               .open = open_lines};
