"""intervals.py: what holds of all inputs, by intervals of doubles, rounded outwards after every operation: certificates by cases, and
how likely the end of a language model is at least (docs/certfile.md)."""
import itertools, math
from fractions import Fraction
import numpy as np
import problems
from certificate import need

DOWN, UP = (lambda v: np.nextafter(v, -np.inf)), (lambda v: np.nextafter(v, np.inf))

class Iv:
    def __init__(self, lo, hi=None):
        self.lo, self.hi = np.asarray(lo, float), np.asarray(lo if hi is None else hi, float)
    def __add__(self, o):
        return Iv(DOWN(self.lo + o.lo), UP(self.hi + o.hi))
    def __mul__(self, o):
        all = [self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi]
        return Iv(DOWN(np.minimum.reduce(all)), UP(np.maximum.reduce(all)))
    def __getitem__(self, k):
        return Iv(self.lo[k], self.hi[k])
    def hull(self):
        return Iv(self.lo.min(), self.hi.max())

def affine(w, b, x):
    """w (R, D) doubles, b (R), x a list of D intervals: a list of R."""
    out = []
    for row, bias in zip(w, b):
        total = Iv(np.full_like(x[0].lo, bias))
        for c in np.flatnonzero(row):
            total = total + Iv(row[c]) * x[c]
        out.append(total)
    return out

