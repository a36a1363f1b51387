"""Questions: is it right, where is it wrong, what is impossible; and trainings."""
from __future__ import annotations

import ctypes
import html
import json
import os
from ctypes import c_void_p
from typing import Any, Iterator, Mapping, Union

from ._library import Env, Progress, encoded, err, failed, lib, made, patiently, result, settings
from ._model import Model

Path = Union[str, "os.PathLike[str]"]


class Result(Mapping[str, Any]):
    """What was found, by name: r['inputs'] or r.inputs."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __getitem__(self, name: str) -> Any:
        return self._data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._data[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no '{name}' (there are: {', '.join(self._data)})") from None


def _table(caption: str, columns: list[str], rows: list[list[Any]]) -> str:
    def cells(row: list[Any], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape('' if v is None else f'{v:.4g}' if isinstance(v, float) else str(v))}</{tag}>" for v in row)

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><caption>{html.escape(caption)}</caption><thead><tr>{cells(columns, 'th')}</tr></thead><tbody>{body}</tbody></table>"


class Verdict(Result):
    """verdict is holds, fails or unknown; rows say what it rests on: one a length, or a cell or control of a claim. It is true when
    it holds: unknown is never a pass."""

    def __bool__(self) -> bool:
        return self.verdict == "holds"

    @property
    def counterexample(self) -> dict[str, Any] | None:
        """The first input on which the model is wrong: input, position, expected, got."""
        return next((r["counterexample"] for r in self.rows if r["role"] == "claim" and r.get("counterexample")), None)

    def __repr__(self) -> str:
        wrong = self.counterexample
        said = f", wrong on {wrong['input']!r}" if wrong else ""
        return f"<Verdict: {self.verdict}, {self.inputs} inputs{said}>"

    def _repr_html_(self) -> str:
        rows = [[r["role"], r["parameters"], r["verdict"], r["evidence"], r["arithmetic"], r["inputs"], r["margin"],
                 (r.get("counterexample") or {}).get("input"), r.get("note")] for r in self.rows]
        columns = ["", "at", "verdict", "evidence", "arithmetic", "inputs", "margin", "wrong on", "note"]
        return _table(f"{self.title}: {self.verdict}", columns, rows)


class Refutation(Result):
    """refuted is True, or None: nothing was found, which proves nothing. wrong: the input that is answered wrongly; inputs: that, or the
    two that the model cannot tell apart."""

    def __bool__(self) -> bool:
        return self.refuted is True

    def __repr__(self) -> str:
        return f"<Refutation by {self.method}: wrong on {self.wrong!r}>" if self else "<Refutation: nothing found, which proves nothing>"

    def _repr_html_(self) -> str:
        if not self:
            return _table("not refuted; that proves nothing", ["refuter", "states", ""],
                          [[a["refuter"], a["states"], a["words"]] for a in self.attempts])
        return _table(f"refuted by {self.method}", ["input", "position", "got", "right", ""],
                      [[i["input"], i["position"], i["got"], i["right"], "" if i["correct"] else "WRONG"] for i in self.inputs])


class Equality(Result):
    """equal is True, False or None: nothing differs, but not all inputs were run. witness: the input that tells."""

    def __bool__(self) -> bool:
        return self.equal is True

    def __repr__(self) -> str:
        return f"<Equality: {self.equal}, {self.inputs} inputs>"


class Bound(Result):
    """A theorem in numbers: verdict is binding, vacuous or up to a constant."""

    @property
    def binds(self) -> bool:
        """Does it rule such a model out? Not where it is vacuous, or known up to a constant only."""
        return self.verdict == "binding"

    def __repr__(self) -> str:
        return f"<Bound {self.id}: {self.verdict}; {self.inequality}>"

    def _repr_html_(self) -> str:
        rows = [["inequality", self.inequality], ["so", self.meaning], *self.lines.items(),
                *([f"binds in {s['parameter']}", s["text"]] for s in self.starts)]
        return _table(f"{self.id}: {self.verdict}", ["", ""], rows)


def build(claim: Path, **parameters: Any) -> Model:
    """The weights that a claim of the catalogue (or a file .claim) gives: build('match2', N=8, M=17)."""
    return Model(made(lib.at_net_build, encoded(claim), settings(parameters)))


def compile(text: Path, kind: str | None = None, *, alphabet: str | None = None, attention: str | None = None,
            precision: str | None = None, **sizes: Any) -> Model:
    """A language, recurrence or program as a model. text: a file, or a problem's name; with kind (regex, ltl, dp, crasp, ..) what
    would stand in the file: compile('(ab)*', kind='regex', N=16)."""
    how = settings({"kind": kind, "alphabet": alphabet, "attention": attention, "precision": precision})
    return patiently(lambda: Model(made(lib.at_net_compile, encoded(text), settings(sizes), how)))


def check(subject: Model | Path, problem: Path | None = None, *, exact: bool = False, sampled: int | None = None, certify: bool = False,
          lengths: str | range | None = None, tolerance: float | None = None, tier: str | None = None, precision: str | None = None,
          threads: int = 0, seed: int = 1, progress: Progress | None = None, **sizes: Any) -> Verdict:
    """Does a model solve a problem (None: the one it was made for)? Or: does a claim of the catalogue hold, controls and all?

    exact: every input; sampled: so many; certify: in rigorous arithmetic; none: exact where that is quick."""
    env = Env(threads, seed, progress)
    if isinstance(subject, Model):
        if tier is not None:
            raise TypeError("tier is for claims")
        how = settings({"exact": exact or None, "sampled": sampled, "certify": certify or None, "lengths": lengths,
                        "tolerance": tolerance, "precision": precision})
        return Verdict(patiently(lambda: result(lib.at_net_check, subject._handle, encoded(problem), settings(sizes), how, env.handle)))
    if problem is not None or exact or sampled or certify or lengths is not None or tolerance is not None:
        raise TypeError("a claim says itself what is checked, and how; problem, exact, sampled, certify, lengths, tolerance are for models")
    how = settings({"tier": tier, "precision": precision})
    return Verdict(patiently(lambda: result(lib.at_claim_verdict, encoded(subject), settings(sizes), how, env.handle)))


def refute(model: Model, problem: Path | None = None, *, by: str | None = None, budget: float | None = None, tolerance: float | None = None,
           precision: str | None = None, threads: int = 0, seed: int = 1, progress: Progress | None = None, **sizes: Any) -> Refutation:
    """An input on which the model is wrong. budget: millions of multiply-adds to spend."""
    env = Env(threads, seed, progress)
    how = settings({"by": by, "budget": budget, "tolerance": tolerance, "precision": precision})
    return Refutation(patiently(lambda: result(lib.at_net_refute, model._handle, encoded(problem), settings(sizes), how, env.handle)))


def equal(a: Model, b: Model, *, exact: bool = False, sampled: int | None = None, lengths: str | range | None = None,
          tolerance: float | None = None, precision: str | None = None, threads: int = 0, seed: int = 1,
          progress: Progress | None = None) -> Equality:
    """Are two models the same function?"""
    env = Env(threads, seed, progress)
    how = settings({"exact": exact or None, "sampled": sampled, "lengths": lengths, "tolerance": tolerance, "precision": precision})
    return Equality(patiently(lambda: result(lib.at_net_equal, a._handle, b._handle, how, env.handle)))


class Talk(Result):
    """What parties sent: bits, messages, sent (a party). It is true when what they read is the model's, bit for bit."""

    def __bool__(self) -> bool:
        return self.verdict == "holds"

    def __repr__(self) -> str:
        return f"<Talk of {self.parties}: {self.bits} bits, {self.verdict}>"


