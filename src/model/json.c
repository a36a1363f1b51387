/* json.c: jansson without its trouble when memory runs out.
 *
 * jansson 2.14 forgets some failed allocations: its lexer drops the character that did not fit (and then
 * asserts, ending the process), and json_dumps may return a shorter text. So
 *   - parsing draws from a pool that is taken before it starts, large enough for whatever the text can
 *     make jansson build: either the pool cannot be had, which is reported, or nothing fails;
 *   - printing marks a failure where it happens, and the mark decides, not the return value.
 *
 * A pool only grows (jansson's free is a no-op inside it) and ends with its value. Pools of a thread
 * form a stack: the architecture is parsed while the header that holds it is alive. */
#include <pthread.h>
#include <string.h>

#include <jansson.h>

#include "model_internal.h"

#define JSON_MAX_DEPTH 16
/* Per '[', '{' or ',': at most an object of 72 bytes with 8 buckets of 16, its entry in an object (56 and
 * the key, and 64 for tables that were outgrown) or in an array (32), each rounded up to 16: below 450. */
#define JSON_BYTES_A_VALUE 512
/* Per byte: a key is copied twice, a string once, the lexer's buffer doubles up to twice the longest
 * token, leaving its old halves behind: below 7. */
#define JSON_BYTES_A_BYTE 8

typedef struct json_pool {
    struct json_pool *below;
    size_t used, cap;
    _Alignas(16) unsigned char data[];
} json_pool;

static _Thread_local json_pool *pools;
static _Thread_local bool
    parsing; /* only then is taken from the top pool: what is made beside a value outlives it */
static _Thread_local bool out_of_memory;

static void *json_take(size_t bytes)
{
    size_t rounded = (bytes + 15) & ~(size_t)15;
    if (parsing && rounded >= bytes && rounded <= pools->cap - pools->used) {
        void *p = pools->data + pools->used;
        pools->used += rounded;
        return p;
    }
    void *p = at_malloc(bytes);
    if (!p)
        out_of_memory = true;
    return p;
}

/* Outside the pools at_free is free(), so values that jansson made before this was installed can end. */
static void json_drop(void *p)
{
    for (const json_pool *k = pools; k; k = k->below)
        if ((uintptr_t)p >= (uintptr_t)k->data && (uintptr_t)p < (uintptr_t)k->data + k->cap)
            return;
    at_free(p);
}

static void json_install(void)
{
    json_set_alloc_funcs(json_take, json_drop);
}

void model_json_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, json_install);
    out_of_memory = false;
}

bool model_json_oom(void)
{
    bool was = out_of_memory;
    out_of_memory = false;
    return was;
}

static bool pool_push(size_t bytes)
{
    json_pool *p = at_malloc(sizeof *p + bytes);
    if (!p)
        return false;
    *p = (json_pool){.below = pools, .cap = bytes};
    pools = p;
    return true;
}

static void pool_pop(void)
{
    json_pool *p = pools;
    pools = p->below;
    at_free(p);
}

void model_json_free(struct json_t *j)
{
    if (!j)
        return;
    json_decref(j);
    pool_pop();
}

/* One pass over the text: how deep it nests, how many values it can hold. */
static at_status json_screen(const char *s, size_t n, const char *path, const char *what, size_t *values,
                             at_err *err)
{
    size_t depth = 0;
    bool string = false;
    *values = 1;
    for (size_t i = 0; i < n; i++) {
        if (string) {
            if (s[i] == '\\')
                i++;
            else if (s[i] == '"')
                string = false;
            continue;
        }
        string = s[i] == '"';
        *values += s[i] == ',' || s[i] == '[' || s[i] == '{';
        if (s[i] == '[' || s[i] == '{')
            depth++;
        else if ((s[i] == ']' || s[i] == '}') && depth > 0)
            depth--;
        if (depth > JSON_MAX_DEPTH)
            return at_fail(err, AT_EINPUT, "%s: %s nests deeper than %d", path, what, JSON_MAX_DEPTH);
        if (*values > MODEL_JSON_VALUES)
            return at_fail(err, AT_EINPUT, "%s: %s holds more than %zu values", path, what,
                           MODEL_JSON_VALUES);
    }
    return AT_OK;
}

struct json_t *model_json_parse(const char *s, size_t n, const char *path, const char *what, at_err *err)
{
    size_t values;
    if (json_screen(s, n, path, what, &values, err) != AT_OK)
        return NULL;
    model_json_begin();
    if (!pool_push(JSON_BYTES_A_VALUE * values + JSON_BYTES_A_BYTE * n + 4096)) {
        at_oom(err);
        return NULL;
    }
    json_error_t e;
    parsing = true;
    json_t *j = json_loadb(s, n, JSON_REJECT_DUPLICATES, &e);
    parsing = false;
    if (model_json_oom())
        at_oom(err);
    else if (!j)
        at_fail(err, AT_EINPUT, "%s: %s is not JSON: %s (byte %d)", path, what, e.text, e.position);
    else if (!json_is_object(j))
        at_fail(err, AT_EINPUT, "%s: %s is not a JSON object", path, what);
    else
        return j;
    json_decref(j);
    pool_pop();
    return NULL;
}
