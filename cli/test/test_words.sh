# test_words.sh: a token that has a word is shown as that word, wherever it is shown; JSON has its number too.
. cli/test/lib.sh

# Words of this decoder: + - * / ( ) = are tokens 3..9, the residues 0..4 are tokens 10..14.
"$attest" compile arithmetic --set p=5,operators=1 -o "$dir/ar.st" >/dev/null
gives 0 'run' '1 + 2 3' run "$dir/ar.st" '1 + 2 ='
says 0 'run: JSON, the words' '"words": ["1", "+", "2", "3"]' run "$dir/ar.st" '1 + 2 =' --json
holds 'run: JSON, the numbers' grep -qF '"outputs": [[11], [3], [12], [13]]' "$dir/.out"
says 0 'generate' '3 <eos>' generate "$dir/ar.st" '1 + 2 ='
says 0 'generate: JSON, the words' '"words": ["3", "<eos>"]' generate "$dir/ar.st" '1 + 2 =' --json
holds 'generate: JSON, the numbers' grep -qF '"rows": [[13], [2]]' "$dir/.out"
says 0 'look: the sketch' 'output 1 + 2 3 <eos>' look "$dir/ar.st" '1 + 2 ='
call look "$dir/ar.st" '1 + 2 =' -o "$dir/ar.svg"
strip=$(grep -o '<text[^>]*>[^<]*</text>' "$dir/ar.svg" | sed 's/<[^>]*>//g' | sed -n '/^margin$/,/^least margin/p' | tr '\n' ' ')
holds 'look: the picture' test "$strip" = 'margin 1 + 2 3 &lt;eos&gt; 1 1 1 1 1 least margin 1 '
says 1 'refute' 'right  2 <eos>' refute "$dir/ar.st" --task arithmetic --set p=5,operators=1 --precision p3 --by search
holds 'refute: the prompt' grep -q 'WRONG on 3 - 1 =' "$dir/.out"
says 0 'protocol reads words' '"equal": true' protocol "$dir/ar.st" ABAB '1 + 2 =' --precision p12 --json
call check arith-standard --set p=5,operators=1 -v
holds 'a rejected control, in words' sh -c "grep -q 'prompt     0 =' '$dir/.out' && grep -q 'expected   0' '$dir/.out' && grep -q 'written    =' '$dir/.out'"
# Other decisions are numbers, with all their digits.
printf '%s\n' 'problem "large"' 'size n in 1..9' 'input a[n] in 0..999999' 'state i in 1..n' 'value v in 0..999999' \
    'take x = a[i]' 'v = x' 'answer v' >"$dir/large.dp"
"$attest" compile "$dir/large.dp" --set n=1 -o "$dir/large.st" >/dev/null
says 0 'look: six digits' 'output 0 1 907' look "$dir/large.st" '907016 |'
finish