def evaluate(model: Model, problem: Path | None = None, *, count: int | None = None, split: str | None = None, precision: str | None = None,
             threads: int = 0, seed: int = 1, progress: Progress | None = None, **sizes: Any) -> Result:
    """How many prompts of a problem (None: the one it was made for), or lines of a file, the model answers rightly: answer_accuracy,
    chain_accuracy. split: train, test (what training never saw) or all."""
    env = Env(threads, seed, progress)
    how = settings({"count": count, "split": split, "precision": precision})
    return Result(patiently(lambda: result(lib.at_net_eval, model._handle, encoded(problem), settings(sizes), how, env.handle)))


def extract(model: Model, to: str, *, length: int | None = None, values: int | None = None, gates: int | None = None,
            precision: str | None = None) -> Result:
    """What the model accepts as something that is not a model: `to` is dfa, ltl, brasp, crasp or circuit. It is in .text."""
    how = settings({"length": length, "values": values, "gates": gates, "precision": precision})
    return Result(patiently(lambda: result(lib.at_net_extract, model._handle, encoded(to), how)))


def protocol(model: Model, parties: str | int, x: Any, *, precision: str | None = None) -> Talk:
    """Parties that hold some positions each compute the model together: 'BAAB', a letter a position, or how many take turns."""
    a, n = model._one(x)
    how = settings({"precision": precision})
    return Talk(result(lib.at_net_protocol, model._handle, str(parties).encode(), a.ctypes.data, n, how))


def size_map(problem: Path | None = None, ledger: Path | None = None, **sizes: Any) -> Result:
    """Least size against problem size, of one problem or of all: panels with points of bounds, constructions and, from a ledger,
    trained models."""
    return Result(patiently(lambda: result(lib.at_map_read, encoded(problem), settings(sizes), encoded(ledger))))


def bound(id: str, **parameters: Any) -> Bound:
    """A lower bound at your sizes: bound('compose-bound', H=4, d=16, p=32, n=270).binds"""
    return Bound(result(lib.at_bound_at, encoded(id), settings(parameters)))


def train(problem: Path, sizes: Mapping[str, Any] | None = None, *, start: Model | None = None, threads: int = 0, seed: int = 1,
          progress: Progress | None = None, **recipe: Any) -> Model:
    """A net that learns a problem of these sizes, from random weights or from those of `start`:
    train('lis', {'n': 10, 'range': 25}, width=32, steps=400). recipe_settings() lists what a recipe may say. What came of it is in
    m.training: exam, loss, exams."""
    env = Env(threads, seed, progress)

    def work() -> Model:
        net, found = c_void_p(), c_void_p()
        status = lib.at_net_train(encoded(problem), settings(sizes or {}), settings(recipe), start._handle if start else None, env.handle,
                                  ctypes.byref(net), ctypes.byref(found), err())
        if status:
            failed(status)
        model = Model(net.value or 0)
        try:
            model.training = json.loads(lib.at_result_json(found))
        finally:
            lib.at_result_free(found)
        return model

    return patiently(work)


def _listed(what: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in result(lib.at_list, what.encode())["rows"]}


def claims() -> dict[str, dict[str, Any]]:
    """The catalogue: title, source, statement and parameters by id."""
    return _listed("claims")


def bounds() -> dict[str, dict[str, Any]]:
    """Lower bounds by id."""
    return _listed("bounds")


def problems() -> dict[str, dict[str, Any]]:
    """Built-in problems by id, with the parameters of their views."""
    return _listed("problems")


def languages() -> dict[str, dict[str, Any]]:
    """What compile takes, by kind."""
    return _listed("languages")


def recipe_settings() -> dict[str, dict[str, Any]]:
    """What train takes, by name."""
    return _listed("settings")
