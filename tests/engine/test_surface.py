"""What users of the engine see: the names of each class, lines for people, metrics, messages, and Arrow tables."""

from __future__ import annotations

import asyncio
import inspect
import logging
import pickle
import pydoc
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import OffsetOutOfRangeError, UsageError
from kformat.kafka.log.async_reader import AsyncCursor
from kformat.kafka.log.log_reader import Cursor
from kformat.times import time_text
from kformat_engine import (
    AsyncLog,
    AsyncLogManager,
    Cleaner,
    CleanerConfig,
    Compaction,
    Fetched,
    Log,
    LogConfig,
    LogManager,
    LogManagerMetrics,
    LogMetrics,
    LogTransaction,
    PartitionPlace,
    Producer,
    RecoveryReport,
    SegmentInfo,
    TimestampOffset,
    Transaction,
)
from kformat_engine.aio import AsyncLogTransaction, AsyncProducer
from kformat_engine.aio_manager import AsyncTransaction
from kformat_engine.root import Root
from tests.engine.faults import Fault, FaultyStorage
from tests.peak import ROOT

SMALL = LogConfig(segment_bytes=300)

READING = "batches close end_offset is_closed last_stable_offset log_start_offset offset_for_timestamp open path read"
READING += " record_batches records start_offset to_arrow"
TRANSACTION = "abort append commit durability partitions producer_epoch producer_id state timeout_ms transactional_id"
NAMES: dict[type, str] = {
    Log: f"""{READING} append append_batches compact config delete delete_records_before examine flush has_failed
        is_being_compacted leader_epoch leader_epochs metrics partition producer recovery_point report retain roll root
        segment_count segments size_bytes synced_offset to_clean topic topic_id transaction truncate_fully_and_start_at
        truncate_to""",
    LogManager: """abort_transaction close compact config create_partition delete_partition directories is_closed log
        metrics move offline open partitions refused retain start transaction transactions uncleanable""",
    kformat.LogReader: f"{READING} before_log_start cursor limit refresh remote_offsets wait",
    Cursor: "close commit committed_offset from_offset is_closed name next_offset poll",
    Producer: "append last_sequence name producer_epoch producer_id",
    Transaction: TRANSACTION,
    LogTransaction: f"{TRANSACTION} place",
}


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(tmp_path / "orders-0", SMALL) as opened:
        for number in range(5):
            opened.append([b"%d" % number * 50, b"x" * 50])
        yield opened


def one_of_each(log: Log, tmp_path: Path) -> list[Any]:
    """An object of each class in `NAMES`; the manager's are of its own logs."""
    manager = LogManager.open([tmp_path / "disk"])
    reader = kformat.LogReader.open(log.path)
    made = [log, manager, reader, reader.cursor(name="a", positions=tmp_path / "positions"), log.producer("a")]
    return [*made, manager.transaction("t"), log.transaction("t")]


def test_the_names_are_those_that_a_user_calls(log: Log, tmp_path: Path) -> None:
    """Each is described: a method and a property by its docstring, an attribute by that of the class."""
    objects = one_of_each(log, tmp_path)
    assert {type(one) for one in objects} == set(NAMES)
    for one in objects:
        kind = type(one)
        assert [name for name in dir(one) if not name.startswith("_")] == sorted(NAMES[kind].split()), kind
        described = " ".join(inspect.getdoc(base) or "" for base in kind.__mro__[:-1])
        for name in NAMES[kind].split():
            member = inspect.getattr_static(kind, name, None)
            if member is None:
                assert name in described, f"{kind.__name__}.{name}"
            else:
                member = getattr(member, "__func__", member)
                assert inspect.getdoc(member) or name in described, f"{kind.__name__}.{name}"
    objects[1].close()


LEFT_OUT: dict[type, str] = {
    Log: "delete examine is_being_compacted leader_epoch record_batches to_clean topic_id",
    kformat.LogReader: "record_batches",
}
"""Names that the classes for asyncio do not have; engine/README.md lists them."""
WITHOUT: dict[tuple[type, str], set[str]] = {(Log, "read"): {"copy"}}
ASYNC: dict[type, type] = {
    Log: AsyncLog,
    LogManager: AsyncLogManager,
    kformat.LogReader: kformat.AsyncLogReader,
    Cursor: AsyncCursor,
    Producer: AsyncProducer,
    Transaction: AsyncTransaction,
    LogTransaction: AsyncLogTransaction,
}


