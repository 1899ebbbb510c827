"""Record `samples/replicas/<version>/` anew: copies of partitions that brokers of a cluster truncated.

    python samples/replicas.py [VERSION...]

Three brokers, two truncations. A broker truncates an active index by lowering a count in memory; the bytes of the old
slots stay in the file until new entries overwrite them. The copies here are what such a disk looks like.

1.  Broker 1 leads. Brokers 2 and 3 are paused, broker 1 takes the *old branch* with acks=1 and is killed. Broker 2
    takes the lead and the *new branch*. Broker 1 starts again: it recovers (which indexes the old branch), truncates
    it, and fetches the new one. Now the folders are copied while the brokers run: `live/`.
2.  Broker 3 is paused, brokers 2 and 1 take another old branch. Broker 1 is paused, broker 2 is killed, broker 3 takes
    the lead and another new branch. Broker 1 goes on: it truncates without a start. Broker 2 starts, as broker 1 did
    before. Then all brokers are killed and the folders are copied: `killed/`.

Before each copy all replicas are in sync, and the leader is asked: a consumer reads the records, and ListOffsets
answers for the timestamp of every record, one above it and one below it. A follower's `.log` files are the leader's,
byte for byte, or the run fails. What a sidecar says is told in README.md beside this file.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).resolve().parent
sys.path.insert(0, str(SAMPLES.parent))

import confluent_kafka  # noqa: E402
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined] # noqa: E402

from samples.topics import BASE_TIMESTAMP_MS, TIMEOUT_S, WORDS, Feed, Message, read_back  # noqa: E402
from samples.writer import UNSAID_CONFIG, Records, compressed, dumped_offsets, java_version, profile, record_lines  # noqa: E402
from tests.engine.adoption import ask  # noqa: E402
from tests.judges import jars, releases  # noqa: E402
from tests.judges.cluster import BROKERS, Cluster, copy_log_dir, placements, wait_until  # noqa: E402
from tests.judges.java_tools import dump_many  # noqa: E402
from tests.judges.releases import version_tuple  # noqa: E402

REPLICAS = SAMPLES / "replicas"
VERSIONS = releases.REPLICATED
LIFETIME_S = 600
TRANSACTIONS = "__transaction_state"

Times = Callable[[int], int]


def climbing(start_ms: int, step_ms: int) -> Times:
    """Timestamps that grow evenly; ms after the fixed instant."""
    return lambda number: start_ms + number * step_ms


def listed(*times_ms: int) -> Times:
    """These timestamps, then the last of them and a minute more for each further record."""
    return lambda number: (
        times_ms[number] if number < len(times_ms) else times_ms[-1] + 60_000 * (number - len(times_ms) + 1)
    )


@dataclass(frozen=True)
class Branch:
    """Batches of equal size, one producer request each, then perhaps a last one of many small records.

    The last one moves the log's end above the offsets of the old branch, within a few bytes.
    """

    batches: int
    times: Times
    records: int = 1
    value_bytes: int = 40
    small_at_end: int = 0

    def messages(self, words: random.Random) -> list[list[Message]]:
        """The records of each batch."""
        text = b" ".join(words.choice(WORDS).encode() for _ in range(self.value_bytes))[: self.value_bytes]
        sizes = [self.records] * self.batches + ([self.small_at_end] if self.small_at_end else [])
        found, number = [], 0
        for batch, size in enumerate(sizes):
            value = text if batch < self.batches else b""
            stamps = [BASE_TIMESTAMP_MS + self.times(number + one) for one in range(size)]
            found.append([Message(b"key", value, stamp) for stamp in stamps])
            number += size
        return found


PREFIX = Branch(7, climbing(0, 1000))
OLD = Branch(14, climbing(7000, 1000))
# Early records of the new branch are later than what the old branch's slots say of the offsets above them.
NEW = Branch(4, listed(16_500, 11_500, 13_500, 12_000, 17_000), small_at_end=24)
OLD_2 = Branch(12, climbing(2_000_000, 1000))
NEW_2 = Branch(4, listed(2_009_500, 2_004_500, 2_006_500, 2_005_000, 2_010_000), small_at_end=24)


@dataclass(frozen=True)
class Topic:
    """A topic of one partition: what it is a sample of, its settings, what is written in which phase."""

    name: str
    fed: str
    config: Mapping[str, str]
    phases: Mapping[str, Branch]
    codec: str = "none"
    is_transactional: bool = False
    config_2: Mapping[str, str] | None = None
    """Settings before the second new branch."""

    @property
    def partition(self) -> str:
        return f"{self.name}-0"


def _topic(name: str, fed: str, interval: int, old: Branch = OLD, new: Branch = NEW, *, prefix: Branch = PREFIX,
           twice: tuple[Branch, Branch] | None = None, config: Mapping[str, str] | None = None,
           **more: Any) -> Topic:  # fmt: skip
    phases = {"prefix": prefix, "old": old, "new": new}
    if twice is not None:
        phases |= {"old 2": twice[0], "new 2": twice[1]}
    settings = {"index.interval.bytes": str(interval), "segment.index.bytes": "2000", "min.insync.replicas": "1",
                "unclean.leader.election.enable": "true"}  # fmt: skip
    return Topic(name, fed, settings | dict(config or {}), phases, **more)


TWICE = (OLD_2, NEW_2)
BIG = 340  # of a value, for batches of which ten are more than 4096 bytes
TOPICS = (
    _topic("same-sizes", "batches of one record and of equal size on both branches; early records of the new branch "
           "are later than later ones", 512, twice=TWICE),
    _topic("same-sizes-4096", "the same with Kafka's own index.interval.bytes and larger records", 4096,
           Branch(14, OLD.times, value_bytes=BIG), Branch(4, NEW.times, value_bytes=BIG, small_at_end=24),
           prefix=Branch(7, PREFIX.times, value_bytes=BIG)),
    _topic("repeated", "the same; the record that an old slot names has the old record's timestamp again", 512,
           new=Branch(4, listed(16_500, 11_500, 13_500, 10_000, 17_000), small_at_end=24)),
    _topic("inside", "as same-sizes; an old slot names the first offset of the last batch, and entries name the last "
           "offset of theirs", 512, prefix=Branch(5, PREFIX.times, records=2)),
    _topic("other-sizes", "fewer and larger batches on the new branch", 512, Branch(30, OLD.times, value_bytes=20),
           Branch(3, climbing(12_000, 3000), records=9, value_bytes=90)),
    _topic("back", "the new branch begins with times before the truncation, then jumps", 512,
           new=Branch(16, listed(*range(0, 6000, 500), 90_000, 60_000, 30_000, 15_000))),
    _topic("dense", "an index entry for every batch but one; few batches on the new branch", 64,
           Branch(40, OLD.times, value_bytes=1), Branch(2, climbing(8000, 2500), records=6), twice=TWICE),
    _topic("interval-changed", "as dense; index.interval.bytes is 4096 from the second old branch on, for segments "
           "that are opened from then on", 64, twice=TWICE, config_2={"index.interval.bytes": "4096"}),
    _topic("gzip", "as same-sizes, each batch compressed by the producer", 512, twice=TWICE, codec="gzip"),
    _topic("append-time", "LogAppendTime: everything on the new branch is later than everything on the old one", 512,
           Branch(6, OLD.times), twice=(Branch(6, OLD_2.times), NEW_2),
           config={"message.timestamp.type": "LogAppendTime"}),
    _topic("transactions", "transactions of two producers; one in three is aborted; the markers carry the broker's "
           "clock", 512, twice=TWICE, is_transactional=True, prefix=Branch(9, PREFIX.times)),
    _topic("rolled", "the old branch rolls three segments, which the truncation removes", 512,
           Branch(30, climbing(7000, 4000)), config={"segment.ms": "40000"}),
    _topic("untouched", "the same records on all brokers; nothing is truncated", 512),
)  # fmt: skip
TRUNCATED_NEVER = {"untouched"}


class Recording:
    """One version's cluster, from its start to its end."""

    def __init__(self, version: str, cluster: Cluster, target: Path) -> None:
        self.version, self.cluster, self.target = version, cluster, target
        self.jdk = java_version()
        self.client = f"confluent-kafka {confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})"
        self.folders = [topic.partition for topic in TOPICS]

    # Writing

    def feed(self, phase: str, leader: int, acks: str = "1") -> None:
        """Write one phase of all topics that have it; the bootstrap is the leader, who may be alone."""
        for topic in TOPICS:
            if (branch := topic.phases.get(phase)) is None:
                continue
            if topic.name in TRUNCATED_NEVER and phase.startswith("old"):
                continue
            feed = Feed(self.cluster.brokers[leader].bootstrap, version_tuple(self.version), topic.name)
            batches = branch.messages(random.Random(f"{topic.name} {phase}"))
            if topic.is_transactional:
                self._transactions(feed, phase, batches)
            else:
                producer = feed.producer(acks=acks, compression_type=topic.codec)
                for batch in batches:
                    feed.batch(producer, batch)

    def _transactions(self, feed: Feed, phase: str, batches: Sequence[Sequence[Message]]) -> None:
        producers = [feed.producer(transactional_id=f"{phase} {number}") for number in range(2)]
        for producer in producers:
            producer.init_transactions(TIMEOUT_S)
        for number, batch in enumerate(batches):
            producer = producers[number % 2]
            producer.begin_transaction()
            feed.batch(producer, batch)
            (producer.abort_transaction if number % 3 == 1 else producer.commit_transaction)(TIMEOUT_S)

    # Waiting

    def wait_for_leader(self, leader: int) -> None:
        """Until a broker leads every partition, those of transactions too."""

        def leads() -> bool:
            names = [TRANSACTIONS, *(topic.name for topic in TOPICS)]
            found = placements(self.cluster.brokers[leader].bootstrap, names)
            return len(found) > len(TOPICS) and {one.leader for one in found.values()} == {leader}

        wait_until(f"{self.version}: broker {leader} leads all partitions", leads)

    def wait_for_sync(self, *brokers: int) -> None:
        """Until these replicas' logs are equal; where all are asked for, until all are in sync as well."""
        numbers = brokers or BROKERS
        bootstrap = self.cluster.brokers[numbers[0]].bootstrap

        def is_in_sync() -> bool:
            if not brokers:
                found = placements(bootstrap, [topic.name for topic in TOPICS])
                if len(found) < len(TOPICS) or any(one.in_sync != set(BROKERS) for one in found.values()):
                    return False
            return all(self.logs_are_equal(folder, numbers) for folder in self.folders)

        wait_until(f"{self.version}: brokers {numbers} in sync", is_in_sync)
        time.sleep(1)  # the high watermark comes with the next fetch
        if not is_in_sync():
            raise RuntimeError(f"{self.version}: the brokers {numbers} were in sync and are no more")

    def logs_are_equal(self, folder: str, brokers: Sequence[int]) -> bool:
        """Whether the `.log` files of a partition are the same on these brokers, byte for byte."""
        copies = self.cluster.folders(folder)
        logs = [{path.name: path.read_bytes() for path in copies[number].glob("*.log")} for number in brokers]
        return all(one == logs[0] for one in logs)

    # The two rounds

    def begin(self) -> None:
        """The topics, led by broker 1, with a beginning that all replicas have."""
        admin = AdminClient({"bootstrap.servers": self.cluster.bootstrap, "log_level": 0})
        replicas = [list(BROKERS)]
        topics = [NewTopic(topic.name, 1, replica_assignment=replicas, config=dict(topic.config)) for topic in TOPICS]
        for created in admin.create_topics(topics).values():
            created.result(TIMEOUT_S)
        names = [topic.name for topic in TOPICS]
        wait_until("topics", lambda: len(placements(self.cluster.brokers[1].bootstrap, names)) == len(TOPICS))
        self.feed("prefix", 1, "all")
        # A broker creates it without; then no coordinator would be left once broker 1 is killed.
        self._configure(admin, TRANSACTIONS, {"unclean.leader.election.enable": "true"})
        self.wait_for_sync()

    def first_round(self) -> None:
        """Broker 1 is killed with a branch of its own and comes back to another one."""
        self.cluster.pause(2, 3)
        self.wait_for_leader(1)
        self.feed("old", 1)
        self.cluster.kill(1)
        self.cluster.cont(2)
        self.wait_for_leader(2)
        self.cluster.cont(3)
        self.feed("new", 2)
        self.cluster.start(1)
        self.wait_for_sync()

    def second_round(self) -> None:
        """Brokers 1 and 2 have a branch that broker 3 has not; broker 1 truncates it without a start."""
        self.cluster.pause(3)
        self.wait_for_leader(2)
        self.feed("old 2", 2)
        self.wait_for_sync(1, 2)
        admin = AdminClient({"bootstrap.servers": self.cluster.brokers[2].bootstrap, "log_level": 0})
        for topic in TOPICS:
            if topic.config_2 is not None:
                self._configure(admin, topic.name, topic.config_2)
        time.sleep(2)  # the brokers take it up from the controller's log
        self.cluster.pause(1)
        self.cluster.kill(2)
        self.cluster.cont(3)
        self.wait_for_leader(3)
        self.feed("new 2", 3)
        self.cluster.cont(1)
        self.cluster.start(2)
        self.wait_for_sync()

    @staticmethod
    def _configure(admin: AdminClient, topic: str, config: Mapping[str, str]) -> None:
        kinds: Any = confluent_kafka.admin
        entries = [
            kinds.ConfigEntry(name, value, incremental_operation=kinds.AlterConfigOpType.SET)
            for name, value in config.items()
        ]
        resource = kinds.ConfigResource(kinds.ResourceType.TOPIC, topic, incremental_configs=entries)
        for altered in admin.incremental_alter_configs([resource]).values():
            altered.result(TIMEOUT_S)

    # What is kept

    def ask(self, moment: str, leader: int) -> None:
        """Records and answers of every partition, from its leader, into the moment's folder."""
        folder = self.target / moment
        folder.mkdir()
        records: dict[str, Records] = {}
        wanted: dict[str, list[int]] = {}
        node = self.cluster.brokers[leader]
        for topic in TOPICS:
            records[topic.name] = read_back(node.bootstrap, topic.name, 0)
            stamps = {record["timestamp"] for record in records[topic.name]}
            wanted[topic.name] = sorted({stamp + by for stamp in stamps for by in (-1, 0, 1)})
        told = ask(self.version, node, wanted)
        for topic in TOPICS:
            stem = folder / topic.partition
            stem.with_suffix(".records.jsonl.gz").write_bytes(compressed(record_lines(records[topic.name])))
            rows = [[stamp, *told.times[topic.name][stamp]] for stamp in wanted[topic.name]]
            answers = json.dumps({"named": told.named[topic.name], "by_timestamp": rows}) + "\n"
            stem.with_suffix(".answers.json.gz").write_bytes(compressed(answers.encode()))

    def copy(self, moment: str, leader: int, kept: Mapping[int, Sequence[Topic]]) -> None:
        """Copy brokers' log directories with the topics to keep."""
        for number, topics in kept.items():
            names = {topic.partition for topic in topics}
            into = self.target / moment / str(number)
            parts = [Path(f"{into}.{place}") for place in "ab"]
            for log_dir, part in zip(self.cluster.brokers[number].log_dirs, parts, strict=True):
                copy_log_dir(log_dir, part, names.__contains__)
            self._join(parts, into)
            for topic in topics:
                self._sidecar(moment, leader, number, topic)

    @staticmethod
    def _join(parts: Sequence[Path], into: Path) -> None:
        """A broker's two log directories as they are: each with its own files."""
        into.mkdir()
        for part in parts:
            part.rename(into / part.name.rpartition(".")[2])

    def _sidecar(self, moment: str, leader: int, number: int, topic: Topic) -> None:
        (folder,) = (self.target / moment / str(number)).glob(f"?/{topic.partition}")
        path = folder.with_name(f"{topic.partition}.json")
        phases = [phase for phase in topic.phases if moment == "killed" or not phase.endswith("2")]
        sidecar = {
            "sample": str(folder.relative_to(self.target.parent)),
            "fed": topic.fed,
            "phases": phases,
            "written_by": {"broker": "Apache Kafka", "version": self.version, "jdk": self.jdk},
            "broker": number,
            "leader": leader,
            "stopped": "live" if moment == "live" else "kill -9",
            "client": self.client,
            "command": f"python samples/replicas.py {self.version}",
            "topic_config": dict(topic.config) | dict((moment == "killed" and topic.config_2) or {}),
            "broker_config": {
                key: value for key, value in self.cluster.config.items() if not UNSAID_CONFIG.search(key)
            },
            "writer_profile": profile(version_tuple(self.version)),
            "records": {
                "file": f"../../{topic.partition}.records.jsonl.gz",
                "read_by": f"{self.client}, read_uncommitted, from the leader",
            },
            "answers": {
                "file": f"../../{topic.partition}.answers.json.gz",
                "asked_by": f"kafka-clients {self.version}, from the leader: timestamp asked, offset, timestamp, epoch",
            },
            "files": {
                file.name: {"size": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
                for file in sorted(folder.iterdir())
            },
        }
        path.write_text(json.dumps(sidecar, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def dump(self) -> None:
        """Ask that version's own tool about every log and index, and hold the consumer's records against it."""
        # The tool cuts an odd index and may create one that is missing, so it is shown a copy.
        with tempfile.TemporaryDirectory(prefix="kformat-dump-") as work:
            copy = Path(work) / "samples"
            shutil.copytree(self.target, copy)
            runs: list[tuple[Path, Path]] = []
            for sidecar in sorted(self.target.glob("*/*/*/*.json")):
                folder = sidecar.with_suffix("")
                runs += [(sidecar, path) for path in sorted(folder.iterdir())
                         if path.suffix in (".log", ".index", ".timeindex")]  # fmt: skip
            arguments = []
            for _, path in runs:
                deep = ["--deep-iteration", "--print-data-log"] if path.suffix == ".log" else []
                arguments.append([*deep, "--files", str(path.relative_to(self.target))])
            done = dump_many(self.version, arguments, cwd=copy)
        told: dict[Path, list[tuple[str, Any]]] = {}
        for (sidecar, path), run in zip(runs, done, strict=True):
            told.setdefault(sidecar, []).append((path.name, run))
        for sidecar, answers in told.items():
            facts = json.loads(sidecar.read_text(encoding="utf-8"))
            text = b"".join(run.stdout for _, run in answers)
            logs = b"".join(run.stdout for name, run in answers if name.endswith(".log"))
            records = (sidecar.parent / facts["records"]["file"]).resolve().read_bytes()
            self._hold_together(sidecar, records, logs)
            file = sidecar.with_suffix(".dump.txt.gz")
            file.write_bytes(compressed(text))
            facts["dump"] = {
                "file": file.name,
                "tool": f"DumpLogSegments of {self.version}; for each .log --deep-iteration --print-data-log",
                "sizes": {name: len(run.stdout) for name, run in answers},
                "died_on": {name: _exception(run.stderr) for name, run in answers if run.status},
            }
            sidecar.write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def _hold_together(self, sidecar: Path, records: bytes, logs: bytes) -> None:
        offsets = [json.loads(line)["offset"] for line in gzip.decompress(records).splitlines()]
        if offsets != dumped_offsets(logs, version_tuple(self.version)):
            raise RuntimeError(f"{sidecar}: the consumer and the dump tool do not name the same offsets")


def _exception(trace: bytes) -> str:
    """The class of the exception in a stack trace; what it says names paths."""
    found = re.search(rb"^Exception in thread \"main\" ([\w.$]+)", trace, re.MULTILINE)
    if found is None:
        raise RuntimeError(f"the dump tool ended without a stack trace: {trace!r}")
    return found[1].decode()


def record(version: str, target: Path, work: Path) -> None:
    """The copies of one version."""
    twice = [topic for topic in TOPICS if "new 2" in topic.phases]
    with Cluster(version, work, lifetime_s=LIFETIME_S) as cluster:
        recording = Recording(version, cluster, target)
        recording.begin()
        recording.first_round()
        recording.ask("live", 2)
        recording.copy("live", 2, {1: TOPICS, 2: TOPICS[:1]})
        recording.wait_for_sync()
        recording.second_round()
        recording.ask("killed", 3)
        cluster.kill()
        recording.copy("killed", 3, {1: TOPICS, 2: twice})
    recording.dump()


def main(arguments: Sequence[str] | None = None) -> int:
    """Record the versions asked for, or all; each is put in the place of the old one when it is complete."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION", default=list(VERSIONS))
    for version in parser.parse_args(arguments).versions:
        begun = time.monotonic()
        jars.fetch(version)
        with tempfile.TemporaryDirectory(prefix="kformat-replicas-") as work:
            target = Path(work) / "replicas" / version
            target.mkdir(parents=True)
            record(version, target, Path(work) / "cluster")
            shutil.rmtree(REPLICAS / version, ignore_errors=True)
            shutil.copytree(target, REPLICAS / version)
        files = [path for path in (REPLICAS / version).rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(f"samples/replicas/{version}: {len(files)} files, {size:,} bytes, {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
