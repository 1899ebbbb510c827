"""Transactional ids that a broker and the engine have in turn: real brokers of 3.9.2 and 4.4.0.

One story per version (`Story.play`): a broker makes topics, and its clients begin, commit and abort. The engine goes on
with the id, leaves one transaction open, one committed without its markers, and dies. The broker ends both, its clients
agree on every record of committed data, and they go on with the engine's ids. It is killed with a transaction open,
which the engine aborts. In the end the broker starts once more on what the engine left.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.kafka.log.log_reader import LogReader
from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC, latest_transactions
from kformat_engine import LogManager
from kformat_engine.coordinator import state_partitions_in
from kformat_engine.log_appender import LogAppender
from kformat_engine.producer import FIRST_ID
from tests.engine.adoption import TIMEOUT_S, admin_client, confluent_kafka
from tests.engine.faults import Death
from tests.engine.ledger import errors_in
from tests.engine.test_adoption_broker import BROKER_CONFIG
from tests.judges import Broker, releases
from tests.judges.required import require

pytestmark = [pytest.mark.judge, pytest.mark.broker]

TOPIC = "payments"
PARTITIONS = 2
CLEANUP_MS = 500

Seen = list[list[bytes]]
"""The values of each partition."""


@dataclass(repr=False)
class Story:
    """What happened, and what must be seen."""

    version: str
    broker: Broker
    rows: Seen = field(default_factory=lambda: [[] for _ in range(PARTITIONS)])
    expected: dict[str, Seen] = field(default_factory=dict)
    told: dict[str, Seen] = field(default_factory=dict)
    states: dict[str, dict[str, str]] = field(default_factory=dict)
    producer_ids: dict[str, int] = field(default_factory=dict)
    epochs: dict[str, tuple[int, int]] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    number: int = 0

    @property
    def root(self) -> Path:
        return self.broker.data

    def value(self) -> bytes:
        self.number += 1
        return b"value %d" % self.number

    def note(self, when: str, seen: Seen) -> None:
        self.expected[when], self.told[when] = [list(rows) for rows in self.rows], seen

    # A broker's clients

    def produce(self, name: str, end: str) -> Any:
        """One transaction of a client, with a record in each partition."""
        producer = confluent_kafka.Producer(
            {"bootstrap.servers": self.broker.bootstrap, "transactional.id": name, "log_level": 0, "linger.ms": 0}
        )
        producer.init_transactions(TIMEOUT_S)
        producer.begin_transaction()
        values = [self.value() for _ in range(PARTITIONS)]
        for partition, value in enumerate(values):
            producer.produce(TOPIC, value, partition=partition)
        assert producer.flush(TIMEOUT_S) == 0
        if end == "commit":
            producer.commit_transaction(TIMEOUT_S)
            for rows, value in zip(self.rows, values, strict=True):
                rows.append(value)
        elif end == "abort":
            producer.abort_transaction(TIMEOUT_S)
        return producer

    def consume(self) -> Seen:
        """What a consumer of committed data gets, when every transaction has ended."""
        consumer = confluent_kafka.Consumer(
            {
                "bootstrap.servers": self.broker.bootstrap,
                "group.id": "kformat",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "log_level": 0,
            }
        )
        places = [confluent_kafka.TopicPartition(TOPIC, number, 0) for number in range(PARTITIONS)]
        until = time.monotonic() + TIMEOUT_S
        for place in places:  # the high watermark of uncommitted data: what is open keeps committed data below it
            while True:
                assert time.monotonic() < until, f"{self.version}: a transaction does not end"
                high = consumer.get_watermark_offsets(place, timeout=TIMEOUT_S)[1]
                if high == self.end_offset(place.partition):
                    break
                time.sleep(0.1)
        consumer.assign(places)
        seen: Seen = [[] for _ in range(PARTITIONS)]
        ended = 0
        while ended < PARTITIONS:
            assert time.monotonic() < until, f"{self.version}: the consumer does not come to the end"
            message = consumer.poll(1)
            if message is None:
                continue
            if message.error() is not None:
                assert message.error().code() == confluent_kafka.KafkaError._PARTITION_EOF, message.error()
                ended += 1
            else:
                seen[message.partition()].append(message.value())
        consumer.close()
        return seen

    def end_offset(self, partition: int) -> int:
        """What is stable of a live broker's log, as kformat's reader sees it next to it; -1 while that is not all."""
        with LogReader.open(self.root / f"{TOPIC}-{partition}") as reader:
            end = reader.end_offset
            return end if reader.last_stable_offset == end else -1

    # The engine

    def engine_seen(self, manager: LogManager) -> Seen:
        """As the engine reads it, and as kformat's readers do."""
        seen: Seen = []
        for number in range(PARTITIONS):
            log = manager.log(TOPIC, number)
            values = [record.value or b"" for record in log.records(isolation_level="read_committed")]
            with LogReader.open(log.path) as reader:
                assert [one.value for one in reader.records(isolation_level="read_committed")] == values
                assert reader.last_stable_offset == log.last_stable_offset
            table = kformat.open(log.path).to_arrow("value", isolation_level="read_committed")
            assert table["value"].to_pylist() == values
            seen.append(values)
        return seen

    def transact(self, manager: LogManager, name: str, end: str) -> Any:
        t = manager.transaction(name, timeout_ms=CLEANUP_MS if end == "open" else 60_000)
        values = [self.value() for _ in range(PARTITIONS)]
        for partition, value in enumerate(values):
            t.append(TOPIC, partition, [value])
        if end in ("commit", "decided"):
            for rows, value in zip(self.rows, values, strict=True):
                rows.append(value)
        if end in ("commit", "abort"):
            (t.commit if end == "commit" else t.abort)()
        return t

    def open(self) -> LogManager:
        return LogManager.open([self.root], create=False)

    @staticmethod
    def die(manager: LogManager) -> None:
        for log in manager._current.logs.values():
            log._local.release()
        for root in manager._dirs.roots.values():
            root.abandon()

    def recorded(self) -> dict[str, str]:
        """The states in `__transaction_state`."""
        found = {}
        for partition in state_partitions_in(self.root):
            with LogReader.open(self.root / f"{TRANSACTION_STATE_TOPIC}-{partition}") as reader:
                for name, one in latest_transactions(reader.records()).items():
                    found[name] = one.state
                    self.producer_ids[name] = one.producer_id
        return found

    def play(self, patch: pytest.MonkeyPatch) -> None:
        self.broker.start()
        admin = admin_client.AdminClient({"bootstrap.servers": self.broker.bootstrap, "log_level": 0})
        for future in admin.create_topics([admin_client.NewTopic(TOPIC, PARTITIONS, 1)]).values():
            future.result(TIMEOUT_S)
        self.produce("shared", "commit")
        self.produce("shared", "abort")
        self.produce("theirs", "commit")
        self.broker.stop()
        self.states["theirs"] = self.recorded()
        self.epochs["theirs"] = self.producer_ids["shared"], self.producer_ids["theirs"]

        manager = self.open()
        self.note("adopted by the engine", self.engine_seen(manager))
        for name, end in (("shared", "commit"), ("shared", "abort"), ("ours", "abort"), ("ours", "commit")):
            self.transact(manager, name, end)
        self.note("written by the engine", self.engine_seen(manager))
        self.transact(manager, "open", "open")
        decided = self.transact(manager, "decided", "decided")

        def die(*_: object, **__: object) -> None:
            raise Death

        with patch.context() as patched:
            patched.setattr(LogAppender, "end_transaction", die)
            with pytest.raises(Death):
                decided.commit()
        self.die(manager)
        self.states["dead engine"] = self.recorded()

        self.broker.start()
        self.note("adopted by the broker", self.consume())
        for name, end in (("shared", "commit"), ("ours", "abort"), ("ours", "commit"), ("open", "commit")):
            self.produce(name, end)
        self.note("written by the broker", self.consume())
        left = self.produce("left", "open")
        self.broker.kill()
        del left
        self.states["dead broker"] = self.recorded()

        with self.open() as manager:
            self.findings = errors_in(self.root)
            assert any(
                manager.log(TOPIC, number).last_stable_offset < manager.log(TOPIC, number).end_offset
                for number in range(PARTITIONS)
            )
            manager.abort_transaction("left")
            for name in ("ours", "open", "decided", "left"):
                self.transact(manager, name, "commit")
            self.note("rescued by the engine", self.engine_seen(manager))
        self.states["end"] = self.recorded()

        self.broker.start()
        self.produce("left", "commit")
        self.note("the end", self.consume())
        self.broker.stop()


