/* validate.c: which architectures are models.
 *
 * Every number has a range, and a failure names the part, the value and the range. Ranges keep every
 * later product inside int64 and every length inside int, so the rest of the library need not check.
 * Parts a kind does not use (pick of a token, tie of softmax, ...) are ignored here, by the file format
 * and by execution alike.
 *
 * One combination is refused by design, in check_group, with the reason; what cannot be a decoder, in check_decoder. All other
 * pairs of weighting, mask, post and position feature are models; an executor may refuse more, by name. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model_internal.h"

/* The part being checked: "block 3, group 1". */
typedef struct {
    char where[64];
    at_err *err;
} part;

static at_status in_range(const part *p, const char *what, int64_t v, int64_t lo, int64_t hi)
{
    if (v >= lo && v <= hi)
        return AT_OK;
    return at_fail(p->err, AT_EDOMAIN, "%s: %s %lld out of range %lld..%lld", p->where, what, (long long)v,
                   (long long)lo, (long long)hi);
}

static at_status is_finite(const part *p, const char *what, double v)
{
    return isfinite(v) ? AT_OK : at_fail(p->err, AT_EDOMAIN, "%s: %s %g is not finite", p->where, what, v);
}

static at_status not_negative(const part *p, const char *what, double v)
{
    if (isfinite(v) && v >= 0)
        return AT_OK;
    return at_fail(p->err, AT_EDOMAIN, "%s: %s %g must be finite and at least 0", p->where, what, v);
}

/* Enumerators come from casts of whatever a caller holds; names are looked up by them. */
static at_status is_kind(const part *p, const char *what, unsigned kind, unsigned kinds)
{
    if (kind < kinds)
        return AT_OK;
    return at_fail(p->err, AT_EDOMAIN, "%s: %s number %u out of range 0..%u", p->where, what, kind,
                   kinds - 1);
}

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        at_status st_ = (call);                                                                              \
        if (st_ != AT_OK)                                                                                    \
            return st_;                                                                                      \
    } while (0)

bool model_utf8(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    for (size_t i = 0; i < n;) {
        unsigned c = u[i];
        int more = c < 0x80                 ? 0
                   : c >= 0xc2 && c <= 0xdf ? 1
                   : (c & 0xf0) == 0xe0     ? 2
                   : c >= 0xf0 && c <= 0xf4 ? 3
                                            : -1;
        if (more < 0 || (size_t)more >= n - i)
            return false;
        uint32_t point = more == 0 ? c : c & (0x3fu >> more);
        for (int k = 1; k <= more; k++) {
            if ((u[i + (size_t)k] & 0xc0) != 0x80)
                return false;
            point = point << 6 | (u[i + (size_t)k] & 0x3f);
        }
        static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
        if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
            return false;
        i += (size_t)more + 1;
    }
    return true;
}

/* Names may hold any character, even a control: escaping belongs to output. They must be UTF-8, because
 * the file keeps them as JSON strings. */
static at_status is_name(const part *p, const char *name)
{
    size_t n = strnlen(name, AT_NAME_MAX + 1);
    if (n > AT_NAME_MAX)
        return at_fail(p->err, AT_EDOMAIN, "%s: name is longer than %d bytes", p->where, AT_NAME_MAX);
    if (!model_utf8(name, n))
        return at_fail(p->err, AT_EDOMAIN, "%s: name is not UTF-8", p->where);
    return AT_OK;
}

static at_status check_columns(const part *p, int col, int width, int D)
{
    TRY(in_range(p, "col", col, 0, D - 1));
    return in_range(p, "width", width, 1, D - col);
}

/* An array that a count promises. */
static at_status check_array(const part *p, const char *what, const void *array, int64_t n, int64_t lo,
                             int64_t hi)
{
    TRY(in_range(p, what, n, lo, hi));
    return n == 0 || array ? AT_OK
                           : at_fail(p->err, AT_EINPUT, "%s: %s is %lld but there is no array", p->where,
                                     what, (long long)n);
}

/* Words go to terminals as they are, so none may steer one or hide in it: no blank, and nothing that acts instead of being
 * seen. s is terminated when n <= AT_WORD_MAX. */
static bool is_word(const char *s, size_t n, const char *bad)
{
    if (n < 1 || n > AT_WORD_MAX || !model_utf8(s, n))
        return false;
    for (uint32_t c; (c = at_text_next(&s));)
        if (c == ' ' || at_text_acts(c) || (c < 0x80 && strchr(bad, (int)c)))
            return false;
    return true;
}

