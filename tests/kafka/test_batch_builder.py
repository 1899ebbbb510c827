"""Tables to batches: the bytes of the builder that goes row by row, whatever the table is made of and cut into."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("numba")

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import kformat
from kformat.errors import BuildError, MissingDependencyError, UsageError
from kformat.kafka.batch.records import Batch
from kformat.kafka.batch.writing import BatchFields, Columns, divided
from kformat.kafka.columns import batch_builder, tables
from kformat.kafka.columns.batch_builder import BuiltBatch, build_batches
from kformat.testing import records
from tests.draws import at_most
from tests.judges import read_batches, releases
from tests.judges.required import require

HEADER = pa.struct([("key", pa.string()), ("value", pa.binary())])
BYTES = [pa.binary(), pa.large_binary(), pa.binary_view()]
LISTS = [pa.list_(HEADER), pa.large_list(HEADER)]


def columns_of(drawn: list[kformat.Record]) -> Columns:
    return Columns(
        [record.timestamp for record in drawn],
        [record.key for record in drawn],
        [record.value for record in drawn],
        [record.headers for record in drawn],
    )


def table_of(columns: Columns, kind: Any = BYTES[0], lists: Any = LISTS[0]) -> Any:
    headers = [[{"key": key, "value": value} for key, value in pairs] for pairs in columns.headers or ()]
    return pa.table(
        {
            "topic": ["t"] * len(columns.keys),
            "key": pa.array(columns.keys, pa.binary()).cast(kind),
            "value": pa.array(columns.values, pa.binary()).cast(kind),
            "timestamp": pa.array(columns.timestamps, pa.int64()).cast(pa.timestamp("ms", "UTC")),
            "headers": pa.array(headers if columns.headers else [None] * len(columns.keys), lists),
        }
    )


def plain(batches: Iterator[BuiltBatch]) -> list[tuple[int, bytes]]:
    """As `divided` gives them; what is said of each has to be what its header says."""
    found = []
    for made in batches:
        batch = Batch(bytes(made.raw))
        assert batch.is_valid
        assert made[1:] == (batch.base_offset, batch.last_offset, batch.records_count, batch.max_timestamp)
        found.append((made.records_count, batch.raw))
    return found


def is_text(record: kformat.Record) -> bool:
    """Whether its headers' keys are text to Arrow, too."""
    return all(key.isprintable() for key, _ in record.headers)


