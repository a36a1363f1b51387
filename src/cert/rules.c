/* rules.c: what the tasks of the catalogue ask, as text that a verifier can read (docs/certfile.md has the grammar).
 *
 * A task is C. A certificate must say what is right without it, so each task that has one gets its definition again, as a rule
 * over the input x[1..N] and the parameters: the answer at position i, or once for the whole input. That the two agree is what
 * every verification of a certificate shows anew. A task without a row here has no certificate. */
#include "cert_internal.h"

#include <string.h>

#define PARTNER2 "(x[i] + x[j]) mod M == 0"
#define PARTNER3 "(x[i] + x[j] + x[k]) mod M == 0"
#define BLOCK    "(sum k in 1..n: 2*(k-1)*n + 1 <= 2 * x[i,1])" /* of the integer near x, from 1 */

/* funccomp: N_l = m n_1 ... n_l; the tables of z_L, ..., z_1 follow each other; w_l is a digit of the last token. */
#define FACTOR(K, L) " * (if " L " >= " #K " then n" #K " else 1)"
#define SIZE(L)      "(m" FACTOR(1, L) FACTOR(2, L) FACTOR(3, L) FACTOR(4, L) FACTOR(5, L) ")"
#define DIGIT(L)     "(x[N] mod (" SIZE(L) " / m) - x[N] mod (" SIZE(L "-1") " / m)) / (" SIZE(L "-1") " / m)"

/* linear attention: phi(q_i) . phi(k_j), phi(x) = x + 1 or exp(x) */
#define PHI(X) "(if " X " > 0 then " X " + 1 else exp(" X "))"
#define ALIKE  "(sum e in 1..d: " PHI("x[i,e]") " * " PHI("x[j,d+e]") ")"
/* of the last n - 1 words, or fewer: the number of the row */
#define SEEN    "min(N, n-1)"
#define HISTORY "1 + (sum l in 0.." SEEN "-1: W**l) + (fold v = 0 for l in N-" SEEN "+1..N: v*W + x[l,1])"

static const struct {
    const char *task, *rule;
} rules[] = {
    {"match2", "any j in 1..N: " PARTNER2},
    {"match3", "any j in 1..N: any k in 1..N: " PARTNER3},
    {"match3-bigram", "any j in 1..N-1: (x[i] + x[j] + x[j+1]) mod M == 0"},
    {"match3-local", "any j in max(1, i-K)..min(N, i+K): any k in max(1, i-K)..min(N, i+K): " PARTNER3},
    {"max", "fold v = 0 for j in 1..N: max(v, x[j])"},
    {"majority", "2 * (sum j in 1..N: x[j]) > N"},
    {"parity", "(sum j in 1..N: x[j]) mod 2 == 1"},
    /* v is the stack: a digit 1, 3, .. of base 2k an open bracket; -1: it does not match, or is too deep */
    {"dyck", "(fold v = 0 for j in 1..N: if v < 0 then v"
             " else if x[j] mod 2 == 0 then (if D > 0 and v >= (2*k)**(D-1) then -1 else v*2*k + x[j] + 1)"
             " else if v mod (2*k) == x[j] then (v - x[j]) / (2*k) else -1) == 0"},
    {"shuffle-dyck", "all t in 0..k-1: (fold v = 0 for l in 1..N:"
                     " if v < 0 then v else v + (x[l] == 2*t) - (x[l] == 2*t+1)) == 0"},
    {"compose", "fold v = x[N] for t in 1..k: x[(t-1)*n + v + 1]"},
    /* reals: coordinate c of the answer */
    {"product", "x[i,1] * x[i,2]"},
    {"selection", "if x[i,2*d+1] > 0 then x[i,c] else x[i,d+c]"},
    {"prefix-mask", "if onehot == 1 then 2 * abs(c - x[i,1]) < 1 else 2 * c <= 2 * x[i,1] + 1"},
    {"suffix-mask", "2 * c >= 2 * x[i,1] - 1"},
    {"block-index",
     "if c == 1 then " BLOCK " else if c == 2 then " BLOCK " - 1 else n - " BLOCK " * n + x[i,1]"},
    {"qsa", "(sum k in 1..q: x[x[i,d+k],c]) / q"},
    {"copy", "x[x[i,2],1]"},
    {"copy-rating", "sum j in 1..i: x[j,1] * (x[j,3] == x[i,4] and all l in 1..i: x[l,3] != x[i,4] or x[l,5] "
                    "< x[j,5] or l == j)"},
    {"block-mean", "if x[i,2] * m < i then (sum j in x[i,2]*m+1..min(i, (x[i,2]+1)*m): x[j,1]) / (min(i, "
                   "(x[i,2]+1)*m) - x[i,2]*m)"
                   " else (sum j in 1..i: x[j,1]) / i"},
    {"funccomp", "fold v = x[N-1] for t in 1..L: x[(sum u in t+1..L: " SIZE(
                     "u-1") ") + v + 1"
                            " + (if t > 1 then " DIGIT("t-1") " * " SIZE("t-2") " else 0)]"},
    {"relu-net", "b2[c] + sum u in 1..h: w2[c,u] * max(0, b1[u] + sum e in 1..d1: w1[u,e] * x[i,e])"},
    {"linear-map", "sum e in 1..d1: A[c,e] * x[i,e]"},
    {"linear-recurrence", "(sum j in 1..i: " ALIKE " * x[j,2*d+c]) / (sum j in 1..i: " ALIKE ")"},
    {"next-word", "counts[" HISTORY ", c] / sum w in 1..W+1: counts[" HISTORY ", w]"},
    {"triangle", "any j in 1..N: any k in 1..N: x[i,j] * x[j,k] * x[k,i] == 1"},
};

