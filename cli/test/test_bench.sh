# test_bench.sh: `bench` and interruption.
. cli/test/lib.sh

short='--seconds 0.02 --rounds 3'
# The words of $short are options.
# shellcheck disable=SC2086
for claim in match2 match3-threewise match3-bigram qsa-rip; do
    says 0 "bench $claim" '"sequences_per_s": ' bench check $claim $short
    checked=$(grep -o '"checked": [0-9]*' "$dir/.out" | tr -dc 0-9)
    correct=$(grep -o '"correct": [0-9]*' "$dir/.out" | tr -dc 0-9)
    holds 'brute force agrees on every one of some' test "${checked:-0}" -gt 0 -a "${checked:-0}" = "${correct:-}"
done
for key in claim params precision isa threads spread scores_per_s peak_rss_mib; do
    holds "there is $key" grep -q "\"$key\": " "$dir/.out"
done
# shellcheck disable=SC2086
{
    says 0 'f32 by default, M at which it is right' '"params": "N=64 M=128 c=1", "precision": "f32"' bench check match2 --set N=64 $short
    says 0 'f64, one thread' '"precision": "f64", "isa": ' bench check match2 --precision f64 --threads 1 $short
    says 1 'wrong decisions are exit 1' '"correct": ' bench check match2 --set N=64,M=1024,c=0.001 $short
    refuses 2 'p-bit is not for the fast executor' 'f32' bench check match2 --precision p8 $short
}
refuses 2 'unknown benchmark' "did you mean 'check'? (there are: check, train, generate, scaling, chain, collide)" bench chekc match2
refuses 2 'unknown claim' "did you mean 'match2'?" bench check match

# shellcheck disable=SC2086
for kind in standard sparse linear; do
    says 0 "bench train $kind" '"tokens_per_s": ' bench train --attention $kind --width 16 --length 20 --batch 3 --layers 2 --heads 2 $short
done
for key in attention width length batch layers heads dropout precision isa threads spread gflops peak_rss_mib parameters loss \
    net gflops_per_cpu_s fma_gflops_per_cpu_s share_of_peak; do
    holds "there is $key" grep -q "\"$key\": " "$dir/.out"
done
# shellcheck disable=SC2086
{
    says 0 'training of labels' '"gflops": ' bench train --net labels --width 12 --length 5 --batch 2 --dropout 0 $short
    refuses 2 'labels without a mask' '--net labels goes with standard attention' bench train --net labels --attention linear $short
    says 0 'training in f64, without dropout' '"precision": "f64", "isa": ' bench train --width 8 --length 5 --batch 2 --dropout 0 --precision f64 $short
    for net in plain tanh gru; do
        says 0 "training of $net" "\"net\": \"$net\"" bench train --net $net --width 8 --length 5 --batch 2 $short
    done
    refuses 2 'no such net' 'must be decoder, plain, labels, tanh or gru' bench train --net ffn
    refuses 2 'local is a property of tasks' 'standard, sparse or linear' bench train --attention local $short
    refuses 2 'width and heads' 'no multiple of 3 heads' bench train --heads 3 $short
    refuses 2 'widths are multiples of 8' 'multiples of 8' bench train --width 20 $short
    refuses 2 'dropout' '0..0.99' bench train --dropout 1 $short
    refuses 2 'a benchmark of nothing' 'claim id' bench check
    refuses 2 'train takes no claim' 'match2' bench train match2
}

# shellcheck disable=SC2086
for kind in standard sparse linear; do
    says 0 "bench generate $kind" '"tokens_per_s": ' bench generate --attention $kind --width 16 --length 20 --batch 3 --layers 2 --heads 2 $short
done
for key in attention width length batch layers heads parameters precision isa threads rounds spread cpu_us_per_token gflops cache_bytes peak_rss_mib; do
    holds "there is $key" grep -q "\"$key\": " "$dir/.out"
