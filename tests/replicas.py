"""Copies of replicas, as tests see them: what a cluster's brokers hold of a partition, and what its leader said of it.

`samples/replicas/` holds copies that were recorded (`samples/replicas.py`), each with a sidecar; the nightly test makes
the same of a cluster of its own. `differences` holds a copy against its oracle: times, records, findings, dump text.
"""

from __future__ import annotations

import gzip
import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.kafka.batch.records import Record
from kformat.kafka.columns.chunks import Wanted
from kformat.kafka.findings.rules import Finding
from kformat.kafka.index.lookup import KeptSegment, find_timestamp
from kformat.kafka.log.log_reader import LogReader
from kformat.kafka.log.partition import Partition, Segment, open_partition
from tests.samples import ROOT, Told, as_consumed, as_told, decoded

FOLDER = ROOT / "replicas"
DEEP = ("--deep-iteration", "--print-data-log")
SINCE_COUNT = 25
"""About how many timestamps of a copy are asked for by each way that reads all records from a time on."""


@dataclass(frozen=True)
class Copy:
    """One recorded copy of a partition, with what its sidecar says."""

    sidecar_path: Path
    sidecar: dict[str, Any] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return str(self.path.relative_to(FOLDER))

    @property
    def path(self) -> Path:
        return self.sidecar_path.with_suffix("")

    @property
    def version(self) -> str:
        return str(self.sidecar["written_by"]["version"])

    def _read(self, of: str) -> bytes:
        return gzip.decompress((self.sidecar_path.parent / self.sidecar[of]["file"]).read_bytes())

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """As `Sample.records`: what a consumer read from the leader."""
        return [decoded(json.loads(line)) for line in self._read("records").splitlines()]

    @cached_property
    def _answers(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._read("answers"))
        return found

    @property
    def by_timestamp(self) -> dict[int, Told]:
        """The leader's answer for each timestamp."""
        return {target: Told(*answer) for target, *answer in self._answers["by_timestamp"]}

    @property
    def named(self) -> dict[str, Told]:
        """The same for earliest, latest, maxTimestamp."""
        return {name: Told(*answer) for name, answer in self._answers["named"].items()}

    @cached_property
    def dumps(self) -> dict[str, tuple[bytes, bool]]:
        """The text of that version's own tool for each file, and whether the tool died on it."""
        text, found, begin = self._read("dump"), {}, 0
        for name, size in self.sidecar["dump"]["sizes"].items():
            found[name] = text[begin : begin + size], name in self.sidecar["dump"]["died_on"]
            begin += size
        assert begin == len(text)
        return found


