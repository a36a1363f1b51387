/* place_crasp.c: the lines of `attest place` about C-RASP. Every verdict names its way of accepting: some languages are in C-RASP by the
 * one and not by the other. */
#include "place_crasp.h"

static const at_read_at ways[2] = {AT_AT_END, AT_AT_LAST};
static const char *const names[2] = {"at the end marker", "at the last letter"};
static const char *const keys[2] = {"end", "last"};

at_status cli_place_crasp_find(const at_dfa *d, at_arena *a, cli_place_crasp *out, at_err *err)
{
    at_status s = AT_OK;
    for (int k = 0; k < 2 && !s; k++)
        s = at_crasp_place_find(d, ways[k], a, &out->by[k], err);
    return s;
}

static void word_add(const at_alphabet *sigma, const int *word, int n, at_text *t)
{
    at_text w;
    at_text_init(&w);
    at_alphabet_print(sigma, word, n, &w);
    at_text_add_plain(t, w.oom ? "?" : w.s);
    at_text_release(&w);
}

static void no_print(const at_alphabet *sigma, const at_crasp_place *p, at_text *t)
{
    at_text_add(t, "no (by theorem): ");
    if (p->letter >= 0) {
        at_text_add(t, "before a last ");
        at_text_add_plain(t, sigma->letter[p->letter]);
        at_text_add(t, " ");
    }
    at_text_add(t, "counts do not tell ");
    word_add(sigma, p->word[0], p->n[0], t);
    at_text_add(t, " from ");
    word_add(sigma, p->word[1], p->n[1], t);
}

void cli_place_crasp_print(const at_alphabet *sigma, const cli_place_crasp *c, at_text *t)
{
    for (int k = 0; k < 2; k++) {
        const at_crasp_place *p = &c->by[k];
        at_text_addf(t, "%-12s %s: ", k ? "" : "C-RASP", names[k]);
        if (p->in == AT_FALSE)
            no_print(sigma, p, t);
        else if (p->in == AT_UNKNOWN)
            at_text_addf(t, "unknown: more than %d states, or numbers too large", AT_CRASP_STATES);
        else if (p->program)
            at_text_addf(t, "yes, by a program of %d definition%s", p->program->n_names,
                         p->program->n_names == 1 ? "" : "s");
        else
            at_text_add(t, "yes, by a program that is too large to be written");
        at_text_add(t, k && p->in == AT_TRUE ? " (without the empty word)\n" : "\n");
    }
}

static json_t *word_json(const at_alphabet *sigma, const int *word, int n)
{
    at_text t;
    at_text_init(&t);
    at_alphabet_print(sigma, word, n, &t);
    json_t *j = t.oom ? NULL : cli_json_text(t.s);
    at_text_release(&t);
    return j;
}

json_t *cli_place_crasp_json(const at_alphabet *sigma, const cli_place_crasp *c)
{
    json_t *o = json_object();
    for (int k = 0; k < 2; k++) {
        const at_crasp_place *p = &c->by[k];
        json_t *one = cli_json_set(json_object(), "in",
                                   p->in == AT_UNKNOWN ? json_null() : json_boolean(p->in == AT_TRUE));
        one = cli_json_set(one, "definitions", p->program ? json_integer(p->program->n_names) : json_null());
        json_t *alike = json_null();
        if (p->in == AT_FALSE)
            alike = cli_json_add(cli_json_add(json_array(), word_json(sigma, p->word[0], p->n[0])),
                                 word_json(sigma, p->word[1], p->n[1]));
        one = cli_json_set(one, "alike", alike);
        one = cli_json_set(one, "before",
                           p->letter < 0 ? json_null() : cli_json_text(sigma->letter[p->letter]));
        o = cli_json_set(o, keys[k], one);
    }
    return o;
}

at_status cli_place_crasp_write(const cli_place_crasp *c, bool last, const char *path, at_err *err)
{
    const at_crasp_place *p = &c->by[last];
    if (!p->program)
        return at_fail(err, AT_EREFUSED, "there is no program to write: accepting %s the language is %s",
                       names[last],
                       p->in == AT_FALSE     ? "not in C-RASP"
                       : p->in == AT_UNKNOWN ? "not decided"
                                             : "in C-RASP, by one that is too large");
    at_text t;
    at_text_init(&t);
    at_crasp_print(p->program, &t);
    at_status s = t.oom ? at_oom(err) : at_file_write(path, t.s, t.n, err);
    at_text_release(&t);
    return s;
}
