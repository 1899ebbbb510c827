"""Transactions that hang, next to Kafka's own `kafka-transactions.sh` on the same broker."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from kformat.codec.constructs import build
from kformat.kafka.root import open_root
from kformat.kafka.state.cluster import Disks
from kformat.kafka.state.transactions import ClusterTransactions
from tests.draws import newest_by_day
from tests.judges import Broker
from tests.judges.required import require

UNKNOWN = 4242
"""A producer id that no transactional id has."""


def tool(running: Broker, name: str, *arguments: str) -> str:
    """The output of one of Kafka's tools."""
    command = [*running.java(), f"org.apache.kafka.tools.{name}", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()[-2000:]
    return done.stdout.decode()


def table(text: str) -> list[dict[str, str]]:
    """The rows of a table that a tool printed; none of its cells has blanks."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def left_open(path: Path, producer_id: int, producer_epoch: int) -> None:
    """Append to a partition's log a batch of a transaction without its end."""
    end = open_root(path.parent)[path.name].end_offset
    batch: dict[str, Any] = {
        "base_offset": end,
        "attributes": {"is_transactional": True},
        "base_timestamp": 1_700_000_000_000,
        "max_timestamp": 1_700_000_000_000,
        "producer_id": producer_id,
        "producer_epoch": producer_epoch,
        "base_sequence": 0,
        "records": [{"timestamp_delta": 0, "offset_delta": 0, "key": None, "value": b"held", "headers": []}],
    }
    with max(path.glob("*.log")).open("ab") as file:
        file.write(build("record_batch", batch))


@pytest.mark.judge
@pytest.mark.broker
@pytest.mark.parametrize("version", newest_by_day("4.4.0", "3.9.2"))
def test_what_hangs_is_what_kafkas_script_finds(tmp_path: Path, version: str) -> None:
    """A transaction of a producer that no id has, and one that its id has ended; with those that are no problem."""
    require(version)
    with Broker(version, tmp_path) as running:
        at = ("--bootstrap-server", running.bootstrap)
        for topic in ("t", "u"):
            tool(running, "TopicCommand", *at, "--create", "--topic", topic, "--partitions", "2")
            done = (
                "--num-records",
                "20",
                "--record-size",
                "10",
                "--throughput",
                "-1",
                "--transactional-id",
                topic,
                "--transaction-duration-ms",
                "1000",
            )
            properties = ("--producer-props", f"bootstrap.servers={running.bootstrap}")
            tool(running, "ProducerPerformance", "--topic", topic, *done, *properties)
        running.stop()
        ids = {row["transactional_id"]: row for row in open_root(running.data).transactions()}
        assert {id: row["state"] for id, row in ids.items()} == {"t": "CompleteCommit", "u": "CompleteCommit"}
        left_open(running.data / "t-0", UNKNOWN, 0)
        left_open(running.data / "u-1", ids["u"]["producer_id"], ids["u"]["producer_epoch"])
        (running.data / ".kafka_cleanshutdown").unlink()
        running.start()
        scripted = find_hanging(running)
        listed = table(tool(running, "TransactionsCommand", *at, "list"))
        disks = Disks(open_root(running.data), is_of_metadata=False)
        ours = list(ClusterTransactions(disks, max_timeout_ms=0).rows())
    assert len(scripted) == 2
    assert scripted == [
        [row["topic"], row["partition"], row["producer_id"], row["producer_epoch"], row["start_offset"]]
        for row in sorted(ours, key=lambda row: (row["topic"] or "", row["partition"] or 0))
        if row["is_hanging"]
    ]
    for row in ours:
        if row["is_hanging"]:
            assert (row["last_stable_offset"], row["log_end_offset"]) == (row["start_offset"], row["start_offset"] + 1)
    assert sorted((row["TransactionalId"], row["ProducerId"], row["TransactionState"]) for row in listed) == sorted(
        {(row["transactional_id"], str(row["producer_id"]), row["state"]) for row in ours if row["transactional_id"]}
    )


def find_hanging(running: Broker) -> list[list[Any]]:
    """What find-hanging says: topic, partition, producer id, epoch, start offset, in order."""
    at = ("--bootstrap-server", running.bootstrap, "find-hanging", "--broker-id", "1")
    deadline = time.monotonic() + 30
    while True:  # the coordinator loads its log after the broker answers
        rows = table(tool(running, "TransactionsCommand", *at, "--max-transaction-timeout", "0"))
        if len(rows) == 2 or time.monotonic() > deadline:
            names = ("Partition", "ProducerId", "ProducerEpoch", "StartOffset")
            return sorted([row["Topic"], *(int(row[name]) for name in names)] for row in rows)
