"""Make the samples anew with real brokers; this program alone writes `samples/<version>/`.

    python samples/make.py [VERSION...]

Each version is made in a temporary directory and then put in the place of the old one, so that a failure leaves the
old one. Needs a JDK and Maven (the brokers' jars are fetched into `.judges/`), and confluent-kafka; brokers before
1.0 are fed by kafka-python 2.0.2 in an environment of its own, because nothing newer speaks to them.
What the samples are and what a sidecar says is told in README.md beside this file.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent
ROOT = SAMPLES.parent
sys.path[:0] = [str(ROOT), str(SAMPLES)]

import legacy  # noqa: E402
import topics as modern  # noqa: E402

from tests.judges import fetch  # noqa: E402
from tests.judges.broker import Broker, version_tuple  # noqa: E402
from tests.judges.java_tools import dump_many  # noqa: E402

CLEANER_TIMEOUT_S = 90
QUIET_S = 3.0
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
Records = list[dict[str, object]]

# Where a broker listens and keeps its files differs from run to run and says nothing about the samples.
UNSAID_CONFIG = re.compile(r"listener|advertised|zookeeper|quorum|log\.dirs|^port$|^host\.name$")


def profile(version: tuple[int, ...]) -> str:
    """The writer profile of that version's indexes: which offset an entry holds, and how many an append gives."""
    if version < (2,):
        return "first-offset"
    if version < (3, 8):
        return "last-offset"
    return "batch-time" if version < (3, 9, 1) else "per-batch"


def magic(version: tuple[int, ...]) -> int:
    """The magic that goes with a message format version."""
    return 2 if version >= (0, 11) else 1 if version >= (0, 10) else 0


def java_version() -> str:
    """The JDK that ran the broker, as it names itself."""
    lines = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr.splitlines()
    return lines[1] if len(lines) > 1 else lines[0]


def partition_directories(data: Path) -> list[str]:
    """Names of the partition folders below a log dir root that hold anything."""
    return sorted(
        path.name
        for path in data.iterdir()
        if path.is_dir()
        and not (path.name.startswith("__") and not any(log.stat().st_size for log in path.glob("*.log")))
    )


def wait_for_cleaner(data: Path, topics: Sequence[str]) -> None:
    """Wait until the cleaner has been through the topics and then left all files alone for a while."""
    checkpoint = data / "cleaner-offset-checkpoint"
    deadline = time.monotonic() + CLEANER_TIMEOUT_S
    seen: object = None
    quiet_since = time.monotonic()
    while time.monotonic() < deadline:
        state = [
            (str(path), path.stat().st_size, path.stat().st_mtime_ns)
            for topic in topics
            for path in sorted(data.glob(f"{topic}-*/*"))
            if path.exists()
        ]
        cleaned = checkpoint.exists() and all(f"{topic} " in checkpoint.read_text("utf-8") for topic in topics)
        if not cleaned or state != seen:
            seen, quiet_since = state, time.monotonic()
        elif time.monotonic() - quiet_since > QUIET_S:
            return
        time.sleep(0.2)
    raise TimeoutError(f"the cleaner did not finish with {', '.join(topics)}")


def base64_or_null(data: object) -> str | None:
    """Bytes as base64 text; None stays null, so that it differs from empty."""
    return None if data is None else base64.b64encode(bytes(data)).decode()  # type: ignore[call-overload]


