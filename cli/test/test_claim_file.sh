# test_claim_file.sh: a claim without C: checked, shown, built, kept, reported; and the files of strangers.
. cli/test/lib.sh

pairs=examples/pairs.claim
says 0 'check: the example holds' '1 of 1 claims hold, 3 of 3 controls rejected' check $pairs -v
holds 'every sequence' grep -q 'exact, 2824 inputs' "$dir/.out"
holds 'as many samples as it says' grep -q 'sampled, 1000 inputs' "$dir/.out"
holds 'a changed line is a control' grep -q 'control refuted.*variant=control-1' "$dir/.out"
says 0 'check: beside one of the catalogue' '2 of 2 claims hold' check $pairs match3-bigram
says 0 'check: at another size' 'N=3 M=5 c=1' check $pairs --set N=3,M=5 -v
says 0 'check: JSON' '"claim": "pairs"' check $pairs --json
says 0 'show: statement, program, questions' 'paired = attend softmax' show $pairs
holds 'show: the control' grep -q 'control-1: "key (cos, -sin,' "$dir/.out"
says 0 'show --exact' 'scale 433.6' show $pairs --exact
says 0 'build' 'pairs N=6 M=17 c=1' build $pairs --set M=17 -o "$dir/m.st"
gives 0 'run it' '1 1 1 1 1 0' run "$dir/m.st" 3 14 5 14 12 1

# The ledger keeps it, by the hash of the file; the report shows it, also without the file.
cp $pairs "$dir/mine.claim"
call check "$dir/mine.claim" --db "$dir/l.db" -o "$dir/r.html"
holds 'a verdict in the ledger' grep -q 'ledger ' "$dir/.out"
says 0 'it is served from there' '(from the ledger)' check "$dir/mine.claim" --db "$dir/l.db" -v
echo '# another file' >>"$dir/mine.claim"
call check "$dir/mine.claim" --db "$dir/l.db"
holds 'but not for another file' sh -c "! grep -q 'from the ledger' '$dir/.out'"
holds 'the report has it' grep -q 'Claims from files' "$dir/r.html"
says 0 'and so has a report of the ledger' 'report ' report --db "$dir/l.db" -o "$dir/r2.html"
holds 'with its text' grep -q 'control replace' "$dir/r2.html"

# A program in a file of its own, and a model, found from where the claim is.
mkdir "$dir/sub"
cp examples/pairs.program "$dir/sub/p.program"
printf '%s\n' 'claim from-file "A program beside it"' 'problem match2 N=4 M=7' 'program p.program' 'check exact multisets' \
    'control c=0.01' >"$dir/sub/f.claim"
says 0 'program FILE' '1 of 1 claims hold' check "$dir/sub/f.claim"
call build "$dir/sub/f.claim" -o "$dir/sub/good.st"
call build "$dir/sub/f.claim" --set c=0.01 -o "$dir/sub/bad.st"
printf '%s\n' 'claim of-model "A model beside it"' 'problem match2 N=4 M=7' 'model good.st' 'check exact multisets f32' \
    'check sampled 50 p20 N=3' 'control model bad.st' 'control arith=p3' >"$dir/sub/m.claim"
says 0 'model FILE' '1 of 1 claims hold, 2 of 2 controls rejected' check "$dir/sub/m.claim"
says 0 'show a claim of a model' '1 attention layer, 1 head' show "$dir/sub/m.claim"
refuses 2 'which has no program' '--exact is for programs, and this claim has none' show "$dir/sub/m.claim" --exact

# What does not hold is said, and by what.
sed 's/^control c=0.02/control c=0.9/' $pairs >"$dir/weak.claim"
says 1 'a control that is not rejected' 'control not rejected' check "$dir/weak.claim"
holds 'and which one' grep -q 'BAD.*control.*c=0.9' "$dir/.out"
sed 's/0 below 1\/6, 1 above 1\/3/0 below 3\/5, 1 above 2\/3/' $pairs >"$dir/wrong.claim"
says 1 'a claim that fails' 'BAD' check "$dir/wrong.claim"
holds 'with its counterexample' grep -q 'expected 1, got 0' "$dir/.out"
sed 's/^check exact multisets f64$/check exact sequences f64 N=30/' $pairs >"$dir/large.claim"
says 3 'too large to enumerate' 'undecided' check "$dir/large.claim"

