"""Search records by content: those whose key, value or headers contain given bytes, and the newest record of each key.

Rules:

* The search runs on columns (`kformat.kafka.columns.chunks`), thousands of records at a time; only matches become
  objects.
* A pattern must match inside one field: one key, one value, one header's key or value. Null never matches, not even
  the empty pattern.
* Everything is bytes. Text is searched as UTF-8; ignoring case covers ASCII letters only; a regular expression is one
  of Python's `re` over bytes, where a dot is one byte, and ``^`` and ``$`` are a field's ends.
* The newest record of a key is the last one in the searched range: the one that compaction would keep. Records without
  a key are left out, as Kafka's cleaner drops them. The newest record is determined first, then matched: an older
  record that matches does not count.
* Records of aborted transactions are included, unless only committed ones are requested (`Partition.committed`).
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from kformat.columns.arrow import leaf_types, pyarrow
from kformat.columns.leaves import leaves_of
from kformat.columns.logical import has_text, plain_array
from kformat.columns.skipped import OnSkipped, passing_over
from kformat.columns.values import MOST_ERROR
from kformat.errors import DataError, LimitError, MissingDependencyError, UsageError
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.columns.arrow import binary_array
from kformat.kafka.columns.chunks import Chunk, Scattered, Wanted, records_of
from kformat.kafka.columns.declared import SIDES, DeclaredColumns, Given, Layouts, Shown, layouts_of
from kformat.kafka.log.chosen import chosen
from kformat.kafka.log.partition import Partition, partitions_in, wanted_records
from kformat.kafka.producers.isolation import is_committed_only
from kformat.kernels import contains
from kformat.results import Results
from kformat.times import Moment, time_text

Mask = npt.NDArray[np.bool_]

WHERE: Final = ("key", "value", "header_key", "header_value")
"""The searchable parts of a record."""

DEFAULT_LIMIT: Final = 1 << 30
"""Approximate limit, in bytes, for the keys kept while looking for the newest records."""

_KEY_OVERHEAD_BYTES: Final = 200
_COLUMN_OF: Final = {"key": "key", "value": "value", "header_key": "headers", "header_value": "headers"}
_FOUND_COLUMNS: Final = ("offset", "timestamp", "timestamp_type", "key", "value", "headers")


class _BytesColumn(Protocol):
    """The part of a chunk's keys, values, or headers that is used here, wherever the bytes are stored."""

    @property
    def data(self) -> npt.NDArray[np.uint8]: ...
    @property
    def positions(self) -> npt.NDArray[np.int64]: ...
    @property
    def lengths(self) -> npt.NDArray[np.int64]: ...
    def take(self, rows: npt.NDArray[Any]) -> Scattered: ...
    def to_list(self) -> list[bytes | None]: ...


