"""Partitions as Arrow: the same rows, in Arrow's types, for whoever takes its stream."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import ChecksumError, MissingDependencyError, UsageError
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.columns.arrow import COLUMNS, DEFAULT_COLUMNS, arrow_schema
from kformat.kafka.log.partition import Partition
from tests.draws import every
from tests.kafka.test_columns import a_log
from tests.samples import ROOT as SAMPLES
from tests.samples import by_root

pa = pytest.importorskip("pyarrow")

PARTITIONS = by_root({path.parent for path in SAMPLES.rglob("*.log") if "-" in path.parent.name})


@pytest.fixture
def partition(tmp_path: Path) -> Partition:
    folder = tmp_path / "orders-3"
    folder.mkdir()
    (folder / f"{100:020d}.log").write_bytes(a_log())
    return kformat.open(folder)


def plain(table: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def expected(partition: Partition) -> list[dict[str, Any]]:
    """What Spark's Kafka source would show of the records, by the codec."""
    rows = []
    for segment in partition.segments:
        for batch in segment.scan():
            for record in () if batch.is_control else batch.records():
                rows.append(
                    {
                        "key": record.key,
                        "value": record.value,
                        "topic": partition.topic,
                        "partition": partition.partition,
                        "offset": record.offset,
                        "timestamp": record.timestamp,
                        "timestampType": int(record.timestamp_type),
                        "headers": [{"key": key, "value": value} for key, value in record.headers],
                    }
                )
    return rows


@pytest.mark.parametrize("root", PARTITIONS)
def test_tables_of_samples_are_the_records(root: str) -> None:
    for folder in every(2, PARTITIONS[root], len(root)):
        partition = kformat.open(folder)
        table = partition.to_arrow(before_log_start=True)  # as `expected` has them, by batches
        table.validate(full=True)
        assert table.schema == arrow_schema(DEFAULT_COLUMNS), folder
        milliseconds = table.set_column(5, "timestamp", table["timestamp"].cast(pa.int64()))
        assert plain(milliseconds) == expected(partition), folder


@pytest.mark.parametrize("root", PARTITIONS)
def test_views_are_of_the_same_bytes(root: str) -> None:
    for folder in every(3, PARTITIONS[root]):
        partition = kformat.open(folder)
        table = partition.to_arrow(as_views=True)
        table.validate(full=True)
        assert table.schema.field("value").type == pa.binary_view() == table.schema.field("key").type, folder
        assert plain(table) == plain(partition.to_arrow()), folder


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 11, 12, 13, 14, 200])
def test_views_of_any_length(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values: list[bytes | None] = [bytes(range(number, number + size)) for number in range(5)]
    values.insert(2, None)
    folder = tmp_path / "t-0"
    folder.mkdir()
    for codec in ("none", "lz4"):
        batch = build_batch(Columns([1] * 6, values, values), fields=BatchFields(compression=codec))
        (folder / f"{0:020d}.log").write_bytes(batch)
        table = kformat.open(folder).to_arrow(("key", "value"), as_views=True)
        table.validate(full=True)
        assert table["value"].to_pylist() == values == table["key"].to_pylist()
    monkeypatch.setattr("kformat.kafka.columns.arrow.views", without_numba)
    assert kformat.open(folder).to_arrow(("key", "value"), as_views=True) == table


def without_numba(*_: object) -> None:
    raise MissingDependencyError("numba", "fast")


def test_columns_are_those_asked_for_in_that_order(partition: Partition) -> None:
    everything = partition.to_arrow(COLUMNS)
    everything.validate(full=True)
    for names in (["value", "offset"], ["headers"], ["topic"], list(reversed(COLUMNS))):
        assert partition.to_arrow(names).equals(everything.select(names))
    assert partition.to_arrow("offset").column_names == ["offset"]


@pytest.mark.parametrize("names", [["nope"], [], ["offset", "offset"]])
def test_other_columns_are_refused(partition: Partition, names: list[str]) -> None:
    with pytest.raises(UsageError):
        partition.to_arrow(names)


def test_ranges_by_offset_and_by_time(partition: Partition) -> None:
    table = partition.to_arrow(["offset", "timestamp"])
    offsets, times = table["offset"].to_pylist(), table["timestamp"].cast(pa.int64()).to_pylist()
    middle, moment = offsets[len(offsets) // 2], sorted(times)[len(times) // 2]
    found = partition.to_arrow("offset", start_offset=middle, end_offset=middle + 40)["offset"].to_pylist()
    assert found == [offset for offset in offsets if middle <= offset < middle + 40] != []
    since = datetime.fromtimestamp(moment / 1000, UTC)
    for given in (moment, since):
        found = partition.to_arrow("offset", since=given)["offset"].to_pylist()
        assert found == [offset for offset, time in zip(offsets, times, strict=True) if time >= moment]
    found = partition.to_arrow("offset", until=since)["offset"].to_pylist()
    assert found == [offset for offset, time in zip(offsets, times, strict=True) if time < moment]
    assert partition.to_arrow("offset", since=10**15).num_rows == 0
    with pytest.raises(UsageError, match="time zone"):
        partition.to_arrow(since=datetime(2020, 1, 1))


def test_the_stream_is_taken_by_others(partition: Partition) -> None:
    reader = partition.record_batches()
    assert reader.schema == arrow_schema()
    assert sum(batch.num_rows for batch in reader) == partition.to_arrow().num_rows
    assert pa.table(partition).equals(partition.to_arrow())


def test_wrong_checksums_and_keys_that_are_no_text(tmp_path: Path) -> None:
    folder = tmp_path / "orders-0"
    folder.mkdir()
    record = {"offset_delta": 0, "key": None, "value": b"v", "headers": [{"key": "\udcff", "value": None}]}
    batch = {"base_timestamp": 0, "max_timestamp": 0, "records": [record]}
    data = bytearray(kformat.build("record_batch", batch))
    path = folder / f"{0:020d}.log"
    path.write_bytes(data)
    assert plain(kformat.open(folder).to_arrow("headers")) == [{"headers": [{"key": "\ufffd", "value": None}]}]
    data[data.rindex(b"v")] ^= 1
    path.write_bytes(data)
    with pytest.raises(ChecksumError):
        kformat.open(folder).to_arrow()
    assert kformat.open(folder).to_arrow(checksums=False).num_rows == 1


def test_a_topic_that_is_no_text(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9-3")
    folder.mkdir()
    (folder / f"{100:020d}.log").write_bytes(a_log())
    table = kformat.open(folder).to_arrow(["topic", "partition"])
    assert table.num_rows and set(table["topic"].to_pylist()) == {"caf\ufffd"} and table["partition"][0].as_py() == 3


def test_the_last_offset_of_all_is_not_lost(tmp_path: Path) -> None:
    """Nobody writes it, and a checksum does not cover it: a flipped bit may."""
    folder = tmp_path / "t-0"
    folder.mkdir()
    batch = build_batch(Columns([1], [None], [b"v"]), base_offset=2**63 - 1)
    (folder / f"{0:020d}.log").write_bytes(batch)
    partition = kformat.open(folder)
    assert partition.to_arrow("offset")["offset"].to_pylist() == [2**63 - 1]
    assert [record.offset for record in partition.records()] == [2**63 - 1]


def test_times_are_datetimes_or_milliseconds(partition: Partition) -> None:
    with pytest.raises(UsageError, match="'yesterday'"):
        partition.to_arrow(since="yesterday")
