# test_extract.sh: models turned back: from an expression to weights, to a formula, to weights, to the same automaton; counts of softmax;
# files that decide for words of all lengths; what is refused, with what works instead. docs/logic.md shows the first part.
. cli/test/lib.sh

# The worked example: regex -> weights -> formula -> weights -> the same least automaton.
call compile --regex '(ab)*' --set N=16 -o "$dir/m.safetensors"
says 0 'to temporal logic' 'for words of all lengths' extract "$dir/m.safetensors" --to ltl -o "$dir/m.ltl"
holds 'layer by layer' grep -q 'layer by layer: 2 layers' "$dir/.out"
holds 'of a least automaton without periods' grep -q 'its least automaton has 3 states, without periods' "$dir/.out"
says 0 'the formula decides' 'equal      on words of all lengths' equal "$dir/m.safetensors" "$dir/m.ltl"
call compile "$dir/m.ltl" --set N=16 -o "$dir/again.safetensors"
call extract "$dir/m.safetensors" --to dfa -o "$dir/one.dfa"
call extract "$dir/again.safetensors" --to dfa -o "$dir/two.dfa"
holds 'and back: the same least automaton' cmp "$dir/one.dfa" "$dir/two.dfa"
holds 'which has three states' grep -q '^2 b' "$dir/one.dfa"
says 0 'as B-RASP' 'a program of' extract "$dir/m.safetensors" --to brasp -o "$dir/m.brasp"
says 0 'it decides' 'equal      on words of all lengths' equal "$dir/m.safetensors" "$dir/m.brasp"
call compile "$dir/m.brasp" --set N=16 -o "$dir/again.safetensors"
call extract "$dir/again.safetensors" --to dfa -o "$dir/two.dfa"
holds 'and back' cmp "$dir/one.dfa" "$dir/two.dfa"
says 0 'JSON' '"star_free": true' extract "$dir/m.safetensors" --to ltl --json

# Files that have an automaton decide; others are run as ever.
printf 'alphabet a b\n(ab)*\n' >"$dir/same.regex"
printf 'alphabet b a\n(ab)?\n' >"$dir/other.regex"
printf 'alphabet a b\nH(a -> Z b)\n' >"$dir/last.ltl"
says 0 'a file of an expression' 'equal      on words of all lengths' equal "$dir/m.safetensors" "$dir/same.regex"
says 0 'a file of an automaton' 'equal      on words of all lengths' equal "$dir/m.safetensors" "$dir/one.dfa"
says 1 'letters in another order, another language' 'on which they differ: abab' equal "$dir/m.safetensors" "$dir/other.regex"
says 1 'a formula read inside of the word' 'the file has no answer for the empty word' equal "$dir/m.safetensors" "$dir/last.ltl"
says 0 'lengths that are asked for are run' 'inputs of lengths 0..3' equal "$dir/m.safetensors" "$dir/same.regex" --lengths 0..3
printf 'alphabet a b\naccept end\n#[a] = #[b]\n' >"$dir/counts.ltl"
says 1 'a formula that counts is run' 'not equal: first on input' equal "$dir/m.safetensors" "$dir/counts.ltl"

# Positions that repeat.
call compile --regex '(aa)*' --alphabet 'a b' --set N=8 -o "$dir/even.safetensors"
says 0 'positions modulo 2' 'mod(i, 2)' extract "$dir/even.safetensors" --to ltl
refuses 2 'B-RASP has no positions' 'temporal logic has mod(i, m): --to ltl' extract "$dir/even.safetensors" --to brasp

# Softmax counts, where its quotients alone are rounded.
call build majority --set N=20 -o "$dir/maj.safetensors"
says 0 'majority is counts' '#[' extract "$dir/maj.safetensors" --to foc --precision q4e3
says 0 'it says how much' 'for words of all lengths, of the model in q4e3' extract "$dir/maj.safetensors" --to foc --precision q4e3 -o "$dir/maj.foc"
holds 'an inequality' grep -qx '65 #\[0\] + 34 <= 63 #\[1\]' "$dir/maj.foc"
says 0 'right on every word to 10' '1 of 1 claims hold' check "$dir/maj.safetensors" --problem "$dir/maj.foc" --precision q4e3 --lengths 0..10
call extract "$dir/maj.safetensors" --to foc --precision q2e3 -o "$dir/maj2.foc"
says 1 'the formula of two bits is not the model at four' '0 of 1 claims hold' check "$dir/maj.safetensors" --problem "$dir/maj2.foc" --precision q4e3 --lengths 7
printf 'alphabet a b\naccept end\n#[Q_a] >= #[Q_b]\n' >"$dir/c.crasp"
call compile "$dir/c.crasp" --set N=8 -o "$dir/c.safetensors"
says 0 'a causal model' 'a program of' extract "$dir/c.safetensors" --to crasp --precision q3e5 -o "$dir/c3.crasp"
says 0 'in few bits it is this program' '1 of 1 claims hold' check "$dir/c.safetensors" --problem "$dir/c3.crasp" --precision q3e5 --lengths 0..8
refuses 2 'sums that are rounded' 'rounds both sums of a mean before it divides' extract "$dir/maj.safetensors" --to foc --precision p4e3
refuses 2 'all of f64' 'counts are made of models in qNeE: --precision q4e3' extract "$dir/maj.safetensors" --to foc
refuses 2 'no mask' 'without a mask: --to foc' extract "$dir/maj.safetensors" --to crasp --precision q4e3
refuses 2 'softmax is no automaton' 'attest extract --to crasp, or foc' extract "$dir/maj.safetensors" --to ltl
refuses 2 'hard attention does not count' 'it chooses by order: --to ltl or dfa' extract "$dir/m.safetensors" --to crasp --precision q4e3

# Budgets and usage.
refuses 3 'a budget of values' 'its stream has more than 2 values' extract "$dir/m.safetensors" --to ltl --values 2
refuses 2 'no length' '--length has no effect: ltl is of words of all lengths' extract "$dir/m.safetensors" --to ltl --length 4
refuses 2 'an unknown kind' "did you mean 'ltl'?" extract "$dir/m.safetensors" --to ltk
call build fo-mon --set N=8 -o "$dir/mon.safetensors"
refuses 2 'positions that go on' 'position feature 1 (i) does not repeat' extract "$dir/mon.safetensors" --to ltl
holds 'nothing half-written' sh -c "! ls -A '$dir' | grep -q attest-"

finish