static at_status check_words(const part *p, const at_word *words, int n, const char *what, const char *bad)
{
    for (int k = 0; k < n; k++) {
        const char *s = words[k].s;
        if (!is_word(s, strnlen(s, AT_WORD_MAX + 1), bad))
            return at_fail(p->err, AT_EDOMAIN,
                           "%s: the word of %s %d must be UTF-8 of 1..%d bytes without blanks, control "
                           "and invisible characters%s",
                           p->where, what, k, AT_WORD_MAX,
                           !*bad    ? ""
                           : bad[1] ? ", '/' and ','"
                                    : ", and ','");
        for (int l = 0; l < k; l++)
            if (!strcmp(s, words[l].s))
                return at_fail(p->err, AT_EDOMAIN, "%s: %ss %d and %d have the same word", p->where, what, l,
                               k);
    }
    return AT_OK;
}

static at_status check_field(const at_model *m, int k, at_err *err)
{
    const at_field *f = &m->fields[k];
    part p = {.err = err};
    snprintf(p.where, sizeof p.where, "field %d", k);
    TRY(is_name(&p, f->name));
    TRY(is_kind(&p, "kind", f->kind, AT_FIELD_KINDS));
    TRY(check_columns(&p, f->embed.col, f->embed.width, m->width));
    if (f->kind == AT_FIELD_TOKEN) {
        TRY(in_range(&p, "size", f->size, 1, INT_MAX));
        if (!f->words)
            return AT_OK;
        TRY(in_range(&p, "size with words", f->size, 1, AT_MAX_WORDS));
        return check_words(&p, f->words, f->size, "token", m->n_fields > 1 ? "/," : "");
    }
    TRY(in_range(&p, "size", f->size, 1, AT_MAX_WIDTH));
    if (f->kind == AT_FIELD_SUBSET)
        return in_range(&p, "pick", f->pick, 1, f->size < MODEL_MAX_PICK ? f->size : MODEL_MAX_PICK);
    TRY(is_finite(&p, "lo", f->lo));
    TRY(is_finite(&p, "hi", f->hi));
    if (f->lo > f->hi)
        return at_fail(err, AT_EDOMAIN, "%s: lo %g exceeds hi %g", p.where, f->lo, f->hi);
    if (f->kind == AT_FIELD_INT && (f->lo != floor(f->lo) || f->hi != floor(f->hi) ||
                                    fabs(f->lo) > MODEL_MAX_INT || fabs(f->hi) > MODEL_MAX_INT))
        return at_fail(err, AT_EDOMAIN, "%s: lo %.17g and hi %.17g must be integers of size at most 2^53",
                       p.where, f->lo, f->hi);
    return AT_OK;
}

static at_status check_pos(const at_model *m, int k, at_err *err)
{
    const at_pos *s = &m->pos[k];
    part p = {.err = err};
    TRY(is_kind(&(part){.where = "position feature", .err = err}, "kind", s->kind, AT_POS_KINDS));
    snprintf(p.where, sizeof p.where, "position feature %d (%s)", k, at_pos_names[s->kind]);
    TRY(check_columns(&p, s->embed.col, s->embed.width, m->width));
    if (at_pos_is(s->kind, AT_IS_POSITIVE))
        TRY(in_range(&p, "pos_origin", m->pos_origin, 1, AT_MAX_LENGTH));
    if (at_pos_is(s->kind, AT_IS_SHIFTED)) {
        TRY(in_range(&p, "shift", s->shift, -AT_MAX_LENGTH, AT_MAX_LENGTH));
        TRY(in_range(&p, "pos_origin + shift", (int64_t)m->pos_origin + s->shift, 1, 2 * AT_MAX_LENGTH));
    }
    if (at_pos_is(s->kind, AT_IS_ROWS))
        return in_range(&p, "rows", s->size, (int64_t)m->n_prefix + m->n_max + m->n_suffix, INT_MAX);
    if (at_pos_is(s->kind, AT_IS_SIZED)) {
        TRY(in_range(&p, "size", s->size, 2, AT_MAX_WIDTH));
        return s->size % 2 == 0 ? AT_OK
                                : at_fail(err, AT_EDOMAIN, "%s: size %d must be even", p.where, s->size);
    }
    return AT_OK;
}

