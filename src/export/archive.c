/* archive.c: safetensors for others: tensors of up to three sizes, all dense, notes as metadata.
 *
 * src/model writes its own files, of which mostly empty matrices are sparse; here everything is dense, because readers that know
 * safetensors and nothing else are meant. A file with the model's own tensors and notes is again a model file: attest loads it, and it
 * has the same hash. */
#include "export_internal.h"
#include "../model/tensors.h"

#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
static void number_swap(unsigned char *p, int bytes)
{
    for (int k = 0; k < bytes / 2; k++) {
        unsigned char c = p[k];
        p[k] = p[bytes - 1 - k];
        p[bytes - 1 - k] = c;
    }
}
#else
static void number_swap(unsigned char *p, int bytes)
{
    (void)p, (void)bytes;
}
#endif

void export_numbers_add(at_text *out, const double *w, size_t n, bool f32)
{
    unsigned char part[8 * 512];
    for (size_t at = 0; at < n && !out->oom; at += 512) {
        size_t some = n - at < 512 ? n - at : 512;
        int bytes = f32 ? 4 : 8;
        for (size_t i = 0; i < some; i++) {
            float f = (float)w[at + i];
            memcpy(part + i * (size_t)bytes, f32 ? (const void *)&f : (const void *)&w[at + i],
                   (size_t)bytes);
            number_swap(part + i * (size_t)bytes, bytes);
        }
        at_text_addn(out, (const char *)part, some * (size_t)bytes);
    }
}

static size_t tensor_count(const archive_tensor *t)
{
    size_t n = 1;
    for (int k = 0; k < t->rank; k++)
        n *= (size_t)t->shape[k];
    return n;
}

at_status archive_print(const archive_tensor *t, int n, const archive_note *note, int n_notes, bool f32,
                        at_text *out, at_err *err)
{
    at_text head;
    size_t at = 0;
    bool first = true;
    at_text_init(&head);
    at_text_add(&head, "{\"__metadata__\":{");
    for (int k = 0; k < n_notes; k++)
        if (note[k].text) {
            at_text_addf(&head, "%s\"%s\":", first ? "" : ",", note[k].key);
            export_json_text(&head, note[k].text);
            first = false;
        }
    at_text_add(&head, "}");
    for (int k = 0; k < n; k++) {
        size_t bytes = tensor_count(&t[k]) * (f32 ? 4 : 8);
        at_text_addf(&head, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", t[k].name, f32 ? "F32" : "F64");
        for (int r = 0; r < t[k].rank; r++)
            at_text_addf(&head, "%s%jd", r ? "," : "", (intmax_t)t[k].shape[r]);
        at_text_addf(&head, "],\"data_offsets\":[%zu,%zu]}", at, at + bytes);
        at += bytes;
    }
    at_text_add(&head, "}");
    while (head.n % 8 && !head.oom)
        at_text_add(&head, " ");
    at_text_add_le(out, head.n, 8);
    at_text_addn(out, head.s ? head.s : "", head.n);
    bool oom = head.oom;
    at_text_release(&head);
    for (int k = 0; k < n; k++)
        export_numbers_add(out, t[k].w, tensor_count(&t[k]), f32);
    return oom || out->oom ? at_oom(err) : AT_OK;
}

at_status archive_model_print(const at_model *m, at_text *out, at_err *err)
{
    archive_tensor *t = at_calloc((size_t)m->n_tensors + 1, sizeof *t);
    at_text heads;
    at_text_init(&heads);
    char *arch = model_arch_print(m, err);
    at_status s = t && arch ? AT_OK : arch ? at_oom(err) : err->code;
    if (!s) {
        for (int k = 0; k < m->n_tensors; k++)
            t[k] = (archive_tensor){m->tensors[k].name,
                                    m->tensors[k].rank,
                                    {m->tensors[k].shape[0], m->tensors[k].shape[1]},
                                    m->weights + m->tensors[k].offset};
        export_heads_print(m, &heads);
        const archive_note notes[] = {{"arithmetic", m->arithmetic},
                                      {"attest", arch},
                                      {"format", "attest"},
                                      {"heads", heads.n ? heads.s : NULL},
                                      {"problem", m->problem}};
        s = heads.oom ? at_oom(err)
                      : archive_print(t, m->n_tensors, notes, sizeof notes / sizeof *notes, m->f32, out, err);
    }
    at_text_release(&heads);
    at_free(arch);
    at_free(t);
    return s;
}
