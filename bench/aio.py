"""Appends of one record of 100 bytes: `Log.append` in a loop, and `AsyncLog.append` awaited by one task, and by 32
tasks at a time. CPU microseconds for each append, of all threads; thousand appends per second of wall time; syncs for
each append. Without syncs in memory if the machine has /dev/shm; with the policy `batch` on the disk of the temporary
folder: there the rate is that of its syncs. The best of the rounds. What it does not show: larger records.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from kformat_engine import AsyncLog, Log, LogConfig
from kformat_engine.storage import File, Storage

VALUE = b"v" * 100
TASKS = 32


class CountedFile(File):
    """A file whose syncs are counted."""

    def sync(self) -> None:
        assert isinstance(self.storage, CountedStorage)
        self.storage.sync_count += 1
        super().sync()


class CountedStorage(Storage):
    """The disk; counts the syncs of files."""

    file_class = CountedFile

    def __init__(self) -> None:
        self.sync_count = 0


class Measured(NamedTuple):
    """For each append: CPU and wall seconds, and syncs."""

    cpu_s: float
    wall_s: float
    syncs: float


def appended(folder: Path, config: LogConfig, count: int, tasks: int | None) -> Measured:
    """Append so many records, by so many tasks; None: without asyncio."""
    storage = CountedStorage()
    began: tuple[float, float, int] = 0.0, 0.0, 0

    def now() -> tuple[float, float, int]:
        return time.process_time(), time.perf_counter(), storage.sync_count

    def append_all() -> None:
        nonlocal began
        with Log.open(folder, config, storage=storage) as log:
            log.append([VALUE])
            began = now()
            for _ in range(count):
                log.append([VALUE])
            ended.extend(now())

    async def await_all() -> None:
        nonlocal began
        assert tasks is not None

        async def work(share: int) -> None:
            for _ in range(share):
                await log.append([VALUE])

        async with AsyncLog.open(folder, config, storage=storage) as log:
            await log.append([VALUE])
            began = now()
            await asyncio.gather(*(work(count // tasks) for _ in range(tasks)))
            ended.extend(now())

    ended: list[float] = []
    append_all() if tasks is None else asyncio.run(await_all())
    return Measured(*((after - before) / count for before, after in zip(began, ended, strict=True)))


def text(rounds: int) -> str:
    """The table."""
    lines = ["| sync policy | appended by | CPU, µs | thousand/s | syncs |", "|---|---|---:|---:|---:|"]
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    ways = {"`Log.append`": None, "`AsyncLog.append`, 1 task": 1, f"`AsyncLog.append`, {TASKS} tasks": TASKS}
    configs = LogConfig().with_sync("never"), LogConfig().with_sync("batch")
    for config, place, count in zip(configs, (memory, None), (6400, 640), strict=True):
        found: dict[str, list[Measured]] = {name: [] for name in ways}
        for _ in range(1 + rounds):
            for name, tasks in ways.items():
                with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=place) as folder:
                    found[name].append(appended(Path(folder) / "log-0", config, count, tasks))
        for name, all_rounds in found.items():
            cpu_s, wall_s, syncs = (min(column) for column in zip(*all_rounds[1:], strict=True))
            row = f"{cpu_s * 1e6:.0f} | {1 / wall_s / 1000:.2f} | {syncs:.3f}"
            lines.append(f"| {config.sync_policy} | {name} | {row} |")
    return "\n".join(lines)