/* Positions on a group: rotary, alibi. */
static at_status check_distances(const at_group *a, const part *p)
{
    if (at_weighting_is(a->weighting, AT_IS_PAIRS))
        return at_fail(p->err, AT_EREFUSED,
                       "%s: %s weighting with %s is refused: a pair of keys has no one distance", p->where,
                       at_weighting_names[a->weighting], a->alibi ? "alibi" : "rotary");
    if (a->alibi && at_weighting_is(a->weighting, AT_IS_PHI))
        return at_fail(
            p->err, AT_EREFUSED,
            "%s: %s weighting with alibi is refused: its score is a product of features and has no "
            "place for a distance",
            p->where, at_weighting_names[a->weighting]);
    if (!a->rotary.width)
        return AT_OK;
    TRY(in_range(p, "rotary width", a->rotary.width, 2, a->dk));
    TRY(is_kind(p, "pairing", a->rotary.pairing, AT_PAIRINGS));
    if (a->rotary.width % 2)
        return at_fail(p->err, AT_EDOMAIN, "%s: rotary width %d must be even", p->where, a->rotary.width);
    if (!(a->rotary.theta >= 1 && a->rotary.theta <= 1e12))
        return at_fail(p->err, AT_EDOMAIN, "%s: rotary theta %g out of range 1..1e12", p->where,
                       a->rotary.theta);
    return AT_OK;
}

static at_status check_group(const at_group *a, int b, int g, at_err *err)
{
    part p = {.err = err};
    snprintf(p.where, sizeof p.where, "block %d, group %d", b, g);
    TRY(in_range(&p, "heads", a->heads, 1, AT_MAX_WIDTH));
    TRY(in_range(&p, "dk", a->dk, 1, AT_MAX_WIDTH));
    TRY(in_range(&p, "dv", a->dv, 1, AT_MAX_WIDTH));
    TRY(in_range(&p, "heads * dk", (int64_t)a->heads * a->dk, 1, AT_MAX_WIDTH));
    TRY(in_range(&p, "heads * dv", (int64_t)a->heads * a->dv, 1, AT_MAX_WIDTH));
    TRY(is_kind(&p, "weighting", a->weighting, AT_WEIGHTINGS));
    TRY(is_kind(&p, "post", a->post, AT_POSTS));
    TRY(is_kind(&p, "mask", a->mask.kind, AT_MASKS));
    TRY(is_finite(&p, "scale", a->scale));
    if (at_weighting_hard(a->weighting))
        TRY(not_negative(&p, "tie", a->tie));
    if (at_mask_is(a->mask.kind, AT_IS_BLOCKS)) {
        TRY(in_range(&p, "mask block", a->mask.block, 1, AT_MAX_LENGTH));
        TRY(in_range(&p, "mask windows", a->mask.windows, 1, AT_MAX_LENGTH));
        TRY(in_range(&p, "mask ends", a->mask.ends, 1, a->mask.block));
    }
    if (a->rotary.width || a->alibi)
        TRY(check_distances(a, &p));
    if (a->rounded) {
        TRY(in_range(&p, "rounded", a->rounded, 2, 53));
        if (!at_weighting_is(a->weighting, AT_IS_PHI) || !at_mask_is(a->mask.kind, AT_IS_GROWING))
            return at_fail(
                err, AT_EREFUSED,
                "%s: rounded is for linear attention that is causal or strict: others keep no sums over keys",
                p.where);
    }
    if (at_weighting_is(a->weighting, AT_IS_PHI) && !at_post_is(a->post, AT_IS_SAME))
        return at_fail(err, AT_EREFUSED,
                       "%s: %s weighting with post %s is refused: its score is a product of features and has "
                       "no place for a function of q.k",
                       p.where, at_weighting_names[a->weighting], at_post_names[a->post]);
    return AT_OK;
}

/* The rows of all positions side by side: as many in every input, and few enough for one row. */
static at_status check_flatten(const at_model *m, const at_block *k, const part *p)
{
    TRY(in_range(p, "n_min, of a model that flattens its input,", m->n_min, m->n_max, m->n_max));
    return in_range(p, "numbers of all positions", at_block_inputs(m, k), 1, AT_MAX_WIDTH);
}

static at_status check_parallel(const at_model *m, int b, const part *p)
{
    if (!b)
        return at_fail(p->err, AT_EREFUSED, "%s: parallel, but there is no block before it", p->where);
    for (int k = b - 1; k <= b; k++) {
        const at_block *x = &m->blocks[k];
        if (x->kind != AT_BLOCK_ATTN && x->kind != AT_BLOCK_MLP)
            return at_fail(p->err, AT_EREFUSED, "%s: parallel is for attn and mlp; block %d is %s", p->where,
                           k, at_block_names[x->kind]);
        if (!x->residual || x->norm == AT_NORM_POST)
            return at_fail(p->err, AT_EREFUSED,
                           "%s: parallel wants a residual and no post-norm; block %d has %s", p->where, k,
                           x->residual ? "norm post" : "no residual");
    }
    return AT_OK;
}

