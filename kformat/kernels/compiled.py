"""Source -> compiled function. The functions that kformat itself runs lie in `kformat.kernels.generated`; all others
are generated when they are first asked for.

numba is imported here, when the first kernel is compiled or its machine code loaded.
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
from kformat.kernels.cache import source_file
from kformat.kernels.source import Source, module_text
from kformat.language.declaration import shipped_names
from kformat.language.program import load_program

LOGGER = "kformat.kernels"
"""What logs that kernels are compiled, on level INFO."""
COMMITTED = {
    "record_batch": ("decode_record_batch", "decode_record_batch__record", "encode_record_batch__record"),
}
"""Module of `kformat.kernels.generated`, which is a declaration's name -> the functions in it (`Source.function`)."""


def is_committed(source: Source) -> bool:
    """Whether its function lies in `kformat.kernels.generated`: the type is one of our own, word for word."""
    format = source.program.name.split("::")[0]
    return (
        source.function in COMMITTED.get(format, ())
        and format in shipped_names()
        and load_program(format).types.get(source.program.name) == source.program
    )


@functools.cache
def _has_numba() -> bool:
    """Looked for once in a process: a search that finds nothing reads every folder on the path, each time."""
    try:
        import numba  # noqa: F401
    except ModuleNotFoundError:
        return False
    _log_compilations()
    return True


def _log_compilations() -> None:
    """Log that kernels are compiled, before they are: it takes seconds. To load machine code that was kept does not."""
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
    """Raise MissingDependencyError where there is no numba."""
    if not _has_numba():
        raise MissingDependencyError("numba", "fast")


@functools.cache
def compiled_by_hand(name: str) -> ModuleType:
    """A module that is compiled and not generated, by its full name.

    Raises:
        MissingDependencyError: there is no numba.
    """
    require_numba()
    return importlib.import_module(name)


def function_of(source: Source) -> Any:
    """The compiled function of a kernel: its machine code is loaded, or made now, which takes seconds; once for all who
    call it.

    Raises:
        MissingDependencyError: there is no numba.
    """
    require_numba()  # what was made before may still be there when it is not
    return _made(source)


@functools.cache
def _made(source: Source) -> Any:
    import numba

    if is_committed(source):
        module = importlib.import_module(f"kformat.kernels.generated.{source.program.name.split('::')[0]}")
    else:
        module = module_of(module_text([source], source.program.name), source.program.name)
    function = getattr(module, source.function)

    def array(kind: str, readonly: bool = False) -> Any:
        return numba.types.Array(numba.from_dtype(np.dtype(kind)), 1, "C", readonly=readonly)

    columns = [array(column.storage, source.encodes) for column in source.columns]
    if source.encodes:  # out, out_ends, firsts, rows, most_rows, most_bytes, gap, sizes, state
        signature = (array("u1"), array("i8"), array("i8"), *[numba.int64] * 4, array("i8"), array("i8"), *columns)
    else:  # data, starts, ends, counts, capacities, wanted, state
        signature = (array("u1", True), *[array("i8")] * 4, array("u1"), array("i8"), *columns)
    try:
        function.compile(signature)
    except Exception:
        # A cache that cannot be read or written, or is damaged, is passed over; what is wrong with the kernel itself
        # comes again.
        function = importlib.import_module("kformat.kernels.runtime").helper(function.py_func)
        function.compile(signature)
    function.disable_compile()  # all calls are of this one signature
    return function


def module_of(text: str, title: str, names: Mapping[str, Any] = MappingProxyType({})) -> ModuleType:
    """A module made of a text, in which these names are known.

    It has a name by which what numba keeps of it finds it, and a file, without which numba keeps nothing.
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
