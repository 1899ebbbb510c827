"""Rows of declared files in Spark: those of `kformat.scan`, split where they can be, with the same errors."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import kformat
from kformat.errors import TruncatedError, UsageError
from kformat.spark import declared, jobs
from kformat.spark.jobs.converting import DECLARED_COLUMNS
from kformat.spark.options import parse_options
from kformat.spark.plan import plan
from tests.columns import test_logical
from tests.columns.comparing import differing
from tests.columns.test_resync import IN_STEP
from tests.judges.required import is_missing
from tests.language.public import HERE, Missing, mutants, text_without_checksums
from tests.samples import ROOT as SAMPLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

INDEXES = sorted(map(str, (SAMPLES / "4.3.1").glob("*/*.timeindex")))
EVERY_TYPE = """
meta: {id: every, endian: le}
seq:
  - {id: magic, contents: EV}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: unsigned, type: u8}
      - {id: short, type: u2}
      - {id: side, type: u1, enum: side}
      - {id: price, type: f4}
      - {id: place, type: place}
      - {id: list, type: u4, repeat: expr, repeat-expr: 2}
      - {id: name, type: str, size: 2, encoding: UTF-8}
      - {id: raw, size: 3}
    instances:
      double: {value: short * 2}
      is_far: {value: 'place.x > 5'}
  place: {seq: [{id: x, type: s1}, {id: more, type: u8be, repeat: expr, repeat-expr: 1}]}
enums: {side: {1: buy, 2: sell}}
"""
SIZE = 37


def load(spark: SparkSession, paths: Any, declaration: Any, schema: str | None = None, **options: Any) -> DataFrame:
    words = {name: str(value) for name, value in options.items() if value is not None}
    reader = spark.read.format("kformat").option("declaration", str(declaration)).options(**words)
    return (reader if schema is None else reader.schema(schema)).load(paths)


def same_rows(frame: DataFrame, wanted: Any) -> None:
    bad = differing(frame.toArrow().to_pylist(), wanted.to_arrow().to_pylist())
    assert bad is None, bad


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A declaration with a column of every type, and a folder with two files."""
    folder = tmp_path_factory.mktemp("every")
    (folder / "every.ksy").write_text(EVERY_TYPE)
    (folder / "files").mkdir()
    (folder / "files" / "_SUCCESS").write_bytes(b"")
    for number in range(2):
        rows = [
            {
                "unsigned": 2**64 - 1 - n,
                "short": n,
                "side": n % 3,
                "price": n / 4,
                "place": {"x": n, "more": [2**63 + n]},
                "list": [n, 2**32 - 1],
                "name": "ab",
                "raw": bytes([n, number, 255]),
            }
            for n in range(50)
        ]
        data = kformat.build(str(folder / "every.ksy"), {"magic": b"EV", "rows": rows})
        assert len(data) == 2 + 50 * SIZE
        (folder / "files" / f"{number}.bin").write_bytes(data)
    return folder / "every.ksy", folder / "files"


@pytest.mark.parametrize(
    ("name", "row"), [("pcap", None), ("zip", "sections"), ("png", None), ("git_index", None), ("dbf", "records")]
)
def test_public_formats(spark: SparkSession, tmp_path: Path, name: str, row: str | None) -> None:
    try:
        files = mutants.write([name], tmp_path)[name][:3]
    except Missing as error:
        is_missing(str(error))
    paths = [tmp_path / f"{number}.{name}" for number in range(len(files))]
    for path, data in zip(paths, files, strict=True):
        path.write_bytes(data)
    declaration = HERE / f"{name}.ksy"
    if name == "zip":
        declaration = tmp_path / declaration.name
        declaration.write_text(text_without_checksums(name), encoding="utf-8")
    frame = load(spark, list(map(str, paths)), declaration, row=row)
    same_rows(frame, kformat.scan(paths, declaration, row))


