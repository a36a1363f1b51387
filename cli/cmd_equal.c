/* cmd_equal.c: `attest equal`: are two models the same function? */
#include "equal_counts.h"
#include "equal_words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Its own options. */
typedef struct {
    const char *problem, *lengths; /* NULL: not given */
    bool exact;
    uint64_t sampled;
    double tolerance;
    cli_language language; /* regex NULL: two models */
    cli_counts counts;
} own;

static const char *const which[2] = {"first", "second"};

/* ---- who knows which assignment ---------------------------------------------------------------------------- */

/* One that parameters are for: a claim, a program, a view of the problem. */
typedef struct {
    const at_param *schema;
    int n;
} knower;

static bool knows(const knower *k, const char *name, size_t n)
{
    for (int i = 0; i < k->n; i++)
        if (!strncmp(k->schema[i].name, name, n) && !k->schema[i].name[n])
            return true;
    return false;
}

/* Those of the assignments that k knows. */
static const char *known_of(const char *set, const knower *k, int n, at_arena *a)
{
    static const char blanks[] = " \t\r\n,";
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "");
    for (const char *s = set ? set : ""; *(s += strspn(s, blanks)); s += strcspn(s, blanks)) {
        bool any = false;
        for (int i = 0; i < n; i++)
            any = any || knows(&k[i], s, strcspn(s, "= \t\r\n,"));
        if (any) {
            at_text_addn(&t, s, strcspn(s, blanks));
            at_text_add(&t, " ");
        }
    }
    char *copy = t.oom ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    return copy;
}

static at_status all_known(const char *set, const knower *k, int n, at_err *err)
{
    static const char blanks[] = " \t\r\n,";
    for (const char *s = set ? set : ""; *(s += strspn(s, blanks)); s += strcspn(s, blanks)) {
        size_t length = strcspn(s, "= \t\r\n,");
        bool any = false;
        for (int i = 0; i < n; i++)
            any = any || knows(&k[i], s, length);
        if (!any)
            return at_fail(err, AT_EINPUT, "--set '%.*s': no model here and no problem has such a parameter",
                           (int)(length < 40 ? length : 40), s);
    }
    return AT_OK;
}

/* ---- what the words name -------------------------------------------------------------------------------------- */

enum { MODEL_A, MODEL_B, POSITIONS, CHAIN, ROWS, KNOWERS };

typedef struct {
    const cli_args *a;
    const own *o;
    at_arena arena;
    cli_claims held;
    const at_claim *claim[2]; /* NULL: a file */
    at_reading text[2];       /* in some language; front NULL: a model */
    at_model m[2];
    int n, loaded; /* models: two, or one and a language */
    knower knower[KNOWERS];
    at_problem *problem;
    const char *problem_set; /* what it takes of --set */
    at_asked asked;
    bool is_asked;
} job;

static at_status schemas_find(job *j, at_err *err)
{
    at_status s = AT_OK;
    for (int k = 0; k < j->n && !s; k++) {
        const char *word = j->a->words[k];
        if (!at_claim_find(word) && at_front_of_word(word)) {
            s = at_front_open(word, &j->text[k], err);
            if (!s)
                s = at_front_params(&j->text[k], &j->arena, &j->knower[k].schema, &j->knower[k].n, err);
        } else if (cli_is_claim(word) || !strpbrk(word, "./"))
            s = cli_claim_open(&j->held, word, &j->claim[k], err);
        if (j->claim[k])
            j->knower[k] = (knower){j->claim[k]->params, j->claim[k]->n_params};
    }
    if (!s && j->o->problem)
        s = at_problem_open(j->o->problem, &j->problem, err);
    for (int v = 0; j->problem && v < AT_VIEWS; v++)
        if (at_problem_has(j->problem, (at_view)v))
            j->knower[POSITIONS + v].n =
                at_problem_schema(j->problem, (at_view)v, &j->knower[POSITIONS + v].schema);
    return s ? s : all_known(j->a->set, j->knower, KNOWERS, err);
}

/* What of --set is for these, after the sizes that a model file remembers of this very problem. */
static at_status set_find(job *j, const char *problem, const knower *k, int n, bool length, const char **out,
                          at_err *err)
{
    at_status s = AT_OK;
    *out = known_of(j->a->set, k, n, &j->arena);
    for (int i = 0; i < j->n && !s; i++) {
        cli_recalled known;
        if (j->claim[i] || j->text[i].front)
            continue;
        s = cli_recall(j->a, j->a->words[i], problem, length, &known, err);
        bool more = !s && strcmp(known.set.s, j->a->set ? j->a->set : "") != 0;
        if (more)
            *out = known_of(known.set.s, k, n, &j->arena);
        cli_recalled_release(&known);
        if (more)
            break;
    }
    return s ? s : *out ? AT_OK : at_oom(err);
}

