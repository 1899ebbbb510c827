"""What folders of brokers that nobody here had seen brought to light; each is small, and was once wrong."""

from __future__ import annotations

import threading

import pytest

from kformat_engine.config import MAX_INT64
from kformat_engine.scheduler import ThreadScheduler


def test_a_task_that_is_due_in_292_million_years_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """`flush.messages` without `flush.ms` schedules such a one; the thread that waited for it died."""
    died: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: died.append(arguments.exc_value))
    ran = threading.Event()
    scheduler = ThreadScheduler()
    scheduler.schedule("flush", died.clear, MAX_INT64)
    for thread in [thread for thread in threading.enumerate() if thread.name == "kformat-scheduler"]:
        thread.join(0.05)  # time to begin to wait
    scheduler.schedule("delete", ran.set, 1)
    assert ran.wait(10)
    scheduler.close()
    assert died == []
