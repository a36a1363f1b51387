#!/bin/sh
# The tests kill a sample of mutants of the code, and a list that no longer fits the sources is told.
. tools/test/lib.sh

mkdir "$tree/src"
printf 'int f(int a)\n{\n    return a < 3;\n}\nint g(int a)\n{\n    return a < 3;\n}\n' >"$tree/src/toy.c"
row() { printf '%s\tcompare\tsrc/toy.c\t%s\t12\t5\t(@ ? (a <= 3) : (a < 3))\t%s\n' "$1" "$2" "$3"; }
apply() { (cd "$tree" && LC_ALL=C awk -v list=list -v file=src/toy.c -f "$OLDPWD/mutants/apply.awk" src/toy.c); }
row 7 2 '    return a < 3;' >"$tree/list"
holds 'the second of two equal lines is changed' apply
apply >"$tree/changed"
holds 'with its switch' grep -qF 'return (AT_MUTANT(7) ? (a <= 3) : (a < 3));' "$tree/changed"
holds 'the first is not' test "$(grep -c 'return a < 3;' "$tree/changed")" = 1
holds 'lines keep their numbers' sh -c "sed -n 2p '$tree/changed' | grep -q '^#line 1 '"
row 8 3 '    return a < 3;' >>"$tree/list"
fails 'a line that is gone' 'src/toy.c: no such line any more:     return a < 3;' apply

# Every source of the library is parsed, one folder deeper too; each module finds the tests of its own.
sed 's/ cli\/.*//' "${BUILD:-build}/sources" | tr ' ' '\n' | grep . >"$tree/library"
python3 -B mutants/paths.py | grep -v '_avx[0-9]*\.c$' >"$tree/parsed"
holds 'what is linked is mutated' sh -c "grep -v '_avx[0-9]*\.c$' '$tree/library' | diff - '$tree/parsed'"
python3 -B mutants/paths.py | sed 's|^src/||; s|/.*||' | sort -u >"$tree/modules"
holds 'each module has tests' sh -c "while read -r m; do ls src/\$m/test/test_*.c || exit 1; done <'$tree/modules'"
paths() { (cd mutants && python3 -B -c "import paths; print(*sorted($1))"); }
holds 'a part is of its module' test "$(paths '[paths.module("src/lang/dp/dp_lex.c"), paths.module("src/core/text.c")]')" = 'core lang'
holds 'a compiler names files of both depths, but no tests' test "$(paths \
    'paths.named("src/lang/dp/dp_lex.c:3: error: x\nIn src/exec/rows.inc:4, src/lang/test/test_dp.c:9")')" = \
    'src/exec/rows.inc src/lang/dp/dp_lex.c'

# The sample counts as its own lines, numbered on.
sh mutants/sample.sh >"$tree/sample"
code=$?
sed 's/^1\.\.[0-9]*$//; s/^\(not \)\{0,1\}ok [0-9]* - /\1ok - /' "$tree/sample"
tests=$((tests + $(grep -cE '^(not )?ok' "$tree/sample")))
failed=$((failed + $(grep -c '^not ok' "$tree/sample")))
[ $code -eq 0 ] || [ $failed -gt 0 ] || { echo 'not ok - sample.sh'; failed=1; }
finish
