/* input.c: the inputs of a model: check, read from a line, write to a line.
 *
 *     3 14 5            one token field
 *     3/0.5,-1 14/2,0   a token and two reals a position
 *     1,4/7 2,3/7       a 2-subset and a token
 *
 * Positions are separated by blanks, fields of a position by '/', components of a field by ','. Integers
 * are exact doubles in the row. A token field with words is written in them, and without blanks between them where every
 * word is one character: abba. Rows of the prompt of a decoder of integers are
 * mostly zeros and may be short: a number without '/' is the first field with zeros behind it, and '|' the row of zeros
 * where prompts have one (prompt.c). Only there a row of zeros is printed as '|'; an input that is 0 is printed as 0, and rows
 * behind the prompt, which the model writes, are printed in full. Positions are counted from 1 in messages, as in the
 * theory. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model_internal.h"

/* Range of a component: token 0..size-1, subset 1..size, real and int lo..hi. */
static void field_range(const at_field *f, double *lo, double *hi)
{
    *lo = f->kind == AT_FIELD_TOKEN ? 0 : f->kind == AT_FIELD_SUBSET ? 1 : f->lo;
    *hi = f->kind == AT_FIELD_TOKEN ? f->size - 1.0 : f->kind == AT_FIELD_SUBSET ? f->size : f->hi;
}

static const char *const component_nouns[AT_FIELD_KINDS] = {
    [AT_FIELD_TOKEN] = "token",
    [AT_FIELD_SUBSET] = "element",
    [AT_FIELD_REAL] = "number",
    [AT_FIELD_INT] = "integer",
};

static at_status check_component(const at_field *f, double v, int position, at_err *err)
{
    double lo, hi;
    field_range(f, &lo, &hi);
    if (!(v >= lo && v <= hi)) /* also NaN */
        return at_fail(err, AT_EDOMAIN, "position %d: %s %.17g out of range %.17g..%.17g (field %s)",
                       position, component_nouns[f->kind], v, lo, hi, f->name);
    if (f->kind != AT_FIELD_REAL && v != floor(v))
        return at_fail(err, AT_EDOMAIN, "position %d: %s %.17g is not an integer (field %s)", position,
                       component_nouns[f->kind], v, f->name);
    return AT_OK;
}

/* v: the field's components, each in range. */
static at_status check_distinct(const at_field *f, const double *v, int position, at_err *err)
{
    for (int a = 0; f->kind == AT_FIELD_SUBSET && a < f->pick; a++)
        for (int b = 0; b < a; b++)
            if (v[a] == v[b])
                return at_fail(err, AT_EDOMAIN, "position %d: element %.0f is repeated (field %s)", position,
                               v[a], f->name);
    return AT_OK;
}

static at_status check_length(const at_model *m, int64_t n, at_err *err)
{
    if (n >= m->n_min && n <= m->n_max)
        return AT_OK;
    return at_fail(err, AT_EDOMAIN, "length %lld out of range %d..%d", (long long)n, m->n_min, m->n_max);
}

at_status at_input_check_row(const at_model *m, const double *row, int position, at_err *err)
{
    at_status st = AT_OK;
    for (int k = 0; k < m->n_fields && st == AT_OK; k++) {
        const at_field *f = &m->fields[k];
        int width = at_field_width(f);
        for (int c = 0; c < width && st == AT_OK; c++)
            st = check_component(f, row[c], position, err);
        if (st == AT_OK)
            st = check_distinct(f, row, position, err);
        row += width;
    }
    return st;
}

at_status at_input_check(const at_model *m, const at_input *x, at_err *err)
{
    at_status st = check_length(m, x->n, err);
    int width = at_model_row_width(m);
    for (int t = 0; t < x->n && st == AT_OK; t++)
        st = at_input_check_row(m, x->v + (size_t)t * (size_t)width, t + 1, err);
    return st;
}

/* ---- text -> rows --------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* With all words where they are few, and the nearest one. */
static at_status word_unknown(const at_field *f, const char *s, size_t n, int position, at_err *err)
{
    enum { LISTED = 60 };
    char name[41], all[LISTED + 2] = "", near[AT_GUESS_TEXT];
    snprintf(name, sizeof name, "%.*s", n < 40 ? (int)n : 40, s);
    at_guess g = {.name = name};
    size_t bytes = 0;
    for (int k = 0; k < f->size; k++) {
        size_t m = strlen(f->words[k].s);
        at_guess_add(&g, f->words[k].s);
        if (bytes + m + 1 <= LISTED)
            snprintf(all + bytes, sizeof all - bytes, " %s", f->words[k].s);
        bytes += bytes <= LISTED ? m + 1 : 0;
    }
    bool few = bytes <= LISTED;
    return at_fail(err, AT_EINPUT, "position %d: \"%s\" is not a word of field %s%s%s%s", position, name,
                   f->name, few ? ":" : "", few ? all : "", at_guess_text(&g, near));
}

