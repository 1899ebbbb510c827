"""Import the rows of an SQLite table into a log, each row once, also if the import was killed and is repeated.

Rules:

* The database is opened read-only, and one SELECT reads the table: all rows are of one moment. In WAL mode its writers
  go on meanwhile; in the other modes they wait until the import ends.
* Rows are in the order of their rowid, which is that of insertion unless a program chose the rowids; those of a table
  WITHOUT ROWID in the order of the primary key. They are numbered from 0.
* A row's number is the sequence number of its record, of a named producer (`kformat_engine.producer`). The producer's
  last batch in the log says how many rows are there, even if the log has forgotten the producer because the rows are
  old. A repeated import goes on after them.
* Before that, the last of these rows is built again and has to equal its record. So rows that have other numbers now,
  and other columns, are refused. Changes of earlier rows that leave the numbers are not noticed.
* Names are found among those of the database, and quoted.
"""

from __future__ import annotations

import base64
import errno
import math
import os
import sqlite3
import stat
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from kformat.errors import InvalidError, KformatError, UsageError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.records import Record, add_sequence
from kformat.kafka.columns.declared import JSON, built
from kformat.kafka.log.partition import open_partition
from kformat.times import milliseconds, parse_moment, time_text
from kformat_engine.log import Log
from kformat_engine.producer import Producer

UNITS: Final = {"s": 1_000_000, "ms": 1000, "us": 1}
"""The unit of a column of timestamps -> microseconds."""

_NAMES: Final = "SELECT name FROM sqlite_master WHERE type = ? ORDER BY name"

_SEEMS_SECONDS: Final = range(1, 10**11)
"""Numbers that are times before 1973-03-03 in ms, and up to the year 5138 in s."""

_MOST_ROWS: Final = 5000
_MOST_BYTES: Final = 4 << 20
"""Of one append: what the import holds in memory, apart from a row that is larger by itself."""

_MOST_LISTED: Final = 20
"""Names that an error lists."""

_LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_DISK: Final = (
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_AUTH),
)
_PRIMARY: Final = 0xFF
"""The bits of an extended result code that are the primary one."""

_ROWIDS: Final = ("rowid", "_rowid_", "oid")
"""The names of the rowid; a column may have one of them."""


@dataclass(frozen=True)
class RowColumns:
    """The columns of which a row's record is made. NULL becomes null.

    Attributes:
        key, value: one column gives its bytes: those of a blob, UTF-8 of a text, the digits of a number. Several give
            an object in JSON. By default the key is the primary key, if there is one, and the value an object of all
            columns, in which blobs are base64.
        timestamp: a number since 1970 in ``timestamp_unit``, or ISO 8601 text (UTC unless it names a zone); by default,
            and where it is NULL, now.
        timestamp_unit: one of `UNITS`.
        headers: each has its column's name.
    """

    key: tuple[str, ...] = ()
    value: tuple[str, ...] = ()
    timestamp: str | None = None
    timestamp_unit: str = "ms"
    headers: tuple[str, ...] = ()


