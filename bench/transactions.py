"""Transactions of two records, one in each of two partitions, and appends of one record under the policy `batch` by
several threads at once. In memory if the machine has /dev/shm, where a sync costs nothing, and on a disk. The
transactions are of two ids by turns, whose partitions are named in advance; SQLite (WAL, `synchronous=FULL`) puts the
two records into two tables, LMDB into two databases. *Per CPU second* is of this process, all threads counted, and
waiting for a disk does not count; *per second* is the wall's, and depends on the disk. Syncs of `.log` files are
counted; SQLite's and LMDB's are not. What it does not show: slow disks, on which the number of syncs is all that
counts.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.compare import ROUNDS
from bench.embedded import lmdb, open_lmdb, open_sqlite
from kformat_engine import Log, LogConfig, LogManager
from kformat_engine.storage import Storage

VALUE = b"v" * 100
PLACES = [("accounts", 0), ("accounts", 1)]
THREADS = (1, 4, 32)


class CountedStorage(Storage):
    """The disk, and how often a `.log` was synced."""

    def __init__(self) -> None:
        self.sync_count = 0

    def step(self, operation: str, path: Path) -> None:
        self.sync_count += operation == "sync" and path.suffix == ".log"


@dataclass(frozen=True)
class Measured:
    """What one round took: seconds, and syncs, which are None for what does not count them."""

    cpu_s: float
    wall_s: float
    sync_count: int | None


def measured(work: Callable[[], object], storage: CountedStorage | None = None) -> Measured:
    before = 0 if storage is None else storage.sync_count
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    took = time.process_time() - cpu, time.perf_counter() - wall
    return Measured(*took, None if storage is None else storage.sync_count - before)


def by_kformat(folder: Path, count: int, durability: str) -> Measured:
    storage = CountedStorage()
    with LogManager.open([folder / "logs"], storage=storage) as manager:
        for place in PLACES:
            manager.create_partition(*place)

        def work(count: int = count) -> None:
            for number in range(count):
                name = f"bench-{number % 2}"
                with manager.transaction(name, durability=durability, partitions=PLACES) as t:  # type: ignore[arg-type]
                    for place in PLACES:
                        t.append(*place, [(b"key-%d" % number, VALUE)])

        work(4)  # which makes the logs of `__transaction_state`
        took = measured(work, storage)
        for place in PLACES:
            records = manager.log(*place).records(isolation_level="read_committed")
            assert sum(1 for _ in records) == count + 4
    return took


def by_sqlite(folder: Path, count: int) -> Measured:
    connection = open_sqlite(folder / "records.db")
    connection.execute("CREATE TABLE other (offset INTEGER PRIMARY KEY, key BLOB, value BLOB)")

    def work() -> None:
        for number in range(count):
            connection.execute("BEGIN")
            for table in ("records", "other"):
                connection.execute(f"INSERT INTO {table} VALUES (?, ?, ?)", (number, b"key-%d" % number, VALUE))
            connection.execute("COMMIT")

    took = measured(work)
    connection.close()
    return took


def by_lmdb(folder: Path, count: int) -> Measured:
    with open_lmdb(folder / "records.lmdb") as environment:
        databases = [environment.open_db(name) for name in (b"records", b"other")]

        def work() -> None:
            for number in range(count):
                with environment.begin(write=True) as transaction:
                    for database in databases:
                        transaction.put(number.to_bytes(8, "big"), b"key-%d" % number + VALUE, append=True, db=database)

        return measured(work)


def by_threads(folder: Path, count: int, thread_count: int) -> Measured:
    """Appends of one record, each synced, by some threads."""
    storage = CountedStorage()
    with Log.open(folder / "records-0", LogConfig().with_sync("batch"), storage=storage) as log:

        def append() -> None:
            for _ in range(count // thread_count):
                log.append([VALUE])

        def work() -> None:
            threads = [threading.Thread(target=append) for _ in range(thread_count)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        took = measured(work, storage)
        assert log.end_offset == log.synced_offset == count
    return took


def text(rounds: int = ROUNDS) -> str:
    """The table: a row for each work, place and way."""
    count, appends = (20, 64) if rounds == 1 else (1_000, 6_400)
    ways: dict[tuple[str, str], tuple[int, Callable[[Path], Measured]]] = {
        ("transaction", "kformat, `markers`"): (count, lambda folder: by_kformat(folder, count, "markers")),
        ("transaction", "kformat, `decision`"): (count, lambda folder: by_kformat(folder, count, "decision")),
        ("transaction", "SQLite"): (count, lambda folder: by_sqlite(folder, count)),
    }
    if lmdb is not None:
        ways["transaction", "LMDB"] = count, lambda folder: by_lmdb(folder, count)
    for number in THREADS:
        name = f"{number} thread{'s' if number > 1 else ''}"
        ways["append", name] = appends, lambda folder, number=number: by_threads(folder, appends, number)  # type: ignore[misc]
    places = {"disk": None, "memory": "/dev/shm"} if os.access("/dev/shm", os.W_OK) else {"disk": None}
    lines = ["| work | on | by | per CPU second | per second | syncs each |", "|---|---|---|---:|---:|---:|"]
    for place, parent in places.items():
        results: dict[tuple[str, str], list[Measured]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way, (_, work) in ways.items():
                folder = Path(tempfile.mkdtemp(prefix="kformat-bench-", dir=parent))
                try:
                    results[way].append(work(folder))
                finally:
                    shutil.rmtree(folder)
        for (name, by), found in results.items():
            total = ways[name, by][0]
            cpu, wall = (median(getattr(one, field) for one in found) for field in ("cpu_s", "wall_s"))
            syncs = [one.sync_count / total for one in found if one.sync_count is not None]
            each = f"{median(syncs):.2f}" if syncs else ""
            lines.append(f"| {name} | {place} | {by} | {total / cpu:,.0f} | {total / wall:,.0f} | {each} |")
    return "\n".join(lines)
