/* dfa_jff.c: automata as JFLAP saves them (.jff): a small part of XML, read strictly.
 *
 *     <structure><type>fa</type><automaton>
 *       <state id="0" name="q0"><initial/><final/></state>
 *       <transition><from>0</from><to>0</to><read>a</read></transition>
 *     </automaton></structure>
 *
 * Elements that are not named here (places on the screen, notes) are passed over. A comment may say what JFLAP has no place for:
 * <!-- sink implicit -->, <!-- alphabet a b -->, <!-- length 0..64 -->. Declarations of one's own (<!DOCTYPE>) are refused. */
#include "dfa_internal.h"

#include <stdlib.h>
#include <string.h>

enum { NESTED = 32 };

typedef enum { OPEN, CLOSE, ALONE, END } kind;

typedef struct {
    dfa_reader *r;
    char *s, *from; /* where we are, and where its line begins */
    int line, depth;
    const char *open[NESTED]; /* elements around us */
    /* the last tag */
    kind kind;
    dfa_word name;
    dfa_word id;   /* its attribute id; s NULL: none */
    dfa_word text; /* what stood before it */
} xml;

static dfa_word here(const xml *x, const char *s)
{
    return (dfa_word){s, x->line, (int)(x->s - x->from) + 1};
}

static at_status fault(const xml *x, const char *what)
{
    dfa_word w = here(x, "");
    return dfa_fail(x->r, &w, "%s", what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void step(xml *x)
{
    if (*x->s++ == '\n') {
        x->line++;
        x->from = x->s;
    }
}

static void blanks(xml *x)
{
    while (is_blank(*x->s))
        step(x);
}

/* Steps behind `end`; false: it does not come. */
static bool pass(xml *x, const char *end)
{
    size_t n = strlen(end);
    for (; *x->s; step(x))
        if (strncmp(x->s, end, n) == 0) {
            x->s += n;
            return true;
        }
    return false;
}

/* &lt; and its like, in place; blanks at both ends go. False: one that is not known. */
static bool text_plain(char *s)
{
    static const struct {
        const char *name;
        char is;
    } entity[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char *out = s, *begin = s;
    for (; *s;) {
        size_t k = 0, n = sizeof entity / sizeof *entity;
        if (*s != '&') {
            *out++ = *s++;
            continue;
        }
        for (; k < n && strncmp(s, entity[k].name, strlen(entity[k].name)) != 0; k++)
            ;
        char *end = NULL;
        long code = k == n && s[1] == '#' ? strtol(s + 2, &end, 10) : 0;
        if (k < n) {
            *out++ = entity[k].is;
            s += strlen(entity[k].name);
        } else if (end && *end == ';' && code > 0 && code < 128) {
            *out++ = (char)code;
            s = end + 1;
        } else
            return false;
    }
    while (out > begin && is_blank(out[-1]))
        out--;
    *out = 0;
    size_t first = strspn(begin, " \t\n\r");
    memmove(begin, begin + first, strlen(begin + first) + 1);
    return true;
}

static bool is_name(char c)
{
    return c && !is_blank(c) && !strchr("<>/=\"'&", c);
}

/* name="value" ... up to > or />; id is kept. */
static at_status attributes_read(xml *x)
{
    x->id.s = NULL;
    for (;;) {
        blanks(x);
        if (*x->s == '>' || (*x->s == '/' && x->s[1] == '>'))
            return AT_OK;
        char *name = x->s;
        while (is_name(*x->s))
            x->s++;
        size_t n = (size_t)(x->s - name);
        char quote = n && *x->s == '=' ? x->s[1] : 0;
        if (quote != '"' && quote != '\'')
            return fault(x, "an attribute is written name=\"value\"");
        x->s += 2;
        dfa_word value = here(x, x->s);
        while (*x->s && *x->s != quote && *x->s != '<')
            step(x);
        if (*x->s != quote)
            return fault(x, "a quote that is not closed");
        *x->s++ = 0;
        if (!text_plain((char *)value.s))
            return dfa_fail(x->r, &value,
                            "an entity that is not known; &lt; &gt; &amp; &quot; &apos; &#13; are");
        if (n == 2 && strncmp(name, "id", 2) == 0)
            x->id = value;
    }
}

static at_status comment_read(xml *x)
{
    x->s += 4;
    dfa_word at = here(x, x->s);
    char *text = x->s;
    if (!pass(x, "-->"))
        return dfa_fail(x->r, &at, "a comment that is not closed");
    x->s[-3] = 0;
    return dfa_comment(x->r, text, at.line, at.column);
}

/* The next tag, and the text before it. */
static at_status tag_next(xml *x)
{
    at_status s = AT_OK;
    blanks(x);
    x->text = here(x, x->s);
    for (;;) {
        while (*x->s && *x->s != '<')
            step(x);
        if (!*x->s)
            break;
        char *begin = x->s;
        if (strncmp(begin, "<!--", 4) == 0)
            s = comment_read(x);
        else if (strncmp(begin, "<?", 2) == 0)
            s = pass(x, "?>") ? AT_OK : fault(x, "<? without ?>");
        else if (begin[1] == '!')
            s = fault(x, "declarations and CDATA are not read");
        else
            break;
        if (s)
            return s;
        memset(begin, ' ', (size_t)(x->s - begin)); /* what it said is done, and no part of the text */
    }
    x->kind = END;
    x->name = here(x, "");
    if (!*x->s)
        return x->depth
                   ? dfa_fail(x->r, &x->name, "the end, and <%.40s> is not closed", x->open[x->depth - 1])
                   : AT_OK;
    *x->s++ = 0;
    if (!text_plain((char *)x->text.s))
        return dfa_fail(x->r, &x->text,
                        "an entity that is not known; &lt; &gt; &amp; &quot; &apos; &#13; are");
    bool close = *x->s == '/';
    x->s += close;
    char *name = x->s;
    while (is_name(*x->s))
        x->s++;
    if (x->s == name)
        return fault(x, "an element's name is missing behind <");
    x->name.s = at_arena_printf(x->r->a, "%.*s", (int)(x->s - name > 40 ? 40 : x->s - name), name);
    if (!x->name.s)
        return at_oom(x->r->err);
    if ((s = attributes_read(x)))
        return s;
    x->kind = close ? CLOSE : *x->s == '/' ? ALONE : OPEN;
    x->s += x->kind == ALONE ? 2 : 1;
    if (x->kind == OPEN && x->depth == NESTED)
        return dfa_fail(x->r, &x->name, "elements more than %d deep", NESTED);
    if (x->kind == OPEN)
        x->open[x->depth++] = x->name.s;
    else if (x->kind == CLOSE && (!x->depth || strcmp(x->open[--x->depth], x->name.s) != 0))
        return dfa_fail(x->r, &x->name, "</%s> closes nothing", x->name.s);
    return AT_OK;
}

static bool is(const xml *x, const char *name)
{
    return strcmp(x->name.s, name) == 0;
}

/* Behind the end of the element that was opened last. */
static at_status element_pass(xml *x)
{
    at_status s = AT_OK;
    for (int depth = x->depth; !s && x->depth >= depth;)
        s = tag_next(x);
    return s;
}

/* What an element without others holds; it has been opened. */
static at_status text_read(xml *x, dfa_word *out)
{
    if (x->kind == ALONE) {
        *out = here(x, "");
        return AT_OK;
    }
    at_status s = tag_next(x);
    if (!s && x->kind != CLOSE)
        return dfa_fail(x->r, &x->name, "text is wanted here, and no element");
    *out = x->text;
    return s;
}

static at_status word_visible(const dfa_reader *r, const dfa_word *w)
{
    for (const char *s = w->s; *s;) {
        uint32_t u = at_text_next(&s);
        if (at_text_acts(u) || u == AT_TEXT_REPLACEMENT || u == ' ')
            return dfa_fail(r, w, "a byte that is no visible character");
    }
    return strlen(w->s) > 200 ? dfa_fail(r, w, "a word of more than 200 bytes") : AT_OK;
}

static at_status state_read(xml *x)
{
    dfa_word id = x->id;
    bool alone = x->kind == ALONE;
    if (!id.s || !*id.s)
        return dfa_fail(x->r, &x->name, "a state has an id, as in <state id=\"0\">");
    at_status s = word_visible(x->r, &id);
    int before = x->r->states;
    if (!s && dfa_state(x->r, &id, true) < 0)
        return dfa_fail(x->r, &id, "more than %d states", AT_STATES_MAX);
    if (!s && x->r->states == before)
        return dfa_fail(x->r, &id, "a second state with the id %.40s", id.s);
    while (!s && !alone) {
        s = tag_next(x);
        if (s || x->kind == CLOSE)
            break;
        bool open = x->kind == OPEN;
        if (is(x, "initial"))
            s = dfa_start(x->r, &id);
        else if (is(x, "final"))
            s = dfa_accept(x->r, &id);
        if (!s && open)
            s = element_pass(x);
    }
    return s;
}

static at_status transition_read(xml *x)
{
    dfa_word from = {0}, to = {0}, *at = at_new(x->r->a, dfa_word, 1);
    const char *next;
    int letter;
    at_status s = at ? AT_OK : at_oom(x->r->err);
    if (s)
        return s;
    *at = x->name;
    dfa_word read = *at;
    read.s = NULL;
    while (!s && x->kind != CLOSE) {
        s = tag_next(x);
        if (s || x->kind == CLOSE)
            break;
        if (is(x, "from"))
            s = text_read(x, &from);
        else if (is(x, "to"))
            s = text_read(x, &to);
        else if (is(x, "read"))
            s = text_read(x, &read);
        else if (x->kind == OPEN)
            s = element_pass(x);
        x->kind = OPEN; /* of the transition, which is not closed yet */
    }
    if (s)
        return s;
    if (!from.s || !to.s || !read.s)
        return dfa_fail(x->r, at, "a transition has <from>, <to> and <read>");
    if (!*read.s)
        return dfa_fail(x->r, at, "a transition that reads nothing: the automaton is not deterministic");
    next = read.s;
    at_text_next(&next);
    if (*next)
        return dfa_fail(x->r, &read,
                        "'%.40s' is several letters, which JFLAP reads one after the other; one "
                        "transition reads one",
                        read.s);
    s = word_visible(x->r, &read);
    if (!s)
        s = dfa_letter(x->r, &read, &letter);
    for (int k = 0; k < 2 && !s; k++)
        if (dfa_state(x->r, k ? &to : &from, false) < 0)
            s = dfa_fail(x->r, k ? &to : &from, "there is no state with the id %.40s", k ? to.s : from.s);
    return s ? s : dfa_edge_add(x->r, dfa_state(x->r, &from, false), letter, dfa_state(x->r, &to, false), at);
}

bool dfa_is_jff(const char *text)
{
    text += strspn(text, " \t\r\n");
    return strncmp(text, "<?xml", 5) == 0 || strncmp(text, "<structure", 10) == 0;
}

at_status dfa_jff_read(char *text, dfa_reader *r)
{
    xml x = {.r = r, .s = text, .from = text, .line = 1};
    dfa_word type = {0};
    at_status s = tag_next(&x);
    if (!s && (x.kind != OPEN || !is(&x, "structure")))
        return dfa_fail(r, &x.name, "a file of JFLAP begins with <structure>");
    while (!s && x.depth) {
        s = tag_next(&x);
        if (s || x.kind == CLOSE || x.kind == END)
            continue;
        if (is(&x, "type"))
            s = text_read(&x, &type);
        else if (is(&x, "state"))
            s = state_read(&x);
        else if (is(&x, "transition") && x.kind == OPEN)
            s = transition_read(&x);
        else if (!is(&x, "automaton") && x.kind == OPEN)
            s = element_pass(&x);
        if (!s && type.s && strcmp(type.s, "fa") != 0)
            return dfa_fail(r, &type, "<type>%.40s</type>: finite automata (fa) are read", type.s);
    }
    if (!s)
        s = tag_next(&x);
    if (!s && x.kind != END)
        return dfa_fail(r, &x.name, "something behind </structure>");
    if (!s && r->states && !r->start.s)
        return at_fail(r->err, AT_EINPUT, "%.150s: no state is <initial/>", r->path);
    return s;
}
