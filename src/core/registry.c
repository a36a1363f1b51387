/* registry.c: tables whose rows have a name: finding one, and saying what may have been meant when there is none. */
#include <attest/core.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NEAREST_MAX 40

static size_t edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), row[NEAREST_MAX + 1];
    if (na > NEAREST_MAX || nb > NEAREST_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t diag = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t best = diag + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diag = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

/* An abbreviation is as near as one slip, and a slip of case is the likeliest. */
void at_guess_add(at_guess *g, const char *candidate)
{
    size_t length = strlen(g->name), d = edit_distance(g->name, candidate);
    if (length >= 3 && strncmp(g->name, candidate, length) == 0 && d > 1)
        d = 1;
    if (strcasecmp(g->name, candidate) == 0)
        d = 0;
    if (!g->best || d < g->distance) {
        g->distance = d;
        g->best = candidate;
    }
}

void at_guess_add_all(at_guess *g, const at_registry *r)
{
    for (int i = 0; i < r->n; i++)
        at_guess_add(g, at_registry_name(r, i));
}

const char *at_guess_found(const at_guess *g)
{
    /* a distance of the whole length means that nothing of the name is left */
    size_t length = strlen(g->name);
    return g->best && g->distance <= 1 + length / 3 && g->distance < length ? g->best : NULL;
}

const char *at_guess_text(const at_guess *g, char out[AT_GUESS_TEXT])
{
    const char *near = at_guess_found(g); /* of NEAREST_MAX bytes at most */
    out[0] = 0;
    if (near)
        snprintf(out, AT_GUESS_TEXT, "; did you mean '%s'?", near);
    return out;
}

const char *at_nearest(const char *name, const char *const *candidates, size_t n)
{
    at_guess g = {name};
    for (size_t i = 0; i < n; i++)
        at_guess_add(&g, candidates[i]);
    return at_guess_found(&g);
}

at_status at_guess_fail(const at_guess *g, const char *word, const char *all, at_err *err)
{
    const char *near = at_guess_found(g);
    if (near)
        return at_fail(err, AT_EINPUT, "unknown %s '%.60s'; did you mean '%s'? (%s)", word, g->name, near,
                       all);
    return at_fail(err, AT_EINPUT, "unknown %s '%.60s'; see `%s`", word, g->name, all);
}

static const void *row_at(const at_registry *r, int i)
{
    const void *row = (const char *)r->rows + (size_t)i * r->bytes;
    return r->pointers ? *(const void *const *)row : row;
}

const char *at_registry_name(const at_registry *r, int i)
{
    return *(const char *const *)((const char *)row_at(r, i) + r->at);
}

const void *at_registry_find(const at_registry *r, const char *name)
{
    for (int i = 0; i < r->n; i++)
        if (strcmp(at_registry_name(r, i), name) == 0)
            return row_at(r, i);
    return NULL;
}

const char *at_registry_nearest(const at_registry *r, const char *name)
{
    at_guess g = {name};
    at_guess_add_all(&g, r);
    return at_guess_found(&g);
}

const void *at_registry_need(const at_registry *r, const char *name, at_err *err)
{
    const void *row = at_registry_find(r, name);
    if (row)
        return row;
    at_guess g = {name};
    at_guess_add_all(&g, r);
    if (r->all) {
        at_guess_fail(&g, r->word, r->all, err);
        return NULL;
    }
    const char *best = at_guess_found(&g);
    at_text all;
    at_text_init(&all);
    for (int i = 0; i < r->n; i++)
        at_text_addf(&all, "%s%s", i ? ", " : "", at_registry_name(r, i));
    at_fail(err, AT_EINPUT, "unknown %s '%.60s'%s%s%s (there are: %s)", r->word, name,
            best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "",
            !r->n     ? "none"
            : all.oom ? "..."
                      : all.s);
    at_text_release(&all);
    return NULL;
}
