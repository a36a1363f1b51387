/* places.c: where problems lie among circuit classes and in the Chomsky hierarchy: a row a problem, with the reason for each end.
 *
 * A row says the least class that is known to have the problem and the greatest that is known not to; between them it is open. Reasons
 * are theorems, by author and year, or one line where a line is a proof. What this library has built or refuted about the problem are
 * the claims of the catalogue that name it (at_task_place_claims), and those that the row adds.
 *
 * Inclusions: AC0 < ACC0 <= TC0 <= NC1 (the first is strict: parity); regular < context-free < context-sensitive < all. */
#include <attest/report.h>

#include <string.h>

const char *const at_class_names[AT_CLASSES] = {"AC0", "ACC0", "TC0", "NC1", "beyond NC1"};
const char *const at_chomsky_names[AT_CHOMSKYS] = {"regular", "context-free", "context-sensitive",
                                                   "computable"};

#define IN_AC0(why)                                                                                          \
    {                                                                                                        \
        AT_CLASS_AC0, -1, false, why, NULL                                                                   \
    }
#define NO_WORDS                                                                                             \
    {                                                                                                        \
        -1, -1, false, NULL, NULL                                                                            \
    } /* no language: answers at positions, or numbers */
#define SMALL "one gate for each guess of the other positions; sums of few numbers of log N bits are in AC0"
#define HALF                                                                                                 \
    "a^n w b^n is balanced, n = |w|, exactly when w has as many a as b: exact counts, hence majority, "      \
    "reduce to it"
#define NOT_PARITY "Ajtai 1983; Furst, Saxe, Sipser 1984; Hastad 1986"
#define PREFIXES   "compare counts of all prefixes: threshold gates"
#define NOT_MAJORITY                                                                                         \
    "parity is an or of exact counts, each two majorities; and it is not (Furst, Saxe, Sipser 1984)"

static const at_task_place places[] = {
    {.problem = "parity",
     .about = "words with an odd number of ones",
     .circuit = {AT_CLASS_ACC0, AT_CLASS_AC0, false, "one gate that counts modulo 2", NOT_PARITY},
     .chomsky = {AT_CHOMSKY_REGULAR, -1, false, "an automaton of two states", NULL},
     .claims = {"foc", "fo-extract"}},
    {.problem = "majority",
     .about = "words with more ones than zeros",
     .circuit = {AT_CLASS_TC0, AT_CLASS_AC0, true, "one gate; all of TC0 is made of it", NOT_MAJORITY},
     .chomsky = {AT_CHOMSKY_FREE, AT_CHOMSKY_REGULAR, false, "a stack as a counter",
                 "1^n for different n need different states"},
     .claims = {"crasp"}},
    {.problem = "dyck",
     .about = "brackets closed in the order of a stack, at any depth (D = 0)",
     .circuit = {AT_CLASS_TC0, AT_CLASS_AC0, true, "Barrington, Corbett 1989", HALF},
     .chomsky = {AT_CHOMSKY_FREE, AT_CHOMSKY_REGULAR, false, "S = (S)S | [S]S | empty",
                 "(^n for different n need different states"},
     .claims = {"crasp"}},
    {.problem = "shuffle-dyck",
     .about = "brackets of k >= 2 kinds, each balanced for itself",
     .circuit = {AT_CLASS_TC0, AT_CLASS_AC0, true, PREFIXES, HALF},
     .chomsky = {AT_CHOMSKY_SENSITIVE, AT_CHOMSKY_FREE, false, "two counters of log n bits",
                 "with (*[*)*]* it is (^n [^m )^n ]^m, which no stack has (pumping)"},
     .claims = {"crasp"}},
    {.problem = "match2",
     .about = "is there a partner that sums to 0 modulo M?",
     .circuit = IN_AC0(SMALL),
     .chomsky = NO_WORDS},
    {.problem = "match3",
     .about = "are there two partners that sum to 0 modulo M?",
     .circuit = IN_AC0(SMALL),
     .chomsky = NO_WORDS},
    {.problem = "match3-bigram",
     .about = "is there a partner that is a pair of neighbours?",
     .circuit = IN_AC0(SMALL),
     .chomsky = NO_WORDS},
    {.problem = "match3-local",
     .about = "are there two partners in a window?",
     .circuit = IN_AC0(SMALL),
     .chomsky = NO_WORDS},
    {.problem = "max",
     .about = "the largest of N numbers",
     .circuit = IN_AC0("compare all pairs"),
     .chomsky = NO_WORDS},
    {.problem = "copy",
     .about = "the value at a position that is named",
     .circuit = IN_AC0("one gate for each position"),
     .chomsky = NO_WORDS},
    {.problem = "copy-rating",
     .about = "the value of the best match",
     .circuit = IN_AC0("compare all pairs"),
     .chomsky = NO_WORDS},
    {.problem = "triangle",
     .about = "does a directed triangle go through the vertex?",
     .circuit = IN_AC0("one gate for each triangle"),
     .chomsky = NO_WORDS},
    {.problem = "next-word",
     .about = "the next word of an n-gram model, n fixed",
     .circuit = IN_AC0("a table of the last n - 1 words"),
     .chomsky = NO_WORDS},
    {.problem = "compose",
     .about = "k functions one after the other, k fixed",
     .circuit =
         IN_AC0("k look-ups, one after the other; k that grows is complete for L (Cook, McKenzie 1987)"),
     .chomsky = NO_WORDS,
     .claims = {"compose-chain", "compose-bound", "compose-cot"}},
    {.problem = "funccomp",
     .about = "L-sequential composition, L fixed",
     .circuit = IN_AC0("L look-ups, one after the other"),
     .chomsky = NO_WORDS,
     .claims = {"funccomp-params", "arcomm", "indistinguishable"}},
    {.problem = "qsa",
     .about = "the mean of q of N vectors, q that grows",
     .circuit = {AT_CLASS_TC0, AT_CLASS_AC0, false,
                 "sums of many numbers (Chandra, Stockmeyer, Vishkin 1984)",
                 "counting ones is such a sum, and parity is its last bit"},
     .chomsky = NO_WORDS,
     .claims = {"qsa-attention-hard", "qsa-fnn-hard", "qsa-rnn-hard", "qsa-train"}},
    {.problem = "arithmetic",
     .about = "expressions with a given value modulo p",
     .circuit = {AT_CLASS_NC1, AT_CLASS_AC0, true,
                 "Buss, Cook, Gupta, Ramachandran 1992; Boolean formulas are complete (Buss 1987): and is a "
                 "product, not is 1 - x",
                 "it has parity, as a sum modulo 2 or a product of signs modulo p > 2"},
     .chomsky = {AT_CHOMSKY_FREE, AT_CHOMSKY_REGULAR, false, "a stack of values modulo p",
                 "brackets nest to any depth"},
     .claims = {"arith-standard", "arith-sparse", "arith-hard"}},
    {.problem = "lis",
     .about = "a longest increasing subsequence",
     .circuit = {AT_CLASS_BEYOND, AT_CLASS_AC0, false, "longest paths: NL, in NC2",
                 "a 0, then each one as its position and each zero as 0: its length counts ones, majority "
                 "reduces to it"},
     .chomsky = NO_WORDS,
     .claims = {"dp-standard", "dp-linear", "dp-sparse", "dp-hard", "reasoning-train"}},
};

