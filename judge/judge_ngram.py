#!/usr/bin/python3
"""n-gram models, judged by the definitions and by IRSTLM.

    judge_ngram.py ATTEST TEXT      exit 1 unless both agree with `ATTEST lm` on models fitted to TEXT

The first judge fits in plain Python, by the formulas of docs/ngram.md taken word by word, and compares every number of attest's
ARPA files, and the scores of sentences old and new, to 1e-9. The second, IRSTLM, reads the same ARPA files and scores the
same sentences, every n words of them; it keeps floats, so it is compared to 1e-5. Wrong numbers are judged, too, and must be
rejected: a discount, a back-off weight, a probability changed a little.
"""
import collections
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

BOS, EOS, UNK = "<s>", "</s>", "<unk>"

# ---- the text ------------------------------------------------------------------------------------------------------


def cut(line, kind):
    if kind == "word":
        return line.split()
    if kind == "byte":
        return [chr(b) if 0x20 < b < 0x7F else "<0x%02X>" % b for b in line.encode()]
    return ["<U+0020>" if c == " " else c for c in line]


def sentences_of(text, kind, vocabulary):
    """Sentences with their tags, and the words (V without </s>)."""
    lines = [cut(line, kind) for line in text.splitlines()]
    seen = collections.Counter(w for line in lines for w in line)
    blank = {"char": {"<U+0020>"}, "byte": {"<0x20>"}, "word": set()}[kind]  # always a word, and not counted
    rank = [w for w in sorted(seen, key=lambda w: -seen[w]) if w not in blank]  # stable: those met earlier first
    words = set(rank[:vocabulary] if vocabulary else rank) | blank
    lines = [[w if w in words else UNK for w in line] for line in lines]
    return [[BOS] + line + [EOS] for line in lines], sorted(words | {UNK})


# ---- fitting, by the definitions -----------------------------------------------------------------------------------


class Fitted:
    """p(word | context) for contexts that were seen: self.p(context, word), self.weight(context)."""

    def __init__(self, sentences, words, order, smoothing, k):
        self.order, self.smoothing, self.k = order, smoothing, k
        self.V = len(words) + 1
        self.raw = collections.Counter()
        for s in sentences:
            for n in range(1, order + 1):
                for i in range(len(s) - n + 1):
                    self.raw[tuple(s[i : i + n])] += 1
        left = collections.defaultdict(set)
        for g in self.raw:
            if len(g) > 1:
                left[g[1:]].add(g[0])
        self.count = {}
        for g, c in self.raw.items():
            if g == (BOS,):
                continue
            lower = smoothing == "kn" and len(g) < order and g[0] != BOS
            self.count[g] = len(left[g]) if lower else c
        self.after = collections.defaultdict(dict)
        for g, c in self.count.items():
            self.after[g[:-1]][g[-1]] = c
        self.discounts = {n: self.discount_of(n) for n in range(1, order + 1)}

    def discount_of(self, n):
        t = collections.Counter(c for g, c in self.count.items() if len(g) == n)
        if self.smoothing == "abs":
            return [t[1] / (t[1] + 2 * t[2])] * 3 if t[1] and t[2] else [0.5] * 3
        if not (t[1] and t[2] and t[3]):
            return [0.5, 1.0, 1.5]
        y = t[1] / (t[1] + 2 * t[2])
        d = [1 - 2 * y * t[2] / t[1], 2 - 3 * y * t[3] / t[2], 3 - 4 * y * t[4] / t[3]]
        return d if all(0 <= d[i] <= i + 1 for i in range(3)) else [0.5, 1.0, 1.5]

    def taken(self, context, count):
        return self.discounts[len(context) + 1][min(count, 3) - 1] if count else 0

    def weight(self, context):
        """What is handed to the shorter context."""
        seen = self.after[context]
        return sum(self.taken(context, c) for c in seen.values()) / sum(seen.values())

    def p(self, context, word):
        if context not in self.after:
            return self.p(context[1:], word)
        seen = self.after[context]
        total, c = sum(seen.values()), seen.get(word, 0)
        if self.smoothing == "none":
            return c / total
        if self.smoothing == "add":
            return (c + self.k) / (total + self.k * self.V)
        lower = self.p(context[1:], word) if context else 1 / self.V
        return (c - self.taken(context, c)) / total + self.weight(context) * lower


