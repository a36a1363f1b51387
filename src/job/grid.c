/* grid.c: presets of sweeps, and the cells they stand for.
 *
 * Cells come size by size, the smallest first, and within a size width by width, so that a sweep that is stopped early has
 * whole columns of the small ones. */
#include "job_internal.h"

#include <stdio.h>
#include <string.h>

static const int quick_widths[] = {32, 64, 0}, quick_fine[] = {16, 24, 32, 48, 0};
static const int paper_widths[] = {32, 64, 128, 256, 512, 1024, 0},
                 paper_to_512[] = {32, 64, 128, 256, 512, 0};

/* One recipe for every attention; what a task changes, it changes for all of them. Three sizes and four widths of LIS tell what
 * grows; the largest size of each task tells where most. Words have one length: those of the benchmark (n-3..n+2 letters) take five
 * times as many steps. Edit distance is learnt in some 4000 steps where it is learnt at all; at 2800 no attention has it. */
static const at_grid_task quick_tasks[] = {
    {"lis", "n", (const char *const[]){"n=5 range=12", "n=7 range=17", "n=10 range=25", NULL}, NULL,
     quick_fine},
    {"ed", "n", (const char *const[]){"n=4 fixed=1", NULL}, "steps=6000", quick_widths},
    {"ed-local", "n", (const char *const[]){"n=4 fixed=1", NULL}, NULL, quick_widths},
    {"arithmetic", "operators", (const char *const[]){"operators=2", "operators=3", NULL}, "steps=4500",
     quick_widths},
};
static const at_preset quick = {
    "quick",
    "the phenomenon, in an hour on two cores",
    NULL,
    "dropout=0 words=1.7 batch=64 rate=0.006 beta2=0.98 steps=2800 exams=280 prompts=200 count=500 "
    "enough=0.99",
    quick_tasks,
    sizeof quick_tasks / sizeof *quick_tasks,
    2,
    NULL,
    false,
};

/* A million samples are 1954 batches of 512; a hundred epochs, five of them to warm up, and the rate changes with the epoch. */
static const at_grid_task paper_tasks[] = {
    {"lis", "n",
     (const char *const[]){"n=40 range=209", "n=110 range=139", "n=175 range=250", "n=250 range=250", NULL},
     NULL, paper_widths},
    {"ed", "n", (const char *const[]){"n=6", "n=12", "n=16", "n=20", NULL}, NULL, paper_widths},
    {"ed-local", "n", (const char *const[]){"n=6", "n=12", "n=16", "n=20", NULL}, NULL, paper_widths},
    {"arithmetic", "operators",
     (const char *const[]){"operators=6 order=random under=1", "operators=10 order=random under=1",
                           "operators=13 order=random under=1", "operators=16 order=random under=1", NULL},
     NULL, paper_to_512},
};
static const at_preset paper = {
    "paper",
    "the protocol of the paper: 276 trainings of 195,400 steps; for a cluster",
    "lis n=175 and 250: no sorted run of n numbers fits between n+1 and 249, where the benchmark's inputs "
    "end;\n"
    "    inputs here are n+1..n+250\n"
    "ed-local: the source gives no more than its lengths, 66, 198, 326, 486; here it is the table without "
    "commas\n"
    "test rows: no test prompt is ever a training prompt; the benchmark forbids equal rows alone\n"
    "arithmetic: rows met twice are made up for by rows of 1..k operators, there by rows of k\n"
    "net: GeLU by erf, there by tanh; positions from 1, there from 0; Xavier weights\n"
    "batches: all have 512 rows, there the last of an epoch has 64; one epoch follows the other without a "
    "gap\n"
    "decay: norms and biases are spared, as there is meant; its names for gains do not match, so that there "
    "they\n"
    "    shrink (--spared biases)\n",
    "dropout=0.1 batch=512 rate=0.0001 steps=195400 warmup=9770 hold=1954 zero=1 spared=norms "
    "samples=1000000 "
    "distinct=1 exams=9770 prompts=1000 count=100000",
    paper_tasks,
    sizeof paper_tasks / sizeof *paper_tasks,
    1,
    NULL,
    false,
};

