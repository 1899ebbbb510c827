"""What docs/recipes.md does, held against the records one by one (tests/test_readme.py runs the page itself)."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.kafka.log.partition import Partition
from tests.cli.test_export import run
from tests.judges.required import is_missing
from tests.samples import ROOT as SAMPLES

NAMES = ["plain-0", "rolled-by-bytes-0", "tombstones-0", "headers-0", "producer-lz4-0", "nulls-0", "empty-0"]


def library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        is_missing(f"judge missing: {name} (the extra `test` brings it)")


@pytest.fixture(params=NAMES)
def partition(request: pytest.FixtureRequest) -> Partition:
    library("pyarrow")
    return kformat.open(SAMPLES / "4.3.1" / request.param)


def seen(partition: Partition) -> list[kformat.Record]:
    """The records that consumers see."""
    return [record for batch in batches(partition) if not batch.is_control for record in batch.records()]


def batches(partition: Partition) -> list[Any]:
    return [batch for segment in partition.segments for batch in segment.scan()]


def last_values(partition: Partition) -> dict[bytes, bytes]:
    newest = {record.key: record.value for record in seen(partition) if record.key is not None}
    return {key: value for key, value in newest.items() if value is not None}


def in_polars(given: Any) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = library("polars").DataFrame(given).rows()
    return rows


def in_duckdb(given: Any) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = library("duckdb").sql("SELECT * FROM given").fetchall()
    return rows


def in_pandas(given: Any) -> list[tuple[Any, ...]]:
    library("pandas")
    table = given.to_arrow() if isinstance(given, Partition) else given.read_all()
    return [tuple(row) for row in table.to_pandas().itertuples(index=False)]


@pytest.mark.parametrize("take", [in_polars, in_duckdb, in_pandas])
def test_they_take_a_partition_as_it_is(partition: Partition, take: Callable[[Any], list[tuple[Any, ...]]]) -> None:
    expected = [
        (
            record.key,
            record.value,
            partition.topic,
            partition.partition,
            record.offset,
            datetime.fromtimestamp(record.timestamp / 1000, UTC),
            int(record.timestamp_type),
            [{"key": key, "value": value} for key, value in record.headers],
        )
        for record in seen(partition)
    ]
    rows = [(*row[:5], row[5].astimezone(UTC), row[6], list(row[7])) for row in take(partition)]
    assert rows == expected
    assert take(partition.record_batches(["offset", "key"])) == [(row[4], row[0]) for row in expected]


def test_count_by_key(partition: Partition) -> None:
    pl, duckdb = library("polars"), library("duckdb")
    expected = Counter(record.key for record in seen(partition))
    assert dict(duckdb.sql("SELECT key, count(*) FROM partition GROUP BY key").fetchall()) == expected
    assert dict(pl.DataFrame(partition).group_by("key").len().rows()) == expected


def test_the_last_value_of_each_key(partition: Partition) -> None:
    pl, duckdb = library("polars"), library("duckdb")
    expected = last_values(partition)
    newest = duckdb.sql("""
        SELECT * FROM (SELECT DISTINCT ON (key) key, value FROM partition WHERE key IS NOT NULL
                       ORDER BY key, "offset" DESC) WHERE value IS NOT NULL
    """)
    assert dict(newest.fetchall()) == expected
    frame = pl.DataFrame(partition).filter(pl.col("key").is_not_null()).sort("offset")
    last = frame.group_by("key").last().filter(pl.col("value").is_not_null())
    assert dict(last.select("key", "value").rows()) == expected


def test_buckets_of_time(partition: Partition) -> None:
    duckdb = library("duckdb")
    expected = Counter(record.timestamp // 2000 * 2000 for record in seen(partition))
    found = duckdb.sql("""
        SELECT epoch_ms(time_bucket(INTERVAL 2 seconds, "timestamp")), count(*) FROM partition GROUP BY ALL
    """)
    assert dict(found.fetchall()) == expected


def test_two_topics_by_key() -> None:
    pl, duckdb = library("polars"), library("duckdb")
    left, right = (kformat.open(SAMPLES / "4.3.1" / name) for name in ("rolled-by-bytes-0", "plain-0"))
    counts = Counter(record.key for record in seen(right))
    expected = sum(counts[record.key] for record in seen(left))
    a, b = left.to_arrow(["key", "offset"]), right.to_arrow(["key", "offset"])
    assert duckdb.sql("SELECT count(*) FROM a JOIN b USING (key)").fetchall() == [(expected,)]
    assert pl.DataFrame(a).join(pl.DataFrame(b), on="key").height == expected


def test_headers_one_a_row(partition: Partition) -> None:
    pl, duckdb = library("polars"), library("duckdb")
    expected = [(record.offset, key, value) for record in seen(partition) for key, value in record.headers]
    found = duckdb.sql('SELECT "offset", h.key, h.value FROM (SELECT "offset", unnest(headers) AS h FROM partition)')
    assert found.fetchall() == expected
    frame = pl.DataFrame(partition.record_batches(["offset", "headers"])).filter(pl.col("headers").list.len() > 0)
    assert frame.explode("headers").unnest("headers").rows() == expected


def test_the_parquet_that_export_writes(partition: Partition, tmp_path: Path) -> None:
    pl, duckdb = library("polars"), library("duckdb")
    out = tmp_path / "out.parquet"
    assert run("export", str(partition.path), "-o", str(out)) == (0, b"", b"")
    expected = [(record.offset, record.key, record.value) for record in seen(partition)]
    assert duckdb.sql(f"SELECT \"offset\", key, value FROM '{out}'").fetchall() == expected
    assert pl.scan_parquet(out).select("offset", "key", "value").collect(engine="streaming").rows() == expected
