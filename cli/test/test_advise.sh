# test_advise.sh: `advise`: the table of the README, sizes that are asked for, pages, refusals; presets of `bound`.
. cli/test/lib.sh

says 0 'edit distance in 4096 rows' 'ed at length 4097 (n1=63 n2=63' advise --problem ed --length 4096
fits 'the table fits 80 columns'
harmless 'no colour into a pipe'
while read -r kind width; do
    holds "$kind has width $width" grep -qE "^$kind +yes +constructible +$width " "$dir/.out"
    holds "the README says so" grep -qE "^\| (block-)?$kind \| constructible \| $(printf "%s" "$width" | sed 's/^1499$/1,499/') " README.md
done <<EOF
standard 22
sparse 942
linear 1499
local 24
EOF
holds 'one sentence' grep -q '^Take standard attention with a chain of thought' "$dir/.out"
says 0 'two constructions with the same attention are told apart' \
    'Take softmax attention (qsa-moment) without a chain of thought: width 10' advise --problem qsa --length 500
says 0 'and what has none' 'Take a model without attention without a chain' advise --problem product --length 500
says 0 'a width below the bound' 'ruled out' advise --problem prefix-sum --length 65536 --width 16
holds 'by its name' grep -q 'dp-hard' "$dir/.out"
says 0 'positions' 'constructible' advise --problem match2 --length 100
says 0 'a file' 'constructible' advise --problem examples/knapsack.dp --length 200
says 0 'a language' 'rightmost-hard' advise --problem examples/no-aa.regex --length 64
says 0 'for machines' '"verdict": "constructible"' advise --problem lis --length 200 --json
says 0 'a page' 'lis at length' advise --problem lis --length 200 -o "$dir/a.html"
holds 'which is one' grep -q '<h1>lis at length' "$dir/a.html"
says 0 'one layer of GPT-3' 'from n = 14350' bound compose-bound --size gpt3 --set n=2048
says 0 'floats have a mantissa' 'p=11 e=5' bound dp-hard --size gpt2
refuses 2 'no problem' '--problem' advise --length 9
refuses 2 'no length' '--length' advise --problem lis
for bits in 1 54 99; do
    refuses 2 "no arithmetic has $bits bits" 'must be an integer in 2..53' advise --problem lis --length 90 --precision $bits
done
refuses 2 'no such problem' 'did you mean' advise --problem mtch2 --length 9
refuses 2 'the size is fixed' 'give one of them' advise --problem lis --length 90 --set n=4
refuses 2 'nothing is known of it' 'aa has rows to learn only' advise --problem aa --length 8
refuses 2 'no page' 'FILE.html' advise --problem lis --length 90 -o "$dir/a.txt"
refuses 2 'too long' 'nearest size' advise --problem match2 --length 1000000
refuses 2 'no such model' 'there are' bound compose-bound --size gpt9
refuses 2 'a bound without heads' 'not about models with heads' bound qsa-rnn-hard --size gpt2
finish
