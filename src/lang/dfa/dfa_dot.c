/* dfa_dot.c: automata as Graphviz draws them, in the form that MONA and ltlf2dfa print.
 *
 *     digraph MONA_DFA {
 *       node [shape = doublecircle]; 1; 3;          // these accept
 *       node [shape = circle]; 2;
 *       init [shape = plaintext, label = ""];
 *       init -> 1;                                   // an edge without a label: here it starts
 *       1 -> 2 [label="a"]; 1 -> 1 [label="~a"]; 2 -> 2 [label="true"]; 3 -> 3 [label="a | b"];
 *     }
 *
 * A label says for which letters an edge is: names with ~ ! & | ( ), true and false, and a comma for "or". Exactly one letter
 * holds at a position, so that over a and b the label ~a is b. Letters are the names that occur, unless a comment says
 * `// alphabet a b c`; `// sink implicit` and `// length 0..64` are read, too. Other attributes, which draw, are passed
 * over. Labels of columns, as `mona -gw` prints them, are read by dfa_mona.c. */
#include "dfa_internal.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 200 }; /* of brackets in a label */

typedef struct {
    dfa_word name;
    bool accepts, mark; /* mark: an edge without a label begins here; it is no state */
} node;

typedef struct {
    int from, to; /* nodes */
    dfa_word label, *at;
} arrow;

typedef struct {
    dfa_reader *r;
    char *s, *from;
    int line;
    dfa_word at; /* the token: its text, or for punctuation one character; "" at the end */
    bool word;   /* it is a name, a number or a quoted text */
    bool quoted;
    bool accepting; /* nodes that are met now accept */
    node *nodes;
    arrow *arrows;
    size_t n, room, n_arrows, arrow_room;
    int *slot; /* (slots) */
    size_t slots;
    bool mona;  /* the graph has the name that MONA gives */
    int tracks; /* of labels that are columns; 0: labels are formulas of letters */
} dot;

static at_status fault(const dot *x, const char *what)
{
    return dfa_fail(x->r, &x->at, "%s", what);
}

static void step(dot *x)
{
    if (*x->s++ == '\n') {
        x->line++;
        x->from = x->s;
    }
}

static dfa_word here(const dot *x)
{
    return (dfa_word){x->s, x->line, (int)(x->s - x->from) + 1};
}

