"""The matches of `kformat grep`: records of partitions, or rows of files of a declared format; and their printing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final, Protocol

from kformat.cli import one_line
from kformat.cli.output import BYTES, plain, plain_value
from kformat.cli.reading import Starts, WhichRecords
from kformat.cli.row_sources import FileRowPart, FileRows
from kformat.cli.tables import plain_rows
from kformat.columns.arrow import RecordBatch
from kformat.columns.plan import FILE, INDEX, POSITION
from kformat.dump.java import java_text
from kformat.dump.lines import bytes_text, size_of
from kformat.errors import UsageError, join_path
from kformat.grep import Found, Search, found_records, is_searchable, matching_rows, search_chunks
from kformat.kafka.batch.legacy import TIMESTAMP_TYPE_LABELS
from kformat.kafka.batch.records import TimestampType
from kformat.kafka.columns.chunks import Chunk
from kformat.kafka.columns.declared import SIDES, Layouts, Shown
from kformat.kafka.log.partition import Partition
from kformat.language.program import load_type

_COLUMNS: Final = ("topic", "partition", "offset", "timestamp", "timestamp_type", "key", "value", "headers")
_READ: Final = ("offset", "timestamp", "timestamp_type", "key", "value", "headers")
_TIMESTAMP_TYPES: Final = {int(kind): kind.name for kind in TimestampType}


class Matches(Protocol):
    """What matches in the parts of a source.

    Attributes:
        columns: those of CSV; none: there is no CSV.
        is_alone: whether there is one part.
        encode: how bytes in objects are written.
    """

    columns: tuple[str, ...]
    encode: Callable[[bytes], str]

    @property
    def is_alone(self) -> bool: ...

    def parts(self) -> Iterator[Any]:
        """The partitions, or the files."""

    def batches(self, part: Any, *, only_count: bool) -> Iterator[Any]:
        """What matches in a part, many at a time; each has a length."""

    def rows(self, part: Any, batch: Any) -> Iterator[Any]:
        """What matches, one at a time."""

    def head(self, part: Any) -> dict[str, Any]:
        """What names a part in an object."""

    def name(self, part: Any) -> str:
        """What names a part in a line."""

    def line(self, part: Any, row: Any) -> str:
        """A row as text."""

    def object(self, part: Any, row: Any) -> dict[str, Any]:
        """A row as an object of JSON."""


class MatchingRecords:
    """The matching records of partitions."""

    def __init__(
        self,
        partitions: Sequence[Partition],
        search: Search,
        which: WhichRecords,
        layouts: tuple[Layouts | None, Layouts | None],
        bytes_as: str,
        starts: Starts,
        how: dict[str, Any],
    ) -> None:
        """``how`` are arguments of `search_chunks`."""
        self.partitions, self.encode = partitions, BYTES[bytes_as]
        self._search, self._which, self._starts, self._how = search, which, starts, how
        self._shown = {partition.topic: Shown(partition.topic, *layouts, bytes_as) for partition in partitions}
        sides = [side for side, layout in zip(SIDES, layouts, strict=True) if layout is not None]
        self.columns = (*_COLUMNS, *(f"{side}_{more}" for side in sides for more in ("raw", "error")))

    @property
    def is_alone(self) -> bool:
        """Whether there is one partition."""
        return len(self.partitions) == 1

    def parts(self) -> Iterator[Partition]:
        """The partitions; where each starts is reported first."""
        for partition in self.partitions:
            self._starts.say(partition, self._which.from_offset, self._which.to_offset)
            yield partition

    def batches(self, part: Partition, *, only_count: bool) -> Iterator[Chunk]:
        """Chunks of records."""
        wanted = self._which.wanted(part, ("offset",) if only_count else _READ)
        yield from search_chunks(part, self._search, wanted, **self._how)

    def rows(self, part: Partition, batch: Chunk) -> Iterator[Found]:
        """The records."""
        return found_records(batch, part)

    def head(self, part: Partition) -> dict[str, Any]:
        """Its topic and number."""
        return {"topic": part.topic, "partition": part.partition}

    def name(self, part: Partition) -> str:
        """Its path."""
        return str(part.path)

    def line(self, part: Partition, row: Found) -> str:
        """The record as dump prints it, without what its batch says."""
        shown = self._shown[row.topic]
        keys = ",".join(java_text(key.encode("utf-8", "surrogateescape")) for key, _ in row.headers)
        text = "" if self.is_alone else f"{self.name(part)}: "
        text += f"offset: {row.offset} {TIMESTAMP_TYPE_LABELS[row.timestamp_type]}: {row.timestamp}"
        text += f" keySize: {size_of(row.key)} valueSize: {size_of(row.value)} headerKeys: [{keys}]"
        if row.key is not None:
            text += f" key: {bytes_text('key', 'key', row.key, shown)}"
        if row.value is not None:
            text += f" payload: {bytes_text('value', 'payload', row.value, shown, row.key)}"
        return text

    def object(self, part: Partition, row: Found) -> dict[str, Any]:
        """The record's fields; keys and values as their layouts say."""
        shown = self._shown[row.topic]
        fields = asdict(row) | {"timestamp_type": _TIMESTAMP_TYPES.get(row.timestamp_type)}
        del fields["headers"]
        headers = [{"key": key, "value": value} for key, value in row.headers]
        return fields | shown.fields("key", row.key) | shown.fields("value", row.value, row.key) | {"headers": headers}


