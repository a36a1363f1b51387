/* report_detail.c: what a ledger row found (at_finding), as HTML.
 *
 * What the codec did not understand is listed with its key, so that a newer checker may record more without the report
 * hiding it; a detail that is broken is shown as it is. Text with newlines keeps them. */
#include "report_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MOST = 2000 };

static void text_html(at_text *t, const char *s)
{
    if (strchr(s, '\n')) {
        at_text_add(t, "<pre>");
        at_text_add_html_block(t, s);
        at_text_add(t, "</pre>");
    } else
        at_text_add_html(t, s);
}

/* NULL: there is none, and nothing is said. */
static void pair_html(at_text *t, const char *key, const char *value)
{
    if (!value)
        return;
    at_text_add(t, "<div><dt>");
    at_text_add_html(t, key);
    at_text_add(t, "</dt><dd>");
    text_html(t, value);
    at_text_add(t, "</dd></div>\n");
}

static void number_html(at_text *t, const char *key, double x)
{
    char number[32];
    if (!isnan(x))
        pair_html(t, key, at_number_text(number, x));
}

/* As one reads it: 1640, 332,404, 2.107 · 10^7 with a raised exponent. */
static const char *figures_text(char out[32], double x)
{
    static const char *const raised[] = {"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
                                         "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
                                         "\xE2\x81\xB8", "\xE2\x81\xB9"};
    if (x >= 0 && x < 1e7 && x == floor(x))
        return at_count_text(out, (uint64_t)x);
    char plain[32];
    at_number_text(plain, x);
    const char *e = strchr(plain, 'e');
    if (!e || !strpbrk(e, "0123456789"))
        return strcpy(out, plain);
    int n = snprintf(out, 32,
                     "%.*s\xC2\xB7"
                     "10%s",
                     (int)(e - plain), plain, e[1] == '-' ? "\xE2\x81\xBB" : "");
    e += strspn(e, "e+-0");
    for (; *e && n < 28; e++)
        n += snprintf(out + n, (size_t)(32 - n), "%s", raised[*e - '0']);
    return out;
}

/* ---- verdicts --------------------------------------------------------------------------------------------------------- */

/* "layers 1 \xC2\xB7 heads 1". */
static void size_html(at_text *t, const at_size_detail *z)
{
    const struct {
        const char *key;
        double x;
    } parts[] = {{"layers", z->layers},
                 {"heads", z->heads},
                 {"width", z->width},
                 {"head width", z->head_dim},
                 {"MLP width", z->hidden},
                 {"parameters", (double)z->parameters},
                 {"not zero", (double)z->nonzero},
                 {"largest weight", z->largest}};
    char number[32];
    at_text_add(t, "<div><dt>size</dt><dd>");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!isnan(parts[k].x) && parts[k].x == floor(parts[k].x) && parts[k].x < 0x1p53)
            at_text_addf(t, "%s%s %s", k ? " \xC2\xB7 " : "", parts[k].key, figures_text(number, parts[k].x));
        else if (!isnan(parts[k].x))
            at_text_addf(t, " \xC2\xB7 %s %s", parts[k].key, figures_text(number, parts[k].x));
    at_text_add(t, "</dd></div>\n");
}

static void counterexample_html(at_text *t, const at_counterexample_detail *c)
{
    at_text_add(t, "<div class=\"cx\"><strong>Counterexample</strong>\n");
    if (c->chain) { /* a decoder's: prompt, row, expected, written stand in it */
        at_text_add(t, "<pre>");
        at_text_add_html_block(t, c->chain);
        at_text_add(t, "</pre></div>\n");
        return;
    }
    char a[32], b[32];
    at_text_add(t, "<dl>\n");
    pair_html(t, "input", c->input);
    if (c->position)
        number_html(t, "position", c->position);
    number_html(t, "expected", c->expected);
    number_html(t, "got", c->got);
    if (!isnan(c->expected) && !isnan(c->got) && c->expected != c->got && /* they look the same and are not */
        !strcmp(at_number_text(a, c->expected), at_number_text(b, c->got)))
        number_html(t, "off by", fabs(c->expected - c->got));
    pair_html(t, "attention", c->attention);
    pair_html(t, "expected word", c->expected_word);
    pair_html(t, "got word", c->got_word);
    at_text_add(t, "</dl></div>\n");
}

/* ---- tables ----------------------------------------------------------------------------------------------------------- */

static const char *word_class(const char *s)
{
    return !strcmp(s, "holds")     ? "t holds"
           : !strcmp(s, "fails")   ? "t fails"
           : !strcmp(s, "unknown") ? "t unknown"
                                   : "t";
}

static void entry_html(at_text *t, const at_table_entry *e)
{
    char number[32];
    if (e->text) {
        at_text_addf(t, "<td class=\"%s\">", word_class(e->text));
        text_html(t, e->text);
    } else {
        at_text_add(t, "<td>");
        at_text_add(t, isnan(e->number) ? "\xE2\x80\x93" : figures_text(number, e->number));
    }
    at_text_add(t, "</td>");
}

