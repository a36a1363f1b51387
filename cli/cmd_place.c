/* cmd_place.c: `attest place`: where a regular language lies, with the word that shows it. */
#include "place_crasp.h"
#include "place_task.h"

#include <string.h>
#include <unistd.h>

typedef struct {
    const char *alphabet, *problem;
    bool textbook, last;
} own;

/* What the place means for attention: the strongest statement that applies. */
typedef struct {
    const char *class, *attention;
} meaning;

static meaning meaning_of(const at_place *p)
{
    if (p->star_free == AT_TRUE)
        return (meaning){
            "star-free: FO[<], in AC0",
            "unique-hard attention without positions, one layer a level of its cascade of resets"};
    if (p->fo_mod == AT_TRUE)
        return (meaning){"FO[<, MOD]: in AC0, not star-free",
                         "unique-hard attention with positions modulo a number"};
    if (p->solvable == AT_TRUE)
        return (meaning){"ACC0, not in AC0: no unique-hard attention at any size",
                         "softmax attention that counts, at constant depth; or log2 N layers"};
    if (p->solvable == AT_FALSE)
        return (meaning){"complete for NC1: a group that is not solvable",
                         "log2 N layers, or a chain of thought with one state a letter"};
    return (meaning){"unknown: more than 20,000 elements in its monoid",
                     "log2 N layers, or a chain of thought with one state a letter"};
}

static void word_add(const at_place *p, const int *word, int n, at_text *t)
{
    at_text w;
    at_text_init(&w);
    at_alphabet_print(&p->least->sigma, word, n, &w);
    at_text_add_plain(t, w.oom ? "?" : w.s);
    at_text_release(&w);
}

static const char *tri(at_tri v)
{
    return v == AT_TRUE ? "yes" : v == AT_FALSE ? "no" : "unknown";
}

static void group_print(const at_place *p, const at_subgroup *g, at_text *t)
{
    at_text_addf(t, "group        of order %d, %s, made by", g->order,
                 g->core == 1          ? "solvable"
                 : g->core == g->order ? "perfect"
                                       : "not solvable");
    for (int k = 0; k < g->n_generators; k++) {
        int n = at_monoid_length(p->m, g->generator[k]), *word = at_malloc(sizeof *word * (size_t)(n + 1));
        if (!word) {
            t->oom = true;
            return;
        }
        at_monoid_word(p->m, g->generator[k], word);
        at_text_add(t, k ? ", " : " ");
        word_add(p, word, n, t);
        at_free(word);
    }
    if (g->core > 1 && g->core < g->order)
        at_text_addf(t, "; its perfect core has order %d", g->core);
    at_text_add(t, "\n");
}

/* Open is what nobody knows: is NC1 more than TC0? */
static const char *lies_word(const at_lies *l, int class)
{
    at_tri v = at_lies_in(l, class);
    return v == AT_UNKNOWN ? "open" : tri(v);
}

