/* cmd_map.c: `attest map`: least size against problem size: bounds, constructions, trained. */
#include "cli.h"

#include <attest/job.h>
#include <attest/report.h>

#include <string.h>

/* Its own options. */
typedef struct {
    const char *problem; /* NULL: not given */
} own;

static json_t *points_json(const at_map_points *p)
{
    json_t *all = json_array();
    for (int i = 0; i < p->n; i++) {
        json_t *one = cli_json_add(json_array(), cli_json_number(p->x[i]));
        all = cli_json_add(all, cli_json_add(one, cli_json_number(p->y[i])));
    }
    return all;
}

static json_t *place_json(const at_map_place *p)
{
    /* in the order of at_map_kind */
    static const char *const kinds[AT_MAP_KINDS] = {"proved",  "up_to_a_constant", "refuted", "built",
                                                    "sampled", "checked",          "trained", "in_vain"};
    json_t *o = cli_json_set(json_object(), "task", cli_json_text(p->panel->task));
    o = cli_json_set(o, "architecture", cli_json_text(p->panel->architecture));
    o = cli_json_set(o, "size", cli_json_text(p->panel->size));
    o = cli_json_set(o, "unit", cli_json_text(p->panel->unit));
    o = cli_json_set(o, "bound", cli_json_text(p->panel->bound));
    o = cli_json_set(o, "bits", cli_json_text(p->bits));
    o = cli_json_set(o, "construction", cli_json_text(p->panel->construction));
    o = cli_json_set(o, "trained", cli_json_text(p->panel->trained));
    for (int k = 0; k < AT_MAP_KINDS; k++)
        o = cli_json_set(o, kinds[k], points_json(&p->points[k]));
    o = cli_json_set(o, "verdict", cli_json_text(p->words));
    o = cli_json_set(o, "gap", cli_json_number(p->gap));
    o = cli_json_set(o, "ratio", cli_json_number(p->ratio));
    o = cli_json_set(o, "ratio_at", cli_json_number(p->ratio_size));
    return cli_json_set(o, "note", cli_json_text(p->note));
}

static int map_print(const cli_args *a, const at_map *m)
{
    int code = m->contradictions ? CLI_FAILS : CLI_HOLDS;
    if (a->json) {
        json_t *all = json_array();
        for (int k = 0; k < m->n; k++)
            all = cli_json_add(all, place_json(&m->places[k]));
        json_t *o = cli_json_set(json_object(), "build", cli_json_text(at_build_id()));
        o = cli_json_set(o, "contradictions", json_integer(m->contradictions));
        o = cli_json_set(o, "words", cli_json_text(m->words));
        return cli_put_json(a, cli_json_set(o, "panels", all), code);
    }
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    if (a->out) {
        at_text_addf(&t, "map %s: %d panels%s\n", a->out, m->n,
                     m->contradictions ? ", a bound contradicts a construction" : "");
        at_text_add(&t, m->words ? m->words : "");
    } else if (at_map_text(m, cli_columns(), &t, &err)) {
        at_text_release(&t);
        return cli_fail(a, &err);
    }
    return cli_put_text(a, &t, code);
}

static at_status map_draw(const void *map, at_picture_kind kind, const char *path, at_err *err)
{
    return at_map_picture(map, kind, path, err);
}

/* What is known of one problem. */
static at_status problem_map(const cli_args *a, const at_row *rows, size_t n, at_arena *arena, at_map *out,
                             at_err *err)
{
    const own *given = a->own;
    at_problem *p;
    at_status s = at_problem_open(given->problem, &p, err);
    if (s)
        return s;
    at_text subject;
    at_text_init(&subject);
    at_problem_subject(p, &subject);
    const char *name = subject.oom ? NULL : at_arena_strdup(arena, subject.s);
    at_text_release(&subject);
    s = !name ? at_oom(err) : at_map_problem(p, name, a->set, rows, n, at_build_id(), arena, out, err);
    if (!s && a->out && !out->n)
        s = at_fail(err, AT_EREFUSED, "there is nothing to draw of %.60s: no construction, no trained model",
                    given->problem);
    at_problem_free(p);
    return s;
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    at_picture_kind kind;
    at_arena arena;
    at_arena_init(&arena);
    at_row *rows = NULL;
    size_t n = 0;
    at_map m;
    if (a->set && !given->problem)
        return cli_usage(a, "--set gives the parameters of a problem, which --problem names");
    at_status s = a->out ? at_picture_kind_of(a->out, &kind, &err) : AT_OK;
    if (!s && a->db)
        s = at_ledger_read(a->db, &rows, &n, &arena, &err);
    if (!s && given->problem)
        s = problem_map(a, rows, n, &arena, &m, &err);
    else if (!s)
        s = at_map_make(at_map_panels, at_n_map_panels, rows, n, at_build_id(), &arena, &m, &err);
    if (!s && a->out)
        s = cli_draw(map_draw, &m, a->out, &err);
    int code = s ? cli_fail(a, &err) : map_print(a, &m);
    at_arena_release(&arena);
    return code;
}

static const own usual = {0};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_DB},
    {CLI_OUT},
    {"--problem", "P", "what is known of this problem alone: a name or a file", CLI_TEXT(own, problem),
     .alias = "--task"},
    {0},
};

const cli_command cmd_map = {
    .name = "map",
    .summary = "least size against problem size: bounds, constructions, trained",
    .usage = "[--problem P [--set K=V]...] [--db FILE] [-o MAP.png|.svg|.pdf] [--json]",
    .about =
        "For every task and architecture the least size of a model against the size of the problem: what\n"
        "is proved to be needed (dashed where only up to a constant), what the construction of the\n"
        "catalogue has, and, from the ledger, where it was checked, which models were refuted and which\n"
        "widths trained models needed. Without -o the map is a table, a line a panel, with the numbers at "
        "the\n"
        "largest size and the verdict: tight, a gap, open.\n"
        "\n"
        "With --problem the map is of one problem (`attest list problems`, a .dp file, a file of cases): "
        "the\n"
        "catalogue's panels about it; where there are none, what it compiles to, in every attention that\n"
        "applies, at sizes that grow (--set n=2..9 chooses them, --set others); and what `attest sweep P "
        "--db\n"
        "FILE` trained. What is not known is said in words.\n"
        "\n"
        "Exit 1 when a proved bound lies above a construction: one of them is wrong.",
    .examples = "attest map\n"
                "attest map --db attest.db -o map.png\n"
                "attest map --json\n"
                "attest map --problem lis --db attest-sweep.db\n"
                "attest map --problem examples/knapsack.dp --set n=2..8,cap=10 -o knapsack.svg\n",
    .options = options,
    CLI_OWN(usual),
    .least = 0,
    .most = 0,
    .run = run,
};
