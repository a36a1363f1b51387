# test_reach.sh: a file of a language alone: every word, long words, where f32 errs, how many bits are enough.
. cli/test/lib.sh

is() # $1 name, $2 what the JSON answer d must satisfy
{
    holds "$1" python3 -c "import json, sys; d = json.load(open('$dir/.out')); s = d['standings'][0]; sys.exit(not ($2))"
}

says 0 'every word' 'exact, 13 inputs      f64  N=0..2' check examples/response.dot --lengths 0..2
holds 'long words' grep -q 'sampled, .* f64  N=1000 ' "$dir/.out"
holds 'f32' grep -qx '        f32: right to length 1000' "$dir/.out"
holds 'bits, in a line' grep -qx '        bits that are enough: 2 to length [0-9]*' "$dir/.out"
holds 'not the table' sh -c "! grep -q 'wrong in f32' '$dir/.out'"
says 0 'one question only' 'exact, 13 inputs' check examples/response.dot --lengths 0..2 --exact
holds 'and no other' sh -c "! grep -q sampled '$dir/.out'"

# Counts of a congruence are told apart by margins that fall as 1/n^2: the same file says so in JSON.
call check examples/parity.foc --lengths 0..3 --json
is 'the verdict is that of f64' "s['standing'] == 'holds' and [c['arithmetic'] for c in d['cells']] == ['f64', 'f64', '']"
is 'bits grow' "dict(map(tuple, s['precision']['bits']))[64] > dict(map(tuple, s['precision']['bits']))[8] > 4"
is 'f32' "s['precision']['f32_right_to'] >= 512"
is 'the table, too' "d['cells'][2]['role'] == 'table' and d['cells'][2]['detail']['table']['rows'][0][0] == 4"

says 1 'another arithmetic decides when it is asked for' 'BAD' check examples/parity.foc --lengths 0..8 --precision p4
holds 'and there is no table' sh -c "! grep -q 'bits that are enough' '$dir/.out'"
says 0 'the empty word has no verdict' 'left out: the empty word: undefined' check examples/since.ltl --lengths 0..2 --exact
call check examples/since.ltl --lengths 0..2 --exact --json
is 'in JSON, too' "d['left_out'][0].startswith('the empty word: undefined')"
refuses 2 'longer than words can be' 'has words of lengths 0..4096' check examples/no-aa.regex --lengths 0..5000
refuses 2 'lengths twice' 'lengths are given twice' check examples/no-aa.regex --lengths 0..5 --set N=4
finish
