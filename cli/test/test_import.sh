#!/bin/bash
# test_import.sh: attest import: the example of docs/import.md, what every command makes of an imported model, and bad files.
. cli/test/lib.sh

# ---- the page's example ------------------------------------------------------------------------------------------------
# Lines after $ are run, in turn, and what stands below them comes out (a long line of it is broken on the page).
mkdir "$dir/page"
ln -s "$PWD/examples" "$dir/page/examples"
awk '/^```/ { inside = !inside; next } inside && /^\$ / { want = 1 } !inside { want = 0 } want' docs/import.md >"$dir/example"
grep '^\$ ' "$dir/example" >"$dir/commands"
holds 'the page has an example' [ "$(grep -c '^\$ attest' "$dir/commands")" -ge 4 ]
while read -r line; do
    (cd "$dir/page" && eval "\"\$attest\" ${line#\$ attest }") >"$dir/.out" 2>"$dir/.err" </dev/null
    code=$?
    said=$(awk -v line="$line" '$0 == line { on = 1; next } /^\$ / { on = 0 } on' "$dir/example" | tr -s ' \n' ' ')
    [ $code -eq 0 ] && [ ! -s "$dir/.err" ] && { [ -z "$said" ] || [ "$said" = "$(tr -s ' \n' ' ' <"$dir/.out")" ]; }
    verdict $? "docs/import.md: $line"
done <"$dir/commands"

says 0 'imports the example' 'width 16, 1528 parameters, 70 not zero, largest 16; F32, readout tied' \
    import examples/copycat -o "$dir/copycat.safetensors"
says 0 'the decoder repeats the first token' '2 2 2 2' generate "$dir/copycat.safetensors" 2 0 1
gives 0 'so does every position' '3 3 3' run "$dir/copycat.safetensors" 3 1 0
says 0 'JSON says the layout' '"layout": "gpt2"' import examples/copycat -o "$dir/again.safetensors" --json
cmp -s "$dir/copycat.safetensors" "$dir/again.safetensors"
verdict $? 'importing twice gives the same bytes'
says 0 'a file finds the config.json beside it' 'gpt2' import examples/copycat/model.safetensors -o "$dir/again.safetensors"
says 0 'show knows the parts' 'gelu-tanh' show "$dir/copycat.safetensors"
call run "$dir/copycat.safetensors" 3 1 0 --precision ball
[ "$code" -eq 0 ] && [ "$(cat "$dir/.out")" = '3 3 3' ]
verdict $? 'balls decide it'
refuses 2 'exact arithmetic says what it lacks' 'exact arithmetic has no square root' run "$dir/copycat.safetensors" 3 1 0 --precision exact
says 0 'look draws its attention' 'layer 1' look "$dir/copycat.safetensors" 3 1 0

# ---- one answer, and questions about it -----------------------------------------------------------------------------------

says 0 'the last position alone' 'gpt2' import examples/copycat --read last -o "$dir/last.safetensors"
gives 0 'reads one answer' '3' run "$dir/last.safetensors" 3 1 0
says 0 'gates of it, at p bits' '33 gates and 68 wires, depth 4' extract "$dir/last.safetensors" --to circuit --length 4 --precision p8e6 -o "$dir/copycat.aag"
refuses 2 'but not in exact arithmetic' 'at p bits there is one' extract "$dir/last.safetensors" --to circuit --length 4
says 0 'every position' 'gpt2' import examples/copycat --read every -o "$dir/every.safetensors"
gives 0 'reads every answer' '1 1 1 1' run "$dir/every.safetensors" 1 2 3 0
says 1 'check asks all inputs' 'wrong on 8 of 16 inputs' check "$dir/last.safetensors" --problem parity --set N=4 --exact
says 1 'refute finds the input' 'WRONG on' refute "$dir/last.safetensors" --problem parity --set N=4
says 0 'parties compute it' "the model's, bit for bit" protocol "$dir/last.safetensors" ABA 3 1 0
refuses 2 'extraction says what it does not take' 'activation gelu-tanh (block 1 has it)' extract "$dir/last.safetensors"
refuses 2 'so does influence' 'activation gelu-tanh' influence "$dir/last.safetensors" --length 4

# ---- trained further -------------------------------------------------------------------------------------------------------

