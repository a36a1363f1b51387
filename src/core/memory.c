/* memory.c: allocation with injectable failure, and arenas.
 *
 * An arena is a list of chunks; the newest chunk serves allocations until it is full. Chunks double
 * in size, so a thousand small results cost a handful of allocations. at_arena_reset(mark) frees the
 * chunks that came after the mark and zeroes nothing: blocks are zeroed when they are handed out. */
#include <attest/core.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#include <sanitizer/asan_interface.h>
#endif
#endif

static atomic_long inject_left; /* 0: off; k: the k-th allocation from now fails */
static atomic_bool inject_fired;
static atomic_size_t ceiling;

void at_alloc_inject(long nth)
{
    atomic_store(&inject_fired, false);
    atomic_store(&inject_left, nth);
}

bool at_alloc_injected(void)
{
    return atomic_load(&inject_fired);
}

void at_alloc_ceiling(size_t bytes)
{
    atomic_store(&ceiling, bytes);
}

size_t at_alloc_most(void)
{
    return atomic_load(&ceiling);
}

static bool alloc_refused(size_t bytes)
{
    size_t cap = atomic_load_explicit(&ceiling, memory_order_relaxed);
    if (cap && bytes > cap)
        return true;
    if (atomic_load_explicit(&inject_left, memory_order_relaxed) > 0 &&
        atomic_fetch_sub(&inject_left, 1) == 1) {
        atomic_store(&inject_fired, true);
        return true;
    }
    return false;
}

void *at_malloc(size_t bytes)
{
    return alloc_refused(bytes) ? NULL : malloc(bytes ? bytes : 1);
}

void *at_calloc(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || alloc_refused(bytes))
        return NULL;
    return calloc(bytes ? bytes : 1, 1);
}

/* A page of 4 KiB has an entry in a table that a core keeps few of: of arrays of many MiB that are read from end to end again and again,
 * each page costs a walk through tables. Linux has pages of 2 MiB for whom asks. Under AddressSanitizer blocks end where they end. */
#define PAGE_LARGE ((size_t)2 << 20)
void *at_calloc_large(size_t bytes)
{
#if defined MADV_HUGEPAGE && !defined __SANITIZE_ADDRESS__
    if (bytes >= PAGE_LARGE && bytes <= SIZE_MAX - PAGE_LARGE) {
        size_t n = (bytes + PAGE_LARGE - 1) / PAGE_LARGE * PAGE_LARGE;
        void *p = alloc_refused(bytes) ? NULL : aligned_alloc(PAGE_LARGE, n);
        if (p) /* a wish: small pages do as well, and for what would not fill a large one they do better */
            (void)madvise(p, n - bytes > PAGE_LARGE / 4 ? n - PAGE_LARGE : n, MADV_HUGEPAGE);
        return p ? memset(p, 0, bytes) : NULL;
    }
#endif
    return at_calloc(bytes, 1);
}

void *at_realloc(void *p, size_t bytes)
{
    return alloc_refused(bytes) ? NULL : realloc(p, bytes ? bytes : 1);
}

void at_free(void *p)
{
    free(p);
}

/* ---- arenas ------------------------------------------------------------------------------------ */

#define CHUNK_ALIGN   64
#define CHUNK_FIRST   ((size_t)16 << 10)
#define CHUNK_LARGEST ((size_t)4 << 20)

/* Under AddressSanitizer only what was handed out may be touched, as if each block had been malloc'd: what is
 * read beside one is in the same chunk, and would not be seen. Blocks then stand apart from each other. */
#ifdef __SANITIZE_ADDRESS__
#define BLOCK_GAP CHUNK_ALIGN
#else
#define BLOCK_GAP                         0
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

struct at_chunk {
    at_chunk *below;
    size_t used, cap; /* of data, which starts at the next multiple of CHUNK_ALIGN after this header */
};

static char *chunk_data(at_chunk *c)
{
    uintptr_t p = (uintptr_t)(c + 1);
    return (char *)((p + CHUNK_ALIGN - 1) / CHUNK_ALIGN * CHUNK_ALIGN);
}

void at_arena_init(at_arena *a)
{
    a->head = NULL;
}

void at_arena_reset(at_arena *a, at_mark m)
{
    while (a->head && a->head != m.chunk) {
        at_chunk *below = a->head->below;
        at_free(a->head);
        a->head = below;
    }
    if (a->head) {
        a->head->used = m.used;
        ASAN_POISON_MEMORY_REGION(chunk_data(a->head) + m.used, a->head->cap - m.used);
    }
}

void at_arena_release(at_arena *a)
{
    at_arena_reset(a, (at_mark){NULL, 0});
}

at_mark at_arena_mark(const at_arena *a)
{
    return (at_mark){a->head, a->head ? a->head->used : 0};
}

void *at_arena_alloc(at_arena *a, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    const size_t asked = bytes ? bytes : 1;
    bytes = (asked + CHUNK_ALIGN - 1) / CHUNK_ALIGN * CHUNK_ALIGN + BLOCK_GAP;
    at_chunk *c = a->head;
    bool fresh = false; /* zero already */
    if (!c || c->cap - c->used < bytes) {
        size_t cap = c ? 2 * c->cap : CHUNK_FIRST;
        if (cap > CHUNK_LARGEST)
            cap = CHUNK_LARGEST;
        if (cap < bytes)
            cap = bytes;
        /* A large block is zero as the system gives it. Untouched, it takes addresses but no memory. */
        fresh = cap > CHUNK_LARGEST;
        c = fresh ? at_calloc(1, sizeof *c + CHUNK_ALIGN + cap) : at_malloc(sizeof *c + CHUNK_ALIGN + cap);
        if (!c)
            return NULL;
        *c = (at_chunk){a->head, 0, cap};
        ASAN_POISON_MEMORY_REGION(chunk_data(c), cap);
        a->head = c;
    }
    void *p = chunk_data(c) + c->used;
    c->used += bytes;
    ASAN_UNPOISON_MEMORY_REGION(p, asked);
    return fresh ? p : memset(p, 0, BLOCK_GAP ? asked : bytes);
}

char *at_arena_strdup(at_arena *a, const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = at_arena_alloc(a, n, 1);
    return p ? memcpy(p, s, n) : NULL;
}

char *at_arena_printf(at_arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = n < 0 ? NULL : at_arena_alloc(a, (size_t)n + 1, 1);
    if (p) {
        va_start(ap, fmt);
        vsnprintf(p, (size_t)n + 1, fmt, ap);
        va_end(ap);
    }
    return p;
}
