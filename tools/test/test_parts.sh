#!/bin/sh
# A toy of every kind of part: a row in parts.def is enough for the compiler to name every place that must learn about it, and
# nothing that compiles without learning takes it (check_parts.sh, whose own rules are broken here one by one).
. tools/test/lib.sh
CC=${CC:-gcc}
build=${BUILD:-build}
flags=$(sed -n 's/^DEP_CFLAGS *:= *//p' "$build/config.mk")

cp -r include src cli docs "$tree"
for kind in WEIGHTING MASK POST POS; do
    sed -i "s/^#undef AT_${kind}_ROW/AT_${kind}_ROW(AT_TOY_$kind, \"toy\", 0, 0, \"a toy\")\n&/" "$tree/include/attest/parts.def"
done
sed -i 's/^#undef AT_ATTENTION_ROW/AT_ATTENTION_ROW(AT_TOY_ATTENTION, "toy", AT_TOY_WEIGHTING, AT_TOY_MASK, 0, "a toy")\n&/' \
    "$tree/include/attest/parts.def"

# Every file with a switch over one of the five, and the sources that include it.
cases='case AT_(SOFTMAX|MASK_NONE|POST_ID|POS_I|ATTENTION_STANDARD):'
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
sources=$(printf '%s\n' $sources | grep '\.c$' | grep -v '_avx')

(
    cd "$tree" || exit 1
    for file in $sources; do
        # shellcheck disable=SC2086
        $CC -std=gnu17 -fsyntax-only -Wswitch-enum -Wno-psabi -Iinclude -I"$OLDPWD/$build" $flags "$file"
    done
) >"$tree/said" 2>&1

for pair in SOFTMAX:WEIGHTING MASK_NONE:MASK POST_ID:POST POS_I:POS ATTENTION_STANDARD:ATTENTION; do
    kind=${pair#*:}
    for file in $(grep -lE "case AT_${pair%:*}:" $switches); do
        # shellcheck disable=SC2016
        holds "a toy among $kind: the compiler names $file" \
            awk -v file="$file" -v toy="AT_TOY_$kind" 'index($0, file ":") && index($0, toy) { found = 1 } END { exit !found }' "$tree/said"
    done
done
holds 'there is nothing else that does not compile' sh -c "! grep -E 'error:|warning:' '$tree/said' | grep -v AT_TOY_"
holds 'weightings are learnt in the reference, the fast executor and the assembler' sh -c "
    for file in src/exec/rows.inc src/exec/fast_attend_other.inc src/program/errors.c; do grep -q \"\$file.*AT_TOY_WEIGHTING\" '$tree/said' || exit 1; done"

# What the compiler cannot see is a lint: the toys are not on the page, ...
fails 'the page lacks the toys' '+| `toy` | a toy |  |  |' sh tools/check_parts.sh "$tree"
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
