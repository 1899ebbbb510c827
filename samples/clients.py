"""Record what other clients than librdkafka send; this program alone writes `samples/4.3.1-clients/`.

    python samples/clients.py [--work DIRECTORY]

Brokers store a producer's batch as it came, so each client's choices end on disk: the producer fields of a batch
without a producer id, and how its compressor frames the records. Needs what make.py needs, and Go, Node 22.15 or newer
with npm and a C++ compiler, and Cargo for the programs in `producers/`. It takes about seven minutes, most of them for
building; with --work what is built stays in that directory for the next run.

A program in `producers/` reads one request from standard input, as JSON:

    bootstrap   host:port of the broker
    client      which of its clients to use
    runs        what one producer each sends to one partition: topic, partition, codec, variant (of the codec, or ""),
                idempotent, and batches, which are lists of records: key, value (base64 or null), timestamp_ms, headers
                (each with name and value)
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import confluent_kafka

SAMPLES = Path(__file__).resolve().parent
sys.path.insert(0, str(SAMPLES.parent))

from samples.topics import BASE_TIMESTAMP_MS, CODECS, Feed, Message, Topic, create, feed_nothing, read_back  # noqa: E402
from samples.writer import Writer, base64_or_null  # noqa: E402
from tests.judges import jars  # noqa: E402
from tests.judges.broker import Broker  # noqa: E402
from tests.judges.releases import version_tuple  # noqa: E402

VERSION = "4.3.1"
ROOT = f"{VERSION}-clients"
PRODUCERS = SAMPLES / "producers"
BUILD_TIMEOUT_S = 900
FEED_TIMEOUT_S = 120
PLAIN, IDEMPOTENT = 0, 1


@dataclass(frozen=True)
class Program:
    """A program in `producers/`: how it is built, how it is run, which file names its clients' versions."""

    language: str
    build: Sequence[str]
    run: Sequence[str]
    manifest: str
    runtime: Sequence[str]


GO = Program("go", ("go", "build", "-o", "produce", "."), ("./produce",), "go.mod", ("go", "version"))
NODE = Program("node", ("npm", "install", "--no-package-lock", "--no-audit", "--no-fund"), ("node", "produce.mjs"),
               "package.json", ("node", "-p", "`node ${process.versions.node}`"))  # fmt: skip
RUST = Program("rust", ("cargo", "build"), ("target/debug/producers",), "Cargo.toml", ("cargo", "--version"))


@dataclass(frozen=True)
class Client:
    """One client: `fields` are producer id, epoch and base sequence of its batches without a producer id."""

    name: str
    package: str
    program: Program
    fields: str
    is_idempotent: bool
    """Whether it can be; the topic then has a second partition for that."""
    topic: str = ""
    variants: Sequence[tuple[str, str]] = ()
    """Codecs in other settings, on top of each codec in its own."""
    has_null_headers: bool = True

    @property
    def topic_name(self) -> str:
        return self.topic or self.name


CLIENTS = (
    Client("franz-go", "github.com/twmb/franz-go", GO, "-1/-1/0", is_idempotent=True),
    Client("sarama", "github.com/IBM/sarama", GO, "-1/-1/0", is_idempotent=True),
    Client("kafka-go", "github.com/segmentio/kafka-go", GO, "-1/-1/-1", is_idempotent=False,
           variants=(("snappy", "unframed"), ("snappy", "better"))),
    Client("kafkajs", "kafkajs", NODE, "-1/0/0", is_idempotent=True, has_null_headers=False),
    Client("@platformatic/kafka", "@platformatic/kafka", NODE, "-1/0/0", is_idempotent=True,
           topic="platformatic-kafka"),
    Client("rskafka", "rskafka", RUST, "-1/-1/-1", is_idempotent=False, has_null_headers=False),
)  # fmt: skip


def build(program: Program, work: Path) -> Path:
    """The directory in which the program is built."""
    directory = work / program.language
    shutil.copytree(PRODUCERS / program.language, directory, dirs_exist_ok=True)
    subprocess.run(program.build, cwd=directory, check=True, timeout=BUILD_TIMEOUT_S, stdout=sys.stderr)
    return directory


def described(client: Client) -> str:
    """The client with its version, as its manifest pins it, and what ran it."""
    manifest = (PRODUCERS / client.program.language / client.program.manifest).read_text(encoding="utf-8")
    version = re.search(rf"{re.escape(client.package)}\W+v?([0-9.]+)", manifest)
    if version is None:
        raise RuntimeError(f"{client.program.manifest} does not name {client.package}")
    runtime = subprocess.run(client.program.runtime, check=True, capture_output=True, text=True).stdout.split("(")[0]
    return f"{client.name} {version[1]} ({runtime.removeprefix('go version ').strip()})"