class Cases:
    """One layer of one softmax or three-wise head with one value over tokens, then ReLU layers (docs/certfile.md)."""
    def __init__(self, cell):
        m, (arch, tensors, sparse) = cell.model, cell.stored
        self.o, self.m, self.blocks = cell.o, m, arch["blocks"]
        self.t = lambda name: np.asarray(tensors[name], float) if name in tensors else None
        g = self.blocks[0]["groups"][0]
        head = len(self.blocks[0]["groups"]) == g["heads"] == g["dv"] == 1 and g["weighting"] in ("softmax", "threewise")
        plain = g["post"] == "id" and g["mask"]["kind"] == "none" and all(b["norm"] == "none" for b in self.blocks)
        behind = all(b["kind"] == "mlp" and b["act"] == "relu" for b in self.blocks[1:]) and m.kind == "threshold"
        ends = not sparse and not m.positions and len(m.fields) == 1 and m.before == 0
        need(head and plain and behind and ends, "a model of another shape", problems.Unknown)
        self.three, self.scale, self.biased = g["weighting"] == "threewise", g["scale"], g["bias"]
        self.tokens, self.n = self.o["tokens"], self.o["length"]
        columns, table = m.tables[0]
        stream = np.zeros((self.tokens + m.after, m.D))
        stream[:self.tokens, columns] += table
        stream[self.tokens:, m.suffix[0]] += m.suffix[1] if m.after else 0
        self.x = [Iv(stream[:, c]) for c in range(m.D)]  # of every token, then of every hidden row
        self.q, self.k, self.v = (self.projected(name) for name in "qkv")
        self.k2, self.v2 = (self.projected("k2"), self.projected("v2")) if self.three else (None, None)

    def projected(self, name):
        w = self.t(f"block.0.attn.0.{name}")
        b = self.t(f"block.0.attn.0.{name}b") if self.biased else np.zeros(len(w))
        return affine(w, b, self.x)

    def classes(self, a):
        """Of the query token a: hits, misses, and each kind of keys with a hidden row: (count or None, scores, values)."""
        T, S = self.tokens, len(self.x[0].lo)
        score, value = Iv(np.zeros((S, S) if self.three else S)), self.v[0]
        for q, *k in zip(self.q, self.k, *([self.k2] if self.three else [])):
            part = Iv(q.lo[a], q.hi[a]) * k[0]
            score = score + (Iv(part.lo[:, None], part.hi[:, None]) * k[1] if self.three else part)
        score = score * Iv(self.scale)
        if self.three:
            value = Iv(value.lo[:, None], value.hi[:, None]) * self.v2[0]
        user = np.zeros(score.lo.shape, bool)
        user[(slice(T),) * score.lo.ndim] = True
        grid = np.meshgrid([a], *[np.arange(S)] * score.lo.ndim, indexing="ij")
        env = {**self.o["problem"]["parameters"], **dict(zip("abc", grid))}
        hit = np.asarray(problems.Rule(self.o["hit"]).whole()(env), bool)[0] & user
        parts = [(None, hit), (None, user & ~hit)]
        for h in range(T, S):  # a hidden row is seen once; in pairs with every other, either way round
            one = np.zeros_like(user)
            if not self.three:
                one[h] = True
                parts.append((1, one))
                continue
            for place, count in (((h, slice(T)), self.n), ((slice(T), h), self.n), *(((h, z), 1) for z in range(T, S))):
                part = np.zeros_like(user)
                part[place] = True
                parts.append((count, part))
        none = 0, Iv(0.0), Iv(0.0)
        return [(count, score[part].hull(), value[part].hull()) if part.any() else none for count, part in parts]

    def mean(self, classes, hits):
        """The hull of the mean: it is monotone in every weight and every value, and in the number of hits."""
        top, total, low, high = max(s.hi for _, s, _ in classes), self.n ** (2 if self.three else 1), math.inf, -math.inf
        for number in hits:
            counts = [number, total - number] + [c for c, *_ in classes[2:]]
            ends = [(DOWN(np.exp(s.lo - top) * (1 - 2**-48)), UP(np.exp(s.hi - top) * (1 + 2**-48))) for _, s, _ in classes]
            for weights in itertools.product(*ends):
                for side in (0, 1):
                    v = [(x.lo, x.hi)[side] for *_, x in classes]
                    down = math.fsum(c * w for c, w in zip(counts, weights))
                    value = math.fsum(c * w * x for c, w, x in zip(counts, weights, v)) / down
                    low, high = min(low, value - 1e-12 * (1 + abs(value))), max(high, value + 1e-12 * (1 + abs(value)))
        return low, high

    def kept(self, b, x, y):
        return [v + w for v, w in zip(x, y)] if self.blocks[b]["residual"] else y

    def read(self, a, low, high):
        """The readout over an interval of the mean."""
        out = self.t("block.0.attn.0.o")
        mixed = [Iv(low, high)]
        bias = self.t("block.0.attn.0.ob") if self.biased else np.zeros(self.m.D)
        x = self.kept(0, [column[a] for column in self.x], affine(out, bias, mixed))
        for b, block in enumerate(self.blocks[1:], 1):
            z = x
            for l in range(len(block["layers"])):
                z = [Iv(np.maximum(0, v.lo), np.maximum(0, v.hi)) for v in z] if l else z
                z = affine(self.t(f"block.{b}.mlp.{l}.w"), self.t(f"block.{b}.mlp.{l}.b"), z)
            x = self.kept(b, x, z)
        y = affine(self.t("readout.w"), self.t("readout.b"), x)[0]
        return float(y.lo), float(y.hi)

    def decided(self, a, low, high, yes, depth=14):
        lo, hi = self.read(a, low, high)
        if lo > self.m.threshold if yes else hi < self.m.threshold:
            return True
        middle = (low + high) / 2
        return depth > 0 and self.decided(a, low, middle, yes, depth - 1) and self.decided(a, middle, high, yes, depth - 1)

    def check(self):
        by, most = {}, self.n ** (2 if self.three else 1)
        hit = problems.Rule(self.o["hit"]).whole()
        for query, lo, hi, expected, *bounds in self.o["cases"]:
            by.setdefault(query, []).append((lo, hi, expected, [Fraction(v) for v in bounds]))
        same = self.o["problem"]["parameters"]["N"] == self.n and self.tokens == self.m.fields[0].size
        need(same, "another size than the problem's")
        for a in range(self.tokens):
            alone = bool(hit({**self.o["problem"]["parameters"], "a": a, "b": a, "c": a}))  # a position is a key of its own
            at, classes = int(alone), None
            for lo, hi, expected, (m_lo, m_hi, o_lo, o_hi) in sorted(by.get(a, []), key=lambda case: case[0]):
                need(lo <= at, f"token {a}: {at} hits are in no case")
                need(expected == (lo > 0) and not lo == 0 < hi, f"token {a}: {lo}..{hi} hits have no one answer")
                classes = classes or self.classes(a)
                low, high = self.mean(classes, (lo, hi))
                near = lambda said, mine: abs(float(said) - mine) <= 1e-9 + 1e-14 * self.scale  # doubles here, 128 bits there
                need(near(m_lo, low) and near(m_hi, high), f"token {a}, {lo}..{hi} hits: another mean than is said")
                need(self.decided(a, low, high, expected), f"token {a}, {lo}..{hi} hits: not decided")
                side = o_lo > self.m.threshold if expected else o_hi < self.m.threshold
                need(side, f"token {a}: the readout that is said is not on its side")
                at = hi + 1
            need(at == most + 1, f"token {a}: {at} hits are in no case")
        return f"{len(self.o['cases'])} cases cover every input"

