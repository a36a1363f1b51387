#!/usr/bin/python3
"""mutate_cert.py: mutants of certificates, sealed again unless the kind is about the seal; tools/verify.py must reject each.

    python3 tools/test/mutate_cert.py COUNT X.cert...        COUNT mutants of each kind that a certificate has

A mutant that says something true is none: weights and rules are changed until a decision, or an answer, is another one. Prints a line
a kind, "KIND: 100 of 100 rejected"; exit 1 when one survives, and then the change is shown."""
import base64, copy, hashlib, itertools, json, pathlib, random, re, struct, sys, tempfile
from fractions import Fraction
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import numpy as np
import chances, inside, problems, verify

np.seterr(all="ignore")
rng = random.Random(15)

def sealed(c):
    body = json.dumps({k: v for k, v in c.items() if k not in ("attest-certificate", "digest")})[1:].encode()
    return f'{{"attest-certificate": "1.0", "digest": "{hashlib.sha256(body).hexdigest()}",\n'.encode() + body

def rejected(raw):
    """Does the verifier say no: 1 or 2? In words why."""
    with tempfile.NamedTemporaryFile(suffix=".cert") as f:
        f.write(raw), f.flush()
        try:
            c, models = verify.load(f.name)
            for o in c["cells"]:
                verify.shown(o, models) if o["evidence"] == "trial" else verify.Cell(o, models).check(10**18, rng)
        except verify.Undone as why:
            raise problems.Unknown(why)
        except (verify.Untrue, verify.Damaged, ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as why:
            return str(why) or type(why).__name__
    return None

def other_hex(text):
    k = rng.randrange(len(text))
    return text[:k] + rng.choice([c for c in "0123456789abcdef" if c != text[k]]) + text[k + 1:]

def a_cell(c, **want):
    cells = [o for o in c["cells"] if all(o.get(k) == v for k, v in want.items())]
    return rng.choice(cells) if cells else None

def inputs_of(o):
    if o["evidence"] == "exact":
        d = verify.Domain(o["domain"])
        return [d.nth(i) for i in range(d.count)]
    return o.get("sample") or [o["input"]]

def says(m, x, chain=False):
    """What comes out; None: there is no answer, or it is undecided."""
    out, _, margin = m.says(x, chain)
    return out if margin is not None and [None] not in out else None

def decisions(raw, o):
    m = inside.Model(raw, o["arithmetic"])
    return [says(m, x, o["problem"]["answers"] == "chain") for x in inputs_of(o)]

# ---- kinds: each changes the certificate (a copy) and returns its bytes; None: there is nothing of the kind here ----------------------
def byte(c, raw):
    k = rng.randrange(len(raw))
    return raw[:k] + bytes([raw[k] ^ 1 << rng.randrange(7)]) + raw[k + 1:]

def digest(c, raw):
    o = a_cell(c, evidence=rng.choice(["exact", "sampled"])) or a_cell(c, evidence="exact")
    if o:
        k = rng.randrange(len(o["digests"]))
        o["digests"][k] = other_hex(o["digests"][k])
    return o and sealed(c)

def hash_lies(c, raw):
    name = rng.choice(list(c["models"]))
    data = bytearray(base64.b64decode(c["models"][name]))
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    c["models"][name] = base64.b64encode(bytes(data)).decode()
    return sealed(c)

def other_weight(old):
    size = int.from_bytes(old[:8], "little")
    k = 8 + size + 8 * rng.randrange((len(old) - 8 - size) // 8)
    return old[:k] + struct.pack("<d", -3 * struct.unpack("<d", old[k:k + 8])[0] + rng.choice([-1, 1])) + old[k + 8:]

def reweighed(c, old, new):
    """The certificate with another model in the place of one."""
    name = hashlib.sha256(new).hexdigest()
    c["models"] = {name if h == old else h: base64.b64encode(new).decode() if h == old else v for h, v in c["models"].items()}
    for holder in (w for cell in c["cells"] for w in [cell, *cell.get("shown", [])]):
        if holder.get("model") == old:
            holder["model"] = name
    return sealed(c)

def weight(c, raw):
    o = a_cell(c, evidence="exact") or a_cell(c, evidence="sampled")
    if not o:
        return None
    old = base64.b64decode(c["models"][o["model"]])
    before = decisions(old, o)
    for _ in range(200):
        new = other_weight(old)
        try:
            if decisions(new, o) == before:
                continue
        except ValueError:
            pass
        return reweighed(c, o["model"], new)
    return None

def rule(c, raw):
    """Another sign or number in the text, such that some answer is another one."""
    o = a_cell(c, evidence="exact") or a_cell(c, evidence="sampled")
    if not o:
        return None
    text, right = o["problem"]["text"], [problems.read(o["problem"])(x) for x in inputs_of(o)]
    swaps = {"==": "!=", "+": "-", "-": "+", "<": ">", ">": "<", "any": "all", "all": "any", "and": "or", "or": "and", "max": "min", "min": "max",
             "*": "|", "|": "&", "a": "b", "b": "a", "=": "!="}
    for _ in range(200):
        at = rng.choice(list(re.finditer(r"==|\b(any|all|and|or|max|min|a|b)\b|\d+|[-+<>*|=]", text)))
        put = str(int(at[0]) + 1) if at[0].isdigit() else swaps[at[0]]
        o["problem"]["text"] = text[:at.start()] + put + text[at.end():]
        try:
            if [problems.read(o["problem"])(x) for x in inputs_of(o)] != right:
                return sealed(c)
        except Exception:
            return sealed(c)
    return None

def domain(c, raw):
    o = a_cell(c, evidence="exact")
    while o and o["domain"]["how"] == "digits" and not o["domain"]["low"]:
        o = a_cell(c, evidence="exact")
    if not o:
        return None
    d = o["domain"]
    if d["how"] == "digits":
        k = rng.randrange(len(d["high"]))
        side, by = rng.choice(["low", "high"]), rng.choice([-1, 1])
        if isinstance(d[side][k], list):
            d[side][k][0] += by
        else:
            d[side][k] += by
    elif d["how"] == "multisets":
        d[rng.choice(["tokens", "length"])] += 1
    else:
        d["inputs"][rng.randrange(len(d["inputs"]))] = rng.choice(d["inputs"])
    return None if sealed(c) == sealed(json.loads(raw)) else sealed(c)

def numbers(c, raw):
    o = rng.choice([o for o in c["cells"] if o["evidence"] in ("exact", "sampled")] or [None])
    if not o:
        return None
    what = rng.choice(["inputs", "margin", "holds", "block"] if o["evidence"] == "exact" else ["margin", "holds"])
    if what == "margin":
        o["margin"] = o["margin"] * 1.01 + 1e-3 if o["margin"] is not None else 1e9
    elif what == "block":
        o["block"] += 1 if len(o["digests"]) == -(-o["inputs"] // (o["block"] + 1)) and len(o["digests"]) > 1 else o["block"] * 3
        if len(o["digests"]) == 1:
            o["block"] = max(1, o["inputs"] - 1)
            if o["inputs"] == 1:
                return None
    else:
        o[what] = o[what] + rng.choice([-1, 1]) if what == "inputs" else not o[what]
    return sealed(c)

def sample(c, raw):
    o = a_cell(c, evidence="sampled")
    if not o:
        return None
    k = rng.randrange(len(o["sample"]))
    o["sample"].pop(k) if rng.random() < .3 else o["sample"].insert(k, o["sample"][(k + 1) % len(o["sample"])])
    return sealed(c) if len(o["sample"]) else None

def refutation(c, raw):
    o = a_cell(c, evidence="refuted")
    if not o:
        return None
    what = rng.choice(["position", "expected", "got", "holds", "input"])
    if what == "input":  # one on which the model is right
        m = inside.Model(base64.b64decode(c["models"][o["model"]]), o["arithmetic"])
        right = problems.rows(o["problem"], m.said or ())
        for _ in range(100):
            x = [rng.randrange(m.fields[0].size) for _ in o["input"]] if not isinstance((o["input"] or [0])[0], list) else o["input"]
            try:
                if says(m, x, o["problem"]["answers"] == "chain") == right(x):
                    o["input"] = x
                    return sealed(c)
            except ValueError:
                pass
        return None
    if o["problem"]["answers"] == "chain" and what in ("expected", "got", "position"):
        what = "holds"
    o[what] = not o[what] if what == "holds" else o[what] + 1
    if what == "position" and not o["problem"]["answers"] == "all":
        o[what] += 7
    return sealed(c)

def case(c, raw):
    o = a_cell(c, evidence="certified")
    if not o:
        return None
    k = rng.randrange(len(o["cases"]))
    what, one = rng.randrange(5), o["cases"][k]
    if what == 0:
        del o["cases"][k]
    elif what == 1:
        one[3] = 1 - one[3]
    elif what == 2:
        one[2] = max(one[1], one[2] - 1) if one[2] > one[1] else one[2] + 1
    elif what == 3:
        n, _, d = one[rng.choice([4, 5])].partition("/")
        one[rng.choice([4, 5])] = f"{int(n) * 1000003 + int(d or 1)}/{int(d or 1) * 1000000}"
    else:
        one[6], one[7] = ("0", "1") if rng.random() < .5 else (one[7], one[6]) if one[6] != one[7] and one[3] == 2 else ("1/3", "2/3")
    return sealed(c)

def shown(c, kind):
    """A cell of a trial with something of this kind, alone in the certificate, and that."""
    all = [(o, w) for o in c["cells"] if o["evidence"] == "trial" for w in o["shown"] if w["kind"] == kind]
    o, w = rng.choice(all)  # IndexError: there is none
    c["cells"], o["shown"] = [o], [w]
    c["models"] = {name: c["models"][name] for name in c["models"] if name == w.get("model")}
    return o, w

def bound(c, raw):
    o, w = shown(c, "rule")
    what = rng.randrange(3)
    if what == 0:
        o["holds"] = not o["holds"]
    elif what == 1:
        key = rng.choice(list(o["parameters"]))
        w["parameters"][key] = w["parameters"][key] + 1 if isinstance(w["parameters"][key], (int, float)) else "?"
    else:
        w["rule"] = f"not ({w['rule']})"
    return sealed(c)

def pair(c, raw):
    """A pair for which the same is right, or what is no pair, or a model that is right where it is not, or the other verdict."""
    o, w = shown(c, rng.choice(["pair", "pair", "right"]))
    what, right = rng.randrange(3), problems.read(w["problem"])
    if what == 0 or w["kind"] == "right":
        o["holds"] = not o["holds"]
    elif what == 1 or isinstance(w["inputs"][0][0], list):
        w["inputs"][0] = w["inputs"][1] if len(w["inputs"]) > 1 else w["inputs"][0]
    else:
        tokens = sorted({v for x in w["inputs"] for v in x})
        for _ in range(1000):
            x = [rng.choice(tokens) for _ in w["inputs"][0]]
            if right(x) == right(w["inputs"][0]):
                w["inputs"][1:] = [x]
                return sealed(c)
        return None
    return sealed(c) if what == 0 or w["kind"] == "right" or len(w["inputs"]) > 1 else None

def talk(c, raw):
    """A bit of a message, a number of bits, a message less, whose rows they are, the readout, the input."""
    o, w = shown(c, "talk")
    m, what = rng.choice(w["messages"]), rng.randrange(6)
    if what == 0:
        k = rng.randrange(m["query"] + m["peak"] + m["sum"])
        bits = int.from_bytes(bytes.fromhex(m["bits"]), "little") ^ 1 << k
        m["bits"] = bits.to_bytes(len(m["bits"]) // 2, "little").hex()
    elif what == 1:
        w[rng.choice(["query_bits", "peak_bits", "sum_bits", "A"])] += rng.choice([-1, 1])
    elif what == 2:
        w["messages"].remove(m)
    elif what == 3:
        # a whole party's rows: one row that weighs nothing may be anybody's, and the messages stay true
        first, party = w["owner"][0], rng.choice([p for p in w["owner"] if p != w["owner"][0]])
        w["owner"] = [first if p == party else p for p in w["owner"]]
    elif what == 4:
        k = rng.randrange(len(w["value"]))
        w["value"][k] = w["value"][k] * 2 + 1
        o["holds"] = w["same"] = True
    else:
        o["holds"] = not o["holds"]
    return sealed(c)

def alike(c, raw):
    """A bit of a message, a row of party 0 in one of the runs, the same run twice, whether it says the same, or the other verdict."""
    o, w = shown(c, "alike")
    run, what = rng.randrange(2), rng.randrange(5)
    if what == 0:
        m = rng.choice(w["talks"][run]["messages"])
        bits = int.from_bytes(bytes.fromhex(m["bits"]), "little") ^ 1 << rng.randrange(m["query"] + m["peak"] + m["sum"])
        m["bits"] = bits.to_bytes(len(m["bits"]) // 2, "little").hex()
    elif what == 1:
        k = rng.choice([i for i, who in enumerate(w["talks"][run]["owner"]) if who == 0])
        w["inputs"][run][k] += rng.choice([-1, 1])
    elif what == 2:
        w["inputs"][1 - run], w["talks"][1 - run] = w["inputs"][run], w["talks"][run]
    elif what == 3:
        w["alike"] = not w["alike"]
    else:
        o["holds"] = not o["holds"]
    return sealed(c)

def beside(c, raw):
    """The text beside a model says another thing of a word, or of the word that tells the same; or the other verdict."""
    o, w = shown(c, rng.choice(["same", "same", "other"]))
    if rng.random() < .2:
        o["holds"] = not o["holds"]
        return sealed(c)
    text, letters, (least, most) = w["problem"]["text"], range(len(w["problem"]["alphabet"])), w["lengths"]
    words = [list(x) for n in range(least, most + 1) for x in itertools.product(letters, repeat=n)]
    model = verify.opened(base64.b64decode(c["models"][w["model"]]), w["arithmetic"])
    if w["kind"] == "other":
        right = problems.rows(w["problem"])
        alike = [x for x in words if says(model, x) == right(x)]
        w["inputs"] = [rng.choice(alike)]
        return sealed(c)
    before = [problems.read(w["problem"])(x) for x in words]
    for _ in range(200):
        at = rng.choice(list(re.finditer(r"\d+|[SO&|]", text)))
        put = str(rng.choice([int(at[0]) ^ 1, int(at[0]) + 1])) if at[0].isdigit() else {"S": "&", "O": "!", "&": "|", "|": "&"}[at[0]]
        w["problem"]["text"] = text[:at.start()] + put + text[at.end():]
        try:
            if [problems.read(w["problem"])(x) for x in words] == before:
                continue
        except Exception:
            pass
        return sealed(c)
    return None

def opened(c, w):
    return verify.opened(base64.b64decode(c["models"][w["model"]]), w["arithmetic"])

def said(m, text=()):
    """The rows of a language model behind texts of at most two tokens that it may write."""
    row = list(m.read(np.array(text, float).reshape(len(text), 1))[0][-1])
    return [row] + [said(m, (*text, t)) for t, p in enumerate(row[:-1]) if p and len(text) < 2]

def chance(c, raw):
    """Another probability in a machine's text or in the model beside it, another sum or bound, or the other verdict."""
    o, w = shown(c, rng.choice(["sums", "mass", "ends"]))
    what = rng.randrange(4)
    if what == 0:
        o["holds"] = not o["holds"]
        return sealed(c)
    if w["kind"] == "ends":
        w["least"] = None if w["least"] is not None and what == 1 else (w["least"] or 0) + rng.choice([-1, 1]) * 1e-3
        return sealed(c)
    if w["kind"] == "mass" and what == 1:
        w["mass"] = str(Fraction(w["mass"]) + Fraction(rng.choice([-1, 1]), rng.randrange(2, 99)))
        return sealed(c)
    if w["kind"] == "sums" and not o["holds"] or "model" not in w and what == 2:
        return None
    if what == 2:  # a weight
        for _ in range(200):
            new = other_weight(base64.b64decode(c["models"][w["model"]]))
            try:
                if said(verify.opened(new, w["arithmetic"])) == said(opened(c, w)):
                    continue
            except ValueError:
                pass
            return reweighed(c, w["model"], new)
        return None
    lines = w["problem"]["text"].split("\n")
    for _ in range(200):  # two probabilities change places, or a count is one more
        new = [line.split() for line in lines]
        a, b = rng.choice([(a, b) for a in range(len(new)) for b in range(a) if new[a] and new[b]])
        if w["problem"]["language"] == "counts":
            if ":" not in new[a]:
                continue
            k = rng.randrange(new[a].index(":") + 1, len(new[a]))
            new[a][k] = str(int(new[a][k]) + 1)
        elif "/" not in new[a][-1] + new[b][-1] or new[a][0] != new[b][0] or new[a][-1] == new[b][-1] or new[a][1] != new[b][1] and \
                w["problem"]["language"] == "ptm":
            continue
        else:
            new[a][-1], new[b][-1] = new[b][-1], new[a][-1]
        text = "\n".join(" ".join(line) for line in new)
        try:
            before, after = (chances.read({**w["problem"], "text": t}) for t in (w["problem"]["text"], text))
        except ValueError:  # of two states: they do not sum to 1
            continue
        if w["kind"] == "sums":
            first = lambda machine: [said for said, _ in itertools.islice(chances.levels(machine), w["lengths"][1] + 1)]
            true = first(before) == first(after)  # of a state that is not reached
        else:
            true = "model" not in w and before.mass() == after.mass()
        if not true:
            w["problem"]["text"] = text
            return sealed(c)
    return None

def regular(c, raw):
    """Another place, period or word that has it; an expression or program of another question, or the other verdict."""
    every = [w for o in c["cells"] if o["evidence"] == "trial" for w in o["shown"] if w["kind"] in ("place", "equal")]
    o, w = shown(c, rng.choice(["place", "equal"]))
    what = rng.randrange(4)
    if what == 0:
        o["holds"] = not o["holds"]
    elif w["kind"] == "equal":  # the side of the question that has the other answer
        other = rng.choice([v for v in every if v["problem"]["text"] == w["problem"]["text"] and bool(v["inputs"]) != bool(w["inputs"])])
        w["other"] = other["other"]
    elif what == 1:
        w["star_free"] = not w["star_free"]
    elif what == 2 and not w["star_free"]:
        w["period"] += rng.choice([-1, 1]) if o["holds"] else -1
    else:  # an expression of the other sort; its word belongs to another automaton
        w["problem"] = rng.choice([v for v in every if v["kind"] == "place" and v["star_free"] != w["star_free"]])["problem"]
        return sealed(c) if o["holds"] else None
    return sealed(c)

def trained(c, raw):
    """A model of another question, other answers, another measure or bound, or the other verdict."""
    kind = rng.choice(["learnt", "shares", "exam", "moves"])
    every = [(o["holds"], w) for o in c["cells"] if o["evidence"] == "trial" for w in o["shown"] if w["kind"] == kind]
    models = dict(c["models"])
    o, w = shown(c, kind)
    what = rng.randrange(3)
    if what == 0:
        o["holds"] = not o["holds"]
    elif kind == "moves":
        if what == 1 and o["holds"]:
            w[rng.choice(["bound", "range"]) if w["must"] else "bound"] = 0
        elif what == 1:  # a bound that is kept, and says something
            w["bound"], w["range"] = 1e6, 1e7
        else:
            w["inputs"][1] = rng.choice([w["inputs"][0], [1 - v if v < 2 else 3 for v in w["inputs"][0]]])
    elif what == 1 and kind != "learnt":
        key = rng.choice({"shares": ["kl", "gap", "share", "length"], "exam": ["right", "share"]}[kind])
        w[key] = w[key] * 1.5 + 1 if key != "share" else 1e-9
        return sealed(c) if key != "share" or o["holds"] or kind == "shares" else None
    elif what == 1:
        w["tolerance"] *= rng.choice([.5, 2])
    else:  # the model of a question whose verdict is the other one
        others = [v for holds, v in every if holds != o["holds"] and v["problem" if kind != "shares" else "table"] == w["problem" if kind != "shares" else "table"]]
        w["model"] = rng.choice(others)["model"]
        c["models"] = {w["model"]: models[w["model"]]}
    return sealed(c)

def sentence(c, raw):
    """Of FOM[BIT]: another arithmetic than of this length, words of two lengths, at one length another sentence."""
    every = [(o, w) for o in c["cells"] if o["evidence"] == "trial" for w in o["shown"] if w.get("problem", {}).get("language") == "fom"]
    o, w = rng.choice(every)  # IndexError: there is none
    what = rng.randrange(3)
    if what == 0:
        w["arithmetic"] = f"q{int(w['arithmetic'][1:].split('e')[0]) + rng.choice([1, 2])}e5"
    elif what == 1:
        w["lengths"][1] += 1
    else:  # a part that is true is put beside it
        w["problem"]["text"] = f"(and {w['problem']['text'].strip()} true)\n"
        if len([v for v in o["shown"] if v["model"] == w["model"]]) == 1:
            return None
    c["cells"] = [o]
    return sealed(c)

KINDS = [chance, regular, trained, byte, digest, hash_lies, weight, rule, domain, numbers, sample, refutation, case, bound, pair, talk, alike, beside, sentence]

def main(words):
    count, code = int(words[0]), 0
    certificates = [pathlib.Path(p).read_bytes() for p in words[1:]]
    for raw, path in zip(certificates, words[1:]):
        why = rejected(raw) or rejected(sealed(json.loads(raw)))
        if why:
            return print(f"{path}: not confirmed itself: {why}") or 2
    for kind in KINDS:
        made, lost, unknown = 0, 0, 0
        for _ in range(40 * count):
            if made == count:
                break
            raw = rng.choice(certificates)
            try:
                mutant = kind(copy.deepcopy(json.loads(raw)), raw)
            except IndexError:
                mutant = None
            if mutant is None:
                continue
            try:
                why = rejected(mutant)
            except problems.Unknown:  # exit 3: too much to compute, so neither confirmed nor rejected; another one is drawn
                unknown += 1
                continue
            made += 1
            if not why:
                lost, code = lost + 1, 1
                print(f"{kind.__name__}: survives: {difference(json.loads(raw), json.loads(mutant))}")
        print(f"{kind.__name__}: {made - lost} of {made} rejected" + (f", {unknown} others could not be checked" if unknown else ""))
        code = code or (3 if made < count else 0)
    return code

def difference(a, b, at=""):
    if isinstance(a, dict) and isinstance(b, dict):
        keys = [k for k in {**a, **b} if k != "digest" and (at or k != "models")]
        return "; ".join(filter(None, (difference(a.get(k), b.get(k), f"{at}.{k}") for k in keys)))[:600]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return "; ".join(filter(None, (difference(x, y, f"{at}[{i}]") for i, (x, y) in enumerate(zip(a, b)))))[:300]
    return "" if a == b else f"{at}: {str(a)[:200]} -> {str(b)[:200]}"

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
