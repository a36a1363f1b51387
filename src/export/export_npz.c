/* export_npz.c: arrays of numpy.
 *
 *     z = numpy.load("m.npz"); z["block.0.attn.0.q"]; json.loads(z["attest"].item()); json.loads(z["names"].item())
 *
 * An .npz is a ZIP archive of .npy files, here not compressed. A .npy is a magic word, a Python literal that says type and shape,
 * and the numbers. Texts are arrays of no dimension that hold one string of bytes: `attest` the architecture, `names` what lives
 * where, `heads`, `problem` and `arithmetic` as in a model file. So the archive is the whole model. */
#include "export_internal.h"
#include "../model/tensors.h"

#include <stdio.h>
#include <string.h>

#define ZIP_MOST 0xfffffffeu /* bytes; beyond these it would be another format, ZIP64 */

typedef struct {
    at_text *out;
    at_text directory;
    int n;
    uint32_t table[256];
} zip;

static uint32_t crc32(const zip *z, const char *s, size_t n)
{
    uint32_t c = 0xffffffffu;
    for (size_t i = 0; i < n; i++)
        c = z->table[(c ^ (unsigned char)s[i]) & 255] ^ c >> 8;
    return ~c;
}

static void zip_begin(zip *z, at_text *out)
{
    *z = (zip){.out = out};
    at_text_init(&z->directory);
    for (uint32_t k = 0; k < 256; k++) {
        uint32_t c = k;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        z->table[k] = c;
    }
}

/* What local header and directory have in common: version 2.0, no flags, stored, 1 January 1980, checksum, sizes, lengths. */
static void entry_put(at_text *t, uint32_t crc, size_t n, size_t name)
{
    at_text_add_le(t, 20, 2);
    at_text_add_le(t, 0, 4);
    at_text_add_le(t, 0x00210000u, 4);
    at_text_add_le(t, crc, 4);
    at_text_add_le(t, n, 4);
    at_text_add_le(t, n, 4);
    at_text_add_le(t, name, 2);
    at_text_add_le(t, 0, 2);
}

static void zip_add(zip *z, const char *name, const at_text *bytes)
{
    if (bytes->oom) { /* an archive without it would look whole */
        z->out->oom = true;
        return;
    }
    size_t begin = z->out->n, length = strlen(name);
    uint32_t crc = crc32(z, bytes->s, bytes->n);
    at_text_add_le(z->out, 0x04034b50u, 4);
    entry_put(z->out, crc, bytes->n, length);
    at_text_add(z->out, name);
    at_text_addn(z->out, bytes->s, bytes->n);
    at_text_add_le(&z->directory, 0x02014b50u, 4);
    at_text_add_le(&z->directory, 20, 2);
    entry_put(&z->directory, crc, bytes->n, length);
    at_text_add_le(&z->directory, 0, 2);
    at_text_add_le(&z->directory, 0, 2);
    at_text_add_le(&z->directory, 0, 2);
    at_text_add_le(&z->directory, 0, 4);
    at_text_add_le(&z->directory, begin, 4);
    at_text_add(&z->directory, name);
    z->n++;
    z->out->oom = z->out->oom || bytes->oom;
}

static void zip_end(zip *z)
{
    size_t begin = z->out->n;
    at_text_addn(z->out, z->directory.s ? z->directory.s : "", z->directory.n);
    at_text_add_le(z->out, 0x06054b50u, 4);
    at_text_add_le(z->out, 0, 4);
    at_text_add_le(z->out, (uint64_t)z->n, 2);
    at_text_add_le(z->out, (uint64_t)z->n, 2);
    at_text_add_le(z->out, z->directory.n, 4);
    at_text_add_le(z->out, begin, 4);
    at_text_add_le(z->out, 0, 2);
    z->out->oom = z->out->oom || z->directory.oom;
    at_text_release(&z->directory);
}

/* Before the numbers: blanks up to 64 bytes, the newline last. */
static void npy_begin(at_text *t, const char *type, const char *shape)
{
    at_text head;
    at_text_init(&head);
    at_text_addf(&head, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    while ((10 + head.n + 1) % 64 && !head.oom)
        at_text_add(&head, " ");
    at_text_add(&head, "\n");
    at_text_addn(t, "\x93NUMPY\x01\x00", 8);
    at_text_add_le(t, head.n, 2);
    at_text_addn(t, head.s ? head.s : "", head.n);
    t->oom = t->oom || head.oom;
    at_text_release(&head);
}

static void text_add(zip *z, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    at_text t;
    char type[32];
    at_text_init(&t);
    snprintf(type, sizeof type, "|S%zu", strlen(text));
    npy_begin(&t, type, "");
    at_text_add(&t, text);
    zip_add(z, name, &t);
    at_text_release(&t);
}

static void tensor_add(zip *z, const at_model *m, int k)
{
    const at_tensor *one = &m->tensors[k];
    at_text t;
    char shape[64], name[AT_NAME_MAX + 8];
    at_text_init(&t);
    snprintf(shape, sizeof shape, one->rank == 2 ? "%jd, %jd" : "%jd,", (intmax_t)one->shape[0],
             (intmax_t)one->shape[1]);
    npy_begin(&t, m->f32 ? "<f4" : "<f8", shape);
    export_numbers_add(&t, m->weights + one->offset, one->count, m->f32);
    snprintf(name, sizeof name, "%s.npy", one->name);
    zip_add(z, name, &t);
    at_text_release(&t);
}

at_status export_npz(const at_model *m, const at_export_as *as, export_files *out, at_err *err)
{
    (void)as;
    size_t bytes = m->n_weights * (m->f32 ? 4 : 8) + (size_t)m->n_tensors * 512;
    if (bytes > ZIP_MOST - TENSORS_HEADER_MAX || m->n_tensors > 65000)
        return at_fail(err, AT_EREFUSED,
                       "npz holds at most 4 GB and 65000 tensors; this model has %d of %zu bytes",
                       m->n_tensors, bytes);
    zip z;
    at_text names, heads;
    at_text_init(&names);
    at_text_init(&heads);
    zip_begin(&z, export_file(out, ""));
    for (int k = 0; k < m->n_tensors; k++)
        tensor_add(&z, m, k);
    char *arch = model_arch_print(m, err);
    at_status s = arch ? at_export_names_print(m, &names, err) : err->code;
    if (!s) {
        export_heads_print(m, &heads);
        text_add(&z, "attest.npy", arch);
        text_add(&z, "names.npy", names.s);
        text_add(&z, "heads.npy", heads.s);
        text_add(&z, "problem.npy", m->problem);
        text_add(&z, "arithmetic.npy", m->arithmetic);
        s = heads.oom ? at_oom(err) : AT_OK;
    }
    zip_end(&z);
    at_free(arch);
    at_text_release(&heads);
    at_text_release(&names);
    return s;
}
