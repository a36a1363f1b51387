"""trials.py: what trials show (docs/certfile.md): a rule, pairs of inputs, runs of protocols, texts beside models, sums of fractions.

    trials.check(cell, models)      in words what was confirmed; certificate.Untrue: it is not so"""
import functools, itertools, math
from collections import Counter
from fractions import Fraction
import numpy as np
import chances, intervals, problems
from certificate import Damaged, need, opened, run

KINDS = ("rule", "pair", "right", "talk", "alike", "same", "other", "sums", "mass", "ends", "place", "equal", "learnt", "shares", "exam", "moves")
TEXTS = 150  # that are run in fractions, unless all are asked for

class Shown:
    """One thing that a trial shows; a method a kind."""
    def __init__(self, o, cell, models, every):
        self.o, self.cell, self.every = o, cell, every
        need(o["kind"] in KINDS, f"{o['kind']} is shown", Damaged)
        if "model" in o:
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
        if self.o["problem"]["language"] == "fom":  # words of n letters are run at ceil(c log2 n) bits
            n, most = self.o["lengths"]
            bits = max(2, (n ** self.cell["parameters"]["c"] - 1).bit_length())
            need(n == most and all(len(x) == n for x in words) and self.o["arithmetic"] == f"q{bits}e5", "another arithmetic than of this length")
        right = problems.read(self.o["problem"])
        return (run(self.model, list(x), False)[0] == right(list(x)) for x in words)

    def same(self):
        words = self.words(len(self.o["problem"]["alphabet"]))
        need(self.cell["holds"] and words, "a model and its text are shown for what does not hold")
        need(all(self.beside(words)), "the model and its text differ on a word")
        return f"one model and its {self.o['problem']['language']}, the same on {len(words)} words"

    def other(self):
        words = self.o["inputs"] or self.words(len(self.o["problem"]["alphabet"]))  # none is given: one of these
        need(not self.cell["holds"] and not all(self.beside(words)), "the model says what its text does")
        return "one model, and the word on which its text is another"

    def place(self):
        """Is a regular language star-free: no element of the monoid of its least automaton has a period. Else a word that has one."""
        o, text = self.o, self.o["problem"]["text"]
        of = problems.Regex(text, problems.letters(text))
        go, _ = of.least()
        elements = problems.monoid(go)
        free = all(problems.period(f) == 1 for f in elements)
        power = tuple(functools.reduce(lambda q, c: go[q][c], o["witness"], q) for q in range(len(go)))
        stands = free or problems.period(power) == o["period"] > 1
        need(free == o["star_free"] and stands == self.cell["holds"], f"its monoid of {len(elements)} elements says otherwise")
        return f"a monoid of {len(elements)} elements, {'star-free' if free else 'and a word whose powers have its period'}"

    def equal(self):
        """Two texts, the same on all words of these lengths; or not on one."""
        o, text = self.o, "\n".join(self.o["other"]["lines"])
        letters = problems.letters(text)
        need(letters == problems.letters(o["problem"]["text"]), "two alphabets")
        sides = [problems.read({**p, "alphabet": letters, "answers": "once", "parameters": {}})
                 for p in (o["problem"], {"language": o["other"]["language"], "text": text})]
        if o["inputs"]:
            need(not self.cell["holds"] and sides[0](o["inputs"][0]) != sides[1](o["inputs"][0]), "no word that tells them apart")
            return "two texts, and the word that tells them apart"
        words = self.words(len(letters))
        need(self.cell["holds"] and all(sides[0](list(x)) == sides[1](list(x)) for x in words), "a word tells them apart")
        return f"two texts, the same on {len(words)} words"

    def words(self, letters):
        least, most = self.o["lengths"]
        return [x for n in range(least, most + 1) for x in itertools.product(range(letters), repeat=n)]

    def row(self, text):
        """What a language model says of the next token, the end last."""
        return list(self.model.read(np.array(text, float).reshape(len(text), 1))[0][-1])

    def sums(self):
        """Runs of a machine and texts of a decoder, step by step: what has ended with each word, and what goes on behind each beginning."""
        machine, most, texts = chances.read(self.o["problem"]), self.o["lengths"][1], {(): Fraction(1)}
        letters, followed = [machine.letter(t) for t in self.o["problem"]["alphabet"]], 0
        spelled = lambda text: tuple(letters[t] for t in text if letters[t] is not None)
        for n, wanted in zip(range(most + 1), chances.levels(machine)):
            if self.cell["holds"] and not self.every and n and followed + len(texts) > TEXTS:
                return f"the fractions of the machine for the first {n} tokens of {most}: {followed} texts were run"
            followed, got, further = followed + len(texts), Counter(), {}
            for text, p in texts.items():
                *row, end = self.row(text)
                got[spelled(text), True] += p * end
                for t, q in enumerate(row):
                    if q:
                        further[(*text, t)] = p * q
                        got[spelled((*text, t)), False] += p * q
            if wanted != got:  # of a Counter what is 0 is none
                need(not self.cell["holds"], f"behind {n} tokens the probabilities are others")
                return f"other probabilities than the machine's behind {n} tokens"
            texts = further
        need(self.cell["holds"], "the probabilities are the machine's")
        return f"the fractions of the machine for all {followed} texts of up to {most} tokens"

    def mass(self):
        machine, o = chances.read(self.o["problem"]), self.o
        mass, tight = machine.mass(), machine.tight()
        need(tight == (mass == 1) and tight == o["tight"] and mass == Fraction(o["mass"]), f"the sum is {mass}")
        need(self.cell["holds"] == (tight or not o["must"]), "another verdict than its sum has")
        texts = self.words(len(o["problem"]["alphabet"])) if "model" in o else []
        need(all(self.row(x) == machine.after(x) for x in texts), "the model has other probabilities than its table")
        return f"its sentences sum to {mass}" + (f"; the same table, by {len(texts)} texts run" if texts else "")

    def ends(self):
        least = intervals.end_least(self.model, self.stored)
        if least is None:
            need(not self.cell["holds"] and self.o["least"] is None, "nothing bounds the end")
            return "one model whose end has no bound"
        need(self.cell["holds"] and abs(least - self.o["least"]) <= 1e-6 * (1 + abs(least)), f"the end has at least 10^{least:.3f}")
        texts = self.words(len(self.o["problem"]["alphabet"]))
        need(all(math.log10(self.row(x)[-1]) >= least for x in texts), "an end that is less likely than the bound")
        return f"one model whose end has at least 10^{least:.1f}, and {len(texts)} texts"

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
        asked = self.cell["parameters"].get("part") == "right"  # else a refuter is asked, which must not find anything
        need(self.cell["holds"] == asked, "a right model is shown for what holds, or a wrong one that is asked for")
        for _, got, right in self.answers():
            near = len(got) == len(right) and all(self.far(a, b) <= self.o.get("tolerance", 0) for a, b in zip(got, right))
            need(near, "the model is wrong on an input")
        return f"a model that is right on {len(self.o['inputs'])} inputs"

    # ---- Trained models
    def learnt(self):
        o, right = self.o, []
        need(math.isclose(2 * o["tolerance"] * self.cell["parameters"]["q"], 1), "another tolerance than 1/(2q)")
        for _, got, wanted in self.answers():
            right.append(len(got) == len(wanted) and all(self.far(a, b) <= o["tolerance"] for a, b in zip(got, wanted)))
        need(right and all(right) == self.cell["holds"], f"{right.count(False)} of {len(right)} inputs are answered wrongly")
        return f"one trained model, right on {right.count(True)} of {len(right)} inputs"

    def shares(self):
        """How far a decoder is from an n-gram model over all texts, in KL, and what no predictor that sees n - 2 symbols gets below."""
        o, given, table = self.o, self.cell["parameters"], {tuple(h): p for h, p in self.o["table"]}
        n, S, N = 1 + max(map(len, table)), len(table[()]), o["length"]
        same = (n, S, N, o["share"]) == tuple(given[k] for k in ("n", "symbols", "N", "share")) and (o["window"] == n - 2) == bool(given["short"])
        need(same and all(math.isclose(sum(p), 1) for p in table.values()) and o["window"] in (-1, n - 2), "another question")
        at = lambda word, k: word[max(0, len(word) - k):]
        @functools.lru_cache(None)
        def logs(tokens):
            z = self.model.read(np.array(tokens, float).reshape(len(tokens), 1), last=True)[0][-1]
            return z - z.max() - math.log(np.exp(z - z.max()).sum())
        kl, entropy, joint, words = 0, 0, Counter(), {(): 1.0}
        for i in range(N + 1):  # <pad> <bos> <eos> are tokens 0 1 2; behind N symbols comes the end
            further = {}
            for word, p in words.items():
                true = [0, 0, 0, *table[at(word, n - 1)]] if i < N else [0, 0, 1] + [0] * S
                hidden = i - o["window"] if o["window"] >= 0 else 0
                q = logs((1, *(v + 3 if k >= hidden else 0 for k, v in enumerate(word))))
                entropy -= sum(p * t * math.log(t) for t in true if t)
                kl += sum(p * t * (math.log(t) - q[k]) for k, t in enumerate(true) if t)
                for k, t in enumerate(true):
                    joint[i, at(word, n - 2) if n > 2 else (), k] += p * t
                further.update({(*word, k - 3): p * t for k, t in enumerate(true) if t and k > 2})
            words = further
        seen = Counter()
        for (*where, k), p in joint.items():
            seen[tuple(where)] += p
        loss = -sum(p * math.log(p / seen[tuple(where)]) for (*where, k), p in joint.items() if p > 0)
        kl, gap = kl / (N + 1), (loss - entropy) / (N + 1)
        near = math.isclose(kl, o["kl"], rel_tol=1e-3, abs_tol=1e-6) and math.isclose(gap, o["gap"], rel_tol=1e-6, abs_tol=1e-9)
        need(near, f"KL {kl:.4g}, and {gap:.4g} is lost with one symbol less")
        need((kl <= o["share"] * gap) == self.cell["holds"], "another verdict than its KL has")
        return f"one trained model: KL {kl:.3g} over all texts; one symbol less loses {gap:.3g}"

    def exam(self):
        """Prompts that end in <sep> (token 1); a completion ends in <sep>, the answer (0 is token 3), <eos> (token 2)."""
        o, right, count = self.o, problems.read(self.o["problem"]), 0
        for x in o["inputs"]:
            out, _, why = self.model.generate(np.array(x, float).reshape(len(x), 1))
            count += why is None and [int(v) for v in out[-3:, 0]] == [1, 3 + right(x)[0], 2]
        need(o["share"] == 0.9, "another share than 90%")
        need(abs(count - o["right"]) <= len(o["inputs"]) / 100, f"{count} prompts are answered rightly")  # f32 there, f64 here
        need(o["inputs"] and ((count >= o["share"] * len(o["inputs"])) == o["enough"]) == self.cell["holds"], "another verdict than the exam has")
        return f"one trained model, right on {count} of {len(o['inputs'])} prompts"

    def moves(self):
        """Pairs of words that differ in one letter: how far it moves the answer, and their cross entropy. That the bound is one is not shown."""
        o, (a, b), moved, loss = self.o, self.o["rows"], 0, math.inf
        for x, y, *right in zip(o["inputs"][::2], o["inputs"][1::2], o["right"][::2], o["right"][1::2]):
            need([i for i in range(len(x)) if x[i] != y[i]] == [o["letter"] - 1] and len(x) == len(y), "words that differ in more than a letter")
            z = [self.model.read(np.array(w, float).reshape(len(w), 1))[0][-1] for w in (x, y)]
            delta = [v[a] - (v[b] if b >= 0 else 0) for v in z]
            moved = max(moved, abs(delta[0] - delta[1]))
            if b >= 0:
                loss = min(loss, sum(v.max() + math.log(np.exp(v - v.max()).sum()) - v[r] for v, r in zip(z, right)) / 2)
        wide = math.inf if o["range"] is None else o["range"]
        within = moved <= o["bound"] + 1e-10 * (1 + (o["range"] or 0)) and loss >= o["nats"] - 1e-12
        need(o["nats"] <= math.log1p(math.exp(-o["bound"] / 2)), "a larger loss than follows from the bound")
        need((within and (o["bound"] < wide * (1 - 2**-20) or not o["must"])) == self.cell["holds"], f"a letter moves the answer by {moved:.4g}")
        return f"one model: letter {o['letter']} moves it by {moved:.2g}, bound {o['bound']:.2g} of {wide:.2g}"

    def alike(self):
        """Two runs in which party 0 has the same rows: it says the same bits, or (a control) does not."""
        o = self.o
        one, two = ([row for row, who in zip(x, t["owner"]) if who == 0] for x, t in zip(o["inputs"], o["talks"]))
        need(one == two and o["inputs"][0] != o["inputs"][1] and o["talks"][0]["owner"] == o["talks"][1]["owner"], "other rows of party 0")
        for x, t in zip(o["inputs"], o["talks"]):
            self.talk({**t, "inputs": [x]}, True)
        said = [[message for message in t["messages"] if message["from"] == 0] for t in o["talks"]]
        need((said[0] == said[1]) == o["alike"] == self.cell["holds"], "other bits of party 0 than is said")
        return f"two runs, party 0 says {'the same' if o['alike'] else 'other bits'}"

    def talk(self, o=None, holds=None):
        """What parties say of sums over their own keys, bit by bit (docs/protocols.md)."""
        o, holds = o or self.o, self.cell["holds"] if holds is None else holds
        m, x = self.model, o["inputs"][0]
        look, m.look = [], lambda *seen: look.append(seen)
        value = m.read(np.array(x, float).reshape(len(x), -1))[0][o["first"]:o["first"] + o["positions"]]
        m.look, p, e = lambda *seen: None, m.num.p, m.num.e
        same = np.array_equal(value.ravel(), np.array(o["value"], float), equal_nan=True)
        need(same == o["same"] == holds, "another readout than is said")
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
                seen = [np.asarray(q) for _, q, *_ in groups[k]]
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
                            mine += [c for h in range(len(w)) for c in self.totals(w[h], np.asarray(v)[h])]
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
    def totals(w, v):
        """The denominator and the numerators, exactly."""
        return [sum((Fraction(a) for a in w), Fraction(0))] + [sum((Fraction(a) * Fraction(b) for a, b in zip(w, column)), Fraction(0)) for column in v.T]

def number(code, p, e):
    """From its bits: mantissa without its first bit, exponent field, sign."""
    mantissa, field, sign = code & (1 << p - 1) - 1, code >> p - 1 & (1 << e) - 1, code >> p - 1 + e
    if field == (1 << e) - 1:
        return math.nan if mantissa else math.inf * (1 - 2 * sign)
    low = 3 - 2 ** (e - 1) - p  # exponent of the smallest number
    return (1 - 2 * sign) * math.ldexp(mantissa + (1 << p - 1 if field else 0), low + max(field, 1) - 1)

def check(o, models, every=False):
    need(o["shown"] and o["role"] in ("claim", "control"), "nothing is shown", Damaged)
    sentences = {(w["model"], w["problem"]["text"]) for w in o["shown"] if w.get("problem", {}).get("language") == "fom"}
    need(len(sentences) == len({model for model, _ in sentences}), "one model, and two sentences")
    said = [getattr(Shown(w, o, models, every), w["kind"])() for w in o["shown"]]
    return f"{said[0]}{f', and {len(said) - 1} more' if said[1:] else ''}; {o['note']}"
