"""`kformat salvage`: all that a scan of all bytes proves comes out, in files that `check` finds sound; each byte of the
source is in one range of the report; a dry run says what the run does."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.errors import DataError
from kformat.kafka.batch.batches import iter_batches, read_batch_headers
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.records import Record
from kformat.kafka.files.checkpoints import CHECKPOINTS
from kformat.kafka.log.partition import iter_partitions, open_partition
from kformat.language.layout import layout
from kformat.salvage import COLUMNS, CONTENTS, REPORT_FILE, Report, salvage
from kformat.storage.algorithms import algorithm_of
from kformat.storage.byte_source import ByteSource
from kformat_engine import Log, LogConfig
from tests.damages import data_batch, patched
from tests.draws import IS_NIGHT, every
from tests.salvage.ways import errors
from tests.samples import ROOT, all_samples

SAMPLE = ROOT / "4.3.1" / "rolled-by-bytes-0"
TRANSACTIONS = ROOT / "4.3.1" / "transactions-0"
FIRST = f"{0:020d}"
LAYOUT = layout("record_batch")
PAGE = 4096


def copied(folder: Path, to: Path) -> Path:
    shutil.copytree(folder, to / folder.name)
    return to / folder.name


def records_of(folder: Path) -> list[Record]:
    return list(open_partition(folder).records(before_log_start=True))


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def judged(source: Path, root: Path, **how: Any) -> Report:
    """What a run reports, once it is what a dry run reports, each byte is in one range, and nothing in it is wrong."""
    before = tree(source)
    dry = salvage(source, root, dry_run=True, **how)
    assert not root.exists()
    report = salvage(source, root, **how)
    assert tree(source) == before, "the source is only read"
    assert report.summary() == dry.summary()
    for one, other in zip(report.partitions, dry.partitions, strict=True):
        assert [made.as_dict() for made in one.ranges] == [made.as_dict() for made in other.ranges]
        for segment, ranges in one.segments:
            ends = [0, *(made.end_position for made in ranges)]
            assert [made.position for made in ranges] == ends[:-1] and ends[-1] == segment.size_bytes
    assert errors(root) == []
    return report


# --- what is sound -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", every(2, sorted({sample.root for sample in all_samples()}), 1))
def test_what_is_sound_comes_out_as_it_is(version: str, tmp_path: Path) -> None:
    report = judged(ROOT / version, tmp_path / "new")
    assert report.is_whole and len(report.partitions) > 3
    whole = 0
    for partition in iter_partitions(ROOT / version):
        new = tmp_path / "new" / partition.folder.name
        logs = {path.name: path.read_bytes() for path in partition.folder.glob("*.log")}
        room = {name: data.rstrip(b"\0") for name, data in logs.items()}
        found = {path.name: path.read_bytes().rstrip(b"\0") for path in new.glob("*.log")}
        assert {name: data for name, data in room.items() if data} == {n: d for n, d in found.items() if d}
        assert records_of(new) == records_of(partition.folder)
        is_sound = not any(one.severity == "error" for one in kformat.check(partition.folder))
        if is_sound and {path.name: path.read_bytes() for path in new.glob("*.log")} == logs:  # without room at the end
            theirs = {name: data for name, data in tree(partition.folder).items() if "deleted" not in name}
            assert theirs.items() <= tree(new).items()
            # Brokers before 0.10 and 0.11 had no such files.
            assert all(name.endswith(("timeindex", "epoch-checkpoint")) for name in tree(new).keys() - theirs.keys())
            whole += 1
    assert whole > 2


@pytest.mark.parametrize("start", [None, 0, 3, 30, 95, 120])
@pytest.mark.parametrize("damage", [False, True], ids=["sound", "damaged"])
def test_empty_segments_the_start_and_epochs_stay(start: int | None, damage: bool, tmp_path: Path) -> None:
    """Compaction leaves segments without batches, and epochs of batches that it has removed."""
    source = tmp_path / "source" / "orders-0"
    with Log.open(source, LogConfig(segment_bytes=1000, index_interval_bytes=100)) as log:
        for number in range(120):
            log.leader_epoch = number // 25
            log.append([(b"key", b"value %d" % number)])
    logs = sorted(source.glob("*.log"))
    empty = [*logs[:2], logs[3]]
    assert len(logs) > 6 and int(logs[2].stem) > 3
    for path in empty:
        for suffix in (".log", ".index", ".timeindex"):
            path.with_suffix(suffix).write_bytes(b"")
        os.utime(path, ns=(10**18, 10**18))
    if start is not None:
        (source.parent / CHECKPOINTS["log_start_offset"]).write_text(f"0\n1\norders 0 {start}\n")
    if damage:
        data = logs[4].read_bytes()
        logs[4].write_bytes(data[:70] + b"?" + data[71:])
    new = tmp_path / "new" / "orders-0"
    report = judged(source.parent, new.parent)
    assert report.is_whole != damage
    assert [path.name for path in sorted(new.glob("*.log"))] == [path.name for path in logs]
    assert [(new / path.name).stat().st_mtime_ns for path in empty] == [10**18] * 3
    assert (new / "leader-epoch-checkpoint").read_bytes() == (source / "leader-epoch-checkpoint").read_bytes()
    with kformat.LogReader.open(source) as theirs, kformat.LogReader.open(new) as ours:
        assert ours.start_offset == theirs.start_offset == (start or 0)
        assert ours.end_offset == theirs.end_offset == 120
    if not damage:
        assert tree(new) == tree(source)
    other = shutil.copytree(source.parent, tmp_path / "other") / "orders-0"
    data = logs[5].read_bytes()
    (other / logs[5].name).write_bytes(data[:70] + b"?" + data[71:])
    for number, roots in enumerate([(source.parent, other.parent), (other.parent, source.parent)]):
        best = tmp_path / f"best-{number}"
        assert kformat.merge(roots, best).is_whole != damage
        assert [path.name for path in sorted((best / "orders-0").glob("*.log"))] == [path.name for path in logs]
        if not damage:
            assert tree(best / "orders-0") == tree(source)


def test_a_tiered_log_stays_one(tmp_path: Path) -> None:
    source = tmp_path / "source" / "orders-0"
    with Log.open(source, LogConfig(segment_bytes=300)) as log:
        for number in range(40):
            log.append([(b"key", b"value %d" % number)])
    for path in sorted(source.glob("*.log"))[:3]:  # a broker has copied them to its remote storage
        for suffix in (".log", ".index", ".timeindex", ".snapshot"):
            path.with_suffix(suffix).unlink(missing_ok=True)
    (source.parent / CHECKPOINTS["log_start_offset"]).write_text("0\n1\norders 0 0\n")
    remote = open_partition(source).remote_offsets
    assert len(remote) > 3
    judged(source.parent, tmp_path / "new")
    assert open_partition(tmp_path / "new" / "orders-0").remote_offsets == remote
    assert tree(tmp_path / "new" / "orders-0") == tree(source)


@pytest.mark.parametrize("version", ["4.3.1", "4.4.0"])
def test_a_broker_has_its_files(version: str, tmp_path: Path) -> None:
    report = judged(ROOT / version, tmp_path / "new")
    names = {path.name for path in (tmp_path / "new" / "transactions-0").iterdir()}
    end = next(one for one in report.summary() if one["partition"] == "transactions-0")["next_offset"]
    assert {f"{end:020d}.snapshot", "leader-epoch-checkpoint", "partition.metadata"} <= names
    metadata = [path.name for path in (ROOT / version / "__cluster_metadata-0").iterdir()]
    kept = [path.name for path in (tmp_path / "new" / "__cluster_metadata-0").iterdir()]
    assert {name for name in metadata if name.endswith((".checkpoint", "-state"))} <= {*kept}
    root = kformat.open_root(tmp_path / "new")
    # A broker says nothing of KRaft's own log.
    ends = {(one.topic, one.partition): one.segments[-1] for one in root if one.topic != "__cluster_metadata"}
    for name in ("recovery-point-offset-checkpoint", "replication-offset-checkpoint"):
        offsets = root.offsets(name)
        assert offsets.keys() == ends.keys() and all(offsets[key] >= ends[key].base_offset for key in ends)
    assert json.loads((tmp_path / "new" / REPORT_FILE).read_text("utf-8"))["finished"] is True


# --- damage ------------------------------------------------------------------------------------------------------


def proved_at(data: bytes) -> dict[int, bytes]:
    """Position -> batch of magic 2, wherever one with its own length has a right checksum: independently, byte by byte,
    without those inside another."""
    found: dict[int, bytes] = {}
    algorithm, field, covered = LAYOUT.checksum()
    end = 0
    for at in range(len(data) - HEADER_BYTES + 1):
        size = LAYOUT.end("batch_length") + LAYOUT.reader("batch_length")(data, at)
        if at < end or not HEADER_BYTES <= size <= len(data) - at or data[at + LAYOUT.position("magic")] != 2:
            continue
        if algorithm_of(algorithm).compute(data[at + covered : at + size]) == LAYOUT.reader(field)(data, at):
            found[at], end = data[at : at + size], at + size
    return found


def borders(data: bytes) -> list[int]:
    return [batch.position for batch in iter_batches(data)]


def of_field(name: str) -> Callable[[bytes, random.Random], bytes]:
    def change(data: bytes, chance: random.Random) -> bytes:
        at, made = chance.choice(borders(data)), bytearray(data)
        width = LAYOUT.end(name) - LAYOUT.position(name)
        place = at + LAYOUT.position(name)
        made[place : place + width] = bytes(byte ^ chance.randrange(1, 256) for byte in made[place : place + width])
        return bytes(made)

    return change


def zeroed(data: bytes, chance: random.Random) -> bytes:
    page = chance.randrange(len(data) // PAGE)
    return data[: page * PAGE] + bytes(PAGE) + data[(page + 1) * PAGE :]


def swapped(data: bytes, chance: random.Random) -> bytes:
    one, other = sorted(chance.sample(range(len(data) // 512), 2))
    sectors = [data[at : at + 512] for at in range(0, len(data), 512)]
    sectors[one], sectors[other] = sectors[other], sectors[one]
    return b"".join(sectors)


def torn(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(1, len(data))]


def middle_lost(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data) // 2)
    return data[:start] + data[start + chance.randrange(1, len(data) // 3) :]


def inserted(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + chance.randbytes(chance.randrange(1, 3000)) + data[at:]


def rot(data: bytes, chance: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(5):
        made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
    return bytes(made)


def twice(data: bytes, chance: random.Random) -> bytes:
    """A sound batch stands again, later: its offset is taken."""
    places = borders(data)
    number = chance.randrange(len(places) // 2)
    batch, later = data[places[number] : places[number + 1]], places[number + 3]
    return data[:later] + batch + data[later:]


def headless(data: bytes, chance: random.Random) -> bytes:
    return data[chance.randrange(1, 2000) :]


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    **{name: of_field(name) for name in LAYOUT.header_dtype.names or ()},
    **{one.__name__: one for one in (zeroed, swapped, torn, middle_lost, inserted, rot, twice, headless)},
}


@pytest.mark.parametrize("has_index", [True, False], ids=["with indexes", "without"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_all_that_is_provable_is_saved_and_nothing_else(damage: str, has_index: bool, tmp_path: Path) -> None:
    wanted = {record.offset: record for record in records_of(SAMPLE)}
    for seed in range(20 if IS_NIGHT else 1):
        where = tmp_path / str(seed)
        folder, chance = copied(SAMPLE, where / "old"), random.Random(f"{damage} {seed}")
        log = folder / f"{FIRST}.log"
        changed = DAMAGES[damage](log.read_bytes(), chance)
        log.write_bytes(changed)
        for path in [] if has_index else [*folder.glob("*.index"), *folder.glob("*.timeindex")]:
            path.unlink()
        report = judged(where / "old", where / "new")
        found = {record.offset: record for record in records_of(where / "new" / SAMPLE.name)}
        for offset, record in found.items():
            assert record == wanted[offset], "a false record"
        # What the checksum covers is there, in a log or, if its offset is unknown, in a file of its own.
        covered = LAYOUT.checksum()[2]
        kept = {path.read_bytes()[covered:] for path in (where / "new").glob("unplaced/*/*")}
        kept |= {batch.raw[covered:] for path in (where / "new").rglob("*.log") for batch in iter_batches(path)}
        assert {batch[covered:] for batch in proved_at(changed).values()} <= kept
        assert sum(one["records_count"] for one in report.summary()) == len(found)
        shutil.rmtree(where)


def test_lengths_are_found_and_lost_offsets_told(tmp_path: Path) -> None:
    """The example of a broken length, and that of a page of zeros without an index."""
    folder = copied(SAMPLE, tmp_path / "old")
    log = folder / f"{FIRST}.log"
    data = bytearray(log.read_bytes())
    LAYOUT.writer("batch_length")(data, 0, 4177)
    log.write_bytes(data)
    report = judged(tmp_path / "old", tmp_path / "one")
    assert report.summary()[0] | {"records_count": 560, "lost_bytes": 0, "restored_batches": 1} == report.summary()[0]
    (first, *_) = report.partitions[0].ranges
    assert first.reason == "restored: batch_length"
    log.write_bytes(data[:PAGE] + bytes(PAGE) + data[2 * PAGE :])
    (folder / f"{FIRST}.index").unlink()
    report = judged(tmp_path / "old", tmp_path / "two")
    assert report.summary()[0] | {"records_count": 504, "missing": "48-103"} == report.summary()[0]
    assert not report.is_whole


def test_zeros_that_held_batches_are_lost(tmp_path: Path) -> None:
    """Offsets are missing before the next segment, or the index names positions there; other zeros are room."""
    folder = copied(SAMPLE, tmp_path / "old")
    for number, (log, missing) in enumerate(zip(sorted(folder.glob("*.log")), ["48-199", None, None], strict=True)):
        at = borders(log.read_bytes())[6]
        data = log.read_bytes()
        log.write_bytes(data[:at] + bytes(len(data) - at) if missing else data + bytes(5000))
        for sure in ("skip", "report") if missing else ():
            skipped: list[Any] = []
            kformat.open(folder).to_arrow(on_corrupt=sure, on_skipped=skipped.append)
            assert [one.offsets for one in skipped] == ["offsets 48-199"]
        assert salvage(folder, tmp_path / f"new{number}").summary()[0]["missing"] == "48-199"
    last = sorted(folder.glob("*.log"))[-1]
    last.write_bytes(bytes(last.stat().st_size))
    assert salvage(folder, tmp_path / "last").summary()[0]["missing"] == "48-199, 424-"
    last.with_suffix(".index").unlink()
    assert salvage(folder, tmp_path / "times").summary()[0]["missing"] == "48-199, 424-"
    last.with_suffix(".timeindex").unlink()
    assert salvage(folder, tmp_path / "snapshot").summary()[0]["missing"] == "48-199, 424-"
    (folder / "00000000000000000560.snapshot").unlink()
    checkpoint = folder.parent / CHECKPOINTS["high_watermark"]
    checkpoint.write_text(f"0\n1\n{folder.name.removesuffix('-0')} 0 560\n")
    assert salvage(folder, tmp_path / "checkpoint").summary()[0]["missing"] == "48-199, 424-"
    checkpoint.unlink()  # nothing tells it now: a segment that was just begun
    assert salvage(folder, tmp_path / "room").summary()[0]["missing"] == "48-199"


def test_logs_that_were_cut_off_between_two_batches(tmp_path: Path) -> None:
    """No byte is lost then. The time index, and for the last log the snapshot or a checkpoint, names what is gone."""
    folder = copied(SAMPLE, tmp_path / "a" / "old")
    first, *_, last = sorted(folder.glob("*.log"))
    for log in (first, last):
        os.truncate(log, borders(log.read_bytes())[-1])
    report = judged(tmp_path / "a" / "old", tmp_path / "a" / "new")
    assert report.summary()[0]["missing"] == "192-199, 552-" and not report.is_whole
    copies = [folder]
    for number in range(2):
        copies.append(copied(folder, tmp_path / f"b{number}"))
        os.truncate(copies[-1] / last.name, borders(last.read_bytes())[number])
    missing = ["192-199, 432-559", "192-199, 552-559", None]
    for more, expected in zip(([], [folder], [SAMPLE]), missing, strict=True):
        found = kformat.merge([*copies[1:], *more], tmp_path / "dry", dry_run=True)
        assert found.summary()[0]["missing"] == expected


def test_bounds_after_bytes_were_moved(tmp_path: Path) -> None:
    """What an index says of positions is wrong then."""
    for name, cut in (("broker-lz4-0", 6330), ("plain-0", 6330), ("plain-0", 9000)):
        folder = copied(ROOT / "4.3.1" / name, tmp_path / f"{name}{cut}")
        log = folder / f"{FIRST}.log"
        log.write_bytes(log.read_bytes()[:cut] + log.read_bytes()[cut + 100 :])
        records = list(kformat.open(folder).records(on_corrupt="skip"))
        for start in range(0, records[-1].offset, 11):
            found = list(kformat.open(folder).records(start_offset=start, on_corrupt="skip"))
            assert found == [record for record in records if record.offset >= start]


def test_what_was_guessed_ends_with_its_last_record(tmp_path: Path) -> None:
    folder = copied(ROOT / "4.3.1" / "append-time-gzip-0", tmp_path / "old")
    log = folder / f"{FIRST}.log"
    data = log.read_bytes()
    log.write_bytes(data[:-100] + b"\xff" * 20 + data[-80:])
    (row,) = judged(tmp_path / "old", tmp_path / "new", content="guessed").summary()
    assert row["next_offset"] == records_of(tmp_path / "new" / folder.name)[-1].offset + 1 == 170


def test_the_header_of_what_can_be_read_says_what_is_in_it(tmp_path: Path) -> None:
    """Its checksum is wrong, and one field that it covers."""
    batches = [data_batch(3 * number, 1000 + number) for number in range(6)]
    for name, field, value in (("t-0", "base_timestamp", 0), ("p-0", "producer_id", 7)):
        wrong = patched(batches[3], mend=False, crc=1, **{field: value})
        (tmp_path / "old" / name).mkdir(parents=True)
        (tmp_path / "old" / name / f"{FIRST}.log").write_bytes(b"".join([*batches[:3], wrong, *batches[4:]]))
    report = judged(tmp_path / "old", tmp_path / "new", content="structural")
    assert [row["records_count"] for row in report.summary()] == [18, 18]


def test_weaker_grades_are_saved_if_asked_for(tmp_path: Path) -> None:
    folder = copied(SAMPLE, tmp_path / "old")
    log = folder / f"{FIRST}.log"
    data = bytearray(log.read_bytes())
    second = borders(bytes(data))[1]
    data[second // 2 : second // 2 + 60] = bytes(60)  # among the records of the first batch
    log.write_bytes(data)
    counts = {}
    for content in CONTENTS:
        judged(tmp_path / "old", tmp_path / content, content=content)
        counts[content] = len(records_of(tmp_path / content / SAMPLE.name))
    assert counts["proved"] == 552 < counts["guessed"] < 560
    assert [record.offset for record in records_of(tmp_path / "guessed" / SAMPLE.name)][:3] == [0, 1, 2]


def test_a_batch_without_a_place_is_kept_apart(tmp_path: Path) -> None:
    folder = copied(SAMPLE, tmp_path / "old")
    log = folder / f"{FIRST}.log"
    data = log.read_bytes()
    start, end = borders(data)[4:6]
    log.write_bytes(data + data[start:end])  # again, where its offset is taken
    report = judged(tmp_path / "old", tmp_path / "new")
    assert report.summary()[0]["unplaced_batches"] == 1 and not report.is_whole
    (path,) = (tmp_path / "new").glob("unplaced/*/*")
    assert path.read_bytes() == data[start:end]
    assert any("move it away before a broker starts" in text for text in report.remarks)


def test_sectors_that_cannot_be_read_are_lost_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = copied(SAMPLE, tmp_path / "old")
    log, read_at = folder / f"{FIRST}.log", ByteSource.read_at

    def failing(self: ByteSource, position: int, size: int) -> bytes:
        if self.name == str(log) and position < 2 * PAGE and position + size > PAGE:
            raise OSError(errno.EIO, os.strerror(errno.EIO), self.name)
        return read_at(self, position, size)

    monkeypatch.setattr(ByteSource, "read_at", failing)
    report = salvage(tmp_path / "old", tmp_path / "new")
    monkeypatch.undo()
    lost = [made for made in report.partitions[0].ranges if made.reason == "the disk could not read it"]
    assert [(made.position, made.end_position) for made in lost] == [(PAGE, 2 * PAGE)]
    assert report.summary()[0]["records_count"] == len(records_of(tmp_path / "new" / SAMPLE.name)) == 504
    assert errors(tmp_path / "new") == []


def test_open_transactions_are_told(tmp_path: Path) -> None:
    """Markers that are lost leave transactions open; consumers of committed records would wait."""
    folder = copied(TRANSACTIONS, tmp_path / "old")
    log = max(folder.glob("*.log"))
    data = bytearray(log.read_bytes())
    marker = next(batch for batch in iter_batches(bytes(data)) if batch.is_control)
    data[marker.position : marker.position + marker.size] = bytes(marker.size)
    log.write_bytes(data)
    report = judged(tmp_path / "old", tmp_path / "new")
    saved = report.partitions[0].saved
    assert saved is not None and len(saved.open_transactions) >= 1
    done = CliRunner().invoke(main, ["salvage", str(folder), "-o", str(tmp_path / "again")])
    assert done.exit_code == 1 and "consumers of committed records wait at offset" in done.stderr


# --- running it --------------------------------------------------------------------------------------------------


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at any renaming: what is complete stays, the rest is made, and the result is that of one run."""
    for name in ("plain-0", "rolled-by-bytes-0", "transactions-0"):
        copied(ROOT / "4.3.1" / name, tmp_path / "old")
    salvage(tmp_path / "old", tmp_path / "whole")
    expected = tree(tmp_path / "whole")
    rename, left = os.replace, [0]

    def dying(*places: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        rename(*places)

    for steps in range(0, 40, 1 if IS_NIGHT else 3):
        left[0] = steps
        monkeypatch.setattr(os, "replace", dying)
        try:
            salvage(tmp_path / "old", tmp_path / "new")
        except KeyboardInterrupt:
            monkeypatch.undo()
            salvage(tmp_path / "old", tmp_path / "new")
        monkeypatch.undo()
        assert tree(tmp_path / "new").keys() == expected.keys()
        different = [name for name, data in tree(tmp_path / "new").items() if data != expected[name]]
        assert different in ([], [REPORT_FILE])
        shutil.rmtree(tmp_path / "new")
        if left[0] > 0:
            return
    pytest.fail("never came to the end")


def test_the_command(tmp_path: Path) -> None:
    folder = copied(SAMPLE, tmp_path / "old")
    out = tmp_path / "new"
    done = CliRunner().invoke(main, ["salvage", str(tmp_path / "old"), "-o", str(out), "--format", "nl"])
    assert (done.exit_code, done.stderr.count("\n")) == (0, 1)
    (row,) = map(json.loads, done.stdout.splitlines())
    assert row["records_count"] == 560 and row["missing"] is None and list(row) == [*COLUMNS, "fatal_missing"]
    log = folder / f"{FIRST}.log"
    log.write_bytes(log.read_bytes()[:-1])
    done = CliRunner().invoke(
        main, ["salvage", str(folder), "-o", str(tmp_path / "dry"), "--dry-run", "--ranges", "--format", "nl"]
    )
    assert done.exit_code == 1 and not (tmp_path / "dry").exists()
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["outcome"] for row in rows] == ["saved", "lost", "saved", "saved"]
    assert (rows[1]["first_offset"], rows[1]["last_offset"]) == (192, 199)


