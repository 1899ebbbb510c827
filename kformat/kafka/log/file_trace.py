"""Map the bytes of a file to fields: `trace_file` yields one `FilePiece` after the other.

A piece is a batch, an index, or the bytes after them; its spans are those of `kformat.codec.trace`.

Rules:

* Damage ends a piece. The next piece begins where the framing says.
* Zeros that belong to no field are counted, not kept: preallocated files consist of them.

Memory grows with one value (a batch, a snapshot), not with a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from kformat.codec.constructs import TypeConstruct, construct_of
from kformat.codec.leftover import reads_elsewhere
from kformat.codec.reader import Reader
from kformat.codec.row_trace import RowTrace
from kformat.codec.sliding import STRETCH_BYTES
from kformat.codec.trace import Span, spans_of, zero_runs
from kformat.columns.rows import ends_with_rows, one_after_the_other
from kformat.columns.scanning import MOST_HELD
from kformat.errors import DataError, InvalidError, LimitError, TruncatedError, UsageError
from kformat.kafka.batch.batches import AnyBatch, is_room, read_batch
from kformat.kafka.batch.framing import CURRENT_MAGIC, HEADER_BYTES, Frame, Walk
from kformat.kafka.batch.records import Batch, Record, parse_control_record
from kformat.kafka.columns.log_values import LOG_FORMATS
from kformat.kafka.files.file_kinds import TEXT, kind_by_ending, kind_of, parse_file_name, parse_remote_file_name
from kformat.kafka.index.index_file import used_bytes
from kformat.language.layout import layout
from kformat.language.program import ReadList, ReadType, load_type
from kformat.storage.address import base_name
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_RAW_CHUNK: Final = 1 << 12
_SCAN_CHUNK: Final = 1 << 16
_STEM: Final = re.compile(r"(?P<stem>.*?)(\.(deleted|cleaned|swap|part|tmp))?")
_CONTROL: Final = re.compile(r"record_batch\.records\[\d+\]\.(?P<part>key|value)")


@dataclass(frozen=True)
class FilePiece:
    """A part of a file: its ``format``, None if it has none, its spans, which are read lazily, and its ``size``, None
    if that is known at its end alone.

    ``title`` describes it in words.
    """

    position: int
    size: int | None
    format: str | None
    title: str
    spans: Iterator[Span]


@dataclass(frozen=True, slots=True)
class TraceRange:
    """Which part of a file to trace: at most ``max_bytes`` of it; in a log, batches with offsets from ``from_offset``
    (inclusive) to ``to_offset`` (exclusive); what has bytes from ``from_position`` to ``to_position`` (exclusive); the
    rows of a declared format from number ``from_row`` to ``to_row`` (exclusive).
    """

    max_bytes: int | None = None
    from_offset: int | None = None
    to_offset: int | None = None
    from_position: int = 0
    to_position: int | None = None
    from_row: int | None = None
    to_row: int | None = None

    @property
    def has_rows(self) -> bool:
        """Whether rows are chosen by their indices."""
        return self.from_row is not None or self.to_row is not None

    def is_row(self, index: int) -> bool:
        """Whether a row of that index is to be traced."""
        return index >= (self.from_row or 0) and (self.to_row is None or index < self.to_row)

    def touches(self, start: int, end: int) -> bool:
        """Whether bytes from ``start`` to ``end``, exclusive, are to be traced; of no bytes, those before or after."""
        end = max(end, start + 1)
        return end > self.from_position and (self.to_position is None or start < self.to_position)

    def is_over(self, position: int, index: int = -1) -> bool:
        """Whether nothing at a position or after it, or after a row, is to be traced."""
        is_last = self.to_row is not None and index + 1 >= self.to_row
        return is_last or (self.to_position is not None and position >= self.to_position)


def format_of(name: str) -> str | None:
    """The format of a file by its name; None for unknown names and text files."""
    base = base_name(name)
    match = _STEM.fullmatch(base)
    row = kind_of(base)
    if match is not None:
        row = row or kind_of(match["stem"])
        if row is None or row.format is None or row.format == TEXT:  # a renamed copy
            row = kind_by_ending(match["stem"]) or row
    return None if row is None or row.format == TEXT else row.format


def trace_file(
    file: Any,
    format: Any = None,
    *,
    only: TraceRange = TraceRange(),
    limit: int = DEFAULT_INFLATE_LIMIT,
    trailing: Literal["error", "keep"] = "error",
) -> Iterator[FilePiece]:
    """Yield the pieces of a file, in order; read a piece's spans before requesting the next piece.

    Args:
        file: a path, bytes, a binary file or a ByteSource.
        format: as for `kformat.parse`, if the name does not determine it. The file may hold several values in a row,
            unless instances read elsewhere in it.
        only: the part to trace.
        limit: the largest value (a batch, a snapshot) in bytes, stored or decompressed; a larger one is not read. An
            element of a list counts as `BYTES_PER_ELEMENT` bytes.
        trailing: ``keep``: bytes that nothing declares are no error, and the file is one value.

    Raises:
        OSError: the file cannot be read.
        UsageError, DeclarationError: no format is given and the name determines none; the format does not exist.
    """
    with ByteSource(file) as source:
        if format is None:
            format = format_of(source.name)
            if format is None:
                raise UsageError(f"{source.name}: the name does not say what is in it; name a format (--as)")
        end = source.size if only.max_bytes is None else min(source.size, only.max_bytes)
        if format in LOG_FORMATS:
            if only.has_rows:
                raise UsageError("a log has no rows by number; name offsets, or positions")
            pieces = _log(source, end, only, limit)
        else:
            pieces = _declared(source, end, construct_of(format), only, limit, trailing)
        for piece in pieces:
            if piece.size is None or only.touches(piece.position, piece.position + piece.size):
                yield replace(piece, spans=_within_range(piece.spans, only))


def _declared(
    source: ByteSource,
    end: int,
    structure: TypeConstruct,
    only: TraceRange,
    limit: int,
    trailing: Literal["error", "keep"],
) -> Iterator[FilePiece]:
    program = structure.program
    row = _row(program)
    if row is not None:
        spans = _absolute(_rows(source, end, program.label, *row, only), base_name(source.name))
        yield FilePiece(0, end, program.name, program.label, spans)
        return
    rows = one_after_the_other(program) if end == source.size else None
    if rows is None and only.has_rows:
        why = "something around them needs all of them, as a checksum does"
        raise UsageError(f"{program.label}: its rows are not read one by one: {why}; name positions instead")
    is_small = rows is not None and end <= STRETCH_BYTES and not only.has_rows and not ends_with_rows(rows)
    if rows is None or is_small:
        yield from _values(source, 0, end, structure, limit, trailing)
        return
    how: dict[str, Any] = {"inflate_limit": limit, "trailing": trailing, "whole": trailing == "keep"}
    trace = RowTrace(source, program, rows.path, most_held=MOST_HELD, **how)
    size = end if ends_with_rows(rows) else None
    yield FilePiece(0, size, program.name, program.label, _streamed(trace, only))
    if trace.end < end and not only.has_rows and not only.is_over(trace.end):
        yield from _values(source, trace.end, end, structure, limit, trailing)


def _streamed(trace: RowTrace, only: TraceRange) -> Iterator[Span]:
    """The spans of the rows that are to be traced, and of what is around them."""
    index = -1
    parts = trace.parts()
    while True:
        trace.traces = only.is_row(index + 1) and only.touches(trace.end, trace.end)
        part = next(parts, None)
        if part is None:
            return
        if part.index < 0:
            yield from () if only.has_rows or part.spans is None else part.spans
            continue
        index = part.index
        if part.spans is not None:
            yield from part.spans
        elif only.is_row(index) and only.touches(part.position, part.end):
            yield from trace.again(part)
        if only.is_over(part.end, index):
            trace.close()
            return


def _within_range(spans: Iterator[Span], only: TraceRange) -> Iterator[Span]:
    """The spans that have bytes in the range, and those of the decoded bytes of such ones."""
    if only.from_position == 0 and only.to_position is None:
        yield from spans
        return
    is_inside = False
    for span in spans:
        if span.inflated_position is None:
            if only.is_over(span.position):
                return
            is_inside = only.touches(span.position, span.position + span.size)
        if is_inside:
            yield span


def _row(program: Any) -> tuple[str, TypeConstruct] | None:
    """The field and type of the rows of a file that consists of rows of one size."""
    steps = program.steps
    if len(steps) != 1 or not isinstance(steps[0], ReadList) or steps[0].count is not None or steps[0].condition:
        return None
    element = steps[0].element
    if not isinstance(element, ReadType) or element.arguments or not layout(element.type).is_fixed:
        return None
    return steps[0].name, construct_of(element.type)


def _rows(source: ByteSource, end: int, label: str, name: str, row: TypeConstruct, only: TraceRange) -> Iterator[Span]:
    size = layout(row.program).size
    used = -(-used_bytes(source, end) // size) * size
    index = max(only.from_row or 0, only.from_position // size)
    chunk, start, last = b"", 0, None if only.to_row is None else only.to_row * size
    for position in range(index * size, min(used, end, *([] if last is None else [last])), size):
        if position >= start + len(chunk):
            chunk, start = source.read_at(position, min(end - position, size * (_SCAN_CHUNK // size + 1))), position
            if not chunk:  # the file was truncated after its size was read
                return
        data = chunk[position - start : position - start + size]
        reader = Reader(data, source=source.name, origin=position)
        yield from spans_of(row, reader, f"{label}.{name}[{index}]")
        index += 1
    if used < end and not only.has_rows:
        slots, odd = divmod(end - used, size)
        remark = f"{slots} slots without an entry" + (f" and {odd} bytes" if odd else "")
        yield Span(used, end - used, f"{label}.{name}", kind="zeros", remark=remark)


def _absolute(spans: Iterator[Span], name: str) -> Iterator[Span]:
    """The offsets in an index, made absolute with the base offset from its name."""
    parsed = parse_file_name(name) or parse_remote_file_name(name)
    for span in spans:
        is_offset = span.declared is not None and span.declared.name == "relative_offset" and parsed is not None
        yield replace(span, absolute=parsed.offset + span.value) if is_offset and parsed is not None else span


def _values(
    source: ByteSource, start: int, end: int, structure: TypeConstruct, limit: int, trailing: Literal["error", "keep"]
) -> Iterator[FilePiece]:
    """Consecutive values, to the end of the bytes; one value where instances read elsewhere."""
    label = structure.program.label
    if end - start > limit:
        error = LimitError("a value over the limit", source=source.name, position=start, path=label)
        error.expected, error.found = f"<= {limit} bytes", end - start
        yield FilePiece(start, end - start, structure.program.name, label, _raw(source, start, end, label, error))
        return
    data, at = source.read_at(start, end - start), 0
    whole = trailing == "keep" or reads_elsewhere(structure.program)
    while at < len(data) or at == 0:
        reader = Reader(data, source=source.name, origin=start, start=at, inflate_limit=limit)
        spans = list(spans_of(structure, reader, label, whole=whole, trailing=trailing))
        title = label if start + at == 0 and reader.position == len(data) else f"{label} at {start + at}"
        yield FilePiece(start + at, reader.position - at, structure.program.name, title, iter(spans))
        if reader.position == at:  # it takes no bytes: this would never end
            rest = _raw(source, start + at, end, label, None)
            yield FilePiece(start + at, len(data) - at, None, "after it", rest)
            return
        at = reader.position


def _log(source: ByteSource, end: int, only: TraceRange, limit: int) -> Iterator[FilePiece]:
    walk = Walk(source, 0, end)
    for frame in walk:
        if frame.size > limit or not _wanted(frame, only):
            if frame.size > limit:
                yield _too_large(source, frame, limit)
            continue
        if only.is_over(frame.position):
            return
        if only.touches(frame.position, frame.position + frame.size):
            yield _batch(source, frame, source.read_at(frame.position, frame.size), limit)
    if walk.problem is None:
        return
    start, left = walk.position, walk.end - walk.position
    problem: DataError | None = walk.problem
    if isinstance(problem, TruncatedError) and HEADER_BYTES <= left <= limit and walk.end == source.size:
        data = source.read_at(start, left)
        magic = layout("record_batch").reader("magic")(data, 0)
        yield _batch(source, Frame(start, left, magic, data[:HEADER_BYTES]), data, limit)
        return
    title = "no batch"
    if walk.end < source.size and isinstance(problem, TruncatedError):
        problem, title = None, "the beginning of a batch"  # the file goes on; only a part was requested
    elif isinstance(problem, InvalidError) and is_room(source, start):
        problem = None
    yield FilePiece(start, left, None, title, _raw(source, start, walk.end, "record_batch", problem))


def _wanted(frame: Frame, only: TraceRange) -> bool:
    """Whether a batch has requested offsets, as far as its header shows: a wrapper's first offset is unknown."""
    if only.from_offset is None and only.to_offset is None:
        return True
    first = frame.base_offset
    last = frame.last_offset if frame.size >= HEADER_BYTES else first
    return not (
        (only.from_offset is not None and last < only.from_offset)
        or (only.to_offset is not None and first >= only.to_offset)
    )


