"""regular.py: regular expressions, automata, Turing machines (docs/languages.md): which words they have, chains of states; least automata and
their monoids. problems.py reads problems with it. Needs nothing but Python."""
import functools, re

class Unknown(Exception): pass  # a language, or a form of it, that is not read here

def need(condition, why, error=ValueError):
    if not condition:
        raise error(why)

def header(text, *known):
    """The lines that begin with these words, and the rest; a # begins a comment, except before [."""
    lines = [re.sub(r"#(?!\s*\[).*", "", line).strip() for line in text.split("\n")]
    is_head = lambda line: line.split(" ")[0] in known
    return [line.split() for line in lines if is_head(line)], "\n".join(line for line in lines if not is_head(line))

def letters(text):
    """Those of its line `alphabet`."""
    return next((line[1:] for line in header(text, "alphabet")[0]), [])

class Regex:
    """By derivatives: a part is a number, `parts` says of what; behind each letter an expression is another one."""
    def __init__(self, text, alphabet):
        self.letters, self.parts, self.numbers = alphabet, [], {}
        self.none, self.empty = self.part("set", frozenset()), self.part("empty")
        self.every = self.part("not", self.none)
        self.tokens = re.findall(r"\\.|\{[^}]*\}|\[[^\]]*\]|\S", header(text, "alphabet", "length")[1])
        self.start = self.level(("|", "&"))
        need(not self.tokens, f"{''.join(self.tokens)!r} is left of an expression")
        self.after = functools.lru_cache(None)(self.derived)

    def part(self, *what):
        if what not in self.numbers:
            self.numbers[what] = len(self.parts)
            self.parts.append(what)
        return self.numbers[what]

    # ---- Parts that are alike are one part: so there are finitely many derivatives
    def then(self, a, b):
        if self.none in (a, b):
            return self.none
        if self.empty in (a, b):
            return b if a == self.empty else a
        kind, *of = self.parts[a]
        return self.part("then", of[0], self.then(of[1], b)) if kind == "then" else self.part("then", a, b)

    def joined(self, kind, *of):
        all = frozenset().union(*(self.parts[x][1] if self.parts[x][0] == kind else [x] for x in of))
        zero, one = (self.none, self.every) if kind == "and" else (self.every, self.none)
        all -= {one}
        return zero if zero in all else one if not all else next(iter(all)) if len(all) == 1 else self.part(kind, all)

    def other(self, a):
        return self.parts[a][1] if self.parts[a][0] == "not" else self.part("not", a)

    def star(self, a):
        return self.empty if a in (self.none, self.empty) else a if self.parts[a][0] == "star" else self.part("star", a)

    def level(self, marks):
        if not marks:
            f = self.empty
            while self.tokens and self.tokens[0] not in "|&)":
                f = self.then(f, self.one())
            return f
        f = self.level(marks[1:])
        while self.tokens and self.tokens[0] == marks[0] and self.tokens.pop(0):
            f = self.joined("and" if marks[0] == "&" else "or", f, self.level(marks[1:]))
        return f

    def one(self):
        t = self.tokens.pop(0)
        if t == "~":
            return self.other(self.one())
        if t == "(":
            f = self.level(("|", "&"))
            need(self.tokens and self.tokens.pop(0) == ")", "a bracket of an expression is open")
        elif t == "ε":
            f = self.empty
        else:
            of = self.letters if t == "." else [] if t == "∅" else [t[-1]] if t[0] != "[" else \
                [c for c in self.letters if (c in t[1:-1].lstrip("^")) != (t[1] == "^")]
            f = self.part("set", frozenset(of))
        while self.tokens and self.tokens[0][0] in "*+?{":
            lo, _, hi = {"*": "0,", "+": "1,", "?": "0,1"}.get(self.tokens[0], self.tokens[0][1:-1]).partition(",")
            lo, hi = int(lo), None if _ and not hi.strip() else int(hi or lo)
            self.tokens.pop(0)
            more = self.star(f) if hi is None else self.empty
            for _ in range(hi - lo if hi is not None else 0):
                more = self.joined("or", self.empty, self.then(f, more))
            f = functools.reduce(lambda rest, _: self.then(f, rest), range(lo), more)
        return f

    def ends(self, a):
        """Is the empty word in it?"""
        kind, *of = self.parts[a]
        if kind in ("and", "or"):
            return (all if kind == "and" else any)(map(self.ends, of[0]))
        return {"set": False, "empty": True, "star": True}[kind] if kind in ("set", "empty", "star") else \
            not self.ends(of[0]) if kind == "not" else all(map(self.ends, of))

    def derived(self, a, letter):
        kind, *of = self.parts[a]
        if kind in ("set", "empty"):
            return self.empty if kind == "set" and letter in of[0] else self.none
        if kind in ("and", "or"):
            return self.joined(kind, *(self.after(x, letter) for x in of[0]))
        if kind == "not":
            return self.other(self.after(of[0], letter))
        first = self.then(self.after(of[0], letter), a if kind == "star" else of[1])
        return self.joined("or", first, self.after(of[1], letter)) if kind == "then" and self.ends(of[0]) else first

    def answer(self, word):
        return self.ends(functools.reduce(self.after, word, self.start))

    def least(self):
        """The least automaton: rows of states, a column a letter; which accept. The first is where it starts."""
        states, at = [self.start], {self.start: 0}
        for q in states:
            for to in (self.after(q, c) for c in self.letters):
                if to not in at:
                    at[to] = len(states)
                    states.append(to)
            need(len(states) < 20000, "too many derivatives", Unknown)
        go, group, number = [[at[self.after(q, c)] for c in self.letters] for q in states], [self.ends(q) for q in states], 0
        while len(set(group)) > number:  # Moore
            number, names = len(set(group)), {}
            group = [names.setdefault((group[q], *(group[r] for r in go[q])), len(names)) for q in range(len(states))]
        first = {g: q for q, g in reversed(list(enumerate(group)))}
        return [[group[r] for r in go[first[g]]] for g in range(number)], [self.ends(states[first[g]]) for g in range(number)]