static void place_print(const at_place *p, const cli_place_crasp *counted, const char *shown, at_text *t)
{
    meaning m = meaning_of(p);
    const at_alphabet *sigma = &p->least->sigma;
    at_text_add_plain(t, shown);
    at_text_addf(t, "\n%s\n\nalphabet    ", m.class);
    for (int k = 0; k < sigma->n; k++) {
        at_text_add(t, " ");
        at_text_add_plain(t, sigma->letter[k]);
    }
    at_text_addf(t, "\nstates       %d\nmonoid       ", p->states);
    if (p->monoid < 0)
        at_text_add(t, "more than 20,000 elements\n");
    else
        at_text_addf(t, "%d element%s\n", p->monoid, p->monoid == 1 ? "" : "s");
    at_text_addf(t, "star-free    %s", tri(p->star_free));
    if (p->star_free == AT_FALSE) {
        at_text_add(t, ": powers of ");
        word_add(p, p->witness, p->n_witness, t);
        at_text_addf(t, " never settle, they repeat with period %d", p->period);
    }
    at_text_addf(t, "\nFO[<, MOD]   %s", tri(p->fo_mod));
    if (p->fo_mod == AT_TRUE && p->modulus > 1)
        at_text_addf(t, ", positions modulo %d", p->modulus);
    if (p->fo_mod == AT_FALSE && p->n_mod_witness) {
        at_text_add(t, ": nor do those of ");
        word_add(p, p->mod_witness, p->n_mod_witness, t);
        at_text_addf(t, ", period %d, where lengths are multiples of %d", p->mod_period, p->modulus);
    }
    at_text_addf(t, "\nsolvable     %s\n", tri(p->solvable));
    for (int k = 0; k < p->n_groups; k++)
        group_print(p, &p->groups[k], t);
    cli_place_crasp_print(sigma, counted, t);
    at_dfa_compiler c = at_place_compiler(p);
    at_lies circuit = at_language_lies(p), chomsky = {AT_CHOMSKY_REGULAR, -1, false, "", NULL};
    at_text_add(t, "classes      ");
    for (int k = 0; k < AT_CLASS_BEYOND; k++)
        at_text_addf(t, "%s %s, ", at_class_names[k], lies_word(&circuit, k));
    at_text_addf(t, "%s\n", at_chomsky_names[chomsky.least]);
    at_text_addf(t, "attention    %s\ncompiler     %s: %s\n", m.attention, at_dfa_compilers[c][0],
                 at_dfa_compilers[c][1]);
}

static json_t *tri_json(at_tri v)
{
    return v == AT_TRUE ? json_true() : v == AT_FALSE ? json_false() : json_null();
}

static json_t *word_json(const at_place *p, const int *word, int n, bool is)
{
    if (!is)
        return json_null();
    at_text t;
    at_text_init(&t);
    at_alphabet_print(&p->least->sigma, word, n, &t);
    json_t *j = t.oom ? NULL : cli_json_text(t.s);
    at_text_release(&t);
    return j;
}

static json_t *place_json(const at_place *p, const cli_place_crasp *counted, const char *shown)
{
    meaning m = meaning_of(p);
    const at_alphabet *sigma = &p->least->sigma;
    json_t *o = cli_json_set(json_object(), "language", cli_json_text(shown));
    json_t *letters = json_array(), *groups = json_array();
    for (int k = 0; k < sigma->n; k++)
        letters = cli_json_add(letters, cli_json_text(sigma->letter[k]));
    for (int k = 0; k < p->n_groups; k++) {
        json_t *g = cli_json_set(json_object(), "order", json_integer(p->groups[k].order));
        groups = cli_json_add(groups, cli_json_set(g, "perfect_core", json_integer(p->groups[k].core)));
    }
    o = cli_json_set(o, "alphabet", letters);
    o = cli_json_set(o, "class", cli_json_text(m.class));
    o = cli_json_set(o, "attention", cli_json_text(m.attention));
    o = cli_json_set(o, "compiler", cli_json_text(at_dfa_compilers[at_place_compiler(p)][0]));
    o = cli_json_set(o, "states", json_integer(p->states));
    o = cli_json_set(o, "monoid", p->monoid < 0 ? json_null() : json_integer(p->monoid));
    o = cli_json_set(o, "star_free", tri_json(p->star_free));
    o = cli_json_set(o, "fo_mod", tri_json(p->fo_mod));
    o = cli_json_set(o, "solvable", tri_json(p->solvable));
    o = cli_json_set(o, "witness", word_json(p, p->witness, p->n_witness, p->star_free == AT_FALSE));
    o = cli_json_set(o, "period", p->period ? json_integer(p->period) : json_null());
    o = cli_json_set(o, "modulus", p->modulus ? json_integer(p->modulus) : json_null());
    o = cli_json_set(o, "mod_witness", word_json(p, p->mod_witness, p->n_mod_witness, p->n_mod_witness > 0));
    o = cli_json_set(o, "mod_period", p->mod_period ? json_integer(p->mod_period) : json_null());
    at_lies circuit = at_language_lies(p), chomsky = {AT_CHOMSKY_REGULAR, -1, false, "an automaton", NULL};
    o = cli_json_set(o, "lies", cli_lies_json(&circuit, &chomsky));
    o = cli_json_set(o, "crasp", cli_place_crasp_json(sigma, counted));
    return cli_json_set(o, "groups", groups);
}