const at_task_place *at_task_place_find(const char *problem)
{
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (!strcmp(places[k].problem, problem))
            return &places[k];
    return NULL;
}

const at_task_place *at_task_place_at(int k)
{
    return k >= 0 && (size_t)k < sizeof places / sizeof *places ? &places[k] : NULL;
}

at_tri at_lies_in(const at_lies *s, int class)
{
    if (s->least < 0)
        return AT_UNKNOWN;
    return class >= s->least ? AT_TRUE : class <= s->not_in ? AT_FALSE : AT_UNKNOWN;
}

int at_task_place_claims(const char *problem, const at_claim **out, int most)
{
    int n = 0;
    const at_task_place *p = at_task_place_find(problem);
    for (int k = 0; k < at_n_catalogue && n < most; k++)
        if (at_catalogue[k]->task && !strcmp(at_catalogue[k]->task, problem))
            out[n++] = at_catalogue[k];
    for (int i = 0; p && i < AT_PLACE_CLAIMS && p->claims[i] && n < most; i++) {
        const at_claim *c = at_claim_find(p->claims[i]);
        bool there = false;
        for (int k = 0; k < n; k++)
            there = there || out[k] == c;
        if (c && !there)
            out[n++] = c;
    }
    return n;
}

at_lies at_language_lies(const at_place *p)
{
    at_lies out = {AT_CLASS_NC1, -1, false, "an automaton: products in its monoid, as a tree", NULL};
    if (p->fo_mod == AT_TRUE)
        return (at_lies){AT_CLASS_AC0, -1, false, "FO[<, MOD] (Barrington, Compton, Straubing, Therien 1992)",
                         NULL};
    if (p->fo_mod == AT_FALSE) {
        out.not_in = AT_CLASS_AC0;
        out.why_not = "not in FO[<, MOD] (Barrington, Compton, Straubing, Therien 1992)";
    }
    if (p->solvable == AT_TRUE) {
        out.least = AT_CLASS_ACC0;
        out.why_in = "its groups are solvable (Barrington, Therien 1988)";
    } else if (p->solvable == AT_FALSE) {
        out.complete = true;
        out.why_in = "a group that is not solvable (Barrington 1989)";
    }
    return out;
}

at_lies at_model_lies(const at_model *m)
{
    bool sums = false, states = false;
    if (m->decode.enabled)
        return (at_lies){AT_CLASS_BEYOND, -1, false,
                         "a decoder that writes: as many steps as rows, P where these are polynomially many "
                         "(Merrill, Sabharwal 2024)",
                         NULL};
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *x = &m->blocks[b];
        states = states || x->kind == AT_BLOCK_RNN;
        sums = sums || x->kind == AT_BLOCK_FLATTEN;
        for (int g = 0; x->kind == AT_BLOCK_ATTN && g < x->n_groups; g++)
            sums = sums || !(at_weighting_parts[x->groups[g].weighting].is & AT_IS_ONE);
    }
    if (states)
        return (at_lies){
            AT_CLASS_BEYOND, -1, false,
            "a recurrent state of log N bits that is carried from letter to letter: logarithmic space", NULL};
    if (sums)
        return (at_lies){AT_CLASS_TC0, -1, false,
                         "sums of numbers of log N bits, a fixed number of layers (Merrill, Sabharwal 2023)",
                         NULL};
    return (at_lies){AT_CLASS_AC0, -1, false,
                     "unique-hard attention, a fixed number of layers (Hao, Angluin, Frank 2022)", NULL};
}