class SqliteTable(AbstractContextManager["SqliteTable"]):
    """A table of an SQLite database, open for reading.

    Attributes:
        path: the database. name: the table's, as it was created. columns: their names. primary_key: its columns.
    """

    def __init__(self, path: str | os.PathLike[str], name: str, *, timeout_s: float = 5.0) -> None:
        """Open it.

        Args:
            timeout_s: for how long to wait, seconds, while another program has the database locked.

        Raises:
            UsageError: there is no such table, with the names of those that are there; the path is no regular file.
            InvalidError: it is no SQLite database, or a damaged one.
            OSError: it cannot be read, or is locked.
        """
        self.path = Path(path)
        if not stat.S_ISREG(self.path.stat().st_mode):
            raise UsageError(f"{self.path}: an SQLite database is a regular file")
        with self._reading():
            address = f"{self.path.absolute().as_uri()}?mode=ro"
            self._connection = sqlite3.connect(address, timeout=timeout_s, uri=True, isolation_level=None)
        try:
            self._connection.text_factory = _text
            self.name = self._found(name)
            self._quoted = _quoted(self.name)
            columns = self._rows("SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1", self.name)
            self.columns = tuple(column for column, _ in columns)
            self.primary_key = tuple(column for number, column in sorted((pk, column) for column, pk in columns if pk))
            self._order = self._in_order()
        except BaseException:
            self._connection.close()
            raise

    def _found(self, name: str) -> str:
        tables, views = ([one for (one,) in self._rows(_NAMES, kind)] for kind in ("table", "view"))
        found = _meant(name, tables)
        if found is None:
            view = _meant(name, views)
            problem = f"no table {name!r}" if view is None else f"{view} is a view, and only tables are imported"
            raise UsageError(f"{self.path}: {problem}; {_listed(tables)}")
        return found

    def _in_order(self) -> str:
        """The ORDER BY of its rows."""
        for rowid in _ROWIDS:
            if _meant(rowid, self.columns) is None:
                try:
                    self._connection.execute(f"SELECT {rowid} FROM main.{self._quoted} LIMIT 0")
                    return f"{self._quoted}.{rowid}"
                except sqlite3.OperationalError as error:
                    if "no such column" not in str(error):
                        raise _typed(error, self.path) from error
        if not self.primary_key:
            raise UsageError(f"{self.path}: {self.name} has no order: no primary key, and columns hide its rowid")
        return ", ".join(map(self._column, self.primary_key))

    def _column(self, name: str) -> str:
        """A column in SQL."""
        return f"{self._quoted}.{_quoted(name)}"

    def column(self, name: str) -> str:
        """The name of a column, as it was declared; UsageError, with the names that there are."""
        found = _meant(name, self.columns)
        if found is None:
            raise UsageError(f"{self.path}: no column {name!r} in {self.name}; {_listed(self.columns)}")
        return found

    def rows_count(self) -> int:
        """The number of rows; SQLite counts them. Raises as `rows`."""
        ((count,),) = self._rows(f"SELECT count(*) FROM main.{self._quoted}")
        return int(count)

    def rows(self, columns: Sequence[str], first: int = 0) -> Iterator[tuple[Any, ...]]:
        """The rows from number ``first`` on: the values of some columns. InvalidError, OSError as opening it."""
        selected = ", ".join(map(self._column, columns))
        query = f"SELECT {selected} FROM main.{self._quoted} ORDER BY {self._order} LIMIT -1 OFFSET ?"
        with self._reading():
            found = self._connection.execute(query, (first,))
            while (row := next(found, None)) is not None:  # `yield from` would close a cursor of a closed database
                yield row

    def _rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with self._reading():
            return self._connection.execute(query, parameters).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn SQLite's errors into typed ones."""
        try:
            yield
        except sqlite3.Error as error:
            raise _typed(error, self.path) from error

    def close(self) -> None:
        """Close the database; closing twice is no error."""
        self._connection.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _text(data: bytes) -> str:
    """Text of SQLite, which may be no UTF-8."""
    return data.decode("utf-8", "surrogateescape")


def _quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _listed(names: Sequence[str]) -> str:
    """The names that there are, for an error."""
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"there are {', '.join(names[:_MOST_LISTED])}{more}" if names else "there is none in it"


def _meant(name: str, known: Sequence[str]) -> str | None:
    """A name among those that are known: SQLite does not distinguish A-Z from a-z; None if it is not there."""
    return next(
        (one for one in known if one == name), next((one for one in known if one.lower() == name.lower()), None)
    )


