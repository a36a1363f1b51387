# test_export.sh: models for other tools. What is written is read again by numpy (tools/onnx_run.py, numpy.load) and, where it is
# installed, by PyTorch, and gives what attest gives; what a format cannot say is refused in a line, and leaves nothing. The example of
# docs/export.md is run.
. cli/test/lib.sh
python=/usr/bin/python3

call compile --regex '(ab)*' --set N=16 -o "$dir/hard.st"
call compile lis --set n=3,top=4 -o "$dir/lis.st"
call build match2 --set N=8,M=17 -o "$dir/match2.st"

# What is asked for wrongly, or cannot be.
refuses 2 'no format' '--to is missing' export "$dir/match2.st" -o "$dir/x"
refuses 2 'no place' '-o is missing' export "$dir/match2.st" --to npz
refuses 2 'an unknown format' "unknown format 'onxx'; did you mean 'onnx'?" export "$dir/match2.st" --to onxx -o "$dir/x"
refuses 2 'no such model' 'none.st' export "$dir/none.st" --to npz -o "$dir/x"
refuses 2 'a cache of what is no decoder' 'a cache is for decoders; this model is none' export "$dir/match2.st" --to onnx --cache -o "$dir/x"
refuses 2 'a cache of another format' 'a cache is for onnx' export "$dir/lis.st" --to torch --cache -o "$dir/x"
refuses 2 'hard attention that rounding may turn' 'leftmost-hard with tie 0, and in f64 its scores may err by' export fo-mon --to torch -o "$dir/x"
says 0 'npz holds it, for it computes nothing' 'npz, f64: ' export fo-mon --to npz -o "$dir/hard.npz"
refuses 2 'but not with other numbers' 'and in f32 its scores may err by' export fo-mon --to npz --dtype f32 -o "$dir/x"
refuses 2 'a shape that is none of GPT-2' 'gpt2 has no place for' export "$dir/match2.st" --to gpt2 -o "$dir/x"
refuses 2 'attention that TransformerLens has not' 'transformerlens has softmax attention alone, not' export "$dir/hard.st" --to transformerlens -o "$dir/x"
refuses 2 'a folder that is not there' 'none/x' export "$dir/match2.st" --to torch -o "$dir/none/x"
holds 'nothing was written' test ! -e "$dir/x"
mkdir "$dir/full"
refuses 2 'a folder that is there' 'full: is there already; this format is a folder, and makes a new one' export "$dir/match2.st" --to torch -o "$dir/full"
holds 'and stays' rmdir "$dir/full"
says 0 'JSON' '"format": "npz", "dtype": "f32"' export "$dir/match2.st" --to npz --dtype f32 --json -o "$dir/m.npz"

# The folder of torch holds the model itself, dense.
says 0 'to torch' 'torch, f64' export "$dir/match2.st" --to torch -o "$dir/t"
call show "$dir/match2.st" --json
cp "$dir/.out" "$dir/one"
call show "$dir/t/model.safetensors" --json
holds 'its weights are the model' test "$(grep -o '"[0-9a-f]\{64\}"' "$dir/one")" = "$(grep -o '"[0-9a-f]\{64\}"' "$dir/.out")"
holds 'coordinates are named' grep -q '^#     1  *cos$' "$dir/t/model.py"
holds 'heads are named' grep -q 'layer 1, head 1 (softmax, mask none): paired' "$dir/t/model.py"
holds 'and in JSON' grep -q '"name": "paired", "weighting": "softmax"' "$dir/t/names.json"
says 0 'a path as shells complete it' 'slash/: torch' export "$dir/match2.st" --to torch -o "$dir/slash/"
holds 'is that folder' test -s "$dir/slash/model.py"
refuses 2 'of a model that is none, too' 'slash: is there already' export "$dir/nosuch.st" --to torch -o "$dir/slash"
refuses 2 'no place for a folder' 'No such file or directory' export "$dir/match2.st" --to torch -o "$dir/nosuch/t"
refuses 2 'a file where a folder is' 'is a directory' export "$dir/match2.st" --to npz -o "$dir/slash"
says 0 'to TransformerLens' 'transformerlens, f64' export "$dir/match2.st" --to transformerlens -o "$dir/tl"
holds 'with embed and unembed' grep -q 'embed.W_E.*unembed.W_U' "$dir/tl/model.safetensors"

# What was imported goes out again, and comes in as it was.
call import examples/copycat --read every -o "$dir/copycat.st"
hash_of() # $1 model
{
    call show "$1" --json
    grep -o '"[0-9a-f]\{64\}"' "$dir/.out"
}
for to in gpt2 transformerlens; do
    says 0 "an imported model to $to" "$to, f32" export "$dir/copycat.st" --to $to -o "$dir/back-$to"
    call import "$dir/back-$to" --read every -o "$dir/back-$to.st"
    for x in '0 1 2 3' '3 3 1 0 2 2' 2; do
        call run "$dir/copycat.st" $x --json
        sed 's/.*"values"//' "$dir/.out" >"$dir/one"
        call run "$dir/back-$to.st" $x --json
        holds "$to and back says the same of $x" sh -c 'sed "s/.*\"values\"//" "$1" | cmp -s - "$2"' x "$dir/.out" "$dir/one"
    done
