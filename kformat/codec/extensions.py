"""User-registered functions that declarations name: processes of bytes, types that no declaration describes, and
checksums.

They are registered by `register_process`, `register_type` and `register_checksum`: by the program; by a distribution's
entry point in the group ``kformat.extensions``, a function without arguments; or by a Python file that the variable
``KFORMAT_PLUGINS`` names, or the command line (`load_plugin`). Entry points and the variable's files are loaded once,
when a name is looked up that is not registered: so the command line, other processes and Spark's workers find them,
too. One that fails hinders no other; if the name is not found then, the error says so.
"""

from __future__ import annotations

import importlib
import os
import re
import runpy
from collections.abc import Callable, Iterator
from functools import cache
from types import TracebackType
from typing import Any, Final, NamedTuple

from kformat.errors import UsageError
from kformat.language.mark import nearest
from kformat.language.program import TypeProgram
from kformat.storage import algorithms

ENTRY_POINTS: Final = "kformat.extensions"
PLUGINS: Final = "KFORMAT_PLUGINS"
"""The variable with paths of Python files that register, separated as those of PATH are."""

Coder = Callable[..., bytes]
"""Called with the bytes and the declared arguments (integers, bytes, texts, booleans, values); returns bytes."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(?:(?:\.|::)[a-z][a-z0-9_]*)*")
_BUILT_IN: Final = ("zlib", "xor", "rol", "ror")


class Process(NamedTuple):
    """The function of ``process: name(arguments)`` for reading, and its inverse; None if it cannot be built."""

    decode: Coder
    encode: Coder | None


class OpaqueType(NamedTuple):
    """A type that is read, and written (None: it cannot be), by user code.

    ``read`` takes a binary stream, which stands at the first byte and ends with the enclosing window, and the declared
    arguments; it returns any object, and leaves the stream after the last byte it read. ``write`` takes such an object
    and the arguments, and returns its bytes.
    """

    read: Callable[..., Any]
    write: Callable[..., bytes] | None


class NotRegisteredError(UsageError):
    """A declaration names a process or type that is not registered, at its ``key``; ``place`` is where that is."""

    place = ""
    hint = "--plugin FILE.py runs a file that registers it"

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key

    def __str__(self) -> str:
        return f"{self.place}{super().__str__()}"

    def at(self, program: TypeProgram, name: str) -> None:
        """Set the place to a field or instance of that name, unless it is set already."""
        marks = {
            item.name: item.mark for item in (*program.fields, *(instance.field for instance in program.instances))
        }
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


def register_checksum(name: str, function: Callable[[bytes], int | bytes]) -> None:
    """Register a checksum by the name that declarations use (``-checksum: {algorithm: my_package.my_sum, ...}``), which
    has a dot. The last registration counts.

    ``function`` gets the covered bytes, and returns what the field holds: an int that fits in it, or its bytes. An
    exception of it, or another result, is reported as a DataError (BuildError when building) at the field.

    Raises UsageError for a name that no declaration can use.
    """
    if "." not in _checked(name, "checksum"):
        raise UsageError(f"the name of a checksum of your own has a dot, as in 'my_package.{name}'")
    algorithms.register(name, function)


def load_plugin(path: str) -> None:
    """Run a Python file that registers processes, types or checksums.

    Raises UsageError, with the file's line, if it fails; OSError if it cannot be read.
    """
    with open(path, "rb"):  # an error of this file alone
        pass
    try:
        runpy.run_path(path, run_name="kformat_plugin")
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:  # of somebody else's code
        raise UsageError(f"the plugin {path}{_line_in(path, error)} failed: {type(error).__name__}: {error}") from error


def _line_in(path: str, error: BaseException) -> str:
    """``:3``: the last line of a file that an error passed; "" if there is none."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return f":{error.lineno}"
    lines = [frame.tb_lineno for frame in _frames(error.__traceback__) if frame.tb_frame.f_code.co_filename == path]
    return f":{lines[-1]}" if lines else ""


def _frames(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _find_checksum(name: str) -> None:
    """Load the entry points; NotRegisteredError, which says how to register one, if there is none of that name."""
    failed = _load()
    if not algorithms.is_registered(name):
        how = f"call kformat.register_checksum({name!r}, function)"
        raise NotRegisteredError(f"no checksum {name!r} is registered: {how}{failed}", "-checksum")


algorithms.ask_for_missing(_find_checksum)


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
    """Load all entry points, and the variable's files; return the message about those that failed."""
    failed = []
    metadata: Any = importlib.import_module("importlib.metadata")  # with email, which takes milliseconds
    for entry_point in metadata.entry_points(group=ENTRY_POINTS):
        try:
            entry_point.load()()
        except MemoryError:
            raise
        except Exception as error:  # somebody else's code
            failed.append(
                f"; the extension {entry_point.name} ({entry_point.value}) failed: {type(error).__name__}: {error}"
            )
    for path in filter(None, os.environ.get(PLUGINS, "").split(os.pathsep)):
        try:
            load_plugin(path)
        except (UsageError, OSError) as error:
            failed.append(f"; {error}")
    return "".join(failed)
