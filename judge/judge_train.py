#!/usr/bin/python3
"""PyTorch judges the trainer: same weights, same batches, no dropout; its own autograd and its own AdamW, in f64.

    judge_train.py DIR       judges every DIR/*.safetensors (judge_train.c writes them); exit 1 unless all is right

Written from the formulas in docs/train.md; only numbers are shared with the C code. For every tensor it asks

    gradient    |g - g'| <= 1e-4 |g'|           (Euclidean norms; g ours, g' PyTorch's)
    50 steps    |w - w'| <= 1e-3 |w'|           (w, w' the weights after them)
    moved       |w - w'| <= 1e-3 |w' - w0|      (w0 the weights before: the same of the way that they went)

Zero in theory: softmax does not change when one number is added to all scores of a row, so the gradient of the key bias
is 0 and what remains is rounding, ours and PyTorch's; a quotient of two roundings means nothing. It is judged in
absolute terms. With ds_ij = p_ij (dp_ij - D_i), D_i = sum_j p_ij dp_ij, dp_ij = dout_i . v_j, the gradient is
sum_ij ds_ij q_i / sqrt(d), and for any dout, v, q it is a sum of terms that cancel, so a bound on its rounding is

    |g_c| <= gamma / sqrt(d) sum_i |q_ic| 2 sum_j p_ij |dout_i| . |v_j|,     gamma = 6 sqrt(m) 2^-24

with m = 2 d + 3 T + n T + 16, the longest chain of roundings: two dots of d, three sums over T keys, the sum over n T
positions, 16 for exponential, quotients and products. (That many roundings of mean 0 exceed 6 sqrt(m) half-ulps with
probability below 2 exp(-18), by Hoeffding's inequality; m instead of the root never, but that would let faults pass.)
AdamW divides that rounding by its own size and moves such a bias by up to rate min(7.3, G / eps) a step, G the largest
|g| met in the loop and 7.3 = (1 - b1) / sqrt((1 - b2) (1 - b1^2 / b2)) from Cauchy's
inequality; so after the steps |w - w'| must be at most the sum of that over the steps, plus 1e-3 |w'|.

Controls: what must be rejected is tried on every configuration and must be rejected (the line below the table): one
tensor's gradient times 1.001 (each tensor in turn), a wrong mask (no causality; the window longer by one), AdamW whose
decay is a part of the gradient (L2), a key bias whose gradient is a hundredth of the query bias's, and something else in
the place of each part that imported models have (GELU by erf, a layer norm, the other pairing of angles, ...).
"""
import glob
import json
import math
import os
import struct
import sys

import torch
import torch.nn.functional as F

GRADIENT, STEPS = 1e-4, 1e-3


# ---- the files --------------------------------------------------------------------------------------------------

def load(path):
    """(metadata as numbers where they are numbers, {name: tensor})"""
    raw = bytearray(open(path, "rb").read())
    (n,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8:8 + n])
    meta = {}
    for key, text in head.pop("__metadata__").items():
        try:
            meta[key] = float.fromhex(text) if "0x" in text else text
        except ValueError:
            meta[key] = text
    tensors = {}
    for name, e in head.items():
        lo, hi = (8 + n + at for at in e["data_offsets"])
        kind = {"F64": torch.float64, "I32": torch.int32}[e["dtype"]]
        tensors[name] = torch.frombuffer(raw[lo:hi], dtype=kind).reshape(e["shape"])
    return meta, tensors


def part(tensors, kind):
    return {name[len(kind) + 1:]: t for name, t in tensors.items() if name.startswith(kind + ".")}


# ---- the models -------------------------------------------------------------------------------------------------
# n sequences, T positions, D width, H heads, d = D / H

def mask(meta, T, wrong):
    """(T, T): may position i see position j? wrong: None, or the name of a fault."""
    i, j = torch.arange(T)[:, None], torch.arange(T)[None, :]
    if wrong == "not causal":
        return torch.ones(T, T, dtype=torch.bool)
    if meta["model"] != "sparse":
        return j <= i
    B, k, c = int(meta["block"]), int(meta["windows"]), int(meta["ends"])
    reach = k * B + (1 if wrong == "window + 1" else 0)
    return (j <= i) & ((i - j < reach) | (j % B >= B - c))


def sinusoids(T, D):
    angle = torch.arange(1, T + 1, dtype=torch.float64)[:, None] / 10000 ** (torch.arange(0, D, 2, dtype=torch.float64) / D)
    return torch.stack((angle.sin(), angle.cos()), -1).reshape(T, D)


