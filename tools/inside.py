#!/usr/bin/python3
"""inside.py: what the models of reference.py do inside a run, and what holds of all their runs. Needs numpy, nothing else.

    python3 tools/inside.py MODEL INPUT...   between which doubles every output lies, in real arithmetic over the stored weights: a row a position
    python3 tools/inside.py MODEL            the same at any position of any input, whatever its length

A Model is one of the reference that takes inputs as lists of tokens or of rows, too, and has besides: `behind`, what it says behind a text;
`generate` with a draft, rows that are tried at once; `heads`, what its attention computed in a run, also over some of the keys alone;
and bounds, also of runs in which it is given what heads mix. What bounds cannot do is refused as arithmetics.Undone."""
import collections, math, os, sys, types
from fractions import Fraction
import numpy as np
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import arithmetics, reference

def logs(z):
    """Logarithms of the probabilities that a softmax makes of values."""
    return z - z.max() - math.log(np.exp(z - z.max()).sum())

class Heads(collections.namedtuple("Heads", "at q kind s allowed tie v num")):
    """A group of heads in a run: queries q (H, queries, dk), scores s (H, queries, keys), allowed (queries, keys), values v (H, keys, dv)."""
    def sees(self, t, keys):
        """Does query t see some of these keys (a mask)?"""
        return (self.allowed[t] & keys).any()
    def top(self, t, keys=True):
        """Of every head the largest score that query t has at these keys, of those that it sees."""
        return [max(np.asarray(s)[t, keys & self.allowed[t]], default=-math.inf) for s in self.s]
    def sums(self, t, keys):
        """Of every head exactly, at p bits: what these keys weigh for query t, and the sums of their values, weighted."""
        weights = self.num.weights(self.kind, self.s[:, [t]], self.allowed[[t]], self.tie)[:, 0, keys]
        exact = lambda terms: sum(map(Fraction, terms), Fraction(0))
        return [[exact(w)] + [sum((Fraction(a) * Fraction(b) for a, b in zip(w, column)), Fraction(0)) for column in np.asarray(v)[keys].T]
                for w, v in zip(weights, self.v)]

