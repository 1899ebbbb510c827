"""Generated parsers, compiled when first used, and their errors.

An exception in a parser becomes a DataError with source, position, path, and the value as far as it was read.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from kformat.codec import arguments, leftover, runtime
from kformat.codec.explaining import explained
from kformat.codec.extensions import NotRegisteredError
from kformat.codec.instance_costs import is_shallow
from kformat.codec.parser import (
    FieldOfLine,
    GeneratedParser,
    columns_source,
    instance_source,
    parser_source,
    rows_source,
)
from kformat.codec.reader import Reader, State
from kformat.codec.taken import NotKept
from kformat.codec.unfit import Unfit, unfit
from kformat.codec.values import GIVE, INSTANCES, MISSING, Value, held, value_class
from kformat.errors import DataError, InvalidError, KformatError, LimitError, UsageError, join_path
from kformat.language.program import NESTING_BOUND, Instance, TypeProgram, types_of
from kformat.language.steps import all_steps

Parser = Callable[..., Value]
"""``parse(reader, parent, root, little_endian, *arguments)``, positional."""


@lru_cache(maxsize=4096)
def parser_of(program: TypeProgram, *, traced: bool = False, path: tuple[str, ...] = ()) -> Parser:
    """The parser of a type; ``traced``: it calls the reader's observer; ``path``: the first elements of the list there
    may be taken (`taken`).
    """
    parse: Parser = _compiled(parser_source(program, _callee, traced, path), "parse")
    return parse


@lru_cache(maxsize=256)
def rows_of(
    program: TypeProgram, path: tuple[str, ...], size: int | None = None, traced: bool = False
) -> Callable[..., Any]:
    """The generator of the elements of the list at a path: see `parser.rows`."""
    read: Callable[..., Any] = _compiled(rows_source(program, _callee, path, size, traced), "rows")
    return read


@lru_cache(maxsize=64)
def columns_reader(program: TypeProgram, names: tuple[str, ...]) -> Callable[[bytes, int, int], tuple[list[int], ...]]:
    """A function (bytes, position, count) -> a list for each of these integer fields of so many values.

    The values are contiguous from the position to the end of the bytes. Lengths, windows and rules are checked as
    in a parser, but other fields are skipped. It raises `Unfit` for values that do not end with the
    bytes or break a rule, and for all of a type that only a parser reads: then use `parse`.

    Raises UsageError for a field that the type does not have, or that is no integer.
    """
    for name in names:
        if program.field(name).kind != "integer":
            raise UsageError(f"{program.name}.{name} is no integer")
    try:
        source = columns_source(program, _callee, names)
    except Unfit:
        return unfit
    read: Callable[..., tuple[list[int], ...]] = _compiled(source, "columns")
    return read


def source_of(program: TypeProgram) -> str:
    """The Python source of a type's parser and of its instances."""
    parts = [parser_source(program, _callee)]
    parts += [instance_source(program, _callee, instance) for instance in program.instances]
    return "\n\n".join(part.text for part in parts)


def _callee(program: TypeProgram, traced: bool, path: tuple[str, ...] = (), **rows: int | None) -> Callable[..., Any]:
    if rows:
        return rows_of(program, path, rows["rows_size"], traced)
    return parser_of(program, traced=traced, path=path)


def _compiled(source: GeneratedParser, name: str, is_counted: bool = False) -> Any:
    def failed(error: Exception, reader: Any, value: Value, position: int, instance: str = "") -> Exception:
        if instance:
            return _instance_failed(error, reader, value, position, source.lines, instance, is_counted)
        return _failed(error, reader, value, position, source.lines, instance)

    values = source.values  # a parser that is compiled later puts itself here
    values.update(runtime.NAMES)
    values["failed_"] = failed
    exec(compile(source.text, f"<parser of {source.program.label}>", "exec"), values)
    return values[name]


# --- failures ------------------------------------------------------------------------------------------------------


