/* BOUND dp-hard: linear and sparse decoders that write the table of a recurrence need width about sqrt L.
 *
 * Source: Yang et al. 2024, Theorem 4.4 (regular problems with L = Theta(n)): width Omega~(sqrt L). Here with numbers, and with the number of
 * different chains in place of regularity, which LIS and edit distance do not have (chains.c, docs/bounds.md).
 *
 * Linear: after the prompt a decoder knows its running sums only, S = layers H (w^2 + w) b bits at b = p + e bits a number, heads of width w =
 * D/H, sums rounded after every token. What it writes is a function of them: 2^S >= number of chains.
 *
 * Sparse (the last k blocks of B, and the last c of each block; M layers): let only the interior of one block vary, B - c tokens. After layer l
 * the positions that see it other than through block ends are less than l k B behind it; block ends among these: l k blocks of c. A
 * position further back reads, in layers 2..M, only those k c (1 + ... + (M-1)) vectors of D b bits. What is written (M+1) k B behind the block or
 * later depends on them alone. Rows that are written earlier must not depend on what varies: let the block be the first, and fix the first
 * letters, those that these rows are about. */
#include "bound_internal.h"

#include <attest/lang.h>

enum { n, letters, layers, H, w, p, e, B, k, c, PROBLEM, ATTENTION };
enum { LINEAR, SPARSE };
static const char *const problems[] = {"prefix-sum", "lis", "ed"};
static const char *const attentions[] = {"linear", "sparse"};
static const at_param params[] = {
    {"n", "length of the input (ed: of each word)", 1, BOUND_MOST, 1000, true},
    {"letters", "different ones (prefix-sum: the modulus)", 2, 1000000, 10, true},
    {"layers", "attention layers", 1, BOUND_MOST, 3, true},
    {"H", "heads a layer", 1, BOUND_MOST, 4, true},
    {"w", "width of a head, D/H", 1, BOUND_MOST, 2, true},
    {"p", "bits of a mantissa", 1, BOUND_MOST, 24, true},
    {"e", "bits of an exponent", 1, BOUND_MOST, 8, true},
    {"B", "sparse: length of a block", 1, BOUND_MOST, 32, true},
    {"k", "sparse: blocks in the window", 1, BOUND_MOST, 1, true},
    {"c", "sparse: tokens at the end of a block", 1, BOUND_MOST, 1, true},
    {"problem", "recurrence", 0, 2, 0, true, problems},
    {"attention", "kind", 0, 1, 0, true, attentions},
};

static bool sparse(const mpz_t *v)
{
    return !mpz_cmp_ui(v[ATTENTION], SPARSE);
}

static chains_problem problem_of(const mpz_t *v)
{
    return (chains_problem)mpz_get_ui(v[PROBLEM]);
}

/* 1 + (M+1)k: blocks from the first to where it is forgotten. */
static void blocks_needed(mpz_t out, const mpz_t *v)
{
    mpz_add_ui(out, v[layers], 1);
    mpz_mul(out, out, v[k]);
    mpz_add_ui(out, out, 1);
}

static void prompt_length(mpz_t out, const mpz_t *v)
{
    mpz_mul_2exp(out, v[n], problem_of(v) == CHAINS_ED);
}

/* Rows that are written before the block is forgotten: the prompt, a bar and the rows are one token each. */
static void rows_early(mpz_t out, const mpz_t *v)
{
    mpz_t l;
    mpz_init(l);
    blocks_needed(out, v);
    mpz_mul(out, out, v[B]);
    prompt_length(l, v);
    mpz_sub(out, out, l);
    mpz_sub_ui(out, out, 1);
    if (mpz_sgn(out) < 0)
        mpz_set_ui(out, 0);
    mpz_clear(l);
}

/* How many of the first letters (of a, in ed) r rows are about: prefix sums have a row a letter, lis i rows for the i-th, ed n. */
static void letters_fixed(mpz_t out, const mpz_t *v, const mpz_t r)
{
    mpz_t t;
    mpz_init(t);
    switch (problem_of(v)) {
    case CHAINS_LIS: /* the least i with i(i+1)/2 >= r: from floor of (sqrt(8r+1) - 1)/2, or one more */
        mpz_mul_2exp(t, r, 3);
        mpz_add_ui(t, t, 1);
        mpz_sqrt(out, t);
        mpz_sub_ui(out, out, 1);
        mpz_fdiv_q_2exp(out, out, 1);
        mpz_add_ui(t, out, 1);
        mpz_mul(t, t, out);
        mpz_fdiv_q_2exp(t, t, 1);
        if (mpz_cmp(t, r) < 0)
            mpz_add_ui(out, out, 1);
        break;
    case CHAINS_ED:
        mpz_cdiv_q(out, r, v[n]);
        break;
    case CHAINS_PREFIX_SUM:
    case CHAINS_ED_LOCAL:
    default:
        mpz_set(out, r);
    }
    mpz_clear(t);
}

