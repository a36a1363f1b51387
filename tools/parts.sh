#!/bin/sh
# parts.sh: the tables of include/attest/parts.def as docs/model.md has them.
#
#     tools/parts.sh [ROOT]          prints Markdown: one table a kind of part
set -u
cd "${1:-.}" || exit 2
[ -f include/attest/parts.def ] || { echo 'parts: no include/attest/parts.def' >&2; exit 2; }
{
    for kind in WEIGHTING MASK POST POS ACT TRAIT; do
        printf '#define AT_%s_ROW(id, name, is, in, doc) @ "%s" name #is #in doc\n' $kind $kind
    done
    printf '#define AT_ATTENTION_ROW(id, name, weighting, mask, in, doc) @ "ATTENTION" name #weighting ", " #mask #in doc\n'
    echo '#include "include/attest/parts.def"'
} | ${CC:-cc} -E -P -I. -x c - | sed 's/"\([A-Z_]*\)" ", " "/"\1, /' | awk -F'"' '
function words(s)
{
    gsub(/AT_(IS|IN|MASK)_|AT_/, "", s)
    gsub(/ \| /, ", ", s)
    gsub(/_/, "-", s)
    return s == "0" ? "" : tolower(s)
}
BEGIN {
    title["WEIGHTING"] = "weighting"
    title["MASK"] = "mask"
    title["POST"] = "post"
    title["POS"] = "position feature"
    title["ACT"] = "activation"
    title["TRAIT"] = "trait"
    title["ATTENTION"] = "attention of decoders"
}
/^ *@/ {
    if ($2 != kind) {
        printf "%s| %s | in a line | is | taken by |\n|---|---|---|---|\n", kind == "" ? "" : "\n", title[$2]
        kind = $2
    }
    line = $10
    gsub(/[|]/, "\\|", line)
    printf "| `%s` | %s | %s | %s |\n", $4, line, words($6), words($8)
}'