def _too_large(source: ByteSource, frame: Frame, limit: int) -> FilePiece:
    try:
        read_batch(source, frame, limit)
        raise AssertionError(frame)
    except DataError as error:
        problem = error
    end = frame.position + frame.size
    spans = _raw(source, frame.position, end, "record_batch", problem)
    return FilePiece(frame.position, frame.size, None, "a batch over the limit", spans)


def _batch(source: ByteSource, frame: Frame, data: bytes, limit: int) -> FilePiece:
    """A batch of any magic, as far as it is complete."""
    format = "legacy_message" if 0 <= frame.magic < CURRENT_MAGIC else "record_batch"
    reader = Reader(data, source=source.name, origin=frame.position, inflate_limit=limit)
    spans = spans_of(construct_of(format), reader, format)
    title = format
    try:
        batch = read_batch(ByteSource(data), Frame(0, len(data), frame.magic, frame.start), limit)
    except DataError:
        return FilePiece(frame.position, len(data), format, title, spans)
    if isinstance(batch, Batch):
        title = _batch_title(batch)
        if batch.is_control:
            spans = _control(spans, source.name)
    else:
        title = f"message of magic {batch.magic}, offset {batch.last_offset}"
        if batch.compression:
            title = f"wrapper of magic {batch.magic}, last offset {batch.last_offset}, {batch.compression_name}"
    return FilePiece(frame.position, len(data), format, title, spans)


