"""chances.py: language models as text, in fractions (docs/ngram.md, docs/certfile.md): probabilistic automata (pfsa), probabilistic Turing
machines (ptm), tables of counts (counts); and in doubles what texts of a length have by an n-gram table. Needs nothing but Python.

    machine = chances.read({"language": "pfsa", "text": "start q\nq a q 1/2\nend q 1/2\n"})
    machine.mass()              1: what all finite words have together

Each goes from place to place: `begin` has the probability of every place to begin in, `steps(place)` a list of (letter or None, place or None:
the end, probability). What a decoder writes, a token a step, is a run."""
import math, re
from collections import Counter, defaultdict
from fractions import Fraction

class Unread(ValueError): pass

def need(condition, why):
    if not condition:
        raise Unread(why)

def lines(text):
    return [w for w in (re.sub(r"(^|\s)#.*", "", line).split() for line in text.split("\n")) if w]

def whole(of, shares):
    need(sum(shares) == 1 and all(p > 0 for p in shares), f"what goes out of {of} does not sum to 1")

class Chain:
    """Finitely many places: `begin`, `steps`."""
    def graph(self):
        """Of every place that is reached: where it leads, and how likely it ends."""
        to, todo = {}, list(self.begin)
        while todo:
            q = todo.pop()
            if q not in to:
                to[q] = self.steps(q)
                todo += [r for _, r, _ in to[q] if r is not None]
        return to

    def can_end(self):
        to, able, grown = self.graph(), set(), True
        while grown:
            more = {q for q in to if q not in able and any(r is None or r in able for _, r, _ in to[q])}
            able, grown = able | more, bool(more)
        return to, able

    def tight(self):
        to, able = self.can_end()
        return len(able) == len(to)

    def mass(self):
        """From the places that can end: x = end + steps x has one solution."""
        to, able = self.can_end()
        rows, place = [], {q: k for k, q in enumerate(sorted(able, key=str))}
        for q in place:
            row = [Fraction(0)] * (len(place) + 1)
            row[place[q]] += 1
            for _, r, p in to[q]:
                if r is None or r in able:
                    row[-1 if r is None else place[r]] += p if r is None else -p
            rows.append(row)
        for k in range(len(rows)):  # Gauss
            pivot = next(i for i in range(k, len(rows)) if rows[i][k])
            rows[k], rows[pivot] = rows[pivot], rows[k]
            rows[k] = [v / rows[k][k] for v in rows[k]]
            for i in range(len(rows)):
                if i != k and rows[i][k]:
                    rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k])]
        return sum((p * rows[place[q]][-1] for q, p in self.begin.items() if q in place), Fraction(0))

class Automaton(Chain):
    def __init__(self, text):
        self.begin, self.go = {}, defaultdict(list)
        for w in lines(text):
            if w[0] == "start":
                self.begin[w[1]] = Fraction((w[2:] or [1])[0])
            elif w[0] == "end":
                self.go[w[1]].append((None, None, Fraction((w[2:] or [1])[0])))
            elif w[0] not in ("alphabet", "states"):
                self.go[w[0]].append((w[1], w[2], Fraction((w[3:] or [1])[0])))
        whole("the beginning", self.begin.values())
        for q in self.go:
            whole(q, [p for *_, p in self.go[q]])

    def steps(self, q):
        return self.go[q]

    def written(self):
        """As a decoder writes it: a state, a letter, a state, ..."""
        def steps(place):
            if place == ():  # nothing was written
                return [(None, q, p) for q, p in self.begin.items()]
            if isinstance(place, str):  # behind a state: a letter, or the end
                by = defaultdict(Fraction)
                for letter, to, p in self.go[place]:
                    by[letter] += p
                return [(a, (place, a) if a is not None else None, p) for a, p in by.items()]
            q, a = place  # behind a state and a letter: a state
            of = [(to, p) for letter, to, p in self.go[q] if letter == a]
            return [(None, to, p / sum(p for _, p in of)) for to, p in of]
        return {(): Fraction(1)}, steps

    @staticmethod
    def letter(token):
        return None if re.fullmatch(r"\[.*\]", token) else token

