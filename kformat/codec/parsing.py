"""Generated parsers, compiled when first used, and what becomes of their failures.

Whatever a parser raises becomes a DataError with source, position, path, and the value as far as it was read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kformat.codec import leftover, runtime
from kformat.codec.explaining import explained
from kformat.codec.expressions import Namespace
from kformat.codec.reader import Reader
from kformat.codec.source import Emitter, Lines
from kformat.codec.values import INSTANCES, Value
from kformat.errors import DataError, InvalidError, KformatError, LimitError, join_path
from kformat.language.program import Instance, TypeProgram

Parser = Callable[..., Value]
"""``parse(reader, parent, root, little_endian, *arguments)``, positional."""


@lru_cache(maxsize=4096)
def parser_of(program: TypeProgram, *, traced: bool = False) -> Parser:
    """The parser of a type; ``traced``: it calls the reader's observer."""
    emitter = Emitter(program, _callee, traced)
    text, lines = emitter.parser()
    parse: Parser = _compiled(emitter, text, lines, "parse")
    return parse


def source_of(program: TypeProgram) -> str:
    """The Python source of a type's parser and of its instances."""
    parts = [Emitter(program, _callee).parser()[0]]
    parts += [Emitter(program, _callee).instance(instance)[0] for instance in program.instances]
    return "\n\n".join(parts)


def _callee(program: TypeProgram, traced: bool, space: Namespace, name: str) -> Parser:
    def first(*arguments: Any) -> Value:
        found = space.values[name] = parser_of(program, traced=traced)
        return found(*arguments)

    return first


def _compiled(emitter: Emitter, text: str, lines: Lines, name: str) -> Any:
    def failed(error: Exception, reader: Any, value: Value, position: int, instance: str = "") -> Exception:
        return _failed(error, reader, value, position, lines, instance)

    values = {**runtime.NAMES, **emitter.space.values, "failed_": failed}
    emitter.space.values = values
    exec(compile(text, f"<parser of {emitter.program.label}>", "exec"), values)
    return values[name]


# --- failures ------------------------------------------------------------------------------------------------------


def _failed(error: Exception, reader: Any, value: Value, position: int, lines: Lines, instance: str) -> Exception:
    trace = error.__traceback__
    assert trace is not None
    name, counter = lines.get(trace.tb_lineno, ("", None))
    index = None if counter is None else trace.tb_frame.f_locals.get(counter)
    if not isinstance(error, DataError):
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
        if hasattr(value, "_type") and instance in _set_slots(value, instance):
            delattr(value, instance)
        if not hasattr(error, "owner"):
            here = name if index is None else f"{name}[{index}]"
            error.path = join_path(here, error.path)
            error.owner = value  # type: ignore[attr-defined]
        return error
    partial = error.partial
    if not hasattr(error, "owner"):
        here = name if index is None else f"{name}[{index}]"
        error.path = join_path(here, error.path) if here else error.path
    if isinstance(partial, Value) and name:
        _attach(value, name, index, partial)
    error.partial = value
    return error


def _set_slots(value: Value, name: str) -> tuple[str, ...]:
    slot = getattr(type(value), name)
    try:
        slot.__get__(value)
    except AttributeError:
        return ()
    return (name,)


def _attach(value: Value, name: str, index: int | None, partial: Value) -> None:
    """Put the part of a structure that was read in its place."""
    try:
        held = getattr(type(value), name).__get__(value)
    except AttributeError:
        if index is None:
            setattr(value, name, partial)
        return
    if isinstance(held, list) and index == len(held):
        held.append(partial)


def rooted(error: DataError, root: Value) -> None:
    """Give an error of an instance, or of a stream, its path from the root on."""
    owner = error.__dict__.pop("owner", None)
    if owner is not None:
        error.path = join_path(path_of(owner, root), error.path)


def path_of(value: Value, root: Value | None = None) -> str:
    """The path of a value from its root on, found by its parents; its type's label where they do not hold it."""
    parts: list[str] = []
    current: Any = value
    for _ in range(1000):
        parent = getattr(current, "_parent", None)
        if current is root or not isinstance(parent, Value):
            break
        found = _place(parent, current)
        if found is None:
            break
        parts.append(found)
        current = parent
    path = current._type.label
    for part in reversed(parts):
        path = join_path(path, part)
    return path


def _place(parent: Value, child: Value) -> str | None:
    for name in (*parent._fields, *parent._instances):
        try:
            held = getattr(type(parent), name).__get__(parent)
        except AttributeError:
            continue
        if held is child:
            return name
        if isinstance(held, list):
            for index, item in enumerate(held):
                if item is child:
                    return f"{name}[{index}]"
    return None


# --- whole values --------------------------------------------------------------------------------------------------


def parse_value(program: TypeProgram, reader: Reader) -> Value:
    """One value; the reader stands after it. Errors have this type's label as the beginning of their paths."""
    try:
        return parser_of(program, traced=reader.observer is not None)(reader)
    except DataError as error:
        if hasattr(error, "owner"):
            rooted(error, error.partial)
        else:
            error.path = join_path(program.label, error.path)
        raise


def read_value(program: TypeProgram, reader: Reader, *, whole: bool = True) -> Value:
    """One value with all that its streams hold. ``whole``: no bytes may follow it, unless the reader keeps them."""
    value = parse_value(program, reader)
    try:
        if whole and reader.position < reader.limit:
            leftover.settle(reader, value, value)
        leftover.finish(value, reader)
    except DataError as error:
        if hasattr(error, "owner"):
            rooted(error, value)
        else:
            error.path = join_path(program.label, error.path)
        error.partial = value
        raise
    return value


# --- instances -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _instance_reader(program: TypeProgram, name: str, traced: bool) -> Callable[[Value, Any], Any]:
    instance: Instance = next(item for item in program.instances if item.field.name == name)
    emitter = Emitter(program, _callee, traced)
    text, lines = emitter.instance(instance)
    read: Callable[[Value, Any], Any] = _compiled(emitter, text, lines, "read")
    return read


def read_instance(value: Value, name: str) -> Any:
    """Compute or read an instance that is not set yet."""
    reader: Reader | None = getattr(value, "_io", None)
    read = _instance_reader(value._type, name, reader is not None and reader.observer is not None)
    if reader is None:
        return read(value, None)
    state, key = reader.state, (id(value), name)
    if key in state.active:
        raise reader.fail(InvalidError, "needs itself", reader.position, path=name)
    reader.deeper()
    state.active.add(key)
    try:
        return read(value, reader)
    except DataError as error:
        if state.depth == 1 and hasattr(error, "owner"):
            rooted(error, getattr(value, "_root", None) or value)
        raise
    finally:
        state.active.discard(key)
        state.depth -= 1


INSTANCES.read = read_instance
