"""Every replica of a cluster that had kills, pauses, unclean elections and moves is held against its leader's answers.

A cluster of three 4.4.0 brokers has 54 partitions with two or three replicas. Brokers are killed with branches that
nobody else has, truncate with and without a start, and replicas move between log directories and between brokers. What
happens is drawn with a seed. Three times, while nobody writes and all replicas are in sync, the leaders are asked for
all records and for the offsets of timestamps, and the brokers' log directories are copied: `live`, while the brokers
run; `killed`, after kill -9 of all of them; `clean`, after a clean stop. Each replica of each copy then has to give
the same records and the same answers, `check` finds no error and no warning, and the text of `dump` is the tool's.
"""

from __future__ import annotations

import importlib
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kformat.kafka.log.partition import open_partition
from tests.engine.adoption import Row, ask
from tests.judges import dump_many, releases
from tests.judges.cluster import BROKERS, Cluster, Placement, copy_log_dir, placements, wait_until
from tests.judges.java_tools import java
from tests.judges.required import require
from tests.replicas import (
    DEEP,
    Told,
    dumped,
    findings_of,
    lies,
    records_of,
    spread,
    wrong_since,
    wrong_times,
    wrong_times_of_the_command,
)

confluent_kafka: Any = importlib.import_module("confluent_kafka")
admin_client: Any = importlib.import_module("confluent_kafka.admin")

pytestmark = [pytest.mark.judge, pytest.mark.broker, pytest.mark.slow]

VERSION = releases.NEWEST
SEED = 20261
PARTITIONS = 54
BASE_MS = 1_700_000_000_000
TIMEOUT_S = 30
LIFETIME_S = 900
TRANSACTIONS = "__transaction_state"
REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
SPREAD, NEAR_THE_END = 10, slice(-32, -20)
"""Of which records of a partition the timestamps are asked for: about so many from first to last, and these. A branch
that replaced a lost one ends with a batch of 24 records, and what misleads lies before it."""
DUMPED_FILES = 60
SINCE = 3
MOMENTS = ("live", "killed", "clean")


@dataclass
class Topic:
    """A topic of one partition; ``clock_ms`` is where its timestamps have come to, ``fork_ms`` where they were when a
    branch began that will be lost."""

    name: str
    replicas: list[int]
    config: dict[str, str]
    codec: str
    value_bytes: int
    has_equal_batches: bool
    clock_ms: int = BASE_MS
    fork_ms: int | None = None

    @property
    def folder(self) -> str:
        return f"{self.name}-0"


@dataclass
class Moment:
    """Copies of all log directories, and what the leaders said when they were made."""

    name: str
    root: Path
    records: dict[str, list[Row]]
    answers: dict[str, dict[int, Told]]
    copies: dict[str, list[Path]] = field(default_factory=dict)
    """By folder name: one for each replica."""

    def each(self) -> Iterator[tuple[str, Path]]:
        """Topic and path of every replica."""
        for topic in self.records:
            for path in self.copies[f"{topic}-0"]:
                yield topic, path


def drawn_topics(source: random.Random) -> list[Topic]:
    """Topics of all kinds; two thirds have three replicas."""
    found = []
    for number in range(PARTITIONS):
        config = {
            "index.interval.bytes": str(source.choice((64, 300, 512, 512, 4096))),
            "segment.index.bytes": "6000",
            "unclean.leader.election.enable": "true",
        }
        if number % 6 == 1:
            config["message.timestamp.type"] = "LogAppendTime"
        if number % 5 == 2:
            config["segment.ms"] = "60000"
        replicas = source.sample(BROKERS, 2 if number % 3 == 0 else 3)
        codec = source.choice(("none", "none", "none", "gzip", "lz4", "zstd"))
        found.append(Topic(f"t{number:02}", replicas, config, codec, source.choice((0, 30, 40, 300)), number % 2 == 0))
    return found