static at_status model_load(job *j, int k, at_err *err)
{
    const char *word = j->a->words[k], *set;
    at_status s = set_find(j, word, &j->knower[k], 1, true, &set, err);
    if (s)
        return s;
    if (j->claim[k]) {
        const at_task *t;
        at_params p, tp;
        cli_args mine = *j->a;
        mine.set = set;
        s = cli_claim_params(&mine, j->claim[k], NULL, &p, &t, &tp, err);
        return s ? s : at_claim_model(j->claim[k], &p, &j->m[k], err);
    }
    if (!j->text[k].front)
        return at_model_load(&j->m[k], word, err);
    at_said said;
    at_said_init(&said);
    at_front_options o = {.arith = j->a->has_precision ? &j->a->precision : NULL};
    s = at_front_compile(&j->text[k], set, &o, &j->m[k], &said, err);
    at_said_release(&said);
    return s;
}

/* The problem is asked of both models; what it asks of the first is what is run. */
static at_status problem_ask(job *j, at_err *err)
{
    const char *set;
    at_status s = set_find(j, j->o->problem, &j->knower[POSITIONS], AT_VIEWS, false, &set, err);
    if (s)
        return s;
    j->problem_set = set;
    for (int turn = 0; turn < 3; turn++) {
        int k = turn % 2;
        if (j->is_asked)
            at_asked_release(&j->asked);
        j->is_asked = false;
        at_err why = {0};
        s = at_problem_ask(j->problem, &j->m[k], set, &j->asked, &why);
        if (s)
            return at_fail(err, s, "the %s model: %s", which[k], why.text);
        j->is_asked = true;
    }
    return AT_OK;
}

