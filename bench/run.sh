#!/bin/bash
# run.sh: attest beside its rivals, in interleaved rounds, as a table of medians and ratios.
#
#     ATTEST=build/attest BUILD=build bash bench/run.sh      (make bench)
#
# Rounds are interleaved (ours, theirs, ours, ...), so that a machine that slows down slows both. PyTorch gets
# the fastest environment that we know: BLIS with OpenMP where it is installed, pinned threads, and a malloc that
# does not return every temporary to the system. Without PyTorch its columns say so. p-bit arithmetic
# is measured against MPFR by bench_pbit, chains a second by bench_generate, growth with the length by bench scaling and bench chain.
# Variables: ROUNDS, SECONDS_A_ROUND, THREADS, PYTHON, DROPOUTS (of the training rows), STATES (of the collision search), PARTS
# (check train generate scaling chain collide other; all by default).
set -u
attest=${ATTEST:-build/attest}
build=${BUILD:-build}
rounds=${ROUNDS:-3}
seconds=${SECONDS_A_ROUND:-1}
threads=${THREADS:-$(nproc)}
python=${PYTHON:-/usr/bin/python3}
dropouts=${DROPOUTS-0 0.1}
states=${STATES:-100000000}
parts=${PARTS:-check train generate scaling chain collide other}
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

rival() # $1 threads inside an operation, $2 are they pinned?, then a script and its arguments
{
    local inside=$1 pinned=$2 script=$3
    shift 3
    env ${blis:+LD_LIBRARY_PATH="$blis${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"} BLIS_NUM_THREADS="$inside" \
        OMP_NUM_THREADS="$inside" OMP_PROC_BIND="$pinned" MALLOC_MMAP_THRESHOLD_=4000000000 \
        MALLOC_TRIM_THRESHOLD_=8000000000 MALLOC_TOP_PAD_=67108864 \
        "$python" "$here/$script" "$@" --seconds "$seconds" --rounds 1 --threads "$threads"
}

wanted() # $1 part
{
    case " $parts " in *" $1 "*) true ;; *) false ;; esac
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

if wanted check; then
    echo
    format='%-17s %4s %12s %9s %8s %12s %7s\n'
    # The table's format is a constant.
    # shellcheck disable=SC2059
    printf "$format" claim N 'sequences/s' 'Gscore/s' 'MiB' 'torch seq/s' 'ratio'
    for row in 'match2 match2 20' 'match2 match2 64' 'match2 match2 512' 'match3-threewise match3 32' \
        'match3-threewise match3 128'; do
        read -r claim task n <<<"$row"
        ours='' theirs='' rss=0 scores=''
        for ((r = 0; r < rounds; r++)); do
            json=$("$attest" bench check "$claim" --set "N=$n" --seconds "$seconds" --rounds 1 --threads "$threads") || failed=1
            judged "$json" "attest $claim N=$n"
            ours+=$(value sequences_per_s <<<"$json")$'\n'
            scores+=$(value scores_per_s <<<"$json")$'\n'
            rss=$(value peak_rss_mib <<<"$json")
            if [ -n "$torch" ]; then
                modulus=$(grep -o 'M=[0-9]*' <<<"$json")
                json=$(rival "$threads" true torch_match.py "$task" "$n" --modulus "${modulus#M=}") || failed=1
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
fi

# Decoders: tokens a second. The rivals of these share a batch between Python threads, one thread inside an operation (more
# would fight each other); pinned, all of them would sit on one core.
decoder_row() # $1 attest's benchmark, $2 the rival's script, then the flags of both
{
    local bench=$1 script=$2 ours='' theirs='' gflops='' rss='' their_rss=- json size
    shift 2
    for ((r = 0; r < rounds; r++)); do
        json=$("$attest" bench "$bench" "$@" --seconds "$seconds" --rounds 1 --threads "$threads") || failed=1
        ours+=$(value tokens_per_s <<<"$json")$'\n'
        gflops+=$(value gflops <<<"$json")$'\n'
        rss=$(value peak_rss_mib <<<"$json")
        size=$(value parameters <<<"$json")
        if [ -n "$torch" ] && [ -n "$script" ]; then
            json=$(rival 1 false "$script" "$@") || failed=1
            theirs+=$(value tokens_per_s <<<"$json")$'\n'
            their_rss=$(value peak_rss_mib <<<"$json")
            if [ "$bench" = train ] && [ "$size" != "$(value parameters <<<"$json")" ]; then
                echo "bench: train $*: $size parameters, torch $(value parameters <<<"$json"): not the same work" >&2
                failed=1
            fi
        fi
    done
    awk -v us="$(printf '%s' "$ours" | median)" -v them="$(printf '%s' "$theirs" | median)" \
        -v g="$(printf '%s' "$gflops" | median)" -v m="$rss" -v n="$their_rss" 'BEGIN {
        ratio = "-"
        if (them != "") {
            ratio = sprintf("%.1f", us / them)
            them = sprintf("%.0f", them)
        }
        printf " %10.0f %10s %6s %8s %7.1f %7s\n", us, (them == "") ? "-" : them, ratio, (g == "") ? "-" : sprintf("%.1f", g), m, n }'
}
decoder_head='%-9s %4s %4s %5s %7s %10s %10s %6s %8s %7s %7s\n'

if wanted train; then
    echo
    echo 'training: forward, backward and AdamW, 3 layers, 4 heads'
    # shellcheck disable=SC2059
    printf "$decoder_head" attention D T batch dropout 'tokens/s' torch ratio 'GFLOP/s' MiB torch
    for p in $dropouts; do
        for row in 'standard 32 87 64' 'standard 64 87 64' 'standard 64 505 16' 'standard 128 221 32' \
            'standard 256 505 8' 'sparse 64 505 16' 'sparse 256 505 8' 'linear 64 505 16' 'linear 256 505 8'; do
            read -r kind d t b <<<"$row"
            printf '%-9s %4s %4s %5s %7s' "$kind" "$d" "$t" "$b" "$p"
            decoder_row train torch_train.py --attention "$kind" --width "$d" --length "$t" --batch "$b" --dropout "$p"
        done
    done
fi
if wanted generate; then
    echo
    if "$attest" bench generate --width 8 --length 4 --batch 1 --seconds 0.01 --rounds 1 2>&1 | grep -q 'unknown benchmark'; then
        echo 'generation: skipped, this attest has no bench generate'
    else
        echo 'generation: greedy, word by word, 3 layers, 4 heads'
        # shellcheck disable=SC2059
        printf "$decoder_head" attention D T batch '' 'tokens/s' torch ratio 'GFLOP/s' MiB torch
        for row in '64 87 1' '64 87 64' '256 505 64'; do
            read -r d t b <<<"$row"
            printf '%-9s %4s %4s %5s %7s' standard "$d" "$t" "$b" ''
            decoder_row generate torch_decode.py --width "$d" --length "$t" --batch "$b"
        done
    fi
fi
if wanted scaling; then
    echo
    echo 'growth with the length'
    "$attest" bench scaling --seconds 0.1 --rounds "$rounds" || failed=1
fi

if wanted chain; then
    echo
    echo 'chains of constructed decoders: edit distance, growth with the rows'
    for row in 'standard 512' 'local 128' 'sparse 64' 'linear 64'; do
        read -r kind n <<<"$row"
        "$attest" bench chain "$n" --attention "$kind" --rounds "$rounds" || failed=1
    done
fi

if wanted collide; then
    echo
    echo "collision search: $states states, one pair, a table of at most 8 GiB"
    "$attest" bench collide --states "$states" --threads "$threads" || failed=1
fi

wanted other || exit $failed
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
