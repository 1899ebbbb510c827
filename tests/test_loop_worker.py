"""`LoopWorker`: calls in order, in one thread; room; cancellation; its end. `LoopBell`: no ring is missed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest

from kformat.errors import LogClosedError
from kformat.loop_worker import LoopBell, LoopWorker
from tests.loop_plays import threads

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    result = asyncio.run(asyncio.wait_for(main, 60))
    assert not threads()
    return result


def test_calls_are_made_in_order_in_one_thread() -> None:
    async def main() -> None:
        worker, made = LoopWorker("test"), list[tuple[int, int]]()

        def make(number: int) -> Callable[[], int]:
            def call() -> int:
                made.append((number, threading.get_ident()))
                return number

            return call

        found = await asyncio.gather(*(worker.call(make(number), 10**9) for number in range(20)))
        assert found == list(range(20)) == [number for number, _ in made]
        assert {ident for _, ident in made} == {worker._thread.ident if worker._thread else None}
        await worker.end()

    run(main())


@pytest.mark.parametrize("error", [ValueError("v"), StopIteration(1), KeyboardInterrupt(), SystemExit(2)])
def test_an_error_is_the_callers(error: BaseException) -> None:
    async def main() -> None:
        worker = LoopWorker("test")

        def fail() -> None:
            raise error

        call = asyncio.ensure_future(asyncio.wait([asyncio.ensure_future(caught(worker.call(fail)))]))
        done, _ = await call
        assert isinstance(done.pop().result(), RuntimeError if isinstance(error, StopIteration) else type(error))
        assert await worker.call(lambda: 1) == 1
        await worker.end()

    async def caught(call: Coroutine[Any, Any, object]) -> BaseException | None:
        try:
            await call
        except BaseException as found:
            return found
        return None

    run(main())


def test_a_cancelled_call_is_withdrawn_unless_it_has_begun() -> None:
    async def main() -> None:
        worker, made, begun, go_on = LoopWorker("test", 10), list[str](), threading.Event(), threading.Event()

        def hang() -> None:
            begun.set()
            assert go_on.wait(60)
            made.append("begun")

        tasks = [asyncio.create_task(worker.call(hang))]
        assert await asyncio.to_thread(begun.wait, 60)
        tasks += [asyncio.create_task(worker.call(lambda: made.append("waits"), 6))]
        tasks += [asyncio.create_task(worker.call(lambda: made.append("is held"), 6))]
        ensured = asyncio.create_task(worker.ensure(lambda: made.append("ensured")))
        completed = asyncio.create_task(worker.complete(lambda: made.append("withdrawn")))
        await asyncio.sleep(0)
        for task in (*tasks, ensured, completed):
            task.cancel()
        await asyncio.wait([*tasks, completed])
        assert worker._bytes == 0 and not worker._held and not ensured.done()
        ending = asyncio.create_task(worker.end())
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.wait([ensured, ending])
        assert all(task.cancelled() for task in (*tasks, ensured, completed))
        assert made == ["begun", "ensured"]

    run(main())


def test_what_a_cancelled_call_opened_is_closed() -> None:
    async def main() -> None:
        worker, undone, begun, go_on = LoopWorker("test"), list[str](), threading.Event(), threading.Event()

        def open_it() -> str:
            begun.set()
            assert go_on.wait(60)
            return "opened"

        task = asyncio.create_task(worker.complete(open_it, undo=undone.append))
        assert await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        go_on.set()
        await asyncio.wait([task])
        assert task.cancelled() and undone == ["opened"]
        await worker.end()

    run(main())


def test_after_its_end_a_worker_refuses_calls_and_does_what_must_be_done() -> None:
    async def main() -> None:
        worker, made = LoopWorker("test"), list[int]()
        await worker.call(lambda: made.append(1))
        worker.post(lambda: made.append(2))
        await asyncio.gather(worker.end(), worker.end())
        assert made == [1, 2]
        for call in (worker.call, worker.complete):
            with pytest.raises(LogClosedError, match="test was closed"):
                await call(lambda: made.append(3))
        worker.post(lambda: made.append(4))
        await worker.ensure(lambda: made.append(5))
        assert made == [1, 2, 4, 5]
        await LoopWorker("never used").end()

    run(main())


def test_no_ring_is_missed() -> None:
    async def main() -> None:
        bell, rounds = LoopBell(), 200
        seen = threading.Semaphore(0)

        def ring() -> None:
            for _ in range(rounds):
                bell.ring()
                assert seen.acquire(timeout=60)

        thread = threading.Thread(target=ring)
        count = bell.count
        thread.start()
        for _ in range(rounds):
            while bell.count == count:
                await bell.changed(count, None)
            count += 1
            seen.release()
        thread.join()
        assert bell.count == rounds
        await bell.changed(count, 0.001)

    run(main())


def test_a_thread_that_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call fails, and the next one tries again."""

    async def play() -> None:
        worker = LoopWorker("worker")
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", lambda _: (_ for _ in ()).throw(RuntimeError("no room")))
            with pytest.raises(RuntimeError, match="no room"):
                await worker.call(lambda: 1)
        assert await worker.call(lambda: 2) == 2
        await worker.end()

    asyncio.run(asyncio.wait_for(play(), 20))