@dataclass(frozen=True, slots=True)
class Found:
    """A matching record, like `kformat.Record`, with its topic and partition."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


@dataclass(frozen=True, slots=True)
class FoundValues(Found):
    """A matching record whose values, or keys, are of a declared format: ``value`` is what `kformat.parse` makes of the
    bytes, or for ``json`` the parsed text; bytes if the topic has no layout. If they do not parse it is None, the bytes
    are in ``value_raw``, and the reason in ``value_error``. The same for ``key``.
    """

    key: Any
    value: Any
    key_raw: bytes | None = None
    key_error: str | None = None
    value_raw: bytes | None = None
    value_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What to search for.

    Attributes:
        pattern: bytes, or text, which is encoded as UTF-8.
        where: of `WHERE`; a record matches if any of them does.
        regex: the pattern is a regular expression.
        ignore_case: ignore the case of ASCII letters.
        invert: select the records that do not match.
        declared: the layouts of values and keys. In such a value the text and the bytes of its columns are searched.

    Raises:
        UsageError: an unknown place in ``where``, or none; an invalid regular expression.
    """

    pattern: bytes | str = b""
    where: tuple[str, ...] = WHERE
    regex: bool = False
    ignore_case: bool = False
    invert: bool = False
    declared: DeclaredColumns | None = None
    _literal: bytes = field(init=False, repr=False)
    _ignores_case: bool = field(init=False, repr=False)
    _expression: re.Pattern[bytes] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        unknown = [name for name in self.where if name not in WHERE]
        if unknown or not self.where:
            raise UsageError(f"unknown place to search: {', '.join(map(repr, unknown))}; there are {', '.join(WHERE)}")
        literal = self.pattern.encode("utf-8", "surrogateescape") if isinstance(self.pattern, str) else self.pattern
        expression, ignores_case = None, self.ignore_case
        if self.regex:
            try:
                expression = re.compile(literal, re.IGNORECASE if self.ignore_case else 0)
            except (re.error, RecursionError, OverflowError) as error:
                raise UsageError(f"not a regular expression: {error}") from error
            literal = _required(literal, expression.flags)
            ignores_case = bool(expression.flags & re.IGNORECASE)
        object.__setattr__(self, "_expression", expression)
        object.__setattr__(self, "_ignores_case", ignores_case)
        object.__setattr__(self, "_literal", literal.lower() if ignores_case else literal)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `kformat.kafka.columns.chunks` that the search reads."""
        return tuple(dict.fromkeys(_COLUMN_OF[name] for name in self.where))

    @property
    def may_be_a_number(self) -> bool:
        """Whether the text of a time or a decimal may match: nobody wants others to be made of millions."""
        return not set(self._literal).difference(b"0123456789+-:.TZtz")

    def rows(self, chunk: Chunk, topic: str = "") -> Mask:
        """The rows of a chunk of a topic that match; the chunk has `columns`."""
        mask = np.zeros(len(chunk), np.bool_)
        for name in self.where:
            match name:
                case "key" | "value" if self.declared is not None and name in self.declared.sides:
                    mask |= self._in_declared(self.declared, name, chunk, topic)
                case "key" | "value":
                    mask |= self.holding(getattr(chunk, name))
                case _:
                    assert chunk.headers is not None
                    entries = self.holding(chunk.headers.keys if name == "header_key" else chunk.headers.values)
                    counts = np.diff(chunk.headers.offsets)
                    mask[np.repeat(np.arange(len(chunk)), counts)[entries]] = True
        return ~mask if self.invert else mask

    def _in_declared(self, declared: DeclaredColumns, side: str, chunk: Chunk, topic: str) -> Mask:
        """The rows in which a declared key or value matches."""
        pa, mask = pyarrow(), np.zeros(len(chunk), np.bool_)
        binaries = {side: binary_array(getattr(chunk, side), pa.binary())}
        keys = None
        if declared.sides[side].needs_keys and chunk.key is not None:
            keys = binary_array(chunk.key, pa.binary())
        for start, count, arrays in declared.parts(topic, binaries, len(chunk), keys):
            batch = pa.RecordBatch.from_arrays(list(arrays.values()), names=list(arrays))
            mask[start : start + count] = matching_rows(batch, replace(self, invert=False))
        return mask

    def holding(self, column: _BytesColumn) -> Mask:
        """The rows of a column that match; nulls never do."""
        mask = _containing(column, self._literal, self._ignores_case)
        if self._expression is not None:
            rows, search = np.flatnonzero(mask), self._expression.search
            matches = [search(item or b"") is not None for item in column.take(rows).to_list()]
            mask[rows] = matches
        return mask


class _ArrowColumn:
    """An Arrow array of bytes or text."""

    def __init__(self, array: Any) -> None:
        self.array = array
        _, offsets, data = array.buffers()
        ends = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1].astype(np.int64)
        self.data = np.frombuffer(data or b"", np.uint8)
        self.positions, self.lengths = ends[:-1], np.diff(ends)
        self.lengths[np.asarray(array.is_null())] = -1

    def take(self, rows: npt.NDArray[Any]) -> Any:
        return _ArrowColumn(self.array.take(pyarrow().array(rows)))

    def to_list(self) -> list[bytes | None]:
        values: list[bytes | None] = self.array.cast("binary").to_pylist()
        return values


def matching_rows(batch: Any, search: Search) -> Mask:
    """The rows of an Arrow record batch in which a text or some bytes match, at any depth: each element of a list by
    itself. `Search.where` does not count.
    """
    types, mask = pyarrow().types, np.zeros(batch.num_rows, np.bool_)
    for leaf in leaves_of(batch):
        array = leaf.array
        if has_text(array.type) and search.may_be_a_number:  # times and decimals, as they are printed
            array = plain_array(array)
        if len(array) and (types.is_binary(array.type) or types.is_string(array.type)):
            matches = search.holding(_ArrowColumn(array))
            mask |= matches if leaf.rows is None else np.isin(np.arange(len(mask)), leaf.rows[matches])
    return ~mask if search.invert else mask


def is_searchable(kind: Any) -> bool:
    """Whether there is text, or bytes, or what is printed as text, in an Arrow type."""
    types = pyarrow().types
    return has_text(kind) or any(types.is_binary(leaf) or types.is_string(leaf) for leaf in leaf_types(kind))


def _containing(column: _BytesColumn, pattern: bytes, ignores_case: bool) -> Mask:
    """The rows that contain some bytes. The bytes are in lower case if case is ignored."""
    if not pattern:
        return column.lengths >= 0
    if RECORD_KERNELS.is_there:
        with contextlib.suppress(MissingDependencyError):  # numba
            return contains(column.data, column.positions, column.lengths, pattern, ignores_case=ignores_case)
    items = column.to_list()
    if ignores_case:
        items = [None if item is None else item.lower() for item in items]
    return np.array([item is not None and pattern in item for item in items], np.bool_)


def _required(expression: bytes, flags: int) -> bytes:
    """The longest literal, as far as easily seen, that every match of a regular expression contains; possibly empty.

    Uses `re`'s own parser, which is not a stable interface. If it changes, every row is searched.
    """
    try:
        items = importlib.import_module("re._parser").parse(expression, flags & re.IGNORECASE)
        runs = [bytearray()]
        for operation, argument in items:
            if str(operation) == "LITERAL":
                runs[-1].append(argument)
            else:
                runs.append(bytearray())
        return bytes(max(runs, key=len))
    except (ImportError, AttributeError, TypeError, ValueError):
        return b""


def search_chunks(
    partition: Partition,
    search: Search,
    wanted: Wanted | None = None,
    *,
    newest: bool = False,
    tombstones: bool = True,
    limit: int = DEFAULT_LIMIT,
    on_corrupt: str = "error",
    on_skipped: OnSkipped | None = None,
) -> Iterator[Chunk]:
    """The matching records of a partition, as chunks of columns, in log order; chunks have at least one row.

    Args:
        partition: the partition to search.
        search: what to search for.
        wanted: the range, and the columns of the matches; by default all records, with the columns of `Found`.
        newest: only the newest record of each key. This reads the log twice, and needs memory for each key, or for each
            matching key if only keys are searched.
        tombstones: False leaves out records without a value.
        limit: about how many bytes of memory these keys may take.
        on_corrupt, on_skipped: see `Partition.record_batches`.

    Raises (while iterating):
        LimitError: the keys need more memory than ``limit``.
        DataError, OSError: as `Partition.chunks`, after the matches before it.
    """
    wanted = Wanted(columns=_FOUND_COLUMNS) if wanted is None else wanted
    offsets = None
    if newest:
        # The second pass below skips the same damage.
        offsets = _newest_offsets(partition, search, wanted, limit, "error" if on_corrupt == "error" else "skip")
        if not len(offsets):
            return
        wanted = replace(wanted, end_offset=min(wanted.end_offset, int(offsets[-1]) + 1))
    more = (*search.columns, *(("offset",) if newest else ()), *(() if tombstones else ("value",)))
    to_read = replace(wanted, columns=tuple(dict.fromkeys((*wanted.columns, *more))))
    for chunk in partition.chunks(to_read, on_corrupt=on_corrupt, on_skipped=on_skipped):
        rows = search.rows(chunk, partition.topic)
        if offsets is not None:
            rows &= np.isin(chunk.numbers["offset"], offsets)
        if not tombstones:
            assert chunk.value is not None
            rows &= chunk.value.lengths >= 0
        if rows.any():
            yield _projected(chunk.take(rows), wanted.columns)


def _projected(chunk: Chunk, columns: tuple[str, ...]) -> Chunk:
    """The chunk with only the wanted columns."""
    return Chunk(
        len(chunk),
        {name: column for name, column in chunk.numbers.items() if name in columns},
        chunk.key if "key" in columns else None,
        chunk.value if "value" in columns else None,
        chunk.headers if "headers" in columns else None,
    )


def _newest_offsets(
    partition: Partition, search: Search, wanted: Wanted, limit: int, on_corrupt: str
) -> npt.NDArray[np.int64]:
    """The offset of the newest record of each key, sorted."""
    of_keys = search.where == ("key",)
    offsets: dict[bytes, int] = {}
    size_bytes = 0
    for chunk in partition.chunks(replace(wanted, columns=("offset", "key")), on_corrupt=on_corrupt):
        if of_keys:
            chunk = chunk.take(search.rows(chunk, partition.topic))
        assert chunk.key is not None
        before = len(offsets)
        keys = chunk.key.to_list()
        own = {key: at for key, at in zip(keys, chunk.numbers["offset"].tolist(), strict=True) if key is not None}
        size_bytes += sum(len(key) + _KEY_OVERHEAD_BYTES for key in own if key not in offsets)
        offsets |= own
        if len(offsets) > before and size_bytes > limit:
            raise LimitError(
                "more keys than fit into the memory limit",
                source=str(partition.path),
                expected=f"<= {limit} bytes",
                found=f"{size_bytes} for {len(offsets)} keys",
            )
    return np.sort(np.fromiter(offsets.values(), np.int64, len(offsets)))


def found_records(chunk: Chunk, partition: Partition) -> Iterator[Found]:
    """The rows of a chunk with the columns of `Found`, as objects."""
    for records in records_of(chunk):
        for record in records:
            yield Found(partition.topic, partition.partition, *record[:-1])


def in_declared(
    search: Search, columns: Iterable[str] | None, value_as: Layouts | None, key_as: Layouts | None
) -> Search:
    """The same search in values and keys of these layouts: in all of them, or only in some columns.

    Raises UsageError for a column that is not in them, or if there is neither text nor bytes in the columns.
    """
    sides = [side for side, layouts in zip(SIDES, (value_as, key_as), strict=True) if layouts is not None]
    if not sides:
        return search
    names = [columns] if isinstance(columns, str) else None if columns is None else list(columns)
    for name in names or ():
        if not any(name == side or name.startswith((f"{side}.", f"{side}_")) for side in sides):
            raise UsageError(f"columns {name}: it is no part of what value_as and key_as declare")
    parts = tuple(names if names is not None else (name for side in sides for name in (side, f"{side}_raw")))
    declared = DeclaredColumns(parts, value_as, key_as)
    if names is None:
        return replace(search, declared=declared)
    if not any(map(is_searchable, declared.fields().values())):
        raise UsageError(f"columns {', '.join(names) or 'none'}: there is neither text nor bytes to search in")
    return replace(search, declared=declared, where=tuple(side for side in SIDES if side in declared.base))


def _parsed(values: Shown, record: Found) -> FoundValues:
    fields = {name: getattr(record, name) for name in Found.__slots__}
    for side in SIDES:
        data = fields[side]
        if side in values.readers and data is not None:
            try:
                fields[side] = values.readers[side].one(data)
            except DataError as error:
                fields |= {side: None, f"{side}_raw": data, f"{side}_error": str(error)[:MOST_ERROR]}
    return FoundValues(**fields)


def grep(
    source: Partition | str | os.PathLike[str],
    pattern: bytes | str,
    *,
    where: Iterable[str] = WHERE,
    regex: bool = False,
    ignore_case: bool = False,
    invert: bool = False,
    newest: bool = False,
    tombstones: bool = True,
    start_offset: int | None = None,
    end_offset: int | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    before_log_start: bool = False,
    include_control: bool = False,
    checksums: bool = True,
    isolation_level: str = "read_uncommitted",
    topics: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] = (),
    partitions: int | Iterable[int] | None = None,
    value_as: Given = None,
    key_as: Given = None,
    columns: Iterable[str] | None = None,
    limit: int = DEFAULT_LIMIT,
    on_corrupt: str = "error",
    on_skipped: OnSkipped | None = None,
) -> Results[Found]:
    """The records that contain some bytes, one at a time, in log order; `repr` and notebooks show the first as a table.

    Args:
        source: a `Partition`, or the path of one, of a root that holds many, or of a `.log` file.
        pattern: bytes, or text, which is encoded as UTF-8.
        where: of ``key``, ``value``, ``header_key`` and ``header_value``; by default any of them.
        regex, ignore_case, invert: see `Search`.
        newest, tombstones, limit: see `search_chunks`.
        start_offset, end_offset: the first offset, and the one after the last.
        since, until: the first timestamp, and the one after the last: a datetime with a time zone, ISO 8601 (UTC if
            it names no zone), or ms since 1970.
        before_log_start: include records below the log's start, which were deleted but are still in the files.
        include_control: include control records, which consumers do not see.
        checksums: False reads batches with a wrong checksum.
        isolation_level: ``read_committed`` leaves out the records of aborted transactions, and everything from the
            first open transaction on; see `kformat.kafka.producers.isolation`.
        topics, exclude, partitions: which partitions of a root, as for `LogDirectory.select`.
        value_as, key_as: which declared format values, or keys, are, as for `Partition.record_batches` (extra
            ``arrow``). Text and bytes in them are searched, at any depth, and all bytes of those that do not parse.
            Each result is a `FoundValues`.
        columns: the only parts of these that are searched (``value.name``), and nothing else of a record.
        on_corrupt, on_skipped: see `Partition.record_batches`.

    Raises:
        UsageError: a wrong argument, or no partition is chosen.
        DataError, OSError: while iterating, as `search_chunks`: the partitions after it are not searched.
    """
    search = Search(
        pattern=pattern,
        where=(where,) if isinstance(where, str) else tuple(where),
        regex=regex,
        ignore_case=ignore_case,
        invert=invert,
    )
    layouts = layouts_of(value_as), layouts_of(key_as, "key_as")
    if layouts == (None, None) and columns is not None:
        raise UsageError("columns are parts of declared values and keys: give value_as or key_as, too")
    search = in_declared(search, columns, *layouts)
    wanted = wanted_records(
        _FOUND_COLUMNS,
        *(start_offset, end_offset, since, until),
        before_log_start=before_log_start,
        include_control=include_control,
        checksums=checksums,
    )
    committed = is_committed_only(isolation_level)
    passing_over(on_corrupt)
    how: dict[str, Any] = {"newest": newest, "tombstones": tombstones, "limit": limit}
    how |= {"on_corrupt": on_corrupt, "on_skipped": on_skipped}
    found = partitions_in(source, chosen(topics, exclude, partitions))

    def found_in(partition: Partition) -> Iterator[Found]:
        seen = partition.committed(wanted) if committed else wanted
        values = None if search.declared is None else Shown(partition.topic, *layouts)
        for chunk in search_chunks(partition, search, seen, **how):
            records = found_records(chunk, partition)
            yield from records if values is None else map(partial(_parsed, values), records)

    records = (record for partition in found for record in found_in(partition))
    columns = ("topic", "partition", "offset", "time", "key", "value")
    return Results("Records", columns, records, _cells)


def _cells(record: Found) -> tuple[Any, ...]:
    where = record.topic, record.partition, record.offset
    return *where, time_text(record.timestamp), record.key, record.value
