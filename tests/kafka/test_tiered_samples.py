"""Partitions of tiered topics, clean and killed: every answer is the broker's, or says what lies in remote storage.

`samples/tiered/` was recorded from real brokers with Kafka's LocalTieredStorage; see samples/README.md. Nothing here
starts a broker.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.index.lookup import (
    EARLIEST_LOCAL_TIMESTAMP,
    EARLIEST_TIMESTAMP,
    LATEST_TIMESTAMP,
    MAX_TIMESTAMP,
    Answer,
    find_offset,
    find_timestamp,
)
from kformat.kafka.log.partition import Partition
from tests.draws import every
from tests.judges import releases
from tests.samples import as_consumed, as_told
from tests.tiered import FOLDER, Tiered, all_tiered

VERSIONS = releases.TIERED
COPIES = ("clean", "killed")
ROOTS = [FOLDER / version / copy for version in VERSIONS for copy in COPIES]
LIMIT_BYTES = 1_200_000
NAMED = {
    "earliest": EARLIEST_TIMESTAMP,
    "earliest-local": EARLIEST_LOCAL_TIMESTAMP,
    "latest": LATEST_TIMESTAMP,
    "max": MAX_TIMESTAMP,
}

some_partitions = pytest.mark.parametrize("sample", every(2, all_tiered()), ids=str)
with_remote = pytest.mark.parametrize("sample", every(2, [s for s in all_tiered() if s.sidecar["remote"]]), ids=str)


def consumed(partition: Partition, start: int | None = None) -> list[dict[str, Any]]:
    """The records of a folder that a consumer is shown, from an offset on."""
    markers = {batch.base_offset for part in partition.segments for batch in part.scan() if batch.is_control}
    return [as_consumed(record) for record in partition.records(start) if record.offset not in markers]


def lookup(sample: Tiered, target: int) -> Answer:
    """What a lookup by time answers for the broker's own folder."""
    partition = sample.local
    return find_timestamp(
        partition.segments,
        target,
        log_start_offset=partition.log_start_offset,
        remote_offsets=partition.remote_offsets,
        epochs=[(entry.epoch, entry.start_offset) for entry in partition.leader_epochs],
    )


# Lookups


@some_partitions
def test_the_bounds_are_the_brokers(sample: Tiered) -> None:
    """Where the log starts, and where its local part; in between lies what is remote."""
    partition = sample.local
    assert (partition.log_start_offset, partition.local_log_start_offset) == (sample.start, sample.local_start)
    assert partition.remote_offsets == range(sample.start, sample.local_start)


@some_partitions
def test_special_targets_equal_the_brokers(sample: Tiered) -> None:
    """Offset, timestamp and leader epoch of earliest, earliest local, latest and the largest timestamp."""
    found = {name: as_told(lookup(sample, target)) for name, target in NAMED.items()}
    assert found == {name: answer for name, answer in sample.named.items() if name in NAMED}


@some_partitions
def test_lookups_by_time_equal_the_brokers(sample: Tiered) -> None:
    """A local answer of the broker is ours; where its answer is remote, ours says that it may be."""
    is_tiered = sample.start < sample.local_start
    for target, answer in every(8, list(sample.times.items()), len(sample.records)):
        found = lookup(sample, target)
        assert found.may_be_remote == is_tiered, target
        if answer.offset < 0 or answer.offset >= sample.local_start:
            assert as_told(found) == answer, target
        else:
            assert is_tiered, target


@some_partitions
def test_lookups_by_offset_say_what_is_remote(sample: Tiered) -> None:
    """Local offsets lead to the consumer's next record or to a marker before it; remote ones are said to be so."""
    partition = sample.local
    bounds = {"log_start_offset": partition.log_start_offset, "remote_offsets": partition.remote_offsets}
    shown = [record["offset"] for record in sample.records]
    for offset in range(sample.start - 1, sample.named["latest"].offset + 1):
        found = find_offset(partition.segments, offset, **bounds)  # type: ignore[arg-type]
        assert found.is_remote == (sample.start <= offset < sample.local_start), offset
        assert found.found == (sample.local_start <= offset < sample.named["latest"].offset), offset
        if found.offset is not None:
            following = min((one for one in shown if one >= offset), default=sample.named["latest"].offset)
            assert offset <= found.offset <= following


