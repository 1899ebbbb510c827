"""Record `samples/internal/<version>/` again: a broker's own topics, and what the broker said of them.

    python samples/internal.py [VERSION...]

A broker lives through a script: topics, groups of all kinds, transactions in all states, ACLs, quotas, users. After
each line of it everything is at rest, and the admin client is asked for all that it says; then the broker is stopped
while members are still in their groups. What is kept, and what `state.json` says, README.md beside this file tells.
Each root is made in a temporary directory and then put in the place of the old one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).resolve().parent
sys.path.insert(0, str(SAMPLES.parent))

import confluent_kafka  # noqa: E402
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # noqa: E402

from kformat.dump.decoders import LIKE  # noqa: E402
from samples.older import Older  # noqa: E402
from samples.topics import TIMEOUT_S, Feed  # noqa: E402
from samples.writer import UNSAID_CONFIG, compressed, cut_preallocated, java_version  # noqa: E402
from tests.judges import Broker, jars, releases  # noqa: E402
from tests.judges.java_tools import dump_many  # noqa: E402
from tests.judges.releases import version_tuple  # noqa: E402
from tests.judges.tiered import TieredBroker, judge  # noqa: E402
from tests.kafka.state.living import CONFIG, Living  # noqa: E402

INTERNAL = SAMPLES / "internal"
VERSIONS = releases.INTERNAL
SEED = 1
BROKER_CONFIG = CONFIG | {
    "log.cleaner.enable": "false",
    "log.index.size.max.bytes": "2000",
    "metadata.max.idle.interval.ms": "60000",
    # Small enough that the controller writes a snapshot of its log.
    "metadata.log.max.record.bytes.between.snapshots": "8000",
    "rlmm.config.remote.log.metadata.topic.num.partitions": "1",
}
SCRIPT = (
    "createTopic createTopic produce produce commitByAdmin commitByAdmin joinClassic joinClassic joinConsumer"
    " joinByExpression share acknowledge streams streams streamsWithEndpoint streamsOfNoTopic",
    "commit abort begin commitInTransaction acl acl quota quota scram alterConfig alterConfig addPartitions produce",
    "leave leaveShare leaveStreams deleteOffsets deleteTopic joinClassic joinConsumer share streams commit acl scram",
)
"""What LiveState does, line by line."""
OLDER_SCRIPT = (
    "create produce commitByAdmin joinClassic joinClassic",
    "commit abort begin commitInTransaction produce addPartitions alterConfig",
    "leaveClassic deleteGroup deleteTopic commit",
)
"""What samples/older.py does with a broker before 4.0."""
OLDER_CONFIG = {"group.coordinator.rebalance.protocols": "classic,consumer"}
TIERED, DELETED = "tiered", "tiered-deleted"
OLDER_CLIENT = f"confluent-kafka {confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})"
TIERED_CONFIG = {
    "remote.storage.enable": "true",
    "segment.index.bytes": "120",
    "index.interval.bytes": "64",
    "local.retention.bytes": "1000",
}
TIERING_TIMEOUT_S = 90
DECODERS = {
    "__consumer_offsets": "offsets",
    "__transaction_state": "transaction-log",
    "__share_group_state": "share-group-state",
    "__cluster_metadata": "cluster-metadata",
    "__remote_log_metadata": "remote-log-metadata",
}
"""Of the dump tool, by topic."""


def is_tiered(version: str) -> bool:
    """Whether its broker tiers topics, too."""
    return version in releases.TIERED and version_tuple(version) >= (4,)


def script(version: str) -> Sequence[str]:
    """What happens, line by line."""
    numbers = version_tuple(version)
    if numbers >= (4,):
        return SCRIPT
    if numbers < (3,):
        return OLDER_SCRIPT
    first, second, third = OLDER_SCRIPT
    return f"{first} joinConsumer joinConsumer", f"{second} acl scram", f"{third} leaveConsumer"


def config(version: str) -> dict[str, str]:
    """What its broker is configured with."""
    numbers = version_tuple(version)
    if numbers < (3,):
        return {name: value for name, value in BROKER_CONFIG.items() if name.startswith("log.")}
    return BROKER_CONFIG | (OLDER_CONFIG if numbers < (4,) else {})


def tier(broker: TieredBroker) -> None:
    """Feed two topics until each has remote segments, and delete one of them."""
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    new = [NewTopic(name, 1, 1, config=TIERED_CONFIG) for name in (TIERED, DELETED)]
    for created in admin.create_topics(new).values():
        created.result(TIMEOUT_S)
    for topic in (TIERED, DELETED):
        feed = Feed(broker.bootstrap, version_tuple(broker.version), topic)
        producer = feed.producer()
        for number in range(30):
            feed.batch(producer, feed.messages(2, number * 2))
    wait_until(lambda: all(broker.remote_segments().get(f"{name}-0") for name in (TIERED, DELETED)))
    for deleted in admin.delete_topics([DELETED]).values():
        deleted.result(TIMEOUT_S)
    wait_until(lambda: not broker.remote_segments().get(f"{DELETED}-0"))


def wait_until(is_so: Any) -> None:
    """Wait for something that tiering does; TimeoutError where it does not."""
    deadline = time.monotonic() + TIERING_TIMEOUT_S
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"tiering did not come to rest within {TIERING_TIMEOUT_S} s")
        time.sleep(0.2)


def record(version: str, target: Path, work: Path) -> None:
    """Record one root: ``target`` gets data/, the dump tool's texts and state.json."""
    is_older = version_tuple(version) < (4,)
    broker = (TieredBroker if is_tiered(version) else Broker)(version, work, config(version))
    moments = []
    with broker:
        if isinstance(broker, TieredBroker):
            tier(broker)
        with Older(broker) if is_older else Living(broker, SEED) as living:
            for line in script(version):
                said = living.step(line)
                said.pop("done", None)
                moments.append({"after": line, "time_ms": time.time_ns() // 1_000_000, "said": said})
            broker.stop()
    keep(broker, target)
    dumps = write_dumps(version, target)
    state = {
        "written_by": {"broker": "Apache Kafka", "version": version, "jdk": java_version()},
        "client": OLDER_CLIENT if is_older else f"Kafka {version}'s own clients (tests/judges/java/LiveState.java)",
        "command": f"python samples/internal.py {version}",
        "broker_config": {
            key: value
            for key, value in broker.config.items()
            if not UNSAID_CONFIG.search(key) and str(work) not in value and str(jars.judges_dir()) not in value
        },
        "stopped": "clean, while members were in their groups",
        "moments": moments,
        "dumps": dumps,
        "sha256": {
            str(path.relative_to(target)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted((target / "data").rglob("*"))
            if path.is_file()
        },
    }
    text = json.dumps(state, indent=1, ensure_ascii=False, sort_keys=False)
    (target / "state.json").write_text(text + "\n", encoding="utf-8")


def keep(broker: Broker, target: Path) -> None:
    """Copy the root: its files and the folders of its partitions."""
    data = target / "data"
    data.mkdir(parents=True)
    for path in sorted(broker.data.iterdir()):
        if path.is_file() and path.name != ".lock":
            shutil.copy2(path, data / path.name)
        elif path.is_dir() and any(path.glob("*.log")) and not path.name.endswith("-delete"):
            shutil.copytree(path, data / path.name)
            cut_preallocated(data / path.name)


def write_dumps(version: str, target: Path) -> dict[str, Mapping[str, Any]]:
    """Write what that version's dump tool, with its decoder, prints of each partition of the broker's own topics; by
    partition, what to ask `kformat dump` for the same."""
    found: dict[str, Mapping[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="kformat-dump-") as work:
        copy = Path(work) / "data"  # the tool may create an index that is missing
        shutil.copytree(target / "data", copy)
        asked: dict[str, list[list[str]]] = {}
        for folder in sorted(path for path in copy.iterdir() if path.name.rpartition("-")[0] in DECODERS):
            options = [f"--{DECODERS[folder.name.rpartition('-')[0]]}-decoder"]
            files = sorted(
                path.relative_to(copy) for path in folder.iterdir() if path.suffix in (".log", ".checkpoint")
            )
            asked[folder.name] = [[*options, "--files", str(file)] for file in files]
        runs = iter(dump_many(version, [one for many in asked.values() for one in many], cwd=copy))
    for name, many in asked.items():
        texts = [next(runs) for _ in many]
        for run in texts:
            if run.status != 0:
                raise RuntimeError(f"{version}'s dump tool died on {run.arguments[-1]}: {run.stderr[-500:]!r}")
        text = b"".join(run.stdout for run in texts)
        if text.strip():
            (target / f"{name}.dump.txt.gz").write_bytes(compressed(text))
            options = [*many[0][:-2], *(["--like", version] if version in LIKE else [])]
            found[name] = {"file": f"{name}.dump.txt.gz", "options": options, "files": [one[-1] for one in many]}
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Record the versions asked for, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION", default=list(VERSIONS))
    for version in parser.parse_args(arguments).versions:
        begun = time.monotonic()
        jars.fetch(version)
        if is_tiered(version):
            jars.fetch(judge(version))
        with tempfile.TemporaryDirectory(prefix="kformat-internal-") as work:
            target = Path(work) / "samples"
            (Path(work) / "broker").mkdir()
            record(version, target, Path(work) / "broker")
            shutil.rmtree(INTERNAL / version, ignore_errors=True)
            shutil.copytree(target, INTERNAL / version)
        files = [path for path in (INTERNAL / version).rglob("*") if path.is_file()]
        size, took = sum(path.stat().st_size for path in files), time.monotonic() - begun
        print(f"samples/internal/{version}: {len(files)} files, {size:,} bytes, {took:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
