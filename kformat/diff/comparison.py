"""The differences between two of Kafka's files, or two directories of them: by meaning, not by byte positions.

    logs             batches are aligned by their offsets, then records by theirs, then fields by path
    indexes          entries are aligned by offset or time
    snapshots        by producer; transaction indexes by producer and first offset
    text files       by entry or property
    anything else    byte by byte; only the first difference is reported
    directories      files by name; the segments of a partition are one log, wherever they begin and end

Rules:

* A contiguous stretch that exists on one side only is one difference, whatever its length.
* A length, count or checksum that differs because of another difference is not reported. Nor is a delta if base plus
  delta are the same.
* If a range of offsets is batched differently, records are compared, and one difference describes the batching.
* In a directory, files that end in `.deleted` are left out unless requested: a broker is about to remove them, and
  their records are not part of the log. If two files are named, these are compared.
* `.lock` is not read: only its existence matters.
* Preallocated zeros after the last batch or entry, in a file in use, are ignored.
* Damage is a difference, with its typed error, unless the other side has the same; readable parts are compared.

The comparison merges both sides: memory grows with a batch of each side, not with a log; indexes, snapshots and text
files are read whole.

The module is not named like its function, so that `kformat.diff` is the function, whatever was imported before.
"""

from __future__ import annotations

import fnmatch
import hashlib
import itertools
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from kformat.codec.constructs import construct_of
from kformat.codec.values import MISSING, Value
from kformat.columns.rows import one_after_the_other
from kformat.diff.decoded import DecodedRecords, decoded_records
from kformat.diff.fields import SIDES, Difference, OneSided, Told, compare_values, unequal
from kformat.diff.rows import UNDECLARED, Align, RowDifferences, Tell, has_key
from kformat.diff.whole import value_differences
from kformat.errors import ChecksumError, DataError, InvalidError, UsageError
from kformat.kafka.batch.batches import AnyBatch, is_room, read_batch
from kformat.kafka.batch.framing import MAX_LOG_BYTES, Walk, format_of_magic
from kformat.kafka.batch.records import Record
from kformat.kafka.columns.declared import SIDES as SIDES_OF_RECORDS
from kformat.kafka.columns.log_values import LOG_FORMATS
from kformat.kafka.files.file_kinds import describe_file, parse_file_name, parse_remote_file_name
from kformat.kafka.files.text_files import is_sidecar, objects, read_sidecar
from kformat.kafka.index.index_file import IndexFile, read_index
from kformat.kafka.log.file_trace import format_of
from kformat.storage.address import Followed, local_path
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat.storage.root_lock import LOCK_FILE

_CHUNK: Final = 1 << 16
_IN_BRACKETS: Final = re.compile(r"\[[^]]*\]")
_RECORD_FIELDS: Final = ("timestamp", "timestamp_type", "key", "value", "headers")


@dataclass
class Counts:
    """The number of equal and different items, and of items on one side alone."""

    equal: int = 0
    changed: int = 0
    only_in_a: int = 0
    only_in_b: int = 0

    @property
    def seen(self) -> int:
        """The number of all items."""
        return self.equal + self.changed + self.only_in_a + self.only_in_b

    def __str__(self) -> str:
        rest = ((self.changed, "differ"), (self.only_in_a, "only in the first"), (self.only_in_b, "only in the second"))
        return ", ".join([f"{self.equal} equal", *(f"{count} {words}" for count, words in rest if count)])