def _failed(error: Exception, reader: Any, value: Value, position: int, lines: FieldOfLine, instance: str) -> Exception:
    trace = error.__traceback__
    assert trace is not None
    name, counter = lines.get(trace.tb_lineno, ("", None))
    index = None if counter is None else trace.tb_frame.f_locals.get(counter)
    if not isinstance(error, DataError):
        if isinstance(error, NotRegisteredError):
            error.at(value._type, instance or name)
        if isinstance(error, KformatError | MemoryError | SyntaxError | NameError | AssertionError):
            return error
        if reader is None:
            return error if isinstance(error, AttributeError) else AttributeError(f"{instance}: {error}")
        if isinstance(error, RecursionError):
            error = reader.fail(LimitError, "nested too deeply", position)
        else:
            error = reader.fail(InvalidError, explained(value, instance or name, index, error), position)
    assert isinstance(error, DataError)
    if instance:
        value.__dict__.pop(instance, None)
        error.partial = None  # of the instance, and not of the field whose expression asked for it
        if not hasattr(error, "owner") and getattr(error, "root", None) != id(_root(value)):
            here = name if index is None else f"{name}[{index}]"
            error.path = join_path(here, error.path)
            error.owner = value  # type: ignore[attr-defined]
        return error
    if type(value) is not value_class(value._type):
        value.__class__ = value_class(value._type)
    partial = error.partial
    here = name if index is None else f"{name}[{index}]"
    if not hasattr(error, "owner"):
        error.path = join_path(here, error.path) if here else error.path
    elif here:
        error.around = (*getattr(error, "around", ()), (value, here))  # type: ignore[attr-defined]
    if isinstance(partial, Value) and name:
        _attach(value, name, index, partial)
    error.partial = value
    return error


def _attach(value: Value, name: str, index: int | None, partial: Value) -> None:
    """Put the partial value of a nested structure into its field or list."""
    current = held(value, name)
    if current is MISSING:
        if index is None:
            object.__setattr__(value, name, partial)  # nothing is edited
    elif isinstance(current, list) and index == len(current):
        current.append(partial)


def rooted(error: DataError, root: Value) -> None:
    """Give an error of an instance, or of a stream, its path from the root on."""
    owner, around = error.__dict__.pop("owner", None), error.__dict__.pop("around", ())
    if owner is not None:
        error.path = join_path(path_of(owner, root, around), error.path)


def _root(value: Value) -> Value:
    return getattr(value, "_root", None) or value


def path_of(value: Value, root: Value | None = None, around: Sequence[tuple[Value, str]] = ()) -> str:
    """The path of a value from its root on, found by its parents; its type's label where they do not hold it.
    ``around`` has the structures that are still being read, each with the path of what it reads now.
    """
    parts: list[str] = []
    current: Any = value
    for _ in range(1000):
        parent = getattr(current, "_parent", None)
        if current is root or not isinstance(parent, Value):
            break
        place = _place(parent, current) or next((here for outer, here in around if outer is parent), None)
        if place is None:
            break
        parts.append(place)
        current = parent
    path = current._type.label
    for part in reversed(parts):
        path = join_path(path, part)
    return path


def _place(parent: Value, child: Value) -> str | None:
    for name in (*parent._fields, *parent._instances):
        content = held(parent, name)
        if content is child:
            return name
        if isinstance(content, list):
            for index, item in enumerate(content):
                if item is child:
                    return f"{name}[{index}]"
    return None


# --- whole values --------------------------------------------------------------------------------------------------


_MOST_KEPT: Final = 4096
_parsers: dict[int, tuple[TypeProgram, Parser]] = {}
"""The parsers without an observer, by their programs' identities: comparing names takes longer than a small parse."""


def parse_value(program: TypeProgram, reader: Reader, path: tuple[str, ...] = ()) -> Value:
    """One value; the reader stands after it. Errors have this type's label as the beginning of their paths."""
    known = _parsers.get(id(program)) if not path else (program, parser_of(program, path=path))
    if known is None:
        if len(_parsers) >= _MOST_KEPT:
            _parsers.clear()
        known = _parsers[id(program)] = program, parser_of(program)
    try:
        value: Value = known[1](reader) if reader.observer is None else parser_of(program, traced=True)(reader)
        if reader.bits and program.keeps_context:
            runtime.keep(value, ("", "after"), reader.bits_left, reader.bits)
        return value
    except DataError as error:
        if hasattr(error, "owner"):
            rooted(error, error.partial)
        else:
            error.path = join_path(program.label, error.path)
        raise
    finally:
        reader.state.is_parsing = False
        reader.state.tidy()


