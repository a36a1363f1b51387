#!/usr/bin/python3
"""verify.py: checks a certificate of attest again, without attest. Written from docs/certificates.md; needs numpy, and
beside it reference.py, which runs model files, and problems.py, which says what is right.

    python3 tools/verify.py X.cert              of every domain a few blocks, drawn; all samples, cases and refutations
    python3 tools/verify.py X.cert --all        every block
    python3 tools/verify.py X.cert --blocks 8 --seed 7    so many of every domain, and others

Prints a line a cell. Exit 0: all cells are confirmed; 1: something is not true; 2: it is no certificate, or a damaged
one; 3: nothing is wrong, but a cell could not be checked here, and its line says why."""
import base64, functools, hashlib, itertools, json, math, os, pathlib, random, re, sys, tempfile
from fractions import Fraction
import numpy as np
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import problems, reference

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

def run(model, x, chain):
    """What comes out of an input, as decisions or rows, and the least margin."""
    rows = np.array(x, float).reshape(len(x), sum(f.width for f in model.fields))
    if chain:
        out, margin, why = model.generate(rows)
        need(why is None, f"no answer: {why}")
        return [[int(v) for v in row] for row in out], margin
    _, decision, margin = model.read(rows)
    need(not np.isnan(decision).any(), "an output is undecided")
    return [int(v) for v in decision.ravel()], margin.min() if margin.size else math.inf

def line(out):
    return " ".join(",".join(map(str, row)) if isinstance(row, list) else str(row) for row in out) + "\n"

