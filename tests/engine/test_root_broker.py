"""A root beside a live broker: one of us has it, and the other is refused; then it goes on where the other stopped.

What a 4.x broker says on its way cannot be read, its jars have no backend for its logging; that it ends is seen, and
that it does not when the root is free. 3.9.2 is asked for its words.
"""

from __future__ import annotations

import importlib
import time
from pathlib import Path
from typing import Any

import pytest

from kformat.kafka.files.text_files import CleanShutdown, TopicOffsets, read_sidecar
from kformat_engine.errors import RootLockedError
from kformat_engine.root import CLEAN_MARKER, HIGH_WATERMARKS, RECOVERY_POINTS, Root
from tests.draws import newest_by_day
from tests.judges import Broker, releases
from tests.judges.required import require

admin_client: Any = importlib.import_module("confluent_kafka.admin")

AT_ONCE_S = 5.0
TIMEOUT_S = 30
LOGGING = """log4j.rootLogger=INFO, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%p %m%n
"""
REFUSED = "Failed to acquire lock on file .lock in"
TAKEN_FOR_CLEAN = "Skipping recovery of 1 logs from"
# A broker that was killed comes up again when the controller has forgotten it.
SOON_FORGOTTEN = {"broker.session.timeout.ms": "1500", "broker.heartbeat.interval.ms": "300"}

pytestmark = [pytest.mark.judge, pytest.mark.broker]


class PartitionClosed:
    """What the root sees of a log that was opened, recovered and closed."""

    def __init__(self, root: Root, folder: str) -> None:
        self.root, self.path = root, root.path / folder
        root.register(self)

    def close(self) -> None:
        self.root.unregister(self)


def offsets(path: Path) -> dict[tuple[str, int], int]:
    found = read_sidecar(path)
    assert isinstance(found, TopicOffsets)
    return found.as_dict()


@pytest.mark.parametrize("version", newest_by_day(*releases.LIVE))
def test_a_broker_and_we_take_turns(tmp_path: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    require(version)
    logging = tmp_path / "log4j.properties"
    logging.write_text(LOGGING, encoding="utf-8")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", f"-Dlog4j.configuration={logging.as_uri()}")
    has_words = version == releases.OLDER
    broker = Broker(version, tmp_path / "broker", SOON_FORGOTTEN, lifetime_s=200)
    said = 0

    def words() -> str:
        """What the broker has printed since it was asked last."""
        nonlocal said
        text = (broker.directory / "broker.log").read_text(encoding="utf-8", errors="replace")
        text, said = text[said:], len(text)
        return text

    # It is there: we are refused.
    broker.start()
    try:
        admin = admin_client.AdminClient({"bootstrap.servers": broker.bootstrap})
        created = admin.create_topics([admin_client.NewTopic("orders", 1, 1)], request_timeout=TIMEOUT_S)
        created["orders"].result(TIMEOUT_S)
        started = time.monotonic()
        with pytest.raises(RootLockedError, match="is locked by another process"):
            Root.open(broker.data)
        assert time.monotonic() - started < AT_ONCE_S
        broker.stop()
    except BaseException:
        broker.kill()
        raise

    # We are there: it is refused, and changes nothing.
    with Root.open(broker.data) as root:
        assert root.was_clean and not root.problems
        kept = offsets(broker.data / RECOVERY_POINTS)
        assert ("orders", 0) in kept
        words()
        with pytest.raises(RuntimeError, match="did not answer"):
            broker.start()
        assert not has_words or REFUSED in words()
        root.set_recovery_point("ours", 0, 5)
        root.set_high_watermark("ours", 0, 5)
        root.checkpoint()
    assert offsets(broker.data / RECOVERY_POINTS) == kept | {("ours", 0): 5}
    assert offsets(broker.data / HIGH_WATERMARKS)["ours", 0] == 5
    assert read_sidecar(broker.data / CLEAN_MARKER) == CleanShutdown(broker_epoch=-1, version=0)

    # We have left, and our marker is taken for one.
    words()
    broker.start()
    broker.kill()
    assert not has_words or TAKEN_FOR_CLEAN in words()

    # Killed, it leaves none; we leave one when each log has been opened.
    with Root.open(broker.data) as root:
        assert not root.was_clean
    assert not (broker.data / CLEAN_MARKER).exists()
    with Root.open(broker.data) as root:
        PartitionClosed(root, "orders-0").close()
    assert (broker.data / CLEAN_MARKER).exists()