static at_status check_block(const at_model *m, int b, at_err *err)
{
    const at_block *k = &m->blocks[b];
    part p = {.err = err};
    snprintf(p.where, sizeof p.where, "block %d", b);
    TRY(is_kind(&p, "kind", k->kind, AT_BLOCK_KINDS));
    TRY(is_kind(&p, "norm", k->norm, AT_NORMS));
    if (k->norm != AT_NORM_NONE) {
        TRY(not_negative(&p, "norm_eps", k->norm_eps));
        TRY(is_kind(&p, "norm_kind", k->norm_kind, AT_NORM_KINDS));
    }
    if (k->parallel)
        TRY(check_parallel(m, b, &p));
    if (k->kind == AT_BLOCK_ATTN) {
        TRY(check_array(&p, "groups", k->groups, k->n_groups, 1, AT_MAX_GROUPS));
        for (int g = 0; g < k->n_groups; g++)
            TRY(check_group(&k->groups[g], b, g, err));
        return AT_OK;
    }
    if (k->kind == AT_BLOCK_RNN) {
        TRY(is_kind(&p, "cell", k->rnn.cell, AT_CELLS));
        return in_range(&p, "state", k->rnn.state, 1, AT_MAX_WIDTH / at_rnn_parts(k->rnn.cell));
    }
    if (k->kind == AT_BLOCK_FLATTEN)
        TRY(check_flatten(m, k, &p));
    TRY(is_kind(&p, "act", k->act, AT_ACTS));
    TRY(check_array(&p, "layers", k->dense, k->n_dense, at_block_gated(k) ? 2 : 1, MODEL_MAX_DENSE));
    for (int l = 0; l < k->n_dense; l++)
        TRY(in_range(&p, "rows of a layer", k->dense[l].rows, 1, AT_MAX_WIDTH));
    return in_range(&p, "rows of the last layer", k->dense[k->n_dense - 1].rows, at_block_inputs(m, k),
                    at_block_inputs(m, k));
}

/* ---- decoders ------------------------------------------------------------------------------------ */

/* Whether the row that a new position adds leaves all earlier positions as they were. */
static at_status check_prefix_stable(const at_model *m, at_err *err)
{
    if (m->n_suffix)
        return at_fail(err, AT_EREFUSED, "decoder: %d suffix rows; they would have to move with every step",
                       m->n_suffix);
    for (int k = 0; k < m->n_pos; k++) {
        at_pos_kind kind = m->pos[k].kind;
        if (!(at_pos_parts[kind].in & AT_IN_DECODE))
            return at_fail(err, AT_EREFUSED,
                           "decoder: position feature %d is %s, which changes with the length", k,
                           at_pos_names[kind]);
    }
    for (int b = 0; b < m->n_blocks; b++) {
        if (m->blocks[b].kind == AT_BLOCK_FLATTEN)
            return at_fail(err, AT_EREFUSED, "decoder: block %d reads inputs of one length only", b);
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            at_mask_kind kind = m->blocks[b].groups[g].mask.kind;
            if (!(at_mask_parts[kind].in & AT_IN_DECODE))
                return at_fail(err, AT_EREFUSED,
                               "decoder: block %d, group %d has mask %s; a decoder needs causal, strict or "
                               "block-sparse",
                               b, g, at_mask_names[kind]);
        }
    }
    return AT_OK;
}

/* Whether what is read is a row. lo, hi: what coordinate k of an emitted row can be. */
static at_status check_feedback(const at_model *m, int k, double *lo, double *hi, at_err *err)
{
    const at_readout *r = &m->readout;
    const at_field *f = &m->fields[0];
    if (r->kind == AT_READ_ARGMAX) {
        if (m->n_fields != 1 || f->kind != AT_FIELD_TOKEN)
            return at_fail(err, AT_EREFUSED,
                           "decoder: argmax gives one token, but the input is not one token field");
        if (r->rows > f->size)
            return at_fail(err, AT_EREFUSED, "decoder: argmax over %d rows, but there are only %d tokens",
                           r->rows, f->size);
        *lo = 0;
        *hi = r->rows - 1;
        return AT_OK;
    }
    if (r->kind != AT_READ_ROUND)
        return at_fail(err, AT_EREFUSED, "decoder: readout %s gives no row; argmax or round does",
                       at_read_names[r->kind]);
    int width = 0;
    for (int n = 0; n < m->n_fields; n++) {
        f = &m->fields[n];
        if (f->kind != AT_FIELD_INT)
            return at_fail(err, AT_EREFUSED, "decoder: rounding gives integers, but field %d is of kind %s",
                           n, at_field_names[f->kind]);
        if (k >= width && k < width + f->size) {
            *lo = f->lo;
            *hi = f->hi;
        }
        width += f->size;
    }
    if (r->rows != width)
        return at_fail(err, AT_EREFUSED, "decoder: %d rows are read, but a row of input has %d numbers",
                       r->rows, width);
    return AT_OK;
}

