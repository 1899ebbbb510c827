"""A partition's files by name, where indexes end, records over segments: on folders made here."""

from __future__ import annotations

import errno
import os
import tracemalloc
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import kformat
from kformat.cli import main
from kformat.errors import InvalidError, TruncatedError, UsageError
from kformat.kafka.files.file_kinds import FileName, FolderName, is_topic_name, parse_file_name, parse_folder_name
from kformat.kafka.index.index_file import IndexFile, read_index
from kformat.kafka.index.indexing import index_entries
from kformat.kafka.index.lookup import find_max_timestamp, find_offset, find_timestamp
from kformat.kafka.log.partition import Segment, iter_partitions, open_partition
from kformat.language.layout import layout
from tests.samples import indexed_batches

ENTRY = {format: layout(f"{format}::entry").dtype for format in ("offset_index", "time_index")}


def name(offset: int, suffix: str) -> str:
    return f"{offset:020}.{suffix}"


def batch(base_offset: int, timestamps: list[int], **fields: Any) -> bytes:
    """A batch of small records, one per timestamp."""
    records: list[dict[str, Any]] = [
        {
            "offset_delta": delta,
            "timestamp_delta": ts - timestamps[0],
            "key": None,
            "value": b"v%d" % delta,
            "headers": [],
        }
        for delta, ts in enumerate(timestamps)
    ]
    known = {"base_offset": base_offset, "partition_leader_epoch": 0, "attributes": {}, "records": records,
             "base_timestamp": timestamps[0], "max_timestamp": max(timestamps)}  # fmt: skip
    return kformat.build("record_batch", known | fields)


def write_segment(folder: Path, batches: list[bytes], *, base_offset: int, interval: int = 100) -> Segment:
    """A closed segment with the indexes that a current broker writes."""
    log = folder / name(base_offset, "log")
    log.write_bytes(b"".join(batches))
    made = Segment(base_offset, log)
    entries = index_entries(indexed_batches(made), base_offset=base_offset, index_interval_bytes=interval)
    for suffix, index in zip(("index", "timeindex"), entries, strict=True):
        (folder / name(base_offset, suffix)).write_bytes(index.tobytes())
    return made


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """orders-3: offsets 0..19 in two segments, two records a batch, a timestamp of 10 times the offset."""
    folder = tmp_path / "orders-3"
    folder.mkdir()
    for base_offset in (0, 12):
        batches = [
            batch(offset, [10 * offset, 10 * offset + 10])
            for offset in range(base_offset, base_offset * 2 // 3 + 12, 2)
        ]
        write_segment(folder, batches, base_offset=base_offset)
    return folder


# Names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("orders-0", FolderName("orders", 0, "")),
        ("my-own-topic-12", FolderName("my-own-topic", 12, "")),
        ("a.b-0", FolderName("a.b", 0, "")),
        ("__cluster_metadata-0", FolderName("__cluster_metadata", 0, "")),
        ("orders-2.0123456789abcdef0123456789abcdef-delete", FolderName("orders", 2, "delete")),
        ("a.b-2.0123456789abcdef0123456789abcdef-future", FolderName("a.b", 2, "future")),
        ("orders-2.0123456789abcdef0123456789abcdef-stray", FolderName("orders", 2, "stray")),
        ("a-delete-0", FolderName("a-delete", 0, "")),
        ("x-2147483647", FolderName("x", 2147483647, "")),
        ("x-2147483648", None),
        ("orders-delete", None),
        ("remote-log-index-cache", None),
        ("-0", None),
        ("orders-", None),
        ("orders--1", FolderName("orders-", 1, "")),
        ("orders-١", None),
        ("orders-1_0", None),
        ("orders", None),
        ("", None),
    ],
)
def test_folder_names(text: str, expected: FolderName | None) -> None:
    assert parse_folder_name(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, True) for text in ("a", "A.b_c-9", "...", "a" * 249, "-", "__consumer_offsets")),
        *((text, False) for text in ("", ".", "..", "a" * 250, "a b", "a/b", "é", "a\n", "a:b", "١")),
    ],
)
def test_topic_names(text: str, expected: bool) -> None:
    assert is_topic_name(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("00000000000000000000.log", FileName(0, "log", "")),  # W9
        ("00000000000000000000.index", FileName(0, "offset_index", "")),
        ("00000000000000000251.timeindex", FileName(251, "time_index", "")),
        ("09223372036854775807.log", FileName(2**63 - 1, "log", "")),
        ("09223372036854775808.log", None),
        ("00000000000000000007.snapshot", FileName(7, "producer_snapshot", "")),
        ("00000000000000000007.txnindex.deleted", FileName(7, "transaction_index", "deleted")),
        ("00000000000000000007.log.swap", FileName(7, "log", "swap")),
        ("00000000000000000007.timeindex.cleaned", FileName(7, "time_index", "cleaned")),
        ("00000000000000000007-0000000001.checkpoint", FileName(7, "metadata_snapshot", "", 1)),
        ("00000000000000000007-0000000001.checkpoint.part", FileName(7, "metadata_snapshot", "part", 1)),
        ("00000000000000000007.checkpoint", None),
        ("00000000000000000007-0000000001.log", None),
        ("0.log", None),
        ("0000000000000000000७.log", None),
        ("00000000000000000000.log.1", None),
        ("00000000000000000000.log\n", None),
    ],
)
def test_file_names(text: str, expected: FileName | None) -> None:
    assert parse_file_name(text) == expected


