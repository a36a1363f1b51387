#!/bin/sh
# fuzz.sh: runs every fuzz target for a while, from its seeds.
#
#     tools/fuzz.sh DIR SECONDS fuzz/fuzz_NAME.c...
#
# Binaries are in DIR/bin. What libFuzzer learns goes to DIR/corpus/NAME and what it breaks to
# DIR/crash/NAME-*: never into the repository, where fuzz/corpus/NAME holds chosen seeds only.
set -u
dir=$1 seconds=$2
shift 2
failed=0
for source; do
    name=${source#fuzz/fuzz_}
    name=${name%.c}
    mkdir -p "$dir/corpus/$name" "$dir/crash"
    set -- "$dir/corpus/$name"
    [ -d "fuzz/corpus/$name" ] && set -- "$@" "fuzz/corpus/$name"
    [ -f "fuzz/$name.dict" ] && set -- "-dict=fuzz/$name.dict" "$@"
    # Options of one target, a line each; # begins a remark.
    # shellcheck disable=SC2046
    [ -f "fuzz/$name.options" ] && set -- $(sed 's/#.*//' "fuzz/$name.options") "$@"
    if "$dir/bin/$name" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$dir/crash/$name-" "$@" >"$dir/$name.log" 2>&1; then
        echo "ok      fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/$name.log") runs"
    else
        failed=$((failed + 1))
        echo "FAILED  fuzz $name (log $dir/$name.log)"
        tail -n 40 "$dir/$name.log"
    fi
done
[ $failed -eq 0 ]
