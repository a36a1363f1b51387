#!/usr/bin/python3
"""reference.py: a second reader of attest's model files, written from docs/model.md alone. Needs numpy, nothing else.

    python3 tools/reference.py MODEL INPUT...              prints what `attest run` prints; INPUT needs no quotes
    python3 tools/reference.py MODEL INPUT... --generate   prints what `attest generate` prints, of a decoder
    python3 tools/reference.py MODEL INPUT... --json       an object: outputs, margins, values; or rows, least_margin, stopped
    python3 tools/reference.py MODEL INPUT... --p8e5       at 8 bits with 5 of exponent (to 25 bits), by the rules of docs/exec.md;
                                                           q8e5: of a mean the quotient alone is rounded; exact: fractions

This file alone runs every model in double precision; for other arithmetics it reads arithmetics.py. One sequence, whole matrices; decoders are run
from the beginning for every row. Headings are those of the page, whose position t is row t - 1 here. Exit 0; 2: refused; 3: undecided, no answer."""
import functools, importlib.util, itertools, json, math, pathlib, re, sys
import numpy as np

VERSION = "1.12"  # of docs/model.md

def need(condition, why):
    if not condition:
        raise ValueError(why)

# ---- Container ---------------------------------------------------------------------------------------------------
class Part(dict):  # A JSON object. Whoever understands a key takes it; keys that nobody took are unknown (Model.__init__).
    all = []
    def __init__(self, pairs):
        super().__init__(pairs)
        need(len(self) == len(pairs), "a key stands twice")
        Part.all.append(self)
    def take(self, key, names=None):
        need(key in self, f"{key} is missing")
        need(not names or self[key] in names.split(), f"{key} {self[key]!r} is unknown")
        return self.pop(key)
    def take_all(self, keys, when=True):
        return [self.take(key) if when else 0 for key in keys.split()]

def load(path):
    """Of a file or its bytes: the architecture (a Part), the tensors as they are stored (a dict of arrays), and the names of the sparse ones."""
    raw = path if isinstance(path, bytes) else pathlib.Path(path).read_bytes()
    size = int.from_bytes(raw[:8], "little")
    need(len(raw) >= 8 + size and size <= 1 << 26, "the header does not fit")
    header, data = json.loads(raw[8:8 + size].decode(), object_pairs_hook=Part), raw[8 + size:]
    meta = header.take("__metadata__")
    _, arch = meta.take("format", "attest"), json.loads(meta.take("attest"), object_pairs_hook=Part)
    types = {"I32": "<i4", **({"F32": "<f4"} if arch.take("f32") else {"F64": "<f8"})}
    tensors, end = {}, 0
    for name in sorted(header, key=lambda name: header[name]["data_offsets"]):
        dtype, shape, (begin, until) = header.pop(name).take_all("dtype shape data_offsets")
        tensors[name] = np.frombuffer(data[begin:until], types[dtype]).reshape(shape)
        need(begin == end and np.isfinite(tensors[name]).all(), f"{name}: not finite, or not where it must be")
        end = until
    need(end == len(data), "bytes after the last tensor")
    [meta.pop(note, None) for note in ("problem", "arithmetic", "heads")]
    return arch, tensors, meta.pop("sparse").split(" ") if "sparse" in meta else []

