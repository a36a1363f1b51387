#!/usr/bin/python3
"""Circuits of models, judged by Berkeley's ABC.

    judge_circuit.py FOLDER      what judge_circuit wrote; exit 1 unless all agree

The executor's answers on all inputs are made a circuit here: one .names with a row for each input that is answered yes. ABC
proves that attest's BLIF file and its binary AIGER file are equivalent to it (cec). The ascii AIGER file, which ABC does not read, is read here
by its definition and run on all inputs. Wrong answers are judged, too, and all of them must be
rejected: the answer on one input turned.
"""
import json
import os
import random
import subprocess
import sys

ABC = "berkeley-abc"


def names_of(path):
    """Inputs and output of a BLIF file."""
    with open(path) as f:
        text = f.read().replace("\\\n", " ")
    lines = text.split("\n")
    return lines[1].split()[1:], lines[2].split()[1:]


def table_write(path, inputs, output, values):
    with open(path, "w") as f:
        # a cover without rows has no inputs either: ABC insists
        reads = " ".join(inputs) + " " if "1" in values else ""
        f.write(".model table\n.inputs %s\n.outputs %s\n.names %s%s\n" % (" ".join(inputs), output, reads, output))
        for x, v in enumerate(values):
            if v == "1":
                f.write("%s 1\n" % "".join("01"[x >> k & 1] for k in range(len(inputs))))
        f.write(".end\n")


def same(a, b):
    """Does ABC prove two files equivalent? None: it says something else."""
    done = subprocess.run([ABC, "-q", "cec %s %s" % (a, b)], capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    if "Networks are equivalent" in text:
        return True
    if "Networks are NOT EQUIVALENT" in text:
        return False
    print("ABC says of %s and %s: %s" % (a, b, text.strip()[:300]))
    return None


def aag_values(path):
    """Outputs of an ascii AIGER file on all inputs: an integer each, bit x for input x."""
    with open(path) as f:
        head, *lines = f.read().split("\n")
    m, i, _, o, a = map(int, head.split()[1:])
    size = 1 << i
    is_ = {0: 0, 1: (1 << size) - 1}

    def put(literal, value):
        is_[literal] = value
        is_[literal ^ 1] = value ^ is_[1]

    for k in range(i):
        put(int(lines[k]), sum(1 << x for x in range(size) if x >> k & 1))
    for line in lines[i + o:i + o + a]:
        x, y, z = map(int, line.split())
        put(x, is_[y] & is_[z])
    assert m == i + a
    return [is_[int(line)] for line in lines[i:i + o]]


def main(folder):
    random.seed(19)
    with open(os.path.join(folder, "cases.jsonl")) as f:
        cases = [json.loads(line) for line in f]
    bad = constant = proved = rejected = 0
    for case in cases:
        path = os.path.join(folder, case["name"])
        values = case["values"]
        inputs, outputs = names_of(path + ".blif")
        assert len(inputs) == case["inputs"] and len(values) == 1 << len(inputs) and len(outputs) == 1
        constant += len(set(values)) == 1
        table_write(path + "_table.blif", inputs, outputs[0], values)
        x = random.randrange(len(values))
        wrong = values[:x] + "10"[int(values[x])] + values[x + 1:]
        table_write(path + "_wrong.blif", inputs, outputs[0], wrong)
        asked = [same(path + end, path + "_table.blif") for end in (".blif", ".aig")]
        asked.append(aag_values(path + ".aag") == [int(values[::-1], 2)])
        turned = [same(path + end, path + "_wrong.blif") for end in (".blif", ".aig")]
        turned.append(None if aag_values(path + ".aag") == [int(wrong[::-1], 2)] else False)
        proved += asked.count(True)
        rejected += turned.count(False)
        if asked != [True] * 3 or turned != [False] * 3:
            bad += 1
            print("%s (%s): equivalent %s, with a wrong answer %s" % (case["name"], case["about"], asked, turned))
    print("ABC: %d of %d circuits agree with the executor, in %d files; %d are constant" % (
        len(cases) - bad, len(cases), proved, constant))
    print("    wrong answers: %d/%d rejected" % (rejected, 3 * len(cases)))
    return 1 if bad or not cases or 2 * constant > len(cases) else 0


if len(sys.argv) != 2:
    sys.exit("usage: judge_circuit.py FOLDER")
sys.exit(main(sys.argv[1]))
