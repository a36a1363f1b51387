"""rasp.py: programs in RASP, as docs/languages.md has them: what an s-op is at every position of a word. Needs nothing but Python.

    rasp.Program("hist = selector_width(select(tokens, tokens, ==));", ["a", "b"]).answer(["a", "b", "a"])      [2, 1, 2]

Read are definitions, `def`, s-ops, selectors, lists, strings and comprehensions, and of the library what stands below; anything else is refused."""
import operator, re
from fractions import Fraction
from regular import Unknown, header, need

LIBRARY = """
full_s = select(1, 1, ==);
def hist(x) { return selector_width(select(x, x, ==)); }
def has_prev(x) { return selector_width(select(x, x, ==) and select(indices, indices, <)) > 0; }
def shift(x, by, default) { return aggregate(select(indices, indices - by, ==), x, default); }
def reverse(x) { return aggregate(select(indices, length - 1 - indices, ==), x); }
def sort(x, keys) {
    before = select(keys, keys, <) or (select(keys, keys, ==) and select(indices, indices, <));
    return aggregate(select(selector_width(before), indices, ==), x);
}
"""
TOKEN = re.compile(r'\s*("[^"]*"|\d+(?:\.\d+)?|[^\W\d]\w*|==|!=|<=|>=|\S)')
COMPARE = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
LEVELS = [(("and", "or"), {"and": lambda a, b: a and b, "or": lambda a, b: a or b}), (tuple(COMPARE), COMPARE),
          (("+", "-"), {"+": operator.add, "-": operator.sub}),
          (("*", "/", "%"), {"*": operator.mul, "/": lambda a, b: Fraction(a) / b, "%": operator.mod}),
          (("^",), {"^": operator.pow})]  # each to the left; what comes later binds more tightly

class Sop(list): pass       # a value a position
class Selector(list): pass  # of every query a Sop: is the key selected?

def each(f, *of):
    """f at every position, of every pair of positions, or of values."""
    for kind in (Selector, Sop):
        long = [x for x in of if isinstance(x, kind)]
        if long:
            return kind(each(f, *(x[i] if isinstance(x, kind) else x for x in of)) for i in range(len(long[0])))
    return f(*of)

def item(x, k):
    if isinstance(x, Sop) and not isinstance(k, Sop):  # what stands there
        return Sop([x[k]] * len(x))
    return each(lambda i: x[i], k)

def among(x, all):
    return each(lambda v: v in all, x)

