"""Kafka's own tool reads what the coordinator has written: `__transaction_state`, `.txnindex` and markers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC
from kformat_engine import LogConfig, LogManager
from tests.engine.manual import ManualClock, ManualScheduler
from tests.judges import dump_many, releases
from tests.judges.required import require

pytestmark = pytest.mark.judge

NOW_MS = 1_700_000_000_000
STATE = re.compile(
    r"key: transaction_metadata::transactionalId=(\S+) payload: producerId:(\d+),producerEpoch:(\d+),state=(\w+),"
    r"partitions=\[(.*)\],txnLastUpdateTimestamp=\d+,txnTimeoutMs=(\d+)"
)
STATE_AS_JSON = re.compile(r"key: (\{.*\}) payload: (\{.*\})")
STATES = ("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort")
ABORTED = re.compile(r"version: 0 producerId: (\d+) firstOffset: (\d+) lastOffset: (\d+) lastStableOffset: (\d+)")
MARKER = re.compile(r"offset: (\d+) .* endTxnMarker: (\w+) coordinatorEpoch: (\d+)")


Said = tuple[str, int, int, str, str, int]
"""Transactional id, producer id, epoch, state, partitions, timeout."""


def states_in(printed: str) -> list[Said]:
    """What the tool says of each record; it prints JSON since 4.0, and names of states instead of numbers since 4.4."""
    found: list[Said] = [
        (name, int(producer_id), int(epoch), state, partitions, int(timeout))
        for name, producer_id, epoch, state, partitions, timeout in STATE.findall(printed)
    ]
    for key, payload in STATE_AS_JSON.findall(printed):
        value = json.loads(payload)["data"]
        topics, state = value["transactionPartitions"], value["transactionStatus"]
        partitions = ",".join(f"{one['topic']}-{number}" for one in topics for number in one["partitionIds"])
        found.append(
            (
                json.loads(key)["data"]["transactionalId"],
                value["producerId"],
                value["producerEpoch"],
                STATES[state] if isinstance(state, int) else state,
                partitions,
                value["transactionTimeoutMs"],
            )
        )
    return found


@pytest.mark.parametrize("version", releases.LIVE)
def test_what_the_dump_tool_says(tmp_path: Path, version: str) -> None:
    require(version)
    clock = ManualClock(NOW_MS)
    with LogManager.open(
        [tmp_path], LogConfig(segment_bytes=600), clock=clock, scheduler=lambda folder: ManualScheduler(clock)
    ) as manager:
        logs = [manager.create_partition("orders", number) for number in range(2)]
        with manager.transaction("é", timeout_ms=7000) as t:
            t.append("orders", 1, [b"1"])
            t.append("orders", 0, [b"2"])
        other = manager.transaction("other")
        other.append("orders", 0, [b"3"])
        clock.sleep(5)
        with pytest.raises(KeyError), manager.transaction("é", timeout_ms=7000) as u:
            u.append("orders", 0, [b"x" * 500])  # which rolls
            raise KeyError
        other.abort()
        last = logs[0].end_offset
        place = logs[0].segments[-1]
        state = manager.log(TRANSACTION_STATE_TOPIC, manager._coordinator._partition_of("é"))
    files = sorted(logs[0].path.glob("*.txnindex"))
    assert len(files) == 1
    asked = [
        ["--transaction-log-decoder", "--files", str(next(state.path.glob("*.log")))],
        ["--files", str(files[0])],
        ["--print-data-log", "--files", str(place.path)],
    ]
    decoded, aborted, printed = (run.stdout.decode() for run in dump_many(version, asked))
    both = "orders-0,orders-1"
    assert [one for one in states_in(decoded) if one[0] == "é"] == [
        ("é", t.producer_id, epoch, state, partitions, 7000)
        for epoch, state, partitions in (
            *((0, "Ongoing", "orders-1"), (0, "Ongoing", both), (0, "PrepareCommit", both), (0, "CompleteCommit", "")),
            *((1, "Ongoing", "orders-0"), (1, "PrepareAbort", "orders-0"), (1, "CompleteAbort", "")),
        )
    ]
    assert [tuple(map(int, found)) for found in ABORTED.findall(aborted)] == [
        (u.producer_id, 3, 4, 2),
        (other.producer_id, 2, 5, last),
    ]
    assert MARKER.findall(printed) == [("4", "ABORT", "0"), ("5", "ABORT", "0")]
