# test_refute.sh: `refute`: a pair is found, run again, kept and served; what is right is not refuted; refusals.
. cli/test/lib.sh

"$attest" build match2 --set N=9,M=40 -o "$dir/pairs.st" >/dev/null
"$attest" build match3-threewise --set N=5,M=9 -o "$dir/triples.st" >/dev/null
"$attest" build dp-linear --set problem=prefix-sum,a=6 -o "$dir/sums.st" >/dev/null

# Pairs are no triples: one layer at 6 bits.
says 1 'refute: a pair' 'WRONG on' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6 --db "$dir/r.db"
says 1 'refute: by whom' 'refuted by one-layer' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6
says 1 'refute: served, run again' 'from the ledger, run again' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6 --db "$dir/r.db"
says 1 'refute: random search beside it' 'plain random search as long' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6
says 1 'refute: a search, one input' 'refuted by search' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --by search
says 1 'refute: JSON' '"refuted": true' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6 --json

# What is printed is wrong indeed.
call refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6
wrong=$(sed -n 's/^  WRONG on *//p' "$dir/.out" | head -1)
right=$(sed -n '/WRONG on/,$s/^    right *//p' "$dir/.out" | head -1)
where=$(sed -n '/WRONG on/,$s/^    at *position //p' "$dir/.out" | head -1)
said=$("$attest" run "$dir/pairs.st" --precision p6 "$wrong" | cut -d' ' -f"$where")
holds 'refute: what is printed is wrong' test "$said" != "$right"

# A model that is right.
says 3 'refute: never "holds"' 'that proves nothing' refute "$dir/triples.st" --task match3 --set N=5,M=9 --precision p30 --budget 1 --db "$dir/q.db"
says 3 'refute: the next run tries others' 'with 1 earlier run' refute "$dir/triples.st" --task match3 --set N=5,M=9 --precision p30 --budget 1 --db "$dir/q.db"
says 3 'refute: JSON of nothing' '"refuted": null' refute "$dir/triples.st" --task match3 --set N=5,M=9 --precision f64 --budget 1 --json
says 3 'refute: a decoder that is right' 'running-sums' refute "$dir/sums.st" --task dp-linear --set problem=prefix-sum,a=6 --precision f64 --budget 1

refuses 2 'refute: no task' 'what should the model compute? (--task TASK)' refute "$dir/pairs.st"
refuses 2 'refute: an unknown task' "did you mean 'match3'?" refute "$dir/pairs.st" --task match33
refuses 2 'refute: another length' 'the model takes lengths' refute "$dir/pairs.st" --task match3 --set N=20,M=40
refuses 2 'refute: other rows' 'takes 1 number a position' refute "$dir/pairs.st" --task qsa --set N=9,q=2
refuses 2 'refute: no decoder' 'is for decoders' refute "$dir/pairs.st" --task lis
refuses 2 'refute: a decoder' 'the model is a decoder' refute "$dir/sums.st" --task match3-local
refuses 2 'refute: an unknown refuter' "did you mean 'search'?" refute "$dir/pairs.st" --task match3 --set N=9,M=40 --by serch
refuses 2 'refute: refuters there are' 'there are: null-space, ' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --by xyzzy
says 3 'refute: random search knows better' 'without --by' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision p6 --by null-space
refuses 2 'refute: balls' 'f32, f64 or p bits' refute "$dir/pairs.st" --task match3 --set N=9,M=40 --precision ball
refuses 2 'refute: no such file' 'nothing.st' refute "$dir/nothing.st" --task match3
refuses 2 'refute: a budget' '0.1..1e+06' refute "$dir/pairs.st" --task match3 --budget 0

# Interrupted: what was tried is kept.
"$attest" refute "$dir/triples.st" --task match3 --set N=5,M=9 --precision f32 --budget 60 --db "$dir/c.db" >/dev/null 2>&1 &
pid=$!
sleep 1
kill -TERM "$pid"
wait "$pid"
code=$?
holds 'refute: interrupted is exit 3' test "$code" -eq 3
says 3 'refute: and was counted' 'with 1 earlier run' refute "$dir/triples.st" --task match3 --set N=5,M=9 --precision f32 --budget 0.5 --db "$dir/c.db"
finish
