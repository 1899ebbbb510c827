"""`kformat.diff` and `kformat diff`: what is told of two files, in how many lines, and what is not told."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.diff.comparison import Comparison, Counts, Difference
from kformat.diff.rows import RowDifferences
from kformat.errors import ChecksumError, InvalidError, TruncatedError, UsageError
from kformat.kafka.batch.batches import iter_batches
from kformat.testing import write_log
from tests.damages import batch_of, bit, data_batch, patched, record_bytes
from tests.samples import ROOT

TIME = 1_700_000_000_000
LOG = "00000000000000000000.log"
BATCHES = [data_batch(3 * number, TIME + number) for number in range(10)]
RECORDS = [
    {"timestamp_delta": 0, "offset_delta": number, "key": b"k", "value": b"v%d" % number, "headers": []}
    for number in range(12)
]


def log_of(*groups: int, codec: str = "none", records: list[dict[str, Any]] | None = None, **fields: Any) -> bytes:
    """The same twelve records in batches of so many."""
    found, start = b"", 0
    for count in groups:
        part = [
            {**record, "offset_delta": number} for number, record in enumerate((records or RECORDS)[start:][:count])
        ]
        header = {"base_timestamp": TIME, "max_timestamp": TIME, "attributes": {"compression": codec}, **fields}
        found += kformat.build("record_batch", {"base_offset": start, **header, "records": part})
        start += count
    return found


def compare(tmp_path: Path, a: bytes, b: bytes, name: str = LOG, **more: Any) -> tuple[list[str], Comparison]:
    for side, data in (("a", a), ("b", b)):
        (tmp_path / side).mkdir(exist_ok=True)
        (tmp_path / side / name).write_bytes(data)
    found = kformat.diff(tmp_path / "a" / name, tmp_path / "b" / name, **more)
    return [str(difference).replace(f"{tmp_path}/", "") for difference in found], found


def changed(index: int, **fields: Any) -> list[dict[str, Any]]:
    return [{**record, **(fields if number == index else {})} for number, record in enumerate(RECORDS)]


WHOLE = log_of(4, 4, 4)
LAST = len(WHOLE) - len(log_of(4, 4))

SHORT = record_bytes(offset_delta=0, value=b"")
LONG = SHORT.replace(b"\x06key", b"\x86\x00key").replace(b"\x12", b"\x14", 1)
"""The same record, the length of its key in two bytes instead of one."""

LOGS: dict[str, tuple[bytes, bytes, list[str]]] = {
    "nothing": (WHOLE, WHOLE, []),
    "a batch inserted": (
        b"".join(BATCHES[:2] + BATCHES[3:]),
        b"".join(BATCHES),
        ["record_batch[base_offset=6]: only in the second: offsets 6 to 8, 3 records"],
    ),
    "a header that claims the offsets of its neighbours": (
        b"".join(BATCHES),
        b"".join([*BATCHES[:2], patched(BATCHES[2], last_offset_delta=1000), *BATCHES[3:]]),
        ["record_batch[base_offset=6].last_offset_delta: 2 != 1000"],
    ),
    "batches missing, one line for those that lie together": (
        b"".join(BATCHES),
        b"".join([BATCHES[0], *BATCHES[4:9]]),
        [
            "record_batch[base_offset=3]: only in the first: 3 batches, offsets 3 to 11, 9 records",
            "record_batch[base_offset=27]: only in the first: offsets 27 to 29, 3 records",
        ],
    ),
    "a value, without the lengths and the checksum that it changes": (
        WHOLE,
        log_of(4, 4, 4, records=changed(5, value=b"other")),
        ["record_batch[base_offset=4].records[offset=5].value: b'v5' != b'other'"],
    ),
    "null is not empty": (
        log_of(4, 4, 4, records=changed(5, value=None)),
        log_of(4, 4, 4, records=changed(5, value=b"")),
        ["record_batch[base_offset=4].records[offset=5].value: null != b''"],
    ),
    "a header": (
        WHOLE,
        log_of(4, 4, 4, records=changed(2, headers=[{"key": "h", "value": None}])),
        ["record_batch[base_offset=0].records[offset=2].headers[0]: only in the second"],
    ),
    "a record missing from a batch": (
        WHOLE,
        kformat.build(
            "record_batch",
            {
                "base_offset": 0, "last_offset_delta": 3, "base_timestamp": TIME, "max_timestamp": TIME,
                "attributes": {}, "records": [RECORDS[0], RECORDS[3]],
            },
        )
        + log_of(4, 4, 4)[len(log_of(4)) :],
        ["record_batch[base_offset=0].records[offset=1..2]: only in the first: 2 of them"],
    ),
    "deltas of another base, to the same timestamps": (
        WHOLE,
        log_of(4, 4, 4, base_timestamp=TIME - 5, records=[{**record, "timestamp_delta": 5} for record in RECORDS]),
        [f"record_batch[base_offset={base}].base_timestamp: {TIME} != {TIME - 5}" for base in (0, 4, 8)],
    ),
    "compression of one batch": (
        WHOLE,
        log_of(4) + log_of(4, 4, codec="gzip")[len(log_of(4, codec="gzip")) :] + log_of(4, 4, 4)[len(log_of(4, 4)) :],
        ["record_batch[base_offset=4].attributes.compression: none != gzip"],
    ),
    "other batches of the same records": (
        WHOLE,
        log_of(6, 6, codec="zstd"),
        [
            "record_batch[base_offset=0]: offsets 0 to 11: 12 records equal, batches differ: 3 batches (none) != "
            "2 batches (zstd)"
        ],
    ),
    "other batches, of which some are as they were": (
        WHOLE,
        log_of(4, 2, 2, 4),
        [
            "record_batch[base_offset=4]: offsets 4 to 7: 4 records equal, batches differ: 1 batch (none) != "
            "2 batches (none)"
        ],
    ),
    "other batches, and a record": (
        WHOLE,
        log_of(12, records=changed(7, key=None)),
        [
            "records[offset=7].key: b'k' != null",
            "record_batch[base_offset=0]: offsets 0 to 11: records differ, batches differ: 3 batches (none) != "
            "1 batch (none)",
        ],
    ),
    "an over-long varint": (
        batch_of(0, SHORT, 1, TIME),
        batch_of(0, LONG, 1, TIME),
        ["record_batch[base_offset=0].records[offset=0].length: 9 != 10"],
    ),
    "zeros behind the last batch are no content": (WHOLE, WHOLE + bytes(5000), []),
    "a checksum": (
        WHOLE,
        patched(WHOLE[: len(log_of(4))], mend=False, crc=1) + WHOLE[len(log_of(4)) :],
        [
            "damage in the second: ChecksumError: b/00000000000000000000.log:17 record_batch.crc: crc32c of bytes 21 "
            f"to {len(log_of(4)) - 1} differs (expected {next(iter_batches(WHOLE)).crc:08x}, found 00000001)",
            f"record_batch[base_offset=0].crc: {next(iter_batches(WHOLE)).crc} != 1",
        ],
    ),
    "a log cut short": (
        WHOLE,
        WHOLE[:-5],
        [
            f"damage in the second: TruncatedError: b/{LOG}:{len(log_of(4, 4)) + 8} record_batch.batch_length: "
            f"the bytes end inside of a batch (expected {LAST} bytes, found {LAST - 5})",
            "record_batch[base_offset=8]: only in the first: offsets 8 to 11, 4 records",
        ],
    ),
    "the same damage on both sides": (WHOLE + b"damage" * 9, WHOLE + b"damage" * 9, []),
    "an empty log": (b"", log_of(4), ["record_batch[base_offset=0]: only in the second: offsets 0 to 3, 4 records"]),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_logs(tmp_path: Path, name: str) -> None:
    a, b, expected = LOGS[name]
    found, _ = compare(tmp_path, a, b)
    assert found == expected
    there, back = (compare(tmp_path, *pair)[1] for pair in ((a, b), (b, a)))
    assert (there.records.only_in_a, there.records.only_in_b) == (back.records.only_in_b, back.records.only_in_a)
    assert there.records.changed == back.records.changed


def test_counts_of_what_was_compared(tmp_path: Path) -> None:
    _, found = compare(tmp_path, WHOLE, log_of(4, 4, 4, records=changed(5, value=b"other")))
    assert (found.batches, found.records) == (Counts(2, 1), Counts(11, 1))
    _, found = compare(tmp_path, WHOLE, log_of(5, 5, 2))
    assert found.records == Counts(12)
    _, found = compare(tmp_path, WHOLE, log_of(4, 4, 4, base_timestamp=TIME + 1))
    assert found.records == Counts(0, 12), "their timestamps moved with the base"
    assert str(Counts(1, 2, 3, 4)) == "1 equal, 2 differ, 3 only in the first, 4 only in the second"


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_records_alone(tmp_path: Path, codec: str) -> None:
    other = log_of(5, 1, 6, codec=codec, partition_leader_epoch=7, producer_id=3, base_sequence=4)
    assert compare(tmp_path, WHOLE, other, records=True)[0] == []
    found, counted = compare(tmp_path, WHOLE, log_of(5, 7, codec=codec, records=changed(6, value=b"x")), records=True)
    assert found == ["records[offset=6].value: b'v6' != b'x'"]
    assert counted.records == Counts(11, 1)
    found, _ = compare(tmp_path, WHOLE, WHOLE[: len(log_of(4))], records=True)
    assert found == ["records[offset=4..11]: only in the first: 8 of them"]


def test_of_long_values_the_part_that_differs_is_shown(tmp_path: Path) -> None:
    long = bytes(range(65, 91)) * 4
    a, b = (log_of(4, 4, 4, records=changed(0, value=value)) for value in (long, long[:60] + b"-" + long[61:]))
    found, _ = compare(tmp_path, a, b)
    assert found == [
        "record_batch[base_offset=0].records[offset=0].value: ...b'YZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKL'... != "
        "...b'YZABCDEFGH-JKLMNOPQRSTUVWXYZABCDEFGHIJKL'... (from byte 60 of 104 and 104 on)"
    ]


def test_damage_on_both_sides_is_no_difference_of_records_either(tmp_path: Path) -> None:
    payload = record_bytes(offset_delta=0) + b"\xff" * 9
    data = WHOLE + batch_of(12, payload, 2, TIME)
    assert compare(tmp_path, data, data, records=True)[0] == []
    found, counted = compare(tmp_path, data, WHOLE, records=True)
    assert [line.split(":")[0] for line in found] == ["damage in the first", "records[offset=12]"]
    assert counted.records == Counts(12, only_in_a=1)


def test_ignored_paths(tmp_path: Path) -> None:
    other = log_of(4, 4, 4, partition_leader_epoch=7, records=changed(1, headers=[{"key": "h", "value": b""}]))
    assert len(compare(tmp_path, WHOLE, other)[0]) == 4
    found, _ = compare(tmp_path, WHOLE, other, ignore=["partition_leader_epoch"])
    assert found == ["record_batch[base_offset=0].records[offset=1].headers[0]: only in the second"]
    assert compare(tmp_path, WHOLE, other, ignore=["partition_leader_epoch", "records.headers"])[0] == []
    assert len(compare(tmp_path, WHOLE, other, ignore=["epoch", "key"])[0]) == 4
    for records in (False, True):
        ignore = ["partition_leader_epoch", "headers"]
        found, counted = compare(tmp_path, WHOLE, other, ignore=ignore, records=records)
        assert (found, counted.records) == ([], Counts(12)), "what is ignored counts as equal"
    assert compare(tmp_path, WHOLE, WHOLE[:-LAST], ignore=["records"], records=True)[0] == []


def test_any_damage_is_a_difference_and_never_a_crash(tmp_path: Path) -> None:
    source = random.Random(5)
    sound = {codec: log_of(4, 4, 4, codec=codec) for codec in ("none", "gzip", "lz4")}
    kinds = set()
    for number in range(150):
        data = bytearray(sound[("none", "gzip", "lz4")[number % 3]])
        at = source.randrange(len(data))
        if number % 4:
            data[at] ^= 1 << source.randrange(8)
        else:
            data[at : at + source.randrange(9)] = bytes(source.randrange(9))
        a, b = sound[("none", "gzip", "lz4")[number % 3]], bytes(data)
        for records in (False, True):
            compare(tmp_path, a, b, records=records)
            kinds |= {type(item.error) for item in kformat.diff(*_paths(tmp_path), records=records)}
        if a != b:
            assert compare(tmp_path, a, b)[0], number
    assert kinds >= {ChecksumError, InvalidError, TruncatedError}


def _paths(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / side / LOG for side in ("a", "b"))


def test_messages_of_older_formats() -> None:
    """Kafka 0.8 and 0.10.2 with the same kind of data: differences in fields of messages, also of compressed ones."""
    old = sorted((ROOT / "0.10.2.2" / "producer-gzip-0").glob("*.log"))[0]
    assert list(kformat.diff(old, old)) == []
    found = kformat.diff(old, sorted((ROOT / "0.10.2.2" / "producer-snappy-0").glob("*.log"))[0])
    first = next(found)
    assert (first.kind, first.path.split("[")[0]) in {("changed", "legacy_message"), ("changed", "records")}
    assert sum(1 for _ in found) > 10
    wrapped, plain = (ROOT / "0.10.2.2" / name / LOG for name in ("producer-gzip-0", "plain-0"))
    assert kformat.diff(wrapped, plain, records=True).records == Counts()


INDEX = [{"relative_offset": offset, "position": 10 * offset} for offset in range(1, 6)]
TIMES = [{"timestamp": TIME + offset, "relative_offset": offset} for offset in range(3)]
PRODUCERS = [
    {
        "producer_id": number,
        "producer_epoch": 0,
        "last_sequence": 1,
        "last_offset": 2,
        "offset_delta": 0,
        "timestamp": TIME,
        "coordinator_epoch": -1,
        "current_txn_first_offset": -1,
    }
    for number in (9, 4)
]
OTHER_PRODUCERS = [PRODUCERS[1], {**PRODUCERS[0], "last_offset": 7}, {**PRODUCERS[0], "producer_id": 2}]
ABORTED = [{"producer_id": 1, "first_offset": 5, "last_offset": 8, "last_stable_offset": 9}]


def built(format: str, entries: list[dict[str, Any]]) -> bytes:
    return kformat.build(format, {"entries": entries})


OTHERS: dict[str, tuple[str, bytes, bytes, list[str]]] = {
    "an entry's position": (
        "0.index",
        built("offset_index", INDEX),
        built("offset_index", [*INDEX[:2], {"relative_offset": 3, "position": 31}, *INDEX[3:]]),
        ["offset_index.entries[relative_offset=3].position: 30 != 31"],
    ),
    "entries missing, preallocated room": (
        "0.index",
        built("offset_index", INDEX),
        built("offset_index", [INDEX[0], INDEX[4]]) + bytes(800),
        ["offset_index.entries[relative_offset=2..4]: only in the first: 3 of them"],
    ),
    "room alone": ("0.timeindex", built("time_index", TIMES), built("time_index", TIMES) + bytes(120), []),
    "an entry more": (
        "0.timeindex",
        built("time_index", TIMES[:2]),
        built("time_index", TIMES),
        [f"time_index.entries[timestamp={TIME + 2}]: only in the second"],
    ),
    "slots that are no entries": (
        "0.index",
        built("offset_index", INDEX),
        built("offset_index", [*INDEX, {"relative_offset": 1, "position": 1}]) + b"odd",
        [
            "damage in the second: InvalidError: b/0.index:40 offset_index.entries[5]: what follows the entries is "
            "none (found 11 bytes)"
        ],
    ),
    "producers in another order": (
        "0.snapshot", built("producer_snapshot", PRODUCERS), built("producer_snapshot", PRODUCERS[::-1]),
        ["producer_snapshot: the same values in other bytes"],
    ),
    "a producer": (
        "0.snapshot",
        built("producer_snapshot", PRODUCERS),
        built("producer_snapshot", OTHER_PRODUCERS),
        [
            "producer_snapshot.entries[producer_id=2]: only in the second",
            "producer_snapshot.entries[producer_id=9].last_offset: 2 != 7",
        ],
    ),
    "a snapshot that cannot be read": (
        "0.snapshot", built("producer_snapshot", PRODUCERS), b"\0\2",
        [
            "damage in the second: InvalidError: b/0.snapshot:0 producer_snapshot.version: a value that is not allowed "
            "(expected 1, found 2)",
            "producer_snapshot.version: 1 != 2",
        ],
    ),
    "an aborted transaction": (
        "0.txnindex",
        built("transaction_index", ABORTED),
        built("transaction_index", [{**ABORTED[0], "last_offset": 7}, {**ABORTED[0], "first_offset": 6}]),
        [
            "transaction_index.entries[producer_id, first_offset=1, 5].last_offset: 8 != 7",
            "transaction_index.entries[producer_id, first_offset=1, 6]: only in the second",
        ],
    ),
    "epochs": (
        "leader-epoch-checkpoint", b"0\n2\n0 0\n3 50\n", b"0\n3\n0 0\n3 60\n4 70\n",
        [
            "leader_epoch_checkpoint[epoch=3].start_offset: 50 != 60",
            "leader_epoch_checkpoint[epoch=4]: only in the second: 70",
        ],
    ),
    "offsets of partitions": (
        "replication-offset-checkpoint", b"0\n1\norders 0 7\n", b"0\n1\norders 0 8\n",
        ["offset_checkpoint[topic=orders, partition=0].offset: 7 != 8"],
    ),
    "no entries": (
        "replication-offset-checkpoint", b"0\n0\n", b"", ["offset_checkpoint: the same entries in other bytes"],
    ),
    "properties": (
        "meta.properties", b"version=1\ncluster.id=x\nnode.id=1\n", b"version=1\ncluster.id=x\nnode.id=2\nmore=1\n",
        ["meta_properties.node_id: 1 != 2", "meta_properties.others.more: null != '1'"],
    ),
    "a text that is damaged": (
        "leader-epoch-checkpoint", b"0\n2\n0 0\n3 50\n", b"0\nx\n", ["damage in the second: InvalidError: "],
    ),
    "anything else": ("notes", b"abc", b"abdd", ["3 and 4 bytes, which differ from position 2 on"]),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_files(tmp_path: Path, name: str) -> None:
    file, a, b, expected = OTHERS[name]
    stem = "00000000000000000000"
    file = file.replace("0.", f"{stem}.") if file[0] == "0" else file
    found, counted = compare(tmp_path, a, b, file)
    found = [line.replace(stem, "0") for line in found]
    assert [line.startswith(start) for line, start in zip(found, expected, strict=True)] == [True] * len(expected), (
        found
    )
    assert found == expected or name == "a text that is damaged"
    assert counted.files == Counts(equal=not expected, changed=bool(expected))
    assert compare(tmp_path, a, a, file)[0] == []


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for side in ("a", "b"):
        shutil.copytree(ROOT / "4.3.1" / "rolled-by-bytes-0", tmp_path / side / "orders-0")
    return tmp_path / "a", tmp_path / "b"


def test_equal_directories(folders: tuple[Path, Path]) -> None:
    found = kformat.diff(*folders)
    assert list(found) == []
    assert (found.batches, found.records) == (Counts(70), Counts(560))
    assert found.files.equal > 6


def test_files_are_paired_by_name(folders: tuple[Path, Path]) -> None:
    a, b = (folder / "orders-0" for folder in folders)
    (a / "00000000000000000200.index").unlink()
    (b / "leader-epoch-checkpoint").unlink()
    (b / "leader-epoch-checkpoint").mkdir()
    shutil.copytree(a, folders[1] / "more-1")
    assert [str(found) for found in kformat.diff(*folders)] == [
        "more-1: only in the second",
        "orders-0/00000000000000000200.index: only in the second",
        "orders-0/leader-epoch-checkpoint: a directory on one side, a file on the other",
    ]
    assert [str(found) for found in kformat.diff(a, b, ignore=["*.index", "leader-epoch-checkpoint*"])] == []


def test_what_is_about_to_be_removed_is_compared_where_it_is_asked_for(folders: tuple[Path, Path]) -> None:
    a, b = (folder / "orders-0" for folder in folders)
    for suffix in (".log", ".index", ".timeindex"):
        shutil.copy(a / f"00000000000000000200{suffix}", a / f"00000000000000000100{suffix}.deleted")
    shutil.copy(a / "00000000000000000424.log", b / "00000000000000000200.log.deleted")
    assert list(kformat.diff(*folders)) == list(kformat.diff(*folders, records=True)) == []
    assert [str(found) for found in kformat.diff(a, b, deleted=True)] == [
        *(f"00000000000000000100{suffix}.deleted: only in the first" for suffix in (".index", ".log", ".timeindex")),
        "00000000000000000200.log.deleted: only in the second",
    ]
    assert [str(found) for found in kformat.diff(a, b, deleted=True, records=True)] == [
        "00000000000000000100.log.deleted: only in the first",
        "00000000000000000200.log.deleted: only in the second",
    ]
    assert (run(*folders).exit_code, run(*folders, "--deleted").exit_code) == (0, 1)


def test_segments_may_begin_elsewhere(folders: tuple[Path, Path]) -> None:
    """Two segments written as one: a replica may roll at other offsets, its batches are the leader's."""
    _, b = (folder / "orders-0" for folder in folders)
    second = b / "00000000000000000200.log"
    with open(b / LOG, "ab") as file:
        file.write(second.read_bytes())
    second.unlink()
    found = kformat.diff(*folders, ignore=["*.index", "*.timeindex"])
    assert [str(difference) for difference in found] == ["orders-0/00000000000000000200.log: only in the first"]
    assert found.batches == Counts(70)
    found = kformat.diff(*folders, records=True)
    assert list(found) == [] and found.records == Counts(560)


