"""What is left over at the end of a stream: bytes that neither a field nor an instance with ``pos`` reads.

By default they are an error (``trailing="error"``). Where instances may read them, the stream waits until the whole
value is there; then all instances are read, and the first byte that none of them reads is the error's. With ``"keep"``
nothing more is read, and the rest becomes `_rest` of the structure that the stream holds.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from kformat.codec.reader import Reader
from kformat.codec.values import FETCH, Value, held
from kformat.errors import DataError, InvalidError, LimitError
from kformat.language.program import MAX_NESTING, TypeProgram, types_of


def settle(reader: Reader, held: Any, around: Any) -> None:
    """Keep, postpone or refuse the bytes left over at the reader's position, in the stream of the structure ``held``
    (or of a part of ``around``).
    """
    value = held if isinstance(held, Value) else around
    if reader.state.trailing == "keep" and value._type.keeps_context:  # plain data has no place for them
        reader.state.has_rest = True
        object.__setattr__(value, "_rest", bytes(reader.data[reader.position : reader.limit]))  # nothing is edited
        return
    if may_be_read(value):
        reader.state.pending.append((reader, value, reader.position))
        return
    error = _leftover(reader, reader.position, reader.limit, value._type)
    if not reader.state.passes_over(error, value, ""):
        raise error


def may_be_read(value: Value) -> bool:
    """Whether instances may read what is left over in a structure's stream: its own, or those of the root and all in
    it, which name that stream by ``io``.
    """
    if not value._type.keeps_context:
        return False
    root = getattr(value, "_root", None)
    return reads_elsewhere(value._type) or (root is not None and reads_elsewhere(root._type))


def found_bytes(size: int, program: TypeProgram) -> str:
    """The size of left-over bytes for an error, and the option that keeps them, unless values keep no context."""
    remedy = ', which trailing="keep" (--trailing keep) would keep' if program.keeps_context else ""
    return f"{size} bytes{remedy}"


def _leftover(reader: Reader, start: int, end: int, program: TypeProgram) -> DataError:
    found = found_bytes(end - start, program)
    return reader.fail(InvalidError, "bytes are left over", start, expected="the end", found=found)


@lru_cache(maxsize=1024)
def reads_elsewhere(program: TypeProgram) -> bool:
    """Whether a type, or one in it, has an instance that is read from bytes."""
    seen: set[TypeProgram] = set()
    pending = [program]
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        if any(instance.value is None for instance in current.instances):
            return True
        pending += types_of(current.steps)
    return False


def finish(root: Value, reader: Reader) -> None:
    """Read all instances if streams wait for them, and raise an error for the first byte that nothing reads."""
    state = reader.state
    if state.pending:
        fetch_instances(root, state.pending)
        for waiting, value, start in state.pending:
            position, stop = start, waiting.limit
            for first, end in sorted(waiting.covered or ()):
                if first > position:
                    stop = min(first, stop)
                    break
                position = max(position, end)
            if position < stop:
                error = _leftover(waiting, position, stop, value._type)
                if state.passes_over(error, value, ""):
                    continue
                error.owner = value  # type: ignore[attr-defined]
                raise error
        state.pending.clear()
    state.recording = False


class _InstancePlaces(NamedTuple):
    """The names of a type's instances that are read from bytes, and of the attributes that hold structures which may
    have such instances.
    """

    instances: tuple[str, ...]
    holders: tuple[str, ...]


@lru_cache(maxsize=4096)
def _places(program: TypeProgram) -> _InstancePlaces:
    read = [instance for instance in program.instances if instance.value is None]
    steps = [*program.steps, *(step for instance in read for step in instance.steps)]
    holders = dict.fromkeys(step.name for step in steps if any(map(reads_elsewhere, types_of((step,)))))
    return _InstancePlaces(tuple(instance.field.name for instance in read), tuple(holders))


def fetch_instances(root: Value, waiting: list[Any] | None = None) -> None:
    """Read all instances that are read from bytes, of a value and all in it.

    With a list of streams that wait, instances that fail are passed over, and the streams that they added are dropped.
    The instances of structures in more than `MAX_NESTING` instances are not read either: an instance may read its own
    structure again, and so on without end.
    """
    if not any(_places(root._type)):
        return
    state = getattr(getattr(root, "_io", None), "state", None)
    if state is not None and state.fetched is root:
        return
    is_complete = _fetch(root, waiting)
    if state is not None and is_complete:
        state.fetched = root


def _fetch(root: Value, waiting: list[Any] | None) -> bool:
    """As `fetch_instances`; return whether all have been read."""
    pending: list[tuple[Value, int]] = [(root, 0)]
    is_complete = True
    known: dict[type, _InstancePlaces] = {}  # by class: comparing programs takes longer than reading some instances
    while pending:
        value, depth = pending.pop()
        places = known.get(type(value))
        if places is None:
            places = known[type(value)] = _places(value._type)
        instances, holders = places
        if waiting is not None and depth >= MAX_NESTING:
            instances, is_complete = (), False
        for name in instances:
            before = 0 if waiting is None else len(waiting)
            try:
                getattr(value, name)
            except LimitError:
                raise
            except (DataError, AttributeError):
                if waiting is None:
                    raise
                del waiting[before:]
                is_complete = False
        for name in holders:
            content = held(value, name)
            inner = depth + (name in instances)
            if isinstance(content, Value):
                pending.append((content, inner))
            elif isinstance(content, list):
                pending += [(item, inner) for item in content if isinstance(item, Value)]
    return is_complete


FETCH.instances = fetch_instances