def test_fixed_rows_of_a_broker_are_split(spark: SparkSession) -> None:
    columns = ["_file", "_position", "_index", "timestamp", "relative_offset"]
    how: dict[str, Any] = {"columns": ",".join(columns), "splitBytes": 40}
    frame = load(spark, INDEXES, "time_index", **how)
    assert frame.rdd.getNumPartitions() > len(INDEXES)
    same_rows(frame, kformat.scan(INDEXES, "time_index", columns=columns))


def test_logical_types(spark: SparkSession, tmp_path: Path) -> None:
    declaration, file = tmp_path / "logical_variable.ksy", tmp_path / "x.bin"
    declaration.write_text(test_logical.VARIABLE)
    rng = random.Random(7)
    file.write_bytes(b"".join(test_logical.bytes_of(rng, fixed=False) for _ in range(200)))
    frame = load(spark, str(file), declaration)
    kinds = dict(frame.dtypes)
    assert [kinds[name] for name in ("ms", "tiny", "access", "guid", "source", "warm", "times")] == [
        "timestamp", "decimal(3,1)", "array<string>", "string", "string", "float", "array<timestamp>"
    ]  # fmt: skip
    rows = kformat.scan([file], declaration).to_arrow().to_pylist()
    for row in rows:  # Spark has no type of UUIDs
        row["guid"] = str(row["guid"])
        for pair in (row["pair"], row["choice"]["pair"]):
            if pair is not None:
                pair["topic"] = str(pair["topic"])
    bad = differing(frame.toArrow().to_pylist(), rows)
    assert bad is None, bad


def test_a_time_that_spark_does_not_have(spark: SparkSession, tmp_path: Path) -> None:
    declaration, file = tmp_path / "far.ksy", tmp_path / "x.bin"
    declaration.write_text("meta: {id: far, endian: be}\nseq: [{id: rows, type: row, repeat: eos}]\n"
                           "types: {row: {seq: [{id: at, type: s8, -as: timestamp(s)}]}}")  # fmt: skip
    file.write_bytes((1 << 62).to_bytes(8, "big"))
    with pytest.raises(Exception, match=r"x\.bin at: a time that Spark does not hold"):
        load(spark, str(file), declaration).collect()


def test_files_in_which_rows_are_looked_for_are_not_split(spark: SparkSession, tmp_path: Path) -> None:
    declaration, file = tmp_path / "steps.ksy", tmp_path / "x.bin"
    declaration.write_text(IN_STEP.replace("SYNC", "[0x47, 0x1f]"))
    rows = [b"\x47\x1f" + number.to_bytes(4, "big") + bytes(22) for number in range(100)]
    file.write_bytes(b"".join(rows[:50]) + b"put in" + b"".join(rows[50:]))
    frame = load(spark, str(file), declaration, splitBytes=400, onCorrupt="skip")
    assert frame.rdd.getNumPartitions() == 1
    assert [row.number for row in frame.collect()] == list(range(100))
    file.write_bytes(b"".join(rows))
    assert load(spark, str(file), declaration, splitBytes=400).rdd.getNumPartitions() == 7


def test_every_type(spark: SparkSession, every: tuple[Path, Path]) -> None:
    declaration, folder = every
    frame = load(spark, str(folder), declaration, minPartitions=5)
    assert dict(frame.dtypes) == {
        "unsigned": "decimal(20,0)",
        "short": "int",
        "side": "string",
        "price": "float",
        "place": "struct<x:tinyint,more:array<decimal(20,0)>>",
        "list": "array<bigint>",
        "name": "string",
        "raw": "binary",
        "double": "bigint",
        "is_far": "boolean",
    }
    assert frame.rdd.getNumPartitions() >= 5
    same_rows(frame, kformat.scan(sorted(folder.glob("*.bin")), declaration))
    some = load(
        spark, str(folder / "*.bin"), declaration, "place struct<x:tinyint,more:array<decimal(20,0)>>, raw binary"
    )
    same_rows(some, kformat.scan(sorted(folder.glob("*.bin")), declaration, columns=["place", "raw"]))