def _typed(error: sqlite3.Error, path: Path) -> KformatError | OSError:
    """The error of this library for one of SQLite's."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & _PRIMARY
    if primary == sqlite3.SQLITE_NOTADB:
        return InvalidError("no SQLite database, or an encrypted one", source=str(path))
    if primary in _LOCKED:
        return OSError(errno.EBUSY, "another program has the SQLite database locked", str(path))
    if primary in _DISK:
        return OSError(errno.EIO, f"SQLite: {error}", str(path))
    return InvalidError(f"SQLite cannot read it: {error}", source=str(path))


# Rows as records


def _as_bytes(value: Any) -> bytes | None:
    """The bytes of one column."""
    if isinstance(value, bytes) or value is None:
        return value
    return (value if isinstance(value, str) else _number(value)).encode("utf-8", "surrogateescape")


def _number(value: float) -> str:
    return str(value) if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def _in_json(value: Any) -> Any:
    """A value as kformat's JSON has it (docs/json.md)."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return _number(value) if isinstance(value, float) and not math.isfinite(value) else value


def _maker(columns: Sequence[str], is_object: bool) -> Callable[[tuple[Any, ...]], bytes | None]:
    """The function that makes a key or value of its columns."""
    if not columns:
        return lambda values: None
    if not is_object and len(columns) == 1:
        return lambda values: _as_bytes(values[0])
    return lambda values: built(JSON, dict(zip(columns, map(_in_json, values), strict=True)), "base64")


def _milliseconds(value: Any, unit: str) -> int:
    if isinstance(value, str):
        return milliseconds(parse_moment(value))
    if isinstance(value, bytes) or not math.isfinite(value):
        raise UsageError("a timestamp is a number, or ISO 8601 text")
    return math.floor(value * UNITS[unit] / 1000) if isinstance(value, float) else value * UNITS[unit] // 1000


class TableRecords:
    """The rows of a table as records.

    Attributes:
        remark: the first timestamp in ms that is almost certainly one in s, for people; None if there was none so far.
    """

    def __init__(self, table: SqliteTable, columns: RowColumns | None = None) -> None:
        """UsageError for a column that is not there."""
        columns = columns or RowColumns()
        self.remark: str | None = None
        self.table, self._unit = table, columns.timestamp_unit
        key = tuple(map(table.column, columns.key)) or table.primary_key
        value = tuple(map(table.column, columns.value))
        self._key, self._value = _maker(key, False), _maker(value or table.columns, not value)
        timestamps = () if columns.timestamp is None else (table.column(columns.timestamp),)
        self._headers = tuple(map(table.column, columns.headers))
        self._selected = (*key, *(value or table.columns), *timestamps, *self._headers)
        self._value_at = len(key)
        self._timestamp_at = len(self._selected) - len(self._headers) - len(timestamps)
        self._headers_at = self._timestamp_at + len(timestamps)

    def records(self, first: int) -> Iterator[dict[str, Any]]:
        """The records from a row on; UsageError with the number of a row that has no time as its timestamp."""
        for number, row in enumerate(self.table.rows(self._selected, first), first):
            record: dict[str, Any] = {
                "key": self._key(row[: self._value_at]),
                "value": self._value(row[self._value_at : self._timestamp_at]),
            }
            if self._timestamp_at < self._headers_at and row[self._timestamp_at] is not None:
                given = row[self._timestamp_at]
                if self.remark is None and self._unit == "ms" and isinstance(given, int) and given in _SEEMS_SECONDS:
                    self.remark = (
                        f"{self.table.path}: row {number} of {self.table.name}: {given} ms is {time_text(given)}; "
                        "for seconds give --timestamp-unit s"
                    )
                try:
                    record["timestamp"] = _milliseconds(given, self._unit)
                except UsageError as error:
                    raise UsageError(f"{self.table.path}: row {number} of {self.table.name}: {error}") from None
            if self._headers:
                values = map(_as_bytes, row[self._headers_at :])
                record["headers"] = list(zip(self._headers, values, strict=True))
            yield record


# The import


