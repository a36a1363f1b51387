/* progress.c: one line on stderr that says how far the work is.
 *
 *     check match2 N=6 M=11  [##########..........]  50%  12 s left
 *
 * Only on a terminal, at most ten times a second, from any thread (a tick that finds another thread
 * drawing is dropped). The time left is the time spent on this work so far, scaled by what is left of it. What stands
 * behind two blanks ("train lis  loss 0.12") may change without being other work. */
#define _GNU_SOURCE
#include "cli.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_SECONDS 0.1
#define PATIENCE       0.3 /* work that is done before needs no bar */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool drawn;
static double last;              /* when it was drawn */
static double begun, begun_done; /* this work: since when, and how much was done then */
static char begun_what[48];

static int stderr_columns(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 80;
}

static void left_print(char out[32], double seconds)
{
    if (!(seconds >= 0 && seconds < 1e7))
        out[0] = 0;
    else if (seconds < 100)
        snprintf(out, 32, "%.0f s left", seconds);
    else if (seconds < 6000)
        snprintf(out, 32, "%.0f min left", seconds / 60);
    else
        snprintf(out, 32, "%.1f h left", seconds / 3600);
}

static void draw(const char *what, double done, double total, double now)
{
    enum { BAR = 20 };
    double part = total > 0 ? done / total : 0;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    char bar[BAR + 1], left[32], line[256];
    int full = (int)(part * BAR);
    memset(bar, '#', (size_t)full);
    memset(bar + full, '.', (size_t)(BAR - full));
    bar[BAR] = 0;
    left_print(left, done > begun_done ? (now - begun) * (total - done) / (done - begun_done) : -1);
    int columns = stderr_columns(), room = columns - BAR - 28;
    room = room < 0 ? 0 : room > 120 ? 120 : room;
    int n = snprintf(line, sizeof line, "\r\033[K%-.*s  [%s] %3.0f%%  %s", room, what, bar, 100 * part, left);
    if (n > 0 && columns > 40)
        drawn = write(STDERR_FILENO, line, (size_t)n) > 0 || drawn;
}

/* Is it the work that was begun? */
static bool same(const char *what)
{
    const char *end = strstr(what, "  ");
    size_t n = end ? (size_t)(end - what) : strlen(what);
    n = n < sizeof begun_what - 1 ? n : sizeof begun_what - 1;
    return !strncmp(what, begun_what, n) && !begun_what[n];
}

static void tick(void *ctx, const char *what, double done, double total)
{
    (void)ctx;
    if (pthread_mutex_trylock(&lock))
        return;
    double now = at_now();
    if (!same(what)) {
        const char *end = strstr(what, "  ");
        snprintf(begun_what, sizeof begun_what, "%.*s", end ? (int)(end - what) : 1000, what);
        begun = now;
        begun_done = done;
        last = now + PATIENCE - REDRAW_SECONDS;
    }
    if (now - last >= REDRAW_SECONDS) {
        last = now;
        draw(what, done, total, now);
    }
    pthread_mutex_unlock(&lock);
}

const at_progress *cli_progress(void)
{
    static const at_progress bar = {tick, NULL}, none = {NULL, NULL};
    return isatty(STDERR_FILENO) ? &bar : &none;
}

void cli_progress_clear(void)
{
    pthread_mutex_lock(&lock);
    if (drawn && write(STDERR_FILENO, "\r\033[K", 4) == 4)
        drawn = false;
    pthread_mutex_unlock(&lock);
}
