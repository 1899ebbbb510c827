"""A broker's cleaner goes on where ours stopped, and ours where the broker's did: 3.9.2 and 4.4.0 in turn with us."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from kformat.corpus.parts import PlannedRecord, ProducerFields, batch, end_of_transaction
from kformat_engine import Log, LogConfig
from tests.engine.adoption import BASE_MS, TIMEOUT_S, Row, admin_client, ask
from tests.engine.compaction_plays import checkpoint
from tests.engine.test_adoption_broker import BROKER_CONFIG
from tests.judges import Broker, releases
from tests.judges.required import require

pytestmark = [pytest.mark.judge, pytest.mark.broker]

TOPIC = "compacted"
CONFIG = {
    "cleanup.policy": "compact",
    "min.cleanable.dirty.ratio": "0.01",
    "delete.retention.ms": "86400000",
    "segment.index.bytes": "10000",
    "file.delete.delay.ms": "1000",
}
ENGINE = LogConfig(
    cleanup_policy=("compact",),
    min_cleanable_dirty_ratio=0.01,
    segment_bytes=4000,
    segment_index_bytes=10_000,
    index_interval_bytes=500,
)


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + TIMEOUT_S
    while not is_so():
        assert time.monotonic() < until, f"not within {TIMEOUT_S} s: {what}"
        time.sleep(0.1)


def fill(log: Log, values: dict[bytes, bytes | None], start: int) -> None:
    """Several segments of a few keys in all codecs, tombstones, and an aborted transaction."""
    for number in range(start, start + 150):
        key, value = b"key %d" % (number % 23), None if number % 19 == 0 else b"value %d " % number * 5
        log.append([(key, value)], compression=("none", "gzip", "snappy", "lz4", "zstd")[number % 5])
        values[key] = value
    producer = ProducerFields(4000 + start, 0, 0)
    gone = batch([PlannedRecord(0, BASE_MS, b"key 1", b"aborted")], producer=producer, transactional=True)
    log.append_batches(gone.data)
    log.append_batches(end_of_transaction("abort", 0, BASE_MS, producer).data, validate=False)
    log.roll()


def last(rows: Sequence[Row]) -> dict[bytes | None, bytes | None]:
    return {row.key: row.value for row in rows}


@pytest.mark.parametrize("version", [releases.OLDER, pytest.param(releases.NEWEST, marks=pytest.mark.slow)])
def test_both_cleaners_in_turn(version: str, tmp_path: Path) -> None:
    require(version)
    broker = Broker(version, tmp_path / "broker", {**BROKER_CONFIG, "log.cleaner.backoff.ms": "200"})
    folder, values, key = broker.data / f"{TOPIC}-0", dict[bytes, bytes | None](), (TOPIC, 0)
    try:
        broker.start()
        admin = admin_client.AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        admin.create_topics([admin_client.NewTopic(TOPIC, 1, 1, config=CONFIG)])[TOPIC].result(TIMEOUT_S)
        broker.stop()

        with Log.open(folder, ENGINE) as log:
            fill(log, values, 0)
            done = log.compact()
            assert done is not None and done.size_bytes_after < done.size_bytes_before / 3
            ours, compacted = done.end_offset, log.size_bytes
            fill(log, values, 200)
            dirty, end = log.size_bytes, log.segments[-1].base_offset
        assert checkpoint(broker.data)[key] == ours < end and compacted < dirty / 3

        broker.start()
        wait_for(
            lambda: checkpoint(broker.data).get(key) == end, f"the broker's cleaner is at {checkpoint(broker.data)}"
        )
        found = ask(version, broker, {TOPIC: []})
        assert last(found.uncommitted[TOPIC]) == last(found.committed[TOPIC]) == values
        broker.stop()
        assert not any("ncleanable" in path.read_text(errors="replace") for path in broker.directory.glob("*.log"))

        with Log.open(folder, ENGINE) as log:
            assert log.report.changes == () and log.size_bytes < dirty / 3
            assert log.to_clean().first_dirty_offset == end
            fill(log, values, 400)
            done = log.compact()
            assert done is not None and done.first_dirty_offset == end
            assert {record.key: record.value for record in log} == values
            before = [(record.offset, record.key, record.value) for record in log]

        broker.start()
        found = ask(version, broker, {TOPIC: []})
        assert [(row.offset, row.key, row.value) for row in found.uncommitted[TOPIC]] == before
        assert last(found.committed[TOPIC]) == values
        broker.stop()
    finally:
        broker.kill()
