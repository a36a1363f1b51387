"""arithmetics.py: the other numbers that reference.py computes with, by docs/arithmetic.md and docs/exec.md. Needs numpy, nothing else.

reference.py has doubles (its class Real), and reads this file only for an arithmetic that is not f64. An arithmetic is a class of arrays:
fractions (Exact), p-bit numbers (Bits), of which every operation is rounded, and intervals of doubles (Interval), rounded outwards. Each has the
functions that Real has: how a mean is taken of scores and values by the weightings of docs/model.md, what position features are, how GELU and
the nearest integer are found; intervals have neither of the last two, and no decisions: inside.py reads them."""
import decimal, functools, itertools, math, re
from fractions import Fraction
import numpy as np
from reference import Real, features, need

def gelu_slow(x):  # x Phi(x), by the series of erf
    t = term = x / decimal.Decimal(2).sqrt()
    for k in range(1, 400):
        term *= -(x * x / 2) / k
        t += term / (2 * k + 1)
    pi = decimal.Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899863")
    return x * (1 + 2 * t / pi.sqrt()) / 2

# ---- The classes ---------------------------------------------------------------------------------------------------
class Exact(np.ndarray):
    """Fractions, as arrays of objects; what is irrational is refused."""
    name = "exact"
    @classmethod
    def of(cls, x):
        one = lambda v: int(v) if v == int(v) else Fraction(v)
        return x if isinstance(x, cls) else np.asarray(np.vectorize(one, otypes=[object])(np.asarray(x)), object).view(cls)
    nearest = np.vectorize(round, otypes=[float])
    @classmethod
    def features(cls, kind, i, *more):
        return cls.of(features(kind, cls.of(i), *more))
    @staticmethod
    def gelu(z):
        need(False, "gelu is not done in fractions")
    def __array_ufunc__(self, f, method, *inputs, out=None, **more):
        need(method == "__call__" and f in EXACT + ROUNDED[:4] + (np.matmul, np.remainder, np.power), f"{f.__name__} is not done in fractions")
        plain = [np.asarray(Exact.of(x) if np.asarray(x).dtype.kind in "fi" else x) for x in inputs]
        if f is np.divide:
            y = np.multiply(plain[0], np.vectorize(lambda v: Fraction(1) / v, otypes=[object])(plain[1]))
        elif f is np.matmul:  # weights that are 0 are many, and no terms
            a, b = plain
            y = np.zeros(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + (a.shape[-2], b.shape[-1]), object)
            for k in range(a.shape[-1]):
                some = np.flatnonzero((b[..., k, :].reshape(-1, b.shape[-1]) != 0).any(axis=0))
                y[..., some] += a[..., :, k, None] * b[..., k, :][..., None, :][..., some]
        else:
            y = f(*plain)
        if out:
            np.asarray(out[0])[...] = y
            return out[0]
        return y if np.asarray(y).dtype == bool else np.array(y, object).view(Exact)
    @staticmethod
    def share(kind, s, tie=0):
        """What keys of scores s weigh."""
        top = max(s)
        if kind == "sparsemax":
            sums = itertools.accumulate(sorted((v - top for v in s), reverse=True))
            tau = max(Fraction(S - 1) / k for k, S in enumerate(sums, 1))
            return [max(0, v - top - tau) for v in s]
        need(kind.endswith("-hard"), f"{kind} is not done in fractions")
        tied = [k for k, v in enumerate(s) if v >= top - tie]
        tied = {"leftmost-hard": tied[:1], "rightmost-hard": tied[-1:]}.get(kind, tied)
        return [Fraction(1, len(tied)) if k in tied else 0 for k in range(len(s))]
    @classmethod
    def mixed(cls, kind, s, allowed, tie, v):
        w = np.zeros(s.shape, object)
        for h, t in np.ndindex(s.shape[:2]):
            keys = np.flatnonzero(allowed[t])
            w[h, t, keys] = cls.share(kind, list(np.asarray(s)[h, t, keys]), Fraction(tie)) if keys.size else []
        return w.view(cls) @ v
    @classmethod
    def shares(cls, kind, v):
        return np.array([cls.share(kind, list(row)) for row in v], object)

