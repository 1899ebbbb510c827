"""The samples of brokers before 1.0: magic 0 (0.8, 0.9) and magic 1 (0.10), fed by kafka-python 2.0.2.

Nothing that is maintained speaks to these brokers any more, so the feeding runs in an environment of its own, made
under `.judges/`. Topics are created by the broker's own TopicCommand, through ZooKeeper.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from samples.writer import Records, Writer, wait_for_cleaner
from tests.judges import jars
from tests.judges.broker import Broker
from tests.judges.releases import version_tuple

CLIENT = ("kafka-python==2.0.2", "six==1.17.0", "python-snappy==0.7.3", "lz4==4.4.5", "xxhash==3.5.0")
TIMEOUT_S = 240


@dataclass(frozen=True)
class Topic:
    """One topic: `kinds` are the things it is a sample of; what is sent stands in legacy_feed.py by its name."""

    name: str
    kinds: tuple[str, ...]
    config: dict[str, str] = field(default_factory=dict)
    when: str = "clean"
    since: tuple[int, ...] = (0, 8)
    compacted: bool = False


INTERVAL = {"index.interval.bytes": "512"}
TOPICS = (
    Topic("plain", ("uncompressed", "trimmed indexes"), INTERVAL),
    Topic("singles", ("uncompressed",), {"index.interval.bytes": "64"}),
    *(Topic(f"producer-{codec}", (f"{codec} by the producer",), INTERVAL) for codec in ("gzip", "snappy", "lz4")),
    *(
        Topic(f"broker-{codec}", (f"{codec} by the broker",), {**INTERVAL, "compression.type": codec}, since=(0, 9))
        for codec in ("gzip", "snappy", "lz4")
    ),
    Topic("nulls", ("null and empty keys and values",), INTERVAL),
    Topic("tombstones", ("tombstones",)),
    Topic("late", ("out-of-order CreateTime",), {"index.interval.bytes": "256"}, since=(0, 10)),
    Topic("append-time", ("LogAppendTime",), {**INTERVAL, "message.timestamp.type": "LogAppendTime"}, since=(0, 10)),
    Topic("append-time-gzip", ("LogAppendTime", "gzip by the broker"),
          {**INTERVAL, "message.timestamp.type": "LogAppendTime", "compression.type": "gzip"}, since=(0, 10)),
    Topic("old-format", ("older message format",), {**INTERVAL, "message.format.version": "0.9.0"}, since=(0, 10)),
    Topic("rolled", ("several segments",), {"index.interval.bytes": "1024", "segment.bytes": "16384"}),
    Topic("compacted", ("compacted", "tombstones"),
          {**INTERVAL, "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01", "segment.bytes": "4096",
           "delete.retention.ms": "86400000"}, compacted=True),
    Topic("single", ("one record",)),
    Topic("killed", ("preallocated indexes", "several segments"),
          {**INTERVAL, "segment.bytes": "16384", "segment.index.bytes": "2000"}, when="killed"),
    Topic("killed-single", ("preallocated indexes", "one record"), {"segment.index.bytes": "2000"}, when="killed"),
)  # fmt: skip


def client_python() -> Path:
    """The interpreter of the feeding environment, made when it is missing; SystemExit when no Python will do."""
    home = jars.judges_dir() / "kafka-python-2.0.2"
    python = home / "bin" / "python"
    stamp = "\n".join(CLIENT) + "\n"
    if not (home / jars.STAMP).is_file() or (home / jars.STAMP).read_text(encoding="utf-8") != stamp:
        # kafka-python 2.0.2 carries a copy of six that Python 3.12 cannot import.
        base = sys.executable if sys.version_info < (3, 12) else shutil.which("python3.11")
        if base is None:
            raise SystemExit(
                "brokers before 1.0 are fed with kafka-python 2.0.2, which needs Python 3.11; there is none"
            )
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([base, "-m", "venv", str(home)], check=True, timeout=TIMEOUT_S)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *CLIENT], check=True, timeout=TIMEOUT_S)
        (home / jars.STAMP).write_text(stamp, encoding="utf-8")
    return python


def ask_client(broker: Broker, verb: str, topics: Sequence[str]) -> dict[str, Records]:
    """Run legacy_feed.py; returns its records by topic, keys and values as bytes."""
    numbers = version_tuple(broker.version)
    api_version = "0.10.2" if numbers >= (0, 10) else "0.9" if numbers >= (0, 9) else "0.8.2"
    output = broker.directory / f"{verb}.jsonl"
    script = Path(__file__).with_name("legacy_feed.py")
    command = [str(client_python()), str(script), broker.bootstrap, api_version, verb, str(output), *topics]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"kafka-python could not {verb} on Kafka {broker.version}:\n{done.stderr[-3000:]}")
    records: dict[str, Records] = {topic: [] for topic in topics}
    with open(output, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            for name in ("key", "value"):
                record[name] = None if record[name] is None else base64.b64decode(record[name])
            records[record.pop("topic")].append(record)
    return records


def create(broker: Broker, topics: Sequence[Topic]) -> None:
    """Create the topics with the broker's own TopicCommand; it ends its JVM, so each takes one."""
    for topic in topics:
        options = [f"--config={key}={value}" for key, value in topic.config.items()]
        command = [*broker.java(), "kafka.admin.TopicCommand", "--zookeeper", f"127.0.0.1:{broker.other_port}"]
        command += ["--create", "--topic", topic.name, "--partitions", "1", "--replication-factor", "1", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        if done.returncode != 0 or "Created topic" not in done.stdout:
            raise RuntimeError(
                f"Kafka {broker.version} did not create {topic.name}: {done.stdout}{done.stderr[-2000:]}"
            )


def make(version: str, target: Path, work: Path, broker_config: Mapping[str, str]) -> None:
    """The samples of one broker before 1.0."""
    numbers = version_tuple(version)
    known = [topic for topic in TOPICS if topic.since <= numbers]
    reads = numbers >= (0, 10)
    writer = Writer(version, target, reads_back=reads)

    def run(broker: Broker, topics: Sequence[Topic]) -> dict[str, Records]:
        create(broker, topics)
        names = [topic.name for topic in topics]
        acknowledged = ask_client(broker, "feed", names)
        compacted = [topic.name for topic in topics if topic.compacted]
        if compacted:
            wait_for_cleaner(broker.data, compacted)
        return ask_client(broker, "read", names) if reads else acknowledged

    def copy(broker: Broker, topics: Sequence[Topic], records: dict[str, Records], stopped: str) -> None:
        for topic in topics:
            writer.partition(
                f"{topic.name}-0", broker, kinds=topic.kinds,
                fed=f"feed_* in legacy_feed.py, by the topic's name: {topic.name}",
                topic_config=topic.config, stopped=stopped, reopened=False, compacted=topic.compacted,
                client="kafka-python 2.0.2", records=records[topic.name],
                records_from="kafka-python 2.0.2, before the broker ended" if reads else ACKNOWLEDGED,
            )  # fmt: skip

    clean = [topic for topic in known if topic.when == "clean"]
    with Broker(version, work / "clean", broker_config) as broker:
        records = run(broker, clean)
        ask_client(broker, "commit", [])
    copy(broker, clean, records, "clean")
    writer.root_files(broker.data)
    for path in sorted(broker.data.glob("__consumer_offsets-*")):
        if any(log.stat().st_size for log in path.glob("*.log")):
            writer.partition(
                path.name, broker, kinds=("__consumer_offsets",), fed="two groups committed offsets of plain",
                topic_config={}, stopped="clean", reopened=False, compacted=False, client="kafka-python 2.0.2",
                records=None, records_from="",
            )  # fmt: skip

    killed = [topic for topic in known if topic.when == "killed"]
    broker = Broker(version, work / "killed", broker_config)
    try:
        broker.start()
        records = run(broker, killed)
    finally:
        broker.kill()
    copy(broker, killed, records, "kill -9")
    writer.finish()


ACKNOWLEDGED = (
    "nobody: what kafka-python 2.0.2 sent, with the offsets that the broker acknowledged, less what compaction "
    "removed; this version's own dump tool lists exactly these offsets"
)