static at_status lengths_read(const job *j, at_equal_question *q, at_err *err)
{
    const char *s = j->o->lengths, *dots = s ? strstr(s, "..") : NULL;
    int64_t lo, hi;
    if (!s) { /* N of the problem is a length too */
        q->has_lengths =
            j->is_asked && j->asked.view == AT_VIEW_POSITIONS && at_assignments_name(j->problem_set, "N");
        q->least = q->most = q->has_lengths ? at_params_int(&j->asked.params, "N") : 0;
        return AT_OK;
    }
    size_t n = dots ? (size_t)(dots - s) : strlen(s);
    if (!at_parse_i64(s, n, &lo) || !at_parse_i64(dots ? dots + 2 : s, strlen(dots ? dots + 2 : s), &hi) ||
        lo < 0 || hi < lo || hi > AT_MAX_LENGTH)
        return at_fail(err, AT_EINPUT, "lengths '%.40s': must be as in 0..6, or one number", s);
    *q = (at_equal_question){.has_lengths = true, .least = (int)lo, .most = (int)hi};
    return AT_OK;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

static void output_print(const job *j, const at_equality *e, int k, at_text *t)
{
    const at_model *m = &j->m[k];
    if (m->decode.enabled) {
        at_written_print(m, &(at_input){e->rows[k], e->output[k]}, t);
        if (!e->ended[k])
            at_text_add(t, e->rows[k] ? " (and no end)" : "(nothing)");
        return;
    }
    for (int i = 0; i < e->rows[k] * e->width; i++) {
        if (i)
            at_text_add(t, i % e->width ? "," : " ");
        if (!e->decided[k] || e->decided[k][i] == AT_TRUE)
            at_decision_print(m, e->output[k][i], t);
        else
            at_text_add(t, "?");
    }
}

static void lengths_print(const at_equality *e, at_text *t)
{
    if (e->least < 0)
        at_text_add(t, "of the problem");
    else if (e->least == e->most)
        at_text_addf(t, "of length %d", e->least);
    else
        at_text_addf(t, "of lengths %d..%d", e->least, e->most);
}

static int answer_print(const job *j, const at_equality *e, int code)
{
    char count[32], arith[16];
    at_text t;
    at_text_init(&t);
    at_count_text(count, e->inputs);
    at_arith_name(j->a->precision, arith);
    bool exact = e->evidence == AT_EV_EXACT;
    const char *noun = j->m[0].decode.enabled ? "prompt" : "input", *s = e->inputs == 1 ? "" : "s";
    if (e->equal == AT_TRUE)
        at_text_addf(&t, "equal: exact, %s %s%s ", count, noun, s);
    else if (e->equal == AT_FALSE)
        at_text_addf(&t, "not equal: first on %s%s number %s ", exact ? "" : "drawn ", noun, count);
    else if (e->undecided)
        at_text_addf(&t, "undecided: %s %s%s ", count, noun, s);
    else
        at_text_addf(&t, "sampled: no difference on %s %s%s ", count, noun, s);
    lengths_print(e, &t);
    at_text_addf(&t, ", %s", arith);
    if (e->equal != AT_FALSE && isfinite(e->margin))
        at_text_addf(&t, ", least margin %.3g", e->margin);
    at_text_add(&t, "\n");
    if (e->equal == AT_TRUE && e->least >= 0 && (e->least > e->common_least || e->most < e->common_most))
        at_text_addf(&t, "  both take lengths %d..%d; the others were not asked\n", e->common_least,
                     e->common_most);
    if (e->endless)
        at_text_addf(&t, "  after %" PRIu64 " of them neither comes to an end, with the same rows written\n",
                     e->endless);
    if (e->undecided)
        at_text_addf(&t, "  %" PRIu64 " undecided; the first:\n", e->undecided);
    else if (e->note)
        at_text_addf(&t, "  %s\n", e->note);
    if (e->has_witness) {
        at_text_add(&t, "  input   ");
        at_input_print(&j->m[0], &e->x, &t);
        for (int k = 0; k < 2; k++) {
            at_text_addf(&t, "\n  %-7s ", which[k]);
            output_print(j, e, k, &t);
        }
        at_text_addf(&t, "\n  %s at %s %d\n", e->equal == AT_FALSE ? "they differ" : "undecided",
                     j->m[0].decode.enabled ? "row" : "position", e->position + 1);
    }
    return cli_put_text(j->a, &t, code);
}

static json_t *text_json(at_text *t)
{
    json_t *o = t->oom ? NULL : cli_json_text(t->s ? t->s : "");
    at_text_release(t);
    return o;
}

static json_t *witness_json(const job *j, const at_equality *e)
{
    if (!e->has_witness)
        return json_null();
    at_text t;
    at_text_init(&t);
    at_input_print(&j->m[0], &e->x, &t);
    json_t *o = cli_json_set(json_object(), "input", text_json(&t));
    for (int k = 0; k < 2; k++) {
        at_text_init(&t);
        output_print(j, e, k, &t);
        o = cli_json_set(o, which[k], text_json(&t));
    }
    o = cli_json_set(o, "position", json_integer(e->position + 1));
    return cli_json_set(o, "index", json_integer((json_int_t)e->index));
}

static json_t *pair_json(int a, int b)
{
    return a < 0 ? json_null() : cli_json_add(cli_json_add(json_array(), json_integer(a)), json_integer(b));
}

static int answer_json(const job *j, const at_equality *e, int code)
{
    char arith[16];
    at_arith_name(j->a->precision, arith);
    json_t *o = json_object();
    for (int k = 0; k < 2; k++)
        o = cli_json_set(o, k ? "b" : "a", cli_json_text(j->a->words[k]));
    o = cli_json_set(o, "equal", e->equal == AT_UNKNOWN ? json_null() : json_boolean(e->equal == AT_TRUE));
    o = cli_json_set(o, "evidence", cli_json_text(at_evidence_names[e->evidence]));
    o = cli_json_set(o, "arithmetic", cli_json_text(arith));
    o = cli_json_set(o, "inputs", json_integer((json_int_t)e->inputs));
    o = cli_json_set(o, "undecided", json_integer((json_int_t)e->undecided));
    o = cli_json_set(o, "endless", json_integer((json_int_t)e->endless));
    o = cli_json_set(o, "lengths", pair_json(e->least, e->most));
    o = cli_json_set(o, "common", pair_json(e->common_least, e->common_most));
    o = cli_json_set(o, "margin", cli_json_number(e->margin));
    o = cli_json_set(o, "witness", witness_json(j, e));
    return cli_put_json(j->a, cli_json_set(o, "note", e->note ? cli_json_text(e->note) : json_null()), code);
}

/* Is a model asked about a language, and nothing said of inputs to run? */
static bool language_asked(const job *j)
{
    const own *o = j->o;
    return j->n == 2 && !j->claim[0] && !j->text[0].front && j->text[1].front && j->text[1].problem &&
           at_recogniser_of(j->text[1].problem) && !o->problem && !o->lengths && !o->exact && !o->sampled &&
           !j->a->has_precision && !j->a->set;
}

static int compare(job *j)
{
    at_err err = {0};
    at_equality e;
    at_equal_question q = {.seed = 0};
    int code;
    at_status s = schemas_find(j, &err);
    for (int k = 0; k < j->n && !s; k++) {
        s = model_load(j, k, &err);
        j->loaded += !s;
        if (!s && !k && language_asked(j) &&
            cli_equal_language(j->a, &j->m[0], at_recogniser_of(j->text[1].problem), &code))
            return code;
    }
    if (!s && j->o->language.regex)
        return cli_equal_words(j->a, &j->m[0], &j->o->language);
    if (!s && j->o->tolerance > 0 && !at_read_numbers(j->m[0].readout.kind))
        s = at_fail(&err, AT_EINPUT, "the models decide, and decisions are the same or not: no --tolerance");
    if (!s && j->problem)
        s = problem_ask(j, &err);
    if (!s)
        s = lengths_read(j, &q, &err);
    q.arith = j->a->precision;
    q.exact = j->o->exact;
    q.sampled = j->o->sampled;
    q.seed = j->a->seed;
    q.tolerance = j->o->tolerance;
    q.asked = j->is_asked ? &j->asked : NULL;
    at_check_env env = {.threads = j->a->threads, .progress = cli_progress()};
    if (!s)
        s = at_equal(&j->m[0], &j->m[1], &q, &env, &j->arena, &e, &err);
    cli_progress_clear();
    if (s)
        return cli_fail(j->a, &err);
    code = e.equal == AT_TRUE ? CLI_HOLDS : e.equal == AT_FALSE ? CLI_FAILS : CLI_UNDECIDED;
    return j->a->json ? answer_json(j, &e, code) : answer_print(j, &e, code);
}

/* Are counting programs compared as they are, for all lengths? With lengths, sizes or an arithmetic they become models. */
static bool counts_asked(const cli_args *a, const own *o)
{
    return a->n_words && cli_is_counts(a->words[0]) && !o->problem && !o->lengths && !o->exact &&
           !o->sampled && !a->set && !a->has_precision && !o->tolerance;
}

static int counts_run(const cli_args *a, const own *o)
{
    int words = o->language.regex || o->counts.empty ? 1 : 2;
    if (o->counts.empty && (o->counts.include || o->language.regex))
        return cli_usage(a, "--empty asks of one program alone");
    if (a->n_words != words)
        return cli_usage(a, words == 1 ? "%s goes with one program" : "a second program is missing%s",
                         words == 1 ? o->counts.empty ? "--empty" : "--regex" : ", or --regex, or --empty");
    return cli_equal_counts(a, &o->language, &o->counts);
}

static int run(const cli_args *a)
{
    job j = {.a = a, .o = a->own};
    const cli_language *l = &j.o->language;
    if (counts_asked(a, j.o))
        return counts_run(a, j.o);
    if (j.o->counts.include || j.o->counts.empty)
        return cli_usage(a, "%s is for counting programs, FILE.crasp or FILE.cr, on words of all lengths",
                         j.o->counts.empty ? "--empty" : "--include");
    j.n = l->regex ? 1 : 2;
    if (a->n_words != j.n)
        return cli_usage(a, l->regex ? "--regex is compared with one model"
                                     : "two models are missing, or a model and --regex");
    if (!l->regex && (l->alphabet || l->textbook))
        return cli_usage(a, "%s is for --regex", l->alphabet ? "--alphabet" : "--textbook");
    if (l->regex && (j.o->problem || j.o->lengths || j.o->exact || j.o->sampled))
        return cli_usage(a, "--regex decides for all words; nothing is run");
    if (j.o->exact && j.o->sampled)
        return cli_usage(a, "--exact and --sampled exclude each other");
    at_arena_init(&j.arena);
    int code = compare(&j);
    if (j.is_asked)
        at_asked_release(&j.asked);
    at_problem_free(j.problem);
    for (int k = 0; k < j.loaded; k++)
        at_model_release(&j.m[k]);
    for (int k = 0; k < 2; k++)
        at_reading_release(&j.text[k]);
    cli_claims_release(&j.held);
    at_arena_release(&j.arena);
    return code;
}

static const own usual = {.tolerance = 0};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_THREADS},
    {CLI_SEED},
    {CLI_PRECISION},
    {"--problem", "P", "on its inputs: a name or a file (docs/problems.md)", CLI_TEXT(own, problem),
     .alias = "--task"},
    {"--lengths", "A..B", "lengths of the inputs, as in 0..6 (default: the first few)",
     CLI_TEXT(own, lengths)},
    {"--exact", NULL, "every input, however long that takes", CLI_FLAG(own, exact)},
    {"--sampled", "N", "N inputs of each length, drawn", CLI_WHOLE(own, sampled, 1, 1000000000000)},
    {"--tolerance", "E", "how far reals may be apart (default 0: the same numbers)",
     CLI_NUMBER(own, tolerance, 0, 1e12)},
    {"--regex", "RE", "A and this language, on words of all lengths", CLI_TEXT(own, language.regex)},
    {"--alphabet", "LETTERS", "of --regex (default: those of the model)", CLI_TEXT(own, language.alphabet)},
    {"--textbook", NULL, "refuse a+b, which elsewhere means a|b", CLI_FLAG(own, language.textbook)},
    {"--include", NULL, "of counting programs: is every word of A one of B?", CLI_FLAG(own, counts.include)},
    {"--empty", NULL, "of a counting program: does it accept no word?", CLI_FLAG(own, counts.empty)},
    {0},
};

