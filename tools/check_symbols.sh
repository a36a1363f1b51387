#!/bin/sh
# check_symbols.sh: libattest.so exports what include/attest.h declares, and nothing else.
#
#     tools/check_symbols.sh [LIBRARY [HEADER]]
#
# A call is declared by a line that begins with AT_API; its name is the word before the first bracket. What the library defines is
# asked of nm. Says which side has what the other has not; exit 1 when one has.
set -u
library=${1:-${BUILD:-build}/libattest.so} header=${2:-include/attest.h}
[ -e "$library" ] || { echo "skipped: no $library"; exit 77; }
command -v nm >/dev/null 2>&1 || { echo 'skipped: no nm'; exit 77; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

sed -n 's/^AT_API [^(]*[ *]\(at_[a-z0-9_]*\)(.*/\1/p' "$header" | LC_ALL=C sort >"$dir/declared"
[ "$(grep -c '^AT_API' "$header")" -eq "$(wc -l <"$dir/declared")" ] ||
    { echo "$header: a line that begins with AT_API and declares no call"; exit 1; }
nm -D --defined-only --format=posix "$library" | cut -d ' ' -f 1 | sed 's/@.*//' | LC_ALL=C sort >"$dir/exported"
{
    LC_ALL=C comm -23 "$dir/declared" "$dir/exported" | sed "s|^|$library: does not export |"
    LC_ALL=C comm -13 "$dir/declared" "$dir/exported" | sed "s|.*|$library: exports &, which $header does not declare|"
} >"$dir/wrong"
cat "$dir/wrong"
[ -s "$dir/wrong" ] && exit 1
[ -s "$dir/declared" ] || { echo "$header declares no call"; exit 1; }
echo "$(wc -l <"$dir/declared") calls are exported"
