"""Import the rows of an SQLite table into a log, each row once, also if the import was killed and is repeated.

Rules:

* The database is opened read-only, and one SELECT reads the table: all rows are of one moment. In WAL mode its writers
  go on meanwhile; in the other modes they wait until the import ends.
* Rows are in the order of their rowid, which is that of insertion unless a program chose the rowids; those of a table
  WITHOUT ROWID in the order of the primary key. They are numbered from 0.
* A row's number is the sequence number of its record, of a named producer (`kformat_engine.producer`). The producer's
  last batch in the log says how many rows are there, even if the log has forgotten the producer because the rows are
  old. A repeated import goes on after them.
* Before that, the last of these rows whose record is left (compaction removes records, and retention) is built again
  and has to equal it. So rows that have other numbers now, other columns, and a table of the same name in another
  database are refused. Changes of earlier rows that leave the numbers are not noticed. A warning says that no record
  is left.
* Memory is bounded: a row whose columns have more bytes than any record may have is refused before one of them is read.
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
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from kformat.errors import InvalidError, KformatError, LimitError, UsageError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.records import Record, add_sequence
from kformat.kafka.columns.declared import JSON, built
from kformat.kafka.log.partition import open_partition
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat.times import milliseconds, parse_moment, time_text
from kformat_engine.log import Log
from kformat_engine.producer import Producer

UNITS: Final = {"s": 1_000_000, "ms": 1000, "us": 1}
"""The unit of a column of timestamps -> microseconds."""

_NAMES: Final = "SELECT name FROM sqlite_master WHERE type = ? ORDER BY name"

_SEEMS_SECONDS: Final = range(1, 10**11)
"""Numbers that are times before 1973-03-03 in ms, and up to the year 5138 in s."""
HEAP_BYTES: Final = 1 << 30
"""What the command line lets SQLite take."""

_MOST_ROWS: Final = 5000
_MOST_BYTES: Final = 4 << 20
"""Of one append: what the import holds in memory, apart from a row that is larger by itself."""

_HEADER_BYTES: Final = 100
"""What a header takes in memory, apart from its name and value."""

_MOST_ROW_BYTES: Final = DEFAULT_INFLATE_LIMIT
"""Of the columns of one row; no record may have more, however well it is compressed."""

_NUMBER_BYTES: Final = 24
"""The digits of a number, at most."""

_MOST_TERMS: Final = 400
"""Of a sum in SQL; SQLite limits the depth of an expression to 1000."""

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

    def __init__(
        self, path: str | os.PathLike[str], name: str, *, timeout_s: float = 5.0, heap_bytes: int | None = None
    ) -> None:
        """Open it.

        Args:
            timeout_s: for how long to wait, seconds, while another program has the database locked.
            heap_bytes: what SQLite may take, in the whole process and until its end. Without it the expressions of
                generated columns, which the database chooses, are not bounded, only their values.

        Raises:
            UsageError: there is no such table, with the names of those that are there; the path is no regular file.
            InvalidError: it is no SQLite database, or a damaged one, or has names that are no UTF-8.
            LimitError: its schema asks for more memory than a row may take.
            OSError: it cannot be read, or is locked.
        """
        self.path = Path(path)
        try:
            is_regular = stat.S_ISREG(self.path.stat().st_mode)
        except ValueError:  # a NUL, or what no file system can encode
            raise UsageError(f"{str(self.path)!r} is not a path") from None
        if not is_regular:
            raise UsageError(f"{self.path}: an SQLite database is a regular file")
        with self._reading():
            address = f"{self.path.absolute().as_uri()}?mode=ro"
            self._connection = sqlite3.connect(address, timeout=timeout_s, uri=True, isolation_level=None)
        try:
            self._connection.text_factory = _text
            if heap_bytes is not None:
                self._rows(f"PRAGMA hard_heap_limit = {heap_bytes:d}")
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_ROW_BYTES)
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
                with self._reading():
                    try:
                        self._connection.execute(f"SELECT {rowid} FROM main.{self._quoted} LIMIT 0")
                        return f"{self._quoted}.{rowid}"
                    except sqlite3.OperationalError as error:
                        if "no such column" not in str(error):
                            raise
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
        """The rows from number ``first`` on: the values of some columns.

        Raises InvalidError and OSError as opening it; LimitError for a row of more than 128 MiB, with its number.
        """
        selected = list(map(self._column, columns))
        query = (
            f"SELECT {', '.join(selected)} FROM main.{self._quoted} WHERE length(zeroblob({_size(selected)})) >= 0 "
            f"ORDER BY {self._order} LIMIT ? OFFSET ?"  # SQLite makes no zeroblob that is larger than its limit
        )
        number = first
        with self._reading(), self._one_moment():
            try:
                found = self._connection.execute(query, (-1, first))
                while (row := next(found, None)) is not None:  # `yield from` would close a cursor of a closed database
                    yield row
                    number += 1
            except sqlite3.Error as error:
                last, reason = self._last_row(query, number, error)
                yield from last
                if _primary(reason) != sqlite3.SQLITE_TOOBIG:
                    raise reason from error
                text = f"row {number + len(last)} of {self.name} has more than {_MOST_ROW_BYTES} bytes"
                raise LimitError(text, source=str(self.path)) from error

    def _last_row(self, query: str, number: int, error: sqlite3.Error) -> tuple[list[tuple[Any, ...]], sqlite3.Error]:
        """The row with this number, if the error is that of the next one, for which Python drops it; and the error."""
        try:
            return self._connection.execute(query, (1, number)).fetchall(), error
        except sqlite3.Error as own:
            return [], own

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
        except MemoryError as error:
            raise LimitError("SQLite needs more memory than it may take", source=str(self.path)) from error
        except UnicodeError as error:  # a name in a query, or in SQLite's message about it
            raise InvalidError("SQLite cannot read it: a name in it is no UTF-8", source=str(self.path)) from error

    @contextmanager
    def _one_moment(self) -> Iterator[None]:
        """Let all SELECTs see the same rows."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):  # it may be closed
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the database; closing twice is no error."""
        self._connection.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _text(data: bytes) -> str:
    """Text of SQLite, which may be no UTF-8."""
    return data.decode("utf-8", "surrogateescape")


def _size(columns: Sequence[str]) -> str:
    """The bytes in some columns, in SQL that keeps one value at a time, and none of a zeroblob."""
    sizes = [
        f"CASE typeof({column}) WHEN 'blob' THEN length({column}) "
        f"WHEN 'text' THEN length(CAST({column} AS BLOB)) ELSE {_NUMBER_BYTES} END"
        for column in columns
    ]
    parts = [" + ".join(sizes[first : first + _MOST_TERMS]) for first in range(0, len(sizes), _MOST_TERMS)]
    return " + ".join(f"({part})" for part in parts)


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


def _primary(error: sqlite3.Error) -> int | None:
    """The result code of SQLite, if the error is SQLite's."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY


def _typed(error: sqlite3.Error, path: Path) -> KformatError | OSError:
    """The error of this library for one of SQLite's."""
    primary = _primary(error)
    if primary == sqlite3.SQLITE_NOTADB:
        return InvalidError("no SQLite database, or an encrypted one", source=str(path))
    if primary in _LOCKED:
        return OSError(errno.EBUSY, "another program has the SQLite database locked", str(path))
    if primary in _DISK:
        return OSError(errno.EIO, f"SQLite: {error}", str(path))
    kind = LimitError if primary == sqlite3.SQLITE_TOOBIG else InvalidError
    return kind(f"SQLite cannot read it: {error}", source=str(path))


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
    if isinstance(value, int):
        return value * UNITS[unit] // 1000
    if isinstance(value, bytes) or not math.isfinite(value * UNITS[unit]):
        raise UsageError("a timestamp is a number, or ISO 8601 text")
    return math.floor(value * UNITS[unit] / 1000)


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

    def records(self, first: int, then: int = 0) -> Iterator[dict[str, Any]]:
        """The record of a row, and those from ``then`` on; UsageError with the number of a row that has no time as its
        timestamp.
        """
        for number, row in enumerate(self.table.rows(self._selected, first), first):
            if first < number < then:
                continue
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
    row, left = _stored(log, producer)
    yield row
    if row == 0:
        records = rows.records(0)
    else:
        number, record = left or (row - 1, None)
        records = rows.records(number, row - 1)
        found = [next(records, None) for _ in {number, row - 1}]
        _check_is_stored(record, found, row - 1, rows, log.config.message_timestamp_type)
    for group, problem in _groups(records):
        if row + len(group) > MAX_INT32 + 1:
            raise UsageError(f"{table.path}: {table.name} has more than {MAX_INT32 + 1} rows")
        _append(producer, group, row, compression, table)
        row += len(group)
        yield row
        if problem is not None:
            raise problem