def diff(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    ignore: Iterable[str] = (),
    records: bool = False,
    format: Any = None,
    deleted: bool = False,
    limit: int = DEFAULT_INFLATE_LIMIT,
    trailing: Literal["error", "keep"] = "error",
    decode: bool = False,
    bytes_as: str = "base64",
    key: Iterable[str] = (),
    align: Align = "rows",
) -> Comparison:
    """Compare two files or two directories: an iterator of `Difference`, which counts what it has seen.

    Args:
        a, b: two files of one kind, two partition folders, or two roots.
        ignore: paths, or the last parts of paths, without what is in brackets (``partition_leader_epoch``,
            ``records.headers``): neither they nor what is below them is reported. A name with ``*``, ``?`` or a dot in
            it that a file's name fits leaves out that file.
        records: compare the logs' records alone: offset, timestamp, key, value, headers; not how they are batched and
            compressed, nor how they lie in segments; and no other files.
        format: what two files are, as for `kformat.parse`, where their names do not say it.
        deleted: compare the files in directories that end in `.deleted`, too.
        limit: the most bytes that one batch or snapshot may take, stored or inflated.
        trailing: as for `kformat.parse`, of a ``format``. With ``keep``, bytes that nothing declares are no damage.
            Those of two sound files are compared in any case.
        decode: compare the records of Kafka's own topics, by the names of their folders, as what they are. Control
            records, and what does not parse, stay bytes; `Comparison.refused` counts the latter.
        bytes_as: how bytes in decoded keys and values are written, as for `kformat.to_json`.
        key: of two files of a ``format`` with rows: the fields by which rows of both are the same, by their paths in a
            row; in any order, as long as there are no more than 4,096 others between the two.
        align: of such files without a ``key``: ``"rows"``: so that as many as possible of the next 32 are
            equal; ``"index"``: by their numbers.

    Raises:
        OSError: one of the two cannot be read. Files and folders in them that cannot be read are in
            `Comparison.unread`, and the others are compared.
        UsageError: a file and a directory, or files of two kinds.
    """
    how = (records, format, deleted, limit, trailing, bytes_as if decode else None)
    if align not in ("rows", "index"):
        raise UsageError(f"align is {align!r:.60}; 'rows' or 'index' is expected")
    keys = (key,) if isinstance(key, str) else tuple(key)
    if keys and format is None:
        raise UsageError("a key is for two files of a declared format, which has to be named")
    return Comparison(local_path(a), local_path(b), tuple(ignore), *how, keys, align)


