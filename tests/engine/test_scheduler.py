"""Schedulers: what runs, in which order, where errors go, and how they end."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from kformat.errors import UsageError
from kformat.integers import MAX_INT64
from kformat_engine.scheduler import Scheduler, ThreadScheduler
from tests.engine.manual import ManualClock, ManualScheduler

WAIT_S = 10


def manual() -> tuple[ManualClock, ManualScheduler, list[str]]:
    clock = ManualClock(1000)
    return clock, ManualScheduler(clock), []


def test_tasks_run_when_they_are_due_and_in_their_order() -> None:
    clock, scheduler, ran = manual()
    scheduler.schedule("later", lambda: ran.append("later"), 10)
    scheduler.schedule("soon", lambda: ran.append("soon"), 5)
    scheduler.schedule("soon, too", lambda: ran.append("soon, too"), 5)
    scheduler.schedule("now", lambda: ran.append("now"))
    assert ran == []
    scheduler.tick()
    assert ran == ["now"]
    clock.sleep(4)
    assert ran == ["now"]
    clock.sleep(1)
    assert ran == ["now", "soon", "soon, too"]
    assert [task.name for task in scheduler.pending] == ["later"]
    clock.sleep(100)
    assert ran == ["now", "soon", "soon, too", "later"]
    assert clock() == 1105


def test_cancelled_tasks_do_not_run() -> None:
    clock, scheduler, ran = manual()
    task = scheduler.schedule("cancelled", lambda: ran.append("x"), 5)
    task.cancel()
    task.cancel()
    assert task.is_cancelled and scheduler.pending == ()
    clock.sleep(10)
    assert ran == []


def test_a_task_may_schedule_and_cancel() -> None:
    clock, scheduler, ran = manual()
    victim = scheduler.schedule("victim", lambda: ran.append("victim"), 7)

    def first() -> None:
        victim.cancel()
        scheduler.schedule("second", lambda: ran.append("second"), 0)

    scheduler.schedule("first", first, 5)
    clock.sleep(10)
    assert ran == ["second"]


def failing(message: str = "no disk") -> None:
    raise OSError(message)


def leaving() -> None:
    raise SystemExit(3)


def test_errors_come_out_of_a_manual_scheduler_at_once() -> None:
    clock, scheduler, ran = manual()
    scheduler.schedule("fails", failing)
    scheduler.schedule("runs", lambda: ran.append("x"))
    with pytest.raises(OSError, match="no disk"):
        clock.sleep(0)
    assert ran == []
    clock.sleep(0)
    assert ran == ["x"]


def test_errors_are_handed_over() -> None:
    errors: list[tuple[str, str]] = []
    clock = ManualClock()
    scheduler = ManualScheduler(clock, lambda name, error: errors.append((name, str(error))))
    for due in range(3):
        scheduler.schedule("fails", failing, due)
    clock.sleep(3)
    assert errors == [("fails", "no disk")] * 3
    scheduler.close()


@pytest.mark.parametrize("make", [ThreadScheduler, lambda: ManualScheduler(ManualClock())])
def test_a_closed_scheduler_forgets_and_refuses(make: Any) -> None:
    ran: list[str] = []
    scheduler: Scheduler
    with make() as scheduler:
        task = scheduler.schedule("never", lambda: ran.append("x"), 3_600_000)
    assert scheduler.is_closed and scheduler.pending == ()
    with pytest.raises(UsageError, match=r"^late: the scheduler is closed$"):
        scheduler.schedule("late", print)
    task.cancel()
    scheduler.close()
    assert ran == []


def test_a_closed_manual_scheduler_is_no_longer_moved() -> None:
    clock, scheduler, _ = manual()
    scheduler.close()
    assert clock.schedulers == []


def test_a_thread_begins_with_the_first_task_and_ends_with_close() -> None:
    count = threading.active_count()
    scheduler = ThreadScheduler()
    assert threading.active_count() == count
    ran = threading.Event()
    scheduler.schedule("sets", ran.set, 1)
    assert ran.wait(WAIT_S)
    assert threading.active_count() == count + 1
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "kformat-scheduler")
    scheduler.close()
    assert threading.active_count() == count


def test_a_thread_takes_what_is_due_first() -> None:
    ran: list[str] = []
    done = threading.Event()
    with ThreadScheduler() as scheduler:
        scheduler.schedule("hours away", lambda: ran.append("far"), 3_600_000)
        scheduler.schedule("third", done.set, 60)
        scheduler.schedule("second", lambda: ran.append("second"), 30)
        scheduler.schedule("first", lambda: ran.append("first"))
        assert done.wait(WAIT_S)
    assert ran == ["first", "second"]


def test_closing_waits_for_what_runs() -> None:
    started, may_end = threading.Event(), threading.Event()
    ran: list[str] = []

    def slow() -> None:
        started.set()
        may_end.wait(WAIT_S)
        ran.append("slow")

    scheduler = ThreadScheduler()
    scheduler.schedule("slow", slow)
    scheduler.schedule("behind it", lambda: ran.append("behind it"))
    assert started.wait(WAIT_S)
    threading.Timer(0.05, may_end.set).start()
    scheduler.close()
    assert ran == ["slow"]


def test_a_task_may_close_its_scheduler() -> None:
    scheduler = ThreadScheduler()
    closed = threading.Event()

    def close() -> None:
        scheduler.close()
        closed.set()

    scheduler.schedule("closes", close)
    assert closed.wait(WAIT_S)
    assert scheduler.is_closed


def test_errors_of_a_thread_come_out_of_close(capfd: pytest.CaptureFixture[str]) -> None:
    scheduler = ThreadScheduler()
    ran = threading.Event()
    scheduler.schedule("fails", failing)
    scheduler.schedule("fails, too", lambda: failing("no time"))
    scheduler.schedule("leaves", leaving)
    scheduler.schedule("runs", ran.set)
    assert ran.wait(WAIT_S)
    with pytest.raises(OSError, match="no disk") as caught:
        scheduler.close()
    assert caught.value.__notes__ == [
        "another task failed, too: OSError('no time')",
        "another task failed, too: SystemExit(3)",
    ]
    scheduler.close()
    assert capfd.readouterr() == ("", "")


def test_errors_of_a_thread_are_handed_over() -> None:
    errors: list[tuple[str, str]] = []
    ran = threading.Event()
    with ThreadScheduler(lambda name, error: errors.append((name, str(error)))) as scheduler:
        scheduler.schedule("fails", failing)
        scheduler.schedule("runs", ran.set)
        assert ran.wait(WAIT_S)
    assert errors == [("fails", "no disk")]


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
