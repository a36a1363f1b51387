# test_generate.sh: `generate`: chains from a model file that was made by hand.
. cli/test/lib.sh

# ---- two decoders, written byte by byte --------------------------------------------------------------

quad() # $@ numbers among 0 1 -1 2 -2: little-endian doubles
{
    local v
    for v; do
        case $v in
        0) printf '\0\0\0\0\0\0\0\0' ;;
        1) printf '\0\0\0\0\0\0\360\077' ;;
        -1) printf '\0\0\0\0\0\0\360\277' ;;
        2) printf '\0\0\0\0\0\0\0\100' ;;
        -2) printf '\0\0\0\0\0\0\0\300' ;;
        esac
    done
}

model() # $1 file, $2 architecture, then for each tensor: name, shape, numbers
{
    local file=$1 header at=0 count n byte
    header="{\"__metadata__\":{\"attest\":\"$(printf '%s' "$2" | sed 's/"/\\"/g')\",\"format\":\"attest\"}"
    shift 2
    : >"$dir/.data"
    while [ $# -gt 0 ]; do
        # shellcheck disable=SC2086
        quad $3 >>"$dir/.data"
        count=$(wc -c <"$dir/.data")
        header="$header,\"$1\":{\"dtype\":\"F64\",\"shape\":[$2],\"data_offsets\":[$at,$count]}"
        at=$count
        shift 3
    done
    header="$header}"
    n=${#header}
    {
        for byte in $((n % 256)) $((n / 256)) 0 0 0 0 0 0; do
            # shellcheck disable=SC2059
            printf "\\$(printf '%03o' "$byte")"
        done
        printf '%s' "$header"
        cat "$dir/.data"
    } >"$file"
}

# Rows i/n/done: the next is i+1/n/done, done = 1 - relu(n-i-1) + relu(n-i-2); stops when done is 1.
rows='"fields":[{"col":0,"hi":20,"kind":"int","lo":0,"name":"i","size":1,"width":1},
{"col":1,"hi":20,"kind":"int","lo":0,"name":"n","size":1,"width":1},
{"col":2,"hi":1,"kind":"int","lo":0,"name":"done","size":1,"width":1}]'
rest='"f32":false,"n_min":1,"pos_origin":1,"positions":[],"prefix":{"count":0},"suffix":{"count":0},"subspaces":[],"version":1'
counter() # $1 file, $2 the decode object with its comma, or nothing, $3 how far i goes (20)
{
    model "$1" "$(printf '%s' "{$2${rows/20/${3:-20}},$rest,\"name\":\"counter\",\"width\":4,\"n_max\":12,
\"blocks\":[{\"act\":\"relu\",\"kind\":\"mlp\",\"layers\":[{\"rows\":2},{\"rows\":4}],\"norm\":\"none\",\"residual\":true}],
\"readout\":{\"final_norm\":false,\"kind\":\"round\",\"last\":true,\"rows\":3}}" | tr -d '\n')" \
        input.0.embed 1,1 '1' input.1.embed 1,1 '1' input.2.embed 1,1 '1' \
        block.0.mlp.0.w 2,4 '-1 1 0 0 -1 1 0 0' block.0.mlp.0.b 2 '-1 -2' \
        block.0.mlp.1.w 4,2 '0 0 0 0 0 0 -1 1' block.0.mlp.1.b 4 '0 0 0 1' \
        readout.w 3,4 '1 0 0 0 0 1 0 0 0 0 0 1' readout.b 3 '1 0 0'
}
equals='"decode":{"coordinate":2,"max_steps":10,"prompt_max":2,"prompt_min":1,"stop":"equals","value":1},'
counter "$dir/c.st" "$equals"
counter "$dir/plain.st" ''
counter "$dir/six.st" '"decode":{"max_steps":6,"prompt_max":2,"prompt_min":1,"stop":"steps"},'

# Tokens 0 -> 1 -> 2 -> 0, without attention; stops after token 2.
model "$dir/t.st" "$(printf '%s' "{\"decode\":{\"coordinate\":0,\"max_steps\":4,\"prompt_max\":3,\"prompt_min\":1,
\"stop\":\"equals\",\"value\":2},$rest,\"fields\":[{\"col\":0,\"kind\":\"token\",\"name\":\"x\",\"size\":3,\"width\":3}],
\"name\":\"cycle\",\"width\":3,\"n_max\":8,\"blocks\":[],
\"readout\":{\"final_norm\":false,\"kind\":\"argmax\",\"last\":true,\"rows\":3}}" | tr -d '\n')" \
    input.0.embed 3,3 '1 0 0 0 1 0 0 0 1' readout.w 3,3 '0 0 2 2 0 0 0 2 0' readout.b 3 '0 0 0'

# ---- chains --------------------------------------------------------------------------------------------

chain=$'1/3/0\n2/3/0\n3/3/1\nleast margin 0.5'
gives 0 'rows: one a line, then the margin' "$chain" generate "$dir/c.st" 0/3/0
for p in f32 p8 p12e8 p30; do
    gives 0 "rows: $p" "$chain" generate "$dir/c.st" 0/3/0 --precision $p
done
input=$'0/3/0\n'
gives 0 'a prompt from standard input' "$chain" generate "$dir/c.st" -
input=$'2/3/0\n0/3/0'
gives 0 'line breaks are blanks' "$chain" generate "$dir/c.st" -
unset input
gives 0 'a prompt of two rows' "$chain" generate "$dir/c.st" 2/3/0 0/3/0
gives 0 'tokens: one line' $'1 2\nleast margin 2' generate "$dir/t.st" 2 0
says 0 '--json' '"rows": [[1, 3, 0], [2, 3, 0], [3, 3, 1]]' generate "$dir/c.st" 0/3/0 --json
holds 'with margin and stop' grep -q '"least_margin": 0.5, "stopped": true' "$dir/.out"
gives 0 'a number of steps is a rule too' $'1/1/1\n2/1/1\n3/1/1\n4/1/1\n5/1/1\n6/1/1\nleast margin 0.5' \
    generate "$dir/six.st" 0/1/0
cp "$dir/c.st" "$dir/alone.st"
holds 'nothing but the file is read' sh -c "cd '$dir' && mkdir -p e && cd e && '$(cd "$(dirname "$attest")" && pwd)/attest' generate ../alone.st 0/1/0"

# ---- no answer: exit 3, and what there is stands ----------------------------------------------------------

partial=1
refuses 3 'no stop within max_steps' 'no stop after 10 steps' generate "$dir/c.st" 0/15/0
holds 'the ten rows stand' grep -qx '10/15/0' "$dir/.out"
refuses 3 '--steps cuts' 'no stop after 2 steps' generate "$dir/c.st" 0/3/0 --steps 2
holds 'two rows stand' test "$(cat "$dir/.out")" = $'1/3/0\n2/3/0\nleast margin 0.5'
refuses 3 '--steps cuts a number of steps' 'no stop after 2 steps' generate "$dir/six.st" 0/3/0 --steps 2
refuses 3 '--json says so too' 'no stop after 2 steps' generate "$dir/c.st" 0/3/0 --steps 2 --json
holds 'stopped: false' grep -q '"stopped": false' "$dir/.out"
refuses 3 'a row outside the domain' 'step 1 leaves the domain: position 2: integer 21 out of range 0..20 (field i)' \
    generate "$dir/c.st" 20/20/0
gives 0 '--steps beyond the rule changes nothing' "$chain" generate "$dir/c.st" 0/3/0 --steps 1000
refuses 3 'tokens that do not end' 'no stop after 1 steps' generate "$dir/t.st" 2 --steps 1
partial=

# An arithmetic that lacks integers which rows may have: it runs, and says so.
counter "$dir/far.st" '"decode":{"coordinate":2,"max_steps":10,"prompt_max":2,"prompt_min":1,"stop":"equals","value":1},' 300
lacks='p8e5 has every integer up to 256, and field i goes to 300'
told() # $1 name, then the command: stdout as without an arithmetic, one line that says what it lacks
{
    name=$1
    shift
    call "$@" --precision p8e5
    holds "$name" test "$code" = 0 -a "$(cat "$dir/.out")" = "$chain" -a "$(grep -c "$lacks" "$dir/.err")" = 1 -a "$(wc -l <"$dir/.err")" = 1
}
told 'integers that are not there are told' generate "$dir/far.st" 0/3/0
gives 0 'and no word where all are' "$chain" generate "$dir/far.st" 0/3/0 --precision p9
chain='1,3,0' told 'by run, too' run "$dir/far.st" 0/3/0
call generate "$dir/far.st" 0/3/0 --precision p8e5 --json
holds 'and in JSON' grep -q "\"note\": \"$lacks" "$dir/.out"

# ---- bad input: exit 2 ---------------------------------------------------------------------------------------

refuses 2 'a prompt of another length' 'prompt of length 3 out of range 1..2' generate "$dir/c.st" 0/3/0 0/3/0 0/3/0
refuses 2 'a prompt longer than any input' 'prompt of length 13 out of range 1..2' \
    generate "$dir/c.st" 0/3/0 0/3/0 0/3/0 0/3/0 0/3/0 0/3/0 0/3/0 0/3/0 0/3/0 0/3/0 0/3/0 0/3/0 0/3/0
refuses 2 'a number out of range' 'position 1: integer 21 out of range 0..20 (field n)' generate "$dir/c.st" 0/21/0
refuses 2 'not a number' 'position 1: "x" is not an integer' generate "$dir/c.st" 0/x/0
refuses 2 'not a decoder' 'the model is no decoder: it has no stop rule' generate "$dir/plain.st" 0/3/0
refuses 2 'balls do not decode' "--precision 'ball': must be f32, f64 or pN, pNeE (N-bit floats)" \
    generate "$dir/c.st" 0/3/0 --precision ball
refuses 2 'no prompt' 'a model file and a prompt is missing' generate "$dir/c.st"
refuses 2 'no such file' 'No such file' generate "$dir/none.st" 0
refuses 2 'steps' "--steps '0': must be an integer in 1..1048576" generate "$dir/c.st" 0/3/0 --steps 0
counter "$dir/bad.st" '"decode":{"coordinate":3,"max_steps":10,"prompt_max":2,"prompt_min":1,"stop":"equals","value":1},'
refuses 2 'a rule that cannot be' 'decoder: coordinate 3 out of range 0..2' generate "$dir/bad.st" 0/3/0
input=''
refuses 2 'an empty prompt' 'prompt of length 0 out of range 1..2' generate "$dir/c.st" -
unset input
printf '0/3/0\0' >"$dir/zero"
holds 'a zero byte' sh -c "'$attest' generate '$dir/c.st' - <'$dir/zero' 2>&1 | grep -q 'a zero byte'"
counter "$dir/said.st" '"decode":{"coordinate":2,"max_steps":10,"prompt":[{"hi":[0,9,0],"lo":[0,2,0],"rows_max":2,"rows_min":1}],"prompt_max":2,"prompt_min":1,"stop":"equals","value":1},'
gives 0 'a prompt that the file allows' "$chain" generate "$dir/said.st" 0/3/0
refuses 2 'and one that it does not' 'position 2: 1/3/0 where a prompt has 0/2/0..0/9/0; a prompt is: 1..2 rows of 0/2/0..0/9/0' \
    generate "$dir/said.st" 0/3/0 1/3/0
gives 0 'run still runs a decoder' '1,3,0' run "$dir/c.st" 0/3/0

# ---- the arithmetic for which a model was proved right
"$attest" compile examples/lis.dp --set n=3,top=4 -o "$dir/lis.st" >/dev/null
says 0 'show says which it is' 'error bounds for f64' show "$dir/lis.st"
partial=1
says 0 'nothing is said there' '0/0,0/0/3' generate "$dir/lis.st" '1 2 3 |'
refuses 0 'fewer bits: it runs, and says so' 'attest generate: the error bounds of the model were proved for f64; f32 has fewer bits: nothing was proved there' \
    generate "$dir/lis.st" '1 2 3 |' --precision f32
holds '... and is right' grep -qx '0/0,0/0/3' "$dir/.out"
refuses 0 'run, too' 'proved for f64; p30 has fewer bits' run "$dir/lis.st" '1/1,1/1/0 2/1,1/1/0 3/1,1/1/0 4/1,1/1/0' --precision p30
partial=
call generate "$dir/lis.st" '1 2 3 |' --precision p30 --json
holds 'JSON: a note' grep -q '"note": "the error bounds of the model were proved for f64; p30 has fewer bits' "$dir/.out"
"$attest" compile examples/lis.dp --set n=3,top=4 --precision p30 -o "$dir/few.st" >/dev/null
says 0 'made for these bits' '0/0,0/0/3' generate "$dir/few.st" '1 2 3 |' --precision p30
"$attest" build match2 --set N=4,M=5 -o "$dir/two.st" >/dev/null
"$attest" train match2 --set N=4,M=5 --net softmax --from "$dir/two.st" --steps 1 --exams 0 -o "$dir/learnt.st" >/dev/null
says 0 'a model that was built has one' 'error bounds for' show "$dir/two.st"
says 0 'what is learnt is a model' 'made for match2' show "$dir/learnt.st"
holds '... and has none' sh -c "! grep -q 'error bounds' '$dir/.out'"

finish