# ---- ARPA files, read here a second time ---------------------------------------------------------------------------


class Arpa:
    def __init__(self, path):
        self.p, self.weight, self.order, self.said = {}, {}, 0, {}
        level = 0
        with open(path, encoding="utf-8") as f:
            for line in f:
                line = line.rstrip("\n")
                if line.startswith("ngram "):
                    n, count = line[6:].split("=")
                    self.said[int(n)] = int(count)
                elif re.fullmatch(r"\\\d+-grams:", line):
                    level = self.order = int(line[1:-7])
                elif level and "\t" in line:
                    fields = line.split("\t")
                    gram = tuple(fields[1].split(" "))
                    assert len(gram) == level
                    self.p[gram] = self.number(fields[0])
                    if len(fields) > 2:
                        self.weight[gram] = self.number(fields[2])
        counts = collections.Counter(map(len, self.p))
        assert self.said == {n: counts[n] for n in self.said}

    @staticmethod
    def number(s):
        return 0.0 if float(s) <= -99 else 10 ** float(s)

    def next(self, context, word):
        context = context[max(0, len(context) - self.order + 1) :]
        if context + (word,) in self.p:
            return self.p[context + (word,)]
        return self.weight.get(context, 1.0) * self.next(context[1:], word)

    def score(self, tokens):
        """log10 and how many words are unknown; an unknown word of no probability is left out."""
        known = lambda w: (w,) in self.p and w != UNK
        s = [BOS] + [w if known(w) else UNK for w in tokens] + [EOS]
        total, oov = 0.0, sum(not known(w) for w in tokens)
        for i in range(1, len(s)):
            p = self.next(tuple(s[:i]), s[i])
            if p or s[i] != UNK:
                total += math.log10(p) if p else -math.inf
        return total, oov


# ---- judgements ----------------------------------------------------------------------------------------------------


def near(x, y, e=1e-9):
    return x == y or abs(x - y) <= e * abs(y)


def numbers_wrong(arpa, fitted, words):
    """How many numbers of the file are not what the definition says."""
    wrong = 0
    want = set(g for g in fitted.count) | {(w,) for w in words} | {(EOS,)}
    if fitted.smoothing == "add":
        want |= {h + (w,) for h in fitted.after for w in list(words) + [EOS]}
    wrong += set(arpa.p) != want | {(BOS,)}
    for gram, p in arpa.p.items():
        if gram != (BOS,):
            wrong += not near(p, fitted.p(gram[:-1], gram[-1]))
    for h in fitted.after:
        if h and fitted.smoothing != "add":
            wrong += not near(arpa.weight.get(h, 1.0), 0.0 if fitted.smoothing == "none" else fitted.weight(h))
    return wrong + sum(h not in fitted.after for h in arpa.weight)