/* A file of a language of words, or the expression itself. What is printed lives in the arena, or in *held. */
static at_status language_open(const char *word, const own *o, at_arena *arena, at_problem **held,
                               const at_dfa **d, const at_formulas **f_out, at_text *shown, at_err *err)
{
    const char *alphabet = o->alphabet;
    const at_front *f = at_front_of_file(word);
    if (f || (strpbrk(word, "./") && access(word, F_OK) == 0)) { /* one of another suffix, by how it begins */
        at_status s = at_problem_open_over(word, alphabet, held, err);
        const at_recogniser *w = s ? NULL : at_recogniser_of(*held);
        if (!s && !w)
            return at_fail(err, AT_EREFUSED, "%.200s is %s, no language of words", word,
                           f ? f->lang->about : "a problem");
        if (!s) {
            *d = w->dfa;
            *f_out = w->formulas;
            at_text_add(shown, w->text);
        }
        return s;
    }
    if (!alphabet &&
        at_task_place_find(word)) /* the one word "parity" is star-free, and the problem is not */
        return at_fail(err, AT_EINPUT,
                       "%s is the name of a problem: --problem %s; as an expression it takes --alphabet",
                       word, word);
    at_alphabet given, sigma;
    at_regex *e;
    at_dfa *made;
    at_status s = o->textbook ? at_regex_textbook(word, err) : AT_OK;
    if (!s && alphabet)
        s = at_alphabet_parse(alphabet, arena, &given, err);
    if (!s)
        s = at_regex_parse(word, alphabet ? &given : NULL, NULL, 1, 1, arena, &e, &sigma, err);
    if (!s)
        s = at_regex_dfa(e, &sigma, arena, &made, err);
    if (!s) {
        *d = made;
        at_regex_print(e, &sigma, shown);
    }
    return s;
}

static bool is_model(const char *word)
{
    return (at_ends_with(word, ".safetensors") || at_ends_with(word, ".st")) && access(word, F_OK) == 0;
}

/* What a word names: one of these. */
typedef struct {
    at_problem *held;
    at_model m;
    bool has_model;
    const at_dfa *d;             /* NULL: no automaton */
    const at_formulas *formulas; /* NULL: none */
    at_err why;                  /* of a model: why it is no automaton */
    at_text shown;
} subject;

static at_status subject_open(const char *word, const own *o, at_arena *arena, subject *x, at_err *err)
{
    if (!is_model(word))
        return language_open(word, o, arena, &x->held, &x->d, &x->formulas, &x->shown, err);
    at_extracted found;
    at_status s = at_model_load(&x->m, word, err);
    x->has_model = !s;
    if (s)
        return s;
    at_text_addf(&x->shown, "%s: what it accepts, on words of all lengths", word);
    s = at_extract_dfa(&x->m, arena, &found, &x->why);
    if (!s)
        x->d = found.dfa;
    return s == AT_ENOMEM || s == AT_ECANCEL ? at_fail(err, s, "%s", x->why.text) : AT_OK;
}

static int language_put(const cli_args *a, const own *o, const subject *x, at_arena *arena)
{
    at_err err = {0};
    at_place p;
    cli_place_crasp c;
    at_text t;
    at_text_init(&t);
    at_status s = x->shown.oom ? at_oom(&err) : at_place_find(x->d, arena, &p, &err);
    if (!s)
        s = cli_place_crasp_find(p.least, arena, &c, &err);
    if (!s && a->out)
        s = cli_place_crasp_write(&c, o->last, a->out, &err);
    if (s)
        return cli_fail(a, &err);
    int code = p.monoid < 0 ? CLI_UNDECIDED : CLI_HOLDS;
    if (a->json)
        return cli_put_json(a, place_json(&p, &c, x->shown.s), code);
    place_print(&p, &c, x->shown.s, &t);
    return cli_put_text(a, &t, code);
}