fault() # $1 name, $2 text, $3 sed script on the example
{
    sed "$3" $pairs >"$dir/bad.claim"
    refuses 2 "$1" "bad.claim:$2" check "$dir/bad.claim"
}
fault 'no control' '41:1: control is missing: control says what must make the claim fail' '/^control/d'
fault 'no check' '41:1: check is missing' '/^check/d'
fault 'no problem' '43:1: problem is missing' '/^problem/d'
fault 'no program' '27:1: program, model or compile is missing' '/^program/,/^}/d'
fault 'no closing brace' '16:9: the program has no closing }' '/^}/d'
fault 'unknown problem' "14:9: no problem 'match4'; did you mean 'match" 's/^problem match2/problem match4/'
fault 'unknown parameter' "14:9: unknown parameter 'K'" 's/^problem match2 N=6/problem match2 K=6/'
fault 'a size out of range' '14:9: M=0: must be' 's/^problem match2 N=6 M=11/problem match2 M=0/'
fault 'unknown word' "34:1: unknown word 'chek'; did you mean 'check'?" '0,/^check/s/^check/chek/'
fault 'a second title' '8:1: a second claim' 's/^statement/claim b "B"\nstatement/'
fault 'an id of the catalogue' '7:7: the catalogue has a claim match2; choose another id' 's/^claim pairs/claim match2/'
fault 'an id with a slash' '7:7: expected the id of the claim' 's/^claim pairs/claim a\/b/'
fault 'a title without quotes' '7:13: expected the title in double quotes' 's/^claim.*/claim pairs title/'
fault 'a question of another kind' '34:7: expected exact, sampled or certified' '0,/^check exact/s/^check exact/check proved/'
fault 'how many' '36:15: expected how many inputs' 's/sampled 1000/sampled many/'
fault 'an enumeration that there is not' '34:1: problem match2 has no enumeration of pairs' 's/exact sequences/exact pairs/'
fault 'an arithmetic that there is not' "35:23: 'f65': expected an arithmetic" 's/multisets f64$/multisets f65/'
fault 'what there is of exact questions' "35:23: 'f65': expected an arithmetic (f64, f32, p12, ball, exact), K=V, full, or sequences, multisets, subsets, pairs, cases" 's/multisets f64$/multisets f65/'
fault 'which sampled ones have not' "36:20: 'f33': expected an arithmetic (f64, f32, p12, ball, exact), K=V, full" 's/1000 f32/1000 f33/'
holds 'and are not told of' eval '! grep -q "full, or" "$dir/.err"'
fault 'a size that there is not' "34:1: unknown parameter 'L'" 's/N=1..4 M=2..6/L=1..4/'
fault 'a control of nothing' "39:1: unknown parameter 'k'" 's/^control c=/control k=/'
fault 'a control without a change' '39:9: expected what is changed' 's/^control c=0.02/control everything/'
fault 'a text that is not there' '40:1: "key (tan, -sin, blank)" stands 0 times' 's/replace "key (cos/replace "key (tan/'
fault 'a text that is there twice' '40:1: "cos" stands' 's/replace "key (cos, -sin, blank)"/replace "cos"/'
fault 'a control that is no program' '40:1: the control cannot be built: ' 's/by "key (cos, sin, blank)"/by "key (cos, sine, blank)"/'
fault 'a fault in the program' '26:14: unknown name "cosx"; did you mean "cos"?' 's/^      query (cos/      query (cosx/'
fault 'a tolerance of integers' '15:9: answers of match2 are integers' 's/^problem/tolerance 0.1\nproblem/'
fault 'a file that is not there' '16:9: ' '/^program/,/^}/c program nowhere.program'
fault 'a blank line that goes on' '35:3: a line that begins with a blank continues a statement, a source or a proof, and none stands before it' 's/^check exact multisets f64$/  check exact multisets f64/'
fault 'an escape' '7:14: not a character that can be seen' 's/"One/"\x1b[2JOne/'


# Any problem: a recurrence that is compiled, a decoder of a file, rows, cases, a certificate.
lis=examples/lis-linear.claim
says 0 'a compiled recurrence' '1 of 1 claims hold, 3 of 3 controls rejected' check $lis -v
holds 'on every input' grep -q 'exact, 154 inputs.*attention=linear' "$dir/.out"
holds 'a changed line of it is rejected by a prompt' grep -q 'prompt     1 1 |' "$dir/.out"
says 0 'in another attention' 'attention=standard' check $lis --set attention=standard -v
says 0 'show' 'variant=control-2 it must fail' show $lis
says 0 'build' 'lis-linear n=4 top=3' build $lis --set n=4 -o "$dir/sub/good.st"
says 0 'build a control' 'variant=control-1' build $lis --set n=4,variant=control-1 -o "$dir/sub/bad.st"
call build $lis --set n=4,variant=control-2 -o "$dir/sub/worse.st"
says 0 'least' 'the least that holds' least $lis --vary p --set n=2,top=2 --range 4..9
cp examples/lis.dp "$dir/sub/mine.dp"
decoder() # the lines after the problem's, of $dir/sub/d.claim
{
    { printf 'claim d "A decoder"\nproblem %s\n' "$1"; shift; printf '%s\n' "$@"; } >"$dir/sub/d.claim"
}
decoder 'mine.dp n=4 top=3' 'model good.st' 'check exact f64' 'check sampled 50 f32' 'control model bad.st' \
    'control weight readout.b[3] by 1' 'control replace "if y < x" by "if y <= x"' 'control arith=p3'
