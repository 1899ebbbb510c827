"""The rows of every reader of kformat are those of the engine's logs, in both isolation levels: next to an open manager
with an open transaction, and in a closed copy. Spark's are in tests/spark/test_engine.py."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.check.checker import check
from kformat.cli import main
from kformat.kafka.files.file_kinds import folder_name
from kformat.kafka.log.partition import iter_partitions
from kformat_engine import LogManager
from kformat_engine.coordinator import STATE_CONFIG
from tests.engine.committed_root import LEVELS, SMALL, STATE, fill, records_of, snapshot

Row = tuple[int, int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LogManager]:
    folder = tmp_path_factory.mktemp("disks")
    with fill([folder / "a", folder / "b"]) as manager:
        yield manager


@pytest.fixture(scope="module")
def closed(live: LogManager, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return snapshot(live.directories, tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module", params=["live", "closed"])
def folders(request: pytest.FixtureRequest, live: LogManager, closed: list[Path]) -> dict[tuple[str, int], Path]:
    """The folder of each partition that `records_of` has."""
    where = dict(zip(live.directories, closed, strict=True))
    return {
        (place.topic, place.partition): (place.directory if request.param == "live" else where[place.directory])
        / folder_name(place.topic, place.partition)
        for place in live.partitions()
        if place.topic != STATE
    }


def row(record: Any) -> Row:
    return record.offset, record.timestamp, record.key, record.value, list(record.headers)


def lines(*arguments: str | Path) -> list[dict[str, Any]]:
    result = CliRunner().invoke(main, [*map(str, arguments), "--format", "nl"])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def as_bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def of_line(line: dict[str, Any]) -> Row:
    headers = [(one["key"], as_bytes(one["value"])) for one in line["headers"] or ()]
    return line["offset"], line["timestamp"], as_bytes(line["key"]), as_bytes(line["value"]), headers


def of_arrow(table: Any) -> list[Row]:
    import pyarrow as pa

    at = table.schema.get_field_index("timestamp")
    rows = table.set_column(at, "timestamp", table["timestamp"].cast(pa.int64())).to_pylist()
    return [
        (
            one["offset"],
            one["timestamp"] // (1000 if table.schema.field(at).type.unit == "us" else 1),
            one["key"],
            one["value"],
            [(header["key"], header["value"]) for header in one["headers"] or ()],
        )
        for one in rows
    ]


def by_reader(folder: Path, level: str) -> list[Row]:
    with kformat.LogReader.open(folder) as reader:
        return [row(one) for one in reader.records(isolation_level=level)]


def by_cursor(folder: Path, level: str) -> list[Row]:
    found = []
    with kformat.LogReader.open(folder) as reader:
        cursor = reader.cursor(isolation_level=level)
        while (batch := cursor.poll()) is not None:
            found += [] if batch.is_control else [row(one) for one in batch.records()]
    return found


def by_export(folder: Path, level: str) -> list[Row]:
    return [of_line(one) for one in lines("export", folder, "--isolation-level", level)]


def by_log_read(folder: Path, level: str) -> list[Row]:
    return [of_line(one) for one in lines("log", "read", folder, "--isolation-level", level)]


def by_dump(folder: Path) -> list[Row]:
    """Without control records, which are those of control batches."""
    found, is_control = [], False
    for line in lines("dump", "--print-data-log", *sorted(folder.glob("*.log"))):
        if line["kind"] == "batch":
            is_control = line["is_control"]
        elif line["kind"] == "record" and not is_control:
            found.append(of_line(line))
    return found


def by_iterating(folder: Path) -> list[Row]:
    partition = kformat.open(folder)
    data = set(partition.to_arrow(["offset"])["offset"].to_pylist())
    return [row(record) for record in partition.records() if record.offset in data]


BOTH: dict[str, Callable[[Path, str], list[Row]]] = {
    "to_arrow": lambda folder, level: of_arrow(kformat.open(folder).to_arrow(isolation_level=level)),
    "LogReader": by_reader,
    "cursor": by_cursor,
    "kformat.grep": lambda folder, level: [row(one) for one in kformat.grep(folder, "", isolation_level=level)],
    "grep": lambda folder, level: [of_line(one) for one in lines("grep", "", folder, "--isolation-level", level)],
    "export": by_export,
    "log read": by_log_read,
}
UNCOMMITTED: dict[str, Callable[[Path], list[Row]]] = {
    "records": by_iterating,
    "follow": lambda folder: of_arrow(kformat.follow(folder, timeout_s=0).read_all()),
    "dump": by_dump,
}
"""These have no isolation level: all records, but for control records."""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("reader", BOTH)
def test_rows_of_both_levels(live: LogManager, folders: dict[tuple[str, int], Path], reader: str, level: str) -> None:
    for key, records in records_of(live, level).items():
        assert BOTH[reader](folders[key], level) == [row(one) for one in records], key


@pytest.mark.parametrize("reader", UNCOMMITTED)
def test_rows_of_all_records(live: LogManager, folders: dict[tuple[str, int], Path], reader: str) -> None:
    for key, records in records_of(live, "read_uncommitted").items():
        assert UNCOMMITTED[reader](folders[key]) == [row(one) for one in records], key


def test_stats_count_the_same(live: LogManager, folders: dict[tuple[str, int], Path]) -> None:
    for (topic, partition), folder in folders.items():
        every = list(live.log(topic, partition).records(include_control=True))
        data = list(live.log(topic, partition).records())
        (found,) = lines("stats", "--records", folder)
        assert found["problems"] == []
        assert found["records_count"] == len(every)
        assert found["control_records_count"] == len(every) - len(data)
        assert found["next_offset"] == live.log(topic, partition).end_offset


def test_the_root_has_all_that_it_is_for(live: LogManager, folders: dict[tuple[str, int], Path]) -> None:
    """Else the rows above were equal for nothing."""
    committed, every = (records_of(live, level) for level in reversed(LEVELS))
    transacted: list[tuple[str, int]] = [("orders", 0), ("orders", 1), ("prices", 0)]
    for key in transacted:
        texts = [(one.value or b"").partition(b" ")[0] for one in every[key]]
        assert {b"commit", b"open"} <= set(texts)
        assert not {b"abort", b"open"} & {(one.value or b"").partition(b" ")[0] for one in committed[key]}
        assert b"abort" in texts or key == ("prices", 0), "compaction has removed them there"
        log = live.log(*key)
        assert committed[key][-1].offset < log.last_stable_offset < log.end_offset
    batches = [one for one in lines("dump", *sorted(folders["prices", 0].glob("*.log"))) if one["kind"] == "batch"]
    assert any(one["records_count"] == 0 for one in batches) and any(one["delete_horizon_ms"] for one in batches)
    assert any(after["base_offset"] > one["last_offset"] + 1 for one, after in itertools.pairwise(batches))
    assert {path.parent.name for path in folders.values()} == {"a", "b"}


def test_check_finds_nothing(live: LogManager, closed: list[Path]) -> None:
    """But for what compaction has put aside for a minute, which an open manager has."""
    for folder in (*live.directories, *closed):
        found = [one for partition in iter_partitions(folder) for one in check(partition.path)]
        assert [str(one) for one in found if one.rule != "KF0010"] == []
        assert all("deleted, waiting to be removed" in str(one) for one in found)
        assert len(found) == 0 or folder in live.directories


def test_reindex_makes_the_same_bytes(closed: list[Path], tmp_path: Path) -> None:
    """Also of compacted segments. `.txnindex` files it leaves alone, as those of brokers."""
    for folder in closed:
        for path in folder.glob("*-*/"):
            copy = tmp_path / folder.name / path.name
            shutil.copytree(path, copy)
            for index in (*copy.glob("*.index"), *copy.glob("*.timeindex")):
                index.unlink()
            config = STATE_CONFIG if path.name.startswith(STATE) else SMALL
            lines_of = CliRunner().invoke(
                main, ["reindex", str(copy), "--index-interval-bytes", str(config.index_interval_bytes)]
            )
            assert lines_of.exit_code == 0, lines_of.output
            names = sorted(one.name for one in path.iterdir())
            assert names == sorted(one.name for one in copy.iterdir())
            assert [(path / name).read_bytes() for name in names] == [(copy / name).read_bytes() for name in names]