def edge_cases(has_null_headers: bool) -> list[Message]:
    """Null and empty keys and values, and headers of every kind that the client can send."""
    stamp = BASE_TIMESTAMP_MS + 1000
    headers = (
        (),
        (("a", b"1"),),
        (("a", b"1"), ("a", b"2"), ("b", b"")),
        (("größe", bytes(range(256))), ("键", "值".encode())),
        (("null", None if has_null_headers else b""), ("z", b"")),
    )
    kinds = ((None, None), (b"", b""), (b"k", b"v"), (None, b""), (b"", None))
    return [Message(key, value, stamp + number, headers[number]) for number, (key, value) in enumerate(kinds)]


def batches(feed: Feed, client: Client, codec: str, partition: int) -> list[list[Message]]:
    """One record; the edge cases; a dozen records out of order; if compressed, a value of several blocks."""
    first = [Message(b"only", b"one", BASE_TIMESTAMP_MS)]
    found = [first, edge_cases(client.has_null_headers), feed.messages(12, 0, jitter_ms=15)]
    if codec != "none" and partition == PLAIN:
        long = Message(b"long", feed.text(100) * 700, BASE_TIMESTAMP_MS + 5000)
        found.append([long, *feed.messages(3, 600)])
    return found


def as_json(message: Message) -> dict[str, Any]:
    headers = [{"name": name, "value": base64_or_null(value)} for name, value in message.headers]
    key, value = base64_or_null(message.key), base64_or_null(message.value)
    return {"key": key, "value": value, "timestamp_ms": message.timestamp_ms, "headers": headers}


def request(bootstrap: str, client: Client) -> dict[str, Any]:
    """What the client's program is asked."""
    feed = Feed(bootstrap, version_tuple(VERSION), client.topic_name)
    codecs = [(codec, "") for codec in ("none", *CODECS)]
    wanted = [(PLAIN, *codec) for codec in (*codecs, *client.variants)]
    if client.is_idempotent:
        wanted += [(IDEMPOTENT, *codec) for codec in codecs]
    runs = [
        {
            "topic": client.topic_name,
            "partition": partition,
            "codec": codec,
            "variant": variant,
            "idempotent": partition == IDEMPOTENT,
            "batches": [[as_json(message) for message in batch] for batch in batches(feed, client, codec, partition)],
        }
        for partition, codec, variant in wanted
    ]
    return {"bootstrap": bootstrap, "client": client.name, "runs": runs}


def topic_of(client: Client) -> Topic:
    return Topic(client.topic_name, (), feed_nothing, {"index.interval.bytes": "512"}, 1 + client.is_idempotent)


def kinds(client: Client, partition: int) -> tuple[str, ...]:
    """What a partition is a sample of."""
    producer = "idempotent producer" if partition == IDEMPOTENT else f"no producer id: {client.fields}"
    return "codecs in turn", "headers", "null and empty keys and values", producer


def record(target: Path, work: Path, built: Path) -> None:
    """Let every client write, read it back, and copy what the stopped broker leaves."""
    directories = {client.program: build(client.program, built) for client in CLIENTS}
    topics = {client: topic_of(client) for client in CLIENTS}
    writer = Writer(VERSION, target, root=ROOT, command="python samples/clients.py")
    with Broker(VERSION, work / "broker") as broker:
        create(broker.bootstrap, version_tuple(VERSION), list(topics.values()))
        for client in CLIENTS:
            asked = json.dumps(request(broker.bootstrap, client)).encode()
            directory = directories[client.program]
            subprocess.run(client.program.run, cwd=directory, input=asked, check=True, timeout=FEED_TIMEOUT_S)
        records = {
            f"{topic.name}-{partition}": read_back(broker.bootstrap, topic.name, partition)
            for topic in topics.values()
            for partition in range(topic.partitions)
        }
    reader = f"confluent-kafka {confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})"
    for client, topic in topics.items():
        settings = ", ".join(f"{codec} {variant}" for codec, variant in client.variants)
        fed = f"none, {', '.join(CODECS)}{', ' + settings if settings else ''}: a producer each, three or four batches"
        for partition in range(topic.partitions):
            name = f"{topic.name}-{partition}"
            writer.partition(
                name, broker, kinds=kinds(client, partition), fed=fed, topic_config=topic.config, stopped="clean",
                reopened=False, compacted=False, client=described(client), records=records[name],
                records_from=f"{reader}, read_uncommitted, before the broker ended",
            )  # fmt: skip
    writer.root_files(broker.data)
    writer.finish()


def main(arguments: Sequence[str] | None = None) -> int:
    """Record the samples and put them in the place of the old ones."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", metavar="DIRECTORY", type=Path, help="build the programs here and keep them")
    built: Path | None = parser.parse_args(arguments).work
    jars.fetch(VERSION)
    with tempfile.TemporaryDirectory(prefix="kformat-clients-") as work:
        target = Path(work) / "samples"
        target.mkdir()
        record(target, Path(work), built or Path(work) / "built")
        shutil.rmtree(SAMPLES / ROOT, ignore_errors=True)
        shutil.copytree(target, SAMPLES / ROOT)
    files = [path for path in (SAMPLES / ROOT).rglob("*") if path.is_file()]
    print(f"samples/{ROOT}: {len(files)} files, {sum(path.stat().st_size for path in files):,} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
