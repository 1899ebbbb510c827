"""The engine compared with Kafka's own classes in a JVM, which does the same work in the same rounds: CPU seconds of
each process, all threads counted. All files are in memory if the machine has /dev/shm; nothing is synced. The batches
are of 16 KB with records of 10 and 100 bytes, uncompressed. `append` to a segment takes them as they are; `append` to
a log checks them as a leader does (checksum, records, timestamps), unless it says otherwise, and gives them offsets.
Records that are appended are pairs of key and value; Kafka's producer classes put them into batches of 16 KB, too. The
log that is compacted has each key ten times, and the map that a broker's cleaner has by default.
Lookups are random, in a warm index and segment. A record that is read by its offset comes from a batch whose checksum
is verified; for one that is found by its time neither does so. No decoded batch is kept. What it does not show: disks,
and many logs.
"""

from __future__ import annotations

import mmap
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import kformat
from bench.compare import Case, Result
from bench.jvm import VERSION, Kafka
from kformat.kafka.files.file_kinds import file_name
from kformat.language.layout import layout
from kformat_engine.batching import AppendBatch
from kformat_engine.cleaner import CleanerConfig
from kformat_engine.config import LogConfig
from kformat_engine.index import OffsetIndex
from kformat_engine.log import Log
from kformat_engine.recovery.opening import recover_folder
from kformat_engine.segment import LogSegment
from tests.judges.required import why_missing

START_MS = 1_700_000_000_000
RECORDS = 132  # of 10 and 100 bytes: a batch of 16 KB
STEP = 2_654_435_761  # makes of 0, 1, 2, ... offsets that look random, in BenchSegment.java, too

_BATCH = layout("record_batch")
_SET_BASE_OFFSET = _BATCH.writer("base_offset")
_SET_BASE_TIMESTAMP = _BATCH.writer("base_timestamp")
_SET_MAX_TIMESTAMP = _BATCH.writer("max_timestamp")
_BASE_OFFSET = _BATCH.reader("base_offset")
_LAST_OFFSET_DELTA = _BATCH.reader("last_offset_delta")
_MAX_TIMESTAMP = _BATCH.reader("max_timestamp")


@dataclass(frozen=True)
class Sizes:
    log_bytes: int
    entries: int
    translations: int
    reads: int
    records: int
    compacted_segment_bytes: int


FULL = Sizes(1 << 30, 1_000_000, 100_000, 20_000, 1_000_000, 32 << 20)
SMALL = Sizes(64 << 20, 100_000, 10_000, 1_000, 20_000, 1 << 20)