def test_a_missing_segment(folders: tuple[Path, Path]) -> None:
    (folders[1] / "orders-0" / "00000000000000000200.log").unlink()
    assert [str(difference) for difference in kformat.diff(*folders)] == [
        "orders-0/00000000000000000200.log: only in the first",
        "orders-0/00000000000000000200.log: record_batch[base_offset=200]: only in the first: 28 batches, offsets 200 "
        "to 423, 224 records",
    ]
    of_records = [str(difference) for difference in kformat.diff(*folders, records=True)]
    assert of_records == ["orders-0/00000000000000000200.log: records[offset=200..423]: only in the first: 224 of them"]


def test_what_is_batched_differently_is_told_of_the_file_in_which_it_begins(tmp_path: Path) -> None:
    for name, segments in (("a", [[b"1", b"2"], [b"3"]]), ("b", [[b"1", b"2", b"3"]])):
        write_log(tmp_path / name, segments=segments)
    ignore = ["*.index", "*.timeindex", "*.snapshot"]
    assert [str(found) for found in kformat.diff(tmp_path / "a", tmp_path / "b", ignore=ignore)] == [
        "orders-0/00000000000000000002.log: only in the first",
        "orders-0/00000000000000000000.log: record_batch[base_offset=0]: offsets 0 to 2: 3 records equal, "
        "batches differ: 2 batches (none) != 1 batch (none)",
    ]


