"""Tiered partitions of a real broker: the engine appends to each, and the broker takes the folder back.

One story (`Story.play`):

1. The broker makes topics, is written to and started again, so that there are two leader epochs, and copies all
   segments but the last to its remote storage. Records of some topics are deleted, up to a remote or a local offset.
2. It stops. The engine recovers the root as after a crash, appends, rolls and deletes; then the command line appends.
3. It starts and is asked for everything, is written to until it has copied the segments with the engine's records, is
   asked again, and stops.
"""

from __future__ import annotations

import importlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kformat.cli import main
from kformat.kafka.files.file_kinds import parse_folder_name
from kformat.kafka.files.text_files import LeaderEpochs, TopicOffsets, read_sidecar
from kformat_engine.config import LogConfig
from kformat_engine.epochs import EpochCache as Epochs
from kformat_engine.log import Log
from kformat_engine.root import CLEAN_MARKER, LOG_START_OFFSETS, RECOVERY_POINTS, Root
from tests.engine.adoption import BASE_MS, Row, Told, ask
from tests.judges import releases
from tests.judges.required import require
from tests.judges.tiered import TieredBroker, judge

confluent_kafka: Any = importlib.import_module("confluent_kafka")
admin_client: Any = importlib.import_module("confluent_kafka.admin")

pytestmark = [pytest.mark.judge, pytest.mark.broker, pytest.mark.slow]

VERSION = next(iter(releases.TIERED))
TIMEOUT_S = 60
SEGMENT_MS = 300
# Segments end by time, so that they may be small; only the last one stays on the disk.
TOPIC_CONFIG = {"remote.storage.enable": "true", "segment.ms": str(SEGMENT_MS), "local.retention.bytes": "1"}
TIERED = [f"tiered-{number:02}" for number in range(27)]
FRESH, EMPTY, PLAIN = "fresh", "empty", "plain"
"""Tiered, with nothing remote yet; without a record; not tiered."""
TOPICS = [*TIERED, FRESH, EMPTY, PLAIN]
ROUND = 7
"""Records of a topic that are written at once, in a batch; a segment each."""
DELETED_BY_BROKER = {"tiered-03": ROUND + 2, "tiered-04": 3 * ROUND, "tiered-05": 3 * ROUND + 2}
"""Up to an offset in a remote segment, to the first local one, and to one in the local segment."""
DELETED_BY_US = {"tiered-08": ROUND + 2, "tiered-09": 3 * ROUND, "tiered-10": 3 * ROUND + 2, "tiered-03": ROUND + 4}
ROLLED, ROLLS_BY_TIME = TIERED[11:16], TIERED[16:20]