def record_lines(records: Iterable[Mapping[str, object]]) -> bytes:
    """Records as JSON lines."""
    lines = []
    for record in records:
        headers = [[name, base64_or_null(value)] for name, value in record["headers"]]  # type: ignore[attr-defined]
        plain = {"key": base64_or_null(record["key"]), "value": base64_or_null(record["value"]), "headers": headers}
        lines.append(json.dumps({**record, **plain}, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def compressed(data: bytes) -> bytes:
    """gzip without a time, so that the same data gives the same bytes."""
    return gzip.compress(data, mtime=0)


class Writer:
    """Puts partitions with their sidecars, and root files, into the directory of one version."""

    def __init__(self, version: str, target: Path):
        self.version = version
        self.target = target
        self.jdk = java_version()
        self.sidecars: dict[str, dict[str, object]] = {}
        self.records: dict[str, Records] = {}

    def partition(self, name: str, broker: Broker, *, kinds: Sequence[str], fed: str, topic_config: Mapping[str, str],
                  stopped: str, reopened: bool, compacted: bool, client: str,
                  records: Records | None, records_from: str) -> None:  # fmt: skip
        """Copy one partition folder of a stopped broker and prepare its sidecar."""
        shutil.copytree(broker.data / name, self.target / name)
        version = version_tuple(self.version)
        sidecar: dict[str, object] = {
            "sample": f"{self.version}/{name}",
            "kinds": list(kinds),
            "written_by": {"broker": "Apache Kafka", "version": self.version, "jdk": self.jdk},
            "client": client,
            "command": f"python samples/make.py {self.version}",
            "fed": fed,
            "topic_config": dict(topic_config),
            "broker_config": {key: value for key, value in broker.config.items() if not UNSAID_CONFIG.search(key)},
            "magic": magic(version_tuple(topic_config.get("message.format.version", self.version))),
            "writer_profile": profile(version),
            "index_interval_bytes": int(topic_config.get("index.interval.bytes", "4096")),
            "stopped": stopped,
            "reopened": reopened,
            "compacted": compacted,
        }
        if records is not None:
            self.records[name] = records
            file = f"{name}.records.jsonl.gz"
            (self.target / file).write_bytes(compressed(record_lines(records)))
            sidecar["records"] = {"file": file, "count": len(records), "read_by": records_from}
        self.sidecars[name] = sidecar

    def root_files(self, data: Path) -> None:
        """Copy what lies in the log dir root itself."""
        for path in sorted(data.iterdir()):
            if path.is_file() and path.name != ".lock":
                shutil.copy2(path, self.target / path.name)

    def finish(self) -> None:
        """Ask that version's own dump tool about every log, hold the records against it, write the sidecars."""
        names = sorted(self.sidecars)
        # The tool may create an index that is missing, so it is shown a copy.
        with tempfile.TemporaryDirectory(prefix="kformat-dump-") as work:
            copy = Path(work) / "samples"
            shutil.copytree(self.target, copy)
            logs = {name: [f"{name}/{path.name}" for path in sorted((copy / name).glob("*.log"))] for name in names}
            files = [file for name in names for file in logs[name]]
            options = ["--deep-iteration", "--print-data-log", "--files"]
            runs = dump_many(self.version, [[*options, file] for file in files], cwd=copy)
        texts = {run.arguments[-1]: run for run in runs}
        for name in names:
            for file in logs[name]:
                if texts[file].status != 0:
                    raise RuntimeError(f"{self.version}'s dump tool died on {file}: {texts[file].stderr[-500:]!r}")
            self._finish_one(name, b"".join(texts[file].stdout for file in logs[name]))

    def _finish_one(self, name: str, text: bytes) -> None:
        sidecar = self.sidecars[name]
        control = [line for line in text.split(b"\n") if re.search(rb"endTxnMarker: |controlType: ", line)]
        if name in self.records:
            returned = [record["offset"] for record in self.records[name]]
            dumped = dumped_offsets(text, version_tuple(self.version))
            if returned != dumped:
                raise RuntimeError(
                    f"{self.version}/{name}: the consumer saw {len(returned)} records, the tool {len(dumped)}"
                )
            sidecar["control_records"] = {
                "note": "a consumer never returns these; lines of this version's own dump tool",
                "lines": [line.decode() for line in control],
            }
        if name not in self.records:
            file = f"{name}.dump.txt.gz"
            (self.target / file).write_bytes(compressed(text))
            sidecar["dump"] = {
                "file": file,
                "tool": f"DumpLogSegments of {self.version} --deep-iteration --print-data-log, each .log in order",
            }
        sidecar["files"] = {
            path.name: {"size": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
            for path in sorted((self.target / name).iterdir())
        }
        text_of = json.dumps(sidecar, indent=1, ensure_ascii=False)
        (self.target / f"{name}.json").write_text(text_of + "\n", encoding="utf-8")


def dumped_offsets(text: bytes, version: tuple[int, ...]) -> list[int]:
    """The offsets of the data records in a deep dump of that version's tool."""
    begins = rb"^\| offset: (\d+) (.*)$" if version >= (2, 2) else rb"^offset: (\d+) position: \d+ (.*)$"
    lines = re.findall(begins, text, re.MULTILINE)
    return [int(offset) for offset, rest in lines if b"endTxnMarker: " not in rest and b"controlType: " not in rest]


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
    fetch.fetch(version)
    with tempfile.TemporaryDirectory(prefix="kformat-samples-") as work:
        target = Path(work) / "samples"
        target.mkdir()
        if version_tuple(version) >= (1,):
            make_modern(version, target, Path(work))
        else:
            legacy.make(version, target, Path(work), Writer(version, target), BROKER_CONFIG)
        shutil.rmtree(SAMPLES / version, ignore_errors=True)
        shutil.copytree(target, SAMPLES / version)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the samples of the versions asked for, or of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION", default=list(fetch.SAMPLES))
    for version in parser.parse_args(arguments).versions:
        begun = time.monotonic()
        make(version)
        files = [path for path in (SAMPLES / version).rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(f"samples/{version}: {len(files)} files, {size:,} bytes, {time.monotonic() - begun:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
