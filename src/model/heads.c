/* heads.c: what heads are for, by the names of the program that they were made from.
 *
 *     0.0 paired
 *     2.1 a S b
 *
 * In a file they are lines of block.group, a blank and the name, in that order. They are notes: they have no part in what a model
 * computes nor in its identity. Files come from strangers, so a name has nothing that acts instead of being seen. */
#include <stdio.h>
#include <string.h>

#include "model_internal.h"

static const char cut[] = "\xE2\x80\xA6"; /* an ellipsis */

/* text without what acts, shortened between two characters; "" when nothing can be seen of it. */
static at_status name_clean(const char *text, char out[AT_NAME_MAX + 1], at_err *err)
{
    at_text t;
    size_t n = 0;
    at_text_init(&t);
    at_text_add_plain(&t, text);
    if (t.oom) {
        at_text_release(&t);
        return at_oom(err);
    }
    const char *s = t.s ? t.s + strspn(t.s, " ") : "";
    size_t all = strlen(s), room = all <= AT_NAME_MAX ? all : AT_NAME_MAX - strlen(cut);
    for (const char *at = s; n < all;) {
        at_text_next(&at);
        if ((size_t)(at - s) > room)
            break;
        n = (size_t)(at - s);
    }
    memcpy(out, s, n);
    strcpy(out + n, n < all ? cut : "");
    for (n = strlen(out); n && out[n - 1] == ' ';)
        out[--n] = 0;
    at_text_release(&t);
    return AT_OK;
}

at_status at_model_name_head(at_model *m, int block, int group, const char *name, at_err *err)
{
    char clean[AT_NAME_MAX + 1] = "";
    at_group *g = &m->blocks[block].groups[group];
    at_status st = name ? name_clean(name, clean, err) : AT_OK;
    if (st != AT_OK)
        return st;
    char *copy = *clean ? at_arena_strdup(&m->arena, clean) : NULL;
    if (*clean && !copy)
        return at_oom(err);
    g->name = copy;
    return AT_OK;
}

void at_head_number(const at_model *m, int block, int group, int head, int *layer, int *number)
{
    *layer = 0;
    *number = head + 1;
    for (int b = 0; b <= block; b++)
        *layer += m->blocks[b].kind == AT_BLOCK_ATTN;
    for (int g = 0; g < group; g++)
        *number += m->blocks[block].groups[g].heads;
}

void model_heads_print(const at_model *m, at_text *out)
{
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            if (m->blocks[b].groups[g].name)
                at_text_addf(out, "%s%d.%d %s", out->n ? "\n" : "", b, g, m->blocks[b].groups[g].name);
}

/* A number without sign and leading zeros; *s moves behind it. -1: there is none. */
static int number_read(const char **s)
{
    const char *at = *s;
    int n = 0;
    if (*at == '0' && at[1] >= '0' && at[1] <= '9')
        return -1;
    for (; *at >= '0' && *at <= '9' && n < 1 << 20; at++)
        n = 10 * n + (*at - '0');
    n = at == *s ? -1 : n;
    *s = at;
    return n;
}

at_status model_heads_read(at_model *m, const char *text, at_err *err)
{
    int last_b = -1, last_g = -1;
    for (const char *s = text; s;) {
        const char *end = strchr(s, '\n');
        size_t n = end ? (size_t)(end - s) : strlen(s);
        char name[AT_NAME_MAX + 1], clean[AT_NAME_MAX + 1];
        const char *at = s;
        int b = number_read(&at), g = b >= 0 && *at == '.' ? (at++, number_read(&at)) : -1;
        size_t used = (size_t)(at - s) + 1;
        if (g < 0 || *at != ' ' || n <= used)
            return at_fail(err, AT_EINPUT, "heads: a line is BLOCK.GROUP, a blank and a name");
        if (b >= m->n_blocks || m->blocks[b].kind != AT_BLOCK_ATTN || g >= m->blocks[b].n_groups)
            return at_fail(err, AT_EINPUT, "heads: there is no group %d.%d", b, g);
        if (b < last_b || (b == last_b && g <= last_g))
            return at_fail(err, AT_EINPUT, "heads: %d.%d is out of order", b, g);
        at_status st = AT_OK;
        if (n - used <= AT_NAME_MAX) {
            memcpy(name, at + 1, n - used);
            name[n - used] = 0;
            st = name_clean(name, clean, err);
        }
        if (st != AT_OK)
            return st;
        if (n - used > AT_NAME_MAX || strcmp(name, clean) != 0)
            return at_fail(err, AT_EINPUT,
                           "heads: the name of %d.%d has more than %d bytes, or characters that act instead "
                           "of being seen",
                           b, g, AT_NAME_MAX);
        st = at_model_name_head(m, b, g, name, err);
        if (st != AT_OK)
            return st;
        last_b = b, last_g = g;
        s = end ? end + 1 : NULL;
    }
    return AT_OK;
}
