#!/bin/bash
# The second reader (tools/reference.py) beside attest: the example of docs/model.md to the digit, and a few models of every sort.
# In double precision it is one file: a copy of it runs them from a folder where nothing else is. Other arithmetics need a second file.
. tools/test/lib.sh
attest=${ATTEST:-${BUILD:-build}/attest}
python=/usr/bin/python3
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo 'ok 1 - the second reader # SKIP no numpy'
    echo 1..1
    exit 0
fi

alone=$tree/alone/reference.py
mkdir "$tree/alone" && cp tools/reference.py "$alone"
lines=$(wc -l <"$alone")
echo "$lines lines" >"$tree/.out"
awk 'length > 150 { print FILENAME ":" FNR ": longer than 150 characters"; bad = 1 } END { exit bad }' "$alone" >>"$tree/.out" && [ "$lines" -lt 350 ]
verdict $? 'the reader is read in one sitting: fewer than 350 lines, none of them long'

# The architecture stands on the page, the weights in the table below it.
cat >"$tree/write.py" <<'PY'
import json, re, struct, sys
page, out = open("docs/model.md", encoding="utf-8").read(), sys.argv[1]
arch = json.loads(re.search(r"```json\n(.*?)```", page, re.S)[1])
shapes = {"input.0.embed": [3, 1], "pos.0.embed": [1, 1], "prefix": [1, 2], "q": [1, 2], "k": [1, 2], "v": [1, 2], "o": [2, 1], "qb": [1],
          "kb": [1], "vb": [1], "ob": [2], "readout.w": [1, 2], "readout.b": [1]}
header, data = {"__metadata__": {"format": "attest", "attest": json.dumps(arch)}}, b""
for names, numbers in re.findall(r"\| (`[a-z][^|]*) \| ([-−0-9., ]+) (?=\|)", page[page.index("| tensor | weights |"):]):
    names = re.findall(r"`([^`]*)`", names)
    for k, name in enumerate(names):
        short = name.replace("block.0.attn.0.", "").lstrip(".")
        all_numbers = [float(v.replace("−", "-")) for v in numbers.split(",")]
        own = all_numbers if len(names) == 1 else [all_numbers[k]]
        begin = len(data)
        data += struct.pack(f"<{len(own)}d", *own)
        full = short if "." in short or short == "prefix" else "block.0.attn.0." + short
        header[full] = {"dtype": "F64", "shape": shapes.pop(short), "data_offsets": [begin, len(data)]}
assert not shapes, shapes
text = json.dumps(header).encode()
open(out, "wb").write(struct.pack("<Q", len(text)) + text + data)
PY
holds 'the example of the page is a file' "$python" "$tree/write.py" "$tree/example.st"
example=$(sed -n 's/.*the output is `\([^`]*\)`.*/\1/p' docs/model.md)
same() # $1 name, $2 the exit code, $3 what must be printed, $4... command
{
    name=$1 code=$2 want=$3
    shift 3
    "$@" >"$tree/.printed" 2>"$tree/.out"
    if [ $? -eq "$code" ] && [ -n "$want" ] && [ "$(cat "$tree/.printed")" = "$want" ]; then
        verdict 0 "$name"
    else
        { echo "exit $code and: $want"; cat "$tree/.printed"; } >>"$tree/.out"
        verdict 1 "$name"
    fi
}
same 'the example, by attest' 0 "$example" "$attest" run "$tree/example.st" 2 0 1
same 'the example, by the reader' 0 "$example" "$python" "$alone" "$tree/example.st" 2 0 1

both() # $1 name, $2 run or generate, $3 model, $4... input
{
    name=$1 command=$2 model=$3
    shift 3
    want=$("$attest" "$command" "$model" "$@" 2>/dev/null)
    code=$?
    [ "$command" = generate ] && set -- "$@" --generate
    same "$name" $code "$want" "$python" "$alone" "$model" "$@"
}
made() # $1 file, $2... arguments of attest
{
    file=$1
    shift
    "$attest" "$@" -o "$tree/$file" >"$tree/.out" 2>&1 || verdict 1 "attest $*"
}
made match2.st build match2
both 'softmax' run "$tree/match2.st" 3 8 0 1 10 5
made match3.st build match3-threewise --set N=4
both 'three-wise' run "$tree/match3.st" 3 8 0 1
made arith.st build arith-standard
both 'arithmetic, in words' run "$tree/arith.st" '( 3 + 4 ) * 2 ='
for attention in standard linear sparse local; do
    made "$attention.st" compile examples/edit-distance.dp --set n1=2,n2=2 --attention "$attention"
    both "edit distance, $attention" generate "$tree/$attention.st" '3 1 4 1 |'
