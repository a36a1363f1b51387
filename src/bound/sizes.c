/* sizes.c: well-known models as parameters of a bound: `attest bound compose-bound --size gpt3 --set n=20000`.
 *
 * A bound's letters are its theorem's. What they mean here is the same in all: H heads a layer; d, m or w the width of one of them;
 * layers or D how many layers; p bits. Which bits, a bound says by its parameters: with an exponent e, and unless sums are ideal, p is
 * the mantissa alone; otherwise a number has p bits in all. */
#include "bound_internal.h"

#include <math.h>
#include <string.h>

#define MODELS(ROW)                                                                                          \
    ROW(bert_base, "bert-base", "Devlin et al. 2018, section 3", 12, 12, 64, 768)                            \
    ROW(gpt2, "gpt2", "Radford et al. 2019, table 2", 12, 12, 64, 768)                                       \
    ROW(gpt2_xl, "gpt2-xl", "Radford et al. 2019, table 2", 48, 25, 64, 1600)                                \
    ROW(gpt3, "gpt3", "Brown et al. 2020, table 2.1", 96, 96, 128, 12288)                                    \
    ROW(llama_7b, "llama-7b", "Touvron et al. 2023, table 2", 32, 32, 128, 4096)                             \
    ROW(llama_65b, "llama-65b", "Touvron et al. 2023, table 2", 80, 64, 128, 8192)                           \
    ROW(mistral_7b, "mistral-7b", "Jiang et al. 2023, table 1", 32, 32, 128, 4096)                           \
    ROW(llama3_405b, "llama3-405b", "Grattafiori et al. 2024, table 3", 126, 128, 128, 16384)

#define DEFINED(name, id, source, layers, heads, head, width)                                                \
    static const at_model_sizes name = {id, source, layers, heads, head, width, 11, 5};
#define LISTED(name, ...) &name,
MODELS(DEFINED)
const at_model_sizes *const at_model_sizes_all[] = {MODELS(LISTED)};
const int at_n_model_sizes = sizeof at_model_sizes_all / sizeof *at_model_sizes_all;

const at_registry at_model_sizes_registry =
    AT_REGISTRY("size", NULL, at_model_sizes_all, sizeof at_model_sizes_all / sizeof *at_model_sizes_all, id);

/* A parameter by what it says that it is: d is a width in one bound, a dimension of the problem in another. */
static bool says(const at_params *p, const char *name, const char *what)
{
    for (int i = 0; i < p->n; i++)
        if (!strcmp(p->schema[i].name, name))
            return strncmp(p->schema[i].doc, what, strlen(what)) == 0;
    return false;
}

at_status at_bound_sizes(const at_bound *b, const at_model_sizes *m, bool exact, at_params *p, at_err *err)
{
    bool floats = at_params_has(p, "e") && (exact || !at_params_has(p, "sums"));
    const struct {
        const char *name, *what;
        double value;
    } of[] = {{"H", "heads", m->heads},
              {"d", "width of a head", m->head_dim},
              {"m", "width of a head", m->head_dim},
              {"w", "width of a head", m->head_dim},
              {"layers", "attention layers", m->layers},
              {"D", "layers", m->layers},
              {"p", "bits", floats ? m->mantissa : m->mantissa + m->exponent},
              {"e", "bits", floats ? m->exponent : NAN}};
    at_status s = AT_OK;
    if (!says(p, "H", "heads"))
        return at_fail(err, AT_EREFUSED, "--size %s: bound %s is not about models with heads", m->id, b->id);
    for (size_t i = 0; i < sizeof of / sizeof *of && !s; i++)
        if (says(p, of[i].name, of[i].what) && !isnan(of[i].value))
            s = at_params_set(p, of[i].name, of[i].value, err);
    return s;
}
