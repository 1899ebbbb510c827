"""Record `samples/tiered/` again: partitions of tiered topics, on the broker's disk and in remote storage.

    python samples/tiered.py [VERSION...]

A broker with Kafka's own LocalTieredStorage is fed, tiers what it was fed, deletes records, and is asked for all that
it says of each partition; then it is stopped, or killed. What is kept, and what a sidecar says, README.md beside this
file tells. Each copy is made in a temporary directory and then put in the place of the old one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
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
from confluent_kafka import TopicPartition  # noqa: E402
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # noqa: E402

from samples import topics as modern  # noqa: E402
from samples.topics import BASE_TIMESTAMP_MS, CODECS, TIMEOUT_S, Feed, Message, now_ms, transactional  # noqa: E402
from samples.writer import UNSAID_CONFIG, Records, compressed, dumped_offsets, java_version, profile, record_lines  # noqa: E402
from tests.engine.adoption import Told, ask  # noqa: E402
from tests.judges import jars, releases  # noqa: E402
from tests.judges.java_tools import dump_many  # noqa: E402
from tests.judges.releases import version_tuple  # noqa: E402
from tests.judges.tiered import TieredBroker, judge  # noqa: E402

VERSIONS = tuple(releases.TIERED)
COPIES = ("clean", "killed")
QUIET_S = 4.0
TIERING_TIMEOUT_S = 90
BROKER_CONFIG = {
    "remote.log.manager.task.interval.ms": "500",
    "log.retention.check.interval.ms": "500",
    "log.segment.delete.delay.ms": "500",
    # What a killed broker leaves must say what it answered, so checkpoints are written often.
    "log.flush.start.offset.checkpoint.interval.ms": "500",
    "log.flush.offset.checkpoint.interval.ms": "500",
    "replica.high.watermark.checkpoint.interval.ms": "500",
}
NAMES = {
    "earliest": "earliest", "earliest-local": "earliestLocal", "latest": "latest", "latest-tiered": "latestTiered",
    "max": "maxTimestamp",
}  # fmt: skip
"""What sidecars call the special targets of ListOffsets, and what Kafka's OffsetSpec does."""


def feed_plain(feed: Feed, part: int) -> None:
    """Six bursts of small batches a minute apart, where `segment.ms` is half a minute: a segment each."""
    producer = feed.producer()
    for burst in range(3 * part, 3 * part + 3):
        for number in range(5):
            feed.batch(producer, feed.messages(feed.random.randint(1, 6), burst * 6000 + number * 6, jitter_ms=30))


def feed_late(feed: Feed, part: int) -> None:
    """Batches a second a record, one record in five up to a minute late, one in five up to 20 s early; the small index
    rolls."""
    producer = feed.producer()
    for number in range(20):
        messages = feed.messages(feed.random.randint(1, 5), (part * 20 + number) * 5, step_ms=1000, jitter_ms=300)
        shifts = [feed.random.choice((0, 0, 0, -feed.random.randint(1, 60), feed.random.randint(1, 20))) * 1000
                  for _ in messages]  # fmt: skip
        pairs = zip(messages, shifts, strict=True)
        feed.batch(producer, [Message(m.key, m.value, m.timestamp_ms + shift) for m, shift in pairs])


def feed_ahead(feed: Feed, part: int) -> None:
    """Batches a second a record, but for two early records that are an hour ahead of all others; the small index
    rolls."""
    producer = feed.producer()
    for number in range(12):
        feed.batch(producer, feed.messages(3, (part * 12 + number) * 3, step_ms=1000))
        if part == 0 and number == 6:
            feed.batch(producer, [Message(b"ahead", b"", BASE_TIMESTAMP_MS + 3_600_000)] * 2)


def feed_compressed(feed: Feed, part: int) -> None:
    """Six bursts a minute apart, each batch in the codec after that of the batch before."""
    producers = [feed.producer(compression_type=codec) for codec in (*CODECS, "none")]
    for burst in range(3 * part, 3 * part + 3):
        for number, producer in enumerate(producers):
            feed.batch(producer, feed.messages(6, burst * 6000 + number * 6, jitter_ms=30))