def import_rows(
    log: Log,
    rows: TableRecords,
    *,
    name: str | None = None,
    compression: str | None = None,
) -> Iterator[int]:
    """Append the rows of a table that are not in the log yet; yields how many are in it, first and after each append.

    Args:
        name: of the producer, and so of this import; by default the name of the file and that of the table.
        compression: as for `Log.append`.

    Raises:
        UsageError: a row that the log refuses, with its number: those before it were
            appended; the last imported row is another one now; more than 2^31 rows.
        InvalidError, OSError: as `SqliteTable`. What `Log.append` raises.
    """
    table = rows.table
    with _no_warnings():
        producer = log.producer(name or f"{table.path.name} {table.name}")
    row, last_offset = _stored(log, producer)
    yield row
    records = rows.records(row if last_offset is None else row - 1)
    if last_offset is not None:
        _check_is_stored(log, last_offset, next(records, None), row - 1, rows)
    for group, problem in _groups(records):
        if row + len(group) > MAX_INT32 + 1:
            raise UsageError(f"{table.path}: {table.name} has more than {MAX_INT32 + 1} rows")
        _append(producer, group, row, compression, table)
        row += len(group)
        yield row
        if problem is not None:
            raise problem


def _stored(log: Log, producer: Producer) -> tuple[int, int | None]:
    """How many rows the log has, and the offset of the last one's record; None if there is no such record."""
    for segment in reversed(open_partition(log.path).segments):
        headers = segment.headers()
        ours = np.flatnonzero(headers.producer_id == producer.producer_id)
        if len(ours):
            last = headers.take(ours[-1:])
            sequence = add_sequence(int(last.base_sequence[0]), int(last.last_offset_delta[0]))
            return sequence + 1, int(last.last_offset[0])
    return producer.last_sequence + 1, None


def _check_is_stored(log: Log, offset: int, row: dict[str, Any] | None, number: int, rows: TableRecords) -> None:
    """Raise UsageError if the last imported row is not the record at its offset (compaction may have removed that)."""
    record = next(log.records(offset, offset + 1), None)
    if record is None or (row is not None and _equals(record, row, log.config.message_timestamp_type)):
        return
    table = rows.table
    what = "is not there any more" if row is None else f"differs from its record, at offset {offset}"
    raise UsageError(
        f"{table.path}: row {number} of {table.name}, the last that was imported, {what}: it was changed, or rows "
        "before it were inserted or deleted, or the columns are others. An import with another name begins with row 0"
    )


def _equals(record: Record, row: dict[str, Any], timestamp_type: str) -> bool:
    is_same = (record.key, record.value, list(record.headers)) == (row["key"], row["value"], row.get("headers", []))
    if timestamp_type != "CreateTime":
        return is_same
    return is_same and record.timestamp == row.get("timestamp", record.timestamp)


def _groups(records: Iterator[dict[str, Any]]) -> Iterator[tuple[list[dict[str, Any]], UsageError | None]]:
    """The records of one append each, and why the last group ends early."""
    group, size_bytes = list[dict[str, Any]](), 0
    problem = None
    try:
        for record in records:
            group.append(record)
            size_bytes += len(record["value"] or b"") + len(record["key"] or b"")
            if len(group) >= _MOST_ROWS or size_bytes >= _MOST_BYTES:
                yield group, None
                group, size_bytes = [], 0
    except UsageError as error:
        problem = error
    if group or problem is not None:
        yield group, problem


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Suppress the warning that the log forgets producers of old records: the import does not need it to remember."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def _append(
    producer: Producer, group: list[dict[str, Any]], row: int, compression: str | None, table: SqliteTable
) -> None:
    """Append records; if the log refuses one, those before it, and UsageError with its number."""
    try:
        with _no_warnings():
            producer.append(group, sequence=row, compression=compression)
        return
    except UsageError as error:  # from one of them, and nothing was appended: find out which
        if len(group) == 1:
            raise UsageError(f"{table.path}: row {row} of {table.name}: {error}") from None
    middle = len(group) // 2
    _append(producer, group[:middle], row, compression, table)
    _append(producer, group[middle:], row + middle, compression, table)


__all__ = ["UNITS", "RowColumns", "SqliteTable", "TableRecords", "import_rows"]
