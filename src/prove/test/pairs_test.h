/* pairs_test.h: pairs of counting programs whose answer is known by hand. `(` and `)` are a and b here.
 *
 * Before it: cmocka.h and test_arena.h. A text is lines of C-RASP over the letters; "/RE" is a regular expression, and NULL asks for emptiness. */
#ifndef ATTEST_PAIRS_TEST_H
#define ATTEST_PAIRS_TEST_H

#include <attest/lang.h>
#include <attest/prove.h>

#include <string.h>

typedef struct {
    const char *name, *letters, *a, *b;
    at_prove_ask what;
    const char
        *word; /* NULL: it holds; else the shortest word, or where several are as short its length in x */
} prove_pair;

#define DYCK_A   "accept end; #[#[Q_a] < #[Q_b]] = 0 & #[Q_a] = #[Q_b]"
#define DYCK_B   "accept end; #[#[Q_a] >= #[Q_b]] = #[1] & #[Q_a] = #[Q_b]"
#define DYCK_C   "accept end; #[Q_b & #[Q_a] < #[Q_b]] = 0 & !(#[Q_a] > #[Q_b]) & !(#[Q_a] < #[Q_b])"
#define DYCK_OFF "accept end; #[#[Q_a] + 1 < #[Q_b]] = 0 & #[Q_a] = #[Q_b]"
#define STAR_A   "accept end; #[#[Q_a] < #[Q_b]] = 0 & #[#[Q_a] > #[Q_b] + 1] = 0 & #[Q_a] = #[Q_b]"
#define STAR_B                                                                                               \
    "accept end; p(i) := #[j = i - 1] Q_a(j); w(i) := Q_a(i) & p(i) = 1 | Q_b(i) & p(i) = 0;"                \
    "Y(i) := #[j <= i] w(j) = 0 & p(i) = 0"
#define STAR_C                                                                                               \
    "accept end; A(i) := #[j < i] Q_a(j); B(i) := #[j < i] Q_b(j);"                                          \
    "v(i) := Q_a(i) & A(i) != B(i) | Q_b(i) & A(i) != B(i) + 1; Y(i) := #[j <= i] v(j) = 0 & A(i) = B(i)"
#define AB_A   "accept end; #[Q_a & #[Q_b] > 0] = 0 & #[Q_a] = #[Q_b]"
#define AB_B   "accept end; #[Q_a & #[Q_b] = 0] = #[Q_b] & #[Q_a & #[Q_b] = 0] = #[Q_a]"
#define AB_OFF "accept end; #[Q_a & #[Q_b] > 1] = 0 & #[Q_a] = #[Q_b]"
#define ABC_A                                                                                                \
    "accept end; #[Q_a & #[Q_b] + #[Q_c] > 0 | Q_b & #[Q_c] > 0] = 0 & #[Q_a] = #[Q_b] & #[Q_b] = #[Q_c]"
#define ABC_B                                                                                                \
    "accept end; x(i) := #[j <= i] (Q_a(j) & #[k <= j] Q_b(k) = 0 & #[k <= j] Q_c(k) = 0);"                  \
    "y(i) := #[j <= i] (Q_b(j) & #[k <= j] Q_c(k) = 0); z(i) := #[j <= i] Q_c(j);"                           \
    "Y(i) := x(i) = z(i) & y(i) = z(i) & x(i) + y(i) + z(i) = #[j <= i] true"
#define ABC_OFF                                                                                              \
    "accept end; #[Q_a & #[Q_b] + #[Q_c] > 0 | Q_b & #[Q_c] > 1] = 0 & #[Q_a] = #[Q_b] & #[Q_b] = #[Q_c]"

