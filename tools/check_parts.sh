#!/bin/sh
# check_parts.sh: a new part of a model (include/attest/parts.def) is found, by the compiler or by a refusal.
#
#     tools/check_parts.sh [ROOT]       prints what is wrong; exit 1 when anything is
#
# 1. docs/model.md has the tables of parts.def (tools/parts.sh prints them).
# 2. No switch over an enumeration of a model has a `default:`, which would take a new member in silence. (-Wswitch-enum, which
#    the Makefile sets, finds the missing case.)
# 3. No weighting, mask, post or position feature is compared with == or !=, which would take every new one for another: ask the
#    table what it is (AT_IS_*) or who takes it (AT_IN_*), or switch. Tests may compare.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}" || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0

sh "$here/parts.sh" . >"$dir/made" || exit 2
sed -n '/^<!-- parts -->$/,/^<!-- end of parts -->$/p' docs/model.md | sed '1d;$d' | sed '1{/^$/d}' | sed '${/^$/d}' >"$dir/page"
if ! diff -u "$dir/page" "$dir/made" >"$dir/diff"; then
    echo 'docs/model.md: the tables of parts are not those of include/attest/parts.def (tools/parts.sh prints them)'
    sed 's/^/    /' "$dir/diff"
    failed=1
fi

grep -oE '^AT_[A-Z]+_ROW\(AT_[A-Z0-9_]+' include/attest/parts.def | sed 's/.*(//' >"$dir/parts"
[ "$(wc -l <"$dir/parts")" -ge 20 ] || { echo "check_parts: only $(wc -l <"$dir/parts") parts found" >&2; exit 2; }
parts=$(grep -v '^AT_ATTENTION' "$dir/parts" | tr '\n' '|' | sed 's/|$//')
files=$(find src cli -type f \( -name '*.c' -o -name '*.h' -o -name '*.inc' \) ! -path '*/test/*' | LC_ALL=C sort)
# shellcheck disable=SC2086
if grep -nE "[!=]= *($parts)\\b" $files >"$dir/compared"; then
    sed 's/$/    <- ask at_..._is, or switch/' "$dir/compared"
    failed=1
fi

# Switches, by the blanks before them: clang-format closes each with a brace below its first letter.
# shellcheck disable=SC2086
awk -v kinds="^ *case ($(tr '\n' '|' <"$dir/parts")AT_(FIELD|ACT|CELL|BLOCK|NORM|READ|STOP)_[A-Z]+):" '
/^ *switch \(/ {
    match($0, /^ */)
    depth++
    indent[depth] = RLENGTH
    model[depth] = other[depth] = 0
}
depth && $0 ~ kinds { model[depth] = 1 }
depth && /^ *default:/ { other[depth] = FNR }
depth && /^ *}/ {
    match($0, /^ */)
    if (RLENGTH == indent[depth]) {
        if (model[depth] && other[depth]) {
            printf "%s:%d: default: in a switch over an enumeration of a model\n", FILENAME, other[depth]
            failed = 1
        }
        depth--
    }
}
FNR == 1 && NR > 1 && depth { depth = 0 }
END { exit failed }' $files || failed=1

[ $failed -eq 0 ] && echo "$(wc -l <"$dir/parts") parts are in docs/model.md; none is compared, and no switch takes a new one in silence"
exit $failed