@pytest.mark.parametrize("kind", ASYNC)
def test_the_classes_for_asyncio_have_the_same_names_and_arguments(kind: type) -> None:
    other, left_out = ASYNC[kind], set(LEFT_OUT.get(kind, "").split())
    described = inspect.getdoc(other) or ""
    for name, member in vars(kind).items():
        if name.startswith("_") or name == "open":
            continue
        namesake = inspect.getattr_static(other, name, None)
        assert (namesake is None and name not in described) == (name in left_out), name
        if namesake is not None and inspect.isfunction(member):
            expected = set(inspect.signature(member).parameters) - WITHOUT.get((kind, name), set())
            assert set(inspect.signature(namesake).parameters) == expected, name


def test_the_page_has_what_the_classes_for_asyncio_do_not_have() -> None:
    page = " ".join((ROOT / "engine/README.md").read_text(encoding="utf-8").split("## asyncio", 1)[1].split())
    (said,) = re.findall(r"Not there: (.*?)\. `await log\.call", page)
    assert set(re.findall(r"`(\w+)`", said)) == {"copy", "read"}.union(*(names.split() for names in LEFT_OUT.values()))


@pytest.mark.parametrize("kind", [*NAMES, LogMetrics, SegmentInfo, RecoveryReport, Compaction])
def test_help_says_what_it_is(kind: type) -> None:
    text = pydoc.plain(pydoc.render_doc(kind))
    assert (inspect.getdoc(kind) or "").splitlines()[0] in text


def shown(one: Any) -> str:
    """The line that a person gets of an object, which has not to be longer than one."""
    text = str(one)
    assert "\n" not in text and "object at 0x" not in text and "<bound" not in text
    return text


def test_the_lines_of_open_and_closed_objects(log: Log, tmp_path: Path) -> None:
    """Nothing is read for them: the folders are gone when they are asked for the second time."""
    folder = log.path
    objects = one_of_each(log, tmp_path)
    _, manager, reader, cursor, producer, _, lone = objects
    manager.create_partition("clicks", 3).append([b"1"])
    cursor.poll()
    cursor.commit()
    producer.append([b"1", b"2"])
    assert [shown(one) for one in objects] == [
        f"<Log {folder}: offsets 0 to 12, 5 segments, 952 bytes, open>",
        f"<LogManager of {tmp_path / 'disk'}: 1 partition, 69 bytes, open>",
        f"<LogReader {folder}: 5 segments from offset 0 on, open>",
        f"<Cursor 'a' of {folder}: next offset 2, committed offset 2, open>",
        f"<Producer 'a' of {folder}: epoch 0, last sequence 1, open>",
        "<Transaction 't': epoch 0, Empty>",
        "<LogTransaction 't' in orders-0: epoch 0, Empty>",
    ]
    lone.append([b"3"])
    lone.commit()
    newer = log.producer("a")
    for one in (reader, cursor, manager, log):
        one.close()
    shutil.rmtree(tmp_path)
    assert [shown(one) for one in [*objects, newer]] == [
        f"<Log {folder}: offsets 0 to 14, 6 segments, 1.1 kB, closed>",
        f"<LogManager of {tmp_path / 'disk'}: 1 partition, 69 bytes, closed>",
        f"<LogReader {folder}: 5 segments from offset 0 on, closed>",
        f"<Cursor 'a' of {folder}: next offset 2, committed offset 2, closed>",
        f"<Producer 'a' of {folder}: epoch 0, last sequence 1, replaced by a newer one of that name>",
        "<Transaction 't': epoch 0, Empty>",
        "<LogTransaction 't' in orders-0: epoch 0, CompleteCommit>",
        f"<Producer 'a' of {folder}: epoch 1, last sequence 1, closed>",
    ]