@pytest.fixture(scope="module", params=(releases.OLDER, pytest.param(releases.NEWEST, marks=pytest.mark.slow)))
def story(request: pytest.FixtureRequest) -> Iterator[Story]:
    require(request.param)
    config = BROKER_CONFIG | {"transaction.abort.timed.out.transaction.cleanup.interval.ms": str(CLEANUP_MS)}
    with tempfile.TemporaryDirectory(prefix="kformat-transactions-") as work, pytest.MonkeyPatch.context() as patch:
        found = Story(request.param, Broker(request.param, Path(work), config))
        try:
            found.play(patch)
        finally:
            found.broker.kill()
        yield found


def test_everybody_sees_the_same_committed_records(story: Story) -> None:
    assert len(story.told) == 6
    for when, seen in story.told.items():
        assert seen == story.expected[when], when


def test_the_states_go_on(story: Story) -> None:
    assert story.states["theirs"] == {"shared": "CompleteAbort", "theirs": "CompleteCommit"}
    assert story.states["dead engine"] == {
        "shared": "CompleteAbort",
        "theirs": "CompleteCommit",
        "ours": "CompleteCommit",
        "open": "Ongoing",
        "decided": "PrepareCommit",
    }
    assert story.states["dead broker"] == {
        "shared": "CompleteCommit",
        "theirs": "CompleteCommit",
        "ours": "CompleteCommit",
        "open": "CompleteCommit",
        "decided": "CompleteCommit",
        "left": "Ongoing",
    }
    assert set(story.states["end"].values()) == {"CompleteCommit"}


def test_producer_ids_of_the_engine_are_kept_and_none_of_a_brokers_is_used(story: Story) -> None:
    assert max(story.epochs["theirs"]) < FIRST_ID
    assert story.producer_ids["theirs"] == story.epochs["theirs"][1]
    assert min(story.producer_ids[name] for name in ("shared", "ours", "open", "decided", "left")) >= FIRST_ID


def test_nothing_is_wrong_with_the_files(story: Story) -> None:
    assert story.findings == []
