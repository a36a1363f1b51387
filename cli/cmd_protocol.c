/* cmd_protocol.c: `attest protocol`: a model computed by parties that hold some positions each, and the bits they send. */
#define _GNU_SOURCE
#include "question.h"

#include <attest/protocol.h>

#include <stdio.h>
#include <string.h>

enum { PARTIES = 26 };

/* Its own options. */
typedef struct {
    const char *problem; /* NULL: not given */
    double tolerance;    /* 0: not given */
    int parties;         /* 0: a word says who holds what */
} own;

/* What the problem says of the readout. */
typedef struct {
    bool asked;
    cli_question q;
    int right, of; /* positions */
} judged;

static void talk_print(const at_talk *t, int parties, const char *word, const char *arith, bool same,
                       at_text *out)
{
    at_text_addf(out, "%s: a number takes %d bits, an exact sum %d\n\nparty  positions  bits sent\n", arith,
                 t->number, t->A);
    for (int p = 0; p < parties; p++) {
        int held = 0;
        for (const char *c = word; *c; c++)
            held += *c == 'A' + p;
        at_text_addf(out, "%-5c  %9d  %9ju\n", 'A' + p, held, (uintmax_t)t->sent[p]);
    }
    at_text_addf(out,
                 "\n%ju messages in %d attention block%s: %ju bits (queries %ju, maxima %ju, sums %ju)\n",
                 (uintmax_t)t->messages, t->epochs, t->epochs == 1 ? "" : "s", (uintmax_t)t->bits,
                 (uintmax_t)t->query_bits, (uintmax_t)t->peak_bits, (uintmax_t)t->sum_bits);
    at_text_addf(out, "readout at %d position%s: %s\n", t->n, t->n == 1 ? "" : "s",
                 same ? "the model's, bit for bit" : "NOT the model's");
}

static void judged_print(const cli_args *a, const judged *j, const at_input *x, at_text *out)
{
    at_text line;
    at_text_init(&line);
    cli_question_print(&j->q, &line);
    if (j->q.drawn)
        at_text_addf(&line, ", an input drawn with --seed %llu", (unsigned long long)a->seed);
    cli_wrap(out, line.oom ? "" : line.s, 0, cli_columns());
    line.n = 0;
    at_input_print(j->q.subject.m, x, &line);
    cli_row(out, "input", 8, line.oom ? "" : line.s, cli_columns());
    at_text_add(out, "\n");
    out->oom |= line.oom;
    at_text_release(&line);
}

static json_t *judged_json(json_t *o, const judged *j, const at_input *x)
{
    at_text line;
    at_text_init(&line);
    at_input_print(j->q.subject.m, x, &line);
    o = cli_json_set(o, "problem", cli_json_text(j->q.name));
    o = cli_json_set(o, "parameters", cli_json_text(j->q.text));
    o = cli_json_set(o, "input", line.oom ? NULL : cli_json_text(line.s));
    o = cli_json_set(o, "right", json_integer(j->right));
    o = cli_json_set(o, "positions", json_integer(j->of));
    at_text_release(&line);
    return o;
}

static json_t *talk_json(const at_talk *t, int parties, const char *word, const char *arith, bool same)
{
    json_t *sent = json_array();
    for (int p = 0; p < parties; p++)
        sent = cli_json_add(sent, cli_json_number((double)t->sent[p]));
    json_t *j = cli_json_set(json_object(), "arithmetic", cli_json_text(arith));
    j = cli_json_set(j, "parties", cli_json_text(word));
    j = cli_json_set(j, "number_bits", cli_json_number(t->number));
    j = cli_json_set(j, "sum_bits_each", cli_json_number(t->A));
    j = cli_json_set(j, "messages", cli_json_number((double)t->messages));
    j = cli_json_set(j, "bits", cli_json_number((double)t->bits));
    j = cli_json_set(j, "query_bits", cli_json_number((double)t->query_bits));
    j = cli_json_set(j, "peak_bits", cli_json_number((double)t->peak_bits));
    j = cli_json_set(j, "sum_bits", cli_json_number((double)t->sum_bits));
    j = cli_json_set(j, "sent", sent);
    return cli_json_set(j, "equal", json_boolean(same));
}

/* The input: what was typed, or the claim's own, or one of the problem. word: NULL, or who holds what. */
static at_status input_take(const cli_args *a, const at_model *m, const char *line, const char *word,
                            at_arena *arena, judged *j, at_input *x, at_err *err)
{
    const own *given = a->own;
    if (!given->problem && !line)
        return at_fail(err, AT_EINPUT, "an input is missing: attest protocol %.60s %.60s INPUT", a->words[0],
                       word ? word : "--parties K");
    if (!given->problem)
        return at_input_parse(m, line, arena, x, err);
    if (m->decode.enabled)
        return at_fail(
            err, AT_EREFUSED,
            "the parties compute what stands at the positions of one input, and the model is a decoder, "
            "which is judged by what it writes: `attest check` does that");
    int length = word ? (int)strlen(word) : -1;
    j->asked = true;
    return cli_question_input(a, given->problem, given->tolerance, m, line, length, arena, &j->q, x, err);
}

