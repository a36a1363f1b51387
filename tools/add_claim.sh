#!/bin/sh
# add_claim.sh: starts a new claim: one file from the template, one row in the catalogue.
#
#     tools/add_claim.sh PAPER ID [ROOT]
#
# PAPER is the folder of the paper it comes from, first author and year (yang2024); it is made when it is not there.
# ID: lower-case letters, digits, - and _, a letter first.
#
# In tools/claim_template.c.in, @ID@ becomes the id and @IDENT@ the id as a C identifier (- becomes _).
# The row `ROW(IDENT)` goes before the line "add_claim: rows end here" of src/claim/catalogue.c, its
# backslash under that of the row above.
set -eu
paper=${1:-}
id=${2:-}
cd "${3:-$(dirname "$0")/..}"

usage()
{
    echo 'usage: tools/add_claim.sh PAPER ID' >&2
    echo '  PAPER  a folder, first author and year: yang2024' >&2
    echo '  ID     lower-case letters, digits, - and _, a letter first' >&2
    exit 2
}
case $paper in
[a-z]*[12][0-9][0-9][0-9]) ;;
*) usage ;;
esac
case ${paper%[12][0-9][0-9][0-9]} in
*[!a-z]*) usage ;;
esac
case $id in
'' | [!a-z]* | *[!a-z0-9_-]*) usage ;;
esac
ident=$(echo "$id" | tr - _)
file=src/claim/$paper/claim_$ident.c
catalogue=src/claim/catalogue.c
template=tools/claim_template.c.in

for there in src/claim/*/claim_"$ident".c; do
    [ ! -e "$there" ] || { echo "add_claim: $there is already there" >&2; exit 2; }
done
[ -f "$template" ] || { echo "add_claim: no $template" >&2; exit 2; }
grep -qF 'add_claim: rows end here' "$catalogue" ||
    { echo "add_claim: $catalogue has no line \"add_claim: rows end here\"" >&2; exit 2; }

trap 'rm -f "$file.tmp" "$catalogue.tmp"' EXIT
mkdir -p "src/claim/$paper"
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
