#!/usr/bin/python3
"""The rival of `attest bench train`: the same decoder in PyTorch, as fast as we could make it on a CPU.

Forward, backward and AdamW on random words; learned positions, norm before each block, head without bias, dropout after the
embedding, on softmax weights, after proj and after fc2. Prints one JSON object with the keys of `attest bench train`.

    torch_train.py --attention standard|sparse|linear --width D --length T --batch B [--dropout P] [--seconds S] ...

What made it faster than the obvious way of writing it (each can be switched off, to see that):
  --split N      the batch is shared by N Python threads with one thread inside each operation: no small operation
                 is cut in pieces that wait for each other. 0: one thread outside, all inside
  --chunk C      attention for C queries at a time against the keys that one of them sees (causality and
                 block sparsity save work), with its own backward; mask and scale inside baddbmm. 0: one masked (T, T)
  --bits 1       dropout decides by 16 random bits a number, four from one draw, as ours does. 0: F.dropout
"""
import argparse
import json
import math
import resource
import statistics
import threading
import time

import torch
import torch.nn.functional as F

WORDS = 64


# ---- dropout ----------------------------------------------------------------------------------------------------

class Dropper:
    """Masks of 0 and 1, and the factor that goes with them; p rounded to a multiple of 2^-16."""

    def __init__(self, p, bits, seed):
        self.limit, self.bits = round(p * 65536), bits
        self.p = self.limit / 65536
        self.factor = 1 / (1 - self.p)
        self.generator = torch.Generator()
        self.generator.manual_seed(seed)

    def mask(self, shape):
        if not self.bits:
            return torch.empty(shape).bernoulli_(1 - self.p, generator=self.generator)
        n = math.prod(shape)
        draws = torch.empty((n + 3) // 4, dtype=torch.int64).random_(-2 ** 63, None, generator=self.generator)
        return (draws.view(torch.int16)[:n] >= self.limit - 32768).view(shape).to(torch.float32)

    def onto(self, x, y):
        """x + dropped y"""
        return torch.addcmul(x, y, self.mask(y.shape), value=self.factor) if self.p else x + y


# ---- attention --------------------------------------------------------------------------------------------------

def allowed(attention, T, B):
    i, j = torch.arange(T)[:, None], torch.arange(T)[None, :]
    if attention == "sparse":
        return (j <= i) & ((i - j < B) | (j % B == B - 1))
    return j <= i


def pieces(attention, T, chunk):
    """[(first query, past the last, block ends or None, first key of the window, bias (queries, keys))]"""
    B = 2 ** int(math.log2(math.sqrt(T)))
    mask = allowed(attention, T, B)
    chunk = chunk or T
    plan = []
    for a in range(0, T, chunk):
        b = min(a + chunk, T)
        lo = max(0, a - B + 1) if attention == "sparse" and chunk < T else 0
        ends = torch.arange(B - 1, max(lo, B - 1), B)
        keys = torch.cat((ends, torch.arange(lo, b)))
        bias = torch.zeros(b - a, len(keys)).masked_fill(~mask[a:b][:, keys], -math.inf)
        plan.append((a, b, ends if len(ends) else None, lo, bias))
    return plan


def gathered(x, ends, lo, b):
    return x[:, lo:b] if ends is None else torch.cat((x[:, ends], x[:, lo:b]), 1)


class Attend(torch.autograd.Function):
    """Softmax attention by pieces. q, k, v: (n H, T, d)."""

    @staticmethod
    def forward(ctx, q, k, v, plan, drop):
        scale, out, kept, nothing = q.shape[-1] ** -0.5, torch.empty_like(q), [], q.new_zeros(1)
        for a, b, ends, lo, bias in plan:
            keys, values = gathered(k, ends, lo, b), gathered(v, ends, lo, b)
            weight = torch.baddbmm(bias, q[:, a:b], keys.transpose(1, 2), alpha=scale).softmax(-1)
            mask = drop.mask(weight.shape) if drop.p else None
            if mask is None:
                torch.bmm(weight, values, out=out[:, a:b])
            else:
                torch.baddbmm(nothing, weight * mask, values, beta=0, alpha=drop.factor, out=out[:, a:b])
            kept.append((weight, mask))
        ctx.save_for_backward(q, k, v)
        ctx.plan, ctx.kept, ctx.scale = plan, kept, scale
        ctx.factor = drop.factor if drop.p else 1
        return out

    @staticmethod
    def backward(ctx, dout):
        q, k, v = ctx.saved_tensors
        dout = dout * ctx.factor if ctx.factor != 1 else dout
        dq, dk, dv = torch.empty_like(q), torch.zeros_like(k), torch.zeros_like(v)
        for (a, b, ends, lo, _), (weight, mask) in zip(ctx.plan, ctx.kept):
            keys, values = gathered(k, ends, lo, b), gathered(v, ends, lo, b)
            part = dout[:, a:b]
            dw = torch.bmm(part, values.transpose(1, 2))
            dropped = weight
            if mask is not None:
                dw.mul_(mask)
                dropped = mask.mul_(weight)
            ds = torch._softmax_backward_data(dw, weight, -1, torch.float32).mul_(ctx.scale)
            torch.bmm(ds, keys, out=dq[:, a:b])
            if ends is None:
                dk[:, lo:b].baddbmm_(ds.transpose(1, 2), q[:, a:b])
                dv[:, lo:b].baddbmm_(dropped.transpose(1, 2), part)
            else:
                n = len(ends)
                gk = torch.bmm(ds.transpose(1, 2), q[:, a:b])
                gv = torch.bmm(dropped.transpose(1, 2), part)
                for to, from_ in ((dk, gk), (dv, gv)):
                    to[:, lo:b] += from_[:, n:]
                    to.index_add_(1, ends, from_[:, :n])
        ctx.kept = None
        return dq, dk, dv, None, None


def linear_attention(q, k, v, chunk=64):
    """phi = elu + 1; inside a chunk quadratic, between chunks running sums. The last column of v is 1: the denominator."""
    n, T, d = q.shape
    chunks = -(-T // chunk)
    pad = chunks * chunk - T
    q, k = F.elu(q) + 1, F.elu(k) + 1
    v = F.pad(v, (0, 1), value=1.0)
    if pad:
        q, k, v = (F.pad(x, (0, 0, 0, pad)) for x in (q, k, v))
    q, k, v = (x.reshape(n, chunks, chunk, -1) for x in (q, k, v))
    each = k.transpose(2, 3) @ v
    before = torch.cat((torch.zeros_like(each[:, :1]), each[:, :-1].cumsum(1)), 1)
    o = ((q @ k.transpose(2, 3)).tril() @ v + q @ before).view(n, -1, d + 1)[:, :T]
    return o[..., :d] / o[..., d:]


# ---- the decoder ------------------------------------------------------------------------------------------------

def parameters(args):
    """Names and tensors; matrices (out, in)."""
    D, w = args.width, {}

    def add(name, *shape, value=None):
        w[name] = torch.empty(shape)
        if value is None:
            torch.nn.init.xavier_uniform_(w[name])
        else:
            w[name].fill_(value)
        w[name].requires_grad_()

    def norm(name):
        add(name + ".g", D, value=1)
        add(name + ".b", D, value=0)

    add("token", WORDS, D)
    add("position", args.length, D)
    for i in range(args.layers):
        norm(f"{i}.norm1")
        norm(f"{i}.norm2")
        for name, rows, cols in (("qkv", 3 * D, D), ("proj", D, D), ("fc1", 4 * D, D), ("fc2", D, 4 * D)):
            add(f"{i}.{name}", rows, cols)
            add(f"{i}.{name}.b", rows, value=0)
    norm("norm")
    add("head", WORDS, D)
    return w


def loss_of(w, args, plan, drop, token, target):
    """Sum of the cross entropy over the positions of some sequences (n, T)."""
    D, H, (n, T) = args.width, args.heads, token.shape
    x = F.embedding(token, w["token"]) + w["position"]
    if drop.p:
        x = x * drop.mask(x.shape).mul_(drop.factor)
    for i in range(args.layers):
        h = F.layer_norm(x, (D,), w[f"{i}.norm1.g"], w[f"{i}.norm1.b"])
        qkv = F.linear(h, w[f"{i}.qkv"], w[f"{i}.qkv.b"])
        q, k, v = qkv.view(n, T, 3, H, D // H).permute(2, 0, 3, 1, 4).reshape(3, n * H, T, D // H).unbind(0)
        o = linear_attention(q, k, v) if args.attention == "linear" else Attend.apply(q, k, v, plan, drop)
        o = o.view(n, H, T, D // H).transpose(1, 2).reshape(n, T, D)
        x = drop.onto(x, F.linear(o, w[f"{i}.proj"], w[f"{i}.proj.b"]))
        h = F.layer_norm(x, (D,), w[f"{i}.norm2.g"], w[f"{i}.norm2.b"])
        h = F.gelu(F.linear(h, w[f"{i}.fc1"], w[f"{i}.fc1.b"]))
        x = drop.onto(x, F.linear(h, w[f"{i}.fc2"], w[f"{i}.fc2.b"]))
    logits = F.linear(F.layer_norm(x, (D,), w["norm.g"], w["norm.b"]), w["head"])
    return F.cross_entropy(logits.view(-1, WORDS), target.reshape(-1), reduction="sum")


class Trainer:
    def __init__(self, args):
        self.args = args
        self.workers = max(1, min(args.split, args.threads, args.batch))
        torch.set_num_threads(1 if self.workers > 1 else args.threads)
        self.w = parameters(args)
        # many small tensors: all in one operation; large ones: one after the other, which is kinder to the cache
        self.optimizer = torch.optim.AdamW(self.w.values(), lr=1e-4, weight_decay=0.01, foreach=args.width < 128)
        self.plan = pieces(args.attention, args.length, args.chunk)
        self.drops = [Dropper(args.dropout, args.bits, i) for i in range(self.workers)]
        words = torch.randint(WORDS, (args.batch, args.length + 1))
        self.token, self.target = words[:, :-1].contiguous(), words[:, 1:].contiguous()
        # each worker sees the same weights through leaves of its own, so that gradients do not meet
        self.leaves = [{k: t.detach().requires_grad_() for k, t in self.w.items()} for _ in range(self.workers)]

    def work(self, i, losses):
        args, w = self.args, self.leaves[i]
        for leaf in w.values():
            leaf.grad = None
        token, target = self.token[i::self.workers], self.target[i::self.workers]
        loss = loss_of(w, args, self.plan, self.drops[i], token, target) / self.token.numel()
        loss.backward()
        losses[i] = loss.item()

    def step(self):
        losses = [0.0] * self.workers
        threads = [threading.Thread(target=self.work, args=(i, losses)) for i in range(1, self.workers)]
        for t in threads:
            t.start()
        self.work(0, losses)
        for t in threads:
            t.join()
        for k, t in self.w.items():
            t.grad = self.leaves[0][k].grad
        for other in self.leaves[1:]:
            torch._foreach_add_([t.grad for t in self.w.values()], [t.grad for t in other.values()])
        self.optimizer.step()
        return sum(losses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--attention", choices=("standard", "sparse", "linear"), default="standard")
    for name, value in dict(width=64, length=87, batch=64, layers=3, heads=4, threads=2, rounds=5).items():
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--split", type=int, default=256)
    parser.add_argument("--chunk", type=int, default=64)
    parser.add_argument("--bits", type=int, default=1)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--seconds", type=float, default=1.0)
    args = parser.parse_args()
    torch.manual_seed(0)
    trainer = Trainer(args)
    trainer.step(), trainer.step()  # warm
    rates, cpu = [], []
    for _ in range(args.rounds):
        steps, start, passed, busy = 0, time.perf_counter(), 0.0, time.process_time()
        while steps == 0 or passed < args.seconds:
            loss = trainer.step()
            steps += 1
            passed = time.perf_counter() - start
        rates.append(steps * args.batch * args.length / passed)
        cpu.append((time.process_time() - busy) / (steps * args.batch * args.length) * 1e6)
    median = statistics.median(rates)
    print(json.dumps({
        "rival": "torch " + torch.__version__, "attention": args.attention, "width": args.width,
        "length": args.length, "batch": args.batch, "layers": args.layers, "heads": args.heads,
        "dropout": args.dropout, "parameters": sum(t.numel() for t in trainer.w.values()),
        "threads": args.threads, "rounds": args.rounds, "tokens_per_s": round(median), "cpu_us_a_token": round(statistics.median(cpu), 2),
        "spread": round((max(rates) - min(rates)) / median, 4),
        "peak_rss_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1), "loss": loss,
    }))


if __name__ == "__main__":
    main()