def attest(binary, *arguments):
    done = subprocess.run([binary, "lm", *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit("attest lm %s: %s" % (" ".join(arguments), done.stderr))
    return done.stdout


def irstlm_windows(path, order, lines):
    """Every n words that follow each other in the lines, with log10 p of the last. IRSTLM prints natural logarithms, and none for
    fewer than n words at the beginning of a sentence."""
    text = "\n".join(" ".join([BOS] + line + [EOS]) for line in lines) + "\n"
    done = subprocess.run(["irstlm", "compile-lm", path, "--score=yes"], input=text, capture_output=True, text=True)
    for m in re.finditer(r"^> (.*?)\t\d+ p= (-?0x\S+)", done.stdout, re.M):
        window = tuple(m.group(1).split())
        if len(window) == order:
            yield window, float.fromhex(m.group(2)) / math.log(10)


def new_lines(lines, count):
    """Sentences that the text does not have: its words in another order, some unknown."""
    r = random.Random(5)
    words = [w for line in lines for w in line.split()]
    return [" ".join(r.choice(words) if r.random() < 0.9 else "unheard" for _ in range(r.randrange(9))) for _ in range(count)]


def models():
    for smoothing in ("kn", "abs", "add", "none"):
        for order in (1, 2, 3, 4):
            yield smoothing, order, "word", 0, 1.0
        yield smoothing, 2, "word", 60, 0.25
        yield smoothing, 3, "char", 0, 0.5
        yield smoothing, 3, "byte", 12, 0.5


def judge(binary, path, folder):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    lines = text.splitlines()
    asked = lines[::7] + new_lines(lines, 60) + [""]
    question = os.path.join(folder, "asked.txt")
    with open(question, "w", encoding="utf-8") as f:
        f.write("\n".join(asked) + "\n")
    n_models = n_numbers = n_scores = n_irstlm = n_rejected = wrong = 0
    for smoothing, order, kind, vocabulary, k in models():
        name = "%s order %d %s vocabulary %d" % (smoothing, order, kind, vocabulary)
        file = os.path.join(folder, "m.arpa")
        options = ["--order", str(order), "--smoothing", smoothing, "--tokens", kind]
        options += ["--vocabulary", str(vocabulary)] if vocabulary else []
        options += ["--k", str(k)] if smoothing == "add" else []
        attest(binary, "fit", path, *options, "-o", file)
        sentences, words = sentences_of(text, kind, vocabulary)
        fitted, arpa = Fitted(sentences, words, order, smoothing, k), Arpa(file)
        bad = numbers_wrong(arpa, fitted, words)
        n_models, n_numbers = n_models + 1, n_numbers + len(arpa.p) + len(arpa.weight)
        said = [json.loads(x) for x in attest(binary, "score", file, question, "--json").splitlines()]
        mine = [arpa.score(cut(line, kind)) for line in asked]
        for s, (score, oov) in zip(said, mine):
            bad += s["oov"] != oov or not near(-math.inf if s["log10prob"] is None else s["log10prob"], score)
        bad += len(said) != len(mine)
        n_scores += len(said)
        if bad:
            print("%s: %d numbers are wrong" % (name, bad))
        wrong += bad
        # What is a little wrong must be seen.
        gram = next(g for g in sorted(arpa.p) if len(g) == order and arpa.p[g] > 0 and g != (BOS,))
        for damage in ("probability", "discount", "weight"):
            other = Arpa(file)
            if damage == "probability":
                other.p[gram] *= 1 + 1e-6
            elif damage == "weight" and other.weight:
                h = next(iter(sorted(other.weight)))
                other.weight[h] = other.weight[h] * (1 + 1e-6) + 1e-6
            elif damage == "discount" and smoothing in ("kn", "abs"):
                fitted.discounts[order] = [d + 1e-6 for d in fitted.discounts[order]]
            else:
                continue
            if numbers_wrong(other, fitted, words):
                n_rejected += 1
            else:
                print("%s: a wrong %s is not noticed" % (name, damage))
                wrong += 1
        # IRSTLM has its own probability of unknown words and of zero; it is not asked for them.
        if kind == "word" and order > 1 and smoothing != "none":
            known = [line.split() for line, (_, oov) in zip(asked, mine) if not oov and line]
            windows = list(irstlm_windows(file, order, known))
            off = [abs(x - math.log10(arpa.next(w[:-1], w[-1]))) / abs(x) for w, x in windows]
            bad = sum(x > 1e-5 for x in off) + (len(windows) != sum(max(0, len(line) + 3 - order) for line in known))
            if bad:
                print("%s: IRSTLM differs on %d of %d windows, by %g at most" % (name, bad, len(windows), max(off)))
            wrong += bad
            n_irstlm += len(windows)
    print("%d models: %d numbers and %d scores to 1e-9 by the definitions; %d windows by IRSTLM to 1e-5; %d wrong ones rejected"
          % (n_models, n_numbers, n_scores, n_irstlm, n_rejected))
    return wrong


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: judge_ngram.py ATTEST TEXT")
    folder = tempfile.mkdtemp()
    try:
        wrong = judge(os.path.abspath(sys.argv[1]), sys.argv[2], folder)
    finally:
        shutil.rmtree(folder)
    sys.exit(1 if wrong else 0)


main()