def test_a_partition_that_one_side_alone_has_is_a_difference_of_records(folders: tuple[Path, Path]) -> None:
    shutil.copytree(folders[0] / "orders-0", folders[1] / "more-1")
    (folders[1] / "meta.properties").write_text("version=0\n")
    assert [str(found) for found in kformat.diff(*folders, records=True)] == ["more-1: only in the second"]


@pytest.mark.parametrize("name", [f"{20:020d}.log", f"{0:020d}.index", "leader-epoch-checkpoint", "loop"])
def test_a_file_that_cannot_be_read_does_not_keep_the_others(folders: tuple[Path, Path], name: str) -> None:
    for folder, value in zip(folders, (b"1", b"2"), strict=True):
        (folder / "orders-0" / name).unlink(missing_ok=True)
        (folder / "orders-0" / name).symlink_to(name)
        (folder / "zz-0").mkdir()
        (folder / "zz-0" / "file").write_bytes(value)
    found = kformat.diff(*folders)
    assert [one.file for one in found] == ["zz-0/file"]
    assert [Path(error.filename).name for error in found.unread] == [name]
    result = run(*folders)
    assert result.exit_code == 3 and f"orders-0/{name}: Too many levels" in result.stderr and "zz-0" in result.stdout


def test_links_lead_in_no_circles(folders: tuple[Path, Path]) -> None:
    for folder in folders:
        for name in ("again", "and-again"):
            (folder / name).symlink_to(".")
    found = kformat.diff(*folders)
    assert list(found) == [] and found.records == Counts(560)