@dataclass(repr=False)
class Story:
    """What happened, with what must have been found at that time; see the module."""

    broker: TieredBroker
    rows: dict[str, list[Row]] = field(default_factory=lambda: {topic: [] for topic in TOPICS})
    epochs: dict[str, Epochs] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TOPICS, 0))
    told: dict[str, Told] = field(default_factory=dict)
    expected: dict[str, dict[str, list[Row]]] = field(default_factory=dict)
    entries: dict[str, dict[str, int | None]] = field(default_factory=dict)
    local: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    remote: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    stored_epochs: dict[str, dict[str, list[tuple[int, int]]]] = field(default_factory=dict)
    expected_epochs: dict[str, dict[str, list[tuple[int, int]]]] = field(default_factory=dict)
    changes: list[str] = field(default_factory=list)
    has_marker: bool = False

    def play(self) -> None:
        self.broker.start()
        self.create_topics()
        self.epochs = {topic: Epochs([(0, 0)]) for topic in TOPICS}
        self.write([topic for topic in TOPICS if topic not in (FRESH, EMPTY)], rounds=2)
        self.restart()
        self.write([topic for topic in TOPICS if topic not in (FRESH, EMPTY)], rounds=2)
        self.write([FRESH], rounds=1)
        self.wait(lambda: all(self.local_bases(topic) == [3 * ROUND] for topic in TIERED), "segments left the disk")
        self.delete_by_broker()
        self.ask("before")
        self.broker.stop()
        self.note("before")

        self.change()
        self.note("ours")

        self.broker.start()
        self.lead()
        self.wait(lambda: all(len(self.local_bases(topic)) == 1 for topic in TIERED), "what was rolled was copied")
        self.ask("adopted")
        self.write([topic for topic in TOPICS if topic != EMPTY], rounds=2)
        self.wait(lambda: all(len(self.local_bases(topic)) == 1 for topic in [*TIERED, FRESH]), "tiering went on")
        self.ask("end")
        self.broker.stop()
        self.note("end")
        assert (self.broker.data / f"{LOG_START_OFFSETS}.unreadable").exists()

    # The broker

    def create_topics(self) -> None:
        admin = self.admin()
        plain = {PLAIN: {"segment.ms": str(SEGMENT_MS)}}
        new = [admin_client.NewTopic(topic, 1, 1, config=plain.get(topic, TOPIC_CONFIG)) for topic in TOPICS]
        for future in admin.create_topics(new).values():
            future.result(TIMEOUT_S)

    def admin(self) -> Any:
        return admin_client.AdminClient({"bootstrap.servers": self.broker.bootstrap, "log_level": 0})

    def restart(self) -> None:
        self.broker.stop()
        self.broker.start()
        self.lead()

    def lead(self) -> None:
        """A broker that starts leads each partition in a new epoch, which it says, from the log's end on."""
        admin = self.admin()

        def has_begun(topic: str) -> bool:
            asked = {confluent_kafka.TopicPartition(topic, 0): admin_client.OffsetSpec.latest()}
            (future,) = admin.list_offsets(asked).values()
            try:
                epoch = future.result(TIMEOUT_S).leader_epoch
            except confluent_kafka.KafkaException:  # it does not lead yet
                return False
            epochs, rows = self.epochs[topic], self.rows[topic]
            return epoch > epochs.latest_epoch and epochs.assign(epoch, rows[-1].offset + 1 if rows else 0)

        for topic in TOPICS:
            self.wait(partial(has_begun, topic), "a new epoch")

    def write(self, topics: list[str], rounds: int) -> None:
        failures: list[object] = []

        def note(error: object, message: object) -> None:
            if error:
                failures.append(error)

        producer = confluent_kafka.Producer(
            {"bootstrap.servers": self.broker.bootstrap, "linger.ms": 50, "log_level": 0}
        )
        for _ in range(rounds):
            time.sleep(2 * SEGMENT_MS / 1000)
            for topic in topics:
                for row in self.new_rows(topic, ROUND):
                    producer.produce(topic, row.value, row.key, 0, note, timestamp=row.timestamp)
            assert producer.flush(TIMEOUT_S) == 0 and not failures, failures[:1]

    def new_rows(self, topic: str, count: int) -> list[Row]:
        """The next records of a topic, which will be found there."""
        first = self.rows[topic][-1].offset + 1 if self.rows[topic] else 0
        made = [
            Row(offset, BASE_MS + 1000 * offset, b"key-%d" % offset, f"{topic} {offset}".encode())
            for offset in range(first, first + count)
        ]
        self.rows[topic] += made
        return made

    def delete(self, topic: str, offset: int) -> None:
        self.starts[topic] = offset
        self.epochs[topic].truncate_from_start(offset)

    def delete_by_broker(self) -> None:
        admin = self.admin()  # its requests end with it
        partitions = [confluent_kafka.TopicPartition(topic, 0, at) for topic, at in DELETED_BY_BROKER.items()]
        for topic, future in zip(DELETED_BY_BROKER, admin.delete_records(partitions).values(), strict=True):
            future.result(TIMEOUT_S)
            self.delete(topic, DELETED_BY_BROKER[topic])

    def ask(self, when: str) -> None:
        wanted = {topic: [rows[at].timestamp for at in range(0, len(rows), 5)] for topic, rows in self.rows.items()}
        self.told[when] = ask(VERSION, self.broker, wanted)

    def wait(self, is_so: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not is_so():
            assert time.monotonic() < deadline, f"not in time: {what}: {self.broker.remote_segments()}"
            time.sleep(0.2)

    # The disk

    def folder(self, topic: str) -> Path:
        return self.broker.data / f"{topic}-0"

    def local_bases(self, topic: str) -> list[int]:
        return sorted(int(path.stem) for path in self.folder(topic).glob("*.log"))

    def note(self, when: str) -> None:
        """Keep what must be found now, and what the files say."""
        self.expected[when] = {
            topic: [row for row in rows if row.offset >= self.starts[topic]] for topic, rows in self.rows.items()
        }
        self.expected_epochs[when] = {
            topic: [(entry.epoch, entry.start_offset) for entry in self.epochs[topic].entries] for topic in TOPICS
        }
        starts = read_sidecar(self.broker.data / LOG_START_OFFSETS)
        assert isinstance(starts, TopicOffsets)
        self.entries[when] = {topic: starts.as_dict().get((topic, 0)) for topic in TOPICS}
        self.local[when] = {topic: self.local_bases(topic) for topic in TOPICS}
        remote = self.broker.remote_segments()
        self.remote[when] = {topic: remote.get(f"{topic}-0", []) for topic in TOPICS}
        self.stored_epochs[when] = {}
        for topic in TOPICS:
            epochs = read_sidecar(self.folder(topic) / "leader-epoch-checkpoint")
            assert isinstance(epochs, LeaderEpochs)
            self.stored_epochs[when][topic] = [(entry.epoch, entry.start_offset) for entry in epochs.entries]

    def change(self) -> None:
        """What the engine does: to the root as a killed broker leaves it, then to the one that it closed itself."""
        (self.broker.data / CLEAN_MARKER).unlink()
        (self.broker.data / RECOVERY_POINTS).write_text("0\n0\n")
        with Root.open(self.broker.data) as root:
            for path in sorted(self.broker.data.iterdir()):
                name = parse_folder_name(path.name)
                if name is None or name.topic == "__cluster_metadata":
                    continue
                config = LogConfig(segment_ms=SEGMENT_MS if name.topic in ROLLS_BY_TIME else LogConfig().segment_ms)
                with Log.open(path, config, root=root) as log:
                    changes = [str(change) for change in log.report.changes if "rebuild" not in str(change)]
                    self.changes += [f"{path.name}: {change}" for change in changes if ".deleted" not in change]
                    if name.topic in TOPICS:
                        self.append(log)
        assert (self.broker.data / CLEAN_MARKER).exists()
        for topic in TOPICS:
            if topic != EMPTY:
                (row,) = self.new_rows(topic, 1)
                key, value = (row.key or b"").decode(), (row.value or b"").decode()
                line = json.dumps({"key": key, "value": value, "timestamp": row.timestamp})
                arguments = ["log", "append", str(self.folder(topic)), "--input-format", "nl", "--bytes", "text"]
                done = CliRunner().invoke(main, arguments, input=line.encode())
                assert (done.exit_code, done.stderr) == (0, ""), done.output
        self.has_marker = (self.broker.data / CLEAN_MARKER).exists()
        # What the engine keeps of a checkpoint that it could not read; a broker passes over it.
        (self.broker.data / f"{LOG_START_OFFSETS}.unreadable").write_text("1\n0\n")

    def append(self, log: Log) -> None:
        if log.topic in ROLLED:
            log.roll()
        if log.topic != EMPTY:
            rows = self.new_rows(log.topic, 3)
            log.append([{"timestamp": row.timestamp, "key": row.key, "value": row.value} for row in rows])
        if log.topic in ROLLED:
            log.roll()
        if log.topic in DELETED_BY_US:
            assert log.delete_records_before(DELETED_BY_US[log.topic]) == DELETED_BY_US[log.topic]
            self.delete(log.topic, DELETED_BY_US[log.topic])


@pytest.fixture(scope="module")
def story() -> Iterator[Story]:
    require(VERSION)
    require(judge(VERSION))
    with tempfile.TemporaryDirectory(prefix="kformat-tiered-") as work:
        found = Story(TieredBroker(VERSION, Path(work), lifetime_s=600))
        try:
            found.play()
        finally:
            found.broker.kill()
        yield found


STAGES = {"before": "before", "adopted": "ours", "end": "end"}
"""When the broker is asked -> when what it must say was noted."""


def test_what_there_was(story: Story) -> None:
    """At least 25 partitions with remote segments; entries of every kind."""
    remote = [topic for topic in TOPICS if story.remote["before"][topic]]
    assert len(remote) >= 25
    for topic in remote:
        entry = story.entries["before"][topic]
        assert entry is not None and entry < story.local["before"][topic][0], topic
    assert story.entries["before"][FRESH] == story.entries["before"][EMPTY] == 0
    assert story.entries["before"][PLAIN] is None
    assert story.changes == []


@pytest.mark.parametrize("when", STAGES)
def test_the_log_starts_where_it_did(story: Story, when: str) -> None:
    for topic in TOPICS:
        rows, named = story.expected[STAGES[when]][topic], story.told[when].named[topic]
        start = rows[0].offset if rows else 0
        assert named["earliest"][0] == start, topic
        assert named["latest"][0] == (rows[-1].offset + 1 if rows else 0), topic
        if topic in (FRESH, PLAIN):
            continue
        bases = story.local["end" if when == "end" else "before"][topic]
        if when != "adopted" or topic not in {*ROLLED, *ROLLS_BY_TIME}:
            assert named["earliestLocal"][0] == max(bases[0], start), topic
        else:
            assert named["earliestLocal"][0] == story.local["ours"][topic][-1], topic


@pytest.mark.parametrize("when", STAGES)
def test_the_consumer_reads_every_record(story: Story, when: str) -> None:
    """From the first to the last, remote ones, the engine's and those of later; each in its leader epoch."""
    for topic, rows in story.expected[STAGES[when]].items():
        told = story.told[when]
        assert told.uncommitted[topic] == told.committed[topic] == rows, topic
        epochs = Epochs(story.expected_epochs[STAGES[when]][topic])
        assert told.epochs[topic] == [epochs.epoch_for_offset(row.offset) for row in rows], topic


@pytest.mark.parametrize("when", STAGES)
def test_lookups_by_time(story: Story, when: str) -> None:
    for topic, rows in story.expected[STAGES[when]].items():
        for wanted, answer in story.told[when].times[topic].items():
            row = next(row for row in rows if row.timestamp >= wanted)
            assert answer[:2] == (row.offset, row.timestamp), (topic, wanted)


@pytest.mark.parametrize("when", ["before", "ours", "end"])
def test_the_checkpoints_say_what_they_said(story: Story, when: str) -> None:
    for topic in TOPICS:
        start = story.expected[when][topic][0].offset if story.expected[when][topic] else 0
        assert story.entries[when][topic] == (None if topic == PLAIN else start), topic
        assert story.stored_epochs[when][topic] == story.expected_epochs[when][topic], topic
    assert story.has_marker


def test_tiering_goes_on(story: Story) -> None:
    """The engine's records are in the remote storage at the end, and not on the disk any more."""
    for topic in [*TIERED, FRESH]:
        before, after = story.remote["before"][topic], story.remote["end"][topic]
        ours = [row.offset for row in story.expected["ours"][topic][-4:]]
        assert ours[-1] < story.local["end"][topic][0], topic
        assert any(base not in before and base <= ours[-1] for base in after), topic
        assert after[-1] > ours[-1] or after[-1] == story.local["before"][topic][-1], topic