class Program:
    def __init__(self, text, alphabet, output=None):
        _, rest = header(text, "alphabet", "length", "output", "attention")
        self.parts, self.output = [self.parsed(LIBRARY), self.parsed(rest)], output

    def answer(self, word):
        n = len(word)
        e = {"tokens": Sop(word), "indices": Sop(range(n)), "length": Sop([n] * n), "True": True, "False": False}
        e.update(select=self.select, aggregate=self.aggregate, selector_width=lambda s: Sop(map(sum, s)),
                 round=lambda x: each(round, x), indicator=lambda x: each(int, x), range=lambda *v: list(range(*v)), len=len)
        self.n = n
        for statement in self.parts[0] + self.parts[1]:
            statement(e)
        out = e[self.output or self.last]
        return list(out) if isinstance(out, Sop) else [out] * n

    # ---- Attention
    def select(self, key, query, compare):
        at = lambda x, i: x[i] if isinstance(x, Sop) else x
        return Selector(Sop(compare(at(key, k), at(query, q)) for k in range(self.n)) for q in range(self.n))

    def aggregate(self, s, x, default=None):
        x = x if isinstance(x, Sop) else Sop([x] * self.n)
        def one(row):
            of = [v for v, on in zip(x, row) if on]
            if not of:
                return default if default is not None else "" if isinstance(x[0], str) else False if isinstance(x[0], bool) else 0
            whole = not isinstance(of[0], (str, bool))
            need(whole or len(of) == 1, "more than one string or truth is selected")
            return Fraction(sum(of)) / len(of) if whole else of[0]
        return Sop(map(one, s))

    # ---- Statements and expressions: functions of an environment
    def parsed(self, text):
        self.tokens, self.at, out = TOKEN.findall(text), 0, []
        while self.peek():
            out.append(self.statement())
        return out

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else None

    def next(self, *words):
        need(self.peek() is not None and (not words or self.peek() in words), f"{words} and not {self.peek()!r}")
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, *words):
        return self.next() if self.peek() in words else None

    def statement(self):
        need(self.peek() not in ("for", "set", "show", "draw", "load"), f"statements with {self.peek()} are not read here", Unknown)
        if self.take("def"):
            name, names, body = self.next(), [], []
            self.next("(")
            while not self.take(")"):
                names.append(self.next())
                self.take(",")
            self.next("{")
            while self.peek() != "return":
                body.append(self.statement())
            result, _, _ = self.next() and self.expr(), self.next(";"), self.next("}")
            def called(e, *given):
                need(len(given) == len(names), f"{name} of {len(given)} values")
                inside = {**e, **dict(zip(names, given))}
                for s in body:
                    s(inside)
                return result(inside)
            return lambda e: e.update({name: lambda *given: called(e, *given)})
        name, _, value, _ = self.next(), self.next("="), self.expr(), self.next(";")
        self.last = name
        return lambda e: e.update({name: value(e)})

    def expr(self):
        f = self.choice()
        while self.take("in"):
            f = (lambda a, b: lambda e: among(a(e), b(e)))(f, self.choice())
        return f

    def choice(self):
        f = self.level(0)
        while self.take("if"):
            c, _, g = self.level(0), self.next("else"), self.level(0)
            f = (lambda a, c, b: lambda e: each(lambda x, on, y: x if on else y, a(e), c(e), b(e)))(f, c, g)
        return f

    def level(self, k):
        if k == len(LEVELS):
            return self.factor()
        f, (words, functions) = self.level(k + 1), LEVELS[k]
        while self.peek() in words and self.peek(1) not in (")", ","):  # in select(a, b, ==) it is a word
            op = functions[self.next()]
            f = (lambda a, b, op: lambda e: each(op, a(e), b(e)))(f, self.level(k + 1), op)
        return f

    def listed(self, end):
        all = []
        while not self.take(end):
            all.append(self.compared() or self.expr())
            self.take(",")
        return all

    def compared(self):
        return (lambda e, f=COMPARE[self.next()]: f) if self.peek() in COMPARE else None

    def factor(self):
        t = self.next()
        if t in ("not", "-"):
            f, op = self.factor(), operator.neg if t == "-" else operator.not_
            return lambda e: each(op, f(e))
        if t[0] == '"':
            f = lambda e: t[1:-1]
        elif t[0].isdigit():
            f = lambda e: int(t) if t.isdigit() else Fraction(t)
        elif t == "(":
            f, _ = self.expr(), self.next(")")
        elif t == "[":
            f = self.list()
        else:
            need(t != "{", "dicts are not read here", Unknown)
            need(t.isidentifier(), f"{t!r} is not understood")
            f = lambda e: e[t]
        while self.peek() in ("[", "("):
            if self.take("["):
                f, _ = (lambda a, k: lambda e: item(a(e), k(e)))(f, self.expr()), self.next("]")
            else:
                self.next()
                f = (lambda a, of: lambda e: a(e)(*(g(e) for g in of)))(f, self.listed(")"))
        return f

    def list(self):
        """[a, b], or [a for p in b]"""
        if self.take("]"):
            return lambda e: []
        first = self.expr()
        if self.take("for"):
            name, _, of, _ = self.next(), self.next("in"), self.choice(), self.next("]")
            return lambda e: [first({**e, name: v}) for v in of(e)]
        self.take(",")
        rest = self.listed("]")
        return lambda e: [f(e) for f in (first, *rest)]
