"""A real broker starts with what `salvage` and `merge` wrote, and with what was salvaged in place; its consumers get
exactly the records that were saved."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import kformat
from kformat.salvage import Report, merge, salvage, salvage_in_place
from kformat_engine import Log, LogConfig
from tests.draws import IS_NIGHT, newest_by_day
from tests.engine.adoption import TIMEOUT_S, admin_client, ask
from tests.engine.test_compaction_broker import fill
from tests.judges import Broker, releases
from tests.judges.required import require

pytestmark = [pytest.mark.judge, pytest.mark.broker]

TOPIC = "orders"
ENGINE = LogConfig(segment_bytes=8000, segment_index_bytes=10_000, index_interval_bytes=500)


def saved(how: str, dead: Path, other: Path, new: Path) -> Report:
    """Save a log directory by a verb; ``other`` is a copy of it that is damaged elsewhere."""
    if how == "merge":
        return merge([dead, other], new)
    if how == "salvage":
        return salvage(dead, new)
    report = salvage_in_place(dead)
    shutil.move(dead, new)
    return report


@pytest.mark.parametrize("how", ["merge", "in place", *(["salvage"] if IS_NIGHT else [])])
@pytest.mark.parametrize("version", newest_by_day(*releases.LIVE))
def test_a_broker_goes_on_with_what_was_saved(version: str, how: str, tmp_path: Path) -> None:
    """Its whole log directory was damaged: the topic's log in two places, one index gone, checkpoints gone."""
    require(version)
    broker = Broker(version, tmp_path / "broker", {})
    try:
        broker.start()
        admin = admin_client.AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        admin.create_topics([admin_client.NewTopic(TOPIC, 1, 1, config={"segment.index.bytes": "10000"})])[
            TOPIC
        ].result(TIMEOUT_S)
        broker.stop()
        folder = broker.data / f"{TOPIC}-0"
        values = dict[bytes, bytes | None]()
        with Log.open(folder, ENGINE) as log:
            fill(log, values, 0)
            fill(log, values, 200)
        whole = kformat.open(folder).to_arrow(["offset"]).num_rows

        logs = sorted(folder.glob("*.log"))
        assert len(logs) > 3
        other = shutil.copytree(broker.data, tmp_path / "other")
        for path, start in ((logs[1], 1000), (logs[2], 3000), (other / folder.name / logs[1].name, 4000)):
            data = path.read_bytes()
            path.write_bytes(data[:start] + bytes(700) + data[start + 700 :])
        logs[1].with_suffix(".index").unlink()
        for path in broker.data.glob("*-checkpoint"):
            path.unlink()
        dead = broker.data.rename(tmp_path / "dead")
        report = saved(how, dead, other, tmp_path / "new")
        (counted,) = [one for one in report.summary() if one["partition"] == f"{TOPIC}-0"]
        missing = whole - counted["records_count"]
        if how == "merge":
            assert not missing and counted["missing"] is None
        else:
            assert 0 < missing < 60 and counted["missing"] is not None
        shutil.move(tmp_path / "new", broker.data)
        expected = {
            level: kformat.open(folder).to_arrow(["offset", "key", "value"], isolation_level=level).to_pylist()
            for level in ("read_uncommitted", "read_committed")
        }

        broker.start()
        told = ask(version, broker, {TOPIC: []})
        broker.stop()
        found = {"read_uncommitted": told.uncommitted[TOPIC], "read_committed": told.committed[TOPIC]}
        for level, rows in found.items():
            assert [{"offset": row.offset, "key": row.key, "value": row.value} for row in rows] == expected[level]
        assert len(told.uncommitted[TOPIC]) == counted["records_count"] > len(told.committed[TOPIC])
        assert not list(broker.data.glob("*-stray")) and not list(broker.data.glob("**/*.deleted"))
        with Log.open(folder, ENGINE) as log:
            assert log.append([(b"key", b"after")]) == counted["next_offset"]
    finally:
        broker.kill()