const cli_command cmd_equal = {
    .name = "equal",
    .summary = "are two models the same function?",
    .usage = "A B|A --regex RE|A --empty [--include] [--problem P] [--lengths A..B] [--set K=V] [--precision "
             "P] [--exact|--sampled N]",
    .about =
        "Runs two models on the same inputs and compares what comes out. A and B are model files, texts "
        "that\n"
        "`compile` takes (FILE.program, FILE.dp: in standard attention), or claims (an id, or FILE.claim);\n"
        "--set goes to those of them, and to the problem, that have the parameter. Inputs are all that the "
        "fields of the models allow, at the "
        "lengths\n"
        "that both take, the shortest first, as far as that is quick; the fields must be alike. --lengths "
        "says\n"
        "which lengths, and then all of them are run. With --problem P they are the inputs of P, and models\n"
        "that do not fit it are refused. Of decoders what they write after every prompt is compared.\n"
        "\n"
        "Decisions are compared as they come out in the arithmetic of --precision, and reals as numbers, or\n"
        "with --tolerance E by their distance at each position. Models that differ get a witness: the first\n"
        "input on which they do, made short and simple and run again. Where inputs cannot be listed, or "
        "with\n"
        "--sampled N, some are drawn: then a witness decides, and nothing else does.\n"
        "\n"
        "With --regex RE a model of unique-hard attention without positions is turned into an automaton and\n"
        "compared with that of the expression: the answer is for words of all lengths, with a shortest word\n"
        "where it is no. Other models are refused by name. A file that has an automaton (.regex, .dfa, .ltl\n"
        "and .brasp that look one way) is compared so, too, where the model allows it and neither lengths "
        "nor a\n"
        "precision are asked for.\n"
        "\n"
        "Two counting programs (FILE.crasp, FILE.cr), or one and --regex RE, are compared as they are, on\n"
        "words of all lengths: proved, with an invariant that a second query shows again; refuted, with a\n"
        "shortest word; or undecided. --include asks whether every word of A is one of B, --empty whether A\n"
        "has none (docs/prove.md). With --lengths, --set or --precision they are compiled, and run.\n"
        "\n"
        "Exit code: 0 equal on every input asked, 1 not equal, 2 bad usage or input, 3 undecided: only\n"
        "samples were run, or an output is not decided.",
    .examples = "attest equal match2 examples/pairs.program --set N=4,M=7\n"
                "attest equal m.safetensors other.safetensors --lengths 1..5\n"
                "attest equal m.safetensors match2 --problem match2 --set M=11 --lengths 1..4\n"
                "attest equal m.safetensors m32.safetensors --precision f32 --json\n"
                "attest equal dp-standard dp-linear --set problem=lis,a=3,b=3\n"
                "attest equal lis.safetensors examples/lis.dp\n"
                "attest equal m.safetensors --regex '(ab)*'\n"
                "attest equal m.safetensors m.ltl\n"
                "attest equal a.crasp b.crasp --include\n"
                "attest equal examples/dyck-1.crasp --empty\n",
    .options = options,
    CLI_OWN(usual),
    .most = 2,
    .run = run,
};