class Machine:
    """q x y r p a 1/2: in q, on x, write y, go right, be in p, put out a. A place is a state, a tape and where the head is."""
    def __init__(self, text):
        self.go, self.start, self.blank = defaultdict(list), None, "_"
        for w in lines(text):
            if w[0] == "start":
                self.start = w[1]
            elif w[0] == "tape":
                self.blank = w[1]
            elif w[0] == "end":
                self.go[w[1], w[2]].append((None, Fraction((w[3:] or [1])[0])))
            elif w[0] not in ("alphabet", "states"):
                self.start = self.start or w[0]
                self.go[w[0], w[1]].append((w[2:6], Fraction((w[6:] or [1])[0])))
        for at in self.go:
            whole(at, [p for _, p in self.go[at]])

    def written(self):
        """As a decoder writes it: a token a step."""
        def steps(place):
            state, head, tape = place
            read = dict(tape).get(head, self.blank)
            out = []
            for rule, p in self.go.get((state, read), [(None, Fraction(1))]):
                if rule is None:
                    out.append((None, None, p))
                    continue
                write, move, to, letter = rule
                now = tuple(sorted({**dict(tape), head: write}.items()))
                out.append((None if letter == "-" else letter, (to, head + {"l": -1, "*": 0, "r": 1}[move], now), p))
            return out
        return {(self.start, 0, ()): Fraction(1)}, steps

    @staticmethod
    def letter(token):  # written/move/state/letter
        last = token.split("/")[-1]
        return None if last == "-" else last

class Counts(Chain):
    """order 3, alphabet a b, and of every history of at most 2 words a line `a b : 1 0 2`: how often each word follows, and the end."""
    def __init__(self, text):
        self.rows = {}
        for w in lines(text):
            if w[0] == "order":
                self.order = int(w[1])
            elif w[0] == "alphabet":
                self.words = w[1:]
            else:
                at = w.index(":")
                counts = [int(v) for v in w[at + 1:]]
                need(len(counts) == len(self.words) + 1 and sum(counts) and min(counts) >= 0, "a row of another length")
                self.rows[tuple(w[:at])] = [Fraction(v, sum(counts)) for v in counts]
        self.begin = {(): Fraction(1)}

    def history(self, words):
        return tuple(words[max(0, len(words) - self.order + 1):])

    def steps(self, q):
        *each, end = self.rows[q]
        out = [(a, self.history((*q, a)), p) for a, p in zip(self.words, each) if p]
        return out + ([(None, None, end)] if end else [])

    def after(self, text):
        """The probabilities behind a text of token numbers, the end last."""
        return self.rows[self.history([self.words[v] for v in text])]

def levels(machine):
    """Step by step of what a decoder writes: how likely (word, it has ended now) is, all runs together, and in how many places it goes on; without
    end."""
    begin, steps = machine.written()
    places = {((), place): p for place, p in begin.items()}
    while True:
        said, on = Counter(), Counter()
        for (word, place), p in places.items():
            for letter, to, q in steps(place):
                longer = word if letter is None else (*word, letter)
                said[longer, to is None] += p * q
                if to is not None:
                    on[longer, to] += p * q
        yield said, len(on)
        places = on

class Texts:
    """All texts of `length` symbols, by a table: behind every history, of at most n - 1 symbols, how likely each of them is. Then comes the end."""
    def __init__(self, rows, length):
        self.rows, self.length, self.n, self.symbols = rows, length, 1 + max(map(len, rows)), len(rows[()])
        need(all(len(row) == self.symbols and math.isclose(sum(row), 1) for row in rows.values()), "a row that does not sum to 1")

    @staticmethod
    def last(word, k):
        return word[max(0, len(word) - k):]

    def each(self):
        """Of every beginning its probability, and those of what is behind it: the symbols, the end."""
        words = {(): 1.0}
        for i in range(self.length + 1):
            further = {}
            for word, p in words.items():
                row = [*self.rows[self.last(word, self.n - 1)], 0] if i < self.length else [0] * self.symbols + [1]
                yield word, p, row
                further.update({(*word, k): p * t for k, t in enumerate(row[:-1]) if t})
            words = further

    def entropy(self):
        return -sum(p * t * math.log(t) for _, p, row in self.each() for t in row if t)

    def kl(self, logs):
        """How far from it a predictor is, which has logarithms of probabilities behind every beginning."""
        return sum(p * t * (math.log(t) - q) for word, p, row in self.each() for t, q in zip(row, logs(word)) if t)

    def loss(self, seen):
        """What a predictor loses at least that knows how many symbols there were, and the last ones of them."""
        joint, places = Counter(), Counter()
        for word, p, row in self.each():
            for k, t in enumerate(row):
                joint[len(word), self.last(word, seen), k] += p * t
                places[len(word), self.last(word, seen)] += p * t
        return -sum(p * math.log(p / places[where]) for (*where, k), p in joint.items() for where in [tuple(where)] if p > 0)

def read(o):
    kinds = {"pfsa": Automaton, "ptm": Machine, "counts": Counts}
    need(o["language"] in kinds, f"the language {o['language']} is not read here")
    return kinds[o["language"]](o["text"])