# Listing


def test_segments_and_others(orders: Path) -> None:
    for other in ("leader-epoch-checkpoint", "partition.metadata", name(12, "snapshot"), name(0, "txnindex"),
                  name(12, "log.deleted"), name(5, "index"), "leader-epoch-checkpoint.tmp", "notes.txt"):  # fmt: skip
        (orders / other).write_bytes(b"x")
    found = open_partition(orders)
    assert (found.topic, found.partition, found.state) == ("orders", 3, "")
    assert [(segment.base_offset, segment.name) for segment in found.segments] == [
        (0, name(0, "log")),
        (12, name(12, "log")),
    ]
    assert [segment.index and segment.index.name for segment in found.segments] == [name(0, "index"), name(12, "index")]
    assert found.segments[1].timeindex == orders / name(12, "timeindex")
    assert found.segments[0].size_bytes == (orders / name(0, "log")).stat().st_size
    assert [(other.name, other.kind, other.state, other.size_bytes) for other in found.others] == [
        (name(0, "txnindex"), "transaction_index", "", 1),
        (name(5, "index"), "offset_index", "", 1),
        (name(12, "log.deleted"), "log", "deleted", 1),
        (name(12, "snapshot"), "producer_snapshot", "", 1),
        ("leader-epoch-checkpoint", "leader_epoch_checkpoint", "", 1),
        ("leader-epoch-checkpoint.tmp", "temporary", "", 1),
        ("notes.txt", "unknown", "", 1),
        ("partition.metadata", "partition_metadata", "", 1),
    ]
    descriptions = {other.name: other.description for other in found.others}
    assert descriptions[name(5, "index")] == "offset index without a log"
    assert descriptions[name(12, "log.deleted")] == "segment, deleted, waiting to be removed"


def test_odd_things_are_listed_and_in_nobodys_way(tmp_path: Path) -> None:
    folder = tmp_path / "odd-0"
    folder.mkdir()
    (folder / name(0, "log")).write_bytes(b"")
    (folder / name(0, "index")).mkdir()
    (folder / name(0, "timeindex")).symlink_to(tmp_path / "nowhere")
    (folder / name(9, "log")).mkdir()
    (folder / name(10, "log")).symlink_to(folder / name(10, "log"))
    os.mkfifo(folder / name(11, "log"))
    (folder / "\n").write_bytes(b"")
    (folder / ("x" * 200)).write_bytes(b"")
    with open(os.fsencode(folder) + b"/\xff.log", "wb"):
        pass
    found = open_partition(folder)
    assert [(segment.base_offset, segment.index, segment.timeindex) for segment in found.segments] == [(0, None, None)]
    assert {other.name: other.kind for other in found.others} == {
        "\n": "unknown",
        name(0, "index"): "directory",
        name(0, "timeindex"): "dangling_link",
        name(9, "log"): "directory",
        name(10, "log"): "dangling_link",
        name(11, "log"): "not_regular",
        "x" * 200: "unknown",
        "\udcff.log": "unknown",
    }
    (segment,) = found.segments
    assert len(segment.headers()) == len(segment.offset_entries()) == len(segment.time_entries()) == 0
    assert list(found.records(0, 9)) == [] and list(segment.scan()) == []
    assert found.strange_logs == {offset: name(offset, "log") for offset in (9, 10, 11)}
    with pytest.raises(IsADirectoryError):
        list(found.records())
    assert not find_offset(found.segments, 0).found


