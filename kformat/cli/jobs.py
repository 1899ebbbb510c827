"""`-j N`: work in N processes, for every verb that has it.

Processes start with the first pieces of work. None outlives the call: they end with it, whatever ends it. Ctrl-C is
handled by the call alone, which prints its one line.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
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
    """Up to ``count`` processes, to be used with ``with``."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._others = set(multiprocessing.active_children())
        self._pool: ProcessPoolExecutor | None = None

    def submit(
        self, function: Callable[_Arguments, _Result], *arguments: _Arguments.args, **named: _Arguments.kwargs
    ) -> Future[_Result]:
        """Have a function called in one of the processes. Function, arguments and result are pickled."""
        # Not forked: threads of libraries, which a fork leaves out, may hold locks.
        context = multiprocessing.get_context("spawn")
        resource_tracker.ensure_running()  # which ends with SIGINT unblocked when it starts one
        with _no_interrupts():  # a process that is started inherits that
            if self._pool is None:
                self._pool = ProcessPoolExecutor(self.count, context, _end_with_the_call)
            return self._pool.submit(function, *arguments, **named)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is None:
            return
        if kind is not None:
            for child in set(multiprocessing.active_children()) - self._others:
                child.terminate()
        self._pool.shutdown(cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise OSError("a process of -j ended before its work was done; was there enough memory?") from error


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Ctrl-C waits until this is over.

    A mask alone does not do that: another thread may take the signal, and the main thread then raises.
    """
    came = list[int]()
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, _: came.append(number)) if is_main else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if came:
        signal.raise_signal(signal.SIGINT)


def _end_with_the_call() -> None:
    """In a new process: end when the process that started it has ended, however that happened."""
    warnings.simplefilter("ignore")  # the call has warned
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True, name="kformat parent").start()


__all__ = ["Workers", "jobs_option"]
