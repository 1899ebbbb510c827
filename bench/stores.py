"""The engine inside an application, compared with other ways to keep the same records: a plain file; SQLite (WAL), from
Python's standard library, and LMDB, which know nothing of Kafka; and krabka-log, a crate in Rust that writes the same
files as the engine does. Keys have 10 bytes, values 100. CPU microseconds of each call, best of the rounds: of this
process, or of the program in Rust, which measures itself; all threads, the kernel's work included. Waiting for a disk
does not count, nor do opening, closing, and making the records. Appends go to a disk: of one record, of 132, which are
a batch of 16 KB, and of 10,000, which krabka-log is given in such batches. *Synced* is the engine's policy `batch`,
`fdatasync` of the file, SQLite's `synchronous=FULL`, LMDB as it is, and krabka-log's `flush_on_append`, or `sync` at
the end of many batches, both of which sync two indexes, too; *not synced* is `never`, nothing, `OFF`, `sync=False`, and
nothing. The plain file gets length and CRC-32 in front of each record, in one write. Stores append in a transaction.
Transactions are of a record in each of two partitions, tables or databases, synced; the engine's are those of Kafka,
and krabka-log has no coordinator for them. Reads are at offsets that look random, of a million records, in memory if
the machine has /dev/shm; each gives key and value. The engine and krabka-log verify the checksum of the whole batch,
and keep no decoded batch, and krabka-log is asked for borrowed records; the stores verify nothing when they read.
Lookups give the offset of the first record that is not older than a time: SQLite has an index on a column for it, LMDB
a database. What it does not show: ranges, which the engine reads batch by batch, and what the stores can do and a log
cannot.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import transactions
from bench.compare import Case, Result, run
from bench.embedded import lmdb, open_lmdb, open_sqlite
from bench.engine import START_MS, STEP
from bench.krabka_log import KrabkaLog, MissingError, program
from kformat_engine import Log, LogConfig

AT_ONCE = 10_000
VALUE = b"v" * 100
NUMBER_BYTES = 8
INSERT = "INSERT INTO records (key, value) VALUES (?, ?)"

__all__ = ["cases", "text"]

Rows = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Sizes:
    records: int
    reads: int
    appends: tuple[tuple[int, int, int], ...]
    """Records of an append, and how many appends, synced and not."""
    transactions: int


FULL = Sizes(1_000_000, 10_000, ((1, 500, 5_000), (132, 200, 1_000), (10_000, 10, 20)), 100)
SMALL = Sizes(20_000, 500, ((1, 20, 50), (132, 5, 20), (10_000, 1, 2)), 10)


class Stopwatch:
    """CPU seconds of this process, of what ran under it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        start = time.process_time()
        yield
        self.seconds += time.process_time() - start

    def clock(self) -> float:
        return self.seconds


def row(offset: int) -> tuple[bytes, bytes]:
    """Key and value of a record."""
    return b"key-%06d" % (offset % 1_000_000), VALUE


def seen(rows: Rows) -> int:
    """The sum of the numbers in the keys and of the lengths of the values."""
    return sum(int(key[4:]) + len(value) for key, value in rows)


def number(value: int) -> bytes:
    """An offset or a time as a key of LMDB."""
    return value.to_bytes(NUMBER_BYTES, "big")


def framed(key: bytes, value: bytes) -> bytes:
    """A record of the plain file."""
    body = key + value
    return b"%b%b%b%b" % (len(body).to_bytes(4), zlib.crc32(body).to_bytes(4), len(key).to_bytes(2), body)


class Work:
    """A kind of work, in a way for each store that is here; each gives the same answer."""

    def __init__(self, watch: Stopwatch, krabka: KrabkaLog | None) -> None:
        self.watch, self.krabka = watch, krabka

    def ways(self) -> dict[str, Callable[[], int]]:
        raise NotImplementedError

    def case(self, name: str, count: int, records: int, before: Callable[[], None] | None) -> Case:
        of_all, krabka = self.ways(), self.krabka
        clocks: dict[str, Callable[[], float]] = dict.fromkeys(of_all, self.watch.clock)
        if krabka is not None and "krabka-log" in of_all:
            clocks["krabka-log"] = krabka.clock
        size_bytes = count * records * sum(map(len, row(0)))
        return Case(name, "calls", count, size_bytes, of_all, clocks=clocks, before=before)


