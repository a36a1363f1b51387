# test_protocol.sh: `protocol`: who holds what, bits, equality, refusals.
. cli/test/lib.sh

says 0 'protocol ID PARTIES INPUT' "the model's, bit for bit" protocol match2 BAAB 3 14 5 12 --set M=17
says 0 'protocol: the bits of a number and of a sum' 'p8e5: a number takes 13 bits, an exact sum 62' \
    protocol match2 BAAB 3 14 5 12 --set M=17 --precision p8e5
# five positions with the blank, which is B's: each party asks for its own queries
says 0 'protocol: messages' '4 messages in 1 attention block' protocol match2 BAAB 3 14 5 12 --set M=17
says 0 'protocol: three parties' '24 messages in 1 attention block' protocol match2 ABCA 3 14 5 12 --set M=17
says 0 'protocol: --json' '"equal": true' protocol match2 AB 3 14 --set M=17 --json
fits 'protocol fits 80 columns' protocol match2 BAAB 3 14 5 12 --set M=17

refuses 2 'protocol: no parties' 'the word of the parties, or --parties K, is missing' protocol match2
refuses 2 'protocol: too few letters' 'names the parties of 3 positions; the input has 4' protocol match2 BAA 3 14 5 12
refuses 2 'protocol: no letter' 'parties are letters A to Z' protocol match2 1A 3 4
refuses 2 'protocol: a party without positions' 'there is a party C but none B' protocol match2 CA 3 4
refuses 2 'protocol: one party' '1 parties; allowed: 2..64' protocol match2 AA 3 4
refuses 2 'protocol: f64' 'must be pN, pNeE (N-bit floats)' protocol match2 AB 3 4 --precision f64
refuses 2 'protocol: three-wise' 'threewise, whose sum runs over pairs of keys' protocol match3-threewise ABABA 1 2 3 4 5
refuses 2 'protocol: a limit has no model' 'it has no model of its own' protocol arcomm AB 1 2

# ---- dealt in turn
says 0 'protocol --parties' 'B              2' protocol match2 --parties 2 3 14 5 12 --set M=17
says 0 "protocol --parties: the claim's own input" "the model's, bit for bit" protocol match2 --parties 3
says 0 'protocol --parties: JSON says who' '"parties": "ABCA"' protocol match2 --parties 3 3 14 5 12 --set M=17 --json
refuses 2 'protocol: more parties than positions' '2 positions cannot be dealt to 3 parties' protocol match2 --parties 3 3 14
refuses 2 'protocol: --parties' "must be an integer in 2..26" protocol match2 --parties 1 3 14

# ---- with a problem
call build match2 --set N=8,M=17 -o "$dir/m.st"
says 0 'protocol --problem: an input is drawn, as long as the word' 'match2 N=4 M=17, in p24e8, an input drawn with --seed 1' \
    protocol "$dir/m.st" BAAB --problem match2 --set M=17
holds 'judged' grep -q '^readout right at 4 of 4$' "$dir/.out"
fits 'it fits 80 columns'
says 1 'protocol: the parties agree on a wrong answer' 'readout right at 1 of 3' protocol "$dir/m.st" ABA 3 14 5 --problem match3 --set M=17
holds "it is the model's all the same" grep -q "the model's, bit for bit" "$dir/.out"
says 1 'protocol: JSON' '"right": 1' protocol "$dir/m.st" ABA 3 14 5 --problem match3 --set M=17 --json
for key in '"positions": 3' '"problem": "match3"' '"parameters": "N=3 M=17"' '"input": "3 14 5"' '"equal": true'; do
    holds "protocol: JSON has $key" grep -qF -- "$key" "$dir/.out"
done
says 1 'protocol: at too few bits' 'readout right at 0 of 2' protocol "$dir/m.st" AB 1 1 --problem match2 --set M=17 --precision p2e5
says 0 'protocol: no word and no input' 'readout right at 6 of 6' protocol "$dir/m.st" --parties 2 --problem match2 --set M=17
says 0 'protocol: a claim beside a problem' 'readout right at' protocol match2 ABAB --problem match2 --set M=7
printf '1 16\t1 1\n' >"$dir/good.tsv"
printf '1 16\t1 0\n' >"$dir/bad.tsv"
says 0 'protocol: cases' 'readout right at 2 of 2' protocol "$dir/m.st" AB --problem "$dir/good.tsv"
says 1 'protocol: a case that the model misses' 'readout right at 1 of 2' protocol "$dir/m.st" --parties 2 --problem "$dir/bad.tsv"
refuses 2 'protocol: no case of that length' 'N=3: must be' protocol "$dir/m.st" ABA --problem "$dir/good.tsv"
refuses 2 'protocol: a chain' "'lis' is for decoders, and the model is none" protocol "$dir/m.st" AB --problem lis
call compile examples/lis.dp --set n=3,top=4 -o "$dir/lis.st"
refuses 2 'protocol: a decoder' 'the model is a decoder, which is judged by what it writes' protocol "$dir/lis.st" ABAB --problem lis --set n=3,top=4
refuses 2 'protocol: a model that does not fit' 'a position of qsa has 4 numbers, the model takes 1' protocol "$dir/m.st" AB --problem qsa
refuses 2 'protocol: an input that is none' 'this is no input of task' protocol "$dir/m.st" AB 2 2 --problem "$dir/good.tsv"
refuses 2 'protocol: another length' '2 positions; task match2 has 3' protocol "$dir/m.st" AB 1 2 --problem match2 --set M=17,N=3
refuses 2 'protocol: no such problem' "did you mean 'match2'" protocol "$dir/m.st" AB --problem mtch2
refuses 2 'protocol: no such parameter' "unknown parameter 'Q'" protocol "$dir/m.st" AB --problem match2 --set Q=1
finish
