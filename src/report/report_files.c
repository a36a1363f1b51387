/* report_files.c: claims that came from files: the ledger has what they say beside their verdicts (src/job/detail.c). */
#include "report_internal.h"

#include <attest/claim.h>

#include <jansson.h>
#include <string.h>

static const char *text_of(json_t *o, const char *key, at_arena *a)
{
    const char *s = json_string_value(json_object_get(o, key));
    return at_arena_strdup(a, s ? s : "");
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
        json_t *o = json_loads(rows[i].rec.detail, 0, NULL), *said = json_object_get(o, "claim");
        at_report_claim *c = &claims[*n_claims];
        if (json_is_object(said)) {
            *c = (at_report_claim){.id = at_arena_strdup(a, id),
                                   .title = text_of(said, "title", a),
                                   .source = text_of(said, "source", a),
                                   .statement = text_of(said, "statement", a),
                                   .proof = text_of(said, "proof", a),
                                   .program = text_of(said, "text", a),
                                   .group = "Claims from files",
                                   .file = true};
            ++*n_claims;
        }
        json_decref(o);
        if (c->id && (!c->title || !c->source || !c->statement || !c->proof || !c->program))
            return at_oom(err);
    }
    return AT_OK;
}
