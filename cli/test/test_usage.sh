# test_usage.sh: help, unknown words, options, exit codes.
. cli/test/lib.sh

says 0 'no argument: the overview' 'Commands:' 
says 0 '--help: the overview' 'Exit codes: 0 holds' --help
says 0 '--version' '(build ' --version
for command in $(sh tools/commands.sh "$attest"); do
    says 0 "$command --help has a usage" "Usage: attest $command" "$command" --help
    holds "$command --help has examples" grep -q "^  attest $command" "$dir/.out"
    fits "$command --help fits 80 columns" "$command" --help
    says 0 "help $command is the same" "Usage: attest $command" help "$command"
    # Without the words that it needs (commands that need none would begin to work).
    if grep -q "^Usage: attest $command [A-Z]" "$dir/.out"; then
        refuses 2 "$command without words" 'attest' "$command"
        holds 'says what is missing in words' sh -c "grep -qE 'missing|given' '$dir/.err' && ! grep -q '(null)' '$dir/.err'"
    fi
done

refuses 2 'unknown command: the nearest' "did you mean 'check'?" chekc
refuses 2 'unknown command: none near' 'attest --help' xyzzy
refuses 2 'unknown option before a command' "did you mean '--help'?" --hlep
refuses 2 'unknown option: the nearest' "did you mean '--set'?" show match2 --sett N=3
refuses 2 'unknown option: none near' 'see `attest list --help`' list --frobnicate
refuses 2 "another command's option" 'does not apply here' list --db x
refuses 2 '--output is -o' "did you mean '-o'?" build match2 --output x
refuses 2 'a value is missing' '--set needs a value' show match2 --set
refuses 2 'a flag takes no value' '--json takes no value' list --json=yes
refuses 2 'an option twice' '--threads is given twice' bench check match2 --threads 1 --threads 2
refuses 2 'threads: garbage' 'must be an integer in 1..1024' bench check match2 --threads two
refuses 2 'threads: range' 'must be an integer in 1..1024' bench check match2 --threads 0
refuses 2 'seed: garbage' "--seed '1x'" bench check match2 --seed 1x
refuses 2 'seconds: garbage' 'must be a number in 0.01..3600' bench check match2 --seconds nan
refuses 2 'tier: the two' 'must be quick or full' check match2 --tier slow
refuses 2 'max-memory: range' "--max-memory '0'" list --max-memory 0
refuses 2 'precision: what is allowed' 'unknown arithmetic (allowed: f32' run x --precision f16
refuses 2 'precision: bits' 'mantissa bits must be 2..53' run x --precision p1
refuses 2 'set: no =' 'expected NAME=VALUE' show match2 --set N
refuses 2 'set: twice' 'parameter N is given twice' show match2 --set N=3 --set N=4
refuses 2 'a word too many' "'more' is one argument too many" list claims more
refuses 2 'a word too few' 'a claim id is missing' build
refuses 2 'an empty file name' 'is empty' build match2 -o ''
refuses 2 'control characters stay out of messages' "unknown command '??[31m'" "$(printf '\033\007[31m')"
harmless 'and indeed they do'
says 0 '--name=value' '"value": 7' show match2 --set=N=7 --json
# Whether a file can be written is found out before anything else is done: here the first thing to do would fail, too. Nothing
# of the attempt stays. The places: no such folder, a link into none, a name too long, a folder that root may write and that
# takes no files.
ln -s "$dir/none/x.svg" "$dir/link.svg"
places="$dir/none/x.svg $dir/link.svg $dir/$(printf '%0300d' 0).svg"
[ ! -d /proc/self ] || places="$places /proc/self/x.svg"
several=0
for command in $(sh tools/commands.sh "$attest"); do
    for option in -o --plot; do
        "$attest" "$command" --help | grep -q "^  $option FILE" || continue
        several=$((several + 1))
        case $command in
        sweep) set -- lis ;; # its report has a default, which is tested in the same place
        train) set -- parity ;;
        map | report | advise) set -- ;;
        export) set -- nosuch --to npz ;; # what may stand there depends on the format
        *) set -- nosuch ;;
        esac
        [ "$command" = train ] && [ $option = --plot ] && set -- "$@" -o "$dir/t.st"
        "$attest" "$command" --help | grep -q '^  --db FILE' && set -- "$@" --db "$dir/nosuch.db"
        for place in $places; do
            refuses 2 "$command $option: tested first" "$(printf %.60s "$place")" "$command" "$@" $option "$place"
        done
    done