# Records


@some_partitions
def test_local_records_equal_the_consumers(sample: Tiered) -> None:
    """Those from the local start on, which DeleteRecords put inside of a segment of some."""
    expected = [record for record in sample.records if record["offset"] >= sample.local_start]
    assert consumed(sample.local) == expected
    assert sample.local.to_arrow("offset")["offset"].to_pylist() == [record["offset"] for record in expected]


@with_remote
def test_remote_records_equal_the_consumers(sample: Tiered) -> None:
    """The folder in remote storage opens as a partition: with the local one it holds all that a consumer gets."""
    remote = sample.remote
    assert remote is not None
    assert (remote.topic, remote.partition) == (sample.sidecar["remote"][: -len("-0-") - 22], 0)
    assert remote.topic_id == sample.local.topic_id
    found = consumed(remote, sample.start)
    end = max(segment_end(remote), sample.local_start)
    assert found == [record for record in sample.records if record["offset"] < end]
    assert end == max(sample.named["latest-tiered"].offset + 1, sample.local_start)


def segment_end(partition: Partition) -> int:
    """One after the last offset of a folder's last batch."""
    return max(batch.last_offset for batch in partition.segments[-1].scan()) + 1


@some_partitions
def test_committed_records_equal_the_consumers(sample: Tiered) -> None:
    """What read_committed gives of the local part, and of the remote one up to its last stable offset."""
    expected = [offset for offset in sample.committed if offset >= sample.local_start]
    table = sample.local.to_arrow(["offset"], isolation_level="read_committed")
    assert table["offset"].to_pylist() == expected
    if (remote := sample.remote) is not None:
        table = remote.to_arrow(["offset"], isolation_level="read_committed")
        found = [offset for offset in table["offset"].to_pylist() if offset >= sample.start]
        assert found == sample.committed[: len(found)]
        assert len(found) > len([offset for offset in sample.committed if offset < segment_end(remote)]) // 2


# The whole folders


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: "/".join(root.parts[-2:]))
@pytest.mark.parametrize("part", ["data", "remote"])
def test_check_finds_them_sound(root: Path, part: str) -> None:
    """No error and no warning, neither of the log directory with its cache of remote indexes nor of remote storage."""
    assert [finding for finding in kformat.check(root / part) if finding.severity != "info"] == []
    done = CliRunner().invoke(main, ["check", "--severity", "warning", str(root / part)])
    assert (done.exit_code, done.stdout) == (0, "")  # 2 where there is nothing to check


@with_remote
def test_check_finds_damage_in_remote_storage(sample: Tiered, tmp_path: Path) -> None:
    """One byte of a record is another one."""
    folder = sample.sidecar["remote"]
    copy = shutil.copytree(sample.root / "remote" / folder, tmp_path / folder)
    log = min(copy.glob("*.log"))
    data = bytearray(log.read_bytes())
    data[-1] ^= 1
    log.write_bytes(data)
    assert [finding.severity for finding in kformat.check(copy) if finding.severity != "info"] == ["error"]


@some_partitions
def test_dump_text_is_the_tools(sample: Tiered, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each `.log`, local and remote; the tool knows no name of remote files, so it was shown them without the id."""
    monkeypatch.chdir(sample.root)
    for file, text in sample.dumps().items():
        done = CliRunner().invoke(main, ["dump", "--deep-iteration", "--print-data-log", "--files", file])
        assert (done.exit_code, done.stdout_bytes) == (0, b"Dumping %s\n" % file.encode() + text), file


# The samples are what they are for


def test_every_partition_is_a_case() -> None:
    """No folder without a sidecar, no sidecar without a folder, every kind in each copy; all together small."""
    assert {sample.root for sample in all_tiered()} == set(ROOTS)
    for root in ROOTS:
        mine = [sample for sample in all_tiered() if sample.root == root]
        folders = {path.name for path in (root / "data").iterdir() if path.is_dir()}
        assert folders == {sample.name for sample in mine} | {"remote-log-index-cache"}
        remote = {path.name for path in (root / "remote").iterdir()}
        assert remote == {sample.sidecar["remote"] for sample in mine} - {None}
        assert {kind for sample in mine for kind in sample.sidecar["kinds"]} == set(PROOF)
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < LIMIT_BYTES


def test_files_are_as_the_broker_left_them() -> None:
    """Each has its checksum in a sidecar, and sidecars tell of the version that wrote them."""
    for root in ROOTS:
        sidecars = {path: json.loads(path.read_text(encoding="utf-8")) for path in root.glob("*.json")}
        kept = {f"{folder}/{name}": digest for content in sidecars.values()
                for folder, files in content["sha256"].items() for name, digest in files.items()}  # fmt: skip
        found = {
            str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
            for part in ("data", "remote")
            for path in (root / part).rglob("*")
            if path.is_file()
        }
        assert found == kept
        for path, content in sidecars.items():
            assert content["written_by"]["version"] == root.parts[-2]
            assert content["stopped"] == {"clean": "clean", "killed": "kill -9"}[root.parts[-1]]
            assert path.read_text(encoding="utf-8") == json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def codecs(partition: Partition | None) -> set[int]:
    assert partition is not None
    return {codec for segment in partition.segments for codec in segment.headers().compression.tolist()}


def entry(sample: Tiered) -> list[str]:
    """The partition's line in log-start-offset-checkpoint."""
    lines = (sample.root / "data" / "log-start-offset-checkpoint").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(sample.name.replace("-0", " 0 "))]


