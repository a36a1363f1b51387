/* picture_note.h: what is drawn, noted for a golden file: short texts in full, the others, pictures and pages by their length
 * and hash. */
#ifndef ATTEST_PICTURE_NOTE_H
#define ATTEST_PICTURE_NOTE_H

#include "picture_test.h"

#include "../../core/test/test_golden.h"

#define OK(call)                                                                                             \
    do {                                                                                                     \
        at_err err = {0};                                                                                    \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

/* t is emptied. A short text is kept in full. */
__attribute__((unused)) static void text_note(at_text *out, const char *what, at_text *t)
{
    assert_false(t->oom);
    at_text_addf(out, "# %s: %zu bytes, %016jx\n", what, t->n, (uintmax_t)at_hash64(t->s, t->n, 1));
    if (t->n < 2500 && !strchr(t->s, '\033'))
        at_text_addf(out, "%s\n", t->s);
    at_text_release(t);
    at_text_init(t);
}

__attribute__((unused)) static void picture_note(at_text *out, const char *what, at_text *t)
{
    const char *fault = t->oom ? "the end: out of memory" : markup_fault(t->s);
    if (fault)
        fail_msg("%s is not well formed at %s", what, fault);
    at_text_addf(out, "# %s: %zu bytes, %016jx\n", what, t->n, (uintmax_t)at_hash64(t->s, t->n, 1));
    at_text_release(t);
    at_text_init(t);
}

/* Texts at every width of a terminal, by one hash. */
enum { NARROW = 20, WIDE = 170 };

__attribute__((unused)) static void widths_note(at_text *out, const char *what, uint64_t hash)
{
    at_text_addf(out, "# %s, %d to %d columns: %016jx\n", what, NARROW, WIDE, (uintmax_t)hash);
}

__attribute__((unused)) static uint64_t hash_on(uint64_t hash, at_text *t)
{
    assert_false(t->oom);
    hash = at_hash64(t->s, t->n, hash + 1);
    at_text_release(t);
    at_text_init(t);
    return hash;
}

#endif
