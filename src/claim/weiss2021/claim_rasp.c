/* CLAIM rasp: programs in RASP as average-hard or softmax attention, at constant size.
 *
 * Source: Weiss, Goldberg, Yahav 2021 ("Thinking like transformers"), whose programs these are; they give the language, an
 * interpreter, and how many layers and heads a program needs, but no weights.
 * Statement: for hist, reverse, sort, most-frequent, double-hist, dyck1, shuffle-dyck and dyck2 there are heads and MLPs whose
 * number and width do not depend on the length N, right at every position of every word of length 1..N.
 *
 * Proof: src/front/compile_rasp_attend.c and compile_rasp_select.c have it beside the weights.
 *   1. A hidden position is the key "none", with a score between those that are selected and the others.
 *   2. The width of a selector is w where "none" is always selected, and the mean of its mark is 1/(w + 1): position j = w
 *      is the one that -|j + 1 - (w + 1)|/(w + 1) chooses (languages of counts: T3).
 *   3. Comparisons are sums of products of query and key, integers, read as they are, by -|.| or by -max(0, .).
 * Differs from the paper: no sequence needs a token of its own at the start, and numbers are integers, not one-hot vectors of N
 * entries. Controls: "none" with another score; attention softmax whose scale is too small. */
#include <attest/front.h>

#include <string.h>

#include "../claim_internal.h"
#include "../shared/claim_text.h"
#include "../shared/claim_words.h"

#define UP      "up = select(indices, indices, <=);\n"
#define COUNTED "def upto(b) { return round((indices + 1) * aggregate(up, indicator(b))); }\n"
#define PROGRAMS(ROW)                                                                                        \
    ROW("hist", "alphabet a b c\nhist = selector_width(select(tokens, tokens, ==));")                        \
    ROW("reverse",                                                                                           \
        "alphabet a b c\nreverse = aggregate(select(indices, length - 1 - indices, ==), tokens);")           \
    ROW("sort", "alphabet a b c\nsorted = sort(tokens, tokens);")                                            \
    ROW("most-frequent", "alphabet a b c\nagain = has_prev(tokens);\n"                                       \
                         "most = sort(\".\" if again else tokens, 100 * indicator(again) - hist(tokens));")  \
    ROW("double-hist", "alphabet a b c\nh = hist(tokens);\nfirst = not has_prev(tokens);\n"                  \
                       "twice = selector_width(select(h, h, ==) and select(first, True, ==));")              \
    ROW("shift", "alphabet a b c\nshifted = shift(tokens, 1, \"c\");")                                       \
    ROW("dyck1", "alphabet ( )\n" UP COUNTED "d = upto(tokens == \"(\") - upto(tokens == \")\");\n"          \
                 "bad = aggregate(up, indicator(d < 0)) > 0;\n"                                              \
                 "dyck = \"F\" if bad else (\"T\" if d == 0 else \"P\");")                                   \
    ROW("shuffle-dyck", "alphabet ( ) [ ]\n" UP COUNTED                                                      \
                        "ds = [upto(tokens == p[0]) - upto(tokens == p[1]) for p in [\"()\", \"[]\"]];\n"    \
                        "bad = aggregate(up, indicator((ds[0] < 0) or (ds[1] < 0))) > 0;\n"                  \
                        "dyck = \"F\" if bad else (\"T\" if (ds[0] == 0) and (ds[1] == 0) else \"P\");")     \
    ROW("dyck2", "alphabet ( ) [ ]\npairs = [\"()\", \"[]\"];\n" UP COUNTED                                  \
                 "opens = tokens in [p[0] for p in pairs];\ncloses = tokens in [p[1] for p in pairs];\n"     \
                 "depth = upto(opens) - upto(closes);\nlevel = depth + indicator(closes);\n"                 \
                 "place = selector_width(select(level, level, ==) and up);\n"                                \
                 "partner = select(opens, True, ==) and select(level, level, ==) and\n"                      \
                 "          select(place, place - 1, ==);\n"                                                 \
                 "matched = aggregate(partner, tokens, \"-\") + tokens in pairs;\n"                          \
                 "bad = (closes and not matched) or (depth < 0);\n"                                          \
                 "dyck = \"F\" if aggregate(up, indicator(bad)) > 0 else (\"T\" if depth == 0 else \"P\");")

#define NAME(name, text) name,
static const char *const names[] = {PROGRAMS(NAME) NULL};
#define TEXT(name, text) text,
static const char *const texts[] = {PROGRAMS(TEXT)};
enum { HOW_MANY = sizeof texts / sizeof *texts };
static const char *const kinds[] = {"average-hard", "softmax", NULL};

static const at_param params[] = {
    {"program", "which program", 0, HOW_MANY - 1, 0, true, names},
    {"N", "length", 1, CLAIM_WORD_LONGEST, 6, true},
    CLAIM_WORD_MOST,
    {"attention", "how heads weigh keys", 0, 1, 0, true, kinds},
    {"none", "score of the key that stands for nothing, between 0 and 2", 1, 4, 1, true},
    {"scale", "factor on the scales of softmax", 0.001, 1, 1, false},
};

static at_problem *made[HOW_MANY];

static at_status asks(const at_params *p, const at_problem **out, at_err *err)
{
    int k = at_params_int(p, "program");
    return claim_text_asks("rasp", names[k], texts[k], &made[k], out, err);
}

static at_rasp_options options_of(const at_params *p)
{
    return (at_rasp_options){.softmax = at_params_int(p, "attention"),
                             .none = at_params_int(p, "none"),
                             .scale = at_params_get(p, "scale")};
}