/* What limits come to, as inequalities between integers. part: NULL, or the value of the parameter of that name. */
#define A_OF(S) "(if " S " == 2**n then 0 else " S ")"
#define B_OF(S) "(if " S " == 2**n then 0 else 2**n-1-" S ")"
#define MODULUS "(8*n+2+over)"
#define TOKEN(J)                                                                                             \
    "(if " J " == 1 then first else if both(i, 2**(" J "-2)) == 0 then 2 else if " J " <= n+1 then 4*(" J    \
    "-1) else (" MODULUS "-1-4*(" J "-1-n)) mod " MODULUS ")"
/* match3-sets: pairs, numbers in use, token j of input i; pairs that are left, and the size of the sets */
#define PAIRS_OF    "((M - M mod 2) / 2 - 1)"
#define IN_USE      "(if tokens == \"any\" then M else 2*" PAIRS_OF ")"
#define DIGIT_OF(J) "((i mod " IN_USE "**(" J "-1) - i mod " IN_USE "**(" J "-2)) / " IN_USE "**(" J "-2))"
#define SHOWN(J)                                                                                             \
    "(if " J " == 1 then 1 else if tokens == \"any\" then " DIGIT_OF(J) " else if " DIGIT_OF(                \
        J) " < " PAIRS_OF                                                                                    \
           " then " DIGIT_OF(J) " + (" DIGIT_OF(J) " >= 1) else M-1 - (" DIGIT_OF(                           \
               J) "-" PAIRS_OF ") - (" DIGIT_OF(J) " > " PAIRS_OF "))"
#define LEFT "(" PAIRS_OF " - H)"
#define SHOW "min(N-2-H, (" LEFT " - " LEFT " mod 2) / 2)"
/* triangle-row: is there an edge from node F to node T? */
#define LEADS(F, T)                                                                                          \
    "(if " F " == 1 then " T " == 2 else if " F " == 2 then (if " T " > 2 then both(i, 2**(N-5+" T           \
    ")) > 0 else 0) else if " T " == 1 then both(i, 2**((" F "-3+turn) mod (N-2))) > 0 else 0)"
