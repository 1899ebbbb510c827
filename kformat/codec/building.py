"""Objects -> bytes: the other half of the codec.

A value is built in this order, so that every value with only one right answer is computed:

1. Given values are converted to the declared types, or refused with the path of the field: a tree of `Draft`.
2. Lengths and counts are computed from the given bytes and lists, wherever in the tree their field is.
3. Missing fields are computed by their ``-derive``; those that hold positions are set after each pass (`Marks`).
4. Windows are built and, if they have a codec or a process, encoded; their sizes are set. A payload given as compressed
   bytes is written unchanged, and so are the bytes that a parser kept of a value that has not changed (``_kept``).
5. The bytes are written in declared order; rules are checked on the way.
6. Checksums are filled in; what instances with a position have is written where it belongs.

If a value computed in 4 to 6 changes a field that has been written, all is written again, until nothing changes.
Expressions that ask a stream (`Answers`) are computed when a reader would: with the answers of this pass's stream, and
the size of the pass before; value instances that follow from them are kept from their first use. Fields that such
expressions alone fix are filled with zeros; and bytes that depend on them are read again, and compared with the input.
If nothing of a value has to be computed (`writing`), or only lengths, counts and checksums (`settling`), generated code
writes it, and gives the same bytes. A value that was read and not changed gets the bytes that it was read from
(`unchanged`).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from kformat.codec.builder.given import make_draft
from kformat.codec.builder.instances import finish_stream
from kformat.codec.builder.lengths import measure_all
from kformat.codec.builder.sequence import WRITERS
from kformat.codec.builder.state import Build, TooEarly, is_missing
from kformat.codec.builder.structures import write_structure
from kformat.codec.drafts import Draft, Path, StreamOutput, Undeclared, shown
from kformat.codec.leftover import settle
from kformat.codec.parsing import parse_value
from kformat.codec.reader import Reader
from kformat.codec.settling import settled
from kformat.codec.unchanged import unchanged
from kformat.codec.values import Value
from kformat.codec.writing import straight
from kformat.errors import BuildError, DataError, LimitError
from kformat.language.program import TypeProgram

MAX_PASSES: Final = 12
"""How often all is written until no length or position changes: more are needed only if they have no solution."""


def run(build: Build, program: TypeProgram, obj: Any) -> bytes:
    """The bytes of a value: it is written until no length or position changes. BuildError."""
    path = (program.label,)
    draft = make_draft(build, program, obj, None, None, path, original=build.original)
    build.marks.prepare(draft, path)
    measure_all(build, draft, path)
    size = build.likely_size
    build.answers.are_kept = True
    for number in range(MAX_PASSES):
        build.again, build.is_first = False, number == 0 and size is None
        build.missing.clear()
        build.postponed.clear()
        build.unmet = None
        build.answers.count = 0
        out = build.top = StreamOutput(size, build.answers)
        try:
            write_structure(build, draft, out, path)
            if build.tail:
                out.undeclared = Undeclared((), build.tail)
            data = finish_stream(build, out, draft._kept.get(("", "after")))
        except TooEarly as error:
            if number == MAX_PASSES - 1:
                raise
            guess = len(error.stream.data)
            if error.stream is not out:
                build.sizes[error.stream.key] = guess
            else:
                size = guess if draft._read_size is None else draft._read_size
            continue
        build.again |= build.marks.settle()
        if not build.again and size in (None, len(data)):
            if build.missing:
                missing, owner = build.missing[0]
                raise BuildError(is_missing(owner, missing[-1]), path=shown(missing))
            if build.unmet is not None:
                raise build.unmet
            if build.answers.count or build.reads_again:
                read_again(draft, data, path, build.reads_again)
            return data
        size = len(data)
    if build.unmet is not None:
        raise build.unmet
    raise BuildError("lengths and positions that depend on each other have no solution", path=program.label)


def around_rows(program: TypeProgram, given: Any) -> bytes:
    """The bytes of a value in which a list is `WrittenRows`: nothing in it is read again. BuildError."""
    return run(Build(WRITERS, program, None, b""), program, given)


def read_again(draft: Draft, data: bytes, path: Path, unknown: BuildError | None = None) -> None:
    """Parse what was built, and compare it with the draft: BuildError if they differ. ``unknown``: the error of an
    instance that was asked for, and is not given.
    """
    program = draft._program
    if program.parameters:
        return
    try:
        value = parse_value(program, Reader(data, source="what was built", trailing="keep"))
    except DataError as error:
        found = "" if error.found is None else f", found {error.found}"
        expected = "" if error.expected is None else f" (expected {error.expected}{found})"
        missing = "" if unknown is None else f"; {unknown.path} {unknown.message}"
        raise BuildError(f"cannot be read again: {error.message}{expected}{missing}", path=error.path) from None
    _compare(draft, value, path)


def _compare(draft: Draft, value: Any, path: Path) -> None:
    """Compare a value with its draft: BuildError if they differ."""
    for name in value._fields:
        _compare_one(draft.__dict__.get(name), getattr(value, name, None), (path, name))


def _compare_one(expected: Any, found: Any, path: Path) -> None:
    if isinstance(expected, Draft):
        if isinstance(found, Value):
            _compare(expected, found, path)
            return
    elif isinstance(expected, list):
        if isinstance(found, list) and len(expected) == len(found):
            for index, (item, other) in enumerate(zip(expected, found, strict=True)):
                _compare_one(item, other, (path, index))
            return
    elif not isinstance(expected, int | float | str | bytes | None) or expected == found or expected != expected:
        return  # values of other programs have no rule
    elif isinstance(expected, bytes) and isinstance(found, Value):
        return  # a payload that is given compressed
    elif isinstance(expected, float) and isinstance(found, float):
        return  # one of 32 bits is rounded
    shown_as = [_kind(item) for item in (expected, found)]
    raise BuildError("would be read as another value", path=shown(path), expected=shown_as[0], found=shown_as[1])


def _kind(value: Any) -> str:
    """A value for an error."""
    if isinstance(value, list):
        return f"{len(value)} elements"
    return value._program.name if isinstance(value, Draft) else repr(value)[:60]


def encode(program: TypeProgram, obj: Any, *, onto: bytes | None = None) -> bytes:
    """Bytes of a value of a compiled type; see `build`."""
    if not onto:
        data = straight(program, obj)
        data = settled(program, obj) if data is None else data
        if data is not None:
            return data
    return computed(program, obj, onto)


def computed(program: TypeProgram, obj: Any, onto: bytes | None = None) -> bytes:
    """As `encode`, without the short ways."""
    original, tail = _read_original(program, onto) if onto else (None, b"")
    if not onto and (data := unchanged(program, obj)) is not None:
        return data
    whole: Any = None
    if not onto and isinstance(obj, Value) and (reader := getattr(obj, "_io", None)) is not None:
        whole = reader.data[reader.base : reader.limit]
        if reader.state.has_rest:  # only the stream says which of these bytes are those of instances
            try:
                original, tail = _read_original(program, whole)
            except BuildError:
                pass  # only a part of the stream
    try:
        try:
            return run(Build(WRITERS, program, original, tail), program, obj)
        except BuildError:
            if whole is None:
                raise
            with suppress(BuildError):  # expressions that ask for the whole length may only fit the former one
                return run(Build(WRITERS, program, original, tail, len(whole)), program, obj)
            raise
    except LimitError as error:
        raise BuildError(f"cannot be written onto these bytes: {error}", path=program.label) from None
    except RecursionError:
        raise BuildError("structures nested too deep", path=program.label) from None


def _read_original(program: TypeProgram, data: Any) -> tuple[Value, bytes]:
    """The value that is written over, whose streams know which bytes instances read; and what follows it, if its type
    keeps no `_rest`.
    """
    reader = Reader(data, source="the original", checksums=False, trailing="keep")
    reader.state.recording = True
    try:
        value = parse_value(program, reader)
        if not program.keeps_context:
            return value, bytes(reader.data[reader.position :])
        if reader.position < reader.limit:
            settle(reader, value, value)
        return value, b""
    except DataError as error:
        raise BuildError(f"cannot be written onto bytes that are none: {error}", path=program.label) from None