done
"$python" "$alone" "$tree/standard.st" '3 1 | 4 1' --generate >"$tree/.out" 2>&1
verdict $(($? != 2)) 'a prompt that is none'
for net in decoder gru ffn; do
    made "$net.st" train parity --set n=4 --net "$net" --width 8 --layers 1 --heads 1 --batch 4 --steps 10 --exams 10 --prompts 2 --count 2
done
both 'a trained decoder' generate "$tree/decoder.st" '1 0 1 1 <sep>'
both 'a recurrent net' run "$tree/gru.st" '1 0 1 <sep>'
length=$("$attest" show "$tree/ffn.st" | sed -n 's/.*length[s]* \([0-9]*\).*/\1/p' | head -n 1)
both 'a feed-forward net' run "$tree/ffn.st" "$(yes 1 | head -n "${length:-1}" | tr '\n' ' ')"

# p bits: the readout to the last of them, and another readout at one bit less
bits() # $1 name, $2 attest's arithmetic, $3 the reader's, $4 model, $5 input: 0 when all values are the same
{
    "$attest" run "$4" "$5" --precision "$2" --json >"$tree/.a" 2>"$tree/.out" &&
        "$python" tools/reference.py "$4" "$5" --json "--$3" >"$tree/.b" 2>"$tree/.out" &&
        "$python" -c 'import json, sys; a, b = (json.load(open(f)) for f in sys.argv[1:]); sys.exit(a["values"] != b["values"] or a["outputs"] != b["outputs"])' \
            "$tree/.a" "$tree/.b" 2>"$tree/.out"
}
for arith in p5e8 p24e8; do
    bits same $arith $arith "$tree/match2.st" '3 8 0 1 10 5' && bits same $arith $arith "$tree/match3.st" '3 8 0 1' &&
        bits same $arith $arith "$tree/gru.st" '1 0 1 <sep>' && bits same $arith $arith "$tree/decoder.st" '1 0 1 1 <sep>'
    verdict $? "$arith: softmax, three-wise, recurrent, a norm and GELU, to the last bit"
done
bits same q5e8 q5e8 "$tree/match2.st" '3 8 0 1 10 5' && bits same q5e8 q5e8 "$tree/match3.st" '3 8 0 1' &&
    bits same q4e8 q4e8 "$tree/decoder.st" '1 0 1 1 <sep>'
verdict $? 'quotients that are rounded alone, to the last bit'
bits other q4e8 p4e8 "$tree/decoder.st" '1 0 1 1 <sep>'
verdict $(($? != 1)) 'they are told apart from rounded sums'
made weather.st compile examples/weather.pfsa --set N=4
bits same exact exact "$tree/weather.st" '[high] w [low]'
verdict $? 'fractions: average-hard heads, sparsemax'
bits other p8e5 p7e5 "$tree/gru.st" '1 0 1 <sep>'
verdict $(($? != 1)) 'one bit less is told apart'
"$python" - "$tree/match2.st" "$tree/newer.st" <<'PY'
import sys
raw = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(raw.replace(b'\\"version\\":1', b'\\"version\\":2'))
PY
fails 'a newer version is refused' 'version' "$python" "$alone" "$tree/newer.st" 3 8 0 1 10 5
printf '%s\n' 'program largest, lengths 0..4, 1 hidden after' 'input x: token 0..9' 'v = number of x' \
    'top = attend leftmost-hard query (1) key (v) value (v) gap 1' 'output (top) at the last position read by round' >"$tree/largest.program"
made largest.st compile "$tree/largest.program"
both 'the empty input' run "$tree/largest.st" ''
both 'leftmost-hard' run "$tree/largest.st" '3 9 4'
sed 's/leftmost-hard/rightmost-hard/; s/largest/last/' "$tree/largest.program" >"$tree/last.program"
made last.st compile "$tree/last.program"
both 'rightmost-hard' run "$tree/last.st" '3 9 4'
both 'average-hard heads, sparsemax' run "$tree/weather.st" '[high] w [low]'
made copycat.st import examples/copycat
both 'an imported model' generate "$tree/copycat.st" '2 0 1'