def bits(name):
    """The arithmetic pN, pNeE, qN or qNeE, N to 25: then doubles, rounded once more, are correctly rounded; f32 as p24e8. Or exact, intervals,
    anywhere."""
    form = re.fullmatch(r"([pq])(\d+)(?:e(\d+))?", "p24e8" if name == "f32" else name)
    others = {kind.name: kind for kind in (Exact, Interval, Anywhere)}
    need(name in others or form and 2 <= int(form[2]) <= 25, f"the arithmetic {name} is unknown here")
    more = lambda: {"name": name, "p": int(form[2]), "e": int(form[3] or 10), "plain": name == "f32",  # f32: sums are rounded, too
                    "quotient": form[1] == "q"}
    return others.get(name) or type("Bits", (Bits,), more())

class Bits(np.ndarray):
    nearest = Real.nearest
    @classmethod
    def rounded(cls, x, rest=0.0):
        """x + rest to the nearest number, ties to even; the rest is less than half a unit of x in its last place."""
        low, q = 2 - 2 ** (cls.e - 1), np.frexp(x)[1] - 1
        q = np.maximum(q, low) - (cls.p - 1)
        units = np.ldexp(x, -q)
        near = np.where(np.abs(units - np.trunc(units)) == 0.5, np.rint(units + np.sign(rest) * 0.25), np.rint(units))
        y = np.where(np.isfinite(x) & (x != 0), np.ldexp(near, q), x)
        return np.where(np.abs(y) >= 2.0 ** (1 - low + 1), np.copysign(np.inf, y), y)
    @classmethod
    def of(cls, x):
        return cls.rounded(np.asarray(x, float)).view(cls)
    @classmethod
    def near(cls, true):
        """The number nearest to a fraction."""
        return float(cls.rounded(np.array(float(true)), float(true - Fraction(float(true)))))
    @classmethod
    def decoded(cls, code):
        """A number from its bits (docs/protocols.md): the mantissa without its first bit, the field of the exponent, the sign."""
        p, most = cls.p, (1 << cls.e) - 1
        mantissa, field, sign = code & (1 << p - 1) - 1, code >> p - 1 & most, 1 - 2 * (code >> p - 1 + cls.e)
        if field == most:
            return math.nan if mantissa else math.inf * sign
        return sign * math.ldexp(mantissa + (1 << p - 1 if field else 0), 2 - 2 ** (cls.e - 1) - p + max(field, 1))
    @classmethod
    def sum_decoded(cls, code, bits):
        """An exact sum from its bits: two's complement, in products of two smallest numbers."""
        return (code - (code >> bits - 1 << bits)) * Fraction(2) ** (2 * (3 - 2 ** (cls.e - 1) - cls.p))
    @classmethod
    def function(cls, y, slow, *x):
        """y is near a function of x, to 2^-47: where that does not settle its rounding, slow(x) gives digits enough."""
        a, b = cls.rounded(y * (1 - 2.0**-47)), cls.rounded(y * (1 + 2.0**-47))
        for i in zip(*np.nonzero((a != b) & np.isfinite(y))):
            with decimal.localcontext() as c:
                c.prec = 80
                true = slow(*(decimal.Decimal(float(v[i])) for v in x))
                hi = float(true)
                a[i] = cls.rounded(np.array(hi), float(true - decimal.Decimal(hi)))
        return a.view(cls)
    @classmethod
    def features(cls, kind, *more):
        near = features(kind, *more)
        sure = kind not in ("sinusoidal", "sqrt-pair")  # a fraction, or a whole number
        return cls.of(near) if sure else cls.function(near, lambda: need(False, f"{kind}: too near"))
    @classmethod
    def gelu(cls, z):
        return cls.function(Real.gelu(np.asarray(z)), gelu_slow, np.asarray(z))
    def __array_ufunc__(self, f, method, *inputs, out=None, **more):
        plain = [np.asarray(x) for x in inputs]
        if f is np.add and method == "reduce":  # sums over an axis, one after another
            total = np.moveaxis(plain[0], more.get("axis") or 0, 0)
            y = functools.reduce(lambda a, b: self.rounded(a + b), total)
            y = np.expand_dims(y, more.get("axis") or 0) if more.get("keepdims") else y
        elif method == "__call__" and f is np.exp:
            return self.function(np.exp(plain[0]), lambda x: x.exp(), plain[0])
        elif method == "__call__" and f is np.tanh:
            return 1 - 2 / (1 + np.exp(2 * self))
        elif method == "__call__" and f is np.matmul:  # as affine rows: products and sums rounded; a weight that is 0 is no term
            a, b = plain
            y = np.zeros(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + (a.shape[-2], b.shape[-1]))
            for k in range(a.shape[-1]):
                w = b[..., k, None, :]
                y = np.where(w == 0, y, self.rounded(y + self.rounded(a[..., :, k, None] * w)))
        else:
            need(f in EXACT or f in ROUNDED and method == "__call__", f"{f.__name__} is not done at p bits here")
            if out:
                more["out"] = tuple(np.asarray(o) for o in out)
            y = getattr(f, method)(*plain, **more)
            y = y if f in EXACT else self.rounded(y)
            if out:
                np.asarray(out[0])[...] = np.where(more.get("where", True), y, np.asarray(out[0]))
                return out[0]
        return np.asarray(y).view(type(self)) if np.asarray(y).dtype == float else y
    @classmethod
    def total(cls, terms):
        """The sums of the last axis, exact, rounded once."""
        def one(t):
            if not np.isfinite(t).all():
                return float(np.sum(t)), 0.0
            hi = math.fsum(t)
            return hi, math.fsum([*t, -hi])
        if cls.plain:
            return functools.reduce(lambda s, t: cls.rounded(s + cls.rounded(t)), np.moveaxis(terms, -1, 0), np.zeros(terms.shape[:-1])).view(cls)
        flat = np.array([one(t) for t in terms.reshape(-1, terms.shape[-1])]).reshape(*terms.shape[:-1], 2)
        return cls.rounded(flat[..., 0] + 0.0, flat[..., 1]).view(cls)
    @classmethod
    def weights(cls, kind, s, allowed, tie):
        """Of scores (H, queries, keys), before any division."""
        some = allowed.any(-1, keepdims=True)
        top = np.max(np.asarray(s), -1, keepdims=True, where=allowed, initial=-np.inf)
        nothing = np.isnan(np.asarray(s)) & allowed  # a score that is none spoils its query
        top = np.where(nothing.any(-1, keepdims=True), np.nan, np.where(some, top, 0))
        if kind.endswith("-hard"):
            tied = allowed & ~(np.asarray(s) < np.asarray(cls.of(top) - cls.of(tie)))
            side = slice(None, None, -1 if kind == "rightmost-hard" else 1)
            tied &= kind == "average-hard" or np.cumsum(tied[..., side], -1)[..., side] == 1  # the first from that side
            return np.where(np.isnan(top), np.nan, np.where(tied, 1.0, 0.0))
        if kind == "linear":
            return np.where(allowed, np.asarray(s), 0.0)
        z = np.where(allowed, np.asarray(s - top), -np.inf)
        if kind != "sparsemax":
            return np.where(allowed, np.asarray(np.exp(z.view(cls))), 0.0)
        order, most, S = -np.sort(-z), np.full(z.shape[:-1], -np.inf), np.zeros(z.shape[:-1])
        for k in range(z.shape[-1]):
            S = cls.rounded(S + order[..., k])
            most = np.maximum(most, np.where(np.isfinite(order[..., k]), cls.rounded(cls.rounded(S - 1) / (k + 1)), -np.inf))
        return np.where(allowed, np.maximum(0, cls.rounded(np.where(allowed, z, 0) - np.where(some, most[..., None], 0))), 0.0)
    @classmethod
    def shares(cls, kind, v):
        w = cls.weights(kind, v.view(cls), np.full(v.shape, True), 0)
        return np.asarray(w / cls.total(w)[..., None]) if kind == "softmax" else w
    @classmethod
    def fraction(cls, v, w):
        """A mean of values v by weights w, rounded once; as its rounded sums are divided where something is not finite."""
        if not np.isfinite([*v, *w]).all() or not w.any():
            return float(cls.rounded(np.divide(*(np.asarray(cls.total(t)) for t in (w * v, w)))))
        return cls.near(sum(Fraction(a) * Fraction(b) for a, b in zip(v, w)) / sum(map(Fraction, w)))
    @classmethod
    def mixed(cls, kind, s, allowed, tie, v):
        """Means of values v (H, keys, dv) by scores s (H, queries, keys): both sums exact."""
        some, w, v = allowed.any(-1, keepdims=True), cls.weights(kind, s, allowed, tie)[..., None, :], np.asarray(v)
        if cls.quotient and kind in ("softmax", "threewise", "linear", "average-hard"):
            up = np.where(w == 0, 0.0, v.swapaxes(-1, -2)[..., None, :, :])  # (H, queries, dv, keys)
            flat = [cls.fraction(*row) for row in zip(*(t.reshape(-1, t.shape[-1]) for t in (up, np.broadcast_to(w, up.shape))))]
            return np.where(some, np.array(flat, float).reshape(up.shape[:-1]), 0.0).view(cls)
        up = cls.total(np.where(w == 0, 0.0, w * v.swapaxes(-1, -2)[..., None, :, :]))
        down = np.asarray(cls.total(w)) if kind in ("softmax", "threewise", "linear", "average-hard") else np.ones(1)
        return np.where(some, np.asarray(up / np.where(some, down, 1)), 0.0).view(cls)
    @classmethod
    def running(cls, q, k, v, allowed):
        """Linear attention by its sums z and S, each rounded after every token (docs/decode.md): q, k (H, T, dk) are behind phi."""
        need(allowed.diagonal().all(), "running sums are those of causal attention")
        z, S, rows = np.zeros(k[:, 0].shape), np.zeros((*k[:, 0].shape, v.shape[2])), []
        for t in range(q.shape[1]):
            z, S = z + k[:, t], S + k[:, t, :, None] * v[:, t, None, :]
            N = cls.total(np.asarray(q[:, t])[:, None] * np.asarray(S).swapaxes(1, 2))
            rows.append(np.asarray(N / np.asarray(cls.total(np.asarray(q[:, t]) * np.asarray(z)))[:, None]))
        return np.stack(rows, axis=1).view(cls)

