"""A program in a process of its own that dies at a step: before a change of the disk, in the middle of a write, or
before a statement of SQLite.

`run` is the process. It is forked with everything imported, runs a file in a folder as `python FILE ARGUMENTS` does,
and ends with the file's status.
"""

from __future__ import annotations

import os
import runpy
import signal
import sqlite3
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import kformat.kafka.log.log_reader
import kformat_engine.commands
import kformat_engine.sqlite_import

LOADED: Final = (kformat.kafka.log.log_reader, kformat_engine.commands, kformat_engine.sqlite_import)
"""What the programs import: the fork server has it."""

_SYNCS: Final = ("fsync", "fdatasync")
"""These are steps, but not done: the kernel survives a killed process, and a disk takes its time."""
_CHANGES: Final = ("replace", "rename", "unlink", "mkdir", "rmdir", "ftruncate")


class Steps:
    """Notes the steps of this process, and ends it before number ``last``, from 1 on; a write is then half done."""

    def __init__(self, last: int | None, connection: Connection) -> None:
        self.kinds, self.last, self.connection = list[str](), last, connection
        self.end, os._exit = os._exit, self._exit  # type: ignore[assignment]
        for name in _SYNCS:
            setattr(os, name, self._noted(name, lambda descriptor: None))
        for name in _CHANGES:
            setattr(os, name, self._noted(name, getattr(os, name)))
        os.pwrite = self._write(os.pwrite)
        sqlite3.connect = self._connect(sqlite3.connect)  # type: ignore[assignment]

    def _exit(self, status: int) -> None:
        self.connection.send(self.kinds)
        self.end(status)

    def step(self, kind: str) -> bool:
        """Note a step; whether it is the last."""
        self.kinds.append(kind)
        return len(self.kinds) == self.last

    def step_or_die(self, kind: str) -> None:
        if self.step(kind):
            os.kill(os.getpid(), signal.SIGKILL)

    def _noted(self, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **more: Any) -> Any:
            self.step_or_die(kind)
            return function(*arguments, **more)

        return noted

    def _write(self, pwrite: Callable[..., int]) -> Callable[..., int]:
        def noted(descriptor: int, data: Any, position: int) -> int:
            if self.step("pwrite"):
                pwrite(descriptor, memoryview(data).cast("B")[: memoryview(data).nbytes // 2], position)
                os.kill(os.getpid(), signal.SIGKILL)
            return pwrite(descriptor, data, position)

        return noted

    def _connect(self, connect: Callable[..., sqlite3.Connection]) -> Callable[..., sqlite3.Connection]:
        def traced(*arguments: Any, **more: Any) -> sqlite3.Connection:
            connection = connect(*arguments, **more)
            connection.set_trace_callback(lambda statement: self.step_or_die(statement.split()[0]))
            return connection

        return traced


def run(connection: Connection, program: Path, arguments: list[str], folder: Path, last_step: int | None) -> None:
    """Run a program, and send the kinds of its steps when it has ended by itself; standard input is the file
    ``input``."""
    os.chdir(folder)
    sys.argv = [program.name, *arguments]
    sys.stdin = open("input", encoding="utf-8")
    sys.stdout = open(os.devnull, "w", encoding="utf-8")
    steps = Steps(last_step, connection)
    try:
        runpy.run_path(str(program), run_name="__main__")
    finally:
        connection.send(steps.kinds)
