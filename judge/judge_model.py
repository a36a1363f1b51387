#!/usr/bin/python3
"""A second reader judges attest's executor: tools/reference.py, written from docs/model.md alone, in numpy.

    judge_model.py DIR ATTEST      asks about every case in DIR/cases.jsonl (judge_model.c writes it); exit 1 unless all is right

Equal means |a - b| <= 1e-9 max(1, |a|) for every value and margin, and the same decisions wherever the margin is above 1e-9 or the values
are exact (nothing was rounded, so that ties are ties). attest says of every value how far from the middle double-precision runs can be that add
in any order (radii, from at_run_bound). A value that is not equal but lies within twice that is a tie too: rounding decides a hard choice there. Ties are counted, and more than
TIES_MOST of them are a fault. Chains must be the same rows, with the same end and the same least margin.

Every part of the format (a weighting, a mask, a position feature, ...) must occur, and every combination of weighting, mask and post that is allowed.

Every file must be canonical, byte by byte: keys, numbers, blanks, the order of tensors, and which matrices are sparse.

Twins: random models written again with every matrix sparse must be the same models to both.

Lies: files of which a key, a name, the version or a tensor is not what the page says must be refused by both.

Controls: readers that are wrong on purpose (FAULTS below), each of which must be told apart on some case; and files of which one weight was
changed a little, of which at least one for each kind of tensor must be told apart. A judge that passes them has not looked.
"""
import collections
import contextlib
import itertools
import json
import math
import os
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import reference  # noqa: E402

EQUAL = 1e-9
TIES_MOST = 0.01  # of all values


def array(x):
    return np.array([[np.nan if v is None else v for v in row] for row in x], dtype=float)


def size(a):
    return np.maximum(1, np.abs(a))


# ---- one case -----------------------------------------------------------------------------------------------------

class Tally:
    def __init__(self):
        self.models, self.cases, self.values, self.ties, self.worst = set(), 0, 0, 0, 0.0


def difference(a, b):
    """The largest |a - b| / max(1, |a|); what is not finite must be so in both."""
    if (np.isfinite(a) != np.isfinite(b)).any():
        return math.inf
    with np.errstate(all="ignore"):
        return float(np.nanmax(np.where(np.isfinite(a), np.abs(a - b) / size(a), 0), initial=0))


def run_compare(model, case, tally):
    """None, or what is different."""
    value, decision, margin = model.read(model.parse(case["input"]))
    if not case["values"]:  # the empty input, at all user positions
        return f"{len(value)} outputs, not 0" if len(value) else None
    ours, radii = array(case["values"]), array(case["radii"])
    if value.shape != ours.shape:
        return f"values of shape {value.shape}, not {ours.shape}"
    apart = np.where(np.isfinite(ours) | np.isfinite(value), np.abs(ours - value) / size(ours), 0)
    equal = apart <= EQUAL
    tie = ~equal & ~(np.abs(ours - value) > 2 * radii)
    tally.values += ours.size
    tally.ties += int(tie.sum())
    tally.worst = max(tally.worst, apart[equal].max(initial=0))
    if not (equal | tie).all():
        return f"values differ by {np.nanmax(apart):.3g}"
    # Decisions of a position go together in argmax.
    exact = (array(case["errors"]) == 0) & (ours == value)
    if decision.shape != ours.shape:
        equal, exact = equal.all(axis=1, keepdims=True), exact.all(axis=1, keepdims=True)
    ours = array(case["margins"])
    if difference(ours[equal], margin[equal]) > EQUAL:
        return "margins differ"
    clear = equal & (exact | (ours > EQUAL) | (model.kind == "raw"))
    return None if difference(array(case["decisions"])[clear], decision[clear]) <= EQUAL else "decisions differ"


def chain_compare(model, case, tally):
    rows, least, why = model.generate(model.parse(case["input"]))
    ours = array(case["rows"]).reshape(-1, rows.shape[1])
    close = case["least_margin"] is not None and case["least_margin"] <= EQUAL
    tally.values += rows.size
    tally.ties += rows.size if close else 0
    if close:
        return None
    if ours.shape != rows.shape or (ours != rows).any():
        return f"rows {rows.tolist()}, not {ours.tolist()}"
    if (why is None) != case["stopped"]:
        return f"the end differs: {why}"
    margin = math.inf if case["least_margin"] is None else case["least_margin"]
    return None if margin == least or abs(margin - least) <= EQUAL * max(1, abs(margin)) else "the least margin differs"


