"""Models: run, looked into, drawn, written down."""
from __future__ import annotations

import ctypes
import html
import importlib.util
import json
import os
import struct
import tempfile
from collections.abc import Iterator, Mapping
from ctypes import byref, c_char_p, c_double, c_int, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from ._library import BUDGET, Env, InputError, encoded, err, failed, lib, made, result, settings

if TYPE_CHECKING:
    import torch

Input = Union[str, "np.typing.ArrayLike"]


def _view(address: int, shape: tuple[int, ...], owner: Any, writable: bool) -> np.ndarray:
    """Memory of the library as an array, which keeps its owner alive."""
    size = int(np.prod(shape))
    memory = (c_double * size).from_address(address) if size else (c_double * 0)()
    memory.owner = owner
    array = np.frombuffer(memory, dtype=np.float64, count=size).reshape(shape)
    array.flags.writeable = writable
    return array


class Tensors(Mapping[str, np.ndarray]):
    """The weights of a model by name. Arrays are views: what is written to one is written to the model."""

    def __init__(self, model: "Model") -> None:
        self._model = model
        self._places: dict[str, tuple[int, tuple[int, ...]]] = {}
        name, rows, columns = c_char_p(), c_size_t(), c_size_t()
        for i in range(lib.at_net_tensors(model._handle)):
            address = lib.at_net_tensor(model._handle, i, byref(name), byref(rows), byref(columns))
            shape = (rows.value, columns.value) if columns.value else (rows.value,)
            self._places[(name.value or b"").decode()] = (address, shape)

    def __getitem__(self, name: str) -> np.ndarray:
        address, shape = self._places[name]
        return _view(address, shape, self._model, True)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Run(NamedTuple):
    """What a run gives at each position: what is decided, how far the nearest other decision is, the readout before it."""

    decisions: np.ndarray
    margins: np.ndarray
    values: np.ndarray


class Head(NamedTuple):
    """A head as people count it, from 1, and what it is for, where the model says that."""

    layer: int
    number: int
    name: str | None


