"""majority.py: sentences of first-order logic with majority, FOM[BIT], as docs/logic.md has them: does one hold of a word? Needs numpy.

    majority.Sentence("(some (x0) Q_1(x0))", ["0", "1"]).answer(["0", "1"])      True

Positions are 0..n-1. A formula is asked for many assignments at once: a variable is an array, an entry a row. Tuples are listed where they
must be; but parts that have no variable in common are counted apart and multiplied, alternatives of which no two can hold are added, and below
the number x.. there are x.. many."""
import functools, itertools, re
import numpy as np
from regular import Unknown, need

MOST, LISTED, CHUNK = 2**62, 2**22, 2**20  # tuples that are counted, and listed one by one; rows that are looked at at once

def parsed(text):
    """Lists: ["and", f, g], ["Q", a, x], ["<", [x, ..], [y, ..]], ["some", [x, ..], f], ["more", [x, ..], f, g] ..."""
    tokens = re.findall(r"Q_[^\s()]+\(x\d+\)|BIT\(x\d+, x\d+\)|[()]|[^\s()]+", text)
    def one():
        t = tokens.pop(0)
        if t != "(":
            return ["Q", *re.fullmatch(r"Q_(.+)\((x\d+)\)", t).groups()] if t[0] == "Q" else ["BIT", *re.findall(r"x\d+", t)] if t[0] == "B" else t
        f = []
        while tokens[0] != ")":
            f.append(one())
        tokens.pop(0)
        at = f.index("<") if "<" in f else 0
        return ["<", f[:at], f[at + 1:]] if at else f
    f = one()
    need(not tokens, "a sentence goes on behind its end")
    return f

class Part:
    """op, the variables it is about (x, y), parts; free: variables; reads: letters are asked for."""
    def __init__(self, f):
        self.op, *of = f if isinstance(f, list) else [f]
        need(self.op in ("true", "Q", "BIT", "<", "not", "and", "or", "some", "more"), f"{self.op!r} is no part of a sentence")
        self.letter = of.pop(0) if self.op == "Q" else None
        lists = {"<": of, "some": of[:1], "more": of[:1], "Q": [of], "BIT": [[v] for v in of]}.get(self.op, [])
        self.x, self.y = (lists + [[], []])[:2]
        self.parts = [Part(p) for p in (of[1:] if self.op in ("some", "more") else [] if lists else of)]
        inside = frozenset().union(*(p.free for p in self.parts))
        self.free = inside - set(self.x) if self.op in ("some", "more") else inside | set(self.x) | set(self.y)
        self.reads = self.op == "Q" or any(p.reads for p in self.parts)

    def conjuncts(self):
        return [c for p in self.parts for c in p.conjuncts()] if self.op == "and" else [self]

    def alternatives(self):
        return [a for p in self.parts for a in p.alternatives()] if self.op == "or" else [self]

def arithmetic(lengths, c):
    """In which one words of one length n are run: at ceil(c log2 n) bits, at least 2. There is none for more lengths."""
    n, *more = set(lengths)
    return None if more else f"q{max(2, (n ** c - 1).bit_length())}e5"

