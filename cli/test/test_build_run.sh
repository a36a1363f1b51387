# test_build_run.sh: `build` and `run`, from weights to answers.
. cli/test/lib.sh

says 0 'build: one line with the size' 'match2 N=8 M=17 c=1: 1 attention layer, 1 head, head width 3' \
    build match2 --set N=8,M=17 -o "$dir/m.st"
holds 'it is one line' test "$(wc -l <"$dir/.out")" -eq 1
says 0 'build --json' '"largest": ' build match2 --set N=8 --set M=17 -o "$dir/m2.st" --json
holds 'the same weights, the same bytes' cmp "$dir/m.st" "$dir/m2.st"

gives 0 'run: words' '1 1 0' run "$dir/m.st" 3 14 5
gives 0 'run: one quoted word' '1 1 0' run "$dir/m.st" '3 14 5'
input=$'3 14 5\n0\n1 16 2 15 3\n'
gives 0 'run: lines' $'1 1 0\n1\n1 1 1 1 0' run "$dir/m.st" -
gives 0 'run: lines without -' $'1 1 0\n1\n1 1 1 1 0' run "$dir/m.st"
for p in f32 p20 p20e8 ball ball256; do
    case $p in ball*) doubted= ;; *) doubted=1 ;; esac
    gives 0 "run: $p" $'1 1 0\n1\n1 1 1 1 0' run "$dir/m.st" - --precision $p
done
doubted=
input='3 14 5'
gives 0 'run: a last line without newline' '1 1 0' run "$dir/m.st"
input=''
gives 0 'run: no lines' '' run "$dir/m.st"
says 0 'run --json' '"outputs": [[1], [1], [0]]' run "$dir/m.st" 3 14 5 --json --precision ball
holds 'radii in balls' grep -q '"radii": \[\[[0-9.e-]*\], ' "$dir/.out"

partial=1
input=$'3 14 5\n1 2 99\n4\n'
refuses 2 'run: a bad line is named' 'line 2: position 3: token 99 out of range 0..16' run "$dir/m.st" -
holds 'the line before it stands' grep -qx '1 1 0' "$dir/.out"
holds 'and none after it' test "$(wc -l <"$dir/.out")" -eq 1
partial=
input=$'1 2 x\n'
refuses 2 'run: not a number' 'line 1: position 3: "x" is not an integer' run "$dir/m.st" -
input=$'\n'
refuses 2 'run: an empty line' 'line 1: length 0 out of range 1..8' run "$dir/m.st" -
input=$'1 2 3 4 5 6 7 8 9\n'
refuses 2 'run: too long' 'line 1: length 9 out of range 1..8' run "$dir/m.st" -
printf '1 2\0 3\n' >"$dir/zero"
holds 'run: a zero byte' sh -c "'$attest' run '$dir/m.st' - <'$dir/zero' 2>&1 | grep -q 'line 1: a zero byte'"
printf '1\n1 \00033' >"$dir/zero"
holds 'run: a zero byte in a last line' sh -c "'$attest' run '$dir/m.st' - <'$dir/zero' 2>&1 | grep -q 'line 2: a zero byte'"
unset input
refuses 2 'run: words out of range' 'token -1 out of range 0..16' run "$dir/m.st" -1
refuses 2 'run: exact has no exp' 'exact arithmetic has no exp' run "$dir/m.st" 1 --precision exact

# At a ball precision that is too low for the scale, a decision is unknown, and unknown is exit 3.
call build match2 --set N=8,M=1024 -o "$dir/wide.st"
gives 3 'run: undecided prints ?' '? ? 0' run "$dir/wide.st" 3 1021 5 --precision ball24
says 3 'run --json: undecided is null' '"outputs": [[null], [null], [0]]' run "$dir/wide.st" 3 1021 5 --precision ball24 --json

# Real inputs: fields of a position are separated by '/'.
call build lemma-a4 --set N=2 -o "$dir/select.st"
says 0 'run: reals, selected by a sign' '"outputs": [[' run "$dir/select.st" 0.5,1/-1,0/0.75 0.5,1/-1,0/-0.75 --json
gives 0 'run: reals' '0.5,1 -1,0' run "$dir/select.st" 0.5,1/-1,0/0.75 0.5,1/-1,0/-0.75
refuses 2 'run: a real out of range' 'out of range' run "$dir/select.st" 0.5,2/-1,0/0.75

# The empty input: of a model whose lengths begin at 0, what it says of its hidden row.
cat >"$dir/largest.program" <<'END'
program largest, lengths 0..4, 1 hidden after
input x: token 0..9
v = number of x
top = attend leftmost-hard query (1) key (v) value (v) gap 1
output (top) at the last position read by round
END
call compile "$dir/largest.program" -o "$dir/largest.st"
says 0 'show: lengths from 0' 'lengths 0..4' show "$dir/largest.st"
gives 0 'run: the empty input' 0 run "$dir/largest.st" ''
gives 0 'run: the empty input, exactly' 0 run "$dir/largest.st" '' --precision exact
gives 0 'run: and another one' 7 run "$dir/largest.st" 3 7 2
input=$'\n3 7\n \n'
gives 0 'run: empty lines are inputs' $'0\n7\n0' run "$dir/largest.st" -
unset input
says 0 'run --json: the empty input' '"input": "", "arithmetic": "f64", "outputs": [[0]]' run "$dir/largest.st" '' --json
holds 'look: the empty input has a picture' "$attest" look "$dir/largest.st" '' -o "$dir/empty.svg"

finish