class MatchingRows:
    """The matching rows of files; text and bytes at any depth are searched.

    Raises UsageError if there is neither text nor bytes in the columns.
    """

    columns: tuple[str, ...] = ()

    def __init__(self, source: FileRows, search: Search, bytes_as: str) -> None:
        fields = [field for field in source.schema if field.name not in (FILE, POSITION, INDEX)]
        self._searched = tuple(field.name for field in fields)
        if not any(is_searchable(field.type) for field in fields):
            raise UsageError(f"{source.plan.row} has neither text nor bytes to search in ({', '.join(self._searched)})")
        self.source, self.encode, self._search = source, BYTES[bytes_as], search
        self._places = (POSITION, INDEX)
        self._root = load_type(source.declaration).label

    @property
    def is_alone(self) -> bool:
        """Whether there is one file."""
        return len(self.source.files) == 1

    def parts(self) -> Iterator[FileRowPart]:
        """The files."""
        return self.source.parts()

    def batches(self, part: FileRowPart, *, only_count: bool) -> Iterator[RecordBatch]:
        """Rows with their places."""
        for batch in part.batches((*self._searched, *self._places)):
            matches = matching_rows(batch.select(self._searched), self._search)
            if matches.any():
                yield batch.filter(matches)

    def rows(self, part: FileRowPart, batch: RecordBatch) -> Iterator[dict[str, Any]]:
        """The rows as objects."""
        return iter(plain_rows(batch))

    def head(self, part: FileRowPart) -> dict[str, Any]:
        """The file."""
        return {"file": part.name}

    def name(self, part: FileRowPart) -> str:
        """The file, on one line."""
        return one_line(part.name)

    def line(self, part: FileRowPart, row: dict[str, Any]) -> str:
        """Where the row is, its path, and what it holds."""
        item = self.object(part, row)
        place = item["file"] if item["position"] is None else f"{item['file']}:{item['position']}"
        return f"{one_line(place)} {item['path']}: {json.dumps(item['row'])}"

    def object(self, part: FileRowPart, row: dict[str, Any]) -> dict[str, Any]:
        """The row, and where it is."""
        values = {name: row[name] for name in self._searched}
        index, path = row[INDEX], join_path(self._root, self.source.plan.row)
        return {
            "file": part.name,
            "position": row.get(POSITION),
            "path": f"{path}[{index}]" if index >= 0 else self._root,
            "row": plain_value(values, self.encode),
        }


def cells(item: dict[str, Any], encode: Callable[[bytes], str]) -> dict[str, Any]:
    """An object as a row of CSV: lists and objects as JSON."""
    row = plain(item, encode)
    return {name: json.dumps(value) if isinstance(value, list | dict) else value for name, value in row.items()}


__all__ = ["Matches", "MatchingRecords", "MatchingRows", "cells"]
