/* file.c: files are read whole, and written whole or not at all.
 *
 * Writing. The new bytes go into a file of their own in the target's folder; when they are on the disk, that file takes the
 * target's name. Until then the old file is untouched. A symbolic link is followed: what it points to is replaced, the link
 * stays. An existing file keeps its mode and, where the system allows it, its owner; a new one gets what the umask leaves.
 *
 * A killed writer. Where the system can (O_TMPFILE), the new file has no name until it is whole, so a kill leaves nothing. It
 * cannot take a name that is in use, so it is named .attest-NUMBER.part for the moment before the rename; where there are no
 * nameless files it has that name from the start. Its writer holds a lock on it, which the kernel drops when the
 * writer dies. So whoever writes in that folder next knows an abandoned one: it can be locked. It is removed then. */
#define _GNU_SOURCE
#include <attest/core.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ------------------------------------------------------------------------------------ */

#define FIRST 65536 /* bytes that are looked at before more is read */

/* A call on a pipe that waited until a signal came is interrupted, no fault of the file. */
static at_status failed(const char *path, int e, at_err *err)
{
    return e == EINTR && at_cancel_pending() ? at_fail(err, AT_ECANCEL, "%s: interrupted", path)
                                             : at_fail(err, AT_EIO, "%s: %s", path, strerror(e));
}

at_status at_file_read(const char *path, size_t max, char **data, size_t *n, at_err *err)
{
    return at_file_read_if(path, max, NULL, data, n, err);
}

