/* judge_regular.c: regular languages, their least automata and where they lie, written down for judges that share no
 * code with attest: foma (automata) and GAP (monoids and groups), asked by judge_regular.py.
 *
 *     judge_regular FILE [RANDOM]     the 60 expressions of the claim star-free, RANDOM (300) random expressions, and
 *                                     a third as many random automata, some of them groups
 *
 * A line of FILE is one language: from, letters, and either text (an expression) or given (an automaton: to, accept; it
 * starts in 0). Beside it stands what attest says: to and accept of the least automaton, monoid (elements), star_free,
 * fo_mod and solvable (null: unknown), witness and period, modulus, mod_witness and mod_period, groups (order, and that of
 * the last group of the derived series). Words are lists of letters by number. */
#include "../src/claim/schutzenberger1965/known.h"

#include <attest/lang.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    FILE *file;
    const char *name; /* of the language at hand */
    int expressions, automata, plain;
    at_err err;
} judge;

/* ---- what attest says ----------------------------------------------------------------------------------- */

static json_t *integers(const int *v, int n)
{
    json_t *all = json_array();
    for (int k = 0; k < n; k++)
        json_array_append_new(all, json_integer(v[k]));
    return all;
}

static json_t *tri(at_tri v)
{
    return v == AT_UNKNOWN ? json_null() : json_boolean(v == AT_TRUE);
}

static void automaton_add(json_t *o, const at_dfa *d)
{
    json_t *to = json_array(), *accept = json_array();
    for (int q = 0; q < d->states; q++) {
        json_array_append_new(to, integers(d->to + q * d->sigma.n, d->sigma.n));
        json_array_append_new(accept, json_boolean(d->accept[q]));
    }
    json_object_set_new(o, "to", to);
    json_object_set_new(o, "accept", accept);
}

static void place_add(json_t *o, const at_place *p)
{
    automaton_add(o, p->least);
    json_t *groups = json_array();
    for (int k = 0; k < p->n_groups; k++)
        json_array_append_new(groups, json_pack("[i, i]", p->groups[k].order, p->groups[k].core));
    json_object_set_new(o, "monoid", json_integer(p->monoid));
    json_object_set_new(o, "star_free", tri(p->star_free));
    json_object_set_new(o, "fo_mod", tri(p->fo_mod));
    json_object_set_new(o, "solvable", tri(p->solvable));
    json_object_set_new(o, "witness", integers(p->witness, p->n_witness));
    json_object_set_new(o, "period", json_integer(p->period));
    json_object_set_new(o, "modulus", json_integer(p->modulus));
    json_object_set_new(o, "mod_witness", integers(p->mod_witness, p->n_mod_witness));
    json_object_set_new(o, "mod_period", json_integer(p->mod_period));
    json_object_set_new(o, "groups", groups);
}

/* o, which is released here, gets the rest of its line. count: of its kind. Chance makes many languages of one or two
 * states: of these one in five is kept. */
static at_status language_write(judge *j, json_t *o, const at_dfa *d, bool chance, int *count, at_arena *a)
{
    at_place p;
    at_status s = at_place_find(d, a, &p, &j->err);
    if (!s && !(chance && p.states < 3 && j->plain++ % 5)) {
        ++*count;
        json_t *letters = json_array();
        for (int c = 0; c < d->sigma.n; c++)
            json_array_append_new(letters, json_string(d->sigma.letter[c]));
        json_object_set_new(o, "letters", letters);
        place_add(o, &p);
        char *text = json_dumps(o, JSON_COMPACT);
        if (!text || fprintf(j->file, "%s\n", text) < 0)
            s = at_fail(&j->err, AT_EIO, "cannot write");
        free(text);
    }
    json_decref(o);
    return s;
}

static at_status expression_write(judge *j, const char *letters, const char *text, bool chance)
{
    at_arena a;
    at_arena_init(&a);
    at_alphabet given, sigma;
    at_regex *e;
    at_dfa *d;
    j->name = text;
    at_status s = at_alphabet_parse(letters, &a, &given, &j->err);
    if (!s)
        s = at_regex_parse(text, &given, NULL, 1, 1, &a, &e, &sigma, &j->err);
    if (!s)
        s = at_regex_dfa(e, &sigma, &a, &d, &j->err);
    if (!s)
        s = language_write(
            j,
            json_pack("{s:s, s:s}", "from", chance ? "random expression" : "known expression", "text", text),
            d, chance, &j->expressions, &a);
    at_arena_release(&a);
    return s;
}

/* ---- random ones ---------------------------------------------------------------------------------------- */