class Comparison(Iterator[Difference]):
    """The result of `diff`: an iterator of the differences. Once it is exhausted, ``batches``, ``records`` and
    ``files`` have the numbers of what was compared; ``files`` counts files other than logs, and all files and folders
    on one side alone. ``unread``: why files and folders in two directories could not be read, or not to their ends.
    ``refused``: of the keys and values that differ, how many were decoded, and how many do not parse: by side, layout,
    and whether they were parsed."""

    def __init__(
        self,
        a: Path,
        b: Path,
        ignore: tuple[str, ...],
        records: bool,
        format: Any,
        deleted: bool,
        limit: int,
        trailing: Literal["error", "keep"],
        decoded_bytes_as: str | None,
        key: tuple[str, ...],
        align: Align,
    ) -> None:
        self._key, self._align, self._between = key, align, f"{a} and {b}"
        self.batches, self.records, self.files = Counts(), Counts(), Counts()
        self.unread: list[OSError] = []
        self.refused = Counter[tuple[str, str, bool]]()
        self._decoded_bytes_as = decoded_bytes_as
        self._followed = Followed()
        self._ignored = [tuple(name.split(".")) for name in ignore]
        self._file_patterns = [name for name in ignore if any(mark in name for mark in "*?.")]
        self._records_only, self._format, self._limit, self._trailing = records, format, limit, trailing
        if not deleted:
            self._file_patterns.append("*.deleted")
        kinds = [path.is_dir() if path.exists() else bool(os.stat(path)) for path in (a, b)]
        if kinds[0] != kinds[1]:
            raise UsageError(f"{a} and {b}: a file and a directory")
        self._found = _joined(self._directories(a, b, "") if kinds[0] else self._files(a, b))

    def __repr__(self) -> str:
        return f"<Comparison of {self._between}: iterate over its differences>"

    def __next__(self) -> Difference:
        return next(self._found)

    def _is_ignored(self, path: str) -> bool:
        parts = tuple(_IN_BRACKETS.sub("", path.removesuffix(UNDECLARED)).split("."))
        return any(parts[start : start + len(name)] == name for name in self._ignored for start in range(len(parts)))

    def _changed(self, file: str, path: str, a: Any, b: Any) -> Iterator[Difference]:
        if not self._is_ignored(path):
            yield Difference("changed", file, path, a, b, unequal(a, b))

    def _told(self, found: Iterable[Told], file: str) -> Iterator[Difference]:
        for entry in found:
            yield from self._one_sided(entry, file) if isinstance(entry, OneSided) else self._changed(file, *entry)

    def _one_sided(self, elements: OneSided, file: str) -> Iterator[Difference]:
        if not self._is_ignored(elements.path):
            yield elements.difference(file)

    # Files and directories

    def _files(self, a: Path, b: Path) -> Iterator[Difference]:
        kinds = [self._kind(path.name) for path in (a, b)]
        if self._format is None and kinds[0] != kinds[1]:
            raise UsageError(f"{a} and {b}: {kinds[0]} and {kinds[1]}")
        yield from self._pair(self._format or kinds[0], a, b, "")

    def _kind(self, name: str) -> str:
        return format_of(name) or ("text" if is_sidecar(name) else "unknown")

    def _pair(self, kind: Any, a: Path, b: Path, file: str) -> Iterator[Difference]:
        """The differences of two files of one kind."""
        if kind in LOG_FORMATS:
            yield from self._logs((a, b), [(file, a)], [(file, b)])
            return
        if self._records_only:
            return
        differs = False
        for difference in self._others(kind, a, b, file):
            differs = True
            yield difference
        self.files.changed += differs
        self.files.equal += not differs

    def _others(self, kind: Any, a: Path, b: Path, file: str) -> Iterator[Difference]:
        with ByteSource(a) as first, ByteSource(b) as second:
            differ = _first_difference(first, second)
            if differ is None:
                return
            if kind in ("offset_index", "time_index"):
                yield from self._indexes(kind, a, b, file)
            elif kind == "text":
                yield from self._texts(a, b, file)
            elif kind == "unknown":
                message = f"{first.size} and {second.size} bytes, which differ from position {differ} on"
                yield Difference("changed", file, "", None, None, message)
            else:
                yield from self._values(kind, first, second, file)

    def _directories(
        self, a: Path, b: Path, below: str, above: tuple[tuple[str, str], ...] = ()
    ) -> Iterator[Difference]:
        """The differences of two directories; ``above``: the real paths of their parents, to detect circular links."""
        real = os.path.realpath(a), os.path.realpath(b)
        if real in above or (above and not self._followed.is_entered(a)):
            return
        entries = [{entry.name: entry.is_dir() for entry in os.scandir(path)} for path in (a, b)]
        names = sorted(
            name for name in {*entries[0], *entries[1]}
            if not any(fnmatch.fnmatchcase(name, pattern) for pattern in self._file_patterns)
        )  # fmt: skip
        logs: list[list[tuple[str, Path]]] = [[], []]
        for name in names:
            file = os.path.join(below, name)
            is_folder = [side_entries.get(name) for side_entries in entries]
            parsed = parse_file_name(name) or parse_remote_file_name(name)
            state = parsed.state if parsed is not None and parsed.kind == "log" and True not in is_folder else None
            is_log = state == ""
            for side, path in enumerate((a, b)):
                if is_log and name in entries[side]:
                    logs[side].append((file, path / name))
                is_reported = is_folder[1 - side] or not self._records_only or state == "deleted"
                if name not in entries[side] and is_reported:
                    yield self._missing(1 - side, file)
            if None in is_folder or is_log:
                continue
            if is_folder[0] != is_folder[1]:
                yield Difference("changed", file, "", None, None, "a directory on one side, a file on the other")
            elif is_folder[0]:
                yield from self._readable(self._directories(a / name, b / name, file, (*above, real)))
            elif name == LOCK_FILE:
                self.files.equal += not self._records_only
            else:
                yield from self._readable(self._pair(self._kind(name), a / name, b / name, file))
        if any(logs):
            yield from self._readable(self._logs((a, b), *logs))

    def _readable(self, differences: Iterator[Difference]) -> Iterator[Difference]:
        """The differences up to the first OSError, which goes to ``unread``."""
        try:
            yield from differences
        except OSError as error:
            self.unread.append(error)

    def _missing(self, side: int, file: str) -> Difference:
        kind, where = ("only_in_a", "first") if side == 0 else ("only_in_b", "second")
        setattr(self.files, kind, getattr(self.files, kind) + 1)
        return Difference(kind, file, "", None, None, f"only in the {where}")

    # Logs

    def _logs(self, places: tuple[Path, Path], *segments: list[tuple[str, Path]]) -> Iterator[Difference]:
        """The differences of the logs in two folders, or of two files; ``segments`` are those of each."""
        decoded = decoded_records(*places, self._decoded_bytes_as)
        a, b = (_BatchesOfSide(files, self._limit, decoded) for files in segments)
        try:
            yield from self._records_of(a, b, None) if self._records_only else self._batches(a, b)
        finally:
            a.close()
            b.close()
            self.refused.update(decoded.counts)

    def _batches(self, a: _BatchesOfSide, b: _BatchesOfSide) -> Iterator[Difference]:
        while (x := a.peek(), y := b.peek()) != (None, None):
            if isinstance(x, _Damage) or isinstance(y, _Damage):
                yield from self._damage(a, b)
            elif y is None or (x is not None and x.last < y.first):
                assert x is not None
                yield self._alone(0, x)
                a.next()
            elif x is None or y.last < x.first:
                yield self._alone(1, y)
                b.next()
            elif _is_one_batch(x, y):
                yield from self._batch(x, y, a.decoded)
                a.next()
                b.next()
            else:
                yield from self._records_of(a, b, max(x.last, y.last))

    def _damage(self, a: _BatchesOfSide, b: _BatchesOfSide) -> Iterator[Difference]:
        x, y = a.peek(), b.peek()
        same = isinstance(x, _Damage) and isinstance(y, _Damage) and x.digest == y.digest
        for side, item in ((0, x), (1, y)):
            if isinstance(item, _Damage):
                if not same:
                    yield _damaged(side, item.error, item.file)
                (a, b)[side].next()

    def _alone(self, side: int, item: _Item) -> Difference:
        kind, where = ("only_in_a", "first") if side == 0 else ("only_in_b", "second")
        try:
            count = item.batch.records_count
        except DataError:
            count = 0
        run = _LikeBatches(where, item.first, item.last, 1, max(count, 0), begin=self.batches.seen)
        for counts, more in ((self.batches, 1), (self.records, max(count, 0))):
            setattr(counts, kind, getattr(counts, kind) + more)
        run.end = self.batches.seen
        return _Alone(kind, item.file, f"record_batch[base_offset={item.first}]", None, None, run.words(), run=run)

    def _batch(self, x: _Item, y: _Item, decoded: DecodedRecords) -> Iterator[Difference]:
        """The differences of two batches with the same offsets."""
        if x.batch.raw == y.batch.raw:
            self.batches.equal += 1
            self.records.equal += _count(x)
            return
        values, damage = [], False
        for side, item in ((0, x), (1, y)):
            value, errors = _parsed(item)
            values.append(value)
            for error in errors:
                damage = True
                yield _damaged(side, error, item.file)
        key = f"base_offset={x.first}" if x.format == "record_batch" else f"offset={x.last}"
        path = f"{x.format}[{key}]"
        how: dict[str, Any] = {"partial": damage, "ignored": self._is_ignored}
        if not (x.batch.is_control or y.batch.is_control):
            how["decoded"] = decoded.differences
        differences = compare_values(path, *values, **how)
        is_reported = False
        for entry in differences.told:
            if isinstance(entry, OneSided):
                if not self._is_ignored(entry.path):
                    is_reported = True
                    yield entry.difference(x.file)
            else:
                for difference in self._changed(x.file, *entry):
                    is_reported = True
                    yield difference
        if x.format == "legacy_message" and not x.batch.compression and not y.batch.compression:
            # a message by itself
            differences.changed, differences.equal = int(bool(differences.told)), int(not differences.told)
        self.records.equal += differences.equal
        self.records.changed += differences.changed
        self.records.only_in_a += differences.only_in_a
        self.records.only_in_b += differences.only_in_b
        if not differences.told and not damage:
            is_reported = True
            message = f"the same values in other bytes ({x.batch.size} and {y.batch.size})"
            yield Difference("encoding", x.file, path, None, None, message)
        self.batches.changed += is_reported or damage
        self.batches.equal += not is_reported and not damage

    def _records_of(self, a: _BatchesOfSide, b: _BatchesOfSide, end: int | None) -> Iterator[Difference]:
        """The differences of records up to the offset ``end`` (None: all), and of records in the same batches."""
        merged = [_SideRecords(side, number, end) for number, side in enumerate((a, b))]
        pending: list[Difference] = []
        differing = self.records.changed + self.records.only_in_a + self.records.only_in_b
        compared = self.records.equal
        only: OneSided | None = None
        only_file = ""
        while True:
            x, y = merged[0].peek(merged[1], pending), merged[1].peek(merged[0], pending)
            yield from pending
            pending.clear()
            if x is not None and y is not None and x.offset == y.offset:
                side = None
            elif x is not None or y is not None:
                side = 0 if y is None or (x is not None and x.offset < y.offset) else 1
            else:
                break
            if only is not None and side != only.side:
                yield from self._one_sided(only, only_file)
                only = None
            if side is None:
                assert x is not None and y is not None
                is_control = merged[0].is_control or merged[1].is_control
                yield from self._record(x, y, merged[0].file, None if is_control else a.decoded)
                merged[0].take()
                merged[1].take()
                continue
            record = x if side == 0 else y
            assert record is not None
            kind = SIDES[side]
            setattr(self.records, f"only_in_{kind}", getattr(self.records, f"only_in_{kind}") + 1)
            if only is None:
                only, only_file = OneSided(side, "records", "offset", [record.offset]), merged[side].file
            else:
                only.and_also(record.offset)
            merged[side].take()
        if only is not None:
            yield from self._one_sided(only, only_file)
        self.records.equal += merged[0].equal + merged[1].equal
        if end is None:
            return
        equal = self.records.changed + self.records.only_in_a + self.records.only_in_b == differing
        begin = self.batches.seen
        self.batches.changed += max(side_records.batches for side_records in merged)
        offsets = [
            min(side_records.first for side_records in merged if side_records.first is not None),
            max(side_records.last for side_records in merged),
        ]
        run = _LikeBatches(
            "", offsets[0], offsets[1], merged[0].batches, self.records.equal - compared, merged[1].batches
        )
        run.equal, run.codecs = equal, (merged[0].codecs, merged[1].codecs)
        run.begin, run.end = begin, self.batches.seen
        path = f"record_batch[base_offset={offsets[0]}]"
        yield _Alone("batching", merged[0].first_file or merged[1].first_file, path, None, None, run.words(), run=run)

    def _record(self, x: Record, y: Record, file: str, decoded: DecodedRecords | None) -> Iterator[Difference]:
        path, same = f"records[offset={x.offset}]", True
        for name in _RECORD_FIELDS:
            first, second = getattr(x, name), getattr(y, name)
            if first == second:
                continue
            here = f"{path}.{name}"
            found = self._headers(here, first, second, file) if name == "headers" else None
            if decoded is not None and name in SIDES_OF_RECORDS:
                told = decoded.differences(here, name, x, y)
                found = None if told is None else self._told(told, file)
            for difference in found or self._changed(file, here, first, second):
                same = False
                yield difference
        self.records.equal += same
        self.records.changed += not same

    def _headers(self, path: str, a: Any, b: Any, file: str) -> Iterator[Difference]:
        for number, (x, y) in enumerate(itertools.zip_longest(a, b)):
            if x == y:
                continue
            for index, name in enumerate(("key", "value")):
                first, second = (None if header is None else header[index] for header in (x, y))
                if first != second or ((x is None or y is None) and name == "key"):
                    yield from self._changed(file, f"{path}[{number}].{name}", first, second)

    # Other files

    def _indexes(self, kind: str, a: Path, b: Path, file: str) -> Iterator[Difference]:
        indexes: list[IndexFile | None] = []
        for side, path in enumerate((a, b)):
            try:
                indexes.append(read_index(path, kind))
            except DataError as error:
                indexes.append(None)
                yield _damaged(side, error, file)
        x, y = indexes
        if x is None or y is None:
            return
        if (x.unsound_bytes, x.odd_bytes) != (y.unsound_bytes, y.odd_bytes):
            for side, index in ((0, x), (1, y)):
                if index.unsound_bytes or index.odd_bytes:
                    yield _damaged(side, _no_entries(kind, index), file)
        names = x.entries.dtype.names or ()
        key, other = names[0], names[1]
        yield from self._keyed(f"{kind}.entries", key, other, x.entries.tolist(), y.entries.tolist(), file)

    def _keyed(self, path: str, key: str, other: str, a: list[Any], b: list[Any], file: str) -> Iterator[Difference]:
        """The differences of two sorted lists of (key, value), merged."""
        only: OneSided | None = None
        i = j = 0
        while i < len(a) or j < len(b):
            if i < len(a) and j < len(b) and a[i][0] == b[j][0]:
                side = None
            else:
                side = 0 if j == len(b) or (i < len(a) and a[i][0] < b[j][0]) else 1
            if only is not None and only.side != side:
                yield from self._one_sided(only, file)
                only = None
            if side is None:
                if a[i][1] != b[j][1]:
                    yield from self._changed(file, f"{path}[{key}={a[i][0]}].{other}", a[i][1], b[j][1])
                i, j = i + 1, j + 1
                continue
            key_value = a[i][0] if side == 0 else b[j][0]
            only = OneSided(side, path, key, [key_value]) if only is None else only.and_also(key_value)
            i, j = i + (side == 0), j + (side == 1)
        if only is not None:
            yield from self._one_sided(only, file)

    def _texts(self, a: Path, b: Path, file: str) -> Iterator[Difference]:
        texts: list[list[dict[str, Any]] | None] = []
        for side, path in enumerate((a, b)):
            try:
                texts.append(list(objects(path.name, read_sidecar(path))))
            except DataError as error:
                texts.append(None)
                yield _damaged(side, error, file)
        first, second = texts
        if first is None or second is None:
            return
        kind = describe_file(a.name)[0]
        if kind.endswith("checkpoint"):
            yield from self._entries(kind, first, second, file)
            return
        differs = False
        flat = [dict(_flat(kind, entries[0])) for entries in (first, second)]
        for name in flat[0] | flat[1]:
            x, y = flat[0].get(name), flat[1].get(name)
            if x != y:
                differs = True
                yield from self._changed(file, name, x, y)
        if not differs:
            yield Difference("encoding", file, kind, None, None, "the same values in other bytes")

    def _entries(self, kind: str, a: list[dict[str, Any]], b: list[dict[str, Any]], file: str) -> Iterator[Difference]:
        names = [name for item in [*a, *b][:1] for name in item if name != "kind"] or [""]
        keys, last = names[:-1], names[-1]
        x, y = ({tuple(item[name] for name in keys): item[last] for item in entries} for entries in (a, b))
        differs = False
        for key in sorted({*x, *y}):
            path = f"{kind}[{', '.join(f'{name}={part}' for name, part in zip(keys, key, strict=True))}]"
            if self._is_ignored(f"{path}.{last}") or x.get(key, MISSING) == y.get(key, MISSING):
                continue
            differs = True
            if key in x and key in y:
                yield from self._changed(file, f"{path}.{last}", x[key], y[key])
            else:
                side = 0 if key in x else 1
                where = ("first", "second")[side]
                value = (x, y)[side][key]
                yield Difference(
                    f"only_in_{SIDES[side]}", file, path, x.get(key), y.get(key), f"only in the {where}: {value}"
                )
        if not differs and x == y:
            yield Difference("encoding", file, kind, None, None, "the same entries in other bytes")

    def _values(self, format: Any, a: ByteSource, b: ByteSource, file: str) -> Iterator[Difference]:
        """The differences of two files that are one value each."""
        ignored, one_sided = self._is_ignored, partial(self._one_sided, file=file)
        tell = Tell(partial(self._changed, file), one_sided, partial(_damaged, file=file), ignored)
        how: dict[str, Any] = {"limit": self._limit, "trailing": self._trailing, "key": self._key}
        rows = one_after_the_other(construct_of(format).program)
        if rows is not None and (self._key or not has_key(rows)):
            found: Iterable[Difference] = RowDifferences((a, b), rows, tell, **how, align=self._align)
        else:
            found = value_differences(format, (a, b), tell, **how)
        yield from (replace(difference, file=file) for difference in found)


