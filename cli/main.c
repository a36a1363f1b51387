/* main.c: the table of commands, help, and the way out.
 *
 * Exit codes: 0 holds / 1 does not hold / 2 usage or bad input / 3 could not decide, or out of budget or
 * memory. Whatever a command returns, main has the last word when stdout could not be written. */
#define _GNU_SOURCE
#include "cli.h"

#include <attest/job.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In the order of help. */
#define COMMANDS(C)                                                                                          \
    C(list)                                                                                                  \
    C(show)                                                                                                  \
    C(check)                                                                                                 \
    C(equal)                                                                                                 \
    C(least)                                                                                                 \
    C(build)                                                                                                 \
    C(compile)                                                                                               \
    C(import)                                                                                                \
    C(run)                                                                                                   \
    C(export)                                                                                                \
    C(generate)                                                                                              \
    C(look)                                                                                                  \
    C(extract)                                                                                               \
    C(place)                                                                                                 \
    C(bound)                                                                                                 \
    C(protocol)                                                                                              \
    C(refute)                                                                                                \
    C(influence)                                                                                             \
    C(map)                                                                                                   \
    C(advise)                                                                                                \
    C(report)                                                                                                \
    C(certify)                                                                                               \
    C(cite)                                                                                                  \
    C(lm)                                                                                                    \
    C(data)                                                                                                  \
    C(train)                                                                                                 \
    C(eval)                                                                                                  \
    C(sweep)                                                                                                 \
    C(bench)
#define DECLARED(name) extern const cli_command cmd_##name;
#define LISTED(name)   &cmd_##name,
COMMANDS(DECLARED)
static const cli_command *const commands[] = {COMMANDS(LISTED)};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

const cli_command *cli_command_at(int i)
{
    return i < N_COMMANDS ? commands[i] : NULL;
}

static int overview_print(void)
{
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "attest: theorems about transformers, as weights, checked\n\n"
                    "Usage: attest COMMAND [ARGUMENTS] [OPTIONS]\n"
                    "       attest COMMAND --help\n\n"
                    "Commands:\n");
    for (int i = 0; i < N_COMMANDS; i++)
        at_text_addf(&t, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    at_text_add(&t, "\nOptions:\n"
                    "  --help       this text, or that of a command\n"
                    "  --version    version and build id\n\n"
                    "Exit codes: 0 holds, 1 does not hold, 2 usage or bad input, 3 could not decide\n"
                    "(or out of budget or memory).\n\n"
                    "Try: attest check, attest show match2, attest look match2\n");
    return cli_put_text(&(cli_args){.command = ""}, &t, CLI_HOLDS);
}

static const at_registry registry =
    AT_REGISTRY("command", "attest --help", commands, sizeof commands / sizeof *commands, name);

static int unknown(const char *name)
{
    at_err err = {0};
    at_guess g = {name};
    at_guess_add_all(&g, &registry);
    at_guess_add(&g, "--help");
    at_guess_add(&g, "--version");
    at_guess_fail(&g, name[0] == '-' ? "option" : registry.word, registry.all, &err);
    return cli_fail(&(cli_args){.command = ""}, &err);
}

/* Found out before the work, not after it, whatever the command: can files be written, and none of them over another? */
static bool outputs_can_be_written(const cli_command *c, const cli_args *a, at_err *err)
{
    for (int i = 0; i < a->n_written; i++) {
        const char *path = a->written[i]; /* a ledger is opened, not made anew */
        if (path != a->db && !(c->folders && path == a->out) && at_file_probe(path, err))
            return false;
    }
    for (int i = 0; i < a->n_written; i++)
        for (int k = 0; k < i; k++)
            if (!cli_apart(a->written[k], a->written[i], err))
                return false;
    return cli_kept(a, err);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        bool topic = argc >= 3 && !strcmp(argv[1], "help");
        const cli_command *c = topic ? at_registry_find(&registry, argv[2]) : NULL;
        return c ? cli_help_print(c) : topic ? unknown(argv[2]) : overview_print();
    }
    if (!strcmp(argv[1], "--version")) {
        at_text t;
        at_text_init(&t);
        at_text_addf(&t, "attest %s (build %s)\n", at_version(), at_build_id());
        return cli_put_text(&(cli_args){.command = ""}, &t, CLI_HOLDS);
    }
    const cli_command *c = at_registry_find(&registry, argv[1]);
    if (!c)
        return unknown(argv[1]);
    int rank, started = at_ranks_started(&rank);
    if (!c->ranks && started != 1)
        return rank ? CLI_USAGE
                    : cli_usage(&(cli_args){.command = c->name},
                                "works on one rank; mpirun or srun started several (ATTEST_RANKS=1: run them "
                                "all the same)");
    cli_args a;
    bool help = false;
    bool ready = cli_args_parse(c, argc - 1, argv + 1, &a, &help);
    at_err err = {0};
    int code;
    if (!ready)
        code = a.code;
    else if (help)
        code = cli_help_print(c);
    else if (!c->ranks && !outputs_can_be_written(c, &a, &err)) /* ranks agree on it among themselves */
        code = cli_fail(&a, &err);
    else
        code = c->run(&a);
    cli_args_release(&a);
    return code;
}

/* A file opened later must not become standard output by taking a closed descriptor; what stands in for
 * it refuses writing, so that a closed stdout is noticed like a full one. */
static void descriptors_open(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) != fd)
            _exit(CLI_USAGE);
}

static at_text line;

/* "attest", the command and its words. */
static void line_keep(int argc, char **argv)
{
    at_text_add(&line, "attest");
    for (int i = 1; i < argc; i++) {
        at_text_add(&line, " ");
        at_text_add_word(&line, argv[i]);
    }
}

const char *cli_command_line(void)
{
    return line.oom ? NULL : line.s;
}

int main(int argc, char **argv)
{
    descriptors_open();
    cli_memory_install();
    cli_signals_install();
    line_keep(argc, argv);
    int code = dispatch(argc, argv);
    at_text_release(&line);
    cli_progress_clear();
    return cli_flush() ? code : cli_out_interrupted() ? CLI_UNDECIDED : CLI_USAGE;
}
