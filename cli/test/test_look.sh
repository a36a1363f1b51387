# test_look.sh: `look` in the terminal and as files.
. cli/test/lib.sh

says 0 'look ID: its own input' 'rows: queries  columns: keys' look match2
fits 'the sketch fits 80 columns' look match2
harmless 'no colour into a pipe'
says 0 'look ID INPUT' 'input    3  14   5' look match2 3 14 5
says 0 'look ID --set' 'input    3   4' look match2 3 4 --set M=7
call build match2 --set N=8,M=17 -o "$dir/m.st"
says 0 'look MODEL INPUT' 'output   1   1   0' look "$dir/m.st" 3 14 5
for id in $("$attest" list claims --json | grep -o '"id": "[^"]*"' | cut -d'"' -f4); do
    if "$attest" look "$id" 2>&1 | grep -q 'no model of its own'; then
        refuses 2 "look $id: a trial has no model" 'it has no model of its own' look "$id"
    else
        fits "look $id" look "$id"
    fi
done
for kind in png svg pdf; do
    says 0 "look -o .$kind" '1 head, 4 positions' look "$dir/m.st" 3 14 5 -o "$dir/p.$kind"
done
holds 'a PNG' sh -c "head -c 4 '$dir/p.png' | grep -q PNG"
holds 'an SVG' grep -q '<svg' "$dir/p.svg"
holds 'a PDF' sh -c "head -c 4 '$dir/p.pdf' | grep -q %PDF"
says 0 'look: a claim without attention says so' 'no attention: every position is answered for itself' look lemma-a1
says 0 'look: no heads, a picture all the same' '0 heads, 3 positions' look lemma-a1 -o "$dir/none.svg"
says 0 'look: balls' 'output' look match2 --precision ball

refuses 2 'look: unknown picture' '.gif' look match2 -o "$dir/p.gif"
says 0 'look: no input is one of the problem it was made for' 'layer 1 head 1' look "$dir/m.st"
call compile examples/pairs.program -o "$dir/alone.st"
refuses 2 'look: no input' 'an input is missing' look "$dir/alone.st"
refuses 2 'look: bad input' 'token 99 out of range 0..16' look "$dir/m.st" 99
refuses 2 'look: --set with a file' '--set is for claims' look "$dir/m.st" 3 --set N=3
refuses 2 'look: a missing directory' 'No such file or directory' look match2 -o "$dir/no/p.svg"
call build match2 --set N=4096,M=2 -o "$dir/long.st"
refuses 2 'look: too long' 'at most 4096 can be looked at' look "$dir/long.st" "$(yes 1 | head -4096 | tr '\n' ' ')"
# A short prompt, but 65 * 64 rows after it: what is written is looked at too.
refuses 2 'look: a chain that is too long' 'more than 4096 positions with what it writes' \
    look dp-standard "$(yes 1 | head -129 | tr '\n' ' ')|" --set a=65,b=64

