/* said.c: what a front end says (front.h), as JSON and as text. No language is known here. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static json_t *fact_json(const at_fact *f)
{
    json_t *j;
    switch (f->kind) {
    case AT_FACT_UNKNOWN:
        return json_null();
    case AT_FACT_TEXT:
        return cli_json_text(f->text);
    case AT_FACT_NUMBER:
        return cli_json_number(f->number);
    case AT_FACT_BOOL:
        return json_boolean(f->number != 0);
    case AT_FACT_LIST:
        j = json_array();
        for (int64_t i = 0; i < f->n; i++)
            j = cli_json_add(j, json_integer((json_int_t)f->list[i]));
        return j;
    }
    return NULL;
}

json_t *cli_said_json(const at_said *s, const char *model)
{
    json_t *j = json_object();
    for (int k = 0; k < s->n_facts;) {
        const char *of = s->facts[k].of;
        json_t *group = of ? json_object() : NULL;
        for (; group && k < s->n_facts && s->facts[k].of && !strcmp(s->facts[k].of, of); k++)
            group = cli_json_set(group, s->facts[k].name, fact_json(&s->facts[k]));
        if (of)
            j = cli_json_set(j, of, group);
        else {
            j = cli_json_set(j, s->facts[k].name, fact_json(&s->facts[k]));
            if (!k++ && model)
                j = cli_json_set(j, "model", cli_json_text(model));
        }
        if (!j)
            return NULL;
    }
    return s->sized ? cli_json_set(j, "size", cli_size_json(&s->size)) : j;
}

void cli_said_print(const at_said *s, at_text *t)
{
    if (s->lines.n)
        at_text_addn(t, s->lines.s, s->lines.n);
    if (s->note.n)
        cli_wrap(t, s->note.s, 0, cli_columns());
}

void cli_front_say(const at_front *f, char name[64], at_text *about)
{
    const at_lang *l = f->lang;
    snprintf(name, 64, "%s%s", l->suffix ? "FILE" : "", l->suffix ? l->suffix : l->id);
    at_text_addf(about, "%s%s%s", l->about, f->about ? "; " : "", f->about ? f->about : "");
}