# ---- Language models: how likely the end is at least, behind every text of every length ---------------------------------------
def end_least(m, stored):
    """log10 of it, from below; None: it has no bound. Every coordinate lies in one interval at all positions of all texts, attention in
    the hull of its values."""
    arch, tensors, sparse = stored
    plain = all(b["norm"] == "none" and b["kind"] in ("attn", "mlp") for b in arch["blocks"]) and not sparse
    need(plain and not arch["readout"]["final_norm"] and m.kind == "softmax", "a model of another shape", problems.Unknown)
    t = lambda name, rows=0: np.asarray(tensors[name], float) if name in tensors else np.zeros(rows)
    def hull(columns, table):
        x = [Iv(0.0) for _ in range(m.D)]
        for c, column in zip(range(m.D)[columns], np.asarray(table).T):
            x[c] = Iv(column.min(), column.max())
        return x
    union = lambda x, y: [Iv(min(a.lo, b.lo), max(a.hi, b.hi)) for a, b in zip(x, y)]
    x = hull(*m.tables[0])
    for count, hidden in (m.before, m.prefix), (m.after, m.suffix):
        x = union(x, hull(*hidden)) if count else x
    for k, o in enumerate(arch["positions"]):
        table, unit = t(f"pos.{k}.embed"), o["kind"] in ("1/i", "1/i^2", "alternate", "sinusoidal", "sqrt-pair") or \
            o["kind"] in ("i/n", "i/n^3") and 0 <= m.origin <= 1
        if o["kind"] == "table":
            x = [a + b for a, b in zip(x, hull(slice(o["col"], o["col"] + o["width"]), table))]
            continue
        far = Iv(-1.0, 1.0) if unit else Iv(-np.inf, np.inf)
        for row in table:
            for c in np.flatnonzero(row):
                x[o["col"] + c] = x[o["col"] + c] + Iv(row[c]) * far
    for b, o in enumerate(arch["blocks"]):
        if o["kind"] == "attn":
            y = [Iv(0.0) for _ in range(m.D)]
            for g, group in enumerate(o["groups"]):
                need(group["weighting"] != "threewise", "a model of another shape", problems.Unknown)
                at, rows = f"block.{b}.attn.{g}.", group["heads"] * group["dv"]
                v = affine(t(at + "v"), t(at + "vb", rows), x)
                v = union(v, [Iv(0.0)] * rows) if group["mask"]["kind"].startswith("strict") else v
                y = [p + q for p, q in zip(y, affine(t(at + "o"), t(at + "ob", m.D), v))]
        else:
            need(o["act"] == "relu", "a model of another shape", problems.Unknown)
            y = x
            for l in range(len(o["layers"])):
                y = [Iv(np.maximum(0, v.lo), np.maximum(0, v.hi)) for v in y] if l else y
                y = affine(t(f"block.{b}.mlp.{l}.w"), t(f"block.{b}.mlp.{l}.b"), y)
        x = [p + q for p, q in zip(x, y)] if o["residual"] else y
    w, bias = t("readout.w"), t("readout.b")
    above = [float(v.hi) for v in affine(w[:-1] - w[-1], bias[:-1] - bias[-1], x)]  # differences of doubles are rounded: 1e-9 below
    if not np.isfinite(above).all():
        return None
    top = max([0.0, *above])
    return -(top + math.log(math.fsum([math.exp(-top), *(math.exp(z - top) for z in above)]))) / math.log(10) * (1 + 1e-12) - 1e-9