done
holds 'several options were tried' test "$several" -ge 8
# A ledger is not written over by what is made of it, by whatever name it is called, there or not.
"$attest" check lemma-a3 --db "$dir/kept.db" >/dev/null
cp "$dir/kept.db" "$dir/kept.was"
several=0
for command in $(sh tools/commands.sh "$attest"); do
    "$attest" "$command" --help | grep -q '^  --db FILE' || continue
    for option in -o --plot; do
        "$attest" "$command" --help | grep -q "^  $option FILE" || continue
        several=$((several + 1))
        set --
        [ "$command" = sweep ] && set -- lis
        ln -sf kept.db "$dir/kept.svg"
        refuses 2 "$command $option: not over the ledger" 'two files to write' "$command" "$@" --db "$dir/kept.db" $option "$dir/kept.svg"
        refuses 2 "$command $option: nor where it will be" 'two files to write' "$command" "$@" --db "$dir/new.svg" $option "$dir/./new.svg"
    done
done
holds 'several commands were tried' test "$several" -ge 5
holds 'the ledger is as it was' cmp "$dir/kept.db" "$dir/kept.was"
# Nor is what a command reads: a recurrence, a file of lines, a model.
cp examples/lis.dp "$dir/read.dp"
printf 'a <sep> b <sep> c\n' >"$dir/read.txt"
"$attest" build lemma-a3 -o "$dir/read.svg" >/dev/null
cat "$dir/read.dp" "$dir/read.txt" "$dir/read.svg" >"$dir/read.was"
refuses 2 'compile: not over the recurrence' 'is read, and would be written over' compile "$dir/read.dp" --set n=3,top=3 -o "$dir/./read.dp"
refuses 2 'train: not over the lines' 'is read, and would be written over' train "$dir/read.txt" -o "$dir/read.txt"
refuses 2 'look: not over the model' 'is read, and would be written over' look "$dir/read.svg" 0/0 -o "$dir/read.svg"
cat "$dir/read.dp" "$dir/read.txt" "$dir/read.svg" >"$dir/read.is"
holds 'what is read is as it was' cmp "$dir/read.is" "$dir/read.was"
(cd "$dir" && printf x >match2) # the name of a claim, which is no file that is read
holds 'a model may have the name of its claim' sh -c "cd '$dir' && '$attest' build match2 -o match2"
refuses 2 'a device that may be written is no fault' 'nosuch' build nosuch -o /dev/null
refuses 2 'nor is a file that is there' 'nosuch' build nosuch -o "$dir/.out"
holds 'nothing stays of trying' sh -c "! ls -A '$dir' | grep -q attest-"

# --precision: what help lists is taken, what it does not list is refused, for every command.
"$attest" build match2 --set N=4,M=5 -o "$dir/m.st" >/dev/null
"$attest" compile examples/prefix-sum.dp --set n=2,q=3 -o "$dir/sum.st" >/dev/null
"$attest" train parity --set n=4 --width 8 --layers 1 --heads 1 --steps 1 --batch 2 --exams 1 --prompts 1 --count 1 -o "$dir/t.st" >/dev/null
"$attest" compile --regex '(ab)*' --set N=4 -o "$dir/x.st" >/dev/null
asked() # $1 command: one that does little
{
    case $1 in
    run | look) echo "$1 $dir/m.st 1 2" ;;
    compile) echo "compile examples/lcs.dp --set n1=2,n2=2 -o $dir/lcs.st" ;;
    check) echo 'check match2 --set N=2,M=3' ;;
    equal) echo "equal $dir/m.st $dir/m.st --lengths 1..2" ;;
    least) echo 'least match2 --set M=3 --vary N --range 1..2' ;;
    generate) echo "generate $dir/sum.st 1 2 |" ;;
    eval) echo "eval $dir/t.st parity --set n=4 --count 2" ;;
    refute) echo "refute $dir/m.st --task match2 --set N=4,M=5 --budget 0.1" ;;
    protocol) echo "protocol $dir/m.st AB 1 2" ;;
    extract) echo "extract $dir/x.st" ;;
    bench) echo 'bench check match2 --set N=4,M=5 --seconds 0.01 --rounds 1' ;;
    esac
}
several=0
for command in $(sh tools/commands.sh "$attest"); do
    listed=$("$attest" "$command" --help | sed -n 's/^  --precision P *//p')
    [ -n "$listed" ] || continue
    several=$((several + 1))
    for p in f32 f64 p12 p12e8 q12 q12e8 ball exact; do
        case $p in p12) word=pN ;; p12e8) word=pNeE ;; q12) word=qN ;; q12e8) word=qNeE ;; *) word=$p ;; esac
        # shellcheck disable=SC2046
        call $(asked "$command") --precision $p
        case " $listed" in
        *[\ ,]"$word"*)
            # a model of softmax has no exact run: that is said of the model, not of the option
            [ "$code" -ne 2 ] || grep -q 'exact arithmetic has no' "$dir/.err"
            verdict $? "$command takes --precision $p, as its help says"
            ;;
        *)
            [ "$code" -eq 2 ] && grep -q -- "--precision '$p': must be $listed" "$dir/.err"
            verdict $? "$command refuses --precision $p, as its help says"
            ;;
        esac
    done
done
holds 'several commands were asked' test "$several" -ge 8

finish
