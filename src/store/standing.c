/* standing.c: what rows say together, and how much each rests on. Whoever sums up verdicts (the terminal, JSON, the
 * report, the exit code) does it here, so that no two of them can differ. */
#include <attest/store.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
    return a && !strcmp(a, b);
}

bool at_row_is_control(const at_row *r)
{
    return same(r->rec.role, "control");
}

bool at_row_is_trained(const at_row *r)
{
    return same(r->rec.role, "trained");
}

/* Roles that speak of no claim: measurements, trained networks, somebody's model that was refuted or not. */
static bool aside(const at_row *r)
{
    static const char *const roles[] = {"table", "trained", "refutation"};
    for (size_t k = 0; k < sizeof roles / sizeof *roles; k++)
        if (same(r->rec.role, roles[k]))
            return true;
    return false;
}

at_standing at_row_standing(const at_row *r)
{
    bool control = at_row_is_control(r);
    if (aside(r) || (control && same(r->rec.verdict, "idle")))
        return AT_ABSENT;
    if (same(r->rec.verdict, control ? "fails" : "holds"))
        return AT_STANDS;
    return same(r->rec.verdict, control ? "holds" : "fails") ? AT_FALLS : AT_OPEN;
}

void at_tally_add(at_tally *t, const at_row *r)
{
    if (!aside(r))
        t->n[at_row_is_control(r)][at_row_standing(r)]++;
}

at_standing at_tally_role(const at_tally *t, bool control)
{
    const int *n = t->n[control];
    return n[AT_FALLS] ? AT_FALLS : n[AT_OPEN] ? AT_OPEN : n[AT_STANDS] ? AT_STANDS : AT_ABSENT;
}

at_standing at_tally_standing(const at_tally *t)
{
    at_standing cells = at_tally_role(t, false), controls = at_tally_role(t, true);
    if (cells == AT_FALLS || controls == AT_FALLS)
        return AT_FALLS;
    if (cells == AT_OPEN || controls == AT_OPEN)
        return AT_OPEN;
    return cells;
}

const char *at_tally_word(const at_tally *t)
{
    at_standing all = at_tally_standing(t);
    bool cell = at_tally_role(t, false) == all;
    switch (all) {
    case AT_STANDS:
        return "holds";
    case AT_FALLS:
        return cell ? "fails" : "control not rejected";
    case AT_OPEN:
        return cell ? "unknown" : "control undecided";
    case AT_ABSENT:
        return "not checked";
    }
    return "unknown";
}

at_standing at_standing_of_all(const at_standing *one, size_t n)
{
    at_standing all = n ? AT_STANDS : AT_ABSENT;
    for (size_t i = 0; i < n; i++)
        all = one[i] == AT_FALLS || all == AT_FALLS ? AT_FALLS : one[i] != AT_STANDS ? AT_OPEN : all;
    return all;
}

/* ---- strength ------------------------------------------------------------------------------------------ */

const char *const at_strength_signs[AT_STRENGTHS] = {"?", "\xE2\x97\x8B", "\xE2\x97\x90", "\xE2\x97\x8F",
                                                     "\xE2\x96\xA0"}; /* ? ○ ◐ ● ■ */
const char *const at_strength_names[AT_STRENGTHS] = {"none", "one", "some", "all", "proof"};

at_strength at_row_strength(const at_row *r)
{
    const at_record *c = &r->rec;
    if (same(c->verdict, "fails") && same(c->evidence, "refuted"))
        return AT_STRENGTH_ALL; /* one input that is wrong decides it */
    if (!same(c->verdict, "holds") && !same(c->verdict, "fails") && !same(c->verdict, "idle"))
        return AT_STRENGTH_NONE;
    if (same(c->evidence, "certified"))
        return AT_STRENGTH_PROOF;
    if (same(c->evidence, "exact"))
        return AT_STRENGTH_ALL;
    return !c->inputs ? AT_STRENGTH_NONE : c->inputs == 1 ? AT_STRENGTH_ONE : AT_STRENGTH_SOME;
}

/* 1771561 as 1,771,561, from five digits on. */
static void count_text(uint64_t n, char out[32])
{
    char digits[24];
    int k = snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;
    for (int i = 0; i < k; i++) {
        if (i && (k - i) % 3 == 0 && k > 4)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

void at_row_evidence(const at_row *r, const char *noun, char out[AT_EVIDENCE_TEXT])
{
    const char *word = r->rec.evidence && *r->rec.evidence ? r->rec.evidence : "no evidence";
    uint64_t n = r->rec.inputs;
    if (!n)
        snprintf(out, AT_EVIDENCE_TEXT, "%.24s", word);
    else if (n >= INT64_MAX)
        snprintf(out, AT_EVIDENCE_TEXT, "%.24s, all %.16ss", word, noun);
    else {
        char count[32];
        count_text(n, count);
        snprintf(out, AT_EVIDENCE_TEXT, "%.24s, %s %.16s%s", word, count, noun, n == 1 ? "" : "s");
    }
}