def test_damage(spark: SparkSession, every: tuple[Path, Path], tmp_path: Path) -> None:
    declaration, folder = every
    data = bytearray((folder / "0.bin").read_bytes()[:-1])
    data[2 + 7 * SIZE + 32] = 0xFF  # text
    (tmp_path / "damaged.bin").write_bytes(data)
    wanted = kformat.scan(tmp_path / "damaged.bin", declaration, on_corrupt="skip")
    frame = load(spark, str(tmp_path), declaration, onCorrupt="skip", splitBytes=500)
    same_rows(frame, wanted)
    assert frame.count() == 48
    # One fault alone, in one of the pieces: of two, Spark says which it met first.
    (tmp_path / "damaged.bin").write_bytes(data + (folder / "0.bin").read_bytes()[-1:])
    with pytest.raises(Exception, match=rf"damaged.bin:{2 + 7 * SIZE + 32} every.rows\[7\].name: .*text in UTF-8"):
        load(spark, str(tmp_path), declaration, splitBytes=500).collect()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"row": "nothing"}, "no rows 'nothing'; there are rows"),
        ({"columns": "nothing"}, "has no field 'nothing'"),
        ({"subscribe": "orders"}, "unknown option 'subscribe'"),
        ({"enums": "words"}, "'names' or 'numbers' is expected"),
        ({"trailing": "lose"}, "option trailing='lose'"),
        ({"declaration": "nothing.ksy"}, "nothing.ksy"),
    ],
)
def test_what_is_wrong_is_said(every: tuple[Path, Path], options: dict[str, str], error: str) -> None:
    declaration, folder = every
    with pytest.raises((UsageError, OSError), match=error):
        declared.parse_declared({"path": str(folder), "declaration": str(declaration), **options})
    if "declaration" not in options and "columns" not in options and "subscribe" not in options:
        with pytest.raises(UsageError, match="needs the option declaration"):
            declared.is_declared({"path": str(folder), **options})


def test_a_schema_of_ones_own(every: tuple[Path, Path]) -> None:
    plan = declared.parse_declared({"path": str(every[1]), "declaration": str(every[0])}).plan
    assert declared.choose(plan, [("raw", "binary"), ("short", "int")]) == ("raw", "short")
    for wanted, error in (
        ([("raw", "string")], "column raw is binary and may be null, not string"),
        ([("row", "binary")], "no column 'row': did you mean raw"),
        ([("raw", "binary"), ("raw", "binary")], "raw is named twice"),
        ([], "no columns"),
    ):
        with pytest.raises(UsageError, match=error):
            declared.choose(plan, wanted)