static at_status program(const at_params *p, at_program **out, at_err *err)
{
    const at_problem *q;
    at_rasp_options o = options_of(p);
    at_status s = asks(p, &q, err);
    const at_rasp *r = s ? NULL : at_rasp_of(q);
    return s ? s : at_rasp_program(r, r->output_node[r->usual], claim_word_longest(p), &o, out, err);
}

static at_status model(const at_params *p, at_model *m, at_err *err)
{
    const at_problem *q;
    at_rasp_options o = options_of(p);
    at_status s = asks(p, &q, err);
    const at_rasp *r = s ? NULL : at_rasp_of(q);
    return s ? s : at_rasp_model(r, r->output_node[r->usual], claim_word_longest(p), &o, m, err);
}

#define INPUTS 20 /* at each p */

static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    at_model m;
    at_size z;
    at_status s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    at_model_size(&m, &z);
    at_model_release(&m);
    out[0] = at_params_int(p, "N");
    out[1] = z.layers;
    out[2] = z.heads;
    out[3] = z.width;
    out[4] = z.hidden;
    out[5] = (double)z.parameters;
    return claim_precision_and_size(c, p, INPUTS, threads, &out[7], &out[6], err);
}

#define SIZES(program)                                                                                       \
    "program=" program " N=8", "program=" program " N=32", "program=" program " N=128",                      \
        "program=" program " N=8 attention=softmax"
static const at_claim_table tables[] = {
    {
        .id = "size",
        .title = "what programs take, against the length: only weights grow; and the least p from which on "
                 "they hold "
                 "(" CLAIM_TEXT(INPUTS) " words at each p)",
        .columns = (const char *const[]){"N", "layers", "heads", "width", "hidden", "parameters", "largest",
                                         "least p", NULL},
        .rows = (const char *const[]){SIZES("hist"), SIZES("reverse"), SIZES("sort"), SIZES("most-frequent"),
                                      SIZES("double-hist"), SIZES("dyck1"), SIZES("shuffle-dyck"),
                                      SIZES("dyck2"), NULL},
        .quick_rows = 2,
        .row = size_row,
    },
    CLAIM_F32("dyck2, then sort by softmax: weights grow with N", "program=dyck2 N=16", "program=dyck2 N=64",
              "program=dyck2 N=256", "program=dyck2 N=1024", "program=sort attention=softmax N=16",
              "program=sort attention=softmax N=64", "program=sort attention=softmax N=256",
              "program=sort attention=softmax N=1024")};

/* Every word of at most so many letters, in the full tier and in the quick one. */
#define ALL(program, far, near)                                                                              \
    {"program=" program " N=1.." #far " most=" #far,                                                         \
     NULL,                                                                                                   \
     AT_EV_EXACT,                                                                                            \
     AT_ENUM_SEQUENCES,                                                                                      \
     "f64",                                                                                                  \
     0,                                                                                                      \
     AT_TIER_QUICK,                                                                                          \
     "program=" program " N=1.." #near " most=" #near},                                                      \
    {                                                                                                        \
        "program=" program " attention=softmax N=1.." #far " most=" #far, NULL, AT_EV_EXACT,                 \
            AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,                                                      \
            "program=" program " attention=softmax N=1.." #near " most=" #near                               \
    }
static const at_cell cells[] = {
    ALL("hist", 10, 6),
    ALL("reverse", 10, 6),
    ALL("sort", 10, 6),
    ALL("most-frequent", 10, 6),
    ALL("double-hist", 10, 6),
    ALL("shift", 10, 6),
    ALL("dyck1", 16, 10),
    ALL("shuffle-dyck", 8, 5),
    ALL("dyck2", 8, 5),
    {"program=sort N=1..7 most=100", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "program=sort N=1..5 most=100"},
    {"program=dyck2 N=1..6 most=1000", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,
     "program=dyck2 N=1..4 most=1000"},
    {"program=sort N=100", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, NULL},
    {"program=most-frequent N=100", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, NULL},
    {"program=dyck2 N=100", NULL, AT_EV_SAMPLED, 0, "f64", 100, AT_TIER_QUICK, NULL},
    {"program=hist N=100", NULL, AT_EV_SAMPLED, 0, "f32", 100, AT_TIER_QUICK, NULL},
    {"program=sort N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 10, AT_TIER_FULL, NULL},
    {"program=dyck2 N=1000", NULL, AT_EV_SAMPLED, 0, "f64", 10, AT_TIER_FULL, NULL},
    {"program=hist attention=softmax N=1000", NULL, AT_EV_SAMPLED, 0, "f32", 10, AT_TIER_FULL, NULL},
    {"program=shift N=1..4 most=4", "none=3", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"program=hist N=1..4 most=4", "none=3", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL},
    {"program=sort attention=softmax N=4..5 most=5", "scale=0.01", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0,
     AT_TIER_QUICK, NULL},
};

const at_claim claim_rasp = {
    .id = "rasp",
    .title =
        "Programs in RASP are attention of constant size: hist, reverse, sort, most-frequent, Dyck languages",
    .source = "Weiss, Goldberg, Yahav 2021",
    .group = "Languages",
    .statement = "For hist, reverse, sort, most-frequent, double-hist, dyck1, shuffle-dyck and dyck2 there "
                 "are average-hard, and "
                 "softmax, heads and MLPs, in number and width the same for every length N, that are right "
                 "at every position of "
                 "every word of length 1..N.",
    .proof =
        "A hidden position is the key \"none\", scored between what is selected and the rest; where it is "
        "always "
        "selected, the mean of its mark is 1/(w + 1), and the position w that this names holds the width w. "
        "Selectors are sums of products of query and key, read as they are, by -|.| or by -max(0, .).",
    .asks = asks,
    .decoder = model,
    CLAIM_FIELDS,
    CLAIM_TABLES,
    .look = "cabca",
    .look_params = "program=sort N=8",
};
