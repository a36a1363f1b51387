/* signals.c: Ctrl-C loses nothing.
 *
 * The first one asks the work to stop at the next safe place: what is finished is in the ledger and the
 * command ends with exit 3. The second one leaves at once; files still are the old ones or the new ones,
 * because they appear by rename. A signal that comes just before a call that waits (a pipe that is full) would be slept
 * through: so an alarm follows every second, and the call comes back. */
#define _GNU_SOURCE
#include "cli.h"

#include <signal.h>
#include <unistd.h>

static void interrupted(int sig)
{
    (void)sig;
    if (at_cancel_pending())
        _exit(CLI_INTERRUPTED);
    at_cancel_request();
    alarm(1);
}

static void rung(int sig)
{
    (void)sig;
    alarm(1);
}

void cli_signals_install(void)
{
    /* No SA_RESTART: a read that waits for the user's next line must come back. */
    struct sigaction stop = {.sa_handler = interrupted}, ring = {.sa_handler = rung},
                     ignore = {.sa_handler = SIG_IGN}, now;
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++)
        if (sigaction(stopping[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) /* nohup stays nohup */
            sigaction(stopping[i], &stop, NULL);
    sigaction(SIGALRM, &ring, NULL);
    sigaction(SIGPIPE, &ignore, NULL); /* a closed pipe is a failed write, with a message */
    sigaction(SIGXFSZ, &ignore, NULL); /* and so is a file that may not be so large */
}