def refusal_compare(model, case, tally):
    try:
        model.generate(model.parse(case["input"]))
    except ValueError:
        tally.values += 1
        return None
    return "this is no prompt, but was taken for one"


def line_compare(model, case, tally):
    tally.values += 1
    try:
        rows = model.parse(case["input"])
    except ValueError as why:
        return f"this line is one, but: {why}" if case["taken"] else None
    if not case["taken"]:
        return "this is no input, but was taken for one"
    read = array(case["read"]) if case["read"] else np.zeros((0, rows.shape[1]))
    return None if np.array_equal(rows, read) else "another input is read from this line"


def compare(model, case, tally):
    how = (chain_compare if "rows" in case else refusal_compare if "refused" in case else line_compare if "taken" in case
           else run_compare)
    with np.errstate(all="ignore"):
        return how(model, case, tally)


# ---- what is covered ------------------------------------------------------------------------------------------------

def architecture(path):
    with open(path, "rb") as f:
        n = int.from_bytes(f.read(8), "little")
        return json.loads(json.loads(f.read(n))["__metadata__"]["attest"])


def parts_of(a):
    """(part, name) of everything that an architecture uses."""
    for f in a["fields"]:
        yield "field", f["kind"]
    for p in a["positions"]:
        yield "position", p["kind"]
    for b in a["blocks"]:
        yield "block", b["kind"]
        yield "norm", b["norm"]
        for g in b.get("groups", []):
            yield "weighting", g["weighting"]
            yield "mask", g["mask"]["kind"]
            yield "post", g["post"]
            yield "together", (g["weighting"], g["mask"]["kind"], g["post"])
            yield from (("trait", name) for name in ("rotary", "alibi", "rounded") if name in g)
            if "rotary" in g:
                yield "pairing", g["rotary"]["pairing"]
        if len(b.get("layers", [])) > 1:
            yield "act", b["act"]
        yield from (("trait", name) for name in ("parallel", "gated") if name in b)
        if b["norm"] != "none":
            yield "norm_kind", b.get("norm_kind", "layer")
            if "norm_kind" in b:
                yield "trait", b["norm_kind"]
        if b["kind"] == "rnn":
            yield "cell", b["cell"]
    yield "readout", a["readout"]["kind"]
    if "tied" in a["readout"]:
        yield "trait", "tied"
    if "decode" in a:
        yield "stop", a["decode"]["stop"]


def uncovered(names, seen):
    missing = [(part, name) for part, all_names in names.items() for name in all_names if not seen[part, name]]
    for w, k, p in itertools.product(names["weighting"], names["mask"], names["post"]):
        if (w != "linear" or p == "id") and not seen["together", (w, k, p)]:
            missing.append(("together", (w, k, p)))
    return missing


# ---- controls: readers that are wrong -------------------------------------------------------------------------------
#
# A fault is (where, attribute, what stands there instead): reference.weigh, say, with another rule for one weighting.

def mask_fault(kind, rule):
    """rule(t, j, B, k, c): what is allowed instead, t a column and j a row of positions from 1."""
    right = reference.mask_allows

    def allows(k, T, *sparse):
        t, j = np.arange(1, T + 1)[:, None], np.arange(1, T + 1)[None, :]
        return rule(t, j, *sparse) & (t > 0) if k == kind else right(k, T, *sparse)
    return reference, "mask_allows", allows


def weigh_fault(kind, rule):
    """rule(right, s, allowed, tie): other weights."""
    right = reference.weigh
    return reference, "weigh", lambda k, s, allowed, tie=0: rule(right, s, allowed, tie) if k == kind else right(k, s, allowed, tie)


def position_fault(kind, rule):
    """rule(right, i, T, size, shift): other features."""
    right = reference.features
    return reference, "features", lambda k, i, T, *rest: rule(right, i, T, *rest) if k == kind else right(k, i, T, *rest)