class Picture:
    """An SVG that a notebook shows."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture, {len(self.svg)} characters of SVG>"


class Trace:
    """The inside of a run. T positions are those of the input and the hidden ones of the model, D is the width of the residual stream.

    attention: (heads, T, T), the weight of query i on key j.
    scores:    the same before weighting, masked entries -inf; None where they are not kept.
    states:    (blocks + 1, T, D), the residual stream before the first block, after it, and so on.
    heads:     a Head for each of attention."""

    def __init__(self, handle: int, model: "Model", x: np.ndarray, precision: str | None) -> None:
        self._handle, self._model, self._x, self._precision = handle, model, x, precision
        T, n = lib.at_tracing_positions(handle), lib.at_tracing_heads(handle)
        layer, number, name, D = c_int(), c_int(), c_char_p(), c_int()
        self.heads: list[Head] = []
        weights, scores = [], []
        for k in range(n):
            weights.append(_view(lib.at_tracing_weights(handle, k, byref(layer), byref(number), byref(name)), (T, T), self, False))
            self.heads.append(Head(layer.value, number.value, name.value.decode() if name.value else None))
            address = lib.at_tracing_scores(handle, k)
            scores.append(_view(address, (T, T), self, False) if address else None)
        states = lib.at_tracing_states(handle, byref(D))
        self.attention = np.stack(weights) if weights else np.zeros((0, T, T))
        self.scores = np.stack(scores) if scores and all(s is not None for s in scores) else None
        self.states = np.stack([_view(lib.at_tracing_state(handle, k), (T, D.value), self, False) for k in range(states)])

    def __del__(self, free: Any = lib.at_tracing_free) -> None:
        free(self._handle)

    def _repr_svg_(self) -> str:
        return self._model.look(self._x, precision=self._precision).svg

    def __repr__(self) -> str:
        return f"<Trace: {len(self.heads)} heads, {self.attention.shape[1]} positions, {len(self.states)} states>"


class Model:
    """A model: built from a theorem, compiled from a language, trained, or loaded.

    m(x) runs it. x is a line of text as `attest run` reads it, the numbers of one input, or an array of several:
    (n) and (count, n) where a position is one number, else (n, width) and (count, n, width)."""

    #: of a trained model, what came of the training; else None
    training: dict[str, Any] | None = None

    def __init__(self, handle: int) -> None:
        self._handle = handle
        width, positions, decisions, values = c_int(), c_int(), c_int(), c_int()
        lib.at_net_shape(handle, 2, byref(width), byref(positions), byref(decisions), byref(values))
        self._width, self._last = width.value, positions.value == 1
        self._decisions, self._values = decisions.value, values.value

    def __del__(self, free: Any = lib.at_net_free) -> None:
        if getattr(self, "_handle", None):
            free(self._handle)

    # ---- what it is ---------------------------------------------------------------------------------------------

    @property
    def about(self) -> dict[str, Any]:
        """Name, problem, hash, sizes, fields, blocks, readout, decoding, named subspaces; as it is now."""
        return result(lib.at_net_about, self._handle)

    @property
    def name(self) -> str:
        """What it is called."""
        return self.about["name"]

    @property
    def problem(self) -> str | None:
        """The problem that it was made for, with its sizes."""
        return self.about["problem"]

    @property
    def hash(self) -> str:
        """SHA-256 of the model: the same on every machine."""
        return self.about["hash"]

    @property
    def size(self) -> dict[str, Any]:
        """Layers, heads, widths, parameters and how many of them are not zero."""
        return self.about["size"]

    @property
    def tensors(self) -> Tensors:
        """The weights by name, as views of the model's own."""
        return Tensors(self)

    def word(self, decision: float) -> str | None:
        """What a decision is called: a letter, yes or no; None: it is a number."""
        text = lib.at_net_word(self._handle, decision)
        return None if text is None else text.decode()

    # ---- running ------------------------------------------------------------------------------------------------

    def read(self, line: str) -> np.ndarray:
        """The numbers of an input that is written as text: (n) or (n, width)."""
        n = c_int()
        x = c_void_p()
        status = lib.at_net_read(self._handle, line.encode(), byref(x), byref(n), err())
        if status:
            failed(status)
        return self._taken(x, n.value)

    def say(self, x: "np.typing.ArrayLike", written: bool = False) -> str:
        """The line of an input; written: of rows that the model wrote."""
        a, n = self._one(x)
        text = made(lib.at_net_say, self._handle, a.ctypes.data, n, written)
        return _text(text)

    def _taken(self, memory: c_void_p, n: int) -> np.ndarray:
        """Rows that the library made, as an array of ours."""
        shape = (n,) if self._width == 1 else (n, self._width)
        out = _view(memory.value or 0, shape, None, True).copy()
        lib.at_free(memory)
        return out

    def _one(self, x: Input) -> tuple[np.ndarray, int]:
        a = self.read(x) if isinstance(x, str) else np.ascontiguousarray(x, dtype=np.float64)
        dims = 1 if self._width == 1 else 2
        if a.ndim != dims or (dims == 2 and a.shape[1] != self._width):
            raise InputError(f"an input of shape {a.shape}: must be (n)" if dims == 1 else
                             f"an input of shape {a.shape}: must be (n, {self._width})")
        return a, a.shape[0]

    def _shaped(self, a: np.ndarray, numbers: int, count: int | None, positions: int, squeeze: bool) -> np.ndarray:
        shape = (() if count is None else (count,)) + (() if self._last else (positions,))
        return a.reshape(shape if squeeze and numbers == 1 else shape + (numbers,))

    def run(self, x: Input, precision: str | None = None, threads: int = 0) -> Run:
        """Decisions, margins and values, each (positions, numbers); of a readout at the last position (numbers). Of several inputs
        there is one more dimension before these. A decision that the arithmetic cannot make is NaN.

        precision: f64, f32, p12, p8e5, ball, exact."""
        a = x if isinstance(x, str) else np.ascontiguousarray(x, dtype=np.float64)
        dims = 1 if self._width == 1 else 2
        if isinstance(a, str) or a.ndim != dims + 1:
            a, n = self._one(a)
            count = None
        else:
            count, n = a.shape[:2]
            if dims == 2 and a.shape[2] != self._width:
                raise InputError(f"inputs of shape {a.shape}: must be (count, n, {self._width})")
        positions = 1 if self._last else n
        many = positions * (1 if count is None else count)
        out = [np.empty(many * k) for k in (self._decisions, self._decisions, self._values)]
        places = [o.ctypes.data for o in out]
        if count is None:
            status = lib.at_net_run(self._handle, a.ctypes.data, n, encoded(precision), *places, err())
        else:
            env = Env(threads)
            status = lib.at_net_runs(self._handle, a.ctypes.data, n, count, encoded(precision), env.handle, *places, err())
        if status:
            failed(status)
        numbers = (self._decisions, self._decisions, self._values)
        return Run(*(self._shaped(o, k, count, positions, False) for o, k in zip(out, numbers)))

    def __call__(self, x: Input, precision: str | None = None) -> np.ndarray:
        """What the model decides at each position (at the last alone, where it answers there), without a dimension of one number."""
        if not isinstance(x, str):
            x = np.ascontiguousarray(x, dtype=np.float64)
            if x.ndim != (1 if self._width == 1 else 2):
                out = self.run(x, precision).decisions
                return out[..., 0] if self._decisions == 1 else out
        a, n = self._one(x)
        positions = 1 if self._last else n
        out = np.empty(positions * self._decisions)
        status = lib.at_net_run(self._handle, a.__array_interface__["data"][0], n, encoded(precision),
                                out.__array_interface__["data"][0], None, None, err())
        if status:
            failed(status)
        if self._decisions == 1:
            return out[0] if self._last else out
        return out if self._last else out.reshape(positions, self._decisions)

    def generate(self, prompt: Input, precision: str | None = None) -> Any:
        """What a decoder writes after a prompt: of a prompt in words the line, of numbers the rows. Raises BudgetError, with
        the rows so far as `rows`, where it comes to no end."""
        a, n = self._one(prompt)
        rows, n_rows = c_void_p(), c_int()
        status = lib.at_net_generate(self._handle, a.ctypes.data, n, encoded(precision), byref(rows), byref(n_rows), None, err())
        if status and status != BUDGET:
            failed(status)
        written = self._taken(rows, n_rows.value) if rows.value else np.zeros(0)
        if status:
            try:
                failed(status)
            except Exception as e:
                e.rows = written  # type: ignore[attr-defined]
                raise
        return self.say(written, written=True) if isinstance(prompt, str) else written

    def trace(self, x: Input, precision: str | None = None) -> Trace:
        """Attention and residual stream of one run."""
        a, n = self._one(x)
        return Trace(made(lib.at_net_trace, self._handle, a.ctypes.data, n, encoded(precision)), self, a, precision)

    def look(self, x: Input, path: str | os.PathLike[str] | None = None, precision: str | None = None) -> Picture:
        """A picture of its attention; path: also into a file, .png, .svg or .pdf."""
        a, n = self._one(x)
        if path is not None:
            status = lib.at_net_look(self._handle, a.ctypes.data, n, encoded(precision), encoded(path), err())
            if status:
                failed(status)
        return Picture(_text(made(lib.at_net_svg, self._handle, a.ctypes.data, n, encoded(precision))))

    # ---- where it goes --------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """As a safetensors file, whole or not at all."""
        status = lib.at_net_save(self._handle, encoded(path), err())
        if status:
            failed(status)

    def __bytes__(self) -> bytes:
        """The file that save writes."""
        memory, n = c_void_p(), c_size_t()
        status = lib.at_net_image(self._handle, byref(memory), byref(n), err())
        if status:
            failed(status)
        try:
            return ctypes.string_at(memory, n.value)
        finally:
            lib.at_free(memory)

    def copy(self) -> "Model":
        """A model of its own with the same weights."""
        return Model(made(lib.at_net_copy, self._handle))

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Model":
        return self.copy()

    def __reduce__(self) -> Any:
        return loads, (bytes(self),)

    @property
    def config(self) -> dict[str, Any]:
        """The architecture, as the file has it (docs/model.md)."""
        data = bytes(self)
        (n,) = struct.unpack("<Q", data[:8])
        return json.loads(json.loads(data[8:8 + n])["__metadata__"]["attest"])

    def to_torch(self) -> "dict[str, torch.Tensor]":
        """The weights as torch tensors, copied, by the names that they have here: a state_dict."""
        import torch
        return {name: torch.from_numpy(weights.copy()) for name, weights in self.tensors.items()}

    def module(self, dtype: str | None = None) -> "torch.nn.Module":
        """As a torch module: module(x) gives the values, module.decide(values) the decisions, and of a decoder
        module.generate(prompt) the chain, None where it does not end. What `export("torch", ..)` writes, loaded from a
        folder that is gone again."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            self.export("torch", path, dtype)
            spec = importlib.util.spec_from_file_location("attest_exported", os.path.join(path, "model.py"))
            assert spec and spec.loader
            code = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(code)
            return code.Model()

    def export(self, to: str, path: str | os.PathLike[str], dtype: str | None = None, cache: bool = False) -> None:
        """For another tool: to is onnx, torch, transformerlens, gpt2 or npz (docs/export.md). A file, or a new folder.

        dtype: f32 or f64; none: as the model is stored. cache: a decoder in ONNX that takes keys and values of the rows before."""
        status = lib.at_net_export(self._handle, to.encode(), settings({"dtype": dtype, "cache": cache or None}), encoded(path), err())
        if status:
            failed(status)

    def to_onnx(self, path: str | os.PathLike[str], dtype: str | None = None, cache: bool = False) -> None:
        """As a file that onnxruntime runs."""
        self.export("onnx", path, dtype, cache)

    # ---- what is shown --------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        s = self.size
        return f"<Model {self.name}: {s['layers']} attention layers, {s['heads']} heads, width {s['width']}, {s['parameters']} parameters>"

    def _repr_html_(self) -> str:
        about = self.about
        rows = {"problem": about["problem"] or "none", **{k.replace("_", " "): v for k, v in about["size"].items()}, "hash": about["hash"][:16]}
        body = "".join(f"<tr><th>{html.escape(str(k))}</th><td>{html.escape(str(v))}</td></tr>" for k, v in rows.items())
        return f"<table><caption>{html.escape(about['name'])}</caption>{body}</table>"


def _text(address: int) -> str:
    """Text that the library made, as one of ours."""
    text = ctypes.string_at(address).decode()
    lib.at_free(address)
    return text


def load(path: str | os.PathLike[str]) -> Model:
    """The model of a safetensors file."""
    return Model(made(lib.at_net_load, encoded(path)))


def loads(data: bytes) -> Model:
    """The model of the bytes of such a file."""
    return Model(made(lib.at_net_parse, data, len(data)))


def _how(layout: str | None, config: str | os.PathLike[str] | None, read: str | None, steps: int | None, ignore: str | None) -> bytes:
    return settings({"as": layout, "config": config and os.fspath(config), "read": read, "steps": steps, "ignore": ignore})


def import_model(path: str | os.PathLike[str], layout: str | None = None, config: str | os.PathLike[str] | None = None,
                 read: str | None = None, steps: int | None = None, ignore: str | None = None) -> Model:
    """A model of another tool: a folder with config.json and model.safetensors, or one file (docs/import.md).

    layout: gpt2, neox, llama, nanogpt, transformerlens, tracr; none: by the names of its tensors. read: next (a decoder), last, every.
    steps: how many tokens a decoder writes. ignore: keys of the configuration, separated by commas."""
    return Model(made(lib.at_net_import, encoded(path), _how(layout, config, read, steps, ignore)))


def from_torch(state_dict: Mapping[str, Any], config: Mapping[str, Any], layout: str | None = None, read: str | None = None,
               steps: int | None = None, ignore: str | None = None) -> Model:
    """The model of these weights. By attest's names: m.to_torch() with m.config gives m again, and what was trained in between stays.
    By the names of GPT-2, nanoGPT, GPT-NeoX, Llama, TransformerLens or tracr, with the configuration that goes with them: as
    import_model reads them; how: as in import_model.

    state_dict: torch tensors or arrays. Where all weights are floats of 32 bits the model is stored so."""
    arrays = {}
    for name, weights in state_dict.items():
        if hasattr(weights, "detach"):
            weights = weights.detach().cpu().numpy()
        arrays[name] = np.ascontiguousarray(weights)
    ours = "readout" in config
    small = bool(arrays) and all(a.dtype == np.float32 for a in arrays.values())
    if ours and config.get("f32"):  # to_torch gives doubles of such a model, too; what is no float any more makes it one of doubles
        small = all((a.astype(np.float32) == a).all() for a in arrays.values())
    dtype = "<f4" if small else "<f8"
    arch = json.dumps({**config, "f32": small}) if ours else ""
    header: dict[str, Any] = {"__metadata__": {"format": "attest", "attest": arch}} if ours else {}
    data, at = [], 0
    for name, a in arrays.items():
        data.append(a.astype(dtype).tobytes())
        header[name] = {"dtype": "F32" if dtype == "<f4" else "F64", "shape": list(a.shape), "data_offsets": [at, at + len(data[-1])]}
        at += len(data[-1])
    text = json.dumps(header).encode()
    file = struct.pack("<Q", len(text)) + text + b"".join(data)
    if ours:
        return loads(file)
    return Model(made(lib.at_net_adopt, file, len(file), json.dumps(dict(config)).encode(), _how(layout, None, read, steps, ignore)))
