/* shelf.c: finished pieces of an unfinished cell. They are read when the cell starts and written one by
 * one, so kill -9 costs at most the pieces that were under way. */
#include "job_internal.h"

static at_status shelf_take(void *ctx, uint64_t piece, const char *payload, at_err *err)
{
    shelf *s = ctx;
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 64;
        uint64_t *index = at_new(s->arena, uint64_t, cap);
        char **text = at_new(s->arena, char *, cap);
        if (!index || !text)
            return at_oom(err);
        for (size_t k = 0; k < s->n; k++) {
            index[k] = s->index[k];
            text[k] = s->payload[k];
        }
        s->index = index;
        s->payload = text;
        s->cap = cap;
    }
    s->index[s->n] = piece;
    if (!(s->payload[s->n] = at_arena_strdup(s->arena, payload)))
        return at_oom(err);
    s->n++;
    return AT_OK;
}

at_status shelf_load(shelf *s, at_err *err)
{
    return s->ledger ? at_ledger_pieces(s->ledger, s->key, shelf_take, s, err) : AT_OK;
}

const char *shelf_find(const shelf *s, uint64_t piece)
{
    size_t lo = 0, hi = s->n; /* ascending */
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (s->index[mid] < piece)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->n && s->index[lo] == piece ? s->payload[lo] : NULL;
}

at_status shelf_put(shelf *s, uint64_t piece, const char *payload, at_err *err)
{
    return s->ledger ? at_ledger_piece_put(s->ledger, s->key, piece, payload, err) : AT_OK;
}
