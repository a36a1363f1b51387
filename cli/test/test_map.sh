# test_map.sh: `map` as a table, a picture and JSON, without and with a ledger.
. cli/test/lib.sh

says 0 'map: a table' 'linear' map
fits 'the table fits 80 columns'
harmless 'no colour into a pipe'
holds 'map: what is constant' grep -qF constant "$dir/.out"
call check match2 --set N=4 --db "$dir/m.db" -o "$dir/r.html"
says 0 'map --db: checked is starred' '3 *' map --db "$dir/m.db"
for kind in png svg pdf; do
    # shellcheck disable=SC2086
    says 0 "map -o .$kind" 'panels' map --db "$dir/m.db" -o "$dir/map.$kind" $([ -z "$sanitized" ] && [ $kind = svg ] || echo --problem match2)
done
holds 'a PNG' sh -c "head -c 4 '$dir/map.png' | grep -q PNG"
holds 'a PDF' sh -c "head -c 4 '$dir/map.pdf' | grep -q %PDF"
holds 'an SVG with a checked construction' grep -q 'construction, checked' "$dir/map.svg"
says 0 'map --json' '"contradictions": 0' map --json
says 0 'map --json: ratios' '"ratio": 1.7058823529411764, "ratio_at": 256' map --problem compose --json
holds 'the report has the map' grep -q '<section id="map">' "$dir/r.html"

refuses 2 'map: unknown picture' '.gif' map -o "$dir/p.gif"
refuses 2 'map: a word too many' 'lis' map lis
refuses 2 'map: no such ledger' 'none.db' map --db "$dir/none.db"
refuses 2 'map: not over the ledger' 'm.svg' map --db "$dir/m.svg" -o "$dir/m.svg"
echo no >"$dir/text.db"
refuses 2 'map: no ledger' 'text.db' map --db "$dir/text.db"
refuses 2 'map: a missing directory' 'No such file or directory' map -o "$dir/no/p.svg"

# ---- one problem
says 0 'map --problem: the catalogue' 'gap x' map --problem lis
holds 'no other panels' sh -c "! grep -q '^match2' '$dir/.out' && [ \"\$(grep -c '^lis ' '$dir/.out')\" = 3 ]"
says 0 'a task by another name' 'one layer, chain' map --problem compose
sum_dp "$dir/sum.dp"
says 0 'map: my own recurrence' 'linear, params' map --problem "$dir/sum.dp"
fits 'it fits 80 columns'
holds 'no bound, in words' grep -q 'No bound is known to attest for sum.dp' "$dir/.out"
holds 'no ledger, in words' grep -q 'No ledger was given' "$dir/.out"
width=$("$attest" compile "$dir/sum.dp" --set n=6 -o "$dir/sum.st" | sed -n 's/.* width \([0-9]*\), [0-9]* param.*/\1/p')
holds 'the width that compiling gives' grep -qE "standard, width +n 1..6 +– +$width " "$dir/.out"
says 0 'sizes of my own' 'n 2..5' map --problem "$dir/sum.dp" --set n=2..5
says 0 'one size' 'n 4..4' map --problem "$dir/sum.dp" --set n=4
says 0 'a shipped recurrence' 'n=cap 2..32' map --problem knapsack
says 0 'another parameter' 'n 2..64' map --problem lis --set top=5
holds 'where its own sizes are' grep -q 'attest map --problem lis' "$dir/.out"
says 0 'a copy of a known one' 'attest map --problem ed shows' map --problem examples/edit-distance.dp
says 0 'its bounds are asked at these parameters' 'gap x' map --problem examples/prefix-sum.dp --set n=64..66,q=9
says 0 'parameters that no bound speaks of' 'No bound is known to attest for lis at these' map --problem lis --set letters=2
says 0 'sizes that no bound speaks of' 'No bound is known to attest for ed at these' map --problem ed --set n2=9
says 0 'map --problem --json' '"words": "' map --problem "$dir/sum.dp" --json
says 0 'as a picture' '8 panels' map --problem "$dir/sum.dp" -o "$dir/sum.svg"
holds 'it says what it is of' grep -q 'sum.dp' "$dir/sum.svg"
printf '0 1\t1\n1 1\t0\n' >"$dir/c.tsv"
says 0 'a file of cases: trained models only' 'only trained models' map --problem "$dir/c.tsv"
says 0 'no construction' 'only trained models' map --problem parity

refuses 2 'map: nothing to draw' 'there is nothing to draw' map --problem parity -o "$dir/p.svg"
refuses 2 'map: no such problem' "did you mean 'match2'" map --problem mtch2
refuses 2 'map: no such file' 'none.dp' map --problem "$dir/none.dp"
refuses 2 'map: no such parameter' "unknown parameter 'Q'" map --problem "$dir/sum.dp" --set Q=3
refuses 2 'map: a size that is none' 'n=7' map --problem "$dir/sum.dp" --set n=7
refuses 2 'map: two ranges' 'one parameter may be a range' map --problem knapsack --set n=2..3,cap=2..3
refuses 2 'map: no sizes to choose' 'is not compiled' map --problem match2 --set N=3
refuses 2 'map: --set alone' 'which --problem names' map --set n=3
refuses 2 'map: a faulty recurrence' 'bad.dp:1:1:' map --problem "$(printf 'nothing' >"$dir/bad.dp"; echo "$dir/bad.dp")"
finish
