"""Source -> compiled function. The functions of shipped formats lie in `kformat.generated.kernels`.

numba is imported here, when the first kernel is compiled or its machine code loaded.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import sys
from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np

from kformat.declaration import shipped_names
from kformat.errors import MissingDependencyError
from kformat.kernels.cache import source_file
from kformat.kernels.source import Source, module_text
from kformat.program import TypeProgram, load_program


def is_shipped(program: TypeProgram) -> bool:
    """Whether it is a type of one of our own declarations, word for word."""
    format = program.name.split("::")[0]
    return format in shipped_names() and load_program(format).types.get(program.name) == program


@functools.cache
def compiled_by_hand(name: str) -> ModuleType:
    """A module of this package that is compiled, and not generated.

    Raises:
        MissingDependencyError: there is no numba.
    """
    try:
        return importlib.import_module(f"kformat.kernels.{name}")
    except ModuleNotFoundError as error:
        raise MissingDependencyError("numba", "fast") from error


def function_of(source: Source) -> Any:
    """The compiled function of a kernel: its machine code is loaded, or made now, which takes seconds; once for all who
    call it.

    Raises:
        MissingDependencyError: there is no numba.
    """
    try:
        import numba  # noqa: F401  # without it there may still be what was made before
    except ModuleNotFoundError as error:
        raise MissingDependencyError("numba", "fast") from error
    return _made(source)


@functools.cache
def _made(source: Source) -> Any:
    import numba

    if is_shipped(source.program):
        module = importlib.import_module(f"kformat.generated.kernels.{source.program.name.split('::')[0]}")
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