/* Membership of words, without a chain: what is learnt to length 20, and what of it holds to 40? The net has room for both. */
static const int languages_widths[] = {32, 0};
static const at_grid_task languages_tasks[] = {
    {"majority", "n", (const char *const[]){"n=20 least=1 chain=0", NULL}, NULL, languages_widths},
    {"parity", "n", (const char *const[]){"n=20 least=1 chain=0", NULL}, NULL, languages_widths},
    {"dyck", "k",
     (const char *const[]){"k=1 n=20 least=2 D=20 chain=0", "k=2 n=20 least=2 D=20 chain=0", NULL}, NULL,
     languages_widths},
    {"aa", "n", (const char *const[]){"n=20 least=1 chain=0", NULL}, NULL, languages_widths},
    {"sum", "n", (const char *const[]){"n=20 least=1 chain=0", NULL}, NULL, languages_widths},
};
static const at_preset languages = {
    "languages",
    "regular languages and counting: learnt, and at twice the length?",
    NULL,
    "layers=2 length=48 dropout=0 words=1.7 batch=64 rate=0.003 beta2=0.98 steps=6000 exams=500 prompts=200 "
    "count=1000 enough=0.999",
    languages_tasks,
    sizeof languages_tasks / sizeof *languages_tasks,
    1,
    "standard",
    true,
};

const at_preset *const at_presets[] = {&quick, &paper, &languages};
const int at_n_presets = sizeof at_presets / sizeof *at_presets;
const at_registry at_preset_registry =
    AT_REGISTRY("preset", NULL, at_presets, sizeof at_presets / sizeof *at_presets, id);

const at_preset *at_preset_find(const char *id)
{
    return at_registry_find(&at_preset_registry, id);
}

static const at_grid_task *task_of(const at_preset *p, const char *stream)
{
    for (int k = 0; k < p->n_tasks; k++)
        if (!strcmp(p->tasks[k].stream, stream))
            return &p->tasks[k];
    return NULL;
}

/* The bytes of the first assignment behind *s; 0: there is none. */
static size_t assignment_next(const char **s)
{
    *s += strspn(*s, " ,");
    return strcspn(*s, " ,");
}

static bool assigns(const char *set, const char *one, size_t n)
{
    size_t k;
    for (const char *s = set; (k = assignment_next(&s)); s += k)
        if (k == n && !memcmp(s, one, n))
            return true;
    return false;
}

/* The size that is asked for: of the preset; NULL: another one. */
static const char *size_asked(const at_grid_task *t, const char *set)
{
    if (!at_assignments_name(set, t->size))
        return t->sizes[0];
    for (int k = 0; t->sizes[k]; k++) {
        size_t n;
        for (const char *s = t->sizes[k]; (n = assignment_next(&s)); s += n)
            if (!strncmp(s, t->size, strlen(t->size)) && s[strlen(t->size)] == '=' && assigns(set, s, n))
                return t->sizes[k];
    }
    return NULL;
}

bool at_preset_set(const at_preset *p, const char *stream, const char *set, at_text *out)
{
    const at_grid_task *t = p ? task_of(p, stream) : NULL;
    const char *size = t ? size_asked(t, set) : NULL;
    size_t n;
    for (const char *s = size ? size : t ? t->sizes[0] : ""; (n = assignment_next(&s)); s += n) {
        char name[32];
        bool all = true;
        for (int k = 0; !size && t->sizes[k]; k++)
            all = all && assigns(t->sizes[k], s, n);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s, "="), s);
        if (all && !at_assignments_name(set, name))
            at_text_addf(out, "%.*s ", (int)n, s);
    }
    at_text_add(out, set ? set : "");
    return size;
}

/* ---- lists ------------------------------------------------------------------------------------------------- */

#define LIST_MOST 64
typedef struct {
    int n, value[LIST_MOST];
} list;

