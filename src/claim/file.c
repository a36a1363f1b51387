/* file.c: a claim without C: read from a file, and asked like the others.
 *
 * Its program is parsed at the parameters that are asked for. Its parameters are those of its problem and of its program;
 * where controls change the text or the model, there is one more, `variant`, and a control is an assignment to it. So cells,
 * sweeps, the ledger and the report need to know nothing of files. */
#include "claim_file.h"
#include "claim_internal.h"

#include <string.h>

static const variant *variant_of(const at_claim_file *f, const at_params *p)
{
    int k = at_params_has(p, VARIANT) ? at_params_int(p, VARIANT) : 0;
    return &f->variants[k >= 0 && k < f->n_variants ? k : 0];
}

at_status claim_file_program(const at_claim_file *f, const at_params *p, at_program **out, at_err *err)
{
    const variant *v = variant_of(f, p);
    *out = NULL;
    if (v->model)
        return at_fail(err, AT_EREFUSED, "claim %s has a model and no program", f->claim.id);
    return at_program_parse(&v->text, p, out, err);
}

at_status claim_file_model(const at_claim_file *f, const at_params *p, at_model *m, at_err *err)
{
    const variant *v = variant_of(f, p);
    if (v->model)
        return at_model_load(m, v->model, err);
    at_program *P = NULL;
    at_status s = claim_file_program(f, p, &P, err);
    if (!s)
        s = at_assemble(P, m, NULL, err);
    at_program_free(P);
    return s;
}

bool claim_file_has_program(const at_claim_file *f)
{
    return !f->variants[0].model && !f->claim.decoder;
}

double claim_file_tolerance(const at_claim_file *f)
{
    return f->tolerance;
}

const at_claim *at_claim_file_claim(const at_claim_file *f)
{
    return &f->claim;
}

const char *at_claim_file_text(const at_claim_file *f)
{
    return f->text;
}

const char *at_claim_file_words(const at_claim_file *f)
{
    return f->words;
}

void at_claim_file_free(at_claim_file *f)
{
    if (!f)
        return;
    at_arena_release(&f->arena);
    at_free(f);
}

at_status at_claim_file_load(const char *path, at_claim_file **out, at_err *err)
{
    char *text;
    size_t n;
    *out = NULL;
    at_status s = at_file_read(path, AT_PROGRAM_TEXT_MAX, &text, &n, err);
    if (s)
        return s;
    at_claim_file *f = at_calloc(1, sizeof *f);
    if (!f) {
        at_free(text);
        return at_oom(err);
    }
    at_arena_init(&f->arena);
    f->path = at_arena_strdup(&f->arena, path);
    at_text words;
    at_text_init(&words);
    at_text_add_word(&words, path);
    f->words = words.oom ? NULL : at_arena_strdup(&f->arena, words.s);
    at_text_release(&words);
    at_sha256(text, n, f->digest);
    f->text = at_arena_strdup(&f->arena, text); /* a zero byte ends it, and the reader refuses that */
    s = f->path && f->text && f->words ? claim_file_read(f, text, n, err) : at_oom(err);
    at_free(text);
    if (s)
        at_claim_file_free(f);
    else
        *out = f;
    return s;
}