class Play:
    """What is done to the cluster, and what came of it."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        self.source = random.Random(SEED)
        self.topics = drawn_topics(self.source)
        self.names = [topic.name for topic in self.topics]
        self.done: Counter[str] = Counter()
        self.numbers = count()

    # Waiting

    def placed(self, broker: int) -> dict[str, Placement]:
        return placements(self.cluster.brokers[broker].bootstrap, self.names)

    def wait_for_leaders(self, *alive: int) -> None:
        """Until each partition that has a replica on these brokers is led by one of them."""

        def is_led() -> bool:
            found = self.placed(alive[0])
            return len(found) == PARTITIONS and all(
                one.leader in alive for one in found.values() if one.replicas & set(alive)
            )

        wait_until(f"{alive} lead", is_led)

    def settle(self) -> None:
        """Until all replicas are where they should be, in sync, and their logs equal, and stay so."""

        def is_settled() -> bool:
            found = self.placed(1)
            if len(found) < PARTITIONS:
                return False
            for topic in self.topics:
                one = found[topic.folder]
                if one.leader < 0 or one.replicas != set(topic.replicas) or one.in_sync != one.replicas:
                    return False
            return all(self.logs_are_equal(topic) for topic in self.topics)

        wait_until("all replicas in sync", is_settled, 120)
        time.sleep(1.5)  # the high watermark comes with the next fetch
        assert is_settled(), "replicas were in sync and are no more"

    def logs_are_equal(self, topic: Topic) -> bool:
        """The same bytes in the `.log` files of all replicas, of which there are as many as there should be."""
        copies = self.cluster.folders(topic.folder)
        if set(copies) != set(topic.replicas) or list(self.cluster.directory.glob(f"n?/?/{topic.name}-0.*-future")):
            return False
        logs = [b"".join(log.read_bytes() for log in sorted(copies[one].glob("*.log"))) for one in topic.replicas]
        return all(log == logs[0] for log in logs)

    # Writing

    def feed(self, rounds: int, *alive: int, branch: str = "") -> None:
        """Batches for every partition that one of these brokers leads; each flush is a batch for each of them.

        ``branch``: "old" for one that will be lost, "new" for what comes in its place.
        """
        bootstrap = self.cluster.brokers[alive[0]].bootstrap
        led = [topic for topic in self.topics if self.placed(alive[0])[topic.folder].leader in alive]
        sent: Counter[bool] = Counter()
        common = {"bootstrap.servers": bootstrap, "acks": "1", "linger.ms": 1000, "message.timeout.ms": 15_000}
        producers = {
            codec: confluent_kafka.Producer(common | {"compression.type": codec, "log_level": 0})
            for codec in sorted({topic.codec for topic in led})
        }
        for number in range(rounds):
            for topic in led:
                for value, timestamp in self.branch(topic, branch, number) or self.batch(topic):
                    producers[topic.codec].produce(
                        topic.name, value, b"k%d" % (next(self.numbers) % 10), 0,
                        lambda error, _: sent.update([error is None]), timestamp=timestamp,
                    )  # fmt: skip
            for producer in producers.values():
                assert producer.flush(TIMEOUT_S) == 0
        assert sent[True] > 0.9 * sent.total(), sent
        self.done["records"] += sent[True]

    @staticmethod
    def branch(topic: Topic, branch: str, number: int) -> list[tuple[bytes, int]]:
        """A batch of a branch as `samples/replicas.py` has them, if the topic has equal batches: those of the new one
        begin where those of the old one did, and the first of its records is later than the following ones."""
        if branch == "old" and number == 0:
            topic.fork_ms = topic.clock_ms
        if not (branch and topic.has_equal_batches and topic.fork_ms is not None):
            return []
        value = b"v" * topic.value_bytes
        if branch == "old":
            topic.clock_ms += 1000
            return [(value, topic.clock_ms)]
        if number < 4:
            return [(value, topic.fork_ms + (10_500, 5500, 7500, 6000)[number])]
        last = [(b"", topic.fork_ms + 11_000 + 1000 * one) for one in range(24)]
        topic.clock_ms = topic.fork_ms = last[-1][1]
        return last

    def batch(self, topic: Topic) -> list[tuple[bytes, int]]:
        """Values and timestamps; now and then the clock jumps, forth or back."""
        found = []
        size = 1 if self.source.random() < 0.8 else self.source.randint(2, 25)
        for _ in range(size):
            jump = self.source.choice((1000, 1000, 1000, 1000, 2000, 5000, -4000, 9000, -7000))
            topic.clock_ms = max(BASE_MS, topic.clock_ms + jump)
            length = topic.value_bytes if topic.has_equal_batches else self.source.randint(0, 2 * topic.value_bytes)
            found.append((b"v" * length if size == 1 else b"", topic.clock_ms))
        return found

    def transact(self) -> None:
        """Transactions over several partitions, one in three aborted, while all brokers are well."""
        producer = confluent_kafka.Producer({
            "bootstrap.servers": self.cluster.bootstrap, "transactional.id": f"play {next(self.numbers)}",
            "linger.ms": 1000, "log_level": 0,
        })  # fmt: skip
        producer.init_transactions(TIMEOUT_S)
        for number in range(6):
            producer.begin_transaction()
            for topic in self.source.sample(self.topics, 8):
                for value, timestamp in self.batch(topic):
                    producer.produce(topic.name, value, b"transaction", 0, timestamp=timestamp)
            assert producer.flush(TIMEOUT_S) == 0
            (producer.abort_transaction if number % 3 == 1 else producer.commit_transaction)(TIMEOUT_S)
        self.done["transactions"] += 6

    # What happens

    def begin(self) -> None:
        admin = admin_client.AdminClient({"bootstrap.servers": self.cluster.bootstrap, "log_level": 0})
        new = [
            admin_client.NewTopic(topic.name, 1, replica_assignment=[topic.replicas], config=topic.config)
            for topic in self.topics
        ]
        for created in admin.create_topics(new).values():
            created.result(TIMEOUT_S)
        wait_until("topics", lambda: len(self.placed(1)) == PARTITIONS)
        self.feed(6, *BROKERS)
        self.transact()
        # A broker creates it without; then transactions would wait for one broker.
        entry = admin_client.ConfigEntry(
            "unclean.leader.election.enable", "true", incremental_operation=admin_client.AlterConfigOpType.SET
        )
        kind = admin_client.ResourceType.TOPIC
        resource = admin_client.ConfigResource(kind, TRANSACTIONS, incremental_configs=[entry])
        for altered in admin.incremental_alter_configs([resource]).values():
            altered.result(TIMEOUT_S)
        self.settle()

    def lose_a_branch(self, alone: int) -> None:
        """One broker has a branch of its own, is killed, and comes back to what the others wrote meanwhile."""
        others = [one for one in BROKERS if one != alone]
        self.cluster.pause(*others)
        self.wait_for_leaders(alone)
        self.feed(self.source.randint(8, 25), alone, branch="old")
        self.cluster.kill(alone)
        self.cluster.cont(*others)
        self.wait_for_leaders(*others)
        self.feed(5, *others, branch="new")
        self.cluster.start(alone)
        self.settle()
        self.done["branches"] += 1

    def lose_a_branch_alive(self, late: int, alive: int, killed: int) -> None:
        """Two brokers have a branch; one of them is killed, the other paused until the third leads, and truncates."""
        self.cluster.pause(late)
        self.wait_for_leaders(alive, killed)
        self.feed(self.source.randint(8, 25), alive, killed, branch="old")
        time.sleep(1)
        self.cluster.pause(alive)
        self.cluster.kill(killed)
        self.cluster.cont(late)
        self.wait_for_leaders(late)
        self.feed(5, late, branch="new")
        self.cluster.cont(alive)
        self.cluster.start(killed)
        self.settle()
        self.done["branches"] += 1

    def move(self) -> None:
        """Some replicas go to the other log directory of their broker, some to a broker that had none."""
        moves = []
        for topic in self.topics:
            places = self.cluster.folders(topic.folder)
            if len(topic.replicas) == 2 and self.source.random() < 0.5:
                (other,) = set(BROKERS) - set(topic.replicas)
                topic.replicas[self.source.randrange(2)] = other
                moves.append((topic, ["any"] * 2))
                self.done["moves between brokers"] += 1
            elif len(topic.replicas) == 3 and self.source.random() < 0.4:
                moved = self.source.choice(topic.replicas)
                (target,) = set(self.cluster.brokers[moved].log_dirs) - {places[moved].parent}
                moves.append((topic, [str(target) if one == moved else "any" for one in topic.replicas]))
                self.done["moves between directories"] += 1
        plan = self.folder / "moves.json"
        partitions = [
            {"topic": topic.name, "partition": 0, "replicas": topic.replicas, "log_dirs": log_dirs}
            for topic, log_dirs in moves
        ]
        plan.write_text(json.dumps({"version": 1, "partitions": partitions}), encoding="utf-8")
        bootstrap = self.cluster.brokers[1].bootstrap
        arguments = ["--bootstrap-server", bootstrap, "--reassignment-json-file", str(plan), "--execute"]
        done = java(VERSION, REASSIGN, arguments)
        assert done.returncode == 0 and b"Successfully started" in done.stdout, (done.stdout, done.stderr)
        self.feed(4, *BROKERS)
        self.settle()

    # What is kept

    def ask(self, name: str) -> Moment:
        """What the leaders say of all partitions."""
        node = self.cluster.brokers[1]
        records = ask(VERSION, node, {name: [] for name in self.names}).uncommitted
        wanted = {}
        for topic, rows in records.items():
            stamps = [row.timestamp for row in rows]
            asked = {*spread(sorted(set(stamps)), SPREAD), *stamps[NEAR_THE_END]}
            wanted[topic] = sorted({stamp + by for stamp in asked for by in (-1, 0, 1)})
        times = ask(VERSION, node, wanted).times
        answers = {topic: {target: Told(*answer) for target, answer in found.items()} for topic, found in times.items()}
        return Moment(name, self.folder / name, records, answers)

    def copy(self, moment: Moment) -> Moment:
        """Copy all log directories."""
        for number, node in self.cluster.brokers.items():
            for log_dir in node.log_dirs:
                copy_log_dir(log_dir, moment.root / f"{number}" / log_dir.name)
        for topic in self.topics:
            moment.copies[topic.folder] = sorted(moment.root.glob(f"?/?/{topic.folder}"))
            assert len(moment.copies[topic.folder]) == len(topic.replicas)
        return moment


@pytest.fixture(scope="module")
def moments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Moment]:
    """The three copies; the brokers have ended."""
    require(VERSION)
    folder = tmp_path_factory.mktemp("replicas")
    found = {}
    with Cluster(VERSION, folder / "cluster", lifetime_s=LIFETIME_S) as cluster:
        play = Play(cluster, folder)
        play.begin()
        play.lose_a_branch(1)
        play.move()
        play.lose_a_branch_alive(3, 1, 2)
        found["live"] = play.copy(play.ask("live"))
        play.settle()  # nothing came or went while the files were copied
        play.lose_a_branch(2)
        found["killed"] = play.ask("killed")
        cluster.kill()
        play.copy(found["killed"])
        cluster.start()
        play.wait_for_leaders(*BROKERS)
        play.feed(5, *BROKERS)
        play.transact()
        play.settle()
        found["clean"] = play.ask("clean")
        cluster.stop()
        play.copy(found["clean"])
    assert play.done["branches"] == 3 and play.done["moves between brokers"] > 3, play.done
    assert play.done["moves between directories"] > 5 and play.done["records"] > 3000, play.done
    return found


each_moment = pytest.mark.parametrize("name", MOMENTS)


def gathered(moment: Moment, look: Callable[[str, Path], Sequence[object]]) -> dict[str, Sequence[object]]:
    """By replica, what is wrong with it, the first of it."""
    wrong = {str(path.relative_to(moment.root)): look(topic, path) for topic, path in moment.each()}
    return {path: found[:2] for path, found in wrong.items() if found}


@each_moment
def test_lookups_by_time_equal_the_leaders(moments: dict[str, Moment], name: str) -> None:
    moment = moments[name]
    assert sum(map(len, moment.answers.values())) > PARTITIONS * SPREAD
    assert gathered(moment, lambda topic, path: wrong_times(path, moment.answers[topic])) == {}
    first = {topic: moment.copies[f"{topic}-0"][0] for topic in list(moment.records)[::6]}
    assert [wrong_times_of_the_command(path, moment.answers[topic]) for topic, path in first.items()] == [[]] * 9


@each_moment
def test_records_equal_the_consumers(moments: dict[str, Moment], name: str) -> None:
    """All of them, and as columns those from a time on."""
    moment = moments[name]

    def look(topic: str, path: Path) -> Sequence[object]:
        found = [
            Row(record.offset, record.timestamp, record.key, record.value, tuple(record.headers))
            for record in records_of(path)
        ]
        told = moment.records[topic]
        if found != told:
            return [f"{len(found)} records, the consumer got {len(told)}"]
        return wrong_since(path, [row[:2] for row in told], SINCE)

    assert gathered(moment, look) == {}


@each_moment
def test_check_finds_them_sound(moments: dict[str, Moment], name: str) -> None:
    """The log directories as they are, with the brokers' own topics."""
    roots = sorted(moments[name].root.glob("?/?"))
    assert len(roots) == 2 * len(BROKERS)
    found = [finding for root in roots for finding in findings_of(root)]
    assert found == [], f"{len(found)}; {Counter(finding.rule for finding in found)}"


