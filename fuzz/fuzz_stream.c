/* fuzz_stream.c: any bytes as a user's file of lines `prompt <sep> chain <sep> answer`.
 *
 * Beyond not crashing: a refusal has words, in one line without control characters. What is accepted: every word names
 * its token; samples of both splits lie within the promised length, are right by the grade, and print to a line that is
 * read again as the same words. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/problem.h>

#include "fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void sample_check(const at_source *d, const at_sequence *s, at_part part)
{
    at_grade g;
    at_err err = {0};
    check(s->n <= at_source_longest(d) && s->prompt > 1 && s->answer > s->prompt && s->answer < s->n - 1,
          "the parts of a sample");
    check(part == AT_ALL || at_source_part(d, s) == part, "a sample in the other split");
    check(!at_source_grade(d, s->token, s->prompt, s->token + s->prompt, s->n - s->prompt, &g, &err),
          err.text);
    check(g.answer == AT_TRUE && g.chain == AT_TRUE && g.wrong == -1, "a line of the file is wrong");
    at_text t;
    at_text_init(&t);
    at_source_print(d, s->token, s->n - 1, &t);
    at_source *again = NULL;
    check(!t.oom && !at_source_parse(t.s, t.n, "printed", &again, &err), err.text);
    check(at_source_longest(again) == s->n, "printed and read: another line");
    at_source_free(again);
    at_text_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_err err = {0};
    at_source *d = NULL;
    if (size > 1 << 14)
        return 0;
    at_status st = at_source_parse((const char *)data, size, "fuzz", &d, &err);
    check((st == AT_OK) == (err.text[0] == 0), "a failure without words, or words without a failure");
    for (const char *c = err.text; *c; c++)
        check((unsigned char)*c >= ' ', "a control character in a message");
    if (st)
        return 0;
    char word[AT_STREAM_WORD];
    for (int t = 0; t < at_source_vocabulary(d) && t < 64; t++) {
        at_source_word(d, t, word);
        check(at_source_token(d, word, strlen(word)) == t, "a word of two tokens");
    }
    at_sequence s = {.token = calloc((size_t)at_source_longest(d), sizeof(int))};
    for (int part = 0; part < AT_PARTS && s.token; part++)
        for (uint64_t i = 0; i < 3; i++)
            if (!at_source_sample(d, 1, (at_part)part, i, &s, NULL))
                sample_check(d, &s, (at_part)part);
    free(s.token);
    at_source_free(d);
    return 0;
}
