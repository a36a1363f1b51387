/* report_files.c: claims that came from files: the ledger has what they say beside their verdicts (src/job/detail.c). */
#include "report_internal.h"

#include <attest/claim.h>

#include <string.h>

static const char *text_of(const char *s)
{
    return s ? s : "";
}

static bool is_known(const at_report_claim *claims, int n, const char *id)
{
    for (int k = 0; k < n; k++)
        if (!strcmp(claims[k].id, id))
            return true;
    return at_claim_find(id) != NULL;
}

at_status at_report_files(const at_row *rows, size_t n, at_arena *a, at_report_claim *claims, int *n_claims,
                          at_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *id = rows[i].key.subject;
        if (!id || !rows[i].rec.detail || !strstr(rows[i].rec.detail, "\"claim\":") ||
            is_known(claims, *n_claims, id))
            continue;
        at_finding f;
        at_status s = at_finding_of_row(&rows[i], a, &f, err);
        if (s)
            return s;
        const at_claim_detail *said = f.kind == AT_FINDING_VERDICT ? f.verdict.claim : NULL;
        if (!said)
            continue;
        at_report_claim *c = &claims[(*n_claims)++];
        *c = (at_report_claim){.id = at_arena_strdup(a, id),
                               .title = text_of(said->title),
                               .source = text_of(said->source),
                               .statement = text_of(said->statement),
                               .proof = text_of(said->proof),
                               .program = text_of(said->text),
                               .repeat = said->repeat,
                               .group = said->text && *said->text ? "Claims from files" : "Questions",
                               .file = true,
                               .asked = said->text && !*said->text};
        if (!c->id)
            return at_oom(err);
    }
    return AT_OK;
}
