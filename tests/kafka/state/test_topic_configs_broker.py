"""Settings of topics, of a broker and of all brokers: what a broker indexes, and what verbs rebuild from its disk."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.kafka.state.topic_configs import INTERVAL, read_topic_configs
from tests.draws import newest_by_day
from tests.judges import Broker, releases
from tests.judges.required import require
from tests.kafka.state.test_topic_configs import difference, indexes, run, without_indexes

confluent_kafka: Any = importlib.import_module("confluent_kafka")
admin_client: Any = importlib.import_module("confluent_kafka.admin")

pytestmark = [pytest.mark.judge, pytest.mark.broker]

TIMEOUT_S = 30
TOPICS = {"dense": {INTERVAL: "0"}, "coarse": {INTERVAL: "2000"}, "own": {}}
RECORDS = 400


def alter(running: Broker, whose: list[str], interval_bytes: int) -> None:
    """What confluent-kafka cannot: a setting of all brokers."""
    tool = "kafka.admin.ConfigCommand" if running.version < "4.4" else "org.apache.kafka.tools.ConfigCommand"
    command = [*running.java(), tool, "--bootstrap-server", running.bootstrap, "--alter"]
    command += ["--entity-type", "brokers", *whose, "--add-config", f"log.index.interval.bytes={interval_bytes}"]
    subprocess.run(command, check=True, capture_output=True, timeout=2 * TIMEOUT_S)


def feed(running: Broker) -> None:
    """Appends of one batch each, until segments have rolled."""
    producer = confluent_kafka.Producer({"bootstrap.servers": running.bootstrap, "linger.ms": 0, "log_level": 0})
    for number in range(RECORDS):
        for topic in TOPICS:
            producer.produce(topic, b"value" * (number % 37), str(number).encode(), 0)
        assert producer.flush(TIMEOUT_S) == 0


@pytest.mark.parametrize("version", newest_by_day(*(one for one in releases.LIVE if one >= "3.9")))
def test_indexes_are_those_of_the_broker_and_of_its_recovery(version: str, tmp_path: Path) -> None:
    require(version)
    running = Broker(version, tmp_path / "broker", {"log.segment.bytes": "1048576", "log.roll.ms": "4000"})
    try:
        running.start()
        admin = admin_client.AdminClient({"bootstrap.servers": running.bootstrap, "log_level": 0})
        alter(running, ["--entity-default"], 900)
        alter(running, ["--entity-name", "1"], 300)
        new = [admin_client.NewTopic(topic, 1, 1, config=config) for topic, config in TOPICS.items()]
        for created in admin.create_topics(new).values():
            created.result(TIMEOUT_S)
        feed(running)
        running.stop()
        whole = shutil.copytree(running.data, tmp_path / "whole")
        configs = read_topic_configs(whole, print)
        assert [configs.number(whole / f"{topic}-0", INTERVAL) for topic in TOPICS] == [0, 2000, 300]

        there = indexes(whole)
        counts = [sum(len(there[path]) for path in there if path.startswith(topic)) for topic in TOPICS]
        assert counts[0] > counts[2] > counts[1] > 0
        for verb in (("reindex",), ("log", "recover"), ("salvage", "-o", str(tmp_path / "saved"))):
            root = shutil.copytree(whole, tmp_path / verb[0])
            without_indexes(root)
            run(*verb, root)
            assert not difference(indexes(tmp_path / "saved" if "-o" in verb else root), there), verb

        without_indexes(running.data)
        running.start()
        running.stop()
        # It has only its server.properties when it recovers logs, and its dynamic settings later.
        assert {path.split("/")[0] for path in difference(indexes(running.data), there)} == {"own-0"}
        brokers = indexes(running.data)
        run("reindex", running.data, "--index-interval-bytes", "4096")
        own = [path for path in brokers if path.startswith("own-0/")]
        assert own and all(indexes(running.data)[path] == brokers[path] for path in own)
        assert kformat.open(running.data / "own-0").end_offset == RECORDS
    finally:
        running.kill()
