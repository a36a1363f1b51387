/* dfa_mona.c: automata as MONA itself prints them: `mona -gw` as Graphviz (dfa_dot.c reads the graph), `mona -w` as lines.
 *
 * MONA's automata read columns, a 0 or 1 for each free variable (a track); X is either. A label of Graphviz has a row a track, and columns
 * side by side, "0 1\n1,X"; a line has one column, "State 3: 01 -> state 2". Letters are
 *
 *     columns            00 01 10 11, where no alphabet is said
 *     one a track        alphabet a b: at a position the track of its letter is 1 and all others are 0
 *     one a column       alphabet p q r s: 00, 01, 10, 11 in this order
 *
 * The first column that MONA reads is of Boolean variables and no position, so the automaton starts behind it. States that it calls
 * don't-care do not accept. */
#include "dfa_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6 }; /* tracks whose columns are letters: AT_LETTERS_MAX of them */

/* ---- columns ------------------------------------------------------------------------------------------------------------------ */

static const char *row_end(const char *s)
{
    while (*s && !(s[0] == '\\' && s[1] == 'n'))
        s++;
    return s;
}

int dfa_tracks(const char *label)
{
    int rows = 0, columns = -1;
    for (const char *s = label, *end; s; s = *end ? end + 2 : NULL) {
        int n = 0;
        end = row_end(s);
        for (; s < end; s++) {
            if (!strchr("01X ,", *s))
                return 0;
            n += *s != ' ' && *s != ',';
        }
        if (!n || (columns >= 0 && n != columns))
            return 0;
        columns = n;
        rows++;
    }
    return rows;
}

/* The values of one track, column after column. */
static char value_at(const char *row, int column)
{
    for (;; row++)
        if (*row != ' ' && *row != ',' && !column--)
            return *row;
}

/* ones: (tracks) which track is 1. */
bool dfa_column_in(const char *label, const bool *ones)
{
    int columns = 0;
    for (const char *s = label, *end = row_end(label); s < end; s++)
        columns += *s != ' ' && *s != ',';
    for (int k = 0; k < columns; k++) {
        bool in = true;
        int t = 0;
        for (const char *s = label, *end; s && in; s = *end ? end + 2 : NULL, t++) {
            char c = value_at(s, k);
            end = row_end(s);
            in = c == 'X' || (c == '1') == ones[t];
        }
        if (in)
            return true;
    }
    return false;
}

bool dfa_any_column(const char *label)
{
    for (; *label; label++)
        if (*label == '0' || *label == '1')
            return false;
    return true;
}

/* ---- letters ------------------------------------------------------------------------------------------------------------------ */

at_status dfa_tracks_letters(dfa_reader *r, int tracks, const dfa_word *at)
{
    if (tracks > AT_LETTERS_MAX)
        return dfa_fail(r, at, "%d tracks; at most %d letters are read", tracks, AT_LETTERS_MAX);
    if (r->open && tracks > COLUMNS)
        return dfa_fail(r, at,
                        "%d tracks have more than %d columns; say a letter a track, alphabet a b c ...",
                        tracks, AT_LETTERS_MAX);
    if (!r->open && r->sigma.n != tracks && (tracks > COLUMNS || r->sigma.n != 1 << tracks))
        return dfa_fail(r, at, "%d letters for %d track%s: a letter a track is wanted, or one a column",
                        r->sigma.n, tracks, tracks == 1 ? "" : "s");
    at_status s = AT_OK;
    for (int k = 0, c; r->open && k < 1 << tracks && !s; k++) {
        char name[COLUMNS + 1] = "";
        for (int t = 0; t < tracks; t++)
            name[t] = k >> (tracks - 1 - t) & 1 ? '1' : '0';
        s = dfa_letter(r, &(dfa_word){name, at->line, at->column}, &c);
    }
    r->open = false;
    return s;
}

void dfa_letter_column(const dfa_reader *r, int tracks, int letter, bool *ones)
{
    bool each = r->sigma.n == tracks; /* never the number of columns, too */
    for (int t = 0; t < tracks; t++)
        ones[t] = each ? t == letter : letter >> (tracks - 1 - t) & 1;
}

/* ---- lines -------------------------------------------------------------------------------------------------------------------- */

static const char title[] = "DFA for formula with free variables:";

bool dfa_is_mona(const char *text)
{
    return strstr(text, title) != NULL;
}

/* The words of a line behind `what`; NULL: it begins with something else. */
static char *behind(char *line, const char *what)
{
    size_t n = strlen(what);
    return strncmp(line, what, n) == 0 ? line + n : NULL;
}

/* The next word of a line, with an end of its own. */
static bool word_next(char **s, const char *from, int line, dfa_word *out)
{
    *s += strspn(*s, " \t\r");
    if (!**s)
        return false;
    *out = (dfa_word){*s, line, (int)(*s - from) + 1};
    *s += strcspn(*s, " \t\r");
    if (**s)
        *(*s)++ = 0;
    return true;
}

