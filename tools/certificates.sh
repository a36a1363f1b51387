#!/bin/bash
# certificates.sh: of every claim a certificate of its quick tier, and what the verifier says of it. A row a claim; exit 1 if one is not confirmed.
#
#     tools/certificates.sh [ID...]            ATTEST=build/attest, PYTHON=/usr/bin/python3, LIMIT=600 (seconds a claim, by the clock)
#
# Seconds are of the processor. It takes four minutes of a core, so that `make test` has a few claims of each kind only (tools/test/test_verify.sh).
set -u
attest=${ATTEST:-${BUILD:-build}/attest} python=${PYTHON:-/usr/bin/python3} limit=${LIMIT:-600}
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
[ $# -gt 0 ] || set -- $("$attest" list claims --json | grep -o '"id": "[^"]*"' | cut -d'"' -f4)
TIMEFORMAT=%U
bad=0 all=0
printf '%-20s %8s %8s %10s %4s  %s\n' claim certify verify bytes exit 'the verifier'
for id; do
    made=$({ time "$attest" certify "$id" -o "$folder/x.cert" >"$folder/out" 2>&1; } 2>&1)
    checked=$({ time timeout "$limit" "$python" tools/verify.py "$folder/x.cert" >"$folder/out" 2>&1; echo $? >"$folder/code"; } 2>&1)
    code=$(cat "$folder/code") all=$((all + 1))
    [ "$code" -eq 0 ] || bad=$((bad + 1))
    printf '%-20s %8s %8s %10s %4s  %s\n' "$id" "$made" "$checked" "$(stat -c %s "$folder/x.cert" 2>/dev/null || echo -)" "$code" "$(tail -n 1 "$folder/out")"
    [ "$code" -eq 0 ] || grep -v '^confirmed' "$folder/out" | head -n 3
    rm -f "$folder/x.cert"
done
echo "$((all - bad)) of $all certificates confirmed"
[ "$bad" -eq 0 ]
