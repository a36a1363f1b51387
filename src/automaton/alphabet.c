/* alphabet.c: letters, and words of them as people write them. */
#include <attest/automaton.h>

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_one_character(const char *letter)
{
    const char *s = letter;
    return at_text_next(&s) && *s == 0;
}

static at_status letter_add(const char **letter, int *n, const char *s, size_t bytes, at_arena *a,
                            at_err *err)
{
    char *copy = at_arena_printf(a, "%.*s", (int)bytes, s);
    if (!copy)
        return at_oom(err);
    if (!at_text_seen(copy))
        return at_fail(err, AT_EINPUT, "letter %d of the alphabet has a byte that is no visible text",
                       *n + 1);
    if (bytes >= AT_LETTER_MAX)
        return at_fail(err, AT_EINPUT, "the letter '%.32s...' is too long; a letter has at most %d bytes",
                       copy, AT_LETTER_MAX - 1);
    for (int k = 0; k < *n; k++)
        if (strcmp(letter[k], copy) == 0)
            return at_fail(err, AT_EINPUT, "the alphabet has the letter '%s' twice", copy);
    if (*n == AT_LETTERS_MAX)
        return at_fail(err, AT_EINPUT, "the alphabet has more than %d letters", AT_LETTERS_MAX);
    letter[(*n)++] = copy;
    return AT_OK;
}

at_status at_alphabet_parse(const char *text, at_arena *a, at_alphabet *out, at_err *err)
{
    const char **letter = at_new(a, const char *, AT_LETTERS_MAX);
    int n = 0;
    at_status s = letter ? AT_OK : at_oom(err);
    while (is_blank(*text))
        text++;
    if (*text == '"' && text[1]) {
        const char *end = strrchr(text + 1, '"');
        const char *rest = end ? end + 1 : text;
        while (end && is_blank(*rest))
            rest++;
        if (!end || *rest)
            return at_fail(err, AT_EINPUT, "the alphabet %.40s has no closing \" at its end", text);
        for (const char *c = text + 1; !s && c < end;) {
            const char *begin = c;
            at_text_next(&c);
            if (!is_blank(*begin))
                s = letter_add(letter, &n, begin, (size_t)(c - begin), a, err);
        }
    } else
        while (!s && *text) {
            const char *begin = text;
            while (*text && !is_blank(*text))
                text++;
            if (text - begin == 2 && strncmp(begin, "\\#", 2) == 0) /* # begins a comment in files */
                begin++;
            s = letter_add(letter, &n, begin, (size_t)(text - begin), a, err);
            while (is_blank(*text))
                text++;
        }
    if (!s && !n)
        s = at_fail(err, AT_EINPUT, "the alphabet is empty; write its letters with blanks between them");
    if (!s)
        *out = (at_alphabet){n, letter};
    return s;
}

void at_alphabet_others(const at_alphabet *s, at_guess *g, at_text *out)
{
    char near[AT_GUESS_TEXT];
    at_text_add(out, "");
    for (int k = 0; k < s->n; k++) {
        at_guess_add(g, s->letter[k]);
        if (out->n < 150)
            at_text_addf(out, " %s", s->letter[k]);
        else if (k + 1 == s->n)
            at_text_add(out, " ...");
    }
    at_text_add(out, at_guess_text(g, near));
}

int at_alphabet_find(const at_alphabet *s, const char *letter, size_t n)
{
    for (int k = 0; k < s->n; k++)
        if (strlen(s->letter[k]) == n && memcmp(s->letter[k], letter, n) == 0)
            return k;
    return -1;
}

/* Does a text without blanks say a word, character by character? */
static bool is_short(const at_alphabet *s)
{
    for (int k = 0; k < s->n; k++)
        if (!is_one_character(s->letter[k]))
            return false;
    return true;
}

static at_status letter_unknown(const at_alphabet *s, const char *letter, size_t n, int place, at_err *err)
{
    at_text all;
    at_text_init(&all);
    for (int k = 0; k < s->n; k++)
        at_text_addf(&all, "%s%s", k ? " " : "", s->letter[k]);
    at_status st = at_fail(err, AT_EINPUT, "letter %d, '%.*s', is not in the alphabet: %.200s", place,
                           (int)(n < 40 ? n : 40), letter, all.oom ? "" : all.s);
    at_text_release(&all);
    return st;
}

at_status at_alphabet_word(const at_alphabet *s, const char *text, at_arena *a, int **word, int *n,
                           at_err *err)
{
    bool by_character = is_short(s);
    *n = 0;
    *word = at_new(a, int, strlen(text) + 1);
    if (!*word)
        return at_oom(err);
    while (is_blank(*text))
        text++;
    while (*text) {
        const char *begin = text;
        if (by_character)
            at_text_next(&text);
        else
            while (*text && !is_blank(*text))
                text++;
        size_t bytes = (size_t)(text - begin);
        int k = at_alphabet_find(s, begin, bytes);
        if (k < 0)
            return letter_unknown(s, begin, bytes, *n + 1, err);
        (*word)[(*n)++] = k;
        while (is_blank(*text))
            text++;
    }
    return AT_OK;
}

void at_alphabet_print(const at_alphabet *s, const int *word, int n, at_text *out)
{
    bool close = is_short(s);
    if (n == 0)
        at_text_add(out, "ε");
    for (int i = 0; i < n; i++) {
        if (i && !close)
            at_text_add(out, " ");
        at_text_add(out, s->letter[word[i]]);
    }
}