@each_moment
def test_dump_text_is_the_tools(moments: dict[str, Moment], name: str) -> None:
    """Of a sample of files; where the tool dies, what it printed until then begins ours."""
    moment = moments[name]
    kinds = (".log", ".index", ".timeindex", ".snapshot", ".txnindex")
    files = sorted(
        str(file.relative_to(moment.root))
        for _, path in moment.each()
        for file in path.iterdir()
        if file.suffix in kinds
    )
    drawn = sorted(random.Random(SEED).sample(files, DUMPED_FILES))
    ours = {file: dumped(moment.root, file) for file in drawn}
    # The tool cuts an odd index, so it comes last.
    runs = dump_many(
        VERSION, [["--files", file, *(DEEP if file.endswith(".log") else ())] for file in drawn], moment.root
    )
    wrong = []
    for file, run in zip(drawn, runs, strict=True):
        if not (ours[file].startswith(run.stdout) if run.status else ours[file] == run.stdout):
            wrong.append(file)
    assert wrong == []
    assert sum(run.status == 0 for run in runs) > DUMPED_FILES // 2


def test_old_slots_are_there(moments: dict[str, Moment]) -> None:
    """On live and killed disks, but not on those that were closed, some time index would mislead who trusts it."""
    misled = {
        name: sum(
            any(lies(open_partition(path), [(row.offset, row.timestamp) for row in moment.records[topic]]))
            for topic, path in moment.each()
        )
        for name, moment in moments.items()
    }
    assert misled["live"] and misled["killed"], misled
