#!/bin/sh
# A toy of every kind of part: a row in parts.def is enough for the compiler to name every place that must learn about it, and
# nothing that compiles without learning takes it (check_parts.sh, whose own rules are broken here one by one). A weighting and a
# position are learnt in one file each; then every executor runs them.
. tools/test/lib.sh
CC=${CC:-gcc}
build=${BUILD:-build}
top=$PWD
flags=$(sed -n 's/^DEP_CFLAGS *:= *//p' "$build/config.mk")

cp -r include src cli docs "$tree"
for kind in WEIGHTING MASK POST POS ACT TRAIT; do
    sed -i "s/^#undef AT_${kind}_ROW/AT_${kind}_ROW(AT_TOY_$kind, \"toy\", 0, 0, \"a toy\")\n&/" "$tree/include/attest/parts.def"
done
sed -i 's/^#undef AT_ATTENTION_ROW/AT_ATTENTION_ROW(AT_TOY_ATTENTION, "toy", AT_TOY_WEIGHTING, AT_TOY_MASK, 0, "a toy")\n&/' \
    "$tree/include/attest/parts.def"

# Every file with a switch over one of the seven, and the sources that include it.
cases='case AT_(SOFTMAX|MASK_NONE|POST_ID|POS_I|ACT_RELU|TRAIT_ROTARY|ATTENTION_STANDARD):'
switches=$(grep -rlE "$cases" src cli --include='*.c' --include='*.inc' | grep -v /test/ | LC_ALL=C sort)
sources=$switches
for round in 1 2 3; do
    for file in $sources; do
        case $file in
        *.inc) sources="$sources $(grep -lF "\"$(basename "$file")\"" "$(dirname "$file")"/*.c "$(dirname "$file")"/*.inc 2>/dev/null)" ;;
        esac
    done
    sources=$(printf '%s\n' $sources | LC_ALL=C sort -u)
done
sources="$(printf '%s\n' $sources | grep '\.c$' | grep -v '_avx') src/exec/positions.c"

(
    cd "$tree" || exit 1
    for file in $sources; do
        # shellcheck disable=SC2086
        $CC -std=gnu17 -fsyntax-only -Wswitch-enum -Wno-psabi -Iinclude -I"$OLDPWD/$build" $flags "$file"
    done
) >"$tree/said" 2>&1

for pair in SOFTMAX:WEIGHTING MASK_NONE:MASK POST_ID:POST POS_I:POS ACT_RELU:ACT TRAIT_ROTARY:TRAIT ATTENTION_STANDARD:ATTENTION; do
    kind=${pair#*:}
    for file in $(grep -lE "case AT_${pair%:*}:" $switches); do
        # shellcheck disable=SC2016
        holds "a toy among $kind: the compiler names $file" \
            awk -v file="$file" -v toy="AT_TOY_$kind" 'index($0, file ":") && index($0, toy) { found = 1 } END { exit !found }' "$tree/said"
    done
done
holds 'there is nothing else that does not compile' sh -c "! grep -E 'error:|warning:' '$tree/said' | grep -v AT_TOY_"
learnt() # $1 kind, $2 file, $3 what it lacks: nothing else in the tree lacks anything for want of this toy
{
    grep -E 'error:|warning:' "$tree/said" | grep -E "AT_TOY_$1([^A-Z]|$)" >"$tree/lacks"
    holds "a toy among $1 is missed in $2" grep -q "$2.*$3" "$tree/lacks"
    holds '... and nowhere else' sh -c "! grep -v '$3' '$tree/lacks'"
}
learnt WEIGHTING src/exec/rows.inc weigh_AT_TOY_WEIGHTING
learnt POS src/exec/positions.c meaning_AT_TOY_POS

# A weighting and a position feature that nobody knows: softmax with a 1 in its sum, and the index and a half.
cp include/attest/parts.def "$tree/include/attest/parts.def"
state() { (cd "$tree" && find include src cli -type f -exec sha256sum {} + | LC_ALL=C sort); }
touched() # $1 kind: two files have changed since the last call
{
    state >"$tree/after"
    holds "a toy $1 is a row and its meaning" test "$(LC_ALL=C comm -13 "$tree/before" "$tree/after" | wc -l)" -eq 2
    mv "$tree/after" "$tree/before"
}
state >"$tree/before"
sed -i 's/^#undef AT_WEIGHTING_ROW/AT_WEIGHTING_ROW(AT_TOY, "toy", 0, 0, "weights exp(score) over 1 and their sum")\n&/' "$tree/include/attest/parts.def"
cat >>"$tree/src/exec/weightings.inc" <<'C'

static mix_kind weigh_AT_TOY(ref_ctx *c, const weighing *q)
{
    NUM peak, zero;
    num_init(&peak);
    num_init(&zero);
    num_zero(&zero);
    num_peak(c, &peak, q->s, q->n);
    num_max(c, &peak, &peak, &zero);
    row_exp(c, q->s, q->n, &peak, q->w);
    num_total(c, q->den, q->w, q->n);
    num_sub(c, &peak, &zero, &peak);
    num_exp(c, &peak, &peak);
    num_add(c, q->den, q->den, &peak);
    num_clear(&zero);
    num_clear(&peak);
    return MIX_OVER;
}
C
touched weighting
sed -i 's/^#undef AT_POS_ROW/AT_POS_ROW(AT_POS_TOY, "i+1\/2", 0, AT_IN_EXACT | AT_IN_DECODE | AT_IN_PROGRAM, "the index and a half")\n&/' "$tree/include/attest/parts.def"
cat >"$tree/.toy" <<'C'
static void ratio_toy(int64_t i, int64_t T, int64_t *num, int64_t *den)
{
    (void)T;
    *num = 2 * i + 1, *den = 2;
}

static void range_toy(const at_pos_span *s, double *lo, double *hi)
{
    *lo = s->first + 0.5;
    *hi = s->last + 0.5;
}

static const meaning meaning_AT_POS_TOY = {.ratio = ratio_toy, .range = range_toy};

C
awk -v toy="$tree/.toy" '/^static const meaning \*const meanings/ { while ((getline line <toy) > 0) print line } { print }' \
    src/exec/positions.c >"$tree/src/exec/positions.c"
touched position

cat >"$tree/toy.c" <<'C'
#include "src/exec/exec_internal.h"
#include "src/exec/test/random_model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int failed;
#define SEE(x) ((x) ? (void)0 : (void)(failed = 1, fprintf(stderr, "line %d: %s: %s\n", __LINE__, #x, err.text)))
static at_err err;
enum { N = 7 };

/* The definition again: weights exp(s) / (1 + sum exp(s)). */
static void weights_see(const at_trace *t)
{
    for (int h = 0; h < t->n_heads; h++)
        for (int i = 0; i < t->T; i++) {
            double sum = 1;
            const double *w = t->heads[h].w + i * t->T, *s = t->heads[h].score + i * t->T;
            for (int j = 0; j < t->T; j++)
                sum += exp(s[j]);
            for (int j = 0; j < t->T; j++)
                SEE(fabs(w[j] - exp(s[j]) / sum) <= 1e-12);
        }
}

