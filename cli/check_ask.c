/* check_ask.c: models and problems that `attest check` is asked about, as claims. */
#include "check_ask.h"

#include <string.h>

bool cli_is_asked(const char *word, const cli_asked *q)
{
    if (cli_is_claim(word) || at_claim_find(word))
        return false;
    return q->problem || strpbrk(word, "./") || at_front_of_word(word);
}

const char *cli_asked_idle(const cli_asked *q)
{
    return q->lengths         ? "--lengths"
           : q->exact         ? "--exact"
           : q->sampled       ? "--sampled"
           : q->certify       ? "--certify"
           : q->attention     ? "--attention"
           : q->tolerance > 0 ? "--tolerance"
                              : NULL;
}

/* f: what is compiled; NULL: nothing is, and the word only has to be one. */
static at_status attention_read(const cli_asked *q, const at_front *f, int *out, at_err *err)
{
    at_attention_kind kind;
    *out = -1;
    if (!q->attention || strcmp(q->attention, "all") == 0)
        return AT_OK;
    at_status s = at_front_kind(f ? f : at_fronts[0], q->attention, &kind, err);
    *out = (int)kind;
    return s;
}

int cli_ask_words(const cli_args *a, const cli_asked *q, cli_claims *held, const at_claim **some)
{
    at_err err = {0};
    int attention;
    if (q->exact + q->certify + (q->sampled > 0) > 1)
        return cli_usage(a, "--exact, --sampled and --certify exclude each other");
    if (q->certify && a->has_precision && a->precision.kind != AT_BALL)
        return cli_usage(
            a, "--certify speaks of real arithmetic over the stored weights; --precision says another");
    static char arith[16];
    at_arith_name(a->precision, arith);
    for (int i = 0; i < a->n_words; i++) {
        const char *word = a->words[i];
        const at_front *f = at_front_of_word(word);
        bool compiled = f && at_front_is_problem(f) && !q->problem;
        if (!cli_is_asked(word, q))
            return cli_usage(a, "'%.60s' is a claim; claims and models are checked apart", word);
        if (f && at_front_is_problem(f) && q->problem)
            return cli_usage(a, "'%.60s' is a problem, and --problem says what a model file should solve",
                             word);
        if (q->attention && !compiled)
            return cli_usage(a, "--attention is for what is compiled; the model in '%.60s' has its own",
                             word);
        if (attention_read(q, compiled ? f : NULL, &attention, &err))
            return cli_fail(a, &err);
        /* --output is said by the user, so it goes before what a file remembers */
        at_text set;
        at_text_init(&set);
        at_status s = cli_output_set(a->set, q->output, &set, &err);
        cli_args given = *a;
        given.set = set.s;
        cli_recalled known = {0};
        if (!s && !compiled)
            s = cli_recall(&given, word, q->problem, false, &known, &err);
        at_ask ask = {.model = compiled ? NULL : word,
                      .set = compiled ? set.s : known.set.s,
                      .lengths = q->lengths,
                      .how = q->exact     ? AT_ASK_EXACT
                             : q->certify ? AT_ASK_CERTIFIED
                             : q->sampled ? AT_ASK_SAMPLED
                                          : AT_ASK_ANY,
                      .inputs = q->sampled,
                      .arith = a->has_precision ? arith : NULL,
                      .tolerance = q->tolerance,
                      .attention = attention,
                      .reach = true};
        at_text left;
        at_text_init(&left);
        if (!s)
            s = cli_claim_ask(held, compiled ? word : known.problem.s, q->alphabet, &ask, &some[i], &left,
                              &err);
        cli_recalled_release(&known);
        at_text_release(&set);
        if (!s && left.n && !a->json) {
            at_text said;
            at_text_init(&said);
            for (const char *line = left.s; *line;) {
                size_t n = strcspn(line, "\n");
                at_text one;
                at_text_init(&one);
                at_text_add(&one, "left out: ");
                at_text_addn(&one, line, n);
                cli_wrap(&said, one.oom ? "" : one.s, 0, cli_columns());
                at_text_release(&one);
                line += n + (line[n] == '\n');
            }
            cli_put_text(a, &said, 0);
        }
        if (!s && left.n)
            at_text_add(&held->left_out, left.s);
        at_text_release(&left);
        if (s)
            return cli_fail(a, &err);
    }
    return 0;
}
