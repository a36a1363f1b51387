/* tm_yaml.c: Turing machines as turingmachine.io has them, the part of YAML that they use.
 *
 *     blank: ' '
 *     start state: right
 *     table:
 *       right:
 *         [1,0]: R                          some symbols; the symbol and the state stay
 *         ' '  : {L: carry}
 *       carry:
 *         1      : {write: 0, L}
 *         [0,' ']: {write: 1, L: done}
 *       done:                               no transitions: it stops
 *
 * or all of it in braces, table: {q0: {1: {write: X, R: q1}, [0,1]: R}}. A blank in quotes is the symbol _, or ␣ where _ is another
 * one. `input` and `positions` are passed over: inputs are given to the model. */
#include <string.h>

#include "tm_internal.h"

enum { SYMBOLS = AT_TM_SYMBOLS };

typedef struct {
    tm_draft *d;
    const char *at, *line; /* where we are, where its line begins */
    int number;
    bool flow; /* inside braces, where lines mean nothing */
} yaml;

static tm_word here(const yaml *y)
{
    return (tm_word){NULL, y->number, (int)(y->at - y->line) + 1};
}

static at_status expected(const yaml *y, const char *what)
{
    tm_word w = here(y);
    return tm_fail(y->d, &w, "expected %s", what);
}

static void blanks_skip(yaml *y)
{
    for (;;) {
        char c = *y->at;
        if (c == '#' && (y->at == y->line || y->at[-1] == ' ' || y->at[-1] == '\t'))
            while (*y->at && *y->at != '\n')
                y->at++;
        else if (c == '\n' && y->flow) {
            y->line = ++y->at;
            y->number++;
        } else if (c == ' ' || c == '\t' || c == '\r')
            y->at++;
        else
            return;
    }
}

static bool at_line_end(yaml *y)
{
    blanks_skip(y);
    return *y->at == 0 || *y->at == '\n';
}

/* To the first thing of the next line that has one; its indent, -1 at the end. */
static int line_next(yaml *y)
{
    while (*y->at == '\n') {
        y->line = ++y->at;
        y->number++;
        if (!at_line_end(y))
            return (int)(y->at - y->line);
    }
    return -1;
}

/* A word in quotes, or up to what ends it. */
static at_status scalar(yaml *y, const char *what, tm_word *out)
{
    blanks_skip(y);
    *out = here(y);
    char quote = *y->at == '\'' || *y->at == '"' ? *y->at : 0;
    const char *from = y->at + (quote != 0), *to = from;
    if (quote) {
        while (*to && *to != '\n' && *to != quote)
            to++;
        if (*to != quote)
            return expected(y, "a closing quote on this line");
        y->at = to + 1;
    } else {
        while (*to && !strchr(":,{}[]\n", *to) && !(*to == '#' && to > from && to[-1] == ' '))
            to++;
        y->at = to;
        while (to > from && strchr(" \t\r", to[-1]))
            to--;
    }
    if (to == from)
        return expected(y, what);
    if (to - from > 200)
        return tm_fail(y->d, out, "a word of more than 200 bytes");
    out->s = at_arena_printf(y->d->a, "%.*s", (int)(to - from), from);
    return out->s ? AT_OK : at_oom(y->d->err);
}

static at_status take(yaml *y, char c, const char *what)
{
    blanks_skip(y);
    if (*y->at != c)
        return expected(y, what);
    y->at++;
    return AT_OK;
}

static bool ahead(yaml *y, char c)
{
    blanks_skip(y);
    return *y->at == c;
}

/* ---- transitions ---------------------------------------------------------------------------------------------------------------- */

