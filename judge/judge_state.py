#!/usr/bin/python3
"""A second reader of the states of trainings, written from docs/train.md with Python's own library alone.

    judge_state.py STATE...      prints what each holds; exit 1 unless every sum is right

Seeds of the fuzzer are states: fuzz/corpus/state/family, fast and plain are right, damaged must be rejected.
"""
import hashlib
import json
import struct
import sys


def state_read(path):
    """(metadata, {name: (shape, numbers)}, is the sum right?)"""
    with open(path, "rb") as f:
        head = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    meta = head.pop("__metadata__")
    tensors = {}
    for name, e in head.items():
        begin, end = e["data_offsets"]
        letter = {"F32": "f", "F64": "d"}[e["dtype"]]
        tensors[name] = e["shape"], [v for (v,) in struct.iter_unpack("<" + letter, data[begin:end])]
    texts = "".join(meta.get(k, "") + "\n" for k in ("attest-training", "attest", "note"))
    return meta, tensors, hashlib.sha256(texts.encode() + data).hexdigest() == meta["sha256"]


def main(paths):
    wrong = 0
    for path in paths:
        meta, tensors, right = state_read(path)
        record = json.loads(meta["attest-training"])
        numbers = sum(len(v) for name, (_, v) in tensors.items() if name.startswith("weights."))
        print("%s: %s, %d steps, %d parameters, sum %s" % (
            path, record["arithmetic"], record["steps"], numbers, "right" if right else "WRONG"))
        wrong += not right
    return wrong > 0


sys.exit(main(sys.argv[1:]))
