/* cmd_protocol.c: `attest protocol`: a model computed by parties that hold some positions each, and the bits they send. */
#define _GNU_SOURCE
#include "cli.h"

#include <attest/protocol.h>

#include <stdio.h>
#include <string.h>

enum { PARTIES = 26 };

/* "BAAB" -> owner (n) and the number of parties; every letter up to the last one must have a position. */
static at_status parties_parse(const char *word, int n, int *owner, int *parties, at_err *err)
{
    bool seen[PARTIES] = {false};
    if (strlen(word) != (size_t)n)
        return at_fail(err, AT_EINPUT, "'%.60s' names the parties of %zu positions; the input has %d", word,
                       strlen(word), n);
    *parties = 0;
    for (int i = 0; i < n; i++) {
        owner[i] = word[i] - 'A';
        if (owner[i] < 0 || owner[i] >= PARTIES)
            return at_fail(err, AT_EINPUT, "party %d is '%c'; parties are letters A to Z", i + 1, word[i]);
        seen[owner[i]] = true;
        *parties = owner[i] + 1 > *parties ? owner[i] + 1 : *parties;
    }
    for (int p = 0; p < *parties; p++)
        if (!seen[p])
            return at_fail(err, AT_EINPUT, "there is a party %c but none %c", 'A' + *parties - 1, 'A' + p);
    return AT_OK;
}

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

static json_t *talk_json(const at_talk *t, int parties, const char *arith, bool same)
{
    json_t *sent = json_array();
    for (int p = 0; p < parties; p++)
        sent = cli_json_add(sent, cli_json_number((double)t->sent[p]));
    json_t *j = cli_json_set(json_object(), "arithmetic", cli_json_text(arith));
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

static int run(const cli_args *a)
{
    at_err err = {0};
    at_model m;
    const char *own = NULL;
    at_arith arith = a->has_precision ? a->precision : (at_arith){AT_PBIT, 24, 8};
    if (cli_subject_load(a, &m, &own, &err))
        return cli_fail(a, &err);
    at_arena arena;
    at_arena_init(&arena);
    at_text line, out;
    at_text_init(&line);
    at_text_init(&out);
    for (int i = 2; i < a->n_words; i++)
        at_text_addf(&line, "%s%s", i > 2 ? " " : "", a->words[i]);
    if (a->n_words == 2 && own)
        at_text_add(&line, own);
    at_input x;
    at_talk t;
    at_shared *s = NULL;
    int parties = 0, *owner = NULL, code = CLI_FAILS;
    bool same = false;
    char name[16];
    at_arith_name(arith, name);
    at_status st = line.oom ? at_oom(&err)
                   : !line.s
                       ? at_fail(&err, AT_EINPUT, "an input is missing: attest protocol %.60s %.60s INPUT",
                                 a->words[0], a->words[1])
                       : at_input_parse(&m, line.s, &arena, &x, &err);
    if (!st && !(owner = at_new(&arena, int, x.n + 1)))
        st = at_oom(&err);
    if (!st)
        st = parties_parse(a->words[1], x.n, owner, &parties, &err);
    if (!st)
        st = at_shared_new(&m, arith, x.n, &(at_shared_plan){.parties = parties, .owner = owner, .query = -1},
                           &s, &err);
    if (!st)
        st = at_shared_run(s, &x, &arena, &t, &err);
    if (!st)
        st = at_talk_agrees(&m, arith, &x, &t, &arena, &same, &err);
    if (st)
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, talk_json(&t, parties, name, same), same ? CLI_HOLDS : CLI_FAILS);
    else {
        talk_print(&t, parties, a->words[1], name, same, &out);
        code = cli_put_text(a, &out, same ? CLI_HOLDS : CLI_FAILS);
    }
    at_shared_free(s);
    at_text_release(&line);
    at_arena_release(&arena);
    at_model_release(&m);
    return code;
}

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_PRECISION, .arithmetics = 1u << AT_PBIT},
    {0},
};

const cli_command cmd_protocol = {
    .name = "protocol",
    .summary = "let parties that hold some positions each compute a model",
    .usage = "MODEL|ID PARTIES [INPUT]",
    .about = "Deals the positions of one input to parties, a letter each: BAAB gives the first and\n"
             "the last to B. They compute the model together at p bits (default p24e8), sending\n"
             "queries, maxima and exact partial sums as strings of bits; the bits are counted and\n"
             "the outcome is compared with the model's, bit for bit.\n",
    .examples = "attest protocol match2 BAAB 3 14 5 12 --set M=17\n"
                "attest protocol match2.safetensors ABCA 3 14 5 12 --precision p8e5\n",
    .options = options,
    .least = 2,
    .most = -1,
    .missing = "a model file or claim id, or the word of the parties,",
    .run = run,
};
