#!/bin/bash
# test_problem.sh: any problem (built in, a recurrence, a file of cases) asked of any model file that fits it.
. cli/test/lib.sh

m=$dir/m.st
"$attest" build match2 --set N=4,M=5 -o "$m" >/dev/null
"$attest" compile examples/lis.dp --set n=3,top=4 -o "$dir/lis.st" >/dev/null
"$attest" compile arithmetic --set p=5,operators=2 -o "$dir/ar.st" >/dev/null
sum_dp "$dir/sum.dp"

# ---- built-in problems: positions and chains
says 0 'every length of a model' 'exact, 625 inputs' check "$m" --problem match2 --set M=5
says 0 'lengths' 'N=2 M=5' check "$m" --problem match2 --set M=5 --lengths 1..2
says 0 'as --task, too' 'N=2 M=5' check "$m" --task match2 --set M=5 --lengths 2
says 0 'sampled' 'sampled, 50 inputs' check "$m" --problem match2 --set M=5 --lengths 4 --sampled 50
says 0 'certified' 'certified, 625 inputs' check "$m" --problem match2 --set M=5 --lengths 4 --certify
says 0 '... in balls' 'ball N=4 M=5' check "$m" --problem match2 --set M=5 --lengths 4 --certify
refuses 2 '... and nothing else' '--certify speaks of real arithmetic' check "$m" --problem match2 --set M=5 --certify --precision p8
says 1 'a wrong problem: how many, and where' 'wrong on ' check "$m" --problem match3 --set M=5 --lengths 3 --exact
says 1 'at too few bits' 'refuted' check "$m" --problem match2 --set M=5 --lengths 4 --precision p2
says 0 'a compiled recurrence by its name' 'exact, 64 inputs' check "$dir/lis.st" --problem lis --set n=3,top=4
says 0 'by its file' 'exact, 64 inputs' check "$dir/lis.st" --problem examples/lis.dp --set n=3,top=4
says 1 'another recurrence' 'written' check "$dir/lis.st" --problem examples/lis.dp --set n=3,top=4 --precision p3
says 0 'expressions' 'exact, 3690 inputs' check "$dir/ar.st" --problem arithmetic --set p=5,operators=2

"$attest" build lemma-a9 --set N=9,m=3 -o "$dir/a9.st" >/dev/null # its problem's usual length is more than m^2
says 0 'a length that nobody sets is one the model takes' 'exact, ' check "$dir/a9.st" --problem block-mean --set m=3 --tolerance 0.01
says 0 '... before hypotheses of the length are asked' 'N=9 m=3' check "$dir/a9.st" --problem block-mean --set m=3 --lengths 9 --tolerance 0.01
refuses 2 '... and what is set is taken at its word' 'N=16: must be at most m^2' check "$dir/a9.st" --problem block-mean --set m=3,N=16 --tolerance 0.01

