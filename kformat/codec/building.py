"""Objects -> bytes: the other half of the codec.

A value is built in this order, so that every value with only one right answer is computed:

1. Given values are converted to the declared types, or refused with the path of the field: a tree of `Draft`.
2. Lengths and counts are computed from the given bytes and lists, wherever in the tree their field is.
3. Missing fields are computed by their ``-derive``.
4. Windows are built and, if they have a codec or a process, encoded; their sizes are set. A payload given as compressed
   bytes is written unchanged, and so are the bytes that a parser kept of a value that has not changed (``_kept``).
5. The bytes are written in declared order; rules are checked on the way.
6. Checksums are filled in; what instances with a position have is written where it belongs.

If a value computed in 4 to 6 changes a field that has been written, all is written again, until nothing changes.
What asks a stream (`Answers`) is computed when a reader would: it has what the stream of this pass answers, of which
the size is that of the pass before; value instances that follow from such are kept from their first use. What such
expressions alone fix is filled with zeros; and what they shaped is read again, to see that it is what was given.
If nothing of a value has to be computed, generated code writes it (`writing`), and gives the same bytes. A value that
was read and not changed gets the bytes that it was read from (`unchanged`).
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
        if not build.again and size in (None, len(data)):
            if build.missing:
                missing, owner = build.missing[0]
                raise BuildError(is_missing(owner, missing[-1]), path=shown(missing))
            if build.unmet is not None:
                raise build.unmet
            if build.answers.count:
                read_again(draft, data, path)
            return data
        size = len(data)
    if build.unmet is not None:
        raise build.unmet
    raise BuildError("lengths and positions that depend on each other have no solution", path=program.label)


def read_again(draft: Draft, data: bytes, path: Path) -> None:
    """Compare what a reader gets of the bytes with what was to be written: BuildError if it is something else."""
    program = draft._program
    if program.parameters:
        return
    try:
        value = parse_value(program, Reader(data, source="what was built", trailing="keep"))
    except DataError as error:
        found = "" if error.found is None else f", found {error.found}"
        expected = "" if error.expected is None else f" (expected {error.expected}{found})"
        raise BuildError(f"cannot be read again: {error.message}{expected}", path=error.path) from None
    _compare(draft, value, path)


def _compare(draft: Draft, value: Any, path: Path) -> None:
    """Whether a value has what its draft has; BuildError if not."""
    for name in value._fields:
        _compare_one(draft.__dict__.get(name), getattr(value, name, None), (path, name))


def _compare_one(given: Any, found: Any, path: Path) -> None:
    if isinstance(given, Draft):
        if isinstance(found, Value):
            _compare(given, found, path)
            return
    elif isinstance(given, list):
        if isinstance(found, list) and len(given) == len(found):
            for index, (one, other) in enumerate(zip(given, found, strict=True)):
                _compare_one(one, other, (path, index))
            return
    elif not isinstance(given, int | float | str | bytes | None) or given == found or given != given:
        return  # values of other programs have no rule
    elif isinstance(given, bytes) and isinstance(found, Value):
        return  # a payload that is given compressed
    elif isinstance(given, float) and isinstance(found, float):
        return  # one of 32 bits is rounded
    shown_as = [_kind(one) for one in (given, found)]
    raise BuildError("would be read as another value", path=shown(path), expected=shown_as[0], found=shown_as[1])


def _kind(value: Any) -> str:
    """A value for an error."""
    if isinstance(value, list):
        return f"{len(value)} elements"
    return value._program.name if isinstance(value, Draft) else repr(value)[:60]


def encode(program: TypeProgram, obj: Any, *, onto: bytes | None = None) -> bytes:
    """Bytes of a value of a compiled type; see `build`."""
    data = None if onto else straight(program, obj)
    return computed(program, obj, onto) if data is None else data


def computed(program: TypeProgram, obj: Any, onto: bytes | None = None) -> bytes:
    """As `encode`, without the short way of values that are complete."""
    original, tail = _read_original(program, onto) if onto else (None, b"")
    if not onto and (data := unchanged(program, obj)) is not None:
        return data
    whole: Any = None
    if not onto and isinstance(obj, Value) and (reader := getattr(obj, "_io", None)) is not None:
        whole = reader.data[reader.base : reader.limit]
        if reader.state.has_rest:  # which of these bytes are those of instances is said by the stream alone
            try:
                original, tail = _read_original(program, whole)
            except BuildError:
                pass  # only a part of the stream
    try:
        try:
            return run(Build(WRITERS, original, tail), program, obj)
        except BuildError:
            if whole is None:
                raise
            with suppress(BuildError):  # what asks for the length of the whole may fit to none but that of before
                return run(Build(WRITERS, original, tail, len(whole)), program, obj)
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