def test_two_brokers_of_the_samples_are_compared_without_an_error() -> None:
    found = list(kformat.diff(ROOT / "3.9.2", ROOT / "4.3.1"))
    assert not [difference for difference in found if difference.kind.startswith("damaged")]
    assert {difference.kind for difference in found} >= {"changed", "only_in_a", "only_in_b"}


@pytest.mark.parametrize("version", ["0.8.2.2", "0.10.2.2", "1.1.1", "4.3.1"])
def test_a_root_is_equal_to_itself(version: str) -> None:
    assert list(kformat.diff(ROOT / version, ROOT / version)) == []


def test_wrong_calls(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(WHOLE)
    (tmp_path / "x.index").write_bytes(b"")
    with pytest.raises(UsageError, match="a file and a directory"):
        kformat.diff(tmp_path, tmp_path / "x.log")
    with pytest.raises(UsageError, match="record_batch and offset_index"):
        list(kformat.diff(tmp_path / "x.log", tmp_path / "x.index"))
    with pytest.raises(FileNotFoundError):
        kformat.diff(tmp_path / "x.log", tmp_path / "none.log")


def test_the_function_is_there_whatever_was_imported_before() -> None:
    program = "import kformat.cli.diff, kformat.diff.comparison, kformat; print(callable(kformat.diff))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "True\n"


# --- the command ---------------------------------------------------------------------------------------------------


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["diff", *map(str, arguments)])