static at_status check_stretch(const at_model *m, int k, at_err *err)
{
    const at_stretch *s = &m->decode.prompt[k];
    part p = {.err = err};
    snprintf(p.where, sizeof p.where, "decoder: prompt[%d]", k);
    TRY(in_range(&p, "rows_max", s->rows_max, 1, m->n_max));
    TRY(in_range(&p, "rows_min", s->rows_min, 0, s->rows_max));
    TRY(in_range(&p, "numbers of lo and hi", s->width, at_model_row_width(m), at_model_row_width(m)));
    if (!s->lo || !s->hi)
        return at_fail(err, AT_EINPUT, "%s: there is no lo or no hi", p.where);
    for (int e = 0; e < s->width; e++) {
        double lo = 0, hi = m->fields[0].size - 1.0; /* a token, else integers */
        if (m->readout.kind == AT_READ_ROUND)
            TRY(check_feedback(m, e, &lo, &hi, err));
        if (!(s->lo[e] >= lo && s->hi[e] <= hi && s->lo[e] <= s->hi[e]) || s->lo[e] != floor(s->lo[e]) ||
            s->hi[e] != floor(s->hi[e]))
            return at_fail(err, AT_EDOMAIN, "%s: %.17g..%.17g must be integers in %.17g..%.17g", p.where,
                           s->lo[e], s->hi[e], lo, hi);
    }
    return AT_OK;
}

/* Together the stretches are prompt_min..prompt_max rows; with one of several lengths at most, a row of a prompt is in one
 * stretch only. */
static at_status check_prompt(const at_model *m, at_err *err)
{
    const at_decode *d = &m->decode;
    part p = {.where = "decoder", .err = err};
    int64_t least = 0, most = 0, loose = 0;
    if (!d->prompt)
        return AT_OK;
    TRY(in_range(&p, "stretches of the prompt", d->n_prompt, 1, AT_MAX_STRETCHES));
    for (int k = 0; k < d->n_prompt; k++) {
        TRY(check_stretch(m, k, err));
        least += d->prompt[k].rows_min;
        most += d->prompt[k].rows_max;
        loose += d->prompt[k].rows_min < d->prompt[k].rows_max;
    }
    TRY(in_range(&p, "stretches of several lengths", loose, 0, 1));
    TRY(in_range(&p, "rows_min of all stretches", least, d->prompt_min, d->prompt_min));
    return in_range(&p, "rows_max of all stretches", most, d->prompt_max, d->prompt_max);
}

static at_status check_decoder(const at_model *m, at_err *err)
{
    const at_decode *d = &m->decode;
    part p = {.where = "decoder", .err = err};
    double lo = 0, hi = 0;
    TRY(check_prefix_stable(m, err));
    TRY(is_kind(&p, "stop", d->stop, AT_STOPS));
    TRY(in_range(&p, "max_steps", d->max_steps, 1, m->n_max));
    TRY(in_range(&p, "prompt_min", d->prompt_min, m->n_min, m->n_max - 1));
    TRY(in_range(&p, "prompt_max", d->prompt_max, d->prompt_min, m->n_max - 1));
    if (!d->prompt_min && !m->n_prefix)
        return at_fail(
            err, AT_EDOMAIN,
            "decoder: prompt_min is 0 and there is no prefix: the empty prompt has no last position");
    if (d->stop == AT_STOP_STEPS) {
        TRY(in_range(&p, "prompt_max + max_steps", (int64_t)d->prompt_max + d->max_steps, 1, m->n_max));
        TRY(check_feedback(m, 0, &lo, &hi, err));
        return check_prompt(m, err);
    }
    TRY(check_feedback(m, d->coordinate, &lo, &hi, err));
    TRY(in_range(&p, "coordinate", d->coordinate, 0, at_model_row_width(m) - 1));
    if (!(d->value >= lo && d->value <= hi && d->value == floor(d->value)))
        return at_fail(err, AT_EDOMAIN, "decoder: value %.17g must be an integer in %.17g..%.17g", d->value,
                       lo, hi);
    return check_prompt(m, err);
}

