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

/* Weights of one row, a line a head; behind the first, lines bear the name that stands in front of it. */
static void attention_html(at_text *t, const char *s)
{
    static const char name[] = "attention ";
    at_text lines;
    at_text_init(&lines);
    while (*s) {
        size_t n = strcspn(s, "\n");
        at_text_addn(&lines, s, n);
        s += n;
        if (*s == '\n' && *++s)
            at_text_add(&lines, "\n");
        if (!strncmp(s, name, sizeof name - 1))
            s += sizeof name - 1 + strspn(s + sizeof name - 1, " ");
    }
    at_text_add(t, "<pre>");
    at_text_add_html_block(t, lines.s ? lines.s : "");
    at_text_add(t, "</pre>");
    t->oom = t->oom || lines.oom;
    at_text_release(&lines);
}

/* "0 (an even number)": what came out or should have; NULL and NaN: not known. */
static void answer_html(at_text *t, const char *before, double x, const char *word)
{
    char number[32];
    if (isnan(x) && !word)
        return;
    at_text_addf(t, "%s<code>", before);
    at_text_add_html(t, isnan(x) ? word : at_number_text(number, x));
    at_text_add(t, "</code>");
    if (!isnan(x) && word) {
        at_text_add(t, " (");
        at_text_add_html(t, word);
        at_text_add(t, ")");
    }
}

/* "Wrong on 0 1 at position 2: 0 came out, right is 1". */
static void counterexample_html(at_text *t, const at_counterexample_detail *c)
{
    char a[32], b[32];
    at_text_add(t, "<div class=\"cx\"><b>Counterexample</b> ");
    if (c->chain) { /* a decoder's: prompt, row, expected, written stand in it */
        at_text_add(t, "<pre>");
        at_text_add_html_block(t, c->chain);
        at_text_add(t, "</pre></div>\n");
        return;
    }
    if (c->input) {
        at_text_add(t, "input <code>");
        at_text_add_html(t, *c->input ? c->input : "\xE2\x88\x85");
        at_text_add(t, "</code>");
    }
    if (c->position)
        at_text_addf(t, ", position %s", at_number_text(a, c->position));
    answer_html(t, "; expected ", c->expected, c->expected_word);
    answer_html(t, ", got ", c->got, c->got_word);
    if (!isnan(c->expected) && !isnan(c->got) && c->expected != c->got && /* they look the same and are not */
        !strcmp(at_number_text(a, c->expected), at_number_text(b, c->got)))
        at_text_addf(t, ", off by %s", at_number_text(a, fabs(c->expected - c->got)));
    if (c->attention)
        attention_html(t, c->attention);
    at_text_add(t, "</div>\n");
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
    at_text_add(t, "</tr></thead><tbody>\n");
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

/* What was changed for a control, and what the check has to say; then what it found. */
static void verdict_html(at_text *t, const at_verdict_detail *v)
{
    if (v->control) {
        at_text_add(t, "<small>changed: ");
        at_text_add_html(t, v->control);
        at_text_add(t, "</small>");
    }
    if (v->note) {
        at_text_add(t, "<small>");
        text_html(t, v->note);
        at_text_add(t, "</small>");
    }
    if (v->counterexample)
        counterexample_html(t, v->counterexample);
}

static void finding_html(at_text *t, const at_finding *f)
{
    if (f->kind == AT_FINDING_VERDICT)
        verdict_html(t, &f->verdict);
    if (f->kind == AT_FINDING_TABLE)
        table_html(t, &f->table);
    if (f->kind == AT_FINDING_REFUTATION && f->refutation.n_attempts)
        attempts_html(t, &f->refutation);
    if (!f->n_more && f->kind != AT_FINDING_REFUTATION)
        return;
    at_text_add(t, "<dl class=\"small\">\n");
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

/* ---- the models of a section ------------------------------------------------------------------------------------------ */

static bool is_new(const at_row *const *rows, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (rows[k]->key.model_hash && !strcmp(rows[k]->key.model_hash, rows[i]->key.model_hash))
            return false;
    return true;
}

/* As text with tabs, a line a model: rows that ask the same model do not repeat its size. */
void at_report_models(at_text *t, const at_row *const *rows, size_t n, bool open)
{
    static const char *const names[] = {"layers",    "heads",      "width", "head width",
                                        "MLP width", "parameters", "not 0", "largest weight"};
    enum { COLUMNS = sizeof names / sizeof *names, HASH = 12 };
    at_text lines;
    size_t found = 0;
    at_text_init(&lines);
    for (size_t i = 0; i < n; i++) {
        const char *hash = rows[i]->key.model_hash;
        at_arena a;
        at_finding f;
        if (!hash || !*hash || !rows[i]->rec.detail || !*rows[i]->rec.detail || !is_new(rows, i))
            continue;
        at_arena_init(&a);
        t->oom = t->oom || at_finding_of_row(rows[i], &a, &f, NULL);
        const at_size_detail *z =
            !t->oom && !f.broken && f.kind == AT_FINDING_VERDICT ? f.verdict.size : NULL;
        if (z) {
            const double x[COLUMNS] = {z->layers,          z->heads,  z->width,
                                       z->head_dim,        z->hidden, (double)z->parameters,
                                       (double)z->nonzero, z->largest};
            char number[32], head[HASH + 1];
            snprintf(head, sizeof head, "%s", hash);
            at_text_add_html(&lines, head);
            for (int k = 0; k < COLUMNS; k++)
                at_text_addf(&lines, "\t%s", isnan(x[k]) ? "\xE2\x80\x93" : figures_text(number, x[k]));
            at_text_add(&lines, "\n");
            found++;
        }
        at_arena_release(&a);
    }
    if (found) {
        at_text_addf(t,
                     "<details%s><summary>Sizes of the models <span class=\"count\">%zu</span></summary>\n",
                     open ? " open=\"open\"" : "", found);
        at_text_add(t, "<pre tabindex=\"0\" class=\"tabs\"><b>model");
        for (int k = 0; k < COLUMNS; k++)
            at_text_addf(t, "\t%s", names[k]);
        at_text_addf(t, "</b>\n%s</pre>\n</details>\n", lines.s ? lines.s : "");
    }
    t->oom = t->oom || lines.oom;
    at_text_release(&lines);
}