at_status at_file_read_if(const char *path, size_t max, at_file_look *look, char **data, size_t *n,
                          at_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return failed(path, errno, err);
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
    if (!s && (cap <= FIRST || look))
        cap =
            FIRST + 1; /* pipes and special files say size 0; and nobody knows yet whether it is worth more */
    if (!s && !(buf = at_malloc(cap)))
        s = at_oom(err);
    while (!s) {
        ssize_t k = read(fd, buf + got, cap - 1 - got);
        if (k < 0 && errno == EINTR && !at_cancel_pending())
            continue;
        if (k < 0)
            s = failed(path, errno, err);
        if (k < 0)
            break;
        got += (size_t)k;
        if (got > max)
            s = at_fail(err, AT_EINPUT, "%s: more than %zu bytes", path, max);
        else if (look && (k == 0 || got >= FIRST)) {
            s = look(path, buf, got, err);
            look = NULL;
        }
        if (k == 0)
            break;
        if (!s && got == cap - 1) {
            size_t larger = (uintmax_t)st.st_size > got ? (size_t)st.st_size + 1 : 2 * cap;
            char *more = at_realloc(buf, larger);
            if (!more)
                s = at_oom(err);
            else {
                buf = more;
                cap = larger;
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

/* ---- writing ------------------------------------------------------------------------------------ */

static at_status write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR && !at_cancel_pending())
            continue;
        if (k < 0)
            return AT_EIO;
        p += k;
        n -= (size_t)k;
    }
    return AT_OK;
}

/* A device or a pipe is written through: to rename a file over /dev/null would be the end of it. */
static at_status special_write(const char *path, const void *data, size_t n, at_err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool bad = fd < 0 || write_all(fd, data, n) != AT_OK;
    int e = errno;
    if (fd >= 0)
        close(fd);
    return bad ? failed(path, e, err) : AT_OK;
}

#ifndef O_TMPFILE
#define O_TMPFILE 0 /* this system has no nameless files */
#endif

#define LINKS_MOST 40 /* as many as Linux follows */

/* What `path` means when every link that it is has been followed; the last one may point to nothing. Freed with at_free; NULL:
 * errno says why. */
static char *links_follow(const char *path)
{
    char *now = at_malloc(PATH_MAX), *to = at_malloc(PATH_MAX);
    int e = now && to ? 0 : ENOMEM;
    if (!e && strlen(path) >= PATH_MAX)
        e = ENAMETOOLONG;
    if (!e)
        strcpy(now, path);
    for (int links = 0; !e; links++) {
        ssize_t n = readlink(now, to, PATH_MAX - 1);
        if (n < 0) {
            e = errno == EINVAL || errno == ENOENT ? 0 : errno; /* no link, or not there yet: found */
            break;
        }
        to[n] = 0;
        char *slash = strrchr(now, '/');
        size_t folder =
            to[0] == '/' || !slash ? 0 : (size_t)(slash - now) + 1; /* a link is relative to its folder */
        if (links == LINKS_MOST)
            e = ELOOP;
        else if (folder + (size_t)n >= PATH_MAX)
            e = ENAMETOOLONG;
        else
            memcpy(now + folder, to, (size_t)n + 1);
    }
    at_free(to);
    if (e) {
        at_free(now);
        now = NULL;
        errno = e;
    }
    return now;
}

#define PART_BEGIN  ".attest-"
#define PART_DIGITS 16
#define PART_END    ".part"
#define PART_NAME   (sizeof PART_BEGIN - 1 + PART_DIGITS + sizeof PART_END)

static bool part_is(const char *name)
{
    size_t begin = sizeof PART_BEGIN - 1;
    return !strncmp(name, PART_BEGIN, begin) && strspn(name + begin, "0123456789abcdef") == PART_DIGITS &&
           !strcmp(name + begin + PART_DIGITS, PART_END);
}

/* Two writers that choose the same name do no harm: the second one's open or link fails, and it chooses again. */
static void part_name(char out[PART_NAME])
{
    static atomic_uint_fast64_t count;
    double now = at_now();
    uint64_t with[] = {(uint64_t)getpid(), atomic_fetch_add(&count, 1), 0};
    memcpy(&with[2], &now, sizeof now);
    snprintf(out, PART_NAME, PART_BEGIN "%016llx" PART_END,
             (unsigned long long)at_hash64(with, sizeof with, 1));
}

static void part_remove(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1 &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

/* What killed writers left in the folder goes. Failing at that is no fault of the file to be written. */
static void abandoned_remove(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0)
        close(fd);
    for (struct dirent *e; d && (e = readdir(d));)
        if (part_is(e->d_name))
            part_remove(folder, e->d_name);
    if (d)
        closedir(d);
}

/* A new file in the folder, ours by a lock; -1: errno. `name` is its name, "" while it has none. The lock may be refused where
 * the file system has none; then nobody else can take it either, and nothing is removed. */
static int part_open(int folder, bool nameless, mode_t mode, char name[PART_NAME])
{
    name[0] = 0;
    int fd = nameless ? openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;
    if (fd >= 0) {
        flock(fd, LOCK_EX | LOCK_NB);
        return fd;
    }
    for (int i = 0; i < 100; i++) {
        struct stat st;
        part_name(name);
        fd = openat(folder, name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd < 0)
            return -1;
        bool taken = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
        if (!taken && fstat(fd, &st) == 0 && st.st_nlink)
            return fd;
        close(fd); /* somebody thought that it was abandoned, in the moment before the lock */
    }
    errno = EEXIST;
    return -1;
}

/* Gives a nameless file the name of a part. */
static bool part_link(int folder, int fd, char name[PART_NAME])
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    for (int i = 0; i < 100; i++) {
        part_name(name);
        if (linkat(AT_FDCWD, self, folder, name, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST)
            break;
    }
    name[0] = 0;
    return false;
}

/* The mode and owner of the file that is replaced. Where its group cannot stay, the new file's is another one, and gets no more
 * than everybody. */
static bool rights_keep(int fd, const struct stat *old)
{
    mode_t mode = old->st_mode & 0777;
    struct stat st;
    if (fstat(fd, &st) < 0)
        return false;
    bool same = st.st_uid == old->st_uid && st.st_gid == old->st_gid;
    if (!same && fchown(fd, old->st_uid, old->st_gid) < 0 && fchown(fd, (uid_t)-1, old->st_gid) < 0)
        mode = (mode & 0707) | ((mode & 7) << 3);
    return fchmod(fd, mode) == 0;
}

/* One attempt; false: errno. *unnamed: the file was written, but this system cannot name it. */
static bool part_write(int folder, const char *target, const struct stat *old, const void *data, size_t n,
                       bool nameless, bool *unnamed)
{
    char name[PART_NAME];
    int fd = part_open(folder, nameless, old ? 0600 : 0666, name), e;
    if (fd < 0)
        return false;
    bool good = write_all(fd, data, n) == AT_OK && (!old || rights_keep(fd, old)) && fsync(fd) == 0;
    *unnamed = good && !name[0] && !part_link(folder, fd, name);
    good = good && !*unnamed && renameat(folder, name, folder, target) == 0;
    e = errno;
    if (!good && name[0])
        unlinkat(folder, name, 0);
    close(fd); /* cannot lose anything after fsync */
    errno = e;
    return good;
}

#ifdef O_PATH
#define FOLDER_ONLY O_PATH /* a folder that may be written but not listed is enough */
#else
#define FOLDER_ONLY O_RDONLY
#endif

/* The folder of a target, and where the name in it begins; -1: errno. */
static int folder_open(char *target, const char **name)
{
    char *slash = strrchr(target, '/');
    *name = slash ? slash + 1 : target;
    char first = **name;
    if (slash)
        slash[1] = 0;
    int folder = open(slash ? target : ".", FOLDER_ONLY | O_DIRECTORY | O_CLOEXEC);
    int e = errno;
    if (slash)
        slash[1] = first;
    errno = e;
    return folder;
}

static bool target_write(char *target, const struct stat *old, const void *data, size_t n)
{
    const char *name;
    int folder = folder_open(target, &name);
    if (folder < 0)
        return false;
    abandoned_remove(folder);
    bool unnamed = false, good = part_write(folder, name, old, data, n, O_TMPFILE != 0, &unnamed);
    if (unnamed)
        good = part_write(folder, name, old, data, n, false, &unnamed);
    int e = errno;
    int fd = good ? openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd); /* the name itself must reach the disk, or it may be lost with the power */
        close(fd);
    }
    close(folder);
    errno = e;
    return good;
}

