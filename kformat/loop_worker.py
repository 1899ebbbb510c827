"""Blocking calls of an event loop, in a thread: one at a time, in the order in which they are made.

Rules:

* A call waits for room (`LoopWorker.most_bytes`), then for its turn; then it has begun. No call overtakes another one.
* A cancelled call that has not begun is withdrawn: its function is never called. One that has begun goes on to its end
  in the thread. `LoopWorker.call` does not wait for that; `LoopWorker.complete` does, and then passes the cancellation
  on. `LoopWorker.ensure` calls its function in any case.
* A worker belongs to the event loop in which it was made. Its thread starts with the first call, ends with
  `LoopWorker.end`, and waits in between without looking.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeVar

from kformat.errors import LogClosedError, UsageError

MOST_WAITING_BYTES: Final = 32 << 20
"""Kafka's default of the producer's `buffer.memory`, bytes."""

T = TypeVar("T")
Entered = TypeVar("Entered", bound="_Closes")


class LoopCall(Generic[T]):
    """A call of a `LoopWorker`.

    Attributes:
        function: does the work, in the thread. size_bytes: the memory that it holds while it waits.
        future: its result, in the event loop. is_held: it waits for room. has_begun, is_withdrawn: see the module; at
            most one of them is True.
    """

    __slots__ = ("function", "future", "has_begun", "is_held", "is_withdrawn", "size_bytes")

    def __init__(self, function: Callable[[], T], size_bytes: int = 0) -> None:
        self.function, self.size_bytes = function, size_bytes
        self.future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.has_begun = self.is_held = self.is_withdrawn = False


class CallResult(NamedTuple):
    """What became of a call: its result, or the error that it raised."""

    call: LoopCall[Any]
    result: Any
    error: BaseException | None


def called(call: LoopCall[Any]) -> CallResult:
    """Call the function of a call, in the thread."""
    try:
        return CallResult(call, call.function(), None)
    except StopIteration as error:  # no future takes it
        return CallResult(call, None, RuntimeError(f"a call raised {error!r}"))
    except BaseException as error:  # nobody would see an error that leaves this thread
        return CallResult(call, None, error)


async def settled(future: asyncio.Future[Any], withdraw: Callable[[], bool] = lambda: False) -> None:
    """Wait until a future is done, also while the task is cancelled; then the cancellation goes on. A cancellation ends
    the wait if ``withdraw`` then returns True."""
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait((future,))
        except asyncio.CancelledError as error:
            cancelled = error
            if withdraw():
                raise
    if cancelled is not None:
        raise cancelled from (None if future.cancelled() else future.exception())


class LoopWorker:
    """A thread for the blocking calls of an event loop; see the module.

    Attributes:
        name: what it works for, in errors. most_bytes: the limit of what waits or has begun, bytes; a call that is
            larger by itself waits until it is alone.
    """

    def __init__(self, name: str, most_bytes: int = MOST_WAITING_BYTES) -> None:
        self.name, self.most_bytes = name, most_bytes
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._rung: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._waiting: deque[LoopCall[Any]] = deque()  # with the lock
        self._held: deque[LoopCall[Any]] = deque()  # without room; the event loop's
        self._bytes = 0  # of calls that wait for their turn or have begun
        self._is_idle = self._is_refusing = False
        self._thread: threading.Thread | None = None
        self._ended: asyncio.Future[None] | None = None

    @property
    def is_refusing(self) -> bool:
        """Whether `refuse` was called."""
        return self._is_refusing

    # In the event loop

    async def call(self, function: Callable[[], T], size_bytes: int = 0) -> T:
        """The result of a function, which the thread calls in its turn. Raises what it raises.

        Raises LogClosedError after `refuse` and `end`, UsageError in another event loop.
        """
        return await self.awaited(LoopCall(function, size_bytes))

    async def awaited(self, call: LoopCall[T]) -> T:
        """As `call`, of a call that the caller made."""
        self._check(is_refused=self._is_refusing)
        self._enter(call)
        try:
            return await call.future
        except asyncio.CancelledError:
            self._withdraw(call)
            raise

    async def complete(self, function: Callable[[], T], undo: Callable[[T], object] | None = None) -> T:
        """As `call`; a cancellation waits for the end of a call that has begun, and then calls ``undo`` with its
        result, in the thread."""
        self._check(is_refused=self._is_refusing)
        call = LoopCall(function)
        self._enter(call)
        try:
            await settled(call.future, lambda: self._withdraw(call))
        except asyncio.CancelledError:
            if undo is not None and call.has_begun and call.future.exception() is None:
                result = call.future.result()
                with contextlib.suppress(Exception):  # the cancellation goes on
                    await self.ensure(lambda: undo(result))
            raise
        return call.future.result()

    async def ensure(self, function: Callable[[], T]) -> T:
        """As `call`, but the function is called in any case, after `end` at once; a cancellation waits for its end."""
        self._check(is_refused=False)
        if self._has_ended():
            return function()
        call = LoopCall(function)
        self._enter(call)
        await settled(call.future)
        return call.future.result()

    def post(self, function: Callable[[], object]) -> None:
        """Have the function called in its turn, without waiting; at once if the thread has ended. Its errors are
        dropped."""
        call = LoopCall(function)
        call.future.cancel()
        if self._has_ended():
            called(call)
        else:
            self._enter(call)

    def _has_ended(self) -> bool:
        return self._ended is not None and self._ended.done()

    def refuse(self) -> None:
        """Refuse further calls of `call` and `complete`. Raises UsageError in another event loop."""
        self._check(is_refused=False)
        self._is_refusing = True

    async def end(self) -> None:
        """End the thread after the calls that were made; later ones raise LogClosedError. Twice is no error."""
        if self._ended is None:
            self._ended = self._loop.create_future()
            self.refuse()
            if self._thread is None:
                self._ended.set_result(None)
            else:
                self._ring()
        await settled(self._ended)

    def _check(self, *, is_refused: bool) -> None:
        if asyncio.get_running_loop() is not self._loop:
            raise UsageError(f"{self.name} was opened in another event loop; open it in each loop that uses it")
        if is_refused:
            raise LogClosedError(f"{self.name} was closed")

    def _enter(self, call: LoopCall[Any]) -> None:
        if self._held or not self._has_room(call):
            call.is_held = True
            self._held.append(call)
        else:
            self._pass(call)

    def _has_room(self, call: LoopCall[Any]) -> bool:
        return not self._bytes or self._bytes + call.size_bytes <= self.most_bytes

    def _pass(self, call: LoopCall[Any]) -> None:
        """Let a call wait for its turn."""
        if self._thread is None:
            thread = threading.Thread(target=self._work, name=f"kformat {self.name}", daemon=True)
            thread.start()  # RuntimeError: there is no room for one
            self._thread = thread
        call.is_held = False
        self._bytes += call.size_bytes
        with self._lock:
            self._waiting.append(call)
            is_idle, self._is_idle = self._is_idle, False
        if is_idle:
            self._rung.put(None)

    def _ring(self) -> None:
        with self._lock:
            is_idle, self._is_idle = self._is_idle, False
        if is_idle:
            self._rung.put(None)

    def _withdraw(self, call: LoopCall[Any]) -> bool:
        """Withdraw a call that has not begun; returns whether that is so."""
        with self._lock:
            if call.has_begun:
                return False
            call.is_withdrawn = True
        if not call.is_held:
            self._bytes -= call.size_bytes
        self._admit()
        if self._ended is not None and not self._held:
            self._ring()  # the thread may wait for calls that have no room
        return True

    def _admit(self) -> None:
        """Pass on the calls that have room now."""
        while self._held and (self._held[0].is_withdrawn or self._has_room(self._held[0])):
            call = self._held.popleft()
            if not call.is_withdrawn:
                self._pass(call)

    def _deliver(self, outcomes: list[CallResult]) -> None:
        for call, result, error in outcomes:
            self._bytes -= call.size_bytes
            if call.future.done():  # it was cancelled
                continue
            if error is None:
                call.future.set_result(result)
            else:
                call.future.set_exception(error)
        self._admit()

    def _finish(self) -> None:
        assert self._thread is not None and self._ended is not None
        self._thread.join()  # it has nothing left to do
        self._ended.set_result(None)
        self._deliver([called(call) for call in self._waiting])  # of `ensure` and `post`, since then

    # In the thread

    def take(self, waiting: deque[LoopCall[Any]]) -> list[LoopCall[Any]]:
        """Take calls from the left, to be run together. None of them is withdrawn, and there is at least one."""
        return [waiting.popleft()]

    def run(self, calls: list[LoopCall[Any]]) -> list[CallResult]:
        """Run calls that were taken together."""
        return [called(call) for call in calls]

    def _work(self) -> None:
        while True:
            calls: list[LoopCall[Any]] = []
            with self._lock:
                while self._waiting and self._waiting[0].is_withdrawn:
                    self._waiting.popleft()
                if self._waiting:
                    calls = [call for call in self.take(self._waiting) if not call.is_withdrawn]
                    for call in calls:
                        call.has_begun = True
                elif self._ended is not None and not self._held:
                    break
                else:
                    self._is_idle = True
            if calls:
                self._in_loop(self._deliver, self.run(calls))
            else:
                self._rung.get()
        self._in_loop(self._finish)

    def _in_loop(self, function: Callable[..., object], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop was closed: nobody waits any more
            self._loop.call_soon_threadsafe(function, *arguments)


class LoopBell:
    """Wakes the tasks of an event loop that wait for a change. Any thread may ring it, at any time.

    Attributes:
        count: changes with each ring. A task notes it, looks, and then waits for the next change (`changed`).
    """

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.count = 0
        self._is_awaited = False
        self._waiting: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        """Wake the waiting tasks. Costs nothing if there is none."""
        self.count += 1
        if self._is_awaited:
            self._is_awaited = False
            with contextlib.suppress(RuntimeError):  # the event loop was closed
                self.loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def changed(self, count: int, timeout_s: float | None) -> None:
        """Return when it was rung since it had this ``count``, or after so many seconds; sometimes earlier."""
        future: asyncio.Future[None] = self.loop.create_future()
        self._waiting.add(future)
        self._is_awaited = True  # before the look at `count`, so that no ring is missed
        try:
            if self.count == count:
                await asyncio.wait((future,), timeout=timeout_s)
        finally:
            self._waiting.discard(future)


def advanced(groups: Iterator[Iterable[T] | None]) -> tuple[list[T], bool, BaseException | None]:
    """The items of the next group, whether that is all for now, and the error that ended them."""
    items: list[T] = []
    try:
        group = next(groups)
        if group is None:
            return items, True, None
        items.extend(group)  # keeps those before an error
    except BaseException as error:
        return items, False, error
    return items, False, None


async def iterated(
    worker: LoopWorker,
    bell: LoopBell,
    groups: Generator[Iterable[T] | None, None, None],
    *,
    follow: bool,
    timeout_s: float | None,
    longest_s: float | None = None,
    ends_when_closed: bool = False,
) -> AsyncGenerator[T, None]:
    """The items of groups that a thread makes; a group that is None is the end for now.

    Args:
        follow: wait for more there, until the bell rings, or for ``longest_s`` seconds; end when nothing came for
            ``timeout_s`` seconds.
        ends_when_closed: end when the worker refuses calls, instead of raising LogClosedError.

    The generator of the groups is closed in the thread, in its turn.
    """
    since = time.monotonic()
    try:
        while True:
            count = bell.count
            try:
                items, is_end, error = await worker.call(lambda: advanced(groups))
            except LogClosedError:
                if ends_when_closed:
                    return
                raise
            for item in items:
                yield item
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            if not is_end:
                since = time.monotonic()
                continue
            left_s = None if timeout_s is None else since + timeout_s - time.monotonic()
            if not follow or (left_s is not None and left_s <= 0):
                return
            await bell.changed(count, min((s for s in (left_s, longest_s) if s is not None), default=None))
    finally:
        worker.post(groups.close)


class _Closes(Protocol):
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class Opening(Generic[Entered]):
    """Opens something once: ``await`` it, or enter it with ``async with``, which also closes."""

    def __init__(self, open_it: Callable[[], Awaitable[Entered]]) -> None:
        self._open_it = open_it
        self._opened: Entered | None = None

    if not TYPE_CHECKING:  # mypy knows which attributes there are

        def __getattr__(self, name: str) -> None:
            """Say what is missing, as what is to be opened has the attribute."""
            raise AttributeError(
                f"nothing is open yet that could have the attribute {name!r}: `await` it, or use `async with`"
            )

    def __await__(self) -> Generator[Any, Any, Entered]:
        return self._open_it().__await__()

    async def __aenter__(self) -> Entered:
        self._opened = await self._open_it()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._opened is not None
        await self._opened.__aexit__(kind, error, trace)


__all__ = [
    "MOST_WAITING_BYTES",
    "CallResult",
    "LoopBell",
    "LoopCall",
    "LoopWorker",
    "Opening",
    "called",
    "iterated",
    "settled",
]