static void put(at_rng *r, int depth, at_text *t)
{
    static const char *const atoms[] = {"a",    "b",    "a", "b",  "a", "b", ".",
                                        "[ab]", "[^b]", "ε", "()", "∅", "c"};
    static const char *const marks[] = {"*",   "*",    "*",    "+",     "?",     "{2}",
                                        "{3}", "{1,}", "{2,}", "{0,2}", "{1,3}", "{0}"};
    uint64_t k = at_rng_below(r, depth ? 20 : 1);
    if (k < 1)
        at_text_add(t, atoms[at_rng_below(r, sizeof atoms / sizeof *atoms)]);
    else if (k < 9) {
        put(r, depth - 1, t);
        put(r, depth - 1, t);
    } else if (k < 13) { /* brackets are left out at times: | is weakest, then & */
        bool bare = at_rng_below(r, 4) == 0;
        at_text_add(t, bare ? "" : "(");
        put(r, depth - 1, t);
        at_text_add(t, k == 12 ? "&" : "|");
        put(r, depth - 1, t);
        at_text_add(t, bare ? "" : ")");
    } else if (k < 18) {
        at_text_add(t, "(");
        put(r, depth - 1, t);
        at_text_add(t, ")");
        at_text_add(t, marks[at_rng_below(r, sizeof marks / sizeof *marks)]);
    } else {
        at_text_add(t, "~");
        put(r, depth - 1, t);
    }
}

static at_status expressions_write(judge *j, int count)
{
    at_status s = AT_OK;
    int known = j->expressions;
    for (int k = 0; j->expressions - known < count && !s; k++) {
        at_rng r = at_rng_at(1201, (uint64_t)k);
        at_text text;
        at_text_init(&text);
        put(&r, 3 + k % 3, &text);
        s = text.s ? expression_write(j, "a b c", text.s, true) : at_oom(&j->err);
        at_text_release(&text);
    }
    return s;
}

/* Letters 0 and 1 permute the states, or are drawn without a thought; letter 2 sends all states, or some, to one. */
static at_status automata_write(judge *j, int count)
{
    static const char *const names[] = {"a", "b", "c"};
    at_status s = AT_OK;
    for (int k = 0; j->automata < count && !s; k++) {
        at_rng r = at_rng_at(1202, (uint64_t)k);
        bool permute = k % 4 != 0;
        int states = permute ? 2 + (int)at_rng_below(&r, 5) : 3 + (int)at_rng_below(&r, 3),
            L = 2 + (int)at_rng_below(&r, 2);
        at_arena a;
        at_arena_init(&a);
        at_dfa *d;
        s = at_dfa_new(&(at_alphabet){L, names}, states, &a, &d, &j->err);
        for (int c = 0; c < L && !s; c++) {
            int target = (int)at_rng_below(&r, (uint64_t)states);
            bool reset = at_rng_below(&r, 2);
            for (int q = 0; q < states; q++)
                d->to[q * L + c] = c == 2    ? (reset || !at_rng_below(&r, 3) ? target : q)
                                   : permute ? q
                                             : (int)at_rng_below(&r, (uint64_t)states);
            for (int q = states - 1; q > 0 && permute && c < 2; q--) {
                int other = (int)at_rng_below(&r, (uint64_t)q + 1), t = d->to[q * L + c];
                d->to[q * L + c] = d->to[other * L + c];
                d->to[other * L + c] = t;
            }
        }
        for (int q = 0; q < states && !s; q++)
            d->accept[q] = at_rng_below(&r, 2);
        j->name = "random automaton";
        if (!s) {
            json_t *given = json_object();
            automaton_add(given, d);
            s = language_write(j, json_pack("{s:s, s:o}", "from", "random automaton", "given", given), d,
                               true, &j->automata, &a);
        }
        at_arena_release(&a);
    }
    return s;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: judge_regular FILE [RANDOM]\n");
        return 2;
    }
    judge j = {.file = fopen(argv[1], "w"), .name = ""};
    int count = argc > 2 ? atoi(argv[2]) : 300;
    if (!j.file) {
        perror(argv[1]);
        return 2;
    }
    at_status s = AT_OK;
    for (size_t k = 0; k < sizeof star_free_known / sizeof *star_free_known && !s; k++)
        s = expression_write(&j, star_free_known[k].letters, star_free_known[k].text, false);
    if (!s)
        s = expressions_write(&j, count);
    if (!s)
        s = automata_write(&j, count / 3);
    if (fclose(j.file) && !s)
        s = at_fail(&j.err, AT_EIO, "%s: cannot write", argv[1]);
    if (s) {
        fprintf(stderr, "judge_regular: %s: %s\n", j.name, j.err.text);
        return 1;
    }
    printf("%d expressions, %d automata\n", j.expressions, j.automata);
    return 0;
}