done
holds 'GPT-2 and back is the same model' test "$(hash_of "$dir/copycat.st")" = "$(hash_of "$dir/back-gpt2.st")"
# A claim without parameters is the model that `build` makes.
call build match2 -o "$dir/usual.st"
says 0 'a claim has its own defaults' "$(hash_of "$dir/usual.st")" export match2 --to npz --json -o "$dir/usual.npz"
# Attention alone: what is written has no MLP, and is read so.
call export compose-two --set n=4 --to transformerlens -o "$dir/alone"
holds 'a model without MLPs to TransformerLens' grep -q '"attn_only": true' "$dir/alone/config.json"
says 0 'and back' '2 attention layers' import "$dir/alone" -o "$dir/alone.st"
mkdir "$dir/ends" && cp examples/copycat/model.safetensors "$dir/ends"
sed 's/"n_head"/"eos_token_id": 2, "n_head"/' examples/copycat/config.json >"$dir/ends/config.json"
call import "$dir/ends" -o "$dir/ends.st"
call export "$dir/ends.st" --to gpt2 -o "$dir/ends-gpt2"
call import "$dir/ends-gpt2" -o "$dir/ends-back.st"
holds 'with the token that ends a text' test "$(hash_of "$dir/ends.st")" = "$(hash_of "$dir/ends-back.st")"
holds 'which GPT-2 is told' grep -q '"eos_token_id": 2,' "$dir/ends-gpt2/config.json"

call export "$dir/match2.st" --to onnx -o "$dir/match2.onnx"
if [ "$code" -ne 0 ]; then
    holds 'ONNX was left out of this build, which says so' grep -q 'built without protobuf-c' "$dir/.err"
    finish
fi
if ! "$python" -c 'import numpy' 2>/dev/null; then
    tests=$((tests + 1))
    echo "ok $tests - what is written, read by numpy # SKIP no numpy"
    finish
fi

# The example of the page: lines after $ are run, what stands below them comes out.
mkdir "$dir/bin" "$dir/page"
ln -s "$attest" "$dir/bin/attest"
awk '/^```/ { inside = !inside && !seen; seen = 1; next } inside' docs/export.md >"$dir/example"
root=$PWD
sed -n 's/^\$ //p' "$dir/example" | sed "s|python3 tools|$python $root/tools|" >"$dir/commands"
holds 'the example of the page runs' sh -ec "cd '$dir/page'; PATH='$dir/bin':\$PATH; . '$dir/commands' >out"
holds 'and prints what the page says' grep -qx "$(grep -v '^\$' "$dir/example")" "$dir/page/out"
holds 'and ONNX says the same' grep -q '"decisions": \[\[\[1\]\]\]' "$dir/page/out"

# compare.py ATTEST DIR: a line "ok NAME" or "no NAME ..." for each: values of every input are those of attest run, in ONNX (f64 and f32) and in
# PyTorch where that is; rows of decoders are those of attest generate, from a cache.
cat >"$dir/compare.py" <<'PY'
import importlib.util, json, os, subprocess, sys
import numpy as np
sys.path.insert(0, "tools")
import onnx_run, reference
try:
    import torch
except ImportError:
    torch = None
np.seterr(all="ignore")
attest, folder = sys.argv[1:]
rng, count = np.random.default_rng(1), 0