def read_value(program: TypeProgram, reader: Reader, *, whole: bool = True, path: tuple[str, ...] = ()) -> Value:
    """One value with all that its streams hold. ``whole``: no bytes may follow it, unless the reader keeps them.
    ``path``: `State.take` is asked for the first elements of the lists there; instances on it are read, too.
    """
    value = parse_value(program, reader, path)
    state = reader.state
    if not state.pending and (reader.position >= reader.limit or not whole):
        state.recording = False
        _read_on(value, path)
        return value
    state.is_parsing = True
    try:
        if whole and reader.position < reader.limit:
            leftover.settle(reader, value, value)
        _read_on(value, path)
        leftover.finish(value, reader)
    except DataError as error:
        if hasattr(error, "owner"):
            rooted(error, value)
        else:
            error.path = join_path(program.label, error.path)
        error.partial = value
        raise
    finally:
        state.is_parsing = False
        state.tidy()
    return value


def _read_on(value: Value, path: tuple[str, ...]) -> None:
    """Read the instances on a path to lists that may be taken; NotKept if one has been read."""
    if not _has_instances(value._type, path):
        return
    name, rest = path[0], path[1:]
    if name not in value._instances:
        content = getattr(value, name, None)
    elif name in value.__dict__:
        raise NotKept
    else:
        content = instance_reader(value._type, name, path=path)(None, value)
    for item in (content if isinstance(content, list) else [content]) if rest else ():
        if isinstance(item, Value):
            _read_on(item, rest)


@lru_cache(maxsize=1024)
def _has_instances(program: TypeProgram, path: tuple[str, ...]) -> bool:
    """Whether an instance is on a path from a value of a type."""
    if not path:
        return False
    inner = [step for step in all_steps(program.steps) if step.name == path[0]]
    is_one = any(instance.field.name == path[0] for instance in program.instances)
    return is_one or any(_has_instances(type, path[1:]) for type in types_of(inner))


class Alone(State, threading.local):
    """The state, of each thread, for values that are not in a parsed one: they keep no value instances."""

    is_parsing, is_untidy = False, True

    def __init__(self) -> None:
        super().__init__(0, "keep")

    def tidy(self) -> None:
        """Drop what was kept while an instance was computed."""
        self.forget()
        self.absent = 0


# --- instances -----------------------------------------------------------------------------------------------------


def _instance_failed(
    error: Exception, reader: Any, value: Value, position: int, lines: FieldOfLine, name: str, is_counted: bool
) -> Exception:
    own: Reader | None = getattr(value, "_io", None)
    if reader is None and own is not None:
        reader, position = own, own.position
    problem = _failed(error, reader, value, position, lines, name)
    if own is not None and isinstance(problem, DataError) and not own.state.is_parsing:
        if own.state.depth == is_counted and hasattr(problem, "owner"):
            rooted(problem, _root(value))
            problem.root = id(_root(value))  # type: ignore[attr-defined]  # the path is that of what others ask for
    return problem


def too_deep(value: Value, name: str, state: State) -> Exception:
    """The error of an instance that is asked for within too many others, or within itself."""
    state.depth -= 1
    reader: Reader | None = getattr(value, "_io", None)
    if reader is None:
        return RecursionError("nested too deeply")
    frame: Any = sys._getframe(1)
    code = frame.f_code
    while (frame := frame.f_back) is not None:
        if frame.f_code is code and frame.f_locals.get("v") is value:
            return reader.fail(InvalidError, "needs itself", reader.position, path=name)
    return reader.fail(LimitError, "nested too deeply", reader.position, expected=NESTING_BOUND)


@lru_cache(maxsize=4096)
def instance_reader(
    program: TypeProgram, name: str, traced: bool = False, path: tuple[str, ...] = ()
) -> Callable[..., Any]:
    """The function that computes or reads an instance that is not set yet, and sets it: the ``__get__`` of a
    descriptor. ``path`` as for `parser_of`.
    """
    instance: Instance = next(item for item in program.instances if item.field.name == name)
    source = instance_source(program, _callee, instance, traced, path)
    read: Callable[..., Any] = _compiled(source, "read", not is_shallow(program, instance))
    return read


def read_traced(value: Value, name: str) -> Any:
    """Read an instance whose stream has an observer."""
    return instance_reader(value._type, name, True)(None, value)


runtime.NAMES["traced_"] = read_traced
runtime.NAMES["too_deep_"] = too_deep
runtime.NAMES["alone_"] = Alone()
INSTANCES.reader = instance_reader
GIVE.again = arguments.give

__all__ = ["columns_reader"]
