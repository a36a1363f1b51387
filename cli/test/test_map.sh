# test_map.sh: `map` as a table, a picture and JSON, without and with a ledger.
. cli/test/lib.sh

says 0 'map: a table' 'linear' map
fits 'the table fits 80 columns'
harmless 'no colour into a pipe'
holds 'map: what is constant' grep -qF constant "$dir/.out"
call check match2 --set N=4 --db "$dir/m.db" -o "$dir/r.html"
says 0 'map --db: checked is starred' '3 *' map --db "$dir/m.db"
for kind in png svg pdf; do
    says 0 "map -o .$kind" 'panels' map --db "$dir/m.db" -o "$dir/map.$kind"
done
holds 'a PNG' sh -c "head -c 4 '$dir/map.png' | grep -q PNG"
holds 'a PDF' sh -c "head -c 4 '$dir/map.pdf' | grep -q %PDF"
holds 'an SVG with a checked construction' grep -q 'construction, checked' "$dir/map.svg"
says 0 'map --json' '"contradictions": 0' map --json
holds 'the report has the map' grep -q '<section id="map">' "$dir/r.html"

refuses 2 'map: unknown picture' '.gif' map -o "$dir/p.gif"
refuses 2 'map: a word too many' 'lis' map lis
refuses 2 'map: no such ledger' 'none.db' map --db "$dir/none.db"
refuses 2 'map: not over the ledger' 'm.svg' map --db "$dir/m.svg" -o "$dir/m.svg"
echo no >"$dir/text.db"
refuses 2 'map: no ledger' 'text.db' map --db "$dir/text.db"
refuses 2 'map: a missing directory' 'No such file or directory' map -o "$dir/no/p.svg"
finish
