#!/bin/sh
# build_id.sh: names this build by what it is made of.
#
#     tools/build_id.sh OUT VERSION WORDS...
#
# OUT becomes a header with AT_BUILD_ID, 16 hex digits of a SHA-256 over every file in include/, src/,
# cli/ and examples/ (tests left out: they are in no binary), path and content, and over WORDS (compiler, flags,
# library versions). The ledger serves a verdict only to the build that reached it, so the id must
# change with any source; OUT is touched only when the id changes, so nothing recompiles needlessly.
set -eu
out=$1 version=$2
shift 2

id=$({
    find include src cli examples -type f ! -path '*/test/*' ! -name '.*' ! -name '*~' ! -name '*.orig' -print0 |
        LC_ALL=C sort -z | xargs -0 -r sha256sum
    printf '%s\n' "$version" "$*"
} | sha256sum | cut -c 1-16)

mkdir -p "$(dirname "$out")"
tmp=$out.$$
cat >"$tmp" <<H
/* Written by tools/build_id.sh. */
#define AT_BUILD_ID "$id"
#define AT_VERSION "$version"
H
if cmp -s "$tmp" "$out"; then
    rm -f "$tmp"
else
    mv "$tmp" "$out"
fi
