#!/bin/bash
# run.sh: attest beside its rivals, in interleaved rounds, as a table of medians and ratios.
#
#     ATTEST=build/attest BUILD=build bash bench/run.sh      (make bench)
#
# Rounds are interleaved (ours, theirs, ours, ...), so that a machine that slows down slows both. PyTorch gets
# the fastest environment that we know: BLIS with OpenMP where it is installed, pinned threads, and a malloc that
# does not return every temporary to the system. Without PyTorch its columns say so. p-bit arithmetic
# is measured against MPFR by bench_pbit, chains a second by bench_generate.
# Variables: ROUNDS, SECONDS_A_ROUND, THREADS, PYTHON.
set -u
attest=${ATTEST:-build/attest}
build=${BUILD:-build}
rounds=${ROUNDS:-3}
seconds=${SECONDS_A_ROUND:-1}
threads=${THREADS:-$(nproc)}
python=${PYTHON:-/usr/bin/python3}
here=$(dirname "$0")
[ -x "$attest" ] || { echo "bench: no $attest; run make first" >&2; exit 2; }

torch=
if [ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null; then
    torch=1
fi
blis=
for lib in /usr/lib/*/blis-openmp; do
    [ -d "$lib" ] && blis=$lib
done

rival() # $1 task, $2 N, $3 M
{
    env ${blis:+LD_LIBRARY_PATH="$blis${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"} BLIS_NUM_THREADS="$threads" \
        OMP_NUM_THREADS="$threads" OMP_PROC_BIND=true MALLOC_MMAP_THRESHOLD_=4000000000 \
        MALLOC_TRIM_THRESHOLD_=8000000000 MALLOC_TOP_PAD_=67108864 \
        "$python" "$here/torch_match.py" "$1" "$2" --modulus "$3" --seconds "$seconds" --rounds 1 --threads "$threads"
}

# The number under a key of a one-line JSON object.
value()
{
    grep -o "\"$1\": *[-+0-9.eE]*" | head -n 1 | sed 's/.*: *//'
}

median() # numbers, one a line
{
    sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

failed=0
judged() # $1 JSON, $2 whose: exit 1 in the end unless every checked sequence is correct
{
    local checked correct
    checked=$(value checked <<<"$1")
    correct=$(value correct <<<"$1")
    if [ "${checked:-0}" -eq 0 ] || [ "$checked" != "$correct" ]; then
        echo "bench: $2: ${correct:-0} of ${checked:-0} sequences are right" >&2
        failed=1
    fi
}

echo "$("$attest" --version), $threads threads, $rounds rounds of $seconds s each, interleaved"
if [ -n "$torch" ]; then
    echo "torch: $("$python" -c 'import torch; print(torch.__version__)')${blis:+, BLIS from $blis}"
else
    echo 'torch: not installed'
fi
echo
format='%-17s %4s %12s %9s %8s %12s %7s\n'
# The table's format is a constant.
# shellcheck disable=SC2059
printf "$format" claim N 'sequences/s' 'Gscore/s' 'MiB' 'torch seq/s' 'ratio'
for row in 'match2 match2 20' 'match2 match2 64' 'match2 match2 512' 'match3-threewise match3 32' \
    'match3-threewise match3 128'; do
    read -r claim task n <<<"$row"
    ours= theirs= rss=0 scores=
    for ((r = 0; r < rounds; r++)); do
        json=$("$attest" bench check "$claim" --set "N=$n" --seconds "$seconds" --rounds 1 --threads "$threads") || failed=1
        judged "$json" "attest $claim N=$n"
        ours+=$(value sequences_per_s <<<"$json")$'\n'
        scores+=$(value scores_per_s <<<"$json")$'\n'
        rss=$(value peak_rss_mib <<<"$json")
        if [ -n "$torch" ]; then
            modulus=$(grep -o 'M=[0-9]*' <<<"$json")
            json=$(rival "$task" "$n" "${modulus#M=}") || failed=1
            judged "$json" "torch $task N=$n"
            theirs+=$(value sequences_per_s <<<"$json")$'\n'
        fi
    done
    us=$(printf '%s' "$ours" | median)
    them=$(printf '%s' "$theirs" | median)
    # shellcheck disable=SC2059
    printf "$format" "$claim" "$n" "$us" "$(printf '%s' "$scores" | median | awk '{ printf "%.2f", $1 / 1e9 }')" \
        "$(printf '%.1f' "$rss")" "${them:--}" \
        "$(awk -v a="$us" -v b="${them:-0}" 'BEGIN { if (b > 0) printf "%.1f", a / b; else print "-" }')"
done

if [ -x "$build/bench/bench_pbit" ]; then
    echo
    echo 'p-bit arithmetic beside MPFR (nanoseconds an operation)'
    "$build/bench/bench_pbit"
fi
if [ -x "$build/bench/bench_generate" ]; then
    echo
    echo 'decoders: chains a second of one core, by a generator and by at_generate anew'
    "$build/bench/bench_generate" 4 0.2 || failed=1
fi
exit $failed
