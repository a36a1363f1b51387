# test_languages.sh: files of languages: compiled, run as words are typed, checked on every short word, refused.
. cli/test/lib.sh

says 0 'a regular expression becomes a model' '2 attention layers, 1 head' compile examples/no-aa.regex --set N=12 -o "$dir/m.st"
gives 0 'a word as it is typed' yes run "$dir/m.st" abbab
gives 0 'with blanks' yes run "$dir/m.st" a b b a b
gives 0 'the empty word' yes run "$dir/m.st" ''
gives 0 'a word that is not in it' no run "$dir/m.st" abba
says 0 'right on every word' '1 of 1 claims hold' check "$dir/m.st" --problem examples/no-aa.regex --lengths 0..9
holds 'the empty word among them' grep -q 'exact, 1 input .*N=0' "$dir/.out"
says 0 'right on long words' '1 of 1 claims hold' check "$dir/m.st" --problem examples/no-aa.regex --lengths 12 --sampled 200
says 0 'at two bits' '1 of 1 claims hold' check "$dir/m.st" --problem examples/no-aa.regex --lengths 0..6 --precision p2
says 0 'the file alone: compiled and asked' '1 of 1 claims hold' check examples/no-aa.regex --lengths 0..6 --exact
holds 'in its one kind of attention, from the empty word on' grep -q 'exact, 127 inputs .*N=0..6 attention=rightmost-hard' "$dir/.out"
refuses 2 'another kind' "--attention 'linear': must be rightmost-hard, shortcut or solvable" check examples/no-aa.regex --attention linear
refuses 2 'to compile, too' "--attention 'linear': must be rightmost-hard, shortcut or solvable" compile examples/no-aa.regex --attention linear -o "$dir/none.st"
says 0 'a claim about a language, without C' '2 of 2 controls rejected' check examples/star-free.claim -v
holds 'the empty word as a counterexample' grep -qx '        input      (empty)' "$dir/.out"
says 0 'the map of a language: its size does not grow' 'rightmost-hard, width   N 2..4096      –      6        –  constant' map --problem examples/no-aa.regex
says 0 'how few bits will do' 'the least that holds: p2' least examples/no-aa.regex --vary p --range 2..3 --lengths 0..5
says 0 'of a recurrence, too' 'the least that holds: p8' least examples/lis.dp --set n=3,top=3 --vary p --range 7..9
says 0 'a look at the empty word' 'right at 1 of 1 position' look "$dir/m.st" '' --problem examples/no-aa.regex
holds 'what is right stands there' grep -qx 'right    yes' "$dir/.out"
"$attest" compile examples/no-aa.regex --set N=5 -o "$dir/five.st" >/dev/null
says 3 'a length that the model takes, unless one is said' 'N=5' refute "$dir/five.st" --problem examples/no-aa.regex --budget 1
refuses 2 'which it must take' 'N=6: the model takes lengths 0..5' refute "$dir/five.st" --problem examples/no-aa.regex --set N=6 --budget 1
says 3 'nothing to refute in the empty word' 'not refuted' refute "$dir/m.st" --problem examples/no-aa.regex --set N=0 --budget 1
says 1 'a look where it is wrong' 'right at 0 of 1 position' look "$dir/m.st" '' --problem examples/ends-ab.dfa
says 1 'and refuted where it is wrong' 'WRONG on' refute "$dir/m.st" --problem examples/ends-ab.dfa --set N=0 --budget 1
printf 'alphabet a b\n~(.*aa.*)\n' >"$dir/other.regex"
says 1 'wrong on another language' 'expected' check "$dir/m.st" --problem "$dir/other.regex" --lengths 0..6

