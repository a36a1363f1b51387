"""The promised calls of attest.h by ctypes. No struct of the library is known here: handles are addresses, results are read by name.

ctypes.CDLL lets go of the interpreter's lock during a call, so other Python threads go on."""
from __future__ import annotations

import ctypes
import json
import os
import pathlib
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_size_t, c_void_p
from typing import Any, Callable, Mapping, NoReturn

# ---- failures ------------------------------------------------------------------------------------------------


class Error(Exception):
    """A call that failed; its text is one line: what, where, what is allowed."""


class InputError(Error, ValueError):
    """Malformed input, an unknown name."""


class DomainError(Error, ValueError):
    """A value outside the range that is allowed."""


class RefusedError(Error):
    """A combination that attest refuses, by design."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""


class OutOfMemory(Error, MemoryError):
    """Out of memory."""


class BudgetError(Error):
    """The budget ran out before an answer."""


class Cancelled(Error):
    """Interrupted."""


_ERRORS = {1: InputError, 2: DomainError, 3: RefusedError, 4: FileError, 5: OutOfMemory, 6: BudgetError, 7: Cancelled}
BUDGET = 6

# ---- the calls ------------------------------------------------------------------------------------------------

_status, _text, _handle, _err = c_int, c_char_p, c_void_p, c_void_p
_out = POINTER(c_void_p)
_doubles = c_void_p  # the address of the first
_int_out = POINTER(c_int)

Told = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_double, c_double)

#: name: (what it returns, its arguments). Every call of attest.h, and no other.
CALLS: dict[str, tuple[Any, list[Any]]] = {
    "at_version": (_text, []),
    "at_build_id": (_text, []),
    "at_free": (None, [c_void_p]),
    "at_cancel_request": (None, []),
    "at_cancel_pending": (c_bool, []),
    "at_cancel_clear": (None, []),
    "at_err_new": (_err, []),
    "at_err_text": (_text, [_err]),
    "at_list": (_status, [_text, _out, _err]),
    "at_env_new": (_status, [_out, _err]),
    "at_env_set": (_status, [_handle, _text, _err]),
    "at_env_progress": (None, [_handle, Told, c_void_p]),
    "at_env_free": (None, [_handle]),
    "at_result_text": (_text, [_handle, _text]),
    "at_result_number": (c_double, [_handle, _text]),
    "at_result_json": (_text, [_handle]),
    "at_result_free": (None, [_handle]),
    "at_net_build": (_status, [_text, _text, _out, _err]),
    "at_net_compile": (_status, [_text, _text, _text, _out, _err]),
    "at_net_load": (_status, [_text, _out, _err]),
    "at_net_parse": (_status, [c_char_p, c_size_t, _out, _err]),
    "at_net_save": (_status, [_handle, _text, _err]),
    "at_net_image": (_status, [_handle, _out, POINTER(c_size_t), _err]),
    "at_net_copy": (_status, [_handle, _out, _err]),
    "at_net_free": (None, [_handle]),
    "at_net_import": (_status, [_text, _text, _out, _err]),
    "at_net_adopt": (_status, [c_char_p, c_size_t, _text, _text, _out, _err]),
    "at_net_export": (_status, [_handle, _text, _text, _text, _err]),
    "at_net_about": (_status, [_handle, _out, _err]),
    "at_net_tensors": (c_int, [_handle]),
    "at_net_tensor": (_doubles, [_handle, c_int, POINTER(c_char_p), POINTER(c_size_t), POINTER(c_size_t)]),
    "at_net_shape": (None, [_handle, c_int, _int_out, _int_out, _int_out, _int_out]),
    "at_net_read": (_status, [_handle, _text, _out, _int_out, _err]),
    "at_net_say": (_status, [_handle, _doubles, c_int, c_bool, _out, _err]),
    "at_net_word": (_text, [_handle, c_double]),
    "at_net_run": (_status, [_handle, _doubles, c_int, _text, _doubles, _doubles, _doubles, _err]),
    "at_net_runs": (_status, [_handle, _doubles, c_int, c_size_t, _text, _handle, _doubles, _doubles, _doubles, _err]),
    "at_net_generate": (_status, [_handle, _doubles, c_int, _text, _out, _int_out, POINTER(c_double), _err]),
    "at_net_trace": (_status, [_handle, _doubles, c_int, _text, _out, _err]),
    "at_tracing_positions": (c_int, [_handle]),
    "at_tracing_heads": (c_int, [_handle]),
    "at_tracing_weights": (_doubles, [_handle, c_int, _int_out, _int_out, POINTER(c_char_p)]),
    "at_tracing_scores": (_doubles, [_handle, c_int]),
    "at_tracing_states": (c_int, [_handle, _int_out]),
    "at_tracing_state": (_doubles, [_handle, c_int]),
    "at_tracing_free": (None, [_handle]),
    "at_net_svg": (_status, [_handle, _doubles, c_int, _text, _out, _err]),
    "at_net_look": (_status, [_handle, _doubles, c_int, _text, _text, _err]),
    "at_net_check": (_status, [_handle, _text, _text, _text, _handle, _out, _err]),
    "at_claim_verdict": (_status, [_text, _text, _text, _handle, _out, _err]),
    "at_net_refute": (_status, [_handle, _text, _text, _text, _handle, _out, _err]),
    "at_net_equal": (_status, [_handle, _handle, _text, _handle, _out, _err]),
    "at_net_eval": (_status, [_handle, _text, _text, _text, _handle, _out, _err]),
    "at_net_extract": (_status, [_handle, _text, _text, _out, _err]),
    "at_net_protocol": (_status, [_handle, _text, _doubles, c_int, _text, _out, _err]),
    "at_map_read": (_status, [_text, _text, _text, _out, _err]),
    "at_bound_at": (_status, [_text, _text, _out, _err]),
    "at_net_train": (_status, [_text, _text, _text, _handle, _handle, _out, _out, _err]),
}


def _places() -> list[str]:
    """Where the library may be: as the environment says, in the package, in the repository, on the system."""
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("ATTEST_LIBRARY")
    if named:
        return [named]
    found = [p for p in (here / "libattest.so", here.parents[1] / "build" / "libattest.so") if p.exists()]
    return [str(p) for p in found[:1]] or ["libattest.so.0"]


def _load() -> ctypes.CDLL:
    place = _places()[0]
    try:
        library = ctypes.CDLL(place)
    except OSError as e:
        raise ImportError(f"attest: no library: {e}. Run `make` in the repository, or name it: ATTEST_LIBRARY=/path/to/libattest.so") from None
    for name, (result, arguments) in CALLS.items():
        call = getattr(library, name)
        call.restype, call.argtypes = result, arguments
    return library


lib = _load()

# ---- calling -----------------------------------------------------------------------------------------------------


class _Err:
    """One at_err; a thread has its own."""

    def __init__(self) -> None:
        self.address = lib.at_err_new()
        if not self.address:
            raise MemoryError

    def __del__(self, free: Any = lib.at_free) -> None:
        free(self.address)


class _Own(threading.local):
    def __init__(self) -> None:
        self.err = _Err()


_own = _Own()


def err() -> int:
    """The address to give as the last argument."""
    return _own.err.address


def failed(status: int) -> NoReturn:
    """Raises what the last call of this thread failed with."""
    raise _ERRORS.get(status, Error)(lib.at_err_text(err()).decode())


def made(call: Any, *arguments: Any) -> int:
    """The handle, or memory, that a call makes: its last arguments are where it goes, and err."""
    out = c_void_p()
    status = call(*arguments, ctypes.byref(out), err())
    if status:
        failed(status)
    return out.value or 0


def result(call: Any, *arguments: Any) -> dict[str, Any]:
    """What a call finds out."""
    handle = made(call, *arguments)
    try:
        return json.loads(lib.at_result_json(handle))
    finally:
        lib.at_result_free(handle)


def encoded(text: Any) -> bytes | None:
    return None if text is None else os.fspath(text).encode() if not isinstance(text, str) else text.encode()


def settings(values: Mapping[str, Any]) -> bytes:
    """{'N': 6, 'exact': True} as `N=6 exact=1`; what is None is left out."""
    words = []
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, range):
            if value.step != 1 or not value:
                raise InputError(f"{name}={value}: must be a range with step 1")
            value = f"{value.start}..{value.stop - 1}"
        elif isinstance(value, bool):
            value = int(value)
        text = str(value)
        if any(c in text for c in " \t,"):
            text = f"'{text}'" if '"' in text else f'"{text}"'
        words.append(f"{name}={text}")
    return " ".join(words).encode()


Progress = Callable[[str, float, float], None]


class Env:
    """Threads, seed and progress of a call."""

    def __init__(self, threads: int = 0, seed: int = 1, progress: Progress | None = None) -> None:
        self.handle = made(lib.at_env_new)
        status = lib.at_env_set(self.handle, settings({"threads": threads, "seed": seed}), err())
        if status:
            lib.at_env_free(self.handle)
            self.handle = None
            failed(status)
        if progress:
            self._told = Told(lambda _, what, done, total: progress(what.decode(), done, total))
            lib.at_env_progress(self.handle, self._told, None)

    def __del__(self, free: Any = lib.at_env_free) -> None:
        if getattr(self, "handle", None):
            free(self.handle)


_pool: ThreadPoolExecutor | None = None


def _forget_pool() -> None:
    """A child of fork has none of its parent's threads."""
    global _pool
    _pool = None


os.register_at_fork(after_in_child=_forget_pool)


def patiently(call: Callable[[], Any]) -> Any:
    """A long call that Ctrl-C ends: it runs in a second thread, while this one listens. The thread is kept, because libraries below keep
    memory for each that ever called them."""
    global _pool
    if threading.current_thread() is not threading.main_thread():
        return call()
    if _pool is None:
        _pool = ThreadPoolExecutor(1, thread_name_prefix="attest")
    work = _pool.submit(call)
    try:
        return work.result()
    except KeyboardInterrupt:
        lib.at_cancel_request()
        work.add_done_callback(lambda _: lib.at_cancel_clear())
        wait([work])
        raise
