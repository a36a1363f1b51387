#!/bin/sh
# check_docs.sh: docs/commands.md and the help texts agree.
#
#     ATTEST=build/attest tools/check_docs.sh [ROOT]
#
# Every command in `attest --help` has a section there (a heading naming it), every option in
# `attest COMMAND --help` stands in that section, every option of `attest --help` stands somewhere; and the
# page names no command and, in a section, no long option that the help does not know.
set -u
attest=${ATTEST:-${BUILD:-build}/attest}
here=$(cd "$(dirname "$0")" && pwd)
case $attest in /*) ;; *) attest=$PWD/$attest ;; esac
cd "${1:-.}" || exit 2
page=docs/commands.md

[ -f "$page" ] || { echo "skipped: no $page"; exit 77; }
[ -x "$attest" ] || { echo "check_docs: no $attest" >&2; exit 2; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0
bad()
{
    echo "$page: $*"
    failed=1
}

# The options in a text: --word and -x, one a line.
options()
{
    tr -c 'A-Za-z0-9-' '\n' | grep -E '^(--[a-z][a-z0-9-]*|-[A-Za-z])$' | LC_ALL=C sort -u
}

# The page cut into one file a command: from its heading to the next of the same or a higher rank.
awk -v dir="$dir" '
    /^```/ { fence = !fence }
    !fence && /^#+ / {
        rank = index($0, " ") - 1
        title = $0
        gsub(/[#`]/, "", title)
        sub(/^ +/, "", title)
        named = sub(/^attest +/, "", title)
        sub(/[^a-z0-9-].*$/, "", title)
        if (named && title != "") {
            open = rank
            out = dir "/" title ".section"
        } else if (rank <= open)
            out = ""
    }
    out != "" { print >out }' "$page"

sh "$here/commands.sh" "$attest" >"$dir/commands"
[ -s "$dir/commands" ] || { echo 'check_docs: attest --help names no command' >&2; exit 1; }

while read -r command; do
    if ! "$attest" "$command" --help >"$dir/help" 2>&1; then
        echo "attest $command --help fails"
        failed=1
        continue
    fi
    section=$dir/$command.section
    [ -f "$section" ] || { bad "no section \"attest $command\""; continue; }
    options <"$dir/help" >"$dir/in_help"
    options <"$section" >"$dir/in_page"
    for option in $(LC_ALL=C comm -23 "$dir/in_help" "$dir/in_page"); do
        bad "section \"attest $command\" does not mention $option"
    done
    for option in $(LC_ALL=C comm -13 "$dir/in_help" "$dir/in_page" | grep '^--'); do
        bad "section \"attest $command\" mentions $option, which its help does not know"
    done
done <"$dir/commands"

for section in "$dir"/*.section; do
    [ -f "$section" ] || continue
    command=$(basename "$section" .section)
    grep -qxF -- "$command" "$dir/commands" || bad "section \"attest $command\" is about no command"
done
options <"$page" >"$dir/in_page"
for option in $("$attest" --help | options | LC_ALL=C comm -23 - "$dir/in_page"); do
    bad "does not mention $option"
done

[ $failed -eq 0 ] && echo "$(wc -l <"$dir/commands") commands agree with $page"
exit $failed
