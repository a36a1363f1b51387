#!/usr/bin/python3
"""Others run what attest exports: onnxruntime the ONNX files, PyTorch the modules and twins of TransformerLens and GPT-2.

    judge_export.py DIR ATTEST NODE [K]  models and cases of judge_model.c in DIR, or every K-th of them; NODE/node_modules has onnxruntime-node

Every model of DIR (claims, compiled programs, trained nets, random ones over all parts) is exported to ONNX in f64 and f32, decoders also with a
cache, and to a PyTorch module. What comes out is compared with what attest computed:

  f64   equal: |a - b| <= 1e-9 max(1, |a|); a value that is not, but lies within twice the ball that attest proves for double runs in any
        order, is a tie: rounding decides there. More than TIES_MOST of all are a fault
  f32   equal: 1e-5 max(1, |a|), and the ball of float runs (constructions are made for double: their ties are counted, no more)
  rows  of decoders with a cache, and of a module's generate: the same rows, where no margin is below 1e-9

A model may be refused only for hard attention that rounding could turn, and then by that name, or for a part that imported models bring along,
if it has that part; of claims, programs and nets at most REFUSED_MOST.

Random plain transformers are written here, exported to transformerlens and gpt2, and run by twins of these two that share no code with attest.

Controls: files of which one weight was moved by 0.001 before export must be told apart, for every kind of tensor; and of every format one export
whose weights were moved after it."""
import collections
import importlib.util
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import onnx_run  # noqa: E402
import reference  # noqa: E402

EQUAL = {"f64": 1e-9, "f32": 1e-5}
TIES_MOST, REFUSED_MOST = 0.01, 4
TYPES = {np.float32: "float32", np.float64: "float64", np.int64: "int64"}


def array(x):
    return np.array([[np.nan if v is None else v for v in row] for row in x], dtype=float)


def export(attest, model, to, out, *more):
    """None, or why it is refused."""
    done = subprocess.run([attest, "export", model, "--to", to, "-o", out, *more], capture_output=True, text=True)
    if done.returncode == 0:
        return None
    if done.returncode != 2 or done.stderr.count("\n") != 1 or os.path.exists(out):
        raise SystemExit(f"{model} to {to}: exit {done.returncode}: {done.stderr}")
    return done.stderr.strip()


# ---- runners ------------------------------------------------------------------------------------------------------

