# test_equal.sh: two models: the same function, a witness where they are not, and what cannot be compared.
. cli/test/lib.sh

call build match2 --set N=4,M=7 -o "$dir/m.st"
call build match2 --set N=4,M=7,c=0.02 -o "$dir/weak.st"
call build match2 --set N=4,M=8 -o "$dir/eight.st"

gives 0 'a model is itself' 'equal: exact, 2,800 inputs of lengths 1..4, f64, least margin 0.5' equal "$dir/m.st" "$dir/m.st"
says 0 'a model and a program' 'equal: exact, 2,800 inputs' equal "$dir/m.st" examples/pairs.program --set N=4,M=7
says 0 'a claim and a model' 'equal: exact' equal match2 "$dir/m.st" --set N=4,M=7
says 0 'a claim from a file' 'equal: exact' equal examples/pairs.claim "$dir/m.st" --set N=4,M=7
says 0 'some lengths' '343 inputs of length 3' equal "$dir/m.st" "$dir/m.st" --lengths 3
holds 'the others are named' grep -q 'both take lengths 1..4' "$dir/.out"
says 0 'the inputs of a problem' '392 inputs of lengths 2..3' equal "$dir/m.st" match2 --problem match2 --set N=4,M=7 --lengths 2..3
says 0 'in p bits' ', p12,' equal "$dir/m.st" "$dir/m.st" --precision p12 --lengths 1..2
says 0 'two kinds of attention' '27 prompts' equal dp-standard dp-linear --set problem=lis,a=3,b=3

# What differs: found, shrunk, and what `run` says of it.
call equal "$dir/m.st" "$dir/weak.st"
holds 'not equal: exit 1' [ "$code" -eq 1 ]
holds 'and says so' grep -q '^not equal: first on input number' "$dir/.out"
cp "$dir/.out" "$dir/one"
line() { sed -n "s/^  $1 *//p" "$dir/one"; }
# shellcheck disable=SC2046
gives 0 'the first output is that of run' "$(line first)" run "$dir/m.st" $(line input)
# shellcheck disable=SC2046
gives 0 'and the second' "$(line second)" run "$dir/weak.st" $(line input)
holds 'they differ' [ "$(line first)" != "$(line second)" ]
call equal "$dir/m.st" "$dir/weak.st" --threads 1
holds 'whatever the threads' cmp "$dir/one" "$dir/.out"
call equal "$dir/m.st" "$dir/weak.st" --json
holds 'JSON: exit 1' [ "$code" -eq 1 ]
holds 'JSON: a witness' grep -q '"equal": false.*"witness": {"input": "' "$dir/.out"
says 0 'JSON: equal' '"equal": true, "evidence": "exact"' equal "$dir/m.st" "$dir/m.st" --json
says 1 'two decoders in too few bits' 'they differ at row 8' equal dp-standard dp-linear --set problem=lis,a=3,b=3 --precision p6

# Samples decide nothing, unless there is a witness.
says 3 'samples' 'sampled: no difference on 400 inputs' equal "$dir/m.st" "$dir/m.st" --sampled 100
says 1 'a witness among samples' 'not equal: first on drawn input' equal "$dir/m.st" "$dir/weak.st" --sampled 100
says 3 'JSON: samples' '"equal": null, "evidence": "sampled"' equal "$dir/m.st" "$dir/m.st" --sampled 10 --json

# A language instead of a second model: decided for words of all lengths, by automata; positions must repeat.
call compile --regex '(...)*a' --alphabet 'a b' --set N=8 -o "$dir/thirds.st"
call build fo-mod --set language=thirds-then-a,N=8,positions=sinusoidal -o "$dir/circle.st"
call build fo-mod --set language=thirds-then-a,N=8,off=1 -o "$dir/fourths.st"
call compile --regex '(...)*a' --alphabet 'a b' --set N=4 -o "$dir/little.st"
says 0 'a language with positions modulo 3' 'equal      on words of all lengths' equal "$dir/thirds.st" --regex '(...)*a'
holds 'they go on' grep -qx '  its positions repeat every 3, also beyond the words that its file takes' "$dir/.out"
says 0 'by cos and sin' 'its numbers are rounded: so in the reals and in f64' equal "$dir/circle.st" --regex '(...)*a'
says 0 'JSON: the period' '"period": 3' equal "$dir/circle.st" --regex '(...)*a' --json
holds 'JSON: rounded' grep -q '"rounded": true' "$dir/.out"
says 1 'positions modulo 4' 'on which they differ: aaaa' equal "$dir/fourths.st" --regex '(...)*a'
holds 'on which it is run again' grep -qx '  model      no, run again' "$dir/.out"
says 1 'another language: a longer word than its file takes' 'differ: aaaaaaaaaa' equal "$dir/thirds.st" --regex '((...)*a)&(.{0,9})'
refuses 2 'a table that does not show its period twice' 'position feature 1 (table of 5 rows) does not show a period' equal "$dir/little.st" --regex '(...)*a'
call compile --regex '(...)*a' --alphabet 'a b' --set N=5 -o "$dir/little.st"
says 0 'a longer one' 'equal ' equal "$dir/little.st" --regex '(...)*a'

refuses 2 'other fields' 'field 1 (x): size 7 in the first model, 8 in the second' equal "$dir/m.st" "$dir/eight.st"
refuses 2 'other lengths' 'lengths 1..5: must be in 1..4' equal "$dir/m.st" "$dir/m.st" --lengths 1..5
refuses 2 'no lengths' "lengths 'x': must be as in 0..6" equal "$dir/m.st" "$dir/m.st" --lengths x
refuses 2 'nobody has it' "--set 'Q'" equal "$dir/m.st" match2 --set Q=3
refuses 2 'a model that does not fit' 'the first model: ' equal "$dir/m.st" "$dir/m.st" --problem match2 --set M=9
refuses 2 'both' '--exact and --sampled' equal "$dir/m.st" "$dir/m.st" --exact --sampled 3
refuses 2 'one word' 'two models' equal "$dir/m.st"
refuses 2 'no such file' "$dir/none.st" equal "$dir/m.st" "$dir/none.st"
refuses 2 'no such claim' "match2" equal "$dir/m.st" match22
finish
