/* CLAIM crasp-equal: whether two counting programs are the same is decided for words of all lengths.
 *
 * Source: the programs are C-RASP (Yang, Chiang 2024, "Counting like transformers"); that peers verify them, through Lustre and Kind 2, is
 * arXiv 2602.16473.
 * Statement: of the pairs at hand, a C-RASP program and another or a regular expression, those that are equal on words of all lengths are proved so,
 * by an invariant that a second query shows again, and of the others a shortest word on which they differ is found. In general the question is
 * not decidable: "unknown" is an answer, and never counts.
 *
 * Proof: src/prove has it beside the code, docs/prove.md in words: search of states breadth first; equations and bounds of counts in each region that
 *   the comparisons cut out; k steps of induction; Spacer. The word of a refutation is run again, by what formulas mean.
 *   Where this build has no Z3 (libz3-dev) pairs that need it are left out, and the note says how many.
 * Control: each pair with the second program off by one (off=1): a word is found, so none of them is equal. */
#include "../claim_internal.h"

#include <attest/lang.h>
#include <attest/prove.h>

#include <string.h>

static const at_param params[] = {{"off", "1: the second program of each pair is off by one", 0, 1, 0, true}};

/* b, off: a program, or "/" and a regular expression. */
typedef struct {
    const char *name, *letters, *a, *b, *off;
} pair;

static const pair pairs[] = {
    {"brackets, never behind, two ways", "a b", "accept end\n#[#[Q_a] < #[Q_b]] = 0 & #[Q_a] = #[Q_b]",
     "accept end\n#[#[Q_a] >= #[Q_b]] = #[1] & #[Q_a] = #[Q_b]",
     "accept end\n#[#[Q_a] + 1 < #[Q_b]] = 0 & #[Q_a] = #[Q_b]"},
    {"brackets by their closing ones", "a b", "accept end\n#[#[Q_a] < #[Q_b]] = 0 & #[Q_a] = #[Q_b]",
     "accept end\n#[Q_b & #[Q_a] < #[Q_b]] = 0 & #[Q_a] = #[Q_b]",
     "accept end\n#[Q_b & #[Q_a] < #[Q_b]] = 0 & #[Q_a] <= #[Q_b] + 1"},
    {"(ab)* by differences", "a b",
     "accept end\n#[#[Q_a] < #[Q_b]] = 0 & #[#[Q_a] > #[Q_b] + 1] = 0 & #[Q_a] = #[Q_b]", "/(ab)*", "/(ab)+"},
    {"a^n b^n two ways", "a b", "accept end\n#[Q_a & #[Q_b] > 0] = 0 & #[Q_a] = #[Q_b]",
     "accept end\n#[Q_a & #[Q_b] = 0] = #[Q_b] & #[Q_a & #[Q_b] = 0] = #[Q_a]",
     "accept end\n#[Q_a & #[Q_b] > 1] = 0 & #[Q_a] = #[Q_b]"},
    {"a^n b^n c^n, b and c in turn", "a b c",
     "accept end\n#[Q_a & #[Q_b] + #[Q_c] > 0 | Q_b & #[Q_c] > 0] = 0 & #[Q_a] = #[Q_b] & #[Q_b] = #[Q_c]",
     "accept end\n#[Q_a & #[Q_b] + #[Q_c] > 0 | Q_b & #[Q_c] > 0] = 0 & #[Q_a] = #[Q_c] & #[Q_b] = #[Q_a]",
     "accept end\n#[Q_a & #[Q_b] + #[Q_c] > 0 | Q_b & #[Q_c] > 1] = 0 & #[Q_a] = #[Q_b] & #[Q_b] = #[Q_c]"},
    {"majority and twice the length", "a b", "#[Q_a] > #[Q_b]", "2 #[Q_a] > #[1]", "2 #[Q_a] >= #[1]"},
    {"a third", "a b", "3 #[Q_a] >= #[1]", "2 #[Q_a] >= #[Q_b]", "2 #[Q_a] > #[Q_b]"},
    {"more often ahead than behind", "a b", "#[#[Q_a] > #[Q_b]] > #[#[Q_a] < #[Q_b]]",
     "#[!(#[Q_a] <= #[Q_b])] >= 1 + #[!(#[Q_a] >= #[Q_b])]", "#[#[Q_a] > #[Q_b]] >= #[#[Q_a] < #[Q_b]]"},
    {"three a at least", "a b", "accept end\n#[Q_a] >= 3", "/b*ab*ab*a.*", "/b*ab*a.*"},
    {"no a behind a b", "a b", "accept end\n#[Q_a & #[Q_b] > 0] = 0", "/a*b*", "/a*b+"},
    {"a second letter that is a", "a b", "#[Q_a & #[1] = 2] = 1", "/.a.*", "/..a.*"},
    {"at most two b, both at the end", "a b", "accept end\n#[Q_a & #[Q_b] > 0] = 0 & #[Q_b] <= 2",
     "/a*(()|b|bb)", "/a*(()|b)"},
};