class Runtime:
    """onnxruntime, in a process of node's."""
    def __init__(self, folder):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnxruntime.js")
        self.process = subprocess.Popen(["node", script, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, path, feeds):
        job = {"model": path, "feeds": [[name, TYPES[x.dtype.type], list(x.shape), x.flatten().tolist()] for name, x in feeds.items()]}
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{path}: onnxruntime ended with code {self.process.wait()}")
        answer = json.loads(line)
        if isinstance(answer, dict):
            raise ValueError(answer["error"])
        return {name: np.array([np.nan if v is None else v for v in data]).reshape(dims) for name, dims, data in answer}


def module_of(folder):
    spec = importlib.util.spec_from_file_location("exported", os.path.join(folder, "model.py"))
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module.Model()


def tensors_of(model, rows):
    """Rows of input as the tensors that a module takes, a batch of one."""
    out = []
    for f, v in model.each(rows):
        t = torch.tensor(v if f.kind == "real" else v.astype(np.int64))
        out.append(t[None, :, 0] if f.kind == "token" else t[None])
    return out


# ---- comparing -----------------------------------------------------------------------------------------------------

class Tally:
    def __init__(self):
        self.models, self.values, self.ties, self.chains, self.refused, self.worst = 0, 0, 0, 0, 0, 0.0


def compare(case, got, dtype, tally):
    """None, or what is different. got: (positions, R)"""
    ours = array(case["values"])
    middle, radii = (ours, array(case["radii"])) if dtype == "f64" else (array(case["values_f32"]), array(case["radii_f32"]))
    if not case["values"]:
        return None if got.size == 0 else "values where there are none"
    if got.shape != ours.shape:
        return f"values of shape {got.shape}, not {ours.shape}"
    known = np.isfinite(ours) | np.isfinite(got)
    size = np.maximum(1, np.abs(ours))
    apart = np.where(known, np.abs(got - ours) / size, 0)
    equal = apart <= EQUAL[dtype]
    tie = ~equal & ~(np.abs(got - middle) > 2 * radii)
    tally.values += ours.size
    tally.ties += int(tie.sum())
    tally.worst = max(tally.worst, apart[equal].max(initial=0))
    return None if (equal | tie).all() else f"values differ by {np.nanmax(apart):.3g}"


def values_of(outputs):
    return outputs["values"][0]


def runs_judge(runtime, model, path, cases, dtype, tally):
    onnx = onnx_run.Onnx(path)
    for case in cases:
        if "values" not in case or "taken" in case:
            continue
        rows = model.parse(case["input"])
        if len(rows) == 0 and model.before + model.after == 0:
            continue  # nothing at all: reductions over no keys are not defined in ONNX
        if len(rows) == 0 and model.kind == "sparsemax" and not model.last:
            continue  # onnxruntime 1.30 ends with a division by zero where TopK gets no rows
        try:
            outputs = runtime.run(path, onnx.feeds(rows))
        except ValueError as why:
            return f"{dtype}: {case['input'][:100]}: onnxruntime: {why}"
        why = compare(case, values_of(outputs), dtype, tally)
        if why:
            return f"{dtype}: {case['input'][:100]}: {why}"
    return None


def cached_chain(run, onnx, rows, steps):
    """The rows that a decoder writes, from its cache: the prompt at once, then a row a call."""
    feeds, written = {**onnx.feeds(rows), **onnx.empty()}, []
    for _ in range(steps):
        out = run(feeds)
        row = out["next"].reshape(1, -1)
        written.append(row[0].tolist())
        past = {name.replace("present_", "past_", 1): x for name, x in out.items() if name.startswith("present_")}
        kinds = {name: kind for name, kind, _ in onnx.graph.inputs}
        feeds = {**onnx.feeds(row), **{name: x.astype(kinds[name]) for name, x in past.items()}}
    return written


def clear(case):
    return case["least_margin"] is None or case["least_margin"] > 1e-9


def chains_judge(runtime, model, path, cases, tally):
    onnx = onnx_run.Onnx(path)
    for case in cases:
        if "rows" in case and case["rows"] and clear(case):
            try:
                got = cached_chain(lambda feeds: runtime.run(path, feeds), onnx, model.parse(case["input"]), len(case["rows"]))
            except ValueError as why:
                return f"cache: {case['input'][:100]}: onnxruntime: {why}"
            tally.chains += 1
            if got != case["rows"]:
                return f"cache: {case['input'][:100]}: rows {got[:3]}.., not {case['rows'][:3]}.."
    return None


def torch_judge(model, folder, cases, tally):
    module = module_of(folder)
    numbers = next(t.dtype for t in module.state_dict().values() if t.is_floating_point())
    for case in cases:
        if "taken" in case or "refused" in case:
            continue
        rows = model.parse(case["input"])
        if "values" in case and not (len(rows) == 0 and model.before + model.after == 0):
            with torch.no_grad():
                got = module(*tensors_of(model, rows))[0].double().numpy()
            why = compare(case, got, "f32" if numbers == torch.float32 else "f64", tally)
            if why:
                return f"torch: {case['input'][:100]}: {why}"
        elif "rows" in case and case["stopped"] and clear(case) and len(case["rows"]) <= 12:
            prompt = [t[0] for t in tensors_of(model, rows)]
            got = module.generate(*prompt)
            tally.chains += 1
            if got is None or [r if isinstance(r, list) else [r] for r in got] != case["rows"]:
                return f"torch: {case['input'][:100]}: rows {got}, not {case['rows']}"
    return None


# ---- TransformerLens and GPT-2: twins, written from their own code's names --------------------------------------------

def folder_read(folder):
    raw = open(os.path.join(folder, "model.safetensors"), "rb").read()
    data = 8 + struct.unpack("<Q", raw[:8])[0]
    header, out = json.loads(raw[8:data]), {}
    meta = header.pop("__metadata__")
    for name, t in header.items():
        begin, end = t["data_offsets"]
        own = bytearray(raw[data + begin:data + end])
        out[name] = torch.frombuffer(own, dtype={"F64": torch.float64, "F32": torch.float32}[t["dtype"]]).reshape(t["shape"])
    return json.load(open(os.path.join(folder, "config.json"))), out, meta


def layer_norm(x, w, b, eps):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], w, b, eps)


