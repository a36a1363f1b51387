# test_rasp.sh: programs in RASP: compiled, run as words are typed, checked on every short word, shown, refused.
. cli/test/lib.sh

says 0 'a program becomes a model' '2 attention layers, 1 head' compile examples/hist.rasp --set N=12 -o "$dir/h.st"
gives 0 'numbers at every position' '2 1 2 1' run "$dir/h.st" abac
says 0 'right on every word' '1 of 1 claims hold' check "$dir/h.st" --problem examples/hist.rasp --lengths 1..6
says 0 'right on long words' '1 of 1 claims hold' check "$dir/h.st" --problem examples/hist.rasp --lengths 12 --sampled 50
says 0 'letters come out as letters' '3 attention layers' compile examples/reverse.rasp --set N=8 -o "$dir/r.st"
gives 0 'the word backwards' 'c a b a' run "$dir/r.st" abac
says 0 'strings come out as strings' 'output=dyck1' compile examples/dyck1.rasp --set N=8 -o "$dir/d.st"
gives 0 'T, P or F' 'P P P T F' run "$dir/d.st" '(()))'
for file in hist reverse sort most-frequent double-hist dyck1 shuffle-dyck dyck2 add; do
    says 0 "examples/$file.rasp: compiled and asked" '1 of 1 claims hold' check examples/$file.rasp --lengths 1..4 --exact
done
says 1 'wrong on another problem' 'expected' check "$dir/h.st" --problem examples/double-hist.rasp --lengths 1..4
says 0 'another output of the same file' 'output=rank' compile examples/sort.rasp --set N=6,output=rank -o "$dir/o.st"
gives 0 'which is asked for' '2 0 1' run "$dir/o.st" cab
says 0 'by its own option' 'N=6 output=rank' compile examples/sort.rasp --set N=6 --output rank -o "$dir/o2.st"
holds 'which is the same' cmp -s "$dir/o.st" "$dir/o2.st"
says 0 'checked' 'output=rank' check examples/sort.rasp --output rank --lengths 1..4 --exact
says 0 'a model of it, too' '1 of 1 claims hold' check "$dir/o.st" --problem examples/sort.rasp --output rank --lengths 1..4
says 1 'and not of the other' 'expected' check "$dir/o.st" --problem examples/sort.rasp --output sorted --lengths 1..4
says 0 'shown' 'N=16 output=rank' show examples/sort.rasp --output rank
refuses 2 'an option for others' 'output' compile examples/lis.dp --set n=3 --output x -o "$dir/none.st"
refuses 2 'the nearest' "output=sortd: did you mean 'sorted'?" compile examples/sort.rasp --output sortd -o "$dir/none.st"
# A file that names no letters, over those of the command line.
printf 'rev = aggregate(select(indices, length-1-indices, ==), tokens);\nx = length;\n' >"$dir/plain.rasp"
says 0 'letters beside a file' 'output=rev' compile "$dir/plain.rasp" --set N=6 --alphabet '( ) [ ]' --output rev -o "$dir/p.st"
gives 0 'which it then has' ') [ (' run "$dir/p.st" '([)'
says 0 'checked over them' '1 of 1 claims hold' check "$dir/plain.rasp" --alphabet '( ) [ ]' --output rev --lengths 1..4 --exact
says 0 'with the model' '1 of 1 claims hold' check "$dir/p.st" --problem "$dir/plain.rasp" --alphabet '( ) [ ]' --output rev --lengths 1..4
says 0 'shown over them' 'alphabet ( ) [ ]' show "$dir/plain.rasp" --alphabet '( ) [ ]'
refuses 2 'a file that says its own' 'a line alphabet, and another alphabet beside it' compile examples/sort.rasp --alphabet 'a b' -o "$dir/none.st"
refuses 2 'a letter twice' "the alphabet has the letter 'a' twice" compile "$dir/plain.rasp" --alphabet 'a a' -o "$dir/none.st"
refuses 2 'a language whose files say them' 'its letters stand in the file itself' compile examples/increment.tm --alphabet 'a b' -o "$dir/none.st"
refuses 2 'another alphabet is another problem' 'say which problem' check "$dir/p.st"
# Numbers of many digits, in what the public interpreter calls long addition: functions in functions, several values, a mean as a place.
"$attest" compile examples/add.rasp --set N=12 -o "$dir/add.st" >/dev/null
input=$'19+23\n999+1\n5+5\n04+99995\n'
gives 0 'sums' $'0 0 0 4 2\n0 1 0 0 0\n0 1 0\n0 0 0 9 9 9 9 9' run "$dir/add.st" -
unset input
says 0 'in softmax, too' '1 of 1 claims hold' check examples/add.rasp --attention softmax --lengths 1..3 --exact
cat >"$dir/nested.rasp" <<'RASP'
set example "21+4"
def halves() {
    def value(t) {
        of = {"1": 1, "2": 2, "4": 4};
        v = 0;
        for d in of { v = of[d] if t == d else v; }
        return v;
    }
    at = aggregate(select(tokens, "+", ==), indices);
    return value(tokens), indices > at;
}
value, right = halves();
x = value if right else -1;
RASP
says 0 'several values of a nested function' 'output=x' compile "$dir/nested.rasp" --set N=6 -o "$dir/n.st"
gives 0 'as they are' '-1 -1 -1 4' run "$dir/n.st" 21+4
says 0 'on every word, none and several + among them' '1 of 1 claims hold' check "$dir/nested.rasp" --lengths 1..5 ${sanitized:+--exact}
refuses 2 'an output that there is not' "hisst" compile examples/hist.rasp --set output=hisst -o "$dir/none.st"
says 0 'the program made flat' 'hist = selector_width(_1);' show examples/hist.rasp
holds 'and what it takes' grep -q '^N=16 output=hist: 2 attention layers, 1 head, width 6' "$dir/.out"
"$attest" show examples/hist.rasp --exact >"$dir/flat.rasp"
"$attest" show "$dir/flat.rasp" --exact >"$dir/again.rasp"
holds 'flat, and flat again: the same' cmp -s "$dir/flat.rasp" "$dir/again.rasp"
says 0 'and the same program' '1 of 1 claims hold' check "$dir/h.st" --problem "$dir/flat.rasp" --lengths 1..5
says 0 'softmax' 'attention=softmax' check examples/sort.rasp --lengths 1..4 --exact --attention softmax
refuses 2 'a kind that it has not' 'must be average-hard or softmax' check examples/sort.rasp --attention linear
sed 's/^length.*/attention softmax/' examples/sort.rasp >"$dir/soft.rasp"
says 0 'softmax, by its line' '1 of 1 claims hold' check "$dir/soft.rasp" --lengths 1..4 --exact