static at_status word_parse(const at_field *f, const char *s, size_t n, int position, double *out,
                            at_err *err)
{
    for (int k = 0; k < f->size; k++)
        if (strlen(f->words[k].s) == n && !memcmp(f->words[k].s, s, n)) {
            *out = k;
            return AT_OK;
        }
    return word_unknown(f, s, n, position, err);
}

/* One number of field f, s[0..n). */
static at_status component_parse(const at_field *f, const char *s, size_t n, int position, double *out,
                                 at_err *err)
{
    if (f->kind == AT_FIELD_TOKEN && f->words)
        return word_parse(f, s, n, position, out, err);
    int64_t i = 0;
    bool ok = f->kind == AT_FIELD_REAL ? at_parse_double(s, n, out) : at_parse_i64(s, n, &i);
    if (!ok)
        return at_fail(err, AT_EINPUT, "position %d: \"%.*s\" is not %s (field %s)", position,
                       n < 40 ? (int)n : 40, s, f->kind == AT_FIELD_REAL ? "a finite number" : "an integer",
                       f->name);
    if (f->kind != AT_FIELD_REAL) {
        /* Beyond 2^53 the double would not be the integer that was written; no range reaches there. */
        double lo, hi;
        field_range(f, &lo, &hi);
        if (i > (int64_t)MODEL_MAX_INT || i < -(int64_t)MODEL_MAX_INT)
            return at_fail(err, AT_EDOMAIN, "position %d: %s %lld out of range %.0f..%.0f (field %s)",
                           position, component_nouns[f->kind], (long long)i, lo, hi, f->name);
        *out = (double)i;
    }
    return check_component(f, *out, position, err);
}

/* Does a letter stand at s, in a prompt whose inputs reach the numbers of letters in ASCII? It is a row by itself: kitten. */
static bool is_letter_row(const at_model *m, const char *s)
{
    double lo, hi;
    if (!prompt_rows_short(m) || m->fields[0].kind != AT_FIELD_INT)
        return false;
    field_range(&m->fields[0], &lo, &hi);
    return ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')) && *s >= lo && *s <= hi;
}

/* A short row, s[0..n): the fields after the first are zeros, if they may be. Several fields of a decoder are all of integers
 * (validate.c). rows: of the line. */
static at_status short_parse(const at_model *m, const char *s, size_t n, int position, int rows, double *v,
                             at_err *err)
{
    int width = at_model_row_width(m);
    for (int c = 0; c < width; c++)
        v[c] = 0;
    if (n == 1 && *s == '|') {
        if (m->decode.prompt && !prompt_bar(m, position - 1, rows))
            return prompt_bar_refuse(m, position - 1, err);
        s = "0";
    }
    at_status st = AT_OK;
    if (n == 1 && is_letter_row(m, s))
        v[0] = *s;
    else
        st = component_parse(&m->fields[0], s, n, position, &v[0], err);
    for (int k = 1, at = 1; k < m->n_fields && !st; at += at_field_width(&m->fields[k++]))
        for (int c = 0; c < at_field_width(&m->fields[k]) && !st; c++)
            st = check_component(&m->fields[k], v[at + c], position, err);
    return st;
}

/* One position, s[0..n), into v. The separator after the last component of a field is '/', of a position
 * its end; every other one is ','. */
static at_status position_parse(const at_model *m, const char *s, size_t n, int position, int rows, double *v,
                                at_err *err)
{
    if (prompt_rows_short(m) && !memchr(s, '/', n))
        return short_parse(m, s, n, position, rows, v, err);
    const char *end = s + n;
    bool alone = m->n_fields == 1 && m->fields[0].kind == AT_FIELD_TOKEN && m->fields[0].words; /* any word */
    for (int k = 0; k < m->n_fields; k++) {
        const at_field *f = &m->fields[k];
        int width = at_field_width(f);
        for (int c = 0; c < width; c++) {
            size_t length = 0;
            while (s + length < end && (alone || (s[length] != ',' && s[length] != '/')))
                length++;
            at_status st = component_parse(f, s, length, position, &v[c], err);
            if (st != AT_OK)
                return st;
            s += length;
            char found = s < end ? *s : 0, want = c + 1 < width ? ',' : k + 1 < m->n_fields ? '/' : 0;
            if (found != want && want == ',')
                return at_fail(err, AT_EINPUT, "position %d: field %s takes %d numbers separated by ','",
                               position, f->name, width);
            if (found != want)
                return at_fail(err, AT_EINPUT,
                               found == ',' ? "position %d: more than %d numbers for field %s"
                                            : "position %d: %d fields are separated by '/'; at field %s",
                               position, found == ',' ? width : m->n_fields, f->name);
            s += found != 0;
        }
        at_status st = check_distinct(f, v, position, err);
        if (st != AT_OK)
            return st;
        v += width;
    }
    return AT_OK;
}