def feed_append_time(feed: Feed, part: int) -> None:
    """Batches of one to three records that get the broker's time; the small index rolls."""
    producer = feed.producer()
    for _ in range(18):
        feed.batch(producer, feed.messages(feed.random.randint(1, 3), part))
        time.sleep(0.005)


def feed_transactions(feed: Feed, part: int) -> None:
    """Two transactional producers at the broker's time, the small index rolls; one in three transactions aborted, long
    ones too, which begin some segments before they end; the last is left open."""
    short, long = transactional(feed, "short"), transactional(feed, "long")

    def write(producer: confluent_kafka.Producer, count: int) -> None:
        feed.batch(producer, [Message(b"key", feed.text(30), now_ms() + number) for number in range(count)])

    for turn in range(2):
        long.begin_transaction()
        write(long, 2)
        for number in range(5):
            short.begin_transaction()
            for _ in range(1 + number % 2):
                write(short, feed.random.randint(1, 3))
            (short.abort_transaction if number % 3 == 1 else short.commit_transaction)(TIMEOUT_S)
        write(long, 1)
        (long.commit_transaction if turn else long.abort_transaction)(TIMEOUT_S)
    if part == 1:
        long.begin_transaction()
        write(long, 3)
        modern.OPEN.append(long)


def feed_once(feed: Feed, part: int) -> None:
    """A few batches, which stay in the one segment there is."""
    producer = feed.producer()
    for number in range(3):
        feed.batch(producer, feed.messages(3, part * 100 + number * 3))


@dataclass(frozen=True)
class Tiered:
    """One tiered topic of one partition.

    Attributes:
        kinds: what it is a sample of. feed: gets 0 and, when that has been tiered, 1.
        deleted: DeleteRecords moves the start into the second "remote" or "local" segment, or to the "end".
        remote, local: how many segments there must be at least.
    """

    name: str
    kinds: tuple[str, ...]
    feed: Callable[[Feed, int], None]
    config: dict[str, str]
    deleted: str = ""
    remote: int = 2
    local: int = 2

    @property
    def folder(self) -> str:
        """The partition's name."""
        return f"{self.name}-0"

    @property
    def topic_config(self) -> dict[str, str]:
        """What the topic sets."""
        return {"remote.storage.enable": "true"} | self.config


ROLLED_BY_TIME = {
    "segment.ms": "30000",
    "segment.index.bytes": "2000",
    "index.interval.bytes": "512",
    "local.retention.bytes": "4000",
}
ROLLED_BY_INDEX = {"segment.index.bytes": "120", "index.interval.bytes": "64", "local.retention.bytes": "3000"}
TOPICS = (
    Tiered("plain", ("remote segments",), feed_plain, ROLLED_BY_TIME),
    Tiered("late", ("remote segments", "out-of-order CreateTime"), feed_late,
           ROLLED_BY_INDEX | {"segment.index.bytes": "72"}),
    Tiered("ahead", ("remote segments", "largest timestamp in a remote segment"), feed_ahead,
           ROLLED_BY_INDEX | {"segment.index.bytes": "72", "local.retention.bytes": "2000"}),
    Tiered("compressed", ("remote segments", "codecs"), feed_compressed, ROLLED_BY_TIME),
    Tiered("append-time", ("remote segments", "LogAppendTime"), feed_append_time,
           ROLLED_BY_INDEX | {"message.timestamp.type": "LogAppendTime", "local.retention.bytes": "2000"}),
    Tiered("transactions", ("remote segments", "aborted transactions, remote and local", "open transaction"),
           feed_transactions, ROLLED_BY_INDEX),
    Tiered("deleted-remote", ("remote segments", "log start in a remote segment"), feed_plain, ROLLED_BY_TIME,
           deleted="remote"),
    Tiered("deleted-local", ("log start in a local segment",), feed_plain, ROLLED_BY_TIME, deleted="local", remote=0),
    Tiered("emptied", ("log start at the end",), feed_plain, ROLLED_BY_TIME, deleted="end", remote=0, local=1),
    Tiered("all-remote", ("remote segments", "no local record"), feed_plain,
           ROLLED_BY_TIME | {"local.retention.ms": "1000"}, local=1),
    Tiered("never-copied", ("never copied",), feed_once, {"segment.index.bytes": "2000"}, remote=0, local=1),
)  # fmt: skip