def _batch_title(batch: AnyBatch) -> str:
    words = ["control batch" if batch.is_control else "batch"]
    words.append(f"offsets {batch.base_offset} to {batch.last_offset}")
    words.append(f"{batch.records_count} record" + "s" * (batch.records_count != 1))
    if batch.compression:
        words.append(batch.compression_name)
    if batch.is_transactional:
        words.append("transactional")
    return ", ".join(words)


def _control(spans: Iterable[Span], source: str) -> Iterator[Span]:
    """The keys and values of control records, split into fields."""
    key: Span | None = None
    for span in spans:
        match = _CONTROL.fullmatch(span.path)
        if match is None or span.kind != "field" or not span.size:
            yield span
        elif match["part"] == "key":
            key = span
            yield from _within(span, "control_record_type_schema", source)
        else:
            format = None if key is None else _control_format(key.data, span.data)
            yield from [span] if format is None else _within(span, format, source)


def _control_format(key: bytes, value: bytes) -> str | None:
    try:
        _, parsed = parse_control_record(Record(0, 0, 0, key, value))
    except DataError:
        return None
    return None if parsed is None else str(parsed._type.name)


def _within(span: Span, format: str, source: str) -> Iterator[Span]:
    """The fields within a span's bytes, and the rest of the bytes."""
    structure = construct_of(load_type(format))
    inside = span.inflated_position
    reader = Reader(span.data, source=source, origin=span.position if inside is None else inside)
    spans = list(spans_of(structure, reader, span.path, whole=False))
    for field_span in spans:
        if field_span.error is not None and inside is not None:
            field_span.error.position, field_span.error.inflated_position = span.position, field_span.error.position
        yield (
            field_span
            if inside is None
            else replace(field_span, position=span.position, inflated_position=field_span.position)
        )
    rest = span.data[reader.position :]
    if rest:
        at = None if inside is None else inside + reader.position
        position = span.position + (reader.position if inside is None else 0)
        remark = "not declared"
        yield Span(position, len(rest), span.path, inflated_position=at, kind="unread", data=rest, remark=remark)


def _raw(source: ByteSource, start: int, end: int, path: str, error: DataError | None) -> Iterator[Span]:
    """Bytes without fields, in chunks; long runs of zeros are counted. The first span has the error."""
    zeros_from: int | None = None
    pieces = _chunks(source, start, end)
    for position, data, is_zero in pieces:
        if is_zero:
            zeros_from = position if zeros_from is None else zeros_from
            continue
        if zeros_from is not None:
            yield Span(zeros_from, position - zeros_from, path, kind="zeros", error=error)
            zeros_from, error = None, None
        yield Span(position, len(data), path, kind="unread", data=data, error=error)
        error = None
    if zeros_from is not None:
        yield Span(zeros_from, end - zeros_from, path, kind="zeros", error=error)


def _chunks(source: ByteSource, start: int, end: int) -> Iterator[tuple[int, bytes, bool]]:
    """(position, bytes, whether it is a long run of zeros), from start to end."""
    while start < end:
        data = source.read_at(start, min(_RAW_CHUNK, end - start))
        if not data:
            return
        for first, last, is_zero in zero_runs(data):
            yield start + first, data[first:last], is_zero
        start += len(data)


__all__ = ["FilePiece", "TraceRange", "format_of", "trace_file"]
