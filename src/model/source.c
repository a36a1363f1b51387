/* source.c: the bytes of a file of tensors, header first.
 *
 * Nothing is believed before it is read: a file or pipe is asked for its first eight bytes, then for the header that these
 * announce (at most TENSORS_HEADER_MAX), and for tensors only when the reader of the header knows how many bytes they must have.
 * So an endless pipe is refused after eight bytes, and a long file that is no file of tensors is never read. A file's tensors
 * are read where they are wanted; a pipe cannot go back, so its tensors are held, once their number is known. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model_internal.h"

void tensors_source_memory(tensors_source *s, const char *path, const char *bytes, size_t n)
{
    *s = (tensors_source){.path = path, .bytes = bytes, .fd = -1, .n = n};
}

at_status tensors_source_open(tensors_source *s, const char *path, at_err *err)
{
    struct stat info;
    *s = (tensors_source){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (s->fd < 0 && errno == EINTR && at_cancel_pending()) /* a pipe that nobody writes into */
        return at_fail(err, AT_ECANCEL, "%s: interrupted", path);
    if (s->fd < 0 || fstat(s->fd, &info) < 0)
        return at_fail(err, AT_EIO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return at_fail(err, AT_EIO, "%s: is a directory", path);
    if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))
        return at_fail(err, AT_EIO, "%s: a device, not a file of tensors", path);
    s->pipe = !S_ISREG(info.st_mode);
    s->n = s->pipe ? SIZE_MAX : (size_t)info.st_size;
    return AT_OK;
}

void tensors_source_close(tensors_source *s)
{
    if (s->fd >= 0)
        close(s->fd);
    at_free(s->held);
    tensors_source_memory(s, s->path, NULL, 0);
}

/* Up to n bytes from `at` on, which a pipe must have come to; *got < n at the end of the file. */
static at_status portion_read(const tensors_source *s, size_t at, char *to, size_t n, size_t *got,
                              at_err *err)
{
    for (*got = 0; *got < n;) {
        ssize_t k = s->pipe ? read(s->fd, to + *got, n - *got)
                            : pread(s->fd, to + *got, n - *got, (off_t)(at + *got));
        if (k < 0 && errno == EINTR && !at_cancel_pending())
            continue;
        if (k < 0 && errno == EINTR)
            return at_fail(err, AT_ECANCEL, "%s: interrupted", s->path);
        if (k < 0)
            return at_fail(err, AT_EIO, "%s: %s", s->path, strerror(errno));
        if (k == 0)
            break;
        *got += (size_t)k;
    }
    return AT_OK;
}

static at_status bytes_read(const tensors_source *s, size_t at, void *to, size_t n, at_err *err)
{
    size_t got;
    if (s->bytes) {
        memcpy(to, s->bytes + at, n);
        return AT_OK;
    }
    at_status st = portion_read(s, at, to, n, &got, err);
    if (st == AT_OK && got < n)
        st = at_fail(err, AT_EIO, s->pipe ? "%s: ends after %zu bytes" : "%s: became shorter than %zu bytes",
                     s->path, at + got);
    return st;
}

at_status tensors_source_header(tensors_source *s, char **header, size_t *n, at_err *err)
{
    char first[8];
    size_t have = s->n;
    at_status st = AT_OK;
    if (s->pipe) /* a pipe shorter than this has said its length */
        st = portion_read(s, 0, first, 8, &have, err);
    else if (have >= 8)
        st = bytes_read(s, 0, first, 8, err);
    if (st != AT_OK)
        return st;
    if (have < 8)
        return at_fail(err, AT_EINPUT, "%s: %zu bytes, too short for a safetensors file", s->path, have);
    st = tensors_header_length(first, s->n, s->path, n, err);
    if (st != AT_OK)
        return st;
    char *text = at_malloc(*n + 1);
    if (!text)
        return at_oom(err);
    st = bytes_read(s, 8, text, *n, err);
    if (st != AT_OK) {
        at_free(text);
        return st;
    }
    text[*n] = 0;
    s->data = 8 + *n;
    *header = text;
    return AT_OK;
}

at_status tensors_source_expect(tensors_source *s, size_t need, size_t *have, at_err *err)
{
    size_t got;
    char more;
    *have = s->n - s->data;
    if (!s->pipe)
        return AT_OK;
    if (!(s->held = at_malloc(need ? need : 1)))
        return at_oom(err);
    at_status st = portion_read(s, s->data, s->held, need, have, err);
    if (st != AT_OK || *have < need)
        return st;
    st = portion_read(s, s->data + need, &more, 1, &got, err);
    if (st == AT_OK && got)
        st = at_fail(err, AT_EIO, "%s: more bytes than the %zu that its header announces", s->path,
                     s->data + need);
    return st;
}

at_status tensors_source_read(const tensors_source *s, size_t at, void *to, size_t n, at_err *err)
{
    if (!s->held)
        return bytes_read(s, s->data + at, to, n, err);
    memcpy(to, s->held + at, n);
    return AT_OK;
}