def test_several_partitions_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-j`: the same files, report and lines."""
    monkeypatch.setattr("kformat.cli.salvage._LEAST_BYTES", 0)
    for name in ("plain-0", "rolled-by-bytes-0", "transactions-0"):
        log = next(copied(ROOT / "4.3.1" / name, tmp_path / "old").glob("*.log"))
        log.write_bytes(log.read_bytes()[:3000] + bytes(100) + log.read_bytes()[3100:])
    said = []
    for jobs in ("1", "2"):
        done = CliRunner().invoke(main, ["salvage", str(tmp_path / "old"), "-o", str(tmp_path / jobs), "-j", jobs])
        said.append((done.exit_code, done.stdout))
    assert said[0] == said[1] and said[0][0] == 1
    first, second = (
        {name: data for name, data in tree(tmp_path / jobs).items() if name != REPORT_FILE} for jobs in "12"
    )
    assert first == second
    before = tree(tmp_path / "old")
    done = CliRunner().invoke(main, ["salvage", str(tmp_path / "old"), "--in-place", "-j", "2"])
    assert (done.exit_code, done.stdout) == said[0]
    assert CliRunner().invoke(main, ["salvage", str(tmp_path / "old"), "--undo"]).exit_code == 0
    assert {name: data for name, data in tree(tmp_path / "old").items() if name != ".lock"} == before


def test_errors_are_typed(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        salvage(tmp_path / "missing", tmp_path / "new")
    folder = copied(SAMPLE, tmp_path / "old")
    (folder / "partition.metadata").write_bytes(b"\xff")
    (tmp_path / "old" / "meta.properties").write_bytes(b"\xff\xfe")
    report = salvage(tmp_path / "old", tmp_path / "new")
    saved = report.partitions[0].saved
    assert saved is not None and "partition.metadata is lost" in saved.remarks[0]
    assert not issubclass(OSError, DataError)


# --- the cluster's metadata --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "lost", "fatal"),
    [
        ("__cluster_metadata-0", "first", True),
        ("__cluster_metadata-0", "middle", True),
        ("__cluster_metadata-0", "last", False),
        ("__cluster_metadata-0", "none", False),
        ("cluster_metadata-0", "middle", False),
    ],
)
@pytest.mark.parametrize("how", ["salvage SRC -o DST", "salvage SRC --in-place", "merge SRC -o DST"])
def test_gaps_in_the_clusters_metadata_are_fatal(how: str, name: str, lost: str, fatal: bool, tmp_path: Path) -> None:
    folder = copied(ROOT / "4.3.1" / "__cluster_metadata-0", tmp_path / "disk").rename(tmp_path / "disk" / name)
    log = folder / f"{FIRST}.log"
    headers = read_batch_headers(log)
    number = {"first": 0, "middle": len(headers) // 2, "last": len(headers) - 1}.get(lost)
    if number is not None:
        position, size = int(headers.position[number]), int(headers.size[number])
        data = bytearray(log.read_bytes())
        data[position : position + size] = bytes(size)
        log.write_bytes(data)
    words = how.replace("SRC", str(folder)).replace("DST", str(tmp_path / "new")).split()
    result = CliRunner().invoke(main, ["-q", *words, "--format", "json"])
    (row,) = json.loads(result.stdout)
    assert (row["missing"] is not None) == (number is not None) == (result.exit_code == 1)
    assert (row["fatal_missing"] is not None) == fatal == ("FATAL" in result.stderr)
    if fatal:
        assert row["fatal_missing"] == row["missing"]
        reports = [*(tmp_path / "new").glob("kformat-salvage.json"), *folder.glob(".kformat-salvage/report.json")]
        assert [row["fatal_missing"] in path.read_text() for path in reports] == [True]
        assert '"fatal_missing"' in reports[0].read_text()