/* 1, ' ' or [0,1] */
static at_status symbols_read(yaml *y, tm_word *w, int *n)
{
    *n = 0;
    if (!ahead(y, '['))
        return scalar(y, "a symbol", &w[(*n)++]);
    bool was = y->flow;
    y->flow = true;
    at_status s = take(y, '[', "[");
    do {
        if (*n == SYMBOLS)
            return expected(y, "fewer symbols in one list");
        s = s ? s : scalar(y, "a symbol", &w[(*n)++]);
    } while (!s && ahead(y, ',') && !take(y, ',', ","));
    if (!s)
        s = take(y, ']', ", or ] in a list of symbols");
    y->flow = was;
    return s;
}

static at_status move_read(yaml *y, tm_line *l, const tm_word *w)
{
    if (l->move)
        return tm_fail(y->d, w, "a second move");
    if (strcmp(w->s, "L") && strcmp(w->s, "R"))
        return tm_fail(y->d, w, "'%.40s' is none of write, L and R", w->s);
    l->move = w->s[0] == 'L' ? -1 : 1;
    return AT_OK;
}

/* R, or {write: X, R: q1} */
static at_status action_read(yaml *y, tm_line *l)
{
    tm_word w;
    l->write = l->next = (tm_word){"*", y->number, 1};
    if (!ahead(y, '{')) {
        at_status s = scalar(y, "L, R or {write: ..., L: ...}", &w);
        return s ? s : move_read(y, l, &w);
    }
    bool was = y->flow;
    y->flow = true;
    at_status s = take(y, '{', "{");
    do {
        s = s ? s : scalar(y, "write, L or R", &w);
        bool value = !s && ahead(y, ':') && !take(y, ':', ":");
        if (!s && value && !strcmp(w.s, "write"))
            s = scalar(y, "the symbol that is written", &l->write);
        else if (!s)
            s = move_read(y, l, &w);
        if (!s && value && strcmp(w.s, "write"))
            s = scalar(y, "the next state", &l->next);
    } while (!s && ahead(y, ',') && !take(y, ',', ","));
    if (!s)
        s = take(y, '}', ", or }");
    y->flow = was;
    return !s && !l->move ? expected(y, "a move, L or R, in these braces") : s;
}

/* KEYS: ACTION */
static at_status rule_read(yaml *y, const tm_word *state)
{
    tm_word w[SYMBOLS];
    int n;
    tm_line l = {.state = *state};
    at_status s = symbols_read(y, w, &n);
    if (!s)
        s = take(y, ':', ": after what is read");
    if (!s)
        s = action_read(y, &l);
    for (int k = 0; k < n && !s; k++) {
        l.state.line = w[k].line;
        l.state.column = w[k].column;
        l.read = w[k];
        s = tm_line_add(y->d, &l);
    }
    return s;
}

static at_status rules_braced(yaml *y, const tm_word *state)
{
    bool was = y->flow;
    y->flow = true;
    at_status s = take(y, '{', "{");
    while (!s && !ahead(y, '}')) {
        s = rule_read(y, state);
        if (!s && !ahead(y, '}'))
            s = take(y, ',', ", or }");
    }
    if (!s)
        s = take(y, '}', "}");
    y->flow = was;
    return s;
}

static at_status table_braced(yaml *y)
{
    y->flow = true;
    at_status s = take(y, '{', "{");
    while (!s && !ahead(y, '}')) {
        tm_word state;
        s = scalar(y, "a state", &state);
        if (!s)
            s = take(y, ':', ": after a state");
        if (!s)
            s = tm_named_add(y->d, &state);
        if (!s && ahead(y, '{'))
            s = rules_braced(y, &state);
        if (!s && !ahead(y, '}'))
            s = take(y, ',', ", or }");
    }
    if (!s)
        s = take(y, '}', "}");
    y->flow = false;
    return s;
}

