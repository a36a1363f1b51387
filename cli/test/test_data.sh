# test_data.sh: `data`: samples of every stream, splits, balance, a user's file, refusals.
. cli/test/lib.sh

for stream in $("$attest" list streams --json | grep -o '"id": "[^"]*"' | cut -d'"' -f4); do
    end='<eos>'
    [ "$stream" = max ] && end=' ' # rows that are read, not written, have no end
    says 0 "data $stream" "$end" data "$stream" --count 3
    holds "data $stream: a sample a line" test "$(wc -l <"$dir/.out")" -eq 3
    cp "$dir/.out" "$dir/three"
    call data "$stream" --count 2
    holds "data $stream: fewer samples are the same samples" cmp -s "$dir/.out" <(head -n 2 "$dir/three")
    call data "$stream" --count 3 --seed 2
    holds "data $stream: another seed, other samples" test ! "$(cat "$dir/.out")" = "$(cat "$dir/three")"
    call data "$stream" --count 3 --split test
    holds "data $stream: other samples to test with" test ! "$(cat "$dir/.out")" = "$(cat "$dir/three")"
    says 0 "data $stream --json" '"prompt":' data "$stream" --count 1 --json
    says 0 "data $stream --balance" '200 samples (train, seed 1)' data "$stream" --count 200 --balance
done
gives 0 'data: a parity' '0 0 0 <sep> 0 0 0 <sep> 0 <eos>' data parity --set n=3 --count 1 --seed 9
gives 0 'data: the largest of four' '15 16 15 14 16' data max --count 1
says 0 'data --balance --json' '"balance": [{"answer": ' data majority --count 100 --balance --json
says 0 'list: streams' 'Edit distance, with the table as chain' list
fits 'list streams fits 80 columns' list streams

says 0 'show: a stream' '86 tokens, rows of at most 24' show lis --set n=10,range=72
says 0 'show: a stream, JSON' '"longest": 24' show lis --set n=10 --json
refuses 2 'show: a stream refuses too' 'needs range >= 300' show lis --set n=300

refuses 2 'data: LIS longer than its range' 'n=300: a sorted run of 300 numbers needs range >= 300, and range is 250' \
    data lis --set n=300
refuses 2 'data: no operators' 'operators=0: must be an integer in 1..64' data arithmetic --set operators=0
refuses 2 'data: words too short' 'n=3: must be an integer in 4..100' data ed --set n=3
refuses 2 'data: an unknown parameter' "unknown parameter 'm'" data lis --set m=3
refuses 2 'data: an unknown stream, the nearest' "no problem 'ed-locl'; did you mean 'ed-local'? (\`attest list problems\`; a file has a dot or a slash)" data ed-locl
refuses 2 'data: an unknown stream' '`attest list problems` shows all, a file has a dot or a slash' data zebras
refuses 2 'data: no stream' 'the name of a stream is missing' data
refuses 2 'data: count' "--count '0': must be an integer in 1..1000000000" data lis --count 0
refuses 2 'data: split' "--split 'dev': must be train, test or all" data lis --split dev

printf 'a b <sep> b a <sep> yes\nb b <sep> <sep> no\n' >"$dir/mine.txt"
call data "$dir/mine.txt" --count 40
train=$(sort -u "$dir/.out")
call data "$dir/mine.txt" --count 40 --split test
holds 'data FILE: its lines are in the one split or the other' test "$({ echo "$train"; sort -u "$dir/.out"; } | grep -c '<eos>')" -eq 2
refuses 2 'data FILE: no parameters' "unknown parameter 'n' (there are: none)" data "$dir/mine.txt" --set n=3
refuses 2 'data FILE: not there' 'nothing.txt' data "$dir/nothing.txt"
printf 'a <sep> b <sep> c\na b c\n' >"$dir/mine.txt"
refuses 2 'data FILE: file and line' 'mine.txt:2: 0 times <sep>' data "$dir/mine.txt"
printf 'a <sep> \033[31m <sep> c\n' >"$dir/mine.txt"
refuses 2 'data FILE: control characters' 'mine.txt:1: byte 0x1b' data "$dir/mine.txt"
harmless 'data FILE: and they are not printed'
finish
