#!/usr/bin/python3
"""onnx_run.py: runs the ONNX files that attest writes, with numpy alone, and checks their form on the way.

    python3 tools/onnx_run.py FILE.onnx '{"x": [[3, 14, 5]]}'     prints the outputs as JSON
    python3 tools/onnx_run.py FILE.onnx                           prints versions, inputs, outputs and metadata

Written from the schema (onnx.proto) and the page of operators of opset 17; it knows those operators that attest uses. It is for tests
where no onnxruntime is; `make judge` asks onnxruntime itself. A node may read only what came before it, and every name is
given once."""
import json, struct, sys
import numpy as np

TYPES = {1: np.float32, 7: np.int64, 9: np.bool_, 11: np.float64}

# ---- protobuf: a message is a list of (number, value); value is an integer or bytes ------------------------------
def fields(raw):
    at, out = 0, {}
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = raw[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(raw):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 2:
            n = varint()
            value, at = raw[at:at + n], at + n
        else:
            raise ValueError(f"wire type {key & 7}")
        if at > len(raw):
            raise ValueError("a field ends after its message")
        out.setdefault(key >> 3, []).append(value)
    return out

def signed(v):
    return v - (1 << 64) if v >> 63 else v

def text(message, number):
    return message[number][0].decode() if number in message else ""

def tensor(raw):
    t = fields(raw)
    dims = [signed(d) for d in t.get(1, [])]
    return text(t, 8), np.frombuffer(t[9][0], np.dtype(TYPES[t[2][0]]).newbyteorder("<")).reshape(dims)

def port(raw):
    v = fields(raw)
    kind = fields(fields(v[2][0])[1][0])
    dims = [fields(d) for d in fields(kind[2][0]).get(1, [])]
    return text(v, 1), TYPES[kind[1][0]], [text(d, 2) or signed(d[1][0]) for d in dims]

def attribute(raw):
    a = fields(raw)
    kind = a[20][0]  # 2 integer, 5 graph, 7 integers
    return text(a, 1), {2: lambda: signed(a[3][0]), 5: lambda: Graph(a[6][0]), 7: lambda: [signed(v) for v in a[8]]}[kind]()

# ---- operators ------------------------------------------------------------------------------------------------------
def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)

def erf(x):
    import math
    return np.vectorize(math.erf, otypes=[x.dtype])(x)

def topk(x, k, largest=1):
    order = np.argsort(-x if largest else x, -1, kind="stable")[..., :int(k[0])]
    return np.take_along_axis(x, order, -1), order

def sliced(x, begin, end, axis):
    at = [slice(None)] * x.ndim
    at[int(axis[0])] = slice(int(begin[0]), min(int(end[0]), x.shape[int(axis[0])]))
    return x[tuple(at)]

def gather(x, i, axis=0):
    if i.size and (i.min() < 0 or i.max() >= x.shape[axis]):
        raise ValueError("an index outside of its table")
    return np.take(x, i, axis)

def reshape(x, shape):
    return x.reshape([x.shape[k] if d == 0 else int(d) for k, d in enumerate(shape)])

def pad(x, pads, value):
    return np.pad(x, list(zip(pads[:x.ndim], pads[x.ndim:])), constant_values=value)

def cumsum(x, axis, reverse=0):
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis)

def one(f):  # no settings
    return lambda *x: f(*x)

OPERATORS = {
    "Add": one(np.add), "Sub": one(np.subtract), "Mul": one(np.multiply), "Div": one(np.divide), "MatMul": one(np.matmul),
    "Neg": one(np.negative), "Abs": one(np.abs), "Exp": one(np.exp), "Sqrt": one(np.sqrt), "Tanh": one(np.tanh), "Erf": erf,
    "Relu": lambda x: np.maximum(x, 0), "Max": one(np.maximum), "Min": one(np.minimum), "Mod": one(np.mod), "Round": one(np.rint),
    "Greater": one(np.greater), "GreaterOrEqual": one(np.greater_equal), "Less": one(np.less), "LessOrEqual": one(np.less_equal),
    "Equal": one(np.equal), "And": one(np.logical_and), "Or": one(np.logical_or), "Where": one(np.where), "Identity": lambda x: x,
    "Shape": lambda x: np.array(x.shape, np.int64), "Squeeze": lambda x, axes=(): np.squeeze(x, tuple(axes) or None), "Range": lambda a, b, s: np.arange(a, b, s),
    "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes)), "Expand": lambda x, s: x * np.ones([int(d) for d in s], x.dtype),
    "Cast": lambda x, to: x.astype(TYPES[to]), "Transpose": lambda x, perm: x.transpose(perm), "Reshape": reshape, "Slice": sliced,
    "Concat": lambda *x, axis: np.concatenate(x, axis), "Gather": gather, "Pad": pad, "Softmax": softmax, "TopK": topk, "CumSum": cumsum,
    "ReduceMax": lambda x, axes, keepdims: x.max(tuple(axes), keepdims=bool(keepdims)),
    "ReduceMean": lambda x, axes, keepdims: x.mean(tuple(axes), keepdims=bool(keepdims)),
    "ReduceSum": lambda x, axes, keepdims: x.sum(tuple(axes), keepdims=bool(keepdims)),
    "ArgMax": lambda x, axis, keepdims: x.argmax(axis, keepdims=bool(keepdims)),
}

