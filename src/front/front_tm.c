/* front_tm.c: Turing machines as a front end: what is compiled, shown, and what a chain ends with. */
#include <string.h>

#include "front_internal.h"

static at_status front_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    const at_problem *of = p->of;
    at_tm_options how = {.letters = at_params_int(p, "N"),
                         .steps = at_params_int(p, "T"),
                         .form = (at_tm_form)at_params_int(p, "form"),
                         .arith = o->arith};
    at_status s = at_tm_model(at_tm_of(of), &how, m, err);
    return s ? s : front_remember(p, m, err);
}

/* By its words: is this a model of a machine? *begin: <start>. */
static bool is_machine(const at_model *m, int *begin)
{
    const at_field *f = m->n_fields == 1 && m->fields[0].words ? &m->fields[0] : NULL;
    int n = f ? f->size : 0;
    for (*begin = 0; *begin < n && strcmp(f->words[*begin].s, "<start>"); ++*begin)
        ;
    if (*begin + 5 > n || strcmp(f->words[n - 1].s, "<end>"))
        return false;
    for (int v = AT_TM_YES; v < AT_TM_VERDICTS; v++)
        if (strcmp(f->words[n - 5 + v].s, at_tm_verdict_names[v]))
            return false;
    return true;
}

/* The symbol that a token wrote, n bytes of its word, and the move. */
static size_t token_wrote(const char *word, bool step, int *move)
{
    size_t n = step && word[0] ? 1 + strcspn(word + 1, "/") : strlen(word);
    *move = step && word[n] ? word[n + 1] == 'L' ? -1 : word[n + 1] == 'R' : 0;
    return n;
}

/* The tape that the rows say, from the first cell to the last that is not blank. */
static void tape_print(const at_model *m, int begin, const at_input *prompt, const at_input *rows,
                       at_text *out)
{
    const at_word *words = m->fields[0].words;
    int n = prompt->n - 1, steps = 0, origin = rows->n, room = 2 * rows->n + prompt->n + 1, head = origin,
        move;
    const char **tape = at_calloc((size_t)room, sizeof *tape);
    size_t *bytes = at_calloc((size_t)room, sizeof *bytes);
    out->oom |= !tape || !bytes;
    for (int k = 0; !out->oom && k < n; k++) {
        tape[origin + k] = words[(int)prompt->v[k]].s;
        bytes[origin + k] = strlen(tape[origin + k]);
    }
    for (; !out->oom && steps < rows->n && rows->v[steps] > begin && rows->v[steps] < m->fields[0].size - 4;
         steps++) {
        tape[head] = words[(int)rows->v[steps]].s;
        bytes[head] = token_wrote(tape[head], true, &move);
        head += move;
    }
    int first = room, last = -1;
    bool one = true; /* character a symbol: then nothing need stand between them */
    for (int k = 0; !out->oom && k < room; k++)
        if (tape[k] && (bytes[k] != strlen(words[0].s) || memcmp(tape[k], words[0].s, bytes[k]))) {
            first = k < first ? k : first;
            last = k;
            const char *s = tape[k];
            at_text_next(&s);
            one = one && s == tape[k] + bytes[k];
        }
    for (int k = first; k <= last; k++) {
        at_text_add(out, k > first && !one ? " " : "");
        if (tape[k])
            at_text_addn(out, tape[k], bytes[k]);
        else
            at_text_add(out, words[0].s);
    }
    at_free(tape);
    at_free(bytes);
}

/* yes and no; after halt, and where the budget has ended, the tape. */
static bool front_answer(const at_model *m, const at_input *prompt, const at_input *rows, at_text *out)
{
    int begin, end = m->n_fields ? m->fields[0].size - 1 : 0;
    if (!is_machine(m, &begin))
        return false;
    double last = rows->n > 1 && rows->v[rows->n - 1] == end ? rows->v[rows->n - 2]
                  : rows->n                                  ? rows->v[rows->n - 1]
                                                             : 0;
    if (last == end - 3 || last == end - 2)
        at_text_add(out, m->fields[0].words[(int)last].s);
    else
        tape_print(m, begin, prompt, rows, out);
    return true;
}

/* ---- shown ------------------------------------------------------------------------------------------------------------------------- */

/* The machine in the first form, and unless that is all that is wanted the sizes of its decoders. */
static at_status front_show(const at_reading *r, const char *set, const at_show_options *o, at_said *said,
                            at_err *err)
{
    const at_problem *p = r->problem;
    const at_tm *t = at_tm_of(p);
    at_params q;
    at_status s = at_problem_params(p, AT_VIEW_CHAIN, set, &q, err);
    if (s)
        return s;
    at_tm_print(t, &said->lines);
    at_fact_text(said, "problem", p->title);
    at_fact_text(said, "text", said->lines.oom ? "" : said->lines.s);
    at_fact_number(said, "states", t->states);
    at_fact_number(said, "symbols", t->symbols);
    at_fact_number(said, "letters", t->letters);
    at_fact_number(said, "tokens", t->tokens);
    if (o->exact)
        return AT_OK;
    at_text_addf(&said->lines, "\n%s, %d tokens; decoders at N=%d T=%d:\n", p->title, t->tokens,
                 at_params_int(&q, "N"), at_params_int(&q, "T"));
    for (int form = AT_TM_INTEGERS; form <= AT_TM_NONE; form++) {
        at_model m;
        at_size z;
        at_err why = {0};
        at_tm_options how = {
            .letters = at_params_int(&q, "N"), .steps = at_params_int(&q, "T"), .form = (at_tm_form)form};
        s = at_tm_model(t, &how, &m, &why);
        if (s == AT_ENOMEM)
            return at_oom(err);
        at_text_addf(&said->lines, "  %-9s ", at_tm_form_names[form]);
        if (s) {
            at_text_addf(&said->lines, "%s\n", why.text);
            continue;
        }
        at_model_size(&m, &z);
        at_model_release(&m);
        at_text_addf(&said->lines,
                     "%d layers of %d head%s, width %d, hidden %d, %zu parameters, %zu not zero\n", z.layers,
                     z.heads, z.heads == 1 ? "" : "s", z.width, z.hidden, z.parameters, z.nonzero);
        said->of = at_tm_form_names[form];
        at_fact_number(said, "layers", z.layers);
        at_fact_number(said, "heads", z.heads);
        at_fact_number(said, "width", z.width);
        at_fact_number(said, "parameters", (double)z.parameters);
    }
    return AT_OK;
}

const at_front at_front_tm = {.lang = &at_lang_tm,
                              .about = "a decoder that writes the run, one token a step",
                              .only = "standard",
                              .model = front_model,
                              .show = front_show,
                              .exact = true,
                              .answer = front_answer};
