#!/bin/sh
# run_tests.sh: runs tests side by side, counts them, and shows only what failed.
#
#     printf 'tap num/test_gemm build/tests/num/test/test_gemm\n' | tools/run_tests.sh
#
# Standard input has one job a line: KIND NAME COMMAND.
#   tap  prints "ok ..." and "not ok ..." lines (cmocka is asked for TAP); every line is counted.
#        A bad exit without a "not ok", fewer lines than the plan "1..N" announced, or no line at
#        all is one failure more: a test that dies silently must not pass.
#   one  is one test: exit 0 passed, 77 skipped, anything else failed.
#   end  the same, but run when all others are through: it may read their logs.
# A job gets TEST_SECONDS, a TMPDIR of its own, no input; output stays in $LOGS/NAME.log and is
# printed only on failure. The last line is "N passed, N failed[, N skipped]"; exit 1 on any failure.
set -u
export BUILD="${BUILD:-build}" TEST_SECONDS="${TEST_SECONDS:-300}"
export LOGS="${LOGS:-$BUILD/test-logs}" # two runs at once need two places
logs=$LOGS

one_job() # $1 kind, $2 name, $3... command
{
    kind=$1 name=$2
    shift 2
    log=$logs/$name.log
    mkdir -p "$(dirname "$log")"
    TMPDIR=$(mktemp -d) || exit 1
    export TMPDIR
    # Looking at stacks of functions that have returned costs a sixth. `make fuzz` does, and the tests of the modules that hold the
    # data; those above them, which compute for minutes, and the scripts (cli/test/lib.sh) do not.
    case $name in
    check/* | claim/* | exec/* | extract/* | front/* | job/* | learn/* | report/* | train/*)
        ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=0
        ;;
    esac
    start=$(date +%s)
    timeout -k 10 "$TEST_SECONDS" sh -c "$*" >"$log" 2>&1 </dev/null
    rc=$?
    times >"$log.times" # the second line: what children used, user and system
    seconds="$(($(date +%s) - start)) s, $(awk 'NR == 2 {
        for (k = 1; k <= 2; k++) { split($k, t, /[ms]/); cpu += 60 * t[1] + t[2] }
        printf "%.1f CPU s", cpu }' "$log.times")"
    rm -f "$log.times"
    rm -rf "$TMPDIR"
    [ $rc -eq 124 ] && echo "timed out after $TEST_SECONDS s" >>"$log"
    if [ "$kind" != tap ]; then
        case $rc in
        0) counts='1 0 0' ;;
        77) counts='0 0 1' ;;
        *) counts='0 1 0' ;;
        esac
    else
        # cmocka before 2.0 writes a skipped test as "not ok N # SKIP name".
        counts=$(awk -v rc=$rc '
            /^1\.\.[0-9]+$/ { plan += substr($0, 4); next }
            /^(not )?ok( |$)/ {
                if (/# [Ss][Kk][Ii][Pp]/) skip++
                else if (/^not/) bad++
                else good++
            }
            END {
                if ((rc != 0 && !bad) || good + bad + skip < plan || good + bad + skip == 0) bad++
                print good + 0, bad + 0, skip + 0
            }' "$log")
    fi
    echo "$counts" >"$logs/$name.count"
    # The three counts are three words.
    # shellcheck disable=SC2086
    set -- $counts
    if [ "$2" -gt 0 ]; then
        { echo "FAILED  $name: $1 passed, $2 failed, exit $rc, $seconds"; sed 's/^/    /' "$log"; } |
            dd bs=1M iflag=fullblock 2>/dev/null
    else
        echo "ok      $name: $1 passed$([ "$3" -gt 0 ] && echo ", $3 skipped ($(grep -i skip "$log" | head -n 1))"), $seconds"
    fi
}

if [ "${1:-}" = --job ]; then
    shift
    # A job is a line of words.
    # shellcheck disable=SC2086
    one_job $1
    exit 0
fi

case $BUILD in
/*) top=$BUILD ;;
*) top=$PWD/$BUILD ;;
esac
export ATTEST="$top/attest" CMOCKA_MESSAGE_OUTPUT=TAP NO_COLOR=1 LC_ALL=C.UTF-8
export ASAN_OPTIONS="${ASAN_OPTIONS:-allocator_may_return_null=1:detect_stack_use_after_return=1}"
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$PWD/tools/lsan.supp:print_suppressions=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"

rm -rf "$logs"
mkdir -p "$logs"
cat >"$logs/jobs"
grep -v '^end ' "$logs/jobs" | xargs -r -d '\n' -n 1 -P "${JOBS:-1}" sh "$0" --job
grep '^end ' "$logs/jobs" | xargs -r -d '\n' -n 1 sh "$0" --job

# A job without a count (its runner was killed) is a failure, and so is a count without a job.
find "$logs" -name '*.count' -exec cat {} + | awk -v jobs="$(wc -l <"$logs/jobs")" '
    { good += $1; bad += $2; skip += $3; seen++ }
    END {
        bad += jobs > seen ? jobs - seen : seen - jobs
        printf "%d passed, %d failed%s\n", good, bad, skip ? ", " skip " skipped" : ""
        exit bad > 0 || jobs == 0
    }'