/* The readout is the model's, so the model's answers are judged. */
static at_status judge(judged *j, const at_input *x, at_arena *arena, at_err *err)
{
    at_answer y;
    at_status s = at_subject_answer(&j->q.subject, x, arena, &y, err);
    if (!s)
        j->right = cli_right_count(&j->q.subject, &y, x, &j->of);
    return s;
}

static int show(const cli_args *a, const judged *j, const at_input *x, const at_talk *t, int parties,
                const char *word, bool same)
{
    char name[16];
    at_arith_name(a->precision, name);
    int code = same && (!j->asked || j->right == j->of) ? CLI_HOLDS : CLI_FAILS;
    if (a->json) {
        json_t *o = talk_json(t, parties, word, name, same);
        return cli_put_json(a, j->asked && same ? judged_json(o, j, x) : o, code);
    }
    at_text out;
    at_text_init(&out);
    if (j->asked)
        judged_print(a, j, x, &out);
    talk_print(t, parties, word, name, same, &out);
    if (j->asked && same)
        at_text_addf(&out, "readout right at %d of %d\n", j->right, j->of);
    return cli_put_text(a, &out, code);
}

/* a->precision is what is used. */
static int talk(const cli_args *a, const at_model *m, const char *line, const char *word)
{
    const own *given = a->own;
    at_err err = {0};
    at_arena arena;
    at_input x;
    at_talk t;
    at_shared *s = NULL;
    judged j = {0};
    int parties = 0, *owner = NULL;
    bool same = false;
    at_arena_init(&arena);
    at_status st = input_take(a, m, line, word, &arena, &j, &x, &err);
    char dealt[16], *all = NULL;
    snprintf(dealt, sizeof dealt, "%d", given->parties);
    if (!st)
        st = at_parties_read(word ? word : dealt, x.n, &arena, &all, &owner, &parties, &err);
    if (!st)
        st = at_shared_new(m, a->precision, x.n,
                           &(at_shared_plan){.parties = parties, .owner = owner, .query = -1}, &s, &err);
    if (!st)
        st = at_shared_run(s, &x, &arena, &t, &err);
    if (!st)
        st = at_talk_agrees(m, a->precision, &x, &t, &arena, &same, &err);
    if (!st && j.asked && same)
        st = judge(&j, &x, &arena, &err);
    int code = st ? cli_fail(a, &err) : show(a, &j, &x, &t, parties, all, same);
    at_shared_free(s);
    if (j.asked)
        cli_question_release(&j.q);
    at_arena_release(&arena);
    return code;
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    at_model m;
    const char *claims_own = NULL;
    int first = given->parties ? 1 : 2; /* word of the input */
    cli_args some = *a;
    if (!a->has_precision)
        some.precision = (at_arith){AT_PBIT, 24, 8};
    if (a->n_words < first)
        return cli_usage(a, "the word of the parties, or --parties K, is missing; usage: attest protocol "
                            "MODEL|ID PARTIES [INPUT]");
    if (cli_question_model(a, given->problem, &m, &claims_own, &err))
        return cli_fail(a, &err);
    at_text line;
    at_text_init(&line);
    for (int i = first; i < a->n_words; i++)
        at_text_addf(&line, "%s%s", i > first ? " " : "", a->words[i]);
    if (a->n_words == first && claims_own && !given->problem)
        at_text_add(&line, claims_own);
    int code = line.oom ? cli_oom(a) : talk(&some, &m, line.s, given->parties ? NULL : a->words[1]);
    at_text_release(&line);
    at_model_release(&m);
    return code;
}

static const own usual = {0};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_SEED},
    {CLI_PRECISION, .arithmetics = 1u << AT_PBIT},
    {"--parties", "K", "instead of the word: positions dealt to K in turn",
     CLI_WHOLE(own, parties, 2, PARTIES)},
    {"--problem", "P", "what is right: a name or a file; INPUT may be left out", CLI_TEXT(own, problem),
     .alias = "--task"},
    {"--tolerance", "E", "real answers may be off by E (qsa: 1/(2q))",
     CLI_NUMBER(own, tolerance, 1e-12, 1e12)},
    {0},
};

const cli_command cmd_protocol = {
    .name = "protocol",
    .summary = "let parties that hold some positions each compute a model",
    .usage = "MODEL|ID PARTIES|--parties K [INPUT] [--problem P [--set K=V]...]",
    .about = "Deals the positions of one input to parties, a letter each: BAAB gives the first and\n"
             "the last to B. They compute the model together at p bits (default p24e8), sending\n"
             "queries, maxima and exact partial sums as strings of bits; the bits are counted and\n"
             "the outcome is compared with the model's, bit for bit. --parties 3 deals ABCABC...\n\n"
             "With --problem the readout is also judged by what the problem says is right, and INPUT\n"
             "may be left out: one is drawn, as long as the word of the parties. Exit 1 where it is\n"
             "wrong. Decoders are refused: what they write is no readout at positions.\n",
    .examples = "attest protocol match2 BAAB 3 14 5 12 --set M=17\n"
                "attest protocol match2.safetensors ABCA 3 14 5 12 --precision p8e5\n"
                "attest protocol m.safetensors --parties 2 --problem match3 --set M=17\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = -1,
    .missing = "a model file or a claim id",
    .run = run,
};