def test_streams_and_empty_folders_are_refused(spark: SparkSession, every: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no file in the folder"):
        declared.parse_declared({"path": str(tmp_path), "declaration": str(every[0])})
    with pytest.raises(Exception, match="declared files are read once"):
        frame = spark.readStream.format("kformat").option("declaration", str(every[0])).load(str(every[1]))
        frame.writeStream.format("noop").start().processAllAvailable()


def test_to_parquet(spark: SparkSession, every: tuple[Path, Path], tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    declaration, folder = every
    out = tmp_path / "out"
    made = jobs.to_parquet(spark, str(folder), str(out), declaration=declaration, split_bytes=1000)
    rows = made.collect()
    assert made.columns == list(DECLARED_COLUMNS) and [row["position"] for row in rows] == [0, 926] * 2
    assert sum(row["rows_count"] for row in rows) == 100 and not any(row["problems"] for row in rows)
    files = [row["file"] for row in rows]
    assert sorted(map(str, out.iterdir())) == sorted(files)
    table = pa.concat_tables(map(parquet.read_table, files))
    bad = differing(table.to_pylist(), kformat.scan(sorted(folder.glob("*.bin")), declaration).to_arrow().to_pylist())
    assert bad is None, bad
    assert spark.read.parquet(str(out)).dtypes == load(spark, str(folder), declaration).dtypes

    (tmp_path / "2.bin").write_bytes((folder / "0.bin").read_bytes() + b"x")
    with pytest.raises(TruncatedError, match=r"2.bin:1852 every.rows.50..unsigned: the bytes end here"):
        jobs.to_parquet(spark, str(tmp_path / "2.bin"), str(tmp_path / "none"), declaration=declaration)
    (row,) = jobs.to_parquet(
        spark, str(tmp_path / "2.bin"), str(tmp_path / "some"), declaration=declaration, on_corrupt="report"
    ).collect()
    assert row["rows_count"] == 50 and len(row["problems"]) == 1
    read = jobs.read(spark, str(folder), declaration=declaration, columns=["short", "raw"])
    assert read.count() == 100 and json.loads(read.schema.json())["fields"][1]["type"] == "binary"


# values of records

TEXT = """
meta: {id: text, endian: be}
seq:
  - {id: first, type: u1, enum: letter}
  - {id: more, type: u8}
  - {id: rest, type: str, encoding: UTF-8, size-eos: true}
enums: {letter: {0x72: r, 0x66: f}}
"""


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("text") / "text.ksy"
    path.write_text(TEXT)
    return str(path)


@pytest.mark.parametrize("columns", [None, ("offset", "value.rest", "value_error", "value.more"), ("value_raw", "key")])
def test_values_of_records_are_those_of_export(
    spark: SparkSession, text: str, columns: tuple[str, ...] | None, tmp_path: Path
) -> None:
    partition = kformat.open(SAMPLES / "4.3.1" / "plain-0")
    wanted = partition.to_arrow(columns=columns or ("key", "value", "value_raw", "value_error"), value_as=text)
    options = {} if columns is None else {"columns": columns}
    frame = jobs.read(spark, str(partition.folder), value_as=text, split_bytes=20_000, **options)
    rows = frame.toArrow().select(wanted.schema.names).to_pylist()
    bad = differing(rows, wanted.to_pylist())
    assert bad is None, bad
    errors = wanted["value_error"] if "value_error" in wanted.schema.names else wanted["value_raw"]
    assert 0 < errors.null_count < len(wanted) == frame.count()
    if columns is None:
        value = "struct<first:string,more:decimal(20,0),rest:string>"
        assert dict(frame.dtypes)["value"] == value and frame.columns[:4] == wanted.schema.names
        some = spark.read.format("kformat").schema(f"offset bigint, value {value}").option("valueAs", text)
        assert some.load(str(partition.folder)).count() == len(wanted)
        made = jobs.to_parquet(spark, str(partition.folder), str(tmp_path / "out"), value_as=text)
        (file,) = (row["file"] for row in made.collect())
        parquet = spark.read.parquet(file)
        assert parquet.dtypes == jobs.read(spark, str(partition.folder), value_as=text, include_headers=True).dtypes
        assert differing(parquet.toArrow().select(wanted.schema.names).to_pylist(), wanted.to_pylist()) is None


def there(row: dict[str, Any]) -> dict[str, Any]:
    """A row without the types of messages that it is not: Spark's structures have those of all topics."""
    return {
        name: {kind: inner for kind, inner in value.items() if inner is not None} if isinstance(value, dict) else value
        for name, value in row.items()
    }


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("__consumer_offsets-0", None),
        ("__consumer_offsets-1", ("offset", "value.offset_commit.offset", "value.group_metadata.leader")),
        ("__cluster_metadata-0", ("offset", "value.topic", "value.config.value", "value_error")),
    ],
)
def test_records_of_kafkas_own_topics_are_decoded(
    spark: SparkSession, name: str, columns: tuple[str, ...] | None
) -> None:
    partition = kformat.open(SAMPLES / "4.4.0" / name)
    names = columns or ("key", "key_error", "value", "value_raw", "value_error")
    wanted = partition.to_arrow(columns=names, value_as="kafka", key_as="kafka")
    read = spark.read.format("kformat").option("decode", "true")
    read = read if columns is None else read.option("columns", ",".join(columns))
    frame = read.load(str(partition.folder))
    found, expected = (list(map(there, table.to_pylist())) for table in (frame.toArrow().select(names), wanted))
    bad = differing(found, expected)
    assert bad is None, bad
    assert len(wanted) > 5
    if columns is None:
        assert jobs.read(spark, str(partition.folder), value_as="kafka", key_as="kafka").dtypes == frame.dtypes
        plain = spark.read.format("kformat").option("decode", "false").load(str(partition.folder))
        assert dict(plain.dtypes)["value"] == "binary"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"decode": "true", "keyAs": "json"}, "options decode and keyAs: only one of them may be given"),
        ({"decode": "true", "rows": "index"}, "option decode: rows=index have no values and keys"),
        ({"decode": "yes"}, "option decode='yes': expected true or false"),
        ({"valueAs": "kafka:nothing"}, "there is no decoder 'nothing'"),
        ({"valueAs": "nothing=TEXT"}, "there is no topic 'nothing' here"),
        ({"valueAs": "TEXT", "rows": "batches"}, "rows=batches have no values and keys"),
        ({"keyAs": "nothing.ksy"}, "nothing.ksy"),
        ({"valueAs": " , "}, "expected a .ksy file, the name of a format, or json"),
        ({"valueAs": "TEXT", "columns": "value.none"}, "has no field 'none'"),
        ({"valueAs": "TEXT", "columns": "values"}, "no column 'values': did you mean value"),
        ({"valueAs": "json", "columns": "value.none"}, "JSON stays text"),
    ],
)
def test_layouts_that_are_wrong(text: str, options: dict[str, str], error: str) -> None:
    words = {name: word.replace("TEXT", text) for name, word in options.items()}
    with pytest.raises((UsageError, OSError), match=error):
        plan(parse_options({"path": str(SAMPLES / "4.3.1"), **words}))