def _stored(log: Log, producer: Producer) -> tuple[int, tuple[int, Record] | None]:
    """How many rows the log has, and the last of their records that is left, with the number of its row."""
    count: int | None = None
    for segment in reversed(open_partition(log.path).segments):
        headers = segment.headers()
        for at in np.flatnonzero(headers.producer_id == producer.producer_id)[::-1]:
            batch = headers.take(np.array([at]))
            delta, last_offset = int(batch.last_offset_delta[0]), int(batch.last_offset[0])
            end = add_sequence(int(batch.base_sequence[0]), delta) + 1
            count = end if count is None else count
            if last_offset < log.start_offset:
                return count, None
            records = log.records(max(last_offset - delta, log.start_offset), last_offset + 1)
            for record in deque(records, maxlen=1):
                return count, (end - 1 - (last_offset - record.offset), record)
    return producer.last_sequence + 1 if count is None else count, None


def _check_is_stored(
    record: Record | None, found: list[dict[str, Any] | None], last: int, rows: TableRecords, timestamp_type: str
) -> None:
    """Raise UsageError if imported rows are not those of the table; warn if no record is left to compare.

    Args:
        record: the last that is left. found: its row, and the last that was imported where that is another one.
        last: the number of that.
    """
    table = rows.table
    name = f"row {last} of {table.name}, the last that was imported"
    if found[-1] is None or found[0] is None:
        what = f"{name}, is not there any more"
    elif record is None:
        warnings.warn(
            f"{table.path}: the log has no record of the {last + 1} rows imported before any more, so they were not "
            f"compared with those of {table.name}",
            stacklevel=3,
        )
        return
    elif _equals(record, found[0], timestamp_type):
        return
    elif len(found) == 1:
        what = f"{name}, differs from its record, at offset {record.offset}"
    else:
        what = f"{table.name} differs from the last record of the import that is left, at offset {record.offset}"
    raise UsageError(
        f"{table.path}: {what}: it was changed, or rows before it were inserted or deleted, or the columns are others, "
        "or it is another database. An import with another name begins with row 0"
    )


def _equals(record: Record, row: dict[str, Any], timestamp_type: str) -> bool:
    is_same = (record.key, record.value, list(record.headers)) == (row["key"], row["value"], row.get("headers", []))
    if timestamp_type != "CreateTime":
        return is_same
    return is_same and record.timestamp == row.get("timestamp", record.timestamp)


def _groups(records: Iterator[dict[str, Any]]) -> Iterator[tuple[list[dict[str, Any]], KformatError | OSError | None]]:
    """The records of one append each, and why the last group ends early."""
    group, size_bytes = list[dict[str, Any]](), 0
    problem: KformatError | OSError | None = None
    try:
        for record in records:
            group.append(record)
            size_bytes += len(record["value"] or b"") + len(record["key"] or b"")
            size_bytes += sum(
                _HEADER_BYTES + len(name) + len(value or b"") for name, value in record.get("headers", ())
            )
            if len(group) >= _MOST_ROWS or size_bytes >= _MOST_BYTES:
                yield group, None
                group, size_bytes = [], 0
    except (KformatError, OSError) as error:
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


__all__ = ["HEAP_BYTES", "UNITS", "RowColumns", "SqliteTable", "TableRecords", "import_rows"]
