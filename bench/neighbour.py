"""A process that copies memory on the other processors while one is measured: it takes the memory's bandwidth and the
shared cache, as neighbours do on a small virtual machine.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_Answer = TypeVar("_Answer")

_COPY = """
import numpy
source = numpy.ones(64 << 20, numpy.uint8)
target = source.copy()
print("ready", flush=True)
while True:
    target[:] = source
"""


class Neighbour:
    """The process, which stands still but for the time of `beside`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, "-c", _COPY], stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self._process.stdout.readline()
        if hasattr(os, "sched_setaffinity"):
            others = set(range(os.cpu_count() or 1)) - {max(os.sched_getaffinity(0))}
            os.sched_setaffinity(self._process.pid, others or os.sched_getaffinity(0))
        self._process.send_signal(signal.SIGSTOP)

    def beside(self, work: Callable[[], _Answer]) -> _Answer:
        """Do the work while the process copies."""
        self._process.send_signal(signal.SIGCONT)
        try:
            return work()
        finally:
            self._process.send_signal(signal.SIGSTOP)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


@contextmanager
def neighbour() -> Iterator[Neighbour]:
    """The process, for as long as it is needed."""
    process = Neighbour()
    try:
        yield process
    finally:
        process.close()
