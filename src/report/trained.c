/* trained.c: one ledger row of role "trained".
 *
 * Ledgers are foreign. The codec (at_finding_read) has checked the numbers; here it is seen that the words are ours and that
 * the verdict agrees with the accuracy. A row that is not as it should be is broken, with the first reason in words;
 * nothing of it is used, it is only shown. */
#include "report_internal.h"

#include <stdio.h>
#include <string.h>

static int word_find(const char *s, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(s, words[i]))
            return i;
    return -1;
}

/* False: out of memory. */
static bool broken(at_trained *t, at_arena *a, const char *why)
{
    t->broken = at_arena_strdup(a, why);
    return t->broken != NULL;
}

bool at_trained_read(const at_row *row, const char *build, at_arena *a, at_trained *out)
{
    static const char *const marks[] = {"silent", "constructible", "impossible"};
    *out = (at_trained){.row = row, .task = row->key.subject ? row->key.subject : ""};
    out->other_build = !build || !row->key.build || strcmp(build, row->key.build);
    at_finding f;
    if (at_finding_read(AT_FINDING_TRAINING, row->rec.detail, a, &f, NULL))
        return false;
    out->broken = f.broken;
    if (f.broken)
        return true;
    int attention = word_find(f.training.attention, at_attention_names, AT_TRAINED_ATTENTIONS);
    int mark = word_find(f.training.mark, marks, 3);
    if (attention < 0) {
        char why[96] = "attention is none of";
        size_t used = strlen(why);
        for (int i = 0; i < AT_TRAINED_ATTENTIONS; i++)
            used +=
                (size_t)snprintf(why + used, sizeof why - used, "%s %s", i ? "," : "", at_attention_names[i]);
        return broken(out, a, why);
    }
    const char *v = row->rec.verdict;
    bool reached = f.training.answer >= AT_STUDY_REACHED;
    if (!v || strcmp(v, reached ? "holds" : "fails"))
        return broken(out, a,
                      reached ? "verdict is not holds, yet the answers reach 90%"
                              : "verdict is not fails, yet the answers do not reach 90%");
    out->attention = (at_attention_kind)attention;
    out->mark = (at_theory)mark;
    out->d = f.training;
    return true;
}