def transformerlens(folder, tokens):
    """HookedTransformer.forward, with its einsums."""
    cfg, w, meta = folder_read(folder)
    hidden = json.loads(meta["hidden_tokens"])
    ids = torch.tensor(hidden["prefix"] + list(tokens) + hidden["suffix"], dtype=torch.long)
    T, act = len(ids), {"relu": torch.relu, "gelu": torch.nn.functional.gelu}[cfg["act_fn"]]
    x = w["embed.W_E"][ids] + w["pos_embed.W_pos"][:T]
    ln = (lambda x, name: layer_norm(x, w[name + ".w"], w[name + ".b"], cfg["eps"])) if cfg["normalization_type"] else lambda x, name: x
    for l in range(cfg["n_layers"]):
        at = f"blocks.{l}."
        y = ln(x, at + "ln1")
        q, k, v = (torch.einsum("td,hde->the", y, w[f"{at}attn.W_{c}"]) + w[f"{at}attn.b_{c}"] for c in "QKV")
        s = torch.einsum("qhe,khe->hqk", q, k)
        if cfg["attention_dir"] == "causal":
            s = s.masked_fill(~torch.tril(torch.ones(T, T, dtype=torch.bool)), -math.inf)
        z = torch.einsum("hqk,khe->qhe", torch.softmax(s, -1), v)
        x = x + torch.einsum("qhe,hed->qd", z, w[at + "attn.W_O"]) + w[at + "attn.b_O"]
        if not cfg["attn_only"]:
            y = ln(x, at + "ln2")
            x = x + act(y @ w[at + "mlp.W_in"] + w[at + "mlp.b_in"]) @ w[at + "mlp.W_out"] + w[at + "mlp.b_out"]
    x = ln(x, "ln_final") @ w["unembed.W_U"] + w["unembed.b_U"]
    return x[len(hidden["prefix"]):T - len(hidden["suffix"])], x[-1:]