# --- batches of one side -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Item:
    """A batch and the offsets it covers."""

    batch: AnyBatch
    first: int
    last: int
    file: str

    @property
    def format(self) -> str:
        return format_of_magic(self.batch.magic)


@dataclass(slots=True)
class _Damage:
    """Bytes that are no batch, with their ``digest``."""

    error: DataError
    digest: bytes
    file: str


class _BatchesOfSide:
    """The batches of one side's segments, one after the other."""

    def __init__(self, files: list[tuple[str, Path]], limit: int, decoded: DecodedRecords) -> None:
        self._items, self._limit, self.decoded = self._read(files), limit, decoded
        self._head: _Item | _Damage | None = None
        self._is_read = False

    def peek(self) -> _Item | _Damage | None:
        if not self._is_read:
            self._head, self._is_read = next(self._items, None), True
        return self._head

    def next(self) -> None:
        self._is_read = False

    def close(self) -> None:
        self._items.close()

    def _read(self, files: list[tuple[str, Path]]) -> Any:
        for file, path in files:
            with ByteSource(path) as source:
                walk = Walk(source)
                for frame in walk:
                    try:
                        batch = read_batch(source, frame, self._limit)
                    except DataError as error:
                        end = frame.position + frame.size
                        yield _Damage(error, _digest(source, frame.position, end), file)
                        continue
                    try:
                        first = batch.base_offset
                    except DataError:  # of a wrapper: its records report it
                        first = batch.last_offset
                    yield _Item(batch, min(first, batch.last_offset), batch.last_offset, file)
                if walk.problem is not None and not is_room(source, walk.position):
                    yield _Damage(walk.problem, _digest(source, walk.position, walk.end), file)