/* The fast executor, in both instruction sets, lies where a run of any order of the sums may lie. */
static void fast_see(const at_model *m, at_arith a, const at_input *x, at_arena *arena)
{
    static const char *const isas[] = {"portable", "avx2"};
    at_output y;
    SEE(!at_run_bound(m, a, x, true, arena, &y, &err));
    for (int k = 0; k < 2; k++) {
        at_exec *e = NULL;
        at_scratch *s = NULL;
        setenv("ATTEST_ISA", isas[k], 1);
        SEE(!at_exec_new(m, a, N, &e, &err) && !at_scratch_new(e, &s, &err));
        double *value = at_new(arena, double, y.n * y.rows);
        at_exec_run(e, s, x->v, 1, value);
        for (int i = 0; i < y.n * y.rows; i++)
            SEE(isfinite(y.radius[i]) && fabs(value[i] - y.value[i]) <= y.radius[i] * (1 + 1e-9) + 1e-15);
        at_scratch_free(s);
        at_exec_free(e);
    }
}

/* What is fed in row by row comes out as in one pass. */
static void decode_see(at_arena *arena)
{
    at_model m;
    at_input x;
    at_decoder *d;
    at_output y;
    random_spec spec = {.weighting = AT_TOY, .mask = AT_MASK_CAUSAL, .pos = AT_POS_TOY, .seed = 5, .length = 9,
                        .tokens_only = true, .decoder = true};
    SEE(!random_model(&spec, &m, &err) && !random_input(&m, N, 3, false, arena, &x, &err));
    SEE(!at_run(&m, at_f64, &x, NULL, arena, &y, &err) && !at_decoder_new(&m, at_f64, &d, &err));
    for (int i = 0; i < N; i++)
        SEE(!at_decoder_push(d, x.v + i, &err));
    double row[8], margin;
    at_tri decided;
    SEE(!at_decoder_next(d, row, &margin, &decided, &err));
    SEE(row[0] == y.decision[(y.n - 1) * y.width]);
    at_decoder_free(d);
    at_model_release(&m);
}

