#!/bin/sh
# fuzz.sh: runs every fuzz target for a while, from its seeds, JOBS of them side by side.
#
#     JOBS=2 tools/fuzz.sh DIR SECONDS fuzz/fuzz_NAME.c...
#
# Binaries are in DIR/bin. What libFuzzer learns goes to DIR/corpus/NAME and what it breaks to
# DIR/crash/NAME-*: never into the repository, where fuzz/corpus/NAME holds chosen seeds only.
# A target that ends without having run anything has failed.
set -u
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1}"

one_target() # $1 folder, $2 seconds, $3 source
{
    dir=$1 seconds=$2 name=${3#fuzz/fuzz_}
    name=${name%.c}
    mkdir -p "$dir/corpus/$name" "$dir/crash"
    set -- "$dir/corpus/$name"
    [ -d "fuzz/corpus/$name" ] && set -- "$@" "fuzz/corpus/$name"
    [ -f "fuzz/$name.dict" ] && set -- "-dict=fuzz/$name.dict" "$@"
    # Options of one target, a line each; # begins a remark.
    # shellcheck disable=SC2046
    [ -f "fuzz/$name.options" ] && set -- $(sed 's/#.*//' "fuzz/$name.options") "$@"
    log=$dir/$name.log
    if "$dir/bin/$name" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$dir/crash/$name-" "$@" >"$log" 2>&1 &&
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log") && [ "${runs:-0}" -gt 0 ]; then
        echo "ok      fuzz $name: $runs runs"
    else
        { echo "FAILED  fuzz $name (log $log)"; tail -n 40 "$log"; } | dd bs=1M iflag=fullblock 2>/dev/null
        return 1
    fi
}

if [ "${1:-}" = --target ]; then
    one_target "$2" "$3" "$4"
    exit $?
fi
dir=$1 seconds=$2
shift 2
# xargs goes on after a target has failed, and then ends with 123.
printf '%s\n' "$@" | xargs -r -n 1 -P "${JOBS:-1}" sh "$0" --target "$dir" "$seconds"