static const prove_pair prove_pairs[] = {
    {"dyck-1: never behind, or as often not behind as there are letters", "a b", DYCK_A, DYCK_B,
     AT_PROVE_EQUAL, NULL},
    {"dyck-1: wrong closing brackets", "a b", DYCK_A, DYCK_C, AT_PROVE_EQUAL, NULL},
    {"dyck-1: the second and third way", "a b", DYCK_B, DYCK_C, AT_PROVE_EQUAL, NULL},
    {"dyck-1, off by one", "a b", DYCK_A, DYCK_OFF, AT_PROVE_EQUAL, "ba"},
    {"(ab)*: expression and differences", "a b", STAR_A, "/(ab)*", AT_PROVE_EQUAL, NULL},
    {"(ab)*: the position before, and the expression", "a b", STAR_B, "/(ab)*", AT_PROVE_EQUAL, NULL},
    {"(ab)*: differences and the position before", "a b", STAR_A, STAR_B, AT_PROVE_EQUAL, NULL},
    {"(ab)*: counts before, and differences", "a b", STAR_C, STAR_A, AT_PROVE_EQUAL, NULL},
    {"(ab)*: counts before, and the expression", "a b", STAR_C, "/(ab)*", AT_PROVE_EQUAL, NULL},
    {"(ab)* against (ab)+", "a b", STAR_A, "/(ab)+", AT_PROVE_EQUAL, ""},
    {"a^n b^n two ways", "a b", AB_A, AB_B, AT_PROVE_EQUAL, NULL},
    {"a^n b^n, off by one", "a b", AB_A, AB_OFF, AT_PROVE_EQUAL, "ba"},
    {"a^n b^n c^n two ways", "a b c", ABC_A, ABC_B, AT_PROVE_EQUAL, NULL},
    {"a^n b^n c^n, off by one", "a b c", ABC_A, ABC_OFF, AT_PROVE_EQUAL, "acb"},
    {"majority and twice the length", "a b", "#[Q_a] > #[Q_b]", "2 #[Q_a] > #[1]", AT_PROVE_EQUAL, NULL},
    {"majority, off by one", "a b", "#[Q_a] > #[Q_b]", "#[Q_a] >= #[Q_b]", AT_PROVE_EQUAL, "ab"},
    {"a third", "a b", "3 #[Q_a] >= #[1]", "2 #[Q_a] >= #[Q_b]", AT_PROVE_EQUAL, NULL},
    {"the complement of a complement", "a b", "!(#[Q_a & #[Q_b] > 2] <= #[Q_b])",
     "#[Q_b] < #[#[Q_b] >= 3 & !Q_b]", AT_PROVE_EQUAL, NULL},
    {"first = last", "a b", "#[Q_a & #[1] = 1] = 1 & Q_a | #[Q_b & #[1] = 1] = 1 & Q_b", "/a|b|a.*a|b.*b",
     AT_PROVE_EQUAL, NULL},
    {"a, b, b, a in this order", "a b",
     "x(i) := #[j <= i] (Q_b(j) & #[k <= j] Q_a(k) >= 1); y(i) := #[j <= i] (Q_b(j) & x(j) >= 2);"
     "Y(i) := #[j <= i] (Q_a(j) & y(j) >= 1) >= 1",
     "/.*a.*b.*b.*a.*", AT_PROVE_EQUAL, NULL},
    {"nested counts", "a b", "#[#[Q_a] > #[Q_b]] > #[#[Q_a] < #[Q_b]]",
     "#[!(#[Q_a] <= #[Q_b])] >= 1 + #[!(#[Q_a] >= #[Q_b])]", AT_PROVE_EQUAL, NULL},
    {"less, equal or more", "a b", "#[#[Q_a] = #[Q_b]] + #[#[Q_a] > #[Q_b]] + #[#[Q_a] < #[Q_b]] = #[1]",
     "true", AT_PROVE_EQUAL, NULL},
    {"dyck-1 has as many of each", "a b", DYCK_A, "accept end; #[Q_a] = #[Q_b]", AT_PROVE_INCLUDED, NULL},
    {"a^n b^n is in dyck-1", "a b", AB_B, DYCK_B, AT_PROVE_INCLUDED, NULL},
    {"dyck-1 is not (ab)*", "a b", DYCK_C, "/(ab)*", AT_PROVE_INCLUDED, "aabb"},
    {"behind, and never behind", "a b", "#[Q_a] < #[Q_b] & #[#[Q_a] < #[Q_b]] = 0", NULL, AT_PROVE_EMPTY,
     NULL},
    {"thirteen letters", "a b", "#[Q_a] = 13 & #[Q_b] = #[Q_b & #[Q_a] > 20]", NULL, AT_PROVE_EMPTY,
     "aaaaaaaaaaaaa"},
    {"what samples do not see", "a b c", "#[Q_a] = #[Q_b] & #[Q_c] = 3 & !Q_b", "/ccc(ba)*", AT_PROVE_EQUAL,
     "xxxxx"},
    {"at the last letter and at the end", "a b", "#[Q_a] > #[Q_b]", "accept end; #[Q_a] > #[Q_b]",
     AT_PROVE_EQUAL, NULL},
    {"positions modulo 2", "a b", "#[j <= i] (j mod 2 = 1) > #[j <= i] (j mod 2 = 0)", "i mod 2 = 1",
     AT_PROVE_EQUAL, NULL},
};
enum { PROVE_PAIRS_ALL = sizeof prove_pairs / sizeof *prove_pairs };

/* Lines of C-RASP over letters: `;` ends a line of the header, too. */
static inline at_formulas *program(const char *letters, const char *text)
{
    at_formulas *f;
    int longest;
    char *all = at_arena_printf(&arena, "alphabet %s\n%s\n", letters, text);
    char *accept = strstr(all, "accept end;");
    if (accept)
        accept[strlen("accept end")] = '\n';
    char *copy = at_arena_strdup(&arena, all);
    if (at_crasp_read(copy, "x.crasp", &arena, &f, &longest, &err))
        fail_msg("%s\n%s", all, err.text);
    return f;
}

static inline at_dfa *expression(const char *letters, const char *text)
{
    at_alphabet sigma, used;
    at_regex *e;
    at_dfa *d;
    assert_int_equal(at_alphabet_parse(letters, &arena, &sigma, &err), AT_OK);
    assert_int_equal(at_regex_parse(text, &sigma, NULL, 1, 1, &arena, &e, &used, &err), AT_OK);
    assert_int_equal(at_regex_dfa(e, &sigma, &arena, &d, &err), AT_OK);
    return d;
}

static inline at_prove_question question(const prove_pair *p)
{
    at_prove_question q = {.a = program(p->letters, p->a), .what = p->what};
    if (p->b && *p->b == '/')
        q.language = expression(p->letters, p->b + 1);
    else if (p->b)
        q.b = program(p->letters, p->b);
    return q;
}

#endif
