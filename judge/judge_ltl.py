#!/usr/bin/python3
"""Formulas of temporal logic, judged by MONA.

    judge_ltl.py FILE      what judge_ltl wrote; exit 1 unless MONA agrees with attest

A formula is read here by the tables of docs/languages.md, and said in WS1S, operator by operator,
by its definition. MONA makes an automaton of that, which must give attest's verdict on every word of FILE. Wrong
formulas are judged, too: one operator or letter changed, the other semantics, read at another place. Where MONA's two
automata differ on a word that is short enough, the wrong one must be rejected.
"""
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ONE = ("!", "Y", "Z", "O", "H", "X", "N", "F", "G")
TWO = ("S", "U", "W", "R")
WEAKEST_FIRST = ("<->", "->", "|", "&")
LONGEST = 8

# ---- formulas: (operator, part, ...); ("letter", c), ("true",), ("mod", m, r) --------------------------------------


class Reader:
    def __init__(self, text):
        self.tokens, self.at = re.findall(r"<->|->|!=|\w+|\S", text), 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if wanted and token != wanted:
            raise ValueError("%s, not %s" % (wanted, token))
        self.at += 1
        return token

    def whole(self):
        x = self.join(0)
        if self.peek():
            raise ValueError("%s is left" % self.peek())
        return x

    def join(self, level):
        """<-> & | gather from the left, -> from the right."""
        if level == len(WEAKEST_FIRST):
            return self.since()
        sign = WEAKEST_FIRST[level]
        x = self.join(level + 1)
        while self.peek() == sign:
            self.take()
            x = (sign, x, self.join(level if sign == "->" else level + 1))
        return x

    def since(self):
        x = self.prefix()
        return (self.take(), x, self.since()) if self.peek() in TWO else x

    def prefix(self):
        return (self.take(), self.prefix()) if self.peek() in ONE else self.atom()

    def atom(self):
        token = self.take()
        if token == "(":
            x = self.join(0)
            self.take(")")
            return x
        if token == "mod":
            for wanted in ("(", "i", ","):
                self.take(wanted)
            m = int(self.take())
            self.take(")")
            sign, r = self.take(), int(self.take())
            return ("mod", m, r) if sign == "=" else ("!", ("mod", m, r))
        return (token,) if token in ("true", "false") else ("letter", token)


def file_read(text):
    """(formula, strict, where it is read)"""
    lines = text.strip().split("\n")
    head = dict(line.split(" ", 1) for line in lines[:-1])
    if head["alphabet"] != "a b":
        raise ValueError("another alphabet: " + head["alphabet"])
    return Reader(lines[-1]).whole(), head["semantics"] == "strict", head["accept"]


# ---- the same in WS1S ----------------------------------------------------------------------------------------------

# Position 0 is the hidden one before the word, 1 .. e-1 are its letters, e is the hidden one behind it. A: where an a
# stands.


class Sayer:
    def __init__(self, strict):
        self.strict, self.names = strict, 0

    def name(self):
        self.names += 1
        return "x%d" % self.names

    def reach(self, f, g, i, back):
        """g at a position of the word on one side of i, or here; f between, and here if it is not here that g holds."""
        j, k = self.name(), self.name()
        side = "0 < %s & %s < %s" % (j, j, i) if back else "%s < %s & %s < e" % (i, j, j)
        if not self.strict:
            side = "%s = %s | %s" % (j, i, side)
        here = "<" if self.strict else "<="
        between = "%s < %s & %s %s %s" % (j, k, k, here, i) if back else "%s %s %s & %s < %s" % (i, here, k, k, j)
        all_between = "all1 %s: ((%s) => %s)" % (k, between, self.say(f, k))
        return "(ex1 %s: ((%s) & %s & (%s)))" % (j, side, self.say(g, j), all_between)

    def beside(self, f, i, back):
        j = self.name()
        where = "%s + 1 = %s & 0 < %s" % (j, i, j) if back else "%s = %s + 1 & %s < e" % (j, i, j)
        return "(ex1 %s: (%s & %s))" % (j, where, self.say(f, j))

    def say(self, x, i):
        """x holds at i."""
        op, word = x[0], "0 < %s & %s < e" % (i, i)
        if op in ("true", "false"):
            return op
        if op == "letter":
            return "(%s %s A & %s)" % (i, {"a": "in", "b": "notin"}[x[1]], word)
        if op == "mod":
            m, r, y = x[1], x[2], self.name()
            steps = "%s = %d | (%s >= %d & %s - %d in M%s)" % (y, r, y, m, y, m, y)
            every = "all1 %s: (%s <= e => (%s in M%s <=> (%s)))" % (y, y, y, y, steps)
            return "(%s & (ex2 M%s: (%s in M%s & (%s))))" % (word, y, i, y, every)
        if op in ("!", "&", "|", "->", "<->"):
            parts = [self.say(p, i) for p in x[1:]]
            sign = {"->": "=>", "<->": "<=>"}.get(op, op)
            return "(~%s)" % parts[0] if op == "!" else "(%s %s %s)" % (parts[0], sign, parts[1])
        if op in ("Y", "X"):
            return self.beside(x[1], i, op == "Y")
        if op in ("Z", "N"):
            return "(~%s)" % self.beside(("!", x[1]), i, op == "Z")
        if op in ("O", "F"):
            return self.reach(("true",), x[1], i, op == "O")
        if op in ("H", "G"):
            return "(~%s)" % self.reach(("true",), ("!", x[1]), i, op == "H")
        if op in ("S", "U"):
            return self.reach(x[1], x[2], i, op == "S")
        if op == "W":
            return "(%s | %s)" % (self.say(("U",) + x[1:], i), self.say(("G", x[1]), i))
        if op == "R":
            return "(~%s)" % self.reach(("!", x[1]), ("!", x[2]), i, False)
        raise ValueError(op)


