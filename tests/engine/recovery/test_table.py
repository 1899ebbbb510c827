"""The table of recovery: total, every row reached by a folder, and what it does done to that folder, crash or not."""

from __future__ import annotations

import functools
import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kformat
from kformat.corpus.parts import ProducerFields, end_of_transaction
from kformat.integers import MAX_INT64
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.batch.framing import PEEK_BYTES
from kformat.kafka.files.text_files import (
    EpochEntry,
    LeaderEpochs,
    PartitionMetadata,
    TopicOffset,
    TopicOffsets,
    build_leader_epochs,
    build_offsets,
    build_partition_metadata,
)
from kformat.kafka.producers.producer_state import ProducerEntry, ProducerState
from kformat.language.layout import layout
from kformat.storage.root_lock import LOCK_FILE
from kformat_engine.config import LogConfig
from kformat_engine.errors import DamagedLogError
from kformat_engine.log import Log
from kformat_engine.recovery import segment_examination
from kformat_engine.recovery.opening import Recovered, examine_folder, mode_of, recover_folder
from kformat_engine.recovery.report import RecoveryReport
from kformat_engine.recovery.table import DIMENSIONS, TABLE, Action, Kind, Mode, TableRow, row_for, states
from kformat_engine.root import CLEAN_MARKER, LOG_START_OFFSETS, RECOVERY_POINTS
from kformat_engine.storage import Storage
from tests.damages import INTERVAL_BYTES, Folder, batch_of, data_batch, patched, record_bytes, segment, stem, write
from tests.damages_legacy import inner, plain, three, wrapper
from tests.draws import every
from tests.engine.faults import Death, Fault, FaultyStorage, picture, put_back
from tests.engine.plays import of_producer

pytestmark = pytest.mark.drawn

BASES = (0, 30, 60)
END = 90
CONFIG: dict[str, Any] = {"index_interval_bytes": INTERVAL_BYTES, "segment_index_bytes": 1200}