def test_the_lines_of_a_root_and_a_cleaner(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root:
        with Log.open(tmp_path / "orders-0", root=root):
            assert shown(root) == f"<Root {tmp_path}: 1 open log, open>"
        root.failure = OSError(5, "Input/output error")
        assert shown(root) == f"<Root {tmp_path}: 0 open logs, offline: OSError(5, 'Input/output error')>"
        root.failure = None
    assert shown(root) == f"<Root {tmp_path}: 0 open logs, closed>"
    assert shown(Cleaner(CleanerConfig(dedupe_buffer_bytes=24_000))) == "<Cleaner with 24.0 kB, for 900 keys>"


def test_the_lines_of_objects_for_asyncio(tmp_path: Path) -> None:
    folder = tmp_path / "orders-0"

    async def main() -> None:
        async with AsyncLog.open(folder) as log, kformat.AsyncLogReader.open(folder) as reader:
            cursor = await reader.cursor(name="a", positions=tmp_path / "positions", sync_ms=10)
            producer = await log.producer("a")
            await producer.append([b"1", b"2"])
            ended, t = await log.transaction("u"), await log.transaction("t", durability="decision")
            await ended.abort()
            objects = [log, reader, cursor, producer, ended, t]
            assert [shown(one) for one in objects] == [
                f"<AsyncLog {folder}: offsets 0 to 2, 1 segment, 77 bytes, open>",
                f"<AsyncLogReader {folder}: open>",
                f"<AsyncCursor 'a' of {folder}: at the log's start, open>",
                f"<AsyncProducer 'a' of {folder}: epoch 0, last sequence 1, open>",
                "<AsyncLogTransaction 'u': aborted>",
                "<AsyncLogTransaction 't': open>",
            ]
            await cursor.poll()
            opening = log.transaction("v")
            for use in (lambda: opening.append([b"1"]), lambda: reader.cursor().poll()):  # type: ignore[attr-defined]
                with pytest.raises(AttributeError, match=r"the attribute '\w+': `await` it, or use `async with`"):
                    use()
        assert [shown(one).rpartition(": ")[2].rstrip(">") for one in objects] == [
            "offsets 0 to 2, 1 segment, 77 bytes, closed",
            "closed",
            "next offset 2, closed",
            "epoch 0, last sequence 1, closed",
            "aborted",
            "closed",
        ]

    asyncio.run(main())


def test_the_lines_of_a_failed_log(tmp_path: Path) -> None:
    storage = FaultyStorage()
    log = Log.open(tmp_path / "orders-0", storage=storage)
    producer = log.producer("a")
    log.append([b"1"])
    storage.fault = Fault(len(storage.trace) + 1)
    with pytest.raises(OSError, match="Input/output error"):
        log.append([b"2"])
    assert shown(log).endswith("1 segment, 69 bytes, failed: OSError(5, 'Input/output error')>")
    assert shown(producer).endswith("epoch 0, last sequence -1, failed: OSError(5, 'Input/output error')>")
    log.close()
    assert shown(log).endswith("closed after a failure: OSError(5, 'Input/output error')>")
    assert (log.metrics.failure or "").startswith("OSError: [Errno 5] Input/output error") and log.metrics.is_closed


def test_the_lines_of_results(log: Log, tmp_path: Path) -> None:
    first = log.segments[0]
    found = log.offset_for_timestamp(0)
    assert found is not None
    assert shown(found) == f"offset 0 at {time_text(found.timestamp)}, leader epoch 0"
    assert shown(TimestampOffset(-1, 7)) == "offset 7"
    assert shown(first) == (
        f"{0:020d}.log: offsets 0 to 2, 175 bytes, 0 offset and 1 time entries, "
        f"newest {time_text(first.largest_timestamp)}"
    )
    assert shown(log.segments[-1]).endswith(", active")
    fetched = log.read(3, copy=True)
    assert shown(fetched) == f"<Fetched from offset 3 on: 175 bytes, at position 0 of {log.path / f'{2:020d}.log'}>"
    assert repr(log.report) == (
        f"<RecoveryReport {log.path}: no clean shutdown, mode strict, offsets 0 to 0, 1 finding, 1 change>"
    )
    with LogManager.open([tmp_path / "a", tmp_path / "b"], LogConfig(cleanup_policy=("compact",))) as manager:
        prices = manager.create_partition("prices", 1)
        for number in range(3):
            prices.append([(b"tea", b"%d" % number)])
        prices.roll()
        assert shown(manager.partitions()[0]) == f"prices-1 in {tmp_path / 'a'}"
        done = manager.compact()
        assert done is not None
        assert shown(done[1]).startswith(
            "3 records read, 1 kept, below offset 3; 1 segment of 216 bytes before, 1 of 72 bytes after; "
        )
        assert shown(manager.metrics) == (
            "2 directories, 1 partition, 2 segments, 72 bytes, 0 deleted segments, 1 compaction, 0 errors"
        )
        assert isinstance(manager.metrics, LogManagerMetrics) and isinstance(manager.partitions()[0], PartitionPlace)
    assert isinstance(fetched, Fetched) and isinstance(done[1], Compaction)


# --- metrics ----------------------------------------------------------------------------------------------------------


def test_metrics_count_what_was_done(tmp_path: Path) -> None:
    with Log.open(tmp_path / "orders-0", LogConfig(segment_bytes=300).with_sync("batch")) as log:
        opened = log.metrics
        assert (opened.append_count, opened.record_count, opened.recovery_change_count) == (0, 0, 1)
        for number in range(4):
            log.append([b"%d" % number * 50, b"x" * 50])
        log.append([])
        copied = b"".join(bytes(batch.raw) for batch in log.batches(0, 2))
        log.append_batches(copied)
        log.append_batches(copied.replace(bytes(8), (12).to_bytes(8, "big"), 1), assign_offsets=False)
        before = log.metrics
        assert (before.append_count, before.batch_count, before.record_count) == (6, 6, 12)
        assert before.appended_bytes == before.size_bytes == log.size_bytes
        assert (before.roll_count, before.segment_count) == (log.segment_count - 1, log.segment_count)
        assert before.sync_count >= 6 and before.sync_ns > 0 and before.synced_offset == before.end_offset == 14
        log.read(0)
        assert log.metrics.read_count == before.read_count + 1
        assert log.metrics.read_bytes == before.read_bytes + len(log.read(0))
        log.delete_records_before(4)
        log.truncate_to(9)
        log.append([b"after"])
        log.truncate_fully_and_start_at(100)
        log.append([b"after"])
        after = log.metrics
        assert (after.append_count, after.record_count) == (8, 14), "a cut takes nothing back"
        assert (after.deleted_segment_count, after.cut_count) == (2, 2)
        assert (after.log_start_offset, after.end_offset, after.segment_count, after.failure) == (100, 101, 1, None)
        assert not after.is_closed
        with pytest.raises(AttributeError):
            after.append_count = 3  # type: ignore[misc]
    assert log.metrics.is_closed and log.metrics.append_count == 8
    assert "8 appends of" in shown(log.metrics)


def test_metrics_of_producers_transactions_and_compaction(tmp_path: Path) -> None:
    with Log.open(tmp_path / "prices-0", LogConfig(cleanup_policy=("compact",))) as log:
        log.producer("a").append([(b"tea", b"1")])
        log.producer("a").append([(b"tea", b"1")], sequence=0)
        assert log.metrics.append_count == 1, "a repeated append writes nothing"
        with log.transaction("t") as t:
            t.append([(b"tea", b"2")])
            assert log.metrics.last_stable_offset == 1 < log.metrics.end_offset
        assert (log.metrics.append_count, log.metrics.record_count) == (3, 3), "with the marker"
        assert log.compact(dry_run=True) is log.compact() is None and log.metrics.compaction_count == 0
        log.roll()
        assert log.compact(dry_run=True) is not None and log.metrics.compaction_count == 0
        assert log.compact() is not None and log.metrics.compaction_count == 1


# --- messages ---------------------------------------------------------------------------------------------------------


def messages(caplog: pytest.LogCaptureFixture, level: int = logging.INFO) -> list[tuple[str, str]]:
    """The levels and texts from a level on; what was logged before is forgotten."""
    found = [(record.levelname, record.getMessage()) for record in caplog.records if record.levelno >= level]
    assert {record.name.split(".")[0] for record in caplog.records} <= {"kformat_engine"}
    caplog.clear()
    return found


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, "kformat_engine")
    return caplog