def mona_text(formula, strict, at):
    where = {"last": "p + 1 = e & 0 < p", "first": "p = 1 & 1 < e", "end": "p = e", "begin": "p = 0"}[at]
    return ("var2 A, E;\nex1 e: (E = {e} & 0 < e & (all1 x: (x in A => 0 < x & x < e)) &\n(ex1 p: (%s &\n%s)));\n" % (
        where, Sayer(strict).say(formula, "p")))


# ---- automata ------------------------------------------------------------------------------------------------------

# Words are told to MONA's automaton as A and E, position by position: nothing at 0, then the letters, then E.


class Automaton:
    def __init__(self, text):
        self.accept = set(re.search(r"Accepting states: ([\d ]*)", text).group(1).split())
        if not re.search(r"free variables: A E", text):
            raise ValueError("MONA: " + text)
        edges = {}
        for q, guard, p in re.findall(r"State (\d+): ([01X]*) -> state (\d+)", text):
            edges.setdefault(q, []).append((guard, p))
        self.edges = edges
        # the first step reads what has no position
        self.start = self.step(self.step(re.search(r"Initial state: (\d+)", text).group(1), 0, 0), 0, 0)
        self.next = {}
        for q in edges:
            self.next[q] = {"a": self.step(q, 1, 0), "b": self.step(q, 0, 0)}
        self.holds = {q: self.step(q, 0, 1) in self.accept for q in edges}

    def step(self, q, a, e):
        for guard, p in self.edges[q]:
            if guard[0] in "X%d" % a and guard[1] in "X%d" % e:
                return p
        raise ValueError("MONA: no way on from state " + q)

    def verdict(self, word):
        q = self.start
        for c in word:
            q = self.next[q][c]
        return "01"[self.holds[q]]


def mona_ask(of):
    with tempfile.NamedTemporaryFile("w", suffix=".mona") as f:
        f.write(mona_text(*of))
        f.flush()
        done = subprocess.run(["mona", "-w", "-n", "-q", f.name], capture_output=True, text=True, check=False)
    if done.returncode or "Transitions:" not in done.stdout:
        raise ValueError("MONA: %s%s\n%s" % (done.stdout[-1000:], done.stderr[-1000:], mona_text(*of)[:2000]))
    return Automaton(done.stdout)


def shortest_difference(x, y, empty):
    """The length of a shortest word on which two automata differ, or None. empty: is the empty word asked about?"""
    seen, row, n = {(x.start, y.start)}, [(x.start, y.start)], 0
    while row:
        if (n or empty) and any(x.holds[p] != y.holds[q] for p, q in row):
            return n
        row = [pair for p, q in row for pair in ((x.next[p][c], y.next[q][c]) for c in "ab")]
        row = [pair for pair in dict.fromkeys(row) if pair not in seen]
        seen.update(row)
        n += 1
    return None


# ---- verdicts ------------------------------------------------------------------------------------------------------


