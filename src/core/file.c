/* file.c: files are read whole, and written whole or not at all. */
#define _GNU_SOURCE
#include <attest/core.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

at_status at_file_read(const char *path, size_t max, char **data, size_t *n, at_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return at_fail(err, AT_EIO, "%s: %s", path, strerror(errno));
    struct stat st;
    char *buf = NULL;
    size_t got = 0, cap;
    at_status s = AT_OK;
    if (fstat(fd, &st) < 0)
        s = at_fail(err, AT_EIO, "%s: %s", path, strerror(errno));
    else if (S_ISDIR(st.st_mode))
        s = at_fail(err, AT_EIO, "%s: is a directory", path);
    else if ((uintmax_t)st.st_size > max)
        s = at_fail(err, AT_EINPUT, "%s: %jd bytes, at most %zu are allowed", path, (intmax_t)st.st_size,
                    max);
    cap = s ? 0 : (size_t)st.st_size + 1;
    if (!s && cap < 65536)
        cap = 65536; /* pipes and special files say size 0 */
    if (!s && !(buf = at_malloc(cap)))
        s = at_oom(err);
    while (!s) {
        ssize_t k = read(fd, buf + got, cap - 1 - got);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            s = at_fail(err, AT_EIO, "%s: %s", path, strerror(errno));
        if (k <= 0)
            break;
        got += (size_t)k;
        if (got > max)
            s = at_fail(err, AT_EINPUT, "%s: more than %zu bytes", path, max);
        else if (got == cap - 1) {
            char *more = at_realloc(buf, 2 * cap);
            if (!more)
                s = at_oom(err);
            else {
                buf = more;
                cap *= 2;
            }
        }
    }
    close(fd);
    if (s) {
        at_free(buf);
        return s;
    }
    buf[got] = 0;
    *data = buf;
    *n = got;
    return AT_OK;
}

static at_status write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return AT_EIO;
        p += k;
        n -= (size_t)k;
    }
    return AT_OK;
}

/* The directory entry itself must reach the disk, or the rename may be lost with the power. */
static void directory_sync(const char *path)
{
    const char *slash = strrchr(path, '/');
    char dir[4096] = ".";
    if (slash)
        snprintf(dir, sizeof dir, "%.*s", (int)(slash - path) + 1, path);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* A device or a pipe is written through: to rename a file over /dev/null would be the end of it. */
static at_status special_write(const char *path, const void *data, size_t n, at_err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool bad = fd < 0 || write_all(fd, data, n) != AT_OK;
    int e = errno;
    if (fd >= 0)
        close(fd);
    return bad ? at_fail(err, AT_EIO, "%s: %s", path, strerror(e)) : AT_OK;
}

at_status at_file_write(const char *path, const void *data, size_t n, at_err *err)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode))
        return at_fail(err, AT_EIO, "%s: is a directory", path);
    if (there && !S_ISREG(st.st_mode))
        return special_write(path, data, n, err);
    size_t len = strlen(path) + 16;
    char *tmp = at_malloc(len);
    if (!tmp)
        return at_oom(err);
    snprintf(tmp, len, "%s.XXXXXX", path);
    int fd = mkostemp(tmp, O_CLOEXEC), e = errno;
    if (fd < 0) {
        at_free(tmp);
        return at_fail(err, AT_EIO, "%s: %s", path, strerror(e));
    }
    mode_t mask = umask(0);
    umask(mask);
    bool bad = write_all(fd, data, n) != AT_OK || fchmod(fd, 0666 & ~mask) < 0 || fsync(fd) < 0;
    e = errno;
    if (close(fd) < 0 && !bad) {
        bad = true;
        e = errno;
    }
    if (!bad && rename(tmp, path) < 0) {
        bad = true;
        e = errno;
    }
    if (bad)
        unlink(tmp);
    else
        directory_sync(path);
    at_free(tmp);
    return bad ? at_fail(err, AT_EIO, "%s: %s", path, strerror(e)) : AT_OK;
}