static void table_html(at_text *t, const at_table_detail *d)
{
    if (d->title) { /* no caption: that would be as narrow as the table */
        at_text_add(t, "<p class=\"caption\">");
        at_text_add_html(t, d->title);
        at_text_add(t, "</p>\n");
    }
    at_text_add(t, "<div class=\"scroll\"><table class=\"data nums\"><thead><tr>");
    for (int k = 0; k < d->n_columns; k++) {
        at_text_add(t, d->n_rows && !d->entries[k].text ? "<th>" : "<th class=\"t\">");
        text_html(t, d->columns[k]);
        at_text_add(t, "</th>");
    }
    at_text_add(t, "</tr></thead>\n<tbody>\n");
    for (int r = 0; r < d->n_rows; r++) {
        if (r == ROWS_MOST) {
            at_text_addf(t, "<tr><td>%d more rows are not shown</td></tr>\n", d->n_rows - r);
            break;
        }
        at_text_add(t, "<tr>");
        for (int k = 0; k < d->n_columns; k++)
            entry_html(t, &d->entries[(size_t)r * (size_t)d->n_columns + (size_t)k]);
        at_text_add(t, "</tr>\n");
    }
    at_text_add(t, "</tbody></table></div>\n");
}

/* ---- refutations ------------------------------------------------------------------------------------------------------ */

static void attempts_html(at_text *t, const at_refutation_detail *d)
{
    at_text_add(t, "<div class=\"scroll\"><table class=\"data nums\"><thead><tr><th class=\"t\">refuter</th>"
                   "<th>states</th><th>multiply-adds</th><th class=\"t\">what came of it</th></tr></thead>\n"
                   "<tbody>\n");
    for (int k = 0; k < d->n_attempts && k < ROWS_MOST; k++) {
        const at_attempt_detail *x = &d->attempts[k];
        const at_table_entry row[] = {
            {.text = x->refuter}, {.number = (double)x->states}, {.number = x->work}, {.text = x->words}};
        at_text_add(t, "<tr>");
        for (int c = 0; c < 4; c++)
            entry_html(t, &row[c]);
        at_text_add(t, "</tr>\n");
    }
    at_text_add(t, "</tbody></table></div>\n");
}

static void refutation_html(at_text *t, const at_refutation_detail *d)
{
    pair_html(t, "method", d->method);
    for (int k = 0; k < d->n_pair; k++)
        pair_html(t, d->n_pair == 2 ? "input" : "pair", d->pair[k]);
    pair_html(t, "wrong", d->wrong);
    number_html(t, "runs", (double)d->runs);
    number_html(t, "states", (double)d->states);
    number_html(t, "random inputs", (double)d->random_inputs);
    pair_html(t, "a random pair", d->random_pair ? "yes" : "no");
    pair_html(t, "random, and wrong", d->random_wrong ? "yes" : "no");
}

/* ---- all of them ------------------------------------------------------------------------------------------------------ */

static void more_html(at_text *t, const at_detail_pair *p)
{
    if (!p->list) {
        pair_html(t, p->key, p->value);
        return;
    }
    at_text_add(t, "<div><dt>");
    at_text_add_html(t, p->key);
    at_text_add(t, "</dt><dd><code>");
    at_text_add_html(t, p->value);
    at_text_add(t, "</code></dd></div>\n");
}

static void finding_html(at_text *t, const at_finding *f)
{
    const at_verdict_detail *v = f->kind == AT_FINDING_VERDICT ? &f->verdict : NULL;
    if (v && v->counterexample)
        counterexample_html(t, v->counterexample);
    if (f->kind == AT_FINDING_TABLE)
        table_html(t, &f->table);
    if (f->kind == AT_FINDING_REFUTATION && f->refutation.n_attempts)
        attempts_html(t, &f->refutation);
    bool list = f->n_more || f->kind == AT_FINDING_REFUTATION || (v && (v->control || v->note || v->size));
    if (!list)
        return;
    at_text_add(t, "<dl class=\"small\">\n");
    if (v) {
        pair_html(t, "control", v->control);
        pair_html(t, "note", v->note);
        if (v->size)
            size_html(t, v->size);
    }
    if (f->kind == AT_FINDING_REFUTATION)
        refutation_html(t, &f->refutation);
    for (int k = 0; k < f->n_more; k++)
        more_html(t, &f->more[k]);
    at_text_add(t, "</dl>\n");
}

void at_report_detail(at_text *t, const at_row *r)
{
    const char *text = r->rec.detail;
    at_arena a;
    at_finding f;
    if (!text || !*text)
        return;
    at_arena_init(&a);
    if (at_finding_of_row(r, &a, &f, NULL))
        t->oom = true;
    else if (f.broken) {
        at_text_add(t, "<pre>");
        at_text_add_html_block(t, text);
        at_text_add(t, "</pre>\n");
    } else
        finding_html(t, &f);
    at_arena_release(&a);
}