class Bench:
    """The files that are worked on, and the work."""

    def __init__(self, folder: Path, sizes: Sizes, kafka: Kafka | None) -> None:
        self.folder, self.sizes, self.kafka = folder, sizes, kafka
        self.config = LogConfig(segment_bytes=2**31 - 1)
        self.ready, self.sent, self.bare = folder / "ready-0", folder / "sent-0", folder / "bare-0"
        self.batch_bytes = 0
        self.next_offset = 0
        self.index = folder / file_name(0, "index")
        self.made: list[Path] = []
        self.keyed, self.compacted = folder / "keyed-0", folder / "compacted" / "compacted-0"
        self.compacting = replace(self.config, segment_bytes=sizes.compacted_segment_bytes, cleanup_policy=("compact",))
        self._write_logs()
        self._write_index()
        self.recover(self.ready)
        self.log = self._open_log()
        key_of = b"key-%06d"
        distinct = sizes.records // 10
        with Log.open(self.keyed, self.compacting) as log:
            for first in range(0, sizes.records, 10_000):
                log.append([(key_of % (number % distinct), b"v" * 100) for number in range(first, first + 10_000)])
            log.roll()
        self.pairs = [(key_of % (number % 1_000_000), b"v" * 100) for number in range(sizes.records)]

    def _open_log(self) -> Log:
        """The log that is `ready`, opened in another folder."""
        folder = self.folder / "read" / "log-0"
        folder.mkdir(parents=True)
        for path in self.ready.iterdir():
            if path.suffix in (".log", ".index", ".timeindex"):
                os.link(path, folder / path.name) if path.suffix == ".log" else shutil.copy(path, folder)
        return Log.open(folder, self.config)

    def _write_logs(self) -> None:
        """Logs of the same batches: with offsets (`bare` will have no indexes), and as a producer sends them."""
        records = [
            {"offset_delta": number, "timestamp_delta": number, "key": b"key-%06d" % number, "value": b"v" * 100}
            for number in range(RECORDS)
        ]
        template = {"base_timestamp": START_MS, "max_timestamp": START_MS + RECORDS - 1, "records": records}
        sent = bytearray(kformat.build("record_batch", {**template, "partition_leader_epoch": -1}))
        ready = bytearray(kformat.build("record_batch", {**template, "partition_leader_epoch": 0}))
        self.batch_bytes = len(sent)
        for folder in (self.ready, self.sent, self.bare):
            folder.mkdir()
        name = file_name(0, "log")
        with open(self.ready / name, "wb") as ready_file, open(self.sent / name, "wb") as sent_file:
            for number in range(self.sizes.log_bytes // self.batch_bytes):
                self.next_offset = (number + 1) * RECORDS
                _SET_BASE_OFFSET(ready, 0, number * RECORDS)
                for batch, file in ((ready, ready_file), (sent, sent_file)):
                    _SET_BASE_TIMESTAMP(batch, 0, START_MS + number * RECORDS)
                    _SET_MAX_TIMESTAMP(batch, 0, START_MS + self.next_offset - 1)
                    _BATCH.mend(batch)
                    file.write(batch)
        os.link(self.ready / name, self.bare / name)

    def _write_index(self) -> None:
        entries = np.zeros(self.sizes.entries, layout("offset_index::entry").dtype)
        entries["relative_offset"] = np.arange(1, len(entries) + 1) * 150
        entries["position"] = np.arange(1, len(entries) + 1) * 2000
        self.index.write_bytes(entries.tobytes())

    # What is the same for all

    def fresh(self, name: str = "made-0") -> Path:
        """A folder where nothing is yet; `clear` removes it."""
        folder = self.folder / f"{len(self.made)}" / name
        folder.mkdir(parents=True)
        self.made.append(folder)
        return folder

    def clear(self) -> None:
        """Remove what was made, and the indexes that are to be rebuilt."""
        for folder in self.made:
            shutil.rmtree(folder.parent, ignore_errors=True)
        self.made.clear()
        for suffix in ("index", "timeindex"):
            (self.bare / file_name(0, suffix)).unlink(missing_ok=True)

    def batches(self, folder: Path, at_once: int = 1) -> Iterator[memoryview]:
        with open(folder / file_name(0, "log"), "rb") as file:
            view = memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
        for position in range(0, len(view), at_once * self.batch_bytes):
            yield view[position : position + at_once * self.batch_bytes]

    @staticmethod
    def checksums(folder: Path) -> list[tuple[str, int, int]]:
        """Name, length and checksum of the files that have to be the same."""
        found = []
        for suffix in ("log", "index", "timeindex"):
            data = (folder / file_name(0, suffix)).read_bytes()
            found.append((suffix, len(data), zlib.crc32(data)))
        return found

    # The engine's work

    def append_to_segment(self) -> Path:
        folder = self.fresh()
        segment = LogSegment.open(folder, 0, self.config)
        for batch in self.batches(self.ready):
            base = _BASE_OFFSET(batch, 0)
            last = base + _LAST_OFFSET_DELTA(batch, 0)
            segment.append(batch, (AppendBatch(base, last, _MAX_TIMESTAMP(batch, 0), last, len(batch), 0, 2, -1),))
        segment.close()
        return folder

    def append_to_log(self, validate: bool, at_once: int = 1) -> Path:
        folder = self.fresh()
        with Log.open(folder, self.config) as log:
            for batches in self.batches(self.sent, at_once):
                log.append_batches(batches, validate=validate)
        return folder

    def targets(self, count: int, span: int) -> Any:
        return np.arange(count, dtype=np.int64) * STEP % span

    def look_up_many(self) -> int:
        index = OffsetIndex(self.index, 0, writable=False)
        _, positions = index.lookup_many(self.targets(self.sizes.entries, self.sizes.entries * 150))
        index.release()
        return int(positions.sum(dtype=np.int64))

    def look_up_each(self) -> int:
        index = OffsetIndex(self.index, 0, writable=False)
        lookup = index.lookup
        found = sum(
            lookup(target).position for target in self.targets(self.sizes.entries, self.sizes.entries * 150).tolist()
        )
        index.release()
        return found

    def translate(self) -> int:
        segment = LogSegment.open(self.ready, 0, self.config, already_exists=True)
        found = 0
        for target in self.targets(self.sizes.translations, self.next_offset).tolist():
            position = segment.translate_offset(target)
            assert position is not None
            found += position.position
        segment.close()
        return found

    def read_each(self) -> int:
        records, found = self.log.records, 0
        for target in self.targets(self.sizes.reads, self.next_offset).tolist():
            record = next(records(target, target + 1))
            assert record.value is not None
            found += record.offset + len(record.value)
        return found

    def find_times(self) -> int:
        find, found = self.log.offset_for_timestamp, 0
        for target in self.targets(self.sizes.reads, self.next_offset).tolist():
            answer = find(START_MS + target)
            assert answer is not None
            found += answer.offset
        return found

    def append_records(self, at_once: int) -> int:
        with Log.open(self.fresh(), self.config) as log:
            for first in range(0, len(self.pairs), at_once):
                log.append(self.pairs[first : first + at_once])
            return log.end_offset

    def lay_keyed(self) -> None:
        """The log that is compacted, as it was; nor does its root say up to where it was compacted before."""
        shutil.rmtree(self.compacted.parent, ignore_errors=True)
        shutil.copytree(self.keyed, self.compacted)

    def compact(self) -> Path:
        with Log.open(self.compacted, self.compacting) as log:
            log.compact()
        return self.compacted

    def stored(self, folder: Path) -> list[tuple[str, int, int]]:
        """Name, length and checksum of the segments of a compacted log, which is smaller than it was."""
        found = [(path.name, path.read_bytes()) for path in sorted(folder.glob("*.log"))]
        assert sum(len(data) for _, data in found) < sum(path.stat().st_size for path in self.keyed.glob("*.log")) / 2
        return [(name, len(data), zlib.crc32(data)) for name, data in found]

    def recover(self, folder: Path) -> Path:
        for path in (*folder.glob("*.index"), *folder.glob("*.timeindex")):
            path.unlink()
        for segment in recover_folder(folder, self.config, is_clean=False, mode="kafka").segments:
            segment.close()
        return folder

    # Kafka's

    def kafkas(self, *words: object, folder: Path | None = None) -> Any:
        assert self.kafka is not None
        answer = self.kafka.ask(*words)
        return answer if folder is None else folder

    def kafkas_append(self, word: str, source: Path) -> Path:
        folder = self.fresh()
        return self.kafkas(word, source / file_name(0, "log"), folder, self.batch_bytes, folder=folder)

    def cases(self) -> list[Case]:
        """What is measured."""
        sizes, log_bytes = self.sizes, self.batch_bytes * (self.next_offset // RECORDS)
        span = sizes.entries * 150
        gigabytes = "CPU s/GB"
        each = "CPU µs each"

        def case(
            name: str,
            unit: str,
            count: int,
            ours: dict[str, Callable[[], Any]],
            theirs: dict[str, Callable[[], Any]],
            seen_as: Callable[[Any], Any] = lambda answer: answer,
            before: Callable[[], None] | None = self.clear,
        ) -> Case:
            ways = {f"kformat {way}": work for way, work in ours.items()}
            clocks: dict[str, Callable[[], float]] = dict.fromkeys(ways, time.process_time)
            if self.kafka is not None:
                for way, work in theirs.items():
                    ways[f"Kafka {way}"] = work
                    clocks[f"Kafka {way}"] = self.kafka.cpu_seconds
            return Case(name, unit, count, log_bytes, ways, seen_as, clocks, before)

        return [
            case(
                "append to a segment",
                gigabytes,
                self.next_offset,
                {"LogSegment.append": self.append_to_segment},
                {"LogSegment.append": lambda: self.kafkas_append("segment", self.ready)},
                self.checksums,
            ),
            case(
                "append to a log",
                gigabytes,
                self.next_offset,
                {
                    "append_batches": lambda: self.append_to_log(True),
                    "append_batches, 64 at once": lambda: self.append_to_log(True, 64),
                    "append_batches, unchecked": lambda: self.append_to_log(False),
                },
                {"UnifiedLog.appendAsLeader": lambda: self.kafkas_append("leader", self.sent)},
                self.checksums,
            ),
            case(
                f"look up offsets in {sizes.entries:,} entries",
                each,
                sizes.entries,
                {"OffsetIndex.lookup_many": self.look_up_many, "OffsetIndex.lookup": self.look_up_each},
                {"OffsetIndex.lookup": lambda: self.kafkas("lookup", self.index, sizes.entries, span)},
                before=None,
            ),
            case(
                "find an offset in a segment",
                each,
                sizes.translations,
                {"LogSegment.translate_offset": self.translate},
                {
                    "LogSegment.translateOffset": lambda: self.kafkas(
                        "translate", self.ready, sizes.translations, self.next_offset
                    )
                },
                before=None,
            ),
            case(
                "read a record by its offset",
                each,
                sizes.reads,
                {"Log.records": self.read_each},
                {"LogSegment.read": lambda: self.kafkas("read", self.ready, sizes.reads, self.next_offset)},
                before=None,
            ),
            case(
                "find a record by its time",
                each,
                sizes.reads,
                {"Log.offset_for_timestamp": self.find_times},
                {
                    "LogSegment.findOffsetByTimestamp": lambda: self.kafkas(
                        "times", self.ready, sizes.reads, self.next_offset, START_MS
                    )
                },
                before=None,
            ),
            case(
                "append records",
                each,
                sizes.records,
                {
                    "Log.append, 10,000 at once": lambda: self.append_records(10_000),
                    "Log.append, 100 at once": lambda: self.append_records(100),
                },
                {
                    "MemoryRecordsBuilder and appendAsLeader": lambda: self.kafkas(
                        "records", self.fresh(), sizes.records
                    )
                },
            ),
            case(
                "compact a log",
                each,
                sizes.records,
                {"Log.compact": self.compact},
                {
                    "Cleaner.clean": lambda: self.kafkas(
                        "compact",
                        self.compacted,
                        sizes.compacted_segment_bytes,
                        CleanerConfig().dedupe_buffer_bytes,
                        folder=self.compacted,
                    )
                },
                self.stored,
                before=self.lay_keyed,
            ),
            case(
                "rebuild the indexes",
                gigabytes,
                self.next_offset,
                {"recover_folder": lambda: self.recover(self.bare)},
                {"LogSegment.recover": lambda: self.kafkas("recover", self.bare, folder=self.bare)},
                self.checksums,
            ),
        ]


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """The cases, and where they work, for as long as it takes; the engine alone where Kafka's classes are missing."""
    reason = why_missing(VERSION)
    if reason is not None:
        print(reason + "\n")
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    kafka = Kafka("BenchSegment") if reason is None else None
    try:
        with tempfile.TemporaryDirectory(prefix="kformat-bench-", dir=where) as folder:
            work = Bench(Path(folder), SMALL if is_small else FULL, kafka)
            yield work.cases()
            work.log.close()
    finally:
        if kafka is not None:
            kafka.close()


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per case and way."""
    lines = ["| work | by | CPU | kformat = 1 | min-max |", "|---|---|---:|---:|---:|"]
    for result in results:
        case = result.case
        ours = result.median(next(iter(case.ways)))
        for way, seconds in result.seconds.items():
            median = result.median(way)
            is_volume = case.unit.endswith("GB")
            amount = (
                f"{median / case.size_bytes * 1e9:.2f} s/GB" if is_volume else f"{median / case.count * 1e6:.3f} µs"
            )
            spread = f"{min(seconds) / median:.2f}-{max(seconds) / median:.2f}" if median else "-"
            lines.append(f"| {case.name} | {way} | {amount} | {median / ours:.3g} | {spread} |")
    return "\n".join(lines)