class Model(reference.Model):
    def __init__(self, path, arithmetic="f64"):
        self.arch, self.look, self.given = reference.load(path)[0], lambda heads: None, {}
        super().__init__(path, arithmetic)
    def rows(self, x):
        """Tokens, or rows of numbers, as rows of input."""
        return np.array(x, float).reshape(len(x), sum(f.width for f in self.fields))
    def forward(self, x):
        return super().forward(self.rows(x))
    def mixed(self, at, q, kind, score, allowed, tie, v):
        means, some = [], range(q.shape[1]) if self.num is arithmetics.Interval else ()  # which are large: a query after another
        for part in [slice(t, t + 1) for t in some] or [slice(None)]:
            self.look(heads := Heads(at, q[:, part], kind, score(part), allowed[part], tie, v, self.num))
            means.append(self.num.mixed(kind, heads.s, heads.allowed, tie, v))
        return np.concatenate(means, axis=1).view(type(means[0])) if means[1:] else means[0]
    def joined(self, at, run, y):
        return self.given[at] if at in self.given else run(y)
    def rotary(self, o):
        if issubclass(self.num, arithmetics.Interval):  # its angles are doubles
            raise arithmetics.Undone("a rotary embedding is not done in intervals")
        return super().rotary(o)
    def heads(self, x):
        """The values that come out, and of every attention block its groups of heads in this run."""
        blocks = {}
        self.look = lambda heads: blocks.setdefault(heads.at.split(".attn.")[0], []).append(heads)
        values, self.look = self.read(x)[0], lambda heads: None
        return values, list(blocks.values())
    def behind(self, text):
        """The values of the last position."""
        return self.read(text, last=True)[0][-1]

    def says(self, x, chain=False, draft=None):
        """As lists, rows of decisions (None: undecided), the values that they are read from, and the least margin; of a chain the rows that it
        writes, twice, and the margin is None where there is no answer."""
        if chain:
            rows, margin, why = self.generate(x, draft)
            return rows.tolist(), rows.tolist(), margin if why is None else None
        values, decision, margin = self.read(x)
        return [[v if v == v else None] for v in decision.ravel().tolist()], values.tolist(), margin.min() if margin.size else math.inf
    def plain(self):
        """Are its blocks attention and ReLU layers, with nothing around them?"""
        blocks = [o["norm"] == "none" and (o["kind"] == "attn" or o["kind"] == "mlp" and o["act"] == "relu") for o in self.arch["blocks"]]
        return all(blocks) and not self.arch["readout"]["final_norm"]
    def one_head(self):
        """Its group of heads, where a plain model is one layer of one head of one value over tokens without positions, and then layers of a
        position alone, each of which is read; else None."""
        (first, *others), (g, *more) = self.arch["blocks"], self.arch["blocks"][0].get("groups", [{}])
        one = first["kind"] == "attn" and not more and g["heads"] == g["dv"] == 1 and g.get("post") == "id" and g["mask"]["kind"] == "none"
        alone = not self.positions and all(b["kind"] == "mlp" for b in others) and [f.kind for f in self.fields] == ["token"]
        return g if self.plain() and one and alone and not {"alibi", "rotary"} & set(g) and not self.before and not self.last else None

    # ---- Decoders
    def decoder(self, letters):
        """What a language model may write, a token a step, as a machine of chances.py: a place is a text, a token stands for a letter or for None."""
        def steps(text):
            *row, end = self.behind(text)
            return [(letters[t], (*text, t), p) for t, p in enumerate(row) if p] + [(None, None, end)]
        return types.SimpleNamespace(written=lambda: ({(): Fraction(1)}, steps))
    def generate(self, prompt, draft=None):
        """Rows, their least margin, why there is no answer. A draft, rows that may well come out, takes one run, if they do, and no row sees
        those behind it."""
        prompt = self.rows(prompt)
        margin = None if draft is None else self.tried(prompt, self.rows(draft))
        return super().generate(prompt) if margin is None else (self.rows(draft), margin, None)
    def looks_back(self):
        """Does what comes out at a position depend on the rows up to it alone?"""
        arch = self.arch
        masks = {g["mask"]["kind"] for b in arch["blocks"] if b["kind"] == "attn" for g in b["groups"]}
        moving = {o["kind"] for o in arch["positions"]} & {"i/n", "i/n^3", "n"}
        return masks <= {"causal", "strict", "block-sparse"} and not moving and not self.after and all(b["kind"] != "flatten" for b in arch["blocks"])
    def tried(self, prompt, draft):
        """The least margin with which it writes these rows, each of which must be the answer to those before; None: it does not."""
        steps = min(self.max_steps, self.n_max - len(prompt))
        ends = [row[self.coordinate] == self.value if self.equals else k == self.max_steps for k, row in enumerate(draft, 1)]
        stops = True in ends and ends.index(True) + 1 == len(draft) <= steps
        bounds = [(lo, hi) for least, most, lo, hi in self.stretches for _ in range(least + (least < most) * (len(prompt) - self.prompt_min))]
        inside = all((lo <= row).all() and (row <= hi).all() for row, (lo, hi) in zip(prompt, bounds))
        if not self.looks_back() or not stops or not inside or not self.prompt_min <= len(prompt) <= self.prompt_max:
            return None
        last, self.last = self.last, False  # all positions are read
        _, decision, margin = self.read(np.vstack([prompt, draft[:-1]]))
        self.last, said = last, decision[len(prompt) - 1:]
        has = all(f.has(v) for row in draft for f, v in self.each(row))
        return margin[len(prompt) - 1:].min() if has and np.array_equal(said, draft) else None

    # ---- Bounds: in the arithmetics `intervals` and `anywhere`
    def bounds(self, x, given={}, look=lambda heads: None):
        """Of the outputs on an input (positions, R). given: by the names of groups what their heads mix at all positions (T, H dv). look: is shown
        all other heads, a query after another."""
        where, self.given, self.look = slice(-1, None) if self.last else slice(self.before, self.before + len(x)), given, look
        x, self.given, self.look = self.forward(x), {}, lambda heads: None
        return self.out(self.final(x[where]))
    def anywhere(self):
        """The stream at any position of any input: a row, twice, one behind the other."""
        def spread(columns, table):
            row = self.num.of(np.zeros(self.D))
            row[columns] = table.hull()
            return row
        whole = lambda f, table: table if f.kind in ("token", "subset") else sum(self.num.of(f.lo, f.hi) * row for row in table)[None]
        x = sum(spread(columns, whole(f, table)) for f, (columns, table) in zip(self.fields, self.tables))
        hidden = [spread(*table) for count, table in ((self.before, self.prefix), (self.after, self.suffix)) if count]
        x = np.stack([x, *hidden]).view(self.num).hull()
        for o, (columns, values) in zip(self.arch["positions"], self.positions):
            x[columns] += sum(values(o.get("size", 0) if o["kind"] == "table" else 1)).hull()
        x = before = np.stack([x, x]).view(self.num)
        if not self.plain() or any(g["weighting"] == "threewise" for o in self.arch["blocks"] for g in o.get("groups", [])):
            raise arithmetics.Undone("only attention, and ReLU layers without norms, have bounds anywhere")
        for parallel, block in self.blocks:
            before = before if parallel else x
            x = block(x, before)
        return self.final(x)
    def least(self, k):
        """log10 of the least probability that a softmax readout gives output k, at any position of any input, from below; -inf: it has no bound."""
        if self.kind != "softmax":
            raise arithmetics.Undone("a bound of a probability needs a softmax readout")
        others = np.arange(len(self.matrix)) != k % len(self.matrix)
        ahead = self.anywhere() @ (self.matrix[others] - self.matrix[[k]]).T + (self.bias[others] - self.bias[[k]])
        ahead = ahead.hi.max(axis=0)
        if not np.isfinite(ahead).all():
            return -math.inf
        top = max(0.0, *ahead)
        return -(top + math.log(math.fsum(math.exp(z - top) for z in [0.0, *ahead]))) / math.log(10) * (1 + 1e-12) - 1e-9

def main(words):
    reference.need(words, __doc__)
    m, line = Model(words[0], "intervals" if words[1:] else "anywhere"), " ".join(words[1:])
    out = m.bounds(m.parse(line)) if words[1:] else m.out(m.anywhere())[:1]
    for row in out:
        print(" ".join(f"{lo!r}..{hi!r}" for lo, hi in zip(row.lo.tolist(), row.hi.tolist())))

if __name__ == "__main__":
    np.seterr(all="ignore")
    try:
        sys.exit(main(sys.argv[1:]))
    except (AttributeError, LookupError, OSError, TypeError, ValueError) as refusal:
        sys.exit(print(refusal, file=sys.stderr) or 2)
