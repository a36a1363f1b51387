"""judge_ltl.py: temporal logic against MONA.

    judge_ltl.py ATTEST FOLDER [COUNT]

Draws COUNT random formulas (500), strict and reflexive, read at all four places. Each is written as a .ltl file, compiled and run by
ATTEST on every word to length 6 (three letters: 4), and given to MONA as a formula of monadic second-order logic of strings, from the
textbook and not from our code. MONA's automaton decides the same words. A control: where the semantics is the other one, MONA must
differ often. Prints one line; exit 1 where a word differs. The empty word has no strings in MONA: the tests of src/lang/test have it.
"""
import itertools
import os
import random
import re
import subprocess
import sys

ONE = ["!", "Y", "Z", "O", "H", "X", "N", "F", "G"]
TWO = ["&", "|", "->", "<->", "S", "U", "W", "R"]
AT = ["last", "first", "end", "begin"]


def draw(r, depth, letters):
    if depth == 0 or r.random() < 0.15:
        return (r.choice(letters),) if r.random() < 0.9 else (r.choice(["true", "false"]),)
    if r.random() < 0.45:
        return (r.choice(ONE), draw(r, depth - 1, letters))
    return (r.choice(TWO), draw(r, depth - 1, letters), draw(r, depth - 1, letters))


def write(f):
    if len(f) == 1:
        return f[0]
    if len(f) == 2:
        return "(%s %s)" % (f[0], write(f[1]))
    return "(%s %s %s)" % (write(f[1]), f[0], write(f[2]))


class Mona:
    """A formula at a position: a term of MONA, or END and BEGIN, which are behind and before the word."""

    def __init__(self, letters, strict):
        self.letters, self.strict, self.n = letters, strict, 0

    def fresh(self):
        self.n += 1
        return "q%d" % self.n

    def letter(self, a, p):
        if p in ("END", "BEGIN"):
            return "false"
        k = self.letters.index(a)
        bits = ["%s%s in B%d%s" % ("" if k >> b & 1 else "~(", p, b, "" if k >> b & 1 else ")")
                for b in range(1 if len(self.letters) == 2 else 2)]
        return "(" + " & ".join(bits) + ")"

    @staticmethod
    def before(q, p):
        return {"END": "true", "BEGIN": "false"}.get(p, "%s < %s" % (q, p))

    @staticmethod
    def behind(q, p):
        return {"END": "false", "BEGIN": "true"}.get(p, "%s < %s" % (p, q))

    def reach(self, f, g, p, past):
        """There is q on that side with g, and f between; strictly."""
        q, k = self.fresh(), self.fresh()
        side, other = (self.before, self.behind) if past else (self.behind, self.before)
        return "(ex1 %s: %s & %s & (all1 %s: (%s & %s) => %s))" % (
            q, side(q, p), self.at(g, q), k, side(k, p), other(k, q), self.at(f, k))

    def reaches(self, f, g, p, past):
        strict = self.reach(f, g, p, past)
        return strict if self.strict else "(%s | (%s & %s))" % (self.at(g, p), self.at(f, p), strict)

    def neighbour(self, f, p, past, weak):
        q, k = self.fresh(), self.fresh()
        side, other = (self.before, self.behind) if past else (self.behind, self.before)
        none = "~(ex1 %s: %s & %s)" % (k, side(k, p), other(k, q))
        inner = "(ex1 %s: %s & %s & %s)" % (q, side(q, p), none, self.at(("!", f) if weak else f, q))
        return "~" + inner if weak else inner

    def at(self, f, p):
        op, true = f[0], ("true",)
        if op in ("true", "false"):
            return op
        if len(f) == 1:
            return self.letter(op, p)
        a = f[1]
        b = f[2] if len(f) > 2 else None
        if op == "!":
            return "~(%s)" % self.at(a, p)
        if op in ("&", "|"):
            return "(%s %s %s)" % (self.at(a, p), op, self.at(b, p))
        if op in ("->", "<->"):
            return "(%s %s %s)" % (self.at(a, p), "=>" if op == "->" else "<=>", self.at(b, p))
        if op in "YZXN":
            return self.neighbour(a, p, op in "YZ", op in "ZN")
        if op in "OF":
            return self.reaches(true, a, p, op == "O")
        if op in "HG":
            return "~(%s)" % self.reaches(true, ("!", a), p, op == "H")
        if op in "SU":
            return self.reaches(a, b, p, op == "S")
        if op == "W":
            return "(%s | %s)" % (self.at(("U", a, b), p), self.at(("G", a), p))
        return "~(%s)" % self.reaches(("!", a), ("!", b), p, False)  # R