static at_status side_read(const pair *p, const char *text, at_arena *a, const at_formulas **f,
                           const at_dfa **d, at_err *err)
{
    at_alphabet sigma, used;
    at_formulas *program;
    at_regex *e;
    at_dfa *least;
    int longest;
    if (*text != '/') {
        char *all = at_arena_printf(a, "alphabet %s\n%s\n", p->letters, text);
        at_status s = all ? at_crasp_read(all, p->name, a, &program, &longest, err) : at_oom(err);
        *f = s ? NULL : program;
        return s;
    }
    at_status s = at_alphabet_parse(p->letters, a, &sigma, err);
    if (!s)
        s = at_regex_parse(text + 1, &sigma, NULL, 1, 1, a, &e, &used, err);
    if (!s)
        s = at_regex_dfa(e, &used, a, &least, err);
    *d = s ? NULL : least;
    return s;
}

typedef struct {
    int proved, refuted, unknown, left;
    int way[AT_PROVE_WAYS];
    const char *why; /* a word, or what was reached */
} tally;

/* What a says of the word, by what formulas mean, is what the proof says it says. */
static at_status word_again(const at_prove_question *q, const at_proof *r, bool *right, at_err *err)
{
    at_tri says;
    at_status s = at_formulas_run(q->a, r->word, r->n_word, &says, err);
    *right = !s && (says == AT_TRUE) == r->says[0] && r->says[0] != r->says[1];
    if (!s && q->language)
        *right = *right && at_dfa_accepts(q->language, r->word, r->n_word) == r->says[1];
    if (s || q->language)
        return s;
    s = at_formulas_run(q->b, r->word, r->n_word, &says, err);
    *right = *right && !s && (says == AT_TRUE) == r->says[1];
    return s;
}

/* The other side as lines, for whoever writes down what the verdict rests on: words to SHOWN letters; where they differ, the word. */
enum { SHOWN = 7 };

static at_status pair_show(const pair *p, const char *other, const at_proof *r, const at_check_env *env,
                           at_arena *a, at_err *err)
{
    bool regex = *other == '/';
    char *text = at_arena_printf(a, "alphabet %s\n%s\n", p->letters, p->a),
         *lines = at_arena_strdup(a, other + regex);
    double *x = at_new(a, double, r->n_word + 1);
    if (!text || !lines || !x)
        return at_oom(err);
    at_text more;
    at_text_init(&more);
    at_text_addf(&more, ", \"other\": {\"language\": \"%s\", \"lines\": [\"alphabet %s\"",
                 regex ? "regex" : "crasp", p->letters);
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
        at_text_addf(&more, ", \"%s\"", line);
    at_text_add(&more, "]}");
    for (int i = 0; i < r->n_word; i++)
        x[i] = r->word[i];
    at_input word = {r->n_word, x};
    at_witness w = {.kind = "equal",
                    .language = "crasp",
                    .text = text,
                    .least = r->words == AT_WORDS_END ? 0 : 1,
                    .most = SHOWN,
                    .x = &word,
                    .n = r->holds == AT_FALSE,
                    .more = more.s};
    at_status s = more.oom ? at_oom(err) : env->witness(env->ctx, &w, err);
    at_text_release(&more);
    return s;
}

