/* labels.c: which program variable lives where.
 *
 * A compiled model knows the names of its residual coordinates (subspaces) and of its heads: ground truth for whoever looks for
 * them with other tools. They travel with every format: as JSON in a file or in metadata, and as lines in what people read. */
#include "export_internal.h"

#include <stdio.h>
#include <string.h>

void export_json_text(at_text *t, const char *s)
{
    at_text_add(t, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            at_text_addf(t, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            at_text_addf(t, "\\u%04x", c);
        else
            at_text_addn(t, s, 1);
    }
    at_text_add(t, "\"");
}

static void words_print(at_text *t, const at_word *w, int n)
{
    at_text_add(t, "[");
    for (int k = 0; w && k < n; k++) {
        at_text_add(t, k ? ", " : "");
        export_json_text(t, w[k].s);
    }
    at_text_add(t, "]");
}

static void fields_print(const at_model *m, at_text *t)
{
    for (int k = 0; k < m->n_fields; k++) {
        const at_field *f = &m->fields[k];
        char name[EXPORT_NAME];
        export_field_name(m, k, name);
        at_text_addf(t, "%s\n    {\"input\": \"%s\", \"name\": ", k ? "," : "", name);
        export_json_text(t, f->name);
        at_text_addf(t, ", \"kind\": \"%s\", \"size\": %d, \"col\": %d, \"width\": %d, \"words\": ",
                     at_field_names[f->kind], f->size, f->embed.col, f->embed.width);
        words_print(t, f->words, f->size);
        at_text_add(t, "}");
    }
}

static void heads_print(const at_model *m, at_text *t)
{
    bool first = true;
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            for (int h = 0; h < m->blocks[b].groups[g].heads; h++) {
                const at_group *one = &m->blocks[b].groups[g];
                int layer, number;
                at_head_number(m, b, g, h, &layer, &number);
                at_text_addf(t,
                             "%s\n    {\"layer\": %d, \"head\": %d, \"block\": %d, \"group\": %d, \"name\": ",
                             first ? "" : ",", layer, number, b, g);
                export_json_text(t, one->name ? one->name : "");
                at_text_addf(t, ", \"weighting\": \"%s\", \"mask\": \"%s\"}",
                             at_weighting_names[one->weighting], at_mask_names[one->mask.kind]);
                first = false;
            }
}

at_status at_export_names_print(const at_model *m, at_text *out, at_err *err)
{
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "{\"model\": ");
    export_json_text(&t, m->name);
    at_text_add(&t, ",\n \"problem\": ");
    export_json_text(&t, m->problem ? m->problem : "");
    at_text_add(&t, ",\n \"arithmetic\": ");
    export_json_text(&t, m->arithmetic ? m->arithmetic : "");
    at_text_addf(&t, ",\n \"width\": %d,\n \"residual\": [", m->width);
    for (int k = 0; k < m->n_subspaces; k++) {
        const at_subspace *s = &m->subspaces[k];
        at_text_addf(&t, "%s\n    {\"name\": ", k ? "," : "");
        export_json_text(&t, s->name);
        at_text_addf(&t, ", \"col\": %d, \"width\": %d}", s->col, s->width);
    }
    at_text_add(&t, "],\n \"heads\": [");
    heads_print(m, &t);
    at_text_add(&t, "],\n \"fields\": [");
    fields_print(m, &t);
    at_text_addf(&t, "],\n \"readout\": {\"kind\": \"%s\", \"rows\": %d, \"words\": ",
                 at_read_names[m->readout.kind], m->readout.rows);
    words_print(&t, m->readout.words, at_readout_words(&m->readout));
    at_text_add(&t, "}}\n");
    return at_text_end(AT_OK, &t, out, err);
}

void export_labels_print(const at_model *m, const char *start, at_text *out)
{
    for (int k = 0; k < m->n_subspaces; k++) {
        const at_subspace *s = &m->subspaces[k];
        char place[64];
        snprintf(place, sizeof place, s->width > 1 ? "%d..%d" : "%d", s->col, s->col + s->width - 1);
        at_text_addf(out, "%s%-12s ", start, place);
        at_text_add_plain(out, s->name);
        at_text_add(out, "\n");
    }
}

void export_heads_print(const at_model *m, at_text *out)
{
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            if (m->blocks[b].groups[g].name)
                at_text_addf(out, "%s%d.%d %s", out->n ? "\n" : "", b, g, m->blocks[b].groups[g].name);
}

/* Names that are taken: outputs, and what Python reads as something else. */
static bool name_plain(const char *s)
{
    static const char *const taken[] = {"values",    "decisions",
                                        "next",      "self",
                                        "past",      "res",
                                        "y",         "r",
                                        "q",         "k",
                                        "v",         "k2",
                                        "v2",        "s",
                                        "w",         "t",
                                        "j",         "i",
                                        "a",         "p",
                                        "T",         "n",
                                        "S",         "allowed",
                                        "states",    "torch",
                                        "json",      "math",
                                        "pathlib",   "struct",
                                        "REAL",      "BELOW",
                                        "load",      "norm",
                                        "heads",     "joined",
                                        "softmax",   "softmax_pairs",
                                        "sparsemax", "tied",
                                        "average",   "leftmost",
                                        "rightmost", "phi",
                                        "linear",    "sinusoidal",
                                        "rank",      "tanh_cell",
                                        "gru_cell",  "and",
                                        "as",        "assert",
                                        "async",     "await",
                                        "break",     "class",
                                        "continue",  "def",
                                        "del",       "elif",
                                        "else",      "except",
                                        "finally",   "for",
                                        "from",      "global",
                                        "if",        "import",
                                        "in",        "is",
                                        "lambda",    "nonlocal",
                                        "not",       "or",
                                        "pass",      "raise",
                                        "return",    "try",
                                        "while",     "with",
                                        "yield",     "None",
                                        "True",      "False"};
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        if (!strcmp(s, taken[k]))
            return false;
    if (!strncmp(s, "input_", 6) || !strncmp(s, "past_", 5) || !strncmp(s, "present_", 8))
        return false;
    for (const char *c = s; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' ||
              (c > s && *c >= '0' && *c <= '9')))
            return false;
    return *s;
}

void export_field_name(const at_model *m, int k, char out[EXPORT_NAME])
{
    bool own = name_plain(m->fields[k].name);
    for (int other = 0; other < m->n_fields; other++)
        own = own && (other == k || strcmp(m->fields[other].name, m->fields[k].name) != 0);
    if (own)
        snprintf(out, EXPORT_NAME, "%s", m->fields[k].name);
    else
        snprintf(out, EXPORT_NAME, "input_%d", k);
}