# ---- what does not fit, in one line
call compile examples/pairs.program -o "$dir/alone.st" # a model of a program remembers none
refuses 2 'a model alone' 'which problem should it solve? (--problem NAME|FILE' check "$dir/alone.st"
refuses 2 'a problem alone' 'which model?' check --problem match2
refuses 2 'another modulus' 'token 6 out of range 0..4 (field x)' check "$m" --problem match2 --set M=7
refuses 2 'another length' 'the model takes lengths 1..4' check "$m" --problem match2 --set M=5 --lengths 1..9
refuses 2 'no lengths' "must be as in 0..6" check "$m" --problem match2 --set M=5 --lengths one
refuses 2 'a decoder is needed' "is for decoders, and the model is none" check "$m" --problem lis
refuses 2 'none is wanted' "is for models that answer at positions, and the model is a decoder" check "$dir/lis.st" --problem product
refuses 2 'another size' 'a prompt is: 3 rows of 1..4, |' check "$dir/lis.st" --problem lis --set n=4,top=4
refuses 2 'another range' 'out of range' check "$dir/lis.st" --problem lis --set n=3,top=5
refuses 2 'other rows' 'a prompt is: 3 rows of 1..4, |' check "$dir/lis.st" --problem grid
refuses 2 'another prime' 'the model reads' check "$dir/ar.st" --problem arithmetic --set p=7,operators=2
refuses 2 'no such problem' "did you mean 'match2'" check "$m" --problem mtch2
refuses 2 'no such parameter' "unknown parameter 'Q'" check "$m" --problem match2 --set Q=3
refuses 2 'one way of asking' 'exclude each other' check "$m" --problem match2 --exact --sampled 3
"$attest" build lemma-a1 -o "$dir/a1.st" >/dev/null
refuses 2 'reals without a tolerance' 'how far off may they be' check "$dir/a1.st" --problem product
says 0 'reals' 'sampled, 1000 inputs' check "$dir/a1.st" --problem product --tolerance 0.1
# ---- certificates: by a case split, by boxes, or every input in balls
"$attest" build match3-bigram --set N=4,M=5 -o "$dir/b.st" >/dev/null
says 0 'every input in balls' 'certified, 125 inputs' check "$dir/b.st" --lengths 3 --certify
says 1 'a wrong one is found' 'wrong on 112 of 125 inputs' check "$m" --problem match3-bigram --set M=5 --lengths 3 --certify
"$attest" build match2 --set N=4,M=5,c=0.02 -o "$dir/c.st" >/dev/null
says 3 'the case split does not refute' 'not certified: query 1' check "$dir/c.st" --set N=4 --certify
"$attest" compile examples/no-aa.regex --set N=5 -o "$dir/aa.st" >/dev/null
says 0 'words of a language' 'certified, 32 inputs' check "$dir/aa.st" --problem examples/no-aa.regex --lengths 0..5 --certify
holds 'the empty one included' grep -q 'certified, 1 input .*N=0' "$dir/.out"
says 0 'compiled' 'certified, 8 inputs' check examples/no-aa.regex --lengths 3 --certify
"$attest" build parity --set N=40 -o "$dir/parity.st" >/dev/null
"$attest" build qsa-rip -o "$dir/q.st" >/dev/null
says 0 'boxes, over the reals' 'certified, all inputs' check "$dir/a1.st" --problem product --tolerance 0.1 --certify
says 1 'within less than it errs' 'refuted' check "$dir/a1.st" --problem product --tolerance 0.001 --certify
says 3 'too many: how long it would take' 'inputs in balls would take a core about' check "$dir/parity.st" --set N=40 --certify
refuses 2 'reals without boxes' 'no case split and no boxes are known for qsa, and its answers are reals' check "$dir/q.st" --certify
refuses 2 'decoders' 'decoders are checked by generating' check "$dir/lis.st" --certify
refuses 2 'claims apart' 'checked apart' check "$m" match2 --problem match2 --set M=5
"$attest" build match2 --set N=32,M=97 -o "$dir/big.st" >/dev/null
says 3 'too many to enumerate' 'too many inputs' check "$dir/big.st" --problem match2 --set M=97 --lengths 32 --exact
says 0 'a range of lengths, of which the longest has too many' 'sampled, 31,000 inputs' check "$dir/big.st" --problem match2 --set M=97,N=2..32

refuses 2 'a tolerance of decisions' 'answers of match2 are no reals' check "$m" --problem match2 --tolerance 0.1
refuses 2 '... of what is compiled' 'are no reals' check examples/lis.dp --tolerance 0.1
refuses 2 '... to refute' 'answers of match2 are no reals' refute "$m" --tolerance 0.1
refuses 2 '... to look' 'answers of match2 are no reals' look "$m" --problem match2 --tolerance 0.1
refuses 2 '... of equality' 'decisions are the same or not' equal "$m" "$m" --tolerance 0.5

# ---- a recurrence alone: compiled, and compared with its interpreter
says 0 'a recurrence of my own' 'attention=linear' check "$dir/sum.dp" --set n=1..3
says 0 'one attention' 'exact, 84 inputs' check "$dir/sum.dp" --set n=1..3 --attention sparse
says 0 'sizes that are none of the recurrence' 'left out: 6 of 16 sizes' check examples/edit-distance-local.dp --set letters=2
refuses 2 'no size is one' 'n2' check examples/edit-distance-local.dp --set n1=3,n2=2
says 1 'ranges of parameters and lengths' 'N=2 M=3..5' check "$m" --problem match2 --set M=3..5 --lengths 2
says 0 'larger sizes are drawn' 'sampled' check examples/edit-distance.dp --set n1=4,n2=4 --attention standard
refuses 2 'no such attention' 'must be standard, sparse, linear or local' check "$dir/sum.dp" --attention some
refuses 2 'a faulty recurrence' 'bad.dp:1:1:' check "$(printf 'nothing' >"$dir/bad.dp"; echo "$dir/bad.dp")"

