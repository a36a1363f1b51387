/* memory.c: libraries that cannot report exhaustion, and --max-memory.
 *
 * GMP, MPFR, FLINT and Arb have no way to say "no memory": when an allocation fails they end the process. So
 * theirs go through at_malloc, which knows the ceiling, and a failure ends with our one line and exit 3.
 * Nothing is half-written then: files appear by rename, the ledger by transaction. */
#define _GNU_SOURCE
#include "cli.h"

#include <gmp.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* FLINT's headers have one home in the library; these two prototypes are the same in FLINT 2 and 3. */
void __flint_set_memory_functions(void *(*alloc)(size_t), void *(*calloc)(size_t, size_t),
                                  void *(*realloc)(void *, size_t), void (*free)(void *));
void flint_set_abort(void (*func)(void));

#ifdef ADDRESS_SANITIZED
/* fontconfig, which cairo asks for fonts, keeps its tables to the end: not our leak. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}
const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "print_suppressions=0"; /* stderr is for errors */
}
#endif

static _Noreturn void leave(const char *line)
{
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        _exit(CLI_UNDECIDED); /* nobody is left to tell */
    _exit(CLI_UNDECIDED);
}

static _Noreturn void exhausted(void)
{
    leave("attest: out of memory\n");
}

static _Noreturn void flint_gave_up(void)
{
    leave("attest: FLINT gave up on a computation\n");
}

static void *need(void *p)
{
    if (!p)
        exhausted();
    return p;
}

static void *must_malloc(size_t n)
{
    return need(at_malloc(n));
}

static void *must_calloc(size_t n, size_t size)
{
    return need(at_calloc(n, size));
}

static void *must_realloc(void *p, size_t n)
{
    return need(at_realloc(p, n));
}

static void *gmp_realloc(void *p, size_t old, size_t n)
{
    (void)old;
    return must_realloc(p, n);
}

static void gmp_free(void *p, size_t n)
{
    (void)n;
    at_free(p);
}

void cli_memory_install(void)
{
    mp_set_memory_functions(must_malloc, gmp_realloc, gmp_free);
    __flint_set_memory_functions(must_malloc, must_calloc, must_realloc, at_free);
    flint_set_abort(flint_gave_up);
}

#ifndef ADDRESS_SANITIZED
/* The stack counts too and cannot report failure: take what we need of it now. */
static void stack_take(void)
{
    volatile char page[(size_t)1 << 20];
    for (size_t i = 0; i < sizeof page; i += 4096)
        page[sizeof page - 1 - i] = 0;
}
#endif

bool cli_memory_limit(uint64_t mebibytes)
{
    uint64_t bytes = mebibytes << 20;
    at_alloc_ceiling(bytes);
#ifndef ADDRESS_SANITIZED /* its shadow alone takes terabytes of addresses */
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r))
        return false;
    /* Every thread's own malloc arena would reserve 128 MiB of addresses: one arena for all. */
    mallopt(M_ARENA_MAX, 1);
    if (r.rlim_max != RLIM_INFINITY && bytes > r.rlim_max)
        bytes = r.rlim_max;
    r.rlim_cur = bytes;
    stack_take();
    return setrlimit(RLIMIT_AS, &r) == 0;
#else
    return true;
#endif
}