class _SideRecords:
    """The records of one side up to an offset, which grows to the ends of started batches; None: without limit."""

    def __init__(self, side: _BatchesOfSide, number: int, end: int | None) -> None:
        self.side, self.number, self.end = side, number, end
        self.records: Iterator[Record] | None = None
        self.head: Record | None = None
        self.file, self.batches, self.first, self.last = "", 0, None, -1
        self.first_file = ""
        self.codecs: list[str] = []
        self.is_control = False
        """Whether the next record is of a control batch."""

    first: int | None
    equal = 0
    """Records in equal batches, which were skipped on both sides."""

    @property
    def is_between(self) -> bool:
        """Whether the position is between batches."""
        return self.records is None and self.head is None

    def peek(self, other: _SideRecords, damage: list[Difference]) -> Record | None:
        """The next record, None if there is none for now; damage is appended to ``damage``."""
        while self.head is None:
            if self.records is not None:
                try:
                    self.head = next(self.records, None)
                except DataError as error:
                    damage.append(_damaged(self.number, error, self.file))
                if self.head is None:
                    self.records = None
                continue
            item = self.side.peek()
            if item is None or (isinstance(item, _Damage) and self.end is not None):
                return None
            if isinstance(item, _Damage):
                same = other.side.peek() if other.is_between else None
                if isinstance(same, _Damage) and same.digest == item.digest:
                    other.side.next()
                else:
                    damage.append(_damaged(self.number, item.error, item.file))
                self.side.next()
                continue
            if self.end is None and other.is_between and isinstance(theirs := other.side.peek(), _Item):
                if theirs.batch.raw == item.batch.raw:  # all content is equal, including damage
                    self.equal += _count(item)
                    self.side.next()
                    other.side.next()
                    continue
            if self.end is not None and self.batches and item.first > self.end:
                return None
            if self.end is not None:
                self.end = other.end = max(self.end, item.last, other.end or 0)
            self.first = item.first if self.first is None else min(self.first, item.first)
            self.last, self.file = max(self.last, item.last), item.file
            self.first_file = self.first_file or item.file
            self.batches += 1
            if item.batch.compression_name not in self.codecs:
                self.codecs.append(item.batch.compression_name)
            self.records, self.is_control = item.batch.records(), bool(item.batch.is_control)
            self.side.next()
        return self.head

    def take(self) -> None:
        self.head = None


