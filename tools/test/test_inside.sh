#!/bin/bash
# What the second reader sees of runs (tools/inside.py): bounds in intervals, heads over some of the keys, drafts; and which files are the verifier's.
. tools/test/lib.sh
attest=${ATTEST:-${BUILD:-build}/attest}
python=/usr/bin/python3

# What verify.py imports is the reference, a definition of what is right, or its own: 400 lines at most, none of them long.
cat >"$tree/own.py" <<'PY'
import ast, pathlib, sys
tools = pathlib.Path(sys.argv[1])
given = {"reference", "inside", "arithmetics"} | {"problems", "regular", "rasp", "majority", "chances", "protocols"}
def imports(name):
    nodes = ast.walk(ast.parse((tools / f"{name}.py").read_text(encoding="utf-8")))
    names = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
    nodes = ast.walk(ast.parse((tools / f"{name}.py").read_text(encoding="utf-8")))
    names |= {n.module for n in nodes if isinstance(n, ast.ImportFrom)}
    return {n for n in names if (tools / f"{n}.py").exists()}
own, todo = set(), {"verify"}
while todo:
    own |= todo
    todo = {n for name in todo for n in imports(name)} - own - given
wrong = [f"{name}.py imports {n}.py" for name in given for n in imports(name) & own]
lines = [(name, k, line) for name in sorted(own) for k, line in enumerate((tools / f"{name}.py").read_text(encoding="utf-8").split("\n")[:-1], 1)]
wrong += [f"{name}.py:{k}: longer than 150 characters" for name, k, line in lines if len(line) > 150]
wrong += [f"{len(lines)} lines of {', '.join(sorted(own))}: more than 400"] if len(lines) > 400 else []
print(*wrong or [f"{len(lines)} lines"], sep="\n")
sys.exit(bool(wrong))
PY
holds 'the verifier is read in one sitting: 400 lines of its own' "$python" "$tree/own.py" tools
mkdir "$tree/more" && cp tools/*.py "$tree/more" && printf '\n\n' >>"$tree/more/certificate.py"
fails 'lines more' 'more than 400' "$python" "$tree/own.py" "$tree/more"
cp tools/certificate.py "$tree/more" && echo 'import verify' >>"$tree/more/inside.py"
fails 'the reference does without the verifier' 'inside.py imports verify.py' "$python" "$tree/own.py" "$tree/more"
cp tools/inside.py "$tree/more" && echo 'import onnx_run' >>"$tree/more/certificate.py"
fails 'another file counts' 'lines of certificate, onnx_run, verify' "$python" "$tree/own.py" "$tree/more"

if ! "$python" -c 'import numpy' 2>/dev/null; then
    tests=$((tests + 1))
    echo "ok $tests - what runs are made of # SKIP no numpy"
    finish
fi
made() # $1 file, $2... command
{
    file=$tree/$1
    shift
    "$attest" "$@" -o "$file" >"$tree/.out" 2>&1 || verdict 1 "attest $1 $2"
}
made match2.st build match2
made match3.st build match3-threewise --set N=4
made dyck.st build dyck --set N=6
made gru.st train parity --set n=4 --net gru --width 8 --layers 1 --batch 4 --steps 10 --exams 10 --prompts 2 --count 2
made decoder.st train parity --set n=4 --net decoder --width 8 --layers 1 --heads 1 --batch 4 --steps 10 --exams 10 --prompts 2 --count 2
made weather.st compile examples/weather.pfsa --set N=4
made distance.st compile examples/edit-distance.dp --set n1=2,n2=2

# attest's values in double precision lie between these doubles, which are near each other
cat >"$tree/between.py" <<'PY'
import json, sys
values, far = json.load(open(sys.argv[1]))["values"], float(sys.argv[3])
rows = [[tuple(map(float, pair.split(".."))) for pair in line.split()] for line in open(sys.argv[2])]
off = [(v, lo, hi) for row, ends in zip(values, rows * len(values) if far == float("inf") else rows)
       for v, (lo, hi) in zip(row, ends) if not lo <= v <= hi or hi - lo > far]
print(off)
sys.exit(bool(off) or not rows or far < float("inf") and len(rows) != len(values))
PY
between() # $1 name, $2 model, $3 input
{
    "$attest" run "$tree/$2" "$3" --json >"$tree/.a" 2>"$tree/.out" && "$python" tools/inside.py "$tree/$2" "$3" >"$tree/.b" 2>"$tree/.out" &&
        "$python" "$tree/between.py" "$tree/.a" "$tree/.b" 1e-6 >"$tree/.out" 2>&1
    verdict $? "between doubles: $1"
}
anywhere() # the same, of all inputs
{
    "$attest" run "$tree/$2" "$3" --json >"$tree/.a" 2>"$tree/.out" && "$python" tools/inside.py "$tree/$2" >"$tree/.b" 2>"$tree/.out" &&
        "$python" "$tree/between.py" "$tree/.a" "$tree/.b" inf >"$tree/.out" 2>&1
    verdict $? "between those of all inputs: $1"
}
between softmax match2.st '3 8 0 1 10 5'
between three-wise match3.st '3 8 0 1'
between 'hidden rows, positions' dyck.st '( ( ) ( ) )'
between 'a recurrent net' gru.st '1 0 1 <sep>'
anywhere softmax match2.st '3 8 0 1 10 5'
anywhere 'hidden rows, positions' dyck.st '( ( ) ( ) )'
fails 'what intervals do not do is refused: a recurrent net, of all inputs' 'only attention, and ReLU' "$python" tools/inside.py "$tree/gru.st"
fails 'and GELU' 'not done in intervals' "$python" tools/inside.py "$tree/decoder.st" 1 0 1 1 '<sep>'

cat >"$tree/steps.py" <<'PY'
import itertools, random, sys
from fractions import Fraction
sys.path.insert(0, "tools")
import numpy as np
import arithmetics, chances, inside, regular
np.seterr(all="ignore")
folder, rng, Interval = sys.argv[1], random.Random(3), arithmetics.Interval

# operations: what comes out of numbers in intervals lies in the interval that comes out
def drawn(shape):
    ends = np.sort([[rng.uniform(-3, 3) for _ in range(np.prod(shape))] for _ in range(2)], axis=0).reshape(2, *shape)
    return Interval.of(*ends), [ends[0] + (ends[1] - ends[0]) * rng.random() for _ in range(20)]
for f in (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.matmul):
    (x, xs), (y, ys) = drawn((3, 3)), drawn((3, 3))
    z = f(x, y)
    assert all((z.lo <= f(a, b)).all() and (f(a, b) <= z.hi).all() for a in xs for b in ys), f
for f in (np.negative, np.absolute, np.exp, np.tanh):
    x, xs = drawn((5,))
    assert all((f(x).lo <= f(a)).all() and (f(a) <= f(x).hi).all() for a in xs), f
z = Interval.of(0.1) + 0.2
assert np.divide(Interval.of(1.0), Interval.of(-1.0, 2.0)).hi == np.inf and Fraction(float(z.lo)) < Fraction(0.1) + Fraction(0.2) < Fraction(float(z.hi))
for _ in range(50):  # means: the least and the largest are at corners
    (w, _), (v, _) = drawn((4,)), drawn((4,))
    w = np.absolute(w)
    means = [sum(a * b for a, b in zip(c, d)) / sum(c) for c in itertools.product(*zip(w.lo, w.hi)) if sum(c) for d in (v.lo, v.hi)]
    m = Interval.mean(w, v)
    assert m.lo <= min(means) + 1e-15 and max(means) <= m.hi + 1e-15 and m.lo > min(means) - 1e-9 and m.hi < max(means) + 1e-9
assert not len(arithmetics.not_above(lambda k, x: x * x + 0.01 - x * 0.1, Interval.of([-1.0, 0], [0.0, 1])))
assert len(arithmetics.not_above(lambda k, x: x * x - 0.01, Interval.of([1.0, 0], [2.0, 1])))

# numbers from their bits: all of p3e3, and those of doubles at p24e8
B = arithmetics.bits("p3e3")
all_ = [B.decoded(code) for code in range(64)]
assert all(v != v or v in (np.inf, -np.inf) or B.near(Fraction(v)) == v for v in all_) and len({v for v in all_ if v == v}) == 57 and all_[12] == 1.0, all_
F = arithmetics.bits("f32")
assert all(F.decoded(int(np.float32(v).view(np.uint32))) == float(np.float32(v)) for v in (1.5, -3e-40, 0.0, 7e30, -0.1))
assert B.sum_decoded(5, 20) == 5 * Fraction(1, 256) and B.sum_decoded((1 << 20) - 5, 20) == -5 * Fraction(1, 256)

# heads over some of the keys, which are all of them together
m = inside.Model(folder + "/match2.st", "p8e5")
_, [[h]] = m.heads([3, 8, 0, 1, 10, 5])
some = np.arange(h.s.shape[2]) < 3
for t in range(h.s.shape[1]):
    whole, a, b = (h.sums(t, keys) for keys in (some | ~some, some, ~some))
    assert whole == [[x + y for x, y in zip(p, q)] for p, q in zip(a, b)] and h.top(t) == [max(x, y) for x, y in zip(h.top(t, some), h.top(t, ~some))]

# drafts: those that come out, others, one that goes on too long
m = inside.Model(folder + "/distance.st")
prompt = m.parse("3 1 3 3 |").tolist()
rows, margin, why = inside.Model.generate(m, prompt)
assert why is None and len(rows) > 3 and m.looks_back()
reads, read = [], m.read
m.read = lambda *x, **more: reads.append(1) or read(*x, **more)
again, least, why = m.generate(prompt, rows.tolist())
assert np.array_equal(again, rows) and abs(least - margin) < 1e-12 and why is None and len(reads) == 1, (least, margin, len(reads))
for draft in (rows[:-1], rows[1:], np.vstack([rows, rows[-1:]]), rows + (np.arange(len(rows)) == 1)[:, None], rows[:0]):
    again, least, why = m.generate(prompt, draft.tolist())
    assert np.array_equal(again, rows) and least == margin and why is None
try:
    m.generate(m.parse("3 1 3 3 |").tolist()[:-1] + [[5, 0, 0, 0, 0]], rows.tolist())
    sys.exit("a prompt that is none")
except ValueError as why:
    assert "prompt" in str(why)

# a decoder as a machine, beside the machine
machine = chances.read({"language": "pfsa", "text": open("examples/weather.pfsa").read()})
m = inside.Model(folder + "/weather.st", "exact")
theirs, ours = chances.levels(machine), chances.levels(m.decoder([machine.letter(word) for word in m.fields[0].words]))
assert all(next(theirs)[0] == next(ours)[0] for _ in range(4))

# texts by a table: the predictor that knows it is at distance 0, and loses what is lost without a symbol
texts = chances.Texts({(): [.5, .5], (0,): [.9, .1], (1,): [.2, .8]}, 3)
true = {word: row for word, p, row in texts.each()}
assert abs(texts.kl(lambda word: np.log(true[word]))) < 1e-12 and abs(texts.loss(1) - texts.entropy()) < 1e-12 < 1e-3 < texts.loss(0) - texts.entropy()
assert abs(sum(p for word, p, _ in texts.each() if len(word) == 3) - 1) < 1e-12
assert regular.place("alphabet a b\n(aa)*\n", [0])[1:] == (False, 2) and regular.place("alphabet a b\n(ab)*\n", [0, 1])[1:] == (True, 1)
print("all of it")
PY
holds 'operations, means, codes, heads, drafts, decoders, texts' "$python" "$tree/steps.py" "$tree"
finish