bad() # $1 name, $2 what it says, $3 the file
{
    printf '%b' "$3" >"$dir/bad.regex"
    refuses 2 "$1" "$2" compile "$dir/bad.regex" --set N=8 -o "$dir/none.st"
}
bad 'not star-free: the witness, and what one can do' 'the powers of a repeat with period 2; --attention solvable' 'alphabet a b\n(b*ab*a)*b*\n'
refuses 2 'the witness, when it is checked' 'the powers of a repeat with period 2' check "$dir/bad.regex"
says 0 'on demand: in log2 N layers' 'compiled by claim automaton-shortcut' compile "$dir/bad.regex" --set N=9 --attention shortcut -o "$dir/short.st"
holds 'four of them for nine letters' grep -q ': 4 attention layers, 1 head' "$dir/.out"
gives 0 'which count' yes run "$dir/short.st" abbab
gives 0 'odd numbers, too' no run "$dir/short.st" babbaba
gives 0 'and the empty word' yes run "$dir/short.st" ''
says 0 'checked so' 'f64  N=0..6 attention=shortcut' check "$dir/bad.regex" --attention shortcut --lengths 0..6 --exact
says 0 'a star-free language, too' 'attention=shortcut' check examples/no-aa.regex --attention shortcut --lengths 0..5 --exact
says 0 'place says which compiler' 'compiler     automaton-solvable: on demand' place "$dir/bad.regex"
says 0 'show does' 'compiled by claim automaton-solvable' show "$dir/bad.regex"
says 0 'at constant depth' 'compiled by claim automaton-solvable' compile "$dir/bad.regex" --set N=1000 --attention solvable -o "$dir/solvable.st"
holds 'two layers for a thousand letters' grep -q ': 2 attention layers, 1 head' "$dir/.out"
gives 0 'which count modulo 2' yes run "$dir/solvable.st" abbab
printf 'letter a: 2 3 1; letter b: 2 1 3; letter c: 2 2 2; accept 1\n' >"$dir/s3.dfa"
says 0 'S3 and a reset, checked so' 'exact, 1093 inputs    f64  N=0..6 attention=solvable' check "$dir/s3.dfa" --attention solvable --lengths 0..6 --exact
printf 'letter a: 2 3 4 5 1; letter b: 2 3 1 4 5; accept 1\n' >"$dir/a5.dfa"
refuses 2 'A5 is outside' 'its group, of order 60, is not solvable' compile "$dir/a5.dfa" --set N=8 --attention solvable -o "$dir/none.st"
says 0 'place says so' 'solvable     no' place "$dir/a5.dfa"
holds 'and what serves it' grep -q 'compiler     automaton-shortcut: on demand' "$dir/.out"
refuses 2 'neither permutations nor resets' 'neither permutes the 3 states' compile --regex '(ab)*' --set N=8 --attention solvable -o "$dir/none.st"
says 0 'with positions' 'compiler     fo-mod:' place '(aa)*'
printf 'alphabet a b\n(aa)*\n' >"$dir/aa.regex"
says 0 'even numbers of letters: positions modulo 2' 'compiled by claim fo-mod' compile "$dir/aa.regex" --set N=8 -o "$dir/aa.st"
gives 0 'which it counts' yes run "$dir/aa.st" aaaa
gives 0 'and rejects' no run "$dir/aa.st" aaa
says 0 'right on every word' 'f64  N=0..6 attention=rightmost-hard' check "$dir/aa.regex" --lengths 0..6 --exact
# A # that is a letter, a backslash before a comment, a mark of the byte order.
printf 'alphabet a \\#\n(a\\#)* # pairs\n' >"$dir/sign.regex"
says 0 'the letter #, in the alphabet, too' '(a#)*: N=4' compile "$dir/sign.regex" --set N=4 -o "$dir/sign.st"
gives 0 'which is read' yes run "$dir/sign.st" 'a#a#'
printf 'a*\\\\# and so on\n' >"$dir/sign.regex"
says 0 'the letter \, then a comment' 'a*\\: N=4' compile "$dir/sign.regex" --set N=4 -o "$dir/sign.st"
gives 0 'which is no part of it' yes run "$dir/sign.st" 'aa\'
printf '\357\273\277alphabet a b\r\n(ab)*\r\n' >"$dir/sign.regex"
says 0 'as other systems save it' '(ab)*: N=4' compile "$dir/sign.regex" --set N=4 -o "$dir/sign.st"
printf '\357\273\277alphabet a b\r\naccept end\r\nO a\r\n' >"$dir/sign.ltl"
says 0 'a formula, too' 'O a (reflexive' compile "$dir/sign.ltl" --set N=4 -o "$dir/sign.st"
printf '\357\273\277x = indices;\n' >"$dir/sign.rasp"
says 0 'and a program' 'output=x' compile "$dir/sign.rasp" --set N=4 -o "$dir/sign.st"
bad 'an open bracket, by line and column' 'bad.regex:3:2: ( without )' 'alphabet a b\n# one\na(b\n'
bad 'a letter that is none' "bad.regex:2:2: 'c' is not in the alphabet: a b" 'alphabet a b\nac\n'
bad 'two alphabets' 'bad.regex:2:9: a second alphabet' 'alphabet a b\nalphabet a\na\n'
bad 'a length that is none' 'bad.regex:1:7: a length is written 0..N' 'length x\na\n'
bad 'nothing' 'an expression is missing' 'alphabet a b\n'
bad 'no text' 'a zero byte' 'a\0b'
says 0 'an automaton becomes a model' 'an automaton of 3 states' compile examples/ends-ab.dfa --set N=12 -o "$dir/d.st"
gives 0 'which runs' yes run "$dir/d.st" abab
says 0 'and is right on every word' '1 of 1 claims hold' check "$dir/d.st" --problem examples/ends-ab.dfa --lengths 0..8
printf 'letter a: 2 2 2; letter b: 1 3 1; accept 3\n' >"$dir/gap.dfa"
says 0 'the same as lists of images' '1 of 1 claims hold' check "$dir/d.st" --problem "$dir/gap.dfa" --lengths 0..8
printf 'start 0\naccept 0\n0 a 1\n1 b 0\nsink implicit # the rest\n' >"$dir/abs.dfa"
says 0 'a sink that is not said' '2 attention layers' compile "$dir/abs.dfa" --set N=8 -o "$dir/abs.st"
gives 0 'accepts' yes run "$dir/abs.st" abab
gives 0 'and rejects' no run "$dir/abs.st" abb