/* Tokens that vary: all, or those in the interior of the first block that no early row is about; not above 0: there are none. */
static void tokens_free(mpz_t out, const mpz_t *v)
{
    mpz_set(out, v[n]);
    if (!sparse(v))
        return;
    mpz_t t, r;
    mpz_inits(t, r, NULL);
    mpz_sub(t, v[B], v[c]);
    if (mpz_cmp(t, out) < 0)
        mpz_set(out, t);
    rows_early(r, v);
    letters_fixed(t, v, r);
    mpz_sub(out, out, t);
    mpz_clears(t, r, NULL);
}

/* Bits through which they are known afterwards. */
static void bits_kept(mpz_t S, const mpz_t *v)
{
    mpz_t b;
    mpz_init(b);
    message_float(b, v[p], v[e]);
    if (!sparse(v))
        chains_state(S, v[layers], v[H], v[w], b);
    else {
        mpz_sub_ui(S, v[layers], 1);
        mpz_mul(S, S, v[layers]);
        mpz_fdiv_q_2exp(S, S, 1);
        mpz_mul(S, S, v[k]);
        mpz_mul(S, S, v[c]);
        mpz_mul(S, S, v[H]);
        mpz_mul(S, S, v[w]);
        mpz_mul(S, S, b);
    }
    mpz_clear(b);
}

static bool binds(const mpz_t *v)
{
    mpz_t S, free;
    mpz_inits(S, free, NULL);
    bits_kept(S, v);
    tokens_free(free, v);
    bool out = chains_above(problem_of(v), free, v[letters], S);
    mpz_clears(S, free, NULL);
    return out;
}

static limit_way way(const mpz_t *v, int i)
{
    switch (i) {
    case PROBLEM:
    case ATTENTION:
        return LIMIT_CHOICE;
    case n:
        return LIMIT_RISES;
    case letters:
        return LIMIT_RISES;
    case B: /* of lis and ed letters are fixed by lines: a longer block may have fewer left, and then more */
        return sparse(v) && problem_of(v) == CHAINS_PREFIX_SUM ? LIMIT_RISES : LIMIT_CHOICE;
    case k:
    case c:
        return sparse(v) ? LIMIT_FALLS : LIMIT_CHOICE;
    case layers:
        return LIMIT_FALLS;
    default: /* one sparse layer keeps nothing, whatever its size */
        return sparse(v) && !mpz_cmp_ui(v[layers], 1) ? LIMIT_STILL : LIMIT_FALLS;
    }
}

static bool top(const mpz_t *v, int i, mpz_t out)
{
    mpz_t t;
    bool is = false;
    mpz_init(t);
    if (i == B) { /* of larger blocks more letters are fixed than they have more */
        blocks_needed(t, v);
        prompt_length(out, v);
        mpz_add_ui(out, out, 1);
        mpz_fdiv_q(out, out, t);
        is = true;
    } else if (i == n) { /* a block is as long as it is */
        if ((is = sparse(v))) {
            blocks_needed(out, v);
            mpz_mul(out, out, v[B]);
        }
    } else {
        tokens_free(t, v);
        is = chains_letters_top(problem_of(v), t, out);
    }
    mpz_clear(t);
    return is;
}

static at_status check(const at_params *ps, const mpz_t *v, at_err *err)
{
    if (!sparse(v) || mpz_cmp(v[c], v[B]) < 0)
        return AT_OK;
    return at_fail(err, AT_EDOMAIN, "a block has an interior where c < B, and c=%.0f B=%.0f",
                   at_params_get(ps, "c"), at_params_get(ps, "B"));
}

