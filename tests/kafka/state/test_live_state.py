"""What a live broker's admin client says, and what we read from its disk at the same moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kformat.kafka.root import open_root
from tests.draws import IS_NIGHT, newest_by_day
from tests.dump.test_decoders import judge_topics
from tests.judges import Broker
from tests.judges.required import require
from tests.kafka.state.living import CONFIG, Living, disk_state

pytestmark = [pytest.mark.judge, pytest.mark.broker]

NOT_CLEANING: list[tuple[dict[str, str], int]] = [({"log.cleaner.enable": "false"}, 50)] if IS_NIGHT else []
CLEANING = {"log.cleaner.backoff.ms": "200", "log.cleaner.min.cleanable.ratio": "0.01", "log.segment.bytes": "1048576"}


def transactions(data: Path) -> dict[str, Any]:
    """What the table of transactions says of ids, and of producers with an open one."""
    ids: dict[str, Any] = {}
    producers: dict[str, Any] = {}
    for row in open_root(data).transactions():
        place = f"{row['topic']}-{row['partition']}"
        if row["transactional_id"] is not None:
            start = -1 if row["start_timestamp"] is None else row["start_timestamp"]
            head = [row["state"], row["producer_id"], row["producer_epoch"], row["timeout_ms"], start]
            known = ids.setdefault(row["transactional_id"], [*head, []])
            assert known[:-1] == head
            known[-1] += [place] if row["topic"] is not None else []
        if row["start_offset"] is not None:
            epoch = -1 if row["coordinator_epoch"] is None else row["coordinator_epoch"]
            entry = [row["producer_epoch"], epoch, row["start_offset"], row["last_timestamp"]]
            producers.setdefault(place, [row["last_stable_offset"], {}])[1][str(row["producer_id"])] = entry
            assert row["is_hanging"] is False
    return {"transactions": ids, "producers": producers}


def moments(version: str, folder: Path, config: dict[str, str], seed: int, count: int) -> Iterator[tuple[Any, Any]]:
    """What the broker says, and what its disk says, at so many moments."""
    with Broker(version, folder, CONFIG | config) as running, Living(running, seed) as living:
        for _ in range(count):
            said = living.step()
            here = disk_state(running.data) | transactions(running.data)
            for name in (
                said["groups"].keys() - here["groups"].keys()
            ):  # of a transaction that was aborted: not persisted
                gone = said["groups"].pop(name)
                assert not gone["members"] and not gone["offsets"], name
            yield said, here


@pytest.mark.parametrize("version", newest_by_day("4.4.0", "4.3.1"))
@pytest.mark.parametrize(("config", "count"), [(CLEANING, 10 if IS_NIGHT else 3), *NOT_CLEANING])
def test_the_disk_says_what_the_broker_says(tmp_path: Path, version: str, config: dict[str, str], count: int) -> None:
    require(version)
    seen = set[str]()
    for said, read_here in moments(version, tmp_path, config, count, count):
        seen.update(said.pop("done"))
        for part in sorted(said):
            assert read_here[part] == said[part], (part, seen)
    assert len(seen) > 3
    if IS_NIGHT:
        assert judge_topics(version, tmp_path / "data") > 4  # what lies there is what Kafka's dump tool prints, too