done
# shellcheck disable=SC2086
{
    says 0 'linear attention keeps sums: 2 layers of 2 x 8 x 9 floats' '"cache_bytes": 1152' bench generate --attention linear --width 16 --length 20 --batch 1 --layers 2 --heads 2 $short
    says 0 'whatever the length' '"cache_bytes": 1152' bench generate --attention linear --width 16 --length 90 --batch 1 --layers 2 --heads 2 $short
    says 0 'generating in f64, more sequences than there are places' '"precision": "f64", "isa": ' bench generate --width 8 --length 2 --layers 1 --heads 1 --batch 5000 --threads 2 --precision f64 $short
    refuses 2 'no local attention to generate with' 'standard, sparse or linear' bench generate --attention local $short
    refuses 2 'p-bit is not for batches' "--precision 'p8': must be f32 or f64" bench generate --precision p8 $short
    refuses 2 'generate takes no claim' 'match2' bench generate match2
}

# Growth with the length: operations are exact, so their exponents are known (memory and time only have to be there).
few='--length 256 --width 8 --heads 1 --layers 1 --seconds 0.01 --rounds 1'
# shellcheck disable=SC2086
{
    says 0 'bench scaling' 'exponents, L = 128..256' bench scaling $few
    holds 'standard, sparse and linear beside theory' grep -qE 'training: operations, attention +1\.99 \(2\) +1\.6[0-9] \(1\.5\) +1\.00 \(1\)' "$dir/.out"
    holds 'caches of linear attention do not grow' grep -qE 'generation: caches .* 0\.00 \(0\)' "$dir/.out"
    says 0 'as JSON' '"fitted_from": 128, "exponents": ' bench scaling --json $few
    for key in points block train_attention_flops train_flops train_attention_s train_s train_bytes \
        generate_attention_flops generate_flops generate_attention_s generate_s generate_bytes; do
        holds "there is $key" grep -q "\"$key\": " "$dir/.out"
    done
    refuses 2 'one length has no exponent' '128 or more' bench scaling --length 64
    refuses 2 'what a trainer refuses' 'no multiple of 3 heads' bench scaling --length 128 --heads 3
    refuses 2 'scaling takes no claim' 'match2' bench scaling match2
}

# Chains: every row is the interpreter's; a decoder in an arithmetic too coarse for its scores is told so.
for kind in standard sparse linear local; do
    says 0 "bench chain, $kind" '"exponent": ' bench chain 32 --attention $kind --rounds 1
    holds 'every row of both' test "$(grep -o '"correct": true' "$dir/.out" | wc -l)" = 2
done
for key in problem attention precision points n length rows compile_s generate_s us_per_row fitted_from peak_rss_mib; do
    holds "there is $key" grep -q "\"$key\": " "$dir/.out"
done
says 1 'too few bits for 1000 positions' '"correct": false' bench chain 128 --precision f32 --rounds 1
refuses 2 'a chain of one size has no exponent' '32..1000' bench chain 16
refuses 2 'a chain of no number' '32..1000' bench chain many

# Collisions: the planted pair, which is the last, whatever the number of threads.
for threads in 1 3; do
    says 0 "bench collide, $threads threads" '"states": 200000' bench collide --states 200000 --threads $threads
    holds 'the planted pair' grep -q '"found": true' "$dir/.out"
    holds 'at most 16 bytes a state' grep -qE '"bytes_a_state": 1[56]\.' "$dir/.out"
done
for key in threads seconds states_per_s peak_rss_mib; do
    holds "there is $key" grep -q "\"$key\": " "$dir/.out"
done
says 0 'two states' '"found": true' bench collide --states 2
refuses 2 'one state collides with none' '2..100000000000' bench collide --states 1
refuses 2 'collide takes no claim' 'match2' bench collide match2

# Ctrl-C: `run` waits for a line; the signal ends it with one line and exit 3.
call build match2 --set N=8,M=17 -o "$dir/m.st"
mkfifo "$dir/fifo"
exec 7<>"$dir/fifo" # open, and nobody writes
(
    trap - INT # what a background job of this shell ignores, it would ignore as well
    exec "$attest" run "$dir/m.st" - <"$dir/fifo" >"$dir/.out" 2>"$dir/.err"
) &
job=$!
waits $job
kill -TERM $job
wait $job
code=$?
exec 7>&-
[ $code -eq 3 ] && [ "$(cat "$dir/.err")" = 'attest run: line 1: interrupted' ]
verdict $? 'interrupted: one line, exit 3'
finish
