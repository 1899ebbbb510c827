"""The engine compared with two embedded stores that know nothing of Kafka: SQLite (WAL, from Python's standard
library) and LMDB, with the same records of 10 and 100 bytes under their offsets. CPU seconds of this process, in which
waiting for a disk does not count. Appends go to a disk, and each is synced (SQLite with `synchronous=FULL`, LMDB as it
is): of 132 records, which are a batch of 16 KB, and of one record. Point reads are at random offsets, in memory if the
machine has /dev/shm; each gives the record's key and value. The stores always append in a transaction. The engine does
so without one and with one, which costs it three records and a marker more. When it reads, it verifies the checksum of
the whole batch, and keeps no decoded batch; the stores verify nothing when they read. What it does not show: ranges,
which the engine reads batch by batch, and what the stores can do and a log cannot.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.compare import Case, table
from bench.engine import STEP
from kformat_engine import Log, LogConfig

lmdb: Any = None
"""The module; None without the extra `bench`."""
with suppress(ImportError):
    lmdb = importlib.import_module("lmdb")

RECORDS = 132
AT_ONCE = 10_000
VALUE = b"v" * 100
OFFSET_BYTES = 8
MAP_BYTES = 16 << 30
INSERT = "INSERT INTO records VALUES (?, ?, ?)"

__all__ = ["bench", "table"]

Rows = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Sizes:
    records: int
    reads: int
    appends: int


FULL = Sizes(9_000_000, 20_000, 2_000)
SMALL = Sizes(100_000, 1_000, 50)


def row(offset: int) -> tuple[bytes, bytes]:
    """Key and value of a record."""
    return b"key-%06d" % (offset % 1_000_000), VALUE


def open_sqlite(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS records (offset INTEGER PRIMARY KEY, key BLOB, value BLOB)")
    return connection


def open_lmdb(path: Path, *, is_synced: bool = True) -> Any:
    return lmdb.open(str(path), map_size=MAP_BYTES, sync=is_synced, metasync=is_synced)


class Appends:
    """Appends of one store each, to files that are new for each way and round; each commits and syncs every time."""

    def __init__(self, folder: Path, count: int, at_once: int) -> None:
        self.folder, self.count, self.at_once = folder, count, at_once

    def groups(self) -> Iterator[tuple[int, Rows]]:
        for first in range(0, self.count * self.at_once, self.at_once):
            yield first, [row(offset) for offset in range(first, first + self.at_once)]

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def by_kformat(self) -> int:
        with Log.open(self.folder / "records-0", LogConfig().with_sync("batch")) as log:
            for _, rows in self.groups():
                log.append(rows)
            return log.end_offset

    def by_transactions(self) -> int:
        count = 0
        with Log.open(self.folder / "records-0", LogConfig().with_sync("batch")) as log:
            for _, rows in self.groups():
                with log.transaction("bench") as transaction:
                    transaction.append(rows)
                count += len(rows)
            assert log.end_offset > count  # markers, too
        return count

    def by_sqlite(self) -> int:
        connection = open_sqlite(self.folder / "records.db")
        for first, rows in self.groups():
            connection.execute("BEGIN")
            connection.executemany(INSERT, [(first + number, *pair) for number, pair in enumerate(rows)])
            connection.execute("COMMIT")
        (count,) = connection.execute("SELECT count(*) FROM records").fetchone()
        connection.close()
        return int(count)

    def by_lmdb(self) -> int:
        with open_lmdb(self.folder / "records.lmdb") as environment:
            for first, rows in self.groups():
                with environment.begin(write=True) as transaction:
                    for number, (key, value) in enumerate(rows):
                        transaction.put((first + number).to_bytes(OFFSET_BYTES, "big"), key + value, append=True)
            return int(environment.stat()["entries"])


class Reads:
    """The same records in all stores, and reads of single ones."""

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        self.sizes = sizes
        self.offsets = [number * STEP % sizes.records for number in range(sizes.reads)]
        self.log = Log.open(folder / "records-0", LogConfig(segment_bytes=2**31 - 1))
        self.connection = open_sqlite(folder / "records.db")
        self.environment = None if lmdb is None else open_lmdb(folder / "records.lmdb", is_synced=False)
        for first in range(0, sizes.records, AT_ONCE):
            rows = [row(offset) for offset in range(first, min(first + AT_ONCE, sizes.records))]
            self.log.append(rows)
            self.connection.execute("BEGIN")
            self.connection.executemany(INSERT, [(first + number, *pair) for number, pair in enumerate(rows)])
            self.connection.execute("COMMIT")
            if self.environment is not None:
                with self.environment.begin(write=True) as transaction:
                    for number, (key, value) in enumerate(rows):
                        transaction.put((first + number).to_bytes(OFFSET_BYTES, "big"), key + value, append=True)

    def close(self) -> None:
        self.log.close()
        self.connection.close()
        if self.environment is not None:
            self.environment.close()

    def by_kformat(self) -> int:
        records = self.log.records
        found = (next(records(offset, offset + 1)) for offset in self.offsets)
        return sum(hash((record.key, record.value)) for record in found)

    def by_sqlite(self) -> int:
        execute = self.connection.execute
        query = "SELECT key, value FROM records WHERE offset = ?"
        return sum(hash(execute(query, (offset,)).fetchone()) for offset in self.offsets)

    def by_lmdb(self) -> int:
        assert self.environment is not None
        total, key_bytes = 0, len(row(0)[0])
        for offset in self.offsets:
            with self.environment.begin() as transaction:
                found = transaction.get(offset.to_bytes(OFFSET_BYTES, "big"))
            total += hash((found[:key_bytes], found[key_bytes:]))
        return total


def ways(work: Appends | Reads) -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {"kformat": work.by_kformat}
    if isinstance(work, Appends):
        found["kformat, a transaction each"] = work.by_transactions
    found["SQLite"] = work.by_sqlite
    return found if lmdb is None else {**found, "LMDB": work.by_lmdb}


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases; their files are removed at the end."""
    sizes = SMALL if is_small else FULL
    if lmdb is None:
        print("LMDB is not here: there is no module lmdb (extra `bench`)\n")
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with (
        tempfile.TemporaryDirectory(prefix="kformat-bench-") as on_disk,
        tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=memory) as in_memory,
    ):
        cases = []
        for count, at_once in ((sizes.appends, RECORDS), (sizes.appends, 1)):
            work = Appends(Path(on_disk) / str(at_once), count, at_once)
            name = f"append {at_once} record{'s' if at_once > 1 else ''} and sync"
            cases.append(_case(name, "appends", count, work, work.clear))
        reads = Reads(Path(in_memory), sizes)
        try:
            yield [*cases, _case("read a record by its offset", "records", sizes.reads, reads, None)]
        finally:
            reads.close()


def _case(name: str, unit: str, count: int, work: Appends | Reads, before: Callable[[], None] | None) -> Case:
    of_all = ways(work)
    record_bytes = sum(map(len, row(0)))
    each = work.at_once if isinstance(work, Appends) else 1
    clocks = dict.fromkeys(of_all, time.process_time)
    return Case(name, unit, count, count * each * record_bytes, of_all, clocks=clocks, before=before)
