"""Source -> compiled function. kformat's own functions are in `kformat.kernels.generated`; all others are generated on
first use.

This module imports numba when the first kernel is compiled or its machine code loaded.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import logging
import sys
from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np

from kformat.errors import MissingDependencyError
from kformat.integers import MAX_INT64
from kformat.kernels.cache import source_file
from kformat.kernels.readiness import Job
from kformat.kernels.source import Source, module_text
from kformat.language.program import load_program
from kformat.language.shipped import shipped_names

LOGGER = "kformat.kernels"
"""The logger that reports compilations, on level INFO."""
COMMITTED = {
    "record_batch": ("decode_record_batch", "decode_record_batch__record", "encode_record_batch__record"),
}
"""Module of `kformat.kernels.generated`, named after a declaration -> its functions (`Source.function`)."""


def is_committed(source: Source) -> bool:
    """Whether its function is in `kformat.kernels.generated`: the type is one of kformat's own, unchanged."""
    format = source.program.name.split("::")[0]
    return (
        source.function in COMMITTED.get(format, ())
        and format in shipped_names()
        and load_program(format).types.get(source.program.name) == source.program
    )


@functools.cache
def _has_numba() -> bool:
    """Searched once per process: a failed search reads every folder on the path, each time."""
    try:
        import numba  # noqa: F401
    except (ImportError, OSError):  # it is missing, or its library cannot be loaded, as with too little memory
        return False
    _log_compilations()
    return True


def _log_compilations() -> None:
    """Log a compilation before it starts: it takes seconds. Loading cached machine code does not."""
    from numba.core import event

    class Compilations(event.Listener):
        def on_start(self, event: Any) -> None:
            dispatcher = (event.data or {}).get("dispatcher")
            if getattr(getattr(dispatcher, "py_func", None), "__module__", "").startswith("kformat."):
                logging.getLogger(LOGGER).info("compiling kernels")

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Compilations())


def require_numba() -> None:
    """Raise MissingDependencyError if numba is missing."""
    if not _has_numba():
        raise MissingDependencyError("numba", "fast")


class PaysAfter:
    """Decides whether to use kernels: numba is loaded, or so much was done without it that loading it, which takes a
    third of a second, would have paid. ``left`` is the amount that is still missing.
    """

    def __init__(self, amount: int) -> None:
        self.left = amount

    def does(self, amount: int) -> bool:
        """Whether to do so much with kernels."""
        if self.left > 0:
            if self.left == MAX_INT64:
                return False
            self.left -= amount
            if self.left > 0 and "numba" not in sys.modules:
                return False
            self.left = 0
        return True

    def is_missing(self) -> None:
        """There is no numba; `does` says no from now on."""
        self.left = MAX_INT64


@functools.cache
def compiled_by_hand(name: str) -> ModuleType:
    """A handwritten module to compile, by its full name.

    Raises:
        MissingDependencyError: numba is missing.
    """
    require_numba()
    return importlib.import_module(name)


def function_of(source: Source) -> Any:
    """The compiled function of a kernel. Its machine code is loaded, or compiled now, which takes seconds; all callers
    share it.

    Raises:
        MissingDependencyError: numba is missing.
    """
    require_numba()  # a function cached earlier may outlive numba
    return _made(source)


@functools.cache
def _made(source: Source) -> Any:
    if is_committed(source):
        module = importlib.import_module(f"kformat.kernels.generated.{source.program.name.split('::')[0]}")
    else:
        module = module_of(module_text([source], source.program.name), source.program.name)
    return _compiled(getattr(module, source.function), [column.storage for column in source.columns], source.encodes)


def job_of(source: Source) -> Job:
    """A job that compiles a kernel in another process, from its text."""
    text = module_text([source], source.program.name)
    storage = [column.storage for column in source.columns]
    return Job(__name__, "compile_text", (text, source.program.name, source.function, storage, source.encodes))


def compile_text(text: str, title: str, function: str, storage: list[str], encodes: bool) -> None:
    """Compile a function of a module's text: a decode kernel, or one that ``encodes``, with these columns."""
    require_numba()
    _compiled(getattr(module_of(text, title), function), storage, encodes)


_ready: dict[Any, Any] = {}
"""Function -> its compiled form, whether it was asked for by its source or by its text."""


def _compiled(function: Any, storage: list[str], encodes: bool) -> Any:
    import numba

    if function in _ready:
        return _ready[function]
    key = function

    def array(kind: str, readonly: bool = False) -> Any:
        return numba.types.Array(numba.from_dtype(np.dtype(kind)), 1, "C", readonly=readonly)

    columns = [array(kind, encodes) for kind in storage]
    if encodes:  # out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state
        signature = (array("u1"), array("i8"), array("i8"), *[numba.int64] * 4, array("i8"), array("i8"), *columns)
    else:  # data, starts, ends, counts, capacities, wanted, state
        signature = (array("u1", True), *[array("i8")] * 4, array("u1"), array("i8"), *columns)
    try:
        function.compile(signature)
    except Exception:
        # A cache that is damaged or inaccessible is ignored; errors of the kernel itself occur again.
        function = importlib.import_module("kformat.kernels.runtime").helper(function.py_func)
        function.compile(signature)
    function.disable_compile()  # all calls have this one signature
    _ready[key] = function
    return function


def module_of(text: str, title: str, names: Mapping[str, Any] = MappingProxyType({})) -> ModuleType:
    """Make a module from a text, with these names defined.

    numba finds its cached code by the module's name, and caches only modules with a file.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    name = f"kformat.kernels._source_{digest}"
    if name not in sys.modules:
        path = source_file(text, digest)
        module = ModuleType(name)
        module.__file__ = str(path) if path is not None else f"<kernel of {title}>"
        module.__dict__.update(names)
        exec(compile(text, module.__file__, "exec"), module.__dict__)
        sys.modules[name] = module
    return sys.modules[name]


__all__ = ["PaysAfter", "compiled_by_hand"]
