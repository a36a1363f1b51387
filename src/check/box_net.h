/* box_net.h: a one-layer MLP as a function of its inputs, and its enclosure by a polynomial on a box. */
#ifndef ATTEST_CHECK_BOX_NET_H
#define ATTEST_CHECK_BOX_NET_H

#include "../num/flint_compat.h"
#include "check_internal.h"

#define BOX_PREC 128

/* out_r = o0_r + L_r x + sum_k O_rk act(A_k x + a0_k), embedding and readout multiplied in: balls, mostly points. */
typedef struct {
    int d, h, R;
    bool gelu;
    arb_ptr A, a0;   /* (h, d), (h) */
    arb_ptr O;       /* (R, h) */
    arb_ptr L, o0;   /* (R, d), (R) */
    double *lo, *hi; /* (d) what the model's fields allow */
} box_net;

void box_normal(arb_t Phi, arb_t phi, const arb_t z); /* distribution and density of the normal law */

at_status box_net_init(box_net *n, const at_model *m, at_err *err);
/* Units with opposite arguments become one, exactly: act(-z) = act(z) - z for ReLU and GeLU. */
at_status box_net_fold(box_net *n, at_err *err);
void box_net_clear(box_net *n);

/* Polynomial of degree 2 about the point x0 of a box: c + g.y + y'Hy/2 with y = x - x0, plus anything of size rho. */
typedef struct {
    int d;
    double *lo, *hi; /* (d) the box */
    arb_ptr x0, rad; /* (d) its centre and half widths; at an infinite side the finite end, radius 0 */
    arb_t c, rho;
    arb_ptr g, H; /* (d), (d, d) */
    double *pull; /* (d) how much of rho halving this side would attack */
} box_poly;

at_status box_poly_init(box_poly *q, int d, at_err *err);
void box_poly_clear(box_poly *q);
void box_poly_place(box_poly *q, const double *lo, const double *hi); /* zero on this box */
void box_poly_add_output(box_poly *q, const box_net *n, int r);
/* Minus c + g.x + x'Hx/2. */
void box_poly_sub(box_poly *q, double c, const double *g, const double *H);
/* At least the largest |value| on the box; INFINITY when there is none. */
double box_poly_size(const box_poly *q);
/* Adds, for every side, how much of this polynomial's size halving it would attack, times the weight. */
void box_poly_blame(const box_poly *q, double weight, double *pull);

#endif
