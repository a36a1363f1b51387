/* judge_ltl.c: random formulas of temporal logic and the words they hold of, written down for MONA, which judge_ltl.py
 * asks.
 *
 *     judge_ltl FILE [COUNT]     COUNT (500) formulas of depth 1 to 5 over two letters
 *
 * Past and future, reflexive and strict, read at all four places, some with positions modulo m. A formula is drawn,
 * printed, read again, and run by definition (at_formulas_run). A line of FILE is one of them: text (the file that was
 * read), depth, verdicts (a digit for each word to WORDS letters, shorter ones first, then in the order of the alphabet; ?
 * where there is none), and long: random words of LONG letters, each with its verdict. */
#include <attest/lang.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 8, LONG = 60, LONG_WORDS = 10, DEPTH = 5 };

typedef struct {
    FILE *file;
    int formulas, plain;
    at_err err;
} judge;

static const at_formula_op one[] = {AT_F_PREVIOUS, AT_F_WEAK_PREVIOUS, AT_F_ONCE,       AT_F_HENCE,
                                    AT_F_NEXT,     AT_F_WEAK_NEXT,     AT_F_EVENTUALLY, AT_F_ALWAYS};
static const at_formula_op two[] = {AT_F_SINCE, AT_F_UNTIL, AT_F_WEAK_UNTIL, AT_F_RELEASE};
static const at_formula_op joins[] = {AT_F_AND, AT_F_OR, AT_F_IMPLIES, AT_F_IFF};

static at_formula_op pick(at_rng *r, const at_formula_op *of, size_t n)
{
    return of[at_rng_below(r, n)];
}
#define PICK(r, of) pick(r, of, sizeof(of) / sizeof *(of))

static at_formula *leaf(at_formulas *f, at_rng *r)
{
    uint64_t k = at_rng_below(r, 20);
    if (k == 0)
        return at_formula_const(f, at_rng_below(r, 2));
    if (k == 1) {
        int m = 2 + (int)at_rng_below(r, 3);
        return at_formula_make(
            f, (at_formula){.op = AT_F_CLASS, .modulus = m, .index = (int)at_rng_below(r, (uint64_t)m)});
    }
    return at_formula_letter(f, (int)(k % 2));
}

/* `depth` temporal operators deep on one way at least, `joined` connectives at most on each. */
static at_formula *draw(at_formulas *f, at_rng *r, int depth, int joined)
{
    uint64_t k = at_rng_below(r, 10);
    if (joined && k < 2)
        return at_formula_one(f, AT_F_NOT, draw(f, r, depth, joined - 1));
    bool join = joined && k < 5;
    if (!depth && !join)
        return leaf(f, r);
    if (!join && at_rng_below(r, 2))
        return at_formula_one(f, PICK(r, one), draw(f, r, depth - 1, joined));
    at_formula_op op = join ? PICK(r, joins) : PICK(r, two);
    int deep = depth - !join, left = joined - join;
    at_formula *x = draw(f, r, deep, left), *y = draw(f, r, (int)at_rng_below(r, (uint64_t)deep + 1), left);
    return at_rng_below(r, 2) ? at_formula_two(f, op, x, y) : at_formula_two(f, op, y, x);
}

static at_status verdict(judge *j, const at_formulas *f, const int *word, int n, char *out)
{
    at_tri v;
    at_status s = at_formulas_run(f, word, n, &v, &j->err);
    *out = s ? '!' : v == AT_TRUE ? '1' : v == AT_FALSE ? '0' : '?';
    return s;
}

static at_status words_run(judge *j, const at_formulas *f, char *out)
{
    at_status s = AT_OK;
    int word[WORDS];
    for (int n = 0; n <= WORDS; n++)
        for (int k = 0; k < 1 << n && !s; k++) {
            for (int i = 0; i < n; i++)
                word[i] = k >> (n - 1 - i) & 1;
            s = verdict(j, f, word, n, out++);
        }
    *out = 0;
    return s;
}

static at_status long_run(judge *j, const at_formulas *f, at_rng *r, json_t *all)
{
    at_status s = AT_OK;
    for (int k = 0; k < LONG_WORDS && !s; k++) {
        int word[LONG];
        char text[LONG + 1] = {0}, v[2] = {0};
        uint64_t share = 1 + at_rng_below(r, 7); /* of a in 8 */
        for (int i = 0; i < LONG; i++) {
            word[i] = at_rng_below(r, 8) >= share;
            text[i] = "ab"[word[i]];
        }
        s = verdict(j, f, word, LONG, v);
        json_array_append_new(all, json_pack("[s, s]", text, v));
    }
    return s;
}

static at_status line_write(judge *j, json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT);
    at_status s =
        text && fprintf(j->file, "%s\n", text) > 0 ? AT_OK : at_fail(&j->err, AT_EIO, "cannot write");
    free(text);
    return s;
}

/* Chance makes many formulas that hold of nearly all short words, or of nearly none: of these one in five is kept. */
static at_status formula_write(judge *j, const at_formulas *f, const char *text, at_rng *r)
{
    char verdicts[1 << (WORDS + 1)];
    at_status s = words_run(j, f, verdicts);
    int yes = 0, no = 0;
    for (const char *v = verdicts; *v && !s; v++) {
        yes += *v == '1';
        no += *v == '0';
    }
    if (s || ((yes < (yes + no) / 16 || no < (yes + no) / 16) && j->plain++ % 5))
        return s;
    json_t *words = json_array();
    s = long_run(j, f, r, words);
    json_t *o = json_pack("{s:s, s:i, s:s, s:o}", "text", text, "depth", at_formula_depth(f, f->accept),
                          "verdicts", verdicts, "long", words);
    if (!s)
        s = line_write(j, o);
    json_decref(o);
    j->formulas++;
    return s;
}

static at_status formula_make(judge *j, uint64_t k)
{
    at_rng r = at_rng_at(1203, k);
    at_arena a;
    at_text text;
    at_formulas *f, *again;
    int longest;
    at_arena_init(&a);
    at_text_init(&text);
    at_status s = at_formulas_new(&(at_alphabet){2, (const char *const[]){"a", "b"}}, &a, &f, &j->err);
    if (!s) {
        f->accept = draw(f, &r, 1 + (int)(k % DEPTH), 2);
        f->strict = at_rng_below(&r, 2);
        f->at = (at_read_at)at_rng_below(&r, AT_ATS);
        s = at_formulas_status(f, &j->err);
    }
    if (!s) {
        at_ltl_print(f, &text);
        char *copy = text.oom ? NULL : at_arena_strdup(&a, text.s);
        s = copy ? at_ltl_read(copy, "drawn.ltl", NULL, &a, &again, &longest, &j->err) : at_oom(&j->err);
    }
    if (!s)
        s = formula_write(j, again, text.s, &r);
    at_text_release(&text);
    at_arena_release(&a);
    return s;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: judge_ltl FILE [COUNT]\n");
        return 2;
    }
    judge j = {.file = fopen(argv[1], "w")};
    int count = argc > 2 ? atoi(argv[2]) : 500;
    if (!j.file) {
        perror(argv[1]);
        return 2;
    }
    at_status s = AT_OK;
    for (uint64_t k = 0; j.formulas < count && !s; k++)
        s = formula_make(&j, k);
    if (fclose(j.file) && !s)
        s = at_fail(&j.err, AT_EIO, "%s: cannot write", argv[1]);
    if (s) {
        fprintf(stderr, "judge_ltl: %s\n", j.err.text);
        return 1;
    }
    printf("%d formulas\n", j.formulas);
    return 0;
}