/* Is every word that may be typed one character? Then blanks between them are not needed: abba. Of a prompt these are the words of its
 * stretches, but for the last row where there is no choice. */
static bool words_short(const at_model *m, bool prompt)
{
    if (!words_alone(m))
        return false;
    int tail = prompt ? prompt_tail(m) : -1;
    bool stretches = prompt && m->decode.enabled && m->decode.prompt;
    for (int k = 0; k < m->fields[0].size; k++) {
        bool typed = !stretches;
        for (int j = 0; stretches && j < m->decode.n_prompt - (tail >= 0); j++)
            typed |= k >= m->decode.prompt[j].lo[0] && k <= m->decode.prompt[j].hi[0];
        const char *s = m->fields[0].words[k].s;
        at_text_next(&s);
        if (typed && *s)
            return false;
    }
    return true;
}

/* Is the word of the tail, where there is one, what stands at s? */
static bool is_tail(const at_model *m, int tail, const char *s, size_t n)
{
    return tail >= 0 && strlen(m->fields[0].words[tail].s) == n && !memcmp(m->fields[0].words[tail].s, s, n);
}

/* Bytes of the position that begins at s. */
static size_t position_length(const at_model *m, int tail, const char *s, bool letters)
{
    size_t n = 0;
    if (is_letter_row(m, s))
        return 1;
    while (s[n] && !is_blank(s[n]))
        n++;
    if (letters && n && !is_tail(m, tail, s, n)) {
        const char *end = s;
        at_text_next(&end);
        return (size_t)(end - s);
    }
    return n;
}

/* A prompt of n rows, the last word of which is `last`, that lacks the bar at its end and nothing else. Where prompts have several lengths
 * it cannot be told, and the bar is typed. */
static bool lacks_bar(const at_model *m, int64_t n, const char *last)
{
    const at_decode *d = &m->decode;
    return d->prompt && d->prompt_min == d->prompt_max && n + 1 == d->prompt_max && !(last && *last == '|') &&
           prompt_bar(m, (int)n, (int)n + 1);
}

at_status at_line_parse(const at_model *m, bool prompt, const char *line, at_arena *a, at_input *out,
                        size_t *place, at_err *err)
{
    *place = 0;
    /* Count positions and numbers first: the line itself bounds what is allocated for it. */
    int64_t positions = 0, numbers = 0;
    const char *last = NULL;
    bool letters = words_short(m, prompt), ended = false;
    int tail = prompt ? prompt_tail(m) : -1;
    for (const char *s = line; *s;) {
        size_t length = position_length(m, tail, s, letters);
        positions += length > 0;
        last = length > 0 ? s : last;
        ended = length > 0 ? is_tail(m, tail, s, length) : ended;
        numbers += length > 0;
        for (size_t k = 0; k < length; k++)
            numbers += s[k] == ',' || s[k] == '/';
        s += length ? length : 1;
    }
    if (tail >= 0 && !ended) /* there is no choice: it need not be typed */
        positions++;
    bool bar = prompt && lacks_bar(m, positions, last);
    positions += bar;
    at_status st = prompt ? at_prompt_check_length(m, positions, err) : check_length(m, positions, err);
    if (st != AT_OK)
        return st;
    int width = at_model_row_width(m);
    at_mark before = at_arena_mark(a);
    /* A line with too few numbers fails inside its first short position; until then it is in bounds
     * only if that position's row is, hence one row more. */
    double *v = at_new(a, double, prompt_rows_short(m) ? (positions + 1) * width : numbers + 1 + width);
    if (!v)
        return at_oom(err);
    int n = 0;
    for (const char *s = line; *s && st == AT_OK;) {
        size_t length = position_length(m, tail, s, letters);
        if (length > 0) {
            double *row = v + (size_t)n * (size_t)width;
            st = position_parse(m, s, length, n + 1, (int)positions, row, err);
            if (st == AT_OK && prompt)
                st = prompt_check_row(m, row, n, (int)positions, err);
            n++;
            *place = (size_t)(s - line);
        }
        s += length ? length : 1;
    }
    if (st != AT_OK) {
        at_arena_reset(a, before);
        return st;
    }
    for (int c = 0; bar && c < width; c++)
        v[(size_t)n * (size_t)width + (size_t)c] = 0;
    if (n < positions && !bar)
        v[n] = tail;
    n += n < positions;
    *out = (at_input){n, v};
    return AT_OK;
}