/* Blanks and comments; a comment may say something. */
static at_status blanks(dot *x)
{
    at_status s = AT_OK;
    while (!s) {
        bool block = x->s[0] == '/' && x->s[1] == '*', line = x->s[0] == '/' && x->s[1] == '/';
        if (*x->s == ' ' || *x->s == '\t' || *x->s == '\n' || *x->s == '\r')
            step(x);
        else if (*x->s == '#' && x->s == x->from) /* a line of the preprocessor */
            while (*x->s && *x->s != '\n')
                step(x);
        else if (block || line) {
            x->s += 2;
            x->at = here(x);
            while (*x->s && (line ? *x->s != '\n' : x->s[0] != '*' || x->s[1] != '/'))
                step(x);
            if (block && !*x->s)
                return fault(x, "a comment that is not closed");
            char *text = at_arena_printf(x->r->a, "%.*s", (int)(x->s - x->at.s), x->at.s);
            x->s += block ? 2 : 0;
            s = text ? dfa_comment(x->r, text, x->at.line, x->at.column) : at_oom(x->r->err);
        } else
            break;
    }
    return s;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

static at_status quoted_read(dot *x)
{
    step(x);
    const char *begin = x->s;
    for (; *x->s && *x->s != '"'; step(x))
        if (*x->s == '\\' && x->s[1])
            step(x);
    if (!*x->s)
        return fault(x, "a quote that is not closed");
    if (x->s - begin > 100000)
        return fault(x, "a text of more than 100,000 bytes");
    char *text = at_new(x->r->a, char, x->s - begin + 1), *out = text;
    if (!text)
        return at_oom(x->r->err);
    for (const char *c = begin; c < x->s; c++) {
        c += *c == '\\' && (c[1] == '"' || c[1] == '\\');
        *out++ = *c;
    }
    step(x);
    x->at.s = text;
    return AT_OK;
}

static at_status token_next(dot *x)
{
    at_status s = blanks(x);
    if (s)
        return s;
    x->at = here(x);
    x->word = x->quoted = false;
    char c = *x->s, text[3] = {c, 0, 0};
    if (c == '"') {
        x->word = x->quoted = true;
        return quoted_read(x);
    }
    const char *begin = x->s;
    if (c == '-' && x->s[1] == '>') {
        text[1] = '>';
        x->s += 2;
    } else if (is_name(c) || (c == '-' && (is_name(x->s[1])))) {
        for (x->s++; is_name(*x->s); x->s++)
            ;
        x->word = true;
        if (x->s - begin > 200)
            return fault(x, "a name of more than 200 bytes");
        x->at.s = at_arena_printf(x->r->a, "%.*s", (int)(x->s - begin), begin);
        return x->at.s ? AT_OK : at_oom(x->r->err);
    } else if (c == '<')
        return fault(x, "texts of HTML are not read");
    else if (c)
        x->s++;
    x->at.s = at_arena_strdup(x->r->a, text);
    return x->at.s ? AT_OK : at_oom(x->r->err);
}

static bool is(const dot *x, const char *what)
{
    return !x->quoted && strcmp(x->at.s, what) == 0;
}

static at_status want(dot *x, const char *what)
{
    if (!is(x, what))
        return dfa_fail(x->r, &x->at, "%s is wanted, and not '%.40s'", what, x->at.s);
    return token_next(x);
}

/* ---- nodes and arrows -------------------------------------------------------------------------------------------------- */

static at_status node_find(dot *x, const dfa_word *name, int *out)
{
    for (const char *s = name->s; *s;) {
        uint32_t u = at_text_next(&s);
        if (at_text_acts(u) || u == AT_TEXT_REPLACEMENT)
            return dfa_fail(x->r, name, "a byte that is no visible character");
    }
    if (strlen(name->s) > 200)
        return dfa_fail(x->r, name, "a name of more than 200 bytes");
    size_t k = at_hash64(name->s, strlen(name->s), 5) & (x->slots - 1);
    while (x->slot[k] >= 0 && strcmp(x->nodes[x->slot[k]].name.s, name->s) != 0)
        k = (k + 1) & (x->slots - 1);
    if (x->slot[k] < 0) {
        if (x->n == AT_STATES_MAX)
            return dfa_fail(x->r, name, "more than %d states", AT_STATES_MAX);
        x->nodes[x->n] = (node){*name, x->accepting, false};
        x->slot[k] = (int)x->n++;
    }
    *out = x->slot[k];
    return AT_OK;
}

/* What attributes say that matters: a label, and whether the shape is a double circle. */
typedef struct {
    dfa_word label; /* s NULL: none */
    bool shape, twice;
} attributes;

static at_status attributes_read(dot *x, attributes *out)
{
    at_status s = AT_OK;
    while (!s && is(x, "[")) {
        s = token_next(x);
        while (!s && !is(x, "]")) {
            dfa_word name = x->at, value;
            if (!x->word)
                return fault(x, "an attribute is written [name = value]");
            s = token_next(x);
            if (!s)
                s = want(x, "=");
            if (s)
                break;
            value = x->at;
            if (!x->word)
                return fault(x, "an attribute has a value");
            if (strcmp(name.s, "label") == 0)
                out->label = value;
            else if (strcmp(name.s, "shape") == 0) {
                out->shape = true;
                out->twice = strcmp(value.s, "doublecircle") == 0;
            }
            s = token_next(x);
            if (!s && (is(x, ",") || is(x, ";")))
                s = token_next(x);
        }
        if (!s)
            s = token_next(x);
    }
    return s;
}

static at_status arrow_add(dot *x, int from, int to, const dfa_word *at)
{
    if (x->n_arrows == x->arrow_room) {
        size_t room = x->arrow_room ? 2 * x->arrow_room : 64;
        arrow *more = at_new(x->r->a, arrow, room);
        if (!more)
            return at_oom(x->r->err);
        if (x->n_arrows)
            memcpy(more, x->arrows, x->n_arrows * sizeof *more);
        x->arrows = more;
        x->arrow_room = room;
    }
    dfa_word *place = at_new(x->r->a, dfa_word, 1);
    if (!place)
        return at_oom(x->r->err);
    *place = *at;
    x->arrows[x->n_arrows++] = (arrow){.from = from, .to = to, .at = place};
    return AT_OK;
}

static at_status statement_read(dot *x)
{
    attributes is_said = {0};
    dfa_word first = x->at;
    if (!x->word)
        return fault(x, "a node, an edge a -> b [label=\"x\"], or node [...] is wanted");
    bool plain = !x->quoted;
    at_status s = token_next(x);
    if (s)
        return s;
    if (plain && strcmp(first.s, "subgraph") == 0)
        return dfa_fail(x->r, &first, "subgraphs are not read");
    if (plain &&
        (strcmp(first.s, "node") == 0 || strcmp(first.s, "edge") == 0 || strcmp(first.s, "graph") == 0)) {
        if (!is(x, "["))
            return fault(x, "attributes are wanted, as in node [shape = circle]");
        s = attributes_read(x, &is_said);
        if (!s && is_said.shape && strcmp(first.s, "node") == 0)
            x->accepting = is_said.twice;
        return s;
    }
    if (is(x, "=")) { /* rankdir = LR */
        s = token_next(x);
        if (!s && !x->word)
            return fault(x, "a value is wanted");
        return s ? s : token_next(x);
    }
    int here_is, from = -1;
    size_t before = x->n_arrows;
    s = node_find(x, &first, &here_is);
    for (from = here_is; !s && is(x, "->"); from = here_is) {
        s = token_next(x);
        if (!s && !x->word)
            return fault(x, "a node is wanted behind ->");
        if (!s)
            s = node_find(x, &x->at, &here_is);
        if (!s)
            s = arrow_add(x, from, here_is, &first);
        if (!s)
            s = token_next(x);
    }
    if (!s)
        s = attributes_read(x, &is_said);
    if (s)
        return s;
    for (size_t k = before; k < x->n_arrows; k++)
        x->arrows[k].label = is_said.label;
    if (x->n_arrows == before && is_said.shape)
        x->nodes[here_is].accepts = is_said.twice;
    return AT_OK;
}

/* ---- labels ------------------------------------------------------------------------------------------------------------ */

typedef struct {
    dot *x;
    const dfa_word *label;
    const char *s;
    int letter; /* that holds; -1: names are met only */
    int depth;
    at_status status;
} formula;

static bool either(formula *f);

static void formula_fail(formula *f, const char *what)
{
    if (!f->status)
        f->status = dfa_fail(f->x->r, f->label, "the label \"%.60s\": %s", f->label->s, what);
}

static char peek(formula *f)
{
    while (*f->s == ' ' || *f->s == '\t')
        f->s++;
    return *f->s;
}

static bool name_read(formula *f)
{
    const char *begin = f->s;
    while (*f->s && !strchr(" \t~!&|(),", *f->s))
        f->s++;
    size_t n = (size_t)(f->s - begin);
    if (!n) {
        formula_fail(f, "a letter, ~ or ( is wanted");
        return false;
    }
    if (n == 4 && strncmp(begin, "true", 4) == 0)
        return true;
    if (n == 5 && strncmp(begin, "false", 5) == 0)
        return false;
    char name[201];
    dfa_word w = {name, f->label->line, f->label->column};
    int letter = -1;
    snprintf(name, sizeof name, "%.*s", (int)(n < 200 ? n : 200), begin);
    for (const char *c = name; *c && !f->status;) {
        uint32_t u = at_text_next(&c);
        if (at_text_acts(u) || u == AT_TEXT_REPLACEMENT || u == '\\')
            formula_fail(f, "a letter is a word of visible characters");
    }
    if (!f->status)
        f->status = dfa_letter(f->x->r, &w, &letter);
    return letter == f->letter;
}

static bool single(formula *f)
{
    bool turned = false, is_true;
    while (peek(f) == '~' || *f->s == '!') {
        turned = !turned;
        f->s++;
    }
    if (*f->s != '(')
        is_true = name_read(f);
    else {
        f->s++;
        if (++f->depth > DEPTH)
            formula_fail(f, "brackets more than 200 deep");
        is_true = !f->status && either(f);
        f->depth--;
        if (!f->status && peek(f) != ')')
            formula_fail(f, "( without )");
        f->s += !f->status;
    }
    return is_true != turned;
}

static bool both(formula *f)
{
    bool is_true = single(f);
    while (!f->status && peek(f) == '&') {
        while (*f->s == '&')
            f->s++;
        is_true &= single(f);
    }
    return is_true;
}

static bool either(formula *f)
{
    bool is_true = both(f);
    while (!f->status && (peek(f) == '|' || *f->s == ',')) {
        while (*f->s == '|' || *f->s == ',')
            f->s++;
        is_true |= both(f);
    }
    return is_true;
}

static at_status label_holds(dot *x, const arrow *e, int letter, bool *out)
{
    formula f = {.x = x, .label = &e->label, .s = e->label.s, .letter = letter};
    *out = either(&f);
    if (!f.status && peek(&f))
        formula_fail(&f, "something behind its end");
    return f.status;
}

/* ---- the automaton ------------------------------------------------------------------------------------------------------- */

static at_status start_find(dot *x)
{
    at_status s = AT_OK;
    for (size_t k = 0; k < x->n_arrows && !s; k++)
        if (!x->arrows[k].label.s || !*x->arrows[k].label.s) {
            x->nodes[x->arrows[k].from].mark = true;
            s = dfa_start(x->r, &x->nodes[x->arrows[k].to].name);
        }
    if (!s && !x->r->start.s && x->n)
        return at_fail(x->r->err, AT_EINPUT,
                       "%.150s: no state starts; add an edge without a label, as in init -> 1", x->r->path);
    return s;
}

static at_status states_take(dot *x)
{
    at_status s = AT_OK;
    for (size_t k = 0; k < x->n && !s; k++)
        if (!x->nodes[k].mark) {
            dfa_state(x->r, &x->nodes[k].name, true);
            if (x->nodes[k].accepts)
                s = dfa_accept(x->r, &x->nodes[k].name);
        }
    return s;
}

/* Are all labels columns of so many tracks? Then letters are known, and the first column is passed over: it is of no position. */
static at_status columns_find(dot *x)
{
    size_t first = x->n_arrows;
    int tracks = 0;
    for (size_t k = 0; k < x->n_arrows; k++) {
        const arrow *e = &x->arrows[k];
        if (!e->label.s || !*e->label.s)
            continue;
        int n = dfa_tracks(e->label.s);
        if (!n || (tracks && n != tracks))
            return AT_OK;
        tracks = n;
    }
    if (!x->mona || !tracks)
        return AT_OK;
    for (size_t k = 0; k < x->n_arrows; k++) {
        const arrow *e = &x->arrows[k];
        if (!e->label.s || !*e->label.s || strcmp(x->nodes[e->from].name.s, x->r->start.s) != 0)
            continue;
        if (first < x->n_arrows || !dfa_any_column(e->label.s))
            return dfa_fail(x->r, &e->label, "Boolean variables (var0), which are of no position");
        first = k;
    }
    if (first == x->n_arrows)
        return dfa_fail(x->r, &x->r->start, "the state %.40s has no transition", x->r->start.s);
    at_status s = dfa_tracks_letters(x->r, tracks, &x->arrows[first].label);
    x->tracks = tracks;
    if (s || x->arrows[first].to == x->arrows[first].from)
        return s;
    x->nodes[x->arrows[first].from].mark = true;
    x->r->start = x->nodes[x->arrows[first].to].name;
    memmove(&x->arrows[first], &x->arrows[first + 1], (x->n_arrows - first - 1) * sizeof *x->arrows);
    x->n_arrows--;
    return AT_OK;
}

static at_status edges_take(dot *x)
{
    at_status s = AT_OK;
    bool holds;
    for (size_t k = 0; k < x->n_arrows && !s && !x->tracks; k++) /* all letters first */
        if (!x->nodes[x->arrows[k].from].mark)
            s = label_holds(x, &x->arrows[k], -1, &holds);
    x->r->open = false;
    for (size_t k = 0; k < x->n_arrows && !s; k++) {
        const arrow *e = &x->arrows[k];
        if (x->nodes[e->from].mark && e->label.s && *e->label.s)
            return dfa_fail(x->r, e->at,
                            "'%.40s' has an edge without a label, so it is no state, and one with a label",
                            x->nodes[e->from].name.s);
        if (x->nodes[e->from].mark)
            continue;
        if (x->nodes[e->to].mark)
            return dfa_fail(x->r, e->at,
                            "an edge to '%.40s', which has an edge without a label and is no state",
                            x->nodes[e->to].name.s);
        int from = dfa_state(x->r, &x->nodes[e->from].name, false);
        int to = dfa_state(x->r, &x->nodes[e->to].name, false);
        for (int c = 0; c < x->r->sigma.n && !s; c++) {
            if (x->tracks) {
                bool ones[AT_LETTERS_MAX];
                dfa_letter_column(x->r, x->tracks, c, ones);
                holds = dfa_column_in(e->label.s, ones);
            } else
                s = label_holds(x, e, c, &holds);
            if (!s && holds)
                s = dfa_edge_add(x->r, from, c, to, e->at);
        }
    }
    return s;
}

bool dfa_is_dot(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (strncmp(text, "//", 2) == 0)
            text += strcspn(text, "\n");
        else if (strncmp(text, "/*", 2) == 0) {
            const char *end = strstr(text, "*/");
            if (!end)
                return false;
            text = end + 2;
        } else
            break;
    }
    if (strncmp(text, "strict", 6) == 0)
        text += 6 + strspn(text + 6, " \t\r\n");
    return strncmp(text, "digraph", 7) == 0;
}