# ---- a file of cases
printf '0\t1\n1 4\t1 1\n\n1 1\t0 0\n' >"$dir/good.tsv"
says 0 'cases' 'sampled, 2 inputs' check "$m" --problem "$dir/good.tsv"
printf '0\t1\n1 4\t1 0\n' >"$dir/wrong.tsv"
says 1 'a wrong case' 'position   2 of 2: expected 0, got 1' check "$m" --problem "$dir/wrong.tsv"
printf '0\t1\n1 4\t1\n' >"$dir/short.tsv"
refuses 2 'too few answers' 'short.tsv:2:5: 1 answer, and the model gives 2' check "$m" --problem "$dir/short.tsv"
printf '0\t1\n1 9\t1 1\n' >"$dir/range.tsv"
refuses 2 'an input that is none' 'range.tsv:2:3: position 2: token 9 out of range 0..4' check "$m" --problem "$dir/range.tsv"
printf '0\t1\n0\t0\n' >"$dir/twice.tsv"
refuses 2 'two answers' 'twice.tsv:2:3: the input of line 1 with another answer' check "$m" --problem "$dir/twice.tsv"
refuses 2 'cases are not certified' 'lists cases, and a certificate is about all inputs' check "$m" --problem "$dir/good.tsv" --certify
refuses 2 'cases that are no prompts of a decoder' 'good.tsv:1:1: prompt of length 1' check "$dir/lis.st" --problem "$dir/good.tsv"

# ---- the other commands take the same problems
says 1 'refute by a recurrence' 'WRONG on' refute "$dir/lis.st" --problem examples/lis.dp --set n=3,top=4 --precision p3
says 0 'data of a recurrence' '<sep>' data "$dir/sum.dp" --set n=3 --count 2
says 0 'training the chain of a recurrence' 'step' train "$dir/sum.dp" --set n=2 --steps 20 --width 16 -o "$dir/t.st"
says 0 'examined on it' 'answers' eval "$dir/t.st" "$dir/sum.dp" --set n=2 --count 5
says 0 'every prompt of a trained net' 'inputs' check "$dir/lis.st" --problem lis --set n=3,top=4 --exact
says 0 'all problems' 'prefix-sum' list problems

# ---- kept: the ledger serves it again, and the report shows it
says 0 'into a ledger' 'exact' check "$m" --problem match2 --set M=5 --lengths 1..2 --db "$dir/l.db" -o "$dir/r.html"
says 0 'from the ledger' '(from the ledger)' check "$m" --problem match2 --set M=5 --lengths 1..2 --db "$dir/l.db"
grep -q 'm.st solves match2' "$dir/r.html"
verdict $? 'in the report'
call check "$m" --problem match2 --set M=5 --lengths 1..2 --json
[ "$code" -eq 0 ] && grep -q '"held": 1' "$dir/.out"
verdict $? 'JSON'
# ---- cases of a decoder: all that it writes, or what it ends in
call compile arithmetic --set p=11,operators=3 -o "$dir/ca.st"
printf '1 + 2 =\t3\n( 3 + 4 ) * 2 - 5 =\t7 * 2 - 5 = 3 - 5 = 9\n2 * 3 * 4 =\t... 2 <eos>\n' >"$dir/ca.tsv"
says 0 'cases of a decoder' 'sampled, 3 inputs' check "$dir/ca.st" --problem "$dir/ca.tsv"
sed 's/= 3 - 5 = 9/= 4 - 5 = 9/; s/\t3$/\t4/' "$dir/ca.tsv" >"$dir/cb.tsv"
says 1 'wrong ones are counted' 'wrong on 2 of 3 inputs' check "$dir/ca.st" --problem "$dir/cb.tsv"
holds 'and the first is shown' grep -q 'prompt     1 + 2 =' "$dir/.out"
sed 's/\.\.\. 2/... 6 2/' "$dir/ca.tsv" >"$dir/cb.tsv"
says 1 'an end of two words' 'expected   6' check "$dir/ca.st" --problem "$dir/cb.tsv"
call compile examples/lis.dp --set n=3,top=5 -o "$dir/cl.st"
printf '1 2 3 |\t3\n3 2 1 |\t1\n2 2 2 |\t0/0,0/0/1\n' >"$dir/cl.tsv"
says 0 'a recurrence by its answer' 'sampled, 3 inputs' check "$dir/cl.st" --problem "$dir/cl.tsv"
sed -i 's/\t3$/\t2/' "$dir/cl.tsv"
says 1 'a wrong one' 'expected   0/0,0/0/2' check "$dir/cl.st" --problem "$dir/cl.tsv"
printf '1 2 3 |\t3\n1 2 |\t1\n' >"$dir/cl.tsv"
refuses 2 'no prompt' 'cl.tsv:2:1: prompt of length 3, must be 4' check "$dir/cl.st" --problem "$dir/cl.tsv"
printf '1 + 2 =\t3\n1 + 3 =\tfour\n' >"$dir/cb.tsv"
refuses 2 'no word of the model' 'cb.tsv:2:9: ' check "$dir/ca.st" --problem "$dir/cb.tsv"
printf '1 + 2 =\t3\n1 + 2 =\t4\n' >"$dir/cb.tsv"
refuses 2 'two answers' 'cb.tsv:2:9: the input of line 1 with another answer' check "$dir/ca.st" --problem "$dir/cb.tsv"
call train lis --set n=4,range=5 --width 16 --steps 5 -o "$dir/ct.st"
printf '5 6 7 8\t4\n5 6 8 7\t1 2 3 3 <sep> 3\n' >"$dir/ct.tsv"
says 1 'a trained one' 'wrong on 2 of 2 inputs' check "$dir/ct.st" --problem "$dir/ct.tsv"