static at_status pair_try(const pair *p, bool off, const at_check_env *env, tally *t, at_arena *a,
                          at_err *err)
{
    at_prove_question q = {.what = AT_PROVE_EQUAL};
    at_proof r;
    bool right = true;
    at_status s = side_read(p, p->a, a, &q.a, &q.language, err);
    if (!s)
        s = side_read(p, off ? p->off : p->b, a, &q.b, &q.language, err);
    if (!s)
        s = at_prove(&q, a, &r, err);
    if (!s && r.holds == (off ? AT_FALSE : AT_TRUE) && env && env->witness)
        s = pair_show(p, off ? p->off : p->b, &r, env, a, err);
    if (s)
        return s;
    if (r.holds == AT_UNKNOWN && r.lacks) {
        t->left++;
        return AT_OK;
    }
    t->way[r.way]++;
    if (r.holds == AT_TRUE) {
        t->proved++;
        if (r.invariant.n && r.rechecked != AT_TRUE)
            return at_fail(err, AT_EREFUSED, "%s: an invariant is not shown again; this is a fault of attest",
                           p->name);
        return AT_OK;
    }
    if (r.holds == AT_UNKNOWN) {
        t->unknown++;
        t->why = at_arena_printf(a, "%s: unknown: %s", p->name, r.note);
        return t->why ? AT_OK : at_oom(err);
    }
    s = word_again(&q, &r, &right, err);
    if (s || !right)
        return s ? s
                 : at_fail(err, AT_EREFUSED, "%s: a word that is no witness; this is a fault of attest",
                           p->name);
    at_text w;
    at_text_init(&w);
    at_alphabet_print(&q.a->sigma, r.word, r.n_word, &w);
    t->refuted++;
    t->why = w.oom ? NULL : at_arena_printf(a, "%s: they differ on %s", p->name, w.s);
    at_text_release(&w);
    return t->why ? AT_OK : at_oom(err);
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    bool off = at_params_int(p, "off");
    tally t = {0};
    at_status s = AT_OK;
    (void)limit, (void)seed;
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    for (int k = 0; k < COUNT(pairs) && !s; k++)
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                : pair_try(&pairs[k], off, env, &t, a, err);
    if (s)
        return s;
    out->inputs = (uint64_t)(t.proved + t.refuted);
    /* All off by one are refuted, or the control has let one pass. */
    out->holds = off                      ? t.proved                  ? AT_TRUE
                                            : t.unknown || !t.refuted ? AT_UNKNOWN
                                                                      : AT_FALSE
                 : t.refuted              ? AT_FALSE
                 : t.unknown || !t.proved ? AT_UNKNOWN
                                          : AT_TRUE;
    if (t.left)
        out->note =
            at_arena_printf(a, "%d proved, %d refuted; %d pairs left out: this build has no Z3 (libz3-dev)",
                            t.proved, t.refuted, t.left);
    else if (t.why && !off)
        out->note = t.why;
    else
        out->note = at_arena_printf(
            a, "%d pairs proved, %d refuted, %d unknown; by search %d, regions %d, induction %d, Spacer %d",
            t.proved, t.refuted, t.unknown, t.way[AT_BY_SEARCH], t.way[AT_BY_REGIONS], t.way[AT_BY_INDUCTION],
            t.way[AT_BY_SPACER]);
    return out->note ? AT_OK : at_oom(err);
}

static const at_cell cells[] = {
    {"off=0", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"off=0", "off=1", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_crasp_equal = {
    .id = "crasp-equal",
    .title = "Whether two counting programs are the same is decided for words of all lengths",
    .source = "Yang, Chiang 2024 (C-RASP); arXiv 2602.16473 (its verification)",
    .group = "Languages",
    .statement = "Of pairs of a C-RASP program and another, or a regular expression, those that are equal "
                 "are proved so "
                 "for words of all lengths, and of the others a shortest word is found.",
    .proof = "By search, by equations and bounds of counts in each region that comparisons cut out, by "
             "induction and by "
             "Spacer; every invariant is shown again by a second query, every word is run again.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
