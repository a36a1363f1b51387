# test_formulas.sh: files of temporal logic and of B-RASP: compiled, run, checked on every short word, refused.
. cli/test/lib.sh

says 0 'a formula becomes a model' '!b S a (reflexive, read at the last position): N=12' compile examples/since.ltl --set N=12 -o "$dir/m.st"
holds 'of one layer' grep -q '1 attention layer, 1 head' "$dir/.out"
gives 0 'a word in it' yes run "$dir/m.st" bacc
gives 0 'and one that is not' no run "$dir/m.st" abcc
says 0 'right on every word' '1 of 1 claims hold' check "$dir/m.st" --problem examples/since.ltl --lengths 1..7
says 0 'right on long words' '1 of 1 claims hold' check "$dir/m.st" --problem examples/since.ltl --lengths 12 --sampled 200
says 0 'at two bits' '1 of 1 claims hold' check "$dir/m.st" --problem examples/since.ltl --lengths 1..5 --precision p2
says 0 'the empty word has no verdict at the last position' 'the empty word: undefined' check examples/since.ltl --lengths 0..2 --exact
says 0 'semantics and place are shown' 'does the formula hold at the last position, temporal operators reflexive?' show examples/since.ltl
says 0 'letters of several characters' '4 attention layers' compile examples/answer.ltl --set N=8 -o "$dir/names.st"
gives 0 'which are typed with blanks' yes run "$dir/names.st" request idle answer request answer
gives 0 'unanswered' no run "$dir/names.st" request request answer
refuses 2 'another kind of attention than the file says' "--attention 'linear': there is one kind, as-written" compile examples/since.ltl --attention linear -o "$dir/none.st"

for f in since.ltl answer.ltl even-majority.ltl ends-alike.brasp induction.brasp no-gap.brasp; do
    says 0 "$f" '1 of 1 claims hold' check "examples/$f" --lengths 1..6 --exact
done
for f in alternate.ltl squares.ltl dyck-2.brasp; do
    says 0 "$f, with the empty word" '1 of 1 claims hold' check "examples/$f" --lengths 0..9 --exact
done

# What a language is does not depend on how it is said: (ab)* as an expression, as a formula, as a program.
printf 'alphabet a b\n(ab)*\n' >"$dir/ab.regex"
printf 'alphabet a b; accept end\nFirst(i) = leftmost j [1, 1] Qa(j) : 1\nLast(i) = rightmost j [1, 1] Qb(j) : 1
Before(i) = rightmost j [j < i, 1] Qa(i) & Qb(j) | Qb(i) & Qa(j) : 1
Y(i) = rightmost j [j < i, !Before(j)] 0 : First(i) & Last(i)\naccept Y\n' >"$dir/ab.brasp"
call compile "$dir/ab.regex" --set N=9 -o "$dir/ab.st"
says 0 'an expression is the formula' '1 of 1 claims hold' check "$dir/ab.st" --problem examples/alternate.ltl --lengths 0..9
says 0 'and the program' '1 of 1 claims hold' check "$dir/ab.st" --problem "$dir/ab.brasp" --lengths 0..9
printf 'alphabet a b; accept end; Z H (a -> Z b)' >"$dir/other.ltl"
says 1 'and no other formula' 'expected' check "$dir/ab.st" --problem "$dir/other.ltl" --lengths 0..3

# attention
for kind in own softmax average rightmost leftmost; do
    printf 'alphabet a b; accept end; attention %s\nH (a -> Y b) & O (b & Y a)' $kind >"$dir/kind.ltl"
    says 0 "attention $kind" '1 of 1 claims hold' check "$dir/kind.ltl" --lengths 0..7 --exact
done