def period(f):
    """Of the powers of a map of states: f^(k + period) = f^k from some k on."""
    seen, power = {}, f
    while power not in seen:
        seen[power] = len(seen)
        power = tuple(f[q] for q in power)
    return len(seen) - seen[power]

def monoid(go):
    """All maps that words make of the states of an automaton."""
    letters = [tuple(row[c] for row in go) for c in range(len(go[0]))]
    all = [tuple(range(len(go)))]
    known = set(all)
    for f in all:
        for g in (tuple(a[q] for q in f) for a in letters):
            if g not in known:
                known.add(g)
                all.append(g)
        need(len(all) < 100000, "a monoid of too many elements", Unknown)
    return all

def place(text, word):
    """Of an expression how many maps words make of the states of its least automaton; is it star-free: has none of them a period; and the period of
    this word, of the numbers of letters."""
    go, _ = Regex(text, letters(text)).least()
    elements, power = monoid(go), tuple(functools.reduce(lambda q, c: go[q][c], word, q) for q in range(len(go)))
    return len(elements), all(period(f) == 1 for f in elements), period(power)

class Automaton:
    def __init__(self, text, alphabet):
        self.go, self.start, self.accept, self.letters = {}, None, set(), []
        for line in re.split(r"[\n;]", re.sub(r"#.*", "", text)):
            w = line.replace(":", " : ").split() or ["length"]
            if w[0] == "alphabet":
                self.letters = w[1:]
            elif w[0] == "start":
                self.start = w[1]
            elif w[0] == "accept":
                self.accept |= set(w[1:])
            elif w[0] == "letter":
                self.go.update(((str(q), w[1]), to) for q, to in enumerate(w[3:], 1))
            elif w[0] not in ("length", "sink"):
                self.go[w[0], w[1]] = w[2]
        self.start = self.start or next(iter(self.go))[0]

    def answer(self, word):
        return functools.reduce(lambda q, c: self.go.get((q, c)), word, self.start) in self.accept

    def chain(self, x):
        """After letters and |: the state after each, yes or no, the end. Tokens: Q states, yes, no, the end, |, letters."""
        Q, q, out = len({q for q, _ in self.go}), self.start, []
        for v in x[:-1]:
            need(v >= Q + 4, "no letter")
            q = self.go[q, self.letters[v - Q - 4]]
            out.append([int(q)])
        return out + [[Q + (q not in self.accept)], [Q + 2]]

class Machine:  # Turing machines: lines "state read write move next"
    def __init__(self, text, words):
        self.words, self.rules, self.ends = words, {}, {}
        for w in (line.replace("\\#", "#").split() for line in text.split("\n")):
            if w and w[0] in ("accept", "reject", "halt"):
                self.ends[w[1]] = {"accept": "yes", "reject": "no", "halt": "halt"}[w[0]]
            elif w and w[0] in ("start", "blank"):
                setattr(self, w[0], w[1])
            elif w and w[0] not in ("alphabet", "tape", "length", "steps"):
                self.rules[w[0], w[1]] = w[2:]

    def chain(self, x):
        """After the input and <start>: a word of written, move and state a step, the verdict, the end."""
        tape, q, head, out = {i: self.words[v] for i, v in enumerate(x[:-1])}, self.start, 0, []
        while rule := self.rules.get((q, tape.get(head, self.blank))):
            tape[head], move, q = rule
            head += "LSR".index(move) - 1
            out.append("/".join(rule))
            need(len(out) <= 10**6, "a run without end")
        out += [self.ends.get(q) or ("no" if "yes" in self.ends.values() else "halt"), "<end>"]
        return [[self.words.index(w)] for w in out]
