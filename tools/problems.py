"""problems.py: a second reader of attest's problems, after docs/certfile.md (rules), docs/dp.md,
docs/languages.md and docs/expressions.md: what is right, from the text of a problem. Needs nothing but Python.

    problem = problems.read({"language": "regex", "text": "(ab)*", "alphabet": ["a", "b"], "parameters": {}, "answers": "once"})
    problem([0, 1, 0, 1])      [1]: the decisions that are right, or of a chain the rows

tools/verify.py asks it; regular expressions, automata and Turing machines are in regular.py. Languages: rule, dp, regex, dfa, tm, aag, ltl,
crasp, foc, sscm, fom, rasp, arithmetic; others are refused (Unknown)."""
import functools, itertools, math, re
from fractions import Fraction
from majority import Sentence, arithmetic as arithmetic_of
from rasp import Program
from regular import Automaton, Machine, Regex, Unknown, header, letters, need, place

# ---- Expressions: rules, recurrences, formulas and counts share one grammar; each language has atoms of its own ------------
TOKEN = re.compile(r'\s*("[^"]*"|Q_?\[\s*"[^"]*"\s*\]|Q_[^\w\s]|\d+|[^\W\d]\w*|<->|->|:=|\.\.|\*\*|==|!=|<=|>=|\S)')
COMPARE = {"=": lambda a, b: a == b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
           "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
NOT, OR, AND = ("not", "!", "~", "¬"), ("or", "|", "∨"), ("and", "&", "∧")
JOINED = [(("<->",), lambda a, b: lambda e: bool(a(e)) == bool(b(e))),
          (("->",), lambda a, b: lambda e: not a(e) or bool(b(e))),
          (OR, lambda a, b: lambda e: bool(a(e)) or bool(b(e))), (AND, lambda a, b: lambda e: bool(a(e)) and bool(b(e)))]

def quotient(a, b):
    if isinstance(a, int) and isinstance(b, int):
        return Fraction(a, b) if a % b else a // b
    return a / b

class Parser:
    """A text to functions of an environment, a dict of names."""
    loose = False  # of counts: `mod` takes the whole sum, and 2 x is a product
    def __init__(self, text):
        self.tokens, self.at = TOKEN.findall(text), 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self):
        need(self.peek() is not None, "a text ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, *words):
        return self.next() if self.peek() in words else None

    def want(self, word):
        need(self.peek() == word, f"{word!r} is missing before {self.peek()!r}")
        return self.next()

    def whole(self):
        f = self.expr()
        need(self.peek() is None, f"{self.peek()!r} is not understood")
        return f

    def expr(self, level=0):
        if level == len(JOINED):
            return self.infix()
        (words, join), f = JOINED[level], self.expr(level + 1)
        while self.take(*words):
            f = join(f, self.expr(level if words == ("->",) else level + 1))
        return f

    def infix(self):
        return self.truth()

    def truth(self):
        if self.take(*NOT):
            f = self.truth()
            return lambda e: not f(e)
        f = self.sum()
        if self.loose and self.take("mod"):
            f = (lambda a, m: lambda e: a(e) % m)(f, int(self.next()))
        if self.peek() in COMPARE:
            compare, g = COMPARE[self.next()], self.sum()
            return lambda e: compare(f(e), g(e))
        return f

    def sum(self):
        f = self.term()
        while self.peek() in ("+", "-"):
            sign = 1 if self.next() == "+" else -1
            f = (lambda a, b, s: lambda e: a(e) + s * b(e))(f, self.term(), sign)
        return f

    def term(self):
        number, f = (self.peek() or "").isdigit(), self.power()
        while True:
            beside = re.match(r"[^\W\d]|#|\(", self.peek() or "") and self.peek() not in AND + OR + ("mod", "then", "else")
            if self.loose and number and beside or self.take("*"):
                f = (lambda a, b: lambda e: a(e) * b(e))(f, self.power())
            elif not self.loose and self.take("/"):
                f = (lambda a, b: lambda e: quotient(a(e), b(e)))(f, self.power())
            elif not self.loose and self.take("mod"):
                f = (lambda a, b: lambda e: a(e) % b(e))(f, self.power())
            else:
                return f

    def power(self):
        f = self.factor()
        return (lambda a, b: lambda e: a(e) ** b(e))(f, self.factor()) if self.take("**") else f

    def list(self, end):
        all = [self.expr()]
        while self.take(","):
            all.append(self.expr())
        self.want(end)
        return all

    def factor(self):
        t = self.next()
        if t == "-":
            f = self.factor()
            return lambda e: -f(e)
        if t.isdigit():
            return lambda e, v=int(t): v
        if t == "(":
            return self.list(")")[0]
        if t in ("min", "max", "abs", "both", "exp") and self.take("("):
            functions = {"exp": lambda v: math.exp(v[0]), "min": min, "max": max, "abs": lambda v: abs(v[0]), "both": lambda v: v[0] & v[1]}
            fs, function = self.list(")"), functions[t]
            return lambda e: function([f(e) for f in fs])
        if t == "if":
            c, a, b = self.expr(), self.want("then") and self.expr(), self.want("else") and self.expr()
            return lambda e: a(e) if c(e) else b(e)
        return self.atom(t)

    def span(self):
        name, lo = self.next(), self.want("in") and self.sum()
        return name, lo, self.want("..") and self.sum()

class Rule(Parser):
    def of(self, parameters):
        """Its value; numbers that are whole are integers."""
        return self.whole()({k: int(v) if isinstance(v, float) and v == int(v) else v for k, v in parameters.items()})

    def atom(self, t):
        if t[0] == '"':
            return lambda e: t[1:-1]
        if t in ("any", "all", "sum"):
            (name, lo, hi), body, each = self.span(), self.want(":") and self.expr(), {"any": any, "all": all, "sum": sum}[t]
            def over(e):
                inside, values = dict(e), range(lo(e), hi(e) + 1)
                return each(body(inside) for inside[name] in values)
            return over
        if t == "fold":
            name, start, (step, lo, hi) = self.next(), self.want("=") and self.expr(), self.want("for") and self.span()
            body = self.want(":") and self.expr()
            return lambda e: functools.reduce(lambda v, s: body({**e, name: v, step: s}), range(lo(e), hi(e) + 1), start(e))
        if self.take("["):
            place = self.list("]")
            row = lambda v: v if hasattr(v, "__len__") else [v]  # of one number
            pick = lambda v, k: row(v)[int(k) - 1 if k > 0 else len(row(v))]  # there is nothing at 0
            return lambda e: functools.reduce(lambda v, f: pick(v, f(e)), place, e[t])
        return lambda e: e[t]

class Recurrence(Parser):  # docs/dp.md
    def atom(self, t):
        value = self.take(".") and self.next()
        if value:
            return lambda e: e[t][value]
        return lambda e: e[t](e) if callable(e[t]) else e[t]  # a let is read where it is used

    def __init__(self, text):
        super().__init__(re.sub(r"#.*", "", text))
        self.want("problem"), self.next()
        self.inputs, self.states, self.values, self.steps = [], [], [], []
        while self.peek():
            word = self.next()
            if word in ("size", "state", "value"):
                while True:
                    span = self.span()
                    {"size": [], "state": self.states, "value": self.values}[word].append(span)
                    if self.take("default"):
                        self.next()
                    if not self.take(","):
                        break
            elif word == "input":
                self.inputs.append((self.next(), self.want("[") and self.list("]")[0]))
                self.want("in"), self.sum(), self.want(".."), self.sum()
            elif word == "answer":
                self.answer = self.expr()
                self.answer_at = self.want("(") and self.list(")") if self.take("at") else None
            else:  # take x = a[i], need up = (i-1, j), let u = .., cost = ..
                name, _ = self.next() if word in ("take", "need", "let") else word, self.want("=")
                if word == "take":
                    body = (lambda of, at: lambda e: e[of][at(e) - 1])(self.next(), self.want("[") and self.list("]")[0])
                elif word == "need":
                    body = (lambda at: lambda e: e["done"][tuple(f(e) for f in at)])(self.want("(") and self.list(")"))
                else:
                    body = self.expr()
                    body = (lambda f: lambda e: f)(body) if word == "let" else body
                self.steps.append((name, body, self.expr() if self.take("when") else lambda e: True))

    def rows(self, sizes, x):
        """The chain: a row (input, state, values, answer) for every state, then one with the answer."""
        e, rows, left = {**sizes, "done": {}}, [], [int(row[0]) for row in x]
        for name, length in self.inputs:
            e[name], left = left[:length(e)], left[length(e):]
        def walk(e, states):
            if not states:
                yield e
            for v in range(states[0][1](e), states[0][2](e) + 1) if states else ():
                yield from walk({**e, states[0][0]: v}, states[1:])
        for here in walk(e, self.states) if e[self.inputs[0][0]] or self.states else ():
            for name, body, when in self.steps:
                if when(here):
                    here[name] = body(here)
            place, values = tuple(here[s[0]] for s in self.states), [here[v[0]] for v in self.values]
            e["done"][place] = {v[0]: here[v[0]] for v in self.values}
            rows.append([0, *place, *values, 0])
        at = tuple(f(e) for f in self.answer_at) if self.answer_at else next(reversed(e["done"]), None)
        return rows + [[0] * (1 + len(self.states) + len(self.values)) + [self.answer({**e, **e["done"].get(at, {})})]]

class Formula(Parser):
    """Truths and counts at position i of a word w of n letters, in ltl, crasp and foc; positions 0 and n + 1 have no letter.
    Counter machines (sscm) have letters that add to counters, and the same comparisons."""
    loose = True
    def __init__(self, language, text, alphabet):
        heads, rest = header(text, "alphabet", "length", "semantics", "predicate", "attention", "counters")
        self.language, self.alphabet, self.known, self.adds = language, alphabet, {}, {}
        self.strict = ["semantics", "strict"] in heads
        for h in heads:
            if h[0] == "predicate":
                ends = [[int(v) for v in part.split("..")] for part in h[2:]]
                self.known[h[1]] = (lambda all: lambda e: e["i"] in all)({v for p in ends for v in range(p[0], p[-1] + 1)})
            if h[0] == "counters":
                counted = lambda c: lambda e: sum(self.adds.get(x, {}).get(c, 0) for x in e["w"])
                self.known.update((c, counted(c)) for c in h[1:])
        places = re.findall(r"(?m)^accept (last|first|end|begin)$", rest)
        self.place = places[0] if places else {"crasp": "last", "foc": "end", "sscm": "end"}.get(language)
        if not self.place:  # of the past alone, or of the future alone
            used = set(TOKEN.findall(rest))
            past, future = used & set("YZOHS#"), used & set("XNFGUWR")
            need(bool(past) != bool(future), "where a formula is read is not said", Unknown)
            self.place = "last" if past else "first"
        rest = re.sub(r"(?m)^accept (last|first|end|begin)$", "", rest)
        for x, what in re.findall(r"(\S+):\s*((?:\w+[+-]\d+\s*)+)", rest) if language == "sscm" else ():
            self.adds[x] = {c: int(v) for c, v in re.findall(r"(\w+)([+-]\d+)", what)}
        rest = rest[rest.index("accept"):] if language == "sscm" else rest
        super().__init__(rest.replace("\n", " ; ") if language == "crasp" else rest)
        if language == "ltl":  # a digit is a letter, where it is one, but not behind a comparison or a comma
            pairs = zip([None] + self.tokens, self.tokens)
            letter = lambda p, t: t.isdigit() and t in alphabet and p not in COMPARE and p != ","
            self.tokens = [f'"{t}"' if letter(p, t) else t for p, t in pairs]
        while self.peek():
            after = self.tokens[self.at + 1:self.at + 5]
            if self.take(";"):
                continue
            defined = after[3:] if after[:3] == ["(", "i", ")"] else after[:1]
            if language == "crasp" and defined in (["="], [":="]):
                name = self.next()
                self.called()
                self.next()
                self.final = self.known[name] = self.kept(self.expr())  # read is the last one, unless said
            else:
                self.take("accept")
                self.final = self.expr()
                need(self.peek() in (None, ";", "accept"), f"{self.peek()!r} is not understood")

    def kept(self, f):  # what was found out at a position of this word is not computed again
        key = object()
        def at(e):
            place = (key, e["i"]) if len(e) == 4 else None  # bound variables: not kept
            if place not in e["memory"] or place is None:
                e["memory"][place] = f(e)
            return e["memory"][place]
        return at

    def called(self):
        if self.tokens[self.at:self.at + 1] == ["("] and self.tokens[self.at + 1:self.at + 3] in (["i", ")"], ["j", ")"]):
            self.at += 3

    def infix(self):
        f, op = self.truth(), self.language == "ltl" and self.take("S", "U", "W", "R")
        return self.temporal(op, f, self.infix()) if op else f

    def truth(self):
        op = self.language == "ltl" and self.take(*"YXZNOHFG")
        return self.temporal(op, self.truth(), None) if op else super().truth()

    def temporal(self, op, f, g):
        here = [] if self.strict else [0]
        at = lambda f, e, j: bool(f({**e, "i": j}))
        if op in "YXZN":
            step = -1 if op in "YZ" else 1
            return self.kept(lambda e: at(f, e, e["i"] + step) if 1 <= e["i"] + step <= e["n"] else op in "ZN")
        past = op in "OHS"
        seen = lambda e: [e["i"] for _ in here] + list(range(e["i"] - 1, 0, -1) if past else range(e["i"] + 1, e["n"] + 1))
        if op in "OF":
            return self.kept(lambda e: any(at(f, e, j) for j in seen(e)))
        if op in "HG":
            return self.kept(lambda e: all(at(f, e, j) for j in seen(e)))
        def until(e, f, g):
            for j in seen(e):
                if g(e, j):
                    return True
                if not f(e, j):
                    return False
            return False
        plain, other = (lambda h: lambda e, j: at(h, e, j)), (lambda h: lambda e, j: not at(h, e, j))
        return self.kept({"S": lambda e: until(e, plain(f), plain(g)), "U": lambda e: until(e, plain(f), plain(g)),
                          "W": lambda e: until(e, plain(f), plain(g)) or all(at(f, e, j) for j in seen(e)),
                          "R": lambda e: not until(e, other(f), other(g))}[op])

    def counted(self):
        """Behind #: [a, i mod 2 = 1] of foc; [1] P, [j <= i] P; or [P], up to here."""
        self.want("[")
        if self.language == "foc":
            parts = self.list("]")
            return lambda e: sum(all(p({**e, "i": j}) for p in parts) for j in range(1, e["n"] + 1))
        relation = COMPARE[self.next() and self.next()] if self.peek() == "j" else None
        if relation:
            self.want("i"), self.want("]")
        elif self.peek() == "1" and self.tokens[self.at + 1] == "]":
            relation, _ = (lambda j, i: True), (self.next(), self.next())
        alone = not re.match(r'[^\W\d]|["(]', self.peek() or "") or self.peek() in AND + OR + ("mod",)  # #[1]: positions up to here
        f = (lambda e: True) if relation and alone else self.factor() if relation else self.list("]")[0]
        shown = relation if relation and not alone else COMPARE["<="]
        return self.kept(lambda e: sum(bool(f({**e, "i": j})) for j in range(1, e["n"] + 1) if shown(j, e["i"])))

    def factor(self):
        digit = self.language == "foc" and self.peek() in self.alphabet and self.tokens[self.at - 1] == "["
        return self.atom(self.next()) if digit else super().factor()

    def atom(self, t):
        if t == "#":
            return self.counted()
        if t in ("true", "false"):
            return lambda e: t == "true"
        if t == "last":  # last is a, last in {a, c}
            words = [self.next()] if self.next() == "is" else []
            while not words or words[-1] != "}" and words[0] == "{":
                words.append(self.next())
            return lambda e: (e["w"][-1] if e["w"] else "none") in [w.strip('"') for w in words]
        if t in ("exists", "forall", "∃"):
            names, some = [self.next()], t != "forall"
            while not self.take("."):
                names.append(self.next())
            body = self.expr()
            def search(e):  # witnesses of such forms are not larger than the numbers in them
                all = itertools.product(range(3 * e["n"] + 12), repeat=len(names))
                return any(bool(body({**e, **dict(zip(names, v))})) == some for v in all) == some
            return search
        letter = re.fullmatch(r'Q_?\[\s*"(.*)"\s*\]|"(.*)"|Q_?(.+)', t)
        letter = t if t in self.alphabet else next((x for x in letter.groups() if x), None) if letter else None
        self.called()
        if t in self.known:
            return self.known[t]
        if t == "mod":  # mod(i, 3)
            self.want("("), self.want("i"), self.want(",")
            m, _ = int(self.next()), self.want(")")
            return lambda e: e["i"] % m
        if letter in self.alphabet and t != "i":
            return lambda e: 1 <= e["i"] <= e["n"] and e["w"][e["i"] - 1] == letter
        return lambda e: e[t]

    def answer(self, word):
        n = len(word)
        place = {"last": n, "first": 1, "end": n + 1, "begin": 0}[self.place]
        return self.final({"w": word, "n": n, "i": place, "memory": {}})

# ---- Circuits of ANDs and NOTs: AIGER, as text. Bit k of the letter at position i is input i b + k ---------------------------
class Circuit:
    def __init__(self, text, letters):
        lines = text.split("\n")
        _, inputs, latches, outputs, gates = [int(v) for v in lines[0].split()[1:6]]
        need(lines[0].startswith("aag ") and latches == 0 and outputs == 1, "no circuit of one output")
        self.inputs, self.output = [int(v) for v in lines[1:1 + inputs]], int(lines[1 + inputs])
        self.gates = [[int(v) for v in row.split()] for row in lines[2 + inputs:2 + inputs + gates]]
        self.number, self.bits = {a: k for k, a in enumerate(letters)}, max(1, (len(letters) - 1).bit_length())
        need(len(set(self.inputs)) == inputs and len(self.gates) == gates, "inputs or gates are missing")

    def answer(self, word):
        need(len(word) * self.bits == len(self.inputs), "a word of another length")
        value = {0: 0, 1: 1}
        for k, wire in enumerate(self.inputs):
            value[wire] = self.number[word[k // self.bits]] >> k % self.bits & 1
            value[wire ^ 1] = 1 - value[wire]
        for out, a, b in self.gates:
            need(out not in value and out % 2 == 0, "a gate stands twice")
            value[out], value[out ^ 1] = value[a] & value[b], 1 - (value[a] & value[b])
        return value[self.output]

# ---- Expressions modulo a prime (docs/expressions.md): 3.. are + - * / ( ) =, 10 + r the residue r, 2 is the end ------------
def arithmetic(p, x):
    ops = {3: lambda a, b: a + b, 4: lambda a, b: a - b, 5: lambda a, b: a * b, 6: lambda a, b: a * pow(b, -1, p)}
    t, out = [int(v) for v in x[:-1]], []  # without the last =
    while len(t) > 1:
        for i in range(len(t) - 2):
            late = t[i + 1] in (3, 4) and t[i + 3:i + 4] in ([5], [6])  # a product behind it comes first
            if t[i] >= 10 and t[i + 1] in ops and t[i + 2] >= 10 and not late:
                value = 10 + ops[t[i + 1]](t[i] - 10, t[i + 2] - 10) % p
                inside = i and t[i - 1] == 7 and t[i + 3:i + 4] == [8]
                t = t[:i - 1] + [value] + t[i + 4:] if inside else t[:i] + [value] + t[i + 3:]
                break
        else:
            raise ValueError("an expression without a handle")
        out += t + ([9] if len(t) > 1 else [2])
    return [[v] for v in out or t + [2]]

def rows(o, said=()):
    """As `read`, but always rows of numbers, of decisions, too; strings have the numbers of the words that a model says. Of reals at some places
    alone, if they are said."""
    right, number = read(o), lambda v: [*said, v].index(v) if isinstance(v, str) else v
    row = lambda answer: [number(v) for v in (answer if isinstance(answer, list) else [answer])]
    return lambda x, places=(): [row(answer) for answer in (right(x, places) if places else right(x))]

def words(alphabet, lengths):
    """All words of lengths[0] to lengths[1] over an alphabet, as numbers of letters; there must be some."""
    all = [x for n in range(lengths[0], lengths[1] + 1) for x in itertools.product(range(len(alphabet)), repeat=n)]
    need(all, "there are no words of these lengths")
    return all

def read(o):
    """The function from an input (a list of tokens, or of rows) to what is right: a list of decisions, or of rows."""
    language, text, sizes, names = o["language"], o["text"], {**o["parameters"], **o.get("data", {})}, o.get("alphabet")
    number = lambda v: int(v) if v == math.floor(v) else v
    plain = lambda x: [[number(v) for v in row] if isinstance(row, list) else number(row) for row in x]
    tokens = lambda x: [v[0] if isinstance(v, list) else v for v in plain(x)]
    if language == "rule":
        rule = Rule(text).whole()
        if o["answers"] == "chain":
            count = Rule(o["rows"]).whole()(sizes)
            return lambda x: [[rule({**sizes, "x": tokens(x), "r": r})] for r in range(1, count + 1)]
        places = (lambda x: [0]) if o["answers"] == "once" else lambda x: range(1, len(x) + 1)
        if "width" in o:  # reals: coordinates c of every answer
            rows = lambda x: [row if isinstance(row, list) else [row] for row in plain(x)]
            coordinates = range(1, o["width"] + 1)
            def at(x, some=None):  # at all positions, or at these
                e = {**sizes, "N": len(x), "x": rows(x)}
                return [[rule({**e, "i": i, "c": c}) for c in coordinates] for i in some or places(x)]
            return at
        return lambda x: [int(rule({**sizes, "N": len(x), "x": plain(x), "i": i})) for i in places(x)]
    if language == "dp":
        return functools.partial(Recurrence(text).rows, sizes)
    if language == "arithmetic":
        return lambda x: arithmetic(sizes["p"], tokens(x))
    if language == "rasp":  # numbers; strings are numbered by whoever has a list of them
        program = Program(text, names, o["parameters"].get("output"))
        return lambda x: program.answer([names[v] for v in plain(x)])
    need(language in ("regex", "dfa", "ltl", "crasp", "foc", "sscm", "fom", "aag", "tm"), f"the language {language} is not read here", Unknown)
    if o["answers"] == "chain":
        need(language in ("dfa", "tm"), f"chains of {language} are not read here", Unknown)
        of = (Automaton if language == "dfa" else Machine)(text, names)
        return lambda x: of.chain(tokens(x))
    kind = {"regex": Regex, "dfa": Automaton, "aag": Circuit, "fom": Sentence}.get(language) or functools.partial(Formula, language)
    of = kind(text, names)
    return lambda x: [int(bool(of.answer([names[v] for v in plain(x)])))]
