#!/usr/bin/python3
"""verify.py: checks a certificate of attest again, without attest. Written from docs/certfile.md; needs numpy. Its own are this file (what cells
rest on) and certificate.py (the file); reference.py and inside.py run models, problems.py, chances.py and protocols.py say what is right.

    python3 tools/verify.py X.cert              of every domain a few blocks, drawn; all samples, cases and refutations (of reals at 64 positions)
    python3 tools/verify.py X.cert --all        every block, every position
    python3 tools/verify.py X.cert --blocks 8 --seed 7    so many of every domain, and others

Prints a line a cell. Exit 0: all cells are confirmed; 1: something is not true; 2: it is no certificate, or a damaged
one; 3: nothing is wrong, but a cell could not be checked here, and its line says why."""
import functools, hashlib, itertools, math, os, random, sys
from fractions import Fraction
try:
    import numpy as np
except ImportError as missing:  # not 1, which says that something is not true
    sys.exit(print(f"verify: numpy is needed, nothing was checked ({missing})", file=sys.stderr) or 3)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chances, inside, problems, protocols
from arithmetics import Interval, Undone, not_above
from certificate import Asked, Damaged, Domain, Untrue, load, need, opened

EVERY = 10**18  # blocks
POSITIONS = 64  # of an input of reals, unless all are asked for
TEXTS = 150     # that are run in fractions, likewise
KINDS = ("rule", "pair", "right", "talk", "alike", "same", "other", "sums", "mass", "ends", "place", "equal", "learnt", "shares", "exam", "moves")

