# test_refute.sh: `refute`: a pair is found, run again, kept and served; what is right is not refuted; refusals.
. cli/test/lib.sh

"$attest" build match2 --set N=9,M=40 -o "$dir/pairs.st" >/dev/null
"$attest" build match3-threewise --set N=5,M=9 -o "$dir/triples.st" >/dev/null
"$attest" build dp-linear --set problem=prefix-sum,a=6 -o "$dir/sums.st" >/dev/null

# Pairs are no triples: one layer at 6 bits.
says 1 'refute: a pair' 'WRONG on' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6 --db "$dir/r.db"
says 1 'refute: by whom' 'refuted by one-layer' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6
says 1 'refute: served, run again' 'from the ledger, run again' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6 --db "$dir/r.db"
says 1 'refute: random search beside it' 'plain random search, the same work' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6
says 1 'refute: a search, one input' 'refuted by search' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --by search
says 1 'refute: JSON' '"refuted": true' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6 --json

# What is printed is wrong indeed.
call refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6
wrong=$(sed -n 's/^  WRONG on *//p' "$dir/.out" | head -1)
right=$(sed -n '/WRONG on/,$s/^    right *//p' "$dir/.out" | head -1)
where=$(sed -n '/WRONG on/,$s/^    at *position //p' "$dir/.out" | head -1)
said=$("$attest" run "$dir/pairs.st" --precision p6 "$wrong" | cut -d' ' -f"$where")
holds 'refute: what is printed is wrong' test "$said" != "$right"

# What was asked and what came of it is said, in words and as JSON.
holds 'refute: the problem and the arithmetic' grep -q '^  match3 N=9 M=40, in p6$' "$dir/.out"
call refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6 --json
for key in '"problem": "match3"' '"parameters": "N=9 M=40"' '"arithmetic": "p6"' '"tolerance": null' '"position": '"$where," \
    '"got": \[' '"right": \[' '"multiply_adds": '; do
    holds "refute: JSON has $key" grep -q -- "$key" "$dir/.out"
done
call build qsa-rip --set N=9,q=2,alpha=0.01 -o "$dir/q.st"
says 1 'refute: real answers, with the tolerance' 'in p4, tolerance 0.25' refute "$dir/q.st" --task qsa --set N=9,q=2 --precision p4
holds 'refute: where a pair of them differs' grep -q 'number 1 of 2: right are 0.5 and -0.5, got -0.625 and -0.625' "$dir/.out"

# f64 unless it is said: a certified model that f32 does not carry.
call build match2 --set N=64,M=4096 -o "$dir/certified.st"
says 3 'refute: f64 by default' 'match2 N=64 M=4096, in f64' refute "$dir/certified.st" --task match2 --set N=64,M=4096 --budget 40
says 1 'refute: f32 is asked for' 'match2 N=64 M=4096, in f32' refute "$dir/certified.st" --task match2 --set N=64,M=4096 --precision f32

# The same seed, the same words, busy or not, on any number of threads.
call refute "$dir/certified.st" --task match2 --set N=64,M=4096 --budget 20 --threads 1
cp "$dir/.out" "$dir/once"
for k in 1 2 3 4; do
    (while [ ! -e "$dir/enough" ]; do :; done) &
done
call refute "$dir/certified.st" --task match2 --set N=64,M=4096 --budget 20 --threads 3
: >"$dir/enough"
wait
holds 'refute: the same on a busy machine' cmp -s "$dir/once" "$dir/.out"

# A model that is right.
says 3 'refute: never "holds"' 'that proves nothing' refute "$dir/triples.st" --task match3 --set N=5,M=9 --precision p30 --budget 1 --db "$dir/q.db"
says 3 'refute: the next run tries others' 'with 1 earlier run' refute "$dir/triples.st" --task match3 --set N=5,M=9 --precision p30 --budget 1 --db "$dir/q.db"
says 3 'refute: JSON of nothing' '"refuted": null' refute "$dir/triples.st" --task match3 --set N=5,M=9 --precision f64 --budget 1 --json
says 3 'refute: a decoder that is right' 'running-sums' refute "$dir/sums.st" --task dp-linear --set problem=prefix-sum,a=6 --precision f64 --budget 1

call compile examples/pairs.program -o "$dir/alone.st"
refuses 2 'refute: no task' 'which problem should it solve? (--problem NAME|FILE' refute "$dir/alone.st"
refuses 2 'refute: an unknown task' "did you mean 'match3'?" refute "$dir/pairs.st" --task match33
refuses 2 'refute: another length' 'the model takes lengths' refute "$dir/pairs.st" --task match3 --set N=20,M=40
refuses 2 'refute: other rows' 'a position of qsa has 4 numbers, the model takes 1' refute "$dir/pairs.st" --task qsa --set N=9,q=2
refuses 2 'refute: no decoder' 'is for decoders' refute "$dir/pairs.st" --task lis
refuses 2 'refute: a decoder' 'the model is a decoder' refute "$dir/sums.st" --task match3-local
refuses 2 'refute: an unknown refuter' "did you mean 'search'?" refute "$dir/pairs.st" --task match3 --set N=9,M=40 --by serch
refuses 2 'refute: refuters there are' 'there are: cases, null-space, ' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --by xyzzy
says 3 'refute: random search knows better' 'without --by' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6 --by null-space
refuses 2 'refute: balls' "--precision 'ball': must be f32, f64 or pN, pNeE" refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision ball
refuses 2 'refute: no such file' 'nothing.st' refute "$dir/nothing.st" --task match3
refuses 2 'refute: a budget' '0.001..1e+12' refute "$dir/pairs.st" --task match3 --budget 0

# Interrupted: what was tried is kept.
"$attest" refute "$dir/triples.st" --task match3 --set N=5,M=9 --precision f32 --budget 1000000 --db "$dir/c.db" >/dev/null 2>&1 &
pid=$!
catches "$pid"
kill -TERM "$pid"
wait "$pid"
code=$?
holds 'refute: interrupted is exit 3' test "$code" -eq 3
says 3 'refute: and was counted' 'with 1 earlier run' refute "$dir/triples.st" --task match3 --set N=5,M=9 --precision f32 --budget 1 --db "$dir/c.db"
finish
