#!/bin/sh
# add_claim.sh: starts a new claim: one file from the template, one row in the catalogue.
#
#     tools/add_claim.sh ID [ROOT]       ID: lower-case letters, digits, - and _, a letter first
#
# In tools/claim_template.c.in, @ID@ becomes the id and @IDENT@ the id as a C identifier (- becomes _).
# The row `ROW(IDENT)` goes before the line "add_claim: rows end here" of src/claim/catalogue.c, its
# backslash under that of the row above.
set -eu
id=${1:-}
cd "${2:-$(dirname "$0")/..}"

case $id in
'' | [!a-z]* | *[!a-z0-9_-]*)
    echo 'usage: tools/add_claim.sh ID   (lower-case letters, digits, - and _, a letter first)' >&2
    exit 2
    ;;
esac
ident=$(echo "$id" | tr - _)
file=src/claim/claim_$ident.c
catalogue=src/claim/catalogue.c
template=tools/claim_template.c.in

[ ! -e "$file" ] || { echo "add_claim: $file is already there" >&2; exit 2; }
[ -f "$template" ] || { echo "add_claim: no $template" >&2; exit 2; }
grep -qF 'add_claim: rows end here' "$catalogue" ||
    { echo "add_claim: $catalogue has no line \"add_claim: rows end here\"" >&2; exit 2; }

trap 'rm -f "$file.tmp" "$catalogue.tmp"' EXIT
sed -e "s/@ID@/$id/g" -e "s/@IDENT@/$ident/g" "$template" >"$file.tmp"
awk -v ident="$ident" '
    /add_claim: rows end here/ {
        row = "    ROW(" ident ")"
        do row = row " "; while (length(row) < length(above) - 1)
        print row "\\"
    }
    { print; above = $0 }' "$catalogue" >"$catalogue.tmp"
mv "$catalogue.tmp" "$catalogue"
mv "$file.tmp" "$file"
cat <<TEXT
$file: fill in the statement, the program and the cells.
$catalogue: one row added.
Next: in src/claim/test/test_claims.c a line "EVIDENCE $id KIND HOW-MANY test_every_cell: WHERE", then make test.
TEXT