class Cell(Asked):
    """Of a claim or a control; a method an evidence, which says in words what was confirmed."""
    def check(self, blocks, rng):
        o, self.blocks, self.rng, _ = self.o, blocks, rng, self.wanted  # a text that is understood, whatever the evidence
        need(o["evidence"] in ("exact", "sampled", "refuted", "certified"), f"evidence {o['evidence']}", error=Damaged)
        need(o["holds"] == (o["evidence"] != "refuted"), f"{o['evidence']}, and yet it is said {'to' if o['holds'] else 'not to'} hold")
        return getattr(self, o["evidence"])()
    def margin(self, x, lines):
        """Of the answer to an input; None: it is wrong. Its line is added to those that a digest is of."""
        if self.tolerance is not None:
            out, long = self.run(x)[0], self.answers == "all" and len(x) > POSITIONS and self.blocks < EVERY
            at = sorted(self.rng.sample(range(1, len(x) + 1), POSITIONS)) if long else ()
            margin = self.tolerance - self.far([out[i - 1] for i in at] or out, self.wanted(x, at)).max()
            return margin if margin >= 0 else None
        right = self.wanted(x)
        out, _, margin = self.run(x, right)
        lines.update((" ".join(",".join(map(str, row)) for row in right) + "\n").encode())  # if it is right, this comes out
        return margin if margin is not None and margin > 0 and self.near(out, right) else None
    def right_on(self, inputs, digests, where):
        lines, said = hashlib.sha256(), -math.inf if self.o["margin"] is None else self.o["margin"]
        margins = [self.margin(x, lines) for x in inputs]
        need(None not in margins, f"{where}: {margins.count(None)} inputs are answered wrongly")
        need(self.tolerance is not None or [lines.hexdigest()] == digests, f"{where}: other decisions than the digest is of")
        need(all(margin >= said * (1 - 1e-6) - 1e-9 for margin in margins), f"{where}: a margin is less than {said:g}, the least that is said")
    def exact(self):
        domain, size, digests = Domain(self.o["domain"]), self.o["block"], self.o["digests"]
        need(domain.count == self.o["inputs"], f"{self.o['inputs']} inputs are said, the domain has {domain.count}")
        number = -(-domain.count // size)
        need(len(digests) == number or self.tolerance is not None, "another number of digests than of blocks")
        drawn = sorted(self.rng.sample(range(number), min(self.blocks, number)))
        for b in drawn:
            self.right_on(map(domain.nth, range(b * size, min((b + 1) * size, domain.count))), digests[b:b + 1], f"block {b}")
        listed = ", which are listed: that there are no others is not shown" if domain.how == "listed" else ""
        return f"{'all' if len(drawn) == number else f'{len(drawn)} blocks of'} {domain.count} inputs{listed}"
    def sampled(self):
        self.right_on(self.o["sample"], self.o["digests"], "the sample")
        return f"{len(self.o['sample'])} inputs of a sample of {self.o['inputs']}"
    def refuted(self):
        o, x, reals = self.o, self.o["input"], self.tolerance is not None
        at = o["position"] - 1 if self.answers != "once" else 0
        out, _, margin = self.run(x)
        here = [] if margin is None else out[at:at + 1]  # no answer: that is not right either
        right = self.wanted(x, [at + 1]) if reals and self.answers == "all" else self.wanted(x)[at:at + 1]
        need(not self.near(here, right), f"the model is right at position {at + 1}")
        need(reals or self.answers == "chain" or right == [[o["expected"]]] and here == [[o["got"]]], "another answer than is said")
        return "too far off on the input that is given" if reals else "wrong on the input that is given"

    # ---- By cases: one layer of one softmax or three-wise head with one value over tokens, then layers at a position alone ---------------
    def certified(self):
        o, m = self.o, opened(self.data, "intervals")
        self.model, g, n, tokens = m, m.one_head(), o["length"], m.fields[0].size
        need(g and g["weighting"] in ("softmax", "threewise") and m.kind == "threshold", "a model of another shape", error=problems.Unknown)
        need(o["problem"]["parameters"]["N"] == n and o["tokens"] == tokens, "another size than the problem's")
        order, off = 2 if g["weighting"] == "threewise" else 1, 1e-9 + 1e-14 * g["scale"]  # keys are pairs; means: doubles here, 128 bits there
        asked, queries = [], iter(range(tokens + m.after))
        m.bounds(range(tokens), {}, lambda heads: asked.extend(self.covered(next(queries), heads.s[0, 0], heads.v[0, :, 0], n, order, off)))
        a, lo, hi, expected, means = (np.array(column) for column in zip(*asked))
        def beyond(k, mean):  # how far on its side the readout is, where the mean of values is in between
            given = Interval.of(*(np.pad(end, (0, m.after))[:, None] for end in (mean.lo, mean.hi)))
            return (m.bounds(a[k], {"block.0.attn.0.": given})[:, 0] - m.threshold) * np.where(expected[k], 1, -1)
        for k in not_above(beyond, Interval.of(*means.T)):
            need(False, f"token {a[k]}, {lo[k]}..{hi[k]} hits: not decided")
        return f"{len(o['cases'])} cases cover every input"
    def covered(self, a, scores, values, n, order, off):
        """Cases of a query of token a: they must cover every number of hits, and have the means that follow from the scores and values of its keys:
        hits, misses, and what has a hidden row in it, each so many times."""
        total, T, m, rule = n ** order, self.o["tokens"], self.model, problems.Rule(self.o["hit"]).whole()
        hit = lambda *key: rule({**self.o["problem"]["parameters"], "a": a, **dict(zip("bc", key))})
        keys = np.indices((T + m.after,) * order).reshape(order, -1)
        places, hits = np.maximum(keys - (T - 1), 0), np.broadcast_to(hit(*keys), keys[0].shape).astype(bool)  # 0: of the input, else a hidden row
        hidden = list(itertools.product(range(m.after + 1), repeat=order))[1:]
        kinds = [(places == 0).all(0) & side for side in (hits, ~hits)] + [(places.T == row).all(1) for row in hidden]
        score, value, times = scores.hulls(kinds), values.hulls(kinds), [n ** row.count(0) for row in hidden]
        weights, at = np.exp(score - score.hi.max()), int(bool(hit(a, a)))  # a position is a key of its own
        for lo, hi, expected, *said in sorted(case[1:] for case in self.o["cases"] if case[0] == a):
            need(lo <= at, f"token {a}: {at} hits are in no case")
            need(expected == (lo > 0) and not lo == 0 < hi, f"token {a}: {lo}..{hi} hits have no one answer")
            mean = Interval.mean(weights * [[some, total - some, *times] for some in (lo, hi)], value).hull()
            mean_lo, mean_hi, out_lo, out_hi = map(Fraction, said)
            near = abs(float(mean_lo) - mean.lo) <= off and abs(float(mean_hi) - mean.hi) <= off
            need(near, f"token {a}, {lo}..{hi} hits: another mean than is said")
            need(out_lo > m.threshold if expected else out_hi < m.threshold, f"token {a}: the readout that is said is not on its side")
            at = hi + 1
            yield a, lo, hi, expected, (float(mean.lo), float(mean.hi))
        need(at == total + 1 or a >= T, f"token {a}: {at} hits are in no case")

class Trial(Asked):
    """One thing that a trial shows. A method a kind: is it so that the cell must hold, and in words what was confirmed."""
    def __init__(self, o, models, cell, every):
        super().__init__(o, models)
        need(o["kind"] in KINDS, f"{o['kind']} is shown", error=Damaged)
        self.given, self.holds, self.every = cell["parameters"], cell["holds"], every
    def answered(self):
        """Of every input what comes out, as values and as the answer, and what is right: the last of them, where one side speaks of those alone."""
        for x in self.o["inputs"]:
            right, (out, values, margin) = self.wanted(x), self.run(x)
            last = slice(0 if self.answers == "chain" else -min(len(right), len(out)), None)
            yield values[last], out[last] if margin is not None else [], right[last]

    # ---- A rule; pairs of inputs; models that are right
    def rule(self):
        o = self.o
        need(all(o["parameters"][key] == value for key, value in self.given.items()), "the rule has other parameters than the question")
        return bool(problems.Rule(o["rule"]).of(o["parameters"])), "the rule is computed"
    def pair(self):
        (first, got, right), *second = self.answered()
        if not second:
            need(not self.near(got, right), "the model is right on the input that refutes it")
            return True, "one model, and the input that it answers wrongly"
        (other, _, right2), = second
        near, alike, apart = self.o.get("near", 0), [first == other], [right != right2]
        if self.answers != "chain":  # somewhere
            alike = self.far(first, other) <= near if near else [a == b for a, b in zip(first, other)]
            apart = self.far(right, right2) > 2 * (self.tolerance or 0) + near
        need(any(a and b for a, b in zip(alike, apart)), "the model tells the two inputs apart, or the same is right")
        return True, "one model, and the two inputs that it does not tell apart"
    def right(self):
        need(all(self.near(got, right) for _, got, right in self.answered()), "the model is wrong on an input")
        # where a right model is asked for; else a refuter is, which must not find anything
        return self.given.get("part") == "right", f"a model that is right on {len(self.o['inputs'])} inputs"
    def learnt(self):
        right = [self.near(out, right) for _, out, right in self.answered()]
        need(right and math.isclose(2 * self.tolerance * self.given["q"], 1), "another tolerance than 1/(2q), or no inputs")
        return all(right), f"one trained model, right on {right.count(True)} of {len(right)} inputs"

    # ---- Texts beside models, and beside others
    def same(self):
        """A model and a text that say the same of all words, or (`other`) of all but the word that is given, or some word."""
        o, n, same = self.o, self.o["lengths"], self.o["kind"] == "same"
        words = not same and o["inputs"] or problems.words(o["problem"]["alphabet"], n)
        if o["problem"]["language"] == "fom":
            need(o["arithmetic"] == problems.arithmetic_of([*n, *map(len, words)], self.given["c"]), "another arithmetic than of this length")
        says = ((self.run(x)[0], self.wanted(x)) for x in words)  # to the first that is another
        alike = all(need([None] not in out, "an output is undecided") or self.near(out, right) for out, right in says)
        need(alike == same, f"the model and its text {'differ on a word' if same else 'agree'}")
        told = f"one model and its {o['problem']['language']}, the same on {len(words)} words"
        return same, told if same else "one model, and the word on which its text is another"
    other = same
    def equal(self):
        """Two texts, the same on all words of these lengths; or not on one."""
        texts = self.o["problem"], {"language": self.o["other"]["language"], "text": "\n".join(self.o["other"]["lines"])}
        letters, others = (problems.letters(p["text"]) for p in texts)
        need(letters == others, "two alphabets")
        one, two = (problems.read({**p, "alphabet": letters, "answers": "once", "parameters": {}}) for p in texts)
        words = self.o["inputs"][:1] or problems.words(letters, self.o["lengths"])
        same = all(one(list(x)) == two(list(x)) for x in words)
        need(same != bool(self.o["inputs"]), "no word that tells them apart" if same else "a word tells them apart")
        return same, f"two texts, the same on {len(words)} words" if same else "two texts, and the word that tells them apart"
    def place(self):
        """Is a regular language star-free? Else there is a word whose powers have a period."""
        elements, free, period = problems.place(self.o["problem"]["text"], self.o["witness"])
        need(free == self.o["star_free"], f"its monoid of {elements} elements says otherwise")
        said = f"a monoid of {elements} elements, {'star-free' if free else 'and a word whose powers have its period'}"
        return free or period == self.o["period"] > 1, said

    # ---- Probabilities
    def sums(self):
        """Runs of a machine and texts of a decoder, step by step: what has ended with each word, and what goes on behind each beginning."""
        machine, most, run, next_ = chances.read(self.o["problem"]), self.o["lengths"][1], 0, 1  # texts
        theirs, ours = chances.levels(machine), chances.levels(self.model.decoder([machine.letter(t) for t in self.o["problem"]["alphabet"]]))
        for n in range(most + 1):
            if self.holds and not self.every and n and run + next_ > TEXTS:
                return True, f"the fractions of the machine for the first {n} tokens of {most}: {run} texts were run"
            wanted, (got, more) = next(theirs)[0], next(ours)
            if wanted != got:  # of a Counter what is 0 is none
                return False, f"other probabilities than the machine's behind {n} tokens"
            run, next_ = run + next_, more
        return True, f"the fractions of the machine for all {run} texts of up to {most} tokens"
    def mass(self):
        machine, o = chances.read(self.o["problem"]), self.o
        mass, tight, texts = machine.mass(), machine.tight(), problems.words(o["problem"]["alphabet"], o["lengths"]) if "model" in o else []
        need(tight == (mass == 1) and tight == o["tight"] and mass == Fraction(o["mass"]), f"the sum is {mass}")
        need(all(list(self.model.behind(x)) == machine.after(x) for x in texts), "the model has other probabilities than its table")
        return tight or not o["must"], f"its sentences sum to {mass}" + (f"; the same table, by {len(texts)} texts run" if texts else "")
    def ends(self):
        least, texts = opened(self.data, "anywhere").least(-1), problems.words(self.o["problem"]["alphabet"], self.o["lengths"])
        said = -math.inf if self.o["least"] is None else self.o["least"]
        need(math.isclose(said, least, rel_tol=1e-6, abs_tol=1e-6), f"the end has at least 10^{least:.3f}")
        need(all(np.log10(self.model.behind(x)[-1]) >= least for x in texts), "an end that is less likely than the bound")
        bound = f"has at least 10^{least:.1f}, and {len(texts)} texts" if least > -math.inf else "has no bound"
        return least > -math.inf, f"one model whose end {bound}"

    # ---- Trained models
    def shares(self):
        """How far a decoder is from an n-gram model over all texts, in KL, and what no predictor that sees n - 2 symbols gets below."""
        o, texts = self.o, chances.Texts({tuple(h): p for h, p in self.o["table"]}, self.o["length"])
        asked, window = (texts.n, texts.symbols, texts.length, o["share"]), o["window"] if o["window"] >= 0 else texts.length
        same = asked == tuple(self.given[k] for k in ("n", "symbols", "N", "share")) and (o["window"] == texts.n - 2) == bool(self.given["short"])
        need(same and o["window"] in (-1, texts.n - 2), "another question")
        behind = functools.lru_cache(None)(lambda text: inside.logs(self.model.behind(text)))  # <pad> <bos> <eos> are tokens 0 1 2
        def says(word):
            z = behind((1, *(v + 3 if k >= len(word) - window else 0 for k, v in enumerate(word))))
            return [*z[3:], z[2]]
        kl, gap = texts.kl(says) / (texts.length + 1), (texts.loss(texts.n - 2) - texts.entropy()) / (texts.length + 1)
        near = math.isclose(kl, o["kl"], rel_tol=1e-3, abs_tol=1e-6) and math.isclose(gap, o["gap"], rel_tol=1e-6, abs_tol=1e-9)
        need(near, f"KL {kl:.4g}, and {gap:.4g} is lost with one symbol less")
        return kl <= o["share"] * gap, f"one trained model: KL {kl:.3g} over all texts; one symbol less loses {gap:.3g}"
    def exam(self):
        """Prompts that end in <sep> (token 1); a completion ends in <sep>, the answer (0 is token 3), <eos> (token 2)."""
        o, ends = self.o, [self.model.says(x, True)[::2] for x in self.o["inputs"]]
        count = sum(margin is not None and out[-3:] == [[1], [3 + self.wanted(x)[0][0]], [2]] for x, (out, margin) in zip(o["inputs"], ends))
        need(o["inputs"] and o["share"] == 0.9, "another share than 90%")
        need(abs(count - o["right"]) <= len(o["inputs"]) / 100, f"{count} prompts are answered rightly")  # f32 there, f64 here
        return (count >= o["share"] * len(o["inputs"])) == o["enough"], f"one trained model, right on {count} of {len(o['inputs'])} prompts"
    def moves(self):
        """Pairs of words that differ in one letter: how far it moves the answer, and their cross entropy. That the bound is one is not shown."""
        o, (a, b), moved, loss = self.o, self.o["rows"], 0, math.inf
        for x, y, *right in zip(o["inputs"][::2], o["inputs"][1::2], o["right"][::2], o["right"][1::2]):
            need([i for i in range(len(x)) if x[i] != y[i]] == [o["letter"] - 1] and len(x) == len(y), "words that differ in more than a letter")
            z = [self.model.read(w)[0][-1] for w in (x, y)]
            one, two = (v[a] - (v[b] if b >= 0 else 0) for v in z)
            moved, loss = max(moved, abs(one - two)), min(loss, sum(-inside.logs(v)[r] for v, r in zip(z, right)) / 2 if b >= 0 else math.inf)
        wide, more = (math.inf, 0) if o["range"] is None else (o["range"], o["range"])
        within = moved <= o["bound"] + 1e-10 * (1 + more) and loss >= o["nats"] - 1e-12
        need(o["nats"] <= math.log1p(math.exp(-o["bound"] / 2)), "a larger loss than follows from the bound")
        said = f"one model: letter {o['letter']} moves it by {moved:.2g}, bound {o['bound']:.2g} of {wide:.2g}"
        return within and (o["bound"] < wide * (1 - 2**-20) or not o["must"]), said

    # ---- Protocols
    def alike(self):
        """Two runs in which party 0 has the same rows: it says the same bits, or (a control) does not."""
        (x, y), (one, two) = self.o["inputs"], self.o["talks"]
        mine = [[row for row, who in zip(z, t["owner"]) if who == 0] for z, t in ((x, one), (y, two))]
        need(mine[0] == mine[1] and x != y and one["owner"] == two["owner"], "other rows of party 0")
        for z, t in (x, one), (y, two):
            need(self.talk({**t, "inputs": [z]})[0], "another readout than the model's")
        said = [[message for message in t["messages"] if message["from"] == 0] for t in (one, two)]
        need((said[0] == said[1]) == self.o["alike"], "other bits of party 0 than is said")
        return self.o["alike"], f"two runs, party 0 says {'the same' if self.o['alike'] else 'other bits'}"
    def talk(self, o=None):
        """What parties say of sums over their own keys, bit by bit."""
        o, total, rounds = o or self.o, np.zeros(3, int), False
        shared = protocols.Shared(self.model, o["inputs"][0], o["owner"], o["asked"])
        same = np.array_equal(shared.value[o["first"]:][:o["positions"]].ravel(), np.array(o["value"], float), equal_nan=True)
        need(same == o["same"], "another readout than is said")
        need(shared.splits(), "choices in messages", error=problems.Unknown)
        for message in o["messages"]:
            k, *parties, asks, peaks, adds = (message[key] for key in ("block", "from", "to", "query", "peak", "sum"))
            (queries, maxima, sums), total = shared.read(message, o["A"]), total + [asks, peaks, adds]
            if o["rounded"] and k:  # behind rounded sums the rows are others than the model's
                continue
            need(not asks or queries == shared.queries(k, parties[0]), "other queries than the model's")
            fits = [len(maxima) == len(tops) and all(v in two for v, two in zip(maxima, tops)) for tops in shared.maxima(k, *parties)]
            need(not peaks or any(fits), "other maxima than of scores")
            if adds:
                need(o["A"] == shared.sum_bits(k), "another length of a sum")
                mine = shared.sums(k, *parties)
                rounded = [Fraction(self.model.num.near(c)) for c in mine]
                need(sums == (rounded if o["rounded"] else mine), "other sums than those over the sender's keys")
                rounds = rounds or rounded != mine
        need([*total] == [o["query_bits"], o["peak_bits"], o["sum_bits"]], "another number of bits")
        need(same or o["rounded"] and rounds, "nothing was rounded, and yet the readout is another")
        return same, f"a run of {sum(total)} bits in {len(o['messages'])} messages"

def shown(o, models, every=False):
    """What a trial shows, in words."""
    need(o["shown"] and o["role"] in ("claim", "control"), "nothing is shown", error=Damaged)
    sentences = {(w["model"], w["problem"]["text"]) for w in o["shown"] if w.get("problem", {}).get("language") == "fom"}
    need(len(sentences) == len({model for model, _ in sentences}), "one model, and two sentences")
    verdicts = [getattr(Trial(w, models, o, every), w["kind"])() for w in o["shown"]]
    for holds, said in verdicts:
        need(bool(holds) == o["holds"], f"{said}: and yet it is said {'to' if o['holds'] else 'not to'} hold")
    return f"{verdicts[0][1]}{f', and {len(verdicts) - 1} more' if verdicts[1:] else ''}; {o['note']}"

def main(words):
    options = dict(zip(words[1:], words[2:]))
    need(words and set(w for w in words[1:] if w.startswith("-")) <= {"--all", "--blocks", "--seed"}, __doc__, error=Damaged)
    rng, codes = random.Random(int(options.get("--seed", 1))), []
    c, models = load(words[0])
    blocks = EVERY if "--all" in words else int(options.get("--blocks", 2 if len(c["cells"]) <= 16 else 1))
    need(c["cells"], "there are no cells", error=Damaged)
    print(f"{words[0]}: {c['claim']}, attest {c['version']}, {c['date']}")
    for o in c["cells"]:
        try:
            said = shown(o, models, blocks == EVERY) if o["evidence"] == "trial" else Cell(o, models).check(blocks, rng)
            verdict, code = "confirmed", 0
        except (Untrue, problems.Unknown, Undone) as why:
            said, (verdict, code) = why, ("NOT TRUE", 1) if isinstance(why, Untrue) else ("not checked", 3)
        codes.append(code)
        print(f"{verdict}: {o['role']} {o['evidence']} {' '.join(f'{key}={value}' for key, value in o['parameters'].items())}: {said}")
    print(f"{codes.count(0)} of {len(codes)} cells confirmed", f"; {len(c['left_out'])} are not in the certificate" if c["left_out"] else "", sep="")
    return 1 if 1 in codes else max(codes)

if __name__ == "__main__":
    np.seterr(all="ignore")
    try:
        sys.exit(main(sys.argv[1:]))
    except (Damaged, ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as refusal:
        sys.exit(print(f"{sys.argv[1] if sys.argv[1:] else 'verify'}: {refusal}", file=sys.stderr) or 2)