@pytest.mark.parametrize("strange", ["a link to nowhere", "a folder", "a pipe", "a device"])
def test_a_log_that_is_no_file_is_not_passed_over(strange: str, orders: Path, tmp_path: Path) -> None:
    """As where the disk that a link leads to is not mounted."""
    for path in orders.glob(name(12, "*")):
        path.unlink()
    log, root = orders / name(12, "log"), tmp_path / "root"
    match strange:
        case "a link to nowhere":
            log.symlink_to(tmp_path / "not mounted" / log.name)
        case "a folder":
            log.mkdir()
        case "a pipe":
            os.mkfifo(log)
        case "a device":
            log.symlink_to("/dev/zero")
    found = open_partition(orders)
    assert [record.offset for record in found.records(end_offset=12)] == list(range(12))
    for ask in (lambda: list(found.records()), found.to_arrow, found.require_logs, lambda: list(kformat.stats(orders))):
        with pytest.raises(OSError):
            ask()
    root.mkdir()
    (root / "orders-3").symlink_to(orders)
    for verb in ("export --format csv", "grep a", "stats", "ls", "find --offset 13", "find --timestamp 0"):
        result = CliRunner().invoke(main, [*verb.split(), str(root)])
        assert (result.exit_code, log.name in result.stderr) == (3, True), verb


