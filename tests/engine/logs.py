"""Logs for tests, opened as Kafka's LogTestUtils does: by a clock that only the test turns, which runs what is due."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from kformat.kafka.files.file_kinds import file_name
from kformat_engine.config import LogConfig
from kformat_engine.log import Log
from kformat_engine.storage import File, Storage
from tests.engine.manual import ManualClock, ManualScheduler

NOW_MS: Final = 1_700_000_000_000
NO_TIMESTAMP: Final = -1
FOLDER: Final = "test_topic-1"


class UnsyncedFile(File):
    """A file whose syncs are told of, and left out."""

    def sync(self) -> None:
        self.storage.step("sync", self.path)


class UnsyncedStorage(Storage):
    """The disk, quicker: these tests look at what a log does, not at what survives a loss of power."""

    file_class = UnsyncedFile

    def sync_directory(self, path: Path) -> None:
        self.step("sync_directory", path)


class Stage:
    """A root, and logs in it that go by one clock; all of them are closed at the end.

    Attributes:
        root, path: the root, and the folder of the log that `open` opens by default.
        clock, scheduler: see `kformat_engine.scheduler`; `sleep` turns the one and so runs what is due in the other.
    """

    def __init__(self, root: Path) -> None:
        self.root, self.path = root, root / FOLDER
        self.clock = ManualClock(NOW_MS)
        self.scheduler = ManualScheduler(self.clock)
        self._logs: list[Log] = []

    def open(self, *, path: Path | None = None, config: LogConfig | None = None, **given: Any) -> Log:
        """Open a log; what is no argument of `Log.open` is a setting of its configuration."""
        arguments = {
            name: given.pop(name)
            for name in ("root", "mode", "create", "topic_id", "leader_epoch", "verify", "storage", "chance")
            if name in given
        }
        log = Log.open(
            path or self.path,
            config or LogConfig(**given),
            clock=self.clock,
            scheduler=self.scheduler,
            **{"storage": UnsyncedStorage(), **arguments},
        )
        self._logs.append(log)
        return log

    def sleep(self, ms: int) -> None:
        self.clock.sleep(ms)

    @property
    def now_ms(self) -> int:
        return self.clock()

    def lay_empty_segment(self, base_offset: int) -> None:
        """What is left of a segment that nothing was written to."""
        self.path.mkdir(parents=True, exist_ok=True)
        for suffix in ("log", "index"):
            (self.path / file_name(base_offset, suffix)).touch()

    def names(self, *endings: str) -> list[str]:
        """The files of the folder whose names end so, sorted."""
        return sorted(path.name for path in self.path.iterdir() if path.name.endswith(endings))

    def close(self) -> None:
        """Close all logs."""
        for log in self._logs:
            log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def record(value: bytes | None = b"test", timestamp: int | None = None, key: bytes | None = None) -> dict[str, Any]:
    """A record to append; without a timestamp it gets the clock's, with `NO_TIMESTAMP` none."""
    return {"key": key, "value": value, "timestamp": timestamp}


def append_each(log: Log, *values: bytes, timestamp: int | None = None) -> None:
    """Append each value by itself, as a batch of its own."""
    for value in values:
        log.append([record(value, timestamp)])


def bases(log: Log) -> list[int]:
    """The base offsets of the segments."""
    return [segment.base_offset for segment in log.segments]


def read_offsets(log: Log, offset: int, max_bytes: int = 1 << 20, *, min_one_batch: bool = True) -> list[int]:
    """The offsets of the records in the batches that a read gives, those below ``offset`` in the first batch, too."""
    found = log.read(offset, max_bytes, min_one_batch=min_one_batch)
    return [one.offset for batch in found.batches() for one in batch.records()]


def read_values(log: Log) -> list[bytes | None]:
    """The values of all records."""
    return [one.value for one in log]