# other jobs


def test_check_finds_what_the_function_finds(spark: SparkSession, every: tuple[Path, Path], tmp_path: Path) -> None:
    declaration, folder = every
    for number in range(3):
        data = bytearray((folder / "1.bin").read_bytes())
        data[2 + 5 * SIZE + 32] = 0xFF
        (tmp_path / f"{number}.bin").write_bytes(data + b"more"[:number])
    paths = sorted(map(str, tmp_path.iterdir()))
    wanted = list(kformat.check(paths, format=str(declaration)))
    found = jobs.check(spark, paths, declaration=declaration).collect()
    assert wanted and [(row["rule"], row["file"], row["position"], row["path"]) for row in found] == [
        (one.rule, str(one.file), one.position, one.path) for one in wanted
    ]


def test_stats_and_corpus(spark: SparkSession, every: tuple[Path, Path], tmp_path: Path) -> None:
    declaration, folder = every
    found = {row["column"]: row for row in jobs.stats(spark, str(folder), declaration=declaration).collect()}
    assert {row["rows_count"] for row in found.values()} == {50}
    assert (found["short"]["min"], found["short"]["max"], found["side"]["distinct_count"]) == ("0", "49", 3)
    assert found["raw"]["size"]["sum"] == 150 and found["raw"]["min"] == "0001ff"
    made = jobs.corpus(spark, str(tmp_path / "out"), declaration=declaration, count=2, damage=True).collect()
    other = kformat.corpus.write_declared_corpus(tmp_path / "mine", declaration, seed=1, damage=True)
    assert made[1]["files_count"] == len(other.files)
    same = sorted(path.relative_to(tmp_path / "mine") for path in (tmp_path / "mine").rglob("*") if path.is_file())
    assert all(
        (tmp_path / "out" / "seed-1" / path).read_bytes() == (tmp_path / "mine" / path).read_bytes() for path in same
    )
