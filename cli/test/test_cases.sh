#!/usr/bin/env bash
# test_cases.sh: a file of cases is one problem to every command: all its lengths are asked, each case once, and a case that
# tells only what a chain ends in is judged by that, whoever judges.
. cli/test/lib.sh

m=$dir/m.st
"$attest" build match2 --set N=4,M=5 -o "$m" >/dev/null
sum_dp "$dir/sum.dp"
d=$dir/d.st
"$attest" compile "$dir/sum.dp" --set n=3 -o "$d" >/dev/null

# ---- positions: lengths 1, 3 and 4, none of 2
printf '0\t1\n1 4 1\t1 1 1\n1 1 1\t0 0 0\n2 3 2 3\t1 1 1 1\n' >"$dir/good.tsv"
sed 's/0 0 0/0 1 0/' "$dir/good.tsv" >"$dir/wrong.tsv"
says 1 'refute: a wrong case of any length' 'WRONG on 1 1 1' refute "$m" --problem "$dir/wrong.tsv"
holds 'refute: by the cases, one after the other' grep -q 'refuted by cases' "$dir/.out"
says 3 'refute: all cases are right' 'all 4 cases of the' refute "$m" --problem "$dir/good.tsv"
says 1 'refute: of one length' 'WRONG on 1 1 1' refute "$m" --problem "$dir/wrong.tsv" --set N=3
says 3 'refute: of another length' 'all 1 case of the' refute "$m" --problem "$dir/wrong.tsv" --set N=1
says 0 'equal: on every case' 'equal: exact, 4 inputs of lengths 1..4' equal "$m" match2 --set N=4,M=5 --problem "$dir/good.tsv"
"$attest" build match3-threewise --set N=4,M=5 -o "$dir/m3.st" >/dev/null
says 1 'equal: a case tells them apart' 'not equal' equal "$m" "$dir/m3.st" --problem "$dir/good.tsv"
says 0 'each case is run once, whatever is drawn' 'sampled, 2 inputs' check "$m" --problem "$dir/good.tsv" --lengths 3 --sampled 50
says 0 'as many as are wanted' 'sampled, 1 input ' check "$m" --problem "$dir/good.tsv" --lengths 3 --sampled 1

# ---- what a decoder ends in
printf '3 2 1 |\t6\n1 1 1\t3\n3 3 3 |\t0/1/3/0 0/2/6/0 0/3/9/0 0/0/0/9\n' >"$dir/ends.tsv"
sed 's/\t3$/\t4/' "$dir/ends.tsv" >"$dir/ends-wrong.tsv"
says 0 'the bar need not be typed' 'sampled, 3 inputs' check "$d" --problem "$dir/ends.tsv"
says 0 'nor for generate' '0/0/0/3' generate "$d" 1 1 1
says 3 'refute: right ends' 'all 3 cases of the' refute "$d" --problem "$dir/ends.tsv"
says 1 'refute: a wrong end' 'WRONG on 1 1 1' refute "$d" --problem "$dir/ends-wrong.tsv"
holds 'refute: that row' grep -q 'at     row 4' "$dir/.out"
holds 'refute: what is right there' grep -q 'right  ... 0/0/0/4' "$dir/.out"
says 0 'generate: a right end' 'the end is that of the case' generate "$d" 3 2 1 --beside "$dir/ends.tsv"
says 1 'generate: a wrong end' 'the end is not that of the case' generate "$d" 1 1 1 --beside "$dir/ends-wrong.tsv"
says 0 'look: rows that no case tells are not judged' 'the end is right' look "$d" 3 2 1 --problem "$dir/ends.tsv"
says 1 'look: a wrong end' 'row 4' look "$d" 1 1 1 --problem "$dir/ends-wrong.tsv"

# ---- faults stand where they are
printf '0\t1\n1  9\t1 1\n' >"$dir/range.tsv"
refuses 2 'the column of a token' 'range.tsv:2:4: position 2: token 9 out of range 0..4' check "$m" --problem "$dir/range.tsv"
printf '1 1 1 |\t3\n1 x 1 |\t3\n' >"$dir/word.tsv"
refuses 2 'of a row of a prompt' 'word.tsv:2:3: position 2' check "$d" --problem "$dir/word.tsv"
printf '1 1 1 |\t3\n1 2 1 |\t0/1/1/0 0/9\n' >"$dir/row.tsv"
refuses 2 'of a row of a chain' 'row.tsv:2:17: ' check "$d" --problem "$dir/row.tsv"
finish
