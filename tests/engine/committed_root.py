"""A root in two directories with all that transactions and compaction leave, for those who read what the engine wrote.

`orders` has transactions that span the directories, `prices` is compacted with transactions in it, `views` has a named
producer next to them. One transaction is open in all of them, with committed records after it.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from kformat.kafka.batch.records import Record
from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC
from kformat_engine import Log, LogConfig, LogManager
from tests.engine.logs import UnsyncedStorage

STATE: Final = TRANSACTION_STATE_TOPIC
LEVELS: Final = ("read_uncommitted", "read_committed")
TIMEOUT_MS: Final = 3_600_000
SMALL: Final = LogConfig(segment_bytes=1500, index_interval_bytes=200, segment_index_bytes=1200)
_COMPACTED: Final = LogConfig(
    segment_bytes=1500, index_interval_bytes=200, segment_index_bytes=1200, cleanup_policy=("compact",)
)


def open_manager(directories: Sequence[Path]) -> LogManager:
    return LogManager.open(directories, SMALL, configs={"prices": _COMPACTED}, storage=UnsyncedStorage())


def transact(manager: LogManager, number: int, end: str) -> Any:
    """A transaction over all topics: ``commit``, ``abort``, or left ``open``."""
    t = manager.transaction(f"id-{number % 3}" if end != "open" else "open", timeout_ms=TIMEOUT_MS)
    for step in range(2):
        text = b"%s %d %d " % (end.encode(), number, step)
        for partition in range(2):
            t.append("orders", partition, [text + b"x" * 60])
        key = b"k%d" % ((number + step) % 5)
        t.append("prices", 0, [(key, None if number % 4 == 3 else text), (b"once-%d" % number, text)])
    if end == "commit":
        t.commit()
    elif end == "abort":
        t.abort()
    return t


def append_plain(manager: LogManager, number: int) -> None:
    """Records outside transactions: with headers, without a value, compressed, of a named producer."""
    now = 1_700_000_000_000 + number
    headers = [("a", b"1"), ("b", None)]
    manager.log("orders", 0).append([{"key": b"plain", "value": b"%d" % number, "headers": headers, "timestamp": now}])
    manager.log("prices", 0).append([(b"k%d" % (number % 3), b"plain %d" % number)] * 3, compression="gzip")
    manager.log("views", 0).producer("views").append([b"view %d" % number, (b"key", None)])


def fill(directories: Sequence[Path]) -> LogManager:
    """Write the root; the manager, which is open, and so is one of its transactions."""
    manager = open_manager(directories)
    for topic, partition in (("orders", 0), ("orders", 1), ("prices", 0), ("views", 0)):
        manager.create_partition(topic, partition)
    for number in range(14):
        append_plain(manager, number)
        transact(manager, number, "abort" if number % 3 == 1 else "commit")
        if number == 5:
            _compact(manager.log("prices", 0))
    _compact(manager.log("prices", 0))
    for place in manager.partitions():
        if place.topic == STATE:
            _compact(manager.log(place.topic, place.partition))
    transact(manager, 14, "open")
    transact(manager, 15, "commit")
    append_plain(manager, 16)
    return manager


def _compact(log: Log) -> None:
    log.roll()
    assert log.compact() is not None


def snapshot(directories: Sequence[Path], target: Path) -> list[Path]:
    """Copies of the directories of an open manager, opened and closed: what is open in them stays open."""
    copies = [target / path.name for path in directories]
    for path, copy in zip(directories, copies, strict=True):
        shutil.copytree(path, copy, ignore=shutil.ignore_patterns(".lock"))  # which only its owner may open
    open_manager(copies).close()
    return copies


def records_of(manager: LogManager, level: str) -> dict[tuple[str, int], list[Record]]:
    """The records of each partition, but for the coordinator's."""
    return {
        (place.topic, place.partition): list(manager.log(place.topic, place.partition).records(isolation_level=level))
        for place in manager.partitions()
        if place.topic != STATE
    }