static at_status list_parse(const char *what, const char *text, int64_t lo, int64_t hi, list *out,
                            at_err *err)
{
    out->n = 0;
    for (const char *s = text;; s++) {
        size_t n = strcspn(s, ",");
        int64_t v;
        if (!at_parse_i64(s, n, &v) || v < lo || v > hi)
            return at_fail(err, AT_EINPUT, "%s '%.40s': must be integers in %lld..%lld with commas between",
                           what, text, (long long)lo, (long long)hi);
        for (int k = 0; k < out->n; k++)
            if (out->value[k] == v)
                return at_fail(err, AT_EINPUT, "%s '%.40s': %d is there twice", what, text, (int)v);
        if (out->n == LIST_MOST)
            return at_fail(err, AT_EINPUT, "%s: at most %d of them", what, LIST_MOST);
        out->value[out->n++] = (int)v;
        s += n;
        if (!*s)
            return AT_OK;
    }
}

static at_status attentions_parse(const char *text, list *out, at_err *err)
{
    out->n = 0;
    for (const char *s = text;; s++) {
        size_t n = strcspn(s, ",");
        int k = 0;
        while (k < AT_TRAINED_ATTENTIONS &&
               (strlen(at_attention_names[k]) != n || strncmp(at_attention_names[k], s, n)))
            k++;
        if (k == AT_TRAINED_ATTENTIONS)
            return at_fail(err, AT_EINPUT,
                           "attentions '%.40s': must be standard, sparse, linear with commas between", text);
        for (int i = 0; i < out->n; i++)
            if (out->value[i] == k)
                return at_fail(err, AT_EINPUT, "attentions '%.40s': %s is there twice", text,
                               at_attention_names[k]);
        out->value[out->n++] = k;
        s += n;
        if (!*s)
            return AT_OK;
    }
}

/* ---- cells ------------------------------------------------------------------------------------------------- */

typedef struct {
    const at_grid *g;
    list attentions, widths, seeds; /* widths: n = 0 for each task's own */
    at_arena *arena;
    at_grid_cell *cell;
    int n, cap;
    at_source *source; /* of the cells that are added; NULL: of a preset */
    const char *stamp;
} maker;

static at_status cell_add(maker *k, const at_grid_task *t, const char *params, double size, int attention,
                          int width, int seed, at_err *err)
{
    if (k->n == k->cap) {
        int cap = 2 * k->cap + 64;
        at_grid_cell *grown = at_new(k->arena, at_grid_cell, cap);
        if (!grown)
            return at_oom(err);
        if (k->n)
            memcpy(grown, k->cell, (size_t)k->n * sizeof *grown);
        k->cell = grown;
        k->cap = cap;
    }
    at_grid_cell *c = &k->cell[k->n++];
    *c = (at_grid_cell){.preset = k->g->preset,
                        .task = t,
                        .params = params,
                        .size = size,
                        .source = k->source,
                        .stamp = k->stamp};
    at_recipe_init(&c->recipe);
    char own[96];
    snprintf(own, sizeof own, "attention=%s width=%d seed=%d", at_attention_names[attention], width, seed);
    at_status s = at_recipe_set(&c->recipe, k->g->preset->recipe, err);
    if (!s && t->recipe)
        s = at_recipe_set(&c->recipe, t->recipe, err);
    if (!s && k->g->recipe)
        s = at_recipe_set(&c->recipe, k->g->recipe, err);
    if (!s && c->recipe.net != AT_LEARN_DECODER)
        return at_fail(err, AT_EREFUSED, "net is %s: a sweep is of decoders; train takes the others",
                       at_learn_net_names[c->recipe.net]);
    if (!s)
        s = at_recipe_set(&c->recipe, own, err);
    if (!s && (width % 8 || width % c->recipe.arch.heads)) /* not found out hours later */
        s = at_fail(err, AT_EINPUT, "width %d must be a multiple of 8 and of the heads (%d)", width,
                    c->recipe.arch.heads);
    return s;
}

