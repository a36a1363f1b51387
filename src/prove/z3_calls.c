/* z3_calls.c: loads libz3. */
#ifdef AT_Z3

#include "z3_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static z3_calls calls;
static bool there;

static bool all_find(void *library)
{
    bool all = true;
    void *at;
    /* a symbol is an object pointer here; POSIX says that it may be copied into a function pointer */
#define FIND(name)                                                                                           \
    at = dlsym(library, #name);                                                                              \
    all = all && at;                                                                                         \
    memcpy(&calls.name, &at, sizeof at);
    Z3_CALLS(FIND)
#undef FIND
    return all;
}

static void load(void)
{
    /* as Debian names it, and others */
    static const char *const names[] = {"libz3.so.4", "libz3.so"};
    for (size_t k = 0; k < sizeof names / sizeof *names && !there; k++) {
        void *library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
        there = library && all_find(library);
    }
    if (there)
        calls.Z3_global_param_set("memory_max_size", "2000"); /* MB; beyond, a query gives up */
}

const z3_calls *prove_z3(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return there ? &calls : NULL;
}

#else
typedef int z3_calls_unused; /* a file must not be empty */
#endif