def test_the_command(tmp_path: Path) -> None:
    compare(tmp_path, WHOLE, log_of(4, 4, 4, partition_leader_epoch=2))
    a, b = _paths(tmp_path)
    same = run(a, a)
    assert (same.exit_code, same.stdout) == (0, "")
    assert same.stderr == "kformat: 0 differences; batches: 3 equal; records: 12 equal\n"
    differ = run(a, b, "--limit", "2")
    assert (differ.exit_code, differ.stdout.splitlines()) == (
        1,
        [f"record_batch[base_offset={base}].partition_leader_epoch: -1 != 2" for base in (0, 4)],
    )
    assert differ.stderr.splitlines() == [
        "kformat: and 1 more (--limit 0 prints all)",
        "kformat: 3 differences; batches: 0 equal, 3 differ; records: 12 equal",
    ]
    assert run(a, b, "--records").exit_code == 0
    assert run(a, b, "--ignore", "partition_leader_epoch").exit_code == 0
    objects = json.loads(run(a, b, "--format", "json").stdout)
    assert len(objects) == 3
    assert objects[0] == {
        "kind": "changed",
        "file": "",
        "path": "record_batch[base_offset=0].partition_leader_epoch",
        "a": -1,
        "b": 2,
        "message": "-1 != 2",
        "error": None,
        "a_position": None,
        "b_position": None,
    }
    b.write_bytes(log_of(4, 4, 4, attributes={"compression": "gzip"}, records=changed(3, value=b"\xff")))
    told = [json.loads(line) for line in run(a, b, "--format", "nl", "--bytes", "hex").stdout.splitlines()]
    assert {"a": "7633", "b": "ff"}.items() <= told[1].items() and told[0]["b"] == "gzip"