@lru_cache
def all_copies() -> tuple[Copy, ...]:
    """Every recorded copy, by version, moment (live, killed), broker and log directory."""
    return tuple(
        Copy(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(FOLDER.glob("*/*/*/?/*.json"))
    )


# What is held against the oracle


def wrong_times(path: Path, answers: dict[int, Told]) -> list[tuple[str, int, Told, Told]]:
    """Where a lookup by time differs from the leader's answer: (way, target, found, told)."""
    partition = open_partition(path)
    kept = [KeptSegment(segment) for segment in partition.segments]
    start = partition_start(path)
    wrong = []
    with LogReader.open(path) as reader:
        for target, told in answers.items():
            found = as_told(find_timestamp(kept, target, log_start_offset=start))
            if found != told:
                wrong.append(("find_timestamp", target, found, told))
            read = reader.offset_for_timestamp(target)
            by_reader = (
                Told(-1, -1, -1) if read is None else Told(read.offset, read.timestamp, _number(read.leader_epoch))
            )
            if by_reader != told:
                wrong.append(("LogReader", target, by_reader, told))
    return wrong


def partition_start(path: Path) -> int | None:
    """Where the log starts, as the root's checkpoint says; None where it does not."""
    checkpoint = path.parent / "log-start-offset-checkpoint"
    topic, _, number = path.name.rpartition("-")
    lines = checkpoint.read_text(encoding="utf-8").splitlines()[2:] if checkpoint.exists() else []
    starts = [int(offset) for name, of, offset in map(str.split, lines) if (name, of) == (topic, number)]
    return starts[0] if starts else None


def wrong_times_of_the_command(path: Path, answers: dict[int, Told]) -> list[tuple[int, object, Told]]:
    """The same for `kformat find`, asked once for all of them."""
    targets = [option for target in answers for option in ("--timestamp", str(target))]
    done = CliRunner().invoke(main, ["find", str(path), "--format", "json", *targets])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if len(lines) != len(answers):
        return [(0, done.output, Told(-1, -1, -1))]
    found = [(line["offset"], line["timestamp"]) for line in lines]
    return [
        (target, one, told)
        for (target, told), one in zip(answers.items(), found, strict=True)
        if one != ((told.offset, told.timestamp) if told.offset >= 0 else (None, None))
    ]


def wrong_since(
    path: Path, records: Sequence[tuple[int, int]], count: int = SINCE_COUNT
) -> list[tuple[int, object, object]]:
    """Where the records from a time on, as columns, are not all: ``records`` are (offset, timestamp)."""
    partition, wrong = open_partition(path), list[tuple[int, object, object]]()
    for target in spread(sorted({timestamp for _, timestamp in records}), count):
        expected = [offset for offset, timestamp in records if timestamp >= target]
        wanted = Wanted(columns=("offset", "timestamp"), since_ms=target)
        chunks = [offset for chunk in partition.chunks(wanted) for offset in chunk.numbers["offset"].tolist()]
        table = partition.to_arrow(["offset"], since=target)["offset"].to_pylist()
        wrong += [(target, one, expected) for one in (chunks, table) if one != expected]
    return wrong


def spread(values: Sequence[int], count: int) -> list[int]:
    """About so many of them, evenly taken."""
    step = max(1, len(values) // count)
    return list(values[::step])


def records_of(path: Path) -> list[Record]:
    """The records that a consumer is shown, in log order."""
    return [
        record
        for segment in open_partition(path).segments
        for batch in segment.scan()
        if not batch.is_control
        for record in batch.records()
    ]


def findings_of(path: Path) -> list[Finding]:
    """What `check` has to say of a copy, above an info."""
    return [finding for finding in kformat.check(path) if finding.severity != "info"]


def dumped(root: Path, file: str) -> bytes:
    """The text of `kformat dump` for a file, named as the tool was given it: below ``root``."""
    with chdir(root):
        done = CliRunner().invoke(main, ["dump", "--files", file, *(DEEP if file.endswith(".log") else ())])
    return done.stdout_bytes


def _number(epoch: int | None) -> int:
    return -1 if epoch is None else epoch


# What makes a copy worth having


class Slot(NamedTuple):
    """A slot of a time index as it lies in the file."""

    timestamp: int
    offset: int


def time_slots(segment: Segment) -> list[Slot]:
    """All slots of a segment's time index that are not zero, without a look at the log."""
    if segment.timeindex is None:
        return []
    index = kformat.parse("time_index", Path(str(segment.timeindex)).read_bytes())
    slots = [Slot(entry.timestamp, segment.base_offset + entry.relative_offset) for entry in index.entries]
    return [slot for slot in slots if slot.timestamp]


def lies(partition: Partition, records: Iterable[tuple[int, int]]) -> Iterator[Slot]:
    """Slots of the last segment that mislead whoever trusts them: a record before the slot's offset is later.

    ``records``: (offset, timestamp). A time index says that nothing up to an entry's offset is above its timestamp.
    """
    if not partition.segments:
        return
    last = partition.segments[-1]
    in_order = [record for record in records if record[0] >= last.base_offset]
    for slot in time_slots(last):
        before = in_order[: bisect_left(in_order, (slot.offset + 1,))]
        if any(timestamp > slot.timestamp for _, timestamp in before):
            yield slot


def looks_valid(slots: Sequence[Slot], end_offset: int) -> bool:
    """Whether slots increase, timestamps and offsets, and lie inside the log: nothing but the log shows a stale one."""
    increase = all(after.timestamp > slot.timestamp and after.offset >= slot.offset for slot, after in pairwise(slots))
    return increase and all(slot.offset < end_offset for slot in slots)


__all__ = [
    "Copy", "Slot", "Told", "all_copies", "as_consumed", "as_told", "dumped", "findings_of",
    "lies", "looks_valid", "records_of", "spread", "time_slots", "wrong_since", "wrong_times",
    "wrong_times_of_the_command",
]  # fmt: skip
