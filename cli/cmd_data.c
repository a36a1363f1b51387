/* cmd_data.c: `attest data`: sequences to learn from, one a line, and how their answers are distributed. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its own options. */
typedef struct {
    uint64_t count;
    at_part split;
    bool balance;
} own;

static json_t *sample_json(uint64_t index, const at_sequence *s, const char *text)
{

    json_t *tokens = json_array();
    for (int i = 0; i < s->n; i++)
        tokens = cli_json_add(tokens, json_integer(s->token[i]));
    json_t *j = cli_json_set(json_object(), "index", json_integer((json_int_t)index));
    j = cli_json_set(j, "text", cli_json_text(text));
    j = cli_json_set(j, "tokens", tokens);
    j = cli_json_set(j, "prompt", json_integer(s->prompt));
    return cli_json_set(j, "answer", json_integer(s->answer));
}

static int samples_print(const cli_args *a, const at_source *d)
{
    const own *given = a->own;
    at_err err = {0};
    at_sequence s = {.token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
    at_status st = s.token ? AT_OK : at_oom(&err);
    bool open = true; /* someone still reads */
    for (uint64_t i = 0; i < given->count && !st && open; i++) {
        if (at_cancel_pending()) {
            st = at_fail(&err, AT_ECANCEL, "interrupted after %" PRIu64 " samples", i);
            break;
        }
        if ((st = at_source_sample(d, a->seed, given->split, i, &s, &err)))
            break;
        at_text t;
        at_text_init(&t);
        at_source_print(d, s.token, s.n, &t);
        if (a->json) {
            json_t *j = t.oom ? NULL : sample_json(i, &s, t.s);
            t.n = 0;
            cli_json_line(j, &t);
        } else
            at_text_add(&t, "\n");
        st = t.oom ? at_oom(&err) : AT_OK;
        open = st || cli_put(t.s, t.n);
        at_text_release(&t);
    }
    at_free(s.token);
    return st ? cli_fail(a, &err) : CLI_HOLDS;
}

/* ---- balance ---------------------------------------------------------------------------------------------- */

typedef struct {
    int token;
    uint64_t times;
} count;

static int count_compare(const void *a, const void *b)
{
    const count *x = a, *y = b;
    return x->times != y->times ? (x->times < y->times ? 1 : -1) : x->token - y->token;
}

static int balance_print(const cli_args *a, const at_source *d)
{
    const own *given = a->own;
    at_err err = {0};
    int words = at_source_vocabulary(d);
    uint64_t *tally = at_calloc((size_t)words, sizeof *tally), all = 0;
    count *order = at_calloc((size_t)words, sizeof *order);
    char word[AT_STREAM_WORD];
    int code = CLI_USAGE, n = 0;
    at_status s = tally && order ? AT_OK : at_oom(&err);
    if (!s)
        s = at_source_balance(d, a->seed, given->split, given->count, tally, &err);
    for (int t = 0; t < words && !s; t++)
        if (tally[t]) {
            order[n++] = (count){t, tally[t]};
            all += tally[t];
        }
    if (!s)
        qsort(order, (size_t)n, sizeof *order, count_compare);
    if (s)
        code = cli_fail(a, &err);
    else if (a->json) {
        json_t *rows = json_array();
        for (int i = 0; i < n; i++) {
            json_t *j =
                cli_json_set(json_object(), "answer", cli_json_text(at_source_word(d, order[i].token, word)));
            rows = cli_json_add(rows, cli_json_set(j, "times", json_integer((json_int_t)order[i].times)));
        }
        json_t *j = cli_json_set(json_object(), "samples", json_integer((json_int_t)given->count));
        j = cli_json_set(j, "answers", json_integer((json_int_t)all));
        code = cli_put_json(a, cli_json_set(j, "balance", rows), CLI_HOLDS);
    } else {
        at_text t;
        at_text_init(&t);
        at_text_addf(&t, "%" PRIu64 " samples (%s, seed %" PRIu64 "), %" PRIu64 " answer tokens\n",
                     given->count, at_part_names[given->split], a->seed, all);
        for (int i = 0; i < n; i++) {
            cli_pad(&t, at_source_word(d, order[i].token, word), 12);
            at_text_addf(&t, " %10" PRIu64 " %6.2f%%\n", order[i].times,
                         100 * (double)order[i].times / (double)all);
        }
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_free(tally);
    at_free(order);
    return code;
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    at_source *d;
    if (cli_source_open(a->set, a->words[0], &d, &err))
        return cli_fail(a, &err);
    int code = given->balance ? balance_print(a, d) : samples_print(a, d);
    at_source_free(d);
    return code;
}

static const own usual = {.count = 10, .split = AT_TRAIN};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_SEED},
    {CLI_PROBLEM},
    {"--count", "N", "samples, 1..1000000000 (default 10; eval: 1000)", CLI_WHOLE(own, count, 1, 1000000000)},
    {"--split", "SPLIT", "train, test or all (default train; eval: test)",
     CLI_CHOICE(own, split, at_part_names, AT_PARTS)},
    {"--balance", NULL, "how often each token is in an answer", CLI_FLAG(own, balance)},
    {0},
};

const cli_command cmd_data = {
    .name = "data",
    .summary = "sequences to learn from: prompts, chains, answers",
    .usage = "STREAM|FILE [--set K=V]... [--count N] [--split SPLIT] [--balance]",
    .about =
        "Prints samples of a stream (`attest list streams`), one a line: prompt, chain, answer, <eos>,\n"
        "words between blanks. Sample i depends on the parameters, seed, split and i alone. A prompt\n"
        "that is in the test split is never in the train split, whatever the seed. With --balance: how "
        "often\n"
        "each token occurs in the answers of these samples, the most frequent first.\n\n"
        "FILE (a name with a dot or slash) has lines `prompt <sep> chain <sep> answer` of words between\n"
        "blanks, which become the vocabulary; the chain may be empty. A fault is one line with file and\n"
        "line, exit 2. docs/data.md has the formats and parameters of all streams.\n",
    .examples = "attest data lis --set n=10 --count 3\n"
                "attest data arithmetic --set operators=6,order=random --split test\n"
                "attest data match3 --set N=16 --count 1000 --balance\n"
                "attest data ./mine.txt --count 5 --json\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 1,
    .missing = "the name of a stream",
    .run = run,
};