def ask(*words):
    done = subprocess.run([attest, *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else done.stderr

def export(path, to, *more):
    global count
    count += 1
    out = os.path.join(folder, f"out{count}")
    return out, ask("export", path, "--to", to, "-o", out, *more)

def line(model, n, bounds=None):
    rows = []
    for t in range(n):
        parts, at = [], 0
        for f in model.fields:
            lo, hi = (np.array(b[at:at + f.width]) for b in bounds[t]) if bounds else (f.lo, f.hi)
            v = (rng.permutation(f.size)[:f.width] + 1 if f.kind == "subset" else rng.uniform(lo, hi, f.width) if f.kind == "real"
                 else rng.integers(np.asarray(lo, int), np.asarray(hi, int) + 1, f.width))
            parts.append(f.show([float(e) for e in v]))
            at += f.width
        rows.append("/".join(parts))
    return " ".join(rows)

def module(out):
    spec = importlib.util.spec_from_file_location("exported", os.path.join(out, "model.py"))
    own = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(own)
    return own.Model()

def runner(path, form):
    to = "torch" if form == "torch" else "onnx"
    out, said = export(path, to, "--dtype", "f32" if form == "f32" else "f64")
    if not os.path.exists(out):
        raise ValueError(said)
    if to == "onnx":
        onnx = onnx_run.Onnx(out)
        return lambda model, rows: onnx.run(onnx.feeds(rows))["values"][0]
    own = module(out)
    def run(model, rows):
        fields = [(f, torch.tensor(v if f.kind == "real" else v.astype(int))) for f, v in model.each(rows)]
        with torch.no_grad():
            return own(*(v[None, :, 0] if f.kind == "token" else v[None] for f, v in fields))[0].numpy()
    return run

def agrees(name, path, lines):
    model = reference.Model(path)
    want = {one: np.array(json.loads(ask("run", path, one, "--json"))["values"], float) for one in lines}
    for form in ["f64", "f32"] + (["torch"] if torch else []):
        try:
            run, worst = runner(path, form), 0
            for one in lines:
                got = run(model, model.parse(one))
                assert got.shape == want[one].shape, f"{got.shape}"
                worst = max(worst, np.abs(got - want[one]).max(initial=0) / max(1, np.abs(want[one]).max(initial=0)))
            good, why = worst <= (1e-4 if form == "f32" else 1e-11), f"{worst:.3g}"
        except (ValueError, AssertionError) as error:
            good, why = "may err by" in str(error) or False, str(error)[:200]
            name = name + (", refused for hard attention" if good else "")
        print("ok" if good else "no", f"{name}, {form}", "" if good else why)

def continues(name, path):
    model = reference.Model(path)
    bounds = [(lo, hi) for least, _, lo, hi in model.stretches for _ in range(least)]
    prompt = line(model, len(bounds), bounds)
    want = json.loads(ask("generate", path, prompt, "--json"))["rows"]
    onnx = onnx_run.Onnx(export(path, "onnx", "--cache", "--dtype", "f64")[0])
    feeds, got = {**onnx.feeds(model.parse(prompt)), **onnx.empty()}, []
    for _ in want:
        out = onnx.run(feeds)
        row = out["next"].reshape(1, -1)
        got.append(row[0].tolist())
        feeds = {**onnx.feeds(row), **{k.replace("present_", "past_", 1): v for k, v in out.items() if k.startswith("present_")}}
    print("ok" if got == want and len(want) > 2 else "no", f"{name}, row by row from a cache", "" if got == want else f"{got} {want}")

at = lambda name: os.path.join(folder, name)
agrees("softmax", at("match2.st"), ["3 14 5", "1 2 3 4 5 6 7 8", "0"])
agrees("hard attention", at("hard.st"), ["a b a b", "a b b a", "b"])
agrees("pairs of keys", at("match3.st"), ["1 2 4 3 5"])
for k in range(6):
    path = f"fuzz/corpus/model/file{k}"
    model = reference.Model(path)
    agrees(f"a file of the corpus, {k}", path, [line(model, n) for n in {max(1, model.n_min), model.n_max}])
for attention in "standard", "linear", "sparse":
    continues(f"a recurrence, {attention}", at(f"lis-{attention}.st"))
for net in "tanh", "gru":
    model = reference.Model(at(f"{net}.st"))
    agrees(f"a recurrent net, {net}", at(f"{net}.st"), [line(model, n) for n in (1, 5)])
agrees("an imported GPT-2", at("copycat.st"), ["0 1 2 3", "3 3 1 0 2 2", "2"])
# A control: the export of another model is told apart.
run, model = runner(at("match2.st"), "f64"), reference.Model(at("other.st"))
one = "1 2 3 13 15"
apart = np.abs(run(model, model.parse(one)) - np.array(json.loads(ask("run", at("other.st"), one, "--json"))["values"])).max()
print("ok" if apart > 0.5 else "no", "another model is told apart")
PY
call build match3-threewise --set N=5,M=7 -o "$dir/match3.st"
for net in tanh gru; do
    call train parity --set n=4 --net $net --width 8 --layers 1 --heads 1 --steps 2 --batch 4 --exams 0 --count 2 -o "$dir/$net.st"
done

call build match2 --set N=8,M=16 -o "$dir/other.st"
for attention in standard linear sparse; do
    call compile lis --attention $attention --set n=3,top=4 -o "$dir/lis-$attention.st"
done
"$python" "$dir/compare.py" "$attest" "$dir" >"$dir/compared" 2>"$dir/.err"
code=$?
verdict $code 'all of that is compared'
while read -r said name; do
    [ "$said" = ok ]
    verdict $? "$name"
done <"$dir/compared"

# numpy opens the archive, checksums and all.
holds 'numpy reads npz' "$python" - "$dir/m.npz" <<'PY'
import json, sys, numpy as np
z = np.load(sys.argv[1])
arch, names = json.loads(z["attest"].item()), json.loads(z["names"].item())
assert z["readout.w"].dtype == np.float32 and z["readout.w"].shape == (1, arch["width"])
assert z["heads"].item() == b"0.0 paired" and names["heads"][0]["name"] == "paired"
assert z["problem"].item() == b"match2 N=8 M=17" and arch["f32"] is True
assert z.zip.testzip() is None
PY
finish