def gpt2(folder, tokens):
    """GPT2LMHeadModel.forward."""
    cfg, w, _ = folder_read(folder)
    ids, D, H = torch.tensor(list(tokens), dtype=torch.long), cfg["n_embd"], cfg["n_head"]
    T, act = len(ids), {"relu": torch.relu, "gelu": torch.nn.functional.gelu}[cfg["activation_function"]]
    conv = lambda x, name: x @ w[name + ".weight"] + w[name + ".bias"]
    ln = lambda x, name: layer_norm(x, w[name + ".weight"], w[name + ".bias"], cfg["layer_norm_epsilon"])
    x = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][:T]
    for l in range(cfg["n_layer"]):
        at = f"transformer.h.{l}."
        q, k, v = (z.reshape(T, H, D // H).transpose(0, 1) for z in conv(ln(x, at + "ln_1"), at + "attn.c_attn").split(D, -1))
        s = q @ k.transpose(1, 2) / math.sqrt(D // H)
        s = s.masked_fill(~torch.tril(torch.ones(T, T, dtype=torch.bool)), -math.inf)
        x = x + conv((torch.softmax(s, -1) @ v).transpose(0, 1).reshape(T, D), at + "attn.c_proj")
        x = x + conv(act(conv(ln(x, at + "ln_2"), at + "mlp.c_fc")), at + "mlp.c_proj")
    x = ln(x, "transformer.ln_f") @ w["lm_head.weight"].T
    return x, x[-1:]


TWINS = {"transformerlens": transformerlens, "gpt2": gpt2}


def twin_judge(model, twin, folder, cases, tally):
    for case in cases:
        if "values" in case and "taken" not in case and len(case["values"]):
            with torch.no_grad():
                both = TWINS[twin](folder, model.parse(case["input"])[:, 0].astype(int))
            got = both[bool(model.last)].double().numpy()
            if model.kind == "softmax":
                got = np.exp(got - got.max(-1, keepdims=True))
                got /= got.sum(-1, keepdims=True)
            if model.kind == "sparsemax":
                continue
            why = compare(case, got, "f64", tally)
            if why:
                return f"{twin}: {case['input'][:100]}: {why}"
    return None


def plain_write(path, rng, shape):
    """A random plain transformer as a model file. shape: gpt2, or what transformerlens has besides."""
    full = shape == "gpt2"
    V, L, n = int(rng.integers(2, 9)), int(rng.integers(1, 4)), int(rng.integers(2, 9))
    H, d = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    D = H * d if full else int(rng.integers(2, 9))
    before, after = (0, 0) if full else (int(rng.integers(0, 3)), int(rng.integers(0, 2)))
    norm, mask = full or bool(rng.integers(2)), "causal" if full or rng.integers(2) else "none"
    act, eps, R = ["relu", "gelu"][rng.integers(2)], [1e-5, 0.125][rng.integers(2)], V if full else int(rng.integers(1, 6))
    tensors, blocks = {}, []
    def tensor(name, *sizes):
        tensors[name] = rng.normal(size=sizes) / math.sqrt(sizes[-1]) + (name.endswith(".g"))
    tensor("input.0.embed", V, D)
    kind = ["table", "sinusoidal", "i"][rng.integers(3)]
    rows = {"table": before + n + after, "sinusoidal": 4, "i": 1}[kind]
    tensor("pos.0.embed", rows, D)
    for end, count in (("prefix", before), ("suffix", after)):
        if count:
            tensor(end, count, D)
    for _ in range(2 * L):
        b, attn, residual = len(blocks), bool(rng.integers(2)) if not full else len(blocks) % 2 == 0, full or norm or bool(rng.integers(4))
        block = {"kind": "attn" if attn else "mlp", "residual": residual, "norm": "pre" if norm else "none", **({"norm_eps": eps} if norm else {})}
        if norm:
            tensor(f"block.{b}.norm.g", D), tensor(f"block.{b}.norm.b", D)
        if attn:
            block["groups"] = []
            for g in range(1 if full else int(rng.integers(1, 3))):
                dk, dv, h = (d, d, H) if full else map(int, rng.integers(1, 4, 3))
                bias, at = bool(rng.integers(2)), f"block.{b}.attn.{g}."
                block["groups"].append({"heads": h, "dk": dk, "dv": dv, "weighting": "softmax", "post": "id", "bias": bias,
                                        "scale": float(rng.uniform(0.3, 2)), "mask": {"kind": mask}})
                for name, r, c in ("q", h * dk, D), ("k", h * dk, D), ("v", h * dv, D), ("o", D, h * dv):
                    tensor(at + name, r, c)
                for name, r in (("qb", h * dk), ("kb", h * dk), ("vb", h * dv), ("ob", D)) if bias else ():
                    tensor(at + name, r)
        else:
            hidden = int(rng.integers(1, 9))
            block.update(act=act, layers=[{"rows": hidden}, {"rows": D}])
            for l, r, c in (0, hidden, D), (1, D, hidden):
                tensor(f"block.{b}.mlp.{l}.w", r, c), tensor(f"block.{b}.mlp.{l}.b", r)
        blocks.append(block)
    if norm:
        tensor("readout.norm.g", D), tensor("readout.norm.b", D)
    tensor("readout.w", R, D), tensor("readout.b", R)
    if full:
        tensors["readout.b"][:] = 0
    columns = {"col": 0, "width": D}
    arch = {"version": 1, "name": shape, "width": D, "n_min": 1, "n_max": n, "pos_origin": 1, "f32": False, "subspaces": [],
            "fields": [{"name": "x", "kind": "token", "size": V, **columns}], "blocks": blocks,
            "positions": [{"kind": kind, **({"size": rows} if kind != "i" else {}), **columns}],
            "prefix": {"count": before, **(columns if before else {})}, "suffix": {"count": after, **(columns if after else {})},
            "readout": {"kind": "raw", "rows": R, "last": bool(rng.integers(2)), "final_norm": norm, **({"norm_eps": eps} if norm else {})}}
    header, data = {"__metadata__": {"format": "attest", "attest": json.dumps(arch)}}, b""
    for name, t in tensors.items():
        header[name] = {"dtype": "F64", "shape": list(t.shape), "data_offsets": [len(data), len(data) + t.nbytes]}
        data += t.astype("<f8").tobytes()
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)
    return [" ".join(map(str, rng.integers(0, V, k))) for k in (n, max(1, n // 2), 1)]


def run_of(attest, model, line):
    done = subprocess.run([attest, "run", model, line, "--json"], capture_output=True, text=True)
    values = json.loads(done.stdout)["values"]
    return {"input": line, "values": values, "radii": [[0] * len(row) for row in values]}


def plains_judge(attest, folder, tally, count=100):
    wrong = []
    for twin in TWINS:
        rng = np.random.default_rng(7)
        for k in range(count):
            path, out = os.path.join(folder, f"{twin}-{k}.safetensors"), os.path.join(folder, f"{twin}-{k}")
            lines = plain_write(path, rng, twin)
            why = export(attest, path, twin, out)
            model = reference.Model(path)
            why = why or twin_judge(model, twin, out, [run_of(attest, path, line) for line in lines], tally[twin])
            tally[twin].models += 1
            if why:
                wrong.append(f"plain {twin} {k}: {why}")
    return wrong


# ---- controls ---------------------------------------------------------------------------------------------------------

def moved(path, out, name, rng):
    """The file with one weight of a tensor moved by 0.001."""
    raw = bytearray(open(path, "rb").read())
    data = 8 + struct.unpack("<Q", raw[:8])[0]
    t = json.loads(raw[8:data])[name]
    form, size = ("<d", 8) if t["dtype"] == "F64" else ("<f", 4)
    at = data + t["data_offsets"][0] + size * int(rng.integers((t["data_offsets"][1] - t["data_offsets"][0]) // size))
    raw[at:at + size] = struct.pack(form, struct.unpack(form, raw[at:at + size])[0] + 1e-3)
    open(out, "wb").write(raw)


def names_of(path):
    raw = open(path, "rb").read()
    return [n for n in json.loads(raw[8:8 + struct.unpack("<Q", raw[:8])[0]]) if n != "__metadata__" and not re.search(r"\.(columns|starts)$", n)]


def controls_judge(runtime, attest, directory, by_model, folder):
    """Kinds of tensors to (tried, told apart)."""
    rng, found = np.random.default_rng(1), collections.defaultdict(lambda: [0, 0])
    changed, out = os.path.join(folder, "moved.safetensors"), os.path.join(folder, "moved.onnx")
    for file, cases in by_model.items():
        path = os.path.join(directory, file)
        for name in names_of(path):
            kind = re.sub(r"\.\d+", "", name).replace("block.", "").replace(".values", "")
            if found[kind][1] >= 1 or found[kind][0] >= 60:
                continue
            moved(path, changed, name, rng)
            out = os.path.join(folder, f"moved-{sum(t for t, _ in found.values())}.onnx")  # a new name: models stay loaded
            if export(attest, changed, "onnx", out, "--dtype", "f64"):
                continue
            found[kind][0] += 1
            found[kind][1] += runs_judge(runtime, reference.Model(path), out, cases, "f64", Tally()) is not None
            os.unlink(out)
    return found


# ---- all ----------------------------------------------------------------------------------------------------------------

# How a file says that it has a part which only imported models have.
PARTS = {"rotary": r'"rotary":', "alibi": r'"alibi": ?true', "rms": r'"norm_kind": ?"rms"', "gated": r'"gated": ?true',
         "parallel": r'"parallel": ?true', "tied": r'"tied": ?true'}


def refused_rightly(path, why):
    """Is the reason one that the page gives, and true of the model?"""
    if "may err by" in why or "no attention, so there are no keys" in why:
        return True
    part = re.search(r"not for models with (activation )?([\w-]+) \(", why)
    if not part:
        return False
    with open(path, "rb") as f:
        header = f.read(struct.unpack("<Q", f.read(8))[0]).decode().replace('\\"', '"')
    return re.search(f'"act": ?"{part[2]}"' if part[1] else PARTS.get(part[2], "^$"), header) is not None


def model_judge(runtime, attest, path, cases, folder, k, tally, wrong):
    model = reference.Model(path)
    kinds = [("onnx f64", "onnx", ["--dtype", "f64"]), ("onnx f32", "onnx", ["--dtype", "f32"]), ("torch", "torch", [])]
    if model.decode:
        kinds.append(("cache", "onnx", ["--cache", "--dtype", "f64"]))
    kinds += [(twin, twin, ["--dtype", "f64"]) for twin in TWINS]
    for name, to, more in kinds:
        out, t = os.path.join(folder, f"{k}-{name.replace(' ', '-')}"), tally[name]
        why = export(attest, path, to, out, *more)
        if why:
            t.refused += 1
            if to in ("onnx", "torch") and not refused_rightly(path, why):
                wrong.append(f"{cases[0]['from']}: {name}: {why}")
            continue
        t.models += 1
        if name == "cache":
            why = chains_judge(runtime, model, out, cases, t)
        elif to == "onnx":
            why = runs_judge(runtime, model, out, cases, more[1], t)
        elif to == "torch":
            why = torch_judge(model, out, cases, t)
            if hash_of(attest, path) != hash_of(attest, os.path.join(out, "model.safetensors")):
                why = why or "torch: model.safetensors is another model"
        else:
            why = twin_judge(model, to, out, cases, t)
        subprocess.run(["rm", "-r", out])
        if why:
            wrong.append(f"{cases[0]['from']} ({os.path.basename(path)}): {why}")


def hash_of(attest, path):
    return re.search(r"\b[0-9a-f]{64}\b", subprocess.run([attest, "show", path, "--json"], capture_output=True, text=True).stdout)[0]


def main(directory, attest, node, every=1):
    with open(os.path.join(directory, "cases.jsonl"), encoding="utf-8") as f:
        _, *cases = [json.loads(line) for line in f]
    by_model, wrong = collections.OrderedDict(), []
    for case in cases:
        by_model.setdefault(case["model"], []).append(case)
    by_model = collections.OrderedDict(list(by_model.items())[::int(every)])
    np.seterr(all="ignore")
    torch.set_num_threads(1)
    runtime = Runtime(node)
    with tempfile.TemporaryDirectory() as folder:
        tallies = collections.OrderedDict()
        for k, (file, some) in enumerate(by_model.items()):
            tally = tallies.setdefault(some[0]["from"].split()[0], collections.defaultdict(Tally))
            model_judge(runtime, attest, os.path.join(directory, file), some, folder, k, tally, wrong)
        plain = tallies.setdefault("plain", collections.defaultdict(Tally))
        wrong += plains_judge(attest, folder, plain)
        random = {file: some for file, some in by_model.items() if some[0]["from"].startswith("random")}
        found = controls_judge(runtime, attest, directory, random, folder)
    print(f"{'models':10}{'format':18}{'models':>7}{'refused':>8}{'values':>8}{'ties':>7}{'chains':>7}  largest difference")
    for name, formats in tallies.items():
        for to, t in formats.items():
            print(f"{name:10}{to:18}{t.models:7}{t.refused:8}{t.values:8}{t.ties:7}{t.chains:7}  {t.worst:.2g}")
            if to == "onnx f64" and t.ties > TIES_MOST * t.values:
                wrong.append(f"{name} {to}: {t.ties} of {t.values} values are ties")
            if to in ("onnx f64", "torch") and name != "random" and t.refused > REFUSED_MOST:
                wrong.append(f"{name} {to}: {t.refused} models are refused")
    wrong += [f"control: {tried} changed weights of {kind} and none is told apart" for kind, (tried, told) in found.items() if tried and not told]
    print(f"controls: weights of {sum(told > 0 for _, told in found.values())} of {len(found)} kinds of tensors told apart")
    for line in wrong[:40]:
        print(line)
    print(f"{len(by_model)} models, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
