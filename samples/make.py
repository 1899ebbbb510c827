"""Make the samples anew with real brokers; this program alone writes `samples/<version>/`.

    python samples/make.py [VERSION...]

Each version is made in a temporary directory and then put in the place of the old one, so that a failure leaves the
old one. Needs a JDK and Maven (the brokers' jars are fetched into `.judges/`), and confluent-kafka; brokers before
1.0 are fed by kafka-python 2.0.2 in an environment of its own, because nothing newer speaks to them.
What the samples are and what a sidecar says is told in README.md beside this file.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent
sys.path.insert(0, str(SAMPLES.parent))

from samples import legacy  # noqa: E402
from samples import topics as modern  # noqa: E402
from samples.writer import Records, Writer, wait_for_cleaner  # noqa: E402
from tests.judges import jars, releases  # noqa: E402
from tests.judges.broker import Broker  # noqa: E402
from tests.judges.releases import version_tuple  # noqa: E402

INTERNAL_TOPICS = ("__consumer_offsets", "__transaction_state", "__cluster_metadata")
BROKER_CONFIG = {
    "log.cleaner.backoff.ms": "300",
    "log.cleaner.dedupe.buffer.size": "10485760",
    "log.segment.delete.delay.ms": "1000",
    "log.index.interval.bytes": "4096",
    "metadata.max.idle.interval.ms": "5000",
    # Small enough that the controller writes a snapshot of its log.
    "metadata.log.max.record.bytes.between.snapshots": "5000",
}


def partition_directories(data: Path) -> list[str]:
    """Names of the partition folders below a log dir root that hold anything."""
    return sorted(
        path.name
        for path in data.iterdir()
        if path.is_dir()
        and not (path.name.startswith("__") and not any(log.stat().st_size for log in path.glob("*.log")))
    )


def copy_modern(
    writer: Writer, broker: Broker, topics: Sequence[modern.Topic], records: Mapping[str, Records], stopped: str
) -> None:
    """Copy the partitions of the topics of 1.1.1 and newer."""
    import confluent_kafka

    client = f"confluent-kafka {confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})"
    version = version_tuple(writer.version)
    for topic in topics:
        for number in range(topic.partitions):
            name = f"{topic.name}-{number}"
            writer.partition(
                name, broker, kinds=topic.kinds, fed=" ".join((topic.feed.__doc__ or "").split()),
                topic_config=topic.config_for(version), stopped=stopped, reopened=topic.when == "recovered",
                compacted=topic.compacted, client=client, records=records[name],
                records_from=f"{client}, read_uncommitted, before the broker ended",
            )  # fmt: skip


def make_modern(version: str, target: Path, work: Path) -> None:
    """The samples of a broker from 1.1.1 on."""
    numbers = version_tuple(version)
    known = [topic for topic in modern.TOPICS if topic.since <= numbers < topic.until]
    writer = Writer(version, target)

    def run(broker: Broker, topics: Sequence[modern.Topic]) -> dict[str, Records]:
        modern.feed(broker.bootstrap, numbers, topics)
        compacted = [topic.name for topic in topics if topic.compacted]
        if compacted:
            wait_for_cleaner(broker.data, compacted)
        return {
            f"{topic.name}-{number}": modern.read_back(broker.bootstrap, topic.name, number)
            for topic in topics
            for number in range(topic.partitions)
        }

    clean = [topic for topic in known if topic.when == "clean"]
    with Broker(version, work / "clean", BROKER_CONFIG) as broker:
        modern.create(broker.bootstrap, numbers, clean)
        records = run(broker, clean)
        modern.commit_groups(broker.bootstrap)
    modern.OPEN.clear()
    copy_modern(writer, broker, clean, records, "clean")
    writer.root_files(broker.data)
    for name in partition_directories(broker.data):
        topic, _, _ = name.rpartition("-")
        if topic in INTERNAL_TOPICS:
            writer.partition(
                name, broker, kinds=(topic,), fed="by the broker itself while the other topics were written and read",
                topic_config={}, stopped="clean", reopened=False, compacted=False, client="none", records=None,
                records_from="",
            )  # fmt: skip

    killed = [topic for topic in known if topic.when == "killed"]
    recovered = [topic for topic in known if topic.when == "recovered"]
    broker = Broker(version, work / "killed", BROKER_CONFIG)
    try:
        broker.start()
        modern.create(broker.bootstrap, numbers, [*killed, *recovered])
        records = run(broker, [*killed, *recovered])
        broker.kill()
        copy_modern(writer, broker, killed, records, "kill -9")
        broker.start()
        records = run(broker, recovered)
        broker.stop()
        copy_modern(writer, broker, recovered, records, "kill -9, then started again, fed the same once more, clean")
    finally:
        broker.kill()
    writer.finish()


def make(version: str) -> None:
    """Make the samples of one version."""
    jars.fetch(version)
    with tempfile.TemporaryDirectory(prefix="kformat-samples-") as work:
        target = Path(work) / "samples"
        target.mkdir()
        if version_tuple(version) >= (1,):
            make_modern(version, target, Path(work))
        else:
            legacy.make(version, target, Path(work), BROKER_CONFIG)
        shutil.rmtree(SAMPLES / version, ignore_errors=True)
        shutil.copytree(target, SAMPLES / version)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the samples of the versions asked for, or of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION", default=list(releases.SAMPLES))
    for version in parser.parse_args(arguments).versions:
        begun = time.monotonic()
        make(version)
        files = [path for path in (SAMPLES / version).rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(f"samples/{version}: {len(files)} files, {size:,} bytes, {time.monotonic() - begun:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