@given(st.data(), st.lists(records().filter(is_text), min_size=1, max_size=60), st.integers(100, 900))
@settings(max_examples=at_most(60), deadline=None)
def test_tables_become_what_their_rows_become(data: Any, drawn: list[kformat.Record], max_bytes: int) -> None:
    columns = columns_of(drawn)
    most = data.draw(st.none() | st.integers(1, 9))
    fields = BatchFields(
        compression=data.draw(st.sampled_from(["none", "none", "lz4"])),
        append_time=data.draw(st.sampled_from([None, 77])),
        leader_epoch=3,
        producer_id=9,
        producer_epoch=1,
        base_sequence=2**31 - 20,
        is_transactional=True,
    )
    expected = divided(columns, max_bytes, max_records=most, base_offset=5, fields=fields)
    table = table_of(columns, data.draw(st.sampled_from(BYTES)), data.draw(st.sampled_from(LISTS)))
    edges = sorted(data.draw(st.lists(st.integers(0, len(drawn)), max_size=4)))
    pieces = [table[start:end] for start, end in zip([0, *edges], [*edges, len(drawn)], strict=True)]
    at_first, at_once = data.draw(st.sampled_from([(1, 1), (7, 2), (1 << 14, 256)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_builder, "_ROWS_AT_FIRST", at_first)
        patch.setattr(batch_builder, "_BATCHES_AT_ONCE", at_once)
        patch.setattr(batch_builder, "LEAST_ROWS", 1)
        patch.setattr(batch_builder._pays, "left", 0)
        for given_rows in (pa.concat_tables(pieces), columns):
            made = build_batches(
                given_rows,
                base_offset=5,
                max_batch_bytes=max_bytes,
                max_records=most,
                compression=fields.compression,
                append_time=fields.append_time,
                partition_leader_epoch=3,
                producer_id=9,
                producer_epoch=1,
                base_sequence=2**31 - 20,
                is_transactional=True,
            )
            assert plain(made) == expected


def rows(count: int) -> Columns:
    """Small and large ones in turns of hundreds."""
    sizes = [5 if number // 700 % 2 else number * 37 % 3000 for number in range(count)]
    return Columns([1_000 + number for number in range(count)], [b"%d" % number for number in range(count)],
                   [b"v" * size for size in sizes])  # fmt: skip


@pytest.mark.parametrize("has_kernels", [True, False])
def test_many_rows(has_kernels: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = rows(5000)
    expected = divided(columns, 16384)
    table = table_of(columns).drop_columns(["headers"])

    def missing(_: Any) -> Any:
        raise MissingDependencyError("numba", "fast")

    refused: list[int] = []
    plainly = batch_builder.TableEncoder.plainly

    def seen(builder: Any, columns: Columns) -> list[BuiltBatch]:
        refused.append(len(columns.keys))
        return plainly(builder, columns)

    monkeypatch.setattr(batch_builder.TableEncoder, "plainly", seen)
    if not has_kernels:
        monkeypatch.setattr(batch_builder, "encoder", missing)
    assert plain(build_batches(table)) == expected
    assert plain(build_batches(table.to_reader(max_chunksize=300))) == expected
    assert bool(refused) != has_kernels
    assert plain(build_batches(columns)) == expected
    small = table[:200]  # less than a batch, in far more pieces
    assert plain(build_batches(small.to_reader(max_chunksize=1), max_batch_bytes=1 << 20)) == plain(
        build_batches(small, max_batch_bytes=1 << 20)
    )


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        pytest.param(pa.array([5, None, -7], pa.timestamp("s")), [5000, 99, -7000], id="s"),
        pytest.param(pa.array([5, None, -7], pa.timestamp("ms", "Europe/Berlin")), [5, 99, -7], id="ms"),
        pytest.param(pa.array([5999, None, -1], pa.timestamp("us")), [5, 99, -1], id="us"),
        pytest.param(pa.array([5_999_999, None, -1_000_001], pa.timestamp("ns")), [5, 99, -2], id="ns"),
        pytest.param(pa.array([5, None, 7], pa.uint8()), [5, 99, 7], id="uint8"),
        pytest.param(pa.array([None] * 3), [99] * 3, id="null"),
        pytest.param(pa.array([1, 5, None, -7, 1], pa.int64())[1:4], [5, 99, -7], id="a part"),
    ],
)
def test_timestamps(array: Any, expected: list[int]) -> None:
    table = pa.table({"value": ["a", "b", "c"], "timestamp": array})
    (made,) = build_batches(table, timestamp=99)
    assert [record.timestamp for record in Batch(bytes(made.raw)).records()] == expected


@pytest.mark.parametrize(
    "array",
    [
        pytest.param(pa.array([b"ab", None, b""], pa.binary()), id="binary"),
        pytest.param(pa.array(["ab", None, ""], pa.string()), id="string"),
        pytest.param(pa.array(["ab", None, ""], pa.large_string()), id="large string"),
        pytest.param(pa.array(["ab", None, ""], pa.string_view()), id="string view"),
        pytest.param(pa.array(["ab", None, ""]).dictionary_encode(), id="dictionary"),
        pytest.param(pa.array(["x", "ab", None, ""]).dictionary_encode()[1:], id="a part of a dictionary"),
        pytest.param(
            pa.DictionaryArray.from_arrays(
                pa.array([2, 0, 1], pa.uint8()), pa.array([None, "", "ab"], pa.string_view())
            ),
            id="a dictionary of views, with a null",
        ),
        pytest.param(pa.array([b"x", b"ab", None, b""], pa.binary())[1:], id="a part"),
    ],
)
def test_keys_and_values(array: Any) -> None:
    (made,) = build_batches(pa.table({"key": array, "value": array}), timestamp=0)
    assert [(one.key, one.value) for one in Batch(bytes(made.raw)).records()] == [
        (b"ab",) * 2,
        (None, None),
        (b"", b""),
    ]


def test_bytes_of_a_fixed_size_and_none_at_all() -> None:
    table = pa.table({"value": pa.array([b"abc", None, b"xyz"], pa.binary(3))[1:], "key": pa.nulls(2)})
    (made,) = build_batches(table, timestamp=0)
    assert [(one.key, one.value) for one in Batch(bytes(made.raw)).records()] == [(None, None), (None, b"xyz")]
    assert list(build_batches(table[:0])) == list(build_batches(Columns([], [], []))) == []


def test_headers_that_are_null_take_nothing() -> None:
    """Even where the list's offsets say otherwise."""
    entries = pa.array([{"key": f"k{number}", "value": b"v"} for number in range(6)], HEADER)
    validity = pa.py_buffer(np.packbits([1, 0, 1], bitorder="little"))
    offsets = pa.py_buffer(np.array([0, 2, 4, 6], np.int32))
    lists = pa.Array.from_buffers(pa.list_(HEADER), 3, [validity, offsets], children=[entries])
    table = pa.table({"value": ["a", "b", "c"], "headers": lists})
    (made,) = build_batches(table[1:], timestamp=0)
    assert [one.headers for one in Batch(bytes(made.raw)).records()] == [(), (("k4", b"v"), ("k5", b"v"))]


def test_empty_lists_of_no_type_are_no_headers() -> None:
    """What pandas makes of a column without a header."""
    (made,) = build_batches(pa.table({"value": ["a", "b", "c"], "headers": [[], None, []]}), timestamp=0)
    assert [one.headers for one in Batch(bytes(made.raw)).records()] == [(), (), ()]
    with pytest.raises(BuildError, match=r"records\[1\].headers\[0\].key: may not be null"):
        list(build_batches(pa.table({"value": ["a", "b"], "headers": [[], [None]]}), timestamp=0))


def test_headers_of_views() -> None:
    """As polars hands them over."""
    views = pa.struct({"key": pa.string_view(), "value": pa.binary_view()})
    lists = pa.array([[{"key": "x", "value": b""}], [{"key": "a", "value": b"1"}], None, []], pa.list_(views))
    (made,) = build_batches(pa.table({"value": ["x", "y", "z", "z"], "headers": lists})[1:], timestamp=0)
    assert [one.headers for one in Batch(bytes(made.raw)).records()] == [(("a", b"1"),), (), ()]


@pytest.mark.parametrize("values", [[b"ab", None], [b"", None], [None, None], [b"of more than 12 bytes", b"ab"]])
def test_views_that_a_cast_made(values: list[bytes | None]) -> None:
    """pyarrow 18 to 24 does not survive Arrow's C stream of the first three."""
    viewed = pa.array(values, pa.binary()).cast(pa.binary_view())
    batch = pa.record_batch({"key": viewed, "value": viewed})
    table = pa.Table.from_batches([batch, batch])
    rows = batch.to_struct_array()
    for one, expected in (
        (table, values * 2),
        (table.to_reader(), values * 2),
        (batch, values),
        (rows[1:], values[1:]),
        (pa.chunked_array([rows, rows]), values * 2),
    ):
        (made,) = build_batches(one, timestamp=0)
        assert [(found.key, found.value) for found in Batch(bytes(made.raw)).records()] == [(v, v) for v in expected]


class Wrapper:
    """What exports through pyarrow, and does not say so."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "kind",
    [
        pa.binary_view(),
        pa.dictionary(pa.int8(), pa.string_view()),
        pa.list_(pa.struct({"key": pa.string(), "value": pa.binary_view()})),
    ],
    ids=str,
)
def test_views_of_unknown_origin_are_refused_before_they_are_exported(kind: Any, monkeypatch: Any) -> None:
    table = pa.table({"value": ["v"], "other": pa.nulls(1, kind)})
    monkeypatch.setattr(tables, "_EXPORTS_VIEWS", 1000)
    with pytest.raises(
        UsageError, match=rf"column other: .* of Wrapper may crash the process with pyarrow {pa.__version__}"
    ):
        list(build_batches(Wrapper(table)))
    polars = pytest.importorskip("polars").DataFrame({"value": [b"ab", None], "other": ["", "cd"]})
    for allowed in (table, Wrapper(table.select(["value"])), polars):
        assert len(list(build_batches(allowed))) == 1


def test_a_dictionary_without_entries() -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int8()), pa.array([], pa.string()))
    (made,) = build_batches(pa.table({"value": array}), timestamp=0)
    assert [one.value for one in Batch(bytes(made.raw)).records()] == [None, None]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"key": ["k"]}, "column value is expected, found key"),
        ({"value": [1]}, "column value: binary or string is expected, found int64"),
        ({"value": ["v"], "key": [1.5]}, "column key: binary or string is expected, found double"),
        (
            {"value": ["v"], "timestamp": ["now"]},
            "column timestamp: timestamp, or integers in milliseconds is expected",
        ),
        ({"value": ["v"], "headers": ["h"]}, "column headers: list<struct<key: string, value: binary>> is expected"),
        ({"value": ["v"], "headers": [[{"key": "k"}]]}, "column headers: list<struct<key: string, value: binary>> is"),
        ({"value": ["v"], "timestamp": pa.array([2**60], pa.timestamp("s"))}, "seconds that do not fit"),
        ({"value": ["v"], "timestamp": pa.array([2**63], pa.uint64())}, "column timestamp: a number is out of range"),
    ],
)
def test_columns_of_the_wrong_type(columns: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        list(build_batches(pa.table(columns)))
    assert words in str(caught.value)


def test_what_makes_no_sense() -> None:
    table = pa.table({"value": ["v"] * 3})
    with pytest.raises(UsageError, match=r"anything with __arrow_c_stream__ or __arrow_c_array__, found list"):
        list(build_batches([{"value": b"v"}]))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="column value is there 2 times"):
        list(build_batches(pa.Table.from_arrays([table["value"]] * 2, ["value"] * 2)))
    with pytest.raises(UsageError, match=r"a table is expected, found ChunkedArray: .*non-struct"):
        list(build_batches(table["value"]))
    with pytest.raises(UsageError, match="a table is expected, found StructArray: 1 null rows"):
        list(build_batches(pa.array([{"value": "v"}, None])))
    with pytest.raises(UsageError, match="a table is expected, found Int64Array: "):
        list(build_batches(pa.array([1])))
    for wrong in ({"max_batch_bytes": 0}, {"max_records": 0}, {"compression": "lzo"}):
        with pytest.raises(UsageError):
            build_batches(table, **wrong)
    with pytest.raises(UsageError, match="compression level 40 does not exist for zstd"):
        list(build_batches(table, compression="zstd", level=40))


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"partition_leader_epoch": 2**31}, "record_batch.partition_leader_epoch"),
        ({"producer_epoch": 2**15}, "record_batch.producer_epoch"),
        ({"base_sequence": 2**31}, "record_batch.base_sequence"),
        ({"base_sequence": -(2**31) - 1}, "record_batch.base_sequence"),
        ({"append_time": 2**63}, "record_batch.max_timestamp"),
        ({"base_offset": 2**63}, "record_batch.base_offset"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_codecs_own_words(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(BuildError) as caught:
        list(build_batches(pa.table({"value": ["v"] * 3}), **fields))
    assert caught.value.path == path


def test_records_that_do_not_fit_a_batch() -> None:
    far = pa.table({"value": ["v"] * 2, "timestamp": pa.array([-(2**62), 2**63 - 1], pa.int64())})
    with pytest.raises(BuildError) as caught:
        list(build_batches(far))
    assert caught.value.path == "record_batch.records[1].timestamp_delta"
    lists = pa.array([[{"key": "k", "value": b""}], [{"key": None, "value": b""}]], LISTS[0])
    with pytest.raises(BuildError) as caught:
        list(build_batches(pa.table({"value": ["v"] * 2, "headers": lists})))
    assert caught.value.path == "record_batch.records[1].headers[0].key"


@pytest.mark.judge
def test_kafkas_classes_read_them(tmp_path: Path) -> None:
    require(releases.NEWEST)
    columns = rows(900)
    columns = columns._replace(headers=[[("h", b"x"), ("h", None)][: number % 3] for number in range(900)])
    codecs = ("none", "gzip", "snappy", "lz4", "zstd")
    files = [tmp_path / f"{codec}.log" for codec in codecs]
    for codec, file in zip(codecs, files, strict=True):
        made = build_batches(table_of(columns), base_offset=40, compression=codec, partition_leader_epoch=2)
        file.write_bytes(b"".join(batch.raw for batch in made))

    def text(data: bytes | None) -> str | None:
        return None if data is None else base64.b64encode(data).decode()

    expected = [
        {
            "offset": 40 + number,
            "timestamp": timestamp,
            "sequence": -1,
            "key": text(key),
            "value": text(value),
            "headers": [[name, text(data)] for name, data in pairs],
        }
        for number, (timestamp, key, value, pairs) in enumerate(
            zip(columns.timestamps, columns.keys, columns.values, columns.headers or [], strict=True)
        )
    ]
    for codec, batches in zip(codecs, read_batches(releases.NEWEST, files), strict=True):
        assert len(batches) > 20 and all(batch["is_valid"] and "error" not in batch for batch in batches), codec
        assert [record for batch in batches for record in batch["records"]] == expected


def test_offsets_end_where_their_numbers_do() -> None:
    columns = Columns([1] * 4, [None] * 4, [b"v"] * 4)
    assert [batch.last_offset for batch in build_batches(columns, base_offset=2**63 - 4)] == [2**63 - 1]
    with pytest.raises(BuildError, match="offsets end at"):
        list(build_batches(columns, base_offset=2**63 - 3))
    (whole,) = build_batches(columns, max_batch_bytes=2**70)
    assert whole.records_count == 4


@given(st.data(), st.lists(records().filter(is_text), min_size=1, max_size=60), st.integers(100, 900))
@settings(max_examples=at_most(60), deadline=None)
def test_offsets_of_their_own_are_kept_with_their_gaps(data: Any, drawn: list[kformat.Record], max_bytes: int) -> None:
    steps = data.draw(st.lists(st.sampled_from([1, 1, 1, 2, 70_000]), min_size=len(drawn), max_size=len(drawn)))
    offsets = (data.draw(st.sampled_from([0, 1 << 40])) + np.cumsum(steps)).tolist()
    columns = columns_of(drawn)._replace(offsets=offsets)
    table = table_of(columns).append_column("offset", pa.array(offsets, pa.int64()))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(drawn)), max_size=3)))
    parts = [table.slice(a, b - a) for a, b in zip([0, *cuts], [*cuts, len(drawn)], strict=True)]
    options: dict[str, Any] = {"compression": data.draw(st.sampled_from(["none", "lz4"]))}
    expected = divided(columns, max_bytes, fields=BatchFields(**options))
    options |= {"keep_offsets": True, "max_batch_bytes": max_bytes}
    assert plain(build_batches(pa.concat_tables(parts), **options)) == expected
    assert plain(build_batches(columns, **options)) == expected
    built = [record.offset for _, raw in expected for record in Batch(raw).records()]
    assert built == offsets


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([1, 1], "1 comes after 1"),
        ([5, 3], "3 comes after 5"),
        ([-1, 3], "-1 comes after -1"),
        ([None, 3], "1 rows have no offset"),
    ],
)
def test_offsets_that_do_not_grow_are_refused(offsets: list[int | None], message: str) -> None:
    table = pa.table({"value": [b"a", b"b"], "offset": pa.array(offsets, pa.int64())})
    with pytest.raises(UsageError, match=message):
        list(build_batches(table, keep_offsets=True))
    assert len(list(build_batches(table))) == 1
    if None not in offsets:
        with pytest.raises(UsageError, match="offsets must increase"):
            list(build_batches(Columns([1, 1], [None] * 2, [b"a"] * 2, offsets=offsets), keep_offsets=True))  # type: ignore[arg-type]


def test_offsets_too_far_from_each_other_for_one_batch_are_refused() -> None:
    table = pa.table({"value": [b"a", b"b"], "offset": pa.array([0, 1 << 31], pa.int64())})
    with pytest.raises(BuildError, match="offset_delta"):
        list(build_batches(table, keep_offsets=True))


def test_offsets_have_to_be_there_to_be_kept() -> None:
    with pytest.raises(UsageError, match="column offset is expected, found value"):
        list(build_batches(pa.table({"value": [b"a"]}), keep_offsets=True))
    with pytest.raises(UsageError, match="column offset: integers is expected"):
        list(build_batches(pa.table({"value": [b"a"], "offset": ["a"]}), keep_offsets=True))
    with pytest.raises(UsageError, match="the rows have none"):
        list(build_batches(Columns([1], [None], [b"a"]), keep_offsets=True))