def test_statuses_of_the_command(tmp_path: Path) -> None:
    compare(tmp_path, WHOLE, WHOLE[:-3])
    a, b = _paths(tmp_path)
    damaged = run(a, b, "--format", "nl")
    assert (damaged.exit_code, json.loads(damaged.stdout.splitlines()[0])["kind"]) == (1, "damaged_b")
    assert json.loads(damaged.stdout.splitlines()[0])["error"].startswith("TruncatedError: ")
    assert run(a, tmp_path).exit_code == 2
    assert run(a, tmp_path / "none.log").exit_code == 3


def test_memory_does_not_grow_with_the_logs(tmp_path: Path) -> None:
    import tracemalloc

    paths = [tmp_path / f"{side}.log" for side in "ab"]
    payload = b"".join(record_bytes(offset_delta=number, value=bytes(10_000)) for number in range(20))
    for side, path in enumerate(paths):
        with open(path, "wb") as file:
            for number in range(100):
                file.write(batch_of(20 * number, payload, 20, TIME, attributes=bit("is_transactional") * side))
    tracemalloc.start()
    found = list(kformat.diff(*paths))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(found), isinstance(found[0], Difference)) == (100, True)
    assert peak < 5_000_000 < paths[0].stat().st_size


# --- rows of declared formats --------------------------------------------------------------------------------------