#define K_OF "((H*d*p*L)**8 * 8**(2*L*L))"

static const struct {
    const char *claim, *part, *rule;
} bounds[] = {
    {"compose-bound", "binds", "n**n > 2**(H*(d+1)*p)"}, /* H(d+1)p < n log2 n */
    {"compose-cot", NULL, "32*((T+1)*H*(d+1)*p + T+2) <= n - n mod 2"},
    {"match3-hard", "binds", "2*H*(m+1)*p < N-1 - (N-1) mod 2 and 8*H*(m+1)*p < M-2 - (M-2) mod 8"},
    {"qsa-attention-hard", "binds", "(m+2)*p < q"},
    {"triangle", "binds", "D*3*k*H*(2*m+1)*p < k**2"},
    {"triangle-row", "binds",
     "H*(if D == 1 then m+1 else (4*D-2)*m)*(if sums == \"exact\" then p+e else p) < N-2"},
    /* node 1 lies in a triangle iff a and b meet, whose bits i has */
    {"triangle-row", "gadget",
     "all i in 0..4**(N-2)-1: (any j in 1..N: any l in 1..N: " LEADS("1", "j") " > 0 and " LEADS(
         "j", "l") " > 0 and " LEADS("l", "1") " > 0) == any k in 0..N-3: both(i, 2**k) > 0 and both(i, "
                                               "2**(N-2+k)) > 0"},
    {"funccomp-params", NULL, /* m through the x_l, and by its exponent as it is read */
     "(fold v = 1 for l in 0..L-1: v * " K_OF "**(8**(L-l-1)))**8 == " K_OF
     "**(sum l in 0..L-1: if grouping == \"inside\" then 8**(l+1) else 8**l + (if grouping == \"each\" or l "
     "== 0 then 1 else 0))"},
    /* every set with its complement, and a stranger: (0, 0) */
    {"disjointness", "fooling",
     "all s in 0..2**n-1+stranger: both(" A_OF("s") ", " B_OF("s") ") == 0 and all t in 0..s-1: both(" A_OF(
         "s") ", " B_OF("t") ") > 0 or both(" A_OF("t") ", " B_OF("s") ") > 0"},
    /* position 1 is in a triple iff the sets meet, whose bits i has */
    {"match3-hard", "gadget",
     "all i in 0..4**n-1: (any j in 1..2*n+1: any l in 1..2*n+1: (first + " TOKEN("j") " + " TOKEN(
         "l") ") mod " MODULUS " == 0) == any k in 0..n-1: both(i, 2**k) > 0 and both(i, 2**(n+k)) > 0"},
    {"match3-sets", "binds",
     "N > 2+H and " LEFT
     " > 0 and 2**(H*(m+1)*(if sums == \"exact\" then p+e-1+(sum i in 0..63: 2**i < M) else "
     "p)) < (fold v = 1 for i in 1.." SHOW ": v*(" LEFT " - " SHOW " + i)/i)"},
    /* position 1 is in a triple iff both of a pair occur */
    {"match3-sets", "gadget",
     "all i in 0.." IN_USE "**(N-1)-1: (any j in 1..N: any l in 1..N: (1 + " SHOWN("j") " + " SHOWN(
         "l") ") mod M == 0) == any j in 2..N: any l in 2..j-1: " SHOWN("j") " + " SHOWN("l") " == M-1"},
};

const char *cert_bound_rule(const char *claim, const at_params *p)
{
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const char *part = bounds[i].part;
        if (strcmp(bounds[i].claim, claim))
            continue;
        for (int k = 0; k < p->n && part; k++)
            if (!strcmp(p->schema[k].name, "part") &&
                !strcmp(p->schema[k].names[(int)(p->value[k] - p->schema[k].lo)], part))
                part = NULL;
        if (!part)
            return bounds[i].rule;
    }
    return NULL;
}

const char *cert_rule(const char *task)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i].task, task))
            return rules[i].rule;
    return NULL;
}