def read_fault(kind, rule):
    """rule(values): other decisions."""
    right = reference.Model.read

    def read(self, rows, last=False):
        v, decision, margin = right(self, rows, last)
        return v, rule(v) if self.kind == kind else decision, margin
    return reference.Model, "read", read


def model_fault(name, value):
    """Another value of something that the model knows."""
    right = reference.Model.__init__

    def init(self, path):
        right(self, path)
        setattr(self, name, value(self) if self.decode or name != "stretches" else None)
    return reference.Model, "__init__", init


def file_fault(edit):
    """edit(architecture): another architecture."""
    right = reference.load

    def load(path):
        a, *rest = right(path)
        edit(a)
        return a, *rest
    return reference, "load", load


def tensor_fault(names, edit):
    """edit(tensor), of all whose name matches."""
    right = reference.Model.tensor

    def tensor(self, name, *shape, **kind):
        w = right(self, name, *shape, **kind)
        return edit(w) if re.search(names, name) else w
    return reference.Model, "tensor", tensor


def faults():
    """name: fault"""
    R, F, out = reference, reference.Field, {}
    out["mask none taken for causal"] = mask_fault("none", lambda t, j, *_: j <= t)
    out["mask causal taken for strict"] = mask_fault("causal", lambda t, j, *_: j < t)
    out["mask strict taken for causal"] = mask_fault("strict", lambda t, j, *_: j <= t)
    out["mask future taken for strict-future"] = mask_fault("future", lambda t, j, *_: j > t)
    out["mask strict-future taken for future"] = mask_fault("strict-future", lambda t, j, *_: j >= t)
    window, ends = (lambda t, j, B, k: j > t - k * B), (lambda j, B, c: (j - 1) % B >= B - c)
    out["block-sparse: the window is longer by one"] = mask_fault(
        "block-sparse", lambda t, j, B, k, c: (j <= t) & (window(t, j + 1, B, k) | ends(j, B, c)))
    out["block-sparse: blocks begin at position 0"] = mask_fault(
        "block-sparse", lambda t, j, B, k, c: (j <= t) & (window(t, j, B, k) | ends(j + 1, B, c)))
    out["block-sparse: one end too few"] = mask_fault(
        "block-sparse", lambda t, j, B, k, c: (j <= t) & (window(t, j, B, k) | ends(j, B, c - 1)))
    for kind, other in (("leftmost-hard", "rightmost-hard"), ("rightmost-hard", "leftmost-hard"), ("average-hard", "leftmost-hard"),
                        ("sparsemax", "softmax"), ("softmax", "average-hard")):
        out[f"{kind} taken for {other}"] = weigh_fault(kind, lambda right, s, a, tie, o=other: right(o, s, a, tie))
    for kind in ("leftmost-hard", "rightmost-hard", "average-hard"):
        out[f"{kind} without its tie"] = weigh_fault(kind, lambda right, s, a, tie, k=kind: right(k, s, a, 0))
    out["a query without keys sees all of them"] = weigh_fault(
        "softmax", lambda right, s, a, tie: right("softmax", s, a | ~a.any(-1, keepdims=True), tie))
    for kind in ("i", "i^2", "1/i", "1/i^2", "i/n", "i/n^3", "alternate", "sinusoidal", "sqrt-pair"):
        out[f"position {kind} of the index after"] = position_fault(kind, lambda right, i, *rest, k=kind: right(k, i + 1, *rest))
    out["position n without the hidden positions"] = position_fault("n", lambda right, i, T, *rest: right("n", i, T - 1, *rest))
    out["position table: the row after"] = position_fault("table", lambda right, *rest: np.roll(right("table", *rest), 1, axis=1))
    out["sinusoidal: all sines, then all cosines"] = position_fault(
        "sinusoidal", lambda right, i, T, n, shift: right("sinusoidal", i, T, n, shift)[:, [*range(0, n, 2), *range(1, n, 2)]])
    for kind, other in (("neg-relu", "neg-abs"), ("neg-abs", "neg-relu"), ("id", "neg-relu")):
        out[f"post {kind} taken for {other}"] = (R, "POSTS", {**R.POSTS, kind: R.POSTS[other]})
    by_tanh = lambda z: z / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z ** 3)))  # noqa: E731
    out["GeLU by tanh"] = (R.Real, "gelu", by_tanh)
    out["GeLU by erf"] = (R, "ACTS", {**R.ACTS, "gelu-tanh": R.Real.gelu})
    out["SiLU taken for GeLU"] = (R, "ACTS", {**R.ACTS, "silu": R.Real.gelu})
    turns = lambda a: [g["rotary"] for b in a["blocks"] for g in b.get("groups", []) if "rotary" in g]  # noqa: E731
    pairs = {"halves": "adjacent", "adjacent": "halves"}
    out["rotary pairs the other way round"] = file_fault(lambda a: [r.update(pairing=pairs[r["pairing"]]) for r in turns(a)])
    out["rotary theta doubled"] = file_fault(lambda a: [r.update(theta=2 * r["theta"]) for r in turns(a)])
    out["rms norms taken for layer norms"] = file_fault(lambda a: [b.update(norm_kind="layer") for b in a["blocks"] if "norm_kind" in b])
    out["parallel blocks in line"] = file_fault(lambda a: [b.pop("parallel", None) for b in a["blocks"]])
    out["slopes of alibi are 0"] = tensor_fault(r"\.slope$", np.zeros_like)
    out["gates are the other way round"] = tensor_fault(r"mlp\.\d+\.gw$", lambda w: -w)
    out["ReLU taken for GeLU"] = (R, "ACTS", {**R.ACTS, "relu": R.Real.gelu})
    out["phi is 1 + relu"] = (R, "PHI", lambda z: 1 + np.maximum(0, z))
    out["subsets in another order"] = (
        F, "chosen", lambda f, v, table, right=F.chosen: right(f, f.size + 1 - v if f.kind == "subset" else v, table))
    out["argmax: the last of equal ones"] = read_fault("argmax", lambda v: v.shape[1] - 1.0 - np.argmax(v[:, ::-1], axis=1)[:, None])
    out["threshold: 0.25 whatever the file says"] = read_fault("threshold", lambda v: np.where(v > 0.25, 1.0, 0.0))
    out["round: downwards"] = read_fault("round", np.floor)
    out["sign: 0 is decided"] = read_fault("sign", lambda v: np.where(v > 0, 1.0, 0.0))
    out["the first index is one more"] = model_fault("origin", lambda m: m.origin + 1)
    out["prompts are any rows"] = model_fault("stretches", lambda m: [])
    out["one step fewer"] = model_fault("max_steps", lambda m: m.max_steps - 1 if m.decode else 0)
    other = {"pre": "post", "post": "pre", "none": "none"}
    out["norms before and after the other way round"] = file_fault(lambda a: [b.update(norm=other[b["norm"]]) for b in a["blocks"]])
    out["eps of norms is 0.01 more"] = file_fault(
        lambda a: [b.update(norm_eps=b["norm_eps"] + 0.01) for b in a["blocks"] if "norm_eps" in b])
    out["a residual where there is none"] = file_fault(lambda a: [b.update(residual=True) for b in a["blocks"]])
    out["scale is 1"] = file_fault(lambda a: [g.update(scale=1) for b in a["blocks"] for g in b.get("groups", [])])
    out["all positions are read, or the last, the other way round"] = file_fault(lambda a: a["readout"].update(last=not a["readout"]["last"]))
    out["parts of a GRU in the order z, r, c"] = tensor_fault(
        r"rnn\.[wub]$", lambda w: np.concatenate([np.split(w, 3)[k] for k in (1, 0, 2)]) if len(w) % 3 == 0 else w)
    out["heads of queries from the other side"] = tensor_fault(r"attn\.\d+\.q$", lambda w: w[::-1])
    out["heads of values from the other side"] = tensor_fault(r"attn\.\d+\.o$", lambda w: w[:, ::-1])
    out["flatten: rows from the other side"] = tensor_fault(r"flatten\.0\.w$", lambda w: w[:, ::-1])
    out["three-wise without its second key"] = tensor_fault(r"\.k2$", np.zeros_like)
    out["three-wise without its second value"] = tensor_fault(r"\.v2$", np.ones_like)
    out["biases of attention left out"] = tensor_fault(r"attn\.\d+\.[qkvo]b$", np.zeros_like)
    out["hidden rows from the other side"] = tensor_fault(r"^(pre|suf)fix$", lambda w: w[::-1])
    return out


