/* remember.c: what a model is for, a problem and its parameters as one line of text, and for which arithmetic its bounds were proved.
 *
 *     match2 N=6 M=11
 *     my.dp sha256=<64 hexadecimal digits> n=4 top=3
 *
 * Words between single blanks: a name; of a file, by its last name, the digest of its text; assignments. It is a note: it has no part
 * in what a model computes nor in its identity. Files come from strangers, so a name is never a path, and nothing acts. */
#include <string.h>

#include "model_internal.h"

static const char digest_is[] = "sha256=";

static bool is_word(const char *s, size_t n)
{
    for (const char *at = s; at < s + n;) {
        uint32_t c = at_text_next(&at);
        if (c == AT_TEXT_REPLACEMENT || at_text_acts(c) || c == '/' || c == '\\')
            return false;
    }
    return n > 0 && *s != '-' && *s != '=';
}

static bool is_digest(const char *s, size_t n)
{
    size_t k = sizeof digest_is - 1;
    if (n != k + 64 || memcmp(s, digest_is, k) != 0)
        return false;
    while (k < n && ((s[k] >= '0' && s[k] <= '9') || (s[k] >= 'a' && s[k] <= 'f')))
        k++;
    return k == n;
}

static bool is_assignment(const char *s, size_t n)
{
    const char *eq = memchr(s, '=', n);
    for (size_t k = 0; k < n; k++) {
        char c = s[k];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                     c == '-' || c == '+' || c == '.';
        if (!plain && s + k != eq)
            return false;
    }
    return eq && eq > s && eq < s + n - 1;
}

/* NULL, or what is wrong with it. */
static const char *fault_of(const char *text)
{
    size_t n = strcspn(text, " ");
    if (strlen(text) > AT_PROBLEM_TEXT)
        return "is too long";
    if (!is_word(text, n))
        return "does not begin with the name of a problem";
    for (int word = 1; text[n]; word++) {
        text += n + 1;
        n = strcspn(text, " ");
        bool digest = strncmp(text, digest_is, sizeof digest_is - 1) == 0;
        if (digest && !(word == 1 && is_digest(text, n))) /* who reads it counts on 64 digits */
            return "has a digest that is none of 64 digits behind the name";
        if (!digest && !is_assignment(text, n))
            return "has a word that is no K=V";
    }
    return NULL;
}

at_status at_model_remember(at_model *m, const char *problem, at_err *err)
{
    const char *fault = problem ? fault_of(problem) : NULL;
    if (fault)
        return at_fail(err, AT_EINPUT,
                       "the problem of a model %s; it is NAME [sha256=DIGEST] K=V ... of at most %d bytes",
                       fault, AT_PROBLEM_TEXT);
    char *copy = problem ? at_arena_strdup(&m->arena, problem) : NULL;
    if (problem && !copy)
        return at_oom(err);
    m->problem = copy;
    return AT_OK;
}

at_status at_model_made_for(at_model *m, const char *arithmetic, at_err *err)
{
    size_t n = arithmetic ? strlen(arithmetic) : 0;
    if (arithmetic &&
        (!n || n > AT_ARITHMETIC_TEXT || strspn(arithmetic, "abcdefghijklmnopqrstuvwxyz0123456789") != n))
        return at_fail(err, AT_EINPUT, "the arithmetic of a model is a name as 'p12e8', of at most %d bytes",
                       AT_ARITHMETIC_TEXT);
    char *copy = arithmetic ? at_arena_strdup(&m->arena, arithmetic) : NULL;
    if (arithmetic && !copy)
        return at_oom(err);
    m->arithmetic = copy;
    return AT_OK;
}