# on the command line
says 0 'a formula as it is' '!b S a (reflexive, read at the last position): N=6' compile --ltl '(!b) S a' --alphabet 'a b c' --set N=6 -o "$dir/line.st"
says 0 'is that of the file' '1 of 1 claims hold' check "$dir/line.st" --problem examples/since.ltl --lengths 1..6
says 0 'with header lines' '(strict, read behind the word)' compile --ltl 'semantics strict; accept end; Y b' --set N=6 -o "$dir/line.st"
says 0 'a program as it is' 'a B-RASP program of 1 definition, Y read at end' compile --brasp 'Y(i) = leftmost j [1, 1] Qa(j) : 0; accept Y; accept end' --alphabet 'a b' --set N=6 -o "$dir/line.st"
gives 0 'runs' yes run "$dir/line.st" abb
gives 0 'on the empty word, too' no run "$dir/line.st" ''
refuses 2 'where it is wrong' "--ltl:1:7: 'c' is no letter of the alphabet: a b" compile --ltl 'O a | c' --alphabet 'a b' --set N=6 -o "$dir/none.st"
refuses 2 'two alphabets' '--ltl: a line alphabet, and another alphabet beside it' compile --ltl 'alphabet a b; O a' --alphabet 'a b' --set N=6 -o "$dir/none.st"
refuses 2 'two texts' 'one of both is compiled' compile --ltl 'O a' --brasp 'x' --set N=6 -o "$dir/none.st"
refuses 2 'a file and a text' 'one of both is compiled' compile examples/since.ltl --ltl 'O a' --set N=6 -o "$dir/none.st"
refuses 2 'an alphabet of a file' 'a line alphabet, and another alphabet beside it' compile examples/since.ltl --alphabet 'a' --set N=6 -o "$dir/none.st"

bad() # $1 name, $2 what it says, $3 the file
{
    printf '%b' "$3" >"$dir/bad.ltl"
    refuses 2 "$1" "$2" compile "$dir/bad.ltl" --set N=8 -o "$dir/none.st"
}
bad 'a formula of both sides' 'speaks of both past and future, so where it is read must be said: add a line accept last, first, end or begin' 'alphabet a b\na S b & F a\n'
bad 'a letter that is none' "bad.ltl:2:3: 'upp' is no letter of the alphabet: up down; did you mean 'up'?" 'alphabet up down\nO upp\n'
bad 'an open bracket' 'bad.ltl:2:3: ( without )' 'alphabet a b\nO (a & b\n'
bad 'an operator as a letter' 'bad.ltl:2:3: F is an operator here; the letter is written "F"' 'alphabet a F\nO F\n'
bad 'a kind of attention that is none' 'bad.ltl:1:10: attention is own, softmax, average, rightmost or leftmost' 'attention hard\nO a\n'
bad 'other semantics' 'bad.ltl:1:10: semantics is reflexive or strict' 'semantics odd\nO a\n'
head -c 1048576 /dev/zero | tr '\0' '(' >"$dir/bad.ltl"
refuses 2 'a megabyte of brackets' 'nested more than 200 deep' compile "$dir/bad.ltl" --set N=8 -o "$dir/none.st"

bad() # $1 name, $2 what it says, $3 the file
{
    printf '%b' "$3" >"$dir/bad.brasp"
    refuses 2 "$1" "$2" compile "$dir/bad.brasp" --set N=8 -o "$dir/none.st"
}
bad 'an unknown name' "bad.brasp:3:8: 'Letf' is neither defined above nor a letter, as in Q_a(i); did you mean 'Left'?" 'alphabet a b\nLeft(i) = Qa(i)\nY(i) = Letf(i)\naccept Y\n'
bad 'nothing accepted' 'nothing is accepted; add a line as in accept P' 'alphabet a b\nP(i) = Qa(i)\n'
bad 'j where only i is' 'bad.brasp:2:11: j is known only in the score and the value of leftmost and rightmost' 'alphabet a b\nP(i) = Qa(j)\n'
bad 'no default' ': and the default, as in : 0, is missing before the end of the statement' 'alphabet a b\nP(i) = rightmost j [j < i, 1] Qa(j)\n'
bad 'a mask that is none' 'bad.brasp:2:21: a mask is 1, j < i, j <= i, j > i or j >= i' 'alphabet a b\nP(i) = rightmost j [j = i, 1] Qa(j) : 0\n'
bad 'no alphabet' 'no alphabet; add a line as in alphabet a b above the definitions' 'P(i) = Qa(i)\naccept P\n'
holds 'nothing was written' [ ! -e "$dir/none.st" ]
finish