at_status at_input_parse(const at_model *m, const char *line, at_arena *a, at_input *out, at_err *err)
{
    size_t place;
    return at_line_parse(m, false, line, a, out, &place, err);
}

at_status at_prompt_parse(const at_model *m, const char *line, at_arena *a, at_input *out, at_err *err)
{
    size_t place;
    return at_line_parse(m, true, line, a, out, &place, err);
}

/* ---- rows -> text --------------------------------------------------------------------------------- */

/* The shortest of 15, 16, 17 digits that reads back as v; adding 0 turns -0 into 0. */
static void number_print(double v, bool real, at_text *out)
{
    char s[40];
    if (!real) {
        if (fabs(v) < 0x1p53)
            at_text_addf(out, "%lld", (long long)v);
        else
            at_text_addf(out, "%.0f", v);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        int n = snprintf(s, sizeof s, "%.*g", digits, v + 0.0);
        if (at_parse_double(s, (size_t)n, &back) && back == v)
            break;
    }
    at_text_add(out, s);
}

/* Row t of an input of n rows: short where it is of the prompt and its other fields are zeros. */
static bool short_print(const at_model *m, const double *row, int t, int n, at_text *out)
{
    int width = at_model_row_width(m);
    bool rest = prompt_rows_short(m) && t >= 0 && t < m->decode.prompt_max;
    for (int c = 1; c < width; c++)
        rest = rest && row[c] == 0;
    if (!rest)
        return false;
    if (row[0] == 0 && prompt_bar(m, t, n))
        at_text_add(out, "|");
    else
        number_print(row[0], false, out);
    return true;
}

static void token_print(const at_field *f, double v, at_text *out)
{
    if (f->kind == AT_FIELD_TOKEN && f->words && v >= 0 && v < f->size && v == floor(v))
        at_text_add(out, f->words[(int)v].s);
    else
        number_print(v, f->kind == AT_FIELD_REAL, out);
}

static void row_print(const at_model *m, const double *row, int t, int n, at_text *out)
{
    if (short_print(m, row, t, n, out))
        return;
    for (int k = 0; k < m->n_fields; k++) {
        const at_field *f = &m->fields[k];
        int width = at_field_width(f);
        for (int c = 0; c < width; c++) {
            if (c > 0 || k > 0)
                at_text_add(out, c > 0 ? "," : "/");
            token_print(f, row[c], out);
        }
        row += width;
    }
}

void at_input_print_row(const at_model *m, const double *row, int position, at_text *out)
{
    row_print(m, row, position, m->decode.prompt_max, out);
}

static void rows_print(const at_model *m, const at_input *x, bool written, at_text *out)
{
    int width = at_model_row_width(m);
    at_text_add(out, ""); /* a text also when there are no rows */
    for (int t = 0; t < x->n; t++) {
        if (t > 0)
            at_text_add(out, " ");
        row_print(m, x->v + (size_t)t * (size_t)width, written ? -1 : t, x->n, out);
    }
}

void at_input_print(const at_model *m, const at_input *x, at_text *out)
{
    rows_print(m, x, false, out);
}

void at_written_print(const at_model *m, const at_input *rows, at_text *out)
{
    rows_print(m, rows, true, out);
}

const char *at_decision_word(const at_model *m, double decision)
{
    const at_field *f = &m->fields[0];
    if (m->readout.words)
        return decision >= 0 && decision < at_readout_words(&m->readout) && decision == floor(decision)
                   ? m->readout.words[(int)decision].s
                   : NULL;
    /* Of a decoder what is read is its next token; of another model, when it chooses among as many as there are words. */
    bool token = m->readout.kind == AT_READ_ARGMAX && m->n_fields == 1 && f->words &&
                 (m->decode.enabled || m->readout.rows == f->size);
    return token && decision >= 0 && decision < f->size && decision == floor(decision)
               ? f->words[(int)decision].s
               : NULL;
}

void at_decision_print(const at_model *m, double decision, at_text *out)
{
    const char *word = at_decision_word(m, decision);
    if (word)
        at_text_add(out, word);
    else
        number_print(decision, true, out);
}
