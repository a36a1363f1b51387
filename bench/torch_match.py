#!/usr/bin/python3
"""The rival: the same attention in PyTorch, written as its users would write it, in f32 and batched.

match2: one softmax head of width 3 against a blank key; is there a partner with x_i + x_j = 0 mod M?
match3: one softmax over all pairs of keys, scores from width-5 products; x_i + x_j + x_k = 0 mod M?

On the clock is what `attest bench check` has on it: from tokens to the values that a threshold decides. Off
the clock: inputs, and brute force on a part of the batch. Prints one JSON object.

    torch_match.py match2 64 [--modulus M] [--seconds S] [--rounds R] [--threads T]
"""
import argparse
import json
import math
import resource
import statistics
import time

import torch

SCORES_A_BATCH = {"match2": 4_000_000, "match3": 8_000_000}  # fastest among powers of two on two cores


def angle_tables(modulus):
    angle = 2 * math.pi * torch.arange(modulus, dtype=torch.float64) / modulus
    return angle.cos().float(), angle.sin().float()


class Match:
    """keys = partners (or pairs of them) and one blank whose score lies half a gap below a hit."""

    def __init__(self, task, length, modulus):
        self.task, self.length, self.modulus = task, length, modulus
        self.keys = length if task == "match2" else length * length
        self.gap = 1 - math.cos(2 * math.pi / modulus)
        self.scale = 2 * math.log(6 * self.keys) / self.gap
        self.cos, self.sin = angle_tables(modulus)
        self.hit = torch.ones(self.keys + 1, 1)
        self.hit[-1] = 0

    def blank(self, batch, width):
        key = torch.zeros(batch, 1, width)
        key[..., -1] = 1 - self.gap / 2
        return key

    def __call__(self, x):
        c, s = self.cos[x], self.sin[x]
        one, zero = torch.ones_like(c), torch.zeros_like(c)
        if self.task == "match2":  # cos(a+b) = cos a cos b - sin a sin b
            query = torch.stack((c, s, one), -1)
            key = torch.stack((c, -s, zero), -1)
        else:  # cos(a+b+d) in four products, each of one factor a position
            query = torch.stack((c, -c, -s, -s, one), -1)
            first = torch.stack((c, s, s, c, zero), -1)
            second = torch.stack((c, s, c, s, zero), -1)
            key = (first.unsqueeze(2) * second.unsqueeze(1)).flatten(1, 2)
        key = torch.cat((key, self.blank(len(x), key.shape[-1])), 1)
        weight = torch.softmax((self.scale * query) @ key.transpose(1, 2), -1)
        return (weight @ self.hit).squeeze(-1)

    def answer(self, x):
        total = x.unsqueeze(2) + x.unsqueeze(1)
        if self.task == "match3":
            total = (total.unsqueeze(3) + x[:, None, None, :]).flatten(2)
        return (total % self.modulus == 0).any(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=("match2", "match3"))
    parser.add_argument("length", type=int)
    parser.add_argument("--modulus", type=int)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)

    n = args.length
    modulus = args.modulus or 2 * n
    model = Match(args.task, n, modulus)
    batch = max(1, SCORES_A_BATCH[args.task] // (n * model.keys))
    x = torch.randint(0, modulus, (batch, n))
    rates = []
    with torch.no_grad():
        for _ in range(2):
            model(x)  # warm
        for _ in range(args.rounds):
            done, start = 0, time.perf_counter()
            while True:
                value = model(x)
                done += batch
                spent = time.perf_counter() - start
                if spent >= args.seconds:
                    break
            rates.append(done / spent)
        part = x[: max(1, min(64, 4_000_000 // (n * model.keys)))]
        right = ((value[: len(part)] > 0.5) == model.answer(part)).all(-1).sum().item()
    median = statistics.median(rates)
    print(json.dumps({
        "rival": "torch " + torch.__version__, "task": args.task, "params": f"N={n} M={modulus}",
        "threads": args.threads, "batch": batch, "rounds": args.rounds,
        "sequences_per_s": round(median), "spread": round((max(rates) - min(rates)) / median, 4),
        "scores_per_s": round(median * n * (model.keys + 1)),
        "peak_rss_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "checked": len(part), "correct": int(right),
    }))


if __name__ == "__main__":
    main()
