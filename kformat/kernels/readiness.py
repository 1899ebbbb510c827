"""Whether kernels read what comes, or the codec: compiling takes seconds of CPU, and loading machine code tenths.

Rules:

* If the cache has the machine code, kernels read as soon as loading it pays (`Readiness.load_bytes`).
* If not, the codec reads. After `Readiness.compile_bytes` of it another process compiles, at the lowest priority, one
  at a time for each cache. Until that has ended the codec goes on, for at most `_PATIENCE` times as many bytes.
* This process compiles, at that point, where there is no other: without a cache or a second processor, in a task of
  Spark (`start_no_process`), or if the environment variable KFORMAT_COMPILE is `here`.

The process runs this module. What it compiles comes by its standard input; it leaves a file in the cache that says that
the machine code is complete, `ready-DIGEST`, where the digest is that of all that goes into it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from kformat.errors import MissingDependencyError, RootLockedError
from kformat.kernels.cache import machine_code_folder
from kformat.storage.root_lock import RootLock

VARIABLE: Final = "KFORMAT_COMPILE"
"""The environment variable; `here` starts no process."""
_PATIENCE: Final = 4
"""How many times as many bytes the codec reads at most while another process compiles."""
_LOWEST: Final = 19
"""The lowest priority, as a value of `nice`."""
_WAIT_S: Final = 600
"""How long to wait for another process that compiles."""
_may_start = True


class Job(NamedTuple):
    """A compilation of some kernels: a function of a module, and its arguments, which JSON can have."""

    module: str
    function: str
    arguments: tuple[Any, ...] = ()

    def run(self) -> None:
        """Compile, in this process."""
        getattr(importlib.import_module(self.module), self.function)(*self.arguments)


def start_no_process() -> None:
    """Start no process that compiles from now on: this one is a worker of a program that counts its processes."""
    global _may_start
    _may_start = False


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _digest_of_kernels() -> str:
    """A digest of the modules that kernels are made from, and of this Python, which numba's files are for."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class Readiness:
    """Whether to use some kernels by now.

    Attributes:
        load_bytes: how many bytes the codec reads in the time in which machine code is loaded.
        compile_bytes: in the time in which it is compiled.
        is_there: whether the kernels are used in this process.
    """

    def __init__(
        self, job: Callable[[], Job], made_of: Callable[[], str], *, load_bytes: int, compile_bytes: int
    ) -> None:
        """``made_of`` gives all that goes into the machine code and is not in this package."""
        self._job, self._made_of = job, made_of
        self.load_bytes, self.compile_bytes = load_bytes, compile_bytes
        self.is_there = False
        self._read = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def are_ready(self, more_bytes: int) -> bool:
        """Whether kernels read so many more bytes; if not, the codec does, and they count."""
        if self.is_there:
            return True
        with self._lock:
            self._read += more_bytes
            self.is_there = self.is_there or self._is_time()
        return self.is_there

    def would_be(self, size: int) -> bool:
        """Whether kernels would read so many bytes more at once: nothing is counted, and nothing begun."""
        read = self._read + size
        return self.is_there or read >= (self.load_bytes if self.is_compiled() else self.compile_bytes)

    def wait(self) -> None:
        """Wait for the process that compiles, if there is one."""
        if self._process is not None:
            self._process.wait()

    def _is_time(self) -> bool:
        if self._read < self.load_bytes:
            return False
        if self._process is None and self.is_compiled():
            return True
        if self._read < self.compile_bytes:
            return False
        if self._process is None:
            self._process = self._started()
        if self._process is None:
            if self._file is not None:  # else what is used is compiled when it is used
                with contextlib.suppress(MissingDependencyError, OSError):
                    self.compile()
            return True
        if self._read >= _PATIENCE * self.compile_bytes:
            self.wait()
        return self._process.poll() is not None  # if it has failed, this process compiles

    @functools.cached_property
    def _file(self) -> Path | None:
        """The file that says that the machine code is in the cache."""
        folder = machine_code_folder()
        digest = hashlib.sha256(f"{_digest_of_kernels()} {self._made_of()}".encode()).hexdigest()[:16]
        return None if folder is None else folder / f"ready-{digest}"

    def is_compiled(self) -> bool:
        """Whether the machine code is in the cache."""
        return self._file is not None and self._file.exists()

    def compile(self) -> None:
        """Compile in this process, if that was not done before; another one that does is waited for.

        Raises MissingDependencyError without numba, OSError if the cache cannot be written.
        """
        file = self._file
        if file is None:
            self._job().run()
        else:
            _compile(self._job(), file)

    def _started(self) -> subprocess.Popen[bytes] | None:
        """A process that compiles; None if this one has to."""
        is_python = os.path.basename(sys.executable or "").startswith(("python", "pypy"))
        if self._file is None or not _may_start or not is_python or os.environ.get(VARIABLE) == "here":
            return None
        if processors() < 2:  # the other process would wait for this one, which waits for it
            return None
        if importlib.util.find_spec("numba") is None:
            return None
        command = [sys.executable, "-m", "kformat.kernels.readiness"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, **quiet)  # type: ignore[call-overload]
            with process.stdin as stream:
                stream.write(json.dumps({"job": self._job(), "file": str(self._file)}).encode())
        except OSError:
            return None
        return process


def _compile(job: Job, file: Path) -> None:
    """Run a job, if no process has done so before, and leave the file that says it.

    One process compiles at a time. If the lock cannot be had, several do: numba replaces its files as a whole.
    """
    with RootLock(file.parent) as lock:
        with contextlib.suppress(RootLockedError):
            lock.take(wait_s=_WAIT_S)
        if not file.exists():
            job.run()
            file.touch(0o600)


def main() -> None:
    """Compile what the standard input says, and leave the file that it names."""
    with contextlib.suppress(OSError):
        os.nice(_LOWEST)
    asked = json.load(sys.stdin)
    _compile(Job(*asked["job"]), Path(asked["file"]))


__all__ = ["Job", "Readiness"]

if __name__ == "__main__":
    main()