says 0 'a decoder of a file' '1 of 1 claims hold, 4 of 4 controls rejected' check "$dir/sub/d.claim"
decoder 'mine.dp n=4 top=3' 'model bad.st' 'check exact' 'control model worse.st'
says 1 'a wrong one is refuted' 'BAD' check "$dir/sub/d.claim" --db "$dir/l.db" -o "$dir/r.html"
holds 'with its counterexample' grep -q 'prompt     1 1 1 1 |' "$dir/.out"
holds 'in the report' grep -q '1 1 1 1' "$dir/r.html"
call check "$dir/sub/d.claim" --db "$dir/l.db" -v
holds 'kept' grep -q 'from the ledger' "$dir/.out"
sed -i 's/if y < x/if y <= x/' "$dir/sub/mine.dp"
says 0 'but a changed problem is asked again' '1 of 1 claims hold' check "$dir/sub/d.claim" --db "$dir/l.db" -v
holds 'all of it' sh -c "! grep -q 'from the ledger' '$dir/.out'"
cp examples/lis.dp "$dir/sub/mine.dp"
decoder 'lis n=4 top=3' 'compile mine.dp --attention sparse' 'check exact' 'control replace "y < x" by "x < y"'
says 0 'compiled from a file, against another' '1 of 1 claims hold' check "$dir/sub/d.claim"
decoder 'arithmetic p=3 operators=2' 'compile --attention standard' 'check exact' 'check sampled 30 operators=4' 'control arith=p3'
says 0 'arithmetic' '1 of 1 claims hold' check "$dir/sub/d.claim"
call train "$dir/sub/mine.dp" --set n=3,top=3 --width 16 --steps 5 -o "$dir/sub/t.st"
decoder 'mine.dp n=3 top=3' 'model t.st' 'check exact' 'control weight readout.b[3] by 1'
says 1 'a trained one, by rows' 'control' check "$dir/sub/d.claim" -v
holds 'with what it wrote' grep -q 'written' "$dir/.out"
printf '1 4\t1 0\n2 2\t0 0\n1 2 3\t1 0 1\n' >"$dir/sub/c.tsv"
call build "$dir/sub/f.claim" --set M=5 -o "$dir/sub/m5.st"
call build "$dir/sub/f.claim" --set M=5,c=0.01 -o "$dir/sub/b5.st"
decoder 'c.tsv' 'model m5.st' 'check exact' 'control model b5.st'
says 1 'cases, of which one is wrong' 'wrong on 1 of 2 inputs' check "$dir/sub/d.claim" -v
printf '1 4\t1 1\n2 2\t0 0\n1 2 3\t0 1 1\n' >"$dir/sub/c.tsv"
says 0 'cases' '1 of 1 claims hold' check "$dir/sub/d.claim" -v
holds 'are samples' grep -q 'sampled, 3 inputs' "$dir/.out"
sed 's/^check exact sequences f64 N=1..4 M=2..6/check certified N=4 M=5/
    s/^\(control [cr].*\)/\1 check exact multisets/' $pairs >"$dir/certified.claim"
says 0 'a certificate' 'certified' check "$dir/certified.claim" -v
holds 'in balls' grep -q 'certified, 625 inputs ball' "$dir/.out"
call build match3-bigram --set N=3,M=4 -o "$dir/sub/b3.st"
call build match3-bigram --set N=3,M=4,offset=0 -o "$dir/sub/b0.st"
decoder 'match3-bigram M=4' 'model b3.st' 'check certified N=3' 'control model b0.st'
says 0 'a certificate input by input' 'certified, 64 inputs' check "$dir/sub/d.claim" -v
holds 'whose control is rejected by it' grep -q '1 of 1 controls rejected' "$dir/.out"
decoder 'match3-bigram M=4' 'model b3.st' 'check certified p8 N=3' 'control model b0.st'
refuses 2 'a certificate of an arithmetic' 'speaks of real arithmetic over the stored weights, not of p8' check "$dir/sub/d.claim"