def record(version: str, is_killed: bool, target: Path, work: Path) -> None:
    """Record one copy of a version: ``target`` gets data/, remote/ and what is said of each partition."""
    broker = TieredBroker(version, work, BROKER_CONFIG)
    try:
        broker.start()
        create(broker)
        for part in (0, 1):
            for topic in TOPICS:
                topic.feed(Feed(broker.bootstrap, version_tuple(version), topic.name), part)
            wait_for_tiering(broker)
            if part == 0 and not is_killed:
                # A broker that is started again leads in another epoch.
                broker.stop()
                broker.start()
        delete_records(broker)
        wait_for_tiering(broker)
        held = {topic.name: read_back(broker, topic) for topic in TOPICS}
        wanted = {name: targets(records) for name, records in held.items()}
        told = ask(version, broker, wanted)
        wait_for_tiering(broker)
        (broker.kill if is_killed else broker.stop)()
    finally:
        broker.kill()
        modern.OPEN.clear()
    keep(broker, target)
    say(version, broker, target, held, told, is_killed)


def create(broker: TieredBroker) -> None:
    """Create the topics; KafkaException when one is refused."""
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    new = [NewTopic(topic.name, 1, 1, config=topic.topic_config) for topic in TOPICS]
    for created in admin.create_topics(new).values():
        created.result(TIMEOUT_S)


def local_bases(broker: TieredBroker, topic: Tiered) -> list[int]:
    """The base offsets of a topic's local segments."""
    return sorted(int(path.stem) for path in (broker.data / topic.folder).glob("*.log"))


def wait_for_tiering(broker: TieredBroker) -> None:
    """Wait until what can be copied and removed has been, and all files have been left alone for a while."""
    deadline = time.monotonic() + TIERING_TIMEOUT_S
    folders = [broker.data / topic.folder for topic in TOPICS] + [broker.remote]
    seen: object = None
    quiet_since = time.monotonic()
    while time.monotonic() < deadline:
        state = sorted(
            (str(path), path.stat().st_size) for folder in folders for path in folder.rglob("*") if path.is_file()
        )
        if state != seen:
            seen, quiet_since = state, time.monotonic()
        elif time.monotonic() - quiet_since > QUIET_S:
            return
        time.sleep(0.2)
    raise TimeoutError(f"tiering did not come to rest within {TIERING_TIMEOUT_S} s")