printf 'a <sep> <sep> a\na a <sep> <sep> a\n' >"$dir/rows.txt"
printf 'a a a <sep> <sep> a\n' >"$dir/longer.txt"
says 0 'it knows nothing of these rows' 'answers right  0 of 2' eval "$dir/every.safetensors" --test "$dir/rows.txt"
says 0 'training begins with it' 'done after 300 of 300 steps' train "$dir/rows.txt" --from "$dir/every.safetensors" --steps 300 \
    --batch 4 --rate 0.03 --count 1 --exams 0 --test "$dir/longer.txt" -o "$dir/tuned.safetensors"
says 0 'and gives back a model of its parts' 'gelu-tanh' show "$dir/tuned.safetensors"
call eval "$dir/tuned.safetensors" --test "$dir/rows.txt"
holds 'that learnt something' grep -qE 'answers right +[12] of 2' "$dir/.out"

# ---- bad input: one line, exit 2, nothing written ----------------------------------------------------------------------------

bad() # $1 name, $2 words, $3... options; the folder is $dir/bad
{
    local name=$1 words=$2
    shift 2
    rm -f "$dir/bad.safetensors"
    refuses 2 "$name" "$words" import "$dir/bad" "$@" -o "$dir/bad.safetensors"
    [ ! -e "$dir/bad.safetensors" ]
    verdict $? "$name: nothing is written"
}
fresh()
{
    rm -rf "$dir/bad"
    mkdir "$dir/bad"
    cp examples/copycat/config.json examples/copycat/model.safetensors "$dir/bad"
    chmod u+w "$dir/bad"/*
}
# A byte sequence that stands in the header, replaced by another of the same length.
bend() { LC_ALL=C sed -i "s/$1/$2/" "$dir/bad/model.safetensors"; }

fresh
bend '"ln_f.weight"' '"ln_g.weight"'
bad 'a tensor is missing' 'tensor ln_f.weight is missing'
for name in h.0.ln_1.bias h.0.attn.c_attn.bias h.0.mlp.c_proj.bias ln_f.bias; do # biases are all there, or none is
    fresh
    bend "\"$name\"" "\"${name%s}z\""
    bad "one bias is missing: $name" "tensor $name is missing, and "
done
fresh
bend '"wte.weight":{"dtype":"F16","shape":\[4,16\]' '"wte.weight":{"dtype":"F16","shape":[8, 8]'
bad 'a tensor of another shape' 'tensor wte.weight has the shape (8, 8); needed: (4, 16)'
fresh
printf '\377\177' | dd of="$dir/bad/model.safetensors" bs=1 seek=4286 conv=notrunc 2>/dev/null
bad 'a weight that is no number' 'is nan, not finite'
fresh
sed -i 's/"n_head"/"rotary_scaling_2": 3, "n_head"/' "$dir/bad/config.json"
bad 'a key that may matter' 'key rotary_scaling_2 is unknown here'
says 0 'unless the user says that it does not' 'gpt2' import "$dir/bad" --ignore rotary_scaling_2 -o "$dir/ignored.safetensors"
fresh
sed -i 's/"n_head"/"tie_word_embeddings": true, "n_head"/' "$dir/bad/config.json"
says 0 'a readout that is said to be tied' 'readout tied' import "$dir/bad" -o "$dir/tied.safetensors"
sed -i 's/"tie_word_embeddings": true/"tie_word_embeddings": false/' "$dir/bad/config.json"
bad 'one that is not, and is missing' 'tensor lm_head.weight is missing'
fresh
sed -i 's/gelu_new/quick_gelu/' "$dir/bad/config.json"
bad 'an activation that is unknown' 'activation_function "quick_gelu" is unknown'
for end in '"</s>"' '[2, "x"]' 2.5; do
    fresh
    sed -i "s|\"n_head\"|\"eos_token_id\": $end, \"n_head\"|" "$dir/bad/config.json"
    bad "no token ends a text: $end" "eos_token_id must be a token's number, or a list of them"
done
fresh
sed -i 's/"n_head"/"eos_token_id": [3, 1], "n_head"/' "$dir/bad/config.json"
says 0 'of several ends the first is taken, and said' 'stops at 3 alone, the first of 2 tokens that end a text' \
    import "$dir/bad" -o "$dir/ends.safetensors"
gives 0 'and it stops there' '3
least margin 8.62897' generate "$dir/ends.safetensors" 3 1
fresh
rm "$dir/bad/config.json"
bad 'no configuration' 'no config.json beside it'
fresh
truncate -s 4000 "$dir/bad/model.safetensors"
bad 'a file that ends too early' 'lies beyond the end of the file'
fresh
bend 'wte.weight' 'xyz.weight'
bad 'a layout that nobody knows' 'bad/model.safetensors: the names of its tensors (h.0'
rm -rf "$dir/bad"
mkdir "$dir/bad"
echo 'PK' >"$dir/bad/pytorch_model.bin"
bad 'a pickle' 'torch.load(FILE'
refuses 2 'a pickle by its name' 'st.save_file' import "$dir/bad/pytorch_model.bin" -o "$dir/bad.safetensors"
refuses 2 'no such file' 'No such file' import "$dir/nothing.safetensors" -o "$dir/bad.safetensors"
refuses 2 'a layout by its name' '--as' import examples/copycat --as gpt3 -o "$dir/bad.safetensors"
refuses 2 '-o is missing' '-o is missing' import examples/copycat
fresh
ln -s bad "$dir/linked"
for out in bad/model.safetensors bad/config.json linked/model.safetensors; do
    refuses 2 "what is read is not written over: $out" 'is read, and would be written over' import "$dir/bad" -o "$dir/$out"
done
refuses 2 'nor the configuration beside a file' 'is read, and' import "$dir/bad/model.safetensors" -o "$dir/bad/config.json"
cp "$dir/bad/config.json" "$dir/other.json"
refuses 2 'nor another one' 'is read, and' import "$dir/bad" --config "$dir/other.json" -o "$dir/other.json"
holds 'all of it is there' cmp examples/copycat/model.safetensors "$dir/bad/model.safetensors"
for time in once twice; do
    says 0 "a file of its own in the folder is none of them, $time" 'gpt2' import "$dir/bad" -o "$dir/bad/new.safetensors"
done
fresh
bend '"h.0.attn.c_attn.weight":{"dtype":"F16","shape":\[16,48\]' '"h.0.attn.c_attn.weight":{"dtype":"F16","shape":[48,16]'
bad 'GPT-2 with a turned matrix' 'block_size is missing (taken for nanogpt; --as names another)'
bad 'by its layout' 'tensor h.0.attn.c_attn.weight has the shape (48, 16); needed: (16, 48)' --as gpt2
refuses 2 'steps of no decoder' '--steps 3: a decoder makes rows' import examples/copycat --read last --steps 3 -o "$dir/bad.safetensors"
refuses 2 'a key that is used' 'key n_head is understood here' import examples/copycat --ignore n_head -o "$dir/bad.safetensors"
refuses 2 'too many steps' '--steps 8' import examples/copycat --steps 8 -o "$dir/bad.safetensors"

holes() # $1 file, $2 its header, $3 bytes of its data
{
    n=${#2}
    {
        # shellcheck disable=SC2059
        printf "$(printf '\\%03o\\%03o\\0\\0\\0\\0\\0\\0' $((n % 256)) $((n / 256)))"
        printf '%s' "$2"
    } >"$1"
    truncate -s $((8 + n + $3)) "$1" 2>/dev/null
}
tensor() { printf '"%s":{"dtype":"%s","shape":[%s],"data_offsets":[%s,%s]}' "$@"; } # name, type, shape, begin, end

# An index says of every tensor in which file it is.
shards() # $1 the place of a, $2 of b, $3 more of the map; the files are none of any layout
{
    rm -rf "$dir/bad"
    mkdir "$dir/bad"
    for one in a b; do
        holes "$dir/bad/$one.safetensors" "{$(tensor $one F32 1 0 4)}" 4
    done
    echo '{}' >"$dir/bad/config.json"
    echo "{\"weight_map\": {\"a\": \"$1.safetensors\", \"b\": \"$2.safetensors\"$3}}" >"$dir/bad/model.safetensors.index.json"
}
shards a b ''
bad 'an index that is right' 'its tensors (a, ...) are of no layout'
shards a b ', "c": "a.safetensors"'
bad 'a tensor of the index is in no file' 'index.json: weight_map: tensor c is not in a.safetensors'
shards b b ', "a.b": "a.safetensors"'
bad 'a tensor of the index is in another file' 'weight_map: tensor a is not in b.safetensors'
shards a c ''
bad 'a file of the index is not there' 'c.safetensors: No such file'

# Five gigabytes, as files with holes, on a budget of two: refused before they are read.
for row in 'F64 8 2048' 'F32 4 3072' 'F16 2 3072' 'BF16 2 3072'; do
    read -r kind bytes width <<<"$row"
    size=$((262144 * width * bytes))
    table=$(tensor model.embed_tokens.weight "$kind" "262144,$width" 0 $size)
    head=$(tensor lm_head.weight "$kind" "262144,$width" 0 $size)
    for shards in 1 2; do
        rm -rf "$dir/bad"
        mkdir "$dir/bad"
        cat >"$dir/bad/config.json" <<END
{"model_type": "llama", "hidden_size": $width, "num_hidden_layers": 1, "num_attention_heads": 32, "intermediate_size": 4096,
 "vocab_size": 262144, "max_position_embeddings": 64}
END
        if [ $shards -eq 1 ]; then
            both=$(tensor lm_head.weight "$kind" "262144,$width" $size $((2 * size)))
            holes "$dir/bad/model.safetensors" "{$table,$both}" $((2 * size)) || continue 3
        else
            echo '{"weight_map": {"model.embed_tokens.weight": "a.safetensors", "lm_head.weight": "b.safetensors"}}' \
                >"$dir/bad/model.safetensors.index.json"
            holes "$dir/bad/a.safetensors" "{$table}" $size && holes "$dir/bad/b.safetensors" "{$head}" $size || continue 3
        fi
        bad "gigabytes of $kind in $shards files on a budget of two" 'allowed: 2048 MiB' --as llama --max-memory 2048
    done
done

# A model of our own of that size: no memory, as everywhere.
/usr/bin/python3 - "$dir" 2>"$dir/.err" <<'END'
import json, os, struct, sys
raw = open(sys.argv[1] + "/copycat.safetensors", "rb").read()
n, = struct.unpack("<Q", raw[:8])
header, U, at = json.loads(raw[8:8 + n]), 8192, 0
arch = json.loads(header.pop("__metadata__")["attest"])
arch["blocks"][1]["layers"] = [{"rows": U}] * 20 + [{"rows": 16}]
shapes = {name: t["shape"] for name, t in sorted(header.items(), key=lambda e: e[1]["data_offsets"]) if ".mlp." not in name}
mlp = {}
for k in range(21):
    rows = U if k < 20 else 16
    mlp.update({f"block.1.mlp.{k}.w": [rows, U if k else 16], f"block.1.mlp.{k}.b": [rows]})
names = list(shapes)
place = names.index("block.1.norm.b") + 1
table = {}
for name, shape in [(k, shapes[k]) for k in names[:place]] + list(mlp.items()) + [(k, shapes[k]) for k in names[place:]]:
    count = shape[0] * (shape[1] if shape[1:] else 1) * 4
    table[name], at = {"data_offsets": [at, at + count], "dtype": "F32", "shape": shape}, at + count
meta = {"attest": json.dumps(arch, separators=(",", ":"), sort_keys=True), "format": "attest"}
text = json.dumps({"__metadata__": meta, **table}).encode()
with open(sys.argv[1] + "/large.safetensors", "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text)
os.truncate(sys.argv[1] + "/large.safetensors", 8 + len(text) + at)
END
if [ -e "$dir/large.safetensors" ]; then
    for words in 'run 1 2' 'generate 1' 'show' 'check --problem parity --set N=4' 'export --to npz -o x.npz' \
        'certify --problem parity --set N=4 -o x.cert'; do
        read -r name rest <<<"$words"
        # shellcheck disable=SC2086
        refuses 3 "five gigabytes of our own: $name" '1275495796 weights, which take 9732 MiB' \
            "$name" "$dir/large.safetensors" $rest --max-memory 2048
    done
    [ ! -e x.npz ] && [ ! -e x.cert ]
    verdict $? 'nothing is written'
fi

finish