static at_status params_add(maker *k, const at_grid_task *t, const at_params *p, double size, at_err *err)
{
    at_text text;
    at_text_init(&text);
    at_text_add(&text, "");
    at_params_print(p, &text);
    const char *params = text.oom ? NULL : at_arena_strdup(k->arena, text.s);
    at_text_release(&text);
    at_status s = params ? AT_OK : at_oom(err);
    int n = k->widths.n;
    while (!k->widths.n && t->widths[n])
        n++;
    for (int w = 0; w < n; w++)
        for (int a = 0; a < k->attentions.n; a++)
            for (int r = 0; r < k->seeds.n && !s; r++)
                s = cell_add(k, t, params, size, k->attentions.value[a],
                             k->widths.n ? k->widths.value[w] : t->widths[w], k->seeds.value[r], err);
    return s;
}

static at_status size_add(maker *k, const at_grid_task *t, const char *sizes, at_err *err)
{
    const at_stream *stream = at_stream_find(t->stream);
    at_params p;
    at_params_init(&p, stream->params, stream->n_params);
    at_status s = at_params_parse(&p, sizes, err);
    return s ? s : params_add(k, t, &p, at_params_get(&p, t->size), err);
}

/* A size of a problem of the user's own. */
static at_status problem_add(void *ctx, const at_grid_task *t, at_source *d, const char *stamp, at_err *err)
{
    maker *k = ctx;
    int before = k->n;
    k->source = d;
    k->stamp = stamp;
    double size = at_params_has(&d->p, t->size) ? at_params_get(&d->p, t->size) : at_source_longest(d);
    at_status s = params_add(k, t, &d->p, size, err);
    if (k->n == before) /* no cell has it */
        at_source_free(d);
    k->source = NULL;
    k->stamp = NULL;
    return s;
}

/* Which of the preset's tasks the word is; NULL: none, or it has parameters of its own. */
static const at_grid_task *preset_task(const at_grid *g, const char *word)
{
    return g->set ? NULL : task_of(g->preset, word);
}

static at_status problems_add(maker *k, at_err *err)
{
    const at_grid *g = k->g;
    at_status s = AT_OK;
    if (g->set && !g->n_tasks)
        return at_fail(err, AT_EINPUT, "--set gives the parameters of a problem: which one?");
    for (int i = 0; i < g->n_tasks && !s; i++) {
        bool again = false;
        for (int j = 0; j < i; j++)
            again = again || !strcmp(g->tasks[i], g->tasks[j]);
        if (!again && !preset_task(g, g->tasks[i]))
            s = grid_problem(g, g->tasks[i], k->arena, problem_add, k, err);
    }
    return s;
}

at_status at_grid_make(const at_grid *g, at_arena *arena, at_grid_cell **cells, int *n, at_err *err)
{
    maker k = {.g = g, .arena = arena, .attentions = {3, {0, 1, 2}}, .seeds = {.n = g->preset->seeds}};
    for (int i = 0; i < k.seeds.n; i++)
        k.seeds.value[i] = i + 1;
    at_status s = AT_OK;
    const char *attentions = g->attentions ? g->attentions : g->preset->attentions;
    if (attentions)
        s = attentions_parse(attentions, &k.attentions, err);
    if (!s && g->widths)
        s = list_parse("widths", g->widths, 8, 8192, &k.widths, err);
    if (!s && g->seeds)
        s = list_parse("seeds", g->seeds, 0, INT32_MAX, &k.seeds, err);
    bool any = true;
    for (int size = 0; any && !s; size++) {
        any = false;
        for (int t = 0; t < g->preset->n_tasks && !s; t++) {
            const at_grid_task *task = &g->preset->tasks[t];
            bool wanted = !g->n_tasks;
            for (int i = 0; i < g->n_tasks; i++)
                wanted = wanted || preset_task(g, g->tasks[i]) == task;
            int sizes = 0;
            while (task->sizes[sizes])
                sizes++;
            if (!wanted || size >= sizes)
                continue;
            any = true;
            s = size_add(&k, task, task->sizes[size], err);
        }
    }
    if (!s)
        s = problems_add(&k, err);
    if (s) {
        at_grid_release(k.cell, k.n);
        k.n = 0;
    }
    *cells = k.cell;
    *n = k.n;
    return s;
}
