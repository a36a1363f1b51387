/* output.c: everything that a command writes: text, JSON, errors.
 *
 * Stdout's first failure is remembered with its errno and reported once, by cli_flush. */
#define _GNU_SOURCE
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- stdout ----------------------------------------------------------------------------------- */

static int out_errno; /* 0: every write so far went well */

bool cli_put(const char *s, size_t n)
{
    cli_progress_clear();
    if (!out_errno && fwrite(s, 1, n, stdout) != n)
        out_errno = errno ? errno : EIO;
    return !out_errno;
}

bool cli_out_interrupted(void)
{
    return out_errno == EINTR && at_cancel_pending();
}

bool cli_flush(void)
{
    static bool said;
    if (!out_errno && (fflush(stdout) || ferror(stdout)))
        out_errno = errno ? errno : EIO;
    if (out_errno && !said) {
        said = true;
        fprintf(stderr, "attest: standard output: %s\n",
                cli_out_interrupted() ? "interrupted" : strerror(out_errno));
    }
    return !out_errno;
}

int cli_put_text(const cli_args *a, at_text *t, int code)
{
    if (t->oom)
        code = cli_oom(a);
    else if (t->n)
        cli_put(t->s, t->n);
    at_text_release(t);
    return code;
}

/* ---- stderr ----------------------------------------------------------------------------------- */

/* The exit code: what was asked for, or 3 when the line itself found no memory. */
static int line_print(const cli_args *a, const char *text, int code)
{
    cli_flush(); /* what came before the error stands before it */
    if (cli_out_interrupted())
        return code; /* and was said */
    cli_progress_clear();
    at_text t;
    at_text_init(&t);
    at_text_add_plain(&t, text);
    fprintf(stderr, "attest%s%s: %s\n", a->command[0] ? " " : "", a->command, t.oom ? "out of memory" : t.s);
    code = t.oom ? CLI_UNDECIDED : code;
    at_text_release(&t);
    return code;
}

int cli_fail(const cli_args *a, const at_err *err)
{
    size_t most = at_alloc_most() >> 20;
    char text[100];
    if (err->code != AT_ENOMEM || !most || strcmp(err->text, "out of memory"))
        return line_print(a, err->text, at_exit_code(err->code));
    snprintf(text, sizeof text, "out of memory: it takes more than the %zu MiB of --max-memory", most);
    return line_print(a, text, CLI_UNDECIDED);
}

void cli_tell(const cli_args *a, const at_err *err)
{
    line_print(a, err->text, CLI_HOLDS);
}

int cli_usage(const cli_args *a, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return line_print(a, text, CLI_USAGE);
}

int cli_oom(const cli_args *a)
{
    at_err err = {0};
    at_oom(&err);
    return cli_fail(a, &err);
}

/* ---- the terminal ------------------------------------------------------------------------------ */

bool cli_color(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && isatty(STDOUT_FILENO) && !(term && !strcmp(term, "dumb"));
}

int cli_columns(void)
{
    struct winsize w;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col >= 20 ? w.ws_col : 80;
}

int cli_width(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += (*s & 0xC0) != 0x80; /* continuation bytes take no column */
    return n;
}

void cli_pad(at_text *t, const char *s, int width)
{
    at_text_add_plain(t, s);
    for (int n = cli_width(s); n < width; n++)
        at_text_add(t, " ");
}

/* Words of s from column `used` on; later lines begin at `indent`. */
static void wrap(at_text *t, const char *s, int used, int indent, int columns)
{
    bool fresh = true; /* no word on this line yet */
    while (*s) {
        size_t n = strcspn(s, " \n");
        char *word = strndup(s, n);
        if (!word) {
            t->oom = true;
            return;
        }
        int width = cli_width(word);
        if (n && !fresh && used + 1 + width > columns) {
            at_text_add(t, "\n");
            used = 0;
            fresh = true;
        }
        if (n) {
            int to = !fresh ? used + 1 : used < indent ? indent : used;
            for (; used < to; used++)
                at_text_add(t, " ");
            at_text_add_plain(t, word);
            used += width;
            fresh = false;
        }
        free(word);
        s += n;
        if (*s == '\n' && !fresh) {
            at_text_add(t, "\n");
            used = 0;
            fresh = true;
        }
        s += *s != 0;
    }
    if (!fresh)
        at_text_add(t, "\n");
}