def not_committed(sample: Tiered) -> list[int]:
    found: list[int] = sample.sidecar["not_committed"]["offsets"]
    return found


def remote_maximum(sample: Tiered) -> int:
    """The largest timestamp of the records that are remote only."""
    return max(record["timestamp"] for record in sample.records if record["offset"] < sample.local_start)


def starts_inside(sample: Tiered, partition: Partition | None) -> bool:
    """Whether the log starts in a segment of this folder, after the segment's first offset."""
    assert partition is not None
    return partition.segments[0].base_offset < sample.start < partition.segments[1].base_offset


def is_empty(sample: Tiered) -> bool:
    (segment,) = sample.local.segments
    padded = [path for path in (segment.index, segment.timeindex) if path is not None and path.stat().st_size]
    return segment.log.stat().st_size == 0 and bool(padded) == sample.is_killed


PROOF: dict[str, Callable[[Tiered], bool]] = {
    "remote segments": lambda s: (
        s.start < s.local_start <= s.named["latest"].offset
        and s.remote is not None
        and sum(segment.base_offset < s.local_start for segment in s.remote.segments) > 1
    ),
    "out-of-order CreateTime": lambda s: (
        min(record["timestamp"] for record in s.records if record["offset"] >= s.local_start) < remote_maximum(s)
    ),
    "largest timestamp in a remote segment": lambda s: remote_maximum(s) > s.named["max"].timestamp,
    "codecs": lambda s: codecs(s.local) == codecs(s.remote) == set(range(len(CODEC_NAMES))),
    "LogAppendTime": lambda s: {record["timestamp_type"] for record in s.records} == {"LogAppendTime"},
    "aborted transactions, remote and local": lambda s: (
        min(not_committed(s)) < s.local_start
        and any(s.local_start <= offset < max(s.committed) for offset in not_committed(s))
    ),
    "open transaction": lambda s: s.records[-1]["offset"] == not_committed(s)[-1] == s.named["latest"].offset - 1,
    "log start in a remote segment": lambda s: starts_inside(s, s.remote) and s.start < s.local_start,
    "log start in a local segment": lambda s: starts_inside(s, s.local) and s.start == s.local_start,
    "log start at the end": lambda s: s.start == s.named["latest"].offset > s.local.segments[0].base_offset,
    "no local record": lambda s: s.start < s.local_start == s.named["latest"].offset and is_empty(s),
    "never copied": lambda s: s.sidecar["remote"] is None and entry(s) == ["never-copied 0 0"],
}
"""How each kind shows."""


@some_partitions
def test_samples_are_what_they_claim_to_be(sample: Tiered) -> None:
    """Each kind shows; each partition has its entry in the checkpoint; a broker that was started again led anew."""
    assert [kind for kind in sample.sidecar["kinds"] if not PROOF[kind](sample)] == []
    assert entry(sample) == [f"{sample.name[:-2]} 0 {sample.start}"]
    assert (sample.named["latest"].leader_epoch > 0) == (not sample.is_killed)
    assert (sample.named["earliest"].leader_epoch == 0) or sample.start > 0