class Cell:
    def __init__(self, o, models):
        self.o, (self.model, self.stored) = o, opened(models[o["model"]], o["arithmetic"])
        self.chain, self.right, self.least = o["problem"]["answers"] == "chain", problems.read(o["problem"]), math.inf
        self.tolerance = o.get("tolerance")  # of reals

    def off(self, x):
        """How far the reals that come out are from those that are right, at every position."""
        rows = np.array(x, float).reshape(len(x), sum(f.width for f in self.model.fields))
        right = np.array(self.right(x))
        return np.sqrt(((self.model.read(rows)[1].reshape(right.shape) - right) ** 2).sum(axis=1))

    def right_on(self, inputs):
        """The lines of these inputs; how many of them are wrong."""
        lines, wrong = "", 0
        for x in inputs:
            if self.tolerance is not None:
                far = self.off(x).max()
                wrong, self.least = wrong + (not far <= self.tolerance), min(self.least, self.tolerance - far)
                continue
            out, margin = run(self.model, x, self.chain)
            wrong += out != self.right(x) or not margin > 0
            lines, self.least = lines + line(out), min(self.least, margin)
        return hashlib.sha256(lines.encode()).hexdigest(), wrong

    def exact(self, blocks, rng):
        domain, size, digests = Domain(self.o["domain"]), self.o["block"], self.o["digests"]
        need(domain.count == self.o["inputs"], f"{self.o['inputs']} inputs are said, the domain has {domain.count}")
        number = -(-domain.count // size)
        need(len(digests) == number or self.tolerance is not None, "another number of digests than of blocks")
        drawn = sorted(rng.sample(range(number), min(blocks, number)))
        for b in drawn:
            digest, wrong = self.right_on(domain.nth(i) for i in range(b * size, min((b + 1) * size, domain.count)))
            need(not wrong and self.o["holds"], f"block {b}: {wrong} inputs are answered wrongly")
            need(self.tolerance is not None or digest == digests[b], f"block {b}: other decisions than the digest is of")
        what = "all" if len(drawn) == number else f"{len(drawn)} blocks of"
        listed = ", which are listed: that there are no others is not shown" if domain.how == "listed" else ""
        return f"{what} {domain.count} inputs{listed}"

    def sampled(self):
        digest, wrong = self.right_on(self.o["sample"])
        need(not wrong and self.o["holds"], f"{wrong} inputs of the sample are answered wrongly")
        need(self.tolerance is not None or [digest] == self.o["digests"], "other decisions on the sample than the digest is of")
        return f"{len(self.o['sample'])} inputs of a sample of {self.o['inputs']}"

    def refuted(self):
        x, place = self.o["input"], self.o["position"] - 1 if self.o["problem"]["answers"] != "once" else 0
        need(not self.o["holds"], "refuted, and yet it is said to hold")
        if self.tolerance is not None:
            need(not self.off(x)[place] <= self.tolerance, "the model is right on the input that refutes it")
            return "too far off on the input that is given"
        try:
            out, margin = run(self.model, x, self.chain)
        except Untrue:
            out = []  # nothing is decided, or no answer: that is not right either
        right = self.right(x)
        need(out != right, "the model is right on the input that refutes it")
        here = out[place] if place < len(out) else None
        need(here != (right[place] if place < len(right) else None), f"the model is right at position {place + 1}")
        if not self.chain:
            need(right[place] == self.o["expected"] and here == self.o["got"], "another answer than is said")
        return "wrong on the input that is given"

    def certified(self):
        return Cases(self).check()

    def check(self, blocks, rng):
        o = self.o
        need(o["evidence"] in ("exact", "sampled", "refuted", "certified"), f"evidence {o['evidence']}", Damaged)
        said = self.exact(blocks, rng) if o["evidence"] == "exact" else getattr(self, o["evidence"])()
        if o["evidence"] in ("exact", "sampled") and o["margin"] is not None:
            enough = self.least >= o["margin"] * (1 - 1e-6) - 1e-9
            need(enough, f"margin {self.least:g}, and the least is said to be {o['margin']:g}")
        return said

# ---- Trials: what they show -------------------------------------------------------------------------------------------------
class Shown:
    """A rule, a pair of inputs, inputs that are answered rightly, a run of a protocol."""
    def __init__(self, o, cell, models):
        self.o, self.cell = o, cell
        need(o["kind"] in ("rule", "pair", "right", "talk", "same", "other"), f"{o['kind']} is shown", Damaged)
        if o["kind"] != "rule":
            self.model, self.stored = opened(models[o["model"]], o["arithmetic"])
            self.model.running = o.get("running", False)

    def rule(self):
        same = all(self.o["parameters"][key] == value for key, value in self.cell["parameters"].items())
        need(same, "the rule has other parameters than the question")
        whole = {k: int(v) if isinstance(v, float) and v == int(v) else v for k, v in self.o["parameters"].items()}
        holds = bool(problems.Rule(self.o["rule"]).whole()(whole))
        need(holds == self.cell["holds"], f"the rule says {holds}")
        return "the rule is computed"

    def answers(self):
        """Of every input: what comes out, by which two are compared, and what is right, row by row."""
        right, reals = problems.read(self.o["problem"]), "tolerance" in self.o
        for x in self.o["inputs"]:
            rows = np.array(x, float).reshape(len(x), sum(f.width for f in self.model.fields))
            if self.o["problem"]["answers"] == "chain":
                out = self.model.generate(rows)[0].tolist()
                yield out, out, right(x)
                continue
            values, decision, _ = self.model.read(rows)
            wanted = [row if isinstance(row, list) else [row] for row in right(x)]
            least = min(len(wanted), len(values))  # the last alone, where one of them speaks of it only
            yield values[-least:], (values if reals else decision)[-least:].tolist(), wanted[-least:]

    def beside(self, words):
        """Of every word: does the model say what the text beside it does?"""
        right = problems.read(self.o["problem"])
        return [run(self.model, list(x), False)[0] == right(list(x)) for x in words]

    def same(self):
        least, most, letters = *self.o["lengths"], range(len(self.o["problem"]["alphabet"]))
        words = [x for n in range(least, most + 1) for x in itertools.product(letters, repeat=n)]
        need(self.cell["holds"] and words, "a model and its text are shown for what does not hold")
        need(all(self.beside(words)), "the model and its text differ on a word")
        return f"one model and its {self.o['problem']['language']}, the same on {len(words)} words"

    def other(self):
        need(not self.cell["holds"] and self.beside(self.o["inputs"]) == [False], "the model says what its text does")
        return "one model, and the word on which its text is another"

    def far(self, a, b):
        return math.dist(a, b) if "tolerance" in self.o else 0 if a == b else math.inf

    def pair(self):
        (first, got, right), *second = self.answers()
        tolerance, near = self.o.get("tolerance", 0), self.o.get("near", 0)
        need(self.cell["holds"], "a pair is shown for what does not hold")
        if not second:
            wrong = len(got) != len(right) or any(not self.far(a, b) <= tolerance for a, b in zip(got, right))
            need(wrong, "the model is right on the input that refutes it")
            return "one model, and the input that it answers wrongly"
        (other, _, right2), = second
        if self.o["problem"]["answers"] == "chain":
            need(first == other, "the model writes different rows")
            need(right != right2, "the same rows are right")
        else:
            alike = [self.far(list(a), list(b)) <= near if near else list(a) == list(b) for a, b in zip(first, other)]
            apart = [self.far(a, b) > 2 * tolerance + near for a, b in zip(right, right2)]
            need(any(a and b for a, b in zip(alike, apart)), "the model tells the two inputs apart, or the same is right")
        return "one model, and the two inputs that it does not tell apart"

    def right(self):
        need(not self.cell["holds"], "a right model is shown for what holds")
        for _, got, right in self.answers():
            near = len(got) == len(right) and all(self.far(a, b) <= self.o.get("tolerance", 0) for a, b in zip(got, right))
            need(near, "the model is wrong on an input")
        return f"a model that is right on {len(self.o['inputs'])} inputs"

    def talk(self):
        """What parties say of sums over their own keys, bit by bit (docs/protocols.md)."""
        o, m, x = self.o, self.model, self.o["inputs"][0]
        m.look = []
        value = m.read(np.array(x, float).reshape(len(x), -1))[0][o["first"]:o["first"] + o["positions"]]
        look, m.look, p, e = m.look, None, m.num.p, m.num.e
        same = np.array_equal(value.ravel(), np.array(o["value"], float), equal_nan=True)
        need(same == o["same"] == self.cell["holds"], "another readout than is said")
        owner = np.array([o["owner"][min(max(t - m.before, 0), len(x) - 1)] for t in range(m.before + len(x) + m.after)])
        blocks = [b for b in self.stored[0]["blocks"] if b["kind"] == "attn"]
        groups = [[look.pop(0) for _ in b["groups"]] for b in blocks]
        need(all(g[0] in ("softmax", "average-hard", "linear") for b in groups for g in b), "choices in messages", problems.Unknown)
        unit, total, exact = Fraction(2) ** (2 * (3 - 2 ** (e - 1) - p)), [0, 0, 0], True
        for message in o["messages"]:
            k, sender, hearer = message["block"], message["from"], message["to"]
            bits, sizes = int.from_bytes(bytes.fromhex(message["bits"]), "little"), [message[s] for s in ("query", "peak", "sum")]
            total = [a + b for a, b in zip(total, sizes)]
            asked = lambda who: [t for t in np.flatnonzero(owner == who)
                                 if k < len(blocks) - 1 or not o["asked"] or t == m.before + o["asked"] - 1]
            def cut(start, count, width):
                return [bits >> start + i * width & (1 << width) - 1 for i in range(count)]
            if sizes[0] and not (o["rounded"] and k):
                said = [number(v, p, e) for v in cut(0, sizes[0] // (p + e), p + e)]
                seen = [np.asarray(reference.PHI(q) if kind == "linear" else q) for kind, q, *_ in groups[k]]
                need(said == [v for t in asked(sender) for q in seen for v in q[:, t].ravel()], "other queries than the model's")
            if sizes[1] and not (o["rounded"] and k):  # of a party's own keys, or of all
                said = [number(v, p, e) for v in cut(sizes[0], sizes[1] // (p + e), p + e)]
                wanted = [self.peaks(groups[k], owner, asked(who), sender, who == hearer or max(o["owner"]) < 2 or hearer)
                          for who in (sender, hearer)]
                need(any(len(w) == len(said) and all(v in two for v, two in zip(said, w)) for w in wanted), "other maxima than of scores")
            if sizes[2] and not (o["rounded"] and k):  # behind rounded sums the rows are others than the model's
                A = 2 * p + math.ceil(math.log2(len(owner))) + 3 * 2 ** (e - 1) - 5
                A += 2 ** (e - 1) if any(g[0] == "linear" for g in groups[k]) else 0
                need(A == o["A"], "another length of a sum")
                mine = []
                for t in asked(hearer):
                    for kind, _, s, allowed, tie, v in groups[k]:
                        w = m.num.weights(kind, s, allowed, tie)[:, t] * (owner == sender)
                        if (allowed[t] & (owner == sender)).any():
                            mine += [c for h in range(len(w)) for c in self.sums(w[h], np.asarray(v)[h])]
                said = [(v - (1 << A) if v >> A - 1 else v) * unit for v in cut(sizes[0] + sizes[1], sizes[2] // A, A)]
                rounded = [Fraction(float(m.num.rounded(np.array(float(c)), float(c - Fraction(float(c)))))) for c in mine]
                need(said == (rounded if o["rounded"] else mine), "other sums than those over the sender's keys")
                exact = exact and rounded == mine
        need(total == [o["query_bits"], o["peak_bits"], o["sum_bits"]], "another number of bits")
        need(same or o["rounded"] and not exact, "nothing was rounded, and yet the readout is another")
        return f"a run of {sum(total)} bits in {len(o['messages'])} messages"

    @staticmethod
    def peaks(groups, owner, asked, sender, of):
        """Of every query and head the largest score of the sender's keys, and that of all; of: whose keys must be seen."""
        top = lambda s, mask: max(np.asarray(s)[mask], default=-math.inf)
        return [(top(s[h, t], allowed[t] & (owner == sender)), top(s[h, t], allowed[t]))
                for t in asked for kind, _, s, allowed, *_ in groups if kind != "linear"
                and (allowed[t] & (owner == (sender if of is True else of))).any() for h in range(len(s))]

    @staticmethod
    def sums(w, v):
        """The denominator and the numerators, exactly."""
        return [sum((Fraction(a) for a in w), Fraction(0))] + [sum((Fraction(a) * Fraction(b) for a, b in zip(w, column)), Fraction(0)) for column in v.T]

def number(code, p, e):
    """From its bits: mantissa without its first bit, exponent field, sign."""
    mantissa, field, sign = code & (1 << p - 1) - 1, code >> p - 1 & (1 << e) - 1, code >> p - 1 + e
    if field == (1 << e) - 1:
        return math.nan if mantissa else math.inf * (1 - 2 * sign)
    low = 3 - 2 ** (e - 1) - p  # exponent of the smallest number
    return (1 - 2 * sign) * math.ldexp(mantissa + (1 << p - 1 if field else 0), low + max(field, 1) - 1)

def trial(o, models):
    need(o["shown"] and o["role"] in ("claim", "control"), "nothing is shown", Damaged)
    said = [getattr(Shown(w, o, models), w["kind"])() for w in o["shown"]]
    return f"{said[0]}{f', and {len(said) - 1} more' if said[1:] else ''}; {o['note']}"

# ---- Certificates by cases: intervals of doubles, rounded outwards after every operation ------------------------------------
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
    """One layer of one softmax or three-wise head with one value over tokens, then ReLU layers (docs/certificates.md)."""
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

def main(words):
    options = dict(zip(words[1:], words[2:]))
    need(words and set(w for w in words[1:] if w.startswith("-")) <= {"--all", "--blocks", "--seed"}, __doc__, Damaged)
    rng, code, confirmed = random.Random(int(options.get("--seed", 1))), 0, 0
    c, models = load(words[0])
    blocks = 10**18 if "--all" in words else int(options.get("--blocks", 2 if len(c["cells"]) <= 16 else 1))
    print(f"{words[0]}: {c['claim']}, attest {c['version']}, {c['date']}")
    for k, o in enumerate(c["cells"]):
        set_ = " ".join(f"{key}={value}" for key, value in o["parameters"].items())
        try:
            said = trial(o, models) if o["evidence"] == "trial" else Cell(o, models).check(blocks, rng)
            verdict, this = "confirmed", 0
        except Untrue as why:
            said, verdict, this = why, "NOT TRUE", 1
        except problems.Unknown as why:
            said, verdict, this = why, "not checked", 3
        confirmed += not this
        code = this if code == 0 or this == 1 else code
        print(f"{verdict}: {o['role']} {o['evidence']} {set_}: {said}")
    need(c["cells"], "there are no cells", Damaged)
    rest = f"; {len(c['left_out'])} are not in the certificate" if c["left_out"] else ""
    print(f"{confirmed} of {len(c['cells'])} cells confirmed{rest}")
    return code

if __name__ == "__main__":
    np.seterr(all="ignore")
    try:
        sys.exit(main(sys.argv[1:]))
    except (Damaged, ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as refusal:
        sys.exit(print(f"{sys.argv[1] if sys.argv[1:] else 'verify'}: {refusal}", file=sys.stderr) or 2)