class Appends(Work):
    """Appends of one store each, to files that are new for each way and round."""

    def __init__(
        self, folder: Path, watch: Stopwatch, krabka: KrabkaLog | None, at_once: int, count: int, is_synced: bool
    ) -> None:
        super().__init__(watch, krabka)
        self.folder, self.at_once, self.count, self.is_synced = folder, at_once, count, is_synced
        self.groups = list[Rows]()

    def clear(self) -> None:
        """Start again with an empty store; the records are made once."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        if not self.groups:
            starts = range(0, self.count * self.at_once, self.at_once)
            self.groups = [[row(offset) for offset in range(first, first + self.at_once)] for first in starts]

    def ways(self) -> dict[str, Callable[[], int]]:
        found = {"kformat": self.by_kformat, "a plain file": self.by_file, "SQLite": self.by_sqlite}
        if lmdb is not None:
            found["LMDB"] = self.by_lmdb
        return found if self.krabka is None else {**found, "krabka-log": self.by_krabka}

    def by_kformat(self) -> int:
        config = LogConfig().with_sync("batch" if self.is_synced else "never")
        with Log.open(self.folder / "records-0", config) as log:
            with self.watch.running():
                for rows in self.groups:
                    log.append(rows)
            return log.end_offset

    def by_file(self) -> int:
        size_bytes = 0
        with open(self.folder / "records", "wb", buffering=0) as file:
            with self.watch.running():
                for rows in self.groups:
                    size_bytes += file.write(b"".join([framed(key, value) for key, value in rows]))
                    if self.is_synced:
                        os.fdatasync(file.fileno())
        return size_bytes // len(framed(*row(0)))

    def by_sqlite(self) -> int:
        connection = open_sqlite(self.folder / "records.db", is_synced=self.is_synced)
        with self.watch.running():
            for rows in self.groups:
                connection.execute("BEGIN")
                connection.executemany(INSERT, rows)
                connection.execute("COMMIT")
        (count,) = connection.execute("SELECT count(*) FROM records").fetchone()
        connection.close()
        return int(count)

    def by_lmdb(self) -> int:
        with open_lmdb(self.folder / "records.lmdb", is_synced=self.is_synced) as environment:
            next_offset = 0
            with self.watch.running():
                for rows in self.groups:
                    with environment.begin(write=True) as transaction:
                        for key, value in rows:
                            transaction.put(number(next_offset), key + value, append=True)
                            next_offset += 1
            return int(environment.stat()["entries"])

    def by_krabka(self) -> int:
        assert self.krabka is not None
        folder = self.folder / "krabka-0"
        return self.krabka.ask("append", folder, self.count, self.at_once, int(self.is_synced))


class Transactions(Work):
    """Transactions, each of a record in two partitions, tables or databases; krabka-log has no coordinator of them."""

    def __init__(self, folder: Path, watch: Stopwatch, count: int) -> None:
        super().__init__(watch, None)
        self.folder, self.count = folder, count

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def ways(self) -> dict[str, Callable[[], int]]:
        def way(work: Callable[..., transactions.Measured], *words: str) -> Callable[[], int]:
            def measured() -> int:
                self.watch.seconds += work(self.folder, self.count, *words).cpu_s
                return self.count

            return measured

        found = {
            "kformat, `markers`": way(transactions.by_kformat, "markers"),
            "kformat, `decision`": way(transactions.by_kformat, "decision"),
            "SQLite": way(transactions.by_sqlite),
        }
        return found if lmdb is None else {**found, "LMDB": way(transactions.by_lmdb)}


class Stored:
    """The same records in all stores, one a millisecond."""

    def __init__(self, folder: Path, sizes: Sizes, krabka: KrabkaLog | None) -> None:
        self.log = Log.open(folder / "records-0", LogConfig(segment_bytes=2**31 - 1))
        self.connection = open_sqlite(folder / "records.db", is_synced=False)
        self.connection.execute("ALTER TABLE records ADD COLUMN time INTEGER")
        self.connection.execute("CREATE INDEX by_time ON records (time)")
        self.environment: Any = None
        self.databases = list[Any]()
        if lmdb is not None:
            self.environment = open_lmdb(folder / "records.lmdb", is_synced=False)
            self.databases = [self.environment.open_db(name) for name in (b"records", b"times")]
        for first in range(0, sizes.records, AT_ONCE):
            self._append([(offset, *row(offset)) for offset in range(first, min(first + AT_ONCE, sizes.records))])
        if krabka is not None:
            krabka.ask("fill", folder / "krabka-0", sizes.records, START_MS)

    def _append(self, rows: list[tuple[int, bytes, bytes]]) -> None:
        self.log.append({"key": key, "value": value, "timestamp": START_MS + offset} for offset, key, value in rows)
        self.connection.execute("BEGIN")
        self.connection.executemany(
            "INSERT INTO records VALUES (?, ?, ?, ?)", [(*values, START_MS + values[0]) for values in rows]
        )
        self.connection.execute("COMMIT")
        if self.environment is not None:
            with self.environment.begin(write=True) as transaction:
                records, times = self.databases
                for offset, key, value in rows:
                    transaction.put(number(offset), key + value, append=True, db=records)
                    transaction.put(number(START_MS + offset), number(offset), append=True, db=times)

    def close(self) -> None:
        self.log.close()
        self.connection.close()
        if self.environment is not None:
            self.environment.close()


class Reads(Work):
    """Reads of single records by their offset."""

    def __init__(self, stored: Stored, sizes: Sizes, watch: Stopwatch, krabka: KrabkaLog | None) -> None:
        super().__init__(watch, krabka)
        self.stored, self.count = stored, sizes.reads
        self.targets = [number * STEP % sizes.records for number in range(sizes.reads)]

    def ways(self) -> dict[str, Callable[[], int]]:
        found = {"kformat": self.by_kformat, "SQLite": self.by_sqlite}
        if lmdb is not None:
            found["LMDB"] = self.by_lmdb
        return found if self.krabka is None else {**found, "krabka-log": self.by_krabka}

    def by_kformat(self) -> int:
        records, found = self.stored.log.records, Rows()
        with self.watch.running():
            for offset in self.targets:
                record = next(records(offset, offset + 1))
                found.append((record.key or b"", record.value or b""))
        return seen(found)

    def by_sqlite(self) -> int:
        execute, query = self.stored.connection.execute, "SELECT key, value FROM records WHERE offset = ?"
        with self.watch.running():
            found = [execute(query, (offset,)).fetchone() for offset in self.targets]
        return seen(found)

    def by_lmdb(self) -> int:
        environment, records = self.stored.environment, self.stored.databases[0]
        key_bytes, found = len(row(0)[0]), Rows()
        assert environment is not None
        with self.watch.running():
            for offset in self.targets:
                with environment.begin(db=records) as transaction:
                    data = transaction.get(number(offset))
                found.append((data[:key_bytes], data[key_bytes:]))
        return seen(found)

    def by_krabka(self) -> int:
        assert self.krabka is not None
        return self.krabka.ask("read", self.count)


class Lookups(Reads):
    """Lookups of offsets by time."""

    def by_kformat(self) -> int:
        find, total = self.stored.log.offset_for_timestamp, 0
        with self.watch.running():
            for target in self.targets:
                found = find(START_MS + target)
                assert found is not None
                total += found.offset
        return total

    def by_sqlite(self) -> int:
        execute, total = self.stored.connection.execute, 0
        query = "SELECT offset FROM records WHERE time >= ? ORDER BY time, offset LIMIT 1"
        with self.watch.running():
            for target in self.targets:
                (offset,) = execute(query, (START_MS + target,)).fetchone()
                total += offset
        return total

    def by_lmdb(self) -> int:
        environment, times, total = self.stored.environment, self.stored.databases[1], 0
        assert environment is not None
        with self.watch.running():
            for target in self.targets:
                with environment.begin(db=times) as transaction, transaction.cursor() as cursor:
                    cursor.set_range(number(START_MS + target))
                    total += int.from_bytes(cursor.value(), "big")
        return total

    def by_krabka(self) -> int:
        assert self.krabka is not None
        return self.krabka.ask("times", self.count, START_MS)


@contextmanager
def cases(sizes: Sizes, krabka: KrabkaLog | None) -> Iterator[list[Case]]:
    """The cases; their files are removed at the end."""
    memory, watch = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None, Stopwatch()
    with (
        tempfile.TemporaryDirectory(prefix="kformat-bench-") as on_disk,
        tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=memory) as in_memory,
    ):
        found = []
        for is_synced, named in ((True, "and sync"), (False, "not synced")):
            for at_once, *counts in sizes.appends:
                count, folder = counts[not is_synced], Path(on_disk) / f"{at_once}-{is_synced}"
                appends = Appends(folder, watch, krabka, at_once, count, is_synced)
                name = f"append {at_once:,} record{'s' if at_once > 1 else ''}{' ' if is_synced else ', '}{named}"
                found.append(appends.case(name, count, at_once, appends.clear))
        work = Transactions(Path(on_disk) / "transactions", watch, sizes.transactions)
        found.append(work.case("transaction over two, synced", sizes.transactions, 2, work.clear))
        stored = Stored(Path(in_memory), sizes, krabka)
        reads, lookups = (kind(stored, sizes, watch, krabka) for kind in (Reads, Lookups))
        found.append(reads.case("read a record by its offset", sizes.reads, 1, None))
        found.append(lookups.case("find an offset by its time", sizes.reads, 0, None))
        try:
            yield found
        finally:
            stored.close()


def table(results: list[Result]) -> str:
    """Markdown: a row per case and way, with the best of its rounds."""
    lines = ["| work | by | CPU µs each | MB/s | time, kformat = 1 | slowest round |"]
    lines.append("|---|---|---:|---:|---:|---:|")
    for result in results:
        ours = min(next(iter(result.seconds.values())))
        for way, seconds in result.seconds.items():
            best, slowest = min(seconds), max(seconds)
            volume = f"{result.case.size_bytes / best / 1e6:,.1f}" if result.case.size_bytes else ""
            ratios = f"{best / ours:.3g} | {slowest / best:.2f}"
            lines.append(
                f"| {result.case.name} | {way} | {best / result.case.count * 1e6:,.1f} | {volume} | {ratios} |"
            )
    return "\n".join(lines)


def text(rounds: int) -> str:
    """The table, and what is missing in it."""
    krabka, missing = None, []
    if lmdb is None:
        missing.append("LMDB is not measured: there is no module lmdb (extra `bench`).")
    try:
        krabka = KrabkaLog(program(may_build=rounds > 1))
    except MissingError as reason:
        missing.append(f"krabka-log is not measured: {reason}.")
    try:
        with cases(SMALL if rounds == 1 else FULL, krabka) as found:
            return "\n\n".join([table([run(case, rounds) for case in found]), *missing])
    finally:
        if krabka is not None:
            krabka.close()
