/* threads.c: one parallel loop, cancellation, progress, clocks.
 *
 * Work items are handed out in ascending order from one counter. Who runs an item is free; what it
 * writes goes to its own slot, so results are the same for every number of threads. */
#define _GNU_SOURCE
#include <attest/core.h>

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>

typedef struct {
    atomic_size_t next;
    size_t n;
    at_parallel_fn *fn;
    void *ctx;
} loop;

typedef struct {
    loop *l;
    int id;
    pthread_t thread;
} worker;

/* What threads do when they end. */
enum { ENDERS = 4 };
static _Atomic(at_thread_end_fn *) enders[ENDERS];

void at_thread_on_end(at_thread_end_fn *fn)
{
    for (int i = 0; i < ENDERS; i++) {
        at_thread_end_fn *none = NULL;
        if (atomic_compare_exchange_strong(&enders[i], &none, fn) || none == fn)
            return;
    }
    assert(!"more enders than ENDERS");
}

static void *worker_run(void *arg)
{
    worker *w = arg;
    for (;;) {
        size_t i = atomic_fetch_add(&w->l->next, 1);
        if (i >= w->l->n)
            return NULL;
        w->l->fn(w->l->ctx, i, w->id);
    }
}

static void *thread_run(void *arg)
{
    worker_run(arg);
    for (int i = 0; i < ENDERS; i++) {
        at_thread_end_fn *fn = atomic_load(&enders[i]);
        if (fn)
            fn();
    }
    return NULL;
}

int at_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return 1;
}

at_status at_parallel(int threads, size_t n, at_parallel_fn *fn, void *ctx, at_err *err)
{
    if (threads <= 0)
        threads = at_cores();
    if ((size_t)threads > n)
        threads = n ? (int)n : 1;
    loop l = {.n = n, .fn = fn, .ctx = ctx};
    worker *w = at_calloc((size_t)threads, sizeof *w);
    if (!w)
        return at_oom(err);
    int started = 1; /* the calling thread is worker 0 */
    for (; started < threads; started++) {
        w[started] = (worker){&l, started, 0};
        if (pthread_create(&w[started].thread, NULL, thread_run, &w[started]))
            break; /* fewer threads do the same work */
    }
    w[0] = (worker){&l, 0, 0};
    worker_run(&w[0]);
    for (int i = 1; i < started; i++)
        pthread_join(w[i].thread, NULL);
    at_free(w);
    return AT_OK;
}

static volatile sig_atomic_t cancelled;

void at_cancel_request(void)
{
    cancelled = 1;
}

bool at_cancel_pending(void)
{
    return cancelled != 0;
}

void at_cancel_clear(void)
{
    cancelled = 0;
}

void at_progress_tick(const at_progress *p, const char *what, double done, double total)
{
    if (p && p->tick)
        p->tick(p->ctx, what, done, total);
}

double at_cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double at_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

size_t at_peak_rss_bytes(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? (size_t)u.ru_maxrss * 1024 : 0;
}
