#!/bin/sh
# add_claim.sh on a toy catalogue: one file, one row, and every refusal leaves the tree as it was.
. tools/test/lib.sh
put src/claim/catalogue.c <<'C'
#define CATALOGUE(ROW)      \
    ROW(match2)             \
    /* add_claim: rows end here */
C
printf '.id = "@ID@", claim_@IDENT@\n' | put tools/claim_template.c.in
add() { sh tools/add_claim.sh "$1" "$tree"; }

fails 'no id' usage add ''
fails 'a path is no id' usage add ../x
fails 'capitals' usage add Toy
cp "$tree/src/claim/catalogue.c" "$tree/before"
holds 'refusals change nothing' cmp "$tree/before" "$tree/src/claim/catalogue.c"
holds 'a new claim' add toy-2
holds 'the file' grep -qxF '.id = "toy-2", claim_toy_2' "$tree/src/claim/claim_toy_2.c"
grep -A 1 '^    ROW(toy_2)              \\$' "$tree/src/claim/catalogue.c" >"$tree/row"
holds 'the row, before the mark, backslash under backslash' grep -qF 'rows end here' "$tree/row"
fails 'the same again' 'is already there' add toy-2
holds 'one row only' test "$(grep -c 'ROW(toy_2)' "$tree/src/claim/catalogue.c")" -eq 1
finish
