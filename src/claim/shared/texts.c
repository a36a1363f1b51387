/* texts.c: problems that claims have as texts, each read once. */
#include "claim_text.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

at_status claim_text_asks(const char *lang, const char *name, const char *text, at_problem **made,
                          const at_problem **out, at_err *err)
{
    pthread_mutex_lock(&lock);
    at_status s = *made ? AT_OK : at_problem_parse(lang, name, text, strlen(text), made, err);
    *out = *made;
    pthread_mutex_unlock(&lock);
    return s;
}