@contextlib.contextmanager
def fault(where, name, wrong):
    right = getattr(where, name)
    setattr(where, name, wrong)
    try:
        yield
    finally:
        setattr(where, name, right)


def told_apart(path, cases):
    """Does a reader that is wrong, or a file that was changed, give something else?"""
    model = reference.Model(path)
    return any(compare(model, case, Tally()) for case in cases)


def mutants(directory, by_model):
    """A weight of every kind of tensor moved by a part in a thousand: kinds (block.2.attn.0.q is attn.q) to (tried, told apart)."""
    rng, found = np.random.default_rng(1), collections.defaultdict(lambda: [0, 0])
    right = reference.load
    for file, cases in by_model.items():
        names = sorted(right(os.path.join(directory, file))[1])
        for name in (name for name in names if not re.search(r"\.(columns|starts)$", name)):
            kind = re.sub(r"\.\d+", "", name).replace("block.", "")
            if found[kind][1] >= 3 or found[kind][0] >= 200:
                continue

            def changed(path, name=name):
                a, tensors, sparse = right(path)
                flat = tensors[name].flatten()
                flat[rng.integers(flat.size)] += 1e-3
                return a, {**tensors, name: flat.reshape(tensors[name].shape)}, sparse
            with fault(reference, "load", changed):
                found[kind][0] += 1
                found[kind][1] += told_apart(os.path.join(directory, file), cases)
    return found