printf 'alphabet a b\nx = -indices - 1;\n' >"$dir/minus.rasp"
refuses 2 'answers below 0 are no tokens to learn' 'tokens as answers' train "$dir/minus.rasp" --set N=4 --steps 1 -o "$dir/none.st"

# What RASP counts as numbers: indicator, + and round of truths.
for says in 'indicator(tokens == "a")' '+(tokens == "a")' 'round(tokens == "a")' '1 if tokens == "a" else 0'; do
    printf 'alphabet a b\nx = %s;\n' "$says" >"$dir/number.rasp"
    says 0 "$says: compiled" 'output=x' compile "$dir/number.rasp" --set N=4 -o "$dir/number.st"
    gives 0 'a number, no truth' '1 0 1' run "$dir/number.st" aba
done
printf 'alphabet a b\nx = tokens == "a";\n' >"$dir/number.rasp"
says 0 'a truth: compiled' 'output=x' compile "$dir/number.rasp" --set N=4 -o "$dir/number.st"
gives 0 'a truth, no number' 'True False True' run "$dir/number.st" aba

bad() # $1 name, $2 what it says, $3 the file
{
    printf '%b' "$3" >"$dir/bad.rasp"
    refuses 2 "$1" "$2" compile "$dir/bad.rasp" --set N=8 -o "$dir/none.st"
}
bad 'grammar, by line and column' "bad.rasp:2:9: ';' here; ',' or ']' was expected" 'y = 1;\nx = [1,2;\n'
bad 'a name that is not known' "did you mean 'selector_width'?" 'x = selectr_width(select(tokens, tokens, ==));\n'
bad 'a function without end' 'does one call itself?' 'def f(x) { return f(x); }\ny = f(indices);\n'
bad 'strings that are averaged, with the word' 'bad.rasp:1:5: two strings are selected and have no mean; select one at most (position 0 of aa)' 'x = aggregate(select(tokens, tokens, ==), tokens);\n'
bad 'a mean as the output' "bad.rasp:1:5: the output 'x' can be a fraction" 'x = aggregate(full_s, indices);\n'
bad 'what no head computes' 'bad.rasp:1:13: a division by an s-op' 'x = indices / length == 1 / 3;\n'
bad 'a sign of a string' 'bad.rasp:1:5: arithmetic on a string' 'x = +tokens;\n'
bad 'nothing' 'no s-op is set' '# nothing\n'
awk 'BEGIN { printf "x = "; for (i = 0; i < 1000000; i++) printf "("; print "" }' >"$dir/bad.rasp"
refuses 2 'a megabyte of brackets' 'bad.rasp:1:254: nested more than 250 deep' compile "$dir/bad.rasp" -o "$dir/none.st"
finish