bad() # $1 name, $2 what it says, $3 the file
{
    printf '%b' "$3" >"$dir/bad.dfa"
    refuses 2 "$1" "$2" compile "$dir/bad.dfa" --set N=8 -o "$dir/none.st"
}
bad 'a missing transition' "bad.dfa:3:1: state '0' has no transition for 'b'; add it, or the line sink implicit" 'start 0\naccept 0\n0 a 1\n1 b 0\n1 a 1\n'
bad 'a double one' "bad.dfa:4:1: state '0' has two transitions for 'a'" 'start 0\naccept 0\n0 a 0\n0 a 0\n'
bad 'no start' 'no state starts' 'accept 0\n0 a 0\n'
bad 'no accept' 'no line accept' 'start 0\n0 a 0\n'
bad 'a start of nowhere' "bad.dfa:1:7: the state '1' has no transitions" 'start 1\naccept 0\n0 a 0\n'
bad 'an accept of nowhere' "bad.dfa:2:8: the state '1' has no transitions" 'start 0\naccept 1\n0 a 0\n'
bad 'a letter that is none' "bad.dfa:2:3: the letter 'c' is not in the alphabet" 'alphabet a b\n0 c 0\n'
bad 'half a transition' 'bad.dfa:1:1: a transition is written from letter to' '0 a\n'
bad 'a list of another length' 'bad.dfa:2:11: 1 images; the automaton has 2 states' 'letter a: 1 2\nletter b: 1\n'
bad 'nothing' 'no transitions' '# nothing\n'
bad 'parity: the witness' 'the powers of a repeat with period 2' 'start 0\naccept 0\n0 a 1\n1 a 0\n0 b 0\n1 b 1\n'

says 0 'an expression on the command line' '(ab)*: N=16, L = 16' compile --regex '(ab)*' --set N=16 -o "$dir/ab.st"
gives 0 'accepts' yes run "$dir/ab.st" ababab
gives 0 'and rejects' no run "$dir/ab.st" aba
says 0 'with its alphabet' 'compiled by claim fo,' compile --regex '~(.*aa.*)' --alphabet 'a b' --set N=8 -o "$dir/no.st"
gives 0 'of letters that do not occur' yes run "$dir/no.st" abbab
says 0 'its model is asked about the file of the same language' '1 of 1 claims hold' check "$dir/ab.st" --problem "$dir/abs.dfa" --lengths 0..8
refuses 2 'a fault by its character' 'regular expression, character 2: ( without )' compile --regex 'a(b' --set N=8 -o "$dir/none.st"
refuses 2 'a+b of textbooks' 'character 2: + with something behind it' compile --regex 'a+b' --textbook --set N=8 -o "$dir/none.st"
says 0 'which means something else here' 'a+b: N=8' compile --regex 'a+b' --set N=8 -o "$dir/plus.st"
says 0 'where + is one or more it may stand' 'a+|b+' place '(a+)|b+' --textbook
refuses 2 'place: a+b of textbooks' 'character 2: + with something behind it' place 'a+b' --textbook
refuses 2 'a file and an expression' 'one of both is compiled' compile examples/no-aa.regex --regex a -o "$dir/none.st"
refuses 2 'two alphabets, one of them beside the file' 'a line alphabet, and another alphabet beside it' compile examples/no-aa.regex --alphabet 'a b' -o "$dir/none.st"
refuses 2 'nothing to compile' 'a file is missing' compile -o "$dir/none.st"