# ---- canonical files ----------------------------------------------------------------------------------------------------

def tensor_order(a):
    """The names of all tensors in the order in which they are written."""
    yield from (f"input.{k}.embed" for k in range(len(a["fields"])))
    yield from (f"pos.{k}.embed" for k in range(len(a["positions"])))
    yield from (end for end in ("prefix", "suffix") if a[end]["count"])
    for b, block in enumerate(a["blocks"]):
        kind, at = block["kind"], f"block.{b}."
        yield from (at + "norm." + name for name in "gb" if block["norm"] != "none")
        for g, group in enumerate(block.get("groups", [])):
            three = group["weighting"] == "threewise"
            names = ("q k v o" + " qb kb vb ob" * group["bias"] + " k2 v2" * three + " k2b v2b" * (three and group["bias"])
                     + " slope" * group.get("alibi", False))
            yield from (f"{at}attn.{g}.{name}" for name in names.split())
        count = len(block.get("layers", []))
        yield from (f"{at}{kind}.{l}.{name}" for l in range(count)
                    for name in ["w", "b"] + ["gw", "gb"] * (block.get("gated", False) and l < count - 1))
        if kind == "rnn":
            yield from (f"{at}rnn.{name}" for name in ["w", "u", "b"] + ["ub"] * (block["cell"] == "gru") + ["o", "ob"])
    yield from ("readout.norm." + name for name in "gb" if a["readout"]["final_norm"])
    yield from (["readout.w"] * (not a["readout"].get("tied", False)) + ["readout.b"])


def text_of(v):
    """JSON as attest writes it."""
    if isinstance(v, dict):
        return "{" + ",".join(f"{text_of(key)}:{text_of(v[key])}" for key in sorted(v, key=str.encode)) + "}"
    if isinstance(v, list):
        return "[" + ",".join(map(text_of, v)) + "]"
    if isinstance(v, float):
        text = re.sub(r"e([+-])0*", lambda m: "e" + m[1].strip("+"), "%.17g" % v)
        return text if re.search("[.e]", text) else text + ".0"
    return json.dumps(v, ensure_ascii=False)


def opened(raw):
    """Header and data of a file."""
    n = int.from_bytes(raw[:8], "little")
    return json.loads(raw[8:8 + n]), raw[8 + n:]