class Undone(ValueError): pass  # what intervals do not do

def not_above(bounds, x, depth=14):
    """Which of many intervals x have parts that are not known to be mapped above 0: bounds(k, part) has those of parts of the k-th ones. They are
    halved until it is known."""
    k = np.arange(len(x))
    for _ in range(depth + 1):
        y, middle = bounds(k, x), (x.lo + x.hi) / 2
        if (y.hi <= 0).any():
            return k[y.hi <= 0]
        left = y.lo <= 0
        k, x = np.tile(k[left], 2), np.concatenate([Interval.of(x.lo, middle)[left], Interval.of(middle, x.hi)[left]]).view(Interval)
        if not left.any():
            break
    return k

class Interval(np.ndarray):
    """Intervals of doubles, rounded outwards after every operation: arrays of pairs (lo, hi)."""
    name = "intervals"
    lo, hi = (property(lambda self, end=end: np.asarray(self)[end]) for end in ("lo", "hi"))
    @classmethod
    def of(cls, lo, hi=None):
        if np.asarray(lo).dtype.names:
            return np.asarray(lo).view(cls)
        lo, hi = np.broadcast_arrays(np.asarray(lo, float), np.asarray(lo if hi is None else hi, float))
        x = np.empty(lo.shape, [("lo", float), ("hi", float)])
        x["lo"], x["hi"] = lo, hi
        return x.view(cls)
    @classmethod
    def wider(cls, lo, hi, by=0.0):
        """Behind an operation that is rounded to the nearest, or is off by so much of itself; what is no number may be any."""
        lo, hi = np.nextafter(lo - by * np.abs(lo), -np.inf), np.nextafter(hi + by * np.abs(hi), np.inf)
        return cls.of(np.where(np.isnan(lo), -np.inf, lo), np.where(np.isnan(hi), np.inf, hi))
    def hull(self, axis=0):
        return self.of(self.lo.min(axis), self.hi.max(axis))
    def hulls(self, parts):
        """Of parts of a list, as masks; [0, 0] of those that have nothing."""
        return np.stack([self[part].hull() if part.any() else self.of(0) for part in parts]).view(type(self))
    @classmethod
    def refused(cls, what):
        raise Undone(f"{what} is not done in intervals")
    nearest = gelu = running = lambda *_: Interval.refused("this")
    shares = lambda *_: Interval.refused("a decision")
    @classmethod
    def features(cls, kind, i, *more):
        near, off = features(kind, i, *more), 0.0 if kind in ("i", "i^2", "n", "alternate", "table") else 2.0**-50 * (1 + i.max())  # of angles, too
        return cls.of(near) if not off else cls.wider(near - off, near + off)
    def __array_ufunc__(self, f, method, *inputs, out=None, **more):
        x = [self.of(v) for v in inputs]
        if f is np.add and method == "reduce":  # sums over an axis, one after another
            y = functools.reduce(np.add, np.moveaxis(x[0], more.get("axis") or 0, 0))
            y = np.expand_dims(y, more.get("axis") or 0) if more.get("keepdims") else y
        elif method != "__call__" or f not in (*MONOTONE, *CORNERS, np.matmul, np.negative, np.absolute):
            return self.refused(f.__name__)
        elif f is np.matmul:  # a weight that is 0 is no term
            y = self.of(np.zeros(np.broadcast_shapes(x[0].shape[:-2], x[1].shape[:-2]) + (x[0].shape[-2], x[1].shape[-1])))
            for k in range(x[0].shape[-1]):
                w = x[1][..., k, None, :]
                y = np.where((w.lo == 0) & (w.hi == 0), y, y + x[0][..., :, k, None] * w).view(type(self))
        elif f in MONOTONE:
            lo, hi = f(*(v.lo for v in x)), f(*(v.hi for v in x))
            y = self.of(lo, hi) if MONOTONE[f] is None else self.wider(lo, hi, MONOTONE[f])
        elif f in CORNERS:
            ends = [f(a, b) for a in (x[0].lo, x[0].hi) for b in (x[1].lo, x[1].hi)]
            lo, hi = np.minimum.reduce(ends), np.maximum.reduce(ends)
            through = f is np.divide and (x[1].lo <= 0) & (x[1].hi >= 0)
            y = self.wider(np.where(through, -np.inf, lo), np.where(through, np.inf, hi))
        else:
            y = self.of(-x[0].hi, -x[0].lo)
            y = np.maximum(np.maximum(x[0], y), 0) if f is np.absolute else y
        if out:
            out[0][...] = y
            return out[0]
        return y.view(type(self))
    @classmethod
    def mean(cls, w, v):
        """Where the means of values v lie by weights w (..., keys), whatever both are in their intervals. A key that weighs [0, 0] is none;
        without any the mean is 0."""
        def least(lo, hi, v):  # it has the largest weights at the smallest values, to one of them, and the least behind
            order = np.argsort(np.where(hi > 0, v, np.inf), -1)
            lo, hi, v = (np.take_along_axis(z, order, -1) for z in (lo, hi, np.where(hi > 0, v, 0)))
            behind = lambda z: np.cumsum(z[..., ::-1], -1)[..., ::-1] - z
            up, down = np.cumsum(hi * v, -1) + behind(lo * v), np.cumsum(hi, -1) + behind(lo)
            return np.min(up / down, -1) - (v.shape[-1] + 2) * 2.0**-49 * np.abs(v).max(-1)  # sums of doubles are rounded
        lo, hi, a, b = np.broadcast_arrays(w.lo, w.hi, v.lo, v.hi)
        some = hi > 0
        least_, most = np.min(a, -1, where=some, initial=np.inf), np.max(b, -1, where=some, initial=-np.inf)  # no mean is beyond
        y = np.fmax(least_, least(lo, hi, a)), np.fmin(most, -least(lo, hi, -b))
        return cls.of(*(np.where(some.any(-1), end, 0) for end in y))
    @classmethod
    def weights(cls, kind, s, allowed):
        """What keys weigh by their scores (..., queries, keys); of what is no softmax nothing is known but that it is something."""
        top = np.max(s.hi, -1, keepdims=True, where=allowed, initial=-np.inf)
        w = np.exp(s - top) if kind in ("softmax", "threewise") else cls.of(np.zeros(s.shape), 1)
        return np.where(allowed, w, cls.of(0)).view(cls)
    @classmethod
    def mixed(cls, kind, s, allowed, tie, v):
        return cls.mean(cls.weights(kind, s, allowed)[..., None, :], v.swapaxes(-1, -2)[..., None, :, :])

