"""certificate.py: the file of a certificate (docs/certfile.md): reading it, its models, which inputs a domain has, runs of a model.
tools/verify.py and what it is made of use it."""
import base64, functools, hashlib, json, math, pathlib, tempfile
import numpy as np
import reference

class Damaged(Exception): pass  # exit 2
class Untrue(Exception): pass   # exit 1

def need(condition, why, error=Untrue):
    if not condition:
        raise error(why)

def once(pairs):
    need(len(dict(pairs)) == len(pairs), "a key stands twice", Damaged)
    return dict(pairs)

def load(path):
    """The certificate, and its models by their hash."""
    raw = pathlib.Path(path).read_bytes()
    first, _, rest = raw.partition(b"\n")
    need(first.startswith(b'{"attest-certificate"'), "no certificate of attest", Damaged)
    head = json.loads(first.rstrip(b",") + b"}", object_pairs_hook=once)
    need(head.get("attest-certificate", "").split(".")[0] == "1", "a version of the format that is unknown here", Damaged)
    need(hashlib.sha256(rest).hexdigest() == head.get("digest"), "the digest is another: the file is damaged", Damaged)
    c, models = json.loads(raw.decode(), object_pairs_hook=once), {}
    for name, inside in c["models"].items():
        beside = pathlib.Path(path).parent / f"{name}.safetensors"
        data = base64.b64decode(inside, validate=True) if inside is not None else beside.read_bytes()
        need(hashlib.sha256(data).hexdigest() == name, f"model {name[:16]}: its hash is another", Damaged)
        models[name] = data
    return c, models

@functools.lru_cache(64)
def opened(data, arithmetic):
    """A model to be run in an arithmetic (cases: as it is stored), and its architecture and tensors."""
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as f:
        f.write(data), f.flush()
        return reference.Model(f.name, "f64" if arithmetic == "balls" else arithmetic), reference.load(f.name)

# ---- Domains: which inputs there are, the i-th of them --------------------------------------------------------------------
class Domain:
    def __init__(self, o):
        self.o, self.how = o, o["how"]
        if self.how == "digits":
            flat = lambda rows: [int(v) for row in rows for v in (row if isinstance(row, list) else [row])]
            self.low, self.width = flat(o["low"]), len(o["low"][0]) if o["low"] and isinstance(o["low"][0], list) else 0
            self.sizes = [hi - lo + 1 for lo, hi in zip(self.low, flat(o["high"]))]
            self.count = math.prod(self.sizes)
        elif self.how == "multisets":
            self.count = math.comb(o["tokens"] + o["length"] - 1, o["length"])
        else:
            need(self.how == "listed", f"a domain by {self.how}", Damaged)
            self.count = len({json.dumps(x) for x in o["inputs"]})
            need(self.count == len(o["inputs"]), "an input is listed twice")

    def nth(self, i):
        if self.how == "listed":
            return self.o["inputs"][i]
        if self.how == "multisets":  # x_1 <= ... <= x_N, the number i is the sum of C(x_k + k - 1, k)
            x = []
            for k in range(self.o["length"], 0, -1):
                most = x[0] if x else self.o["tokens"] - 1
                x.insert(0, next(v for v in range(most, -1, -1) if v == 0 or math.comb(v + k - 1, k) <= i))
                i -= math.comb(x[0] + k - 1, k) if x[0] else 0
            return x
        digits = []
        for low, size in zip(reversed(self.low), reversed(self.sizes)):
            digits.insert(0, low + i % size)
            i //= size
        return [digits[k:k + self.width] for k in range(0, len(digits), self.width)] if self.width else digits

def looks_back(arch):
    """Does what comes out at a position depend on rows up to it alone?"""
    masks = {g["mask"]["kind"] for b in arch["blocks"] if b["kind"] == "attn" for g in b["groups"]}
    moving = {o["kind"] for o in arch["positions"]} & {"i/n", "i/n^3", "n"}
    return masks <= {"causal", "strict", "block-sparse"} and not moving and not arch["suffix"]["count"] and \
        all(b["kind"] != "flatten" for b in arch["blocks"])

def written(model, arch, prompt, right):
    """The least margin with which a decoder writes these rows, by one run over all of them: each must be the answer to those before it. None:
    it does not write them, or looks ahead."""
    steps, stops = min(model.max_steps, model.n_max - len(prompt)), lambda row: row[model.coordinate] == model.value
    ends = [stops(row) for row in right] if model.equals else [k == model.max_steps for k in range(1, len(right) + 1)]
    first = ends.index(True) + 1 if True in ends else 0  # where it stops
    if not looks_back(arch) or not 0 < first == len(right) <= steps or not model.prompt_min <= len(prompt) <= model.prompt_max:
        return None
    model.last = False  # all positions are read
    _, decision, margin = model.read(np.vstack([prompt, right[:-1]]))
    said, has = decision[len(prompt) - 1:], all(f.has(v) for row in right for f, v in model.each(row))
    return margin[len(prompt) - 1:].min() if has and np.array_equal(said, right) else None

def run(model, x, chain, arch=None, right=None):
    """What comes out of an input, as decisions or rows, and the least margin. arch, right: of a chain, and rows that it may well write."""
    rows = np.array(x, float).reshape(len(x), sum(f.width for f in model.fields))
    if chain:
        margin = written(model, arch, rows, np.array(right, float)) if arch is not None else None
        if margin is not None:
            return right, margin
        out, margin, why = model.generate(rows)
        need(why is None, f"no answer: {why}")
        return [[int(v) for v in row] for row in out], margin
    _, decision, margin = model.read(rows)
    need(not np.isnan(decision).any(), "an output is undecided")
    return [int(v) for v in decision.ravel()], margin.min() if margin.size else math.inf

def line(out):
    return " ".join(",".join(map(str, row)) if isinstance(row, list) else str(row) for row in out) + "\n"
