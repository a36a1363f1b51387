#!/usr/bin/python3
"""The rival of `attest bench generate`: greedy decoding with caches of keys and values in PyTorch (standard attention).

The decoder of torch_train.py, from one word to T words, B chains at a time. The whole loop is TorchScript, which saves the
interpreter's time for each of some thirty small operations a layer; the batch is shared by threads (a script runs without Python's
lock), with one thread inside each operation. Prints one JSON object with the keys of `attest bench generate`.

    torch_decode.py --width D --length T --batch B [--layers N] [--heads N] [--threads N] [--seconds S] [--rounds N]
"""
import argparse
import json
import resource
import statistics
import threading
import time
from typing import List

import torch
import torch.nn.functional as F

from torch_train import WORDS, parameters

ORDER = ("norm1.g", "norm1.b", "qkv", "qkv.b", "proj", "proj.b", "norm2.g", "norm2.b", "fc1", "fc1.b", "fc2", "fc2.b")


def decode(token, position, layers: List[List[torch.Tensor]], norm_g, norm_b, head, n: int, heads: int):
    """(T, n) words."""
    T, D = position.shape
    d = D // heads
    k = [torch.empty(n * heads, d, T) for _ in layers]
    v = [torch.empty(n * heads, T, d) for _ in layers]
    nothing = torch.zeros(1)
    word = torch.zeros(n, dtype=torch.long)
    out = torch.empty(T, n, dtype=torch.long)
    for t in range(T):
        x = F.embedding(word, token) + position[t]
        for i, w in enumerate(layers):
            h = F.layer_norm(x, [D], w[0], w[1])
            q, key, value = F.linear(h, w[2], w[3]).view(n, 3, heads, d).unbind(1)
            k[i][:, :, t] = key.reshape(n * heads, d)
            v[i][:, t] = value.reshape(n * heads, d)
            score = torch.baddbmm(nothing, q.reshape(n * heads, 1, d), k[i][:, :, :t + 1], beta=0, alpha=float(d) ** -0.5)
            o = torch.bmm(score.softmax(-1), v[i][:, :t + 1]).view(n, D)
            x = x + F.linear(o, w[4], w[5])
            h = F.gelu(F.linear(F.layer_norm(x, [D], w[6], w[7]), w[8], w[9]))
            x = x + F.linear(h, w[10], w[11])
        word = F.linear(F.layer_norm(x, [D], norm_g, norm_b), head).argmax(-1)
        out[t] = word
    return out


def main():
    parser = argparse.ArgumentParser()
    for name, value in dict(width=64, length=87, batch=64, layers=3, heads=4, threads=2, rounds=5).items():
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--script", type=int, default=1, help="0: without TorchScript")
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    w = {name: t.detach() for name, t in parameters(args).items()}
    layers = [[w[f"{i}.{name}"] for name in ORDER] for i in range(args.layers)]
    run = torch.jit.script(decode) if args.script else decode
    workers = min(args.threads, args.batch)
    share = [args.batch // workers + (i < args.batch % workers) for i in range(workers)]

    def work(n):
        with torch.inference_mode():
            run(w["token"], w["position"], layers, w["norm.g"], w["norm.b"], w["head"], n, args.heads)

    def chains():
        threads = [threading.Thread(target=work, args=(n,)) for n in share[1:]]
        for t in threads:
            t.start()
        work(share[0])
        for t in threads:
            t.join()

    chains(), chains(), chains()  # warm; TorchScript optimises in the second run
    rates, cpu = [], []
    for _ in range(args.rounds):
        times, start, passed, busy = 0, time.perf_counter(), 0.0, time.process_time()
        while times == 0 or passed < args.seconds:
            chains()
            times += 1
            passed = time.perf_counter() - start
        rates.append(times * args.batch * args.length / passed)
        cpu.append((time.process_time() - busy) / (times * args.batch * args.length) * 1e6)
    median = statistics.median(rates)
    print(json.dumps({
        "rival": "torch " + torch.__version__, "attention": "standard", "width": args.width, "length": args.length,
        "batch": args.batch, "layers": args.layers, "heads": args.heads, "threads": args.threads,
        "parameters": sum(t.numel() for t in w.values()), "rounds": args.rounds, "tokens_per_s": round(median),
        "cpu_us_a_token": round(statistics.median(cpu), 2), "spread": round((max(rates) - min(rates)) / median, 4),
        "peak_rss_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }))


if __name__ == "__main__":
    main()