class Decoder:
    """The decoder of docs/train.md. seen: what the bound on the key bias is made of, layer by layer."""

    wrongs = ["not causal"]
    key_bias = "layer.{0}.k.b"

    def __init__(self, meta):
        self.meta, self.seen = meta, []

    def attention(self, q, k, v, allowed):
        score = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weight = score.masked_fill(~allowed, -math.inf).softmax(-1)
        out = weight @ v
        if out.requires_grad:
            out.retain_grad()
        self.seen.append((q, weight, v, out))
        return out

    def logits(self, w, token, wrong=None):
        meta, (n, T) = self.meta, token.shape
        D, H, eps = int(meta["width"]), int(meta["heads"]), meta["norm_eps"]
        norm = lambda x, name: F.layer_norm(x, (D,), w[name + ".g"][0], w[name + ".b"][0], eps)
        linear = lambda x, name: F.linear(x, w[name + ".w"], w[name + ".b"][0] if name + ".b" in w else None)
        split = lambda x: x.reshape(n, T, H, D // H).transpose(1, 2)
        self.seen = []
        allowed = mask(meta, T, wrong)
        x = w["token"][token] + (w["position"][:T] if meta["learned_positions"] else sinusoids(T, D))
        if meta["embed_norm"]:
            x = norm(x, "norm0")
        for i in range(int(meta["layers"])):
            at = f"layer.{i}."
            h = norm(x, at + "norm1")
            o = self.attention(*(split(linear(h, at + name)) for name in "qkv"), allowed)
            x = x + linear(o.transpose(1, 2).reshape(n, T, D), at + "proj")
            x = x + linear(F.gelu(linear(norm(x, at + "norm2"), at + "fc1")), at + "fc2")
        return linear(norm(x, "norm"), "head")

    def zeros(self):
        """{tensor whose gradient is 0 in theory: bound on the rounding of each of its numbers}, after a backward."""
        bounds = {}
        for i, (q, weight, v, out) in enumerate(self.seen):
            n, H, T, d = q.shape
            gamma = 6 * math.sqrt(2 * d + 3 * T + n * T + 16) * 2.0 ** -24
            terms = 2 * (weight * (out.grad.abs() @ v.abs().transpose(-2, -1))).sum(-1, keepdim=True)
            bound = gamma / math.sqrt(d) * (q.abs() * terms).sum((0, 2))
            bounds[self.key_bias.format(i, 2 * i)] = bound.detach().reshape(1, H * d)
        return bounds


class Sparse(Decoder):
    wrongs = ["not causal", "window + 1"]


class Linear(Decoder):
    def attention(self, q, k, v, allowed):
        score = (F.elu(q) + 1) @ (F.elu(k) + 1).transpose(-2, -1) * allowed
        return score @ v / score.sum(-1, keepdim=True)


def rms_norm(x, g, b, eps):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * g + b


ACTS = {"gelu": F.gelu, "gelu-tanh": lambda z: F.gelu(z, approximate="tanh"), "silu": F.silu}


class Parts(Decoder):
    """What imported models have, as metadata say it; tensors by the names of docs/model.md. Norms of every kind have a shift."""

    faults = {"gelu-tanh": "GELU by erf", "silu": "ReLU", "gated": "gate and value the other way round", "rms": "layer norm",
              "parallel": "one block after the other", "turned": "the other pairing", "alibi": "slopes the other way round",
              "tied": "a readout of its own"}
    key_bias = "block.{1}.attn.0.kb"

    def __init__(self, meta):
        super().__init__(meta)
        self.wrongs = ["not causal"] + [fault for part, fault in self.faults.items() if meta["act"] == part or meta.get(part)]

    def turn(self, x, wrong):
        """(n, H, T, d): pair p of the first `width` coordinates by i / theta^(2p/width)."""
        width, T = int(self.meta["turned"]), x.shape[2]
        if not width:
            return x
        angle = torch.arange(T, dtype=x.dtype)[:, None] * self.meta["theta"] ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
        near = bool(self.meta["adjacent"]) != (wrong == "the other pairing")
        a, b = (x[..., 0:width:2], x[..., 1:width:2]) if near else x[..., :width].chunk(2, -1)
        a, b = a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()
        return torch.cat([torch.stack([a, b], -1).flatten(-2) if near else torch.cat([a, b], -1), x[..., width:]], -1)

    def attend(self, w, at, h, allowed, wrong):
        meta, (n, T, D) = self.meta, h.shape
        H = int(meta["heads"])
        q, k, v = (F.linear(h, w[at + c], w[at + c + "b"][0] if meta["bias"] else None).reshape(n, T, H, D // H).transpose(1, 2)
                   for c in "qkv")
        score = self.turn(q, wrong) @ self.turn(k, wrong).transpose(-2, -1) / math.sqrt(D // H)
        if meta["alibi"]:
            slope = w[at + "slope"][0]
            far = torch.arange(T)[:, None] - torch.arange(T)[None, :]
            score = score - (slope.flip(0) if wrong == self.faults["alibi"] else slope)[:, None, None] * far.abs()
        weight = score.masked_fill(~allowed, -math.inf).softmax(-1)
        out = weight @ v
        out.retain_grad()
        self.seen.append((q, weight, v, out))
        return F.linear(out.transpose(1, 2).reshape(n, T, D), w[at + "o"], w[at + "ob"][0] if meta["bias"] else None)

    def logits(self, w, token, wrong=None):
        meta, T, eps = self.meta, token.shape[1], self.meta["norm_eps"]
        rms = meta["rms"] and wrong != "layer norm"
        act = {"GELU by erf": F.gelu, "ReLU": torch.relu}.get(wrong, ACTS[meta["act"]])
        self.seen = []

        def norm(x, name):
            g, b = w[name + ".g"][0], w[name + ".b"][0]
            return rms_norm(x, g, b, eps) if rms else F.layer_norm(x, g.shape, g, b, eps)
        allowed = mask(meta, T, wrong)
        x = w["input.0.embed"][token]
        if "pos.0.embed" in w:
            x = x + w["pos.0.embed"][:T]
        for i in range(int(meta["layers"])):
            at, mlp = f"block.{2 * i}.", f"block.{2 * i + 1}."
            after = x + self.attend(w, at + "attn.0.", norm(x, at + "norm"), allowed, wrong)
            y = norm(x if meta["parallel"] and wrong != self.faults["parallel"] else after, mlp + "norm")
            up = F.linear(y, w[mlp + "mlp.0.w"], w[mlp + "mlp.0.b"][0])
            if meta["gated"]:
                gate = F.linear(y, w[mlp + "mlp.0.gw"], w[mlp + "mlp.0.gb"][0])
                gate, up = (up, gate) if wrong == self.faults["gated"] else (gate, up)
                up = act(gate) * up
            else:
                up = act(up)
            x = after + F.linear(up, w[mlp + "mlp.1.w"], w[mlp + "mlp.1.b"][0])
        head = w["input.0.embed"] if meta["tied"] else w["readout.w"]
        return F.linear(norm(x, "readout.norm"), head.detach() if wrong == self.faults["tied"] else head, w["readout.b"][0])

    def zeros(self):
        """Turned keys have a bias that tells positions apart: its gradient is none of those that are 0."""
        if not self.meta["bias"] or self.meta["turned"]:
            return {}
        return super().zeros()


MODELS = {"standard": Decoder, "sparse": Sparse, "linear": Linear, "parts": Parts}


# ---- one configuration ------------------------------------------------------------------------------------------

class Case:
    def __init__(self, path):
        self.name = os.path.basename(path).split("-", 1)[1].rsplit(".", 1)[0]
        self.meta, self.tensors = load(path)
        self.model = MODELS[self.meta["model"]](self.meta)
        self.before = part(self.tensors, "before")
        self.gradient = part(self.tensors, "gradient")
        self.after = part(self.tensors, "after")
        self.largest = part(self.tensors, "largest")
        self.batches = list(zip(self.tensors["token"].long().chunk(4), self.tensors["target"].long().chunk(4)))

    def loss(self, w, batch, wrong=None):
        token, target = batch
        logits = self.model.logits(w, token, wrong)
        return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-1)

    def gradients(self, wrong=None):
        w = {name: t.clone().requires_grad_() for name, t in self.before.items()}
        loss = self.loss(w, self.batches[0], wrong)
        loss.backward()
        return loss.item(), {name: t.grad for name, t in w.items()}, self.model.zeros()

    def rate(self, step):
        m = self.meta
        if step < m["warmup"]:
            return m["rate"] * (step + 1) / m["warmup"]
        return m["rate"] * (m["steps"] - step) / (m["steps"] - m["warmup"])

    def train(self, optimizer):
        m = self.meta
        w = {name: t.clone().requires_grad_() for name, t in self.before.items()}
        o = optimizer(w.values(), lr=m["rate"], betas=(m["beta1"], m["beta2"]), eps=m["eps"], weight_decay=m["decay"])
        for step in range(int(m["steps"])):
            o.param_groups[0]["lr"] = self.rate(step)
            loss = self.loss(w, self.batches[step % len(self.batches)])
            o.zero_grad(set_to_none=False)
            loss.backward()
            o.step()
        return {name: t.detach() for name, t in w.items()}

    def moved(self, name):
        """How far AdamW can have moved a number whose gradients were rounding, at most largest."""
        m = self.meta
        cauchy = (1 - m["beta1"]) / math.sqrt((1 - m["beta2"]) * (1 - m["beta1"] ** 2 / m["beta2"]))
        step = min(cauchy, self.largest[name].item() / m["eps"])
        return step * sum(self.rate(s) for s in range(int(m["steps"])))


def apart(ours, theirs):
    """|ours - theirs| / |theirs|; 0 / 0 is 0."""
    gap, size = (ours - theirs).norm().item(), theirs.norm().item()
    return gap / size if size else (math.inf if gap else 0.0)


def judge_gradient(ours, theirs, zeros):
    """(worst quotient, its tensor, worst share of the bound of those that are zero in theory)"""
    worst = max((apart(ours[name], theirs[name]), name) for name in theirs if name not in zeros)
    share = max([(ours[name].abs() / bound).max().item() for name, bound in zeros.items()], default=0.0)
    return (*worst, share)


def judge_steps(case, ours, theirs, zeros):
    worst = max((apart(ours[name], theirs[name]), name) for name in theirs if name not in zeros)
    share = 0.0
    for name in zeros:
        allowed = case.moved(name) + STEPS * theirs[name].norm().item()
        share = max(share, (ours[name] - theirs[name]).abs().max().item() / allowed)
    return (*worst, share)


def judge_moved(case, ours, theirs, zeros):
    return max(apart(ours[n] - case.before[n], theirs[n] - case.before[n]) for n in theirs if n not in zeros)


def accepts(verdict, tolerance):
    return verdict[0] <= tolerance and verdict[2] <= 1


def controls(case, theirs, zeros):
    """[(what, rejected?)]"""
    tried = []
    for name in theirs:
        if name not in zeros:
            ours = dict(case.gradient, **{name: case.gradient[name] * 1.001})
            tried.append(("a tensor times 1.001", not accepts(judge_gradient(ours, theirs, zeros), GRADIENT)))
    for name in zeros:
        ours = dict(case.gradient, **{name: case.gradient[name.replace("k.b", "q.b").replace("kb", "qb")] * 0.01})
        tried.append(("a key bias that has a gradient", not accepts(judge_gradient(ours, theirs, zeros), GRADIENT)))
    T = int(case.meta["length"])
    for wrong in case.model.wrongs:
        if wrong == "window + 1" and mask(case.meta, T, wrong).equal(mask(case.meta, T, None)):
            continue  # blocks of one: every position is a block's end, whatever the window
        _, other, _ = case.gradients(wrong)
        tried.append((wrong, not accepts(judge_gradient(case.gradient, other, zeros), GRADIENT)))
    other = case.train(torch.optim.Adam)
    tried.append(("L2 for decay", not accepts(judge_steps(case, case.after, other, zeros), STEPS)))
    return tried


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: judge_train.py DIR")
    paths = sorted(glob.glob(os.path.join(sys.argv[1], "*.safetensors")))
    if not paths:
        sys.exit(f"judge_train.py: nothing to judge in {sys.argv[1]}")
    row = "{:<14} {:>3} {:>3} {:<3} {:>8} {:<15} {:>5}  {:>8} {:<15} {:>5} {:>8}  {}"
    print(f"PyTorch {torch.__version__} in f64 beside attest in f32; worst tensor of each configuration")
    print("pnb: learned positions, norm after the embedding, bias of the head. zero: gradients that are 0 in theory,")
    print(f"largest share of the bound on rounding. Allowed: gradient {GRADIENT:g}, zero 1, 50 steps and moved {STEPS:g}\n")
    print(row.format("", "D", "T", "pnb", "gradient", "", "zero", "50 steps", "", "zero", "moved", ""))
    failed, seen = 0, {}
    for path in paths:
        case = Case(path)
        m = case.meta
        loss, theirs, zeros = case.gradients()
        first = judge_gradient(case.gradient, theirs, zeros)
        after = case.train(torch.optim.AdamW)
        last = judge_steps(case, case.after, after, zeros)
        moved = judge_moved(case, case.after, after, zeros)
        good = accepts(first, GRADIENT) and accepts(last, STEPS) and moved <= STEPS
        good = good and abs(m["loss"] - loss) <= GRADIENT * loss
        failed += not good
        flags = "".join(c if m[k] else "." for c, k in zip("pnb", ("learned_positions", "embed_norm", "head_bias")))
        zero = [f"{v[2]:.0e}" if zeros else "-" for v in (first, last)]
        print(row.format(case.name, int(m["width"]), int(m["length"]), flags, f"{first[0]:.1e}", first[1], zero[0],
                         f"{last[0]:.1e}", last[1], zero[1], f"{moved:.1e}",
                         "ok" if good else "FAILS"), flush=True)
        for what, rejected in controls(case, theirs, zeros):
            count = seen.setdefault(what, [0, 0])
            count[0] += rejected
            count[1] += 1
    print()
    for what, (rejected, tried) in seen.items():
        failed += rejected != tried
        print(f"control: {what}: rejected {rejected} of {tried}{'' if rejected == tried else '  FAILS'}")
    print(f"\n{len(paths)} configurations: " + ("all agree, every control rejected" if not failed else f"{failed} FAIL"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
