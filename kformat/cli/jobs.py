"""`-j N`: work in N processes, for every verb that supports it.

Processes start with the first pieces of work, and always end with the call. Only the main process handles Ctrl-C, and
prints one line.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Any, Final, ParamSpec, Self, TypeVar

import click

MOST_BY_DEFAULT: Final = 4
"""Each process takes memory, and something else in the call is the bottleneck before long."""

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def processors() -> int:
    """How many processors this process may use, but no more than `MOST_BY_DEFAULT`."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_BY_DEFAULT, usable)


def jobs_option(help: str, *, is_parallel: bool) -> Callable[[Any], Any]:
    """The option `-j`; the parameter is ``jobs``. ``is_parallel``: by default one for each processor, else one."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(1, 256),
        metavar="N",
        default=processors if is_parallel else 1,
        show_default=f"one for each processor, at most {MOST_BY_DEFAULT}" if is_parallel else True,
        help=help,
    )


class Workers:
    """Up to ``count`` processes, to be used with ``with``.

    A thread for each process passes it one piece of work at a time through a pipe. Nobody else has an end of that pipe,
    so a process that is killed, even while it writes, ends its thread's waiting.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._threads = ThreadPoolExecutor(count, "kformat -j")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._processes: list[SpawnProcess] = []
        self._is_over = False

    def submit(
        self, function: Callable[_Arguments, _Result], *arguments: _Arguments.args, **named: _Arguments.kwargs
    ) -> Future[_Result]:
        """Have a function called in one of the processes. Function, arguments and result are pickled.

        The future raises what the function raises, and OSError where the process ended before its work was done.
        """
        return self._threads.submit(self._call, function, arguments, named)

    def _call(self, *work: Any) -> Any:
        """In a thread: have its process do a piece of work."""
        pipe = getattr(self._own, "pipe", None)
        if pipe is None:
            pipe = self._own.pipe = self._started()
        try:
            pipe.send(work)
            result, error = pipe.recv()
        except (EOFError, ConnectionError) as ended:
            raise OSError("a process of -j ended before its work was done; was there enough memory?") from ended
        if error is not None:
            raise error
        return result

    def _started(self) -> Connection:
        """Start a process; returns this end of its pipe."""
        # Not forked: threads of libraries, which a fork leaves out, may hold locks.
        context = multiprocessing.get_context("spawn")
        with self._lock:
            if self._is_over:
                raise OSError("the call is over")
            ours, theirs = context.Pipe()
            with theirs:
                process = context.Process(target=_serve, args=(theirs,), daemon=True)
                resource_tracker.ensure_running()  # if it starts one, SIGINT is unblocked afterwards
                # The process inherits the blocked signal.
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
                process.start()
            self._processes.append(process)
        return ours

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._is_over = True
        # Unfinished work is not needed. SIGTERM would not do: it may be ignored from the start.
        for process in self._processes:
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.join()


def _serve(pipe: Connection) -> None:
    """In a process: do the work that comes through the pipe, until the pipe is closed."""
    warnings.simplefilter("ignore")  # the call has warned
    threading.Thread(target=_end_with_the_call, daemon=True, name="kformat parent").start()
    with suppress(EOFError, ConnectionError):  # the other end is gone
        while True:
            function, arguments, named = pipe.recv()
            outcome: tuple[Any, Exception | None]
            try:
                outcome = function(*arguments, **named), None
            except Exception as error:
                outcome = None, error
            pipe.send(outcome)


def _end_with_the_call() -> None:
    """End this process when the one that started it has ended, however that happened."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


__all__ = ["Workers", "jobs_option"]
