/* stream_file.c: a user's own lines as a stream.
 *
 *     a b c <sep> c b a <sep> c          prompt <sep> chain <sep> answer; the chain may be empty
 *
 * Words stand between blanks and are UTF-8 without control and invisible characters; empty lines are skipped. The vocabulary is <pad> <sep>
 * <eos> and the words in order of appearance, or one that is given: then a word is what it is there, wherever it stands in the
 * file. A sample is a line, drawn uniformly with replacement among those whose prompt belongs to the split. A prompt may stand
 * on several lines, with several chains and answers: every one of them is right. Everything is checked when the file is read; a
 * fault is one line `name:line: ...`.
 *
 * Layout: rows of tokens, one after the other; an index of the rows sorted by prompt (and line) finds the rows of a
 * prompt by bisection; words are found by a table with open addressing, at most half full. */
#include <stdio.h>
#include <stdlib.h>

#include "../stream.h"

#define BYTES_MAX ((size_t)1 << 28)
#define WORDS_MAX 65536
#define ROW_MAX   65536 /* tokens of a line */

typedef struct {
    const int *token;
    int n, prompt, answer, line;
} row;

typedef struct {
    at_arena arena;
    row *rows; /* (n_rows), sorted */
    int n_rows, longest;
    int *first; /* (n_prompts): the first row of each prompt */
    int n_prompts;
    const char **word; /* (n_words), from AT_TOKEN_FIRST on */
    int n_words;
    const char *of; /* NULL, or whose words they are: there are no others */
    int *slot;      /* (slots): a word's number + 1, 0 when free; only while the file is read */
    size_t slots;
} file;