ROWS = """
meta: {id: rows, endian: le}
seq: [{id: magic, contents: ab}, {id: head, type: u1}, {id: items, type: item, repeat: eos}]
types:
  item:
    seq: [{id: id, type: u1}, {id: size, type: u1}, {id: text, size: size, type: str, encoding: ascii}]
    instances: {first: {value: id * 2}}
"""


def rows_of(*items: tuple[int, str], head: int = 0) -> bytes:
    return b"ab" + bytes([head]) + b"".join(bytes([id, len(text)]) + text.encode() for id, text in items)


ITEMS = [(number, f"row {number}") for number in range(60)]


@pytest.mark.parametrize(
    ("second", "how", "expected"),
    [
        ([*ITEMS[:5], (99, "new"), *ITEMS[5:]], {}, ["rows.items[5]: only in the second"]),
        ([*ITEMS[:5], *ITEMS[8:]], {}, ["rows.items[5..7]: only in the first: 3 of them"]),
        ([*ITEMS[:5], *ITEMS[6:], (5, "moved")], {"key": "id"}, ["rows.items[id=5].text: 'row 5' != 'moved'"]),
        ([*ITEMS[:5], *ITEMS[6:], ITEMS[5]], {"key": ["id", "size"]}, ["rows: the same rows in another order"]),
        (
            [(99, "new"), *ITEMS[:20], (20, "changed"), *ITEMS[21:]], {},
            ["rows.items[0]: only in the second", "rows.items[20/21].text: 'row 20' != 'changed'"],
        ),
        ([*ITEMS[:-1], (59, "last")], {"align": "index"}, ["rows.items[59].text: 'row 59' != 'last'"]),
        ([(1, "a"), *ITEMS[1:]], {"ignore": ["text"]}, ["rows.items[0].id: 0 != 1"]),
        ([*ITEMS[:57], (99, "new"), *ITEMS[57:]], {}, ["rows.items[57]: only in the second"]),
        ([*ITEMS[:57], *ITEMS[58:]], {}, ["rows.items[57]: only in the first"]),
        (
            [*ITEMS[:5], (99, "new"), *ITEMS[5:15], *ITEMS[16:]], {},
            ["rows.items[5]: only in the second", "rows.items[15]: only in the first"],
        ),
        ([(1, "a"), *ITEMS[1:]], {"ignore": ["items"]}, []),
        ([], {}, ["rows.items[0..59]: only in the first: 60 of them"]),
    ],
)  # fmt: skip
def test_rows_are_aligned(tmp_path: Path, second: Any, how: dict[str, Any], expected: list[str]) -> None:
    own = kformat.parse_declaration(ROWS)
    (tmp_path / "a").write_bytes(rows_of(*ITEMS))
    (tmp_path / "b").write_bytes(rows_of(*second))
    found = [str(one).partition(" (at ")[0] for one in kformat.diff(tmp_path / "a", tmp_path / "b", format=own, **how)]
    assert found == expected


