# test_counts.sh: files of the languages that count: compiled, run, checked on every short word, refused.
. cli/test/lib.sh

right() # $1 file, $2 least length, $3 most
{
    says 0 "$1 is right on every word" '1 of 1 claims hold' check "examples/$1" --lengths "$2..$3" --exact
}
says 0 'C-RASP becomes a model' '2 attention layers, 1 head' compile examples/dyck-1.crasp --set N=12 -o "$dir/m.st"
gives 0 'a word that is in it' yes run "$dir/m.st" '(()())'
gives 0 'the empty word' yes run "$dir/m.st" ''
gives 0 'a word that is not' no run "$dir/m.st" '())('
right dyck-1.crasp 0 9
right majority.crasp 0 9
right abc.crasp 0 6
right abba.crasp 1 8
right three-back.cr 1 7
right longer-run.cr 1 8
right parity.foc 0 9
right thirds.foc 0 8
right few-zeros.foc 0 8
right classes.foc 0 6
right equal-abc.sscm 0 6
right double-ends-a.sscm 0 8
right either.sscm 0 5
right not-triple.sscm 0 8
says 0 'a quantifier is eliminated' '1 <= #[1] and #[1] mod 3 = 1' compile examples/thirds.foc --set N=8 -o "$dir/t.st"
gives 0 'four ones' yes run "$dir/t.st" 101101
gives 0 'three' no run "$dir/t.st" 10101
says 0 'how few bits will do' 'the least that holds: p6' least examples/dyck-1.crasp --vary p --range 4..7 --lengths 0..8
says 1 'another language is noticed' 'expected' check "$dir/m.st" --problem examples/majority.crasp --lengths 0..4

bad() # $1 suffix, $2 name, $3 what it says, $4 the file
{
    printf '%b' "$4" >"$dir/bad.$1"
    refuses 2 "$2" "$3" compile "$dir/bad.$1" --set N=8 -o "$dir/none.st"
}
bad crasp 'a letter that is none' "bad.crasp:2:22: 'c' is no letter of the alphabet: a b" 'alphabet a b\nA(i) := # [j <= i] Q_c(j)\n'
bad crasp 'a name that is none' "'Cuont' is not defined; did you mean 'Count'?" 'alphabet a b\nCount = #[Q_a]\nCuont > 0\n'
bad crasp 'a congruence of counts' 'C-RASP has no congruences of counts; FOC[MOD;+] has (.foc)' 'alphabet a b\n#[Q_a] mod 2 = 0\n'
bad foc 'a quantifier with too many cases' 'bad.foc:2:1: this quantifier is not eliminated: more than 512 cases' 'alphabet 0 1\nexists x. x mod 97 = 3 and x mod 89 = 1 and x > #[0]\n'
bad foc 'no alphabet' 'bad.foc:1:1: no alphabet' '#[1] = 0\n'
bad sscm 'a counter that is none' "bad.sscm:3:4: 'y' is no counter" 'alphabet a b\ncounters x\na: y+1\naccept x = 0\n'
bad sscm 'a congruence of counters' 'counters are compared, not divided' 'alphabet a b\ncounters x\naccept x mod 2 = 0\n'
bad cr 'a predicate of Python that is not shipped' "'succ' is no predicate that is known" '#import succ\nx = "a"\n'
head -c 1000000 /dev/zero | tr '\0' '(' >"$dir/bad.crasp"
sed -i '1s/^/alphabet a b\n/' "$dir/bad.crasp"
refuses 2 'a megabyte of brackets' 'nested more than 200 deep' compile "$dir/bad.crasp" --set N=8 -o "$dir/none.st"
holds 'nothing was written' [ ! -e "$dir/none.st" ]
says 0 'one model for all lengths' 'f64  N=0..4 attention=as-written longest=4' check examples/majority.crasp --lengths 0..4 --exact
says 0 'and for one length by itself' '1 of 1 claims hold' check examples/few-zeros.foc --lengths 1 --precision p5 --exact
says 1 'so it is wrong where the model for longer words is' 'wrong on' check examples/few-zeros.foc --lengths 0..4 --precision p5 --exact
"$attest" compile examples/few-zeros.foc --set N=4 -o "$dir/four.st" >"$dir/.out"
says 1 'as that model says, asked by itself' 'wrong on' check "$dir/four.st" --problem examples/few-zeros.foc --lengths 0..4 --precision p5
finish
