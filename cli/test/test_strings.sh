# test_strings.sh: strings are typed as they are written, for every kind of model: abba, '' for the empty one, letters that are words with
# blanks between them, and with - one string a line and one answer a line.
. cli/test/lib.sh

answers() # $1 name, $2... the model's strings and answers: "string=answer"
{
    local name=$1 typed='' wanted='' pair
    shift
    for pair in "$@"; do
        gives 0 "$name: '${pair%%=*}'" "${pair#*=}" run "$dir/m.st" "${pair%%=*}"
        typed+=${pair%%=*}$'\n'
        wanted+=${pair#*=}$'\n'
    done
    input=$typed
    gives 0 "$name: one a line" "${wanted%$'\n'}" run "$dir/m.st" -
    gives 0 "$name: without a dash, too" "${wanted%$'\n'}" run "$dir/m.st"
    unset input
}
model() # $1... arguments of compile
{
    "$attest" compile "$@" --set N=8 -o "$dir/m.st" >/dev/null
}

model examples/no-aa.regex && answers '.regex' abba=no ab=yes =yes 'a b=yes' aa=no
model examples/ends-ab.dfa && answers '.dfa' abab=yes =no 'b a=no'
model examples/starts-and-ends.jff && answers '.jff' abba=yes abb=no
model examples/response.dot && answers '.dot' 'request reply=yes' =yes 'reply request=no' request=no
model examples/answer.ltl && answers '.ltl' 'request idle answer=yes' 'request idle=no' answer=yes
model examples/ends-alike.brasp && answers '.brasp' abba=yes ab=no a=yes
model examples/dyck-1.crasp && answers '.crasp' '(())=yes' =yes ')(=no' '( )=yes'
model examples/longer-run.cr && answers '.cr' "$(printf 'aab=%s' "$("$attest" run "$dir/m.st" a a b)")"
model examples/parity.foc && answers '.foc' 1011=no =yes 11=yes '1 1=yes'
model examples/equal-abc.sscm && answers '.sscm' abc=yes =yes cab=yes ab=no
model examples/reverse.rasp && answers '.rasp, letters' 'abac=c a b a' a=a 'a b=b a'
model examples/hist.rasp && answers '.rasp, numbers' 'abac=2 1 2 1' a=1
model examples/dyck1.rasp && answers '.rasp, strings' '(()=P P P' '())=P T F'
built() # $1 claim, $2 its sizes: recognisers of claims say yes and no, too
{
    "$attest" build "$1" --set "$2" -o "$dir/m.st" >/dev/null
}
built majority N=8 && answers 'majority' 110=yes 10=no =no
built parity N=8,form=norm && answers 'parity' 110=no 1=yes =no
built parity-tree N=8 && answers 'parity-tree' 111=yes =no
built dyck N=8,k=2 && answers 'dyck' '([])=yes' '([)]=no' =yes
built shuffle-dyck N=8,k=2 && answers 'shuffle-dyck' '([)]=yes' '(=no' =yes
model --regex 'ä*b' && answers 'letters of several bytes' ääb=yes bä=no 'ä b=yes'
model --ltl 'accept end; Z H (aa | b)' --alphabet 'aa b c'
answers 'letters of several characters' 'aa b=yes' 'c b=no' =yes
refuses 2 'which blanks part' '"aab" is not a word of field letter: aa b c' run "$dir/m.st" aab
model examples/dyck-1.crasp
refuses 2 'a letter that is none' 'position 2: "x" is not a word of field letter: ( )' run "$dir/m.st" '(x)'
model examples/answer.ltl
refuses 2 'a word that is none, with the nearest' "position 1: \"anwser\" is not a word of field letter: request answer idle; did you mean 'answer'?" run "$dir/m.st" anwser
refuses 2 'no verdict for the empty word' 'length 0 out of range 1..8' run "$dir/m.st" ''
model examples/no-aa.regex
partial=1 input=$'ab\nax\nab\n'
refuses 2 'a bad line ends it, those before it stand' 'line 2: position 2: "x"' run "$dir/m.st" -
holds 'its answers' [ "$(cat "$dir/.out")" = yes ]
unset partial input

# Decoders: what a chain ends with.
"$attest" compile examples/increment.tm --set N=8,T=40 -o "$dir/t.st" >/dev/null
gives 0 'a tape' 1100 generate "$dir/t.st" 1011 --answer
gives 0 'of the empty word' 1 generate "$dir/t.st" '' --answer
gives 0 'with blanks' 1100 generate "$dir/t.st" 1 0 1 1 --answer
input=$'1011\n\n111\n'
gives 0 'a prompt a line, an answer a line' $'1100\n1\n1000' generate "$dir/t.st" - --answer
says 0 'as JSON' '"answer": "1000"' generate "$dir/t.st" - --answer --json
holds 'an object a line' [ "$(wc -l <"$dir/.out")" = 3 ]
partial=1 input=$'1011\n12\n111\n'
refuses 2 'a bad line ends it' 'line 2: position 2: "2" is not a word' generate "$dir/t.st" - --answer
holds 'what was before it stands' [ "$(cat "$dir/.out")" = 1100 ]
unset partial input
holds 'run takes what generate takes' [ "$("$attest" run "$dir/t.st" 1011 | wc -w)" = "$("$attest" run "$dir/t.st" 1 0 1 1 '<start>' | wc -w)" ]
"$attest" compile examples/palindrome.tm --set N=6,T=100 -o "$dir/p.st" >/dev/null
input=$'abba\n\nab\n'
gives 0 'a verdict' $'yes\nyes\nno' generate "$dir/p.st" - --answer
unset input
printf 'start q\nq 0 1 r q\nq 1 0 r q\nq _ 1 r q\n' >"$dir/on.tm"
"$attest" compile "$dir/on.tm" --set N=4,T=3 -o "$dir/on.st" >/dev/null
input=$'01\n1\n'
call generate "$dir/on.st" - --answer
[ "$code" -eq 3 ] && [ "$(cat "$dir/.out")" = $'10111\n01111' ] && [ "$(grep -c 'line [12]: no stop after 5 steps' "$dir/.err")" = 2 ]
verdict $? 'what does not stop, line by line: the tapes so far'
unset input
"$attest" compile arithmetic --set p=5,operators=2 -o "$dir/ar.st" >/dev/null
input=$'1+2=\n(1+2)*2=\n'
gives 0 'expressions' $'3\n1' generate "$dir/ar.st" - --answer
unset input
"$attest" build automaton-cot --set language=a5,N=8 -o "$dir/cot.st" >/dev/null
gives 0 'a chain of states' yes generate "$dir/cot.st" abb --answer
finish