typedef struct {
    const char *column, *to;
    dfa_word from, at;
} row;

/* "State 3: 01 -> state 2", behind "State ". */
static at_status row_read(const dfa_reader *r, char *s, const char *from, int line, row *out)
{
    dfa_word w[5];
    int n = 0;
    while (n < 5 && word_next(&s, from, line, &w[n]))
        n++;
    size_t colon = n ? strlen(w[0].s) : 0;
    if (n != 5 || colon < 2 || w[0].s[colon - 1] != ':' || strcmp(w[2].s, "->") != 0 ||
        strcmp(w[3].s, "state") != 0 || strspn(w[1].s, "01X") != strlen(w[1].s))
        return dfa_fail(r, &(dfa_word){NULL, line, 1},
                        "a transition of MONA is written State 0: 01X -> state 1");
    char *name = at_arena_printf(r->a, "%.*s", (int)colon - 1, w[0].s);
    *out = (row){.column = w[1].s, .to = w[4].s, .from = {name, line, w[0].column}, .at = w[1]};
    return name ? AT_OK : at_oom(r->err);
}

/* A column of a line as a label: a row a track. */
static char *label_of(at_arena *a, const char *column)
{
    size_t n = strlen(column);
    char *label = at_new(a, char, 3 * n + 1), *out = label;
    for (size_t k = 0; label && k < n; k++) {
        *out++ = column[k];
        if (k + 1 < n) {
            *out++ = '\\';
            *out++ = 'n';
        }
    }
    return label;
}

static at_status rows_take(dfa_reader *r, const row *rows, size_t n, const dfa_word *initial)
{
    size_t first = n;
    for (size_t k = 0; k < n; k++)
        if (strcmp(rows[k].from.s, initial->s) == 0) {
            if (first < n || strspn(rows[k].column, "X") != strlen(rows[k].column))
                return dfa_fail(r, &rows[k].at, "Boolean variables (var0), which are of no position");
            first = k;
        }
    if (first == n)
        return dfa_fail(r, initial, "the state %.40s has no transition", initial->s);
    int tracks = (int)strlen(rows[0].column);
    at_status s = dfa_tracks_letters(r, tracks, &rows[0].at);
    if (!s)
        s = dfa_start(r, &(dfa_word){rows[first].to, rows[first].at.line, rows[first].at.column});
    for (size_t k = 0; k < n && !s; k++) {
        if (k == first && strcmp(rows[k].to, initial->s) != 0)
            continue;
        if (strlen(rows[k].column) != (size_t)tracks)
            return dfa_fail(r, &rows[k].at, "%zu tracks, and %d above", strlen(rows[k].column), tracks);
        const char *label = label_of(r->a, rows[k].column);
        dfa_word *at = at_new(r->a, dfa_word, 1);
        if (!label || !at)
            return at_oom(r->err);
        *at = rows[k].at;
        int from = dfa_state(r, &rows[k].from, true),
            to = dfa_state(r, &(dfa_word){rows[k].to, at->line, at->column}, true);
        for (int c = 0; c < r->sigma.n && !s; c++) {
            bool ones[AT_LETTERS_MAX];
            dfa_letter_column(r, tracks, c, ones);
            if (dfa_column_in(label, ones))
                s = dfa_edge_add(r, from, c, to, at);
        }
    }
    return s;
}

at_status dfa_mona_read(char *text, dfa_reader *r)
{
    size_t room = 1, n = 0;
    for (const char *c = text; *c; c++)
        room += *c == '\n';
    row *rows = at_new(r->a, row, room);
    if (!rows)
        return at_oom(r->err);
    dfa_word initial = {0};
    bool began = false, ended = false;
    at_status s = AT_OK;
    int line = 1;
    for (char *from = text, *next; from && !s && !ended; from = next, line++) {
        char *value;
        next = strchr(from, '\n');
        if (next)
            *next++ = 0;
        if (!began && !(began = behind(from, title) != NULL)) {
            s = dfa_comment(r, from, line, 1); /* alphabet and length may stand above */
            continue;
        }
        if ((value = behind(from, "Initial state:"))) {
            if (!word_next(&value, from, line, &initial))
                s = dfa_fail(r, &(dfa_word){NULL, line, 1}, "an initial state is wanted");
        } else if ((value = behind(from, "Accepting states:"))) {
            dfa_word w;
            while (!s && word_next(&value, from, line, &w))
                if (!initial.s || strcmp(w.s, initial.s) != 0)
                    s = dfa_accept(r, &w);
            r->accepts = true;
        } else if ((value = behind(from, "State ")))
            s = row_read(r, value, from, line, &rows[n++]);
        else
            ended = n > 0; /* what follows is an analysis */
    }
    if (s)
        return s;
    if (!initial.s || !n)
        return at_fail(r->err, AT_EINPUT, "%.150s: no transitions of MONA; mona -w prints them", r->path);
    return rows_take(r, rows, n, &initial);
}