static int run(const cli_args *a)
{
    const own *o = a->own;
    at_err err = {0};
    if (o->problem && a->n_words)
        return cli_usage(a, "--problem stands instead of an expression or a file");
    if (o->problem)
        return a->out ? cli_usage(a, "-o writes the program of a regular language")
                      : cli_place_problem(a, o->problem);
    if (!a->n_words)
        return cli_usage(a, "a regular expression, a file or --problem is missing");
    at_arena arena;
    subject x = {0};
    at_arena_init(&arena);
    at_text_init(&x.shown);
    at_status s = subject_open(a->words[0], o, &arena, &x, &err);
    if (!s && !x.d && a->out)
        s = at_fail(&err, AT_EREFUSED, "-o writes the program of a regular language");
    int code = s             ? cli_fail(a, &err)
               : x.d         ? language_put(a, o, &x, &arena)
               : x.has_model ? cli_place_model(a, &x.m, x.why.text)
                             : cli_place_formulas(a, x.formulas);
    if (x.has_model)
        at_model_release(&x.m);
    at_text_release(&x.shown);
    at_problem_free(x.held);
    at_arena_release(&arena);
    return code;
}

static const own usual = {0};
static const cli_option options[] = {
    {CLI_JSON},
    {"--alphabet", "LETTERS", "its letters: 'a b c', or \"abc\" (default: those that occur)",
     CLI_TEXT(own, alphabet)},
    {"--textbook", NULL, "refuse a+b, which elsewhere means a|b", CLI_FLAG(own, textbook)},
    {"--problem", "P", "where a problem lies, and which claims are about it", CLI_TEXT(own, problem),
     .alias = "--task"},
    {"-o", "FILE", "where to write its program in C-RASP, if there is one", CLI_WRITTEN(cli_args, out),
     .shared = true},
    {"--last", NULL, "that program, accepting at the last letter", CLI_FLAG(own, last)},
    {0},
};

const cli_command cmd_place = {
    .name = "place",
    .summary = "where a language, problem or model lies: AC0, ACC0, TC0, NC1",
    .usage =
        "REGEX|FILE|MODEL|--problem P [--alphabet LETTERS] [--textbook] [-o FILE.crasp [--last]] [--json]",
    .about =
        "Makes the least automaton of a regular expression and its monoid, and says where the language\n"
        "lies and which attention can recognise it: star-free (FO[<]), FO[<, MOD] (what AC0 has of\n"
        "the regular languages), ACC0, or complete for NC1. Each \"no\" has a witness: a word whose\n"
        "powers repeat with a period, or a group that is not solvable. docs/languages.md has the syntax:\n"
        "| & ~ * + ? {m,n} . [abc] [^a] ( ) \\ ε ∅.\n"
        "\n"
        "Whether the language is in C-RASP is said for both ways of accepting, at the end marker and at the "
        "last\n"
        "letter. A \"yes\" has a program, which -o writes and `attest equal FILE.crasp --regex RE` proves "
        "right;\n"
        "a \"no\" is by a theorem, with two words after which no count tells where the automaton is\n"
        "(docs/prove.md).\n"
        "\n"
        "--problem P says of a problem what is proved of it, class by class, AC0 <= ACC0 <= TC0 <= NC1 and "
        "the\n"
        "Chomsky hierarchy, why, and by which claims of the catalogue. A model that is an automaton is "
        "placed\n"
        "like a language; another by its parts: what its layers can have at any length.\n"
        "\n"
        "A .regex, .dfa, .jff or .dot file is named instead of an expression. Exit 3 when the monoid has "
        "more than "
        "20,000 elements: then nothing is said.",
    .examples = "attest place '(ab)*'\n"
                "attest place '(aa)*' --alphabet 'a b'\n"
                "attest place '~(.*aa.*)' --alphabet 'a b' --json\n"
                "attest place examples/ends-ab.dfa\n"
                "attest place '(ab)*' -o ab.crasp\n"
                "attest place --problem parity\n"
                "attest place m.safetensors\n",
    .options = options,
    CLI_OWN(usual),
    .most = 1,
    .run = run,
};