# ---- every prompt, or why not
says 0 'a stream lists its prompts' 'all prompts   64' show parity --set n=6
says 0 'or says why not' 'all prompts   not listed: 26^8 pairs' show ed
call train ed --set n=4,fixed=1 --width 16 --steps 2 -o "$dir/e.st"
says 3 'which is what an exact check says' 'prompts are not listed: 26^8 pairs' check "$dir/e.st" --exact
call train parity --set n=4 --width 16 --steps 2 -o "$dir/e.st"
says 1 'an exact check of all of them' 'BAD' check "$dir/e.st" --exact

# ---- one way to name it everywhere, and nothing that is given is passed over
says 0 'data --problem' '<sep>' data --problem "$dir/sum.dp" --set n=3 --count 1
says 0 'train --problem' 'step' train --problem "$dir/sum.dp" --set n=2 --steps 20 --width 16 -o "$dir/t2.st"
says 0 'eval --problem' 'answers' eval "$dir/t2.st" --problem "$dir/sum.dp" --set n=2 --count 5
refuses 2 'a problem twice' 'one argument too many' data lis --problem ed
says 0 'eval of a compiled decoder' 'chains right  200 of 200' eval "$dir/lis.st" --problem lis --set n=3,top=4 --count 200
says 0 'at few bits it errs' 'wrong at row' eval "$dir/lis.st" --problem lis --set n=3,top=4 --count 50 --precision p3
says 1 'not enough' 'wrote' eval "$dir/lis.st" --count 50 --precision p3 --enough 0.9
says 0 'eval at positions' 'inputs right  100 of 100' eval "$m" match2 --set M=5 --count 100
says 0 'eval at positions, of another problem' 'wrong at position' eval "$m" match3 --set M=5 --count 100
says 0 'eval of its own problem, JSON' '"right": 20' eval "$m" --count 20 --json
refuses 2 'eval of cases' 'is run whole: attest check MODEL --problem' eval "$m" "$dir/good.tsv"
says 0 'a recurrence that attest brings along' 'attention=linear' check coins --set n=1,amount=2
says 0 'shown by its name' 'problem "coin change"' show coins
says 0 'equal by its name' 'equal: exact' equal "$dir/lis.st" lis --set n=3,top=4
says 1 'least by its name' 'p3     fails' least lis --set n=2,top=2 --vary p --range 2..3
refuses 2 'least: a size that is none' 'width of a construction follows from its parameters' least match2 --vary width
refuses 2 'least: no such parameter' "unknown parameter 'q'" least match2 --vary q
refuses 2 'claims have their own questions' '--lengths is for a model on a problem' check match2 --lengths 1..3
refuses 2 '... however' '--exact is for a model on a problem' check match2 --exact
refuses 2 'a model has its attention' '--attention is for what is compiled' check "$m" --problem match2 --set M=5 --attention linear
refuses 2 'a problem is no model' 'is a problem, and --problem says' check examples/lis.dp --problem match2
refuses 2 'beside at other sizes' '(at n=3 letters=0; --set says others)' generate "$dir/t2.st" '1 2 <sep>' --beside "$dir/sum.dp" --set n=3

# ---- probabilities of next words
call lm fit examples/village.txt --order 3 -o "$dir/village.arpa"
says 0 'a language model that is compiled, by the tolerance that it has' 'exact, 220 inputs' check "$dir/village.arpa" --exact --lengths 0..1
call compile "$dir/village.arpa" --set N=4 -o "$dir/v.st"
says 0 'a model of it' 'exact, 219 inputs' check "$dir/v.st" --problem "$dir/village.arpa" --lengths 1
says 1 'what would take hours is drawn' 'refuted, 1 input ' check "$dir/v.st" --lengths 2 --precision p12
says 0 'eval' 'inputs right  5 of 5' eval "$dir/v.st" "$dir/village.arpa" --count 5
says 0 'equal' 'equal: exact' equal "$dir/v.st" "$dir/village.arpa" --lengths 0..1
refuses 2 'no probabilities' 'village.arpa has 220 answers a position, the model 1' check "$m" --problem "$dir/village.arpa"
refuses 2 'no rows' 'rows to learn are of' data "$dir/village.arpa"
refuses 2 'no certificate' 'its answers are reals' check "$dir/v.st" --certify
finish
