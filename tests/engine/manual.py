"""Time that only tests move: a clock, and a scheduler that runs tasks where and when a test says so.

An error of a task for which no ``on_error`` was given comes out of `ManualScheduler.tick`, or of `ManualClock.sleep`.
"""

from __future__ import annotations

from kformat_engine.scheduler import OnError, Scheduler


class ManualClock:
    """A clock that a test moves; called, it says the time in ms. Schedulers made with it run what is due when it moves.

    Attributes:
        time_ms: what it says.
    """

    def __init__(self, time_ms: int = 0) -> None:
        self.time_ms = time_ms
        self.schedulers: list[ManualScheduler] = []

    def __call__(self) -> int:
        return self.time_ms

    def sleep(self, ms: int) -> None:
        """Let time pass, then run what has become due; raises what a task raised."""
        self.time_ms += ms
        for scheduler in list(self.schedulers):
            scheduler.tick()


class ManualScheduler(Scheduler):
    """Tasks run when the clock moves and when `tick` is called, in the caller's thread; scheduling runs nothing.

    Kafka's MockScheduler runs what is due at once when it is scheduled; here that waits for the next `tick`.
    """

    def __init__(self, clock: ManualClock, on_error: OnError | None = None) -> None:
        super().__init__(on_error)
        self._clock = clock
        clock.schedulers.append(self)

    def now_ms(self) -> float:
        """What the clock says."""
        return self._clock()

    def tick(self) -> None:
        """Run what is due, also what becomes due on the way; tasks of one moment in the order of scheduling."""
        while True:
            with self._lock:
                task = self._take_due(self.now_ms())
            if task is None:
                return
            self._run(task)
            self._raise_error()

    def close(self) -> None:
        """Forget what waits, and the clock."""
        if self in self._clock.schedulers:
            self._clock.schedulers.remove(self)
        super().close()
