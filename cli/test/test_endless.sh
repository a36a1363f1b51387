# test_endless.sh: files that do not end. Every command that reads a file looks at its beginning first: under a limit of
# memory that such a file would break, it says in one line what is wrong with it (exit 2, not 3) and takes no time.
. cli/test/lib.sh

call build match2 --set N=8,M=17 -o "$dir/m.st"
call build dp-standard -o "$dir/chain.st"
mkfifo "$dir/pipe" "$dir/pipe.dp" "$dir/pipe.arpa"
truncate -s 6G "$dir/sparse" "$dir/sparse.dp" "$dir/sparse.arpa"
ln -s /dev/zero "$dir/zero.dp"
ln -s /dev/zero "$dir/zero.arpa"
echo a b >"$dir/text"
limit="--max-memory 128"

announced() # a header of 48 MiB that never closes its first brace, after its length
{
    printf '\0\0\0\3\0\0\0\0{'
    yes '"a":1,'
}

endless() # $1 name, $2 code, $3 command that writes without end, $4... arguments, which read $dir/pipe
{
    local name=$1 want=$2 feed=$3 writer
    shift 3
    { $feed >"$pipe"; } 2>/dev/null &
    writer=$!
    timeout -k 1 60 "$attest" "$@" $limit >"$dir/.out" 2>"$dir/.err" </dev/null
    code=$?
    { kill -9 $writer; wait $writer; } 2>/dev/null
    [ $code -eq "$want" ] && [ "$(wc -l <"$dir/.err")" -eq 1 ] && grep -q '^attest' "$dir/.err"
    verdict $? "$name"
}

zeros() { cat /dev/zero; }

each() # $1 what it is, $2... arguments with @ for the file
{
    local what=$1 file k args
    shift
    for file in "$dir/pipe:yes" "$dir/pipe:zeros" "$dir/pipe:announced" /dev/zero "$dir/sparse"; do
        feed=${file#*:}
        file=${file%%:*}
        case $what in dp | arpa)
            case $file in
            */pipe | */sparse) file=$file.$what ;;
            /dev/zero) file=$dir/zero.$what ;;
            esac ;;
        esac
        args=()
        for k in "$@"; do args+=("${k/@/$file}"); done
        pipe=$file
        if [ -p "$file" ]; then
            endless "$1, $what: a pipe of $feed" 2 "$feed" "${args[@]}"
        else
            refuses 2 "$1, $what: ${file##*/}" "$file" "${args[@]}" $limit
        fi
        holds 'and no output' test ! -e "$dir/out"
    done
}

each model run @ 1
each model show @
each model look @ 1
each model generate @ 1
each model eval @ lis
each model refute @ --task match2
each model train lis --from @ --steps 1 -o "$dir/out"
each dp show @
each dp compile @ -o "$dir/out"
each dp generate "$dir/chain.st" 1 2 3 1 2 3 "|" --beside @
each stream data @
each stream train @ --steps 1 -o "$dir/out"
each lm lm tight @
each lm lm score @ "$dir/text"
each arpa compile @ -o "$dir/out"
each ledger report --db @ -o "$dir/out"
each ledger check match2 --db @
each ledger refute "$dir/m.st" --task match2 --db @
each ledger map --db @

# A state that is there is gone on with; one that is not there is begun.
for feed in yes zeros announced; do
    pipe=$dir/pipe
    endless "train, state: a pipe of $feed" 2 "$feed" train lis --state "$pipe" --steps 1 -o "$dir/out"
done
refuses 2 'train, state: /dev/zero' '/dev/zero' train lis --state /dev/zero --steps 1 -o "$dir/out" $limit
refuses 2 'train, state: sparse' 'sparse' train lis --state "$dir/sparse" --steps 1 -o "$dir/out" $limit
holds 'and no output' test ! -e "$dir/out"

# Standard input: a line, or a prompt, has a limit of its own (64 MiB), whether the memory is enough for it or not.
stdin_ends() # $1 code, $2 MiB, $3 feed, $4... arguments
{
    local want=$1 most=$2 feed=$3
    shift 3
    $feed 2>/dev/null | timeout -k 1 60 "$attest" "$@" --max-memory "$most" >"$dir/.out" 2>"$dir/.err"
    code=${PIPESTATUS[1]}
    [ "$code" -eq "$want" ] && [ "$(wc -l <"$dir/.err")" -eq 1 ]
    verdict $? "$1 within $most MiB, standard input: $feed"
}
stdin_ends 2 128 zeros lm fit - -o "$dir/out"
stdin_ends 2 128 zeros lm score examples/trap.arpa -
stdin_ends 3 128 yes lm fit - -o "$dir/out"
one_line() { yes 1 | tr '\n' ' '; }
stdin_ends 2 128 yes run "$dir/m.st"
stdin_ends 2 128 zeros run "$dir/m.st"
stdin_ends 3 64 one_line run "$dir/m.st"
stdin_ends 2 512 one_line run "$dir/m.st"
stdin_ends 2 128 zeros generate "$dir/chain.st" -
stdin_ends 3 64 yes generate "$dir/chain.st" -
stdin_ends 2 512 yes generate "$dir/chain.st" -

# A pipe that holds a model is as good as its file; one byte less or more is not.
says 0 'a model through a pipe' '1 1 0' run <(cat "$dir/m.st") 3 14 5
refuses 2 'a pipe that ends early' 'bytes of data' run <(head -c -1 "$dir/m.st") 3 14 5
refuses 2 'a pipe that goes on' 'more bytes than' run <(cat "$dir/m.st"; printf x) 3 14 5
refuses 2 'a pipe that ends in the header' 'ends after' run <(head -c 100 "$dir/m.st") 3 14 5
refuses 2 'a pipe of five bytes' '5 bytes, too short' run <(head -c 5 "$dir/m.st") 3 14 5
finish
