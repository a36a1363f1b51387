# test_signals.sh: a signal at a pipe, on either side: exit 3 and one line, "interrupted". (SIGTERM stands for Ctrl-C, which has the same handler:
# a shell starts background jobs with SIGINT ignored.)
. cli/test/lib.sh

"$attest" build match2 --set N=4,M=5 -o "$dir/m.st" >/dev/null
mkfifo "$dir/fifo" "$dir/fifo.st" "$dir/fifo.dp" "$dir/fifo.db"
stopped() # $1 name, $2 standard input, $3 standard output, $4... arguments of attest
{
    local name=$1 from=$2 to=$3 pid
    shift 3
    "$attest" "$@" <"$from" >"$to" 2>"$dir/.err" &
    pid=$!
    waits "$pid"
    kill -TERM "$pid" 2>/dev/null
    for _ in $(seq 1200); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    kill -KILL "$pid" 2>/dev/null # it should have ended by itself
    wait "$pid"
    code=$?
    [ "$code" -eq 3 ] && [ "$(wc -l <"$dir/.err")" -eq 1 ] && grep -q 'interrupted' "$dir/.err"
    verdict $? "$name"
}
# Nobody writes into these: opening them waits.
: >"$dir/.out"
stopped 'a model from a pipe, before anybody writes' /dev/null "$dir/.out" show "$dir/fifo.st"
stopped 'a recurrence from a pipe' /dev/null "$dir/.out" show "$dir/fifo.dp"
# Somebody holds these open and writes nothing: reading waits.
exec 7<>"$dir/fifo" 8<>"$dir/fifo.st" 9<>"$dir/fifo.dp"
stopped 'a model from a pipe that is open' /dev/null "$dir/.out" show "$dir/fifo.st"
stopped 'a recurrence from a pipe that is open' /dev/null "$dir/.out" show "$dir/fifo.dp"
stopped 'inputs from a pipe' "$dir/fifo" "$dir/.out" run "$dir/m.st"
stopped 'a model from standard input' "$dir/fifo" "$dir/.out" show /dev/stdin
# Nobody reads this one: writing waits when it is full.
stopped 'output into a pipe that is full' /dev/null "$dir/fifo" data lis --count 1000000000
exec 7>&- 8>&- 9>&-
# A reader that has left is a failed write, as ever.
"$attest" data lis --count 100000 2>"$dir/.err" | true
code=${PIPESTATUS[0]}
holds 'a reader that left is no signal' test "$code" -eq 2
finish
