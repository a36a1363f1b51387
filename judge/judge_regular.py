#!/usr/bin/python3
"""Regular languages, judged by foma and GAP.

    judge_regular.py FILE      what judge_regular wrote; exit 1 unless both agree with attest

foma makes the least automaton of every expression, which is read here by the table of docs/languages.md, and of every
automaton; it must be attest's, state by state. GAP makes the monoid of foma's automaton: its size, whether it has
periods, the groups in it and whether they are solvable (judge_regular.g). Wrong answers are judged, too, and all of
them must be rejected: the automaton beside an expression with one word more or less, with another transition, another
verdict, a state too many; every figure changed; witnesses a letter short or long.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

# ---- expressions, as docs/languages.md has them, in the words of foma ----------------------------------------------


class Reader:
    def __init__(self, text, letters):
        self.text, self.at, self.letters = text.replace(" ", ""), 0, letters
        self.any = "[%s]" % "|".join('"%s"' % c for c in letters)

    def peek(self):
        return self.text[self.at:self.at + 1]

    def take(self):
        self.at += 1
        return self.text[self.at - 1]

    def whole(self):
        x = self.either()
        if self.peek():
            raise ValueError("%r is left of %s" % (self.text[self.at:], self.text))
        return x

    def either(self):
        parts = [self.both()]
        while self.peek() == "|":
            self.take()
            parts.append(self.both())
        return "[%s]" % " | ".join(parts)

    def both(self):
        parts = [self.row()]
        while self.peek() == "&":
            self.take()
            parts.append(self.row())
        return "[%s]" % " & ".join(parts)

    def row(self):
        parts = []
        while self.peek() and self.peek() not in "|&)":
            parts.append(self.part())
        return "[%s]" % " ".join(parts or ["[]"])

    def part(self):
        if self.peek() == "~":  # foma's own ~ also has words of letters that nobody named
            self.take()
            return "[%s* - %s]" % (self.any, self.part())
        x = self.atom()
        while self.peek() and self.peek() in "*+?{":
            x = self.times(x, self.take())
        return x

    def times(self, x, mark):
        if mark != "{":
            return "[%s]" % {"*": x + "*", "+": x + "+", "?": x + "|[]"}[mark]
        end = self.text.index("}", self.at)
        low, comma, high = self.text[self.at:end].partition(",")
        self.at = end + 1
        least = [x] * int(low) or ["[]"]
        if not comma:
            more = "[]"
        elif not high:
            more = x + "*"
        else:
            more = " ".join(["[%s|[]]" % x] * (int(high) - int(low))) or "[]"
        return "[%s [%s]]" % (" ".join(least), more)

    def atom(self):
        c = self.take()
        if c == "(":
            x = self.either()
            if self.take() != ")":
                raise ValueError("a bracket is open in " + self.text)
            return x
        if c == "[":
            end = self.text.index("]", self.at)
            some, self.at = self.text[self.at:end], end + 1
            if some[:1] == "^":
                some = [d for d in self.letters if d not in some[1:]]
            return "[%s]" % ("|".join('"%s"' % d for d in some) or "%s - %s" % (self.any, self.any))
        if c in ".ε∅":
            return {".": self.any, "ε": "[]", "∅": "[%s - %s]" % (self.any, self.any)}[c]
        return '"%s"' % (self.take() if c == "\\" else c)


# foma 0.10 frees an automaton twice when no word at all is left (mhulden/foma issue 153); so each is asked for behind
# this.
MARK = "MARK"

# ---- automata: (to, accept), which start in 0 ----------------------------------------------------------------------


def in_order(to, accept, start=0):
    """The states that are met, numbered as they are met from the start, letter by letter."""
    met, number = [start], {start: 0}
    for q in met:
        for p in to[q]:
            if p not in number:
                number[p] = len(met)
                met.append(p)
    return [[number[p] for p in to[q]] for q in met], [accept[q] for q in met]


def same_language(x, y):
    seen, todo = {(0, 0)}, [(0, 0)]
    while todo:
        p, q = todo.pop()
        if x[1][p] != y[1][q]:
            return False
        for pair in zip(x[0][p], y[0][q]):
            if pair not in seen:
                seen.add(pair)
                todo.append(pair)
    return True


def att_write(path, letters, to, accept):
    with open(path, "w") as f:
        for q, row in enumerate(to):
            for c, p in zip(letters, row):
                f.write("%d\t%d\t%s\t%s\n" % (q, p, c, c))
        for q, yes in enumerate(accept):
            if yes:
                f.write("%d\n" % q)


def att_read(path, letters):
    """The automaton behind MARK. foma leaves out the state from which no word is accepted; here it is, the last."""
    with open(path) as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    if not lines:
        return [[0] * len(letters)], [False]
    n, start = 1 + max(int(q) for line in lines for q in line[:2]), None
    to, accept = [[n] * len(letters) for _ in range(n + 1)], [False] * (n + 1)
    for line in lines:
        if len(line) == 1:
            accept[int(line[0])] = True
        elif line[2] == MARK and start is None:
            start = int(line[1])
        else:
            to[int(line[0])][letters.index(line[2])] = int(line[1])
    return in_order(to, accept, start)


def foma_ask(cases, folder):
    """[(automaton, automaton of the wrong expression or None)]"""
    script = []

    def ask(name, x):
        script.append('regex "%s" [%s];\nwrite att > %s\nclear stack\n' % (MARK, x, os.path.join(folder, name)))

    for k, case in enumerate(cases):
        if "text" in case:
            x = Reader(case["text"], case["letters"]).whole()
            word = " ".join('"%s"' % random.choice(case["letters"]) for _ in range(random.randrange(4))) or "[]"
            ask("%d.att" % k, x)
            ask("%d.wrong" % k, "[%s - [%s]] | [[%s] - %s]" % (x, word, word, x))
        else:
            given = os.path.join(folder, "%d.given" % k)
            att_write(given, case["letters"], case["given"]["to"], case["given"]["accept"])
            script.append("read att %s\ndefine Given\n" % given)
            ask("%d.att" % k, "Given")
    path = os.path.join(folder, "script")
    with open(path, "w") as f:
        f.write("".join(script))
    done = subprocess.run(["foma", "-q", "-f", path], capture_output=True, text=True, check=False)
    if done.returncode or "error" in done.stdout + done.stderr:
        raise ValueError("foma ended with %d: %s%s" % (done.returncode, done.stdout[-2000:], done.stderr[-2000:]))
    answers = []
    for k, case in enumerate(cases):
        wrong = os.path.join(folder, "%d.wrong" % k)
        answers.append((att_read(os.path.join(folder, "%d.att" % k), case["letters"]),
                        att_read(wrong, case["letters"]) if "text" in case else None))
    return answers


# ---- monoids -------------------------------------------------------------------------------------------------------


def gap_list(v):
    return "[%s]" % ",".join(str(x + 1) for x in v)


def words_of(case):
    """The witnesses; then wrong ones: a letter short, a letter long."""
    w, m = case["witness"], case["mod_witness"]
    return [w, m, w[:-1], w + [0], m + [0]]


def gap_ask(cases, automata, folder):
    path = os.path.join(folder, "calls.g")
    with open(path, "w") as f:
        for k, (case, (to, _)) in enumerate(zip(cases, automata)):
            f.write("look(%d, [%s], [%s]);\n" % (
                k, ",".join(gap_list(row) for row in zip(*to)), ",".join(gap_list(w) for w in words_of(case))))
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(["gap", "-q", "-A", "--quitonbreak", os.path.join(here, "judge_regular.g"), path],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if [x["number"] for x in lines] != list(range(len(cases))):
        raise ValueError("GAP: %d answers to %d questions\n%s%s" % (
            len(lines), len(cases), done.stdout[-2000:], done.stderr[-2000:]))
    return lines


# ---- verdicts ------------------------------------------------------------------------------------------------------


def automaton_faults(to, accept, foma):
    return ["automaton"] if (to, accept) != foma else []


def place_faults(case, gap):
    """The names of the figures that are wrong; nothing is held against an answer that attest left open."""
    wrong = [] if case["monoid"] == gap["monoid"] else ["monoid"]
    wrong += [k for k in ("star_free", "fo_mod", "solvable") if case[k] not in (None, gap[k])]
    if sorted(case["groups"]) != gap["groups"]:
        wrong.append("groups")
    if not gap["star_free"]:
        period = gap["periods"][words_of(case).index(case["witness"])]
        if len(case["witness"]) != gap["least"] or case["period"] != period or period == 1:
            wrong.append("witness")
        if case["fo_mod"] is not None and case["modulus"] != gap["modulus"]:
            wrong.append("modulus")
    if not gap["fo_mod"] and case["mod_witness"]:
        period = gap["periods"][words_of(case).index(case["mod_witness"])]
        if len(case["mod_witness"]) % gap["modulus"] or case["mod_period"] != period or period == 1:
            wrong.append("mod_witness")
    return wrong


def wrong_automata(case):
    to, accept = case["to"], case["accept"]
    n, letters = len(to), len(to[0])
    q = random.randrange(n)
    yield to, [a != (p == q) for p, a in enumerate(accept)]
    for _ in range(100 if n > 1 else 0):  # rarely another transition makes the same language, by other states
        q, c, p = random.randrange(n), random.randrange(letters), random.randrange(n)
        other = [list(row) for row in to]
        other[q][c] = p
        if p != to[q][c] and not same_language((to, accept), (other, accept)):
            yield in_order(other, accept)
            break
    q, c = random.choice([(q, c) for q in range(n) for c in range(letters)])
    twin = [list(row) for row in to] + [list(to[to[q][c]])]
    twin[q][c] = n
    yield twin, accept + [accept[to[q][c]]]


def wrong_places(case):
    """(the wrong case, the words whose periods GAP has found for it)"""
    def but(**changes):
        return {**case, **changes}

    yield but(monoid=case["monoid"] + 1)
    yield but(monoid=case["monoid"] - 1)
    for k in ("star_free", "fo_mod", "solvable"):
        if case[k] is not None:
            yield but(**{k: not case[k]})
    yield but(groups=case["groups"] + [[2, 1]])
    for k, (order, core) in enumerate(case["groups"]):
        yield but(groups=case["groups"][:k] + case["groups"][k + 1:])
        yield but(groups=case["groups"][:k] + [[2 * order, core]] + case["groups"][k + 1:])
        yield but(groups=case["groups"][:k] + [[order, core + 1]] + case["groups"][k + 1:])
    if not case["star_free"]:
        yield but(period=case["period"] + 1)
        yield but(modulus=2 * case["modulus"])
    if case["mod_witness"]:
        yield but(mod_period=case["mod_period"] + 1)


def wrong_words(case, gap):
    """Witnesses that are a letter short or long, with the period that GAP finds, so that only the word is wrong."""
    if not case["star_free"]:
        for k in (2, 3):
            yield {**case, "witness": words_of(case)[k], "period": gap["periods"][k]}, {
                **gap, "periods": [gap["periods"][k]] + gap["periods"][1:]}
    if case["mod_witness"] and gap["modulus"] > 1:
        yield {**case, "mod_witness": words_of(case)[4], "mod_period": gap["periods"][4]}, {
            **gap, "periods": gap["periods"][:1] + [gap["periods"][4]] + gap["periods"][2:]}


def main(path):
    random.seed(12)
    with open(path) as f:
        cases = [json.loads(line) for line in f]
    with tempfile.TemporaryDirectory() as folder:
        foma = foma_ask(cases, folder)
        gap = gap_ask(cases, [x for x, _ in foma], folder)

    disagree = tried = kept = 0
    for case, (least, other), g in zip(cases, foma, gap):
        faults = automaton_faults(case["to"], case["accept"], least) + place_faults(case, g)
        if faults:
            disagree += 1
            print("%s %s: attest and the judges disagree about: %s" % (
                case["from"], case.get("text", case.get("given")), ", ".join(faults)))
        wrong = [automaton_faults(to, accept, least) for to, accept in wrong_automata(case)]
        if other:
            wrong.append(automaton_faults(case["to"], case["accept"], other))
        wrong += [place_faults(x, g) for x in wrong_places(case)]
        wrong += [place_faults(x, y) for x, y in wrong_words(case, g)]
        tried += len(wrong)
        kept += wrong.count([])

    def count(what, of=lambda c: True):
        return sum(1 for c in cases if of(c) and what(c))

    known = [c for c in cases if c["from"].startswith("known")]
    open_answers = count(lambda c: None in (c["star_free"], c["fo_mod"], c["solvable"]))
    large = sum(1 for c in known if 300 <= c["monoid"] <= 2000)
    broad = sum(1 for c in known if len(c["to"]) >= 5)
    kinds = (count(lambda c: c["star_free"]), count(lambda c: c["fo_mod"] and not c["star_free"]),
             count(lambda c: c["solvable"] and not c["fo_mod"]), count(lambda c: c["solvable"] is False))
    print("foma and GAP: %d of %d languages agree (%d expressions, %d of them known: %d with 300 to 2000 elements, "
          "%d with 5 states or more)" % (len(cases) - disagree, len(cases), count(lambda c: "text" in c), len(known),
                                         large, broad))
    print("    %d star-free, %d more in FO[<, MOD], %d more solvable, %d not solvable" % kinds)
    print("    monoids to %d elements, %d groups, %d answers open" % (
        max(c["monoid"] for c in cases), sum(len(c["groups"]) for c in cases), open_answers))
    print("    wrong automata, figures and witnesses: %d/%d rejected" % (tried - kept, tried))
    enough = large >= 15 and broad >= 30 and min(kinds) >= 5 and not open_answers
    if not enough:
        print("    too few languages of some kind")
    return 1 if disagree or kept or not enough else 0


if len(sys.argv) != 2:
    sys.exit("usage: judge_regular.py FILE")
sys.exit(main(sys.argv[1]))
