#!/bin/sh
# add_claim.sh on a toy catalogue: one file, one row, and every refusal leaves the tree as it was.
. tools/test/lib.sh
put src/claim/catalogue.c <<'C'
#define CATALOGUE(ROW)      \
    ROW(match2)             \
    /* add_claim: rows end here */
C
printf '.id = "@ID@", claim_@IDENT@\n' | put tools/claim_template.c.in
add() { sh tools/add_claim.sh "$1" "$2" "$tree"; }

cp "$tree/src/claim/catalogue.c" "$tree/before"
fails 'no paper' usage add '' toy
fails 'no id' usage add yao1979 ''
fails 'a path is no id' usage add yao1979 ../x
fails 'a path is no paper' usage add ../x1979 toy
fails 'a paper has a year' usage add yao toy
fails 'shared is no paper' usage add shared toy
fails 'capitals' usage add yao1979 Toy
holds 'refusals change nothing' cmp "$tree/before" "$tree/src/claim/catalogue.c"
holds 'nor do they leave folders' test "$(find "$tree/src/claim" | wc -l)" -eq 2
holds 'a new claim' add yao1979 toy-2
holds 'the file' grep -qxF '.id = "toy-2", claim_toy_2' "$tree/src/claim/yao1979/claim_toy_2.c"
grep -A 1 '^    ROW(toy_2)              \\$' "$tree/src/claim/catalogue.c" >"$tree/row"
holds 'the row, before the mark, backslash under backslash' grep -qF 'rows end here' "$tree/row"
fails 'the same again' 'is already there' add yao1979 toy-2
fails 'the same id of another paper' 'is already there' add yang2024 toy-2
holds 'one row only' test "$(grep -c 'ROW(toy_2)' "$tree/src/claim/catalogue.c")" -eq 1
finish
