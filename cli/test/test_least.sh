# test_least.sh: one number varied: what holds is not monotone, and both answers are given.
. cli/test/lib.sh

call least match2 --set N=3,M=11 --vary p
holds 'exit 0' [ "$code" -eq 0 ]
holds 'a row a value' [ "$(grep -c '^  p[0-9]' "$dir/.out")" -eq 23 ]
holds 'right at 5' grep -q '^  p5 *holds *exact, 1331 inputs' "$dir/.out"
for p in 4 6 7 8; do
    holds "wrong at $p" grep -q "^  p$p *fails *refuted" "$dir/.out"
done
holds 'right from 9 on' [ "$(sed -n '/^  p9 /,/^  p24 /p' "$dir/.out" | grep -c holds)" -eq 16 ]
holds 'the least, and what is before it' grep -q '^the least that holds: p5 (exact, 1331 inputs); p4 before it: fails' "$dir/.out"
holds 'from which on' grep -q '^the least from which on all asked hold: p9 (exact, 1331 inputs); p8 before it: fails' "$dir/.out"

# Each row is what check says of that question.
for p in 5 6; do
    call check match2 --set N=3,M=11 --precision p$p --json
    holds "check agrees at $p" grep -q "\"role\": \"claim\", \"verdict\": \"$([ $p = 5 ] && echo holds || echo fails)\"" "$dir/.out"
done

says 0 'JSON' '"least": 5, "least_from_which_on_all_hold": 9' least match2 --set N=3,M=11 --vary p --range 4..10 --json
says 1 'the largest asked fails' 'from which on all asked hold: none of those asked' least match2 --set N=3,M=11 --vary p --range 4..7
holds 'though one holds' grep -q 'the least that holds: p5' "$dir/.out"
says 1 'none holds' 'the least that holds: none of those asked' least match2 --set N=3,M=11 --vary p --range 2..4
says 0 'a parameter' '  2      holds    exact, 49 inputs' least match2 --set M=7 --vary N --range 1..4
says 0 'a parameter, the arithmetic fixed' '  3      holds    exact, 1331 inputs' least match2 --set M=11 --vary N --range 2..3 --precision p9
call build match2 --set N=3,M=11 -o "$dir/m.st"
says 0 'a model file' 'hold: p9 (exact, 1463 inputs)' least "$dir/m.st" --problem match2 --set M=11 --lengths 1..3 --vary p --range 4..10
says 0 'a claim from a file' 'hold: p9' least examples/pairs.claim --set N=3,M=11 --vary p --range 8..10

refuses 2 'what varies' '--vary is missing' least match2
refuses 2 'no such parameter' "parameter 'Q'" least match2 --vary Q
refuses 2 'no integer' 'an integer parameter' least match2 --vary c
refuses 2 'varied and set' 'N is varied and set' least match2 --vary N --set N=3
refuses 2 'two arithmetics' '--precision fixes' least match2 --vary p --precision p9
refuses 2 'no range' 'must be as in 2..24' least match2 --vary p --range 5
refuses 2 'too few bits' 'p must be in 2..53' least match2 --vary p --range 1..5
refuses 2 'a parameter outside its range' 'N must be in' least match2 --vary N --range 0..99999999
refuses 2 'of a file only p' 'p can be varied' least "$dir/m.st" --problem match2 --vary N
refuses 2 'no such claim' 'match2' least match22 --vary p
refuses 2 'a bad size' 'M=' least match2 --set M=0 --vary p
# Verdicts are kept, and a second scan finds them.
call least match2 --set N=3,M=11 --vary p --range 5..6 --db "$dir/least.db"
cp "$dir/.out" "$dir/least.first"
holds 'a ledger is written' test -s "$dir/least.db"
call least match2 --set N=3,M=11 --vary p --range 5..6 --db "$dir/least.db"
holds 'the second scan says the same' cmp -s "$dir/.out" "$dir/least.first"
says 0 'and the ledger has its rows' 'report ' report --db "$dir/least.db" -o "$dir/least.html"
finish
