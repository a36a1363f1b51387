# test_compile.sh: `compile` and `generate`: a recurrence becomes a decoder, and the decoder reasons.
. cli/test/lib.sh

kitten='11 9 20 20 5 14 19 9 20 20 9 14 7 |'
for kind in standard linear sparse local; do
    says 0 "compile: edit distance, $kind" '42 states, L = 57' \
        compile examples/edit-distance.dp --set n1=6,n2=7 --attention $kind -o "$dir/$kind.st"
    says 0 "generate: kitten to sitting costs 8, $kind" '0/0,0/0/8' generate "$dir/$kind.st" "$kitten"
    says 0 "generate: the last state, $kind" '0/6,7/8/0' generate "$dir/$kind.st" "$kitten"
done
doubted=1
says 0 'generate: in f32' '0/0,0/0/8' generate "$dir/standard.st" "$kitten" --precision f32
says 0 'generate: at 13 bits' '0/0,0/0/8' generate "$dir/standard.st" "$kitten" --precision p13
doubted=
says 0 'compile: --size is --set' '42 states' compile examples/edit-distance.dp --size n1=6 --size n2=7 -o "$dir/s.st"
refuses 2 'and only there' '--size' check match2 --size N=4
says 0 'compile: JSON' '"length": 57' compile examples/edit-distance.dp --set n1=6,n2=7 -o "$dir/j.st" --json
for file in examples/*.dp; do
    case $file in
    *edit*|*lcs*) sizes=n1=3,n2=4 ;;
    *knapsack*) sizes=n=3,cap=5 ;;
    *coins*) sizes=n=2,amount=5 ;;
    *grid*) sizes=rows=2,cols=3 ;;
    *lis*) sizes=n=4,top=9 ;;
    *prefix*) sizes=n=4,q=3 ;;
    *alignment*|*common*|*interleaving*) sizes=n=3,m=3 ;;
    *dice*) sizes=n=2,s=5 ;;
    *egg*) sizes=eggs=2,floors=6 ;;
    *subset*) sizes=n=3,most=5 ;;
    *) sizes=n=4 ;;
    esac
    says 0 "compile: $file" 'prompt:' compile "$file" --set $sizes -o "$dir/e.st"
done

call compile examples/alignment.dp --set n=6,m=7 -o "$dir/al.st"
says 0 'generate: letters' '0/0,0,0/0,0,0,0/8' generate "$dir/al.st" 'kitten sitting |'
says 0 'compile: letters are called so' "prompt: 6 letters a in 'a'..'z', 7 letters b in 'a'..'z', then |" \
    compile examples/alignment.dp --set n=6,m=7 -o "$dir/letters.st"
refuses 2 'generate: a letter that is none of these' 'position 13: 71 where a prompt has 97..122' \
    generate "$dir/al.st" 'kitten sittinG |'

call compile examples/lis.dp --set n=4,top=9 -o "$dir/lis.st"
says 0 'generate: beside the interpreter' "every row is the interpreter's" \
    generate "$dir/lis.st" '3 1 2 4 |' --beside examples/lis.dp --set n=4,top=9
sed 's/y < x/y <= x/' examples/lis.dp >"$dir/other.dp"
says 1 'generate: beside another recurrence' '<- differs' \
    generate "$dir/lis.st" '3 1 1 4 |' --beside "$dir/other.dp" --set n=4,top=9
refuses 2 'generate: beside another size' 'a prompt is: 4 rows of 1..9, |' \
    generate "$dir/lis.st" '3 1 2 4 |' --beside examples/lis.dp --set n=5,top=9
refuses 2 'generate: sizes of nothing' 'which --beside names' generate "$dir/lis.st" '3 1 2 4 |' --set n=4
says 0 'show: a decoder' 'prompts of 14 rows; then at most 43 rows, until number 2 of a row is 0' show "$dir/standard.st"
holds 'show: its prompts' grep -q 'a prompt is: 6 rows of 1..26, 7 rows of 1..26, |' "$dir/.out"
says 0 'show: its prompts, as JSON' '"prompt": "6 rows of 1..26, 7 rows of 1..26, |"' show "$dir/standard.st" --json
says 0 'show: a recurrence' 'need before = (i, j - 1)' show examples/lis.dp
says 0 'show: not regular' '120 chains' show examples/lis.dp --set n=5,top=5
says 0 'show: two inputs with one chain' '1 1 1 1 3' show examples/lis.dp --set n=5,top=5
says 0 'show: regular' 'yes: 243 inputs' show examples/prefix-sum.dp --set n=5,q=3
says 0 'show: length and locality' 'the 421 rows before it' show examples/edit-distance.dp --set n1=20,n2=20
says 0 'show: a recurrence as JSON' '"locality": 421' show examples/edit-distance.dp --set n1=20,n2=20 --json
says 0 'show: regularity has a budget' 'regular      not decided: more than 491 inputs, which --budget allows; none was tried' \
    show examples/coins.dp --set n=5,amount=50 --budget 10
says 0 'show: and a most' 'not decided: more than 4194304 inputs, the most that are tried; none was' show examples/grid.dp --set rows=2,cols=4 --budget 1e12
printf '%s\n' 'problem "p"' 'size n in 1..9' 'input a[n] in 1..1000000000' 'state i in 1..n' 'value v in 0..9' 'take x = a[i]' \
    'need u = (i - x) when x < i' 'v = if x < i then u.v else 0' 'answer v' >"$dir/steer.dp"
says 0 'compile: what is not proved is said, with its place' 'steer.dp:7:6' compile "$dir/steer.dp" --set n=3 -o "$dir/steer.st"
holds 'unproved' grep -q '^unproved: that no input leads outside a range' "$dir/.out"
says 0 'compile: JSON says so' '"proved": null' compile "$dir/steer.dp" --set n=3 -o "$dir/steer.st" --json
says 0 'compile: JSON of what is proved' '"proved": true' compile examples/lcs.dp --set n1=2,n2=2 -o "$dir/lcs.st" --json
says 0 'show: what is not proved' 'unproved' show "$dir/steer.dp" --set n=3
refuses 2 'compile: arithmetic, local' 'standard or sparse attention; local attention is for recurrences' \
    compile arithmetic --attention local -o "$dir/x.st"
refuses 3 'compile: how much memory' 'the model has 38640103 weights, which take 295 MiB' \
    compile examples/edit-distance.dp --set n1=100,n2=100 --attention linear -o "$dir/x.st" --max-memory 200
# Under a sanitizer only single allocations are limited.
if [ -z "$sanitized" ]; then
    for lack in '--set n1=300,n2=300 --attention linear --max-memory 100' '--set n1=300,n2=300 --attention sparse --max-memory 50' \
        '--set n1=100,n2=100 --attention linear --pack --max-memory 40'; do
        # shellcheck disable=SC2086
        refuses 3 "compile: before there are weights, $lack" "it takes more than the ${lack##* } MiB of --max-memory" \
            compile examples/edit-distance.dp $lack -o "$dir/x.st"
    done
    refuses 3 'show: how much memory' 'it takes more than the 20 MiB' show examples/edit-distance.dp --set n1=1000,n2=1000 --max-memory 20
fi
refuses 2 'show: a recurrence that is not there' 'No such file' show none.dp
refuses 2 'generate: weights leave the range of the arithmetic' 'p13e4 holds numbers up to' \
    generate "$dir/standard.st" "$kitten" --precision p13e4
refuses 2 'generate: another length' 'prompt of length 4, must be 14; a prompt is: 6 rows of 1..26, 7 rows of 1..26, |' \
    generate "$dir/standard.st" '11 9 20 |'
refuses 2 'generate: a letter out of range' 'out of range' generate "$dir/standard.st" "${kitten/11/27}"
refuses 2 'generate: a letter that is 0' 'position 1: 0 where a prompt has 1..26' generate "$dir/standard.st" "${kitten/11/0}"
refuses 2 'generate: a bar in the middle' 'position 2: there is no | here' generate "$dir/standard.st" "${kitten/9/|}"
refuses 2 'generate: no bar at the end' 'position 14: 3 where a prompt has |' generate "$dir/standard.st" "${kitten/|/3}"
refuses 2 'generate: a state for a letter' 'position 1: 11/1,0/0/0 where a prompt has 1..26' \
    generate "$dir/standard.st" "${kitten/11/11\/1,0\/0\/0}"
call compile examples/knapsack.dp --set n=2,cap=3 -o "$dir/sack.st"
refuses 2 'generate: each input has its own range' 'position 1: 0 where a prompt has 1..12; a prompt is: 2 rows of 1..12, 2 rows of 0..9, |' \
    generate "$dir/sack.st" '0 1 0 1 |'
says 0 'generate: 0 where it may be' '0/0,0/0/0' generate "$dir/sack.st" '1 1 0 0 |'
holds 'an answer of 0 is no bar' test "$(grep -c '|' "$dir/.out")" = 0
says 0 'generate: an input of 0 is no bar' '"prompt": "1 1 0 0 |"' generate "$dir/sack.st" '1 1 0 0 |' --json
refuses 2 'generate: though the row is the same' 'position 3: there is no | here' generate "$dir/sack.st" '1 1 | 0 |'
refuses 2 'run: a bar only where it is one' 'position 3: there is no | here' run "$dir/sack.st" '1 1 | 0 |'
says 0 'compile: a shipped one by its name' '9 states' compile lis --set n=3,top=4 -o "$dir/l.st"
says 0 'equal: the file is the same' 'equal: exact, 64 prompts' equal "$dir/l.st" examples/lis.dp --set n=3,top=4
refuses 2 'compile: a problem in no language' 'match2 cannot be compiled: it is written in no language' compile match2 -o "$dir/x.st"
printf '0 1\t1\n' >"$dir/c.tsv"
says 0 'show: a file of cases' 'asked by its rows' show "$dir/c.tsv"
refuses 2 'compile: what has no compiler' 'c.tsv cannot be compiled: it is cases' compile "$dir/c.tsv" -o "$dir/x.st"
says 0 'list: languages' 'FILE.program' list languages
says 0 'compile: what a decoder takes' 'prompt: ' compile arithmetic --set p=5,operators=2 -o "$dir/said.st"
says 0 'compile: what others take' 'input: ' compile --regex '(ab)*' --set N=4 -o "$dir/said.st"
# One recurrence for every size: its model reads sizes from the prompt, and nothing behind the ends of words.
says 0 'compile: a range of sizes' '42 states' compile examples/lcs.dp --set n1=0..6,n2=0..7 -o "$dir/any.dp"
says 0 'compile: its model' 'width' compile "$dir/any.dp" -o "$dir/any.st"
for tail in '9 9 9 | 9 9 9 9' '3 1 3 | 2 2 3 1'; do
    says 0 'generate: another size' '0/0,0/0,0,0,0,0/2' generate "$dir/any.st" "3 3 1 2 3 ${tail% |*} 2 5 3 ${tail#*| } |"
done
says 0 'generate: no letters' '0/0,0/0,0,0,0,0/0' generate "$dir/any.st" '0 3 1 2 3 1 1 1 1 2 3 1 1 1 1 |'
says 0 'check: at every size' '1 of 1 claims hold' check "$dir/any.st" --sampled 50
says 0 'compile: a range, JSON' '"states": 42' compile examples/lcs.dp --set n1=0..6,n2=0..7 -o "$dir/any.dp" --json
refuses 2 'compile: a range is no model' '-o FILE.dp' compile examples/lcs.dp --set n1=0..6,n2=0..7 -o "$dir/any2.st"
refuses 2 'compile: a range has no attention' 'are for its model' compile examples/lcs.dp --set n1=0..6,n2=0..7 --attention linear -o "$dir/any2.dp"
cp examples/lcs.dp "$dir/own.dp"
refuses 2 'compile: a range, over its own file' 'would be written over' compile "$dir/own.dp" --set n1=0..6,n2=0..7 -o "$dir/own.dp"
holds 'compile: which stays' cmp -s examples/lcs.dp "$dir/own.dp"
refuses 2 'compile: a range of a language' 'for recurrences' compile --regex '(ab)*' --set N=3..4 -o "$dir/any2.dp"
refuses 2 'compile: a range, and a size is missing' 'size n2 is missing' compile examples/lcs.dp --set n1=0..6 -o "$dir/any2.dp"
refuses 2 'compile: sizes that change what is asked of inputs' 'examples/lis.dp:6:15: the range of an input' compile examples/lis.dp --set n=3,top=1..4 -o "$dir/any2.dp"
holds 'compile: nothing is written then' test ! -e "$dir/any2.dp"
refuses 2 'compile: a size is missing' 'n2' compile examples/edit-distance.dp --set n1=3 -o "$dir/x.st"
refuses 2 'compile: a size out of range' 'n1' compile examples/edit-distance.dp --set n1=9999,n2=3 -o "$dir/x.st"
refuses 2 'compile: unknown attention' 'standard, sparse, linear or local' \
    compile examples/edit-distance.dp --set n1=3,n2=3 --attention dense -o "$dir/x.st"
printf 'problem "p"\nsize n in 1..4\ninput s[n] in 1..2\nstate i in 1..n\nvalue v in 0..9\nneed a = (i+1)\nv = a.v\nanswer v\n' \
    >"$dir/forward.dp"
refuses 2 'compile: a forward dependency, with its line' 'forward.dp:6:' compile "$dir/forward.dp" --set n=3 -o "$dir/x.st"
refuses 2 'compile: no such file' 'No such file' compile "$dir/none.dp" -o "$dir/x.st"
refuses 2 'compile: unwritable output' 'No such file' compile examples/lcs.dp --set n1=2,n2=2 -o "$dir/none/x.st"
holds 'nothing was written' test ! -e "$dir/x.st"
printf '%s\n' 'problem "large"' 'size n in 1..9' 'input a[n] in 0..9' 'state i in 1..n' 'value v in 0..n*1000000000000' \
    'take x = a[i]' 'v = x' 'answer v' >"$dir/large.dp"
refuses 2 'compile: numbers beyond what doubles hold' 'large.dp:5:7: v lies in 0..2000000000000 at these sizes' \
    compile "$dir/large.dp" --set n=2 -o "$dir/x.st"
# A selection over large values: right in the arithmetic that it is compiled for, or refused.
modulo() # $1 the modulus
{
    printf '%s\n' 'problem "sum modulo"' 'size n in 1..9' "input a[n] in 0..$(($1 - 1))" 'state i in 1..n' \
        "value s in 0..$(($1 - 1))" 'take x = a[i]' 'need p = (i-1) when i > 1' \
        'let t = x + if i > 1 then p.s else 0' \
        "s = max(0, min($(($1 - 1)), if t >= $1 then t - $1 else t))" 'answer s'
}
modulo 1000000007 >"$dir/billion.dp"
says 0 'compile: a selection over 10^9' 'L = 6' compile "$dir/billion.dp" --set n=2 -o "$dir/b.st"
says 0 'generate: and it is right' '0/0/0/999999992' generate "$dir/b.st" '1000000000 999999999 |'
refuses 2 'compile: too large for f32, with a step, its range and its error' 'in -1000000007..1000000005, has error 548 in f32' \
    compile "$dir/billion.dp" --set n=2 --precision f32 -o "$dir/x.st"
modulo 99991 >"$dir/small.dp"
says 0 'compile: for f32' 'L = 6' compile "$dir/small.dp" --set n=2 --precision f32 -o "$dir/b.st"
says 0 'generate: right in f32' '0/0/0/99988' generate "$dir/b.st" '99990 99989 |' --precision f32
refuses 2 'compile: for numbers that are not rounded' 'f32, f64 or pN' \
    compile "$dir/small.dp" --set n=2 --precision exact -o "$dir/x.st"
says 0 'compile: packed, one head' '1 head, head width 4' compile examples/prefix-sum.dp --set n=128,q=5 \
    --attention linear --pack --precision f32 -o "$dir/pack.st"
says 0 'compile: packed edit distance' '42 states, L = 57' compile examples/edit-distance.dp --set n1=6,n2=7 \
    --attention linear --pack --precision f32 -o "$dir/pack.st"
says 0 'generate: packed, in f32' '0/0,0/0/8' generate "$dir/pack.st" "$kitten" --precision f32
says 0 'compile: packed, block-sparse' 'width 18' compile examples/prefix-sum.dp --set n=128,q=5 \
    --attention sparse --pack --precision f32 -o "$dir/pack.st"
says 0 'compile: packed edit distance, block-sparse' '42 states, L = 57' compile examples/edit-distance.dp --set n1=6,n2=7 \
    --attention sparse --pack --precision f32 -o "$dir/pack.st"
says 0 'generate: packed, block-sparse, in f32' '0/0,0/0/8' generate "$dir/pack.st" "$kitten" --precision f32
says 0 'compile: packed and cleared' '4 heads, head width 3' compile examples/edit-distance.dp --set n1=40,n2=7 \
    --attention linear --pack --clear --precision f32 -o "$dir/clear.st"
clear_words="$(seq 1 20) $(seq 1 20) 1 2 3 4 5 6 7 |"
says 0 'generate: cleared, in f32' '0/0,0/0/66' generate "$dir/clear.st" "$(echo $clear_words)" --precision f32
refuses 2 'generate: cleared, in f64' 'rounding its sums to 24 bits after every token (f32); here are sums of other bits' \
    generate "$dir/clear.st" "$(echo $clear_words)" --precision f64
refuses 2 'compile: nothing is cleared that is not packed' '--clear goes with --pack' \
    compile examples/edit-distance.dp --set n1=4,n2=7 --clear -o "$dir/x.st"
refuses 2 'compile: nothing to clear in blocks' '--clear is for linear attention' \
    compile examples/edit-distance.dp --set n1=4,n2=7 --attention sparse --pack --clear -o "$dir/x.st"
refuses 2 'compile: nothing to pack with softmax' '--pack is for linear and sparse attention' \
    compile examples/lis.dp --set n=3,top=3 --pack -o "$dir/x.st"
refuses 2 'compile: packed, where inputs steer' 'knapsack.dp:11:6: --pack knows recurrences' \
    compile examples/knapsack.dp --set n=4,cap=9 --attention linear --pack -o "$dir/x.st"
refuses 2 'compile: only recurrences are packed' '--pack is for recurrences' compile --regex '(ab)*' --set N=8 --pack -o "$dir/x.st"
says 0 'check: at sizes and a precision of your own' '1 of 1 claims hold, 1 of 1 controls rejected' \
    check dp-standard --set problem=lcs,a=1..3,b=2 --precision p12
finish
