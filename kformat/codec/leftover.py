"""What is left over at the end of a stream: bytes that neither a field nor an instance with ``pos`` reads.

By default they are an error (``trailing="error"``). Where instances may read them, the stream waits until the whole
value is there; then all instances are read, and the first byte that none of them reads is the error's. With ``"keep"``
nothing more is read, and the rest becomes `_rest` of the structure that the stream holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from kformat.codec.reader import Reader
from kformat.codec.values import Value
from kformat.errors import DataError, InvalidError, LimitError
from kformat.language.program import MAX_NESTING, ReadList, ReadSwitch, ReadType, Step, TypeProgram, Window


def settle(reader: Reader, held: Any, around: Any) -> None:
    """Bytes are left at the reader's position, in the stream of the structure ``held`` (or of a part of ``around``)."""
    value = held if isinstance(held, Value) else around
    if reader.state.trailing == "keep":
        if value._type.keeps_context:
            setattr(value, "_rest", bytes(reader.data[reader.position : reader.limit]))  # noqa: B010 (a slot of most classes)
        return
    if value._type.keeps_context and (reads_elsewhere(value._type) or _is_read_elsewhere(value)):
        reader.state.pending.append((reader, value, reader.position))
        return
    raise _leftover(reader, reader.position, reader.limit)


def _is_read_elsewhere(value: Any) -> bool:
    """Whether instances of the whole may read this structure's stream: they name it by ``io``."""
    root = getattr(value, "_root", None)
    return root is not None and reads_elsewhere(root._type)


def _leftover(reader: Reader, start: int, end: int) -> DataError:
    found = f"{end - start} bytes"
    return reader.fail(InvalidError, "bytes are left over", start, expected="the end", found=found)


@lru_cache(maxsize=1024)
def reads_elsewhere(program: TypeProgram) -> bool:
    """Whether a type, or one in it, has an instance that is read from bytes."""
    seen: set[TypeProgram] = set()
    pending = [program]
    while pending:
        found = pending.pop()
        if found in seen:
            continue
        seen.add(found)
        if any(instance.value is None for instance in found.instances):
            return True
        pending += _types(found.steps)
    return False


def _types(steps: Iterable[Step]) -> Iterable[TypeProgram]:
    for step in steps:
        match step:
            case ReadType():
                yield step.type
            case ReadList():
                yield from _types((step.element,))
            case ReadSwitch():
                for case in step.cases:
                    yield from _types(case.steps)
            case Window():
                yield from _types(step.steps)


def finish(root: Value, reader: Reader) -> None:
    """Read all instances if streams wait for them, and raise an error for the first byte that nothing reads."""
    state = reader.state
    if state.pending:
        _read_instances(root, state.pending)
        for waiting, value, start in state.pending:
            position, stop = start, waiting.limit
            for first, end in sorted(waiting.covered or ()):
                if first > position:
                    stop = min(first, stop)
                    break
                position = max(position, end)
            if position < stop:
                error = _leftover(waiting, position, stop)
                error.owner = value  # type: ignore[attr-defined]
                raise error
        state.pending.clear()
    state.recording = False


def _read_instances(root: Value, waiting: list[Any]) -> None:
    """Those of structures in more than `MAX_NESTING` instances are left alone: an instance may read its own structure
    again, and so on without end.
    """
    pending: list[tuple[Any, int]] = [(root, 0)]
    seen: set[int] = set()
    while pending:
        found, depth = pending.pop()
        if isinstance(found, list):
            pending += [(item, depth) for item in found if isinstance(item, Value | list)]
        elif isinstance(found, Value) and id(found) not in seen:
            seen.add(id(found))
            pending += [(getattr(found, name, None), depth) for name in found._fields]
            for name in found._instances if depth < MAX_NESTING else ():
                before = len(waiting)
                try:
                    pending.append((getattr(found, name, None), depth + 1))
                except LimitError:
                    raise
                except DataError:
                    del waiting[before:]  # an instance that cannot be read reads nothing