# A small model of drawn weights, of what imported models may have, and of positions that are no fractions.
cat >"$tree/traits.py" <<'PY'
import json, random, struct, sys
rng, norm = random.Random(78), {"residual": True, "norm": "pre", "norm_eps": 1e-6, "norm_kind": "rms"}
group = {"heads": 2, "dk": 4, "dv": 3, "weighting": "softmax", "post": "id", "scale": 0.7, "mask": {"kind": "causal"}, "bias": False,
         "rotary": {"width": 4, "theta": 100.0, "pairing": "adjacent"}, "alibi": True}
arch = {"version": 1, "name": "traits", "width": 4, "n_min": 1, "n_max": 16, "pos_origin": 1,
        "fields": [{"name": "x", "kind": "token", "size": 5, "col": 0, "width": 4}],
        "positions": [{"kind": "sinusoidal", "size": 4, "col": 0, "width": 4}, {"kind": "sqrt-pair", "shift": 2, "col": 1, "width": 2}],
        "prefix": {"count": 0}, "suffix": {"count": 0},
        "blocks": [{"kind": "attn", **norm, "groups": [group]},
                   {"kind": "mlp", **norm, "parallel": True, "gated": True, "act": "silu", "layers": [{"rows": 6}, {"rows": 4}]}],
        "readout": {"kind": "argmax", "rows": 5, "tied": True, "last": False, "final_norm": False}, "subspaces": [], "f32": False}
shapes = {"input.0.embed": (5, 4), "pos.0.embed": (4, 4), "pos.1.embed": (2, 2), "block.0.norm.g": (4,), "block.0.norm.b": (4,),
          "block.0.attn.0.q": (8, 4), "block.0.attn.0.k": (8, 4), "block.0.attn.0.v": (6, 4), "block.0.attn.0.o": (4, 6),
          "block.0.attn.0.slope": (2,), "block.1.norm.g": (4,), "block.1.norm.b": (4,), "block.1.mlp.0.w": (6, 4), "block.1.mlp.0.b": (6,),
          "block.1.mlp.0.gw": (6, 4), "block.1.mlp.0.gb": (6,), "block.1.mlp.1.w": (4, 6), "block.1.mlp.1.b": (4,), "readout.b": (5,)}
header, data = {"__metadata__": {"format": "attest", "attest": json.dumps(arch)}}, b""
for name, shape in shapes.items():
    count = shape[0] * (shape[1] if len(shape) > 1 else 1)
    header[name] = {"dtype": "F64", "shape": list(shape), "data_offsets": [len(data), len(data) + 8 * count]}
    data += struct.pack(f"<{count}d", *(rng.uniform(-2, 2) for _ in range(count)))
text = json.dumps(header).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(text)) + text + data)
PY
holds 'a model of drawn weights is a file' "$python" "$tree/traits.py" "$tree/traits.st"
both 'rotary, alibi, rms norms, a gate, blocks in parallel, a tied readout' run "$tree/traits.st" '4 0 3 1 2 2 0 4 1 3 0 1 2 4 3 1'

made clear.st compile examples/edit-distance.dp --set n1=7,n2=7 --attention linear --pack --clear --precision f64
grep -aqF 'rounded\":53' "$tree/clear.st" >"$tree/.out"
verdict $? 'sums that are rounded after every token are asked for'
both 'sums that are rounded after every token' generate "$tree/clear.st" '3 1 4 1 5 9 2 2 7 1 8 2 8 1 |'
made clear32.st compile examples/edit-distance.dp --set n1=7,n2=7 --attention linear --pack --clear --precision f32
fails 'sums of other bits are refused' 'rounded' "$python" "$alone" "$tree/clear32.st" --generate '3 1 4 1 5 9 2 2 7 1 8 2 8 1 |'

# Without the other file beside it
for arith in p8e5 exact f32; do
    "$python" "$alone" "$tree/match2.st" '3 8 0 1 10 5' --$arith >"$tree/.printed" 2>"$tree/.out"
    [ $? -eq 2 ] && [ ! -s "$tree/.printed" ] && [ "$(wc -l <"$tree/.out")" -eq 1 ] && grep -q "^$arith: .*arithmetics.py" "$tree/.out"
    verdict $? "$arith without arithmetics.py: one line says so"
done
verdict $(($(ls -A "$tree/alone" | wc -l) != 1)) 'all the while the reader was alone'
finish