/* Length of the UTF-8 character at s, of which `left` bytes are there; 0 when it is none or a control character. */
static int character(const unsigned char *s, size_t left)
{
    int n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 4;
    if (s[0] < 0x20 || s[0] == 0x7f || (s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4 || (size_t)n > left)
        return 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool c1 = s[0] == 0xc2 && s[1] < 0xa0, surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    return c1 || surrogate || overlong || (s[0] == 0xf4 && s[1] >= 0x90) ? 0 : n;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool word_equals(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(s, word, n) == 0;
}

/* Where the word is in the table, or would be. */
static size_t slot_find(const file *f, const char *s, size_t n)
{
    size_t at = at_hash64(s, n, 0) % f->slots;
    while (f->slot[at] && !word_equals(s, n, f->word[f->slot[at] - 1]))
        at = (at + 1) % f->slots;
    return at;
}

/* Begins with the words of others, which are borrowed. */
static at_status words_take(file *f, const at_vocabulary *v, const char *name, at_err *err)
{
    static const char *const common[AT_TOKEN_FIRST] = {"<pad>", "<sep>", "<eos>"};
    for (int k = 0; k < AT_TOKEN_FIRST; k++)
        if (k >= v->n || strcmp(v->word[k], common[k]))
            return at_fail(err, AT_EREFUSED, "%.200s: word %d of %.200s is not %s: lines cannot say its rows",
                           name, k, v->of, common[k]);
    for (int k = AT_TOKEN_FIRST; k < v->n; k++) {
        f->word[f->n_words++] = v->word[k];
        f->slot[slot_find(f, v->word[k], strlen(v->word[k]))] = f->n_words;
    }
    f->of = v->of;
    return AT_OK;
}

/* The token of a word, made when it is new and may be. */
static at_status word_token(file *f, const char *s, size_t n, const char *name, int line, int *out,
                            at_err *err)
{
    if (word_equals(s, n, "<sep>")) {
        *out = AT_TOKEN_SEP;
        return AT_OK;
    }
    if (word_equals(s, n, "<pad>") || word_equals(s, n, "<eos>"))
        return at_fail(err, AT_EINPUT,
                       "%.200s:%d: %.*s is added where it is needed, and is no word of a line", name, line,
                       (int)n, s);
    if (n >= AT_STREAM_WORD)
        return at_fail(err, AT_EINPUT, "%.200s:%d: a word of %zu bytes; at most %d are allowed", name, line,
                       n, AT_STREAM_WORD - 1);
    for (size_t i = 0; i < n;) {
        int bytes = character((const unsigned char *)s + i, n - i);
        if (!bytes)
            return at_fail(err, AT_EINPUT, "%.200s:%d: byte 0x%02x is no character of UTF-8 text", name, line,
                           (unsigned char)s[i]);
        const char *at = s + i;
        uint32_t c = at_text_next(&at);
        if (at_text_acts(c))
            return at_fail(err, AT_EINPUT, "%.200s:%d: U+%04X is not seen in a word, it acts", name, line, c);
        i += (size_t)bytes;
    }
    size_t at = slot_find(f, s, n);
    if (!f->slot[at] && f->of)
        return at_fail(err, AT_EINPUT, "%.200s:%d: '%.*s' is no word of %.200s", name, line, (int)n, s,
                       f->of);
    if (!f->slot[at]) {
        if (f->n_words == WORDS_MAX)
            return at_fail(err, AT_EDOMAIN, "%.200s:%d: more than %d different words", name, line, WORDS_MAX);
        char *copy = at_new(&f->arena, char, n + 1);
        if (!copy)
            return at_oom(err);
        memcpy(copy, s, n);
        f->word[f->n_words++] = copy;
        f->slot[at] = f->n_words;
    }
    *out = AT_TOKEN_FIRST + f->slot[at] - 1;
    return AT_OK;
}

/* A line of at least one word, into token; r becomes its row. */
static at_status line_read(file *f, const char *s, const char *end, const char *name, int line, int *token,
                           row *r, at_err *err)
{
    int n = 0, separators = 0, prompt = 0, answer = 0;
    while (s < end) {
        const char *from = s;
        while (s < end && !is_blank(*s))
            s++;
        at_status st = word_token(f, from, (size_t)(s - from), name, line, &token[n], err);
        if (st)
            return st;
        if (token[n++] == AT_TOKEN_SEP) {
            separators++;
            *(separators == 1 ? &prompt : &answer) = n;
        }
        if (n >= ROW_MAX)
            return at_fail(err, AT_EDOMAIN, "%.200s:%d: a line has at most %d words", name, line,
                           ROW_MAX - 1);
        while (s < end && is_blank(*s))
            s++;
    }
    if (separators != 2)
        return at_fail(err, AT_EINPUT, "%.200s:%d: %d times <sep>; a line is prompt <sep> chain <sep> answer",
                       name, line, separators);
    if (prompt == 1)
        return at_fail(err, AT_EINPUT, "%.200s:%d: nothing stands before the first <sep>", name, line);
    if (answer == n)
        return at_fail(err, AT_EINPUT, "%.200s:%d: no answer stands behind the second <sep>", name, line);
    token[n++] = AT_TOKEN_EOS;
    *r = (row){token, n, prompt, answer, line};
    f->longest = n > f->longest ? n : f->longest;
    return AT_OK;
}

/* ---- prompts in order ------------------------------------------------------------------------------------ */

static int prompt_compare(const int *a, int n, const row *r)
{
    for (int i = 0; i < n && i < r->prompt; i++)
        if (a[i] != r->token[i])
            return a[i] < r->token[i] ? -1 : 1;
    return n < r->prompt ? -1 : n > r->prompt;
}

static int row_compare(const void *a, const void *b)
{
    const row *x = a, *y = b;
    int order = prompt_compare(x->token, x->prompt, y);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* The first row with this prompt; n_rows when there is none. */
static int prompt_find(const file *f, const int *token, int n)
{
    int from = 0, to = f->n_rows;
    while (from < to) {
        int mid = from + (to - from) / 2;
        if (prompt_compare(token, n, &f->rows[mid]) > 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from < f->n_rows && prompt_compare(token, n, &f->rows[from]) == 0 ? from : f->n_rows;
}

static at_status prompts_index(file *f, at_err *err)
{
    if (!(f->first = at_new(&f->arena, int, f->n_rows)))
        return at_oom(err);
    for (int i = 0; i < f->n_rows; i++)
        if (!i || prompt_compare(f->rows[i].token, f->rows[i].prompt, &f->rows[i - 1]))
            f->first[f->n_prompts++] = i;
    return AT_OK;
}

/* ---- the verbs ------------------------------------------------------------------------------------------- */

static int vocabulary(const at_source *d)
{
    return AT_TOKEN_FIRST + ((const file *)d->more)->n_words;
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    if (token >= AT_TOKEN_FIRST)
        snprintf(out, AT_STREAM_WORD, "%s", ((const file *)d->more)->word[token - AT_TOKEN_FIRST]);
}

static int longest(const at_source *d)
{
    return ((const file *)d->more)->longest;
}

static void row_take(const row *r, at_sequence *s)
{
    memcpy(s->token, r->token, (size_t)r->n * sizeof *r->token);
    s->n = r->n;
    s->prompt = r->prompt;
    s->answer = r->answer;
}

static void draw(const at_source *d, at_rng *r, at_sequence *s)
{
    const file *f = d->more;
    row_take(&f->rows[at_rng_below(r, (uint64_t)f->n_rows)], s);
}

static bool complete(const at_source *d, at_sequence *s)
{
    const file *f = d->more;
    int i = prompt_find(f, s->token, s->n);
    if (i < f->n_rows)
        row_take(&f->rows[i], s);
    return i < f->n_rows;
}

static uint64_t count(const at_source *d)
{
    return (uint64_t)((const file *)d->more)->n_prompts;
}

static void nth(const at_source *d, uint64_t i, at_sequence *s)
{
    const file *f = d->more;
    const row *r = &f->rows[f->first[i]];
    memcpy(s->token, r->token, (size_t)r->prompt * sizeof *r->token);
    s->n = s->prompt = r->prompt;
}

static bool ends_alike(const int *a, int n, const int *b, int m)
{
    return n == m && memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* Is the answer of a completion, what stands behind its last <sep>, that of the row? */
static bool answer_is(const row *r, const int *completion, int n)
{
    int from = n;
    while (from > 0 && completion[from - 1] != AT_TOKEN_SEP)
        from--;
    return from > 0 && ends_alike(completion + from, n - from, r->token + r->answer, r->n - r->answer);
}

/* Several lines may have the prompt: the one that agrees longest counts, and any of their answers is one. */
static void steps(const at_source *d, const int *prompt, int n_prompt, const int *completion, int n,
                  at_grade *g)
{
    const file *f = d->more;
    for (int i = prompt_find(f, prompt, n_prompt); i < f->n_rows && g->chain != AT_TRUE; i++) {
        const row *r = &f->rows[i];
        if (prompt_compare(prompt, n_prompt, r))
            return;
        int same = 0, length = r->n - r->prompt;
        while (same < n && same < length && completion[same] == r->token[r->prompt + same])
            same++;
        g->chain = same == n && same == length;
        g->wrong = g->chain ? -1 : same > g->wrong ? same : g->wrong;
        if (answer_is(r, completion, n))
            g->answer = AT_TRUE;
    }
}

static at_rights rights(const at_source *d, const int *prompt, int n)
{
    const file *f = d->more;
    int first = prompt_find(f, prompt, n);
    if (first == f->n_rows)
        return (at_rights){0};
    const row *a = &f->rows[first];
    at_rights k = {1, 1};
    for (const row *b = a + 1; b < f->rows + f->n_rows && !prompt_compare(prompt, n, b) && k.answers < 2;
         b++) {
        if (!ends_alike(a->token, a->n, b->token, b->n))
            k.chains = 2;
        if (!ends_alike(a->token + a->answer, a->n - a->answer, b->token + b->answer, b->n - b->answer))
            k.answers = 2;
    }
    return k;
}

static void source_close(at_source *d)
{
    file *f = d->more;
    at_arena_release(&f->arena);
    at_free(f);
}

static at_status source_open(at_source *d, at_err *err);

static const at_stream_verbs verbs = {
    .open = source_open,
    .close = source_close,
    STREAM_VERBS,
    .unlisted = "a file of rows is learnt from; as a file of cases, prompt<TAB>answer, it is asked",
    .count = count,
    .nth = nth,
    .steps = steps,
    .rights = rights,
    .before_answer = AT_TOKEN_SEP,
};

/* ---- reading --------------------------------------------------------------------------------------------- */

static at_status file_read(file *f, const char *text, size_t n, const char *name, const at_vocabulary *over,
                           at_err *err)
{
    size_t lines = 1, words = 0;
    for (size_t i = 0; i < n; i++) {
        bool ends = text[i] == '\n';
        lines += ends;
        words += !ends && !is_blank(text[i]) && (i + 1 == n || is_blank(text[i + 1]) || text[i + 1] == '\n');
    }
    size_t most = over->n ? (size_t)over->n : words < WORDS_MAX ? words : WORDS_MAX;
    f->slots = 2 * most + 1;
    int *token = at_new(&f->arena, int, words + lines); /* and <eos> */
    f->rows = at_new(&f->arena, row, lines);
    f->word = at_new(&f->arena, const char *, most + 1);
    f->slot = at_new(&f->arena, int, f->slots);
    if (!token || !f->rows || !f->word || !f->slot)
        return at_oom(err);
    at_status begun = over->n ? words_take(f, over, name, err) : AT_OK;
    if (begun)
        return begun;
    int line = 0;
    for (const char *s = text, *end; s < text + n; s = end + 1) {
        end = memchr(s, '\n', (size_t)(text + n - s));
        end = end ? end : text + n;
        line++;
        const char *first = s;
        while (first < end && is_blank(*first))
            first++;
        if (first == end)
            continue;
        row *r = &f->rows[f->n_rows];
        at_status st = line_read(f, first, end, name, line, token, r, err);
        if (st)
            return st;
        token += r->n;
        f->n_rows++;
    }
    if (!f->n_rows)
        return at_fail(err, AT_EINPUT, "%.200s: no line `prompt <sep> chain <sep> answer`", name);
    qsort(f->rows, (size_t)f->n_rows, sizeof *f->rows, row_compare);
    return prompts_index(f, err);
}

static at_status file_open(const char *text, size_t n, const char *name, const at_vocabulary *over,
                           file **out, at_err *err)
{
    if (n > BYTES_MAX)
        return at_fail(err, AT_EDOMAIN, "%.200s: %zu bytes; at most %zu are allowed", name, n, BYTES_MAX);
    file *f = at_calloc(1, sizeof *f);
    if (!f)
        return at_oom(err);
    at_arena_init(&f->arena);
    at_status s = file_read(f, text, n, name, over, err);
    if (s) {
        at_arena_release(&f->arena);
        at_free(f);
    } else
        *out = f;
    return s;
}

at_status at_source_parse(const char *text, size_t n, const char *name, at_source **out, at_err *err)
{
    file *f;
    at_status s = file_open(text, n, name, &(at_vocabulary){0}, &f, err);
    if (s)
        return s;
    at_source *d = at_calloc(1, sizeof *d);
    at_source made = {.verbs = &verbs, .more = f};
    if (!d) {
        source_close(&made);
        return at_oom(err);
    }
    *d = made;
    *out = d;
    return AT_OK;
}

/* ---- as a problem's stream --------------------------------------------------------------------------------- */

static at_status source_open(at_source *d, at_err *err)
{
    const at_lines *l = ((const at_problem *)d->p.of)->self;
    file *f = NULL;
    at_status s = file_open(l->text, l->n, l->name, &l->words, &f, err);
    d->more = f;
    return s;
}

#define LINES                                                                                                \
    .id = "lines", .title = "a user's own lines", .format = "prompt <sep> chain <sep> answer", .verbs = &verbs

const at_stream at_stream_lines = {LINES};

/* whole=1 says so, to whoever reads the file's parameters: a model remembers them. */
static const at_param schema[] = {
    {"whole", "all lines are for training, none is kept for tests", 1, 1, 1, true, NULL}};
const at_stream at_stream_lines_whole = {LINES, .params = schema, .n_params = STREAM_PARAMS(schema)};

/* The first line that says anything must be one of ours; otherwise nobody waits for the rest of the file. */
static at_status first_look(const char *path, const char *first, size_t n, at_err *err)
{
    at_source *d = NULL;
    const char *said = first;
    while (said < first + n && (is_blank(*said) || *said == '\n'))
        said++;
    const char *end = memchr(said, '\n', (size_t)(first + n - said));
    at_status s = AT_OK;
    if (end)
        s = at_source_parse(first, (size_t)(end - first), path, &d, err);
    else if (memchr(first, 0, n))
        s = at_fail(err, AT_EINPUT, "%.200s: a zero byte; this is no text", path);
    at_source_free(d);
    return s;
}

at_status at_source_load(const char *path, at_source **out, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read_if(path, BYTES_MAX, first_look, &text, &n, err);
    if (s)
        return s;
    s = at_source_parse(text, n, path, out, err);
    at_free(text);
    return s;
}