@dataclass
class _LikeBatches:
    """Consecutive batches with the same difference."""

    where: str
    first: int
    last: int
    batches: int
    records: int
    theirs: int = 0
    equal: bool = True
    codecs: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    begin: int = 0
    """The number of batches seen before these; ``end``: including these."""
    end: int = 0

    def words(self) -> str:
        offsets = f"offsets {self.first} to {self.last}"
        if self.where:
            batches = f"{self.batches} batches, " if self.batches > 1 else ""
            return f"only in the {self.where}: {batches}{offsets}, {self.records} records"
        same = f"{self.records} records equal" if self.equal else "records differ"
        mine, other = (
            f"{count} batch{'es' * (count != 1)} ({', '.join(codecs)})"
            for count, codecs in zip((self.batches, self.theirs), self.codecs, strict=True)
        )
        return f"{offsets}: {same}, batches differ: {mine} != {other}"


@dataclass(frozen=True, slots=True)
class _Alone(Difference):
    """A difference that may be joined with the next one."""

    run: _LikeBatches = field(default_factory=lambda: _LikeBatches("", 0, 0, 0, 0))


def _joined(differences: Iterator[Difference]) -> Iterator[Difference]:
    """The differences; equal ones of consecutive batches are joined into one."""
    held: _Alone | None = None
    for difference in differences:
        if isinstance(difference, _Alone) and held is not None and _go_together(held, difference):
            run = held.run
            run.last, run.batches, run.records = (
                difference.run.last,
                run.batches + difference.run.batches,
                run.records + difference.run.records,
            )
            run.theirs, run.end = run.theirs + difference.run.theirs, difference.run.end
            for mine, more in zip(run.codecs, difference.run.codecs, strict=True):
                mine.extend(name for name in more if name not in mine)
            continue
        if held is not None:
            yield _closed(held)
            held = None
        if isinstance(difference, _Alone):
            held = difference
        else:
            yield difference
    if held is not None:
        yield _closed(held)


