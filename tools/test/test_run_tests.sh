#!/bin/sh
# The test runner: what must count as a failure does.
. tools/test/lib.sh
run() { printf "%s\n" "$@" | BUILD="$tree/b" LOGS="$tree/b/test-logs" TEST_SECONDS=1 JOBS=2 sh tools/run_tests.sh; }
says() # $1 name, $2 last line, $3... jobs
{
    name=$1 last=$2
    shift 2
    run "$@" >"$tree/.out" 2>&1
    rc=$?
    case $last in
    *' 0 failed'*) [ $rc -eq 0 ] ;;
    *) [ $rc -ne 0 ] ;;
    esac && [ "$(tail -n 1 "$tree/.out")" = "$last" ]
    verdict $(($? != 0)) "$name"
}
put good <<'SH'
echo 1..2; echo ok 1 - a; echo ok 2 - b
SH
put one_bad <<'SH'
echo ok 1; echo not ok 2 - b; echo 'not ok 3 # SKIP c'; exit 1
SH
put dies <<'SH'
echo 1..3; echo ok 1; kill -SEGV $$
SH
put short <<'SH'
echo 1..3; echo ok 1
SH
says 'all good' '3 passed, 0 failed' "tap a sh $tree/good" 'one b true'
says 'a failure and a skip' '1 passed, 1 failed, 1 skipped' "tap a sh $tree/one_bad"
says 'a crash' '1 passed, 1 failed' "tap a sh $tree/dies"
says 'fewer than planned' '1 passed, 1 failed' "tap a sh $tree/short"
says 'silence' '0 passed, 1 failed' 'tap a true'
says 'too slow' '0 passed, 1 failed' 'one a sleep 5'
says 'skipped' '0 passed, 0 failed, 1 skipped' 'one a exit 77'
says 'what comes at the end sees the logs of all others' '3 passed, 0 failed' "end z grep -q 2 $tree/b/test-logs/a.log" "tap a sleep 0.3; sh $tree/good"
says 'and its failure counts' '2 passed, 1 failed' 'end z false' "tap a sh $tree/good"

# A count that belongs to no job must not hide a failure.
put stray <<'SH'
echo '5 0 0' >"$LOGS/stray.count"; echo ok 1
SH
says 'a stray count' '6 passed, 1 failed' "tap a sh $tree/stray"
finish
