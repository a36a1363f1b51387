#!/bin/sh
# check_evidence.sh: every claim has evidence, all evidence is for a claim, and what it says was shown by a test that ran.
#
#     tools/check_evidence.sh [ROOT [LOGS]]
#
# A claim is a file src/claim/PAPER/claim_*.c with a line `.id = "match2"` in its at_claim (tables have ids
# too, which do not count). Evidence is a comment line
#     EVIDENCE match2 exact 161051 test_every_cell: every sequence at N=5 M=11
# (claim, kind, how many inputs or cases at least, the test that shows it; `all` of infinitely many) in a test
# src/*/test/test_*.c that runs it.
#
# With LOGS, where tools/run_tests.sh has put what the tests said: the test passed, and said of this claim and kind that it
# looked at so many, in a line that evidence_say (src/core/test/test_evidence.h) writes.
set -u
cd "${1:-.}" || exit 2
logs=${2:-}

claims=$(find src/claim -name 'claim_*.c' ! -path '*/test/*' 2>/dev/null | LC_ALL=C sort)
tests=$(find src/*/test -name 'test_*.c' 2>/dev/null | LC_ALL=C sort)
said=
[ -z "$logs" ] || said=$(find "$logs" -name '*.log' | LC_ALL=C sort)

# Our file names hold no spaces. /dev/null keeps awk off the standard input when there is no file.
# shellcheck disable=SC2086
awk -v logs="$logs" '
function bad(where, why)
{
    print where ": " why
    failures++
}

# src/claim/test/test_claims.c and LOGS/claim/test_claims.log are one program
function program_of(path)
{
    if (logs != "" && index(path, logs "/") == 1)
        path = substr(path, length(logs) + 2)
    sub(/^src\//, "", path)
    sub(/\/test\//, "/", path)
    sub(/\.(c|log)$/, "", path)
    return path
}

function number_of(text)
{
    return text == "all" ? 1e300 : text + 0
}

FNR == 1 {
    is_claim = FILENAME ~ /^src\/claim\/([^\/]*\/)*claim_[^\/]*\.c$/
    is_log = logs != "" && index(FILENAME, logs "/") == 1
    if (is_claim) {
        file[++files] = FILENAME
        if (FILENAME !~ /^src\/claim\/[a-z]+[0-9]+\/[^\/]*$/)
            bad(FILENAME, "a claim is in the folder of its paper, src/claim/AUTHORyear")
    }
    inside = 0
    program = program_of(FILENAME)
}

is_log && /^ok [0-9]+ - / { passed[program, $4] = 1 }
is_log && /^# EVIDENCE / {
    key = program SUBSEP $6 SUBSEP $3 SUBSEP $4
    if (!(key in shown) || number_of($5) > shown[key])
        shown[key] = number_of($5)
}
is_log { next }

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

!is_claim && /cmocka_unit_test/ {
    line = $0
    while (match(line, /cmocka_unit_test[a-z_]*\([a-z0-9_]+/)) {
        name = substr(line, RSTART, RLENGTH)
        sub(/^.*\(/, "", name)
        runs[program, name] = 1
        line = substr(line, RSTART + RLENGTH)
    }
}

!is_claim && /^[ \t]*(\/\*|\*|\/\/|#)[ \t]*EVIDENCE([ \t]|$)/ {
    line = $0
    sub(/^.*EVIDENCE[ \t]*/, "", line)
    sub(/[ \t]*\*\/[ \t]*$/, "", line)
    n = split(line, word, /[ \t]+/)
    sub(/:$/, "", word[4])
    if (n < 4 || word[3] !~ /^([1-9][0-9]*|all)$/ || word[4] !~ /^[a-z][a-z0-9_]*$/)
        bad(FILENAME ":" FNR, "EVIDENCE needs a claim, a kind, how many, and the test that shows it")
    else {
        lines++
        where[lines] = FILENAME ":" FNR
        of[lines] = program
        about[lines] = word[1]
        kind[lines] = word[2]
        many[lines] = word[3]
        test[lines] = word[4]
        seen[word[1]] = 1
    }
}

END {
    for (i = 1; i <= files; i++)
        if (!(file[i] in id_of))
            bad(file[i], "has no at_claim with a line .id = \"...\"")
        else if (!(id_of[file[i]] in seen))
            bad(file[i], "claim " id_of[file[i]] " has no EVIDENCE line in any test")
    for (i = 1; i <= lines; i++) {
        key = of[i] SUBSEP test[i] SUBSEP about[i] SUBSEP kind[i]
        if (!(about[i] in claim))
            bad(where[i], "EVIDENCE for " about[i] ", which is no claim")
        else if (!((of[i], test[i]) in runs))
            bad(where[i], "EVIDENCE by " test[i] ", which this file does not run")
        else if (logs == "")
            continue
        else if (!((of[i], test[i]) in passed))
            bad(where[i], "EVIDENCE by " test[i] ", which has not passed")
        else if (!(key in shown))
            bad(where[i], test[i] " says nothing of " about[i] " " kind[i])
        else if (shown[key] < number_of(many[i]))
            bad(where[i], test[i] " has shown " about[i] " " kind[i] " on " shown[key] ", not on " many[i])
    }
    if (!failures)
        printf "%d claims, %d lines of evidence%s\n", files, lines, logs == "" ? "" : ", all of them shown"
    exit failures > 0
}' /dev/null $claims $tests $said