@pytest.fixture(autouse=True)
def no_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel lives on in these tests, and syncs take their time."""
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: None)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


# The table by itself


@pytest.mark.parametrize("kind", Kind)
def test_every_state_has_exactly_one_row_in_every_mode(kind: Kind) -> None:
    for mode in Mode:
        for state in states(kind):
            rows = [row for row in TABLE if row.kind is kind and row.fits(mode, state)]
            assert len(rows) == 1, f"{mode} {kind} {dict(state)}: {[row.name for row in rows]}"
            assert row_for(mode, kind, state) is rows[0]


def test_patterns_name_dimensions_and_their_values() -> None:
    assert set(DIMENSIONS) == set(Kind)
    for row in TABLE:
        for name, values in row.patterns.items():
            assert values and set(values) <= set(DIMENSIONS[row.kind][name]), row
    assert max(Counter(row.name for row in TABLE).values()) == 1


def test_only_strict_and_kafka_refuse_what_can_be_salvaged() -> None:
    refused = {row.name for row in TABLE if row.action is Action.REFUSE and Mode.SALVAGE in row.modes}
    assert refused == {"log-too-large"}


# A folder for each row


@functools.cache
def batches(base_offset: int, count: int = 10) -> tuple[bytes, ...]:
    """Batches of three records each, a leader epoch per thirty offsets."""
    epoch = base_offset // 30
    return tuple(
        patched(data_batch(offset, 1000 + offset), partition_leader_epoch=epoch)
        for offset in range(base_offset, base_offset + 3 * count, 3)
    )


def sound() -> Folder:
    """Three closed segments of ten batches each."""
    return dict(_sound())


@functools.cache
def _sound() -> Folder:
    folder: Folder = {}
    for base_offset in BASES:
        folder |= segment(base_offset, batches(base_offset), recovered=True)
    return folder


def with_log(base_offset: int, log: bytes) -> Folder:
    """The sound folder with another log; the indexes stay."""
    return sound() | {f"{stem(base_offset)}.log": log}


def with_batches(base_offset: int, *made: bytes) -> Folder:
    return with_log(base_offset, b"".join(made))


def damaged(base_offset: int, number: int) -> Folder:
    """The sound folder with a flipped bit in one batch of a segment."""
    made = list(batches(base_offset))
    made[number] = made[number][:-1] + bytes([made[number][-1] ^ 1])
    return with_batches(base_offset, *made)


def overflowing() -> Folder:
    far = 30 + 2**31
    folder = segment(0, batches(0), recovered=True) | segment(30, [*batches(30, 4)], recovered=True)
    folder[f"{stem(30)}.log"] += b"".join(batches(far, 4))
    return folder


def legacy() -> Folder:
    """Three closed segments of messages and wrappers of magic 1."""
    folder: Folder = {}
    for base_offset in BASES:
        made = [
            wrapper(first + 2, *three(1, first))
            if first % 2
            else b"".join(plain(first + number) for number in range(3))
            for first in range(base_offset, base_offset + 30, 3)
        ]
        folder |= segment(base_offset, made, recovered=True)
    return folder


def exhausted() -> Folder:
    """A record at the largest offset of all."""
    last = 2**63 - 1
    return {f"{stem(last - 9)}.log": data_batch(last - 9, 1000) + data_batch(last - 2, 1000)}


def epochs(*entries: tuple[int, int]) -> Folder:
    return {"leader-epoch-checkpoint": build_leader_epochs(LeaderEpochs(tuple(EpochEntry(*e) for e in entries)))}


def snapshots(*offsets: int, of: int | None = None) -> Folder:
    """Snapshots of no producer, or of one that the log does not have."""
    state = ProducerState()
    state.load([] if of is None else [ProducerEntry(of, last_timestamp=MAX_INT64)], 0)
    return {f"{stem(offset)}.snapshot": state.snapshot() for offset in offsets}


def aborted() -> list[bytes]:
    """A transaction of one batch, and the marker that aborts it."""
    data = of_producer(data_batch(0, 1000), 7, 0, 0, is_transactional=True)
    return [data, end_of_transaction("abort", 3, 1000, ProducerFields(7, 0, -1)).data]


def transactions(base_offset: int, *last_offsets: int) -> Folder:
    entries = np.zeros(len(last_offsets), layout("transaction_index::entry").dtype)
    entries["last_offset"] = last_offsets
    return {f"{stem(base_offset)}.txnindex": entries.tobytes()}


def without(folder: Folder, *suffixes: str, base_offset: int = 30) -> Folder:
    return {name: data for name, data in folder.items() if name not in {f"{stem(base_offset)}.{s}" for s in suffixes}}


def with_index(suffix: str, change: Callable[[bytes], bytes], base_offset: int = 30) -> Folder:
    folder, name = sound(), f"{stem(base_offset)}.{suffix}"
    return folder | {name: change(folder[name])}


def long_folder() -> Folder:
    """A segment with more than a megabyte in it; its offset index is empty."""
    big = [batch_of(30 + number, record_bytes(offset_delta=0, value=b"x" * 500_000), 1, 1000) for number in range(4)]
    return sound() | segment(30, big, recovered=True) | {f"{stem(30)}.index": b""}


def swapped(count: int = 4, behind: bytes = b"") -> Folder:
    return sound() | {f"{stem(30)}.log.swap": b"".join(batches(30, count)) + behind}


GARBAGE = b"\xff" * 40
TORN = batches(END)[0][:50]
BACKWARDS = [*batches(60, 5), *batches(60, 5)]
METADATA = build_partition_metadata(PartitionMetadata(version=0, topic_id="MkTRaEPbQoiZZNm5xA8bJA"))


@dataclass(frozen=True)
class Case:
    """A folder in which a row is met, and the circumstances."""

    folder: Folder | Callable[[Path], None]
    clean: bool = True
    recovery_point: int = 0
    start: int | None = None
    config: dict[str, Any] = field(default_factory=dict)
    name: str = "orders-0"

    def build(self, path: Path) -> Path:
        if callable(self.folder):
            path.mkdir(parents=True)
            self.folder(path)
            return path
        return write(self.folder, path)

    def how(self, mode: Mode) -> dict[str, Any]:
        return {
            "is_clean": self.clean,
            "recovery_point": self.recovery_point,
            "log_start_offset": self.start,
            "mode": mode.value,
        }

    def log_config(self) -> LogConfig:
        return LogConfig(**{**CONFIG, **self.config})


def too_large(path: Path) -> None:
    write(sound(), path)
    os.truncate(path / f"{stem(60)}.log", 2**31)


def with_foreign(path: Path) -> None:
    write(sound() | {"notes.txt": b"mine", "5.log": b"not a segment's name"}, path)
    (path / "folder").mkdir()
    (path / "nowhere").symlink_to("gone")


def with_a_log_elsewhere(path: Path) -> None:
    write(sound(), path)
    (path / f"{stem(120)}.log").symlink_to("a disk that is not there")


def two_swaps() -> Folder:
    return swapped() | {f"{stem(42)}.log.swap": b"".join(batches(30)[4:]) + TORN}


def replaced_by_a_torn_swap() -> Folder:
    whole = sound()
    logs = {f"{stem(30)}.log.deleted": whole[f"{stem(30)}.log"], f"{stem(30)}.log.swap": b"".join(batches(30)) + TORN}
    return without(whole, "log", "index", "timeindex") | logs


def tiered() -> Folder:
    """What is left of a log on the disk when its first segment is in the remote storage."""
    return {name: data for name, data in sound().items() if not name.startswith(stem(0))}


SHRUNK = with_batches(30, *batches(30, 3))

CASES: dict[str, Case] = {
    "deleted": Case(sound() | {f"{stem(0)}.log.deleted": b"x"}),
    "deleted-anyway": Case(replaced_by_a_torn_swap()),
    "deleted-needed": Case(replaced_by_a_torn_swap()),
    "cleaned": Case(sound() | {f"{stem(120)}.log.cleaned": b"x"}),
    "swap-aborted": Case(sound() | {f"{stem(30)}.log.cleaned": b"x", f"{stem(60)}.log.swap": b"x"}),
    "swap": Case(swapped()),
    "swap-index": Case(without(sound(), "index") | {f"{stem(30)}.index.swap": sound()[f"{stem(30)}.index"]}),
    "swap-unsound": Case(swapped(behind=GARBAGE)),
    "swap-unsound-salvage": Case(swapped(behind=GARBAGE)),
    "swap-unsound-kafka": Case(swapped(behind=TORN)),
    "swap-doubtful": Case(two_swaps()),
    "swap-doubtful-salvage": Case(two_swaps()),
    "swap-doubtful-kafka": Case(two_swaps()),
    "replaced": Case(swapped()),
    "temporary": Case(sound() | {"leader-epoch-checkpoint.tmp": b"0\n", f"{stem(30)}.index.tmp": b"x"}),
    "temporary-kafka": Case(sound() | {"leader-epoch-checkpoint.tmp": b"0\n"}),
    "log-sound": Case(sound(), clean=False),
    "log-unread": Case(sound()),
    "log-shrunk": Case(SHRUNK, clean=False, recovery_point=40),
    "log-shrunk-clean": Case(SHRUNK),
    "log-shrunk-crash": Case(SHRUNK, clean=False, recovery_point=39),
    "log-shrunk-anyway": Case(SHRUNK, clean=False, recovery_point=40),
    "log-too-large": Case(too_large),
    "log-follows": Case(damaged(30, 4), clean=False, recovery_point=30),
    "log-overflow": Case(overflowing(), clean=False),
    "log-damaged": Case(damaged(60, 1), clean=False, recovery_point=66),
    "log-damaged-clean": Case(without(damaged(30, 4), "index")),
    "log-salvage": Case(damaged(60, 1), clean=False, recovery_point=66),
    "log-trailing": Case(with_batches(60, *batches(60), TORN), recovery_point=END),
    "log-torn": Case(with_batches(60, *batches(60), GARBAGE), clean=False, recovery_point=60),
    "log-zeros": Case(with_batches(30, *batches(30, 6), bytes(500)), clean=False, recovery_point=30),
    "log-torn-earlier": Case(with_batches(30, *batches(30, 6), GARBAGE), clean=False, recovery_point=30),
    "log-kafka-recovery": Case(with_batches(60, *batches(60), bytes(500)), clean=False, recovery_point=60),
    "log-kafka-backwards": Case(with_batches(60, *BACKWARDS), clean=False, config={"index_interval_bytes": 0}),
    "log-kafka-index": Case(without(damaged(30, 4), "index")),
    "log-kafka-backwards-index": Case(
        without(with_batches(60, *BACKWARDS), "index", base_offset=60), config={"index_interval_bytes": 0}
    ),
    "log-exhausted": Case(exhausted()),
    "log-kafka-exhausted": Case(exhausted(), clean=False),
    "log-kafka-overflow": Case(overflowing(), clean=False),
    "log-kafka-before": Case(with_batches(60, *batches(0, 3)), clean=False),
    "log-kafka-tail": Case(with_batches(60, *batches(60), TORN)),
    "log-kafka-no-batch": Case(with_batches(60, *batches(60), GARBAGE)),
    "index-missing": Case(without(sound(), "index")),
    "timeindex-missing": Case(without(sound(), "timeindex")),
    "timeindex-missing-kafka": Case(without(sound(), "timeindex")),
    "index-short": Case(long_folder()),
    "timeindex-short": Case(with_index("timeindex", lambda data: b"")),
    "index-unsound": Case(with_index("index", lambda data: data[8:16] + data[:8] + data[16:])),
    "timeindex-unsound": Case(with_index("timeindex", lambda data: data[12:24] + data[:12] + data[24:])),
    "index-active-trusted": Case(with_index("index", lambda data: data + b"odd", 60)),
    "timeindex-active-trusted": Case(with_index("timeindex", lambda data: data + b"odd", 60)),
    "txnindex": Case(sound() | transactions(30, 33, 40)),
    "txnindex-beyond": Case(with_batches(60, *batches(60, 5)) | transactions(60, 66, 80)),
    "txnindex-recovered": Case(sound() | transactions(60, 66), clean=False),
    "txnindex-unsound": Case(sound() | {f"{stem(30)}.txnindex": b"odd"}),
    "txnindex-missing": Case(segment(0, aborted()), clean=False),
    "orphan": Case(without(sound(), "log"), clean=False),
    "orphan-empty": Case(sound() | {f"{stem(120)}.index": bytes(80), f"{stem(120)}.txnindex": b""}),
    "orphan-clean": Case(without(sound(), "log")),
    "orphan-anyway": Case(without(sound(), "log")),
    "partition": Case(sound()),
    "partition-new": Case({}),
    "partition-restart": Case(sound(), start=200),
    "partition-truncated": Case(sound(), recovery_point=91),
    "partition-lost": Case(sound(), clean=False, recovery_point=91),
    "partition-lost-anyway": Case(sound(), clean=False, recovery_point=91),
    "partition-lost-new": Case({}, clean=False, recovery_point=5),
    "partition-lost-restart": Case(sound(), clean=False, start=100, recovery_point=101),
    "snapshot": Case(sound() | snapshots(30, END)),
    "snapshot-stray": Case(sound() | snapshots(40, 60)),
    "snapshot-beyond": Case(sound() | snapshots(END + 1)),
    "snapshot-unsound": Case(sound() | {f"{stem(END)}.snapshot": b"x"}),
    "snapshot-stale": Case(sound() | snapshots(END, of=7), clean=False),
    "snapshot-missing": Case(sound(), clean=False),
    "epochs": Case(sound() | epochs((0, 0), (1, 30), (2, 60))),
    "epochs-stale": Case(sound() | epochs((0, 0), (1, 30), (2, 60), (3, END + 1))),
    "epochs-damaged": Case(sound() | {"leader-epoch-checkpoint": b"0\n1\nx y\n"}),
    "epochs-damaged-kafka": Case(sound() | {"leader-epoch-checkpoint": b"0\n1\nx y\n"}),
    "epochs-damaged-remote": Case(tiered() | {"leader-epoch-checkpoint": b"0\n1\nx y\n"}, start=10),
    "epochs-damaged-remote-salvage": Case(tiered() | {"leader-epoch-checkpoint": b"0\n1\nx y\n"}, start=10),
    "metadata": Case(sound() | {"partition.metadata": METADATA}),
    "metadata-damaged": Case(sound() | {"partition.metadata": METADATA[:9]}),
    "metadata-damaged-salvage": Case(sound() | {"partition.metadata": METADATA[:9]}),
    "kept-aside": Case(sound() | {f"torn-{stem(60)}-500.bytes": b"x"}),
    "foreign": Case(with_foreign),
    "foreign-log": Case(with_a_log_elsewhere),
    "foreign-log-anyway": Case(with_a_log_elsewhere),
}
for index, suffix in (("index", "index"), ("timeindex", "timeindex")):
    CASES |= {
        f"{index}-recovered": Case(sound(), clean=False),
        f"{index}-sound": Case(sound()),
        f"{index}-active": Case(sound()),
        f"{index}-odd": Case(with_index(suffix, lambda data: data + b"odd")),
        f"{index}-padded": Case(with_index(suffix, lambda data: data + bytes(240))),
        f"{index}-untrimmed": Case(with_index(suffix, lambda data: data + bytes(240), 60), name="__cluster_metadata-0"),
        f"{index}-trusted": Case(with_index(suffix, lambda data: data + bytes(240))),
    }


NEVER_MET = {("log-unread", Mode.SALVAGE), ("log-follows", Mode.SALVAGE)}
"""Salvage looks at every byte, and cuts nothing off."""


def named() -> list[Any]:
    met = [(row, mode) for row in TABLE for mode in row.modes if (row.name, mode) not in NEVER_MET]
    return [pytest.param(row, mode, id=f"{row.name}-{mode}") for row, mode in met]


def content(path: Path) -> dict[str, bytes | str]:
    return {
        entry.name: entry.read_bytes() if entry.is_file() else "not a file"
        for entry in sorted(path.iterdir())
        if not entry.is_file() or entry.stat().st_size < 2**31
    }


def recover(case: Case, path: Path, mode: Mode, storage: Storage | None = None) -> Recovered:
    found = recover_folder(path, case.log_config(), storage=storage or Storage(), **case.how(mode))
    for one in found.segments:
        one.close()
    return found


def test_every_row_has_its_folder() -> None:
    assert set(CASES) == {row.name for row in TABLE}


@pytest.mark.parametrize(("row", "mode"), named())
def test_a_folder_meets_the_row_and_is_recovered_by_it(row: TableRow, mode: Mode, tmp_path: Path) -> None:
    case = CASES[row.name]
    path = case.build(tmp_path / case.name)
    before = content(path)
    report = examine_folder(path, case.log_config(), **case.how(mode))
    assert content(path) == before, "a dry run changes nothing"
    assert row.name in {finding.row.name for finding in report}
    assert (row.action is Action.REFUSE) <= bool(report.refusals)
    check_text(report, mode)
    if report.refusals:
        with pytest.raises(DamagedLogError) as caught:
            recover(case, path, mode)
        assert str(path) in str(caught.value)
        assert content(path) == before, "a refusal changes nothing"
        return
    found = recover(case, path, mode)
    assert row.name in {finding.row.name for finding in found.report} or row.action in (Action.KEEP, Action.GROW)
    assert found.segments and found.next_offset >= found.log_start_offset
    nothing_is_lost(before, content(path), found.report)
    again = examine_folder(path, case.log_config(), **{**case.how(mode), "is_clean": True, "recovery_point": 0})
    left = {finding.action for finding in again.changes} | {finding.action for finding in again.refusals}
    assert not left, f"a second look finds nothing to do: {again}"
    assert again.next_offset == found.next_offset


def check_text(report: RecoveryReport, mode: Mode) -> None:
    text, shown = str(report), report.as_dict()
    assert report.mode is mode_of(mode.value)
    assert len(text.splitlines()) == len(report) + 2 == len(shown["findings"]) + 2
    for finding, line in zip(report, text.splitlines()[1:], strict=False):
        assert finding.row.why in line and f"-> {finding.action}:" in line
        assert (finding.aside is None) or finding.aside in line
    assert shown["is_refused"] == bool(report.refusals) == text.endswith("refused")


def nothing_is_lost(before: dict[str, Any], after: dict[str, Any], report: RecoveryReport) -> None:
    """Every batch that a log held, and every other byte of it but zeros, is in a log or in a file kept aside."""
    dropped = {finding.file for finding in report if finding.kind in (Kind.REPLACED, Kind.DELETED, Kind.CLEANED)}
    kept = [data for name, data in after.items() if name.endswith((".log", ".bytes")) and isinstance(data, bytes)]
    for log in [data for name, data in after.items() if name.endswith(".log") and isinstance(data, bytes)]:
        found = kformat.read_batch_headers(log)
        kept += [log[start : start + size] for start, size in zip(found.position, found.size, strict=True)]
    for name, data in before.items():
        if name.endswith(".log") and name not in dropped and isinstance(data, bytes) and name != "5.log":
            left = data.rstrip(b"\0")
            assert covers(kept, left), name


def covers(kept: list[bytes], data: bytes) -> bool:
    """Whether data is made of whole parts, or of beginnings of them, one behind the other."""
    waiting, seen = [0], {0}
    while waiting and waiting[-1] < len(data):
        left = data[waiting.pop() :]
        whole = max((len(part) for part in kept if left.startswith(part)), default=0)
        most = max((common(part, left) for part in kept), default=0)
        for size in {whole, most} - {0}:
            if (end := len(data) - len(left) + size) not in seen:
                seen.add(end)
                waiting.append(end)
    return bool(waiting)


def common(one: bytes, other: bytes) -> int:
    """How many bytes two begin with alike."""
    size = min(len(one), len(other))
    differ = np.frombuffer(one, np.uint8, size) != np.frombuffer(other, np.uint8, size)
    return int(differ.argmax()) if differ.any() else size


# Died on the way

INTERRUPTED = {
    "torn": (CASES["log-torn"], Mode.STRICT),
    "later segments": (CASES["log-follows"], Mode.STRICT),
    "salvage": (CASES["log-salvage"], Mode.SALVAGE),
    "salvage of a clean log": (Case(without(damaged(30, 4), "index"), recovery_point=END), Mode.SALVAGE),
    "split": (CASES["log-overflow"], Mode.STRICT),
    "swap": (CASES["swap"], Mode.STRICT),
    "swap of an index": (CASES["swap-index"], Mode.STRICT),
    "emptied": (CASES["log-kafka-backwards"], Mode.KAFKA),
    "begun anew": (CASES["partition-restart"], Mode.STRICT),
    "epochs": (CASES["epochs-damaged"], Mode.STRICT),
    "a torn swap": (CASES["deleted-needed"], Mode.SALVAGE),
    "doubtful swaps": (CASES["swap-doubtful-salvage"], Mode.SALVAGE),
    "transactions": (CASES["txnindex-beyond"], Mode.STRICT),
}


@pytest.mark.parametrize("name", INTERRUPTED)
def test_a_recovery_that_dies_at_any_step_is_finished_by_the_next(name: str, tmp_path: Path) -> None:
    """What was a clean shutdown at first is none any more the second time: the root has taken the marker away."""
    case, mode = INTERRUPTED[name]
    path = case.build(tmp_path / "orders-0")
    before = picture(path)
    storage = FaultyStorage()
    wanted = recover_folder(path, case.log_config(), storage=storage, **case.how(mode))
    steps, after = len(storage.trace), logs_of(path)
    assert steps > 3
    for number in every(8, range(1, steps + 1), list(INTERRUPTED).index(name)):
        for extra in [entry for entry in path.iterdir() if entry.name not in before]:
            extra.unlink()
        put_back(before, path)
        dying = FaultyStorage(Fault(number, error=None))
        with pytest.raises(Death):
            recover_folder(path, case.log_config(), storage=dying, **case.how(mode))
        dying.close_all()
        found = recover(replace(case, clean=False), path, mode)
        place = f"after a death at {storage.trace[number - 1]}"
        assert logs_of(path) == after, place
        assert (found.next_offset, found.log_start_offset) == (wanted.next_offset, wanted.log_start_offset), place
        left = examine_folder(path, case.log_config(), is_clean=True, mode="kafka" if mode is Mode.KAFKA else "strict")
        assert not left.changes, place


def logs_of(path: Path) -> dict[str, bytes]:
    """The logs, and what was kept aside."""
    return {entry.name: entry.read_bytes() for entry in path.iterdir() if entry.name.endswith((".log", ".bytes"))}


# Damage of any kind


def headers_hurt(folder: Folder, chance: random.Random) -> Folder:
    """A folder with bits flipped in what no checksum covers: offsets, lengths, leader epochs, magics."""
    name = chance.choice([name for name in sorted(folder) if name.endswith(".log")])
    data = bytearray(folder[name])
    for start in chance.choices(read_batch_headers(bytes(data)).position.tolist(), k=chance.randint(1, 3)):
        data[start + chance.randrange(PEEK_BYTES)] ^= 1 << chance.randrange(8)
    return {**folder, name: bytes(data)}


def hurt(folder: Folder, chance: random.Random) -> Folder:
    """A folder with a few things done to it."""
    folder = dict(folder)
    if chance.random() < 0.4:
        folder = headers_hurt(folder, chance)
        if chance.random() < 0.5:
            return folder
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(sorted(folder))
        data = folder.pop(name)
        match chance.randrange(6):
            case 0:
                at = chance.randrange(len(data) or 1)
                folder[name] = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
            case 1:
                folder[name] = data[: chance.randrange(len(data) + 1)]
            case 2:
                folder[name] = data + chance.randbytes(chance.randrange(1, 200))
            case 3:
                folder[name] = data + bytes(chance.randrange(1, 200))
            case 4:
                folder[name + chance.choice((".deleted", ".cleaned", ".swap", ".tmp"))] = data
            case _:
                pass  # it is gone
    return folder


EPOCHS = epochs((0, 0), (1, 30), (2, 60), (4, END))
WHOLE: tuple[Folder, ...] = (
    sound() | EPOCHS | transactions(30, 33) | {"partition.metadata": METADATA},
    overflowing() | EPOCHS,
    legacy(),
)


def with_root(case: Case, root: Path) -> Path:
    """The folder of a case below a root that says what the case says, as a broker left it."""
    path = case.build(root / "orders-0")
    for name, offset in ((RECOVERY_POINTS, case.recovery_point), (LOG_START_OFFSETS, case.start)):
        if offset is not None:
            (root / name).write_bytes(build_offsets(TopicOffsets((TopicOffset("orders", 0, offset),))))
    if case.clean:
        (root / CLEAN_MARKER).write_bytes(b'{"version":0,"brokerEpoch":5}')
    return path


def damaged_case(seed: int) -> Case:
    chance = random.Random(seed)
    folder = hurt(WHOLE[seed % len(WHOLE)], chance)
    return Case(folder, chance.random() < 0.5, chance.choice((0, 45, 60, 75, END)), chance.choice((None, 5, 60)))


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("seed", every(2, range(48)))
def test_whatever_was_done_to_a_folder_it_is_refused_or_recovered(seed: int, mode: Any, tmp_path: Path) -> None:
    """A refusal leaves every name and byte of root and folder as they were; salvage refuses nothing, and leaves nothing
    in which `check` finds an error, but what is left of a transaction index whose markers are gone."""
    case = damaged_case(seed)
    path = with_root(case, tmp_path)
    before = picture(tmp_path), content(path)
    try:
        log = Log.open(
            path, case.log_config(), mode=mode, verify=True
        )  # by default some of it is found when it is used
    except DamagedLogError:
        assert mode is not Mode.SALVAGE
        (tmp_path / LOCK_FILE).unlink()
        assert picture(tmp_path) == before[0]
        return
    nothing_is_lost(before[1], content(path), log.report)
    bases = [one.base_offset for one in log.segments]
    log.close()
    if mode is not Mode.KAFKA:
        again = examine_folder(path, case.log_config(), is_clean=True, recovery_point=log.recovery_point)
        assert not again.refusals and not again.changes, str(again)
        assert (again.next_offset, again.log_start_offset) == (log.end_offset, bases[0])
    if mode is Mode.SALVAGE:
        wrong = [found for found in kformat.check(tmp_path) if found.severity == "error"]
        assert not [found for found in wrong if not found.rule.startswith("KF06")]


@pytest.mark.parametrize("mode", Mode)
def test_a_record_at_the_largest_offset_harms_no_other_log_of_its_root(mode: Any, tmp_path: Path) -> None:
    path = with_root(Case(exhausted(), clean=False), tmp_path)
    with Log.open(tmp_path / "other-0") as other:
        if mode is Mode.STRICT:
            with pytest.raises(DamagedLogError, match="no offset is left for the end of the log"):
                Log.open(path)
            assert content(path) == exhausted()
        else:
            kept = {Mode.SALVAGE: 2**63 - 10 + 3, Mode.KAFKA: 0}[mode]
            with Log.open(path, mode=mode) as log:
                assert log.end_offset == kept
                nothing_is_lost(exhausted(), content(path), log.report)
        other.append([b"value"])
        other.flush()
    with Log.open(tmp_path / "other-0") as other:
        assert other.recovery_point == 1


UNPLACEABLE = wrapper(2**40, inner(0, 0), inner(1, 0), magic=0)


@pytest.mark.parametrize("mode", Mode)
def test_a_batch_that_no_segment_has_room_for_is_found_once(mode: Mode, tmp_path: Path) -> None:
    """Its header says an offset far above the segment's, and what lies in it one far below that, which its checksum
    covers: salvage goes by that."""
    case = Case({f"{stem(0)}.log": UNPLACEABLE}, clean=False)
    path = case.build(tmp_path / "orders-0")
    if mode is Mode.KAFKA:
        with pytest.raises(DamagedLogError, match="no segment has room"):
            recover(case, path, mode)
        return
    found = recover(case, path, mode)
    next_offset = 2 if mode is Mode.SALVAGE else 0
    assert (found.next_offset, [path.read_bytes() for path in found.report.kept_aside]) == (next_offset, [UNPLACEABLE])


def test_a_log_is_divided_into_so_many_segments_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it asks for: recovery is bounded, and what lies behind the last of them is kept aside."""
    monkeypatch.setattr(segment_examination, "_MOST_PIECES", 5)
    made = b"".join(data_batch(number * 2**31, 1000, count=1) for number in range(9))
    case = Case({f"{stem(0)}.log": made}, clean=False)
    for mode in (Mode.STRICT, Mode.SALVAGE):
        path = case.build(tmp_path / mode / "orders-0")
        found = recover(case, path, mode)
        assert [one.base_offset for one in found.segments] == [number * 2**31 for number in range(5)]
        nothing_is_lost({f"{stem(0)}.log": made}, content(path), found.report)