/* The table of the first field is the readout's matrix, too. */
static at_status check_tied(const at_model *m, const part *p)
{
    const at_field *f = &m->fields[0];
    if (f->kind != AT_FIELD_TOKEN)
        return at_fail(p->err, AT_EREFUSED, "%s: tied to field 0, which is no token but %s", p->where,
                       at_field_names[f->kind]);
    TRY(in_range(p, "rows, tied to field 0,", m->readout.rows, f->size, f->size));
    return in_range(p, "width of field 0, tied,", f->embed.width, m->width, m->width);
}

at_status model_check(const at_model *m, at_err *err)
{
    part p = {.where = "model", .err = err};
    TRY(is_name(&p, m->name));
    TRY(in_range(&p, "width", m->width, 1, AT_MAX_WIDTH));
    TRY(in_range(&p, "n_max", m->n_max, 1, AT_MAX_LENGTH));
    TRY(in_range(&p, "n_min", m->n_min, 0, m->n_max));
    TRY(in_range(&p, "pos_origin", m->pos_origin, -AT_MAX_LENGTH, AT_MAX_LENGTH));
    TRY(in_range(&p, "n_prefix", m->n_prefix, 0, AT_MAX_WIDTH));
    TRY(in_range(&p, "n_suffix", m->n_suffix, 0, AT_MAX_WIDTH));
    if (m->n_prefix)
        TRY(check_columns(&(part){.where = "prefix", .err = err}, m->prefix.col, m->prefix.width, m->width));
    if (m->n_suffix)
        TRY(check_columns(&(part){.where = "suffix", .err = err}, m->suffix.col, m->suffix.width, m->width));
    TRY(check_array(&p, "n_fields", m->fields, m->n_fields, 1, AT_MAX_FIELDS));
    for (int k = 0; k < m->n_fields; k++)
        TRY(check_field(m, k, err));
    TRY(check_array(&p, "n_pos", m->pos, m->n_pos, 0, MODEL_MAX_POS));
    for (int k = 0; k < m->n_pos; k++)
        TRY(check_pos(m, k, err));
    TRY(check_array(&p, "n_blocks", m->blocks, m->n_blocks, 0, AT_MAX_BLOCKS));
    for (int b = 0; b < m->n_blocks; b++)
        TRY(check_block(m, b, err));

    const at_readout *r = &m->readout;
    part q = {.where = "readout", .err = err};
    TRY(is_kind(&q, "kind", r->kind, AT_READS));
    TRY(in_range(&q, "rows", r->rows, 1, AT_MAX_ROWS));
    if (r->tied)
        TRY(check_tied(m, &q));
    if (r->kind == AT_READ_THRESHOLD)
        TRY(is_finite(&q, "threshold", r->threshold));
    if (r->final_norm) {
        TRY(not_negative(&q, "norm_eps", r->norm_eps));
        TRY(is_kind(&q, "norm_kind", r->norm_kind, AT_NORM_KINDS));
    }
    if (r->last && !m->n_min && !m->n_prefix && !m->n_suffix)
        return at_fail(
            err, AT_EDOMAIN,
            "readout: n_min is 0 and there are no hidden rows: the empty input has no last position");
    if (r->words) {
        if (!at_readout_words(r) || m->decode.enabled)
            return at_fail(err, AT_EREFUSED,
                           "readout: words are for argmax, sign and threshold, not for decoders");
        TRY(in_range(&q, "decisions with words", at_readout_words(r), 1, AT_MAX_WORDS));
        TRY(check_words(&q, r->words, at_readout_words(r), "decision", ","));
    }
    if (m->decode.enabled)
        TRY(check_decoder(m, err));

    TRY(check_array(&p, "n_subspaces", m->subspaces, m->n_subspaces, 0, AT_MAX_WIDTH));
    for (int k = 0; k < m->n_subspaces; k++) {
        part s = {.err = err};
        snprintf(s.where, sizeof s.where, "subspace %d", k);
        TRY(is_name(&s, m->subspaces[k].name));
        TRY(check_columns(&s, m->subspaces[k].col, m->subspaces[k].width, m->width));
    }
    return AT_OK;
}