at_status dfa_dot_read(char *text, dfa_reader *r)
{
    dot x = {.r = r, .s = text, .from = text, .line = 1, .slots = 1 << 16};
    x.nodes = at_new(r->a, node, AT_STATES_MAX);
    x.slot = at_new(r->a, int, x.slots);
    if (!x.nodes || !x.slot)
        return at_oom(r->err);
    memset(x.slot, -1, x.slots * sizeof *x.slot);
    at_status s = token_next(&x);
    if (!s && is(&x, "strict"))
        s = token_next(&x);
    if (!s)
        s = want(&x, "digraph");
    if (!s && x.word) {
        x.mona = strcmp(x.at.s, "MONA_DFA") == 0;
        s = token_next(&x);
    }
    if (!s)
        s = want(&x, "{");
    while (!s && !is(&x, "}")) {
        if (!*x.at.s && !x.quoted)
            return fault(&x, "the end, and { is not closed");
        s = is(&x, ";") ? token_next(&x) : statement_read(&x);
    }
    if (!s)
        s = token_next(&x);
    if (!s && *x.at.s)
        return fault(&x, "something behind }");
    if (!s)
        s = start_find(&x);
    if (!s && x.n)
        s = columns_find(&x);
    if (!s)
        s = states_take(&x);
    return s ? s : edges_take(&x);
}