def _go_together(held: _Alone, difference: _Alone) -> bool:
    if (held.kind, held.file, held.run.where, held.run.end) != (
        difference.kind,
        difference.file,
        difference.run.where,
        difference.run.begin,
    ):
        return False
    return bool(held.run.where) or (held.run.equal and difference.run.equal)


def _closed(held: _Alone) -> Difference:
    return Difference(held.kind, held.file, held.path, None, None, held.run.words())


# --- small things --------------------------------------------------------------------------------------------------


def _is_one_batch(x: _Item, y: _Item) -> bool:
    """Whether two batches are compared with each other: they have the same offsets, or, since a header may be damaged,
    the same first offset, size and number of records."""
    if x.format != y.format or x.first != y.first:
        return False
    return x.last == y.last or (
        x.format == "record_batch" and x.batch.size == y.batch.size and x.batch.records_count == y.batch.records_count
    )


def _parsed(item: _Item) -> tuple[Value | None, list[DataError]]:
    """The parsed batch, as far as it can be read, and its errors."""
    try:
        return item.batch.parse(), []
    except ChecksumError as error:
        checksum = error
    except DataError as error:
        return error.partial, [error]
    try:
        return item.batch.parse(checksums=False), [checksum]
    except DataError as error:
        return error.partial, [checksum, error]