def test_what_may_not_be_read_is_listed(orders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def refuse(path: Any, *arguments: Any, **options: Any) -> int:
        if str(path).endswith(name(12, "log")):  # permissions would not stop root
            raise PermissionError(13, "Permission denied", path)
        return opened(path, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    found = open_partition(orders)
    assert len(found.segments) == 2
    assert [record.offset for record in found.records(10, 12)] == [10, 11]
    with pytest.raises(PermissionError):
        list(found.records())


@pytest.mark.parametrize("error", [PermissionError(errno.EACCES, "no"), OSError(errno.EIO, "a disk that fails")])
def test_what_may_not_be_looked_at_is_not_passed_over(
    error: OSError, orders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Entry:
        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.name = entry.name

        def stat(self) -> os.stat_result:
            raise error

    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: nullcontext([Entry(entry) for entry in scandir(path)]))
    found = open_partition(orders)
    assert [segment.base_offset for segment in found.segments] == [0, 12], "a shorter log would be a lie"
    assert all(other.size_bytes is None for other in found.others)


def test_names_come_from_the_path_that_is_meant(orders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (orders / "inside").mkdir()
    monkeypatch.chdir(orders / "inside")
    assert (open_partition("..").topic, open_partition(f"../{name(12, 'log')}").topic) == ("orders", "orders")
    assert [partition.partition for partition in iter_partitions("..")] == [3]


def test_a_folder_with_another_name(tmp_path: Path) -> None:
    (tmp_path / "backup").mkdir()
    found = open_partition(tmp_path / "backup")
    assert (found.topic, found.partition, found.segments, found.others) == ("backup", -1, (), ())


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_partition(tmp_path / "nothing-0")
    with pytest.raises(FileNotFoundError):
        list(iter_partitions(tmp_path / "nothing-0"))
    os.mkfifo(tmp_path / name(0, "log"))
    for odd in ("notes.txt", "x.log", "99999999999999999999.log", name(0, "index"), name(0, "log.old")):
        (tmp_path / odd).write_bytes(b"")
        with pytest.raises(UsageError, match=r"neither a directory nor a \.log file"):
            open_partition(tmp_path / odd)
    with pytest.raises(UsageError):
        open_partition(tmp_path / name(0, "log"))


def test_one_log_file(orders: Path) -> None:
    found = open_partition(orders / name(12, "log"))
    assert (found.topic, found.partition, found.others) == ("orders", 3, ())
    (segment,) = found.segments
    assert (segment.base_offset, segment.index) == (12, orders / name(12, "index"))
    assert [record.offset for record in found.records(15)] == [15, 16, 17, 18, 19]
    os.rename(orders / name(0, "log"), orders / name(0, "log.deleted"))
    os.rename(orders / name(0, "index"), orders / name(0, "index.deleted"))
    (deleted,) = open_partition(str(orders / name(0, "log.deleted"))).segments
    assert (deleted.base_offset, deleted.index, deleted.timeindex) == (0, orders / name(0, "index.deleted"), None)
    (orders / "7.log").write_bytes(batch(7, [1]))
    assert [record.offset for record in open_partition(orders / "7.log").records()] == [7]


def test_a_root_is_no_partition(tmp_path: Path) -> None:
    for folder in ("orders-0", "orders-1"):
        (tmp_path / folder).mkdir()
    with pytest.raises(UsageError, match=r"a folder of partitions \(orders-0, \.\.\.\).*kformat\.open_root"):
        open_partition(tmp_path)


def test_partitions_of_a_root(tmp_path: Path, orders: Path) -> None:
    for folder in ("orders-10", "a-b-0", "__cluster_metadata-0", "remote-log-index-cache", "orders-1.abc-delete"):
        (tmp_path / folder).mkdir()
    (tmp_path / "meta.properties").write_bytes(b"")
    (tmp_path / "file-0").write_bytes(b"")
    (tmp_path / "gone-0").symlink_to(tmp_path / "nowhere")
    names = ["__cluster_metadata-0", "a-b-0", "orders-3", "orders-10"]
    assert [partition.path.name for partition in iter_partitions(tmp_path)] == names
    everything = list(iter_partitions(tmp_path, all_states=True))
    assert [(p.topic, p.partition, p.state) for p in everything if p.state] == [("orders", 1, "delete")]
    assert len(everything) == 5
    # A path that is itself a partition, whatever it is called.
    assert [p.path for p in iter_partitions(orders)] == [orders]
    assert [p.path.name for p in iter_partitions(orders / name(0, "log"))] == [name(0, "log")]
    assert [(p.path.name, p.segments) for p in iter_partitions(tmp_path / "orders-10")] == [("orders-10", ())]
    assert list(iter_partitions(tmp_path / "remote-log-index-cache")) == []
    # A root that is called like a partition, but holds partitions.
    (tmp_path / "orders-10" / "deep-0").mkdir()
    assert [p.topic for p in iter_partitions(tmp_path / "orders-10")] == ["deep"]


def test_a_log_beside_partitions_does_not_hide_them(tmp_path: Path, orders: Path) -> None:
    (tmp_path / name(0, "log")).write_bytes(b"")
    assert [p.path for p in iter_partitions(tmp_path)] == [orders]
    # In a partition, and beside folders without logs, it is what is there.
    (orders / "deep-0").mkdir()
    (orders / "deep-0" / name(0, "log")).write_bytes(b"")
    assert [p.path for p in iter_partitions(orders)] == [orders]
    other = tmp_path / "copied"
    (other / "empty-0").mkdir(parents=True)
    (other / name(0, "log")).write_bytes(b"")
    assert [p.path for p in iter_partitions(other)] == [other]


def test_kformat_open_is_this() -> None:
    assert kformat.__getattr__("open") is open_partition


# Indexes


def index_bytes(format: str, *entries: tuple[int, int]) -> bytes:
    return np.array(list(entries), ENTRY[format]).tobytes()


@pytest.mark.parametrize(
    ("format", "data", "entry_count", "padding", "unsound", "odd"),
    [
        ("offset_index", b"", 0, 0, 0, 0),
        ("offset_index", index_bytes("offset_index", (6, 156), (14, 459)), 2, 0, 0, 0),
        ("offset_index", index_bytes("offset_index", (6, 156), (14, 459)) + bytes(24), 2, 24, 0, 0),
        ("offset_index", bytes(80), 0, 80, 0, 0),
        ("offset_index", index_bytes("offset_index", (6, 156)) + bytes(11), 1, 8, 0, 3),
        ("offset_index", index_bytes("offset_index", (6, 156), (5, 200), (9, 300)) + bytes(8), 1, 8, 16, 0),
        ("offset_index", index_bytes("offset_index", (6, 156), (0, 0), (9, 300)), 1, 0, 16, 0),
        ("offset_index", b"\xff\xff\xff", 0, 0, 0, 3),
        ("time_index", index_bytes("time_index", (0, 0)), 1, 0, 0, 0),
        ("time_index", bytes(36), 0, 36, 0, 0),
        ("time_index", index_bytes("time_index", (5, 3), (6, 4)) + bytes(12 + 7), 2, 12, 0, 7),
        ("time_index", index_bytes("time_index", (5, 3), (5, 4), (7, 6)), 1, 0, 24, 0),
        ("time_index", index_bytes("time_index", (256, 256)) + bytes(12), 1, 12, 0, 0),  # its own last byte is a zero
    ],
)
def test_what_an_index_file_holds(
    tmp_path: Path, format: str, data: bytes, entry_count: int, padding: int, unsound: int, odd: int
) -> None:
    (tmp_path / "index").write_bytes(data)
    found = read_index(tmp_path / "index", format)
    assert (found.entry_count, found.padding_bytes, found.unsound_bytes, found.odd_bytes) == (
        entry_count, padding, unsound, odd,
    )  # fmt: skip
    assert found.size_bytes == len(data)
    assert found.entries.dtype == ENTRY[format]
    assert found.entries.tobytes() == data[: found.entries.nbytes]
    assert found.is_trimmed == (padding == unsound == odd == 0)


def test_entries_across_chunks(tmp_path: Path) -> None:
    count = 200_000
    entries = np.zeros(count + 100_000, ENTRY["offset_index"])
    entries["relative_offset"][:count] = np.arange(1, count + 1)
    entries["position"][:count] = np.arange(1, count + 1) * 100
    path = tmp_path / "index"
    path.write_bytes(entries.tobytes())
    found = read_index(path, "offset_index")
    assert (found.entry_count, found.padding_bytes, found.unsound_bytes) == (count, 800_000, 0)
    assert np.array_equal(found.entries, entries[:count])
    for broken in (65_535, 65_536, 131_072, 131_071):  # the ends of chunks: the slot before decides
        damaged = entries.copy()
        damaged["relative_offset"][broken] = damaged["relative_offset"][broken - 1]
        path.write_bytes(damaged.tobytes())
        found = read_index(path, "offset_index")
        assert (found.entry_count, found.unsound_bytes) == (broken, (count - broken) * 8)


def sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_padding_takes_no_memory(tmp_path: Path) -> None:
    path = sparse(tmp_path / "index", 10_485_760)  # W10: what a segment in use has
    tracemalloc.start()
    found = read_index(path, "offset_index")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found.entry_count, found.padding_bytes) == (0, 10_485_760)
    assert peak < 4_000_000


def test_no_index_is_larger_than_2_gib(tmp_path: Path) -> None:
    with pytest.raises(InvalidError, match="too large for an index"):
        read_index(sparse(tmp_path / "index", 2**31), "offset_index")


@given(st.binary(max_size=120), st.sampled_from(["offset_index", "time_index"]))
def test_any_bytes_are_an_index_file(tmp_path_factory: pytest.TempPathFactory, data: bytes, format: str) -> None:
    path = tmp_path_factory.mktemp("any") / "index"
    path.write_bytes(data)
    found = read_index(path, format)
    parts = found.entries.nbytes, found.unsound_bytes, found.padding_bytes, found.odd_bytes
    assert min(parts) >= 0 and sum(parts) == len(data)
    end = len(data) - found.odd_bytes
    assert not any(data[end - found.padding_bytes : end])


def test_missing_indexes_have_no_entries(orders: Path) -> None:
    for suffix in ("index", "timeindex"):
        (orders / name(0, suffix)).unlink()
    segment = open_partition(orders).segments[0]
    assert segment.offset_index() is None and segment.time_index() is None
    assert len(segment.offset_entries()) == len(segment.time_entries()) == 0
    assert segment.offset_entries().dtype == ENTRY["offset_index"]


# Records


def test_records_between_offsets(orders: Path) -> None:
    found = open_partition(orders)
    everything = list(range(20))
    for start in (None, -5, *range(21)):
        for end in (None, 0, 1, 11, 12, 13, 20, 99):
            offsets = [record.offset for record in found.records(start, end)]
            assert offsets == everything[max(start or 0, 0) : end], (start, end)
    first = next(found.records())
    assert (first.offset, first.timestamp, first.value) == (0, 0, b"v0")


def test_records_do_not_trust_an_index(orders: Path) -> None:
    index = np.array([(1, 300)], ENTRY["offset_index"])
    (orders / name(0, "index")).write_bytes(index.tobytes())
    assert [record.offset for record in open_partition(orders).records(5, 8)] == [5, 6, 7]


def test_records_up_to_the_damage(orders: Path) -> None:
    log = orders / name(12, "log")
    data = log.read_bytes()
    log.write_bytes(data[:-1])
    offsets = []
    with pytest.raises(TruncatedError) as caught:
        for record in open_partition(orders).records():
            offsets.append(record.offset)
    assert offsets == list(range(18)) and caught.value.source == str(log)
    log.write_bytes(data + bytes(99) + b"\1")
    with pytest.raises(InvalidError):
        list(open_partition(orders).records())
    assert [record.offset for record in open_partition(orders).records(18, 20)] == [18, 19]


def test_records_take_the_memory_of_a_few_batches(tmp_path: Path) -> None:
    folder = tmp_path / "large-0"
    folder.mkdir()
    value = bytes(100_000)
    with (folder / name(0, "log")).open("wb") as file:
        for offset in range(200):
            record: dict[str, Any] = {
                "offset_delta": 0,
                "timestamp_delta": 0,
                "key": None,
                "value": value,
                "headers": [],
            }
            file.write(batch(offset, [1], records=[record]))
    found = open_partition(folder)
    assert sum(1 for _ in found.records()) == 200  # whatever is made once
    tracemalloc.start()
    assert sum(len(record.value or b"") for record in found.records()) == 20_000_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000


# As lookups and indexing see a segment


def test_lookups_over_files(orders: Path) -> None:
    os.utime(orders / name(0, "log"), ns=(0, 1_234_567_890))
    found = open_partition(orders)
    assert found.segments[0].last_modified_ms == 1234
    for offset in range(20):
        answer = find_offset(found.segments, offset)
        assert (answer.offset, answer.timestamp, answer.leader_epoch) == (offset, 10 * offset, 0)
        assert answer.segment == name(12 if offset >= 12 else 0, "log")
        assert find_timestamp(found.segments, 10 * offset - 5 if offset else 0).offset == offset
    assert not find_offset(found.segments, 20).found and not find_timestamp(found.segments, 191).found


def test_an_index_file_that_shrinks_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "index"
    path.write_bytes(index_bytes("offset_index", (6, 156), (14, 459)) + bytes(8 * 100_000))
    read = os.pread

    def trim_then_read(descriptor: int, size: int, position: int) -> bytes:
        os.truncate(path, 16)  # a broker closes the segment
        return read(descriptor, size, position)

    monkeypatch.setattr(os, "pread", trim_then_read)
    found: IndexFile = read_index(path, "offset_index")
    assert (found.entry_count, found.padding_bytes, found.size_bytes, found.is_trimmed) == (2, 0, 16, True)


@pytest.mark.parametrize("zeros", [17, 4096, 3 << 20])
def test_room_behind_the_last_batch_is_its_end(tmp_path: Path, zeros: int) -> None:
    """A broker with `log.preallocate` leaves zeros when it is copied or killed; records and lookups end before them."""
    log = tmp_path / "t-0" / f"{0:020}.log"
    log.parent.mkdir()
    log.write_bytes(batch(0, [1000, 1001]) + bytes(zeros))
    partition = open_partition(log.parent)
    *_, record = partition.records()
    assert find_offset(partition.segments, record.offset + 1).offset is None
    assert find_timestamp(partition.segments, record.timestamp + 1).offset is None
    assert find_max_timestamp(partition.segments).offset == record.offset
    log.write_bytes(log.read_bytes() + b"\1")
    with pytest.raises(InvalidError, match="no batch begins here"):
        list(open_partition(log.parent).records())
