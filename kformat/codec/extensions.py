"""User-registered functions that declarations name: processes of bytes, and types that no declaration describes.

They are registered by `register_process` and `register_type`, or by a distribution's entry point in the group
``kformat.extensions``: a function without arguments, which registers. Entry points are loaded once, when a name is
looked up that is not registered: so the command line, other processes and Spark's workers find them, too. One that
fails hinders no other; if the name is not found then, the error says so.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from kformat.errors import UsageError
from kformat.language.mark import nearest
from kformat.language.program import TypeProgram

ENTRY_POINTS: Final = "kformat.extensions"

Coder = Callable[..., bytes]
"""Called with the bytes and the declared arguments (integers, bytes, texts, booleans, values); returns bytes."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(?:(?:\.|::)[a-z][a-z0-9_]*)*")
_BUILT_IN: Final = ("zlib", "xor", "rol", "ror")


class Process(NamedTuple):
    """What ``process: name(arguments)`` does when reading, and its inverse; None if it cannot be built."""

    decode: Coder
    encode: Coder | None


class OpaqueType(NamedTuple):
    """A type that is read, and written (None: it cannot be), by somebody else's code.

    ``read`` takes a binary stream, which stands at the first byte and ends with the enclosing window, and the declared
    arguments; it returns any object, and leaves the stream after the last byte it read. ``write`` takes such an object
    and the arguments, and returns its bytes.
    """

    read: Callable[..., Any]
    write: Callable[..., bytes] | None


class NotRegisteredError(UsageError):
    """A declaration names what is not registered, with its ``key``; ``place`` is where."""

    place = ""

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key

    def __str__(self) -> str:
        return f"{self.place}{super().__str__()}"

    def at(self, program: TypeProgram, name: str) -> None:
        """In a field or instance of that name, unless it is known already."""
        marks = {item.name: item.mark for item in (*program.fields, *(one.field for one in program.instances))}
        mark = marks.get(name)
        if mark is not None and not self.place:
            self.place = f"{mark.file}:{mark.line}: {mark.key}/{self.key}: "


_processes: dict[str, Process] = {}
_types: dict[str, OpaqueType] = {}


def register_process(name: str, decode: Coder, encode: Coder | None = None) -> None:
    """Register a process by the name that declarations use (``my_package.my_process``). The last registration counts.

    An exception of these functions is reported as a DataError (BuildError when building) at the field.

    Raises UsageError for a name that no declaration can use, or that Kaitai's language already has.
    """
    _processes[_checked(name, "process")] = Process(decode, encode)


def register_type(name: str, read: Callable[..., Any], write: Callable[..., bytes] | None = None) -> None:
    """Register an opaque type by the name that declarations use; see `OpaqueType`. The last registration counts.

    A declaration's own and imported types come first.

    Raises UsageError for a name that no declaration can use.
    """
    _types[_checked(name, "type")] = OpaqueType(read, write)


def _checked(name: str, what: str) -> str:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r:.60} is no name of a {what}: lower_snake_case is expected, with dots between parts")
    if what == "process" and name in _BUILT_IN:
        raise UsageError(f"the process {name!r} is a part of the language")
    return name


def process_of(name: str) -> Process:
    """The registered process of that name; UsageError, which says how to register one, if there is none."""
    failed = _load() if name not in _processes else ""
    if name not in _processes:
        how = f"call kformat.register_process({name!r}, decode, encode){nearest(name, (*_BUILT_IN, *_processes))}"
        raise NotRegisteredError(f"no process {name!r} is registered: {how}{failed}", "process")
    return _processes[name]


def opaque_type_of(name: str) -> OpaqueType:
    """The registered type of that name; UsageError, which says how to register one, if there is none."""
    failed = _load() if name not in _types else ""
    if name not in _types:
        how = f"call kformat.register_type({name!r}, read, write)"
        raise NotRegisteredError(f"no type {name!r} is registered: {how}{failed}", "type")
    return _types[name]


@cache
def _load() -> str:
    """Load all entry points; gives what is to be said of those that failed."""
    failed = []
    metadata: Any = importlib.import_module("importlib.metadata")  # with email, which takes milliseconds
    for found in metadata.entry_points(group=ENTRY_POINTS):
        try:
            found.load()()
        except MemoryError:
            raise
        except Exception as error:  # somebody else's code
            failed.append(f"; the extension {found.name} ({found.value}) failed: {type(error).__name__}: {error}")
    return "".join(failed)