void cli_wrap(at_text *t, const char *s, int indent, int columns)
{
    wrap(t, s, 0, indent, columns);
}

void cli_row(at_text *t, const char *left, int width, const char *right, int columns)
{
    cli_pad(t, left, width - 1);
    at_text_add(t, " ");
    int used = cli_width(left) + 1;
    wrap(t, right, used < width ? width : used, width, columns);
}

/* ---- JSON --------------------------------------------------------------------------------------- */

json_t *cli_json_number(double v)
{
    if (!isfinite(v))
        return json_null();
    return v == floor(v) && fabs(v) < 9007199254740992. ? json_integer((json_int_t)v) : json_real(v);
}

json_t *cli_json_matrix(const double *v, int rows, int width, const uint8_t *decided)
{
    json_t *all = json_array();
    for (int i = 0; i < rows; i++) {
        json_t *one = json_array();
        for (int k = 0; k < width; k++) {
            size_t at = (size_t)i * (size_t)width + (size_t)k;
            one = cli_json_add(one, decided && decided[at] != AT_TRUE ? json_null() : cli_json_number(v[at]));
        }
        all = cli_json_add(all, one);
    }
    return all;
}

json_t *cli_json_text(const char *s)
{
    if (!s)
        return json_null();
    json_t *j = json_string(s);
    if (j)
        return j;
    char *ascii = strdup(s); /* no UTF-8 (or no memory, which the next line finds again) */
    for (char *c = ascii; c && *c; c++)
        if (*c & 0x80)
            *c = '?';
    j = ascii ? json_string(ascii) : NULL;
    free(ascii);
    return j;
}

json_t *cli_json_set(json_t *object, const char *key, json_t *value)
{
    if (object && json_object_set_new(object, key, value) == 0)
        return object;
    if (!object)
        json_decref(value);
    json_decref(object);
    return NULL;
}

json_t *cli_json_add(json_t *array, json_t *value)
{
    if (array && json_array_append_new(array, value) == 0)
        return array;
    if (!array)
        json_decref(value);
    json_decref(array);
    return NULL;
}

static int dumped(const char *s, size_t n, void *ctx)
{
    at_text_addn(ctx, s, n);
    return ((at_text *)ctx)->oom ? -1 : 0;
}

/* ASCII only: no control character of any kind reaches a terminal. */
static void json_print(json_t *j, size_t how, at_text *out)
{
    if (!j || json_dump_callback(j, dumped, out, how | JSON_ENSURE_ASCII | JSON_ENCODE_ANY))
        out->oom = true;
    at_text_add(out, "\n");
    json_decref(j);
}

void cli_json_line(json_t *j, at_text *out)
{
    json_print(j, JSON_COMPACT, out);
}

int cli_put_json(const cli_args *a, json_t *j, int code)
{
    at_text t;
    at_text_init(&t);
    json_print(j, 0, &t);
    return cli_put_text(a, &t, code);
}

bool cli_apart(const char *a, const char *b, at_err *err)
{
    bool same = a && b && at_file_same(a, b);
    if (same)
        at_fail(err, AT_EINPUT, "%.200s: two files to write have this name", a);
    return !same;
}

bool cli_kept(const cli_args *a, at_err *err)
{
    for (int i = 0; i < a->n_words; i++) /* a claim's id may be the name of a file, too, which nobody reads */
        for (int k = 0; k < a->n_written; k++)
            if (!at_claim_find(a->words[i]) && !access(a->words[i], F_OK) &&
                at_file_same(a->words[i], a->written[k])) {
                at_fail(err, AT_EINPUT, "%.200s: is read, and would be written over", a->written[k]);
                return false;
            }
    return true;
}

void cli_time_print(double seconds, const char *kind, at_text *t)
{
    if (seconds < 120)
        at_text_addf(t, "%.0f %ss", ceil(seconds), kind);
    else if (seconds < 7200)
        at_text_addf(t, "%.0f %smin", seconds / 60, kind);
    else
        at_text_addf(t, "%.1f %sh", seconds / 3600, kind);
}
