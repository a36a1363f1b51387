#!/bin/sh
# check_evidence.sh: every claim has evidence, and all evidence is for a claim.
#
#     tools/check_evidence.sh [ROOT]
#
# A claim is a file src/claim/claim_*.c with a line `.id = "match2"` in its at_claim (tables have ids
# too, which do not count). Evidence is a comment line
#     EVIDENCE match2 exact n=6
# (claim, kind, how far) in a test: src/*/test/*.c or cli/test/*.sh.
set -u
cd "${1:-.}" || exit 2

claims=$(find src/claim -maxdepth 1 -name 'claim_*.c' 2>/dev/null | LC_ALL=C sort)
tests=$(find src/*/test cli/test -name '*.c' -o -name '*.sh' 2>/dev/null | LC_ALL=C sort)

# Our file names hold no spaces. /dev/null keeps awk off the standard input when there is no file.
# shellcheck disable=SC2086
awk '
function bad(where, why)
{
    print where ": " why
    failures++
}

FNR == 1 {
    is_claim = FILENAME ~ /^src\/claim\/claim_[^\/]*\.c$/
    if (is_claim)
        file[++files] = FILENAME
    inside = 0
}

/^(static )?const at_claim [a-z]/ { inside = 1 }

is_claim && inside && /^[ \t]*\.id[ \t]*=[ \t]*"/ && !(FILENAME in id_of) {
    id = $0
    sub(/^[^"]*"/, "", id)
    sub(/".*$/, "", id)
    if (id in claim)
        bad(FILENAME ":" FNR, "claim " id " is already in " claim[id])
    id_of[FILENAME] = id
    claim[id] = FILENAME
}

!is_claim && /^[ \t]*(\/\*|\*|\/\/|#)[ \t]*EVIDENCE([ \t]|$)/ {
    line = $0
    sub(/^.*EVIDENCE[ \t]*/, "", line)
    sub(/[ \t]*\*\/[ \t]*$/, "", line)
    n = split(line, word, /[ \t]+/)
    if (n < 3)
        bad(FILENAME ":" FNR, "EVIDENCE needs a claim, a kind and how far")
    else {
        lines++
        where[lines] = FILENAME ":" FNR
        about[lines] = word[1]
        seen[word[1]] = 1
    }
}

END {
    for (i = 1; i <= files; i++)
        if (!(file[i] in id_of))
            bad(file[i], "has no at_claim with a line .id = \"...\"")
        else if (!(id_of[file[i]] in seen))
            bad(file[i], "claim " id_of[file[i]] " has no EVIDENCE line in any test")
    for (i = 1; i <= lines; i++)
        if (!(about[i] in claim))
            bad(where[i], "EVIDENCE for " about[i] ", which is no claim")
    if (!failures)
        printf "%d claims, %d lines of evidence\n", files, lines
    exit failures > 0
}' /dev/null $claims $tests