def delete_records(broker: TieredBroker) -> None:
    """Move the start of those logs that are to begin elsewhere, to the middle of a segment or to the end."""
    remote = broker.remote_segments()
    wanted = []
    for topic in TOPICS:
        bases = {"remote": remote.get(topic.folder, []), "local": local_bases(broker, topic)}.get(topic.deleted)
        if bases is not None:
            wanted.append(TopicPartition(topic.name, 0, (bases[1] + bases[2]) // 2))
        elif topic.deleted == "end":
            wanted.append(TopicPartition(topic.name, 0, confluent_kafka.OFFSET_END))
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    for deleted in admin.delete_records(wanted).values():
        deleted.result(TIMEOUT_S)


def read_back(broker: TieredBroker, topic: Tiered) -> Records:
    """All records from the log's start on, wherever they lie, as a read_uncommitted consumer returns them."""
    return modern.read_back(broker.bootstrap, topic.name, 0, first=confluent_kafka.OFFSET_BEGINNING)


def targets(records: Records) -> list[int]:
    """The timestamps to ask for: every record's, the one before, the one after."""
    return sorted({record["timestamp"] + by for record in records for by in (-1, 0, 1)} or {0, BASE_TIMESTAMP_MS})


def keep(broker: TieredBroker, target: Path) -> None:
    """Copy the partitions of the topics, the root's own files, the cache of remote indexes, and the remote storage."""
    data = target / "data"
    data.mkdir(parents=True)
    for path in sorted(broker.data.iterdir()):
        if path.is_file() and path.name != ".lock":
            shutil.copy2(path, data / path.name)
    for name in [*(topic.folder for topic in TOPICS), "remote-log-index-cache"]:
        if (broker.data / name).exists():
            shutil.copytree(broker.data / name, data / name)
    for path in sorted(broker.remote.iterdir()):
        if any(path.iterdir()):  # Git keeps no empty folder
            shutil.copytree(path, target / "remote" / path.name)


def say(
    version: str, broker: TieredBroker, target: Path, held: Mapping[str, Records], told: Told, is_killed: bool
) -> None:
    """Hold what was told against that version's own dump tool, and write the sidecars with their oracles."""
    texts = dump_texts(version, target)
    client = f"confluent-kafka {confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})"
    config = {
        key: value
        for key, value in broker.config.items()
        if not UNSAID_CONFIG.search(key) and str(broker.directory) not in value and str(jars.judges_dir()) not in value
    }
    said = {
        "written_by": {"broker": "Apache Kafka", "version": version, "jdk": java_version()},
        "client": client,
        "command": f"python samples/tiered.py {version}",
        "broker_config": config,
        "stopped": "kill -9" if is_killed else "clean",
    }
    common = [target / "data", target / "data" / "remote-log-index-cache"]
    write_json(target / "root.json", said | {"sha256": digests(common, target)})
    for topic in TOPICS:
        name, records = topic.folder, held[topic.name]
        remote = next((path.name for path in (target / "remote").glob(f"{name}-*")), None)
        folders = [f"data/{name}"] + ([] if remote is None else [f"remote/{remote}"])
        logs = {file: text for file, text in texts.items() if file.rpartition("/")[0] in folders}
        hold(version, topic, records, told, logs)
        write_oracles(target / name, records, told.times[topic.name], b"".join(logs.values()))
        committed = {row.offset for row in told.committed[topic.name]}
        sidecar = {
            "sample": "/".join((version, target.name, name)),
            "kinds": list(topic.kinds),
            **said,
            "fed": " ".join((topic.feed.__doc__ or "").split()),
            "deleted": topic.deleted,
            "topic_config": topic.topic_config,
            "magic": 2,
            "writer_profile": profile(version_tuple(version)),
            "index_interval_bytes": int(topic.topic_config.get("index.interval.bytes", "4096")),
            "remote": remote,
            "records": {
                "file": f"{name}.records.jsonl.gz",
                "read_by": f"{client} from the log's start, read_uncommitted, before the broker ended; the consumer of "
                f"{version} got the same",
                "count": len(records),
            },
            "not_committed": {
                "read_by": f"the consumer of {version}, read_committed, which did not get these offsets",
                "offsets": [record["offset"] for record in records if record["offset"] not in committed],
            },
            "times": {
                "file": f"{name}.times.jsonl.gz",
                "asked_by": f"offsetsForTimes of {version}, before the broker ended; target, offset, timestamp, leader "
                "epoch, -1 where there is none",
                "count": len(told.times[topic.name]),
            },
            "named": {
                name: dict(zip(("offset", "timestamp", "leader_epoch"), told.named[topic.name][spec], strict=True))
                for name, spec in NAMES.items()
            },
            "dump": {
                "file": f"{name}.dump.txt.gz",
                "tool": f"DumpLogSegments of {version} --deep-iteration --print-data-log, each .log in order, remote "
                "ones under the name BASE.log, since the tool dies on others",
                "files": list(logs),
            },
            "sha256": digests([target / folder for folder in folders], target),
        }
        write_json(target / f"{name}.json", sidecar)


def dump_texts(version: str, target: Path) -> dict[str, bytes]:
    """What that version's dump tool says of each `.log`, by its path below ``target``, local ones first."""
    logs = [*sorted((target / "data").rglob("*.log")), *sorted((target / "remote").rglob("*.log"))]
    names = {log: log.relative_to(target).with_name(f"{log.name[:20]}.log") for log in logs}
    # The tool takes a file's name apart, and may create an index that is missing.
    with tempfile.TemporaryDirectory(prefix="kformat-dump-") as work:
        for log, name in names.items():
            copy = Path(work) / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if copy.exists():
                raise RuntimeError(f"{log}: two remote segments have the same base offset")
            shutil.copyfile(log, copy)
        options = ["--deep-iteration", "--print-data-log", "--files"]
        runs = dump_many(version, [[*options, str(name)] for name in names.values()], cwd=Path(work))
    for run in runs:
        if run.status != 0:
            raise RuntimeError(f"{version}'s dump tool died on {run.arguments[-1]}: {run.stderr[-500:]!r}")
    return {str(log.relative_to(target)): run.stdout for log, run in zip(logs, runs, strict=True)}


def hold(version: str, topic: Tiered, records: Records, told: Told, logs: Mapping[str, bytes]) -> None:
    """RuntimeError where the two consumers, the dump tool and what the topic is meant to be do not agree."""
    rows = [(r["offset"], r["timestamp"], r["key"], r["value"], tuple(map(tuple, r["headers"]))) for r in records]
    named = told.named[topic.name]
    dumped = {offset for text in logs.values() for offset in dumped_offsets(text, version_tuple(version))}
    count_local = sum(file.startswith("data/") for file in logs)
    start, local_start = named["earliest"][0], named["earliestLocal"][0]
    claims = {
        "the consumers read the same": rows == [tuple(row) for row in told.uncommitted[topic.name]],
        "read_committed gives a part of it": set(told.committed[topic.name]) <= set(told.uncommitted[topic.name]),
        "the dump tool finds the same offsets": [row[0] for row in rows] == sorted(o for o in dumped if o >= start),
        "enough local segments": count_local >= topic.local,
        "enough remote segments": len(logs) - count_local >= topic.remote,
        "the start is where it was moved": start == 0 if not topic.deleted else start > 0,
        "some of it is remote only": (start < local_start) == (topic.remote > 0),
    }
    if untrue := [claim for claim, is_true in claims.items() if not is_true]:
        raise RuntimeError(f"{version}/{topic.folder}: not so: {', '.join(untrue)}")


def write_oracles(stem: Path, records: Records, times: Mapping[int, Sequence[int]], texts: bytes) -> None:
    """Write the records, the answers to lookups by time, and the dump tool's text."""
    answers = "".join(json.dumps([target, *answer]) + "\n" for target, answer in sorted(times.items()))
    for end, data in (("records.jsonl", record_lines(records)), ("times.jsonl", answers.encode()), ("dump.txt", texts)):
        stem.with_name(f"{stem.name}.{end}.gz").write_bytes(compressed(data))


def digests(folders: Sequence[Path], target: Path) -> dict[str, dict[str, str]]:
    """The sha256 of each file of some folders, by the folder's path below ``target`` and its name."""
    return {
        str(folder.relative_to(target)): {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.iterdir())
            if path.is_file()
        }
        for folder in folders
    }


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a sidecar as the other samples' are."""
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Record the versions asked for, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION", default=list(VERSIONS))
    for version in parser.parse_args(arguments).versions:
        jars.fetch(version)
        jars.fetch(judge(version))
        for copy in COPIES:
            begun = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="kformat-tiered-") as work:
                target = Path(work) / copy
                record(version, copy == "killed", target, Path(work) / "broker")
                kept = SAMPLES / "tiered" / version / copy
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(target, kept)
            files = [path for path in kept.rglob("*") if path.is_file()]
            size, took = sum(path.stat().st_size for path in files), time.monotonic() - begun
            print(f"samples/tiered/{version}/{copy}: {len(files)} files, {size:,} bytes, {took:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