# ---- Forward pass: functions of arrays ---------------------------------------------------------------------------
def features(kind, i, T, size, shift):
    """A position feature (T, features) at the indices i (T)."""
    if kind == "table":
        return np.eye(T, size)
    if kind == "sinusoidal":
        angle = i[:, None] / 10000.0 ** (2 * np.arange(size // 2) / size)
        return np.stack([np.sin(angle), np.cos(angle)], axis=2).reshape(T, size)
    if kind == "sqrt-pair":
        return np.sqrt(np.stack([1 / (i + shift), 1 - 1 / (i + shift)], axis=1))
    return {"i": lambda: i, "i^2": lambda: i * i, "1/i": lambda: 1 / i, "1/i^2": lambda: 1 / (i * i), "i/n": lambda: i / T,
            "i/n^3": lambda: i / T ** 3, "n": lambda: 0 * i + T, "alternate": lambda: 1 - 2 * (i % 2)}[kind]()[:, None]

def mask_allows(kind, T, B, k, c):
    """(T, T): may the query (row) see the key (column)?"""
    t, j = np.arange(1, T + 1)[:, None], np.arange(1, T + 1)[None, :]
    if kind == "block-sparse":
        return (j <= t) & ((j > t - k * B) | ((j - 1) % B >= B - c))
    return {"none": j + t > 0, "causal": j <= t, "strict": j < t, "future": j >= t, "strict-future": j > t}[kind]

def weigh(kind, s, allowed, tie=0):
    """Scores (..., queries, keys) to weights that sum to 1, or to 0 where a query sees no key."""
    some, top = allowed.any(-1, keepdims=True), np.max(s, -1, keepdims=True, where=allowed, initial=-np.inf)
    z = np.where(allowed, s - np.where(some, top, 0), -np.inf)  # 0 at the largest score
    if kind == "sparsemax":
        tau = ((np.cumsum(-np.sort(-z), -1) - 1) / np.arange(1, z.shape[-1] + 1)).max(-1, keepdims=True)
        return np.maximum(0, z - np.where(some, tau, 0))
    if kind.endswith("-hard"):
        w, side = np.where(allowed & (s >= top - tie), 1.0, 0.0), slice(None, None, -1 if kind == "rightmost-hard" else 1)
        w *= (kind == "average-hard") | (np.cumsum(w[..., side], -1)[..., side] == 1)  # the first from that side
    else:
        w = np.where(allowed, s, 0) if kind == "linear" else np.exp(z)
    return np.divide(w, w.sum(-1, keepdims=True), out=np.zeros_like(w), where=some)

PHI = lambda z: np.maximum(0, z) + np.exp(np.minimum(0, z))
POSTS = {"id": lambda s: s, "neg-relu": lambda s: -np.maximum(0, s), "neg-abs": lambda s: -np.abs(s)}
ACTS = {"relu": lambda z: np.maximum(0, z), "silu": lambda z: z / (1 + np.exp(-z)),
        "gelu-tanh": lambda z: z / (1 + np.exp(-1.5957691216057308 * (z + 0.044715 * z ** 3)))}

class Real:
    """Double precision: what depends on the arithmetic. The others are classes of arrays with these functions, in arithmetics.py."""
    of = lambda x: np.asarray(x, float)
    nearest = lambda v: np.rint(v) + 0.0
    features = lambda kind, *more: features(kind, *more)
    gelu = np.vectorize(lambda z: z * math.erfc(-z / math.sqrt(2)) / 2, otypes=[float])  # erfc(-x) = 1 + erf(x)
    mixed = lambda kind, s, allowed, tie, v: weigh(kind, s, allowed, tie) @ v  # values v (H, keys, dv) by scores s (H, queries, keys)
    shares = lambda kind, v: weigh(kind, v, np.full(v.shape, True))  # probabilities of values (positions, R)
    def running(q, k, v, allowed):  # linear attention by sums that grow with every token; q and k are behind phi
        grown = lambda x: np.insert(np.cumsum(x, axis=1), 0, 0, axis=1)[:, allowed.sum(axis=1)]  # over the keys that are allowed, the first
        mean = (q[..., None, :] @ grown(k[..., None] * v[:, :, None]))[:, :, 0] / (q * grown(k)).sum(-1, keepdims=True)
        return np.where(allowed.any(axis=1)[:, None], mean, 0)

# ---- Fields, and how they are written ----------------------------------------------------------------------------
class Field:
    def __init__(self, o):
        _, self.size, self.kind = *o.take_all("name size"), o.take("kind", "token subset real int")
        self.words, pick = o.pop("words", None) if self.kind == "token" else None, o.take("pick") if self.kind == "subset" else 1
        self.lo, self.hi = {"token": (0, self.size - 1), "subset": (1, self.size)}.get(self.kind) or o.take_all("lo hi")
        self.width = self.size if self.kind in ("real", "int") else pick  # numbers in a row of input
        self.rows = math.comb(self.size, pick) if self.kind == "subset" else self.size
    def chosen(self, v, table):
        """What v (n, width) adds to the residual stream, one after another."""
        if self.kind in ("real", "int"):
            return [v[:, k, None] * row for k, row in enumerate(table)]
        rank = lambda row: sum(math.comb(int(e) - 1, c + 1) for c, e in enumerate(sorted(row)))
        return [table[v[:, 0].astype(int) if self.kind == "token" else [rank(row) for row in v]]]
    def has(self, v):
        each = all(self.lo <= x <= self.hi and (self.kind == "real" or x == math.floor(x)) for x in v)
        return each and len(v) == self.width and (self.kind != "subset" or len(set(v)) == len(v))
    def parse(self, text):
        if self.words:
            need(text in self.words, f"{text!r} is no word")
            return [float(self.words.index(text))]
        form = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?" if self.kind == "real" else r"[+-]?[0-9]+"
        need(all(re.fullmatch(form, s) and len(s) < 64 for s in text.split(",")), f"{text!r} is no number")
        return list(map(float, text.split(",")))
    def show(self, v):
        return self.words[int(v[0])] if self.words else ",".join(map(shortest, v))

# ---- Architecture: every part takes its keys and tensors, and becomes a function ----------------------------------
class Model:
    def __init__(self, path, arithmetic="f64"):
        need(arithmetic == "f64" or importlib.util.find_spec("arithmetics"), f"{arithmetic}: only f64 without arithmetics.py beside this file")
        self.num = Real if arithmetic == "f64" else importlib.import_module("arithmetics").bits(arithmetic)
        Part.all, self.running = [], False  # running: linear attention by sums in turn
        a, self.tensors, self.sparse = load(path)
        need(a.take("version") == int(VERSION.split(".")[0]), "a version of the format that is unknown here")
        self.D, self.n_min, self.n_max, self.origin, _ = a.take_all("width n_min n_max pos_origin name")
        self.fields = [Field(o) for o in a["fields"]]
        self.tables = [self.table(o, f"input.{k}.embed", self.fields[k].rows) for k, o in enumerate(a.take("fields"))]
        hidden = lambda end, o: (n := o.take("count"), self.table(o, end, n) if n else (slice(0), 0))
        (self.before, self.prefix), (self.after, self.suffix) = map(hidden, ("prefix", "suffix"), a.take_all("prefix suffix"))
        self.positions = [self.position(f"pos.{k}.embed", o) for k, o in enumerate(a.take("positions"))]
        self.blocks = [self.block(f"block.{b}.", o) for b, o in enumerate(a.take("blocks"))]
        o = a.take("readout")
        self.last, rows, self.kind = *o.take_all("last rows"), o.take("kind", "argmax sign threshold round raw softmax sparsemax")
        self.threshold, self.said = o.take("threshold") if self.kind == "threshold" else 0, o.pop("words", None)
        self.final = self.norm("readout.norm.", o) if o.take("final_norm") else lambda x: x
        self.matrix = self.tables[0][1] if o.pop("tied", False) else self.tensor("readout.w", rows, self.D)
        self.bias, self.out = self.tensor("readout.b", rows), lambda x: x @ self.matrix.T + self.bias
        self.decode, o = "decode" in a, a.pop("decode", None)
        if self.decode:
            self.equals = o.take("stop", "equals steps") == "equals"
            self.max_steps, self.prompt_min, self.prompt_max = o.take_all("max_steps prompt_min prompt_max")
            self.coordinate, self.value = o.take_all("coordinate value", self.equals)
            self.stretches = [part.take_all("rows_min rows_max lo hi") for part in o.pop("prompt", [])]
        _ = [o.take_all("name col width") for o in a.take("subspaces")]  # labels
        left = [*self.tensors, *self.sparse, *(key for part in Part.all for key in part)]
        need(not left, f"{', '.join(left)}: unknown here")
    def tensor(self, name, *shape, kind="f"):
        if name in self.sparse and not self.sparse.remove(name):  # row r has the values starts[r] to starts[r + 1]
            starts = self.tensor(name + ".starts", shape[0] + 1, kind="i")
            values, place = self.tensor(name + ".values", starts[-1]), self.tensor(name + ".columns", starts[-1], kind="i")
            place += (row := np.repeat(np.arange(shape[0]), np.diff(starts))) * shape[1]
            need(starts[0] == 0 and (place // shape[1] == row).all() and (np.diff(place) > 0).all(), f"{name}: bad rows")
            return self.num.of(np.bincount(place, np.asarray(values).astype(float), shape[0] * shape[1]).reshape(shape))  # 0 where there is none
        t = self.tensors.pop(name, np.zeros(()))
        need(t.shape == shape and t.dtype.kind == kind, f"tensor {name} {shape} is missing")
        return self.num.of(t) if kind == "f" else t.astype("i8")
    def table(self, o, name, rows):
        col, width = o.take_all("col width")
        return slice(col, col + width), self.tensor(name, rows, width)
    def affine(self, w, b, rows, columns):
        matrix, bias = self.tensor(w, rows, columns), self.tensor(b, rows) if b else 0
        return lambda x: x @ matrix.T + bias
    def norm(self, at, o):
        g, b, eps, D = self.tensor(at + "g", self.D), self.tensor(at + "b", self.D), self.num.of(o.take("norm_eps")), self.num.of(self.D)
        about = "norm_kind" not in o or o.take("norm_kind", "layer rms") == "layer"  # the mean
        mean = lambda x: np.add.reduce(x, axis=1, keepdims=True) / D
        return lambda x: (z := x - mean(x) if about else x) / np.sqrt(mean(z * z) + eps) * g + b
    def position(self, name, o):
        kind = o.take("kind", "i i^2 1/i 1/i^2 i/n i/n^3 n alternate sinusoidal sqrt-pair table")
        size, shift = (o.take("size"), 0) if kind in ("sinusoidal", "table") else (2, o.take("shift")) if kind == "sqrt-pair" else (1, 0)
        columns, table = self.table(o, name, size)
        value = lambda T: self.num.features(kind, self.origin + np.arange(float(T)), T, size, shift)
        return columns, lambda T: [f[:, None] * row for f, row in zip(value(T).T, table) if np.count_nonzero(f)]
    def block(self, at, o):
        kind, when = o.take("kind", "attn mlp rnn flatten"), o.take("norm", "none pre post")
        residual, parallel, same = o.take("residual"), o.pop("parallel", False), lambda x: x
        pre, post = (self.norm(at + "norm.", o) if when == side else same for side in ("pre", "post"))
        if kind == "attn":
            groups = [self.group(f"{at}attn.{g}.", group) for g, group in enumerate(o.take("groups"))]
            part = lambda y: sum(group(y) for group in groups)
        else:
            part = self.recurrent(at + "rnn.", o) if kind == "rnn" else self.dense(f"{at}{kind}.", o, kind == "flatten")
        return parallel, lambda x, before: post((x if residual else 0) + part(pre(before)))
    def group(self, at, o):
        kind = o.take("weighting", "softmax leftmost-hard rightmost-hard average-hard sparsemax linear threewise")
        H, dk, dv, scale, bias, mask = o.take_all("heads dk dv scale bias mask")
        scale, phi = (1, PHI) if kind == "linear" else (self.num.of(scale), lambda z: z)
        post = POSTS[o.take("post", "id neg-relu neg-abs" if kind != "linear" else "id")]
        tie = o.take("tie") if kind == "average-hard" else o.pop("tie", 0) if kind.endswith("-hard") else 0
        shape = mask.take("kind", "none causal strict future strict-future block-sparse")
        sparse = mask.take_all("block windows ends", shape == "block-sparse")
        affine = lambda name, rows, columns: self.affine(at + name, bias and at + name + "b", rows, columns)
        into = [affine(name, H * (dv if name[0] == "v" else dk), self.D) for name in ("q k v k2 v2" if kind == "threewise" else "q k v").split()]
        out, slope = affine("o", self.D, H * dv), self.tensor(at + "slope", H) if o.pop("alibi", False) else np.zeros(H)
        rounded, turn = o.pop("rounded", 0), self.rotary(o.pop("rotary")) if "rotary" in o else lambda z: None
        def run(y):
            T, allowed, turns = len(y), mask_allows(shape, len(y), *sparse), kind == "linear" and self.running or self.num is Real and rounded == 53
            q, k, v, *second = (f(y).reshape(T, H, -1).transpose(1, 0, 2) for f in into)  # (H, T, dk or dv)
            turn(q), turn(k)
            if kind != "threewise":
                q, k = phi(q), phi(k)
                score = lambda t: post(scale * (q[:, t] @ k.transpose(0, 2, 1))) - slope[:, None, None] * np.abs(np.arange(T)[t, None] - np.arange(T))
                need(shape in ("causal", "strict") if turns else not rounded, "sums rounded after every token are running sums, behind causal masks")
                mixed = self.num.running(q, k, v, allowed) if turns else self.mixed(at, q, kind, score, allowed, tie, v)
            else:  # the keys of a query are pairs of keys
                mixed = np.zeros_like(v)
                for t in np.flatnonzero(allowed.any(axis=1)):
                    k1, v1, k2, v2 = (z[:, allowed[t]] for z in (k, v, *second))
                    pairs = lambda a, b: (a[:, :, None] * b[:, None]).reshape(H, -1, a.shape[2])
                    s = post(scale * sum(pairs(q[:, t, None] * k1, k2).transpose(2, 0, 1)))[:, None]
                    mixed[:, t] = self.mixed(at, q[:, [t]], kind, lambda _: s, np.full(s.shape[1:], True), 0, pairs(v1, v2))[:, 0]
            return mixed.transpose(1, 0, 2).reshape(T, -1)
        return lambda y: out(self.joined(at, run, y))
    mixed = lambda self, at, q, kind, score, *seen: self.num.mixed(kind, score(slice(None)), *seen)  # of the heads that are named: inside.py
    joined = lambda self, at, run, y: run(y)  # looks at them, or says what they mix
    def rotary(self, o):
        """Turns queries or keys (H, T, dk) in place: of each pair the coordinates u and w."""
        width, theta, near = *o.take_all("width theta"), o.take("pairing", "halves adjacent") == "adjacent"
        u, w = np.arange(width).reshape(-1, 2).T if near else np.arange(width).reshape(2, -1)
        def turn(z):
            angle = (self.origin + np.arange(float(z.shape[1])))[:, None] / theta ** (2 * np.arange(width // 2) / width)
            cos, sin, a, b = self.num.of(np.cos(angle)), self.num.of(np.sin(angle)), z[..., u], z[..., w]
            z[..., u], z[..., w] = a * cos - b * sin, b * cos + a * sin
        return turn
    def dense(self, at, o, flat):  # flat: one row of all positions
        act, gated = {**ACTS, "gelu": self.num.gelu}[o.take("act", "relu gelu gelu-tanh silu")], o.pop("gated", False)
        rows = [self.D * (self.before + self.n_max + self.after if flat else 1)] + [layer.take("rows") for layer in o.take("layers")]
        layer = lambda l, gate="": self.affine(f"{at}{l}.{gate}w", f"{at}{l}.{gate}b", rows[l + 1], rows[l])
        *hidden, last = [(layer(l), layer(l, "g") if gated and l < len(rows) - 2 else None) for l in range(len(rows) - 1)]
        step = lambda z, pair: act(pair[1](z)) * pair[0](z) if gated else act(pair[0](z))
        return lambda y: last[0](functools.reduce(step, hidden, y.reshape(-1, rows[0]))).reshape(y.shape)
    def recurrent(self, at, o):
        gru, S = o.take("cell", "tanh gru") == "gru", o.take("state")
        rows = 3 * S if gru else S
        w, u = self.affine(at + "w", at + "b", rows, self.D), self.affine(at + "u", None, rows, S)
        ub, out = self.tensor(at + "ub", S) if gru else 0, self.affine(at + "o", at + "ob", self.D, S)
        def step(h, a):
            b = u(h[None])[0]
            if not gru:
                return np.tanh(a + b)
            r, z = np.split(1 / (1 + np.exp(-(a + b)[:2 * S])), 2)
            return (1 - z) * np.tanh(a[2 * S:] + r * (b[2 * S:] + ub)) + z * h
        states = lambda y: [np.asarray(h) for h in itertools.accumulate(w(y), step, initial=np.zeros(S))][1:]
        return lambda y: out(self.num.of(np.reshape(states(y), (-1, S))))

    # ---- Running -------------------------------------------------------------------------------------------------
    def each(self, rows):  # the fields, and the numbers of each in a row of input or in many
        return zip(self.fields, np.split(rows, np.cumsum([f.width for f in self.fields])[:-1], axis=-1))
    def forward(self, rows):
        """Rows of input (n, numbers) to the residual stream (T, D) after the last block."""
        user = slice(self.before, self.before + len(rows))
        x = before = self.num.of(np.zeros((user.stop + self.after, self.D)))
        added = [(user, columns, part) for (f, v), (columns, table) in zip(self.each(rows), self.tables)
                 for part in f.chosen(self.num.of(v) if f.kind in ("real", "int") else v, table)]
        added += [(slice(0, user.start), *self.prefix), (slice(user.stop, None), *self.suffix)]
        added += [(slice(None), columns, part) for columns, values in self.positions for part in values(len(x))]
        for place, columns, part in added:
            x[place, columns] += part
        for parallel, block in self.blocks:  # a parallel one reads what the block before it read
            before = before if parallel else x
            x = block(x, before)
        return x
    def read(self, rows, last=False):
        """Values (positions, R), decisions and margins (positions, 1 or R); an undecided decision is NaN."""
        where = slice(-1, None) if self.last or last else slice(self.before, self.before + len(rows))
        v = np.asarray(self.out(self.final(self.forward(rows)[where])))
        v = self.num.shares(self.kind, v) if self.kind in ("softmax", "sparsemax") else v
        decision, margin, finite = v, 0, np.isfinite(v.astype(float))
        if self.kind == "argmax":
            finite, top = finite.all(axis=1, keepdims=True), -np.sort(-v, axis=1)
            decision, margin = np.argmax(v, axis=1)[:, None], np.inf if top.shape[1] < 2 else top[:, :1] - top[:, 1:2]
        elif self.kind in ("sign", "threshold"):  # the threshold of a sign is 0
            decision, margin = np.where((v == 0) & (self.kind == "sign"), np.nan, v > self.threshold), np.abs(v - self.threshold)
        elif self.kind == "round":
            decision, margin = (near := self.num.nearest(v)), 0.5 - np.abs(v - near)
        return v, np.where(finite, decision, np.nan).astype(float), np.where(finite, margin, 0).astype(float)
    def generate(self, prompt):
        """Decoding: rows added, their least margin, and why there is no answer (None: there is one)."""
        need(self.decode, "the model is no decoder")
        need(self.prompt_min <= len(prompt) <= self.prompt_max, f"prompt of length {len(prompt)} out of range")
        bounds = [(lo, hi) for least, most, lo, hi in self.stretches for _ in range(least + (least < most) * (len(prompt) - self.prompt_min))]
        need(all((lo <= row).all() and (row <= hi).all() for row, (lo, hi) in zip(prompt, bounds)), "no such prompt")
        rows, least, steps = prompt, np.inf, min(self.max_steps, self.n_max - len(prompt))
        for step in range(1, steps + 1):
            _, row, margin = self.read(rows, last=True)
            least = min(least, margin.min())
            if np.isnan(row).any() or not all(f.has(v) for f, v in self.each(row[0])):
                return rows[len(prompt):], least, f"step {step}: the row is undecided, or leaves the domain"
            rows = np.vstack([rows, row])
            if row[0, self.coordinate] == self.value if self.equals else step == self.max_steps:
                return rows[len(prompt):], least, None
        return rows[len(prompt):], least, f"no stop after {steps} steps"

    # ---- Input lines ---------------------------------------------------------------------------------------------
    def parse(self, line):
        rows, short = [], self.decode and len(self.fields) > 1 and self.fields[0].width == 1
        for word in re.findall(r"[^ \t\r\n]+", line):
            texts = [word] if len(self.fields) == 1 else word.split("/")
            if short and len(texts) == 1:
                texts = ["0" if word == "|" else word] + [",".join("0" * f.width) for f in self.fields[1:]]
            need(len(texts) == len(self.fields), f"{word!r}: {len(self.fields)} fields are separated by /")
            parts = [f.parse(text) for f, text in zip(self.fields, texts)]
            need(all(f.has(v) for f, v in zip(self.fields, parts)), f"{word!r}: not in the domain")
            rows.append(sum(parts, []))
        need(self.n_min <= len(rows) <= self.n_max, f"length {len(rows)} out of range {self.n_min}..{self.n_max}")
        return np.array(rows).reshape(len(rows), sum(f.width for f in self.fields))  # also when there is none

shortest = lambda v: next((s for s in (f"{v + 0.0:.{digits}g}" for digits in (15, 16, 17)) if float(s) == v), "?")

def main(words):
    flags, words = {w for w in words if w.startswith("--")}, [w for w in words if not w.startswith("--")]
    need(len(words) > 1, __doc__)
    m, line = Model(words[0], *(w[2:] for w in flags - {"--json", "--generate"})), " ".join(words[1:])
    if "--generate" in flags:
        added, least, why = m.generate(m.parse(line))
        written = ["/".join(f.show(v) for f, v in m.each(row)) for row in added]
        text = (" " if m.kind == "argmax" else "\n").join(written) + f"\nleast margin {least:.6g}"
        facts = {"rows": added, "least_margin": least, "stopped": why is None}
    else:
        f, (value, decision, margin) = m.fields[0], m.read(m.parse(line))
        said = m.said or f.words if m.said or m.kind == "argmax" and len(m.fields) == 1 and (m.decode or value.shape[1] == f.size) else None
        show = lambda v: said[int(v)] if said and v == v else shortest(v)
        text, why = " ".join(",".join(map(show, row)) for row in decision), np.isnan(decision).any() and "undecided"
        facts = {"outputs": decision, "margins": margin, "values": value}
    plain = lambda v: np.where(np.isfinite(v), v, None).tolist()  # null where not finite
    print(json.dumps({key: plain(np.asarray(v, float)) for key, v in facts.items()}) if "--json" in flags else text)
    return (print(f"{words[0]}: {why}", file=sys.stderr) or 3) if why else 0

if __name__ == "__main__":
    try:
        sys.exit(np.seterr(all="ignore") and main(sys.argv[1:]))
    except (AttributeError, LookupError, OSError, TypeError, ValueError) as refusal:  # files that are none, too
        sys.exit(print(refusal, file=sys.stderr) or 2)
