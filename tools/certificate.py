"""certificate.py: the file of a certificate (docs/certfile.md): reading it, which inputs a domain has, and what cells and trials ask of a model."""
import base64, functools, hashlib, json, math, pathlib
import numpy as np
import inside, problems

class Damaged(Exception): pass  # exit 2
class Untrue(Exception): pass   # exit 1

need = functools.partial(problems.need, error=Untrue)

def once(pairs):
    need(len(dict(pairs)) == len(pairs), "a key stands twice", error=Damaged)
    return dict(pairs)

def load(path):
    """The certificate, and its models by their hash."""
    path, raw = pathlib.Path(path), pathlib.Path(path).read_bytes()
    first, _, rest = raw.partition(b"\n")
    need(first.startswith(b'{"attest-certificate"'), "no certificate of attest", error=Damaged)
    head = json.loads(first.rstrip(b",") + b"}", object_pairs_hook=once)
    need(head.get("attest-certificate", "").split(".")[0] == "1", "a version of the format that is unknown here", error=Damaged)
    need(hashlib.sha256(rest).hexdigest() == head.get("digest"), "the digest is another: the file is damaged", error=Damaged)
    c, models = json.loads(raw.decode(), object_pairs_hook=once), {}
    for name, data in c["models"].items():
        models[name] = base64.b64decode(data, validate=True) if data is not None else path.with_name(f"{name}.safetensors").read_bytes()
        need(hashlib.sha256(models[name]).hexdigest() == name, f"model {name[:16]}: its hash is another", error=Damaged)
    return c, models

opened = functools.lru_cache(64)(inside.Model)  # of bytes, in an arithmetic

class Domain:
    """Which inputs there are: `count`, and the i-th of them."""
    def __init__(self, o):
        self.o, self.how = o, o["how"]
        need(self.how in ("digits", "multisets", "listed"), f"a domain by {self.how}", error=Damaged)
        if self.how == "digits":
            self.low = np.array(o["low"], int)
            self.sizes = (np.array(o["high"], int) - self.low + 1).ravel().tolist()
            self.count = math.prod(max(0, size) for size in self.sizes)
        elif self.how == "multisets":
            self.count = math.comb(o["tokens"] + o["length"] - 1, o["length"])
        else:
            self.count = len({json.dumps(x) for x in o["inputs"]})
            need(self.count == len(o["inputs"]), "an input is listed twice")
    def nth(self, i):
        x = []
        if self.how == "digits":  # the last is the fastest
            for size in reversed(self.sizes):
                i, digit = divmod(i, size)
                x.insert(0, digit)
            return (self.low + np.array(x, int).reshape(self.low.shape)).tolist()
        if self.how == "multisets":  # x_1 <= ... <= x_N, the number i is the sum of C(x_k + k - 1, k)
            for k in range(self.o["length"], 0, -1):
                most = x[0] if x else self.o["tokens"] - 1
                x.insert(0, next(v for v in range(most, -1, -1) if math.comb(v + k - 1, k) <= i))
                i -= math.comb(x[0] + k - 1, k)
            return x
        return self.o["inputs"][i]

class Asked:
    """A model on a problem. Answers are rows of numbers: decisions (None: undecided), reals, or the rows of a decoder."""
    def __init__(self, o, models):
        self.o, self.tolerance, self.answers = o, o.get("tolerance"), o.get("problem", {}).get("answers")
        if "model" in o:
            self.data = models[o["model"]]
            self.model = opened(self.data, "f64" if o["arithmetic"] == "balls" else o["arithmetic"])
            self.model.running = o.get("running", False)
    @functools.cached_property
    def wanted(self):
        """What is right for an input; of reals at some positions alone, if they are said, too."""
        return problems.rows(self.o["problem"], self.model.said or ())
    def run(self, x, draft=None):
        """What comes out, the values that it is read from, and the least margin, None where there is no answer. A draft may well come out."""
        out, values, margin = self.model.says(x, self.answers == "chain", draft)
        return out if self.tolerance is None else values, values, margin
    def far(self, out, right):
        """How far rows are from others, each: of reals the distance, else 0, or infinitely far."""
        if self.tolerance is None:
            return np.array([0 if a == b else math.inf for a, b in zip(out, right)])
        a, b = (np.array(rows, object if self.o["arithmetic"] == "exact" else float) for rows in (out, right))
        need(a.shape == b.shape, "rows of another size than those that are right")
        return np.sqrt(((a - b) ** 2).sum(axis=1).astype(float))
    def near(self, out, right):
        """Is this the answer?"""
        return len(out) == len(right) and bool((self.far(out, right) <= (self.tolerance or 0)).all())
