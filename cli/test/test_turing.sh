# test_turing.sh: Turing machines as files: compiled, asked as they are typed, checked on every input, shown, refused.
. cli/test/lib.sh

says 0 'a machine becomes a decoder' '3 attention layers, 1 head' compile examples/increment.tm --set N=6,T=24 -o "$dir/m.st"
gives 0 'its run, a token a step' '1/R/right 0/R/right 1/R/right 1/R/right _/L/carry 0/L/carry 0/L/carry 1/L/done halt <end>
least margin 1' generate "$dir/m.st" 1011
gives 0 'the tape alone' 1100 generate "$dir/m.st" 1011 --answer
gives 0 'with blanks, and <start>' 1100 generate "$dir/m.st" 1 0 1 1 '<start>' --answer
gives 0 'of the empty input' 1 generate "$dir/m.st" '' --answer
says 0 'for machines' '"answer": "1100"' generate "$dir/m.st" 1011 --answer --json
says 0 'beside the reference' "every row is the interpreter's" generate "$dir/m.st" 1011 --beside examples/increment.tm --set N=6,T=24
says 0 'right on every input' 'exact, 127 inputs' check "$dir/m.st" --problem examples/increment.tm --set N=6,T=24
says 0 'a look at a run' 'layer 3 head 1' look "$dir/m.st" 11 --problem examples/increment.tm --set N=6,T=24
refuses 2 'a letter that is none' 'position 2: "2" is not a word of field token' generate "$dir/m.st" 12
refuses 2 'an input that is too long' 'prompt of length 8 out of range 1..7' generate "$dir/m.st" 1111111

for f in bb3 bb4 increment palindrome copy multiply add-one counter; do
    says 0 "$f: the file alone, compiled and asked" '1 of 1 claims hold' check "examples/$f.tm" --exact
done
says 0 'a universal machine' '1 of 1 claims hold' check examples/universal.tm --set N=4,T=300 --exact
says 0 'lengths of inputs' 'exact, 57 inputs' check examples/increment.tm --lengths 0..4 --exact
says 0 'positions 1/i' 'N=8 T=60 form=rational' check examples/palindrome.tm --set form=rational --exact
says 0 'no positions' 'N=8 T=60 form=none' check examples/palindrome.tm --set form=none --exact
says 0 'four states, 13 ones' '' compile examples/bb4.tm -o "$dir/bb4.st"
gives 0 'on its tape' 10111111111111 generate "$dir/bb4.st" '' --answer
says 0 'compiled' '' compile examples/palindrome.tm -o "$dir/p.st"
gives 0 'a verdict' yes generate "$dir/p.st" abba --answer
gives 0 'another' no generate "$dir/p.st" abab --answer
says 0 'a program on the tape of a universal machine' '' compile examples/universal.tm --set N=8,T=400 -o "$dir/u.st"
gives 0 'runs' P01pdxxxx generate "$dir/u.st" p01pd11 --answer
says 0 'a budget that is too short' '' compile examples/bb4.tm --set T=20 -o "$dir/short.st"
partial=1
refuses 3 'past its budget a line says why' 'no stop after 22 steps' generate "$dir/short.st" '' --answer
holds 'the tape so far is kept' grep -qx 111011 "$dir/.out"
refuses 3 'and the run' 'no stop after 22 steps' generate "$dir/short.st" ''
unset partial
refuses 3 'nothing is asked about such inputs' 'the machine stops on none within 20 steps' generate "$dir/short.st" '' --beside examples/bb4.tm --set T=20

says 0 'rows to learn' '<sep> _/L/carry 1/L/done <sep> halt <eos>' data examples/increment.tm --set N=4,T=16 --count 20
says 0 'a net that learns them' '' train examples/increment.tm --set N=8,T=24 --width 16 --steps 20 -o "$dir/net.st"
says 1 'is asked about rows, not about chains' 'prompt     <sep>' check "$dir/net.st" --problem examples/increment.tm --set N=8,T=24
says 0 'how few bits will do' 'the least that holds: p10' least examples/increment.tm --set N=4,T=16 --vary p --range 9..11

says 0 'a machine in the first form' 'carry 0 1 L done' show examples/add-one.tm
"$attest" show examples/add-one.tm --exact >"$dir/again.tm"
"$attest" show "$dir/again.tm" --exact >"$dir/twice.tm"
holds 'printed, read and printed again' cmp "$dir/again.tm" "$dir/twice.tm"
refuses 2 'a machine with other words than the model' "is '0' in the model, and '1'" check "$dir/m.st" --problem "$dir/again.tm" --set N=6,T=24
"$attest" show examples/increment.tm --exact >"$dir/same.tm"
says 0 'the machine that was printed' 'exact, 127 inputs' check "$dir/m.st" --problem "$dir/same.tm" --set N=6,T=24
refuses 2 'is refused' "--attention 'linear': there is one kind, standard" compile examples/bb4.tm --attention linear -o "$dir/none.st"
refuses 2 'a run that is too long for its form' 'leaves nothing of the gap' compile examples/bb4.tm --set T=5000,form=rational -o "$dir/none.st"

bad() # $1 name, $2 what it says, $3 the file
{
    printf '%b' "$3" >"$dir/bad.tm"
    refuses 2 "$1" "$2" compile "$dir/bad.tm" -o "$dir/none.st"
}
bad 'no start' 'no state starts; add a line as in start q' 'q a b r q\n'
bad 'a double transition' "bad.tm:3:1: state 'q' has two transitions for 'a'; the other one is in line 2" 'start q\nq a b r q\nq a a l q\n'
bad 'a state that is none, and the nearest' "bad.tm:2:13: the state 'cary' has no transitions, and no line accept, reject or halt names it; did you mean 'carry'?" 'start carry\ncarry a b r cary\n'
bad 'a move that is none' "bad.tm:2:7: 'x' is no move" 'start q\nq a b x q\n'
bad 'nothing' 'no transitions' '# nothing\n'
bad 'no text' 'a zero byte' 'q a\0b'
bad 'YAML with a fault' 'bad.tm:3:8: expected : after what is read' 'table:\n  q:\n    1 R\n'
holds 'nothing was written' [ ! -e "$dir/none.st" ]
finish