bad() # $1 name, $2 place, $3 message, $4 problem line, then lines
{
    name=$1; place=$2; message=$3
    shift 3
    decoder "$@"
    refuses 2 "$name" "$message" check "$dir/sub/d.claim"
    holds "$name: where" grep -q "d.claim:$place: " "$dir/.err"
}
bad 'a problem that is not there' 2:9 'nowhere.dp' nowhere.dp 'compile' 'check exact' 'control n=1'
echo 'problem' >"$dir/sub/broken.dp"
bad 'a recurrence with a fault' 2:9 'broken.dp:' broken.dp 'compile' 'check exact' 'control n=1'
bad 'what cannot be compiled' 3:1 'match2 cannot be compiled' match2 'compile' 'check exact' 'control N=1'
bad 'an attention that there is not' 3:21 "unknown attention 'linea'; did you mean 'linear'?" mine.dp 'compile --attention linea' 'check exact' 'control n=1'
bad 'words after compile' 3:9 'expected --attention' mine.dp 'compile --fast' 'check exact' 'control n=1'
bad 'a program of a recurrence' 2:9 'a program answers at positions, and lis is for decoders' lis 'program p.program' 'check exact' 'control n=1'
bad 'an enumeration of prompts' 4:1 'prompts have one enumeration, not multisets' mine.dp 'compile' 'check exact multisets' 'control n=1'
bad 'a certificate of a decoder' 4:1 'decoders are checked by generating' mine.dp 'compile' 'check certified' 'control n=1'
call build qsa-rip --set N=6 -o "$dir/sub/q.st"
bad 'what cannot be certified' 5:1 'no case split and no boxes are known for qsa, and its answers are reals' 'qsa N=6' 'tolerance 0.1' 'model q.st' 'check certified' 'control model b5.st'
bad 'a model that does not fit' 2:9 'lis' 'lis n=4' 'model ../m.st' 'check exact' 'control n=1'
bad 'a size that the model has not' 4:1 'does not fit the model' 'mine.dp n=4 top=3' 'model good.st' 'check exact n=4..5' 'control arith=p3'
bad 'a tensor that there is not' 5:1 'the control cannot be built: the model has no tensor readut.b; did you mean readout.b?' \
    'mine.dp n=4 top=3' 'model good.st' 'check exact' 'control weight readut.b[0] by 1'
bad 'a weight that there is not' 5:1 'the control cannot be built: readout.b[99]: must be in 0..4' \
    'mine.dp n=4 top=3' 'model good.st' 'check exact' 'control weight readout.b[99] by 1'
bad 'a column of a vector' 5:1 'the control cannot be built: readout.b[0,0]: it has 5 rows of 1' \
    'mine.dp n=4 top=3' 'model good.st' 'check exact' 'control weight readout.b[0,0] by 1'
bad 'a weight that is so already' 5:1 'the control cannot be built: readout.b[3] is 0 already' \
    'mine.dp n=4 top=3' 'model good.st' 'check exact' 'control weight readout.b[3] by 0'
bad 'no weight' 5:16 'expected which weight, as in' 'mine.dp n=4 top=3' 'model good.st' 'check exact' 'control weight readout.b by 0'
bad 'a bracket that is not closed' 5:16 'expected which weight, as in' 'mine.dp n=4 top=3' 'model good.st' 'check exact' 'control weight readout.b[25 by 0'
bad 'no text' 5:1 'arithmetic has no text of which' 'arithmetic p=3' 'compile' 'check exact operators=1' 'control replace "a" by "b"'
bad 'a text that is not in the recurrence' 5:1 '"y > x" stands 0 times in the recurrence' mine.dp compile 'check exact' 'control replace "y > x" by "b"'
bad 'a control that is no recurrence' 5:1 'mine.dp:1' mine.dp compile 'check exact' 'control replace "y < x" by "y < z"'
bad 'compile and a model' 4:1 'compile and model; a claim is about one of them' mine.dp compile 'model good.st' 'check exact' 'control n=1'

printf 'claim a "A"\n\0\0' >"$dir/zero.claim"
refuses 2 'zero bytes' 'zero.claim:2:1: a zero byte; a claim is a text file' check "$dir/zero.claim"
head -c 50000 "$attest" >"$dir/noise.claim"
refuses 2 'a binary' 'noise.claim:1:' check "$dir/noise.claim"
: >"$dir/empty.claim"
refuses 2 'nothing' 'empty.claim:1:1: claim is missing' check "$dir/empty.claim"
truncate -s 80M "$dir/huge.claim"
refuses 2 'huge' 'huge.claim' check "$dir/huge.claim"
refuses 2 'not there' 'nowhere.claim' check "$dir/nowhere.claim"
refuses 2 'a folder' 'sub.claim' check "$dir/sub.claim"
cp $pairs "$dir/twin.claim"
refuses 2 'two of one id' 'another file has a claim pairs, too' check $pairs "$dir/twin.claim"
finish