def test_positions_damage_and_what_is_around_the_rows(tmp_path: Path) -> None:
    own, a, b = kformat.parse_declaration(ROWS), tmp_path / "a", tmp_path / "b"
    a.write_bytes(rows_of(*ITEMS))
    b.write_bytes(rows_of((9, "xyz"), *ITEMS[:7], (7, "new"), *ITEMS[8:], head=1))
    head, only, text = kformat.diff(a, b, format=own)
    assert (head.path, head.a, head.b, head.a_position, head.b_position) == ("rows.head", 0, 1, 2, 2)
    assert (only.kind, only.path, [row.text for row in only.b]) == ("only_in_b", "rows.items[0]", ["xyz"])
    start = len(rows_of(*ITEMS[:7])) + 2
    assert (text.path, text.a_position, text.b_position) == ("rows.items[7/8].text", start, start + 5)
    b.write_bytes(rows_of(*ITEMS[:9])[:-2])
    (damage,) = kformat.diff(a, b, format=own)
    assert damage.kind == "damaged_b" and damage.error is not None and damage.error.path == "rows.items[8].text"
    b.write_bytes(rows_of(*ITEMS))
    assert list(kformat.diff(a, b, format=own)) == []


def test_damage_in_a_row_of_one_side_and_what_counts_rows(tmp_path: Path) -> None:
    own, a, b = kformat.parse_declaration(CHECKED), tmp_path / "a", tmp_path / "b"
    values = [{"box": {"rows": [{"body": b"x%d" % number} for number in range(count)]}} for count in (5, 6)]
    first, second = (kformat.build(own, value) for value in values)
    a.write_bytes(first)
    b.write_bytes(second)
    (only,) = kformat.diff(a, b, format=own)
    assert (only.path, only.b_position) == ("checked.box.rows[5]", 1 + 5 * 4)
    b.write_bytes(second[:-1] + bytes([second[-1] ^ 1]))
    damage, only = kformat.diff(a, b, format=own)
    assert isinstance(damage.error, ChecksumError) and only.path == "checked.box.rows[5]"


CHECKED = """
meta: {id: checked}
seq: [{id: box, type: box}]
types:
  box: {seq: [{id: count, type: u1}, {id: rows, type: row, repeat: expr, repeat-expr: count}]}
  row:
    -checksum: {algorithm: crc8, field: crc}
    seq: [{id: size, type: u1}, {id: body, size: size}, {id: crc, type: u1}]
"""


def test_undeclared_bytes_of_one_side_have_no_position_on_the_other(tmp_path: Path) -> None:
    """In a file of one value, and in one of rows."""
    whole = "meta: {id: own}\nseq: [{id: a, type: u1}]\ninstances: {i: {pos: a, type: u1}}\n"
    rows = (
        "meta: {id: own}\nseq: [{id: items, type: item, repeat: expr, repeat-expr: 2}]\n"
        "types: {item: {seq: [{id: a, type: u1}]}}\n"
    )
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(b"\1b")
    b.write_bytes(b"\1bccc")
    for text in (whole, rows):
        (found,) = kformat.diff(a, b, format=kformat.parse_declaration(text), trailing="keep")
        assert (found.path, found.a, found.b) == ("own (not declared)", b"", b"ccc")
        assert (found.a_position, found.b_position) == (None, 2)


def test_a_key_that_waits_too_long_is_on_one_side_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[RowDifferences.__module__], "_MOST_PENDING", 4)
    own, a, b = kformat.parse_declaration(ROWS), tmp_path / "a", tmp_path / "b"
    a.write_bytes(rows_of(*ITEMS))
    b.write_bytes(rows_of(*ITEMS[1:], ITEMS[0], ITEMS[3]))
    (found,) = kformat.diff(a, b, format=own, key="id")
    assert (found.path, found.kind, found.b_position) == ("rows.items[id=3]", "only_in_b", 473)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"key": "nothing"}, "item has no field 'nothing'; there are id, size, text, first"),
        ({"key": "id.more"}, "'more' is within a plain value"),
        ({"align": "x"}, "'rows' or 'index'"),
        ({"key": "id", "format": None}, "a key is for two files of a declared format"),
    ],
)
def test_keys_that_there_are_not(tmp_path: Path, how: dict[str, Any], words: str) -> None:
    (tmp_path / "a").write_bytes(rows_of(*ITEMS))
    (tmp_path / "b").write_bytes(rows_of(*ITEMS[1:]))
    with pytest.raises(UsageError, match=words):
        list(kformat.diff(tmp_path / "a", tmp_path / "b", **{"format": kformat.parse_declaration(ROWS), **how}))
