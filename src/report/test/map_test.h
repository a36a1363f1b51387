/* map_test.h: rows of claims and points of a map, as the tests of whole maps and of maps of one problem ask for them. */
#ifndef ATTEST_MAP_TEST_H
#define ATTEST_MAP_TEST_H

#include "study_test.h"

/* A claim's row as `attest check` writes it, with the sizes of its model. */
static at_row *claim_add(sweep *s, const char *id, const char *params, const char *verdict, int width)
{
    char detail[200];
    snprintf(detail, sizeof detail,
             "{\"size\":{\"layers\":1,\"heads\":2,\"width\":%d,\"head_dim\":3,\"hidden\":7,\"parameters\":99,"
             "\"nonzero\":9,\"largest_weight\":1.5}}",
             width);
    at_row *r = row_add(s, id, params, "exact", 1, verdict, detail);
    r->rec.role = "claim";
    r->rec.evidence = "exact";
    r->rec.inputs = 12;
    return r;
}

static void assert_points(const at_map_place *p, at_map_kind kind, int n, const double *xy)
{
    const at_map_points *q = &p->points[kind];
    if (q->n != n)
        fail_msg("%d points of kind '%s', wanted %d", q->n, at_map_kind_names[kind], n);
    for (int i = 0; i < n; i++)
        if (q->x[i] != xy[2 * i] || q->y[i] != xy[2 * i + 1])
            fail_msg("point %d of kind '%s': (%g, %g), wanted (%g, %g)", i, at_map_kind_names[kind], q->x[i],
                     q->y[i], xy[2 * i], xy[2 * i + 1]);
}

#define POINTS(P, KIND, ...)                                                                                 \
    assert_points(P, KIND, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double) / 2),                      \
                  (double[]){__VA_ARGS__})

#endif