/* Chains counted by running the recurrence on every input, where that is quick. */
static void counted(sheet *s, const mpz_t *v)
{
    static const char *const example[] = {"prefix-sum", "lis"};
    if (problem_of(v) > CHAINS_LIS || mpz_cmp_ui(v[n], 12) > 0 || mpz_cmp_ui(v[letters], 97) > 0)
        return;
    double inputs = 1;
    for (unsigned long i = 0; i < mpz_get_ui(v[n]); i++)
        inputs *= mpz_get_d(v[letters]);
    int64_t size[AT_DP_MAX] = {(int64_t)mpz_get_ui(v[n]), (int64_t)mpz_get_ui(v[letters])};
    at_dp *d = NULL;
    at_dp_instance *x = NULL;
    int64_t *first, *second;
    uint64_t distinct;
    at_tri regular;
    at_arena a;
    at_arena_init(&a);
    if (inputs <= 4096) {
        if (at_dp_example_load(example[problem_of(v)], &d, NULL) || at_dp_bind(d, size, &x, NULL) ||
            at_dp_regular(x, 4096, &a, &regular, &first, &second, &distinct, NULL))
            s->oom = true; /* nothing else can fail at these sizes */
        else
            sheet_line(s, "counted", "%ju chains of %.0f inputs, by running the recurrence: %s",
                       (uintmax_t)distinct, inputs, regular == AT_TRUE ? "regular" : "not regular");
    }
    at_dp_instance_free(x);
    at_dp_free(d);
    at_arena_release(&a);
}

static void report(sheet *s, const mpz_t *v)
{
    mpz_t S, free, t;
    mpz_inits(S, free, t, NULL);
    bits_kept(S, v);
    tokens_free(free, v);
    bool binding = s->out->verdict == AT_BOUND_BINDS, block = mpz_sgn(free) > 0;
    s->out->inequality = sheet_text(
        s, "%s = %s bits %s %.10g = log2(chains%s)", sparse(v) ? "k c M(M-1)/2 D b" : "layers H (w^2+w) b",
        sheet_int(s, S), binding ? "<" : ">=", block ? chains_log2(problem_of(v), free, v[letters]) : 0,
        problem_of(v) == CHAINS_ED ? " proved" : "");
    if (block)
        sheet_line(s, "different chains", "%s", chains_text(s, problem_of(v), free, v[letters]));
    mpz_mul(t, v[H], v[w]);
    sheet_line(s, "width D = H w", "%s", sheet_int(s, t));
    message_float(t, v[p], v[e]);
    sheet_line(s, "b = p + e", "%s bits", sheet_int(s, t));
    if (sparse(v)) {
        blocks_needed(t, v);
        mpz_mul(t, t, v[B]);
        sheet_line(s, "forgotten after", "(1+(M+1)k)B = %s tokens", sheet_int(s, t));
        rows_early(t, v);
        const char *early = sheet_int(s, t);
        letters_fixed(S, v, t);
        sheet_line(s, "rows until then", "%s, about the first %s letters, which are fixed", early,
                   sheet_int(s, S));
        sheet_line(s, "letters that vary", "%s in the interior of the first block",
                   block ? sheet_int(s, free) : "none");
    } else
        counted(s, v);
    s->out->meaning =
        binding  ? "Two prompts with different chains leave the same traces: no such decoder writes both."
        : !block ? "Rows about every letter are written before the block is forgotten: nothing is ruled out."
                 : "What is kept may tell all chains apart: nothing is ruled out.";
    mpz_clears(S, free, t, NULL);
}

static at_bound_bits counts(const mpz_t *v)
{
    return sparse(v) ? AT_BITS_FLOATS : AT_BITS_ROUNDED;
}

const limit limit_dp_hard = {.binds = binds,
                             .counts = counts,
                             .way = way,
                             .top = top,
                             .least = w,
                             .least_times = H,
                             .check = check,
                             .report = report};

const at_bound bound_dp_hard = {
    .id = "dp-hard",
    .title = "Linear and sparse decoders of recurrences need width about sqrt L",
    .source = "Yang et al. 2024, Theorem 4.4",
    .statement = "A linear decoder whose running sums take fewer bits than log2 of the number of different "
                 "chains is wrong on some prompt; so is a "
                 "sparse one whose block ends take fewer bits than log2 of the chains that the interior of "
                 "one block makes.",
    .constant = "by counting; the source has Omega~(sqrt L), for regular problems with L = Theta(n)",
    .params = params,
    .n_params = COUNT(params),
    .unit = "width",
    .size = "n",
    .compute = bound_compute,
    .construction = "dp-{attention}",
    .construction_params = "problem={problem} a=%d b=%d",
    .construction_size = "width",
};