def _no_entries(kind: str, index: IndexFile) -> InvalidError:
    position = index.entries.nbytes
    path = f"{kind}.entries[{index.entry_count}]"
    found = f"{index.unsound_bytes + index.odd_bytes} bytes"
    message = "what follows the entries is none"
    return InvalidError(message, source=str(index.path), position=position, path=path, found=found)


def _damaged(side: int, error: DataError, file: str) -> Difference:
    where = ("first", "second")[side]
    message = f"damage in the {where}: {type(error).__name__}: {error}"
    return Difference(f"damaged_{SIDES[side]}", file, error.path, None, None, message, error)


def _count(item: _Item) -> int:
    try:
        return max(item.batch.records_count, 0)
    except DataError:
        return 0


def _flat(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            if name != "kind":
                yield from _flat(f"{path}.{name}", item)
    else:
        yield path, value


def _digest(source: ByteSource, start: int, end: int) -> bytes:
    """A digest of damaged bytes: of their number, and of the bytes up to the largest size of a log."""
    digest = hashlib.blake2b(str(end - start).encode(), digest_size=16)
    for data in _chunks(source, start, min(end, MAX_LOG_BYTES)):
        digest.update(data)
    return digest.digest()


def _chunks(source: ByteSource, start: int, end: int) -> Iterator[bytes]:
    while start < end and (data := source.read_at(start, min(_CHUNK, end - start))):
        yield data
        start += len(data)


def _first_difference(a: ByteSource, b: ByteSource) -> int | None:
    """The first position where two sources differ; None if they are equal."""
    position = 0
    while True:
        x, y = a.read_at(position, _CHUNK), b.read_at(position, _CHUNK)
        if x != y:
            pairs = enumerate(zip(x, y, strict=False))
            return position + next((number for number, (p, q) in pairs if p != q), min(len(x), len(y)))
        if not x:
            return None
        position += len(x)


__all__ = ["Comparison", "Counts", "Difference", "diff"]
