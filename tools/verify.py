#!/usr/bin/python3
"""verify.py: checks a certificate of attest again, without attest. Written from docs/certfile.md; needs numpy, and
beside it certificate.py (the file), trials.py and intervals.py (what cells rest on), reference.py (runs model files), arithmetics.py (numbers
that are no doubles), problems.py and chances.py (what is right).

    python3 tools/verify.py X.cert              of every domain a few blocks, drawn; all samples, cases and refutations (of reals at 64 positions)
    python3 tools/verify.py X.cert --all        every block, every position
    python3 tools/verify.py X.cert --blocks 8 --seed 7    so many of every domain, and others

Prints a line a cell. Exit 0: all cells are confirmed; 1: something is not true; 2: it is no certificate, or a damaged
one; 3: nothing is wrong, but a cell could not be checked here, and its line says why."""
import hashlib, math, os, random, sys
try:
    import numpy as np
except ImportError as missing:  # not 1, which says that something is not true
    sys.exit(print(f"verify: numpy is needed, nothing was checked ({missing})", file=sys.stderr) or 3)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import intervals, problems, trials
from certificate import Damaged, Domain, Untrue, line, load, need, opened, run

EVERY = 10**18  # blocks
POSITIONS = 64  # of an input of reals, unless all are asked for

class Cell:
    def __init__(self, o, models):
        self.o, (self.model, self.stored) = o, opened(models[o["model"]], o["arithmetic"])
        self.chain, right, self.least = o["problem"]["answers"] == "chain", problems.read(o["problem"]), math.inf
        number = lambda v: [*self.model.said, v].index(v) if isinstance(v, str) else v  # of strings: their place among the model's words
        self.right = lambda x, *some: [number(v) for v in right(x, *some)]
        self.tolerance = o.get("tolerance")  # of reals

    def off(self, x, some=None):
        """How far the reals that come out are from those that are right, at all positions or at these."""
        rows = np.array(x, float).reshape(len(x), sum(f.width for f in self.model.fields))
        exact = self.o["arithmetic"] == "exact"  # then what is right is a fraction, too
        right = np.array(self.right(x, some) if some else self.right(x), object if exact else float)
        came = self.model.read(rows)[not exact]
        came = came[[i - 1 for i in some]] if some else came
        return np.sqrt(((came.reshape(right.shape) - right) ** 2).sum(axis=1).astype(float))

    def drawn(self, x):
        """Of long inputs of reals the positions that are looked at; None: all."""
        long = self.o["problem"]["answers"] == "all" and len(x) > POSITIONS and not self.every
        return sorted(self.rng.sample(range(1, len(x) + 1), POSITIONS)) if long else None

    def right_on(self, inputs):
        """The lines of these inputs; how many of them are wrong."""
        lines, wrong = "", 0
        for x in inputs:
            if self.tolerance is not None:
                far = self.off(x, self.drawn(x)).max()
                wrong, self.least = wrong + (not far <= self.tolerance), min(self.least, self.tolerance - far)
                continue
            right = self.right(x)
            out, margin = run(self.model, x, self.chain, self.stored[0], right)
            wrong += out != right or not margin > 0
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
            need(not self.off(x, [place + 1] if self.o["problem"]["answers"] == "all" else None)[0] <= self.tolerance, "the model is right on the input that refutes it")
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
        return intervals.Cases(self).check()

    def check(self, blocks, rng):
        o, self.every, self.rng = self.o, blocks == EVERY, rng
        need(o["evidence"] in ("exact", "sampled", "refuted", "certified"), f"evidence {o['evidence']}", Damaged)
        said = self.exact(blocks, rng) if o["evidence"] == "exact" else getattr(self, o["evidence"])()
        if o["evidence"] in ("exact", "sampled") and o["margin"] is not None:
            enough = self.least >= o["margin"] * (1 - 1e-6) - 1e-9
            need(enough, f"margin {self.least:g}, and the least is said to be {o['margin']:g}")
        return said

def main(words):
    options = dict(zip(words[1:], words[2:]))
    need(words and set(w for w in words[1:] if w.startswith("-")) <= {"--all", "--blocks", "--seed"}, __doc__, Damaged)
    rng, code, confirmed = random.Random(int(options.get("--seed", 1))), 0, 0
    c, models = load(words[0])
    blocks = EVERY if "--all" in words else int(options.get("--blocks", 2 if len(c["cells"]) <= 16 else 1))
    print(f"{words[0]}: {c['claim']}, attest {c['version']}, {c['date']}")
    for k, o in enumerate(c["cells"]):
        set_ = " ".join(f"{key}={value}" for key, value in o["parameters"].items())
        try:
            said = trials.check(o, models, blocks == EVERY) if o["evidence"] == "trial" else Cell(o, models).check(blocks, rng)
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
