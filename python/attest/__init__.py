"""attest: theorems about transformers as weights, and checks of them.

    >>> import attest
    >>> m = attest.build('match2', N=8, M=17)
    >>> m([3, 14, 5])
    array([1., 1., 0.])
    >>> bool(attest.check(m, 'match2', N=3, M=17, exact=True))
    True

docs/python.md is a page about it. Everything goes through the promised calls of libattest.so (attest.h)."""
from ._ask import (Bound, Equality, Refutation, Result, Talk, Verdict, bound, bounds, build, check, claims, compile, equal, evaluate, extract,
                   languages, problems, protocol, recipe_settings, refute, size_map, train)
from ._library import BudgetError, Cancelled, DomainError, Error, FileError, InputError, OutOfMemory, RefusedError, lib as _lib
from ._model import Head, Model, Picture, Run, Tensors, Trace, from_torch, import_model, load, loads

__version__: str = _lib.at_version().decode()
build_id: str = _lib.at_build_id().decode()

__all__ = ["Bound", "BudgetError", "Cancelled", "DomainError", "Equality", "Error", "FileError", "Head", "InputError", "Model", "OutOfMemory",
           "Picture", "RefusedError", "Refutation", "Result", "Run", "Talk", "Tensors", "Trace", "Verdict", "bound", "bounds", "build", "build_id", "check",
           "claims", "compile", "equal", "evaluate", "extract", "from_torch", "import_model", "languages", "load", "loads", "problems", "protocol",
           "recipe_settings", "refute", "size_map", "train"]