says 0 'a model and a language: equal on words of all lengths' 'equal      on words of all lengths' equal "$dir/ab.st" --regex '(ab)*'
holds 'by automata' grep -q "the model's has 3 states, the expression's 3" "$dir/.out"
says 0 'the same language in other words' 'equal ' equal "$dir/ab.st" --regex 'a(ba)*b|()'
says 1 'another language: a shortest word' 'on which they differ: abab' equal "$dir/ab.st" --regex '(ab)?'
holds 'on which it is run again' grep -qx '  model      yes, run again' "$dir/.out"
says 1 'a word that is longer than its own' 'longer than the words that its file takes' equal "$dir/ab.st" --regex '(ab){0,10}'
says 1 'as JSON' '"equal": false' equal "$dir/ab.st" --regex '(ab)*a?' --json
says 0 'what a text compiles to' 'equal ' equal examples/depth-3.regex --regex '(a(a(ab)*b)*b)*' --set N=4
says 0 'positions that repeat' 'its positions repeat every 2' equal "$dir/aa.st" --regex '(aa)*'
refuses 2 'softmax that looks up' 'softmax attention mixes keys' equal "$dir/short.st" --regex '(b*ab*a)*b*'
refuses 2 'letters that it does not have' "'c' is not in the alphabet: a b" equal "$dir/ab.st" --regex 'c'
refuses 2 'two models and a language' '--regex is compared with one model' equal "$dir/ab.st" "$dir/ab.st" --regex 'a'

# Every example of a language of words is right on every short word.
for file in examples/*.regex examples/*.dfa examples/*.jff examples/*.dot examples/*.gv; do
    says 0 "$file" '1 of 1 claims hold' check "$file" --lengths 0..6 --exact
done
holds 'four of each at least' [ "$(ls examples/*.regex | wc -l)" -ge 4 -a "$(ls examples/*.dfa | wc -l)" -ge 4 ]
says 0 'an automaton of JFLAP' 'an automaton of 5 states' compile examples/starts-and-ends.jff --set N=8 -o "$dir/j.st"
gives 0 'which runs' yes run "$dir/j.st" abba
gives 0 'and rejects' no run "$dir/j.st" abb
says 0 'an automaton of Graphviz' 'an automaton of 2 states' compile examples/response.dot --set N=8 -o "$dir/g.st"
gives 0 'its letters are words' yes run "$dir/g.st" request idle reply
gives 0 'which it reads' no run "$dir/g.st" reply request idle
says 0 'an automaton of MONA' 'an automaton of 3 states' compile examples/answered.gv --set N=8 -o "$dir/mona.st"
gives 0 'a letter a track' yes run "$dir/mona.st" request idle answer
gives 0 'is read' no run "$dir/mona.st" answer request idle
sed '/alphabet/d' examples/answered.gv >"$dir/tracks.gv"
says 0 'without letters: columns' 'alphabet     000 001 010 011 100 101 110 111' place "$dir/tracks.gv"
says 0 'letters on the command line' 'alphabet     a b c' place "$dir/tracks.gv" --alphabet 'a b c'
printf 'DFA for formula with free variables: A \nInitial state: 0\nAccepting states: 2 \nTransitions:\nState 0: X -> state 1\nState 1: 0 -> state 1\nState 1: 1 -> state 2\nState 2: X -> state 2\n' >"$dir/lines.txt"
says 0 'the lines that it prints, by how they begin' 'star-free: FO[<]' place "$dir/lines.txt"
holds 'of one track' grep -qx 'alphabet     0 1' "$dir/.out"
cp examples/response.dot "$dir/response.gv"
says 0 'by its other suffix' '1 of 1 claims hold' check "$dir/response.gv" --lengths 0..4 --exact
cp examples/starts-and-ends.jff "$dir/plain"
says 0 'by how it begins' '1 of 1 claims hold' check "$dir/j.st" --problem "$dir/plain" --lengths 0..4
printf '<structure><type>fa</type><state id="0"><initial/></state><state id="1"/>\n<transition><from>0</from><to>1</to><read>a</read></transition></structure>' >"$dir/bad.jff"
refuses 2 'a missing transition of JFLAP' "bad.jff:1:70: state '1' has no transition for 'a'; add it, or the comment <!-- sink implicit -->" compile "$dir/bad.jff" --set N=8 -o "$dir/none.st"
printf 'digraph { i -> 1;\n 1 -> 1 [label="a"]\n 1 -> 1 [label="true"] }' >"$dir/bad.dot"
refuses 2 'a double one of Graphviz' "bad.dot:3:2: state '1' has two transitions for 'a'" compile "$dir/bad.dot" --set N=8 -o "$dir/none.st"
holds 'nothing was written' [ ! -e "$dir/none.st" ]
refuses 2 'a letter of no word' 'position 2: "c" is not a word of field letter' run "$dir/m.st" acb
says 0 'claims about languages stand together' '2 of 2 claims hold' check $([ -n "$sanitized" ] && echo fo-mod || echo fo-extract) automaton-shortcut
holds 'under one heading' [ "$(grep -c '^Languages$' "$dir/.out")" = 1 ]
finish
