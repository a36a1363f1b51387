/* library.c: a program that uses libattest. Also C++.
 *
 *     cc library.c $(pkg-config --cflags --libs attest) -o library && ./library
 */
#include <attest.h>
#include <stdio.h>

static at_err err;

static int failed(void)
{
    fprintf(stderr, "library: %s\n", err.text);
    return 1;
}

int main(void)
{
    at_net *built, *trained;
    at_result *verdict, *training;

    /* A theorem as weights: which residues have a partner that they sum to 0 with, modulo 17? */
    if (at_net_build("match2", "N=8 M=17", &built, &err))
        return failed();
    double tokens[] = {3, 14, 5}, answer[3];
    if (at_net_run(built, tokens, 3, NULL, answer, NULL, NULL, &err))
        return failed();
    printf("3 14 5 -> %g %g %g\n", answer[0], answer[1], answer[2]);

    /* Is it right on every input of three residues? */
    if (at_net_check(built, "match2", "N=3 M=17", "exact=1", NULL, &verdict, &err))
        return failed();
    printf("match2 %s on %g inputs\n", at_result_text(verdict, "verdict"),
           at_result_number(verdict, "inputs"));

    /* A net that learns the same for small sizes. */
    if (at_net_train("match2", "N=3 M=3", "net=softmax width=3 steps=300 rate=0.03", NULL, NULL, &trained,
                     &training, &err))
        return failed();
    printf("trained: %.0f%% of positions right\n", 100 * at_result_number(training, "exam.answer_accuracy"));

    at_result_free(verdict), at_result_free(training);
    at_net_free(built), at_net_free(trained);
    return 0;
}