/* Lines: states further in than `table`, their transitions further in than they. *indent: of the line after the table. */
static at_status table_lines(yaml *y, int *indent)
{
    int outer = *indent = line_next(y);
    at_status s = AT_OK;
    if (outer < 1)
        return expected(y, "the states of the table, indented");
    while (*indent > 0 && !s) {
        tm_word state;
        if (*indent != outer)
            return expected(y, "a state, indented like the first one");
        s = scalar(y, "a state", &state);
        if (!s)
            s = take(y, ':', ": after a state");
        if (!s)
            s = tm_named_add(y->d, &state);
        if (!s && ahead(y, '{'))
            s = rules_braced(y, &state);
        if (!s && !at_line_end(y))
            s = expected(y, "the end of the line");
        *indent = s ? -1 : line_next(y);
        for (int inner = *indent; *indent > outer && !s; *indent = s ? -1 : line_next(y)) {
            if (*indent != inner)
                return expected(y, "a transition, indented like the one before");
            s = rule_read(y, &state);
            if (!s && !at_line_end(y))
                s = expected(y, "the end of the line");
        }
    }
    return s;
}

/* ---- the text -------------------------------------------------------------------------------------------------------------------- */

bool tm_is_yaml(const char *text)
{
    for (const char *s = text; s; s = strchr(s, '\n'), s = s ? s + 1 : NULL)
        if (!strncmp(s, "table", 5) && s[5 + strspn(s + 5, " \t")] == ':')
            return true;
    return false;
}

/* A blank in quotes has no shape: it gets one. */
static void blanks_name(tm_draft *d)
{
    bool taken = d->blank.s && !strcmp(d->blank.s, "_");
    for (size_t k = 0; k < d->n; k++)
        taken |= !strcmp(d->line[k].read.s, "_") || !strcmp(d->line[k].write.s, "_");
    const char *shape = taken ? "␣" : "_";
    if (d->blank.s && !strcmp(d->blank.s, " "))
        d->blank.s = shape;
    for (size_t k = 0; k < d->n; k++) {
        tm_line *l = &d->line[k];
        l->read.s = strcmp(l->read.s, " ") ? l->read.s : shape;
        l->write.s = strcmp(l->write.s, " ") ? l->write.s : shape;
    }
}

static at_status key_read(yaml *y, const tm_word *key, int *indent)
{
    static const char *const keys[] = {"blank", "start state", "table", "input", "positions"};
    tm_draft *d = y->d;
    at_status s = AT_OK;
    if (!strcmp(key->s, "table")) {
        if (!at_line_end(y)) {
            s = table_braced(y);
            if (!s && !at_line_end(y))
                s = expected(y, "the end of the line");
            *indent = s ? -1 : line_next(y);
            return s;
        }
        return table_lines(y, indent);
    }
    if (!strcmp(key->s, "blank"))
        s = d->blank.s ? tm_fail(d, key, "a second blank") : scalar(y, "the blank", &d->blank);
    else if (!strcmp(key->s, "start state"))
        s = d->start.s ? tm_fail(d, key, "a second start state") : scalar(y, "a state", &d->start);
    else if (!strcmp(key->s, "input") || !strcmp(key->s, "positions"))
        while (*y->at && *y->at != '\n')
            y->at++;
    else {
        const char *near = at_nearest(key->s, keys, sizeof keys / sizeof *keys);
        return tm_fail(d, key, "the key '%.40s' is none of blank, start state, table and input%s%s%s", key->s,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (!s && !at_line_end(y))
        s = expected(y, "the end of the line");
    *indent = s ? -1 : line_next(y);
    return s;
}

at_status tm_yaml_read(tm_draft *d, const char *text)
{
    yaml y = {.d = d, .at = text, .line = text, .number = 1};
    int indent = at_line_end(&y) ? line_next(&y) : (int)(y.at - y.line);
    at_status s = AT_OK;
    while (indent >= 0 && !s) {
        tm_word key;
        if (indent > 0)
            return expected(&y, "a key at the beginning of the line");
        s = scalar(&y, "a key, as in blank: ' '", &key);
        if (!s)
            s = take(&y, ':', ": after a key");
        if (!s)
            s = key_read(&y, &key, &indent);
    }
    if (!s)
        blanks_name(d);
    return s;
}