def test_messages_of_a_log(tmp_path: Path, heard: pytest.LogCaptureFixture) -> None:
    folder, config = tmp_path / "orders-0", LogConfig(segment_bytes=300, retention_bytes=0)
    log = Log.open(folder, config)
    assert messages(heard) == [
        ("INFO", f"{folder}: opened after no clean shutdown, offsets 0 to 0, changes: 1"),
    ]
    for number in range(3):
        log.append([b"%d" % number * 50, b"x" * 50])
    rolled = "the append would make the segment larger than segment.bytes"
    assert messages(heard, logging.DEBUG) == [
        ("DEBUG", f"{folder}: begins the segment {base:020d}.log: {rolled}") for base in (2, 4)
    ]
    log.truncate_to(5)
    log.retain()
    assert messages(heard) == [
        ("INFO", f"{folder}: cuts at offset 5; the log ended at 6"),
        ("INFO", f"{folder}: deleted 2 segments; starts at 4"),
    ]
    log.close()
    with Log.open(folder, config):
        assert messages(heard) == [], "a clean opening is for debugging"


def test_what_recovery_takes_away_is_a_warning(tmp_path: Path, heard: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "orders-0"
    with Log.open(folder) as log:
        log.append([b"1"])
    with (folder / f"{0:020d}.log").open("ab") as file:
        file.write(b"left")
    (tmp_path / ".kafka_cleanshutdown").unlink()
    messages(heard)
    with Log.open(folder) as log:
        (aside,) = log.report.kept_aside
        (level, text), (_, opened) = messages(heard)
    assert level == "WARNING" and text.startswith(f"{folder}: {0:020d}.log:69: log (") and "-> cut: " in text
    assert text.endswith(f"kept aside as {aside.name}")
    assert opened.startswith(f"{folder}: opened after no clean shutdown, offsets 0 to 1, changes: ")


def test_a_failure_is_reported_once(tmp_path: Path, heard: pytest.LogCaptureFixture) -> None:
    storage = FaultyStorage()
    log = Log.open(tmp_path / "orders-0", storage=storage)
    messages(heard)
    storage.fault = Fault(len(storage.trace) + 1, stays=True)
    for error in (OSError, kformat.errors.KformatError, kformat.errors.KformatError):
        with pytest.raises(error):
            log.append([b"1"])
    log.close()
    expected = f"{log.path}: failed, and has to be opened again: OSError(5, 'Input/output error')"
    assert [found for found in messages(heard) if found[0] != "INFO"] == [("ERROR", expected)]


def test_messages_of_a_manager(tmp_path: Path, heard: pytest.LogCaptureFixture) -> None:
    disks = [tmp_path / "a", tmp_path / "b"]
    with LogManager.open(disks) as manager:
        for number in range(2):
            manager.create_partition("orders", number).append([b"1"])
        messages(heard)
        manager.move("orders", 0, disks[1])
        manager.delete_partition("orders", 1)
        found = [text for _, text in messages(heard)]
        assert f"{disks[0] / 'orders-0'}: moved to {disks[1]}" in found
        assert f"{disks[1] / 'orders-1'}: deleted" in found
    shutil.copytree(disks[1] / "orders-0", disks[0] / "orders-0")
    messages(heard)
    with LogManager.open(disks) as manager:
        ((level, text),) = [one for one in messages(heard) if one[0] != "INFO"]
        assert level == "ERROR" and text.startswith("orders-0 was not opened: DuplicatePartitionError(")
        assert ("orders", 0) in manager.refused


def test_a_program_that_configures_nothing_sees_nothing(tmp_path: Path) -> None:
    """Not even errors: without a handler Python prints messages from WARNING on."""
    program = f"""if True:
        import os
        from kformat_engine import Log
        with Log.open({str(tmp_path / "orders-0")!r}) as log:
            log.append([b"1"])
        with open(log.path / {f"{0:020d}.log"!r}, "ab") as file:
            file.write(b"left")
        os.unlink({str(tmp_path / ".kafka_cleanshutdown")!r})
        with Log.open(log.path) as log:
            assert log.report.kept_aside
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == done.stderr == ""


def test_appends_and_reads_ask_no_logger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: Any, **named: Any) -> None:
        raise AssertionError("a logger was asked")

    with Log.open(tmp_path / "orders-0") as log:
        log.append([b"1"])
        with monkeypatch.context() as patch:
            patch.setattr(logging.Logger, "isEnabledFor", fail)
            log.append([b"1"])
            log.read(0)


# --- Arrow ------------------------------------------------------------------------------------------------------------


def records_of(table: Any) -> list[tuple[int, bytes | None]]:
    return list(zip(table["offset"].to_pylist(), table["value"].to_pylist(), strict=True))


def test_tables_are_the_records(log: Log) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow comes with the extra `arrow`")
    with log.transaction("a") as t:
        t.append([b"committed"])
    gone = log.transaction("b")
    gone.append([b"aborted"])
    gone.abort()
    log.append([b"after"])
    pending = log.transaction("c")
    pending.append([b"open"])
    with kformat.LogReader.open(log.path) as reader:
        for one in (log, reader):
            for level in ("read_uncommitted", "read_committed"):
                for start, end in ((None, None), (3, 8), (11, 13), (0, 3), (5, 5), (None, 100)):
                    expected = [
                        (record.offset, record.value) for record in one.records(start, end, isolation_level=level)
                    ]
                    found = one.to_arrow(["offset", "value"], start_offset=start, end_offset=end, isolation_level=level)
                    assert records_of(found) == expected, (type(one), level, start, end)
            every = one.to_arrow(include_control=True)
            assert len(every) == log.end_offset > len(one.to_arrow())
            assert every.schema == kformat.open(log.path).to_arrow().schema
            assert set(every["topic"].to_pylist()) == {"orders"} and set(every["partition"].to_pylist()) == {0}
            assert one.to_arrow(["value"], end_offset=1)["value"].to_pylist() == [b"0" * 50]
            with pytest.raises(UsageError, match="no column 'strange'"):
                one.to_arrow(["strange"])
            with pytest.raises(UsageError, match="isolation"):
                one.to_arrow(isolation_level="strange")
            with pytest.raises(OffsetOutOfRangeError):
                one.to_arrow(start_offset=1000)


def test_declared_values_become_columns(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow comes with the extra `arrow`")
    with Log.open(tmp_path / "orders-0") as log:
        log.append([{"value": {"price": 3}}], value_as="json")
        with kformat.LogReader.open(log.path) as reader:
            for one in (log, reader):
                (value,) = one.to_arrow(["value"], value_as="json")["value"].to_pylist()
                assert value == '{"price":3}'


def test_record_batches_come_one_at_a_time(log: Log) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow comes with the extra `arrow`")
    with kformat.LogReader.open(log.path) as reader:
        for one in (log, reader):
            batches = one.record_batches(["offset"])
            log.append([b"later"])
            assert sum(batch.num_rows for batch in batches) == log.end_offset - 1, "up to the end at the call"


def test_records_and_errors_go_to_other_processes(log: Log) -> None:
    log.append([{"value": b"v", "headers": [("h", None)]}])
    record = next(log.records())
    assert pickle.loads(pickle.dumps(record)) == record
    assert type(pickle.loads(pickle.dumps(record)).timestamp_type) is type(record.timestamp_type)
    for refused in (lambda: next(log.records(99)), lambda: log.append((b"key", b"value"))):
        with pytest.raises(UsageError) as caught:
            refused()
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again), vars(again)) == (type(caught.value), str(caught.value), vars(caught.value))


def test_a_cursor_passes_over_markers(log: Log) -> None:
    first = log.end_offset
    with log.transaction("t") as transaction:
        transaction.append([b"in it"])
    log.append([b"after"])
    with kformat.LogReader.open(log.path) as reader:
        for include_control, expected in ((False, [0, 2]), (True, [0, 1, 2])):
            found = []
            with reader.cursor(first, include_control=include_control) as cursor:
                while (batch := cursor.poll()) is not None:
                    found += [record.offset - first for record in batch.records()]
                assert (found, cursor.next_offset) == (expected, log.end_offset)