def automaton(text, path):
    with open(path, "w") as out:
        out.write(text)
    said = subprocess.run(["mona", "-w", "-q", path], capture_output=True, text=True, check=True).stdout
    if "Formula is valid" in said or "Formula is unsatisfiable" in said:
        return "valid" in said
    accepting = set(map(int, re.search(r"Accepting states: (.*)", said).group(1).split()))
    start = int(re.search(r"Initial state: (\d+)", said).group(1))
    order = re.search(r"free variables: (.*)", said).group(1).split()
    edges = {}
    for q, bits, to in re.findall(r"State (\d+): (\S*) -> state (\d+)", said):
        edges.setdefault(int(q), []).append((bits, int(to)))
    return start, accepting, order, edges


def accepts(a, word, letters):
    if isinstance(a, bool):
        return a
    start, accepting, order, edges = a
    q = start
    for c in [None] + list(word):  # the first symbol is of variables that have no position
        k = 0 if c is None else letters.index(c)
        bits = "".join(str(k >> int(v[1:]) & 1) for v in order)
        q = next(to for mask, to in edges[q] if all(m in ("X", b) for m, b in zip(mask, bits)))
    return q in accepting


def main():
    attest, folder = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "f")
    asked = yes = noticed = wrong = 0
    for t in range(count):
        r = random.Random(t)
        letters = "abc" if t % 4 == 0 else "ab"
        longest = 6 if len(letters) == 2 else 4
        strict, at = bool(t % 2), AT[t // 2 % 4]
        f = draw(r, r.randint(1, 5), letters)
        with open(path + ".ltl", "w") as out:
            out.write("alphabet %s\naccept %s\nsemantics %s\n%s\n" % (
                " ".join(letters), at, "strict" if strict else "reflexive", write(f)))
        words = ["".join(w) for n in range(1, longest + 1) for w in itertools.product(letters, repeat=n)]
        subprocess.run([attest, "compile", path + ".ltl", "--set", "N=%d" % longest, "-o", path + ".st"],
                       check=True, capture_output=True)
        ours = subprocess.run([attest, "run", path + ".st", "-"], input="\n".join(words) + "\n", text=True,
                              capture_output=True, check=True).stdout.split()
        both = []
        for kind in (strict, not strict):
            m = Mona(letters, kind)
            place = {"last": "max $", "first": "min $", "end": "END", "begin": "BEGIN"}[at]
            body = m.at(f, "p" if at in ("last", "first") else place)
            if at in ("last", "first"):
                body = "ex1 p: p = %s & %s" % (place, body)
            text = "m2l-str;\nvar2 B0%s;\n%s;\n" % ("" if len(letters) == 2 else ", B1", body)
            a = automaton(text, path + ".mona")
            both.append([accepts(a, w, letters) for w in words])
        for w, o, right in zip(words, ours, both[0]):
            asked += 1
            yes += right
            if (o == "yes") != right or o not in ("yes", "no"):
                wrong += 1
                if wrong < 10:
                    print("judge_ltl: %s, %s at %s: on %s ours says %s" % (
                        write(f), "strict" if strict else "reflexive", at, w, o))
        if len(ours) != len(words):
            sys.exit("judge_ltl: %d answers to %d words" % (len(ours), len(words)))
        noticed += both[0] != both[1]
    print("judge_ltl: %d formulas, %d words, %d of them in the language; %d differ from MONA; the other semantics "
          "differs for %d formulas" % (count, asked, yes, wrong, noticed))
    sys.exit(wrong > 0 or not asked // 5 < yes < asked * 4 // 5 or noticed * 10 < count)


main()
