# test_circuit.sh: `attest extract --to circuit`: files of three formats that say the same, JSON, refusals, budgets.
. cli/test/lib.sh

call compile --regex '(ab)*' --set N=8 -o "$dir/ab.st"
says 0 'says what it is like' 'for words of 6 letters in exact arithmetic' extract "$dir/ab.st" --to circuit --length 6 -o "$dir/ab.blif"
holds 'without threshold gates' grep -qF ', 0 thresholds: AC0; at every length at most' "$dir/.out"
holds 'beside a table' grep -qF 'a table of all inputs has 64 rows' "$dir/.out"
says 0 'AIGER' 'of AND, OR and NOT alone' extract "$dir/ab.st" --to circuit --length 6 -o "$dir/ab.aag"
says 0 'AIGER, binary' 'of AND, OR and NOT alone' extract "$dir/ab.st" --to circuit --length 6 -o "$dir/ab.aig"
says 0 'printed without a file' '.model attest' extract "$dir/ab.st" --to circuit --length 2
call extract "$dir/ab.st" --to circuit --length 6 --json -o "$dir/ab.aag"
json() { python3 -c "import json,sys; o=json.load(open('$dir/.out')); sys.exit(0 if ($1) else 1)"; }
holds 'JSON' json "o['inputs'] == 6 and o['table'] == 64 and o['thresholds'] == 0 and o['gates'] == o['ands'] + o['ors'] + o['nots'] and o['file_gates'] > 0 and o['precision'] == 'exact'"

# An own reader of the ascii file: (ab)* of six letters, a is input 0.
aag_run()
{
    python3 - "$1" <<'PY'
import sys
head, *lines = open(sys.argv[1]).read().split("\n")
m, i, _, o, a = map(int, head.split()[1:])
words = []
for x in range(1 << i):
    v = {0: 0, 1: 1}
    for k in range(i):
        v[int(lines[k])] = x >> k & 1
        v[int(lines[k]) ^ 1] = 1 - (x >> k & 1)
    for line in lines[i + o:i + o + a]:
        p, q, r = map(int, line.split())
        v[p] = v[q] & v[r]
        v[p ^ 1] = 1 - v[p]
    if v[int(lines[i])]:
        words.append("".join("ab"[x >> k & 1] for k in range(i)))
print(" ".join(words))
PY
}
aag_run "$dir/ab.aag" >"$dir/words"
holds 'accepts (ab)* and nothing else' grep -qx ababab "$dir/words"

call build majority --set N=8 -o "$dir/soft.st"
call build majority --set N=8,weighting=average-hard -o "$dir/mean.st"
says 0 'average-hard takes threshold gates' ': TC0; at every length' extract "$dir/mean.st" --to circuit --length 7 -o "$dir/mean.aag"
says 0 'softmax at p bits, too' ': TC0; at every length' extract "$dir/soft.st" --to circuit --length 7 --precision p3e4 -o "$dir/soft.aag"
aag_run "$dir/mean.aag" >"$dir/words"
aag_run "$dir/soft.aag" >"$dir/words2"
holds 'half of the words of seven letters have more ones' test "$(wc -w <"$dir/words")" -eq 64
holds 'by both' cmp -s "$dir/words" "$dir/words2"

refuses 2 'a length is asked for' 'circuit is of words of one length: --length N' extract "$dir/ab.st" --to circuit
refuses 2 'one that the model takes' 'not of 9' extract "$dir/ab.st" --to circuit --length 9
refuses 2 'softmax in rationals' 'softmax attention has irrational weights' extract "$dir/soft.st" --to circuit --length 7
refuses 2 'sums whose order matters' 'f64: a circuit is made in exact arithmetic' extract "$dir/soft.st" --to circuit --length 7 --precision f64
refuses 2 'another kind of file' 'a circuit is written as .blif, .aag or .aig' extract "$dir/ab.st" --to circuit --length 6 -o "$dir/ab.txt"
holds 'nothing is written then' test ! -e "$dir/ab.txt"
refuses 3 'more gates than asked for' 'the circuit has more than 12 gates, at position 3 of 7 of block 1 of 4' extract "$dir/ab.st" --to circuit --length 6 --gates 12
refuses 3 'more values than asked for' 'has more than 4 states, at position' extract "$dir/ab.st" --to circuit --length 6 --values 4
says 0 'enough of both' '.model attest' extract "$dir/ab.st" --to circuit --length 2 --gates 100000 --values 100000
refuses 2 'gates of a formula' '--gates has no effect: ltl has none' extract "$dir/ab.st" --to ltl --gates 5
refuses 2 'too many values of a formula' '--values 5000: ltl takes 1 to 4096' extract "$dir/ab.st" --to ltl --values 5000
says 0 'quotients that are rounded alone' ': TC0; at every length' extract "$dir/soft.st" --to circuit --length 7 --precision q3e4 -o "$dir/q.aag"
refuses 2 'a sentence of more than one layer' 'not one attention layer' extract "$dir/ab.st" --to fom
says 0 'one sentence for all lengths' 'a sentence of FOM[BIT] of 287 parts, 0 exponentials' extract "$dir/soft.st" --to fom -o "$dir/maj.fom"
holds 'with BIT and a majority quantifier' grep -q 'BIT(.*(more (' "$dir/maj.fom"
refuses 2 'a sentence has no precision' '--precision has no effect' extract "$dir/ab.st" --to fom --precision q3e3
call build match2 -o "$dir/m.st"
refuses 2 'a model that is asked at every position about numbers' 'attention' extract "$dir/m.st" --to circuit --length 4

finish
