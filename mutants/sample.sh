#!/bin/sh
# sample.sh: twenty mutants of the code that are known to be killed, in seconds (docs/mutants.md).
#
#     sh mutants/sample.sh              runs mutants/sample.tsv; one "ok" or "not ok" line each
#     sh mutants/sample.sh --draw       draws another sample.tsv (needs libclang: `make mutants-sample`)
#
# Each row of `groups` is a source, the test that must kill its mutants, and how many of them there are. The mutated source is
# linked before the library, with the test: one program a row, switched by AT_MUTANT. Unmutated (0) it must pass. A mutant whose line
# has changed is skipped; when more than half of a row's are, it is time to draw others.
set -u
build=${BUILD:-build}
CC=${CC:-gcc}
groups='src/core/text.c core/test/test_text 5
src/core/params.c core/test/test_params 5
src/check/shrink.c check/test/test_shrink 5
src/check/check_chain.c check/test/test_chain 5'
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
number=0 failed=0

verdict() # $1 0 or 1, $2 name
{
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        printf 'ok %d - %s\n' $number "$2"
    else
        printf 'not ok %d - %s\n' $number "$2"
        sed 's/^/# /' "$dir/said"
        failed=1
    fi
}

config() { sed -n "s/^$1 *:= *//p" "$build/config.mk"; }

# $1 list, $2 source, $3 test: leaves the program $dir/run. Word splitting of flags is meant.
# shellcheck disable=SC2046
make_program()
{
    : >"$dir/gone"
    LC_ALL=C awk -v list="$1" -v file="$2" -v gone="$dir/gone" -f mutants/apply.awk "$2" >"$dir/source.c" &&
        $CC -std=gnu17 -O1 -w -ffp-contract=off -pthread -Iinclude -Imutants -I"$build" -I"$(dirname "$2")" \
            $(config DEP_CFLAGS) $(pkg-config --cflags cmocka) -o "$dir/run" "$dir/source.c" mutants/mutant.c \
            "src/$3.c" "$build/libattest.a" $(pkg-config --libs cmocka) $(config DEP_LIBS) -lm -pthread
}

passes() { AT_MUTANT=$1 timeout 60 "$dir/run" >"$dir/said" 2>&1; }

# By an assertion, whatever fresh memory holds: a crash may be luck.
fails_surely()
{
    for fill in 0 85 170; do
        MALLOC_PERTURB_=$fill passes "$1" && return 1
        grep -q 'FAILED TEST(S)' "$dir/said" || return 1
    done
}

if [ "${1:-}" = --draw ]; then
    flags="-std=gnu17 -Iinclude -I$build $(config DEP_CFLAGS)"
    : >"$dir/sample"
    echo "$groups" | while read -r source test count; do
        /usr/bin/python3 -B mutants/sites.py --flags "$flags" --only "^$source\$" --count 28 >"$dir/drawn" &&
            make_program "$dir/drawn" "$source" "$test" && passes 0 || { cat "$dir/said" >&2; exit 1; }
        left=$count
        while [ "$left" -gt 0 ] && IFS= read -r row; do
            fails_surely "${row%%	*}" && { printf '%s\n' "$row" >>"$dir/sample"; left=$((left - 1)); }
        done <"$dir/drawn"
        [ "$left" -eq 0 ] || { echo "sample.sh: $test kills too few mutants of $source" >&2; exit 1; }
    done || exit 1
    awk -F'\t' -v OFS='\t' '{ $1 = NR; print }' "$dir/sample" >mutants/sample.tsv
    exit 0
fi

echo "$groups" >"$dir/groups"
while read -r source test count; do
    make_program mutants/sample.tsv "$source" "$test" >"$dir/said" 2>&1
    bad=$?
    verdict $bad "$source with mutants compiles"
    [ $bad -ne 0 ] && continue
    passes 0
    verdict $? "$test passes unmutated"
    numbers=$(awk -F'\t' -v f="$source" -v gone=" $(tr '\n' ' ' <"$dir/gone") " \
        '$3 == f && !index(gone, " " $1 " ") { print $1 }' mutants/sample.tsv)
    echo "make mutants-sample draws others; gone from mutants/sample.tsv: $(cat "$dir/gone")" >"$dir/said"
    verdict $(($(echo "$numbers" | wc -w) * 2 <= count)) "most mutants of $source still have their lines"
    for k in $numbers; do
        ! passes "$k"
        verdict $? "$test kills $(awk -F'\t' -v k="$k" '$1 == k { print $2 ": " $7 }' mutants/sample.tsv)"
    done
done <"$dir/groups"
echo "1..$number"
exit $failed