class Anywhere(Interval):
    """Intervals of what is at any position of any input: rows of the stream that have all of its rows in them, as Model.anywhere of inside.py has
    them. A query may see all keys or some of them."""
    name = "anywhere"
    @classmethod
    def features(cls, kind, i, T, size, shift):
        if kind == "table":
            return super().features(kind, i, T, size, shift)
        far = 1 if kind in ("1/i", "1/i^2", "alternate", "sinusoidal", "sqrt-pair") or kind in ("i/n", "i/n^3") and 0 <= i[0] <= 1 else np.inf
        return cls.of(np.full((T, len(features(kind, i, T, size, shift).T)), -far), far)
    @classmethod
    def mixed(cls, *seen):
        y = super().mixed(*seen)
        return np.broadcast_to(y.hull(1)[:, None], y.shape, subok=True)

MONOTONE = {np.maximum: None, np.minimum: None, np.sqrt: 0.0, np.exp: 2.0**-48, np.tanh: 2.0**-48}  # by how much they may be off
CORNERS = (np.add, np.subtract, np.multiply, np.divide)
ROUNDED = (np.add, np.subtract, np.multiply, np.divide, np.sqrt)
EXACT = (np.maximum, np.minimum, np.negative, np.absolute, np.isfinite, np.isnan, np.greater, np.less, np.equal, np.not_equal,
         np.greater_equal, np.less_equal, np.rint, np.sign)
