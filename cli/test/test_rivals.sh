# test_rivals.sh: `train --net`: nets that read from the left, and one that is padded; what has no step says so in one line.
. cli/test/lib.sh

small='--width 16 --layers 1 --batch 8 --rate 0.01 --dropout 0 --exams 10 --prompts 5 --steps 20 --count 10'
# shellcheck disable=SC2086
{
    for net in three-wise tanh gru ffn; do
        says 0 "train: $net" 'chains right' train parity --set n=6 --net $net $small -o "$dir/$net.st" --state "$dir/$net.state"
        says 0 "eval: $net" 'chains right' eval "$dir/$net.st" parity --set n=6 --count 10
        says 0 "show: $net" 'sha-256' show "$dir/$net.st"
        says 0 "train: $net, its state again" 'done after 20 of 20' train parity --set n=6 --net $net $small -o "$dir/again.st" --state "$dir/$net.state"
        holds "train: $net, the same bits" cmp -s "$dir/$net.st" "$dir/again.st"
    done
    says 0 'train: a padded net goes on' 'chains right' train parity --set n=6 --from "$dir/ffn.st" $small
}
says 0 'run: a recurrent net' '' run "$dir/gru.st" '1 0 1 <sep>'
partial=1 refuses 3 'generate: a recurrent net' 'no stop after 12 steps' generate "$dir/gru.st" '1 0 1 <sep>'
refuses 2 'look: a padded net' 'out of range' look "$dir/ffn.st" '1 0 1 <sep>'
refuses 2 'train: a rival has no attention' 'the net is gru' train parity --set n=6 --net gru --attention linear
refuses 2 'sweep: of decoders' 'a sweep is of decoders' sweep lis --net gru --db "$dir/x.db" -o "$dir/x.html"
finish
