#!/bin/sh
# Adding a claim touches two files: in a copy of the tree, add_claim.sh adds a toy, and it builds,
# is listed, and is checked as it stands. The objects come along, so that only what changed is compiled.
. tools/test/lib.sh
if [ ! -f tools/claim_template.c.in ] || [ ! -f src/claim/catalogue.c ]; then
    echo 'ok 1 # SKIP no template or no catalogue yet'
    exit 0
fi
cp -a Makefile tools include src cli examples "$tree"
mkdir "$tree/build"
cp -a "${BUILD:-build}/obj" "${BUILD:-build}/config.mk" "${BUILD:-build}/flags" "$tree/build"
build() { make --no-print-directory -j1 -C "$tree" all BUILD=build CC="${CC:-gcc}"; }
attest=$tree/build/attest

find "$tree/src" "$tree/cli" -type f -exec sha256sum {} + | LC_ALL=C sort >"$tree/before"
holds 'add_claim.sh' sh tools/add_claim.sh toy2026 toy-claim "$tree"
find "$tree/src" "$tree/cli" -type f -exec sha256sum {} + | LC_ALL=C sort >"$tree/after"
holds 'one new file, one changed' test "$(LC_ALL=C comm -13 "$tree/before" "$tree/after" | wc -l)" -eq 2
holds 'it builds' build
holds 'it is listed' sh -c "'$attest' list claims | grep -q toy-claim"
holds 'it holds' "$attest" check toy-claim --db "$tree/toy.db"
fails 'it is reported when nobody has evidence for it' 'claim toy-claim has no EVIDENCE' sh tools/check_evidence.sh "$tree"
finish