# ---- with a problem: what is right stands beside what comes out, and what differs is marked
call compile examples/lis.dp --set n=3,top=4 -o "$dir/lis.st"
call compile arithmetic --set p=5,operators=2 -o "$dir/ar.st"
says 0 'look --problem: an input is drawn' 'match2 N=6 M=17, in f64, an input drawn with --seed 1' look "$dir/m.st" --problem match2 --set M=17
holds 'what is right' grep -q '^right  ' "$dir/.out"
holds 'nothing is marked' sh -c "! grep -q '\\^' '$dir/.out' && grep -q 'right at 6 of 6 positions' '$dir/.out'"
typed=$(sed -n 's/^input   //p' "$dir/.out" | head -1)
says 0 'the input can be typed again' 'right at 6 of 6 positions' look "$dir/m.st" "$typed" --problem match2 --set M=17
cp "$dir/.out" "$dir/first"
says 0 'another seed' 'drawn with --seed 2' look "$dir/m.st" --problem match2 --set M=17 --seed 2
holds 'another input' sh -c "! grep -qF '$typed' '$dir/.out'"
fits 'it fits 80 columns'
says 1 'a wrong model is marked' 'right at 1 of 3 positions' look "$dir/m.st" 3 14 5 --problem match3 --set M=17
holds 'where it is wrong' grep -q '^wrong    ^   ^' "$dir/.out"
says 1 'a wrong model, as a picture' 'match3 N=3 M=17: right at 1 of 3 positions' look "$dir/m.st" 3 14 5 --problem match3 --set M=17 -o "$dir/w.svg"
holds 'the picture says so' grep -q 'right at 1 of 3 positions' "$dir/w.svg"
says 0 'a claim beside its problem' 'right at' look match2 --problem match2 --set M=7
says 0 'as --task' 'right at' look "$dir/m.st" 1 16 --task match2 --set M=17
says 0 'one position' 'right at 1 of 1 position' look compose-two --problem compose
says 0 'reals' 'right at 1 of 1 position' look lemma-a1 --problem product --tolerance 0.1
says 1 'reals, off' 'right at 0 of 1 position' look lemma-a1 --problem product --tolerance 1e-9
says 0 'a recurrence' 'all 10 rows are right' look "$dir/lis.st" --problem lis --set n=3,top=4
says 0 'a recurrence of a file, my prompt' '0/0,0/0/2                   0/0,0/0/2' look "$dir/lis.st" '2 1 3 |' --problem examples/lis.dp --set n=3,top=4
says 1 'at too few bits' '<- differs' look "$dir/lis.st" '2 2 4 |' --problem lis --set n=3,top=4 --precision p3
holds 'where the chain leaves the reference' grep -q '1 of 10 rows are right, the first that is not is row 2' "$dir/.out"
says 0 'tokens' 'written  3 - 1 = 2 <eos>' look "$dir/ar.st" '3 - 0 - 1 =' --problem arithmetic --set p=5,operators=2
printf '0\t1\n1 16\t1 1\n' >"$dir/good.tsv"
printf '1 16\t1 0\n' >"$dir/bad.tsv"
says 0 'cases' 'right at' look "$dir/m.st" --problem "$dir/good.tsv"
says 1 'a case that the model misses' 'right at 1 of 2 positions' look "$dir/m.st" --problem "$dir/bad.tsv"
refuses 2 'look: a case that is none' 'this is no input of task' look "$dir/m.st" 2 2 --problem "$dir/good.tsv"
refuses 2 'look: a problem for decoders' "'lis' is for decoders, and the model is none" look "$dir/m.st" --problem lis
refuses 2 'look: other rows' 'a position of qsa has 4 numbers, the model takes 1' look "$dir/m.st" --problem qsa
refuses 2 'look: no prompt' 'integer 9 out of range' look "$dir/lis.st" '3 1 9 |' --problem lis --set n=3,top=4
refuses 2 'look: an input that the problem refuses' 'division by zero' look "$dir/ar.st" '3 / 0 =' --problem arithmetic --set p=5,operators=2
refuses 2 'look: another length' '2 positions; task match2 has 3' look "$dir/m.st" 1 2 --problem match2 --set M=17,N=3
refuses 2 'look: reals without a tolerance' 'how far off may they be' look lemma-a1 --problem product
refuses 2 'look: balls judge nothing' 'a problem is asked in f32, f64 or p bits' look match2 --problem match2 --precision ball
refuses 2 'look: no such parameter' "unknown parameter 'Q'" look "$dir/m.st" --problem match2 --set Q=1
refuses 2 'look: no such problem' "did you mean 'match2'" look "$dir/m.st" --problem mtch2
refuses 2 'look: a faulty file' 'none.dp' look "$dir/m.st" --problem "$dir/none.dp"

# ---- heads by the names of the program -------------------------------------------------------------------------------
# FILE SET INPUT NAME: the head of this name in a picture, in JSON and in the terminal.
names() {
    call compile "examples/$1" --set "$2" -o "$dir/named.st"
    says 0 "$1: a head is called '$4'" "head 1 · $4 · " look "$dir/named.st" "$3"
    says 0 "$1: a picture" ' head' look "$dir/named.st" "$3" -o "$dir/named.svg"
    holds "$1: so it is in a picture" grep -qF " head 1 · $4 · " "$dir/named.svg"
    says 0 "$1: and in JSON" "\"name\": \"$4\"" look "$dir/named.st" "$3" --json
    says 0 "$1: show" "for $4" show "$dir/named.st"
}
names since.ltl N=8 abab '!b S a'
names dyck-2.brasp N=8 '()' Next1
names hist.rasp N=6 abba hist
names lis.dp n=3,top=4 '2 1 3 |' x
says 0 'a claim' 'layer 1 head 1 · paired · softmax · no mask' look match2
call compile --ltl 'O (a & Y (a & Y (a & Y (a & Y (a & Y b)))))' --alphabet 'a b' --set N=8 -o "$dir/long.st"
says 0 'a long name is shortened' 'head 1 · O (a & Y (a & Y (a & Y (a & Y (a & Y… · ' look "$dir/long.st" ab
says 0 'in JSON less' '"name": "O (a & Y (a & Y (a & Y (a & Y (a & Y b)))))"' look "$dir/long.st" ab --json
call compile --regex '(ab)*' --set N=8 -o "$dir/ab.st"
says 0 'JSON: weights' '"weights": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]' look "$dir/ab.st" ab --json
refuses 2 'JSON or a picture' '--json and -o' look match2 --json -o "$dir/both.svg"
call build match2 --set N=4,M=7,c=0.02 -o "$dir/weak.st"
says 1 'a counterexample names the head' 'attention  layer 1 head 1 (paired), row' check "$dir/weak.st" --problem match2 --set M=7 -v
finish