class Sentence:
    def __init__(self, text, alphabet):
        self.root, self.alphabet, self.known = Part(parsed(text)), alphabet, {}

    def answer(self, word):
        self.n, self.word = len(word), np.array([self.alphabet.index(a) for a in word], int)
        return bool(self.holds(self.root, {}, 1)[0])

    @staticmethod
    def some(rows, names, which):
        """Of these variables the rows `which`; one that has the same value in all rows is one entry."""
        return {v: rows[v] if rows[v].size == 1 else rows[v][which] for v in names}

    def number(self, digits, rows):
        return functools.reduce(lambda v, x: v * self.n + rows[x].astype(np.int64), digits, np.int64(0))

    def holds(self, f, rows, R):
        """Of each of R rows: is f true there?"""
        of = sorted(f.free)
        key = f, self.n, R, self.word.tobytes() if f.reads else None, *(rows[v].tobytes() for v in of)
        if f.op in ("some", "more") and key in self.known:
            return self.known[key]
        if f.op == "<":
            is_ = self.number(f.x, rows) < self.number(f.y, rows)
        elif f.op == "Q":
            is_ = self.word[rows[f.x[0]]] == self.alphabet.index(f.letter)
        elif f.op == "BIT":
            is_ = rows[f.x[0]].astype(np.int64) >> rows[f.y[0]] & 1 == 1
        elif f.op == "not":
            is_ = ~self.holds(f.parts[0], rows, R)
        elif f.op == "some":
            is_ = self.count(f.parts[0], f.x, rows, R) > 0
        elif f.op == "more":
            is_ = self.count(f.parts[0], f.x, rows, R) > self.count(f.parts[1], f.x, rows, R)
        else:  # true, and, or: what is settled is not looked into
            is_ = np.full(R, f.op != "or")
            for p in f.parts:
                left = np.flatnonzero(is_ == (f.op == "and"))
                if left.size:
                    is_[left] = self.holds(p, self.some(rows, p.free, left), left.size)
        is_ = np.broadcast_to(is_, R)
        if f.op in ("some", "more"):
            self.known[key] = is_
        return is_

    def count(self, f, x, rows, R):
        """Of each row: how many tuples x.. satisfy f."""
        need(self.n ** len(x) < MOST, f"tuples of {len(x)} positions of {self.n}", Unknown)
        if not self.n:
            return np.full(R, not x and self.holds(f, rows, R))
        parts = [a.conjuncts() for a in f.alternatives()]
        apart = all(self.apart(a, b, x, rows, R) for a, b in itertools.combinations(parts, 2))
        if not apart:
            return self.listed([f], x, rows, R)
        return sum((self.product(p, x, rows, R) for p in parts), np.zeros(R, np.int64))

    def apart(self, a, b, x, rows, R):
        """No tuple satisfies both: one variable tells."""
        about = lambda parts, v: [c for c in parts if c.free & set(x) == {v}]
        for v in x:
            if about(a, v) and about(b, v):
                both = about(a, v) + about(b, v)
                if not self.listed(both, [v], rows, R).any():
                    return True
        return False

    def product(self, parts, x, rows, R):
        """Conjuncts that share variables are a group; variables in none are free."""
        total, groups, left = np.full(R, 1, np.int64), [], set(x)
        for c in parts:
            mine, of = set(c.free & set(x)), [c]
            for g in [g for g in groups if mine and g[0] & mine]:
                groups.remove(g)
                mine, of = mine | g[0], g[1] + of
            groups.append((mine, of))
        for mine, of in sorted(groups, key=lambda g: len(g[0])):
            left -= mine
            on = np.flatnonzero(total)
            some = self.some(rows, frozenset().union(*(c.free for c in of)) - mine, on)
            total[on] *= self.below(of[0], mine, some) if self.plain(of, mine) else self.listed(of, sorted(mine), some, on.size)
        return total * self.n ** len(left)

    @staticmethod
    def plain(of, mine):
        """Is it one comparison of a tuple of these variables, each once, with a number that is known?"""
        c = of[0].parts[0] if of[0].op == "not" else of[0]
        sides = [s for s in (c.x, c.y) if set(s) == mine and len(s) == len(mine)]
        return len(of) == 1 and c.op == "<" and len(sides) == 1 and not (set(c.x) & mine and set(c.y) & mine)

    def below(self, f, mine, rows):
        c, no = (f.parts[0], True) if f.op == "not" else (f, False)
        left = set(c.x) == mine
        number, all = self.number(c.y if left else c.x, rows), self.n ** len(mine)
        less = number if left else all - 1 - number
        return all - less if no else less

    def listed(self, parts, x, rows, R):
        """Conjunct by conjunct: its variables are listed, and rows in which it is true go on. Rows that are alike are one row."""
        if not parts:
            return np.full(R, self.n ** len(x))
        first, *rest = sorted(parts, key=lambda c: len(c.free & set(x)))
        names = sorted(frozenset().union(*(c.free for c in parts)) - set(x))
        _, alike, where = np.unique(np.broadcast_to(self.number(names, rows), R), return_index=True, return_inverse=True)
        rows, R, more = self.some(rows, names, alike), alike.size, sorted(first.free & set(x))
        size, total = self.n ** len(more), np.zeros(alike.size, np.int64)
        need(size <= LISTED, f"{size} tuples to list", Unknown)
        digits = np.stack(np.unravel_index(np.arange(size), (self.n,) * len(more))).astype(np.int8) if more else []
        step = max(1, CHUNK // size)
        for start in range(0, R, step):
            count = min(step, R - start)
            now = {v: r if r.size == 1 else np.repeat(r[start:start + count], size) for v, r in rows.items()}
            now.update((v, np.tile(d, count)) for v, d in zip(more, digits))
            true = np.flatnonzero(self.holds(first, now, count * size))
            found = self.listed(rest, [v for v in x if v not in more], self.some(now, now, true), true.size)
            ends = np.searchsorted(true, np.arange(count + 1) * size)
            total[start:start + count] = np.diff(np.concatenate([[0], np.cumsum(found)])[ends])
        return total[where]