def canonical(raw):
    """The file as the page says that attest writes it."""
    (header, data), written = opened(raw), b""
    meta = header["__metadata__"]
    a, sparse = json.loads(meta["attest"]), meta["sparse"].split(" ") if "sparse" in meta else []
    meta["attest"] = text_of(a)
    names = list(tensor_order(a))
    if sparse:
        meta["sparse"] = " ".join(name for name in names if name in sparse)
    order = [name + ".values" if name in sparse else name for name in names]
    for name in order + [name + part for name in names if name in sparse for part in (".columns", ".starts")]:
        begin, end = header[name]["data_offsets"]
        header[name]["data_offsets"] = [len(written), len(written) + end - begin]
        written += data[begin:end]
    text = text_of(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + written


def form_faults(raw, shapes):
    """Matrices that are sparse and must not be, or the other way round; values that need not be stored. shapes: of the model's tensors."""
    (header, data), item = opened(raw), 8
    item = 4 if json.loads(header["__metadata__"]["attest"])["f32"] else 8
    for name, shape in shapes.items():
        sparse = name not in header
        begin, end = header[name + ".values" if sparse else name]["data_offsets"]
        bits = np.frombuffer(data[begin:end], f"<u{item}")
        kept, dense = np.count_nonzero(bits), math.prod(shape) * item
        if sparse != (len(shape) == 2 and dense >= 4096 and 2 * (kept * (item + 4) + 4 * (shape[0] + 1)) <= dense):
            yield f"{name} is {'sparse' if sparse else 'dense'}"
        if sparse and kept != bits.size:
            yield f"{name}.values holds +0"


def shapes_of(path):
    """name: shape of every tensor that the reader asks for."""
    right, shapes = reference.Model.tensor, {}

    def tensor(self, name, *shape, **kind):
        if not kind and not name.endswith(".values"):
            shapes[name] = shape
        return right(self, name, *shape, **kind)
    with fault(reference.Model, "tensor", tensor):
        reference.Model(path)
    return shapes


# ---- twins: every matrix sparse -------------------------------------------------------------------------------------------

def twin(raw):
    """The same model with every matrix of a dense file sparse."""
    header, data = opened(raw)
    meta, out, written = header.pop("__metadata__"), {}, b""
    item = 4 if json.loads(meta["attest"])["f32"] else 8

    def put(name, a, dtype):
        nonlocal written
        out[name] = {"dtype": dtype, "shape": list(a.shape), "data_offsets": [len(written), len(written) + a.nbytes]}
        written += a.tobytes()
    order = list(tensor_order(json.loads(meta["attest"])))
    for name in order:
        begin, end = header[name]["data_offsets"]
        w, dtype = np.frombuffer(data[begin:end], f"<f{item}").reshape(header[name]["shape"]), f"F{8 * item}"
        if w.ndim == 1:
            put(name, w, dtype)
            continue
        here = w.view(f"<u{item}") != 0
        put(name + ".starts", np.concatenate([[0], np.cumsum(here.sum(axis=1))]).astype("<i4"), "I32")
        put(name + ".columns", np.nonzero(here)[1].astype("<i4"), "I32")
        put(name + ".values", w[here], dtype)
    sparse = " ".join(name for name in order if len(header[name]["shape"]) == 2)
    text = json.dumps({"__metadata__": {**meta, "sparse": sparse}, **out}).encode()
    return len(text).to_bytes(8, "little") + text + written


def hash_of(attest, path):
    shown = subprocess.run([attest, "show", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    return re.search("sha-256 [0-9a-f]{64}|$", shown)[0] or shown


def twins_judge(directory, by_model, attest):
    """How many models there were, and what was wrong with those that were written again sparse."""
    wrong, path = [], os.path.join(directory, "twin.safetensors")
    for file, cases in by_model.items():
        with open(os.path.join(directory, file), "rb") as f:
            raw = f.read()
        with open(path, "wb") as f:
            f.write(twin(raw))
        model = reference.Model(path)
        wrong += [f"{file}, sparse: {why}" for why in (compare(model, case, Tally()) for case in cases) if why]
        ours, theirs = hash_of(attest, os.path.join(directory, file)), hash_of(attest, path)
        if ours != theirs or "sha-256" not in ours:
            wrong.append(f"{file}, sparse: {theirs}, not {ours}")
    return len(by_model), wrong


# ---- lies: files that both must refuse ----------------------------------------------------------------------------------

def objects(o):
    """o and all objects in it."""
    if isinstance(o, dict):
        yield o
    for part in o.values() if isinstance(o, dict) else o if isinstance(o, list) else ():
        yield from objects(part)


def optional(o, key):
    return key in ("words", "decode", "prompt", "rotary", "alibi", "rounded", "parallel", "gated", "tied", "norm_kind") or (key == "tie" and o["weighting"] != "average-hard")


NAMES = ("kind", "weighting", "post", "norm", "norm_kind", "pairing", "act", "cell", "stop")


def lies(raw):
    """(what, a function that gives the file) with a key too few or too many, an unknown name, another version, a tensor too few or elsewhere;
    first the truth, written by the same hand."""
    header, data = opened(raw)
    arch, sparse = json.loads(header["__metadata__"]["attest"]), header["__metadata__"].get("sparse")

    def file():
        text = json.dumps({**header, "__metadata__": {**header["__metadata__"], "attest": json.dumps(arch)}}).encode()
        return len(text).to_bytes(8, "little") + text + data
    yield "", file
    for o in list(objects(arch)):
        for key in list(o):
            kept = o.pop(key)
            if not optional(o, key):
                yield f"without {key}", file
            if key in NAMES:
                o[key] = "toy"
                yield f"{key} toy", file
            o[key] = kept
        o["toy"] = 1
        yield "a key toy", file
        del o["toy"]
    arch["version"] += 1
    yield "another version", file
    arch["version"] -= 1
    for name in [name for name in header if name != "__metadata__"]:
        kept = header.pop(name)
        yield f"without tensor {name}", file
        header[name] = {**kept, "shape": [*kept["shape"], 1]}
        yield f"another shape of {name}", file
        header[name] = {**kept, "data_offsets": [at + 4 for at in kept["data_offsets"]]}
        yield f"another place of {name}", file
        header[name] = {**kept, "dtype": "F16"}
        yield f"another type of {name}", file
        header[name] = kept
    data += bytes(8)
    yield "bytes behind the data", file
    data = data[:-8]
    if not sparse:
        return
    for what, text in ("one more", sparse + " toy"), ("a blank more", sparse + " "), ("none", ""), ("the first twice", f"{sparse.split()[0]} {sparse}"):
        header["__metadata__"]["sparse"] = text
        yield f"sparse: {what}", file
    del header["__metadata__"]["sparse"]
    yield "sparse without saying so", file
    header["__metadata__"]["sparse"] = sparse
    whole = data
    for name in sparse.split(" "):
        (begin, end), (at, _) = header[name + ".starts"]["data_offsets"], header[name + ".columns"]["data_offsets"]
        starts = np.frombuffer(whole[begin:end], "<i4")
        row = int(np.argmax(np.diff(starts)))  # the longest
        wrong = [("starts from 1", begin, 1), ("starts end too far", end - 4, starts[-1] + 1), ("a start below 0", begin + 4, -1)]
        if starts[-1]:
            wrong += [("starts end too early", end - 4, starts[-1] - 1), ("a column below 0", at, -1), ("a column too far", at, 65536)]
            wrong.append(("starts descend", begin + 4 * row + 4, starts[row] - 1))
        if starts[row + 1] - starts[row] > 1:
            first = at + 4 * int(starts[row])
            wrong.append(("a column twice", first + 4, int.from_bytes(whole[first:first + 4], "little")))
        for what, place, number in wrong:
            data = whole[:place] + int(number).to_bytes(4, "little", signed=True) + whole[place + 4:]
            yield f"sparse: {what}", file
    data = whole


def lies_judge(directory, files, attest):
    """How many files there were, each kind of lie twice, and what one of the two took or refused wrongly. Files, then their sparse twins."""
    told, wrong, path = collections.Counter(), [], os.path.join(directory, "lie.safetensors")
    for file, again in [(file, False) for file in files] + [(file, True) for file in files]:
        with open(os.path.join(directory, file), "rb") as f:
            raw = twin(f.read()) if again else f.read()
        for what, lie in lies(raw):
            kind = re.sub(r"\d+", "", what) + " again" * again
            if told[kind] == 2:
                continue
            told[kind] += 1
            if not what and not again and (lie() == raw or canonical(lie()) != raw):  # another file of the same model
                wrong.append(f"{file}: the canonical form of a file depends on who wrote it")
            with open(path, "wb") as f:
                f.write(lie())
            try:
                takers = {"the reader": bool(reference.Model(path))}
            except (AttributeError, LookupError, TypeError, ValueError):
                takers = {"the reader": False}
            takers["attest"] = subprocess.run([attest, "show", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 2
            for who, takes in takers.items():
                if takes == bool(what):
                    wrong.append(f"{who} {'takes' if takes else 'refuses'} {file} {what}")
    return sum(told.values()), wrong


# ---- all of it --------------------------------------------------------------------------------------------------------

def main(directory, attest):
    with open(os.path.join(directory, "cases.jsonl"), encoding="utf-8") as f:
        names, *cases = [json.loads(line) for line in f]
    by_model, tallies, seen, wrong, sparse = collections.OrderedDict(), collections.OrderedDict(), collections.Counter(), [], 0
    for case in cases:
        by_model.setdefault(case["model"], []).append(case)
    for file, some in by_model.items():
        path = os.path.join(directory, file)
        seen.update(set(parts_of(architecture(path))))
        model = reference.Model(path)
        with open(path, "rb") as f:
            raw = f.read()
        if raw != canonical(raw):
            wrong.append(f"{file} is not written as the page says")
        shapes = shapes_of(path)
        wrong += [f"{file}: {why}" for why in form_faults(raw, shapes)]
        sparse += sum(name + ".values" in reference.load(path)[1] for name in shapes)
        tally = tallies.setdefault(some[0]["from"].split()[0], Tally())
        tally.models.add(file)
        for case in some:
            tally.cases += 1
            why = compare(model, case, tally)
            if why:
                wrong.append(f"{case['from']} ({file}): {case['input'][:200]}: {why}")
    print(f"{'models':10}{'':8}{'cases':>8}{'values':>9}{'ties':>7}  largest difference")
    for name, t in tallies.items():
        print(f"{name:10}{len(t.models):8}{t.cases:8}{t.values:9}{t.ties:7}  {t.worst:.2g}")
        if t.ties > TIES_MOST * t.values:
            wrong.append(f"{name}: {t.ties} of {t.values} values are ties, too many to have compared the rest")
    for part, all_names in names.items():
        print(f"{part}: " + ", ".join(f"{name} {seen[part, name]}" for name in all_names))
    together = [n for (part, _), n in seen.items() if part == "together"]
    print(f"weighting, mask and post together: {len(together)} combinations, each in at least {min(together)} models")
    wrong += [f"no model has {part} {name}" for part, name in uncovered(names, seen)]

    random = {file: some for file, some in by_model.items() if some[0]["from"].startswith("random")}
    rejected = 0
    for name, what in faults().items():
        with fault(*what):
            if any(told_apart(os.path.join(directory, file), some) for file, some in random.items()):
                rejected += 1
            else:
                wrong.append(f"control: a reader with this fault is not told apart: {name}")
    found = mutants(directory, random)
    wrong += [f"control: {tried} changed weights of {kind} and none is told apart" for kind, (tried, told) in found.items() if not told]
    print(f"controls: {rejected} of {len(faults())} wrong readers and weights of {sum(told > 0 for _, told in found.values())} of {len(found)} kinds of tensors told apart")
    count, found = twins_judge(directory, dict(list(random.items())[:200]), attest)
    print(f"sparse: {sparse} matrices of all files; {count} models written again with every matrix sparse, {len(found)} faults")
    wrong += found + ([] if sparse else ["no file has a sparse matrix"])
    count, found = lies_judge(directory, list(random)[:100], attest)
    print(f"lies: {count} files, {len(found)} of them taken by the reader or by attest")
    wrong += found
    for line in wrong[:40]:
        print(line)
    print(f"{len(cases)} cases, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