int main(void)
{
    at_arena arena;
    at_arena_init(&arena);
    for (int mask = 0; mask < AT_MASKS; mask++) {
        random_spec spec = {.weighting = AT_TOY, .mask = (at_mask_kind)mask, .pos = AT_POS_TOY, .seed = 10 + (uint64_t)mask,
                            .length = N + 2, .read = AT_READ_RAW};
        at_model m;
        at_input x;
        at_output y, z;
        at_trace t;
        SEE(!random_model(&spec, &m, &err) && !random_input(&m, N, 3, false, &arena, &x, &err));
        for (size_t i = 0; i < m.n_weights; i++)
            m.weights[i] = (float)m.weights[i];
        for (int i = 0; i < N * at_model_row_width(&m); i++)
            ((double *)x.v)[i] = (float)x.v[i];
        SEE(!at_run(&m, at_f64, &x, &t, &arena, &y, &err));
        weights_see(&t);
        fast_see(&m, at_f64, &x, &arena);
        fast_see(&m, at_f32, &x, &arena);
        const at_arith others[] = {{.kind = AT_BALL, .bits = 128}, {.kind = AT_PBIT, .bits = 40, .exp_bits = 10}, {.kind = AT_PBIT, .bits = 20, .exp_bits = 10}};
        const double near[] = {1e-10, 1e-7, 0.05};
        for (int k = 0; k < 3; k++) {
            SEE(!at_run(&m, others[k], &x, NULL, &arena, &z, &err));
            for (int i = 0; i < y.n * y.rows; i++)
                SEE(fabs(y.value[i] - z.value[i]) <= near[k] + z.radius[i]);
        }
        SEE(at_run(&m, (at_arith){.kind = AT_EXACT}, &x, NULL, &arena, &z, &err) == AT_EREFUSED);
        err = (at_err){0};
        at_model_release(&m);
    }
    decode_see(&arena);
    at_arena_release(&arena);
    puts(failed ? "wrong" : "every executor runs the toys");
    return failed;
}
C
run_toys() # $@: files to compile again, without a warning; the modules that do not know parts.def are as they were
{
    cd "$tree" || return 1
    for file in "$@"; do
        case $file in
        *_avx2.c) more='-mavx2 -mfma' ;;
        *) more= ;;
        esac
        # shellcheck disable=SC2086
        $CC -std=gnu17 -O1 -ffp-contract=off -Wall -Wextra -Werror -Wswitch-enum -Wno-psabi -Wno-missing-field-initializers $more \
            -Iinclude -pthread -I"$top/$build" $flags -c -o "$(echo "$file" | tr / _).o" "$file" || return 1
    done
    # shellcheck disable=SC2086
    $CC -o toy ./*.c.o "$top/$build"/obj/src/core/*.o "$top/$build"/obj/src/num/*.o $libs -pthread && ./toy
}
libs=$(sed -n 's/^DEP_LIBS *:= *//p' "$build/config.mk")
all=$(cd "$tree" && ls src/model/*.c src/exec/*.c src/exec/test/random_model.c toy.c)
# shellcheck disable=SC2086
holds 'they compile without a warning, and every executor runs them or refuses in a line' run_toys $all
cd "$top" || exit 1
sed -i '/num_add(c, q->den, q->den, &peak);/d' "$tree/src/exec/weightings.inc"
fails 'one that is wrong in one arithmetic is seen' wrong run_toys src/exec/reference_f64.c
cd "$top" || exit 1

# What the compiler cannot see is a lint: the toys are not on the page, ...
fails 'the page lacks the toys' '+| `toy` | weights exp(score) over 1 and their sum |  |  |' sh tools/check_parts.sh "$tree"
# ... and a place that compares or takes what is left would take them in silence.
cp include/attest/parts.def "$tree/include/attest/parts.def"
holds 'without them all is well' sh tools/check_parts.sh "$tree"
put src/exec/toy.c <<'END'
static int hard(at_weighting w)
{
    return w != AT_SOFTMAX;
}
END
fails 'a comparison is found' 'src/exec/toy.c:3:    return w != AT_SOFTMAX;' sh tools/check_parts.sh "$tree"
put src/exec/toy.c <<'END'
static int past(at_mask_kind k)
{
    switch (k) {
    case AT_MASK_CAUSAL:
        return 1;
    default:
        return 0;
    }
}
END
fails 'a default is found' 'src/exec/toy.c:6: default: in a switch over an enumeration of a model' sh tools/check_parts.sh "$tree"
finish
