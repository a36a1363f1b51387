/* draw.c: pictures are drawn by another process, because the libraries that draw them do not survive a lack of memory.
 *
 * PNG and PDF need cairo, and cairo asks fontconfig for fonts. When an allocation fails, fontconfig may follow a null pointer or
 * try again for ever. So a child draws: it has the same memory, already knows what to draw, and either writes the
 * whole file (at_file_write) and sends an at_err with AT_OK through a pipe, or sends why not. A child that ends without having
 * said anything was ended by a signal or by a library: that is one line and exit 3 here. SVG is our own text and is written at
 * once. A child that finds no end is stopped by the system after DRAW_SECONDS of processor time, which does not depend on how
 * busy the machine is. */
#define _GNU_SOURCE
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRAW_SECONDS 60                /* of processor time; a map takes one */
#define DRAW_ROOM    ((size_t)8 << 20) /* below this fonts cannot be loaded: said before it is tried */

#ifdef ADDRESS_SANITIZED
static const bool apart = false; /* what it finds must not be taken for a lack of memory */
#else
static const bool apart = true;
#endif

static void limit_lower(int what, rlim_t most)
{
    struct rlimit r;
    if (getrlimit(what, &r) == 0 && (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > most)) {
        r.rlim_cur = most;
        setrlimit(what, &r);
    }
}

static _Noreturn void child_draw(cli_drawing *draw, const void *what, at_picture_kind kind, const char *path,
                                 int to)
{
    at_err err = {0};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody waits for a picture of a killed command */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    limit_lower(RLIMIT_CPU, DRAW_SECONDS);
    limit_lower(RLIMIT_CORE, 0);
    if (null >= 0)
        dup2(null, STDERR_FILENO); /* what fontconfig says there is nothing that a user could act upon */
    void *room = at_malloc(DRAW_ROOM);
    at_status s = room ? AT_OK : at_oom(&err);
    at_free(room);
    if (!s)
        draw(what, kind, path, &err);
    if (write(to, &err, sizeof err) != sizeof err)
        _exit(CLI_UNDECIDED);
    _exit(CLI_HOLDS);
}

/* True: the child's whole report is in *said. */
static bool report_read(int from, at_err *said)
{
    size_t got = 0;
    while (got < sizeof *said) {
        ssize_t n = read(from, (char *)said + got, sizeof *said - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

static at_status silent(int status, const char *path, at_err *err)
{
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (at_cancel_pending())
        return at_fail(err, AT_ECANCEL, "interrupted");
    if (sig == SIGXCPU)
        return at_fail(err, AT_EBUDGET, "%s: the drawing library found no end; is there enough memory?",
                       path);
    if (sig)
        return at_fail(err, AT_ENOMEM, "%s: out of memory while drawing (signal %d)", path, sig);
    return at_fail(err, AT_ENOMEM, "%s: out of memory while drawing", path);
}

at_status cli_draw(cli_drawing *draw, const void *what, const char *path, at_err *err)
{
    at_picture_kind kind;
    at_status s = at_picture_kind_of(path, &kind, err);
    if (s)
        return s;
    if (kind == AT_PICTURE_SVG || !apart)
        return draw(what, kind, path, err);
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC))
        return at_fail(err, AT_EBUDGET, "%s: the picture cannot be drawn: %s", path, strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        child_draw(draw, what, kind, path, ends[1]);
    }
    int why = errno;
    close(ends[1]);
    at_err said = {0};
    bool whole = child > 0 && report_read(ends[0], &said);
    close(ends[0]);
    if (child < 0)
        return at_fail(err, why == ENOMEM ? AT_ENOMEM : AT_EBUDGET, "%s: the picture cannot be drawn: %s",
                       path, strerror(why));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!whole)
        return silent(status, path, err);
    return said.code ? at_fail(err, said.code, "%s", said.text) : AT_OK;
}

static at_status plot_draw(const void *plot, at_picture_kind kind, const char *path, at_err *err)
{
    return at_plot_picture(plot, kind, path, err);
}

at_status cli_plot_draw(const at_plot *p, const char *path, at_err *err)
{
    return cli_draw(plot_draw, p, path, err);
}