/* Could a file of that name be made? Rights alone do not tell: a folder may have any and still take no files. So one is made. */
static bool target_probe(char *target)
{
    const char *name;
    char part[PART_NAME];
    struct stat st;
    int folder = folder_open(target, &name), fd = -1, e;
    if (folder < 0)
        return false;
    bool good = fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 || (*name && errno == ENOENT);
    if (good)
        fd = part_open(folder, O_TMPFILE != 0, 0600, part);
    e = errno;
    if (fd >= 0 && part[0])
        unlinkat(folder, part, 0);
    if (fd >= 0)
        close(fd);
    close(folder);
    errno = e;
    return fd >= 0;
}

/* Where a file that `path` means is, or would be: its folder, and the name in there (freed with at_free; NULL: no such place). */
static char *place_of(const char *path, struct stat *folder)
{
    const char *name;
    char *target = links_follow(path);
    int fd = target ? folder_open(target, &name) : -1;
    bool good = fd >= 0 && fstat(fd, folder) == 0;
    if (fd >= 0)
        close(fd);
    if (good)
        memmove(target, name, strlen(name) + 1);
    else
        at_free(target);
    return good ? target : NULL;
}

bool at_file_same(const char *a, const char *b)
{
    struct stat x, y;
    if (!stat(a, &x) && !stat(b, &y))
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    char *first = place_of(a, &x), *second = place_of(b, &y);
    bool same = first && second && x.st_dev == y.st_dev && x.st_ino == y.st_ino && !strcmp(first, second);
    at_free(first);
    at_free(second);
    return same || !strcmp(a, b);
}

/* What stands at path: a file that a new one may replace, or none (*there is false); else a failure. */
static at_status place_look(const char *path, struct stat *st, bool *there, at_err *err)
{
    *there = stat(path, st) == 0;
    if (*there && S_ISDIR(st->st_mode))
        return at_fail(err, AT_EIO, "%s: is a directory", path);
    return AT_OK;
}

/* The end of writing or probing: errno e in words. */
static at_status place_failed(const char *path, bool followed, int e, at_err *err)
{
    return !followed && e == ENOMEM ? at_oom(err) : at_fail(err, AT_EIO, "%s: %s", path, strerror(e));
}

at_status at_file_probe(const char *path, at_err *err)
{
    struct stat st;
    bool there;
    at_status s = place_look(path, &st, &there, err);
    if (s)
        return s;
    if (there && !S_ISREG(st.st_mode)) /* to open a pipe would wait for who reads it */
        return access(path, W_OK) ? failed(path, errno, err) : AT_OK;
    char *target = links_follow(path);
    bool followed = target, good = target && target_probe(target);
    int e = errno;
    at_free(target);
    return good ? AT_OK : place_failed(path, followed, e, err);
}

at_status at_file_write(const char *path, const void *data, size_t n, at_err *err)
{
    struct stat st;
    bool there;
    at_status s = place_look(path, &st, &there, err);
    if (s)
        return s;
    if (there && !S_ISREG(st.st_mode))
        return special_write(path, data, n, err);
    char *target = links_follow(path);
    bool followed = target, good = target && target_write(target, there ? &st : NULL, data, n);
    int e = errno;
    at_free(target);
    return good ? AT_OK : place_failed(path, followed, e, err);
}