class Graph:
    def __init__(self, raw):
        g = fields(raw)
        self.constants = dict(tensor(t) for t in g.get(5, []))
        self.inputs, self.outputs = [port(p) for p in g.get(11, [])], [port(p) for p in g.get(12, [])]
        self.nodes, known = [], set(self.constants) | {p[0] for p in self.inputs}
        assert len(known) == len(g.get(5, [])) + len(self.inputs), "a name stands twice"
        for node in map(fields, g.get(1, [])):
            ins, outs = [[v.decode() for v in node.get(k, [])] for k in (1, 2)]
            assert not known & set(outs), f"{outs} stand twice"
            known |= set(outs)
            self.nodes.append((text(node, 4), ins, outs, dict(map(attribute, node.get(5, [])))))
        assert {p[0] for p in self.outputs} <= known, "an output that nobody gives"

    def run(self, feeds, outer=None):
        v = {**(outer or {}), **self.constants, **feeds}
        for op, ins, outs, settings in self.nodes:
            args = [v[name] for name in ins]
            if op == "Scan":
                state, states = args[0], []
                body = settings["body"]
                for a in args[1]:
                    state, shown = body.run({body.inputs[0][0]: state, body.inputs[1][0]: a}, v)
                    states.append(shown)
                results = (state, np.stack(states) if states else np.zeros((0, *state.shape), state.dtype))
            else:
                results = OPERATORS[op](*args, **settings)
            for name, value in zip(outs, results if isinstance(results, tuple) else (results,)):
                v[name] = np.asarray(value)
        return [v[p[0]] for p in self.outputs]

class Onnx:
    def __init__(self, path):
        m = fields(open(path, "rb").read())
        self.ir, self.opset = m[1][0], {text(o, 1): o[2][0] for o in map(fields, m[8])}
        self.notes = {text(e, 1): text(e, 2) for e in map(fields, m.get(14, []))}
        self.graph = Graph(m[7][0])
        assert self.ir == 8 and self.opset == {"": 17}, "IR 8 and opset 17 are what is written"

    def run(self, feeds):
        """Outputs by name; sizes of inputs and outputs must be what the file says, and sizes of one name equal."""
        sizes = {}
        def check(p, x):
            name, kind, dims = p
            assert x.dtype == kind and x.ndim == len(dims), f"{name}: {x.dtype} {x.shape}, not {kind} {dims}"
            for d, n in zip(dims, x.shape):
                assert sizes.setdefault(d, n) == n if isinstance(d, str) else d == n, f"{name}: {x.shape}, not {dims}"
        for p in self.graph.inputs:
            check(p, feeds[p[0]])
        outputs = self.graph.run(feeds)
        for p, x in zip(self.graph.outputs, outputs):
            check(p, x)
        return {p[0]: x for p, x in zip(self.graph.outputs, outputs)}

    def feeds(self, rows):
        """Rows of one input of attest (n, numbers) as the inputs of the fields, a batch of one."""
        out, at = {}, 0
        for name, kind, dims in self.graph.inputs:
            if not name.startswith("past_"):
                width = dims[2] if len(dims) == 3 else 1
                part = np.asarray(rows)[:, at:at + width].astype(kind)
                out[name] = (part if len(dims) == 3 else part[:, 0])[None]
                at += width
        return out

    def empty(self):
        """The cache before the first row."""
        return {name: np.zeros([0 if d == "past" else 1 if d == "batch" else d for d in dims], kind)
                for name, kind, dims in self.graph.inputs if name.startswith("past_")}

if __name__ == "__main__":
    np.seterr(all="ignore")
    model = Onnx(sys.argv[1])
    if len(sys.argv) > 2:
        kinds = {name: kind for name, kind, _ in model.graph.inputs}
        given = json.loads(sys.argv[2])
        print(json.dumps({k: v.tolist() for k, v in model.run({k: np.array(v, kinds[k]) for k, v in given.items()}).items()}))
    else:
        show = lambda ports: [{"name": n, "type": np.dtype(k).name, "shape": d} for n, k, d in ports]
        print(json.dumps({"ir": model.ir, "opset": model.opset[""], "inputs": show(model.graph.inputs),
                          "outputs": show(model.graph.outputs), "nodes": len(model.graph.nodes), "metadata": model.notes}))