def words_to(longest):
    row = [""]
    for _ in range(longest + 1):
        yield from row
        row = [w + c for w in row for c in "ab"]


def faults(case, automaton):
    """The words on which attest and MONA differ."""
    pairs = list(zip(words_to(LONGEST), case["verdicts"], strict=True)) + case["long"]
    return [w for w, v in pairs if v != "?" and v != automaton.verdict(w)]


CHANGES = {"Y": "Z", "Z": "Y", "O": "H", "H": "O", "X": "N", "N": "X", "F": "G", "G": "F", "U": "W", "W": "U", "R": "W",
           "S": "U", "&": "|", "|": "&", "->": "<->", "<->": "->"}


def parts_of(x):
    yield x
    for p in x[1:]:
        if isinstance(p, tuple):
            yield from parts_of(p)


def changed(x, which):
    """x with one operator or letter changed, the one that `which` counts to; and which it was."""
    count, said = [which], []

    def walk(y):
        here = count[0] == 0
        count[0] -= 1
        z = (y[0],) + tuple(walk(p) if isinstance(p, tuple) else p for p in y[1:])
        if not here:
            return z
        said.append(y[0])
        if y[0] == "!":
            return z[1]
        if y[0] == "letter":
            return ("letter", "b" if y[1] == "a" else "a")
        if y[0] == "mod":
            return ("mod", y[1], (y[2] + 1) % y[1])
        if y[0] in ("true", "false"):
            return ("false" if y[0] == "true" else "true",)
        return (CHANGES[y[0]],) + z[1:]

    return walk(x), said[0]


def wrong_ones(formula, strict, at):
    """(what was changed, the wrong formula)"""
    for _ in range(2):
        x, what = changed(formula, random.randrange(sum(1 for _ in parts_of(formula))))
        yield what, (x, strict, at)
    yield "semantics", (formula, not strict, at)
    yield "accept", (formula, strict, random.choice([p for p in ("last", "first", "end", "begin") if p != at]))


def main(path):
    random.seed(12)
    with open(path) as f:
        cases = [json.loads(line) for line in f]
    read = [file_read(case["text"]) for case in cases]
    wrong = [(k, what, x) for k, of in enumerate(read) for what, x in wrong_ones(*of)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        automata = list(pool.map(mona_ask, read))
        others = list(pool.map(mona_ask, (x for _, _, x in wrong)))

    disagree = words = 0
    for case, x in zip(cases, automata):
        words += len(case["verdicts"].replace("?", "")) + len(case["long"])
        at = faults(case, x)
        if at:
            disagree += 1
            print("attest and MONA disagree on %d words, such as %r: %s" % (len(at), at[0], case["text"]))
    tried, rejected, far, same = {}, {}, 0, 0
    for (k, what, _), y in zip(wrong, others):
        # without a verdict of attest's on the empty word, that is no difference
        empty = "?" not in cases[k]["verdicts"]
        n = shortest_difference(automata[k], y, empty)
        if n is None or n > LONGEST:
            same += n is None
            far += n is not None
            continue
        tried[what] = tried.get(what, 0) + 1
        rejected[what] = rejected.get(what, 0) + bool(faults(cases[k], y))

    depths = {d: sum(1 for case in cases if case["depth"] == d) for d in range(1, 6)}
    strict = sum(1 for _, s, _ in read if s)
    print("MONA: %d of %d formulas agree (%d strict, depths %s), on %d words; automata to %d states" % (
        len(cases) - disagree, len(cases), strict, " ".join("%d:%d" % d for d in depths.items()), words,
        max(len(x.edges) for x in automata)))
    print("    wrong formulas: %d/%d rejected (%d more mean the same, %d differ only on words longer than %d)" % (
        sum(rejected.values()), sum(tried.values()), same, far, LONGEST))
    print("    by what was changed: " + ", ".join("%s %d" % x for x in sorted(rejected.items())))
    kinds = set(CHANGES) | {"!", "letter", "mod", "semantics", "accept"}
    missed = [what for what in kinds if not rejected.get(what)]
    if missed:
        print("    never seen to matter: " + " ".join(missed))
    return 1 if disagree or rejected != tried or missed or min(depths.values()) < len(cases) // 10 else 0


if len(sys.argv) != 2:
    sys.exit("usage: judge_ltl.py FILE")
sys.exit(main(sys.argv[1]))
