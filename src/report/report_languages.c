/* report_languages.c: the survey's table of languages: what is built and checked, and what was trained, both from the ledger.
 *
 * A language is *learnt* when the best training answers AT_STUDY_REACHED of the words of its length right, and *generalises* when it
 * does so at twice the length (at_training_detail.twice). What the ledger does not have is said to be not checked, not trained. */
#include "report_internal.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *language, *claim;
    const char *stream, *with; /* what is trained, and what its parameters say; NULL: nothing is, any */
} rows[] = {
    {"MAJORITY", "majority", "majority", NULL},
    {"PARITY", "parity", "parity", NULL},
    {"Dyck-1", "dyck", "dyck", "k=1"},
    {"Dyck-2", "dyck", "dyck", "k=2"},
    {"shuffle-Dyck", "shuffle-dyck", NULL, NULL},
    {"(aa)*", "fo-mod", "aa", NULL},
    {"sums modulo p", "automaton-solvable", "sum", NULL},
};
enum { LANGUAGES = sizeof rows / sizeof *rows };

/* Is the word k=1 among "k=1 n=20"? */
static bool has_word(const char *params, const char *word)
{
    size_t n = strlen(word);
    for (const char *s = params; s && *s; s += strcspn(s, " "), s += strspn(s, " "))
        if (!strncmp(s, word, n) && (s[n] == ' ' || !s[n]))
            return true;
    return false;
}

/* The training of this language that answers best; *n: how many there are. */
static const at_trained *best_of(const at_study *st, int row, int *n)
{
    const at_trained *best = NULL;
    *n = 0;
    for (size_t i = 0; rows[row].stream && i < st->n_runs; i++) {
        const at_trained *r = &st->runs[i];
        if (r->broken || r->superseded || isnan(r->d.twice) || strcmp(r->task, rows[row].stream) ||
            (rows[row].with && !has_word(r->row->key.params, rows[row].with)))
            continue;
        ++*n;
        best = !best || r->d.answer > best->d.answer ? r : best;
    }
    return best;
}

static const at_report_section *section_of(const at_report_page *p, const char *claim)
{
    for (size_t i = 0; i < p->n_sections; i++)
        if (p->sections[i].known && !strcmp(p->sections[i].claim->id, claim))
            return &p->sections[i];
    return NULL;
}

static void trained_html(at_text *t, const at_trained *r, int n)
{
    char here[16], twice[16];
    if (!r) {
        at_text_add(t, "<td>not trained</td>");
        return;
    }
    bool learnt = r->d.answer >= AT_STUDY_REACHED, holds = r->d.twice >= AT_STUDY_REACHED;
    at_percent_text(here, r->d.answer, 1);
    at_percent_text(twice, r->d.twice, 1);
    at_text_addf(t,
                 "<td><b class=\"%s\">%s</b>: %s%% to its length; <b class=\"%s\">%s</b>: %s%% at twice that",
                 learnt ? "holds" : "fails", learnt ? "learnt" : "not learnt", here,
                 holds ? "holds" : "fails", holds ? "generalises" : "does not generalise", twice);
    at_text_addf(t, " <span class=\"tiny\">(%s, D = %lld, best of %d)</span></td>",
                 at_attention_names[r->attention], (long long)r->d.width, n);
}

at_status at_report_languages(at_text *t, const at_report_page *p, at_err *err)
{
    at_arena a;
    at_study st = {0};
    at_arena_init(&a);
    at_status s = AT_OK;
    if (p->n_trained && p->n_trained <= AT_STUDY_MAX_RUNS)
        s = at_study_make(p->rows, p->n_rows, p->about->build, &a, &st, err);
    int runs[LANGUAGES], any = 0;
    const at_trained *best[LANGUAGES];
    for (int k = 0; k < LANGUAGES; k++) {
        best[k] = best_of(&st, k, &runs[k]);
        any += best[k] || section_of(p, rows[k].claim);
    }
    if (!s && any) {
        at_text_add(
            t,
            "<section id=\"languages\">\n<h2>Languages: built and trained</h2>\n"
            "<p>What the survey of Strobl et al. 2024 says of transformers and these languages, as weights "
            "that were "
            "checked, and as nets that were trained on whether a word is in the language (<code>attest sweep "
            "--preset languages</code>).</p>\n"
            "<div class=\"scroll\"><table class=\"wide\"><thead><tr><th>language</th><th>built</th>"
            "<th>trained</th></tr></thead>\n<tbody>\n");
        for (int k = 0; k < LANGUAGES; k++) {
            const at_report_section *c = section_of(p, rows[k].claim);
            at_text_addf(t, "<tr><td>%s</td><td>%s ", rows[k].language, rows[k].claim);
            if (c)
                at_report_verdict(t, c, false);
            else
                at_text_add(t, "not checked");
            at_text_add(t, "</td>");
            trained_html(t, best[k], runs[k]);
            at_text_add(t, "</tr>\n");
        }
        at_text_add(t, "</tbody></table></div>\n</section>\n");
    }
    at_arena_release(&a);
    return s;
}
